"""The modes of one kind that a thread has entered, be it with `__torch_function__` or with `__torch_dispatch__`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..runtime import modes

__all__ = ["ModeStack"]


class ModeStack:
    """The modes in the list `name` of a thread's state. arm: is called before one is entered."""

    __slots__ = ("_arm", "_name")

    def __init__(self, name: str, arm: Callable[[], Any]) -> None:
        self._name, self._arm = name, arm

    def _entered(self) -> list[Any]:
        found: list[Any] = getattr(modes.current(), self._name)
        return found

    def all(self) -> list[Any]:
        """The modes that are entered, the outermost first."""
        return list(self._entered())

    def innermost(self) -> Any:
        """The innermost mode, or None."""
        stack = self._entered()
        return stack[-1] if stack else None

    def push(self, mode: Any) -> None:
        """Enter a mode."""
        self._arm()
        self._entered().append(mode)

    def pop(self) -> Any:
        """Leave the innermost mode."""
        return self._entered().pop()

    @contextmanager
    def paused(self) -> Iterator[Any]:
        """A context without the innermost mode."""
        mode = self.pop()
        try:
            yield mode
        finally:
            self.push(mode)
