"""Arrays in another dtype, as C casts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime.warn import warn_once

__all__ = ["HALF_INFINITE", "HALF_MAGNITUDE", "cast_array", "real_with_warning", "warn_cast", "widened"]

_SINGLE = np.dtype(np.float32)
#: from how many elements on float16 is widened by its bits
_MANY = 1 << 10
#: the bits of float16 without its sign, and those of inf, beyond which are those of NaN
HALF_MAGNITUDE, HALF_INFINITE = np.int16(0x7FFF), 0x7C00
#: the bits of float16, 13 places further up in float32; and what its exponents then lack
_PLACES, _LACKING = np.int32(-0x70002000), np.float32(2.0**112)


def widened(x: Any) -> Any:
    """Numbers of a half type as float32: `x.astype(np.float32)`, many of float16 in a third of its time.

    >>> widened(np.array([1.5, -2.0], np.float16))
    array([ 1.5, -2. ], dtype=float32)
    """
    if type(x) is not np.ndarray or x.size < _MANY or x.dtype.char != "e":
        return x.astype(_SINGLE)
    bits = x.view(np.int16)
    if np.maximum.reduce(bits & HALF_MAGNITUDE, None) >= HALF_INFINITE:
        return x.astype(_SINGLE)
    wide = bits.astype(np.int32)
    wide *= 1 << 13
    wide &= _PLACES
    found = wide.view(_SINGLE)
    found *= _LACKING
    return found


def cast_array(x: np.ndarray, numpy: Any) -> np.ndarray:
    """astype with C's casts: complex to real drops the imaginary part without a warning."""
    if x.dtype.kind == "c" and numpy.kind != "c" and numpy.kind != "b":
        x = x.real
    if x.dtype.kind in "fV" and numpy.kind in "iu":
        return _float_to_int(x, numpy)
    return widened(x) if numpy is _SINGLE and x.dtype.char == "e" else x.astype(numpy)


def _float_to_int(x: np.ndarray, numpy: Any) -> np.ndarray:
    wide = x.astype(np.float64) if x.dtype.kind == "V" else x
    if numpy.itemsize == 8:
        return wide.astype(numpy)
    return wide.astype(np.int64 if numpy == np.uint32 else np.int32).astype(numpy, copy=False)


def real_with_warning(x: np.ndarray, numpy: Any) -> np.ndarray:
    """The real part, with PyTorch's warning, where complex values are about to be cast to a dtype that is not."""
    if x.dtype.kind != "c" or numpy.kind in "cb":
        return x
    if x.size:
        warn_cast(x.dtype, numpy)
    return x.real


def warn_cast(found: Any, numpy: Any) -> bool:
    """Warn as PyTorch does where the cast of one dtype to the other drops imaginary parts; whether it does."""
    drops: bool = found.kind == "c" and numpy.kind not in "cb"
    if drops:
        warn_once("Casting complex values to real discards the imaginary part", at="aten/src/ATen/native/Copy.cpp:307")
    return drops
