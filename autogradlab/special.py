"""Special functions under their own namespace (mirrors `torch.special`)."""

from __future__ import annotations

from typing import Any

from .ops.breadth.special import SAME
from .ops.table.opdef import FUNCTIONS

_OWN = "special_"


def __getattr__(name: str) -> Any:
    found = FUNCTIONS.get(_OWN + name) or FUNCTIONS.get(SAME.get(name, ""))
    if found is None:
        raise AttributeError(f"module 'torch.special' has no attribute '{name}'")
    return found


def __dir__() -> list[str]:
    return sorted(
        [*(n.removeprefix(_OWN) for n in FUNCTIONS if n.startswith(_OWN)), *(n for n in SAME if SAME[n] in FUNCTIONS)]
    )
