"""Nodes of the graph: the base class of every backward function, its hooks, and AccumulateGrad."""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, Union

import numpy as np

from ..runtime import errors, modes
from ..runtime.naming import by_name
from ..types.device import CPU
from ..types.dtypes import from_numpy, tensor_type
from .backend import TENSORS

if TYPE_CHECKING:
    from ..tensor.tensor import Tensor

__all__ = [
    "NO_EDGE",
    "AccumulateGrad",
    "Edge",
    "Hooks",
    "Identity",
    "Node",
    "Pair",
    "RemovableHandle",
    "LeafStart",
    "Start",
    "edge_to",
    "leads",
    "node_class",
    "pair",
    "reachable",
    "sequence",
    "shown",
]

#: where a gradient goes: a Node, as the gradient of its first output, or a Node and the number of an output. That the
#: Node itself is the usual edge saves each operation a tuple
Edge = Union["Node", tuple["Node | None", int]]
Pair = tuple["Node | None", int]
N = TypeVar("N", bound="Node")

#: the edge of a tensor that requires no gradient; compared by identity
NO_EDGE: Pair = (None, 0)


def pair(edge: Edge) -> Pair:
    """The Node that an edge leads to, if any, and the number of its output."""
    return edge if type(edge) is tuple else (edge, 0)  # type: ignore[return-value]


def edge_to(node: Node, nr: int) -> Edge:
    """The edge to output number `nr` of a Node."""
    return (node, nr) if nr else node


def leads(edge: Edge) -> bool:
    """Whether an edge leads to a Node."""
    return type(edge) is not tuple or edge[0] is not None


def reachable(starts: Iterable[Node | None]) -> Iterator[Node]:
    """The Nodes to which gradients come from these, they themselves among them, each once."""
    stack = [node for node in starts if node is not None]
    seen = set(stack)
    while stack:
        node = stack.pop()
        yield node
        for edge in node._edges:
            following = edge[0] if isinstance(edge, tuple) else edge
            if following is not None and following not in seen:
                seen.add(following)
                stack.append(following)


#: numbers Nodes in the order in which they were made; the engine runs the highest ready one first
sequence = itertools.count().__next__
_LAST = 2**64 - 1
_new = object.__new__


class RemovableHandle:
    """Removes a hook (mirrors `torch.utils.hooks.RemovableHandle`); also a context manager."""

    __reduce_ex__ = by_name
    __module__ = "torch.utils.hooks"
    next_id = 0

    def __init__(self, hooks: dict[int, Any], *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref = weakref.ref(hooks)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        extras = extra_dict if isinstance(extra_dict, list) else [] if extra_dict is None else [extra_dict]
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extras)

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        for ref in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = ref()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self) -> tuple[Any, ...]:
        return self.hooks_dict_ref(), self.id, tuple(ref() for ref in self.extra_dict_ref)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        hooks, self.id, extras = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extras)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


class HookDict(OrderedDict[int, Callable[..., Any]]):
    """Hooks by handle id, in the order of registration."""

    def add(self, hook: Callable[..., Any]) -> RemovableHandle:
        handle = RemovableHandle(self)
        self[handle.id] = hook
        return handle

    def __repr__(self) -> str:  # what PyTorch keeps them in
        return repr(OrderedDict(self))


class Hooks:
    """Every hook on one Node. `tensor` and `retain` are kept for each of the forward's outputs."""

    __slots__ = ("post", "pre", "retain", "saved", "tensor")

    def __init__(self) -> None:
        #: whether saved tensors were packed by the user's hooks, so that to unpack them runs code of the user
        self.saved = False
        self.tensor: dict[int, HookDict] = {}
        self.retain: dict[int, weakref.ref[Tensor]] = {}
        self.pre = HookDict()
        self.post = HookDict()


if TYPE_CHECKING:
    read_only = property
else:

    class read_only(property):
        """A property of Nodes that refuses assignment in PyTorch's words."""

        def __set__(self, obj: Any, value: Any) -> None:
            name, kind = self.fget.__name__, type(obj).__name__
            raise AttributeError(f"attribute '{name}' of '{kind}' objects is not writable")

        def __delete__(self, obj: Any) -> None:
            self.__set__(obj, None)


class InputMetadata:
    """Shape, dtype and device of a gradient that a Node takes."""

    __slots__ = ("_dtype", "_shape")
    __module__ = "torch._C._autograd"
    is_nested_tensor = is_cpp_nested_tensor = False

    def __init__(self, shape: Any, numpy: Any) -> None:
        self._shape, self._dtype = shape, numpy

    @property
    def shape(self) -> list[int]:
        return list(self._shape or ())

    @property
    def dtype(self) -> Any:
        return None if self._dtype is None else from_numpy(self._dtype)

    @property
    def device(self) -> Any:
        return CPU


InputMetadata.__name__ = InputMetadata.__qualname__ = "_InputMetadata"

_OFFERED = (
    "__call__",
    "_input_metadata",
    "_register_hook_dict",
    "_sequence_nr",
    "_set_sequence_nr",
    "metadata",
    "name",
    "next_functions",
    "register_hook",
    "register_prehook",
    "requires_grad",
)


class Node:
    """A backward function: it turns the gradients of a forward's outputs into those of its inputs.

    Mirrors `torch.autograd.graph.Node`. `_edges` holds an edge for each input, `next_functions` shows them; `shape` and
    `dtype` describe the forward's output, against which incoming gradients are checked (tuples of them where `multi`).
    A Node must not own a tensor whose history leads back to it, so that graphs are freed without the garbage collector.
    """

    __slots__ = ("__weakref__", "_edges", "_notes", "_seq", "dtype", "hooks", "saved", "shape")
    __module__ = "builtins"

    #: whether the forward has several outputs
    multi = False
    #: whether backward runs code of the user (autograd.Function): it then gets Tensors and runs outside the quiet
    #: context
    user_code = False
    #: PyTorch's name of an operation that has no formula for forward mode; "" for all others
    forwardless = ""
    #: says to which edges the tensors belong by which forward mode multiplies the tangents of others
    multiplied: Callable[[], tuple[int, ...]] = tuple
    #: whether the engine may run it without further checks: arrays in, arrays out, `saved` is all there is to free
    simple = False
    #: whether it is an AccumulateGrad
    accumulates = False
    #: whether the engine has to look at the three above; False of the usual Node, which is simple and has one output
    special = True
    #: whether backward frees anything: a Node that saves no tensor may run again
    frees = False
    #: whether freeing takes more than dropping `saved`
    keeps = False
    #: how often PyTorch's own formulas write each gradient that they make, which counts as versions; None: never
    writes: tuple[int, ...] | None = None
    #: PyTorch's name of the in-place operation that makes it
    in_place = ""
    #: whether programs see what lies behind it in its place
    hidden = False
    #: whether the forward gave one view of its input
    views = False
    #: whether it leads into a vmap, as the engine has to know before it begins
    leaves_rows = False

    _edges: tuple[Edge, ...]
    hooks: Hooks | None
    saved: Any
    shape: Any
    dtype: Any
    _seq: int
    #: what only some Nodes have: the user's `metadata`, and the frames that made it; else unset
    _notes: dict[str, Any]

    def __init__(self) -> None:
        self._seq = sequence()
        self._edges = ()
        self.hooks = None
        self.saved = ()
        self.shape = self.dtype = None

    def __dir__(self) -> list[str]:
        """The public names of PyTorch's Nodes."""
        return [*dir(object), *_OFFERED]

    def name(self) -> str:
        """The name of the Node's class, as `MulBackward0`."""
        return type(self).__name__

    @read_only
    def metadata(self) -> dict[str, Any]:
        """A dict in which anything may be stored with the Node."""
        found: dict[str, Any] = self._noted(make=True).setdefault("metadata", {})
        return found

    def _noted(self, make: bool = False) -> dict[str, Any]:
        """What is noted of it; with `make`, the dict where more may be noted."""
        try:
            return _notes_of(self)
        except AttributeError:
            notes: dict[str, Any] = {}
            if make:
                _note(self, notes)
            return notes

    @property
    def made_at(self) -> Any:
        """The user's frames that made it, where inspectors watched (see `inspectors.snapshot.lines`)."""
        return self._noted().get("made_at", ())

    @made_at.setter
    def made_at(self, frames: Any) -> None:
        self._noted(make=True)["made_at"] = frames

    @read_only
    def next_functions(self) -> tuple[Pair, ...]:
        """For each input the Node that its gradient goes to, or None, and the number of that Node's output."""
        return tuple([_seen(edge if isinstance(edge, tuple) else (edge, 0)) for edge in self._edges])

    @read_only
    def requires_grad(self) -> bool:
        return True

    @read_only
    def _input_metadata(self) -> tuple[InputMetadata, ...]:
        """The shape, dtype and device that the gradient of each forward output must have."""
        if not self.multi:
            return (InputMetadata(self.shape, self.dtype),)
        return tuple(map(InputMetadata, self.shape, self.dtype))

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    def _sequence_nr(self) -> int:
        return self._seq

    def _set_sequence_nr(self, number: int) -> None:
        if not isinstance(number, int):
            raise TypeError("an integer is required")
        self._seq = number

    def outputs(self) -> int:
        """The number of forward outputs, and so of incoming gradients."""
        return len(self.shape) if self.multi else 1

    def _hooks(self) -> Hooks:
        if self.hooks is None:
            self.hooks = Hooks()
        return self.hooks

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call `fn(grad_inputs, grad_outputs)` after the Node ran; what it returns replaces `grad_inputs`."""
        return self._hooks().post.add(fn)

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call `fn(grad_outputs)` before the Node runs; what it returns replaces `grad_outputs`."""
        return self._hooks().pre.add(fn)

    def _register_hook_dict(self, hooks: dict[int, Callable[..., Any]]) -> None:
        self._hooks().tensor[0] = hooks  # type: ignore[assignment]

    # What a kind of Node defines:

    def run(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """Plain backward: arrays in (a list of them where `multi`), arrays or None out, one for each edge.

        `F` is the namespace of kernels on arrays. The engine calls this inside the quiet context.
        """
        raise NotImplementedError

    def run_recorded(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """The same on Tensors, under grad mode, so that the gradient itself has a graph (`create_graph=True`).

        `F` is the namespace of operations on Tensors.
        """
        raise NotImplementedError

    def release(self) -> None:
        """Free the saved values; running a Node that had saved any is then an error."""
        if self.saved:
            self.saved = None

    def __call__(self, *grads: Any, **named: Any) -> Any:
        """Run the Node by hand on Tensors (None for an undefined gradient)."""
        _refuse_named(named)
        if len(grads) != self.outputs():
            raise TypeError(f"expected {self.outputs()} arguments, got {len(grads)} instead")
        for i, g in enumerate(grads):
            if g is not None and not hasattr(g, "_array"):
                raise TypeError(f"argument {i} is not a Variable")
        outs = self.run_recorded(list(grads) if self.multi else grads[0], TENSORS)
        return outs[0] if len(outs) == 1 else tuple(outs)


def _refuse_named(named: dict[str, Any]) -> None:
    if named:
        raise TypeError("keyword arguments are not supported")


def _seen(edge: Pair) -> Pair:
    """The edge as programs see it: Nodes that are hidden from them are passed over."""
    node = edge[0]
    while node is not None and node.hidden:
        edge = pair(node._edges[0])
        node = edge[0]
    return edge


def shown(node: Node | None) -> Node | None:
    """The Node that programs see as the one that made a tensor; None where a functional transform begins."""
    while node is not None and node.hidden:
        node = None if isinstance(node, Start) else pair(node._edges[0])[0]
    return None if node is None or node.accumulates else node


class Identity(Node):
    """Passes its gradient on."""

    __slots__ = ()
    __module__ = "builtins"

    simple = True

    @classmethod
    def after(cls, edge: Edge, array: np.ndarray) -> Identity:
        """The Node that hands gradients of an array on to an edge."""
        made = cls()
        made._edges = (edge,)
        made.shape, made.dtype = array.shape, array.dtype
        return made

    def name(self) -> str:
        return "torch::autograd::Identity"

    def run(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """One step of backward, on arrays."""
        return (grad,)

    def run_recorded(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """One step of backward, on tensors, recorded."""
        return (grad,)


Identity.__name__ = Identity.__qualname__ = "CppFunction"  # of a class that PyTorch has no name for in Python


class Start(Identity):
    """Where a functional transform begins, with a tensor that has a history outside of it. Programs do not see it."""

    __slots__ = ()

    hidden = True


class LeafStart(Start):
    """The same for a transform that goes backward: its tensor is a leaf there."""

    __slots__ = ()


_notes_of = vars(Node)["_notes"].__get__
_note = vars(Node)["_notes"].__set__


class AccumulateGrad(Node):
    """The Node of a leaf: adds what arrives to the leaf's `.grad`.
    One lives as long as a graph (or you) refers to it."""

    __slots__ = ("variable",)
    __module__ = "builtins"

    accumulates = True

    #: adds a gradient to the `.grad` of a leaf; `core/backward/leaves.py` says how
    accumulate: ClassVar[Callable[[Tensor, Tensor], None]]

    variable: Tensor

    @staticmethod
    def of(variable: Tensor) -> AccumulateGrad:
        """A new one for a leaf; to call the class, with an `__init__`, would take twice as long."""
        node: AccumulateGrad = _new(AccumulateGrad)
        node.variable = variable
        node._seq = _LAST
        node._edges = ()
        node.hooks = None
        node.saved = ()
        array = variable._array
        node.shape = array.shape
        node.dtype = array.dtype
        return node

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "variable"]

    def __call__(self, *grads: Any, **named: Any) -> tuple[()]:
        _refuse_named(named)
        if len(grads) != 1:
            raise TypeError(f"expected 1 arguments, got {len(grads)} instead")
        (grad,) = grads
        if grad is not None:
            if not hasattr(grad, "grad_fn"):
                raise TypeError("argument 0 is not a Variable")
            AccumulateGrad.accumulate(self.variable, grad)
        return ()


def node_class(name: str, base: type[N], **attributes: Any) -> type[N]:
    """A Node class of the given name. Its module is `builtins` so that it prints as PyTorch's:
    <MulBackward0 object …>."""
    made: type[N] = type(name, (base,), {"__slots__": (), "__module__": "builtins", **attributes})
    return made


def short_name(node: Node) -> str:
    """The name that PyTorch's messages give a Node: `Exp` for ExpBackward0."""
    return name_in_messages(node.name())


def name_in_messages(name: str) -> str:
    """The same for the name of a Node's class."""
    head, _, tail = name.rpartition("Backward")
    if tail == "s":  # torch::autograd::CopyBackwards
        return name
    return head + ("" if tail == "0" else tail)


def freed_error() -> RuntimeError:
    return RuntimeError(errors.BACKWARD_TWICE)


def modified(t: Any, version: int, origin: str | None = None) -> RuntimeError:
    """The error for a saved tensor that an in-place operation changed; `origin` names the Node that made it."""
    if origin is None:
        node, nr = t._made_by()
        origin = "" if node is None else f", which is output {nr} of {short_name(node)},"
    elif origin:
        origin = f", which is output 0 of {origin},"
    hint = errors.HINT_ANOMALY_ON if modes.current().anomaly else errors.HINT_ANOMALY_OFF
    return RuntimeError(
        errors.MODIFIED.format(
            type=tensor_type(t._array),
            shape=list(t.shape),
            origin=origin,
            now=t._counter[0],
            then=version,
            hint=hint,
        )
    )
