"""Dropout layers."""

from __future__ import annotations

from typing import Any

from ...core.tensor.tensor import Tensor
from .. import functional as F
from .module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    _drop: Any = None

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return type(self)._drop(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """In training, zero each element with probability `p` and divide the others by 1 - p (mirrors `torch.nn.Dropout`)."""

    _drop = staticmethod(F.dropout)


class Dropout1d(_DropoutNd):
    """Dropout of whole channels of (N, C, L)."""

    _drop = staticmethod(F.dropout1d)


class Dropout2d(_DropoutNd):
    """Dropout of whole channels of (N, C, H, W)."""

    _drop = staticmethod(F.dropout2d)


class Dropout3d(_DropoutNd):
    """Dropout of whole channels of (N, C, D, H, W)."""

    _drop = staticmethod(F.dropout3d)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance behind SELU."""

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels."""

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
