"""Reasons: why a tensor's `.grad` is None. The one place that knows; `show` and `why` say it.

A `Reason` is a kind and the fields of its sentence; `lead`, `sentence` and `cure` put it into words.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...ops.table.symbols import without_derivative
from ..prose import code
from ..values import dtype
from ..words import say
from .called import called
from .calls import bracketed
from .cuts import copied, cut, gradient_in, leaves_by, names_itself, unrecorded, was_to_learn
from .failing import parsed
from .firing import of_inspectors
from .graph import class_name, function_of, runs_backward, saved_live, unread
from .kinds import attribute, in_transform, is_module, is_parameter, is_tensor
from .lines import lines_of
from .names import Names, Space
from .origins import Origin, of_several, origin

__all__ = [
    "KINDS",
    "Below",
    "Reason",
    "advice",
    "always_none",
    "cure",
    "grad_reason",
    "is_freed",
    "lead",
    "sentence",
    "takes_learning",
    "without_gradient",
]

#: Every kind that there is; each has a sentence and, but for the first, a cure in words/reasons.toml.
KINDS = (
    "present",
    "integer",
    "boolean",
    "counted",
    "transformed",
    "inference",
    "no_grad",
    "rebound_block",
    "detached",
    "numbers",
    "copied",
    "outside",
    "through_counts",
    "gradient",
    "unrecorded",
    "unrecorded_in",
    "not_required",
    "frozen",
    "rebound",
    "wrapped",
    "nonleaf",
    "stopped",
    "retained",
    "retained_freed",
    "retained_overwritten",
    "overwritten",
    "no_backward",
    "cleared",
    "within",
    "off_path",
    "unused",
)

#: Kinds whose cure calls a method of the tensor: it must have a name for that.
_CALLED = frozenset({"integer", "boolean", "detached", "not_required", "frozen", "nonleaf"})

#: Kinds that a backward ends; the others stay.
_PASSING = frozenset(KINDS[KINDS.index("retained") :]) | {"present"}

#: Methods that make integers or booleans of a tensor: no operations, and as little differentiable.
COUNTING = frozenset({"bool", "byte", "char", "int", "long", "short"})

#: Nodes that are looked at in search of a leaf.
MANY = 20_000


@dataclass(frozen=True, slots=True)
class Reason:
    """Why `.grad` is None; kind "present" if it is not. The fields are plain strings."""

    kind: str
    fields: Mapping[str, str] = field(default_factory=dict)


def lead(reason: Reason) -> str:
    """The first words: "`.grad` is None and stays None:"; of what is a `.grad` itself, whose is meant."""
    if reason.kind == "gradient":
        return say("reasons.lead_gradient", name=reason.fields["name"])
    stays = reason.kind not in _PASSING
    return say("reasons.lead_stays" if stays else "reasons.lead")


def sentence(reason: Reason) -> str:
    words = say(f"reasons.{reason.kind}", **reason.fields)
    for key, more in (
        ("written", "reasons.written"),
        ("hooks", "reasons.hooked"),
        ("functions", "reasons.handed_none"),
    ):
        if key in reason.fields and reason.kind not in ("within", "stopped"):
            words = say("reasons.both", sentence=words, cure=say(more, **{key: reason.fields[key]}))
    return words


def cure(reason: Reason) -> str:
    """What to write instead; empty where nothing is wrong."""
    if reason.kind == "present":
        return ""
    hooked = reason.kind == "no_backward" and "hooks" in reason.fields
    key = "reasons.hooked_cure" if hooked else f"reasons.{reason.kind}_cure"
    words = say(key, **{"call": reason.fields["name"]} | dict(reason.fields))
    named = "call" not in reason.fields or reason.kind not in _CALLED
    if named:
        return words
    return say("reasons.both", sentence=say("reasons.name_first", name=reason.fields["name"]), cure=words)


def advice(reason: Reason) -> str:
    """The reason and what to write instead, one after the other."""
    told = cure(reason)
    return say("reasons.both", sentence=sentence(reason), cure=told) if told else sentence(reason)


def grad_reason(tensor: Any, names: Names, space: Mapping[str, Any] | None = None, name: str | None = None) -> Reason:
    """Why the tensor's `.grad` is None, by what it is, what the named results were made of and, with the caller's
    namespace, the expression that made it. `name` is what to call it, if it is one of its names or it has none."""
    known = names.all(tensor)
    name = name if name in known else known[0] if known else name or "t"
    fields = {"name": name}
    if not known and not name.isidentifier():
        fields["call"] = "t"  # what it would be called if it had a name
    if (tensor.is_leaf or tensor.retains_grad) and tensor.grad is not None:
        return Reason("present", fields)
    made = None
    if space is not None and known:
        made = origin(name, space, not tensor.is_leaf, not tensor.is_leaf, lines_of(tensor.grad_fn))
    if made is not None:
        fields["source"] = made.source
    if not (tensor.is_floating_point() or tensor.is_complex()):
        computed = made is not None and space is not None and _computed(made.computed, space)
        kind = "counted" if computed else "boolean" if dtype(tensor) == "bool" else "integer"
        return Reason(kind, fields | {"dtype": dtype(tensor)})
    if in_transform(tensor):
        return Reason("transformed", fields)
    if not tensor.requires_grad:
        return _without(tensor, fields, made, names, space)
    if not tensor.is_leaf:
        return _non_leaf(tensor, fields, made, names)
    return _leaf(tensor, fields, names)


# -- tensors that do not require grad ----------------------------------------------------------------------------------


def _without(
    tensor: Any, fields: dict[str, str], made: Origin | None, names: Names, space: Mapping[str, Any] | None
) -> Reason:
    if tensor.is_inference():
        return Reason("inference", fields)
    if _is_gradient(tensor, fields["name"], made, names):
        return Reason("gradient", fields)
    if made is not None:
        within = made.within if made.exact else ()
        if (block := next((w for w in within if "no_grad" in w or "grad_enabled(False)" in w), None)) is not None:
            again = names_itself(made, fields["name"])
            return Reason("rebound_block" if again else "no_grad", fields | {"block": block})
        for kind, spelled in _cuts(made.computed, space or {}):
            kind = "detached" if kind == "cut" else "copied" if copied(spelled) else kind
            return Reason(kind, fields | {"cut": spelled})
        if space is not None and (counts := without_gradient(made.computed, space)):
            return Reason("through_counts", fields | {"counts": counts})
        if looked := gradient_in(_expression(made.computed), space or {}):
            held = Reason("gradient", {"name": looked})
            return Reason("outside", fields | {"inside": sentence(held), "inside_cure": cure(held), "before": looked})
        if was_to_learn(tree := _expression(made.computed), space or {}):
            found = unrecorded(tree, space or {}, fields, made)
            return Reason(found.kind, found.fields)
        if isinstance(space, Space) and (before := _before(made, fields["name"], space)) is not None:
            told = {"inside": sentence(before), "inside_cure": cure(before), "before": before.fields["name"]}
            if before.kind != "no_grad" and isinstance(ast.parse(before.fields["source"]).body[0], ast.Expr):
                told["before"] += f" = {before.fields['source']}"
            return Reason("outside", fields | told)
    return Reason("frozen" if is_parameter(tensor) else "not_required", fields)


def _before(made: Origin, name: str, space: Space) -> Reason | None:
    """Why something has left the graph that a value was computed from, if it was computed from what requires grad."""
    found = cut(parsed(made.computed), space, name)
    kind = {"no_grad": "no_grad", "cut": "detached", "numbers": "numbers"}.get(found.kind)
    if kind is None or found.cause is None or found.fields["name"] == name:
        return None
    held: list[Any] = [space.get(n.id) for n in ast.walk(_expression(found.cause.computed)) if isinstance(n, ast.Name)]
    return Reason(kind, found.fields) if any(is_tensor(t) and t.requires_grad for t in held) else None


def without_gradient(source: str, space: Mapping[str, Any]) -> str:
    """What in an expression takes a tensor that requires grad and has no derivative, as written; "" for nothing."""
    tree = _expression(source)
    for node in () if of_several(tree) else ast.walk(tree):
        asked = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
        if not (isinstance(node, ast.Compare) or asked in COUNTING or (asked and without_derivative(asked))):
            continue
        if takes_learning(node, space):
            return ast.unparse(node)
    return ""


def takes_learning(source: ast.AST | str, space: Mapping[str, Any]) -> bool:
    """Whether something that requires grad is named in an expression."""
    tree = _expression(source) if isinstance(source, str) else source
    return any(_requires(space.get(node.id)) for node in ast.walk(tree) if isinstance(node, ast.Name))


def _requires(thing: Any) -> bool:
    """Whether it is a tensor that requires grad, or a Module of which something does."""
    if is_module(thing):
        return any(parameter.requires_grad for parameter in thing.parameters())
    return is_tensor(thing) and bool(thing.requires_grad)


def _computed(source: str, space: Mapping[str, Any]) -> bool:
    """Whether it compares, or computes with a tensor: `x > 0`, `logits.argmax(1)`, `Sort.apply(w)`."""
    match _expression(source):
        case ast.Module(body=[ast.Expr(value=ast.Compare())]):
            return True
        case ast.Module(body=[ast.Expr(value=ast.Call() | ast.BinOp() | ast.UnaryOp() | ast.Subscript() as made)]):
            parts = list(ast.walk(made))
            named = any(isinstance(n, ast.Name) and is_tensor(space.get(n.id)) for n in parts)
            return named or any(isinstance(n, ast.Compare) for n in parts)
    return False


def _is_gradient(tensor: Any, name: str, made: Origin | None, names: Names) -> bool:
    """Whether it is the `.grad` of a tensor that has a name, or was written as a gradient."""
    held = (t for _, t in names if is_tensor(t) and (t.is_leaf or t.retains_grad))
    if any(t.grad is tensor for t in held) or name.endswith(".grad"):
        return True
    match _expression(made.computed if made is not None else ""):
        case ast.Module(body=[ast.Expr(value=ast.Attribute(attr="grad") | ast.Call(func=ast.Attribute(attr="grad")))]):
            return True
    return False


def _cuts(source: str, space: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """By what an expression leaves the graph, the last that is applied first."""
    tree = _expression(source)
    for node in () if of_several(tree) else ast.walk(tree):
        if (left := leaves_by(node, space)) is not None:
            yield left


def _expression(source: str) -> ast.AST:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


# -- results of operations ---------------------------------------------------------------------------------------------


def _non_leaf(tensor: Any, fields: dict[str, str], made: Origin | None, names: Names) -> Reason:
    fields["node"] = class_name(tensor.grad_fn)
    if tensor.retains_grad:
        graph = Below(names)
        root = graph.root_of(graph.above(tensor.grad_fn)) or (fields["name"], tensor)
        state, blocking = _obstacle(root[1])
        return Reason(f"retained_{state}" if state else "retained", fields | blocking | _called(*root))
    if made is not None:
        tree = _expression(made.computed)
        again = any(isinstance(n, ast.Name) and n.id == fields["name"] for n in ast.walk(tree)) and not _written(tree)
        if again and _rests_on_a_nameless_leaf(tensor, names):
            return Reason("rebound", fields)
        if any(
            isinstance(n, ast.keyword) and n.arg == "requires_grad" and ast.unparse(n.value) == "True"
            for n in ast.walk(tree)
        ):
            return Reason("wrapped", fields)
    return Reason("nonleaf", fields)


def _written(tree: ast.AST) -> bool:
    """Whether it writes into what there is, `w[0] = 1` or `w.mul_(2)`, instead of giving the name to another tensor."""
    match tree:
        case ast.Module(body=[ast.Assign()]):
            return True
        case ast.Module(body=[ast.Expr(value=ast.Call(func=ast.Attribute(attr=called)))]):
            return called.endswith("_")
    return False


def _rests_on_a_nameless_leaf(tensor: Any, names: Names) -> bool:
    """Whether a leaf that no variable holds is below: what `w = w - ...` leaves behind,
    in a loop some Nodes further down."""
    seen, waiting = {tensor.grad_fn}, [tensor.grad_fn]
    while waiting and len(seen) < MANY:
        node = waiting.pop()
        variable = getattr(node, "variable", None)
        if variable is not None and names.of(variable) is None:
            return True
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return False


# -- leaves ------------------------------------------------------------------------------------------------------------


def _leaf(tensor: Any, fields: dict[str, str], names: Names) -> Reason:
    graph = Below(names)
    sink = graph.sink(tensor)
    if sink is not None:
        root = graph.root_of(graph.above(sink))
        if root is not None:
            state, blocking = _obstacle(root[1])
            kind = {"": "no_backward", "freed": "cleared", "overwritten": "overwritten"}[state]
            if kind != "overwritten" and (stopped := graph.stopped(sink)):
                return Reason("stopped", fields | {"root": root[0], "functions": say("common.list").join(stopped)})
            passed = _functions(graph.above(sink)) if kind == "cleared" else {}
            return Reason(kind, fields | blocking | _clearing(tensor) | passed | _called(*root))
    inner = {node: None for node in graph.below if runs_backward(node)}
    root = graph.root_of({above: None for node in inner for above in graph.above(node)}) if inner else None
    if root is not None:
        listed = say("common.list").join(dict.fromkeys(code(class_name(node)) for node in inner))
        return Reason("within", fields | {"functions": listed} | _called(*root))
    for name, other in names:
        if (
            is_tensor(other)
            and other is not tensor
            and other.is_leaf
            and other.requires_grad
            and other.grad is not None
        ):
            return Reason("off_path", fields | {"other": name})
    return Reason("unused", fields)


def _functions(nodes: Iterable[Any]) -> dict[str, str]:
    """The learner's own Functions among some Nodes: their backward may hand on None."""
    names = dict.fromkeys(code(class_name(node)) for node in nodes if function_of(node))
    return {"functions": say("common.list").join(names)} if names else {}


def returns_none(node: Any, number: int) -> bool:
    """Whether the backward of a learner's Function returns None for one of the tensors it was applied to, wherever it
    returns: what is written there says so."""
    written = function_of(node).rpartition(".")[2]
    places = [place for place, wants in enumerate(node.needs_input_grad) if wants] if written else []
    return bool(places) and always_none(
        attribute(type(node)._forward_cls, written),
        places[sum(target is not None for target, _ in node.next_functions[:number])],
    )


def always_none(backward: Any, place: int) -> bool:
    """Whether a backward that the learner wrote returns None at one of its places, wherever it returns."""
    function = called(backward)
    inside = [] if function is None else list(_own(function.body))
    if function is None or any(isinstance(n, (ast.Raise, ast.Yield, ast.YieldFrom)) for n in inside):
        return False
    return all(_none_at(n.value, place) for n in inside if isinstance(n, ast.Return))


def _own(body: ast.AST) -> Iterator[ast.AST]:
    """The parts of a function, without those of functions in it."""
    for part in ast.iter_child_nodes(body):
        yield part
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            yield from _own(part)


def _none_at(value: ast.expr | None, place: int) -> bool:
    """Whether what is returned is None at one of its places."""
    if isinstance(value, ast.Tuple):
        value = value.elts[place] if place < len(value.elts) else ast.Name("_")
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _called(name: str, root: Any) -> dict[str, str]:
    """A root, and the call that starts a backward from it: only a single real number starts by itself."""
    start = bracketed(name)
    if root.is_complex():
        start += ".abs()"
    if root.numel() != 1:
        start += ".sum()"
    return {"root": name, "start": f"{start}.backward()"}


def _clearing(leaf: Any) -> dict[str, str]:
    """The learner's hooks that run once `.grad` is stored: one of them may have taken it away."""
    found = (getattr(leaf, "_post_accumulate_grad_hooks", None) or {}).values()
    names = [code(getattr(hook, "__name__", type(hook).__name__)) for hook in found if not of_inspectors(hook)]
    return {"hooks": say("common.list").join(names)} if names else {}


def is_freed(node: Any) -> bool:
    """Whether a Node's saved values are gone: then backward has run through it."""
    return any(error is not None and unread(error)[0] == "freed" for _, _, error in saved_live(node))


def _obstacle(root: Any) -> tuple[str, dict[str, str]]:
    """What a backward from a result would fail at: "freed", or "overwritten" and which saved value; "" for nothing that
    can be seen. What a Node of an operation in place on a view has saved cannot: its name is a field "written"."""
    seen, waiting = {root.grad_fn}, [root.grad_fn]
    overwritten: dict[str, str] = {}
    hidden: dict[str, str] = {}
    while waiting and len(seen) < MANY:
        node = waiting.pop()
        if class_name(node) == "CopySlices":
            hidden = {"written": class_name(node)}
        for saved, _, error in saved_live(node):
            state, versions = ("", None) if error is None else unread(error)
            if state == "freed":
                return "freed", {}
            if versions is not None:
                then, now = map(str, versions)
                overwritten = {"node": class_name(node), "saved": saved, "then": then, "now": now}
        following = {target for target, _ in node.next_functions if target is not None} - seen
        seen |= following
        waiting += following
    return ("overwritten", overwritten) if overwritten else ("", hidden)


class Below:
    """The Nodes under all named results. Lives as long as one question."""

    def __init__(self, names: Names) -> None:
        self.results = [(name, t) for name, t in names if getattr(t, "grad_fn", None) is not None]
        self.below: dict[Any, list[Any]] = {}  # Node -> the Nodes that lead to it; holds what it is keyed by
        waiting = [t.grad_fn for _, t in self.results]
        for node in waiting:
            self.below.setdefault(node, [])
        done: set[Any] = set()
        while waiting and len(self.below) < MANY:
            node = waiting.pop()
            if node in done:
                continue
            done.add(node)
            for following, _ in node.next_functions:
                if following is not None:
                    if following not in self.below:
                        waiting.append(following)
                    self.below.setdefault(following, []).append(node)

    def sink(self, tensor: Any) -> Any:
        """Where gradients for a tensor arrive: its Node, of a leaf its AccumulateGrad; None if no graph here has it."""
        if tensor.grad_fn is not None:
            return tensor.grad_fn if tensor.grad_fn in self.below else None
        return next((node for node in self.below if getattr(node, "variable", None) is tensor), None)

    def above(self, node: Any) -> dict[Any, None]:
        """The Node and all that lead to it."""
        found, waiting = {node: None}, [node]
        while waiting:
            for before in self.below.get(waiting.pop(), ()):
                if before not in found:
                    found[before] = None
                    waiting.append(before)
        return found

    def stopped(self, sink: Any) -> list[str]:
        """The learner's Functions that surely return None on every path from a result to a Node; none if a path leads
        past them, or through one behind them, which gets zeros for None."""
        above = self.above(sink)
        if not any(map(function_of, above)):
            return []
        waiting = [t.grad_fn for _, t in self.results if t.grad_fn in above]
        passed = dict.fromkeys(waiting)
        ends: dict[Any, str] = {}
        while waiting:
            node = waiting.pop()
            for number, (target, _) in enumerate(node.next_functions):
                if target in above and returns_none(node, number):
                    ends[target] = code(function_of(node))
                elif target in above and target not in passed:
                    passed[target] = None
                    waiting.append(target)
        behind, waiting = set(ends), list(ends)
        while waiting:
            following = {target for target, _ in waiting.pop().next_functions if target in above} - behind
            behind |= following
            waiting += following
        return [] if sink in passed or any(map(function_of, behind)) else list(dict.fromkeys(ends.values()))

    def root_of(self, nodes: Mapping[Any, None]) -> tuple[str, Any] | None:
        """The result to call backward() on, with its name: the one computed last with a single element, else the one
        computed last."""
        named = [(name, t) for name, t in self.results if t.grad_fn in nodes]
        last = max(named, key=lambda one: (one[1].numel() == 1, one[1].grad_fn._sequence_nr()), default=None)
        return last
