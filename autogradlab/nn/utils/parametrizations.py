"""Parametrizations: weights as direction and length, with largest singular value 1, orthogonal.

Mirrors `torch.nn.utils.parametrizations`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.grad_mode import no_grad
from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor, wrap
from ...core.types.info import finfo
from .. import functional as F
from ..functions.weights import norm_except
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module
from .parametrize import register_parametrization
from .weight_norm import weight_of

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    """g * v / |v|, with norms over all dimensions but one."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        """The weight of this length and direction."""
        return weight_of(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Length and direction of a weight."""
        return norm_except(weight, self.dim), weight


_MAPS = ("matrix_exp", "cayley", "householder")


def _reflectors(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Householder's reflectors of a QR decomposition, packed as LAPACK does, and their factors."""
    packed, tau = np.linalg.qr(matrix._array, mode="raw")
    return wrap(np.ascontiguousarray(packed.swapaxes(-2, -1))), wrap(tau)


def _columns(matrix: Tensor) -> Tensor:
    """An orthogonal matrix with the same span of its first columns, by QR."""
    packed, tau = _reflectors(matrix)
    signs = TENSORS.sgn(TENSORS.diagonal(packed, 0, -2, -1))
    return TENSORS.linalg_householder_product(packed, tau).mul_(TENSORS.unsqueeze(signs, -2))


def _is_orthogonal(matrix: Tensor) -> bool:
    n, k = matrix.shape[-2:]
    small = 10 * n * finfo(matrix.dtype).eps
    return bool(TENSORS.allclose(matrix.mH @ matrix, TENSORS.eye(k, dtype=matrix.dtype), atol=small))


class _Orthogonal(Module):
    """An orthogonal matrix (or one with orthonormal columns or rows) as a function of an unconstrained one."""

    base: Tensor

    def __init__(self, weight: Tensor, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        """The orthogonal matrix of any matrix."""
        wide = X.shape[-2] < X.shape[-1]
        if wide:
            X = X.mT
        n, k = X.shape[-2:]
        if self.orthogonal_map == "householder":
            A = TENSORS.tril(X, -1)
            tau = 2.0 / (1.0 + (A * A).sum(dim=-2))
            Q = TENSORS.linalg_householder_product(A, tau)
            Q = Q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            X = TENSORS.tril(X)
            if n != k:
                X = TENSORS.cat([X, X.new_zeros(n, n - k).expand(*X.shape[:-2], -1, -1)], dim=-1)
            A = X - X.mH
            if self.orthogonal_map == "matrix_exp":
                Q = TENSORS.matrix_exp(A)
            else:
                one = TENSORS.eye(n, dtype=A.dtype)
                Q = TENSORS.linalg_solve(TENSORS.add(one, A, alpha=-0.5), TENSORS.add(one, A, alpha=0.5))
            if n != k:
                Q = Q[..., :k]
        if hasattr(self, "base"):
            Q = self.base @ Q
        return Q.mT if wide else Q

    def right_inverse(self, Q: Tensor) -> Tensor:
        """A matrix for which `forward` gives `Q`."""
        with no_grad():
            return self._inverse(Q)

    def _inverse(self, Q: Tensor) -> Tensor:
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        given, wide = Q, Q.shape[-2] < Q.shape[-1]
        if wide:
            Q = Q.mT
        n, k = Q.shape[-2:]
        if not hasattr(self, "base"):
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            A, tau = _reflectors(Q)
            A.diagonal(dim1=-2, dim2=-1).sign_()
            A.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
            return A.mT if wide else A
        if n == k:
            self.base = Q.clone() if _is_orthogonal(Q) else _columns(Q)
        else:
            more = TENSORS.randn(*Q.shape[:-2], n, n - k, dtype=Q.dtype)
            self.base = _columns(TENSORS.cat([Q, more], dim=-1))
        minus_one = TENSORS.zeros_like(given)
        minus_one.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return minus_one


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Parametrize a module's weight as an orthogonal matrix: with orthonormal columns, or rows where it is wide.

    orthogonal_map: "matrix_exp", "cayley" or "householder".

    Errors: ValueError for a name that is not a tensor of the module, a vector, another map.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
        >>> torch.allclose(layer.weight.T @ layer.weight, torch.eye(3), atol=1e-5)
        True

    Mirrors `torch.nn.utils.parametrizations.orthogonal`.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in _MAPS:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    register_parametrization(module, name, made, unsafe=True)
    return module


class _SpectralNorm(Module):
    """The weight divided by its largest singular value, which is estimated by a step of power iteration in each
    training pass."""

    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        ndim = weight.ndim
        if dim >= ndim or dim < -ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._matrix(weight)
            rows, columns = matrix.shape
            u, v = (TENSORS.normal_(matrix.new_empty(n), 0, 1) for n in (rows, columns))
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._iterate(matrix, 15)

    def _matrix(self, weight: Tensor) -> Tensor:
        if self.dim:
            weight = TENSORS.permute(weight, [self.dim, *(d for d in range(weight.ndim) if d != self.dim)])
        return TENSORS.flatten(weight, 1)

    def _iterate(self, matrix: Tensor, times: int) -> None:
        with no_grad():
            for _ in range(times):
                TENSORS.copy_(self._u, F.normalize(TENSORS.mv(matrix, self._v), dim=0, eps=self.eps))
                TENSORS.copy_(self._v, F.normalize(TENSORS.mv(matrix.mH, self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        """The weight with largest singular value 1."""
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        u, v = TENSORS.clone(self._u), TENSORS.clone(self._v)
        return weight / TENSORS.vdot(u, TENSORS.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        """The value itself."""
        return value


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Parametrize a module's weight by its length (original0) and direction (original1).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(2, 3))
        >>> [(name, tuple(p.shape)) for name, p in layer.named_parameters()][1:]
        [('parametrizations.weight.original0', (3, 1)), ('parametrizations.weight.original1', (3, 2))]

    Mirrors `torch.nn.utils.parametrizations.weight_norm`.
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def old_names(state_dict: dict[str, Any], prefix: str, *_: Any) -> None:
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(old_names)
    return module


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Parametrize a module's weight: it is divided by its largest singular value.

    n_power_iterations: steps with which that value is estimated in each forward pass in training; eps: what the norms
    are at least; dim: the dimension of the outputs. Errors: ValueError for a name that is not a tensor of the module.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.Linear(2, 2, bias=False)
        >>> _ = layer.weight.data.copy_(torch.tensor([[3., 0.], [0., 1.]]))
        >>> layer = nn.utils.parametrizations.spectral_norm(layer, n_power_iterations=50)
        >>> layer.weight.detach()
        tensor([[1.0000, 0.0000],
                [0.0000, 0.3333]])
        >>> [name for name, _ in layer.named_parameters()]
        ['parametrizations.weight.original']

    Mirrors `torch.nn.utils.parametrizations.spectral_norm`.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = int(isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)))
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
