"""Images as columns of their blocks, and back."""

from __future__ import annotations

from typing import Any

from ...core.tensor.tensor import Tensor
from .. import functional as F
from .module import Module

__all__ = ["Fold", "Unfold"]


class Unfold(Module):
    """All blocks of an image as columns, one for each position of the kernel.

    Shapes: (N, C, H, W) gives (N, C kH kW, number of blocks).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Unfold(2)(torch.ones(1, 1, 3, 3)).shape
        torch.Size([1, 4, 4])

    Mirrors `torch.nn.Unfold`.
    """

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """The blocks of the input as columns."""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Fold(Module):
    """Columns put back as blocks of an image; where blocks overlap, their elements are added.

    Shapes: (N, C kH kW, number of blocks) gives (N, C, *output_size).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Fold((3, 3), 2)(torch.ones(1, 4, 4))
        tensor([[[[1., 2., 1.],
                  [2., 4., 2.],
                  [1., 2., 1.]]]])

    Mirrors `torch.nn.Fold`.
    """

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """The columns of the input as blocks of an image."""
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )
