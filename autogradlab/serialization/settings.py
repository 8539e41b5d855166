"""What is said of all files (mirrors those parts of `torch.serialization`): checksums, how files are mapped into
memory, and whether the numbers of tensors are written."""

from __future__ import annotations

import mmap
from typing import ClassVar

__all__ = [
    "get_crc32_options",
    "get_default_mmap_options",
    "set_crc32_options",
    "set_default_mmap_options",
    "skip_data",
]


#: the flags of which one is the default; on Windows Python has none of them, as PyTorch there
_PRIVATE: int | None = getattr(mmap, "MAP_PRIVATE", None)
_SHARED: int | None = getattr(mmap, "MAP_SHARED", None)


class _Settings:
    crc32 = True
    mmap = _PRIVATE


def get_crc32_options() -> bool:
    """Whether `save` is asked to write checksums. It does in any case.

    Mirrors `torch.serialization.get_crc32_options`.
    """
    return _Settings.crc32


def set_crc32_options(compute_crc32: bool) -> None:
    """Say whether `save` need write checksums.

    Mirrors `torch.serialization.set_crc32_options`.
    """
    _Settings.crc32 = compute_crc32


def get_default_mmap_options() -> int | None:
    """How `load` maps a file with mmap=True: mmap.MAP_PRIVATE or MAP_SHARED; None on Windows.

    Mirrors `torch.serialization.get_default_mmap_options`.
    """
    return _Settings.mmap


class set_default_mmap_options:
    """How `load` maps a file with mmap=True, from here on, or within `with`. Files are read as a whole here, so that
    memory is its own in either way. Errors: ValueError for other flags; RuntimeError on Windows.

    Mirrors `torch.serialization.set_default_mmap_options`.
    """

    __module__ = "torch.serialization"

    def __init__(self, flags: int) -> None:
        if _PRIVATE is None:
            raise RuntimeError("Changing the default mmap options is currently not supported for Windows")
        if flags not in (_PRIVATE, _SHARED):
            raise ValueError(
                "Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or "
                f"mmap.MAP_SHARED, but got {flags}"
            )
        self.prev = _Settings.mmap
        _Settings.mmap = flags

    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None:
        _Settings.mmap = self.prev


class skip_data:
    """Within it, `save` writes files in which there is room for the numbers of tensors, but not the numbers.

    materialize_fake_tensors: of tensors without contents, which there are none of but those on `meta`.

    Example:
        >>> import autogradlab as torch
        >>> import io
        >>> buffer = io.BytesIO()
        >>> with torch.serialization.skip_data():
        ...     torch.save(torch.ones(2), buffer)
        >>> _ = buffer.seek(0)
        >>> torch.load(buffer)
        tensor([0., 0.])

    Mirrors `torch.serialization.skip_data`.
    """

    __module__ = "torch.serialization"
    #: how many are entered
    depth: ClassVar[int] = 0

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        skip_data.depth += 1

    def __exit__(self, *exc: object) -> None:
        skip_data.depth -= 1
