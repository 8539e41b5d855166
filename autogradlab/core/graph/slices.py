"""The Nodes of views in memory: a view taken by its strides,
and an in-place operation on a view as its base sees it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..memory.lazy import read_as
from ..memory.overlap import check_apart
from ..memory.strided import geometries, laid_out, parts, strided_backward, turned, whole
from ..runtime import errors, modes
from .node import Edge, Node, leads, node_class, sequence

__all__ = ["AsStridedBackward0", "ConjBackward0", "CopySlices", "NegViewBackward0", "WITHIN"]


def split(t: Any, complex_alone: bool, F: Any) -> Any:
    """A complex gradient as its real and imaginary parts, where only one of base and view is complex."""
    return F.view_as_real(F.resolve_conj(t)) if complex_alone else t


def joined(t: Any, complex_alone: bool, F: Any) -> Any:
    """The inverse of `split`: the complex gradient made from its parts."""
    return F.view_as_complex(F.contiguous(t)) if complex_alone else t


class _AsStrided(Node):
    """A view taken of a base by shape, strides and offset; geometry is nothing that backward frees."""

    __slots__ = ()
    simple = True
    special = False
    writes = (1,)

    def run(self, grad: Any, F: Any) -> tuple[Any, ...]:
        if grad is None:
            return (None,)
        base, view, alone = self.saved
        if not alone:
            return (strided_backward(grad, base, view),)
        found = strided_backward(parts(grad), base, view)
        return (whole(found) if alone == "base" else found,)

    def run_recorded(self, grad: Any, F: Any) -> tuple[Any, ...]:
        if grad is None:
            return (None,)
        base, view, alone = self.saved
        found = F.as_strided_backward(split(grad, alone == "view", F), base, view)
        return (joined(found, alone == "base", F),)

    def release(self) -> None:
        """Geometry is not a saved tensor: the Node can run again."""

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "_saved_size", "_saved_storage_offset", "_saved_stride"]

    @property
    def _saved_size(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = self.shape
        return shape

    @property
    def _saved_stride(self) -> tuple[int, ...]:
        _, view, alone = self.saved
        strides: tuple[int, ...] = view.strides
        return tuple(s // 2 for s in strides[:-1]) if alone == "view" else strides

    @property
    def _saved_storage_offset(self) -> int:
        _, view, alone = self.saved
        offset: int = view.offset
        return offset // 2 if alone == "view" else offset


AsStridedBackward0 = node_class("AsStridedBackward0", _AsStrided, views=True)


class _Turned(Node):
    """A view with the conjugate bit or the negative bit."""

    __slots__ = ()
    simple = True
    special = False
    #: which of the bits
    turns: tuple[bool, bool]

    def run(self, grad: Any, F: Any) -> tuple[Any, ...]:
        return (None if grad is None else read_as(grad, *self.turns),)

    def run_recorded(self, grad: Any, F: Any) -> tuple[Any, ...]:
        if grad is None:
            return (None,)
        return (F.conj(grad) if self.turns[0] else -grad,)

    def release(self) -> None:
        """It saves nothing."""


ConjBackward0 = node_class("ConjBackward0", _Turned, turns=(True, False))
NegViewBackward0 = node_class("NegViewBackward0", _Turned, turns=(False, True))


class CopySlices(Node):
    """What an in-place operation `fn` on a view means for the base: the rest of the gradient passes by unchanged."""

    __slots__ = ("alone", "base", "fn", "turned", "user_code", "view", "writes")
    __module__ = "builtins"

    frees = keeps = True

    def __init__(self, base: np.ndarray, edge: Edge, view: np.ndarray, fn: Node) -> None:
        self._seq = sequence()
        self.hooks = None
        self.saved = ()
        self.base, self.view, self.alone = geometries(base, view)
        self.turned = turned(base, view)
        self.fn: Node | None = fn
        self.user_code = fn.user_code
        self.shape = base.shape
        self.dtype = base.dtype
        self._edges = (edge, *fn._edges[1:])
        #: known when it has run, as that of a Function is: the gradient of the base is a copy, into which that of the
        #: view is written
        self.writes: tuple[int, ...] | None = None

    def name(self) -> str:
        """The Node's name in PyTorch."""
        return "torch::autograd::CopySlices"

    @property
    def simple(self) -> bool:  # type: ignore[override]
        """Whether neither the operation nor hooks on what it saved run code of the user."""
        fn = self.fn
        return fn is None or (fn.simple and fn.hooks is None)

    def _first_edge_of_fn(self, fn: Node) -> None:
        """`fn` asks its own edges whether a gradient is wanted; for the base that is this Node's first."""
        if fn._edges[0] != self._edges[0]:
            fn._edges = self._edges

    def run(self, grad: Any, F: Any) -> tuple[Any, ...]:
        fn = self._fn()
        if grad is None:
            return (None,) * len(self._edges)
        if self.alone == "base":
            grad = parts(grad)
        copy, place = laid_out(grad, self.base, self.view)
        check_apart(place)  # as an expanded view is that was filled
        part = np.array(place, order="C")
        if self.alone == "view":
            part = whole(part)
        bits = self.turned
        outs = fn.run(part if bits is None else read_as(part, *bits), F)
        self.writes = (2, *((0,) * (len(outs) - 1) if fn.writes is None else fn.writes[1:]))
        first = np.zeros((), grad.dtype) if outs[0] is None else outs[0]
        if bits is not None:
            first = read_as(first, *bits)
        place[...] = parts(first) if self.alone == "view" else first
        return (None if not leads(self._edges[0]) else whole(copy) if self.alone == "base" else copy, *outs[1:])

    def run_recorded(self, grad: Any, F: Any) -> tuple[Any, ...]:
        fn = self._fn()
        if grad is None:
            return (None,) * len(self._edges)
        local = modes.LOCAL.state
        formula, local.formula = local.formula, True
        try:
            whole_grad, place = self._copied(grad, F)
        finally:
            local.formula = formula
        WITHIN[fn] = self
        try:
            outs = fn.run_recorded(F.clone(place, memory_format="contiguous"), F)
        finally:
            WITHIN.pop(fn, None)
        if outs[0] is None:
            F.zero_(place)
        else:
            F.copy_(place, outs[0])
        return (whole_grad if leads(self._edges[0]) else None, *outs[1:])

    def _copied(self, grad: Any, F: Any) -> tuple[Any, Any]:
        """The gradient in memory laid out like the base, and the place of the view in it, as PyTorch records them."""
        base, view = self.base, self.view
        shape, strides = base.shape, base.strides
        if self.alone == "base":
            shape, strides = shape[:-1], tuple(s // 2 for s in strides[:-1])
        copy = F.copy_(F.new_empty_strided(grad, shape, strides), grad)
        real = F.view_as_real(copy) if self.alone == "base" else copy
        place = F.as_strided(real, view.shape, view.strides, view.offset)
        if self.alone == "view":
            place = F.view_as_complex(place)
        conj, neg = self.turned or (False, False)
        if conj:
            place = F.conj(place)
        return copy, F._neg_view(place) if neg else place

    def _fn(self) -> Node:
        if self.fn is None:
            raise RuntimeError(errors.BACKWARD_TWICE)
        self._first_edge_of_fn(self.fn)
        return self.fn

    def release(self) -> None:
        self.fn = None


#: where operations in place on views lie while their formulas are recorded: an output that they have saved is a view of
#: what the CopySlices gives
WITHIN: dict[Node, CopySlices] = {}
