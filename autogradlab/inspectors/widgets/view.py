"""The widget: an Inspector that front ends show live. Its state is its card as packed JSON;
stepping needs no kernel."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import anywidget
import traitlets
from ipywidgets import Layout

from .. import theme
from ..parts import Card
from ..rendering import Inspector
from ..stored import packed
from ..words import page
from .boxes import keep_boxes

__all__ = ["MODULES", "InspectorWidget", "module", "style"]

#: the parts of the module, each after those that it imports
MODULES = ("sketch.js", "matrix.js", "copy.js", "lines.js", "stepper.js", "timeline.js", "choice.js", "inspector.js")

#: what is remarked behind a line of the module
_REMARK = re.compile(r"(?<=[;{},(\[]) // [^\"'`]*$")

_STATIC = files(__package__.rpartition(".")[0]) / "static"


def module() -> str:
    """The ES module. It is written as several, of which a widget can send but one: what joins them is left out, and
    comments, indentation and ends of lines that say nothing, since every widget brings all of it.
    No template of the module goes over several lines."""
    parts = [page.module(), *((_STATIC / name).read_text(encoding="utf-8") for name in MODULES)]
    left_out = ("import {", "export {", "//", "/**", "*")
    lines = (_REMARK.sub("", line).strip() for part in parts for line in part.splitlines())
    kept = (line for line in lines if line and not line.startswith(left_out))
    return "".join(line if line[-1] in ";{,([" and "//" not in line else f"{line}\n" for line in kept)


def style() -> str:
    """The style sheet: the tones' colours, then the look. Comments, blanks and semicolons that say nothing are left
    out."""
    look = theme.css() + (_STATIC / "inspector.css").read_text(encoding="utf-8")
    close = re.sub(r"\s*([{};,>])\s*|(?<=:)\s+", r"\1", re.sub(r"/\*.*?\*/", "", look, flags=re.DOTALL))
    return close.replace(";}", "}")


def _asked(widget: Any, content: Any, buffers: Any) -> None:
    """A message of the page."""
    widget.asked(str(content.get("do", "")))


class InspectorWidget(Inspector, anywidget.AnyWidget):  # type: ignore[misc]  # anywidget's classes are Any to mypy
    """An Inspector that is also an ipywidgets widget: it goes into a VBox, and several views of it are independent."""

    _esm = traitlets.Unicode(module()).tag(sync=True)
    _css = traitlets.Unicode(style()).tag(sync=True)
    _card = traitlets.Unicode().tag(sync=True)
    _answers = traitlets.Dict().tag(sync=True)  # what was predicted before each step, and whether it was right
    _heard = traitlets.Bool().tag(sync=True)  # a screen reader was told that it is there

    @traitlets.default("layout")  # type: ignore[untyped-decorator]  # traitlets says nothing of its types
    def _full(self) -> Layout:
        """A card asks for no width of its own: beside others in an HBox it would get none."""
        return Layout(width="100%")

    def __init__(self, card: Card) -> None:
        keep_boxes()
        anywidget.AnyWidget.__init__(self, _card=packed(card))
        Inspector.__init__(self, card)
        self.closed = False
        self.on_msg(_asked)

    def open(self) -> None:
        """Nothing yet: what is opened ipywidgets keeps until it is closed. What nobody shows can simply be dropped."""

    @property
    def model_id(self) -> str:
        """The page's name for the widget. Whoever asks for it, to show it or to put it into a box, opens it."""
        if self.comm is None and not self.closed:
            anywidget.AnyWidget.open(self)
        return str(anywidget.AnyWidget.model_id.fget(self))

    def show_card(self, card: Card) -> None:
        Inspector.show_card(self, card)
        self._card = packed(card)

    def close(self) -> None:
        Inspector.close(self)
        self.closed = True
        if self.comm is None:
            return
        layout = self.layout
        anywidget.AnyWidget.close(self)
        layout.close()  # a widget of its own, which nobody else closes
        self.__dict__.pop("_repr_mimebundle_", None)  # ipywidgets leaves None there: the static form can still be shown

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live view, and beside it what is shown where there is none."""
        static = Inspector._repr_mimebundle_(self, **kwargs)
        bundle = None if self.closed else anywidget.AnyWidget._repr_mimebundle_(self, **kwargs)
        if bundle is None:
            return static
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**data, **static}, metadata
