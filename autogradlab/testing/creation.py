"""make_tensor: random tensors for tests (mirrors `torch.testing.make_tensor`)."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ..core.recording.record import TENSORS
from ..core.tensor.tensor import Tensor
from ..core.types.dtypes import dtype as Dtype

__all__ = ["make_tensor"]


def _limits(dtype: Dtype) -> tuple[Any, Any, Any, Any]:
    """The lowest value of a dtype, the first above its values, and between which numbers are drawn by default."""
    if dtype.name == "bool":
        return 0, 2, 0, 2
    if not (dtype.is_floating_point or dtype.is_complex):
        found = np.iinfo(dtype.numpy)
        return int(found.min), int(found.max) + (dtype.name != "int64"), (0 if found.min == 0 else -9), 10
    part = {"complex64": np.float32, "complex128": np.float64}.get(dtype.name, dtype.numpy)
    most = 3.3895313892515355e38 if dtype.name == "bfloat16" else float(np.finfo(part).max)
    return -most, most, -9, 9


def _spread(t: Tensor, low: float, high: float) -> Any:
    """Uniform numbers; a range wider than the largest number of the dtype is drawn at half its width."""
    if high - low >= _limits(t.dtype)[1]:
        return t.uniform_(low / 2, high / 2).mul_(2)
    return t.uniform_(low, high)


def make_tensor(
    *shape: Any,
    dtype: Dtype,
    device: Any,
    low: Any = None,
    high: Any = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor of numbers drawn evenly from low up to high, which depend on the dtype where none are given: -9 to 9 for
    floats.

    noncontiguous: leaves gaps between the elements; exclude_zero: numbers that are 0 become the smallest positive ones.
    Errors: ValueError for bounds that leave no number or are NaN, and for integers that require grad.

    Example:
        >>> import autogradlab as torch
        >>> _ = torch.manual_seed(0)
        >>> torch.testing.make_tensor(3, dtype=torch.int64, device='cpu', low=0, high=20)
        tensor([ 4, 19, 13])
        >>> torch.testing.make_tensor(2, 3, dtype=torch.float32, device='cpu', noncontiguous=True).stride()
        (6, 2)

    Mirrors `torch.testing.make_tensor`.
    """
    sizes = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"noncontiguous={noncontiguous} and memory_format={memory_format}"
        )
    if not isinstance(dtype, Dtype):
        raise TypeError(
            f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor(). To request support, file "
            "an issue at: https://github.com/pytorch/pytorch/issues"
        )
    floating = dtype.is_floating_point or dtype.is_complex
    if requires_grad and not floating:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}"
        )
    lowest, highest, start, end = _limits(dtype)
    start, end = (start if low is None else low), (end if high is None else high)
    if any(v != v for v in (start, end)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={start} and high={end}")
    if start == end and floating:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 "
            "and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=2,
        )
    elif start >= end:
        raise ValueError(f"`low` must be less than `high`, but got {start} >= {end}")
    elif end < lowest or start >= highest:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{start}, {end}), but {dtype} only supports "
            f"[{lowest}, {highest})"
        )
    start, end = max(lowest, min(highest, start)), max(lowest, min(highest, end))
    count = 1
    for n in sizes:
        count *= n
    doubled = noncontiguous and count > 1
    drawn = (*sizes[:-1], 2 * sizes[-1]) if doubled else sizes
    result: Any
    if dtype.is_complex:
        result = TENSORS.empty(drawn, dtype=dtype)
        _spread(TENSORS.view_as_real(result), start, end)
    elif dtype.is_floating_point:
        result = _spread(TENSORS.empty(drawn, dtype=dtype), start, end)
    else:
        result = TENSORS.randint(math.ceil(start), math.ceil(end), drawn, dtype=dtype)
    if doubled:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = (
            1
            if not floating
            else float(np.finfo(np.float32 if dtype.itemsize == 2 else result.abs()._array.dtype).tiny)
        )
    return result.requires_grad_() if requires_grad else result
