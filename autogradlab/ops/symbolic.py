"""Numbers of which a compiler does not know the value, as programs reckon with them: torch.sym_max and its kin. Here
each number is known, and they are what Python does with numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["PUBLIC"]

_NUMBERS = (np.integer, np.floating, int, float)


def sym_int(a: Any) -> int:
    """The integer of a number: the nearest one towards zero."""
    return int(a)


def sym_float(a: Any) -> float:
    """The float of a number."""
    return float(a)


def _as_float(chosen: Any, *given: Any) -> Any:
    """What a comparison chose, as a float if one of the numbers was one."""
    return float(chosen) if any(isinstance(x, float) for x in given) else chosen


def _check(*numbers: Any) -> None:
    for x in numbers:
        assert isinstance(x, _NUMBERS), f"expected {_NUMBERS}, got {type(x)}"


def sym_max(a: Any, b: Any) -> Any:
    """The larger of two numbers; a float if one of them is."""
    _check(a, b)
    return _as_float(max(a, b), a, b)


def sym_min(a: Any, b: Any) -> Any:
    """The smaller of two numbers; a float if one of them is."""
    _check(a, b)
    return _as_float(min(a, b), a, b)


def sym_sum(args: Any) -> Any:
    """The sum of numbers."""
    return sum(args)


def sym_not(a: Any) -> bool:
    """The opposite of a truth value."""
    return not a


def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """One of two values of a type, by a truth value."""
    assert isinstance(b, bool), f"expected SymBool or bool, got {type(b)}"
    assert type(t) is type(f), f"type mismatch: {type(t)} vs {type(f)}"
    return t if b else f


def sym_fresh_size(expr: Any) -> int:
    """A size that stands for a number."""
    return int(expr)


def _of_float(name: str) -> Any:
    compute = getattr(math, name)

    def function(a: Any) -> float:
        found: float = compute(a)
        return found

    function.__name__ = function.__qualname__ = f"_sym_{name}"
    function.__doc__ = f"{name} of a number, as Python's math has it."
    return function


_FLOATS = ("acos", "asin", "atan", "cos", "cosh", "log2", "sin", "sinh", "sqrt", "tan", "tanh")
PUBLIC: dict[str, Any] = {
    f.__name__: f
    for f in (
        sym_int,
        sym_float,
        sym_max,
        sym_min,
        sym_sum,
        sym_not,
        sym_ite,
        sym_fresh_size,
        *map(_of_float, _FLOATS),
    )
}
PUBLIC["sym_sqrt"] = PUBLIC["_sym_sqrt"]
