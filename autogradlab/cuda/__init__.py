"""torch.cuda as a build of PyTorch without CUDA has it: it says that there is none."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any, NoReturn

from ..accelerator import AcceleratorError as AcceleratorError
from ..accelerator import OutOfMemoryError as OutOfMemoryError
from ..ops.breadth.typed_storage import cuda_storages
from ..ops.legacy import cuda_types
from . import amp as amp

_MISSING = "Torch not compiled with CUDA enabled"
default_generators: tuple[Any, ...] = ()
has_half = True


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    raise AssertionError(_MISSING)


def _nothing(*args: Any, **kwargs: Any) -> None:
    """Does nothing where there is no CUDA."""


def _zero(*args: Any, **kwargs: Any) -> int:
    return 0


for _name in (
    "init",
    "current_device",
    "get_device_name",
    "get_device_properties",
    "get_device_capability",
    "synchronize",
    "mem_get_info",
    "current_stream",
    "default_stream",
    "get_rng_state",
    "set_rng_state",
    "initial_seed",
    "ipc_collect",
    "can_device_access_peer",
):
    globals()[_name] = _refuse
for _name in ["empty_cache", "manual_seed", "manual_seed_all", "seed", "seed_all"]:
    globals()[_name] = _nothing
for _name in ["memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"]:
    globals()[_name] = _zero


#: whether CUDA was initialised, as programs look at it that keep the states of generators
_initialized = False


def is_available() -> bool:
    """Whether CUDA can be used: False.

    >>> import autogradlab as torch
    >>> torch.cuda.is_available()
    False
    """
    return False


def is_initialized() -> bool:
    """Whether CUDA was initialised: False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the GPU computes in bfloat16: False."""
    return False


def device_count() -> int:
    """The number of GPUs: 0."""
    return 0


def get_arch_list() -> list[str]:
    """The GPU kinds that the build is for: none."""
    return []


def get_rng_state_all() -> list[Any]:
    """The states of the generators of all GPUs: none."""
    return []


def set_rng_state_all(new_states: Iterable[Any]) -> None:
    """Set the states of the generators of all GPUs; any state needs CUDA."""
    for _ in new_states:
        _refuse()


def set_device(device: Any) -> None:
    """There is no device to set."""
    raise AssertionError(_MISSING)


class device:
    """`with torch.cuda.device(0):`; entering it needs CUDA."""

    __module__ = "torch.cuda"

    def __init__(self, device: Any) -> None:
        self.idx = device

    def __enter__(self) -> None:
        raise RuntimeError("PyTorch was compiled without CUDA support")

    def __exit__(self, *error: Any) -> None:
        return None


class Stream:
    """Streams need CUDA."""

    __module__ = "torch.cuda.streams"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(f"torch.cuda.{type(self).__name__} requires CUDA support")


class Event:
    """Events need CUDA."""

    __module__ = "torch.cuda.streams"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("Tried to instantiate dummy base class Event")


def __getattr__(name: str) -> Any:
    if name == "random":
        return import_module(".random", __name__)
    if name.endswith(("Tensor", "Storage")):
        types = {**cuda_types(), **cuda_storages()}
        if name in types:
            globals().update(types)
            return types[name]
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
