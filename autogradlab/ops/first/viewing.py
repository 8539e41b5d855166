"""The Tensor of a view and its Node, made the short way."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.graph.node import NO_EDGE, sequence
from ...core.memory.versions import UNSHARED
from ...core.recording.record import finish
from ...core.runtime.modes import FLAGS, LOCAL
from ...core.tensor.tensor import INFERENCE, Tensor, ViewMeta, gradient_edge
from ..table.opdef import Op

__all__ = ["view_of"]

_new = object.__new__


def view_of(input: Tensor, r: np.ndarray, op: Op, saved: tuple[Any, ...], creation: str | None = None) -> Tensor:
    """The Tensor for a view `r` of `input`, and its Node with what `op.fields` names, if a gradient is wanted."""
    edge = input._edge
    if edge is None:
        edge = gradient_edge(input)
    recorded = edge is not NO_EDGE
    if FLAGS.unusual:
        local = LOCAL.state
        recorded &= local.record
        creation = creation if local.record else "inference" if local.inference else "no_grad"
    # unrolled: t = share(input, r, None, creation)
    t = _new(Tensor)
    t._array = r
    t._grad = t._meta = None
    t._storage = input._storage
    version = input._counter
    if version is UNSHARED:
        version = input._counter = [0]
    t._counter = version
    if version is INFERENCE:
        t._edge = NO_EDGE
        t._view = None
    else:
        t._edge = None
        t._view = meta = _new(ViewMeta)
        meta.edge = None
        meta.leaf = False
        meta.version = version[0]
        parent = input._view
        if parent is None:
            meta.base = input
            meta.creation = creation
        else:
            meta.base = parent.base
            meta.creation = creation or parent.creation
    # end
    if not recorded or t._counter is INFERENCE or r.dtype.kind not in "fcV":
        return t
    # unrolled: node = start_node(op.node_class, (edge,), r.shape, r.dtype, saved)
    node = _new(op.node_class)
    node._seq = sequence()
    node._edges = (edge,)
    node.hooks = None
    node.shape = r.shape
    node.dtype = r.dtype
    node.saved = saved
    # end
    if FLAGS.unusual and not LOCAL.state.plain:
        finish(node, LOCAL.state)
    if t._view is not None:
        t._view.edge = node
    return t
