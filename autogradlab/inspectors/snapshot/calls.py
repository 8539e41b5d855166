"""What the user wrote between the brackets of the call that runs: `lab.show(y[0])` is about "y[0]"."""

from __future__ import annotations

import ast
import linecache
import sys
from functools import lru_cache

from .failing import parsed

__all__ = ["arguments", "bracketed", "elements", "keywords"]


def arguments(depth: int = 1) -> tuple[str, ...]:
    """The source of each positional argument of the call that the function which asks is running in; () if unknown.

    As with `namespace`, depth 1 is the caller of the function that calls this.
    """
    return _call(depth + 1)[0]


def keywords(depth: int = 1) -> dict[str, str]:
    """The source of each argument of that call which was given by its name."""
    return _call(depth + 1)[1]


def _call(depth: int) -> tuple[tuple[str, ...], dict[str, str]]:
    try:
        frame = sys._getframe(depth + 1)
    except ValueError:
        return (), {}
    file, last = frame.f_code.co_filename, frame.f_lasti // 2
    spans = list(frame.f_code.co_positions())
    if not 0 <= last < len(spans) or None in spans[last]:
        return (), {}
    return _arguments("".join(linecache.getlines(file, frame.f_globals)), spans[last])


def elements(written: str) -> tuple[str, ...]:
    """The expressions in a list or tuple as it was written: "w * 2" and "b" of "[w * 2, b]"; () of anything else."""
    made = _expression(written)
    if not isinstance(made, (ast.List, ast.Tuple)) or any(isinstance(one, ast.Starred) for one in made.elts):
        return ()
    return tuple(" ".join((ast.get_source_segment(written, one) or "").split()) for one in made.elts)


def bracketed(written: str) -> str:
    """An expression as it stands in front of `.grad`: "(w * 2)", but "w" and "f(w)"."""
    whole = isinstance(_expression(written), (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
    return written if whole else f"({written})"


def _expression(written: str) -> ast.expr | None:
    made = parsed(written)
    first = made.body[0] if made is not None and made.body else None
    return first.value if isinstance(first, ast.Expr) else None


@lru_cache(maxsize=64)
def _arguments(source: str, span: tuple[int, int, int, int]) -> tuple[tuple[str, ...], dict[str, str]]:
    first, end, start, stop = span
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return (), {}

    def text(value: ast.expr) -> str:
        return " ".join((ast.get_source_segment(source, value) or "").split())

    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) == (
            first,
            end,
            start,
            stop,
        ):
            named = {one.arg: text(one.value) for one in node.keywords if one.arg is not None}
            starred = any(isinstance(argument, ast.Starred) for argument in node.args)
            return () if starred else tuple(map(text, node.args)), named
    return (), {}
