"""Many gradients in one plain backward pass: the rows of a Jacobian, or a batch of grad_outputs.

They go through the graph together, as `Rows` (`core/memory/rows.py`). What a formula cannot do to all of them at once
is done row by row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.backend import RAW
from ..graph.node import Node
from ..memory.rows import Apart, Rows, each

__all__ = ["ONE_BY_ONE", "Apart", "Rows", "each", "run_rows"]

#: what tells that a formula is to be run row by row, where an error that it makes in earnest will come again
ONE_BY_ONE = (Apart, AttributeError, TypeError, ValueError)


def run_rows(node: Node, grad: Any, count: int, F: Any) -> tuple[Any, ...]:
    """What `node.run` gives, for `count` rows; `F` is the namespace on which formulas run with Rows."""
    try:
        outs = node.run(grad, F)
    except ONE_BY_ONE:
        outs = each(lambda g: tuple(node.run(g, RAW)), [grad])
    return tuple([g if g is None or type(g) is Rows else _repeated(g, count) for g in outs])


def _repeated(g: Any, count: int) -> Rows:
    """A gradient that is the same in every row."""
    array = np.asarray(g)
    return Rows(np.broadcast_to(array, (count, *array.shape)))
