"""Cards as plain text: everything that the picture shows, line by line."""

from __future__ import annotations

from .parts import Block, Card, Drawing, Facts, Grid, Note, Table

__all__ = ["render"]


def render(card: Card) -> str:
    """The card as text, without a trailing line end."""
    heading = " · ".join(filter(None, [card.title, card.subtitle, *(b.text for b in card.badges)]))
    lines = [heading]
    for block in card.blocks:
        lines += _lines(block)
    lines += [f"{number}. {frame.sentence}" for number, frame in enumerate(card.frames)]
    for inner in card.cards:
        lines += ["", render(inner)]
    return "\n".join(lines)


def _lines(block: Block) -> list[str]:
    match block:
        case Note():
            return [(block.lead + " " if block.lead else "") + block.text]
        case Facts():
            width = max((len(label) for label, _ in block.rows), default=0)
            return [f"{label:<{width}}  {value}" for label, value in block.rows]
        case Grid():
            return [block.caption, *("  ".join(row) for row in block.rows), *filter(None, [block.more])]
        case Table():
            return ["  ".join(block.columns), *("  ".join(row) for row in block.rows)]
        case Drawing():
            return list(block.words)
