"""Modes and classes of tensors that are asked below autograd: `__torch_dispatch__`.

Autograd makes the Node of an operation; what the operation gives is then asked of the innermost mode, or of the classes
of its tensors, in the words of `torch.ops`. Nothing is recorded while they answer, unless they run a backward pass of
their own. Operations on plain tensors must not pay for this: `ops/table/asking.py` changes the code of their forms
(`forms`) when the first mode is entered or the first such class appears.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ..memory.reserved import Hollow
from ..runtime.modes import LOCAL
from .overriding import PLAIN, Unbound, spread

__all__ = [
    "answers",
    "ask",
    "asked",
    "concerned",
    "Unseen",
    "disabled",
    "known",
    "forms",
    "hollow",
    "instead",
    "note",
    "on_first_mode",
    "refuse_unheard",
    "twin",
]


#: the functions that carry out operations, each with what becomes of its calls while a mode or a class is asked: a
#: function that is called with it, the arguments and the keywords; or an entry of the op table, and what the function
#: is of it: the operation (""), the operator ("core") or that in place ("core_")
forms: dict[Any, Any] = {}


class Unseen(NotImplementedError):
    """A call of which a mode, or a class of tensors, with `__torch_dispatch__` cannot be told what PyTorch tells it."""


class Known:
    """What modes can be told of: functions and Nodes for which they hear the same as from PyTorch.

    `ops/operators/traced.txt` has their names; `tools/traces.py` finds them by comparing with the real PyTorch.
    """

    def __init__(self) -> None:
        self.names: frozenset[str] | None = None
        #: methods that know themselves of what can be told
        self.own: set[str] = set()
        #: while they are looked for, what was called: nothing is refused then
        self.called: set[str] | None = None

    def require(self, name: str) -> None:
        """Refuse what is not among them."""
        if self.called is not None:
            self.called.add(name)
        elif self.names is not None and name not in self.names:
            raise Unseen(f"autogradlab cannot tell a mode with __torch_dispatch__ what PyTorch would tell it of {name}")


known = Known()


class OnFirstMode:
    """What is to be done with the forms when the first mode is entered; nothing, until the package is whole."""

    def __init__(self) -> None:
        self.arm: Callable[[], None] = lambda: None
        #: whether there are classes that are asked: saved tensors may be of one
        self.classes = False
        #: calls a function with plain tensors in place of those whose classes would be asked
        self.plainly: Callable[[Any, Any, Any], Any] = lambda func, args, kwargs: func(*args, **kwargs)
        #: gives a function its gate at once, since the forms have theirs
        self.gate: Callable[[Any, Any], None] | None = None


on_first_mode = OnFirstMode()
F = TypeVar("F", bound=Callable[..., Any])


def instead(slow: Callable[..., Any]) -> Callable[[F], F]:
    """Decorator for what carries out an operation: while a mode or a class is asked, `slow` is called in its place,
    with the function itself, the arguments and the keywords of a call."""

    def noted(function: F) -> F:
        note(function, slow)
        return function

    return noted


def note(function: Any, slow: Any) -> None:
    """Note one of the `forms`."""
    if on_first_mode.gate is None:
        forms[function] = slow
    else:
        on_first_mode.gate(function, slow)


def twin(function: Any, copy: Any) -> Any:
    """Note that a copy of a function does what the function does."""
    if function in forms:
        forms[copy] = forms[function]
    return copy


@Unbound
def disabled(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """As the `__torch_dispatch__` of a class: its tensors are plain tensors to every operation."""
    return on_first_mode.plainly(func, args, kwargs or {})


def answers(kind: type) -> bool:
    """Whether tensors of a type say themselves what operations on them give."""
    return kind not in PLAIN and getattr(kind, "__torch_dispatch__", disabled) is not disabled


def hollow(t: Any) -> bool:
    """Whether the contents of a tensor are with its class alone."""
    return answers(type(t)) and type(t._array.base) is Hollow


def concerned(*tensors: Any) -> bool:
    """Whether a mode, or the class of one of these tensors, is to be asked of an operation on them."""
    return bool(LOCAL.state.dispatch_modes) or (on_first_mode.gate is not None and bool(asked(tensors, {})))


def refuse_unheard(what: str, tensors: Iterable[Any]) -> None:
    """Refuse what PyTorch does by operators, and is done here without them, while a mode or a class hears them all."""
    if on_first_mode.gate is None:
        return
    if any(getattr(m, "_hears_all", True) for m in LOCAL.state.dispatch_modes) or asked(tensors, {}):
        raise Unseen(f"autogradlab cannot tell a mode with __torch_dispatch__ what PyTorch would tell it of {what}")


def asked(args: Iterable[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """The tensors among the arguments of a call that are asked, one of each class, subclasses before their bases."""
    found: list[Any] = []
    if not on_first_mode.classes:
        return found
    for arg in (*spread(args), *spread(kwargs.values())):
        kind = type(arg)
        if not answers(kind) or any(type(other) is kind for other in found):
            continue
        place = next((i for i, other in enumerate(found) if issubclass(kind, type(other))), len(found))
        found.insert(place, arg)
    return found


def ask(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], told: list[Any] | None = None) -> Any:
    """What the innermost mode, or else the class of one of the tensors, gives for a call of an operator. told: the
    tensors whose types are told, and whose classes are asked, if that is not decided by their classes."""
    state = LOCAL.state
    tensors = asked(args, kwargs) if told is None else told
    types = tuple(map(type, tensors))
    stack, before = state.dispatch_modes, (state.below, state.formula, state.told)
    state.below, state.formula, state.told = True, False, False
    state.refresh()
    try:
        if stack:
            mode = stack.pop()
            try:
                result = mode.__torch_dispatch__(func, types, args, kwargs)
            finally:
                stack.append(mode)
            if result is not NotImplemented:
                return result
        for t in tensors:
            result = type(t).__torch_dispatch__(func, types, args, kwargs)
            if result is not NotImplemented:
                return result
    finally:
        state.below, state.formula, state.told = before
        state.refresh()
    tried = [f"mode object {mode!r}" for mode in stack[-1:]] + [f"tensor subclass {kind}" for kind in types]
    raise TypeError(
        f"Multiple dispatch failed for '{func.__module__}.{func.__name__}'; all __torch_dispatch__ handlers returned "
        "NotImplemented:\n\n"
        + "".join(f"  - {one}\n" for one in tried)
        + "\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )
