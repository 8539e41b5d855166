"""The Poisson distribution (mirrors `torch.distributions.poisson`)."""

from __future__ import annotations

from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import Shape
from .exp_family import ExponentialFamily
from .utils import broadcast_all

__all__ = ["Poisson"]


class Poisson(ExponentialFamily):
    """The number of events in a period in which `rate` events are expected.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.Poisson(torch.tensor([4.0])).log_prob(torch.tensor([3.0]))
        tensor([-1.6329])

    Mirrors `torch.distributions.Poisson`.
    """

    arg_constraints: Any = {"rate": constraints.nonnegative}
    support: Any = constraints.nonnegative_integer
    rate: Tensor
    _expanded: ClassVar[dict[str, int]] = {"rate": 0}

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._spread(rate=rate), validate_args=validate_args)

    mean: Any = property(lambda self: self.rate)
    mode: Any = property(lambda self: self.rate.floor())
    variance: Any = property(lambda self: self.rate)

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        with torch.no_grad():
            return torch.poisson(self.rate.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (torch.log(self.rate),)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        return torch.exp(natural_params[0])
