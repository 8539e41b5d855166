"""IPython: below an error that autograd raised, an explanation is offered. `%load_ext autogradlab`, or `lab.explain()`.

The traceback stays as it is: the offer is one display after it, whose text is stable, so that nbval can compare it. It
is off until somebody switches it on.
"""

from __future__ import annotations

from typing import Any

from .cards.why import offered
from .offers import start, stop

__all__ = ["load_ipython_extension", "unload_ipython_extension"]


def load_ipython_extension(shell: Any) -> None:
    """Offer explanations from now on."""
    start(shell, offered)


def unload_ipython_extension(shell: Any) -> None:
    """Stop it; nothing else was changed."""
    stop(shell)
