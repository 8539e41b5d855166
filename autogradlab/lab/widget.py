"""The widget of questions and exercises: the view as it is, and what the learner does with it. Needs anywidget."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from autogradlab.inspectors.labextension import stored

if TYPE_CHECKING:
    from autogradlab.lab.face import Face

__all__ = ["LabWidget", "view_of"]

STATIC = pathlib.Path(__file__).parent / "static"
VIEW = "application/vnd.jupyter.widget-view+json"


class LabWidget(anywidget.AnyWidget):  # type: ignore[misc]
    """Shows a view; messages from the page go to the `Face` that made it."""

    _esm = STATIC / "lab.js"
    _css = STATIC / "lab.css"
    view = traitlets.Dict().tag(sync=True)
    heard = traitlets.Bool().tag(sync=True)  # a screen reader was told that it is there

    def __repr__(self) -> str:
        return f"LabWidget({self.view.get('kind', '')})"


def view_of(face: Face) -> tuple[dict[str, Any], dict[str, Any]]:
    """A widget for `face`, as its part of what a cell displays, and the metadata that Colab asks for."""
    made = LabWidget(view=face.view())
    face._widgets.append(made)

    def received(_: Any, content: Any, __: Any) -> None:
        try:
            if isinstance(content, dict):
                face.receive(content)
                face.refresh()
        finally:
            made.send({"heard": True})  # else the page says that Python does not answer

    made.on_msg(received)
    bundle = made._repr_mimebundle_()
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    live = {VIEW: data[VIEW]} if data and VIEW in data else {}
    return {**live, **stored("lab", {"view": made.view, "heard": True})}, metadata
