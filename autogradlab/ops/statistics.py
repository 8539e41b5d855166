"""Spread, quantiles and counts: var, std, quantile, cov, bincount, histc, histogram."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..creation import bind
from ..dims import all_dims, wrap_dim
from ..opdef import OPS, Op, composite, op, publish
from ..record import RAW, TENSORS
from ..return_types import named
from ..tensor import Tensor, wrap
from ..warn import warn
from .kinds import is_half, name_of, no_derivative, refuse
from .reduce import count_of

F = TENSORS
_AT = "/__w/pytorch/pytorch/aten/src/ATen/native/ReduceOps.cpp:1842"

# -- variance --------------------------------------------------------------------------------------------------------------


def _varied(name: str, root: bool, mean: bool) -> Any:
    what = name if mean else "std and var"

    def kernel(input, dim=None, correction=None, keepdim=False):  # type: ignore[no-untyped-def]
        if input.dtype.kind not in "fcV":
            raise RuntimeError(f"{what} only support floating point and complex dtypes")
        x = input.astype(np.float32) if is_half(input) else input
        dims = all_dims(dim, x.ndim)
        count = count_of(x.shape, dims) if x.ndim else 1
        free = max(count - (1 if correction is None else correction), 0)
        if not free:
            warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input "
                 "numel divided by output numel).", at=_AT)  # fmt: skip
        middle = np.add.reduce(x, axis=dims, keepdims=True) / count if count else np.full([1] * x.ndim, np.nan)
        off = x - middle
        squares = (off * off.conj()).real if off.dtype.kind == "c" else np.multiply(off, off, out=off) if off.ndim else off * off
        total = np.asarray(np.add.reduce(squares, axis=dims, keepdims=keepdim))
        v = np.asarray(total / free if free else total / np.zeros((), total.dtype))
        if count == 0:
            v = np.full_like(v, np.nan)
        v = np.asarray(np.sqrt(v)) if root else v
        real = np.dtype({"c8": "f4", "c16": "f8"}.get(input.dtype.str[1:], input.dtype))
        v = v.astype(real)
        if not mean:
            return v
        m = middle if keepdim or not x.ndim else np.squeeze(np.asarray(middle), dims)
        return v, np.asarray(m).astype(input.dtype)

    return kernel


def _var_back(F, grad, input, dim, correction, keepdim):  # type: ignore[no-untyped-def]
    shape = tuple(input.shape)
    free = count_of(shape, dim) - (1 if correction is None else correction)
    middle = F.mean(input, all_dims(dim, len(shape)), True) if shape else input
    if free <= 0:  # NaN where there is nothing to divide by
        return F.spread(grad, shape, dim, keepdim) * float("nan") * (input - middle) if free < 0 or not shape else (
            F.spread(grad, shape, dim, keepdim) * float("inf") * (input - middle))  # fmt: skip
    return F.spread(grad, shape, dim, keepdim) * (2 / free) * (input - middle)


def _std_back(F, grad, input, result, dim, correction, keepdim):  # type: ignore[no-untyped-def]
    return F.var_back(F.only(result != 0, grad / (result * 2)), input, dim, correction, keepdim)


def _mean_part(F, grad, input, dim, keepdim):  # type: ignore[no-untyped-def]
    return F.spread(grad, tuple(input.shape), dim, keepdim) / max(count_of(tuple(input.shape), dim), 1)


for _world in (RAW, TENSORS):
    _world.var_back = lambda *args, world=_world: _var_back(world, *args)
    _world.std_back = lambda *args, world=_world: _std_back(world, *args)
    _world.mean_part = lambda *args, world=_world: _mean_part(world, *args)


def _pair(*terms: Any) -> Any:
    kept = [t for t in terms if t is not None]
    return kept[0] if len(kept) == 1 else kept[0] + kept[1]


def _var_mean_back(F, grads, input, dim, correction, keepdim):  # type: ignore[no-untyped-def]
    first, second = grads
    return _pair(None if first is None else F.var_back(first, input, dim, correction, keepdim),
                 None if second is None else F.mean_part(second, input, dim, keepdim))  # fmt: skip


def _std_mean_back(F, grads, input, result0, dim, correction, keepdim):  # type: ignore[no-untyped-def]
    first, second = grads
    return _pair(None if first is None else F.std_back(first, input, result0, dim, correction, keepdim),
                 None if second is None else F.mean_part(second, input, dim, keepdim))  # fmt: skip


_VJPS: dict[str, Any] = {
    "var": lambda F, grad, input, dim, correction, keepdim: F.var_back(grad, input, dim, correction, keepdim),
    "std": lambda F, grad, input, result, dim, correction, keepdim: F.std_back(grad, input, result, dim, correction, keepdim),
    "var_mean": _var_mean_back, "std_mean": _std_mean_back,
}  # fmt: skip


def _spread_of(name: str) -> None:
    mean = name.endswith("_mean")
    options: dict[str, Any] = {"outputs": ("result0", "result1")} if mean else {}
    entry = OPS[name] = Op(name, _varied(name.removesuffix("_mean") + ("_mean" if mean else ""), name.startswith("std"), mean),
                           vjp={"input": _VJPS[name]}, **options)  # fmt: skip
    call = entry.call

    def forward(*args: Any, **kwargs: Any) -> Any:
        _, given = bind(name, args, kwargs)
        dim = given.get("dim")
        dim = None if dim == () else dim
        correction = given.get("correction") if "unbiased" not in given else int(given["unbiased"])
        out = {} if given.get("out") is None else {"out": given["out"]}
        return call(given["input"], dim, correction, given.get("keepdim", False), **out)

    word = "variance" if name.startswith("var") else "standard deviation"
    publish(name, forward, entry.kernel, not mean, True, f"The {word}{' and the mean' if mean else ''} of all or along `dim`.")


for _name in ("var", "std", "var_mean", "std_mean"):
    _spread_of(_name)

# -- quantiles -------------------------------------------------------------------------------------------------------------

_WAYS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(name: str, skip: bool) -> Any:
    def quantile(input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear",
                 out: Any = None) -> Tensor:  # fmt: skip
        x, label = input, name + "()"
        if x.dtype.name not in ("float32", "float64"):
            raise RuntimeError(f"{label} input tensor must be either float or double dtype")
        if isinstance(q, (int, float)):
            if not 0 <= q <= 1:
                raise RuntimeError(f"{label} q must be in the range [0, 1] but got {float(q):g}")
            q = F.scalar_tensor(float(q), dtype=x.dtype)
        if q.dim() > 1:
            raise RuntimeError(f"{label} q must be a scalar or 1D tensor")
        if q.dtype is not x.dtype:
            raise RuntimeError(f"{label} q tensor must be same dtype as the input tensor")
        if interpolation not in _WAYS:
            raise RuntimeError(f"{label} interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
                               f"{interpolation}")  # fmt: skip
        if not x.numel():
            raise RuntimeError(f"{label} input tensor must be non-empty")
        if not ((q._array >= 0) & (q._array <= 1)).all():
            raise RuntimeError(f"{label} q values must be in the range [0, 1]")
        kept = tuple(1 for _ in x.shape) if dim is None else tuple(
            1 if i == wrap_dim(dim, x.dim()) else n for i, n in enumerate(x.shape))  # fmt: skip
        lines = x.flatten() if dim is None else x.unsqueeze(-1).transpose(wrap_dim(dim, x.dim()), -1).squeeze(
            wrap_dim(dim, x.dim())) if x.dim() else x.reshape(1)  # fmt: skip
        ordered = F.sort(lines, -1)[0]
        n = ordered.shape[-1]
        a = ordered._array
        points = q._array.reshape(-1)
        nans = np.isnan(a).sum(-1, keepdims=True)
        size = np.where(nans == n, 1, n - nans) if skip else np.full(nans.shape, n)
        ranks = np.clip(points * (size - 1), 0, None).astype(a.dtype)
        if not skip:
            ranks = np.where(nans > 0, n - 1, ranks).astype(a.dtype)
        below = np.floor(ranks)
        if interpolation == "nearest":
            below = ranks = np.rint(ranks)
        elif interpolation == "lower":
            ranks = below
        elif interpolation == "higher":
            below = ranks = np.ceil(ranks)
        low = F.take_at(ordered, -1, wrap(below.astype(np.int64)), True)
        weight = np.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below
        if interpolation in ("linear", "midpoint"):
            high = F.take_at(ordered, -1, wrap(np.ceil(ranks).astype(np.int64)), True)
            low = F.lerp(low, high, wrap(weight.astype(a.dtype)))
        if q.dim() == 0:
            r = F.squeeze_(low.reshape(kept).unsqueeze(-1), -1) if keepdim else F.squeeze_(low, -1)
        else:
            r = F.squeeze_(low.unsqueeze(0).transpose(0, -1), -1)
            r = r.reshape((len(points), *kept)) if keepdim else r
        return r if out is None else F.mul(r, 1, out=out)  # type: ignore[no-any-return]

    quantile.__name__ = name
    composite()(quantile)
    TENSORS.__dict__[name].__doc__ = "The q-quantiles of all or along `dim`" + (", NaN left out." if skip else ".")
    return quantile


_quantile("quantile", False)
_quantile("nanquantile", True)

# -- covariance ------------------------------------------------------------------------------------------------------------


@composite()
def cov(input: Tensor, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """The covariance matrix of variables in rows."""
    if input.dim() > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got an input with {input.dim()} dimensions")
    x = input.view(1, -1) if input.dim() < 2 else input
    weights = None
    if fweights is not None or aweights is not None:
        weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    total = x.shape[1] if weights is None else weights.sum()
    if weights is None:
        mean = x.mean(1, True)
        free: Any = x.shape[1] - correction
    else:
        mean = (x * weights).sum(1, True) / total
        free = total - correction * ((weights * aweights).sum() / total if aweights is not None else 1)
    off = x - mean
    scaled = off if weights is None else off * weights
    c = F.matmul(off, scaled.t().conj())
    free = F.clamp(free, min=0) if isinstance(free, Tensor) else max(free, 0)
    return F.div(c, free).squeeze()  # type: ignore[no-any-return]


@composite()
def corrcoef(input: Tensor) -> Tensor:
    """The correlation coefficients of variables in rows."""
    if input.dim() > 2:
        raise RuntimeError("corrcoef(): expected input to have two or fewer dimensions but got an input with "
                           f"{input.dim()} dimensions")  # fmt: skip
    c = cov(input)
    if not c.dim():
        return c / c
    s = F.sqrt(F.diagonal(c))
    r = c / s.view(-1, 1) / s.view(1, -1)
    return F.clamp(r, -1, 1) if not r.is_complex() else r  # type: ignore[no-any-return]


# -- counting --------------------------------------------------------------------------------------------------------------


@op("bincount", "input weights")
def bincount(input, weights=None, minlength=0):  # type: ignore[no-untyped-def]
    """How often each number comes, or the sum of its weights."""
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if input.ndim != 1 or (input.size and input.dtype.kind in "iu" and input.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    refuse(input, "bincount_cpu", "bfcV")
    if weights is not None and weights.shape != input.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    r = np.bincount(input.astype(np.int64), None if weights is None else weights.astype(np.float64), minlength)
    if weights is None:
        return r.astype(np.int64)
    return r.astype(weights.dtype if weights.dtype == np.float32 else np.float64)


@op("histc")
def histc(input, bins=100, min=0, max=0):  # type: ignore[no-untyped-def]
    """How many elements fall into each of `bins` equal parts of the range from min to max."""
    refuse(input, "histogram_cpu", "biuc")
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    low, high = float(min), float(max)
    if low == high and input.size:
        low, high = float(input.min()), float(input.max())
    if low == high:
        low, high = low - 1, high + 1
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"torch.histc(): range of [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError("torch.histc: max must be larger than min")
    x = input[(input >= low) & (input <= high)]
    place = ((x - low) / (high - low) * bins).astype(np.int64)
    return np.bincount(np.minimum(place, bins - 1), minlength=bins).astype(input.dtype)


@op("histogram", "input bins weight", method=False, function=False, outputs=("hist", "bin_edges"),
    returns=named("histogram", ("hist", "bin_edges")), vjp={"input": no_derivative("histogram")},
    node="torch::autograd::NotImplemented")  # fmt: skip
def _histogram(input, bins, weight, density):  # type: ignore[no-untyped-def]
    hist, edges = np.histogram(input.ravel(), bins, weights=None if weight is None else weight.ravel(), density=density)
    return hist.astype(input.dtype), edges.astype(input.dtype)


@composite()
def histogram(input: Tensor, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False, out: Any = None) -> Any:
    """Counts in bins, whose edges are given or made, and the edges."""
    if not isinstance(bins, Tensor):
        if range is None:
            a = input._array
            low, high = (float(a.min()), float(a.max())) if a.size else (0.0, 0.0)
        else:
            low, high = (float(v) for v in range)
        if low == high:
            low, high = (low - 1, high + 1) if range is None else (low - 0.5, high + 0.5)
        bins = F.linspace(low, high, bins + 1, dtype=input.dtype)
    return OPS["histogram"].call(input, bins, weight, density)


__all__ = ["is_half", "name_of"]
