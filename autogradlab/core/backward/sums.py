"""Sums of gradients that meet at a Node."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.node import Node
from ..runtime import modes
from ..runtime.modes import QUIET

__all__ = ["SMALL", "add", "plus"]

_ndarray = np.ndarray
_add_arrays = np.add
SMALL = 1024  # below it a new array costs less than the care for an old one


def plus(a: Any, b: Any, own_a: bool = False, own_b: bool = False) -> Any:
    """The sum of two gradients of one tensor, quietly: in the memory of one that is our own,
    else a new array or Tensor."""
    if type(a) is not _ndarray:
        return a + b
    out = a if own_a else b if own_b else None
    if out is None or out.size < SMALL:
        args: tuple[Any, ...] = (a, b)
    else:
        args = (a, b, out)
    try:
        total = QUIET(_add_arrays, *args)
    except RuntimeError:
        total = modes.quiet(_add_arrays, *args)
    return total if type(total) is _ndarray else np.asarray(total)


def add(buffers: dict[Node, Any], node: Node, nr: int, g: Any) -> None:
    """Add a gradient to what a Node that is not ready has received."""
    if node.multi:
        slots = buffers.get(node)
        if slots is None:
            slots = buffers[node] = [None] * len(node.shape)
        slots[nr] = g if slots[nr] is None else plus(slots[nr], g)
    else:
        before = buffers.get(node)
        buffers[node] = g if before is None else plus(before, g)
