"""Padding layers."""

from __future__ import annotations

from typing import Any

from ...core.tensor.tensor import Tensor
from .. import functional as F
from .module import Module

_KINDS = {
    "Constant": "constant",
    "Reflection": "reflect",
    "Replication": "replicate",
    "Circular": "circular",
    "Zero": "constant",
}


class _Pad(Module):
    _n = 1
    _mode = "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = tuple(padding) if isinstance(padding, (tuple, list)) else (padding,) * (2 * self._n)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


def _layers() -> dict[str, type]:
    made: dict[str, type] = {}
    for word, mode in _KINDS.items():
        base = {"Constant": _ConstantPad, "Zero": _ZeroPad}.get(word, _Pad)
        for n in (1, 2, 3):
            doc = f"A border of width `padding` around the last {n} dimension{'s' * (n > 1)}: mode {mode!r} of `pad`."
            name = f"{word}Pad{n}d"
            made[name] = type(name, (base,), {"_n": n, "_mode": mode, "__doc__": doc, "__module__": __name__})
    return made


_made = _layers()
globals().update(_made)
__all__ = [*_made]
