"""Normalizations as functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.memory.layout import channels_last
from ...core.memory.versions import increment_version
from ...core.recording.record import TENSORS
from ...core.runtime.warn import warn_once
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import cxx_name, uint8
from ...core.values.promotion import plain_float
from ...ops.first.kinds import BOOL, INTEGERS, refuse
from ...ops.nn import norm as _kernels
from ...ops.table.asking import at, options_of
from ...ops.table.publishing import inner
from .pooling import INT

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "local_response_norm", "rms_norm"]

_MISMATCH = (
    "Mismatch dtype between input and weight: input dtype = {}, weight dtype = {}, Cannot dispatch to fused "
    "implementation."
)
_batch_norm = inner(
    """
    batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training,
        float momentum, float eps, bool cudnn_enabled) -> Tensor|input
    """
)
_instance_norm = inner(
    """
    instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var,
        bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor|input
    """
)
_layer_norm = inner(
    """
    layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05,
        bool cudnn_enable=True) -> Tensor|input
    """
)
_group_norm = inner(
    """
    group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05,
        bool cudnn_enabled=True) -> Tensor|input
    """
)
_rms_norm = inner(
    "rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor|input"
)


def _enough(size: tuple[int, ...], shown: str = "torch.Size({})") -> None:
    size = tuple(size)
    if size[0] * math.prod(size[2:]) == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {shown.format(list(size))}"
        )


@instead(lambda call, args, kwargs: at("empty", size=[0], **{**options_of(*args), "dtype": uint8}))
def _reserve(input: Tensor) -> None:
    """Nothing: where a mode is to be asked, it is told of the memory that PyTorch makes for other kernels."""


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel normalized to mean 0 and variance 1 over the batch (in training, which updates the running ones),
    then scaled and shifted.

    Shapes: input (N, C, …); the others (C,).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> x = torch.tensor([[1., 10.], [3., 30.]])
        >>> F.batch_norm(x, None, None, training=True)
        tensor([[-1.0000, -1.0000],
                [ 1.0000,  1.0000]])

    Mirrors `torch.nn.functional.batch_norm`.
    """
    if training:
        _enough(input.size())
    if eps <= 0.0 and (training or eps < 0.0):
        kind = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {kind}, but got {eps}")
    _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)
    if type(momentum) is not float or type(eps) is not float:
        momentum, eps = plain_float(momentum), plain_float(eps)
    return batch_normed(input, weight, bias, running_mean, running_var, training, momentum, eps)


def batch_normed(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    """What torch.batch_norm gives: one value per channel is enough, and eps is not looked at."""
    x = input._array
    if not x.size:  # nothing to normalize, only to scale and to shift
        out = TENSORS.clone(input)
        out = out if weight is None else out * weight[0]
        return out if bias is None else out + bias[0]
    channels = x.shape[1] if x.ndim > 1 else 0
    for name, t in (("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias)):
        if t is None:
            if not training and name[0] == "r":
                raise RuntimeError(f"{name} must be defined in evaluation mode")
        elif t._array.size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {t._array.size}")
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    if x.ndim < 2:
        wrap_dim(1, x.ndim)
    _reserve(input)
    # the running statistics change without being counted up, as in PyTorch: a second batch may come before backward
    return TENSORS.native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Each channel of each sample normalized to mean 0 and variance 1.

    Shapes: input (N, C, …) with one further dimension at least; the others (C,).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.instance_norm(torch.tensor([[[1., 3.], [10., 50.]]]))
        tensor([[[-1.0000,  1.0000],
                 [-1.0000,  1.0000]]])

    Mirrors `torch.nn.functional.instance_norm`.
    """
    if use_input_stats and math.prod(input.size()[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.size()}")
    _instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True)
    momentum, eps = plain_float(momentum), plain_float(eps)
    return instance_normed(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps)


def instance_normed(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
) -> Tensor:
    """What torch.instance_norm gives: one element per channel is enough."""
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    n, c = input.size(0), input.size(1)
    shape = input._array.shape

    def repeated(t: Any) -> Any:
        return None if t is None else TENSORS.repeat(t, n)

    means, variances = repeated(running_mean), repeated(running_var)
    x = input.contiguous().view(1, n * c, *shape[2:])
    out = batch_normed(x, repeated(weight), repeated(bias), means, variances, use_input_stats, momentum, eps)
    if use_input_stats:
        for t, many in ((running_mean, means), (running_var, variances)):
            if t is not None:
                t._array[...] = many._array.reshape(n, c).mean(0)
                increment_version(t)
    return TENSORS.view(out, shape)


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """The last dimensions normalized to mean 0 and variance 1, then scaled and shifted.

    Shapes: input (..., *normalized_shape); weight and bias normalized_shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.layer_norm(torch.tensor([[1., 3.], [10., 50.]]), (2,))
        tensor([[-1.0000,  1.0000],
                [-1.0000,  1.0000]])

    Mirrors `torch.nn.functional.layer_norm`.
    """
    usual = type(eps) is float and type(normalized_shape) is tuple
    if not (usual and INT.issuperset(map(type, normalized_shape))):  # what is no int may be equal to one all the same
        _layer_norm(input, normalized_shape, weight, bias, eps)
        eps = plain_float(eps)
    try:
        return TENSORS.native_layer_norm(input, tuple(normalized_shape), weight, bias, eps)[0]
    except (TypeError, AttributeError):
        _layer_norm(input, normalized_shape, weight, bias, eps)
        raise


def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """The last dimensions divided by their root mean square, then scaled.

    Shapes: input (..., *normalized_shape); weight normalized_shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.rms_norm(torch.tensor([[3., 4.]]), (2,))
        tensor([[0.8485, 1.1314]])

    Mirrors `torch.nn.functional.rms_norm`.
    """
    _rms_norm(input, normalized_shape, weight, eps)
    eps = plain_float(eps)
    shape = tuple(normalized_shape)
    array = input._array
    n, numpy = array.ndim, array.dtype
    if len(shape) > n:
        raise ValueError(f"Input tensor must have at least {len(shape)} dimensions, but got {n}")
    _kernels.check_shape(array, shape, None if weight is None else weight._array)
    refuse(array, "rms_norm", BOOL + INTEGERS)
    if weight is not None and weight._array.dtype != numpy:
        kinds = (cxx_name(t) for t in (input, weight))
        warn_once(_MISMATCH.format(*kinds), at="aten/src/ATen/native/layer_norm.cpp:346", key=_MISMATCH)
    x: Any = input.float() if numpy.itemsize == 2 else input  # half types are computed in float32
    small = float(np.finfo(x._array.dtype).eps) if eps is None else eps
    squares = TENSORS.mean(TENSORS.pow(x, 2), tuple(range(n - 1, n - 1 - len(shape), -1)), True)
    out = x * TENSORS.rsqrt(TENSORS.add_number(squares, small))
    out = out if weight is None else out * weight
    out = out if channels_last(array) else out.contiguous()
    return out if out._array.dtype == numpy else out.to(input.dtype)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Groups of channels of each sample normalized to mean 0 and variance 1, then scaled and shifted.

    Shapes: input (N, C, …); weight and bias (C,).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.group_norm(torch.tensor([[1., 3., 10., 50.]]), 2)
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])

    Mirrors `torch.nn.functional.group_norm`.
    """
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    n, c, *rest = input._array.shape
    if n * c // num_groups == 1 and n * math.prod(rest) == 1:
        _enough((1, num_groups, *rest), "{}")
    _group_norm(input, num_groups, weight, bias, eps)
    if type(eps) is not float:
        eps = plain_float(eps)
    return group_normed(input, num_groups, weight, bias, eps)


def group_normed(input: Tensor, num_groups: int, weight: Tensor | None, bias: Tensor | None, eps: float) -> Tensor:
    """What torch.group_norm gives: one value per group is enough."""
    x = input._array
    n, c = x.shape[:2] if x.ndim > 1 else (input.size(0), input.size(1))  # which raises
    scale, shift = None if weight is None else weight._array, None if bias is None else bias._array
    _kernels.check_groups(x, scale, shift, c, num_groups)
    if not (x.flags.c_contiguous or channels_last(x)):
        input = input.contiguous()
    if weight is not None and not weight._array.flags.c_contiguous:
        weight = weight.contiguous()
    if bias is not None and not bias._array.flags.c_contiguous:
        bias = bias.contiguous()
    return TENSORS.native_group_norm(input, weight, bias, n, c, math.prod(x.shape[2:]), num_groups, eps)[0]


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Each element divided by a power of the mean square over neighbouring channels.

    Shapes: (N, C, …).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.local_response_norm(torch.ones(1, 2, 1), 2)
        tensor([[[1.0000],
                 [0.9999]]])

    Mirrors `torch.nn.functional.local_response_norm`.
    """
    if input.dim() < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality                          input (got {input.dim()} dimensions)"
        )
    x: Any = input
    if not x._array.size:
        return input
    squares = x * x
    shape = x._array.shape
    if x.ndim == 3:
        squares = TENSORS.constant_pad_nd(squares.unsqueeze(1), [0, 0, size // 2, (size - 1) // 2], 0.0)
        means = TENSORS.avg_pool2d(squares, (size, 1), (1, 1), (0, 0), False, True, None).squeeze(1)
    else:
        squares = squares.view(shape[0], 1, shape[1], shape[2], -1)
        squares = TENSORS.constant_pad_nd(squares, [0, 0, 0, 0, size // 2, (size - 1) // 2], 0.0)
        means = (
            TENSORS.avg_pool3d(squares, (size, 1, 1), (1, 1, 1), (0, 0, 0), False, True, None).squeeze(1).view(shape)
        )
    return x / means.mul(alpha).add(k).pow(beta)
