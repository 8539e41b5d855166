"""no_grad, enable_grad, set_grad_enabled and inference_mode: as context managers and as decorators."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Generator
from typing import Any, Self

from ..core.arguments.mismatch import typename
from ..core.runtime import modes
from ..core.runtime.naming import by_name
from ..core.tensor.overriding import ALL_DISABLED, ask
from ..core.tensor.tensor import INFERENCE, Tensor, counter

__all__ = [
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

_CLASS_DECORATED = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or "
    "methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` method "
    "and "
    "nothing else."
)


def is_grad_enabled() -> bool:
    """Whether the graph is recorded.

    Example:
        >>> import autogradlab as torch
        >>> with torch.no_grad():
        ...     print(torch.is_grad_enabled())
        ...
        False

    Mirrors `torch.is_grad_enabled`.
    """
    return modes.current().grad


def is_inference_mode_enabled() -> bool:
    """Whether inference mode is on.

    Example:
        >>> import autogradlab as torch
        >>> torch.is_inference_mode_enabled()
        False

    Mirrors `torch.is_inference_mode_enabled`.
    """
    return modes.current().inference


def set_grad(enabled: bool) -> bool:
    """Switch grad mode and return what it was."""
    return modes.LOCAL.state.set_grad(enabled)


def _set_grad_enabled(enabled: bool, /) -> None:
    """Switch grad mode, or let the innermost mode with `__torch_function__` do it."""
    state = modes.LOCAL.state
    if not state.function_modes or state.overriding == ALL_DISABLED:
        state.set_grad(enabled)
    elif ask(_set_grad_enabled, [], (enabled,), None, state.function_modes) is NotImplemented:
        raise TypeError("Multiple dispatch failed for 'torch._C._set_grad_enabled'")


def _switch(enabled: bool) -> bool:
    """Switch grad mode as programs do it, and return what it was."""
    state = modes.LOCAL.state
    if not state.function_modes:
        return state.set_grad(enabled)
    before = state.grad
    _set_grad_enabled(enabled)
    return before


class _DecoratorContextManager:
    """A context manager that also decorates: each call, or each step of a generator, runs inside a new one."""

    __reduce_ex__ = by_name
    __module__ = "torch.utils._contextlib"

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *exc: object) -> None:
        raise NotImplementedError

    def clone(self) -> Self:
        """A fresh context manager of the same kind."""
        return type(self)()

    def __call__(self, orig_func: Any) -> Any:
        return _decorated(self.clone, orig_func)


def _decorated(fresh: Callable[[], Any], function: Any) -> Any:
    if isinstance(function, type):
        warnings.warn(_CLASS_DECORATED, FutureWarning, stacklevel=3)
        function = functools.wraps(function, updated=())(_plain_call(fresh, function))
        return function
    from inspect import isgeneratorfunction  # loaded late: the core decorates nothing

    if isgeneratorfunction(function):
        return functools.wraps(function)(_generator(fresh, function))
    return functools.wraps(function)(_plain_call(fresh, function))


def _plain_call(fresh: Callable[[], Any], function: Any) -> Any:
    def decorate_context(*args: Any, **kwargs: Any) -> Any:
        local = modes.current()
        before = local.grad, local.record, local.inference
        try:
            with fresh():
                return function(*args, **kwargs)
        finally:  # again, by assignments alone, in case an interruption came before `__exit__` did it
            local.grad, local.record, local.inference = before
            if modes.FLAGS.unusual:
                local.refresh()

    decorate_context.__qualname__ = "context_decorator.<locals>.decorate_context"
    return decorate_context


def _generator(fresh: Callable[[], Any], function: Any) -> Any:
    """The mode is on while the generator runs and off while it waits."""

    def generator_context(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        inner = function(*args, **kwargs)
        try:
            with fresh():
                value = inner.send(None)
            while True:
                try:
                    sent = yield value
                except GeneratorExit:
                    with fresh():
                        inner.close()
                    raise
                except BaseException as error:
                    with fresh():
                        value = inner.throw(error)
                else:
                    with fresh():
                        value = inner.send(sent)
        except StopIteration as stop:
            return stop.value

    return generator_context


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """A kind without arguments: `@no_grad` works as `@no_grad()` does."""

    __module__ = "torch.utils._contextlib"

    def __new__(cls, orig_func: Any = None) -> Any:
        return super().__new__(cls) if orig_func is None else cls()(orig_func)


class no_grad(_NoParamDecoratorContextManager):
    """Records no graph within: results do not require grad. As `with torch.no_grad():` or as a decorator.

    Example:
        >>> import autogradlab as torch
        >>> w = torch.ones(1, requires_grad=True)
        >>> with torch.no_grad():
        ...     y = w * 2
        ...
        >>> y.requires_grad
        False

    Mirrors `torch.no_grad`.
    """

    __module__ = "torch.autograd.grad_mode"

    def __init__(self) -> None:
        self.prev = False

    def __enter__(self) -> None:
        self.prev = _switch(False)

    def __exit__(self, *exc: object) -> None:
        _switch(self.prev)


class enable_grad(_NoParamDecoratorContextManager):
    """Records the graph again within no_grad.

    Example:
        >>> import autogradlab as torch
        >>> w = torch.ones(1, requires_grad=True)
        >>> with torch.no_grad():
        ...     with torch.enable_grad():
        ...         y = w * 2
        ...
        >>> y.requires_grad
        True

    Mirrors `torch.enable_grad`.
    """

    __module__ = "torch.autograd.grad_mode"

    def __enter__(self) -> None:
        self.prev = _switch(True)

    def __exit__(self, *exc: object) -> None:
        _switch(self.prev)


class set_grad_enabled(_DecoratorContextManager):
    """Records the graph or not, from here on, or within `with`.

    Example:
        >>> import autogradlab as torch
        >>> w = torch.ones(1, requires_grad=True)
        >>> with torch.set_grad_enabled(False):
        ...     y = w * 2
        ...
        >>> y.requires_grad
        False

    Mirrors `torch.set_grad_enabled`.
    """

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {typename(mode)}")
        self.prev = _switch(mode)
        self.mode = mode

    def __call__(self, orig_func: Any) -> Any:
        _switch(self.prev)
        return super().__call__(orig_func)

    def __enter__(self) -> None:
        _switch(self.mode)

    def __exit__(self, *exc: object) -> None:
        _switch(self.prev)

    def __str__(self) -> str:
        return f"{type(self).__module__}.{type(self).__qualname__}(mode={self.mode})"

    __repr__ = __str__

    def clone(self) -> Self:
        """A fresh context manager of the same kind."""
        return type(self)(self.mode)


class inference_mode(_DecoratorContextManager):
    """Records no graph within, nor versions: its tensors can never take part in a graph.

    Example:
        >>> import autogradlab as torch
        >>> with torch.inference_mode():
        ...     x = torch.ones(1)
        ...
        >>> x.is_inference()
        True

    Mirrors `torch.inference_mode`.
    """

    __module__ = "torch.autograd.grad_mode"

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        local = modes.current()
        self._before.append((local.grad, local.inference))
        local.grad, local.inference = not self.mode, self.mode
        local.refresh()

    def __exit__(self, *exc: object) -> None:
        local = modes.current()
        local.grad, local.inference = self._before.pop()
        local.refresh()

    def clone(self) -> Self:
        """A fresh context manager of the same kind."""
        return type(self)(self.mode)


class set_multithreading_enabled(_DecoratorContextManager):
    """Whether backward() may use several threads: a switch without effect here.

    Example:
        >>> import autogradlab as torch
        >>> with torch.autograd.set_multithreading_enabled(False):
        ...     print('one thread')
        ...
        one thread

    Mirrors `torch.autograd.set_multithreading_enabled`.
    """

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, mode: bool) -> None:
        self.prev = modes.current().threads
        modes.current().threads = mode
        self.mode = mode

    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None:
        modes.current().threads = self.prev

    def clone(self) -> Self:
        """A fresh context manager of the same kind."""
        return type(self)(self.mode)


def is_multithreading_enabled() -> bool:
    """The setting of `set_multithreading_enabled`."""
    return modes.current().threads


class _force_original_view_tracking(_DecoratorContextManager):
    """Whether a view that was written gets its Node by the views that led to it, or as one `as_strided`: a switch
    without effect on tensors that lie in memory by strides.

    Mirrors `torch.autograd._force_original_view_tracking`.
    """

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, mode: bool) -> None:
        self.prev = modes.current().view_replay
        modes.current().view_replay = mode
        self.mode = mode

    def __enter__(self) -> None:
        modes.current().view_replay = self.mode

    def __exit__(self, *exc: object) -> None:
        modes.current().view_replay = self.prev

    def clone(self) -> Self:
        """A fresh context manager of the same kind."""
        return type(self)(self.mode)


def is_view_replay_enabled() -> bool:
    """The setting of `_force_original_view_tracking`."""
    return modes.current().view_replay


class enforce_grad_layout_policy(_DecoratorContextManager):
    """Whether a gradient is laid out like its leaf.

    Example:
        >>> import autogradlab as torch
        >>> callable(torch.autograd.enforce_grad_layout_policy)
        True

    Mirrors `torch.autograd.enforce_grad_layout_policy`.
    """

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, enable: bool = True) -> None:
        self.enable = enable

    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None: ...

    def clone(self) -> Self:
        """A fresh context manager of the same kind."""
        return type(self)(self.enable)


class _unsafe_preserve_version_counter(_DecoratorContextManager):
    """Undo, at the end of the block, what in-place operations did to the version counters of some tensors."""

    __module__ = "torch.autograd.grad_mode"

    def __init__(self, tensors: Tensor | tuple[Tensor, ...]) -> None:
        self.tensors = (tensors,) if isinstance(tensors, Tensor) else tensors
        if not isinstance(self.tensors, tuple):
            raise AssertionError("tensors must be a tuple")
        self.prev_versions = tuple(t._version for t in self.tensors)

    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None:
        for t, version in zip(self.tensors, self.prev_versions, strict=True):
            count = counter(t)
            if count is not INFERENCE:
                count[0] = version
