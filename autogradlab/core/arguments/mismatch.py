"""The errors of failed calls: how torch names the type of an object and lists the overloads that did not match."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NoReturn

__all__ = ["Types", "describe_mismatch", "refuse_all", "refuse_unbound", "typename", "types"]

_Class = type | tuple[type, ...]
_HEAP_TYPE: Final = 1 << 9
_IMMUTABLE_TYPE: Final = 1 << 8  # with the former: a class of C code, which has its long name
_MASK: Final = (1 << 64) - 1

# Classes that some Pythons make at run time though they are written in C; they keep the long name in torch's texts.
_LONG_NAMES: Final = frozenset(
    {
        "collections.deque",
        "collections.defaultdict",
        "functools.partial",
        "array.array",
        "re.Pattern",
        "re.Match",
        "operator.itemgetter",
        "operator.attrgetter",
        "operator.methodcaller",
        "torch._C.Generator",
    }
)

_REGISTERED_NAMES: Final = {
    "dtype": "torch.dtype",
    "device": "torch.device",
    "generator": "torch._C.Generator",
    "layout": "torch.layout",
    "memory_format": "torch.memory_format",
    "size": "torch.Size",
    "stream": "torch.Stream",
}


class Types:
    """The classes that the argument rules know by role; the core sets them (``types.tensor = Tensor``).

    A role that nobody has set recognises nothing. `of_python` has the dtypes for which Python's number types stand.
    `on_deprecated` is called with the text of each use of a deprecated
    overload; torch warns at the first one only. `find` gives a function of the package by its name, what defines it
    loaded, or raises AttributeError; `operator` gives an operator of torch.ops.aten, or None.
    """

    tensor: _Class = ()
    dtype: _Class = ()
    device: _Class = ()
    generator: _Class = ()
    layout: _Class = ()
    memory_format: _Class = ()
    size: _Class = ()
    storage: _Class = ()
    stream: _Class = ()

    def __init__(self) -> None:
        self.names: dict[type, str] = {}
        self.of_python: Mapping[Any, Any] = {}
        self.on_deprecated: Callable[[str], None] = lambda text: None
        self.find: Callable[[str], object] | None = None
        self.operator: Callable[[str], object] | None = None

    def __setattr__(self, role: str, value: Any) -> None:
        object.__setattr__(self, role, value)
        if role in _REGISTERED_NAMES or role == "storage":
            for cls in value if isinstance(value, tuple) else (value,):
                self.names[cls] = _REGISTERED_NAMES.get(role, f"torch.storage.{cls.__name__}")


types = Types()


def typename(obj: object) -> str:
    """The name of an object's type as torch prints it: C's ``tp_name``, so ``numpy.ndarray`` but ``Parameter``.

    >>> typename(None), typename([1])
    ('NoneType', 'list')
    """
    cls = type(obj)
    known = types.names.get(cls)
    if known is not None:
        return known
    module = cls.__module__
    long_name = f"{module}.{cls.__name__}"
    python = cls.__flags__ & (_HEAP_TYPE | _IMMUTABLE_TYPE) == _HEAP_TYPE
    plain = python and long_name not in _LONG_NAMES and module != "torch.return_types"
    if module == "builtins" or plain:
        return cls.__name__
    return long_name


def refuse_all(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> NoReturn:
    """Refuse the arguments of a function of C that takes none; `name` is the long one, `TensorBase.dim`."""
    if kwargs:
        raise TypeError(f"{name}() takes no keyword arguments")
    raise TypeError(f"{name}() takes no arguments ({len(args)} given)")


def refuse_unbound(name: str, args: Sequence[Any]) -> None:
    """Refuse a call of a method as a function, `Tensor.name(3)`, whose first argument is no tensor."""
    if not args:
        raise TypeError(f"unbound method TensorBase.{name}() needs an argument")
    if not isinstance(args[0], types.tensor):
        raise TypeError(
            f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a '{typename(args[0])}' object"
        )


def describe_mismatch(name: str, args: Sequence[Any], kwargs: Mapping[str, Any], options: Sequence[str]) -> str:
    """The text for a call that fits none of `options` (printed signatures such as ``(Tensor input, int dim = 0)``)."""
    start = f"{name}() received an invalid combination of arguments - got "
    keywords = {key: kwargs[key] for key in _hash_order(list(kwargs))}
    if len(options) == 1:
        arguments = _split(options[0])
        unknown = _unknown_keywords(arguments, keywords)
        if unknown:
            return f"{start}unrecognized keyword arguments: {', '.join(unknown)}"
        fits = len(arguments) == len(args) + len(kwargs)
        got = _marked(arguments, args, keywords) if fits else _plain(args, keywords)
        return f"{start}{got}, but expected {options[0]}"
    lines = [f"{start}{_plain(args, keywords)}, but expected one of:\n"]
    for option in options:
        lines.append(f" * {option}\n")
        arguments = _split(option)
        if len(arguments) == len(args) + len(kwargs):
            unknown = _unknown_keywords(arguments, keywords)
            if unknown:
                reason = f"some of the keywords were incorrect: {', '.join(unknown)}"
            else:
                reason = f"some of the arguments have invalid types: {_marked(arguments, args, keywords)}"
            lines.append(f"      didn't match because {reason}\n")
    return "".join(lines)


def _split(option: str) -> list[tuple[str, str]]:
    """(type, name) of each printed argument.

    torch cuts at the last blank, so an argument with a default ends up with the default for its name, and the star
    counts as an argument: both show in which lines are explained, and are kept.
    """
    pairs = []
    for argument in option[1:-1].split(", "):  # "()" counts as one nameless argument
        kind, _, name = argument.rpartition(" ")
        pairs.append((kind or name, name))
    return pairs


def _unknown_keywords(arguments: list[tuple[str, str]], keywords: Mapping[str, Any]) -> list[str]:
    start = max(len(arguments) - len(keywords), 0)
    expected = {name for _, name in arguments[start:]}
    return [name for name in keywords if name not in expected]


def _plain(args: Sequence[Any], keywords: Mapping[str, Any]) -> str:
    inner = "".join(f"{typename(arg)}, " for arg in args)
    inner += "".join(f"{name}={typename(arg)}, " for name, arg in keywords.items())
    return f"({inner[:-2] if args else inner})"  # without positional arguments the last comma stays


def _marked(arguments: list[tuple[str, str]], args: Sequence[Any], keywords: Mapping[str, Any]) -> str:
    """The given arguments, each that differs in type from the printed one between exclamation marks or in red."""
    colour = _is_terminal()
    pieces = []
    for at, (kind, name) in enumerate(arguments):
        keyword = at >= len(args)
        obj = keywords[name] if keyword else args[at]
        accepted = {"float": ("float", "int", "long"), "int": ("int", "long")}.get(kind, (kind,))
        piece = (f"{name}=" if keyword else "") + _contents(obj)
        if typename(obj) in accepted:
            pieces.append(f"\33[32;1m{piece}\33[0m" if colour else piece)
        else:
            pieces.append(f"\33[31;1m{piece}\33[0m" if colour else f"!{piece}!")
    text = "".join(f"{piece}, " for piece in pieces)
    return f"({text[:-2] if args else text})"


def _contents(obj: Any) -> str:
    name = typename(obj)
    if not isinstance(obj, (tuple, list)):
        return name
    inner = ", ".join(map(typename, obj))
    if isinstance(obj, tuple):
        return f"{name} of ({inner}{',' if len(obj) == 1 else ''})"
    return f"{name} of [{inner}]"


def _is_terminal() -> bool:
    try:
        return os.isatty(1) and os.isatty(2)
    except OSError:
        return False


def _hash_order(names: list[str]) -> list[str]:
    """The order in which torch lists keywords: that of a C++ hash table (libstdc++), newest bucket first."""
    order: list[str] = []
    buckets = [_murmur(name.encode()) % 13 for name in names]  # 13 buckets hold up to 13 names
    of = dict(zip(names, buckets, strict=True))
    for name in names:
        same = [at for at, other in enumerate(order) if of[other] == of[name]]
        order.insert(same[0] if same else 0, name)
    return order


def _murmur(data: bytes) -> int:
    """MurmurHash2 in 64 bits with libstdc++'s seed."""
    mul = 0xC6A4A7935BD1E995
    value = 0xC70F6907 ^ (len(data) * mul & _MASK)
    whole = len(data) & ~7
    for at in range(0, whole, 8):
        word = int.from_bytes(data[at : at + 8], "little") * mul & _MASK
        word = (word ^ word >> 47) * mul & _MASK
        value = (value ^ word) * mul & _MASK
    if len(data) & 7:
        value = (value ^ int.from_bytes(data[whole:], "little")) * mul & _MASK
    value = (value ^ value >> 47) * mul & _MASK
    return value ^ value >> 47
