"""Types for annotations: what is taken for a device, a size, a number, a file (mirrors `torch.types`)."""

from __future__ import annotations

import os
from builtins import bool as _bool
from builtins import bytes as _bytes
from builtins import complex as _complex  # noqa: F401 a name that programs import from here
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Sequence
from typing import IO, TypeAlias

from .core.memory.storage import StorageBase as Storage
from .core.tensor.tensor import Size, Tensor
from .core.types.device import device as _device
from .core.types.dtypes import dtype as _dtype  # noqa: F401
from .core.types.layouts import layout as _layout  # noqa: F401

__all__ = ["Device", "FileLike", "Number", "Storage"]


class SymInt:
    """What isinstance asks for beside int, where programs may be traced: no size is one here.

    Example:
        >>> import autogradlab as torch
        >>> isinstance(torch.ones(3).shape[0], (int, torch.SymInt)), isinstance(3, torch.SymInt)
        (True, False)

    Mirrors `torch.SymInt`.
    """

    __module__ = "torch"

    def __init__(self, node: object) -> None:
        self.node = node


class SymFloat:
    """The same beside float.

    Example:
        >>> import autogradlab as torch
        >>> found = torch.ones(3).sum().item()
        >>> isinstance(found, (float, torch.SymFloat)), isinstance(found, torch.SymFloat)
        (True, False)

    Mirrors `torch.SymFloat`.
    """

    __module__ = "torch"

    def __init__(self, node: object) -> None:
        self.node = node


class SymBool:
    """The same beside bool.

    Example:
        >>> import autogradlab as torch
        >>> found = torch.ones(3).is_contiguous()
        >>> isinstance(found, (bool, torch.SymBool)), isinstance(found, torch.SymBool)
        (True, False)

    Mirrors `torch.SymBool`.
    """

    __module__ = "torch"

    def __init__(self, node: object) -> None:
        self.node = node


IntLikeType: TypeAlias = _int | SymInt
FloatLikeType: TypeAlias = _float | SymFloat
BoolLikeType: TypeAlias = _bool | SymBool
py_sym_types = (SymInt, SymFloat, SymBool)
PySymType: TypeAlias = SymInt | SymFloat | SymBool
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors: TypeAlias = Tensor | Sequence[Tensor | None]
_size: TypeAlias = Size | list[_int] | tuple[_int, ...]
#: numbers, and the classes that isinstance asks for
Number: TypeAlias = _int | _float | _bool
_Number = (_int, _float, _bool)
Device: TypeAlias = _device | _str | _int | None
FileLike: TypeAlias = _str | os.PathLike[_str] | IO[_bytes]
