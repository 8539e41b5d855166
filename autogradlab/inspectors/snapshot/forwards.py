"""The lines whose Nodes an error of a backward is about, although no variable holds what they made."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .callers import cell_number, is_ours, line_of
from .failing import Failure, statements
from .feeders import nodes_below
from .graph import class_name, saved_live, unread
from .kinds import is_tensor
from .lines import Spot, functions_of, note_of
from .origins import Origin

__all__ = ["Forward", "made_of", "nodes_of", "overwritten", "saved", "viewed"]


@dataclass(frozen=True, slots=True)
class Forward:
    """Where a Node was made: the line, the names that its statement gives values to, and the statements of the same
    function behind it."""

    origin: Origin
    names: frozenset[str]
    later: tuple[tuple[ast.stmt, Origin], ...]


def nodes_of(failed: Failure, root: ast.expr | None) -> Iterator[Any]:
    """The Nodes below what a backward was called on. What no variable holds, the frames of the error still do."""
    value = failed.value(root)
    trace = failed.error.__traceback__
    while trace is not None and not is_tensor(value):
        value = trace.tb_frame.f_locals.get("self") if is_ours(trace.tb_frame) else None
        trace = trace.tb_next
    if is_tensor(value):
        yield from nodes_below(value.grad_fn)


def _changed(nodes: Iterable[Any], then: str, now: str) -> Iterator[Any]:
    """The Nodes that had saved something at one version and find it at another."""
    for node in nodes:
        for _, _, error in saved_live(node):
            versions = None if error is None else unread(error)[1]
            if versions is not None and tuple(map(str, versions)) == (then, now):
                yield node
                break


def saved(
    named: list[tuple[str, Any]], nodes: Iterable[Any], maker: str | None, then: str, now: str
) -> list[tuple[str, Any]]:
    """Those of some tensors that can be what a Node had saved: what the Node that the error calls `maker` has made, of
    the graph whose backward failed, those that it made alone first; where the error names none, data, and leaves below
    a Node that finds its own changed."""
    if maker is not None:
        held = _holders(nodes, then, now)
        below = [(n, t, set(nodes_below(t.grad_fn))) for n, t in named]
        below = [(n, t, low) for n, t, low in below if not held or held & low]
        made = [(n, t) for n, t, low in below if any(class_name(k).startswith(maker) for k in low)]
        return [(n, t) for n, t in made if class_name(t.grad_fn).startswith(maker)] or made
    leaves = {id(getattr(k, "variable", None)) for node in _changed(nodes, then, now) for k in nodes_below(node)}
    return [(n, t) for n, t in named if not (leaves and t.is_leaf and t.requires_grad) or id(t) in leaves]


def viewed(nodes: Iterable[Any], makers: tuple[str, ...], then: str, now: str) -> set[int]:
    """The leaves of which a Node had saved another look, as a Linear saves its transposed weight: their ids. `makers`
    are how the names of the Nodes begin that give one."""
    found = set()
    for node in _changed(nodes, then, now):
        looks = [look for look, _ in node.next_functions if look is not None and class_name(look).startswith(makers)]
        found |= {
            id(below.variable) for look in looks for below, _ in look.next_functions if hasattr(below, "variable")
        }
    return found


def _holders(nodes: Iterable[Any], then: str, now: str) -> set[Any]:
    """The Nodes one of which has made what another finds changed: what is not computed from any of them is something
    else. None where that is not certain."""
    found = set()
    for node in _changed(nodes, then, now):
        targets = [target for target, _ in node.next_functions]
        if None in targets:
            return set()  # what it saved may have had no graph then
        found.update([node, *(target for target in targets if not hasattr(target, "variable"))])
    return found


def overwritten(nodes: Iterable[Any], maker: str | None, then: str, now: str) -> Any:
    """The Node that made what another finds changed; None if that cannot be told. `maker` is how its name begins."""
    for node in _changed(nodes, then, now) if maker is not None else ():
        around = [node, *(target for target, _ in node.next_functions if target is not None)]
        return next((n for n in around if class_name(n).startswith(maker or "")), None)
    return None


def made_of(node: Any, failed: Failure) -> Forward | None:
    """Where a Node was made, if its line is known."""
    spots = [step for step in note_of(node) if isinstance(step, Spot)]
    if not spots:
        return None
    file, line = spots[-1].code.co_filename, spots[-1].span[0]
    here = [f for f in functions_of(file) if f.lineno <= line <= (f.end_lineno or 0)]
    first, last = (here[-1].lineno, here[-1].end_lineno or 0) if here else (1, 10**9)
    cell = cell_number(file)
    names: set[str] = set()
    later = []
    for statement, where, _ in statements(failed.space):
        if where.cell != cell or (cell is None and where.file != file) or not first <= where.line <= last:
            continue
        if where.line > line:
            later.append((statement, where))
        elif line <= (statement.end_lineno or 0) and isinstance(statement, ast.Assign):
            names |= {n.id for target in statement.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    return Forward(line_of(file, line), frozenset(names), tuple(reversed(later)))
