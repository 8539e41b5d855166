"""Arrays in another dtype, as C casts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime.warn import warn_once

__all__ = ["cast_array", "real_with_warning", "warn_cast"]


def cast_array(x: np.ndarray, numpy: Any) -> np.ndarray:
    """astype with C's casts: complex to real drops the imaginary part without a warning."""
    if x.dtype.kind == "c" and numpy.kind != "c" and numpy.kind != "b":
        x = x.real
    if x.dtype.kind in "fV" and numpy.kind in "iu":
        return _float_to_int(x, numpy)
    return x.astype(numpy)


def _float_to_int(x: np.ndarray, numpy: Any) -> np.ndarray:
    wide = x.astype(np.float64) if x.dtype.kind == "V" else x
    if numpy.itemsize == 8:
        return wide.astype(numpy)
    return wide.astype(np.int64 if numpy == np.uint32 else np.int32).astype(numpy)


def real_with_warning(x: np.ndarray, numpy: Any) -> np.ndarray:
    """The real part, with PyTorch's warning, where complex values are about to be cast to a dtype that is not."""
    if x.dtype.kind != "c" or not x.size or not warn_cast(x.dtype, numpy):
        return x
    return x.real


def warn_cast(found: Any, numpy: Any) -> bool:
    """Warn as PyTorch does where the cast of one dtype to the other drops imaginary parts; whether it does."""
    drops: bool = found.kind == "c" and numpy.kind not in "cb"
    if drops:
        warn_once("Casting complex values to real discards the imaginary part", at="aten/src/ATen/native/Copy.cpp:307")
    return drops
