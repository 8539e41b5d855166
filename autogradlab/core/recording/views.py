"""Views and in-place operations: what may be changed, how history is rebased, CopySlices and the edge of a stale view."""

from __future__ import annotations

import numpy as np

from ..graph.node import NO_EDGE, Edge, Node
from ..graph.slices import CopySlices
from ..memory.versions import INFERENCE, counter
from ..runtime import errors
from ..tensor.edges import ViewMeta, gradient_edge, move_retained, refuse_view, regenerate, requires_grad
from ..tensor.tensor import Tensor

__all__ = ["check_inplace", "rebase", "share"]

_new = object.__new__


def share(source: Tensor, array: np.ndarray, edge: Edge | None, creation: str | None = None) -> Tensor:
    """A differentiable view of `source` over `array`: shared memory, version and base. `edge` None: nothing recorded."""
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


def check_inplace(t: Tensor) -> None:
    """Raise if `t`, which is about to be changed in place while some operand requires grad, must not be."""
    view = t._view
    if view is not None:
        if view.creation is not None:
            refuse_view(view)
        if requires_grad(t) and view.base.is_leaf:
            raise RuntimeError(errors.LEAF_VIEW_INPLACE)
    if requires_grad(t) and t.grad_fn is None:
        raise RuntimeError(errors.LEAF_INPLACE)


def rebase(t: Tensor, node: Node) -> None:
    """Make `node` the origin of `t` after an in-place operation; for a view, its base gets a CopySlices."""
    view = t._view
    if view is None:
        move_retained(t._edge, node, 0)
        t._edge = (node, 0)
        return
    base = view.base
    copy = CopySlices(base._array, gradient_edge(base), t._array, node)
    if base._view is None:
        move_retained(base._edge, copy, 0)
        base._edge = (copy, 0)
    view.edge = view.edge or NO_EDGE
    view.version = -1
    regenerate(t, view)
