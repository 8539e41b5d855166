"""Objects that override operations on tensors, and modes that intercept every operation (mirrors `torch.overrides`).

`core/tensor/overriding.py` tells how operations come to ask them; here is told which functions do.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial, wraps
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from .autograd import frontend
from .autograd.graph import GradientEdge
from .core.arguments.declared import ALIASES, DECLARED
from .core.runtime import modes
from .core.tensor import overriding
from .core.tensor.mode_stack import ModeStack
from .core.tensor.tensor import Tensor
from .ops.reference.signing import shown
from .ops.reference.texts import canonical
from .ops.reference.written import IN_PYTHON
from .ops.table.families import FUNCTIONS, LazyName, load_all

__all__ = [
    "get_default_nowrap_functions",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "redispatch_function",
    "resolve_name",
    "wrap_torch_function",
]

_ROOT = __name__.rpartition(".")[0]
#: namespaces whose functions ask, and what errors call them
_SPACES = ("functional", "nn.functional", "nn.init", "linalg", "fft", "special")
#: functions whose arguments are not tensors yet: only modes hear of them
_OF_DATA = {"tensor", "as_tensor", "asarray", "from_dlpack"}
#: functions that ask nobody
_UNHEARD = {"broadcast_shapes", "from_numpy", "frombuffer", "range"}
#: what of Tensor asks nobody
_SILENT = {
    "__class_getitem__",
    "__dir__",
    "__getattribute__",
    "__hash__",
    "__init__",
    "__init_subclass__",
    "__iter__",
    "__new__",
    "__torch_function__",
    "_extra",
    "_made_by",
    "as_subclass",
    "is_distributed",
    "_make_subclass",
}
#: operators, and the methods under whose name objects hear of them; others keep their own
_OPERATORS = {
    "__add__": "add",
    "__radd__": "add",
    "__iadd__": "add_",
    "__sub__": "sub",
    "__isub__": "sub_",
    "__mul__": "mul",
    "__rmul__": "mul",
    "__imul__": "mul_",
    "__truediv__": "div",
    "__itruediv__": "div_",
    "__ifloordiv__": "floor_divide_",
    "__mod__": "remainder",
    "__imod__": "remainder_",
    "__matmul__": "matmul",
    "__rand__": "bitwise_and",
    "__ror__": "bitwise_or",
    "__rxor__": "bitwise_xor",
    "__ne__": "ne",
    "__lt__": "lt",
    "__le__": "le",
    "__gt__": "gt",
    "__ge__": "ge",
}
#: methods that are others under a second name
_SECOND = {"ndimension": "dim", "nelement": "numel"}
#: what the second operand of those may be that PyTorch has compiled
_OPERANDS = (Tensor, int, float, complex, np.generic)
_BINARY = {
    *_OPERATORS,
    "__eq__",
    "__ipow__",
    "__pow__",
    *(f"__{side}{name}__" for side in ("", "r", "i") for name in ("and", "or", "xor", "lshift", "rshift", "floordiv")),
    *("__rsub__", "__rtruediv__", "__rpow__", "__rmod__", "__rmatmul__"),
}


def _functions() -> Iterator[tuple[str, Any]]:
    """Every function that asks, of every namespace, under its full name."""
    load_all()
    torch = import_module(_ROOT)
    for space in _SPACES:
        module = import_module(f"{_ROOT}.{space}")
        for name in getattr(module, "__all__", dir(module)):
            value = getattr(module, name)
            if type(value) is LazyName:
                value = value.found()
            asked = name in IN_PYTHON["torch.nn.init"].split() if space == "nn.init" else name not in _UNHEARD
            if asked and name[0].islower() and type(value) is FunctionType:
                yield f"torch.{space}.{name}", value
    names = import_module(f"{_ROOT}.nn.namespace").NAMES
    for name in sorted({*FUNCTIONS, *names}):
        if not name.startswith("special_") and name not in _UNHEARD:
            yield f"torch.{name}", getattr(torch, name)
    yield "torch.autograd.grad", frontend.grad
    yield "torch.autograd.backward", frontend.backward


def _members() -> Iterator[tuple[str, Any]]:
    """Every method and property of Tensor that asks, by its name."""
    for base in reversed(Tensor.__mro__[:-1]):
        for name, value in list(vars(base).items()):
            if name not in _SILENT and isinstance(value, (FunctionType, property)):
                yield name, value


def _pieces(name: str, value: Any) -> Iterator[tuple[str, Any, Any]]:
    """What is called for a property: its name, the function, and what objects are told that was called."""
    yield f"{name}.__get__", value.fget, value.__get__
    if value.fset is not None:
        yield f"{name}.__set__", value.fset, value.__set__
    if value.fdel is not None:
        yield f"{name}.__delete__", value.fdel, value.__delete__


#: how to take the gates of all functions and methods away again; empty where they have none
_gates: list[Callable[[], None]] = []


def arm() -> bool:
    """Let every function and method ask the objects that it is given, from the first call of this on; whether it was
    the first. Loads all families of operations."""
    if _gates:
        return False
    try:
        _set_gates()
    except BaseException:
        disarm()
        raise
    return True


#: methods without parameters, beside those of which that is declared
_ALONE = {
    "__abs__",
    "__bool__",
    "__complex__",
    "__float__",
    "__index__",
    "__int__",
    "__invert__",
    "__long__",
    "__neg__",
    "__nonzero__",
    "__pos__",
    "_is_view",
    "apply_",
    "conj_physical_",
    "det",
    "detach_",
    "is_inference",
    "new",
    "new_tensor",
    "resolve_conj",
    "resolve_neg",
    "retain_grad",
    "t_",
    "zero_",
}
#: how that is declared
_LINE = re.compile(r"\s*\w+\(Tensor input(, \*, Tensor(\[\d\])? out=None)?\) -> [^\n]*\s*")
#: names under which objects hear of methods that have others
_TOLD_AS = {"__pow__": "pow", "__ipow__": "pow_", "__rtruediv__": "__rdiv__"}
#: the objects that such a function asks, and the arguments as it tells them, by position and by name
Told = tuple[Iterable[Any], Sequence[Any], dict[str, Any]]


#: the parameter without a default that a method tells by its name, and that method
_BY_NAME = ("array", "__array_wrap__")


def _told(function: Any, full: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Told:
    """Whom a function asks, and what it tells them; TypeError where it cannot take the arguments."""
    space, _, name = full.rpartition(".")
    signature = inspect.signature(function)
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    given: list[Any] = []
    named: dict[str, Any] = {}
    for key, value in bound.arguments.items():
        parameter = signature.parameters[key]
        if parameter.kind is parameter.VAR_POSITIONAL:
            given.extend(value)
        elif parameter.default is parameter.empty and space != "torch.nn.init" and (key, name) != _BY_NAME:
            given.append(value)
        else:
            named[key] = value
    if space == "torch.autograd":
        return _told_by_autograd(function, given, named)
    own = space == "torch.Tensor" and name not in _BINARY and name != "module_load"
    asked = given[:1] if own else overriding.spread((*given, *named.values()))
    return asked, given, named


def _told_by_autograd(function: Any, given: list[Any], named: dict[str, Any]) -> Told:
    """autograd.grad and backward tell tensors as tuples, and do not ask the gradients of the outputs."""
    outputs = _as_tuple(given[0])
    if function is frontend.grad:
        if named["allow_unused"] is None:
            named["allow_unused"] = named["materialize_grads"]
        inputs = _as_tuple(tuple(given[1].values()) if type(given[1]) is dict else given[1])
        return (*outputs, *inputs), (outputs, inputs), named
    named["grad_tensors"] = frontend.weights(named["grad_tensors"], named.pop("grad_variables"), stacklevel=8)
    if named["inputs"] is not None:
        named["inputs"] = frontend.inputs_of(named["inputs"], "backward")
    return (*outputs, *(named["inputs"] or ())), (outputs,), named


def _handler(function: Any, full: str) -> overriding.Handler | None:
    """How a function that PyTorch writes in Python asks; None for all others."""
    space, _, name = full.rpartition(".")
    if name not in IN_PYTHON.get(space, "").split():
        return None

    def handled(args: tuple[Any, ...], kwargs: dict[str, Any], below: Callable[..., Any]) -> Any:
        try:
            asked, given, named = _told(function, full, args, kwargs)
        except TypeError:
            return below(args, kwargs)
        if not has_torch_function(asked := tuple(asked)):
            return below(args, kwargs)
        try:
            return _handed(function, full.replace("torch.Tensor.", "torch._tensor."), asked, tuple(given), named)
        except TypeError:
            if name in _BINARY:
                return NotImplemented
            raise

    return handled


def _as_tuple(given: Any) -> tuple[Any, ...]:
    return (given,) if is_tensor_like(given) or isinstance(given, GradientEdge) else tuple(given)


def _is_alone(name: str) -> bool:
    """Whether a method takes nothing beside the tensor."""
    base = ALIASES.get(name, name)
    base = base if base in DECLARED else base.removesuffix("_")
    declared = DECLARED.get(ALIASES.get(base, base))
    if name in _ALONE or declared is None:
        return name in _ALONE
    return _LINE.fullmatch(declared.text) is not None


def _asking() -> Iterator[tuple[Any, Any, str, dict[str, Any]]]:
    """Every function that asks, with what objects are told was called, what errors call that, and options of a gate."""
    functions = list(_functions())
    for name, value in list(_members()):
        full = f"torch.Tensor.{name}"
        if isinstance(value, property):
            for part, function, func in _pieces(full, value):
                yield function, func, part, {"alone": True}
            continue
        method = _OPERATORS.get(name) or _SECOND.get(name)
        handler = _handler(value, full)
        options: dict[str, Any] = {"operator": name in _BINARY, "alone": _is_alone(name), "handled": handler}
        if name in _BINARY and name != "__eq__" and handler is None:  # PyTorch has compiled it
            options["beside"] = (Tensor,) if name == "__matmul__" else _OPERANDS
        if method is None:
            yield value, value, full, options
        else:
            yield value, getattr(Tensor, method), f"torch.Tensor.{method}", options
    for name, value in functions:
        options = {"modes_only": name.rpartition(".")[2] in _OF_DATA, "handled": _handler(value, name)}
        yield value, value, name, options


def _set_gates() -> None:
    known: set[int] = set()
    for function, func, name, options in list(_asking()):
        if type(function) is not FunctionType or id(function) in known:
            continue
        known.add(id(function))
        is_method = function is func and name.startswith("torch.Tensor.")
        if is_method and getattr(Tensor, function.__name__, None) is not function:
            _gates.append(partial(setattr, function, "__name__", function.__name__))
            short = name.rpartition(".")[2]
            function.__name__ = _TOLD_AS.get(short, short)
        _gates.append(overriding.gate(function, func, name, **options))


def disarm() -> None:
    """No function asks, as before the first class that overrides appeared: for tests of what plain tensors cost."""
    while _gates:
        _gates.pop()()


#: functions that ask but are not counted among those that can be overridden
_UNNAMED = (frontend.grad, frontend.backward)


@cache
def _index() -> dict[Any, str]:
    """The full names of all functions, methods and properties that ask."""
    found: dict[Any, str] = {}
    for _, func, name, _ in _asking():
        found.setdefault(func, name)
    for name in (*_OPERATORS, *_SECOND):
        found.setdefault(getattr(Tensor, name), f"torch.Tensor.{name}")
    return found


@cache
def _overridable() -> dict[Any, str]:
    """Those of them that can be given an object: functions of data, and those that are given no tensor but out=, ask
    modes alone."""
    return {func: name for func, name in _index().items() if func not in _UNNAMED and _takes_objects(name)}


def _takes_objects(name: str) -> bool:
    space, _, short = name.rpartition(".")
    if not space.startswith(("torch.Tensor", "torch.nn.init")) and "_" in (short[0], short[-1]):
        return False
    if space != "torch" or short not in DECLARED:
        return short not in _OF_DATA
    return re.search(r"\bTensor(\?|\[\])* (?!out\b)", DECLARED[short].text) is not None


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """The functions and methods that dispatch to `__torch_function__`, by namespace."""
    torch = import_module(_ROOT)
    found: dict[Any, list[Callable[..., Any]]] = {}
    for func, name in _overridable().items():
        parts = name.split(".")[1:]
        if parts[0] == "Tensor" and parts[-1] == "__get__":
            space: Any = vars(Tensor)[parts[1]]
        elif parts[-1] in ("__set__", "__delete__") or parts[:2] == ["nn", "init"]:
            continue
        else:
            space = torch
            for part in parts[:-1]:
                space = getattr(space, part)
        found.setdefault(space, []).append(func)
        if parts[0] == "functional":
            found.setdefault(torch, []).append(func)
    return found


@cache
def get_ignored_functions() -> set[Callable[..., Any]]:
    """The functions of torch that do not dispatch, since they take no tensors or must not be overridden."""
    torch = import_module(_ROOT)
    asking = _overridable()
    public = (getattr(torch, name) for name in dir(torch) if name[0].islower())
    found = {value for value in public if callable(value) and not isinstance(value, ModuleType) and value not in asking}
    return found | {getattr(Tensor, name) for name in _SILENT if hasattr(Tensor, name)}


@cache
def get_testing_overrides() -> dict[Callable[..., Any], Callable[..., Any]]:
    """For each function, method and property that asks, a function with its arguments that returns -1: what tests that
    objects are asked put in their place."""
    return {func: _dummy(func, name) for func, name in _overridable().items()}


def _dummy(func: Any, name: str) -> Callable[..., Any]:
    accepted = [_bare(signature) for signature in _signatures(func, name)]

    def dummy(*args: Any, **kwargs: Any) -> int:
        for signature in accepted[1:]:
            with suppress(TypeError):
                signature.bind(*args, **kwargs)
                return -1
        accepted[0].bind(*args, **kwargs)
        return -1

    vars(dummy)["__signature__"] = accepted[0]
    return dummy


def _signatures(func: Any, name: str) -> Sequence[inspect.Signature]:
    """Those of all overloads of a function that asks, the main one in front."""
    if func.__name__ in _SLOTS:
        return (_SLOTS[func.__name__],)
    return (inspect.signature(func), *shown(canonical(name.partition(".")[2])))


def _bare(signature: inspect.Signature) -> inspect.Signature:
    plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return inspect.Signature([p.replace(default=None) if p.kind is p.KEYWORD_ONLY else p for p in plain])


def _parameters(*names: str) -> inspect.Signature:
    return inspect.Signature([inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in names])


#: what properties are called by, whose own parameters Python does not tell as the object's
_SLOTS = {"__get__": _parameters("self"), "__set__": _parameters("self", "value"), "__delete__": _parameters("self")}


@cache
def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    """What gives back a tensor that is stored, not a new one: results of subclasses are not wrapped in them."""
    return {vars(Tensor)[name].__get__ for name in ("_base", "grad")}


def is_tensor_like(inp: Any) -> bool:
    """Whether an object is a Tensor or says that it stands for one."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def has_torch_function(relevant_args: Sequence[Any]) -> bool:
    """Whether a function has to dispatch: an object has a `__torch_function__` of its own, or a mode is active."""
    if not isinstance(relevant_args, Sequence):
        raise TypeError("expected a sequence")
    state = modes.current()
    if state.passing_over:
        state.passing_over = False
        return False
    if state.function_modes and state.overriding != overriding.ALL_DISABLED:
        return True
    return not state.overriding and any(overriding.overrides(type(arg)) for arg in relevant_args)


def has_torch_function_unary(argument: Any) -> bool:
    return has_torch_function((argument,))


def has_torch_function_variadic(*arguments: Any) -> bool:
    return has_torch_function(arguments)


def handle_torch_function(public_api: Any, relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """Dispatch a function to the modes and objects: to the innermost mode, then to objects of the most specific class
    first."""
    return _handed(public_api, f"{public_api.__module__}.{public_api.__name__}", relevant_args, args, kwargs)


def _handed(
    public_api: Any, name: str, relevant_args: Iterable[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    state = modes.current()
    objects = [] if state.overriding else overriding.collect(relevant_args, plain=True)
    stack = state.function_modes
    result = overriding.ask(public_api, objects, args, kwargs, stack)
    if result is not NotImplemented:
        return result
    message = (
        f"no implementation found for '{name}' on types that implement __torch_function__: "
        f"{[type(arg) for arg in objects]}"
    )
    raise TypeError(message + (f" nor in mode {stack[-1]}" if stack else ""))


def redispatch_function(func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
    """Call a function from the `__torch_function__` that was asked for it, which is not asked once more; of what the
    function calls, it is. `types` is what was handed to `__torch_function__`, and not used.

    Example:
        >>> import autogradlab as torch
        >>> class Told(torch.Tensor):
        ...     @classmethod
        ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
        ...         print(func.__name__)
        ...         return torch.overrides.redispatch_function(func, types, args, kwargs)
        >>> torch.ones(2).as_subclass(Told) + 1
        add
        tensor([2., 2.])

    Mirrors `torch.overrides.redispatch_function`.
    """
    state = modes.current()
    before = state.passing_over
    try:
        state.passing_over = True
        return func(*args, **(kwargs or {}))
    finally:
        state.passing_over = before


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[[Any], Any]:
    """Decorator that makes a function dispatch on the objects that `dispatcher` returns for its arguments."""

    def inner(func: Any) -> Any:
        @wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped

    return inner


def is_tensor_method_or_property(func: Any) -> bool:
    """Whether something is a method or property of Tensor."""
    return getattr(func, "__name__", "") == "__get__" or _index().get(func, "").startswith("torch.Tensor.")


def resolve_name(f: Any) -> str | None:
    """The public name of a function that objects can override, as `torch.add`."""
    return None if f in _UNNAMED else _index().get(f)


_MODES = ModeStack("function_modes", arm)


class TorchFunctionMode:
    """A context in which every call of a torch function goes to `__torch_function__` of the mode."""

    __module__ = "torch.overrides"

    inner: TorchFunctionMode

    def __init__(self) -> None:
        pass

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        _MODES.push(self)
        return self

    def __exit__(self, *error: object) -> None:
        _MODES.pop()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        """The old way to make one."""
        warnings.warn("`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`", stacklevel=2)
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that carries calls out as they are."""

    __module__ = "torch.overrides"

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


_get_current_function_mode = _MODES.innermost
_get_current_function_mode_stack = _MODES.all
_push_mode = _MODES.push
_pop_mode = _MODES.pop
_pop_mode_temporarily = _MODES.paused


@contextmanager
def _enable_torch_function() -> Iterator[None]:
    """A context in which objects and modes are asked, within one in which they are not."""
    with overriding.EnableTorchFunction():
        yield
