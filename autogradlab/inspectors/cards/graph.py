"""`lab.graph`: the graph behind a tensor, as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..inspector import Inspector, present
from ..layout.folded import folded
from ..layout.picture import Labels, draw, saved_line
from ..parts import Block, Card, Facts, Note, Table
from ..snapshot.calls import arguments, elements
from ..snapshot.graph import Graph, Holders, NodeFact, Summary, Value, Walk, describe, summary
from ..snapshot.kinds import in_transform, is_a, is_tensor, library, type_name
from ..snapshot.names import namespace
from ..snapshot.origins import place
from ..snapshot.owners import modules_of
from ..snapshot.program import source_of
from ..snapshot.rules import written
from ..words import language, say

__all__ = ["details_of", "graph", "graph_card", "graph_words", "named_roots", "problem_card", "roots_of"]

#: a picture of more Nodes than this would be no picture
MAX_NODES = 1000

#: letters of an expression that stands for a name
LONG = 60

#: PyTorch crashes when a graph is freed of which Python has seen some 40,000 Nodes in a chain: fewer of its Nodes are
#: looked at
COUNTED = 10_000


def graph(y: Any, *, max_nodes: int = MAX_NODES) -> Inspector:
    """The graph that leads to `y` (a tensor or a list of them): who is a leaf, what each Node saved, what feeds what.

    Operators are rectangles, variables ellipses; leaves are green, bold and say so. Opening a shape shows what its Node
    saved, whether that is freed or overwritten, its hooks and edges, and the cell and line that made it. Above
    `max_nodes` Nodes the card counts instead of drawing. Nothing is changed, and no tensor is kept alive. (What hooks
    of `saved_tensors_hooks` packed is unpacked for a look.) What is no tensor, or has no graph, is told of in the card.

    >>> import autogradlab as torch
    >>> from autogradlab import inspectors as lab
    >>> lab.set_language("en")
    >>> w, x = torch.tensor([1.], requires_grad=True), torch.tensor([2.])
    >>> a = w * x
    >>> y = a + 1
    >>> print("\\n".join(lab.graph(y).text.splitlines()[:5]))
    Graph of y · Nodes: 2, leaves: 1
    x = [2.] · data, no gradient
    w = [1.] · leaf, requires_grad, .grad: None
    a = mul(w, x) = [2.] · MulBackward0, saved other=x
    y = add(a) = [3.] · AddBackward0 · the root
    """
    return present(graph_card(y, namespace(), max_nodes, arguments()))


def graph_card(y: Any, space: Mapping[str, Any], max_nodes: int = MAX_NODES, spelled: tuple[str, ...] = ()) -> Card:
    """The card for `graph`, with the variables of its caller; `spelled` is what stands between its brackets."""
    roots, problem = roots_of(y, "graph")
    if problem is not None:
        return problem
    holders = Holders(space)
    names = named_roots(y, roots, holders, spelled)
    title = say("graph.title", name=", ".join(names[:4]) + (", …" if len(names) > 4 else ""))
    library_name = getattr(library(roots[0]), "__name__", "")
    walk = Walk(roots, limit=max(COUNTED, max_nodes) if library_name == "torch" else None)
    if not any(node.next_functions for node in walk.nodes):
        return _alone(roots, walk, holders, title, names)
    if len(walk.nodes) > max_nodes:
        return _large(walk, holders, title, max_nodes)
    facts = describe(walk, holders)
    drawing = draw(facts, graph_words(facts), title, details_of(facts))
    source = source_of(walk, holders)
    groups = (source.groups if source is not None else {}) or modules_of(facts)
    small = folded(facts, groups, drawing, title, Labels({}, back=False))
    drawings = [drawing] if small is None else [drawing, small]
    return Card("graph", title, _counts(facts), blocks=(*drawings, Note(say("graph.legend"), "muted")), lang=language())


def roots_of(y: Any, call: str) -> tuple[list[Any], Card | None]:
    """The tensors to start from, or the card that says why there are none."""
    roots = list(y) if is_a(y, (list, tuple)) else [y]
    if not roots:
        return [], problem_card(call, say("graph.nothing"))
    wrong = next((r for r in roots if not is_tensor(r)), None)
    if wrong is not None or any(r is None for r in roots):
        return [], problem_card(call, say("graph.not_tensor", call=call, kind=type_name(wrong)))
    return roots, None


def problem_card(call: str, text: str) -> Card:
    return Card(call, f"lab.{call}", blocks=(Note(text, "warning"),), lang=language())


def named_roots(y: Any, roots: Sequence[Any], holders: Holders, spelled: Sequence[str]) -> list[str]:
    """What each root is called: its variable; where none holds it, the expression that was written. `spelled` is what
    stands between the brackets of the call, of which `y` is the first."""
    first = spelled[0] if spelled else ""
    written = elements(first) if is_a(y, (list, tuple)) else (first,)
    shown = [one if len(one) <= LONG else "" for one in written] if len(written) == len(roots) else [""] * len(roots)
    return [holders.name(root) or one or say("graph.this") for root, one in zip(roots, shown, strict=True)]


def _counts(facts: Graph) -> str:
    nodes = sum(not n.accumulates for n in facts.nodes)
    return say("graph.counts", nodes=nodes, leaves=sum(v.kind == "leaf" for v in facts.values))


def _alone(roots: Sequence[Any], walk: Walk, holders: Holders, title: str, names: Sequence[str]) -> Card:
    """The card for a root that has no graph."""
    facts = describe(walk, holders)
    called = dict(zip(facts.roots, names, strict=True))
    facts = replace(facts, values=tuple(replace(v, name=called.get(v.id, v.name)) for v in facts.values))
    drawing = draw(facts, graph_words(facts), title, details_of(facts))
    notes = []
    for root, name in zip(roots, names, strict=True):
        key = "graph.no_graph_leaf" if root.requires_grad else "graph.no_graph_data"
        key = "graph.no_graph_transform" if in_transform(root) else key
        notes.append(Note(say(key, name=name)))
    return Card("graph", title, blocks=(*notes[:8], drawing), lang=language())


def _large(walk: Walk, holders: Holders, title: str, limit: int) -> Card:
    facts: Summary = summary(walk, holders)
    widest = "graph.widest_value" if facts.widest[0] != 1 else "graph.widest_one"
    leaves = ", ".join(facts.leaves) + (", …" if facts.leaf_count > len(facts.leaves) else "")
    rows = (
        (say("graph.nodes"), str(facts.nodes)),
        (say("graph.edges"), str(facts.edges)),
        (say("graph.leaves"), f"{facts.leaf_count}: {leaves}" if leaves else str(facts.leaf_count)),
        (say("graph.depth"), str(facts.depth)),
        (say("graph.widest"), say(widest, count=facts.widest[0], distance=facts.widest[1])),
    )
    classes = [(name, str(count)) for name, count in facts.classes[:20]]
    if len(facts.classes) > 20:
        rest = facts.classes[20:]
        classes.append((say("graph.others", count=len(rest)), str(sum(count for _, count in rest))))
    table = Table((say("graph.class"), say("graph.count")), tuple(classes))
    notes = [Note(say("graph.large", limit=limit))]
    if not walk.complete:
        notes.append(Note(say("graph.counted", count=facts.nodes), "warning"))
    return Card("graph", title, blocks=(*notes, Facts(rows), table), lang=language())


# -- words -------------------------------------------------------------------------------------------------------------


def labels_of(facts: Graph) -> dict[tuple[str, int], str]:
    """What each output of a Node is called: its variable, else the Node's id."""
    names = {v.of: v.name or v.id for v in facts.values if v.of is not None}
    return {
        (edge.target, edge.number): names.get((edge.target, edge.number)) or edge.target for edge in facts.edges
    } | names


def graph_words(facts: Graph) -> list[str]:
    """The picture as a program: one line for each leaf and each operation, in the order in which they were made."""
    several = {node.id for node in facts.nodes if node.outputs > 1}
    called = {
        (node, number): f"{node}[{number}]" if name == node and node in several else name
        for (node, number), name in labels_of(facts).items()
    }
    values = {v.of: v for v in facts.values if v.of is not None}
    by_id = {v.id: v for v in facts.values}
    ins: dict[str, dict[int, str]] = {}
    for edge in facts.edges:
        ins.setdefault(edge.source, {})[edge.index] = called[edge.target, edge.number]
    lines = []
    for value in facts.values:
        if value.kind == "leaf":
            lines.append(say("graph.word_leaf", name=value.name or value.id, text=value.text, grad=value.grad))
        elif value.kind == "data" and (value.name or value.root):
            lines.append(say("graph.word_data", name=value.name or value.id, text=value.text))
    for node in sorted((n for n in facts.nodes if not n.accumulates), key=lambda n: n.order):
        given = ins.get(node.id, {})
        for index, data in node.data:
            given[index] = by_id[data].name or by_id[data].text
        made = [values[key] for key in sorted(k for k in values if k[0] == node.id)]
        saved = saved_line(node.saved)
        text = say(
            "graph.word_op",
            name=", ".join(called[v.of] for v in made if v.of) or node.id,
            op=node.op,
            inputs=", ".join(given[i] for i in sorted(given)),
            value=f" = {made[0].text}" if len(made) == 1 else "",
            cls=node.cls,
            saved=say("graph.word_saved", saved=saved) if saved else "",
        )
        lines.append(text + (f" · {say('graph.word_root')}" if any(v.root for v in made) else ""))
    return lines


# -- details -----------------------------------------------------------------------------------------------------------


def details_of(facts: Graph) -> dict[str, tuple[Block, ...]]:
    """What opening a shape shows, by item id."""
    called = labels_of(facts)
    classes = {node.id: node.cls for node in facts.nodes}
    found: dict[str, tuple[Block, ...]] = {value.id: _value(value, classes) for value in facts.values}
    edges: dict[str, list[tuple[int, str, int]]] = {}
    for edge in facts.edges:
        edges.setdefault(edge.source, []).append((edge.index, edge.target, edge.number))
    for node in facts.nodes:
        if not node.accumulates:
            found[node.id] = tuple(_node(node, edges.get(node.id, []), called, classes))
    nodes = {node.id: node for node in facts.nodes}
    for number, edge in enumerate(facts.edges, 1):
        source = nodes[edge.source]
        leads = _leads(source, edge.index, (edge.target, edge.number), called, classes)
        found[edge.item or f"e{number}"] = (Facts(((f"{source.cls} · next_functions[{edge.index}]", leads),)),)
    return found


def _leads(
    node: NodeFact,
    index: int,
    place: tuple[str, int],
    called: Mapping[tuple[str, int], str],
    classes: Mapping[str, str],
) -> str:
    """Where the edge for an input of a Node leads, and what the Node sends along it: `AccumulateGrad (w): g·x`."""
    (target, number), name = place, called[place]
    rule = node.rules[index] if index < len(node.rules) else None
    symbols = f": {written(rule, {s.name: s.written for s in node.saved})}" if rule is not None else ""
    to = classes[target] + ("" if name == target else f" ({name})")
    return to + (say("graph.as_input", number=number) if number else "") + symbols


def _value(value: Value, classes: Mapping[str, str]) -> tuple[Block, ...]:
    kind = {"leaf": "graph.leaf", "data": "graph.data"}.get(
        value.kind, "graph.root" if value.root else "graph.non_leaf"
    )
    rows = [
        (say("graph.value"), value.text),
        (say("graph.shape"), f"{value.shape} {value.dtype}"),
        (say("graph.kind"), say(kind)),
    ]
    if value.kind == "leaf" and value.of is not None:
        rows.append(("AccumulateGrad", say("graph.accumulates")))
    if value.of is not None and value.kind == "value":
        rows.append(("grad_fn", say("graph.output", number=value.of[1], cls=classes[value.of[0]])))
    if value.grad is not None:
        rows.append((".grad", value.grad))
    if value.version:
        rows.append((say("graph.version"), str(value.version)))
    if value.origin is not None:
        rows.append((say("graph.made"), f"{value.origin.source}, {place(value.origin)}"))
    rows += [(say(f"graph.hook_{hook.kind}"), hook.name) for hook in value.hooks]
    if value.retains:
        rows.append(("retain_grad", say("graph.retains")))
    return (Facts(tuple(rows)),)


def _node(
    node: NodeFact,
    edges: Sequence[tuple[int, str, int]],
    called: Mapping[tuple[str, int], str],
    classes: Mapping[str, str],
) -> list[Block]:
    rows = [(say("graph.cls"), node.cls)]
    if node.origin is not None:
        rows.append((say("graph.made"), f"{node.origin.source}, {place(node.origin)}"))
    if node.leads:
        rows.append((say("graph.leads"), node.leads))
    rows += [(f"metadata[{key!r}]", text) for key, text in node.metadata]
    for s in node.saved:
        then, now = s.versions or (0, 0)
        value = f"{s.holder} = {s.text}" if s.holder else s.text
        state = "" if s.state in ("kept", "plain") else say(f"graph.state_{s.state}", then=then, now=now, says=s.says)
        size = s.shape if s.shape and s.shape not in value else ""
        rows.append(
            (
                s.name if s.name.startswith("saved_") else f"_saved_{s.name}",
                ", ".join(filter(None, [value, size, state])),
            )
        )
    known = {index: (target, number) for index, target, number in edges}
    for index in range(node.inputs):
        to = _leads(node, index, known[index], called, classes) if index in known else say("graph.no_edge")
        rows.append((f"next_functions[{index}]", to))
    return [Facts(tuple(rows))]
