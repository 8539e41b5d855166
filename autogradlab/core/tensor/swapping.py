"""Two tensors change places (mirrors `torch.utils.swap_tensors`)."""

from __future__ import annotations

import weakref
from typing import Any

from .tensor import Tensor

__all__ = ["swap_tensors"]

#: what makes a tensor: memory, place in the graph, attributes of the user
_SLOTS = ("_array", "_counter", "_edge", "_grad", "_meta", "_storage", "_view")


def swap_tensors(t1: Any, t2: Any) -> None:
    """Give each of two tensors the values, the dtype, the place in the graph and the attributes of the other; names and
    containers keep the objects that they had.

    Example:
        >>> import autogradlab as torch
        >>> a, b = torch.ones(2), torch.tensor([[3]])
        >>> torch.utils.swap_tensors(a, b)
        >>> a, b
        (tensor([[3]]), tensor([1., 1.]))

    Mirrors `torch.utils.swap_tensors`.
    """
    for name, t in (("t1", t1), ("t2", t2)):
        if weakref.getweakrefs(t):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
        if not isinstance(t, Tensor):
            raise AttributeError(f"'{type(t).__name__}' object has no attribute '_use_count'")
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for slot in _SLOTS:
        one, other = getattr(t1, slot), getattr(t2, slot)
        setattr(t1, slot, other)
        setattr(t2, slot, one)
