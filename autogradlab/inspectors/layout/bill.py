"""A receipt as a picture: for each way a line of factors, as chips, and what they multiply to; below it the sum."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..parts import Block, Drawing, Item, Path, Rect, Shape, Text, Tone
from ..prose import fit, width

__all__ = ["Chip", "Entry", "bill", "fitting"]

WIDE, SIZE, HIGH, GAP, ROW = 520.0, 13.0, 25.0, 20.0, 5.0
#: where the products stand, how wide a chip may be, where in a chip its letters stand, what is left below an entry
RIGHT, LONGEST, BASE, BELOW = WIDE - 4.0, 320.0, 17.0, 9.0
#: pixels that entries may take together, and how many there are at least
TALLEST, FEWEST = 345.0, 3
#: of the sum: from line to line, and how far those after the first stand in
LINE, INDENT = 22.0, 24.0
ARROW, _SIGN = " → ", re.compile(r"(?= [+-] )")


@dataclass(frozen=True, slots=True)
class Chip:
    """A factor: what is written on it, what a screen reader says, what it opens. sign: what stands in front of it."""

    text: str
    label: str = ""
    details: tuple[Block, ...] = ()
    sign: str = "×"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the bill: which way, its factors, their product. Without factors, something that is not taken apart."""

    way: str
    chips: tuple[Chip, ...]
    product: str


def bill(entries: Sequence[Entry], total: tuple[str, str], words: tuple[str, ...], label: str) -> Drawing:
    """The drawing; `total` is what stands below the line, and its number."""
    items: list[Item] = []
    y = 4.0
    room = _room([*(entry.product for entry in entries), total[1]])
    for number, entry in enumerate(entries, 1):
        tone: Tone = "plain" if entry.chips else "muted"
        written = _way(entry.way, WIDE - (0 if entry.chips else room))
        shapes: list[Shape] = [Text(0.0, y + 14, written, "muted", "start", SIZE, mono=True)]
        spots, foot = _spots(entry, room)
        for place, (chip, (left, down, wide)) in enumerate(zip(entry.chips, spots, strict=True)):
            base = y + down + BASE
            if place:
                shapes.append(Text(left - GAP / 2, base, chip.sign, "muted", size=15))
            ink: Tone = "gradient" if chip.details else "plain"
            text = Text(left + wide / 2, base, fit(chip.text, LONGEST, SIZE, mono=True), ink, size=SIZE, mono=True)
            box = Rect(left, y + down, wide, HIGH, 7.0, ink)
            items.append(Item(f"c{number}.{place}", (box, text), chip.label or chip.text, chip.details, chip.text))
        size = 15.0 if entry.chips else SIZE
        base = y + (foot - HIGH + BASE if entry.chips else 14)
        shapes.append(Text(RIGHT, base, f"= {entry.product}", tone, "end", size, True, bool(entry.chips)))
        items.append(Item(f"w{number}", tuple(shapes), f"{entry.way}: {entry.product}"))
        y += foot + BELOW
    rule = Path(((0.0, y), (WIDE, y)), "plain", width=1.6)
    lines = _terms(total[0], WIDE - room)
    sums = [
        Text(INDENT * bool(place), y + 24 + place * LINE, line, "plain", "start", 15, True, True)
        for place, line in enumerate(lines)
    ]
    y += 24 + (len(lines) - 1) * LINE
    items.append(
        Item(
            "total", (rule, *sums, Text(RIGHT, y, total[1], "gradient", "end", 15, True, True)), " ".join(total).strip()
        )
    )
    return Drawing(WIDE, y + 10, tuple(items), words, label)


def _way(way: str, room: float) -> str:
    """A way from the root in this room: where it begins and where it ends, and as much between as there is room for."""
    steps = way.split(ARROW)
    while width(ARROW.join(steps), SIZE, mono=True) > room and len(steps) > 3:
        before = [step for step in steps[:-2] if step != "…"]
        steps = [*(before[:-1] if steps[-2] == "…" else before), "…", steps[-1]]
    return fit(ARROW.join(steps), room, SIZE, mono=True)


def _terms(text: str, room: float) -> list[str]:
    """A sum in lines of this room, which break in front of a sign."""
    head, *terms = _SIGN.split(text)
    lines = [head]
    for term in terms:
        wide = room - INDENT * (len(lines) > 1)
        if width(lines[-1] + term, 15, True, True) <= wide:
            lines[-1] += term
        else:
            lines.append(term.lstrip())
    return [fit(line, room, 15, mono=True, bold=True) for line in lines]


def fitting(entries: Sequence[Entry]) -> int:
    """How many of these entries have room on a projector's page, with the line for what is left and the sum."""
    room, high = _room([entry.product for entry in entries]), 0.0
    for count, entry in enumerate(entries):
        high += _spots(entry, room)[1] + BELOW
        if high > TALLEST and count >= FEWEST:
            return count
    return len(entries)


def _room(products: Sequence[str]) -> float:
    """Pixels that are kept for the products at the right."""
    return max([90.0, *(width(f"= {product.removeprefix('= ')}", 15, True, True) for product in products)]) + 14


def _spots(entry: Entry, room: float) -> tuple[list[tuple[float, float, float]], float]:
    """For each chip its left, its top below that of the entry, and its width; and where the entry ends."""
    spots = []
    left, line = 1.0, 20.0
    for place, chip in enumerate(entry.chips):
        wide = width(fit(chip.text, LONGEST, SIZE, mono=True), SIZE, True) + 18
        if place and left + wide > WIDE:
            left, line = GAP, line + HIGH + ROW
        spots.append((left, line, wide))
        left += wide + GAP
    if entry.chips and left - GAP > WIDE - room:
        line += HIGH
    return spots, line + HIGH if entry.chips else 18.0
