"""Batch normalization in evaluation mode, folded into the layer before it (mirrors `torch.nn.utils.fusion`)."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ...core.recording.record import TENSORS
from ..parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def _copied(layer: Any, norm: Any) -> Any:
    if layer.training or norm.training:
        raise AssertionError("Fusion only for eval!")
    return deepcopy(layer)


def _statistics(norm: Any) -> tuple[Any, Any, float, Any, Any]:
    if norm.running_mean is None or norm.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    return norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution equal to one with a batch normalization after it, in evaluation mode.

    Example:
        >>> import autogradlab as torch
        >>> conv, norm = torch.nn.Conv1d(1, 1, 1).eval(), torch.nn.BatchNorm1d(1).eval()
        >>> fused = torch.nn.utils.fuse_conv_bn_eval(conv, norm)
        >>> torch.allclose(fused(torch.ones(1, 1, 3)), norm(conv(torch.ones(1, 1, 3))))
        True

    Mirrors `torch.nn.utils.fuse_conv_bn_eval`.
    """
    fused = _copied(conv, bn)
    fused.weight, fused.bias = fuse_conv_bn_weights(fused.weight, fused.bias, *_statistics(bn), transpose=transpose)
    return fused


def fuse_conv_bn_weights(
    conv_w: Any, conv_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any, transpose: bool = False
) -> tuple[Parameter, Parameter]:
    """The weight and the bias of `fuse_conv_bn_eval`, from those of the convolution and the normalization's tensors.

    Example:
        >>> import autogradlab as torch
        >>> one, two = torch.ones(1), torch.full((1,), 2.)
        >>> torch.nn.utils.fuse_conv_bn_weights(torch.ones(1, 1, 1), None, one, one, 0., two, one)[1]
        Parameter containing:
        tensor([-1.])

    Mirrors `torch.nn.utils.fuse_conv_bn_weights`.
    """
    kinds = conv_w.dtype, conv_w.dtype if conv_b is None else conv_b.dtype
    conv_b = TENSORS.zeros_like(bn_rm) if conv_b is None else conv_b
    bn_w = TENSORS.ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = TENSORS.zeros_like(bn_rm) if bn_b is None else bn_b
    scale = TENSORS.rsqrt(bn_rv + bn_eps)
    ends = [1] * (conv_w.ndim - 2)
    weight = conv_w * (bn_w * scale).reshape([1, -1, *ends] if transpose else [-1, 1, *ends])
    bias = (conv_b - bn_rm) * scale * bn_w + bn_b
    return _parameters(weight.to(dtype=kinds[0]), conv_w, bias.to(dtype=kinds[1]), conv_b)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A linear layer equal to one with a batch normalization after it, in evaluation mode.

    Example:
        >>> import autogradlab as torch
        >>> linear, norm = torch.nn.Linear(2, 3).eval(), torch.nn.BatchNorm1d(3).eval()
        >>> fused = torch.nn.utils.fuse_linear_bn_eval(linear, norm)
        >>> torch.allclose(fused(torch.ones(1, 2)), norm(linear(torch.ones(1, 2))))
        True

    Mirrors `torch.nn.utils.fuse_linear_bn_eval`.
    """
    fused = _copied(linear, bn)
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, "
            f"got linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    fused.weight, fused.bias = fuse_linear_bn_weights(fused.weight, fused.bias, *_statistics(bn))
    return fused


def fuse_linear_bn_weights(
    linear_w: Any, linear_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any
) -> tuple[Parameter, Parameter]:
    """The weight and the bias of `fuse_linear_bn_eval`.

    Example:
        >>> import autogradlab as torch
        >>> one, two = torch.ones(1), torch.full((1,), 2.)
        >>> torch.nn.utils.fuse_linear_bn_weights(torch.ones(1, 1), one, one, one, 0., two, one)[0]
        Parameter containing:
        tensor([[2.]])

    Mirrors `torch.nn.utils.fuse_linear_bn_weights`.
    """
    kinds = linear_w.dtype, linear_w.dtype if linear_b is None else linear_b.dtype
    linear_b = TENSORS.zeros_like(bn_rm) if linear_b is None else linear_b
    scale = bn_w * TENSORS.rsqrt(bn_rv + bn_eps)
    weight = linear_w * scale.unsqueeze(-1).to(dtype=kinds[0])
    bias = (linear_b - bn_rm) * scale + bn_b
    return _parameters(weight, linear_w, bias.to(dtype=kinds[1]), linear_b)


def _parameters(weight: Any, of_weight: Any, bias: Any, of_bias: Any) -> tuple[Parameter, Parameter]:
    return Parameter(weight, of_weight.requires_grad), Parameter(bias, of_bias.requires_grad)
