"""What `torch.amp` was called when each device had its own names."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ..core.runtime.warn import warn_once
from ..core.types.dtypes import dtype
from .autocast_mode import (
    autocast,
    get_autocast_dtype,
    is_autocast_enabled,
    set_autocast_dtype,
    set_autocast_enabled,
)
from .grad_scaler import GradScaler

__all__ = ["NAMES", "OLD"]

_INIT = "torch/csrc/autograd/init.cpp:{}"


class _Old:
    """The names that stood in a device's own module."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def _deprecated(self, name: str) -> None:
        warnings.warn(
            f"`torch.{self._kind}.amp.{name}(args...)` is deprecated. "
            f"Please use `torch.amp.{name}('{self._kind}', args...)` instead.",
            FutureWarning,
            stacklevel=3,
        )

    def autocast(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> autocast:
        """The old name of autocast for one device."""
        self._deprecated("autocast")
        return autocast(self._kind, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)

    def GradScaler(self, *args: Any, **kwargs: Any) -> GradScaler:
        """The old name of GradScaler for one device."""
        self._deprecated("GradScaler")
        return GradScaler(self._kind, *args, **kwargs)


OLD = {kind: _Old(kind) for kind in ("cuda", "cpu")}


def _deprecated(old: str, new: str, line: int) -> None:
    words = f"torch.{old} is deprecated. Please use torch.{new} instead."
    warn_once(words, DeprecationWarning, at=_INIT.format(line))


#: what the four functions of a device do, and what the examples give them
_HELP = (
    ("Whether operations on {} choose their dtypes.", ""),
    ("Switch autocast on or off for {}.", "{}"),
    ("The smaller dtype of {}.", ""),
    ("Say which is the smaller dtype of {}.", "{}"),
)


def _names(short: str, kind: str, lines: tuple[int, int, int, int]) -> dict[str, Callable[..., Any]]:
    """The four functions of a device; lines: where PyTorch says that each is old."""

    def is_enabled() -> bool:
        _deprecated(f"is_autocast_{short}_enabled()", f"is_autocast_enabled('{kind}')", lines[0])
        return is_autocast_enabled(kind)

    def set_enabled(enabled: bool) -> None:
        name = f"set_autocast_{short}_enabled"
        _deprecated(f"{name}(enabled)", f"set_autocast_enabled('{kind}', enabled)", lines[1])
        if not isinstance(enabled, bool):
            raise TypeError(f"enabled must be a bool (got {type(enabled).__name__})")
        set_autocast_enabled(kind, enabled)

    def get_dtype() -> dtype:
        _deprecated(f"get_autocast_{short}_dtype()", f"get_autocast_dtype('{kind}')", lines[2])
        return get_autocast_dtype(kind)

    def set_dtype(wanted: dtype) -> None:
        name = f"set_autocast_{short}_dtype"
        _deprecated(f"{name}(dtype)", f"set_autocast_dtype('{kind}', dtype)", lines[3])
        if not isinstance(wanted, dtype):
            raise TypeError(f"dtype must be a torch.dtype (got {type(wanted).__name__})")
        set_autocast_dtype(kind, wanted)

    made: dict[str, Any] = {
        f"is_autocast_{short}_enabled": is_enabled,
        f"set_autocast_{short}_enabled": set_enabled,
        f"get_autocast_{short}_dtype": get_dtype,
        f"set_autocast_{short}_dtype": set_dtype,
    }
    for (name, function), (says, given) in zip(made.items(), _HELP, strict=True):
        function.__name__ = function.__qualname__ = name
        new = name.replace(f"_{short}", "")
        shown = {"enabled": "False", "dtype": str(get_autocast_dtype(kind))}[name.rpartition("_")[2]]
        asked = "is_autocast_enabled" if shown == "False" else "get_autocast_dtype"
        call = f"torch.{name}({given.format(shown)})"
        if given:  # what it sets is asked back
            call += f"\n    >>> torch.{asked}('{kind}')"
        function.__doc__ = (
            f"{says.format(kind)} The old name of `torch.{new}`; it warns once.\n\n"
            f"Example:\n    >>> import autogradlab as torch\n    >>> {call}\n    {shown}\n\nMirrors `torch.{name}`.\n"
        )
    return made


#: the functions of the torch namespace for one kind of device each
NAMES = {
    **_names("cpu", "cpu", (883, 874, 1016, 967)),
    **_names("ipu", "ipu", (909, 900, 1025, 982)),
    **_names("xla", "xla", (935, 926, 1034, 997)),
    **_names("gpu", "cuda", (0, 0, 1007, 952)),
}
del NAMES["is_autocast_gpu_enabled"], NAMES["set_autocast_gpu_enabled"]  # these PyTorch never had
globals().update(NAMES)
