"""Normal numbers with PyTorch's own roundings: Box–Muller in its three forms, and fused multiply-add.

Fewer than 16 numbers, or memory that is not contiguous: pairs in float64, the second of a pair kept for the next call.
From 16 numbers on: blocks of 8 radii and 8 angles, float64 with the C library's functions, all smaller types in float32
with the polynomials of the Cephes library, in the order of operations and with the fused steps of PyTorch's kernel for
AVX2, since only then the last bits are the same.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .generator import Generator

__all__ = ["fma32", "fma64", "normal_values", "round_to", "standard_normals"]

Array = np.ndarray[Any, Any]

_SPLITTER = 134217729.0  # 2**27 + 1: splits a float64 in two halves whose products are exact
_ROWS = 1024  # blocks of 16 worked on at a time, so that the work arrays stay in the cache
_AHEAD = 8192  # fewer numbers than that are made ahead


def fma64(x: Any, a: float, b: float) -> Any:
    """`x * a + b` rounded once, in float64; `x` is a float or an array.

    >>> fma64(0.1, 10.0, -1.0)
    5.551115123125783e-17
    """
    if b == 0.0 or b - b or a in (0.0, 1.0) or not 1e-250 < abs(a) < 1e250:
        return x * a + b
    product = x * a
    t = _SPLITTER * x
    x1 = t - (t - x)
    x2 = x - x1
    t = _SPLITTER * a
    a1 = t - (t - a)
    a2 = a - a1
    lost = ((x1 * a1 - product) + x1 * a2 + x2 * a1) + x2 * a2
    total = product + b
    back = total - product
    lost = lost + ((product - (total - back)) + (b - back))
    return total + lost


def fma32(x: Array, a: Array, b: Array) -> Array:
    """`x * a + b` rounded once to float32; `x` and `a` are float64 with 24-bit values, so that the product is exact."""
    t = x * a
    t += b
    return t.astype(_FLOAT32)


def round_to(values: Array, dtype: np.dtype[Any]) -> Array:
    """Cast as PyTorch does: to the 16-bit floats by way of float32."""
    if values.dtype == dtype:
        return values
    if dtype.itemsize == 2 and dtype.kind not in "iu" and values.dtype != np.float32:
        values = round_to(values, _FLOAT32)
    with np.errstate(all="ignore"):  # what is too large becomes infinite
        return values.astype(dtype)


def normal_values(n: int, dtype: np.dtype[Any], mean: float, std: float, generator: Generator, blocks: bool) -> Array:
    """`n` normal numbers of a floating `dtype`, shape (n,); `blocks` says that they go to contiguous memory."""
    if not blocks or n < 16:
        values = standard_normals(n, generator)
        if dtype == _FLOAT32 and mean == 0.0 and std == 1.0:
            return (values + _NOUGHT).astype(_FLOAT32)  # none is too large
        return round_to(fma64(values, std, mean) if (mean, std) != (0.0, 1.0) else values + 0.0, dtype)
    whole = n & ~15
    # The 16-bit types draw only what they use: no uniform numbers for places that the last block fills.
    if n < _AHEAD and (dtype == _FLOAT32 or (dtype.itemsize == 2 and n == whole)):
        waves = generator.in_blocks(n, _standard32)
        if mean == 0.0 and std == 1.0:
            return round_to(waves + _ZERO, dtype)
        return round_to(fma32(waves.astype(_FLOAT64), _wide(std)[0], _wide(mean)[0]), dtype)
    if dtype == np.float64:
        u = generator.uniform53(n + 16 if whole < n else n)
        block: Any = _blocks64
    else:
        u = generator.uniform24((whole if dtype.itemsize == 2 else n) + (16 if whole < n else 0))
        block = _blocks32
    if whole == n:
        return round_to(block(u.reshape(-1, 2, 8), mean, std).reshape(-1), dtype)
    # the last 16 places are done again, with new numbers
    both = block(np.concatenate((u[:whole], u[-16:])).reshape(-1, 2, 8), mean, std).reshape(-1)
    values = np.empty(n, u.dtype)
    values[:whole] = both[:whole]
    values[-16:] = both[whole:]
    return round_to(values, dtype)


def standard_normals(n: int, generator: Generator) -> Array:
    """`n` numbers with mean 0 and deviation 1 by pairs, through the kept sample: float64, shape (n,)."""
    kept = generator.next_normal
    have = 0 if kept is None or n == 0 else 1
    pairs = (n - have + 1) // 2
    if have:
        generator.next_normal = None
    if pairs <= 8:
        few: list[Any] = [kept] if have else []
        z = np.array(few + _few_normals(generator.random32(4 * pairs).tolist()) if pairs else few, _FLOAT64)
    else:
        z = np.empty(have + 2 * pairs)
        z[:have] = kept
        u = generator.uniform53(2 * pairs)
        r = np.sqrt(-2.0 * np.log1p(-u[1::2]))
        angles = (2.0 * math.pi) * u[0::2]
        np.multiply(r, np.cos(angles), out=z[have::2])
        np.multiply(r, np.sin(angles), out=z[have + 1 :: 2])
    if len(z) > n:
        generator.next_normal = float(z[n])
    return z[:n]


_TURN = 2.0 * math.pi


def _few_normals(words: list[int]) -> list[float]:
    """Normal numbers of four words each pair: two uniform ones of 53 bits, as `uniform53` makes them of many words."""
    found: list[float] = []
    sqrt, log1p, cos, sin = math.sqrt, math.log1p, math.cos, math.sin
    word = iter(words)
    for a, b, c, d in zip(word, word, word, word, strict=True):  # floats hold the 53 bits, and are faster than ints
        radius = sqrt(-2.0 * log1p(((c & 0x1FFFFF) * 2.0**32 + d) * -(2.0**-53)))
        angle = _TURN * (((a & 0x1FFFFF) * 2.0**32 + b) * 2.0**-53)
        found += (radius * cos(angle), radius * sin(angle))
    return found


def _blocks64(u: Array, mean: float, std: float) -> Array:
    """Box–Muller on blocks, float64: (k, 2, 8) uniform -> (k, 2, 8) normal."""
    z = np.empty_like(u)
    radius = np.sqrt(-2.0 * np.log(1.0 - u[:, 0]))
    angle = (2.0 * math.pi) * u[:, 1]
    z[:, 0] = fma64(radius * np.cos(angle), std, mean)
    z[:, 1] = fma64(radius * np.sin(angle), std, mean)
    return z


def _blocks32(u: Array, mean: float, std: float) -> Array:
    """Box–Muller on blocks, float32: (k, 2, 8) uniform -> (k, 2, 8) normal."""
    z = np.empty_like(u)
    scale, shift = _wide(std)[0], _wide(mean)[0]
    for start in range(0, len(u), _ROWS):
        waves = _standard32(u[start : start + _ROWS].reshape(-1, 16))
        z[start : start + _ROWS] = fma32(waves.astype(_FLOAT64), scale, shift).reshape(-1, 2, 8)
    return z


def _standard32(u: Array) -> Array:
    """Box–Muller without mean and deviation: (k, 16) uniform -> (k, 16) normal."""
    radius = _log32(_ONE - u[:, :8])
    radius *= _MINUS_TWO
    np.sqrt(radius, out=radius)
    waves = _cossin32(u[:, 8:] * _TWO_PI)
    waves *= radius
    return waves.transpose(1, 0, 2).reshape(-1, 16)


def _narrow(value: float) -> Array:
    return np.array(value, np.float32)


def _wide(*values: float) -> tuple[Array, ...]:
    """The float32 nearest to each, as float64."""
    return tuple(np.array(np.float32(v), np.float64) for v in values)


_FLOAT32, _FLOAT64, _INT32 = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int32)
# Constants are 0-d arrays: with short arrays NumPy is twice as slow on Python or NumPy scalars.
_ZERO, _ONE, _HALF, _MINUS_HALF, _MINUS_TWO = _narrow(0.0), _narrow(1.0), _narrow(0.5), _narrow(-0.5), _narrow(-2.0)
_NOUGHT = np.array(0.0)
_TWO_PI, _FOUR_OVER_PI, _SQRT_HALF = _narrow(2.0 * math.pi), _narrow(1.27323954473516), _narrow(0.707106781186547524)
_LN2_HIGH, _LN2_LOW = _narrow(0.693359375), _narrow(-2.12194440e-4)
_QUARTER_PI_HIGH, _QUARTER_PI_MIDDLE = _narrow(-0.78515625), _narrow(-2.4187564849853515625e-4)
_QUARTER_PI_LOW = _wide(-3.77489497744594108e-8)[0]
_LOG = _wide(
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
# Cosine and sine go through one polynomial, along a first axis of 2.
_WAVE = tuple(
    np.array(pair).reshape(2, 1, 1)
    for pair in zip(
        _wide(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2),
        _wide(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1),
        strict=True,
    )
)
_I1, _I2, _EVEN, _MANTISSA = (np.array(v, _INT32) for v in (1, 2, -2, 23))
_TO_SIGN, _TO_TOP, _SPREAD, _SIGN, _HALF_TURN = (np.array(v, _INT32) for v in (29, 30, 31, -(2**31), 2**30))
_BITS_OF_SQRT_HALF = _SQRT_HALF.view(_INT32)


def _log32(x: Array) -> Array:
    """log of positive float32 numbers: x = m * 2**e with m from √½ to √2, then a polynomial in m - 1."""
    bits = x.view(_INT32)
    power = bits - _BITS_OF_SQRT_HALF
    power >>= _MANTISSA
    e = power.astype(_FLOAT32)
    power <<= _MANTISSA
    x = np.subtract(bits, power, out=power).view(_FLOAT32)
    x -= _ONE
    z = x * x
    wide = x.astype(_FLOAT64)
    work = wide * _LOG[0]
    work += _LOG[1]
    y = work.astype(_FLOAT32)  # rounded once, as a fused step: see fma32
    for coefficient in _LOG[2:]:
        work[...] = y
        work *= wide
        work += coefficient
        y[...] = work
    y *= x
    wide[...] = y
    work[...] = z
    work *= wide
    wide[...] = e * _LN2_LOW
    work += wide
    y[...] = work
    z *= _HALF
    y -= z  # exact products from here on, so plain operations round once too
    x += y
    e *= _LN2_HIGH
    x += e
    return x


def _cossin32(x: Array) -> Array:
    """Cosine and sine of float32 angles in [0, 2π], stacked on a new first axis: octants, then one polynomial each."""
    octant = (x * _FOUR_OVER_PI).astype(_INT32)
    octant += _I1
    octant &= _EVEN
    y = octant.astype(_FLOAT32)
    x = x + y * _QUARTER_PI_HIGH
    x += y * _QUARTER_PI_MIDDLE
    work = y.astype(_FLOAT64)
    work *= _QUARTER_PI_LOW
    work += x.astype(_FLOAT64)
    x = work.astype(_FLOAT32)
    z = x * x
    wide = z.astype(_FLOAT64)
    both = wide * _WAVE[0]
    both += _WAVE[1]
    both = both.astype(_FLOAT32).astype(_FLOAT64)
    both *= wide
    both += _WAVE[2]
    waves = both.astype(_FLOAT32)
    waves *= z
    both = waves.astype(_FLOAT64)
    both[0] *= wide
    both[0] += (z * _MINUS_HALF).astype(_FLOAT64)
    wide = x.astype(_FLOAT64)
    both[1] *= wide
    both[1] += wide
    waves = both.astype(_FLOAT32)
    waves[0] += _ONE
    # In every other quarter the two change places, and each is negative in a half: on the bits, without branches.
    bits = waves.view(_INT32)
    differ = bits[0] ^ bits[1]
    differ &= (octant << _TO_TOP) >> _SPREAD
    bits ^= differ
    octant <<= _TO_SIGN
    bits[1] ^= octant & _SIGN
    octant += _HALF_TURN
    bits[0] ^= octant & _SIGN
    return waves
