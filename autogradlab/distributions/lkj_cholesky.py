"""Factors of random correlation matrices (mirrors `torch.distributions.lkj_cholesky`)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Size, Tensor
from . import constraints
from .beta import Beta
from .distribution import Distribution, Shape

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """The Cholesky factors of `dim` x `dim` correlation matrices whose density is proportional to their determinant to
    the power of `concentration` - 1; with 1, all correlation matrices are equally likely.
    Errors: ValueError for a `dim` below 2.

    Example:
        >>> import autogradlab as torch
        >>> factors = torch.distributions.LKJCholesky(2, 1.0)
        >>> factors.log_prob(torch.eye(2))
        tensor(-0.6931)

    Mirrors `torch.distributions.LKJCholesky`.
    """

    arg_constraints: Any = {"concentration": constraints.positive}
    support: Any = constraints.corr_cholesky
    concentration: Tensor
    _expanded: ClassVar[dict[str, int]] = {"concentration": 0}

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        shape = self._spread(concentration=concentration)
        marginal = self.concentration + 0.5 * (dim - 2)
        row = torch.arange(dim - 1, dtype=self.concentration.dtype)
        row = torch.cat([row.new_zeros((1,)), row])
        self._beta = Beta(row + 0.5, marginal.unsqueeze(-1) - 0.5 * row)
        super().__init__(shape, Size((dim, dim)), validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(LKJCholesky, _instance)
        batch = Size(batch_shape)
        new.dim = self.dim
        new.concentration = self.concentration.expand(batch)
        new._beta = self._beta.expand(batch + (self.dim,))
        Distribution.__init__(new, batch, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        """Factors, row by row: a direction on a sphere, as long as the root of a beta number (the onion method)."""
        squares = self._beta.sample(sample_shape).unsqueeze(-1)
        normal = torch.randn(self._extended_shape(sample_shape), dtype=squares.dtype).tril(-1)
        direction = normal / normal.norm(dim=-1, keepdim=True)
        direction[..., 0, :].fill_(0.0)  # the first row has nothing below the diagonal
        factor = torch.sqrt(squares) * direction
        rest = 1 - torch.sum(factor**2, dim=-1)
        factor += torch.diag_embed(torch.clamp(rest, min=torch.finfo(factor.dtype).tiny).sqrt())
        return factor

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        powers = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - torch.arange(2, self.dim + 1)
        unnormalized = torch.sum(powers * diagonal.log(), dim=-1)
        rows = self.dim - 1
        alpha = self.concentration + 0.5 * rows
        bottom = torch.lgamma(alpha) * rows
        top = torch.mvlgamma(alpha - 0.5, rows)
        return unnormalized - (0.5 * rows * math.log(math.pi) + top - bottom)
