"""Drawings as SVG elements: shapes in their tones, items in their states, arrow heads; colours are attributes,
not styles."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape

from .parts import Drawing, Ellipse, Frame, Item, Path, Rect, Shape, State, Text, Tone
from .prose import clean
from .theme import MONO, Palette

__all__ = ["Sheet", "hidden", "moment", "number"]


def number(value: float) -> str:
    """A coordinate: at most two decimals, no trailing zeros, no -0."""
    if not math.isfinite(value):
        return "0"
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


@lru_cache(maxsize=512, typed=True)
def _attribute(name: str, value: object) -> str:
    """An attribute as it is written: drawings say the same few colours, fonts and sizes again and again."""
    text = number(value) if isinstance(value, float) else escape(clean(str(value)))
    return f' {name.rstrip("_").replace("_", "-")}="{text}"'


def moment(frames: Sequence[Frame], at: int) -> tuple[dict[str, State], dict[str, str]]:
    """States of items and texts of slots in a frame: idle is what a later frame sets and none has set so far."""
    states: dict[str, State] = {item: "idle" for frame in frames for item, _ in frame.states}
    texts: dict[str, str] = {}
    for frame in frames[: at + 1]:
        states.update(frame.states)
        texts.update(frame.texts)
    return states, texts


def hidden(drawing: Drawing) -> set[str]:
    """The items that are folded away to begin with."""
    return {item for fold in drawing.folds if fold.folded for item in fold.items}


class Sheet:
    """SVG elements, one after the other, in the colours of a palette."""

    def __init__(self, palette: Palette) -> None:
        self.palette = palette
        self.elements: list[str] = []
        self._ids: set[str] = set()

    def add(self, tag: str, content: str | None = None, /, **attributes: object) -> None:
        """One element; `content` is markup, the attributes' values are escaped. `_` in a name stands for `-`."""
        written = "".join([_attribute(name, value) for name, value in attributes.items() if value is not None])
        self.elements.append(f"<{tag}{written}/>" if content is None else f"<{tag}{written}>{content}</{tag}>")

    def words(
        self,
        x: float,
        y: float,
        text: str,
        fill: str,
        size: float = 13.0,
        *,
        mono: bool = False,
        bold: bool = False,
        anchor: str = "start",
    ) -> None:
        """One line of text in one style, its baseline at y."""
        self.add(
            "text",
            escape(clean(text), quote=False),
            x=x,
            y=y,
            fill=fill,
            font_size=float(size),
            font_family=MONO if mono else None,
            font_weight="600" if bold else None,
            text_anchor=anchor if anchor != "start" else None,
        )

    def label(self, text: str, shape: Text, tone: Tone) -> None:
        """A text of a drawing: what most of them share is said once, by the drawing (thousands of them are large)."""
        self.add(
            "text",
            escape(clean(text), quote=False),
            x=shape.x,
            y=shape.y,
            fill=self.palette.ink(tone),
            font_size=float(shape.size) if shape.size != 12 else None,
            font_family=None if shape.mono else "system-ui, sans-serif",
            font_weight="600" if shape.bold else None,
            text_anchor=shape.anchor if shape.anchor != "middle" else None,
        )

    # -- drawings ------------------------------------------------------------------------------------------------------

    def drawing(
        self, drawing: Drawing, x: float, y: float, states: Mapping[str, State], texts: Mapping[str, str]
    ) -> None:
        """The drawing with its corner at (x, y): connections below, what they connect above them."""
        shared = (
            f'font-family="{escape(MONO)}" font-size="12" text-anchor="middle" stroke-width="1.5" '
            f'stroke-linejoin="round"'
        )
        self.elements.append(f'<g transform="translate({number(x)} {number(y)})" {shared}>')
        away = hidden(drawing)
        shown = [item for item in drawing.items if item.id not in away and states.get(item.id) != "hidden"]
        for item in sorted(shown, key=lambda item: not any(isinstance(shape, Path) for shape in item.shapes)):
            self._item(item, states.get(item.id), texts)
        boxes = {item.id: box for item in shown if (box := extent(item))}
        for fold in drawing.folds:
            if fold.folded and fold.at in boxes:
                left, top, right, _ = boxes[fold.at]
                self.words(
                    (left + right) / 2, top - 6, f"⊞ {fold.label}", self.palette.ink("muted"), 13.0, anchor="middle"
                )
        self.elements.append("</g>")

    def _item(self, item: Item, state: State | None, texts: Mapping[str, str]) -> None:
        name, count = item.id, 2
        while name in self._ids:
            name, count = f"{item.id}-{count}", count + 1
        self._ids.add(name)
        self.elements.append(f'<g id="{escape(clean(name))}">')
        for shape in item.shapes:
            self._shape(shape, state, texts)
        self.elements.append("</g>")

    def _shape(self, shape: Shape, state: State | None, texts: Mapping[str, str]) -> None:
        match shape:
            case Rect():
                self.add(
                    "rect",
                    x=shape.x,
                    y=shape.y,
                    width=shape.width,
                    height=shape.height,
                    rx=shape.radius,
                    **self._outline(shape, state),
                )
            case Ellipse():
                self.add("ellipse", cx=shape.x, cy=shape.y, rx=shape.rx, ry=shape.ry, **self._outline(shape, state))
            case Path():
                self._path(shape, state)
            case Text():
                text = texts.get(shape.slot, shape.text) if shape.slot else shape.text
                if text:
                    tone: Tone = "warning" if state == "failed" and shape.tone == "plain" else shape.tone
                    self.label(text, shape, tone)

    def _outline(self, shape: Rect | Ellipse, state: State | None) -> dict[str, object]:
        palette, tone = self.palette, shape.tone
        ground = palette.line(tone) if shape.solid else palette.tint(tone) if shape.fill else palette.paper
        line, thick, dash = palette.line(tone), 2.2 if tone == "leaf" else None, None
        if state == "active":
            line, thick = palette.focus, 3.2
        elif state == "failed":
            line, thick, dash = palette.line("warning"), 3.2, "6 3"
        elif state == "waiting":
            dash = "4 3"
        return {"fill": ground, "stroke": line, "stroke_width": thick, "stroke_dasharray": dash}

    def _path(self, path: Path, state: State | None) -> None:
        line, thick, faint = self.palette.line(path.tone), path.width, None
        dash = "4 3" if path.dashed or state == "waiting" else None
        if state in {"idle", "waiting"}:
            line = self.palette.quiet
        elif state == "active":
            thick = max(2.6, path.width + 1.2)
        elif state == "failed":
            line, thick, dash = self.palette.line("warning"), 2.6, "6 3"
        elif state == "done":
            faint = "0.75"
        points, head = (path.points, "") if not path.arrow else arrow(path.points, 6.5 + thick)
        self.add(
            "path",
            d=track(points, path.curve),
            fill="none",
            stroke=line,
            stroke_width=float(thick),
            stroke_dasharray=dash,
            opacity=faint,
        )
        if head:
            self.add("path", d=head, fill=line, opacity=faint)


Points = tuple[tuple[float, float], ...]


def track(points: Points, curve: bool) -> str:
    """A path's `d`: straight from point to point, or by cubic Bézier curves."""
    if not points:
        return ""
    start, rest = points[0], points[1:]
    pairs = [f"{number(x)} {number(y)}" for x, y in rest]
    if curve and len(rest) >= 3:
        legs = " ".join("C" + " ".join(pairs[i : i + 3]) for i in range(0, len(pairs) - 2, 3))
    else:
        legs = " ".join("L" + pair for pair in pairs)
    return f"M{number(start[0])} {number(start[1])} {legs}".strip()


def arrow(points: Points, size: float) -> tuple[Points, str]:
    """The points, ending a little earlier, and the `d` of the head whose tip is where they ended."""
    if len(points) < 2:
        return points, ""
    (tip_x, tip_y) = points[-1]
    from_x, from_y = next((p for p in reversed(points[:-1]) if math.dist(p, points[-1]) > 0.5), points[0])
    length = math.dist((from_x, from_y), (tip_x, tip_y)) or 1.0
    ux, uy = (tip_x - from_x) / length, (tip_y - from_y) / length
    back_x, back_y, half = tip_x - ux * size, tip_y - uy * size, size * 0.42
    corners = [(tip_x, tip_y), (back_x - uy * half, back_y + ux * half), (back_x + uy * half, back_y - ux * half)]
    head = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in corners) + "Z"
    return (*points[:-1], (tip_x - ux * size * 0.8, tip_y - uy * size * 0.8)), head


def extent(item: Item) -> tuple[float, float, float, float] | None:
    """Left, top, right, bottom of an item's rectangles and ellipses; None if it has none."""
    boxes = []
    for shape in item.shapes:
        if isinstance(shape, Rect):
            boxes.append((shape.x, shape.y, shape.x + shape.width, shape.y + shape.height))
        elif isinstance(shape, Ellipse):
            boxes.append((shape.x - shape.rx, shape.y - shape.ry, shape.x + shape.rx, shape.y + shape.ry))
    if not boxes:
        return None
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)
