"""Where memory lies, as a word in a file, and how it gets there again: a list to which programs add devices of their
own (mirrors those parts of `torch.serialization`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.memory.reserved import reserve
from ..core.memory.storage import Storage
from ..core.tensor.overriding import have_hollow_tensors
from ..core.types.device import device as Device

__all__ = [
    "default_restore_location",
    "location_tag",
    "register_package",
    "validate_cuda_device",
    "validate_hpu_device",
]

Tagger = Callable[[Any], str | None]
Deserializer = Callable[[Any, str], Any]

_MAP = (
    " If you are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map "
    "your storages to the CPU."
)
_ABSENT = "Attempting to deserialize object on a {0} device but torch.{1}.is_available() is False." + _MAP
_UNREGISTERED = "The {} device module is not registered." + _MAP


def validate_cuda_device(location: str) -> int:
    """The number of a CUDA device. Errors: RuntimeError, since there is none.

    Mirrors `torch.serialization.validate_cuda_device`.
    """
    Device(location)
    raise RuntimeError(_ABSENT.format("CUDA", "cuda"))


def validate_hpu_device(location: str) -> int:
    """The number of an HPU. Errors: RuntimeError, since there is none.

    Mirrors `torch.serialization.validate_hpu_device`.
    """
    raise RuntimeError(_UNREGISTERED.format("HPU"))


def _cpu_tag(obj: Any) -> str | None:
    return "cpu" if obj.device.type == "cpu" else None


def _cpu_deserialize(obj: Any, location: str) -> Any:
    return obj if location == "cpu" else None


def _meta_tag(obj: Any) -> str | None:
    return "meta" if obj.device.type == "meta" else None


def _meta_deserialize(obj: Any, location: str) -> Any:
    if location != "meta":
        return None
    have_hollow_tensors()
    return Storage.over(reserve(obj.nbytes()))


def _no_tag(obj: Any) -> str | None:
    """No memory lies on a device that is not here."""
    return None


def _refusing(kind: str, why: str) -> Deserializer:
    """What refuses to bring memory to a device that is not here."""

    def deserialize(obj: Any, location: str) -> Any:
        if location.startswith(kind):
            raise RuntimeError(why)

    return deserialize


#: in the order in which they are asked: a number, what gives the word for memory, and what brings memory to its place;
#: both give None for what is not theirs
_package_registry: list[tuple[int, Tagger, Deserializer]] = [
    (10, _cpu_tag, _cpu_deserialize),
    (20, _no_tag, _refusing("cuda", _ABSENT.format("CUDA", "cuda"))),
    (21, _no_tag, _refusing("mps", "torch.UntypedStorage(): Storage device not recognized: mps")),
    (22, _meta_tag, _meta_deserialize),
    (23, _no_tag, _refusing("privateuseone", _UNREGISTERED.format("PRIVATEUSEONE"))),
    (24, _no_tag, _refusing("hpu", _UNREGISTERED.format("HPU"))),
    (25, _no_tag, _refusing("xpu", _ABSENT.format("XPU", "xpu"))),
    (26, _no_tag, _refusing("mtia", "Cannot execute getCurrentDevice() without MTIA backend.")),
]


def register_package(priority: int, tagger: Tagger, deserializer: Deserializer) -> None:
    """Let `save` and `load` know of another place of memory; those with small numbers are asked first.

    tagger: gives the word for memory that lies there, None for other memory. deserializer: is given memory and a word,
    and gives that memory in its place, None if the word means another.

    Mirrors `torch.serialization.register_package`.
    """
    _package_registry.append((priority, tagger, deserializer))
    _package_registry.sort()


def location_tag(storage: Any) -> str:
    """The word for where memory lies.

    Mirrors `torch.serialization.location_tag`.
    """
    for _, tagger, _ in _package_registry:
        location = tagger(storage)
        if location:
            return location
    raise RuntimeError(f"don't know how to determine data location of {_type_name(type(storage))}")


def default_restore_location(storage: Any, location: str) -> Any:
    """Memory where such a word wants it.

    Mirrors `torch.serialization.default_restore_location`.
    """
    if not isinstance(location, str):
        name = "torch.device" if isinstance(location, Device) else type(location).__name__
        raise TypeError(f"expected string or bytes-like object, got '{name}'")
    for _, _, deserializer in _package_registry:
        result = deserializer(storage, location)
        if result is not None:
            return result
    raise RuntimeError(
        f"don't know how to restore data location of {_type_name(type(storage))} (tagged with {location})"
    )


def _type_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__name__}"
