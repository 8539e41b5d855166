"""Storages with a dtype, which PyTorch deprecates: `t.storage()`, `torch.FloatStorage([1, 2])`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.memory.storage import Storage, storage_of
from ...core.runtime.warn import warn_once
from ...core.tensor.tensor import Tensor
from ...core.types import dtypes
from ...core.types.device import CPU
from ..table.opdef import composite

__all__ = ["STORAGES", "TypedStorage"]

_DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)


class TypedStorage:
    """The memory under tensors with a dtype. Deprecated: UntypedStorage.

    Example:
        >>> import autogradlab as torch
        >>> torch.FloatStorage([1., 2.]).tolist()
        [1.0, 2.0]

    Mirrors `torch.TypedStorage`.
    """

    __slots__ = ("_untyped_storage", "dtype")
    __module__ = "torch.storage"

    def __init__(self, *, wrap_storage: Storage, dtype: dtypes.dtype) -> None:
        self._untyped_storage = wrap_storage
        self.dtype = dtype

    @property
    def _values(self) -> np.ndarray:
        count = self._untyped_storage.nbytes() // self.dtype.itemsize
        return np.ndarray((count,), self.dtype.numpy, self._untyped_storage.buffer)

    def untyped(self) -> Storage:
        """The memory as bytes."""
        warn_once(_DEPRECATED)
        return self._untyped_storage

    @property
    def device(self) -> Any:
        return CPU

    @property
    def is_cuda(self) -> bool:
        return False

    def size(self) -> int:
        """The number of elements."""
        warn_once(_DEPRECATED)
        return len(self._values)

    __len__ = size

    def nbytes(self) -> int:
        warn_once(_DEPRECATED)
        return self._untyped_storage.nbytes()

    def element_size(self) -> int:
        warn_once(_DEPRECATED)
        return self.dtype.itemsize

    def data_ptr(self) -> int:
        warn_once(_DEPRECATED)
        return self._untyped_storage.data_ptr()

    def tolist(self) -> list[Any]:
        warn_once(_DEPRECATED)
        found: list[Any] = self._values.tolist()
        return found

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        warn_once(_DEPRECATED)
        found = self._values[index]
        return found.item() if isinstance(index, int) else TypedStorage._of(found.copy(), self.dtype)

    def __setitem__(self, index: Any, value: Any) -> None:
        warn_once(_DEPRECATED)
        self._values[index] = value

    def fill_(self, value: Any) -> TypedStorage:
        warn_once(_DEPRECATED)
        self._values[...] = value
        return self

    def copy_(self, source: Any, non_blocking: bool = False) -> TypedStorage:
        warn_once(_DEPRECATED)
        self._values[...] = source._values
        return self

    def clone(self) -> TypedStorage:
        warn_once(_DEPRECATED)
        return self._of(self._values.copy(), self.dtype)

    def cpu(self) -> TypedStorage:
        warn_once(_DEPRECATED)
        return self

    def type(self) -> str:
        warn_once(_DEPRECATED)
        return f"torch.{_storage_name(self.dtype)}"

    def resize_(self, size: int) -> None:
        warn_once(_DEPRECATED)
        self._untyped_storage.resize_(size * self.dtype.itemsize)

    @staticmethod
    def _of(values: np.ndarray, kind: dtypes.dtype) -> TypedStorage:
        return TypedStorage(wrap_storage=Storage(values), dtype=kind)

    def _to(self, kind: dtypes.dtype) -> TypedStorage:
        warn_once(_DEPRECATED)
        return self._of(self._values.astype(kind.numpy), kind)

    def __repr__(self) -> str:
        warn_once(_DEPRECATED)
        rows = "\n ".join(str(v) for v in self._values.tolist())
        return f" {rows}\n[torch.storage.TypedStorage(dtype={self.dtype!r}, device=cpu) of size {len(self._values)}]"


for _name, _dtype in {**dtypes.ALIASES, "bool": dtypes.bool, "byte": dtypes.uint8, "char": dtypes.int8}.items():
    setattr(TypedStorage, _name, lambda self, _kind=_dtype: self._to(_kind))


def _storage_name(kind: dtypes.dtype) -> str:
    return kind._tensor_type.removesuffix("Tensor") + "Storage"


class _LegacyStorageMeta(type):
    """The class of `torch.FloatStorage` and its like, which make typed storages."""

    dtype: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        warn_once(_DEPRECATED)
        data = args[0] if args else 0
        numpy = cls.dtype.numpy
        return TypedStorage._of(np.zeros(data, numpy) if isinstance(data, int) else np.array(data, numpy), cls.dtype)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype


STORAGES: dict[str, Any] = {
    _storage_name(d): _LegacyStorageMeta(_storage_name(d), (), {"__module__": "torch", "dtype": d})
    for d in dtypes.ALL.values()
    if not d.name.startswith("uint") or d.name == "uint8"
}


@composite("storage -> TypedStorage", function=False)
def storage(input: Tensor) -> TypedStorage:
    """Its memory with a dtype, with a deprecation warning; untyped_storage() is without.

    >>> torch.tensor([1, 2]).storage().tolist()
    [1, 2]
    """
    warn_once(_DEPRECATED)
    return TypedStorage(wrap_storage=storage_of(input), dtype=input.dtype)


@composite("storage_type -> type", function=False)
def storage_type(input: Tensor) -> Any:
    """The type of its storage.

    >>> torch.ones(1).storage_type()
    <class 'torch.FloatStorage'>
    """
    return STORAGES[_storage_name(input.dtype)]


def _show(self: Storage) -> str:
    rows = "\n ".join(map(str, self.tolist()))
    return f" {rows}\n[torch.storage.UntypedStorage(device=cpu) of size {self.nbytes()}]"


def _fill(self: Storage, value: int) -> Storage:
    self.buffer[...] = value
    return self


def _copy(self: Storage, source: Storage, non_blocking: bool = False) -> Storage:
    self.buffer[...] = source.buffer
    return self


def install() -> None:
    """What users may ask of a storage beyond its size and address."""
    Storage.__name__ = Storage.__qualname__ = "UntypedStorage"
    Storage.__module__ = "torch.storage"
    Storage.__repr__ = _show
    Storage.clone = lambda self: Storage(self.buffer.copy())
    Storage.fill_ = _fill
    Storage.copy_ = _copy
    Storage.type = lambda self: "torch.storage.UntypedStorage"
    Storage.cpu = lambda self: self


install()
