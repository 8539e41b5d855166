"""Arrays from Python data (nested lists, numbers, NumPy arrays): the dtype they imply, and PyTorch's errors."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ..arguments.mismatch import typename, types
from ..arguments.params import TOO_BIG, python_number
from ..memory.capsules import lent
from ..memory.casting import cast_array
from ..memory.storage import Storage
from ..runtime import errors, modes
from ..runtime.warn import warn_once
from ..tensor.tensor import Tensor
from ..types import dtypes
from ..types.dtypes import dtype, from_numpy, get_default_dtype, scalar_name

__all__ = ["array_from", "check_numpy", "fill_value", "scalar_array"]

_SUPPORTED = (
    "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, "
    "and bool"
)
_NEGATIVE_STRIDES = (
    "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently "
    "supported. (You can probably work around this by making a copy of your array  with array.copy().) "
)
_STRIDES = (
    "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the memory."
)
_BYTE_ORDER = (
    "given numpy array has byte order different from the native byte order. Conversion between byte orders is "
    "currently not supported."
)
_SLOW_AT = "torch/csrc/utils/tensor_new.cpp:252"
_ARRAYS_SLOW = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
    "single numpy.ndarray with numpy.array() before converting to a tensor."
)
_OVERFLOW = "value cannot be converted to type {} without overflow"
#: C's names of the types, as error texts give them
_C_NAMES = {
    "uint8": "uint8_t",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int",
    "int64": "int64_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
    "uint64": "uint64_t",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


def _is_sequence(data: Any) -> bool:
    """What C's PySequence_Check says: it has items by number, and is neither a dict nor (for us) a Tensor."""
    kind = type(data)
    return (
        kind is list
        or kind is tuple
        or (hasattr(kind, "__getitem__") and not isinstance(data, (dict, Tensor, np.generic, type)))
    )


def _first(data: Any) -> Any:
    """The first item of a sequence; whatever reading it raises, PyTorch tells of the shape."""
    try:
        return data[0]
    except Exception:
        raise ValueError(f"could not determine the shape of object type '{typename(data)}'") from None


def _shape(data: Any) -> tuple[int, ...]:
    """The shape of nested sequences, read from their first elements."""
    shape: list[int] = []
    while _is_sequence(data):
        n = len(data)
        shape.append(n)
        if len(shape) > 128:
            raise ValueError(f"too many dimensions '{typename(data)}'")
        if not n:
            break
        data = _first(data)
    return tuple(shape)


def _collect(data: Any, shape: tuple[int, ...], depth: int, leaves: list[Any]) -> None:
    """The elements of nested sequences in order; PyTorch's error where they are ragged."""
    n = shape[depth]
    if not hasattr(type(data), "__getitem__") or isinstance(data, (dict, np.generic)):
        raise TypeError("not a sequence")
    if depth and isinstance(data, np.ndarray):
        warn_once(_ARRAYS_SLOW, at=_SLOW_AT)
    if len(data) != n:
        raise ValueError(f"expected sequence of length {n} at dim {depth} (got {len(data)})")
    if depth + 1 == len(shape):
        leaves.extend(data)
    else:
        for item in data:
            _collect(item, shape, depth + 1, leaves)


_SIMPLE: dict[type, int] = {bool: 0, int: 1, float: 2, complex: 3}


def _default_complex() -> dtype:
    """The dtype of complex numbers for which none is given."""
    default = get_default_dtype()
    if default is dtypes.bfloat16:
        raise RuntimeError("invalid default scalar type for complex")
    return default.to_complex()


def _infer(data: Any) -> dtype:
    """The dtype that data imply: that of all elements together."""
    kind = type(data)
    if kind in _SIMPLE:
        return _default_complex() if isinstance(data, complex) else dtypes.of_scalar(data)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{typename(data)}'")
    if isinstance(data, (np.ndarray, np.generic)):
        if isinstance(data, np.generic) or data.dtype.kind in "OSU":
            check_numpy(np.asarray(data))
        return from_numpy(data.dtype)
    if isinstance(data, (bool, int, float, complex)):
        return _default_complex() if isinstance(data, complex) else dtypes.of_scalar(data)
    if isinstance(data, Tensor):
        return data.dtype
    if _is_sequence(data):
        if not len(data):
            return get_default_dtype()
        kinds = set(map(type, data))
        if len(kinds) <= 4 and kinds <= _SIMPLE.keys():
            top = max(_SIMPLE[k] for k in kinds)
            return _default_complex() if top == 3 else (dtypes.bool, dtypes.int64, get_default_dtype())[top]
        found: dtype | None = None
        for item in data:
            if item is data:
                raise TypeError("new(): self-referential lists are incompatible")
            inner = _infer(item)
            found = inner if found is None else dtypes.promote(found, inner)
        assert found is not None
        return found
    raise RuntimeError(f"Could not infer dtype of {typename(data)}")


def array_from(data: Any, d: dtype | None = None) -> np.ndarray:
    """A fresh array of `data` (number, nested sequences, array, tensor), of dtype `d` or the one it implies."""
    kind = type(data)
    if kind is float:
        if d is None:
            return modes.quiet(np.array, data, get_default_dtype().numpy)
    elif kind is list or kind is tuple:
        return _from_sequence(data, d)
    elif isinstance(data, Tensor):
        return _copied(data._array, d)
    elif isinstance(data, np.ndarray):
        check_numpy(data)
        return _copied(data, d)
    elif isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{typename(data)}'")
    elif isinstance(data, types.storage):
        return _of_storage(data, d or (dtypes.int64 if isinstance(data, Storage) else get_default_dtype()))
    elif hasattr(data, "__dlpack__") and not isinstance(data, type):
        return _copied(lent(data), d)
    if _is_sequence(data):
        return _from_sequence(data, d)
    found = d or _infer(data)
    return _filled([data], (), found)


def _of_storage(storage: Any, d: dtype) -> np.ndarray:
    """The numbers of dtype `d` that lie in a storage, which has no other dtype."""
    memory: Storage = getattr(storage, "_untyped_storage", storage)
    own = getattr(storage, "dtype", d)
    if own is not d:
        raise RuntimeError(
            f"Expected a Storage of type {scalar_name(d)} or an UntypedStorage, but got {scalar_name(own)}"
        )
    return np.ndarray((memory.nbytes() // d.itemsize,), d.numpy, memory.buffer)


def _copied(x: np.ndarray, d: dtype | None) -> np.ndarray:
    numpy = from_numpy(x.dtype).numpy if d is None else d.numpy
    if x.dtype != numpy:
        x = modes.quiet(cast_array, x, numpy)
    elif x.flags.c_contiguous or (x.size and 0 in x.strides):
        return np.array(x, order="C")
    return np.array(x, order="K")


def _uniform(data: Any) -> np.ndarray | None:
    """The array of a list, or of rows of equal length, of Python floats alone or ints alone; None for anything else."""
    kinds = set(map(type, data))
    if kinds == {list}:
        n = len(data[0])
        kinds = set()
        for row in data:
            if len(row) != n:
                return None
            kinds.update(map(type, row))
    if kinds == _FLOATS:
        return modes.quiet(_array, data, get_default_dtype().numpy)
    if kinds == _WHOLE:
        try:
            return _array(data, _INT64)
        except OverflowError:
            return None
    return None


_array = np.array
_FLOATS, _WHOLE = {float}, {int}
_INT64 = dtypes.int64.numpy


def _as_list(data: Any) -> list[Any]:
    """The items of what is a sequence by its `__len__` and `__getitem__`."""
    count = len(data)
    return [_first(data), *[data[i] for i in range(1, count)]] if count else []


def _from_sequence(data: Any, d: dtype | None) -> np.ndarray:
    if type(data) is not list and type(data) is not tuple and not hasattr(data, "__iter__"):
        data = _as_list(data)
    if d is None:
        made = _uniform(data)
        if made is not None:
            return made
    shape = _shape(data)
    found = d or _infer(data)
    leaves: list[Any] = []
    if 0 not in shape:
        _collect(data, shape, 0, leaves)
    return _filled(leaves, shape, found)


def _filled(leaves: list[Any], shape: tuple[int, ...], found: dtype) -> np.ndarray:
    kinds = set(map(type, leaves))
    if np.ndarray in kinds:
        warn_once(_ARRAYS_SLOW, at=_SLOW_AT)
    category = found._category
    numpy = found.numpy
    made: np.ndarray
    if category == dtypes.FLOATING:
        if not kinds <= _REAL:
            leaves = [_real(v) for v in leaves]
        if numpy.itemsize == 8:
            made = np.array(leaves, numpy)
        else:
            made = modes.quiet(np.array(leaves, np.float64).astype, numpy)
    elif category == dtypes.INTEGER:
        if kinds <= _INTS and found.name != "uint64":
            try:
                made = np.array(leaves, np.int64)
                if numpy.itemsize < 8 and made.size:
                    info = np.iinfo(numpy)
                    if made.max() > info.max or made.min() < info.min:
                        raise OverflowError
            except OverflowError:
                made = np.array([_integer(v, found) for v in leaves], numpy)
            made = made.astype(numpy, copy=False)
        else:
            made = np.array([_integer(v, found) for v in leaves], numpy)
    elif category == dtypes.BOOL:
        made = np.array([_truth(v) for v in leaves], np.bool_)
    else:
        if not kinds <= _SIMPLE.keys():
            leaves = [_imaginary(v) for v in leaves]
        made = modes.quiet(np.array(leaves, np.complex128).astype, numpy)
    return made.reshape(shape)


_REAL = {float, int, bool}
_INTS = {int, bool}


def _real(value: Any) -> float:
    if type(value) is complex or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"must be real number, not {typename(value)}")
    return float(value)


def _truth(value: Any) -> bool:
    return bool(value) if isinstance(value, (float, complex, np.bool_)) else operator.index(value) != 0


def _imaginary(value: Any) -> complex:
    if isinstance(value, (str, bytes)) or not any(hasattr(value, n) for n in ("__complex__", "__float__", "__index__")):
        raise TypeError(f"must be real number, not {typename(value)}")
    return complex(value)


def _integer(value: Any, kind: dtype) -> int:
    if kind is dtypes.ALL["uint64"] and not isinstance(value, int | np.ndarray):
        raise TypeError("an integer is required")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise RuntimeError(_OVERFLOW.format(kind.name))
        n = int(value)
        info = np.iinfo(kind.numpy)
        if not info.min <= value <= info.max:
            raise RuntimeError(_OVERFLOW.format(kind.name))
        return n
    if not hasattr(value, "__index__"):
        raise TypeError(f"'{typename(value)}' object cannot be interpreted as an integer")
    n = operator.index(value)
    if kind is dtypes.ALL["uint64"]:
        if n < 0:
            raise OverflowError("can't convert negative int to unsigned")
        if n >= 1 << 64:
            raise OverflowError("int too big to convert")
        return int(n)
    if not -(1 << 63) <= n < 1 << 63:
        raise ValueError(errors.LONG_OVERFLOW)
    return _wrapped(n, kind, kind.name)


def _wrapped(n: int, kind: dtype, name: str) -> int:
    """An integer in the range of a type: unsigned types take a negative one if its size fits, and wrap it around."""
    info = np.iinfo(kind.numpy)
    if n > info.max or n < (-int(info.max) if kind.numpy.kind == "u" else info.min):
        raise RuntimeError(_OVERFLOW.format(name))
    return n % (int(info.max) + 1) if n < 0 and kind.numpy.kind == "u" else n


def fill_value(value: Any, kind: dtype) -> Any:
    """A Python number as an element of a tensor of dtype `kind`; PyTorch's error where it does not fit."""
    name = _C_NAMES.get(kind.name, kind.name)
    if kind is dtypes.bool:
        return bool(value)
    if kind.is_complex:
        for part in (value.real, value.imag):
            if math.isfinite(part) and abs(part) > float(np.finfo(kind.to_real().numpy).max):
                raise RuntimeError(_OVERFLOW.format(name))
        return complex(value)
    if isinstance(value, complex):
        if value.imag:
            raise RuntimeError(_OVERFLOW.format(name))
        value = value.real
    if kind.is_floating_point:
        value = float(value)
        if (
            not -65504.0 <= value <= 65504.0
            and math.isfinite(value)
            and kind.itemsize < 8
            and abs(value) > _largest(kind)
        ):
            raise RuntimeError(_OVERFLOW.format(name))
        return value
    if isinstance(value, float):
        limits = np.iinfo(kind.numpy)
        if not limits.min <= value <= limits.max:
            raise RuntimeError(_OVERFLOW.format(name))
        value = int(value)
    return _wrapped(int(value), kind, name)


_TOPS = {2: 65504.0, 4: float(np.finfo(np.float32).max), 8: float(np.finfo(np.float64).max)}


def scalar_array(value: Any, d: Any) -> np.ndarray:
    """A Python number in a dtype, as C casts it; PyTorch's error where it does not fit."""
    numpy = d.numpy
    if isinstance(value, Tensor):
        value = value.item()
    elif isinstance(value, np.generic):
        value = python_number(value)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**64:
            raise OverflowError(TOO_BIG[value < 0])
    overflow = False
    if isinstance(value, complex) and not d.is_complex and numpy.kind != "b":
        overflow = bool(value.imag)
        value = value.real
    if numpy.kind == "b":
        return np.array(value != 0)
    if numpy.kind in "iu":
        info = np.iinfo(numpy)
        n = int(value) if value == value and abs(value) != np.inf else 0
        if numpy.kind == "u" and -info.max <= n < 0 and isinstance(value, int):
            return np.array(n + info.max + 1, numpy)
        overflow = overflow or not info.min <= n <= info.max or abs(value) == np.inf or value != value
        value = n
    elif d.is_floating_point and isinstance(value, (int, float)) and abs(value) != np.inf:
        top = _TOPS[numpy.itemsize] if numpy.kind == "f" else 3.39e38
        overflow = overflow or abs(value) > top
    elif d.is_complex:
        for part in (complex(value).real, complex(value).imag):
            overflow = overflow or np.inf > abs(part) > _TOPS[numpy.itemsize // 2]
    if overflow:
        raise RuntimeError(f"value cannot be converted to type {_C_NAMES.get(d.name, d.name)} without overflow")
    return np.array(value, numpy)


def number_in(value: Any, numpy: np.dtype[Any]) -> np.ndarray:
    """The same, in the dtype of an array."""
    kind = type(value)
    if numpy.kind == "f" and (kind is float or kind is int) and -60000 <= value <= 60000:  # the usual case
        return np.array(value, numpy)
    return scalar_array(value, from_numpy(numpy))


def _largest(kind: dtype) -> float:
    return 3.3895313892515355e38 if kind.name == "bfloat16" else float(np.finfo(kind.numpy).max)


def check_numpy(array: np.ndarray) -> None:
    """PyTorch's errors for an array that cannot be a tensor's memory."""
    size, gaps = array.itemsize or 1, 0
    for step in array.strides:
        if step < 0:
            raise ValueError(_NEGATIVE_STRIDES)
        gaps |= step % size
    if gaps:
        raise ValueError(_STRIDES)
    if not array.dtype.isnative:
        raise ValueError(_BYTE_ORDER)
    try:
        from_numpy(array.dtype)
    except (KeyError, TypeError, ValueError):
        raise TypeError(
            f"can't convert np.ndarray of type {_scalar_type(array)}. The only supported types are: {_SUPPORTED}."
        ) from None


def _scalar_type(array: np.ndarray) -> str:
    cls = array.dtype.type
    return f"{cls.__module__}.{cls.__name__}"
