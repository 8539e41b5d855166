"""The absolute value of a normal variable with mean 0 (mirrors `torch.distributions.half_normal`)."""

from __future__ import annotations

import math
from typing import Any

from .distribution import Shape
from .half import Half
from .normal import Normal

__all__ = ["HalfNormal"]


class HalfNormal(Half):
    """The absolute value of a normal variable with mean 0.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.HalfNormal(torch.tensor([1.0])).log_prob(torch.tensor([1.0]))
        tensor([-0.7258])

    Mirrors `torch.distributions.HalfNormal`.
    """

    whole = Normal

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(scale, validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(HalfNormal, _instance))

    mean: Any = property(lambda self: self.scale * math.sqrt(2 / math.pi))
    variance: Any = property(lambda self: self.scale.pow(2) * (1 - 2 / math.pi))
