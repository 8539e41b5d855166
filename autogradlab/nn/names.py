"""The name of a type as PyTorch's messages have it (mirrors `torch.typename`)."""

from __future__ import annotations

from typing import Any

from ..core.tensor.tensor import Tensor

__all__ = ["blank", "reduce_module", "typename"]


def typename(obj: Any) -> str:
    """`torch.FloatTensor` for a tensor, the qualified name of the type of anything else."""
    if isinstance(obj, Tensor):
        return str(obj.type())
    kind = obj if isinstance(obj, type) else type(obj)
    name = getattr(obj, "__qualname__", "") or kind.__qualname__ if isinstance(obj, type) else kind.__qualname__
    module = kind.__module__ or ""
    return name if module in ("", "builtins", "__builtin__") else f"{module}.{name}"


def reduce_module(cls: type) -> tuple[str, str]:
    """Where pickle finds a class of this package, whose `__module__` is the name that PyTorch gives it."""
    module = cls.__module__
    package = __name__.partition(".")[0]
    return (package + module[len("torch") :] if module.startswith("torch.") else module), cls.__qualname__


def blank(module: str, name: str) -> Any:
    """An object of a class of this package, before its state is put back."""
    from importlib import import_module

    cls = getattr(import_module(module), name)
    return cls.__new__(cls)
