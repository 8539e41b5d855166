"""Overloads with Nodes of their own: `x.sum()` makes a SumBackward0, `x.sum(0)` a SumBackward1.

Each of them is an entry of the table; the first one names the others, and the calls that mean them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from .calls import make_call
from .signatures import explain

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
    #: any other call: is given the name called (with a _ at its end in place) and the arguments; returns them as the
    #: entry takes them, or None if the call means another overload. It may take out of the keywords those that say no
    #: more than the default
    takes: Callable[[str, tuple[Any, ...], dict[str, Any]], Arguments | None] | None = None


def choosing(entry: Op, call: Callable[..., Any], in_place: bool = False) -> Callable[..., Any]:
    """The call of an entry, or, where it has overloads, a function that carries out the one that is meant.

    It looks at the number of arguments first, then at the keywords, then asks the overloads in their order; what none
    of them takes is the entry's own.
    """
    called = entry.name + "_" * in_place
    if entry.binds is not None:
        call = _bound(entry, entry.binds, called, call)
    if not entry.overloads:
        return call
    others = [(o, _call(o.entry, entry.as_method, in_place)) for o in entry.overloads]
    by_count = dict.fromkeys(entry.counts, call)
    by_count.update((n, made) for o, made in others for n in o.counts)
    by_keyword = [(o.keywords, made) for o, made in others if o.keywords]
    by_rule = [(o.takes, made) for o, made in others if o.takes is not None]

    def chosen(*args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            made = by_count.get(len(args))
            if made is not None:
                return made(*args)
        for keywords, made in by_keyword:
            if not keywords.isdisjoint(kwargs):
                return made(*args, **kwargs)
        for takes, made in by_rule:
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
