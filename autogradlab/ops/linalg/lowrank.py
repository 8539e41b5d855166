"""Decompositions of low rank, by random projections (mirrors `torch.svd_lowrank` and `torch.pca_lowrank`)."""

from __future__ import annotations

from typing import Any

from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from ...core.types import dtypes
from ..table.opdef import composite


def _basis(A: Tensor, q: int, niter: int) -> Tensor:
    """Orthonormal columns that span approximately what A maps to, by powers of A on q random vectors."""
    F = TENSORS
    kind = A.dtype if A.dtype.is_floating_point or A.dtype.is_complex else dtypes.get_default_dtype()
    drawn = F.randn((A.shape[-1], q), dtype=kind)
    Q = F.linalg_qr(A @ drawn)[0]
    for _ in range(niter):
        Q = F.linalg_qr(F.conj(F.transpose(A, -2, -1)) @ Q)[0]
        Q = F.linalg_qr(A @ Q)[0]
    return Q


@composite("svd_lowrank -> (Tensor, Tensor, Tensor)", method=False, reads="itself")
def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> Any:
    """
    sig: (A, q=6, niter=2, M=None)
    The largest q singular values of A, or of A - M, with their vectors, found from random projections.

    Shapes: (..., m, n) gives (..., m, q), (q), (..., n, q).
    Dtypes: float32 and float64, complex.

    >>> _ = torch.manual_seed(0)
    >>> U, S, V = torch.svd_lowrank(torch.diag(torch.tensor([3., 2., 1.])), q=2)
    >>> S
    tensor([2.9954, 1.9262])
    """
    F = TENSORS
    if M is not None:
        A = A - F.broadcast_to(M, A.shape)
    m, n = A.shape[-2:]
    q = 6 if q is None else q
    niter = 2 if niter is None else niter
    if m < n:
        A = F.conj(F.transpose(A, -2, -1))
    Q = _basis(A, q, niter)
    U, S, Vh = F.linalg_svd(F.conj(F.transpose(Q, -2, -1)) @ A, full_matrices=False)
    V = F.conj(F.transpose(Vh, -2, -1))
    U = Q @ U
    return (V, S, U) if m < n else (U, S, V)


@composite("pca_lowrank -> (Tensor, Tensor, Tensor)", method=False, reads="itself")
def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> Any:
    """
    sig: (A, q=None, center=True, niter=2)
    The principal components of the rows of A: svd_lowrank after the mean row was subtracted.

    Shapes: (..., m, n) gives (..., m, q), (q), (..., n, q).
    Dtypes: float32 and float64, complex.

    >>> _ = torch.manual_seed(0)
    >>> U, S, V = torch.pca_lowrank(torch.tensor([[1., 2.], [2., 4.], [3., 6.]]), q=1)
    >>> S
    tensor([3.1623])
    """
    F = TENSORS
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if not niter >= 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    if center:
        A = A - F.mean(A, (-2,), True)
    return svd_lowrank(A, q, niter)
