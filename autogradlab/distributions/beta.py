"""The beta distribution (mirrors `torch.distributions.beta`)."""

from __future__ import annotations

from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .dirichlet import Dirichlet
from .distribution import Shape
from .exp_family import ExponentialFamily
from .utils import Number, broadcast_all

__all__ = ["Beta"]


class Beta(ExponentialFamily):
    """The beta distribution on (0, 1) with exponents `concentration1` - 1 of x and `concentration0` - 1 of 1 - x.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.Beta(torch.tensor([1.0]), torch.tensor([3.0])).mean
        tensor([0.2500])

    Mirrors `torch.distributions.Beta`.
    """

    arg_constraints: Any = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support: Any = constraints.unit_interval
    has_rsample = True
    _expanded: ClassVar[dict[str, int]] = {}

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        if isinstance(concentration1, Number) and isinstance(concentration0, Number):
            both = torch.tensor([float(concentration1), float(concentration0)])
        else:
            both = torch.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    concentration1: Any = property(lambda self: self._dirichlet.concentration[..., 0])
    concentration0: Any = property(lambda self: self._dirichlet.concentration[..., 1])
    mean: Any = property(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))
    mode: Any = property(lambda self: self._dirichlet.mode[..., 0])

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        return self._dirichlet.log_prob(torch.stack([value, 1.0 - value], -1))

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.concentration1, self.concentration0

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        x, y = natural_params
        return torch.lgamma(x) + torch.lgamma(y) - torch.lgamma(x + y)
