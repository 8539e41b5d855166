"""Labels for a profiler: they do nothing, so that programs which use them run (mirrors `torch.autograd.profiler`)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["record_function"]


class record_function:
    """A block, or a function, with a name that a profiler would show. Nothing is profiled here.

    Example:
        >>> import autogradlab as torch
        >>> with torch.autograd.profiler.record_function('double'):
        ...     torch.ones(1) * 2
        ...
        tensor([2.])

    Mirrors `torch.autograd.profiler.record_function`.
    """

    __module__ = "torch.autograd.profiler"

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args

    def __enter__(self) -> record_function:
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return wrapped
