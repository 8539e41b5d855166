"""The negative binomial distribution (mirrors `torch.distributions.negative_binomial`)."""

from __future__ import annotations

from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from ..nn.functional import logsigmoid
from . import constraints
from .distribution import ProbsOrLogits, Shape
from .gamma import Gamma
from .utils import lazy_property

__all__ = ["NegativeBinomial"]


class NegativeBinomial(ProbsOrLogits):
    """The number of successes before `total_count` failures, in trials that succeed with probability `probs`.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.NegativeBinomial(3, torch.tensor([0.5])).mean
        tensor([3.])

    Mirrors `torch.distributions.NegativeBinomial`.
    """

    arg_constraints: Any = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support: Any = constraints.nonnegative_integer
    total_count: Tensor
    _expanded: ClassVar[dict[str, int]] = {"total_count": 0, **ProbsOrLogits._expanded}

    def __init__(
        self, total_count: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        shape = self._take(probs, logits, total_count=total_count)
        self.total_count = self.total_count.type_as(self._param)
        super().__init__(shape, validate_args=validate_args)

    mean: Any = property(lambda self: self.total_count * torch.exp(self.logits))
    mode: Any = property(lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0))
    variance: Any = property(lambda self: self.mean / torch.sigmoid(-self.logits))

    @lazy_property
    def _gamma(self) -> Gamma:
        return Gamma(self.total_count, torch.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with torch.no_grad():
            return torch.poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        count = self.total_count
        unnormalized = count * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        normalizer = -torch.lgamma(count + value) + torch.lgamma(1.0 + value) + torch.lgamma(count)
        return unnormalized - normalizer.masked_fill(count + value == 0.0, 0.0)
