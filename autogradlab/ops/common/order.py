"""Order statistics: the median, the most frequent element, quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.graph.node import NO_EDGE
from ...core.memory.layout import iterated
from ...core.memory.places import at_places, moved
from ...core.memory.rows import Rows, all_rows, plain_rows
from ...core.memory.versions import INFERENCE
from ...core.recording.record import TENSORS, says, writes
from ...core.runtime.modes import quiet
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor, wrap_result
from ...core.types import dtypes
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import tensor_type
from ..first.kinds import refuse
from ..first.selecting import SMALL, sort_order
from ..table.creation import bind, finished
from ..table.opdef import OPS, Op, op, publish
from ..table.outputs import Out, resize_out, same_dtype
from ..table.overloads import Overload
from .blend import lerped
from .sorting import keys_of, picked, ranked, selecting

F = TENSORS

# -- median, nanmedian -------------------------------------------------------------------------------------------------


def _nothing(numpy: np.dtype[Any]) -> Any:
    """The median of no elements: NaN, in an integer type whatever the conversion of NaN gives."""
    if numpy.kind in "fV":
        return np.array(np.nan).astype(numpy)
    return np.array(np.iinfo(numpy).min if numpy.itemsize >= 4 else 0).astype(numpy)


def _medians(declaration: str, doc: str = "") -> None:
    name = declare(declaration, doc)
    skips = name == "nanmedian"

    def whole(input: np.ndarray) -> np.ndarray:
        if input.size:
            refuse(input, "median_cpu", "bc")
        elif input.dtype.kind in "bc":
            return np.array(np.nan).astype(input.dtype)
        x = keys_of(input).reshape(-1)
        if x.dtype.kind == "f":
            known = x[~np.isnan(x)]
            if not x.size or (known.size < x.size and not skips) or not known.size:
                return _nothing(input.dtype)
            x = known
        elif not x.size:
            return _nothing(input.dtype)
        middle = (x.size - 1) // 2
        return np.asarray(np.partition(x, middle)[middle]).astype(input.dtype)

    def along(input: np.ndarray, dim: int, keepdim: bool = False) -> tuple[np.ndarray, np.ndarray]:
        d = wrap_dim(dim, input.ndim)
        if input.ndim and not input.shape[d]:
            raise IndexError(f"median(): Expected reduction dim {d} to have non-zero size.")
        if not input.ndim:
            if input.dtype.kind in "bc":
                refuse(input, "median_out", "bc")
            return input.copy(), np.zeros((), np.int64)
        refuse(input, "median_out", "bc")
        x = moved(keys_of(input), d, -1)
        if not x.size:
            return picked(input, x, np.zeros(x.shape[:-1], np.int64), d, keepdim)
        middle: Any = (x.shape[-1] - 1) // 2
        nan = np.isnan(x) if x.dtype.kind == "f" else None
        if nan is None or not nan.any():
            return picked(input, x, ranked(x, middle), d, keepdim)
        count = nan.sum(-1)
        if skips:
            middle = np.maximum((x.shape[-1] - 1 - count) // 2, 0)
            places = at_places(x.argsort(-1, kind="stable"), middle, x.ndim - 1)
        else:
            places = np.where(count > 0, nan.argmax(-1), ranked(x, middle))
        return picked(input, x, places, d, keepdim)

    along_dim = OPS[name + ".dim"] = Op(
        name,
        along,
        node=name.capitalize() + "Backward1",
        **selecting(name),
        check_out=same_dtype(
            "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type {1} does "
            "not equal {0} (while checking arguments for median)",
            "Expected tensor for argument #1 'indices' to have scalar type Long; but got {1} instead (while checking "
            "arguments for median)",
            name_of=tensor_type,
            last=True,
        ),
        inner_writes=1,
    )
    op(
        name,
        method=True,
        function=True,
        vjp={
            "input": writes(1)(
                says(("g shared equally among the elements that equal {result}", "平分给等于 {result} 的元素的 g"))(
                    lambda F, grad, input, result: F.share_evenly(grad, input, result)
                )
            )
        },
        counts=(1,),
        overloads=[Overload(along_dim, (2, 3), frozenset(("dim", "axis", "keepdim", "out")))],
        doc=doc,
    )(whole)


_medians(
    """
    median(Tensor input) -> Tensor|uint_median_cpu
    median(Tensor input, int dim, bool keepdim=False, *, Tensor[2] out=None) -> (Tensor values,
        Tensor indices)|.dim|.dim_values|uint_median_out
    """,
    doc="""
    The middle element (the smaller one of two); with dim, also where it stands.

    ~dim
    ~real-indices

    >>> torch.median(torch.tensor([3., 1., 2., 9.]))
    tensor(2.)
    >>> torch.median(torch.tensor([[3., 1., 2.]]), dim=1)
    torch.return_types.median(
    values=tensor([2.]),
    indices=tensor([2]))
    """,
)
_medians(
    """
    nanmedian(Tensor input) -> Tensor|uint_median_cpu
    nanmedian(Tensor input, int dim, bool keepdim=False, *, Tensor[2] out=None) -> (Tensor values,
        Tensor indices)|.dim|.dim_values|uint_median_out
    """,
    doc="""
    The median of the elements that are not nan.

    ~dim
    ~real-indices

    >>> torch.nanmedian(torch.tensor([3., float('nan'), 2.]))
    tensor(2.)
    """,
)

# -- mode --------------------------------------------------------------------------------------------------------------


@op(
    "mode(Tensor input, int dim=-1, bool keepdim=False, *, Tensor[2] out=None) -> (Tensor values, "
    "Tensor indices)|.default|.values|uint_mode_cpu",
    **selecting("mode"),
    out=Out(overlap="part", keeps="all"),
    check_out=same_dtype(
        "expected scalar type '{}' but got '{}' for values output",
        "expected scalar type '{}' but got '{}' for indices output",
    ),
    inner_writes=lambda x, dim, keepdim: 0 if x.ndim and keepdim else 2,
)
def mode(input: np.ndarray, dim: int = -1, keepdim: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """The most frequent value along dim and an index of it; of several equally frequent ones the smallest.

    Shapes: input's shape without dim, or with size 1 there if keepdim.
    Dtypes: real numbers and bool; indices are int64.

    >>> torch.mode(torch.tensor([[1, 2, 2], [3, 3, 1]]))
    torch.return_types.mode(
    values=tensor([2, 3]),
    indices=tensor([2, 1]))
    """
    d = wrap_dim(dim, input.ndim)
    if input.ndim and not input.shape[d]:
        raise IndexError(f"mode(): Expected reduction dim {d} to have non-zero size.")
    if not input.ndim:
        return input.copy(), np.zeros((), np.int64)
    refuse(input, "mode_cpu", "c")
    x = moved(keys_of(input), d, -1)
    ordered = np.argsort(x, axis=-1, kind="stable")
    values = at_places(x, ordered, x.ndim - 1)
    apart = values[..., 1:] != values[..., :-1]
    unsettled = np.zeros(x.shape[:-1], bool)  # lines whose order PyTorch's sort leaves another way
    if x.dtype.kind == "f":
        unsettled = np.isnan(x).any(-1)
    if x.shape[-1] > 16:  # of fewer it is stable, but where there is a NaN
        unsettled = unsettled | ~apart.all(-1) if x.size <= SMALL else np.zeros_like(unsettled)
    for i in map(tuple, np.argwhere(unsettled)):
        ordered[i] = sort_order(x[i])
        values[i] = x[i][ordered[i]]
        apart[i] = values[i][1:] != values[i][:-1]
    ends = np.ones(x.shape, bool)
    ends[..., :-1] = apart
    steps = np.arange(x.shape[-1])
    last = np.full(x.shape, -1)
    last[..., 1:] = np.maximum.accumulate(np.where(ends, steps, -1), axis=-1)[..., :-1]
    longest = np.argmax(np.where(ends, steps - last, 0), axis=-1) if x.size else np.zeros(x.shape[:-1], np.int64)
    places = moved(at_places(ordered, longest, x.ndim - 1)[..., None], -1, d)
    found = at_places(input, places, d)
    places = np.array(places, np.int64, order="C")
    return (found, places) if keepdim else (found.squeeze(d), places.squeeze(d))


# -- quantiles ---------------------------------------------------------------------------------------------------------

_WAYS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    _, given = bind(name, args, kwargs)
    input, q, dim, keepdim, way = (given[n] for n in ("input", "q", "dim", "keepdim", "interpolation"))
    out = given.get("out")
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
        q = F.tensor(float(q), dtype=input.dtype)
    if way not in _WAYS:
        raise RuntimeError(
            f"quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {way}"
        )
    if not input._array.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if q._array.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if q.dtype is not input.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    d = 0 if dim is None else wrap_dim(dim, input.dim())
    if out is not None and out.dtype is not input.dtype:
        raise RuntimeError("quantile() out tensor must be same dtype as the input tensor")
    if isinstance(given["q"], Tensor):
        p = all_rows(q._array)
        if not ((p >= 0) & (p <= 1)).all():
            raise RuntimeError("quantile() q values must be in the range [0, 1]")
    r: Tensor | None = None
    if way == "linear" and name == "quantile":
        r = _at_once(input, q, None if dim is None else d, keepdim)
    if r is None:
        r = _computed(input, q, None if dim is None else d, keepdim, way, name == "nanquantile")
    if out is None:
        return r
    if out._array.shape != r._array.shape:
        resize_out(out, r._array.shape)
    return out.copy_(r)


@instead(lambda call, args, kwargs: None)
def _at_once(input: Tensor, q: Tensor, d: int | None, keepdim: bool) -> Tensor | None:
    """What `_computed` gives of arrays, in as many steps of NumPy: where nothing is recorded, and no -0 is among the
    elements, since in which order zeros are sorted is told by their signs."""
    x, p = input._array, q._array
    for t in (input, q):
        if t._edge is not NO_EDGE or t._meta is not None or type(t) is not Tensor or type(t._array) is not np.ndarray:
            return None
    if np.count_nonzero(x) < x.size and np.signbit(x[x == 0]).any():
        return None
    r = wrap_result(quiet(_interpolated, x, p, d, keepdim))
    if r._counter is not INFERENCE:
        r._counter = [4 if p.ndim else 2]  # as often as the steps of `_computed` write
    return r


def _interpolated(x: np.ndarray, p: np.ndarray, d: int | None, keepdim: bool) -> np.ndarray:
    if d is None:
        lines, shape = x.reshape(-1), (1,) * x.ndim if keepdim else ()
    else:
        lines = moved(x, d, -1) if x.ndim else x.reshape(1)
        shape = lines.shape[:-1] if not keepdim or not x.ndim else (*x.shape[:d], 1, *x.shape[d + 1 :])
    lines = lines.copy()
    lines.sort()
    lines = lines.reshape(*shape, lines.shape[-1])
    last = np.array(lines.shape[-1] - 1, x.dtype)
    ranks = np.where(np.isnan(lines[..., -1:]), last, p * last)
    below = ranks.astype(np.int64)
    low, high = (at_places(lines, at, lines.ndim - 1) for at in (below, np.ceil(ranks).astype(np.int64)))
    weights = ranks - below.astype(x.dtype)
    found: np.ndarray = lerped(low, high, weights)
    if found.ndim > 1:
        found = iterated(found, low, high, weights)
    return found[None].swapaxes(0, -1)[..., 0] if p.ndim else found[..., 0]


def _computed(input: Tensor, q: Tensor, d: int | None, keepdim: bool, way: str, skips: bool) -> Tensor:
    n = input.dim()
    if d is None:
        lines = input.flatten()
        shape = [1] * n if keepdim else []
    else:
        shape = [1 if i == d else m for i, m in enumerate(input.shape) if keepdim or i != d]
        lines = input if d == n - 1 else input.unsqueeze(-1).transpose(d, -1)
    lines = F.sort(lines, -1)[0]
    single = q.dim() == 0
    size = lines.shape[-1] if lines.dim() else 1
    lines = lines.view([*shape, size])
    below, above, weights = _neighbours(q, np.isnan(lines._array), size, way, skips)
    r = lines.gather(-1, below)
    if above is not None:
        r.lerp_(lines.gather(-1, above), weights)
    if single:
        return r.squeeze_(-1)
    return r.unsqueeze_(0).transpose_(0, -1).squeeze_(-1)


def _asked_neighbours(q: Tensor, nan: Any, size: int, way: str, skips: bool) -> tuple[Any, Any, Any]:
    """The places in a sorted line between which a quantile lies, and how far it is from the first; or one place."""
    if skips:
        count = F.from_numpy(plain_rows((~nan).sum(-1, keepdims=True)) - 1)
        ranks = q * count
        ranks = ranks.masked_fill(ranks < 0, 0)
    else:
        ranks = (q * (size - 1)).masked_fill(F.from_numpy(plain_rows(nan.any(-1, keepdims=True))), size - 1)
    if way in ("lower", "higher", "nearest"):
        return {"lower": F.floor, "higher": F.ceil, "nearest": F.round}[way](ranks).long(), None, None
    below = ranks.long()
    weights = F.full_like(ranks, 0.5) if way == "midpoint" else ranks - below
    return below, ranks.ceil().long(), weights


@instead(lambda call, args, kwargs: _asked_neighbours(*args))
def _neighbours(q: Tensor, nan: Any, size: int, way: str, skips: bool) -> tuple[Any, Any, Any]:
    """The same on arrays, where there is one quantile for all rows of a vmap and no gradient goes to it."""
    p = q._array
    in_rows = isinstance(p, Rows) or isinstance(nan, Rows)
    if skips or in_rows or q._edge is not NO_EDGE or way not in ("linear", "lower", "higher"):
        return _asked_neighbours(q, nan, size, way, skips)
    d = p.dtype
    last = np.array(size - 1, d)
    ranks = np.where(nan.any(-1, keepdims=True), last, p * last)
    if way != "linear":
        return finished((np.floor if way == "lower" else np.ceil)(ranks).astype(np.int64)), None, None
    below = ranks.astype(np.int64)
    return finished(below), finished(np.ceil(ranks).astype(np.int64)), finished(ranks - below.astype(d))


def quantile(*args: Any, **kwargs: Any) -> Tensor:
    return _quantile("quantile", args, kwargs)


def nanquantile(*args: Any, **kwargs: Any) -> Tensor:
    return _quantile("nanquantile", args, kwargs)


publish(
    """
    quantile(Tensor input, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation="linear",
        Tensor out=None) -> Tensor|fp32|looped_alone
    quantile(Tensor input, float q, int? dim=None, bool keepdim=False, *, str interpolation="linear",
        Tensor out=None) -> Tensor|.scalar|looped_alone
    """,
    quantile,
    True,
    True,
    """
    The value below which the share q of the elements lies, interpolated between neighbours.

    Shapes: input's shape without dim, behind the size of q if that is a tensor.
    Dtypes: float32 and float64, q the same.

    >>> torch.quantile(torch.tensor([0., 1., 2., 4.]), torch.tensor([0.25, 0.5]))
    tensor([0.7500, 1.5000])
    """,
)
publish(
    """
    nanquantile(Tensor input, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation="linear",
        Tensor out=None) -> Tensor|fp32|looped_alone
    nanquantile(Tensor input, float q, int? dim=None, bool keepdim=False, *, str interpolation="linear",
        Tensor out=None) -> Tensor|.scalar|looped_alone
    """,
    nanquantile,
    True,
    True,
    """
    quantile of the elements that are not nan.

    Shapes: input's shape without dim, behind the size of q if that is a tensor.
    Dtypes: float32 and float64, q the same.

    >>> torch.nanquantile(torch.tensor([0., float('nan'), 2.]), 0.5)
    tensor(1.)
    """,
)
