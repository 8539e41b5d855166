"""Indexing: integers, slices, None and ... give views; masks and index tensors give copies. And assignment to both."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np

from ..dims import wrap_dim
from ..opdef import composite, op
from ..record import TENSORS
from ..tensor import Tensor, wrap


@op("select", view=True, vjp={"input": lambda F, grad, input_shape, dim, index: F.select_backward(grad, input_shape, dim, index)})
def select(input, dim, index):  # type: ignore[no-untyped-def]
    """The view at one index of a dimension."""
    if input.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, input.ndim)
    n = input.shape[d]
    if not -n <= index < n:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {d}")
    return input[(slice(None),) * d + (index, ...)]


@op("select_backward", "grad_output", method=False, function=False, vjp={
    "grad_output": lambda F, grad, dim, index: F.select(grad, dim, index),
})  # fmt: skip
def select_backward(grad_output, input_shape, dim, index):  # type: ignore[no-untyped-def]
    g = np.zeros(input_shape, grad_output.dtype)
    g[(slice(None),) * wrap_dim(dim, len(input_shape)) + (index,)] = grad_output
    return g


def _cut(dim: int, ndim: int, start: Any, end: Any, step: int) -> tuple[Any, ...]:
    return (slice(None),) * wrap_dim(dim, ndim) + (slice(start, end, step),)


@op("slice", view=True, method=False, function=False, vjp={
    "input": lambda F, grad, input_shape, dim, start, end, step: F.slice_backward(grad, input_shape, dim, start, end, step),
})  # fmt: skip
def slice_(input, dim=0, start=None, end=None, step=1):  # type: ignore[no-untyped-def]
    return input[_cut(dim, input.ndim, start, end, step)]


@op("slice_backward", "grad_output", method=False, function=False, vjp={
    "grad_output": lambda F, grad, dim, start, end, step: F.slice(grad, dim, start, end, step),
})  # fmt: skip
def slice_backward(grad_output, input_shape, dim, start, end, step):  # type: ignore[no-untyped-def]
    g = np.zeros(input_shape, grad_output.dtype)
    g[_cut(dim, len(input_shape), start, end, step)] = grad_output
    return g


@op("alias", view=True, method=False, function=False, vjp={"input": lambda F, grad: grad})
def alias_view(input):  # type: ignore[no-untyped-def]
    return input[...]


def _positions(indices: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(slice(None) if i is None else i for i in indices)


@op("index", method=False, function=False, node="IndexBackward0", vjp={
    "input": lambda F, grad, input_shape, indices: F.index_backward(grad, input_shape, indices),
})  # fmt: skip
def index(input, indices):  # type: ignore[no-untyped-def]
    return input[_positions(indices)]


@op("index_backward", "grad_output", method=False, function=False, node="IndexPutBackward0", vjp={
    "grad_output": lambda F, grad, indices: F.index(grad, indices),
})  # fmt: skip
def index_backward(grad_output, input_shape, indices):  # type: ignore[no-untyped-def]
    g = np.zeros(input_shape, grad_output.dtype)
    places = _positions(indices)
    if any(isinstance(i, np.ndarray) and i.dtype.kind == "b" for i in indices) and sum(i is not None for i in indices) == 1:
        g[places] = grad_output  # a mask names every element at most once
    else:
        np.add.at(g, places, grad_output)
    return g


@op("index_put", "input values", inplace=True, vjp={
    "input": lambda F, grad, indices, accumulate, values_shape:
        grad if accumulate else F.index_put(grad, indices, F.zero_dim(grad), False),
    "values": lambda F, grad, indices, values_shape: F.sum_to_size(F.index(grad, indices), values_shape),
})  # fmt: skip
def index_put(input, indices, values, accumulate=False):  # type: ignore[no-untyped-def]
    """A copy with `values` at `indices`."""
    r = np.array(input)
    places = _positions(tuple(i._array if isinstance(i, Tensor) else i for i in indices))
    if accumulate:
        np.add.at(r, places, values)
    else:
        try:
            r[places] = values
        except ValueError:
            raise RuntimeError(f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing "
                               f"result of shape {list(r[places].shape)}") from None  # fmt: skip
    return r


# -- reading an index --------------------------------------------------------------------------------------------------------


def _is_advanced(i: Any) -> bool:
    return isinstance(i, (Tensor, np.ndarray, list, tuple)) and not (isinstance(i, Tensor) and _scalar_index(i))


def _scalar_index(t: Tensor) -> bool:
    return not t._array.ndim and t._array.dtype.kind in "iu"


def _entries(index: Any) -> list[Any]:
    """The entries of an index, a list of numbers being one entry."""
    if isinstance(index, tuple):
        return list(index)
    if isinstance(index, list) and any(isinstance(i, (slice, type(None), type(...), Tensor, list, tuple)) for i in index) and (
        len(index) < 32) and any(isinstance(i, (slice, type(None), type(...))) for i in index):  # fmt: skip
        return list(index)
    return [index]


def _as_index(entry: Any, where: Tensor) -> np.ndarray:
    """An index tensor, list or mask as an array of integers or bools."""
    if isinstance(entry, Tensor):
        array = entry._array
        if array.dtype == np.uint8:
            warnings.warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
                          UserWarning, stacklevel=5)  # fmt: skip
            return array.astype(bool)
    else:
        from ..conversion import array_from

        array = np.asarray(entry) if isinstance(entry, np.ndarray) else array_from(entry)
        if isinstance(entry, (list, tuple)) and not array.size:
            array = array.astype(np.int64)
    if array.dtype.kind not in "biu" or array.dtype.itemsize not in (1, 4, 8):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return array


def _count_dims(entries: list[Any]) -> int:
    n = 0
    for e in entries:
        if e is None or e is Ellipsis or isinstance(e, (bool, np.bool_)):
            continue
        if isinstance(e, Tensor) and e._array.dtype.kind in "b" or isinstance(e, Tensor) and e._array.dtype == np.uint8:
            n += e._array.ndim
        elif isinstance(e, np.ndarray) and e.dtype.kind == "b":
            n += e.ndim
        elif isinstance(e, list) and e and isinstance(e[0], bool):
            n += 1
        else:
            n += 1
    return n


def _parse(input: Tensor, index: Any) -> tuple[Tensor, tuple[Any, ...] | None]:
    """Apply the view part of an index; what remains is a tuple of index arrays (None: whole dimension), or None."""
    entries = _entries(index)
    used = _count_dims(entries)
    if used > input._array.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input._array.ndim}")
    result = input
    dim = 0
    arrays: list[Any] = []
    for position, e in enumerate(entries):
        if e is Ellipsis:
            dim += input._array.ndim - used
        elif e is None:
            result = TENSORS.unsqueeze(result, dim)
            dim += 1
        elif isinstance(e, (bool, np.bool_)):
            result = TENSORS.unsqueeze(result, dim)
            arrays += [None] * (dim - len(arrays)) + [np.array([0] if e else [], np.int64)]
            dim += 1
        elif isinstance(e, slice):
            result = _sliced(result, dim, e)
            dim += 1
        elif _is_advanced(e):
            array = _as_index(e, result)
            arrays += [None] * (dim - len(arrays))
            if array.dtype.kind == "b" and array.ndim == 0:
                result = TENSORS.unsqueeze(result, dim)
                arrays.append(np.array([0] if array else [], np.int64))
                dim += 1
            elif array.dtype.kind == "b":
                _check_mask(array, result._array, dim)
                if array.ndim > 1:
                    arrays += list(array.nonzero())
                else:
                    arrays.append(array.nonzero()[0])
                dim += array.ndim
            else:
                arrays.append(_check_range(array, result._array, dim))
                dim += 1
        else:
            result = _selected(result, dim, e, input, position)
    return result, tuple(arrays) if arrays else None


def _check_mask(mask: np.ndarray, x: np.ndarray, dim: int) -> None:
    for i, n in enumerate(mask.shape):
        if x.shape[dim + i] != n:
            raise IndexError(f"The shape of the mask {list(mask.shape)} at index {i} does not match the shape of the indexed "
                             f"tensor {list(x.shape)} at index {dim + i}")  # fmt: skip


def _check_range(array: np.ndarray, x: np.ndarray, dim: int) -> np.ndarray:
    n = x.shape[dim]
    if array.size and (array.min() < -n or array.max() >= n):
        bad = array[(array < -n) | (array >= n)].reshape(-1)[0]
        raise IndexError(f"index {bad} is out of bounds for dimension {dim} with size {n}")
    return array


def _sliced(t: Tensor, dim: int, s: slice) -> Tensor:
    start, stop, step = (None if v is None else operator.index(v) for v in (s.start, s.stop, s.step))
    step = 1 if step is None else step
    if step <= 0:
        raise ValueError("step must be greater than zero")
    n = t._array.shape[dim]
    if step == 1 and start in (None, 0) and (stop is None or stop >= n):
        return t
    return TENSORS.slice(t, dim, start, stop, step)  # type: ignore[no-any-return]


def _selected(t: Tensor, dim: int, e: Any, input: Tensor, position: int) -> Tensor:
    try:
        i = operator.index(e)
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
            f"{type(e).__name__})"
        ) from None
    if not t._array.ndim or dim >= t._array.ndim:
        raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                         "convert a 0-dim tensor to a number")  # fmt: skip
    n = t._array.shape[dim]
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {n}")
    return TENSORS.select(t, dim, i)  # type: ignore[no-any-return]


def getitem(self: Tensor, index: Any) -> Tensor:
    if type(index) is int:
        if self._array.ndim:
            return _selected(self, 0, index, self, 0)
        raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                         "convert a 0-dim tensor to a number")  # fmt: skip
    if not self._array.ndim and not isinstance(index, (tuple, type(None), type(...), bool, Tensor, np.ndarray)):
        _selected(self, 0, index, self, 0)
    view, arrays = _parse(self, index)
    if arrays is not None:
        return TENSORS.index(view, arrays)  # type: ignore[no-any-return]
    return TENSORS.alias(self) if view is self else view  # type: ignore[no-any-return]


def setitem(self: Tensor, index: Any, value: Any) -> None:
    view, arrays = _parse(self, index)
    if not isinstance(value, Tensor):
        value = _as_value(self, value)
    if arrays is None:
        _assign(view, value)
        return
    spot = view._array[_positions(arrays)]
    if value._array.dtype is not self._array.dtype:
        if value._array.ndim:
            raise RuntimeError("Index put requires the source and destination dtypes match, got "
                               f"{_name(self)} for the destination and {_name(value)} for the source.")  # fmt: skip
        value = TENSORS.to(value, self.dtype)
    while value._array.ndim > spot.ndim and value._array.shape[0] == 1:
        value = TENSORS.squeeze(value, 0)
    TENSORS.index_put_(view, arrays, value)


def _name(t: Tensor) -> str:
    from ..dtypes import _scalar_name

    return _scalar_name(t.dtype)


def _as_value(self: Tensor, value: Any) -> Tensor:
    from ..promotion import is_number, number

    if is_number(value):
        if isinstance(value, complex) and not self.dtype.is_complex:
            raise RuntimeError("value cannot be converted to type float without overflow")
        return wrap(number(int(value) if self._array.dtype.kind in "iu" else value, self._array.dtype))
    if isinstance(value, np.ndarray):
        return wrap(np.asarray(value, self._array.dtype))
    raise TypeError(f"can't assign a {type(value).__name__} to a {self.type()}")


def _assign(view: Tensor, value: Tensor) -> None:
    target = view._array
    x = value._array
    while value._array.ndim > target.ndim and value._array.shape[0] == 1:
        value = TENSORS.squeeze(value, 0)
    x = value._array
    if x.ndim > target.ndim or any(a not in (1, b) for a, b in zip(reversed(x.shape), reversed(target.shape), strict=False)):
        from .shape import expanded

        if x.ndim <= target.ndim:
            expanded(x.shape, target.shape)
        raise RuntimeError(f"expand(torch.{_name(value)}Tensor{{{list(x.shape)}}}, size={list(target.shape)}): the number of "
                           f"sizes provided ({target.ndim}) must be greater or equal to the number of dimensions in the "
                           f"tensor ({x.ndim})")  # fmt: skip
    TENSORS.copy_(view, value)


Tensor.__getitem__ = getitem  # type: ignore[attr-defined]
Tensor.__setitem__ = setitem  # type: ignore[attr-defined]


@composite()
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """The view of `length` elements of a dimension from `start` on."""
    start = operator.index(start)
    n = input._array.shape[wrap_dim(dim, input._array.ndim)]
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
    start = start + n if start < 0 else start
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return TENSORS.slice(input, dim, start, start + length, 1)  # type: ignore[no-any-return]


@op("unbind", view=True, multi=True, vjp={
    "input": lambda F, grad, dim, input_shape, input_dtype: F.unbind_backward(grad, dim, input_shape, input_dtype),
})  # fmt: skip
def unbind(input, dim=0):  # type: ignore[no-untyped-def]
    """The views at each index of a dimension, as a tuple."""
    if input.ndim == 0:
        raise RuntimeError("Dimension specified as 0 but tensor has no dimensions")
    d = wrap_dim(dim, input.ndim)
    lead = (slice(None),) * d
    return [input[(*lead, i, ...)] for i in range(input.shape[d])]
