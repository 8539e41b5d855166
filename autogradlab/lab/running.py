"""Runs code of lessons and learners aside: in a namespace of its own, its output kept, stopped when it never ends."""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from autogradlab.lab.answers import Raised

__all__ = ["Ran", "caller", "compute", "library", "run"]

STEPS = 200_000  # lines; a puzzle's program runs some tens


class TooLong(Exception):
    """The code ran through more lines than any answer here needs."""


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
    """Nothing of what is run shows: prints are kept, warnings dropped, the random numbers stay where they are."""
    out = io.StringIO()
    state = torch.get_rng_state()
    try:
        with contextlib.redirect_stdout(out), warnings.catch_warnings(), torch.enable_grad():
            warnings.simplefilter("ignore")
            yield out
    finally:
        torch.set_rng_state(state)


def compute(answer: Callable[[], Any], torch: types.ModuleType) -> Any:
    """What the callable gives; what it raises is an answer too."""
    with aside(torch):
        try:
            return answer()
        except Exception as error:
            return Raised(f"{type(error).__name__}: {error}")


def run(source: str, torch: types.ModuleType, space: Mapping[str, Any] | None = None, name: str = "<lines>") -> Ran:
    """Run a program in a fresh namespace that has `torch` in it."""
    fresh: dict[str, Any] = {"__name__": "__main__", "torch": torch, **(space or {})}
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    value: Any = None
    with aside(torch) as out:
        try:
            tree = ast.parse(source, name)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            with limited(name):
                exec(compile(tree, name, "exec"), fresh)
                if isinstance(last, ast.Expr):
                    value = eval(compile(ast.Expression(last.value), name, "eval"), fresh)
        except Exception as error:
            return Ran(None, out.getvalue(), error, _line(error, name), fresh)
    return Ran(value, out.getvalue(), None, None, fresh)


@contextlib.contextmanager
def limited(name: str) -> Iterator[None]:
    """Raises `TooLong` in code of the file `name` once it has run through too many lines."""
    left = STEPS

    def count(frame: types.FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename != name:
            return None
        left -= 1
        if left < 0:
            raise TooLong(f"stopped after {STEPS} lines")
        return count

    before = sys.gettrace()
    if before is None:  # a debugger or a coverage run has the only trace there is
        sys.settrace(count)
    try:
        yield
    finally:
        if before is None:
            sys.settrace(None)


def _line(error: BaseException, name: str) -> int | None:
    if isinstance(error, SyntaxError):
        return error.lineno
    found, at = None, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == name:
            found = at.tb_lineno
        at = at.tb_next
    return found
