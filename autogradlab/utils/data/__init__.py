"""Datasets, samplers and the DataLoader (mirrors `torch.utils.data`)."""

from __future__ import annotations

from ...core.runtime.naming import by_name
from . import _utils, dataloader, dataset, distributed, sampler
from ._utils.collate import default_collate, default_convert
from .dataloader import DataLoader, get_worker_info
from .dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .distributed import DistributedSampler
from .sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "SubsetRandomSampler",
    "Subset",
    "TensorDataset",
    "WeightedRandomSampler",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]

for _family in (_utils.collate, dataloader, dataset, distributed, sampler):
    for _name in _family.__all__:
        _made = getattr(_family, _name)
        if isinstance(_made, type):
            _made.__module__ = "torch.utils.data." + _family.__name__.rpartition(".")[2]
            _made.__reduce_ex__ = by_name  # type: ignore[assignment,method-assign]
