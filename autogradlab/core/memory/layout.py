"""The order of elements in memory: new arrays laid out like others, or by a memory format."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types.layouts import memory_format
from .strided import placed

__all__ = ["empty_like", "fills_memory", "formatted", "like", "memory_axes"]


def memory_axes(out: np.ndarray) -> list[int]:
    """The dimensions from the largest stride to the smallest, which is the order in which PyTorch fills a tensor."""
    order = list(range(out.ndim))[::-1]  # fastest first
    for i in range(1, out.ndim):
        moving = i
        for j in range(i - 1, -1, -1):
            a, b = out.strides[order[j]], out.strides[order[moving]]
            if a == 0 or b == 0:
                continue
            if a > b or (a == b and out.shape[order[j]] > out.shape[order[moving]]):
                order[j], order[moving] = order[moving], order[j]
                moving = j
            elif a < b:
                break
    return order[::-1]


def like(x: np.ndarray, numpy: np.dtype[Any], order: memory_format | None = None, zero: bool = True) -> np.ndarray:
    """A new array with the shape of `x`, and its strides or those of the memory format."""
    new = np.zeros if zero else np.empty
    if order is not None and order.name != "preserve_format":
        return formatted(x.shape, numpy, order)
    if x.flags.c_contiguous and not (1 in x.shape or 0 in x.shape):
        return new(x.shape, numpy)
    if fills_memory(x):
        x = placed(x)
        steps = tuple(s // x.itemsize * numpy.itemsize for s in x.strides)
        return np.lib.stride_tricks.as_strided(new(x.size, numpy), x.shape, steps)
    axes = memory_axes(x)
    return new(tuple(x.shape[a] for a in axes), numpy).transpose(np.argsort(axes))


def empty_like(x: np.ndarray, numpy: np.dtype[Any]) -> np.ndarray:
    """An uninitialised array with the shape and layout of `x`."""
    return like(x, numpy)


def formatted(shape: tuple[int, ...], numpy: np.dtype[Any], order: memory_format) -> np.ndarray:
    """Zeros in the given memory format."""
    if order.name == "contiguous_format":
        return np.zeros(shape, numpy)
    rank = 4 if order.name == "channels_last" else 5
    if len(shape) != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {order.name} format")
    return np.moveaxis(np.zeros((shape[0], *shape[2:], shape[1]), numpy), -1, 1)


def fills_memory(x: np.ndarray) -> bool:
    """Whether the elements fill their memory without gaps or overlaps."""
    if x.flags.c_contiguous or not x.size:
        return True
    expected = x.itemsize
    for step, n in sorted([pair for pair in zip(x.strides, x.shape, strict=True) if pair[1] > 1]):
        if step != expected:
            return False
        expected *= n
    return True
