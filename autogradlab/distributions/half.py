"""Absolute values of variables symmetric about 0: what half_normal and half_cauchy share."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AbsTransform

__all__ = ["Half"]


class Half(TransformedDistribution):
    """The absolute value of a variable with the distribution `whole` and location 0."""

    #: the symmetric distribution, of a location and a scale
    whole: ClassVar[Any]

    arg_constraints: Any = {"scale": constraints.positive}
    support: Any = constraints.nonnegative
    has_rsample = True

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(self.whole(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    scale: Any = property(lambda self: self.base_dist.scale)
    mode: Any = property(lambda self: torch.zeros_like(self.scale))

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        value = torch.as_tensor(value, dtype=self.scale.dtype)
        return torch.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value: Any) -> Tensor:
        self._check(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob: Any) -> Tensor:
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)
