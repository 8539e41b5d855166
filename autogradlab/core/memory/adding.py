"""Sums of arrays along axes, by BLAS where that is faster than NumPy's own: a product with ones.

Partial sums of some hundred elements each make long sums no less exact than NumPy's: sums of columns more so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["MANY", "added", "of_rows", "total"]

#: so many elements are added up in one product
_LINE = 512
_ONES = {numpy: np.ones(_LINE, numpy) for numpy in map(np.dtype, (np.float32, np.float64))}
#: and so many in one call: BLAS shares out more of them among threads, which wait for each other on a busy machine
_BLOCK = 1 << 13
#: smaller arrays are left to NumPy, which adds a few numbers in PyTorch's order, and which has less to prepare
MANY = 4096
#: from how many elements on the sum of all is made by BLAS, and how many it adds up in one product
_LONG, _PART = 1 << 15, 256
#: so few rows are left to NumPy where they are long, and so few are added to each other by NumPy
_FEW = 16

_reduce: Any = np.add.reduce


def total(x: np.ndarray, made: Any) -> Any:
    """The sum of all elements, made in a dtype."""
    if x.size < _LONG or x.dtype is not made or made not in _ONES or not x.flags.c_contiguous:
        return _reduce(x, axis=None, dtype=made)
    line = x.reshape(-1)
    end = x.size - x.size % _PART
    r = _reduce(of_rows(line[:end].reshape(-1, _PART)))
    return r if end == x.size else r + _reduce(line[end:])


def added(x: np.ndarray, axes: Any, keepdims: bool = False) -> Any:
    """`np.add.reduce(x, axes, x.dtype, keepdims=keepdims)`; `axes` are one or several.

    >>> added(np.ones((10, 512)), 0)[:3]
    array([10., 10., 10.])
    """
    if type(x) is not np.ndarray:
        return _reduce(x, axis=axes, keepdims=keepdims)
    if x.size < MANY or x.dtype not in _ONES or not x.flags.c_contiguous:
        return _reduce(x, axes, x.dtype, None, keepdims)
    shape = x.shape
    n = len(shape)
    dims = [axes % n] if type(axes) is int else sorted([d % n for d in axes])
    last = 0  # how many of them are the last of all axes
    while last < len(dims) and dims[-1 - last] == n - 1 - last:
        last += 1
    if last:
        kept = shape[: n - last]
        r = of_rows(x.reshape(-1, x.size // _count(kept))).reshape(kept)
        if last < len(dims):
            r = _reduce(r, tuple(dims[:-last]))
    elif dims and dims[-1] == len(dims) - 1:  # the first axes of all
        kept = shape[len(dims) :]
        r = _of_columns(x.reshape(-1, _count(kept))).reshape(kept)
    else:
        return _reduce(x, tuple(dims), dtype=x.dtype, keepdims=keepdims)
    return r.reshape([1 if d in dims else size for d, size in enumerate(shape)]) if keepdims else r


def _count(shape: tuple[int, ...]) -> int:
    count = 1
    for n in shape:
        count *= n
    return count


def of_rows(x: np.ndarray) -> np.ndarray:
    """The sum of each row of a contiguous matrix of float32 or float64."""
    count, n = x.shape
    ones = _ONES[x.dtype]
    r: np.ndarray
    if n == 1 or (n > _LINE and count < _FEW):
        r = _reduce(x, 1)
    elif x.size <= _BLOCK and n <= _LINE:
        r = x @ ones[:n]
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


def _of_columns(x: np.ndarray) -> np.ndarray:
    """The sum of each column of a contiguous matrix of float32 or float64."""
    count, n = x.shape
    ones = _ONES[x.dtype]
    high = min(_BLOCK // min(n, _LINE), _LINE)
    r: np.ndarray
    if count < _FEW or (n > _LINE and x.size < _LONG):
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
