"""Masks: masked_fill, masked_select, masked_scatter, fill_diagonal_."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.memory.absent import require_contents
from ...core.memory.overlap import check_apart, check_written
from ...core.memory.rows import Rows
from ...core.memory.together import unpromoted
from ...core.recording.record import RAW, TENSORS, writes
from ...core.runtime.errors import ROWS_SELECTED
from ...core.runtime.warn import warn
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import cxx_name, from_numpy, scalar_name
from ...core.values.building import scalar_array
from ...core.values.promotion import broadcast_shapes
from ..table.inplace import warn_expanded
from ..table.opdef import OPS, Op, composite, op
from ..table.outputs import Out, same_dtype


def _boolean(mask: np.ndarray) -> None:
    if mask.dtype.kind != "b":
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {cxx_name(mask)}")


def _filled(input: np.ndarray, mask: np.ndarray, value: Any) -> np.ndarray:
    if mask.shape == input.shape:
        _boolean(mask)
        r = np.array(input, order="C")
        r[mask] = _of_type(value, input.dtype)
        return r
    shape = broadcast_shapes(mask.shape, input.shape)
    _boolean(mask)
    r = np.array(np.broadcast_to(input, shape), order="C")
    r[np.broadcast_to(mask, shape)] = _of_type(value, input.dtype)
    return r


#: numbers up to it fit into every float that NumPy has, but for halves, and so do those that are not finite; integers
#: only as long as they have no more bits, since they would be rounded twice
_FITS: dict[type, float] = {float: 3e38, int: 1 << 53}


def _masked_fill(input: Any, mask: Any, value: Any) -> np.ndarray:
    most = _FITS.get(type(value))
    if (
        most is not None
        and not most < abs(value) < math.inf
        and input.dtype.char in "fd"
        and mask.dtype.kind == "b"
        and type(input) is np.ndarray
        and type(mask) is np.ndarray
    ):
        if mask.shape == input.shape:
            r = input.copy()
            np.putmask(r, mask, value)
            return r
        if mask.ndim <= input.ndim:
            r = input.copy()
            try:
                np.copyto(r, value, where=mask)
            except ValueError:  # the mask is larger, or does not fit
                pass
            else:
                return r
    return _filled(input, mask, value)


def _masked_fill_tensor(input: np.ndarray, mask: np.ndarray, value: np.ndarray) -> np.ndarray:
    if value.ndim:
        if mask.shape != input.shape:
            broadcast_shapes(mask.shape, input.shape)
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    return _filled(input, mask, value)


def _of_type(value: Any, d: Any) -> np.ndarray:
    """A number or a 0-dim value in the dtype of what it is written to."""
    if not isinstance(value, np.ndarray) or value.ndim:
        return scalar_array(value, from_numpy(d))
    return value if value.dtype == d else scalar_array(value.item(), from_numpy(d))


def _fill_into(input: np.ndarray, mask: np.ndarray, value: np.ndarray) -> None:
    _boolean(mask)
    if isinstance(value, np.ndarray):
        if value.ndim:
            _masked_fill_tensor(input, mask, value)
    value = _of_type(value, input.dtype)
    if mask.shape != input.shape:
        shape = broadcast_shapes(input.shape, mask.shape)
        if shape != input.shape:
            raise RuntimeError(f"output with shape {list(input.shape)} doesn't match the broadcast shape {list(shape)}")
        mask = np.broadcast_to(mask, shape)
    input[mask] = value


def _fill_backward(F: Any, grad: Any, mask: Any) -> Any:
    """The gradient of the number that was written; under vmap, where rows would select unequally many, of zeros too."""
    arrays = [x._array if isinstance(x, Tensor) else x for x in (grad, mask)]
    if any(isinstance(x, Rows) for x in arrays):
        return F.where(mask, grad, F.zero_dim(grad)).sum()
    return F.sum(F.masked_select(grad, mask))


_FILLS = [
    Op(
        "masked_fill",
        _masked_fill_tensor,
        "input mask value",
        numbers=True,
        node="MaskedFillBackward1",
        overload="Tensor",
        writes=_fill_into,
        overlap="",
        vjp={
            "input": lambda F, grad, mask: F.masked_fill(grad, mask, 0),
            "value": _fill_backward,
        },
    ),
    Op(
        "masked_fill",
        _masked_fill,
        "input mask",
        in_rows="arithmetic",
        together=unpromoted,
        numbers=True,
        node="MaskedFillBackward0",
        overload="Scalar",
        writes=_fill_into,
        overlap="",
        vjp={
            "input": lambda F, grad, mask: F.masked_fill(grad, mask, 0),
        },
    ),
]
OPS["masked_fill"] = _FILLS[1]
RAW.masked_fill = _masked_fill


@composite(
    """
    masked_fill(Tensor input, Tensor mask, Tensor value) -> Tensor|.Tensor|uint_masked_fill
    masked_fill(Tensor input, Tensor mask, Scalar value) -> Tensor|.Scalar|uint_masked_fill
    """,
)
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """A copy of input with value wherever mask is True.

    Shapes: mask broadcasts to input; value is a number or a 0-dim tensor. The result is the broadcast shape.
    Dtypes: any; mask is bool, value must fit into input's dtype.

    >>> x = torch.tensor([[1., 2.], [3., 4.]])
    >>> x.masked_fill(torch.tensor([[False, True], [False, False]]), float('-inf'))
    tensor([[1., -inf],
            [3., 4.]])

    In place:
    >>> x = torch.tensor([1., -2., 3.])
    >>> x.masked_fill_(x < 0, 0.)
    tensor([1., 0., 3.])
    """
    return _FILLS[not isinstance(value, Tensor)].call(input, mask, value)


@composite("masked_fill_", function=False)
def masked_fill_(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """In-place version of :meth:`masked_fill`."""
    entry = _FILLS[not isinstance(value, Tensor)]
    warn_expanded(entry, [input, mask, value], 2450)
    check_written(input, (mask,), apart=False)
    return entry.call_(input, mask, value)


# -- select and scatter ------------------------------------------------------------------------------------------------


def _selected_back(F: Any, grad: Any, mask: Any, shape: tuple[int, ...]) -> Any:
    """What was selected at its place among zeros; the engine sums it to the input's shape."""
    return F.masked_scatter(F.zeros_of(grad, broadcast_shapes(tuple(mask.shape), shape)), mask, grad)


@op(
    "masked_select(Tensor input, Tensor mask, *, Tensor out=None) -> Tensor|uint_masked_select",
    check_out=same_dtype("masked_select(): self and result must have the same scalar type"),
    out=Out(overlap="whole"),
    shown={"input": "self"},
    dynamic=ROWS_SELECTED,
    vjp={
        "input": writes(1)(lambda F, grad, mask, input: _selected_back(F, grad, mask, tuple(input.shape))),
    },
)
def masked_select(input: Any, mask: np.ndarray) -> np.ndarray:
    """The elements where mask is True, in one dimension.

    Shapes: input and mask broadcast; the result has one dimension, as long as there are True values.
    Dtypes: any; mask is bool.

    >>> x = torch.tensor([[1., -2.], [-3., 4.]])
    >>> torch.masked_select(x, x > 0)
    tensor([1., 4.])
    """
    require_contents("aten::masked_select", input, mask)
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    if mask.shape == input.shape:
        return input[mask]
    shape = broadcast_shapes(mask.shape, input.shape)
    return np.broadcast_to(input, shape)[np.broadcast_to(mask, shape)]


_BYTES = (
    "masked_scatter_ received a mask with dtype torch.uint8, this behavior is now deprecated,please use a mask with "
    "dtype torch.bool instead."
)


def _spread(input: np.ndarray, mask: np.ndarray, source: np.ndarray) -> None:
    check_apart(input)
    if input.dtype != source.dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got{scalar_name(input)} and "
            f"{scalar_name(source)}"
        )
    if mask.dtype == np.uint8:
        warn(_BYTES, at="aten/src/ATen/native/TensorAdvancedIndexing.cpp:3130")
    if mask.shape != input.shape:
        mask = RAW.expand(mask, input.shape)
    if mask.dtype.kind != "b":
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {scalar_name(mask)}")
    count = int(np.count_nonzero(mask))
    if count > source.size:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    input[mask] = source.reshape(-1)[:count]


def _masked_scatter(input: np.ndarray, mask: np.ndarray, source: np.ndarray) -> np.ndarray:
    r = np.array(np.broadcast_to(input, broadcast_shapes(mask.shape, input.shape)), order="C")
    _spread(r, mask, source)
    return r


_SCATTER = OPS["masked_scatter"] = Op(
    "masked_scatter",
    _masked_scatter,
    "input mask source",
    vjp={
        "input": lambda F, grad, mask: F.masked_fill(grad, mask, 0),
        "source": lambda F, grad, mask, source_shape: F.masked_scatter_backward(grad, mask, source_shape),
    },
    shown={"source_shape": "source_sym_sizes"},
    writes=_spread,
    overlap="",
)
RAW.masked_scatter = _masked_scatter


@op(
    "masked_scatter_backward",
    "grad_output mask",
    node="MaskedScatterBackwardBackward0",
    vjp={"grad_output": lambda F, grad, grad_output, mask: F.masked_scatter(F.zeros_like(grad_output), mask, grad)},
    shown={"grad_output": ""},
)
def masked_scatter_backward(grad_output: Any, mask: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    """The elements that were taken of the source, zero for those behind them."""
    values = RAW.masked_select(grad_output, mask)
    r = np.zeros(sizes, grad_output.dtype)
    r.reshape(-1)[: values.size] = values
    return r


@composite("masked_scatter(Tensor input, Tensor mask, Tensor source) -> Tensor|uint_masked_scatter|looped")
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy of input with elements of source, in order, where mask is True.

    Shapes: mask broadcasts to input; source needs at least as many elements as there are True values.
    Dtypes: input and source have the same one; mask is bool.

    >>> x = torch.zeros(2, 2)
    >>> x.masked_scatter(torch.tensor([[True, False], [True, True]]), torch.tensor([1., 2., 3., 4.]))
    tensor([[1., 0.],
            [2., 3.]])

    In place:
    >>> x = torch.zeros(4)
    >>> x.masked_scatter_(torch.tensor([False, True, True, False]), torch.tensor([8., 9.]))
    tensor([0., 8., 9., 0.])
    """
    return _SCATTER.call(input, mask, source)


@composite("masked_scatter_", function=False)
def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """In-place version of :meth:`masked_scatter`."""
    return _SCATTER.call_(input, mask, source)


@composite("fill_diagonal_(Tensor input, Scalar fill_value, bool wrap=False) -> Tensor", function=False)
def fill_diagonal_(input: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Writes a value on the main diagonal, in place; wrap=True repeats it below in tall matrices.

    Shapes: two dimensions at least; with more, all sizes equal.
    ~same-dtype

    >>> torch.zeros(3, 2).fill_diagonal_(5)
    tensor([[5., 0.],
            [0., 5.],
            [0., 0.]])
    """
    shape = input._array.shape
    n = len(shape)
    if n < 2:
        raise RuntimeError("dimensions must larger than 1")
    if n > 2 and len(set(shape)) != 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    strides = TENSORS.stride(input)
    step, size = sum(strides), min(shape)
    start = TENSORS.storage_offset(input)
    TENSORS.fill_(TENSORS.as_strided(input, (size,), (step,), start), fill_value)
    if wrap and n == 2 and shape[0] > shape[1] + 1:
        left = -(-input._array.size // (shape[1] + 1)) - size
        TENSORS.fill_(TENSORS.as_strided(input, (left,), (step,), start + strides[0] * (shape[1] + 1)), fill_value)
    return input
