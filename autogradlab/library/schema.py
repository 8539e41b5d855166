"""Schemas that the annotations of a function say."""

from __future__ import annotations

import collections.abc
import inspect
import typing
from collections.abc import Callable
from typing import Any, NoReturn

from ..core.tensor.tensor import Tensor
from ..core.types.device import device as Device
from ..core.types.dtypes import dtype as Dtype

__all__ = ["infer_schema"]

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
