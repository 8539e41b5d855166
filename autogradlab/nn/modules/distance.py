"""Distances as layers."""

from __future__ import annotations

from ...core.tensor.tensor import Tensor
from .. import functional as F
from .module import Module

__all__ = ["CosineSimilarity", "PairwiseDistance"]


class PairwiseDistance(Module):
    """The p-norm of x1 - x2 + eps along the last dimension.

    Shapes: (..., d) and (..., d) give (...).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.PairwiseDistance()(torch.tensor([[0., 0.]]), torch.tensor([[3., 4.]]))
        tensor([5.0000])

    Mirrors `torch.nn.PairwiseDistance`.
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The distance of the inputs."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along dim.

    Shapes: both broadcast; the result is without dim.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.CosineSimilarity()(torch.tensor([[1., 0.]]), torch.tensor([[1., 1.]]))
        tensor([0.7071])

    Mirrors `torch.nn.CosineSimilarity`.
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The cosine similarity of the inputs."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
