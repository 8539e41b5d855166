"""The memory under tensors: found from a tensor's array when somebody asks, so that making tensors costs nothing.

Tensors share memory when their arrays have one owner, the last ndarray along `.base`. A `Storage` is made for an owner
on demand; tensors that are attached to one explicitly (after `resize_`, `set_`, `from_numpy`) name it in `_storage`.
"""

from __future__ import annotations

import gc
import operator
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from ..types.device import CPU
from .versions import UNSHARED

if TYPE_CHECKING:
    from ..tensor.tensor import Tensor

__all__ = ["Storage", "TensorBase", "address", "owner", "resize", "sharing", "storage_of"]

_STORAGES: weakref.WeakValueDictionary[int, Storage] = weakref.WeakValueDictionary()


def address(array: np.ndarray) -> int:
    """The address of the first element."""
    result: int = array.__array_interface__["data"][0]
    return result


def owner(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory under `array`."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


class TensorBase:
    """What the memory room knows of a Tensor: its array, its version counter, the storage that was made for it."""

    __slots__ = ("_array", "_counter", "_storage")


_array_of = TensorBase._array.__get__  # type: ignore[attr-defined]
_storage_of = TensorBase._storage.__get__  # type: ignore[attr-defined]


class Storage:
    """The memory under tensors, in bytes.

    Example:
        >>> import autogradlab as torch
        >>> torch.tensor([1, 2], dtype=torch.uint8).untyped_storage().tolist()
        [1, 2]

    Mirrors `torch.UntypedStorage`.
    """

    __slots__ = ("__weakref__", "_owner", "buffer")
    __module__ = "torch"

    def __init__(self, array: np.ndarray) -> None:
        self._owner = array
        flat = array.ravel(order="K") if array.size else np.empty(0, array.dtype)
        self.buffer: np.ndarray = flat.view(np.uint8) if flat.flags.c_contiguous else np.ascontiguousarray(flat)

    def nbytes(self) -> int:
        return self.buffer.nbytes

    size = __len__ = nbytes

    def element_size(self) -> int:
        return 1

    def data_ptr(self) -> int:
        return address(self.buffer) if self.buffer.nbytes else 0

    @property
    def device(self) -> Any:
        return CPU

    @property
    def is_cuda(self) -> bool:
        return False

    def tolist(self) -> list[int]:
        result: list[int] = self.buffer.tolist()
        return result

    def __getitem__(self, index: int) -> int:
        return int(self.buffer[index])

    def resize_(self, nbytes: int) -> Storage:
        """Grow or shrink to `nbytes`; every tensor on this memory follows."""
        tensors = sharing(self)
        grown = np.empty(nbytes, np.uint8)
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
            if offset + _span(a) <= nbytes:
                t._array = np.ndarray(a.shape, a.dtype, grown, offset, a.strides)
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Storage) and self.data_ptr() == other.data_ptr()

    def __hash__(self) -> int:
        return hash(self.data_ptr())


def _span(a: np.ndarray) -> int:
    """Bytes from the first to past the last element."""
    if not a.size:
        return 0
    return a.itemsize + sum((n - 1) * s for n, s in zip(a.shape, a.strides, strict=True))


def storage_of(t: Tensor) -> Storage:
    """The storage of a tensor, the same object for all that share it."""
    if t._storage is not None:
        return t._storage
    root = owner(t._array)
    found = _STORAGES.get(id(root))
    if found is None:
        found = _STORAGES[id(root)] = Storage(root)
    t._storage = found
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
            except AttributeError:  # a tensor that is just being made
                continue
            if of is storage or owner(array) is root:
                found.append(t)
    return found


def resize(input: Tensor, shape: tuple[int, ...]) -> None:
    """Change the size over the same storage, which grows if it has to."""
    shape = tuple(map(operator.index, shape))
    x = input._array
    count = 1
    for n in shape:
        count *= n
    if input._counter is UNSHARED and input._storage is None and x.base is None and count > x.size:
        # nobody else is on this memory, so nobody has to be looked for
        grown = np.empty(shape, x.dtype)
        grown.reshape(-1)[: x.size] = x.ravel(order="K")
        input._array = grown
        return
    storage = storage_of(input)
    offset = address(x) - storage.data_ptr() if storage.nbytes() else 0
    if offset + count * x.itemsize > storage.nbytes():
        storage.resize_(offset + count * x.itemsize)
    input._storage = storage
    input._array = np.ndarray(shape, x.dtype, storage.buffer, offset)
