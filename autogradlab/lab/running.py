"""Runs code of lessons and learners aside: in a namespace of its own, its output kept, stopped when it never ends."""

from __future__ import annotations

import ast
import contextlib
import ctypes
import gc
import io
import linecache
import os
import random
import sys
import threading
import time
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from autogradlab.inspectors.words import say
from autogradlab.lab.answers import Raised

__all__ = ["RAISED", "Ran", "aside", "caller", "compute", "library", "limited", "run", "told"]

SECONDS = 5.0  # what is run here takes some milliseconds
GRACE = 0.1  # so much later, and so often, `_stop_at` tries what the trace function did not stop
PACKAGE = str(Path(__file__).resolve().parents[1]) + os.sep


class TooLong(BaseException):
    """The code ran for longer than any answer here needs. No `except Exception` of a learner's keeps it."""

    def __str__(self) -> str:
        return say("lab.too_long", seconds=f"{SECONDS:g}")


#: What code that is run aside may raise, and what is then said of it; Ctrl-C is the learner's own.
RAISED = (Exception, SystemExit, GeneratorExit, TooLong)


@dataclass(frozen=True)
class Ran:
    """What came of code: the value of its last line if that is an expression, what it printed, what it raised where."""

    value: Any
    out: str
    error: BaseException | None
    line: int | None
    space: dict[str, Any]


def caller(depth: int = 1) -> dict[str, Any]:
    """The variables that the caller of our caller sees: in a notebook, those of the learner."""
    frame = sys._getframe(depth + 1)
    return {**frame.f_globals, **frame.f_locals}


def library(space: Mapping[str, Any]) -> types.ModuleType:
    """The `torch` of a namespace: autogradlab, or the real one where a lesson runs on that."""
    for name in ("torch", "autogradlab", *space):
        found = space.get(name)
        if isinstance(found, types.ModuleType) and found.__name__ in {"torch", "autogradlab"}:
            return found
    import importlib

    return importlib.import_module("autogradlab")


@contextlib.contextmanager
def aside(torch: types.ModuleType) -> Iterator[io.StringIO]:
    """Nothing of what is run shows or stays: prints are kept, warnings dropped, it ends in time, and random numbers,
    default dtype, print options, anomaly mode and recording are the usual ones for it and afterwards what they were."""
    out = io.StringIO()
    printing = sys.modules[torch.set_printoptions.__module__].PRINT_OPTS
    put_back = [
        partial(torch.set_grad_enabled, torch.is_grad_enabled()),
        partial(torch.set_rng_state, torch.get_rng_state()),
        partial(torch.set_default_dtype, torch.get_default_dtype()),
        partial(torch.autograd.set_detect_anomaly, torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()),
        partial(vars(printing).update, dict(vars(printing))),
        partial(random.setstate, random.getstate()),
        partial(np.random.set_state, np.random.get_state()),
    ]
    try:
        torch.autograd.set_detect_anomaly(False)
        torch.set_default_dtype(torch.float32)
        torch.set_printoptions(profile="default", sci_mode=None)
        with contextlib.redirect_stdout(out), warnings.catch_warnings(), torch.enable_grad(), limited():
            warnings.simplefilter("ignore")
            yield out
    finally:
        stopped: BaseException | None = None
        while put_back:  # whatever comes in between, each step is taken: once more the one that failed
            try:
                _put_back(put_back)
            except BaseException as error:
                if stopped is not None:
                    put_back.pop()
                stopped = error
        if stopped is not None:
            raise stopped


def _put_back(steps: list[partial[Any]]) -> None:
    """The last step first. A function, since from Python 3.12 on the `try` around a loop does not hold what comes where
    the loop turns."""
    while steps:
        steps[-1]()
        steps.pop()


def compute(answer: Callable[[], Any], torch: types.ModuleType) -> Any:
    """What the callable gives; what it raises is an answer too."""
    with aside(torch):
        try:
            return answer()
        except RAISED as error:
            return Raised(told(error))


def run(source: str, torch: types.ModuleType, space: Mapping[str, Any] | None = None, name: str = "<lines>") -> Ran:
    """Run a program in a fresh namespace that has `torch` in it."""
    fresh: dict[str, Any] = {"__name__": "__main__", "torch": torch, **(space or {})}
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    value: Any = None
    with aside(torch) as out:
        try:
            tree = ast.parse(source, name)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, name, "exec"), fresh)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), name, "eval"), fresh)
        except RAISED as error:
            return Ran(None, out.getvalue(), error, _line(error, name), fresh)
    return Ran(value, out.getvalue(), None, None, fresh)


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Raises `TooLong` in whatever code of the learner's or the lesson's still runs after so many seconds."""
    end = time.monotonic() + SECONDS
    # Python drops what is raised in a callback of the garbage collector or a `__del__`, and the trace function with it
    dropped = {getattr(callback, "__code__", None) for callback in gc.callbacks}

    def late(frame: types.FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if code.co_filename.startswith(PACKAGE) or code in dropped or code.co_name == "__del__":
            return None
        if time.monotonic() > end:
            raise TooLong
        return late

    if sys.gettrace() is not None:  # a debugger or a coverage run has the only trace there is
        yield
        return
    alarm = Alarm(end + GRACE)
    try:
        alarm.start()
        sys.settrace(late)
        yield
    finally:
        try:
            alarm.stop()
        except BaseException as error:
            alarm.stop()
            if not isinstance(error, TooLong):
                raise


class Alarm:
    """Raises `TooLong` in this thread, wherever it is, again and again from some time on: for code that the trace
    function does not stop, since it catches everything, has no lines (`while True: pass` in Python 3.11) or has taken
    the function away."""

    def __init__(self, end: float) -> None:
        self.end = end
        self.thread = threading.get_ident()
        self.lock = threading.Lock()
        self.over = threading.Event()

    def start(self) -> None:
        with contextlib.suppress(RuntimeError):  # a browser has no threads
            threading.Thread(target=self._watch, daemon=True).start()

    def stop(self) -> None:
        """Takes the trace function away, too."""
        sys.settrace(None)
        with self.lock:
            self.over.set()
        self.over.is_set()  # what is on its way arrives where a function begins

    def _watch(self) -> None:
        left = self.end - time.monotonic()
        while not self.over.wait(left):
            with self.lock:
                if not self.over.is_set():
                    thread, error = ctypes.c_ulong(self.thread), ctypes.py_object(TooLong)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, error)
            left = GRACE


def _line(error: BaseException, name: str) -> int | None:
    if isinstance(error, SyntaxError):
        return error.lineno
    found, at = None, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == name:
            found = at.tb_lineno
        at = at.tb_next
    return found


def told(error: BaseException) -> str:
    """An error as Python's last line says it; by its type alone where it cannot say more."""
    if isinstance(error, TooLong):
        return str(error)
    try:
        with limited():
            return f"{type(error).__name__}: {error}"
    except RAISED:
        return type(error).__name__
