"""Dropout layers."""

from __future__ import annotations

from typing import Any

from ...core.tensor.tensor import Tensor
from .. import functional as F
from .module import Module, named

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    _drop: Any = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        named(cls, "forward")

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input; in training with elements or channels dropped."""
        return type(self)._drop(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """In training each element 0 with probability p, the rest divided by 1 - p.

    Shapes: any; the output has the input's shape.
    Note: in eval() the input is returned as it is. The random numbers are PyTorch's own after the same
        manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> layer = nn.Dropout(0.5)
        >>> layer(torch.ones(4))
        tensor([0., 0., 2., 0.])
        >>> layer.eval()(torch.ones(4))
        tensor([1., 1., 1., 1.])

    Mirrors `torch.nn.Dropout`.
    """

    _drop = staticmethod(F.dropout)


class Dropout1d(_DropoutNd):
    """Dropout of whole channels.

    Shapes: (N, C, L) or (C, L).
    Note: in eval() the input is returned as it is. The random numbers are PyTorch's own after the same
        manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Dropout1d(0.5).eval()(torch.ones(1, 2, 2))
        tensor([[[1., 1.],
                 [1., 1.]]])

    Mirrors `torch.nn.Dropout1d`.
    """

    _drop = staticmethod(F.dropout1d)


class Dropout2d(_DropoutNd):
    """Dropout of whole channels.

    Shapes: (N, C, H, W) or (C, H, W).
    Note: in eval() the input is returned as it is. The random numbers are PyTorch's own after the same
        manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> nn.Dropout2d(0.5)(torch.ones(1, 3, 1, 2))
        tensor([[[[0., 0.]],

                 [[0., 0.]],

                 [[2., 2.]]]])

    Mirrors `torch.nn.Dropout2d`.
    """

    _drop = staticmethod(F.dropout2d)


class Dropout3d(_DropoutNd):
    """Dropout of whole channels.

    Shapes: (N, C, D, H, W) or (C, D, H, W).
    Note: in eval() the input is returned as it is. The random numbers are PyTorch's own after the same
        manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Dropout3d(0.5).eval()(torch.ones(1, 1, 1, 1, 2))
        tensor([[[[[1., 1.]]]]])

    Mirrors `torch.nn.Dropout3d`.
    """

    _drop = staticmethod(F.dropout3d)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean 0 and variance 1, for networks with SELU.

    Shapes: any; the output has the input's shape.
    Note: in eval() the input is returned as it is. The random numbers are PyTorch's own after the same
        manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.AlphaDropout(0.5).eval()(torch.ones(2))
        tensor([1., 1.])

    Mirrors `torch.nn.AlphaDropout`.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input; in training with elements or channels dropped."""
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels.

    Shapes: any; the output has the input's shape.
    Note: in eval() the input is returned as it is. The random numbers are PyTorch's own after the same
        manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.FeatureAlphaDropout(0.5).eval()(torch.ones(1, 2))
        tensor([[1., 1.]])

    Mirrors `torch.nn.FeatureAlphaDropout`.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input; in training with elements or channels dropped."""
        return F.feature_alpha_dropout(input, self.p, self.training)
