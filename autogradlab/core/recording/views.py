"""Views and in-place operations: what may be changed, how history is rebased, CopySlices and the edge of a stale view."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..graph.node import NO_EDGE, UNSHARED, Edge, Node, node_class, sequence, short_name
from ..memory.storage import address
from ..runtime import errors, modes
from ..tensor.tensor import INFERENCE, Tensor, ViewMeta, counter, gradient_edge, requires_grad

__all__ = ["CopySlices", "bump", "check_inplace", "rebase", "regenerate", "share"]

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
            _refuse(view)
        if requires_grad(t) and view.base.is_leaf:
            raise RuntimeError(errors.LEAF_VIEW_INPLACE)
    if requires_grad(t) and t.grad_fn is None:
        raise RuntimeError(errors.LEAF_INPLACE)


def _refuse(view: ViewMeta, indirect: bool = False) -> None:
    """Raise for a change of a view that its origin forbids; `indirect`: what changed is its base."""
    node, nr = view.edge or NO_EDGE
    what = "its base or another view of its base has been" if indirect else "is being"
    if node is not None and view.creation in ("multi_output", "custom"):
        start = f"Output {nr} of {short_name(node)} is a view and {what} modified inplace."
    else:
        start = "A view was" if node is None else f"Output {nr} of {short_name(node)} is a view of a view which was"
        start += errors.VIEW_INFERENCE if view.creation == "inference" else errors.VIEW_NO_GRAD
        start = start.format(what)
    raise RuntimeError(start + errors.VIEW_WHY[view.creation or ""])


def bump(t: Tensor) -> None:
    """Count one in-place change."""
    version = t._counter
    if version is UNSHARED:
        t._counter = [1]
    elif version is not INFERENCE:
        version[0] += 1
    elif not modes.current().inference:
        raise RuntimeError(errors.INFERENCE_INPLACE)


def rebase(t: Tensor, node: Node) -> None:
    """Make `node` the origin of `t` after an in-place operation; for a view, its base gets a CopySlices."""
    view = t._view
    if view is None:
        _move_retained(t._edge, node, 0)
        t._edge = (node, 0)
        return
    base = view.base
    copy = CopySlices(base, t, node)
    if base._view is None:
        _move_retained(base._edge, copy, 0)
        base._edge = (copy, 0)
    view.edge = view.edge or NO_EDGE
    view.version = -1
    regenerate(t, view)


def _move_retained(old: Edge | None, new: Node, nr: int) -> None:
    """A retained gradient belongs to the tensor, so it follows; other hooks stay with the old Node."""
    if old is None or old[0] is None or old[0].hooks is None:
        return
    kept = old[0].hooks.retain.pop(old[1], None)
    if kept is not None:
        new._hooks().retain[nr] = kept


def regenerate(t: Tensor, view: ViewMeta) -> None:
    """Give a view whose base changed in place an edge again: a strided view of what the base is now."""
    if view.creation is not None:
        _refuse(view, indirect=True)
    base = view.base
    node = AsStridedBackward0()
    node.next_functions = (gradient_edge(base),)
    node.shape = t._array.shape
    node.dtype = t._array.dtype
    node.saved = geometries(base._array, t._array)
    old = view.edge
    view.edge = (node, 0)
    view.version = t._counter[0]
    _move_retained(old, node, 0)


class Geometry:
    """Where an array's elements lie, in elements from the start of a base array."""

    __slots__ = ("offset", "shape", "strides")

    def __init__(self, array: np.ndarray, base: np.ndarray | None = None) -> None:
        size = array.itemsize
        self.shape = array.shape
        self.strides = tuple(s // size for s in array.strides)
        self.offset = 0 if base is None else (address(array) - address(base)) // size

    def bounds(self) -> tuple[int, int]:
        """The lowest and the highest element touched, relative to the base's first."""
        low = high = self.offset
        for n, s in zip(self.shape, self.strides, strict=True):
            if n == 0:
                return self.offset, self.offset - 1
            if s < 0:
                low += (n - 1) * s
            else:
                high += (n - 1) * s
        return low, high

    def window(self, flat: np.ndarray, shift: int) -> np.ndarray:
        """This geometry laid over the flat array whose element `shift` is the base's first."""
        size = flat.itemsize
        return np.ndarray(
            self.shape, flat.dtype, flat, (self.offset + shift) * size, tuple(s * size for s in self.strides)
        )

    def overlaps(self) -> bool:
        """Whether two indices may mean one element."""
        dims = sorted((abs(s), n) for n, s in zip(self.shape, self.strides, strict=True) if n != 1)
        reach = 0
        for stride, n in dims:
            if stride <= reach:
                return True
            reach += stride * (n - 1)
        return False


def room(base: Geometry, view: Geometry) -> tuple[int, int]:
    """Size of a flat array that holds both geometries, and the place of the base's first element in it."""
    (low, high), (vlow, vhigh) = base.bounds(), view.bounds()
    low, high = min(low, vlow, 0), max(high, vhigh, 0)
    return high - low + 1, -low


def scatter_strided(base_grad: np.ndarray, part: np.ndarray, base: Geometry, view: Geometry) -> np.ndarray:
    """A copy of `base_grad` in which the elements of `view` are those of `part`."""
    flat, whole = _laid_out(base_grad, base, view)
    view.window(flat[0], flat[1])[...] = part
    return whole


def gather_strided(base_grad: np.ndarray, base: Geometry, view: Geometry) -> np.ndarray:
    """The elements of `view` in an array laid out as `base`."""
    flat, _ = _laid_out(base_grad, base, view)
    return view.window(*flat)


def _laid_out(values: np.ndarray, base: Geometry, view: Geometry) -> tuple[tuple[np.ndarray, int], np.ndarray]:
    size, first = room(base, view)
    flat = np.zeros(size, values.dtype)
    whole = base.window(flat, first)
    whole[...] = values
    return (flat, first), whole


def strided_backward(grad: np.ndarray, base: Geometry, view: Geometry) -> np.ndarray:
    """The gradient of a base, given that of a strided view of it; elements met twice are summed."""
    size, first = room(base, view)
    flat = np.zeros(size, grad.dtype)
    if view.overlaps():
        index = view.window(np.arange(size), first)
        np.add.at(flat, index.reshape(-1), grad.reshape(-1))
    else:
        view.window(flat, first)[...] = grad
    if base.overlaps():  # an element that the base shows several times shares its gradient among them
        count = np.zeros(size, np.int64)
        np.add.at(count, base.window(np.arange(size), first).reshape(-1), 1)
        flat /= np.maximum(count, 1).astype(flat.dtype)
    return base.window(flat, first)


def geometries(base: np.ndarray, view: np.ndarray) -> tuple[Geometry, Geometry, str]:
    """Those of a base and of a view of it, and which of the two alone is complex ("base", "view" or ""): then both are
    told in real elements, a complex number as a last dimension of 2."""
    kinds = base.dtype.kind == "c", view.dtype.kind == "c"
    alone = "" if kinds[0] is kinds[1] else "base" if kinds[0] else "view"
    if alone:
        base, view = parts(base), parts(view)
    return Geometry(base), Geometry(view, base), alone


def parts(x: np.ndarray) -> np.ndarray:
    """A complex array as a real one with a last dimension of 2, in the same memory; a real one as it is."""
    if x.dtype.kind != "c":
        return x
    real = x.real
    return np.lib.stride_tricks.as_strided(real, (*x.shape, 2), (*x.strides, real.itemsize))


def whole(x: np.ndarray) -> np.ndarray:
    """The complex array of which `x` holds the parts."""
    joined: np.ndarray = np.ascontiguousarray(x).view(np.result_type(x.dtype, np.complex64))[..., 0]
    return joined


class _AsStrided(Node):
    """A view taken of a base by shape, strides and offset."""

    __slots__ = ()

    def run(self, grad: Any, quiet: Callable[..., Any]) -> tuple[Any, ...]:
        if grad is None:
            return (None,)
        base, view, alone = self.saved
        if not alone:
            return (strided_backward(grad, base, view),)
        found = strided_backward(parts(grad), base, view)
        return (whole(found) if alone == "base" else found,)

    def run_recorded(self, grad: Any) -> tuple[Any, ...]:
        from ...ops.common.strided import as_strided_backward, joined, split

        if grad is None:
            return (None,)
        base, view, alone = self.saved
        found = as_strided_backward(split(grad, alone == "view"), base, view)
        return (joined(found, alone == "base"),)

    def release(self) -> None:
        """Geometry is not a saved tensor: the Node can run again."""


AsStridedBackward0 = node_class("AsStridedBackward0", _AsStrided)


class CopySlices(Node):
    """What an in-place operation `fn` on a view means for the base: the rest of the gradient passes by unchanged."""

    __slots__ = ("alone", "base", "fn", "view")
    __module__ = "builtins"

    def __init__(self, base: Tensor, view: Tensor, fn: Node) -> None:
        self._seq = sequence()
        self.hooks = self._extra = None
        self.saved = ()
        self.base, self.view, self.alone = geometries(base._array, view._array)
        self.fn: Node | None = fn
        self.shape = base._array.shape
        self.dtype = base._array.dtype
        self.next_functions = (gradient_edge(base), *fn.next_functions[1:])

    def name(self) -> str:
        """PyTorch's name for it."""
        return "torch::autograd::CopySlices"

    def _first_edge_of_fn(self, fn: Node) -> None:
        """`fn` asks its own edges whether a gradient is wanted; for the base that is this Node's first."""
        if fn.next_functions[0][0] is not self.next_functions[0][0]:
            fn.next_functions = self.next_functions

    def run(self, grad: Any, quiet: Callable[..., Any]) -> tuple[Any, ...]:
        fn = self._fn()
        if grad is None:
            return (None,) * len(self.next_functions)
        if self.alone == "base":
            grad = parts(grad)
        part = np.array(gather_strided(grad, self.base, self.view), order="C")
        if self.alone == "view":
            part = whole(part)
        if fn.user_code:
            outs: Any = fn.run_wrapped(part)  # type: ignore[attr-defined]
        else:
            outs = fn.run(part, quiet)
        first = np.zeros((), grad.dtype) if outs[0] is None else outs[0]
        found = scatter_strided(grad, parts(first) if self.alone == "view" else first, self.base, self.view)
        return (whole(found) if self.alone == "base" else found, *outs[1:])

    def run_recorded(self, grad: Any) -> tuple[Any, ...]:
        from ...ops.common.strided import as_strided_gather, as_strided_scatter, joined, split

        fn = self._fn()
        if grad is None:
            return (None,) * len(self.next_functions)
        grad = split(grad, self.alone == "base")
        part = joined(as_strided_gather(grad, self.base, self.view), self.alone == "view")
        outs = fn.run_recorded(part)
        first = split(part * 0 if outs[0] is None else outs[0], self.alone == "view")
        return (joined(as_strided_scatter(grad, first, self.base, self.view), self.alone == "base"), *outs[1:])

    def _fn(self) -> Node:
        if self.fn is None:
            raise RuntimeError(errors.BACKWARD_TWICE)
        self._first_edge_of_fn(self.fn)
        return self.fn

    def release(self) -> None:
        self.fn = None
