"""Running sums, products and extremes along a dimension; differences and areas."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dims import wrap_dim
from ..opdef import OPS, composite, op
from ..record import RAW, TENSORS
from ..return_types import named
from ..tensor import Tensor
from .kinds import is_half, refuse
from .reduce import wide

F = TENSORS


def _running(ufunc: Any, x: np.ndarray, dim: Any, dtype: Any) -> np.ndarray:
    made, numpy = wide(x, dtype)
    if not x.ndim:
        wrap_dim(dim, 0)
        return x.astype(numpy)
    r = ufunc.accumulate(np.ascontiguousarray(x), axis=wrap_dim(dim, x.ndim), dtype=made)
    return r if made is numpy else r.astype(numpy)  # type: ignore[no-any-return]


def _backwards(F, grad, dim):  # type: ignore[no-untyped-def]
    """Running sums from the end."""
    if not len(grad.shape):
        return grad * 1
    d = wrap_dim(dim, len(grad.shape))
    return F.reversed(F.cumsum(F.reversed(grad, d), d), d)


RAW.cumsum_reversed = lambda *args: _backwards(RAW, *args)
TENSORS.cumsum_reversed = lambda *args: _backwards(TENSORS, *args)


@op("cumsum", inplace=True, vjp={"input": lambda F, grad, dim: F.cumsum_reversed(grad, dim)})
def cumsum(input, dim, *, dtype=None):  # type: ignore[no-untyped-def]
    """The running sum along a dimension."""
    return _running(np.add, input, dim, dtype)


def _cumprod_back(F, grad, input, result, dim):  # type: ignore[no-untyped-def]
    if not len(input.shape):
        return grad * F.conj(F.ones_of(input))
    d = wrap_dim(dim, len(input.shape))
    if not F.any_zero(input):
        return F.cumsum_reversed(grad * F.conj(result), d) / F.conj(input)
    n = input.shape[d]
    columns = []
    for k in range(n):  # the products that hold element k, without it
        before = F.prod(F.slice(input, d, 0, k), d, True)
        ones = F.ones_slice(input, d)
        after = F.cumprod(F.cat([ones, F.slice(input, d, k + 1, n)], d), d)
        columns.append(F.sum(F.slice(grad, d, k, n) * F.conj(before * after), d, True))
    return F.cat(columns, d)


RAW.cumprod_back = lambda *args: _cumprod_back(RAW, *args)
TENSORS.cumprod_back = lambda *args: _cumprod_back(TENSORS, *args)


@op("cumprod", inplace=True, vjp={
    "input": lambda F, grad, input, result, dim: F.cumprod_back(grad, input, result, dim),
})  # fmt: skip
def cumprod(input, dim, *, dtype=None):  # type: ignore[no-untyped-def]
    """The running product along a dimension."""
    return _running(np.multiply, input, dim, dtype)


def _running_extreme(name: str, ufunc: Any, beats: Any) -> None:
    def kernel(input, dim):  # type: ignore[no-untyped-def]
        refuse(input, f"{name}_cpu", "c")
        if not input.ndim:
            wrap_dim(dim, 0)
            return input.copy(), np.zeros((), np.int64)
        d = wrap_dim(dim, input.ndim)
        input = np.ascontiguousarray(input)
        values = ufunc.accumulate(input, axis=d)
        shape = [1] * input.ndim
        shape[d] = -1
        own = np.arange(input.shape[d]).reshape(shape)
        hit = beats(input, values)  # the last place at which the extreme was met
        places = np.maximum.accumulate(np.where(hit, own, 0), axis=d)
        return values, places.astype(np.int64)

    op(name, outputs=("values", "indices"), differentiable=1, returns=named(name, ("values", "indices")),
       doc=f"The running {name[3:]}imum along a dimension, and its places.", vjp={
           "input": lambda F, grad, dim, indices, input_shape: F.put_at(grad, dim, indices, input_shape, True),
       })(kernel)  # fmt: skip


def _met(x: np.ndarray, best: np.ndarray) -> Any:
    same = x == best
    return same | np.isnan(x) if x.dtype.kind in "fV" else same


_running_extreme("cummax", np.maximum, _met)
_running_extreme("cummin", np.minimum, _met)


def _logcumsumexp_back(F, grad, input, result, dim):  # type: ignore[no-untyped-def]
    """The sum over later results of grad * exp(input - result), made on the log scale for each sign."""
    if not len(input.shape):
        return grad * 1
    if F.is_complex(input):
        return F.cumsum_reversed(grad * F.conj(F.exp(-result)), dim) * F.conj(F.exp(input))
    d = wrap_dim(dim, len(input.shape))
    size = F.log(F.abs(grad))

    def part(chosen):  # type: ignore[no-untyped-def]
        logs = F.where(chosen, size, float("-inf")) - result
        return F.exp(F.reversed(F.logcumsumexp(F.reversed(logs, d), d), d) + input)

    return part(grad > 0) - part(grad < 0)


RAW.logcumsumexp_back = lambda *args: _logcumsumexp_back(RAW, *args)
TENSORS.logcumsumexp_back = lambda *args: _logcumsumexp_back(TENSORS, *args)


@op("logcumsumexp", vjp={
    "input": lambda F, grad, input, result, dim: F.logcumsumexp_back(grad, input, result, dim),
})  # fmt: skip
def logcumsumexp(input, dim):  # type: ignore[no-untyped-def]
    """log of the running sum of exponentials."""
    refuse(input, "logcumsumexp_out_cpu", "biu")
    if not input.ndim:
        wrap_dim(dim, 0)
        return input.copy()
    d = wrap_dim(dim, input.ndim)
    x = input.astype(np.float32) if is_half(input) else input
    if x.dtype.kind == "c":
        top = np.max(x.real, axis=d, keepdims=True, initial=-np.inf)
        top = np.where(np.isfinite(top), top, 0)
        return (np.log(np.add.accumulate(np.exp(x - top), axis=d)) + top).astype(input.dtype)
    return np.logaddexp.accumulate(x, axis=d).astype(input.dtype)


# -- differences and areas -------------------------------------------------------------------------------------------------


@composite()
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None, *, out: Any = None) -> Tensor:
    """Differences of neighbours along a dimension, n times over."""
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if not input.dim():
        raise RuntimeError("diff expects input to be at least one-dimensional")
    d = wrap_dim(dim, input.dim())
    parts = [t for t in (prepend, input, append) if t is not None]
    x = F.cat(parts, d) if len(parts) > 1 else input
    if n == 0:
        return x.clone()
    n = min(n, x.shape[d])
    for _ in range(n):
        size = x.shape[d]
        a, b = F.narrow(x, d, 1, size - 1), F.narrow(x, d, 0, size - 1)
        x = F.logical_xor(a, b) if x.dtype.name == "bool" else a - b
    return x if out is None else out.copy_(x)


def _areas(name: str, y: Tensor, x: Any, dx: Any, dim: int) -> Any:
    d = wrap_dim(dim, y.dim())
    n = y.shape[d]
    if x is None:
        return d, n, dx
    if x.dim() == 1 and y.dim() != 1:
        if x.shape[0] != n:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = x.view([-1 if i == d else 1 for i in range(y.dim())])
        e = d
    else:
        e = wrap_dim(dim, x.dim())
    m = x.shape[e]
    return d, n, F.narrow(x, e, 1, m - 1) - F.narrow(x, e, 0, m - 1)


@composite(method=False)
def trapezoid(y: Tensor, x: Any = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The area under y by the trapezoid rule, at places x or dx apart."""
    d, n, step = _areas("trapezoid", y, x, 1 if dx is None else dx, dim)
    if n == 0:
        return y.new_zeros([s for i, s in enumerate(y.shape) if i != d])
    if x is None:
        return F.mul_number(y.sum(d) - F.mul_number(F.select(y, d, 0) + F.select(y, d, n - 1), 0.5), step)  # type: ignore[no-any-return]
    return F.div_number(((F.narrow(y, d, 0, n - 1) + F.narrow(y, d, 1, n - 1)) * step).sum(d), 2.0)  # type: ignore[no-any-return]


@composite(method=False)
def trapz(y: Tensor, x: Any = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The older name of trapezoid."""
    return trapezoid(y, x, dx=dx, dim=dim)


@composite(method=False)
def cumulative_trapezoid(y: Tensor, x: Any = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The running area under y by the trapezoid rule."""
    d, n, step = _areas("cumulative_trapezoid", y, x, 1 if dx is None else dx, dim)
    both = F.narrow(y, d, 0, n - 1) + F.narrow(y, d, 1, n - 1)
    if x is None:
        return F.cumsum(F.mul_number(both, step / 2), d)  # type: ignore[no-any-return]
    return F.div_number(F.cumsum(both * step, d), 2.0)  # type: ignore[no-any-return]


__all__ = ["OPS"]
