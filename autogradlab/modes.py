"""Thread-local modes: grad mode, inference mode, anomaly mode, hooks on saved tensors; and the quiet context.

All of a thread's modes are attributes of one `State`, so that an operation reads thread-local storage once.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["LOCAL", "State", "current"]


def _make_quiet() -> Callable[..., Any]:
    """A function that calls `f(*args)` without NumPy's warnings on division by zero, overflow and the like.

    PyTorch never gives them. NumPy keeps its error state in a context variable, so a context of our own in which they
    are ignored leaves the user's untouched; entering it costs some 20 ns, `np.errstate` fifty times that.
    """
    context = contextvars.copy_context()
    context.run(np.seterr, all="ignore")
    return context.run


class State:
    """The modes of one thread."""

    __slots__ = ("anomaly", "check_nan", "depth", "evaluating", "grad", "inference", "observers", "plain", "quiet",
                 "record", "saved_hooks", "saved_hooks_disabled")  # fmt: skip

    def __init__(self) -> None:
        self.grad = True
        self.inference = False
        self.anomaly = False
        self.check_nan = True
        #: the Node that the engine runs in this thread at the moment, for anomaly mode
        self.evaluating: Any = None
        self.depth = 0
        #: stack of (pack, unpack) pairs of `saved_tensors_hooks`
        self.saved_hooks: list[tuple[Callable[..., Any], Callable[..., Any]]] = []
        self.saved_hooks_disabled: str | None = None
        #: called with each new Node (anomaly mode, inspectors)
        self.observers: list[Callable[[Any], None]] = []
        self.quiet = _make_quiet()
        self.refresh()

    def refresh(self) -> None:
        """Recompute what operations read: whether to record, and whether a Node needs no more than recording."""
        self.record = self.grad and not self.inference
        self.plain = not (self.saved_hooks or self.observers or self.anomaly)


class _Local(threading.local):
    def __init__(self) -> None:
        self.state = State()


LOCAL = _Local()


def current() -> State:
    """The modes of this thread."""
    return LOCAL.state
