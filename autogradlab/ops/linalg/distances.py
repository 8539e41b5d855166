"""Distances of points in p-norms, and their gradients: in blocks that stay in the cache, in PyTorch's order of sums."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.memory.places import moved
from ..first.kinds import fused, signed_as
from ..kernels.rounded import power

__all__ = ["distances", "distances_backward"]

Array = np.ndarray[Any, Any]
#: so many differences are made at a time
_BLOCK = 1 << 15


def _in_lanes(x: Array) -> Array:
    """The sums over the first axis in lanes of 32 bytes, then half of these with the other half until one is left."""
    lanes = 32 // x.itemsize
    n, *shape = x.shape
    whole = n - n % lanes
    if whole:
        r = x[:whole].reshape(-1, lanes, *shape).sum(0)
        r[: n - whole] += x[whole:]
    else:
        r = np.zeros((lanes, *shape), x.dtype)
        r[:n] = x
    while lanes > 1:
        lanes >>= 1
        r = r[:lanes] + r[lanes:]
    found: Array = r[0]
    return found


def _in_turn(x: Array) -> Array:
    """The sums over the first axis, one number after the other."""
    r: Array = np.add.accumulate(x)[-1] if x.size == len(x) > 0 else x.sum(0)  # of one line NumPy would add up pairs
    return r


def _norms(gap: Array, p: float, lanes: bool) -> Array:
    """The p-norms of differences, whose components lie along the first axis."""
    add = _in_lanes if lanes else _in_turn  # of p = 0, 1 and 2
    if p == 2:
        whole = len(gap) if lanes else len(gap) & -4  # of what fills no four, products and sums are rounded at once
        rest = gap[whole:].copy()
        squares = gap[:whole]
        squares *= squares
        r = add(squares)
        for each in rest:
            r = fused(each, each, r)
        return np.sqrt(r)
    np.abs(gap, out=gap)
    if p == 0:
        return add(np.minimum(np.ceil(gap, out=gap), 1, out=gap))
    if p == math.inf:  # PyTorch passes over NaN between two sets
        largest: Array = (np.maximum if lanes else np.fmax).reduce(gap, 0, initial=0)
        return largest
    if p == 1:
        return add(gap)
    kind = gap.dtype.type
    found: Array = power(_in_turn(power(gap, kind(p))), kind(1 / p))
    return found


def distances(x1: Array, x2: Array, p: float, lanes: bool) -> Array:
    """The distance of each row of x1 from each of x2: (..., n, d) and (..., m, d) give (..., n, m). `lanes` says
    that components are added up as PyTorch does it within one set of points.

    >>> distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]), 2.0, False)
    array([[5., 1.]])
    """
    batch = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    n, m, d = x1.shape[-2], x2.shape[-2], x1.shape[-1]
    found = np.empty((*batch, n, m), x1.dtype)
    left, right = _components(x1, len(batch))[..., :, None], _components(x2, len(batch))[..., None, :]
    step = _step(math.prod(batch) * m * d)
    for at in range(0, n, step):
        found[..., at : at + step, :] = _norms(left[..., at : at + step, :] - right, p, lanes)
    return found


def _components(x: Array, batch: int) -> Array:
    """Points with their components along the first axis, so that sums of them go across long lines."""
    x = np.ascontiguousarray(moved(x, -1, 0))
    return x.reshape(len(x), *(1,) * (batch + 2 - x.ndim), *x.shape[1:])


def _step(each: int) -> int:
    return max(1, _BLOCK // max(each, 1))


def _slopes(gap: Array, g: Array, n: Array, p: float) -> Array:
    """The gradient of each component of differences, given those of their p-norms `n`."""
    kind = gap.dtype.type
    none = n == 0
    if p == 2:
        gap *= np.where(none, kind(0), g)
        gap /= np.where(none, kind(1), n)
        return gap
    size = np.abs(gap)
    if p in (1, math.inf):
        sign = np.ceil(size)
        sign = signed_as(gap, sign)
        np.clip(sign, -1, 1, out=sign)
        sign *= g
        return sign if p == 1 else sign * (size == n)
    if p < 2:
        part = power(np.where(gap == 0, kind(1), size), kind(p - 1)) * (g / n ** kind(p - 1))
        return np.where(none | (gap == 0), kind(0), np.where(gap < 0, -part, part))
    return np.where(none, kind(0), gap * power(size, kind(p - 2)) * (g / n ** kind(p - 1)))


def distances_backward(grad: Array, x1: Array, x2: Array, p: float, found: Array) -> Array:
    """The gradient of x1, batches included, given that of the distances that were found. What the rows of x2 give is
    added up one after the other."""
    batch, (n, m) = found.shape[:-2], found.shape[-2:]
    d = x1.shape[-1]
    r = np.zeros((*batch, d, n), x1.dtype)
    if p and r.size:
        left = np.ascontiguousarray(x1.swapaxes(-1, -2))
        g, norms = (moved(x, -1, 0)[..., None, :] for x in (grad, found))
        right = moved(x2, -2, 0)[..., None]
        right = right.reshape(m, *(1,) * (len(batch) + 3 - right.ndim), *right.shape[1:])
        step = _step(r.size)
        for at in range(0, m, step):
            rows = slice(at, at + step)
            slopes = _slopes(left - right[rows], np.ascontiguousarray(g[rows]), np.ascontiguousarray(norms[rows]), p)
            slopes[0] += r
            r = _in_turn(slopes)
    return np.ascontiguousarray(r.swapaxes(-1, -2))
