"""The multivariate normal distribution (mirrors `torch.distributions.multivariate_normal`)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import Distribution, Shape
from .utils import _standard_normal, lazy_property

__all__ = ["MultivariateNormal"]


def times_vector(matrix: Tensor, vector: Tensor) -> Tensor:
    """Matrices times vectors, whose batches broadcast."""
    return torch.matmul(matrix, vector.unsqueeze(-1)).squeeze(-1)


def log_diagonal(factor: Tensor) -> Tensor:
    """The log of the determinant of a triangular factor: half that of its matrix."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def batch_mahalanobis(factor: Tensor, x: Tensor) -> Tensor:
    """The squared Mahalanobis distance of vectors, for a covariance given by its lower triangular factor. The batch of
    `x` may be larger than that of the factor, also within its dimensions."""
    n, batch = x.size(-1), x.shape[:-1]
    inner = factor.dim() - 2
    outer = len(batch) - inner
    split: tuple[int, ...] = batch[:outer]
    for of_factor, of_x in zip(factor.shape[:-2], x.shape[outer:-1], strict=True):
        split += (of_x // of_factor, of_factor)
    x = x.reshape(split + (n,))
    last = outer + 2 * inner
    x = x.permute([*range(outer), *range(outer, last, 2), *range(outer + 1, last, 2), last])
    flat = factor.reshape(-1, n, n)
    columns = x.reshape(-1, flat.size(0), n).permute(1, 2, 0)
    distance = torch.linalg.solve_triangular(flat, columns, upper=False).pow(2).sum(-2).t()
    distance = distance.reshape(x.shape[:-1])
    back = [dim for i in range(inner) for dim in (outer + i, outer + inner + i)]
    return distance.permute([*range(outer), *back]).reshape(batch)


def given_matrix(error: type[Exception], **matrices: Tensor | None) -> tuple[str, Tensor]:
    """The name and the value of the one matrix that is given. Errors: `error` for none or several."""
    given = [(name, matrix) for name, matrix in matrices.items() if matrix is not None]
    if len(given) != 1:
        raise error("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
    return given[0]


def triangular_factor(name: str, matrix: Tensor) -> Tensor:
    """The lower triangular factor of the covariance, from this matrix of that name."""
    if name == "scale_tril":
        return matrix
    factor: Tensor = torch.linalg.cholesky(matrix) if name == "covariance_matrix" else factor_of_inverse(matrix)
    return factor


def factor_of_inverse(precision: Tensor) -> Tensor:
    """The lower triangular factor of the inverse of a matrix."""
    flipped = torch.linalg.cholesky(torch.flip(precision, (-2, -1)))
    upper = torch.transpose(torch.flip(flipped, (-2, -1)), -2, -1)
    identity = torch.eye(precision.shape[-1], dtype=precision.dtype)
    return torch.linalg.solve_triangular(upper, identity, upper=False)


class MultivariateNormal(Distribution):
    """The normal distribution of vectors, with mean `loc` and one of: the covariance matrix, its inverse
    (`precision_matrix`), its lower triangular factor (`scale_tril`).

    Example:
        >>> import autogradlab as torch
        >>> normal = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
        >>> normal.log_prob(torch.zeros(2))
        tensor(-1.8379)

    Mirrors `torch.distributions.MultivariateNormal`.
    """

    arg_constraints: Any = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support: Any = constraints.real_vector
    has_rsample = True
    loc: Tensor
    _expanded: ClassVar[dict[str, int]] = {
        "loc": 1,
        "covariance_matrix": 2,
        "precision_matrix": 2,
        "scale_tril": 2,
    }

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = given_matrix(
            ValueError,
            covariance_matrix=covariance_matrix,
            precision_matrix=precision_matrix,
            scale_tril=scale_tril,
        )
        if matrix.dim() < 2:
            subject = name if name != "scale_tril" else "scale_tril matrix"
            raise ValueError(f"{subject} must be at least two-dimensional, with optional leading batch dimensions")
        batch = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand(batch + (-1, -1)))
        self.loc = loc.expand(batch + (-1,))
        super().__init__(batch, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = triangular_factor(name, matrix)

    def _broadcast(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower triangular factor of the covariance."""
        return self._broadcast(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        return self._broadcast(torch.matmul(self._unbroadcasted_scale_tril, self._unbroadcasted_scale_tril.mT))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        return self._broadcast(torch.cholesky_inverse(self._unbroadcasted_scale_tril))

    mean: Any = property(lambda self: self.loc)
    mode: Any = property(lambda self: self.loc)

    @property
    def variance(self) -> Tensor:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        normal = _standard_normal(self._extended_shape(sample_shape), self.loc.dtype, self.loc.device)
        return self.loc + times_vector(self._unbroadcasted_scale_tril, normal)

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        distance = batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        half_log_det = log_diagonal(self._unbroadcasted_scale_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - half_log_det

    def entropy(self) -> Tensor:
        half_log_det = log_diagonal(self._unbroadcasted_scale_tril)
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half_log_det
        return entropy.expand(self._batch_shape) if len(self._batch_shape) else entropy
