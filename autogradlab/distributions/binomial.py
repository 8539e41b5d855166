"""The binomial distribution (mirrors `torch.distributions.binomial`)."""

from __future__ import annotations

from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import ProbsOrLogits, Shape

__all__ = ["Binomial"]


def _positive_part(x: Tensor) -> Tensor:
    """`x` clamped to 0 from below, with the gradient one half at 0."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


class Binomial(ProbsOrLogits):
    """The number of successes in `total_count` independent trials, each with probability `probs` of success.

    Example:
        >>> import autogradlab as torch
        >>> binomial = torch.distributions.Binomial(2, torch.tensor([0.5]))
        >>> binomial.log_prob(torch.tensor([1.0])).exp()
        tensor([0.5000])

    Mirrors `torch.distributions.Binomial`.
    """

    arg_constraints: Any = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True
    total_count: Tensor
    _expanded: ClassVar[dict[str, int]] = {"total_count": 0, **ProbsOrLogits._expanded}

    def __init__(
        self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        shape = self._take(probs, logits, total_count=total_count)
        self.total_count = self.total_count.type_as(self._param)
        super().__init__(shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The numbers from 0 to total_count."""
        return constraints.integer_interval(0, self.total_count)

    mean: Any = property(lambda self: self.total_count * self.probs)
    mode: Any = property(lambda self: ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count))
    variance: Any = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        n, logits = self.total_count, self.logits
        log_n, log_k, log_rest = torch.lgamma(n + 1), torch.lgamma(value + 1), torch.lgamma(n - value + 1)
        normalizer = n * _positive_part(logits) + n * torch.log1p(torch.exp(-torch.abs(logits))) - log_n
        return value * logits - log_k - log_rest - normalizer

    def _one_count(self, caller: str) -> int:
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{caller}`.")
        return count

    def entropy(self) -> Tensor:
        self._one_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        return self._numbers(1 + self._one_count("enumerate_support"), expand)
