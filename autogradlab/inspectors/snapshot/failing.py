"""Where an error happened in the user's code: the frame, its variables, the statement and the call that failed."""

from __future__ import annotations

import ast
import linecache
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from .callers import cell_number, is_ours, line_of
from .kinds import is_module, is_tensor
from .lines import functions_of, stopped_at
from .names import Names, Place, Space, names_of, notebook
from .origins import Origin

__all__ = ["Failure", "failure", "last_error", "parsed", "resolve", "sources", "statements"]


@dataclass(frozen=True, slots=True)
class Failure:
    """An error, and what of the user's code it came out of.
    `statement` and `call` are None where the source is gone."""

    error: BaseException
    message: str
    at: Origin | None
    space: Space
    names: Names
    statement: ast.stmt | None
    call: ast.AST | None
    loop: ast.For | ast.While | None = None  #: the innermost loop around it

    def value(self, node: ast.AST | None) -> Any:
        return resolve(node, self.space)

    def calls(self, *names: str) -> Iterator[ast.Call]:
        """The calls of functions or methods with these names in the statement, the one that failed first."""
        if isinstance(self.call, ast.Call) and _called(self.call) in names:
            yield self.call
        if self.statement is not None:
            yield from (
                n
                for n in ast.walk(self.statement)
                if isinstance(n, ast.Call) and n is not self.call and _called(n) in names
            )


def _called(call: ast.Call) -> str:
    return (
        call.func.attr
        if isinstance(call.func, ast.Attribute)
        else call.func.id
        if isinstance(call.func, ast.Name)
        else ""
    )


def last_error() -> BaseException | None:
    """The last error that was shown to the user."""
    found = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    return found if isinstance(found, BaseException) else None


def failure(error: BaseException) -> Failure:
    """What there is to know about an error; its innermost frame of the user's own code decides."""
    trace = _innermost(error.__traceback__)
    text = str(error)
    if trace is None:
        shell = notebook()
        space = Space({}, {} if shell is None else shell.user_ns, None)
        return Failure(error, text, None, space, names_of(space), None, None)
    frame, line = trace.tb_frame, trace.tb_lineno
    code = frame.f_code
    at_top = frame.f_locals is frame.f_globals or code.co_name == "<module>"
    place = Place(code.co_filename, line, "<module>" if at_top else code.co_name, code.co_firstlineno)
    cells = _cells(error.__traceback__)
    space = Space({} if at_top else frame.f_locals, frame.f_globals, place, cells)
    statement, call, loop = _failing(trace)
    return Failure(error, text, line_of(code.co_filename, line), space, names_of(space), statement, call, loop)


def _innermost(trace: TracebackType | None) -> TracebackType | None:
    found = None
    while trace is not None:
        if not is_ours(trace.tb_frame):
            found = trace
        trace = trace.tb_next
    return found


def _cells(trace: TracebackType | None) -> list[str]:
    """The cells that had run when the one ran in which the error came up, itself the last: a function may stand in an
    earlier one."""
    shell, number = notebook(), None
    while trace is not None and number is None:
        number, trace = cell_number(trace.tb_frame.f_code.co_filename), trace.tb_next
    cells = [] if shell is None else list(shell.user_ns.get("In", ()))
    return cells if number is None else cells[: number + 1]


def parsed(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _failing(trace: TracebackType) -> tuple[ast.stmt | None, ast.AST | None, Any]:
    """The innermost statement on the line that failed, the expression in it, and the loop around it."""
    code = trace.tb_frame.f_code
    tree = parsed("".join(linecache.getlines(code.co_filename, trace.tb_frame.f_globals)))
    if tree is None:
        return None, None, None
    around: list[ast.stmt] = []
    loop: ast.For | ast.While | None = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= trace.tb_lineno <= (node.end_lineno or node.lineno):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                around.append(node)  # ast.walk goes from the outside in
                loop = node if isinstance(node, (ast.For, ast.While)) else loop
    spans, at = list(code.co_positions()), trace.tb_lasti // 2
    for statement in reversed(around) if 0 <= at < len(spans) else ():  # `if x > 0: y = 1` has two on its line
        for part in ast.walk(statement):
            if isinstance(part, ast.expr) and _span(part) == spans[at]:
                return statement, part, loop
        if _span(statement) == spans[at]:
            return statement, None, loop
    return around[-1] if around else None, None, loop


def _span(node: ast.expr | ast.stmt) -> tuple[int, int | None, int, int | None]:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def resolve(node: ast.AST | None, space: Mapping[str, Any]) -> Any:
    """The value of a name, an attribute of a tensor or module, or an item; None for whatever would have to be run."""
    match node:
        case ast.Name(id=name):
            return space.get(name)
        case ast.Attribute(value=inner, attr=attr):
            held = resolve(inner, space)
            if is_tensor(held):
                if attr == "grad":
                    return held.grad if held.is_leaf or held.retains_grad else None
                return None
            if is_module(held):
                return getattr(held, attr, None)
            return getattr(held, "__dict__", {}).get(attr) if held is not None else None
        case ast.Subscript(value=inner, slice=ast.Constant(value=key)):
            held = resolve(inner, space)
            try:
                return held[key] if type(held) in (list, tuple, dict) or is_module(held) else None
            except (LookupError, TypeError):
                return None
        case ast.Subscript(value=inner, slice=ast.Name(id=name)) if type(key := space.get(name)) in (int, str):
            return resolve(ast.Subscript(inner, ast.Constant(key)), space)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [resolve(part, space) for part in parts]
    return None


def sources(space: Space) -> Iterator[tuple[int | None, str, str]]:
    """The code that ran: cells (number, "", text), the last one first; or the caller's file."""
    if space.cells:
        for number in range(len(space.cells) - 1, 0, -1):
            yield number, "", space.cells[number]
    elif space.place is not None:
        yield None, space.place.file, "".join(linecache.getlines(space.place.file))


def statements(space: Space) -> Iterator[tuple[ast.stmt, Origin, str]]:
    """The simple statements of that code, the last one first, and whether they are in a "loop" or "function" ("":
    neither). Of a cell that an error has ended, those before it; of a file, those that can have run before the caller's
    line."""
    for cell, file, source in sources(space):
        tree = parsed(source)
        found = sorted(_simple(tree, ""), key=lambda pair: pair[0].lineno, reverse=True) if tree is not None else []
        stopped = stopped_at(cell, source)
        for node, around in found:
            if stopped is not None and not around and (node.end_lineno or 0, node.end_col_offset or 0) > stopped:
                continue
            if cell is None and space.place is not None:
                inside = _reached(node, space.place)
                if inside is None:
                    continue
                around = "" if inside and around == "function" else around
            yield node, Origin(cell, file, node.lineno, _as_written(source, node)), around


def _as_written(source: str, node: ast.stmt) -> str:
    """A statement in one line, as the learner wrote it; with a comment in it, as Python would write it."""
    text = ast.get_source_segment(source, node) or "#"
    return " ".join((ast.unparse(node) if "#" in text else text).split())


def _simple(tree: ast.AST, around: str) -> Iterator[tuple[ast.stmt, str]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            yield node, around
        elif isinstance(node, (ast.For, ast.While, ast.AsyncFor)):
            yield from _simple(node, "loop")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _simple(node, "function")
        elif isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield from _simple(node, around)


def _reached(node: ast.stmt, place: Place) -> bool | None:
    """Whether a statement of the caller's file can have run before the caller's line: None if not, else whether it is
    in the function that the caller is in."""
    function = None
    for outer in functions_of(place.file):
        if outer.lineno <= node.lineno <= (outer.end_lineno or 0):
            function = outer
    if function is None:
        return False if place.function != "<module>" or node.lineno <= place.line else None
    here = function.name == place.function and function.lineno <= place.line <= (function.end_lineno or 0)
    return True if here else None
