"""The memory under tensors: found from a tensor's array when somebody asks, so that making tensors costs nothing.

Tensors share memory when their arrays have one owner, the last ndarray along `.base`. A `Storage` is made for an owner
on demand; tensors that are attached to one explicitly (after `resize_`, `set_`, `from_numpy`) name it in `_storage`.
"""

from __future__ import annotations

import gc
import math
import operator
import weakref
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..runtime.settings import _state
from ..types.device import CPU, META, require_cpu
from .lazy import as_lazy_as, memory_of
from .rows import Rows
from .uninitialized import fill_if_deterministic
from .versions import UNSHARED

if TYPE_CHECKING:
    from ..tensor.tensor import Tensor

__all__ = [
    "Storage",
    "TensorBase",
    "address",
    "dense",
    "extent",
    "fix",
    "fixed",
    "owner",
    "resize",
    "sharing",
    "storage_of",
    "storage_on",
    "strides",
]

_STORAGES: weakref.WeakValueDictionary[int, Storage] = weakref.WeakValueDictionary()
#: memory that NumPy looks at too, and which therefore cannot grow: by the id of the array that owns it
_FIXED: dict[int, weakref.ref[np.ndarray]] = {}


def address(array: np.ndarray) -> int:
    """The address of the first element."""
    if type(array) is not np.ndarray:
        array = array.whole if isinstance(array, Rows) else memory_of(array)
    result: int = array.__array_interface__["data"][0]
    return result


def owner(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory under `array`."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def fix(t: Tensor) -> None:
    """Mark the memory of `t` as one that cannot be resized, since an array of the user lies in it."""
    root = owner(t._array) if t._storage is None else t._storage._owner
    key = id(root)
    if key not in _FIXED:
        # no function of Python's: an interruption in it would be lost, and the next array of this id be taken for fixed
        _FIXED[key] = weakref.ref(root, partial(_FIXED.pop, key))


def fixed(storage: Storage) -> bool:
    """Whether a storage cannot be resized."""
    return id(storage._owner) in _FIXED


class Reserved(np.ndarray):
    """Memory of a tensor that has no contents; the arrays that lie in it are of NumPy's own class."""


class TensorBase:
    """The attributes of a Tensor that this room uses: its array, its version counter, the storage made for it."""

    __slots__ = ("_array", "_counter", "_storage")


_array_of = TensorBase._array.__get__  # type: ignore[attr-defined]
_storage_of = TensorBase._storage.__get__  # type: ignore[attr-defined]


def one_by_one(part: slice) -> slice:
    """A part of a storage's bytes, which has to be of bytes that follow one another."""
    if part.step not in (None, 1):
        raise RuntimeError(f"Trying to slice with a step of {part.step}, but only a step of 1 is supported")
    return part


class Storage:
    """The memory under tensors, in bytes.

    Example:
        >>> import autogradlab as torch
        >>> torch.tensor([1, 2], dtype=torch.uint8).untyped_storage().tolist()
        [1, 2]

    Mirrors `torch.UntypedStorage`.
    """

    __slots__ = ("__weakref__", "_owner", "buffer", "shared")
    __module__ = "torch"

    def __init__(self, data: Any = 0, *, device: Any = None) -> None:
        array = data if isinstance(data, np.ndarray) else _bytes(data, device)
        self._owner = array
        self.shared = False
        flat = array.ravel(order="K") if array.size else np.empty(0, array.dtype)
        self.buffer: np.ndarray = flat.view(np.uint8) if flat.flags.c_contiguous else np.ascontiguousarray(flat)

    def nbytes(self) -> int:
        return self.buffer.nbytes

    size = __len__ = nbytes

    def element_size(self) -> int:
        return 1

    def data_ptr(self) -> int:
        return address(self.buffer) if self.buffer.nbytes and not self.reserved else 0

    @property
    def reserved(self) -> bool:
        """Whether it is that of tensors without contents (`absent.py`)."""
        return type(self._owner) is Reserved

    @property
    def device(self) -> Any:
        return META if self.reserved else CPU

    @property
    def is_cuda(self) -> bool:
        return False

    def tolist(self) -> list[int]:
        result: list[int] = self.buffer.tolist()
        return result

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Storage(self.buffer[one_by_one(index)])
        if not hasattr(index, "__index__"):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        size = self.buffer.nbytes
        place = operator.index(index)
        place += size if place < 0 else 0
        if not 0 <= place < size:
            raise IndexError(f"index {place} out of range for storage of size {size}")
        return int(self.buffer[place])

    def resize_(self, nbytes: int) -> Storage:
        """Grow or shrink to `nbytes`; every tensor on this memory follows."""
        if fixed(self):
            raise RuntimeError("Trying to resize storage that is not resizable")
        tensors = sharing(self)
        grown: np.ndarray = Reserved(nbytes, np.uint8) if self.reserved else np.empty(nbytes, np.uint8)
        kept = min(nbytes, self.buffer.nbytes)
        grown[:kept] = self.buffer[:kept]
        start = address(self.buffer)
        places = [(t, address(t._array) - (start if t._array.size else address(owner(t._array)))) for t in tensors]
        self.buffer = grown
        _STORAGES.pop(id(self._owner), None)
        self._owner = grown
        _STORAGES[id(grown)] = self
        for t, offset in places:
            a = t._array
            t._storage = self
            if offset + extent(a.shape, a.strides, a.itemsize) <= nbytes:
                t._array = as_lazy_as(a, np.ndarray(a.shape, a.dtype, grown, offset, strides(a)))
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Storage) and self.data_ptr() == other.data_ptr()

    def __hash__(self) -> int:
        return hash(self.data_ptr())


def _bytes(data: Any, device: Any) -> np.ndarray:
    """The memory that a user asks for: so many bytes, or those of a sequence."""
    require_cpu(device)
    if isinstance(data, int):
        return np.zeros(data, np.uint8)
    if not isinstance(data, Sequence):
        raise RuntimeError(f"torch.UntypedStorage(): Expected a sequence type, but got {type(data).__name__}")
    for item in data:
        if not isinstance(item, int):
            raise RuntimeError(
                f"torch.UntypedStorage(): tried to construct a storage from a sequence ({type(data).__name__}), but "
                f"one of the items was of type {type(item).__name__} instead of int"
            )
    return np.array([n & 255 for n in data], np.uint8)


def strides(a: np.ndarray) -> tuple[int, ...]:
    """PyTorch's strides in bytes: NumPy gives some of 0 to arrays that own no memory."""
    if a.size or not a.shape or any(a.strides) or owner(a).size:
        return a.strides
    return dense(a.shape, a.itemsize)


def dense(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Strides in bytes of a contiguous array; a size of 0 counts as 1, as in PyTorch."""
    found = []
    step = itemsize
    for n in reversed(shape):
        found.append(step)
        if n > 1:
            step *= n
    return tuple(reversed(found))


def extent(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> int:
    """Bytes from the first to past the last element."""
    if 0 in shape:
        return 0
    return itemsize + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))


def storage_of(t: Tensor) -> Storage:
    """The storage of a tensor, the same object for all that share it."""
    if t._storage is not None:
        return t._storage
    if type(t._array) is not np.ndarray and isinstance(t._array, Rows):
        raise NotImplementedError("Cannot access storage of BatchedTensorImpl")
    found = t._storage = storage_on(owner(t._array))
    return found


def storage_on(root: np.ndarray) -> Storage:
    """The storage of the memory that an array owns."""
    found = _STORAGES.get(id(root))
    if found is None:
        found = _STORAGES[id(root)] = Storage(root)
    return found


def sharing(storage: Storage) -> list[Tensor]:
    """Every living tensor on this memory, for `resize_` when it needs larger memory that others look at too.

    It goes through all objects, which is slow; to note every view when it is made would cost each of them a third of
    its time, and `gc.get_referrers` does not lead from the memory to its views, since arrays are unknown to the
    collector. Of foreign objects only the type is looked at, so none of their code runs.
    """
    root = storage._owner
    found = []
    for t in gc.get_objects():
        if issubclass(type(t), TensorBase):
            try:
                array, of = _array_of(t), _storage_of(t)
            except AttributeError:  # a tensor that is not complete yet
                continue
            if of is storage or owner(array) is root:
                found.append(t)
    return found


def _refuse_size(shape: tuple[int, ...], count: int, itemsize: int) -> None:
    """PyTorch's errors for sizes that no memory has."""
    if not count:
        raise RuntimeError("Stride calculation overflowed")
    if count >= 2**63:
        raise RuntimeError("numel: integer multiplication overflow")
    if count * itemsize >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")


def resize(input: Tensor, shape: tuple[int, ...]) -> None:
    """Change the size over the same storage, which grows if it has to."""
    shape = tuple(map(operator.index, shape))
    x = input._array
    count = math.prod(shape)
    if count >= 2**60 or (not count and math.prod(n for n in shape if n) >= 2**63):
        _refuse_size(shape, count, x.itemsize)
    alone = input._counter is UNSHARED and input._storage is None and x.base is None
    if alone and count > x.size and id(x) not in _FIXED:
        # no other tensor shares this memory, so there is none to be found
        grown = np.empty(shape, x.dtype)
        if x.size:
            grown.reshape(-1)[: x.size] = x.ravel(order="K")
        if _state["deterministic"]:
            fill_if_deterministic(grown.reshape(-1)[x.size :])
        input._array = grown
        return
    storage = storage_of(input)
    offset = address(x) - address(storage.buffer) if storage.nbytes() else 0
    before = storage.nbytes()
    if offset + count * x.itemsize > before:
        storage.resize_(offset + count * x.itemsize)
        fill_if_deterministic(storage.buffer[before:].view(x.dtype))
    input._storage = storage
    input._array = as_lazy_as(x, np.ndarray(shape, x.dtype, storage.buffer, offset))
