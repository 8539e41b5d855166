"""What kind of thing an object is, for tensors of autogradlab and of PyTorch alike; neither is imported here."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from itertools import compress
from types import ModuleType
from typing import Any

__all__ = [
    "attribute",
    "held_by",
    "in_transform",
    "is_a",
    "is_array",
    "is_module",
    "is_node",
    "is_optimizer",
    "is_parameter",
    "is_tensor",
    "library",
    "living",
    "type_name",
    "version_of",
]

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
        if is_a(thing, (torch.Tensor, *_module_class(torch))) or _is_node_of(torch, thing):
            return torch
    return None


def is_a(thing: object, kind: type | tuple[type, ...]) -> bool:
    """isinstance by the type alone: an object may raise when asked for its `__class__`, as a dead weak proxy does."""
    return issubclass(type(thing), kind)


def living(kind: type) -> list[Any]:
    """Every object of a type or of its subclasses that the garbage collector knows, the oldest first.

    Of foreign objects only the address of the type is looked at, so none of their code runs.
    """
    subclasses: Callable[[type], list[type]] = type.__subclasses__
    kinds: set[int] = set()
    new = [kind]
    while new:
        kinds.update(map(id, new))
        new = [sub for known in new for sub in subclasses(known)]
    things = gc.get_objects()
    return list(compress(things, map(kinds.__contains__, map(id, map(type, things)))))


def is_tensor(thing: object) -> bool:
    return any(is_a(thing, torch.Tensor) for torch in _libraries())


def is_module(thing: object) -> bool:
    """Whether it is an nn.Module that can be asked: one whose `Module.__init__` has run."""
    return any(is_a(thing, _module_class(torch)) for torch in _libraries()) and "_modules" in vars(thing)


def is_parameter(thing: object) -> bool:
    """Whether it is an nn.Parameter, which requires grad unless somebody has frozen it."""
    modules = (sys.modules.get(f"{torch.__name__}.nn.parameter") for torch in _libraries())
    return any(is_a(thing, module.Parameter) for module in modules if module is not None)


def _module_class(torch: ModuleType) -> tuple[type, ...]:
    """The class Module of a library; () while it is not loaded, so that there are no Modules and none is loaded."""
    kind = getattr(sys.modules.get(f"{torch.__name__}.nn.modules.module"), "Module", None)
    return () if kind is None else (kind,)


def is_optimizer(thing: object) -> bool:
    """Whether it is an optimizer, of whatever library."""
    return isinstance(attribute(thing, "param_groups"), list) and attribute(thing, "zero_grad") is not None


def held_by(thing: Any) -> list[Any]:
    """The parameters of an optimizer or Module, whose gradients its `zero_grad()` sets back; of anything else none."""
    if is_module(thing):
        return list(thing.parameters())
    return [p for group in thing.param_groups for p in group["params"]] if is_optimizer(thing) else []


def is_node(thing: object) -> bool:
    """Whether it is a Node of a graph, such as `y.grad_fn`."""
    return any(_is_node_of(torch, thing) for torch in _libraries())


def _is_node_of(torch: Any, thing: object) -> bool:
    return is_a(thing, torch.autograd.graph.Node)


def is_array(thing: object) -> bool:
    """Whether it is a NumPy array (NumPy's scalars are none)."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and is_a(thing, numpy.ndarray)


def attribute(thing: object, name: str) -> Any:
    """An attribute of an object of the user's, whose own `__getattr__` may raise anything; None if there is none."""
    try:
        return getattr(thing, name, None)
    except Exception:
        return None


def in_transform(tensor: Any) -> bool:
    """Whether it is a tensor that a functional transform (`torch.func.grad`, `vmap`, …) hands to its function, or that
    this has made of one."""
    asked = attribute(attribute(attribute(library(tensor), "_C"), "_functorch"), "is_functorch_wrapped_tensor")
    return asked is not None and bool(asked(tensor))


def type_name(thing: object) -> str:
    """The name of its class as one writes it: `list`, `numpy.float64`, `MyLayer`."""
    cls = type(thing)
    module = cls.__module__
    return cls.__qualname__ if module in ("builtins", "__main__") else f"{module}.{cls.__qualname__}"


def version_of(tensor: Any) -> int | None:
    """The version of a tensor; None for one made in inference mode, which counts none."""
    try:
        return int(tensor._version)
    except RuntimeError:
        return None
