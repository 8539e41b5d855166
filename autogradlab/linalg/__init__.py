"""Linear algebra (mirrors `torch.linalg`): factors, inverses, systems, norms, products of matrices and batches of them.

Every function takes (*, m, n) tensors of a float or complex dtype; a matrix that does not allow what is asked raises
`LinAlgError`.

>>> import autogradlab as torch
>>> torch.linalg.det(torch.tensor([[1., 2.], [3., 4.]]))
tensor(-2.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.memory.rows import all_rows
from ..core.memory.versions import increment_version
from ..core.recording.record import TENSORS as F
from ..core.runtime.errors import NOT_DIFFERENTIABLE
from ..core.runtime.help import attach
from ..core.runtime.modes import current, quiet
from ..core.tensor.tensor import Tensor, requires_grad, wrap, wrap_result
from ..core.types.dtypes import from_numpy, scalar_name
from ..core.types.return_types import named
from ..ops.common.blas import lift
from ..ops.first.products import UNSAFE, refuse_into, written, written_all
from ..ops.linalg.chains import multi_dot
from ..ops.linalg.decompositions import NOT_POSITIVE, refuse_zero_pivots
from ..ops.linalg.factors import (
    SINGULAR,
    LinAlgError,
    check_info,
    has_eigenvalues,
    matrices,
    square,
    square_shape,
    symmetric_eigen,
)
from ..ops.linalg.factors import svd as svd_of
from ..ops.linalg.indefinite import check_pivots
from ..ops.linalg.solve import cutoff, tolerances
from ..ops.table.outputs import EXPECTED, Out
from ..ops.table.publishing import checking, reading

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "lstsq",
    "lu",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]

_LU_FACTOR = named("linalg_lu_factor", ("LU", "pivots"))
_LDL_FACTOR = named("linalg_ldl_factor", ("LD", "pivots"))

if TYPE_CHECKING:  # generated
    from .table import (
        cholesky_ex,
        cross,
        det,
        eig,
        eigh,
        householder_product,
        inv,
        inv_ex,
        ldl_factor_ex,
        ldl_solve,
        lstsq,
        lu,
        lu_factor_ex,
        lu_solve,
        matmul,
        matrix_exp,
        matrix_norm,
        norm,
        qr,
        slogdet,
        solve,
        solve_ex,
        solve_triangular,
        svd,
        vector_norm,
    )
else:

    def _offered(name: str) -> Any:
        """The operation, with arguments that are read first."""
        return checking(getattr(F, name), name, "linalg", "first")

    det = _offered("linalg_det")
    slogdet = _offered("linalg_slogdet")
    inv_ex = _offered("linalg_inv_ex")
    qr = _offered("linalg_qr")
    svd = _offered("linalg_svd")
    eig = _offered("linalg_eig")
    eigh = _offered("linalg_eigh")
    lu = _offered("linalg_lu")
    ldl_factor_ex = _offered("linalg_ldl_factor_ex")
    ldl_solve = _offered("linalg_ldl_solve")
    lu_factor_ex = _offered("linalg_lu_factor_ex")
    lu_solve = _offered("linalg_lu_solve")
    solve = _offered("linalg_solve")
    solve_ex = _offered("linalg_solve_ex")
    solve_triangular = _offered("linalg_solve_triangular")
    lstsq = _offered("linalg_lstsq")
    matrix_exp = _offered("linalg_matrix_exp")
    householder_product = _offered("linalg_householder_product")
    cross = _offered("linalg_cross")
    norm = _offered("linalg_norm")
    vector_norm = _offered("linalg_vector_norm")
    matrix_norm = _offered("linalg_matrix_norm")
    matmul = _offered("linalg_matmul")
    cholesky_ex = _offered("linalg_cholesky_ex")
    inv = checking(lambda A, *, out=None: F.inverse(A, out=out), "linalg_inv", "linalg", "first")
    inv.__doc__ = F.inverse.__doc__


def _given(r: Tensor, out: Any, name: str = "out", *, copied: bool = False, **messages: str) -> Tensor:
    return r if out is None else written(r, out, name, copied=copied, **messages)


@reading("linalg_cholesky(Tensor input, *, bool upper=False, Tensor out=None) -> Tensor|fp32")
def cholesky(input: Tensor, *, upper: bool = False, out: Any = None) -> Tensor:
    """The lower triangular L with L L^H = input; upper=True gives its conjugate transpose.

    Shapes: (..., n, n).
    Dtypes: float and complex.
    Errors: LinAlgError if input is not positive definite.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.cholesky(torch.tensor([[4., 2.], [2., 3.]]))
        tensor([[2.0000, 0.0000],
                [1.0000, 1.4142]])

    Mirrors `torch.linalg.cholesky`.
    """
    if out is not None:
        refuse_into("linalg_cholesky_ex", out, input)
    factor, info = F.linalg_cholesky_ex(input, upper=upper)
    check_info("linalg.cholesky", info._array, NOT_POSITIVE)
    return _given(factor, out, "linalg_cholesky", exact=EXPECTED)


@reading(
    "linalg_lu_factor(Tensor A, *, bool pivot=True, Tensor[2] out=None) -> (Tensor LU, Tensor pivots)",
    out=Out(exact=EXPECTED),
)
def lu_factor(A: Tensor, *, pivot: bool = True, out: Any = None) -> Any:
    """L and U in one matrix, and the rows that were exchanged: for lu_solve.

    Shapes: (..., m, n) gives (..., m, n) and (..., k).
    Dtypes: float and complex; pivots are int32 and count from 1.
    Errors: RuntimeError for a singular matrix.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.lu_factor(torch.tensor([[0., 2.], [4., 6.]]))
        torch.return_types.linalg_lu_factor(
        LU=tensor([[4., 6.],
                [0., 2.]]),
        pivots=tensor([2, 2], dtype=torch.int32))

    Mirrors `torch.linalg.lu_factor`.
    """
    if out is not None:
        refuse_into("linalg_lu_factor_ex", out, A)
    factors, pivots, info = F.linalg_lu_factor_ex(A, pivot=pivot)
    refuse_zero_pivots("torch.linalg.lu_factor", all_rows(info._array))
    r = _LU_FACTOR((factors, pivots))
    return r if out is None else written_all(r, out)


@reading(
    "linalg_ldl_factor(Tensor input, *, bool hermitian=False, Tensor[2] out=None) -> (Tensor LD, Tensor pivots)",
    out=Out(exact=EXPECTED),
)
def ldl_factor(input: Tensor, *, hermitian: bool = False, out: Any = None) -> Any:
    """L and D in one matrix, with input = L D Lᵀ, and the rows that were exchanged: for ldl_solve. Only the lower
    triangle of input is read.

    Shapes: (..., n, n) gives (..., n, n) and (..., n).
    Dtypes: float and complex; pivots are int32, count from 1, and are negative for the two rows of a block of D.
    Errors: RuntimeError where a block of D is zero.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.ldl_factor(torch.tensor([[4., 2.], [2., 3.]]))
        torch.return_types.linalg_ldl_factor(
        LD=tensor([[4.0000, 0.0000],
                [0.5000, 2.0000]]),
        pivots=tensor([1, 2], dtype=torch.int32))

    Mirrors `torch.linalg.ldl_factor`.
    """
    factors, pivots, info = F.linalg_ldl_factor_ex(input, hermitian=hermitian)
    check_pivots("torch.linalg.ldl_factor", info._array)
    r = _LDL_FACTOR((factors, pivots))
    return r if out is None else written_all(r, out)


@reading("linalg_svdvals(Tensor A, *, str? driver=None, Tensor out=None) -> Tensor|fp32")
def svdvals(A: Tensor, *, driver: Any = None, out: Any = None) -> Tensor:
    """The singular values, descending.

    Shapes: (..., m, n) gives (..., k), k the smaller of m and n.
    Dtypes: float and complex; the result is real.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.svdvals(torch.tensor([[3., 0.], [0., -4.]]))
        tensor([4., 3.])

    Mirrors `torch.linalg.svdvals`.
    """
    if out is not None:
        refuse_into("_linalg_svd", out, A)
    return _given(F.linalg_svd(A, False, driver=driver)[1], out, "linalg_svdvals", exact=EXPECTED)


@reading("linalg_eigvals(Tensor input, *, Tensor out=None) -> Tensor|fp32")
def eigvals(input: Tensor, *, out: Any = None) -> Tensor:
    """The eigenvalues of any square matrix; complex, and in no given order.

    Shapes: (..., n, n) gives (..., n).
    Dtypes: float and complex; the result is complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.eigvals(torch.tensor([[0., 1.], [-1., 0.]]))
        tensor([0.+1.j, 0.-1.j])

    Mirrors `torch.linalg.eigvals`.
    """
    has_eigenvalues("linalg.eigvals", input._array)
    return _given(F.linalg_eig(input)[0], out, "torch.linalg.eigvals", unsafe=UNSAFE.replace("result", "eigenvalues"))


@reading('linalg_eigvalsh(Tensor input, str UPLO="L", *, Tensor out=None) -> Tensor|fp32')
def eigvalsh(input: Tensor, UPLO: str = "L", *, out: Any = None) -> Tensor:
    """The eigenvalues of a symmetric (Hermitian) matrix, ascending.

    Shapes: (..., n, n) gives (..., n).
    Dtypes: float and complex; the result is real.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.eigvalsh(torch.tensor([[2., 1.], [1., 2.]]))
        tensor([1., 3.])

    Mirrors `torch.linalg.eigvalsh`.
    """
    if out is not None:
        refuse_into("_linalg_eigh", out, input)
    try:
        values = F.linalg_eigh(input, UPLO)[0]
    except LinAlgError:
        quiet(symmetric_eigen, input._array, UPLO.upper(), requires_grad(input))  # LAPACK's code for values alone
        raise
    return _given(values, out, "linalg_eigvalsh", exact=EXPECTED)


@reading("linalg_pinv")
def pinv(
    input: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None, out: Any = None
) -> Tensor:
    """The pseudo-inverse: of singular and of rectangular matrices too.

    Shapes: (..., m, n) gives (..., n, m).
    Dtypes: float and complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.pinv(torch.tensor([[2., 0.], [0., 0.], [0., 0.]]))
        tensor([[0.5000, 0.0000, 0.0000],
                [0.0000, 0.0000, 0.0000]])

    Mirrors `torch.linalg.pinv`.
    """
    if out is not None:
        refuse_into("linalg_pinv", out, input)
    for name, tolerance in (("atol", atol), ("rtol", rtol if rcond is None else rcond)):
        if isinstance(tolerance, Tensor) and requires_grad(tolerance) and current().grad:
            raise RuntimeError(NOT_DIFFERENTIABLE.format("linalg_pinv", name))
    tolerances("torch.linalg.pinv", rcond, words=("rcond",))
    tolerances("torch.linalg.pinv", atol, rtol)
    return _given(
        F.linalg_pinv(input, atol=atol, rtol=rtol if rcond is None else rcond, hermitian=hermitian),
        out,
        "linalg.pinv",
        unsafe=UNSAFE,
    )


@reading("linalg_diagonal(Tensor A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor")
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of matrices as the last dimension. A view.

    Shapes: (..., m, n) gives (..., length of the diagonal).
    Dtypes: any.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.diagonal(torch.tensor([[1, 2], [3, 4]]))
        tensor([1, 4])

    Mirrors `torch.linalg.diagonal`.
    """
    return F.diagonal(A, offset, dim1, dim2)


@reading("linalg_vecdot(Tensor x, Tensor y, *, int dim=-1, Tensor out=None) -> Tensor|lower_precision")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Any = None) -> Tensor:
    """The sums of the products along dim, with the conjugate of x.

    Shapes: both broadcast; the result is without dim.
    Dtypes: float and complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.vecdot(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.]))
        tensor([3., 7.])

    Mirrors `torch.linalg.vecdot`.
    """
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        raise RuntimeError(
            f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {scalar_name(x._array)}"
        )
    if x._array.dtype != y._array.dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type "
            f"{scalar_name(x._array)} and "
            f"y of type {scalar_name(y._array)} instead"
        )
    lines = x.ndim == y.ndim == 1
    made = F.vdot(x, y) if lines else F.sum(F.mul(F.conj(x), y), dim)
    return _given(made, out, "vdot" if lines else "sum", exact="linalg.vecdot: Expected out of dtype{0} but found {1}")


@reading("linalg_matrix_power(Tensor input, int n, *, Tensor out=None) -> Tensor|uint_eye")
def matrix_power(input: Tensor, n: int, *, out: Any = None) -> Tensor:
    """The product of a matrix with itself, n times; negative n of its inverse.

    Shapes: (..., n, n).
    Dtypes: float and complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.matrix_power(torch.tensor([[1., 1.], [0., 1.]]), 3)
        tensor([[1., 3.],
                [0., 1.]])

    Mirrors `torch.linalg.matrix_power`.
    """
    found: Tensor = F._matrix_power(input, n, out)
    return found


@reading(
    """
    linalg_matrix_rank(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False,
        Tensor out=None) -> Tensor|fp32
    linalg_matrix_rank(Tensor input, *, float? atol=None, float? rtol=None, bool hermitian=False,
        Tensor out=None) -> Tensor
    linalg_matrix_rank(Tensor input, Tensor tol, bool hermitian=False, *, Tensor out=None) -> Tensor
    linalg_matrix_rank(Tensor input, float tol, bool hermitian=False, *, Tensor out=None) -> Tensor
    """
)
def matrix_rank(
    input: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None, out: Any = None
) -> Tensor:
    """The number of singular values larger than a tolerance.

    Shapes: (..., m, n) gives (...).
    Dtypes: float and complex; the result is int64.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.matrix_rank(torch.tensor([[1., 2.], [2., 4.]]))
        tensor(1)

    Mirrors `torch.linalg.matrix_rank`.
    """
    x = input._array
    name = "torch.linalg.matrix_rank"
    if x.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor input must have at least 2 dimensions.")
    if x.dtype.kind not in "fc" or x.dtype.itemsize == 2:
        raise RuntimeError("This function doesn't handle types other than float and double")
    if tol is not None:
        atol, rtol = tol, 0.0
    atol, rtol = tolerances(name, atol, rtol)
    made = wrap_result(quiet(_rank, x, hermitian, atol, rtol))
    if out is None and not made.is_inference():
        increment_version(made)  # PyTorch sums into a tensor that it has made
    return _given(made, out, "torch.linalg.matrix_rank", unsafe=UNSAFE)


def _rank(x: np.ndarray, hermitian: bool, atol: Any, rtol: Any) -> np.ndarray:
    if not x.size:
        return np.zeros(x.shape[:-2], np.int64)
    if hermitian:
        square_shape("linalg.eigh", x)
    values = np.abs(symmetric_eigen(x, vectors=False)) if hermitian else svd_of(x, vectors=False)
    rank = (values > cutoff(values, max(x.shape[-2:]), atol, rtol)[..., None]).sum(-1)
    return np.asarray(rank, np.int64)


@reading(
    """
    linalg_cond(Tensor input, Scalar? p=None, *, Tensor out=None) -> Tensor|fp32
    linalg_cond(Tensor input, str p, *, Tensor out=None) -> Tensor
    """
)
def cond(input: Tensor, p: Any = None, *, out: Any = None) -> Tensor:
    """The condition number: the norm of input times that of its inverse; p=None takes the ratio of the singular
    values.

    Shapes: (..., m, n) gives (...).
    Dtypes: float and complex; the result is real.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.cond(torch.tensor([[2., 0.], [0., 8.]]))
        tensor(4.)

    Mirrors `torch.linalg.cond`.
    """
    if input._array.ndim < 2 and not isinstance(p, str):
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if not isinstance(p, str) and p is not None and abs(p) not in (1, 2, float("inf")):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p:g}")
    if input._array.ndim > 1 and not input._array.size and not isinstance(p, str):
        return _given(_nought(input), out, "linalg.cond", unsafe=UNSAFE, copied=True)
    if p is None or (not isinstance(p, str) and abs(p) == 2):
        values = svdvals(input)
        n = values._array.shape[-1]
        first, last = F.narrow(values, -1, 0, 1), F.narrow(values, -1, n - 1, 1)
        r = F.div(last, first) if p == -2 else F.div(first, last)
        return _given(F.squeeze(r, -1), out, "linalg.cond", unsafe=UNSAFE, copied=True)
    square_shape(f"linalg.cond(ord={p if isinstance(p, str) else format(p, 'g')})", input._array)
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if not input._array.size:
        return _given(_nought(input), out, "linalg.cond", unsafe=UNSAFE, copied=True)
    if p == "nuc":
        values = svdvals(input)
        return _given(
            F.mul(F.sum(values, -1), F.sum(F.reciprocal(values), -1)), out, "linalg.cond", unsafe=UNSAFE, copied=True
        )
    inverse, info = F.linalg_inv_ex(input)
    bad = wrap(np.asarray(info._array > 0)[..., None, None])
    inverse = F.masked_fill(inverse, bad, float("inf"))
    product = F.mul(matrix_norm(input, p), matrix_norm(inverse, p))
    finite = F.nan_to_num(product, nan=float("inf"), posinf=float("inf"), neginf=float("-inf"))
    increment_version(finite)  # PyTorch does that in place
    return _given(finite, out, "linalg.cond", unsafe=UNSAFE, copied=True)


def _nought(A: Tensor) -> Tensor:
    """The condition numbers of matrices without elements, which PyTorch fills with 0 in place."""
    r = F.zeros(A._array.shape[:-2], dtype=A.real.dtype)
    increment_version(r)
    return r


def _count(sizes: Sequence[int]) -> int:
    n = 1
    for size in sizes:
        n *= size
    return n


@reading("linalg_tensorinv(Tensor input, int ind=2, *, Tensor out=None) -> Tensor|fp32")
def tensorinv(input: Tensor, ind: int = 2, *, out: Any = None) -> Tensor:
    """The inverse of a tensor as a linear map by tensordot.

    Shapes: the first ind sizes have the same product as the rest; the result has the rest in front.
    Dtypes: float and complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.tensorinv(torch.eye(4).reshape(2, 2, 4)).shape
        torch.Size([4, 2, 2])

    Mirrors `torch.linalg.tensorinv`.
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    shape = input._array.shape
    rows, columns = _count(shape[:ind]), _count(shape[ind:])
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
            "prod(self.shape[:ind]), but got "
            f"{columns} != {rows}"
        )
    found, info = F.linalg_inv_ex(F.reshape(input, (rows, columns)))
    check_info("inv", info._array, SINGULAR)
    return _given(F.reshape(found, (*shape[ind:], *shape[:ind])), out, "tensorinv", unsafe=UNSAFE, copied=True)


@reading("linalg_tensorsolve(Tensor input, Tensor other, int[]? dims=None, *, Tensor out=None) -> Tensor|fp32")
def tensorsolve(input: Tensor, other: Tensor, dims: Any = None, *, out: Any = None) -> Tensor:
    """The X with tensordot(input, X) = other.

    Shapes: input is (*other's sizes, *X's sizes) with equal products.
    Dtypes: float and complex.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.tensorsolve(2 * torch.eye(4).reshape(2, 2, 4), torch.ones(2, 2))
        tensor([0.5000, 0.5000, 0.5000, 0.5000])

    Mirrors `torch.linalg.tensorsolve`.
    """
    if dims is not None:
        input = F.movedim(input, tuple(dims), tuple(range(input._array.ndim - len(dims), input._array.ndim)))
    shape, ndim = input._array.shape, other._array.ndim
    rest = shape[ndim:]
    if not _count(rest) == _count(shape[:ndim]) == other._array.size:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            "prod(self.shape[:other.ndim]), "
            f"but got {_count(rest)} != {other._array.size}"
        )
    n = _count(rest)
    x = solve(F.reshape(input, (n, n)), F.flatten(other))
    return _given(F.reshape(x, rest), out, "tensorsolve", unsafe=UNSAFE, copied=True)


@reading("linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor")
def vander(x: Tensor, N: int | None = None) -> Tensor:
    """The powers 0 … N - 1 of each element, one row for each element.

    Shapes: (..., n) gives (..., n, N).
    Dtypes: any number.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.vander(torch.tensor([1, 2, 3]))
        tensor([[1, 1, 1],
                [1, 2, 4],
                [1, 3, 9]])

    Mirrors `torch.linalg.vander`.
    """
    if x._array.dtype.kind in "bV" or x._array.dtype == np.float16:
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {scalar_name(x._array)}"
        )
    n = (x._array.shape[-1] if x._array.ndim else 1) if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    if x._array.dtype.kind in "biu":
        x = F.to(x, from_numpy(np.dtype(np.int64)))
    if not x._array.ndim:
        x = F.unsqueeze(x, -1)
    powers = F.cumprod(F.expand(F.unsqueeze(x, -1), (*x._array.shape, n - 1)), -1)
    ones = lift(F, np.ones((*x._array.shape, 1), powers._array.dtype))
    return F.cat([ones, powers], -1)


attach("linalg", globals())
