"""When arguments do not fit: PyTorch's TypeErrors, and numbers that stand for tensors."""

from __future__ import annotations

from typing import Any, NoReturn

from .promotion import is_number, wrap_number
from .tensor import Tensor

__all__ = ["coerce", "reject"]


def reject(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
    """Raise PyTorch's TypeError for a call whose arguments do not fit."""
    from .signatures import explain

    explain(name, args, kwargs)
    shown = ", ".join([type(a).__name__ for a in args] + [f"{k}={type(v).__name__}" for k, v in kwargs.items()])
    raise TypeError(f"{name}() received an invalid combination of arguments - got ({shown})")


def coerce(operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any], values: list[Any], name: str) -> list[Any]:
    """Arguments in which numbers were made tensors; PyTorch's TypeError if something else stands for a tensor."""
    values = list(values)
    for place in operation.tensor_places:
        value = values[place]
        if place == operation.list_place:
            if isinstance(value, Tensor) or not all(isinstance(v, Tensor) for v in value):
                reject(name, args, kwargs)
        elif value is not None and not isinstance(value, Tensor):
            if place == operation.tensor_places[0] or not is_number(value) or operation.name not in TAKES_NUMBERS:
                reject(name, args, kwargs)
            values[place] = wrap_number(value)
    return values


#: operations whose second tensor may be a Python number
TAKES_NUMBERS = frozenset({"where", "lerp", "copy_", "masked_fill"})
