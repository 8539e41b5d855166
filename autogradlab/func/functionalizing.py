"""functionalize: a function without changes in place (mirrors this part of `torch.func`)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..autograd.context import put, transforms
from ..autograd.trees import flat, like
from ..core.graph.node import node_class
from ..core.memory.versions import UNSHARED
from ..core.recording.record import TENSORS as F
from ..core.recording.views import share
from ..core.tensor.edges import made_by
from ..core.tensor.tensor import Tensor, gradient_edge, requires_grad, wrap
from .mapping import puts_back

__all__ = ["functionalize"]

Function = Callable[..., Any]

_KINDS = (
    "functionalize(f, remove='mutations'): received invalid argument for remove={}. Valid options are:\n"
    "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced with "
    "their out-of-place equivalents.\n"
    "     remove='mutations_and_views': In addition to the above, all aliasing operators {{view}} will be replaced "
    "with their non-aliasing counterparts, {{view}}_copy.\n"
)


def functionalize(func: Function, *, remove: str = "mutations") -> Function:
    """The function whose results nothing has changed in place; what it changes in its arguments is written into them
    at its end, in one step.

    Note: with `remove="mutations_and_views"` its results are no views either.

    Errors: RuntimeError for another `remove`; and for a leaf that requires grad, if the function changes it.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.zeros(2)
        >>> torch.func.functionalize(lambda x: x.add_(1).mul_(3))(x), x, x._version
        (tensor([3., 3.]), tensor([3., 3.]), 1)

    Mirrors `torch.func.functionalize`.
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(_KINDS.format(remove))

    @puts_back
    @functools.wraps(func)
    def transformed(*args: Any, **kwargs: Any) -> Any:
        given = [args, kwargs]
        held = [_Held(t) for t in flat(given) if isinstance(t, Tensor)]
        standing = iter(held)
        called = like(given, iter([next(standing).inside if isinstance(t, Tensor) else t for t in flat(given)]))
        transforms.functionalizing += 1
        made = func(*called[0], **called[1])
        transforms.functionalizing -= 1
        found = [_result(t, held, remove != "mutations") if isinstance(t, Tensor) else t for t in flat(made)]
        for one in held:
            one.write_back()
        return like(made, iter(found))

    return transformed


class _Held:
    """An argument, and the tensor on its memory that the function is given."""

    def __init__(self, t: Tensor) -> None:
        self.outside = t
        self.inside = _again(t)
        #: what a leaf holds that the function must not change
        self.before = t._array.copy() if requires_grad(t) and made_by(t) is None else None

    def changed(self) -> bool:
        """Whether the function has changed it."""
        counter = self.inside._counter
        return counter is not UNSHARED and counter[0] > 0

    def write_back(self) -> None:
        """Change the argument as the function has changed what stood for it."""
        if not self.changed():
            return
        new = F.clone(self.inside)
        if self.before is not None:
            self.outside._array[...] = self.before
        self.outside.copy_(new)


def _again(t: Tensor) -> Tensor:
    """Another tensor on the same memory, with the same history, of a version of its own."""
    made = wrap(t._array)
    if requires_grad(t):
        made._edge = gradient_edge(t)
    return made


def _result(t: Tensor, held: list[_Held], copied: bool) -> Tensor:
    """What a result is outside; copied: views are to lie in memory of their own."""
    for one in held:
        if t is one.inside:
            return one.outside if not one.changed() else _apart(t)
        if t._view is not None and t._view.base is one.inside and not one.changed() and not copied:
            return share(one.outside, t._array, gradient_edge(t) if requires_grad(t) else None)
    if copied and t._view is not None:
        return _named_copy(_apart(t))
    if t._counter is UNSHARED or t._counter[0] == 0 or (requires_grad(t) and made_by(t) is None):
        return t
    if t._view is None:
        return _again(t)
    return share(_again(t._view.base), t._array, gradient_edge(t) if requires_grad(t) else None)


def _apart(t: Tensor) -> Tensor:
    """A tensor in memory of its own, with the same history."""
    made = wrap(t._array.copy())
    if requires_grad(t):
        made._edge = gradient_edge(t)
    return made


#: by class the class of the Nodes of an operation that copies what a view would show
_copying: dict[Any, Any] = {}


def _named_copy(t: Tensor) -> Tensor:
    """A tensor whose Node has the name that PyTorch gives that of the copying operation."""
    node = made_by(t)
    if node is not None and not node.name().endswith("_copy"):
        kind = type(node)
        if kind not in _copying:
            _copying[kind] = node_class(kind.__name__ + "_copy", kind)
        put(node, "__class__", _copying[kind])
    return t
