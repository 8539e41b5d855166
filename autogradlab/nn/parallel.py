"""A module on several GPUs or in several processes; here there is one CPU (mirrors `torch.nn.parallel`)."""

from __future__ import annotations

from typing import Any

from .modules.module import Module

__all__ = ["DataParallel", "DistributedDataParallel"]


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


class DistributedDataParallel(Module):
    """Averages gradients among processes. There is no group of processes here, without which PyTorch refuses it too;
    programs ask whether a model is one.

    Errors: ValueError, always.

    Example:
        >>> from autogradlab import nn
        >>> model = nn.Linear(2, 1)
        >>> (model.module if isinstance(model, nn.parallel.DistributedDataParallel) else model).in_features
        2

    Mirrors `torch.nn.parallel.DistributedDataParallel`.
    """

    __module__ = "torch.nn.parallel.distributed"

    def __init__(self, module: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
