"""What kernels ask of arguments that are no tensors, in PyTorch's words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.types.dims import wrap_dim

__all__ = ["axis", "number_of"]


def axis(dim: Any, ndim: int) -> int:
    """A dimension counted from the front; a bool is none."""
    if type(dim) is bool:
        raise TypeError("dim must be int, not bool")
    return wrap_dim(dim, ndim)


def number_of(k: Any) -> int:
    """An integer argument; TypeError for what is none."""
    if type(k) is bool or not isinstance(k, (int, np.integer)):
        raise TypeError(f"must be int, not {type(k).__name__}")
    return int(k)
