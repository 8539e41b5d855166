"""The ZIP archive of a saved object: written whole or not at all, read within the limits of its own length."""

from __future__ import annotations

import enum
import io
import os
import secrets
import stat
import sys
import zipfile
from pickle import UnpicklingError
from typing import Any

import numpy as np

from ..core.memory.mapping import swap
from ..core.types.dtypes import dtype

__all__ = [
    "Archive",
    "LoadEndianness",
    "damaged",
    "get_default_load_endianness",
    "put",
    "set_default_load_endianness",
    "write",
]

_INCOMPLETE = (
    "PytorchStreamReader failed reading zip archive: {}. This is an internal miniz error. If you are seeing this "
    "error, there is a high likelihood that your checkpoint file is corrupted. This can happen if the checkpoint was "
    "not saved properly, was transferred incorrectly, or the file was modified after saving."
)
_TOO_NEW = (
    "[enforce fail at inline_container.cc:230] . Attempted to read a PyTorch file with version {}, but the maximum "
    "supported version for reading is {}. The version of your PyTorch installation may be too old, please upgrade "
    "PyTorch to latest version to mitigate this issue."
)
#: the newest version of archives that PyTorch reads
_NEWEST = 10
#: more records than any state dict has
_MOST_RECORDS = 1_000_000


def damaged(why: str) -> UnpicklingError:
    """The error for a file that cannot be read."""
    return UnpicklingError(f"Weights only load failed. The file cannot be loaded: {why}.")


class LoadEndianness(enum.Enum):
    """The order of bytes of files that do not say it.

    Mirrors `torch.serialization.LoadEndianness`.
    """

    NATIVE = 1
    LITTLE = 2
    BIG = 3

    def of_old_files(self) -> str:
        """That order, as `sys.byteorder` names it."""
        return sys.byteorder if self is LoadEndianness.NATIVE else self.name.lower()


class _Order:
    #: what has been set
    given: LoadEndianness | None = None


def get_default_load_endianness() -> LoadEndianness | None:
    """The order of bytes in which `load` reads files that do not say it; None means the default, little.

    Mirrors `torch.serialization.get_default_load_endianness`.
    """
    return _Order.given


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Set the order of bytes in which `load` reads files that do not say it.

    Errors: TypeError for what is no LoadEndianness.

    Mirrors `torch.serialization.set_default_load_endianness`.
    """
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _Order.given = endianness


class Archive:
    """A ZIP archive in memory. Records are read once each, and together they are no longer than the file.

    Errors: UnpicklingError for anything that is not as PyTorch writes it.
    """

    def __init__(self, content: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            records = self._zip.infolist()
        except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError):
            # shorter than the record that ends every archive
            why = "not a ZIP archive" if len(content) < 22 else "failed finding central directory"
            raise RuntimeError(_INCOMPLETE.format(why)) from None
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
        self._check_version()
        #: whether its numbers are in the other order of bytes, once that is known
        self._swapped: bool | None = None

    def _check_version(self) -> None:
        """Refuse an archive that says that it is newer than what PyTorch reads."""
        if self._folder + "version" not in self._records:
            return
        version = self.read("version").strip()
        if not version.isdigit() or int(version) > _NEWEST:
            raise RuntimeError(_TOO_NEW.format(version.decode("ascii", "replace"), _NEWEST))

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

    def memory(self, key: str, size: int, kind: dtype) -> np.ndarray:
        """The bytes of a memory of numbers of a dtype, as this machine orders them."""
        found = np.frombuffer(self.read(f"data/{key}"), np.uint8).copy()
        if self._swapped is None:
            named = self._folder + "byteorder" in self._records
            order = (
                self.read("byteorder").decode("ascii", "replace")
                if named
                else (_Order.given or LoadEndianness.LITTLE).of_old_files()
            )
            self._swapped = order != sys.byteorder
        if self._swapped:
            swap(found, kind)
        return found


def write(f: Any, description: bytes, memories: list[np.ndarray[Any, Any]]) -> None:
    """Write an archive to a path or a binary file."""
    stem = ("", "", "") if not isinstance(f, (str, os.PathLike)) else os.path.basename(os.fspath(f)).rpartition(".")
    put(f, _archive(stem[0] or stem[2] or "archive", description, memories))


def put(f: Any, content: bytes) -> None:
    """Write the content of a file to a path or a binary file."""
    if not isinstance(f, (str, os.PathLike)):
        f.write(content)
        if hasattr(f, "flush"):
            f.flush()
        return
    path = os.path.realpath(os.fspath(f))
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

        def record(name: str, data: Any) -> None:
            archive.writestr(zipfile.ZipInfo(f"{folder}/{name}"), data)

        record("data.pkl", description)
        record("byteorder", sys.byteorder)
        for number, memory in enumerate(memories):
            record(f"data/{number}", memory.tobytes())
        record("version", "3\n")
    return body.getvalue()
