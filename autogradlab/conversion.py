"""Between tensors and Python or NumPy values: building from data, `item`, `numpy`, `tolist`, type names."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import dtypes
from . import errors
from .dtypes import dtype, from_numpy, get_default_dtype
from .tensor import Tensor, requires_grad, wrap

__all__ = ["array_from", "shape_of_nested", "type_name"]

_SUPPORTED = (
    "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool"
)


def type_name(d: dtype) -> str:
    """`torch.FloatTensor` for float32."""
    return f"torch.{d._tensor_type}"


def _shape(data: Any) -> tuple[int, ...]:
    """The shape of nested sequences, read from their first elements."""
    shape: list[int] = []
    while isinstance(data, (list, tuple)) or (hasattr(data, "__len__") and hasattr(data, "__getitem__")
                                              and not isinstance(data, (str, bytes, Tensor, np.ndarray, dict))):  # fmt: skip
        shape.append(len(data))
        if len(shape) > 128:
            raise ValueError("too many dimensions 'list'")
        if not len(data):
            break
        data = data[0]
    if isinstance(data, (Tensor, np.ndarray)):
        shape.extend(data.shape)
    elif isinstance(data, (str, bytes)):
        raise ValueError(f"too many dimensions '{type(data).__name__}'") if shape else TypeError(
            f"new(): invalid data type '{type(data).__name__}'")  # fmt: skip
    return tuple(shape)


def _check(data: Any, shape: tuple[int, ...], depth: int, leaves: list[Any]) -> None:
    """Raise PyTorch's error where nested sequences are ragged; collect the elements in order."""
    if depth == len(shape):
        leaves.append(data)
        return
    if isinstance(data, (Tensor, np.ndarray)):
        if tuple(data.shape) != shape[depth:]:
            raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})"
                             if data.ndim else f"expected sequence of length {shape[depth]} at dim {depth}")  # fmt: skip
        leaves.extend((data.detach()._array if isinstance(data, Tensor) else data).reshape(-1).tolist())
        return
    if not hasattr(data, "__len__") or isinstance(data, str):
        raise TypeError(f"expected Sequence, but got {type(data).__name__}" if False else f"not a sequence"
                        )  # fmt: skip
    if len(data) != shape[depth]:
        raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})")
    for item in data:
        _check(item, shape, depth + 1, leaves)


def _infer(leaves: list[Any]) -> dtype:
    found: dtype | None = None
    for value in leaves:
        if isinstance(value, Tensor):
            kind = value.dtype
        elif isinstance(value, (bool, np.bool_)):
            kind = dtypes.bool
        elif isinstance(value, np.generic):
            kind = from_numpy(value.dtype)
        elif isinstance(value, (int, float, complex)):
            kind = dtypes.of_scalar(value)
        else:
            kind = _special(value)
        found = kind if found is None else dtypes.promote(found, kind)
    return found or get_default_dtype()


def _special(value: Any) -> dtype:
    if hasattr(value, "__index__"):
        return dtypes.int64
    if hasattr(value, "__float__"):
        return get_default_dtype()
    if value is None:
        raise RuntimeError("Could not infer dtype of NoneType")
    raise RuntimeError(f"Could not infer dtype of {type(value).__name__}")


def array_from(data: Any, d: dtype | None = None, *, copy: bool = True) -> np.ndarray:
    """A fresh array of `data` (number, nested sequences, array, tensor), of dtype `d` or the one it implies."""
    if isinstance(data, Tensor):
        return np.array(data._array, d.numpy if d is not None else data._array.dtype)
    if isinstance(data, (np.ndarray, np.generic)):
        return _from_array(np.asarray(data), d)
    if type(data) is float:
        return np.array(data, (d or get_default_dtype()).numpy)
    if type(data) in (int, bool):
        return _scalar(data, d)
    if isinstance(data, complex):
        return np.array(data, (d or get_default_dtype().to_complex()).numpy)
    if hasattr(data, "__array_interface__") or hasattr(data, "__dlpack__"):
        return _from_array(np.asarray(data), d)
    shape = _shape(data)
    leaves: list[Any] = []
    _check(data, shape, 0, leaves)
    kind = d or _infer(leaves)
    values = [v.item() if isinstance(v, Tensor) else v for v in leaves]
    if kind._category == dtypes.INTEGER:
        values = [_integer(v, kind) for v in values]
    elif kind is dtypes.bool:
        values = [bool(v) for v in values]
    elif kind.is_floating_point:
        for v in values:
            if isinstance(v, complex) or v is None or isinstance(v, str):
                raise TypeError(f"must be real number, not {type(v).__name__}")
    return _filled(values, shape, kind)


def _filled(values: list[Any], shape: tuple[int, ...], kind: dtype) -> np.ndarray:
    from .modes import quiet

    made = quiet(np.array, values, np.float64 if kind.is_floating_point else kind.numpy)
    if kind.is_floating_point:
        made = quiet(made.astype, kind.numpy)
    result: np.ndarray = made.reshape(shape)
    return result


def _integer(value: Any, kind: dtype) -> int:
    if isinstance(value, (complex,)):
        raise TypeError("'complex' object cannot be interpreted as an integer")
    n = int(value)
    info = np.iinfo(kind.numpy)
    if not info.min <= n <= info.max:
        if kind is dtypes.int64:
            raise RuntimeError("Overflow when unpacking long long")
        raise RuntimeError(f"value cannot be converted to type {_C_TYPES.get(kind.name, kind.name)} without overflow")
    return n


_C_TYPES = {"uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t"}


def _scalar(data: Any, d: dtype | None) -> np.ndarray:
    kind = d or dtypes.of_scalar(data)
    if kind._category == dtypes.INTEGER:
        data = _integer(data, kind)
    return np.array(data, kind.numpy)


def _from_array(array: np.ndarray, d: dtype | None) -> np.ndarray:
    check_numpy(array)
    numpy = d.numpy if d is not None else from_numpy(array.dtype).numpy
    from .modes import quiet

    result: np.ndarray = quiet(lambda: np.array(array, numpy, order="K"))
    return result


def check_numpy(array: np.ndarray) -> None:
    """Raise PyTorch's error for an array whose dtype has no counterpart."""
    try:
        from_numpy(array.dtype)
    except (KeyError, TypeError, ValueError):
        raise TypeError(f"can't convert np.ndarray of type numpy.{array.dtype.type.__name__}. The only supported types are: "
                        f"{_SUPPORTED}.") from None  # fmt: skip
    if any(s < 0 for s in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with array.copy().) "
        )


def item(self: Tensor) -> Any:
    """The Python number of a tensor of one element."""
    if self._array.size != 1:
        raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
    return self._array.item() if self._array.dtype.kind != "V" else float(self._array.reshape(-1)[0])


def tolist(self: Tensor) -> Any:
    """Nested lists of Python numbers; for a 0-dim tensor the number."""
    return self._array.tolist() if self._array.dtype.kind != "V" else self._array.astype(np.float32).tolist()


def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """An array over the same memory."""
    if requires_grad(self) and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if self._array.dtype.kind == "V":
        raise TypeError("Got unsupported ScalarType BFloat16")
    return self._array[...]


def to_array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    array = numpy(self)
    if dtype is None and not copy:
        return array
    return np.array(array, dtype, copy=bool(copy) or None)


def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The name of the tensor's type, or the tensor converted to another type."""
    if dtype is None:
        return type_name(self.dtype)
    return self.to(parse_type(dtype))


def parse_type(given: Any) -> dtype:
    """A dtype from a dtype, a class like torch.FloatTensor or its name."""
    if isinstance(given, dtype):
        return given
    if isinstance(given, str):
        for d in dtypes.ALL.values():
            if given == type_name(d):
                return d
        if given == "torch.Tensor":
            return get_default_dtype()
        raise ValueError(f"invalid type: '{given}'")
    found = getattr(given, "dtype", None)
    if isinstance(found, dtype):
        if getattr(given, "is_cuda", False):
            raise TypeError(f"type {given} not available. Torch not compiled with CUDA enabled.")
        return found
    if isinstance(given, type):
        simple = {float: dtypes.float64, int: dtypes.int64, bool: dtypes.bool, complex: dtypes.complex128}.get(given)
        if simple is not None:
            return simple
    if given is Tensor:
        return get_default_dtype()
    raise TypeError("dtype must be a type, str, or dtype object")


def to_bool(self: Tensor) -> bool:
    if self._array.size == 1:
        return bool(self._array.item())
    if self._array.size == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")


def _one(self: Tensor) -> Any:
    if self._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return item(self)


def to_int(self: Tensor) -> int:
    return int(_one(self))


def to_float(self: Tensor) -> float:
    value = _one(self)
    if isinstance(value, complex) and value.imag:
        raise RuntimeError("value cannot be converted to type double without overflow")
    return float(value.real)


def to_complex(self: Tensor) -> complex:
    return complex(_one(self))


def to_index(self: Tensor) -> int:
    if self._array.size != 1 or self._array.dtype.kind not in "biu":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self._array.item())


def length(self: Tensor) -> int:
    if not self._array.ndim:
        raise TypeError("len() of a 0-d tensor")
    return self._array.shape[0]


def iterate(self: Tensor) -> Any:
    if not self._array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


def install() -> None:
    """Attach the conversions to Tensor."""
    for name, fn in (
        ("item", item), ("tolist", tolist), ("numpy", numpy), ("__array__", to_array), ("type", type_),
        ("__bool__", to_bool), ("__int__", to_int), ("__float__", to_float), ("__complex__", to_complex),
        ("__index__", to_index), ("__len__", length), ("__iter__", iterate),
    ):  # fmt: skip
        setattr(Tensor, name, fn)


install()
_used: Any = (errors, wrap)
