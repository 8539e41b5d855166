"""The classes of results with named fields (mirrors `torch.return_types`): those of functions, and those with which the
same functions return what they wrote into out=, as in max and max_out."""

from __future__ import annotations

from typing import Any

from . import linalg as _linalg  # noqa: F401 (two functions there make their classes themselves)
from .core.types.return_types import NAMED as _NAMED
from .core.types.return_types import named as _named
from .ops.table.families import load_all as _load_all


def _names() -> list[str]:
    """The names of the classes that users see, all of which exist from now on."""
    _load_all()
    for name, kind in tuple(_NAMED.items()):
        if not name.endswith("_out") and name != "histogramdd":  # the one that has no out=
            _named(f"{name}_out", kind.__match_args__)
    return sorted(name for name in _NAMED if not name.startswith("_"))


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return ["all_return_types", *_names()]
    if name == "all_return_types":
        return [_NAMED[each] for each in _names()]
    if name not in _NAMED and not name.startswith("__"):
        _names()
    if name not in _NAMED:
        raise AttributeError(f"module 'torch.return_types' has no attribute '{name}'")
    return _NAMED[name]


def __dir__() -> list[str]:
    return sorted({*globals(), "all_return_types", *_names()})
