"""Normalizations: batch, layer and group. Their derivatives recompute the statistics where they are recorded."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.recording.record import RAW
from ..first.kinds import typed
from ..table.opdef import op

Array = np.ndarray[Any, Any]


def _channel(x: Any, ndim: int) -> Any:
    """A vector of channels, to be broadcast over (N, C, ...)."""
    return x.reshape((1, -1) + (1,) * (ndim - 2))


def _normalized_backward(F, grad, xhat, scaled, rstd, dims, needs_input):
    """The gradient of (x - mean) * rstd by x, for the gradient `scaled` by it."""
    mean = F.mean(scaled, dims, True)
    return rstd * (scaled - mean - xhat * F.mean(scaled * xhat, dims, True))


def _moments(F, x, dims, eps):
    mean = F.mean(x, dims, True)
    centered = x - mean
    return centered, F.rsqrt(F.mean(centered * centered, dims, True) + eps)


# -- batch -------------------------------------------------------------------------------------------------------------


def _batch_norm_vjp(F, grad, input, weight, running_mean, running_var, result1, result2, training, eps, needs):
    ndim = input.ndim
    dims = (0, *range(2, ndim))
    if not training:
        mean, rstd = _channel(running_mean, ndim), F.rsqrt(_channel(running_var, ndim) + eps)
        xhat = (input - mean) * rstd
    elif F is RAW:
        rstd = _channel(result2, ndim)
        xhat = (input - _channel(result1, ndim)) * rstd
    else:
        centered, rstd = _moments(F, input, dims, eps)
        xhat = centered * rstd
    g_input = g_weight = g_bias = None
    if needs[0]:
        scaled = grad if weight is None else grad * _channel(weight, ndim)
        g_input = _normalized_backward(F, grad, xhat, scaled, rstd, dims, True) if training else scaled * rstd
    if needs[1]:
        g_weight = F.sum(grad * xhat, dims, False)
    if needs[2]:
        g_bias = F.sum(grad, dims, False)
    return [g_input, g_weight, g_bias]


@op(
    """
    native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var,
        bool training, float momentum, float eps, *, Tensor[3] out=None) -> (Tensor, Tensor, Tensor)
    """,
    method=False,
    outputs=("result0", "result1", "result2"),
    differentiable=1,
    vjp={
        "input weight bias": lambda F, grad, input, weight, running_mean, running_var, result1, result2, training, eps, needs: (  # noqa: E501 its parameters name what is saved
            _batch_norm_vjp(F, grad, input, weight, running_mean, running_var, result1, result2, training, eps, needs)
        ),
    },
    shown={"input": "input"},
)
@typed("batch_norm", half=False)
def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """batch_norm, with the means and the reciprocal standard deviations.

    Shapes: input (N, C, …); the others (C,).

    >>> torch.native_batch_norm(torch.tensor([[1.], [3.]]), None, None, None, None, True, 0.1, 1e-5)
    (tensor([[-1.0000],
            [ 1.0000]]), tensor([2.]), tensor([1.0000]))
    """
    ndim = input.ndim
    dims = (0, *range(2, ndim))
    if training:
        wide = input if input.dtype.itemsize > 2 else input.astype(np.float32)
        mean = wide.mean(dims)
        centered = wide - _channel(mean, ndim)
        var = (centered * centered).mean(dims)
        rstd = 1 / np.sqrt(var + wide.dtype.type(eps))
        count = input.size // max(input.shape[1], 1)
        if running_mean is not None:
            running_mean += (mean - running_mean) * running_mean.dtype.type(momentum)
        if running_var is not None:
            unbiased = var * (count / (count - 1)) if count > 1 else var * np.nan
            running_var += (unbiased.astype(running_var.dtype) - running_var) * running_var.dtype.type(momentum)
        saved = (mean, rstd)
    else:
        rstd = 1 / np.sqrt(running_var + running_var.dtype.type(eps))
        centered = input - _channel(running_mean, ndim)
        saved = (np.zeros(0, input.dtype), np.zeros(0, input.dtype))
    out = centered * _channel(rstd, ndim)
    if weight is not None:
        out *= _channel(weight, ndim)
    if bias is not None:
        out += _channel(bias, ndim)
    return out.astype(input.dtype, copy=False), *saved


def check_shape(input: Array, wanted: Any, **affine: Any) -> None:
    """That the last dimensions are the ones to be normalized, and that what scales and shifts them has their shape."""
    if not wanted:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, x in affine.items():
        if x is not None and x.shape != tuple(wanted):
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(x.shape)} and "
                f"normalized_shape = {list(wanted)}"
            )
    if input.shape[-len(wanted) :] != tuple(wanted):
        numbers = ", ".join(map(str, wanted))
        shown = f", {numbers}" if "bias" in affine else numbers
        raise RuntimeError(
            f"Given normalized_shape={list(wanted)}, expected input with shape [*{shown}], but got input of "
            f"size{list(input.shape)}"
        )


# -- layer -------------------------------------------------------------------------------------------------------------


def _layer_norm_vjp(F, grad, input, normalized_shape, weight, result1, result2, eps, needs):
    lead = input.ndim - len(normalized_shape)
    dims = tuple(range(lead, input.ndim))
    if F is RAW:
        rstd = result2
        xhat = (input - result1) * rstd
    else:
        centered, rstd = _moments(F, input, dims, eps)
        xhat = centered * rstd
    before = tuple(range(lead))
    g_input = g_weight = g_bias = None
    if needs[0]:
        scaled = grad if weight is None else grad * weight
        g_input = _normalized_backward(F, grad, xhat, scaled, rstd, dims, True)
    if needs[1]:
        g_weight = F.sum(grad * xhat, before, False) if before else grad * xhat
    if needs[2]:
        g_bias = F.sum(grad, before, False) if before else grad * 1
    return [g_input, g_weight, g_bias]


@op(
    """
    native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor,
        Tensor, Tensor)
    """,
    method=False,
    outputs=("result0", "result1", "result2"),
    differentiable=1,
    vjp={
        "input weight bias": lambda F, grad, input, normalized_shape, weight, bias, result1, result2, eps, needs: (
            _layer_norm_vjp(F, grad, input, normalized_shape, weight, result1, result2, eps, needs)
        ),
    },
    shown={"input": "input"},
)
@typed("LayerNormKernelImpl", half=False)
def native_layer_norm(input, normalized_shape, weight, bias, eps):
    """layer_norm, with the means and the reciprocal standard deviations.

    Shapes: input (..., *normalized_shape); weight and bias normalized_shape.

    >>> torch.native_layer_norm(torch.tensor([[1., 3.]]), (2,), None, None, 1e-5)
    (tensor([[-1.0000,  1.0000]]), tensor([[2.]]), tensor([[1.0000]]))
    """
    dims = tuple(range(input.ndim - len(normalized_shape), input.ndim))
    check_shape(input, normalized_shape, weight=weight, bias=bias)
    wide = input if input.dtype.itemsize > 2 else input.astype(np.float32)
    count = np.array(math.prod(normalized_shape), wide.dtype)
    mean = np.add.reduce(wide, axis=dims, keepdims=True)
    mean /= count
    out = wide - mean
    rstd = np.add.reduce(out * out, axis=dims, keepdims=True)
    rstd /= count
    rstd = 1 / np.sqrt(rstd + wide.dtype.type(eps))
    out *= rstd
    if weight is not None:
        out *= weight
    if bias is not None:
        out += bias
    return out.astype(input.dtype, copy=False), mean, rstd


# -- group -------------------------------------------------------------------------------------------------------------


def _group_norm_vjp(F, grad, input, weight, group, result1, result2, eps, needs):
    shape = tuple(input.shape)
    ndim = len(shape)
    grouped = (shape[0], group, -1) if 0 not in shape else (shape[0], group, 0)
    x = F.reshape(input, grouped)
    if F is RAW:
        rstd = result2.reshape(shape[0], group, 1)
        xhat = (x - result1.reshape(shape[0], group, 1)) * rstd
    else:
        centered, rstd = _moments(F, x, (2,), eps)
        xhat = centered * rstd
    dims = (0, *range(2, ndim))
    g_input = g_weight = g_bias = None
    if needs[0]:
        scaled = F.reshape(grad if weight is None else grad * _channel(weight, ndim), grouped)
        g_input = F.reshape(_normalized_backward(F, grad, xhat, scaled, rstd, (2,), True), shape)
    if needs[1]:
        g_weight = F.sum(grad * F.reshape(xhat, shape), dims, False)
    if needs[2]:
        g_bias = F.sum(grad, dims, False)
    return [g_input, g_weight, g_bias]


@op(
    """
    native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group,
        float eps) -> (Tensor, Tensor, Tensor)
    """,
    method=False,
    outputs=("result0", "result1", "result2"),
    differentiable=1,
    vjp={
        "input weight bias": lambda F, grad, input, weight, group, result1, result2, eps, needs: _group_norm_vjp(
            F, grad, input, weight, group, result1, result2, eps, needs
        ),
    },
    shown={"input": "input"},
)
@typed("GroupNormKernelImpl", half=False)
def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    """group_norm, with the means and the reciprocal standard deviations.

    Shapes: input (N, C, …); weight and bias (C,).

    >>> torch.native_group_norm(torch.tensor([[1., 3.]]), None, None, 1, 2, 1, 1, 1e-5)
    (tensor([[-1.0000,  1.0000]]), tensor([[2.]]), tensor([[1.0000]]))
    """
    x = input.reshape(N, group, -1) if input.size else input.reshape(N, group, 0)
    count = np.array(x.shape[2], x.dtype)  # np.mean warns where there is nothing
    mean = x.sum(2, keepdims=True) / count
    out = x - mean
    rstd = 1 / np.sqrt((out * out).sum(2, keepdims=True) / count + x.dtype.type(eps))
    out = (out * rstd).reshape(input.shape)
    if weight is not None:
        out *= _channel(weight, input.ndim)
    if bias is not None:
        out += _channel(bias, input.ndim)
    return out, mean[..., 0], rstd[..., 0]
