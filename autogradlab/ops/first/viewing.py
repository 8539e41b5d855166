"""The Tensor of a view and its Node, made the short way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arguments.params import OTHER_NAMES
from ...core.graph.node import NO_EDGE, sequence
from ...core.memory.versions import UNSHARED
from ...core.recording.record import finish
from ...core.recording.views import share
from ...core.runtime.modes import FLAGS, LOCAL
from ...core.tensor.tensor import INFERENCE, Tensor, ViewMeta, gradient_edge
from ..table.families import FUNCTIONS, attach, operation
from ..table.opdef import Op
from ..table.signatures import explain

__all__ = ["guard", "one_list", "view_of"]

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


def guard(names: str) -> None:
    """Give operations PyTorch's TypeErrors for arguments that Python itself refuses (a string for a dimension)."""
    for name in names.split():
        call = operation(name)
        if name in FUNCTIONS:
            FUNCTIONS[name] = _guarded(FUNCTIONS[name], name, "torch")
        if hasattr(Tensor, name):
            attach(name, _guarded(call, name, "Tensor"))


def one_list(name: str) -> None:
    """Let a function take its sizes or dimensions as one tuple or list only, where its method takes them one by one."""
    call = FUNCTIONS[name]

    def function(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != 2 or not isinstance(args[1], (tuple, list)):
            misfit(name, args, kwargs, "torch")
        return call(*args, **kwargs)

    _dress(function, call, name)
    FUNCTIONS[name] = function


def _dress(made: Any, call: Any, name: str) -> None:
    made.__name__ = made.__qualname__ = name
    made.__module__ = "torch"
    made.__doc__ = call.__doc__
    made.__wrapped__ = getattr(call, "__wrapped__", call)


def _guarded(call: Callable[..., Any], name: str, space: str) -> Callable[..., Any]:
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            return call(*args, **kwargs)
        except (TypeError, AttributeError):
            misfit(name, args, kwargs, space)
            if not kwargs.keys() & OTHER_NAMES.keys():
                raise
        return call(*args, **{OTHER_NAMES.get(key, key): value for key, value in kwargs.items()})

    _dress(guarded, call, name)
    return guarded


def misfit(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], space: str) -> None:
    """Raise PyTorch's TypeError if the arguments do not fit one of its signatures."""
    if name.endswith("_"):  # in-place forms are methods
        space = "Tensor"
    explain(name, args[1:] if space == "Tensor" else args, kwargs, space)
