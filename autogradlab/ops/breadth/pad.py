"""Padding: with one value, by reflection, by repeating the border."""

from __future__ import annotations

import operator
from functools import lru_cache
from typing import Any

import numpy as np

from ...core.arguments.declared import name_of
from ...core.memory.layout import channels_as, keeping_channels, like
from ...core.recording.record import TENSORS, says, zeros
from ...core.runtime import errors
from ...core.tensor.dispatching import instead
from ...core.tensor.overriding import cast_within
from ...core.tensor.tensor import Tensor
from ...core.values.building import number_in
from ..first.kinds import BOOL, UNSIGNED, typed
from ..table.asking import unseen
from ..table.opdef import composite, op


@keeping_channels
def _constant_pad(input: Any, pad: Any, value: Any = 0) -> np.ndarray:
    n = input.ndim
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * n:
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)}while the input has {n}dimensions."
        )
    shape = list(input.shape)
    source: list[Any] = [slice(None)] * n
    target: list[Any] = [slice(None)] * n
    for i in range(len(pad) // 2):
        d = n - 1 - i
        low, high = pad[2 * i], pad[2 * i + 1]
        size = shape[d]
        shape[d] = size + low + high
        if low >= 0 and high >= 0:
            target[d] = slice(low, low + size)
            continue
        if size + min(low, 0) + min(high, 0) < 0:  # more is taken away than there is
            raise RuntimeError("narrow(): length must be non-negative.")
        source[d] = slice(max(-low, 0), size - max(-high, 0))
        target[d] = slice(max(low, 0), shape[d] - max(high, 0))
    if max(pad, default=0) <= 0:  # PyTorch copies the part that is left
        r = like(input[tuple(source)], input.dtype, zero=False)
        r[...] = input[tuple(source)]
        return r
    r = np.empty(shape, input.dtype)
    r[...] = number_in(value, input.dtype)
    r[tuple(target)] = input[tuple(source)]
    return r


op(
    "constant_pad_nd(Tensor input, SymInt[] pad, Scalar value=0) -> Tensor",
    method=False,
    vjp={
        "input": says(("g without what was padded", "去掉填充部分的 g"))(
            lambda F, grad, pad: F.constant_pad_nd(grad, tuple(-p for p in pad), 0)
        ),
    },
    inner_writes=2,
    doc="""
    Padded with a value: before and after the last dimension, the last but one, …; negative numbers cut off.

    Shapes: the sizes grow by the pads.
    ~same-dtype

    >>> torch.constant_pad_nd(torch.tensor([1, 2]), (1, 2), 9)
    tensor([9, 1, 2, 9, 9])
    """,
)(_constant_pad)


@lru_cache(maxsize=64)
def _sources(n: int, low: int, high: int, reflect: bool) -> np.ndarray:
    """For each place of a padded dimension, where in the dimension of size `n` its value comes from."""
    at = np.arange(-low, n + high)
    if reflect:
        at = np.abs(at)
        return (n - 1) - np.abs((n - 1) - at)
    return np.clip(at, 0, n - 1)


#: the sizes of an input, as errors write them
_SIZES = {1: "W: {}", 2: "H: {}, W: {}", 3: "D: {} H: {}, W: {}"}


def _check(name: str, input: np.ndarray, padding: Any, dims: int, reflect: bool) -> None:
    if len(padding) != 2 * dims:
        raise RuntimeError(f"padding size is expected to be {2 * dims}, but got: {len(padding)}")
    if input.ndim not in (dims + 1, dims + 2) or 0 in input.shape[1 if input.ndim > dims + 1 else 0 :]:
        kinds = {1: "2D or 3D", 2: "3D or 4D", 3: "4D or 5D"}[dims]
        raise RuntimeError(errors.NO_ROOM.format(kinds, list(input.shape)))
    shape = [*input.shape]
    for i in range(dims):
        d = input.ndim - 1 - i
        low, high, n = padding[2 * i], padding[2 * i + 1], input.shape[d]
        shape[d] += low + high
        if reflect and (low >= n or high >= n):
            raise RuntimeError(
                f"Argument #{4 + 2 * i}: Padding size should be less than the corresponding input dimension, but "
                f"got: padding ({low}, {high}) at dimension {d} of input {list(input.shape)}"
            )
    before, after = input.shape[-dims:], shape[-dims:]
    if max(after) < 1:  # one size of zero is enough to refuse nothing
        given = _SIZES[dims].format(*before) + " " * (dims == 2 and not reflect)
        left = " ".join(f"{letter}: {n}" for letter, n in zip("DHW"[-dims:], after, strict=True))
        raise RuntimeError(f"input ({given}) is too small. Calculated output {left}")
    if min(after) < 0:
        if dims == 2 and reflect:
            raise RuntimeError("numel: integer multiplication overflow")
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(after)}: {shape}")


def _padded(input: np.ndarray, padding: Any, dims: int, reflect: bool) -> np.ndarray:
    r = input
    for i in range(dims):
        d = input.ndim - 1 - i
        at = _sources(input.shape[d], padding[2 * i], padding[2 * i + 1], reflect)
        r = r.take(at, d) if type(r) is np.ndarray else np.take(r, at, axis=d)
    return np.ascontiguousarray(r)


def _unpadded(grad: np.ndarray, shape: tuple[int, ...], padding: Any, dims: int, reflect: bool) -> np.ndarray:
    """The gradient in the middle, and that of the borders added where their values came from."""
    g = grad
    for i in range(dims):
        d = g.ndim - 1 - i
        n, low, high = shape[d], padding[2 * i], padding[2 * i + 1]
        before, end = max(low, 0), g.shape[d] - max(high, 0)
        r = np.zeros((*g.shape[:d], n, *g.shape[d + 1 :]), g.dtype)
        along = (slice(None),) * d
        if before < end:
            r[(*along, slice(before - low, end - low))] = g[(*along, slice(before, end))]
        for border in (slice(0, min(before, g.shape[d])), slice(max(end, 0), None)):
            part = g[(*along, border)]
            if not part.shape[d]:
                continue
            at = _sources(n, low, high, reflect)[border]
            if reflect:  # they run backwards
                r[(*along, slice(at[-1], at[0] + 1))] += part[(*along, slice(None, None, -1))]
            else:
                edge = r[(*along, slice(at[0], at[0] + 1))]
                whole = (edge, part) if border.start else (part, edge)
                edge[...] = np.add.accumulate(np.concatenate(whole, d), d)[(*along, slice(-1, None))]
        g = r
    return g


_MIRRORED = "g of each element and of its mirror images, summed", "元素及其镜像处的 g 之和"
_COPIED = "g of each element and of its copies, summed", "元素及其副本处的 g 之和"


def _pads(declaration: str, dims: int, reflect: bool) -> None:
    name = name_of(declaration)
    title = f"{'Reflection' if reflect else 'Replication'}Pad{dims}DBackward"

    @typed(name, BOOL + UNSIGNED, half=False)
    def kernel(input: np.ndarray, padding: tuple[int, ...]) -> np.ndarray:
        _check(name, input, padding, dims, reflect)
        return channels_as(input, _padded(input, padding, dims, reflect))

    def backward(grad_output: Any, input: np.ndarray, padding: tuple[int, ...]) -> np.ndarray:
        return channels_as(input, _unpadded(grad_output, input.shape, padding, dims, reflect))

    op(
        declaration,
        node=title + "0",
        vjp={
            "input": says(_MIRRORED if "reflection" in name else _COPIED)(
                lambda F, grad, input, padding: getattr(F, name + "_backward")(grad, input, padding)
            ),
        },
        doc=f"The last {dims} dimensions padded {'by reflection' if reflect else 'with their border'}.",
    )(kernel)
    op(
        name + "_backward",
        "grad_output input",
        method=False,
        function=False,
        node=title + "Backward0",
        vjp={
            "grad_output": lambda F, grad, padding: getattr(F, name)(grad, padding),
            "input": zeros,
        },
    )(backward)


_pads("nn.reflection_pad1d(Tensor input, SymInt[2] padding, *, Tensor out=None) -> Tensor", 1, True)
_pads("nn.reflection_pad2d(Tensor input, SymInt[4] padding, *, Tensor out=None) -> Tensor", 2, True)
_pads("nn.reflection_pad3d(Tensor input, SymInt[6] padding, *, Tensor out=None) -> Tensor", 3, True)
_pads("nn.replication_pad1d(Tensor input, SymInt[2] padding, *, Tensor out=None) -> Tensor", 1, False)
_pads("nn.replication_pad2d(Tensor input, SymInt[4] padding, *, Tensor out=None) -> Tensor", 2, False)
_pads("nn.replication_pad3d(Tensor input, SymInt[6] padding, *, Tensor out=None) -> Tensor", 3, False)


# -- every mode of torch.nn.functional.pad -----------------------------------------------------------------------------


@composite("_pad", method=False, function=False)
def _pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """What torch.nn.functional.pad does."""
    pad = list(map(operator.index, pad))
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) // 2 > input.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {input.ndim}"
        )
    if mode == "constant":
        return TENSORS.constant_pad_nd(input, pad, 0.0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    nd = len(pad) // 2
    if nd not in (1, 2, 3) or input.ndim not in (nd + 1, nd + 2):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {input.ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    if mode == "circular":
        return _circular(input, pad, nd)
    name = {"reflect": "reflection", "replicate": "replication"}.get(mode, mode)
    return getattr(cast_within(TENSORS), f"{name}_pad{nd}d")(input, tuple(pad))


@instead(unseen)
def _circular(input: Any, pad: Any, nd: int) -> Tensor:
    """The input in the middle, then each border copied from the other end, in place as in PyTorch."""
    shape = list(input._array.shape)
    ends = [(pad[2 * (nd - 1 - i)], pad[2 * (nd - 1 - i) + 1]) for i in range(nd)]
    for i, (low, high) in enumerate(ends, len(shape) - nd):
        if low > shape[i] or high > shape[i]:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if low + high + shape[i] < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        shape[i] += low + high
    out: Tensor = input.new_empty(shape)
    inner, source = out, input
    for i, (low, high) in reversed(list(enumerate(ends, len(shape) - nd))):
        inner = TENSORS.slice(inner, i, max(low, 0), shape[i] - max(high, 0), 1)
        source = TENSORS.slice(source, i, max(-low, 0), input._array.shape[i] - max(-high, 0), 1)
    inner.copy_(source)
    for i, (low, high) in reversed(list(enumerate(ends, len(shape) - nd))):
        before, after = max(low, 0), max(high, 0)
        if low > 0:
            TENSORS.slice(out, i, 0, low, 1).copy_(TENSORS.slice(out, i, shape[i] - low - after, shape[i] - after, 1))
        if high > 0:
            TENSORS.slice(out, i, shape[i] - high, shape[i], 1).copy_(TENSORS.slice(out, i, before, before + high, 1))
    return out
