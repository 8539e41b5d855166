"""Lengths of slices of weights, as weight_norm and norm_except_dim take them."""

from __future__ import annotations

from typing import Any

from ...core.recording.record import TENSORS
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import scalar_name

__all__ = ["norm_except"]


def norm_except(v: Any, dim: int, p: int = 2) -> Any:
    """The p-norm over all dimensions but `dim`, which stay with size 1; over all for -1."""
    if v._array.dtype.kind in "biu":
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {scalar_name(v)} instead."
        )
    if dim == -1:
        return TENSORS.norm_of_all(v, p)
    last = v.ndim - 1
    if dim == 0:
        rows = TENSORS.view(TENSORS.contiguous(v), (v.size(0), -1))
        return TENSORS.view(TENSORS.norm_along(rows, p, (1,), False), (v.shape[0], *(1,) * last))
    if dim == last:
        columns = TENSORS.view(TENSORS.contiguous(v), (-1, v.shape[last]))
        return TENSORS.view(TENSORS.norm_along(columns, p, (0,), False), (*(1,) * last, v.shape[last]))
    wrap_dim(dim, v.ndim)
    return TENSORS.transpose(norm_except(TENSORS.transpose(v, 0, dim), 0, p), 0, dim)
