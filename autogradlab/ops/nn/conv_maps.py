"""The linear maps that convolutions are made of, on arrays: by windows and matrix products.

Three maps are closed under differentiation: the convolution of x with w, its adjoint by x and its adjoint by w.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import Any

import numpy as np

from ...core.memory.strided import window

Array = Any
Sizes = tuple[int, ...]

#: from so many elements of windows on, a product is made tap by tap where that copies less
_MANY = 1 << 15
#: up to how many times as many elements are copied into windows as would be added up where these overlap
_MORE = 12
#: bytes of windows that are copied at a time: what stays in the processor's cache until its product is made
_CACHED = 1 << 20


def padded(x: Array, padding: Sizes, value: float = 0) -> Array:
    """`x` with `padding` on both sides of its last dimensions."""
    if not any(padding):
        return x
    n = len(padding)
    shape = (*x.shape[:-n], *[s + 2 * p for s, p in zip(x.shape[-n:], padding, strict=True)])
    out: Any = np.full(shape, value, x.dtype) if value else np.zeros(shape, x.dtype)
    out[(..., *[slice(p, p + s) for p, s in zip(padding, x.shape[-n:], strict=True)])] = x
    return out


@lru_cache(maxsize=128)
def places_of_taps(kernel: Sizes, stride: Sizes, dilation: Sizes, out: Sizes) -> list[tuple[Any, ...]]:
    """For each element of a window: where in the padded input it lies for all windows."""
    return [
        (..., *(slice(i * d, i * d + s * (o - 1) + 1, s) for i, d, s, o in zip(at, dilation, stride, out, strict=True)))
        for at in itertools.product(*map(range, kernel))
    ]


def out_sizes(sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Sizes:
    return tuple(
        [
            (n + 2 * p - d * (k - 1) - 1) // s + 1
            for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True)
        ]
    )


def windows(x: Array, kernel: Sizes, stride: Sizes, dilation: Sizes, out: Sizes) -> Array:
    """A view (N, C, *kernel, *out) on a padded input (N, C, *sizes)."""
    x = np.asarray(x)  # with the negative bit it has the strides of other memory
    step = x.strides[2:]
    shape = (*x.shape[:2], *kernel, *out)
    strides = (
        *x.strides[:2],
        *[s * d for s, d in zip(step, dilation, strict=True)],
        *[s * t for s, t in zip(step, stride, strict=True)],
    )
    return window(x, shape, strides)


def columns(x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Array:
    """The windows of x as a matrix for each sample: (N, C * kernel, out)."""
    out = out_sizes(x.shape[2:], kernel, stride, padding, dilation)
    found = np.empty((x.shape[0], x.shape[1] * math.prod(kernel), math.prod(out)), x.dtype)
    found.reshape(*x.shape[:2], *kernel, *out)[...] = windows(padded(x, padding), kernel, stride, dilation, out)
    return found


def scatter_columns(
    cols: Array, sizes: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, out: Sizes | None = None
) -> Array:
    """The adjoint of `columns`: (N, C * kernel, out) added up to (N, C, *sizes)."""
    out = out_sizes(sizes, kernel, stride, padding, dilation) if out is None else out
    n = cols.shape[0]
    parts = cols.reshape(n, cols.shape[1] // max(math.prod(kernel), 1), *kernel, *out)
    whole: Any = np.zeros((n, parts.shape[1], *(s + 2 * p for s, p in zip(sizes, padding, strict=True))), cols.dtype)
    places = places_of_taps(*map(tuple, (kernel, stride, dilation, out)))
    for at, where in zip(itertools.product(*map(range, kernel)), places, strict=True):
        whole[where] += parts[(slice(None), slice(None), *at)]
    if not any(padding):
        return whole
    return np.ascontiguousarray(whole[(..., *(slice(p, p + s) for p, s in zip(padding, sizes, strict=True)))])


def few(count: int, each: int, most: int) -> list[slice]:
    """`count` parts of so many elements, a few at a time: those of `most` elements, or one."""
    if count * each <= most:
        return [slice(None)]
    some = max(most // each, 1)
    return [slice(i, i + some) for i in range(0, count, some)]


class Windows:
    """The windows of x as matrices (C / groups * elements, positions), which a convolution multiplies by its weights.

    One matrix holds each window whole, so each element of x is copied once for every window in which it lies. Where
    windows move by 1 in the first dimension and x has many channels, less is copied: a matrix then holds, for every
    line of x, what windows have in that line. The rows of the kernel are `taps`: each of them multiplies a part of the
    matrix, which begins as many lines later as it lies below the first, and the products are added up.

    few: the samples whose matrices are made at a time.
    """

    __slots__ = ("_buffer", "_lines", "_shift", "_view", "few", "groups", "kernel", "length", "taps")

    def __init__(
        self,
        x: Array,
        kernel: Sizes,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes,
        out: Sizes,
        groups: int,
        channels: int,
    ) -> None:
        n, c = x.shape[:2]
        x = padded(x, padding)
        self.groups, self.kernel, self.length = groups, kernel, math.prod(out)
        rows, first, lines = c * math.prod(kernel), kernel[0], self.length
        self.taps = 1
        if first > 1 and stride[0] == 1 and n * rows * lines >= _MANY and 2 * rows > 3 * first * channels:
            self.taps, self._shift = first, dilation[0] * math.prod(out[1:])
            kernel, dilation, out = (1, *kernel[1:]), (1, *dilation[1:]), (x.shape[2], *out[1:])
            rows, lines = rows // first, math.prod(out)
        self._view = windows(x, kernel, stride, dilation, out)
        self._lines = groups, rows // groups, lines
        self._buffer: Any = None
        self.few = few(n, rows * lines, _CACHED // x.itemsize)

    def weights(self, w: Array) -> Array:
        """(O, C / groups, *kernel) as a matrix for each tap: (taps, groups, O / groups, C / groups * elements)."""
        o, c = w.shape[:2]
        shape = self.taps, self.groups, o // self.groups, self._lines[1]
        if self.taps == 1:
            return w.reshape(shape)
        return w.reshape(o, c, self.taps, self._lines[1] // c).transpose(2, 0, 1, 3).reshape(shape)

    def kernels(self, matrices: Array) -> Array:
        """The inverse of `weights`."""
        taps, groups, o, rows = matrices.shape
        c = self._view.shape[1] // groups
        if taps == 1:
            return matrices.reshape(groups * o, c, *self.kernel)
        by_tap = matrices.reshape(taps, groups * o, c, rows // c)
        return by_tap.transpose(1, 2, 0, 3).reshape(groups * o, c, *self.kernel)

    def matrices(self, some: slice) -> list[Array]:
        """For each tap the matrices of some samples: (samples, groups, C / groups * elements, positions). They are
        valid until those of others are asked for."""
        view = self._view[some]
        if len(self.few) == 1:
            part = np.ascontiguousarray(view)
        else:
            if self._buffer is None:  # memory that is used again is still in the cache
                self._buffer = np.empty(view.shape, view.dtype)
            part = self._buffer[: view.shape[0]]
            part[...] = view
        lines = part.reshape(part.shape[0], *self._lines)
        if self.taps == 1:
            return [lines]
        return [lines[..., i * self._shift : i * self._shift + self.length] for i in range(self.taps)]


def convolve(x: Array, w: Array, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> Array:
    """(N, C, *sizes) with (O, C / groups, *kernel): (N, O, *out)."""
    n, o, kernel = x.shape[0], w.shape[0], w.shape[2:]
    out = out_sizes(x.shape[2:], kernel, stride, padding, dilation)
    parts = Windows(x, kernel, stride, padding, dilation, out, groups, o)
    weights = parts.weights(w)
    found = np.empty((n, o, *out), np.result_type(x, w))
    into = found.reshape(n, groups, o // groups, parts.length)
    for some in parts.few:
        whole = into[some]
        for tap, matrix in enumerate(parts.matrices(some)):
            if tap:
                whole += np.matmul(weights[tap], matrix)
            else:
                np.matmul(weights[0], matrix, out=whole)
    return found


def adjoint_input(
    g: Array, w: Array, sizes: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Array:
    """The gradient of `convolve` by x, for that of its result: (N, O, *out) gives (N, C, *sizes)."""
    (n, o), out, (_, c), kernel = g.shape[:2], g.shape[2:], w.shape[:2], w.shape[2:]
    length, rows = math.prod(out), c * groups * math.prod(kernel)
    if set(stride) == {1} and o * math.prod(sizes) <= _MORE * c * groups * length:
        rest = tuple(d * (k - 1) - p for d, k, p in zip(dilation, kernel, padding, strict=True))
        if min(rest) >= 0 and out_sizes(out, kernel, stride, rest, dilation) == sizes:
            return convolve(g, _turned(w, groups), stride, rest, dilation, groups)
    weights = w.reshape(groups, o // groups, rows // groups).swapaxes(1, 2)
    flat = g.reshape(n, groups, o // groups, length)
    found = []
    for some in few(n, rows * length, _CACHED // g.itemsize):
        cols = np.matmul(weights, flat[some])
        cols = cols.reshape(cols.shape[0], rows, length)
        found.append(scatter_columns(cols, sizes, kernel, stride, padding, dilation, out))
    return found[0] if len(found) == 1 else np.concatenate(found)


def _turned(w: Array, groups: int) -> Array:
    """(O, C / groups, *kernel) as the weight (C, O / groups, *kernel) of the convolution that is the adjoint by x."""
    o, c, *kernel = w.shape
    swapped = w.reshape(groups, o // groups, c, *kernel).swapaxes(1, 2).reshape(groups * c, o // groups, *kernel)
    return swapped[(..., *(slice(None, None, -1),) * len(kernel))]


def adjoint_weight(
    g: Array, x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Array:
    """The gradient of `convolve` by w, for that of its result: (N, O, *out) gives (O, C / groups, *kernel)."""
    n, o = g.shape[:2]
    if math.prod(g.shape[2:]) * groups <= o:
        return _summed_over_samples(g, x, kernel, stride, padding, dilation, groups)
    parts = Windows(x, kernel, stride, padding, dilation, g.shape[2:], groups, o)
    flat = g.reshape(n, groups, o // groups, parts.length)
    found: list[Array] = []
    for some in parts.few:
        for tap, matrix in enumerate(parts.matrices(some)):
            here = np.add.reduce(np.matmul(flat[some], matrix.swapaxes(2, 3)), 0)
            if tap < len(found):
                found[tap] += here
            else:
                found.append(here)
    return parts.kernels(found[0][None] if len(found) == 1 else np.stack(found))


def _summed_over_samples(
    g: Array, x: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Array:
    """`adjoint_weight` where windows have so few positions that a product for each sample would be larger than what it
    is made of: one for all of them, or for some at a time, has longer sums instead."""
    n, o, out, nd = g.shape[0], g.shape[1], g.shape[2:], len(kernel)
    length, rows = math.prod(out), x.shape[1] // groups * math.prod(kernel)
    view = np.moveaxis(windows(padded(x, padding), kernel, stride, dilation, out), 0, 1 + nd)
    flat = np.moveaxis(g.reshape(n, o, length), 0, 1)
    found: Array = None
    for some in few(n, groups * rows * length, _CACHED // x.itemsize):
        grads = flat[:, some]
        summands = grads.shape[1] * length
        cols = view[(slice(None),) * (1 + nd) + (some,)].reshape(groups, rows, summands)
        part = np.matmul(grads.reshape(groups, o // groups, summands), cols.swapaxes(1, 2))
        found = part if found is None else np.add(found, part, found)
    return found.reshape(o, x.shape[1] // groups, *kernel)
