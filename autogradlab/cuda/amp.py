"""torch.cuda.amp: the names of automatic precision that stood in a module for CUDA."""

from __future__ import annotations

import warnings
from typing import Any

from ..amp import autocast_mode, grad_scaler
from ..amp.old import OLD

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]

#: modules of this folder in PyTorch, which programs import from here
_MODULES = (autocast_mode, grad_scaler)

autocast, GradScaler = OLD["cuda"].autocast, OLD["cuda"].GradScaler


def _deprecated(name: str) -> None:
    warnings.warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}(args..., device_type='cuda')` "
        "instead.",
        FutureWarning,
        stacklevel=3,
    )


def custom_fwd(*args: Any, **kwargs: Any) -> Any:
    """The old name of torch.amp.custom_fwd for CUDA."""
    _deprecated("custom_fwd")
    return autocast_mode.custom_fwd(*args, device_type="cuda", **kwargs)


def custom_bwd(*args: Any, **kwargs: Any) -> Any:
    """The old name of torch.amp.custom_bwd for CUDA."""
    _deprecated("custom_bwd")
    return autocast_mode.custom_bwd(*args, device_type="cuda", **kwargs)
