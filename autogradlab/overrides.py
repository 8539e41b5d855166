"""Questions about objects that stand for tensors (mirrors what programs use of `torch.overrides`).

Operations here do not call `__torch_function__`: a class that has it is found, but not asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .core.recording.record import TENSORS
from .core.tensor.tensor import Tensor

__all__ = [
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
]


def is_tensor_like(inp: Any) -> bool:
    """Whether an object is a Tensor or says that it stands for one."""
    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether one of the objects, which is no plain Tensor, has `__torch_function__`."""
    return any(not isinstance(a, Tensor) and hasattr(a, "__torch_function__") for a in relevant_args)


def has_torch_function_unary(argument: Any) -> bool:
    return has_torch_function((argument,))


def has_torch_function_variadic(*arguments: Any) -> bool:
    return has_torch_function(arguments)


def handle_torch_function(public_api: Any, relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """Ask the objects that have `__torch_function__`, the most special class first, for the result of a function."""
    found = [a for a in relevant_args if hasattr(a, "__torch_function__")]
    found.sort(key=lambda a: -len(type(a).__mro__))
    types = tuple(dict.fromkeys(type(a) for a in found))
    for a in found:
        result = type(a).__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(
        f"no implementation found for '{public_api.__module__}.{public_api.__name__}' on types that implement "
        f"__torch_function__: {list(types)}"
    )


def is_tensor_method_or_property(func: Any) -> bool:
    """Whether something is a method or property of Tensor."""
    name = getattr(func, "__name__", "")
    return name == "__get__" or (hasattr(Tensor, name) and getattr(Tensor, name, None) is func)


def resolve_name(f: Any) -> str | None:
    """The public name of a function, as `torch.add`."""
    name = getattr(f, "__name__", "")
    if TENSORS.__dict__.get(name) is f:
        return f"torch.{name}"
    return None
