"""What follows where deterministic algorithms are asked for: refusals, and marks in memory nobody has written to."""

from __future__ import annotations

from .settings import get_deterministic_debug_mode
from .warn import warn

__all__ = ["alert_not_deterministic", "fills_uninitialized", "get_fill_uninitialized", "set_fill_uninitialized"]

_ALERT = (
    "{} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True)'. You can "
    "turn off determinism just for this operation, or you can use the 'warn_only=True' option, if that's acceptable "
    "for your application. You can also file an issue at https://github.com/pytorch/pytorch/issues to help us "
    "prioritize adding deterministic support for this operation."
)
_ALERT_WARNING = (
    "{} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True, "
    "warn_only=True)'. You can file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize adding "
    "deterministic support for this operation."
)
_fill = True


def alert_not_deterministic(caller: str) -> None:
    """Refuse an operation that does not give the same result each time, or warn of it, if that is asked for."""
    mode = get_deterministic_debug_mode()
    if mode == 1:
        warn(_ALERT_WARNING.format(caller), at="aten/src/ATen/Context.cpp:186")
    elif mode:
        raise RuntimeError(_ALERT.format(caller))


def fills_uninitialized() -> bool:
    """Whether memory that nothing has been written to is to be filled with conspicuous values."""
    return _fill and get_deterministic_debug_mode() != 0


def get_fill_uninitialized() -> bool:
    """What `torch.utils.deterministic.fill_uninitialized_memory` says."""
    return _fill


def set_fill_uninitialized(mode: bool) -> None:
    """Set what `torch.utils.deterministic.fill_uninitialized_memory` says. Errors: RuntimeError if it is no bool."""
    global _fill
    if not isinstance(mode, bool):
        raise RuntimeError(f"expected a bool, but got {type(mode).__name__}")
    _fill = mode
