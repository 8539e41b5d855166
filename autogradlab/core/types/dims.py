"""Dimensions and sizes as arguments: negative ones are wrapped, those out of range raise PyTorch's errors."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from ..runtime import errors

__all__ = ["all_dims", "int_arg", "of_list", "shape_arg", "wrap_dim", "wrap_dims"]


def wrap_dim(dim: Any, ndim: int, *, scalar_ok: bool = True) -> int:
    """A dimension counted from the front. A 0-dim tensor has, for this purpose, one dimension; a bool is none."""
    if type(dim) is not int:
        dim = int_arg(dim)
    if ndim == 0:
        if not scalar_ok:
            raise IndexError(errors.DIM_SCALAR.format(dim))
        ndim = 1
    if not -ndim <= dim < ndim:
        if not -(2**63) <= dim < 2**63:
            raise ValueError(errors.LONG_OVERFLOW)
        raise IndexError(errors.DIM_RANGE.format(-ndim, ndim - 1, dim))
    return dim + ndim if dim < 0 else dim


def int_arg(n: Any) -> int:
    """An int, or what stands for one: a number of NumPy's, a tensor without dimensions; no bool is one, of any kind."""
    array: Any = getattr(n, "_array", n)
    dims: int = getattr(array, "ndim", 0)
    if type(n) is bool or dims > 0 or getattr(getattr(array, "dtype", None), "kind", "") == "b":
        raise TypeError(f"must be int, not {type(n).__name__}")
    return operator.index(n)


def of_list(n: Any) -> int:
    """What `int_arg` takes, or any other tensor of one integer, which PyTorch takes in a list of ints or for one."""
    return n if type(n) is int else int_arg(n) if type(n) is bool else operator.index(n)


def wrap_dims(dims: Sequence[Any], ndim: int) -> tuple[int, ...]:
    """Several dimensions, no two the same. Behind the first one, by which PyTorch tells a list of ints, bools count."""
    found: list[int] = []
    for dim in dims:
        d = wrap_dim(dim if type(dim) is int else int(dim) if type(dim) is bool and found else of_list(dim), ndim)
        if d in found:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        found.append(d)
    return tuple(found)


def all_dims(dim: Any, ndim: int) -> tuple[int, ...]:
    """What a reduction's `dim` argument names: None and () mean every dimension."""
    if dim is None or (not isinstance(dim, int) and isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(ndim))
    found = (
        wrap_dims(dim, ndim)
        if isinstance(dim, (tuple, list))
        else (wrap_dim(dim if type(dim) is int else of_list(dim), ndim),)
    )
    return () if ndim == 0 else found


def shape_arg(size: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes given one by one or as one sequence: view(2, 3), view((2, 3)), view(torch.Size([2, 3]))."""
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        size = tuple(size[0])
    return tuple(map(operator.index, size))
