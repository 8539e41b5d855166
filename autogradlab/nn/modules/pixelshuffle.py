"""Layers that move elements between channels and pixels."""

from __future__ import annotations

from ...core.tensor.tensor import Tensor
from .. import functional as F
from .module import Module

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """Groups of r² channels rearranged into an image with r times the height and width.

    Shapes: (..., C r², H, W) gives (..., C, H r, W r).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.PixelShuffle(2)(torch.ones(1, 4, 2, 2)).shape
        torch.Size([1, 1, 4, 4])

    Mirrors `torch.nn.PixelShuffle`.
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The input with its elements rearranged."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """An image rearranged into r² times the channels.

    Shapes: (..., C, H r, W r) gives (..., C r², H, W).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.PixelUnshuffle(2)(torch.ones(1, 1, 4, 4)).shape
        torch.Size([1, 4, 2, 2])

    Mirrors `torch.nn.PixelUnshuffle`.
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The input with its elements rearranged."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"downscale_factor={self.downscale_factor}"
