"""Cards that outlive their kernel: what is stored of a card in an output, and JupyterLab's renderer for it.

An output of a notebook holds a live widget only as long as its kernel runs. Beside it stands the card itself, as JSON
under a MIME type of our own; `cards.js` draws it in JupyterLab 4 and Notebook 7 with the module that the widget uses.
`beginning.js` shows the first words of a lesson while JupyterLab itself is still loading.
`page.j2` is a part of nbconvert's templates: in HTML with live widgets, the picture of a card stands until it is there.
`hatch_build.py` lays these files into the wheel, where JupyterLab and nbconvert look for them; nothing is bundled.
"""

from __future__ import annotations

from typing import Any

__all__ = ["CARD", "stored"]

#: the MIME type of a stored card
CARD = "application/vnd.autogradlab.card.v1+json"


def stored(module: str, state: dict[str, Any]) -> dict[str, Any]:
    """The part of a MIME bundle from which `module`.js ("inspector" or "lab") draws the card again without a kernel; of
    a "box", the cards in it.

    >>> stored("lab", {"view": {}})
    {'application/vnd.autogradlab.card.v1+json': {'module': 'lab', 'state': {'view': {}}}}
    """
    return {CARD: {"module": module, "state": state}}
