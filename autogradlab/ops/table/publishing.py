"""Offering operations: the names under which functions and methods are found, and their second names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.arguments.declared import ALIASES, declare
from ...core.arguments.params import OTHER_NAMES
from ...core.recording.record import TENSORS
from ...core.runtime.help import Help
from ...core.tensor.tensor import Tensor
from .arguments import misfit
from .families import FUNCTIONS, attach, operation

__all__ = ["alias", "composite", "publish"]

Function = Callable[..., Any]


def composite(
    declaration: str = "",
    *,
    method: bool = True,
    function: bool = True,
    checked: bool = False,
    one_list: bool = False,
    out: Any = None,
) -> Callable[[Any], Any]:
    """Decorator for an operation written on Tensors in terms of others; it has no Node of its own."""

    def register(fn: Function) -> Function:
        rules = {"checked": checked, "one_list": one_list}
        publish(declaration or fn.__name__, fn, method, function, fn.__doc__ or "", out, **rules)
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
    checked: bool = False,
    one_list: bool = False,
    as_method: Any = None,
) -> None:
    """Give a function its name and offer it as `torch.name` and `Tensor.name`.

    declaration: its signatures, or the bare name of a function that has none, or whose signatures stand elsewhere.
    checked: whether a call that Python refuses (a string for a dimension) is held against the signatures, so that the
    error is PyTorch's. one_list: whether the function takes sizes or dimensions as one tuple or list only, the
    method one by one too. as_method: what the method is, if not that very function: one that counts arguments as
    methods do.
    """
    name = declare(declaration, doc, out)
    help = Help(name, doc)  # texts and signature, when somebody looks
    _dress(fn, name, help)
    setattr(TENSORS, name, fn)
    if function:
        form = taking_one_list(fn, name) if one_list else fn
        FUNCTIONS[name] = checking(form, name, "torch") if checked else form
    if method and not name.startswith("special_"):
        form = _dress(as_method, name, help) if as_method else fn
        attach(name, checking(form, name, "Tensor") if checked else form)


def _dress(fn: Any, name: str, help: Help) -> Any:
    fn.__name__ = fn.__qualname__ = name
    fn.__module__ = "torch"
    fn.__doc__ = fn.__wrapped__ = help
    return fn


def checking(call: Function, name: str, space: str) -> Function:
    """A function (`space` "torch") or a method ("Tensor") that refuses in PyTorch's words what Python refuses."""

    def checked(*args: Any, **kwargs: Any) -> Any:
        try:
            return call(*args, **kwargs)
        except (TypeError, AttributeError):
            misfit(name, args, kwargs, space)
            if not kwargs.keys() & OTHER_NAMES.keys():
                raise
        return call(*args, **{OTHER_NAMES.get(key, key): value for key, value in kwargs.items()})

    return _in_place_of(call, checked, name)


def taking_one_list(call: Function, name: str) -> Function:
    """A function that takes its sizes or dimensions as one tuple or list; its method takes them one by one too."""

    def function(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != 2 or not isinstance(args[1], (tuple, list)):
            misfit(name, args, kwargs, "torch")
        return call(*args, **kwargs)

    return _in_place_of(call, function, name)


def _in_place_of(call: Function, made: Any, name: str) -> Function:
    made.__name__ = made.__qualname__ = name
    made.__module__ = "torch"
    made.__doc__ = call.__doc__
    made.__wrapped__ = getattr(call, "__wrapped__", call)
    return made


def alias(declaration: str, of: str, method: bool = True, function: bool = True, checked: bool = False) -> None:
    """A second name for an operation. Its signatures are those of the operation, unless the declaration has others."""
    name = declare(declaration)
    if name != of:
        ALIASES[name] = of
    fn = operation(of)
    setattr(TENSORS, name, fn)
    if function:
        FUNCTIONS[name] = checking(fn, name, "torch") if checked else fn
    if method:
        attach(name, checking(fn, name, "Tensor") if checked else Tensor.__dict__.get(of, fn))
