"""One-hot vectors of categories (mirrors `torch.distributions.one_hot_categorical`)."""

from __future__ import annotations

from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Size, Tensor
from ..nn.functional import one_hot
from . import constraints
from .categorical import Categorical
from .distribution import Distribution, Shape

__all__ = ["OverCategorical", "OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OverCategorical(Distribution):
    """The base of distributions of vectors that are defined by a Categorical."""

    _categorical: Categorical
    _expanded: ClassVar[dict[str, int]] = {}

    def _of(self, categorical: Categorical, validate_args: bool | None) -> None:
        self._categorical = categorical
        Distribution.__init__(self, categorical.batch_shape, categorical.param_shape[-1:], validate_args=validate_args)

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._categorical._new(*args, **kwargs)

    probs: Any = property(lambda self: self._categorical.probs)
    logits: Any = property(lambda self: self._categorical.logits)
    param_shape: Any = property(lambda self: self._categorical.param_shape)


class OneHotCategorical(OverCategorical):
    """A Categorical whose samples are one-hot vectors.

    Example:
        >>> import autogradlab as torch
        >>> one_hot = torch.distributions.OneHotCategorical(torch.tensor([0.25, 0.75]))
        >>> one_hot.log_prob(torch.tensor([0.0, 1.0]))
        tensor(-0.2877)

    Mirrors `torch.distributions.OneHotCategorical`.
    """

    arg_constraints: Any = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support: Any = constraints.one_hot
    has_enumerate_support = True
    _expanded: ClassVar[dict[str, int]] = {}

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._of(Categorical(probs, logits), validate_args)

    _param: Any = property(lambda self: self._categorical._param)
    mean: Any = property(lambda self: self.probs)
    variance: Any = property(lambda self: self.probs * (1 - self.probs))
    mode: Any = property(lambda self: one_hot(self.probs.argmax(dim=-1), self.probs.shape[-1]).to(self.probs))

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        indices = self._categorical.sample(Size(sample_shape))
        return one_hot(indices, self._categorical._num_events).to(self.probs)

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        n = self.event_shape[0]
        values = torch.eye(n, dtype=self._param.dtype).view((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n,) + self.batch_shape + (n,)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """A OneHotCategorical whose rsample passes gradients straight through to the probabilities.

    Example:
        >>> import autogradlab as torch
        >>> probs = torch.tensor([0.25, 0.75], requires_grad=True)
        >>> torch.distributions.OneHotCategoricalStraightThrough(probs).rsample().requires_grad
        True

    Mirrors `torch.distributions.OneHotCategoricalStraightThrough`.
    """

    has_rsample = True

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())
