"""Storages under PyTorch's names for them (mirrors `torch.storage`)."""

from __future__ import annotations

from .core.memory.storage import Storage as UntypedStorage
from .core.memory.storage_methods import PythonStorage as _StorageBase
from .core.runtime.warn import forget
from .core.types import dtypes
from .ops.breadth.typed_storage import DEPRECATED, STORAGES, LegacyStorage, TypedStorage
from .ops.breadth.typed_storage import always_warns as _get_always_warn_typed_storage_removal
from .ops.breadth.typed_storage import warn_always as _set_always_warn_typed_storage_removal

__all__ = [
    "TypedStorage",
    "UntypedStorage",
    "_StorageBase",
    "_get_always_warn_typed_storage_removal",
    "_set_always_warn_typed_storage_removal",
]

_LegacyStorage = LegacyStorage


def _dtype_to_storage_type_map() -> dict[dtypes.dtype, str]:
    """The names of the old classes of storages, by dtype."""
    return {cls._dtype: name for name, cls in STORAGES.items()}


def _storage_type_to_dtype_map() -> dict[str, dtypes.dtype]:
    """The dtypes of the old classes of storages, by name."""
    return {name: cls._dtype for name, cls in STORAGES.items()}


def _reset_warn_typed_storage_removal() -> None:
    """Let the warning that typed storages are deprecated come once more."""
    forget(DEPRECATED)
