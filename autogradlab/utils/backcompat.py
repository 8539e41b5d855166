"""Switches for warnings about broadcasting and `keepdim`,
of programs older than both (mirrors `torch.utils.backcompat`).

PyTorch keeps the switches, but no operation warns any more.
"""

from __future__ import annotations

from typing import Any

__all__ = ["broadcast_warning", "keepdim_warning"]


class Warning:
    """A switch, off at the start."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._enabled = False

    @property
    def enabled(self) -> bool:
        """Whether the warning is given."""
        return self._enabled

    @enabled.setter
    def enabled(self, value: Any) -> None:
        """Whether the warning is given."""
        if not isinstance(value, bool):
            raise RuntimeError(f"set_backcompat_{self._name}_warn expects a bool, but got {type(value).__name__}")
        self._enabled = value


broadcast_warning = Warning("broadcast")
keepdim_warning = Warning("keepdim")
