"""Norms of vectors and matrices, and distances between vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.arguments.mismatch import typename
from ...core.memory.adding import in_lanes
from ...core.memory.layout import contiguous
from ...core.memory.together import along
from ...core.recording.record import RAW, TENSORS, not_implemented, says
from ...core.tensor.tensor import Tensor
from ...core.types.dims import all_dims, wrap_dim
from ...core.types.dtypes import dtype, from_numpy, promote, scalar_name
from ...core.values.promotion import broadcast_shapes
from ..common.distances import norm_along
from ..first.kinds import HALF, magnitude, refuse
from ..first.products import written
from ..table.asking import Operator
from ..table.families import method
from ..table.opdef import composite, op
from ..table.outputs import EXPECTED, Out
from ..table.signatures import explain
from .distances import distances, distances_backward
from .factors import floats, matrices

_INF = float("inf")
#: what is said of an out= tensor of another dtype
_OTHER = " expected out tensor dtype {0} but got: {1}"


def _slope(ord: Any) -> tuple[str, str] | None:
    """Words for the gradient of a norm."""
    match float(ord):
        case math.inf:
            return "g shared among the elements of the largest size", "平分给绝对值最大的元素的 g"
        case 1.0:
            return "g·sign({self})", "g·sign({self})"
        case 2.0:
            return "g·{self}/{result}", "g·{self}/{result}"
    return None


@says(_slope)
def _norm_backward(F: Any, grad: Any, input: Any, result: Any, ord: float, dim: Any, keepdim: bool, dtype: Any) -> Any:
    if dtype is not None:
        input = F.to(input, dtype) if F is TENSORS else input.astype(dtype.numpy)
    shape = tuple(input.shape)
    return F.norm_back(
        F.restored(grad, shape, dim, keepdim), input, F.restored(result, shape, dim, keepdim), float(ord), dim
    )


def _norm_jvp(F: Any, tangent: Any, input: Any, result: Any, ord: float, dim: Any, keepdim: bool, dtype: Any) -> Any:
    if dtype is not None:
        input, tangent = F.to(input, dtype), F.to(tangent, dtype)
    return norm_along(F, tangent, input, result, float(ord), dim, keepdim)


def _check_dtype(name: str, x: np.ndarray, given: dtype) -> None:
    """PyTorch's errors for the dtype in which a norm is asked for."""
    own = from_numpy(x.dtype)
    if not (given.is_floating_point or given.is_complex):
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {scalar_name(given)}")
    if own.is_complex is not given.is_complex:
        kind = "complex" if own.is_complex else "real"
        raise RuntimeError(f"{name}: dtype should be {kind} for {kind} inputs, but got {scalar_name(given)}")
    if promote(own, given) is not given:
        raise RuntimeError(
            f"{name}: the dtype of the input ({scalar_name(own)}) should be convertible without narrowing to the "
            f"specified dtype ({scalar_name(given)})"
        )


def _refuse_complex(name: str, ord: Any) -> None:
    if isinstance(ord, complex):
        raise RuntimeError(f"{name}: Expected a non-complex scalar as the order of norm.")


@op(
    """
    linalg_vector_norm(Tensor input, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None,
        Tensor out=None) -> Tensor
    """,
    method=False,
    function=False,
    vjp={"input": _norm_backward},
    jvp={"input": _norm_jvp},
    shown={"dtype": ""},
    dim_list=True,
    out=Out(exact=EXPECTED),
    inner_writes=lambda x, ord, dim, *_: (
        (x.ndim > 0 or dim is None) and all(x.shape[d] < 2 for d in all_dims(dim, x.ndim))
    ),
    together=along(2),
)
def linalg_vector_norm(
    input: np.ndarray, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> np.ndarray:
    """The norm of order ord of all elements as one vector, or along dim.

    Shapes: input's without the dimensions of dim; 0-dim without dim.
    ~floats

    >>> torch.linalg.vector_norm(torch.tensor([3., -4.]))
    tensor(5.)
    >>> torch.linalg.vector_norm(torch.tensor([3., -4.]), ord=float('inf'))
    tensor(4.)
    """
    x = input
    _refuse_complex("linalg.vector_norm", ord)
    floats("linalg.vector_norm", x, low=False)
    p = float(ord)
    dims = all_dims(dim, x.ndim)
    if (p < 0 or p == _INF) and any(x.shape[d] == 0 for d in dims):
        name = f"{p:g}" if abs(p) == _INF else f"{ord:g}" if not isinstance(ord, int) else str(ord)
        asked = () if dim is None else dim if isinstance(dim, (tuple, list)) else (dim,)
        empty = next((d for d in asked if x.shape[d] == 0), None)
        why = (
            "an empty tensor because" if empty is None else f"the dimension {empty}because this dimension is empty and"
        )
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {name} norm on {why} the operation does not have an identity"
        )
    if dtype is not None:
        _check_dtype("linalg.vector_norm", x, dtype)
        x = x.astype(dtype.numpy)
    final = np.dtype(x.dtype.char.lower()) if x.dtype.kind == "c" else x.dtype
    work = np.dtype(np.float32) if final.itemsize == 2 else final
    size = x if p == 2 and x.dtype.kind != "c" else magnitude(x)  # whose sign its square has not
    size = size if size.dtype is work else size.astype(work)
    if p == 0:
        r = np.add.reduce(size != 0, axis=dims, keepdims=keepdim)
    elif p == 1:
        r = np.add.reduce(size, axis=dims, keepdims=keepdim)
    elif p == 2:
        r = np.sqrt(in_lanes(size * size, dims, keepdim))
    elif p in (_INF, -_INF):
        r = (np.max if p > 0 else np.min)(size, axis=dims, keepdims=keepdim)
    else:
        r = np.power(np.add.reduce(np.power(size, work.type(p)), axis=dims, keepdims=keepdim), work.type(1 / p))
    return np.asarray(contiguous(r)).astype(final, copy=False)


def _two(dim: Any, ndim: int, name: str) -> tuple[int, int]:
    a, b = (wrap_dim(d, ndim) for d in dim)
    if a == b:
        raise RuntimeError(f"{name}: dims must be different. Got ({dim[0]}, {dim[1]})")
    return a, b


@composite(
    """
    linalg_matrix_norm(Tensor input, Scalar ord, int[] dim={-2,-1}, bool keepdim=False, *, ScalarType? dtype=None,
        Tensor out=None) -> Tensor
    linalg_matrix_norm(Tensor input, str ord="fro", int[] dim={-2,-1}, bool keepdim=False, *, ScalarType? dtype=None,
        Tensor out=None) -> Tensor|.str_ord
    """,
    method=False,
    function=False,
)
def linalg_matrix_norm(
    input: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None, out: Any = None
) -> Tensor:
    """A norm of matrices: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf.

    Shapes: (..., m, n) gives (...), or (..., 1, 1) if keepdim.
    ~floats

    >>> x = torch.tensor([[3., 0.], [4., 0.]])
    >>> torch.linalg.matrix_norm(x), torch.linalg.matrix_norm(x, 1)
    (tensor(5.), tensor(7.))
    """
    F = TENSORS
    x = input._array
    _refuse_complex("linalg.matrix_norm", ord)
    word = ord if isinstance(ord, str) else format(ord, "g")
    if (ord not in ("fro", "nuc")) if isinstance(ord, str) else abs(ord) not in (1, 2, _INF):
        raise RuntimeError(f"linalg.matrix_norm: Order {word} not supported.")
    matrices("linalg.matrix_norm", x, low=word in ("nuc", "2", "-2"))  # by singular values
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    a, b = _two(dim, x.ndim, "linalg.matrix_norm")
    if dtype is not None:
        _check_dtype("linalg.matrix_norm", x, dtype)
        input = F.to(input, dtype)
    if ord == "fro":
        r = TENSORS.linalg_vector_norm(input, 2, (a, b), keepdim)
    elif ord == "nuc" or abs(ord) == 2:
        rest = [d for d in range(x.ndim) if d not in (a, b)]
        values = linalg_svdvals(F.permute(input, (*rest, a, b)))
        if ord == "nuc" or (ord == 2 and not values._array.shape[-1]):
            r = F.sum(values, -1, keepdim)
        else:
            r = (F.amax if ord > 0 else F.amin)(values, -1, keepdim)
        if keepdim:
            order = [0] * x.ndim
            r = F.unsqueeze(r, -1)
            for place, d in enumerate((*rest, a, b)):
                order[d] = place
            r = F.permute(r, tuple(order))
    else:
        if abs(ord) == _INF:
            a, b = b, a
        sums = TENSORS.linalg_vector_norm(input, 1.0, (a,), keepdim)
        if b > a and not keepdim:
            b -= 1
        if ord > 0 and not sums._array.shape[b]:
            r = F.sum(sums, b, keepdim)
        else:
            r = (F.amax if ord > 0 else F.amin)(sums, b, keepdim)
    found: Tensor = r if out is None else written(r, out, exact="linalg.matrix_norm" + _OTHER)
    return found


def linalg_svdvals(A: Tensor) -> Tensor:
    """The singular values."""
    return TENSORS.linalg_svd(A, False)[1]


@composite(
    """
    linalg_norm(Tensor input, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None,
        Tensor out=None) -> Tensor
    linalg_norm(Tensor input, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None,
        Tensor out=None) -> Tensor|.ord_str
    """,
    method=False,
    function=False,
)
def linalg_norm(
    input: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Any = None
) -> Tensor:
    """
    main: 1
    A vector or matrix norm, depending on ord and dim.

    Shapes: input's without the dimensions of dim; 0-dim without dim.
    ~floats

    >>> torch.linalg.norm(torch.tensor([[3., 0.], [0., 4.]]))
    tensor(5.)
    """
    if out is not None:
        found: Tensor = linalg_norm(input, ord, dim, keepdim, dtype=dtype)
        return written(found, out, exact="linalg.norm" + _OTHER, copied=True)
    ndim = input._array.ndim
    dims = None if dim is None else tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    if ord is not None:
        if dims is not None and len(dims) not in (1, 2):
            raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
        if dims is None and ndim not in (1, 2):
            raise RuntimeError(
                f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {ndim}D."
            )
        if isinstance(ord, str) or (len(dims) if dims is not None else ndim) == 2:
            return linalg_matrix_norm(input, ord, dims if dims is not None else (-2, -1), keepdim, dtype=dtype)
    elif dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
    options = {} if dtype is None else {"dtype": dtype}
    result: Tensor = TENSORS.linalg_vector_norm(input, 2.0 if ord is None else ord, dims, keepdim, **options)
    return result


@composite(
    """
    norm(Tensor input, Scalar p=2) -> Tensor|.Scalar
    norm(Tensor input, Scalar? p, *, ScalarType dtype) -> Tensor|.ScalarOpt_dtype
    norm(Tensor input, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype,
        Tensor out=None) -> Tensor|.ScalarOpt_dim_dtype|.dtype_out
    norm(Tensor input, Scalar? p, int[1] dim, bool keepdim=False, *, Tensor out=None) -> Tensor|.ScalarOpt_dim|.out
    """,
    method=False,
    reads="itself",
)
def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, out: Any = None, dtype: Any = None
) -> Tensor:
    """
    sig: (input, p='fro', dim=None, keepdim=False, out=None, dtype=None)
    The p-norm of all elements as one vector, or along dim; linalg.vector_norm and matrix_norm are its successors.

    ~dims
    ~floats

    >>> torch.norm(torch.tensor([3., 4.]))
    tensor(5.)
    >>> torch.tensor([[3., 4.], [1., 0.]]).norm(p=1, dim=1)
    tensor([7., 1.])
    """
    if not isinstance(input, Tensor):
        raise AttributeError(f"'{typename(input)}' object has no attribute 'layout'")
    dims = [dim] if isinstance(dim, (int, np.integer, Tensor)) else dim
    if isinstance(p, str) and not (p == "fro" and (dims is None or len(dims) <= 2)):
        dims = list(range(input.ndim)) if dims is None else dims
        explain("linalg_matrix_norm", (input, p, dims, keepdim), {"dtype": dtype}, "linalg")
        return linalg_matrix_norm(input, p, dims, keepdim, dtype=dtype, out=out)
    order = 2 if p is None or p == "fro" else p
    options: dict[str, Any] = {} if out is None else {"out": out}
    if dtype is not None:
        options["dtype"] = dtype
    if (
        type(keepdim) is not bool
        or type(order) not in (int, float)
        or (dims is not None and not (type(dims) in (tuple, list) and dims and type(dims[0]) is int))
    ):
        explain("linalg_vector_norm", (input, order, dims, keepdim), options, "linalg")
    return TENSORS.linalg_vector_norm(input, order, dims if dims is None else tuple(dims), keepdim, **options)


@method("norm")
def _norm(self: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    return norm(self, p, dim, keepdim, dtype=dtype)


op(
    "norm_along",
    node="NormBackward1",
    shown={"ord": "p"},
    vjp={
        "input": says(_slope)(
            lambda F, grad, input, result, ord, dim, keepdim: _norm_backward(
                F, grad, input, result, ord, dim, keepdim, None
            )
        ),
    },
    jvp={
        "input": lambda F, tangent, input, result, ord, dim, keepdim: _norm_jvp(
            F, tangent, input, result, ord, dim, keepdim, None
        )
    },
)(lambda input, ord, dim, keepdim: RAW.linalg_vector_norm(input, ord, dim, keepdim))
op(
    "norm_of_all",
    node="NormBackward0",
    shown={"ord": "p"},
    vjp={
        "input": lambda F, grad, input, result, ord: _norm_backward(F, grad, input, result, ord, None, False, None),
    },
    jvp={
        "input": lambda F, tangent, input, result, ord: _norm_jvp(F, tangent, input, result, ord, None, False, None),
    },
)(lambda input, ord: RAW.linalg_vector_norm(input, ord))


# -- distances ---------------------------------------------------------------------------------------------------------


_TWICE = not_implemented("_cdist_backward")


@op(
    "_cdist_backward",
    "grad x1 x2 cdist",
    node="CdistBackwardBackward0",
    vjp={"grad": _TWICE, "x1": _TWICE, "x2": _TWICE, "cdist": _TWICE},
    operator=Operator("(Tensor grad, Tensor x1, Tensor x2, float p, Tensor cdist) -> Tensor"),
)
def _cdist_backward(grad: Any, x1: np.ndarray, x2: np.ndarray, p: float, cdist: np.ndarray) -> np.ndarray:
    """The gradient of the first of two lists of points, given their distances."""
    return distances_backward(grad, x1, x2, p, cdist)


@says(
    ("g times the slope of each distance, summed", "g 乘以各距离的斜率，再求和"),
    ("g times the slope of each distance, summed", "g 乘以各距离的斜率，再求和"),
)
def _cdist_back(F: Any, grad: Any, x1: Any, x2: Any, p: float, result: Any) -> Any:
    turned = [F.contiguous(F.transpose(a, -2, -1)) for a in (grad, result)]
    return F._cdist_backward(grad, x1, x2, p, result), F._cdist_backward(turned[0], x2, x1, p, turned[1])


@op(
    "_cdist_forward",
    "x1 x2",
    node="CdistBackward0",
    vjp={"x1 x2": _cdist_back},
    forwardless="_cdist_forward",
    operator=Operator("(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor", more={"compute_mode": None}),
)
def _cdist_forward(x1: np.ndarray, x2: np.ndarray, p: float) -> np.ndarray:
    return distances(x1, x2, p, False)


def _euclidean_backward(F: Any, grad: Any, x1: Any, x2: Any, result: Any) -> Any:
    ratio = F.where(result == 0, F.zero_dim(grad), grad / result)
    return (
        x1 * F.sum(ratio, -1, True) - F.matmul(ratio, x2),
        x2 * F.unsqueeze(F.sum(ratio, -2), -1) - F.matmul(F.transpose(ratio, -2, -1), x1),
    )


@op(
    "_euclidean_dist",
    "x1 x2",
    node="EuclideanDistBackward0",
    vjp={"x1 x2": _euclidean_backward},
    forwardless="_euclidean_dist",
    operator=Operator("(Tensor x1, Tensor x2) -> Tensor"),
)
def _euclidean_dist(x1: np.ndarray, x2: np.ndarray) -> np.ndarray:
    squares = (x1 * x1).sum(-1)[..., :, None] + (x2 * x2).sum(-1)[..., None, :] - 2 * (x1 @ x2.swapaxes(-1, -2))
    return np.sqrt(np.maximum(squares, 0))


@composite(
    "cdist(Tensor x1, Tensor x2, float p=2, int? compute_mode=None) -> Tensor|fp32", method=False, reads="itself"
)
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """
    sig: (x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary')
    The distances, in the p-norm, of each row of one matrix from each of another.

    Shapes: (..., m, d) and (..., n, d) give (..., m, n).
    Dtypes: float.

    >>> torch.cdist(torch.tensor([[0., 0.]]), torch.tensor([[3., 4.], [0., 1.]]))
    tensor([[5., 1.]])
    """
    modes = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
    if compute_mode not in modes:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    explain("cdist", (x1, x2, p, modes.index(compute_mode)), {}, "torch")
    a, b = x1._array, x2._array
    for name, x in (("X1", a), ("X2", b)):
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
    if a.shape[-1] != b.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {a.shape[-1]} X2: {b.shape[-1]}")
    for name, x in (("X1", a), ("X2", b)):
        if not from_numpy(x.dtype).is_floating_point:
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {scalar_name(x)}")
    if not p >= 0:
        raise RuntimeError("cdist only supports non-negative p values")
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(a)} but found {scalar_name(b)}")
    if a.size and b.size:
        refuse(a, "cdist", HALF)
    F = TENSORS
    n, m = a.shape[-2], b.shape[-2]
    many = n > 25 or m > 25
    if p == 2 and a.shape[-1] and n and m and (compute_mode == modes[1] or (compute_mode == modes[0] and many)):
        return F.view(F._euclidean_dist(x1, x2), (*batch, n, m))
    return F._cdist_forward(x1, x2, float(p))
