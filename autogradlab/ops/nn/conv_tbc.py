"""Convolution along time of sequences laid out as (time, batch, channels)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.recording.record import says
from ...core.types.dtypes import scalar_name
from ..first.kinds import is_half
from ..table.opdef import op


def _meetings(n: int, width: int, pad: int) -> list[tuple[int, int, int, int]]:
    """For each step of a kernel of so many steps that meets an input of n: the step, the first time of the input and
    the first of the result that meet at it, and how many times do."""
    times = n - width + 1 + 2 * pad
    found = []
    for k in range(width):
        begin, at = max(0, k - pad), max(0, pad - k)
        count = min(n + pad - k, times) - at
        if count > 0:
            found.append((k, begin, at, count))
    return found


def _backward(F: Any, grad: Any, input: Any, weight: Any, pad: int, needs: list[bool]) -> list[Any]:
    n, batch, channels = input.shape
    width, _, out_channels = weight.shape
    by_input = F.zeros_of(grad, (n, batch, channels))
    by_weight = [F.zeros_of(grad, (channels, out_channels)) for _ in range(width)]
    for k, begin, at, count in _meetings(n, width, pad):
        part = F.slice(grad, 0, at, at + count, 1)
        if needs[0]:
            made = F.matmul(part, F.transpose(F.select(weight, 0, k), 0, 1))
            around = (begin, batch, channels), (n - begin - count, batch, channels)
            by_input = by_input + F.cat([F.zeros_of(grad, around[0]), made, F.zeros_of(grad, around[1])], 0)
        if needs[1]:
            seen = F.reshape(F.slice(input, 0, begin, begin + count, 1), (-1, channels))
            by_weight[k] = F.matmul(F.transpose(seen, 0, 1), F.reshape(part, (-1, out_channels)))
    return [by_input, F.stack(by_weight, 0) if needs[1] else None, F.sum(grad, (0, 1))]


@op(
    "conv_tbc(Tensor input, Tensor weight, Tensor bias, int pad=0) -> Tensor|looped",
    method=False,
    vjp={
        "input weight bias": says(
            ("g times {weight}, added where it meets the input", "g 乘以 {weight}，在与输入相遇处相加"),
            ("the input times g, added where {weight} meets it", "输入乘以 g，在与 {weight} 相遇处相加"),
            ("g summed over time and batch", "g 对时间和批求和"),
        )(_backward)
    },
    also=("bias",),
    real=True,
    forwardless="conv_tbc",
)
def conv_tbc(input: np.ndarray, weight: np.ndarray, bias: np.ndarray, pad: int = 0) -> np.ndarray:
    """The sums of products of a kernel with the steps of sequences; `pad` times of zeros stand before and behind.

    Shapes: (n, batch, channels), a weight of (steps, channels, out) and a bias of (out,) give
        (n + 2 pad - steps + 1, batch, out).
    Dtypes: any but bool; the input's and the weight's are the same.

    >>> x = torch.tensor([[[1.]], [[2.]], [[3.]]])
    >>> torch.conv_tbc(x, torch.tensor([[[1.]], [[10.]]]), torch.zeros(1)).flatten()
    tensor([21., 32.])
    """
    if input.ndim != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if weight.ndim != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if bias.ndim != 1:
        raise RuntimeError("Bias must be 1-D")
    if input.shape[2] != weight.shape[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if bias.shape[0] != weight.shape[2]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    n, batch, _ = input.shape
    shape = (n - weight.shape[0] + 1 + 2 * pad, batch, weight.shape[2])
    if shape[0] < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {shape[0]}: {list(shape)}")
    made = np.empty(shape, input.dtype)
    made[...] = bias
    for k, begin, at, count in _meetings(n, weight.shape[0], pad):
        if input.dtype != weight.dtype:
            raise RuntimeError(
                f"self and mat2 must have the same dtype, but got {scalar_name(input)} and {scalar_name(weight)}"
            )
        x, w = input[begin : begin + count], weight[k]
        if is_half(input):
            x, w = x.astype(np.float32), w.astype(np.float32)
        made[at : at + count] += (x @ w).astype(input.dtype)
    return made
