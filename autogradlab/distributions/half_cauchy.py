"""The absolute value of a Cauchy variable with median 0 (mirrors `torch.distributions.half_cauchy`)."""

from __future__ import annotations

import math
from typing import Any

import autogradlab as torch

from .cauchy import Cauchy
from .distribution import Shape
from .half import Half

__all__ = ["HalfCauchy"]


class HalfCauchy(Half):
    """The absolute value of a Cauchy variable with median 0.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.HalfCauchy(torch.tensor([1.0])).log_prob(torch.tensor([1.0]))
        tensor([-1.1447])

    Mirrors `torch.distributions.HalfCauchy`.
    """

    whole = Cauchy

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(scale, validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(HalfCauchy, _instance))

    mean: Any = property(lambda self: torch.full(self._extended_shape(), math.inf, dtype=self.scale.dtype))
    variance: Any = property(lambda self: self.base_dist.variance)
