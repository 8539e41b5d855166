"""PyTorch's process-wide switches: threads, determinism, matmul precision."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .warn import warn

_state: dict[str, Any] = {
    "threads": os.cpu_count() or 1,
    "interop": os.cpu_count() or 1,
    "deterministic": 0,
    "warn_only": False,
    "precision": "highest",
}
#: the kernels that scaled_dot_product_attention may take
ATTENTION = {"flash": True, "math": True, "mem_efficient": True, "cudnn": True}


@contextmanager
def kernels_of_attention(allowed: Mapping[str, bool]) -> Iterator[None]:
    """Within it attention may take the kernels that are allowed."""
    before = dict(ATTENTION)
    ATTENTION.update(allowed)
    try:
        yield
    finally:
        ATTENTION.update(before)


_MODES = ("default", "warn", "error")


def get_num_threads() -> int:
    """How many threads a kernel may use.

    Example:
        >>> import autogradlab as torch
        >>> torch.set_num_threads(1)
        >>> torch.get_num_threads()
        1

    Mirrors `torch.get_num_threads`.
    """
    return int(_state["threads"])


def set_num_threads(number: Any, /) -> None:
    """Set how many threads a kernel may use.

    Example:
        >>> import autogradlab as torch
        >>> torch.set_num_threads(2)
        >>> torch.get_num_threads()
        2

    Mirrors `torch.set_num_threads`.
    """
    _state["threads"] = _threads("set_num_threads", number)


def get_num_interop_threads() -> int:
    """How many threads run operations side by side.

    Example:
        >>> import autogradlab as torch
        >>> torch.get_num_interop_threads() > 0
        True

    Mirrors `torch.get_num_interop_threads`.
    """
    return int(_state["interop"])


def set_num_interop_threads(number: Any, /) -> None:
    """Set how many threads run operations side by side; only before they begin.

    Example:
        >>> import autogradlab as torch
        >>> callable(torch.set_num_interop_threads)
        True

    Mirrors `torch.set_num_interop_threads`.
    """
    _state["interop"] = _threads("set_num_interop_threads", number)


def _threads(name: str, number: Any) -> int:
    if not isinstance(number, int) or isinstance(number, bool):
        raise RuntimeError(f"{name} expects an int, but got {type(number).__name__}")
    if number <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    return number


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for operations that give the same result each time.

    Example:
        >>> import autogradlab as torch
        >>> torch.use_deterministic_algorithms(True)
        >>> torch.are_deterministic_algorithms_enabled()
        True
        >>> torch.use_deterministic_algorithms(False)

    Mirrors `torch.use_deterministic_algorithms`.
    """
    for name, value, place in (("mode", mode, " (position 1)"), ("warn_only", warn_only, "")):
        if not isinstance(value, bool):
            raise TypeError(
                f"_set_deterministic_algorithms(): argument '{name}'{place} must be bool, not {type(value).__name__}"
            )
    _state["deterministic"] = (1 if warn_only else 2) if mode else 0
    _state["warn_only"] = warn_only


def are_deterministic_algorithms_enabled() -> bool:
    """Whether operations are asked to give the same result each time.

    Example:
        >>> import autogradlab as torch
        >>> torch.are_deterministic_algorithms_enabled()
        False

    Mirrors `torch.are_deterministic_algorithms_enabled`.
    """
    return bool(_state["deterministic"])


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether operations that cannot do so only warn.

    Example:
        >>> import autogradlab as torch
        >>> torch.is_deterministic_algorithms_warn_only_enabled()
        False

    Mirrors `torch.is_deterministic_algorithms_warn_only_enabled`.
    """
    return bool(_state["warn_only"])


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Set what get_deterministic_debug_mode gives: 'default', 'warn' or 'error', or its number.

    Example:
        >>> import autogradlab as torch
        >>> torch.set_deterministic_debug_mode('warn')
        >>> torch.get_deterministic_debug_mode()
        1
        >>> torch.set_deterministic_debug_mode('default')

    Mirrors `torch.set_deterministic_debug_mode`.
    """
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
    _state["warn_only"] = debug_mode == 1


def get_deterministic_debug_mode() -> int:
    """0, 1 (warn) or 2 (raise), for operations that do not give the same result each time.

    Example:
        >>> import autogradlab as torch
        >>> torch.get_deterministic_debug_mode()
        0

    Mirrors `torch.get_deterministic_debug_mode`.
    """
    return int(_state["deterministic"])


def set_float32_matmul_precision(precision: str) -> None:
    """Set what get_float32_matmul_precision gives; here products are always exact.

    Example:
        >>> import autogradlab as torch
        >>> torch.set_float32_matmul_precision('high')
        >>> torch.get_float32_matmul_precision()
        'high'
        >>> torch.set_float32_matmul_precision('highest')

    Mirrors `torch.set_float32_matmul_precision`.
    """
    if not isinstance(precision, str):
        given = type(precision).__name__
        raise RuntimeError(f"set_float32_matmul_precision expects a str, but got {given}")
    if precision not in ("highest", "high", "medium"):
        warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the currentsetFloat32MatmulPrecision call "
            "has no effect.",
            at="aten/src/ATen/Context.cpp:458",
        )
        return
    _state["precision"] = precision


def get_float32_matmul_precision() -> str:
    """How exact products of float32 matrices are: 'highest', 'high' or 'medium'.

    Example:
        >>> import autogradlab as torch
        >>> torch.get_float32_matmul_precision()
        'highest'

    Mirrors `torch.get_float32_matmul_precision`.
    """
    return str(_state["precision"])


def set_flush_denormal(mode: bool, /) -> bool:
    """Ask for numbers too small for full precision to become 0; False if that is not possible.

    Example:
        >>> import autogradlab as torch
        >>> torch.set_flush_denormal(False)
        True

    Mirrors `torch.set_flush_denormal`.
    """
    return not mode


PUBLIC = {
    name: value
    for name, value in globals().items()
    if name[0] in "gsuai" and callable(value) and getattr(value, "__module__", None) == __name__
}
