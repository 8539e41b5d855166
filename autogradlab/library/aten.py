"""`torch.ops.aten`: the operations of the library as PyTorch's operators, made from what is declared of them.

A line of a declaration is PyTorch's schema in the words of Python's signatures: it calls the first tensor "input", and
has the overload with out= in it. Its marks tell the names of both overloads (`core/arguments/declared.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from inspect import signature
from typing import Any

from ..core.arguments.declared import ALIASES, DECLARED
from ..core.recording.record import TENSORS
from ..core.runtime.modes import LOCAL
from ..core.tensor.tensor import Tensor
from ..nn import functional, namespace
from ..ops.operators.overloads import OpOverload, OpOverloadPacket
from ..ops.operators.schema import Schema
from ..ops.table.families import FUNCTIONS, OPS, operation
from ..ops.table.signatures import Line, lines

__all__ = ["find"]

_OPTIONS = "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"


class AtenOverload(OpOverload):
    """An overload that calls the function, or the method, of that name."""

    __module__ = "torch._ops"

    def __init__(
        self,
        name: str,
        schema: Schema,
        called: Callable[..., Any],
        takes: dict[str, str],
        by_name: bool = False,
        all_by_name: bool = False,
    ) -> None:
        super().__init__("aten", name, schema)
        #: what is called, and how it calls the arguments of the schema; "out" are collected to one tuple
        self._called, self._takes, self._by_name = called, takes, by_name
        self._first = 0 if all_by_name else 1
        #: whether the function takes no defaults: it is an entry that is no function of any namespace
        self._complete = called is not None and name in OPS and called is TENSORS.__dict__.get(name)

        #: what a function reads as none where an operator takes the mean: the place and name of a reduction
        self._mean = next(
            ((i, takes[a.name]) for i, a in enumerate(schema.arguments) if a.name == "reduction" and a.default == 1),
            None,
        )

    def decompose(self, *args: Any, **kwargs: Any) -> Any:
        return NotImplemented if self._opname in OPS else self(*args, **kwargs)

    def _run(self, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        if self._complete:
            args, named = self._schema.whole(args, named)
        given = list(args)
        call: dict[str, Any] = {}
        if self._mean is not None and len(args) <= self._mean[0]:
            call[self._mean[1]] = 1
        if self._by_name or not self._first:  # what follows the first argument, taken under its name alone
            rest = zip(self._schema.arguments[self._first :], given[self._first :], strict=False)
            call |= {self._takes[a.name]: value for a, value in rest}
            given = given[: self._first]
        outs = []
        for name, value in named.items():
            to = self._takes[name]
            if to == "out":
                outs.append(value)
            else:
                call[to] = value
        if outs:
            call["out"] = outs[0] if len(outs) == 1 else tuple(outs)
        state = LOCAL.state
        told, state.told = state.told, True
        try:
            found = self._called(*given, **call)
        finally:
            state.told = told
        if isinstance(found, tuple):
            return list(found) if self._schema.returned.endswith("[]") else tuple(found)
        return found


def _function(name: str, line: Line, names: set[str]) -> Any:
    """What is called for a line with arguments of these names; None where nothing takes them."""
    if "|method" not in line.marks:
        if name in FUNCTIONS:
            return FUNCTIONS[name]
        if name in namespace.NAMES:
            return namespace.find(name)
        if hasattr(Tensor, name):
            return getattr(Tensor, name)
        if (entry := OPS.get(name)) is not None:
            return operation(name) if names <= set(entry.names) else None
        layer = getattr(functional, name, None)
        if layer is not None and "reduction" not in names and names <= set(signature(layer).parameters):
            return layer
    return getattr(Tensor, name, None)


def _parameters(signature: str) -> list[str]:
    inside = signature[signature.index("(") + 1 :].rpartition(")")[0]
    return [part.strip() for part in re.split(r",(?![^(\[{]*[)\]}])", inside) if part.strip()]


def _spelled(line: Line) -> tuple[list[str], list[str], bool]:
    """The parameters of a line without out=, what the function calls each of them, and whether there was an out=."""
    kept: list[str] = []
    has_out = False
    options = "$options" in line.signature
    for part in _parameters(line.signature):
        if part.startswith("Tensor") and part.partition("=")[0].endswith(" out"):
            has_out = True
        elif part == "$options":
            place = next((i for i, p in enumerate(kept) if p.startswith("MemoryFormat")), len(kept))
            kept[place:place] = _OPTIONS.split(", ")
        elif not (options and part.startswith("bool requires_grad")):
            kept.append(part)
    kept = _without_star(kept)
    names = [_name(part) for part in kept]
    if "|input" not in line.marks:
        kept = [re.sub(r"^(\S+) input\b", r"\1 self", part) for part in kept]
    return kept, names, has_out


def _without_star(parts: list[str]) -> list[str]:
    """Parameters without a star that nothing follows."""
    return parts[:-1] if parts[-1:] == ["*"] else parts


def _name(part: str) -> str:
    return part.partition("=")[0].rpartition(" ")[2]


def _of_line(name: str, line: Line, in_place: bool) -> Iterator[AtenOverload]:
    """The overload of a line, and that with out=."""
    marks = re.findall(r"\|\.(\w+)", line.marks)
    own = re.findall(r"\|_(\w+)", line.marks) if in_place else []
    overload = next((mark for mark in own + marks), "").removesuffix("default")
    kept, names, has_out = _spelled(line)
    called = getattr(Tensor, name, None) if in_place else _function(name, line, {*names} - {"*"})
    if called is None or (in_place and ("|function" in line.marks or names[0] != "input")):
        return
    takes = {_name(part): own for part, own in zip(kept, names, strict=True)}
    made = partial(AtenOverload, name, called=called, takes=takes, by_name="|aten" in line.marks)
    returned = _returned(line.result, kept)
    if in_place or name.endswith("_"):
        kept[0] = re.sub(r"^Tensor ", "Tensor(a!) ", kept[0])
        yield made(_schema(name, kept, "Tensor(a!)", overload, line))
        return
    entry = OPS.get(name)
    if "|view" in line.marks or (entry is not None and entry.view):
        alias = "(a -> *)" if returned.endswith("[]") else "(a)"
        kept[0], returned = kept[0].replace("Tensor", "Tensor" + alias, 1), returned.replace("Tensor", "Tensor(a)", 1)
    yield made(_schema(name, kept, returned, overload, line))
    if has_out:
        takes.update(dict.fromkeys(_outs(line), "out"))
        overload = marks[1] if len(marks) > 1 else f"{overload}_out" if overload else "out"
        yield made(_with_out(name, line, kept, overload))


def _inner(entry: Any) -> AtenOverload:
    """The overload of an entry that has no signatures of its own."""
    told = entry.operator
    schema = Schema(f"aten::{entry.name}", told.schema, told.overload)
    takes = {a.name: told.names.get(a.name, "input" if a.name == "self" else a.name) for a in schema.arguments}
    takes |= {name: name for name in told.more}
    function = told.function or operation(entry.name)

    def called(**given: Any) -> Any:
        for a in schema.arguments:
            given.setdefault(takes[a.name], a.filled())
        lost = {n: v(given) if callable(v) else v for n, v in told.lost.items()}
        for name in told.more:
            if name not in entry.names:
                given.pop(name, None)
        found = function(**given, **lost)
        mask = given.get("output_mask")
        return found if mask is None else tuple([r if wanted else None for r, wanted in zip(found, mask, strict=True)])

    return AtenOverload(entry.name, schema, called, takes, all_by_name=True)


def _schema(name: str, kept: list[str], returned: str, overload: str, line: Line) -> Schema:
    text = f"({', '.join(kept)}) -> {returned}"
    return Schema(f"aten::{name}", text, overload, "|numbers" in line.marks)


def _returned(result: str, kept: list[str]) -> str:
    """What a schema says for what a line gives: where that may be one thing or a list, a list for a list."""
    if " | " in result:
        one, _, many = result.partition(" | ")
        return many if kept[0].startswith("Tensor[]") else one
    return re.sub(r"tuple\[Tensor, ...\]|\(Tensor, ...\)", "Tensor[]", result) or "()"


def _results(line: Line) -> list[str]:
    """The names of what a line gives; empty where it has none."""
    return [part.strip().partition(" ")[2] for part in line.result.strip("()").split(",")]


def _outs(line: Line) -> list[str]:
    """What a schema calls the tensors to which the results go."""
    results = _results(line)
    return [out or f"out{i}" for i, out in enumerate(results)] if len(results) > 1 else ["out"]


def _with_out(name: str, line: Line, kept: list[str], overload: str) -> Schema:
    outs = _outs(line)
    if "$options" in line.signature:  # which the memory has already
        kept = _without_star([part for part in kept if part not in _OPTIONS.split(", ")])
    marks = [f"Tensor({chr(97 + i)}!)" for i in range(len(outs))]
    kept = [*(kept if "*" in kept else [*kept, "*"]), *map(" ".join, zip(marks, outs, strict=True))]
    returned = marks[0]
    if len(marks) > 1:
        returned = f"({', '.join(f'{m} {r}'.strip() for m, r in zip(marks, _results(line), strict=True))})"
    return _schema(name, kept, returned, overload, line)


@cache
def find(name: str) -> OpOverloadPacket | None:
    """The operator of that name; None where nothing is declared of it."""
    _load(name)
    source, in_place = name, False
    if name not in DECLARED and name.endswith("_"):
        source, in_place = name[:-1], True
        _load(source)
    alias = source not in DECLARED and ALIASES.get(source)
    if alias:
        source = alias
        _load(source)
    if source not in DECLARED or name.startswith("_foreach_"):
        entry = None if name.startswith("_foreach_") else OPS.get(name)
        return (
            None
            if entry is None or entry.operator is None or not entry.operator.schema
            else OpOverloadPacket([_inner(entry)])
        )
    text = DECLARED[source].text
    if alias and "|." in text:  # whose overloads have other names
        return None
    found = [
        one
        for line in lines(text, everywhere=True)
        if "(" in line.signature and not re.search(r"\|(deprecated|python)\b", line.marks)
        for one in _of_line(name, line, in_place)
    ]
    entry = OPS.get(name)
    if entry is not None and entry.operator is not None and entry.operator.schema:
        found.append(_inner(entry))
    found.sort(key=lambda one: "out" in one._takes.values())  # those with out= come last
    return OpOverloadPacket(found) if found else None


def _load(name: str) -> None:
    """Load what declares an operation."""
    if name not in DECLARED:
        if name in TENSORS.__dict__:
            operation(name)
