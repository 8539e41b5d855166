"""The classes of results with named fields (mirrors `torch.return_types`)."""

from __future__ import annotations

from .core.types.return_types import NAMED, Named
from .ops.table.families import load_all


def __getattr__(name: str) -> type[Named]:
    if name not in NAMED and not name.startswith("__"):
        load_all()
    if name not in NAMED:
        raise AttributeError(f"module 'torch.return_types' has no attribute '{name}'")
    return NAMED[name]


def __dir__() -> list[str]:
    load_all()
    return sorted({*globals(), *NAMED})
