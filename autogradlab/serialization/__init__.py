"""Files of tensors, state dicts, optimizers and models, in PyTorch's own format (mirrors `torch.save` and
`torch.load`).

A file is a ZIP archive, uncompressed: `data.pkl` describes the object as a pickle, `data/N` hold the bytes of each
memory once, so tensors that shared memory share it again. PyTorch reads what is written here, and the other way round.
The pickle is read by a machine of our own (`reading.py`), which makes what it knows; `names.py` says what a file that
is read with weights_only=False may name and call.
"""

from __future__ import annotations

import io
import os
import pickle
import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ..core.types.device import device
from .archive import (
    Archive,
    LoadEndianness,
    get_default_load_endianness,
    put,
    set_default_load_endianness,
    write,
)
from .places import (
    _package_registry,
    default_restore_location,
    location_tag,
    register_package,
    validate_cuda_device,
    validate_hpu_device,
)
from .reading import (
    Reader,
    add_safe_globals,
    clear_safe_globals,
    content_of,
    get_safe_globals,
    get_unsafe_globals_in_checkpoint,
    remove_safe_globals,
    safe_globals,
)
from .settings import (
    get_crc32_options,
    get_default_mmap_options,
    set_crc32_options,
    set_default_mmap_options,
    skip_data,
)
from .stream import MAGIC_NUMBER, PROTOCOL_VERSION, Stream, streamed
from .writing import Writer

__all__ = [
    "DEFAULT_PROTOCOL",
    "MAGIC_NUMBER",
    "PROTOCOL_VERSION",
    "LoadEndianness",
    "SourceChangeWarning",
    "_package_registry",
    "add_safe_globals",
    "check_module_version_greater_or_equal",
    "clear_safe_globals",
    "default_restore_location",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "location_tag",
    "register_package",
    "remove_safe_globals",
    "safe_globals",
    "save",
    "set_crc32_options",
    "set_default_load_endianness",
    "set_default_mmap_options",
    "skip_data",
    "validate_cuda_device",
    "validate_hpu_device",
]

DEFAULT_PROTOCOL = 2  # of pickle, as wrappers of `save` name it

# What `map_location` may be; other libraries annotate with this name.
MAP_LOCATION: TypeAlias = Callable[[Any, str], Any] | device | str | dict[str, str] | None


class SourceChangeWarning(Warning):
    """That a class has changed since an object of it was saved, which PyTorch's oldest files tell.

    Mirrors `torch.serialization.SourceChangeWarning`.
    """

    __module__ = "torch.serialization"


def check_module_version_greater_or_equal(
    module: Any, req_version_tuple: tuple[Any, ...], error_if_malformed: bool = True
) -> bool:
    """Whether a module's `__version__` is at least another one.

    Errors: RuntimeError for one that is no row of numbers; with error_if_malformed=False a warning, and True.

    Mirrors `torch.serialization.check_module_version_greater_or_equal`.
    """
    try:
        parts = zip(req_version_tuple, module.__version__.split("."), strict=False)
        return tuple(type(wanted)(part) for wanted, part in parts) >= req_version_tuple
    except Exception as error:
        message = (
            f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be compared "
            f"with tuple {req_version_tuple}"
        )
        if error_if_malformed:
            raise RuntimeError(message) from error
        warnings.warn(message + ", but continuing assuming that requirement is met", stacklevel=2)
        return True


def save(
    obj: object,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Writes an object to a file: tensors that share memory share it when loaded, too.

    f: a path or a binary file. A file of that name is replaced only when the new one is complete.

    Errors: AttributeError for functions without a name in a module; RuntimeError for a folder that does not exist.

    Example:
        >>> import autogradlab as torch
        >>> import io
        >>> buffer = io.BytesIO()
        >>> torch.save({'w': torch.ones(2)}, buffer)
        >>> _ = buffer.seek(0)
        >>> torch.load(buffer)
        {'w': tensor([1., 1.])}

    Mirrors `torch.save`.
    """
    if not isinstance(f, (str, os.PathLike)) and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    if isinstance(f, (str, os.PathLike)):
        parent = os.path.dirname(os.fspath(f))
        if parent and not os.path.isdir(parent):
            raise RuntimeError(f"Parent directory {parent} does not exist.")
    if pickle_protocol > pickle.HIGHEST_PROTOCOL:
        raise ValueError(f"pickle protocol must be <= {pickle.HIGHEST_PROTOCOL}")
    if not _use_new_zipfile_serialization:
        if skip_data.depth:
            raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
        put(f, streamed(obj))
        return
    writer = Writer()
    description = writer.described(obj)
    memories = [memory for _, memory in writer.memories.values()]
    if skip_data.depth:
        memories = [np.zeros_like(memory) for memory in memories]
    write(f, description, memories)


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> object:
    """Reads what `save`, here or in PyTorch, wrote. It runs no code that the file names: a hostile one is refused.

    map_location: where memory of other devices goes; the CPU is the only one here.
    weights_only: by default tensors, numbers, strings and their containers only. With False also objects of this
    package (models, optimizers, data sets, functions as attributes) and of classes that the program has loaded
    already, made without a call of the class; `add_safe_globals` allows single ones.

    pickle_module: one whose Unpickler has a `load` of its own reads in its own way.

    Errors: pickle.UnpicklingError for a file that is damaged, claims more than it holds, or names something that is not
    allowed; RuntimeError for one that is cut off; FileNotFoundError; EOFError for an empty file.

    Example:
        >>> import autogradlab as torch
        >>> import io
        >>> buffer = io.BytesIO()
        >>> torch.save(torch.ones(2), buffer)
        >>> _ = buffer.seek(0)
        >>> torch.load(buffer)
        tensor([1., 1.])

    Mirrors `torch.load`.
    """
    weights_only = _weights_only(weights_only, pickle_module)
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if mmap and not isinstance(f, (str, os.PathLike)):
        raise ValueError("f must be a file path in order to use the mmap argument")
    content, start = content_of(f)
    if not content:
        raise EOFError if weights_only else EOFError("Ran out of input")
    if pickle_load_args and weights_only:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    encoding = pickle_load_args.get("encoding", "utf-8")
    _check_names(pickle_load_args, weights_only, content.startswith(b"PK\x03\x04"))
    if not weights_only:
        if getattr(pickle_module, "Unpickler", pickle.Unpickler).load is not pickle.Unpickler.load:
            return pickle_module.Unpickler(io.BytesIO(content), **{"encoding": encoding, **pickle_load_args}).load()
    if not content.startswith(b"PK\x03\x04"):
        if mmap:
            raise RuntimeError(
                f"mmap can only be used with files saved with `torch.save({f}, _use_new_zipfile_serialization=True), "
                "please torch.save your checkpoint with this option in order to use mmap."
            )
        stream = Stream(content)
        found = stream.load(map_location, weights_only, encoding)
        if not isinstance(f, (str, os.PathLike)):
            f.seek(start + stream.end)  # another object may follow
        return found
    with Archive(content) as archive:
        return Reader(archive, map_location, weights_only, encoding).load()


def _check_names(given: dict[str, Any], weights_only: bool, archive: bool) -> None:
    """Refuse arguments that no Unpickler takes; that for weights takes less."""
    for name in given:
        if weights_only and name != "encoding":
            what = "Unpickler.__init__" if archive else "load"
            raise TypeError(f"{what}() got an unexpected keyword argument '{name}'")
        if name not in ("encoding", "errors", "fix_imports", "buffers"):
            what = "Unpickler" if archive else "load"
            raise TypeError(f"'{name}' is an invalid keyword argument for {what}()")


def _weights_only(given: bool | None, pickle_module: Any) -> bool:
    """What `weights_only` means with this module and this environment."""
    only, all_too = (
        os.getenv(name, "0").lower() in ("1", "y", "yes", "true")
        for name in ("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    )
    if only and all_too:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be set, but both "
            "were set."
        )
    if only:
        return True
    if given is None and all_too:
        warnings.warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was not "
            "explicitly passed to `torch.load`, forcing weights_only=False.",
            UserWarning,
            stacklevel=3,
        )
        return False
    return pickle_module is None if given is None else bool(given)
