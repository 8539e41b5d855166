"""Orthogonal polynomials of arrays of degrees, by their recurrences, and Bessel functions of the second kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .special import hankel

Array = np.ndarray[Any, Any]
#: from the degree k, the argument and the polynomials of degrees k and k - 1 to that of degree k + 1
Step = Callable[[int, Array, Array, Array], Array]

__all__ = ["airy_ai", "airy_bell", "airy_near", "bessel_k", "bessel_y", "chebyshev", "hermite", "laguerre", "legendre"]


def _degrees(n: Array) -> Array:
    """Degrees cut to integers; a NaN and what no int64 can hold is the smallest of them, as C converts it."""
    return np.where(np.abs(n) < 2.0**63, np.trunc(n), -1)  # a NaN is not smaller


def _recurrence(x: Array, n: Array, first: Array, step: Step) -> Array:
    """The polynomial of degree n at x, given that of degree 1: 0 for negative degrees, 1 for degree 0."""
    degree = _degrees(n)
    before, now = np.ones_like(x), first
    result = np.where(degree < 0, x.dtype.type(0), np.where(degree == 0, before, now))
    top = int(np.nanmax(degree, initial=0))
    for k in range(1, top):
        before, now = now, step(k, x, now, before)
        result = np.where(degree == k + 1, now, result)
    return result


def chebyshev(kind: str, x: Array, n: Array) -> Array:
    """The Chebyshev polynomials T, U, V and W, in trigonometric form for high degrees within (-1, 1)."""
    degree = _degrees(n)
    first = {"t": x, "u": x + x, "v": x + x - 1, "w": x + x + 1}[kind]
    result = _recurrence(x, np.minimum(degree, 8), first, lambda k, x, now, before: (x + x) * now - before)
    high = np.abs(x) > 1
    if (high & (degree > 8)).any():
        result = np.where(
            high, _recurrence(np.where(high, x, 0), degree, first, lambda k, x, p, q: (x + x) * p - q), result
        )
    angle = np.arccos(np.where(high | np.isnan(x), 0, x)).astype(x.dtype, copy=False)
    half = x.dtype.type(0.5)
    many = degree + degree + 1
    even, right = degree % 2 == 0, x > 0
    if kind == "t":
        wave = np.cos(degree * angle)
        edge = np.where(right | even, 1, -1)
    elif kind == "u":
        wave = np.sin((degree + 1) * angle) / np.sin(angle)
        edge = np.where(right | even, degree + 1, -(degree + 1))
    elif kind == "v":
        wave = np.cos((degree + half) * angle) / np.cos(angle * half)
        edge = np.where(right, 1, np.where(even, many, -many))
    else:
        wave = np.sin((degree + half) * angle) / np.sin(angle * half)
        edge = np.where(right, many, np.where(even, 1, -1))
    inside = (np.abs(x) < 1) & (degree > (6 if kind == "t" else 8))
    result = np.where(inside, wave, result)
    return np.where(degree < 0, 0, np.where(np.abs(x) == 1, edge, result)).astype(x.dtype, copy=False)


def hermite(physical: bool, x: Array, n: Array) -> Array:
    """The Hermite polynomials of physics (H) or of probability (He); NaN beyond the degrees that a dtype can hold."""
    limit = 512 if x.dtype.itemsize == 8 else 128
    n = _degrees(n)
    wanted = np.where(n > limit, -1, n)
    if physical:
        result = _recurrence(x, wanted, x + x, lambda k, x, now, before: (x + x) * now - (k + k) * before)
    else:
        result = _recurrence(x, wanted, x, lambda k, x, now, before: x * now - k * before)
    return np.where(n > limit, np.nan, result).astype(x.dtype, copy=False)


def laguerre(x: Array, n: Array) -> Array:
    """The Laguerre polynomials."""
    return _recurrence(x, n, 1 - x, lambda k, x, now, before: ((k + k + (1 - x)) * now - k * before) / (k + 1))


def legendre(x: Array, n: Array) -> Array:
    """The Legendre polynomials."""
    return _recurrence(x, n, x, lambda k, x, now, before: ((k + k + 1) * x * now - k * before) / (k + 1))


def _summed(f: Callable[[Array, Array], Array], x: Array) -> Array:
    """The integral over t > 0 of what falls off as exp(-x cosh t), by the trapezoid rule, which is exact there."""
    step = np.minimum(1.0, 4 / np.sqrt(x)) / 16
    total = f(x, np.zeros_like(x)) / 2
    for k in range(1, 241):
        total = total + f(x, k * step)
    return total * step


def bessel_k(order: int, x: Array, *, scaled: bool) -> Array:
    """K0 and K1, or exp(x) times them: the integral of exp(-x cosh t) cosh(order t) over t > 0."""
    a = np.where(x > 0, x, 1.0)
    small = a < 1e-3
    near = np.minimum(a, 1e-3)
    wide = np.maximum(a, 1e-3)
    r = _summed(lambda a, t: np.exp(-a * (np.cosh(t) - 1)) * np.cosh(order * t), wide)
    r = r * np.exp(-wide) if not scaled else r
    log = np.log(near / 2) + np.euler_gamma
    square = near * near / 4
    tiny = -log + square * (1 - log) if order == 0 else 1 / near + near / 2 * (log - 0.5)
    r = np.where(small, tiny * (np.exp(near) if scaled else 1), r)
    r = np.where(np.isposinf(x), 0.0, r)
    return np.where(x == 0, np.inf, np.where((x < 0) | np.isnan(x), np.nan, r))


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)


def _integral(f: Callable[[Array, Array], Array], x: Array, end: Array) -> Array:
    """The integral of f(x, t) over t from 0 to `end`, by Gauss' rule."""
    total = np.zeros_like(x)
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        total = total + weight * f(x, end * ((node + 1) / 2))
    return total * end / 2


def _piece(r: Array, x: Array, where: Array, function: Callable[[Array], Array]) -> None:
    """Put the values of a function at some of the x into r."""
    if where.all():
        r[...] = function(x)
    elif where.any():
        r[where] = function(x[where])


def _y_near(order: int, x: Array) -> Array:
    log, square = np.log(x / 2) + np.euler_gamma, x * x / 4
    return 2 / np.pi * (log * (1 - square) + square if order == 0 else x / 2 * (log - 0.5) - 1 / x)


def _schlaefli(order: int, x: Array) -> Array:
    """Y0 and Y1 up to 30, by Schläfli's integrals."""
    round_ = _integral(lambda a, t: np.sin(a * np.sin(t) - order * t), x, np.full_like(x, np.pi))
    far = np.arcsinh(745 / x)
    if order == 0:
        open_ = 2 * _integral(lambda a, t: np.exp(-a * np.sinh(t)), x, far)
    else:
        open_ = _integral(lambda a, t: (np.exp(t) - np.exp(-t)) * np.exp(-a * np.sinh(t)), x, far)
    return (round_ - open_) / np.pi


def bessel_y(order: int, x: Array) -> Array:
    """Y0 and Y1: the first terms of their series near 0, Schläfli's integrals up to 30, then Hankel's expansion."""
    r = np.where(x == 0, -np.inf, np.full(x.shape, np.nan))
    _piece(r, x, (x > 0) & (x < 1e-3), partial(_y_near, order))
    _piece(r, x, (x >= 1e-3) & (x <= 30), partial(_schlaefli, order))
    _piece(r, x, (x > 30) & (x < np.inf), lambda x: hankel(order, x)[1])
    return r


_AIRY, _SLOPE = 0.355028053887817239, 0.258819403792806798


def airy_near(x: Array) -> Array:
    """The power series of Ai."""
    cube = x**3
    f, g, a, b = np.ones_like(x), x.copy(), np.ones_like(x), x.copy()
    for k in range(1, 60):
        a = a * cube / ((3 * k - 1) * (3 * k))
        b = b * cube / ((3 * k) * (3 * k + 1))
        f, g = f + a, g + b
    return _AIRY * f - _SLOPE * g


def airy_bell(x: Array) -> Array:
    """exp(2 x**1.5 / 3) times Ai, for x from 1 on: an integral."""
    zeta = 2 / 3 * x**1.5
    bell = _summed(lambda z, t: np.exp(-z * (np.cosh(t) - 1)) * np.cosh(t / 3), zeta)
    return np.sqrt(x / 3) / np.pi * bell


def _airy_left(x: Array) -> Array:
    """The asymptotic series of Ai far to the left."""
    left = -x
    zeta = 2 / 3 * left**1.5
    term, p, q = np.ones_like(left), np.ones_like(left), np.zeros_like(left)
    for k in range(1, 20):
        term = term * ((6 * k - 5) * (6 * k - 3) * (6 * k - 1)) / (216 * k * (2 * k - 1) * zeta)
        if k % 2:
            q = q + (term if k % 4 == 1 else -term)
        else:
            p = p + (term if k % 4 == 0 else -term)
    phase = zeta + np.pi / 4
    return (np.sin(phase) * p - np.cos(phase) * q) / (np.sqrt(np.pi) * left**0.25)


def airy_ai(x: Array, near: Any = airy_near, bell: Any = airy_bell) -> Array:
    """The Airy function Ai: its power series near 0, an integral to the right, the asymptotic series to the left."""
    r = np.where(np.isinf(x), np.nan, np.where(x > 0, 0.0, x))
    _piece(r, x, (x >= -6.5) & (x <= 1), near)
    _piece(r, x, (x > 1) & (x <= 103.892), lambda x: bell(x) * np.exp(-(2 / 3 * x**1.5)))
    _piece(r, x, (x < -6.5) & (x > -np.inf), _airy_left)
    return r
