"""Reading and writing by index: integers, slices, None and ... make views; masks,
lists and index tensors make copies."""

from __future__ import annotations

import operator
import sys
from typing import Any

import numpy as np

from ...core.arguments.mismatch import typename
from ...core.graph.node import NO_EDGE, Edge
from ...core.memory.overlap import check_apart
from ...core.memory.rows import Rows, levels_of
from ...core.memory.strided import placed
from ...core.memory.versions import of_inference
from ...core.recording.inplace import commit, refuse_captured
from ...core.recording.record import TENSORS, start_node
from ...core.runtime import errors
from ...core.runtime.modes import FLAGS
from ...core.runtime.warn import warn
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor, gradient_edge, requires_grad, wrap
from ...core.types.dtypes import cxx_name, float64
from ...core.values.building import array_from, scalar_array
from ..table.calls import view_of
from .index import _ALL, INDEX, SELECT, SLICE, check_kinds, check_mask, checked_index, lifted, put, slice_

_AS_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
    "which will result either in an error or a different result"
)
_SCALAR = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
    "tensor to a number"
)
#: whole dimensions before the one of which an entry speaks; an array has no more than 64
_WHOLE = (_ALL,) * 64
#: the dtype of indices that need no look
_LONG = np.dtype(np.int64)
_NO_PART = object()
#: entries that `_tensor` leaves as they are
_PLAIN = frozenset((int, slice, type(None), type(...), bool))
_PARTS = (slice, type(None), type(...), Tensor, list, tuple, str, range)


def _tensor(entry: Any) -> Any:
    """A list, tuple or NumPy array in an index as a tensor; anything else as it is."""
    if isinstance(entry, np.ndarray):
        if not entry.ndim and entry.dtype.kind in "iu":
            return entry.item()
        counts = entry.dtype.kind in "iuf" and entry.dtype != np.uint8  # which is a mask; PyTorch truncates others
        return TENSORS.from_numpy(entry.astype(np.int64) if counts else entry)
    if isinstance(entry, (list, tuple, str, bytes, range)):
        array = array_from(entry if isinstance(entry, (str, bytes)) else list(entry))
        if array.dtype.kind == "c":
            raise TypeError("'complex' object cannot be interpreted as an integer")
        return wrap(array if array.size and array.dtype.kind not in "fc" else array.astype(np.int64))
    return entry


def _entries(index: Any) -> list[Any]:
    """The entries of an index; a list that holds more than numbers counts as a tuple, with a warning."""
    if isinstance(index, tuple):
        return list(index)
    if isinstance(index, (list, str)) and len(index) < 32:
        part = next((e for e in index if isinstance(e, (*_PARTS, np.ndarray))), _NO_PART)
        if part is not _NO_PART:
            line = 359 if part is None or part is Ellipsis else 349
            warn(_AS_TUPLE, at=f"torch/csrc/autograd/python_variable_indexing.cpp:{line}")
            return list(index)
    return [index]


def _used(entries: list[Any]) -> int:
    """How many dimensions the entries speak of."""
    n = 0
    for e in entries:
        if isinstance(e, Tensor):
            dtype = e._array.dtype
            n += e._array.ndim if dtype.kind == "b" or dtype == np.uint8 else 1
        elif e is not None and e is not Ellipsis and e is not True and e is not False:
            n += 1
    return n


def parse(input: Tensor, index: Any, writing: bool = False) -> tuple[Tensor, tuple[Any, ...] | None]:
    """The view part of an index applied; what remains is a tuple of index tensors (None: whole dimension), or None."""
    entries = _entries(index)
    used = _used(entries)
    ndim = input._array.ndim
    if used > ndim and not isinstance(index, (int, np.integer, slice)):
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    result = input
    dim = 0
    found: list[Any] = []
    for place, entry in enumerate(entries):
        e = entry if type(entry) in _PLAIN else _tensor(entry)
        kind = type(e)
        if kind is int:
            result = _selected(result, dim, e, place)
        elif kind is slice:
            result = _sliced(result, dim, e, writing or isinstance(index, tuple))
            dim += 1
        elif e is None:
            result = TENSORS.unsqueeze(result, dim)
            dim += 1
        elif e is Ellipsis:
            dim += ndim - used
        elif kind is bool:
            result = TENSORS.unsqueeze(result, dim)
            found += [None] * (dim - len(found))
            found.append(wrap(np.array([0] if e else [], np.int64)))
            dim += 1
        elif isinstance(e, Tensor):
            array = e._array
            if not array.ndim and array.dtype.kind in "iu" and array.dtype != np.uint8 and type(array) is np.ndarray:
                result = _selected(result, dim, array.item(), place)
                continue
            found += [None] * (dim - len(found))
            if not array.ndim and array.dtype.kind in "bu":
                if isinstance(array, Rows):
                    raise RuntimeError(errors.ROWS_MASK)
                result = TENSORS.unsqueeze(result, dim)
                found.append(wrap(np.array([0] if array else [], np.int64)))
                dim += 1
            else:
                found.append(e)
                taken = array.ndim if array.dtype.kind == "b" or array.dtype == np.uint8 else 1
                if taken > 1:
                    found += [_TAKEN] * (taken - 1)
                dim += taken
        else:
            try:
                i = operator.index(e)
            except TypeError:
                raise IndexError(
                    "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
                    f"indices (got {typename(e)})"
                ) from None
            result = _selected(result, dim, i, place)
    if len(found) > result._array.ndim:
        raise IndexError(f"too many indices for tensor of dimension {result._array.ndim} (got {len(found)})")
    if not found:
        return result, None
    x = result._array
    if writing:  # put() checks them, after it has looked at the tensor
        return result, tuple([i for i in found if i is not _TAKEN])
    if len(found) > 1:
        check_kinds(found)
    checked = [checked_index(i, x, d) if isinstance(i, Tensor) else i for d, i in enumerate(found) if i is not _TAKEN]
    return result, tuple(checked)


#: stands for the further dimensions of a mask
_TAKEN = object()


def _sliced(t: Tensor, dim: int, s: slice, whole: bool) -> Tensor:
    """One slice; a whole one is left out of an index of several entries."""
    start, stop, step = s.start, s.stop, s.step
    if not t._array.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if step is None:
        if start is None and stop is None and whole:
            return t
        step = 1
    try:
        start = None if start is None else operator.index(start)
        stop = None if stop is None else operator.index(stop)
        step = operator.index(step)
    except TypeError:
        if any(isinstance(i, Tensor) for i in (s.start, s.stop, s.step)):
            raise  # a tensor says why it is no index
        raise TypeError("slice indices must be integers or None or have an __index__ method") from None
    if step <= 0:
        raise ValueError("slice step cannot be zero" if not step else "step must be greater than zero")
    if whole and step == 1 and start in (None, 0) and (stop is None or stop >= t._array.shape[dim]):
        return t
    return slice_(t, dim, start, sys.maxsize if stop is None else stop, step)


@instead(lambda call, args, kwargs: SELECT.call(*args[:3]) if call(*args) is not None else None)
def _selected(t: Tensor, dim: int, i: int, place: int = 0) -> Tensor:
    x = t._array if t._array.size else placed(t._array)
    try:
        r = x[(_ALL,) * dim + (i, ...)] if dim else x[i, ...]
    except (IndexError, OverflowError):
        if not x.ndim and i == 0:
            raise IndexError(_SCALAR) from None
        if not -(2**63) <= i < 2**63:
            raise ValueError(errors.LONG_OVERFLOW) from None
        size = x.shape[dim] if dim < x.ndim else 0
        raise IndexError(f"index {i} is out of bounds for dimension {place} with size {size}") from None
    return view_of(t, r, SELECT, (x.shape, dim, i, None, None, None))


def _plain(index: tuple[Any, ...]) -> bool:
    """Whether an index holds nothing but integers, forward slices and one ellipsis."""
    dots = 0
    for e in index:
        kind = type(e)
        if kind is slice:
            step = e.step
            if step is not None and (type(step) is not int or step <= 0):
                return False
        elif kind is not int:
            if e is not Ellipsis:
                return False
            dots += 1
    return dots < 2


def _recorded(self: Tensor, index: tuple[Any, ...], edge: Edge) -> Tensor | None:
    """self[index] for an index that is `_plain`, of a tensor whose gradient goes to `edge`; None where `parse` has to
    say what it means, or what is wrong.

    Each entry has its Node; tensors for those in between, which nobody sees, are not made.
    """
    x = self._array
    if x.ndim < len(index) - (Ellipsis in index):
        return None
    kept: tuple[Any, ...] = ()
    r, dim, last = x, 0, None
    for e in index:
        if e is Ellipsis:
            dim += x.ndim + 1 - len(index)
            continue
        shape = r.shape
        if type(e) is int:
            entry, saved, following = SELECT, (shape, dim, e, None, None, None), dim
        else:
            start, stop, step = e.start, e.stop, e.step or 1
            start = 0 if start is None else start
            stop = 2**63 - 1 if stop is None else stop
            if type(start) is not int or type(stop) is not int:
                return None
            following = dim + 1
            if step == 1 and not start and stop >= shape[dim]:
                dim = following
                continue
            entry, saved = SLICE, (shape, dim, start, stop, step, None, None, None, None, None)
        if last is not None:
            edge = start_node(last.new_node, (edge,), shape, r.dtype, kept)
        try:
            r = r[(*_WHOLE[:dim], e, ...)]
        except (IndexError, OverflowError):
            return None
        last, kept, dim = entry, saved, following
    return view_of(self, r, last, kept, None, edge) if last is not None and r.size else None


@instead(lambda call, args, kwargs: _parsed(*args))
def getitem(self: Tensor, index: Any) -> Tensor:
    """self[index]"""
    kind = type(index)
    if kind is int:
        x = self._array
        try:
            r = x[index, ...]
        except (IndexError, OverflowError):
            return _selected(self, 0, index)
        if not r.size:
            return _selected(self, 0, index)
        return view_of(self, r, SELECT, (x.shape, 0, index, None, None, None))
    if kind is slice:
        start, stop, step = index.start, index.stop, index.step
        start, step = 0 if start is None else start, 1 if step is None else step
        x = self._array
        if type(start) is int and (stop is None or type(stop) is int) and type(step) is int and step > 0 and x.ndim:
            r = x[index]
            if r.size:
                end = sys.maxsize if stop is None else stop
                return view_of(self, r, SLICE, (x.shape, 0, start, end, step, None, None, None, None, None))
        return _sliced(self, 0, index, False)
    if index is None:
        return TENSORS.unsqueeze(self, 0)
    if kind is tuple and _plain(index):
        edge = self._edge or gradient_edge(self)
        if edge is NO_EDGE:
            x = self._array
            try:
                r = x[index] if Ellipsis in index else x[(*index, ...)]
            except (IndexError, OverflowError, TypeError):
                r = x[:0] if x.ndim else x.reshape(1)[:0]
            if r.size:
                return view_of(self, r, SELECT, ())
        elif not FLAGS.unusual:
            view = _recorded(self, index, edge)
            if view is not None:
                return view
    if kind is Tensor and index._array.ndim and index._array.dtype.kind in "bi":
        if self._array.ndim < (index._array.ndim if index._array.dtype.kind == "b" else 1):
            raise IndexError(f"too many indices for tensor of dimension {self._array.ndim}")
        return INDEX(self, (checked_index(index, self._array, 0),))
    if kind is tuple and 0 < len(index) <= self._array.ndim:
        for i in index:
            if type(i) is not Tensor or i._array.dtype is not _LONG or not i._array.ndim:
                break
        else:
            return INDEX(self, index)
    return _parsed(self, index)


def _parsed(self: Tensor, index: Any) -> Tensor:
    view, indices = parse(self, index)
    if indices is not None:
        return INDEX(view, indices)
    return TENSORS.alias(self) if view is self else view


# -- assignment --------------------------------------------------------------------------------------------------------


@instead(lambda call, args, kwargs: False)
def _quick(self: Tensor, index: Any, value: Any) -> bool:
    """Write a harmless number at a simple index if no gradient is concerned; whether that was done."""
    x = self._array
    kind = x.dtype.kind
    given = type(value)
    if given is float or given is int:
        if not -100 <= value <= 100 or not (kind == "f" or (kind == "i" and given is int)):
            return False
    elif given is not bool or kind not in "bf":
        return False
    if FLAGS.unusual or of_inference(self) or (self._edge is not NO_EDGE and requires_grad(self)):
        return False
    how = type(index)
    if how is Tensor:
        places = index._array
        if not places.ndim or places.dtype.char not in "?ilq" or 0 in x.strides:
            return False
        if places.dtype.kind == "b" and (type(places) is Rows or places.shape != x.shape[: places.ndim]):
            return False
        if FLAGS.rows and not set(levels_of(places.shape)).issubset(levels_of(x.shape)):
            return False
        try:
            commit(self, value, None, places)
        except (IndexError, TypeError):
            return False
        return True
    if (
        not (how is int or (how is tuple and _plain(index)) or (how is slice and _plain((index,))))
        or 0 in x.strides
        or not x.ndim
    ):
        return False
    try:
        commit(self, value, None, index)
    except (IndexError, OverflowError, TypeError):
        return False
    return True


def setitem(self: Tensor, index: Any, value: Any) -> None:
    """self[index] = value"""
    if _quick(self, index, value):
        return
    if not isinstance(value, Tensor):
        value = _as_value(self, value)
    if index is False:
        return
    if index is True:
        _assign(TENSORS.unsqueeze(self, 0), value)
        return
    if value._array.size == 1 and (mask := _old_mask(index)) is not None:
        if mask is index:
            check_mask(mask._array, self._array, 0)
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
    if (
        type(index) is Tensor
        and index._array.ndim
        and index._array.dtype.char in "?ilq"
        and (self._array.ndim >= index._array.ndim)
    ):
        view, indices = self, (index,)
    else:
        view, indices = parse(self, index, True)
    if indices is None:
        _assign(view, value)
        return
    x = value._array
    if x.ndim and x.shape[0] == 1:
        value = _sliced_prefix(value)
    if not x.ndim and x.dtype is not self._array.dtype and len(indices) == 1 and indices[0]._array.dtype.kind == "b":
        kind = self._array.dtype.kind
        if x.dtype.kind == "c" and kind not in "cb" and x.imag or kind in "iu" and not _in_range(x, self._array.dtype):
            raise RuntimeError(f"value cannot be converted to type {_scalar_type(self)} without overflow")
    put(view, indices, value)


def _in_range(x: np.ndarray, numpy: np.dtype[Any]) -> bool:
    """Whether the number that an array without dimensions holds is within the range of an integer dtype."""
    limits = np.iinfo(numpy)
    low = -limits.max if numpy.kind == "u" else limits.min  # a negative number wraps around
    return bool(low <= x.real.item() <= limits.max)


def _scalar_type(t: Tensor) -> str:
    """The C++ type that a number is converted to for a tensor."""
    d = t.dtype
    return "int" if d.name == "int32" else f"{d.name}_t" if t._array.dtype.kind in "iu" else cxx_name(d)


@instead(lambda call, args, kwargs: lifted(call(*args)))
def _as_value(self: Tensor, value: Any) -> Tensor:
    """A Python number as a 0-dim tensor of the dtype of `self`."""
    if isinstance(value, (int, float, complex, np.integer)):
        d = self.dtype
        if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
            raise ValueError(errors.LONG_OVERFLOW)
        if d.is_floating_point and d.itemsize == 2:  # by way of a double, where more fits
            return TENSORS.to(wrap(scalar_array(value, float64)), d)
        return wrap(scalar_array(value, d))
    shown = typename(value)
    raise TypeError(f"can't assign a {shown} to a {self.type()}")


def _old_mask(index: Any) -> Tensor | None:
    """The one tensor of an index, if it is a mask of uint8."""
    found = [t for t in (index if isinstance(index, tuple) else (index,)) if isinstance(t, (Tensor, list, np.ndarray))]
    mask = found[0] if len(found) == 1 else None
    return mask if isinstance(mask, Tensor) and mask._array.ndim > 0 and mask._array.dtype == np.uint8 else None


#: the largest float of each size


def _assign(view: Tensor, value: Tensor) -> None:
    x, target = value._array, view._array
    if FLAGS.unusual:
        refuse_captured(view, "copy_")
    if x.shape == target.shape:
        TENSORS.copy_(view, value)
    elif not x.ndim:
        check_apart(target)
        TENSORS.fill_(view, value)
    else:
        value = _sliced_prefix(value)
        TENSORS.copy_(view, value if value._array.shape == target.shape else TENSORS.expand(value, target.shape))


def _sliced_prefix(value: Tensor) -> Tensor:
    """A value without its leading dimensions of size 1, which PyTorch views even where there are none."""
    shape = value._array.shape
    first = next((i for i, n in enumerate(shape) if n != 1), len(shape))
    return TENSORS.view(value, shape[first:]) if shape[first:] else TENSORS.view(value, ())


def _delitem(self: Tensor, index: Any) -> None:
    raise TypeError("Tensor does not support deleting items")


Tensor.__getitem__ = getitem
Tensor.__setitem__ = setitem
Tensor.__delitem__ = _delitem
