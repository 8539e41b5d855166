"""Offering operations: the names under which functions and methods are found, and their second names."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar, cast

from ...core.arguments.declared import ALIASES, PLAIN, UNNAMED, declare, name_of, signatures
from ...core.arguments.mismatch import refuse_unbound
from ...core.arguments.signature import kinds
from ...core.recording.record import TENSORS
from ...core.runtime.help import Help
from ...core.runtime.modes import out_of_memory
from ...core.tensor.dispatching import twin
from ...core.tensor.overriding import another, stands_in
from ...core.tensor.tensor import Tensor
from .families import FUNCTIONS, attach, operation
from .looped import looped
from .signatures import explain, lookup, space_of

__all__ = ["alias", "called_by", "composite", "inner", "publish", "reading"]

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)
#: when arguments are checked against the signatures: "first", before anything else, as PyTorch does; "late", only
#: after a call has failed, for functions that are called very often; "itself", the function does it
Reads = Literal["first", "late", "itself"]
#: the arguments of a call, as a kernel takes them
Held = tuple[tuple[Any, ...], Mapping[str, Any]]


def composite(
    declaration: str = "",
    *,
    method: bool = True,
    function: bool = True,
    reads: Reads = "first",
    one_list: bool = False,
    out: Any = None,
) -> Callable[[Any], Any]:
    """Decorator for an operation written on Tensors in terms of others; it has no Node of its own."""

    def register(fn: Function) -> Function:
        publish(declaration or fn.__name__, fn, method, function, fn.__doc__ or "", out, reads=reads, one_list=one_list)
        return fn

    return register


def publish(
    declaration: str,
    fn: Any,
    method: bool,
    function: bool,
    doc: str,
    out: Any = None,
    *,
    reads: Reads = "late",
    one_list: bool = False,
    as_method: Any = None,
) -> None:
    """Give a function its name and offer it as `torch.name` and `Tensor.name`.

    declaration: its signatures, or the bare name of a function that has none, or whose signatures stand elsewhere.
    one_list: whether the function takes sizes or dimensions as one tuple or list only, the
    method one by one too. as_method: what the method is, if not that very function: one that counts arguments as
    methods do.
    """
    name = declare(declaration, doc, out)
    help = Help(name, doc)  # texts and signature, when somebody looks
    fn = _dress(looped(fn, name), name, help)
    setattr(TENSORS, name, fn)
    if function:
        form = taking_one_list(fn, name) if one_list else fn
        FUNCTIONS[name] = checking(form, name, space_of(name), reads)
    if method and not name.startswith("special_"):
        form = _dress(looped(as_method, name), name, help) if as_method else fn
        own = twin(form, another(form)) if reads == "itself" and function else form
        attach(name, checking(own, name, "Tensor", reads))


def _dress(fn: Any, name: str, help: Help) -> Any:
    fn.__name__ = fn.__qualname__ = name
    fn.__module__ = "torch"
    fn.__doc__ = fn.__wrapped__ = help
    return fn


def checking(call: Function, name: str, space: str, reads: Reads) -> Function:
    """A function (`space` "torch", "linalg" ...) or a method ("Tensor") that refuses what the signatures refuse."""
    if reads == "itself":
        return call
    return _in_place_of(call, (_reading_first if reads == "first" else _reading_late)(call, name, space), name)


def _reader(name: str, space: str) -> tuple[set[tuple[Any, ...]], Callable[..., Held]]:
    """The kinds of arguments that always fit, and what reads others; it gives them as `Signatures.hold` does."""
    fitted: set[tuple[Any, ...]] = set()
    first = int(space == "Tensor")

    def read(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Held:
        found = kinds(args, kwargs)
        if found in fitted or (signatures := lookup(name, space)) is None:
            return args, kwargs
        if first:
            refuse_unbound(name, args)
        given = args[first:]
        rest, named, always = signatures.hold(given, kwargs)
        if always:
            fitted.add(found)
        return args if rest is given else (*args[:first], *rest), named

    return fitted, read


#: stands for an argument that was not given
_NOTHING: Any = object()


def _given(a: Any, b: Any) -> tuple[Any, ...]:
    """The arguments that were given, of two."""
    return () if a is _NOTHING else (a,) if b is _NOTHING else (a, b)


# Both name the first three arguments, since most calls have no more: passing them on costs half of what a tuple does.


def _reading_first(call: Function, name: str, space: str) -> Function:
    fitted, read = _reader(name, space)

    def checked(a: Any = _NOTHING, b: Any = _NOTHING, c: Any = _NOTHING, /, *more: Any, **kwargs: Any) -> Any:
        try:
            if not kwargs and not more:
                if b is _NOTHING:
                    if (type(a),) in fitted:
                        return call(a)
                elif c is _NOTHING:
                    if (type(a), type(b)) in fitted:
                        return call(a, b)
                elif (type(a), type(b), type(c)) in fitted:
                    return call(a, b, c)
            args = (a, b, c, *more) if c is not _NOTHING else (a,) if b is _NOTHING is not a else _given(a, b)
            if (kwargs or more) and (*map(type, args), *kwargs, *map(type, kwargs.values())) in fitted:
                return call(*args, **kwargs)
            try:
                args, named = read(args, kwargs)
            except TypeError:
                if stands_in(args, kwargs):
                    return checked(*args, **kwargs)
                raise
            return call(*args, **named)
        except MemoryError as error:
            raise out_of_memory(error) from None

    return checked


def _reading_late(call: Function, name: str, space: str) -> Function:
    first = int(space == "Tensor")
    _, read = _reader(name, space)

    def checked(a: Any = _NOTHING, b: Any = _NOTHING, c: Any = _NOTHING, /, *more: Any, **kwargs: Any) -> Any:
        try:
            if not kwargs and not more:
                if b is _NOTHING:
                    if a is not _NOTHING:
                        return call(a)
                elif c is _NOTHING:
                    return call(a, b)
                else:
                    return call(a, b, c)
            args = (a, b, c, *more) if c is not _NOTHING else (a,) if b is _NOTHING is not a else _given(a, b)
            if first and "out" in kwargs:
                raise TypeError("methods have no out=")
            return call(*args, **kwargs)
        except MemoryError as error:
            raise out_of_memory(error) from None
        except Exception as error:
            args = (a, b, c, *more) if c is not _NOTHING else _given(a, b)
            if not isinstance(error, (TypeError, AttributeError)):
                explain(name, args[first:], kwargs, space)  # arguments are read before anything else
                raise
            if stands_in(args, kwargs):
                return checked(*args, **kwargs)
            held, named = read(args, kwargs)
            if first and not kwargs and len(args) > 2 and all(type(arg) is int for arg in args[1:]):
                return call(args[0], args[1:])  # a list written out, which the method takes as one
            if held is args and named is kwargs:
                raise
        return call(*held, **named)

    return checked


def taking_one_list(call: Function, name: str) -> Function:
    """A function that takes its sizes or dimensions as one tuple or list; its method takes them one by one too."""

    def function(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != 2 or not isinstance(args[1], (tuple, list)) or not isinstance(args[0], Tensor):
            explain(name, args, kwargs, "torch")
        try:
            return call(*args, **kwargs)
        except TypeError as error:
            failed = error
        explain(name, args, kwargs, "torch")  # which counts the tensor too
        raise failed

    return _in_place_of(call, function, name)


def reading(text: str, out: Any = None) -> Callable[[F], F]:
    """Decorator that declares the signatures of a function that is no operation of the table, and holds calls
    against them."""

    def declared(fn: F) -> F:
        name = name_of(text)
        made = checking(signatures(text, out=out)(fn), name, space_of(name), "first")
        made.__name__, made.__qualname__ = name, fn.__name__  # by the latter pickle finds it
        made.__module__ = fn.__module__
        made.__wrapped__ = fn
        return cast(F, made)

    return declared


def inner(text: str) -> Function:
    """Declare a C function that a function which PyTorch writes in Python calls in the end; returns a function that
    refuses arguments which do not fit it."""
    name = declare(text)
    PLAIN.add(name)
    fitted, read = _reader(name, space_of(name))

    def check(*args: Any, **kwargs: Any) -> None:
        found = (*map(type, args), *kwargs, *map(type, kwargs.values())) if kwargs else tuple(map(type, args))
        if found not in fitted:
            read(args, kwargs)

    return looped(check, name)


def called_by(flags: Mapping[str, int], names: Mapping[tuple[bool, ...], str]) -> Callable[[F], F]:
    """Decorator for a function that PyTorch writes as several, one for each choice of flags, which are given by name or
    at a place: Python's errors about its arguments name the one that is meant."""

    def register(fn: F) -> F:
        forms = {key: another(fn) for key in names}
        for key, form in forms.items():
            form.__qualname__ = names[key]

        @functools.wraps(fn)
        def chosen(*args: Any, **kwargs: Any) -> Any:
            given = [kwargs.get(flag, args[at] if len(args) > at else False) for flag, at in flags.items()]
            return forms[tuple(map(bool, given))](*args, **kwargs)

        chosen.__dict__["one_of"] = fn  # whose signature help shows
        return cast(F, chosen)

    return register


def _in_place_of(call: Function, made: Any, name: str) -> Function:
    made.__name__ = made.__qualname__ = name
    made.__module__ = "torch"
    made.__doc__ = call.__doc__
    made.__annotations__ = getattr(call, "__annotations__", {})
    made.__wrapped__ = getattr(call, "__wrapped__", call)
    return made


def _third_named(call: Function, keyword: str) -> Function:
    """The function, whose third argument in a row is the keyword."""

    @functools.wraps(call)
    def named(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 3:
            return call(*args[:2], **{keyword: args[2]}, **kwargs)
        return call(*args, **kwargs)

    return named


def alias(
    declaration: str,
    of: str,
    method: bool = True,
    function: bool = True,
    reads: Reads = "late",
    named: bool = True,
    third: str = "",
) -> None:
    """A second name for an operation. Its signatures are those of the operation, unless the declaration has others.
    named: whether errors of the function say this name, not the operation's. third: the keyword of the operation that a
    third argument in a row means, where the operation itself takes it for another."""
    name = declare(declaration)
    if name != of:
        ALIASES[name] = of
    if not named:
        UNNAMED.add(name)
    fn = operation(of)
    own = Tensor.__dict__.get(of, fn)
    if third:
        fn, own = _third_named(fn, third), _third_named(own, third)
    setattr(TENSORS, name, fn)
    if function:
        FUNCTIONS[name] = _in_place_of(fn, checking(fn, name, space_of(name), reads), name)
    if method:
        attach(name, checking(own, name, "Tensor", reads))
