"""Joining tensors: cat and stack; and the derivatives of what takes them apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dims import wrap_dim
from ..dtypes import from_numpy, promote
from ..opdef import alias, op
from ..record import RAW, TENSORS


def _common(arrays: list[np.ndarray]) -> np.dtype[Any]:
    d = from_numpy(arrays[0].dtype)
    for a in arrays[1:]:
        d = promote(d, from_numpy(a.dtype))
    return d.numpy


def _cat_backward(F, grad, tensors_shape, dim, needs):  # type: ignore[no-untyped-def]
    lead = max((len(s) for s in tensors_shape), default=0)
    d = dim % lead if lead else 0
    outs = []
    start = 0
    for shape, need in zip(tensors_shape, needs, strict=True):
        if shape == (0,) and lead != 1:
            outs.append(F.zeros_of(grad, shape) if need else None)
            continue
        end = start + shape[d]
        outs.append(F.slice(grad, d, start, end, 1) if need else None)
        start = end
    return outs


RAW.zeros_of = lambda like, shape: np.zeros(shape, like.dtype)
TENSORS.zeros_of = lambda like, shape: like.new_zeros(shape)


@op("cat", "*tensors", method=False, vjp={"*": _cat_backward})
def cat(tensors, dim=0):  # type: ignore[no-untyped-def]
    """Tensors joined along a dimension they have.

    >>> import autogradlab as torch
    >>> torch.cat([torch.ones(2), torch.zeros(1)])
    tensor([1., 1., 0.])
    """
    if not tensors:
        raise RuntimeError("torch.cat(): expected a non-empty list of Tensors")
    real = [t for t in tensors if t.shape != (0,)] or [tensors[0]]
    for i, t in enumerate(tensors):
        if t.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    d = wrap_dim(dim, real[0].ndim)
    first = real[0]
    for i, t in enumerate(tensors):
        if t.shape == (0,):
            continue
        if t.ndim != first.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {first.ndim} and {t.ndim}")
        for k, (n, m) in enumerate(zip(first.shape, t.shape, strict=True)):
            if n != m and k != d:
                raise RuntimeError(f"Sizes of tensors must match except in dimension {d}. Expected size {n} but got size {m} "
                                   f"for tensor number {i} in the list.")  # fmt: skip
    return np.concatenate([t.astype(_common(tensors), copy=False) for t in real], axis=d)


alias("concat", "cat", method=False)
alias("concatenate", "cat", method=False)


def _stack_backward(F, grad, tensors_shape, dim):  # type: ignore[no-untyped-def]
    d = dim % (len(tensors_shape[0]) + 1)
    return [F.select(grad, d, i) for i in range(len(tensors_shape))]


@op("stack", "*tensors", method=False, vjp={"*": _stack_backward})
def stack(tensors, dim=0):  # type: ignore[no-untyped-def]
    """Tensors joined along a new dimension."""
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    for i, t in enumerate(tensors):
        if t.shape != tensors[0].shape:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at entry 0 and "
                               f"{list(t.shape)} at entry {i}")  # fmt: skip
    d = wrap_dim(dim, tensors[0].ndim + 1)
    numpy = _common(tensors)
    return np.stack([t.astype(numpy, copy=False) for t in tensors], axis=d)
