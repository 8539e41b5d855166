"""What every inspector call returns: one card, as text, SVG, HTML and, where a front end is, as a widget."""

from __future__ import annotations

from . import widgets
from .cells import keep
from .parts import Card
from .rendering import Inspector

__all__ = ["Inspector", "present"]


def present(card: Card) -> Inspector:
    """The inspector for a card: a widget where anywidget is installed, else its static form."""
    view: Inspector
    if widgets.available():
        from .widgets.view import InspectorWidget

        view = InspectorWidget(card)
    else:
        view = Inspector(card)
    keep(view)
    return view
