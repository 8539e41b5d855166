"""Embeddings, the bilinear product, and pixels moved between channels and places."""

from __future__ import annotations

import numpy as np

from ..dtypes import _scalar_name, from_numpy
from ..opdef import op


@op("embedding", "weight indices", method=False, vjp={
    "weight": lambda F, grad, weight_shape, indices, padding_idx, scale_grad_by_freq:
        F.embedding_dense_backward(grad, indices, weight_shape[0], padding_idx, scale_grad_by_freq),
})  # fmt: skip
def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):  # type: ignore[no-untyped-def]
    """Rows of a matrix by their numbers."""
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if indices.dtype.name not in ("int64", "int32"):
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
                           f"torch.{_type(indices)} instead (while checking arguments for embedding)")  # fmt: skip
    if indices.size and (int(indices.min()) < 0 or int(indices.max()) >= weight.shape[0]):
        raise IndexError("index out of range in self")
    return weight[indices]


def _type(x: np.ndarray) -> str:
    return _scalar_name(from_numpy(x.dtype)) + "Tensor"


@op("embedding_dense_backward", "grad_output indices", method=False, function=False, vjp={
    "grad_output": lambda F, grad, indices, padding_idx, scale_grad_by_freq:
        F.embedding_gather(grad, indices, padding_idx, scale_grad_by_freq),
})  # fmt: skip
def embedding_dense_backward(grad_output, indices, rows, padding_idx, scale_grad_by_freq):  # type: ignore[no-untyped-def]
    flat = indices.reshape(-1)
    g = grad_output.reshape(flat.size, -1)
    out = np.zeros((rows, g.shape[1] if flat.size else grad_output.shape[-1]), grad_output.dtype)
    if scale_grad_by_freq and flat.size:
        g = g / np.bincount(flat, minlength=rows)[flat][:, None].astype(g.dtype)
    np.add.at(out, flat, g)
    if padding_idx >= 0:
        out[padding_idx] = 0
    return out


@op("embedding_gather", "input indices", method=False, function=False, vjp={
    "input": lambda F, grad, input_shape, indices, padding_idx, scale_grad_by_freq:
        F.embedding_dense_backward(grad, indices, input_shape[0], padding_idx, scale_grad_by_freq),
})  # fmt: skip
def embedding_gather(input, indices, padding_idx, scale_grad_by_freq):  # type: ignore[no-untyped-def]
    g = input[indices]
    if scale_grad_by_freq:
        flat = indices.reshape(-1)
        counts = np.bincount(flat, minlength=input.shape[0])[flat].reshape(indices.shape)
        g = g / counts[..., None].astype(g.dtype)
    if padding_idx >= 0:
        g[indices == padding_idx] = 0
    return g


def _up(input, r):  # type: ignore[no-untyped-def]
    *lead, c, h, w = input.shape
    n = len(lead)
    x = input.reshape(*lead, c // (r * r), r, r, h, w)
    x = x.transpose(*range(n + 1), n + 3, n + 1, n + 4, n + 2)
    return np.ascontiguousarray(x).reshape(*lead, c // (r * r), h * r, w * r)


def _down(input, r):  # type: ignore[no-untyped-def]
    *lead, c, h, w = input.shape
    n = len(lead)
    x = input.reshape(*lead, c, h // r, r, w // r, r)
    x = x.transpose(*range(n + 1), n + 2, n + 4, n + 1, n + 3)
    return np.ascontiguousarray(x).reshape(*lead, c * r * r, h // r, w // r)


@op("pixel_shuffle", method=False, vjp={"input": lambda F, grad, upscale_factor: F.pixel_unshuffle(grad, upscale_factor)})
def pixel_shuffle(input, upscale_factor):  # type: ignore[no-untyped-def]
    """(..., C * r * r, H, W) to (..., C, H * r, W * r)."""
    r = upscale_factor
    if input.ndim < 3:
        raise RuntimeError(f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    c = input.shape[-3]
    if c % (r * r):
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
                           f"input.size(-3)={c} is not divisible by {r * r}")  # fmt: skip
    return _up(input, r)


@op("pixel_unshuffle", method=False, vjp={"input": lambda F, grad, downscale_factor: F.pixel_shuffle(grad, downscale_factor)})
def pixel_unshuffle(input, downscale_factor):  # type: ignore[no-untyped-def]
    """(..., C, H * r, W * r) to (..., C * r * r, H, W)."""
    r = downscale_factor
    if input.ndim < 3:
        raise RuntimeError(f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {input.ndim} dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    for name, n in (("height", input.shape[-2]), ("width", input.shape[-1])):
        if n % r:
            at = -2 if name == "height" else -1
            raise RuntimeError(f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({at})={n} is not "
                               f"divisible by {r}")  # fmt: skip
    return _down(input, r)


@op("channel_shuffle", method=False, vjp={
    "input": lambda F, grad, input_shape, groups: F.channel_shuffle(grad, input_shape[1] // groups),
})  # fmt: skip
def channel_shuffle(input, groups):  # type: ignore[no-untyped-def]
    """The channels of (N, C, ...) dealt out from `groups` groups in turn."""
    if input.ndim <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    n, c = input.shape[:2]
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if c % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {c} channels and {groups} groups.")
    x = input.reshape(n, groups, c // groups, *input.shape[2:])
    return np.ascontiguousarray(x.swapaxes(1, 2)).reshape(input.shape)
