"""Where the gradient of a tensor goes: the edges of results, leaves and views, and how a view refers to its base."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph.node import (
    NO_EDGE,
    AccumulateGrad,
    Edge,
    HookDict,
    LeafStart,
    Node,
    edge_to,
    leads,
    pair,
    sequence,
    short_name,
)
from ..graph.slices import WITHIN, AsStridedBackward0, ConjBackward0, NegViewBackward0
from ..memory.strided import Places, geometries, turned
from ..memory.versions import INFERENCE, of_inference
from ..runtime import errors, modes

if TYPE_CHECKING:
    from .tensor import Tensor

__all__ = [
    "DEAD_EDGE",
    "NO_REFERENCE",
    "WRAPPED",
    "NumberMeta",
    "TensorMeta",
    "ViewMeta",
    "gradient_edge",
    "known_edge",
    "operand_edge",
    "output_edge",
    "refuse_view",
    "regenerate",
    "requires_grad",
    "stored_edge",
    "view_edge",
    "was_leaf",
]


#: `TensorMeta.accumulate` while there is no AccumulateGrad: called, it gives None, as a dead weak reference does
NO_REFERENCE = type(None)


class TensorMeta:
    """What only some tensors have: hooks, an AccumulateGrad in use, a retained gradient."""

    __slots__ = ("accumulate", "grad_dtype", "hooks", "name", "post_accumulate", "retains")

    def __init__(self) -> None:
        #: gives the AccumulateGrad in use, if it lives
        self.accumulate: Callable[[], AccumulateGrad | None] = NO_REFERENCE
        self.hooks: HookDict | None = None
        self.post_accumulate: HookDict | None = None
        self.retains = False
        self.grad_dtype: Any = Ellipsis
        self.name: str | None = None

    def wanted(self, own: np.dtype[Any]) -> Any:
        """The NumPy dtype to which gradients of a leaf of dtype `own` are cast; None if they stay as they come."""
        value = self.grad_dtype
        return own if value is Ellipsis else None if value is None else value.numpy


class NumberMeta(TensorMeta):
    """On tensors that stand for a Python number: what is saved of them does not go through saved-tensor hooks."""

    __slots__ = ("shown",)

    def __init__(self, shown: Tensor | None = None) -> None:
        super().__init__()
        #: what users see of it on a Node: the number in its own dtype; None if the tensor itself
        self.shown = shown


#: on those that users see as they are
WRAPPED = NumberMeta()


class ViewMeta:
    """The state of a differentiable view: its base, its edge, and the version for which that edge is valid."""

    __slots__ = ("base", "creation", "edge", "leaf", "version")

    base: Tensor
    edge: Edge | None
    version: int
    #: None, or why in-place operations on it are refused: "no_grad", "inference", "multi_output", "custom"
    creation: str | None
    #: whether requires_grad_() was called on it
    leaf: bool


def requires_grad(t: Tensor) -> bool:
    """Whether `t` requires grad; a view does as soon as its base does."""
    edge = t._edge
    if edge is not None:
        return type(edge) is not tuple or edge[0] is not None  # `leads`, without the call
    view = t._view
    return view is None or view.leaf or (view.edge is not None and leads(view.edge)) or requires_grad(view.base)


#: the edge of a view made under no_grad of a tensor that requires grad: it counts as requiring grad, but leads nowhere
DEAD_EDGE: Edge = (*NO_EDGE,)


def operand_edge(t: Tensor, operands: Iterable[Any] = ()) -> Edge:
    """`gradient_edge` of an operand. Where all of them are tensors of inference mode, autograd does not see the
    operation. `operands`: tensors, lists of them, and what is no tensor."""
    if of_inference(t) and not any(map(_is_seen, operands)):
        return NO_EDGE
    return gradient_edge(t)


def _is_seen(value: Any) -> bool:
    if type(value) is list or type(value) is tuple:
        return any(map(_is_seen, value))
    return hasattr(value, "_counter") and not of_inference(value)


def known_edge(t: Tensor) -> Edge | None:
    """`gradient_edge` of what needs no second look: of a result, or of a leaf whose AccumulateGrad lives; else None."""
    edge = t._edge
    if edge is None and t._view is None and t._meta is not None and t._counter is not INFERENCE:
        accumulate = t._meta.accumulate  # a name of its own, since CPython takes what is called at once for a method
        edge = accumulate()
    return edge


def gradient_edge(t: Tensor) -> Edge:
    """Where the gradient of `t` goes; NO_EDGE itself if `t` requires none."""
    edge = t._edge
    if edge is not None:
        return edge
    view = t._view
    if view is not None:
        if view.version != t._counter[0] and (view.edge is not None or requires_grad(view.base)):
            regenerate(t, view)
        if view.edge is not None:
            return view.edge
        if not view.leaf:
            return DEAD_EDGE if requires_grad(view.base) else NO_EDGE
    # a leaf: the edge to its AccumulateGrad, the living one if there is one
    meta = t._meta
    if meta is None:
        meta = t._meta = TensorMeta()
    else:
        accumulate = meta.accumulate
        living = accumulate()
        if living is not None:
            return living
    node = AccumulateGrad.of(t)
    if meta.grad_dtype is not Ellipsis:
        node.dtype = meta.wanted(t._array.dtype)
    meta.accumulate = weakref.ref(node)
    return node


def made_by(t: Tensor) -> Node | None:
    """The Node that made a tensor; None for leaves."""
    edge = t._edge
    if edge is not None:
        return edge[0] if isinstance(edge, tuple) else edge
    view = t._view
    if view is None or not leads(gradient_edge(t)):
        return None
    return None if view.edge is None else pair(view.edge)[0]


def stored_edge(t: Tensor) -> Edge:
    """The edge that a tensor has. A view whose base has changed since is not looked at anew: it would get another edge,
    or be refused."""
    return (t._edge if t._view is None else t._view.edge) or NO_EDGE


def was_leaf(t: Tensor) -> bool:
    """Whether a tensor is a leaf by the edge that it has, if only of a functional transform."""
    edge = stored_edge(t)
    return not leads(edge) or type(edge) is LeafStart


def refuse_view(view: ViewMeta, indirect: bool = False) -> None:
    """Raise for a change of a view that its origin forbids; `indirect`: what changed is its base."""
    node, nr = pair(view.edge or NO_EDGE)
    what = "its base or another view of its base has been" if indirect else "is being"
    if node is not None and view.creation in ("multi_output", "custom"):
        start = f"Output {nr} of {short_name(node)} is a view and {what} modified inplace."
    else:
        start = "A view was" if node is None else f"Output {nr} of {short_name(node)} is a view of a view which was"
        start += errors.VIEW_INFERENCE if view.creation == "inference" else errors.VIEW_NO_GRAD
        start = start.format(what)
    raise RuntimeError(start + errors.VIEW_WHY[view.creation or ""])


def view_edge(
    base: np.ndarray, edge: Edge, view: np.ndarray, before: Edge | None, places: Places | None = None
) -> Node:
    """The Node of a view by its strides and bits, of a base whose gradient goes to `edge`.

    before: where the gradient of the view went until now; if it was to the Node of a bit, it will be again. places:
    their `geometries`, if they are known.
    """
    again = _again(edge, before)
    if again is not None:
        return again
    bits = turned(base, view)
    if bits is not None:
        last = pair(before or NO_EDGE)[0]
        moved = base.shape != view.shape or base.strides != view.strides
        if type(last).__name__ in _OF_BITS if last is not None else not moved:
            return _turned_edge(_strided_edge(base, edge, view, places) if moved else edge, view, bits)
        edge = _turned_edge(edge, base, bits)
    return _strided_edge(base, edge, view, places)


#: the Nodes of views whose dtype is not that of their base: no strides say what they do
_OF_DTYPES = ("ViewAsComplexBackward0", "ViewAsRealBackward0")


def _again(edge: Edge, before: Edge | None) -> Node | None:
    """The Nodes of views that led from a view to its base until now, for a base whose gradient goes to `edge`: where
    PyTorch makes the same views again instead of one by strides, if all of them are of other dtypes or it was told to
    track them. None otherwise."""
    node = pair(before or NO_EDGE)[0]
    replay = modes.LOCAL.state.view_replay
    if node is None or not (replay or type(node).__name__ in _OF_DTYPES):
        return None
    views = []
    while node is not None and node.views:
        if not (replay or type(node).__name__ in _OF_DTYPES):
            return None
        views.append(node)
        node = pair(node._edges[0])[0]
    made = None
    for old in reversed(views):
        made = type(old).__new__(type(old))
        made._seq, made._edges, made.hooks = sequence(), (edge,), None
        made.shape, made.dtype, made.saved = old.shape, old.dtype, old.saved
        edge = made
    return made


def _strided_edge(base: np.ndarray, edge: Edge, view: np.ndarray, places: Places | None) -> Node:
    node = AsStridedBackward0()
    node._edges = (edge,)
    node.shape = view.shape
    node.dtype = view.dtype
    node.saved = geometries(base, view) if places is None else places
    return node


def output_edge(node: Node, nr: int) -> Edge:
    """The edge of output number `nr` that a Node has saved, as its formulas see it."""
    slices = WITHIN.get(node)
    if slices is None:
        return edge_to(node, nr)
    part = AsStridedBackward0()
    part._edges = (slices if slices.turned is None else _turned_edge(slices, slices, slices.turned),)
    part.shape = node.shape
    part.dtype = node.dtype
    part.saved = slices.base, slices.view, slices.alone
    return part


#: the Nodes of views with the conjugate bit and the negative bit
_OF_BITS = {"ConjBackward0": ConjBackward0, "NegViewBackward0": NegViewBackward0}


def _turned_edge(edge: Edge, array: Any, bits: tuple[bool, bool]) -> Any:
    for made, bit in zip(_OF_BITS.values(), bits, strict=True):
        if bit:
            node = made()
            node._edges = (edge,)
            node.shape = array.shape
            node.dtype = array.dtype
            node.saved = ()
            edge = node
    return edge


def regenerate(t: Tensor, view: ViewMeta) -> None:
    """Give a view whose base was changed in place a new edge: a strided view of the base as it is now."""
    if view.creation is not None:
        refuse_view(view, indirect=True)
    base = view.base
    node = view_edge(base._array, gradient_edge(base), t._array, view.edge)
    old, nr = pair(view.edge or NO_EDGE)
    if old is not None and old.hooks is not None:  # a retained gradient belongs to the tensor
        kept = old.hooks.retain.pop(nr, None)
        if kept is not None:
            node._hooks().retain[0] = kept
    view.edge = node
    view.version = t._counter[0]
