"""Inverses, determinants, linear systems, least squares, the matrix exponential."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.memory.rows import all_rows
from ...core.memory.together import stacked
from ...core.recording.record import RAW, TENSORS, says
from ...core.runtime.warn import warn_once
from ...core.tensor.tensor import Tensor, wrap
from ...core.types.dtypes import scalar_name, unsupported
from ...core.types.return_types import named
from ...core.values.promotion import broadcast_shapes
from ..common.blas import adjoint, lift
from ..first.kinds import BOOL, HALF, INTEGERS, refuse
from ..first.products import refuse_into, written, written_all
from ..table.opdef import alias, composite, op
from ..table.outputs import EXPECTED, Out, safe
from .factors import (
    SINGULAR,
    LinAlgError,
    check_info,
    check_sizes,
    check_types,
    columns,
    floats,
    inverse,
    is_complex,
    known,
    lapack,
    lu,
    matmul,
    permutation,
    real_type,
    singular_values,
    square,
    square_shape,
    substitute,
    svd,
    symmetric_eigen,
)

_SLOGDET = named("slogdet", ("sign", "logabsdet"))
_TRIANGULAR_SOLVE = named("triangular_solve", ("solution", "cloned_coefficient"))

# -- inverses ----------------------------------------------------------------------------------------------------------


@op(
    "linalg_inv_ex(Tensor A, *, bool check_errors=False, Tensor[2] out=None) -> (Tensor inverse, "
    "Tensor info)|fp32|.default|.inverse",
    method=False,
    function=False,
    outputs=("inverse", "info"),
    differentiable=1,
    returns=named("linalg_inv_ex", ("inverse", "info")),
    vjp={"A": lambda F, grad, inverse: -F.matmul(adjoint(F, inverse), F.matmul(grad, adjoint(F, inverse)))},
    out=Out(exact=EXPECTED),
    together=stacked(0),
)
def linalg_inv_ex(A: np.ndarray, *, check_errors: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """inv, which says in info whether it failed instead of raising.

    Shapes: (..., n, n) gives (..., n, n) and (...).
    ~floats

    >>> torch.linalg.inv_ex(torch.tensor([[2., 0.], [0., 0.]])).info
    tensor(2, dtype=torch.int32)
    """
    square("linalg.inv", A)
    found, info = inverse(A)
    if check_errors:
        check_info("linalg.inv_ex", info, SINGULAR)
    return columns(found), info


@composite("inverse(Tensor input, *, Tensor out=None) -> Tensor|fp32")
def _inverse(input: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of square matrices.

    Shapes: (..., n, n).
    ~floats
    Errors: LinAlgError for a singular matrix.

    >>> torch.inverse(torch.tensor([[1., 2.], [3., 4.]]))
    tensor([[-2.0000,  1.0000],
            [ 1.5000, -0.5000]])
    """
    if out is not None:
        refuse_into("linalg_inv_ex", out, input)
    found, info = TENSORS.linalg_inv_ex(input)
    check_info("linalg.inv", info._array, SINGULAR)
    return found if out is None else written(found, out, "inverse", exact=EXPECTED)


alias("linalg_inv(Tensor A, *, Tensor out=None) -> Tensor", "inverse", method=False, function=False)


# -- determinants ------------------------------------------------------------------------------------------------------


def _factors(turns: bool) -> dict[str, Callable[[Any], Tensor]]:
    """What PyTorch keeps of the LU factorization of A, which no formula here needs.

    turns: whether it factors the transpose, if that is what lies in LAPACK's order.
    """

    def factored(node: Any) -> tuple[np.ndarray, ...]:
        a = node.field("A")._array
        turned = turns and a.dtype.kind == "f" and a.flags.c_contiguous
        return lu(a.swapaxes(-1, -2) if turned else a)

    return {"LU": lambda node: wrap(columns(factored(node)[0])), "pivots": lambda node: wrap(factored(node)[1])}


@says(("g·{result}·({A}⁻¹)ᵀ", "g·{result}·({A}⁻¹)ᵀ"))
def _det_backward(F: Any, grad: Any, A: Any, result: Any) -> Any:
    values = result._array if isinstance(result, Tensor) else result
    if 0 in A.shape:
        return F.zeros_of(A, tuple(A.shape))
    if F is RAW and A.shape[-1] == 1:
        return grad[..., None, None].copy()
    if F is RAW:  # PyTorch multiplies by the determinant, so that singular matrices get zeros here
        found = np.where(values == 0, 0, grad * values.conj())[..., None, None] * adjoint(F, F.linalg_inverse(A))
        return np.where((values == 0)[..., None, None], A.dtype.type(0), found)
    if np.all(all_rows(values) != 0):
        factor = F.unsqueeze(F.unsqueeze(grad * F.conj(result), -1), -1)
        return factor * adjoint(F, F.linalg_inverse(A))
    # the cofactors of singular matrices: U diag(products of the other singular values) V^H, times the phase of U V^H
    U, S, Vh = F.linalg_svd(A)
    n = A.shape[-1]
    others = None
    for i in range(n):  # products of all singular values but the i-th of each
        product = None
        for j in range(n):
            if j != i:
                s = F.select(S, -1, j)
                product = s if product is None else product * s
        column = F.unsqueeze(lift(F, np.ones(tuple(A.shape[:-2]), real_type(S))) if product is None else product, -1)
        others = column if others is None else F.cat([others, column], -1)
    phase = F.linalg_det(F.matmul(U, Vh))
    factor = F.unsqueeze(F.unsqueeze(grad * F.conj(phase), -1), -1)
    return factor * F.matmul(U * F.unsqueeze(others, -2), Vh)


@op(
    "linalg_det(Tensor A, *, Tensor out=None) -> Tensor",
    method=False,
    function=False,
    vjp={"A": _det_backward},
    constants=_factors(True),
    out=Out(exact=EXPECTED, inner="_linalg_det"),
    inner_writes=1,
    together=stacked(0),
)
def linalg_det(A: np.ndarray) -> np.ndarray:
    """The determinant of square matrices; 0 for singular ones.

    Shapes: (..., n, n) gives (...).
    ~floats

    >>> torch.det(torch.tensor([[1., 2.], [3., 4.]]))
    tensor(-2.)
    """
    square("linalg.det", A, kernel="lu_cpu", late=True)
    return np.asarray(np.linalg.det(known(A))).astype(A.dtype, copy=False)


declare(
    "det(Tensor input) -> Tensor",
)
alias("det", "linalg_det", reads="first")


def _slogdet_backward(F: Any, grads: list[Any], A: Any, sign: Any) -> Any:
    g_sign, g_log = grads
    factor = g_log
    if is_complex(A):
        turn = 0 if g_sign is None else F.conj(g_sign) * sign
        factor = (0 if g_log is None else g_log) - (0 if g_sign is None else (turn - F.conj(turn)) * 0.5)
    if factor is None:
        return None
    if F is TENSORS:
        factor = F.to(factor, A.dtype)
        diagonal = F.diag_embed(F.expand(F.unsqueeze(factor, -1), tuple(A.shape[:-1])))
        return F.linalg_solve(adjoint(F, A), F.transpose(diagonal, -2, -1))
    return F.unsqueeze(F.unsqueeze(factor, -1), -1) * adjoint(F, F.linalg_inverse(A))


@op(
    "linalg_slogdet(Tensor A, *, Tensor[2] out=None) -> (Tensor sign, Tensor logabsdet)",
    method=False,
    function=False,
    outputs=("sign", "logabsdet"),
    returns=named("linalg_slogdet", ("sign", "logabsdet")),
    vjp={"A": _slogdet_backward},
    constants=_factors(True),
    out=Out(exact=EXPECTED, inner="_linalg_slogdet"),
    together=stacked(0),
)
def linalg_slogdet(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Another name of slogdet."""
    square("linalg.slogdet", A)
    sign, log = np.linalg.slogdet(A)
    if A.dtype.kind == "f":
        sign = np.where(np.isnan(log), 0, sign).astype(A.dtype)
    return np.asarray(sign), np.asarray(log)


@composite("slogdet(Tensor input, *, Tensor[2] out=None) -> (Tensor sign, Tensor logabsdet)")
def slogdet(input: Tensor, *, out: Any = None) -> Any:
    """Sign and logarithm of the absolute value of the determinant.

    Shapes: (..., n, n) gives (...) twice.
    ~floats

    >>> torch.slogdet(torch.tensor([[0., 2.], [3., 0.]]))
    torch.return_types.slogdet(
    sign=tensor(-1.),
    logabsdet=tensor(1.7918))
    """
    if out is not None:
        refuse_into("_linalg_slogdet", out, input)
    r = _SLOGDET(TENSORS.linalg_slogdet(input))
    return r if out is None else written_all(r, out)


@composite("logdet(Tensor input) -> Tensor")
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; nan if that is negative.

    Shapes: (..., n, n) gives (...).
    ~floats

    >>> torch.logdet(torch.tensor([[2., 0.], [0., 3.]]))
    tensor(1.7918)
    """
    F = TENSORS
    square("logdet", input._array)
    sign, log = F.linalg_slogdet(input)
    if is_complex(input):
        return F.add(F.log(sign), log)
    negative = F.eq(sign, -1)
    return F.where(negative, wrap(np.array(np.nan, log._array.dtype)), log)


RAW.linalg_inverse = lambda a: inverse(a)[0]
TENSORS.linalg_inverse = lambda a: TENSORS.linalg_inv_ex(a)[0]

# -- systems -----------------------------------------------------------------------------------------------------------


def is_vector(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """Whether B in A X = B holds vectors."""
    return len(b) == 1 or (len(a) - 1 == len(b) and a[:-1] == b)


def _solve_backward(
    F: Any, grad: Any, A: Any, B_shape: tuple[int, ...], result: Any, left: bool, needs: list[Any]
) -> Any:
    vector = is_vector(tuple(A.shape), B_shape)
    g = F.linalg_solve(adjoint(F, A), F.unsqueeze(grad, -1) if vector else grad, left=left)
    g_b = F.squeeze(g, -1) if vector else g
    if not needs[0]:
        return None, g_b
    x = F.unsqueeze(result, -1) if vector else result
    return -(F.matmul(g, adjoint(F, x)) if left else F.matmul(adjoint(F, x), g)), g_b


def _solve(a: np.ndarray, b: np.ndarray, left: bool) -> tuple[np.ndarray, np.ndarray]:
    floats("linalg.solve", a, low=False)
    if a.dtype != b.dtype:
        raise RuntimeError(
            "linalg.solve: Expected A and B to have the same dtype, but found A of type "
            f"{scalar_name(a)} and B of type {scalar_name(b)} instead"
        )
    square("linalg.solve", a, kernel="lu_cpu", late=True)
    vector = is_vector(a.shape, b.shape)
    if not vector and b.ndim < 2:
        raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")
    x = b[..., None] if vector else b
    n = a.shape[-1]
    if x.shape[-2 if left else -1] != n:
        raise RuntimeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} ({n}x{n} "
            f"and {x.shape[-2]}x{x.shape[-1]})"
        )
    broadcast_shapes(a.shape[:-2], x.shape[:-2])
    if vector and not left:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    m = a if left else a.swapaxes(-1, -2)
    x = x if left else x.swapaxes(-1, -2)
    info = np.zeros(a.shape[:-2], np.int32)
    try:
        r = lapack(np.linalg.solve, m, x)
    except np.linalg.LinAlgError:
        factors, pivots, info = lu(m)
        batch = broadcast_shapes(m.shape[:-2], x.shape[:-2])
        order = np.broadcast_to(permutation(pivots, n), (*batch, n))[..., None]
        r = substitute(
            factors,
            substitute(
                factors, np.take_along_axis(np.broadcast_to(x, (*batch, *x.shape[-2:])), order, -2), False, True
            ),
            True,
        )
    r = columns(r) if left else np.ascontiguousarray(r.swapaxes(-1, -2))
    if vector:
        r = r[..., 0]
        return (columns(r) if r.ndim > 1 else r), info
    return r, info


@op(
    """
    linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False,
        Tensor[2] out=None) -> (Tensor result, Tensor info)
    """,
    method=False,
    function=False,
    outputs=("result", "info"),
    differentiable=1,
    returns=named("linalg_solve_ex", ("result", "info")),
    vjp={"A B": _solve_backward},
    shown={"B_shape": ""},
    constants=_factors(False),
    out=Out(exact=EXPECTED, inner="_linalg_solve_ex"),
)
def linalg_solve_ex(
    A: np.ndarray, B: np.ndarray, *, left: bool = True, check_errors: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """solve, which says in info whether it failed instead of raising.

    Shapes: (..., n, n) and (..., n, k) or (..., n).
    ~floats

    >>> torch.linalg.solve_ex(torch.tensor([[2., 0.], [0., 4.]]), torch.tensor([2., 2.])).result
    tensor([1.0000, 0.5000])
    """
    r, info = _solve(A, B, left)
    if check_errors:
        _check_solved("torch.linalg.solve_ex", info)
    return r, info


def _check_solved(name: str, info: np.ndarray) -> None:
    check_info(name, info, "The solver failed because the input matrix is singular.")


@composite(
    "linalg_solve(Tensor A, Tensor B, *, bool left=True, Tensor out=None) -> Tensor|fp32",
    method=False,
    function=False,
    out=Out(exact=EXPECTED),
)
def linalg_solve(A: Tensor, B: Tensor, *, left: bool = True, out: Any = None) -> Tensor:
    """The X with A X = B (left=False: X A = B).

    Shapes: (..., n, n) and (..., n, k) or (..., n) give B's shape.
    ~floats
    Errors: LinAlgError for a singular matrix.

    >>> torch.linalg.solve(torch.tensor([[2., 0.], [0., 4.]]), torch.tensor([2., 2.]))
    tensor([1.0000, 0.5000])
    """
    if out is not None:
        refuse_into("_linalg_solve_ex", out, A, B)
    r, info = TENSORS.linalg_solve_ex(A, B, left=left)
    _check_solved("torch.linalg.solve", info._array)
    return r if out is None else written(r, out, "linalg_solve", exact=EXPECTED)


RAW.linalg_solve = lambda a, b, left=True: _solve(a, b, left)[0]


def _triangular_backward(
    F: Any,
    grad: Any,
    input: Any,
    B_shape: tuple[int, ...],
    result: Any,
    upper: bool,
    left: bool,
    unitriangular: bool,
    needs: list[Any],
) -> Any:
    g_b = F.linalg_solve_triangular(adjoint(F, input), grad, upper=not upper, left=left, unitriangular=unitriangular)
    if not needs[0]:
        return None, g_b
    g_a = -(F.matmul(g_b, adjoint(F, result)) if left else F.matmul(adjoint(F, result), g_b))
    k = int(unitriangular)
    return F.triu(g_a, k) if upper else F.tril(g_a, -k), g_b


@op(
    """
    linalg_solve_triangular(Tensor input, Tensor B, *, bool upper, bool left=True, bool unitriangular=False,
        Tensor out=None) -> Tensor
    """,
    method=False,
    function=False,
    vjp={"input B": _triangular_backward},
    shown={"B_shape": ""},
    out=Out(exact="expected scalar type {0} but found {1}", overlap="part"),
)
def linalg_solve_triangular(
    input: np.ndarray, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> np.ndarray:
    """The X with A X = B for a triangular A, whose other triangle is not read.

    Shapes: (..., n, n) and (..., n, k) give (..., n, k).
    ~floats

    >>> torch.linalg.solve_triangular(torch.tensor([[1., 1.], [0., 2.]]), torch.tensor([[3.], [2.]]), upper=True)
    tensor([[2.],
            [1.]])
    """
    A = input
    square_shape("linalg.solve_triangular", A)
    if B.ndim < 2:
        raise RuntimeError("linalg.solve_triangular: The input tensor B must have at least 2 dimensions.")
    square("linalg.solve_triangular", A, kernel="triangular_solve_cpu", integers=True)
    n = A.shape[-1]
    if B.shape[-2 if left else -1] != n:
        raise RuntimeError(
            f"linalg.solve_triangular: Incompatible shapes of A and B for the equation "
            f"{'AX = B' if left else 'XA = B'} ({n}x{n} and {B.shape[-2]}x{B.shape[-1]})"
        )
    broadcast_shapes(A.shape[:-2], B.shape[:-2])
    B = B.astype(A.dtype, copy=False)
    if left:
        return columns(substitute(A, B, upper, unitriangular))
    return columns(substitute(A.swapaxes(-1, -2), B.swapaxes(-1, -2), not upper, unitriangular).swapaxes(-1, -2))


def _old_triangular_backward(
    F: Any,
    grads: list[Any],
    A: Any,
    upper: bool,
    transpose: bool,
    unitriangular: bool,
    solution: Any,
    needs: list[Any],
) -> list[Any]:
    """The gradients of b and of A, of which the second output is a copy."""
    by_solution, by_copy = grads
    if by_solution is None:
        return [F.zeros_of(solution, tuple(solution.shape)), by_copy]
    g_b = F._triangular_solve(by_solution, F.conj(A), upper, not transpose, unitriangular)[0]
    if not needs[1]:
        return [g_b, None]
    if transpose:
        g_a = -F.matmul(F.conj(solution), F.transpose(g_b, -2, -1))
    else:
        g_a = -F.matmul(g_b, adjoint(F, solution))
    k = int(unitriangular)
    g_a = F.triu(g_a, k) if upper else F.tril(g_a, -k)
    return [g_b, g_a if by_copy is None else g_a + by_copy]


def _old_triangular_jvp(
    F: Any, tangents: list[Any], A: Any, upper: bool, transpose: bool, unitriangular: bool, solution: Any
) -> tuple[Any, Any]:
    """PyTorch takes the tangent of A whole, and as it is, even where A is transposed."""
    by_b, by_A = tangents
    change = None if by_A is None else -F.matmul(by_A, solution)
    change = by_b if change is None else change if by_b is None else by_b + change
    return F._triangular_solve(change, A, upper, transpose, unitriangular)[0], by_A


@op(
    "_triangular_solve",
    "input A",
    node="TriangularSolveBackward0",
    outputs=("solution", "cloned_coefficient"),
    returns=_TRIANGULAR_SOLVE,
    vjp={"input A": _old_triangular_backward},
    jvp={"input A": _old_triangular_jvp},
    shown={"A": "A"},
    also=("input",),
)
def _triangular_solve(
    input: Any, A: np.ndarray, upper: bool, transpose: bool, unitriangular: bool
) -> tuple[np.ndarray, np.ndarray]:
    refuse(A, "triangular_solve_cpu", BOOL + INTEGERS + HALF)
    m = A.swapaxes(-1, -2) if transpose else A
    batch = broadcast_shapes(input.shape[:-2], A.shape[:-2])
    copied = columns(np.array(np.broadcast_to(A, (*batch, *A.shape[-2:]))))
    return columns(substitute(m, input, upper != transpose, unitriangular)), copied


@composite(
    """
    triangular_solve(Tensor input, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False, *,
        Tensor[2] out=None) -> (Tensor solution, Tensor cloned_coefficient)|fp32|.default|.X
    """,
    out=Out(exact=EXPECTED),
)
def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
    *,
    out: Any = None,
) -> Any:
    """The X with A X = b for a triangular A; linalg.solve_triangular is its successor.

    Shapes: b (..., n, k) and A (..., n, n).
    ~floats

    >>> torch.triangular_solve(torch.tensor([[3.], [2.]]), torch.tensor([[1., 1.], [0., 2.]])).solution
    tensor([[2.],
            [1.]])
    """
    for name, t in (("b", input), ("A", A)):
        if t.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {t.ndim} "
                "dimensions instead"
            )
    _check_system("triangular_solve", input._array, A._array)
    warn_once(
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a "
        "future PyTorch release.\n"
        "torch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of the inputs.\n"
        "X = torch.triangular_solve(B, A).solution\n"
        "should be replaced with\n"
        "X = torch.linalg.solve_triangular(A, B).",
        at="aten/src/ATen/native/BatchLinearAlgebra.cpp:2273",
    )
    r = TENSORS._triangular_solve(input, A, upper, transpose, unitriangular)
    return r if out is None else written_all(r, out)


def _check_system(name: str, b: np.ndarray, A: np.ndarray) -> None:
    """PyTorch's errors for matrices that do not form a system A X = b."""
    check_types(b, A)
    n, m = A.shape[-2:]
    if n != m:
        raise RuntimeError(f"A must be batches of square matrices, but they are {n} by {m} matrices")
    check_sizes(name, b, A)


def _cholesky_solve_backward(F: Any, grad: Any, input2: Any, result: Any, upper: bool, needs: list[Any]) -> Any:
    g = F.cholesky_solve(grad, input2, upper)
    if not needs[1]:
        return g, None
    both = F.matmul(g, adjoint(F, result))
    both = both + adjoint(F, both)
    return g, -(F.matmul(input2, both) if upper else F.matmul(both, input2))


def _cholesky_solve(b: np.ndarray, factor: np.ndarray, upper: bool) -> np.ndarray:
    low = factor.swapaxes(-1, -2).conj() if upper else factor
    return columns(substitute(low.swapaxes(-1, -2).conj(), substitute(low, b, False), True))


@op(
    "cholesky_solve(Tensor input, Tensor input2, bool upper=False, *, Tensor out=None) -> Tensor|fp32",
    vjp={"input input2": _cholesky_solve_backward},
    also=("input",),
    out=safe("cholesky_solve"),
)
def cholesky_solve(input: Any, input2: np.ndarray, upper: bool = False) -> np.ndarray:
    """The X with A X = B, given the Cholesky factor of A.

    Shapes: (..., n, k) and (..., n, n) give (..., n, k).
    ~floats

    >>> torch.cholesky_solve(torch.tensor([[4.], [16.]]), torch.tensor([[2., 0.], [0., 4.]]))
    tensor([[1.],
            [1.]])
    """
    for name, x in (("b", input), ("u", input2)):
        if x.ndim < 2:
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {x.ndim} dimensions instead")
    _check_system("cholesky_solve", input, input2)
    if input.dtype.kind not in "fcV" or input.dtype.itemsize == 2:
        raise unsupported("cholesky_solve_cpu", input.dtype)
    return _cholesky_solve(input, input2, upper)


def _cholesky_inverse_backward(F: Any, grad: Any, input: Any, result: Any, upper: bool) -> Any:
    both = F.matmul(result, F.matmul(grad + adjoint(F, grad), result))
    return -(F.matmul(input, both) if upper else F.matmul(both, input))


def _cholesky_inverse_jvp(F: Any, tangent: Any, input: Any, result: Any, upper: bool) -> Any:
    factor, low = (input, adjoint(F, tangent)) if upper else (adjoint(F, input), tangent)
    half = -F.matmul(F.matmul(F.matmul(result, low), factor), result)
    return half + adjoint(F, half)


@op(
    "cholesky_inverse(Tensor input, bool upper=False, *, Tensor out=None) -> Tensor|fp32",
    vjp={"input": _cholesky_inverse_backward},
    jvp={"input": _cholesky_inverse_jvp},
    out=safe("cholesky_inverse"),
)
def cholesky_inverse(input: np.ndarray, upper: bool = False) -> np.ndarray:
    """The inverse of a matrix, given its Cholesky factor.

    Shapes: (..., n, n).
    ~floats

    >>> torch.cholesky_inverse(torch.tensor([[2., 0.], [1., 1.]]))
    tensor([[ 0.5000, -0.5000],
            [-0.5000,  1.0000]])
    """
    square("cholesky_inverse", input, kernel="cholesky_inverse_out_cpu", integers=True)
    zero = np.diagonal(input, axis1=-2, axis2=-1) == 0
    if zero.any():
        check_info("cholesky_inverse", np.where(zero.any(-1), zero.argmax(-1) + 1, 0), SINGULAR)
    return _cholesky_solve(np.broadcast_to(np.eye(input.shape[-1], dtype=input.dtype), input.shape), input, upper)


@composite(
    "lu_solve(Tensor input, Tensor LU_data, Tensor LU_pivots, *, Tensor out=None) -> Tensor|fp32|looped_alone",
    out=Out(exact=EXPECTED),
)
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Any = None) -> Tensor:
    """The X with A X = B, given the LU factors of A.
    sig: (b, LU_data, LU_pivots, *, out=None)

    Shapes: (..., n, k), (..., n, n) and (..., n) give (..., n, k).
    ~floats

    >>> A = torch.tensor([[2., 0.], [0., 4.]])
    >>> LU, pivots = torch.linalg.lu_factor(A)
    >>> torch.lu_solve(torch.tensor([[2.], [2.]]), LU, pivots)
    tensor([[1.0000],
            [0.5000]])
    """
    warn_once(
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch "
        "release.\n"
        "Note that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\n"
        "should be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)",
        at="aten/src/ATen/native/BatchLinearAlgebra.cpp:2230",
    )
    return TENSORS.linalg_lu_solve(LU_data, LU_pivots, input, out=out)


# -- pseudo-inverses, least squares ------------------------------------------------------------------------------------


def _pinv_backward(F: Any, grad: Any, A: Any, result: Any) -> Any:
    gh, ph = adjoint(F, grad), adjoint(F, result)
    if A.shape[-2] <= A.shape[-1]:
        k = F.matmul(gh, result)
        kp = F.matmul(k, ph)
        return (
            -adjoint(F, F.matmul(result, k))
            + kp
            - matmul(F, A, result, kp)
            + matmul(F, ph, result, gh - F.matmul(k, A))
        )
    k = F.matmul(result, gh)
    pk = F.matmul(ph, k)
    return -adjoint(F, F.matmul(k, result)) + matmul(F, gh - F.matmul(A, k), result, ph) + pk - matmul(F, pk, result, A)


def cutoff(values: np.ndarray, size: int, atol: Any, rtol: Any) -> np.ndarray:
    """Below which singular values count as zero: max(atol, rtol * the largest)."""
    atol = np.asarray(0.0 if atol is None else atol)
    rtol = np.where(atol > 0, 0.0, np.finfo(values.dtype).eps * size) if rtol is None else np.asarray(rtol)
    largest = values.max(-1, initial=0)
    broadcast_shapes(atol.shape, broadcast_shapes(rtol.shape, largest.shape))
    return np.maximum(atol, rtol * largest)


def tolerances(name: str, *given: Any, words: tuple[str, ...] = ("atol", "rtol")) -> list[Any]:
    """atol and rtol, which may be tensors, but no complex ones."""
    for word, v in zip(words, given, strict=True):
        if isinstance(v, Tensor) and v._array.dtype.kind == "c":
            raise RuntimeError(f"{name}: {word} tensor of complex type is not supported. Got {scalar_name(v._array)}")
    return [v._array if isinstance(v, Tensor) else v for v in given]


@op(
    """
    linalg_pinv(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False,
        Tensor out=None) -> Tensor|.atol_rtol_tensor
    linalg_pinv(Tensor input, *, float? atol=None, float? rtol=None, bool hermitian=False,
        Tensor out=None) -> Tensor|.atol_rtol_float
    linalg_pinv(Tensor input, Tensor rcond, bool hermitian=False, *,
        Tensor out=None) -> Tensor|.rcond_tensor|.out_rcond_tensor
    linalg_pinv(Tensor input, float rcond, bool hermitian=False, *, Tensor out=None) -> Tensor
    """,
    "input",
    method=False,
    function=False,
    vjp={"input": lambda F, grad, input, result: _pinv_backward(F, grad, input, result)},
)
def linalg_pinv(input: np.ndarray, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> np.ndarray:
    A = input
    if A.ndim < 2 or A.dtype.kind not in "fc" or A.dtype.itemsize == 2:
        raise RuntimeError(
            f"linalg.pinv({scalar_name(A)}{{{list(A.shape)}}}): expected a tensor with 2 or more dimensions of float, "
            "double, cfloat or cdouble types"
        )
    atol, rtol = tolerances("torch.linalg.pinv", atol, rtol)
    if not A.size:
        return np.empty((*A.shape[:-2], A.shape[-1], A.shape[-2]), A.dtype)
    if hermitian:
        square("linalg.eigh", A)
        values, vectors = symmetric_eigen(A)
        keep = np.abs(values) > cutoff(np.abs(values), A.shape[-1], atol, rtol)[..., None]
        inverse_values = np.where(keep, 1 / np.where(keep, values, 1), 0)
        return np.ascontiguousarray((vectors * inverse_values[..., None, :]) @ vectors.swapaxes(-1, -2).conj())
    u, s, vh = singular_values(A, False)
    keep = s > cutoff(s, max(A.shape[-2:]), atol, rtol)[..., None]
    inverse_values = np.where(keep, 1 / np.where(keep, s, 1), 0).astype(s.dtype)
    r = (vh.swapaxes(-1, -2).conj() * inverse_values[..., None, :]) @ u.swapaxes(-1, -2).conj()
    return np.ascontiguousarray(r)


@composite("pinverse(Tensor input, float rcond=1e-15) -> Tensor|fp32")
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """The pseudo-inverse: of singular and of rectangular matrices too.

    Shapes: (..., m, n) gives (..., n, m).
    ~floats

    >>> torch.pinverse(torch.tensor([[1., 0.], [0., 0.]]))
    tensor([[1., 0.],
            [0., 0.]])
    """
    return TENSORS.linalg_pinv(input, rtol=rcond)


def _require_full_rank(A: np.ndarray) -> None:
    """LAPACK's gels divides by the diagonal of a triangular factor and gives up at its first 0; a matrix of zeros alone
    it does not factor."""
    tall = A if A.shape[-2] >= A.shape[-1] else A.swapaxes(-1, -2)
    zero = np.diagonal(np.linalg.qr(tall, "r"), 0, -2, -1) == 0
    singular = zero.any(-1) & A.any((-2, -1))
    if singular.any():
        first = np.unravel_index(singular.argmax(), singular.shape)
        where = f"(Batch element {singular.argmax()}): " if singular.ndim else ""
        raise LinAlgError(
            f"torch.linalg.lstsq: {where}The least squares solution could not be computed because the input matrix "
            f"does not have full rank (error code: {zero[first].argmax() + 1})."
        )


def _lstsq_backward(F: Any, grads: Any, input: Any, b: Any, solution: Any, needs: Any) -> Any:
    residuals = grads[1] is not None and bool(grads[1].shape[-1])
    if grads[0] is None and not residuals:
        return None, None
    p = F.linalg_pinv(input)
    vector = len(b.shape) < len(input.shape)
    grad = F.zeros_of(solution, tuple(solution.shape)) if grads[0] is None else grads[0]
    g, rhs, x = (F.unsqueeze(t, -1) for t in (grad, b, solution)) if vector else (grad, b, solution)
    g_a = _pinv_backward(F, F.matmul(g, adjoint(F, rhs)), input, p) if needs[0] else None
    g_b = F.matmul(adjoint(F, p), g)
    if residuals:  # the sums of squares that are left: there the solution is stationary
        gap, by_gap = F.matmul(input, x) - rhs, F.unsqueeze(grads[1], -2)
        g_b = g_b + F.mul_number(by_gap, -2) * gap
        g_a = None if g_a is None else g_a + F.mul_number(F.matmul(by_gap * gap, adjoint(F, x)), 2)
    return g_a, F.squeeze(g_b, -1) if vector else g_b


def _limit(A: Any, rcond: float | None, driver: str | None) -> float:
    """Below which part of the largest singular value others count as 0; LAPACK's drivers read odd numbers as eps."""
    eps = float(np.finfo(A.dtype).eps)
    if driver == "gels":
        return 0.0
    if rcond is None:
        return eps * max(A.shape[-2:])
    return eps if rcond < 0 or (driver == "gelsd" and not 0 < rcond < 1) else rcond


def _by_singular_values(A: Any, rhs: Any, limit: float) -> tuple[Any, Any, Any]:
    """The shortest of the closest solutions, the rank and the singular values, of which small ones are left out."""
    u, s, vh = svd(A)
    keep = s > limit * s.max(-1, initial=0)[..., None]
    weights = np.where(keep, 1 / np.where(keep, s, 1), 0).astype(s.dtype)
    x = vh.swapaxes(-1, -2).conj() @ (weights[..., None] * (u.swapaxes(-1, -2).conj() @ rhs))
    return x, keep.sum(-1).astype(np.int64), s


@op(
    """
    linalg_lstsq(Tensor input, Tensor b, float? rcond=None, *, str? driver=None,
        Tensor[4] out=None) -> (Tensor solution, Tensor residuals, Tensor rank, Tensor singular_values)|fp32
    """,
    method=False,
    function=False,
    outputs=("solution", "residuals", "rank", "singular_values"),
    differentiable=2,
    returns=named("linalg_lstsq", ("solution", "residuals", "rank", "singular_values")),
    vjp={"input b": _lstsq_backward},
)
def linalg_lstsq(input: Any, b: Any, rcond: Any = None, *, driver: Any = None) -> Any:
    """The X for which A X comes closest to B.

    Shapes: (..., m, n) and (..., m, k) give the solution (..., n, k).
    ~floats

    >>> A = torch.tensor([[1., 0.], [1., 1.], [1., 2.]])
    >>> torch.linalg.lstsq(A, torch.tensor([[1.], [3.], [5.]])).solution
    tensor([[1.0000],
            [2.0000]])
    """
    A = input
    if A.ndim < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    if b.ndim < 1:
        raise RuntimeError("torch.linalg.lstsq: other must have at least 1 dimension.")
    if A.dtype != b.dtype:
        raise RuntimeError(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype "
            f"{scalar_name(A)} and other's dtype {scalar_name(b)}"
        )
    if not 0 <= A.ndim - b.ndim <= 1:
        raise RuntimeError(
            "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) "
            "<= 1"
        )
    vector = b.ndim == 1 or A.shape[:-1] == b.shape
    dim = -1 if vector else -2
    if b.shape[dim] != A.shape[-2]:
        raise RuntimeError(f"torch.linalg.lstsq: input.size(-2) should match other.size({dim})")
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    rhs = b[..., None] if vector else b
    if b.ndim < A.ndim and not vector:  # rows count as matrices of a batch too
        rhs = np.broadcast_to(b, (*broadcast_shapes(A.shape[:-2], b.shape[:-1]), *b.shape[-2:]))
    m, n = A.shape[-2:]
    if A.dtype.kind not in "fc" or A.dtype.itemsize == 2:
        raise RuntimeError("This function doesn't handle types other than float and double")
    if driver == "gels" and A.size:
        _require_full_rank(A)
    x, rank, s = _by_singular_values(A, rhs, _limit(A, rcond, driver))
    residuals = np.empty(0, A.real.dtype)
    if m > n and driver != "gelsy" and driver is not None and (rank == n).all():
        gap = A @ x - rhs
        residuals = (gap * gap.conj()).real.sum(-2)
    values = s if driver in ("gelsd", "gelss") else np.empty(0, s.dtype)
    # column by column, in memory where LAPACK has all rows of b
    whole = np.empty((*x.shape[:-2], x.shape[-1], max(m, n)), x.dtype).swapaxes(-1, -2)
    whole[..., :n, :] = x
    return (
        (whole[..., :n, 0] if vector else whole[..., :n, :]),
        residuals,
        (np.empty(0, np.int64) if driver == "gels" else rank),
        values,
    )
