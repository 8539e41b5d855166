"""The regularised incomplete gamma functions of float64 arrays."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np

from .special import erfc, lgamma

__all__ = ["igamma"]

Array = np.ndarray
#: so many elements are computed at a time, to stay in the cache
_PIECE = 1 << 12
#: so many terms of a series at most, as in PyTorch
_TERMS = 2000
#: Temme's expansion: so many powers of 1 / a, and of eta in the coefficient of each
_ORDERS, _POWERS = 12, 20
#: PyTorch divides the expansion by the root of 2 pi a with this pi, and its last digits follow
_SHORT_PI = float(np.float32(math.pi))


def _deviation(m: Array) -> Array:
    """m - log(1 + m), by the series of the inverse hyperbolic tangent where these are close."""
    s = m / (2 + m)
    square = s * s
    tail = np.zeros_like(s)
    for k in range(25, 1, -2):
        tail = (tail + 1 / k) * square
    near = m * s - 2 * s * tail
    return np.where(np.abs(m) < 0.3, near, m - np.log1p(m))


@cache
def _expansion() -> tuple[list[float], list[list[float]]]:
    """The coefficients of Stirling's series of the gamma function in powers of 1 / a, and those of Temme's expansion:
    for each power of 1 / a the powers of eta, where eta**2 / 2 = m - log(1 + m) (DLMF 8.12.11 to 8.12.13).
    """
    count = _POWERS + 2 * _ORDERS + 2
    m = [Fraction(0), Fraction(1)]  # m in powers of eta: m * dm/deta = eta * (1 + m)
    for n in range(2, count):
        inner = sum((j * m[j] * m[n - j + 1] for j in range(2, n)), Fraction(0))
        m.append((m[n - 1] - inner) / (n + 1))
    reciprocal = [Fraction(1)]  # eta / m
    for n in range(1, count - 1):
        reciprocal.append(-sum((m[j + 1] * reciprocal[n - j] for j in range(1, n + 1)), Fraction(0)))
    stirling = [m[2 * k + 1] * math.prod(range(1, 2 * k + 2, 2)) for k in range(_ORDERS)]
    row = reciprocal[1:]  # 1 / m - 1 / eta
    rows = [row]
    for k in range(1, _ORDERS):
        # the derivative over eta, plus or minus a multiple of 1 / m: what has eta below the line cancels
        factor = (-1) ** k * stirling[k]
        row = [(n + 2) * row[n + 2] + factor * reciprocal[n + 1] for n in range(len(row) - 2)]
        rows.append(row)
    return [float(g) for g in stirling], [[float(c) for c in row[:_POWERS]] for row in rows]


def _polynomial(coefficients: list[float], x: Array) -> Array:
    r = np.full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        r = r * x + c
    return r


def _uniform(a: Array, x: Array) -> Array:
    """The lower function where both arguments are large and close to each other: Temme's expansion."""
    m = (x - a) / a
    half = _deviation(m)  # eta**2 / 2
    eta = np.copysign(np.sqrt(2 * half), m)
    rest = np.zeros_like(a)
    for row in _expansion()[1][::-1]:
        rest = rest / a + _polynomial(row, eta)
    rest *= np.exp(-a * half) / np.sqrt(2 * _SHORT_PI * a)
    return erfc(-eta * np.sqrt(a / 2)) / 2 - rest


def _factor(a: Array, x: Array) -> Array:
    """x**a * exp(-x) / gamma(a); for a large one by Stirling's series, as the parts of the exponent cancel."""
    r = np.exp(a * np.log(x) - x - lgamma(a))
    large = a > 20
    if np.count_nonzero(large):
        a, x = a[large], x[large]
        scale = _polynomial(_expansion()[0], 1 / a)
        r[large] = np.exp(-a * _deviation((x - a) / a)) * np.sqrt(a / (2 * math.pi)) / scale
    return r


def _low(a: Array, x: Array) -> Array:
    """The series of the lower function, whose terms grow smaller where x < a + 1."""
    term = 1 / a
    series = term
    for k in range(1, _TERMS):
        term = term * x / (a + k)
        before, series = series, series + term
        if not np.count_nonzero(series != before):
            break
    return series * _factor(a, x)


def _high(a: Array, x: Array) -> Array:
    """The continued fraction of the upper function."""
    b = x + 1 - a
    c = np.full(x.shape, 1e300)
    d = 1 / b
    h = d
    moves = np.ones(x.shape, bool)
    for k in range(1, _TERMS):
        n = -k * (k - a)
        b = b + 2
        d = 1 / (n * d + b)
        c = b + n / c
        factor = d * c
        moves &= np.abs(factor - 1) > 1e-16
        if not np.count_nonzero(moves):
            break
        h = np.where(moves, h * factor, h)  # what has come to its end stays, whatever is computed beside it
    return h * _factor(a, x)


def igamma(a: Array, x: Array, upper: bool) -> Array:
    """The regularised incomplete gamma functions: an expansion where both arguments are large and close to each other,
    else a series below a + 1, a continued fraction above."""
    a, x = np.broadcast_arrays(a, x)
    shape, a, x = x.shape, a.reshape(-1), x.reshape(-1)
    away = np.abs(x - a) / a
    close = np.where(a > 200, away < 4.5 / np.sqrt(a), (a > 20) & (away < 0.3))
    first = x < a + 1
    r = np.empty(len(x))
    for where, part, other in (
        (close, _uniform, upper),
        (first & ~close, _low, upper),
        (~first & ~close, _high, not upper),
    ):
        places = where.nonzero()[0]
        for i in range(0, len(places), _PIECE):
            some = places[i : i + _PIECE]
            found = part(a[some], x[some])
            r[some] = 1 - found if other else found
    a, x, r = a.reshape(shape), x.reshape(shape), r.reshape(shape)
    none, whole = (1.0, 0.0) if upper else (0.0, 1.0)
    return np.select(  # in the order of PyTorch's questions, all of which a NaN denies
        [(x < 0) | (a < 0), a == 0, x == 0, np.isinf(a), np.isinf(x)],
        [np.nan, np.where(x > 0, whole, np.nan), none, np.where(np.isinf(x), np.nan, none), whole],
        r,
    )
