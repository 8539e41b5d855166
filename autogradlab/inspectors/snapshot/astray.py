"""What a Module holds and does not know of: layers in a plain list, leaves that are no Parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .kinds import is_a, is_module, is_tensor
from .names import dotted

__all__ = ["astray", "astray_with"]

#: things in containers that are looked at
MANY = 1000


def astray(module: Any, name: str) -> list[str]:
    """The attributes of a Module, or of those in it, with leaves that require grad and that its `parameters()` does not
    have, as they are written."""
    return list(dict.fromkeys(spelled for spelled, _ in _lost(module, name)))


def astray_with(tensor: Any, space: Mapping[str, Any]) -> tuple[str, str] | None:
    """The Module that has a tensor and does not know of it, and the attribute that it is in."""
    for name, module in list(space.items()):
        if is_module(module):
            for spelled, leaf in _lost(module, name):
                if leaf is tensor:
                    return name, spelled
    return None


def _lost(module: Any, name: str) -> Iterator[tuple[str, Any]]:
    known = {id(parameter) for parameter in module.parameters()}
    for path, part in module.named_modules():
        place = dotted(name, path) if path else name
        for attribute, value in list(vars(part).items()):
            if not attribute.startswith("_"):
                yield from ((f"{place}.{attribute}", leaf) for leaf in _learning(value) if id(leaf) not in known)


def _learning(value: Any) -> Iterator[Any]:
    """The leaves that require grad in a tensor or Module, or in lists, tuples and dictionaries of them."""
    waiting, seen = [value], {id(value)}
    for thing in waiting:
        if is_tensor(thing):
            if thing.is_leaf and thing.requires_grad:
                yield thing
            continue
        if is_module(thing):
            inner = list(thing.parameters())
        elif is_a(thing, (list, tuple)):
            inner = list(thing)
        else:
            inner = list(thing.values()) if is_a(thing, dict) else []
        for one in inner[: MANY - len(waiting)] if len(waiting) < MANY else ():
            if id(one) not in seen:
                seen.add(id(one))
                waiting.append(one)
