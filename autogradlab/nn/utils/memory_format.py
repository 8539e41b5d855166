"""The weights of convolutions in another memory format (mirrors `torch.nn.utils.memory_format`)."""

from __future__ import annotations

from typing import Any

from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def _convert(module: Module, memory_format: Any, kinds: tuple[type, ...]) -> Module:
    if isinstance(module, kinds):
        module.weight.data = module.weight.detach().clone(memory_format=memory_format)
    for child in module.children():
        _convert(child, memory_format, kinds)
    return module


def convert_conv2d_weight_memory_format(module: Module, memory_format: Any) -> Module:
    """Lay out the weights of all 2-D convolutions within a module in a memory format; returns the module.

    Example:
        >>> import autogradlab as torch
        >>> conv = torch.nn.Conv2d(2, 1, 2)
        >>> torch.nn.utils.convert_conv2d_weight_memory_format(conv, torch.channels_last).weight.stride()
        (8, 1, 4, 2)

    Mirrors `torch.nn.utils.convert_conv2d_weight_memory_format`.
    """
    return _convert(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module: Module, memory_format: Any) -> Module:
    """The same for 3-D convolutions.

    Example:
        >>> import autogradlab as torch
        >>> conv = torch.nn.Conv3d(2, 1, 2)
        >>> torch.nn.utils.convert_conv3d_weight_memory_format(conv, torch.channels_last_3d).weight.stride()
        (16, 1, 8, 4, 2)

    Mirrors `torch.nn.utils.convert_conv3d_weight_memory_format`.
    """
    return _convert(module, memory_format, (Conv3d, ConvTranspose3d))
