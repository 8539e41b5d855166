"""Padding: with one value, by reflection, by repeating the border."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.types.dtypes import from_numpy
from ..first.kinds import typed
from ..first.viewing import guard
from ..table.opdef import op


def _constant_pad(input, pad, value=0):  # type: ignore[no-untyped-def]
    from ...core.values.building import scalar_array

    n = input.ndim
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * n:
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. "
            f"Pad length is {len(pad)}while the input has {n}dimensions."
        )
    shape = list(input.shape)
    source: list[Any] = [slice(None)] * n
    target: list[Any] = [slice(None)] * n
    every = all(p <= 0 for p in pad)
    for i in range(len(pad) // 2):
        d = n - 1 - i
        low, high = pad[2 * i], pad[2 * i + 1]
        size = shape[d]
        if every and size + low + high < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
        shape[d] = size + low + high
        if shape[d] < 0:
            raise RuntimeError(
                f"The input size {size}, plus negative padding {low} and {high} resulted in a negative output "
                "size, which is invalid. Check dimension "
                f"{d} of your input."
            )
        source[d] = slice(max(-low, 0), size - max(-high, 0))
        target[d] = slice(max(low, 0), shape[d] - max(high, 0))
    r = np.full(shape, scalar_array(value, from_numpy(input.dtype)), input.dtype)
    r[tuple(target)] = input[tuple(source)]
    return r


op(
    "constant_pad_nd(Tensor input, SymInt[] pad, Scalar value=0) -> Tensor",
    method=False,
    vjp={
        "input": lambda F, grad, pad: F.constant_pad_nd(grad, tuple(-p for p in pad), 0),
    },
    doc="""
    Padded with a value: before and after the last dimension, the last but one, …; negative numbers cut off.

    Shapes: the sizes grow by the pads.
    ~same-dtype

    >>> torch.constant_pad_nd(torch.tensor([1, 2]), (1, 2), 9)
    tensor([9, 1, 2, 9, 9])
    """,
)(_constant_pad)


def _sources(n: int, low: int, high: int, reflect: bool) -> np.ndarray:
    """For each place of a padded dimension, where in the dimension of size `n` its value comes from."""
    at = np.arange(-low, n + high)
    if reflect:
        at = np.abs(at)
        return (n - 1) - np.abs((n - 1) - at)
    return np.clip(at, 0, n - 1)


def _check(name: str, input: np.ndarray, padding: Any, dims: int, reflect: bool) -> None:
    if len(padding) != 2 * dims:
        raise RuntimeError(f"padding size is expected to be {2 * dims}, but got: {len(padding)}")
    if input.ndim not in (dims + 1, dims + 2) or 0 in input.shape[1 if input.ndim > dims + 1 else 0 :]:
        kinds = {1: "2D or 3D", 2: "3D or 4D", 3: "4D or 5D"}[dims]
        raise RuntimeError(
            f"Expected {kinds} (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            f"input, but got: {list(input.shape)}"
        )
    for i in range(dims):
        d = input.ndim - 1 - i
        low, high, n = padding[2 * i], padding[2 * i + 1], input.shape[d]
        if reflect and (low >= n or high >= n):
            raise RuntimeError(
                f"Argument #{4 + 2 * i}: Padding size should be less than the corresponding input dimension, but "
                f"got: padding ({low}, {high}) at dimension {d} of input {list(input.shape)}"
            )
        if n + low + high < 1:
            raise RuntimeError(f"input (W: {n}) is too small. Calculated output W: {n + low + high}")


def _padded(input: np.ndarray, padding: Any, dims: int, reflect: bool) -> np.ndarray:
    r = input
    for i in range(dims):
        d = input.ndim - 1 - i
        r = np.take(r, _sources(input.shape[d], padding[2 * i], padding[2 * i + 1], reflect), axis=d)
    return np.ascontiguousarray(r)


def _unpadded(grad: np.ndarray, shape: tuple[int, ...], padding: Any, dims: int, reflect: bool) -> np.ndarray:
    g = grad
    for i in range(dims):
        d = g.ndim - 1 - i
        at = _sources(shape[d], padding[2 * i], padding[2 * i + 1], reflect)
        r = np.zeros((*g.shape[:d], shape[d], *g.shape[d + 1 :]), g.dtype)
        spots: Any = (*(slice(None),) * d, at)
        np.add.at(r, spots, g)
        g = r
    return g


def _pads(word: str, dims: int, reflect: bool) -> None:
    name = f"{word}_pad{dims}d"
    title = f"{word.capitalize()}Pad{dims}DBackward"

    @typed(name, "b", half=False)
    def kernel(input, padding):  # type: ignore[no-untyped-def]
        _check(name, input, padding, dims, reflect)
        return _padded(input, padding, dims, reflect)

    def backward(grad_output, input, padding):  # type: ignore[no-untyped-def]
        return _unpadded(grad_output, input.shape, padding, dims, reflect)

    op(
        name,
        method=False,
        function=False,
        node=title + "0",
        vjp={
            "input": lambda F, grad, input, padding: getattr(F, name + "_backward")(grad, input, padding),
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
            "input": lambda F, grad: F.zeros_like(grad),
        },
    )(backward)


declare(
    "nn.reflection_pad1d(Tensor input, SymInt[2] padding, *, Tensor out=None) -> Tensor",
)
declare(
    "nn.reflection_pad2d(Tensor input, SymInt[4] padding, *, Tensor out=None) -> Tensor",
)
declare(
    "nn.reflection_pad3d(Tensor input, SymInt[6] padding, *, Tensor out=None) -> Tensor",
)
declare(
    "nn.replication_pad1d(Tensor input, SymInt[2] padding, *, Tensor out=None) -> Tensor",
)
declare(
    "nn.replication_pad2d(Tensor input, SymInt[4] padding, *, Tensor out=None) -> Tensor",
)
declare(
    "nn.replication_pad3d(Tensor input, SymInt[6] padding, *, Tensor out=None) -> Tensor",
)
for _dims in (1, 2, 3):
    _pads("reflection", _dims, True)
    _pads("replication", _dims, False)
guard("constant_pad_nd")
