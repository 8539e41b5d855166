"""Picking and writing along one dimension or in the flat tensor: index_select, index_add, index_copy, take, put …"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arguments.mismatch import typename
from ...core.memory.absent import require_places
from ...core.memory.overlap import check_written
from ...core.memory.places import add_at, inside
from ...core.memory.rows import Rows, all_rows, each, levels_of
from ...core.memory.storage import owner
from ...core.memory.strided import placed
from ...core.recording.record import RAW, TENSORS, says, writes
from ...core.runtime import errors
from ...core.runtime.deterministic import alert_not_deterministic
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor, wrap
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import from_numpy, int64, scalar_name
from ...core.values.building import scalar_array
from ...core.values.promotion import broadcast_shapes
from ..first.kinds import UNSIGNED, is_half, refuse
from ..first.products import times
from ..table.asking import at as at_cpp
from ..table.asking import options_of
from ..table.inplace import warn_expanded
from ..table.opdef import OPS, Op, composite, copying, op
from ..table.outputs import Out, same_dtype

_ALL = slice(None)


def at(d: int, index: Any) -> tuple[Any, ...]:
    """An index array at dimension `d`."""
    return (*(_ALL,) * d, index)


# -- index_select ------------------------------------------------------------------------------------------------------


@op(
    "index_select(Tensor input, int dim, Tensor index, *, Tensor out=None) -> Tensor",
    check_out=same_dtype("index_select(): self and result must have the same scalar type"),
    vjp={
        "input": writes(1)(
            lambda F, grad, input_shape, dim, index: F.index_select_backward(grad, input_shape, dim, index)
        ),
    },
    out=Out(overlap="whole"),
)
def index_select(input: Any, dim: int, index: np.ndarray) -> np.ndarray:
    """The slices along dim at the indices in index, in that order.

    Shapes: index is one-dimensional with k elements; the result is input's shape with size k at dim. It is a copy.
    ~indices
    Errors: IndexError for an index out of range; negative indices are out of range too.

    >>> x = torch.tensor([[1., 2.], [3., 4.], [5., 6.]])
    >>> torch.index_select(x, 0, torch.tensor([2, 0]))
    tensor([[5., 6.],
            [1., 2.]])
    """
    d = wrap_dim(dim, input.ndim)
    if input.ndim < 2:
        refuse(input, "index_select", UNSIGNED)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype.kind != "i" or index.dtype.itemsize < 4:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if not input.ndim:
        if index.size != 1:
            raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)")
        if index.reshape(()):
            raise IndexError("index out of range in self")
        return np.array(input)
    n = input.shape[d]
    if index.size and not n and input.ndim > 1:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if index.size and not inside(index, n):
        if front := len(levels_of((input.shape, index.shape))):  # PyTorch's vmap takes by gather
            i = next(i for i in all_rows(index).reshape(-1).tolist() if not 0 <= i < n)
            raise RuntimeError(f"index {i} is out of bounds for dimension {front + d} with size {n}")
        if input.ndim > 1 and (d == 1 or not input.size):
            i = next(i for i in index.reshape(-1).tolist() if not 0 <= i < n)
            raise RuntimeError(f"INDICES element is out of DATA bounds, id={i} axis_dim={n}")
        raise IndexError("index out of range in self")
    # the places are known to be inside, and to wrap them takes least
    r = input.take(index.reshape(-1).astype(np.intp, copy=False), d, mode="wrap")
    return r if r.size else np.empty(r.shape, r.dtype)


def in_wide(write: Callable[[np.ndarray, Any], None], x: np.ndarray, values: Any) -> None:
    """`write(x, values)`, which adds up values in x or the like: half types in float32, rounded once at the end."""
    if not is_half(x):
        return write(x, values)
    wide = x.astype(np.float32)
    write(wide, values.astype(np.float32) if isinstance(values, np.ndarray) else values)
    x[...] = wide


def _as_scatter(x: np.ndarray, index: np.ndarray) -> bool:
    """Whether PyTorch adds slices at an index as scatter_add does, if they have no factor."""
    return x.ndim > 1 and index.dtype.itemsize == 8


def _add_slices(x: np.ndarray, places: tuple[Any, ...], values: Any, scatters: bool) -> None:
    if scatters:
        in_wide(lambda wide, some: add_at(wide, places, some), x, values)
    else:
        add_at(x, places, values)


@op(
    "index_select_backward",
    "grad_output index",
    node="IndexAddBackward0",
    vjp={
        "grad_output": lambda F, grad, dim, index: F.index_select(grad, dim, index),
    },
)
def index_select_backward(grad_output: Any, input_shape: tuple[int, ...], dim: int, index: np.ndarray) -> np.ndarray:
    g = np.zeros(input_shape, grad_output.dtype)
    if not g.ndim:
        return g + grad_output
    _add_slices(g, at(wrap_dim(dim, g.ndim), index.reshape(-1)), grad_output, _as_scatter(g, index))
    return g


@instead(
    lambda call, args, kwargs: TENSORS.index_add(
        at_cpp("new_zeros", input=args[0], size=list(args[1]), **options_of(args[0])), args[2], args[3], args[0]
    )
)
def _recorded_select_backward(grad: Any, input_shape: Any, dim: int, index: Any) -> Any:
    return TENSORS.index_add_(TENSORS.zeros_of(grad, input_shape, index), dim, index, grad)


TENSORS.index_select_backward = _recorded_select_backward


# -- index_add, index_copy, index_fill, index_reduce -------------------------------------------------------------------


def _vector(name: str, index: np.ndarray) -> None:
    if index.ndim > 1:
        raise IndexError(
            f"{name}: Index is supposed to be a vector, but got dim: {index.ndim} with type: "
            f"{scalar_name(index)} and size: {list(index.shape)}"
        )
    if index.dtype.kind != "i" or index.dtype.itemsize < 4:
        raise RuntimeError(f"{name}: Expected dtype int32/int64 for index but got: {scalar_name(index)}")


def fitting_source(name: str, input: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray) -> None:
    """Raise PyTorch's error for a source of index_add or index_reduce that does not fit."""
    d = wrap_dim(dim, input.ndim)
    _vector(name, index)
    if input.dtype != source.dtype:
        raise RuntimeError(
            f"{name}: self ({scalar_name(input)}) and source ({scalar_name(source)}) must have the same scalar type"
        )
    if d and d >= source.ndim:
        raise RuntimeError(f"{name}: Indexing dim {d} is out of bounds of the source tensor with dim {source.ndim}")
    if not source.ndim and index.size != 1:
        raise IndexError(f"Dimension specified as {d} but tensor has no dimensions")
    if source.ndim and index.size != source.shape[d]:
        raise RuntimeError(
            f"{name}: Number of indices ({index.size}) should be equal to source.size(dim): "
            f"({source.shape[d]}), for dim: {d}"
        )
    shapes = [list(s[:d]) + list(s[d + 1 :]) for s in (input.shape, source.shape)]
    if input.ndim != source.ndim or shapes[0] != shapes[1]:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            f"self.shape = {list(input.shape)} source.shape = {list(source.shape)}"
        )


def _first_outside(index: np.ndarray, n: int) -> int | None:
    """The first index that is not in [0, n)."""
    if not index.size or inside(index, n):
        return None
    return next(i for i in index.reshape(-1).tolist() if not 0 <= i < n)


def _check_index_add(input: np.ndarray, dim: int, index: np.ndarray, source: Any, *_: Any, **__: Any) -> None:
    fitting_source("index_add_()", input, dim, index, source)


def _index_add(input: np.ndarray, dim: int, index: np.ndarray, source: Any, *, alpha: Any = 1) -> None:
    d = wrap_dim(dim, input.ndim)
    n = input.shape[d] if input.ndim else 1
    scatters = alpha == 1 and _as_scatter(input, index)
    outside = _first_outside(index, n)
    if outside is not None:
        if scatters:
            raise RuntimeError(f"index {outside} is out of bounds for dimension {d} with size {n}")
        raise IndexError("index out of range in self")
    values = source if type(alpha) is int and alpha == 1 else source * scalar_array(alpha, from_numpy(source.dtype))
    if not input.ndim:
        input += values
    else:
        _add_slices(input, at(d, index.reshape(-1)), values, scatters)


def _gathered(F: Any, grad: Any, dim: int, index: Any, source_shape: tuple[int, ...]) -> Any:
    if not source_shape:
        return F.index_select(grad, dim, F.squeeze(index, 0))
    return F.expand(F.index_select(grad, dim, index), source_shape)


op(
    """
    index_add(Tensor input, int dim, Tensor index, Tensor source, *, Scalar alpha=1,
        Tensor out=None) -> Tensor|uint_scatter_gather_tensor_cpu
    """,
    "input index source",
    writes=_index_add,
    inplace=True,
    inplace_function=False,
    vjp={
        "input": lambda F, grad: F.view_grad(grad),
        "source": lambda F, grad, dim, index, source, alpha: times(
            _gathered(F, grad, dim, index, tuple(source.shape)), alpha
        ),
    },
    overlap="whole",
    looks=_check_index_add,
    check_out=same_dtype(),
    constants={"source_dim": lambda node: len(node.shape)},
    in_rows="own",
    doc="""
    A copy of input to which the slices of source are added, times alpha, at the indices in index along dim.

    Shapes: index is one-dimensional, as long as source is along dim; source has input's sizes elsewhere.
    ~indices
    ~repeats

    >>> x = torch.ones(3, 2)
    >>> rows = torch.tensor([[1., 2.], [3., 4.]])
    >>> x.index_add(0, torch.tensor([0, 0]), rows)
    tensor([[5., 7.],
            [1., 1.],
            [1., 1.]])

    In place:
    >>> counts = torch.zeros(3)
    >>> counts.index_add_(0, torch.tensor([0, 2, 2]), torch.ones(3))
    tensor([1., 0., 2.])
    """,
    out=Out(overlap="others"),
    inner_writes=2,
)(copying(_index_add, looks=_check_index_add))


def _index_copy(input: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray) -> None:
    d = wrap_dim(dim, input.ndim)
    if index.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})")
    if source.ndim == 0 and index.size != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {index.size})")
    if source.ndim != input.ndim and source.ndim and input.ndim:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source.ndim}), destination dimensionality ({input.ndim})"
        )
    if index.dtype != np.int64:
        raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {scalar_name(index)}")
    if input.dtype != source.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{scalar_name(input)} and (source) {scalar_name(source)}"
        )
    cut = [list(x.shape[:d]) + list(x.shape[d + 1 :]) for x in (input, source)]
    if cut[0] != cut[1] and (source.ndim or cut[0]):
        shown = [" ".join(map(str, c)) for c in cut]
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{shown[0]} at dimension {d} and source slice shape: {shown[1]} at dimension 0."
        )
    if source.ndim and index.size != source.shape[d]:
        raise IndexError(
            f"index_copy_(): Number of indices ({index.size}) should be equal to source.size(dim) ({source.shape[d]})"
        )
    n = input.shape[d] if input.ndim else 1
    outside = _first_outside(index, n)
    if outside is not None:
        raise IndexError(f"index_copy_(): index {outside} is out of bounds for dimension {d} with size {n}")
    if input.ndim:
        input[at(d, index.reshape(-1))] = source
    else:
        input[...] = source.reshape(-1)[-1]


op(
    """
    index_copy(Tensor input, int dim, Tensor index, Tensor source, *,
        Tensor out=None) -> Tensor|promote|uint_index_copy_cpu
    """,
    "input index source",
    writes=_index_copy,
    inplace=True,
    inplace_function=False,
    vjp={
        "input": says(("g, 0 at {index}", "g，{index} 处为 0"))(
            lambda F, grad, dim, index: F.index_fill(grad, dim, index, 0)
        ),
        "source": lambda F, grad, dim, index, source: _gathered(F, grad, dim, index, tuple(source.shape)),
    },
    overlap="whole",
    check_out=same_dtype(),
    constants={"source_dim": lambda node: len(node.shape)},
    doc="""
    sig: (input, dim, index, source, *, out=None)
    A copy of input whose slices at the indices in index along dim are those of source.

    Shapes: index is one-dimensional, as long as source is along dim; source has input's sizes elsewhere.
    ~indices
    ~random-last

    >>> x = torch.zeros(3, 2)
    >>> x.index_copy(0, torch.tensor([2, 0]), torch.tensor([[1., 2.], [3., 4.]]))
    tensor([[3., 4.],
            [0., 0.],
            [1., 2.]])

    In place:
    sig: (self, dim, index, source)
    >>> x = torch.zeros(3)
    >>> x.index_copy_(0, torch.tensor([1]), torch.tensor([5.]))
    tensor([0., 5., 0.])
    """,
    out=Out(overlap="others"),
    inner_writes=1,
)(copying(_index_copy))


#: so few indices are looked at faster one by one
_FEW = 32


def _outside(index: np.ndarray, n: int) -> int | None:
    """The first index that names no place among `n`, counted from either end; None if there is none."""
    places = index.reshape(-1)
    if places.size > _FEW and type(places) is np.ndarray:
        places = places[(places < -n) | (places >= n)]
    return next((i for i in places.tolist() if not -n <= i < n), None)


def _fill_slices(input: np.ndarray, dim: int, index: np.ndarray, value: Any) -> None:
    if index.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    d = wrap_dim(dim, input.ndim)
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    n = input.shape[d] if input.ndim else 1
    if not input.size:
        _needs_memory(input, d, index.size)
        if 0 in (*input.shape[:d], *input.shape[d + 1 :]):
            return
    if (i := _outside(index, n)) is not None:
        raise IndexError(f"index {i} is out of bounds for dimension {d} with size {n}")
    if input.ndim:
        input[at(d, index.reshape(-1))] = value
    elif index.size:
        input[...] = value


def _needs_memory(x: np.ndarray, dim: int, count: int) -> None:
    """PyTorch's error where it lays `count` slices along `dim` over the memory of an empty tensor that has none."""
    sizes = [*x.shape[:dim], count, *x.shape[dim + 1 :]]
    own = placed(x).strides
    steps = [s // x.itemsize for s in (*own[:dim], 0, *own[dim + 1 :])]
    needed = x.itemsize * (1 + sum((n - 1) * s for n, s in zip(sizes, steps, strict=True)))
    if 0 not in sizes and needed > (there := owner(x).nbytes):
        raise RuntimeError(
            f"setStorage: sizes {sizes}, strides {steps}, storage offset 0, and itemsize {x.itemsize} requiring a "
            f"storage size of {needed} are out of bounds for storage of size {there}"
        )


def _number(name: str, input: np.ndarray, value: Any) -> np.ndarray:
    """A number in the dtype of an array; a 0-dim value as it is."""
    if (value.dtype.kind == "c" if isinstance(value, np.ndarray) else isinstance(value, complex)) and (
        input.dtype.kind != "c"
    ):
        raise RuntimeError(f"{name}: Converting complex Scalar to non-complex type is not supported")
    return value if isinstance(value, np.ndarray) else scalar_array(value, from_numpy(input.dtype))


def _index_fill(input: np.ndarray, dim: int, index: np.ndarray, value: Any) -> None:
    _fill_slices(input, dim, index, _number("index_fill_()", input, value))


def _index_fill_tensor(input: np.ndarray, dim: int, index: np.ndarray, value: np.ndarray) -> None:
    if value.ndim:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    _fill_slices(input, dim, index, _number("index_fill_()", input, value))


OPS["index_fill"] = Op(
    "index_fill",
    copying(_index_fill, keeps_order=True),
    "input index",
    in_rows="own",
    writes=_index_fill,
    node="IndexFillBackward0",
    vjp={
        "input": says(("g, 0 at {index}", "g，{index} 处为 0"))(
            lambda F, grad, dim, index: F.index_fill(grad, dim, index, 0)
        )
    },
    overlap="",
    inner_writes=2,
)
OPS["index_fill.tensor"] = Op(
    "index_fill",
    copying(_index_fill_tensor, keeps_order=True),
    "input index value",
    in_rows="own",
    writes=_index_fill_tensor,
    node="IndexFillBackward1",
    vjp={
        "input": says(("g, 0 at {index}", "g，{index} 处为 0"))(
            lambda F, grad, dim, index: F.index_fill(grad, dim, index, 0)
        ),
        "value": lambda F, grad, dim, index: F.index_select(grad, dim, F.distinct(index)).sum(),
    },
    overlap="",
    inner_writes=2,
)
RAW.index_fill = OPS["index_fill"].kernel


RAW.distinct = np.unique
TENSORS.distinct = lambda index: wrap(np.unique(index._array))


@composite(
    """
    index_fill(Tensor input, int dim, Tensor index, Tensor value) -> Tensor|.int_Tensor|uint_index_fill_cpu
    index_fill(Tensor input, int dim, Tensor index, Scalar value) -> Tensor|.int_Scalar|uint_index_fill_cpu
    """,
)
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """A copy of input with one value in all slices at the indices in index along dim.

    Shapes: index is one-dimensional; value is a number or a 0-dim tensor. The result has input's shape.
    ~indices

    >>> torch.ones(2, 3).index_fill(1, torch.tensor([0, 2]), -1.)
    tensor([[-1.,  1., -1.],
            [-1.,  1., -1.]])

    In place:
    >>> torch.ones(3).index_fill_(0, torch.tensor([1]), 0.)
    tensor([1., 0., 1.])
    """
    return OPS["index_fill.tensor" if isinstance(value, Tensor) else "index_fill"].call(input, dim, index, value)


@composite("index_fill_", function=False)
def index_fill_(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """In-place version of :meth:`index_fill`."""
    entry = OPS["index_fill.tensor" if isinstance(value, Tensor) else "index_fill"]
    warn_expanded(entry, [input, dim, index, value], 1913)
    check_written(input, (index,), whole=True, apart=False)
    return entry.call_(input, dim, index, value)


# -- take and put ------------------------------------------------------------------------------------------------------


def _flat(name: str, x: np.ndarray, index: np.ndarray) -> np.ndarray:
    if index.dtype != np.int64:
        raise RuntimeError(f"{name}: Expected a long tensor for index, but got {scalar_name(index)}")
    n = x.size
    if index.size and not n:
        what = "tried to take from" if name == "take()" else "Tried to put elements into"
        raise IndexError(f"{name}: {what} an empty tensor")
    if (i := _outside(index, n)) is not None:
        raise IndexError(f"out of range: tried to access index {i} on a tensor of {n} elements.")
    return index


@op(
    "take(Tensor input, Tensor index, *, Tensor out=None) -> Tensor|uint_take_cpu|looped",
    check_out=same_dtype(
        "take(): self and out expected to have the same dtype, but got self.dtype = {0} and out.dtype = {1}"
    ),
    vjp={
        "input": writes(1)(
            says(("g added at {index}", "在 {index} 处累加的 g"))(
                lambda F, grad, index, input: F.put(F.zeros_of(grad, tuple(input.shape)), index, grad, True)
            )
        ),
    },
    out=Out(overlap="whole"),
)
def take(input: Any, index: np.ndarray) -> np.ndarray:
    """The elements at indices of the flattened input.

    Shapes: input any, index any; the result has index's shape.
    ~indices
    Errors: IndexError for an index outside of [-numel, numel).

    >>> x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    >>> x.take(torch.tensor([0, 2, -1]))
    tensor([1, 3, 6])
    """
    return np.asarray(input.reshape(-1)[_flat("take()", input, index)], order="C")


def _check_put(input: np.ndarray, index: np.ndarray, source: Any, accumulate: bool = False) -> None:
    if not accumulate:
        alert_not_deterministic("put_")
    if index.dtype != np.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {scalar_name(index)}")
    if input.dtype != source.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{scalar_name(input)} and source.dtype = {scalar_name(source)}"
        )
    if index.size != source.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.size}, index.numel() = {index.size}"
        )


def _put(input: np.ndarray, index: np.ndarray, source: Any, accumulate: bool = False) -> None:
    _flat("put_()", input, index)
    if type(input) is np.ndarray and input.flags.c_contiguous:
        input = input.reshape(-1)
    places = np.unravel_index(index.reshape(-1) % max(input.size, 1), input.shape) if input.ndim else ()
    if accumulate:
        if input.ndim:
            add_at(input, places, source.reshape(-1))
        else:
            add_at(input.reshape(1), (np.zeros(source.size, np.intp),), source.reshape(-1))
    elif input.ndim:
        input[places] = source.reshape(-1)
    elif source.size:
        input[...] = source.reshape(-1)[-1]


op(
    "put(Tensor input, Tensor index, Tensor source, bool accumulate=False) -> Tensor|uint_take_put_cpu|looped",
    "input index source",
    writes=_put,
    inplace=True,
    inplace_function=False,
    vjp={
        "input": lambda F, grad, index, source_shape, accumulate: (
            F.view_grad(grad) if accumulate else F.put(grad, index, F.zeros_of(grad, source_shape), False)
        ),
        "source": lambda F, grad, index, source_shape: F.reshape(F.take(grad, index), source_shape),
    },
    shown={"source_shape": ""},
    also=("source",),
    overlap="whole",
    looks=_check_put,
    check_out=same_dtype(),
    doc="""
    A copy of input with the elements of source at indices of the flattened input; accumulate=True adds.

    Shapes: index and source have equally many elements; the result has input's shape.
    ~indices

    >>> torch.zeros(2, 2).put(torch.tensor([0, 3]), torch.tensor([1., 2.]))
    tensor([[1., 0.],
            [0., 2.]])

    In place:
    >>> x = torch.zeros(2, 2)
    >>> x.put_(torch.tensor([1, 2]), torch.tensor([8., 9.]))
    tensor([[0., 8.],
            [9., 0.]])
    """,
    inner_writes=2,
)(copying(_put, keeps_order=True, looks=_check_put))


def _from_the_front(indices: Tensor, size: int) -> Tensor:
    """Indices of which negative ones count from the end; those that are too small come back in the same way,
    as in PyTorch."""
    i = indices._array
    return TENSORS.from_numpy(i % size) if size and all_rows(i < 0).any() else indices


@composite(
    """
    take_along_dim(Tensor input, Tensor indices, int? dim=None, *,
        Tensor out=None) -> Tensor|uint_scatter_gather_tensor_cpu
    """
)
def take_along_dim(input: Tensor, indices: Tensor, dim: Any = None, *, out: Any = None) -> Tensor:
    """The elements along dim at indices such as argsort gives; without dim, of the flattened input.

    Shapes: input and indices broadcast in all dimensions but dim; the result has indices' size there.
    ~indices

    >>> x = torch.tensor([[10, 30, 20], [60, 40, 50]])
    >>> torch.take_along_dim(x, x.argsort(1), 1)
    tensor([[10, 20, 30],
            [40, 50, 60]])
    >>> torch.take_along_dim(x, torch.tensor([0, 5]))
    tensor([10, 50])
    """
    if dim is None:
        return TENSORS.gather(TENSORS.view(input, -1), 0, TENSORS.view(indices, -1), out=out)
    x, i = input._array, indices._array
    if x.ndim != i.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{x.ndim} dimensions for input, and {i.ndim} dimensions for indices"
        )
    if i.dtype != np.int64:
        raise RuntimeError(f"torch.take_along_dim(): dtype of indices should be Long but got {scalar_name(i)}")
    d = wrap_dim(dim, x.ndim)
    if not x.ndim:
        raise IndexError(errors.DIM_SCALAR.format(d))
    one = (*x.shape[:d], 1, *x.shape[d + 1 :])
    two = (*i.shape[:d], 1, *i.shape[d + 1 :])
    common = broadcast_shapes(one, two)
    indices = _from_the_front(indices, x.shape[d])
    return TENSORS.gather(
        TENSORS.expand(input, (*common[:d], x.shape[d], *common[d + 1 :])),
        d,
        TENSORS.expand(indices, (*common[:d], i.shape[d], *common[d + 1 :])),
        out=out,
    )


# -- where something is ------------------------------------------------------------------------------------------------


def _nonzero(x: np.ndarray) -> np.ndarray:
    require_places(x)
    if not x.ndim:
        found = np.zeros((int(bool(x)), 0), np.int64)
    else:
        found = np.array(x.nonzero(), np.int64).T
    # column by column, which shows in the strides even where there is nothing
    return found if found.size else np.ndarray(found.shape, found.dtype, found.T, 0, (8, 8 * found.shape[0]))


@op(
    """
    nonzero(Tensor input, *, bool as_tuple=False,
        Tensor out=None) -> Tensor | Tensor[]|function|python|uint_nonzero_count_cpu
    nonzero(Tensor input) -> Tensor | Tensor[]|method|uint_nonzero_count_cpu
    nonzero(Tensor input, *, bool as_tuple) -> Tensor | Tensor[]|method|python
    nonzero(Tensor input, *, Tensor out=None) -> Tensor|aten
    """,
    check_out=same_dtype("nonzero: Expected out tensor to have scalar type {0} but got scalar type{1}", wanted=int64),
    method=False,
    function=False,
    inner_writes=1,
    dynamic=errors.ROWS_DYNAMIC.format("nonzero"),
)
def nonzero_kernel(input: np.ndarray) -> np.ndarray:
    """The indices of the elements that are not zero, one row each; with as_tuple=True one tensor for each dimension,
    ready for x[...].

    Shapes: input with n dimensions and z nonzero elements gives (z, n), or a tuple of n tensors (z,).
    Dtypes: any; the result is int64.

    >>> x = torch.tensor([[0, 7], [5, 0]])
    >>> torch.nonzero(x)
    tensor([[0, 1],
            [1, 0]])
    >>> x[x.nonzero(as_tuple=True)]
    tensor([7, 5])
    """
    return _nonzero(input)


_NONZERO = OPS["nonzero"].call


@composite("nonzero")
def nonzero(input: Tensor, *, as_tuple: bool = False, out: Any = None) -> Any:
    """The indices of all elements that are not zero, one row each; or a tuple of index tensors.

    >>> import autogradlab as torch
    >>> torch.nonzero(torch.tensor([0, 3, 5]))
    tensor([[1],
            [2]])
    """
    if not isinstance(as_tuple, bool):
        raise TypeError(f"nonzero(): argument 'as_tuple' must be bool, not {typename(as_tuple)}")
    if as_tuple:
        if out is not None:
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        if not input._array.ndim:
            input = TENSORS.unsqueeze(input, 0)
        return TENSORS.unbind(_NONZERO(input), 1)
    if out is None:
        return _NONZERO(input)
    found: Tensor = OPS["nonzero"].call_any(input, out=out)
    return found


@composite("argwhere(Tensor input) -> Tensor|uint_nonzero_count_cpu|looped_alone")
def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, one row each: nonzero without options.

    Shapes: (z, n) for z nonzero elements of a tensor with n dimensions.
    Dtypes: any; the result is int64.

    >>> torch.argwhere(torch.tensor([[0, 1], [1, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    if isinstance(input._array, Rows):
        return wrap(each(_nonzero, (input._array,)))
    return _NONZERO(input)
