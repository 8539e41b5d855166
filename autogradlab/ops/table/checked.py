"""What kernels ask of arguments that are no tensors, in PyTorch's words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.types.dims import wrap_dim
from ...core.types.dtypes import dtype

__all__ = ["axis", "number_of", "tensor_type"]


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


#: tensor types that have a name of their own in messages
_OLD_TYPES = {f"{kind}Tensor" for kind in ("Float", "Double", "Half", "Byte", "Char", "Short", "Int", "Long")}


def tensor_type(kind: dtype) -> str:
    """A dtype as the tensor type of old."""
    name = kind._tensor_type
    return f"torch.{name}" if name in _OLD_TYPES else f"CPU{name.removesuffix('Tensor')}Type"
