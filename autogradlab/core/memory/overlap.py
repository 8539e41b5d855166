"""Memory that an operation writes to: elements that share a place, and inputs that lie partly in it, are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..runtime import errors
from .layout import memory_axes
from .lazy import LazyArray
from .storage import address, dense, extent, same_memory
from .versions import UNSHARED

if TYPE_CHECKING:
    from ..tensor.tensor import Tensor

__all__ = ["check_apart", "check_written", "crossing", "detached_copy", "filled_first", "in_order", "shares_places"]


def check_apart(target: np.ndarray) -> None:
    """Refuse to write where several elements share one memory location, as in an expanded tensor."""
    if shares_places(target):
        raise RuntimeError(errors.WRITTEN_SHARED)


def shares_places(x: np.ndarray) -> bool:
    """Whether several elements share one memory location, as in an expanded tensor."""
    if 0 not in x.strides or not x.size:
        return False
    return any(s == 0 and n > 1 for s, n in zip(x.strides, x.shape, strict=True))


def crossing(x: np.ndarray) -> bool:
    """Whether elements of one place are reached by several ways though no stride is 0, as in what `unfold` gives."""
    if x.flags.c_contiguous or x.ndim < 2 or type(x) is not np.ndarray:
        return False
    reach = x.itemsize
    for step, n in sorted(zip(x.strides, x.shape, strict=True)):
        if n > 1:
            if 0 < step < reach:
                return True
            reach += step * (n - 1)
    return False


def detached_copy(x: np.ndarray, *others: Any) -> list[Any]:
    """A copy of the memory under an array, seen by its strides, and the other values: arrays in that memory as they lie
    in the copy."""
    start = address(x)
    end = start + extent(x.shape, x.strides, x.itemsize)
    inside = [type(o) is np.ndarray and o.size and address(o) < end and start < _end(o) for o in others]
    known = [x, *(o for o, found in zip(others, inside, strict=True) if found)]
    first = min(map(address, known))
    memory = np.zeros(max(map(_end, known)) - first, np.uint8)

    def moved(a: np.ndarray) -> np.ndarray:
        copy = np.ndarray(a.shape, a.dtype, memory, address(a) - first, a.strides)
        copy[...] = a
        return copy

    return [moved(x), *(moved(o) if found else o for o, found in zip(others, inside, strict=True))]


def _end(x: np.ndarray) -> int:
    return address(x) + extent(x.shape, x.strides, x.itemsize)


def in_order(kernel: Callable[..., Any], target: np.ndarray, *given: Any) -> np.ndarray | None:
    """What an elementwise kernel leaves in memory of which elements cross: it reads each row after the rows before it
    were written, as PyTorch does. None if the operands do not fit the rows. The first of them is the target, perhaps
    cast."""
    if any(isinstance(g, np.ndarray) and not _fits(g.shape, target.shape) for g in given):
        return None
    copy, *others = detached_copy(target, *given[1:])
    axes = memory_axes(target)
    numpy = given[0].dtype
    rows = [np.broadcast_to(o, target.shape).transpose(axes) if isinstance(o, np.ndarray) else o for o in others]
    turned = copy.transpose(axes)
    for place in np.ndindex(turned.shape[:-1]):
        row = turned[place]
        at = (o[place] if isinstance(o, np.ndarray) else o for o in rows)
        row[...] = kernel(row.astype(numpy), *at)
    return copy


def _fits(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    lead = len(whole) - len(shape)
    return lead >= 0 and all(n in (1, m) for n, m in zip(shape, whole[lead:], strict=True))


def check_written(t: Tensor, sources: Iterable[Any], whole: bool = False, apart: bool = True) -> None:
    """Refuse to write to `t` while reading what overlaps it in part, or (`whole`) at all.

    What shares memory has a version counter that is not UNSHARED, so for others this costs one comparison. It may be
    another counter: `.data` gives the memory a second one.
    """
    count, target = t._counter, t._array
    if apart and 0 in target.strides and target.size:
        check_apart(target)
    if count is UNSHARED:
        for s in sources if whole else ():
            if s is t:
                raise RuntimeError(errors.WRITTEN_INPUT)
        return
    for s in sources:
        other = getattr(s, "_counter", UNSHARED)
        if other is UNSHARED or (other is not count and not same_memory(s, t)):
            continue
        if whole if s is t else _meet(target, s._array, whole):
            raise RuntimeError(errors.WRITTEN_INPUT)


def filled_first(x: np.ndarray, target: np.ndarray, shape: tuple[int, ...], value: Any) -> np.ndarray | None:
    """The values of `x` once `target`, which gets this shape, is filled with a value; None if they do not overlap."""
    steps = target.strides if target.shape == shape else dense(shape, target.itemsize)
    start, low = address(x), address(target)
    end, high = start + extent(x.shape, x.strides, x.itemsize), low + extent(shape, steps, target.itemsize)
    if end <= low or high <= start:
        return None
    first = min(start, low)
    memory = np.zeros(max(end, high) - first, np.uint8)
    copy = np.ndarray(x.shape, x.dtype, memory, start - first, x.strides)
    copy[...] = x
    np.ndarray(shape, target.dtype, memory, low - first, steps)[...] = value
    return copy


def _meet(a: np.ndarray, b: np.ndarray, whole: bool) -> bool:
    """Whether two arrays without gaps overlap in part, or at all; with gaps PyTorch does not ask, and of what is
    conjugated when it is read it reads a copy."""
    if isinstance(a, LazyArray) or isinstance(b, LazyArray):
        return False
    if not (a.size and b.size and _dense(a) and _dense(b)):
        return False
    start, other = address(a), address(b)
    end, other_end = start + a.nbytes, other + b.nbytes
    if start == other and end == other_end:
        return whole or [s // a.itemsize for s in a.strides] != [s // b.itemsize for s in b.strides]
    return start < other_end and other < end


def _dense(x: np.ndarray) -> bool:
    """Whether the elements fill their memory without gaps, in any order of dimensions."""
    if x.flags.c_contiguous or x.flags.f_contiguous:
        return True
    expected = x.itemsize
    for stride, n in sorted((s, n) for s, n in zip(x.strides, x.shape, strict=True) if n != 1):
        if stride != expected:
            return False
        expected *= n
    return True
