"""What programs ask about compilation, and what they tell it (mirrors this part of `torch.compiler`).

Nothing is compiled here, so that most of it has nothing to do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from .nn.compiling import BACKENDS, compile
from .nn.modules.module import Module

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "reset",
    "set_stance",
]


def is_compiling() -> bool:
    """Whether the program is being compiled: never.

    Example:
        >>> import autogradlab as torch
        >>> torch.compiler.is_compiling()
        False

    Mirrors `torch.compiler.is_compiling`.
    """
    return False


def is_dynamo_compiling() -> bool:
    """Whether the program is being traced by torch.compile: never.

    Mirrors `torch.compiler.is_dynamo_compiling`.
    """
    return False


def is_exporting() -> bool:
    """Whether the program is being exported: never.

    Mirrors `torch.compiler.is_exporting`.
    """
    return False


def reset() -> None:
    """Forget what has been compiled: nothing.

    Mirrors `torch.compiler.reset`.
    """


def cudagraph_mark_step_begin() -> None:
    """Say that an iteration begins.

    Mirrors `torch.compiler.cudagraph_mark_step_begin`.
    """


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The names that torch.compile takes as backends, without those of some tags.

    Example:
        >>> import autogradlab as torch
        >>> torch.compiler.list_backends()
        ['cudagraphs', 'inductor', 'openxla', 'tvm']

    Mirrors `torch.compiler.list_backends`.
    """
    excluded = set(exclude_tags or ())
    return sorted(name for name, tag in BACKENDS.items() if tag not in excluded)


def _in_graph(fn: Any) -> Any:
    if isinstance(fn, (list, tuple)):
        return [_in_graph(one) for one in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    return fn


def allow_in_graph(fn: Any) -> Any:
    """Let a function, or several, stand in a graph as they are: they come back unchanged.

    Errors: AssertionError for what is no function.

    Mirrors `torch.compiler.allow_in_graph`.
    """
    return _in_graph(fn)


def assume_constant_result(fn: Any) -> Any:
    """Say that a function always returns the same: it comes back unchanged.

    Mirrors `torch.compiler.assume_constant_result`.
    """
    return fn


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """A function or module that is never compiled; a decorator where none is given.

    Example:
        >>> import autogradlab as torch
        >>> @torch.compiler.disable
        ... def double(x):
        ...     return 2 * x
        >>> double(torch.ones(2))
        tensor([2., 2.])

    Mirrors `torch.compiler.disable`.
    """
    if fn is None:
        return lambda fn: disable(fn, recursive)
    if isinstance(fn, Module):
        return compile(fn)
    if not callable(fn):
        raise AssertionError("fn must be callable")

    @wraps(fn)
    def uncompiled(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    return fn if isinstance(fn, type) else uncompiled


class set_stance:
    """How torch.compile behaves from now on, or in a context, or in a function: here, as always.

    Mirrors `torch.compiler.set_stance`.
    """

    def __init__(
        self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None
    ) -> None:
        self.stance = stance

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        return fn
