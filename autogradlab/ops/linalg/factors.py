"""What the tables of linear algebra share: checks of matrices, PyTorch's errors, triangular solves and the LU "
"factors."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from ...core.memory.rows import Rows, all_rows
from ...core.memory.storage import dense
from ...core.recording.record import RAW, TENSORS
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import scalar_name, unsupported
from ..common.blas import lift

__all__ = [
    "LinAlgError",
    "columns",
    "inverse",
    "lapack",
    "lu",
    "matmul",
    "matrices",
    "singular_values",
    "square",
    "substitute",
    "svd",
    "symmetric_eigen",
    "weighted",
]


class LinAlgError(RuntimeError):
    """The error of a matrix that does not allow what is asked: singular, not positive definite. A
    RuntimeError.

    Example:
        >>> import autogradlab as torch
        >>> issubclass(torch.linalg.LinAlgError, RuntimeError)
        True

    Mirrors `torch.linalg.LinAlgError`.
    """


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
LinAlgError.__module__ = "torch._C"

RAW.matmul = np.matmul


def matrices(name: str, a: np.ndarray, **dtypes: Any) -> None:
    """Raise unless `a` holds matrices of a float or complex dtype. dtypes: options of `floats`."""
    if a.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    floats(name, a, **dtypes)


def floats(
    name: str, a: np.ndarray, low: bool = True, kernel: str = "", integers: bool = False, late: bool = False
) -> None:
    """Raise PyTorch's error for a dtype that a function lacks. kernel: the kernel that refuses half types, and with
    `integers` integers too; without one the function itself refuses them, half types only if `low`. late: it is looked
    for only where there are elements."""
    if late and not a.size and (integers or a.dtype.kind in "fcV"):
        return
    if a.dtype.kind not in "fcV":
        if integers:
            raise unsupported(kernel, a.dtype)
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {scalar_name(a)}")
    if a.dtype.itemsize == 2:
        if kernel:
            raise unsupported(kernel, a.dtype)
        if low:
            raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {scalar_name(a)}")


def square_shape(name: str, a: np.ndarray) -> None:
    """Raise unless `a` has the shape of square matrices."""
    if a.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if a.shape[-1] != a.shape[-2]:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {a.shape[-2]} by {a.shape[-1]} matrices"
        )


def square(name: str, a: np.ndarray, **dtypes: Any) -> None:
    """Raise unless `a` holds square matrices of a float or complex dtype. dtypes: options of `floats`."""
    square_shape(name, a)
    floats(name, a, **dtypes)


def check_types(b: np.ndarray, A: np.ndarray) -> None:
    """Raise unless both sides of a system A X = b have one dtype."""
    if b.dtype != A.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {scalar_name(b)} and A of type "
            f"{scalar_name(A)} instead."
        )


def check_sizes(name: str, b: np.ndarray, A: np.ndarray) -> None:
    """Raise unless b has a row for each row of the square matrices A."""
    n, (r, c) = A.shape[-1], b.shape[-2:]
    if n != r:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {n} by {n} but each b matrix is {r} by {c}"
        )


def has_eigenvalues(name: str, a: np.ndarray) -> None:
    """Raise unless `a` holds square matrices of a dtype that `eig` takes."""
    if a.dtype.kind in "biu":
        raise RuntimeError(f"Unknown Complex ScalarType for {scalar_name(a)}")
    square(name, a, kernel="linalg_eig_out_cpu")


def columns(a: np.ndarray) -> np.ndarray:
    """The matrices laid out column by column, as LAPACK leaves them."""
    flat = np.ascontiguousarray(a.swapaxes(-1, -2))
    if 1 in flat.shape or 0 in flat.shape:  # NumPy leaves any stride where the size is 1
        flat = np.ndarray(flat.shape, flat.dtype, flat, 0, dense(flat.shape, flat.itemsize))
    return flat.swapaxes(-1, -2)


_NOT_FINITE = "The algorithm failed to converge because the input matrix contained non-finite values."


def svd(a: np.ndarray, full: bool = False, vectors: bool = True) -> Any:
    """NumPy's singular value decomposition. A NaN is refused in PyTorch's words; an infinity, which LAPACK may follow
    for ever, leaves NaNs."""
    check_info("linalg.svd", np.isnan(a).any((-2, -1)).astype(np.int64), _NOT_FINITE)
    infinite = np.isinf(a).any((-2, -1))
    if infinite.any():
        a = np.where(infinite[..., None, None], a.dtype.type(0), a)
    try:
        found = np.linalg.svd(a, full, vectors)
    except np.linalg.LinAlgError:
        raise LinAlgError(f"linalg.svd: {_NOT_FINITE}") from None
    if infinite.any():
        for part in found if vectors else (found,):
            part[infinite] = np.nan
    return found


def singular_values(a: np.ndarray, full: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The singular value decomposition, in the dtype of the matrices."""
    u, s, vh = svd(known(a), full)
    return u.astype(a.dtype, copy=False), s.astype(a.real.dtype, copy=False), vh.astype(a.dtype, copy=False)


_NOT_CONVERGED = (
    "The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated eigenvalues "
    "(error code: {})."
)


def symmetric_eigen(a: np.ndarray, UPLO: str = "L", vectors: bool = True) -> Any:
    """The eigenvalues of symmetric matrices, and with `vectors` these too; PyTorch's error where there are values that
    are not finite. Its code is how many numbers beside the diagonal LAPACK has left, one more if it seeks vectors."""
    call, n = np.linalg.eigh if vectors else np.linalg.eigvalsh, a.shape[-1]

    def solved(matrices: np.ndarray) -> Any:
        """What LAPACK finds; None if it fails."""
        try:
            found = call(matrices, UPLO)
        except np.linalg.LinAlgError:
            return None
        lost = n > 2 and np.isnan(found[0] if vectors else found).any()  # as in WebAssembly, see `lapack`
        return None if lost else found

    found = solved(a)
    if found is None:
        codes = [(n - 2 + vectors) * (solved(matrix) is None) for matrix in a.reshape(-1, n, n)]
        check_info("linalg.eigh", np.array(codes).reshape(a.shape[:-2]), _NOT_CONVERGED)
    return found


def check_info(name: str, info: np.ndarray, message: str) -> None:
    """Raise for the first matrix of a batch with a non-zero info."""
    info = all_rows(info)
    bad = np.flatnonzero(info)
    if bad.size:
        where = f"(Batch element {bad[0]}): " if info.ndim else ""
        raise LinAlgError(f"{name}: {where}{message.format(info.reshape(-1)[bad[0]])}")


SINGULAR = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."


def lu(a: np.ndarray, pivot: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """LU factors in one matrix, LAPACK's pivots (from 1) and info (the first zero on the diagonal, or 0)."""
    if not pivot and a.size:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    m, n = a.shape[-2:]
    k = min(m, n)
    factors = np.array(a, order="C")
    flat = factors.reshape(-1, m, n) if a.size else factors
    batch = a.shape[:-2]
    pivots = np.empty((*batch, k), np.int32)
    pivots[...] = np.arange(1, k + 1)
    info = np.zeros(batch, np.int32)
    if not a.size:
        return factors, pivots, info
    rows, infos = pivots.reshape(-1, k), info.reshape(-1)
    for b, x in enumerate(flat):
        for j in range(k):
            column = x[j:, j]
            p = j + int(np.argmax(np.abs(column.real) + np.abs(column.imag) if x.dtype.kind == "c" else np.abs(column)))
            rows[b, j] = p + 1
            if p != j:
                x[[j, p]] = x[[p, j]]
            if x[j, j] == 0:
                infos[b] = infos[b] or j + 1
                continue
            x[j + 1 :, j] /= x[j, j]
            x[j + 1 :, j + 1 :] -= np.multiply.outer(x[j + 1 :, j], x[j, j + 1 :])
    return factors, pivots, info


def permutation(pivots: np.ndarray, m: int) -> np.ndarray:
    """The rows' order that pivots lead to: A[order] = L U."""
    batch = pivots.shape[:-1]
    order = np.empty((*batch, m), np.int64)
    order[...] = np.arange(m)
    if not order.size or not pivots.size:
        return order
    flat, swaps = order.reshape(-1, m), pivots.reshape(-1, pivots.shape[-1])
    for row, swap in zip(flat, swaps, strict=True):
        for j, p in enumerate(swap):
            row[j], row[p - 1] = row[p - 1], row[j]
    return order


def permutation_matrix(pivots: np.ndarray, m: int, d: Any) -> np.ndarray:
    """P with P L U = A."""
    matrix: np.ndarray = np.eye(m, dtype=d)[permutation(pivots, m)].swapaxes(-1, -2)
    return matrix


def substitute(a: np.ndarray, b: np.ndarray, upper: bool, unit: bool = False) -> np.ndarray:
    """Solve triangular systems a x = b; zeros on the diagonal give infinities, as in BLAS."""
    n = a.shape[-1]
    d = a.dtype
    eye = np.eye(n, dtype=bool)
    a = np.where(eye, d.type(1), a) if unit else a
    a = np.triu(a) if upper else np.tril(a)
    if n == 0 or not b.size:
        return np.zeros(np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + b.shape[-2:], d)
    if np.all(np.diagonal(a, 0, -2, -1) != 0):
        if not upper:  # turned upside down a lower triangle is an upper one, which needs no pivoting
            return np.linalg.solve(a[..., ::-1, ::-1], b[..., ::-1, :])[..., ::-1, :]
        return np.linalg.solve(a, b)
    x = np.array(np.broadcast_to(b, np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + b.shape[-2:]))
    for i in range(n - 1, -1, -1) if upper else range(n):
        rest = slice(i + 1, None) if upper else slice(None, i)
        x[..., i, :] -= (a[..., i, rest, None] * x[..., rest, :]).sum(-2)
        x[..., i, :] /= a[..., i, i, None]
    return x


def known(a: np.ndarray) -> np.ndarray:
    """Matrices of a dtype that LAPACK knows: those of others get here without elements only."""
    return a if a.dtype.kind in "fc" and a.dtype.itemsize > 2 else a.astype(np.float64)


def lapack(call: Any, *matrices: np.ndarray) -> np.ndarray:
    """What NumPy's LAPACK makes of matrices of numbers; np.linalg.LinAlgError where it fails.

    WebAssembly has no floating-point flags, by which NumPy learns of a failure; NaNs tell it there."""
    found: np.ndarray = call(*map(known, matrices)).astype(matrices[0].dtype, copy=False)
    if np.isnan(found).any() and all(np.isfinite(m).all() for m in matrices):
        raise np.linalg.LinAlgError
    return found


def inverse(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Inverses and infos; a singular matrix gives what its LU factors give, infinities and NaNs."""
    try:
        return lapack(np.linalg.inv, a), np.zeros(a.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        factors, pivots, info = lu(a)
        order = permutation(pivots, a.shape[-1])
        eye = np.eye(a.shape[-1], dtype=a.dtype)[order]
        found = substitute(factors, substitute(factors, eye, False, True), True)
        fine = info == 0
        if fine.any():
            with suppress(np.linalg.LinAlgError):  # singular to NumPy, which rounds otherwise
                found[fine] = np.linalg.inv(a[fine])
        return found, info


# -- for formulas, on both backends ------------------------------------------------------------------------------------


def matmul(F: Any, *factors: Any) -> Any:
    """The product of several matrices, from the left."""
    r = factors[0]
    for f in factors[1:]:
        r = F.matmul(r, f)
    return r


def weighted(F: Any, x: Any, mask: np.ndarray) -> Any:
    """Matrices times constants for their elements, such as a triangle of ones."""
    return x * lift(F, mask.astype(real_type(x)))


def real_type(x: Any) -> np.dtype[Any]:
    d = x._array.dtype if isinstance(x, Tensor) else x.dtype
    return np.dtype(d.char.lower()) if d.kind == "c" else d


def plain(x: Any) -> np.ndarray:
    """The array of a value of a formula, of all rows if it has some."""
    array: np.ndarray = all_rows(x._array if isinstance(x, Tensor) else x)
    return array


def is_complex(x: Any) -> bool:
    return plain(x).dtype.kind == "c"


def differences(F: Any, values: Any) -> Any:
    """values[j] - values[i] as a matrix, with ones on its diagonal."""
    return F.with_diagonal(F.unsqueeze(values, -2) - F.unsqueeze(values, -1), 1)


def _with_diagonal(x: Any, values: Any) -> Any:
    """Fresh matrices with other values on their diagonals."""
    RAW.diagonal(x, 0, -2, -1)[...] = values
    return x


def _with_diagonal_recorded(x: Tensor, values: Any) -> Tensor:
    if not isinstance(values, Tensor):
        TENSORS.fill_(TENSORS.diagonal(x, 0, -2, -1), values)
    elif isinstance(values._array, Rows):  # which the memory of x may not hold
        found: Tensor = TENSORS.diagonal_scatter(x, values, 0, -2, -1)
        return found
    else:
        TENSORS.copy_(TENSORS.diagonal(x, 0, -2, -1), values)
    return x


def _scaled_diagonal(x: Any, factor: float, part: str) -> Any:
    """Fresh matrices whose diagonals, or of complex ones their real or imaginary parts, are multiplied by a number."""
    diagonal = RAW.diagonal(x, 0, -2, -1)
    diagonal = getattr(diagonal, part) if is_complex(x) else diagonal
    diagonal[...] = diagonal * factor
    return x


def _scaled_diagonal_recorded(x: Tensor, factor: float, part: str) -> Tensor:
    diagonal = TENSORS.diagonal(x, 0, -2, -1)
    TENSORS.mul_number_(getattr(diagonal, part) if is_complex(x) else diagonal, factor)
    return x


RAW.with_diagonal, TENSORS.with_diagonal = _with_diagonal, _with_diagonal_recorded
RAW.scaled_diagonal, TENSORS.scaled_diagonal = _scaled_diagonal, _scaled_diagonal_recorded
