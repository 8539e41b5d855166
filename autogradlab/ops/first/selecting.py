"""Which of several equal elements is picked: partial orders whose ties fall as in PyTorch's CPU kernels.

NumPy finds the values; where equal ones compete for a place, these walk through the same exchanges as the C++ standard
library (introselect, introsort, heap selection) on ranks, so that the indices are the same too. A long part is divided
by NumPy, which finds all exchanges of a partition at once; the short ones that remain by plain Python: callers use
them on small inputs only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["SMALL", "kth_place", "ranks", "row_order", "sort_order", "top_order"]

#: up to how many elements ties are followed exactly
SMALL = 1 << 13
#: from how many elements on a part is divided by NumPy
_LONG = 256

#: keys that are compared, and beside them the places from which they come: both take part in every exchange
Keys = list[Any]
Places = list[int]
Array = np.ndarray[Any, Any]


def ranks(lines: np.ndarray, descending: bool = False) -> np.ndarray:
    """Numbers that are less than each other as the elements are, or the other way round if `descending`; all NaN have
    one, that is greater than the others."""
    if lines.dtype.kind == "f" and np.count_nonzero(lines != lines):
        lines = np.unique(lines, return_inverse=True)[1].reshape(lines.shape)
    if not descending:
        return lines
    return -lines if lines.dtype.kind == "f" else ~lines


def sort_order(rank: np.ndarray) -> Any:
    """The indices in the order that an introsort of all elements leaves; a NaN is neither less nor greater than any."""
    n = len(rank)
    if rank.dtype.kind == "f" and np.count_nonzero(rank != rank):
        return _inserted(rank.tolist())
    if n < _LONG:
        return _sorted_places(rank.tolist(), list(range(n)))
    keys, places = rank.copy(), np.arange(n)
    _introsort(keys, places)
    return places


class _Row(tuple[Any, ...]):
    """A row that is less than another if its first element that differs is; NaN differs from nothing."""

    __slots__ = ()

    def __lt__(self, other: tuple[Any, ...]) -> bool:
        for mine, its in zip(self, other, strict=True):
            if mine < its:
                return True
            if mine > its:
                return False
        return False


def row_order(rows: np.ndarray) -> list[int]:
    """The indices in the order that an introsort of rows leaves; NaN in them is neither less nor greater than any."""
    return _inserted([*map(_Row, rows.tolist())])


def top_order(rank: np.ndarray, k: int, in_order: bool) -> Any:
    """The indices of the k elements of the lowest ranks."""
    n = len(rank)
    if k * 64 <= n:
        a, p = rank[:k].tolist(), list(range(k))
        _heap_select(a, p, k)
        start, step = k, 64
        while start < n:  # what is less than all in the heap by then, which are fewer the longer it takes
            for i in (rank[start : start + step] < a[0]).nonzero()[0].tolist():
                value = rank.item(start + i)
                if value < a[0]:
                    _adjust(a, p, 0, k, value, start + i)
            start, step = start + step, 2 * step
        _sort_heap(a, p, k)
        return p
    if n < _LONG:
        a, p = rank.tolist(), list(range(n))
        _select(a, p, k - 1, _depth(n))
        return _sorted_places(a[: k - 1], p[: k - 1]) + p[k - 1 : k] if in_order else p[:k]
    keys, places = rank.copy(), np.arange(n)
    _introselect(keys, places, k - 1)
    if in_order:
        _introsort(keys[: k - 1], places[: k - 1])
    return places[:k]


def kth_place(rank: np.ndarray, k: int) -> int:
    """The place of the element that a quickselect with the median of three brings to number `k`."""
    a: Keys = rank.tolist()
    p = list(range(len(a)))
    low, high = 0, len(a) - 1
    while high > low:
        if high == low + 1:
            if a[low] > a[high]:
                _swap(a, p, low, high)
            break
        _swap(a, p, (low + high) // 2, low + 1)
        for x, y in ((low + 1, high), (low, high), (low + 1, low)):
            if a[x] > a[y]:
                _swap(a, p, x, y)
        i, j, pivot = low + 1, high, a[low]
        while True:
            i += 1
            while pivot > a[i]:
                i += 1
            j -= 1
            while a[j] > pivot:
                j -= 1
            if j < i:
                break
            a[i], a[j] = a[j], a[i]
            p[i], p[j] = p[j], p[i]
        _swap(a, p, low, j)
        if j <= k:
            low = i
        if j >= k:
            high = j - 1
    return p[k]


# -- the pieces --------------------------------------------------------------------------------------------------------


def _swap(a: Keys, p: Places, i: int, j: int) -> None:
    a[i], a[j] = a[j], a[i]
    p[i], p[j] = p[j], p[i]


def _depth(n: int) -> int:
    return 2 * (n.bit_length() - 1)


def _sorted_places(a: Keys, p: Places) -> Places:
    """The places as an introsort leaves them: the keys are divided, then sorted by insertion, where equal ones keep
    their order."""
    _divide(a, p, _depth(len(a)))
    return [p[i] for i in sorted(range(len(a)), key=a.__getitem__)]


def _inserted(a: Keys) -> Places:
    """The same of keys that may be NaN: one by one."""
    p = list(range(len(a)))
    _divide(a, p, _depth(len(a)))
    _insertion(a, p)
    return p


def _introsort(a: Array, p: Array) -> None:
    """The same of many keys, in place."""
    todo = [(0, len(a), _depth(len(a)))]
    while todo:
        low, high, depth = todo.pop()
        while high - low >= _LONG and depth:
            depth -= 1
            cut = low + _partition_at_once(a[low:high], p[low:high])
            todo.append((cut, high, depth))
            high = cut
        if high - low > 16:
            keys, places = a[low:high].tolist(), p[low:high].tolist()
            _divide(keys, places, depth)
            a[low:high], p[low:high] = keys, places
    order = a.argsort(kind="stable")
    a[:], p[:] = a[order], p[order]


def _introselect(a: Array, p: Array, nth: int) -> None:
    first, last, depth = 0, len(a), _depth(len(a))
    while last - first >= _LONG and depth:
        depth -= 1
        cut = first + _partition_at_once(a[first:last], p[first:last])
        if cut <= nth:
            first = cut
        else:
            last = cut
    keys, places = a[first:last].tolist(), p[first:last].tolist()
    _select(keys, places, nth - first, depth)
    a[first:last], p[first:last] = keys, places


def _select(a: Keys, p: Places, nth: int, depth: int) -> None:
    first, last = 0, len(a)
    while last - first > 3:
        if depth == 0:
            keys, places = a[first:last], p[first:last]
            _heap_select(keys, places, nth + 1 - first)
            a[first:last], p[first:last] = keys, places
            _swap(a, p, first, nth)
            return
        depth -= 1
        cut = _partition(a, p, first, last)
        if cut <= nth:
            first = cut
        else:
            last = cut
    keys, places = a[first:last], p[first:last]
    _insertion(keys, places)
    a[first:last], p[first:last] = keys, places


def _divide(a: Keys, p: Places, depth: int) -> None:
    """Bring keys into groups of up to 16, none of whose keys is greater than one of the groups behind."""
    todo = [(0, len(a), depth)]
    while todo:
        low, high, depth = todo.pop()
        while high - low > 16:
            if depth == 0:
                keys, places = a[low:high], p[low:high]
                _heap_select(keys, places, high - low)
                _sort_heap(keys, places, high - low)
                a[low:high], p[low:high] = keys, places
                break
            depth -= 1
            cut = _partition(a, p, low, high)
            todo.append((cut, high, depth))
            high = cut


def _median(a: Any, first: int, last: int) -> int:
    """Where the median of three keys is around which a part is split."""
    x, y, z = first + 1, first + (last - first) // 2, last - 1
    if a[x] < a[y]:
        return y if a[y] < a[z] else z if a[x] < a[z] else x
    return x if a[x] < a[z] else z if a[y] < a[z] else y


def _partition(a: Keys, p: Places, first: int, last: int) -> int:
    """Split around the median of three, which goes to the front."""
    _swap(a, p, first, _median(a, first, last))
    pivot = a[first]
    low, high = first + 1, last
    while True:
        while a[low] < pivot:
            low += 1
        high -= 1
        while pivot < a[high]:
            high -= 1
        if low >= high:
            return low
        a[low], a[high] = a[high], a[low]
        p[low], p[high] = p[high], p[low]
        low += 1


def _partition_at_once(a: Array, p: Array) -> int:
    """The same of all keys: what has to go to the right, from the left, changes places with what has to go to the
    left, from the right, until both meet."""
    n = len(a)
    mid = _median(a, 0, n)
    for x in (a, p):
        x[0], x[mid] = x[mid], x[0]
    pivot = a[0]
    to_right, to_left = (a[1:] >= pivot).nonzero()[0] + 1, (a[1:] <= pivot).nonzero()[0][::-1] + 1
    both = min(len(to_right), len(to_left))
    count = int(np.count_nonzero(to_right[:both] < to_left[:both]))
    i, j = to_right[:count], to_left[:count]
    for x in (a, p):
        x[i], x[j] = x[j], x[i]
    met = [int(to_right[count])] if count < len(to_right) else []
    return min(*met, int(j[-1])) if met and count else met[0] if met else int(j[-1])


def _insertion(a: Keys, p: Places) -> None:
    for i in range(1, len(a)):
        key, place, hole = a[i], p[i], i
        if i < 16 and key < a[0]:  # with NaN among the keys this is not the same as going down step by step
            hole = 0
        while hole and key < a[hole - 1]:
            hole -= 1
        a[hole + 1 : i + 1], p[hole + 1 : i + 1] = a[hole:i], p[hole:i]
        a[hole], p[hole] = key, place


def _heap_select(a: Keys, p: Places, size: int) -> None:
    """Make the first keys a heap of the least ones, the greatest of these on top."""
    for parent in range((size - 2) // 2, -1, -1) if size > 1 else ():
        _adjust(a, p, parent, size, a[parent], p[parent])
    for i in range(size, len(a)):
        if a[i] < a[0]:
            key, place = a[i], p[i]
            a[i], p[i] = a[0], p[0]
            _adjust(a, p, 0, size, key, place)


def _sort_heap(a: Keys, p: Places, last: int) -> None:
    while last > 1:
        last -= 1
        key, place = a[last], p[last]
        a[last], p[last] = a[0], p[0]
        _adjust(a, p, 0, last, key, place)


def _adjust(a: Keys, p: Places, hole: int, size: int, key: Any, place: int) -> None:
    """Let the hole sink to a leaf, then the key rise from there."""
    top = hole
    child = hole
    while child < (size - 1) // 2:
        child = 2 * (child + 1)
        if a[child] < a[child - 1]:
            child -= 1
        a[hole], p[hole] = a[child], p[child]
        hole = child
    if size % 2 == 0 and child == (size - 2) // 2:
        child = 2 * (child + 1)
        a[hole], p[hole] = a[child - 1], p[child - 1]
        hole = child - 1
    parent = (hole - 1) // 2
    while hole > top and a[parent] < key:
        a[hole], p[hole] = a[parent], p[parent]
        hole = parent
        parent = (hole - 1) // 2
    a[hole], p[hole] = key, place
