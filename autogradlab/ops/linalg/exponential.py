"""The matrix exponential, and products of Householder reflections."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.arguments.mismatch import typename
from ...core.recording.record import RAW
from ...core.recording.record import TENSORS as F
from ...core.tensor.tensor import Tensor, wrap
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import scalar_name
from ...core.types.layouts import FORMATS
from ...core.values.promotion import can_cast, plain_number
from ..common.blas import adjoint, lift
from ..first.kinds import BOOL, HALF, INTEGERS, refuse
from ..first.products import UNSAFE, written
from ..table.arguments import reject
from ..table.opdef import alias, composite, op
from ..table.outputs import safe, same_dtype
from .factors import columns, real_type, square, weighted


def _exp_backward(F: Any, grad: Any, A: Any) -> Any:
    n = A.shape[-1]
    found = F.linalg_matrix_exp(F.triangle_of_blocks(adjoint(F, A), grad))
    return F.slice(F.slice(found, -2, 0, n, 1), -1, n, 2 * n, 1)


def _blocks(a: Any, beside: Any) -> Any:
    """The matrix [[a, beside], [0, a]]."""
    zero = RAW.zeros_of(a, a.shape)
    return RAW.cat([RAW.cat([a, beside], -1), RAW.cat([zero, a], -1)], -2)


def _blocks_recorded(a: Tensor, beside: Tensor) -> Tensor:
    n = a.shape[-1]
    block: Tensor = F.zeros_of(beside, (*a.shape[:-2], 2 * n, 2 * n), a)
    for row, column, part in ((0, 0, a), (n, n, a), (0, n, beside)):
        F.copy_(F.slice(F.slice(block, -2, row, row + n, 1), -1, column, column + n, 1), part)
    return block


RAW.triangle_of_blocks, F.triangle_of_blocks = _blocks, _blocks_recorded


_PADE = (
    64764752532480000,
    32382376266240000,
    7771770303897600,
    1187353796428800,
    129060195264000,
    10559470521600,
    670442572800,
    33522128640,
    1323241920,
    40840800,
    960960,
    16380,
    182,
    1,
)


@op(
    "linalg_matrix_exp(Tensor input) -> Tensor",
    "A",
    method=False,
    function=False,
    vjp={"A": _exp_backward},
    shown={"A": "self"},
)
def linalg_matrix_exp(A: np.ndarray) -> np.ndarray:
    """The sum of A**k / k!: the exponential of square matrices.

    Shapes: (..., n, n).
    ~floats

    >>> torch.matrix_exp(torch.tensor([[0., 1.], [0., 0.]]))
    tensor([[1., 1.],
            [0., 1.]])
    """
    square("linalg.matrix_exp", A, low=False)
    if not A.size:
        return A.copy()
    x = A.astype(np.result_type(A.dtype, np.float64))
    norm = np.abs(x).sum(-2).max(initial=0)
    squarings = max(0, int(np.ceil(np.log2(norm / 5.37)))) if np.isfinite(norm) and norm > 5.37 else 0
    x = x / 2**squarings
    b = _PADE
    one = np.eye(A.shape[-1])
    x2 = x @ x
    x4 = x2 @ x2
    x6 = x4 @ x2
    u = x @ (x6 @ (b[13] * x6 + b[11] * x4 + b[9] * x2) + b[7] * x6 + b[5] * x4 + b[3] * x2 + b[1] * one)
    v = x6 @ (b[12] * x6 + b[10] * x4 + b[8] * x2) + b[6] * x6 + b[4] * x4 + b[2] * x2 + b[0] * one
    r = np.linalg.solve(v - u, v + u)
    for _ in range(squarings):
        r = r @ r
    return np.ascontiguousarray(r.astype(A.dtype))


alias("matrix_exp", "linalg_matrix_exp")


def householder_backward(F: Any, grad: Any, input: Any, tau: Any) -> list[Any]:
    """Each reflection 1 - tau v v^H stands between those before it, which act on the gradient, and those after it."""
    m, n = input.shape[-2:]
    count = tau.shape[-1]
    if not count or 0 in input.shape:
        return [None, None]
    size = lambda i: F.unsqueeze(F.slice(tau, -1, i, i + 1, 1), -1)
    below = [(np.arange(m) > i).astype(float)[:, None] for i in range(count)]
    eye = np.eye(m, n)
    d = real_type(input)
    vectors = [
        weighted(F, F.slice(input, -1, i, i + 1, 1), below[i]) + lift(F, eye[:, i : i + 1].astype(d))
        for i in range(count)
    ]
    after = [lift(F, eye.astype(d)) + F.zeros_of(input, tuple(input.shape))]
    for i in range(count - 1, 0, -1):
        v, r = vectors[i], after[-1]
        after.append(r - size(i) * F.matmul(v, F.matmul(adjoint(F, v), r)))
    columns_, taus = [], []
    for v, i, r in zip(vectors, range(count), reversed(after), strict=False):
        wr = F.matmul(grad, adjoint(F, r))
        by_v, by_vh = F.matmul(wr, v), F.matmul(adjoint(F, wr), v)
        taus.append(-F.squeeze(F.matmul(adjoint(F, v), by_v), -1))
        columns_.append(-weighted(F, F.conj(size(i)) * by_v + size(i) * by_vh, below[i]))
        grad = grad - F.conj(size(i)) * F.matmul(v, F.matmul(adjoint(F, v), grad))
    if count < n:
        columns_.append(F.zeros_of(input, (*input.shape[:-1], n - count)))
    return [F.cat(columns_, -1), F.cat(taus, -1)]


@op(
    "linalg_householder_product(Tensor input, Tensor tau, *, Tensor out=None) -> Tensor|fp32|input",
    method=False,
    function=False,
    vjp={
        "input tau": lambda F, grad, input, tau: householder_backward(F, grad, input, tau),
    },
    shown={"input": "input"},
    also=("result",),
    out=safe("torch.linalg.householder_product"),
)
def linalg_householder_product(input: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """The first columns of the product of Householder reflections, as geqrf stores them.

    Shapes: (..., m, n) and (..., k) give (..., m, n).
    ~floats

    >>> torch.orgqr(torch.tensor([[1.], [1.]]), torch.tensor([1.]))
    tensor([[ 0.],
            [-1.]])
    """
    if input.ndim < 2:
        raise RuntimeError("torch.linalg.householder_product: input must have at least 2 dimensions.")
    m, n = input.shape[-2:]
    if m < n:
        raise RuntimeError(
            "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1]"
        )
    if n < tau.shape[wrap_dim(-1, tau.ndim, scalar_ok=False)]:
        raise RuntimeError(
            "torch.linalg.householder_product: input.shape[-1] must be greater than or equal to tau.shape[-1]"
        )
    if input.ndim - tau.ndim != 1:
        raise RuntimeError(
            "torch.linalg.householder_product: Expected tau to have one dimension less than input, but got tau.ndim "
            f"equal to {tau.ndim} and input.ndim is equal to {input.ndim}"
        )
    if input.shape[:-2] != tau.shape[:-1]:
        raise RuntimeError(
            "torch.linalg.householder_product: Expected batch dimensions of tau to be equal to input.shape[:-2], but "
            f"got {list(tau.shape[:-1])}"
        )
    refuse(input, "orgqr_cpu", BOOL + INTEGERS + HALF)
    q = np.zeros(input.shape, input.dtype)
    q[...] = np.eye(m, n)
    for i in range(tau.shape[-1] - 1, -1, -1):
        v = np.array(input[..., :, i])
        v[..., :i] = 0
        v[..., i] = 1
        q -= tau[..., i, None, None] * v[..., :, None] * (v.conj()[..., None, :] @ q)
    return columns(q)


declare(
    "orgqr(Tensor input, Tensor input2, *, Tensor out=None) -> Tensor",
)
alias("orgqr", "linalg_householder_product")


# -- powers ------------------------------------------------------------------------------------------------------------


def _given(r: Tensor, out: Tensor | None) -> Tensor:
    """A result, or what becomes of `out` when it is copied there."""
    return r if out is None else written(r, out, "matrix_power")


@composite("_matrix_power", method=False, function=False)
def _power(A: Tensor, n: int, out: Tensor | None = None) -> Any:
    """The product of a matrix with itself, n times; negative n of its inverse. The last product is written to `out`."""
    x = A._array
    times = plain_number(n)
    if type(times) is not int:
        raise TypeError(f"linalg_matrix_power(): argument 'n' (position 2) must be int, not {typename(n)}")
    if x.ndim < 2:
        raise RuntimeError("linalg.matrix_power: The input tensor A must have at least 2 dimensions.")
    if x.shape[-1] != x.shape[-2]:
        raise RuntimeError(
            f"linalg.matrix_power: A must be batches of square matrices, but they are {x.shape[-2]} by "
            f"{x.shape[-1]} matrices"
        )
    n = times
    if out is not None and not can_cast(x.dtype, out._array.dtype):
        raise RuntimeError(UNSAFE.format(scalar_name(x), scalar_name(out), name="matrix_power"))
    options = {} if out is None else {"out": out}
    if n == 0:
        eye = np.array(np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape))
        return _given(F.clone(A, memory_format=FORMATS["contiguous_format"]).copy_(wrap(eye)), out)
    if n == 1:
        return _given(F.clone(A), out)
    if n == -1:
        if out is not None:
            same_dtype()(A, (out,))
        return F.linalg_inv(A, **options)
    if n < 0:
        A, n = F.linalg_inv(A), -n
    if n == 2:
        return F.matmul(A, A, **options)
    if n == 3:
        return F.matmul(F.matmul(A, A), A, **options)
    z: Tensor | None = None
    result: Tensor | None = None
    while n:
        z = A if z is None else F.matmul(z, z)
        bit, n = n & 1, n >> 1
        if bit:
            if result is None:
                result = z if n else _given(z, out)
            else:
                result = F.matmul(result, z, **({} if n else options))
    return result


def _matrix_power(method: bool) -> Any:
    def matrix_power(input: Tensor, n: int, *, out: Any = None) -> Tensor:
        """A matrix multiplied by itself n times; its inverse for negative n."""
        if not isinstance(input, Tensor) or type(plain_number(n)) is not int:
            reject("matrix_power", (input, n), {}, method)
        return _power(input, n, out)

    return matrix_power


declare(
    "matrix_power(Tensor input, int n, *, Tensor out=None) -> Tensor",
    """
    The product of a square matrix with itself, n times; negative n of its inverse.

    Shapes: (..., n, n).
    Dtypes: floating and complex; integers for n >= 0.

    >>> torch.matrix_power(torch.tensor([[1., 1.], [0., 1.]]), 3)
    tensor([[1., 3.],
            [0., 1.]])
    """,
)
composite(method=False)(_matrix_power(False))
composite(function=False)(_matrix_power(True))
