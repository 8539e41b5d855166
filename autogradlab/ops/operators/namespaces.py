"""Operators by namespace, as programs find them in `torch.ops`: those of the user's own, which `library` makes, and in
"aten" the operations of this library."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ...core.arguments.mismatch import types

__all__ = ["namespace"]


class _OpNamespace(ModuleType):
    """The operators of a namespace, as `torch.ops.NAMESPACE` gives them."""

    __module__ = "torch._ops"

    def __init__(self, name: str) -> None:
        super().__init__("torch.ops." + name)
        self.__file__ = "torch.ops"
        self.__dict__["name"] = name

    def __getattr__(self, name: str) -> Any:
        if self.__dict__["name"] == "aten" and not name.startswith("__") and types.operator is not None:
            if (found := types.operator(name)) is not None:
                setattr(self, name, found)
                return found
        raise AttributeError(f"'_OpNamespace' '{self.__dict__['name']}' object has no attribute '{name}'")


_NAMESPACES: dict[str, _OpNamespace] = {}


def namespace(name: str) -> _OpNamespace:
    """The namespace of that name, which is made when it is first asked for."""
    return _NAMESPACES.setdefault(name, _OpNamespace(name))
