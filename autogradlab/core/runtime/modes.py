"""Thread-local modes: grad mode, inference mode, anomaly mode, hooks on saved tensors; and the quiet context.

All of a thread's modes are attributes of one `State`, so that an operation reads thread-local storage once.
"""

from __future__ import annotations

import contextvars
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from . import errors

__all__ = ["FLAGS", "LOCAL", "QUIET", "State", "current", "out_of_memory", "quiet", "separately"]


def _make_quiet() -> Callable[..., Any]:
    """A function that calls `f(*args)` without NumPy's warnings on division by zero, overflow and the like.

    PyTorch never gives them. NumPy keeps its error state in a context variable, so a context of our own in which they
    are ignored leaves the user's untouched; entering it costs some 20 ns, `np.errstate` fifty times that.
    """
    context = contextvars.copy_context()
    context.run(np.seterr, all="ignore")
    context.run(_INSIDE.set, True)
    return context.run


#: whether the code that runs is already inside such a context
_INSIDE = contextvars.ContextVar("inside", default=False)


#: runs a kernel quietly. Another thread may be inside (a RuntimeError, see `busy`): `quiet` then takes a fresh context
QUIET = _make_quiet()


def busy(error: Exception) -> bool:
    """Whether `QUIET` failed because its context is in use, by another thread or further up the stack."""
    return str(error).startswith("cannot enter context")


def quiet(f: Callable[..., Any], *args: Any) -> Any:
    """`QUIET`, even while its context is in use elsewhere."""
    try:
        return QUIET(f, *args)
    except (RuntimeError, MemoryError) as error:
        if not busy(error):
            return separately(error, f, *args)
    return f(*args) if _INSIDE.get() else _make_quiet()(f, *args)


def separately(error: Exception, f: Callable[..., Any], *args: Any) -> Any:
    """A kernel raised because it cannot do to all rows at once what it does to one (`core/memory/rows.py`): it runs for
    one after the other. Any other error is raised again."""
    run = getattr(error, "separately", None)
    if run is None:
        if isinstance(error, MemoryError):
            raise out_of_memory(error) from None
        raise error
    return run(f, *args)


def out_of_memory(error: MemoryError) -> Exception:
    """PyTorch's error where NumPy found no memory for an array; where Python found none, the error itself."""
    shape, numpy = getattr(error, "shape", None), getattr(error, "dtype", None)
    if type(shape) is not tuple or not isinstance(numpy, np.dtype):
        return error
    return RuntimeError(errors.OUT_OF_MEMORY.format(math.prod(shape) * numpy.itemsize))


class Flags:
    """Whether any thread has left the default modes, so that the usual case need not read thread-local storage."""

    __slots__ = ("formula", "inference", "rows", "unusual")

    def __init__(self) -> None:
        #: the states, by id, of threads that do not simply record: no_grad, inference mode, saved-tensor hooks, anomaly
        #: mode, observers, functional transforms that differentiate
        self.unusual: set[int] = set()
        #: those of threads that record derivative formulas
        self.formula: set[int] = set()
        #: those of threads in inference mode
        self.inference: set[int] = set()
        #: whether there has been a vmap (`core/memory/rows.py`)
        self.rows = False


FLAGS = Flags()


class State:
    """The modes of one thread."""

    __slots__ = (
        "anomaly",
        "below",
        "captured",
        "casting",
        "casts",
        "check_nan",
        "dispatch_modes",
        "evaluating",
        "formula",
        "function_modes",
        "given",
        "grad",
        "graph_group",
        "inference",
        "levels",
        "mapped",
        "observers",
        "overriding",
        "passing",
        "passing_over",
        "plain",
        "record",
        "reverse",
        "saved_hooks",
        "saved_hooks_disabled",
        "threads",
        "told",
        "view_replay",
    )

    def __init__(self) -> None:
        self.grad = True
        self.inference = False
        self.anomaly = False
        self.check_nan = True
        #: the Node that the engine runs in this thread at the moment, for anomaly mode and hooks that ask for it
        self.evaluating: Any = None
        #: of each functional transform at work that differentiates: whether its function has a tensor from outside
        self.captured: tuple[Callable[[Any], bool], ...] = ()
        #: how many of them do so backward
        self.reverse = 0
        #: the levels of the vmaps that are entered, the outermost first
        self.levels: tuple[int, ...] = ()
        #: whether a backward pass through a graph of rows is at work: rows whose vmap is over may take part in it
        self.passing = False
        #: of each of them that a program has entered: its level, how many rows it counts, whether their random
        #: numbers are "different", the "same", an "error", or "never" to be drawn (many gradients in one pass), and its
        #: place among the functional transforms that are entered, the outermost 1
        self.mapped: tuple[tuple[int, int, str, int], ...] = ()
        #: whether a derivative formula is being recorded: numbers in it are Scalars, as in PyTorch's C++
        self.formula = False
        #: the gradients given to the pass that runs which require one themselves: hooks and code of the user see them
        #: with their history where Nodes pass them on
        self.given: tuple[Any, ...] = ()
        #: stack of (pack, unpack) pairs of `saved_tensors_hooks`
        self.saved_hooks: list[tuple[Callable[..., Any], Callable[..., Any]]] = []
        self.saved_hooks_disabled: str | None = None
        #: the `GraphExecGroup` of checkpoints that is entered
        self.graph_group: Any = None
        #: called with each new Node (anomaly mode, inspectors)
        self.observers: list[Callable[[Any], None]] = []
        self.record = self.plain = True
        #: what `set_multithreading_enabled` says
        self.threads = True
        #: what `_force_original_view_tracking` says
        self.view_replay = False
        #: whom operations ask (`core/tensor/overriding.py`): objects with `__torch_function__`, and the modes entered
        self.overriding = 0
        #: whether the next that would ask does not (`redispatch_function`)
        self.passing_over = False
        self.function_modes: list[Any] = []
        #: the modes with `__torch_dispatch__` that are entered (`core/tensor/dispatching.py`), and whether one of them,
        #: or a class with it, is answering: what it calls is below autograd
        self.dispatch_modes: list[Any] = []
        self.below = False
        #: whether a call is at work that they can be told of: what is called in it is a part of it
        self.told = False
        #: what casts the arguments of operations (`amp/autocast_mode.py`): the thread's own, and the same while at work
        self.casts: Any = None
        self.casting: Any = None

    @property
    def transformed(self) -> bool:
        """Whether a functional transform is at work."""
        return bool(self.captured or self.mapped)

    def entered(self) -> int:
        """How many functional transforms are at work, one within the other."""
        return len(self.captured) + len(self.mapped)

    def lifts(self, t: Any) -> bool:
        """Whether a functional transform that differentiates stands for a tensor, whose memory is then out of reach."""
        return bool(self.captured) and not self.captured[-1](t)

    def set_grad(self, enabled: bool) -> bool:
        """Switch grad mode and return what it was; also where an interruption left it half switched."""
        before = self.grad
        if before is not enabled or self.record is not (enabled and not (self.inference or self.below)):
            self.grad = enabled
            self.refresh()
        return before

    def refresh(self) -> None:
        """Recompute the flags that operations read: whether to record, and whether a Node needs no more than recording.

        An interruption before the last lines leaves the flags of the process as they were. They may say that something
        is unusual when nothing is, which costs operations a look at their thread's modes until modes change again.
        """
        self.record = self.grad and not (self.inference or self.below)
        self.plain = not (self.saved_hooks or self.observers or self.anomaly)
        if self.captured or not (self.record and self.plain):
            FLAGS.unusual.add(id(self))
        else:
            FLAGS.unusual.discard(id(self))
        if self.formula:
            FLAGS.formula.add(id(self))
        elif FLAGS.formula:
            FLAGS.formula.discard(id(self))
        if self.inference:
            FLAGS.inference.add(id(self))
        elif FLAGS.inference:
            FLAGS.inference.discard(id(self))


class _Local(threading.local):
    def __init__(self) -> None:
        self.state = State()


LOCAL = _Local()


def current() -> State:
    """The modes of this thread."""
    return LOCAL.state
