"""Code objects of functions that are made one for each operation."""

from __future__ import annotations

from types import FunctionType
from typing import Any, TypeVar, cast

__all__ = ["own_code"]

F = TypeVar("F", bound=Any)


def own_code(function: F) -> F:
    """The function, with a code object of its own.

    CPython notes in the code of what types it found objects at each place, and is faster there from then on. Functions
    that a factory makes for many operations share one code, in which nothing could be noted where each of them meets
    Nodes of its own class.
    """
    made = cast(FunctionType, function)
    made.__code__ = made.__code__.replace()
    return function
