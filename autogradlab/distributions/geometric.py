"""The geometric distribution (mirrors `torch.distributions.geometric`)."""

from __future__ import annotations

from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from ..nn.functional import binary_cross_entropy_with_logits
from . import constraints
from .distribution import ProbsOrLogits, Shape
from .utils import broadcast_all

__all__ = ["Geometric"]


class Geometric(ProbsOrLogits):
    """The number of failures before the first success in trials that succeed with probability `probs`.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.Geometric(torch.tensor([0.25])).mean
        tensor([3.])

    Mirrors `torch.distributions.Geometric`.
    """

    arg_constraints: Any = {"probs": constraints.unit_interval, "logits": constraints.real}
    support: Any = constraints.nonnegative_integer
    _expanded: ClassVar[dict[str, int]] = ProbsOrLogits._expanded

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(self._take(probs, logits), validate_args=validate_args)
        if self._validate_args and probs is not None:
            value = self.probs
            wrong = ~(value > 0)
            if wrong.any():
                raise ValueError(
                    f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) "
                    f"of distribution {self!r} to be positive but found invalid values:\n{value.data[wrong]}"
                )

    mean: Any = property(lambda self: 1.0 / self.probs - 1.0)
    mode: Any = property(lambda self: torch.zeros_like(self.probs))
    variance: Any = property(lambda self: (1.0 / self.probs - 1.0) / self.probs)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            u = self.probs.new(shape).uniform_(torch.finfo(self.probs.dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone(memory_format=torch.contiguous_format)
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
