"""Helpers around training (mirrors `torch.utils`)."""

from __future__ import annotations

from typing import Any

_LATE = ("checkpoint", "data", "hooks")
__all__ = ["checkpoint", "data", "hooks"]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.utils' has no attribute '{name}'")
