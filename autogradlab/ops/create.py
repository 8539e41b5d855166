"""Tensors out of nothing or out of data."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from .. import dtypes
from .. import errors
from ..conversion import array_from, check_numpy
from ..device import require_cpu
from ..dims import shape_arg
from ..dtypes import dtype as Dtype
from ..dtypes import get_default_dtype
from ..modes import LOCAL
from ..opdef import composite
from ..record import TENSORS
from ..storage import Storage
from ..tensor import INFERENCE, Tensor, wrap


def finished(array: np.ndarray, requires_grad: bool, device: Any = None, message: str = errors.REQUIRES_GRAD_FLOAT_NEW) -> Tensor:
    """A new leaf over `array`."""
    if device is not None:
        require_cpu(device)
    t = wrap(array)
    if requires_grad:
        if array.dtype.kind not in "fcV":
            raise RuntimeError(message)
        t._edge = None
    if LOCAL.state.inference:
        t._counter = INFERENCE
    return t


@composite(method=False)
def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """A tensor that copies `data`: a number, nested lists, a NumPy array.

    >>> import autogradlab as torch
    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    if isinstance(data, Tensor):
        import warnings

        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
            UserWarning, stacklevel=2,
        )  # fmt: skip
    return finished(array_from(data, dtype), requires_grad, device)


def _tensor_positional(*args: Any, **kwargs: Any) -> Tensor:
    if len(args) > 1:
        raise TypeError(f"tensor() takes 1 positional argument but {len(args)} were given")
    return tensor(*args, **kwargs)


@composite(method=False)
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor of `data`, without a copy where it is a tensor or an array of the right dtype."""
    if isinstance(data, Tensor):
        return TENSORS.to(data, dtype) if dtype is not None else data  # type: ignore[no-any-return]
    if isinstance(data, np.ndarray) and (dtype is None or dtype.numpy == data.dtype):
        return from_numpy(data)
    return finished(array_from(data, dtype), False, device)


@composite(method=False)
def from_numpy(ndarray: np.ndarray) -> Tensor:
    """A tensor over the memory of an array."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    check_numpy(ndarray)
    if not ndarray.flags.writeable:
        import warnings

        warnings.warn(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing "
            "to this tensor will result in undefined behavior. You may want to copy the array to protect its data or make "
            "it writable before converting it to a tensor. This type of warning will be suppressed for the rest of this "
            "program.", UserWarning, stacklevel=2,
        )  # fmt: skip
    t = finished(ndarray[...], False)
    if ndarray.base is not None and ndarray.flags.c_contiguous:
        t._storage = Storage(ndarray)
    return t


def _default(values: tuple[Any, ...]) -> Dtype:
    return dtypes.int64 if all(_is_int(v) for v in values) else get_default_dtype()


def _is_int(v: Any) -> bool:
    return (isinstance(v, (int, np.integer)) and not isinstance(v, bool)) or (
        isinstance(v, Tensor) and v.dtype._category <= dtypes.INTEGER)  # fmt: skip


def checked_shape(name: str, size: tuple[Any, ...], options: dict[str, Any]) -> tuple[int, ...]:
    """The sizes of a new tensor, PyTorch's errors if they are no sizes."""
    if not size and "size" in options:
        size = (options.pop("size"),)
    try:
        shape = shape_arg(size)
    except TypeError:
        from ..arguments import reject

        reject(name, size, options)
    for n in shape:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(shape)}")
    return shape


def _filled(name: str, make: Any, doc: str) -> None:
    def create(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Any = None,
               layout: Any = None, pin_memory: bool = False, memory_format: Any = None, **options: Any) -> Tensor:  # fmt: skip
        shape = checked_shape(name, size, options)
        if options:
            from ..arguments import reject

            reject(name, size, options)
        array = make(shape, (dtype or get_default_dtype()).numpy)
        if out is not None:
            return _into(out, array)
        return finished(array, requires_grad, device)

    create.__doc__ = doc
    composite(method=False, name=name)(create)


def _into(out: Tensor, array: np.ndarray) -> Tensor:
    from .memory import resize

    if out._array.shape != array.shape:
        resize(out, array.shape)
    out._array[...] = array
    return out


_filled("zeros", np.zeros, "A tensor of zeros of the given sizes.")
_filled("ones", np.ones, "A tensor of ones of the given sizes.")
_filled("empty", np.zeros, "A tensor of the given sizes whose values are not set (here: zeros).")


@composite(method=False)
def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
         out: Any = None, layout: Any = None) -> Tensor:  # fmt: skip
    """A tensor of the given size filled with one value, whose dtype it takes."""
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()
    kind = dtype or (out.dtype if out is not None else dtypes.of_scalar(fill_value))
    shape = checked_shape("full", (size,), {})
    array = np.full(shape, fill_value, kind.numpy)
    return finished(array, requires_grad, device) if out is None else _into(out, array)


def _like(name: str, make: Any) -> None:
    def create(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
               layout: Any = None, memory_format: Any = None) -> Tensor:  # fmt: skip
        if not isinstance(input, Tensor):
            from ..arguments import reject

            reject(name + "_like", (input,), {})
        x = input._array
        numpy = dtype.numpy if dtype is not None else x.dtype
        return finished(make(x, numpy), requires_grad, device)

    create.__doc__ = f"{name}() of the size, dtype and device of the argument."
    composite(method=False, name=name + "_like")(create)


def _layout(x: np.ndarray, numpy: Any) -> np.ndarray:
    return np.zeros_like(x, numpy, order="K") if x.size and 0 not in x.strides else np.zeros(x.shape, numpy)


_like("zeros", _layout)
_like("empty", _layout)
_like("ones", lambda x, numpy: np.ones_like(x, numpy) if 0 not in x.strides else np.ones(x.shape, numpy))


def empty_like_strided(like: Tensor, grad: Tensor) -> Tensor:
    """An uninitialised tensor laid out as `like`, of the dtype of `grad`."""
    return wrap(_layout(like._array, grad._array.dtype))


@composite(method=False)
def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
              layout: Any = None, memory_format: Any = None) -> Tensor:  # fmt: skip
    """full() of the size, dtype and device of the argument."""
    numpy = dtype.numpy if dtype is not None else input._array.dtype
    return finished(np.full(input._array.shape, fill_value, numpy), requires_grad, device)


@composite(method=False)
def eye(n: int, m: Any = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Any = None,
        layout: Any = None) -> Tensor:  # fmt: skip
    """Ones on the diagonal, n rows and m columns."""
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    if m is not None and m < 0:
        raise RuntimeError(f"m must be greater or equal to 0, got {m}")
    return finished(np.eye(n, m, dtype=(dtype or get_default_dtype()).numpy), requires_grad, device)


def _plain(v: Any) -> Any:
    return v.item() if isinstance(v, (Tensor, np.generic)) else v


@composite(method=False)
def arange(*args: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, out: Any = None,
           layout: Any = None, **options: Any) -> Tensor:  # fmt: skip
    """arange(end), arange(start, end, step): values from start to end, which is excluded.

    >>> import autogradlab as torch
    >>> torch.arange(0, 1, 0.25)
    tensor([0.0000, 0.2500, 0.5000, 0.7500])
    """
    names = ("end",) if len(args) == 1 and "end" not in options else ("start", "end", "step")
    bound = {**dict(zip(names, args, strict=False)), **options}
    if len(args) > 3 or "end" not in bound or set(bound) - {"start", "end", "step"}:
        from ..arguments import reject

        reject("arange", args, options)
    start, end, step = (bound.get("start", 0), bound["end"], bound.get("step", 1))
    kind = dtype or _default((start, end, step))
    start, end, step = _plain(start), _plain(end), _plain(step)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if any(isinstance(v, float) and not math.isfinite(v) for v in (start, end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if all(isinstance(v, int) for v in (start, end, step)):
        count = max(0, -((start - end) // step))
    else:
        count = math.ceil((end - start) / step)
    if kind._category <= dtypes.INTEGER:
        array = (int(start) + np.arange(count, dtype=np.int64) * int(step)).astype(kind.numpy)
    else:
        array = (start + np.arange(count, dtype=np.float64) * step).astype(kind.numpy)
    return finished(array, requires_grad, device) if out is None else _into(out, array)


@composite(method=False)
def linspace(start: Any, end: Any, steps: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
             out: Any = None, layout: Any = None) -> Tensor:  # fmt: skip
    """`steps` values from start to end, both included."""
    start, end, steps = _plain(start), _plain(end), operator.index(steps)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    kind = dtype or get_default_dtype()
    array = _spaced(start, end, steps, kind)
    return finished(array, requires_grad, device) if out is None else _into(out, array)


def _spaced(start: Any, end: Any, steps: int, kind: Dtype) -> np.ndarray:
    """Counted up from the start in the first half and down from the end in the second, in the dtype itself."""
    if steps == 1:
        return np.array([start], kind.numpy)
    if kind._category <= dtypes.INTEGER:
        step = (float(end) - float(start)) / (steps - 1) if steps > 1 else 0.0
        i = np.arange(steps)
        values = np.where(i < steps // 2, start + step * i, end - step * (steps - i - 1))
        return values.astype(kind.numpy)
    numpy = np.dtype(np.float32) if kind.itemsize == 2 else kind.numpy
    a, b = numpy.type(start), numpy.type(end)
    step = (b - a) / numpy.type(max(steps - 1, 1))
    i = np.arange(steps).astype(numpy)
    low, high = a + step * i, b - step * (numpy.type(steps - 1) - i)
    return np.where(np.arange(steps) < steps // 2, low, high).astype(kind.numpy)
