"""The format of files before PyTorch 1.6: pickles one after the other, then the bytes of each memory."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..core.memory.mapping import swap
from ..core.types.dtypes import dtype
from .archive import damaged
from .reading import Reader
from .writing import Writer

__all__ = ["MAGIC_NUMBER", "PROTOCOL_VERSION", "Stream", "streamed"]

MAGIC_NUMBER, PROTOCOL_VERSION = 0x1950A86A20F9469CFC6C, 1001
#: how such a file begins: the pickle of the number above
_BEGINNING = Writer().described(MAGIC_NUMBER)


def streamed(obj: object) -> bytes:
    """A file of that format with an object."""
    order = {"protocol_version": PROTOCOL_VERSION, "little_endian": sys.byteorder == "little"}
    sizes = {"short": 2, "int": 4, "long": 4}
    writer = Writer(numbered=False)
    parts = [_BEGINNING, Writer().described(PROTOCOL_VERSION), Writer().described({**order, "type_sizes": sizes})]
    parts.append(writer.described(obj))
    memories = sorted((str(number), memory, writer.widths[key]) for key, (number, memory) in writer.memories.items())
    parts.append(Writer().described([key for key, _, _ in memories]))
    for _, memory, width in memories:
        parts += [(memory.nbytes // width).to_bytes(8, sys.byteorder), memory.tobytes()]
    return b"".join(parts)


class Stream:
    """A file of that format: its memories are filled when the object has been made.

    Errors: UnpicklingError for anything that is not as PyTorch writes it.
    """

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.length = len(content)
        #: where the object ends, once it has been read
        self.end = 0
        self._left = self.length
        #: by the key of a memory: its bytes, and the dtype of its numbers
        self._memories: dict[str, tuple[np.ndarray, dtype]] = {}

    def load(self, map_location: Any, weights_only: bool, encoding: str) -> Any:
        """The object."""
        reader = Reader(self, map_location, weights_only, encoding)
        reader.data = self.content
        if reader.run() != MAGIC_NUMBER:
            raise RuntimeError("Invalid magic number; corrupt file?")
        version = reader.run()
        if version != PROTOCOL_VERSION:
            raise RuntimeError(f"Invalid protocol version: {version}")
        system = reader.run()
        native = sys.byteorder == "little"
        little = (
            system.get("little_endian", system.get(b"little_endian", native)) if isinstance(system, dict) else native
        )
        found = reader.run()
        for key in reader.run():
            self._fill(reader, key.decode() if isinstance(key, bytes) else key, swapped=little != native)
        self.end = reader.at
        return found

    def memory(self, key: str, size: int, kind: dtype) -> np.ndarray:
        """Memory for so many numbers, to be filled."""
        nbytes = size * kind.itemsize
        self._left -= nbytes
        if nbytes < 0 or self._left < 0:
            raise damaged(f"memory {key} claims to be longer than the file")
        made = np.zeros(nbytes, np.uint8)
        self._memories[key] = made, kind
        return made

    def _fill(self, reader: Reader, key: str, swapped: bool) -> None:
        if key not in self._memories:
            raise damaged(f"it holds memory {key}, which nothing refers to")
        memory, kind = self._memories[key]
        if reader._number("q") * kind.itemsize != memory.nbytes:
            raise damaged(f"memory {key} is not as long as its pickle says")
        left = len(reader.data) - reader.at
        if left < memory.nbytes:
            raise RuntimeError(
                f"unexpected EOF, expected {memory.nbytes - left} more bytes. The file might be corrupted."
            )
        read = np.frombuffer(reader._take(memory.nbytes), np.uint8).copy()
        if swapped:
            swap(read, kind)
        placed = reader.memory[key]  # where map_location wants it
        if not placed.reserved:
            placed.buffer[...] = read
