"""What kind of thing an object is, for tensors of autogradlab and of PyTorch alike; neither is imported here."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

__all__ = ["is_array", "is_module", "is_node", "is_tensor", "library", "type_name"]

#: Where tensors come from, in the order in which they are asked.
LIBRARIES = ("torch", "autogradlab")


def _libraries() -> Iterator[ModuleType]:
    seen: set[int] = set()
    for name in LIBRARIES:
        found = sys.modules.get(name)
        if isinstance(found, ModuleType) and hasattr(found, "Tensor") and id(found) not in seen:
            seen.add(id(found))
            yield found


def library(thing: object) -> Any:
    """The namespace (`torch` or `autogradlab`) that a tensor, Node or nn module belongs to, or None."""
    for torch in _libraries():
        if isinstance(thing, torch.Tensor):
            return torch
        if isinstance(thing, torch.nn.Module) or _is_node_of(torch, thing):
            return torch
    return None


def is_tensor(thing: object) -> bool:
    return any(isinstance(thing, torch.Tensor) for torch in _libraries())


def is_module(thing: object) -> bool:
    """Whether it is an nn.Module."""
    return any(isinstance(thing, torch.nn.Module) for torch in _libraries())


def is_node(thing: object) -> bool:
    """Whether it is a Node of a graph, such as `y.grad_fn`."""
    return any(_is_node_of(torch, thing) for torch in _libraries())


def _is_node_of(torch: Any, thing: object) -> bool:
    return not isinstance(thing, type) and isinstance(thing, torch.autograd.graph.Node)


def is_array(thing: object) -> bool:
    """Whether it is a NumPy array (NumPy's scalars are none)."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(thing, numpy.ndarray)


def type_name(thing: object) -> str:
    """The name of its class as one writes it: `list`, `numpy.float64`, `MyLayer`."""
    cls = type(thing)
    module = cls.__module__
    return cls.__qualname__ if module in ("builtins", "__main__") else f"{module}.{cls.__qualname__}"
