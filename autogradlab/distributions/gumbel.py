"""The Gumbel distribution (mirrors `torch.distributions.gumbel`)."""

from __future__ import annotations

import math
from typing import Any

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import Shape
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, ExpTransform
from .uniform import Uniform
from .utils import Number, euler_constant

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """The limiting distribution of the maximum of many samples, with mode `loc` and scale `scale`.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.Gumbel(torch.tensor([1.0]), torch.tensor([2.0])).mean
        tensor([2.1544])

    Mirrors `torch.distributions.Gumbel`.
    """

    arg_constraints: Any = {"loc": constraints.real, "scale": constraints.positive}
    support: Any = constraints.real
    loc: Tensor
    scale: Tensor

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._spread(loc=loc, scale=scale)
        limits = torch.finfo(self.loc.dtype)
        low: Any = limits.tiny
        high: Any = 1 - limits.eps
        if not (isinstance(loc, Number) and isinstance(scale, Number)):
            low, high = torch.full_like(self.loc, low), torch.full_like(self.loc, high)
        transforms = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-torch.ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=loc, scale=-self.scale),
        ]
        super().__init__(Uniform(low, high, validate_args=validate_args), transforms, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Gumbel, _instance)
        for name in ("loc", "scale"):
            setattr(new, name, getattr(self, name).expand(batch_shape))
        return super().expand(batch_shape, new)

    mean: Any = property(lambda self: self.loc + self.scale * euler_constant)
    mode: Any = property(lambda self: self.loc)
    stddev: Any = property(lambda self: (math.pi / math.sqrt(6)) * self.scale)
    variance: Any = property(lambda self: self.stddev.pow(2))

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)
