"""IPython: below an error that autograd raised, an explanation is offered. `%load_ext autogradlab`, or `lab.explain()`.

The traceback stays as it is: the offer is one display after it, whose text is stable, so that nbval can compare it. It is
off until somebody switches it on.
"""

from __future__ import annotations

import sys
from typing import Any

from .snapshot.names import notebook

__all__ = ["load_ipython_extension", "switch", "unload_ipython_extension"]


class Offer:
    """What is called after each cell of one shell."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell

    def __call__(self, result: Any = None) -> None:
        error = getattr(result, "error_in_exec", None)
        if error is None:
            return
        try:
            self._show(error)
        except Exception as failed:  # an explanation must not add a second traceback
            print(f"lab.explain: {type(failed).__name__}: {failed}", file=sys.stderr)

    def _show(self, error: BaseException) -> None:
        from IPython.display import display

        from .cards.why import card_of_error, one_line
        from .inspector import present

        if one_line(error) is not None:  # of other errors nothing is known here, and nothing is said
            display(present(card_of_error(error)))


def _offers(shell: Any) -> list[Any]:
    return [act for act in shell.events.callbacks["post_run_cell"] if isinstance(act, Offer)]


def load_ipython_extension(shell: Any) -> None:
    """Offer explanations from now on."""
    if not _offers(shell):
        shell.events.register("post_run_cell", Offer(shell))


def unload_ipython_extension(shell: Any) -> None:
    """Stop it; nothing else was changed."""
    for offer in _offers(shell):
        shell.events.unregister("post_run_cell", offer)


def switch(on: bool) -> bool:
    """On or off in the running IPython. Returns whether there is one."""
    shell = notebook()
    if shell is not None:
        (load_ipython_extension if on else unload_ipython_extension)(shell)
    return shell is not None
