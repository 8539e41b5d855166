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
    "factory_kwargs",
    "functional",
    "grad",
    "init",
    "modules",
    "parameter",
    *_all,
]


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """What functions that make tensors take, out of the keywords of a Module: device, dtype and memory_format, given
    singly or together as factory_kwargs.

    Errors: TypeError for another keyword, and for what is given twice.

    Example:
        >>> import autogradlab as torch
        >>> torch.nn.factory_kwargs({'device': 'cpu', 'factory_kwargs': {'dtype': None}})
        {'dtype': None, 'device': 'cpu'}

    Mirrors `torch.nn.factory_kwargs`.
    """
    if kwargs is None:
        return {}
    simple = {"device", "dtype", "memory_format"}
    unknown = kwargs.keys() - simple - {"factory_kwargs"}
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}")
    found = dict(kwargs.get("factory_kwargs", {}))
    for key in ("device", "dtype", "memory_format"):
        if key in kwargs:
            if key in found:
                raise TypeError(f"{key} specified twice, in **kwargs and in factory_kwargs")
            found[key] = kwargs[key]
    return found


def __getattr__(name: str) -> Any:
    if name in ("attention", "utils"):
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    if name in ("parallel", "DataParallel"):
        from importlib import import_module

        found = import_module(f"{__name__}.parallel")
        return found if name == "parallel" else found.DataParallel
    raise AttributeError(f"module 'torch.nn' has no attribute '{name}'")
