"""Memory that has a size and no contents, which is that of tensors on the device "meta"."""

from __future__ import annotations

import mmap

import numpy as np

__all__ = ["NO_DATA", "Hollow", "Reserved", "reserve"]

#: bytes from which on memory is asked for page by page
_LARGE = 1 << 20
NO_DATA = "Cannot copy out of meta tensor; no data!"


class Reserved(np.ndarray):
    """Memory of a tensor that has no contents; the arrays that lie in it are of NumPy's own class."""


class Hollow(np.ndarray):
    """The same of a tensor whose class holds its contents in some other way: it is on the device that it says."""


def reserve(size: int, kind: type[np.ndarray] = Reserved) -> np.ndarray:
    """Bytes that are never filled, of one of these kinds; the system gives pages to what is written."""
    if size < _LARGE:
        memory = kind(size, np.uint8)
        memory.fill(0)
        return memory
    flags = {} if not hasattr(mmap, "MAP_ANONYMOUS") else {"flags": _lazily()}
    return kind(size, np.uint8, mmap.mmap(-1, size, **flags))


def _lazily() -> int:
    return mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000)
