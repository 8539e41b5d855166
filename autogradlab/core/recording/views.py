"""Views: Tensors that share the memory, the version and the base of another."""

from __future__ import annotations

import numpy as np

from ..graph.node import NO_EDGE, Edge
from ..memory.versions import INFERENCE, counter
from ..tensor.edges import ViewMeta
from ..tensor.tensor import Tensor, wrap

__all__ = ["share", "shown"]

_new = object.__new__


def share(source: Tensor, array: np.ndarray, edge: Edge | None, creation: str | None = None) -> Tensor:
    """A differentiable view of `source` over `array`: shared memory, version and base. `edge` None:
    nothing recorded."""
    t = _new(Tensor)
    t._array = array
    t._edge = None
    t._counter = version = counter(source)
    t._grad = t._meta = None
    t._storage = source._storage
    parent = source._view
    if version is INFERENCE:
        t._edge = NO_EDGE
        t._view = None
    else:
        if parent is None:
            base = source
        else:
            base = parent.base
            creation = creation or parent.creation
        t._view = ViewMeta(base, edge, version[0], creation)
    return t


def shown(array: np.ndarray) -> Tensor:
    """The tensor of an array that formulas made: a view, if they took it as a part of other memory."""
    base = array.base
    return share(wrap(base), array, None) if type(base) is np.ndarray else wrap(array)
