"""Views: Tensors that share the memory, the version and the base of another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..graph.node import NO_EDGE, Edge
from ..memory.rows import Rows
from ..memory.versions import INFERENCE, UNSHARED
from ..runtime import modes
from ..tensor.edges import ViewMeta
from ..tensor.tensor import Tensor, counter, requires_grad, wrap, wrap_result

__all__ = ["beneath", "passed_on", "share", "shown", "with_history"]

_new = object.__new__


def beneath(source: Tensor, array: np.ndarray) -> Tensor:
    """What `share` is below autograd: a tensor over shared memory that is no view."""
    t = wrap(array)
    t._storage = source._storage
    t._counter = counter(source)
    return t


def share(source: Tensor, array: np.ndarray, edge: Edge | None, creation: str | None = None) -> Tensor:
    """A differentiable view of `source` over `array`: shared memory, version and base. `edge` None:
    nothing recorded."""
    t = _new(Tensor)
    t._array = array
    t._grad = t._meta = None
    t._storage = source._storage
    version = source._counter
    if version is UNSHARED:
        version = source._counter = [0]
    t._counter = version
    if type(version) is not list:
        t._counter = INFERENCE
        t._edge = NO_EDGE
        t._view = None
    else:
        t._edge = None
        t._view = meta = ViewMeta()
        meta.edge = edge
        meta.leaf = False
        meta.version = version[0]
        parent = source._view
        if parent is None:
            meta.base = source
            meta.creation = creation
        else:
            meta.base = parent.base
            meta.creation = creation or parent.creation
    return t


def with_history(grads: Sequence[Tensor | None]) -> tuple[Tensor, ...]:
    """The gradients given to a pass that require one themselves."""
    return tuple([g for g in grads if g is not None and requires_grad(g)])


def passed_on(array: np.ndarray, given: Sequence[Tensor]) -> Tensor | None:
    """The tensor of a gradient that a pass has passed on as it was given, or of a view of it, with its history; None of
    any other."""
    for t in given:
        x = t._array
        if array is x:
            return t
        base = array.base
        if base is not None and (base is x or base is x.base):
            return share(t, array, None, "no_grad")
    return None


def shown(array: np.ndarray) -> Tensor:
    """The tensor of an array that formulas made: a view, if they took it as a part of other memory."""
    if type(array) is not np.ndarray and isinstance(array, Rows):
        return wrap_result(array)
    given = modes.LOCAL.state.given
    if given and (known := passed_on(array, given)) is not None:
        return known
    base = array.base
    if type(base) is np.ndarray and not modes.FLAGS.inference:
        return share(wrap(base), array, None, "no_grad")
    return wrap_result(array)
