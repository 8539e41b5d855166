"""Numbers of which a compiler does not know the value, as programs reckon with them: torch.sym_max and its kin. Here
each number is known, and they are what Python does with numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .first.create import tensor

__all__ = ["PUBLIC"]

_NUMBERS = (np.integer, np.floating, int, float)


def sym_int(a: Any) -> int:
    """The integer of a number: the nearest one towards zero.

    Example:
        >>> import autogradlab as torch
        >>> torch.sym_int(-2.5)
        -2

    Mirrors `torch.sym_int`.
    """
    return int(a)


def sym_float(a: Any) -> float:
    """The float of a number.

    Example:
        >>> import autogradlab as torch
        >>> torch.sym_float(2)
        2.0

    Mirrors `torch.sym_float`.
    """
    return float(a)


def _as_float(chosen: Any, *given: Any) -> Any:
    """What a comparison chose, as a float if one of the numbers was one."""
    return float(chosen) if any(isinstance(x, float) for x in given) else chosen


def _check(*numbers: Any) -> None:
    for x in numbers:
        assert isinstance(x, _NUMBERS), f"expected {_NUMBERS}, got {type(x)}"


def sym_max(a: Any, b: Any) -> int | float:
    """The larger of two numbers; a float if one of them is.

    Example:
        >>> import autogradlab as torch
        >>> torch.sym_max(3, 1.5)
        3.0

    Mirrors `torch.sym_max`.
    """
    _check(a, b)
    return _as_float(max(a, b), a, b)


def sym_min(a: Any, b: Any) -> int | float:
    """The smaller of two numbers; a float if one of them is.

    Example:
        >>> import autogradlab as torch
        >>> torch.sym_min(3, 5.5)
        3.0

    Mirrors `torch.sym_min`.
    """
    _check(a, b)
    return _as_float(min(a, b), a, b)


def sym_sum(*args: Any) -> Any:
    """The sum of numbers, which may stand in one list or tuple.

    Example:
        >>> import autogradlab as torch
        >>> torch.sym_sum(1, 2, 3)
        6
        >>> torch.sym_sum([1, 2, 3])
        6

    Mirrors `torch.sym_sum`.
    """
    one = len(args) == 1 and isinstance(args[0], (list, tuple))
    return sum(args[0] if one else args)


def sym_not(a: Any) -> bool:
    """The opposite of a truth value.

    Example:
        >>> import autogradlab as torch
        >>> torch.sym_not(True)
        False

    Mirrors `torch.sym_not`.
    """
    return not a


def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """One of two values of a type, by a truth value.

    Example:
        >>> import autogradlab as torch
        >>> torch.sym_ite(False, 1, 2)
        2

    Mirrors `torch.sym_ite`.
    """
    assert isinstance(b, bool), f"expected SymBool or bool, got {type(b)}"
    assert type(t) is type(f), f"type mismatch: {type(t)} vs {type(f)}"
    return t if b else f


def sym_fresh_size(expr: Any) -> int | float:
    """A size that stands for a number.

    Example:
        >>> import autogradlab as torch
        >>> torch.sym_fresh_size(3)
        3

    Mirrors `torch.sym_fresh_size`.
    """
    return tensor(expr).item()


def _sym_sqrt(a: Any) -> float:
    """The square root of a number.

    Errors: ValueError below zero.

    Example:
        >>> import autogradlab as torch
        >>> torch.sym_sqrt(4)
        2.0

    Mirrors `torch.sym_sqrt`.
    """
    return math.sqrt(a)


def _of_float(name: str) -> Any:
    compute = getattr(math, name)

    def function(a: Any) -> float:
        found: float = compute(a)
        return found

    function.__name__ = function.__qualname__ = f"_sym_{name}"
    function.__doc__ = f"{name} of a number, as Python's math has it."
    return function


_FLOATS = ("acos", "asin", "atan", "cos", "cosh", "log2", "sin", "sinh", "tan", "tanh")
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
        _sym_sqrt,
        *map(_of_float, _FLOATS),
    )
}
PUBLIC["sym_sqrt"] = _sym_sqrt
