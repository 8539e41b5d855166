"""Transforms from unconstrained numbers to constrained sets (mirrors `torch.distributions.constraint_registry`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import constraints, transforms

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]

Factory = Callable[[Any], Any]


class ConstraintRegistry:
    """A table of the transforms that map unconstrained numbers to sets of each kind.

    Example:
        >>> import autogradlab as torch
        >>> to_positive = torch.distributions.transform_to(torch.distributions.constraints.positive)
        >>> to_positive(torch.tensor(0.0))
        tensor(1.)
    """

    def __init__(self) -> None:
        self._registry: dict[type, Factory] = {}

    def register(self, constraint: Any, factory: Factory | None = None) -> Any:
        """Register the factory of transforms for a kind of constraint; without a factory it is a decorator."""
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _above(constraint: Any) -> Any:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)]
    )


def _below(constraint: Any) -> Any:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)]
    )


def _between(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    unit = isinstance(low, (int, float)) and low == 0 and isinstance(high, (int, float)) and high == 1
    sigmoid = transforms.SigmoidTransform()
    return sigmoid if unit else transforms.ComposeTransform([sigmoid, transforms.AffineTransform(low, high - low)])


def _parts(registry: ConstraintRegistry) -> None:
    """The constraints of the parts of a composed constraint."""
    registry.register(
        constraints.independent,
        lambda c: transforms.IndependentTransform(registry(c.base_constraint), c.reinterpreted_batch_ndims),
    )
    registry.register(
        constraints.cat, lambda c: transforms.CatTransform([registry(each) for each in c.cseq], c.dim, c.lengths)
    )
    registry.register(
        constraints.stack, lambda c: transforms.StackTransform([registry(each) for each in c.cseq], c.dim)
    )


for _registry in (biject_to, transform_to):
    _parts(_registry)
    _registry.register(constraints.real, lambda _: transforms.identity_transform)
    for _bounded in (constraints.greater_than, constraints.greater_than_eq):
        _registry.register(_bounded, _above)
    _registry.register(constraints.less_than, _below)
    for _interval in (constraints.interval, constraints.half_open_interval):
        _registry.register(_interval, _between)
    _registry.register(constraints.corr_cholesky, lambda _: transforms.CorrCholeskyTransform())
biject_to.register(constraints.simplex, lambda _: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda _: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda _: transforms.LowerCholeskyTransform())
for _matrices in (constraints.positive_definite, constraints.positive_semidefinite):
    transform_to.register(_matrices, lambda _: transforms.PositiveDefiniteTransform())
