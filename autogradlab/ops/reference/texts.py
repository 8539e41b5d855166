"""How the help of a name is put together: from the text of its declaration, its signatures and the op table.

The help text of an operation stands in its entry, or is its kernel's docstring::

    The first paragraph says what it does.

    Shapes: ...
    ~floats

    >>> torch.name(torch.ones(2))
    tensor([1., 1.])

    In place:
    >>> torch.ones(2).name_()
    tensor([1., 1.])

`~word` stands for a note (`notes.py`). A line `sig: (input, *, out=None)` says what is shown as signature where it is
not what the declaration says, `main: 2` that the second one comes first. ``python tools/renew.py`` writes the results
of the examples; a test runs every one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from inspect import cleandoc

from ...core.arguments.declared import ALIASES, DECLARED
from ..table.families import FUNCTIONS, load_all
from ..table.signatures import lines
from .notes import NOTES

__all__ = ["WIDTH", "Entry", "base", "canonical", "entries", "find"]

WIDTH = 96


class Entry:
    """What a declaration says of one name."""

    __slots__ = ("example", "main", "names", "result", "signatures", "text")

    def __init__(
        self,
        names: list[str],
        result: str,
        signatures: list[str],
        main: int,
        text: str,
        example: str,
    ) -> None:
        self.names = names
        self.result = result
        self.signatures = signatures
        #: the number of the overload that comes first in the help
        self.main = main
        self.text = text
        self.example = example

    @property
    def path(self) -> str:
        return self.names[0]


_START = re.compile(r"~|sig:|main:|(Shapes|Dtypes|Errors|Result|Note): ")


def written(text: str) -> tuple[list[str], int, str, str]:
    """What the help text of a declaration says: signatures to show, which of its own comes first, the words, the
    example."""
    prose, arrow, example = cleandoc(text).partition(">>> ")
    signatures, main, lines = [], 0, [""]
    for line in prose.strip().split("\n"):
        if line.startswith("sig:"):
            signatures.append(line.removeprefix("sig:").strip())
        elif line.startswith("main:"):
            main = int(line.removeprefix("main:"))
        elif not line or not lines[-1] or _START.match(line):
            lines.append(NOTES[line[1:]] if line.startswith("~") else line)
        else:
            lines[-1] += " " + line
    return signatures, main, "\n".join(lines).strip(), (arrow + example).strip()


def _declared() -> Iterator[Entry]:
    """The entries of operations and their in-place forms, from their declarations."""
    load_all()
    others: dict[str, list[str]] = {}
    for alias, of in ALIASES.items():
        others.setdefault(of, []).append(alias)
    for name, declaration in DECLARED.items():
        if name.startswith("_") or declaration.text.lstrip().startswith(
            "nn."
        ):  # functions of nn.functional have docstrings
            continue
        own, _, in_place = declaration.help.partition("In place:\n")
        if own and not own.lstrip().startswith("Another name of "):
            given = dict.fromkeys(line.result for line in lines(declaration.text))
            result = " | ".join(map(plain_result, given))
            names = [_place(n) for n in (name, *others.get(name, ()))]
            yield Entry(names, "" if result == "Tensor" else result, *written(own))
        if in_place:
            yield Entry([_place(name + "_")], "", *written(in_place))


def plain_result(text: str) -> str:
    """A result of PyTorch's notation in Python's: ``(Tensor values, Tensor indices)`` is ``(values, indices)``."""
    named = re.fullmatch(r"\((Tensor \w+(?:, Tensor \w+)*)\)", text)
    if named:
        return "(" + named[1].replace("Tensor ", "") + ")"
    if text.startswith("("):
        return f"tuple[{text[1:-1]}]"
    return text.replace("Tensor[]", "tuple[Tensor, ...]")


def _place(name: str) -> str:
    """Where users find a published name: in the namespace itself, in one below it, or on Tensor."""
    for space in ("linalg", "special", "fft"):
        if name.startswith(space + "_"):
            return f"{space}.{name[len(space) + 1 :]}"
    return name if name in FUNCTIONS else f"Tensor.{name}"


@cache
def entries() -> dict[str, Entry]:
    """All entries by the paths of their names."""
    return {name: entry for entry in _declared() for name in entry.names}


def canonical(path: str) -> str:
    """Where users find what is published under a plain name: in the namespace itself, on Tensor, in linalg, ..."""
    if "." in path:
        return path
    for space in ("linalg", "special", "fft"):
        if path.startswith(space + "_"):
            return f"{space}.{path[len(space) + 1 :]}"
    return path if path in FUNCTIONS or path in entries() else f"Tensor.{path}"


def find(path: str) -> Entry | None:
    """The entry of a name, or of the name in the main namespace that does the same."""
    table = entries()
    space, _, name = path.rpartition(".")
    if path in table:
        return table[path]
    if space == "Tensor":
        return table.get(name)
    if not space:
        return table.get(f"Tensor.{name}") or table.get(f"nn.functional.{name}")
    if space in ("nn.functional", "special", "linalg"):
        return table.get(name)
    return None


def base(path: str) -> Entry | None:
    """The entry of the operation of which `path` is the in-place form."""
    name = path.rpartition(".")[2]
    return find(path[:-1]) if name.endswith("_") and not name.startswith("_") else None
