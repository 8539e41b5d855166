"""The categorical distribution (mirrors `torch.distributions.categorical`)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Size, Tensor
from . import constraints
from .distribution import Distribution, Shape
from .utils import lazy_property, logits_to_probs, probs_to_logits

__all__ = ["Categorical"]


class Categorical(Distribution):
    """The integers from 0 to K - 1, with probabilities proportional to `probs`, or to the exponentials of `logits`,
    along the last dimension.

    Example:
        >>> import autogradlab as torch
        >>> categorical = torch.distributions.Categorical(torch.tensor([1.0, 1.0, 2.0]))
        >>> categorical.probs
        tensor([0.2500, 0.2500, 0.5000])
        >>> categorical.log_prob(torch.tensor(2))
        tensor(-0.6931)

    Mirrors `torch.distributions.Categorical`.
    """

    arg_constraints: Any = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _expanded: ClassVar[dict[str, int]] = {"probs": 1, "logits": 1, "_param": 1}

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        if probs is not None:
            if probs.dim() < 1:
                raise ValueError("`probs` parameter must be at least one-dimensional.")
            self.probs = self._param = probs / probs.sum(-1, keepdim=True)
        else:
            if logits.dim() < 1:
                raise ValueError("`logits` parameter must be at least one-dimensional.")
            self.logits = self._param = logits - logits.logsumexp(dim=-1, keepdim=True)
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1], validate_args=validate_args)

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        """The integers from 0 to K - 1."""
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Tensor:
        """The log probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        """The probabilities."""
        return logits_to_probs(self.logits)

    param_shape: Any = property(lambda self: self._param.size())
    mean: Any = property(lambda self: torch.full(self._extended_shape(), math.nan, dtype=self.probs.dtype))
    mode: Any = property(lambda self: self.probs.argmax(dim=-1))
    variance: Any = mean

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        shape = sample_shape if isinstance(sample_shape, Size) else Size(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        return torch.multinomial(rows, shape.numel(), True).T.reshape(self._extended_shape(shape))

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        value, log_probs = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return log_probs.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        logits = torch.clamp(self.logits, min=torch.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = torch.arange(self._num_events, dtype=torch.long).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values
