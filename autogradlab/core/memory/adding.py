"""Sums of arrays, in the order in which PyTorch adds them up, so that the last digits are the same; where that would
take long, by BLAS: a product with ones.

PyTorch adds a line of numbers in lanes of 32 bytes and in four strands of these, each of which it adds up in steps of
16; then come the strands, what is left over, and the lanes, one after the other. It does so on every processor,
whatever kernels it has for other operations.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import Any

import numpy as np

__all__ = [
    "added",
    "as_columns",
    "columns_in_halves",
    "in_halves",
    "in_lanes",
    "of_rows",
    "products_in_halves",
    "stepwise",
    "total",
]

#: so many elements are added up in one product
_LINE = 512
_ONES = {numpy: np.ones(_LINE, numpy) for numpy in map(np.dtype, (np.float32, np.float64, np.complex64, np.complex128))}
#: and so many in one call: BLAS shares out more of them among threads, which wait for each other on a busy machine
_BLOCK = 1 << 13
#: so few elements NumPy adds up in the same order
_FEW = 4
#: from how many elements on short rows are added up by BLAS, and from how many all is: PyTorch's threads share it
_MANY, _LONG = 1 << 12, 1 << 15
#: how many elements BLAS adds up in one product of a sum of all
_PART = 256
#: from how many elements on sums of short lines are not left to `np.add.reduce`
_LINES = 1 << 12
#: so few rows are left to NumPy where they are long, and so few are added to each other by NumPy
_FEW_ROWS = 16

#: how many numbers lie in 32 bytes
_LANES = {numpy: 32 // numpy.itemsize for numpy in _ONES}
#: the order in which the numbers of a line are added up that fills lanes less than twice, by how many these are and
#: by its length
_SHORT = {
    lanes: [
        np.array([0, *range(4, n), *range(1, min(n, 4))] if n < lanes else [*range(lanes, n), *range(lanes)])
        for n in range(2 * lanes)
    ]
    for lanes in _LANES.values()
}

_ndarray = np.ndarray
_reduce: Any = np.add.reduce
_one_by_one: Any = np.add.accumulate


def _of_lines(x: Any, axis: int) -> Any:
    """The sum over the first or second axis of short lines, which lie behind it and hold two numbers or more: in the
    order of `np.add.reduce`, which prepares each line that it adds, and so takes up to ten times as long for many."""
    if x.size < _LINES or type(x) is not np.ndarray or (axis == 0 and x.flags.c_contiguous):  # as one long line
        return _reduce(x, axis)
    return np.einsum("ij...->i..." if axis else "i...->...", x)


def total(x: np.ndarray, made: Any) -> Any:
    """The sum of all elements, made in a dtype. It begins with 0, so that it is never -0."""
    if x.size <= _FEW or x.dtype is not made or made not in _ONES or type(x) is not np.ndarray:
        return _reduce(x, axis=None, dtype=made)
    if not x.flags.c_contiguous:
        if x.ndim == 1:  # numbers with gaps between them: in strands, without lanes
            return _in_strands(x) + 0.0
        x = x.T
        if not x.flags.c_contiguous:
            return _reduce(x, axis=None)
    n, lanes = x.size, _LANES[made]
    if n < 2 * lanes:
        return _one_by_one(x.take(_SHORT[lanes][n]))[-1] + 0.0
    count = n // lanes
    end = count * lanes
    if count < 4 and end == n:
        return _one_by_one(_reduce(x.reshape(count, lanes), 0))[-1]
    line = x if x.ndim == 1 else x.reshape(-1)
    if n >= _LONG:
        return _of_long(line)
    if count < 4:
        r = _reduce(line[:end].reshape(count, lanes), 0)
    else:
        whole = end - end % (4 * lanes)
        r = line[:whole].reshape(-1, 4, lanes)
        r = r[0] if count < 8 else _reduce(r, 0) if count < 68 else stepwise(r)
        if whole < end:
            r = np.concatenate((r[:1], line[whole:end].reshape(-1, lanes), r[1:]))
        r = _reduce(r, 0)
    return _one_by_one(r if end == n else np.concatenate((line[end:], r)))[-1]


def _of_long(line: np.ndarray) -> Any:
    end = line.size - line.size % _PART
    r = _reduce(of_rows(line[:end].reshape(-1, _PART)))
    return r if end == line.size else r + _reduce(line[end:])


def _in_strands(x: np.ndarray) -> Any:
    """The sum over the first axis, in four strands; other axes hold two numbers or more."""
    add = _in_turn if x.ndim == 1 else _reduce if x.size < _LINES else _of_lines
    n = len(x)
    count = n >> 2
    if count == 0 or n == 4:
        return add(x, 0)
    end = count << 2
    strands = x[:4] if count == 1 else stepwise(x[:end].reshape(count, 4, *x.shape[1:]))
    if end < n:
        strands = np.concatenate((strands[:1], x[end:], strands[1:]))
    return add(strands, 0)


def stepwise(x: np.ndarray) -> Any:
    """The sum over the first axis in steps of 16, 16 · 16 and 16 · 16 · 16; other axes hold two numbers or more.

    >>> stepwise(np.ones((40, 2)))
    array([40., 40.])
    """
    add = _in_turn if x.ndim == 1 else _reduce if x.size < _LINES else _of_lines
    n = len(x)
    rest = None
    steps = 0
    while n > 16 and steps < 3:
        count, left = n >> 4, n & 15
        if left:
            last = add(x[-left:], 0)
            rest = last if rest is None else rest + last
            x = x[:-left]
        if count == 1:
            break
        x = add(x.reshape(count, 16, *x.shape[1:]), 1)
        n = count
        steps += 1
    r = x[0] + x[1] if n == 2 else add(x, 0)
    return r if rest is None else rest + r


def _in_turn(x: np.ndarray, axis: int) -> Any:
    """The sum along the last axis, one number after the other: NumPy's own adds up pairs there."""
    return _one_by_one(x, axis)[..., -1]


def added(x: np.ndarray, axes: Any, keepdims: bool = False) -> Any:
    """`np.add.reduce(x, axes, x.dtype, keepdims=keepdims)` in PyTorch's order; `axes` are one or several.

    >>> added(np.ones((10, 512)), 0)[:3]
    array([10., 10., 10.])
    """
    if type(x) is not _ndarray:
        return _reduce(x, axis=axes, keepdims=keepdims)
    if not x.flags.c_contiguous:
        if not x.flags.f_contiguous or x.size <= _FEW or x.dtype not in _ONES:
            return _by_numpy(x, axes, keepdims)
        n = x.ndim
        return added(x.T, tuple([n - 1 - d % n for d in ((axes,) if type(axes) is int else axes)]), keepdims).T
    sizes, add, kept = _way(x.shape, x.dtype, axes, keepdims)
    if add is None:
        return _by_numpy(x, axes, keepdims)
    r = add(x if sizes is None else x.reshape(sizes))
    return r if kept is None else r.reshape(kept)


def _by_numpy(x: np.ndarray, axes: Any, keepdims: bool) -> Any:
    """The sum in NumPy's order; half types are added up in float32."""
    if x.itemsize == 2 and x.dtype.kind in "fV":
        return np.asarray(added(x.astype(np.float32), axes, keepdims)).astype(x.dtype)
    return _reduce(x, axes, x.dtype, None, keepdims)


@lru_cache(maxsize=1024)
def _way(shape: tuple[int, ...], numpy: np.dtype[Any], axes: Any, keepdims: bool) -> tuple[Any, Any, Any]:
    """How a contiguous array is summed along axes: the sizes that it is given before, the function, None for NumPy's,
    and the shape that the sum is given. None for a shape that is there already."""
    n = len(shape)
    if math.prod(shape) <= _FEW or numpy not in _ONES:
        return None, None, None
    dims = {axes % n} if type(axes) is int else {d % n for d in axes}
    sizes: list[int] = []  # neighbours that are both kept or both summed lie as one, those of size 1 with any
    first = last = False
    for d, size in enumerate(shape):
        if size == 1:
            continue
        summed = d in dims
        if sizes and summed is last:
            sizes[-1] *= size
        else:
            first = first if sizes else summed
            sizes.append(size)
            last = summed
    add: Any = None
    if len(sizes) == 1:
        add = _of_line if first else _unchanged
    elif len(sizes) == 2:
        add = _for_columns(sizes[0], sizes[1], numpy, True) if first else _of_rows
    elif len(sizes) == 3:
        add = _of_first_and_last if first else _of_middle
    wanted = [1 if d in dims else size for d, size in enumerate(shape) if keepdims or d not in dims]
    return None if len(sizes) == n else sizes, add, None if wanted == sizes[first::2] else wanted


def in_lanes(x: np.ndarray, axes: tuple[int, ...], keepdims: bool) -> Any:
    """The sum along axes as PyTorch makes it for norms: of the last ones in lanes, then of what is left over.

    >>> in_lanes(np.ones((2, 9)), (1,), False)
    array([9., 9.])
    """
    kept = x.ndim - len(axes)
    if x.size <= _FEW or x.dtype not in _ONES or not x.flags.c_contiguous or (axes and min(axes) < kept):
        return _reduce(x, axes, keepdims=keepdims)
    lanes = _LANES[x.dtype]
    count = 1
    for size in x.shape[:kept]:
        count *= size
    rows = x.reshape(count, -1)
    n = rows.shape[1]
    end = n - n % lanes if n >= 2 * lanes else 0  # the lanes that are filled once hold the sums already
    columns = as_columns(rows)
    if columns is not None:
        if end:
            each = _reduce(columns[:end].reshape(-1, lanes, count), 0)
            columns = np.concatenate((each, columns[end:])) if end < n else each
        r = _reduce(columns, 0)
    else:
        if end:
            each = _of_lines(rows[:, :end].reshape(count, -1, lanes), 1)
            rows = np.concatenate((each, rows[:, end:]), 1) if end < n else each
        r = _one_by_one(rows, 1)[:, -1]
    return r.reshape((*x.shape[:kept], *[1] * len(axes))) if keepdims else r.reshape(x.shape[:kept])


def in_halves(x: np.ndarray, width: int = 64) -> Any:
    """The sum of each line along the last axis, which stays with size 1, as PyTorch's softmax makes it: in lanes of so
    many bytes, then half of these with the other half until one is left; shorter lines one number after the other.

    >>> in_halves(np.ones((2, 20)))
    array([[20.],
           [20.]])
    """
    if type(x) is not np.ndarray or not 0 < x.size <= _BLOCK or x.dtype not in _ONES:
        return added(x, -1, True)
    lanes = width // x.itemsize
    few = x.shape[-1] < lanes and x.size < _BLOCK >> 4
    columns = None if few else as_columns(x)
    if columns is not None:
        r = _reduce(columns, 0) if len(columns) < lanes else _by_lanes(columns, lanes)
        return r.reshape(*x.shape[:-1], 1)
    return _in_turn(x, -1)[..., None] if x.shape[-1] < lanes else _by_lanes(x.T, lanes).T


def as_columns(x: np.ndarray) -> np.ndarray | None:
    """The lines along the last axis as the columns of a contiguous matrix, if there are so many of them, and so short
    ones, that NumPy is faster across them: it prepares each line that it goes along."""
    n = x.shape[-1]
    size = x.size
    if not n or size < 2 * n or (n * n > 4 * size if size <= _BLOCK else n > 32) or type(x) is not np.ndarray:
        return None
    return (x if x.ndim == 2 else x.reshape(-1, n)).T.copy()


def columns_in_halves(x: np.ndarray) -> Any:
    """The same of the columns of a contiguous matrix, whose axis goes."""
    lanes = 64 // x.itemsize
    return _reduce(x, 0) if len(x) < lanes or x.size > _BLOCK else _by_lanes(x, lanes)[0]


def products_in_halves(x: np.ndarray, y: np.ndarray) -> Any:
    """The sums of products along the last axis, which stays with size 1, of two arrays of float32 alike, as PyTorch's
    batch norm makes them: in lanes of 32 bytes, and with what is left over each product and sum rounded at once."""
    both, lanes = x * y, _LANES[x.dtype]
    if not x.shape[-1] % lanes and both.size <= _BLOCK:
        return in_halves(both, 32)
    return _in_turn(both, -1)[..., None] if x.shape[-1] < lanes else _by_lanes(both.T, lanes, x.T, y.T).T


def _by_lanes(x: np.ndarray, lanes: int, *factors: np.ndarray) -> np.ndarray:
    """The sums over the first axis, of which size 1 stays, in lanes and then in halves. factors: x is their product,
    and what is left over is made of them."""
    rest = len(x) % lanes
    groups = x[: len(x) - rest].reshape(-1, lanes, *x.shape[1:])
    r: np.ndarray = _of_lines(groups, 0)
    if rest and factors:
        one, other = factors
        wide = one[-rest:].astype(np.float64)
        wide *= other[-rest:]
        wide += r[:rest]
        r[:rest] = wide
    elif rest:
        r[:rest] += x[-rest:]
    while lanes > 1:
        lanes >>= 1
        r = r[:lanes] + r[lanes:]
    return r


def _of_line(x: np.ndarray) -> Any:
    return total(x, x.dtype)


def _unchanged(x: np.ndarray) -> Any:
    return x + 0


def _of_first_and_last(x: np.ndarray) -> Any:
    """The sums over the first and last of three axes."""
    r = _of_rows(x.reshape(-1, x.shape[2]))
    return _reduce(r.reshape(x.shape[:2]), 0)


def _of_middle(x: np.ndarray) -> Any:
    """The sums over the second of three axes."""
    columns = x.swapaxes(0, 1)
    return np.ascontiguousarray(_for_columns(x.shape[1], x.shape[2], x.dtype, False)(columns))


def of_rows(x: np.ndarray) -> np.ndarray:
    """The sum of each row of a contiguous matrix of float32 or float64."""
    count, n = x.shape
    ones = _ONES[x.dtype]
    r: np.ndarray
    if n == 1 or (n > _LINE and count < _FEW_ROWS):
        r = _reduce(x, 1)
    elif x.size <= _BLOCK and n <= _LINE:
        r = x.dot(ones[:n])  # in half the time of `@`
    else:
        high = _BLOCK // min(n, _LINE)
        end = count - count % high
        r = np.empty(count, x.dtype)
        for part, blocks in ((r[:end].reshape(-1, high), x[:end].reshape(-1, high, n)), (r[end:], x[end:])):
            np.matmul(blocks[..., :_LINE], ones[:n], part)
            for at in range(_LINE, n, _LINE):
                piece = blocks[..., at : at + _LINE]
                part += piece @ ones[: piece.shape[-1]]
    return r


def _of_rows(x: np.ndarray) -> np.ndarray:
    """The sum of each row of a contiguous matrix of two rows or more."""
    n, lanes = x.shape[1], _LANES[x.dtype]
    if x.size >= (_LONG if n >= 4 * lanes else _MANY):
        return of_rows(x)
    if n <= _FEW:
        return _reduce(x, 1)
    if n < 2 * lanes:
        return _reduce(x.T.take(_SHORT[lanes][n], 0), 0)
    count = n // lanes
    end = count * lanes
    # of many rows a number of each at a time
    columns = x.T if n > _LINE and len(x) < _FEW_ROWS else np.ascontiguousarray(x.T)
    strands = _in_strands(columns[:end].reshape(count, lanes, -1))
    r = strands if end == n else np.concatenate((columns[end:], strands))
    return _reduce(np.ascontiguousarray(r), 0)


def _for_columns(n: int, width: int, numpy: np.dtype[Any], matrix: bool) -> Any:
    """What sums over the first axis of size n, where the last one lies in one piece and holds `width` >= 2 numbers."""
    if n <= _FEW:
        return _reduce
    if matrix and n * width >= _LONG:
        return _of_many_columns
    lanes = _LANES[numpy]
    left = width % (4 * lanes if width >= lanes else 4)
    if not left:
        return _reduce if n <= 16 else stepwise
    return _in_strands if left == width else partial(_in_steps_and_strands, left)


def _in_steps_and_strands(left: int, x: np.ndarray) -> np.ndarray:
    """The sum over the first axis: of the last columns in strands, of the others in steps."""
    r: np.ndarray = np.empty(x.shape[1:], x.dtype)
    if len(x) <= 16 and x.size < _LINES:
        _reduce(x[..., :-left], 0, None, r[..., :-left])
    else:
        r[..., :-left] = stepwise(x[..., :-left])
    r[..., -left:] = _in_strands(x[..., -left:])
    return r


def _of_many_columns(x: np.ndarray) -> np.ndarray:
    count, n = x.shape
    ones = _ONES[x.dtype]
    high = min(_BLOCK // min(n, _LINE), _LINE)
    r: np.ndarray
    if count < _FEW_ROWS or (n > _LINE and x.size < _LONG):
        r = _reduce(x, 0)
    elif count <= high and n <= _LINE:
        r = ones[:count] @ x
    else:
        end = count - count % high
        blocks = x[:end].reshape(-1, high, n)
        r = np.empty(n, x.dtype)
        for at in range(0, n, _LINE):
            part = r[at : at + _LINE]
            _reduce(ones[:high] @ blocks[:, :, at : at + _LINE], 0, None, part)
            if end < count:
                part += ones[: count - end] @ x[end:, at : at + _LINE]
    return r
