"""Cards as plain text: everything that the picture shows, line by line, in columns where the picture has columns."""

from __future__ import annotations

from collections.abc import Sequence

from .parts import Block, Card, Choice, Drawing, Facts, Grid, Note, Program, Table, Timeline, stilled
from .prose import clean, columns, led, runs

__all__ = ["block_lines", "render"]


def render(card: Card) -> str:
    """The card as text, without a trailing line end and without blanks at the ends of lines."""
    lines = [_unmarked(" · ".join(filter(None, [card.title, card.subtitle, *(b.text for b in card.badges)])))]
    for block in stilled(card.blocks):
        lines += block_lines(block)
    for count, frame in enumerate(card.frames):
        lines.append(f"{count}. {_unmarked(frame.sentence)}")
        for block in frame.panel:
            lines += ["   " + line for line in block_lines(block)]
    text = "\n".join(clean(line).rstrip() for line in lines)
    return "\n\n".join([text, *(render(inner) for inner in card.cards)])


def block_lines(block: Block) -> list[str]:
    """A block's lines: columns aligned, Chinese characters counted as two."""
    match block:
        case Note():
            return [_unmarked(led(block.lead) + block.text)]
        case Facts():
            return _aligned([(_unmarked(label), value) for label, value in block.rows])
        case Grid():
            rows = (
                [(head, *row) for head, row in zip(block.heads, block.rows, strict=False)]
                if block.heads
                else block.rows
            )
            caption, more = _unmarked(block.caption), _unmarked(block.more)
            return [*filter(None, [caption]), *_aligned(rows, right=True), *filter(None, [more])]
        case Table():
            told = [[_unmarked(cell) for cell in row] for row in (block.columns, *block.rows)]
            return [*filter(None, [_unmarked(block.caption)]), *_aligned(told)]
        case Drawing():
            return list(block.words)
        case Program():
            return []  # what happens is said step by step
        case Timeline() | Choice():
            return [line for part in stilled((block,)) for line in block_lines(part)]


def _aligned(rows: Sequence[Sequence[str]], right: bool = False) -> list[str]:
    """Rows as lines, each column as wide as its widest cell, two blanks between columns."""
    count = max((len(row) for row in rows), default=0)
    flat = [[" ".join(cell.split("\n")) for cell in row] for row in rows]
    widths = [max(columns(row[j]) for row in flat if j < len(row)) for j in range(count)]
    return ["  ".join(_padded(cell, w, right) for cell, w in zip(row, widths, strict=False)) for row in flat]


def _padded(cell: str, wide: int, right: bool) -> str:
    blanks = " " * (wide - columns(cell))
    return blanks + cell if right else cell + blanks


def _unmarked(line: str) -> str:
    """Without the asterisks of **strong**; the backquotes of `code` read well as they are."""
    return "".join(f"`{run.text}`" if run.style == "code" else run.text for run in runs(line))
