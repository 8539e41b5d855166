"""Explanations that are offered in IPython below an error. Who explains is handed in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .snapshot.names import notebook

__all__ = ["start", "stop", "switch"]


class Offer:
    """What is called after each cell of one shell; `explain` shows what it knows of an error."""

    def __init__(self, shell: Any, explain: Callable[[BaseException], None]) -> None:
        self.shell = shell
        self.explain = explain

    def __call__(self, result: Any = None) -> None:
        error = getattr(result, "error_in_exec", None)
        if error is None:
            return
        try:
            self.explain(error)
        except Exception as failed:  # an explanation must not add a second traceback
            print(f"lab.explain: {type(failed).__name__}: {failed}", file=sys.stderr)


def _offers(shell: Any) -> list[Any]:
    return [act for act in shell.events.callbacks["post_run_cell"] if isinstance(act, Offer)]


def start(shell: Any, explain: Callable[[BaseException], None]) -> None:
    """Offer explanations from now on."""
    if not _offers(shell):
        shell.events.register("post_run_cell", Offer(shell, explain))


def stop(shell: Any) -> None:
    """Stop it; nothing else was changed."""
    for offer in _offers(shell):
        shell.events.unregister("post_run_cell", offer)


def switch(on: bool, explain: Callable[[BaseException], None]) -> bool:
    """On or off in the running IPython. Returns whether there is one."""
    shell = notebook()
    if shell is not None and on:
        start(shell, explain)
    elif shell is not None:
        stop(shell)
    return shell is not None
