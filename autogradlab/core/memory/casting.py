"""Arrays in another dtype, as C casts."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["cast_array"]


def cast_array(x: np.ndarray, numpy: Any) -> np.ndarray:
    """astype with C's casts: complex to real drops the imaginary part without a warning."""
    if x.dtype.kind == "c" and numpy.kind != "c" and numpy.kind != "b":
        x = x.real
    if x.dtype.kind in "fV" and numpy.kind in "iu":
        return _float_to_int(x, numpy)
    return x.astype(numpy)


def _float_to_int(x: np.ndarray, numpy: Any) -> np.ndarray:
    wide = x.astype(np.float64) if x.dtype.kind == "V" else x
    return wide.astype(np.int64).astype(numpy) if numpy.itemsize < 8 else wide.astype(numpy)
