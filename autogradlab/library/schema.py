"""Schemas of operators: how they are written, inferred from annotations, and how a call is read by them."""

from __future__ import annotations

import collections.abc
import inspect
import re
import typing
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, NoReturn

from ..core.tensor.tensor import Tensor
from ..core.types.device import device as Device
from ..core.types.dtypes import dtype as Dtype

__all__ = ["Argument", "Schema", "infer_schema"]

#: the default of an argument that has none
REQUIRED = object()
_NUMBER: Any = int | float | bool
#: of torch.distributed, which is not here: a parameter may be annotated with it
GroupName = typing.NewType("GroupName", str)
GroupName.__module__ = "torch.distributed.distributed_c10d"


def _parameter_types() -> dict[Any, str]:
    """What a parameter may be annotated with, and what a schema says for it."""
    found: dict[Any, str] = {}
    sequences: tuple[Any, ...] = (typing.Sequence, typing.List, collections.abc.Sequence, list)  # noqa: UP006
    kinds: tuple[tuple[Any, str, str], ...] = (
        (Tensor, "Tensor", "of optional"),
        (int, "SymInt", "optional of"),
        (float, "float", "optional of"),
        (bool, "bool", "optional of"),
        (str, "str", ""),
        (_NUMBER, "Scalar", "of"),
        (Dtype, "ScalarType", ""),
        (Device, "Device", ""),
        (GroupName, "str", ""),
    )
    for kind, name, lists in kinds:
        found[kind] = name
        found[typing.Optional[kind]] = name + "?"  # noqa: UP045
        if lists:
            found.update({s[kind]: name + "[]" for s in sequences})
        if lists == "of optional":
            found.update({s[typing.Optional[kind]]: name + "?[]" for s in sequences})  # noqa: UP045
        if lists == "optional of":
            found.update({typing.Optional[s[kind]]: name + "[]?" for s in sequences})  # noqa: UP045
    return found


_PARAMETERS = _parameter_types()
_RETURNS: dict[Any, str] = {
    Tensor: "Tensor",
    typing.List[Tensor]: "Tensor[]",  # noqa: UP006
    list[Tensor]: "Tensor[]",
    int: "SymInt",
    float: "float",
    bool: "bool",
    _NUMBER: "Scalar",
}


def infer_schema(prototype_function: Callable[..., Any], /, *, mutates_args: Any, op_name: str | None = None) -> str:
    """The schema that the annotations of a function say.

    Errors: ValueError for parameters without annotation, or annotated with types that no schema knows.

    Example:
        >>> import autogradlab as torch
        >>> def scaled(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
        ...     return x * factor
        >>> torch.library.infer_schema(scaled, mutates_args=())
        '(Tensor x, float factor=2.0) -> Tensor'

    Mirrors `torch.library.infer_schema`.
    """
    signature = inspect.signature(prototype_function)

    def refuse(what: str) -> NoReturn:
        raise ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    def meant(annotation: Any) -> Any:
        if not isinstance(annotation, str):
            return annotation
        try:
            return eval(annotation, getattr(prototype_function, "__globals__", {}))
        except Exception as error:
            refuse(
                f"Unsupported type annotation {annotation}. It is not a type. ({type(error).__name__}: {error})"
                if not isinstance(error, NameError)
                else f"Unsupported type annotation {annotation}. It is not a type. ({error}). If you are using 'from "
                "__future__ import annotations', note that annotations are evaluated lazily as strings; make sure all "
                "types referenced in annotations are importable at module scope, not only inside a local function."
            )

    parts: list[str] = []
    starred = False
    seen: set[str] = set()
    for i, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            refuse("We do not support positional-only args, varargs, or varkwargs.")
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        if parameter.annotation is parameter.empty:
            refuse(f"Parameter {name} must have a type annotation.")
        kind = _parameter(name, meant(parameter.annotation), parameter.annotation, refuse)
        if isinstance(mutates_args, str) and mutates_args != "unknown":
            raise ValueError(
                "mutates_args must either be a sequence of the names of the arguments that are mutated or the string "
                "'unknown'. "
            )
        if (mutates_args == "unknown" and kind.startswith("Tensor")) or (
            mutates_args != "unknown" and name in mutates_args
        ):
            if not kind.startswith("Tensor"):
                refuse(f"Parameter {name} is in mutable_args but only Tensors or collections of Tensors can be mutated")
            kind = f"Tensor(a{i}!){kind.removeprefix('Tensor')}"
        seen.add(name)
        parts.append(f"{kind} {name}" + _default_text(name, parameter.default, refuse))
    missing = set() if mutates_args == "unknown" else set(mutates_args) - seen
    if missing:
        refuse(
            f"{missing} in mutates_args were not found in the custom op's signature. mutates_args should contain the "
            "names of all args that the custom op mutates, or just the string 'unknown' if you don't know."
        )
    if signature.return_annotation is signature.empty:
        refuse("No return type annotation was provided. Please add one.")
    returned = _returned(meant(signature.return_annotation), refuse)
    return f"{op_name or ''}({', '.join(parts)}) -> {returned}"


def _parameter(name: str, annotation: Any, written: Any, refuse: Callable[[str], NoReturn]) -> str:
    """What a schema says for the annotation of a parameter, `written` as a string or not."""
    try:
        return _PARAMETERS[annotation]
    except (KeyError, TypeError):
        pass
    if typing.get_origin(annotation) is tuple:
        inner = typing.get_args(annotation)
        alike = len(set(inner)) == 1 or (len(set(inner)) == 2 and inner[-1] is Ellipsis)
        example = f"For example, {list[inner[0]]}.\n\n" if inner and alike else ""  # type: ignore[valid-type]
        refuse(
            f"Parameter {name} has unsupported type {written}. We do not support Tuple inputs in schema. As a "
            f"workaround, please try to use List instead. {example}The valid types are: {_PARAMETERS.keys()}."
        )
    refuse(f"Parameter {name} has unsupported type {written}. The valid types are: {_PARAMETERS.keys()}.")


def _default_text(name: str, default: Any, refuse: Callable[[str], NoReturn]) -> str:
    if default is inspect.Parameter.empty:
        return ""
    if default is None or isinstance(default, (int, float, bool)):
        return f"={default}"
    if isinstance(default, str):
        return f'="{default}"'
    if isinstance(default, Dtype):
        return "=" + str(default).removeprefix("torch.")
    refuse(
        f"Parameter {name} has an unsupported default value type {type(default)}. Please file an issue on GitHub so we "
        "can prioritize this."
    )


def _returned(annotation: Any, refuse: Callable[[str], NoReturn]) -> str:
    """What a schema says for the annotation of what is returned."""
    if annotation is None:
        return "()"
    parts = typing.get_args(annotation) if typing.get_origin(annotation) is tuple else (annotation,)
    if not all(part in _RETURNS for part in parts):
        refuse(f"Return has unsupported type {annotation}. The valid types are: {_RETURNS}.")
    texts = [_RETURNS[part] for part in parts]
    return texts[0] if parts == (annotation,) else f"({', '.join(texts)})"


class Argument(NamedTuple):
    """One argument of a schema. kind: its type, as `Tensor?[]`, without the mark of what is mutated."""

    kind: str
    name: str
    default: Any
    keyword: bool
    mutated: bool


_WORDS = {"SymInt": "int", "int": "int", "Scalar": "number", "ScalarType": "int"}
_CONSTANTS = {"None": None, "True": True, "False": False}


class Schema:
    """What an operator takes and returns."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        taken, _, given = text.partition("->")
        inside = taken.strip().removeprefix("(").rpartition(")")[0]
        self.arguments: list[Argument] = []
        keyword = False
        for part in filter(None, _split(inside)):
            if part == "*":
                keyword = True
            else:
                self.arguments.append(_argument(part, keyword))
        self.returned = given.strip()
        inner = self.returned[1:-1] if self.returned.startswith("(") else self.returned
        self.returns = [part for part in _split(inner) if part]
        self._marks = dict(zip([a.name for a in self.arguments], filter("*".__ne__, _split(inside)), strict=False))

    def __str__(self) -> str:
        parts = []
        for i, a in enumerate(self.arguments):
            if a.keyword and (not i or not self.arguments[i - 1].keyword):
                parts.append("*")
            before, mark, _ = self._marks[a.name].partition("=")
            parts.append(before + mark + (_shown(a.default) if mark else ""))
        return f"{self.name}({', '.join(parts)}) -> {self.returned}"

    @property
    def functional(self) -> bool:
        """Whether an operator changes none of its arguments, and returns something."""
        return bool(self.returns) and not any(a.mutated for a in self.arguments)

    def read(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call, converted, without trailing ones that are what they are by default."""
        left = dict(kwargs)
        values: list[Any] = []
        named: dict[str, Any] = {}
        count = sum(not a.keyword for a in self.arguments)
        if len(args) > count:
            raise RuntimeError(
                f"{self.name}() expected at most {count} argument(s) but received {len(args)} argument(s). "
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
            elif not _is_default(a, value):
                named[a.name] = value
        if left:
            name = next(iter(left))
            raise RuntimeError(f"Unknown keyword argument '{name}' for operator '{self.name}'. Schema: {self}")
        while values and _is_default(self.arguments[len(values) - 1], values[-1]):
            values.pop()
        return tuple(values), named

    def whole(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with those that were left out."""
        rest = [a.default for a in self.arguments[len(args) :] if not a.keyword]
        return (*args, *rest), {a.name: kwargs.get(a.name, a.default) for a in self.arguments if a.keyword}

    def _converted(self, place: int, a: Argument, value: Any) -> Any:
        try:
            return _convert(a.kind, value)
        except (TypeError, ValueError) as error:
            raise RuntimeError(
                f"{self.name}() Expected a value of type '{_words(a.kind)}' for argument '{a.name}' but instead found "
                f"type '{type(value).__name__}'.\nPosition: {place}\nValue: {value!r}\nDeclaration: {self}\n{error}"
            ) from None


def _split(text: str) -> list[str]:
    """What commas outside of brackets separate."""
    return [part.strip() for part in re.split(r",(?![^(\[]*[)\]])", text)]


def _argument(text: str, keyword: bool) -> Argument:
    declared, mark, default = text.partition("=")
    kind, _, name = declared.rpartition(" ")
    plain = re.sub(r"\([^)]*\)", "", kind)
    return Argument(plain, name, _constant(default) if mark else REQUIRED, keyword, "!" in kind)


def _constant(text: str) -> Any:
    """The value that the text of a default means."""
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


def _is_default(a: Argument, value: Any) -> bool:
    if a.default is REQUIRED or isinstance(value, Tensor):
        return False
    return type(value) is type(a.default) and bool(value == a.default)


def _words(kind: str) -> str:
    """What messages call a type."""
    if kind.endswith("?"):
        return f"Optional[{_words(kind[:-1])}]"
    if kind.endswith("[]"):
        return f"List[{_words(kind[:-2])}]"
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
    if kind.endswith("[]"):
        return _convert_list(kind[:-2], value)
    if kind == "Tensor":
        if value is None or isinstance(value, Tensor):
            return value
        raise TypeError(f"Cast error details: Unable to cast {value} to Tensor")
    if kind == "bool" and (value is None or isinstance(value, int)):
        return bool(value)
    if kind == "Scalar":
        if isinstance(value, (int, float, complex)):
            return value
        raise TypeError(f"Cast error details: Cannot cast {value} to number")
    if kind == "float" and isinstance(value, (int, float)):
        return float(value)
    if kind == "Device" and isinstance(value, (str, Device)):
        return Device(value)
    if kind in ("SymInt", "int") and isinstance(value, int):
        return int(value)
    known: dict[str, tuple[type, ...]] = {"str": (str,), "ScalarType": (Dtype, int)}
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
