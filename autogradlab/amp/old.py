"""What `torch.amp` was called when each device had its own names."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
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
    """The names that stood in a device's own module: classes of their own, which warn when they are called."""

    def __init__(self, kind: str) -> None:
        self.autocast = _autocast(kind, get_autocast_dtype(kind))
        self.GradScaler = _scaler(kind)


def _warn(kind: str, name: str) -> None:
    warnings.warn(
        f"`torch.{kind}.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('{kind}', args...)` instead.",
        FutureWarning,
        stacklevel=3,
    )


def _autocast(kind: str, smaller: dtype) -> type[autocast]:
    class Old(autocast):
        """The old name of torch.amp.autocast for one device."""

        __module__ = f"torch.{kind}.amp.autocast_mode"

        def __new__(cls, enabled: bool = True, dtype: Any = smaller, cache_enabled: bool = True) -> Old:
            if cls is Old:
                _warn(kind, "autocast")
            return super().__new__(cls)

        def __init_subclass__(cls) -> None:
            _warn(kind, "autocast")

        def __init__(self, enabled: bool = True, dtype: Any = smaller, cache_enabled: bool = True) -> None:
            super().__init__(kind, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)

    Old.__name__ = Old.__qualname__ = "autocast"
    Old.__new__.__qualname__, Old.__init__.__qualname__ = "autocast.__new__", "autocast.__init__"
    return Old


def _scaler(kind: str) -> type[GradScaler]:
    class Old(GradScaler):
        """The old name of torch.amp.GradScaler for one device."""

        __module__ = f"torch.{kind}.amp.grad_scaler"

        def __init__(
            self,
            init_scale: float = 2.0**16,
            growth_factor: float = 2.0,
            backoff_factor: float = 0.5,
            growth_interval: int = 2000,
            enabled: bool = True,
        ) -> None:
            super().__init__(kind, init_scale, growth_factor, backoff_factor, growth_interval, enabled)

        def __reduce_ex__(self, protocol: Any) -> Any:
            if type(self) is not Old:
                return super().__reduce_ex__(protocol)
            return _blank, (kind,), self.__getstate__()  # the class goes by PyTorch's name

    Old.__name__ = Old.__qualname__ = "GradScaler"
    made = Old.__init__
    made.__qualname__ = "GradScaler.__init__"

    @wraps(made)
    def init(*args: Any, **kwargs: Any) -> None:  # it warns before Python looks at the arguments
        _warn(kind, "GradScaler")
        made(*args, **kwargs)

    Old.__init__ = init  # type: ignore[method-assign]
    return Old


def _blank(kind: str) -> GradScaler:
    """What a pickle fills."""
    made = OLD[kind].GradScaler
    return made.__new__(made)


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
