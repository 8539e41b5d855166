"""Weights from an address, kept in a folder (mirrors part of `torch.hub`)."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import uuid
import warnings
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlparse
from urllib.request import Request, urlopen

from .serialization import load as _load

__all__ = ["download_url_to_file", "get_dir", "load_state_dict_from_url", "set_dir"]

#: the beginning of a file's SHA-256, as names end in it: resnet18-bfd8deac.pth
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
READ_DATA_CHUNK = 128 * 1024
_chosen: list[str] = []


def _get_torch_home() -> str:
    cache = os.getenv("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.getenv("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """The folder for what is downloaded: what `set_dir` was given, or `hub` in TORCH_HOME, by default ~/.cache/torch.

    Example:
        >>> import autogradlab as torch
        >>> torch.hub.set_dir('weights')
        >>> torch.hub.get_dir()
        'weights'

    Mirrors `torch.hub.get_dir`.
    """
    if os.getenv("TORCH_HUB"):
        warnings.warn("TORCH_HUB is deprecated, please use env TORCH_HOME instead", stacklevel=2)
    return _chosen[-1] if _chosen else os.path.join(_get_torch_home(), "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Choose the folder for what is downloaded.

    Mirrors `torch.hub.set_dir`.
    """
    _chosen[:] = [os.path.expanduser(d)]


def _copy(source: BinaryIO, to: BinaryIO, size: int | None, progress: bool) -> str:
    """Copy a stream; its SHA-256."""
    digest, done = hashlib.sha256(), 0
    while part := source.read(READ_DATA_CHUNK):
        to.write(part)
        digest.update(part)
        done += len(part)
        if progress:
            sys.stderr.write(f"\r{100 * done / size:.1f}%" if size else f"\r{done:.1f} bytes")
    if progress:
        sys.stderr.write("\n")
    return digest.hexdigest()


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Write what is at an address into a file. Errors: RuntimeError if its SHA-256 does not begin with hash_prefix.

    Mirrors `torch.hub.download_url_to_file`.
    """
    dst = os.path.expanduser(dst)
    part = Path(f"{dst}.{uuid.uuid4().hex}.partial")
    try:
        with urlopen(Request(url, headers={"User-Agent": "torch.hub"})) as source, part.open("wb") as to:
            size = source.headers.get("Content-Length")
            digest = _copy(source, to, int(size) if size else None, progress)
        if hash_prefix is not None and digest[: len(hash_prefix)] != hash_prefix:
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest}")')
        part.replace(dst)
    finally:
        part.unlink(missing_ok=True)


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> Any:
    """What a file of weights holds: it is downloaded once, into model_dir or `checkpoints` in `get_dir()`, and loaded.
    Errors: RuntimeError, with check_hash, if its SHA-256 is not that of its name.

    Mirrors `torch.hub.load_state_dict_from_url`.
    """
    if os.getenv("TORCH_MODEL_ZOO"):
        warnings.warn("TORCH_MODEL_ZOO is deprecated, please use env TORCH_HOME instead", stacklevel=2)
    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    os.makedirs(folder, exist_ok=True)
    name = os.path.basename(urlparse(url).path) if file_name is None else file_name
    file = os.path.join(folder, name)
    if not os.path.exists(file):
        sys.stdout.write(f'Downloading: "{url}" to {file}\n')
        known = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, file, known.group(1) if known else None, progress)
    return _load(file, map_location=map_location, weights_only=weights_only)
