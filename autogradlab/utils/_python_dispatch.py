"""Modes that are asked for the result of every operation below autograd (mirrors `torch.utils._python_dispatch`).

What they are told, and who tells it, is in `core/tensor/dispatching.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core.runtime import modes
from ..core.tensor import dispatching
from ..core.tensor.mode_stack import ModeStack

__all__ = ["BaseTorchDispatchMode", "TorchDispatchMode"]


_MODES = ModeStack("dispatch_modes", lambda: dispatching.on_first_mode.arm())


class TorchDispatchMode:
    """A context in which every operation goes to `__torch_dispatch__` of the mode, as PyTorch's operators: when the
    function that was called has been taken apart into them, and autograd has made its Node.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.utils._python_dispatch import TorchDispatchMode
        >>> class Tell(TorchDispatchMode):
        ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        ...         print(func)
        ...         return func(*args, **(kwargs or {}))
        ...
        >>> with Tell():
        ...     _ = torch.nn.functional.linear(torch.ones(1, 2), torch.ones(3, 2), torch.ones(3))
        ...
        aten.ones.default
        aten.ones.default
        aten.ones.default
        aten.t.default
        aten.addmm.default

    Mirrors `torch.utils._python_dispatch.TorchDispatchMode`.
    """

    def __init__(self, _dispatch_key: Any = None) -> None:
        if _dispatch_key is not None:
            raise NotImplementedError("autogradlab has no dispatch keys")

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
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

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Whether it is one of PyTorch's own that are asked after all others."""
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that carries operations out as they are."""

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether a mode is entered."""
    return bool(modes.current().dispatch_modes)


_get_current_dispatch_mode = _MODES.innermost
_get_current_dispatch_mode_stack = _MODES.all
_push_mode = _MODES.push
_pop_mode = _MODES.pop
_pop_mode_temporarily = _MODES.paused


@contextmanager
def _disable_current_modes() -> Iterator[list[TorchDispatchMode]]:
    """A context without any mode."""
    state = modes.current()
    before, state.dispatch_modes = state.dispatch_modes, []
    try:
        yield before
    finally:
        state.dispatch_modes = before
