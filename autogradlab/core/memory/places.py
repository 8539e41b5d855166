"""Elements at places: NumPy's `take_along_axis`, `put_along_axis` and `moveaxis` without their checks, which cost more
than the work on small arrays, and `np.add.at` in a third of its time."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

__all__ = ["PLACES", "add_at", "at_places", "inside", "moved", "places_of_classes", "put_at_places"]

#: what NumPy counts elements with: int64, but int32 in a browser, where `take` refuses int64
PLACES = np.dtype(np.intp)


@lru_cache(maxsize=256)
def _order(n: int, source: int, target: int) -> tuple[int, ...]:
    axes = list(range(n))
    axes.insert(target % n, axes.pop(source % n))
    return tuple(axes)


def moved(x: Any, source: int, target: int) -> Any:
    """A view with one dimension moved to another place.

    >>> moved(np.ones((2, 3, 4)), -1, 0).shape
    (4, 2, 3)
    """
    return x.transpose(_order(x.ndim, source, target))


def _flat(shape: tuple[int, ...], places: np.ndarray, d: int) -> np.ndarray:
    """Places along dimension `d` of an array of this shape as places in its memory, which is contiguous."""
    n = shape[d]
    before, after = math.prod(shape[:d]), math.prod(shape[d + 1 :])
    if before == 1 and after == 1:
        return places
    if after == 1:
        flat = places.reshape(before, -1) + np.arange(0, before * n, n).reshape(-1, 1)
    else:
        flat = places.reshape(before, -1, after) * after
        flat += np.arange(0, before * n * after, n * after).reshape(-1, 1, 1)
        flat += np.arange(after)
    return flat.reshape(places.shape)


def _few_of_matrix(x: np.ndarray, places: np.ndarray) -> bool:
    """Whether places are so few, in a matrix, that NumPy finds them sooner by two indices than by one that is made."""
    return x.ndim == 2 and (places.ndim == 1 or (places.size <= 2 * _MANY and places.flags.c_contiguous))


def _of_matrix(shape: tuple[int, ...], places: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
    """The two indices of places along dimension `d` of a matrix."""
    others = np.arange(shape[1 - d])
    return (places, others) if d == 0 else (others if places.ndim == 1 else others[:, None], places)


def at_places(x: np.ndarray, places: np.ndarray, d: int) -> np.ndarray:
    """The elements of `x` at places along dimension `d`, in the shape of `places`, int64 numbers from 0 on.

    That is the shape of `x` with any size at `d`, or without `d`: one element of each line.

    >>> at_places(np.array([[1, 2], [3, 4]]), np.array([1, 0]), 1)
    array([2, 3])
    """
    if not x.size:
        return np.zeros(places.shape, x.dtype)
    if _few_of_matrix(x, places):
        found: np.ndarray = x[_of_matrix(x.shape, places, d)]
    else:
        found = np.ascontiguousarray(x).reshape(-1).take(_flat(x.shape, places, d))
    return found


def put_at_places(x: np.ndarray, places: np.ndarray, values: Any, d: int) -> None:
    """Write values to those places of `x`, which is contiguous."""
    if _few_of_matrix(x, places):
        x[_of_matrix(x.shape, places, d)] = values
    elif x.size:
        x.reshape(-1)[_flat(x.shape, places, d)] = values


#: the numbers of the first rows
_ROWS = np.arange(1 << 10)
#: the places that were found last, after the shape and the bytes of the classes that they were found for: a backward
#: asks for those of its forward
_FOUND: list[tuple[Any, Any, Any]] = [(None, None, None)]


def places_of_classes(shape: tuple[int, ...], classes: np.ndarray) -> np.ndarray | None:
    """The places in memory, which is contiguous, of one class for each sample and position of an array (N, C, ...);
    `classes` (N, ...) are int64. None if one of them is outside of [0, C).

    >>> places_of_classes((2, 3), np.array([2, 0]))
    array([2, 3])
    >>> places_of_classes((1, 2, 2), np.array([[1, 0]]))
    array([[2, 1]])
    """
    key = classes.tobytes() if classes.size <= _ROWS.size else None
    last = _FOUND[0]
    if key is not None and key == last[1] and shape == last[0]:
        return last[2]
    found: np.ndarray
    if len(shape) == 2:
        rows = _ROWS[: shape[0]] if shape[0] <= _ROWS.size else np.arange(shape[0])
        try:
            found = np.ravel_multi_index((rows, classes), shape)
        except ValueError:
            return None
    elif inside(classes, shape[1]):
        found = _flat(shape, classes, 1) + 0  # which is no view of the classes
    else:
        return None
    if key is not None:
        found.flags.writeable = False
        _FOUND[0] = (shape, key, found)
    return found


def inside(index: np.ndarray, n: int) -> bool:
    """Whether every index is in [0, n): read as unsigned numbers, negative ones are large."""
    if index.size <= 32:  # few indices are checked faster in Python
        few = index.ravel().tolist()
        return min(few) >= 0 and max(few) < n
    if index.flags.c_contiguous:
        return bool(np.maximum.reduce(index.view(np.uint64 if index.itemsize == 8 else np.uint32), axis=None) < n)
    return bool(index.min() >= 0 and index.max() < n)


def add_at(target: np.ndarray, places: tuple[Any, ...], values: np.ndarray) -> None:
    """target[places] += values, elements that are named several times included."""
    if target.dtype.kind == "b":
        np.logical_or.at(target, places, values)
        return
    index, d = places[-1], len(places) - 1
    if values.size < _MANY or target.ndim < 2 or not target.flags.c_contiguous or not _names_places(index, target, d):
        np.add.at(target, places, values)
    elif all(type(p) is slice and p == _ALL for p in places[:-1]):
        _add_at(target, index, values, d)
    elif len(places) == target.ndim and all(
        _names_places(p, target, k) and p.flags.c_contiguous for k, p in enumerate(places)
    ):
        flat: Any = np.intp(0)
        for p, n in zip(places, target.shape, strict=True):
            flat = flat * n + p
        if values.shape != flat.shape:
            values = np.broadcast_to(values, flat.shape)
        np.add.at(target.reshape(-1), flat.reshape(-1), values.reshape(-1))
    else:
        np.add.at(target, places, values)


def _names_places(index: Any, target: np.ndarray, d: int) -> bool:
    """Whether an index is an array of places along dimension `d`, counted from its beginning."""
    return (
        type(index) is np.ndarray and index.dtype.kind == "i" and index.itemsize >= 4 and inside(index, target.shape[d])
    )


_ALL = slice(None)
#: from how many elements on it pays to tell NumPy where each one goes
_MANY = 256


def _add_at(target: np.ndarray, index: np.ndarray, values: np.ndarray, d: int) -> None:
    """Add slices of values to those that an index names along dimension `d`, element by element: NumPy adds single
    numbers at places of one dimension several times as fast as slices, in the same order. Long slices go by rounds."""
    shape = target.shape
    before, n, after = math.prod(shape[:d]), shape[d], math.prod(shape[d + 1 :])
    full = (*shape[:d], *index.shape, *shape[d + 1 :])
    if values.shape != full:
        values = np.broadcast_to(values, full)
    line = index.reshape(-1)
    if before == 1 and values.size >= 8 * _ROUND and values.size >= _ROUND * int(4 + np.bincount(line).max()):
        _add_in_rounds(target.reshape(n, after), line, values.reshape(-1, after))
        return
    flat = line.reshape(-1, 1).astype(np.intp, copy=False) * after + np.arange(after)
    if before > 1:
        flat = np.arange(0, before * n * after, n * after).reshape(-1, 1, 1) + flat
    np.add.at(target.reshape(-1), flat.reshape(-1), values.reshape(-1))


#: how many elements a round must add on average to pay
_ROUND = 1 << 13


def _add_in_rounds(target: np.ndarray, index: np.ndarray, values: np.ndarray) -> None:
    """Add rows of values to the rows that an index names: first the first row for each of these, then the second, and
    so on, so that each round names a row once, and NumPy adds them at a time."""
    order = index.argsort(kind="stable")
    named = index[order]
    steps = np.arange(len(named))
    first = np.ones(len(named), bool)
    first[1:] = named[1:] != named[:-1]
    turn = steps - np.maximum.accumulate(np.where(first, steps, 0))
    order = order[turn.argsort(kind="stable")]
    end = 0
    for count in np.bincount(turn).tolist():
        start, end = end, end + count
        some = order[start:end]
        target[index[some]] += values[some]
