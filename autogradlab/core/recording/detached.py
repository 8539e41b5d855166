"""Tensors that `detach_()` cut off from their history: Nodes that saved one of them before cannot use it any more.

A Node saves the tensor of an input itself, and finds its history by it. Where that history was there when the tensor
was saved and is gone now, PyTorch refuses to unpack it. (An output is saved without its tensor, a packed one with its
edge: neither is concerned.)
"""

from __future__ import annotations

import weakref
from functools import partial

from ..graph.node import Node, sequence
from ..graph.slices import CopySlices
from ..runtime import errors
from ..tensor.edges import made_by
from ..tensor.tensor import Tensor

__all__ = ["DETACHED", "note_detached", "refuse_detached"]

#: the living tensors that were results and were detached in place, by their ids, each with a number: Nodes that were
#: made before have lower ones
DETACHED: dict[int, tuple[weakref.ref[Tensor], int]] = {}


def note_detached(t: Tensor) -> None:
    """Note that a result loses its history now."""
    key = id(t)
    DETACHED[key] = (weakref.ref(t, partial(DETACHED.pop, key)), sequence())  # partial: see `fix` of storages


def refuse_detached(node: Node) -> None:
    """Raise if the Node of an operation saved an input that has lost its history since."""
    of = node.fn if isinstance(node, CopySlices) else node
    if of is None or of.user_code or not of.saved:
        return
    for item in of.saved:
        for t in item if type(item) is list else (item,):
            known = DETACHED.get(id(t))
            if known is not None and of._seq < known[1] and made_by(t) is None and _has_results(of):
                raise RuntimeError(errors.SAVED_DETACHED)


def _has_results(node: Node) -> bool:
    """Whether an input was the result of an operation; for leaves there is nothing to check."""
    return any(before is not None and not before.accumulates for before, _ in node.next_functions)
