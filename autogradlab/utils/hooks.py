"""Handles of hooks (mirrors `torch.utils.hooks`)."""

from __future__ import annotations

from typing import Any

from ..core.graph.node import RemovableHandle

__all__ = ["RemovableHandle", "unserializable_hook"]


def unserializable_hook(f: Any) -> Any:
    """Mark a hook that is not to be saved with its tensor."""
    f.__torch_unserializable__ = True
    return f
