"""Device objects (mirrors `torch.device`). This build computes on the CPU only; other devices have names."""

from __future__ import annotations

import re
from typing import Any

from ..arguments.signature import Signatures
from .native import Native

__all__ = ["CPU", "META", "default_device", "device", "is_meta", "require_cpu", "set_device"]

_TYPES = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, "
    "mtia, privateuseone"
)
_KNOWN = frozenset(_TYPES.split(", "))
_FORM = re.compile(r"([a-zA-Z_]+)(?::(0|[1-9]\d*))?")


def _parse(text: str, index: int | None) -> tuple[str, int | None]:
    if not text:
        raise RuntimeError("Device string must not be empty")
    match = _FORM.fullmatch(text)
    if match is None:
        raise RuntimeError(f"Invalid device string: '{text}'")
    if match[1] not in _KNOWN:
        raise RuntimeError(f"Expected one of {_TYPES} device type at start of device string: {match[1]}")
    if match[2] is not None and index is not None:
        raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {text}")
    if index is not None and index < 0:
        raise RuntimeError("Device index must not be negative")
    if match[2] is None:
        return match[1], index
    if int(match[2]) >= 2**31:
        raise RuntimeError(f"Could not parse device index '{match[2]}' in device string '{text}'")
    return match[1], int(match[2])


class device(metaclass=Native, final=True):
    """Where a tensor is: a type and, perhaps, a number.

    Example:
        >>> import autogradlab as torch
        >>> torch.device('cpu')
        device(type='cpu')
        >>> torch.device('cuda', 1).index
        1

    Mirrors `torch.device`.
    """

    __slots__ = ("_index", "_type")
    __module__ = "torch"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        names = ("device",) if len(args) == 1 and not isinstance(args[0], str) and not kwargs else ("type", "index")
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        kind = given.get("type", given.get("device"))
        index = given.get("index")
        if isinstance(kind, device) and len(given) == 1:
            self._type, self._index = kind.type, kind.index
        elif isinstance(kind, int) and not isinstance(kind, bool) and len(given) == 1:
            if kind < 0:
                raise RuntimeError("Device index must not be negative")
            raise RuntimeError("Cannot access accelerator device when none is available.")
        elif (
            isinstance(kind, str)
            and (index is None or isinstance(index, int))
            and not given.keys() - {"type", "index", "device"}
        ):
            self._type, self._index = _parse(kind, index)
        else:
            Signatures("device", "device(Device device)", "device(str type, int index=-1)").fail(args, kwargs)

    @property
    def type(self) -> str:
        """'cpu' or 'cuda'."""
        return self._type

    @property
    def index(self) -> int | None:
        """The number of the device, None if not given."""
        return self._index

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("type", "index"):
            raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")
        object.__setattr__(self, name, value)

    def __lt__(self, other: object) -> bool:
        raise TypeError("comparison not implemented")

    __le__ = __gt__ = __ge__ = __lt__

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type='{self.type}'" + (")" if self.index is None else f", index={self.index})")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple[object, ...]:
        return _device, (self.type,) if self.index is None else (self.type, self.index)


def _device(*args: Any) -> device:
    return device(*args)


CPU = device("cpu")
META = device("meta")


#: the device on which tensors are made if none is named, or None
_default: device | None = None


def set_device(where: device | None) -> None:
    """Make `where` the device of tensors for which none is named."""
    global _default
    _default = where


def default_device() -> device | None:
    """What `set_device` was given."""
    return _default


def is_meta(where: str | int | device | None) -> bool:
    """Whether tensors asked for on `where`, by default on the default device, have no contents. PyTorch's errors for a
    device that a CPU build lacks."""
    where = _default if where is None else where
    if where is None:
        return False
    found = where if isinstance(where, device) else device(where)
    require_cpu(found)
    return found.type == "meta"


#: what PyTorch says of devices that its builds for the CPU know, but lack
_NOT_COMPILED = {
    "cuda": "Torch not compiled with CUDA enabled",
    "xpu": "Torch not compiled with XPU enabled",
    "mtia": "Torch not compiled with MTIA enabled. Ensure you have `import "
    "mtia.host_runtime.torch_mtia.dynamic_library` in your python src file and include "
    "`//mtia/host_runtime/torch_mtia:torch_mtia` as your target dependency!",
}


def require_cpu(where: str | int | device | None) -> None:
    """Raise what a CPU build of PyTorch raises when asked to use another device."""
    if where is None:
        return
    found = where if isinstance(where, device) else device(where)
    if found.type in _NOT_COMPILED:
        raise AssertionError(_NOT_COMPILED[found.type])
    if found.type in ("hpu", "privateuseone"):  # which other packages bring
        raise ModuleNotFoundError(f"No module named 'torch.{found.type}'")
    if found.type not in ("cpu", "meta"):
        raise RuntimeError(f"PyTorch is not linked with support for {found.type} devices")
