"""detect_anomaly and set_detect_anomaly: find the forward operation behind an error or a nan of backward."""

from __future__ import annotations

import warnings

from ..core.arguments.mismatch import typename
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
    """Whether errors of backward() name the line that made the Node.

    Example:
        >>> import autogradlab as torch
        >>> with torch.autograd.detect_anomaly():
        ...     print(torch.is_anomaly_enabled())
        ...
        True

    Mirrors `torch.is_anomaly_enabled`.
    """
    return modes.current().anomaly


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode looks for nan in gradients.

    Example:
        >>> import autogradlab as torch
        >>> torch.is_anomaly_check_nan_enabled()
        True

    Mirrors `torch.is_anomaly_check_nan_enabled`.
    """
    return modes.current().check_nan


def set_anomaly_enabled(mode: bool, check_nan: bool = True) -> None:
    """Switch anomaly mode on or off.

    Example:
        >>> import autogradlab as torch
        >>> torch.set_anomaly_enabled(True)
        >>> torch.is_anomaly_enabled()
        True
        >>> torch.set_anomaly_enabled(False)

    Mirrors `torch.set_anomaly_enabled`.
    """
    for place, (name, value) in enumerate((("enabled", mode), ("check_nan", check_nan)), 1):
        if not isinstance(value, bool):
            raise TypeError(
                f"set_anomaly_enabled(): argument '{name}' (position {place}) must be bool, not {typename(value)}"
            )
    local = modes.current()
    local.anomaly, local.check_nan = mode, check_nan
    if note in local.observers:
        local.observers.remove(note)
    if mode:
        local.observers.append(note)
    local.refresh()


class set_detect_anomaly:
    """Switches anomaly mode on or off, from here on or within `with`.

    Example:
        >>> import autogradlab as torch
        >>> with torch.autograd.set_detect_anomaly(True, check_nan=False):
        ...     print(torch.is_anomaly_check_nan_enabled())
        ...
        False

    Mirrors `torch.autograd.set_detect_anomaly`.
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
    """Within it, an error of backward() names the line that made the Node, and nan in a gradient is an error.

    Example:
        >>> import autogradlab as torch
        >>> with torch.autograd.detect_anomaly():
        ...     print(torch.is_anomaly_enabled())
        ...
        True

    Mirrors `torch.autograd.detect_anomaly`.
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
