"""The widget: an Inspector that front ends show live. Its state is its card as packed JSON; stepping needs no kernel."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from .. import theme
from ..inspector import Inspector
from ..parts import Card, to_json
from ..words import catalogue

__all__ = ["InspectorWidget", "module", "packed", "style", "ui_words"]

_STATIC = files(__package__.rpartition(".")[0]) / "static"


def module() -> str:
    """The ES module. It is written as two, of which a widget can send but one: what joins them is left out."""
    parts = [(_STATIC / name).read_text(encoding="utf-8") for name in ("sketch.js", "inspector.js")]
    kept = (line for part in parts for line in part.splitlines() if not line.startswith(("import {", "export {")))
    return "\n".join(kept) + "\n"


def style() -> str:
    """The style sheet: the tones' colours, then the look."""
    return theme.css() + (_STATIC / "inspector.css").read_text(encoding="utf-8")


def ui_words(lang: str) -> dict[str, str]:
    """What buttons, hints and labels say; fields in braces are filled in by the page."""
    return {key: words[lang] for key, words in catalogue("common").items()}


def packed(card: Card) -> str:
    """The card's JSON as the page gets it. A graph repeats itself: packed it is a tenth as large."""
    text = json.dumps(to_json(card), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return b64encode(zlib.compress(text.encode("utf-8", "replace"))).decode("ascii")


class InspectorWidget(Inspector, anywidget.AnyWidget):  # type: ignore[misc]  # anywidget's classes are Any to mypy
    """An Inspector that is also an ipywidgets widget: it goes into a VBox, and several views of it are independent."""

    _esm = traitlets.Unicode(module()).tag(sync=True)
    _css = traitlets.Unicode(style()).tag(sync=True)
    _card = traitlets.Unicode().tag(sync=True)
    _words = traitlets.Dict().tag(sync=True)
    _heard = traitlets.Bool().tag(sync=True)  # a screen reader was told that it is there

    def __init__(self, card: Card) -> None:
        anywidget.AnyWidget.__init__(self, _card=packed(card), _words=ui_words(card.lang))
        Inspector.__init__(self, card)

    def show_card(self, card: Card) -> None:
        Inspector.show_card(self, card)
        with self.hold_sync():
            self._words = ui_words(card.lang)
            self._card = packed(card)

    def close(self) -> None:
        Inspector.close(self)
        anywidget.AnyWidget.close(self)
        self.__dict__.pop("_repr_mimebundle_", None)  # ipywidgets leaves None there: the static form can still be shown

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live view, and beside it what is shown where there is none."""
        static = Inspector._repr_mimebundle_(self, **kwargs)
        bundle = None if self.comm is None else anywidget.AnyWidget._repr_mimebundle_(self, **kwargs)
        if bundle is None:
            return static
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**data, **static}, metadata
