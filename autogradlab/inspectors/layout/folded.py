"""A large graph folded: what one Module, call or turn of a loop made is one box, long runs of turns are boxes of many
turns.

The deepest way of folding that two rows have room for, or several low ones, is taken; where there is none, leaves that
one box alone uses are in it. Everything in a box is listed, so that whoever shows both drawings can light the box while
something in it runs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product, takewhile

from ..parts import Block, Drawing, Facts, Group, Text
from ..snapshot.graph import Edge, Graph, NodeFact
from ..words import say
from .picture import Labels, draw

__all__ = ["ROOMY", "folded"]

#: pixels that a drawing may be wide and high before it is worth folding
ROOMY, HIGH = 900.0, 420.0

#: pixels that a folded drawing may be wide: half of it fits into a row beside the numbers of a step
TWO_ROWS = 1250.0

#: pixels that the rows of a page may take together, and between two of them
LOW, BETWEEN = 320.0, 14.0

#: boxes for the turns of one loop
BOXES = 8

Way = tuple[tuple[str, str], ...]


def folded(
    graph: Graph, groups: Mapping[str, Way], whole: Drawing | None, label: str, labels: Labels
) -> Drawing | None:
    """The drawing with groups as boxes; None if the whole one is small enough, or nothing can be folded. Of what steps
    write there is room for what they write below leaves."""
    if whole is not None and whole.width <= ROOMY and whole.height <= HIGH:
        return None
    shapes = () if whole is None else (item for item in whole.items if not item.id.startswith("e"))  # edges are others
    details = {item.id: item.details for item in shapes}
    below = {slot: text for slot, text in labels.widest.items() if slot.startswith("g")}
    best = None
    depths = range(max(map(len, groups.values()), default=0), 0, -1)
    for ways, depth in product((groups, _with_leaves(graph, groups)), depths):
        names = Labels(below, labels.back, brief=labels.brief)
        made = _drawn(graph, _boxes(ways, depth), label, details, names)
        if made is None:
            continue
        if best is None or _over(made) < _over(best):
            best = made
        if _over(made) <= 1.0:
            break
    if best is None or (whole is not None and best.width * best.height >= whole.width * whole.height):
        return None
    return best


def _over(drawing: Drawing) -> float:
    """How many times larger it is than what there is room for."""
    rows = math.ceil(drawing.width / ROOMY)
    if rows * (drawing.height + BETWEEN) <= LOW:
        return 1.0
    return max(1.0, drawing.width / TWO_ROWS) * max(1.0, drawing.height / HIGH)


def _with_leaves(graph: Graph, groups: Mapping[str, Way]) -> dict[str, Way]:
    """The same, and of each leaf what all Nodes that use it are in."""
    users: dict[str, list[Way]] = {node.id: [] for node in graph.nodes if node.accumulates}
    for edge in graph.edges:
        if edge.target in users:
            users[edge.target].append(groups.get(edge.source, ()))
    return {**groups, **{leaf: _common(ways) for leaf, ways in users.items()}}


def _common(ways: Sequence[Way]) -> Way:
    shared = takewhile(lambda steps: len(set(steps)) == 1, zip(*ways, strict=False))
    return tuple(steps[0] for steps in shared)


def _boxes(groups: Mapping[str, Way], depth: int) -> dict[str, tuple[str, str]]:
    """For each Node its box and the box's name; turns that would be too many boxes are joined. What stands between the
    boxes of a larger one is in none of them."""
    cut = {node: way[:depth] for node, way in groups.items()}
    around = {way[:k] for way in cut.values() for k in range(len(way))}
    ways = {node: way for node, way in cut.items() if way and way not in around}
    siblings: dict[Way, dict[tuple[str, str], None]] = {}  # in the order of their Nodes
    for way in ways.values():
        siblings.setdefault(way[:-1], {})[way[-1]] = None
    names: dict[tuple[str, str], tuple[str, str]] = {}
    for held in siblings.values():
        turns = [one for one in held if _is_turn(one)]
        if len(turns) > BOXES:
            share = -(-len(turns) // BOXES)
            for start in range(0, len(turns), share):
                part = turns[start : start + share]
                if len(part) > 1:
                    name = say("graph.turns", first=part[0][1], last=part[-1][1].rpartition("= ")[2], count=len(part))
                    names |= dict.fromkeys(part, (part[0][0], name))
    return {node: names.get(way[-1], way[-1]) for node, way in ways.items()}


def _is_turn(one: tuple[str, str]) -> bool:
    return " = " in one[1] or one[1][-1:].isdigit()


def _drawn(
    graph: Graph,
    boxes: Mapping[str, tuple[str, str]],
    label: str,
    details: Mapping[str, tuple[Block, ...]],
    labels: Labels,
) -> Drawing | None:
    """The picture of the graph in which each box is one Node; None if boxes would depend on each other in a circle."""
    inside: dict[str, list[str]] = {}
    for node, (box, _) in boxes.items():
        inside.setdefault(box, []).append(node)
    whole = {node.id: node for node in graph.nodes}
    inside = {box: nodes for box, nodes in inside.items() if sum(n in whole for n in nodes) > 1}
    leaves = {node.id for node in graph.nodes if node.accumulates}
    largest = max((len(set(nodes) - leaves) for nodes in inside.values()), default=0)
    if largest in (0, len(whole) - len(leaves)):  # one box around everything tells nothing
        return None
    box_of = {node: f"k{number}" for number, nodes in enumerate(inside.values(), 1) for node in nodes}
    names = {f"k{number}": boxes[nodes[0]][1] for number, nodes in enumerate(inside.values(), 1)}
    edges: dict[tuple[str, str], Edge] = {}
    members: dict[tuple[str, str], list[str]] = {}
    inputs: dict[str, int] = {}
    for number, edge in enumerate(graph.edges, 1):
        source, target = box_of.get(edge.source, edge.source), box_of.get(edge.target, edge.target)
        if source == target:
            continue
        if (source, target) not in edges:
            edges[source, target] = Edge(
                source, inputs.get(source, 0), target, edge.number if target == edge.target else 0
            )
            inputs[source] = inputs.get(source, 0) + 1
        members.setdefault((source, target), []).append(edge.item or f"e{number}")
    nodes: list[NodeFact] = []
    for fact in graph.nodes:
        box = box_of.get(fact.id, "")
        if not box:
            nodes.append(replace(fact, inputs=inputs.get(fact.id, fact.inputs), data=()))
        elif all(n.id != box for n in nodes):
            held = [node for node, of in box_of.items() if of == box]
            within = len(leaves.intersection(held))
            text = say("graph.fold_both" if within else "graph.fold", count=len(held) - within, leaves=within)
            nodes.append(NodeFact(box, text, names[box], inputs.get(box, 0), order=fact.order))
    shown_as = {v.of[0]: v.id for v in graph.values if v.of is not None and v.of[0] in leaves}
    values = tuple(v for v in graph.values if (v.of is not None and v.of[0] not in box_of) or v.root)
    values = tuple(replace(v, of=(box_of.get(v.of[0], v.of[0]), v.of[1])) if v.of is not None else v for v in values)
    facts = Graph(tuple(nodes), tuple(edges.values()), values, graph.roots)
    try:
        drawing = draw(facts, (), label, {**details, **_insides(graph, box_of)}, labels)
    except ValueError:
        return None
    return _renamed(drawing, edges, members, {shown_as.get(node, node): box for node, box in box_of.items()}, whole)


def _insides(graph: Graph, box_of: Mapping[str, str]) -> dict[str, tuple[Block, ...]]:
    """What opening a box shows: its Nodes, and the leaves in it."""
    operations: dict[str, Counter[str]] = {}
    leaves: dict[str, list[str]] = {box: [] for box in box_of.values()}
    for fact in graph.nodes:
        if fact.id in box_of and not fact.accumulates:
            operations.setdefault(box_of[fact.id], Counter())[fact.cls] += 1
    for value in graph.values:
        if value.of is not None and value.kind == "leaf" and value.of[0] in box_of:
            leaves[box_of[value.of[0]]].append(f"{value.name} {value.shape}".strip())
    found: dict[str, tuple[Block, ...]] = {}
    for box, counted in operations.items():
        each = [f"{cls} × {count}" if count > 1 else cls for cls, count in counted.items()]
        rows = [(say("graph.fold_nodes"), say("common.list").join(each))]
        if leaves[box]:
            rows.append((say("graph.fold_has"), say("common.list").join(leaves[box])))
        found[box] = (Facts(tuple(rows)),)
    return found


def _renamed(
    drawing: Drawing,
    edges: Mapping[tuple[str, str], Edge],
    members: Mapping[tuple[str, str], Sequence[str]],
    box_of: Mapping[str, str],
    whole: Mapping[str, NodeFact],
) -> Drawing:
    """Edges and boxes under names of their own, each with what it stands for."""
    groups = [Group(f"k-e{number}", tuple(members[pair])) for number, pair in enumerate(edges, 1)]
    for box in dict.fromkeys(box_of.values()):
        groups.append(Group(box, tuple(node for node, of in box_of.items() if of == box)))
    items = []
    for item in drawing.items:
        shapes = item.shapes
        if item.id.startswith("k"):
            shapes = tuple(
                replace(s, slot=f"in {item.id}") if isinstance(s, Text) and s.tone == "muted" else s for s in shapes
            )
        name = f"k-{item.id}" if item.id.startswith("e") else item.id
        items.append(replace(item, id=name, shapes=shapes))
    named = tuple((node, whole[node].op) for node in box_of if node in whole)
    return replace(drawing, items=tuple(items), folds=(), groups=tuple(groups), named=named)
