"""The multivariate normal distribution with a covariance of low rank and a diagonal (mirrors
`torch.distributions.lowrank_multivariate_normal`)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from . import constraints
from .distribution import Distribution, Shape
from .multivariate_normal import batch_mahalanobis, log_diagonal, times_vector
from .utils import _standard_normal, lazy_property

__all__ = ["LowRankMultivariateNormal"]


def _plus_identity(matrix: Tensor) -> Tensor:
    n = matrix.size(-1)
    matrix = matrix.contiguous()
    matrix.view(-1, n * n)[:, :: n + 1] += 1
    return matrix


def weighted(factor: Tensor, diagonal: Tensor) -> Tensor:
    """The transposed factor, its columns divided by the diagonal."""
    return factor.mT / diagonal.unsqueeze(-2)


class LowRankMultivariateNormal(Distribution):
    """The normal distribution of vectors whose covariance is cov_factor @ cov_factor.T plus the diagonal `cov_diag`.
    All that is solved or factored is a matrix of the size of the rank.
    Errors: ValueError for shapes that do not fit.

    Example:
        >>> import autogradlab as torch
        >>> factor, diagonal = torch.tensor([[1.0], [2.0]]), torch.ones(2)
        >>> torch.distributions.LowRankMultivariateNormal(torch.zeros(2), factor, diagonal).covariance_matrix
        tensor([[2., 2.],
                [2., 5.]])

    Mirrors `torch.distributions.LowRankMultivariateNormal`.
    """

    arg_constraints: Any = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support: Any = constraints.real_vector
    has_rsample = True
    _expanded: ClassVar[dict[str, int]] = {
        "loc": 1,
        "cov_factor": 2,
        "cov_diag": 1,
        "variance": 1,
        "scale_tril": 2,
        "covariance_matrix": 2,
        "precision_matrix": 2,
    }

    def __init__(self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
        if cov_diag.shape[-1:] != event:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
        try:
            columns = torch.broadcast_tensors(loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        except RuntimeError as error:
            shapes = f"loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            raise ValueError(f"Incompatible batch shapes: {shapes}") from error
        self.cov_factor = columns[1]
        self.loc, self.cov_diag = columns[0][..., 0], columns[2][..., 0]
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        gram = torch.matmul(weighted(cov_factor, cov_diag), cov_factor)
        self._capacitance_tril = torch.linalg.cholesky(_plus_identity(gram))
        super().__init__(self.loc.shape[:-1], event, validate_args=validate_args)

    mean: Any = property(lambda self: self.loc)
    mode: Any = property(lambda self: self.loc)

    def _broadcast(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def variance(self) -> Tensor:
        """The variance of each number."""
        diagonal = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return diagonal.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower triangular factor of the covariance."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        factor = self._unbroadcasted_cov_factor / root
        gram = _plus_identity(torch.matmul(factor, factor.mT))
        return self._broadcast(root * torch.linalg.cholesky(gram))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        factor = self._unbroadcasted_cov_factor
        return self._broadcast(torch.matmul(factor, factor.mT) + torch.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        solved = self._solved()
        inverse = torch.diag_embed(self._unbroadcasted_cov_diag.reciprocal())
        return self._broadcast(inverse - solved.mT @ solved)

    def _solved(self) -> Tensor:
        """The matrix whose square is what low rank takes from the inverse of the diagonal."""
        across = weighted(self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag)
        return torch.linalg.solve_triangular(self._capacitance_tril, across, upper=False)

    def log_det(self) -> Tensor:
        """The log of the determinant of the covariance."""
        return 2 * log_diagonal(self._capacitance_tril) + self._unbroadcasted_cov_diag.log().sum(-1)

    def distance(self, x: Tensor) -> Tensor:
        """The squared Mahalanobis distance of vectors from 0."""
        across = weighted(self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag)
        inner = times_vector(across, x)
        plain = (x.pow(2) / self._unbroadcasted_cov_diag).sum(-1)
        return plain - batch_mahalanobis(self._capacitance_tril, inner)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        of_factor = _standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc.dtype, self.loc.device)
        of_diagonal = _standard_normal(shape, self.loc.dtype, self.loc.device)
        drawn = self.loc + times_vector(self._unbroadcasted_cov_factor, of_factor)
        return drawn + self._unbroadcasted_cov_diag.sqrt() * of_diagonal

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        distance = self.distance(value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self.log_det() + distance)

    def entropy(self) -> Tensor:
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self.log_det())
        return entropy.expand(self._batch_shape) if len(self._batch_shape) else entropy
