"""The continuous relaxation of OneHotCategorical (mirrors `torch.distributions.relaxed_categorical`)."""

from __future__ import annotations

from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .categorical import Categorical
from .distribution import Shape
from .one_hot_categorical import OverCategorical
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform
from .utils import broadcast_all, clamp_probs

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(OverCategorical):
    """The logs of a RelaxedOneHotCategorical.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.distributions.relaxed_categorical import ExpRelaxedCategorical
        >>> ExpRelaxedCategorical(torch.tensor(1.0), torch.tensor([0.5, 0.5])).event_shape
        torch.Size([2])

    Mirrors `torch.distributions.relaxed_categorical.ExpRelaxedCategorical`.
    """

    arg_constraints: Any = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support: Any = constraints.real_vector
    has_rsample = True
    _expanded: ClassVar[dict[str, int]] = {}

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        self._of(Categorical(probs, logits), validate_args)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        u = clamp_probs(torch.rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        scores = (self.logits + -((-(u.log())).log())) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        k = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        log_scale = torch.full_like(self.temperature, float(k)).lgamma() - self.temperature.log().mul(-(k - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + log_scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """A continuous relaxation of OneHotCategorical with reparameterized samples; the lower the temperature, the closer
    they are to one-hot vectors.

    Example:
        >>> import autogradlab as torch
        >>> relaxed = torch.distributions.RelaxedOneHotCategorical(torch.tensor(0.5), torch.tensor([0.25, 0.75]))
        >>> relaxed.rsample().sum().round()
        tensor(1.)

    Mirrors `torch.distributions.RelaxedOneHotCategorical`.
    """

    arg_constraints: Any = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support: Any = constraints.simplex
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(RelaxedOneHotCategorical, _instance))

    temperature: Any = property(lambda self: self.base_dist.temperature)
    logits: Any = property(lambda self: self.base_dist.logits)
    probs: Any = property(lambda self: self.base_dist.probs)
