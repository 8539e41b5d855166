"""Overloads with Nodes of their own: `x.sum()` makes a SumBackward0, `x.sum(0)` a SumBackward1.

Each of them is an entry of the table; the first one names the others, and the calls that mean them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.memory.versions import of_inference
from ...core.recording.record import TENSORS
from ...core.tensor.dispatching import instead
from ...core.tensor.overriding import stands_in
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import get_default_dtype
from ...core.values.promotion import check_cast, is_number, result_dtype
from . import asking
from .calls import make_call
from .creation import bind
from .families import FUNCTIONS
from .signatures import explain, space_of

if TYPE_CHECKING:
    from .opdef import Op

__all__ = ["Arguments", "Binder", "Called", "Overload", "Rule", "choosing", "read"]

#: positional arguments and keyword arguments of a call
Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class Called(NamedTuple):
    """What is called: the function, the method or the in-place form of an entry."""

    #: with a _ at its end in place
    name: str
    in_place: bool
    #: whether it is a method: the first argument is then the tensor that it is called on, which errors do not count
    as_method: bool

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Which of the signatures a call means, and its arguments by name; PyTorch's TypeError if it fits none."""
        if not self.as_method:
            return bind(self.name, args, kwargs, _space_of(self.name))
        index, values = bind(self.name, args[1:], kwargs, "Tensor")
        return index, {"input": args[0], **values}

    def refuse(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """While an error is handled: raise PyTorch's TypeError if the arguments do not fit, else the error, unless one
        of the arguments says what to do."""
        if stands_in(args, kwargs):
            return (getattr(Tensor, self.name) if self.as_method else FUNCTIONS[self.name])(*args, **kwargs)
        explain(self.name, args[self.as_method :], kwargs, "Tensor" if self.as_method else _space_of(self.name))
        raise


_space_of = cache(space_of)  # asked of what is declared, which stays where it is


#: gives back the arguments of a call in another form
Binder = Callable[[Called, tuple[Any, ...], dict[str, Any]], Arguments]
#: the same, or None for a call that means something else
Rule = Callable[[Called, tuple[Any, ...], dict[str, Any]], Arguments | None]


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
    #: whether its kernel calls the operation of two tensors, which autograd sees: the number is none of inference mode
    wraps: bool = False
    #: is called with the array of that tensor and the number before, and may raise
    refuses: Callable[[Any, Any], None] | None = None
    #: any other call: is given what is called and the arguments; returns them as the entry takes them, or None if the
    #: call means another overload. It may take out of the keywords those that say no more than the default
    takes: Rule | None = None


def _as_signed(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """The number of the signature that a call fits, and its arguments by name, without an out= that is None."""
    index, values = called.bind(args, kwargs)
    if values.get("out") is None:
        values.pop("out", None)
    return index, values


def read(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
    """A rule for an overload that keywords name: its arguments as the signatures read them, before anything runs."""
    _, values = _as_signed(called, args, kwargs)
    return (values.pop("input"),), values


def choosing(entry: Op, call: Callable[..., Any], in_place: bool = False) -> Callable[..., Any]:
    """The call of an entry, or, where it has overloads, a function that carries out the one that is meant.

    It asks the signatures if overloads name theirs. Otherwise it looks at the number of arguments first, then asks the
    overloads in their order: one that names keywords and a rule takes calls to which both apply. What none of them
    takes is the entry's own.
    """
    called = Called(entry.name + "_" * in_place, in_place, entry.as_method)
    if entry.binds is not None:
        call = _bound(entry, called, call)
    if not entry.overloads:
        return call
    others = [(o, _call(o.entry, entry.as_method, in_place)) for o in entry.overloads]
    by_signature = {o.signature: made for o, made in others if o.signature is not None}
    if by_signature:
        return _bound_by_signature(called, by_signature, call)
    by_count = dict.fromkeys(entry.counts, call)
    by_count.update((n, made) for o, made in others for n in o.counts)
    rules = [
        (o.keywords, o.number, _place(o, o.number), _of_number(o) if o.number else o.takes, made)
        for o, made in others
        if (o.keywords or o.number or o.takes is not None)
        and not (in_place and o.number and _place(o, o.number) == 0)  # no number can be changed
    ]

    written = not any("out" in o.keywords for o, _ in others)  # out= says nothing of which is meant

    def chosen(*args: Any, **kwargs: Any) -> Any:
        if not kwargs or (written and len(kwargs) == 1 and "out" in kwargs):
            made = by_count.get(len(args))
            if made is not None:
                return made(*args, **kwargs)
        for keywords, number, place, takes, made in rules:
            if keywords and keywords.isdisjoint(kwargs):
                continue
            if number and type(args[place] if place < len(args) else kwargs.get(number)) is Tensor:
                continue
            if takes is None:
                return made(*args, **kwargs)
            try:
                found = takes(called, args, kwargs)
            except (TypeError, RuntimeError):
                return called.refuse(args, kwargs)
            if found is not None:
                args, kwargs = found
                return made(*args, **kwargs)
        return by_count.get(len(args), call)(*args, **kwargs)

    return chosen


def _bound_by_signature(
    called: Called, others: dict[int, Callable[..., Any]], call: Callable[..., Any]
) -> Callable[..., Any]:
    def chosen(*args: Any, **kwargs: Any) -> Any:
        try:
            index, values = _as_signed(called, args, kwargs)
        except TypeError:
            return called.refuse(args, kwargs)
        return others.get(index, call)(**values)

    return chosen


def _place(o: Overload, name: str) -> int:
    return o.entry.index[name] if name and not callable(o.entry) else -1


def _of_number(o: Overload) -> Rule:
    """What takes calls that give one argument as a number."""
    name, tensor, refuses, floats, wraps = o.number, o.promotes, o.refuses, o.floats, o.wraps
    place, beside = _place(o, name), _place(o, tensor)

    def takes(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
        value = args[place] if place < len(args) else kwargs.get(name)
        kind = type(value)
        if kind is not float and kind is not int and (isinstance(value, Tensor) or not is_number(value)):
            return None
        if not tensor:
            return args, kwargs
        t = args[beside] if beside < len(args) else kwargs.get(tensor)
        if not isinstance(t, Tensor) or (wraps and of_inference(t) and not called.in_place):
            return None
        if refuses is not None:
            refuses(t._array, value)
        form = t._array.dtype.kind
        if (form == "f" and (kind is float or kind is int)) or (kind is int and form == "i" and not floats):
            return args, kwargs  # the usual cases, in which it keeps its dtype
        wide = result_dtype((t, value))
        if floats and wide.numpy.kind in "biu":
            wide = get_default_dtype()
        if wide is t.dtype:
            return args, kwargs
        if called.in_place:
            check_cast(wide.numpy, t._array.dtype)
            return args, kwargs
        t = _promoted(t, wide)
        if beside < len(args):
            return (*args[:beside], t, *args[beside + 1 :]), kwargs
        return args, {**kwargs, tensor: t}

    return takes


@instead(lambda call, args, kwargs: args[0])
def _promoted(t: Tensor, wide: Any) -> Tensor:
    """The tensor beside a number in the dtype that they have together; modes are told of it as it is."""
    found: Tensor = TENSORS.to(t, wide)
    return found


def _bound(entry: Op, called: Called, call: Callable[..., Any]) -> Callable[..., Any]:
    binds: Any = entry.binds

    def slow(plain: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        found = asking.bound(entry, called, args, kwargs)
        return plain(*args, **kwargs) if found is None else found[0]

    @instead(slow)
    def bound(*args: Any, **kwargs: Any) -> Any:
        try:
            args, kwargs = binds(called, args, kwargs)
        except TypeError:
            return called.refuse(args, kwargs)
        return call(*args, **kwargs)

    return bound


def _call(entry: Op | Callable[..., Any], as_method: bool, in_place: bool) -> Callable[..., Any]:
    if callable(entry):
        return entry
    if in_place:
        return entry.call_
    return make_call(entry.of_methods) if as_method else entry.call
