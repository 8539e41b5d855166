"""How torch reads the arguments of a call: which overload is meant, and the error when none matches.

A signature is a string such as ``"add(Tensor input, Tensor other, *, Scalar alpha=1, Tensor out=None)"``; several of
them under one name make a `Signatures`, whose `bind` picks the overload or raises PyTorch's TypeError. The strings are
parsed at first use, so that declaring hundreds of them costs nothing at import. The module knows no Tensor class: the
core fills `types` in.

Runnable example::

    >>> Signatures("relu", "relu(Tensor input)").bind((3,), {})
    Traceback (most recent call last):
    TypeError: relu(): argument 'input' (position 1) must be Tensor, not int
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NoReturn

from ..runtime.beside import is_of_pytorch, two_libraries
from .mismatch import describe_mismatch, typename, types
from .params import INT_LISTS, NUMERIC, OTHER_NAMES, Parameter, is_tensor

__all__ = ["Parameter", "Signature", "Signatures", "kinds", "method_text", "typename", "types"]

# A signature may write $options for the keyword arguments that all creation functions share.
_OPTIONS: Final = (
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=False, bool? requires_grad=False"
)
_WARNED_AT: Final = " (Triggered internally at /__w/pytorch/pytorch/torch/csrc/utils/python_arg_parser.cpp:1841.)"
_MISSING: Final[Any] = type("Missing", (), {"__repr__": lambda self: "missing"})()


class Signature:
    """One overload. ``Signature.parse(text)`` reads the string; `str` gives the form that error texts print."""

    __slots__ = (
        "deprecated",
        "hidden",
        "index",
        "max_positional",
        "min_args",
        "name",
        "no_arguments",
        "params",
        "text",
    )

    def __init__(self, name: str, params: tuple[Parameter, ...], marks: Sequence[str] = (), index: int = 0) -> None:
        self.name = name
        self.params = params
        self.index = index
        self.deprecated = "deprecated" in marks
        self.hidden = self.deprecated or "hidden" in marks
        self.no_arguments = "noargs" in marks
        self.min_args = sum(not param.optional for param in params)
        self.max_positional = sum(not param.keyword_only for param in params)
        shown = [param.shown for param in params]
        if self.max_positional < len(params):
            shown.insert(self.max_positional, "*")
        self.text = f"({', '.join(shown)})"

    @classmethod
    def parse(cls, text: str, index: int = 0) -> Signature:
        """Reads ``name(type name=default, *, type? name)`` and the marks that follow.

        ``|deprecated``, ``|hidden`` from error texts, ``|noargs``, and ``|numbers``: Python numbers may stand for
        tensors.
        """
        head, *marks = text.replace("$options", _OPTIONS).split("|")
        name, _, inner = head.rstrip().removesuffix(")").partition("(")
        params: list[Parameter] = []
        keyword_only = False
        for part in inner.split(", ") if inner else ():
            if part == "*":
                keyword_only = True
            else:
                params.append(Parameter(part, keyword_only, "numbers" in marks))
        return cls(name, tuple(params), marks, index)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Signature({self.name}{self.text})"

    def match(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], complain: bool) -> list[Any] | None:
        """A value or `_MISSING` for each parameter; None, or with `complain` TypeError, if the call does not fit."""
        given, params = len(args), self.params
        if self.no_arguments and (given or kwargs):
            what = "keyword arguments" if kwargs else f"arguments ({given} given)"
            raise TypeError(f"TensorBase.{self.name}() takes no {what}")
        varargs = self.takes_varargs(args)
        if given > self.max_positional and not varargs:
            return self._refuse(complain, self._too_many, given)
        found: list[Any] = []
        used, keywords = 0, len(kwargs)
        for at, param in enumerate(params):
            positional = used < given
            obj: Any = _MISSING
            if positional:
                if param.keyword_only:
                    return self._refuse(complain, self._too_many, given)
                obj = args[used]
            elif kwargs:
                obj = kwargs.get(param.name, _MISSING)
                for alias in param.aliases if obj is _MISSING else ():
                    obj = kwargs.get(alias, _MISSING)
                    if obj is not _MISSING:
                        break
            if obj is _MISSING:
                if not param.optional:
                    return self._refuse(complain, self._missing, at)
                found.append(_MISSING)
            elif obj is None and param.nullable:
                found.append(_MISSING if param.optional else None)
            elif param.accepts(obj, at):
                found.append(obj)
            elif varargs and positional and used == 0:
                found.append(args)
                used = given
                continue
            else:
                return self._refuse(complain, self._wrong_type, param, obj, used + 1 if positional else 0)
            if positional:
                used += 1
            elif obj is not _MISSING:
                keywords -= 1
        if keywords > 0:
            return self._refuse(complain, self._wrong_keyword, kwargs, given)
        return found

    def takes_varargs(self, args: tuple[Any, ...]) -> bool:
        """Whether the positional arguments are one list of ints written out: view(2, 3) for view((2, 3))."""
        if self.max_positional != 1 or not args or self.params[0].kind not in INT_LISTS:
            return False
        return self.params[0].accepts_ints(args)

    def parameter(self, slot: int | str) -> Parameter | None:
        """The parameter that a positional argument or a keyword (aliases apart) meets."""
        if isinstance(slot, int):
            return self.params[slot] if slot < self.max_positional else None
        return next((param for param in self.params if param.name == slot), None)

    def values(self, found: list[Any]) -> dict[str, Any]:
        """The matched values by parameter name, unpacked, defaults filled in."""
        return {
            param.name: param.default if obj is _MISSING else (None if obj is None else param.unpack(obj, self.name))
            for param, obj in zip(self.params, found, strict=True)
        }

    @staticmethod
    def _refuse(complain: bool, message: Callable[..., str], *details: Any) -> None:
        if complain:
            raise TypeError(message(*details))

    def _too_many(self, given: int) -> str:
        limit = self.max_positional
        if self.min_args != limit:
            return f"{self.name}() takes from {self.min_args} to {limit} positional arguments but {given} were given"
        verb = "was" if given == 1 else "were"
        return f"{self.name}() takes {limit} positional argument{'' if limit == 1 else 's'} but {given} {verb} given"

    def _missing(self, start: int) -> str:
        names = [f'"{param.name}"' for param in self.params[start:] if not param.optional]
        plural = "s" if len(names) == 1 else ""  # singular and plural are swapped, as in torch
        return f"{self.name}() missing {len(names)} required positional argument{plural}: {', '.join(names)}"

    def _wrong_type(self, param: Parameter, obj: Any, position: int) -> str:
        if not is_tensor(obj) and is_of_pytorch(type(obj)):
            return two_libraries(self.name)
        where = f" (position {position})" if position else ""
        problem = f"{self.name}(): argument '{param.name}'{where} must be {param.printed_type}, "
        if position and param.kind in INT_LISTS and isinstance(obj, (tuple, list)):
            return f"{problem}but found element of type {typename(obj[0])} at pos 0"
        return f"{problem}not {typename(obj)}"

    def _wrong_keyword(self, kwargs: Mapping[str, Any], given: int) -> str:
        names = [param.name for param in self.params]
        for name in kwargs:
            if name not in names:
                return f"{self.name}() got an unexpected keyword argument '{name}'"
            if names.index(name) < given:
                return f"{self.name}() got multiple values for argument '{name}'"
        return "invalid keyword arguments"


_PLAIN: Final = (int, float, bool, complex, str, type(None))
#: kinds of parameters whose values kernels take as Python has them
_UNPACKED: Final = INT_LISTS | {"int", "SymInt", "float", "complex", "Scalar", "ScalarType"}
_SEQUENCES: Final = frozenset((tuple, list, types.size))
_Plan = tuple[int, tuple[str, ...] | str, tuple[str, ...], dict[str, Any], tuple[Parameter, ...]]


def _kind(obj: Any) -> Any:
    """What of a value decides which overload is meant: its type; of a sequence of ints also whether it is empty."""
    kind = type(obj)
    if kind in _SEQUENCES:
        for item in obj:
            if type(item) is not int:
                return kind
        return (kind, not obj)
    return kind


def kinds(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    """What of a call decides which overload is meant; where it has no sequences, the types and the keywords."""
    found = [_kind(x) if type(x) in _SEQUENCES else type(x) for x in args]
    if kwargs:
        found += kwargs
        found += [_kind(x) if type(x) in _SEQUENCES else type(x) for x in kwargs.values()]
    return tuple(found)


def _is_plain(obj: Any) -> bool:
    """Whether it is a value of Python, or a list or tuple of its integers."""
    return type(obj) in _PLAIN or type(_kind(obj)) is tuple


def _fits_by_kind(param: Parameter | None, obj: Any) -> bool:
    """Whether a value fits a parameter as every other one of its kind does."""
    if param is None or type(_kind(obj)) is tuple:  # a sequence of ints
        return param is not None
    if is_tensor(obj):
        return param.kind == "Tensor"
    return type(obj) in _PLAIN or isinstance(obj, (types.dtype, types.device))


class Signatures:
    """All overloads of one function, in torch's order. Making one stores strings; the first `bind` parses them."""

    __slots__ = ("_method", "_parsed", "_plans", "name", "texts")

    def __init__(self, name: str, *texts: str) -> None:
        self.name = name
        self.texts = texts
        self._parsed: tuple[Signature, ...] | None = None
        self._plans: dict[Any, _Plan] | None = None
        self._method: Signatures | None = None

    def __repr__(self) -> str:
        return f"Signatures({self.name!r}, {len(self.texts)} overloads)"

    @property
    def overloads(self) -> tuple[Signature, ...]:
        """The parsed overloads, in the order in which they are tried: deprecated ones last."""
        parsed = self._parsed
        if parsed is None:
            every = [Signature.parse(text, at) for at, text in enumerate(self.texts)]
            parsed = self._parsed = tuple(sorted(every, key=lambda overload: overload.deprecated))
        return parsed

    def as_method(self) -> Signatures:
        """The overloads as Tensor's methods have them: without the input and without out=."""
        if self._method is None:
            kept = (text for text in map(method_text, self.texts) if text is not None)
            self._method = Signatures(self.name, *kept)
        return self._method

    def bind(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any], method: bool = False
    ) -> tuple[int, dict[str, Any]]:
        """Picks the overload for a call.

        Returns the overload's place among the texts and a dict of parameter name to value (ints and tuples of ints
        unpacked, defaults filled in). With `method` the overloads are read as a method's: no input, no out. Raises
        TypeError with torch's text if no overload fits.

        >>> Signatures("cumsum", "cumsum(Tensor input, int dim, *, ScalarType? dtype=None)").bind((1,), {}, method=True)
        (0, {'dim': 1, 'dtype': None})
        """
        if method:
            return self.as_method().bind(args, kwargs)
        key = kinds(args, kwargs) if kwargs else tuple(map(_kind, args))
        plans = self._plans
        if plans is not None:
            plan = plans.get(key)
            if plan is not None:
                index, positional, keywords, rest, numeric = plan
                values = {positional: args} if type(positional) is str else dict(zip(positional, args, strict=True))
                if keywords:
                    values.update(zip(keywords, kwargs.values(), strict=True))
                for param in numeric:
                    values[param.name] = param.unpack(values[param.name], self.name)
                return index, values | rest
        overloads = self.overloads
        single = len(overloads) == 1
        for overload in overloads:
            found = overload.match(args, kwargs, single)
            if found is not None:
                values = overload.values(found)
                if overload.deprecated:
                    types.on_deprecated(self.deprecation(overload))
                elif self._depends_on_types_only(overload, args, kwargs):
                    self._remember(key, overload, args, kwargs)
                return overload.index, values
        self.fail(args, kwargs)

    def hold(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], Mapping[str, Any], bool]:
        """Raises the TypeError for a call that no overload accepts.

        Returns its arguments as a kernel takes them, keywords under their first names (dim for axis), plain integers
        and floats for those of NumPy and tensors, dtypes for Python's number types, and whether every call with
        arguments of these `kinds` fits.
        """
        index, values = self.bind(args, kwargs)
        chosen = next(overload for overload in self.overloads if overload.index == index)
        named = kwargs
        if any(name not in values for name in kwargs):
            named = {name if name in values else OTHER_NAMES.get(name, name): obj for name, obj in kwargs.items()}
        elif not chosen.deprecated:
            slots: list[tuple[int | str, Any]] = [*kwargs.items()]
            if len(args) < 2 or any(type(obj) is not int for obj in args) or not chosen.takes_varargs(args):
                slots += enumerate(args)
            if all(_fits_by_kind(chosen.parameter(slot), obj) for slot, obj in slots):
                return args, kwargs, True
        params = {param.name: param for param in chosen.params}

        def taken(param: Parameter, obj: Any) -> Any:
            return values[param.name] if param.kind in _UNPACKED and not _is_plain(obj) else obj

        if not chosen.takes_varargs(args):
            args = tuple(map(taken, chosen.params, args))
        return args, {name: taken(params[name], obj) for name, obj in named.items()}, False

    def fail(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> NoReturn:
        """Raises the TypeError for a call that no overload accepts."""
        total = len(args) + len(kwargs)
        plausible = [
            overload
            for overload in self.overloads
            if overload.min_args <= total <= len(overload.params) and not overload.hidden
        ]
        if len(plausible) == 1:
            plausible[0].match(args, kwargs, True)
        options = [overload.text for overload in self.overloads if not overload.hidden]
        raise TypeError(describe_mismatch(self.overloads[0].name, args, kwargs, options))

    def deprecation(self, overload: Signature) -> str:
        """The text of the UserWarning that torch gives, once in a process, when a deprecated overload is used."""
        lines = [f"This overload of {self.name} is deprecated:\n\t{self.name}{overload.text}"]
        advised = [f"\n\t{self.name}{other.text}" for other in self.overloads if not other.hidden]
        if advised:
            lines += ["\nConsider using one of the following signatures instead:", *advised]
        return "".join(lines) + _WARNED_AT

    def _depends_on_types_only(self, chosen: Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        """Whether every value-dependent test (0-dim tensors as numbers, lists, unpacking) was out of play."""
        slots: list[tuple[int | str, Any]] = [*enumerate(args), *kwargs.items()]
        for slot, obj in slots:
            tensor = is_tensor(obj)
            plain = type(obj) in _PLAIN or isinstance(obj, (types.dtype, types.device))
            if not (tensor or plain or type(_kind(obj)) is tuple):  # for a sequence of ints the kind is enough
                return False
            for overload in self.overloads:
                param = overload.parameter(slot)
                if param is not None and tensor and param.kind in NUMERIC:
                    return False
                if overload is chosen:
                    if param is None and not overload.takes_varargs(args):
                        return False
                    break
        return True

    def _remember(self, key: Any, chosen: Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        varargs = chosen.takes_varargs(args)
        positional = (chosen.params[0].name,) if varargs else tuple(param.name for param in chosen.params[: len(args)])
        rest = {param.name: param.default for param in chosen.params}
        # None given for a parameter with another default means the default: those are not cached
        given = dict(zip(positional, (args,) if varargs else args, strict=True)) | dict(kwargs)
        if any(obj is None and rest[name] is not None for name, obj in given.items()):
            return
        numeric = tuple(param for param in chosen.params if param.kind in NUMERIC and given.get(param.name) is not None)
        for name in (*positional, *kwargs):
            del rest[name]
        if self._plans is None or len(self._plans) > 64:
            self._plans = {}
        self._plans[key] = (chosen.index, positional[0] if varargs else positional, tuple(kwargs), rest, numeric)


def method_text(text: str, keep_input: bool = False) -> str | None:
    """The method's form of a function's signature string, or None where there is no Tensor input to take its place.

    With `keep_input` only the out argument goes, as in the function form of an in-place operation.
    """
    head, bar, marks = text.partition("|")
    name, _, inner = head.removesuffix(")").partition("(")
    parts = inner.split(", ")
    if "Tensor input" not in parts:
        return None
    if not keep_input:
        parts.remove("Tensor input")
    parts = [part for part in parts if not part.endswith(" out=None")]
    if parts and parts[-1] == "*":
        parts.pop()
    return f"{name}({', '.join(parts)}){bar}{marks}"
