"""The uniform distribution (mirrors `torch.distributions.uniform`)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import Distribution, Shape

__all__ = ["Uniform"]


class Uniform(Distribution):
    """The uniform distribution on [`low`, `high`).

    Example:
        >>> import autogradlab as torch
        >>> uniform = torch.distributions.Uniform(torch.tensor([0.0]), torch.tensor([5.0]))
        >>> uniform.log_prob(torch.tensor([2.0]))
        tensor([-1.6094])

    Mirrors `torch.distributions.Uniform`.
    """

    has_rsample = True
    low: Tensor
    high: Tensor
    _expanded: ClassVar[dict[str, int]] = {"low": 0, "high": 0}

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._spread(low=low, high=high), validate_args=validate_args)

    @property
    def arg_constraints(self) -> dict[str, Any]:
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """From low to high."""
        return constraints.interval(self.low, self.high)

    mean: Any = property(lambda self: (self.high + self.low) / 2)
    mode: Any = property(lambda self: math.nan * self.high)
    stddev: Any = property(lambda self: (self.high - self.low) / 12**0.5)
    variance: Any = property(lambda self: (self.high - self.low).pow(2) / 12)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        share = torch.rand(self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + share * (self.high - self.low)

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        above = self.low.le(value).type_as(self.low)
        below = self.high.gt(value).type_as(self.low)
        return torch.log(above.mul(below)) - torch.log(self.high - self.low)

    def cdf(self, value: Any) -> Tensor:
        self._check(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Any) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return torch.log(self.high - self.low)
