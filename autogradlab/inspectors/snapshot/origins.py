"""Origins: where a variable got its value: the cell or file, the line, the expression. Found in the source,
with `ast`."""

from __future__ import annotations

import ast
import linecache
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ..words import say
from .kinds import is_module, is_tensor
from .names import Place, Space

__all__ = ["Origin", "of_several", "origin", "place"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was assigned. In a notebook `cell` is the number in its brackets; `source` is the expression.

    `within` are the expressions of the `with` statements around it, outermost first: ("torch.no_grad()",). Not `exact`
    is what gave the name one of several values, and says not which: `source` is then the statement up to its colon,
    "for t in (x, y)", or the whole list of which the value is an item.
    """

    cell: int | None
    file: str
    line: int
    source: str
    within: tuple[str, ...] = ()
    exact: bool = True

    @property
    def computed(self) -> str:
        """The expression, if it is what the value was computed by and no other; else ""."""
        return self.source if self.exact else ""


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
                    return found if spelled == one else _part(found, one, space)
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
        return _last(name, _body(source, here), here.line, here.file, _cell_of(source, space), search, space)
    if space.cells:
        running = len(space.cells) - 1
        for number in range(running, 0, -1):
            line = (
                here.line if number == running and here.function == "<module>" and here.file != "<timed exec>" else None
            )
            later = [s for cell in space.cells[number + 1 :] for s in _module(cell)[1]]
            code = _module(space.cells[number])
            if (found := _last(name, code, line, here.file, number, search, space, later)) is not None:
                return found
        return None
    if here.function == "<module>":
        return _last(name, _module(_text(here.file)), here.line, here.file, None, search, space)
    return _last(name, _module(_text(here.file)), None, here.file, None, search, space)


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


def _last(
    name: str,
    code: Code,
    line: int | None,
    file: str,
    cell: int | None,
    search: Search,
    space: Space,
    later: list[ast.stmt] | None = None,
) -> Origin | None:
    """The last assignment at or before a line; with `search.late` one after it, if there is no other (a loop came
    round). `later` are the statements of the cells that ran since."""
    source, body, arguments = code
    given = [a for a in arguments if a.arg == name and not search.lines]
    found = [(a.lineno, Given(a)) for a in given]
    meant = {n for of, path, n in search.lines if of == cell and path == ("" if cell is not None else file)}
    found += [
        (one.node.lineno, one)
        for one in _assigned(name, body, search.writes)
        if search.changes or not isinstance(one.node, ast.AugAssign)
        if not search.lines or meant.intersection(range(one.node.lineno, (one.node.end_lineno or one.node.lineno) + 1))
    ]
    if not found:
        return None
    earlier = [f for f in found if line is None or f[0] <= line]
    if not earlier and not search.late:
        return None
    number, last = max(earlier or found, key=lambda f: f[0])
    path, within = file if cell is None else "", _around(source, body, last.node)
    if isinstance(last.node, ast.arg):
        return Origin(cell, path, number, last.node.arg)
    if last.options is None:
        return Origin(cell, path, number, _segment(source, last.node), within)
    chosen = _chosen(last, name, space, [*body, *(later or ())] if earlier else None)
    text = _segment(source, chosen) if chosen is not None else _head(source, last.statement)
    return Origin(cell, path, number, text, within, chosen is not None)


def _around(source: str, body: list[ast.stmt], node: Any) -> tuple[str, ...]:
    last = node.end_lineno or node.lineno
    blocks = [w for s in body for w in ast.walk(s) if isinstance(w, (ast.With, ast.AsyncWith))]
    around = [w for w in blocks if w.body[0].lineno <= node.lineno and last <= (w.end_lineno or 0)]
    return tuple(_segment(source, item.context_expr) for w in around for item in w.items)


def _segment(source: str, node: ast.AST) -> str:
    return " ".join((ast.get_source_segment(source, node) or ast.unparse(node)).split())


@dataclass(frozen=True, slots=True)
class Given:
    """What a name is given. `options`: it is one of these expressions, or (none) an item of what `node` gives, by the
    `statement`; None: it is `node`."""

    node: Any
    options: tuple[ast.expr, ...] | None = None
    statement: ast.stmt | None = None


def _assigned(name: str, body: list[ast.stmt], writes: bool = False) -> Iterator[Given]:
    """What a name is given in these statements, in order; for `w += 1` the statement itself, and with `writes` for
    `w[0] = 1` and `w.mul_(2)`."""
    for statement in body:
        if writes and _writes(name, statement):
            yield Given(statement)
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                continue  # names in there are others
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    yield from _matched(name, target, value, statement)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield from _matched(name, target, value, statement)
            case ast.AugAssign(target=target):
                if _spelled(target) == name:
                    yield Given(statement)
            case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
                if _names(name, target):
                    items = _items(value) or []
                    found = [one for item in items for one in _matched(name, target, item, statement)]
                    known = all(one.options is None for one in found)
                    yield Given(value, tuple(one.node for one in found) if known else (), statement)
            case ast.With(items=items) | ast.AsyncWith(items=items):
                for item in items:
                    if item.optional_vars is not None and _names(name, item.optional_vars):
                        yield Given(item.context_expr, (), statement)
        for inner in ast.iter_child_nodes(statement):
            if isinstance(inner, ast.expr):
                named = (w for w in ast.walk(inner) if isinstance(w, ast.NamedExpr) and w.target.id == name)
                yield from (Given(w.value) for w in named)
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


def _matched(name: str, target: ast.expr, value: ast.expr, statement: ast.stmt) -> Iterator[Given]:
    """What a name is given where a target with it is given a value: of `a, (b, *c) = x, (y, z)` each name its own."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        if _spelled(target) == name:
            yield Given(value)
        return
    parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
    stars = [i for i, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
    more = len(parts) - len(target.elts)
    if any(isinstance(part, ast.Starred) for part in parts) or not (more >= -1 if stars else more == 0) or not parts:
        if _names(name, target):
            yield Given(value, (), statement)
        return
    for index, part in enumerate(target.elts):
        if isinstance(part, ast.Starred):
            rest = ast.List(parts[index : index + more + 1], ast.Load(), lineno=value.lineno, col_offset=0)
            yield from _matched(name, part.value, rest, statement)
        else:
            yield from _matched(name, part, parts[index + more if stars and index > stars[0] else index], statement)


def _names(name: str, target: ast.expr) -> bool:
    """Whether a name is among the targets."""
    match target:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(_names(name, part) for part in parts)
        case ast.Starred(value=inner):
            return _names(name, inner)
    return _spelled(target) == name


#: functions that hand on what is in their arguments
_HANDING = frozenset(
    {"dict", "enumerate", "filter", "iter", "list", "map", "max", "min", "reversed", "set", "sorted", "tuple", "zip"}
)


def _items(value: ast.expr) -> list[ast.expr] | None:
    """The expressions in a row of which a loop goes over the values; None where the source does not say."""
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return None if any(isinstance(part, ast.Starred) for part in parts) else parts
        case ast.Call(func=ast.Attribute(value=ast.Dict(keys=keys, values=values), attr="items" | "values" as attr)):
            if not all(keys):
                return None
            return values if attr == "values" else [_pair([k, v]) for k, v in zip(keys, values, strict=True) if k]
        case ast.Call(func=ast.Name(id="iter" | "list" | "reversed" | "sorted" | "tuple"), args=[inner]):
            return _items(inner)
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner], keywords=[]):
            found = _items(inner)
            return None if found is None else [_pair([inner, one]) for one in found]
        case ast.Call(func=ast.Name(id="zip"), args=rows, keywords=[]):
            known = [found for row in rows if (found := _items(row)) is not None]
            return [_pair(parts) for parts in zip(*known, strict=False)] if len(known) == len(rows) else None
    return None


def _pair(parts: Iterable[ast.expr]) -> ast.expr:
    found = list(parts)
    return ast.copy_location(ast.Tuple(found, ast.Load()), found[-1])


def _chosen(given: Given, name: str, space: Space, body: list[ast.stmt] | None) -> ast.expr | None:
    """Of what a name may have been given, the expression that it was; None where it cannot be told. The statements of
    `body` are those that may have given other values to the names there; None: any may have."""
    options = given.options or ()
    if not options:
        entered = isinstance(given.statement, (ast.With, ast.AsyncWith))  # what it gives is the block's own affair
        unpacked = isinstance(given.statement, (ast.Assign, ast.AnnAssign))
        return given.node if not entered and _of_one(given.node, space, unpacked) else None
    if len(options) == 1:
        return options[0]
    held: Any = space.get(name)
    variables = [one for one in options if isinstance(one, ast.Name)]
    same = [one for one in variables if space.get(one.id) is held]
    if same:
        return same[0]
    others = [one for one in options if not isinstance(one, ast.Name)]
    changed = body is None or any(
        other.node.lineno >= given.node.lineno for one in variables for other in _assigned(one.id, body)
    )
    return others[0] if len(others) == 1 and not changed and is_tensor(held) else None


def _of_one(value: ast.expr, space: Mapping[str, Any], unpacked: bool) -> bool:
    """Whether each item of a value was computed from all that is written in it: those of a tensor or of what a function
    of tensors gives, and not those of a list; `unpacked`: or those of what any function returns."""
    base: ast.AST = value
    called = isinstance(value, ast.Call)
    match value:
        case ast.Call(func=ast.Name(id=name)) if name in _HANDING:
            return False
        case ast.Call(func=ast.Attribute(attr="items" | "keys" | "values" | "pop" | "get")):
            called = False
    while isinstance(base, (ast.Call, ast.Attribute, ast.Subscript)):
        base = base.func if isinstance(base, ast.Call) else base.value
    held: Any = space.get(base.id) if isinstance(base, ast.Name) else None
    if isinstance(base, ast.BinOp):
        return any(isinstance(n, ast.Name) and is_tensor(space.get(n.id)) for n in (base.left, base.right))
    return (called and unpacked) or is_tensor(held) or is_module(held) or (called and hasattr(held, "is_tensor"))


def _part(found: Origin, path: str, space: Mapping[str, Any]) -> Origin:
    """Where an item or attribute was made of which the variable's origin is known: `pair[0]` of `pair = x, y`."""
    held, tree = space.get(_root(path)), _tree(found.source)
    if not found.exact or is_tensor(held) or is_module(held) or "[" not in path or tree is None or not tree.body:
        return found
    value = tree.body[0].value if isinstance(tree.body[0], ast.Expr) else None
    match value, _tree(path):
        case (
            ast.Tuple(elts=parts),
            ast.Module(body=[ast.Expr(ast.Subscript(ast.Name(), ast.Constant(int(index))))]),
        ) if 0 <= index < len(parts) and not any(isinstance(part, ast.Starred) for part in parts):
            return replace(found, source=_segment(found.source, parts[index]))
    return replace(found, exact=isinstance(value, ast.expr) and _of_one(value, space, True))


def _head(source: str, statement: ast.stmt | None) -> str:
    """A statement up to the colon."""
    match statement:
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            return f"for {_segment(source, target)} in {_segment(source, value)}"
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return f"with {', '.join(map(ast.unparse, items))}"
    return _segment(source, statement) if statement is not None else ""


def _spelled(target: ast.expr) -> str:
    return target.id if isinstance(target, ast.Name) else ast.unparse(target)
