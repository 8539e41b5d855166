"""Channels in another order."""

from __future__ import annotations

from ...core.tensor.tensor import Tensor
from .. import functional as F
from .module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """The channels of all groups interleaved.

    Shapes: (N, C, …); groups divides C.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ChannelShuffle(2)(torch.arange(4.).reshape(1, 4, 1, 1)).flatten()
        tensor([0., 2., 1., 3.])

    Mirrors `torch.nn.ChannelShuffle`.
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """The input with its elements rearranged."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"groups={self.groups}"
