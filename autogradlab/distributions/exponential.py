"""The exponential distribution (mirrors `torch.distributions.exponential`)."""

from __future__ import annotations

from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import Shape
from .exp_family import ExponentialFamily

__all__ = ["Exponential"]


class Exponential(ExponentialFamily):
    """The waiting time to the next event, where `rate` events are expected in a unit of time.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.Exponential(torch.tensor([2.0])).mean
        tensor([0.5000])

    Mirrors `torch.distributions.Exponential`.
    """

    arg_constraints: Any = {"rate": constraints.positive}
    support: Any = constraints.nonnegative
    has_rsample = True
    rate: Tensor
    _expanded: ClassVar[dict[str, int]] = {"rate": 0}
    _mean_carrier_measure: Any = 0

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._spread(rate=rate), validate_args=validate_args)

    mean: Any = property(lambda self: self.rate.reciprocal())
    mode: Any = property(lambda self: torch.zeros_like(self.rate))
    stddev: Any = property(lambda self: self.rate.reciprocal())
    variance: Any = property(lambda self: self.rate.pow(-2))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self.rate.new(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value: Any) -> Tensor:
        self._check(value)
        return 1 - torch.exp(-self.rate * value)

    def icdf(self, value: Any) -> Tensor:
        return -torch.log1p(-value) / self.rate

    def entropy(self) -> Tensor:
        return 1.0 - torch.log(self.rate)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (-self.rate,)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        return -torch.log(-natural_params[0])
