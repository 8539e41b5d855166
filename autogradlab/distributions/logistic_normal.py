"""The logistic normal distribution (mirrors `torch.distributions.logistic_normal`)."""

from __future__ import annotations

from typing import Any

from . import constraints
from .distribution import Shape
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .transforms import StickBreakingTransform

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """Normal vectors with D elements mapped to D + 1 probabilities by stick breaking.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.LogisticNormal(torch.zeros(2), torch.ones(2)).sample().shape
        torch.Size([3])

    Mirrors `torch.distributions.LogisticNormal`.
    """

    arg_constraints: Any = {"loc": constraints.real, "scale": constraints.positive}
    support: Any = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base: Any = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(LogisticNormal, _instance))

    loc: Any = property(lambda self: self.base_dist.base_dist.loc)
    scale: Any = property(lambda self: self.base_dist.base_dist.scale)
