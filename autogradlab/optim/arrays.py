"""Arithmetic of optimizers on arrays, with the roundings of PyTorch's fused operations where arrays are small."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.memory.versions import increment_version
from ..core.tensor.tensor import Tensor, wrap
from ..core.types.dtypes import get_default_dtype

__all__ = ["add_", "addcdiv_", "addcmul_", "changed", "gradients", "lerp_", "number", "scalar_state", "zeros"]

Array = np.ndarray[Any, Any]
_SMALL = 1 << 14
_FLOAT32 = np.dtype(np.float32)


def number(x: Any) -> float:
    """A number that may stand in a tensor of one element."""
    return x.item() if isinstance(x, Tensor) else x


def add_(out: Array, x: Array, alpha: float) -> None:
    """out += alpha * x, rounded once as a fused multiply-add."""
    if out.dtype == _FLOAT32 and out.size <= _SMALL:
        out[...] = out.astype(np.float64) + x.astype(np.float64) * np.float64(np.float32(alpha))
    else:
        out += x * out.dtype.type(alpha)


def lerp_(out: Array, end: Array, weight: float) -> None:
    """out += weight * (end - out), rounded as PyTorch's lerp_."""
    if out.dtype == _FLOAT32 and out.size <= _SMALL:
        w = np.float64(np.float32(weight))
        d = (end - out).astype(np.float64)
        if abs(weight) < 0.5:
            out[...] = out.astype(np.float64) + w * d
        else:
            out[...] = end.astype(np.float64) - d * np.float64(np.float32(1) - np.float32(weight))
    elif abs(weight) < 0.5:
        out += (end - out) * out.dtype.type(weight)
    else:
        out[...] = end - (end - out) * out.dtype.type(1 - weight)


def addcmul_(out: Array, x: Array, y: Array, value: float) -> None:
    """out += value * x * y, the last product and the sum rounded once."""
    if out.dtype == _FLOAT32 and out.size <= _SMALL:
        out[...] = out.astype(np.float64) + (x * np.float32(value)).astype(np.float64) * y.astype(np.float64)
    else:
        out += x * out.dtype.type(value) * y


def addcdiv_(out: Array, x: Array, y: Array, value: float) -> None:
    """out += value * x / y"""
    out += x * out.dtype.type(value) / y


def zeros(p: Tensor) -> Tensor:
    """A tensor of zeros in the parameter's shape."""
    return wrap(np.zeros_like(p._array))


def scalar_state(value: float) -> Tensor:
    """A count or factor as optimizers keep it: a 0-dim tensor of the default dtype's precision."""
    return wrap(np.asarray(value, np.float64 if get_default_dtype().numpy == np.float64 else np.float32))


def gradients(optimizer: Any, group: dict[str, Any]) -> Iterator[tuple[Tensor, Array, Array, dict[str, Any]]]:
    """Parameter, its array, its gradient (negated to maximize) and its state, for parameters that have a gradient."""
    maximize = group.get("maximize", False)
    for p in group["params"]:
        grad = p._grad
        if grad is not None:
            g = grad._array
            yield p, p._array, -g if maximize else g, optimizer.state[p]


def changed(p: Tensor) -> None:
    """Count the change of a parameter."""
    increment_version(p)
