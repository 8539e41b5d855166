"""Overloads with Nodes of their own: `x.sum()` makes a SumBackward0, `x.sum(0)` a SumBackward1.

Each of them is an entry of the table; the first one names the others, and the calls that mean them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import get_default_dtype
from ...core.values.promotion import check_cast, is_number, result_dtype
from .calls import make_call
from .creation import bind
from .signatures import explain, space_of

if TYPE_CHECKING:
    from .opdef import Op

__all__ = ["Arguments", "Binder", "Overload", "choosing"]

#: positional arguments and keyword arguments of a call
Arguments = tuple[tuple[Any, ...], dict[str, Any]]
#: gives back the arguments of a call, whose name (with a _ at its end in place) comes first, in another form
Binder = Callable[[str, tuple[Any, ...], dict[str, Any]], Arguments]


class Overload(NamedTuple):
    """An entry, or a function made of others, and the calls that mean it."""

    entry: Op | Callable[..., Any]
    #: as many arguments, none of them by keyword
    counts: tuple[int, ...] = ()
    #: a call with one of these keywords
    keywords: frozenset[str] = frozenset()
    #: a call that gives this argument of the overload as a Python number
    number: str = ""
    #: the place among the signatures of the one that such calls fit
    signature: int | None = None
    #: the tensor beside a number: it is cast to the dtype that they have together; in place it must have that dtype
    promotes: str = ""
    #: whether it is cast to the default dtype where both are integers
    floats: bool = False
    #: is called with the array of that tensor and the number before, and may raise
    refuses: Callable[[Any, Any], None] | None = None
    #: any other call: is given the name called (with a _ at its end in place) and the arguments; returns them as the
    #: entry takes them, or None if the call means another overload. It may take out of the keywords those that say no
    #: more than the default
    takes: Callable[[str, tuple[Any, ...], dict[str, Any]], Arguments | None] | None = None


def choosing(entry: Op, call: Callable[..., Any], in_place: bool = False) -> Callable[..., Any]:
    """The call of an entry, or, where it has overloads, a function that carries out the one that is meant.

    It asks the signatures if overloads name theirs. Otherwise it looks at the number of arguments first, then asks the
    overloads in their order: one that names keywords and a rule takes calls to which both apply. What none of them
    takes is the entry's own.
    """
    called = entry.name + "_" * in_place
    if entry.binds is not None:
        call = _bound(entry, entry.binds, called, call)
    if not entry.overloads:
        return call
    others = [(o, _call(o.entry, entry.as_method, in_place)) for o in entry.overloads]
    by_signature = {o.signature: made for o, made in others if o.signature is not None}
    if by_signature:
        return _bound_by_signature(entry, called, by_signature, call)
    by_count = dict.fromkeys(entry.counts, call)
    by_count.update((n, made) for o, made in others for n in o.counts)
    rules = [
        (o.keywords, o.number, _place(o, o.number), _of_number(o) if o.number else o.takes, made)
        for o, made in others
        if (o.keywords or o.number or o.takes is not None)
        and not (in_place and o.number and _place(o, o.number) == 0)  # no number can be changed
    ]

    def chosen(*args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            made = by_count.get(len(args))
            if made is not None:
                return made(*args)
        for keywords, number, place, takes, made in rules:
            if keywords and keywords.isdisjoint(kwargs):
                continue
            if number and type(args[place] if place < len(args) else kwargs.get(number)) is Tensor:
                continue
            if takes is None:
                return made(*args, **kwargs)
            try:
                found = takes(called, args, kwargs)
            except TypeError:
                _explain(entry, called, args, kwargs)
                raise
            if found is not None:
                args, kwargs = found
                return made(*args, **kwargs)
        return by_count.get(len(args), call)(*args, **kwargs)

    return chosen


def _bound_by_signature(
    entry: Op, called: str, others: dict[int, Callable[..., Any]], call: Callable[..., Any]
) -> Callable[..., Any]:
    space, first = ("Tensor", 1) if entry.as_method else (space_of(called), 0)

    def chosen(*args: Any, **kwargs: Any) -> Any:
        index, values = bind(called, args[first:], kwargs, space)
        if first:
            values["input"] = args[0]
        if values.get("out") is None:
            values.pop("out", None)
        return others.get(index, call)(**values)

    return chosen


def _place(o: Overload, name: str) -> int:
    return o.entry.index[name] if name and not callable(o.entry) else -1


def _of_number(o: Overload) -> Callable[[str, tuple[Any, ...], dict[str, Any]], Arguments | None]:
    """What takes calls that give one argument as a number."""
    name, tensor, refuses, floats = o.number, o.promotes, o.refuses, o.floats
    place, beside = _place(o, name), _place(o, tensor)

    def takes(called: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
        value = args[place] if place < len(args) else kwargs.get(name)
        kind = type(value)
        if kind is not float and kind is not int and (isinstance(value, Tensor) or not is_number(value)):
            return None
        if not tensor:
            return args, kwargs
        t = args[beside] if beside < len(args) else kwargs.get(tensor)
        if not isinstance(t, Tensor):
            return None
        if refuses is not None:
            refuses(t._array, value)
        if t._array.dtype.kind == "f" and (kind is float or kind is int):
            return args, kwargs
        wide = result_dtype((t, value))
        if floats and wide.numpy.kind in "biu":
            wide = get_default_dtype()
        if wide is t.dtype:
            return args, kwargs
        if called.endswith("_"):
            check_cast(wide.numpy, t._array.dtype)
            return args, kwargs
        t = TENSORS.to(t, wide)
        if beside < len(args):
            return (*args[:beside], t, *args[beside + 1 :]), kwargs
        return args, {**kwargs, tensor: t}

    return takes


def _bound(entry: Op, binds: Binder, called: str, call: Callable[..., Any]) -> Callable[..., Any]:
    def bound(*args: Any, **kwargs: Any) -> Any:
        try:
            args, kwargs = binds(called, args, kwargs)
        except TypeError:
            _explain(entry, called, args, kwargs)
            raise
        return call(*args, **kwargs)

    return bound


def _explain(entry: Op, called: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Arguments were refused: raise the error in a method's words, which do not count the tensor, if it is one."""
    if entry.as_method:
        explain(called, args[1:], kwargs, "Tensor")


def _call(entry: Op | Callable[..., Any], as_method: bool, in_place: bool) -> Callable[..., Any]:
    if callable(entry):
        return entry
    if in_place:
        return entry.call_
    return make_call(entry.of_methods) if as_method else entry.call
