"""The multinomial distribution (mirrors `torch.distributions.multinomial`)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Size, Tensor
from . import constraints
from .binomial import Binomial
from .categorical import Categorical
from .distribution import Shape
from .one_hot_categorical import OverCategorical
from .utils import broadcast_all

__all__ = ["Multinomial"]


class Multinomial(OverCategorical):
    """The number of draws of each category in `total_count` draws.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.Multinomial(4, torch.tensor([1.0, 3.0])).mean
        tensor([1., 3.])

    Mirrors `torch.distributions.Multinomial`.
    """

    arg_constraints: Any = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int
    _expanded: ClassVar[dict[str, int]] = {}

    def __init__(
        self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._of(Categorical(probs=probs, logits=logits), validate_args)
        Binomial(total_count=total_count, probs=self.probs)  # which refuses a count that cannot be

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        """Counts up to total_count."""
        return constraints.multinomial(self.total_count)

    mean: Any = property(lambda self: self.probs * self.total_count)
    variance: Any = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        shape = Size(sample_shape)
        drawn = self._categorical.sample(Size((self.total_count,)) + shape)
        drawn = drawn.permute(*range(1, drawn.dim()), 0)
        counts = drawn.new(self._extended_shape(shape)).zero_()
        counts.scatter_add_(-1, drawn, torch.ones_like(drawn))
        return counts.type_as(self.probs)

    def entropy(self) -> Tensor:
        n = torch.tensor(self.total_count)
        drawn = n * self._categorical.entropy() - torch.lgamma(n + 1)
        of_each = Binomial(total_count=self.total_count, probs=self.probs)
        counts = of_each.enumerate_support(expand=False)[1:]
        return drawn + (torch.exp(of_each.log_prob(counts)) * torch.lgamma(counts + 1)).sum([0, -1])

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone(memory_format=torch.contiguous_format)
        log_n = torch.lgamma(value.sum(-1) + 1)
        log_counts = torch.lgamma(value + 1).sum(-1)
        logits[(value == 0) & (logits == -math.inf)] = 0
        return log_n - log_counts + (logits * value).sum(-1)
