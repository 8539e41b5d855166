"""Inspectors that go on watching: what they show is made anew after each cell, until they are closed."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import cache
from types import MethodType
from typing import Any, TypeVar

from .cells import forgotten, keep
from .inspector import Inspector
from .parts import Card
from .snapshot.names import notebook

__all__ = ["Live", "after_each_cell", "live"]

T = TypeVar("T", bound="Live")


def after_each_cell(act: Callable[[], object]) -> Callable[[], None]:
    """Call `act` after each cell that IPython runs; what is returned stops that. Outside of IPython nothing happens.

    An object whose method it is is not kept alive.
    """
    shell = notebook()
    if shell is None:
        return lambda: None
    known = weakref.WeakMethod(act) if isinstance(act, MethodType) else lambda: act

    def ran(result: Any = None) -> None:
        found = known()
        if found is None:
            stop()
        else:
            found()

    shell.events.register("post_run_cell", ran)

    def stop() -> None:
        if ran in shell.events.callbacks["post_run_cell"]:
            shell.events.unregister("post_run_cell", ran)

    return stop


class Live(Inspector):
    """An inspector whose card is made by `make()` whenever it is asked for;
    a context manager that stops watching at its end."""

    def make(self) -> Card:
        raise NotImplementedError

    def watch_cells(self) -> None:
        """Show how things are after each cell, until it is closed, collected, or no variable holds it any more."""
        self.on_close(after_each_cell(self.after_cell))
        weakref.finalize(self, _close, self._closing).atexit = False
        keep(self)

    def after_cell(self) -> None:
        if forgotten(self):
            self.close()
        else:
            self.refresh()

    def refresh(self) -> None:
        """Show how things are now."""
        card = self.make()
        if card != self.card:
            self.show_card(card)

    @property
    def text(self) -> str:
        self.refresh()
        return super().text

    def svg(self, frame: int | None = None, dark: bool | None = False) -> str:
        self.refresh()
        return super().svg(frame, dark)

    def html(self) -> str:
        self.refresh()
        return super().html()

    def __enter__(self: T) -> T:
        return self

    def __exit__(self, *exc: object) -> None:
        # it watches no longer, but what it saw is still to be shown: a widget that is closed could not be
        self.refresh()
        Inspector.close(self)
        self.refresh()


def _close(closing: list[Callable[[], object]]) -> None:
    while closing:
        closing.pop()()


@cache
def live(kind: type[T]) -> type[T]:
    """The class to make inspectors of: `kind` as a widget where anywidget is installed, else as it is."""
    from .widgets import available

    if not available():
        return kind
    from .widgets.view import InspectorWidget

    return type(kind.__name__, (kind, InspectorWidget), {"__module__": kind.__module__, "__doc__": kind.__doc__})
