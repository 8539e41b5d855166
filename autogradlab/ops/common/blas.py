"""Products that are added to something, and what is made of products: linear layers, cross products, traces."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...core.arguments.mismatch import typename
from ...core.memory.layout import iterated
from ...core.recording.record import NOT_IMPLEMENTED, RAW, TENSORS, no_derivative, says, sizes_of, writes
from ...core.runtime import errors
from ...core.runtime.warn import warn, warn_once
from ...core.tensor.tensor import Tensor, wrap
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import cxx_name, from_numpy, promote, scalar_name
from ...core.values.promotion import broadcast_shapes, check_cast
from ..first.kinds import fused, is_half, refuse
from ..first.products import DOT_DTYPE, added, combined, product, scaled, times, written
from ..table.opdef import alias, composite, op
from ..table.outputs import EXPECTED, Out, resize_out


def lift(F: Any, array: np.ndarray) -> Any:
    """A constant for a formula: the array itself, or a tensor where the formula is recorded."""
    return wrap(array) if F is TENSORS else array


def adjoint(F: Any, x: Any) -> Any:
    """The conjugate transpose of the last two dimensions."""
    return F.conj(F.transpose(x, -2, -1))


# names of mm for sparse matrices, which take dense ones too
alias("spmm", "mm", method=False, named=False)
alias("dsmm", "mm", method=False, named=False)


# -- beta * input + alpha * product ------------------------------------------------------------------------------------


@op(
    """
    addmv(Scalar beta, Tensor input, Scalar alpha, Tensor mat, Tensor vec, *, Tensor out=None) -> Tensor|deprecated
    addmv(Scalar beta, Tensor input, Tensor mat, Tensor vec, *, Tensor out=None) -> Tensor|deprecated
    addmv(Tensor input, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1,
        Tensor out=None) -> Tensor|uint_addmv_impl_cpu
    """,
    inplace=True,
    fits=lambda mat, vec: (mat.shape[0],),
    overlap="",
    vjp={
        "input": lambda F, grad, beta: times(grad, beta),
        "mat": lambda F, grad, vec, alpha: times(F.reshape(grad, (*grad.shape, 1)) * F.conj(vec), alpha),
        "vec": lambda F, grad, mat, alpha: times(F.mv(F.conj(F.t(mat)), grad), alpha),
    },
    out=Out(exact=EXPECTED),
)
def addmv(input: np.ndarray, mat: np.ndarray, vec: np.ndarray, *, beta: Any = 1, alpha: Any = 1) -> np.ndarray:
    """beta * input + alpha * (mat @ vec).

    Shapes: (m, n) and (n,) give (m,), to which input broadcasts.
    ~one-dtype

    >>> torch.addmv(torch.ones(2), torch.eye(2), torch.tensor([3., 4.]))
    tensor([4., 5.])

    In place:
    >>> x = torch.ones(2)
    >>> x.addmv_(torch.eye(2), torch.tensor([3., 4.]))
    tensor([4., 5.])
    >>> x
    tensor([4., 5.])
    """
    if mat.ndim != 2 or vec.ndim != 1 or input.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {input.ndim}, {mat.ndim}, {vec.ndim}")
    if mat.shape[1] != vec.shape[0] or (input.size != 1 and input.shape[0] != mat.shape[0]):
        raise RuntimeError(
            f"size mismatch, got input ({input.size}), mat ({mat.shape[0]}x{mat.shape[1]}), vec ({vec.shape[0]})"
        )
    if not input.dtype == mat.dtype == vec.dtype:
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {scalar_name(input)}, "
            f"{scalar_name(mat)}, "
            f"and {scalar_name(vec)}"
        )
    if beta != 0 and not mat.size:  # PyTorch writes the summand alone, in its own shape
        if mat.shape[0] and input.shape != mat.shape[:1]:
            warn(errors.OUT_RESIZED.format([mat.shape[0]], list(input.shape)), at="aten/src/ATen/native/Resize.cpp:30")
        return np.array(scaled(input, beta))
    return combined(partial(product, kernel="addmv_impl_cpu"), input, mat, vec, beta, alpha)


def _integral(beta: Any, alpha: Any) -> None:
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if isinstance(factor, float | complex):
            raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")


def _two_vectors(vec1: np.ndarray, vec2: np.ndarray) -> None:
    for name, v in (("vec1", vec1), ("vec2", vec2)):
        if v.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {v.ndim}-D")


def _fits_outer(input: np.ndarray, vec1: np.ndarray, vec2: np.ndarray) -> None:
    """Refuse to add an outer product to a tensor of another shape."""
    _two_vectors(vec1, vec2)
    if input.ndim != 2:
        raise RuntimeError(f"2D tensor expected, got {input.ndim}D tensor for input")
    if input.shape != (vec1.size, vec2.size):
        raise RuntimeError(f"size mismatch, input: {[*input.shape]}, v1: {[vec1.size]}, v2: {[vec2.size]}")


def _add_outer(input: np.ndarray, vec1: np.ndarray, vec2: np.ndarray, beta: Any, alpha: Any) -> None:
    r = _outer_added(input, vec1, vec2, beta, alpha)
    check_cast(r.dtype, input.dtype)
    input[...] = r


@op(
    """
    addr(Scalar beta, Tensor input, Scalar alpha, Tensor vec1, Tensor vec2, *, Tensor out=None) -> Tensor|deprecated
    addr(Scalar beta, Tensor input, Tensor vec1, Tensor vec2, *, Tensor out=None) -> Tensor|deprecated
    addr(Tensor input, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1,
        Tensor out=None) -> Tensor|uint_addr_cpu
    """,
    inplace=True,
    overlap="whole",
    vjp={
        "input": lambda F, grad, beta: times(grad, beta),
        "vec1": lambda F, grad, vec2, alpha: times(F.mv(grad, F.conj(vec2)), alpha),
        "vec2": lambda F, grad, vec1, alpha: times(F.mv(F.t(grad), F.conj(vec1)), alpha),
    },
    out=Out(overlap="part"),
    inplace_function=False,
    writes=lambda input, vec1, vec2, beta=1, alpha=1: _add_outer(input, vec1, vec2, beta, alpha),
    looks=lambda input, vec1, vec2, beta=1, alpha=1: _fits_outer(input, vec1, vec2),
)
def addr(input: np.ndarray, vec1: np.ndarray, vec2: np.ndarray, *, beta: Any = 1, alpha: Any = 1) -> np.ndarray:
    """beta * input + alpha * outer(vec1, vec2).

    Shapes: (m,) and (n,) give (m, n), to which input broadcasts.
    ~one-dtype

    >>> torch.addr(torch.ones(2, 2), torch.tensor([1., 2.]), torch.tensor([1., 0.]))
    tensor([[2., 1.],
            [3., 1.]])

    In place:
    >>> x = torch.ones(2, 2)
    >>> x.addr_(torch.tensor([1., 2.]), torch.tensor([1., 0.]))
    tensor([[2., 1.],
            [3., 1.]])
    >>> x
    tensor([[2., 1.],
            [3., 1.]])
    """
    _two_vectors(vec1, vec2)
    return _outer_added(input, vec1, vec2, beta, alpha)


def _outer_added(input: np.ndarray, vec1: np.ndarray, vec2: np.ndarray, beta: Any, alpha: Any) -> np.ndarray:
    d = promote(promote(from_numpy(vec1.dtype), from_numpy(vec2.dtype)), from_numpy(input.dtype)).numpy
    if d.kind in "biu":
        _integral(beta, alpha)
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if isinstance(factor, bool) and d.kind != "b":
            raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
        if isinstance(factor, complex) and d.kind not in "biuc":
            raise RuntimeError(f"value cannot be converted to type {cxx_name(from_numpy(d))} without overflow")
    a, b = vec1.astype(d, copy=False), vec2.astype(d, copy=False)
    if d.kind == "b":
        r = np.logical_and.outer(a, b) & bool(alpha)
        return r if not beta else r | np.broadcast_to(input, r.shape)
    r = added(input.astype(d, copy=False), scaled(np.multiply.outer(a, b), alpha), beta)
    return iterated(r, np.broadcast_to(input, r.shape))


@op(
    """
    baddbmm(Scalar beta, Tensor input, Scalar alpha, Tensor batch1, Tensor batch2, *,
        Tensor out=None) -> Tensor|deprecated
    baddbmm(Scalar beta, Tensor input, Tensor batch1, Tensor batch2, *, Tensor out=None) -> Tensor|deprecated
    baddbmm(Tensor input, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1,
        Tensor out=None) -> Tensor|lower_precision|uint_baddbmm
    baddbmm(Tensor input, Tensor batch1, Tensor batch2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1,
        Tensor out=None) -> Tensor|function|.dtype
    """,
    inplace=True,
    fits=lambda batch1, batch2: (batch1.shape[0], batch1.shape[1], batch2.shape[2]),
    overlap="",
    vjp={
        "input": lambda F, grad, beta: times(grad, beta),
        "batch1": lambda F, grad, batch2, alpha: times(F.bmm(grad, adjoint(F, batch2)), alpha),
        "batch2": lambda F, grad, batch1, alpha: times(F.bmm(adjoint(F, batch1), grad), alpha),
    },
    out=Out(exact=EXPECTED, overlap="part"),
    inplace_function=False,
    inner_writes=1,
)
def baddbmm(input: np.ndarray, batch1: np.ndarray, batch2: np.ndarray, *, beta: Any = 1, alpha: Any = 1) -> np.ndarray:
    """beta * input + alpha times the products of a batch.

    Shapes: (b, m, k) and (b, k, n) give (b, m, n), to which input broadcasts.
    ~one-dtype

    >>> torch.baddbmm(torch.ones(1), torch.ones(2, 1, 3), torch.ones(2, 3, 1))
    tensor([[[4.]],

            [[4.]]])

    In place:
    >>> x = torch.ones(2, 1, 1)
    >>> x.baddbmm_(torch.ones(2, 1, 3), torch.ones(2, 3, 1))
    tensor([[[4.]],

            [[4.]]])
    >>> x
    tensor([[[4.]],

            [[4.]]])
    """
    for batch, dim in ((batch1, 0), (batch1, 1), (batch2, 2)):
        wrap_dim(dim, batch.ndim, scalar_ok=False)
    RAW.expand(input, (batch1.shape[0], batch1.shape[1], batch2.shape[2]))
    if input.dtype != batch1.dtype:
        names = [cxx_name(a) for a in (input, batch1, batch2)]
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {names[0]}, batch1: {names[1]}, batch2: {names[2]}"
        )
    refuse(input, "baddbmm", "b")
    return combined(RAW.bmm, input, batch1, batch2, beta, alpha)


@op(
    """
    addbmm(Scalar beta, Tensor input, Scalar alpha, Tensor batch1, Tensor batch2, *,
        Tensor out=None) -> Tensor|deprecated
    addbmm(Scalar beta, Tensor input, Tensor batch1, Tensor batch2, *, Tensor out=None) -> Tensor|deprecated
    addbmm(Tensor input, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1,
        Tensor out=None) -> Tensor|lower_precision|uint_addmm_impl_cpu_
    """,
    inplace=True,
    overlap="",
    vjp={
        "input": lambda F, grad, beta: times(grad, beta),
        "batch1": lambda F, grad, batch2, batch1_shape, alpha: times(
            F.bmm(F.expand(F.unsqueeze(grad, 0), (batch1_shape[0], *grad.shape)), adjoint(F, batch2)), alpha
        ),
        "batch2": lambda F, grad, batch1, batch2_shape, alpha: times(
            F.bmm(adjoint(F, batch1), F.expand(F.unsqueeze(grad, 0), (batch2_shape[0], *grad.shape))), alpha
        ),
    },
    shown={"batch1_shape": "", "batch2_shape": ""},
    constants={**sizes_of("batch1_shape", 0, 1), **sizes_of("batch2_shape", 2)},
    out=Out(exact="self and mat2 must have the same dtype, but got {1} and {0}", overlap="part"),
    inplace_function=False,
)
def addbmm(input: np.ndarray, batch1: np.ndarray, batch2: np.ndarray, *, beta: Any = 1, alpha: Any = 1) -> np.ndarray:
    """beta * input + alpha times the sum of the products of a batch.

    Shapes: (b, m, k) and (b, k, n) give (m, n), to which input broadcasts.
    ~one-dtype

    >>> torch.addbmm(torch.zeros(1, 1), torch.ones(2, 1, 3), torch.ones(2, 3, 1))
    tensor([[6.]])

    In place:
    >>> x = torch.zeros(1, 1)
    >>> x.addbmm_(torch.ones(2, 1, 3), torch.ones(2, 3, 1))
    tensor([[6.]])
    >>> x
    tensor([[6.]])
    """
    for batch, dim in ((batch1, 1), (batch2, 2)):
        wrap_dim(dim, batch.ndim, scalar_ok=False)
    if batch1.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if batch1.shape[0] != batch2.shape[0]:
        raise RuntimeError(
            f"batch1 and batch2 must have same number of batches, got {batch1.shape[0]} and {batch2.shape[0]}"
        )
    if batch1.shape[2] != batch2.shape[1]:
        raise RuntimeError(
            "Incompatible matrix sizes for bmm "
            f"({batch1.shape[1]}x{batch1.shape[2]} and {batch2.shape[1]}x{batch2.shape[2]})"
        )
    for other in (batch2, batch1):
        if input.dtype != other.dtype:
            raise RuntimeError(
                f"self and mat2 must have the same dtype, but got {scalar_name(input)} and {scalar_name(other)}"
            )
    b, n, k = batch1.shape
    if is_half(input) and b:  # one product after another, each sum rounded
        r = np.broadcast_to(input, (n, batch2.shape[2]))
        for one, other in zip(batch1, batch2, strict=True):
            r, beta = combined(product, r, one, other, beta, alpha), 1
        return r
    r = product(batch1.transpose(1, 0, 2).reshape(n, b * k), batch2.reshape(b * k, batch2.shape[2]))
    return added(input, scaled(r, alpha), beta)


# -- made of products --------------------------------------------------------------------------------------------------


@composite(
    "inner(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|uint_dot",
    out=Out(exact="tensordot: Expected the output tensor to have dtype {0}, but got an output tensor with dtype {1}"),
)
def inner(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The sums of the products along the last dimensions.

    Shapes: (..., n) and (*, n) give (..., *).
    ~one-dtype

    >>> torch.inner(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.]))
    tensor([3., 7.])
    """
    x, y = input._array, other._array
    if x.ndim == 0 or y.ndim == 0:
        r = TENSORS.mul(input, other)
    else:
        if x.shape[-1] != y.shape[-1]:
            raise RuntimeError(
                "inner() the last dimension must match on both input tensors but got shapes "
                f"{list(x.shape)} and {list(y.shape)}"
            )
        r = TENSORS.tensordot(input, other, ([-1], [-1]))
        if out is not None:
            return written(r, out, "inner", exact=DOT_DTYPE)
    return r if out is None else written(r, out)


@composite("chain_matmul(Tensor[] matrices, *, Tensor out=None) -> Tensor", method=False, reads="itself")
def chain_matmul(*matrices: Any, out: Any = None) -> Tensor:
    """
    sig: (*matrices, out=None)
    The product of several matrices, in the cheapest order. Deprecated: linalg.multi_dot.

    Shapes: (m, k), (k, …), … give (m, n).
    ~one-dtype

    >>> torch.chain_matmul(torch.ones(1, 2), torch.ones(2, 3), torch.ones(3, 1))
    tensor([[6.]])
    """
    for place, m in enumerate(matrices):
        if not isinstance(m, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {typename(m)}")
    warn_once(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
        "torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than multiple "
        "parameters.",
        at="aten/src/ATen/native/LinearAlgebra.cpp:1102",
    )
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for m in matrices:
        if m._array.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {m._array.ndim}, expected 2 instead.")
    if len(matrices) == 1:
        if out is None:
            return TENSORS.clone(matrices[0])
        if out._array.shape != matrices[0]._array.shape:
            resize_out(out, matrices[0]._array.shape)
        copied: Tensor = TENSORS.copy_(out, matrices[0])
        return copied
    found: Tensor = TENSORS.linalg_multi_dot(matrices, out=out)
    return found


@composite(
    """
    nn.linear(Tensor input, Tensor weight, Tensor? bias=None, *,
        Tensor out=None) -> Tensor|lower_precision|input|uint_addmm_impl_cpu_
    """,
    method=False,
    function=False,
)
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias: input (*, in), weight (out, in), bias (out) give (*, out)."""
    F = TENSORS
    x, w = input._array, weight._array
    ndim = x.ndim
    if ndim == 0 or w.ndim == 0:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {ndim}D and {w.ndim}D")
    turned = F.t(weight)
    if bias is None:
        return F.matmul(input, turned)
    if ndim == 2:
        return F.addmm(bias, input, turned)
    if x.flags.c_contiguous and (ndim == 3 or bias._array.ndim == 1):
        rows = F.reshape(input, (-1 if x.size else x.size // max(x.shape[-1], 1), x.shape[-1]))
        return F.view(F.addmm(bias, rows, turned), (*x.shape[:-1], w.shape[0]))
    return F.add(F.matmul(input, turned), bias)


def _trilinear_back(
    F: Any, grad: Any, i1: Any, i2: Any, i3: Any, expand1: Any, expand2: Any, expand3: Any, sumdim: Any, needs: Any
) -> Any:
    """Each gradient is such a product again, in which the gradient takes the place of a factor."""
    return (
        F._trilinear(grad, i2, i3, sumdim, expand2, expand3, expand1) if needs[0] else None,
        F._trilinear(i1, grad, i3, expand1, sumdim, expand3, expand2) if needs[1] else None,
        F._trilinear(i1, i2, grad, expand1, expand2, sumdim, expand3) if needs[2] else None,
    )


@op("_trilinear", "i1 i2 i3", node="TrilinearBackward0", vjp={"i1 i2 i3": _trilinear_back}, real=True)
def _trilinear(
    i1: np.ndarray, i2: np.ndarray, i3: np.ndarray, expand1: Any, expand2: Any, expand3: Any, sumdim: Any
) -> np.ndarray:
    """The sum, over the dimensions `sumdim`, of the product of three arrays that lie in one space: each lacks the
    dimensions of its `expand`."""
    names = "abcdefgh"[: i1.ndim + len(expand1)]
    first, second, third, rest = (
        "".join(n for d, n in enumerate(names) if d not in absent) for absent in (expand1, expand2, expand3, sumdim)
    )
    both = "".join(n for n in names if n in first + second and n in third + rest)
    pair = RAW.einsum(f"{first},{second}->{both}", i1, i2)
    return np.ascontiguousarray(RAW.einsum(f"{both},{third}->{rest}", pair, i3)).astype(i1.dtype, copy=False)


@composite(
    "bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor|uint_bmm|looped_alone",
    method=False,
)
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x1^T A x2 + b, with a matrix A for each output feature.

    Shapes: (..., n1), (..., n2), weight (out, n1, n2), bias (out,) give (..., out).
    Dtypes: float.

    >>> torch.bilinear(torch.ones(1, 2), torch.ones(1, 2), torch.ones(3, 2, 2))
    tensor([[4., 4., 4.]])
    """
    F = TENSORS
    given = {"input1": input1, "input2": input2, "weight": weight} | ({} if bias is None else {"bias": bias})
    if len({t._array.dtype for t in given.values()}) > 1:
        kinds = ", ".join(f"{name}: {cxx_name(t)}" for name, t in given.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {kinds}")
    a, b, w = input1._array.shape, input2._array.shape, weight._array.shape
    if len(a) != len(b):
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {len(a)} and {len(b)}")
    for i in range(len(a) - 1):
        if a[i] != b[i]:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {i}: got {a[i]} and {b[i]}")
    for k, t in ((1, input1), (2, input2)):
        if t.size(-1) != weight.size(k):
            raise RuntimeError(
                f"bilinear(): input{k} size does not match weight size: got {t.size(-1)} but expected {w[k]}"
            )
    if bias is not None and bias._array.shape[0] != w[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias._array.shape[0]} but expected {w[0]}"
        )
    left, right = F.reshape(input1, (-1, a[-1])), F.reshape(input2, (-1, b[-1]))
    r = F._trilinear(left, weight, right, (1, 3), (0,), (1, 2), (2, 3))
    r = F.reshape(r, (*a[:-1], w[0]))
    return r if bias is None else F.add(r, bias)


# -- cross products, traces --------------------------------------------------------------------------------------------

#: of each of three elements the next one, and the one before it
_NEXT, _LAST = np.array((1, 2, 0), np.intp), np.array((2, 0, 1), np.intp)
#: up to how many elements copies of them cost less than calls
_FEW = 1 << 9


@op(
    "linalg_cross(Tensor input, Tensor other, *, int dim=-1, Tensor out=None) -> Tensor|uint_cross",
    method=False,
    function=False,
    vjp={
        "input": lambda F, grad, other, dim: F.linalg_cross(F.conj(other), grad, dim=dim),
        "other": lambda F, grad, input, dim: F.linalg_cross(grad, F.conj(input), dim=dim),
    },
    out=Out(exact=EXPECTED, overlap="whole"),
)
def linalg_cross(input: Any, other: Any, *, dim: int = -1) -> np.ndarray:
    """The vector perpendicular to two vectors of three elements.

    Shapes: both broadcast; size 3 at dim.
    Dtypes: any number.

    >>> torch.linalg.cross(torch.tensor([1., 0., 0.]), torch.tensor([0., 1., 0.]))
    tensor([0., 0., 1.])
    """
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    d = wrap_dim(dim, input.ndim)
    if not input.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if input.shape[d] != 3 or other.shape[d] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.shape[d]} and {other.shape[d]}"
        )
    broadcast_shapes(input.shape, other.shape)
    if input.dtype != other.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(input)} but found {scalar_name(other)}")
    refuse(input, "cross", "b")
    a, b = input.swapaxes(0, d), other.swapaxes(0, d)
    alike = type(input) is np.ndarray is type(other) and input.shape == other.shape
    found = np.empty(input.shape if alike else np.broadcast_shapes(input.shape, other.shape), a.dtype)
    r = found.swapaxes(0, d)
    if alike and input.size <= _FEW and a.dtype.kind != "c":  # all three at once, which rounds complex ones otherwise
        r[...] = fused(a[_NEXT], b[_LAST], -(a[_LAST] * b[_NEXT]))
        return found
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        r[i] = fused(a[j], b[k], -(a[k] * b[j]))
    return found


@composite(
    "cross(Tensor input, Tensor other, int? dim=None, *, Tensor out=None) -> Tensor|uint_cross", out=Out(exact=EXPECTED)
)
def cross(input: Tensor, other: Tensor, dim: int | None = None, *, out: Any = None) -> Tensor:
    """The vector perpendicular to two vectors of three elements, along dim (the first of size 3).

    Shapes: both broadcast; size 3 at dim.
    ~one-dtype

    >>> torch.cross(torch.tensor([1., 0., 0.]), torch.tensor([0., 1., 0.]), dim=0)
    tensor([0., 0., 1.])
    """
    if dim is None:
        warn_once(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim "
            "explicitly or "
            "simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of "
            "linalg.cross "
            "in a future release.",
            at="aten/src/ATen/native/Cross.cpp:63",
        )
        dim = next((i for i, n in enumerate(input._array.shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    options = {} if out is None else {"out": out}
    return TENSORS.linalg_cross(input, other, dim=dim, **options)


def _along_diagonal(shape: tuple[int, ...]) -> np.ndarray:
    """The indices of the diagonal in the flattened matrix."""
    return np.arange(min(shape), dtype=np.int64) * (shape[1] + 1)


def _raw_trace_back(grad: Any, shape: tuple[int, ...]) -> np.ndarray:
    flat = np.zeros(shape[0] * shape[1], grad.dtype)
    flat[_along_diagonal(shape)] = grad
    return flat.reshape(shape)


def _trace_back(grad: Tensor, shape: tuple[int, ...]) -> Tensor:
    flat = TENSORS.zeros_of(grad, (shape[0] * shape[1],))
    filled = TENSORS.index_fill(flat, 0, wrap(_along_diagonal(shape)), grad)
    filled._counter = [2]  # PyTorch fills in place, which a view of it shows
    return TENSORS.reshape(filled, shape)


RAW.trace_back, TENSORS.trace_back = _raw_trace_back, _trace_back


@op(
    "trace(Tensor input) -> Tensor|fp32|uint_trace",
    vjp={
        "input": writes(2)(
            says(("g at each element of the diagonal, 0 elsewhere", "放在对角线各元素处的 g，其余为 0"))(
                lambda F, grad, input_shape: F.trace_back(grad, tuple(input_shape))
            )
        )
    },
)
def trace(input: np.ndarray) -> Any:
    """The sum of the main diagonal of a matrix.

    Shapes: (m, n) gives 0-dim.
    ~sum

    >>> torch.trace(torch.tensor([[1., 2.], [3., 4.]]))
    tensor(5.)
    """
    refuse(input, "trace", "b")
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    if input.dtype.kind in "iu":
        return np.trace(input, dtype=np.int64)
    if input.dtype.itemsize == 2:
        return np.asarray(input.diagonal().sum(dtype=np.float32)).astype(input.dtype)
    return np.trace(input)


# -- products for inference --------------------------------------------------------------------------------------------


@op(
    "_int_mm(Tensor input, Tensor mat2, *, Tensor out=None) -> Tensor",
    "input mat2",
    method=False,
    out=Out(exact="int_mm_out_cpu: Expected result dtype to be of type kInt but got {3}"),
)
def _int_mm(input: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    """The product of two matrices of 8-bit integers, in int32.

    Shapes: (m, k) and (k, n) give (m, n).
    Dtypes: int8 or uint8, and int8; the result is int32.

    >>> x = torch.full((1, 2), 100, dtype=torch.int8)
    >>> torch._int_mm(x, x.T)
    tensor([[20000]], dtype=torch.int32)
    """
    for name, x in (("self", input), ("mat2", mat2)):
        if x.ndim != 2:
            raise RuntimeError(f"int_mm_out_cpu: Expected {name} to be of dimension 2 but got {x.ndim}")
    if input.shape[1] != mat2.shape[0]:
        raise RuntimeError(
            f"int_mm_out_cpu: self.size(1) needs to match mat2.size(0) but got {input.shape[1]} and {mat2.shape[0]}"
        )
    if input.dtype not in (np.int8, np.uint8):
        raise RuntimeError(
            f"int_mm_out_cpu: Expected self dtype to be int8 or uint8 but got {cxx_name(from_numpy(input.dtype))}"
        )
    if mat2.dtype != np.int8:
        raise RuntimeError(
            f"int_mm_out_cpu: Expected mat2 dtype to be of type int8 but got {cxx_name(from_numpy(mat2.dtype))}"
        )
    return np.matmul(input.astype(np.int32), mat2.astype(np.int32))


@op(
    """
    _addmm_activation(Tensor input, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, bool use_gelu=False,
        Tensor out=None) -> Tensor
    """,
    "input mat1 mat2",
    method=False,
    node=NOT_IMPLEMENTED,
    vjp={name: no_derivative("_addmm_activation") for name in ("input", "mat1", "mat2")},
)
def _addmm_activation(
    input: np.ndarray, mat1: np.ndarray, mat2: np.ndarray, *, beta: Any = 1, alpha: Any = 1, use_gelu: bool = False
) -> np.ndarray:
    """relu, or gelu, of beta * input + alpha * (mat1 @ mat2); without a derivative.

    Shapes: (m, k) and (k, n) give (m, n), to which input broadcasts.
    ~one-dtype

    >>> torch._addmm_activation(torch.zeros(2), torch.eye(2), torch.tensor([[1., -1.], [-2., 2.]]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    total = RAW.addmm(input, mat1, mat2, beta=beta, alpha=alpha)
    found: np.ndarray = RAW.gelu(total) if use_gelu else RAW.relu(total)
    return found
