"""DLPack capsules, by which libraries hand memory to one another, where NumPy alone does not make or take them.

NumPy knows no bfloat16: such memory goes through it as whole numbers of two bytes, and what the capsule says of their
type is written anew. Memory that another library lends without a version of the protocol counts as writable here.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from typing import Any

import numpy as np

from ..types import dtypes

__all__ = ["array_of", "capsule_of", "is_capsule"]

#: the protocol's numbers of unsigned whole numbers and of bfloat16
_UNSIGNED, _BFLOAT = 1, 4
#: where the type of the elements stands, in bytes after the beginning of what a capsule of that name points to
_TYPE_AT = {b"dltensor": 20, b"dltensor_versioned": 52}
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class _Capsule:
    """Wraps a capsule in an object with the two methods that `np.from_dlpack` calls."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


class _Lent:
    """Memory that somebody lends, as NumPy asks for it: writable."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        found = dict(array.__array_interface__)
        found["data"] = (found["data"][0], False)
        self.__array_interface__ = found


def is_capsule(obj: Any) -> bool:
    """Whether an object is a capsule."""
    return type(obj).__name__ == "PyCapsule"


def _type_of(capsule: Any) -> Any:
    """The byte that says of which kind the elements are; None for a capsule that has been consumed."""
    name = _name(capsule)
    if name not in _TYPE_AT:
        return None
    return ctypes.c_uint8.from_address(_pointer(capsule, name) + _TYPE_AT[name])


def capsule_of(array: np.ndarray, **asked: Any) -> Any:
    """A capsule of an array's memory; `asked` as for `__dlpack__`."""
    if array.dtype.name != "bfloat16":
        return array.__dlpack__(**asked)
    capsule = array.view(np.uint16).__dlpack__(**asked)
    _type_of(capsule).value = _BFLOAT
    return capsule


def array_of(capsule: Any) -> np.ndarray | None:
    """An array on the memory that a capsule lends; None if it has been consumed."""
    kind = _type_of(capsule)
    if kind is None:
        return None
    brief = kind.value == _BFLOAT
    if brief:
        kind.value = _UNSIGNED
    found: np.ndarray | None = None
    with suppress(ValueError):
        found = np.from_dlpack(_Capsule(capsule))
    if found is None:
        return None
    if not found.flags.writeable:
        found = np.asarray(_Lent(found))
    return found.view(dtypes.ALL["bfloat16"].numpy) if brief else found
