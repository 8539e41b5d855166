"""Functions of float32 that are right in the last digit, as PyTorch's are nearly everywhere and NumPy's often are not:
computed in float64 and rounded once. What has many elements takes NumPy's own, which are faster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
#: from more elements on NumPy's own float32 is taken
MANY = 1 << 13


def rounded(ufunc: np.ufunc) -> Callable[..., Any]:
    """The ufunc of one array; a second array is where the result goes.

    >>> rounded(np.sqrt)(np.array([4.0], np.float32))
    array([2.], dtype=float32)
    """

    def run(x: Any, out: Any = None) -> Any:
        if x.dtype is not _SINGLE or x.size > MANY:
            return ufunc(x) if out is None else ufunc(x, out)
        found = ufunc(x.astype(_DOUBLE))  # a cast by `dtype=` takes longer
        if out is None:
            return found.astype(_SINGLE)
        out[...] = found
        return out

    run.__name__ = ufunc.__name__
    return run


exp, expm1, log, log1p, tanh = map(rounded, (np.exp, np.expm1, np.log, np.log1p, np.tanh))


def _rounded_pair(ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    """The ufunc of two arrays.

    >>> _rounded_pair(np.arctan2)(np.array([0.0], np.float32), np.array([-1.0], np.float32))
    array([3.1415927], dtype=float32)
    >>> _rounded_pair(np.power)(np.array([4.0, 9.0], np.float32), np.array(1.5, np.float32))
    array([ 8., 27.], dtype=float32)
    """

    def run(x: Any, y: Any) -> Any:
        if x.dtype is not _SINGLE or x.size > MANY or y.dtype is not _SINGLE or y.size > MANY:
            return ufunc(x, y)
        return ufunc(x.astype(_DOUBLE), y.astype(_DOUBLE)).astype(_SINGLE)

    run.__name__ = ufunc.__name__
    return run


arctan2, power = map(_rounded_pair, (np.arctan2, np.power))
