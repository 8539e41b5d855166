"""The Tensor of a view and its Node, made the short way."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.graph.node import NO_EDGE, sequence
from ...core.memory.versions import UNSHARED
from ...core.recording.record import finish
from ...core.recording.views import share
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
    if FLAGS.unusual:
        local = LOCAL.state
        record = local.record
        t = share(input, r, None, creation if record else "inference" if local.inference else "no_grad")
        if edge is NO_EDGE or not record or r.dtype.kind not in "fcV":
            return t
    else:
        t = _new(Tensor)
        t._array = r
        t._edge = t._grad = t._meta = None
        version = input._counter
        if version is UNSHARED:
            version = input._counter = [0]
        t._counter = version
        t._storage = input._storage
        if version is INFERENCE:
            t._edge = NO_EDGE
            t._view = None
            return t
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
        if edge is NO_EDGE or r.dtype.kind not in "fcV":
            return t
    node = _new(op.node_class)
    node._seq = sequence()
    node.next_functions = (edge,)
    node.hooks = None
    node._extra = None
    node.shape = r.shape
    node.dtype = r.dtype
    node.saved = saved
    if FLAGS.unusual and not LOCAL.state.plain:
        finish(node, LOCAL.state)
    if t._view is not None:
        t._view.edge = (node, 0)
    return t
