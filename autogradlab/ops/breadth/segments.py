"""segment_reduce: sums, means, products and extremes of parts of a dimension that follow one another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.recording.record import NOT_IMPLEMENTED, no_derivative
from ...core.runtime import errors
from ...core.types.dims import wrap_dim
from ..first.kinds import refuse
from ..table.opdef import FUNCTIONS, op

#: values of the argument reduce=: how elements are combined, and what that starts from
_REDUCTIONS: dict[str, tuple[Any, float]] = {
    "sum": (np.add, 0.0),
    "mean": (np.add, 0.0),
    "prod": (np.multiply, 1.0),
    "max": (np.maximum, -np.inf),
    "min": (np.minimum, np.inf),
}
_NAMES = {"amax": "max", "amin": "min"}


def _bounds(
    data: np.ndarray, lengths: np.ndarray | None, offsets: np.ndarray | None, axis: int, unsafe: bool
) -> np.ndarray:
    """Where segments begin and end along the axis, the last dimension of what is returned; PyTorch's checks."""
    given = offsets if lengths is None else lengths
    if given is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    word = "offsets" if lengths is None else "lengths"
    if data.ndim < given.ndim:
        raise RuntimeError(
            f"Expected data.dim() >= {word}_value.dim() to be true, but got false.  (Could this error message be "
            "improved?  If so, please report an enhancement request to PyTorch.)"
        )
    if axis != given.ndim - 1:
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of {word} but got {axis}.")
    if lengths is None:
        if not given.shape[-1]:
            raise RuntimeError("Trying to create tensor with negative dimension -1: [-1]")
    elif not unsafe:
        if not lengths.size:
            raise RuntimeError(
                "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
                "the 'dim' argument."
            )
        if lengths.min() < 0:
            raise RuntimeError("lengths contains negative value!")
        if (lengths.sum(-1) != data.shape[axis]).any():
            raise RuntimeError(
                "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when "
                "!unsafe."
            )
    refuse(given, f"_segment_reduce_{word}_cpu_kernel1", "bfcV")
    refuse(data, "_segment_reduce_cpu", "biuc")
    if lengths is None:
        found = given.astype(np.int64)
    else:
        found = np.zeros((*given.shape[:-1], given.shape[-1] + 1), np.int64)
        np.cumsum(given, -1, out=found[..., 1:])
    if (np.diff(found) < 0).any():
        raise RuntimeError(errors.CONDITION.format("segment_length >= 0"))
    return np.clip(found, 0, data.shape[axis])


def _kind(reduce: str) -> str:
    found = _NAMES.get(reduce, reduce)
    if found not in _REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    return found


def _segments(bounds: np.ndarray) -> Any:
    """Of each segment its place in the result, and the part of the input that it is."""
    for row in np.ndindex(bounds.shape[:-1]):
        for i in range(bounds.shape[-1] - 1):
            yield (*row, i), (*row, slice(bounds[(*row, i)], bounds[(*row, i + 1)]))


def _rows(bounds: np.ndarray, size: int) -> np.ndarray:
    """Where segments begin among all rows, of which each line of segments counts so many."""
    lines = bounds.reshape(-1, bounds.shape[-1])
    return (lines[:, :-1] + np.arange(len(lines))[:, None] * size).reshape(-1).astype(np.intp, copy=False)


def _segment_reduce_backward(
    F: Any,
    grad: Any,
    data: Any,
    result: Any,
    reduce: str,
    lengths: Any,
    offsets: Any,
    axis: int,
    initial: Any,
) -> Any:
    return F._segment_reduce_backward(grad, result, data, reduce, lengths, offsets, axis, initial)


@op(
    """
    segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None,
        int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor|looped
    """,
    method=False,
    vjp={"data": _segment_reduce_backward},
    forwardless="segment_reduce",
)
def segment_reduce(
    data: np.ndarray,
    reduce: str,
    *,
    lengths: np.ndarray | None = None,
    indices: np.ndarray | None = None,
    offsets: np.ndarray | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> np.ndarray:
    """The sum, mean, prod, max or min of each of the parts of a dimension that lengths, or offsets, say. Beside the
    parts, initial goes into each result.

    Shapes: data's with the number of parts at axis.
    Dtypes: float.
    Note: of a part that is empty, the mean is nan, the sum 0, the product 1 and the extremes are infinite.

    >>> x = torch.tensor([1., 2., 3., 4., 5.])
    >>> torch.segment_reduce(x, 'sum', lengths=torch.tensor([2, 3]))
    tensor([ 3., 12.])
    >>> torch.segment_reduce(x, 'max', offsets=torch.tensor([0, 1, 5]))
    tensor([1., 5.])
    """
    d = wrap_dim(axis, data.ndim)
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    kind = _kind(reduce)
    bounds = _bounds(data, lengths, offsets, d, unsafe)
    x = data
    combined, neutral = _REDUCTIONS[kind]
    start = neutral if initial is None else initial
    shape = (*data.shape[:d], bounds.shape[-1] - 1, *data.shape[d + 1 :])
    r = np.full(shape, start, x.dtype)
    counts = np.diff(bounds)
    width = math.prod(x.shape[d + 1 :])
    if not width or counts.size <= counts.max(initial=0):
        for place, part in _segments(bounds):
            values = x[part]
            if len(values):  # one after the other; each step is rounded
                r[place] = combined.accumulate(np.concatenate((r[place][None], values)))[-1]
    else:
        _combine(combined, r.reshape(-1, width), x.reshape(-1, width), bounds, x.shape[d])
    if kind == "mean":
        r /= np.maximum(counts, 1).astype(x.dtype).reshape(*counts.shape, *(1,) * (x.ndim - d - 1))
        if initial is None:
            r[counts == 0] = np.nan
    return r.astype(data.dtype, copy=False)


def _combine(combined: np.ufunc, r: np.ndarray, x: np.ndarray, bounds: np.ndarray, size: int) -> None:
    """Combine with each row of `r` the rows of `x` that are its segment: the first ones of all segments together, then
    the second ones, and so on. size: how many rows of `x` the bounds of one line of segments count."""
    starts, counts = _rows(bounds, size), np.diff(bounds).reshape(-1)
    longest = np.argsort(-counts, kind="stable")
    starts, counts = starts[longest], counts[longest]
    found = r[longest]
    longer = np.searchsorted(-counts, -np.arange(counts.max(initial=0)))  # how many have more than 0, 1, … rows
    for i, n in enumerate(longer.tolist()):
        combined(found[:n], x.take(starts[:n] + i, 0), out=found[:n])
    r[longest] = found


FUNCTIONS["_segment_reduce"] = FUNCTIONS["segment_reduce"]  # PyTorch's other name for the same function


@op(
    "_segment_reduce_backward",
    "grad output data lengths offsets",
    node=NOT_IMPLEMENTED,
    vjp={name: no_derivative("_segment_reduce_backward") for name in ("grad", "output", "data")},
)
def _backward(
    grad: np.ndarray,
    output: np.ndarray,
    data: np.ndarray,
    reduce: str,
    lengths: Any,
    offsets: Any,
    axis: int,
    initial: float | None,
) -> np.ndarray:
    kind = _kind(reduce)
    d = wrap_dim(axis, data.ndim)
    r = np.zeros(data.shape, data.dtype)
    bounds = _bounds(data, lengths, offsets, d, True)
    starts, counts, width = _rows(bounds, data.shape[d]), np.diff(bounds).reshape(-1), math.prod(data.shape[d + 1 :])
    segment = np.arange(counts.size).repeat(counts)
    if not segment.size or not width:
        return r
    firsts = counts.cumsum() - counts  # where the rows of a segment begin, among those of all segments
    rows = np.arange(segment.size) + (starts - firsts).repeat(counts)
    values = data.reshape(-1, width)[rows]
    g, o = (x.reshape(-1, width)[segment] for x in (grad, output))
    if kind == "sum":
        found = g
    elif kind == "mean":
        found = g / counts.astype(g.dtype)[segment, None]
    elif kind == "prod":
        unlike = (values == 0) | np.isnan(values)
        found = g * o / values
        for i in np.unique(segment[unlike.any(1)]):
            part = slice(firsts[i], firsts[i] + counts[i])
            others = _others(values[part], initial) * g[part]
            found[part] = np.where(unlike[part], others, found[part])
    else:
        hit = (values == o) | np.isnan(values)
        each = np.zeros((counts.size, width), np.int64)
        each[counts > 0] = np.add.reduceat(hit, firsts[counts > 0], 0, np.int64)
        found = np.where(hit, g / np.maximum(each, 1)[segment], 0)
    r.reshape(-1, width)[rows] = found
    return r


def _others(values: np.ndarray, initial: float | None) -> np.ndarray:
    """For each element the product of all others."""
    r = np.full(values.shape, 1 if initial is None else initial, values.dtype)
    for i in range(len(values)):
        for j in range(len(values)):
            if j != i:
                r[i] *= values[j]
    return r
