"""Resampling layers."""

from __future__ import annotations

from typing import Any

from ...core.tensor.tensor import Tensor
from .. import functional as F
from .module import Module

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Upsample(Module):
    """Images or signals made larger or smaller: nn.functional.interpolate.

    Shapes: (N, C, …) with one to three further dimensions.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Upsample(scale_factor=2)(torch.tensor([[[1., 2.]]]))
        tensor([[[1., 1., 2., 2.]]])

    Mirrors `torch.nn.Upsample`.
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor: Any = tuple(float(f) for f in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The input, resized."""
        return F.interpolate(
            input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        by = f"scale_factor={self.scale_factor!r}" if self.scale_factor is not None else f"size={self.size!r}"
        return f"{by}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Upsample of images with mode='nearest'.

    Shapes: (N, C, H, W).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.UpsamplingNearest2d(scale_factor=2)(torch.tensor([[[[1., 2.]]]]))
        tensor([[[[1., 1., 2., 2.],
                  [1., 1., 2., 2.]]]])

    Mirrors `torch.nn.UpsamplingNearest2d`.
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Upsample of images with mode='bilinear' and align_corners=True.

    Shapes: (N, C, H, W).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.UpsamplingBilinear2d(size=(1, 4))(torch.tensor([[[[0., 3.]]]]))
        tensor([[[[0., 1., 2., 3.]]]])

    Mirrors `torch.nn.UpsamplingBilinear2d`.
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
