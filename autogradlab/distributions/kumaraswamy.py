"""The Kumaraswamy distribution (mirrors `torch.distributions.kumaraswamy`)."""

from __future__ import annotations

import math
from typing import Any

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import Shape
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .uniform import Uniform
from .utils import broadcast_all, euler_constant

__all__ = ["Kumaraswamy"]


def _moment(a: Any, b: Any, n: int) -> Any:
    """The mean of the n-th power."""
    first = 1 + n / a
    return b * torch.exp(torch.lgamma(first) + torch.lgamma(b) - torch.lgamma(first + b))


class Kumaraswamy(TransformedDistribution):
    """A distribution on (0, 1) similar to the beta distribution, whose quantiles have a closed form.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.Kumaraswamy(torch.tensor([1.0]), torch.tensor([1.0])).mean
        tensor([0.5000])

    Mirrors `torch.distributions.Kumaraswamy`.
    """

    arg_constraints: Any = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support: Any = constraints.unit_interval
    has_rsample = True
    concentration1: Any
    concentration0: Any

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        low, high = (torch.full_like(self.concentration0, edge) for edge in (0, 1))
        steps = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(Uniform(low, high, validate_args=validate_args), steps, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Kumaraswamy, _instance)
        new.concentration1 = self.concentration1.expand(batch_shape)
        new.concentration0 = self.concentration0.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    mean: Any = property(lambda self: _moment(self.concentration1, self.concentration0, 1))

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        logarithm = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        logarithm[(b < 1) | (a < 1)] = math.nan
        return torch.exp(logarithm)

    @property
    def variance(self) -> Tensor:
        return _moment(self.concentration1, self.concentration0, 2) - torch.pow(self.mean, 2)

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = torch.digamma(b + 1) + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - torch.log(a) - torch.log(b)
