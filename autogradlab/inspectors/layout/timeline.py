"""The picture of a training: its loss as a line, below it a row for each parameter by powers of ten."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..parts import Drawing, Ellipse, Item, Path, Shape, Text, Tone
from ..prose import fit_end, plain
from ..values import brief
from ..words import say

__all__ = ["Line", "Mark", "timeline"]

LEFT, PLOT, RIGHT = 128.0, 294.0, 64.0
TOP, HIGH = 34.0, 68.0
#: the height of all rows together, and of one at least and at most
ROWS, LEAST, MOST = 162.0, 20.0, 48.0
#: letters are this large
SIZE = 13.0
#: half the width of a triangle, the room between two, and how many moments the words of one name
HALF, APART, NAMED = 8.5, 2.5, 4


@dataclass(frozen=True, slots=True)
class Line:
    """A row: a parameter, and the size of its gradient at each moment (None: none came)."""

    name: str
    sizes: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """Something to be noticed at a moment."""

    at: int
    label: str


def timeline(
    losses: Sequence[float], lines: Sequence[Line], marks: Sequence[Mark], at: int, words: tuple[str, ...]
) -> tuple[Drawing, tuple[float, ...]]:
    """The drawing, and where each moment stands in it."""
    count = len(losses)
    xs = tuple(round(LEFT + PLOT * (k / (count - 1) if count > 1 else 0.5), 2) for k in range(count))
    items = [_losses(losses, xs)]
    low, high = _decades([size for line in lines for size in line.sizes])
    top = TOP + HIGH + 40
    key = "training.sizes" if low is not None else "training.sizes_none"
    caption = say(key, low=_power(low or 0), high=_power(high))
    items.append(Item("caption", (Text(0.0, top - 12, caption, "muted", "start", SIZE),)))
    tall = min(MOST, max(LEAST, ROWS // max(1, len(lines))))
    for number, line in enumerate(lines):
        items.append(_row(line, number, xs, (top + tall * number, tall), (low, high), at))
    bottom = top + tall * len(lines)
    pieces = (TOP - 6, TOP + HIGH + 4), (top - 4, bottom)  # between them stands the caption
    cursor = tuple(Path(((xs[at], above), (xs[at], below)), "accent", width=2.0) for above, below in pieces)
    items.append(Item("cursor", cursor))
    for number, near in enumerate(_near(marks, xs), 1):
        items.append(_mark(near, number, xs))
    return Drawing(LEFT + PLOT + RIGHT, bottom + 4, tuple(items), words, say("training.picture")), xs


def _power(exponent: int) -> str:
    digits = "⁰¹²³⁴⁵⁶⁷⁸⁹"
    if 0 <= exponent <= 3:
        return f"{10**exponent}"
    return "10" + ("⁻" if exponent < 0 else "") + "".join(digits[int(d)] for d in str(abs(exponent)))


def _decades(sizes: Sequence[float | None]) -> tuple[int | None, int]:
    """The powers of ten between which rows are drawn: a gradient that passes through zero does not stretch them."""
    known = sorted(s for s in sizes if s is not None and s > 0 and math.isfinite(s))
    if not known:
        return None, 0
    high = math.ceil(math.log10(known[-1]) - 1e-9)
    return min(math.floor(math.log10(known[len(known) // 20]) + 1e-9), high - 1), high  # a few may be smaller


def _runs(points: Sequence[tuple[float, float] | None]) -> list[list[tuple[float, float]]]:
    """Points without the gaps between them."""
    found: list[list[tuple[float, float]]] = [[]]
    for point in points:
        if point is None:
            found.append([])
        else:
            found[-1].append((point[0], round(point[1] * 2) / 2))  # last digits differ between processors
    return [run for run in found if run]


def _drawn(points: Sequence[tuple[float, float] | None], tone: Tone, wide: float) -> list[Shape]:
    shapes: list[Shape] = []
    for run in _runs(points):
        shapes.append(
            Path(tuple(run), tone, width=wide) if len(run) > 1 else Ellipse(*run[0], 2.6, 2.6, tone, False, True)
        )
    return shapes


def _losses(losses: Sequence[float], xs: Sequence[float]) -> Item:
    finite = [value for value in losses if math.isfinite(value)]
    high, low = max(finite, default=1.0), min([*finite, 0.0])
    span = (high - low) or 1.0

    def y(value: float) -> float:
        return TOP + HIGH * (high - value) / span

    shapes: list[Shape] = [
        Path(((LEFT, y(low)), (LEFT + PLOT, y(low))), "muted", width=0.8),
        Text(LEFT - 8, TOP + 5, brief(high), "muted", "end", SIZE, mono=True),
        Text(LEFT - 8, y(low) + 5, brief(low), "muted", "end", SIZE, mono=True),
        Text(0.0, TOP + 5, say("training.loss"), "node", "start", SIZE, bold=True),
    ]
    points = [(x, y(v)) if math.isfinite(v) else None for x, v in zip(xs, losses, strict=True)]
    shapes += _drawn(points, "node", 2.2)
    shapes += _crosses(losses, xs, TOP + HIGH / 2 + 5)
    return Item("loss", tuple(shapes), say("training.loss"))


def _crosses(values: Sequence[float | None], xs: Sequence[float], y: float) -> list[Shape]:
    """A cross where numbers stop being finite, and where they come back to it after a while."""
    shapes: list[Shape] = []
    before = True
    for x, value in zip(xs, values, strict=True):
        fine = value is None or math.isfinite(value)
        if not fine and before:
            shapes.append(Text(x, y, f"✕ {brief(value or 0.0)}", "warning", "start", SIZE, bold=True))
        before = fine
    return shapes


def _row(
    line: Line, number: int, xs: Sequence[float], place: tuple[float, float], decades: tuple[int | None, int], at: int
) -> Item:
    (top, tall), (low, high) = place, decades
    base, room = top + tall - 4, tall - 7

    def y(size: float) -> float:
        if low is None or size <= 0:
            return base
        part = (math.log10(size) - low) / (high - low)
        return base - room * (0.06 + 0.94 * min(1.0, max(0.0, part)))

    points = [(x, y(s)) if s is not None and math.isfinite(s) else None for x, s in zip(xs, line.sizes, strict=True)]
    name = fit_end(plain(line.name), LEFT - 10, SIZE, mono=True)
    shapes: list[Shape] = [
        Path(((LEFT, base), (LEFT + PLOT, base)), "muted", width=0.8),
        Text(0.0, base - 3, name, "plain", "start", SIZE, mono=True),
        *_drawn(points, "gradient", 2.0),
        *_crosses(line.sizes, xs, base - 3),
        Text(
            LEFT + PLOT + RIGHT, base - 3, size_text(line.sizes[at]), "gradient", "end", SIZE, True, slot=f"r{number}"
        ),
    ]
    return Item(f"p{number}", tuple(shapes), say("training.row", name=line.name))


def size_text(size: float | None) -> str:
    return "None" if size is None else brief(size)


def _near(marks: Sequence[Mark], xs: Sequence[float]) -> list[list[Mark]]:
    """Marks that would run into each other together: they share a triangle."""
    found: list[list[Mark]] = []
    for mark in marks:
        if found and xs[mark.at] - xs[found[-1][0].at] < 2 * HALF + APART:
            found[-1].append(mark)
        else:
            found.append([mark])
    return found


def _mark(near: Sequence[Mark], number: int, xs: Sequence[float]) -> Item:
    """A triangle above the line, at the first of the moments that it stands for."""
    x = xs[near[0].at]
    corners = ((x, 8.0), (x + HALF, 23.0), (x - HALF, 23.0), (x, 8.0))
    shapes = (Path(corners, "warning", width=1.8), Text(x, 21.5, "!", "warning", size=SIZE, bold=True))
    said = [mark.label for mark in near[:NAMED]] + ["…"] * (len(near) > NAMED)
    return Item(f"m{number}", shapes, "\n".join(said))
