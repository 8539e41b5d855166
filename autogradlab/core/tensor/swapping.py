"""Two tensors change places (mirrors `torch.utils.swap_tensors`)."""

from __future__ import annotations

import weakref
from typing import Any, NoReturn

from ..graph.node import AccumulateGrad
from ..runtime import errors
from .edges import made_by, requires_grad
from .tensor import Tensor

__all__ = ["swap_tensors"]


def _refuse(grads: Any) -> NoReturn:
    raise RuntimeError(
        "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when you try to run "
        "backward on a tensor that was swapped. For a module m with "
        "`torch.__future__.set_swap_module_params_on_conversion(True)` you should not change the device or dtype of "
        "the module (e.g. `m.cpu()` or `m.half()`) between running forward and backward. To resolve this, please only "
        "change the device/dtype before running forward (or after both forward and backward)."
    )


def _check(t: Tensor, name: str) -> AccumulateGrad | None:
    """Refuse a tensor that others own; what does is at most its AccumulateGrad, which backward may not run then."""
    count = t._use_count()
    node = None if t._meta is None else t._meta.accumulate()
    if count == 2 and made_by(t) is None and not requires_grad(t):
        raise RuntimeError(errors.NO_GRADIENT_EDGE)
    if count > 2 or (count == 2 and node is None):
        raise RuntimeError(
            f"Expected use_count of {name} to be 1 or 2 with an AccumulateGrad node but got {count} make sure you are "
            "not holding references to the tensor in other places."
        )
    if node is not None:
        node.register_prehook(_refuse)
    return node


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
    first, second = _check(t1, "t1"), _check(t2, "t2")
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__  # which may raise
    # no call and no loop from here on: an interruption comes before or after all of it
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    t1._array, t2._array = t2._array, t1._array
    t1._counter, t2._counter = t2._counter, t1._counter
    t1._edge, t2._edge = t2._edge, t1._edge
    t1._grad, t2._grad = t2._grad, t1._grad
    t1._meta, t2._meta = t2._meta, t1._meta
    t1._storage, t2._storage = t2._storage, t1._storage
    t1._view, t2._view = t2._view, t1._view
    if first is not None:
        first.variable = t2
    if second is not None:
        second.variable = t1
