"""A card and its renderings: text, SVG and HTML, none of which needs a front end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .parts import Card

__all__ = ["Inspector"]


class Inspector:
    """What each inspector gives: a card and its renderings. Its `repr` is its text, so notebooks compare and read well
    without a front end.

    text: everything in words; svg(): the picture, svg(2) that of step 2, svg(dark=True) for dark pages; html(): both,
    with a picture for each step, and neither script nor network.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import inspectors as lab
        >>> w = torch.tensor([1., 2.], requires_grad=True)
        >>> view = lab.show(w)
        >>> print(view.text.splitlines()[0])
        `w` · float32 (2,) · is_leaf ✓ · requires_grad ✓ · grad_fn None
        >>> view.svg()[:4], view.html()[:7]
        ('<svg', '<figure')
    """

    def __init__(self, card: Card) -> None:
        self.card = card
        self._closing: list[Callable[[], object]] = []

    @property
    def text(self) -> str:
        """Everything that the picture shows, in words."""
        from .text import render

        return render(self.card)

    def svg(self, frame: int | None = None, dark: bool | None = False) -> str:
        """The picture as an SVG document; of a card in which things happen, the step `frame`,
        the last one by default. dark=None: light or dark, as the reader's system is."""
        from .svg import render

        return render(self.card, frame, dark)

    def html(self) -> str:
        """The picture and the words as HTML that needs no script, no style sheet and no network."""
        from .html import render

        return render(self.card)

    def show_card(self, card: Card) -> None:
        """Show another card in the same place, in every view of this one."""
        self.card = card

    def on_close(self, act: Callable[[], object]) -> None:
        """Call `act` once, when this inspector is closed."""
        self._closing.append(act)

    def close(self) -> None:
        """Take it off the page; what refreshed it stops."""
        closing = getattr(self, "_closing", [])  # none where the making of it failed
        while closing:
            closing.pop()()

    def asked(self, what: str) -> None:
        """What somebody at the card on a page asks the kernel for: most cards need none."""

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        from .stored import bundle

        return {"text/plain": self.text, "text/html": self.html(), **bundle(self.card)}
