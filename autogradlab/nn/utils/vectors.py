"""Parameters as one vector and back."""

from __future__ import annotations

from collections.abc import Iterable

from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters in one vector, one behind the other."""
    return TENSORS.cat([TENSORS.reshape(p, (-1,)) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give the parameters values from one vector, whose memory they then share."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec)}")
    at = 0
    for p in parameters:
        n = p._array.size
        p.data = TENSORS.view(vec[at : at + n], p._array.shape).data  # type: ignore[attr-defined]
        at += n
