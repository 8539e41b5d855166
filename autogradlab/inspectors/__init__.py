"""Inspectors: see what autograd does. `from autogradlab import inspectors as lab`.

They read public attributes only, so they look at tensors of the real PyTorch as well.
"""

from .cards.accumulation import accumulation
from .cards.broadcast import broadcast
from .cards.graph import graph
from .cards.hooks import hooks
from .cards.receipt import receipt
from .cards.show import show
from .cards.step import step
from .cards.storage import storage
from .cards.training import training
from .cards.watch import watch
from .cards.what_if import what_if
from .cards.why import explain, why
from .inspector import Inspector
from .snapshot.lines import watch as _watch_lines
from .words import language, set_language

__all__ = [
    "Inspector",
    "accumulation",
    "broadcast",
    "explain",
    "graph",
    "hooks",
    "language",
    "receipt",
    "set_language",
    "show",
    "step",
    "storage",
    "training",
    "watch",
    "what_if",
    "why",
]

_watch_lines()  # in a notebook, Nodes note from now on which line made them
