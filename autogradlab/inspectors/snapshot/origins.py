"""Origins: where a variable got its value: the cell or file, the line, the expression. Found in the source,
with `ast`."""

from __future__ import annotations

import ast
import linecache
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..words import say
from .kinds import is_tensor
from .names import Place, Space

__all__ = ["Origin", "of_several", "origin", "place"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was assigned. In a notebook `cell` is the number in its brackets; `source` is the expression.

    `within` are the expressions of the `with` statements around it, outermost first: ("torch.no_grad()",).
    """

    cell: int | None
    file: str
    line: int
    source: str
    within: tuple[str, ...] = ()


#: a line: the number of its cell, or None and its file
Line = tuple[int | None, str, int]


@dataclass(frozen=True, slots=True)
class Search:
    """late: assignments after the caller's line count as well. changes: so do statements such as `w += 1`; writes: and
    those that write into it, `w[0] = 1` and `w.mul_(2)`. lines: only assignments on one of these count."""

    late: bool
    changes: bool
    writes: bool
    lines: frozenset[Line] = frozenset()


def place(found: Origin) -> str:
    """Where that is, in words: "cell [7], line 3"."""
    if found.cell is not None:
        return say("origins.cell", cell=found.cell, line=found.line)
    return say("origins.file", file=os.path.basename(found.file), line=found.line)


def of_several(tree: ast.AST | None) -> bool:
    """Whether an expression lists several values, so that a name of the loop over it may have got any of them."""
    match tree:
        case ast.Module(body=[ast.Expr(value=ast.Tuple(elts=[_, _, *_]) | ast.List(elts=[_, _, *_]))]):
            return True
    return False


def origin(
    name: str | Iterable[str],
    space: Mapping[str, Any],
    changes: bool = True,
    writes: bool = False,
    lines: frozenset[Line] = frozenset(),
) -> Origin | None:
    """Where the variable (the first of several that is found) was last assigned before the caller's line;
    None if unknown.

    `space` is what `namespace()` gave. Without `changes`, statements that change in place (`w -= ...`) do not count,
    and they never do of a leaf that requires grad, which they cannot have made. With `writes`, `w[0] = ...` and
    `w.mul_(...)` count too. `lines` are those that made the Node of what the variable holds, where they are known: an
    assignment there is meant, not a later one that did not run last (`if t == 1: h = h.detach()`).
    Items and attributes without an assignment of their own (`params[0]`, `model.weight`) are found where their variable
    was assigned; a gradient (`w.grad`) is assigned nowhere, and neither is an expression (`w.data + 1`).
    """
    if not isinstance(space, Space) or space.place is None:
        return None
    for one in [name] if isinstance(name, str) else name:
        if one.endswith(".grad") or not _PATH.fullmatch(one):
            continue
        counted = changes and not _learning_leaf(space.get(one))
        written = counted and writes
        searches = [Search(late, counted, written) for late in (False, True)]
        for search in [Search(True, counted, written, lines), *searches] if lines else searches:
            for spelled in dict.fromkeys((one, _root(one))):
                if (found := _find(spelled, _root(one), space, space.place, search)) is not None:
                    return found
    return None


def _learning_leaf(held: Any) -> bool:
    return is_tensor(held) and bool(held.is_leaf and held.requires_grad)


#: a variable, its attributes and its items
_PATH = re.compile(r"\w+(\.\w+|\[[^\[\]]*\])*")


def _root(name: str) -> str:
    return name.split(".")[0].split("[")[0]


def _find(name: str, root: str, space: Space, here: Place, search: Search) -> Origin | None:
    if here.function != "<module>" and root in space.local:
        source = _text(here.file)
        return _last(name, _body(source, here), here.line, here.file, _cell_of(source, space), search)
    if space.cells:
        running = len(space.cells) - 1
        for number in range(running, 0, -1):
            line = (
                here.line if number == running and here.function == "<module>" and here.file != "<timed exec>" else None
            )
            if (found := _last(name, _module(space.cells[number]), line, here.file, number, search)) is not None:
                return found
        return None
    if here.function == "<module>":
        return _last(name, _module(_text(here.file)), here.line, here.file, None, search)
    return _last(name, _module(_text(here.file)), None, here.file, None, search)


def _text(file: str) -> str:
    return "".join(linecache.getlines(file))


def _cell_of(source: str, space: Space) -> int | None:
    """The number of the cell that a function was written in."""
    numbers = (number for number in range(len(space.cells) - 1, 0, -1) if space.cells[number].strip() == source.strip())
    return next(numbers, None) if source.strip() else None


@lru_cache(maxsize=256)
def _tree(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a "\d" in a user's string is not ours to warn of again
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None


Code = tuple[str, list[ast.stmt], list[ast.arg]]


@lru_cache(maxsize=256)
def _unmagic(source: str) -> str:
    """A notebook's cell as Python: the code inside of `%%time` and `%time`, on the lines where it stood."""
    tree = _tree(source) if "get_ipython()" in source else None
    lines = source.split("\n")
    for statement in tree.body if tree is not None else ():
        match statement:
            case ast.Expr(ast.Call(ast.Attribute(attr="run_cell_magic"), [_, _, ast.Constant(str(body))])):
                return "\n" + body
            case ast.Expr(
                ast.Call(ast.Attribute(attr="run_line_magic"), [ast.Constant("time"), ast.Constant(str(body))])
            ):
                lines[statement.lineno - 1] = body
    return "\n".join(lines)


def _module(source: str) -> Code:
    source = _unmagic(source)
    tree = _tree(source)
    return source, tree.body if tree is not None else [], []


def _body(source: str, here: Place) -> Code:
    """The innermost function of that name that the caller's line is in."""
    tree, best = _tree(source), None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == here.function:
            if node.lineno <= here.line <= (node.end_lineno or node.lineno):
                if best is None or node.lineno > best.lineno:
                    best = node
    if best is None:
        return source, [], []
    arguments = best.args
    extra = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return source, best.body, [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra]


def _last(name: str, code: Code, line: int | None, file: str, cell: int | None, search: Search) -> Origin | None:
    """The last assignment at or before a line; with `search.late` one after it,
    if there is no other (a loop came round)."""
    source, body, arguments = code
    given = [a for a in arguments if a.arg == name and not search.lines]
    found: list[tuple[int, str, tuple[str, ...]]] = [(a.lineno, a.arg, ()) for a in given]
    meant = {n for of, path, n in search.lines if of == cell and path == ("" if cell is not None else file)}
    found += [
        (node.lineno, _segment(source, node), _around(source, body, node))
        for node in _assigned(name, body, search.writes)
        if search.changes or not isinstance(node, ast.AugAssign)
        if not search.lines or meant.intersection(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    ]
    if not found:
        return None
    earlier = [f for f in found if line is None or f[0] <= line]
    if not earlier and not search.late:
        return None
    number, text, within = max(earlier or found, key=lambda f: f[0])
    return Origin(cell, file if cell is None else "", number, text, within)


def _around(source: str, body: list[ast.stmt], node: Any) -> tuple[str, ...]:
    last = node.end_lineno or node.lineno
    blocks = [w for s in body for w in ast.walk(s) if isinstance(w, (ast.With, ast.AsyncWith))]
    around = [w for w in blocks if w.body[0].lineno <= node.lineno and last <= (w.end_lineno or 0)]
    return tuple(_segment(source, item.context_expr) for w in around for item in w.items)


def _segment(source: str, node: ast.AST) -> str:
    return " ".join((ast.get_source_segment(source, node) or ast.unparse(node)).split())


def _assigned(name: str, body: list[ast.stmt], writes: bool = False) -> Iterator[Any]:
    """The expressions that a name is given in these statements, in order; for `w += 1` the statement itself, and with
    `writes` for `w[0] = 1` and `w.mul_(2)`."""
    for statement in body:
        if writes and _writes(name, statement):
            yield statement
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                continue  # names in there are others
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from _matched(name, target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield from _matched(name, target, value)
            case ast.AugAssign(target=target):
                if _spelled(target) == name:
                    yield statement
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                yield from _matched(name, target, value, whole=True)
            case ast.With(items=items) | ast.AsyncWith(items=items):
                for item in items:
                    if item.optional_vars is not None:
                        yield from _matched(name, item.optional_vars, item.context_expr, whole=True)
        for inner in ast.iter_child_nodes(statement):
            if isinstance(inner, ast.expr):
                yield from (w.value for w in ast.walk(inner) if isinstance(w, ast.NamedExpr) and w.target.id == name)
        for part in ("body", "orelse", "finalbody"):
            yield from _assigned(name, getattr(statement, part, []), writes)
        for handler in [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
            yield from _assigned(name, handler.body, writes)


def _writes(name: str, statement: ast.stmt) -> bool:
    """Whether a statement writes into what a variable holds."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=target)]):
            return _spelled(target) == name
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=target, attr=called))):
            told = called.endswith("_") and not called.endswith("__") and called not in ("requires_grad_", "detach_")
            return told and _spelled(target) == name
    return False


def _matched(name: str, target: ast.expr, value: ast.expr, whole: bool = False) -> Iterator[ast.expr]:
    if isinstance(target, (ast.Tuple, ast.List)):
        starred = any(isinstance(part, ast.Starred) for part in [*target.elts, *getattr(value, "elts", [])])
        pairs = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
        pairs = pairs and not whole and not starred
        for index, part in enumerate(target.elts):
            inner = value.elts[index] if pairs and isinstance(value, (ast.Tuple, ast.List)) else value
            yield from _matched(name, part.value if isinstance(part, ast.Starred) else part, inner, whole)
    elif _spelled(target) == name:
        yield value


def _spelled(target: ast.expr) -> str:
    return target.id if isinstance(target, ast.Name) else ast.unparse(target)
