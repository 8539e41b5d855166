"""Discrete Fourier transforms: complex to complex, real to complex and back, over any dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.memory.rows import repeated
from ...core.recording.record import RAW, TENSORS
from ...core.tensor.tensor import Tensor
from ..table.opdef import op

#: how a transform is divided: not at all, by the root of the size, by the size
NONE, ROOT, FULL = 0, 1, 2


def _scaled(r: np.ndarray, shape: Any, dim: tuple[int, ...], normalization: int) -> np.ndarray:
    """A transform over `dim` of a shape, divided in place; its parts one by one, so that a zero keeps its sign."""
    n = 1
    for d in dim:
        n *= shape[d]
    if normalization != NONE and n:
        scale = float(n) ** (-0.5 if normalization == ROOT else -1)
        for part in (r.real, r.imag) if r.dtype.kind == "c" else (r,):
            part *= scale
    return r


def _complex(d: np.dtype[Any]) -> np.dtype[Any]:
    return np.result_type(d, np.complex64)


def _laid(r: np.ndarray, x: np.ndarray, dim: tuple[int, ...], last: bool) -> np.ndarray:
    """A result as PyTorch's kernels leave it: the transformed dimensions innermost, the others and they by the input's
    strides; of real transforms, whose last dimension is halved, that one comes last."""
    rest = sorted((d for d in range(x.ndim) if d not in dim), key=lambda d: -x.strides[d])
    order = rest + sorted(dim[:-1] if last else dim, key=lambda d: -x.strides[d]) + ([dim[-1]] if last else [])
    return np.ascontiguousarray(r.transpose(order)).transpose(np.argsort(order))


@op(
    "_fft_c2c",
    "input",
    node="FftC2CBackward0",
    vjp={"input": lambda F, grad, dim, normalization, forward: F._fft_c2c(grad, dim, normalization, not forward)},
)
def _fft_c2c(input: Any, dim: tuple[int, ...], normalization: int, forward: bool) -> np.ndarray:
    if not dim:
        return input.copy()
    r = np.fft.fftn(input, axes=dim) if forward else np.fft.ifftn(input, axes=dim, norm="forward")
    return _laid(_scaled(r, input.shape, dim, normalization).astype(_complex(input.dtype)), input, dim, False)


def _r2c_backward(F: Any, grad: Any, input: Any, dim: tuple[int, ...], normalization: int, onesided: bool) -> Any:
    if not onesided:
        return F.real_part(F._fft_c2c(grad, dim, normalization, False))
    last = dim[-1]
    if input.shape[last] > grad.shape[last]:  # the gradient of the half that was not given out is zero
        grad = F.lengthened(grad, last, input.shape[last])
    return F.real_part(F._fft_c2c(grad, dim, normalization, False))


def _mirrored(half: np.ndarray, size: int, dim: tuple[int, ...]) -> np.ndarray:
    """The whole transform of real numbers from the half of it that is computed: at the negative frequency it is the
    conjugate, so that what is real is so to the last bit."""
    last = dim[-1]
    places: list[slice] = [slice(None)] * half.ndim
    places[last] = slice((size - 1) // 2, 0, -1)
    rest = np.conj(half[tuple(places)])
    for d in dim[:-1]:
        rest = np.roll(np.flip(rest, d), 1, d)
    return np.concatenate((half, rest), last)


@op("_fft_r2c", "input", node="FftR2CBackward0", vjp={"input": _r2c_backward})
def _fft_r2c(input: Any, dim: tuple[int, ...], normalization: int, onesided: bool) -> np.ndarray:
    r = np.fft.rfftn(input, axes=dim)
    r = r if onesided else _mirrored(r, input.shape[dim[-1]], dim)
    return _laid(_scaled(r, input.shape, dim, normalization).astype(_complex(input.dtype)), input, dim, True)


def _c2r_backward(F: Any, grad: Any, dim: tuple[int, ...], normalization: int) -> Any:
    g = F._fft_r2c(grad, dim, normalization, True)
    twice = grad.shape[dim[-1]] - g.shape[dim[-1]]  # as many stand for two of the full transform
    return F.doubled(g, dim[-1], twice) if twice > 0 else g


def _lengthened(x: Any, dim: int, size: int) -> Any:
    """`x` and behind it zeros along a dimension, up to a size."""
    r = repeated(np.zeros((*x.shape[:dim], size, *x.shape[dim + 1 :]), x.dtype), x)
    RAW.slice(r, dim, 0, x.shape[dim], 1)[...] = x
    return r


def _lengthened_recorded(x: Tensor, dim: int, size: int) -> Tensor:
    r: Tensor = TENSORS.zeros_of(x, (*x.shape[:dim], size, *x.shape[dim + 1 :]))
    TENSORS.copy_(TENSORS.slice(r, dim, 0, x.shape[dim], 1), x)
    return r


def _doubled(x: Any, dim: int, count: int) -> Any:
    """A fresh array in which `count` places along a dimension, from the second on, are doubled."""
    part = RAW.slice(x, dim, 1, 1 + count, 1)
    part[...] = part * 2
    return x


def _doubled_recorded(x: Tensor, dim: int, count: int) -> Tensor:
    TENSORS.mul_number_(TENSORS.slice(x, dim, 1, 1 + count, 1), 2)
    return x


RAW.lengthened, TENSORS.lengthened = _lengthened, _lengthened_recorded
RAW.doubled, TENSORS.doubled = _doubled, _doubled_recorded


@op("_fft_c2r", "input", node="FftC2RBackward0", vjp={"input": _c2r_backward})
def _fft_c2r(input: np.ndarray, dim: tuple[int, ...], normalization: int, last_dim_size: int) -> np.ndarray:
    shape = list(input.shape)
    shape[dim[-1]] = last_dim_size
    r = np.fft.irfftn(input, s=[shape[d] for d in dim], axes=dim, norm="forward")
    return _laid(_scaled(r, shape, dim, normalization).astype(np.dtype(input.dtype.char.lower())), input, dim, True)
