"""Boxes of ipywidgets with cards in them, such as `VBox([lab.show(w), lab.step(y)])`: what a notebook stores of one is
the cards that it holds, as of a single card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ipywidgets

from ..labextension import CARD, stored
from ..snapshot.names import notebook

__all__ = ["bundle", "keep_boxes"]


def keep_boxes() -> None:
    """From now on a box that this IPython displays brings its cards with it."""
    shell = notebook()
    if shell is not None:
        shell.display_formatter.mimebundle_formatter.for_type(ipywidgets.Box, bundle)


def bundle(box: Any) -> Any:
    """The box as ipywidgets displays it, and beside it its cards."""
    made = box._repr_mimebundle_()
    data, metadata = _parts(made)
    inside = list(_cards(box))
    if not data or not inside:
        return made
    state = {"cards": [card[CARD] for card, _ in inside], "across": isinstance(box, ipywidgets.HBox)}
    html = "\n".join(card["text/html"] for card, _ in inside)
    for _, needed in inside:  # Colab shows the widget of a package only where the output says who manages it
        metadata = {**needed, **metadata}
    return {**data, "text/html": html, **stored("box", state)}, metadata


def _parts(made: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Data and metadata of what a widget gives to be displayed."""
    data, metadata = made if isinstance(made, tuple) else (made, {})
    return data or {}, metadata or {}


def _cards(box: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The bundles of the cards in a box, in order, and their metadata; boxes in boxes too."""
    for child in box.children:
        if isinstance(child, ipywidgets.Box):
            yield from _cards(child)
            continue
        data, metadata = _parts(child._repr_mimebundle_())
        if CARD in data:
            yield data, metadata
