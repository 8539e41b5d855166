"""Forward mode by dual numbers (mirrors `torch.autograd.forward_ad`).

A dual tensor leads to a hidden leaf, so that operations on it are recorded, those in place too. What a call returns
gets its tangent at once: the Nodes between it and what has a tangent already push the tangents on, each by the formula
that its entry has for that (`jvp`) or by those for gradients, which are linear in the gradients of the outputs: the
derivative of a linear map by its argument is its transpose. Where nothing is to be recorded, under no_grad, a `_Gate`
lets only tangents through.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, MutableMapping, Sequence
from functools import cache
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from ..core.arguments.mismatch import typename
from ..core.backward.validate import validate
from ..core.graph.node import NO_EDGE, Edge, Identity, Node, Pair, leads, node_class, pair, reachable
from ..core.memory.lazy import bits
from ..core.memory.rows import Rows, levels_of, repeated
from ..core.memory.storage import storage_of
from ..core.recording.record import TENSORS, NotImplementedNode, OpNode
from ..core.recording.views import share
from ..core.runtime import errors, modes
from ..core.tensor import overriding, printing
from ..core.tensor import tensor as tensors
from ..core.tensor.overriding import spread
from ..core.tensor.tensor import Tensor, gradient_edge, requires_grad, set_requires_grad, wrap
from .context import transforms
from .frontend import grad as gradient
from .grad_mode import enable_grad

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """What `unpack_dual` gives: the primal of a dual tensor, which is a view of it, and its tangent or None.

    Example:
        >>> import autogradlab as torch
        >>> import autogradlab.autograd.forward_ad as fwAD
        >>> with fwAD.dual_level():
        ...     fwAD.unpack_dual(fwAD.make_dual(torch.tensor(3.), torch.tensor(1.)))
        ...
        UnpackedDualTensor(primal=tensor(3.), tangent=tensor(1.))

    Mirrors `torch.autograd.forward_ad.UnpackedDualTensor`.
    """

    primal: Tensor
    tangent: Tensor | None


UnpackedDualTensor.__module__ = "torch.autograd.forward_ad"


class _Gate(Identity):
    """Lets tangents pass and no gradient, or gradients and no tangent."""

    __slots__ = ("tangents",)

    simple = False
    hidden = True
    #: whether it is for tangents
    tangents: bool

    def run(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """One step of backward, on arrays."""
        return (None if self.tangents else grad,)

    def run_recorded(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """One step of backward, on tensors, recorded."""
        return self.run(grad, F)


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


class _Tangents:
    """Tangents by the places of their tensors in the graph, as long as these live; None for a tensor that has none."""

    def __init__(self) -> None:
        self._of: weakref.WeakKeyDictionary[Node, dict[int, Tensor | None]] = weakref.WeakKeyDictionary()

    def __bool__(self) -> bool:
        return bool(self._of)

    def __contains__(self, place: Pair) -> bool:
        node, nr = place
        return node is not None and nr in self._of.get(node, ())

    def __getitem__(self, place: Pair) -> Tensor | None:
        return self._of[place[0]][place[1]]  # type: ignore[index]

    def __setitem__(self, place: Pair, tangent: Tensor | None) -> None:
        self._of.setdefault(place[0], {})[place[1]] = tangent  # type: ignore[arg-type]

    def nodes(self) -> list[Node]:
        """The Nodes that made the tensors."""
        return list(self._of)

    def leave(self, tangent: Tensor) -> None:
        """Before a tangent is changed in place: let those that share its memory keep what they are."""
        for made in list(self._of.values()):
            for nr, t in made.items():
                if t is not None and np.may_share_memory(t._array, tangent._array):
                    made[nr] = TENSORS.clone(t)


class Level:
    """A level of forward mode: its dual tensors, and what depends on them."""

    def __init__(self) -> None:
        #: the tangents that were given to tensors, also where these were changed in place, and the tangents with them
        self.given = _Tangents()
        #: those that were computed
        self.made = _Tangents()
        #: the Nodes of dual tensors that have become leaves: nothing else keeps them
        self.leaves: list[Node | None] = []
        #: the leaves that are hidden behind dual tensors, and stand-ins of gradients, by id
        self.own: weakref.WeakValueDictionary[int, Tensor] = weakref.WeakValueDictionary()
        #: what was computed from dual tensors, they themselves among it
        self.derived: weakref.WeakValueDictionary[int, Tensor] = weakref.WeakValueDictionary()
        #: primals and tangents that were given out: they have no tangent, whatever their history leads to
        self.apart: weakref.WeakValueDictionary[int, Tensor] = weakref.WeakValueDictionary()
        #: of Nodes, whether they lead to dual tensors, as far as that was asked
        self.leading: weakref.WeakKeyDictionary[Node, bool] = weakref.WeakKeyDictionary()
        #: likewise, whether they lead to leaves that are not the level's own
        self.reaching: weakref.WeakKeyDictionary[Node, bool] = weakref.WeakKeyDictionary()

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
        if isinstance(node, _Gate):  # it was computed while forward mode was switched off: it has no tangent here
            if reaches_others(tangent, set(self.own)):
                tangent._edge = node._edges[0]
                self._set_apart(tangent)
            else:
                tangent._edge = NO_EDGE
        tangent = _laid_out_as(tensor, tangent)
        self.given[place_of(tensor)] = tangent
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
        if not (self.given and requires_grad(t)) or self.apart.get(id(t)) is t:
            return False
        if self._leads(pair(gradient_edge(t))[0]):
            self.derived[id(t)] = t
            return True
        return False

    def _leads(self, start: Node | None) -> bool:
        """Whether a Node leads to dual tensors."""
        self.leading.update((node, True) for node in self.given.nodes())
        return start is not None and _leads_to(start, self.leading, lambda node: None)

    def has(self, t: Tensor) -> bool:
        """Whether a tensor is a dual tensor itself, not only computed from one."""
        return requires_grad(t) and place_of(t) in self.given

    def change(self, tensor: Tensor, tangent: Tensor) -> None:
        """After a dual tensor was changed in place: change its tangent in place too. What was computed before has the
        tangent that there was."""
        made = self.tangent(tensor)
        if made is tangent:
            return
        with enable_grad():
            self.given.leave(tangent)
            self.made.leave(tangent)
            tangent.copy_(TENSORS.zeros_like(tensor) if made is None else made)
        self.given[place_of(tensor)] = tangent

    def tangent(self, tensor: Tensor) -> Tensor | None:
        """The tangent of a tensor, with its history; None where it depends on no dual tensor."""
        if not requires_grad(tensor) or not self.given or self.apart.get(id(tensor)) is tensor:
            return None
        place = place_of(tensor)
        if place in self.given:
            return self.given[place]
        if place not in self.made:
            busy, _within.busy = _within.busy, True  # what is computed for it is no call of the program
            try:
                self.made[place] = self._push(tensor, place)
            finally:
                _within.busy = busy
        return self.made[place]

    def _push(self, tensor: Tensor, place: Pair) -> Tensor | None:
        """The tangent of a tensor, from those that are known of what it was computed from."""
        tangents: dict[Pair, Tensor] = {}
        ways = _ways(place, self.given, self.made, tangents)
        begun = list(tangents.values())
        for node in ways:  # of a layer, whose calls nobody has seen
            if node.forwardless:
                raise NotImplementedError(errors.FORWARDLESS.format(node.forwardless))
        local = modes.current()
        passing, local.passing = local.passing, True  # rows whose vmap is over may take part, as in a pass backward
        try:
            with enable_grad():
                push(ways, tangents, place, self.own)
        finally:
            local.passing = passing
        found = tangents.get(place)
        if found is None:
            return None
        if any(found is t for t in begun):  # a tensor of its own, which may be changed in place
            with enable_grad():
                found = TENSORS.clone(found) if tensor._view is None else found.view_as(found)
        found = _laid_out_as(tensor, found)
        return self._beside_zeros(found, ways) if self._recorded(tensor, begun) else TENSORS.detach(found)

    def _recorded(self, tensor: Tensor, tangents: list[Tensor]) -> bool:
        """Whether the tangent of a tensor has a history: where the tensor has one apart from this level, or one of the
        tangents; under no_grad only that which other levels need."""
        start = place_of(tensor)[0]
        under_no_grad = isinstance(start, _Gate) and start.tangents
        if start is None or (not under_no_grad and any(map(requires_grad, tangents))):
            return True
        return _leads_to(start, self.reaching, self._is_other) or (
            len(transforms.forward) > 1 and reaches_others(tensor, set(self.own), gates=True)
        )

    def _is_other(self, node: Node) -> bool | None:
        """Whether a leaf is none of the level's own; None of a Node that leads on."""
        if node.accumulates:
            return id(node.variable) not in self.own  # type: ignore[attr-defined]
        return False if isinstance(node, _Gate) and node.tangents else None

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
        """Note that a tensor with a history has no tangent: what is computed from it gets none by way of it."""
        self.apart[id(t)] = t
        self.made[place_of(t)] = None
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
            if modes.current().grad:
                made._edge = Identity.after(gradient_edge(t), t._array)
            else:
                set_requires_grad(made, True, "method")
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
    """Open a level and return its number, 0. `dual_level` does it as a block.

    Errors: RuntimeError where one is open, since only one can be.

    Example:
        >>> import autogradlab as torch
        >>> import autogradlab.autograd.forward_ad as fwAD
        >>> fwAD.enter_dual_level()
        0
        >>> x = fwAD.make_dual(torch.tensor(3.), torch.tensor(1.))
        >>> fwAD.unpack_dual(x.sin()).tangent == torch.tensor(3.).cos()
        tensor(True)
        >>> fwAD.exit_dual_level()

    Mirrors `torch.autograd.forward_ad.enter_dual_level`.
    """
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
    """Close the level: its dual tensors lose their tangents.

    Errors: RuntimeError where none is open, or the level is not the last that was opened.

    Example:
        >>> import autogradlab as torch
        >>> import autogradlab.autograd.forward_ad as fwAD
        >>> _ = fwAD.enter_dual_level()
        >>> x = fwAD.make_dual(torch.tensor(3.), torch.tensor(1.))
        >>> x
        tensor(3., tangent=1.0)
        >>> fwAD.exit_dual_level()
        >>> x
        tensor(3.)

    Mirrors `torch.autograd.forward_ad.exit_dual_level`.
    """
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
    """A level as a block: within it, tensors can have tangents, which operations push forward.

    Errors: RuntimeError where one is open, since only one can be.

    Example:
        >>> import autogradlab as torch
        >>> import autogradlab.autograd.forward_ad as fwAD
        >>> with fwAD.dual_level():
        ...     x = fwAD.make_dual(torch.tensor(3.), torch.tensor(1.))
        ...     fwAD.unpack_dual(x * x).tangent
        ...
        tensor(6.)

    Mirrors `torch.autograd.forward_ad.dual_level`.
    """

    __module__ = "torch.autograd.forward_ad"

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
    """A view of a tensor that has a tangent, the direction in which what is computed from it will be differentiated.

    tangent: of the same shape and dtype. Errors: RuntimeError without a level, and where either has a tangent already.

    Example:
        >>> import autogradlab as torch
        >>> import autogradlab.autograd.forward_ad as fwAD
        >>> with fwAD.dual_level():
        ...     fwAD.make_dual(torch.tensor([1., 2.]), torch.tensor([1., 0.])) ** 2
        ...
        tensor([1., 4.], tangent=tensor([2., 0.]))

    Mirrors `torch.autograd.forward_ad.make_dual`.
    """
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
    if modes.current().inference:
        return _beside(tensor)
    opened = _entered[level]
    if opened.tangent(tensor) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level "
            f"{level} is not supported."
        )
    if opened.tangent(tangent) is not None:
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


def _leads_to(start: Node, known: weakref.WeakKeyDictionary[Node, bool], ends: Callable[[Node], bool | None]) -> bool:
    """Whether a Node leads to an end: `ends` says it of each, or None where it is to be asked of those behind. What is
    found is `known` for the next time."""
    path = [start]
    while path:
        node = path[-1]
        answer = known.get(node)
        if answer is None and (answer := ends(node)) is None:
            below = [known.get(n) if n is not None else False for n, _ in map(pair, node._edges)]
            if None in below:
                path.append(pair(node._edges[below.index(None)])[0])  # type: ignore[arg-type]
                continue
            answer = True in below
        known[node] = answer
        path.pop()
    return known[start]


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


def place_of(t: Tensor) -> Pair:
    """Where a tensor is in the graph: the Node that made it, and the number of the output."""
    return pair(gradient_edge(t))


def _ways(place: Pair, given: _Tangents, made: _Tangents, tangents: dict[Pair, Tensor]) -> list[Node]:
    """The Nodes on the ways from known tangents to a place, each behind those it leads to; these tangents are put into
    `tangents`."""
    leading: dict[Node, bool] = {}
    path = [] if place[0] is None else [place[0]]
    while path:
        node = path[-1]
        if node in leading:
            path.pop()
            continue
        begins = False
        open_ = []
        for edge in () if isinstance(node, _Gate) and not node.tangents else map(pair, node._edges):
            known = given if edge in given else made if edge in made else None
            if known is None:
                if edge[0] is not None and edge[0] not in leading:
                    open_.append(edge[0])
                begins = begins or leading.get(edge[0], False)  # type: ignore[arg-type]
            elif (tangent := known[edge]) is not None:
                tangents[edge] = tangent
                begins = True
        if open_:
            path.append(open_[0])
        else:
            leading[node] = begins
            path.pop()
    return [node for node, leads_to_known in leading.items() if leads_to_known]


def push(ways: list[Node], tangents: dict[Pair, Tensor], place: Pair, own: MutableMapping[int, Tensor]) -> None:
    """Add to known tangents those of what the Nodes `ways` have made of them, as far as `place` needs them.

    own: leaves that are the level's alone; those that are made for it are added to them.
    """
    asked: dict[Node, list[int]] = {}
    for made_by, nr in (place, *(pair(edge) for node in ways for edge in node._edges)):
        if made_by is not None and nr not in asked.setdefault(made_by, []):
            asked[made_by].append(nr)
    for node in ways:
        numbers = [nr for nr in asked[node] if (node, nr) not in tangents]
        for nr, made in zip(
            numbers, _pushed(node, [tangents.get(pair(e)) for e in node._edges], numbers, own), strict=True
        ):
            if made is not None:
                tangents[node, nr] = made


def _pushed(
    node: Node, tangents: Sequence[Tensor | None], numbers: list[int], leaves: MutableMapping[int, Tensor]
) -> Sequence[Tensor | None]:
    """The tangents of outputs of a Node, by their numbers, given those of its inputs."""
    if isinstance(node, Identity):
        return [tangents[0]] * len(numbers)
    if node.user_code or all(t is None for t in tangents):  # what the `jvp` of a Function gives is known already
        return [None] * len(numbers)
    if not isinstance(node, OpNode) or not (own := {i for f in node.pushing(tangents) for i in f.edges}):
        return _transposed(node, tangents, numbers, leaves)
    made: Sequence[Tensor | None] = node.push(tangents, TENSORS, numbers)
    rest = [None if i in own else t for i, t in enumerate(tangents)]
    if all(t is None for t in rest):
        return made
    return [
        one if other is None else other if one is None else TENSORS.add(one, other)
        for one, other in zip(made, _transposed(node, rest, numbers, leaves), strict=True)
    ]


def _transposed(
    node: Node, tangents: Sequence[Tensor | None], numbers: list[int], leaves: MutableMapping[int, Tensor]
) -> Sequence[Tensor | None]:
    """The same by the Node's formulas for gradients: these are linear in the gradients of the outputs, and the
    derivative by them is the derivative of the outputs in the direction of the tangents."""
    shapes, dtypes = (node.shape, node.dtype) if node.multi else ((node.shape,), (node.dtype,))
    dummies = {nr: _dummy(shapes[nr], dtypes[nr]) for nr in numbers}
    leaves.update((id(t), t) for t in dummies.values())
    grads = [dummies.get(nr) for nr in range(node.outputs())]
    firsts = validate(node, node.run_recorded(grads if node.multi else grads[0], TENSORS))
    pairs = [(g, t) for g, t in zip(firsts, tangents, strict=True) if g is not None and t is not None]
    linear = [(g, t) for g, t in pairs if requires_grad(g)]
    found: Sequence[Tensor | None] = [None] * len(numbers)
    if linear:
        made, along = zip(*linear, strict=True)
        asked = [dummies[nr] for nr in numbers]
        found = gradient(made, asked, along, create_graph=True, allow_unused=True)
    if not pairs:
        return found
    return [TENSORS.zeros_like(dummies[nr]) if t is None else t for nr, t in zip(numbers, found, strict=True)]


def _dummy(shape: Any, dtype: Any) -> Tensor:
    """Zeros of a shape, or of the shape of a row, that stand for a gradient."""
    levels = levels_of(shape)
    array: Any = np.zeros((*shape.lanes, *shape) if levels else shape, dtype)
    made: Tensor = wrap(Rows(array, levels) if levels else array)  # type: ignore[arg-type]
    set_requires_grad(made, True, "method")
    return made


def _own() -> set[int]:
    """The leaves of the open levels, by id."""
    return {key for level in transforms.forward for key in level.own}


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> Any:
    """The pair (primal, tangent) of a tensor; the tangent is None where the tensor depends on no dual tensor, or no
    level is open.

    Example:
        >>> import autogradlab as torch
        >>> import autogradlab.autograd.forward_ad as fwAD
        >>> with fwAD.dual_level():
        ...     x = fwAD.make_dual(torch.tensor([1., 2.]), torch.tensor([1., 0.]))
        ...     primal, tangent = fwAD.unpack_dual(x * x)
        ...
        >>> primal
        tensor([1., 4.])
        >>> tangent
        tensor([2., 0.])

    Mirrors `torch.autograd.forward_ad.unpack_dual`.
    """
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
    if not opened.has(tensor):
        found = opened.given_out(found)
    return UnpackedDualTensor(opened.primal(tensor), found)


def _beside(tensor: Tensor) -> Tensor:
    """A tensor without a tangent as `unpack_dual` gives it: a view of all of it, which requires grad if the tensor
    does, without a history where nothing is recorded."""
    wants = requires_grad(tensor)
    recorded = wants and modes.current().grad
    made = share(tensor, tensor._array, Identity.after(gradient_edge(tensor), tensor._array) if recorded else None)
    if wants and not recorded:
        set_requires_grad(made, True, "method")
    return made


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
                if transforms.forward_enabled:  # now, as what its formulas need is still unchanged
                    level.tangent(t)
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
    return next((t for t in (first, base) if any(level.has(t) for level in used)), None)


def _follow(short: str, target: Tensor, tangents: list[tuple[Level, Tensor | None]]) -> None:
    """After a call that has changed a dual tensor in place, or has made it a leaf: what becomes of its tangents."""
    for level, tangent in tangents:
        if tangent is None:
            continue
        if short not in _BEGINNING:
            level.change(target, tangent)
        elif requires_grad(target) and not level.has(target):
            place = place_of(target)
            level.given[place] = tangent
            level.leaves.append(place[0])


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
    gate: Any = _GateNode.after(gradient_edge(t), t._array)
    gate.tangents = tangents
    if t._edge is None and t._view is not None:
        t._view.edge = gate
    else:
        t._edge = gate
