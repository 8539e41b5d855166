"""The distance between two tensors, and the logarithm of a sum of exponentials."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.memory.adding import added
from ...core.memory.layout import contiguous
from ...core.memory.together import along as rows_along
from ...core.recording.record import RAW, TENSORS, says
from ...core.runtime import errors
from ...core.types.dims import all_dims
from ...core.types.dtypes import scalar_name
from ...core.values.promotion import plain_number
from ..first.kinds import align, along, floated, is_half, magnitude, on_both_backends
from ..kernels.rounded import exp, log
from ..table.calls import ByOut
from ..table.opdef import OPS, alias, op
from ..table.outputs import Out


@on_both_backends
def norm_back(F: Any, grad: Any, input: Any, result: Any, p: float, dim: Any = None) -> Any:
    """The gradient of a norm along dimensions that it has kept as sizes 1, or over everything; where it is 0 it is
    taken as 0. None for the number of elements that are not 0."""
    if p == 0:
        return None
    if p == 1:
        return F.sgn(input) * grad
    if p == 2:
        return grad * F.only(result != 0, input / result)
    size = F.abs(input)
    if p in (math.inf, -math.inf):
        hit = (size == result) | F.isnan(size)
        return F.sgn(input) * (grad / F.sum(hit, all_dims(dim, len(input.shape)), True) * hit)
    if p < 1:
        return F.sgn(input) * F.only(input != 0, F.pow(size, p - 1)) * grad * F.pow(result, 1 - p)
    slope = F.sgn(input) * F.pow(size, p - 1) if p < 2 else input * F.pow(size, p - 2)
    return slope * F.over_size(grad, F.pow(result, p - 1), result)


def norm_along(F: Any, tangent: Any, input: Any, result: Any, p: float, dim: Any = None, keepdim: bool = False) -> Any:
    """The tangent of a norm: the product of its gradient with that of the input."""
    shape = tuple(input.shape)
    kept = F.restored(result, shape, dim, keepdim)
    slope = F.norm_back(F.ones_like(kept), input, kept, p, dim)
    return F.zeros_like(result) if slope is None else along(F, slope, tangent, dim, keepdim)


def _distance_along(F: Any, tangents: list[Any], input: Any, other: Any, result: Any, p: float) -> Any:
    by_input, by_other = tangents
    gap = by_input if by_other is None else -by_other if by_input is None else by_input - by_other
    return norm_along(F, gap, input - other, result, float(p))


def _distance_back(F: Any, grad: Any, input: Any, other: Any, result: Any, p: float) -> Any:
    slope = F.norm_back(grad, input - other, result, float(p))
    return F.nought(input - other) if slope is None else slope


@op(
    "dist(Tensor input, Tensor other, Scalar p=2) -> Tensor",
    vjp={
        "input": _distance_back,
        "other": lambda F, grad, input, other, result, p: -_distance_back(F, grad, input, other, result, p),
    },
    jvp={"input other": _distance_along},
)
def dist(input: np.ndarray, other: np.ndarray, p: float = 2) -> Any:
    """The p-norm of input - other, as a 0-dim tensor.

    Shapes: both broadcast together.
    Dtypes: float and complex.

    >>> torch.dist(torch.tensor([1., 2.]), torch.tensor([4., 6.]))
    tensor(5.)
    """
    if (input.dtype.kind == "b") != (other.dtype.kind == "b"):
        raise RuntimeError(errors.BOOL_SUB_ONE)
    x, y = align(input, other)
    if x.dtype.kind == "b":
        raise RuntimeError(errors.BOOL_SUB_BOTH)
    p = plain_number(p)
    if isinstance(p, complex):
        raise RuntimeError("linalg.vector_norm: Expected a non-complex scalar as the order of norm.")
    if x.dtype.kind not in "fVc":
        kind = scalar_name(x)
        raise RuntimeError(f"norm(): input dtype should be either floating point or complex. Got {kind} instead.")
    size = magnitude(x - y)
    if is_half(size):
        return _length(size.astype(np.float32), p).astype(size.dtype)
    return _length(size, p)


def _length(size: np.ndarray, p: float) -> Any:
    """The p-norm of numbers that are not negative."""
    if p == 0:
        return np.add.reduce(size != 0, axis=None, dtype=size.dtype)
    if p in (math.inf, -math.inf):
        return np.max(size, initial=0) if p > 0 else np.min(size, initial=np.inf)
    if p == 1:
        return np.sum(size)
    return np.sqrt(np.sum(size * size)) if p == 2 else np.power(np.sum(np.power(size, p)), 1 / p)


@on_both_backends
def logsumexp_back(F: Any, grad: Any, input: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    shape = tuple(input.shape)
    return F.restored(grad, shape, dim, keepdim) * F.conj(F.exp(input - F.restored(result, shape, dim, keepdim)))


@op(
    "logsumexp(Tensor input, int[1] dim, bool keepdim=False, *, Tensor out=None) -> Tensor",
    vjp={
        "input": says(("g·exp({self}-{result})", "g·exp({self}-{result})"))(
            lambda F, grad, input, result, dim, keepdim: F.logsumexp_back(grad, input, result, dim, keepdim)
        ),
    },
    out=Out(
        exact="logsumexp(): Expected floating point type for result tensor, but got: {1}",
        unless=lambda inputs, out: out._array.dtype.kind in "fVc",
    ),
    inner_writes=ByOut("logsumexp"),
    together=rows_along(),
)
def logsumexp(input: np.ndarray, dim: Any, keepdim: bool = False) -> np.ndarray:
    """log of the sum of exp(input) along dim, without overflow.

    ~dims
    Dtypes: float and complex; integers are computed in the default dtype.

    >>> torch.logsumexp(torch.tensor([1000., 1000.]), 0)
    tensor(1000.6932)
    """
    x = floated(input)
    wanted = x.dtype
    if is_half(x):
        x = x.astype(np.float32)
    dims = all_dims(dim, x.ndim)
    if not x.size:
        return contiguous(np.log(np.add.reduce(np.exp(x), axis=dims, keepdims=keepdim))).astype(wanted, copy=False)
    top = np.maximum.reduce(x.real, axis=dims, keepdims=True)
    top = np.where(np.isfinite(top), top, 0).astype(top.dtype)
    step = np.asarray if x.dtype == wanted else lambda a: np.asarray(a, wanted).astype(x.dtype)  # half types
    total = step(added(step(exp(step(x - top))), dims, True))
    r = np.asarray(step(log(total)) + top)
    if not dim and isinstance(dim, (tuple, list)) and x.ndim and not keepdim:
        raise RuntimeError(f"output with shape [] doesn't match the broadcast shape {[1] * x.ndim}")
    return contiguous(r if keepdim or not x.ndim else np.squeeze(r, dims)).astype(wanted, copy=False)


alias("special_logsumexp", "logsumexp", method=False)


OPS["logsumexp"].node_class.dim_list = True

__all__ = ["RAW", "TENSORS"]
