"""Counting: how often integers occur, how many elements fall into each bin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.memory.absent import require_contents
from ...core.memory.casting import real_with_warning
from ...core.recording.record import NOT_IMPLEMENTED, TENSORS, no_derivative
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import cxx_name
from ...core.types.return_types import named
from ..first.kinds import HALF, UNSIGNED, refuse
from ..table.opdef import OPS, Op, composite, op
from ..table.overloads import Overload

F = TENSORS

# -- bincount ----------------------------------------------------------------------------------------------------------


@op(
    "bincount(Tensor input, Tensor? weights=None, SymInt minlength=0) -> Tensor|uint_bincount_cpu|looped",
    node=NOT_IMPLEMENTED,
    vjp={"weights": no_derivative("bincount")},
    inner_writes=1,
)
def bincount(input: np.ndarray, weights: np.ndarray | None = None, minlength: int = 0) -> np.ndarray:
    """The number of times each of the integers 0, 1, 2, … occurs; with weights, the sum of theirs.

    Shapes: input (n,), weights (n,); the result is as long as the largest value + 1, at least minlength.
    Dtypes: integers, not negative; the result is int64, or weights' dtype (float64 for integers).

    >>> torch.bincount(torch.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    >>> torch.bincount(torch.tensor([0, 2, 2]), torch.tensor([0.5, 1., 1.]))
    tensor([0.5000, 0.0000, 2.0000])
    """
    require_contents("aten::bincount", input)
    refuse(input, "bincount_cpu", "bfcV")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if input.ndim == 1 and not input.size:
        return np.zeros(minlength, np.int64)
    if input.ndim != 1 or (input.dtype.kind == "i" and input.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    places = input.astype(np.intp, copy=False)
    if weights is None:
        return np.bincount(places, minlength=minlength).astype(np.int64)
    if weights.shape != input.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    given = real_with_warning(weights, np.dtype(np.float64))
    found = np.bincount(places, given.astype(np.float64), minlength=minlength)
    return found.astype(np.float32 if weights.dtype == np.float32 else np.float64)


# -- bins --------------------------------------------------------------------------------------------------------------


def _number(value: float) -> str:
    return f"{value:g}"


def _edges(low: float, high: float, bins: int, numpy: np.dtype[Any]) -> np.ndarray:
    """Evenly spaced edges, counted from both ends as linspace does."""
    wide = np.dtype(np.float32) if numpy.itemsize == 2 else numpy
    a, b = wide.type(low), wide.type(high)
    step = (b - a) / wide.type(bins)
    i = np.arange(bins + 1)
    half = (bins + 1) // 2
    return np.where(i < half, a + step * i.astype(wide), b - step * (bins - i).astype(wide)).astype(numpy)


def _checked_bins(bins: int, d: int = 0) -> int:
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension {d}")
    return bins


def _even_places(x: np.ndarray, low: Any, high: Any, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Which elements lie in the range, and in which of its even bins."""
    inside = (x >= low) & (x <= high)
    kept = x[inside]
    places = ((kept - low) * x.dtype.type(bins) / (high - low)).astype(np.intp)
    return inside, np.minimum(places, bins - 1)


def _check_histc(input: Tensor, outs: Sequence[Tensor]) -> None:
    for label, end, o in zip(("hist", "bin_edges"), ("", " for dimension 0"), outs, strict=False):
        if o.dtype is not input.dtype:
            raise RuntimeError(
                f"torch.histogram: input tensor and {label} tensor should have the same dtype, but got input "
                f"{cxx_name(input)} and {label} {cxx_name(o)}{end}"
            )


@op(
    "histc(Tensor input, int bins=100, Scalar min=0, Scalar max=0, *, Tensor out=None) -> Tensor|looped",
    check_out=_check_histc,
    inner_writes=2,
)
def histc(input: np.ndarray, bins: int = 100, min: float = 0, max: float = 0) -> np.ndarray:
    """The number of elements in each of `bins` equal bins from min to max (of input's own range if both are 0).

    Shapes: input any; the result is (bins,).
    Dtypes: float; the result has the same dtype.

    >>> torch.histc(torch.tensor([1., 2., 1.]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    _checked_bins(bins)
    wide = input.astype(np.float32) if input.dtype.kind in "fV" and input.dtype.itemsize == 2 else input
    low, high = _span(input, wide, float(min), float(max))
    refuse(input, "linspace_cpu", "b")
    if input.dtype.kind == "u" and low < 0:
        raise RuntimeError("value cannot be converted to type uint8_t without overflow")
    refuse(input, "histogram_cpu", "iuc")
    kind = wide.dtype.type
    least, most = kind(low), kind(high)
    if least == most:  # too large for a bin beside it
        places = np.full(wide.size, 0 if least < 0 else bins - 1)
    else:
        _, places = _even_places(wide.reshape(-1), least, most, bins)
    return np.bincount(places, minlength=bins).astype(input.dtype)


def _span(input: np.ndarray, wide: np.ndarray, low: float, high: float) -> tuple[float, float]:
    """The range of histc: as given, or that of the elements; never empty."""
    nan = ""
    if low == high and wide.size:
        refuse(input, "aminmax_cpu", "c" + UNSIGNED)
        low, high = float(wide.min()), float(wide.max())
        if math.isnan(low):  # the sign is that of vector instructions
            nan = "nan, nan" if wide.size == 1 or input.dtype.kind == "V" else "-nan, -nan"
        elif input.dtype.kind == "f" and input.dtype.itemsize > 2:  # compared with the largest numbers
            most = float(np.finfo(wide.dtype).max)
            low, high = (most if low > most else low), (-most if high < -most else high)
    if low == high:
        low, high = low - 1, high + 1
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.histc: range of [{nan or f'{_number(low)}, {_number(high)}'}] is not finite")
    if low > high:
        raise RuntimeError("torch.histc: max must be larger than min")
    return low, high


_WHO = "torch.histogramdd: "


def _many(x: np.ndarray, bins: Any, span: Any, weight: Any, density: bool) -> tuple[np.ndarray, list[np.ndarray]]:
    """The histogram of points (rows of `x`). `bins`: the edges, or the number of even bins, of each dimension."""
    n = x.shape[1]
    if not n:
        return np.full((), np.nan if density else 0, x.dtype), []
    if len(bins) != n:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    for d, b in enumerate(bins):
        if isinstance(b, np.ndarray):
            if b.dtype != x.dtype:
                raise RuntimeError(
                    f"{_WHO}input tensor and bins tensors should have the same dtype, but got input with dtype "
                    f"{cxx_name(x)} and bins for dimension {d} with dtype {cxx_name(b)}"
                )
            if b.ndim != 1:
                raise RuntimeError(
                    f"{_WHO}bins tensor should have one dimension, but got {b.ndim} dimensions in the bins tensor "
                    f"for dimension {d}"
                )
            if not b.size:
                raise RuntimeError(
                    f"{_WHO}bins tensor should have at least 1 element, but got 0 elements in the bins tensor for "
                    f"dimension {d}"
                )
    if weight is not None:
        if weight.dtype != x.dtype:
            raise RuntimeError(
                f"{_WHO}if weight tensor is provided, input tensor and weight tensor should have the same dtype, but "
                f"got input({cxx_name(x)}), and weight({cxx_name(weight)})"
            )
        if weight.size != len(x):
            raise RuntimeError(
                f"{_WHO}if weight tensor is provided it should have the same shape as the input tensor excluding its "
                f"innermost dimension, but got input with shape {list(x.shape)} and weight with shape "
                f"{list(weight.shape)}"
            )
    if span is not None and len(span) != 2 * n:
        raise RuntimeError(
            f"{_WHO}for a {n}-dimensional histogram range should have {2 * n} elements, but got {len(span)}"
        )
    for d, b in enumerate(bins):
        _checked_bins(b.size - 1 if isinstance(b, np.ndarray) else b, d)
    if not all(isinstance(b, np.ndarray) for b in bins):
        if x.size and span is None:  # what looks for the range
            refuse(x, "histogramdd", "biuc" + HALF)
        refuse(x, "linspace_cpu", "b")
    refuse(x, "histogram_cpu", "biuc")
    edges = [b if isinstance(b, np.ndarray) else _range(x[:, d], d, b, span) for d, b in enumerate(bins)]
    inside = np.ones(len(x), bool)
    places = []
    for d, e in enumerate(edges):
        column = x[:, d]
        with_nan = (column >= e[0]) & (column <= e[-1])
        inside &= with_nan
        places.append(np.minimum(np.searchsorted(e, column, "right") - 1, e.size - 2))
    shape = tuple(e.size - 1 for e in edges)
    flat = np.ravel_multi_index([p[inside] for p in places], shape) if inside.any() else np.zeros(0, np.intp)
    w = None if weight is None else weight.reshape(-1)[inside].astype(np.float64)
    hist = np.bincount(flat, w, minlength=math.prod(shape)).astype(x.dtype).reshape(shape)
    if density:
        with np.errstate(invalid="ignore"):
            hist = hist / hist.sum()
        for d, e in enumerate(edges):
            hist = hist / np.diff(e).reshape([-1 if i == d else 1 for i in range(n)])
    return hist, edges


def _range(column: np.ndarray, d: int, bins: int, span: Any) -> np.ndarray:
    if span is not None:
        low, high = float(span[2 * d]), float(span[2 * d + 1])
    elif column.size:
        low, high = float(column.min()), float(column.max())
    else:
        low, high = 0.0, 1.0
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"{_WHO}dimension {d}'s range [{_number(low)}, {_number(high)}] is not finite")
    if low > high:
        raise RuntimeError(
            f"{_WHO}min should not exceed max, but got min {_number(low)} max {_number(high)} for dimension {d}"
        )
    if low == high:
        low, high = low - 0.5, high + 0.5
    return _edges(low, high, bins, column.dtype)


def _histogram(
    input: np.ndarray, bins: Any, *, range: Any = None, weight: np.ndarray | None = None, density: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    hist, edges = _many(input.reshape(-1, 1), [bins], range, weight, density)
    return hist, np.array(edges[0])


_BLOCKED = no_derivative("histogram")
_PAIR = ("hist", "bin_edges")
_RETURNS = named("histogram", _PAIR)
_RETURNS_DD = named("histogramdd", _PAIR)
OPS["histogram.count"] = Op(
    "histogram",
    _histogram,
    "input weight",
    node=NOT_IMPLEMENTED,
    outputs=_PAIR,
    returns=_RETURNS,
    vjp={"input": _BLOCKED, "weight": _BLOCKED},
    check_out=_check_histc,
)
op(
    """
    histogram(Tensor input, Tensor bins, *, Tensor? weight=None, bool density=False,
        Tensor[2] out=None) -> (Tensor hist, Tensor bin_edges)|.bins_tensor|looped
    histogram(Tensor input, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False,
        Tensor[2] out=None) -> (Tensor hist, Tensor bin_edges)|.bin_ct|looped
    """,
    "input bins weight",
    node=NOT_IMPLEMENTED,
    outputs=_PAIR,
    returns=_RETURNS,
    vjp={"input": _BLOCKED, "weight": _BLOCKED},
    check_out=_check_histc,
    overloads=[Overload(OPS["histogram.count"], signature=1)],
    reads="itself",
    doc="""
    The weight of the elements in each bin, and the edges; bins are a number or the edges themselves.
    main: 2

    Shapes: (bins,) and (bins + 1,).
    Dtypes: float. density=True makes the area 1.

    >>> torch.histogram(torch.tensor([1., 2., 1.]), bins=2, range=(0., 3.))
    torch.return_types.histogram(
    hist=tensor([2., 1.]),
    bin_edges=tensor([0.0000, 1.5000, 3.0000]))
    """,
)(_histogram)


def _points(input: Tensor) -> np.ndarray:
    x = input._array
    if not x.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    if x.ndim < 2:
        raise RuntimeError(f"{_WHO}input tensor should have at least 2 dimensions")
    return x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


@composite(
    """
    histogramdd(Tensor input, int bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist,
        Tensor bin_edges)|.int_bins
    histogramdd(Tensor input, int[] bins, float[]? range=None, Tensor? weight=None,
        bool density=False) -> (Tensor hist, Tensor bin_edges)
    histogramdd(Tensor input, Tensor[] bins, float[]? range=None, Tensor? weight=None,
        bool density=False) -> (Tensor hist, Tensor bin_edges)|.TensorList_bins
    """,
    method=False,
)
def histogramdd(input: Tensor, bins: Any, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """The histogram of points with several coordinates.

    Shapes: input (n, d); hist has d dimensions, bin_edges is a tuple of d tensors.
    Dtypes: float.

    >>> points = torch.tensor([[0., 1.], [1., 0.], [1., 1.]])
    >>> torch.histogramdd(points, bins=[2, 2]).hist
    tensor([[0., 1.],
            [1., 1.]])
    """
    x = _points(input)
    if isinstance(bins, int):
        given: list[Any] = [bins] * x.shape[1]
    else:
        given = [b._array if isinstance(b, Tensor) else int(b) for b in bins]
    hist, edges = _many(x, given, range, None if weight is None else weight._array, density)
    made = F.from_numpy(hist), tuple(F.from_numpy(np.array(e)) for e in edges)
    return _RETURNS_DD(made)
