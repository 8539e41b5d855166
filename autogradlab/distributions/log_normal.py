"""The log-normal distribution (mirrors `torch.distributions.log_normal`)."""

from __future__ import annotations

from typing import Any

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import Shape
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform

__all__ = ["LogNormal"]


class LogNormal(TransformedDistribution):
    """The exponential of a normal variable with mean `loc` and standard deviation `scale`.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.LogNormal(torch.tensor([0.0]), torch.tensor([1.0])).mean
        tensor([1.6487])

    Mirrors `torch.distributions.LogNormal`.
    """

    arg_constraints: Any = {"loc": constraints.real, "scale": constraints.positive}
    support: Any = constraints.positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(LogNormal, _instance))

    loc: Any = property(lambda self: self.base_dist.loc)
    scale: Any = property(lambda self: self.base_dist.scale)
    mean: Any = property(lambda self: (self.loc + self.scale.pow(2) / 2).exp())
    mode: Any = property(lambda self: (self.loc - self.scale.square()).exp())

    @property
    def variance(self) -> Tensor:
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc
