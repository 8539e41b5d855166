"""Order: sort, topk, kthvalue, median, mode, unique, searchsorted; stable where PyTorch is on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..creation import bind
from ..dims import wrap_dim
from ..opdef import OPS, Op, composite, op, publish
from ..promotion import is_number
from ..record import TENSORS
from ..return_types import named
from ..tensor import Tensor, wrap
from .extremes import not_empty
from .kinds import refuse

F = TENSORS
_PAIR = ("values", "indices")


def order(x: np.ndarray, d: int, descending: bool) -> np.ndarray:
    """The stable order of elements along a dimension; NaN counts as the largest."""
    if not descending:
        return np.argsort(x, axis=d, kind="stable")
    n = x.shape[d]
    return np.flip(n - 1 - np.argsort(np.flip(x, d), axis=d, kind="stable"), d)


def _back(F, grad, dim, indices, input_shape):  # type: ignore[no-untyped-def]
    return F.put_at(grad, dim, indices, input_shape, True)


_BACK = {"input": lambda F, grad, dim, indices, input_shape: F.put_at(grad, dim, indices, input_shape, True)}
_BACK_KEEP = {"input": lambda F, grad, dim, indices, input_shape, keepdim: F.put_at(grad, dim, indices, input_shape, keepdim)}


def _sort(input, dim=-1, descending=False, stable=False):  # type: ignore[no-untyped-def]
    if input.dtype.kind == "c":
        raise RuntimeError("Sort does not support complex dtypes on CPU")
    d = wrap_dim(dim, input.ndim)
    if not input.ndim:
        return input.copy(), np.zeros((), np.int64)
    places = order(input, d, descending)
    values = np.take_along_axis(input, places, d)
    return _laid_out(values, input), _laid_out(places.astype(np.int64, copy=False), input)


def _laid_out(r: np.ndarray, like: np.ndarray) -> np.ndarray:
    """A result in the memory order of the input."""
    if like.flags.c_contiguous:
        return np.ascontiguousarray(r)
    made = np.empty_like(np.positive(like) if like.dtype.kind != "b" else like, dtype=r.dtype)
    made[...] = r
    return made


OPS["sort"] = _SORT = Op("sort", _sort, outputs=_PAIR, differentiable=1, returns=named("sort", _PAIR), vjp=_BACK)
OPS["sort.stable"] = _STABLE = Op("sort", _sort, outputs=_PAIR, differentiable=1, returns=named("sort", _PAIR), vjp=_BACK,
                                  node="SortBackward1")  # fmt: skip


def sort(*args: Any, **options: Any) -> Any:
    """Sorted values along a dimension and their places.

    >>> import autogradlab as torch
    >>> torch.sort(torch.tensor([3., 1., 2.])).indices
    tensor([1, 2, 0])
    """
    _, given = bind("sort", args, options)
    out = {} if given.get("out") is None else {"out": given["out"]}
    entry = _STABLE if "stable" in given else _SORT
    return entry.call(given["input"], given["dim"], given["descending"], bool(given.get("stable")), **out)


publish("sort", sort, _sort, True, True, sort.__doc__ or "")


@composite()
def msort(input: Tensor, *, out: Any = None) -> Tensor:
    """Sorted along the first dimension."""
    r = sort(input, 0)[0]
    return r if out is None else F.mul(r, 1, out=out)  # type: ignore[no-any-return]


@op("argsort")
def argsort(input, dim=-1, descending=False, *, stable=False):  # type: ignore[no-untyped-def]
    """The places of the sorted values."""
    return _sort(input, dim, descending)[1]


@op("topk", outputs=_PAIR, differentiable=1, returns=named("topk", _PAIR), vjp=_BACK)
def topk(input, k, dim=-1, largest=True, sorted=True):  # type: ignore[no-untyped-def]
    """The k largest (or smallest) values along a dimension and their places."""
    d = wrap_dim(dim, input.ndim)
    if not 0 <= k <= (input.shape[d] if input.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if input.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    if input.dtype.kind == "c":
        raise RuntimeError("topk does not support complex dtypes on CPU")
    if not input.ndim:
        return input.copy(), np.zeros((), np.int64)
    places = np.ascontiguousarray(np.take(order(input, d, largest), np.arange(k), d))
    return np.take_along_axis(input, places, d), places


def _kth(x: np.ndarray, k: int, dim: Any, keepdim: bool) -> tuple[np.ndarray, np.ndarray]:
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    d = wrap_dim(dim, x.ndim)
    places = np.take(order(x, d, False), [k], d)
    values = np.take_along_axis(x, places, d)
    return (values, places) if keepdim else (values.squeeze(d), places.squeeze(d))


@op("kthvalue", outputs=_PAIR, differentiable=1, returns=named("kthvalue", _PAIR), vjp=_BACK_KEEP)
def kthvalue(input, k, dim=-1, keepdim=False):  # type: ignore[no-untyped-def]
    """The k-th smallest value along a dimension and its place."""
    d = wrap_dim(dim, input.ndim)
    if input.ndim and not input.shape[d]:
        raise IndexError(f"kthvalue(): Expected reduction dim {d} to have non-zero size.")
    if not 1 <= k <= (input.shape[d] if input.ndim else 1):
        raise RuntimeError("kthvalue(): selected number k out of range for dimension " + str(d))
    refuse(input, "kthvalue_cpu", "bc")
    return _kth(input, k - 1, dim, keepdim)


# -- medians ---------------------------------------------------------------------------------------------------------------


def _median_all(name: str, skip: bool) -> Op:
    def kernel(input):  # type: ignore[no-untyped-def]
        refuse(input, "median_cpu", "bc")
        x = np.sort(input, axis=None)
        nans = int(np.isnan(x).sum()) if x.dtype.kind in "fV" else 0
        if not x.size:
            return np.asarray(np.nan if x.dtype.kind in "fV" else np.iinfo(x.dtype).min, x.dtype)
        if nans and not (skip and nans < x.size):
            return np.asarray(np.nan, x.dtype)
        return x[(x.size - nans - 1) // 2]

    return Op(name, kernel, node=name.title() + "Backward0",
              vjp={"input": lambda F, grad, input, result: F.share_evenly(grad, input, result)})  # fmt: skip


def _median_along(name: str, skip: bool) -> Op:
    def kernel(input, dim, keepdim=False):  # type: ignore[no-untyped-def]
        not_empty("median", input, dim)
        refuse(input, "median_out", "bc")
        if not input.ndim:
            wrap_dim(dim, 0)
            return input.copy(), np.zeros((), np.int64)
        d = wrap_dim(dim, input.ndim)
        places = order(input, d, False)
        n = input.shape[d]
        nans = np.isnan(input).sum(d, keepdims=True) if input.dtype.kind in "fV" else np.zeros((), np.int64)
        if skip:
            k = np.where(nans == n, 0, (n - nans - 1) // 2)
        else:  # the first NaN, if there is one
            k = np.where(nans > 0, n - nans, (n - 1) // 2)
        shape = [1 if i == d else s for i, s in enumerate(input.shape)]
        place = np.take_along_axis(places, np.broadcast_to(k, shape), d)
        value = np.take_along_axis(input, place, d)
        return (value, place) if keepdim else (value.squeeze(d), place.squeeze(d))

    return Op(name, kernel, outputs=_PAIR, differentiable=1, returns=named(name, _PAIR), vjp=_BACK_KEEP,
              node=name.title() + "Backward1")  # fmt: skip


def _medians(name: str, skip: bool) -> None:
    whole, along = _median_all(name, skip), _median_along(name, skip)
    OPS[name], OPS[name + ".dim"] = whole, along

    def forward(*args: Any, **options: Any) -> Any:
        out = options.pop("out", None)
        form, given = bind(name, args, options)
        if form == 0:
            return whole.call(given["input"])
        return along.call(given["input"], given["dim"], given["keepdim"], **({} if out is None else {"out": out}))

    publish(name, forward, None, True, True, "The median (the lower one of two)" + (", NaN left out." if skip else "."))


_medians("median", False)
_medians("nanmedian", True)


@op("mode", outputs=_PAIR, differentiable=1, returns=named("mode", _PAIR), vjp=_BACK_KEEP)
def mode(input, dim=-1, keepdim=False):  # type: ignore[no-untyped-def]
    """The most frequent value along a dimension, the smallest of several, and its last place."""
    not_empty("mode", input, dim)
    refuse(input, "mode_cpu", "c")
    if not input.ndim:
        wrap_dim(dim, 0)
        return input.copy(), np.zeros((), np.int64)
    d = wrap_dim(dim, input.ndim)
    x = np.moveaxis(input, d, -1)
    places = np.empty(x.shape[:-1], np.int64)
    for i in np.ndindex(places.shape):
        values, inverse, counts = np.unique(x[i], return_inverse=True, return_counts=True, equal_nan=False)
        places[i] = np.flatnonzero(inverse.ravel() == np.argmax(counts))[-1]
    values = np.take_along_axis(x, places[..., None], -1)[..., 0]
    if keepdim:
        return np.expand_dims(values, d), np.expand_dims(places, d)
    return np.ascontiguousarray(values), places


# -- unique ----------------------------------------------------------------------------------------------------------------


def _no_gradient(name: str) -> Any:
    def formula(F, grads):  # type: ignore[no-untyped-def]
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return formula


def _unique_all(input, sorted, return_inverse, return_counts):  # type: ignore[no-untyped-def]
    values, inverse, counts = np.unique(input, return_inverse=True, return_counts=True, equal_nan=False)
    return values, inverse.reshape(input.shape).astype(np.int64), counts.astype(np.int64)


def _unique_lines(input, dim):  # type: ignore[no-untyped-def]
    d = wrap_dim(dim, input.ndim)
    values, inverse, counts = np.unique(np.moveaxis(input, d, 0), axis=0, return_inverse=True, return_counts=True)
    return np.moveaxis(np.ascontiguousarray(values), 0, d), inverse.reshape(-1).astype(np.int64), counts.astype(np.int64)


def _unique_runs(input, dim):  # type: ignore[no-untyped-def]
    lines = input.reshape(-1) if dim is None else np.moveaxis(input, wrap_dim(dim, input.ndim), 0)
    n = len(lines)
    flat = lines.reshape(n, -1)
    new = np.ones(n, bool)
    new[1:] = (flat[1:] != flat[:-1]).any(1)
    inverse = np.cumsum(new) - 1
    counts = np.diff(np.append(np.flatnonzero(new), n))
    values = lines[new]
    if dim is None:
        return values, inverse.reshape(input.shape).astype(np.int64), counts.astype(np.int64)
    back = np.moveaxis(np.ascontiguousarray(values), 0, wrap_dim(dim, input.ndim))
    return back, inverse.astype(np.int64), counts.astype(np.int64)


_TRIPLE = ("output", "inverse_indices", "counts")
_UNIQUE = Op("unique", _unique_all, outputs=_TRIPLE, differentiable=1, node="Unique2Backward0",
             vjp={"input": _no_gradient("_unique2")})  # fmt: skip
_UNIQUE_DIM = Op("unique_dim", _unique_lines, outputs=_TRIPLE, differentiable=1, vjp={"input": _no_gradient("unique_dim")})
_RUNS = Op("unique_consecutive", _unique_runs, outputs=_TRIPLE, differentiable=1,
           vjp={"input": _no_gradient("unique_consecutive")})  # fmt: skip
OPS.update({"unique": _UNIQUE, "unique.dim": _UNIQUE_DIM, "unique_consecutive": _RUNS})


def _asked(found: Any, inverse: bool, counts: bool) -> Any:
    chosen = (found[0], *((found[1],) if inverse else ()), *((found[2],) if counts else ()))
    return chosen if len(chosen) > 1 else chosen[0]


@composite()
def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
           dim: int | None = None) -> Any:  # fmt: skip
    """The different values, sorted; on request where each element went and how often each value comes.

    >>> import autogradlab as torch
    >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    if dim is not None:
        return _asked(_UNIQUE_DIM.call(input, dim), return_inverse, return_counts)
    return _asked(_UNIQUE.call(input, sorted, return_inverse, return_counts), return_inverse, return_counts)


@composite()
def unique_consecutive(input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    """Runs of equal values, each once."""
    return _asked(_RUNS.call(input, dim), return_inverse, return_counts)


# -- search ----------------------------------------------------------------------------------------------------------------


def _search(sorted_sequence: np.ndarray, values: np.ndarray, side: str) -> np.ndarray:
    if sorted_sequence.ndim <= 1:
        return np.searchsorted(sorted_sequence, values, side=side)  # type: ignore[call-overload, no-any-return]
    r = np.empty(values.shape, np.int64)
    for i in np.ndindex(values.shape[:-1]):
        r[i] = np.searchsorted(sorted_sequence[i], values[i], side=side)  # type: ignore[call-overload]
    return r


def _side(right: bool, side: str | None) -> str:
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if right and side == "left":
        raise RuntimeError("torch.searchsorted(): side and right can't be set to opposites, got side of left while right "
                           "was True")  # fmt: skip
    return "right" if right or side == "right" else "left"


@composite(method=False)
def searchsorted(sorted_sequence: Tensor, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
                 sorter: Tensor | None = None, out: Any = None) -> Tensor:  # fmt: skip
    """Where values would go in a sorted sequence (its last dimension)."""
    s = sorted_sequence._array
    if sorter is not None:
        s = np.take_along_axis(s, sorter._array, -1)
    values = input._array if isinstance(input, Tensor) else np.asarray(input)
    if isinstance(input, Tensor) and values.dtype != s.dtype and is_number(0):
        from ..dtypes import _scalar_name  # noqa: F401
        from .blend import _c_name

        raise RuntimeError("torch.searchsorted(): boundaries tensor should have same dtype as input value tensor, but got "
                           f"boundary tensor type {_caps(_c_name(s))} and input value tensor dtype {_caps(_c_name(values))}")  # fmt: skip
    if s.ndim > 1 and s.shape[:-1] != values.shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor "
            f"and input value tensor must match, but we got boundaries tensor {list(s.shape)} and input value tensor "
            f"{list(values.shape)}"
        )
    r = wrap(np.asarray(_search(s, values, _side(right, side))).astype(np.int32 if out_int32 else np.int64))
    return r if out is None else out.copy_(r)


def _caps(name: str) -> str:
    return name


@composite(method=False)
def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False, out: Any = None) -> Tensor:
    """The number of the bucket between sorted boundaries that each value falls into."""
    if boundaries.dim() != 1:
        raise RuntimeError("boundaries tensor must be 1 dimension, but got dim(" + str(boundaries.dim()) + ")")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right, out=out)
