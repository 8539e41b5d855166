"""The Cauchy distribution (mirrors `torch.distributions.cauchy`)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import Distribution, Shape

__all__ = ["Cauchy"]


class Cauchy(Distribution):
    """The Cauchy distribution with median `loc` and half width at half maximum `scale`.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.Cauchy(torch.tensor([0.0]), torch.tensor([1.0])).cdf(torch.tensor([1.0]))
        tensor([0.7500])

    Mirrors `torch.distributions.Cauchy`.
    """

    arg_constraints: Any = {"loc": constraints.real, "scale": constraints.positive}
    support: Any = constraints.real
    has_rsample = True
    loc: Tensor
    scale: Tensor
    _expanded: ClassVar[dict[str, int]] = {"loc": 0, "scale": 0}

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._spread(loc=loc, scale=scale), validate_args=validate_args)

    mean: Any = property(lambda self: torch.full(self._extended_shape(), math.nan, dtype=self.loc.dtype))
    mode: Any = property(lambda self: self.loc)
    variance: Any = property(lambda self: torch.full(self._extended_shape(), math.inf, dtype=self.loc.dtype))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        drawn = self.loc.new(self._extended_shape(sample_shape)).cauchy_()
        return self.loc + drawn * self.scale

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value: Any) -> Tensor:
        self._check(value)
        return torch.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value: Any) -> Tensor:
        return torch.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()
