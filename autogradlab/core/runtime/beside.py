"""PyTorch itself beside this package, where a program has imported both: neither computes with tensors of the other."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, ModuleType, WrapperDescriptorType
from typing import Any

__all__ = ["is_of_pytorch", "refuse_function", "refuse_tensors", "two_libraries"]

_TWO_LIBRARIES = (
    "{name}(): PyTorch and autogradlab cannot compute with tensors of each other. Take all of it from one library: "
    "after `import autogradlab as torch`, `nn = torch.nn` and `F = torch.nn.functional` are autogradlab's, while "
    "`import torch.nn as nn` imports PyTorch's."
)


def _pytorch() -> ModuleType | None:
    """PyTorch itself, if it is imported; `torch` may also be a name of this package."""
    found = sys.modules.get("torch")
    return found if getattr(found, "__name__", "") == "torch" else None


def is_of_pytorch(kind: type) -> bool:
    """Whether it is a class of tensors of PyTorch itself."""
    return issubclass(kind, getattr(_pytorch(), "Tensor", ()))


def two_libraries(name: str) -> str:
    """What is wrong, where a function of one library was given tensors of the other."""
    return _TWO_LIBRARIES.format(name=name.rpartition(".")[2])


def refuse_tensors(name: str, objects: Iterable[Any]) -> None:
    """Raise TypeError if one of the arguments of a function is a tensor of PyTorch itself."""
    if any(is_of_pytorch(type(one)) for one in objects):
        raise TypeError(two_libraries(name))


def refuse_function(func: Any, types: Iterable[type] = ()) -> None:
    """Raise TypeError for a function of PyTorch itself, which asks tensors of this package what it gives for them; or
    if it was given tensors of PyTorch besides."""
    if isinstance(func, FunctionType):
        theirs = func.__globals__.get("__name__", "").partition(".")[0] == "torch"
    else:  # no function of this package is compiled
        theirs = isinstance(func, (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType))
    if _pytorch() is not None and (theirs or any(map(is_of_pytorch, types))):
        raise TypeError(two_libraries(getattr(func, "__name__", str(func))))
