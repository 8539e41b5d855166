"""Nodes of operations: what they save, how it is unpacked and checked, and how their formulas run.

A derivative formula is written once, against a namespace: `lambda F, grad, input: grad * F.cos(input)`. In a plain
backward `F` holds kernels and the arguments are arrays; in a recorded one `F` holds operations and they are Tensors.
The names of its parameters say what is saved: an input, a named output or `result`, an argument such as `dim`, or the
shape of an input (`input_shape`).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np

from ..arguments.mismatch import typename
from ..graph.backend import RAW, TENSORS
from ..graph.node import NO_EDGE, Edge, Node, edge_to, leads, modified, node_class, pair, sequence
from ..memory.storage import address, dense, owner, strides
from ..memory.versions import UNSHARED, counter
from ..runtime import errors, modes
from ..runtime.code import own_code
from ..tensor.edges import NumberMeta, gradient_edge, output_edge, requires_grad
from ..tensor.tensor import Tensor, wrap, wrap_scalar
from ..types.dtypes import from_numpy
from .detached import DETACHED, refuse_detached

__all__ = [
    "NOT_IMPLEMENTED",
    "PROPERTIES",
    "RAW",
    "TENSORS",
    "Formula",
    "HeldOutput",
    "OpNode",
    "Overwritten",
    "Packed",
    "SavedOutput",
    "SavedTensor",
    "make_node_class",
    "no_derivative",
    "not_implemented",
    "on_reals",
    "pack",
    "raw",
    "save_output",
    "says",
    "sizes_of",
    "unchanged",
    "unpack",
    "writes",
]

#: the Node of operations that PyTorch has no derivative for
NOT_IMPLEMENTED = "torch::autograd::NotImplemented"
_new = object.__new__
#: saved arguments that may be any number, which PyTorch shows as they were given; all other integers it shows unsigned
_NUMBERS = {
    *(
        "alpha",
        "beta",
        "correction",
        "exponent",
        "initial",
        "input_scale",
        "lambd",
        "lower",
        "margin",
        "max",
        "max_val",
    ),
    *("maxnorm", "min", "min_val", "negative_slope", "ord", "other", "p", "scale", "self", "threshold", "upper"),
    *("value", "weight"),
}


class SavedOutput:
    """A saved output: its memory and version, not the tensor, whose history leads to the Node that saves it."""

    __slots__ = ("_array", "_counter", "nr")

    _array: np.ndarray
    _counter: Any
    #: the number of the output
    nr: int


class HeldOutput(SavedOutput):
    """A saved output while a mode, or its class, is asked (`core/tensor/dispatching.py`): it is asked again for a
    tensor without history whenever the output is unpacked."""

    __slots__ = ("again",)

    again: Callable[[], Tensor]


def save_output(t: Tensor, nr: int = 0) -> SavedOutput:
    """What a Node saves of its output number `nr`."""
    item = SavedOutput()
    item._array = t._array
    item.nr = nr
    version = t._counter
    if version is UNSHARED:
        version = t._counter = [0]
    item._counter = version
    return item


class Overwritten:
    """A saved input that lies in the memory which its Node's operation overwrites: backward will find it modified.

    It holds the tensor's place in the graph as it was before, and the name of the Node that has made it then, for the
    error; the tensor only weakly, since its history leads to the Node that saves it.
    """

    __slots__ = ("_array", "_counter", "edge", "origin", "saved")

    def __init__(self, t: Tensor, origin: str) -> None:
        self.saved = weakref.ref(t)
        self._array = t._array
        self._counter = counter(t)
        self.edge = gradient_edge(t)
        self.origin = origin

    def tensor(self) -> Tensor:
        """The tensor as it was."""
        t = wrap(self._array)
        t._counter = self._counter
        t._edge = self.edge
        return t


class Packed:
    """A saved tensor that a pair of hooks has packed (mirrors SavedTensor with hooks)."""

    __slots__ = ("_edge", "packed", "unpack")
    _counter = (0,)

    def __init__(self, t: Tensor, edge: Edge | None, hooks: tuple[Callable[..., Any], Callable[..., Any]]) -> None:
        pack, self.unpack = hooks
        local = modes.current()
        before = t._counter[0]
        modes_before = local.grad, local.record, local.plain, local.saved_hooks, local.formula
        try:
            local.grad, local.saved_hooks, local.formula = False, [], False
            local.refresh()
            self.packed = pack(t)
        finally:
            local.grad, local.record, local.plain, local.saved_hooks, local.formula = modes_before
            local.refresh()
        if t._counter[0] != before:
            raise RuntimeError(errors.PACK_INPLACE)
        self._edge = edge

    def tensor(self) -> Tensor:
        """The tensor that the unpack hook returns, at the place in the graph that the saved tensor had."""
        found = self.unpack(self.packed)
        if not isinstance(found, Tensor):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {typename(found)}"
            )
        if self._edge is NO_EDGE and not requires_grad(found):
            return found
        t = wrap(found._array)
        t._counter = counter(found)
        node = None if self._edge is None else pair(self._edge)[0]
        if node is not None and node.accumulates:
            t._edge = None
            t._extra().accumulate = weakref.ref(node)  # type: ignore[assignment]
        else:
            t._edge = self._edge
        return t

    @property
    def _array(self) -> np.ndarray:
        local = modes.current()
        before = local.grad, local.record
        try:
            local.set_grad(False)
            return self.tensor()._array
        finally:
            local.grad, local.record = before
            local.refresh()


class SavedTensor:
    """One saved tensor of a Node, as `node._raw_saved_self` gives it: a place to register hooks on."""

    __module__ = "torch._C._autograd"
    __slots__ = ("_index", "_node", "_part")
    _node: Node
    _index: int
    #: of a list of tensors that was saved, which of them
    _part: int | None

    def __init__(self, *args: Any) -> None:
        if args:
            raise TypeError(errors.SAVED_CONSTRUCTOR.format(", ".join(map(repr, args))))
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")

    @classmethod
    def of(cls, node: Node, index: int, part: int | None = None) -> SavedTensor:
        """The place of a Node's saved value."""
        place = _new(cls)
        place._node, place._index, place._part = node, index, part
        return place

    @property
    def _key(self) -> tuple[Any, ...]:
        return self._node, self._index, self._part

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SavedTensor) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def _item(self) -> Any:
        item = _owned(self._node, self._index)
        return item if self._part is None else item[self._part]

    @property
    def data(self) -> Any:
        """What is kept: the tensor's data, or what a pack hook made of it; None once backward has freed it."""
        item = None if self._node.saved is None else self._item()
        if isinstance(item, Packed):
            return item.packed
        if isinstance(item, (SavedOutput, Overwritten)):
            t = wrap(item._array)
            t._counter = item._counter
            return t
        return item

    @property
    def unpack_hook(self) -> Callable[..., Any] | None:
        """The hook that unpacks what is kept, if there is one."""
        item = None if self._node.saved is None else self._item()
        return item.unpack if isinstance(item, Packed) else None

    def unpack(self, *extra: Any) -> Any:
        """The tensor that was saved. An output of its Node is known to the Node alone: ask for `_saved_result`."""
        if extra:
            raise TypeError(errors.SAVED_UNPACK.format(", ".join(map(repr, (self, *extra)))))
        if self._node.saved is None:
            raise RuntimeError(errors.BACKWARD_TWICE)
        if isinstance(self._item(), (SavedOutput, _PackedOutput)):
            raise RuntimeError(errors.SAVED_DETACHED)
        if DETACHED:
            refuse_detached(self._node)
        found = unpack(self._node, self._index)
        return found if self._part is None else found[self._part]

    def register_hooks(self, *hooks: Callable[..., Any]) -> None:
        """Pack the saved tensor now by the first of two hooks, and unpack it by the other whenever it is asked for."""
        node = self._node
        if len(hooks) != 2 or not all(map(callable, hooks)):
            raise TypeError(errors.REGISTER_HOOKS.format(", ".join(map(repr, (self, *hooks)))))
        if node.saved is None:
            raise RuntimeError(errors.REGISTER_FREED)
        item = self._item()
        if item is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if isinstance(item, Packed):
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
                "hooks is allowed at a time."
            )
        node.saved = _packed(node, node.saved, self._index, (hooks[0], hooks[1]), self._part)


def _packed(node: Node, saved: tuple[Any, ...], i: int, hooks: Any, part: int | None = None) -> tuple[Any, ...]:
    """The saved values with number `i` packed: a tensor, or of a list of them one, or all where `part` is None."""
    half = len(saved) // 2
    item, version = _owned(node, i), saved[half + i]
    packed: Any
    if type(item) is not list:
        packed, version = _pack_one(node, item, hooks), 0
    else:
        packed, version = list(item), list(version)
        for place in range(len(item)) if part is None else (part,):
            if item[place] is not None:
                packed[place], version[place] = _pack_one(node, item[place], hooks), 0
    node._hooks().saved = True
    return (*saved[:i], packed, *saved[i + 1 : half + i], version, *saved[half + i + 1 :])


def _pack_one(node: Node, item: Any, hooks: Any) -> Packed:
    if isinstance(item, SavedOutput):
        t = wrap(item._array)
        t._counter = item._counter
        t._edge = edge_to(node, item.nr)
        packed = Packed(t, NO_EDGE, hooks)
        packed._edge = None
        return _PackedOutput(packed, node, item.nr)
    original = item.tensor() if isinstance(item, Overwritten) else item
    return Packed(original, NO_EDGE if not requires_grad(original) else gradient_edge(original), hooks)


class _PackedOutput(Packed):
    """A packed output: it must not own the Node that owns it."""

    __slots__ = ("node", "nr")

    def __init__(self, packed: Packed, node: Node, nr: int) -> None:
        self.packed, self.unpack = packed.packed, packed.unpack
        self.node = weakref.ref(node)
        self.nr = nr

    def tensor(self) -> Tensor:
        self._edge = NO_EDGE
        found = super().tensor()
        t = wrap(found._array)
        t._counter = counter(found)
        t._edge = edge_to(self.node(), self.nr)  # type: ignore[arg-type]
        return t


def pack(
    node: Node, hooks: tuple[Callable[..., Any], Callable[..., Any]], outputs: bool = True, inputs: bool = True
) -> None:
    """Send every tensor that a new Node saves through the innermost pair of saved-tensor hooks: as PyTorch does, inputs
    by the alphabet of their names, then outputs."""
    saved = node.saved
    half = len(saved) // 2
    names = getattr(node, "saved_names", ())
    order: Iterable[int] = range(half)
    if len(names) == half > 1:
        order = sorted(order, key=lambda i: (isinstance(saved[i], SavedOutput), names[i]))
    for i in order:
        item = saved[i]
        if not (outputs if isinstance(item, SavedOutput) else inputs):
            continue
        if saved[half + i] is not None and item is not None and type(getattr(item, "_meta", None)) is not NumberMeta:
            saved = _packed(node, saved, i, hooks)
    node.saved = saved


def finish(node: Node, local: modes.State, outputs: bool = True) -> None:
    """What is done to a new Node while a mode is active: saved-tensor hooks, anomaly mode, inspectors.

    outputs: whether the outputs that it saves are there already; of an operation in place they are packed afterwards.
    """
    if local.saved_hooks:
        pack(node, local.saved_hooks[-1], outputs)
    for observe in local.observers:
        observe(node)


def _owned(node: Node, i: int) -> Any:
    """Saved value number `i` as users may have it: what stands for a Python number, which Nodes share, becomes the
    Node's own; where formulas use it in the dtype of the operands, users see it in its own."""
    saved = node.saved
    item = saved[i]
    meta = getattr(item, "_meta", None)
    if type(meta) is not NumberMeta:
        return item
    if meta.shown is None:
        own = shown = wrap(item._array.copy())
    elif type(meta.shown._meta) is not NumberMeta:
        return meta.shown
    else:
        shown = wrap(meta.shown._array.copy())
        own = wrap_scalar(item._array, NumberMeta(shown))
        own._counter = shown._counter = [0]  # a change of it is an error in backward
    node.saved = (*saved[:i], own, *saved[i + 1 :])
    return shown


def unpack(node: Node, i: int) -> Any:
    """Saved value number `i` as a Tensor with its history (or as it is, if it is no tensor)."""
    saved = node.saved
    if saved is None:
        raise RuntimeError(errors.BACKWARD_TWICE)
    item, version = _owned(node, i), saved[(len(saved) >> 1) + i]
    if version is None or item is None:
        return item
    if type(item) is list:
        return [unpack_one(node, t, v) for t, v in zip(item, version, strict=True)]
    return unpack_one(node, item, version)


def unpack_one(node: Node, item: Any, version: int) -> Any:
    """A saved tensor with its history, or the None that stands among tensors of a list."""
    if item is None:
        return None
    if isinstance(item, Packed):
        return item.tensor()
    if item._counter[0] != version:
        raise changed(node, item, version)
    if isinstance(item, SavedOutput):
        if type(item) is SavedOutput:
            t = wrap(item._array)
            t._counter = item._counter
        else:
            t = item.again()  # type: ignore[attr-defined]
        if _has_history(node, item):
            t._edge = output_edge(node, item.nr)
        return t
    result: Tensor = item
    return result


def _has_history(node: Node, item: SavedOutput) -> bool:
    """Whether a saved output is one that is differentiable; indices are not, nor is what lies behind those that are,
    such as the permutation of an LU factorization."""
    if item._array.dtype.kind not in "fcV":
        return False
    shape: Any = node.shape
    return not item.nr or (node.multi and item.nr < len(shape))


def changed(node: Node, item: Any, version: int) -> RuntimeError:
    """The error for a saved tensor that was modified in place."""
    if type(item) is Overwritten:
        saved = item.saved()
        if saved is not None and saved._view is None:  # the Node that made it last
            return modified(saved, version)
        return modified(item.tensor(), version, item.origin)
    if isinstance(item, SavedOutput):
        t = wrap(item._array)
        t._counter = item._counter
        if _has_history(node, item):
            t._edge = edge_to(node, item.nr)
        return modified(t, version)
    return modified(item, version)


def raw(node: OpNode) -> list[Any]:
    """All saved values with arrays for tensors, after the checks that they are there and unchanged."""
    saved = node.saved
    if saved is None:
        return node.remaining()
    half = len(saved) >> 1
    values: list[Any] = [*saved[:half]]
    for i in node.tensor_places:
        version = saved[half + i]
        if version is not None and (item := values[i]) is not None:
            if type(item) is list:
                values[i] = [_raw_one(node, t, v) for t, v in zip(item, version, strict=True)]
            else:
                if item._counter[0] != version:
                    raise changed(node, item, version)
                values[i] = item._array
    return values


def _raw_one(node: Node, item: Any, version: int) -> Any:
    if item is None:
        return None
    if item._counter[0] != version:
        raise changed(node, item, version)
    return item._array


class Formula:
    """A derivative formula and the places of its parameters among the Node's saved values.

    `edges` are the numbers of the inputs whose gradients it gives: one, or several for a joint formula.
    `of` is PyTorch's name for them.
    """

    __slots__ = ("edges", "fn", "joint", "names", "needs", "of", "take", "writes")

    def __init__(self, fn: Callable[..., Any], edges: tuple[int, ...], joint: bool, of: str = "") -> None:
        self.fn = fn
        self.of = "self" if of == "input" else of
        self.edges = edges
        self.joint = joint
        code = fn.__code__
        self.names = code.co_varnames[2 : code.co_argcount]
        #: see `writes`
        self.writes: tuple[Times, Times] = getattr(fn, "writes", (0, 0))
        #: a joint formula may ask which gradients are wanted
        self.needs = bool(self.names) and self.names[-1] == "needs"
        if self.needs:
            self.names = self.names[:-1]
        #: picks the values that the formula takes out of all that are saved
        self.take: Callable[[list[Any]], Sequence[Any]] = tuple

    def place(self, fields: tuple[str, ...]) -> None:
        """Note where among the saved values those stand that the formula takes."""
        places = [fields.index(n) for n in self.names]
        if len(places) > 1:
            self.take = itemgetter(*places)
        else:  # an itemgetter of one place gives the value itself, no tuple
            self.take = itemgetter(slice(places[0], places[0] + 1) if places else slice(0))


#: how often a formula writes its gradient in place: always as often, or as what the Node has saved says
Times = int | Callable[["OpNode"], int]


def writes(times: Times, recorded: Times | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say of a formula that PyTorch's writes the gradient in place so many times, which counts as versions of it.

    recorded: how often where backward is itself recorded, if it differs.
    """

    def mark(formula: Any) -> Any:
        formula.writes = times, times if recorded is None else recorded
        return formula

    return mark


def says(*words: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Tell in words what a formula gives, where its symbols would be long or are of kernels.

    A pair for each input, English and Chinese: `g` is the gradient, {weight} a saved value by PyTorch's name. In place
    of a pair may stand a function that chooses one, by parameters of the formula that it names; None for the symbols.
    """

    def mark(formula: Any) -> Any:
        formula.words = words
        return formula

    return mark


def sizes_of(field: str, *dims: int) -> dict[str, Callable[[Any], int]]:
    """The constants of a Node for whose gradient PyTorch keeps single sizes of an input: they stand in the shape that
    is saved as `field`."""
    stem = field.removesuffix("_shape").replace("input", "self")

    def size(d: int) -> Callable[[Any], int]:
        return lambda node: node.field(field)[d]

    return {f"{stem}_sym_argsize_{d if d >= 0 else f'minus_{-d}'}": size(d) for d in dims}


def unchanged(F: Any, grad: Any) -> Any:
    """The formula of an input that gets the gradient of the result unchanged."""
    return grad


@writes(1)
def zeros(F: Any, grad: Any) -> Any:
    """The formula of an input on which the operation does not depend: zeros, which PyTorch writes."""
    return F.zeros_like(grad)


def on_reals(ufunc: np.ufunc) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say of a formula that on real arrays it is a ufunc of the gradient and the one value that it takes beside it."""

    def mark(formula: Any) -> Any:
        formula.on_reals = ufunc
        return formula

    return mark


class OpNode(Node):
    """The Node of an operation of the op table."""

    #: what backward left of `saved`: the values, and the versions of tensors, which are None where none was saved (only
    #: where `keeps`)
    __slots__ = ("left",)

    left: tuple[Any, ...]

    simple = True
    special = False
    #: names of what is saved, in the order of `saved`, and their names in PyTorch
    fields: tuple[str, ...] = ()
    saved_names: tuple[str, ...] = ()
    #: which of them are tensors
    tensor_names: tuple[str, ...] = ()
    #: and which of these are lists of tensors
    list_names: tuple[str, ...] = ()
    #: for each field the edges whose gradients need it, None for one that is always needed
    users: tuple[tuple[int, ...] | None, ...] = ()
    #: places of the saved tensors among the fields
    tensor_places: tuple[int, ...] = ()
    #: whether PyTorch keeps `dim` as a tuple even where one was given
    dim_list = False
    #: what backward leaves of `saved`
    leaves: Callable[[tuple[Any, ...]], tuple[Any, ...]]
    #: what PyTorch saves though no formula of ours needs it: its value, or a function of the Node that tells it
    constants: dict[str, Any] = {}
    formulas: tuple[Formula, ...] = ()
    #: formulas that give the tangent of the result from those of inputs, where these are not derived from `formulas`
    jvps: tuple[Formula, ...] = ()
    #: whether each element of the result comes from the elements at its place alone, and whether it is a holomorphic
    #: function of them: `formulas` then give tangents as they give gradients, those of complex numbers conjugated
    elementwise = holomorphic = False
    #: `writes` where backward is itself recorded
    writes_recorded: tuple[int, ...] = ()
    #: the formulas by the names of what they differentiate: the order in which PyTorch's own Nodes record theirs
    recorded: tuple[Formula, ...] = ()

    __init__ = object.__init__  # `start_node` sets what a Node has

    def run(self, grad: Any, F: Any) -> tuple[Any, ...]:
        if grad is None or (self.multi and all(g is None for g in grad)):
            return (None,) * len(self._edges)
        return self.apply(self.formulas, F, grad, raw(self))

    def run_recorded(self, grad: Any, F: Any) -> tuple[Any, ...]:
        if grad is None or (self.multi and all(g is None for g in grad)):
            return (None,) * len(self._edges)
        saved = self.saved
        if saved is None:
            values = self.remaining()
        else:
            if DETACHED:
                refuse_detached(self)
            half = len(saved) >> 1
            values = [*saved[:half]]
            for i in self.tensor_places:
                item, version = values[i], saved[half + i]
                if version is not None and item is not None:
                    if type(item) is not Tensor:
                        values[i] = unpack(self, i)
                    elif item._counter[0] != version:
                        raise changed(self, item, version)
        local = modes.LOCAL.state
        before = local.formula
        if before:  # the engine has set it for the whole pass
            outs = self.apply(self.recorded, F, grad, values)
            return self._counted(outs, grad) if self.writes_recorded else outs
        try:
            local.formula = True
            local.refresh()
            return self._counted(self.apply(self.recorded, F, grad, values), grad)
        finally:
            local.formula = before
            local.refresh()

    def pushing(self, tangents: Sequence[Any]) -> tuple[Formula, ...]:
        """The formulas for these tangents of the inputs: those that the entry has for them or, elementwise, those of
        the gradients."""
        if self.jvps or not self.elementwise or any(f.joint for f in self.formulas):
            return self.jvps
        dtypes = [self.dtype, *[t._array.dtype for t in tangents if t is not None]]
        return self.formulas if self.holomorphic or all(d.kind in "fV" for d in dtypes) else ()

    def push(self, tangents: Sequence[Any], F: Any, numbers: Sequence[int]) -> list[Any]:
        """What tangents of the inputs add to those of the outputs with these numbers, by the formulas `pushing`."""
        saved = self.saved
        if saved is None:
            raise RuntimeError(errors.BACKWARD_TWICE)
        half = len(saved) >> 1
        values = [unpack(self, i) if i in self.tensor_places else value for i, value in enumerate(saved[:half])]
        turned = not self.jvps and self.dtype.kind == "c"
        local = modes.LOCAL.state
        before, local.formula = local.formula, True
        local.refresh()
        try:
            found = []
            for formula in self.pushing(tangents):
                given = [tangents[i] for i in formula.edges]
                if any(t is not None for t in given):
                    if turned:
                        given = [F.conj(t) for t in given]
                    made = formula.fn(F, given if formula.joint else given[0], *formula.take(values))
                    found.append(F.conj(made) if turned else made)
        finally:
            local.formula = before
            local.refresh()
        if not found:
            return [None] * len(numbers)
        rows = [made if self.multi else (made,) for made in found]
        return [self._whole(F, nr, [row[nr] for row in rows if row[nr] is not None]) for nr in numbers]

    def _whole(self, F: Any, nr: int, parts: list[Any]) -> Any:
        """The tangent of output number `nr`, in its shape and dtype, as the sum of what each input adds to it."""
        if not parts:
            return None
        shape, dtype = (self.shape[nr], self.dtype[nr]) if self.multi else (self.shape, self.dtype)
        total = parts[0]
        for part in parts[1:]:
            total = F.add(total, part)
        if total._array.dtype != dtype:
            total = total.to(from_numpy(dtype))
        return total if tuple(total._array.shape) == tuple(shape) else F.expand(total, shape)

    def _counted(self, outs: tuple[Any, ...], grad: Any) -> tuple[Any, ...]:
        """Recorded gradients with the versions that PyTorch's formulas give them."""
        for g, times in zip(outs, self.writes_recorded, strict=False):
            if times and g is not None and g is not grad and g._view is None:
                g._counter = [times]
        return outs

    def apply(self, formulas: tuple[Formula, ...], F: Any, grad: Any, values: list[Any]) -> tuple[Any, ...]:
        """The gradients for the edges that want one, by the formulas on a backend, given the saved values."""
        edges: Any = self._edges  # what `leads` asks, written out
        outs: list[Any] = [None] * len(edges)
        for formula in formulas:
            if formula.joint:
                spread = len(edges) if formula.edges == () else None
                wanted = range(spread) if spread is not None else formula.edges
                needs = [type(edges[i]) is not tuple or edges[i][0] is not None for i in wanted]
                if any(needs):
                    args = formula.take(values)
                    if formula.needs:
                        args = [*args, needs]
                    for i, needed, g in zip(wanted, needs, formula.fn(F, grad, *args), strict=True):
                        if needed:
                            outs[i] = g
            else:
                i = formula.edges[0]
                if type(edges[i]) is not tuple or edges[i][0] is not None:
                    outs[i] = formula.fn(F, grad, *formula.take(values))
        return tuple(outs)

    def release(self) -> None:
        if self.frees:
            if self.keeps and self.saved is not None:
                self.left = self.leaves(self.saved)
            self.saved = None

    def _wanted(self, i: int) -> bool:
        """Whether any gradient that uses saved value number `i` is needed."""
        users = self.users[i]
        return users is None or any(leads(self._edges[e]) for e in users)

    def _remains(self, i: int) -> Any:
        """Saved value number `i` after backward freed the tensors: one that was never saved is None as before."""
        value = self.left[i] if self.keeps else None
        if (value is not None and i in self.tensor_places) or (not self.keeps and self._wanted(i)):
            raise RuntimeError(errors.BACKWARD_TWICE)
        return value

    def remaining(self) -> list[Any]:
        """The saved values once backward has freed the tensors: it may run again where it needed none."""
        return [self._remains(i) for i in range(len(self.fields))]

    def _shown(self, i: int) -> Any:
        value = unpack(self, i) if self.saved is not None else self._remains(i)
        name = self.saved_names[i]
        if type(value) is int and name not in _NUMBERS:
            return (value % 2**64,) if self.dim_list and name == "dim" else value % 2**64
        if name.endswith("_sym_strides"):
            if not self._wanted(i):
                return ()  # PyTorch keeps sizes always, strides only for a gradient that is wanted
            sizes = self._shown(self.saved_names.index(name.removesuffix("strides") + "sizes"))
            return dense(sizes, 1) if 0 in sizes and not any(value) else value  # NumPy has none for an empty array
        if type(value) in (tuple, list) and value and type(value[0]) is int:
            return tuple(v % 2**64 for v in value)
        if name.endswith("_sizes_opt") and value is None:
            return (0,)
        return tuple(value) if isinstance(value, list) else value

    def field(self, name: str) -> Any:
        """A saved value by our own name, also one that PyTorch does not show."""
        return self._shown(self.fields.index(name))

    def __dir__(self) -> list[str]:
        shown = ["_saved_" + n for n in (*self.saved_names, *self.constants) if n]
        return [*super().__dir__(), *shown, *("_raw_saved_" + n for n in self.tensor_names if n)]


# `_saved_*` and `_raw_saved_*` are properties of each class: a `__getattr__` would slow down every other attribute.


@cache
def _saved(name: str) -> property:
    """The attribute `_saved_*` of Nodes that save a value of that name, or a constant."""

    def read(node: Any) -> Any:
        if name in node.saved_names:
            return node._shown(node.saved_names.index(name))
        value = node.constants[name]
        return value(node) if callable(value) else value

    return property(read)


@cache
def _raw_saved(name: str) -> property:
    """The attribute `_raw_saved_*` of Nodes that save a tensor of that name."""

    def read(node: Any) -> Any:
        if name not in node.tensor_names:
            raise AttributeError(f"'{type(node).__name__}' object has no attribute '_raw_saved_{name}'")
        place = node.saved_names.index(name)
        if name not in node.list_names:
            return SavedTensor.of(node, place)
        if node.saved is None:
            raise RuntimeError(errors.BACKWARD_TWICE)
        return tuple(SavedTensor.of(node, place, part) for part in range(len(node.saved[place])))

    return property(read)


class NotImplementedNode(OpNode):
    """The Node of an operation that PyTorch has no derivative for: it has edges to the tensors that require grad and to
    no others, and raises when a gradient comes to it."""

    __slots__ = ()

    @property
    def _edges(self) -> tuple[Edge, ...]:
        return _edges_of(self)

    @_edges.setter
    def _edges(self, edges: tuple[Edge, ...]) -> None:
        _set_edges(self, tuple([edge for edge in edges if edge is not NO_EDGE]))

    @property
    def missing(self) -> str:
        """The operation that has no derivative."""
        found: str = getattr(self.formulas[0].fn, "missing", "")
        return found

    def name(self) -> str:
        """PyTorch's name for it."""
        return NOT_IMPLEMENTED

    def run(self, grad: Any, F: Any) -> tuple[Any, ...]:
        if grad is not None:
            self.formulas[0].fn(F, grad)
        return (None,) * len(self._edges)

    run_recorded = run


_edges_of = vars(Node)["_edges"].__get__
_set_edges = vars(Node)["_edges"].__set__


def _run_of_one(formula: Callable[..., Any], count: int, tensors: bool) -> Callable[..., Any]:
    """`Node.run` of an operation with one edge, whose formula takes all that is saved. tensors: whether there are
    tensors among these `count` values; others are never freed, nor changed."""

    def run(self: Any, grad: Any, F: Any) -> tuple[Any, ...]:
        if grad is None:
            return (None,)
        return (formula(F, grad, *raw(self)),)

    def run_on_values(self: Any, grad: Any, F: Any) -> tuple[Any, ...]:
        return (None if grad is None else formula(F, grad, *self.saved[:count]),)

    return run if tensors else run_on_values


def _run_each(formulas: tuple[Formula, ...]) -> Callable[..., Any]:
    """`Node.run` of an operation with one output and one formula for each edge."""
    parts = [(i, formula.fn, formula.take) for i, formula in enumerate(formulas)]
    nothing = (None,) * len(parts)

    def run(self: Any, grad: Any, F: Any) -> tuple[Any, ...]:
        if grad is None:
            return nothing
        edges = self._edges
        values = raw(self)
        outs = [*nothing]
        for i, fn, take in parts:
            edge = edges[i]
            if type(edge) is not tuple or edge[0] is not None:
                outs[i] = fn(F, grad, *take(values))
        return tuple(outs)

    return run


def _run_joint(formula: Formula) -> Callable[..., Any]:
    """`Node.run` of an operation with one output and one formula for all its edges."""
    fn, take, asks = formula.fn, formula.take, formula.needs

    def run(self: Any, grad: Any, F: Any) -> tuple[Any, ...]:
        edges = self._edges
        if grad is None:
            return (None,) * len(edges)
        args = take(raw(self))
        needs = [type(edge) is not tuple or edge[0] is not None for edge in edges]
        if True not in needs:
            return (None,) * len(edges)
        found = fn(F, grad, *args, needs) if asks else fn(F, grad, *args)
        if False not in needs:
            return tuple(found)
        return tuple([g if needed else None for g, needed in zip(found, needs, strict=True)])

    return run


def _run_of_several(run: Callable[..., Any]) -> Callable[..., Any]:
    """The same of an operation with several outputs, whose gradients come in a list; `run` is that of one output."""
    run_any = own_code(run)

    def run_several(self: Any, grad: Any, F: Any) -> tuple[Any, ...]:
        if grad is not None:
            for g in grad:
                if g is not None:
                    found: tuple[Any, ...] = run_any(self, grad, F)
                    return found
        return (None,) * len(self._edges)

    return run_several


def no_derivative(name: str) -> Callable[..., Any]:
    """The formula of an operation that PyTorch has no derivative for."""

    def formula(F: Any, grad: Any) -> Any:
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    formula.missing = name  # type: ignore[attr-defined]
    return formula


def not_implemented(name: str) -> Callable[..., Any]:
    """The formula of a gradient for which PyTorch's derivatives say that it is not implemented."""

    def formula(F: Any, grad: Any) -> Any:
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return formula


def make_node_class(
    name: str,
    fields: tuple[str, ...],
    formulas: tuple[Formula, ...],
    multi: bool,
    shown: dict[str, str] | None = None,
    tensors: bool = True,
    **methods: Any,
) -> type[OpNode]:
    """The Node class of an operation. `shown` maps our names of saved values to PyTorch's where they differ; tensors:
    whether there may be tensors among these."""
    names = {"input": "self", **(shown or {})}

    def theirs(field: str) -> str:
        if field in ("tensors_shape", "input_dtype", "base", "view"):
            return ""  # PyTorch saves these, but does not show them
        for ending, word in (("_shape", "_sym_sizes"), ("_numel", "_sym_numel"), ("_strides", "_sym_strides")):
            stem = field.removesuffix(ending)
            if stem != field:
                return names.get(field, names.get(stem, stem) + word)
        return names.get(field, field)

    for formula in (*formulas, *methods.get("jvps", ())):
        formula.place(fields)
    saved_names = tuple(theirs(f) for f in fields)
    shown_names = [n for n in saved_names if n]
    methods.update({"_saved_" + n: _saved(n) for n in (*shown_names, *methods.get("constants", ()))})
    methods.update({"_raw_saved_" + n: _raw_saved(n) for n in shown_names})
    not_implemented = name == NOT_IMPLEMENTED
    if not not_implemented and len(formulas) == 1:
        (only,) = formulas
        run: Any = None
        if only.joint and only.edges == tuple(range(len(only.edges))):  # of a list of tensors ()
            run = _run_joint(only)
        elif only.edges == (0,) and not only.joint and only.names == fields:
            run = _run_of_one(only.fn, len(fields), tensors)
        if run is not None:
            methods.setdefault("run", _run_of_several(run) if multi else run)
    elif not (multi or not_implemented or any(f.joint for f in formulas)):
        if [f.edges for f in formulas] == [(i,) for i in range(len(formulas))]:
            methods.setdefault("run", _run_each(formulas))
    if "run" in methods:
        methods["run"] = own_code(methods["run"])
    counts = {i: f.writes for f in formulas for i in f.edges}
    if any(f.writes[0] for f in formulas):
        both = [counts.get(i, (0, 0)) for i in range(1 + max(counts))]
        methods["writes"], methods["writes_recorded"] = map(_times, zip(*both, strict=True))
    made = node_class(
        name.rpartition("::")[2],
        NotImplementedNode if not_implemented else OpNode,
        fields=fields,
        formulas=formulas,
        multi=multi,
        special=multi,
        recorded=tuple(sorted(formulas, key=lambda f: f.of)),
        saved_names=saved_names,
        **methods,
    )
    return made


def _times(each: tuple[Times, ...]) -> Any:
    """What a Node's class has as `writes`: the counts of its gradients, asked of the Node where they differ by call."""
    if not any(callable(n) for n in each):
        return each

    def asked(node: OpNode) -> tuple[int, ...]:
        edges = node._edges
        return tuple([n if isinstance(n, int) else n(node) if leads(edges[i]) else 0 for i, n in enumerate(each)])

    return property(asked)


#: what formulas may ask of an array besides its shape: `input_dtype` ...
PROPERTIES = ("dtype", "numel", "strides", "offset")


def array_property(x: np.ndarray, kind: str) -> Any:
    """What a field like `input_shape`, `input_numel`, `input_strides` or `input_offset` (in elements) or `input_dtype`
    saves of an array."""
    if kind == "shape":
        return x.shape
    if kind == "numel":
        return x.size
    if kind == "strides":
        return tuple(s // x.itemsize for s in strides(x))
    if kind == "offset":
        return 0 if type(x) is not np.ndarray else (address(x) - address(owner(x))) // x.itemsize
    return x.dtype


def start_node(
    new: Callable[[], OpNode], edges: tuple[Edge, ...], shape: Any, numpy: Any, saved: tuple[Any, ...]
) -> OpNode:
    """A Node of an operation that was just computed; `new` makes one."""
    node = new()
    node._seq = sequence()
    node._edges = edges
    node.hooks = None
    node.shape = shape
    node.dtype = numpy
    node.saved = saved
    return node
