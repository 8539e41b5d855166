"""Signatures looked up: what is declared of a function or a method, read and held against a call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...core.arguments.declared import ALIASES, DECLARED, PLAIN, UNNAMED
from ...core.arguments.mismatch import types
from ...core.arguments.signature import Signatures, method_text
from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from .families import FUNCTIONS, operation

__all__ = ["Line", "explain", "lines", "lookup", "names", "source_of", "space_of"]

_LINE = r"(?:nn\.)?(?P<signature>.*?)(?: -> (?P<result>.*?))?(?P<marks>(?:\|\.?\w+)*)"
_found: dict[tuple[str, str], Signatures] = {}


class Line:
    """One line of a declaration, taken apart."""

    __slots__ = ("marks", "result", "signature")

    def __init__(self, signature: str, result: str, marks: str) -> None:
        self.signature = signature
        self.result = result
        self.marks = marks


def lines(text: str, everywhere: bool = False) -> list[Line]:
    """The lines of a declaration, one for each overload. everywhere: also of those that only torch.ops has."""
    whole: list[str] = []
    written = text.strip("\n").split("\n")
    margin = len(written[0]) - len(written[0].lstrip())
    for line in written:
        if line[: margin + 1].strip():
            whole.append(line.strip())
        elif line.strip():
            whole[-1] += " " + line.strip()
    found = []
    for line in whole:
        match = re.fullmatch(_LINE, line)
        assert match is not None, line
        if everywhere or "|aten" not in match["marks"]:
            found.append(Line(match["signature"], match["result"] or "", match["marks"]))
    return found


def space_of(name: str) -> str:
    """The namespace of PyTorch in which a declared function is, or an operation of the table."""
    for space in ("linalg", "special", "fft"):
        if name.startswith(space + "_"):
            return space
    found = DECLARED.get(source_of(name)[0])
    return "nn" if found is not None and found.text.lstrip().startswith("nn.") else "torch"


def source_of(name: str) -> tuple[str, bool]:
    """The name whose declaration has the signatures of `name`, and whether they are those of its in-place form."""
    for known, in_place in ((name, False), (name[:-1], True)) if name.endswith("_") else ((name, False),):
        if known in DECLARED:
            return known, in_place
    if name in ALIASES:
        return source_of(ALIASES[name])
    return (ALIASES.get(name[:-1], ""), True) if name.endswith("_") else ("", False)


def _overloads(name: str, space: str) -> list[str]:
    """The overloads of a function, or of a method (`space` "Tensor"), as `Signature.parse` reads them."""
    of, in_place = source_of(name)
    if of not in DECLARED:
        return []
    text, method = DECLARED[of].text, space == "Tensor"
    if method:
        if not hasattr(Tensor, name):
            return []
    elif space != space_of(name) or (space == "torch" and name not in FUNCTIONS and name not in PLAIN):
        return []
    made = []
    for line in lines(text):
        if "(" not in line.signature or ("|function" if method else "|method") in line.marks:
            continue
        signature: str | None = name + line.signature[line.signature.index("(") :]
        if method or in_place:
            signature = method_text(str(signature), keep_input=not method)
        if signature:
            made.append(signature + line.marks.replace("|function", "").replace("|method", ""))
    if method and len(made) == 1 and made[0].partition("|")[0].endswith("()"):
        made[0] += "|noargs"  # a C function that takes nothing, with Python's own errors
    return made


def lookup(name: str, space: str = "torch") -> Signatures | None:
    """The signatures of a function (`space` torch, nn, linalg, special or fft) or, with "Tensor", of a method.

    None where none are declared. What declares them is loaded. Functions of linalg, special and fft have torch's
    internal names.

    >>> import autogradlab
    >>> lookup("relu").bind((3,), {})
    Traceback (most recent call last):
    TypeError: relu(): argument 'input' (position 1) must be Tensor, not int
    """
    found = _loaded(name, space)
    if found is None and name not in DECLARED:
        try:
            if name in TENSORS.__dict__:
                operation(name)
            elif types.find is not None:
                types.find(name)
        except AttributeError:
            return None
        found = _loaded(name, space)
    return found


def _loaded(name: str, space: str) -> Signatures | None:
    """The same for what is loaded."""
    if name in UNNAMED:
        name = ALIASES[name]
    found = _found.get((name, space))
    if found is None:
        texts = _overloads(name, space)
        if texts:
            found = _found[name, space] = Signatures(name, *texts)
    return found


def names(space: str = "torch") -> list[str]:
    """All names of a namespace that have declared signatures and are loaded, sorted."""
    known = dir(Tensor) if space == "Tensor" else {*DECLARED, *ALIASES, *FUNCTIONS}
    return sorted(name for name in known if _overloads(name, space))


def explain(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], space: str | None = None) -> None:
    """Raises torch's TypeError for this call if torch's argument rules refuse it; otherwise returns.

    Without `space` the name is looked for among the functions, then among the methods, whose first argument is then
    taken for the tensor itself. Nothing happens for an unknown name, or before the core has set ``types.tensor``.

    >>> explain("a name that nothing has", (3,), {})
    """
    if not types.tensor:
        return
    for where in ("torch", "nn", "linalg", "special", "fft", "Tensor") if space is None else (space,):
        signatures = _loaded(name, where)
        if signatures is not None:
            signatures.bind(args[1:] if where == "Tensor" and space is None else args, kwargs)
            return
