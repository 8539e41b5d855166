"""Factors of matrices: Cholesky, QR, SVD, eigenvalues, LU; LAPACK's through NumPy, with PyTorch's derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.recording.record import TENSORS
from ...core.runtime.warn import warn_once
from ...core.tensor.tensor import Tensor, wrap
from ...core.types.dtypes import scalar_name
from ...core.types.return_types import named
from ...core.values.promotion import can_cast
from ..common.blas import adjoint, lift
from ..first.products import refuse_into, written_all
from ..table.opdef import composite, op
from ..table.outputs import EXPECTED, Out
from .factors import (
    check_info,
    columns,
    differences,
    floats,
    has_eigenvalues,
    is_complex,
    lapack,
    lu,
    matmul,
    matrices,
    on_diagonal,
    permutation_matrix,
    singular_values,
    square,
    substitute,
    weighted,
    zeros_or,
)

NOT_POSITIVE = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor of order "
    "{} is not positive-definite)."
)
_QR = named("qr", ("Q", "R"))
_SVD = named("svd", ("U", "S", "V"))
_LINALG_LU = named("linalg_lu", ("P", "L", "U"))


def _halved_triangle(n: int, upper: bool = False) -> np.ndarray:
    """Ones in a triangle, halves on its diagonal."""
    ones = np.triu(np.ones((n, n))) if upper else np.tril(np.ones((n, n)))
    return ones - np.eye(n) / 2


# -- Cholesky ----------------------------------------------------------------------------------------------------------


def _cholesky_backward(F: Any, grad: Any, factor: Any, upper: bool) -> Any:
    low, g = (adjoint(F, factor), adjoint(F, grad)) if upper else (factor, grad)
    phi = weighted(F, F.matmul(adjoint(F, low), g), _halved_triangle(low.shape[-1]))
    half = F.linalg_solve_triangular(adjoint(F, low), (phi + adjoint(F, phi)) * 0.5, upper=True)
    return adjoint(F, F.linalg_solve_triangular(adjoint(F, low), adjoint(F, half), upper=True))


def _cholesky(a: np.ndarray, upper: bool) -> tuple[np.ndarray, np.ndarray]:
    if upper:
        a = a.swapaxes(-1, -2).conj()
    info = np.zeros(a.shape[:-2], np.int32)
    try:
        factor = lapack(np.linalg.cholesky, a)
    except np.linalg.LinAlgError:
        factor = np.tril(a)
        flat, infos = factor.reshape(-1, *a.shape[-2:]), info.reshape(-1)
        for b, x in enumerate(flat):
            for k in range(1, len(x) + 1):
                try:
                    x[:k, :k] = lapack(np.linalg.cholesky, x[:k, :k])
                except np.linalg.LinAlgError:
                    infos[b] = k
                    break
                if k < len(x):
                    x[:k, :k] = np.tril(a.reshape(flat.shape)[b])[:k, :k]
    return columns(factor.swapaxes(-1, -2).conj() if upper else factor), info


@op(
    """
    linalg_cholesky_ex(Tensor input, *, bool upper=False, bool check_errors=False, Tensor[2] out=None) -> (Tensor L,
        Tensor info)|fp32|.default|.L
    """,
    method=False,
    function=False,
    outputs=("L", "info"),
    differentiable=1,
    returns=named("linalg_cholesky_ex", ("L", "info")),
    vjp={"input": lambda F, grad, L, upper: _cholesky_backward(F, grad, L, upper)},
    out=Out(exact=EXPECTED),
)
def linalg_cholesky_ex(
    input: np.ndarray, *, upper: bool = False, check_errors: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """cholesky, which says in info where it failed instead of raising.

    Shapes: (..., n, n) gives (..., n, n) and (...).
    Dtypes: float and complex; info is int32.

    >>> torch.linalg.cholesky_ex(torch.tensor([[1., 0.], [0., -1.]])).info
    tensor(2, dtype=torch.int32)
    """
    square("linalg.cholesky", input, kernel="cholesky_cpu")
    factor, info = _cholesky(input, upper)
    if check_errors:
        check_info("linalg.cholesky_ex", info, NOT_POSITIVE)
    return factor, info


@op(
    "cholesky(Tensor input, bool upper=False, *, Tensor out=None) -> Tensor|fp32",
    vjp={"input": lambda F, grad, result, upper: _cholesky_backward(F, grad, result, upper)},
    forwardless="cholesky",
)
def cholesky(input: np.ndarray, upper: bool = False) -> np.ndarray:
    """The triangular factor of positive definite matrices; linalg.cholesky is its successor.

    Shapes: (..., n, n).
    ~floats

    >>> torch.cholesky(torch.tensor([[4., 2.], [2., 3.]]))
    tensor([[2.0000, 0.0000],
            [1.0000, 1.4142]])
    """
    warn_once(
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch "
        "release.\nL = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = "
        "torch.cholesky(A, upper=True)\nshould be replaced with\nU = torch.linalg.cholesky(A).mH\nThis "
        "transform will produce equivalent results for all valid (symmetric positive definite) inputs.",
        at="aten/src/ATen/native/BatchLinearAlgebra.cpp:1765",
    )
    square("cholesky", input, kernel="cholesky_cpu", integers=True)
    factor, info = _cholesky(input, upper)
    check_info("cholesky", info, NOT_POSITIVE)
    return factor


# -- QR ----------------------------------------------------------------------------------------------------------------


def _qr_backward(F: Any, grads: list[Any], Q: Any, R: Any, mode: str) -> Any:
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
            "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr."
        )
    m, k, n = Q.shape[-2], R.shape[-2], R.shape[-1]
    if mode == "complete" and m > n:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
    g_q, g_r = zeros_or(F, grads[0], Q), zeros_or(F, grads[1], R)
    if n <= k:
        return _qr_tall(F, g_q, g_r, Q, R)
    left, right = F.slice(R, -1, 0, k, 1), F.slice(R, -1, k, n, 1)
    g_left, g_right = F.slice(g_r, -1, 0, k, 1), F.slice(g_r, -1, k, n, 1)
    g_q = g_q + matmul(F, Q, right, adjoint(F, g_right))
    return F.cat([_qr_tall(F, g_q, g_left, Q, left), F.matmul(Q, g_right)], -1)


def _qr_tall(F: Any, g_q: Any, g_r: Any, Q: Any, R: Any) -> Any:
    x = F.matmul(g_r, adjoint(F, R)) - F.matmul(adjoint(F, Q), g_q)
    x = weighted(F, x, _halved_triangle(R.shape[-1], upper=True))
    g = g_q + F.matmul(Q, x + adjoint(F, x))
    return adjoint(F, F.linalg_solve_triangular(R, adjoint(F, g), upper=True))


def _qr(a: np.ndarray, mode: str) -> tuple[np.ndarray, np.ndarray]:
    matrices("linalg.qr", a, kernel="geqrf_cpu")
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    if mode == "r":
        triangle: Any = np.linalg.qr(a, "r")
        return np.empty(0, a.dtype), columns(triangle)
    q, r = np.linalg.qr(a, mode)
    return columns(q), columns(r)


@op(
    'linalg_qr(Tensor A, str mode="reduced", *, Tensor[2] out=None) -> (Tensor Q, Tensor R)|fp32',
    method=False,
    function=False,
    outputs=("Q", "R"),
    returns=named("linalg_qr", ("Q", "R")),
    vjp={"A": _qr_backward},
    out=Out(exact=EXPECTED),
)
def linalg_qr(A: np.ndarray, mode: str = "reduced") -> tuple[np.ndarray, np.ndarray]:
    """A = Q R with orthonormal columns in Q and an upper triangular R; mode is 'reduced', 'complete' or 'r'.

    Shapes: (..., m, n) gives (..., m, k) and (..., k, n), k the smaller of m and n.
    ~floats

    >>> A = torch.tensor([[3., 1.], [4., 2.]])
    >>> Q, R = torch.linalg.qr(A)
    >>> torch.allclose(Q @ R, A)
    True
    """
    return _qr(A, mode)


@composite(
    "qr(Tensor input, bool some=True, *, Tensor[2] out=None) -> (Tensor Q, Tensor R)|fp32|.default|.Q",
    out=Out(exact=EXPECTED),
)
def qr(input: Tensor, some: bool = True, *, out: Any = None) -> Any:
    """A = Q R with orthonormal columns in Q and an upper triangular R; linalg.qr is its successor.

    Shapes: (..., m, n) gives (..., m, k) and (..., k, n), k the smaller of m and n.
    ~floats

    >>> torch.qr(torch.tensor([[2., 1.], [0., 3.]])).R.abs()
    tensor([[2., 1.],
            [0., 3.]])
    """
    line = 2505 if out is None else 2517  # of two functions, each of which warns once
    warn_once(
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch "
        "release.\nThe boolean "
        "parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould be "
        "replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
        at=f"aten/src/ATen/native/BatchLinearAlgebra.cpp:{line}",
        key=f"torch.qr {line}",
    )
    if out is not None:
        refuse_into("linalg_qr", out, input)
    r = _QR(TENSORS.linalg_qr(input, "reduced" if some else "complete"))
    return r if out is None else written_all(r, out)


# -- SVD ---------------------------------------------------------------------------------------------------------------


def _skew(F: Any, x: Any) -> Any:
    return x - adjoint(F, x)


def _svd_backward(
    F: Any, grads: list[Any], U: Any, S: Any, Vh: Any, full_matrices: bool, A_shape: tuple[int, ...]
) -> Any:
    g_u, g_s, g_vh = grads
    m, n = A_shape[-2:]
    k = min(m, n)
    if full_matrices and m != n:  # of the further vectors nothing can depend
        U, Vh = F.slice(U, -1, 0, k, 1), F.slice(Vh, -2, 0, k, 1)
        g_u = None if g_u is None else F.slice(g_u, -1, 0, k, 1)
        g_vh = None if g_vh is None else F.slice(g_vh, -2, 0, k, 1)
    if g_u is None and g_vh is None:
        if m >= n:
            return F.matmul(U, F.unsqueeze(g_s, -1) * Vh)
        return F.matmul(U * F.unsqueeze(g_s, -2), Vh)
    squares = S * S
    E = differences(F, squares)
    row, column = F.unsqueeze(S, -2), F.unsqueeze(S, -1)
    inner: Any = 0
    u_term = v_term = None
    if g_u is not None:
        u_term = _skew(F, F.matmul(adjoint(F, U), g_u))
        inner = u_term / E * row
    if g_vh is not None:
        v_term = _skew(F, F.matmul(Vh, adjoint(F, g_vh)))
        inner = inner + column * (v_term / E)
    if u_term is not None and v_term is not None and is_complex(U):
        inner = inner + weighted(F, u_term / (2 * row), np.eye(k))
    if g_s is not None:
        inner = inner + on_diagonal(F, g_s)
    g = matmul(F, U, inner, Vh)
    if m > k and g_u is not None:
        g = g + F.matmul((g_u - matmul(F, U, adjoint(F, U), g_u)) / row, Vh)
    if n > k and g_vh is not None:
        g = g + F.matmul(U / row, g_vh - matmul(F, g_vh, adjoint(F, Vh), Vh))
    return g


@op(
    """
    linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None, Tensor[3] out=None) -> (Tensor U, Tensor S,
        Tensor Vh)|fp32|.default|.U
    """,
    method=False,
    function=False,
    outputs=("U", "S", "Vh"),
    returns=named("linalg_svd", ("U", "S", "Vh")),
    vjp={"A": _svd_backward},
    shown={"A_shape": ""},
    constants={"S_sym_argsize_minus_1": lambda node: min(node.field("A_shape")[-2:])},
    out=Out(exact=EXPECTED, inner="_linalg_svd"),
)
def linalg_svd(
    A: np.ndarray, full_matrices: bool = True, *, driver: Any = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A = U diag(S) Vh with orthonormal columns of U and rows of Vh; S is descending.

    Shapes: (..., m, n) gives (..., m, m), (..., k) and (..., n, n); with full_matrices=False (..., m, k) and (...,
    k, n).
    Dtypes: float and complex; S is real.

    >>> torch.linalg.svd(torch.tensor([[3., 0.], [0., -4.]])).S
    tensor([4., 3.])
    """
    if driver is None or A.ndim < 2 or A.dtype.kind not in "fcV":
        matrices("linalg.svd", A, kernel="linalg_svd_cpu")
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )
    u, s, vh = singular_values(A, full_matrices)
    return columns(u), np.ascontiguousarray(s), columns(vh)


@composite(
    """
    svd(Tensor input, bool some=True, bool compute_uv=True, *, Tensor[3] out=None) -> (Tensor U, Tensor S,
        Tensor V)|fp32|.default|.U
    """,
    out=Out(exact=EXPECTED),
)
def svd(input: Tensor, some: bool = True, compute_uv: bool = True, *, out: Any = None) -> Any:
    """A = U diag(S) V^H; linalg.svd, which gives V^H, is its successor.

    Shapes: (..., m, n) gives (..., m, k), (..., k) and (..., n, k).
    ~floats

    >>> torch.svd(torch.tensor([[3., 0.], [0., -4.]])).S
    tensor([4., 3.])
    """
    F = TENSORS
    n = input._array.ndim
    if n < 2:
        raise RuntimeError(f"linalg.svd: input should have at least 2 dimensions, but has {n} dimensions instead")
    if out is not None:
        refuse_into("_linalg_svd", out, input)
    u, s, vh = F.linalg_svd(input, not some)
    if not compute_uv:
        m, n = input._array.shape[-2:]
        d = input._array.dtype
        u, v = (wrap(np.zeros((*input._array.shape[:-2], k, k), d)) for k in (m, n))
        v = F.transpose(wrap(np.zeros_like(v._array)), -2, -1)
    else:
        v = F.conj(F.transpose(vh, -2, -1))
    r = _SVD((u, s, v))
    return r if out is None else written_all(r, out)


# -- eigenvalues -------------------------------------------------------------------------------------------------------


def _eigh_backward(F: Any, grads: list[Any], eigenvalues: Any, eigenvectors: Any) -> Any:
    g_l, g_v = grads
    V = eigenvectors
    if g_v is None:
        return F.matmul(V * F.unsqueeze(g_l, -2), adjoint(F, V))
    n = V.shape[-1]
    inner = weighted(F, F.matmul(adjoint(F, V), g_v) / differences(F, eigenvalues), 1 - np.eye(n))
    if g_l is not None:
        inner = inner + on_diagonal(F, g_l)
    g = matmul(F, V, inner, adjoint(F, V))
    return (g + adjoint(F, g)) * 0.5


@op(
    """
    linalg_eigh(Tensor input, str UPLO="L", *,
        Tensor[2] out=None) -> (Tensor eigenvalues, Tensor eigenvectors)|fp32|.default|.eigvals
    """,
    "A",
    method=False,
    function=False,
    outputs=("eigenvalues", "eigenvectors"),
    returns=named("linalg_eigh", ("eigenvalues", "eigenvectors")),
    vjp={"A": _eigh_backward},
    out=Out(exact=EXPECTED, inner="_linalg_eigh"),
)
def linalg_eigh(A: np.ndarray, UPLO: str = "L") -> tuple[np.ndarray, np.ndarray]:
    """A = V diag(L) V^H for a symmetric (Hermitian) matrix; real eigenvalues, ascending. Reads one triangle of A.

    Shapes: (..., n, n) gives (..., n) and (..., n, n).
    Dtypes: float and complex; eigenvalues are real.

    >>> torch.linalg.eigh(torch.tensor([[2., 0.], [0., 1.]])).eigenvalues
    tensor([1., 2.])
    """
    square("linalg.eigh", A, kernel="linalg_eigh_cpu", integers=True)
    if UPLO not in ("L", "U", "l", "u"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    try:
        values, vectors = np.linalg.eigh(A, UPLO.upper())
    except np.linalg.LinAlgError:
        values, vectors = np.full(A.shape[:-1], np.nan, A.real.dtype), np.full_like(A, np.nan)
    return np.ascontiguousarray(values), columns(vectors)


def _eig_backward(F: Any, grads: list[Any], eigenvalues: Any, eigenvectors: Any) -> Any:
    g_l, g_v = grads
    V = eigenvectors
    Vh = adjoint(F, V)
    if g_v is None:
        return F.linalg_solve(Vh, F.unsqueeze(g_l, -1) * Vh)
    n = V.shape[-1]
    projected = F.matmul(Vh, g_v)
    diagonal = F.sum(weighted(F, projected, np.eye(n)), -2)
    real = (diagonal + F.conj(diagonal)) * 0.5
    inner = projected - F.matmul(Vh, V * F.unsqueeze(real, -2))
    inner = weighted(F, inner / F.conj(differences(F, eigenvalues)), 1 - np.eye(n))
    if g_l is not None:
        inner = inner + on_diagonal(F, g_l)
    return F.linalg_solve(Vh, F.matmul(inner, Vh))


def _takes_complex(input: Tensor, out: Sequence[Tensor]) -> None:
    found = input.dtype.to_complex()
    for t, name in zip(out, ("eigenvalues", "eigenvectors"), strict=True):
        if not can_cast(found.numpy, t.dtype.numpy):
            raise RuntimeError(
                f"torch.linalg.eig: Expected {name} to be safely castable from {scalar_name(found)} dtype, but got "
                f"{name} with dtype {scalar_name(t)}"
            )


@op(
    "linalg_eig(Tensor input, *, Tensor[2] out=None) -> (Tensor eigenvalues, Tensor eigenvectors)|fp32",
    method=False,
    function=False,
    outputs=("eigenvalues", "eigenvectors"),
    returns=named("linalg_eig", ("eigenvalues", "eigenvectors")),
    vjp={"input": _eig_backward},
    check_out=_takes_complex,
)
def linalg_eig(input: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A V = V diag(L) for any square matrix; complex, and in no given order.

    Shapes: (..., n, n) gives (..., n) and (..., n, n).
    Dtypes: float and complex; the results are complex.

    >>> torch.linalg.eig(torch.tensor([[2., 0.], [0., 3.]])).eigenvalues
    tensor([2.+0.j, 3.+0.j])
    """
    has_eigenvalues("linalg.eig", input)
    if not np.isfinite(input).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    values, vectors = np.linalg.eig(input)
    d = np.result_type(input.dtype, np.complex64)
    return values.astype(d), columns(vectors.astype(d))


# -- LU ----------------------------------------------------------------------------------------------------------------


def _lu_backward(F: Any, g_l: Any, g_u: Any, L: Any, U: Any, P: Any) -> Any:
    """The gradient of A = P L U. The part of a wide or tall A beyond the square comes first:
    it passes gradients on to the square part."""
    m, n, k = L.shape[-2], U.shape[-1], L.shape[-1]
    part = lambda x, dim, low, high: F.slice(x, dim, low, high, 1)
    more = None
    if n > k:
        more = F.linalg_solve_triangular(adjoint(F, L), part(g_u, -1, k, n), upper=True)
        g_l, g_u = g_l - F.matmul(more, adjoint(F, part(U, -1, k, n))), part(g_u, -1, 0, k)
        U = part(U, -1, 0, k)
    elif m > k:
        more = F.linalg_solve_triangular(adjoint(F, U), part(g_l, -2, k, m), upper=False, left=False)
        g_u, g_l = g_u - F.matmul(adjoint(F, part(L, -2, k, m)), more), part(g_l, -2, 0, k)
        L = part(L, -2, 0, k)
    inner = weighted(F, F.matmul(adjoint(F, L), g_l), np.tril(np.ones((k, k)), -1)) + weighted(
        F, F.matmul(g_u, adjoint(F, U)), np.triu(np.ones((k, k)))
    )
    x = F.linalg_solve_triangular(adjoint(F, L), inner, upper=True)
    x = adjoint(F, F.linalg_solve_triangular(U, adjoint(F, x), upper=True))
    if more is not None:
        x = F.cat([x, more], -1 if n > k else -2)
    return x if P.ndim < 2 else F.matmul(P, x)


def _parts(F: Any, LU: Any) -> Any:
    """L and U out of the one matrix that holds both."""
    m, n = LU.shape[-2:]
    k = min(m, n)
    low, high = np.tril(np.ones((m, k)), -1), np.triu(np.ones((k, n)))
    L = weighted(F, F.slice(LU, -1, 0, k, 1), low) + lift(F, np.eye(m, k).astype(_dtype(LU)))
    return L, weighted(F, F.slice(LU, -2, 0, k, 1), high)


def _permuted(F: Any, pivots: Any, m: int, d: Any) -> Any:
    return lift(F, permutation_matrix(pivots._array if isinstance(pivots, Tensor) else pivots, m, d))


def _lu_factor_backward(F: Any, grad: Any, LU: Any, pivots: Any) -> Any:
    m, n = LU.shape[-2:]
    k = min(m, n)
    g_l, g_u = F.slice(grad, -1, 0, k, 1), F.slice(grad, -2, 0, k, 1)
    g_l, g_u = weighted(F, g_l, np.tril(np.ones((m, k)), -1)), weighted(F, g_u, np.triu(np.ones((k, n))))
    L, U = _parts(F, LU)
    return _lu_backward(F, g_l, g_u, L, U, _permuted(F, pivots, m, _dtype(LU)))


def _dtype(x: Any) -> Any:
    return x._array.dtype if isinstance(x, Tensor) else x.dtype


@op(
    """
    linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False, Tensor[3] out=None) -> (Tensor LU,
        Tensor pivots, Tensor info)
    """,
    method=False,
    function=False,
    outputs=("LU", "pivots", "info"),
    differentiable=1,
    returns=named("linalg_lu_factor_ex", ("LU", "pivots", "info")),
    vjp={"A": _lu_factor_backward},
    also=("pivot",),
    out=Out(exact=EXPECTED),
)
def linalg_lu_factor_ex(
    A: np.ndarray, *, pivot: bool = True, check_errors: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """lu_factor, which says in info whether it failed instead of raising.

    Shapes: (..., m, n) gives (..., m, n), (..., k) and (...).
    ~floats

    >>> torch.linalg.lu_factor_ex(torch.tensor([[0., 2.], [4., 6.]])).pivots
    tensor([2, 2], dtype=torch.int32)
    """
    if A.ndim < 2:
        raise RuntimeError(
            f"torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead"
        )
    matrices("torch.linalg.lu_factor", A, kernel="lu_cpu", integers=True)
    factors, pivots, info = lu(A, pivot)
    if check_errors and info.any():
        k = info.reshape(-1)[np.flatnonzero(info)[0]]
        where = f"(Batch element {np.flatnonzero(info)[0]}): " if info.ndim else ""
        raise RuntimeError(
            f"torch.linalg.lu_factor: {where}U[{k},{k}] is zero and using it on lu_solve would result in a division "
            "by zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
            "linalg.lu_factor_ex(A, pivot)"
        )
    return columns(factors), pivots, info


def _lu_full_backward(F: Any, grads: list[Any], L: Any, U: Any, P: Any) -> Any:
    return _lu_backward(F, zeros_or(F, grads[0], L), zeros_or(F, grads[1], U), L, U, P)


def _lu_result(made: Any) -> Any:
    return _LINALG_LU((made[2], made[0], made[1]))


# P has no gradient, so it comes last among the results and first among what is returned
@op(
    "linalg_lu(Tensor A, *, bool pivot=True, Tensor[3] out=None) -> (Tensor P, Tensor L, Tensor U)",
    method=False,
    function=False,
    outputs=("L", "U", "P"),
    differentiable=2,
    returns=_lu_result,
    vjp={"A": _lu_full_backward},
    also=("pivot",),
    out=Out(exact=EXPECTED),
)
def linalg_lu(A: np.ndarray, *, pivot: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A = P L U: a permutation, a lower and an upper triangular matrix.

    Shapes: (..., m, n) gives (..., m, m), (..., m, k) and (..., k, n).
    ~floats

    >>> P, L, U = torch.linalg.lu(torch.tensor([[0., 2.], [4., 6.]]))
    >>> P
    tensor([[0., 1.],
            [1., 0.]])
    >>> L @ U
    tensor([[4., 6.],
            [0., 2.]])
    """
    if A.ndim < 2:
        raise RuntimeError(f"linalg.lu: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead")
    matrices("linalg.lu", A, kernel="lu_cpu", integers=True)
    factors, pivots, _ = lu(A, pivot)
    m, n = A.shape[-2:]
    k = min(m, n)
    low = np.tril(factors[..., :, :k], -1) + np.eye(m, k, dtype=A.dtype)
    matrix = np.ascontiguousarray(permutation_matrix(pivots, m, A.dtype)) if pivot else np.empty(0, A.dtype)
    return low, np.triu(factors[..., :k, :]), matrix


def _lu_solve_backward(
    F: Any, grad: Any, LU: Any, pivots: Any, result: Any, left: bool, adjoint: bool, needs: list[Any]
) -> list[Any]:
    if not left:  # X A = B is A^H X^H = B^H
        H = lambda x: F.conj(F.transpose(x, -2, -1))
        g_lu, g_b = _lu_solve_backward(F, H(grad), LU, pivots, H(result), True, not adjoint, needs)
        return [g_lu, None if g_b is None else H(g_b)]
    g_b = F.linalg_lu_solve(LU, pivots, grad, left=True, adjoint=not adjoint) if needs[1] else None
    return [_lu_solve_by_factors(F, grad, LU, pivots, result, adjoint) if needs[0] else None, g_b]


def _lu_solve_by_factors(F: Any, grad: Any, LU: Any, pivots: Any, X: Any, conjugate: bool) -> Any:
    n = LU.shape[-1]
    low, high = np.tril(np.ones((n, n)), -1), np.triu(np.ones((n, n)))
    L, U = _parts(F, LU)
    H = lambda x: F.conj(F.transpose(x, -2, -1))
    solve = F.linalg_solve_triangular
    if not conjugate:
        r = -F.matmul(solve(H(U), grad, upper=False), H(X))
        return weighted(F, r, high) + weighted(F, solve(H(L), F.matmul(r, H(U)), upper=True, unitriangular=True), low)
    P = _permuted(F, pivots, n, _dtype(LU))
    z = F.matmul(F.transpose(P, -2, -1), X)
    t = solve(L, F.matmul(F.transpose(P, -2, -1), grad), upper=False, unitriangular=True)
    s = solve(U, t, upper=True)
    return -weighted(F, F.matmul(F.matmul(H(L), z), H(s)), high) - weighted(F, F.matmul(z, H(t)), low)


@op(
    """
    linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False,
        Tensor out=None) -> Tensor
    """,
    method=False,
    function=False,
    vjp={
        "LU B": lambda F, grad, LU, pivots, result, left, adjoint, needs: _lu_solve_backward(
            F, grad, LU, pivots, result, left, adjoint, needs
        ),
    },
    shown={"LU": "LU"},
    out=Out(exact=EXPECTED),
)
def linalg_lu_solve(
    LU: np.ndarray, pivots: np.ndarray, B: Any, *, left: bool = True, adjoint: bool = False
) -> np.ndarray:
    """The X with A X = B, given lu_factor's results for A.

    Shapes: (..., n, n), (..., n) and (..., n, k) give (..., n, k).
    ~floats

    >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[2., 0.], [0., 4.]]))
    >>> torch.linalg.lu_solve(LU, pivots, torch.tensor([[2.], [2.]]))
    tensor([[1.0000],
            [0.5000]])
    """
    floats("torch.linalg.lu_solve", LU, low=False)
    if LU.dtype != B.dtype:
        raise RuntimeError(
            "linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type "
            f"{scalar_name(LU)} and B of type {scalar_name(B)} instead"
        )
    if pivots.dtype != np.int32:
        raise RuntimeError("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    square("torch.linalg.lu_solve", LU, kernel="linalg.lu_solve_cpu")
    n = LU.shape[-1]
    if B.shape[-2 if left else -1] != n:
        raise RuntimeError(
            f"linalg.lu_solve: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({n}x{n} and {B.shape[-2]}x{B.shape[-1]})"
        )
    _check_pivots(LU, pivots)
    H = lambda x: x.swapaxes(-1, -2).conj()
    if not left:
        return np.ascontiguousarray(H(_lu_solved(LU, pivots, H(B), not adjoint)))
    return columns(_lu_solved(LU, pivots, B, adjoint))


def _check_pivots(LU: np.ndarray, pivots: np.ndarray) -> None:
    if pivots.shape[-1:] != LU.shape[-1:]:
        raise RuntimeError("linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix")
    if pivots.shape != LU.shape[:-1]:
        raise RuntimeError(
            "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.shape)} instead"
        )
    for wrong, word in (
        (pivots < 1, "greater or equal to 1"),
        (pivots > LU.shape[-2], "smaller or equal to LU.size(-2)"),
    ):
        if wrong.any():
            raise RuntimeError(
                f"Pivots given to lu_solve must all be {word}. Did you properly pass the result of lu_factor?"
            )


def _lu_solved(LU: np.ndarray, pivots: np.ndarray, B: np.ndarray, conjugate: bool) -> np.ndarray:
    P = permutation_matrix(pivots, LU.shape[-1], LU.dtype)
    if conjugate:
        H = LU.swapaxes(-1, -2).conj()
        return np.matmul(P, substitute(H, substitute(H, B, False), True, True))
    return substitute(LU, substitute(LU, np.matmul(P.swapaxes(-1, -2), B), False, True), True)
