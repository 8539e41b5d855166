"""The Pareto distribution (mirrors `torch.distributions.pareto`)."""

from __future__ import annotations

from typing import Any

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import Shape
from .exponential import Exponential
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, ExpTransform

__all__ = ["Pareto"]


class Pareto(TransformedDistribution):
    """The Pareto distribution on [`scale`, inf) with exponent `alpha`.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.Pareto(torch.tensor([1.0]), torch.tensor([3.0])).mean
        tensor([1.5000])

    Mirrors `torch.distributions.Pareto`.
    """

    arg_constraints: Any = {"alpha": constraints.positive, "scale": constraints.positive}
    alpha: Tensor
    scale: Tensor

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self._spread(scale=scale, alpha=alpha)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(Exponential(self.alpha, validate_args=validate_args), transforms, validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Pareto, _instance)
        for name in ("scale", "alpha"):
            setattr(new, name, getattr(self, name).expand(batch_shape))
        return super().expand(batch_shape, new)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """The numbers from scale to infinity."""
        return constraints.greater_than_eq(self.scale)

    mode: Any = property(lambda self: self.scale)

    @property
    def mean(self) -> Tensor:
        alpha = self.alpha.clamp(min=1)
        return alpha * self.scale / (alpha - 1)

    @property
    def variance(self) -> Tensor:
        alpha = self.alpha.clamp(min=2)
        return self.scale.pow(2) * alpha / ((alpha - 1).pow(2) * (alpha - 2))

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())
