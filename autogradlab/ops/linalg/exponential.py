"""The matrix exponential, and products of Householder reflections."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
from ..first.kinds import BOOL, HALF, INTEGERS, in_single, refuse
from ..first.products import UNSAFE, written
from ..table.arguments import reject
from ..table.opdef import alias, composite, op
from ..table.outputs import safe, same_dtype
from .factors import columns, real_type, square, weighted


def _exp_backward(F: Any, grad: Any, input: Any) -> Any:
    n = input.shape[-1]
    found = F.linalg_matrix_exp(F.triangle_of_blocks(adjoint(F, input), grad))
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


#: up to which norm a matrix is exponentiated by a polynomial of degree 1, 2, 4, 8, 12 and 18, in float32 and float64
_NORMS = {
    4: (1.192092800768788e-07, 5.978858893805233e-04, 5.116619363445086e-02, 5.800524627688768e-01)
    + (1.461661507209034e00, 3.010066362817634e00),
    8: (2.220446049250313e-16, 2.580956802971767e-08, 3.397168839976962e-04, 4.991228871115323e-02)
    + (2.996158913811580e-01, 1.090863719290036e00),
}
# Taylor's polynomials with the fewest products of matrices, as Bader, Blanes and Casas have found them (2019)
_ROOT = math.sqrt(177)
_X3 = 2 / 3
_X1, _X2 = _X3 * (1 + _ROOT) / 88, _X3 * (1 + _ROOT) / 352
_OF_8 = (
    (-271 + 29 * _ROOT) / (315 * _X3),
    (-11 + 11 * _ROOT) / (1260 * _X3),
    (-99 + 11 * _ROOT) / (5040 * _X3),
    (89 - _ROOT) / (5040 * _X3),
)
_Y2 = (857 - 58 * _ROOT) / 630
_OF_12 = (
    (9.0198e-16, 0.46932117595418237389, -0.20099424927047284052, -0.04623946134063071740),
    (5.31597895759871264183, 1.19926790417132231573, 0.01179296240992997031, 0.01108844528519167989),
    (0.18188869982170434744, 0.05502798439925399070, 0.09351590770535414968, 0.00610700528898058230),
    (-2.0861320e-13, -0.13181061013830184015, -0.02027855540589259079, -0.00675951846863086359),
)
_OF_18 = (
    (0.0, -1.00365581030144618291e-01, -8.02924648241156932449e-03, -8.92138498045729985177e-04, 0.0),
    (
        0.0,
        3.97849749499645077844e-01,
        1.36783778460411720168e00,
        4.98289622525382669416e-01,
        -6.37898194594723280150e-04,
    ),
    (-1.09676396052962061844e01, 1.68015813878906206114e00, 5.71779846478865511061e-02)
    + (-6.98210122488052056106e-03, 3.34975017086070470649e-05),
    (-9.04316832390810593223e-02, -6.76404519071381882256e-02, 6.75961301770459654925e-02)
    + (2.95552570429315521194e-02, -1.39180257516060693404e-05),
    (0.0, 0.0, -9.23364619367118555360e-02, -1.69364939002081722752e-02, -1.40086798182036094347e-05),
)


def _combined(factors: Sequence[float], *matrices: np.ndarray) -> np.ndarray:
    """The sum of the matrices times the factors, in their dtype, one by one."""
    total = np.zeros_like(matrices[0])
    for factor, matrix in zip(factors, matrices, strict=True):
        total = total + matrix * matrix.dtype.type(factor)
    return total


def _taylor(A: np.ndarray, degree: int) -> np.ndarray:
    """The polynomial of the exponential of that degree."""
    one = np.broadcast_to(np.eye(A.shape[-1], dtype=A.dtype), A.shape)
    if degree == 1:
        return one + A
    A2 = A @ A
    if degree == 2:
        return _combined((1, 1, 0.5), one, A, A2)
    if degree == 4:
        return _combined((1, 1, 1), one, A, A2 @ _combined((1 / 2, 1 / 6, 1 / 24), one, A, A2))
    if degree == 8:
        A4 = A2 @ _combined((_X1, _X2), A, A2)
        A8 = _combined((_X3, 1), A2, A4) @ _combined(_OF_8, one, A, A2, A4)
        return _combined((1, 1, _Y2, 1), one, A, A2, A8)
    A3 = A @ A2
    if degree == 12:
        a, b, c, d = (_combined(row, one, A, A2, A3) for row in _OF_12)
        c = c + d @ d
        return a + (b + c) @ c
    a, b, c, d, e = (_combined(row, one, A, A2, A3, A3 @ A3) for row in _OF_18)
    d = d + a @ e
    return b + (c + d) @ d


def _exponentials(A: np.ndarray) -> np.ndarray:
    """The exponentials of matrices in a row: each by the polynomial that its norm takes, or halved before and squared
    afterwards."""
    norms = np.abs(A).sum(-2).max(-1)
    bounds = np.array(_NORMS[real_type(A).itemsize][:5], norms.dtype)
    last = norms.dtype.type(_NORMS[real_type(A).itemsize][5])
    r = np.empty_like(A)
    chosen = np.searchsorted(bounds, norms)  # a NaN comes last
    for place, degree in enumerate((1, 2, 4, 8, 12)):
        if (which := chosen == place).any():
            r[which] = _taylor(A[which], degree)
    for i in np.flatnonzero(chosen == 5):
        ratio = np.log2(norms[i] / last)
        times = max(0, math.ceil(ratio)) if math.isfinite(ratio) else 0
        x = _taylor(A[i] / A.dtype.type(2**times), 18)
        for _ in range(times):
            x = x @ x
        r[i] = x
    return r


@op(
    "linalg_matrix_exp(Tensor input) -> Tensor",
    "input",
    method=False,
    function=False,
    vjp={"input": _exp_backward},
)
def linalg_matrix_exp(input: np.ndarray) -> np.ndarray:
    """The sum of input**k / k!: the exponential of square matrices.

    Shapes: (..., n, n).
    ~floats

    >>> torch.matrix_exp(torch.tensor([[0., 1.], [0., 0.]]))
    tensor([[1., 1.],
            [0., 1.]])
    """
    square("linalg.matrix_exp", input, low=False)
    if not input.size:
        return input.copy()
    if input.shape[-1] == 1:
        return np.exp(input)
    if input.itemsize == 2:
        return in_single(linalg_matrix_exp, input)  # PyTorch's halves are noise: it has no bounds of norms for them
    return _exponentials(np.ascontiguousarray(input).reshape(-1, *input.shape[-2:])).reshape(input.shape)


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
    if tau.dtype != input.dtype:
        raise RuntimeError(
            f"torch.linalg.householder_product: tau dtype {scalar_name(tau)} does not match input dtype "
            f"{scalar_name(input)}"
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
        return _given(F.clone(A, memory_format=FORMATS["contiguous_format"]), out)
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
