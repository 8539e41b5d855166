"""What distributions share: broadcasting of parameters, probabilities and log-odds, properties that are computed once
(mirrors `torch.distributions.utils`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any

import autogradlab as torch

from ..core.tensor.tensor import Tensor

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "euler_constant",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

Number = (int, float, bool)
euler_constant = 0.57721566490153286060


def _like_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(type(value), "__torch_function__")


def broadcast_all(*values: Any) -> Any:
    """Numbers and tensors as tensors of one shape; numbers take the dtype of the first tensor.
    Errors: ValueError for anything else.

    >>> import autogradlab as torch
    >>> torch.distributions.utils.broadcast_all(torch.zeros(2), 1)
    (tensor([0., 0.]), tensor([1., 1.]))
    """
    if not all(_like_tensor(v) or isinstance(v, Number) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    dtype = next((v.dtype for v in values if isinstance(v, Tensor)), torch.get_default_dtype())
    return torch.broadcast_tensors(*(v if _like_tensor(v) else torch.tensor(v, dtype=dtype) for v in values))


def _standard_normal(shape: Sequence[int], dtype: Any, device: Any) -> Tensor:
    """Standard normal numbers. (Distributions of other libraries import it by PyTorch's private name.)"""
    return torch.empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over the last `dim` dimensions. (Also imported by other libraries.)"""
    return value.reshape(value.shape[:-dim] + (-1,)).sum(-1) if dim else value


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities from log-odds (binary), or from unnormalised log probabilities along the last dimension.

    >>> import autogradlab as torch
    >>> torch.distributions.utils.logits_to_probs(torch.tensor([0., 0.]))
    tensor([0.5000, 0.5000])
    """
    return torch.sigmoid(logits) if is_binary else torch.nn.functional.softmax(logits, dim=-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities clamped to [eps, 1 - eps] of their dtype.

    >>> import autogradlab as torch
    >>> torch.distributions.utils.clamp_probs(torch.tensor([0., 0.5, 1.]))
    tensor([1.1921e-07, 5.0000e-01, 1.0000e+00])
    """
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Log-odds (binary) or log probabilities; finite at 0 and 1 too.

    >>> import autogradlab as torch
    >>> torch.distributions.utils.probs_to_logits(torch.tensor([0.5, 0.9]), is_binary=True)
    tensor([0.0000, 2.1972])
    """
    inside = clamp_probs(probs)
    return torch.log(inside) - torch.log1p(-inside) if is_binary else torch.log(inside)


class lazy_property:
    """An attribute that is computed when it is first read, with gradients recorded, and kept in the instance."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __get__(self, instance: Any, obj_type: Any = None) -> Any:
        if instance is None:
            return self
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def _lower(size: int, diag: int) -> Tensor:
    """A mask of the elements of a matrix on and below a diagonal."""
    steps = torch.arange(size)
    return steps < steps.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The elements of matrices on and below a diagonal, row by row.

    >>> import autogradlab as torch
    >>> torch.distributions.utils.tril_matrix_to_vec(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 3, 4])
    """
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _lower(n, diag)]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Lower triangular matrices filled row by row with the elements of vectors.

    >>> import autogradlab as torch
    >>> torch.distributions.utils.vec_to_tril_matrix(torch.tensor([1., 3., 4.]))
    tensor([[1., 0.],
            [3., 4.]])
    """
    length, odd = vec.shape[-1], 1 + 2 * diag
    n = (-odd + (odd**2 + 8 * length + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(n) - n > torch.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {length} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix."
        )
    size = round(n)
    matrix = vec.new_zeros(vec.shape[:-1] + (size, size))
    matrix[..., _lower(size, diag)] = vec
    return matrix
