"""Helpers around training (mirrors `torch.utils`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.tensor.swapping import swap_tensors

if TYPE_CHECKING:
    from . import _mode_utils as _mode_utils
    from . import _python_dispatch as _python_dispatch
    from . import _pytree as _pytree
    from . import backcompat as backcompat
    from . import benchmark as benchmark
    from . import checkpoint as checkpoint
    from . import data as data
    from . import deterministic as deterministic
    from . import dlpack as dlpack
    from . import flop_counter as flop_counter
    from . import hooks as hooks
    from . import module_tracker as module_tracker
    from . import weak as weak

_LATE = (
    "_mode_utils",
    "_python_dispatch",
    "_pytree",
    "backcompat",
    "benchmark",
    "checkpoint",
    "data",
    "deterministic",
    "dlpack",
    "flop_counter",
    "hooks",
    "module_tracker",
    "weak",
)
__all__ = [
    "backcompat",
    "checkpoint",
    "data",
    "deterministic",
    "dlpack",
    "hooks",
    "module_tracker",
    "set_module",
    "swap_tensors",
]


def set_module(obj: Any, mod: str) -> None:
    """Say in which module an object is found. Errors: TypeError for what is no name.

    Mirrors `torch.utils.set_module`.
    """
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


def __getattr__(name: str) -> Any:
    if name in _LATE:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.utils' has no attribute '{name}'")
