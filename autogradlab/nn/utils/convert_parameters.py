"""Parameters as one vector and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from ...ops.table.families import FUNCTIONS
from ..names import typename

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def _on_one_device(p: Any) -> Any:
    """The parameter itself, which has to be where the others are."""
    if p.device.type in ("cuda", "privateuseone"):
        raise TypeError("Found two parameters on different devices, this is currently not supported.")
    return p


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters in one vector.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.utils.parameters_to_vector([torch.ones(2), torch.zeros(1, 2)])
        tensor([1., 1., 0., 0.])

    Mirrors `torch.nn.utils.parameters_to_vector`.
    """
    return FUNCTIONS["cat"]([_on_one_device(p).view(-1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Parameters filled from one vector.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.zeros(2))
        >>> nn.utils.vector_to_parameters(torch.tensor([1., 2.]), [w])
        >>> w
        Parameter containing:
        tensor([1., 2.], requires_grad=True)

    Mirrors `torch.nn.utils.vector_to_parameters`.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    at = 0
    for p in parameters:
        n = _on_one_device(p).numel()
        p.data = TENSORS.view_as(vec[at : at + n], p).data
        at += n
