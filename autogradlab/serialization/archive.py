"""The ZIP archive of a saved object: written whole or not at all, read within the limits of its own length."""

from __future__ import annotations

import io
import os
import secrets
import stat
import sys
import zipfile
from pickle import UnpicklingError
from typing import Any

import numpy as np

__all__ = ["Archive", "damaged", "write"]

#: more records than any state dict has
_MOST_RECORDS = 1_000_000


def damaged(why: str) -> UnpicklingError:
    """The error for a file that cannot be read."""
    return UnpicklingError(f"Weights only load failed. The file cannot be loaded: {why}.")


class Archive:
    """A ZIP archive in memory. Records are read once each, and together they are no longer than the file.

    Errors: UnpicklingError for anything that is not as PyTorch writes it.
    """

    def __init__(self, content: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            records = self._zip.infolist()
        except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError) as error:
            raise damaged(f"it is no complete ZIP archive ({error})") from None
        if len(records) > _MOST_RECORDS:
            raise damaged(f"it has {len(records)} records")
        if sum(record.file_size for record in records) > len(content):
            raise damaged("its records claim to be longer than the file; compressed archives are not read")
        self.length = len(content)
        self._records = {record.filename: record for record in records}
        if len(self._records) != len(records):
            raise damaged("two of its records have the same name")
        found = [name for name in self._records if name == "data.pkl" or name.endswith("/data.pkl")]
        if len(found) != 1:
            raise damaged("it has no record data.pkl: neither PyTorch nor this package wrote it")
        self._folder = found[0][: -len("data.pkl")]

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *exc: object) -> None:
        self._zip.close()

    def read(self, name: str) -> bytes:
        """The bytes of a record."""
        record = self._records.pop(self._folder + name, None)
        if record is None:
            raise damaged(f"its record {name} is missing")
        if record.flag_bits & 1:
            raise damaged("it is encrypted")
        try:
            return self._zip.read(record)
        except (zipfile.BadZipFile, ValueError, OSError, EOFError, RuntimeError, NotImplementedError) as error:
            raise damaged(f"its record {name} cannot be read ({error})") from None

    def has(self, name: str) -> bool:
        """Whether a record is there and was not read yet."""
        return self._folder + name in self._records


def write(f: Any, description: bytes, memories: list[np.ndarray[Any, Any]]) -> None:
    """Write an archive to a path or a binary file."""
    if not isinstance(f, (str, os.PathLike)):
        f.write(_archive("archive", description, memories))
        return
    path = os.path.realpath(os.fspath(f))
    stem = os.path.basename(os.fspath(f)).rpartition(".")
    content = _archive((stem[0] or stem[2]) or "archive", description, memories)
    if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):  # a device or a pipe
        with open(path, "wb") as file:
            file.write(content)
        return
    _replace(path, content)


def _replace(path: str, content: bytes) -> None:
    """Put a file in the place of another in one step: an interruption, or a full disk, leaves the old one."""
    beside = f"{path}.{secrets.token_hex(4)}.tmp"
    try:
        with open(beside, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(path):
            os.chmod(beside, stat.S_IMODE(os.stat(path).st_mode))
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def _archive(folder: str, description: bytes, memories: list[np.ndarray[Any, Any]]) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_STORED) as archive:

        def put(name: str, data: Any) -> None:
            archive.writestr(zipfile.ZipInfo(f"{folder}/{name}"), data)

        put("data.pkl", description)
        put("byteorder", sys.byteorder)
        for number, memory in enumerate(memories):
            put(f"data/{number}", memory.tobytes())
        put("version", "3\n")
    return body.getvalue()
