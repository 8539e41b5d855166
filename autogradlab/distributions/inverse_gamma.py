"""The inverse gamma distribution (mirrors `torch.distributions.inverse_gamma`)."""

from __future__ import annotations

import math
from typing import Any

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import Shape
from .gamma import Gamma
from .transformed_distribution import TransformedDistribution
from .transforms import PowerTransform

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """The reciprocal of a gamma variable.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.InverseGamma(torch.tensor([3.0]), torch.tensor([4.0])).mean
        tensor([2.])

    Mirrors `torch.distributions.InverseGamma`.
    """

    arg_constraints: Any = {"concentration": constraints.positive, "rate": constraints.positive}
    support: Any = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base: Any = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(InverseGamma, _instance))

    concentration: Any = property(lambda self: self.base_dist.concentration)
    rate: Any = property(lambda self: self.base_dist.rate)
    mode: Any = property(lambda self: self.rate / (self.concentration + 1))

    @property
    def mean(self) -> Tensor:
        result = self.rate / (self.concentration - 1)
        return torch.where(self.concentration > 1, result, math.inf)

    @property
    def variance(self) -> Tensor:
        a = self.concentration
        result = self.rate.square() / ((a - 1).square() * (a - 2))
        return torch.where(a > 2, result, math.inf)

    def entropy(self) -> Tensor:
        a: Any = self.concentration
        entropy: Tensor = a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()
        return entropy
