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

__all__ = ["alone", "array_of", "capsule_of", "is_capsule", "lent"]

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
        found["strides"] = array.strides
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


def alone(array: np.ndarray) -> np.ndarray:
    """An array on the same memory that knows of no larger one."""
    plain = array.view(np.uint16) if array.dtype.name == "bfloat16" else array
    return np.asarray(_Lent(plain)).view(array.dtype)


def lent(lender: Any, **asked: Any) -> np.ndarray:
    """An array on the memory that an object with `__dlpack__` lends. `asked` are the options of `__dlpack__`; those
    that the object does not know are left out, and what it did not copy is copied here. Errors: RuntimeError for what
    is no capsule, and whatever the object says."""
    options = {"max_version": (1, 0), **asked}
    capsule = None
    for name in ("max_version", "copy", "dl_device"):
        with suppress(TypeError):
            capsule = lender.__dlpack__(**options)
        if capsule is not None:
            break
        options.pop(name, None)
    if capsule is None:
        capsule = lender.__dlpack__(**options)
    array = array_of(capsule)
    return array.copy() if asked.get("copy") is True and "copy" not in options else array


def array_of(capsule: Any) -> np.ndarray:
    """An array on the memory that a capsule lends. Errors: RuntimeError for one that has been consumed, and for what is
    no capsule."""
    found = _array_of(capsule) if is_capsule(capsule) else None
    if found is None:
        raise RuntimeError(
            "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you "
            "might have already constructed a tensor from it once."
        )
    return found


def _array_of(capsule: Any) -> np.ndarray | None:
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
