"""The Weibull distribution (mirrors `torch.distributions.weibull`)."""

from __future__ import annotations

from typing import Any

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import Shape
from .exponential import Exponential
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform, Transform
from .utils import euler_constant

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """The Weibull distribution with scale and shape (`concentration`).

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.Weibull(torch.tensor([1.0]), torch.tensor([2.0])).mean
        tensor([0.8862])

    Mirrors `torch.distributions.Weibull`.
    """

    arg_constraints: Any = {"scale": constraints.positive, "concentration": constraints.positive}
    support: Any = constraints.positive
    scale: Tensor
    concentration: Tensor

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self._spread(scale=scale, concentration=concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(torch.ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, self._transforms(), validate_args=validate_args)

    def _transforms(self) -> list[Transform]:
        """From the standard exponential distribution to this one."""
        return [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Weibull, _instance)
        new.scale = self.scale.expand(batch_shape)
        new.concentration = self.concentration.expand(batch_shape)
        new.concentration_reciprocal = new.concentration.reciprocal()
        base = self.base_dist.expand(batch_shape)
        TransformedDistribution.__init__(new, base, new._transforms(), validate_args=False)
        new._validate_args = self._validate_args
        return new

    mean: Any = property(lambda self: self.scale * torch.exp(torch.lgamma(1 + self.concentration_reciprocal)))

    @property
    def mode(self) -> Tensor:
        shape = self.concentration
        return self.scale * ((shape - 1) / shape) ** shape.reciprocal()

    @property
    def variance(self) -> Tensor:
        inverse = self.concentration_reciprocal
        second = torch.exp(torch.lgamma(1 + 2 * inverse))
        return self.scale.pow(2) * (second - torch.exp(2 * torch.lgamma(1 + inverse)))

    def entropy(self) -> Tensor:
        inverse = self.concentration_reciprocal
        return euler_constant * (1 - inverse) + torch.log(self.scale * inverse) + 1
