"""One parameter of a signature: which values torch accepts, and what they become."""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from ..runtime import errors
from ..runtime.warn import warn
from .mismatch import typename, types

__all__ = ["INT_LISTS", "NUMERIC", "OTHER_NAMES", "TOO_BIG", "Parameter", "is_tensor", "python_number"]

#: NumPy's names for arguments, accepted as well as torch's own
OTHER_NAMES: Final = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}

# The type words of a signature, and how error texts print them.
_PRINTED: Final = {
    "Tensor": "Tensor",
    "Scalar": "Number",
    "int": "int",
    "SymInt": "int",
    "float": "float",
    "complex": "complex",
    "bool": "bool",
    "str": "str",
    "object": "object",
    "ScalarType": "torch.dtype",
    "Device": "torch.device",
    "Layout": "torch.layout",
    "MemoryFormat": "torch.memory_format",
    "Generator": "torch.Generator",
    "Storage": "torch.Storage",
    "Stream": "torch.Stream",
    "Tensor[]": "tuple of Tensors",
    "int[]": "tuple of ints",
    "SymInt[]": "tuple of ints",
    "float[]": "tuple of floats",
    "Scalar[]": "tuple of Scalars",
}

NUMERIC: Final = frozenset({"Scalar", "int", "SymInt", "float", "complex", "int[]", "SymInt[]"})
INT_LISTS: Final = frozenset({"int[]", "SymInt[]"})
#: of an integer that 64 bits do not hold, and of a negative one
TOO_BIG: Final = ("int too big to convert", "can't convert negative int to unsigned")


def is_tensor(obj: Any) -> bool:
    """Returns a plain bool on purpose: tensors are recognised by their attributes here, whatever their class."""
    return isinstance(obj, types.tensor)


def _is_long(obj: object) -> bool:
    """Whether it is a Python or NumPy integer; a bool is not."""
    return isinstance(obj, (int, np.integer)) and not isinstance(obj, bool)


def python_number(value: np.generic) -> Any:
    """The Python number that PyTorch reads out of one of NumPy's: a bool counts as a float there, and of complex
    numbers that are none of Python's the imaginary part is dropped, with NumPy's warning."""
    if isinstance(value, np.integer):
        return operator.index(value)
    if isinstance(value, np.complexfloating) and not isinstance(value, complex):
        warn("Casting complex values to real discards the imaginary part", np.exceptions.ComplexWarning)
        value = value.real
    return complex(value) if isinstance(value, complex) else float(value)


def _is_scalar(obj: object) -> bool:
    return isinstance(obj, (int, float, complex, np.integer, np.floating, np.complexfloating, np.bool_))


def _is_double(obj: object) -> bool:
    return isinstance(obj, (float, int, np.integer, np.floating, np.complexfloating, np.bool_))


def _is_index(obj: Any) -> bool:
    """Whether `operator.index` accepts it; a bool does not count."""
    if isinstance(obj, bool):
        return False
    if _is_long(obj):
        return True
    try:
        operator.index(obj)
    except Exception:  # any error of __index__ means that it is not an index
        return False
    return True


def _is_integral(tensor: Any, with_bool: bool) -> bool:
    dtype = tensor.dtype
    if dtype.is_floating_point or dtype.is_complex:
        return False
    return with_bool or str(dtype) != "torch.bool"


def _is_symint(obj: Any) -> bool:
    return (is_tensor(obj) and obj.numel() == 1 and _is_integral(obj, True)) or _is_index(obj)


_LOWEST, _HIGHEST = -(2**63), 2**63 - 1


class Parameter:
    """One parameter of a signature: type word, name, default, and the test of a value against it."""

    __slots__ = (
        "aliases",
        "default",
        "keyword_only",
        "kind",
        "name",
        "nullable",
        "numbers",
        "optional",
        "shown",
        "size",
    )

    def __init__(self, text: str, keyword_only: bool, numbers: bool) -> None:
        kind, _, rest = text.partition(" ")
        self.nullable = kind.endswith("?")
        kind = kind.rstrip("?")
        self.size = 0
        if kind.endswith("]"):
            kind, _, size = kind[:-1].partition("[")
            kind += "[]"
            self.size = int(size or 0)
        self.kind = kind
        if kind not in _PRINTED:
            raise ValueError(f"unknown type {kind!r} in the parameter {text!r}")
        self.name, equals, default = rest.partition("=")
        self.optional = bool(equals)
        self.nullable = self.nullable or default == "None"
        self.default = _default(default) if equals else None
        self.shown = f"{_PRINTED[kind]} {self.name}" + (f" = {default}" if equals else "")
        self.keyword_only = keyword_only
        self.numbers = numbers and kind == "Tensor"
        self.aliases = tuple(other for other, name in OTHER_NAMES.items() if name == self.name)

    @property
    def printed_type(self) -> str:
        return _PRINTED[self.kind]

    def accepts(self, obj: Any, position: int) -> bool:
        """Whether `obj` can be this argument; a list in which something is no Tensor raises at once, as in torch."""
        kind = self.kind
        if kind == "Tensor":
            return is_tensor(obj) or (self.numbers and _is_scalar(obj))
        if kind == "int":
            if is_tensor(obj):
                return bool(obj.dim() == 0 and not obj.requires_grad and _is_integral(obj, False))
            return _is_long(obj)
        if kind in ("Scalar", "float", "complex"):
            if is_tensor(obj):
                return bool(obj.dim() == 0 and not obj.requires_grad)
            return _is_double(obj) or (kind != "float" and _is_scalar(obj))
        if kind == "bool":
            return isinstance(obj, bool)
        if kind == "SymInt":
            return _is_symint(obj)
        if kind in INT_LISTS:
            return self.accepts_ints(obj)
        if kind == "Tensor[]":
            return _is_tensor_list(obj, position)
        if kind == "str":
            return isinstance(obj, str)
        if kind == "ScalarType":
            return isinstance(obj, types.dtype) or (isinstance(obj, type) and obj in types.of_python)
        if kind == "Device":
            return isinstance(obj, str) or _is_long(obj) or isinstance(obj, types.device)
        if kind == "float[]":
            return isinstance(obj, (list, tuple)) and (not obj or _is_double(obj[0]) or isinstance(obj[0], complex))
        if kind == "Scalar[]":
            return isinstance(obj, (list, tuple)) and all(_is_scalar(item) for item in obj)
        if kind == "object":
            return True
        known = {
            "Layout": types.layout,
            "MemoryFormat": types.memory_format,
            "Generator": types.generator,
            "Storage": types.storage,
            "Stream": types.stream,
        }
        return isinstance(obj, known[kind])

    def accepts_ints(self, obj: Any) -> bool:
        """Whether the first element fits; the others are checked when they are unpacked."""
        is_int = _is_symint if self.kind == "SymInt[]" else _is_index
        if isinstance(obj, (tuple, list)):
            return not obj or is_int(obj[0])
        return self.size > 0 and (is_int(obj) if self.kind == "SymInt[]" else _is_long(obj) or _is_index_tensor(obj))

    def unpack(self, obj: Any, function: str) -> Any:
        """The plain Python value (int, float, tuple of ints), or the dtype; other kinds are passed through."""
        kind = self.kind
        if kind in INT_LISTS:
            if not isinstance(obj, (tuple, list)):
                return (self._int(obj),) * max(self.size, 1)
            for item in obj:
                if type(item) is not int or not _LOWEST <= item <= _HIGHEST:
                    break
            else:
                return tuple(obj)
            return tuple(self._element(item, at, function) for at, item in enumerate(obj))
        if kind == "int" or kind == "SymInt":
            return self._int(obj)
        if kind == "float" or kind == "Scalar" or kind == "complex":
            if isinstance(obj, np.generic):
                obj = python_number(obj)
            elif is_tensor(obj):
                obj = obj.item()
            if isinstance(obj, int) and not -(2**63) <= obj < 2**64:
                raise OverflowError(TOO_BIG[obj < 0])
            return float(obj) if kind == "float" and not isinstance(obj, complex) else obj
        return types.of_python.get(obj, obj) if kind == "ScalarType" else obj

    def _int(self, obj: Any) -> int:
        value = obj if type(obj) is int else int(obj.item()) if is_tensor(obj) else operator.index(obj)
        if not -(2**63) <= value < 2**63:
            raise ValueError(errors.LONG_OVERFLOW)
        return value

    def _element(self, obj: Any, at: int, function: str) -> int:
        reason = f"type must be {self.printed_type},but got {typename(obj)}"
        if is_tensor(obj):
            if obj.numel() == 1 and _is_integral(obj, True):
                if self.kind == "SymInt[]" and not _is_integral(obj, False):
                    raise RuntimeError(
                        "Expected scalar.isIntegral( false) to be true, but got false.  (Could this error message be "
                        "improved?  If so, please report an enhancement request to PyTorch.)"
                    )
                return int(obj.item())
        elif _is_index(obj) or isinstance(obj, bool):
            value = operator.index(obj)
            if -(2**63) <= value < 2**63:
                return value
            reason = errors.LONG_OVERFLOW
        raise TypeError(
            f"{function}(): argument '{self.name}' failed to unpack the object at pos {at + 1} with error \"{reason}\""
        )


def _is_index_tensor(obj: Any) -> bool:
    return is_tensor(obj) and _is_index(obj)


def _is_tensor_list(obj: Any, position: int) -> bool:
    if not isinstance(obj, (tuple, list)):
        return False
    for at, item in enumerate(obj):
        if not is_tensor(item):
            raise TypeError(f"expected Tensor as element {at} in argument {position}, but got {typename(item)}")
    return True


def _default(text: str) -> Any:
    """The value of a default: None, a bool, a number, a quoted string, {1,2} for a tuple; other words stay words."""
    words: dict[str, Any] = {"None": None, "True": True, "False": False}
    words |= {"at::Reduction::Mean": 1, "c10::MemoryFormat::Contiguous": "contiguous_format"}
    if text in words:
        return words[text]
    if text.startswith('"'):
        return text[1:-1]
    if text.startswith("{"):
        return tuple(int(item) for item in text[1:-1].split(","))
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text
