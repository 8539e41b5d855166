"""Layers, losses and utilities for training (mirrors `torch.nn`)."""

from __future__ import annotations

from typing import Any

from . import _reduction as _reduction
from . import functional, grad, init, modules, parameter
from .modules import _all
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

globals().update(_all)
__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "functional",
    "grad",
    "init",
    "modules",
    "parameter",
    *_all,
]


def __getattr__(name: str) -> Any:
    if name in ("attention", "utils"):
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    if name in ("parallel", "DataParallel"):
        from importlib import import_module

        found = import_module(f"{__name__}.parallel")
        return found if name == "parallel" else found.DataParallel
    raise AttributeError(f"module 'torch.nn' has no attribute '{name}'")
