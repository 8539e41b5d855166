"""A wide drawing cut into strips that stand one below the other, where a picture on paper has no scrollbar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from .parts import Drawing, Item, Path, Shape, Text
from .prose import width
from .sketch import extent, hidden

__all__ = ["Strip", "crowded", "strips", "windows"]

#: drawings up to this width stay whole; of wider ones, no strip is wider than ROOM if there is a place to cut
WHOLE, ROOM = 1300.0, 900.0
#: between what is drawn and the edge of a strip
MARGIN = 8.0


@dataclass(frozen=True, slots=True)
class Strip:
    """What of a drawing is seen in a window of it."""

    drawing: Drawing
    left: float
    top: float
    width: float
    height: float


Span = tuple[float, float]


def strips(drawing: Drawing, texts: Mapping[str, str]) -> list[Strip]:
    """The drawing in windows from left to right (`windows`)."""
    places = windows(drawing, texts)
    if len(places) == 1:
        return [Strip(drawing, 0.0, 0.0, drawing.width, drawing.height)]
    reached = [(item, _reach(item)) for item in _seen(drawing)]
    return [_strip(drawing, reached, left, right) for left, right in places]


def crowded(drawing: Drawing, texts: Mapping[str, str], most: int) -> bool:
    """Whether all strips together have more than so many items: lines that go through many strips are in each."""
    places = windows(drawing, texts)
    count = 0
    for item in _seen(drawing):
        spans = _reach(item)
        count += sum(any(a < right and b > left for a, b in spans) for left, right in places)
        if count > most:
            return True
    return False


def _seen(drawing: Drawing) -> list[Item]:
    away = hidden(drawing)
    return [item for item in drawing.items if item.id not in away]


def windows(drawing: Drawing, texts: Mapping[str, str]) -> list[Span]:
    """From where to where each strip goes: cut are lines only, not boxes and words (`texts`: of slots)."""
    if drawing.width <= WHOLE:
        return [(0.0, drawing.width)]
    spans = sorted(span for item in _seen(drawing) for span in _spans(item, texts))
    gaps, reach = [], 0.0
    for left, right in spans:
        if left > reach + 2 and reach:
            gaps.append((reach + left) / 2)
        reach = max(reach, right)
    cuts = [0.0]
    while drawing.width - cuts[-1] > ROOM:
        ahead = [gap for gap in gaps if gap > cuts[-1]]
        near = [gap for gap in ahead if gap <= cuts[-1] + ROOM]
        if not ahead:
            break
        cuts.append(near[-1] if near else ahead[0])
    return list(pairwise([*cuts, drawing.width]))


def _spans(item: Item, texts: Mapping[str, str]) -> list[tuple[float, float]]:
    """From where to where the boxes and words of an item go."""
    box = extent(item)
    found = [(box[0], box[2])] if box is not None else []
    for shape in item.shapes:
        if isinstance(shape, Text):
            wide = width(texts.get(shape.slot, shape.text) if shape.slot else shape.text, shape.size, True)
            left = shape.x - {"start": 0.0, "middle": wide / 2, "end": wide}[shape.anchor]
            found.append((left, left + wide))
    return found


def _strip(drawing: Drawing, items: list[tuple[Item, list[Span]]], left: float, right: float) -> Strip:
    seen = [item for item, spans in items if any(a < right and b > left for a, b in spans)]
    heights = [high for item in seen for high in _heights(item, left, right)]
    top = max(0.0, min((a for a, _ in heights), default=0.0) - MARGIN)
    bottom = min(drawing.height, max((b for _, b in heights), default=drawing.height) + MARGIN)
    inside = tuple(replace(item, shapes=tuple(_inside(s, left, right) for s in item.shapes)) for item in seen)
    return Strip(replace(drawing, items=inside), left, top, right - left, bottom - top)


def _inside(shape: Shape, left: float, right: float) -> Shape:
    """Of a line the legs that a window meets: a line that goes through many strips is not whole in each of them."""
    if not isinstance(shape, Path):
        return shape
    step = 3 if shape.curve and len(shape.points) > 3 else 1
    legs = range(0, len(shape.points) - step, step)
    near = [k for k in legs if _meets(shape.points[k : k + step + 1], left, right)]
    if not near or len(near) == len(legs):
        return shape
    last = near[-1] + step
    return replace(shape, points=shape.points[near[0] : last + 1], arrow=shape.arrow and last == legs[-1] + step)


def _meets(points: tuple[tuple[float, float], ...], left: float, right: float) -> bool:
    places = [x for x, _ in points]
    return min(places) < right + MARGIN and max(places) > left - MARGIN


def _reach(item: Item) -> list[Span]:
    lines = [shape.points for shape in item.shapes if isinstance(shape, Path) and shape.points]
    return _spans(item, {}) + [(min(x for x, _ in points), max(x for x, _ in points)) for points in lines]


def _heights(item: Item, left: float, right: float) -> list[tuple[float, float]]:
    """From where to where an item goes, of lines as far as they are in the window."""
    box = extent(item)
    found = [(box[1], box[3])] if box is not None else []
    for shape in item.shapes:
        if isinstance(shape, Text):
            found.append((shape.y - shape.size, shape.y + shape.size / 2))
        elif isinstance(shape, Path):
            found += [(y, y) for x, y in shape.points if left <= x <= right]
    return found
