"""Storages with a dtype, which PyTorch deprecates: `t.storage()`, `torch.FloatStorage([1, 2])`."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from ...core.memory.casting import cast_array
from ...core.memory.storage import Storage, fixed, one_by_one, storage_of
from ...core.runtime.warn import warn_once
from ...core.tensor import copying
from ...core.tensor.tensor import Tensor, wrap
from ...core.types import dtypes
from ...core.types.device import CPU, require_cpu
from ...core.types.device import device as Device
from ..table.opdef import composite

__all__ = ["DEPRECATED", "STORAGES", "LegacyStorage", "TypedStorage"]

DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)


_NEGATIVE = (
    "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have been called with negative "
    "number: {}"
)
_FORMS = """ received an invalid combination of arguments. Expected one of:
 * (*, torch.device device, torch.dtype dtype)
 * (int size, *, torch.device device, torch.dtype dtype)
 * (Sequence data, *, torch.device device, torch.dtype dtype)
 * (*, UntypedStorage wrap_storage, torch.dtype dtype)
"""
_LEGACY_FORMS = """ received an invalid combination of arguments. Expected one of:
 * no arguments
 * (int size)
 * (Sequence data)
 * (*, UntypedStorage wrap_storage)
"""


def _check_device(where: Any) -> None:
    """Refuse the name of an unknown device."""
    found = where if where is None or isinstance(where, Device) else Device(where)
    if found is not None and found.type not in ("cpu", "cuda"):
        raise RuntimeError(f"torch.UntypedStorage(): Storage device not recognized: {found.type}")
    require_cpu(found)


class TypedStorage:
    """The memory under tensors with a dtype. Deprecated: UntypedStorage.

    Example:
        >>> import autogradlab as torch
        >>> torch.FloatStorage([1., 2.]).tolist()
        [1.0, 2.0]

    Mirrors `torch.TypedStorage`.
    """

    __slots__ = ("__weakref__", "_untyped_storage", "dtype")
    __module__ = "torch.storage"

    _untyped_storage: Storage
    dtype: dtypes.dtype
    is_sparse = False

    def __init__(
        self, *args: Any, wrap_storage: Any = None, dtype: Any = None, device: Any = None, _internal: bool = False
    ) -> None:
        if not _internal:
            warn_once(DEPRECATED)
        said = f"TypedStorage.__init__{_FORMS}"
        if wrap_storage is not None:
            if args:
                raise RuntimeError(f"{said}No positional arguments should be given when using 'wrap_storage'")
            if dtype is None:
                raise RuntimeError(f"{said}Argument 'dtype' must be specified")
            if not isinstance(dtype, dtypes.dtype):
                raise TypeError(f"{said}Argument 'dtype' must be torch.dtype, not {type(dtype)}")
            if device is not None:
                raise RuntimeError(f"{said}Argument 'device' should not be specified when 'wrap_storage' is given")
            self._untyped_storage = _untyped(wrap_storage, said)
        else:
            if len(args) > 1:
                raise RuntimeError(f"{said}Too many positional arguments")
            _check_device(device)
            self._untyped_storage = Storage(_filled(args, (dtype or dtypes.get_default_dtype()).numpy, said))
        self.dtype = dtype or dtypes.get_default_dtype()

    @property
    def _values(self) -> np.ndarray:
        count = self._untyped_storage.nbytes() // self.dtype.itemsize
        return np.ndarray((count,), self.dtype.numpy, self._untyped_storage.buffer)

    @property
    def device(self) -> Any:
        return CPU

    @property
    def is_cuda(self) -> bool:
        warn_once(DEPRECATED)
        return False

    def _size(self) -> int:
        return len(self._values)

    def _nbytes(self) -> int:
        return self._untyped_storage.nbytes()

    def _element_size(self) -> int:
        return self.dtype.itemsize

    def _data_ptr(self) -> int:
        return self._untyped_storage.data_ptr()

    def _is_shared(self) -> bool:
        return self._untyped_storage.shared

    def _share_memory_(self) -> TypedStorage:
        self._untyped_storage.shared = True
        return self

    def _resize_(self, size: int) -> None:
        self._untyped_storage.resize_(size * self.dtype.itemsize)

    def _pickle_storage_type(self) -> str:
        return _storage_name(self.dtype)

    def _get_legacy_storage_class(self) -> Any:
        return STORAGES.get(_storage_name(self.dtype))

    def _setitem(self, index: Any, value: Any) -> None:
        if not isinstance(index, (int, slice)):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if isinstance(value, (TypedStorage, Storage)):
            raise RuntimeError(f"cannot set item with value type {type(value)}")
        wrap(self._values)[index] = value

    def _getitem(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        size = self._size()
        if not -size <= index < size:
            raise IndexError(f"index {index} out of range for storage of size {size}")
        return self._values[index].item()

    def untyped(self) -> Storage:
        """The memory as bytes."""
        warn_once(DEPRECATED)
        return self._untyped_storage

    def tolist(self) -> list[Any]:
        """The elements."""
        warn_once(DEPRECATED)
        found: list[Any] = self._values.tolist()
        return found

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        warn_once(DEPRECATED)
        return self._getitem(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        warn_once(DEPRECATED)
        self._setitem(index, value)

    def __deepcopy__(self, memo: dict[Any, Any]) -> TypedStorage:
        return self._of(deepcopy(self._untyped_storage, memo), self.dtype)

    _deepcopy = __deepcopy__

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self._nbytes()

    def fill_(self, value: Any) -> TypedStorage:
        """The same value everywhere."""
        warn_once(DEPRECATED)
        self._setitem(slice(0, self._size()), value)
        return self

    def copy_(self, source: Any, non_blocking: bool = False) -> TypedStorage:
        """The elements of another storage, converted."""
        warn_once(DEPRECATED)
        if isinstance(source, TypedStorage):
            self._values[...] = cast_array(source._values, self.dtype.numpy)
        else:
            self._untyped_storage.copy_(source)
        return self

    def clone(self) -> TypedStorage:
        """A copy of the memory."""
        warn_once(DEPRECATED)
        return self._of(self._untyped_storage.clone(), self.dtype)

    def cpu(self) -> TypedStorage:
        """The same memory: it is the processor's already."""
        warn_once(DEPRECATED)
        return self._of(self._untyped_storage, self.dtype)

    def type(self) -> str:
        """'torch.FloatStorage' for float32."""
        warn_once(DEPRECATED)
        return f"torch.{_storage_name(self.dtype)}"

    def is_pinned(self, device: Any = None) -> bool:
        """Whether a GPU could read it directly: never."""
        warn_once(DEPRECATED)
        return False

    def pin_memory(self, device: Any = None) -> TypedStorage:
        """Errors: RuntimeError: there is no GPU."""
        warn_once(DEPRECATED)
        raise RuntimeError("Cannot access accelerator device when none is available.")

    @staticmethod
    def _of(memory: Storage, kind: dtypes.dtype) -> TypedStorage:
        return TypedStorage(wrap_storage=memory, dtype=kind, _internal=True)

    def _to(self, kind: dtypes.dtype) -> TypedStorage:
        warn_once(DEPRECATED)
        return self._of(Storage(cast_array(self._values, kind.numpy)), kind)

    def __repr__(self) -> str:
        warn_once(DEPRECATED)
        where = self._untyped_storage.device
        rows = "..." if where is not CPU else " " + "\n ".join(str(v) for v in self._values.tolist())
        return f"{rows}\n[torch.storage.TypedStorage(dtype={self.dtype!r}, device={where}) of size {self._size()}]"


def _warned(name: str, doc: str) -> Any:
    inner = getattr(TypedStorage, f"_{name}")

    def ask(self: TypedStorage, *args: Any) -> Any:
        warn_once(DEPRECATED)
        return inner(self, *args)

    ask.__name__, ask.__doc__ = name, doc
    return ask


for _name, _doc in (
    ("size", "The number of elements."),
    ("nbytes", "The number of bytes."),
    ("element_size", "Bytes of an element."),
    ("data_ptr", "The address of the first element."),
    ("is_shared", "Whether share_memory_() was called on it."),
    ("share_memory_", "The memory where other processes can reach it; here the storage as it is."),
    ("resize_", "Grow or shrink to a number of elements; every tensor on this memory follows."),
):
    setattr(TypedStorage, _name, _warned(_name, _doc))
TypedStorage.__len__ = TypedStorage.size

_CASTS = {
    **{name: kind for name, kind in dtypes.ALIASES.items() if name[0] != "c"},
    "bool": dtypes.bool,
    "byte": dtypes.uint8,
    "char": dtypes.int8,
    "complex_float": dtypes.complex64,
    "complex_double": dtypes.complex128,
}
if "bfloat16" in dtypes.ALL:
    _CASTS["bfloat16"] = dtypes.ALL["bfloat16"]
for _name, _dtype in _CASTS.items():
    setattr(TypedStorage, _name, lambda self, _kind=_dtype: self._to(_kind))
    setattr(Storage, _name, lambda self, _kind=_dtype: TypedStorage._of(self, dtypes.uint8)._to(_kind))


def _untyped(given: Any, said: str) -> Storage:
    if not isinstance(given, Storage):
        raise TypeError(f"{said}Argument 'wrap_storage' must be UntypedStorage, but got {type(given)}")
    return given


def _filled(args: tuple[Any, ...], numpy: np.dtype[Any], said: str) -> np.ndarray:
    """The memory that a constructor asks for: none, so many elements, or those of a sequence."""
    data = args[0] if args else 0
    if isinstance(data, int):
        if data < 0:
            raise RuntimeError(_NEGATIVE.format(2**64 + data * numpy.itemsize))
        return np.zeros(data, numpy)
    if isinstance(data, str):
        raise TypeError("new(): invalid data type 'str'")
    if isinstance(data, Tensor) or not isinstance(data, Sequence):
        raise TypeError(f"{said}Argument type not recognized: {type(data)}")
    return np.array(data, numpy)


def _storage_name(kind: dtypes.dtype) -> str:
    return dtypes.scalar_name(kind) + "Storage"


class _LegacyStorageMeta(type):
    """The class of `torch.FloatStorage` and its like, which make typed storages."""

    dtype: Any

    def __call__(
        cls,
        *args: Any,
        wrap_storage: Any = None,
        dtype: Any = None,
        device: Any = None,
        _internal: bool = False,
        **unknown: Any,
    ) -> Any:
        if cls.dtype is None:
            raise RuntimeError("Only child classes of _LegacyStorage can be instantiated")
        if not _internal:
            warn_once(DEPRECATED)
        for name in unknown:
            raise TypeError(f"TypedStorage.__new__() got an unexpected keyword argument '{name}'")
        said = f"{cls}.__new__{_LEGACY_FORMS}"
        for name, value in (("device", device), ("dtype", dtype)):
            if value is not None:
                raise RuntimeError(f"{said}Keyword argument '{name}' cannot be specified")
        if wrap_storage is not None:
            if args:
                raise RuntimeError(f"{said}No positional arguments should be given when using 'wrap_storage'")
            return TypedStorage._of(_untyped(wrap_storage, said), cls.dtype)
        if len(args) > 1:
            raise RuntimeError(f"{said}Too many positional arguments")
        return TypedStorage._of(Storage(_filled(args, cls.dtype.numpy, said)), cls.dtype)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and cls.dtype in (None, instance.dtype)

    def __subclasscheck__(cls, other: Any) -> bool:
        return type.__subclasscheck__(cls, other)

    @property
    def _dtype(cls) -> Any:
        return cls.dtype

    def from_buffer(cls, buffer: Any, byte_order: str | None = None) -> TypedStorage:
        """A storage with the numbers that bytes hold, in the given order of their bytes."""
        numpy = cls.dtype.numpy
        if byte_order is None and numpy.itemsize > 1:
            raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
        if byte_order not in (None, "big", "little", "native"):
            raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
        data = np.frombuffer(buffer, np.uint8)
        if len(data) % numpy.itemsize:
            raise RuntimeError(
                f"buffer length ({len(data)}) after offset (0) must be a multiple of element size ({numpy.itemsize})"
            )
        if numpy.kind == "b":
            return TypedStorage._of(Storage(data != 0), cls.dtype)
        values = data.view(numpy).copy()
        if byte_order is not None and byte_order not in ("native", sys.byteorder):
            values.byteswap(inplace=True)
        return TypedStorage._of(Storage(values), cls.dtype)


#: what the classes of typed storages have in common (mirrors `torch.storage._LegacyStorage`)
LegacyStorage: Any = _LegacyStorageMeta(
    "_LegacyStorage", (TypedStorage,), {"__module__": "torch.storage", "dtype": None}
)
STORAGES: dict[str, Any] = {
    _storage_name(d): _LegacyStorageMeta(_storage_name(d), (LegacyStorage,), {"__module__": "torch", "dtype": d})
    for d in dtypes.ALL.values()
    if not d.name.startswith("uint") or d.name == "uint8"
}


@composite("storage -> TypedStorage", function=False)
def storage(input: Tensor) -> TypedStorage:
    """Its memory with a dtype, with a deprecation warning; untyped_storage() is without.

    >>> torch.tensor([1, 2]).storage().tolist()
    [1, 2]
    """
    warn_once(DEPRECATED)
    return TypedStorage._of(storage_of(input), input.dtype)


def _typed_storage(self: Tensor) -> TypedStorage:
    """The same without the warning."""
    return TypedStorage._of(storage_of(self), self.dtype)


@composite("storage_type -> type", function=False)
def storage_type(input: Tensor) -> Any:
    """The type of its storage.

    >>> torch.ones(1).storage_type()
    <class 'torch.FloatStorage'>
    """
    return STORAGES[_storage_name(input.dtype)]


def _show(self: Storage) -> str:
    rows = "..." if self.reserved else " " + "\n ".join(map(str, self.tolist()))
    return f"{rows}\n[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"


def _fill(self: Storage, value: int) -> Storage:
    if not isinstance(value, int):
        raise RuntimeError(f"fill_ expects int, but got {type(value).__name__}")
    self.buffer[...] = value % 256
    return self


def _copy(self: Storage, source: Storage, non_blocking: bool = False) -> Storage:
    if self.nbytes() != source.nbytes():
        raise RuntimeError(f"size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes")
    self.buffer[...] = source.buffer
    return self


def _byteswap(self: Storage, dtype: dtypes.dtype) -> None:
    """Reverse the bytes of each number of a dtype, in place."""
    width = dtype.to_real().itemsize
    if width > 1:
        self.buffer.view(f"u{width}").byteswap(inplace=True)


def _deepcopied(self: Storage, memo: dict[Any, Any]) -> Storage:
    return copying.deepcopy_storage(self, memo)


def _set_bytes(self: Storage, index: Any, value: int) -> None:
    if not isinstance(value, int):
        raise RuntimeError(f"can only set storage content with a int types, but got {type(value).__name__} instead")
    if isinstance(index, slice):
        self.buffer[one_by_one(index)] = value % 256
    elif not hasattr(index, "__index__"):
        raise RuntimeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
    elif not 0 <= operator.index(index) < self.nbytes():
        raise RuntimeError("out of bounds")
    else:
        self.buffer[operator.index(index)] = value % 256


def _share(self: Storage) -> Storage:
    self.shared = True
    return self


def install() -> None:
    """What users may ask of a storage beyond its size and address."""
    Storage.__name__ = Storage.__qualname__ = "UntypedStorage"
    Storage.__module__ = "torch.storage"
    Storage.__repr__ = _show
    Storage.__setitem__ = _set_bytes  # type: ignore[index]
    Storage.__deepcopy__ = _deepcopied
    Storage.__copy__ = Storage.clone = lambda self: Storage(self.buffer.copy())
    Storage.__sizeof__ = lambda self: object.__sizeof__(self) + self.nbytes()
    Storage.fill_ = _fill
    Storage.copy_ = _copy
    Storage.byteswap = _byteswap
    Storage.type = lambda self: "torch.storage.UntypedStorage"
    Storage.cpu = lambda self: self
    Storage.new = lambda self: Storage()
    Storage.is_pinned = lambda self, device=None: False
    Storage.is_shared = lambda self: self.shared
    Storage.share_memory_ = _share
    Storage.resizable = lambda self: not fixed(self)
    Storage.is_sparse = False
    Tensor._typed_storage = _typed_storage


install()
