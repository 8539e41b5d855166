"""The gamma distribution (mirrors `torch.distributions.gamma`)."""

from __future__ import annotations

from typing import Any, ClassVar

import autogradlab as torch

from ..core.recording.record import TENSORS
from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import Shape
from .exp_family import ExponentialFamily

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """The gamma distribution with shape `concentration` and inverse scale `rate`.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.Gamma(torch.tensor([2.0]), torch.tensor([4.0])).mean
        tensor([0.5000])

    Mirrors `torch.distributions.Gamma`.
    """

    arg_constraints: Any = {"concentration": constraints.positive, "rate": constraints.positive}
    support: Any = constraints.nonnegative
    has_rsample = True
    concentration: Tensor
    rate: Tensor
    _expanded: ClassVar[dict[str, int]] = {"concentration": 0, "rate": 0}
    _mean_carrier_measure: Any = 0

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._spread(concentration=concentration, rate=rate), validate_args=validate_args)

    mean: Any = property(lambda self: self.concentration / self.rate)
    mode: Any = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance: Any = property(lambda self: self.concentration / self.rate.pow(2))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        value = TENSORS._standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=torch.finfo(value.dtype).tiny)
        return value

    def log_prob(self, value: Any) -> Tensor:
        value = torch.as_tensor(value, dtype=self.rate.dtype)
        self._check(value)
        shape, rate = self.concentration, self.rate
        return torch.xlogy(shape, rate) + torch.xlogy(shape - 1, value) - rate * value - torch.lgamma(shape)

    def cdf(self, value: Any) -> Tensor:
        self._check(value)
        return torch.special.gammainc(self.concentration, self.rate * value)

    def entropy(self) -> Tensor:
        shape = self.concentration
        return shape - torch.log(self.rate) + torch.lgamma(shape) + (1.0 - shape) * torch.digamma(shape)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        x, y = natural_params
        return torch.lgamma(x + 1) + (x + 1) * torch.log(-y.reciprocal())
