"""Running sums, products and extremes along a dimension, differences, and the trapezoidal rule."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.arguments.declared import name_of
from ...core.memory.casting import real_with_warning
from ...core.memory.layout import contiguous
from ...core.memory.places import moved
from ...core.memory.together import along
from ...core.recording.record import RAW, TENSORS, says, writes
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor, wrap
from ...core.types import dtypes
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import cxx_name
from ...core.types.return_types import named
from ...core.values.promotion import is_number
from ..first.kinds import BOOL, UNSIGNED, on_both_backends, refuse
from ..table.asking import unseen
from ..table.calls import ByOut, counted
from ..table.creation import bind
from ..table.opdef import composite, op, publish
from ..table.outputs import Out, same_dtype
from ..table.overloads import Arguments, Called
from . import extremes  # noqa: F401  its put_at carries gradients back

F = TENSORS

# -- cumsum, cumprod ---------------------------------------------------------------------------------------------------

#: running sums are kept in a wider type than they are stored in
_KEPT = {"f": np.float64, "e": np.float32, "E": np.float32, "F": np.complex128}  # by NumPy's character; E is bfloat16


def _accumulated(ufunc: np.ufunc, x: np.ndarray, d: int, kept: Any) -> np.ndarray:
    """`ufunc.accumulate`, in the same order but faster: NumPy fetches every sum from memory before it adds to it."""
    n = x.shape[d]
    if x.size >= 4096 and x.size >= 64 * n:  # whole slices at a time
        r = np.array(moved(x, d, 0), kept, order="C")
        before, *others = r
        for slice_ in others:
            before = ufunc(before, slice_, slice_)
        return moved(r, 0, d)
    last: Any = None
    if n == x.size > _CHUNK and x.flags.c_contiguous and x.dtype != kept:  # in pieces that stay in the cache
        flat = np.empty(n, x.dtype)
        work = np.empty(_CHUNK, kept)
        source = x.reshape(-1)
        for i in range(0, n, _CHUNK):
            piece = work[: min(_CHUNK, n - i)]
            piece[...] = source[i : i + _CHUNK]
            if i:
                piece[0] = ufunc(last, piece[0])
            ufunc.accumulate(piece, out=piece)
            last = piece[-1]
            flat[i : i + _CHUNK] = piece
        return flat.reshape(x.shape)
    return ufunc.accumulate(x if x.dtype == kept else x.astype(kept), d)


_CHUNK = 8192


def _running(name: str, ufunc: Any) -> Any:
    def kernel(input: Any, dim: Any, *, dtype: Any = None) -> np.ndarray:
        d = wrap_dim(dim, input.ndim)
        x = input
        wanted = x.dtype
        if dtype is not None or wanted.kind != "f":
            wanted = dtype.numpy if dtype is not None else np.dtype(np.int64) if x.dtype.kind in "biu" else x.dtype
            x = real_with_warning(x, wanted)
            if x.dtype != wanted:
                x = x.astype(wanted)
            if x.ndim and x.size:
                refuse(x, f"{name}_out_cpu", BOOL + UNSIGNED)
        if not x.ndim or not x.size:
            return np.array(x, order="C")
        if ufunc is np.multiply and x.dtype.kind == "c":  # products begin with 1, and 1 * inf has a NaN
            x = np.array(x)
            x[(slice(None),) * d + (0,)] *= 1
        kept = _KEPT.get(x.dtype.char, x.dtype)
        out = _accumulated(ufunc, x, d, kept).astype(wanted, "C", "unsafe", True, False)
        if ufunc is np.add and wanted.kind in "fcV":  # PyTorch begins with 0: what begins with -0 is 0
            np.add(out, np.zeros((), wanted), out)
        return out

    kernel.__name__ = name
    return kernel


@on_both_backends
def suffix_sums(F: Any, grad: Any, dim: int) -> Any:
    """Sums of each element and all after it."""
    shape = grad.shape
    if not len(shape) or shape[dim] == 1 or math.prod(shape) <= 1:
        return grad
    return F.contiguous(F.reversed(F.cumsum(F.reversed(grad, dim), dim), dim))


@on_both_backends
def cumprod_back(F: Any, grad: Any, input: Any, result: Any, dim: int) -> Any:
    shape = tuple(input.shape)
    if input.size == 1 if isinstance(input, np.ndarray) else input.numel() == 1:
        return grad
    if 0 in shape:
        return grad
    d = wrap_dim(dim, len(shape))
    x, y = F.conj(input), F.conj(result)
    if not F.any_zero(input):
        return F.suffix_sums(y * grad, d) / x
    # without dividing: what comes after an element is gathered from the end, what comes before it is the result there
    n = shape[d]
    after = F.slice(grad, d, n - 1, n)
    parts = []
    for k in range(n - 1, -1, -1):
        if k < n - 1:
            after = F.slice(grad, d, k, k + 1) + F.slice(x, d, k + 1, k + 2) * after
        parts.append(after * F.slice(y, d, k - 1, k) if k else after)
    return F.cat(parts[::-1], d)


def _in_dtype(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
    """The arguments with the dtype to compute in: in place the tensor's own."""
    input: Any = args[0] if args else kwargs.get("input")
    given = kwargs.get("dtype")
    if called.in_place:
        if given is not None and given is not input.dtype:
            called.bind(args, kwargs)
            raise RuntimeError(
                f"Bad in-place call: input tensor dtype {cxx_name(input)} and output tensor dtype "
                f"{cxx_name(given)} should match"
            )
        return args, {**kwargs, "dtype": input.dtype}
    return args, kwargs


op(
    "cumsum(Tensor input, int dim, *, ScalarType? dtype=None, Tensor out=None) -> Tensor",
    vjp={
        "input": says(("g summed from each place to the end", "g 从每个位置到末尾的和"))(
            lambda F, grad, dim: F.suffix_sums(grad, dim)
        )
    },
    inplace=True,
    inplace_function=False,
    binds=_in_dtype,
    inner_writes=lambda x, *_: not x.ndim or not x.size,
    doc="""
    The sums of the first elements along dim: out[i] = input[0] + … + input[i].

    ~scan
    ~sum

    >>> torch.cumsum(torch.tensor([1., 2., 3.]), dim=0)
    tensor([1., 3., 6.])

    In place:
    >>> x = torch.tensor([1., 2., 3.])
    >>> x.cumsum_(dim=0)
    tensor([1., 3., 6.])
    >>> x
    tensor([1., 3., 6.])
    """,
    out=Out(overlap="part", computes=True),
    together=along(),
)(_running("cumsum", np.add))
op(
    "cumprod(Tensor input, int dim, *, ScalarType? dtype=None, Tensor out=None) -> Tensor",
    vjp={
        "input": says(
            (
                "g of every product that the element is in, times the other factors, summed",
                "元素参与的各个积的 g 乘以其余因子，再求和",
            )
        )(lambda F, grad, input, result, dim: F.cumprod_back(grad, input, result, dim))
    },
    inplace=True,
    inplace_function=False,
    binds=_in_dtype,
    inner_writes=lambda x, *_: not x.ndim or not x.size,
    doc="""
    The products of the first elements along dim.

    ~scan
    ~sum

    >>> torch.cumprod(torch.tensor([1., 2., 3.]), dim=0)
    tensor([1., 2., 6.])

    In place:
    >>> x = torch.tensor([1., 2., 3.])
    >>> x.cumprod_(dim=0)
    tensor([1., 2., 6.])
    >>> x
    tensor([1., 2., 6.])
    """,
    out=Out(overlap="part", computes=True),
    together=along(),
)(_running("cumprod", np.multiply))

# -- cummax, cummin ----------------------------------------------------------------------------------------------------


_FOUND = "expected scalar_type {} but found {}"


def _extreme(declaration: str, ufunc: Any, doc: str = "") -> None:
    name = name_of(declaration)

    def kernel(input: np.ndarray, dim: int) -> tuple[np.ndarray, np.ndarray]:
        if not input.ndim and type(dim) is int and dim not in (0, -1):
            raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
        if not input.ndim or not input.size:
            return np.array(input, order="C"), np.zeros(input.shape, np.int64)
        d = wrap_dim(dim, input.ndim)
        refuse(input, f"{name}_cpu", "c")
        lines = np.ascontiguousarray(moved(input, d, -1))
        hit = lines == ufunc.accumulate(lines, axis=-1)
        if input.dtype.kind in "fV":
            hit |= np.isnan(lines)
        hits = np.flatnonzero(hit)  # each of which counts up to the next; the first element of a line is one
        counts = np.diff(hits, append=hit.size)
        values = lines.reshape(-1)[hits].repeat(counts).reshape(lines.shape)
        places = (hits % lines.shape[-1]).repeat(counts).reshape(lines.shape)
        return contiguous(moved(values, -1, d)), contiguous(moved(places, -1, d))

    op(
        declaration,
        outputs=("values", "indices"),
        differentiable=1,
        returns=named(name, ("values", "indices")),
        vjp={
            "input": writes(2)(
                says(("g added at {indices}", "在 {indices} 处累加的 g"))(
                    lambda F, grad, input, dim, indices: F.sums_at(grad, dim, indices, tuple(input.shape))
                )
            ),
        },
        check_out=same_dtype(_FOUND, _FOUND),
        real=True,
        doc=doc,
        inner_writes=ByOut(name),
        together=along(),
    )(kernel)


_extreme(
    "cummax(Tensor input, int dim, *, Tensor[2] out=None) -> (Tensor values, Tensor indices)|uint_cummax_cpu",
    np.maximum,
    doc="""
    The largest of the first elements along dim, and its place.

    ~scan
    ~real-indices

    >>> torch.cummax(torch.tensor([1., 3., 2.]), dim=0)
    torch.return_types.cummax(
    values=tensor([1., 3., 3.]),
    indices=tensor([0, 1, 1]))
    """,
)
_extreme(
    "cummin(Tensor input, int dim, *, Tensor[2] out=None) -> (Tensor values, Tensor indices)|uint_cummin_cpu",
    np.minimum,
    doc="""
    The smallest of the first elements along dim, and its place.

    ~scan
    ~real-indices

    >>> torch.cummin(torch.tensor([3., 1., 2.]), dim=0).values
    tensor([3., 1., 1.])
    """,
)

# -- logcumsumexp ------------------------------------------------------------------------------------------------------


def _add_exp(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """log(exp(a) + exp(b)) of complex numbers, without wrapping the imaginary part around."""
    swap = b.real < a.real
    low, high = np.where(swap, b, a), np.where(swap, a, b)
    r = high + np.log1p(np.exp(low - high))
    same = ~np.isfinite(low.real) & (low.real == high.real)
    r = np.where(same & (low.real < 0), complex(-np.inf, 0), r)
    r = np.where(same & (low.real > 0), np.log(np.exp(low) + np.exp(high)), r)
    nan = np.isnan(a.real) | np.isnan(a.imag) | np.isnan(b.real) | np.isnan(b.imag)
    return np.where(nan, complex(np.nan, np.nan), r)


def _logcumsumexp_along(F: Any, tangent: Any, input: Any, result: Any, dim: int) -> Any:
    """The tangent: exp(input) against exp(result), both without the greatest of a line, which would be too large."""
    shape = tuple(input.shape)
    if not shape or 0 in shape:
        return tangent
    top = F.detach(F.amax(F.real_part(input), (dim,), True))
    total = F.exp(result - top)
    return F.cumsum(tangent * F.exp(input - top), dim) * F.only(total != 0, F.reciprocal(total))


@op(
    "logcumsumexp(Tensor input, int dim, *, Tensor out=None) -> Tensor",
    inner_writes=lambda x, *_: not x.ndim,
    vjp={
        "input": says(
            ("g times the share of the element in each sum, added", "g 乘以元素在各个和中所占的份额，再相加")
        )(lambda F, grad, input, result, dim: F.logcumsumexp_back(grad, input, result, dim))
    },
    jvp={"input": _logcumsumexp_along},
    check_out=same_dtype(_FOUND),
    out=Out(overlap="part"),
)
def logcumsumexp(input: Any, dim: int) -> np.ndarray:
    """log of the cumsum of exp(input) along dim, without overflow.

    ~scan
    ~floats

    >>> torch.logcumsumexp(torch.tensor([0., 0., 0.]), dim=0)
    tensor([0.0000, 0.6931, 1.0986])
    """
    d = wrap_dim(dim, input.ndim)
    refuse(input, "logcumsumexp_out_cpu", "biu")
    if not input.ndim or not input.size:
        return np.array(input, order="C")
    wide = input.astype(_KEPT.get(input.dtype.char, input.dtype), copy=False)
    if wide.dtype.kind == "c":
        r = np.empty_like(wide, order="C")
        lines, made = moved(wide, d, 0), moved(r, d, 0)
        total = np.full(lines.shape[1:], complex(-np.inf, 0), wide.dtype)
        for i, line in enumerate(lines):
            made[i] = total = _add_exp(total, line)
    else:
        r = np.logaddexp.accumulate(wide, axis=d)
    return np.ascontiguousarray(r.astype(input.dtype, copy=False))


def _lowest(x: np.ndarray) -> np.ndarray:
    """The lowest number of a dtype, whose exponential is 0."""
    return np.asarray(np.finfo(x.dtype).min if x.dtype.kind == "f" else -3.3e38).astype(x.dtype)


RAW.lowest, TENSORS.lowest = _lowest, lambda x: wrap(_lowest(x._array))


@on_both_backends
def logcumsumexp_back(F: Any, grad: Any, input: Any, result: Any, dim: int) -> Any:
    shape = tuple(input.shape)
    if not shape or 0 in shape:
        return grad

    def back(log: Any) -> Any:
        return F.reversed(F.logcumsumexp(F.reversed(log - result, dim), dim), dim) + input

    if F.is_complex(grad):
        return F.conj(F.exp(back(F.log(F.conj(grad)))))
    log, lowest = F.log(F.abs(grad)), F.lowest(grad)
    return F.exp(back(F.where(grad > 0, log, lowest))) - F.exp(back(F.where(grad < 0, log, lowest)))


# -- differences -------------------------------------------------------------------------------------------------------


def _check_beside(input: Tensor, other: Tensor, d: int) -> None:
    if other.dim() != input.dim():
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for i in range(input.dim()):
        if i != d and other.shape[i] != input.shape[i]:
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({i}) = {input.shape[i]}, but got tensor.size({i}) = "
                f"{other.shape[i]}"
            )


@instead(unseen)
def diff(*args: Any, **kwargs: Any) -> Tensor:
    _, given = bind("diff", args, kwargs)
    input, n, dim, out = given["input"], given["n"], given["dim"], given.get("out")
    if not input.dim():
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    beside = [given["prepend"], given["append"]]
    for other in beside:
        if other is not None:
            _check_beside(input, other, wrap_dim(dim, input.dim()))
    if n == 0:
        if out is None:
            return counted(F.zeros_like(input), 1, input).copy_(input)
        if out.dtype is not input.dtype:
            raise RuntimeError(f"expected scalar_type {dtypes.scalar_name(input)} but found {dtypes.scalar_name(out)}")
        return F.add(input, 0, out=out)
    d = wrap_dim(dim, input.dim())
    if any(b is not None for b in beside):
        input = F.cat([t for t in (beside[0], input, beside[1]) if t is not None], d)
    step = F.logical_xor if input.dtype is dtypes.bool else F.sub
    n = min(n, input.shape[d])
    if n == 0 or input.shape[d] == 0:
        return input if out is None else F.add(input, 0, out=out)
    for i in range(n):
        size = max(input.shape[d] - 1, 0)
        options = {"out": out} if out is not None and i == n - 1 else {}
        low, high = F.slice(input, dim, 0, size), F.slice(input, dim, min(1, input.shape[d]), input.shape[d])
        input = step(high, low, **options)
    return input


publish(
    """
    diff(Tensor input, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None, *,
        Tensor out=None) -> Tensor|uint_add_stub
    """,
    diff,
    True,
    True,
    """
    The differences of neighbours along dim, n times.

    Shapes: input's shape, n smaller at dim; prepend and append are joined to it first.
    Dtypes: any; of bools, whether they differ.

    >>> torch.diff(torch.tensor([1, 4, 9, 16]))
    tensor([3, 5, 7])
    >>> torch.diff(torch.tensor([1, 4, 9, 16]), n=2)
    tensor([2, 2])
    """,
)

# -- the trapezoidal rule ----------------------------------------------------------------------------------------------


def _spacing(name: str, y: Tensor, x: Tensor, d: int) -> Tensor:
    """The widths between sample points, shaped to go with `y`."""
    if dtypes.bool in (x.dtype, y.dtype):
        raise RuntimeError(f"{name}: received a bool input for `x` or `y`, but bool is not supported")
    if x.dim() == 1:
        if x.shape[0] != y.shape[d]:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = x.view([x.shape[0] if i == d else 1 for i in range(y.dim())])
    elif x.dim() < y.dim():
        x = x.view([1] * (y.dim() - x.dim()) + list(x.shape))
    left = _before(x, d)
    return _after(x, d) - left


def _before(t: Tensor, dim: int) -> Tensor:
    return F.slice(t, dim, 0, -1)


def _after(t: Tensor, dim: int) -> Tensor:
    return F.slice(t, dim, 1, None)


def _check_dx(name: str, y: Tensor, dx: Any) -> None:
    if y.dtype is dtypes.bool:
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")
    if isinstance(dx, (bool, np.bool_, complex)) or not is_number(dx):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")


def _trapezoid(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    _, given = bind(name, args, kwargs)
    y, dim = given["y"], given["dim"]
    if given.get("x") is None:
        dx = given["dx"]
        _check_dx("trapezoid", y, dx)
        d = wrap_dim(dim, y.dim(), scalar_ok=False)
        if not y.shape[d]:
            return F.zeros([n for i, n in enumerate(y.shape) if i != d], dtype=y.dtype).zero_()
        ends = F.mul_number(y.select(dim, 0) + y.select(dim, -1), 0.5)
        return F.mul_number(y.sum(dim) - ends, float(dx))
    d = wrap_dim(dim, y.dim(), scalar_ok=False)
    if not y.shape[d] and dtypes.bool not in (y.dtype, given["x"].dtype):
        return F.zeros([n for i, n in enumerate(y.shape) if i != d], dtype=y.dtype).zero_()
    width = _spacing("trapezoid", y, given["x"], d)
    return F.div_number(((_before(y, d) + _after(y, d)) * width).sum(d), 2.0)


@composite(
    """
    trapezoid(Tensor y, Tensor x, *, int dim=-1) -> Tensor|.x|uint_add_stub
    trapezoid(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor|.dx|uint_add_stub
    """,
    method=False,
)
@instead(unseen)
def trapezoid(*args: Any, **kwargs: Any) -> Tensor:
    """The area under the polygon through y, along dim, at the points x or at distance dx.

    Shapes: y's shape without dim.
    Dtypes: real and complex numbers.

    >>> torch.trapezoid(torch.tensor([0., 1., 4.]), torch.tensor([0., 1., 3.]))
    tensor(5.5000)
    """
    return _trapezoid("trapezoid", args, kwargs)


@composite(
    """
    trapz(Tensor y, *, float dx=1, int dim=-1) -> Tensor|.dx|uint_add_stub
    trapz(Tensor y, Tensor x, *, int dim=-1) -> Tensor|.x|uint_add_stub
    """,
    method=False,
)
@instead(unseen)
def trapz(*args: Any, **kwargs: Any) -> Tensor:
    """Another name of trapezoid."""
    return _trapezoid("trapz", args, kwargs)


@composite(
    """
    cumulative_trapezoid(Tensor y, Tensor x, *, int dim=-1) -> Tensor|.x|uint_add_stub
    cumulative_trapezoid(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor|.dx|uint_add_stub
    """,
    method=False,
)
@instead(unseen)
def cumulative_trapezoid(*args: Any, **kwargs: Any) -> Tensor:
    """The areas under the first parts of the polygon through y.

    Shapes: y's shape, one smaller at dim.
    Dtypes: real and complex numbers.

    >>> torch.cumulative_trapezoid(torch.tensor([0., 1., 4.]))
    tensor([0.5000, 3.0000])
    """
    name = "cumulative_trapezoid"
    _, given = bind(name, args, kwargs)
    y, dim = given["y"], given["dim"]
    if given.get("x") is None:
        _check_dx(name, y, given["dx"])
        return F.mul_number(_before(y, dim) + _after(y, dim), given["dx"] / 2.0).cumsum(dim)
    d = wrap_dim(dim, y.dim(), scalar_ok=False)
    width = _spacing(name, y, given["x"], d)
    return F.div_number(((_before(y, d) + _after(y, d)) * width).cumsum(d), 2.0)
