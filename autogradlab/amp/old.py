"""What `torch.amp` was called when each device had its own names."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ..core.runtime.warn import warn
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
    warn(words, DeprecationWarning, at=_INIT.format(line))


#: the four functions of a device: what they are called, what they are now, what they do, and of those that set
#: something what that is called and its type
_FOUR: tuple[tuple[str, Callable[..., Any], str, str, type, str], ...] = (
    ("is_autocast_{}_enabled", is_autocast_enabled, "Whether operations on {} choose their dtypes.", "", bool, "bool"),
    ("set_autocast_{}_enabled", set_autocast_enabled, "Switch autocast on or off for {}.", "enabled", bool, "bool"),
    ("get_autocast_{}_dtype", get_autocast_dtype, "The smaller dtype of {}.", "", dtype, "torch.dtype"),
    (
        "set_autocast_{}_dtype",
        set_autocast_dtype,
        "Say which is the smaller dtype of {}.",
        "dtype",
        dtype,
        "torch.dtype",
    ),
)


def _names(short: str, kind: str, lines: tuple[int, int, int, int]) -> dict[str, Callable[..., Any]]:
    """The four functions of a device; lines: where PyTorch says that each is old."""
    made = {}
    for (name, now, says, word, wanted, called), line in zip(_FOUR, lines, strict=True):
        name = name.format(short)
        function = _sets(name, now, kind, line, word, wanted, called) if word else _asks(name, now, kind, line)
        function.__name__ = function.__qualname__ = name
        function.__annotations__["value" if word else "return"] = wanted.__name__
        shown = str(get_autocast_dtype(kind)) if wanted is dtype else "False"
        call = f"torch.{name}({shown if word else ''})"
        if word:  # what it sets is asked back
            asked = get_autocast_dtype if wanted is dtype else is_autocast_enabled
            call += f"\n    >>> torch.{asked.__name__}('{kind}')"
        function.__doc__ = (
            f"{says.format(kind)} The old name of `torch.{now.__name__}`; it warns.\n\n"
            f"Example:\n    >>> import autogradlab as torch\n    >>> {call}\n    {shown}\n\nMirrors `torch.{name}`.\n"
        )
        made[name] = function
    return made


def _asks(name: str, now: Callable[..., Any], kind: str, line: int) -> Callable[[], Any]:
    def asks() -> Any:
        _deprecated(f"{name}()", f"{now.__name__}('{kind}')", line)
        return now(kind)

    return asks


def _sets(
    name: str, now: Callable[..., Any], kind: str, line: int, word: str, wanted: type, called: str
) -> Callable[[Any], None]:
    def sets(value: Any) -> None:
        if not isinstance(value, wanted):
            raise TypeError(f"{word} must be a {called} (got {type(value).__name__})")
        _deprecated(f"{name}({word})", f"{now.__name__}('{kind}', {word})", line)
        now(kind, value)

    return sets


#: the functions of the torch namespace for one kind of device each
NAMES = {
    **_names("cpu", "cpu", (883, 874, 1016, 967)),
    **_names("ipu", "ipu", (909, 900, 1025, 982)),
    **_names("xla", "xla", (935, 926, 1034, 997)),
    **_names("gpu", "cuda", (0, 0, 1007, 952)),
}
del NAMES["is_autocast_gpu_enabled"], NAMES["set_autocast_gpu_enabled"]  # these PyTorch never had
globals().update(NAMES)
