"""Reading and writing along a dimension at an index tensor of the same rank: gather, scatter and its relatives."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.memory.overlap import check_written
from ...core.memory.places import add_at, inside
from ...core.memory.rows import all_rows, levels_of
from ...core.memory.together import along
from ...core.recording.record import NOT_IMPLEMENTED, RAW, no_derivative, says, writes
from ...core.runtime.warn import warn_once
from ...core.tensor.tensor import Tensor
from ...core.types.dims import wrap_dim
from ...core.values.building import number_in
from ..first.kinds import BOOL, COMPLEX, refuse
from ..table.opdef import OPS, Op, composite, copying, op, publish
from ..table.outputs import Out, same_dtype
from ..table.overloads import Overload
from .take import at, fitting_source, in_wide

# -- where an index tensor points --------------------------------------------------------------------------------------


@functools.lru_cache(256)
def _axis(size: int, k: int, n: int) -> np.ndarray:
    """0, 1, … along dimension `k` of `n`."""
    return np.arange(size).reshape((1,) * k + (size,) + (1,) * (n - k - 1))


def places(index: np.ndarray, d: int) -> tuple[Any, ...]:
    """The elements that an index tensor names along dimension `d`: its own position in every other dimension."""
    n = index.ndim
    found: list[Any] = []
    for k, size in enumerate(index.shape):
        found.append(index if k == d else _axis(size, k, n) if size <= 1024 else _axis.__wrapped__(size, k, n))
    return tuple(found)


def _integers(name: str, index: np.ndarray) -> None:
    if index.size and (index.dtype.kind != "i" or index.dtype.itemsize < 4):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


def _in_range(index: np.ndarray, shape: tuple[int, ...], d: int) -> None:
    n = shape[d]
    if index.size and not inside(index, n):
        front = len(levels_of((shape, index.shape)))
        bad = next(i for i in all_rows(index).reshape(-1).tolist() if not 0 <= i < n)
        raise RuntimeError(f"index {bad} is out of bounds for dimension {front + d} with size {n}")


def _rank(x: np.ndarray) -> int:
    return x.ndim or 1


def _with_axis(x: np.ndarray) -> np.ndarray:
    """The array, with one dimension if it has none."""
    return x if x.ndim else x.reshape(1)


# -- gather ------------------------------------------------------------------------------------------------------------


def _gather(input: Any, dim: int, index: np.ndarray, *, sparse_grad: bool = False) -> np.ndarray:
    d = wrap_dim(dim, input.ndim)
    _integers("gather", index)
    if not index.size:
        return np.empty(index.shape, input.dtype)
    if input.ndim != index.ndim and _rank(input) != _rank(index):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    x, i = _with_axis(input), _with_axis(index)
    sizes = x.shape
    for k, n in enumerate(i.shape):
        if n > sizes[k] and k != d:
            raise RuntimeError(
                f"Size does not match at dimension {k} expected index {list(index.shape)} to be no larger than "
                f"self {list(input.shape)} apart from dimension {d}"
            )
    _in_range(i, sizes, d)
    r = x[places(i, d)]
    return r if r.flags.c_contiguous and r.ndim == index.ndim else np.ascontiguousarray(r).reshape(index.shape)


_SAME_DTYPE = same_dtype()


def _check_gathered(input: Tensor, outs: Sequence[Tensor]) -> None:
    """What is asked of gather's out= tensor: the input's dtype, and none of its memory."""
    _SAME_DTYPE(input, outs)
    check_written(outs[0], (input,), True)


# like PyTorch, gather saves its input, though only the shape is needed: to change it in place is then an error
op(
    """
    gather(Tensor input, int dim, Tensor index, *, bool sparse_grad=False,
        Tensor out=None) -> Tensor|uint_scatter_gather_tensor_cpu
    """,
    shown={"input": "self"},
    vjp={
        "input": writes(1)(
            says(("g added at {index}", "在 {index} 处累加的 g"))(
                lambda F, grad, dim, index, input, sparse_grad: F.scatter_add(
                    F.new_zeros_of(grad, tuple(input.shape)), dim, index, grad
                )
            )
        ),
    },
    doc="""
    The elements along dim at the indices in index: for dim=0, out[i][j] = input[index[i][j]][j].

    Shapes: index has as many dimensions as input and is nowhere larger, except along dim. The result has index's
    shape.
    ~indices
    Errors: RuntimeError if an index is out of range (negative ones are), or index has another number of dimensions.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> torch.gather(x, 1, torch.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])
    >>> scores = torch.tensor([[0.1, 0.9], [0.7, 0.3]])
    >>> scores.gather(1, torch.tensor([[1], [0]])).squeeze(1)
    tensor([0.9000, 0.7000])
    """,
    out=Out(overlap="part"),  # of the index: it may be written to
    check_out=_check_gathered,
    reads="late",
    together=along(),
)(_gather)

# -- scatter -----------------------------------------------------------------------------------------------------------


def _check(input: np.ndarray, dim: int, index: np.ndarray, src: Any = None, *_: Any, **__: Any) -> None:
    """PyTorch's checks of all but the indices themselves, which come before it asks whether memory overlaps."""
    d = wrap_dim(dim, input.ndim)
    _integers("scatter", index)
    given = isinstance(src, np.ndarray)
    if given and src.dtype != input.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.size:
        return
    if _rank(input) != _rank(index):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    x, i = input.shape or (1,), index.shape or (1,)
    large = False
    for k, n in enumerate(i):
        if n > x[k] and k != d:
            large = True
    if given:
        large = large or (i != src.shape and _exceeds(i, src.shape))
        if _rank(src) != _rank(index):
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if large:
        tail = f" and to be no larger size than src {list(src.shape)}" if given else ""
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from "
            f"dimension {d}{tail}"
        )


def _exceeds(index: tuple[int, ...], src: tuple[int, ...]) -> bool:
    """Whether an index is larger than src somewhere, asked dimension by dimension."""
    return any(n > (src[wrap_dim(k, len(src))] if src else 1) for k, n in enumerate(index))


def _aligned(input: np.ndarray, dim: int, index: np.ndarray, src: Any = None) -> tuple[Any, tuple[Any, ...], Any]:
    """What `_check` has let through, with at least one dimension: the array, the places in it that the index names,
    which have to be there, and src, cut to the size of the index."""
    d = wrap_dim(dim, input.ndim)
    x, i = _with_axis(input), _with_axis(index)
    _in_range(i, x.shape, d)
    if not isinstance(src, np.ndarray):
        return x, places(i, d), src
    if not i.size:
        return x, places(i, d), src.reshape(-1)[:0].reshape(i.shape)
    s = _with_axis(src)
    return x, places(i, d), s if s.shape == i.shape else s[tuple([slice(n) for n in i.shape])]


def _scatter_src(input: np.ndarray, dim: int, index: np.ndarray, src: np.ndarray) -> None:
    x, spots, s = _aligned(input, dim, index, src)
    if index.size:
        x[spots] = s


def _scatter_value(input: np.ndarray, dim: int, index: np.ndarray, value: Any) -> None:
    x, spots, _ = _aligned(input, dim, index)
    if index.size:
        x[spots] = number_in(value, input.dtype)


_REDUCTIONS = {"add": np.add, "multiply": np.multiply}


def _scatter_by(input: np.ndarray, dim: int, index: np.ndarray, src: Any, *, reduce: str) -> None:
    if reduce not in _REDUCTIONS:
        raise RuntimeError("reduce argument must be either add or multiply.")
    x, spots, s = _aligned(input, dim, index, src)
    if index.size:
        if not isinstance(s, np.ndarray):
            s = np.full(index.shape or (1,), number_in(s, x.dtype))
        in_wide(lambda wide, values: _REDUCTIONS[reduce].at(wide, spots, values), x, s)


def _scatter_value_by(input: Any, dim: Any, index: Any, value: Any, *, reduce: Any) -> None:
    _scatter_by(input, dim, index, value, reduce=reduce)


def _check_deprecated(*args: Any, **kwargs: Any) -> None:
    warn_once(_DEPRECATED, at="aten/src/ATen/native/TensorAdvancedIndexing.cpp:225")
    _check(*args, **kwargs)


_DEPRECATED = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch "
    "release. Use torch.scatter_reduce instead for more reduction options."
)
_NO_FORMULA = no_derivative("scatter")
_TO_INPUT = {
    "input": says(("g, 0 at {index}", "g，{index} 处为 0"))(lambda F, grad, dim, index: F.scatter(grad, dim, index, 0))
}


def _overload(overload: str, write: Any, tensors: str, node: str, vjp: dict[str, Any], looks: Any = _check) -> None:
    OPS["scatter." + overload] = Op(
        "scatter",
        copying(write, looks=looks),
        tensors,
        writes=write,
        node=node,
        vjp=vjp,
        overlap="whole",
        overload=overload,
        looks=looks,
        check_out=same_dtype(),
    )


_overload("value", _scatter_value, "input index", "ScatterBackward1", _TO_INPUT)
_overload(
    "reduce",
    _scatter_by,
    "input index src",
    NOT_IMPLEMENTED,
    {"input": _NO_FORMULA, "src": _NO_FORMULA},
    _check_deprecated,
)
_overload("value_reduce", _scatter_value_by, "input index", NOT_IMPLEMENTED, {"input": _NO_FORMULA})
op(
    """
    scatter(Tensor input, int dim, Tensor index, Tensor src, *,
        Tensor out=None) -> Tensor|.src|uint_scatter_gather_tensor_cpu
    scatter(Tensor input, int dim, Tensor index, Tensor src, *, str reduce,
        Tensor out=None) -> Tensor|.reduce|uint_scatter_gather_tensor_cpu
    scatter(Tensor input, int dim, Tensor index, Scalar value, *,
        Tensor out=None) -> Tensor|.value|uint_scatter_gather_scalar_cpu
    scatter(Tensor input, int dim, Tensor index, Scalar value, *, str reduce,
        Tensor out=None) -> Tensor|.value_reduce|uint_scatter_gather_scalar_cpu
    """,
    "input index src",
    writes=_scatter_src,
    together=along(),
    inplace=True,
    inplace_function=False,
    overload="src",
    vjp={**_TO_INPUT, "src": lambda F, grad, dim, index: F.gather(grad, dim, index)},
    overlap="whole",
    check_out=same_dtype(),
    looks=_check,
    overloads=[
        Overload(OPS["scatter.value_reduce"], keywords=frozenset(("reduce",)), number="value"),
        Overload(OPS["scatter.reduce"], keywords=frozenset(("reduce",))),
        Overload(OPS["scatter.value"], keywords=frozenset(("value",))),
        Overload(OPS["scatter.value"], number="value"),
    ],
    out=Out(overlap="others"),
    doc="""
    A copy of input in which the elements of src (or one value) are written along dim where index says: for dim=0,
    out[index[i][j]][j] = src[i][j]. The opposite of gather.

    Shapes: index has as many dimensions as input and src, and is nowhere larger than src, nor than input except
    along dim.
    ~indices
    ~random-last
    Errors: RuntimeError for indices out of range; reduce is 'add' or 'multiply'.

    >>> torch.zeros(2, 3).scatter(1, torch.tensor([[0, 2]]), torch.tensor([[5., 7.]]))
    tensor([[5., 0., 7.],
            [0., 0., 0.]])
    >>> labels = torch.tensor([2, 0])
    >>> torch.zeros(2, 3).scatter(1, labels[:, None], 1.)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])

    In place:
    >>> x = torch.zeros(2, 3)
    >>> x.scatter_(1, torch.tensor([[1], [2]]), 1.)
    tensor([[0., 1., 0.],
            [0., 0., 1.]])
    """,
)(copying(_scatter_src, looks=_check))


def _raw_scatter(x: Any, dim: int, index: Any, value: Any) -> Any:
    r = np.array(x, order="C")
    (_scatter_src if isinstance(value, np.ndarray) else _scatter_value)(r, dim, index, value)
    return r


RAW.scatter = _raw_scatter


def _raw_pad_to(x: Any, shape: tuple[int, ...]) -> Any:
    if x.shape == tuple(shape):
        return x
    if not shape:
        return x.reshape(shape)
    r = np.zeros(shape, x.dtype)
    r[tuple(slice(n) for n in x.shape)] = x
    return r


@op(
    "pad_to",
    node="ConstantPadNdBackward0",
    vjp={
        "input": lambda F, grad, input_shape: F.cut_to(grad, input_shape),
    },
)
def pad_to(input: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Zeros of a shape with the input in the first corner."""
    return np.array(_raw_pad_to(input, shape))


@op(
    "cut_to",
    node="SliceBackward0",
    vjp={
        "input": lambda F, grad, input_shape: F.pad_to(grad, input_shape),
    },
)
def cut_to(input: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The first corner of a shape."""
    return np.array(input[tuple(slice(n) for n in shape)] if input.ndim else input.reshape(shape))


# -- scatter_add and scatter_reduce ------------------------------------------------------------------------------------


def _scatter_add(input: np.ndarray, dim: int, index: np.ndarray, src: Any) -> None:
    x, spots, s = _aligned(input, dim, index, src)
    if index.size:
        in_wide(lambda wide, values: add_at(wide, spots, values), x, s)


op(
    """
    scatter_add(Tensor input, int dim, Tensor index, Tensor src, *,
        Tensor out=None) -> Tensor|uint_scatter_gather_tensor_cpu
    """,
    "input index src",
    writes=_scatter_add,
    together=along(),
    inplace=True,
    inplace_function=False,
    vjp={
        "input": lambda F, grad: F.view_grad(grad),
        "src": lambda F, grad, dim, index: F.gather(grad, dim, index),
    },
    overlap="whole",
    check_out=same_dtype(),
    looks=_check,
    in_rows="own",
    doc="""
    A copy of input to which the elements of src are added along dim where index says: for dim=0,
    out[index[i][j]][j] += src[i][j].

    Shapes: as for scatter.
    ~indices
    ~repeats

    >>> torch.zeros(3).scatter_add(0, torch.tensor([0, 1, 0]), torch.tensor([1., 2., 3.]))
    tensor([4., 2., 0.])

    In place:
    >>> sums = torch.zeros(2)
    >>> sums.scatter_add_(0, torch.tensor([0, 1, 0]), torch.tensor([1., 2., 3.]))
    tensor([4., 2.])
    """,
    out=Out(overlap="others"),
)(copying(_scatter_add, looks=_check))


def combine(x: np.ndarray, spots: tuple[Any, ...], s: np.ndarray, reduce: str, include_self: bool) -> None:
    """Reduce the values `s` into the spots of `x` that they name."""
    _combine(x, spots, s, reduce, include_self)
    if reduce == "mean":
        _divide(x, spots, include_self)


def _divide(x: np.ndarray, spots: tuple[Any, ...], include_self: bool) -> None:
    """Divide sums by how many numbers they consist of."""
    count = np.full(x.shape, 1 if include_self else 0, np.int64)
    np.add.at(count, spots, 1)
    count = np.maximum(count, 1)
    x[...] = x // count if x.dtype.kind in "iu" else x / count.astype(x.real.dtype)


def _combine(x: np.ndarray, spots: tuple[Any, ...], s: np.ndarray, reduce: str, include_self: bool) -> None:
    s = np.broadcast_to(s, x[spots].shape)
    ufunc: Any = {"sum": np.add, "prod": np.multiply, "mean": np.add, "amax": np.maximum, "amin": np.minimum}[reduce]
    if not include_self:
        if reduce in ("amax", "amin"):
            kind = x.dtype.kind
            low, high = (
                (-np.inf, np.inf)
                if kind in "fV"
                else (False, True)
                if kind == "b"
                else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
            )
            x[spots] = low if reduce == "amax" else high
        else:
            x[spots] = 1 if reduce == "prod" else 0
    ufunc.at(x, spots, s)


#: names of reductions at places that scatter_reduce takes as well
_SHORT = {"max": "amax", "min": "amin"}
#: kinds of dtypes that reductions at places refuse
_WITHOUT = {"amax": "c", "amin": "c", "mean": "b"}


def _scatter_reduce(
    input: np.ndarray, dim: int, index: np.ndarray, src: np.ndarray, reduce: str, *, include_self: bool = True
) -> None:
    reduce = _SHORT.get(reduce, reduce)
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if index.size:
        refuse(input, f"scatter_gather_tensor_cpu_reduce_{reduce}", _WITHOUT.get(reduce, ""))
    x, spots, s = _aligned(input, dim, index, src)
    if index.size:
        in_wide(lambda wide, values: _combine(wide, spots, values, reduce, include_self), x, s)
        if reduce == "mean":
            _divide(x, spots, include_self)


def reduced_back(
    F: Any,
    grad: Any,
    input: Any,
    src: Any,
    result: Any,
    reduce: str,
    include_self: bool,
    pick: Any,
    add: Any,
    again: Any,
    clear: Any,
    names: tuple[str, str],
) -> tuple[Any, Any]:
    """Gradients of scatter_reduce and index_reduce, which differ in how they `pick`, `add`,
    reduce `again` and `clear`. names: of the operation and of its second tensor."""
    shape, part = tuple(input.shape), tuple(src.shape)
    if reduce == "sum":
        mine, theirs = F.view_grad(grad), pick(grad)
    elif reduce == "prod":
        ones = F.masked_fill(input, input == 0, 1)
        mine = grad * again(ones, src) / ones
        none = src == 0
        zeros = pick(add(F.zeros_of(grad, shape), F.zeros_of(grad, part) + none))
        single = none & (zeros == 1)
        others = again(input, F.masked_fill(src, single, 1))
        theirs = F.where(single, pick(grad * others), pick(grad * result) / F.masked_fill(src, none, 1))
        if np.any(all_rows(getattr(zeros, "_array", zeros)) > 1):  # of rows too: they are counts, whatever grad is
            theirs = F.not_again(
                theirs,
                f"{names[0]}(): Double backward is unsupported for {names[1]} when >1 zeros in {names[1]} are "
                "scattered to the same position in self",
            )
    elif reduce == "mean":
        count = add(F.zeros_of(grad, shape) + (1 if include_self else 0), F.zeros_of(grad, part) + 1)
        count = F.masked_fill(count, count == 0, 1)
        mine = grad / count
        theirs = pick(grad) / pick(count)
    else:
        own = F.zeros_of(grad, shape) + (input == result)
        given = F.zeros_of(grad, part) + (src == pick(result))
        share = grad / add(own, given)
        mine, theirs = own * share, given * pick(share)
    if not include_self:
        mine = clear(mine)
    return mine, theirs


RAW.not_again = lambda grad, message: grad


def _scatter_back(
    F: Any, grad: Any, input: Any, dim: int, index: Any, src: Any, result: Any, reduce: str, include_self: bool
) -> Any:
    part = tuple(src.shape)
    if part != tuple(index.shape):
        src = F.cut_to(src, tuple(index.shape))
    mine, theirs = reduced_back(
        F,
        grad,
        input,
        src,
        result,
        reduce,
        include_self,
        lambda t: F.gather(t, dim, index),
        lambda t, s: F.scatter_add(t, dim, index, s),
        lambda t, s: F.scatter_reduce(t, dim, index, s, reduce, include_self=include_self),
        lambda t: F.scatter(t, dim, index, 0),
        ("scatter_reduce", "src"),
    )
    return mine, theirs if tuple(theirs.shape) == part else F.pad_to(theirs, part)


op(
    """
    scatter_reduce(Tensor input, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True,
        Tensor out=None) -> Tensor|.two|uint_scatter_gather_tensor_cpu
    """,
    "input index src",
    writes=_scatter_reduce,
    inplace=True,
    inplace_function=False,
    overload="two",
    vjp={"input src": _scatter_back},
    real=True,
    overlap="whole",
    check_out=same_dtype(),
    looks=_check,
    in_rows="own",
    doc="""
    A copy of input in which the elements of src are combined with what is there by sum, prod, mean, amax or amin,
    along dim where index says.

    Shapes: as for scatter.
    ~indices
    Note: include_self=False leaves the element of input out of each combination.

    >>> x = torch.zeros(2)
    >>> x.scatter_reduce(0, torch.tensor([0, 1, 0]), torch.tensor([1., 2., 3.]), 'mean', include_self=False)
    tensor([2., 2.])

    In place:
    >>> x = torch.tensor([1., 1.])
    >>> x.scatter_reduce_(0, torch.tensor([0, 1, 0]), torch.tensor([5., 0., 2.]), 'amax')
    tensor([5., 1.])
    """,
    out=Out(overlap="others"),
)(copying(_scatter_reduce, looks=_check))

# -- index_reduce ------------------------------------------------------------------------------------------------------

#: the kernels that reductions at an index end in, and the dtypes that these lack
_MISSING = {"amax": ("maximum_cpu", COMPLEX), "amin": ("minimum_cpu", COMPLEX), "mean": ("div_floor_cpu", BOOL)}
_BETA = "index_reduce() is in beta and the API may change at any time."


def _check_index_reduce(
    input: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray, reduce: str, *_: Any, **__: Any
) -> None:
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    fitting_source("index_reduce_()", input, dim, index, source)


def _index_reduce(
    input: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray, reduce: str, *, include_self: bool = True
) -> None:
    d = wrap_dim(dim, input.ndim)
    warn_once(_BETA, at="aten/src/ATen/native/TensorAdvancedIndexing.cpp:1523")
    if not include_self:
        refuse(input, "index_reduce_func_exclude_input_init", BOOL + COMPLEX)
    kernel, without = ("index_func_", BOOL + COMPLEX) if input.ndim < 2 else _MISSING.get(reduce, ("", ""))
    refuse(input, kernel, without)
    x = input.reshape(1) if not input.ndim else input
    if index.size and not 0 <= index.min() <= index.max() < x.shape[d]:
        raise IndexError("index out of range in self")
    combine(x, at(d, index.reshape(-1)), source, reduce, include_self)


def _index_reduce_back(
    F: Any, grad: Any, input: Any, dim: int, index: Any, source: Any, result: Any, reduce: str, include_self: bool
) -> Any:
    return reduced_back(
        F,
        grad,
        input,
        source,
        result,
        reduce,
        include_self,
        lambda t: F.index_select(t, dim, index),
        lambda t, s: F.index_add(t, dim, index, s),
        lambda t, s: F._index_reduce(t, dim, index, s, reduce, include_self=include_self),
        lambda t: F.index_fill(t, dim, index, 0),
        ("index_reduce", "source"),
    )


_INDEX_REDUCE = OPS["index_reduce"] = Op(
    "index_reduce",
    copying(_index_reduce, looks=_check_index_reduce),
    "input index source",
    writes=_index_reduce,
    vjp={"input source": _index_reduce_back},
    forwardless="index_reduce",
    overlap="whole",
    looks=_check_index_reduce,
    check_out=same_dtype(),
)


@composite(
    """
    index_reduce(Tensor input, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True,
        Tensor out=None) -> Tensor|uint_index_func_|looped
    """,
    out=Out(overlap="others"),
)
def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True, out: Any = None
) -> Tensor:
    """A copy of input whose slices at index are combined with those of source by prod, mean, amax or amin;
    include_self=False leaves out what was there.

    Shapes: index is one-dimensional, as long as source is along dim.
    ~indices

    >>> x = torch.tensor([1., 2., 3.])
    >>> x.index_reduce(0, torch.tensor([0, 0, 2]), torch.tensor([5., 4., 1.]), 'amax')
    tensor([5., 2., 3.])

    In place:
    >>> x = torch.ones(2)
    >>> x.index_reduce_(0, torch.tensor([0, 0]), torch.tensor([2., 3.]), 'prod')
    tensor([6., 1.])
    """
    more = {} if out is None else {"out": out}
    return _INDEX_REDUCE.call(input, dim, index, source, reduce, include_self=include_self, **more)


@composite("index_reduce_", function=False)
def index_reduce_(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """In-place version of :meth:`index_reduce`."""
    return _INDEX_REDUCE.call_(input, dim, index, source, reduce, include_self=include_self)


publish("_index_reduce", lambda *a, **k: _INDEX_REDUCE.call(*a, **k), False, False, "")
RAW._index_reduce = _INDEX_REDUCE.kernel
