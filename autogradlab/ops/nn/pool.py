"""Pooling: maxima and means over windows, fixed or adaptive, of two or three dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...core.arguments.declared import declare, name_of
from ...core.memory.layout import channels_as, keeping_channels
from ...core.memory.places import at_places, moved
from ...core.memory.strided import view_strides
from ...core.memory.together import batched
from ...core.recording.record import TENSORS, says, sizes_of, zeros
from ...core.runtime.deterministic import alert_not_deterministic
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import scalar_name
from ..first.kinds import BITS, BOOL, COMPLEX, HALF, INTEGERS, SHORT, replace, typed
from ..table.asking import Operator
from ..table.opdef import op
from ..table.outputs import EXPECTED, Out
from .conv_maps import few, places_of_taps

Array = Any
Sizes = tuple[int, ...]

# Where windows lie depends on sizes alone, which are the same at each step of a training: it is found out once.
_kept = lru_cache(maxsize=128)


def pooled_size(n: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """How many windows fit; in ceil mode the last one may reach beyond the end, if it starts inside."""
    span = n + 2 * padding - dilation * (kernel - 1) - 1
    count = (span + stride - 1) // stride + 1 if ceil_mode else span // stride + 1
    if ceil_mode and (count - 1) * stride >= n + padding:
        count -= 1
    return count


@_kept
def _sizes(
    shape: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool, mean: bool = False
) -> Sizes:
    """How many windows fit into planes or volumes; refuses what PyTorch's pools of maxima, or of means, refuse."""
    nd, ndim = len(kernel), len(shape)
    if mean and nd == 2 and ndim < 3:
        wrap_dim(-3, ndim, scalar_ok=False)
    planes = mean and nd == 2 and ndim > 4
    if ndim not in (nd + 1, nd + 2) and not planes:
        raise RuntimeError(f"non-empty {nd + 1}D or {nd + 2}D (batch mode) tensor expected for input")
    for k, s, p, d in zip(kernel, stride, padding, dilation, strict=True):
        if s == 0:
            raise RuntimeError("stride should not be zero")
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > int((d * (k - 1) + 1) / 2):
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )
    if any(k <= 0 for k in kernel):
        named = " ".join(f"k{name}: {k}" for name, k in zip("THW"[3 - nd :], kernel, strict=True))
        raise RuntimeError(f"kernel size should be greater than zero, but got {named}")
    if any(s <= 0 for s in stride):
        shown = (1, *stride) if nd == 1 else stride  # PyTorch averages in one dimension as in two
        named = " ".join(f"d{name}: {s}" for name, s in zip("THW"[3 - len(shown) :], shown, strict=True))
        raise RuntimeError(f"stride should be greater than zero, but got {named}")
    if any(d <= 0 for d in dilation):
        named = " ".join(f"dilation{name}: {d}" for name, d in zip("THW"[3 - nd :], dilation, strict=True))
        raise RuntimeError(f"dilation should be greater than zero, but got {named}")
    empty = 0 in shape[ndim - nd - 1 :]
    if empty and nd == 3:
        raise RuntimeError(
            f"{'avg_pool3d' if mean else 'max_pool3d_with_indices_out_cpu_template'}(): Expected input's non-batch "
            f"dimensions to have positive length, but input has a shape of {list(shape)} and non-batch dimension 0 "
            "has length zero!"
        )
    if empty or planes:
        raise RuntimeError(
            f"Expected {nd + 1}D or {nd + 2}D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{list(shape)}"
        )
    sizes = shape[-nd:]
    if mean and nd == 3 and any(n < k for n, k in zip(sizes, kernel, strict=True)):
        image = " ".join(f"{name}: {n}" for name, n in zip("THW", sizes, strict=True))
        window = " ".join(f"k{name}: {k}" for name, k in zip("THW", kernel, strict=True))
        raise RuntimeError(f"input image ({image}) smaller than kernel size ({window})")
    out = tuple(pooled_size(*a, ceil_mode) for a in zip(sizes, kernel, stride, padding, dilation, strict=True))
    if any(n < 1 for n in out):
        lead = shape[-nd - 1]
        given = "x".join(str(n) for n in (lead, *sizes))
        made = "x".join(str(n) for n in (lead, *out))
        raise RuntimeError(f"Given input size: ({given}). Calculated output size: ({made}). Output size is too small")
    return out


@_kept
def _room(
    sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, out: Sizes
) -> tuple[Sizes, tuple[Any, ...]]:
    """The sizes of planes or volumes with a border that makes room for every window, and where in them these lie."""
    wanted = [
        max(s * (o - 1) + d * (k - 1) + 1, p + n)
        for n, k, s, p, d, o in zip(sizes, kernel, stride, padding, dilation, out, strict=True)
    ]
    return tuple(wanted), (..., *(slice(p, p + n) for p, n in zip(padding, sizes, strict=True)))


def _spread(x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, out: Sizes, value: Any) -> Array:
    """x with a border that makes room for every window."""
    nd = len(kernel)
    sizes = x.shape[-nd:]
    wanted, inside = _room(sizes, kernel, stride, padding, dilation, out)
    if sizes == wanted and not any(padding):
        return x
    whole: Any = np.full((*x.shape[:-nd], *wanted), value, x.dtype)
    whole[inside] = x
    return whole


@_kept
def _steps(
    sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, out: Sizes
) -> tuple[Array, Array]:
    """How far, in places of a plane or volume, the elements of a window are from its first one; and where that is for
    each window."""
    axes = [math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))]  # from a place to the next along each
    offsets = _grid([np.arange(n) * (d * step) for n, d, step in zip(kernel, dilation, axes, strict=True)])
    first = [(np.arange(n) * s - p) * step for n, s, p, step in zip(out, stride, padding, axes, strict=True)]
    return offsets.reshape(-1), _grid(first)


def _max_pool(input: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool) -> Any:
    kernel, stride, padding, dilation = tuple(kernel), tuple(stride), tuple(padding), tuple(dilation)
    out = _sizes(input.shape, kernel, stride, padding, dilation, ceil_mode)
    sizes = input.shape[-len(kernel) :]
    low = -np.inf if input.dtype.kind == "f" else np.iinfo(input.dtype).min if input.dtype.kind in "iu" else False
    x = _spread(input, kernel, stride, padding, dilation, out, low)
    if math.prod(input.shape[: -len(kernel)]) * math.prod(out) <= _FEW and type(x) is np.ndarray:
        best, winner = _few_maxima(x, kernel, stride, dilation, out)
    else:
        best, winner = _maxima(x, kernel, stride, dilation, out)
    offsets, first = _steps(sizes, kernel, stride, padding, dilation, out)
    index = offsets.take(winner)
    index += first
    if any(padding):  # a window of nothing but -inf points at its first element inside
        index = _inside(index, best, low, sizes, stride, padding, dilation, out)
    return best, index


#: so many elements of windows are worked on at a time, where there are several planes: what stays in the cache
_CACHED = 1 << 15
#: so many windows are looked at one by one, which takes fewer steps of NumPy, at most
_FEW = 1 << 10


@_kept
def _table(sizes: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes, out: Sizes) -> Array:
    """The places in a plane or volume of all elements of each window, a row for each window."""
    offsets, first = _steps(sizes, kernel, stride, (0,) * len(sizes), dilation, out)
    return first.reshape(-1, 1) + offsets


def _few_maxima(x: Array, kernel: Sizes, stride: Sizes, dilation: Sizes, out: Sizes) -> tuple[Array, Array]:
    """What `_maxima` finds."""
    best, winner = _largest_by(_table(x.shape[-len(kernel) :], kernel, stride, dilation, out), x, len(kernel))
    shape = (*x.shape[: -len(kernel)], *out)
    return best.reshape(shape), winner.reshape(shape)


def _largest_by(table: Array, x: Array, nd: int) -> tuple[Array, Array]:
    """The largest element of each window of planes or volumes, whose elements lie at the places in a row of the table:
    the first of several or the last NaN; and its number in the window."""
    values = x.reshape(-1, math.prod(x.shape[-nd:])).take(table, 1).reshape(-1, table.shape[1])
    winner = values.argmax(1)  # that of the first NaN
    best = at_places(values, winner, 1)
    if values.dtype.kind == "f" and np.logical_or.reduce(np.isnan(best)):
        winner = _winners(values)
        best = at_places(values, winner, 1)
    return best, winner


def _maxima(x: Array, kernel: Sizes, stride: Sizes, dilation: Sizes, out: Sizes) -> tuple[Array, Array]:
    """The largest element of each window, the first of several and the last NaN, and its number in the window."""
    best = np.empty((*x.shape[: -len(kernel)], *out), x.dtype)
    winner: Array = np.zeros(best.shape, np.uint8 if math.prod(kernel) <= 256 else np.intp)
    places = places_of_taps(kernel, stride, dilation, out)
    for some in few(best.shape[0], math.prod(best.shape[1:]), _CACHED):
        _find_maxima(x[some], places, best[some], winner[some])
    return best, winner


def _find_maxima(x: Array, places: list[tuple[Any, ...]], best: Array, winner: Array) -> None:
    """Write the largest elements and their numbers into two arrays, of which the second holds zeros."""
    floating = x.dtype.kind == "f"
    best[...] = x[places[0]]
    for k, where in enumerate(places[1:], 1):
        part = np.ascontiguousarray(x[where])  # it is read three times
        larger = part > best
        if floating:
            larger |= np.isnan(part)
        replace(best, part, larger)
        np.maximum(winner, larger.view(np.uint8) * winner.dtype.type(k), out=winner)  # a later element is the winner


def maxima(
    input: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> Array | None:
    """The largest element of each window, whose place nobody asks for. None of other than floats in C's order, and of
    -0, which is as large as 0: the first of them is taken."""
    kind = BITS.get(input.itemsize) if input.dtype.kind == "f" and input.itemsize > 2 else None
    if kind is None or type(input) is not np.ndarray or not input.flags.c_contiguous:
        return None
    if (input.view(kind) == np.iinfo(kind).min).any():
        return None
    sizes = input.shape[-len(kernel) :]
    out = tuple(pooled_size(*a, ceil_mode) for a in zip(sizes, kernel, stride, padding, dilation, strict=True))
    x = _spread(input, kernel, stride, padding, dilation, out, -np.inf)
    first, *others = places_of_taps(kernel, stride, dilation, out)
    best: Array = np.array(x[first], order="C")
    for where in others:
        np.maximum(best, x[where], out=best)
    return best


def _grid(lines: list[Array]) -> Array:
    """The sums of one number from each line: an array with a dimension for each."""
    total, *rest = lines
    for line in rest:
        total = total[..., None] + line
    return total


def _inside(
    index: Array,
    best: Array,
    low: Any,
    sizes: Sizes,
    stride: Sizes,
    padding: Sizes,
    dilation: Sizes,
    out: Sizes,
) -> Array:
    empty = best == low
    if not empty.any():
        return index
    first: Any = 0
    for axis, n in enumerate(sizes):
        line = np.arange(out[axis]) * stride[axis] - padding[axis]
        line += np.maximum(-(line // dilation[axis]), 0) * dilation[axis]
        first = first * n + line.reshape(-1, *(1,) * (len(sizes) - 1 - axis))
    return np.where(empty, first, index)


def _picked(F: Any, grad: Any, indices: Any, nd: int) -> Any:
    """The elements of grad at flat places in each plane or volume."""
    area = math.prod(grad.shape[-nd:])
    count = math.prod(indices.shape[-nd:])
    lead = tuple(indices.shape[:-nd])
    if F is TENSORS and view_strides(grad._array, (*lead, area)) is None:
        grad = F.contiguous(grad)
    found = F.gather(F.view(grad, (*lead, area)), -1, F.reshape(indices, (*lead, count)))
    return F.view(found, tuple(indices.shape))


def _refuse_empty(name: str, grad: Array) -> None:
    """Refuse a gradient of nothing, as PyTorch's adaptive pools do."""
    for i in range(1, grad.ndim):
        if not grad.shape[i]:
            raise RuntimeError(
                f"{name.strip('_').removesuffix('_backward')}_backward(): Expected grad_output to have non-zero size "
                f"for non-batch dimensions, but grad_output has sizes {list(grad.shape)} with dimension {i} being empty"
            )


def _register_scatter(name: str, node: str, nd: int, keeps: bool = True, operator: Operator | None = None) -> None:
    """The derivative of a maximum over windows: each gradient goes to the place that its window's maximum came from;
    `keeps` says whether it has the channels last where the input has."""

    @typed(f"max_pool{nd}d", "")
    def kernel(
        grad_output: Any,
        input: np.ndarray,
        indices: np.ndarray,
        kernel_size: Any = None,
        stride: Any = None,
        padding: Any = None,
        dilation: Any = None,
        ceil_mode: bool = False,
    ) -> np.ndarray:
        if "adaptive" in name:
            _refuse_empty(name, grad_output)
        shape = input.shape
        lead = math.prod(shape[:-nd])
        area = math.prod(shape[-nd:])
        places, g = (a.reshape(lead, math.prod(a.shape[-nd:])) for a in (indices, grad_output))
        floating = g.dtype.kind == "f" and g.itemsize >= 4
        if floating and lead * area <= _CACHED:
            flat = (places + np.arange(0, lead * area, area).reshape(lead, 1)).reshape(-1)
            out = np.bincount(flat.astype(np.intp, copy=False), g.reshape(-1), lead * area)
            out = out.astype(g.dtype, copy=False).reshape(shape)
            return channels_as(input, out) if keeps else out
        out = np.zeros((lead, area), g.dtype)
        for some in few(lead, area, _CACHED):
            whole, values = out[some], g[some].reshape(-1)
            flat = (places[some] + np.arange(len(whole))[:, None] * area).reshape(-1).astype(np.intp, copy=False)
            if floating:
                whole[...] = np.bincount(flat, values, whole.size).reshape(whole.shape)
            else:
                np.add.at(whole.reshape(-1), flat, values)
        return channels_as(input, out.reshape(shape)) if keeps else out.reshape(shape)

    op(
        name,
        "grad_output input indices",
        method=False,
        function=False,
        node=node,
        vjp={
            "grad_output": lambda F, grad, indices: _picked(F, grad, indices, nd),
            "input": zeros,
        },
        operator=operator,
        together=batched(nd + 2, 0, 1, 2),
    )(kernel)


def _register_max(declaration: str, nd: int) -> None:
    name = name_of(declaration)

    keeping = keeping_channels(_max_pool)

    @typed(f"max_pool{nd}d", "bc")
    def kernel(
        input: np.ndarray,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: tuple[int, ...],
        dilation: tuple[int, ...],
        ceil_mode: bool,
    ) -> tuple[np.ndarray, np.ndarray]:
        found: tuple[np.ndarray, np.ndarray] = keeping(
            input, kernel_size, stride or kernel_size, padding, dilation, ceil_mode
        )
        return found

    op(
        declaration,
        method=False,
        function=False,
        node=f"MaxPool{nd}DWithIndicesBackward0",
        outputs=("result0", "result1"),
        differentiable=1,
        vjp={
            "input": says(
                ("g at the largest element of each window, 0 elsewhere", "放在每个窗口最大元素处的 g，其余为 0")
            )(
                lambda F, grad, input, kernel_size, stride, padding, dilation, ceil_mode, result1: getattr(
                    F, name + "_backward"
                )(grad, input, result1, kernel_size, stride, padding, dilation, ceil_mode)
            ),
        },
        together=batched(nd + 2, 0),
    )(kernel)
    operator = Operator(
        f"(Tensor grad_output, Tensor self, int[{nd}] kernel_size, int[{nd}] stride, int[{nd}] padding, int[{nd}] "
        "dilation, bool ceil_mode, Tensor indices) -> Tensor"
    )
    _register_scatter(name + "_backward", f"MaxPool{nd}DWithIndicesBackwardBackward0", nd, operator=operator)


_register_max(
    """
    nn.max_pool2d_with_indices(Tensor input, int[2] kernel_size, int[2] stride=None, int[2] padding=0,
        int[2] dilation=1, bool ceil_mode=False, *, Tensor[2] out=None) -> Tensor
    """,
    2,
)
_register_max(
    """
    nn.max_pool3d_with_indices(Tensor input, int[3] kernel_size, int[3] stride=None, int[3] padding=0,
        int[3] dilation=1, bool ceil_mode=False, *, Tensor[2] out=None) -> Tensor
    """,
    3,
)


def _unpool(input: np.ndarray, indices: np.ndarray, output_size: tuple[int, ...]) -> np.ndarray:
    nd, shape = len(output_size), input.shape
    if indices.dtype != np.int64:
        got = f" but got: {scalar_name(indices)}" if nd == 2 else ""
        raise RuntimeError(f"elements in indices should be type int64{got}")
    if len(shape) not in (nd + 1, nd + 2):
        raise RuntimeError(
            f"Input to max_unpooling{nd}d should be a {nd + 1}d or {nd + 2}d Tensor, but got a tensor with "
            f"{len(shape)} dimensions."
        )
    if indices.shape != shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(shape)}) but got indices "
            f"tensor with shape: {list(indices.shape)}"
        )
    empty = [d for d in range(1, len(shape)) if not shape[d]]
    if empty:
        raise RuntimeError(
            f"max_unpooling{nd}d_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but "
            f"got {list(shape)} with dimension {empty[0]} being empty."
        )
    lead = math.prod(input.shape[:-nd])
    area = math.prod(output_size)
    flat = indices.reshape(lead, math.prod(indices.shape[-nd:]))
    if flat.size and area and (flat.min() < 0 or flat.max() >= area):
        bad = int(flat[(flat < 0) | (flat >= area)][-1])
        shown = output_size if nd > 1 else (*output_size, 1)
        raise RuntimeError(
            f"Found an invalid max index: {bad} (output volumes are of size {'x'.join(map(str, shown))})"
        )
    out = np.zeros((lead, area), input.dtype)
    if area:
        np.put_along_axis(out, flat, input.reshape(flat.shape), 1)
    return out.reshape(*input.shape[:-nd], *output_size)


@op(
    "nn.max_unpool2d(Tensor input, Tensor indices, SymInt[2] output_size, *, Tensor out=None) -> Tensor|fp32|looped",
    node="MaxUnpool2DBackward0",
    # PyTorch's gradient goes to each element, also to those over which another one was written
    vjp={
        "input": says(("the elements of g at {indices}", "g 在 {indices} 处的元素"))(
            lambda F, grad, indices: _picked(F, grad, indices, 2)
        ),
    },
    jvp={"input": lambda F, tangent, indices, output_size: F.max_unpool2d(tangent, indices, output_size)},
)
@typed("max_unpool2d", BOOL + INTEGERS + COMPLEX, half=False)
def max_unpool2d(input: np.ndarray, indices: np.ndarray, output_size: tuple[int, ...]) -> np.ndarray:
    alert_not_deterministic("max_unpooling2d_forward_out")
    return channels_as(input, _unpool(input, indices, output_size))


@op(
    """
    nn.max_unpool3d(Tensor input, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding, *,
        Tensor out=None) -> Tensor|fp32
    """,
    node="MaxUnpool3DBackward0",
    vjp={
        "input": lambda F, grad, indices: _picked(F, grad, indices, 3),
    },
    jvp={"input": lambda F, tangent, indices, output_size: F.max_unpool3d(tangent, indices, output_size)},
)
@typed("max_unpool3d", BOOL + INTEGERS + COMPLEX, half=False)
def max_unpool3d(input: Any, indices: Any, output_size: Any) -> Any:
    alert_not_deterministic("max_unpooling3d_forward_out")
    return _unpool(input, indices, output_size)


# -- means -------------------------------------------------------------------------------------------------------------


@_kept
def _counts(sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, out: Sizes, include: bool) -> Any:
    """How many elements each window has, or one number if they all have as many; `include` counts those of a border."""
    total: Any = 1
    nd = len(sizes)
    for axis, (n, k, s, p, o) in enumerate(zip(sizes, kernel, stride, padding, out, strict=True)):
        start = np.arange(o) * s - p
        end = np.minimum(start + k, n + p)
        count = end - start if include else np.minimum(end, n) - np.maximum(start, 0)
        total = total * count.reshape(-1, *(1,) * (nd - 1 - axis))
    return total.flat[0] if total.size and (total == total.flat[0]).all() else total


@_kept
def _divisors(
    numpy: np.dtype[Any], sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, out: Sizes, include: bool
) -> Array:
    """The same as numbers of a dtype."""
    return np.asarray(_counts(sizes, kernel, stride, padding, out, include)).astype(numpy)


def _avg_pool(
    input: np.ndarray,
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
) -> np.ndarray:
    kernel, stride, padding = tuple(kernel_size), tuple(stride or kernel_size), tuple(padding)
    one = (1,) * len(kernel)
    out = _sizes(input.shape, kernel, stride, padding, one, ceil_mode, mean=True)
    x = _spread(input, kernel, stride, padding, one, out, 0)
    first, *others = places_of_taps(kernel, stride, one, out)
    total: Any = np.array(x[first])
    for where in others:
        total += x[where]
    if divisor_override is None:
        sizes = input.shape[-len(out) :]
        by = _divisors(input.dtype, sizes, kernel, stride, padding, out, count_include_pad)
    else:
        by = np.asarray(divisor_override).astype(input.dtype)
    means = np.trunc(total / by).astype(input.dtype) if input.dtype.kind in "iu" else total / by
    return np.asarray(means, order="C")


def _avg_pool_backward(
    input: Any,
    shape: tuple[int, ...],
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: Any,
) -> np.ndarray:
    kernel, stride, padding = tuple(kernel_size), tuple(stride or kernel_size), tuple(padding)
    nd = len(kernel)
    out, sizes, one = input.shape[-nd:], shape[-nd:], (1,) * nd
    if divisor_override is None:
        by = _divisors(input.dtype, sizes, kernel, stride, padding, out, count_include_pad)
    else:
        by = np.asarray(divisor_override).astype(input.dtype)
    g = input / by
    wanted, inside = _room(sizes, kernel, stride, padding, one, out)
    whole = np.zeros((*shape[:-nd], *wanted), input.dtype)
    for where in places_of_taps(kernel, stride, one, out):
        whole[where] += g
    return np.ascontiguousarray(whole[inside])


def _register_avg(declaration: str, nd: int, refused: str, without: str) -> None:
    name, node = name_of(declaration), f"AvgPool{nd}DBackward"

    @typed(refused, without)
    def kernel(
        input: np.ndarray,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: tuple[int, ...],
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: Any,
    ) -> np.ndarray:
        r = _avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        return channels_as(input, r) if nd == 2 else r

    @typed(f"{name}_backward", "")
    def back(
        grad_output: Any,
        input: np.ndarray,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: tuple[int, ...],
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: Any,
    ) -> np.ndarray:
        g = _avg_pool_backward(
            grad_output, input.shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )
        return channels_as(input, g) if nd == 2 else g

    op(
        declaration,
        method=False,
        function=False,
        node=f"{node}0",
        out=Out(exact=EXPECTED),
        vjp={
            "input": says(("g shared equally among the elements of each window", "平分给各窗口元素的 g"))(
                lambda F, grad, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: (
                    getattr(F, name + "_backward")(
                        grad, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
                    )
                )
            ),
        },
        together=batched(nd + 2, 0),
    )(kernel)
    op(
        f"{name}_backward",
        "grad_output input",
        method=False,
        function=False,
        node=f"{node}Backward0",
        vjp={
            "grad_output": lambda F, grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override: (  # noqa: E501 its parameters name what is saved
                getattr(F, name)(grad, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
            ),
            "input": zeros,
        },
        operator=Operator(
            f"(Tensor grad_output, Tensor self, int[{nd}] kernel_size, int[{nd}] stride, int[{nd}] padding, bool "
            "ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor"
        ),
        together=batched(nd + 2, 0, 1),
    )(back)


_register_avg(
    """
    nn.avg_pool2d(Tensor input, int[2] kernel_size, int[2] stride=None, int[2] padding=0, bool ceil_mode=False,
        bool count_include_pad=True, int? divisor_override=None, *, Tensor out=None) -> Tensor
    """,
    2,
    "avg_pool2d",
    BOOL + SHORT + COMPLEX,
)
_register_avg(
    """
    nn.avg_pool3d(Tensor input, int[3] kernel_size, int[3] stride=None, int[3] padding=0, bool ceil_mode=False,
        bool count_include_pad=True, int? divisor_override=None, *, Tensor out=None) -> Tensor|fp32
    """,
    3,
    "avg_pool3d_out_frame",
    BOOL + SHORT + COMPLEX + HALF,
)


# -- adaptive ----------------------------------------------------------------------------------------------------------


def _bounds(n: int, o: int) -> list[tuple[int, int]]:
    return [(i * n // o, -((-(i + 1) * n) // o)) for i in range(o)]


@_kept
def _parts(n: int, o: int) -> Array:
    """The places of o nearly equal parts of n elements, as rows; shorter ones repeat their last place."""
    bounds = _bounds(n, o)
    longest = max((b - a for a, b in bounds), default=1)
    rows = [np.minimum(np.arange(a, a + longest), b - 1) for a, b in bounds]
    return np.array(rows, np.intp).reshape(o, longest)


def _means(n: int, o: int, dtype: Any) -> Array | None:
    """The matrix (o, n) that takes the means over o nearly equal parts of n elements; None if each is a part."""
    if n == o:
        return None
    m = np.zeros((o, n), dtype)
    for i, (a, b) in enumerate(_bounds(n, o)):
        m[i, a:b] = 1 / (b - a)
    return m


_known_means = _kept(_means)
#: so many elements has a matrix that is kept, at most
_SMALL = 1 << 12


def _mean_matrix(n: int, o: int, dtype: Any) -> Array | None:
    """The same, kept if it is small."""
    return (_known_means if n * o <= _SMALL else _means)(n, o, dtype)


def along(x: Array, matrices: Sequence[Array | None]) -> Array:
    """Each matrix (o, n) applied along one of the last dimensions; None leaves it as it is."""
    nd = len(matrices)
    for i, m in enumerate(matrices):
        x = moved(_applied(moved(x, i - nd, -1), m), -1, i - nd)
    return np.ascontiguousarray(x)


def _applied(lines: Array, m: Array | None) -> Array:
    """A matrix (o, n) applied to lines of n. An infinity or NaN counts in those sums alone that give it a weight."""
    if m is None:
        return np.add(lines, lines.dtype.type(0), order="C")  # which is never -0, as no sum is
    m = m.astype(lines.dtype, copy=False)
    r: Array = np.matmul(lines, m.T)
    if not np.logical_and.reduce(np.isfinite(r), None):
        for i, weights in enumerate(m):
            places = np.flatnonzero(weights)
            r[..., i] = lines[..., places] @ weights[places]
    return r


def _register_adaptive(declaration: str, nd: int) -> None:
    mean, maximum = f"_adaptive_avg_pool{nd}d", name_of(declaration)
    adaptive = keeping_channels(_adaptive_max) if nd == 2 else _adaptive_max

    @typed(f"adaptive_avg_pool{nd}d{'' if nd == 2 else '_cpu'}")
    def kernel(input: np.ndarray, output_size: tuple[int, ...]) -> np.ndarray:
        sizes = input.shape[-nd:]
        r = along(input, [_mean_matrix(n, o, input.dtype) for n, o in zip(sizes, output_size, strict=True)])
        return channels_as(input, r) if nd == 2 else r  # PyTorch averages volumes in its own order

    @typed(mean, "")
    def kernel_backward(grad_output: Any, input: np.ndarray) -> np.ndarray:
        _refuse_empty(mean, grad_output)
        sizes, outs = input.shape[-nd:], grad_output.shape[-nd:]
        means = [_mean_matrix(n, o, grad_output.dtype) for n, o in zip(sizes, outs, strict=True)]
        g = along(grad_output, [m if m is None else m.T for m in means])
        return channels_as(input, g) if nd == 2 else g

    @typed(f"adaptive_max_pool{nd}d{'' if nd == 2 else '_cpu'}")
    def kernel_max(input: np.ndarray, output_size: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        found: tuple[np.ndarray, np.ndarray] = adaptive(input, output_size)
        return found

    op(
        mean,
        method=False,
        function=False,
        node=f"AdaptiveAvgPool{nd}DBackward0",
        vjp={
            "input": says(("g shared equally among the elements of each window", "平分给各窗口元素的 g"))(
                lambda F, grad, input: getattr(F, mean + "_backward")(grad, input)
            ),
        },
        together=batched(nd + 2, 0),
    )(kernel)
    op(
        mean + "_backward",
        "grad_output input",
        method=False,
        function=False,
        node=f"AdaptiveAvgPool{nd}DBackwardBackward0",
        vjp={
            "grad_output": lambda F, grad, grad_output_shape: getattr(F, mean)(grad, tuple(grad_output_shape[-nd:])),
            "input": zeros,
        },
        shown={"grad_output_shape": ""},
        constants=sizes_of("grad_output_shape", *range(-nd, 0)),
        together=batched(nd + 2, 0, 1),
    )(kernel_backward)
    op(
        declaration,
        method=False,
        function=False,
        node=f"AdaptiveMaxPool{nd}DBackward0",
        outputs=("result0", "result1"),
        differentiable=1,
        vjp={
            "input": says(
                ("g at the largest element of each window, 0 elsewhere", "放在每个窗口最大元素处的 g，其余为 0")
            )(lambda F, grad, input, result1: getattr(F, maximum + "_backward")(grad, input, result1)),
        },
        together=batched(nd + 2, 0),
    )(kernel_max)
    _register_scatter(maximum + "_backward", f"AdaptiveMaxPool{nd}DBackwardBackward0", nd, nd == 2)


def _winners(values: Array) -> Array:
    """Where the largest element along the last dimension is; that of the last NaN, if there is one."""
    if values.dtype.kind != "f":
        return values.argmax(-1)
    bad = np.isnan(values)
    if not np.logical_or.reduce(bad, None):
        return values.argmax(-1)
    return np.where(bad.any(-1), values.shape[-1] - 1 - bad[..., ::-1].argmax(-1), values.argmax(-1))


@_kept
def _table_of_parts(sizes: Sizes, out: Sizes) -> Array:
    """The places in a plane or volume of all elements of each of its nearly equal parts, a row for each; shorter ones
    repeat places."""
    nd = len(sizes)
    found: Any = 0
    for d, (n, o) in enumerate(zip(sizes, out, strict=True)):
        places = _parts(n, o) * math.prod(sizes[d + 1 :])
        alone = [1] * (2 * nd)
        alone[d], alone[nd + d] = places.shape
        found = found + places.reshape(alone)
    return found.reshape(math.prod(out), -1)


def _adaptive_max(input: Array, output_size: Sizes) -> Any:
    """The maxima of nearly equal parts, a NaN counting as one, and their indices in the flattened plane or volume."""
    nd = len(output_size)
    sizes = input.shape[-nd:]
    shape = (*input.shape[:-nd], *output_size)
    if math.prod(shape) >= 1 << 62:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
    if 0 < math.prod(shape) <= _FEW and 0 < input.size <= _CACHED and type(input) is np.ndarray:
        table = _table_of_parts(sizes, tuple(output_size))
        best, winner = _largest_by(table, input, nd)
        at = table[np.arange(len(table)), winner.reshape(-1, len(table))]
        return best.reshape(shape), at.reshape(shape).astype(np.int64, copy=False)
    best, index = input, None
    for d in range(input.ndim - 1, input.ndim - nd - 1, -1):  # the first, or the last NaN, of each line, then of these
        n = input.shape[d]
        places = _parts(n, output_size[d - input.ndim])
        lines = moved(best, d, -1).take(places, -1)
        found = _winners(lines)
        best = moved(at_places(lines, found, lines.ndim - 1), -1, d)
        at = places[np.arange(len(places)), found]
        if index is not None:
            inner = moved(index, d, -1)
            at = at * math.prod(sizes[d - input.ndim + 1 :]) + at_places(inner, at, inner.ndim - 1)
        index = moved(at, -1, d)
    return np.ascontiguousarray(best), np.ascontiguousarray(index, np.int64)


declare(
    "_adaptive_avg_pool2d(Tensor input, SymInt[2] output_size) -> Tensor",
)
_register_adaptive(
    "nn.adaptive_max_pool2d(Tensor input, int[2] output_size, *, Tensor[2] out=None) -> Tensor",
    2,
)
_register_adaptive(
    "nn.adaptive_max_pool3d(Tensor input, int[3] output_size, *, Tensor[2] out=None) -> Tensor",
    3,
)


# -- windows at random positions ---------------------------------------------------------------------------------------


def _starts(samples: Array, n: int, o: int, k: int) -> Array:
    """Where the windows of one dimension begin, for each sample: a random sequence that ends at the end."""
    found = np.full((len(samples), o), n - k, np.int64)
    if o > 1:
        kind, u = samples.dtype, samples[:, None]
        alpha = kind.type(n - k) / kind.type(o - 1)
        found[:, :-1] = ((np.arange(o - 1).astype(kind) + u) * alpha).astype(np.int64) - (u * alpha).astype(np.int64)
    return found


def _largest_from(x: Array, starts: Array, k: int, d: int) -> tuple[Array, Array]:
    """The largest of k elements along dimension d from each start on, and where it is; of several the first, and the
    last NaN."""
    best = np.take_along_axis(x, starts, d)
    at = np.broadcast_to(starts, best.shape)
    for j in range(1, k):
        other = np.take_along_axis(x, starts + j, d)
        better = (other > best) | (other != other)
        best, at = np.where(better, other, best), np.where(better, starts + j, at)
    return best, at


def _register_fractional(declaration: str, nd: int) -> None:
    name = name_of(declaration)

    @typed(f"{name}_out_frame", "biuc")
    def kernel(input: Any, random_samples: Any, kernel_size: Any, output_size: Any) -> Any:
        batch = input if input.ndim == nd + 2 else input[None]
        count, sizes = math.prod(batch.shape[:2]), batch.shape[2:]
        best, index = batch.reshape(count, *sizes), np.zeros(0, np.int64)
        samples = random_samples[: len(batch), : batch.shape[1]].reshape(count, nd).astype(input.dtype)
        inner = 1
        for d in range(nd - 1, -1, -1):  # of each line, then of these lines
            column = samples[:, nd - 1 - d if nd == 2 else d]  # the samples of planes are (width, height)
            starts = _starts(column, sizes[d], output_size[d], kernel_size[d])
            starts = starts.reshape(count, *(output_size[d] if i == d else 1 for i in range(nd)))
            best, at = _largest_from(best, starts, kernel_size[d], d + 1)
            index = at * inner + (0 if d == nd - 1 else np.take_along_axis(index, at, d + 1))
            inner *= sizes[d]
        shape = (*input.shape[:-nd], *output_size)
        return best.reshape(shape), index.reshape(shape)

    op(
        declaration,
        "input random_samples",
        method=False,
        function=False,
        node=f"FractionalMaxPool{nd}DBackward0",
        outputs=("result0", "result1"),
        differentiable=1,
        vjp={
            "input": lambda F, grad, input, result1: getattr(F, name + "_backward")(grad, input, result1),
        },
        also=("kernel_size", "output_size"),
    )(kernel)
    _register_scatter(name + "_backward", f"FractionalMaxPool{nd}DBackwardBackward0", nd, False)


_register_fractional(
    """
    nn.fractional_max_pool2d(Tensor input, int[2] kernel_size, int[2] output_size, Tensor random_samples, *,
        Tensor[2] out=None) -> Tensor|fp32|.default|.output
    """,
    2,
)
_register_fractional(
    """
    nn.fractional_max_pool3d(Tensor input, int[3] kernel_size, int[3] output_size, Tensor random_samples, *,
        Tensor[2] out=None) -> Tensor|fp32|.default|.output
    """,
    3,
)
