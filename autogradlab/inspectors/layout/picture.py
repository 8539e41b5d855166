"""The picture of a graph: operators as rectangles, variables as ellipses, edges with room for a label beside them.

What was computed first stands at the left. Ids of items: Nodes and values have those of their facts (`n3`, `v1`); `e4`
is the edge number 4 of the facts, `o2` the line from a Node to the value v2 that it made, `d1` a line from data. Texts
that frames may change have slots: `e4`, `o2`, `n3` (gradients on edges and entering a Node), `s3` (what n3 saved), `g1`
(the `.grad` of the value v1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..parts import Block, Drawing, Ellipse, Facts, Fold, Item, Path, Rect, Shape, Text, Tone
from ..prose import columns
from ..snapshot.graph import Edge, Graph, NodeFact, Saved, Value
from ..snapshot.origins import Origin, place
from ..words import say
from .layered import Box, Link, Placed, layout

__all__ = ["Labels", "draw", "saved_line"]

LARGE, SMALL = 13.0, 13.0
PORT = 20.0
TALLEST = 420.0
LINE = 15.0
LONG = 26

#: letters of a name and value that stand in one line where shapes stand close, and of a name there
SHORT, LONGEST = 14, 14

#: letters of a Node's class there
NARROW = 20

#: fewer unnamed Nodes than this are not worth folding
FOLDED = 3


@dataclass(frozen=True, slots=True)
class Labels:
    """What a step writes into the picture: for each slot its longest text, for which room is kept. `back`: arrows go
    where gradients go. `close`: shapes say less and stand closer, so that more of them are seen at once. `brief`: Nodes
    say their operation alone."""

    widest: Mapping[str, str]
    back: bool = True
    close: bool = True
    brief: bool = False


NO_LABELS = Labels({}, back=False, close=False)


def wide(text: str, size: float = LARGE) -> float:
    """Pixels that a text takes in the fixed-width font."""
    return columns(text) * size * 0.605


def cut(text: str, limit: int = LONG) -> str:
    return text if columns(text) <= limit else text[: limit - 1] + "…"


def shortened(name: str, limit: int) -> str:
    """A long name without its middle: the end tells names of one kind apart."""
    if columns(name) <= limit:
        return name
    last = (limit - 1) * 2 // 3
    while columns(name[-last:]) + columns(name[: limit - 1 - last]) >= limit and last > 1:
        last, limit = last - 1, limit - 1
    return f"{name[: limit - 1 - last]}…{name[-last:]}"


@dataclass(frozen=True, slots=True)
class _Shape:
    """A box: its visible part within what it takes, with room for labels at its sides and below."""

    width: float
    height: float
    left: float = 0.0
    right: float = 0.0
    below: float = 0.0
    ports: tuple[int, ...] = ()  #: the inputs that are drawn

    def port(self, index: int) -> float:
        """The height of an input, from the top."""
        step = (self.height - 8) / max(len(self.ports), 1)
        return 4 + step * (self.ports.index(index) + 0.5)

    def box(self) -> Box:
        ins = tuple(self.port(index) for index in self.ports) or (self.height / 2,)
        return Box(self.left + self.width + self.right, self.height + self.below, ins, self.height / 2)


def draw(
    graph: Graph,
    words: Sequence[str],
    label: str,
    details: Mapping[str, tuple[Block, ...]],
    labels: Labels = NO_LABELS,
) -> Drawing:
    """The drawing; `details` gives items what is shown when they are opened, by id."""
    return _Picture(graph, labels).drawing(words, label, details)


class _Picture:
    def __init__(self, graph: Graph, labels: Labels) -> None:
        self.graph = graph
        self.labels = labels
        self.nodes = {node.id: node for node in graph.nodes if not node.accumulates}
        self.values = {value.id: value for value in graph.values}
        self.made = {value.of: value.id for value in graph.values if value.of is not None}
        self.links: list[tuple[str, Link, bool]] = []  # item id, link, whether gradients run along it
        self.shapes: dict[str, _Shape] = {}
        self._link()

    def _link(self) -> None:
        ports: dict[str, set[int]] = {}
        ins: list[tuple[str, str, str, int, bool]] = []
        for number, edge in enumerate(self.graph.edges, 1):
            left = self.left(edge)
            if left is not None and edge.source in self.nodes:
                ins.append((edge.item or f"e{number}", left, edge.source, edge.index, True))
        for node in self.nodes.values():
            for index, data in node.data:
                ins.append((f"d{sum(not r for *_, r in ins) + 1}", data, node.id, index, False))
        for _, _, target, index, _ in ins:
            ports.setdefault(target, set()).add(index)
        for value in self.values.values():
            self.shapes[value.id] = self._ellipse(value)
        for node in self.nodes.values():
            self.shapes[node.id] = self._rect(node, tuple(sorted(ports.get(node.id, ()))))
        for item, left, target, index, runs in ins:
            self.links.append((item, Link(left, target, self.shapes[target].ports.index(index)), runs))
        for value in self.values.values():
            if value.of is not None and value.of[0] in self.nodes:
                self.links.append((f"o{value.id[1:]}", Link(value.of[0], value.id), True))

    def left(self, edge: Edge) -> str | None:
        """What an edge comes from in the picture: the value that stands for it, or the Node itself."""
        value = self.made.get((edge.target, edge.number))
        return value if value is not None else edge.target if edge.target in self.nodes else None

    def _rect(self, node: NodeFact, ports: tuple[int, ...]) -> _Shape:
        width = float(round(max(map(wide, self._lines(node))) + 22))
        height = min(max(36.0 if self.labels.brief else 46.0, PORT * len(ports) + 8), TALLEST)
        widest = self.labels.widest
        room = (
            [
                widest.get(edge.item or f"e{i}", "")
                for i, edge in enumerate(self.graph.edges, 1)
                if edge.source == node.id
            ]
            if widest
            else []
        )
        out = [widest.get(f"o{v[1:]}", "") for (of, _), v in self.made.items() if of == node.id] if widest else []
        out.append(widest.get(node.id, ""))
        left = max((wide(text, SMALL) + 12 for text in room if text), default=8.0)
        right = max((wide(text, SMALL) + 14 for text in out if text), default=6.0)
        line = max((self._saved(node), widest.get(f"s{node.id[1:]}", "")), key=columns)
        spill = max(0.0, (wide(line, SMALL) - width) / 2)
        return _Shape(width, height, max(left, spill), max(right, spill), LINE + 3 if line else 0.0, ports)

    def _lines(self, node: NodeFact) -> list[str]:
        """What stands in a rectangle: the operation, and its Node's class or how many Nodes it is."""
        said = self.labels.brief and not node.id.startswith("k")
        names = (LONGEST, NARROW) if self.labels.close and not node.id.startswith("k") else (LONG, LONG)
        op, cls = (shortened(name, most) for name, most in zip((node.op, node.cls), names, strict=True))
        return [op] if said else [op, cls]

    def _saved(self, node: NodeFact) -> str:
        return "" if self.labels.brief else saved_line(node.saved, self.labels.close)

    def _ellipse(self, value: Value) -> _Shape:
        lines = value_lines(value, self.labels.close)
        bulge = (1.22,) if len(lines) == 1 else (1.22, 1.14) if len(lines) == 2 else (1.3, 1.1, 1.35)
        text = max(wide(line, SMALL if i else LARGE) * bulge[i] for i, line in enumerate(lines))
        grad = max(grad_line(value), self.labels.widest.get(f"g{value.id[1:]}", ""), key=columns)
        width = float(round(max(text + (14 if self.labels.close else 22), 44.0)))
        spill = max(0.0, (wide(grad, SMALL) - width) / 2)
        return _Shape(width, (32.0, 50.0, 64.0)[len(lines) - 1], spill, spill, LINE + 4 if grad else 0.0)

    # -- shapes --------------------------------------------------------------------------------------------------------

    def drawing(self, words: Sequence[str], label: str, details: Mapping[str, tuple[Block, ...]]) -> Drawing:
        boxes = {name: shape.box() for name, shape in self.shapes.items()}
        margin, gap = (10.0, 18.0 if self.labels.brief else 26.0) if self.labels.close else (16.0, 40.0)
        placed = layout(boxes, [link for _, link, _ in self.links], margin, gap)
        items = [
            self._edge(item, link, runs, placed, i, details.get(item, ()))
            for i, (item, link, runs) in enumerate(self.links)
        ]
        items += [self._value(value, placed, details.get(value.id, ())) for value in self.values.values()]
        items += [self._node(node, placed, details.get(node.id, ())) for node in self.nodes.values()]
        return Drawing(placed.width, placed.height, tuple(items), tuple(words), label, self.folds(), zoom=True)

    def folds(self) -> tuple[Fold, ...]:
        """What can be folded away behind a Node: the unnamed Nodes that lead to it alone, and what only they use."""
        users: dict[str, list[str]] = {}
        for _, link, _ in self.links:
            users.setdefault(link.source, []).append(link.target)
        head: dict[str, str] = {}
        for node in self.nodes:
            way = []
            while node not in head:
                way.append(node)
                into = users.get(node, [])
                if len(into) != 1 or into[0] not in self.nodes:
                    head[node] = node
                    break
                node = into[0]
            for passed in way:
                head[passed] = head[node]
        groups: dict[str, list[str]] = {}
        for node, at in head.items():
            if node != at:
                groups.setdefault(at, []).append(node)
        folds = []
        for at, nodes in groups.items():
            if len(nodes) < FOLDED:
                continue
            away = set(nodes)
            own = [v.id for v in self.values.values() if v.kind != "value" and away.issuperset(users.get(v.id, [""]))]
            away.update(own)
            lines = [item for item, link, _ in self.links if link.source in away or link.target in away]
            leaves = sum(self.values[v].kind == "leaf" for v in own)
            label = say("graph.fold_leaves" if leaves else "graph.fold", count=len(nodes), leaves=leaves)
            folds.append(Fold(at, (*nodes, *own, *lines), label))
        return tuple(folds)

    def _edge(self, item: str, link: Link, runs: bool, placed: Placed, index: int, details: tuple[Block, ...]) -> Item:
        source, target = self.shapes[link.source], self.shapes[link.target]
        route = placed.routes[index]
        points = _reaching(route, route[0][0] - source.right, route[-1][0] + target.left)
        start, end = points[0], points[-1]  # of the line as it was routed: from left to right
        back = self.labels.back and runs
        if back:
            points = points[::-1]
        curve = any(abs(p[1] - points[0][1]) > 0.05 for p in points)
        line = tuple(points) if curve else (points[0], points[-1])
        shapes: list[Shape] = [Path(line, "gradient" if back else "muted" if runs else "saved", curve, True, not runs)]
        if item in self.labels.widest:
            at = (start[0] + 5, start[1] - 5, "start") if item[0] == "o" else (end[0] - 6, end[1] - 5, "end")
            shapes.append(Text(at[0], at[1], "", "gradient", at[2], SMALL, True, True, item))  # type: ignore[arg-type]
        said = ""
        if details and isinstance(details[0], Facts):  # where it leads; its rule, which may be asked for, is a detail
            place, leads = details[0].rows[0]
            said = f"{place} → {leads.partition(': ')[0]}"
        return Item(item, tuple(shapes), said, details)

    def _node(self, node: NodeFact, placed: Placed, details: tuple[Block, ...]) -> Item:
        shape = self.shapes[node.id]
        x, y = _half(placed.at[node.id][0] + shape.left), _half(placed.at[node.id][1])
        middle, centre = x + shape.width / 2, y + shape.height / 2
        op, *cls = self._lines(node)
        shapes: list[Shape] = [
            Rect(x, y, shape.width, shape.height, 5, "node", True),
            Text(middle, centre + (-3 if cls else 4.5), op, size=LARGE, mono=True, bold=True),
            *(Text(middle, centre + 13, line, "muted", size=SMALL, mono=True) for line in cls),
        ]
        if shape.below:
            tone: Tone = "warning" if any(s.state == "changed" for s in node.saved) else "saved"
            text = self._saved(node)
            shapes.append(
                Text(middle, y + shape.height + 15, text, tone, size=SMALL, mono=True, slot=f"s{node.id[1:]}")
            )
        if node.id in self.labels.widest:
            at = x + shape.width + 5, centre - 5
            shapes.append(Text(*at, "", "gradient", "start", SMALL, True, True, node.id))
        return Item(node.id, tuple(shapes), said_node(node), details, _sought(node.leads, node.origin))

    def _value(self, value: Value, placed: Placed, details: tuple[Block, ...]) -> Item:
        shape = self.shapes[value.id]
        x = _half(placed.at[value.id][0] + shape.left + shape.width / 2)
        y = _half(placed.at[value.id][1] + shape.height / 2)
        tone: Tone = "leaf" if value.kind == "leaf" else "saved" if value.kind == "data" else "plain"
        lines = value_lines(value, self.labels.close)
        top = y + (4, -2, -10)[len(lines) - 1]
        shapes: list[Shape] = [
            Ellipse(x, y, shape.width / 2, shape.height / 2, tone, value.kind == "leaf"),
            Text(x, top, lines[0], size=LARGE, mono=True, bold=value.root),
        ]
        for i, line in enumerate(lines[1:], 1):
            last: Tone = "leaf" if value.kind == "leaf" else "muted"
            shapes.append(Text(x, top + 15 * i, line, last if i == len(lines) - 1 else "plain", size=SMALL, mono=True))
        if shape.below:
            text = grad_line(value)
            shapes.append(
                Text(
                    x,
                    y + shape.height / 2 + 15,
                    text,
                    "gradient",
                    size=SMALL,
                    mono=True,
                    bold=True,
                    slot=f"g{value.id[1:]}",
                )
            )
        found = _sought(value.shape, value.origin, "nan" if value.nan else "")
        return Item(value.id, tuple(shapes), said_value(value), details, found, value.mark)


def _sought(first: str, made: Origin | None, *more: str) -> str:
    """What a search finds an item by: beside its label, the line that made it, and whether it holds a NaN."""
    return " ".join(filter(None, [first, place(made) if made is not None else "", *more]))


def _line(start: tuple[float, float], end: tuple[float, float]) -> list[tuple[float, float]]:
    """A straight cubic."""
    third = (end[0] - start[0]) / 3
    return [start, (start[0] + third, start[1]), (end[0] - third, end[1]), end]


#: a label's room that is shorter than this is crossed by the curve itself
STUB = 16.0


def _reaching(route: Sequence[tuple[float, float]], start: float, end: float) -> list[tuple[float, float]]:
    """A route that begins and ends at the shapes themselves: through the room that is kept for labels."""
    points = list(route)
    for at, x in ((0, start), (-1, end)):
        here, y = points[at]
        if len(points) > 1 and abs(x - here) < STUB:
            points[at] = (x, y)
        elif abs(x - here) > 0.05:
            points = [*_line((x, y), (here, y)), *points[1:]] if at == 0 else [*points, *_line((here, y), (x, y))[1:]]
    return _joined(points)


def _joined(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Neighbouring straight pieces made one, so that paths stay short."""
    made = [points[0]]
    for i in range(1, len(points), 3):
        piece = points[i : i + 3]
        flat = all(abs(p[1] - made[-1][1]) < 0.01 for p in piece)
        if flat and len(made) > 3 and all(abs(p[1] - made[-1][1]) < 0.01 for p in made[-4:]):
            start = made[-4]
            del made[-3:]
            made += _line(start, piece[-1])[1:]
        else:
            made += piece
    return [(_half(x), _half(y)) for x, y in made]


def _half(x: float) -> float:
    """Half pixels are fine enough, and short to write."""
    half = round(2 * x) / 2
    return int(half) if half == int(half) else half


# -- words in the picture ----------------------------------------------------------------------------------------------


def value_lines(value: Value, close: bool = False) -> list[str]:
    """What stands in an ellipse: name and value (in two lines if they are long), what it is."""
    if close and value.name:
        return _close_lines(value)
    first = [f"{value.name} = {value.text}" if value.name else cut(value.text)]
    if value.name and columns(first[0]) > 20:
        first = [shortened(value.name, 22), cut(value.text, 24)]
    return [line for line in (*first, _kind(value)) if line]


def _kind(value: Value) -> str:
    """What a value is, in words."""
    if value.kind == "leaf":
        return say("graph.leaf_root") if value.root else say("graph.leaf")
    if value.kind == "data":
        return say("graph.data") if value.name or value.root else ""
    return say("graph.root") if value.root else say("graph.non_leaf")


def _close_lines(value: Value) -> list[str]:
    """The same in two short lines: of what is long, the shape stands for the value, unless it is a single number."""
    kind = say("graph.close_leaf") if value.kind == "leaf" else say("graph.close_data") if value.kind == "data" else ""
    first = f"{value.name} = {value.text}"
    if columns(first) <= SHORT:
        return [first, kind or say("graph.root" if value.root else "graph.non_leaf")]
    held = cut(value.text, SHORT) if value.shape == "()" else value.shape
    return [shortened(value.name or "", LONGEST), " · ".join(filter(None, [held, kind]))]


def grad_line(value: Value) -> str:
    return "" if value.grad is None else f".grad: {value.grad}"


def saved_line(saved: Sequence[Saved], close: bool = False) -> str:
    """Below a Node: `saved self=w other=x`, or that it is freed."""
    tensors = [s for s in saved if s.state != "plain"]
    if not tensors:
        return ""
    if any(s.state == "changed" for s in tensors):
        names = " ".join(s.name for s in tensors if s.state == "changed")
        return say("graph.line_changed", names=cut(names))
    if all(s.state in ("freed", "unreadable") for s in tensors):
        return say("graph.line_freed")
    kept = [s for s in tensors if s.text != "None" and s.state == "kept"]
    parts = [f"{s.name}={s.holder}" if s.holder else s.name for s in kept]
    if close and columns(" ".join(parts)) > LONG:  # whose they are is among the details
        parts = [s.name for s in kept]
    return say("graph.line_saved", names=cut(" ".join(parts), 34)) if parts else ""


def said_node(node: NodeFact) -> str:
    return f"{node.op}, {node.cls}"


def said_value(value: Value) -> str:
    """The same as it is said, and shown where one points at it: with the whole name."""
    return ", ".join(filter(None, [f"{value.name} = {value.text}" if value.name else value.text, _kind(value)]))
