"""Objects that stand for tensors and say themselves what operations on them do: `__torch_function__`.

Operations on plain tensors must not pay for this. So functions and methods ask nobody at first; when a class with
`__torch_function__` appears, `gate` changes their code, for the rest of the process: the function objects stay the
same, since programs compare them (`func is torch.add`) and keep them in tables, but now hand their arguments to a gate,
which asks. Which functions these are is told by `autogradlab/overrides.py`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import CodeType, EllipsisType, FunctionType, NoneType
from typing import Any

from ..runtime.beside import refuse_function, refuse_tensors
from ..runtime.help import Help
from ..runtime.modes import LOCAL
from ..runtime.warn import warn_once

__all__ = [
    "ALL_DISABLED",
    "PLAIN",
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "EnableTorchFunction",
    "Unbound",
    "another",
    "ask",
    "cast_within",
    "collect",
    "disabled",
    "gate",
    "have_few_kernels",
    "hand_on",
    "have_hollow_tensors",
    "on_first_override",
    "overrides",
    "run_forward",
    "spread",
    "stands_in",
    "watch_dispatch",
]

#: what a thread's `State.overriding` can be
ENABLED, SUBCLASSES_DISABLED, ALL_DISABLED = range(3)
#: what runs a call: its name, what to call, its arguments
Through = Callable[[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
#: runs a call where some tensors have no contents; None before there is one
off_memory: Through | None = None
#: runs a call where PyTorch may have no kernel for a dtype; None before there is a tensor of one of those
few_kernels: Through | None = None
#: runs a call while forward mode differentiates; None while no level of it is open
forward: Through | None = None
#: runs a call where `__torch_dispatch__` may be asked (`dispatching.py`); None before there is a mode or class with it
dispatching: Through | None = None
#: types of arguments that are never asked; Tensor adds itself
PLAIN: set[type] = {int, float, bool, complex, str, NoneType, slice, EllipsisType}

_AS_METHOD = (
    "Defining your `__torch_function__` as a plain method is deprecated and will be an error in future, please define "
    "it as a classmethod."
)
_CLASS_METHOD = (
    "Defining your mode's `__torch_function__` as a classmethod is not supported, please make it a plain method"
)


class Unbound:
    """A function that stays what it is as the attribute of a class, as functions of C do."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__wrapped__ = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__wrapped__(*args, **kwargs)


@Unbound
def disabled(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """As the `__torch_function__` of a class: its objects are plain tensors to every operation."""
    refuse_function(func, types)
    return func(*args, **(kwargs or {}))


def overrides(kind: type) -> bool:
    """Whether objects of a type say themselves what operations on them do."""
    if kind in PLAIN:
        return False
    return getattr(kind, "__torch_function__", disabled) is not disabled


class OnFirstOverride:
    """What is to be done when the first class that overrides appears; nothing, until the package is whole."""

    def __init__(self) -> None:
        #: gives functions their gates; whether they had none
        self.arm: Callable[[], bool] = lambda: False
        #: what `off_memory` is to be (`ops/table/memoryless.py`)
        self.through: Through | None = None


on_first_override = OnFirstOverride()


def have_hollow_tensors() -> None:
    """From now on there are tensors without contents."""
    global off_memory
    if off_memory is None:
        off_memory = on_first_override.through
        on_first_override.arm()


def have_few_kernels(through: Through) -> None:
    """From now on calls are run by `through`, which refuses dtypes."""
    global few_kernels
    if few_kernels is None:
        few_kernels = through
        on_first_override.arm()


def watch_dispatch(through: Through) -> None:
    """From now on calls are run by `through`, which knows of what modes with `__torch_dispatch__` can be told."""
    global dispatching
    if dispatching is None:
        dispatching = through
        on_first_override.arm()


def run_forward(through: Through | None) -> None:
    """From now on calls are run by `through`, until this is called with None."""
    global forward
    forward = through
    if through is not None:
        on_first_override.arm()


def stands_in(args: Iterable[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a call that is being refused was the first with an object, no Tensor, that overrides: the function, which
    has its gate now, is to be called again."""
    given = (*spread(args), *spread(kwargs.values()))
    return any(overrides(type(arg)) for arg in given) and on_first_override.arm()


class _Disabling:
    """A context in which a thread asks fewer objects, or none."""

    level = ENABLED

    def __enter__(self) -> None:
        state = LOCAL.state
        self._before = state.overriding
        state.overriding = max(state.overriding, self.level)

    def __exit__(self, *error: object) -> None:
        LOCAL.state.overriding = self._before


class DisableTorchFunctionSubclass(_Disabling):
    """A context in which no object is asked; modes still are."""

    __module__ = "torch._C"
    level = SUBCLASSES_DISABLED


class DisableTorchFunction(_Disabling):
    """A context in which neither objects nor modes are asked."""

    __module__ = "torch._C"
    level = ALL_DISABLED


class EnableTorchFunction:
    """While it lives all are asked again, within a context in which fewer are; as a context it lives to its end."""

    __module__ = "torch._C"
    __qualname__ = "_EnableTorchFunction"

    def __init__(self) -> None:
        self._state = LOCAL.state
        self._before: int | None = self._state.overriding
        self._state.overriding = ENABLED

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            self._state.overriding, self._before = self._before, None

    __del__ = __exit__


def collect(args: Iterable[Any], plain: bool = False) -> list[Any]:
    """The first object of each type that overrides, in the order in which they are asked: those of subclasses before
    those of their base classes, else from left to right. plain: whether plain tensors are among them."""
    found: list[Any] = []
    for arg in args:
        kind = type(arg)
        asked = overrides(kind) or (plain and kind in PLAIN and hasattr(kind, "__torch_function__"))
        if not asked or any(type(other) is kind for other in found):
            continue
        place = next((i for i, other in enumerate(found) if issubclass(kind, type(other))), len(found))
        found.insert(place, arg)
    return found


def spread(args: Iterable[Any]) -> Iterable[Any]:
    """The arguments of a call, and the items of those that are lists and tuples."""
    for arg in args:
        if isinstance(arg, (list, tuple)):
            yield from arg
        else:
            yield arg


def ask(
    func: Any, objects: list[Any], args: tuple[Any, ...], kwargs: Mapping[str, Any] | None, modes: list[Any]
) -> Any:
    """What the innermost mode, or else one of the objects, gives for a call; NotImplemented if all decline. Of a call
    without keywords (None) they are told none, so that their own default stands."""
    told = (func, tuple(map(type, objects)), args, *(() if kwargs is None else (kwargs,)))
    if modes:
        mode, before = modes[-1], modes[:]
        try:
            del modes[-1]
            method = mode.__torch_function__
            if getattr(method, "__self__", None) is not mode:
                raise RuntimeError(_CLASS_METHOD)
            result = method(*told)
        finally:
            modes[:] = before
        if result is not NotImplemented:
            return result
    for arg in objects:
        method = arg.__torch_function__
        if getattr(method, "__self__", None) is arg:
            warn_once(_AS_METHOD, at="torch/csrc/utils/python_arg_parser.cpp:359")
        result = method(*told)
        if result is not NotImplemented:
            return result
    return NotImplemented


def cast_within(namespace: Any) -> Any:
    """A namespace of operations for the inside of one that is made of others: under autocast, they are cast."""
    casting = LOCAL.state.casting
    return namespace if casting is None else casting.over(namespace)


def another(function: Any) -> Any:
    """The same function as another object."""
    if type(function) is not FunctionType:
        return function
    made = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__, made.__qualname__ = function.__kwdefaults__, function.__qualname__
    made.__module__, made.__doc__ = function.__module__, function.__doc__
    made.__dict__.update(function.__dict__)
    return made


#: gives what a call gives if objects or modes are asked of it, given its arguments and what runs it if none are
Handler = Callable[[tuple[Any, ...], dict[str, Any], Callable[[tuple[Any, ...], dict[str, Any]], Any]], Any]


def gate(
    function: FunctionType,
    func: Any,
    name: str,
    *,
    operator: bool = False,
    beside: tuple[type, ...] | None = None,
    modes_only: bool = False,
    alone: bool = False,
    handled: Handler | None = None,
) -> Callable[[], None]:
    """Let a function ask the objects among its arguments first, until what is returned is called.

    func: what they are told is called, `function` itself or, of a property, its `__get__`. name: what errors call it.
    operator: whether it answers NotImplemented where all decline, or one raises TypeError. beside: of an operator, the
    types of other operands that it knows; with any other it asks nobody, since it will decline. modes_only: whether it
    asks only modes. alone: whether it asks its first argument and no other, and tells modes of it whatever its type:
    properties, and methods without parameters. handled: of a function that chooses whom it asks, and in what form it
    tells the arguments.
    """
    call = another(function)
    vars(function)["_within_gate"] = call
    plain = PLAIN.issuperset

    def with_autocast(*args: Any, **kwargs: Any) -> Any:
        casting = LOCAL.state.casting
        return call(*args, **kwargs) if casting is None else casting.through(name, call, args, kwargs)

    def with_few_kernels(*args: Any, **kwargs: Any) -> Any:
        inner = with_autocast
        return inner(*args, **kwargs) if few_kernels is None else few_kernels(name, inner, args, kwargs)

    def with_hollow_tensors(*args: Any, **kwargs: Any) -> Any:
        inner = with_few_kernels
        return inner(*args, **kwargs) if off_memory is None else off_memory(name, inner, args, kwargs)

    def with_tangents(*args: Any, **kwargs: Any) -> Any:
        inner = with_hollow_tensors
        return inner(*args, **kwargs) if forward is None else forward(name, inner, args, kwargs)

    def with_dispatch(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        inner = with_tangents
        return inner(*args, **kwargs) if dispatching is None else dispatching(name, inner, args, kwargs)

    def overridden(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        state = LOCAL.state
        if state.passing_over:
            state.passing_over = False
            if handled is not None:
                return with_dispatch(args, kwargs)
            with DisableTorchFunction():  # what PyTorch has compiled asks nobody within
                return with_dispatch(args, kwargs)
        if beside is not None and len(args) == 2:
            if not (issubclass(type(args[1]), beside) or overrides(type(args[1]))):
                return with_dispatch(args, kwargs)
        level = state.overriding
        modes = [] if level == ALL_DISABLED else state.function_modes
        if alone:
            objects = [t for t in args[:1] if (modes or overrides(type(t))) and not level]
        else:
            objects = [] if level or modes_only else collect((*spread(args), *spread(kwargs.values())))
        if not objects and not modes:
            return with_dispatch(args, kwargs)
        refuse_tensors(name, objects)
        if handled is not None:
            return handled(args, kwargs, with_dispatch)
        try:
            result = ask(func, objects, args, kwargs or None, modes)
        except TypeError:
            if operator:
                return NotImplemented
            raise
        if result is NotImplemented and not operator:
            tried = [f"mode object {mode!r}" for mode in modes[-1:]] + [f"tensor subclass {type(o)}" for o in objects]
            raise TypeError(
                f"Multiple dispatch failed for '{name}'; all __torch_function__ handlers returned NotImplemented:\n\n"
                + "".join(f"  - {one}\n" for one in tried)
                + "\nFor more information, try re-running with TORCH_LOGS=not_implemented"
            )
        return result

    def pass_or_ask(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        state = LOCAL.state
        usual = not state.function_modes and state.casting is None and off_memory is None and few_kernels is None
        if usual and forward is None and dispatching is None and not kwargs and plain(map(type, args)):
            return call(*args)
        return overridden(args, kwargs)

    return hand_on(function, pass_or_ask, compiled=handled is None)


def hand_on(
    function: Any, to: Callable[[tuple[Any, ...], dict[str, Any]], Any], compiled: bool = False
) -> Callable[[], None]:
    """Let a function hand its arguments to another one, until what is returned is called. It keeps its signature; that
    of what PyTorch has compiled its help tells whoever asks."""
    code, defaults, named = function.__code__, function.__defaults__, function.__kwdefaults__

    def open_again() -> None:
        function.__code__, function.__defaults__, function.__kwdefaults__ = code, defaults, named
        if noted:
            del function.__signature__

    told = vars(function)
    helped = compiled and isinstance(told.get("__wrapped__"), Help)
    noted = not helped and "__signature__" not in told
    if noted:
        from inspect import signature  # loaded late: few processes get here

        function.__signature__ = signature(function)
    function.__code__ = _handing_on(len(code.co_freevars))
    function.__defaults__, function.__kwdefaults__ = None, {"_gate": to}
    return open_again


#: the file of that code: one of this package, so that what is told of the user's lines leaves it out
_GATE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "<gate>")


@cache
def _handing_on(count: int) -> CodeType:
    """The code of a function that hands its arguments to its `_gate`. It has `count` free variables, which it does not
    use: Python demands that a function keeps their number."""
    free = [f"free{i}" for i in range(count)]
    lines = [
        "def make():",
        *(f"    {name} = None" for name in free),
        "    def function(*args, _gate, **kwargs):",
        *(f"        if False: {name}" for name in free),
        "        return _gate(args, kwargs)",
        "    return function",
    ]
    made: dict[str, Any] = {}
    exec(compile("\n".join(lines), _GATE, "exec"), made)
    code: CodeType = made["make"]().__code__
    return code
