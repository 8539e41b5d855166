"""The order of elements in memory: new arrays laid out like others, or by a memory format."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..types.layouts import memory_format
from .places import moved
from .rows import Rows
from .strided import dense, placed, window

__all__ = [
    "ITERATING",
    "common_axes",
    "contiguous",
    "empty_like",
    "fills_memory",
    "formatted",
    "iterated",
    "iterating",
    "like",
    "memory_axes",
    "read_as",
    "row_by_row",
    "strides_along",
]


#: the kernels that `iterating` made
ITERATING: set[Callable[..., Any]] = set()


def memory_axes(out: np.ndarray) -> list[int]:
    """The dimensions from the largest stride to the smallest, which is the order in which PyTorch fills a tensor."""
    return common_axes(out.shape, [out.strides])


def common_axes(shape: tuple[int, ...], steps: list[tuple[int, ...]]) -> list[int]:
    """The same for operands of a common shape with these strides, of which the first decides where it can."""

    def later(a: int, b: int) -> int:
        for strides in steps:
            x, y = strides[a], strides[b]
            if x == 0 or y == 0:
                continue
            if x != y:
                return 1 if x > y else -1
            if shape[a] > shape[b]:
                return 1
        return 0

    order = list(range(len(shape)))[::-1]  # fastest first
    for i in range(1, len(shape)):
        moving = i
        for j in range(i - 1, -1, -1):
            found = later(order[j], order[moving])
            if found > 0:
                order[j], order[moving] = order[moving], order[j]
                moving = j
            elif found < 0:
                break
    return order[::-1]


def contiguous(x: np.ndarray) -> np.ndarray:
    """The array with PyTorch's contiguous strides; NumPy leaves any of them where a size is 1."""
    if type(x) is not np.ndarray and isinstance(x, Rows):
        whole = contiguous(x.whole)
        return x if whole is x.whole else x.over(whole)
    if not x.ndim or (x.ndim == 1 and x.strides[0] == x.itemsize):
        return x
    if not x.flags.c_contiguous:
        return row_by_row(x)
    return np.ndarray(x.shape, x.dtype, x) if 1 in x.shape and type(x) is np.ndarray else x


#: from how many elements on a transposed matrix is copied in strips if its columns lie a multiple of so many bytes
#: apart, which all go to the same few lines of a processor's cache; and how many columns a strip has
_MANY, _APART, _STRIP = 1 << 16, 2048, 8


def row_by_row(x: np.ndarray) -> np.ndarray:
    """A copy in C's order.

    >>> row_by_row(np.arange(4).reshape(2, 2).T).strides
    (16, 8)
    """
    if (
        type(x) is not np.ndarray
        or x.ndim != 2
        or x.size < _MANY
        or x.strides[0] != x.itemsize
        or x.strides[1] % _APART
    ):
        return np.array(x, order="C")
    r: np.ndarray = np.empty(x.shape, x.dtype)
    for at in range(0, x.shape[1], _STRIP):
        r[:, at : at + _STRIP] = x[:, at : at + _STRIP]
    return r


def iterated(r: Any, *operands: np.ndarray) -> np.ndarray:
    """The result of an elementwise operation, laid out as PyTorch lays it out.

    NumPy does the same but for sizes of 0 and 1 and for operands that are broadcast.
    """
    if type(r) is not np.ndarray and isinstance(r, Rows):
        wholes = [x.beside(r.ndim, r.levels) if isinstance(x, Rows) else x for x in operands]
        laid = iterated(r.whole, *wholes)
        return r if laid is r.whole else r.over(laid)  # type: ignore[return-value]
    shape = r.shape
    first = operands[0] if operands[0].ndim else operands[-1]  # one number has no say
    if r.strides == first.strides and first.shape == shape and not (1 in shape or 0 in shape):
        return r
    if r.flags.c_contiguous and r.size:  # without calls: are all operands in C's order, gaps allowed?
        for x in operands:
            steps = x.strides
            axes = len(steps)
            if axes < 2:
                continue
            if axes == 2:
                high, low = steps
                if low < high or not high or not low or (low == high and x.shape[1] <= x.shape[0]):
                    continue
                break
            if x.flags.c_contiguous and 1 not in x.shape:
                continue
            before, size = None, 0
            for step, n in zip(steps, x.shape, strict=True):
                if step:
                    if before is not None and (step > before or (step == before and n > size)):
                        break
                    before, size = step, n
            else:
                continue
            break
        else:
            return r
    strides = _result_strides(shape, r.itemsize, operands)
    if strides == r.strides:
        return r
    if fills_memory(r) and all(n < 2 or a == b for n, a, b in zip(shape, strides, r.strides, strict=True)):
        return window(r, shape, strides) if r.size else np.ndarray(shape, r.dtype, r, 0, strides)
    laid = np.ndarray(shape, r.dtype, np.empty(r.size, r.dtype), 0, strides)
    laid[...] = r
    return laid


def iterating(kernel: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """A kernel of elementwise results, which are laid out by `iterated`; its operands are the arrays among its
    arguments."""

    @wraps(kernel)
    def run(*args: Any, **kwargs: Any) -> np.ndarray:
        r = kernel(*args, **kwargs)
        if r.ndim < 2 and (type(r) is np.ndarray or not isinstance(r, Rows)):
            return r
        first, shape = args[0], r.shape
        if type(first) is np.ndarray is type(r) and r.strides == first.strides and first.shape == shape:
            if not (1 in shape or 0 in shape):  # as `iterated` finds
                return r
        return iterated(r, *[read_as(a, r.dtype) for a in args if isinstance(a, np.ndarray)])

    ITERATING.add(run)
    return run


def read_as(operand: np.ndarray, numpy: np.dtype[Any]) -> np.ndarray:
    """An operand that PyTorch reads in this dtype, laid out as it does so: a broadcast one of another dtype is cast
    first, to memory of its own."""
    if operand.dtype is numpy or 0 not in operand.strides or operand.dtype == numpy:
        return operand
    return operand if isinstance(operand, Rows) else like(operand, operand.dtype, zero=False)


def channels_last(x: np.ndarray) -> bool:
    """Whether PyTorch suggests the format with the channels last for results of this operand."""
    if x.ndim not in (4, 5) or (x.flags.c_contiguous and 1 not in x.shape):
        return False
    order = (1, *range(x.ndim - 1, 1, -1), 0)
    least = 0
    for axis in order:
        if x.shape[axis] == 0 or x.strides[axis] < least or (axis == 0 and least == x.strides[1]):
            return False
        least = x.strides[axis] * max(x.shape[axis], 1) if x.shape[axis] > 1 else x.strides[axis]
    return x.strides[1] > 0


def with_channels_last(r: np.ndarray) -> np.ndarray:
    """The array in that format."""
    if not r.size:
        return _nothing_channels_last(r.shape, r.dtype)
    return moved(moved(r, 1, -1).copy("C"), -1, 1)


def _nothing_channels_last(shape: tuple[int, ...], numpy: np.dtype[Any]) -> np.ndarray:
    """No elements in that format: NumPy's own arrays without elements have no strides to tell it. As in PyTorch a size
    of 0 makes strides of 0."""
    strides, step = [0] * len(shape), numpy.itemsize
    for axis in (1, *range(len(shape) - 1, 1, -1), 0):
        strides[axis] = step
        step *= shape[axis]
    return np.ndarray(shape, numpy, b"", 0, tuple(strides))


def channels_as(input: np.ndarray, r: np.ndarray) -> np.ndarray:
    """The array, with the channels last in memory where this operand has them so."""
    return with_channels_last(r) if input.ndim > 3 and channels_last(input) else r


def filled_channels_last(x: np.ndarray) -> bool:
    """Whether the elements lie with the channels last, without gaps; strides of sizes of 1 do not count."""
    if x.ndim in (4, 5) and not x.size:
        wanted = _nothing_channels_last(x.shape, x.dtype).strides
        return all(n == 1 or a == b for n, a, b in zip(x.shape, placed(x).strides, wanted, strict=True))
    return x.ndim in (4, 5) and not x.flags.c_contiguous and bool(moved(x, 1, -1).flags.c_contiguous)


def keeping_channels(
    kernel: Callable[..., Any], suggested: Callable[[np.ndarray], bool] = channels_last
) -> Callable[..., Any]:
    """A kernel whose results have the channels last in memory where its first operand has, as `suggested` says."""

    @wraps(kernel)
    def run(input: np.ndarray, *args: Any, **kwargs: Any) -> Any:
        found = kernel(input, *args, **kwargs)
        if input.ndim < 4 or not suggested(input):
            return found
        if isinstance(found, np.ndarray):
            return with_channels_last(found)
        return tuple(with_channels_last(r) if r is not None and r.ndim == input.ndim else r for r in found)

    run.__wrapped__ = getattr(kernel, "__wrapped__", kernel)  # the kernel that has the parameters
    return run


def _result_strides(shape: tuple[int, ...], itemsize: int, operands: tuple[np.ndarray, ...]) -> tuple[int, ...]:
    """The strides in bytes that PyTorch's TensorIterator gives to a result."""
    if all(x.shape == shape for x in operands):
        if all(x.flags.c_contiguous or not x.size for x in operands):
            return dense(shape, itemsize)
        if len(shape) == 4:
            last = strides_along(shape, 1, [0, 2, 3, 1])
            fits = [
                s == x.itemsize * e or n == 1 for x in operands for n, s, e in zip(shape, x.strides, last, strict=True)
            ]
            if all(fits):
                return tuple(s * itemsize for s in last)
        first = operands[-1].strides
        if all(x.strides == first and x.itemsize == operands[-1].itemsize and fills_memory(x) for x in operands):
            return tuple(s // operands[-1].itemsize * itemsize for s in first)
    steps = []
    for x in operands:
        own = placed(x).strides
        lead = len(shape) - x.ndim
        spread = [0 if n == 1 != shape[lead + i] else own[i] // x.itemsize for i, n in enumerate(x.shape)]
        steps.append((0,) * lead + tuple(spread))
    axes = common_axes(shape, steps)
    if axes == list(range(len(shape))):
        return dense(shape, itemsize)
    return strides_along(shape, itemsize, axes)


def strides_along(shape: tuple[int, ...], itemsize: int, axes: list[int]) -> tuple[int, ...]:
    """The strides in bytes of memory without gaps in which the last of these axes is the fastest."""
    strides = [0] * len(shape)
    step = itemsize
    for axis in reversed(axes):
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)


def like(x: np.ndarray, numpy: np.dtype[Any], order: memory_format | None = None, zero: bool = True) -> np.ndarray:
    """A new array with the shape of `x`, and its strides or those of the memory format."""
    new = np.zeros if zero else np.empty
    if type(x) is not np.ndarray and isinstance(x, Rows):
        return x.over(like(x.whole, numpy, order, zero))
    if order is not None and order.name != "preserve_format":
        return formatted(x.shape, numpy, order)
    if x.flags.c_contiguous and not (1 in x.shape or 0 in x.shape):
        return new(x.shape, numpy)
    if fills_memory(x):
        x = placed(x)
        steps = tuple(s // x.itemsize * numpy.itemsize for s in x.strides)
        if not x.size:
            return np.lib.stride_tricks.as_strided(new(0, numpy), x.shape, steps)
        r = np.ndarray(x.shape, numpy, strides=steps)  # a copy, not a view
        if zero:
            r[...] = 0
        return r
    axes = memory_axes(x)
    if axes == list(range(x.ndim)):
        return new(x.shape, numpy)
    return new(tuple(x.shape[a] for a in axes), numpy).transpose(np.argsort(axes))


def empty_like(x: np.ndarray, numpy: np.dtype[Any]) -> np.ndarray:
    """An uninitialised array with the shape and layout of `x`."""
    return like(x, numpy)


def formatted(shape: tuple[int, ...], numpy: np.dtype[Any], order: memory_format) -> np.ndarray:
    """Zeros in the given memory format."""
    if order.name == "contiguous_format":
        return np.zeros(shape, numpy)
    rank = 4 if order.name == "channels_last" else 5
    if len(shape) != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {order.name} format")
    if 0 in shape:
        return _nothing_channels_last(shape, numpy)
    return np.moveaxis(np.zeros((shape[0], *shape[2:], shape[1]), numpy), -1, 1)


def fills_memory(x: np.ndarray) -> bool:
    """Whether the elements fill their memory without gaps or overlaps."""
    if x.flags.c_contiguous or not x.size:
        return True
    expected = x.itemsize
    for step, n in sorted([pair for pair in zip(x.strides, x.shape, strict=True) if pair[1] > 1]):
        if step != expected:
            return False
        expected *= n
    return True
