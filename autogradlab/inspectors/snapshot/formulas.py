"""Where a Node's formula stands in the op table, and its text: what "read the formula" opens."""

from __future__ import annotations

import ast
import inspect
import linecache
import tokenize
from functools import lru_cache
from pathlib import Path

__all__ = ["formula_at"]

_PACKAGE = Path(__file__).resolve().parents[2]

#: lines that the lambda of an entry can take
LONGEST = 30


@lru_cache(maxsize=512)
def formula_at(file: str, line: int) -> tuple[str, str]:
    """The file as one says it ("autogradlab/ops/first/products.py"), and the function or lambda that begins at a
    line of it."""
    path = Path(file)
    place = path.relative_to(_PACKAGE.parent) if path.is_relative_to(_PACKAGE) else Path(path.name)
    lines = linecache.getlines(file)[line - 1 :]
    decorated = bool(lines) and lines[0].startswith("@")
    return place.as_posix(), (not decorated and _lambda(lines[:LONGEST])) or _function(lines)


def _lambda(lines: list[str]) -> str:
    """The lambda that the first of these lines begins, without what stands around it."""
    first = lines[0].find("lambda ") if lines else -1
    words: list[str] = []
    depth, inside = 0, False
    text = iter([lines[0][first:], *lines[1:]] if first >= 0 else [])
    try:
        for token in tokenize.generate_tokens(lambda: next(text)):
            closes = token.string in (")", "]", "}")
            if depth == 0 and (closes or (inside and token.string == ",")):
                return ast.unparse(ast.parse(" ".join(words), mode="eval"))
            depth += (token.string in ("(", "[", "{")) - closes
            inside |= depth == 0 and token.string == ":"
            if token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT):
                words.append(token.string)
    except (tokenize.TokenError, IndentationError, StopIteration):
        pass
    return ""


def _function(lines: list[str]) -> str:
    """The function that begins here, without what decorates it."""
    begins = next((i for i, line in enumerate(lines) if line.lstrip().startswith("def ")), len(lines))
    return inspect.cleandoc("".join(inspect.getblock(lines[begins:]))) if begins < len(lines) else ""
