"""The continuous relaxation of Bernoulli (mirrors `torch.distributions.relaxed_bernoulli`)."""

from __future__ import annotations

from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import ProbsOrLogits, Shape
from .transformed_distribution import TransformedDistribution
from .transforms import SigmoidTransform
from .utils import broadcast_all, clamp_probs

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(ProbsOrLogits):
    """The log-odds of a RelaxedBernoulli.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.distributions.relaxed_bernoulli import LogitRelaxedBernoulli
        >>> LogitRelaxedBernoulli(torch.tensor(1.0), torch.tensor(0.5)).log_prob(torch.tensor(0.0))
        tensor(-1.3863)

    Mirrors `torch.distributions.relaxed_bernoulli.LogitRelaxedBernoulli`.
    """

    arg_constraints: Any = {"probs": constraints.unit_interval, "logits": constraints.real}
    support: Any = constraints.real
    _expanded: ClassVar[dict[str, int]] = ProbsOrLogits._expanded

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self.temperature = temperature
        super().__init__(self._take(probs, logits), validate_args=validate_args)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(torch.rand(shape, dtype=probs.dtype))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        off = logits - value.mul(self.temperature)
        return self.temperature.log() + off - 2 * off.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """A continuous relaxation of Bernoulli on (0, 1) with reparameterized samples; the lower the temperature, the
    closer they are to 0 and 1.

    Example:
        >>> import autogradlab as torch
        >>> relaxed = torch.distributions.RelaxedBernoulli(torch.tensor([0.5]), torch.tensor([0.25]))
        >>> relaxed.has_rsample
        True

    Mirrors `torch.distributions.RelaxedBernoulli`.
    """

    arg_constraints: Any = {"probs": constraints.unit_interval, "logits": constraints.real}
    support: Any = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(RelaxedBernoulli, _instance))

    temperature: Any = property(lambda self: self.base_dist.temperature)
    logits: Any = property(lambda self: self.base_dist.logits)
    probs: Any = property(lambda self: self.base_dist.probs)
