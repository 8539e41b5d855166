"""Memory that nothing has been written to yet, as `torch.empty` gives it.

It is of zeros here. Where deterministic algorithms are asked for, it is filled with what PyTorch fills it with: NaN,
the largest integer, True, so that a program that reads it is found out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime.deterministic import fills_uninitialized
from ..runtime.modes import out_of_memory

__all__ = ["fill_if_deterministic", "uninitialized"]


def uninitialized(shape: int | tuple[int, ...], numpy: np.dtype[Any]) -> np.ndarray:
    """A new array that nothing has been written to."""
    try:
        array = np.zeros(shape, numpy)
    except MemoryError as error:
        raise out_of_memory(error) from None
    fill_if_deterministic(array)
    return array


def fill_if_deterministic(array: np.ndarray) -> bool:
    """Mark memory as not written to, if deterministic algorithms are asked for. Returns whether it did."""
    if not array.size or not fills_uninitialized():
        return False
    kind = array.dtype.kind
    if kind in "iu":
        array[...] = np.iinfo(array.dtype).max
    else:
        array[...] = True if kind == "b" else np.nan
    return True
