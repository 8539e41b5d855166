"""One Node by itself: what it makes of gradients, as in a pass of the engine, but no hook fires and nothing is freed.

Inspectors ask this of Nodes inside of a vmap too: there the gradients of all rows are one plain tensor, which counts
the rows along a dimension in front for each level, the outermost first, as the tensors of PyTorch's Nodes do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph.backend import TENSORS
from ..graph.node import Node, pair
from ..memory.rows import Rows, RowShape, levels_of
from ..runtime import modes
from ..tensor.tensor import Tensor, wrap
from .validate import validate

__all__ = ["alone"]


def alone(node: Node, grads: Sequence[Tensor | None]) -> tuple[Tensor | None, ...]:
    """What each edge of a Node brings to the Node that programs see behind it, in the shape and dtype that this takes.

    grads: one for each output of the forward, or None.
    """
    shapes = node.shape if node.multi else (node.shape,)
    given = [g if g is None else _rows(g, levels_of(shape)) for g, shape in zip(grads, shapes, strict=True)]
    local = modes.current()
    before, local.passing = local.passing, True
    try:
        outs = validate(node, node.run_recorded(given if node.multi else given[0], TENSORS))
        return tuple([None if g is None else _followed(g, *pair(e)) for g, e in zip(outs, node._edges, strict=True)])
    finally:
        local.passing = before


def _followed(g: Tensor, node: Node | None, number: int) -> Tensor | None:
    """A gradient behind the hidden Nodes that lead into a vmap and out of it, as a plain tensor."""
    while node is not None and node.hidden:
        (g,) = validate(node, node.run_recorded(g, TENSORS))
        node, number = pair(node._edges[0])
    return None if node is None else _plain(g, node.shape[number] if node.multi else node.shape)


def _rows(g: Tensor, levels: tuple[int, ...]) -> Tensor:
    rows: Any = Rows(g._array, levels)
    return wrap(rows) if levels else g


def _plain(g: Tensor, shape: Any) -> Tensor:
    """All rows of what a Node takes, those too that share one gradient."""
    if type(shape) is not RowShape:
        return g
    array: Any = g._array
    every = array.beside(array.ndim, shape.levels) if type(array) is Rows else array[(None,) * len(shape.levels)]
    return wrap(np.array(np.broadcast_to(every, (*shape.lanes, *shape))))
