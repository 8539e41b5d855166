"""Special functions for results that are rounded to float32 or less: from tables, without a Python call an element.

A table holds polynomials of degree 4, one for each step, through values of the function itself, which is computed at
their nodes when the table is first used. They differ from it by less than 1e-9 of its value, a hundredth of what
float32 can tell apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from . import polynomials, special

__all__ = ["airy_ai", "bessel_i", "bessel_j", "bessel_y", "digamma", "erfc", "erfinv", "lgamma", "many", "ndtri"]

Array = np.ndarray[Any, Any]
Function = Callable[[Array], Array]

#: so few elements are not worth a table
_FEW = 256
#: Chebyshev's nodes of one step, from -1 to 1, and what makes coefficients of the values at them, from the highest
_NODES = np.cos(np.pi * (np.arange(5) + 0.5) / 5)
_FIT = np.linalg.inv(np.vander(_NODES, 5))
#: so many elements are looked up at a time, to stay in the cache
_PIECE = 1 << 13
_HALF_LOG = math.log(2 * math.pi) / 2


class _Table:
    def __init__(self, function: Function, low: float, high: float, steps: int) -> None:
        self.low, self.steps = low, 2 * steps
        middles = low + (np.arange(round((high - low) * steps)) + 0.5) / steps
        values = function((middles + _NODES[:, None] / self.steps).ravel()).reshape(5, -1)
        self.coefficients = _FIT @ values
        self.last = len(middles) - 1

    def __call__(self, x: Array) -> Array:
        """The function between its ends; what is beyond them, or NaN, gets some number."""
        t = x - self.low
        t *= self.steps
        at = (t * 0.5).clip(0, self.last).astype(np.intp)
        t -= 2 * at + 1
        highest, *others = self.coefficients
        r: Array = highest.take(at, mode="clip")
        for each in others:
            r *= t
            r += each.take(at, mode="clip")
        return r


_table = cache(_Table)


def many(quick: Function, exact: Function) -> Function:
    """Of many elements what is quick, piece by piece, of a few what is exact."""

    def run(x: Array) -> Array:
        if type(x) is not np.ndarray or x.size <= _FEW:
            return exact(x)
        line = np.ascontiguousarray(x).reshape(-1)
        r = np.empty_like(line)
        for i in range(0, line.size, _PIECE):
            r[i : i + _PIECE] = quick(line[i : i + _PIECE])
        return r.reshape(x.shape)

    return run


def _but(found: Array, x: Array, low: float, high: float, exact: Function) -> Array:
    """What was found of numbers between two, and of others, a NaN among them, what is exact."""
    if not (low < x.min() and x.max() < high):
        others = ~((low < x) & (x < high))
        found[others] = exact(x[others])
    return found


def erfc(x: Array) -> Array:
    return _but(_table(special.erfc, -4.0, 10.0, 128)(x), x, -4, 10, special.erfc)


def _inverse(w: Array) -> Array:
    """erfinv(a) / a, where w = -log(1 - a²), by Halley's steps on erfc."""
    a = np.sqrt(-np.expm1(-w))
    rest = np.exp(-w) / (1 + a)
    x = np.where(w < 5, special.erfinv(np.minimum(a, 0.999)), np.sqrt(np.maximum(w - np.log(np.maximum(w, 1)), 1)))
    for _ in range(6):
        step = (rest - special.erfc(x)) / (2 / math.sqrt(math.pi) * np.exp(-x * x))
        x = x - step / (1 + x * step)
    return x / a


def _by_inverse(a: Array, inner: Array) -> Array:
    """erfinv(a), where `inner` is 1 - a²."""
    return a * _table(_inverse, 0.0, 104.0, 16)(-np.log(inner))


def erfinv(a: Array) -> Array:
    return _but(_by_inverse(a, (1 - a) * (1 + a)), a, -1, 1, special.erfinv_ends)


def ndtri(p: Array) -> Array:
    found = math.sqrt(2) * _by_inverse(2 * p - 1, 4 * p * (1 - p))
    return _but(found, p, 0, 1, special.ndtri)


#: from where on asymptotic series do
_FAR = 17.0


def _from_one(x: Array, near: Function, far: Function) -> tuple[Array, Array, Array]:
    """For a function of the kin of gamma: itself at the numbers from 1 on that recurrence and reflection lead to; which
    elements were negative and are reflected; and the numbers below 1, of which the recurrence asks, else 1."""
    negative = x < 0
    y = np.where(negative, 1 - x, x) if negative.any() else x
    small = y < 1
    z = y + small
    r = _but(near(z), z, 0, _FAR, far)
    return r, negative, np.where(small, y, 1)


def _stirling(z: Array) -> Array:
    s = 1 / (z * z)
    return (z - 0.5) * np.log(z) - z + _HALF_LOG + ((s / 1260 - 1 / 360) * s + 1 / 12) / z


def _without_zeros(z: Array) -> Array:
    return special.lgamma(z) / ((z - 1) * (z - 2))


def _lgamma_near(z: Array) -> Array:
    return _table(_without_zeros, 1.0, _FAR, 128)(z) * ((z - 1) * (z - 2)) + 0.0  # not -0 at 1


def lgamma(x: Array) -> Array:
    r, negative, small = _from_one(x, _lgamma_near, _stirling)
    r -= np.log(small)
    if negative.any():
        r = np.where(negative, np.log(math.pi / np.abs(np.sin(math.pi * (x - np.round(x))))) - r, r)
    return _but(r, x, -np.inf, np.inf, special.lgamma)


def digamma(x: Array) -> Array:
    near = _table(special.digamma, 1.0, _FAR, 128)
    r, negative, small = _from_one(x, near, special.digamma)
    r -= np.where(small < 1, 1 / small, 0)
    if negative.any():
        r = np.where(negative, r - math.pi / np.tan(math.pi * (x - np.round(x))), r)
    poles = (x <= 0) & (x == np.floor(x))
    if poles.any():
        r[poles] = special.digamma(x[poles])
    return _but(r, x, -np.inf, np.inf, special.digamma)


def _over(order: int, a: Array) -> Array:
    """exp(-a) times I0(a), or I1(a) / a."""
    r = special.bessel_i(order, a, scaled=True)
    return r / a if order else r


_OVER = [partial(_over, order) for order in (0, 1)]


def bessel_i(order: int, x: Array, *, scaled: bool) -> Array:
    a = np.abs(x)
    r = _table(_OVER[order], 0.0, 30.0, 32)(a)
    if order:
        r *= x
        r += 0.0  # not -0 at -0
    if not scaled:
        r *= np.exp(a)
    return _but(r, x, -30, 30, partial(special.bessel_i, order, scaled=scaled))


def _j(order: int, a: Array) -> Array:
    """J0(a), or J1(a) / a."""
    r = special.bessel_j(order, a)
    return r / a if order else r


_J = [partial(_j, order) for order in (0, 1)]


def bessel_j(order: int, x: Array) -> Array:
    a = np.abs(x)
    r = _table(_J[order], 0.0, 30.0, 64)(a)
    if order:
        r *= x
    return _but(r, x, -30, 30, partial(special.bessel_j, order))


def _y(order: int, x: Array) -> Array:
    """What is left of Y0, or of Y1, without its logarithm and its pole."""
    r = polynomials.bessel_y(order, x) - 2 / math.pi * np.log(x) * special.bessel_j(order, x)
    return r + 2 / (math.pi * x) if order else r


_Y = [partial(_y, order) for order in (0, 1)]


def bessel_y(order: int, x: Array) -> Array:
    a = np.where((x > 0) & (x < 30), x, 1.0)
    r = _table(_Y[order], 0.0, 30.0, 64)(a) + 2 / math.pi * np.log(a) * bessel_j(order, a)
    if order:
        r -= 2 / (math.pi * a)
    return _but(r, x, 0, 30, partial(polynomials.bessel_y, order))


def airy_ai(x: Array) -> Array:
    near, bell = _table(polynomials.airy_near, -6.5, 1.0, 64), _table(polynomials.airy_bell, 1.0, 104.0, 64)
    return polynomials.airy_ai(x, near, bell)
