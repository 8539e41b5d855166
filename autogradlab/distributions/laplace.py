"""The Laplace distribution (mirrors `torch.distributions.laplace`)."""

from __future__ import annotations

from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import Distribution, Shape

__all__ = ["Laplace"]


class Laplace(Distribution):
    """The Laplace distribution with median `loc` and scale `scale`.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.Laplace(torch.tensor([0.0]), torch.tensor([1.0])).log_prob(torch.tensor([1.0]))
        tensor([-1.6931])

    Mirrors `torch.distributions.Laplace`.
    """

    arg_constraints: Any = {"loc": constraints.real, "scale": constraints.positive}
    support: Any = constraints.real
    has_rsample = True
    loc: Tensor
    scale: Tensor
    _expanded: ClassVar[dict[str, int]] = {"loc": 0, "scale": 0}

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._spread(loc=loc, scale=scale), validate_args=validate_args)

    mean: Any = property(lambda self: self.loc)
    mode: Any = property(lambda self: self.loc)
    variance: Any = property(lambda self: 2 * self.scale.pow(2))
    stddev: Any = property(lambda self: 2**0.5 * self.scale)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        u = self.loc.new(shape).uniform_(torch.finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * torch.log1p(-u.abs())

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale

    def cdf(self, value: Any) -> Tensor:
        self._check(value)
        off = value - self.loc
        return 0.5 - 0.5 * off.sign() * torch.expm1(-(value - self.loc).abs() / self.scale)

    def icdf(self, value: Any) -> Tensor:
        term = value - 0.5
        return self.loc - self.scale * term.sign() * torch.log1p(-2 * term.abs())

    def entropy(self) -> Tensor:
        return 1 + torch.log(2 * self.scale)
