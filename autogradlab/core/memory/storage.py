"""The memory under tensors: found from a tensor's array when somebody asks, so that making tensors costs nothing.

Tensors share memory when their arrays have one owner, the last ndarray along `.base`. A `Storage` is made for an owner
on demand; tensors that are attached to one explicitly (after `resize_`, `set_`, `from_numpy`) name it in `_storage`.
"""

from __future__ import annotations

import gc
import math
import operator
import sys
import weakref
from ctypes import addressof, c_char
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from ..arguments.signature import Signatures
from ..runtime.modes import quiet
from ..runtime.settings import _state
from ..types.device import CPU, META, require_cpu
from ..types.device import device as Device
from .lazy import as_lazy_as, memory_of
from .mapping import bytes_of_buffer, mapped
from .reserved import NO_DATA, Hollow, Reserved, reserve
from .rows import Rows
from .storage_methods import PythonStorage
from .uninitialized import fill_if_deterministic
from .versions import UNSHARED

if TYPE_CHECKING:
    from typing import Self

    from ..tensor.tensor import Tensor

__all__ = [
    "NEGATIVE",
    "Storage",
    "StorageBase",
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

_STORAGES: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
NEGATIVE = (
    "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have been called with negative "
    "number: {}"
)
_byte_of: Any = c_char.from_buffer
#: memory that NumPy looks at too, and which therefore cannot grow: by the id of the array that owns it
_FIXED: dict[int, weakref.ref[np.ndarray]] = {}


def address(array: np.ndarray) -> int:
    """The address of the first element."""
    if type(array) is not np.ndarray:
        array = array.whole if isinstance(array, Rows) else memory_of(array)
    if array.flags.c_contiguous:
        try:
            return addressof(_byte_of(array))  # in a quarter of the time
        except (BufferError, TypeError, ValueError):  # a dtype that no buffer has, read only, or no bytes
            pass
    result: int = array.__array_interface__["data"][0]
    return result


def owner(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory under `array`."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def fix(t: Tensor) -> None:
    """Mark the memory of `t` as one that cannot be resized, since an array of the user lies in it."""
    _fix(owner(t._array) if t._storage is None else t._storage._owner)


def _fix(root: np.ndarray) -> None:
    key = id(root)
    if key not in _FIXED:
        # no function of Python's: an interruption in it would be lost, and the next array of this id be taken for fixed
        _FIXED[key] = weakref.ref(root, partial(_FIXED.pop, key))


def fixed(storage: StorageBase) -> bool:
    """Whether a storage cannot be resized."""
    return id(storage._owner) in _FIXED


class TensorBase:
    """What Tensor has in `torch._C`, and the attributes of it that this room uses: its array, its version counter, the
    storage made for it.
    """

    __slots__ = ("_array", "_counter", "_storage")
    __module__ = "torch._C"

    def __new__(cls, *args: Any, **kwargs: Any) -> TensorBase:
        raise RuntimeError("Cannot directly construct TensorBase; subclass it and then construct that")

    def __init_subclass__(cls, **options: Any) -> None:
        if TensorBase in cls.__bases__ and cls.__name__ != "Tensor":
            raise RuntimeError("Cannot subclass _TensorBase directly")
        super().__init_subclass__(**options)

    def _fix_weakref(self) -> None:
        """Nothing: an object that a weak reference gave is one like any other."""


_array_of = TensorBase._array.__get__  # type: ignore[attr-defined]
_storage_of = TensorBase._storage.__get__  # type: ignore[attr-defined]


def _one_by_one(part: slice) -> slice:
    """A part of a storage's bytes, which has to be of bytes that follow one another."""
    if part.step not in (None, 1):
        raise RuntimeError(f"Trying to slice with a step of {part.step}, but only a step of 1 is supported")
    return part


class StorageBase:
    """The memory under tensors, in bytes; what a storage has in `torch._C`."""

    __slots__ = ("__dict__", "__weakref__", "_owner", "buffer", "file", "shared")
    __module__ = "torch._C"

    _owner: np.ndarray
    buffer: np.ndarray
    shared: bool
    #: the name of the file that its bytes are written to
    file: str | None

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if cls is StorageBase:
            raise RuntimeError("Cannot directly construct StorageBase; subclass it and then construct that")
        values = _NEW.bind(args, kwargs)[1]
        return cls.over(_bytes(values.get("size", values.get("sequence", 0)), values["device"]))

    @classmethod
    def over(cls, array: np.ndarray) -> Self:
        """The storage of the memory under an array."""
        self = object.__new__(cls)
        self._owner = array
        self.shared, self.file = False, None
        if type(array) is Reserved:
            self.buffer = array
        else:
            flat = array.ravel(order="K") if array.size else np.empty(0, array.dtype)
            self.buffer = flat.view(np.uint8) if flat.flags.c_contiguous else np.ascontiguousarray(flat)
        if not isinstance(array.base, np.ndarray):
            _STORAGES[id(array)] = self
        return self

    def nbytes(self) -> int:
        """The number of bytes."""
        return self.buffer.nbytes

    __len__ = nbytes

    def element_size(self) -> int:
        """1: a storage counts bytes."""
        return 1

    def data_ptr(self) -> int:
        """The address of the first byte; 0 where there is none."""
        if type(self._owner) is Hollow:
            raise RuntimeError("Attempted to access the data pointer on an invalid python storage.")
        return address(self.buffer) if self.buffer.nbytes and not self.reserved else 0

    @property
    def reserved(self) -> bool:
        """Whether it is that of tensors without contents (`absent.py`)."""
        return type(self._owner) is Reserved

    @property
    def device(self) -> Any:
        """Where it is."""
        return META if self.reserved else CPU

    @property
    def _cdata(self) -> int:
        return id(self)

    def _fix_weakref(self) -> None:
        """Nothing: an object that a weak reference gave is one like any other."""

    def require_contents(self) -> None:
        """Refuse to read bytes that are not there."""
        if self.reserved:
            raise NotImplementedError("Not available for 'meta' device type")

    def require_own(self, method: str) -> None:
        """Refuse to change the memory of a tensor whose class alone has its contents."""
        if type(self._owner) is Hollow:
            raise RuntimeError(f"Attempted to call {method}() on an invalid python storage.")

    def require_data(self) -> None:
        """Refuse to copy bytes that are not there."""
        if self.reserved:
            raise NotImplementedError(NO_DATA)

    def __getitem__(self, index: Any) -> Any:
        self.require_contents()
        if isinstance(index, slice):
            return type(self).over(self.buffer[_one_by_one(index)])
        if not hasattr(index, "__index__"):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        size = self.buffer.nbytes
        place = operator.index(index)
        place += size if place < 0 else 0
        if not 0 <= place < size:
            raise IndexError(f"index {place} out of range for storage of size {size}")
        return int(self.buffer[place])

    def __setitem__(self, index: Any, value: int) -> None:
        if not isinstance(value, int):
            raise RuntimeError(f"can only set storage content with a int types, but got {type(value).__name__} instead")
        place: Any
        if isinstance(index, slice):
            place = _one_by_one(index)
        elif not hasattr(index, "__index__"):
            raise RuntimeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        elif not 0 <= operator.index(index) < self.nbytes():
            raise RuntimeError("out of bounds")
        else:
            place = operator.index(index)
        if not self.reserved:
            self.buffer[place] = value % 256

    def fill_(self, value: int) -> Self:
        """The same value in each byte."""
        self.require_own("fill_")
        if not isinstance(value, int):
            raise RuntimeError(f"fill_ expects int, but got {type(value).__name__}")
        self[:] = value
        return self

    def copy_(self, source: StorageBase, non_blocking: bool = False) -> Self:
        """The bytes of another storage of the same size."""
        self.require_own("copy_")
        sizes = self.nbytes(), source.nbytes()
        if sizes[0] != sizes[1]:
            raise RuntimeError("size does not match, self was {} bytes but src was {} bytes".format(*sizes))
        if not self.reserved:
            source.require_data()
            self.buffer[...] = source.buffer
        return self

    def new(self) -> Storage:
        """A storage without bytes, on the same device."""
        return Storage(device=self.device)

    def is_shared(self) -> bool:
        """Whether share_memory_() was called on it, or its bytes are those of a file."""
        return self.shared

    def resizable(self) -> bool:
        """Whether it can grow and shrink."""
        return not fixed(self)

    def _write_file(self, file: Any, real: bool = True, counted: bool = True, element_size: int = 1) -> None:
        """Write the bytes to a file, with the number of elements in front where `counted`."""
        self.require_own("_write_file")
        self.require_data()
        if counted:
            file.write((self.nbytes() // element_size).to_bytes(8, sys.byteorder))
        file.write(self.buffer.tobytes())

    def _share_fd_cpu_(self) -> NoReturn:
        if self.reserved:
            raise RuntimeError("_share_fd_: only available on CPU")
        raise RuntimeError("autogradlab hands no memory to other processes")

    _share_filename_cpu_ = _share_fd_cpu_

    @classmethod
    def from_buffer(cls, *args: Any, **kwargs: Any) -> Storage:
        """A storage with a copy of bytes: `count` numbers of a dtype from the byte `offset` on."""
        return Storage.over(bytes_of_buffer(*args, **kwargs))

    @classmethod
    def from_file(cls, filename: str, shared: bool = False, nbytes: int = 0) -> Self:
        """A storage on the first bytes of a file; with shared=True what is changed is written to it."""
        found = cls.over(mapped(filename, shared, nbytes))
        found.shared = shared
        found.file = filename if shared else None
        _fix(found._owner)
        return found

    def resize_(self, nbytes: int) -> Self:
        """Grow or shrink to `nbytes`; every tensor on this memory follows."""
        self.require_own("resize_")
        if fixed(self):
            raise RuntimeError("Trying to resize storage that is not resizable")
        tensors = sharing(self)
        grown: np.ndarray = reserve(nbytes) if self.reserved else np.empty(nbytes, np.uint8)
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
            t._storage = cast(Storage, self)
            if offset + extent(a.shape, a.strides, a.itemsize) <= nbytes:
                t._array = as_lazy_as(a, np.ndarray(a.shape, a.dtype, grown, offset, strides(a)))
        return self


class Storage(StorageBase, PythonStorage):
    """The memory under tensors, in bytes.

    Example:
        >>> import autogradlab as torch
        >>> torch.tensor([1, 2], dtype=torch.uint8).untyped_storage().tolist()
        [1, 2]

    Mirrors `torch.UntypedStorage`.
    """

    __slots__ = ()
    __module__ = "torch.storage"


Storage.__name__ = Storage.__qualname__ = "UntypedStorage"
_NEW = Signatures(
    "torch.UntypedStorage",
    "torch.UntypedStorage(*, int? allocator=None, Device? device=None)",
    "torch.UntypedStorage(int size, *, int? allocator=None, Device? device=None)",
    "torch.UntypedStorage(object sequence, *, int? allocator=None, Device? device=None)",
)


def _bytes(data: Any, device: Any) -> np.ndarray:
    """The memory that a user asks for: so many bytes, or those of a sequence."""
    found = None if device is None else Device(device)
    absent = found is not None and found.type == "meta"
    if found is not None and found.type not in ("cpu", "cuda", "meta"):
        raise RuntimeError(f"torch.UntypedStorage(): Storage device not recognized: {found.type}")
    if not absent:
        require_cpu(found)
    if type(data) is int or isinstance(data, np.integer):
        data = int(data)
        if data < 0:
            raise RuntimeError(NEGATIVE.format(2**64 + data))
        return reserve(data) if absent else quiet(np.zeros, data, np.uint8)
    if not hasattr(type(data), "__getitem__") or isinstance(data, (dict, TensorBase)):
        raise RuntimeError(f"torch.UntypedStorage(): Expected a sequence type, but got {type(data).__name__}")
    items = list(data)
    for item in items:
        if not isinstance(item, int):
            raise RuntimeError(
                f"torch.UntypedStorage(): tried to construct a storage from a sequence ({type(data).__name__}), but "
                f"one of the items was of type {type(item).__name__} instead of int"
            )
    return reserve(len(items)) if absent else np.array([n & 255 for n in items], np.uint8)


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


def same_memory(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors have one storage, which no tensor has to have as an object for that. Of an array of the user
    it is not known: PyTorch gives each tensor on it a storage."""
    if a._storage is not None and b._storage is not None:
        return a._storage is b._storage
    root = owner(a._array)
    return root is owner(b._array) and id(root) not in _FIXED


def storage_on(root: np.ndarray) -> Storage:
    """The storage of the memory that an array owns."""
    found = _STORAGES.get(id(root))
    if found is None:
        found = _STORAGES[id(root)] = Storage.over(root)
    return found


def sharing(storage: StorageBase) -> list[Tensor]:
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
