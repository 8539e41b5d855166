"""A large graph folded: what one Module, call or turn of a loop made is one box, long runs of turns are boxes of many
turns.

The deepest way of folding that two rows have room for, or several low ones, is taken; where there is none, leaves that
one box alone uses are in it. Everything in a box is listed, so that whoever shows both drawings can light the box while
something in it runs. Where there is nothing to fold, a `bare` drawing has Nodes and leaves alone: results are named in
their Nodes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product, takewhile

from ..parts import Block, Drawing, Ellipse, Facts, Group, Rect, Table, Text
from ..snapshot.graph import Edge, Graph, NodeFact
from ..snapshot.names import variable_of
from ..words import say
from .picture import Labels, draw

__all__ = ["ROOMY", "bare", "folded"]

#: pixels that a drawing may be wide and high before it is worth folding
ROOMY, HIGH = 900.0, 420.0

#: pixels that a folded drawing may be wide: half of it fits into a row beside the numbers of a step
TWO_ROWS = 1250.0

#: pixels of a row of a page, which ends between two boxes
ROW = 850.0

#: pixels that the rows of a page may take together, and those of each below its boxes
LOW, BENEATH = 320.0, 30.0

#: pixels of a row beside the numbers of a step on a projector's page
SHORT = 640.0

#: how many times too large a bare drawing may be, which a page draws closer together; and a whole one that it is of
CLOSE, MUCH = 1.25, 4.0

#: boxes for the turns of one loop, or for the Modules of one list: many, and where there is no room for them, fewer
BOXES = (8, 3, 1)

#: a box with more of all operations than this tells little; how many times too large a drawing may be that tells more
MOSTLY, RATHER = 0.8, 2.0

#: parts of a part, and leaves, that are named where a box is opened
NAMED = 12

#: boxes and Nodes that there is never room for
CROWD = 64

Way = tuple[tuple[str, str], ...]


def folded(
    graph: Graph, groups: Mapping[str, Way], whole: Drawing | None, label: str, labels: Labels, low: float = LOW
) -> Drawing | None:
    """The drawing with groups as boxes; None if the whole one is small enough, or nothing can be folded. Of what steps
    write there is room for what they write below leaves. `low`: pixels that there are for all rows of it."""
    if whole is not None and whole.width <= ROOMY and whole.height <= HIGH:
        return None
    shapes = () if whole is None else (item for item in whole.items if not item.id.startswith("e"))  # edges are others
    details = {item.id: item.details for item in shapes}
    below = {slot: text for slot, text in labels.widest.items() if slot.startswith("g")}
    names = Labels(below, labels.back, brief=labels.brief)
    best: tuple[float, Drawing] | None = None
    for boxed in _foldings(graph, groups):
        made = _drawn(graph, boxed, label, details, names)
        if made is None:
            continue
        rank = _over(made, low) * (RATHER if boxed.share > MOSTLY else 1.0)
        if best is None or rank < best[0]:
            best = rank, made
        if rank <= 1.0:
            break
    if best is None or (whole is not None and best[1].width * best[1].height >= whole.width * whole.height):
        return None
    return best[1]


def bare(graph: Graph, whole: Drawing, label: str, labels: Labels) -> Drawing | None:
    """The drawing of a graph in which nothing folds, with neither results nor numbers beside its Nodes; None if rows on
    a projector's page have room for the whole one, or not even for that."""
    if _high(whole, SHORT) <= LOW or whole.width > MUCH * TWO_ROWS:
        return None
    named = {v.of: v.name for v in graph.values if v.name and v.of is not None and v.kind == "value" and not v.root}
    first = {node: name for (node, number), name in named.items() if number == 0}
    nodes = tuple(replace(n, op=f"{n.op} → {first[n.id]}") if n.id in first else n for n in graph.nodes)
    values = tuple(v for v in graph.values if v.of not in named)
    boxed = _boxed(replace(graph, nodes=nodes, values=values), {}, {}, alone=True)
    details = {item.id: item.details for item in whole.items if not item.id.startswith("e")}
    below = {slot: text for slot, text in labels.widest.items() if slot.startswith("g")}
    made = None if boxed is None else _drawn(graph, boxed, label, details, Labels(below, labels.back))
    return made if made is not None and _over(made, LOW) <= CLOSE else None


def _foldings(graph: Graph, groups: Mapping[str, Way]) -> Iterator[_Boxed]:
    """The ways of folding, the one that shows the most first: those that there may be room for, else the smallest."""
    slim = _slim(groups)
    depths = range(max(map(len, slim.values()), default=0), 0, -1)
    order = {node: number for number, node in enumerate(slim)}
    crowded: list[_Boxed] = []
    seen: set[frozenset[tuple[str, str]]] = set()
    leaved = _with_leaves(graph, slim)
    for most, ways, depth in product(BOXES, (slim, leaved, _with_parameters(graph, leaved)), depths):
        boxed = _boxed(graph, ways, _boxes(ways, depth, most, order))
        if boxed is None or (key := frozenset(boxed.box_of.items())) in seen:
            continue
        seen.add(key)
        if len(boxed.facts.nodes) > CROWD:
            crowded.append(boxed)
        else:
            yield boxed
    if len(seen) == len(crowded):
        yield from sorted(crowded, key=lambda boxed: len(boxed.facts.nodes))[:1]


def _slim(groups: Mapping[str, Way]) -> dict[str, Way]:
    """The same without steps all of whose Nodes are in one and the same step below: a turn that calls one Module is
    that Module."""
    below: dict[Way, set[Way]] = {}
    for way in groups.values():
        for depth in range(1, len(way) + 1):
            below.setdefault(way[:depth], set()).add(way[: depth + 1])
    return {
        node: tuple(step for depth, step in enumerate(way, 1) if depth == len(way) or len(below[way[:depth]]) > 1)
        for node, way in groups.items()
    }


def _over(drawing: Drawing, low: float) -> float:
    """How many times larger it is than what there is room for."""
    if _high(drawing, ROW) <= low:
        return 1.0
    return max(1.0, drawing.width / TWO_ROWS) * max(1.0, drawing.height / low)


def _high(drawing: Drawing, wide: float) -> float:
    """How high it is in rows of a page that is so wide."""
    rows: dict[int, list[float]] = {}  # where the shapes of each row begin and end
    for item in drawing.items:
        for shape in item.shapes:
            if isinstance(shape, Rect):
                rows.setdefault(int(shape.x // wide), []).extend((shape.y, shape.y + shape.height))
            elif isinstance(shape, Ellipse):
                rows.setdefault(int(shape.x // wide), []).extend((shape.y - shape.ry, shape.y + shape.ry))
    return sum(max(ends) - min(ends) + BENEATH for ends in rows.values())


def _with_leaves(graph: Graph, groups: Mapping[str, Way]) -> dict[str, Way]:
    """The same, and of each leaf what all Nodes that use it are in."""
    users: dict[str, list[Way]] = {node.id: [] for node in graph.nodes if node.accumulates}
    for edge in graph.edges:
        if edge.target in users:
            users[edge.target].append(groups.get(edge.source, ()))
    return {**groups, **{leaf: _common(ways) for leaf, ways in users.items()}}


def _with_parameters(graph: Graph, groups: Mapping[str, Way]) -> dict[str, Way]:
    """The same, and what several of the outermost boxes use, weights that they share, in a box for each variable that
    has some of them."""
    names = {v.of[0]: v.name or "" for v in graph.values if v.kind == "leaf" and v.of is not None}
    roots = {leaf: variable_of(name) for leaf, name in names.items() if not groups.get(leaf)}
    count = Counter(roots.values())
    shared = {leaf: f"{root}.parameters()" for leaf, root in roots.items() if root != names[leaf] and count[root] > 1}
    return {**groups, **{leaf: ((name, name),) for leaf, name in shared.items()}}


def _common(ways: Sequence[Way]) -> Way:
    shared = takewhile(lambda steps: len(set(steps)) == 1, zip(*ways, strict=False))
    return tuple(steps[0] for steps in shared)


def _boxes(groups: Mapping[str, Way], depth: int, most: int, order: Mapping[str, int]) -> dict[str, tuple[str, str]]:
    """For each Node its box and the box's name; turns, or Modules of a list, that would be too many boxes are joined,
    with what comes between them. What else stands between the boxes of a larger one is in none of them. `order` is that
    of the forward."""
    cut = {node: way[:depth] for node, way in groups.items()}
    around = {way[:k] for way in cut.values() for k in range(len(way))}
    ways = {node: way for node, way in cut.items() if way and way not in around}
    siblings: dict[tuple[Way, str], dict[Way, list[str]]] = {}  # in the order of their Nodes
    for node, way in ways.items():
        if (counted := _counted(way[-1][1])) is not None:
            siblings.setdefault((way[:-1], counted[0]), {}).setdefault(way, []).append(node)
    boxes = {node: way[-1] for node, way in ways.items()}
    for (parent, _), held in siblings.items():
        share = -(-len(held) // most)
        for start in range(0, len(held) if share > 1 else 0, share):
            part = list(held)[start : start + share]
            if len(part) > 1:
                joined = part[0][-1][0], _joined([way[-1][1] for way in part])
                inside = [order[node] for way in part for node in held[way] if node in order]
                boxes |= {node: joined for way in part for node in held[way]}
                first, last = min(inside, default=0), max(inside, default=0)
                between = [n for n, way in cut.items() if way == parent and first < order.get(n, 0) < last]
                boxes |= dict.fromkeys(between, joined)
    return boxes


def _counted(name: str) -> tuple[str, str] | None:
    """What is counted and the number, if a name is one of several: "t = 3", "turn 3", "layer3", "blocks[3]"."""
    found = re.fullmatch(r"(\w+) = (.*)|(.*\D)(\d+) ?\w?|(.+)\[(\d+)\]", name)
    return (found[1] or found[3] or found[5], found[2] or found[4] or found[6]) if found is not None else None


def _joined(names: Sequence[str]) -> str:
    """The name of a box for several that are counted: "t = 0 … 3 × 4", "blocks[0 … 3] × 4"."""
    _, last = _counted(names[-1]) or ("", "")
    first = names[0].removesuffix("]")
    return say("graph.turns", first=first, last=f"{last}]" if first != names[0] else last, count=len(names))


@dataclass(frozen=True, slots=True)
class _Boxed:
    """A graph in which boxes are Nodes: which Node is in which, how much of all operations is in the largest (`share`),
    and the edges that each edge between boxes stands for."""

    facts: Graph
    ways: Mapping[str, Way]
    box_of: Mapping[str, str]
    share: float
    edges: Mapping[tuple[str, str], Edge]
    members: Mapping[tuple[str, str], Sequence[str]]


def _boxed(
    graph: Graph, ways: Mapping[str, Way], boxes: Mapping[str, tuple[str, str]], alone: bool = False
) -> _Boxed | None:
    """The graph in which each box is one Node; None if there is none and Nodes may not stand `alone`, or one around
    everything."""
    inside: dict[str, list[str]] = {}
    for node, (box, _) in boxes.items():
        inside.setdefault(box, []).append(node)
    whole = {node.id for node in graph.nodes}
    inside = {box: nodes for box, nodes in inside.items() if sum(n in whole for n in nodes) > 1}
    leaves = {node.id for node in graph.nodes if node.accumulates}
    largest = max((len(set(nodes) - leaves) for nodes in inside.values()), default=0)
    if not alone and largest in (0, len(whole) - len(leaves)):  # one box around everything tells nothing
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
    held = {f"k{number}": nodes for number, nodes in enumerate(inside.values(), 1)}
    nodes: dict[str, NodeFact] = {}
    for fact in graph.nodes:
        box = box_of.get(fact.id, "")
        if not box:
            nodes[fact.id] = replace(fact, inputs=inputs.get(fact.id, fact.inputs), data=())
        elif box not in nodes:
            within = len(leaves.intersection(held[box]))
            key = "fold_shared" if within == len(held[box]) else "fold_both" if within else "fold"
            text = say(f"graph.{key}", count=len(held[box]) - within, leaves=within)
            nodes[box] = NodeFact(box, text, names[box], inputs.get(box, 0), order=fact.order)
    values = tuple(v for v in graph.values if (v.of is not None and v.of[0] not in box_of) or v.root)
    values = tuple(replace(v, of=(box_of.get(v.of[0], v.of[0]), v.of[1])) if v.of is not None else v for v in values)
    facts = Graph(tuple(nodes.values()), tuple(edges.values()), values, graph.roots)
    return _Boxed(facts, ways, box_of, largest / max(1, len(whole) - len(leaves)), edges, members)


def _drawn(
    graph: Graph, boxed: _Boxed, label: str, details: Mapping[str, tuple[Block, ...]], labels: Labels
) -> Drawing | None:
    """The picture of a folded graph; None if boxes would depend on each other in a circle."""
    try:
        drawing = draw(boxed.facts, (), label, {**details, **_insides(graph, boxed)}, labels)
    except ValueError:
        return None
    leaves = {node.id for node in graph.nodes if node.accumulates}
    shown_as = {v.of[0]: v.id for v in graph.values if v.of is not None and v.of[0] in leaves}
    box_of = {shown_as.get(node, node): box for node, box in boxed.box_of.items()}
    return _renamed(drawing, boxed.edges, boxed.members, box_of, {node.id: node for node in graph.nodes})


def _insides(graph: Graph, boxed: _Boxed) -> dict[str, tuple[Block, ...]]:
    """What opening a box shows: its parts, each with its own; of what has none its Nodes; and the leaves in it."""
    inside: dict[str, list[NodeFact]] = {}
    for fact in graph.nodes:
        if fact.id in boxed.box_of:
            inside.setdefault(boxed.box_of[fact.id], []).append(fact)
    leaves: dict[str, list[tuple[str, str]]] = {box: [] for box in inside}
    for value in graph.values:
        if value.of is not None and value.kind == "leaf" and value.of[0] in boxed.box_of:
            leaves[boxed.box_of[value.of[0]]].append((value.name or value.id, value.shape))
    found: dict[str, tuple[Block, ...]] = {}
    for box, facts in inside.items():
        operations = sorted((fact for fact in facts if not fact.accumulates), key=lambda fact: fact.order)
        level = len(_common([boxed.ways.get(fact.id, ()) for fact in operations]))
        rows = []
        for part, held in _parts(operations, boxed.ways, level).items():
            below = [name for name in _parts(held, boxed.ways, level + 1) if name]
            texts = [*below[:NAMED], *["…"] * (len(below) > NAMED)] if part else []
            own = [fact for fact in held if len(boxed.ways.get(fact.id, ())) == level + bool(part)]
            counted = Counter(fact.cls for fact in own)
            texts += [f"{cls} × {count}" if count > 1 else cls for cls, count in counted.items()]
            rows.append((part, say("common.list").join(texts)))
        rest = say("graph.fold_rest" if len(rows) > 1 else "graph.fold_nodes")  # none where there are leaves alone
        rows = [row for row in rows if row[0]] + [(rest, text) for part, text in rows if not part]
        has, every = leaves[box], list[Block]()
        if has:
            names = say("common.list").join(_with_shape(*leaf) for leaf in has[:NAMED])
            more = len(has) - NAMED
            rows.append(
                (say("graph.fold_has"), say("common.names_more", names=names, count=more) if more > 0 else names)
            )
        if len(has) > NAMED:
            heads = say("graph.leaves"), say("graph.shape")
            every.append(Table(heads, tuple(has), folded=say("graph.fold_all", count=len(has))))
        found[box] = (Facts(tuple(rows)), *every)
    return found


def _with_shape(name: str, shape: str) -> str:
    return say("graph.leaf_scalar", name=name) if shape == "()" else f"{name} {shape}"


def _parts(facts: Sequence[NodeFact], ways: Mapping[str, Way], level: int) -> dict[str, list[NodeFact]]:
    """Nodes by the step of their ways at that level, in the order of the forward; "" are those without one."""
    found: dict[tuple[str, str], list[NodeFact]] = {}
    for fact in facts:
        way = ways.get(fact.id, ())
        found.setdefault(way[level] if len(way) > level else ("", ""), []).append(fact)
    return {name: held for (_, name), held in found.items()}


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
