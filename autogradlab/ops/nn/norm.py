"""Normalizations: batch, layer and group, with their first derivatives, and the second ones of batch and layer.

Derivatives that are recorded recompute the statistics, so that they too can be differentiated."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ...core.memory.adding import added, in_halves, of_rows, products_in_halves
from ...core.memory.layout import channels_as, channels_last, contiguous, filled_channels_last, keeping_channels
from ...core.memory.rows import Rows
from ...core.memory.together import folded, stacked, unfolded
from ...core.recording.record import RAW, TENSORS, no_derivative, says
from ...core.runtime import errors
from ...core.runtime.modes import quiet
from ..first.kinds import BOOL, COMPLEX, INTEGERS, few_singles, fused, is_half, refuse, typed
from ..table.asking import Operator
from ..table.opdef import op

Array = np.ndarray[Any, Any]


def _check_mixed(input: Any, *parameters: Any) -> None:
    """Refuse parameters of another dtype than the input's, but float32 ones where that is a half type."""
    for t in parameters:
        if t is not None:
            if t.dtype == input.dtype:
                return
            break
    given = [t.dtype for t in parameters if t is not None]
    if not given:
        return
    if any(dtype != np.float32 for dtype in given):
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    if not is_half(input):
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def _wide(*arrays: Any) -> tuple[Any, ...]:
    """What is of a half type in float32, in which PyTorch's kernels compute."""
    return tuple(
        [x.astype(np.float32) if x is not None and x.dtype.itemsize == 2 and is_half(x) else x for x in arrays]
    )


def _narrow(grads: Any, *like: Any) -> tuple[Any, ...]:
    """Gradients of the dtypes of these arrays, where those are there."""
    return tuple(
        g if g is None or t is None else g.astype(t.dtype, copy=False) for g, t in zip(grads, like, strict=True)
    )


def _statistics_dtype(input: Any, *parameters: Any) -> Any:
    """The dtype in which means and deviations are kept: that of the parameters."""
    return next((t.dtype for t in parameters if t is not None), input.dtype)


#: longer lines are not multiplied and added up in one step, which keeps no partial sums
_LONG = 4096
_ONE, _WIDE_ONE = np.array(1.0, np.float32), np.array(1.0)


def _channel(x: Any, ndim: int) -> Any:
    """A vector of channels, to be broadcast over (N, C, ...)."""
    if ndim == 2 and type(x) is np.ndarray:
        return x
    return x.reshape((1, -1) + (1,) * (ndim - 2))


def _total(F: Any, x: Any, dims: tuple[int, ...]) -> Any:
    """The sum over dimensions that are known to be right."""
    return added(x, dims) if F is RAW and x.dtype.itemsize >= 4 else F.sum(x, dims, False)


def _mean(x: np.ndarray, dims: tuple[int, ...]) -> np.ndarray:
    """The mean of float32 or float64 over dimensions that are known to be right, which stay as dimensions of size 1."""
    total = added(x, dims, True)
    total /= np.array(x.size // total.size if total.size else 1, x.dtype)
    return total


def _as_one(x: Any) -> bool:
    """Whether PyTorch adds up a channel of (N, C, ...) one number after the other in float64, and it is small enough
    for that: in (N, C) it adds up in float32, as many parts as it has threads."""
    return x.ndim > 2 and few_singles(x) and math.prod(x.shape[2:]) > 1


def _batch_statistics(x: Array, count: int, eps: float, exact: bool) -> tuple[Array, Array, Array]:
    """The mean of each channel, the sum of squared distances from it, and the reciprocal standard deviation; exact:
    added up in float64."""
    ndim = x.ndim
    dims = (0, *range(2, ndim))
    total = np.add.reduce(x.astype(np.float64), dims) if exact else added(x, dims)
    mean = total / np.array(count, total.dtype)
    if exact:
        mean = mean.astype(x.dtype)
    centered = x - _channel(mean, ndim)
    np.multiply(centered, centered, centered)
    squares = np.add.reduce(centered.astype(np.float64), dims).astype(x.dtype) if exact else added(centered, dims)
    spread = (squares / np.array(count, x.dtype)).astype(np.float64)
    spread += np.array(eps)
    np.sqrt(spread, spread)
    np.divide(_WIDE_ONE, spread, spread)
    return mean, squares, spread.astype(x.dtype, copy=False)


def _move(kept: Array, found: Array, momentum: float) -> None:
    """Move running statistics towards new ones."""
    part = kept.dtype.type(momentum)
    kept[...] = kept * np.array(1 - part) + found * np.array(part)


def _products(x: Array, y: Array) -> Any:
    """The sums of products over all axes but the second, for (N, C) or (N, C, L)."""
    if x.ndim == 2:
        return added(x * y, 0)
    if 8 <= x.shape[2] <= _LONG:
        return np.add.reduce(np.vecdot(x, y), 0)
    return added(x * y, (0, 2))


def _plain(grad: Any, input: Any, rstd: Any) -> bool:
    """Whether a gradient and an input are arrays of one type, not half, and in C's order."""
    return (
        grad.dtype is input.dtype is rstd.dtype
        and input.itemsize > 2
        and input.size > 0
        and grad.flags.c_contiguous
        and input.flags.c_contiguous
    )


def _with_channels(input: np.ndarray, found: list[Any]) -> list[Any]:
    """Gradients, of which the input's has the channels last where the input suggests it."""
    found[0] = None if found[0] is None else channels_as(input, found[0])
    return found


def _is_spread(x: np.ndarray) -> bool:
    """Whether the input of a batch norm, which PyTorch takes first for one in C's order, may have other strides."""
    return not x.flags.c_contiguous and (channels_last(x) or filled_channels_last(x))


def _normalized_backward(F: Any, xhat: Any, scaled: Any, rstd: Any, dims: tuple[int, ...]) -> Any:
    """The gradient of (x - mean) * rstd by x, for the gradient `scaled` by it."""
    if F is RAW and scaled.dtype.itemsize >= 4 and scaled.dtype == rstd.dtype == xhat.dtype and scaled.size:
        found = scaled - _mean(scaled, dims)  # the formula below, in the memory of its first difference
        found -= xhat * _mean(scaled * xhat, dims)
        found *= rstd
        return found
    mean = F.mean(scaled, dims, True)
    return rstd * (scaled - mean - xhat * F.mean(scaled * xhat, dims, True))


def _normalized_twice(
    F: Any, grads: Any, grad: Any, weight: Any, xhat: Any, rstd: Any, dims: tuple[int, ...], sides: tuple[int, ...]
) -> Any:
    """The gradients of a normalization's backward by its gradient, by x and by the weight.

    grads: what comes for the gradients of x, of the weight and of the bias, each broadcast like x or None.
    sides: the dimensions that the weight does not have.
    """
    by_input, by_weight, by_bias = grads
    zero = grad * 0.0
    by_grad = by_xhat = by_x = g_weight = None
    if by_input is not None:
        scaled = grad if weight is None else grad * weight
        back = _normalized_backward(F, xhat, by_input, rstd, dims)
        by_grad = back if weight is None else back * weight
        g_weight = F.sum(back * grad, sides, False) if sides else back * grad
        by_xhat = -rstd * (by_input * F.mean(scaled * xhat, dims, True) + scaled * F.mean(by_input * xhat, dims, True))
        g_input = _normalized_backward(F, xhat, scaled, rstd, dims)
        by_x = -rstd * xhat * F.mean(by_input * g_input, dims, True)
    if by_weight is not None:
        by_grad = by_weight * xhat if by_grad is None else by_grad + by_weight * xhat
        by_xhat = by_weight * grad if by_xhat is None else by_xhat + by_weight * grad
    if by_bias is not None:
        by_grad = zero + by_bias if by_grad is None else by_grad + by_bias
    if by_xhat is not None:
        back = _normalized_backward(F, xhat, by_xhat, rstd, dims)
        by_x = back if by_x is None else by_x + back
    return by_grad, by_x, g_weight


def _moments(F: Any, x: Any, dims: tuple[int, ...], eps: float) -> Any:
    mean = F.mean(x, dims, True)
    centered = x - mean
    return centered, F.rsqrt(F.mean(centered * centered, dims, True) + eps)


# -- batch -------------------------------------------------------------------------------------------------------------


def _batch_norm_parts(
    F: Any,
    input: Any,
    running_mean: Any,
    running_var: Any,
    save_mean: Any,
    save_invstd: Any,
    training: bool,
    eps: float,
) -> Any:
    """The normalized input and the reciprocal standard deviation."""
    ndim = input.ndim
    if not training:
        mean, rstd = _channel(running_mean, ndim), F.rsqrt(_channel(running_var, ndim) + eps)
        return (input - mean) * rstd, rstd
    if F is RAW:
        rstd = _channel(save_invstd, ndim)
        xhat = input - _channel(save_mean, ndim)
        xhat *= rstd
        return xhat, rstd
    centered, rstd = _moments(F, input, (0, *range(2, ndim)), eps)
    return centered * rstd, rstd


def _without_mean(weight: Any, training: bool = True) -> tuple[str, str]:
    """Words for the gradient of what is normalized by its own mean and deviation σ; if not in training, by others."""
    scaled = ("g" if weight is None else "g·{weight}") + "/σ"
    if not training:
        return scaled, scaled
    return (
        f"{scaled}, without its mean and its part along the normalized {{input}}",
        f"{scaled}，去掉均值和沿归一化 {{input}} 的分量",
    )


def _batch_norm_vjp(
    F: Any,
    grad: Any,
    input: Any,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    result1: Any,
    result2: Any,
    training: bool,
    eps: float,
    needs: Any,
) -> Any:
    if F is TENSORS:
        return F.native_batch_norm_backward(
            grad, input, weight, running_mean, running_var, result1, result2, training, eps, needs
        )
    if F is RAW and is_half(input):
        grad, input, weight, running_mean, running_var, result1, result2 = _wide(
            grad, input, weight, running_mean, running_var, result1, result2
        )
    ndim = input.ndim
    plain = F is RAW and _plain(grad, input, result2)
    if F is RAW and not plain and not (channels_last(input) or filled_channels_last(input)):
        grad, input = contiguous(grad), contiguous(input)
        plain = _plain(grad, input, result2)
    if training and plain:
        return _with_channels(input, _batch_norm_backward(grad, input, weight, result1, result2, needs))
    dims = (0, *range(2, ndim))
    xhat, rstd = _batch_norm_parts(F, input, running_mean, running_var, result1, result2, training, eps)
    g_input = g_weight = g_bias = None
    if needs[0]:
        scaled = grad if weight is None else grad * _channel(weight, ndim)
        g_input = _normalized_backward(F, xhat, scaled, rstd, dims) if training else scaled * rstd
        g_input = channels_as(input, g_input) if F is RAW else g_input
    if needs[1]:
        g_weight = _total(F, grad * xhat, dims)
    if needs[2]:
        g_bias = _total(F, grad, dims)
    return [g_input, g_weight, g_bias]


def _batch_norm_backward(
    grad: np.ndarray, input: np.ndarray, weight: np.ndarray | None, mean: np.ndarray, rstd: np.ndarray, needs: Any
) -> list[Any]:
    """The gradients in training, by sums over each channel, as PyTorch's kernel computes them: for plain arrays."""
    shape, ndim = input.shape, input.ndim
    if ndim > 2:
        grad, input = grad.reshape(*shape[:2], -1), input.reshape(*shape[:2], -1)
        if _as_one(input):
            found = _batch_norm_backward_rounded(grad, input, weight, mean, rstd, shape)
            return [g if needs[i] or i == 0 else None for i, g in enumerate(found)]
    less = np.array(-(input.size // len(mean)), input.dtype)
    off = input - (mean[:, None] if ndim > 2 else mean)
    product, total = _products(off, grad), added(grad, (0, 2) if ndim > 2 else 0)
    g_input = None
    if needs[0]:
        scale = rstd if weight is None else rstd * weight
        slope = product * rstd * rstd / less * scale
        shift = total / less * scale
        if ndim > 2:
            scale, slope, shift = scale[:, None], slope[:, None], shift[:, None]
        off *= slope
        off += shift
        g_input = np.empty(shape, grad.dtype)
        part = np.multiply(grad, scale, g_input.reshape(grad.shape))
        part += off
    return [g_input, product * rstd if needs[1] else None, total if needs[2] else None]


def _batch_norm_backward_rounded(
    grad: np.ndarray, input: np.ndarray, weight: Any, mean: np.ndarray, rstd: np.ndarray, shape: tuple[int, ...]
) -> list[Any]:
    """The same for (N, C, L) of float32 and rounded as PyTorch's kernel rounds: sums over samples in float64. shape: of
    the gradient of the input, which is no view of another array."""
    off = input - mean[:, None]
    count = input.size // len(mean)
    total = np.add.reduce(in_halves(grad, 32), 0, np.float64)[:, 0]
    product = np.add.reduce(products_in_halves(off, grad), 0, np.float64)[:, 0]
    slope = product.astype(np.float32) * rstd * rstd / np.float32(count)
    middle = (total / count).astype(np.float32)
    g_input = np.empty(shape, np.float32)
    scaled = fused(off, -slope[:, None], grad - middle[:, None])
    part = np.multiply(scaled, rstd[:, None], g_input.reshape(scaled.shape))
    if weight is not None:
        part *= weight[:, None]
    return [g_input, (product * rstd).astype(np.float32), total.astype(np.float32)]


def _batch_norm_twice(
    F: Any,
    grads: list[Any],
    grad_out: Any,
    input: Any,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    save_mean: Any,
    save_invstd: Any,
    training: bool,
    eps: float,
) -> Any:
    ndim = input.ndim
    dims = (0, *range(2, ndim))
    xhat, rstd = _batch_norm_parts(F, input, running_mean, running_var, save_mean, save_invstd, training, eps)
    by_input, by_weight, by_bias = (g if g is None or i == 0 else _channel(g, ndim) for i, g in enumerate(grads))
    w = None if weight is None else _channel(weight, ndim)
    if training:
        found = _normalized_twice(F, (by_input, by_weight, by_bias), grad_out, w, xhat, rstd, dims, dims)
        return found if weight is not None else (*found[:2], None)
    by_grad = by_x = g_weight = None
    if by_input is not None:
        by_grad = by_input * rstd if w is None else by_input * w * rstd
        g_weight = F.sum(by_input * grad_out * rstd, dims, False)
    if by_weight is not None:
        by_grad = by_weight * xhat if by_grad is None else by_grad + by_weight * xhat
        by_x = by_weight * grad_out * rstd
    if by_bias is not None:
        by_grad = grad_out * 0.0 + by_bias if by_grad is None else by_grad + by_bias
    return by_grad, by_x, None if weight is None else g_weight


def _scaled_and_shifted(x: Array, mean: Array, scale: Array, bias: Array | None, exact: bool) -> Array:
    """(x - mean) * scale + bias for vectors of channels, in PyTorch's two steps; exact: rounded as by it."""
    if exact:
        shift = mean * -scale if bias is None else fused(-mean, scale, bias)
        return fused(x, _channel(scale, x.ndim), _channel(shift, x.ndim))
    shift = mean * -scale
    if bias is not None:
        shift += bias
    out: Array = x * _channel(scale, x.ndim)
    out += _channel(shift, x.ndim)
    return out


@op(
    """
    native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var,
        bool training, float momentum, float eps, *, Tensor[3] out=None) -> (Tensor, Tensor, Tensor)|input
    """,
    method=False,
    outputs=("result0", "result1", "result2"),
    differentiable=1,
    vjp={
        "input weight bias": says(
            lambda weight, training: _without_mean(weight, training),
            ("g times the normalized {input}, summed", "g 与归一化 {input} 之积的和"),
            ("g, summed in each channel", "g 在各通道上的和"),
        )(_batch_norm_vjp),
    },
    shown={"input": "input"},
    without_grad=("running_mean", "running_var"),
)
@partial(keeping_channels, suggested=_is_spread)
@typed("batch_norm", half=False)
def native_batch_norm(
    input: np.ndarray,
    weight: np.ndarray | None,
    bias: np.ndarray | None,
    running_mean: np.ndarray | None,
    running_var: np.ndarray | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """batch_norm, with the means and the reciprocal standard deviations.

    Shapes: input (N, C, …); the others (C,).

    >>> torch.native_batch_norm(torch.tensor([[1.], [3.]]), None, None, None, None, True, 0.1, 1e-5)
    (tensor([[-1.0000],
            [ 1.0000]]), tensor([2.]), tensor([1.0000]))
    """
    input = contiguous(input)
    _check_mixed(input, weight, bias, running_mean, running_var)
    wide = input if input.dtype.itemsize > 2 else input.astype(np.float32)
    exact = _as_one(wide) if training else few_singles(wide)
    if training:
        count = input.size // (input.shape[1] or 1)
        mean, squares, rstd = _batch_statistics(wide, count, eps, exact)
        if isinstance(mean, Rows) and not all(
            isinstance(t, Rows) for t in (running_mean, running_var) if t is not None
        ):
            raise RuntimeError(errors.ROWS_STATISTICS)
        if running_mean is not None:
            _move(running_mean, mean, momentum)
        if running_var is not None:
            unbiased = squares / np.array(count - 1, squares.dtype) if count > 1 else squares * np.nan
            _move(running_var, unbiased.astype(np.float64), momentum)
        if wide is not input:  # as PyTorch keeps them, and computes with what it kept
            kind = _statistics_dtype(input, weight, bias, running_mean, running_var)
            saved = mean.astype(kind), rstd.astype(kind)
            mean, rstd = _wide(*saved)
        else:
            saved = (mean, rstd)
    elif running_mean is None or running_var is None:
        raise RuntimeError("running_mean and running_var must be defined in evaluation mode")
    else:
        kind = running_var.dtype
        mean, rstd = running_mean, np.array(1, kind) / np.sqrt(running_var + np.array(eps, kind))
        saved = (np.zeros(0, input.dtype), np.zeros(0, input.dtype))
    weight, bias = _wide(weight, bias)
    out = _scaled_and_shifted(wide, mean, rstd if weight is None else rstd * weight, bias, exact)
    return out if wide is input else out.astype(input.dtype), *saved


@op(
    "native_batch_norm_backward",
    "grad_out input weight running_mean running_var save_mean save_invstd",
    outputs=("grad_input", "grad_weight", "grad_bias"),
    vjp={
        "grad_out input weight": lambda F, grads, grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, training, eps: (  # noqa: E501 its parameters name what is saved
            _batch_norm_twice(
                F, grads, grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, training, eps
            )
        ),
        "save_mean": no_derivative("native_batch_norm_backward save_mean"),
        "save_invstd": no_derivative("native_batch_norm_backward save_invstd"),
    },
    shown={"input": "input", "training": "train"},
    operator=Operator(
        "(Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, Tensor? running_var, "
        "Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] output_mask) -> "
        "(Tensor, Tensor, Tensor)",
        names={"train": "training"},
    ),
)
def native_batch_norm_backward(
    grad_out: np.ndarray,
    input: np.ndarray,
    weight: np.ndarray | None,
    running_mean: np.ndarray | None,
    running_var: np.ndarray | None,
    save_mean: np.ndarray,
    save_invstd: np.ndarray,
    training: bool,
    eps: float,
    output_mask: Any = (True, True, True),
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    found = _batch_norm_vjp(
        RAW, grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, training, eps, (True,) * 3
    )
    return _narrow(found, input, *((input if weight is None else weight,) * 2))


def check_shape(input: Array, wanted: tuple[int, ...], *affine: Any) -> None:
    """That the last dimensions are the ones to be normalized, and that what scales and shifts them has their shape."""
    if not wanted:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, x in zip(("weight", "bias"), affine, strict=False):
        if x is not None and x.shape != wanted:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(x.shape)} and "
                f"normalized_shape = {list(wanted)}"
            )
    if input.shape[-len(wanted) :] != wanted:
        numbers = ", ".join(map(str, wanted))
        shown = f", {numbers}" if len(affine) > 1 else numbers
        raise RuntimeError(
            f"Given normalized_shape={list(wanted)}, expected input with shape [*{shown}], but got input of "
            f"size{list(input.shape)}"
        )


# -- layer -------------------------------------------------------------------------------------------------------------


def _layer_norm_parts(F: Any, input: Any, lead: int, mean: Any, rstd: Any, eps: float) -> Any:
    """The normalized input and the reciprocal standard deviation; `lead` dimensions are not normalized."""
    if F is RAW:
        return (input - mean) * rstd, rstd
    centered, rstd = _moments(F, input, tuple(range(lead, input.ndim)), eps)
    return centered * rstd, rstd


def _layer_norm_vjp(
    F: Any,
    grad: Any,
    input: Any,
    normalized_shape: tuple[int, ...],
    weight: Any,
    bias: Any,
    result1: Any,
    result2: Any,
    eps: float,
    needs: Any,
) -> Any:
    mean, rstd = result1, result2
    if F is TENSORS:
        return F.native_layer_norm_backward(grad, input, normalized_shape, mean, rstd, weight, bias, eps, needs)
    lead = input.ndim - len(normalized_shape)
    plain = F is RAW and _plain(grad, input, rstd)
    if F is RAW and not plain:
        if is_half(input):
            grad, input, weight, mean, rstd = _wide(grad, input, weight, mean, rstd)
        grad, input = contiguous(grad), contiguous(input)
        plain = _plain(grad, input, rstd)
    if lead and plain:
        return _layer_norm_backward(grad, input, normalized_shape, weight, mean, rstd, needs)
    dims = tuple(range(lead, input.ndim))
    xhat, rstd = _layer_norm_parts(F, input, lead, mean, rstd, eps)
    before = tuple(range(lead))
    g_input = g_weight = g_bias = None
    if needs[0]:
        scaled = grad if weight is None else grad * weight
        g_input = _normalized_backward(F, xhat, scaled, rstd, dims)
    if needs[1]:
        g_weight = _total(F, grad * xhat, before) if before else grad * xhat
    if needs[2]:
        g_bias = _total(F, grad, before) if before else grad * 1
    return [g_input, g_weight, g_bias]


def _layer_norm_backward(
    grad: np.ndarray,
    input: np.ndarray,
    normalized_shape: tuple[int, ...],
    weight: np.ndarray | None,
    mean: np.ndarray,
    rstd: np.ndarray,
    needs: Any,
) -> list[Any]:
    """The gradients for plain arrays, as matrices with a row for each that is normalized."""
    shape = input.shape
    rows = (rstd.size, input.size // rstd.size)
    if shape != rows:
        grad, input, mean, rstd = grad.reshape(rows), input.reshape(rows), mean.reshape(-1, 1), rstd.reshape(-1, 1)
    xhat = input - mean
    xhat *= rstd
    g_input = g_weight = g_bias = None
    if needs[1]:
        g_weight = added(grad * xhat, 0)
        g_weight = g_weight if len(normalized_shape) == 1 else g_weight.reshape(normalized_shape)
    if needs[2]:
        g_bias = added(grad, 0)
        g_bias = g_bias if len(normalized_shape) == 1 else g_bias.reshape(normalized_shape)
    if needs[0]:
        scaled = grad if weight is None else grad * (weight if weight.ndim == 1 else weight.reshape(-1))
        count = np.array(rows[1], grad.dtype)
        middle, slope = of_rows(scaled), _row_products(scaled, xhat)
        middle /= count
        slope /= count
        xhat *= slope[:, None]
        g_input = np.empty(shape, scaled.dtype)  # which is no view of another array
        part = np.subtract(scaled, middle[:, None], g_input if shape == rows else g_input.reshape(rows))
        part -= xhat
        part *= rstd
    return [g_input, g_weight, g_bias]


def _row_products(x: Array, y: Array) -> Array:
    """The sums of products of the rows of two matrices."""
    found: Array = np.vecdot(x, y) if x.shape[1] <= _LONG else of_rows(x * y)
    return found


def _centered(rows: Array, eps: float) -> tuple[Array, Array, Array]:
    """The rows of a matrix without their means, these, and the reciprocals of their standard deviations."""
    count = np.array(rows.shape[1], rows.dtype)
    mean = of_rows(rows)
    mean /= count
    out = rows - mean[:, None]
    rstd = _row_products(out, out)
    rstd /= count
    rstd += np.array(eps, rows.dtype)
    np.sqrt(rstd, rstd)
    np.divide(_ONE, rstd, rstd)
    return out, mean, rstd


def _layer_norm_twice(
    F: Any,
    grads: list[Any],
    grad_out: Any,
    input: Any,
    normalized_shape: tuple[int, ...],
    mean: Any,
    rstd: Any,
    weight: Any,
    eps: float,
) -> Any:
    lead = input.ndim - len(normalized_shape)
    xhat, rstd = _layer_norm_parts(F, input, lead, mean, rstd, eps)
    dims = tuple(range(lead, input.ndim))
    found = _normalized_twice(F, grads, grad_out, weight, xhat, rstd, dims, tuple(range(lead)))
    return found if weight is not None else (*found[:2], None)


@op(
    """
    native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor,
        Tensor, Tensor)|input
    """,
    method=False,
    outputs=("result0", "result1", "result2"),
    differentiable=1,
    vjp={
        "input weight bias": says(
            lambda weight: _without_mean(weight),
            ("g times the normalized {input}, summed", "g 与归一化 {input} 之积的和"),
            ("g, summed over the samples", "g 对样本求和"),
        )(_layer_norm_vjp),
    },
    shown={"input": "input", "normalized_shape": "normalized_shape", "eps": ""},
    together=stacked(0),
)
def native_layer_norm(
    input: np.ndarray, normalized_shape: tuple[int, ...], weight: np.ndarray | None, bias: np.ndarray | None, eps: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """layer_norm, with the means and the reciprocal standard deviations.

    Shapes: input (..., *normalized_shape); weight and bias normalized_shape.

    >>> torch.native_layer_norm(torch.tensor([[1., 3.]]), (2,), None, None, 1e-5)
    (tensor([[-1.0000,  1.0000]]), tensor([[2.]]), tensor([[1.0000]]))
    """
    shape, kind = input.shape, input.dtype
    n, half = len(normalized_shape), kind.itemsize == 2
    if not (  # nothing is to be refused
        n
        and shape[-n:] == normalized_shape
        and (weight is None or (weight.dtype is kind and weight.shape == normalized_shape))
        and (bias is None or (bias.dtype is kind and bias.shape == normalized_shape))
        and kind.kind == "f"
    ):
        _check_mixed(input, weight, bias)
        check_shape(input, tuple(normalized_shape), weight, bias)
        refuse(input, "LayerNormKernelImpl", "biuc")
    lead = shape[:-n]
    x = input if input.flags.c_contiguous and 1 not in shape and not half else contiguous(_wide(input)[0])
    if n != 1 or len(lead) != 1:  # a row for each that is normalized
        x = x.reshape(math.prod(lead), math.prod(normalized_shape))
    out, mean, rstd = _centered(x, eps)
    out *= rstd[:, None]
    if weight is not None:
        out *= weight if weight.ndim == 1 else weight.reshape(-1)
    if bias is not None:
        out += bias if bias.ndim == 1 else bias.reshape(-1)
    out = out if out.shape == shape else out.reshape(shape)
    sides = (*lead, *(1,) * n)
    mean, rstd = mean.reshape(sides), rstd.reshape(sides)
    if half:
        kept = _statistics_dtype(input, weight, bias)
        out, mean, rstd = out.astype(kind), mean.astype(kept), rstd.astype(kept)
    return out, mean, rstd


def _layer_norm_together(run: Any, args: Any, levels: Any, lanes: Any) -> Any:
    """The gradients of many rows: that of the input as if all were one, those of weight and bias summed in each row."""
    grad, input, shape, mean, rstd, weight, bias, *rest = args
    if weight is None or any(isinstance(x, Rows) for x in (weight, bias)) or is_half(input):
        return None
    lead = input.ndim - len(shape)
    g, x, m, r = (folded(a, levels, lanes, False) for a in (grad, input, mean, rstd))
    by_input, _, _ = quiet(run, g, x, shape, m, r, weight, bias, *rest)
    summed = tuple(range(1, 1 + lead))
    by_weight, by_bias = (np.add.reduce(a, summed, a.dtype) for a in (g * ((x - m) * r), g))
    return tuple([unfolded(a, levels, lanes, False) for a in (by_input, by_weight, by_bias)])


@op(
    "native_layer_norm_backward",
    "grad_out input mean rstd weight bias",
    outputs=("grad_input", "grad_weight", "grad_bias"),
    vjp={
        "grad_out input weight": lambda F, grads, grad_out, input, normalized_shape, mean, rstd, weight, eps: (
            _layer_norm_twice(F, grads, grad_out, input, normalized_shape, mean, rstd, weight, eps)
        ),
        "mean": no_derivative("native_layer_norm_backward mean"),
        "rstd": no_derivative("native_layer_norm_backward rstd"),
        "bias": lambda F, grads: None,
    },
    shown={"input": "input", "normalized_shape": "normalized_shape", "eps": ""},
    operator=Operator(
        "(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, "
        "Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
        lost={"eps": 1e-5},
    ),
    together=_layer_norm_together,
)
def native_layer_norm_backward(
    grad_out: np.ndarray,
    input: np.ndarray,
    normalized_shape: tuple[int, ...],
    mean: np.ndarray,
    rstd: np.ndarray,
    weight: np.ndarray | None,
    bias: np.ndarray | None,
    eps: float,
    output_mask: Any = (True, True, True),
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    found = _layer_norm_vjp(RAW, grad_out, input, normalized_shape, weight, bias, mean, rstd, eps, (True,) * 3)
    return _narrow(found, input, weight, weight if bias is None else bias)


# -- weights as length and direction -----------------------------------------------------------------------------------


def _weight_norm_vjp(F: Any, grads: list[Any], v: Any, g: Any, norms: Any, dim: int) -> Any:
    grad, _ = grads
    if grad is None:
        return None, None
    if F is RAW and is_half(v):  # computed in float32, as the norms were
        grad, v, g = _wide(grad, v, g)
    n = v.shape[dim]
    each = F.reshape(grad * v, (n, -1) if dim == 0 else (-1, n))
    total = F.reshape(F.sum(each, 1 if dim == 0 else 0), tuple(g.shape))
    return (g / norms) * (grad - v * (total / (norms * norms))), total / norms


@op(
    "_weight_norm_interface",
    "v g",
    outputs=("result0", "result1"),
    vjp={"v g": lambda F, grads, v, g, result1, dim: _weight_norm_vjp(F, grads, v, g, result1, dim)},
    node="WeightNormInterfaceBackward0",
    operator=Operator("(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)"),
)
def _weight_norm_interface(v: np.ndarray, g: np.ndarray, dim: int = 0) -> tuple[np.ndarray, np.ndarray]:
    refuse(v, "weight_norm_kernel")
    dtype = v.dtype
    v, g = _wide(v, g)  # computed in float32, and so are the norms that the Node keeps
    norms = np.sqrt(np.add.reduce(v * v, tuple(i for i in range(v.ndim) if i != dim), keepdims=True))
    return (v * (g / norms)).astype(dtype, copy=False), norms


# -- group -------------------------------------------------------------------------------------------------------------


def _summed(F: Any, x: Any, dim: int, place: int) -> Any:
    """The sum along a dimension, with a new one of size 1; in place, since that is how PyTorch records it."""
    total = F.sum(x, dim)
    return total.unsqueeze_(place) if F is TENSORS else F.unsqueeze(total, place)


def _group_norm_recorded(
    F: Any,
    grads: list[Any],
    input: Any,
    weight: Any,
    bias: Any,
    N: int,
    C: int,
    HxW: int,
    group: int,
    mean: Any,
    rstd: Any,
    needs: list[Any],
) -> list[Any]:
    """The gradients as PyTorch records them: of the sums of gradients over each channel of a sample."""
    by_out, by_mean, by_rstd = grads
    shape, each = (N, group, C // group, HxW), 1.0 / (C // group * HxW)
    x, mean, rstd = F.reshape(input, shape), mean.reshape(N, group, 1, 1), rstd.reshape(N, group, 1, 1)
    g_input = g_weight = g_bias = None
    sums = total = None
    if by_out is not None:
        g = F.reshape(by_out, shape)
        sums, total = _summed(F, g * x, 3, -1), _summed(F, g, 3, -1)
    if needs[0]:
        cube = rstd * rstd * rstd
        if by_out is not None:
            scale = None if weight is None else weight.reshape(1, group, C // group, 1)
            a = rstd if scale is None else rstd * scale
            b, c = (_summed(F, v if scale is None else v * scale, 2, -2) for v in (sums, total))
            b = (c * mean - b) * cube * each
            c = -b * mean - c * rstd * each
            g_input = a * g + b * x + c
        if by_mean is not None and by_rstd is not None:  # PyTorch counts them only where it has both
            part = by_mean.reshape(N, group, 1, 1) * each + by_rstd.reshape(N, group, 1, 1) * cube * (x - mean) * -each
            g_input = part if g_input is None else g_input + part
        g_input = None if g_input is None else F.reshape(g_input, tuple(input.shape))
    if needs[1] and sums is not None:
        g_weight = F.reshape(F.sum((sums - total * mean) * rstd, 0), (C,))
    if needs[2] and total is not None:
        g_bias = F.reshape(F.sum(total, 0), (C,))
    return [g_input, g_weight, g_bias]


def _group_norm_backward(
    grad: Array, input: Array, weight: Array | None, mean: Array, rstd: Array, parts: tuple[int, ...], needs: Any
) -> list[Any]:
    """The gradients by sums over each channel of a sample, as PyTorch's kernel computes them: for plain arrays.

    parts: samples, groups, channels of a group, and elements of a channel."""
    g, x = grad.reshape(parts), input.reshape(parts)
    mean, rstd = mean.reshape(*parts[:2], 1), rstd.reshape(*parts[:2], 1)
    total = np.add.reduce(g, 3)
    off = np.vecdot(g, x) if 1 < parts[3] <= _LONG else np.add.reduce(g * x, 3)
    off -= total * mean  # the sums of gradients times distances from the mean
    g_input = None
    if needs[0]:
        scale = rstd if weight is None else rstd * weight.reshape(parts[1:3])
        # sums over a group, where PyTorch divides by its size and by the standard deviation
        each = scale / np.array(parts[2] * parts[3], grad.dtype)
        along = np.add.reduce(off * each, 2, None, None, True)
        slope = along * -rstd * rstd
        shift = -slope * mean - np.add.reduce(total * each, 2, None, None, True)
        g_input = np.empty(grad.shape, grad.dtype)
        part = np.multiply(g, scale[..., None], g_input.reshape(parts))
        groups = (parts[0] * parts[1], parts[2] * parts[3])  # a row for each
        part = part.reshape(groups)
        part += x.reshape(groups) * slope.reshape(-1, 1)
        part += shift.reshape(-1, 1)
    g_weight = np.add.reduce(off * rstd, 0).reshape(-1) if needs[1] else None
    return [g_input, g_weight, np.add.reduce(total, 0).reshape(-1) if needs[2] else None]


def _group_norm_vjp(
    F: Any,
    grads: list[Any],
    input: Any,
    weight: Any,
    bias: Any,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
    result1: Any,
    result2: Any,
    needs: list[Any],
) -> list[Any]:
    by_out, by_mean, by_rstd = grads
    if F is TENSORS or by_mean is not None or by_rstd is not None:
        return _group_norm_recorded(F, grads, input, weight, bias, N, C, HxW, group, result1, result2, needs)
    plain = F is RAW and _plain(by_out, input, result2)
    if F is RAW and not plain:
        if is_half(input):
            by_out, input, weight, result1, result2 = _wide(by_out, input, weight, result1, result2)
        if not (channels_last(input) or filled_channels_last(input)):
            by_out, input = contiguous(by_out), contiguous(input)
        plain = _plain(by_out, input, result2)
    if plain:
        found = _group_norm_backward(by_out, input, weight, result1, result2, (N, group, C // group, HxW), needs)
        return _with_channels(input, found)
    shape = tuple(input.shape)
    ndim = len(shape)
    grouped = (N, group, -1) if 0 not in shape else (N, group, 0)
    x = F.reshape(input, grouped)
    if F is RAW:
        rstd = result2.reshape(N, group, 1)
        xhat = (x - result1.reshape(N, group, 1)) * rstd
    else:
        centered, rstd = _moments(F, x, (2,), eps)
        xhat = centered * rstd
    dims = (0, *range(2, ndim))
    g_input = g_weight = g_bias = None
    if needs[0]:
        scaled = F.reshape(by_out if weight is None else by_out * _channel(weight, ndim), grouped)
        g_input = F.reshape(_normalized_backward(F, xhat, scaled, rstd, (2,)), shape)
        if F is RAW:  # in PyTorch no view
            g_input = channels_as(input, g_input.copy())
    if needs[1]:
        g_weight = F.sum(by_out * F.reshape(xhat, shape), dims, False)
    if needs[2]:
        g_bias = F.sum(by_out, dims, False)
    return [g_input, g_weight, g_bias]


@op(
    """
    native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group,
        float eps) -> (Tensor, Tensor, Tensor)|input
    """,
    method=False,
    outputs=("result0", "result1", "result2"),
    vjp={
        "input weight bias": says(
            lambda weight: _without_mean(weight),
            ("g times the normalized {input}, summed", "g 与归一化 {input} 之积的和"),
            ("g, summed in each channel", "g 在各通道上的和"),
        )(
            lambda F, grads, input, weight, bias, N, C, HxW, group, eps, result1, result2, needs: _group_norm_vjp(
                F, grads, input, weight, bias, N, C, HxW, group, eps, result1, result2, needs
            )
        ),
    },
    shown={"input": "input", "bias": ""},
)
@keeping_channels
def native_group_norm(
    input: np.ndarray,
    weight: np.ndarray | None,
    bias: np.ndarray | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """group_norm, with the means and the reciprocal standard deviations.

    Shapes: input (N, C, …); weight and bias (C,).

    >>> torch.native_group_norm(torch.tensor([[1., 3.]]), None, None, 1, 2, 1, 1, 1e-5)
    (tensor([[-1.0000,  1.0000]]), tensor([[2.]]), tensor([[1.0000]]))
    """
    kind = input.dtype
    if not (  # nothing is to be refused
        kind.kind == "f"
        and group > 0 == C % group
        and (weight is None or (weight.dtype is kind and weight.shape == (C,)))
        and (bias is None or (bias.dtype is kind and bias.shape == (C,)))
        and input.size == N * C * HxW
    ):
        _check_mixed(input, weight, bias)
        check_groups(input, weight, bias, C, group, N * C * HxW)
        refuse(input, "GroupNormKernelImpl", BOOL + INTEGERS + COMPLEX)
    half = kind.itemsize == 2
    kept = _statistics_dtype(input, weight, bias) if half else input.dtype
    wide, weight, bias = _wide(input, weight, bias) if half else (input, weight, bias)
    out, mean, rstd = _centered(wide.reshape(N * group, C // group * HxW), eps)
    if weight is None and bias is None:
        out *= rstd[:, None]
    else:  # each channel of a sample by one factor and one shift, as in PyTorch
        scale = rstd.reshape(N, group, 1)
        if weight is not None:
            scale = scale * weight.reshape(group, -1)
        shift = scale * -mean.reshape(N, group, 1)
        if bias is not None:
            shift = shift + bias.reshape(group, -1)
        parts = (N, group, C // group, HxW)
        part = np.multiply(wide.reshape(parts), scale[..., None], out.reshape(parts))
        part += shift[..., None]
    out, mean, rstd = out.reshape(input.shape), mean.reshape(N, group), rstd.reshape(N, group)
    return (out.astype(input.dtype), mean.astype(kept), rstd.astype(kept)) if half else (out, mean, rstd)


def check_groups(
    input: Array, weight: Array | None, bias: Array | None, channels: int, groups: int, count: int | None = None
) -> None:
    """PyTorch's errors for groups that do not fit, for other weights than one a channel, and for an input that has not
    `count` elements."""
    if groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {groups}")
    if channels % groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input.shape)} and num_groups={groups}"
        )
    for name, t in (("weight", weight), ("bias", bias)):
        if t is not None and t.shape != (channels,):
            shown = [0] if weight is None else list(weight.shape)  # it names the weight's for the bias too
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {shown} and input of shape {list(input.shape)}"
            )
    if count is not None and input.size != count:
        raise RuntimeError(errors.CONDITION.format("X.numel() == N * C * HxW"))
