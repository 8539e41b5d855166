"""Which of several equal elements is picked: partial orders whose ties fall as in PyTorch's CPU kernels.

NumPy finds the values; where equal ones compete for a place, these walk through the same exchanges as the C++ standard
library (introselect, introsort, heap selection) on ranks, so that the indices are the same too. They are plain Python:
callers use them on small inputs only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["SMALL", "kth_place", "ranks", "row_order", "sort_order", "top_order"]

#: up to how many elements ties are followed exactly
SMALL = 1 << 13

Pairs = list[tuple[Any, int]]


def ranks(lines: np.ndarray, descending: bool = False) -> np.ndarray:
    """Numbers that are less than each other as the elements are, or the other way round if `descending`; all NaN have
    one, that is greater than the others."""
    if lines.dtype.kind == "f" and np.count_nonzero(lines != lines):
        lines = np.unique(lines, return_inverse=True)[1].reshape(lines.shape)
    if not descending:
        return lines
    return -lines if lines.dtype.kind == "f" else ~lines


def _pairs(rank: np.ndarray) -> Pairs:
    return list(zip(rank.tolist(), range(len(rank)), strict=True))


def sort_order(rank: np.ndarray) -> list[int]:
    """The indices in the order that an introsort of all elements leaves; a NaN is neither less nor greater than any."""
    a = _pairs(rank)
    _introsort(a, 0, len(a))
    return [place for _, place in a]


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
    a = list(zip(map(_Row, rows.tolist()), range(len(rows)), strict=True))
    _introsort(a, 0, len(a))
    return [place for _, place in a]


def top_order(rank: np.ndarray, k: int, in_order: bool) -> list[int]:
    """The indices of the k elements of the lowest ranks."""
    n = len(rank)
    if k * 64 <= n:
        a = _pairs(rank[:k])
        _heap_select(a, 0, k, k)
        start, step = k, 64
        while start < n:  # what is less than all in the heap by then, which are fewer the longer it takes
            for i in (rank[start : start + step] < a[0][0]).nonzero()[0].tolist():
                value = rank.item(start + i)
                if value < a[0][0]:
                    _adjust(a, 0, 0, k, (value, start + i))
            start, step = start + step, 2 * step
        _sort_heap(a, 0, k)
    else:
        a = _pairs(rank)
        _introselect(a, 0, k - 1, n)
        if in_order:
            _introsort(a, 0, k - 1)
    return [place for _, place in a[:k]]


def kth_place(rank: np.ndarray, k: int) -> int:
    """The place of the element that a quickselect with the median of three brings to number `k`."""
    a = _pairs(rank)
    low, high = 0, len(a) - 1
    while high > low:
        if high == low + 1:
            if a[low][0] > a[high][0]:
                a[low], a[high] = a[high], a[low]
            break
        mid = (low + high) // 2
        a[mid], a[low + 1] = a[low + 1], a[mid]
        for x, y in ((low + 1, high), (low, high), (low + 1, low)):
            if a[x][0] > a[y][0]:
                a[x], a[y] = a[y], a[x]
        i, j, pivot = low + 1, high, a[low][0]
        while True:
            i += 1
            while pivot > a[i][0]:
                i += 1
            j -= 1
            while a[j][0] > pivot:
                j -= 1
            if j < i:
                break
            a[i], a[j] = a[j], a[i]
        a[low], a[j] = a[j], a[low]
        if j <= k:
            low = i
        if j >= k:
            high = j - 1
    return a[k][1]


# -- the pieces --------------------------------------------------------------------------------------------------------


def _depth(n: int) -> int:
    return 2 * (n.bit_length() - 1)


def _introselect(a: Pairs, first: int, nth: int, last: int) -> None:
    if first == last or nth == last:
        return
    depth = _depth(last - first)
    while last - first > 3:
        if depth == 0:
            _heap_select(a, first, nth + 1, last)
            a[first], a[nth] = a[nth], a[first]
            return
        depth -= 1
        cut = _partition(a, first, last)
        if cut <= nth:
            first = cut
        else:
            last = cut
    _insertion(a, first, first + 1, last)


def _introsort(a: Pairs, first: int, last: int) -> None:
    if first == last:
        return
    todo = [(first, last, _depth(last - first))]
    while todo:
        low, high, depth = todo.pop()
        while high - low > 16:
            if depth == 0:
                _heap_select(a, low, high, high)
                _sort_heap(a, low, high)
                break
            depth -= 1
            cut = _partition(a, low, high)
            todo.append((cut, high, depth))
            high = cut
    _insertion(a, first, first + 1, min(last, first + 16))
    for i in range(first + 16, last):
        _sink(a, i, first)


def _partition(a: Pairs, first: int, last: int) -> int:
    """Split around the median of three, which goes to the front."""
    x, y, z = first + 1, first + (last - first) // 2, last - 1
    p, q, r = a[x][0], a[y][0], a[z][0]
    if p < q:
        mid = y if q < r else z if p < r else x
    else:
        mid = x if p < r else z if q < r else y
    a[first], a[mid] = a[mid], a[first]
    pivot = a[first][0]
    low, high = first + 1, last
    while True:
        while a[low][0] < pivot:
            low += 1
        high -= 1
        while pivot < a[high][0]:
            high -= 1
        if low >= high:
            return low
        a[low], a[high] = a[high], a[low]
        low += 1


def _insertion(a: Pairs, first: int, start: int, last: int) -> None:
    for i in range(start, last):
        item = a[i]
        if item[0] < a[first][0]:  # with NaN among unranked numbers this is not the same as going down step by step
            a[first + 1 : i + 1] = a[first:i]
            a[first] = item
        else:
            _sink(a, i, first)


def _sink(a: Pairs, i: int, first: int) -> None:
    """Let element number `i` go down past all that it is less than."""
    item = a[i]
    while i > first and item[0] < a[i - 1][0]:
        a[i] = a[i - 1]
        i -= 1
    a[i] = item


def _heap_select(a: Pairs, first: int, middle: int, last: int) -> None:
    size = middle - first
    for parent in range((size - 2) // 2, -1, -1) if size > 1 else ():
        _adjust(a, first, parent, size, a[first + parent])
    for i in range(middle, last):
        if a[i][0] < a[first][0]:
            item, a[i] = a[i], a[first]
            _adjust(a, first, 0, size, item)


def _sort_heap(a: Pairs, first: int, last: int) -> None:
    while last - first > 1:
        last -= 1
        item, a[last] = a[last], a[first]
        _adjust(a, first, 0, last - first, item)


def _adjust(a: Pairs, first: int, hole: int, size: int, item: tuple[Any, int]) -> None:
    """Let the hole sink to a leaf, then the item rise from there."""
    top = hole
    child = hole
    while child < (size - 1) // 2:
        child = 2 * (child + 1)
        if a[first + child][0] < a[first + child - 1][0]:
            child -= 1
        a[first + hole] = a[first + child]
        hole = child
    if size % 2 == 0 and child == (size - 2) // 2:
        child = 2 * (child + 1)
        a[first + hole] = a[first + child - 1]
        hole = child - 1
    parent = (hole - 1) // 2
    while hole > top and a[first + parent][0] < item[0]:
        a[first + hole] = a[first + parent]
        hole = parent
        parent = (hole - 1) // 2
    a[first + hole] = item
