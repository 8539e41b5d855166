"""Memory of tensors on the device "meta": they have shapes, strides and views, and no contents.

Their arrays lie in memory that is reserved and never filled, so that views, strides and offsets are what they are
elsewhere. A large one costs addresses alone: the system gives pages to what is written.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .lazy import memory_of
from .reserved import NO_DATA, Reserved, reserve
from .storage import dense, extent, strides

__all__ = ["NO_DATA", "empty_like", "is_absent", "reserved", "require_contents", "require_number", "require_places"]

_NO_KERNEL = (
    "{}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered. You "
    "may have run into this message while using an operator with PT2 compilation APIs (torch.compile/torch.export); in "
    "order to use this operator with those APIs you'll need to add a fake impl. Please see the following for next "
    "steps:  https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
)

_NO_PLACES = (
    "The register_meta function for torch.nonzero() raises unimplemented by default, as a correct data-independent "
    "implementation does not exist. This implementation returns a fake value, assuming all elements of the tensor are "
    "non-zero. To enable this registration, please set 'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero' "
    "to True."
)


def reserved(shape: tuple[int, ...], dtype: np.dtype[Any], steps: tuple[int, ...] | None = None) -> np.ndarray:
    """An array without contents; `steps` are its strides in bytes."""
    if steps is None:
        steps = dense(shape, dtype.itemsize)
    size = 0 if 0 in shape else extent(shape, steps, dtype.itemsize)
    return np.ndarray(shape, dtype, reserve(size), 0, steps)


def empty_like(array: Any) -> np.ndarray:
    """An array without contents, of the shape, dtype and strides of another."""
    memory = memory_of(array)
    return reserved(memory.shape, memory.dtype, strides(memory))


def is_absent(array: Any) -> bool:
    """Whether an array has no contents."""
    base = memory_of(array).base
    while base is not None:
        if type(base) is Reserved:
            return True
        base = getattr(base, "base", None)
    return False


def require_number(array: Any) -> None:
    """Refuse to read an element."""
    if is_absent(array):
        raise RuntimeError("Tensor.item() cannot be called on meta tensors")


def require_places(array: Any) -> None:
    """Refuse to look for the elements that are not zero."""
    if is_absent(array):
        raise NotImplementedError(_NO_PLACES)


def require_contents(name: str, *arrays: Any) -> None:
    """Refuse what an operation cannot tell without the elements; `name` is what the error calls it."""
    if any(map(is_absent, arrays)):
        raise NotImplementedError(_NO_KERNEL.format(name) if name else NO_DATA)
