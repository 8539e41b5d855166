"""Memory that has a size and no contents, which is that of tensors on the device "meta"."""

from __future__ import annotations

import mmap

import numpy as np

__all__ = ["NO_DATA", "Reserved", "reserve"]

#: bytes from which on memory is asked for page by page
_LARGE = 1 << 20
NO_DATA = "Cannot copy out of meta tensor; no data!"


class Reserved(np.ndarray):
    """Memory of a tensor that has no contents; the arrays that lie in it are of NumPy's own class."""


def reserve(size: int) -> np.ndarray:
    """Bytes that are never filled; the system gives pages to what is written."""
    if size < _LARGE:
        memory = Reserved(size, np.uint8)
        memory.fill(0)
        return memory
    flags = {} if not hasattr(mmap, "MAP_ANONYMOUS") else {"flags": _lazily()}
    return Reserved(size, np.uint8, mmap.mmap(-1, size, **flags))


def _lazily() -> int:
    return mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000)
