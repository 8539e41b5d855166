"""Which line made a Node: where a notebook has the inspectors, new Nodes of autogradlab note the user's frames.

A note is a tuple of steps from the cell inward: a `Spot` for each frame of the user's code, a `Called` for each call
of a Module. Nothing is worked out before somebody asks. Nodes made earlier have no note. What makes a Node of
PyTorch is found in another way (tracing).
"""

from __future__ import annotations

import ast
import linecache
import sys
import weakref
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from types import CodeType, FrameType
from typing import Any, NamedTuple

from . import tracing
from .callers import LIBRARIES, cell_number
from .names import locals_of, notebook
from .origins import Line

__all__ = [
    "Called",
    "Loop",
    "Spot",
    "functions_of",
    "lines_of",
    "loops_of",
    "note_of",
    "source_tree",
    "stopped_at",
    "unwatch",
    "watch",
]

#: places in code that are known, by code and instruction; how many
_spans: dict[tuple[int, int], tuple[weakref.ref[CodeType], tuple[int, int, int, int]]] = {}
MANY = 4096

#: frames that are looked at, from a Node outward
DEEPEST = 200


class Spot(NamedTuple):
    """A frame of the user's code at the moment: its instruction, and what the variables of the loops around it hold."""

    code: CodeType
    instruction: int
    turns: tuple[str, ...] = ()

    @property
    def held(self) -> tuple[tuple[Loop, tuple[str, ...]], ...]:
        """The loops around the line, and what the variables of each held."""
        line, start, found = self.span[0], 0, []
        for loop in loops_of(self.code.co_filename):
            if self.turns and loop.first <= line <= loop.last:
                found.append((loop, self.turns[start : start + len(loop.names)]))
                start += len(loop.names)
        return tuple(found)

    @property
    def span(self) -> tuple[int, int, int, int]:
        """Line and column where the expression begins and ends, columns in bytes."""
        key = id(self.code), self.instruction
        known = _spans.get(key)
        if known is None or known[0]() is not self.code:  # another code was there before
            if len(_spans) >= MANY:
                _spans.clear()
            known = _spans[key] = weakref.ref(self.code), self._span()
        return known[1]

    def _span(self) -> tuple[int, int, int, int]:
        for number, (line, last, start, end) in enumerate(self.code.co_positions()):
            if 2 * number == self.instruction:
                line = line or self.code.co_firstlineno
                return line, last or line, start or 0, end or 0
        return self.code.co_firstlineno, self.code.co_firstlineno, 0, 0


class Called(NamedTuple):
    """A call of a Module: the Module while it lives, its class, and its own parameters by identity. (They live as long
    as the graph does, a Module that no variable holds does not.)"""

    module: weakref.ref[Any]
    kind: str
    parameters: tuple[tuple[str, int], ...]


Step = Spot | Called


class Loop(NamedTuple):
    """A loop in a file: the lines of its body and the names that it gives values to."""

    first: int
    last: int
    names: tuple[str, ...]
    inside: bool = False  #: a comprehension


def watch() -> None:
    """Note the lines of Nodes from now on, in a notebook; elsewhere, and where it is done already, nothing happens."""
    shell = notebook()
    if shell is not None and _begin not in shell.events.callbacks["pre_run_cell"]:
        shell.events.register("pre_run_cell", _begin)
        shell.events.register("post_run_cell", _end)
        _begin()


def unwatch() -> None:
    """Stop noting lines."""
    from autogradlab.core.runtime import modes

    shell, local = notebook(), modes.current()
    if shell is not None and _begin in shell.events.callbacks["pre_run_cell"]:
        shell.events.unregister("pre_run_cell", _begin)
        shell.events.unregister("post_run_cell", _end)
    tracing.stop()
    if _note in local.observers:
        local.observers.remove(_note)
        local.refresh()


def _begin(info: Any = None) -> None:
    """Watch this thread, in which a cell is about to run."""
    from autogradlab.core.runtime import modes

    local = modes.current()
    if _note not in local.observers:
        local.observers.append(_note)
        local.refresh()
    tracing.start(_steps)


def _end(result: Any = None) -> None:
    """The cell has run, to its end or to an error."""
    tracing.stop()
    _stopped.pop(getattr(result, "execution_count", None), None)  # of a cell of this number before a %reset
    error, shell = getattr(result, "error_in_exec", None), notebook()
    cells = [] if shell is None else list(shell.user_ns.get("In", ()))
    trace = None if error is None else error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        number = cell_number(code.co_filename)
        if number is not None and number < len(cells) and code.co_name == "<module>":
            line, _, start, _ = next(islice(code.co_positions(), trace.tb_lasti // 2, None), (None,) * 4)
            _stopped[number] = cells[number], (line or trace.tb_lineno, start or 0)
            return
        trace = trace.tb_next


#: cells that an error has ended: their source, and at which line and column
_stopped: dict[int | None, tuple[str, tuple[int, int]]] = {}


def stopped_at(cell: int | None, source: str) -> tuple[int, int] | None:
    """The line and column at which an error has ended a cell; None if it has run to its end."""
    known = _stopped.get(cell)
    return known[1] if known is not None and known[0] == source else None


def note_of(node: Any) -> tuple[Step, ...]:
    """What a Node noted, outermost first; () if nothing is known."""
    found: tuple[Step, ...] = getattr(node, "made_at", ()) or tracing.noted(node)
    return found


def lines_of(node: Any) -> frozenset[Line]:
    """The lines of the user's code that made a Node, from the cell or file inward; none where it is not known."""
    spots = [step for step in note_of(node) if isinstance(step, Spot)] if node is not None else []
    found = ((cell_number(spot.code.co_filename), spot.code.co_filename, spot.span[0]) for spot in spots)
    return frozenset((cell, file if cell is None else "", line) for cell, file, line in found)


def _note(node: Any) -> None:
    """Called with each new Node: what is cheap to have is kept, and no frame, no tensor and no module with it."""
    frame = sys._getframe(2)
    node.made_at = _steps(frame, frame.f_lasti)


def _steps(frame: FrameType | None, instruction: int) -> tuple[Step, ...]:
    """The user's frames and the calls of Modules from this frame, which is at an instruction, outward."""
    steps: list[Step] = []
    for _ in range(DEEPEST):
        if frame is None:
            break
        name = frame.f_globals.get("__name__", "")
        if name.split(".", 1)[0] not in LIBRARIES:
            steps.append(Spot(frame.f_code, instruction, _turns(frame)))
        elif name.startswith("IPython.core"):
            break
        elif (frame.f_code.co_name, name) in _CALLS:
            steps.append(_called(_held(frame)["self"]))
        frame = frame.f_back
        instruction = frame.f_lasti if frame is not None else 0
    return tuple(reversed(steps))


def _called(module: Any) -> Called:
    own = vars(module).get("_parameters") or {}
    parameters = tuple((name, id(held)) for name, held in own.items() if held is not None)
    return Called(weakref.ref(module), type(module).__name__, parameters)


#: the functions in which Modules are called
_CALLS = {("__call__", "autogradlab.nn.modules.module"), ("_call_impl", "torch.nn.modules.module")}


def _turns(frame: FrameType) -> tuple[str, ...]:
    """What the variables of the loops around a frame's line hold: short numbers and words as they are written."""
    loops = loops_of(frame.f_code.co_filename)
    if not loops:
        return ()
    line = frame.f_lineno
    names = [name for loop in loops if loop.first <= line <= loop.last for name in loop.names]
    if not names:
        return ()
    # of a module f_locals is f_globals, and from Python 3.12 on the variables of its comprehensions as well
    held = frame.f_locals if frame.f_code.co_name == "<module>" else _held(frame)
    return tuple(_brief(held[name]) if name in held else "" for name in names)


def _held(frame: FrameType) -> Mapping[str, Any]:
    """A frame's variables. A trace function must not empty their dictionary: before Python 3.13 it is written back."""
    return locals_of(frame) if sys.gettrace() is None else frame.f_locals


def _brief(value: Any) -> str:
    """A number or word as it is written; of anything else what tells it from the one before, after an @."""
    if type(value) in (int, bool, str, float) and len(repr(value)) <= 12:
        return repr(value)
    return f"@{id(value)}"


@lru_cache(maxsize=256)
def loops_of(file: str) -> tuple[Loop, ...]:
    """The loops of a file, outer ones before inner ones."""
    tree = source_tree(file)
    found = []
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, (ast.For, ast.AsyncFor)):
            found.append(Loop(node.body[0].lineno, node.body[-1].end_lineno or 0, _targets(node.target)))
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            names = tuple(n for made in node.generators for n in _targets(made.target))
            found.append(Loop(node.lineno, node.end_lineno or 0, names, True))
    return tuple(sorted(found, key=lambda loop: (loop.first, -loop.last)))


@lru_cache(maxsize=256)
def functions_of(file: str) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...]:
    """The functions that a file defines, methods and inner ones too."""
    tree = source_tree(file)
    found = ast.walk(tree) if tree is not None else ()
    return tuple(node for node in found if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def _targets(target: ast.expr) -> tuple[str, ...]:
    return tuple(n.id for n in ast.walk(target) if isinstance(n, ast.Name))


@lru_cache(maxsize=64)
def source_tree(file: str) -> ast.Module | None:
    """The syntax tree of a file or cell; None where there is no source, or it is no Python."""
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return None
