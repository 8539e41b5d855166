"""The generalized Pareto distribution (mirrors `torch.distributions.generalized_pareto`)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Size, Tensor
from . import constraints
from .distribution import Distribution, Shape
from .utils import Number

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """How far numbers lie above a high threshold `loc`: an exponential distribution for a `concentration` of 0, a
    heavier tail above, an end of the range below it.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.GeneralizedPareto(torch.tensor([1.0]), torch.tensor([2.0]), torch.tensor([0.5])).mean
        tensor([5.])

    Mirrors `torch.distributions.GeneralizedPareto`.
    """

    arg_constraints: Any = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True
    loc: Tensor
    scale: Tensor
    concentration: Tensor
    _expanded: ClassVar[dict[str, int]] = {"loc": 0, "scale": 0, "concentration": 0}

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        shape = self._spread(loc=loc, scale=scale, concentration=concentration)
        if all(isinstance(each, Number) for each in (loc, scale, concentration)):
            shape = Size()
        super().__init__(shape, validate_args=validate_args)

    def _zero_and_safe(self, zero: Any) -> tuple[Tensor, Tensor]:
        """Where the concentration is 0, and the concentration with 1 there."""
        at_zero = torch.isclose(self.concentration, zero)
        return at_zero, torch.where(at_zero, torch.ones_like(self.concentration), self.concentration)

    def _z(self, x: Any) -> Tensor:
        found: Tensor = (x - self.loc) / self.scale
        return found

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        z = self._z(value)
        at_zero, safe = self._zero_and_safe(torch.tensor(0.0))
        power = 1 / safe + torch.ones_like(z)
        elsewhere = torch.where(power == 0, power, power * torch.log1p(safe * z))
        return -self.scale.log() - torch.where(at_zero, z, elsewhere)

    def log_survival_function(self, value: Any) -> Tensor:
        """The log of the probability of more than `value`."""
        self._check(value)
        z = self._z(value)
        at_zero, safe = self._zero_and_safe(torch.tensor(0.0))
        return torch.where(at_zero, -z, -torch.log1p(safe * z) / safe)

    def log_cdf(self, value: Any) -> Tensor:
        """The log of the probability of at most `value`."""
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value: Any) -> Tensor:
        return torch.exp(self.log_cdf(value))

    def icdf(self, value: Any) -> Tensor:
        at_zero, safe = self._zero_and_safe(torch.zeros_like(self.concentration))
        log_rest = torch.log1p(-value)
        elsewhere = self.loc + self.scale / safe * torch.expm1(-safe * log_rest)
        return torch.where(at_zero, self.loc - self.scale * log_rest, elsewhere)

    @property
    def mean(self) -> Tensor:
        finite = self.concentration < 1
        safe = torch.where(finite, self.concentration, 0.5)
        return torch.where(finite, self.loc + self.scale / (1 - safe), math.nan)

    @property
    def variance(self) -> Tensor:
        finite = self.concentration < 0.5
        safe = torch.where(finite, self.concentration, 0.25)
        result = self.scale**2 / ((1 - safe) ** 2 * (1 - 2 * safe))
        return torch.where(finite, result, math.nan)

    mode: Any = property(lambda self: self.loc)

    def entropy(self) -> Tensor:
        return torch.broadcast_to(torch.log(self.scale) + self.concentration + 1, self._batch_shape)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """All from `loc` on; up to an end if the concentration is negative."""
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, torch.where(self.concentration < 0, end, math.inf))
