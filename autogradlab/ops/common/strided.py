"""Views by shape, strides and offset: as_strided, what autograd does with it, and the *_scatter operations."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...core.graph.node import NO_EDGE
from ...core.memory import strided
from ...core.memory.layout import fills_memory, iterated
from ...core.memory.lazy import LazyArray, as_lazy_as
from ...core.memory.rows import Rows, laid_by, one_row
from ...core.memory.storage import address, owner, storage_of
from ...core.memory.versions import INFERENCE, of_inference
from ...core.recording.inplace import check_inplace
from ...core.recording.record import RAW, TENSORS, says, writes
from ...core.runtime import errors, modes
from ...core.runtime.modes import LOCAL
from ...core.tensor.dispatching import Unseen, instead
from ...core.tensor.tensor import Tensor, requires_grad, wrap
from ...core.types.dtypes import scalar_name
from ..table.asking import at
from ..table.calls import view_of
from ..table.opdef import OPS, Op, composite, op, publish
from ..table.outputs import COPIED
from .inplace_views import reshaped_in_place

F = TENSORS


def _recorded_backward(grad: Tensor, base: Any, view: Any) -> Tensor:
    """The gradient of a base, given that of a strided view of it, in the steps that PyTorch records: into memory that
    holds both, and out of it. Elements met twice are summed."""
    if 0 in view.shape or 0 in base.shape:
        return F.zeros_of(grad, base.shape)
    kept: list[int] = []
    for d in range(len(view.shape) - 1, -1, -1):
        if view.shape[d] == 1:
            grad = F.squeeze(grad, d)
        elif not view.strides[d]:
            grad = F.sum(grad, d)
        else:
            kept.insert(0, d)
    out = [view.shape[d] for d in kept], [view.strides[d] for d in kept]
    shared = min(0, view.offset)
    size = max(base.bounds()[1], view.bounds()[1]) - shared + 1
    memory = F.zeros_of(grad, (size,))
    places = wrap(np.arange(size))
    if strided.overlapping(*out):
        index = F.reshape(F.as_strided(places, *out, view.offset - shared), -1)
        F.index_add_(memory, 0, index, F.reshape(grad, -1))
    else:
        F.copy_(F.as_strided(memory, *out, view.offset - shared), grad)
    if base.overlaps():
        index = F.reshape(F.as_strided(places, base.shape, base.strides, -shared), -1)
        F.div_(memory, wrap(np.bincount(index._array, minlength=size).astype(grad._array.dtype)))
    return F.as_strided(memory, base.shape, base.strides, -shared)


RAW.as_strided_backward, TENSORS.as_strided_backward = strided.strided_backward, _recorded_backward


# -- as_strided --------------------------------------------------------------------------------------------------------


def _entry(input: Any, size: Any, stride: Any, storage_offset: Any = None, base: Any = None, view: Any = None) -> None:
    raise NotImplementedError("as_strided needs the storage of a tensor")


_VJP = {
    "input": writes(1)(
        says(("g added where each element lies in memory", "按元素在内存中的位置累加的 g"))(
            lambda F, grad, size, stride, storage_offset, base, view: F.as_strided_backward(grad, base, view)
        )
    )
}
_STRIDED = OPS["as_strided"] = Op("as_strided", _entry, view=True, vjp=_VJP)
_STRIDED_ = Op("as_strided", _entry, view=True, node="AsStridedBackward1", vjp=_VJP)
_STRIDED_COPY = Op(
    "as_strided_copy",
    lambda input, shown, size, stride, storage_offset, base, view: np.array(shown, order="C"),
    node="AsStridedBackward0_copy",
    vjp=_VJP,
)


def _within(size: Any, stride: Any, offset: int, item: int, nbytes: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Sizes and strides as Python's integers, after PyTorch's checks that they stay within so many bytes."""
    size, stride = tuple(map(operator.index, size)), tuple(map(operator.index, stride))
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if any(n < 0 for n in size):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    reach = 0 if 0 in size else 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    needed = (offset + reach) * item if reach else 0
    if needed > nbytes:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize {item} "
            f"requiring a storage size of {needed} are out of bounds for storage of size {nbytes}"
        )
    return size, stride


def _within_row(x: Rows, size: Any, stride: Any, offset: int, begin: int) -> None:
    """Refuse what reaches beyond the memory of the first of many rows, which lies from `begin` on."""
    if len(size) != len(stride):
        raise RuntimeError(errors.ROWS_STRIDES.format([*size], [*stride]))
    if 0 in size:
        return
    given = f"{[*size]}", f"{[*stride]}", offset
    if not x.size:
        why = "`tensor` has no storage but the passed-in (size, stride, storage_offset) imply a result with some "
        why += "storage. "
        raise RuntimeError(errors.ROWS_STRIDED.format(*given, why))
    end = offset + 1 + sum([(n - 1) * s for n, s in zip(size, stride, strict=True)])
    last = begin + 1 + sum([(n - 1) * (s // x.itemsize) for n, s in zip(x.shape, x.strides, strict=True)])
    if end > last or offset < begin:
        why = (
            f"`result` can access some memory in range [{offset}, {end}], but `tensor` can only access some memory in "
            f"range [{begin}, {last}]. "
        )
        raise RuntimeError(errors.ROWS_STRIDED.format(*given, why))


def _strided(input: Tensor, size: Any, stride: Any, storage_offset: Any) -> tuple[Any, ...]:
    """The array of as_strided, and what its Node saves."""
    x = input._array
    if isinstance(x, Rows):
        begin = TENSORS.storage_offset(input)
        offset = begin if storage_offset is None else operator.index(storage_offset)
        _within_row(x, size, stride, offset, begin)
        steps = tuple([s * x.itemsize for s in stride])
        r = x.window(tuple(size), steps, strided.window, (offset - begin) * x.itemsize)
        return r, size, stride, storage_offset, strided.Geometry(x), strided.Geometry(r, x)
    storage = storage_of(input)
    offset = TENSORS.storage_offset(input) if storage_offset is None else operator.index(storage_offset)
    size, stride = _within(size, stride, offset, x.itemsize, storage.nbytes())
    start, steps = min(offset * x.itemsize, storage.nbytes()), tuple(s * x.itemsize for s in stride)
    r = as_lazy_as(x, np.ndarray(size, x.dtype, storage.buffer, start, steps))
    return r, size, stride, storage_offset, strided.Geometry(x), strided.Geometry(r, x)


def _asked_strided(input: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    """The same while a mode is to be asked: of what is not recorded."""
    if LOCAL.state.record and requires_grad(input):
        raise Unseen("autogradlab cannot tell a mode with __torch_dispatch__ of as_strided where it is recorded")
    given = {"size": list(size), "stride": list(stride), "storage_offset": storage_offset}
    found: Tensor = at("as_strided", input=input, **given)
    return found


@composite("as_strided(Tensor input, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor")
@instead(lambda call, args, kwargs: _asked_strided(*args))
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    """A view of the memory with any shape, strides and offset; elements may be shown several times.

    Shapes: the given size.
    ~view
    Errors: RuntimeError where it would reach beyond the memory.

    >>> torch.as_strided(torch.arange(5), (3, 3), (1, 1))
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])

    In place:
    >>> torch.arange(5).as_strided_((2, 2), (1, 2))
    tensor([[0, 2],
            [1, 3]])
    """
    r, *saved = _strided(input, size, stride, storage_offset)
    return view_of(input, r, _STRIDED, (*saved, None, None, None, None, None))


def copy_strided(input: Tensor, size: Any, stride: Any, storage_offset: Any, **options: Any) -> Tensor:
    """as_strided as a copy: `torch.as_strided_copy`."""
    found: Tensor = _STRIDED_COPY.call(input, *_strided(input, size, stride, storage_offset), **options)
    return found


@composite("as_strided_")
def as_strided_(input: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    """In-place version of :meth:`as_strided`."""
    if modes.current().record and requires_grad(input):
        check_inplace(input, input)
    r, *saved = _strided(input, size, stride, storage_offset)
    return reshaped_in_place(input, _STRIDED_, [input, *saved], r)


# -- writing a view into a copy ----------------------------------------------------------------------------------------


def _fits(part: np.ndarray, src: np.ndarray) -> None:
    if part.shape != src.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice size = "
            f"{list(part.shape)}"
        )


def _cloned(input: np.ndarray) -> np.ndarray:
    """A copy with the same strides, at the same place in memory of the same size."""
    root = owner(input)
    if type(input) is not np.ndarray or 0 in input.strides or not fills_memory(root):
        return np.array(input, order="C")
    if input.flags.c_contiguous and input.nbytes == root.nbytes and 1 not in input.shape:
        return input.copy()
    memory = np.array(root.ravel("K")).view(np.uint8)
    return np.ndarray(input.shape, input.dtype, memory, address(input) - address(root), input.strides)


def _copied(input: np.ndarray, view: Any, src: np.ndarray) -> np.ndarray:
    r = _cloned(input)
    part = view(r)
    _fits(part, src)
    part[...] = src
    return r


@op(
    "select_scatter(Tensor input, Tensor src, int dim, SymInt index) -> Tensor",
    vjp={
        "input": lambda F, grad, src_shape, dim, index: F.select_scatter(grad, F.zeros_of(grad, src_shape), dim, index),
        "src": lambda F, grad, dim, index: F.select(grad, dim, index),
    },
    shown={"src_shape": ""},
    inner_writes=2,
    real=True,
)
def select_scatter(input: Any, src: np.ndarray, dim: int, index: int) -> np.ndarray:
    """A copy of input whose slice at one place along dim is src.

    Shapes: src has input's shape without dim.
    ~same-dtype

    >>> torch.zeros(2, 2).select_scatter(torch.tensor([1., 2.]), 0, 1)
    tensor([[0., 0.],
            [1., 2.]])
    """
    return _copied(input, lambda r: RAW.select(r, dim, index), src)


@op(
    """
    slice_scatter(Tensor input, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1, *,
        Tensor out=None) -> Tensor
    """,
    out=COPIED,
    vjp={
        "input": lambda F, grad, src_shape, dim, start, end, step: F.slice_scatter(
            grad, F.zeros_of(grad, src_shape), dim, start, end, step
        ),
        "src": lambda F, grad, dim, start, end, step: F.slice(grad, dim, start, end, step),
    },
    shown={"src_shape": ""},
    inner_writes=2,
    real=True,
)
def slice_scatter(
    input: Any, src: np.ndarray, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> np.ndarray:
    """A copy of input whose part [start:end:step] along dim is src.

    Shapes: src has the shape of that part.
    ~same-dtype

    >>> torch.zeros(4).slice_scatter(torch.tensor([1., 2.]), 0, 1, 3)
    tensor([0., 1., 2., 0.])
    """
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    return _copied(input, lambda r: RAW.slice(r, dim, start, end, step), src)


@op(
    "diagonal_scatter(Tensor input, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
    vjp={
        "input": lambda F, grad, src_shape, offset, dim1, dim2: F.diagonal_scatter(
            grad, F.zeros_of(grad, src_shape), offset, dim1, dim2
        ),
        "src": lambda F, grad, offset, dim1, dim2: F.diagonal(grad, offset, dim1, dim2),
    },
    shown={"src_shape": ""},
    inner_writes=2,
)
@laid_by(lambda r, input, src: iterated(r, input))
def diagonal_scatter(input: Any, src: np.ndarray, offset: int = 0, dim1: int = 0, dim2: int = 1) -> np.ndarray:
    """A copy of input whose diagonal is src.

    Shapes: src has the shape of input.diagonal(offset, dim1, dim2).
    ~same-dtype

    >>> torch.zeros(2, 2).diagonal_scatter(torch.tensor([1., 2.]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    return _copied(input, lambda r: RAW.diagonal(r, offset, dim1, dim2), src)


def _as_strided_scatter(
    input: np.ndarray,
    src: np.ndarray,
    size: tuple[int, ...],
    stride: tuple[int, ...],
    storage_offset: int | None = None,
) -> np.ndarray:
    one_row(input, src)
    r = _cloned(input)
    memory = owner(r).reshape(-1).view(r.dtype)
    offset = (address(r) - address(memory)) // r.itemsize if storage_offset is None else storage_offset
    part = _window(memory, size, stride, offset)
    _fits(part, src)
    part[...] = src
    return r


def _window(r: np.ndarray, size: Any, stride: Any, offset: Any) -> np.ndarray:
    one_row(r)
    item, offset = r.itemsize, operator.index(offset or 0)
    size, stride = _within(size, stride, offset, item, r.nbytes)
    return np.ndarray(size, r.dtype, r, min(offset * item, r.nbytes), tuple(s * item for s in stride))


def _strided_part(grad: Any, size: Any, stride: Any, storage_offset: Any) -> Any:
    """The elements that as_strided names in a gradient laid out in row order."""
    return np.array(_window(np.ascontiguousarray(grad), size, stride, storage_offset))


def _part_of_strided(grad: Any, shape: Any, strides: Any, *place: Any) -> Any:
    """PyTorch's gradient for the input: zero but where src was written, laid out like the input."""
    r = np.zeros(shape, grad.dtype)
    _window(r, *place)[...] = _strided_part(grad, *place)
    return _window(r, shape, strides, 0)


def _part_of_strided_recorded(grad: Tensor, shape: Any, strides: Any, *place: Any) -> Tensor:
    part, r = F.as_strided(F.contiguous(grad), *place), F.zeros_of(grad, shape)
    result: Tensor = F.as_strided(r, shape, strides)
    F.copy_(F.as_strided(r, *place), part)
    return result


def _strided_part_recorded(grad: Tensor, *place: Any) -> Tensor:
    part: Tensor = F.as_strided(F.contiguous(grad), *place)
    return part


def _scattered_strided(
    F: Any,
    tangents: list[Any],
    input_shape: Any,
    input_strides: Any,
    input_offset: int,
    size: Any,
    stride: Any,
    storage_offset: int | None,
) -> Any:
    """The tangent, in memory laid out as the input was, which PyTorch's gradients forget."""
    by_input, by_src = tangents
    offset = input_offset if storage_offset is None else storage_offset
    whole, part = (input_shape, input_strides, input_offset), (size, stride, offset)
    reach = [at + 1 + sum((n - 1) * s for n, s in zip(*of, strict=True)) for *of, at in (whole, part) if 0 not in of[0]]
    memory = F.zeros_of(by_src if by_input is None else by_input, (max(reach, default=0),))
    if by_input is not None:
        F.copy_(F.as_strided(memory, *whole), by_input)
    written = F.as_strided(memory, *part)
    if by_src is None:
        F.fill_(written, 0)
    else:
        F.copy_(written, by_src)
    return F.as_strided(memory, *whole)


RAW.strided_part = _strided_part
TENSORS.strided_part = _strided_part_recorded
RAW.part_of_strided, TENSORS.part_of_strided = _part_of_strided, _part_of_strided_recorded
OPS["as_strided_scatter"] = Op(
    "as_strided_scatter",
    _as_strided_scatter,
    "input src",
    vjp={
        "input": says(("g where src was written, 0 elsewhere", "写入 src 处的 g，其余为 0"))(
            lambda F, grad, input_shape, input_strides, size, stride, storage_offset: F.part_of_strided(
                grad, input_shape, input_strides, size, stride, storage_offset
            )
        ),
        "src": lambda F, grad, size, stride, storage_offset: F.strided_part(grad, size, stride, storage_offset),
    },
    jvp={"input src": _scattered_strided},
    inner_writes=2,
    shown={"input_shape": "", "input_strides": ""},
)
RAW.as_strided_scatter = _as_strided_scatter
_scatter_strided = OPS["as_strided_scatter"].call
publish(
    """
    as_strided_scatter(Tensor input, Tensor src, SymInt[] size, SymInt[] stride,
        SymInt? storage_offset=None) -> Tensor
    """,
    lambda *args, **kwargs: _scatter_strided(*args, **kwargs),
    True,
    True,
    """
    A copy of input whose elements that as_strided(size, stride, storage_offset) would show are those of src.

    Shapes: src has the given size.
    ~same-dtype

    >>> torch.zeros(2, 2).as_strided_scatter(torch.tensor([1., 2.]), (2,), (3,))
    tensor([[1., 0.],
            [0., 2.]])
    """,
)


# -- the bytes of a tensor as another type -----------------------------------------------------------------------------


@composite(method=False, function=False)
def view_as_dtype(input: Tensor, dtype: Any) -> Tensor:
    """view(dtype): the same bytes read as another type."""
    x = input._array
    if isinstance(x, LazyArray):
        kind = "conjugate view tensors" if x.conj_bit else "tensors with negative bit set"
        raise RuntimeError(f"torch.Tensor.view is not supported for {kind} when converting to a different dtype.")
    old, new = x.itemsize, dtype.itemsize
    names = f"{scalar_name(input)} as {scalar_name(dtype)} (different element sizes)"
    if old == new:
        r = x.view(dtype.numpy)
    else:
        if not x.ndim:
            raise RuntimeError(f"self.dim() cannot be 0 to view {names}")
        ratio = new // old
        step = x.strides[-1] // old if x.size and x.shape[-1] > 1 else TENSORS.stride(input)[-1]
        if step != 1 and not x.shape[-1] % max(ratio, 1):
            raise RuntimeError(f"self.stride(-1) must be 1 to view {names}, but got {step}")
        if new > old:
            if x.shape[-1] % ratio:
                raise RuntimeError(f"self.size(-1) must be divisible by {ratio} to view {names}, but got {x.shape[-1]}")
            if TENSORS.storage_offset(input) % ratio:
                raise RuntimeError(
                    f"self.storage_offset() must be divisible by {ratio} to view {names}, but got "
                    f"{TENSORS.storage_offset(input)}"
                )
            for d, s in enumerate(TENSORS.stride(input)[:-1]):
                if s % ratio:
                    raise RuntimeError(f"self.stride({d}) must be divisible by {ratio} to view {names}, but got {s}")
        if x.size:
            r = x.view(dtype.numpy)
        else:
            shape = (*x.shape[:-1], x.shape[-1] * old // new)
            r = np.ndarray(shape, dtype.numpy, x, 0, (*[s * old for s in TENSORS.stride(input)[:-1]], new))
    t = view_of(input, r, _STRIDED, ()) if r.dtype.kind not in "fcV" else TENSORS.detach(input)
    if t._array is not r:
        t._array = r
    t._view = None
    if t._edge is None:
        t._edge = NO_EDGE
    if of_inference(input) and not modes.LOCAL.state.inference:
        t._counter = [0]  # PyTorch makes a tensor that is none of inference mode
    elif modes.LOCAL.state.inference:
        t._counter = INFERENCE
    return t
