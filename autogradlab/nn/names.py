"""The name of a type as PyTorch's messages have it (mirrors `torch.typename`)."""

from __future__ import annotations

from typing import Any

from ..core.tensor.tensor import Tensor

__all__ = ["typename"]


def typename(obj: Any) -> str:
    """`torch.FloatTensor` for a tensor, the qualified name of the type of anything else."""
    if isinstance(obj, Tensor):
        return str(obj.type())
    kind = obj if isinstance(obj, type) else type(obj)
    name = getattr(obj, "__qualname__", "") or kind.__qualname__ if isinstance(obj, type) else kind.__qualname__
    module = kind.__module__ or ""
    return name if module in ("", "builtins", "__builtin__") else f"{module}.{name}"
