"""A module whose parameters are not initialised (mirrors `torch.nn.utils.init`)."""

from __future__ import annotations

import inspect
from typing import Any

from ...ops.common.random import get_rng_state, set_rng_state
from ..modules.module import Module

__all__ = ["skip_init"]


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """Make a module whose parameters and buffers have no particular values; no random number is drawn.

    Errors: RuntimeError for classes without a device argument.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.utils.skip_init(nn.Linear, 5, 1).weight.shape
        torch.Size([1, 5])

    Mirrors `torch.nn.utils.skip_init`.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    state = get_rng_state()
    try:
        return module_cls(*args, **kwargs).to_empty(device=kwargs.get("device", "cpu"))
    finally:
        set_rng_state(state)
