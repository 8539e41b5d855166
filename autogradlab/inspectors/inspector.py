"""What every inspector call returns: one card, as text, SVG, HTML and, where a front end is, as a widget."""

from __future__ import annotations

from typing import Any

from .parts import Card

__all__ = ["Inspector", "present"]


class Inspector:
    """A card and its renderings. Its `repr` is its text, so notebooks compare and read well without a front end."""

    def __init__(self, card: Card) -> None:
        self.card = card

    @property
    def text(self) -> str:
        """Everything that the picture shows, in words."""
        from .text import render

        return render(self.card)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        return {"text/plain": self.text}


def present(card: Card) -> Inspector:
    """The inspector for a card: a widget where anywidget is installed, else its static form."""
    return Inspector(card)
