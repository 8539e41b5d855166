"""Device objects (mirrors `torch.device`). This build computes on the CPU only; other devices have names."""

from __future__ import annotations

import re

__all__ = ["CPU", "device", "require_cpu"]

_TYPES = ("cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, "
          "mtia, privateuseone")  # fmt: skip
_KNOWN = frozenset(_TYPES.split(", "))
_FORM = re.compile(r"([a-z]+)(?::(0|[1-9]\d*))?")


class device:
    """Where a tensor lives: `device("cpu")`, `device("cuda:1")`, `device("cuda", 1)`.

    >>> import autogradlab as torch
    >>> torch.device("cuda:1"), torch.device("cpu").type
    (device(type='cuda', index=1), 'cpu')
    """

    __slots__ = ("index", "type")
    __module__ = "torch"

    type: str
    index: int | None

    def __init__(self, type: str | int | device, index: int | None = None) -> None:
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
            return
        if isinstance(type, int):
            self.type, self.index = "cuda", type
            return
        if not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' (position 1) must be str, not {type.__class__.__name__}")
        match = _FORM.fullmatch(type)
        if match is None:
            raise RuntimeError(f"Invalid device string: '{type}'")
        if match[1] not in _KNOWN:
            raise RuntimeError(f"Expected one of {_TYPES} device type at start of device string: {match[1]}")
        if match[2] is not None and index is not None:
            raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {type}")
        self.type = match[1]
        self.index = int(match[2]) if match[2] is not None else index

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type='{self.type}'" + (")" if self.index is None else f", index={self.index})")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple[object, ...]:
        return device, (self.type,) if self.index is None else (self.type, self.index)


CPU = device("cpu")


def require_cpu(where: str | int | device | None) -> None:
    """Raise what a CPU build of PyTorch raises when asked to use another device."""
    if where is None:
        return
    found = where if isinstance(where, device) else device(where)
    if found.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if found.type not in ("cpu", "meta"):
        raise RuntimeError(f"PyTorch is not linked with support for {found.type} devices")
