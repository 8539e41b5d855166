"""The classes of results with named fields (mirrors `torch.return_types`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from .native import Native

__all__ = ["NAMED", "Named", "making", "named"]

_MISSING: Any = object()

#: the classes that exist, by their names
NAMED: dict[str, type[Named]] = {}


class Named(tuple[Any, ...], metaclass=Native):
    """A tuple whose fields have names; it prints as PyTorch's do."""

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()
    n_fields = n_sequence_fields = n_unnamed_fields = 0

    def __new__(cls, sequence: Any = _MISSING, dict: Any = None) -> Named:
        try:
            made = super().__new__(cls, sequence)
        except TypeError:
            if sequence is _MISSING:
                raise TypeError("structseq() missing required argument 'sequence' (pos 1)") from None
            if isinstance(sequence, Iterable):  # its own error
                raise
            raise TypeError("constructor requires a sequence") from None
        if dict is not None and not isinstance(dict, Mapping):
            raise TypeError(f"torch.return_types.{cls.__name__}() takes a dict as second arg, if any")
        if len(made) != cls.n_fields:
            raise TypeError(
                f"torch.return_types.{cls.__name__}() takes a {cls.n_fields}-sequence ({len(made)}-sequence given)"
            )
        return made

    def __repr__(self) -> str:
        inner = ",\n".join(f"{n}={v!r}" for n, v in zip(self.__match_args__, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{inner})"

    @classmethod
    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    def __reduce__(self) -> Any:
        return type(self), (tuple(self), {})

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _restored, (type(self).__name__, self.__match_args__, tuple(self))


def making(kind: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What gives results their class, without a look at their number where it is one of these: it is known."""
    return partial(tuple.__new__, kind) if isinstance(kind, type) and issubclass(kind, Named) else kind


def _restored(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Named:
    return named(name, fields)(values)


class _Field(property):
    """A field by its name: it is read only, and says so as PyTorch's do."""

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError("readonly attribute")

    def __delete__(self, instance: Any) -> None:
        raise AttributeError("readonly attribute")


def named(name: str, fields: Sequence[str]) -> type[Named]:
    """The class of a function's results; made once, then found again."""
    found = NAMED.get(name)
    if found is None:
        count = len(fields)
        kind: Any = Native(
            name,
            (Named,),
            {
                "__slots__": (),
                "__module__": "torch.return_types",
                "__match_args__": tuple(fields),
                "n_fields": count,
                "n_sequence_fields": count,
                **{f: _Field(itemgetter(i)) for i, f in enumerate(fields)},
            },
            final=True,
        )
        found = NAMED[name] = kind
    return found
