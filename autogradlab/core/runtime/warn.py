"""Warnings as PyTorch gives them: on the user's own line, some of them once in a process, some at every use."""

from __future__ import annotations

import sys
import warnings

from . import errors

__all__ = ["forget", "is_always", "set_always", "warn", "warn_of_slow_rows", "warn_once"]

_PACKAGE = __name__.partition(".")[0]
#: how PyTorch ends a warning that its compiled part gives
_TRIGGERED = " (Triggered internally at /__w/pytorch/pytorch/{}.)"

_given: set[str] = set()
_always = False


def _level() -> int:
    """The stack level of the first frame outside this package, counted from the caller of this function's caller."""
    depth = 2
    frame = sys._getframe(2)
    while frame.f_back is not None:
        name = frame.f_globals.get("__name__", "")
        if name != _PACKAGE and not name.startswith(_PACKAGE + "."):
            break
        frame = frame.f_back
        depth += 1
    return depth


def warn(message: str, category: type[Warning] = UserWarning, *, at: str = "") -> None:
    """Warn at every use. `at` is the place in PyTorch's sources that its warning names, "" if it names none.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn("old")
    >>> str(caught[0].message)
    'old'
    """
    warnings.warn(message + (_TRIGGERED.format(at) if at else ""), category, stacklevel=_level())


def warn_once(message: str, category: type[Warning] = UserWarning, *, at: str = "", key: str = "") -> None:
    """Warn at the first use in the process only, unless `set_always(True)`; messages with one key count as one."""
    if _always or (key or message) not in _given:
        if not _always:  # what was given because all are counts for none
            _given.add(key or message)
        warnings.warn(message + (_TRIGGERED.format(at) if at else ""), category, stacklevel=_level())


def warn_of_slow_rows(name: str) -> None:
    """Warn, as PyTorch's vmap does, of an operation that it carries out row by row."""
    warn(errors.ROWS_PERFORMANCE.format(name), at="aten/src/ATen/functorch/BatchedFallback.cpp:82")


def forget(message: str) -> None:
    """Let a warning that comes once in a process come again."""
    _given.discard(message)


def warn_deprecated(message: str) -> None:
    """Warn about the old form of a call: once in a process, whichever is used first."""
    warn_once(message, key="deprecated overload")


def set_always(b: bool, /) -> None:
    """Give warnings that come once at every use.

    Example:
        >>> import autogradlab as torch
        >>> torch.set_warn_always(True)
        >>> torch.is_warn_always_enabled()
        True
        >>> torch.set_warn_always(False)

    Mirrors `torch.set_warn_always`.
    """
    global _always
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _always = b


def is_always() -> bool:
    """Whether warnings that come once are given at every use.

    Example:
        >>> import autogradlab as torch
        >>> torch.is_warn_always_enabled()
        False

    Mirrors `torch.is_warn_always_enabled`.
    """
    return _always
