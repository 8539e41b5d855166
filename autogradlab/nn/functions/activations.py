"""Activations as functions: in place where asked for, with PyTorch's checks and warnings."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ...core.random.generator import default_generator
from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from ...ops.nn import activation as _kernels  # noqa: F401 (fills the table)
from ...ops.table.opdef import OPS

__all__ = [
    "celu",
    "celu_",
    "elu",
    "elu_",
    "gelu",
    "glu",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "log_softmax",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rrelu",
    "rrelu_",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
]


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """input where it is positive, else 0.

    >>> import autogradlab as torch
    >>> torch.nn.functional.relu(torch.tensor([-1., 2.]))
    tensor([0., 2.])
    """
    return TENSORS.relu_(input) if inplace else TENSORS.relu(input)


def relu_(input: Tensor) -> Tensor:
    """In-place version of `relu`."""
    return TENSORS.relu_(input)


def _call(name: str, inplace: bool, input: Tensor, *args: Any) -> Tensor:
    if not isinstance(input, Tensor):
        from ...ops.table.arguments import reject

        reject(name, (input, *args), {})
    entry = OPS[name]
    return entry.call_(input, *args) if inplace else entry.call(input, *args)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input where it is positive, else input * negative_slope."""
    return _call("leaky_relu", inplace, input, negative_slope)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """In-place version of `leaky_relu`."""
    return _call("leaky_relu", True, input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where it is positive, else alpha * (exp(input) - 1)."""
    return _call("elu", inplace, input, alpha)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """In-place version of `elu`."""
    return _call("elu", True, input, alpha)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where it is positive, else alpha * (exp(input / alpha) - 1)."""
    return _call("celu", inplace, input, alpha)


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """In-place version of `celu`."""
    return _call("celu", True, input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu with the constants that keep mean and variance."""
    return TENSORS.selu_(input) if inplace else TENSORS.selu(input)


def selu_(input: Tensor) -> Tensor:
    """In-place version of `selu`."""
    return TENSORS.selu_(input)


def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """input times the normal distribution function of input."""
    return OPS["gelu"].call(input, approximate=approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input * sigmoid(input)"""
    return _call("silu", inplace, input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * tanh(softplus(input))"""
    return _call("mish", inplace, input)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta * input)) / beta"""
    return _call("softplus", False, input, beta, threshold)


def softsign(input: Tensor) -> Tensor:
    """input / (1 + abs(input))"""
    return input / (TENSORS.abs(input) + 1)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """input, but not below min_val nor above max_val."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _call("hardtanh", inplace, input, min_val, max_val)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """In-place version of `hardtanh`."""
    return _call("hardtanh", True, input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """input, but not below 0 nor above 6."""
    return _call("hardtanh", inplace, input, 0.0, 6.0)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """A line from 0 at -3 to 1 at 3, flat outside."""
    return _call("hardsigmoid", inplace, input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * hardsigmoid(input)"""
    return _call("hardswish", inplace, input)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input, and 0 where it is between -lambd and lambd."""
    return TENSORS.hardshrink(input, lambd)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input moved towards 0 by lambd."""
    return _call("softshrink", False, input, lambd)


def tanhshrink(input: Tensor) -> Tensor:
    """input - tanh(input)"""
    return input - TENSORS.tanh(input)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """input where it is above the threshold, else `value`."""
    return _call("threshold", inplace, input, threshold, value)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """In-place version of `threshold`."""
    return _call("threshold", True, input, threshold, value)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along `dim` times the sigmoid of the second."""
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _call("glu", False, input, dim)


def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(input))"""
    return _call("log_sigmoid", False, input)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input))"""
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return input.tanh()


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """input where it is positive, else input * weight."""
    return TENSORS.prelu(input, weight)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """leaky_relu whose slope is drawn for each element in training, and else is the mean of lower and upper."""
    for name, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    x = input._array
    if not training:
        slopes = np.where(x > 0, x.dtype.type(1), x.dtype.type((lower + upper) / 2))
        return _call("rrelu_with_noise", inplace, input, TENSORS.from_numpy(slopes), lower, upper, training)
    noise = np.ones(x.shape, x.dtype)
    low = x <= 0
    noise[low] = default_generator.uniform53(int(np.count_nonzero(low))) * (upper - lower) + lower
    return _call("rrelu_with_noise", inplace, input, TENSORS.from_numpy(noise), lower, upper, training)


def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """In-place version of `rrelu`."""
    return rrelu(input, lower, upper, training, True)


def _softmax_dim(name: str, ndim: int) -> int:
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=3,
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """exp(input) divided by its sum along `dim`: positive numbers that sum to 1.

    >>> import autogradlab as torch
    >>> torch.nn.functional.softmax(torch.zeros(2), dim=0)
    tensor([0.5000, 0.5000])
    """
    if dim is None:
        dim = _softmax_dim("softmax", input.ndim)
    return TENSORS.softmax(input, dim, dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """softmax of -input."""
    if dim is None:
        dim = _softmax_dim("softmin", input.ndim)
    return TENSORS.softmax(-input, dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of softmax along `dim`, computed without overflow."""
    if dim is None:
        dim = _softmax_dim("log_softmax", input.ndim)
    return TENSORS.log_softmax(input, dim, dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A sample of softmax(logits), differentiable by logits; hard: made a one-hot row, with the soft one's gradient."""
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    from ...core.random import distributions

    drawn = np.empty(logits._array.shape, logits._array.dtype)
    distributions.exponential_(drawn)
    with np.errstate(all="ignore"):
        gumbels = TENSORS.from_numpy(-np.log(drawn))
    soft = TENSORS.softmax((logits + gumbels) / tau, dim)
    if not hard:
        return soft
    place = np.expand_dims(np.argmax(soft._array, axis=dim), dim)
    one = np.zeros_like(soft._array)
    np.put_along_axis(one, place, 1, dim)
    return TENSORS.from_numpy(one) - soft.detach() + soft
