"""The Wishart distribution of covariance matrices (mirrors `torch.distributions.wishart`)."""

from __future__ import annotations

import math
import warnings
from typing import Any

import autogradlab as torch

from ..core.tensor.tensor import Size, Tensor
from . import constraints
from .chi2 import Chi2
from .distribution import Distribution, Shape
from .exp_family import ExponentialFamily
from .multivariate_normal import given_matrix, log_diagonal, triangular_factor
from .utils import Number, lazy_property

__all__ = ["Wishart"]

_LOG_2 = math.log(2)


class Wishart(ExponentialFamily):
    """The sum of `df` outer products of normal vectors; their covariance is given as one of: the matrix, its inverse
    (`precision_matrix`), its lower triangular factor (`scale_tril`).
    Errors: ValueError for a `df` that is not above the size of the matrix minus one.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.Wishart(torch.tensor(3.0), covariance_matrix=torch.eye(2)).mean
        tensor([[3., 0.],
                [0., 3.]])

    Mirrors `torch.distributions.Wishart`.
    """

    support: Any = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure: Any = 0
    _MATRICES = ("covariance_matrix", "scale_tril", "precision_matrix")

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    def __init__(
        self,
        df: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        name, matrix = given_matrix(
            AssertionError,
            covariance_matrix=covariance_matrix,
            precision_matrix=precision_matrix,
            scale_tril=scale_tril,
        )
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        if isinstance(df, Number):
            batch = Size(matrix.shape[:-2])
            self.df = torch.tensor(df, dtype=matrix.dtype)
        else:
            batch = torch.broadcast_shapes(matrix.shape[:-2], df.shape)
            self.df = df.expand(batch)
        event = matrix.shape[-2:]
        if self.df.le(event[-1] - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {event[-1] - 1}.")
        setattr(self, name, matrix.expand(batch + (-1, -1)))
        if self.df.lt(event[-1]).any():
            warnings.warn(
                "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                stacklevel=2,
            )
        super().__init__(batch, event, validate_args=validate_args)
        self._unbroadcasted_scale_tril = triangular_factor(name, matrix)
        self._prepare()

    def _prepare(self) -> None:
        """The dimensions of the batch, and the distribution of the squares on the diagonal of a sample's factor."""
        self._batch_dims = [-(dim + 1) for dim in range(len(self._batch_shape))]
        below = torch.arange(self._event_shape[-1], dtype=self._unbroadcasted_scale_tril.dtype)
        self._dist_chi2 = Chi2(df=self.df.unsqueeze(-1) - below.expand(self._batch_shape + (-1,)))

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Wishart, _instance)
        batch = Size(batch_shape)
        for name in ("_unbroadcasted_scale_tril", *self._MATRICES):
            if name in vars(self):
                setattr(new, name, getattr(self, name).expand(batch + self.event_shape))
        new.df = self.df.expand(batch)
        Distribution.__init__(new, batch, self.event_shape, validate_args=False)
        new._prepare()
        new._validate_args = self._validate_args
        return new

    def _broadcast(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The lower triangular factor of the covariance."""
        return self._broadcast(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        factor = self._unbroadcasted_scale_tril
        return self._broadcast(factor @ factor.transpose(-2, -1))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        identity = torch.eye(self._event_shape[-1], dtype=self._unbroadcasted_scale_tril.dtype)
        return self._broadcast(torch.cholesky_solve(identity, self._unbroadcasted_scale_tril))

    @property
    def mean(self) -> Tensor:
        return self.df.view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor[factor <= 0] = math.nan
        return factor.view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        squares = covariance.pow(2) + torch.einsum("...i,...j->...ij", diagonal, diagonal)
        return self.df.view(self._batch_shape + (1, 1)) * squares

    def _bartlett(self, sample_shape: Shape) -> Tensor:
        """Matrices by Bartlett's decomposition: chi-squared numbers on the diagonal, normal ones below it."""
        size = self._event_shape[-1]
        roots = self._dist_chi2.rsample(sample_shape).sqrt()
        noise = roots.clamp(min=torch.finfo(roots.dtype).eps).diag_embed(dim1=-2, dim2=-1)
        i, j = torch.tril_indices(size, size, offset=-1)
        count = size * (size - 1) // 2
        noise[..., i, j] = torch.randn(Size(sample_shape) + self._batch_shape + (count,), dtype=noise.dtype)
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.transpose(-2, -1)

    def _over_batch(self, mask: Tensor) -> Tensor:
        return mask.amax(self._batch_dims) if self._batch_shape else mask

    def rsample(self, sample_shape: Shape = (), max_try_correction: int | None = None) -> Tensor:
        """Samples through which gradients flow to the parameters; those taken for singular are drawn again,
        at most `max_try_correction` times (10)."""
        sample = self._bartlett(Size(sample_shape))
        again = self._over_batch(self.support.check(sample))  # without a not, as in PyTorch
        if again.any():
            warnings.warn("Singular sample detected.", stacklevel=2)
            for _ in range(10 if max_try_correction is None else max_try_correction):
                drawn = self._bartlett(again[again].shape)
                sample[again] = drawn
                again[again.clone()] = self._over_batch(~self.support.check(drawn))
                if not again.any():
                    break
        return sample

    def log_prob(self, value: Any) -> Tensor:
        self._check(value)
        nu, p = self.df, self._event_shape[-1]
        factor = self._unbroadcasted_scale_tril
        start = -nu * (p * _LOG_2 / 2 + log_diagonal(factor)) - torch.mvlgamma(nu / 2, p=p)
        determinant = (nu - p - 1) / 2 * torch.linalg.slogdet(value).logabsdet
        trace = torch.cholesky_solve(value, factor).diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        return start + determinant - trace / 2

    def entropy(self) -> Tensor:
        nu, p = self.df, self._event_shape[-1]
        start = (p + 1) * (p * _LOG_2 / 2 + log_diagonal(self._unbroadcasted_scale_tril))
        return start + torch.mvlgamma(nu / 2, p=p) - (nu - p - 1) / 2 * _mvdigamma(nu / 2, p) + nu * p / 2

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        x, y = natural_params
        p = self._event_shape[-1]
        determinant = -torch.linalg.slogdet(-2 * x).logabsdet + _LOG_2 * p
        return (y + (p + 1) / 2) * determinant + torch.mvlgamma(y + (p + 1) / 2, p=p)


def _mvdigamma(x: Tensor, p: int) -> Tensor:
    """The derivative of the log of the multivariate gamma function."""
    steps = torch.arange(p, dtype=x.dtype).div(2).expand(x.shape + (-1,))
    return torch.digamma(x.unsqueeze(-1) - steps).sum(-1)
