"""The Dirichlet distribution (mirrors `torch.distributions.dirichlet`)."""

from __future__ import annotations

from typing import Any, ClassVar

import autogradlab as torch

from ..core.recording.record import TENSORS
from ..core.tensor.tensor import Tensor
from ..nn.functional import one_hot
from . import constraints
from .distribution import Shape
from .exp_family import ExponentialFamily

__all__ = ["Dirichlet"]


class _Dirichlet(torch.autograd.Function):
    """Samples with the gradients of their beta marginals."""

    @staticmethod
    def forward(ctx: Any, concentration: Tensor) -> Tensor:
        x = TENSORS._sample_dirichlet(concentration)
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        x, concentration = ctx.saved_tensors
        total = concentration.sum(-1, True).expand_as(concentration)
        grad = TENSORS._dirichlet_grad(x, concentration, total)
        return grad * (grad_output - (x * grad_output).sum(-1, True))


class Dirichlet(ExponentialFamily):
    """Probabilities that sum to one along the last dimension, with the given concentration.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.Dirichlet(torch.tensor([1.0, 3.0])).mean
        tensor([0.2500, 0.7500])

    Mirrors `torch.distributions.Dirichlet`.
    """

    arg_constraints: Any = {"concentration": constraints.independent(constraints.positive, 1)}
    support: Any = constraints.simplex
    has_rsample = True
    concentration: Tensor
    _expanded: ClassVar[dict[str, int]] = {"concentration": 1}

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        shape = self.concentration
        return torch.xlogy(shape - 1.0, value).sum(-1) + torch.lgamma(shape.sum(-1)) - torch.lgamma(shape).sum(-1)

    mean: Any = property(lambda self: self.concentration / self.concentration.sum(-1, True))

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        at_corner = (self.concentration < 1).all(dim=-1)
        mode[at_corner] = one_hot(mode[at_corner].argmax(dim=-1), above.shape[-1]).to(mode)
        return mode

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self) -> Tensor:
        shape = self.concentration
        k, total = shape.size(-1), shape.sum(-1)
        return (
            torch.lgamma(shape).sum(-1)
            - torch.lgamma(total)
            - (k - total) * torch.digamma(total)
            - ((shape - 1.0) * torch.digamma(shape)).sum(-1)
        )

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.concentration,)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        (x,) = natural_params
        return x.lgamma().sum(-1) - torch.lgamma(x.sum(-1))
