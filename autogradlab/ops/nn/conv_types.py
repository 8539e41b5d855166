"""What PyTorch says when input, weight and bias of a convolution differ in dtype: it depends on the kernel it takes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ...core.runtime.settings import get_num_threads
from ...core.types.dtypes import cxx_name, from_numpy, scalar_name, tensor_type
from ..first.kinds import refuse

Array = Any


def check_bias(input: Array, bias: Any) -> None:
    """PyTorch's error, before any other, for a bias of another dtype."""
    if bias is not None and bias.dtype != input.dtype:
        a, b = (cxx_name(x) for x in (input, bias))
        raise RuntimeError(f"Input type ({a}) and bias type ({b}) should be the same")


@cache
def _computes_halves() -> bool:
    """Whether the processor computes with float16 itself: MKLDNN takes them then."""
    return "AVX512_SPR" in np.show_config(mode="dicts")["SIMD Extensions"].get("found", ())


def takes_mkldnn(input: Array, weight: Array, stride: tuple[int, ...], dilation: tuple[int, ...], groups: int) -> bool:
    """Whether PyTorch gives a convolution to MKLDNN: bfloat16, float32 that is worth it, and float16 on processors that
    compute with it."""
    kind = from_numpy(input.dtype).name
    if kind != "float32":
        return kind == "bfloat16" or (kind == "float16" and _computes_halves())
    kernel = (1, *weight.shape[2:])[-2:]
    sizes = input.shape if input.ndim > 3 else (*input.shape[:2], 1, *input.shape[2:])
    count = sizes[0] * sizes[1] * sizes[2] * sizes[3]
    points = kernel == (1, 1) and set(stride) == {1} and set(dilation) == {1} and sizes[0] < 16
    if points and get_num_threads() == 1:
        return False
    return groups > 1 or min(kernel) > 3 or sizes[0] > 1 or count > 20480


def check_types(input: Array, other: Array, by_mkldnn: bool = False, role: str = "weight") -> None:
    """The error for a weight, or a bias, of another dtype."""
    if other.dtype == input.dtype:
        return
    if input.dtype.kind == "b":
        refuse(input, "slow_conv2d_cpu", "b")
    if input.dtype.kind == "c" or by_mkldnn:
        a, b = (tensor_type(x) for x in (input, other))
        more = f" or input should be a MKLDNN tensor and {role} is a dense tensor" if by_mkldnn else ""
        raise RuntimeError(f"Input type ({a}) and {role} type ({b}) should be the same{more}")
    a, b = (scalar_name(x) for x in (input, other))
    raise RuntimeError(f"expected scalar type {a} but found {b}")
