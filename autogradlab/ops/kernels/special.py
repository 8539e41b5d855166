"""Special functions of float64 arrays, computed with NumPy alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from .limits import clip

__all__ = [
    "bessel_i",
    "bessel_j",
    "by_parts",
    "digamma",
    "entr",
    "erf",
    "erf_many",
    "erf_short",
    "erfc",
    "erfcx",
    "erfinv",
    "lgamma",
    "log_ndtr",
    "ndtri",
    "polygamma",
    "trigamma",
    "zeta",
]

Array = np.ndarray
_ROOT_PI = math.sqrt(math.pi)
#: Bernoulli numbers B2, B4, …
_BERNOULLI = (
    1 / 6,
    -1 / 30,
    1 / 42,
    -1 / 30,
    5 / 66,
    -691 / 2730,
    7 / 6,
    -3617 / 510,
    43867 / 798,
    -174611 / 330,
    854513 / 138,
    -236364091 / 2730,
)


def _each(f: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of Python's math module, element by element."""

    def run(x: Array) -> Array:
        r = np.empty_like(x)  # of the memory order of x
        r[...] = np.fromiter(map(f, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)
        return r

    return run


erf = _each(math.erf)
erfc = _each(math.erfc)

#: points of the table of erf in one unit, and where float32 cannot tell erf from 1
_STEPS, _END = 1024, 4
_HALF = np.array(0.5)


@cache
def _erf_table() -> tuple[Array, ...]:
    """Taylor's coefficients of erf at each point, from the highest: three derivatives, for a distance counted in steps,
    leave an error below 1e-13 of the value."""
    x = np.arange(_END * _STEPS + 1) / _STEPS
    slope = 2 / _ROOT_PI * np.exp(-x * x) / _STEPS
    return slope * (2 * x * x - 1) / (3 * _STEPS**2), -slope * x / _STEPS, slope, erf(x)


def erf_short(x: Array) -> Array:
    """erf for results that are rounded to float32 or less: from a table, without a Python call an element."""
    off = np.asarray(np.abs(x))
    np.minimum(off, _END, out=off)
    off *= _STEPS
    at = (off + _HALF).astype(np.intp)
    off -= at
    highest, *others = _erf_table()
    r = highest.take(at, mode="clip")
    for coefficients in others:
        r *= off
        r += coefficients.take(at, mode="clip")
    return np.copysign(r, x)


def _singles(*numbers: float) -> tuple[Array, ...]:
    """Numbers of float32 as an array each: NumPy takes longer with any other number."""
    return tuple([np.array(n, np.float32) for n in numbers])


#: erf(x) / x in the powers of x², from the highest, fitted by least squares to 2e-8 of the value up to where it is 1
_ERF_OVER = _singles(2.025918547587935e-06, 2.8468697564676404e-04, 3.8081163074821234e-03, 5.2875302731990814e-02)
_ERF_OVER += _singles(0.19154921174049377, 1.1283791065216064)
_ERF_UNDER = _singles(3.783187275985256e-05, 1.1707153171300888e-03, 1.5054997988045216e-02, 0.11455917358398438)
_ERF_UNDER += _singles(0.5030887126922607, 1.0)
_ERF_ENDS = _singles(-3.9500976, 3.9500976, -1, 1)


def _polynomial(coefficients: Sequence[Array], x: Array) -> Array:
    r = x * coefficients[0]
    for c in coefficients[1:-1]:
        r += c
        r *= x
    r += coefficients[-1]
    return r


def erf_many(x: Array) -> Array:
    """erf of float32 in float32, a tenth of the time and six units of the last place at most."""
    low, high, least, most = _ERF_ENDS
    near = np.asarray(clip(x, low, high))
    square = near * near
    near *= _polynomial(_ERF_OVER, square)
    near /= _polynomial(_ERF_UNDER, square)
    found: Array = clip(near, least, most, near)
    return found


def _lgamma(x: float) -> float:
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf
    try:
        return math.lgamma(x)
    except OverflowError:
        return math.inf


lgamma = _each(_lgamma)


def by_parts(x: Array, where: Array, function: Callable[[Array], Array], other: Callable[[Array], Array]) -> Array:
    """One function of the x where something holds, another one of the rest."""
    r = np.empty(x.shape)
    for mask, f in ((where, function), (~where, other)):
        if mask.all():
            r[...] = f(x)
        elif mask.any():
            r[mask] = f(x[mask])
    return r


def _erfcx_far(x: Array) -> Array:
    fraction = x
    for k in range(60, 0, -1):
        fraction = x + (k / 2) / fraction
    return 1 / (_ROOT_PI * fraction)


def erfcx(x: Array) -> Array:
    """exp(x²) erfc(x): for large x by its continued fraction, where both factors leave the range."""
    return by_parts(x, x < 2, lambda x: np.exp(x * x) * erfc(x), _erfcx_far)


def erfinv(y: Array) -> Array:
    """A start by logarithms, then Halley's steps on erf,
    or on erfc in the tails where erf no longer tells numbers apart."""
    a = np.abs(y)
    r = np.asarray(erfinv_ends(a))
    inside = a < 1
    for part, off in (
        (inside & (a < 0.5), lambda x, a: erf(x) - a),
        (inside & (a >= 0.5), lambda x, a: (1 - a) - erfc(x)),
    ):
        if part.any():
            r[part] = _inverse(a[part], off)
    return np.copysign(r, y)


def erfinv_ends(y: Array) -> Array:
    """erfinv of 1, -1, NaN and what is beyond."""
    return np.copysign(np.where(np.abs(y) == 1, np.inf, np.nan), y)


def _inverse(a: Array, off: Callable[[Array, Array], Array]) -> Array:
    """erfinv between 0 and 1; off: how far erf(x) is from a."""
    w = np.log1p(-a * a)
    c = 2 / (math.pi * 0.147) + w / 2
    x = np.sqrt(np.sqrt(c * c - w / 0.147) - c)
    moving = np.arange(x.size)  # where a further step may still change something
    for _ in range(4):
        at = x[moving]
        step = off(at, a[moving]) / (2 / _ROOT_PI * np.exp(-at * at))
        x[moving] = moved = at - step / (1 + at * step)
        moving = moving[moved != at]
    return x


def ndtri(p: Array) -> Array:
    """The normal quantile, through erfc in the lower tail."""
    low = np.minimum(p, 1 - p)
    safe = np.where((low > 0) & (low < 0.5), low, 0.25)
    x = erfinv(1 - 2 * safe)
    x = np.where(safe < 1e-3, np.sqrt(np.maximum(-np.log(safe) - 0.5 * np.log(-4 * math.pi * np.log(safe)), 0.1)), x)
    for _ in range(6):  # erfc(x) = 2 safe
        step = (2 * safe - erfc(x)) / (2 / _ROOT_PI * np.exp(-x * x))
        x = x - step / (1 + x * step)
    x = np.where(low == 0.5, 0.0, np.where(low == 0, np.inf, np.where(low > 0, math.sqrt(2) * x, np.nan)))
    return np.where(p < 0.5, -x, x)


def log_ndtr(x: Array) -> Array:
    t = x / math.sqrt(2)
    return by_parts(t, x < -1, lambda t: np.log(erfcx(-t) / 2) - t * t, lambda t: np.log1p(-erfc(t) / 2))


def entr(x: Array) -> Array:
    return np.where(x > 0, -x * np.log(np.where(x > 0, x, 1)), np.where(x == 0, 0.0, np.where(np.isnan(x), x, -np.inf)))


def _reflected(x: Array) -> Array:
    """pi / tan(pi x), with the integer part taken off first."""
    r = x - np.round(x)
    return math.pi / np.tan(math.pi * r)


def digamma(x: Array) -> Array:
    """Up to 10 by the recurrence, from there by the asymptotic series; negative numbers by reflection."""
    negative = x < 0
    poles = negative & (x == np.floor(x))
    y = np.where(negative, 1 - x, x)
    total = np.zeros_like(y)
    for _ in range(10):
        low = y < 10
        total = total - np.where(low, 1 / y, 0.0)
        y = np.where(low, y + 1, y)
    s = 1 / (y * y)
    series = np.zeros_like(y)
    for k in range(8, 0, -1):
        series = (series + _BERNOULLI[k - 1] / (2 * k)) * s
    r = total + np.log(y) - 0.5 / y - series
    r = np.where(negative, r - _reflected(x), r)
    r = np.where(x == 0, np.copysign(np.inf, -x), np.where(poles, np.nan, r))
    return np.where(np.isposinf(x), np.inf, r)


def zeta(s: Array, q: Array) -> Array:
    """Hurwitz' zeta function by Euler and Maclaurin: ten terms and more up to q = 10, then the tail."""
    s, q = np.broadcast_arrays(s, q)
    total = np.zeros(s.shape)
    a = np.array(q, np.float64)
    summed = np.isfinite(q) & (q != np.floor(q)) & (s == np.floor(s))  # the others of q <= 0 are poles, or have no zeta
    for _ in range(10 + int(max(0.0, -float(np.min(a, initial=0.0, where=summed))))):
        total = total + a**-s
        a = a + 1
    total = total + a ** (1 - s) / (s - 1) + 0.5 * a**-s
    factor = s * a ** (-s - 1)
    for k, b in enumerate(_BERNOULLI, 1):
        total = total + b / math.factorial(2 * k) * factor
        factor = factor * (s + 2 * k - 1) * (s + 2 * k) / (a * a)
    total = np.where(s == 1, np.inf, np.where((s < 1) | (q == np.inf), np.nan, total))
    total = np.where((s == np.inf) & (q <= 1), np.where(q == 1, 1.0, np.inf), total)
    below = (q <= 0) & ~(s <= 1)
    return np.where(below & (q == np.floor(q)), np.inf, np.where(below & (s != np.floor(s)), np.nan, total))


def trigamma(x: Array) -> Array:
    """The derivative of digamma in the dtype of x and in PyTorch's steps: reflection below 1/2, six steps of the
    recurrence, then the asymptotic series."""
    kind = x.dtype.type
    pi, low = kind(math.pi), x < kind(0.5)
    y = np.where(low, 1 - x, x)
    r = np.zeros_like(y)
    if low.any():
        sine = np.sin((pi * x).astype(np.float64)).astype(x.dtype)  # as rounded as the C library has it
        r = np.where(low, -(pi * pi) / (sine * sine), r)
    for _ in range(6):
        r = r + 1 / (y * y)
        y = y + 1
    s = 1 / (y * y)
    sixth, thirtieth, last = kind(1) / kind(6), kind(1) / kind(30), kind(1) / kind(42)
    r = r + (1 + 1 / (2 * y) + s * (sixth - s * (thirtieth - s * last))) / y
    return np.where(low, -r, r)


def polygamma(n: int, x: Array) -> Array:
    """The derivatives of digamma from the second on: zeta functions."""
    n = (n + (1 << 31)) % (1 << 32) - (1 << 31)  # an int in C
    sign = 1.0 if n % 2 else -1.0
    size = math.factorial(n) if 0 <= n <= 170 else math.inf  # as gamma in float64, which has poles below 0
    return sign * size * zeta(np.full(x.shape, n + 1.0), x)


def bessel_i(order: int, x: Array, *, scaled: bool) -> Array:
    """I0 and I1, or exp(-|x|) times them: power series up to 30, asymptotic series beyond."""
    a = np.abs(x)
    small = np.minimum(a, 30.0)
    quarter = small * small / 4
    term = np.ones_like(a) if order == 0 else small / 2
    total = term
    for k in range(1, 80):
        term = term * quarter / (k * (k + order))
        total = total + term
    large = np.maximum(a, 30.0)
    term = np.ones_like(a)
    tail = term
    for k in range(1, 30):
        term = -term * (4 * order * order - (2 * k - 1) ** 2) / (8 * k * large)
        tail = tail + term
    tail = tail / np.sqrt(2 * math.pi * large)
    r = np.where(a <= 30, total * np.exp(-small), tail) if scaled else np.where(a <= 30, total, tail * np.exp(large))
    r = np.where(np.isinf(a), 0.0 if scaled else np.nan, np.where(np.isnan(x), x, r))
    return np.where(x < 0, -r, r) if order else r


def hankel(order: int, x: Array) -> tuple[Array, Array]:
    """The Bessel functions of first and second kind, J and Y, of x from 30 on, by Hankel's expansion."""
    p, q, term = np.ones_like(x), np.zeros_like(x), np.ones_like(x)
    for k in range(1, 24):
        term = term * (4 * order * order - (2 * k - 1) ** 2) / (k * 8 * x)
        if k % 2:
            q = q + (term if k % 4 == 1 else -term)
        else:
            p = p + (term if k % 4 == 0 else -term)
    phase = x - (order / 2 + 0.25) * math.pi
    cos, sin, size = np.cos(phase), np.sin(phase), np.sqrt(2 / (math.pi * x))
    return size * (p * cos - q * sin), size * (p * sin + q * cos)


def bessel_j(order: int, x: Array) -> Array:
    """J0 and J1: the integral over a period up to 30 (the trapezoid rule is exact there), then Hankel's expansion."""
    a = np.abs(x)
    small = np.minimum(a, 30.0)
    total = np.zeros_like(a)
    steps = 64
    for k in range(steps):
        angle = 2 * math.pi * (k + 0.5) / steps
        total = total + np.cos(order * angle - small * math.sin(angle))
    r = np.where(a <= 30, total / steps, hankel(order, np.maximum(a, 30.0))[0])
    if order:
        r = np.where(a < 1e-3, a / 2 * (1 - a * a / 8), r)  # the integral is right up to 1e-16 of 1
    r = np.where(np.isinf(a), np.nan, r)
    return np.copysign(r, r * x) if order else r
