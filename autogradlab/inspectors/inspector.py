"""What every inspector call returns: one card, as text, SVG, HTML and, where a front end is, as a widget."""

from __future__ import annotations

from typing import Any

from .parts import Card

__all__ = ["Inspector", "present"]


class Inspector:
    """A card and its renderings. Its `repr` is its text, so notebooks compare and read well without a front end.

        view = lab.show(w)
        print(view.text)                                # everything in words
        Path("w.svg").write_text(view.svg())            # the picture; svg(2) is step 2, svg(dark=True) for dark pages
        Path("w.html").write_text(view.html())          # both, with a picture for each step
    """

    def __init__(self, card: Card) -> None:
        self.card = card

    @property
    def text(self) -> str:
        """Everything that the picture shows, in words."""
        from .text import render

        return render(self.card)

    def svg(self, frame: int | None = None, dark: bool = False) -> str:
        """The picture as an SVG document; of a card in which things happen, the step `frame`, the last one by default."""
        from .svg import render

        return render(self.card, frame, dark)

    def html(self) -> str:
        """The picture and the words as HTML that needs no script, no style sheet and no network."""
        from .html import render

        return render(self.card)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        return {"text/plain": self.text, "text/html": self.html()}


def present(card: Card) -> Inspector:
    """The inspector for a card: a widget where anywidget is installed, else its static form."""
    return Inspector(card)
