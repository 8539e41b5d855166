"""dtype objects and PyTorch's type promotion (mirrors `torch.dtype`, `torch.promote_types`, `torch.result_type`)."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from .native import Native

__all__ = [
    "ALIASES",
    "ALL",
    "BARE",
    "OF_PYTHON",
    "combine",
    "dtype",
    "from_numpy",
    "get_default_dtype",
    "of_scalar",
    "promote",
]

#: categories in promotion order: a higher one wins over every lower one
BOOL, INTEGER, FLOATING, COMPLEX = range(4)


class dtype(metaclass=Native, final=True):
    """The type of a tensor's elements: torch.float32, torch.int64, torch.bool, …

    Example:
        >>> import autogradlab as torch
        >>> torch.float32.is_floating_point, torch.float32.itemsize
        (True, 4)
        >>> torch.ones(2).dtype is torch.float32
        True

    Mirrors `torch.dtype`.
    """

    __slots__ = (
        "_category",
        "_tensor_type",
        "is_complex",
        "is_floating_point",
        "is_signed",
        "itemsize",
        "name",
        "numpy",
    )
    __module__ = "torch"

    name: str
    numpy: np.dtype[Any]
    itemsize: int
    is_complex: Any
    is_floating_point: Any
    is_signed: Any
    _category: int
    _tensor_type: str

    def __new__(cls, *args: Any, **kwargs: Any) -> dtype:
        raise TypeError("cannot create 'torch.dtype' instances")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("is_complex", "is_floating_point", "is_signed", "itemsize"):
            raise AttributeError(f"attribute '{name}' of 'torch.dtype' objects is not writable")
        raise AttributeError(f"'torch.dtype' object has no attribute '{name}'")

    def __getattr__(self, name: str) -> Any:
        if name == "numpy" and self.name in _LATE:
            if self.name == "bfloat16":
                scalar = _bfloat16_of_numpy()
            else:
                scalar = getattr(np, self.name)
            object.__setattr__(self, "numpy", np.dtype(scalar))
            _FROM_NUMPY[self.numpy] = self
            if self.name in BARE:
                on_first_bare()
            return self.numpy
        raise AttributeError(f"'torch.dtype' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self.name,)

    @property
    def abbr(self) -> str:
        """A short name: f32 for float32."""
        letters = self.name.rstrip("0123456789")
        return {"bool": "b", "bfloat": "bf"}.get(letters, letters[0]) + str(8 * self.itemsize)

    def to_complex(self) -> dtype:
        """The complex type whose parts hold this type's values. Errors: RuntimeError for integers and bool."""
        if self._category < FLOATING:
            raise RuntimeError(f"Unknown Complex ScalarType for {scalar_name(self)}")
        return complex128 if self is float64 else complex64 if not self.is_complex else self

    def to_real(self) -> dtype:
        """The type of the parts of a complex type; any other type is returned unchanged."""
        return {complex64: float32, complex128: float64}.get(self, self)


def _named(name: str) -> dtype:
    return ALL[name]


def _bfloat16_of_numpy() -> Any:
    """NumPy has none of its own; the package ml_dtypes, an extra, gives it one."""
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        raise ImportError("tensors of torch.bfloat16 need the package ml_dtypes") from None
    return bfloat16


def _make(
    name: str, numpy: Any, category: int, tensor_type: str, signed: Any = True, itemsize: int | None = None
) -> dtype:
    made = object.__new__(dtype)
    fields = {
        "name": name,
        "_category": category,
        "_tensor_type": tensor_type,
        "is_complex": category == COMPLEX,
        "is_floating_point": category == FLOATING,
        "is_signed": signed,
        "itemsize": itemsize,
    }
    if numpy is not None:
        fields["numpy"] = np.dtype(numpy)
        fields["itemsize"] = fields["numpy"].itemsize
    for field, value in fields.items():
        object.__setattr__(made, field, value)
    return made


bool = _make("bool", np.bool_, BOOL, "BoolTensor", signed=False)
uint8 = _make("uint8", np.uint8, INTEGER, "ByteTensor", signed=False)
int8 = _make("int8", np.int8, INTEGER, "CharTensor")
int16 = _make("int16", np.int16, INTEGER, "ShortTensor")
int32 = _make("int32", np.int32, INTEGER, "IntTensor")
int64 = _make("int64", np.int64, INTEGER, "LongTensor")
uint16 = _make("uint16", None, INTEGER, "UInt16Tensor", signed=False, itemsize=2)
uint32 = _make("uint32", None, INTEGER, "UInt32Tensor", signed=False, itemsize=4)
uint64 = _make("uint64", None, INTEGER, "UInt64Tensor", signed=False, itemsize=8)
float16 = _make("float16", np.float16, FLOATING, "HalfTensor")
bfloat16 = _make("bfloat16", None, FLOATING, "BFloat16Tensor", itemsize=2)
float32 = _make("float32", np.float32, FLOATING, "FloatTensor")
float64 = _make("float64", np.float64, FLOATING, "DoubleTensor")
complex64 = _make("complex64", np.complex64, COMPLEX, "ComplexFloatTensor")
complex128 = _make("complex128", np.complex128, COMPLEX, "ComplexDoubleTensor")

#: the dtypes for which Python's number types stand
OF_PYTHON = {builtins.bool: bool, int: int64, float: float64, complex: complex128}

#: unsigned integers that meet floats and themselves alone, and for which PyTorch has few kernels
BARE = frozenset(("uint16", "uint32", "uint64"))
#: dtypes of which NumPy is asked at first use
_LATE = BARE | {"bfloat16"}
#: what is done when one of them is first used; nothing, until the package is whole
on_first_bare: Callable[[], None] = lambda: None
ALL: dict[str, dtype] = {
    d.name: d
    for d in (
        bool,
        uint8,
        int8,
        int16,
        int32,
        int64,
        uint16,
        uint32,
        uint64,
        float16,
        float32,
        float64,
        complex64,
        complex128,
        bfloat16,
    )
}
ALIASES = {
    "float": float32,
    "double": float64,
    "half": float16,
    "int": int32,
    "long": int64,
    "short": int16,
    "cfloat": complex64,
    "cdouble": complex128,
}

_FROM_NUMPY: dict[Any, dtype] = {d.numpy: d for d in ALL.values() if d.name not in _LATE}
_FROM_NUMPY[np.dtype(np.longlong)] = int64
_FROM_NUMPY[np.dtype(np.intc)] = int32

_default = float32


def get_default_dtype() -> dtype:
    """The dtype of float numbers where none is given.

    Example:
        >>> import autogradlab as torch
        >>> torch.get_default_dtype()
        torch.float32

    Mirrors `torch.get_default_dtype`.
    """
    return _default


def set_default(d: dtype) -> None:
    """Set the default dtype; the caller has checked that it is a floating one."""
    global _default
    _default = d


def from_numpy(numpy: np.dtype[Any]) -> dtype:
    """The dtype of a NumPy dtype; KeyError if PyTorch has none."""
    found = _FROM_NUMPY.get(numpy)
    if found is None:
        name = np.dtype(numpy).name
        if name in _LATE and name in ALL:
            return _FROM_NUMPY[ALL[name].numpy]
        found = _FROM_NUMPY[np.dtype(numpy).newbyteorder("=")]
    return found


def of_scalar(value: object) -> dtype:
    """The dtype that a Python number has on its own: bool, int64, the default dtype or its complex partner."""
    if value is True or value is False:
        return bool
    if isinstance(value, (int, np.integer)):
        return int64
    if isinstance(value, (float, np.generic)) and not isinstance(value, complex):
        return _default
    return _default.to_complex()


def _promote(a: dtype, b: dtype) -> dtype:
    if a is b:
        return a
    if (a.name in BARE or b.name in BARE) and not (a.is_floating_point or b.is_floating_point):
        raise RuntimeError(
            f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
            f"{scalar_name(a)} and {scalar_name(b)}"
        )
    if a._category < b._category:
        a, b = b, a
    if a._category != b._category:
        if a.is_complex and b.is_floating_point:
            return _promote(a.to_real(), b).to_complex()
        return a
    if a.is_complex:
        return complex128
    if a.is_floating_point:
        if a.itemsize == b.itemsize:  # float16 with bfloat16
            return float32
        return a if a.itemsize > b.itemsize else b
    return from_numpy(np.promote_types(a.numpy, b.numpy))


_CXX_NAMES = {
    "float32": "float",
    "float64": "double",
    "float16": "c10::Half",
    "int64": "long int",
    "int32": "int",
    "int16": "short int",
    "int8": "signed char",
    "uint8": "unsigned char",
    "uint16": "short unsigned int",
    "uint32": "unsigned int",
    "uint64": "long unsigned int",
    "bfloat16": "c10::BFloat16",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


#: tensor types that have a name of their own in messages
_NAMED_TYPES = frozenset(
    f"{kind}Tensor" for kind in ("Float", "Double", "Half", "Byte", "Char", "Short", "Int", "Long")
)


def _dtype_of(x: Any) -> dtype:
    """The dtype of a tensor or an array, or that a dtype or NumPy's dtype is."""
    found = getattr(x, "dtype", x)
    return found if isinstance(found, dtype) else from_numpy(found)


def scalar_name(x: Any) -> str:
    """A dtype, or that of a tensor or an array, as messages name a scalar type: Float, Long."""
    return _dtype_of(x)._tensor_type.removesuffix("Tensor")


def unsupported(kernel: str, x: Any) -> NotImplementedError:
    """The error of a kernel that was not written for a dtype, or for that of a tensor or an array."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(x)}'")


def cxx_name(x: Any) -> str:
    """A dtype, or that of a tensor or an array, as messages name the type in C++: float, long int."""
    kind = _dtype_of(x)
    return _CXX_NAMES.get(kind.name, kind.name)


def tensor_type(x: Any) -> str:
    """A dtype, or that of a tensor or an array, as messages name a tensor's type: torch.FloatTensor, CPUBoolType."""
    name = _dtype_of(x)._tensor_type
    return f"torch.{name}" if name in _NAMED_TYPES else f"CPU{name.removesuffix('Tensor')}Type"


_PROMOTED: dict[tuple[dtype, dtype], dtype] = {}


def promote(a: dtype, b: dtype) -> dtype:
    """The smallest dtype that both can be cast to (mirrors `torch.promote_types`).

    >>> import autogradlab as torch
    >>> torch.promote_types(torch.uint8, torch.int8)
    torch.int16
    """
    found = _PROMOTED.get((a, b))
    if found is None:
        found = _PROMOTED[a, b] = _promote(a, b)
    return found


def _over(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """Merge the result of a category of operands with that of a weaker one (tensors > 0-dim tensors > numbers)."""
    if higher is None or lower is None:
        return higher or lower
    if higher.is_complex:
        return higher
    if higher.is_floating_point:
        return higher.to_complex() if lower.is_complex else higher
    if higher is bool or lower._category >= FLOATING:
        return promote(higher, lower)
    return higher


def combine(dims: list[dtype], zeros: list[dtype], numbers: list[dtype]) -> dtype:
    """The result dtype of operands that have dimensions, are 0-dim tensors, are Python numbers."""
    merged: list[dtype | None] = []
    for group in (dims, zeros, numbers):
        best: dtype | None = None
        for d in group:
            best = d if best is None else promote(best, d)
        merged.append(best)
    result = _over(merged[0], _over(merged[1], merged[2]))
    assert result is not None
    return result
