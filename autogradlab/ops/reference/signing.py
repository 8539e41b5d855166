"""Signatures as users see them: out of the tables of argument signatures, or from a function's own definition."""

from __future__ import annotations

import inspect
import keyword
from contextlib import suppress
from functools import cache
from types import FunctionType
from typing import Any

from ...core.arguments.params import INT_LISTS, Parameter
from ...core.arguments.signature import Signature
from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from ..table.families import OPS, operation
from ..table.signatures import lookup
from .texts import canonical, find

__all__ = ["function", "overloads", "shown", "signature", "source"]

_CODE_OF_ARGS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
#: where the signature tables have the names of a namespace
_TABLES = {"linalg": "linalg_", "special": "special_", "fft": "fft_", "nn.functional": "", "Tensor": "", "": ""}
_EMPTY: Any = inspect.Parameter.empty
_SELF = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)]


class Word:
    """A default that prints as it is written."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def function(path: str) -> Any:
    """The function, method or class that a path names."""
    space, _, name = path.rpartition(".")
    published = f"{space}_{name}" if space in ("linalg", "special", "fft") else name
    if published in TENSORS.__dict__ and space in ("", "Tensor", "linalg", "special", "fft"):
        with suppress(AttributeError):  # only a method, made by hand
            found = operation(published)
            return getattr(found, "one_of", found)  # of several that flags tell apart (`called_by`)
    if space == "Tensor":
        return inspect.getattr_static(Tensor, name, None)
    from importlib import import_module

    owner: Any = import_module("autogradlab")
    for part in space.split(".") if space else ():
        owner = getattr(owner, part)
    return getattr(owner, name, None) or getattr(Tensor, name, None)


def overloads(path: str) -> list[Signature]:
    """The overloads in torch's tables; [] for a name that they do not know."""
    space, _, name = path.rpartition(".")
    table = "torch" if space == "" else "nn" if space == "nn.functional" else space
    found = lookup(_TABLES.get(space, "") + name, table) if space in _TABLES else None
    if found is None and space in ("", "special"):
        found = lookup(name, "nn" if space == "" else "torch")
    return [] if found is None else [overload for overload in found.overloads if not overload.hidden]


def _default(param: Parameter) -> Any:
    value = param.default
    if isinstance(value, str) and param.kind != "str":
        return Word("torch." + value)
    return value


def parameters(overload: Signature) -> list[inspect.Parameter]:
    """The parameters of an overload as `inspect` has them."""
    made: list[inspect.Parameter] = []
    positional = [p for p in overload.params if not p.keyword_only]
    variadic = len(positional) == 1 and positional[0].kind in INT_LISTS and positional[0].size == 0
    for param in overload.params:
        name = param.name + "_" if keyword.iskeyword(param.name) else param.name
        kind: Any = inspect.Parameter.KEYWORD_ONLY if param.keyword_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
        default = _default(param) if param.optional else _EMPTY
        if variadic and param is positional[0]:
            kind, default = inspect.Parameter.VAR_POSITIONAL, _EMPTY
        made.append(inspect.Parameter(name, kind, default=default))
    return made


def written(text: str, result: Any = _EMPTY) -> inspect.Signature:
    """The signature that a text such as `(end, step=1, *, dtype=None)` writes down."""
    import ast

    made: list[inspect.Parameter] = []
    given: Any = ast.parse(f"def f{text}: ...").body[0]
    arguments = given.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    for at, (arg, default) in enumerate(zip(plain, defaults, strict=True)):
        kind = (
            inspect.Parameter.POSITIONAL_ONLY
            if at < len(arguments.posonlyargs)
            else inspect.Parameter.POSITIONAL_OR_KEYWORD
        )
        made.append(inspect.Parameter(arg.arg, kind, default=_value(default)))
    if arguments.vararg is not None:
        made.append(inspect.Parameter(arguments.vararg.arg, inspect.Parameter.VAR_POSITIONAL))
    for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        made.append(inspect.Parameter(arg.arg, inspect.Parameter.KEYWORD_ONLY, default=_value(default)))
    if arguments.kwarg is not None:
        made.append(inspect.Parameter(arguments.kwarg.arg, inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(made, return_annotation=result)


def _value(node: Any) -> Any:
    import ast

    if node is None:
        return _EMPTY
    try:
        return ast.literal_eval(node)
    except ValueError:
        return Word(ast.unparse(node))


def _result(path: str) -> Any:
    entry = find(path)
    return Word("Tensor" if entry is None or not entry.result else entry.result)


def own(fn: Any, result: Any, anything: bool = False) -> inspect.Signature | None:
    """The signature of a function's own definition, without annotations; None if it is only *args or **kwargs."""
    if not isinstance(fn, FunctionType):
        return None
    fn = vars(fn).get("_within_gate", fn)  # as it is where no object is asked
    if fn.__code__.co_flags & _CODE_OF_ARGS and not anything:
        return None
    found = inspect.signature(fn, follow_wrapped=False)
    bare = [p.replace(annotation=_EMPTY) for p in found.parameters.values()]
    return inspect.Signature(bare, return_annotation=result)


@cache
def shown(path: str) -> tuple[inspect.Signature, ...]:
    """All signatures of a name, the one that PyTorch's documentation puts first in front."""
    entry, result = find(path), _result(path)
    if entry is not None and entry.signatures:
        return tuple(written(text, result) for text in entry.signatures)
    fn = function(path)
    found: list[inspect.Signature] = []
    mine = own(fn, result) if path.startswith("nn.functional.") else None
    for overload in overloads(path) if mine is None else ():
        kind = result
        if isinstance(result, Word) and result.text.startswith("Tensor | ("):  # max, median: with dim also the places
            kind = Word(result.text.partition(" | ")[2] if any(p.name == "dim" for p in overload.params) else "Tensor")
        made = inspect.Signature(_SELF * (path.startswith("Tensor.")) + parameters(overload), return_annotation=kind)
        if str(made) not in map(str, found):
            found.append(made)
    if not found:
        mine = own(fn, result) if mine is None else mine
        if mine is None:
            kernel = getattr(fn, "__wrapped__", None)
            mine = own(kernel, result)
        if mine is None:
            mine = own(fn, result, anything=True)
        if mine is not None:
            found.append(mine)
    if entry is not None and 0 < entry.main <= len(found):
        found.insert(0, found.pop(entry.main - 1))
    return tuple(found)


def signature(path: str) -> inspect.Signature:
    """The main signature. Errors: AttributeError where none is known, so that `inspect` goes on looking."""
    found = shown(canonical(path))
    if not found:
        raise AttributeError(f"no signature of {path}")
    return found[0]


def source(path: str) -> Any:
    """The function whose source says what the operation does: its kernel, the formula of an elementwise operation."""
    entry = OPS.get(path)
    if entry is None:
        fn = function(path)
        if not isinstance(fn, FunctionType):
            return None
        copy = FunctionType(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
        copy.__kwdefaults__ = fn.__kwdefaults__
        return copy
    if entry.kernel.__name__ != "entry_kernel":
        return entry.kernel
    return entry.formulas[0].fn if entry.differentiates else entry.kernel
