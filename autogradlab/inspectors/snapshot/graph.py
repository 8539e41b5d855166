"""The graph behind tensors as plain facts: Nodes, values, edges; what Nodes saved and who holds it.

`Walk` has the live Nodes and is dropped when the call ends; `Graph` is what remains, and keeps no tensor alive.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from ..values import dtype, has_nan, plain_repr, shape, short
from .callers import LIBRARIES
from .firing import of_inspectors
from .identity import mark
from .kinds import attribute, is_tensor, library, version_of
from .lines import Called, note_of
from .names import dotted, tensors, variable_of
from .origins import Origin, origin
from .rules import Rule, dims_of, inputs_of, op_name, rules_of
from .samples import of_rows, whole

__all__ = [
    "Edge",
    "Graph",
    "Holders",
    "Hook",
    "NodeFact",
    "Saved",
    "Summary",
    "Value",
    "Walk",
    "class_name",
    "describe",
    "edge_of",
    "hook_name",
    "hooks_on",
    "runs_backward",
    "saved_live",
    "summary",
    "unread",
]


@dataclass(frozen=True, slots=True)
class Saved:
    """One saved value. state: "kept", "freed", "changed" (in place,
    so that backward would fail) or "plain" (no tensor)."""

    name: str
    text: str
    shape: str = ""
    state: str = "kept"
    holder: str | None = None  #: the variable that holds it
    says: str = ""  #: PyTorch's words if it cannot be read
    versions: tuple[int, int] | None = None  #: saved at, now

    @property
    def written(self) -> str:
        """How a rule writes it: the variable, a number of the program, else the saved value's own name."""
        number = self.state == "plain" or (self.state == "kept" and not self.shape)
        return self.holder or (self.text if number else self.name)


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook that can be named. kind: "tensor", "post_accumulate"."""

    kind: str
    owner: str
    name: str


@dataclass(frozen=True, slots=True)
class Edge:
    """The edge for input `index` of the Node `source`: it leads to input `number` of the Node `target`. `item`: what a
    drawing calls it where it is not the e1, e2, … of all edges in order."""

    source: str
    index: int
    target: str
    number: int
    item: str = ""


@dataclass(frozen=True, slots=True)
class NodeFact:
    """A Node. `accumulates`: it is an AccumulateGrad, and the leaf `leaf` stands for it."""

    id: str
    cls: str
    op: str
    inputs: int
    saved: tuple[Saved, ...] = ()
    accumulates: bool = False
    origin: Origin | None = None
    metadata: tuple[tuple[str, str], ...] = ()
    data: tuple[tuple[int, str], ...] = ()  #: inputs without gradient that are known: number, value id
    leads: str = ""  #: the nearest named result that it leads to
    outputs: int = 1  #: how many outputs the forward had
    order: int = 0  #: its place among the Nodes, the one made first has 0
    rules: tuple[
        Rule | None, ...
    ] = ()  #: for each input what it does to the gradient, from the formula of the op table
    function: str = ""  #: of a Function of the learner's, the method that its backward calls: "Cube.backward"
    dims: int | None = None  #: of the gradient that it takes, by what it knows: in a vmap those of one row


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor. kind: "leaf", "value" (a non-leaf), "data" (no gradient). `of`: the Node that made it,
    and which output."""

    id: str
    name: str | None
    text: str
    shape: str
    dtype: str
    kind: str
    of: tuple[str, int] | None = None
    root: bool = False
    grad: str | None = None
    retains: bool = False
    version: int = 0
    origin: Origin | None = None
    hooks: tuple[Hook, ...] = ()
    nan: bool = False  #: whether a NaN is among its numbers
    mark: str = ""  #: the same in every card (identity)


@dataclass(frozen=True, slots=True)
class Graph:
    nodes: tuple[NodeFact, ...]
    edges: tuple[Edge, ...]
    values: tuple[Value, ...]
    roots: tuple[str, ...]

    def part(self, ids: Set[str]) -> Graph:
        """These Nodes, those that they lead to and those of the roots, and what they make and read."""
        edges = tuple(
            replace(edge, item=f"e{number}") for number, edge in enumerate(self.edges, 1) if edge.source in ids
        )
        kept = ids | {edge.target for edge in edges} | {v.of[0] for v in self.values if v.root and v.of is not None}
        nodes = tuple(node for node in self.nodes if node.id in kept)
        read = {value for node in nodes for _, value in node.data}
        values = tuple(v for v in self.values if v.root or v.id in read or (v.of is not None and v.of[0] in kept))
        return Graph(nodes, edges, values, self.roots)


@dataclass(frozen=True, slots=True)
class Summary:
    """A graph too large to draw. `widest`: the largest number of Nodes at one distance from the root,
    and that distance."""

    nodes: int
    edges: int
    leaves: tuple[str, ...]
    leaf_count: int
    classes: tuple[tuple[str, int], ...]
    depth: int
    widest: tuple[int, int]


class Walk:
    """The live Nodes that can be reached from tensors, in the order in which they are found; nothing is recursive."""

    def __init__(self, roots: Sequence[Any], limit: int | None = None) -> None:
        self.roots = list(roots)
        self.starts = [edge_of(t) for t in roots]
        self.nodes: list[Any] = list(dict.fromkeys(node for node, _ in self.starts if node is not None))
        self.nexts: list[tuple[tuple[Any, int], ...]] = []
        self.complete = True
        ids = {node: f"n{i}" for i, node in enumerate(self.nodes, 1)}
        for node in self.nodes:  # grows while it is walked
            if limit is not None and len(self.nexts) == limit:
                self.complete = False
                self.nodes = self.nodes[:limit]
                ids = {known: ids[known] for known in self.nodes}
                break
            nexts = tuple(node.next_functions)
            self.nexts.append(nexts)
            for follower, _ in nexts:
                if follower is not None and follower not in ids:
                    ids[follower] = f"n{len(ids) + 1}"
                    self.nodes.append(follower)
        self.ids = ids

    def earliest(self, count: int, needed: Container[str] | None = None) -> set[Any]:
        """The Nodes of operations that a backward comes to first, among those that it needs: the ones made last."""
        made = [n for n in self.nodes if not hasattr(n, "variable") and (needed is None or self.ids[n] in needed)]
        return set(heapq.nlargest(count, made, key=lambda node: node._sequence_nr()))

    def edges(self) -> Iterator[Edge]:
        for node, nexts in zip(self.nodes, self.nexts, strict=False):
            for index, (target, number) in enumerate(nexts):
                if target in self.ids:
                    yield Edge(self.ids[node], index, self.ids[target], number)


def edge_of(tensor: Any) -> tuple[Any, int]:
    """The Node that a tensor's gradient enters, and as which input: its maker, or a leaf's AccumulateGrad."""
    if not tensor.requires_grad:
        return None, 0
    node = tensor.grad_fn
    if node is not None:
        return node, tensor.output_nr
    with library(tensor).enable_grad():  # a leaf says it by a view of it, which is recorded
        node = tensor.view_as(tensor).grad_fn
    return (None, 0) if node is None else (node.next_functions[0][0], 0)


def class_name(node: Any) -> str:
    """`MulBackward0`, `AccumulateGrad`, `MyFunctionBackward`."""
    name = str(node.name())
    return name.rsplit("::", 1)[-1]


def function_of(node: Any) -> str:
    """What the backward of a Node of the learner's own Function calls, such as `Cube.backward`; "" of all others."""
    made = getattr(type(node), "_forward_cls", None)
    if made is None or made.__module__.split(".", 1)[0] in LIBRARIES:
        return ""
    return f"{made.__name__}.{'vjp' if 'vjp' in vars(made) else 'backward'}"


def runs_backward(node: Any) -> bool:
    """Whether the backward of a Function calls one of its own, as that of reentrant checkpointing does: what this
    reaches is no part of the graph."""
    written = getattr(attribute(getattr(type(node), "_forward_cls", None), "backward"), "__code__", None)
    return written is not None and "backward" in written.co_names


# -- what Nodes saved --------------------------------------------------------------------------------------------------

_SAVED = "_saved_"
_VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")


_known: dict[tuple[type, str], tuple[str, ...]] = {}


def _attributes(node: Any) -> tuple[str, ...]:
    """The names of what a Node saved; asked once for each class (PyTorch's answer takes a while)."""
    key = type(node), str(node.name())
    if key not in _known:
        _known[key] = tuple(a for a in dir(node) if a.startswith(_SAVED))
    return _known[key]


def saved_live(node: Any) -> Iterator[tuple[str, Any, Exception | None]]:
    """Everything a Node saved, by name: the value, or the error that PyTorch gives for it."""
    if hasattr(type(node), "_forward_cls") or hasattr(type(node), "saved_tensors"):  # the Node of an autograd.Function
        try:
            kept = node.saved_tensors
        except Exception as error:
            yield "saved_tensors", None, error
        else:
            yield from ((f"saved_tensors[{i}]", value, None) for i, value in enumerate(kept))
        return
    for saved in _attributes(node):
        try:
            value = getattr(node, saved)
            yield saved[len(_SAVED) :], whole(value) if of_rows(value) else value, None
        except Exception as error:
            yield saved[len(_SAVED) :], None, error


def saved_of(node: Any, live: Iterable[tuple[str, Any, Exception | None]], holder: Any) -> tuple[Saved, ...]:
    """The facts about what a Node saved (`saved_live`); `holder` gives the variable that holds a tensor, or None."""
    found = []
    for name, value, error in live:
        if error is not None:
            state, versions = unread(error)
            found.append(Saved(name, "", state=state, says=str(error).split(". Hint")[0], versions=versions))
        elif is_tensor(value):
            number = constant(value, holder(value))
            size = "" if number else f"{shape(value)} {dtype(value)}"
            found.append(Saved(name, number or short(value), size, "kept", holder(value)))
        elif isinstance(value, (tuple, list)) and value and all(is_tensor(v) for v in value):
            text = ", ".join(holder(v) or short(v) for v in value[:8])
            found.append(Saved(name, f"[{text}]", "", "kept"))
        else:
            found.append(Saved(name, _plain(value), state="plain"))
    places = {name: i for i, name in enumerate(inputs_of(class_name(node)))}  # self before other
    return tuple(sorted(found, key=lambda s: places.get(s.name, 99)))


def unread(error: Exception) -> tuple[str, tuple[int, int] | None]:
    """What it means that a saved value cannot be read: the state of a `Saved`; its versions where it was changed."""
    words = str(error)
    versions = _VERSIONS.search(words)
    if versions is not None:
        return "changed", (int(versions[2]), int(versions[1]))
    return "freed" if "second time" in words else "unreadable", None


def constant(tensor: Any, holder: str | None) -> str:
    """A number of the program, such as the 2 in `2 * w`, which Nodes save as a tensor; "" if it is something else."""
    if holder is not None or tensor.requires_grad or tuple(tensor.shape) != () or tensor.dtype.is_complex:
        return ""
    try:
        value = tensor.item()
        whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e6
        return str(value) if isinstance(value, bool) else f"{value:g}{'.' if whole else ''}"
    except Exception:  # a meta tensor has no number
        return ""


def _plain(value: Any) -> str:
    if isinstance(value, int) and value >= 2**63:
        value -= 2**64  # a negative dim as C++ hands it out
    text = f"{value:g}" if isinstance(value, float) else plain_repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


# -- description -------------------------------------------------------------------------------------------------------


class Holders:
    """The caller's variables: names of tensors, tensors by the Node that made them."""

    def __init__(self, space: Mapping[str, Any]) -> None:
        self.space = space
        self.named: dict[int, tuple[str, Any]] = {}
        self.made: dict[tuple[Any, int], list[Any]] = {}
        self.places: dict[tuple[Any, ...], str] = {}
        self.origins: dict[str, Origin | None] = {}
        self.unheld: set[str] = set()  # names that no variable leads to
        for name, tensor in tensors(space):
            if id(tensor) in self.named:
                continue
            self.named[id(tensor)] = name, tensor
            self.places.setdefault(where(tensor), name)
            self.add(tensor)

    def add(self, tensor: Any) -> None:
        try:
            node = tensor.grad_fn
        except RuntimeError:  # a view whose base was changed in a way that forbids a history
            return
        if node is not None:
            known = self.made.setdefault((node, tensor.output_nr), [])
            if not any(t is tensor for t in known):
                known.append(tensor)

    def meet(self, walk: Walk) -> None:
        """Parameters that no variable leads to are named after the Module that was called: `Linear.weight`,
        `Sequential[0].weight`; of a second such Module, `Linear₂.weight`."""
        leaves = {id(n.variable): n.variable for n in walk.nodes if hasattr(n, "variable")}
        nameless = leaves.keys() - self.named.keys()
        if not nameless:
            return
        titles: dict[str, int] = {}
        for node in sorted(walk.nodes, key=lambda node: node._sequence_nr()):
            for step in note_of(node):
                if not isinstance(step, Called):
                    continue
                module = step.module()
                held = (
                    [(path, id(p)) for path, p in module.named_parameters()] if module is not None else step.parameters
                )
                found = [(path, ident) for path, ident in held if ident in nameless]
                if not found:
                    continue
                titles[step.kind] = count = titles.get(step.kind, 0) + 1
                title = step.kind + ("" if count == 1 else str(count).translate(_SUBSCRIPT))
                for path, ident in found:
                    name = dotted(title, path)
                    self.named[ident] = name, leaves[ident]
                    self.places.setdefault(where(leaves[ident]), name)
                    self.unheld.add(name)
                nameless -= {ident for _, ident in found}

    def name(self, tensor: Any) -> str | None:
        known = self.named.get(id(tensor))
        return known[0] if known is not None else None

    def holder(self, tensor: Any) -> str | None:
        """The variable that holds a saved tensor. (Nodes save outputs as tensors of their own with the same memory.)"""
        return self.name(tensor) or (self.places.get(where(tensor)) if tensor.numel() else None)

    def origin(self, name: str | None) -> Origin | None:
        """Where a variable was assigned; an item or attribute where its container was."""
        if name is None or name.endswith(".grad") or name in self.unheld:
            return None
        root = variable_of(name)
        if root not in self.origins:
            self.origins[root] = origin(root, self.space)
        return self.origins[root]


_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def where(tensor: Any) -> tuple[Any, ...]:
    """The memory that a tensor shows."""
    try:
        return tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.requires_grad, tensor.is_conj()
    except Exception:  # sparse, meta and the like
        return (id(tensor),)


def describe(walk: Walk, holders: Holders, told: Container[Any] | None = None) -> Graph:
    """The facts of a graph, and nothing alive; `told`: the Nodes of which it is asked what they saved and what they do,
    which takes time (None: all)."""
    return _Description(walk, holders, told).graph()


class _Description:
    def __init__(self, walk: Walk, holders: Holders, told: Container[Any] | None) -> None:
        self.walk = walk
        self.holders = holders
        self.told = told
        holders.meet(walk)
        self.values: list[Value] = []
        self.data: dict[int, tuple[str, Any]] = {}
        self.places: dict[tuple[str, int], str] = {}

    def graph(self) -> Graph:
        walk, holders = self.walk, self.holders
        for root in walk.roots:
            holders.add(root)
        roots = tuple(
            self._output(*start, root=True) or self._single(t) for t, start in zip(walk.roots, walk.starts, strict=True)
        )
        nodes: list[NodeFact] = []
        ordered = sorted(walk.nodes, key=lambda node: node._sequence_nr())
        self.outputs: dict[str, int] = {}
        for edge in walk.edges():
            self.outputs[edge.target] = max(self.outputs.get(edge.target, 1), edge.number + 1)
        for node, number in holders.made:
            if node in walk.ids:
                self.outputs[walk.ids[node]] = max(self.outputs.get(walk.ids[node], 1), number + 1)
        self.order = {node: i for i, node in enumerate(ordered)}
        for node, nexts in zip(walk.nodes, walk.nexts, strict=False):
            for number in sorted({nr for made, nr in self._outputs(node)}):
                self._output(node, number)
            nodes.append(self._node(node, nexts))
        return Graph(tuple(self._led(nodes)), tuple(walk.edges()), tuple(self.values), roots)

    def _outputs(self, node: Any) -> list[tuple[Any, int]]:
        if hasattr(node, "variable"):
            return [(node, 0)]
        return self._by_node().get(node, [])

    def _by_node(self) -> dict[Any, list[tuple[Any, int]]]:
        if not hasattr(self, "_made"):
            self._made: dict[Any, list[tuple[Any, int]]] = {}
            for node, number in self.holders.made:
                self._made.setdefault(node, []).append((node, number))
        return self._made

    def _output(self, node: Any, number: int, root: bool = False) -> str | None:
        """The value that is output `number` of a Node (for AccumulateGrad its leaf), described once."""
        if node is None or node not in self.walk.ids:
            return None
        place = self.walk.ids[node], number
        if place not in self.places:
            leaf = getattr(node, "variable", None)
            held = [leaf] if leaf is not None else self.holders.made.get((node, number), [])
            if not held:
                return None
            roots = any(t is r for t in held for r in self.walk.roots)
            self.places[place] = self._value(held[0], "leaf" if leaf is not None else "value", place, root or roots)
        return self.places[place]

    def _single(self, tensor: Any) -> str:
        return self._value(tensor, "leaf" if tensor.requires_grad else "data", None, True)

    def _value(self, tensor: Any, kind: str, place: tuple[str, int] | None, root: bool = False) -> str:
        name = self.holders.name(tensor)
        text = (constant(tensor, name) if kind == "data" else "") or short(tensor)
        retains = kind == "value" and bool(tensor.retains_grad)
        grad = short(tensor.grad) if kind == "leaf" or retains else None
        self.values.append(
            Value(
                f"v{len(self.values) + 1}",
                name,
                text,
                shape(tensor),
                dtype(tensor),
                kind,
                place,
                root,
                grad,
                retains,
                version_of(tensor) or 0,
                self.holders.origin(name),
                hooks_of(tensor, name or ""),
                has_nan(tensor.detach()),
                mark(tensor, name),
            )
        )
        return self.values[-1].id

    def _node(self, node: Any, nexts: tuple[tuple[Any, int], ...]) -> NodeFact:
        cls = class_name(node)
        accumulates = hasattr(node, "variable")
        told = not accumulates and (self.told is None or node in self.told)
        live = list(saved_live(node)) if told else []
        saved = saved_of(node, live, self.holders.holder) if live else ()
        metadata = tuple((str(k), _plain(v)) for k, v in dict(node.metadata).items())
        data = self._data(live, cls, nexts)
        return NodeFact(
            self.walk.ids[node],
            cls,
            op_name(cls),
            len(nexts),
            saved,
            accumulates,
            self._origin(node),
            metadata,
            data,
            "",
            self.outputs.get(self.walk.ids[node], 1),
            self.order[node],
            rules_of(cls, node, nexts, live) if told else (),
            function_of(node),
            dims_of(node) if told else None,
        )

    def _origin(self, node: Any) -> Origin | None:
        for made, number in self._outputs(node):
            for tensor in self.holders.made.get((made, number), []):
                if (found := self.holders.origin(self.holders.name(tensor))) is not None:
                    return found
        return None

    def _data(
        self, live: Sequence[tuple[str, Any, Exception | None]], cls: str, nexts: tuple[tuple[Any, int], ...]
    ) -> tuple[tuple[int, str], ...]:
        """Inputs that need no gradient and were saved."""
        found = []
        if any(target is None for target, _ in nexts):
            names = inputs_of(cls)
            kept = {name: value for name, value, _ in live if is_tensor(value)}
            for index, (target, _) in enumerate(nexts):
                name = names[index] if index < len(names) else ""
                if target is None and name in kept and not kept[name].requires_grad:
                    value = kept[name]
                    if id(value) not in self.data:
                        self.data[id(value)] = self._value(value, "data", None), value
                    found.append((index, self.data[id(value)][0]))
        return tuple(found)

    def _led(self, nodes: list[NodeFact]) -> list[NodeFact]:
        """Nodes without a name of their own take the origin of the nearest named result that they lead to."""
        known: dict[str, tuple[Origin | None, str]] = {}
        names = {v.of[0]: v.name for v in self.values if v.of is not None and v.name is not None and v.kind == "value"}
        by_id = {node.id: node for node in nodes}
        for node in nodes:
            if node.id in names:
                known[node.id] = node.origin, ""
        for edge in self.walk.edges():  # Nodes come after a Node that uses them
            if edge.source in known and edge.target not in known and edge.target in by_id:
                first, led = known[edge.source]
                known[edge.target] = first, led or names.get(edge.source) or ""
        return [_with(node, *known.get(node.id, (node.origin, ""))) for node in nodes]


def _with(node: NodeFact, found: Origin | None, leads: str) -> NodeFact:
    if node.accumulates or (found is node.origin and not leads):
        return node
    return replace(node, origin=found, leads=leads)


def hooks_of(tensor: Any, owner: str) -> tuple[Hook, ...]:
    """The hooks on a tensor that can be seen, by kind and name."""
    kinds = (("tensor", "_backward_hooks"), ("post_accumulate", "_post_accumulate_grad_hooks"))
    return tuple(
        Hook(kind, owner, hook_name(hook))
        for kind, attribute in kinds
        for hook in (getattr(tensor, attribute, None) or {}).values()
        if not of_inspectors(hook)
    )


def hook_name(hook: Any) -> str:
    """What a hook is called; of the backward hooks of a Module, which stand behind one hook of ours or of PyTorch's,
    those of the learner, with the class of the Module ("" where there are none)."""
    name = attribute(hook, "__qualname__") or type(hook).__qualname__
    border = next((c for c in _enclosed(hook) if type(c).__name__ == "BackwardHook"), None)
    if border is not None:
        before = border.user_pre_hooks if "setup_output" in name else ()
        theirs = before or border.user_hooks
        return f"{', '.join(map(hook_name, theirs))} ({type(border.module).__name__})" if theirs else ""
    return str(name).rsplit("<locals>.", 1)[-1]


def _enclosed(function: Any) -> Iterator[Any]:
    """What a function holds of the one around it."""
    for cell in attribute(function, "__closure__") or ():
        with suppress(ValueError):  # one that is empty as yet
            yield cell.cell_contents


def hooks_on(node: Any) -> tuple[str, ...]:
    """The names of a Node's own hooks. Only the handle of a hook leads to them: one of ours is there for a moment."""
    found = []
    for register in (node.register_prehook, node.register_hook):
        handle = register(_nothing)
        found += [hook_name(hook) for hook in handle.hooks_dict_ref().values() if not of_inspectors(hook)]
        handle.remove()
    return tuple(filter(None, found))


def _nothing(*given: Any) -> None:
    """A hook that does nothing."""


# -- summary -----------------------------------------------------------------------------------------------------------


def summary(walk: Walk, holders: Holders, shown: int = 12) -> Summary:
    """Counts, for graphs that are too large for a picture."""
    classes = Counter(class_name(node) for node in walk.nodes)
    leaves = [node.variable for node in walk.nodes if hasattr(node, "variable")]
    distance = dict.fromkeys(walk.nodes, 0)
    edges = 0
    for node in _outward(walk):
        for target, _ in walk.nexts[int(walk.ids[node][1:]) - 1]:
            if target in distance:
                edges += 1
                distance[target] = max(distance[target], distance[node] + 1)
    levels = Counter(distance.values())
    widest = max(levels.items(), key=lambda item: (item[1], -item[0]), default=(0, 0))
    names = tuple(holders.name(leaf) or shape(leaf) for leaf in leaves[:shown])
    ordered = sorted(classes.items(), key=lambda item: (-item[1], item[0]))
    return Summary(
        len(walk.nodes), edges, names, len(leaves), tuple(ordered), max(levels, default=0), (widest[1], widest[0])
    )


def _outward(walk: Walk) -> Iterable[Any]:
    """Nodes so that each comes after all that use it."""
    waiting = dict.fromkeys(walk.nodes, 0)
    for nexts in walk.nexts:
        for target, _ in nexts:
            if target in waiting:
                waiting[target] += 1
    ready = [node for node, count in waiting.items() if not count]
    for node in ready:  # grows while it is walked
        for target, _ in walk.nexts[int(walk.ids[node][1:]) - 1]:
            if target in waiting:
                waiting[target] -= 1
                if not waiting[target]:
                    ready.append(target)
    return ready
