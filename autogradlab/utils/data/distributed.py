"""A sampler that gives each process its part of a dataset (mirrors `torch.utils.data.distributed`)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeVar

from ...core.random.generator import Generator
from ...core.recording.record import TENSORS
from .dataset import Dataset
from .sampler import Sampler

__all__ = ["DistributedSampler"]

T = TypeVar("T")


class DistributedSampler(Sampler[T]):
    """Every num_replicas-th index of a dataset, from `rank` on, in an order that all processes share. There are no
    process groups here: both numbers are given.
    Errors: ValueError where they are not, or rank is not below num_replicas.

    Shapes: none.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.utils.data.distributed import DistributedSampler
        >>> sampler = DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False)
        >>> list(sampler), len(sampler)
        ([1, 3, 0], 3)

    Mirrors `torch.utils.data.distributed.DistributedSampler`.
    """

    def __init__(
        self,
        dataset: Dataset[Any],
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise ValueError(
                "Default process group has not been initialized, please make sure to call init_process_group."
            )
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        count: int = len(dataset)  # type: ignore[arg-type]
        short = drop_last and count % num_replicas
        self.num_samples = math.ceil((count - num_replicas if short else count) / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[T]:
        """The indices of this process: the order depends on seed and epoch, and begins anew where it is too short."""
        count: int = len(self.dataset)  # type: ignore[arg-type]
        if self.shuffle:
            source = Generator()
            source.manual_seed(self.seed + self.epoch)
            order = TENSORS.randperm(count, generator=source).tolist()
        else:
            order = list(range(count))
        if self.drop_last:
            order = order[: self.total_size]
        elif order:
            order = (order * math.ceil(self.total_size / len(order)))[: self.total_size]
        if len(order) != self.total_size:
            raise AssertionError(f"Number of indices ({len(order)}) does not match total_size ({self.total_size})")
        return iter(order[self.rank :: self.num_replicas])

    def __len__(self) -> int:
        """How many indices each process gets."""
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Another order for the epoch that begins."""
        self.epoch = epoch
