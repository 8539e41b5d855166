"""The text of a tensor as PyTorch's compiled part prints it, in messages that hold a whole tensor."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..memory.casting import real_with_warning
from ..types.dtypes import tensor_type

_WIDTH = 80


def cxx_text(array: Any) -> str:
    """A matrix, or the matrices of a tensor of more dimensions, and its type and sizes. Real numbers only.

    >>> print(cxx_text(np.array([[1.0, 2.5]])))
     1.0000  2.5000
    [ torch.DoubleTensor{1,2} ]
    """
    values = real_with_warning(np.asarray(array), np.dtype(np.float64)).astype(np.float64)
    if values.size == 0:
        text = ""
    elif values.ndim == 2:
        text = _matrix(values, 0)
    else:
        text = "\n".join(_pages(values))
    return f"{text}[ {tensor_type(array)}{{{','.join(map(str, array.shape))}}} ]"


def _pages(values: Any) -> Iterator[str]:
    """The matrices of the last two dimensions; the first number counts fastest."""
    for place in itertools.product(*(range(n) for n in values.shape[-3::-1])):
        page = place[::-1]
        yield f"({','.join(str(i + 1) for i in page)},.,.) = \n{_matrix(values[page], 1)}"


def _format(values: Any) -> tuple[float, int, Callable[[float], str]]:
    """A factor before the whole, the width of a column, and the text of a number."""
    finite = np.abs(values[np.isfinite(values)])
    whole = bool((finite == np.floor(finite)).all())
    low, high = (
        (math.floor(math.log10(x)) + 1 if x else 1) for x in ((finite.min(), finite.max()) if finite.size else (1, 1))
    )
    if whole and high <= 9:
        return 1.0, high + 1, lambda x: f"{x:g}"
    if whole or high - low > 4:
        wide = not whole and (abs(high) > 99 or abs(low) > 99)
        return 1.0, 11 + wide, lambda x: f"{x:.4e}"
    if high > 5 or high < 0:
        return 10.0 ** (high - 1), 7, lambda x: f"{x:.4f}"
    return 1.0, 7 if high == 0 else high + 6, lambda x: f"{x:.4f}"


def _matrix(values: Any, indent: int) -> str:
    """Rows of columns of one width; where a line has no room for all columns, the matrix comes in parts."""
    scale, width, text = _format(values)
    columns = values.shape[1]
    room = (_WIDTH - indent) // (width + 1)
    margin = " " * indent
    parts = []
    for first in range(0, columns, room):
        last = min(first + room, columns)
        head = f"Columns {first + 1} to {last}{margin}" if room < columns else ""
        if scale != 1:
            head += f"{scale:g} *\n{margin}"
        lines = (" ".join(f"{text(x / scale):>{width}}" for x in row[first:last]) for row in values)
        between = f"\n{margin} " if scale != 1 else f"\n{margin}"
        parts.append(head + between.join(lines) + "\n")
    return "\n".join(parts)
