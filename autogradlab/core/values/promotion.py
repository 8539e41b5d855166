"""The slow path for operands: numbers that become tensors, dtypes that differ, shapes that do not broadcast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from ..arguments.params import TOO_BIG, python_number
from ..memory.layout import like
from ..memory.rows import levels_of
from ..runtime import errors
from ..runtime.modes import quiet
from ..tensor.tensor import Tensor, wrap_scalar
from ..types import dtypes

__all__ = [
    "broadcast_error",
    "can_cast",
    "check_cast",
    "common",
    "common_dtype",
    "is_number",
    "plain_float",
    "plain_number",
    "result_dtype",
    "too_big",
    "wrap_number",
]


def is_number(value: object) -> bool:
    """Whether PyTorch takes `value` for a Scalar."""
    kind = type(value)
    if kind is float or kind is int:
        return True
    if isinstance(value, Tensor):
        return False
    return isinstance(value, (int, float, complex, np.number, np.bool_))


def plain_number(value: Any) -> Any:
    """A tensor that PyTorch reads as a number (no dimensions, no gradient wanted), or a number of NumPy's, as a Python
    number; else `value`."""
    kind = type(value)
    if kind is float or kind is int:
        return value
    if isinstance(value, (np.number, np.bool_)):
        return python_number(value)
    return value.item() if isinstance(value, Tensor) and not value._array.ndim and not value.requires_grad else value


def plain_float(value: Any) -> Any:
    """The same where a signature asks for a float: of a complex tensor the real part is read."""
    found = plain_number(value)
    return found.real if type(found) is complex else found


def wrap_number(value: Any, numpy: np.dtype[Any] | None = None) -> Tensor:
    """A number as a 0-dim tensor, of its own dtype unless one is given."""
    if numpy is None:
        kind = dtypes.of_scalar(value)
        numpy = (
            np.dtype(np.float64)
            if kind.is_floating_point
            else np.dtype(np.complex128)
            if kind.is_complex
            else kind.numpy
        )
    return wrap_scalar(number(value, numpy))


def result_dtype(operands: tuple[Any, ...]) -> dtypes.dtype:
    """The dtype in which an operation on tensors and numbers is computed."""
    found = None
    kinds = "fiubcV"  # of tensors that numbers leave as they are
    for operand in operands:
        kind = type(operand)
        if kind is float:
            kinds = "f"
        elif kind is int:
            kinds = "fiu" if kinds != "f" else kinds
        elif isinstance(operand, Tensor) and (found is None or operand._array.dtype is found):
            found = operand._array.dtype
        else:
            break
    else:
        if found is not None and found.kind in kinds:
            return dtypes.from_numpy(found)
    dims: list[dtypes.dtype] = []
    zeros: list[dtypes.dtype] = []
    scalars: list[dtypes.dtype] = []
    for operand in operands:
        if isinstance(operand, Tensor):
            (dims if operand._array.ndim else zeros).append(operand.dtype)
        else:
            scalars.append(dtypes.of_scalar(operand))
    return dtypes.combine(dims, zeros, scalars)


def common_dtype(values: Sequence[Any]) -> np.dtype[Any]:
    """The dtype that the tensors among some values have together."""
    return result_dtype(tuple([v for v in values if isinstance(v, Tensor)])).numpy


def common(*operands: Any) -> list[np.ndarray]:
    """The operands as arrays of their common dtype."""
    numpy = result_dtype(operands).numpy
    return [cast(o._array, numpy) if isinstance(o, Tensor) else number(o, numpy) for o in operands]


def number(value: Any, numpy: np.dtype[Any]) -> np.ndarray:
    """A Python number in a dtype, wrapping around as C does where it is too large."""
    kind = type(value)
    form = numpy.kind
    if (kind is float or kind is int) and form == "f" and -65504 <= value <= 65504:  # the usual cases
        return np.array(value, numpy)
    if kind is int and form == "i" and -128 <= value < 128:
        return np.array(value, numpy)
    if isinstance(value, np.generic):
        value = python_number(value)
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        raise too_big(value)
    if numpy.kind in "iu" and isinstance(value, int):
        bits = 8 * numpy.itemsize
        value &= (1 << bits) - 1
        if numpy.kind == "i" and value >> (bits - 1):
            value -= 1 << bits
    elif numpy.kind in "fc" and not abs(value) <= 65504:  # it may be infinite in that dtype, without a word
        return quiet(np.array, value, numpy)
    elif numpy.kind == "V" and isinstance(value, int):  # bfloat16 takes no integers of 64 bits
        value = float(value)
    return np.array(value, numpy)


def too_big(value: int) -> OverflowError:
    """The error for an integer that 64 bits do not hold."""
    return OverflowError(TOO_BIG[value < 0])


def cast(array: np.ndarray, numpy: np.dtype[Any]) -> np.ndarray:
    """The array in a dtype, itself if it has it already."""
    if array.dtype is numpy:
        return array
    if array.flags.c_contiguous and 1 not in array.shape:
        narrower = numpy.itemsize == 2 or numpy.itemsize < array.itemsize
        return quiet(array.astype, numpy) if narrower else array.astype(numpy)
    r = like(array, numpy, zero=False)
    quiet(np.copyto, r, array, "unsafe")
    return r


def can_cast(found: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Whether a result may be stored in a tensor: complex not in real, float not in integer, number not in bool."""
    a, b = dtypes.from_numpy(found)._category, dtypes.from_numpy(wanted)._category
    return a <= b


def check_cast(found: np.dtype[Any], wanted: np.dtype[Any]) -> None:
    if not can_cast(found, wanted):
        raise RuntimeError(errors.CAST.format(*(dtypes.scalar_name(d) for d in (found, wanted))))


def broadcast_error(a: tuple[int, ...], b: tuple[int, ...], *others: tuple[int, ...]) -> NoReturn:
    """Raise PyTorch's error for two shapes that do not broadcast. Among the dimensions of rows it counts those of their
    vmaps, which come first. others: shapes beside these, which may be of rows too."""
    n = max(len(a), len(b))
    front = len(levels_of((a, b, *others)))
    for i in range(n - 1, -1, -1):
        x = a[i - n + len(a)] if i - n + len(a) >= 0 else 1
        y = b[i - n + len(b)] if i - n + len(b) >= 0 else 1
        if x != y and 1 not in (x, y):
            raise RuntimeError(errors.BROADCAST.format(x, y, front + i))
    raise RuntimeError(f"shapes {list(a)} and {list(b)} do not broadcast")


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that shapes broadcast to."""
    result: tuple[int, ...] = ()
    for shape in shapes:
        if not result:
            result = tuple(shape)
        elif shape and shape != result:
            longer, shorter = (result, shape) if len(result) >= len(shape) else (shape, result)
            sizes = [*longer]
            for i, n in enumerate(shorter, len(longer) - len(shorter)):
                if sizes[i] == 1:
                    sizes[i] = n
                elif n not in (1, sizes[i]):
                    broadcast_error(result, shape, *shapes)
            result = tuple(sizes)
    return result
