"""Bytes of buffers and of files, for storages."""

from __future__ import annotations

import mmap
import os
import sys
from typing import Any

import numpy as np

from ..types import dtypes

__all__ = ["bytes_of_buffer", "mapped", "swap"]

_PARAMETERS = ("buffer", "byte_order", "count", "offset", "dtype")


def bytes_of_buffer(*args: Any, **kwargs: Any) -> np.ndarray:
    """A copy of `count` numbers of a dtype, from the byte `offset` of a buffer on, as this machine orders bytes.

    Errors: TypeError, RuntimeError and ValueError for arguments that are missing, or do not fit the buffer.
    """
    given = {**dict(zip(_PARAMETERS, args, strict=False)), **kwargs}
    for name in given.keys() - set(_PARAMETERS):
        raise TypeError(f"'{name}' is an invalid keyword argument for this function")
    if "buffer" not in given:
        raise TypeError("function missing required argument 'buffer' (pos 1)")
    order, kind = given.get("byte_order"), given.get("dtype")
    if order is not None and not isinstance(order, str):
        raise TypeError(f"argument 2 must be str, not {type(order).__name__}")
    if kind is None:
        raise RuntimeError("argument 'dtype' cannot be None")
    if not isinstance(kind, dtypes.dtype):
        raise RuntimeError("argument 'dtype' must be of type torch.dtype")
    bytewise = kind in (dtypes.uint8, dtypes.int8)
    if order is None and not bytewise:
        raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
    if order not in (None, "big", "little", "native") and not bytewise:
        raise ValueError(f"invalid byte_order '{order}' (expected 'big', 'little', or 'native')")
    found = _part(memoryview(given["buffer"]), given.get("count", -1), given.get("offset", 0), kind.itemsize)
    if kind is dtypes.bool:
        found[...] = found != 0
    if order not in ("native", sys.byteorder):
        swap(found, kind)
    return found


def swap(memory: np.ndarray, kind: dtypes.dtype) -> None:
    """Turn round the bytes of each number of a dtype."""
    width = kind.to_real().itemsize
    if width > 1:
        memory.view(f"u{width}").byteswap(inplace=True)


def _part(buffer: memoryview, count: int, offset: int, size: int) -> np.ndarray:
    """A copy of `count` numbers of `size` bytes, or all that there are after `offset` if it is negative."""
    total = buffer.nbytes
    if not 0 <= offset <= total:
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({offset}) , but got {total}")
    if count < 0:
        if (total - offset) % size:
            raise ValueError(f"buffer size ({total}) must be a multiple of element size ({size})")
        count = (total - offset) // size
    elif count * size > total - offset:
        raise ValueError(
            f"buffer has only {total - offset} elements after offset {offset}, but specified a size of {count}"
        )
    return np.array(bytearray(buffer.tobytes()[offset : offset + count * size]), np.uint8)


def mapped(filename: str, shared: bool, nbytes: int) -> np.ndarray:
    """The first bytes of a file as memory; where `shared`, the file is made and grows if need be, and follows it.

    Errors: RuntimeError for a file that is not there or too short, in PyTorch's words.
    """
    try:
        file = os.open(filename, os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY, 0o600)
    except OSError as error:
        how = "read-write" if shared else "read-only"
        said = f"{error.strerror} ({error.errno})"
        raise RuntimeError(f"unable to open file <{filename}> in {how} mode: {said}") from None
    try:
        size = os.fstat(file).st_size
        if nbytes < 0:
            raise RuntimeError(f"unable to mmap {nbytes} bytes from file <{filename}>: Cannot allocate memory (12)")
        if nbytes > size:
            if not shared:
                raise RuntimeError(
                    f"file <{filename}> size <{size}> is smaller than the required mapping size <{nbytes}>"
                )
            os.ftruncate(file, nbytes)
        if not nbytes:
            return np.empty(0, np.uint8)
        memory = mmap.mmap(file, nbytes, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
    finally:
        os.close(file)
    return np.frombuffer(memory, np.uint8)
