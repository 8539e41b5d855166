"""Who owns a tensor, beside the variables of a program."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from ..graph.node import AccumulateGrad, Node
from ..memory.storage import TensorBase
from .edges import ViewMeta

if TYPE_CHECKING:
    from .tensor import Tensor

__all__ = ["use_count"]


def use_count(t: Tensor) -> int:
    """How many own a tensor: the object itself, its AccumulateGrad, every view of it, the leaf whose `.grad` it is, and
    each place where a Node saved it. Variables and containers of a program count for nothing.

    Python is asked who refers to it, which takes the longer the more objects there are.
    """
    return 1 + sum([_owned_by(holder, t) for holder in gc.get_referrers(t)])


def _owned_by(holder: Any, t: Tensor) -> int:
    """How many of the owners of a tensor lie in an object that refers to it."""
    kind = type(holder)
    if kind is tuple or kind is list:
        return sum([item is t for item in holder]) if _of_node(holder) else 0
    if isinstance(holder, TensorBase):
        return holder._grad is t  # type: ignore[attr-defined]
    return isinstance(holder, (AccumulateGrad, ViewMeta))


def _of_node(values: Any) -> bool:
    """Whether this is what a Node saved, or a list among it."""
    holders = gc.get_referrers(values)
    if type(values) is list:
        return any(type(h) is tuple and _of_node(h) for h in holders)
    return any(isinstance(h, Node) and h.saved is values for h in holders)
