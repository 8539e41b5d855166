"""Pooling as functions; the one-dimensional forms go by way of the two-dimensional ones, as in PyTorch."""

from __future__ import annotations

import math
from typing import Any

from ..ops import nn_pool as _kernels  # noqa: F401 (fills the table)
from ..record import TENSORS
from ..tensor import Tensor

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool1d", "adaptive_max_pool2d", "avg_pool1d", "avg_pool2d",
    "avg_pool3d", "lp_pool1d", "lp_pool2d", "max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool2d_with_indices",
    "max_pool3d", "max_unpool1d", "max_unpool2d",
]  # fmt: skip


def _sizes(value: Any, n: int) -> tuple[int, ...]:
    if isinstance(value, (tuple, list)):
        return tuple(value) if len(value) == n else tuple(value) * n
    return (value,) * n


def _max(n: int, input: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
    kernel = _sizes(kernel_size, n)
    step = kernel if stride is None or stride == [] else _sizes(stride, n)
    return getattr(TENSORS, f"max_pool{n}d_with_indices")(input, kernel, step, _sizes(padding, n), _sizes(dilation, n), ceil_mode)


def max_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
               return_indices: bool = False) -> Any:  # fmt: skip
    """The largest element of each window of (N, C, H, W) or (C, H, W), on demand with its place in the plane."""
    found = _max(2, input, kernel_size, stride, padding, dilation, ceil_mode)
    return found if return_indices else found[0]


def max_pool2d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
                            ceil_mode: bool = False, return_indices: bool = False) -> Any:  # fmt: skip
    """max_pool2d with the places of the maxima."""
    return _max(2, input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool3d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
               return_indices: bool = False) -> Any:  # fmt: skip
    """The largest element of each window of (N, C, D, H, W)."""
    found = _max(3, input, kernel_size, stride, padding, dilation, ceil_mode)
    return found if return_indices else found[0]


def max_pool1d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
                            ceil_mode: bool = False, return_indices: bool = False) -> Any:  # fmt: skip
    """max_pool1d with the places of the maxima."""
    one = [_sizes(v, 1)[0] for v in (kernel_size, kernel_size if stride is None or stride == [] else stride, padding, dilation)]
    found = _max(2, TENSORS.unsqueeze(input, -2), (1, one[0]), (1, one[1]), (0, one[2]), (1, one[3]), ceil_mode)
    return TENSORS.squeeze(found[0], -2), TENSORS.squeeze(found[1], -2)


def max_pool1d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
               return_indices: bool = False) -> Any:  # fmt: skip
    """The largest element of each window of (N, C, L) or (C, L)."""
    found = max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return found if return_indices else found[0]


def _avg(n: int, input: Tensor, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, include: bool, divisor: Any) -> Tensor:
    kernel = _sizes(kernel_size, n)
    step = kernel if stride is None or stride == [] else _sizes(stride, n)
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    return getattr(TENSORS, f"avg_pool{n}d")(input, kernel, step, _sizes(padding, n), ceil_mode, include, divisor)


def avg_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:  # fmt: skip
    """The mean of each window of (N, C, H, W) or (C, H, W)."""
    return _avg(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: int | None = None) -> Tensor:  # fmt: skip
    """The mean of each window of (N, C, D, H, W)."""
    return _avg(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool1d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
               count_include_pad: bool = True) -> Tensor:  # fmt: skip
    """The mean of each window of (N, C, L) or (C, L)."""
    k, p = _sizes(kernel_size, 1)[0], _sizes(padding, 1)[0]
    s = k if stride is None or stride == [] else _sizes(stride, 1)[0]
    out = _avg(2, TENSORS.unsqueeze(input, -2), (1, k), (1, s), (0, p), ceil_mode, count_include_pad, None)
    return TENSORS.squeeze(out, -2)


def _wanted(output_size: Any, input: Tensor, n: int) -> tuple[int, ...]:
    sizes = _sizes(output_size, n)
    return tuple(input._array.shape[i - n] if s is None else int(s) for i, s in enumerate(sizes))


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of output_size nearly equal parts of (N, C, H, W)."""
    if input.ndim not in (3, 4):
        raise RuntimeError(f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(input.shape)}")
    size = _wanted(output_size, input, 2)
    if size == (1, 1):
        return TENSORS.mean(input, (-1, -2), True)
    return TENSORS._adaptive_avg_pool2d(input, size)


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The means of output_size nearly equal parts of (N, C, L)."""
    size = _wanted(output_size, input, 1)
    return TENSORS.squeeze(adaptive_avg_pool2d(TENSORS.unsqueeze(input, -2), (1, *size)), -2)


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The maxima of output_size nearly equal parts of (N, C, H, W)."""
    found = TENSORS.adaptive_max_pool2d(input, _wanted(output_size, input, 2))
    return found if return_indices else found[0]


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The maxima of output_size nearly equal parts of (N, C, L)."""
    found = TENSORS.adaptive_max_pool2d(TENSORS.unsqueeze(input, -2), (1, *_wanted(output_size, input, 1)))
    pair = TENSORS.squeeze(found[0], -2), TENSORS.squeeze(found[1], -2)
    return pair if return_indices else pair[0]


def _rooted(means: Any, p: float, count: int) -> Tensor:
    return (TENSORS.sign(means) * TENSORS.relu(TENSORS.abs(means))).mul(count).pow(1.0 / p)


def lp_pool2d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window of (N, C, H, W)."""
    means = avg_pool2d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return _rooted(means, norm_type, math.prod(_sizes(kernel_size, 2)))


def lp_pool1d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window of (N, C, L)."""
    means = avg_pool1d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return _rooted(means, norm_type, _sizes(kernel_size, 1)[0])


def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """The maxima of max_pool2d put back where they were, zeros elsewhere."""
    kernel, pads = _sizes(kernel_size, 2), _sizes(padding, 2)
    step = kernel if stride is None else _sizes(stride, 2)
    sizes = tuple((n - 1) * s + k - 2 * p for n, s, k, p in zip(input._array.shape[-2:], step, kernel, pads, strict=True))
    if output_size is not None:
        sizes = tuple(output_size)[-2:]
    return TENSORS.max_unpool(input, indices, sizes)


def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """The maxima of max_pool1d put back where they were, zeros elsewhere."""
    k, p = _sizes(kernel_size, 1)[0], _sizes(padding, 1)[0]
    s = k if stride is None else _sizes(stride, 1)[0]
    n = (input._array.shape[-1] - 1) * s + k - 2 * p if output_size is None else tuple(output_size)[-1]
    out = TENSORS.max_unpool(TENSORS.unsqueeze(input, -1), TENSORS.unsqueeze(indices, -1), (n, 1))
    return TENSORS.squeeze(out, -1)
