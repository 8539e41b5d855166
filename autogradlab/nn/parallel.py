"""A module on several GPUs; here there are none (mirrors `torch.nn.parallel`)."""

from __future__ import annotations

from typing import Any

from .modules.module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """Splits batches among GPUs; without one it calls its module.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> list(nn.DataParallel(nn.Linear(2, 1)).state_dict())
        ['module.weight', 'module.bias']

    Mirrors `torch.nn.DataParallel`.
    """

    __module__ = "torch.nn.parallel.data_parallel"

    def __init__(self, module: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The output of the module."""
        return self.module(*inputs, **kwargs)
