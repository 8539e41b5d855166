"""Operations on tensors of the device "meta", which have no contents (`core/memory/absent.py`).

They run as others do, on memory that nobody filled, and what they make loses its contents. Functions and methods ask
for it in their gates (`core/tensor/overriding.py`), which they get with the first such tensor: others pay nothing.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...core.memory.absent import empty_like, is_absent, reserved
from ...core.memory.storage import owner
from ...core.random.generator import default_generator
from ...core.tensor import overriding
from ...core.tensor.overriding import spread
from ...core.tensor.tensor import Tensor, requires_grad, wrap
from ...core.values.promotion import broadcast_shapes
from .families import OPS

__all__ = ["empty", "through"]


class _Within(threading.local):
    """How many calls with such tensors a thread is in: what they make on their way still has contents."""

    depth = 0


#: elements from which on elementwise operations do not run at all
_LARGE = 1 << 20
_within = _Within()
_DEVICE = "Tensor on device {} is not on the expected device {}!"
_COPIED = "Attempting to copy from device {} to device {}, but cross-device copies are not allowed!"


def empty(t: Tensor) -> Tensor:
    """Take its contents from a new tensor: it is on "meta" now."""
    t._array, t._storage = empty_like(t._array), None
    overriding.have_hollow_tensors()
    return t


def through(name: str, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a call gives: tensors without contents, if one of its arguments is such a tensor."""
    tensors = [t for t in spread((*args, *kwargs.values())) if isinstance(t, Tensor)]
    absent = [is_absent(t._array) for t in tensors]
    if not any(absent):
        return call(*args, **kwargs)
    if kwargs.get("out") is not None and not _within.depth:
        _require_out_beside(tensors, kwargs["out"])
    short = name.rpartition(".")[2]
    entry = OPS.get(short)
    layer = name.startswith("torch.nn.functional.")
    if ((entry is not None and entry.differentiates) or layer) and not all(absent) and not _within.depth:
        _require_one_device(tensors, absent)
    if entry is not None and entry.elementwise and kwargs.get("out") is None:
        found = _thin(tensors, call, args, kwargs)
        if found is not None:
            return found
    numbers, place = default_generator.get_state(), default_generator.position()
    _within.depth += 1
    try:
        try:
            result = call(*args, **kwargs)
        except (RuntimeError, np.linalg.LinAlgError):
            if not _filled_with_identities(tensors):
                raise
            result = call(*args, **kwargs)  # any other error comes again
    finally:
        _within.depth -= 1
        if default_generator.position() != place:  # nothing is drawn for tensors without contents
            default_generator.set_state(numbers)
    if kwargs.get("device") is not None:  # the function has put it there
        return result
    return _emptied(result, {id(owner(t._array)) for t in tensors})


def _filled_with_identities(tensors: Iterable[Tensor]) -> bool:
    """Write matrices that can be inverted and factorized into the memory that nobody filled, whose zeros cannot, and
    pivots, which count from 1. Whether there were any matrices."""
    absent = [t._array for t in tensors if is_absent(t._array)]
    matrices = [x for x in absent if x.ndim > 1 and x.dtype.kind in "fc"]
    if not matrices:
        return False
    for x in matrices:
        places = np.arange(min(x.shape[-2:]))
        x[..., places, places] = 1
    for x in absent:
        if x.dtype == np.int32:
            x[...] = 1
    return True


def _thin(tensors: list[Tensor], call: Callable[..., Any], args: Any, kwargs: Any) -> Tensor | None:
    """The result of an elementwise operation on large operands: one element of each is enough to know its dtype. None
    where the operands are small, or a gradient is wanted."""
    shape = broadcast_shapes(*(t._array.shape for t in tensors))
    if math.prod(shape) < _LARGE or any(map(requires_grad, tensors)):
        return None
    ones = {id(t): wrap(np.zeros([min(n, 1) for n in t._array.shape], t._array.dtype)) for t in tensors}
    made = call(*(ones.get(id(a), a) for a in args), **{k: ones.get(id(a), a) for k, a in kwargs.items()})
    made._array = reserved(shape, made._array.dtype)
    return made


def _require_one_device(tensors: Iterable[Tensor], absent: Iterable[bool]) -> None:
    """Refuse operands on several devices; 0-dim ones on the CPU and indices may be elsewhere."""
    pairs = [(t._array, a) for t, a in zip(tensors, absent, strict=True)]
    places = [a for x, a in pairs if (x.ndim or a) and x.dtype.kind not in "iu"]
    for place in places[1:]:
        if place is not places[0]:
            names = ("meta", "cpu") if place else ("cpu", "meta")
            raise RuntimeError(_DEVICE.format(*names))


def _require_out_beside(tensors: Iterable[Tensor], out: Any) -> None:
    """Refuse out= tensors on another device than the first operand."""
    outs = [t for t in spread((out,)) if isinstance(t, Tensor)]
    place = next((is_absent(t._array) for t in tensors if not any(t is o for o in outs)), None)
    if place is not None and any(is_absent(o._array) is not place for o in outs):
        raise RuntimeError(_COPIED.format(*(("meta", "cpu") if place else ("cpu", "meta"))))


def _emptied(result: Any, known: set[int]) -> Any:
    """A result without contents, apart from tensors on the memory of arguments."""
    if isinstance(result, Tensor):
        if not is_absent(result._array) and id(owner(result._array)) not in known:
            empty(result)
    elif isinstance(result, (tuple, list)):
        for item in result:
            _emptied(item, known)
    return result


overriding.on_first_override.through = through
