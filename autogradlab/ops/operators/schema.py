"""Schemas of operators: how they are written, and how a call is read by them."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from ...core.tensor.tensor import Tensor
from ...core.types.device import device as Device
from ...core.types.dtypes import dtype as Dtype
from ...core.types.layouts import layout as Layout
from ...core.types.layouts import memory_format as MemoryFormat

__all__ = ["Argument", "Returned", "Schema"]

#: the default of an argument that has none
REQUIRED = object()


class AliasInfo(NamedTuple):
    """Which memory an argument or a result shares, by letter: of results "*" where they may be in any."""

    before_set: set[str]
    after_set: set[str]
    is_write: bool


class Argument(NamedTuple):
    """One argument of a schema. kind: its type, as `Tensor?[]`, without the mark of what is mutated."""

    kind: str
    name: str
    default: Any
    keyword: bool
    mutated: bool
    alias_info: AliasInfo | None

    @property
    def type(self) -> Type:
        """Its type in words."""
        return Type(_words(self.kind))

    @property
    def default_value(self) -> Any:
        """Its default; None where it has none."""
        return None if self.default is REQUIRED else self.default

    @property
    def kwarg_only(self) -> bool:
        """Whether it is always named."""
        return self.keyword

    def filled(self) -> Any:
        """What an operator gets where it is left out: a list where one number stands for all."""
        count = self.kind.rpartition("[")[2].rstrip("]?") if self.kind.endswith("]") else ""
        return [self.default] * int(count) if count and isinstance(self.default, int) else self.default

    def has_default_value(self) -> bool:
        """Whether it can be left out."""
        return self.default is not REQUIRED


class Type(str):
    """The name of a type, which prints without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Returned(NamedTuple):
    """One result of a schema, and its name if it has one."""

    type: Type
    name: str
    alias_info: AliasInfo | None


_WORDS = {
    "SymInt": "int",
    "int": "int",
    "Scalar": "number",
    "ScalarType": "int",
    "Layout": "int",
    "MemoryFormat": "int",
}
_CONSTANTS = {"None": None, "True": True, "False": False, "at::Reduction::Mean": 1, "contiguous_format": 0}


class Schema:
    """What an operator takes and returns."""

    def __init__(self, name: str, text: str, overload: str = "", numbers: bool = False) -> None:
        self.name, self.overload_name = name, overload
        #: whether Python's numbers may stand for tensors
        self.numbers = numbers
        taken, _, given = text.rpartition(") ->")
        inside = taken.strip().removeprefix("(")
        self.arguments: list[Argument] = []
        keyword = False
        for part in filter(None, _split(inside)):
            if part == "*":
                keyword = True
            else:
                self.arguments.append(_argument(part, keyword))
        self.returned = given.strip()
        inner = self.returned[1:-1] if self.returned.startswith("(") else self.returned
        self.returns = []
        for part in filter(None, _split(inner)):
            kind, _, name_of = re.sub(r"\([^)]*\)", "", part).partition(" ")
            self.returns.append(Returned(Type(_words(kind)), name_of, _aliases(part)))
        self._marks = dict(zip([a.name for a in self.arguments], filter("*".__ne__, _split(inside)), strict=False))

    def __str__(self) -> str:
        parts = []
        for i, a in enumerate(self.arguments):
            if a.keyword and (not i or not self.arguments[i - 1].keyword):
                parts.append("*")
            before, mark, _ = self._marks[a.name].partition("=")
            parts.append(before + mark + (_shown(a.default) if mark else ""))
        name = f"{self.name}.{self.overload_name}" if self.overload_name else self.name
        return f"{name}({', '.join(parts)}) -> {self.returned}"

    def __repr__(self) -> str:
        return str(self)

    @property
    def is_mutable(self) -> bool:
        """Whether it changes an argument."""
        return any(a.mutated for a in self.arguments)

    @property
    def functional(self) -> bool:
        """Whether an operator changes none of its arguments, and returns something."""
        return bool(self.returns) and not any(a.mutated for a in self.arguments)

    def read(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], undefined: bool = False
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call, converted, without trailing ones that are what they are by default. undefined:
        whether a Tensor that is None was given all the same."""
        left = dict(kwargs)
        values: list[Any] = []
        named: dict[str, Any] = {}
        count = sum(not a.keyword for a in self.arguments)
        total, most = len(args) + len(kwargs), len(self.arguments)
        if total > most:
            raise RuntimeError(
                f"{self.name}() expected at most {most} argument(s) but received {total} argument(s). "
                f"Declaration: {self}"
            )
        if len(args) > count:
            raise RuntimeError(
                f"{self.name}() takes {count} positional argument(s) but {len(args)} was/were given.  "
                f"Declaration: {self}"
            )
        for i, a in enumerate(self.arguments):
            if not a.keyword and i < len(args):
                value = self._converted(i, a, args[i])
            elif a.name in left:
                value = self._converted(i, a, left.pop(a.name))
            elif a.default is not REQUIRED:
                value = a.default
            else:
                raise RuntimeError(f"{self.name}() is missing value for argument '{a.name}'. Declaration: {self}")
            if not a.keyword:
                values.append(value)
            elif not _is_default(a, value, undefined):
                named[a.name] = value
        if left:
            name = next(iter(left))
            raise RuntimeError(f"Unknown keyword argument '{name}' for operator '{self.name}'. Schema: {self}")
        while values and _is_default(self.arguments[len(values) - 1], values[-1], undefined):
            values.pop()
        return tuple(values), named

    def whole(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with those that were left out."""
        rest = [a.filled() for a in self.arguments[len(args) :] if not a.keyword]
        return (*args, *rest), {a.name: kwargs.get(a.name, a.default) for a in self.arguments if a.keyword}

    def _converted(self, place: int, a: Argument, value: Any) -> Any:
        if self.numbers and a.kind == "Tensor" and isinstance(value, (int, float, complex)):
            return value
        try:
            return _convert(a.kind, value)
        except (TypeError, ValueError) as error:
            raise RuntimeError(
                f"{self.name}() Expected a value of type '{_words(a.kind)}' for argument '{a.name}' but instead found "
                f"type '{type(value).__name__}'.\nPosition: {place}\nValue: {value!r}\nDeclaration: {self}\n{error}"
            ) from None


def _split(text: str) -> list[str]:
    """What commas outside of brackets separate."""
    return [part.strip() for part in re.split(r",(?![^(\[{]*[)\]}])", text)]


def _argument(text: str, keyword: bool) -> Argument:
    declared, mark, default = text.partition("=")
    kind, _, name = declared.rpartition(" ")
    plain = re.sub(r"\([^)]*\)", "", kind)
    value = _default(plain, default) if mark else REQUIRED
    return Argument(plain, name, value, keyword, "!" in kind, _aliases(kind))


def _aliases(kind: str) -> AliasInfo | None:
    """What a type says of memory: `Tensor(a!)` that it is written to, `Tensor(a -> *)` that results may lie in it. Of
    lists PyTorch says it of their elements alone."""
    found = re.search(r"\(([^)]*)\)(.?)", kind)
    if found is None:
        return None
    if found[2] == "[":
        return AliasInfo(set(), set(), False)
    before, _, after = found[1].replace("!", "").partition(" -> ")
    return AliasInfo(set(before.split("|")), set((after or before).split("|")), "!" in found[1])


def _default(kind: str, text: str) -> Any:
    """The value of a default for an argument of a kind."""
    value = _constant(text)
    if kind == "float" and isinstance(value, int):
        return float(value)
    if kind.endswith("]") and isinstance(value, int):
        item, _, count = kind[:-1].rpartition("[")
        return [value] * int(count) if item == "SymInt" or count == "1" else value
    return [] if kind.endswith("]") and value is None else value


def _constant(text: str) -> Any:
    """The value that the text of a default means."""
    if text[:1] == "{":
        return [_constant(part) for part in text[1:-1].split(",") if part]
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[:1] in "\"'":
        return text[1:-1]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _shown(value: Any) -> str:
    """A default as PyTorch's own schemas print it."""
    if isinstance(value, float):
        return f"{int(value)}." if value.is_integer() else f"{value:.17g}" if abs(value) < 1e-4 else repr(value)
    return f'"{value}"' if isinstance(value, str) else str(value)


def _is_default(a: Argument, value: Any, undefined: bool = False) -> bool:
    if a.default is REQUIRED or isinstance(value, Tensor) or (undefined and value is None and a.kind == "Tensor?"):
        return False
    if type(value) is list and isinstance(a.default, int):  # one number stands for all
        return bool(value) and value.count(a.default) == len(value)
    return type(value) is type(a.default) and bool(value == a.default)


def _words(kind: str) -> str:
    """What messages call a type."""
    if kind.endswith("?"):
        return f"Optional[{_words(kind[:-1])}]"
    if kind.endswith("]"):
        return f"List[{_words(kind.rpartition('[')[0])}]"
    return _WORDS.get(kind, kind)


def _uncast(value: Any) -> TypeError:
    return TypeError(
        f"Cast error details: Unable to cast Python instance of type {type(value)} to C++ type '?' (#define "
        "PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)"
    )


def _convert(kind: str, value: Any) -> Any:
    """A value as an operator gets it for an argument of a kind."""
    if kind.endswith("?"):
        return None if value is None else _convert(kind[:-1], value)
    if kind.endswith("]"):
        item, _, count = kind[:-1].rpartition("[")
        single = count and isinstance(value, (int, float)) and not isinstance(value, bool)
        return _convert_list(item, [value] * int(count) if single else value)
    if kind == "Tensor":
        if value is None or isinstance(value, Tensor):
            return value
        raise TypeError(f"Cast error details: Unable to cast {value} to Tensor")
    if kind == "bool" and (value is None or hasattr(value, "__bool__")):  # as of numbers and tensors of one element
        try:
            return bool(value)
        except Exception:
            raise _uncast(value) from None
    if kind == "Scalar":
        if isinstance(value, (int, float, complex)):
            return value
        raise TypeError(f"Cast error details: Cannot cast {value} to number")
    if kind == "float" and isinstance(value, (int, float)):
        return float(value)
    if kind == "Device" and isinstance(value, (str, Device)):
        return Device(value)
    if kind in ("SymInt", "int"):
        try:
            return operator.index(value)
        except TypeError:
            raise _uncast(value) from None
    known: dict[str, tuple[type, ...]] = {
        "str": (str,),
        "ScalarType": (Dtype, int),
        "Layout": (Layout,),
        "MemoryFormat": (MemoryFormat,),
        "Generator": (object,),
    }
    if isinstance(value, known.get(kind, ())):
        return value
    raise _uncast(value)


def _convert_list(kind: str, value: Any) -> list[Any]:
    if kind == "Tensor":
        if isinstance(value, (list, tuple)) and all(isinstance(t, Tensor) for t in value):
            return list(value)
        raise _uncast(value)
    if not isinstance(value, Iterable):
        raise TypeError(f" Python error details: TypeError: '{type(value).__name__}' object is not iterable")
    return [_convert(kind, item) for item in value]
