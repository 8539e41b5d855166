"""A line search for LBFGS: a step that satisfies the strong Wolfe conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["strong_wolfe"]

C1, C2 = 1e-4, 0.9


def _cubic(
    x1: float, f1: float, g1: float, x2: float, f2: float, g2: float, bounds: tuple[float, float] | None = None
) -> float:
    """The minimum of the cubic through two points with their slopes, kept within the bounds."""
    low, high = bounds if bounds is not None else (min(x1, x2), max(x1, x2))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1 * d1 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    d2 = np.sqrt(square)
    if x1 <= x2:
        at = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        at = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(at, low), high)


def strong_wolfe(
    f: Callable[[float], tuple[float, Any]],
    t: Any,
    d: Any,
    loss: float,
    gradient: Any,
    slope: Any,
    most: int,
    tolerance: float = 1e-9,
) -> tuple[float, Any, Any, int]:
    """Loss, gradient, step and number of evaluations; `f(t)` gives loss and gradient at a step t along d.

    Steps and slopes that follow from gradients are numbers of their dtype, as in PyTorch: others are
    Python numbers.
    """
    size = np.abs(d).max()
    new, g_new = f(t)
    count, slope_new = 1, g_new @ d
    previous: Any = 0
    f_previous, g_previous, slope_previous = loss, gradient, slope
    done = False
    points: list[list[Any]] = []
    n = 0
    while n < most:
        if new > loss + C1 * t * slope or (n > 1 and new >= f_previous):
            points = [[previous, f_previous, g_previous, slope_previous], [t, new, g_new, slope_new]]
            break
        if abs(slope_new) <= -C2 * slope:
            points, done = [[t, new, g_new, slope_new]], True
            break
        if slope_new >= 0:
            points = [[previous, f_previous, g_previous, slope_previous], [t, new, g_new, slope_new]]
            break
        low, high = t + 0.01 * (t - previous), t * 10
        kept = t
        t = _cubic(previous, f_previous, slope_previous, t, new, slope_new, (low, high))
        previous, f_previous, g_previous, slope_previous = kept, new, g_new, slope_new
        new, g_new = f(t)
        count += 1
        slope_new = g_new @ d
        n += 1
    if n == most:
        points = [[0, loss, gradient, slope], [t, new, g_new, slope_new]]
    return _zoom(f, d, points, done, n, most, count, loss, slope, size, tolerance)


def _zoom(
    f: Any,
    d: Any,
    points: list[list[Any]],
    done: bool,
    n: int,
    most: int,
    count: int,
    loss: float,
    slope: float,
    size: float,
    tolerance: float,
) -> tuple[float, Any, Any, int]:
    """Narrow the bracket until a point in it satisfies the conditions."""
    stuck = False
    low = 0 if points[0][1] <= points[-1][1] else 1
    while not done and n < most:
        high = 1 - low
        if abs(points[1][0] - points[0][0]) * size < tolerance:
            break
        a, b = points[0], points[1]
        t = _cubic(a[0], a[1], a[3], b[0], b[1], b[3])
        left, right = min(a[0], b[0]), max(a[0], b[0])
        margin = 0.1 * (right - left)
        if min(right - t, t - left) < margin:
            if stuck or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        new, g_new = f(t)
        count += 1
        slope_new = g_new @ d
        n += 1
        if new > loss + C1 * t * slope or new >= points[low][1]:
            points[high] = [t, new, g_new, slope_new]
            low = 0 if points[0][1] <= points[1][1] else 1
            continue
        if abs(slope_new) <= -C2 * slope:
            done = True
        elif slope_new * (points[high][0] - points[low][0]) >= 0:
            points[high] = points[low]
        points[low] = [t, new, g_new, slope_new]
    t, new, g_new, _ = points[low if len(points) > 1 else 0]
    return new, g_new, t, count
