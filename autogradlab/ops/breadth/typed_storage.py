"""Storages with a dtype, which PyTorch deprecates: `t.storage()`, `torch.FloatStorage([1, 2])`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, NoReturn

import numpy as np

from ...core.memory.casting import cast_array
from ...core.memory.reserved import reserve
from ...core.memory.storage import NEGATIVE, Storage, storage_of
from ...core.memory.storage_methods import PythonStorage
from ...core.runtime.warn import forget, warn_once
from ...core.tensor.tensor import Tensor, wrap
from ...core.types import dtypes
from ...core.types.device import device as Device
from ...core.types.device import require_cpu
from ..table.opdef import composite

__all__ = ["DEPRECATED", "STORAGES", "LegacyStorage", "TypedStorage", "always_warns", "cuda_storages", "warn_always"]

DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
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


class _Removal:
    """Whether each use of a typed storage warns, and not the first one alone; whether there was one."""

    always = told = False


def always_warns() -> bool:
    """Whether each use of a typed storage warns."""
    return _Removal.always


def warn_always(flag: bool) -> None:
    """Let each use of a typed storage warn, or the first one alone."""
    if not isinstance(flag, bool):
        raise AssertionError(f"always_warn must be bool, got {type(flag).__name__}")
    _Removal.always = flag


def _warn_removal() -> None:
    if _Removal.always or not _Removal.told:  # whatever `set_warn_always` says: Python gives it
        _Removal.told = True
        forget(DEPRECATED)
        warn_once(DEPRECATED)


def _is_meta(where: Any) -> bool:
    """Whether memory is wanted that has no contents; errors for what is no device of storages."""
    found = where if where is None or isinstance(where, Device) else Device(where)
    if found is None or found.type == "cpu":
        return False
    if found.type not in ("cuda", "meta"):
        raise RuntimeError(f"torch.UntypedStorage(): Storage device not recognized: {found.type}")
    if found.type == "cuda":
        require_cpu(found)
    return True


class TypedStorage:
    """The memory under tensors with a dtype. Deprecated: UntypedStorage.

    Example:
        >>> import autogradlab as torch
        >>> torch.FloatStorage([1., 2.]).tolist()
        [1.0, 2.0]

    Mirrors `torch.TypedStorage`.
    """

    __slots__ = ("__dict__", "__weakref__", "_untyped_storage", "dtype")
    __module__ = "torch.storage"

    _untyped_storage: Storage
    dtype: dtypes.dtype
    is_sparse = False

    def __init__(
        self, *args: Any, wrap_storage: Any = None, dtype: Any = None, device: Any = None, _internal: bool = False
    ) -> None:
        if not _internal:
            _warn_removal()
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
            values = _filled(args, (dtype or dtypes.get_default_dtype()).numpy, said)
            self._untyped_storage = Storage.over(reserve(values.nbytes) if _is_meta(device) else values)
        self.dtype = dtype or dtypes.get_default_dtype()

    @property
    def _values(self) -> np.ndarray:
        count = self._untyped_storage.nbytes() // self.dtype.itemsize
        return np.ndarray((count,), self.dtype.numpy, self._untyped_storage.buffer)

    @property
    def device(self) -> Any:
        return self._untyped_storage.device

    @property
    def filename(self) -> str | None:
        """The file that the memory is mapped from, where changes are written to it."""
        return self._untyped_storage.filename

    @property
    def is_hpu(self) -> bool:
        _warn_removal()
        return False

    @property
    def _cdata(self) -> int:
        return self._untyped_storage._cdata

    @property
    def is_cuda(self) -> bool:
        _warn_removal()
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

    def _resizable(self) -> bool:
        return self._untyped_storage.resizable()

    def _get_device(self) -> int | None:
        return self._untyped_storage.get_device()

    def _share_memory_(self) -> TypedStorage:
        self._untyped_storage.share_memory_()
        return self

    def _resize_(self, size: int) -> None:
        self._untyped_storage.resize_(size * self.dtype.itemsize)

    def _pickle_storage_type(self) -> str:
        return storage_name(self.dtype)

    def _get_legacy_storage_class(self) -> Any:
        return STORAGES.get(storage_name(self.dtype))

    def _setitem(self, index: Any, value: Any) -> None:
        if not isinstance(index, (int, slice)):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if isinstance(value, (TypedStorage, Storage)):
            raise RuntimeError(f"cannot set item with value type {type(value)}")
        if not self._untyped_storage.reserved:
            wrap(self._values)[index] = value

    def _getitem(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        self._untyped_storage.require_contents()
        size = self._size()
        if not -size <= index < size:
            raise IndexError(f"index {index} out of range for storage of size {size}")
        return self._values[index].item()

    def untyped(self) -> Storage:
        """The memory as bytes."""
        _warn_removal()
        return self._untyped_storage

    def tolist(self) -> list[Any]:
        """The elements."""
        _warn_removal()
        self._untyped_storage.require_contents()
        found: list[Any] = self._values.tolist()
        return found

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        _warn_removal()
        return self._getitem(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        _warn_removal()
        self._setitem(index, value)

    def __deepcopy__(self, memo: dict[Any, Any]) -> TypedStorage:
        return self._of(deepcopy(self._untyped_storage, memo), self.dtype)

    _deepcopy = __deepcopy__

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self._nbytes()

    def fill_(self, value: Any) -> TypedStorage:
        """The same value everywhere."""
        _warn_removal()
        self._setitem(slice(0, self._size()), value)
        return self

    def copy_(self, source: Any, non_blocking: bool = False) -> TypedStorage:
        """The elements of another storage, converted."""
        _warn_removal()
        if isinstance(source, TypedStorage):
            if not self._untyped_storage.reserved:
                source._untyped_storage.require_data()
                self._values[...] = cast_array(source._values, self.dtype.numpy)
        else:
            self._untyped_storage.copy_(source)
        return self

    def clone(self) -> TypedStorage:
        """A copy of the memory."""
        _warn_removal()
        return self._of(self._untyped_storage.clone(), self.dtype)

    def cpu(self) -> TypedStorage:
        """The same memory: it is the processor's already."""
        _warn_removal()
        return self._of(self._untyped_storage.cpu(), self.dtype)

    def to(self, *, device: Any, non_blocking: bool = False) -> TypedStorage:
        """The same memory: there is no other device."""
        _warn_removal()
        return self._of(self._untyped_storage.to(device=device), self.dtype)

    def type(self, dtype: Any = None, non_blocking: bool = False) -> str:
        """'torch.FloatStorage' for float32."""
        _warn_removal()
        return f"torch.{'storage.Typed' if self._untyped_storage.reserved else _scalar(self.dtype)}Storage"

    def is_pinned(self, device: Any = None) -> bool:
        """Whether a GPU could read it directly: never."""
        _warn_removal()
        return False

    def pin_memory(self, device: Any = None) -> TypedStorage:
        """Errors: RuntimeError: there is no GPU."""
        _warn_removal()
        return self._of(self._untyped_storage.pin_memory(), self.dtype)

    def _write_file(self, file: Any, real: bool, counted: bool, element_size: int) -> None:
        self._untyped_storage._write_file(file, real, counted, element_size)

    def _share_fd_cpu_(self) -> NoReturn:
        self._untyped_storage._share_fd_cpu_()

    def _share_filename_cpu_(self) -> NoReturn:
        self._untyped_storage._share_filename_cpu_()

    @classmethod
    def from_buffer(cls, *args: Any, dtype: Any = None, device: Any = None, **kwargs: Any) -> TypedStorage:
        """A storage with the numbers that bytes hold, in the given order of their bytes."""
        kind = dtype or dtypes.get_default_dtype()
        _is_meta(device)
        return cls._of(Storage.from_buffer(*args, dtype=kind, **kwargs), kind)

    @classmethod
    def from_file(cls, filename: str, shared: bool, size: int) -> TypedStorage:
        """A storage on the bytes of a file."""
        raise RuntimeError("from_file can only be called on derived classes")

    @staticmethod
    def _of(memory: Storage, kind: dtypes.dtype) -> TypedStorage:
        return TypedStorage(wrap_storage=memory, dtype=kind, _internal=True)

    def _to(self, kind: dtypes.dtype) -> TypedStorage:
        _warn_removal()
        if self._untyped_storage.reserved:
            return self._of(Storage.over(reserve(self._size() * kind.itemsize)), kind)
        return self._of(Storage.over(cast_array(self._values, kind.numpy)), kind)

    def __repr__(self) -> str:
        _warn_removal()
        where = self._untyped_storage.device
        rows = "..." if self._untyped_storage.reserved else " " + "\n ".join(str(v) for v in self._values.tolist())
        return f"{rows}\n[torch.storage.TypedStorage(dtype={self.dtype!r}, device={where}) of size {self._size()}]"


def _warned(name: str, doc: str) -> Any:
    inner = getattr(TypedStorage, f"_{name}")

    def ask(self: TypedStorage, *args: Any) -> Any:
        _warn_removal()
        return inner(self, *args)

    ask.__name__, ask.__doc__ = name, doc
    return ask


for _name, _doc in (
    ("size", "The number of elements."),
    ("nbytes", "The number of bytes."),
    ("element_size", "Bytes of an element."),
    ("data_ptr", "The address of the first element."),
    ("is_shared", "Whether share_memory_() was called on it."),
    ("pickle_storage_type", "The name of the old class of storages of its dtype."),
    ("resizable", "Whether it can grow and shrink."),
    ("get_device", "The number of its device, where it has one."),
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
    "bfloat16": dtypes.bfloat16,
}
for _name, _dtype in _CASTS.items():
    setattr(TypedStorage, _name, lambda self, _kind=_dtype: self._to(_kind))
    setattr(PythonStorage, _name, lambda self, _kind=_dtype: TypedStorage._of(self, dtypes.uint8)._to(_kind))


def _untyped(given: Any, said: str) -> Storage:
    if not isinstance(given, Storage):
        raise TypeError(f"{said}Argument 'wrap_storage' must be UntypedStorage, but got {type(given)}")
    return given


def _filled(args: tuple[Any, ...], numpy: np.dtype[Any], said: str) -> np.ndarray:
    """The memory that a constructor asks for: none, so many elements, or those of a sequence."""
    data = args[0] if args else 0
    if isinstance(data, (int, np.integer)):
        data = int(data)
        if data < 0:
            raise RuntimeError(NEGATIVE.format(2**64 + data * numpy.itemsize))
        return np.zeros(data, numpy)
    if isinstance(data, str):
        raise TypeError("new(): invalid data type 'str'")
    if isinstance(data, Tensor) or not isinstance(data, Sequence):
        raise TypeError(f"{said}Argument type not recognized: {type(data)}")
    return np.array(data, numpy)


def _scalar(kind: dtypes.dtype) -> str:
    return dtypes.scalar_name(kind)


def storage_name(kind: dtypes.dtype) -> str:
    return f"{_scalar(kind)}Storage"


class _LegacyStorageMeta(type):
    """The class of `torch.FloatStorage` and its like, which make typed storages."""

    _dtype: Any

    def __call__(
        cls,
        *args: Any,
        wrap_storage: Any = None,
        dtype: Any = None,
        device: Any = None,
        _internal: bool = False,
        **unknown: Any,
    ) -> Any:
        if cls._dtype is None:
            raise RuntimeError("Only child classes of _LegacyStorage can be instantiated")
        cls._require_cpu()
        if not _internal:
            _warn_removal()
        for name in unknown:
            raise TypeError(f"TypedStorage.__new__() got an unexpected keyword argument '{name}'")
        said = f"{cls}.__new__{_LEGACY_FORMS}"
        for name, value in (("device", device), ("dtype", dtype)):
            if value is not None:
                raise RuntimeError(f"{said}Keyword argument '{name}' cannot be specified")
        if wrap_storage is not None:
            if args:
                raise RuntimeError(f"{said}No positional arguments should be given when using 'wrap_storage'")
            return TypedStorage._of(_untyped(wrap_storage, said), cls._dtype)
        if len(args) > 1:
            raise RuntimeError(f"{said}Too many positional arguments")
        return TypedStorage._of(Storage.over(_filled(args, cls._dtype.numpy, said)), cls._dtype)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and cls._dtype in (None, instance.dtype)

    def __subclasscheck__(cls, other: Any) -> bool:
        return type.__subclasscheck__(cls, other)

    @property
    def dtype(cls) -> Any:
        """The dtype of its elements."""
        if cls._dtype is not None:
            _warn_removal()
        return cls._dtype

    def _require_cpu(cls) -> None:
        if cls.__module__ == "torch.cuda":
            raise AssertionError("Torch not compiled with CUDA enabled")


def _from_buffer(cls: Any, *args: Any, **kwargs: Any) -> TypedStorage:
    """A storage with the numbers that bytes hold, in the given order of their bytes."""
    _require_memory(cls, "from_buffer")
    for name in ("dtype", "device"):
        if kwargs.get(name) is not None:
            raise RuntimeError(
                f"from_buffer: '{name}' can only be specified in UntypedStorage.from_buffer and "
                "TypedStorage.from_buffer"
            )
    return TypedStorage.from_buffer(*args, dtype=cls._dtype, **kwargs)


def _from_file(cls: Any, filename: str, shared: bool, size: int) -> TypedStorage:
    """A storage on the bytes of a file; with shared=True what is changed is written to it."""
    _require_memory(cls, "from_file")
    return TypedStorage._of(Storage.from_file(filename, shared, size * cls._dtype.itemsize), cls._dtype)


for _made in (_from_buffer, _from_file):
    _made.__name__ = _made.__name__[1:]
    _made.__qualname__ = f"TypedStorage.{_made.__name__}"


def _refused(name: str) -> Any:
    """What makes storages of memory of other processes, of which there is none."""

    def make(cls: Any, *args: Any) -> NoReturn:
        _require_memory(cls, name)
        raise RuntimeError(f"{name}: autogradlab shares no memory between processes")

    return classmethod(make)


def _require_memory(cls: Any, name: str) -> None:
    if cls._dtype is None:
        raise RuntimeError(f"{name} can only be called on derived classes")
    if cls.__module__ == "torch.cuda":
        raise RuntimeError(f"{name}: Not available for CUDA storage")


#: what the classes of typed storages have in common (mirrors `torch.storage._LegacyStorage`)
LegacyStorage: Any = _LegacyStorageMeta(
    "_LegacyStorage",
    (TypedStorage,),
    {
        "__module__": "torch.storage",
        "_dtype": None,
        "from_buffer": classmethod(_from_buffer),
        "from_file": classmethod(_from_file),
        **{name: _refused(name) for name in ("_new_with_weak_ptr", "_new_shared_filename")},
    },
)


def _storages(module: str) -> dict[str, Any]:
    return {
        storage_name(d): _LegacyStorageMeta(storage_name(d), (LegacyStorage,), {"__module__": module, "_dtype": d})
        for d in dtypes.ALL.values()
        if not d.name.startswith("uint") or d.name == "uint8"
    }


STORAGES: dict[str, Any] = _storages("torch")


def cuda_storages() -> dict[str, Any]:
    """`torch.cuda.FloatStorage` and the like, which only say that there is no CUDA."""
    return _storages("torch.cuda")


@composite("storage -> TypedStorage", function=False)
def storage(input: Tensor) -> TypedStorage:
    """Its memory with a dtype, with a deprecation warning; untyped_storage() is without.

    >>> torch.tensor([1, 2]).storage().tolist()
    [1, 2]
    """
    _warn_removal()
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
    _warn_removal()
    return STORAGES[storage_name(input.dtype)]


storage.__qualname__, storage_type.__qualname__ = "Tensor.storage", "Tensor.storage_type"  # as errors of PyTorch's say
Tensor._typed_storage = _typed_storage
