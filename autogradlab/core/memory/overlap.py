"""Memory that an operation writes to: elements that share a place, and inputs that lie partly in it, are refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..runtime import errors
from .lazy import LazyArray
from .storage import address, dense, extent
from .versions import UNSHARED

if TYPE_CHECKING:
    from ..tensor.tensor import Tensor

__all__ = ["check_apart", "check_written", "filled_first", "shares_places"]


def check_apart(target: np.ndarray) -> None:
    """Refuse to write where several elements share one memory location, as in an expanded tensor."""
    if shares_places(target):
        raise RuntimeError(errors.WRITTEN_SHARED)


def shares_places(x: np.ndarray) -> bool:
    """Whether several elements share one memory location, as in an expanded tensor."""
    if 0 not in x.strides or not x.size:
        return False
    return any(s == 0 and n > 1 for s, n in zip(x.strides, x.shape, strict=True))


def check_written(t: Tensor, sources: Iterable[Any], whole: bool = False, apart: bool = True) -> None:
    """Refuse to write to `t` while reading what overlaps it in part, or (`whole`) at all.

    Only views share memory, and with it their version counter, so for others this costs one comparison.
    """
    count, target = t._counter, t._array
    if apart and 0 in target.strides:
        check_apart(target)
    if count is UNSHARED:
        if whole and any(s is t for s in sources):
            raise RuntimeError(errors.WRITTEN_INPUT)
        return
    for s in sources:
        if getattr(s, "_counter", None) is not count:
            continue
        if whole if s is t else _meet(target, s._array, whole):
            raise RuntimeError(errors.WRITTEN_INPUT)


def filled_first(x: np.ndarray, target: np.ndarray, shape: tuple[int, ...], value: Any) -> np.ndarray | None:
    """The values of `x` once `target`, which gets this shape, is filled with a value; None if it is not in its way."""
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
        return whole or a.strides != b.strides
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
