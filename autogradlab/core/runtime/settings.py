"""Switches of the process that PyTorch has and programs set: threads, determinism, matmul precision."""

from __future__ import annotations

import os
from typing import Any

from .warn import warn

_state: dict[str, Any] = {
    "threads": os.cpu_count() or 1,
    "interop": os.cpu_count() or 1,
    "deterministic": 0,
    "precision": "highest",
}
_MODES = ("default", "warn", "error")


def get_num_threads() -> int:
    """What `set_num_threads` was given; NumPy decides for itself."""
    return int(_state["threads"])


def set_num_threads(number: Any, /) -> None:
    """Remember a number of threads. Errors: RuntimeError if it is no positive int."""
    _state["threads"] = _threads("set_num_threads", number)


def get_num_interop_threads() -> int:
    """What `set_num_interop_threads` was given."""
    return int(_state["interop"])


def set_num_interop_threads(number: Any, /) -> None:
    """Remember a number of threads between operations."""
    _state["interop"] = _threads("set_num_interop_threads", number)


def _threads(name: str, number: Any) -> int:
    if not isinstance(number, int) or isinstance(number, bool):
        raise RuntimeError(f"{name} expects an int, but got {type(number).__name__}")
    if number <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    return number


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Everything here gives the same results every time; the switch is remembered."""
    _state["deterministic"] = (1 if warn_only else 2) if mode else 0


def are_deterministic_algorithms_enabled() -> bool:
    """What `use_deterministic_algorithms` was given."""
    return bool(_state["deterministic"])


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether only warnings were asked for."""
    return bool(_state["deterministic"] == 1)


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """0 "default", 1 "warn", 2 "error"."""
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _MODES:
            raise RuntimeError(
                f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
            )
        debug_mode = _MODES.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    _state["deterministic"] = debug_mode


def get_deterministic_debug_mode() -> int:
    """The number that `set_deterministic_debug_mode` set."""
    return int(_state["deterministic"])


def set_float32_matmul_precision(precision: str) -> None:
    """ "highest", "high" or "medium"; products here are always exact float32."""
    if precision not in ("highest", "high", "medium"):
        warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the currentsetFloat32MatmulPrecision call "
            "has no effect.",
            at="aten/src/ATen/Context.cpp:458",
        )
        return
    _state["precision"] = precision


def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` was given."""
    return str(_state["precision"])


def set_flush_denormal(mode: bool, /) -> bool:
    """Denormal numbers are always kept: False if asked to flush them."""
    return not mode


PUBLIC = {
    name: value
    for name, value in globals().items()
    if name[0] in "gsuai" and callable(value) and getattr(value, "__module__", None) == __name__
}
