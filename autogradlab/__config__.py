"""How this build was made (mirrors `torch.__config__`)."""

from __future__ import annotations

import os
import platform

import numpy as np

from .core.runtime.settings import get_num_interop_threads, get_num_threads
from .version import __version__

__all__ = ["parallel_info", "show"]


def show() -> str:
    """What computes here, in a few lines.

    Example:
        >>> import autogradlab as torch
        >>> isinstance(torch.__config__.show(), str)
        True

    Mirrors `torch.__config__.show`.
    """
    return (
        "autogradlab built with:\n"
        f"  - autogradlab {__version__}\n"
        f"  - Python {platform.python_version()}\n"
        f"  - NumPy {np.__version__}\n"
    )


def parallel_info() -> str:
    """How many threads compute.

    Example:
        >>> import autogradlab as torch
        >>> "at::get_num_threads()" in torch.__config__.parallel_info()
        True

    Mirrors `torch.__config__.parallel_info`.
    """
    return (
        "ATen/Parallel:\n"
        f"\tat::get_num_threads() : {get_num_threads()}\n"
        f"\tat::get_num_interop_threads() : {get_num_interop_threads()}\n"
        f"std::thread::hardware_concurrency() : {os.cpu_count()}\n"
        "ATen parallel backend: NumPy\n"
    )


def _cxx_flags() -> str:
    """The flags of the compiler: there is none."""
    return ""
