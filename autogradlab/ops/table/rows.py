"""The namespace on which derivative formulas run with Rows, many gradients at once: by kernels as they are, by rules,
or row by row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...core.backward.rows import ONE_BY_ONE, Apart, Rows, each
from ...core.graph.backend import HELPERS, RAW
from ...core.types.dims import shape_arg, wrap_dim

__all__ = ["ROWS"]

#: functions of formulas by their names, for arguments of which some are Rows
_RULES: dict[str, Callable[..., Any]] = {}


def _rule(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: how the function of that name is carried out where arguments are Rows."""
    _RULES[fn.__name__] = fn
    return fn


@_rule
def expand(x: Rows, *size: Any) -> Rows:
    sizes = shape_arg(size)
    if -1 in sizes:
        raise Apart
    return Rows(np.broadcast_to(x.beside(len(sizes)), (len(x.whole), *sizes)))


@_rule
def squeeze(x: Rows, dim: Any) -> Rows:
    dims = {wrap_dim(d, x.ndim) for d in (dim if isinstance(dim, tuple) else (dim,))}
    return Rows(x.whole.reshape(len(x.whole), *[n for d, n in enumerate(x.shape) if n != 1 or d not in dims]))


@_rule
def unsqueeze(x: Rows, dim: int) -> Rows:
    return Rows(np.expand_dims(x.whole, wrap_dim(dim, x.ndim + 1) + 1))


@_rule
def transpose(x: Rows, dim0: int, dim1: int) -> Rows:
    return Rows(x.whole.swapaxes(wrap_dim(dim0, x.ndim) + 1, wrap_dim(dim1, x.ndim) + 1))


@_rule
def permute(x: Rows, *dims: Any) -> Rows:
    return Rows(x.whole.transpose(0, *[wrap_dim(d, x.ndim) + 1 for d in shape_arg(dims)]))


@_rule
def t(x: Rows) -> Rows:
    return Rows(x.whole.swapaxes(1, 2)) if x.ndim == 2 else x


def _product(a: Any, b: Any) -> Any:
    """Of matrices of float32 or float64, or of stacks of them."""
    if a.dtype != b.dtype or a.dtype.char not in "fd" or min(a.ndim, b.ndim) < 2:
        raise Apart
    return np.matmul(a, b)


@_rule
def mv(a: Any, v: Any) -> Rows:
    if isinstance(a, Rows) or v.dtype.char not in "fd" or a.dtype != v.dtype:
        raise Apart
    return Rows(np.matmul(a, v.whole[:, :, None])[:, :, 0])


@_rule
def mm(a: Any, b: Any) -> Any:
    return _product(a, b)


@_rule
def bmm(a: Any, b: Any) -> Any:
    return _product(a, b)


@_rule
def only(mask: Any, x: Any) -> Rows:
    if isinstance(mask, Rows) or mask.shape != x.shape:
        raise Apart
    return Rows(np.where(mask, x.whole, np.zeros((), x.dtype)))


@_rule
def kept(mask: Any, x: Any) -> Rows:
    return only(mask, x)


@_rule
def select(x: Rows, dim: int, index: int) -> Rows:
    return Rows(RAW.select(x.whole, wrap_dim(dim, x.ndim) + 1, index))


@_rule
def slice(x: Rows, dim: int, *places: Any) -> Rows:
    return Rows(RAW.slice(x.whole, wrap_dim(dim, x.ndim) + 1, *places))


@_rule
def select_backward(x: Rows, shape: tuple[int, ...], dim: int, index: int) -> Rows:
    return Rows(RAW.select_backward(x.whole, (len(x.whole), *shape), wrap_dim(dim, len(shape)) + 1, index))


@_rule
def slice_backward(x: Rows, shape: tuple[int, ...], dim: int, *places: Any) -> Rows:
    return Rows(RAW.slice_backward(x.whole, (len(x.whole), *shape), wrap_dim(dim, len(shape)) + 1, *places))


class _Namespace:
    """The namespace on which formulas run with Rows: the functions of RAW, on all rows at once or on one by one."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        helper = HELPERS.get(name)

        def call(*args: Any, **options: Any) -> Any:
            if not any(type(x) is Rows for x in args):
                return getattr(RAW, name)(*args, **options)
            try:
                if helper is not None:
                    return helper(ROWS, *args, **options)
                return _RULES.get(name, getattr(RAW, name))(*args, **options)
            except ONE_BY_ONE:
                return each(partial(getattr(RAW, name), **options), args)

        setattr(self, name, call)
        return call


ROWS = _Namespace()
