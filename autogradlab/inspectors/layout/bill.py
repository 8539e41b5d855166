"""A receipt as a picture: for each way a line of factors, as chips, and what they multiply to; below it the sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..parts import Block, Drawing, Item, Path, Rect, Shape, Text, Tone
from ..prose import fit, width

__all__ = ["Chip", "Entry", "bill"]

WIDE, SIZE, HIGH, GAP = 540.0, 13.0, 28.0, 20.0
#: where the products stand, and how wide a chip may be
RIGHT, LONGEST = WIDE - 4.0, 320.0


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
    room = (
        max(
            [
                90.0,
                *(width("= " + entry.product, SIZE, True, True) for entry in entries),
                width(total[1], 15, True, True),
            ]
        )
        + 14
    )
    for number, entry in enumerate(entries, 1):
        tone: Tone = "plain" if entry.chips else "muted"
        written = fit(entry.way, WIDE - (0 if entry.chips else room), SIZE, mono=True)
        shapes: list[Shape] = [Text(0.0, y + 14, written, "muted", "start", SIZE, mono=True)]
        left, line = 1.0, y + 22
        for place, chip in enumerate(entry.chips):
            text = fit(chip.text, LONGEST, SIZE, mono=True)
            wide = width(text, SIZE, True) + 18
            if place and left + wide > WIDE:
                left, line = GAP, line + HIGH + 6
            if place:
                shapes.append(Text(left - GAP / 2, line + 19, chip.sign, "muted", size=15))
            box = Rect(left, line, wide, HIGH, 7.0, "gradient" if chip.details else "plain")
            written_ = Text(
                left + wide / 2, line + 19, text, "gradient" if chip.details else "plain", size=SIZE, mono=True
            )
            items.append(Item(f"c{number}.{place}", (box, written_), chip.label or chip.text, chip.details, chip.text))
            left += wide + GAP
        if entry.chips and left - GAP > WIDE - room:
            line += HIGH
        base = line + 19 if entry.chips else y + 14
        shapes.append(
            Text(RIGHT, base, f"= {entry.product}", tone, "end", 15.0 if entry.chips else SIZE, True, bool(entry.chips))
        )
        items.append(Item(f"w{number}", tuple(shapes), f"{entry.way}: {entry.product}"))
        y = (line + HIGH if entry.chips else y + 18) + 14
    rule = Path(((0.0, y), (WIDE, y)), "plain", width=1.6)
    sums = Text(0.0, y + 24, fit(total[0], WIDE - room, 15, mono=True, bold=True), "plain", "start", 15, True, True)
    items.append(
        Item("total", (rule, sums, Text(RIGHT, y + 24, total[1], "gradient", "end", 15, True, True)), " ".join(total))
    )
    return Drawing(WIDE, y + 34, tuple(items), words, label)
