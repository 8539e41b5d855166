"""Special functions under their own namespace (mirrors `torch.special`)."""

from __future__ import annotations

from typing import Any

from ..ops.table.opdef import FUNCTIONS

_OWN = "special_"


def __getattr__(name: str) -> Any:
    found = FUNCTIONS.get(_OWN + name)
    if found is None:
        raise AttributeError(f"module 'torch.special' has no attribute '{name}'")
    return found


def __dir__() -> list[str]:
    return sorted(name.removeprefix(_OWN) for name in {*FUNCTIONS, *FUNCTIONS.late} if name.startswith(_OWN))
