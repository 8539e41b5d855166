"""Sorting along a dimension, the largest and smallest few, and searching in what is sorted.

NaN counts as greater than every number. Without `stable=True` PyTorch leaves equal elements in the order of a C++
introsort, which is not stable beyond 16 elements; small inputs follow it exactly, large ones are sorted stably.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.memory.layout import contiguous, like
from ...core.memory.places import at_places, moved, put_at_places
from ...core.memory.rows import plain_rows
from ...core.memory.together import along
from ...core.recording.record import TENSORS, writes
from ...core.runtime.modes import quiet
from ...core.runtime.warn import warn_once
from ...core.tensor.tensor import Tensor, wrap_result
from ...core.types import dtypes
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import scalar_name
from ...core.types.return_types import named
from ...core.values.promotion import number, plain_number, result_dtype
from ..first.kinds import refuse
from ..first.selecting import SMALL, kth_place, ranks, sort_order, top_order
from ..table.arguments import reject
from ..table.calls import ByOut
from ..table.creation import bind
from ..table.opdef import OPS, Op, composite, op
from ..table.outputs import EXPECTED, Out, same_dtype, write
from ..table.overloads import Arguments, Called, Overload
from . import extremes  # noqa: F401  its take_at and put_at carry gradients

F = TENSORS
_ANY, _TOTAL, _count = np.logical_or.reduce, np.add.reduce, np.count_nonzero


def _number(k: Any) -> int:
    """An integer argument; TypeError for what is none."""
    k = plain_number(k)
    if type(k) is not int:
        raise TypeError(f"must be int, not {type(k).__name__}")
    return k


@op(
    "place_at",
    "grad_output indices",
    node="ScatterBackward0",
    vjp={"grad_output": lambda F, grad, dim, indices: F.take_at(grad, dim, indices, True)},
)
def place_at(grad_output: Any, dim: int, indices: np.ndarray, input_shape: tuple[int, ...]) -> np.ndarray:
    """Zeros of a shape with values at indices along a dimension, each index at most once."""
    if not input_shape:
        return np.array(grad_output).reshape(())
    r = np.zeros(input_shape, grad_output.dtype)
    put_at_places(r, indices, grad_output, wrap_dim(dim, len(input_shape)))
    return r


TENSORS.place_at = lambda grad, dim, indices, input_shape: F.put_at(grad, dim, indices, input_shape, True)


def to_end(x: np.ndarray, d: int) -> np.ndarray:
    """A view with dimension `d` as the last."""
    return x if d == x.ndim - 1 else moved(x, d, -1)


def from_end(x: np.ndarray, d: int) -> np.ndarray:
    """The inverse of `to_end`."""
    return x if d == x.ndim - 1 else moved(x, -1, d)


def taken(x: np.ndarray, places: np.ndarray, d: int = -1) -> np.ndarray:
    """The elements of `x` at indices along a dimension."""
    return x[places] if x.ndim == 1 else at_places(x, places, d % x.ndim)


def keys_of(x: np.ndarray) -> np.ndarray:
    """The elements in a dtype that NumPy compares by itself, with NaN last."""
    return x.astype(np.float32) if x.dtype.kind == "V" else x


def order(x: np.ndarray, d: int, descending: bool) -> np.ndarray:
    """The stable order of the elements along a dimension."""
    x = keys_of(x)
    n = x.shape[d]
    if x.size > 2048 and n < 1 << 31:
        lines = np.ascontiguousarray(to_end(x, d))
        codes = _codes(lines)
        if codes is not None:
            # code and place in one number: NumPy's fastest sort, which is not stable, then is
            both = ((~codes if descending else codes) << 32) | np.arange(n)
            both.sort()
            return from_end(both & 0xFFFFFFFF, d)
        return moved(_settled(lines, np.argsort(lines, axis=-1), descending), -1, d)
    if not descending:
        return x.argsort(axis=d, kind="stable")
    back = (slice(None),) * d + (slice(None, None, -1),)
    return (n - 1 - x[back].argsort(axis=d, kind="stable"))[back]


def _codes(x: np.ndarray) -> np.ndarray | None:
    """Integers of 32 bits that lie in the same order, None if there are too few of them."""
    if x.dtype.kind == "f":
        if x.itemsize > 4:
            return None
        bits = np.where(np.isnan(x), np.float32(np.nan), x.astype(np.float32) + np.float32(0)).view(np.int32)
        return np.where(bits < 0, bits ^ np.int32(0x7FFFFFFF), bits).astype(np.int64)
    if x.itemsize == 8:
        low = int(x.min())
        return x - low if int(x.max()) - low < 1 << 31 else None
    return x.astype(np.int64)


def _settled(x: np.ndarray, places: np.ndarray, descending: bool) -> np.ndarray:
    """An ascending order of lines made stable: the places of equal elements are sorted, which are few as a rule."""
    values = taken(x, places, -1)
    same = np.zeros(values.shape, bool)
    same[..., 1:] = values[..., 1:] == values[..., :-1]
    if x.dtype.kind == "f":
        nan = np.isnan(values)
        same[..., 1:] |= nan[..., 1:] & nan[..., :-1]
    in_run = same.copy()
    in_run[..., :-1] |= same[..., 1:]
    members = np.flatnonzero(in_run)
    if members.size:
        run = np.cumsum(~same.reshape(-1)[members])
        flat = places.reshape(-1)
        found = flat[members]
        flat[members] = found[np.lexsort((-found if descending else found, run))]
        places = flat.reshape(places.shape)
    return places[..., ::-1] if descending else places


def _tied(values: np.ndarray) -> np.ndarray | None:
    """Which sorted lines have equal elements, or several NaN; None if no line has."""
    same = values[..., 1:] == values[..., :-1]
    if values.dtype.kind == "f":
        ends = values[..., :: max(values.shape[-1] - 1, 1)]  # NaN are at one of them
        if _count(ends != ends):
            same |= np.isnan(values[..., 1:]) & np.isnan(values[..., :-1])
    return _ANY(same, axis=-1) if _count(same) else None


def _lines(which: np.ndarray) -> Iterator[tuple[int, ...]]:
    """The indices of True."""
    return zip(*which.nonzero(), strict=True) if which.ndim else iter([()])


def _sorted(input: np.ndarray, dim: Any, descending: bool, stable: bool = False) -> tuple[np.ndarray, np.ndarray]:
    d = wrap_dim(dim, input.ndim)
    if input.dtype.kind == "c":
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    found = order(input, d, descending) if input.ndim and input.size else np.zeros(input.shape, np.int64)
    values = taken(input, found, d) if input.ndim and input.size else input.copy()
    if not stable and input.ndim and 16 < input.shape[d] and input.size <= SMALL and input.strides[d]:
        tied = _tied(to_end(keys_of(values), d))
        if tied is not None:
            found = np.array(found)
            lines = ranks(to_end(keys_of(input), d)[tied], descending)
            to_end(found, d)[tied] = [sort_order(line) for line in lines]  # as PyTorch's unstable sort leaves them
            values = taken(input, found, d)
    if input.ndim == 1 and input.flags.c_contiguous and found.flags.c_contiguous and input.size > 1:
        return values, found
    laid = like(input, input.dtype, zero=False), like(input, np.dtype(np.int64), zero=False)
    laid[0][...], laid[1][...] = values, found
    return laid


_PAIR = ("values", "indices")


def _of_places(name: str) -> dict[str, Any]:
    """What operations that give elements and their indices have in common."""
    return {
        "outputs": _PAIR,
        "differentiable": 1,
        "returns": named(name, _PAIR),
        "vjp": {
            "input": writes(2)(lambda F, grad, dim, indices, input_shape: F.place_at(grad, dim, indices, input_shape))
        },
        "check_out": same_dtype(indices=EXPECTED),
    }


def _stable_sort(
    input: np.ndarray, *, stable: bool | None, dim: int = -1, descending: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    return _sorted(input, dim, descending, bool(stable))


OPS["sort.stable"] = Op(
    "sort", _stable_sort, node="SortBackward1", **_of_places("sort"), inner_writes=1, together=along(2)
)


@op(
    """
    sort(Tensor input, *, bool? stable, int dim=-1, bool descending=False, Tensor[2] out=None) -> (Tensor values,
        Tensor indices)|.stable|.values_stable
    sort(Tensor input, int dim=-1, bool descending=False, *, Tensor[2] out=None) -> (Tensor values,
        Tensor indices)|.default|.values
    """,
    **_of_places("sort"),
    out=Out(overlap="part"),
    counts=(1, 2, 3),
    overloads=[Overload(OPS["sort.stable"], keywords=frozenset(("stable",)))],
    inner_writes=1,
    together=along(),
)
def sort(input: np.ndarray, dim: int = -1, descending: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Sorts along dim; gives the values and their indices in input. stable=True keeps equal elements in order.
    main: 2

    Shapes: both results have input's shape.
    Dtypes: any but complex; indices are int64. NaN counts as the largest.

    >>> torch.sort(torch.tensor([3., 1., 2.]))
    torch.return_types.sort(
    values=tensor([1., 2., 3.]),
    indices=tensor([1, 2, 0]))
    >>> torch.tensor([[2, 1], [3, 4]]).sort(dim=0, descending=True).values
    tensor([[3, 4],
            [2, 1]])
    """
    return _sorted(input, dim, descending)


def _stable_argsort(input: np.ndarray, *, stable: bool, dim: int = -1, descending: bool = False) -> np.ndarray:
    return _sorted(input, dim, descending, bool(stable))[1]


def _of_stable(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
    if "out" in kwargs and "stable" not in kwargs:
        OPS["argsort"].reject(args, kwargs)
    return (args, kwargs) if "stable" in kwargs else None


OPS["argsort.stable"] = Op("argsort", _stable_argsort, check_out=same_dtype(wanted=dtypes.int64), inner_writes=1)


@op(
    """
    argsort(Tensor input, *, bool stable, int dim=-1, bool descending=False, Tensor out=None) -> Tensor|.stable
    argsort(Tensor input, int dim=-1, bool descending=False) -> Tensor
    """,
    counts=(1, 2, 3),
    overloads=[Overload(OPS["argsort.stable"], takes=_of_stable)],
    inner_writes=1,
    together=along(),
)
def argsort(input: np.ndarray, dim: int = -1, descending: bool = False) -> np.ndarray:
    """The indices that would sort input along dim.
    main: 2

    Shapes: input's shape.
    Dtypes: any but complex; the result is int64.

    >>> x = torch.tensor([30, 10, 20])
    >>> x.argsort()
    tensor([1, 2, 0])
    >>> x[x.argsort(descending=True)]
    tensor([30, 20, 10])
    """
    return _sorted(input, dim, descending)[1]


@composite("msort(Tensor input, *, Tensor out=None) -> Tensor")
def msort(input: Tensor, *, out: Any = None) -> Tensor:
    """input sorted along its first dimension; the values alone.

    Shapes: input's shape.
    Dtypes: any but complex.

    >>> torch.msort(torch.tensor([[3, 1], [2, 4]]))
    tensor([[2, 1],
            [3, 4]])
    """
    if not isinstance(input, Tensor):
        reject("msort", (input,), {} if out is None else {"out": out})
    if out is None:
        return F.sort(input, 0)[0]
    return F.sort(input, 0, out=(out, F.empty(0, dtype=dtypes.int64)))[0]


# -- the largest few ---------------------------------------------------------------------------------------------------


@op(
    """
    topk(Tensor input, SymInt k, int dim=-1, bool largest=True, bool sorted=True, *,
        Tensor[2] out=None) -> (Tensor values, Tensor indices)|.default|.values|uint_topk_cpu
    """,
    **_of_places("topk"),
    reads="late",
    out=Out(overlap="part"),
    together=along(2),
)
def topk(
    input: np.ndarray, k: Any, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """The k largest elements along dim (with largest=False the smallest) and their indices.

    Shapes: input's shape with k at dim.
    Dtypes: any but bool and complex; indices are int64.
    Errors: RuntimeError if k is larger than the dimension.

    >>> torch.topk(torch.tensor([1., 5., 3., 4.]), 2)
    torch.return_types.topk(
    values=tensor([5., 4.]),
    indices=tensor([1, 3]))
    """
    k = k if type(k) is int else _number(k)
    d = wrap_dim(dim, input.ndim)
    n = input.shape[d] if input.ndim else 1
    if not 0 <= k <= n:
        raise RuntimeError("selected index k out of range")
    if input.dtype.kind == "c":
        raise RuntimeError(" topk does not support complex dtypes on CPU")
    if input.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    if not input.ndim:
        return input.copy(), np.zeros((), np.int64)
    x = keys_of(input) if input.ndim == 1 else to_end(keys_of(input), d)
    values = None
    if not x.size or not k:
        places = np.zeros((*x.shape[:-1], k), np.int64)
    else:
        places, values = _top(x, k, largest, sorted)
        if input.ndim == 1:
            return input[places], np.array(places, np.int64) if places.base is not None else places
        if values is not None and values.base is None and d == x.ndim - 1 and x.dtype is input.dtype:
            return values, places
    places = contiguous(np.array(from_end(places, d), np.int64, order="C"))
    if values is None or x.dtype is not input.dtype:
        return taken(input, places, d), places
    return contiguous(np.array(from_end(values, d), order="C")), places


#: so few elements are found faster one after the other
_FEW = 8
#: lines of so few are sorted sooner than divided
_SHORT = 64


def _in_turn(x: np.ndarray, k: int, largest: bool) -> np.ndarray | None:
    """The places of the k largest or smallest of some floats, found one after the other; None where equal ones compete
    for a place, or where there is a NaN."""
    rest = x.copy()
    find, value, item = rest.argmax if largest else rest.argmin, -math.inf if largest else math.inf, rest.item
    before, places = value, []
    for _ in range(k + 1):  # one more than wanted: whether the last one has a rival
        place = find()
        found = item(place)
        if found in (before, value) or found != found:
            return None
        places.append(place)
        before = found
        rest[place] = value
    return np.array(places[:k], np.int64)


#: lines of so few elements altogether are sorted by Python sooner than by NumPy
_LISTED = 64


def _in_lists(x: np.ndarray, k: int, largest: bool) -> tuple[np.ndarray, np.ndarray] | None:
    """The same of lines of a few numbers, and these; None where equal ones compete for a place of a line, or where one
    may have a NaN."""
    n = x.shape[-1]
    places, values = [], []
    for line in x.reshape(-1, n).tolist():
        total = sum(line)
        by = sorted(range(n), key=line.__getitem__, reverse=largest)[: k + 1]  # one more than wanted, as above
        found = [line[i] for i in by]
        if total != total or len({*found}) < len(found):
            return None
        places.append(by[:k])
        values.append(found[:k])
    shape = (*x.shape[:-1], k)
    both = np.array(places, np.int64), np.array(values, x.dtype)
    return both if x.ndim == 2 else (both[0].reshape(shape), both[1].reshape(shape))


def _top(x: np.ndarray, k: int, largest: bool, in_order: bool) -> tuple[np.ndarray, np.ndarray | None]:
    """The places of the k largest or smallest elements of each line, and these, None where they are yet to be taken. In
    inputs that are not large, equal ones that compete for a place are picked and ordered as by PyTorch's kernel."""
    n, large = x.shape[-1], x.size > SMALL
    if x.ndim == 1 and k <= _FEW and k < n and in_order and not large and x.dtype.kind == "f":
        few = _in_turn(x, k, largest)
        if few is not None:
            return few, None
    if x.size <= _LISTED and in_order and x.ndim > 1 and (listed := _in_lists(x, k, largest)) is not None:
        return listed
    if k < n and (large or n > _SHORT):  # one more than wanted: whether the last one has a rival
        found = x.argpartition(n - k - 1 if largest else k)
        found = found[..., n - k - 1 :] if largest else found[..., : k + 1]
        if large:
            found = np.sort(found)
        chosen = taken(x, found, -1)
        by = order(chosen, chosen.ndim - 1, largest)
        places = taken(found, by, -1)
    else:
        places = order(x, x.ndim - 1, largest)[..., : k + 1]
    if large:
        return places[..., :k], None
    values = taken(x, places, -1) if in_order else None
    tied = _tied(values) if values is not None else np.ones(x.shape[:-1], bool)
    if tied is None:
        return places[..., :k], None if values is None else values[..., :k]
    places = np.array(places[..., :k])
    places[tied] = [top_order(line, k, in_order) for line in ranks(x[tied], largest)]
    return places, None


def selecting(name: str) -> dict[str, Any]:
    """What operations that pick one element of each line have in common."""
    return {
        "outputs": _PAIR,
        "differentiable": 1,
        "returns": named(name, _PAIR),
        "real": True,
        "vjp": {
            "input": writes(2)(
                lambda F, grad, dim, indices, input_shape, keepdim: F.put_at(grad, dim, indices, input_shape, keepdim)
            ),
        },
    }


@op(
    """
    kthvalue(Tensor input, SymInt k, int dim=-1, bool keepdim=False, *, Tensor[2] out=None) -> (Tensor values,
        Tensor indices)|.default|.values|uint_kthvalue_cpu
    """,
    **selecting("kthvalue"),
    out=Out(overlap="whole", keeps="lacking"),
    check_out=same_dtype("output values must be of same type as input", "output indices must be of scalar type Long"),
    inner_writes=ByOut("kthvalue"),
    together=along(2),
)
def kthvalue(input: np.ndarray, k: int, dim: int = -1, keepdim: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """The k-th smallest element along dim, counted from 1, and its index.

    Shapes: input's shape without dim, or with size 1 there if keepdim.
    Dtypes: real numbers; indices are int64.

    >>> torch.kthvalue(torch.tensor([7., 1., 5.]), 2)
    torch.return_types.kthvalue(
    values=tensor(5.),
    indices=tensor(2))
    """
    k = _number(k)
    d = wrap_dim(dim, input.ndim)
    n = input.shape[d] if input.ndim else 1
    if not n:
        raise IndexError(f"kthvalue(): Expected reduction dim {d} to have non-zero size.")
    if not 1 <= k <= n:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {d}")
    if not input.ndim:
        refuse(input, "kthvalue_cpu", "")
        return input.copy(), np.zeros((), np.int64)
    refuse(input, "kthvalue_cpu", "bc")
    x = to_end(keys_of(input), d)
    places = ranked(x, k - 1) if x.size else np.zeros(x.shape[:-1], np.int64)
    return picked(input, x, places, d, keepdim, lambda line: kth_place(ranks(line), k - 1))


def ranked(x: np.ndarray, k: int) -> np.ndarray:
    """The place of the element of each line that a stable sort brings to number `k`."""
    if x.shape[-1] <= _SHORT:
        return np.argsort(x, axis=-1, kind="stable")[..., k]
    value = np.partition(x, k, -1)[..., k, None]
    alike, less = x == value, x < value
    if x.dtype.kind == "f" and (nan := value != value).any():  # NaN come last
        alike |= nan & (x != x)
        less |= nan & (x == x)
    before = k - _count(less, axis=-1)
    if before.any():
        alike &= alike.cumsum(-1) > before[..., None]
    return alike.argmax(-1)


def picked(input: np.ndarray, x: np.ndarray, places: np.ndarray, d: int, keepdim: bool, exact: Any = None) -> Any:
    """Values and indices of one element of each line, after `exact` has settled ties. `x`: the lines, last."""
    places = np.array(places, np.int64, order="C")
    if exact is not None and x.size <= SMALL:
        found = taken(x, places[..., None], -1)
        for i in _lines((_TOTAL(x == found, -1) > 1) | (found != found)[..., 0]):
            places[i] = exact(x[i])
    places = places.reshape(*places.shape[:d], 1, *places.shape[d:])
    values = taken(input, places, d)
    return (values, places) if keepdim else (values.squeeze(d), places.squeeze(d))


# -- searching ---------------------------------------------------------------------------------------------------------

_WHO = "torch.searchsorted(): "


def _search(edges: np.ndarray, values: np.ndarray, right: bool, sorter: np.ndarray | None) -> np.ndarray:
    """The indices before which values would be inserted, line by line; NaN is larger than every number."""
    edges, values = keys_of(edges), keys_of(values)
    flat = edges.ndim == 1
    if sorter is not None:
        edges = taken(edges, sorter, -1)
    n = edges.shape[-1]
    floats = edges.dtype.kind == "f"
    if flat and not (floats and (np.isnan(values).any() or n and np.isnan(edges[-1]))):
        return np.searchsorted(edges, values, "right" if right else "left")
    low, high = np.zeros(values.shape, np.int64), np.full(values.shape, n)
    while (low < high).any():
        mid = (low + high) // 2
        safe = np.minimum(mid, n - 1)
        found = edges[safe] if flat else taken(edges, safe, -1)
        up = ~(found > values if right else found >= values) & (low < high)
        low, high = np.where(up, mid + 1, low), np.where(up, high, np.minimum(mid, high))
    return low


def _searched(edges: Tensor, input: Any, given: dict[str, Any], right: bool, sorter: Tensor | None) -> Tensor:
    out, small = given.get("out"), given["out_int32"]
    side = given.get("side")
    if side is not None and side not in ("left", "right"):
        raise RuntimeError(f"{_WHO}side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError(f"{_WHO}side and right can't be set to opposites, got side of left while right was True")
    a = edges._array
    if sorter is not None:
        s = sorter._array
        if s.shape != a.shape:
            raise RuntimeError(
                f"{_WHO}boundary and sorter must have the same size, but got boundary tensor {list(a.shape)}and got "
                f"sorter tensor {list(s.shape)}"
            )
        if s.dtype != np.int64:
            raise RuntimeError(f"{_WHO}sorter must be a tensor of long dtype but got dtype {scalar_name(s)}")
        if s.size and (s.min() < 0 or s.max() >= a.shape[-1]):
            raise RuntimeError(f"{_WHO}sorter index out of range")
    wanted = result_dtype((edges, input)).numpy
    v = input._array if isinstance(input, Tensor) else number(input, wanted)
    if not v.ndim and a.ndim != 1:
        raise RuntimeError(
            f"{_WHO}input value can be a scalar only when boundaries tensor dimension is 1, but we got "
            f"boundaries tensor dim({a.ndim}) and input value's dim(0) numel(1)"
        )
    if not a.ndim:
        raise RuntimeError(f"{_WHO}boundaries tensor should have positive dimension, but got 0 dimension")
    if a.ndim != 1 and a.shape[:-1] != v.shape[:-1]:
        raise RuntimeError(
            f"{_WHO}boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and "
            f"input value tensor must match, but we got boundaries tensor {list(a.shape)} and input value tensor "
            f"{list(v.shape)}"
        )
    kind = dtypes.int32 if small else dtypes.int64
    if out is not None and out.dtype is not kind:
        raise RuntimeError(
            f"{_WHO}output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether "
            f"out_int32 flag is True, but we got output tensor's dtype {scalar_name(out._array)} and out_int32 flag is "
            f"{small}"
        )
    if v.size and wanted.kind in "bc":
        raise dtypes.unsupported("searchsorted_out_cpu", wanted)
    for what, x in (("input value", v), ("boundary", a)):
        if not x.flags.c_contiguous:
            warn_once(
                f"torch.searchsorted(): {what} tensor is non-contiguous, this will lower the performance due to extra "
                f"data copy when converting non-contiguous tensor to contiguous, please use contiguous {what} tensor "
                "if possible. This message will only appear once per program.",
                at=f"aten/src/ATen/native/BucketizationUtils.h:{32 if what != 'boundary' else 38}",
            )
    a, v = [x if x.dtype is wanted and type(x) is np.ndarray else x.astype(wanted) for x in (a, v)]
    places = quiet(_search, a, v, right or side == "right", None if sorter is None else sorter._array)
    r = plain_rows(places).astype(kind.numpy, copy=False)
    if out is None:
        return wrap_result(contiguous(r).reshape(v.shape))
    return write(_SEARCH, out, r, ())


_SEARCH = Op("searchsorted", lambda input: input)


@composite(
    """
    searchsorted(Tensor sorted_sequence, Tensor input, *, bool out_int32=False, bool right=False, str? side=None,
        Tensor? sorter=None, Tensor out=None) -> Tensor|.Tensor|uint_searchsorted_out_cpu
    searchsorted(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None,
        Tensor? sorter=None, Tensor out=None) -> Tensor|.Scalar|uint_searchsorted_out_cpu|looped
    """,
    method=False,
)
def searchsorted(*args: Any, **kwargs: Any) -> Tensor:
    """The indices at which values would have to be inserted to keep a sorted sequence sorted; right=True inserts after
    equal elements.

    Shapes: sorted_sequence is one-dimensional, or has input's leading dimensions. The result has input's shape.
    Dtypes: real numbers, both the same; the result is int64, or int32 with out_int32.

    >>> edges = torch.tensor([1., 3., 5.])
    >>> torch.searchsorted(edges, torch.tensor([0., 3., 4.]))
    tensor([0, 1, 2])
    >>> torch.searchsorted(edges, torch.tensor([0., 3., 4.]), right=True)
    tensor([0, 2, 2])
    """
    form, given = bind("searchsorted", args, kwargs)
    return _searched(
        given["sorted_sequence"], given["input" if form == 0 else "self"], given, given["right"], given["sorter"]
    )


@composite(
    """
    bucketize(Tensor input, Tensor boundaries, *, bool out_int32=False, bool right=False,
        Tensor out=None) -> Tensor|.Tensor|uint_searchsorted_out_cpu
    bucketize(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor|.Scalar
    """,
    method=False,
)
def bucketize(*args: Any, **kwargs: Any) -> Tensor:
    """The index of the bucket between sorted boundaries that each element belongs to: searchsorted with its arguments
    exchanged.

    Shapes: boundaries is one-dimensional; the result has input's shape.
    Dtypes: real numbers; the result is int64, or int32 with out_int32.

    >>> torch.bucketize(torch.tensor([0.5, 2., 9.]), torch.tensor([1., 2., 3.]))
    tensor([0, 1, 3])
    """
    form, given = bind("bucketize", args, kwargs)
    edges = given["boundaries"]
    if edges.dim() != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({edges.dim()})")
    return _searched(edges, given["input" if form == 0 else "self"], given, given["right"], None)
