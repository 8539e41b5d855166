"""Factors of matrices: Cholesky, QR, SVD, eigenvalues, LU; LAPACK's through NumPy, with PyTorch's derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...core.recording.record import TENSORS
from ...core.runtime.warn import warn_once
from ...core.tensor.tensor import Tensor, wrap
from ...core.types.dtypes import scalar_name
from ...core.types.return_types import named
from ...core.values.promotion import can_cast
from ..common.blas import adjoint
from ..first.products import refuse_into, written_all
from ..table.opdef import composite, op
from ..table.outputs import EXPECTED, Out, safe
from .factors import (
    check_info,
    columns,
    differences,
    floats,
    has_eigenvalues,
    is_complex,
    known,
    lapack,
    lu,
    matmul,
    matrices,
    permutation_matrix,
    plain,
    singular_values,
    square,
    substitute,
    symmetric_eigen,
)

NOT_POSITIVE = (
    "The factorization could not be completed because the input is not positive-definite (the leading minor of order "
    "{} is not positive-definite)."
)
_QR = named("qr", ("Q", "R"))
_SVD = named("svd", ("U", "S", "V"))
_LINALG_LU = named("linalg_lu", ("P", "L", "U"))


# -- Cholesky ----------------------------------------------------------------------------------------------------------


def _cholesky_backward(F: Any, grad: Any, factor: Any, upper: bool) -> Any:
    low, g = (adjoint(F, factor), adjoint(F, grad)) if upper else (factor, grad)
    part = F.tril(F.matmul(adjoint(F, low), g), 0)
    part = F.mul_number(part + adjoint(F, F.tril(part, -1)), 0.5)
    part = F.linalg_solve_triangular(adjoint(F, low), part, upper=True)
    return F.linalg_solve_triangular(low, part, upper=False, left=False)


def _cholesky_jvp(F: Any, tangent: Any, factor: Any, upper: bool) -> Any:
    """As in PyTorch, of a tangent that is believed to be Hermitian."""
    low = adjoint(F, factor) if upper else factor
    part = F.linalg_solve_triangular(low, tangent, upper=False)
    part = F.linalg_solve_triangular(adjoint(F, low), part, upper=True, left=False)
    made = F.matmul(low, F.mul_number(F.tril(part, 0) + F.tril(part, -1), 0.5))
    return adjoint(F, made) if upper else made


def _cholesky(a: np.ndarray, upper: bool) -> tuple[np.ndarray, np.ndarray]:
    if upper:
        a = a.swapaxes(-1, -2).conj()
    info = np.zeros(a.shape[:-2], np.int32)
    factor = _factored(a)
    if factor is None:
        factor = np.tril(a)
        flat, infos = factor.reshape(-1, *a.shape[-2:]), info.reshape(-1)
        for b, x in enumerate(flat):
            whole = _factored(x)
            if whole is None:
                infos[b] = _factor_as_far(x)
            else:
                x[...] = whole
    return columns(factor.swapaxes(-1, -2).conj() if upper else factor), info


def _factored(a: np.ndarray) -> np.ndarray | None:
    """The lower factors, if all of the matrices have one."""
    try:
        found: np.ndarray = lapack(np.linalg.cholesky, a)
    except np.linalg.LinAlgError:
        return None
    return None if np.isnan(np.diagonal(found, axis1=-2, axis2=-1).real).any() else found


def _factor_as_far(a: np.ndarray) -> int:
    """Factor the lower triangle in place, column by column, as far as that goes; the number of the column that has no
    positive root. What is behind its diagonal stays as it was."""
    for k in range(len(a)):
        row = a[k, :k]
        a[k, k] -= np.vdot(row, row)
        pivot = a[k, k].real
        if not pivot > 0:
            return k + 1
        a[k, k] = root = np.sqrt(pivot)
        a[k + 1 :, k] = (a[k + 1 :, k] - a[k + 1 :, :k] @ row.conj()) / root
    return 0


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
    jvp={"input": lambda F, tangent, L, upper: _cholesky_jvp(F, tangent, L, upper)},
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
    square("linalg.cholesky", input, kernel="cholesky_cpu", late=True)
    factor, info = _cholesky(input, upper)
    if check_errors:
        check_info("linalg.cholesky_ex", info, NOT_POSITIVE)
    return factor, info


@op(
    "cholesky(Tensor input, bool upper=False, *, Tensor out=None) -> Tensor|fp32",
    vjp={"input": lambda F, grad, result, upper: _cholesky_backward(F, grad, result, upper)},
    forwardless="cholesky",
    out=safe("cholesky"),
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
    if not input.size:
        return np.empty(input.shape, input.dtype)
    square("cholesky", input, kernel="cholesky_cpu", integers=True, late=True)
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
    m, n = Q.shape[-2], R.shape[-1]
    if mode == "complete" and m > n:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
    g_q, g_r = grads
    g = None if g_r is None else F.matmul(g_r, adjoint(F, R))
    if g_q is not None:
        g = -F.matmul(adjoint(F, Q), g_q) if g is None else g - F.matmul(adjoint(F, Q), g_q)
    if m >= n:
        g = F.triu(g, 0)
        g = F.matmul(Q, F.scaled_diagonal(g + adjoint(F, g), 0.5, "real"))
        g = g if g_q is None else g + g_q
        return F.linalg_solve_triangular(adjoint(F, R), g, upper=False, left=False)
    g = -g
    g = F.tril(g - adjoint(F, g), 0)
    g = F.matmul(Q, F.scaled_diagonal(g, 0.5, "imag") if is_complex(g) else g)
    g = F.linalg_solve_triangular(adjoint(F, F.slice(R, -1, 0, m, 1)), g, upper=False, left=False)
    g = F.cat([g, F.zeros_of(g, (*R.shape[:-1], n - m))], -1)
    return g if g_r is None else g + F.matmul(Q, g_r)


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
    if full_matrices:  # of the further vectors nothing can depend
        U, Vh = F.slice(U, -1, 0, k, 1), F.slice(Vh, -2, 0, k, 1)
        g_u = None if g_u is None else F.slice(g_u, -1, 0, k, 1)
        g_vh = None if g_vh is None else F.slice(g_vh, -2, 0, k, 1)
    if g_u is None and g_vh is None:
        if m >= n:
            return F.matmul(U, F.unsqueeze(g_s, -1) * Vh)
        return F.matmul(U * F.unsqueeze(g_s, -2), Vh)
    u_term = None if g_u is None else _skew(F, F.matmul(adjoint(F, U), g_u))
    v_term = None if g_vh is None else _skew(F, F.matmul(Vh, adjoint(F, g_vh)))
    complex_ = is_complex(U)
    if complex_:
        _check_phases(u_term, v_term)
    E = differences(F, S * S)
    if u_term is None:
        inner = F.unsqueeze(S, -1) * (v_term / E)
    elif v_term is None:
        inner = u_term / E * F.unsqueeze(S, -2)
    else:
        inner = (u_term * F.unsqueeze(S, -2) + F.unsqueeze(S, -1) * v_term) / E
    if g_s is not None:
        inner = inner + F.diag_embed(g_s, 0, -2, -1)
    if complex_ and u_term is not None and v_term is not None:
        inner = inner + F.diag_embed(F.diagonal(u_term, 0, -2, -1) / F.mul_number(S, 2.0), 0, -2, -1)
    if m > n and g_u is not None:
        by_size = g_u / F.unsqueeze(S, -2)
        return F.matmul(F.matmul(U, inner) + by_size - F.matmul(U, F.matmul(adjoint(F, U), by_size)), Vh)
    if m < n and g_vh is not None:
        by_size = g_vh / F.unsqueeze(S, -1)
        return F.matmul(U, F.matmul(inner, Vh) + by_size - matmul(F, by_size, adjoint(F, Vh), Vh))
    return F.matmul(U, F.matmul(inner, Vh)) if m >= n else matmul(F, U, inner, Vh)


def _check_phases(u_term: Any, v_term: Any) -> None:
    """PyTorch's error for a loss that depends on the phases of complex singular vectors."""
    turns = [0 if x is None else np.diagonal(plain(x), 0, -2, -1).imag for x in (u_term, v_term)]
    if not np.allclose(turns[0], -turns[1], 1e-2, 1e-2):
        raise RuntimeError(
            "svd_backward: The singular vectors in the complex case are specified up to multiplication by e^{i phi}. "
            "The specified loss function depends on this phase term, making it ill-defined."
        )


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
        matrices("linalg.svd", A, kernel="linalg_svd_cpu", late=True)
    if driver is not None and A.size:
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


def _check_vectors(name: str, diagonal: Any) -> None:
    """PyTorch's error for a loss that depends on the phases of complex eigenvectors."""
    turns = plain(diagonal)
    if turns.dtype.kind == "c" and not np.allclose(turns.imag, 0, 1e-2, 1e-2):
        raise RuntimeError(
            f"{name}: The eigenvectors in the complex case are specified up to multiplication by e^{{i phi}}. The "
            "specified loss function depends on this quantity, so it is ill-defined."
        )


def _eigh_backward(F: Any, grads: list[Any], eigenvalues: Any, eigenvectors: Any) -> Any:
    g_l, g_v = grads
    V = eigenvectors
    if g_v is None:
        return F.matmul(V * F.unsqueeze(g_l, -2), adjoint(F, V))
    inner = F.matmul(adjoint(F, V), g_v)
    _check_vectors("linalg_eigh_backward", F.diagonal(inner, 0, -2, -1))
    inner = F.mul_number(inner - adjoint(F, inner), 0.5) / differences(F, eigenvalues)
    if g_l is not None:
        inner = F.with_diagonal(inner, g_l)
    return F.matmul(V, F.matmul(inner, adjoint(F, V)))


@op(
    """
    linalg_eigh(Tensor input, str UPLO="L", *,
        Tensor[2] out=None) -> (Tensor eigenvalues, Tensor eigenvectors)|fp32|.default|.eigvals
    """,
    "input",
    method=False,
    function=False,
    outputs=("eigenvalues", "eigenvectors"),
    returns=named("linalg_eigh", ("eigenvalues", "eigenvectors")),
    vjp={"input": _eigh_backward},
    out=Out(exact=EXPECTED, inner="_linalg_eigh"),
)
def linalg_eigh(input: np.ndarray, UPLO: str = "L") -> tuple[np.ndarray, np.ndarray]:
    """input = V diag(L) V^H for a symmetric (Hermitian) matrix; real eigenvalues, ascending. Reads one
    triangle of it.

    Shapes: (..., n, n) gives (..., n) and (..., n, n).
    Dtypes: float and complex; eigenvalues are real.

    >>> torch.linalg.eigh(torch.tensor([[2., 0.], [0., 1.]])).eigenvalues
    tensor([1., 2.])
    """
    square("linalg.eigh", input, kernel="linalg_eigh_cpu", integers=True, late=True)
    if UPLO not in ("L", "U", "l", "u"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    values, vectors = symmetric_eigen(known(input), UPLO.upper())
    values, vectors = values.astype(input.real.dtype, copy=False), vectors.astype(input.dtype, copy=False)
    return np.ascontiguousarray(values), columns(vectors)


def _eig_backward(F: Any, grads: list[Any], eigenvalues: Any, eigenvectors: Any) -> Any:
    g_l, g_v = grads
    V = eigenvectors
    if g_v is None:
        return F.linalg_solve(adjoint(F, V), F.unsqueeze(g_l, -1) * adjoint(F, V))
    inner = F.matmul(adjoint(F, V), g_v)
    diagonal = F.diagonal(inner, 0, -2, -1)
    _check_vectors("linalg_eig_backward", diagonal)
    inner = inner - F.matmul(adjoint(F, V), V * F.unsqueeze(F.real_part(diagonal), -2))
    inner = inner / differences(F, F.conj(eigenvalues))
    if g_l is not None:
        inner = F.with_diagonal(inner, g_l)
    return F.linalg_solve(adjoint(F, V), F.matmul(inner, adjoint(F, V)))


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
    m, n = L.shape[-2], U.shape[-1]
    by_l, by_u = partial(_by_l, F, L), partial(_by_u, F, U)
    if m == n:
        g = None if g_l is None else F.tril(F.matmul(adjoint(F, L), g_l), -1)
        if g_u is not None:
            upper = F.triu(F.matmul(g_u, adjoint(F, U)), 0)
            g = upper if g is None else g + upper
        g = by_l(by_u(g))
    elif m < n:
        g = None if g_l is None else F.matmul(adjoint(F, L), g_l)
        if g_u is not None:
            upper = F.matmul(F.triu(g_u, 0), adjoint(F, U))
            g = -upper if g is None else g - upper
        g = _by_u(F, F.slice(U, -1, 0, m, 1), F.tril(g, -1))
        if g_u is None:
            g = by_l(g)
            g = F.cat([g, F.zeros_of(g, (*U.shape[:-1], n - m))], -1)
        else:
            g = by_l(F.cat([g + F.triu(F.slice(g_u, -1, 0, m, 1), 0), F.slice(g_u, -1, m, n, 1)], -1))
    else:
        g = None if g_u is None else F.matmul(g_u, adjoint(F, U))
        if g_l is not None:
            lower = F.matmul(adjoint(F, L), F.tril(g_l, -1))
            g = -lower if g is None else g - lower
        g = _by_l(F, F.slice(L, -2, 0, n, 1), F.triu(g, 0))
        if g_l is None:
            g = by_u(g)
            g = F.cat([g, F.zeros_of(g, (*L.shape[:-2], m - n, n))], -2)
        else:
            g = by_u(F.cat([g + F.tril(F.slice(g_l, -2, 0, n, 1), -1), F.slice(g_l, -2, n, m, 1)], -2))
    return g if P is None else F.matmul(P, g)


def _by_l(F: Any, L: Any, x: Any) -> Any:
    """L^-H x."""
    return F.linalg_solve_triangular(adjoint(F, L), x, upper=True, left=True, unitriangular=True)


def _by_u(F: Any, U: Any, x: Any) -> Any:
    """x U^-H."""
    return F.linalg_solve_triangular(adjoint(F, U), x, upper=False, left=False)


def _unpacked(F: Any, LU: Any, pivots: Any, pivot: bool) -> tuple[Any, Any, Any]:
    """P, or None without pivots, L and U."""
    made = F.lu_unpack(LU, pivots, True, pivot)
    P, L, U = made if F is TENSORS else (made[2], *made[:2])
    return (P if pivot else None), L, U


def _lu_factor_backward(F: Any, grad: Any, LU: Any, pivots: Any, pivot: bool) -> Any:
    k = min(LU.shape[-2:])
    P, L, U = _unpacked(F, LU, pivots, pivot)
    return _lu_backward(F, F.slice(grad, -1, 0, k, 1), F.slice(grad, -2, 0, k, 1), L, U, P)


def refuse_zero_pivots(name: str, info: np.ndarray) -> None:
    """Raise PyTorch's error where a matrix has been factored into singular ones."""
    if info.any():
        k = info.reshape(-1)[np.flatnonzero(info)[0]]
        where = f"(Batch element {np.flatnonzero(info)[0]}): " if info.ndim else ""
        raise RuntimeError(
            f"{name}: {where}U[{k},{k}] is zero and using it on lu_solve would result in a division "
            "by zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
            "linalg.lu_factor_ex(A, pivot)"
        )


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
    matrices("torch.linalg.lu_factor", A, kernel="lu_cpu", integers=True, late=True)
    factors, pivots, info = lu(A, pivot)
    if check_errors:
        refuse_zero_pivots("torch.linalg.lu_factor_ex", info)
    return columns(factors), pivots, info


def _lu_full_backward(F: Any, grads: list[Any], L: Any, U: Any, P: Any) -> Any:
    return _lu_backward(F, grads[0], grads[1], L, U, P if P.ndim > 1 else None)


def _lu_result(made: Any) -> Any:
    return _LINALG_LU((made[2], made[0], made[1]))


# P has no gradient, so it comes last among the results and first among what is returned
@op(
    "linalg_lu(Tensor A, *, bool pivot=True, Tensor[3] out=None) -> (Tensor P, Tensor L, Tensor U)|looped",
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
    matrices("linalg.lu", A, kernel="lu_cpu", integers=True, late=True)
    factors, pivots, _ = lu(A, pivot)
    m, n = A.shape[-2:]
    k = min(m, n)
    low = np.tril(factors[..., :, :k], -1) + np.eye(m, k, dtype=A.dtype)
    matrix = np.ascontiguousarray(permutation_matrix(pivots, m, A.dtype)) if pivot else np.empty(0, A.dtype)
    return low, np.triu(factors[..., :k, :]), matrix


def _lu_solve_backward(
    F: Any, grad: Any, LU: Any, pivots: Any, result: Any, left: bool, adjoint: bool, needs: list[Any]
) -> list[Any]:
    g_lu = _lu_solve_by_factors(F, grad, LU, pivots, result, left, adjoint) if needs[0] else None
    return [g_lu, F.linalg_lu_solve(LU, pivots, grad, left=left, adjoint=not adjoint) if needs[1] else None]


def _lu_solve_by_factors(F: Any, grad: Any, LU: Any, pivots: Any, X: Any, left: bool, conjugate: bool) -> Any:
    P, L, U = _unpacked(F, LU, pivots, left == conjugate)
    solve = F.linalg_solve_triangular
    if left != conjugate:  # U^-H of grad X^H, or of its adjoints
        r = solve(adjoint(F, U), -F.matmul(*((grad, adjoint(F, X)) if left else (adjoint(F, grad), X))), upper=False)
        return F.tril(_by_l(F, L, F.matmul(r, adjoint(F, U))), -1) + F.triu(r, 0)
    factors = (X, adjoint(F, grad)) if left else (adjoint(F, X), grad)
    r = -matmul(F, F.transpose(P, -2, -1), *factors, P)
    r = solve(adjoint(F, L), r, upper=True, left=False, unitriangular=True)
    return F.tril(r, -1) + F.triu(_by_u(F, U, F.matmul(adjoint(F, L), r)), 0)


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
    square("torch.linalg.lu_solve", LU, kernel="linalg.lu_solve_cpu", late=True)
    if B.ndim < 2:
        raise RuntimeError("linalg.lu_solve: The input tensor B must have at least 2 dimensions.")
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
