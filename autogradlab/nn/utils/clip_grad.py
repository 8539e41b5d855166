"""Clipping of gradients."""

from __future__ import annotations

import types
import warnings
from typing import Any

import numpy as np

from ...autograd.grad_mode import no_grad
from ...core.recording.record import TENSORS
from ...core.runtime import errors
from ...core.tensor.dispatching import refuse_unheard
from ...core.tensor.tensor import Tensor

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]

_NO_GRADIENT = errors.CONDITION.format("!nested_tensorlist[0].empty()")


def _list(tensors: Any) -> list[Tensor]:
    found = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    refuse_unheard("many gradients at once", found)
    return found


@no_grad()
def get_total_norm(
    tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of all elements of several tensors.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.utils.get_total_norm([torch.tensor([3.]), torch.tensor([4.])])
        tensor(5.)

    Mirrors `torch.nn.utils.get_total_norm`.
    """
    given = _list(tensors)
    p = float(norm_type)
    if not given:
        return TENSORS.tensor(0.0)
    norms = TENSORS.stack([TENSORS.linalg_vector_norm(g.detach(), p) for g in given])
    total = TENSORS.linalg_vector_norm(norms, p)
    if error_if_nonfinite and not np.isfinite(total._array):
        raise RuntimeError(
            f"The total norm of order {p} for gradients from `parameters` is non-finite, so it cannot be clipped. To "
            "disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


@no_grad()
def clip_grads_with_norm_(parameters: Any, max_norm: float, total_norm: Tensor, foreach: bool | None = None) -> None:
    """Scales all gradients by max_norm / total_norm, if that is less than 1.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([3., 4.]))
        >>> (w * w / 2).sum().backward()
        >>> nn.utils.clip_grads_with_norm_([w], 1., torch.tensor(5.))
        >>> w.grad
        tensor([0.6000, 0.8000])

    Mirrors `torch.nn.utils.clip_grads_with_norm_`.
    """
    factor = TENSORS.clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
    for p in _list(parameters):
        if p._grad is not None:
            p._grad.mul_(factor)


def clip_grad_norm_(
    parameters: Any,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales all gradients so that the norm of all their elements is at most max_norm; returns the norm before.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([3., 4.]))
        >>> (w * w / 2).sum().backward()
        >>> nn.utils.clip_grad_norm_([w], 1.)
        tensor(5.)
        >>> w.grad
        tensor([0.6000, 0.8000])

    Mirrors `torch.nn.utils.clip_grad_norm_`.
    """
    params = _list(parameters)
    if isinstance(parameters, types.GeneratorType) and not params:
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=3)
    total = get_total_norm([p._grad for p in params if p._grad is not None], norm_type, error_if_nonfinite)
    clip_grads_with_norm_(params, max_norm, total)
    return total


def clip_grad_norm(
    parameters: Any,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """clip_grad_norm_ under its old name, with a deprecation warning.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([3., 4.]))
        >>> (w * w / 2).sum().backward()
        >>> nn.utils.clip_grad_norm([w], 1.)
        tensor(5.)

    Mirrors `torch.nn.utils.clip_grad_norm`.
    """
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite)


@no_grad()
def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Clamps each element of all gradients to [-clip_value, clip_value].

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([3., -0.5]))
        >>> (w * w / 2).sum().backward()
        >>> nn.utils.clip_grad_value_([w], 1.)
        >>> w.grad
        tensor([ 1.0000, -0.5000])

    Mirrors `torch.nn.utils.clip_grad_value_`.
    """
    bound = float(clip_value)
    gradients = [p._grad for p in _list(parameters) if p._grad is not None]
    if not gradients:
        raise RuntimeError(_NO_GRADIENT)
    for grad in gradients:
        grad.clamp_(min=-bound, max=bound)
