"""A wide drawing cut into strips that stand one below the other, where a picture on paper has no scrollbar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from .parts import Drawing, Item, Path, Text
from .prose import width
from .sketch import extent, hidden

__all__ = ["Strip", "strips"]

#: drawings up to this width stay whole; of wider ones, no strip is wider than ROOM if there is a place to cut
WHOLE, ROOM = 1300.0, 900.0
#: a drawing of more strips than this stays whole: nobody reads it on paper
MOST = 10
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


def strips(drawing: Drawing, texts: Mapping[str, str]) -> list[Strip]:
    """The drawing in windows from left to right that cut through lines only, not through boxes and words (`texts`: of
    slots)."""
    away = hidden(drawing)
    items = [item for item in drawing.items if item.id not in away]
    spans = sorted(span for item in items for span in _spans(item, texts))
    gaps, reach = [], 0.0
    for left, right in spans:
        if left > reach + 2 and reach:
            gaps.append((reach + left) / 2)
        reach = max(reach, right)
    cuts = [0.0]
    while WHOLE < drawing.width <= MOST * ROOM and drawing.width - cuts[-1] > ROOM:
        ahead = [gap for gap in gaps if gap > cuts[-1]]
        near = [gap for gap in ahead if gap <= cuts[-1] + ROOM]
        if not ahead:
            break
        cuts.append(near[-1] if near else ahead[0])
    ends = [*cuts[1:], drawing.width]
    return [_strip(drawing, items, left, right, len(cuts) > 1) for left, right in zip(cuts, ends, strict=True)]


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


def _strip(drawing: Drawing, items: list[Item], left: float, right: float, cut: bool) -> Strip:
    if not cut:
        return Strip(drawing, 0.0, 0.0, drawing.width, drawing.height)
    seen = [item for item in items if any(a < right and b > left for a, b in _reach(item))]
    heights = [high for item in seen for high in _heights(item, left, right)]
    top = max(0.0, min((a for a, _ in heights), default=0.0) - MARGIN)
    bottom = min(drawing.height, max((b for _, b in heights), default=drawing.height) + MARGIN)
    return Strip(replace(drawing, items=tuple(seen)), left, top, right - left, bottom - top)


def _reach(item: Item) -> list[tuple[float, float]]:
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
