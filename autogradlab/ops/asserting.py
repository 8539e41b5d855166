"""Conditions that are asked to hold: torch._check and its kin, torch._assert, torch._assert_async."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.arguments.mismatch import typename
from ..core.recording.record import TENSORS
from ..core.runtime.warn import warn
from ..core.tensor.tensor import Tensor
from ..core.types.device import device as Device
from ..core.types.dtypes import cxx_name, scalar_name

__all__ = ["PUBLIC"]

_EXPECTED = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
    "enhancement request to PyTorch.)"
)
_OF_TENSORS = (
    "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert that all "
    "elements are true."
)
_SIZES = (
    "_check_is_size will be removed in a future PyTorch release along with guard_size_oblivious. "
    "    Use _check(i >= 0) instead."
)
Message = Callable[[], object] | None


def _check_with(error: type[Exception], cond: bool, message: Message = None) -> None:
    """Raise an error of a type where a condition does not hold, with the message that a function gives."""
    if isinstance(cond, Tensor):
        raise TypeError(_OF_TENSORS)
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise error(_EXPECTED)
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error(str(message()))


def _check(cond: bool, message: Message = None) -> None:
    """RuntimeError where a condition does not hold."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond: bool, message: Message = None) -> None:
    """IndexError where a condition does not hold."""
    _check_with(IndexError, cond, message)


def _check_value(cond: bool, message: Message = None) -> None:
    """ValueError where a condition does not hold."""
    _check_with(ValueError, cond, message)


def _check_type(cond: bool, message: Message = None) -> None:
    """TypeError where a condition does not hold."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: bool, message: Message = None) -> None:
    """NotImplementedError where a condition does not hold."""
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i: int, message: Message = None) -> None:
    """RuntimeError for a negative number."""
    warn(_SIZES, FutureWarning)
    _check(i >= 0, message)


def _check_tensor_all_with(error: type[Exception], cond: Tensor, message: Message = None) -> None:
    """Raise an error of a type where an element of a bool tensor is False."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond._array.dtype.kind != "b":
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error, bool(cond._array.all()), message)


def _check_tensor_all(cond: Tensor, message: Message = None) -> None:
    """RuntimeError where an element of a bool tensor is False."""
    _check_tensor_all_with(RuntimeError, cond, message)


def _assert(condition: Any, message: str) -> None:
    """AssertionError where a condition does not hold."""
    assert condition, message


def _assert_async(input: Tensor, assert_msg: str = "Expected Tensor with single nonzero value, but got zero") -> None:
    """RuntimeError where the only element of a tensor is zero."""
    if not isinstance(assert_msg, str):
        kind = type(assert_msg).__name__
        raise TypeError(f"_assert_async(): argument 'assert_msg' (position 2) must be str, not {kind}")
    if not TENSORS.is_nonzero(input):
        raise RuntimeError(assert_msg)


def _assert_tensor_metadata(
    a: Tensor, size: Any = None, stride: Any = None, dtype: Any = None, *, device: Any = None, layout: Any = None
) -> None:
    """RuntimeError where a tensor has another size, stride, dtype, device or layout."""
    for what, expected, found in (("sizes", size, a.shape), ("strides", stride, a.stride())):
        if expected is not None and tuple(expected) != tuple(found):
            raise RuntimeError(f"Tensor {what} mismatch! Expected: {list(expected)}, Got: {list(found)}")
    if dtype is not None and dtype is not a.dtype:
        raise RuntimeError(f"Tensor dtype mismatch! Expected: {scalar_name(dtype)}, Got: {cxx_name(a.dtype)}")
    if device is not None and Device(device) != a.device:
        raise RuntimeError(f"Tensor device mismatch! Expected: {Device(device)}, Got: {a.device}")
    if layout is not None and layout is not a.layout:
        raise RuntimeError("Tensor layout mismatch! Expected: Sparse, Got: Strided")


#: what is known of elements that share memory
_APART, _SHARED, _UNCLEAR = 0, 1, 2


def _debug_has_internal_overlap(input: Tensor) -> int:
    """Whether elements of a tensor share memory: 0 no, 1 yes, 2 not clear from the strides."""
    if not isinstance(input, Tensor):
        raise TypeError(
            f"_debug_has_internal_overlap(): argument 'input' (position 1) must be Tensor, not {typename(input)}"
        )
    x = input._array
    if any(s == 0 and n > 1 for s, n in zip(x.strides, x.shape, strict=True)):
        return _SHARED
    expected = x.itemsize
    for stride, n in sorted((s, n) for s, n in zip(x.strides, x.shape, strict=True) if n > 1):
        if stride != expected:
            return _UNCLEAR
        expected *= n
    return _APART


PUBLIC: dict[str, Any] = {
    f.__name__: f
    for f in (
        _check_with,
        _check,
        _check_index,
        _check_value,
        _check_type,
        _check_not_implemented,
        _check_is_size,
        _check_tensor_all_with,
        _check_tensor_all,
        _assert,
        _assert_async,
        _assert_tensor_metadata,
        _debug_has_internal_overlap,
    )
}
