"""How kernels that ask too much of an array to take Rows are given all rows at once: the rules that entries name.

A rule is given the kernel, its arguments, and the levels of all Rows among them with how many rows each counts. It
gives None where it does not hold; the kernel then runs for one row after the other, which also finds the words for what
is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..runtime import modes
from .rows import Rows, Rule

__all__ = ["along", "batched", "beside", "folded", "pointwise", "reduced", "stacked", "tried", "unfolded", "unpromoted"]

Array = Any
Kernel = Any
Sizes = tuple[int, ...]


def _arrays(args: Sequence[Any]) -> list[Array] | None:
    """The arrays among arguments, of which there is no list and only one dtype."""
    found = []
    for x in args:
        if isinstance(x, np.ndarray):
            found.append(x)
        elif type(x) in (list, tuple) and any(isinstance(y, np.ndarray) for y in x):
            return None
    return found if all(x.dtype == found[0].dtype for x in found) else None


def beside(args: Sequence[Any], ndim: int, levels: Sizes) -> list[Any]:
    """Arguments, of Rows the array of all rows, each of them with `ndim` dimensions."""
    return [x.beside(ndim, levels) if type(x) is Rows else x for x in args]


def tried(run: Kernel, args: Sequence[Any]) -> Any:
    """What a kernel gives; None if it refuses: a row has the better words."""
    try:
        return modes.quiet(run, *args)
    except Exception:
        return None


def pointwise(run: Kernel, args: Sequence[Any], levels: Sizes, lanes: Sizes) -> Any:
    """Each element of the result comes from those at its place, which have one dtype."""
    return None if _arrays(args) is None else unpromoted(run, args, levels, lanes)


def unpromoted(run: Kernel, args: Sequence[Any], levels: Sizes, lanes: Sizes) -> Any:
    """Each element of the result comes from those at its place, and its dtype does not depend on dimensions."""
    most = max(x.ndim for x in args if isinstance(x, np.ndarray))
    found = tried(run, beside(args, most, levels))
    return Rows(found, levels) if getattr(found, "ndim", 0) == len(levels) + most else None


def reduced(place: int) -> Rule:
    """A loss whose `reduction` stands at `place`: that of each element, and of each row its mean or its sum."""

    def rule(run: Kernel, args: Sequence[Any], levels: Sizes, lanes: Sizes) -> Any:
        reduction = args[place]
        each = pointwise(run, (*args[:place], 0, *args[place + 1 :]), levels, lanes)
        if not reduction:
            return each
        if each is None or not each.size or each.dtype.itemsize < 4:
            return None
        total = np.add.reduce(each, tuple(range(each.ndim)))
        return total if reduction == 2 else total / each.dtype.type(each.size)

    return rule


def along(place: int = 1) -> Rule:
    """What goes along a dimension, or several, which stand at `place`; None is all of them, which then do not stay."""

    def rule(run: Kernel, args: Sequence[Any], levels: Sizes, lanes: Sizes) -> Any:
        arrays: list[Any] = [x for x in args if isinstance(x, np.ndarray)]
        dim, ndim = args[place], arrays[0].ndim
        if any(x.ndim != ndim or type(x) is not Rows or x.levels != levels for x in arrays):
            return None
        given = beside(args, ndim, levels)
        if dim is None and len(arrays) == 1 and True not in args[1:]:
            given[0], given[place] = given[0].reshape(*lanes, -1), -1
        elif type(dim) is int and -ndim <= dim < ndim:
            given[place] = dim if dim < 0 else dim - ndim
        elif type(dim) is tuple and dim and all(type(d) is int and -ndim <= d < ndim for d in dim):
            given[place] = tuple([d if d < 0 else d - ndim for d in dim])
        else:
            return None
        return _split(tried(run, given), _in_front(levels, lanes))

    return rule


def batched(ndim: int, *places: int) -> Rule:
    """What takes each sample by itself: the rows are more samples. The arrays that hold samples stand at `places` and
    have `ndim` dimensions, or one less of a single sample; others are of no rows."""

    def rule(run: Kernel, args: Sequence[Any], levels: Sizes, lanes: Sizes) -> Any:
        given = list(args)
        row = args[places[0]].ndim
        if row not in (ndim - 1, ndim):
            return None
        for place in places:
            if args[place].ndim != row:
                return None
            given[place] = folded(args[place], levels, lanes, row == ndim)
        if any(type(x) is Rows for x in given):
            return None
        return _split(tried(run, given), lambda r: unfolded(r, levels, lanes, row == ndim))

    return rule


def stacked(*places: int) -> Rule:
    """What takes arrays of any number of dimensions, of which the last ones count: those at `places`."""

    def rule(run: Kernel, args: Sequence[Any], levels: Sizes, lanes: Sizes) -> Any:
        given = list(args)
        for place in places:
            x = args[place]
            if type(x) is not Rows or x.levels != levels:
                return None
            given[place] = x.whole
        if any(type(x) is Rows for x in given):
            return None
        return _split(tried(run, given), _in_front(levels, lanes))

    return rule


def folded(x: Array, levels: Sizes, lanes: Sizes, samples: bool = True) -> Array:
    """All rows in one array, whose first dimension counts them, and the samples in each."""
    (whole,) = beside((x,), x.ndim, levels)
    whole = np.broadcast_to(whole, (*lanes, *x.shape))
    rest = whole.shape[len(lanes) + samples :]
    return whole.reshape(math.prod(lanes) * (x.shape[0] if samples else 1), *rest)


def unfolded(x: Array, levels: Sizes, lanes: Sizes, samples: bool = True) -> Rows | None:
    """The rows of such an array."""
    count = math.prod(lanes)
    if not x.ndim or x.shape[0] % count:
        return None
    return Rows(x.reshape(*lanes, *((x.shape[0] // count,) if samples else ()), *x.shape[1:]), levels)


def _in_front(levels: Sizes, lanes: Sizes) -> Callable[[Array], Rows | None]:
    """The rows of an array whose first dimensions count them; None of another."""
    return lambda r: Rows(r, levels) if r.shape[: len(lanes)] == lanes else None


def _split(found: Any, rows: Callable[[Array], Rows | None]) -> Any:
    """The rows of a result, or of each of several."""
    if type(found) is not tuple:
        return None if found is None else rows(np.asarray(found))
    parts = tuple([rows(np.asarray(part)) for part in found])
    return None if any(part is None for part in parts) else parts
