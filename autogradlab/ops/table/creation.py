"""What all functions that make tensors share: sizes, dtype=, device=, layout=, requires_grad=, out=, memory order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.graph.node import NO_EDGE
from ...core.memory.absent import reserved
from ...core.memory.overlap import check_apart
from ...core.memory.storage import resize
from ...core.memory.versions import UNSHARED
from ...core.recording.inplace import commit
from ...core.runtime import errors
from ...core.runtime.modes import FLAGS, LOCAL
from ...core.tensor.tensor import INFERENCE, Tensor, requires_grad
from ...core.types import dtypes
from ...core.types.device import default_device, is_meta
from ...core.types.dtypes import dtype, get_default_dtype
from ...core.types.layouts import strided
from .memoryless import empty
from .signatures import lookup

__all__ = [
    "bind",
    "check_device",
    "OVERFLOWING",
    "check_out",
    "check_sizes",
    "default",
    "finished",
    "has_contents",
    "into",
    "make_for",
    "options",
    "placed",
    "quick",
    "quick_shape",
    "resize_out",
]

_PINNED = (
    "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on this "
    "system."
)
_NEGATIVE = "Trying to create tensor with negative dimension {}: {}"
_OVERFLOW = "Storage size calculation overflowed with sizes={}"
_OUT_DTYPE = "dtype {} does not match dtype of out parameter ({})"
_NO_OTHER_LAYOUT = "autogradlab has strided tensors only: no layout {}"

_new = object.__new__


def bind(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], space: str = "torch") -> tuple[int, dict[str, Any]]:
    """Which overload a call means, and its arguments by name; PyTorch's TypeError if it fits none."""
    signatures = lookup(name, space)
    assert signatures is not None, name
    index, values = signatures.bind(args, kwargs)
    if len(args) == 1 and values.get("size") == () and type(args[0]) is int:
        values["size"] = args  # a single int is the only size
    return index, values


def quick_shape(size: tuple[Any, ...]) -> tuple[int, ...] | None:
    """Sizes that need no second look: ints from 0 up, one by one or as one tuple or list. Else None."""
    if not size:
        return None
    if len(size) == 1:
        first = size[0]
        kind = type(first)
        if kind is int:
            return size if 0 <= first < 1 << 31 else None
        if kind is not tuple and kind is not list:
            return None
        size = tuple(first)
    for n in size:
        if type(n) is not int or n < 0:
            return None
    return size if math.prod(size) < 1 << 40 else None


def quick(given: dict[str, Any]) -> bool:
    """Whether the keyword arguments are no more than a dtype and requires_grad, as they should be."""
    if default_device() is not None:
        return False
    for name, value in given.items():
        if value is None and name in ("device", "dtype"):
            continue
        if not ((name == "dtype" and type(value) is dtype) or (name == "requires_grad" and type(value) is bool)):
            return False
    return True


def options(values: dict[str, Any]) -> dtype | None:
    """Check layout=, device=, pin_memory= of a creation function and return its dtype=."""
    layout = values.get("layout")
    if layout is not None and layout is not strided:
        raise NotImplementedError(_NO_OTHER_LAYOUT.format(layout))
    check_device(values.get("device"))
    if values.get("pin_memory"):
        raise RuntimeError(_PINNED)
    wanted: dtype | None = values["dtype"]
    return wanted


def check_device(where: Any) -> None:
    """PyTorch's errors for a device that a CPU build lacks."""
    is_meta(where)


def has_contents(values: dict[str, Any], beside: bool = False) -> bool:
    """Whether what is being made is on a device where tensors have contents; `beside` a tensor, whose device it takes
    if none is named."""
    where = values.get("device")
    return (beside and where is None) or not is_meta(where)


def make_for(
    make: Callable[..., np.ndarray], values: dict[str, Any], beside: bool = False
) -> Callable[..., np.ndarray]:
    """`make`, or what reserves memory instead, where tensors have no contents (see `has_contents`)."""
    return make if has_contents(values, beside) else reserved


#: what is said of a negative size where the memory of an out= tensor is to have it
OVERFLOWING = "numel: integer multiplication overflow"


def check_sizes(shape: tuple[int, ...], words: str = "") -> tuple[int, ...]:
    """PyTorch's errors for sizes that are negative or too large."""
    count = 1
    for n in shape:
        if n < 0:
            raise RuntimeError(words or _NEGATIVE.format(n, list(shape)))
        count *= n or 1
    if count >= 1 << 60:
        if 0 not in shape:
            raise RuntimeError(_OVERFLOW.format(list(shape)))
        if count >= 1 << 63:
            raise RuntimeError("Stride calculation overflowed")
    return shape


def finished(array: np.ndarray, grad: bool | None = False, message: str = errors.REQUIRES_GRAD_FLOAT_NEW) -> Tensor:
    """A new leaf over `array`."""
    # unrolled: t = wrap(array)
    t = _new(Tensor)
    t._array = array
    t._edge = NO_EDGE
    t._counter = UNSHARED
    t._grad = t._view = t._storage = t._meta = None
    # end
    if grad:
        if array.dtype.kind not in "fcV":
            raise RuntimeError(message)
        t._edge = None
    if FLAGS.inference and LOCAL.state.inference:
        t._counter = INFERENCE
    return t


def placed(array: np.ndarray, values: dict[str, Any], beside: bool = False) -> Tensor:
    """A new leaf over `array`, with the requires_grad= and on the device= that were asked for (see `has_contents`)."""
    t = finished(array, values.get("requires_grad", False))
    return t if has_contents(values, beside) else empty(t)


def into(name: str, out: Tensor, array: np.ndarray, kind: dtype | None = None, grad: bool | None = False) -> Tensor:
    """Write values into an out= tensor, which takes their shape."""
    check_out(name, out, kind)
    resize_out(out, array.shape)
    check_apart(out._array)
    commit(out, array)
    if grad:
        out.requires_grad_(True)
    return out


def resize_out(out: Tensor, shape: tuple[int, ...]) -> None:
    """Give an out= tensor its new shape; one that was empty gets memory of its own."""
    if out._array.shape == shape:
        return
    if not out._array.size:
        out._array, out._storage = np.empty(shape, out._array.dtype), None
        return
    resize(out, shape)


def check_out(name: str, out: Tensor, kind: dtype | None = None) -> None:
    """PyTorch's errors for an out= tensor that cannot be written."""
    if kind is not None and kind is not out.dtype:
        raise RuntimeError(_OUT_DTYPE.format(dtypes.scalar_name(kind), dtypes.scalar_name(out)))
    if requires_grad(out) and LOCAL.state.grad:
        raise RuntimeError(errors.OUT_GRAD.format(f"aten::{name}"))


def default(kind: dtype | None) -> np.dtype[Any]:
    """The NumPy dtype of `kind`, by default of the default dtype."""
    return (kind or get_default_dtype()).numpy
