"""backward, grad, Function, Variable and the tools around them (mirrors `torch.autograd`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.recording.record import SavedTensor as SavedTensor
from . import anomaly_mode, grad_mode, variable
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .frontend import backward, grad
from .grad_mode import (
    _force_original_view_tracking,
    _unsafe_preserve_version_counter,
    enable_grad,
    enforce_grad_layout_policy,
    inference_mode,
    is_multithreading_enabled,
    is_view_replay_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from .gradcheck import gradcheck, gradgradcheck
from .variable import Variable

if TYPE_CHECKING:
    from . import function as function
    from . import functional as functional
    from . import graph as graph
    from .function import Function as Function
    from .function import NestedIOFunction as NestedIOFunction

__all__ = [
    "Function",
    "NestedIOFunction",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "enforce_grad_layout_policy",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "variable",
]

_LATE = ("forward_ad", "function", "functional", "graph", "profiler")
#: and those of its names that are of them
_OF_LATE = {"Function": "function", "NestedIOFunction": "function"}


def __getattr__(name: str) -> Any:
    """What few programs use is loaded when somebody asks for it."""
    import importlib

    if name in _LATE:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _OF_LATE:
        found = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_OF_LATE[name]}"), name)
        return found
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE, *_OF_LATE})
