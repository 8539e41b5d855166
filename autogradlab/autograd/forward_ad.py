"""Forward mode by dual numbers (mirrors `torch.autograd.forward_ad`).

A dual tensor leads to a hidden leaf, so that operations on it are recorded, those in place too; to get a tangent, what
was recorded is differentiated twice backward, which gives the derivative in the direction of the tangents. Where
nothing is to be recorded, under no_grad, a `_Gate` lets only those passes through.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from functools import cache
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from ..core.arguments.mismatch import typename
from ..core.graph.node import NO_EDGE, Edge, Identity, Node, leads, node_class, pair, reachable
from ..core.memory.lazy import bits
from ..core.memory.rows import Rows, levels_of, repeated
from ..core.memory.storage import storage_of
from ..core.recording.record import TENSORS, NotImplementedNode
from ..core.recording.views import share
from ..core.runtime import errors, modes
from ..core.tensor import overriding, printing
from ..core.tensor import tensor as tensors
from ..core.tensor.overriding import spread
from ..core.tensor.tensor import Tensor, gradient_edge, requires_grad, set_requires_grad, wrap
from .context import transforms, transposing
from .edge import place_of
from .frontend import grad as gradient
from .grad_mode import enable_grad

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """The primal and the tangent of a dual tensor; without a tangent, the primal is a view of the tensor."""

    primal: Tensor
    tangent: Tensor | None


class _Gate(Identity):
    """Lets a gradient pass only in the passes by which forward mode finds tangents; or in all but those."""

    __slots__ = ("tangents",)

    simple = False
    #: whether it is for tangents
    tangents: bool

    def run(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """One step of backward, on arrays."""
        return (None if self.tangents else grad,)

    def run_recorded(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """One step of backward, on tensors, recorded."""
        return (grad if self.tangents is modes.LOCAL.state.transposing else None,)


_GateNode = node_class("Gate", _Gate)


class _Zeros(Node):
    """Gives gradients of zero, whatever comes: that of a product by the tangent of a tensor that has none."""

    __slots__ = ()

    simple = True

    @classmethod
    def to(cls, edges: list[Edge], array: np.ndarray) -> _Zeros:
        """The Node of an array of zeros that was computed from what these edges lead to."""
        made = cls()
        made._edges = tuple(edges)
        made.shape, made.dtype = array.shape, array.dtype
        return made

    def run(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """One step of backward, on arrays."""
        zeros = []
        for edge in self._edges:
            node, nr = pair(edge)
            shape, dtype = (node.shape[nr], node.dtype[nr]) if node.multi else (node.shape, node.dtype)  # type: ignore[union-attr]
            zeros.append(np.zeros(shape, dtype))
        return tuple(zeros)

    def run_recorded(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """One step of backward, on tensors, recorded."""
        return tuple(map(wrap, self.run(grad, F)))


@cache
def _zeros_node(name: str) -> Any:
    """The class of such a Node, of the name that PyTorch's Node of the product has."""
    return node_class(name, _Zeros)


class _Dual:
    """A tensor with a tangent: where its history begins, and what tensor it was, as long as that lives."""

    __slots__ = ("place", "tangent", "tensor")

    def __init__(self, tensor: Tensor, tangent: Tensor) -> None:
        self.tangent = tangent
        self.place = place_of(tensor)
        self.tensor = weakref.ref(tensor)

    def is_(self, t: Tensor) -> bool:
        """Whether a tensor still is this one, as it was made."""
        return requires_grad(t) and pair(gradient_edge(t)) == self.place[:2]


class Level:
    """A level of forward mode: its dual tensors, and what depends on them."""

    def __init__(self) -> None:
        self.duals: list[_Dual] = []
        #: those that were changed in place, and their tangents with them: where their history now begins
        self.changed: list[_Dual] = []
        #: the leaves that are hidden behind dual tensors, and stand-ins of gradients, by id
        self.own: dict[int, Tensor] = {}
        #: what was computed from dual tensors, they themselves among it
        self.derived: weakref.WeakValueDictionary[int, Tensor] = weakref.WeakValueDictionary()
        #: primals and tangents that were given out: they have no tangent, whatever their history leads to
        self.apart: weakref.WeakValueDictionary[int, Tensor] = weakref.WeakValueDictionary()
        #: of Nodes, whether they lead to dual tensors, as far as that was asked
        self.leading: weakref.WeakKeyDictionary[Node, bool] = weakref.WeakKeyDictionary()

    def open(self) -> None:
        """Open the level."""
        transforms.forward += (self,)
        with _LOCK:
            _open.add(self)
            overriding.run_forward(_through)
        tensors.differentiated = _differentiated

    def close(self) -> None:
        """End: what requires grad for the tangents alone does so no longer."""
        own = set(self.own)
        for t in list(self.derived.values()):
            if requires_grad(t) and not reaches_others(t, own):
                t._edge = NO_EDGE
        transforms.forward = tuple([level for level in transforms.forward if level is not self])
        with _LOCK:
            _open.discard(self)
            if not _open:
                overriding.run_forward(None)
                tensors.differentiated = None

    def add(self, tensor: Tensor, tangent: Tensor) -> Tensor:
        """Give a tensor, in whose place in the graph nothing else leads, a tangent."""
        node = pair(gradient_edge(tangent))[0]
        if isinstance(node, _Gate):  # it was computed while forward mode was switched off
            tangent._edge = node._edges[0]
        tangent = _laid_out_as(tensor, tangent)
        self.duals.append(_Dual(tensor, tangent))
        self.derived[id(tensor)] = tensor
        return tensor

    def begin(self, tensor: Tensor) -> Tensor:
        """Another tensor on the same memory, which can get a tangent."""
        with enable_grad():
            if requires_grad(tensor):
                return tensor.view_as(tensor)
            made, hidden = leading_to_leaf(tensor)
        self.own[id(hidden)] = hidden
        return made

    def holds(self, t: Tensor) -> bool:
        """Whether a tensor was computed from dual tensors, also where no call has told of it: inside of a layer, or of
        a transform."""
        if self.derived.get(id(t)) is t:
            return True
        if not (self.duals and requires_grad(t)) or self.apart.get(id(t)) is t:
            return False
        if self._leads(pair(gradient_edge(t))[0]):
            self.derived[id(t)] = t
            return True
        return False

    def _leads(self, start: Node | None) -> bool:
        """Whether a Node leads to dual tensors."""
        known = self.leading
        known.update((dual.place[0], True) for dual in self.duals)
        path = [] if start is None else [start]
        while path:
            node = path[-1]
            below = [pair(edge)[0] for edge in node._edges]
            open_ = [n for n in below if n is not None and n not in known]
            if node not in known and open_:
                path.append(open_[0])
                continue
            known.setdefault(node, any(known[n] for n in below if n is not None))
            path.pop()
        return start is not None and known[start]

    def known(self, t: Tensor) -> _Dual | None:
        """What is known of `t` as a dual tensor; None if it is none."""
        return next((dual for dual in (*reversed(self.changed), *reversed(self.duals)) if dual.is_(t)), None)

    def change(self, tensor: Tensor, tangent: Tensor) -> None:
        """After a dual tensor was changed in place: change its tangent in place too. What was computed before has the
        tangent that there was."""
        made = self.tangent(tensor)
        if made is tangent:
            return
        with enable_grad():
            for dual in self.duals:
                if dual.tangent is tangent:
                    dual.tangent = TENSORS.clone(tangent)
            tangent.copy_(TENSORS.zeros_like(tensor) if made is None else made)
        self.changed.append(_Dual(tensor, tangent))

    def tangent(self, tensor: Tensor) -> Tensor | None:
        """The tangent of a tensor, with its history; None where it depends on no dual tensor."""
        if not requires_grad(tensor) or not self.duals or self.apart.get(id(tensor)) is tensor:
            return None
        dual = self.known(tensor)
        if dual is not None:
            return dual.tangent
        places = [dual.place for dual in self.duals]
        tangents = [dual.tangent for dual in self.duals]
        ways = _between(tensor, {place[0] for place in places})
        for node in ways:  # of a layer, whose calls nobody has seen
            if node.forwardless:
                raise NotImplementedError(errors.FORWARDLESS.format(node.forwardless))
        with enable_grad():
            dummy = TENSORS.zeros_like(tensor)
            set_requires_grad(dummy, True, "method")
            self.own[id(dummy)] = dummy
            with transposing():
                firsts = gradient(tensor, places, dummy, create_graph=True, allow_unused=True)
            pairs = [(g, t) for g, t in zip(firsts, tangents, strict=True) if g is not None]
            if not pairs:
                return None
            linear = [(g, t) for g, t in pairs if requires_grad(g)]
            found = None
            if linear:
                made, along = zip(*linear, strict=True)
                found = gradient(made, dummy, along, create_graph=True, allow_unused=True)[0]
            if found is not None and any(
                found is t for t in tangents
            ):  # a tensor of its own, which may be changed in place
                found = TENSORS.clone(found) if tensor._view is None else found.view_as(found)
        if found is None:
            return TENSORS.zeros_like(tensor)
        found = _laid_out_as(tensor, found)
        if not self._recorded(tensor, tangents):
            return TENSORS.detach(found)
        return self._beside_zeros(found, ways)

    def _recorded(self, tensor: Tensor, tangents: list[Tensor]) -> bool:
        """Whether the tangent of a tensor has a history: where the tensor has one apart from this level, or one of the
        tangents; under no_grad only that which other levels need."""
        if any(map(requires_grad, tangents)) or reaches_others(tensor, set(self.own)):
            return True
        return len(transforms.forward) > 1 and reaches_others(tensor, set(self.own), gates=True)

    def _beside_zeros(self, tangent: Tensor, ways: list[Node]) -> Tensor:
        """The tangent of a tensor that was computed by the Nodes `ways`, with the history that it has in PyTorch, which
        multiplies tensors by the tangents of those beside them, zero as these may be."""
        own = set(self.own)
        made = None
        edges: list[Edge] = []
        for node in ways:
            found = [node._edges[i] for i in node.multiplied()]
            found = [edge for edge in found if leads(edge) and _leads_to_others([edge], own)]
            if found:
                made = made or node
                edges += found
        if made is not None:
            reached = set(reachable([pair(gradient_edge(tangent))[0]]))
            edges = [edge for edge in edges if pair(edge)[0] not in reached]
        if made is None or not edges:
            return tangent
        zeros = TENSORS.zeros_like(tangent)
        zeros._edge = _zeros_node(made.name()).to(edges, tangent._array)
        with enable_grad():
            return TENSORS.add(tangent, zeros)

    def given_out(self, t: Tensor) -> Tensor:
        """A tangent without the history that ends at the level's own tensors; it has no tangent itself."""
        if requires_grad(t):
            if not reaches_others(t, _own()):
                return TENSORS.detach(t)
            self._set_apart(t)
        return t

    def _set_apart(self, t: Tensor) -> None:
        """Note that a tensor with a history has no tangent."""
        self.apart[id(t)] = t
        node = pair(gradient_edge(t))[0]
        if node is not None:
            self.leading[node] = False

    def primal(self, t: Tensor) -> Tensor:
        """A tensor without the history that ends at the level's own tensors, and without a tangent; with its history
        where others require grad."""
        if not requires_grad(t):
            return t
        made = share(TENSORS.detach(t), t._array, None)
        if reaches_others(t, _own()):
            made._edge = Identity.after(gradient_edge(t), t._array)
            self._set_apart(made)
        return made


_LOCK = threading.RLock()
#: the levels that are open, of all threads
_open: set[Level] = set()
#: the number of the level that is open, as programs of PyTorch read it
_current_level = -1
#: the level that `enter_dual_level` has opened
_entered: list[Level] = []


def refuse_nested() -> None:
    """Refuse another level beside the one that is open."""
    if _entered or transforms.forward:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")


def enter_dual_level() -> int:
    """Open a level; only one can be open."""
    refuse_nested()
    global _current_level
    level = Level()
    try:
        level.open()
        _entered.append(level)
        printing.unpack_dual = unpack_dual
        _current_level = len(_entered) - 1
        return _current_level
    except BaseException:  # interrupted: a level that nobody will close must not stay open
        _entered[:] = [other for other in _entered if other is not level]
        level.close()
        raise


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level: its dual tensors lose their tangents."""
    if level is None:
        level = len(_entered) - 1
    if level != len(_entered) - 1:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    if level < 0:
        raise RuntimeError("Dual level must be a positive number.")
    global _current_level
    printing.unpack_dual = None
    _entered.pop().close()
    _current_level = len(_entered) - 1


class dual_level:
    """A level as a block.

    >>> import autogradlab as torch
    >>> import autogradlab.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(torch.tensor(3.), torch.tensor(1.))
    ...     fwAD.unpack_dual(x * x).tangent
    tensor(6.)
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        exit_dual_level()


class _set_fwd_grad_enabled:
    """Switches forward mode on or off: at once, and back at the end of a block."""

    __module__ = "torch.autograd.forward_ad"

    def __init__(self, mode: bool) -> None:
        self.prev = transforms.forward_enabled
        transforms.forward_enabled = mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        transforms.forward_enabled = self.prev


def _is_fwd_grad_enabled() -> bool:
    """Whether forward mode differentiates what is computed."""
    return transforms.forward_enabled and not modes.current().inference


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A tensor with a tangent, the direction in which what is computed from it will be differentiated."""
    if level is None:
        level = len(_entered) - 1
    if level < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    if level >= len(_entered):
        raise RuntimeError("Invalid level given to _make_dual")
    refuse_mapped(tensor, tangent)
    check_dual(tensor, tangent)
    opened = _entered[level]
    if opened.known(tensor) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level "
            f"{level} is not supported."
        )
    if opened.known(tangent) is not None:
        raise RuntimeError(
            f"Setting a forward grad that itself has a forward gradient at the same level{level} is not supported."
        )
    return opened.add(opened.begin(tensor), tangent)


def refuse_mapped(*given: Tensor) -> None:
    """Refuse to make dual tensors of rows inside of a vmap."""
    if transforms.mapping and any(levels_of(t._array.shape) for t in given):
        raise RuntimeError(errors.ROWS_VIEW.format("_make_dual"))


def check_dual(tensor: Tensor, tangent: Tensor) -> None:
    """Refuse a primal or a tangent of a dtype without derivatives, and a tangent of another size."""
    if not (tensor.is_floating_point() or tensor.is_complex()):
        raise ValueError(f"Expected primal to be floating point or complex, but got: {tensor.dtype}")
    if not (tangent.is_floating_point() or tangent.is_complex()):
        raise ValueError(f"Expected tangent to be floating point or complex, but got: {tangent.dtype}")
    if tensor._array.shape != tangent._array.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
            f"not supported. Tensor is of size {list(tensor.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )


def _laid_out_as(tensor: Tensor, tangent: Tensor) -> Tensor:
    """A tangent, or a copy that lies in memory as its tensor does, so that views of both can be taken alike."""
    if _laid_out_alike(tensor, tangent):
        return tangent
    with enable_grad():
        rows: Any = tangent._array
        if type(rows) is Rows:
            made: Tensor = wrap(repeated(np.empty_like(_row_of(tensor._array), rows.dtype), rows))
        else:
            made = TENSORS.zeros_like(tensor, dtype=tangent.dtype)
        return made.copy_(tangent)


def _row_of(x: Any) -> Any:
    """An array, or the first of its rows."""
    return x.whole[(0,) * len(x.levels)] if type(x) is Rows else x


def _laid_out_alike(tensor: Tensor, tangent: Tensor) -> bool:
    """Whether a tangent lies in memory as its tensor does."""
    x, y = tensor._array, tangent._array
    plain = type(x) is np.ndarray and type(y) is np.ndarray
    if not plain and not (isinstance(x, Rows) or isinstance(y, Rows)):
        return bits(x) == bits(y)
    if x is y or not x.size:
        return True
    for n, one, other in zip(x.shape, x.strides, y.strides, strict=True):
        if n > 1 and one // x.itemsize != other // y.itemsize:
            return False
    if not plain or (x.base is None and y.base is None):
        return True
    sizes = [storage_of(t).nbytes() // t._array.itemsize for t in (tensor, tangent)]
    return sizes[0] == sizes[1] and TENSORS.storage_offset(tensor) == TENSORS.storage_offset(tangent)


def leading_to_leaf(tensor: Tensor) -> tuple[Tensor, Tensor]:
    """A tensor on the same memory whose history is a leaf of its own, so that it may be changed in place; and that
    leaf."""
    hidden: Tensor = TENSORS.detach(tensor)
    set_requires_grad(hidden, True, "method")
    made: Tensor = TENSORS.detach(tensor)
    made._edge = gradient_edge(hidden)
    return made, hidden


def _differentiated(t: Tensor) -> bool:
    """Whether others than the open levels differentiate by a tensor."""
    if not transforms.forward or reaches_others(t, _own()):
        return True
    inner = transforms.stack[-1] if transforms.stack else None
    starts = () if getattr(inner, "forward", True) else inner.starts  # type: ignore[union-attr]
    return bool(starts) and any(node in starts for node in reachable([pair(gradient_edge(t))[0]]))


def reaches_others(t: Tensor, own: set[int], gates: bool = False) -> bool:
    """Whether the history of a tensor leads to leaves that are none of `own`. gates: also where it does so for tangents
    alone."""
    return _leads_to_others([gradient_edge(t)], own, gates)


def _leads_to_others(found: list[Edge], own: set[int], gates: bool = False) -> bool:
    """The same of what some edges lead to."""
    seen: set[Node] = set()
    while found:
        node: Any = pair(found.pop())[0]
        if node is None or node in seen:
            continue
        if node.accumulates and id(node.variable) not in own:
            return True
        seen.add(node)
        if gates or not (isinstance(node, _Gate) and node.tangents):
            found.extend(node._edges)
    return False


def _between(t: Tensor, ends: set[Node | None]) -> list[Node]:
    """The Nodes on the ways of tangents from some Nodes to a tensor, without these, in the order in which they were
    made."""
    start = pair(gradient_edge(t))[0]
    above: dict[Node, list[Node]] = {}
    found = [] if start is None else [start]
    while found:
        node = found.pop()
        closed = node in ends or (isinstance(node, _Gate) and not node.tangents)
        for edge in () if closed else node._edges:
            below = pair(edge)[0]
            if below is not None:
                if below not in above:
                    found.append(below)
                above.setdefault(below, []).append(node)
    ways: set[Node] = set()
    found = [node for node in ends if node is not None]
    while found:
        for node in above.get(found.pop(), ()):
            if node not in ways:
                ways.add(node)
                found.append(node)
    return sorted(ways, key=lambda node: node._seq)


def _own() -> set[int]:
    """The leaves of the open levels, by id."""
    return {key for level in transforms.forward for key in level.own}


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> Any:
    """(primal, tangent) of a tensor; the tangent is None where it depends on no dual tensor."""
    if level is None:
        level = len(_entered) - 1
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {typename(tensor)}")
    if level >= len(_entered) or not _is_fwd_grad_enabled():
        return UnpackedDualTensor(tensor, None)
    opened = _entered[level]
    found = opened.tangent(tensor)
    if found is None:
        return UnpackedDualTensor(_beside(tensor), None)
    if opened.known(tensor) is None:
        found = opened.given_out(found)
    return UnpackedDualTensor(opened.primal(tensor), found)


def _beside(tensor: Tensor) -> Tensor:
    """A tensor without a tangent as `unpack_dual` gives it: a view of all of it."""
    recorded = requires_grad(tensor) and modes.current().grad
    return share(tensor, tensor._array, Identity.after(gradient_edge(tensor), tensor._array) if recorded else None)


# -- what is computed while a level is open -------------------------------------------------------------------------


class _Within(threading.local):
    """Whether a thread is inside of a call on dual tensors."""

    busy = False


_within = _Within()


def _through(name: str, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call gives, while some level is open."""
    levels = transforms.forward
    if not levels or _within.busy:
        return call(*args, **kwargs)
    given = [t for t in spread((*args, *kwargs.values())) if isinstance(t, Tensor)]
    used = [level for level in levels if any(map(level.holds, given))]
    if not used:
        return call(*args, **kwargs)
    local = modes.current()
    short = name.removesuffix(".__set__").rpartition(".")[2]
    target = _target(short, args, used) if transforms.forward_enabled else None
    begins = {pair(gradient_edge(t))[0] for t in given if requires_grad(t)}
    before = [] if target is None else [level.tangent(target) for level in used]
    _within.busy = True
    try:
        if local.record and transforms.forward_enabled:
            result = call(*args, **kwargs)
        elif local.inference:
            return call(*args, **kwargs)
        else:
            result = _off_the_record(name, call, args, kwargs, local)
        if target is not None:
            _follow(short, target, list(zip(used, before, strict=True)))
    finally:
        _within.busy = False
    for t in spread((result,)):
        if isinstance(t, Tensor) and requires_grad(t):
            if transforms.forward_enabled:
                _refuse_forwardless(t, begins, changed=bool(args) and t is args[0])
            for level in used:
                level.derived[id(t)] = t
    return result


def _refuse_forwardless(t: Tensor, begins: set[Any], changed: bool) -> None:
    """Refuse a result that was made of the tensors of a call, whose history `begins` there, by an operation that has no
    formula for forward mode. changed: whether it is the first of them, changed in place."""
    found: list[Any] = [pair(gradient_edge(t))[0]]
    seen = set(begins)
    while found:
        node = found.pop()
        if node is None or node in seen:
            continue
        if isinstance(node, NotImplementedNode) and node.missing:
            form = "_" if changed and not node.missing.endswith("_") else ""
            raise NotImplementedError(errors.FORWARDLESS_FALLBACK.format(node.missing + form))
        if node.forwardless and changed:
            raise NotImplementedError(errors.FORWARDLESS_IN_PLACE.format(node.forwardless + "_") + ".")
        if node.forwardless:
            raise NotImplementedError(errors.FORWARDLESS.format(node.forwardless))
        seen.add(node)
        found.extend(pair(edge)[0] for edge in node._edges)


_CHANGING = frozenset(("__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "__ipow__"))
_BEGINNING = frozenset(("requires_grad", "requires_grad_"))


def _changes(short: str) -> bool:
    """Whether a function of this name changes its first argument in place."""
    return short in _CHANGING or (short.endswith("_") and not short.endswith("__"))


def _target(short: str, args: tuple[Any, ...], used: list[Level]) -> Tensor | None:
    """The tensor whose tangent a call changes in place, or that it makes a leaf; None if there is none."""
    if not args or not isinstance(args[0], Tensor):
        return None
    first = args[0]
    if short in _BEGINNING:
        return first
    if not _changes(short):
        return None
    base = first if first._view is None else first._view.base
    return next((t for t in (first, base) if any(level.known(t) is not None for level in used)), None)


def _follow(short: str, target: Tensor, tangents: list[tuple[Level, Tensor | None]]) -> None:
    """After a call that has changed a dual tensor in place, or has made it a leaf: what becomes of its tangents."""
    for level, tangent in tangents:
        if tangent is None:
            continue
        if short not in _BEGINNING:
            level.change(target, tangent)
        elif requires_grad(target) and level.known(target) is None:
            level.duals.append(_Dual(target, tangent))


def _off_the_record(
    name: str, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], local: modes.State
) -> Any:
    """A call under no_grad, which is recorded for the tangents alone, or one while forward mode is off."""
    changing = _changes(name.rpartition(".")[2])
    first = args[0] if changing and args else None
    tangents = transforms.forward_enabled
    if first is not None and tangents and requires_grad(first) and reaches_others(first, _own()):
        return call(*args, **kwargs)
    before = local.grad
    local.set_grad(before or tangents)
    try:
        result = call(*args, **kwargs)
    finally:
        local.set_grad(before)
    made = [t for t in spread((result,)) if isinstance(t, Tensor) and all(t is not a for a in args)]
    for t in made if first is None else [first if first._view is None else first._view.base]:
        _put_gate(t, tangents)
    return result


def _put_gate(t: Tensor, tangents: bool) -> None:
    """Let only the passes for tangents come to the history of a tensor, or only all others."""
    if not requires_grad(t):
        return
    gate: Any = _GateNode.after(gradient_edge(t), t._array)  # type: ignore[attr-defined]
    gate.tangents = tangents
    if t._edge is None and t._view is not None:
        t._view.edge = gate
    else:
        t._edge = gate
