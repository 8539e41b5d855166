"""A layered drawing of a graph without cycles: columns from left to right, few crossings, long edges straight.

    placed = layout({"w": Box(90, 40), "mul": Box(80, 48, ins=(16, 32)), "y": Box(70, 40)},
                    [Link("w", "mul", 0), Link("w", "mul", 1), Link("mul", "y")])
    placed.at["mul"], placed.routes[0]

Every box stands in the column just before its first consumer. A link that passes a column runs straight through a lane
of its own there and bends only in the gaps between columns, so no edge can touch a box. Links from one source share
their lanes: a value that many Nodes use leaves as one line that branches. The same input gives the same picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .lanes import Lane, crossings, order, settle, straighten

__all__ = ["Box", "Link", "Placed", "layout"]

#: Between columns, at most: steep curves get more room than others.
WIDEST_GAP = 120.0


@dataclass(frozen=True, slots=True)
class Box:
    """What a box takes, labels included. Ports are measured from its top: links arrive at `ins`, leave at `out`."""

    width: float
    height: float
    ins: tuple[float, ...] = ()
    out: float | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """An edge from the right side of one box to the left side of another, at its port of that number."""

    source: str
    target: str
    port: int = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """Where boxes stand (left, top), and for each link its line: a start, then three points for each cubic Bézier."""

    at: dict[str, tuple[float, float]]
    routes: tuple[tuple[tuple[float, float], ...], ...]
    width: float
    height: float
    columns: dict[str, int]
    crossings: int


def layout(boxes: Mapping[str, Box], links: Sequence[Link], margin: float = 16.0, gap: float = 40.0) -> Placed:
    """Place the boxes, with a gap at least between columns, and route the links from left to right. A cycle is a
    ValueError."""
    column = _columns(boxes, links)
    lanes, paths = _lanes(boxes, links, column)
    columns: list[list[Lane]] = [[] for _ in range(1 + max(column.values(), default=-1))]
    for lane in lanes:
        columns[lane.column].append(lane)
    order(columns)
    settle(columns)
    straighten(columns)
    top = min((lane.y - lane.height / 2 for lane in lanes), default=0.0)
    for lane in lanes:
        lane.y += margin - top
    lefts, widths = _abscissas(columns, margin, gap)
    at = {
        lane.box: (lefts[lane.column] + (widths[lane.column] - lane.width) / 2, lane.y - lane.height / 2)
        for lane in lanes
        if lane.box is not None
    }
    routes = tuple(_route(boxes, link, path, at, lefts, widths) for link, path in zip(links, paths, strict=True))
    right = lefts[-1] + widths[-1] + margin if columns else 2 * margin
    bottom = max((lane.y + lane.height / 2 for lane in lanes), default=margin) + margin
    return Placed(at, routes, right, bottom, column, crossings(columns))


def _columns(boxes: Mapping[str, Box], links: Sequence[Link]) -> dict[str, int]:
    """The column of each box: what nobody uses at the right, everything else just before its first consumer."""
    waiting = dict.fromkeys(boxes, 0)
    sources: dict[str, list[str]] = {name: [] for name in boxes}
    for link in links:
        waiting[link.source] += 1
        sources[link.target].append(link.source)
    ready = [name for name, count in waiting.items() if not count]
    distance = dict.fromkeys(ready, 0)
    for name in ready:  # grows while it is walked
        for source in sources[name]:
            distance[source] = max(distance.get(source, 0), distance[name] + 1)
            waiting[source] -= 1
            if not waiting[source]:
                ready.append(source)
    if len(ready) < len(waiting):
        raise ValueError("layout: the links form a cycle")
    last = max(distance.values(), default=0)
    return {name: last - distance[name] for name in boxes}


def _lanes(
    boxes: Mapping[str, Box], links: Sequence[Link], column: Mapping[str, int]
) -> tuple[list[Lane], list[list[Lane]]]:
    """A lane for every box and for every column that a source's links pass, joined;
    and the lanes each link runs along."""
    real = {
        name: Lane(column[name], box.width, box.height, name, _out(box) - box.height / 2) for name, box in boxes.items()
    }
    lanes = list(real.values())
    passing: dict[str, list[Lane]] = {}
    paths = []
    for link in links:
        source, target = real[link.source], real[link.target]
        chain = passing.setdefault(link.source, [source])
        while chain[-1].column < target.column - 1:
            lane = Lane(chain[-1].column + 1)
            chain[-1].join(lane, 0.0, 0)
            chain.append(lane)
            lanes.append(lane)
        path = chain[: target.column - source.column]
        box = boxes[link.target]
        path[-1].join(target, _in(box, link.port) - box.height / 2, link.port)
        paths.append([*path, target])
    return lanes, paths


def _out(box: Box) -> float:
    return box.height / 2 if box.out is None else box.out


def _in(box: Box, port: int) -> float:
    return box.ins[port] if port < len(box.ins) else box.height / 2


def _abscissas(columns: Sequence[Sequence[Lane]], margin: float, gap: float) -> tuple[list[float], list[float]]:
    """The left edge and the width of each column."""
    lefts, widths = [], []
    x = margin
    for lanes in columns:
        width = max((lane.width for lane in lanes), default=0.0)
        lefts.append(x)
        widths.append(width)
        steep = max((abs(left.y + left.out - y) for left in lanes for y in left.arrivals()), default=0.0)
        x += width + min(gap + steep * gap / 240, WIDEST_GAP)
    return lefts, widths


def _route(
    boxes: Mapping[str, Box],
    link: Link,
    path: Sequence[Lane],
    at: Mapping[str, tuple[float, float]],
    lefts: Sequence[float],
    widths: Sequence[float],
) -> tuple[tuple[float, float], ...]:
    """Straight through columns, one bend in each gap where the height changes."""
    source, target = boxes[link.source], boxes[link.target]
    x, y = at[link.source][0] + source.width, at[link.source][1] + _out(source)
    end = at[link.target][0], at[link.target][1] + _in(target, link.port)
    points = [(x, y)]
    for lane in path[1:]:
        last = lane is path[-1]
        into = end[1] if last else lane.y
        if abs(into - y) > 0.05:
            start, stop = lefts[lane.column - 1] + widths[lane.column - 1], lefts[lane.column]
            _straight(points, start)
            middle = (start + stop) / 2
            points += [(middle, y), (middle, into), (stop, into)]
            y = into
    _straight(points, end[0])
    return tuple((round(a, 2), round(b, 2)) for a, b in points)


def _straight(points: list[tuple[float, float]], x: float) -> None:
    """Go on horizontally, as a cubic that is a line."""
    here, y = points[-1]
    if x - here > 0.01:
        points += [(here + (x - here) / 3, y), (x - (x - here) / 3, y), (x, y)]
