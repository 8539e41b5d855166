"""The base of all distributions (mirrors `torch.distributions.distribution`)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import autogradlab as torch

from ..core.runtime.naming import by_name
from ..core.tensor.tensor import Size, Tensor
from . import constraints
from .utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits

__all__ = ["Distribution"]

Shape = Sequence[int]
_SCALAR = Size()


class Distribution:
    """The base of probability distributions. The batch shape is that of the parameters, the event shape that of one
    sample; a sample has both, behind the sample shape that was asked for.

    Example:
        >>> import autogradlab as torch
        >>> normal = torch.distributions.Normal(torch.zeros(3), 1.0)
        >>> isinstance(normal, torch.distributions.Distribution)
        True
        >>> normal.batch_shape, normal.event_shape
        (torch.Size([3]), torch.Size([]))

    Mirrors `torch.distributions.Distribution`.
    """

    __reduce_ex__ = by_name
    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args: bool = __debug__
    #: the parameters that `expand` expands, each with the number of its event dimensions
    _expanded: ClassVar[dict[str, int]] = {}

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set whether distributions validate their arguments by default."""
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self,
        batch_shape: Size = _SCALAR,
        event_shape: Size = _SCALAR,
        validate_args: bool | None = None,
    ) -> None:
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _check_parameters(self) -> None:
        try:
            known = self.arg_constraints
        except NotImplementedError:
            known = {}
            warnings.warn(
                f"{type(self)} does not define `arg_constraints`. "
                "Please set `arg_constraints = {}` or initialize the distribution "
                "with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
        for name, constraint in known.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in vars(self) and isinstance(getattr(type(self), name), lazy_property):
                continue
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) "
                    f"of distribution {self!r} to satisfy the constraint {constraint!r}, "
                    f"but found invalid values:\n{value}"
                )

    def _spread(self, **given: Any) -> Size:
        """Broadcast parameters and set them as attributes; returns their common shape."""
        values = broadcast_all(*given.values())
        for name, value in zip(given, values, strict=True):
            setattr(self, name, value)
        return values[0].size()

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        """The distribution with its parameters expanded to a batch shape, without copies."""
        owner = next((cls for cls in type(self).__mro__ if "_expanded" in vars(cls)), Distribution)
        if owner is Distribution:
            raise NotImplementedError
        new = self._get_checked_instance(owner, _instance)
        batch = Size(batch_shape)
        for name, value in vars(self).items():
            events = self._expanded.get(name)
            if isinstance(value, Distribution):
                value = value.expand(batch)
            elif events is not None:
                value = value.expand(batch + value.shape[value.dim() - events :])
            setattr(new, name, value)
        new._batch_shape = batch
        new._validate_args = self._validate_args
        return new

    @property
    def batch_shape(self) -> Size:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one sample."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        """The constraint of each parameter, by name."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The set in which samples lie."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        """Samples, without gradients."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        """Samples that are differentiable functions of the parameters (reparameterized)."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """`n` samples; the old name of `sample((n,))`."""
        warnings.warn(
            "`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", category=FutureWarning, stacklevel=2
        )
        return self.sample(Size((n,)))

    def log_prob(self, value: Any) -> Tensor:
        """The log of the density, or of the probability, of a value."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Tensor:
        """The cumulative distribution function: the probability of at most `value`."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Tensor:
        """The value with a given cumulative probability: the inverse of cdf."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution, along a new first dimension."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy, in nats."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape: Shape = ()) -> Size:
        """The shape of samples."""
        if not isinstance(sample_shape, Size):
            sample_shape = Size(sample_shape)
        return Size(sample_shape + self._batch_shape + self._event_shape)

    def _check(self, value: Any) -> None:
        """Check a value, if this distribution validates its arguments."""
        if self._validate_args:
            self._validate_sample(value)

    def _validate_sample(self, value: Any) -> None:
        """Refuse a value whose shape does not fit or that cannot be a sample."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        actual, expected = value.size(), self._batch_shape + self._event_shape
        if actual[len(actual) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {actual} vs {self._event_shape}.")
        for i, j in zip(reversed(actual), reversed(expected), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {actual} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{type(self)} does not define `support` to enable "
                "sample validation. Please initialize the distribution with "
                "`validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        if support is None:
            raise AssertionError("support is unexpectedly None")
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) "
                f"to be within the support ({support!r}) of the distribution {self!r}, "
                f"but found invalid values:\n{value}"
            )

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        if _instance is not None:
            return _instance
        if type(self).__init__ != cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method "
                "must also define a custom .expand() method."
            )
        return self.__new__(type(self))

    def __repr__(self) -> str:
        given = {name: vars(self)[name] for name in self.arg_constraints if name in vars(self)}
        shown = ", ".join(f"{name}: {v if v.numel() == 1 else v.size()}" for name, v in given.items())
        return f"{type(self).__name__}({shown})"


class ProbsOrLogits(Distribution):
    """The base of distributions with a parameter `probs` or `logits` (log-odds); the other one is computed."""

    _expanded: ClassVar[dict[str, int]] = {"probs": 0, "logits": 0, "_param": 0}

    def _take(self, probs: Any, logits: Any, **others: Any) -> Size:
        """Broadcast the one that is given with other parameters, and set `_param` to it."""
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        name, value = ("probs", probs) if logits is None else ("logits", logits)
        shape = self._spread(**others, **{name: value})
        self._param = getattr(self, name)
        return shape

    @lazy_property
    def logits(self) -> Tensor:
        """The log-odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter that was given."""
        return self._param.size()

    def _new(self, *args: Any, **kwargs: Any) -> Tensor:
        return self._param.new(*args, **kwargs)

    def _numbers(self, count: int, expand: bool) -> Tensor:
        """0, 1, ... along a new first dimension, for `enumerate_support`."""
        values = torch.arange(count, dtype=self._param.dtype).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values
