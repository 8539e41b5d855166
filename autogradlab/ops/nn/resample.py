"""Resampling to another size, dimension by dimension."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.memory.layout import keeping_channels
from ...core.memory.places import moved
from ...core.recording.record import says
from ..first.kinds import COMPLEX, HALF, INTEGERS, few_singles, fused, refuse, typed
from ..table.opdef import op
from .pool import along

Array = np.ndarray[Any, Any]


# -- resampling --------------------------------------------------------------------------------------------------------


def _positions(n: int, o: int, align: bool, factor: float | None, dtype: Any) -> Array:
    """The position of each output element between the inputs, in a dtype, rounded as PyTorch rounds it."""
    kind = np.dtype(dtype).type
    at = np.arange(o, dtype=kind)
    if align:
        return at * (kind(n - 1) / kind(o - 1) if o > 1 else kind(0))
    return fused(at + kind(0.5), np.asarray(kind(1 / factor) if factor else kind(n) / kind(o)), np.asarray(kind(-0.5)))


#: where elements come from depends on sizes alone, which are the same at each step of a training
_kept = lru_cache(maxsize=64)


@_kept
def _nearest(n: int, o: int, factor: float | None, exact: bool) -> Array:
    step = np.float32(1 / factor if factor else n / o)
    i = np.arange(o, dtype=np.float32)
    found = np.floor((i + np.float32(0.5)) * step if exact else i * step).astype(np.intp)
    return np.minimum(found, n - 1)


def _cubic(t: Array, a: float = -0.75) -> Array:
    t = np.abs(t)
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t <= 1, near, np.where(t < 2, far, 0))


def _hat(t: Array) -> Array:
    return np.maximum(1 - np.abs(t), 0)


def _lanczos(t: Array) -> Array:
    return np.where(np.abs(t) < 3, np.sinc(t) * np.sinc(t / 3), 0)


#: the filters of resampling with antialiasing: how far one reaches on either side, and its values
_FILTERS: dict[str, tuple[int, Callable[[Array], Array]]] = {
    "linear_aa": (1, _hat),
    "cubic_aa": (2, lambda t: _cubic(t, -0.5)),
    "lanczos_aa": (3, _lanczos),
}


def _filtered(mode: str, n: int, o: int, align: bool, factor: float | None, dtype: Any) -> Array:
    """The matrix of a filter that is as wide as the inputs that fall on one output."""
    reach, values = _FILTERS[mode]
    scale = dtype(((n - 1) / (o - 1) if o > 1 else 0.0) if align else (1 / factor if factor else n / o))
    wide = max(scale, dtype(1))
    center = scale * (np.arange(o, dtype=dtype) + dtype(0.5))
    first = np.maximum((center - reach * wide + 0.5).astype(np.int64), 0)
    end = np.minimum((center + reach * wide + 0.5).astype(np.int64), n)
    at = np.arange(n, dtype=dtype)
    weights = values((at - center[:, None] + dtype(0.5)) * (1 / wide))
    weights = np.where((at >= first[:, None]) & (at < end[:, None]), weights, 0)
    total = weights.sum(1, keepdims=True)
    return np.divide(weights, total, out=weights, where=total != 0)


#: for each output element of a dimension, an input element that it is made of, and that one's weight
Tap = tuple[Array, Array]


@_kept
def _taps(mode: str, n: int, o: int, align: bool, factor: float | None, dtype: Any) -> list[Tap]:
    """What o elements are made of in a dimension of n: one, two or four of these each."""
    if mode in ("nearest", "nearest-exact"):
        return [(_nearest(n, o, factor, mode != "nearest"), np.ones(o, dtype))]
    at = _positions(n, o, align, factor, dtype)
    if mode == "linear":
        at = np.maximum(at, 0)
        low = np.minimum(np.floor(at).astype(np.intp), n - 1)
        share = (at - low.astype(dtype)).clip(0, 1)
        return [(low, 1 - share), (np.minimum(low + 1, n - 1), share)]
    low = np.floor(at).astype(np.intp)
    share = at - low.astype(dtype)
    return [(np.clip(low + k, 0, n - 1), _cubic(share - share.dtype.type(k))) for k in range(-1, 3)]


def matrix(mode: str, n: int, o: int, align: bool, factor: float | None, dtype: Any) -> Array:
    """The matrix (o, n) that resamples n elements to o."""
    if mode in _FILTERS:
        return _filtered(mode, n, o, align, factor, np.dtype(dtype).type)
    m = np.zeros((o, n), dtype)
    for places, weights in _taps(mode, n, o, align, factor, dtype):
        m[np.arange(o), places] += weights
    return m


def _blended(x: Array, taps: list[list[Tap]]) -> Array:
    """Each output element as the weighted sum of those it is made of, along the last dimensions, the last one first.

    What two weights in each of two dimensions make PyTorch adds up at once, which shows in last digits."""
    if few_singles(x) and [len(t) for t in taps] == [2, 2]:
        above, below = ((x.take(i, -2), w[:, None]) for i, w in taps[0])
        left, right = taps[1]
        r = fused(above[0].take(left[0], -1), above[1] * left[1], above[0].take(right[0], -1) * (above[1] * right[1]))
        for line, high in (left[0], below[1] * left[1]), (right[0], below[1] * right[1]):
            r = fused(below[0].take(line, -1), high, r)
        return r
    for d in range(1, len(taps) + 1):
        *others, (last, weight) = taps[-d]
        behind = (1,) * (d - 1)
        r = x.take(last, -d)
        r *= weight.reshape(-1, *behind)
        for places, weights in reversed(others):
            r = fused(x.take(places, -d), weights.reshape(-1, *behind), r)
        x = r
    return np.ascontiguousarray(x)


#: input elements of a dimension, for each of them an output element that it is part of, and its weight there
Share = tuple[Any, Array, Array]


@_kept
def _shares(mode: str, n: int, o: int, align: bool, factor: float | None, dtype: Any) -> list[Share]:
    """The transpose of `_taps`: the first output element of each input element that has one, the second ones, ..."""
    taps = _taps(mode, n, o, align, factor, dtype)
    inputs = np.stack([places for places, _ in taps], 1).reshape(-1)
    weights = np.stack([w for _, w in taps], 1).reshape(-1)
    order = np.argsort(inputs, kind="stable")
    count = np.bincount(inputs, minlength=n)
    first = np.cumsum(count) - count
    found = []
    for k in range(count.max()):
        having = np.flatnonzero(count > k)
        at = order[first[having] + k]
        low, high = int(having[0]), int(having[-1]) + 1
        where = slice(low, high) if len(having) == high - low else having
        found.append((where, at // len(taps), weights[at]))
    return found


def _unblended(g: Array, sizes: tuple[int, ...], shares: list[list[Share]]) -> Array:
    """The transpose: the gradient of each element summed from all that it is in."""
    dims = range(1, len(sizes) + 1)
    # single numbers are picked from the last dimension: it comes when there are fewer of them
    for d in dims if math.prod(sizes) > math.prod(g.shape[2:]) else reversed(dims):
        r = np.zeros((*g.shape[: g.ndim - d], sizes[-d], *g.shape[g.ndim - d + 1 :]), g.dtype)
        behind = (slice(None),) * (d - 1)
        for where, places, weights in shares[-d]:
            part = g.take(places, -d)
            part *= weights.reshape(-1, *(1,) * (d - 1))
            r[(..., where, *behind)] += part
        g = r
    return g


def _bytes_along(x: Array, matrices: list[Array]) -> Array:
    """Bytes resampled along their last dimensions, the last one first, each time rounded to bytes. As in PyTorch the
    weights are whole numbers of 16 bits, parts of the largest power of 2 with which all of them fit."""
    for i, m in reversed(list(enumerate(matrices))):
        o, n = m.shape
        if o == n:
            continue
        bits = next(b for b in range(23) if b == 22 or int(0.5 + m.max() * (1 << (b + 1))) >= 1 << 15)
        scaled = m * (1 << bits)
        whole = np.trunc(scaled + np.where(scaled < 0, -0.5, 0.5)).astype(np.int32)
        sums = moved(moved(x, 2 + i, -1).astype(np.int32) @ whole.T, -1, 2 + i)
        x = np.clip((sums + (1 << (bits - 1))) >> bits, 0, 255).astype(np.uint8)
    return np.array(x, order="C")


def _refuse_integers(x: Any, name: str) -> None:
    if x.dtype != np.uint8:
        refuse(x, name, "iu")


#: words for the gradient of what was enlarged or made smaller
_COPIED = "g of all copies of an element, summed", "元素的所有副本处的 g 之和"
_BLENDED = "g shared among the elements it was blended from", "按混合的权重分回各元素的 g"


def _scale_names(nd: int) -> list[str]:
    """The factors by PyTorch's names: `scales` of one dimension, `scales_h` and `scales_w` of two."""
    return ["scales"] if nd == 1 else [f"scales_{d}" for d in "dhw"[-nd:]]


def _scales(nd: int) -> dict[str, Any]:
    return {name: lambda node, i=i: node.field("scales")[i] for i, name in enumerate(_scale_names(nd))}


def _refused_by(name: str, mode: str) -> tuple[str, str]:
    """The name of PyTorch's kernel, and the dtypes that it has not."""
    if mode in _FILTERS:
        return "compute_index_ranges_weights", COMPLEX + "b" + HALF
    return (
        "upsample_bilinear2d_channels_last" if name == "upsample_bilinear2d" else f"compute_indices_weights_{mode}",
        "bc",
    )


def _check_sizes(input: Array, output_size: tuple[int, ...]) -> None:
    nd = len(output_size)
    if min(input.shape[2:] + output_size) <= 0:
        before, after = (
            ", ".join(f"{d}: {n}" for d, n in zip("DHW"[-nd:], sizes, strict=True))
            for sizes in (input.shape[2:], output_size)
        )
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({before}) {'and ' * (nd == 1)}output "
            f"({after})"
        )
    if input.shape[1] == 0:
        sizes = list(input.shape)
        raise RuntimeError(f"Non-empty {nd + 2}D data tensor expected but got a tensor with sizes {sizes}")


def _resampler(name: str, node: str, mode: str, nd: int) -> None:
    """An entry that is called as `interpolate` calls it, with the sizes and a factor or None for each; its signatures
    are those of PyTorch's functions, against which `interpolate` holds what it was given."""
    align = "" if mode.startswith("nearest") else "bool align_corners, "
    scales = ", ".join(f"float? {scale}=None" for scale in _scale_names(nd))
    declare(
        f"""
        nn.{name}(Tensor input, SymInt[]? output_size, {align}float[]? scale_factors) -> Tensor|input|.vec
        nn.{name}(Tensor input, SymInt[{nd}] output_size, {align}{scales}, *, Tensor out=None) -> Tensor
        """
    )

    def by_dimension(make: Any, sizes: Any, output_size: Any, align: bool, scales: Any, dtype: Any) -> list[Any]:
        factors = scales if isinstance(scales, (tuple, list)) else (scales,)  # of lines it is one
        return [make(mode, n, o, align, s, dtype) for n, o, s in zip(sizes, output_size, factors, strict=True)]

    if mode.startswith("nearest"):
        missing = "upsample_nearest2d_channels_last" if nd == 2 else "compute_indices_weights_nearest"

        @typed(missing, "bc")
        def kernel(input: np.ndarray, output_size: tuple[int, ...], align_corners: bool, scales: Any) -> np.ndarray:
            _check_sizes(input, output_size)
            _refuse_integers(input, missing)
            out = input
            for i, (o, s) in enumerate(zip(output_size, scales, strict=True)):
                out = np.take(out, _nearest(input.shape[2 + i], o, s, mode != "nearest"), axis=2 + i)
            return np.ascontiguousarray(out)

    else:
        missing, without = _refused_by(name, mode)

        @typed(missing, without)
        def kernel(input: np.ndarray, output_size: tuple[int, ...], align_corners: bool, scales: Any) -> np.ndarray:
            _check_sizes(input, output_size)
            how = input.shape[2:], output_size, align_corners, scales
            if input.dtype == np.uint8 and nd == 2:
                return _bytes_along(input, by_dimension(matrix, *how, np.float64))
            refuse(input, missing, INTEGERS)
            if mode in _FILTERS:
                return along(input, by_dimension(matrix, *how, input.dtype))
            return _blended(input, by_dimension(_taps, *how, input.dtype))

    @typed(name, "")
    def kernel_backward(
        input: Any, shape: tuple[int, ...], output_size: tuple[int, ...], align_corners: bool, scales: Any
    ) -> np.ndarray:
        how = shape[2:], output_size, align_corners, scales, input.dtype
        if mode in _FILTERS:
            return along(input, [m.T for m in by_dimension(matrix, *how)])
        return _unblended(input, shape[2:], by_dimension(_shares, *how))

    kept: dict[str, Any] = {
        "shown": {"scales": "", **({} if align else {"align_corners": ""})},
        "constants": _scales(nd),
    }
    op(
        name,
        method=False,
        function=False,
        node=node,
        vjp={
            "input": says(_COPIED if "nearest" in name else _BLENDED)(
                lambda F, grad, input_shape, output_size, align_corners, scales: getattr(F, name + "_backward")(
                    grad, tuple(input_shape), output_size, align_corners, scales
                )
            ),
        },
        **kept,
    )(keeping_channels(kernel))
    op(
        name + "_backward",
        method=False,
        function=False,
        node=node.removesuffix("0") + "Backward0",
        vjp={
            "input": lambda F, grad, output_size, align_corners, scales: getattr(F, name)(
                grad, output_size, align_corners, scales
            ),
        },
        **kept,
    )(keeping_channels(kernel_backward) if "linear" in name or ("nearest" in name and nd == 2) else kernel_backward)


_resampler("upsample_nearest1d", "UpsampleNearest1DBackward0", "nearest", 1)
_resampler("upsample_nearest2d", "UpsampleNearest2DBackward0", "nearest", 2)
_resampler("upsample_nearest3d", "UpsampleNearest3DBackward0", "nearest", 3)
_resampler("_upsample_nearest_exact1d", "UpsampleNearestExact1DBackward0", "nearest-exact", 1)
_resampler("_upsample_nearest_exact2d", "UpsampleNearestExact2DBackward0", "nearest-exact", 2)
_resampler("_upsample_nearest_exact3d", "UpsampleNearestExact3DBackward0", "nearest-exact", 3)
_resampler("upsample_linear1d", "UpsampleLinear1DBackward0", "linear", 1)
_resampler("upsample_bilinear2d", "UpsampleBilinear2DBackward0", "linear", 2)
_resampler("upsample_trilinear3d", "UpsampleTrilinear3DBackward0", "linear", 3)
_resampler("upsample_bicubic2d", "UpsampleBicubic2DBackward0", "cubic", 2)
_resampler("_upsample_bilinear2d_aa", "UpsampleBilinear2DAaBackward0", "linear_aa", 2)
_resampler("_upsample_bicubic2d_aa", "UpsampleBicubic2DAaBackward0", "cubic_aa", 2)
_resampler("_upsample_lanczos2d_aa", "UpsampleLanczos2DAaBackward0", "lanczos_aa", 2)


def scaled_size(n: int, factor: float) -> int:
    """The size after multiplication with a scale factor."""
    size = float(n) * factor
    if not abs(size) < 2.0**63:
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    return math.floor(size)
