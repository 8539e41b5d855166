"""Kernels of indexing: select and slice are views; index takes copies at index arrays and masks;
index_put writes there."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.arguments.mismatch import typename
from ...core.memory.absent import require_places
from ...core.memory.layout import common_axes, contiguous, like, strides_along
from ...core.memory.overlap import check_written, crossing, shares_places
from ...core.memory.places import PLACES, add_at
from ...core.memory.rows import Rows, lanes_of, refuse_numbers, repeated
from ...core.memory.strided import dense, laid_out_anew, placed, view_strides, window
from ...core.recording.record import RAW, TENSORS, says, writes
from ...core.runtime import errors, modes
from ...core.runtime.warn import warn
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor, wrap
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import from_numpy, scalar_name
from ...core.values.building import scalar_array
from ..table.asking import Operator, ask, at, options_of, tell, whole
from ..table.calls import view_of
from ..table.inplace import flat, in_place, recorded_edges, refuse_rows_in_place, warn_filled
from ..table.opdef import OPS, Op, composite, op

_ALL = slice(None)

_DTYPES = "tensors used as indices must be long, int, byte or bool tensors"


def checked_index(t: Tensor, x: np.ndarray, dim: int) -> Tensor:
    """An index tensor: a mask must fit the dimensions from `dim` on, uint8 is an old kind of mask."""
    array = t._array
    kind = array.dtype.kind
    if kind == "u" and array.dtype.itemsize == 1:
        warn(
            "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
            at="aten/src/ATen/native/IndexingUtils.h:37",
        )
        t = wrap(array.astype(np.bool_))
        kind = "b"
    if kind == "b":
        require_places(array)
        if type(array) is not np.ndarray and isinstance(array, Rows):
            raise RuntimeError(errors.ROWS_MASK)
        check_mask(array, x, dim)
    elif kind != "i" or array.dtype.itemsize < 4:
        raise IndexError(_DTYPES)
    return t


def check_kinds(indices: Iterable[Any]) -> None:
    """Refuse index tensors of dtypes that are none, before any of them is looked at."""
    for i in indices:
        if isinstance(i, Tensor):
            kind, size = i._array.dtype.kind, i._array.dtype.itemsize
            if kind != "b" and not (kind == "i" and size >= 4) and not (kind == "u" and size == 1):
                raise IndexError(_DTYPES)


def check_mask(mask: np.ndarray, x: np.ndarray, dim: int) -> None:
    """Refuse a mask that does not have the sizes of the dimensions from `dim` on."""
    for i, n in enumerate(mask.shape):
        if dim + i < x.ndim and x.shape[dim + i] != n:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {i} does not match the shape of the "
                f"indexed tensor {list(x.shape)} at index {dim + i}"
            )


# -- select and slice --------------------------------------------------------------------------------------------------


def _select(input: np.ndarray, dim: int, index: int) -> np.ndarray:
    if input.ndim == 0:
        refuse_numbers(input)
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, input.ndim)
    if not input.size:
        input = placed(input)
    try:
        return input[(_ALL,) * d + (index, ...)]
    except IndexError:
        lanes = lanes_of(input.shape)
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {[*lanes, *input.shape]} at dimension "
            f"{len(lanes) + d}"
        ) from None


SELECT = OPS["select"] = Op(
    "select",
    _select,
    view=True,
    vjp={
        "input": lambda F, grad, input_shape, dim, index: F.select_backward(grad, input_shape, dim, index),
    },
)
RAW.select = _select


@composite("select(Tensor input, int dim, SymInt index) -> Tensor|.int", reads="late")
@instead(whole(SELECT))
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The slice at one index along dim, without that dimension: x.select(0, i) is x[i]. A view.

    Shapes: (..., n, ...) gives the shape without n.
    ~same-dtype
    Errors: IndexError if the index is out of range.

    >>> x = torch.tensor([[1, 2], [3, 4]])
    >>> x.select(1, 0)
    tensor([1, 3])
    """
    x = input._array
    if type(index) is bool:
        raise TypeError("select() needs an int")
    index = operator.index(index)
    return view_of(input, _select(x, dim, index), SELECT, (x.shape, dim, index, None, None, None))


@op(
    "select_backward",
    "grad_output",
    vjp={
        "grad_output": lambda F, grad, dim, index: F.select(grad, dim, index),
    },
    reads="itself",
    operator=Operator(
        "(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor", {"input_sizes": "input_shape"}
    ),
)
def select_backward(grad_output: np.ndarray, input_shape: tuple[int, ...], dim: int, index: int) -> np.ndarray:
    g = np.zeros(input_shape, grad_output.dtype)
    if type(grad_output) is not np.ndarray and isinstance(grad_output, Rows):
        g = repeated(g, grad_output)
    g[(_ALL,) * wrap_dim(dim, len(input_shape)) + (index,)] = grad_output
    return g


def _slice(input: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    if not input.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    d = wrap_dim(dim, input.ndim)
    r = input[(_ALL,) * d + (slice(start, end, step),)]
    if r.size:
        return r
    input = placed(input)
    n = input.shape[d]  # an empty slice, too, begins where it was asked to
    first = 0 if start is None else min(max(start + n if start < 0 else start, 0), n)
    strides = input.strides
    return window(input, r.shape, (*strides[:d], strides[d] * step, *strides[d + 1 :]), first * strides[d])


SLICE = OPS["slice"] = Op(
    "slice",
    _slice,
    view=True,
    operator=Operator(
        "(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)",
        overload="Tensor",
    ),
    vjp={
        "input": lambda F, grad, input_shape, dim, start, end, step: F.slice_backward(
            grad, input_shape, dim, start, end, step
        ),
    },
)
RAW.slice = _slice
declare("slice(Tensor input, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor|.Tensor")


@instead(lambda call, args, kwargs: SLICE.call(*args, **kwargs))
def slice_(input: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Tensor:
    """The view of every `step`-th element of a dimension from start to end."""
    x = input._array
    saved = (
        x.shape,
        dim,
        0 if start is None else start,
        end,
        step,
        None,
        None,
        None,
        None,
        None,
    )
    return view_of(input, _slice(x, dim, start, end, step), SLICE, saved)


TENSORS.slice = slice_


@op(
    "slice_backward",
    "grad_output",
    vjp={
        "grad_output": lambda F, grad, dim, start, end, step: F.slice(grad, dim, start, end, step),
    },
    reads="itself",
    operator=Operator(
        "(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, SymInt step) -> Tensor",
        {"input_sizes": "input_shape"},
    ),
)
def slice_backward(
    grad_output: np.ndarray, input_shape: tuple[int, ...], dim: int, start: int, end: int, step: int
) -> np.ndarray:
    g = np.zeros(input_shape, grad_output.dtype)
    if type(grad_output) is not np.ndarray and isinstance(grad_output, Rows):
        g = repeated(g, grad_output)
    g[(_ALL,) * wrap_dim(dim, len(input_shape)) + (slice(start, end, step),)] = grad_output
    return g


ALIAS = OPS["alias"] = Op(
    "alias",
    lambda input: placed(input)[...],
    view=True,
    vjp={"input": lambda F, grad: grad},
    operator=Operator("(Tensor(a) self) -> Tensor(a)"),
)
#: what PyTorch calls of a tensor that was just made of data: it is there only to be told of
OPS["lift_fresh"] = Op("lift_fresh", lambda input: input, operator=Operator("(Tensor(a) self) -> Tensor(a)"))
TENSORS.lift_fresh = lambda input: input


def lifted(t: Tensor) -> Tensor:
    """A tensor that was just made of data, as a mode gives it that is to be asked."""
    found: Tensor = ask(*tell("lift_fresh", {"input": t}))
    return found


RAW.view_grad = lambda grad: grad
TENSORS.view_grad = lambda grad: grad


@instead(lambda call, args, kwargs: ALIAS.call(*args))
def _alias(input: Tensor) -> Tensor:
    return view_of(input, placed(input._array)[...], ALIAS, ())


TENSORS.alias = _alias


@composite(
    """
    narrow(Tensor input, int dim, Tensor start, SymInt length) -> Tensor|.Tensor|view
    narrow(Tensor input, int dim, SymInt start, SymInt length) -> Tensor|view
    """,
)
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """The part of length `length` from `start` on along dim. A view.
    main: 2

    Shapes: input's shape with `length` at dim.
    ~same-dtype
    Errors: RuntimeError if start + length exceeds the size.

    >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    >>> x.narrow(1, 1, 2)
    tensor([[2, 3],
            [5, 6]])
    """
    x = input._array
    if not x.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, Tensor):
        if start._array.ndim or start._array.dtype.kind not in "iu":
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = start._array.item()
    start, length = operator.index(start), operator.index(length)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    n = x.shape[wrap_dim(dim, x.ndim)]
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
    start = start + n if start < 0 else start
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return slice_(input, dim, start, start + length, 1)


# -- index arrays ------------------------------------------------------------------------------------------------------


def positions(indices: Any) -> tuple[Any, ...]:
    """Index tensors, arrays and None (a whole dimension) as NumPy wants them."""
    places = tuple([_ALL if i is None else i if type(i) is np.ndarray else i._array for i in indices])
    if modes.FLAGS.rows and any(type(p) is Rows and p.dtype.kind == "b" for p in places):
        raise RuntimeError(errors.ROWS_MASK)
    return places


def laid_out(r: np.ndarray, input: np.ndarray, places: tuple[Any, ...]) -> np.ndarray:
    """The result of an index in the order of dimensions that PyTorch gives it: that of the strides of what is kept."""
    shape = r.shape
    straight = _straight(places)
    if r.ndim < 2 or (straight and r.size and input.flags.c_contiguous and 1 not in input.shape):
        return contiguous(r)
    dims: list[int] = []
    at = 0
    where = None
    apart = False
    width = 1
    for p in places:
        if isinstance(p, slice):
            dims.append(input.strides[at])
            at += 1
            continue
        if where is None:
            where = len(dims)
        elif len(dims) != where:
            apart = True
        width = max(width, p.ndim if p.dtype.kind != "b" else 1)
        at += p.ndim if p.dtype.kind == "b" else 1
    dims += input.strides[at:]
    lead = 0 if apart else where or 0
    kept = (*dims[:lead], *(0,) * width, *dims[lead:])
    # the index is an operand too, in which the other dimensions have the size 1
    sizes = (*(1,) * lead, *shape[lead : lead + width], *(1,) * (r.ndim - lead - width))
    if not r.size and sizes == shape:  # all operands have one shape, and are contiguous
        return np.empty(shape, r.dtype)
    arrays = [p for p in places if not isinstance(p, slice)]
    found = [dense(sizes, 1)] if straight else [_along(p, sizes, lead, width) for p in arrays]
    within = [n == 1 or lead <= d < lead + width for d, n in enumerate(shape)]
    steps = [tuple([s if own else 0 for s, own in zip(index, within, strict=True)]) for index in found]
    axes = common_axes(shape, [kept, *steps])
    if axes == list(range(r.ndim)):
        return contiguous(r) if r.size else np.empty(shape, r.dtype)
    laid = np.ndarray(shape, r.dtype, np.empty(r.size, r.dtype), 0, strides_along(shape, r.itemsize, axes))
    laid[...] = r
    return laid


def _along(p: np.ndarray, sizes: tuple[int, ...], lead: int, width: int) -> tuple[int, ...]:
    """The strides of an index in a result where it has these sizes, `width` of them its own after `lead` of 1."""
    if p.dtype.kind == "b":
        p = p.nonzero()[0]
    shape = sizes[lead : lead + width]
    own = [0 if n == 1 < size else s for n, s, size in zip(p.shape, p.strides, shape[width - p.ndim :], strict=True)]
    spread = window(p, shape, (*(0,) * (width - p.ndim), *own))
    return view_strides(spread, sizes) or spread.reshape(sizes).strides


def _straight(places: tuple[Any, ...]) -> bool:
    """Whether all index arrays have their elements in C's order."""
    for p in places:
        if p.__class__ is not slice and p.ndim > 1 and not (p.flags.c_contiguous and laid_out_anew(p)):
            return False
    return True


def _index(input: Any, indices: Any) -> np.ndarray:
    places = positions(indices)
    solid = input.flags.c_contiguous
    try:
        if solid and input.ndim > 1 == len(places) and type(input) is np.ndarray is type(places[0]):
            first = places[0]
            r = input.take(first, 0) if first.dtype is PLACES else input[places]  # in a third of the time
        else:
            r = input[places]
    except IndexError:
        r = _empty(input, places)
        if r is None:
            refuse(input, places)
            raise
    if r.flags.c_contiguous and (r.ndim < 2 or (solid and r.size and 1 not in r.shape and _straight(places))):
        return r
    return laid_out(r, input, places)


def _empty(x: np.ndarray, places: tuple[Any, ...]) -> np.ndarray | None:
    """The result of an index that picks no elements: PyTorch does not look whether it reaches outside then."""
    if x.size:
        return None
    inside: list[Any] = []
    at = 0
    for p in places:
        if isinstance(p, slice) or p.dtype.kind == "b":
            inside.append(p)
            at += 1 if isinstance(p, slice) else p.ndim
            continue
        if p.size and not x.shape[at]:
            return None
        inside.append(np.clip(p, 0, max(x.shape[at] - 1, 0)))
        at += 1
    try:
        r = x[tuple(inside)]
    except IndexError:
        return None
    return np.empty(r.shape, r.dtype)


def _together(places: tuple[Any, ...]) -> list[np.ndarray]:
    """The index arrays, masks as what they name; PyTorch's error if they do not broadcast."""
    flat: list[np.ndarray] = []
    for p in places:
        if not isinstance(p, slice):
            flat += p.nonzero() if p.dtype.kind == "b" else [p]
    try:
        np.broadcast_shapes(*(a.shape for a in flat))
    except ValueError:
        raise IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with shapes "
            + ", ".join(str(list(a.shape)) for a in flat)
        ) from None
    return flat


def refuse(x: np.ndarray, places: tuple[Any, ...]) -> None:
    """Raise PyTorch's error for index arrays that do not broadcast or reach outside."""
    flat = _together(places)
    at, outside = 0, []
    for p in places:
        if isinstance(p, slice) or p.dtype.kind == "b":
            at += 1 if isinstance(p, slice) else p.ndim
            continue
        n = x.shape[at]
        bad = (p < -n) | (p >= n)
        if bad.any():
            if not n:
                raise IndexError("index is out of bounds for dimension with size 0")
            outside.append((next(i for i, a in enumerate(flat) if a is p), n, p, bad))
        at += 1
    if not outside:
        return
    # the first element that reaches outside, and in it the first dimension
    shape = np.broadcast_shapes(*(a.shape for a in flat))
    spread = [np.broadcast_to(bad, shape).reshape(-1) for *_, bad in outside]
    first = int(np.logical_or.reduce(spread).argmax())
    number, n, p, _ = next(found for found, bad in zip(outside, spread, strict=True) if bad[first])
    i = np.broadcast_to(p, shape).reshape(-1)[first]
    raise IndexError(f"index {i} is out of bounds for dimension {number} with size {n}")


def _with_indices(input: Tensor, indices: Any) -> Tensor:
    """`torch.ops.aten.index`."""
    if not indices:
        raise IndexError("at least one index must be provided")
    return INDEX(input, checked_indices(input, tuple(indices)))


OPS["index"] = Op(
    "index",
    _index,
    node="IndexBackward0",
    vjp={
        "input": writes(1)(
            says(("g added where elements were taken", "在被取元素处累加的 g"))(
                lambda F, grad, input_shape, indices: F.index_backward(grad, input_shape, indices)
            )
        ),
    },
    operator=Operator("(Tensor self, Tensor?[] indices) -> Tensor", overload="Tensor", function=_with_indices),
)
RAW.index = _index
INDEX = OPS["index"].call
TENSORS.index = INDEX


@op(
    "_unsafe_index -> Tensor",
    method=False,
    vjp={
        "input": writes(1)(
            says(("g added where elements were taken", "在被取元素处累加的 g"))(
                lambda F, grad, input_shape, indices: F.index_backward(grad, input_shape, indices)
            )
        ),
    },
    node="UnsafeIndexBackward0",
    reads="itself",
)
def _unsafe_index(input: np.ndarray, indices: Any) -> np.ndarray:
    return _index(input, indices)


@op("index_backward", "grad_output", reads="itself")
def index_backward(grad_output: Any, input_shape: tuple[int, ...], indices: Any) -> np.ndarray:
    g = np.zeros(input_shape, grad_output.dtype)
    _accumulate(g, positions(indices), grad_output)
    return g


def _index_put_impl(input: np.ndarray, indices: Any, values: np.ndarray, accumulate: bool) -> np.ndarray:
    r = input.copy()
    _accumulate(r, positions(indices), values)
    return r


_PUT_IMPL = Op(
    "_index_put_impl",
    _index_put_impl,
    "input values",
    vjp={
        "input": lambda F, grad, accumulate: F.view_grad(grad),
        "values": lambda F, grad, indices: F.index(grad, indices),
    },
)


def _asked_index_backward(grad: Tensor, shape: tuple[int, ...], indices: Any) -> Tensor:
    zeros = at("new_zeros", input=grad, size=list(shape), **options_of(grad))
    found: Tensor = INDEX_PUT.call(zeros, indices, grad, True)
    return found


@instead(lambda call, args, kwargs: _asked_index_backward(*args))
def _recorded_index_backward(grad: Tensor, shape: tuple[int, ...], indices: Any) -> Tensor:
    """Recorded, it writes into zeros, as PyTorch does."""
    found: Tensor = _PUT_IMPL.call(TENSORS.zeros_of(grad, shape), indices, grad, True)
    return found


TENSORS.index_backward = _recorded_index_backward


def _accumulate(target: np.ndarray, places: tuple[Any, ...], values: np.ndarray) -> None:
    """Add values at places, elements that are named several times included."""
    if not target.size:
        return
    if not target.flags.c_contiguous and (shares_places(target) or crossing(target)):  # one after the other
        np.add.at(target, places, values)
        return
    arrays = [p for p in places if not isinstance(p, slice)]
    if len(arrays) == 1:
        a = arrays[0]
        if a.dtype.kind == "b":
            target[places] += values  # a mask names every element at most once
            return
        if a.size <= 1:
            target[places] += values
            return
    add_at(target, places, values)


# -- writing -----------------------------------------------------------------------------------------------------------


def _fitting(input: np.ndarray, places: tuple[Any, ...], values: np.ndarray) -> None:
    """Raise PyTorch's error for values that do not broadcast to what an index names."""
    _together(places)
    inside = tuple(p if isinstance(p, slice) or p.dtype.kind == "b" else np.zeros_like(p) for p in places)
    try:
        shape = input[inside].shape
    except IndexError:
        refuse(input, places)
        raise
    try:
        np.broadcast_to(values, shape)
    except ValueError:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing "
            f"result of shape {list(shape)}"
        ) from None


def _one_for_a_mask(places: tuple[Any, ...], values: np.ndarray) -> bool:
    """Whether one value goes where a single mask says, of whatever dtype: PyTorch then fills."""
    arrays = [p for p in places if not isinstance(p, slice)]
    return values.size == 1 and len(arrays) == 1 and arrays[0].dtype.kind == "b"


def _warn_expanded(input: np.ndarray, filled: bool) -> None:
    """PyTorch's warnings where several elements share one memory location."""
    if not shares_places(input):
        return
    warn(
        "Use of index_put_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
        "operation. This also applies to advanced indexing e.g. tensor[indices] = tensor",
        at="aten/src/ATen/native/TensorAdvancedIndexing.cpp:976",
    )
    if filled:
        warn_filled("masked_fill_", 2450)


def _look(input: np.ndarray, indices: Any, values: np.ndarray, accumulate: bool = False) -> None:
    """What PyTorch refuses before it looks at the numbers in the index tensors."""
    places = positions(indices)
    if not accumulate and _one_for_a_mask(places, values):
        return
    if not input.size:
        _refuse_nothing(input, places)
    if input.dtype != values.dtype:
        _fitting(input, places, values)
        found = scalar_name(input), scalar_name(values)
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {found[0]} for the destination and "
            f"{found[1]} for the source."
        )


def _refuse_nothing(input: np.ndarray, places: tuple[Any, ...]) -> None:
    """PyTorch's error for an index that is not empty into a dimension that is."""
    at, empty = 0, False
    sizes: list[int] = []
    for p in places:
        if not isinstance(p, slice):
            width = p.ndim if p.dtype.kind == "b" else 1
            empty |= 0 in input.shape[at : at + width]
            sizes += [int(np.count_nonzero(p))] if p.dtype.kind == "b" else p.shape
            at += width - 1
        at += 1
    if empty and 0 not in sizes:
        raise IndexError("index is out of bounds for dimension with size 0")


def _index_put_into(input: np.ndarray, indices: Any, values: np.ndarray, accumulate: bool = False) -> None:
    places = positions(indices)
    if input.dtype != values.dtype:  # one value where a mask says
        values = scalar_array(values.item(), from_numpy(input.dtype))  # refuses what does not fit
    if not input.size and (nothing := _empty(input, places)) is not None:
        try:
            np.broadcast_to(values, nothing.shape)
        except ValueError:
            raise RuntimeError(
                f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing "
                f"result of shape {list(nothing.shape)}"
            ) from None
        return
    try:
        if accumulate:
            if values.ndim or input[places].size:
                np.broadcast_to(values, input[places].shape)
            _accumulate(input, places, values)
        else:
            input[places] = values
            if values.ndim and values.shape[0] == 1 and values.ndim > input[places].ndim:
                raise ValueError
    except (ValueError, IndexError, TypeError):
        _fitting(input, places, values)
        refuse(input, places)
        raise


def _index_put(input: Any, indices: Any, values: np.ndarray, accumulate: bool = False) -> np.ndarray:
    _look(input, indices, values, accumulate)
    r = like(input, input.dtype, zero=False)
    r[...] = input
    _index_put_into(r, indices, values, accumulate)
    return r


_PUT = "(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor"
INDEX_PUT = OPS["index_put"] = Op(
    "index_put",
    _index_put,
    "input values",
    in_rows="own",
    vjp={
        "input": says(("g, 0 where values were written", "g，被写入处为 0"))(
            lambda F, grad, indices, accumulate: (
                F.view_grad(grad) if accumulate else F.index_put(grad, indices, F.zero_dim(grad), False)
            )
        ),
        "values": says(("the elements of g where values were written", "g 在被写入处的元素"))(
            lambda F, grad, indices: F.index(grad, indices)
        ),
    },
    overlap="",
    operator=Operator(_PUT, function=lambda **given: INDEX_PUT.call(*given.values())),
)
RAW.index_put = _index_put
TENSORS.index_put = INDEX_PUT.call


def _given(name: str, input: Tensor, indices: Any, checking: bool = True) -> tuple[Any, ...]:
    """The index tensors of index_put(); where `checking`, as torch does."""
    if not isinstance(indices, (tuple, list)):
        raise TypeError(f"{name}(): argument 'indices' (position 1) must be tuple of Tensors, not {typename(indices)}")
    found = []
    at = 0
    for i, t in enumerate(indices):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {typename(t)}")
        if checking:
            t = checked_index(t, input._array, at)
        at += t._array.ndim if t._array.dtype.kind == "b" else 1
        found.append(t)
    if checking and at > input._array.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input._array.ndim} (got {at})")
    return tuple(found)


@composite(
    """
    index_put(Tensor input, Tensor[] indices, Tensor values,
        bool accumulate=False) -> Tensor|.hacked_twin|uint_index_put
    """
)
def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of input with values at the elements that a tuple of index tensors selects, as in x[i, j] = values;
    accumulate=True adds.

    Shapes: the index tensors broadcast together; values broadcasts to what x[indices] would give.
    Dtypes: values has input's dtype; indices are int64 or bool masks.
    ~random-last

    >>> x = torch.zeros(2, 2)
    >>> x.index_put((torch.tensor([0, 1]), torch.tensor([1, 0])), torch.tensor([5., 7.]))
    tensor([[0., 5.],
            [7., 0.]])
    >>> x.index_put((torch.tensor([0, 0]),), torch.tensor(1.), accumulate=True)
    tensor([[2., 2.],
            [0., 0.]])

    In place:
    >>> x = torch.zeros(3)
    >>> x.index_put_((torch.tensor([2]),), torch.tensor(4.))
    tensor([0., 0., 4.])
    """
    return INDEX_PUT.call(input, _some(_given("index_put", input, indices), input), values, accumulate)


@composite("index_put_")
def index_put_(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """In-place version of index_put()."""
    return put(input, _some(_given("index_put_", input, indices, checking=False), input), values, accumulate)


def _some(indices: tuple[Any, ...], input: Tensor) -> tuple[Any, ...]:
    """The indices, of which there has to be one."""
    if not indices:
        raise RuntimeError("sym_strides() called on an undefined Tensor")
    return indices


def put(input: Tensor, indices: tuple[Any, ...], values: Tensor, accumulate: bool = False) -> Tensor:
    """index_put_ at indices that are still to be checked."""
    if modes.FLAGS.rows:
        refuse_rows_in_place(INDEX_PUT, [input, indices, values])
    recorded_edges(INDEX_PUT, [input, indices, values, accumulate])
    filled = not accumulate and fills(indices, values)
    if filled and any(i is not None and i._array.dtype.kind == "u" for i in indices):
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
    _warn_expanded(input._array, filled)
    if not filled:
        check_written(input, flat([indices, values]), whole=True, apart=False)  # an expanded input is only warned of
    given = [input, checked_indices(input, indices), values, accumulate]
    return in_place(INDEX_PUT, given, _index_put_into, looks=_look)


def fills(indices: tuple[Any, ...], values: Tensor) -> bool:
    """Whether one value goes where a single mask says: PyTorch fills then, and does not ask whether memory overlaps."""
    given = [i for i in indices if i is not None]
    return values._array.size == 1 and len(given) == 1 and given[0]._array.dtype.kind in "bu"


def checked_indices(input: Tensor, indices: tuple[Any, ...]) -> tuple[Any, ...]:
    """Index tensors checked, each at its dimension."""
    found = []
    dim = 0
    for i in indices:
        if i is not None:
            i = checked_index(i, input._array, dim)
        found.append(i)
        dim += i._array.ndim if i is not None and i._array.dtype.kind == "b" else 1
    if dim > input._array.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input._array.ndim} (got {dim})")
    return tuple(found)


TENSORS.index_put = INDEX_PUT.call
OPS["index_put_"] = Op(
    "index_put_",
    _index_put,
    "input values",
    operator=Operator(
        _PUT.replace("Tensor", "Tensor(a!)", 1)[:-6] + "Tensor(a!)", function=lambda **given: put(*given.values())
    ),
)
