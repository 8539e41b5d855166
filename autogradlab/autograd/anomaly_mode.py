"""detect_anomaly and set_detect_anomaly: find the forward operation behind an error or a nan of backward."""

from __future__ import annotations

import warnings

from ..core.backward.anomaly import note
from ..core.runtime import modes

__all__ = [
    "detect_anomaly",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "set_anomaly_enabled",
    "set_detect_anomaly",
]


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return modes.current().anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode looks for nan."""
    return modes.current().check_nan


def set_anomaly_enabled(mode: bool, check_nan: bool = True) -> None:
    """Switch anomaly mode on or off in this thread."""
    local = modes.current()
    local.anomaly, local.check_nan = mode, check_nan
    if note in local.observers:
        local.observers.remove(note)
    if mode:
        local.observers.append(note)
    local.refresh()


class set_detect_anomaly:
    """Switch anomaly mode, at once or for a block (mirrors `torch.autograd.set_detect_anomaly`).

    >>> import autogradlab as torch
    >>> with torch.autograd.set_detect_anomaly(True):
    ...     torch.is_anomaly_enabled()
    True
    """

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.prev = is_anomaly_enabled()
        self.prev_check_nan = is_anomaly_check_nan_enabled()
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None:
        set_anomaly_enabled(self.prev, self.prev_check_nan)


class detect_anomaly:
    """A block whose backward tells, on an error or a nan, which forward line it comes from.

    Mirrors `torch.autograd.detect_anomaly`; entering it gives a UserWarning, since it is slow.
    """

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, check_nan: bool = True) -> None:
        self.prev = is_anomaly_enabled()
        self.check_nan = check_nan
        self.prev_check_nan = is_anomaly_check_nan_enabled()
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be "
            "enabled for "
            "debugging.",
            UserWarning,
            stacklevel=2,
        )

    def __enter__(self) -> None:
        set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *exc: object) -> None:
        set_anomaly_enabled(self.prev, self.prev_check_nan)
