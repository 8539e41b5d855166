"""The von Mises distribution of angles (mirrors `torch.distributions.von_mises`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import autogradlab as torch

from ..core.tensor.tensor import Size, Tensor
from . import constraints
from .distribution import Distribution, Shape
from .utils import lazy_property

__all__ = ["VonMises"]

#: the polynomials of Abramowitz and Stegun (9.8.1 to 9.8.4) for the modified Bessel functions of order 0 and 1: of
#: (x / 3.75) ** 2 below 3.75, of 3.75 / x from there on
_SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
_LARGE = (
    (
        0.39894228,
        0.1328592e-1,
        0.225319e-2,
        -0.157565e-2,
        0.916281e-2,
        -0.2057706e-1,
        0.2635537e-1,
        -0.1647633e-1,
        0.392377e-2,
    ),
    (
        0.39894228,
        -0.3988024e-1,
        -0.362018e-2,
        0.163801e-2,
        -0.1031555e-1,
        0.2282967e-1,
        -0.2895312e-1,
        0.1787654e-1,
        -0.420059e-2,
    ),
)


def _polynomial(y: Tensor, coefficients: Sequence[float]) -> Tensor:
    result: Any = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        result = coefficient + y * result
    found: Tensor = result
    return found


def _log_bessel(x: Tensor, order: int) -> Tensor:
    """The log of the modified Bessel function of order 0 or 1, for positive numbers."""
    y = x / 3.75
    small = _polynomial(y * y, _SMALL[order])
    if order == 1:
        small = x.abs() * small
    large = x - 0.5 * x.log() + _polynomial(3.75 / x, _LARGE[order]).log()
    return torch.where(x < 3.75, small.log(), large)


class VonMises(Distribution):
    """Angles around `loc`, the closer the higher the `concentration`; a value is an angle modulo 2 pi. `mean` and
    `variance` are the circular ones.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.VonMises(torch.tensor([1.0]), torch.tensor([2.0])).variance
        tensor([0.3022])

    Mirrors `torch.distributions.VonMises`.
    """

    arg_constraints: Any = {"loc": constraints.real, "concentration": constraints.positive}
    support: Any = constraints.real
    has_rsample = False
    loc: Tensor
    concentration: Tensor

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        shape = self._spread(loc=loc, concentration=concentration)
        super().__init__(shape, Size(), validate_args)

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        height = self.concentration * torch.cos(value - self.loc)
        return height - math.log(2 * math.pi) - _log_bessel(self.concentration, 0)

    @lazy_property
    def _loc(self) -> Tensor:
        return self.loc.to(torch.double)

    @lazy_property
    def _concentration(self) -> Tensor:
        return self.concentration.to(torch.double)

    @lazy_property
    def _proposal_r(self) -> Tensor:
        """The parameter of the wrapped Cauchy distribution from which angles are proposed."""
        kappa = self._concentration
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return torch.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))

    @torch.no_grad()
    def sample(self, sample_shape: Shape = ()) -> Tensor:
        """Angles, by rejection (Best and Fisher, 1979), computed in float64."""
        loc, concentration, proposal = self._loc, self._concentration, self._proposal_r
        x = torch.empty(self._extended_shape(sample_shape), dtype=loc.dtype)
        done = torch.zeros(x.shape, dtype=torch.bool)
        while not done.all():
            u1, u2, u3 = torch.rand((3,) + x.shape, dtype=loc.dtype).unbind()
            z = torch.cos(math.pi * u1)
            cosine = (1 + proposal * z) / (proposal + z)
            c = concentration * (proposal - cosine)
            accepted = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
            x = torch.where(accepted, (u3 - 0.5).sign() * cosine.acos(), x)
            done = done | accepted
        return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        checked = vars(self).get("_validate_args")
        loc, concentration = self.loc.expand(batch_shape), self.concentration.expand(batch_shape)
        return type(self)(loc, concentration, validate_args=checked)

    mean: Any = property(lambda self: self.loc)
    mode: Any = property(lambda self: self.loc)

    @lazy_property
    def variance(self) -> Tensor:
        """One minus the length of the mean of unit vectors."""
        return 1 - (_log_bessel(self.concentration, 1) - _log_bessel(self.concentration, 0)).exp()
