"""torch.accelerator where there is none."""

from __future__ import annotations

from typing import Any, NoReturn

from .core.runtime.warn import warn


class AcceleratorError(RuntimeError):
    """What a device raises. Here there is none, and programs that handle it never meet it.

    Example:
        >>> import autogradlab as torch
        >>> issubclass(torch.AcceleratorError, RuntimeError)
        True

    Mirrors `torch.AcceleratorError`.
    """

    __module__ = "torch"


class OutOfMemoryError(RuntimeError):
    """What a device without room raises; the CPU raises a RuntimeError.

    Example:
        >>> import autogradlab as torch
        >>> torch.cuda.OutOfMemoryError is torch.OutOfMemoryError
        True

    Mirrors `torch.OutOfMemoryError`.
    """

    __module__ = "torch"


_NONE = "Cannot access accelerator device when none is available."


def is_available() -> bool:
    """Whether there is an accelerator: False.

    >>> import autogradlab as torch
    >>> torch.accelerator.is_available()
    False
    """
    return False


def current_accelerator(check_available: bool = False) -> None:
    """The kind of accelerator: none."""
    return None


def device_count() -> int:
    """The number of accelerators: 0."""
    return 0


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    raise RuntimeError(_NONE)


current_device_index = set_device_index = synchronize = current_stream = set_stream = _refuse


def current_device_idx() -> NoReturn:
    """The old name of `current_device_index`."""
    warn("Use `current_device_index` instead.", FutureWarning)
    _refuse()


def set_device_idx(device: Any) -> NoReturn:
    """The old name of `set_device_index`."""
    warn("Use `set_device_index` instead.", FutureWarning)
    _refuse()
