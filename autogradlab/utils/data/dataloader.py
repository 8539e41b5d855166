"""The DataLoader: batches of a dataset, in this process whatever num_workers says."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...core.random.generator import Generator
from .collate import default_collate, default_convert
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, drawn_seed

__all__ = ["DataLoader", "get_worker_info"]

_EXCLUSIVE = "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"


def get_worker_info() -> None:
    """What a worker knows of itself; None in the main process.

    Example:
        >>> import autogradlab as torch
        >>> print(torch.utils.data.get_worker_info())
        None

    Mirrors `torch.utils.data.get_worker_info`.
    """
    return


class _Endless(Sampler[Any]):
    """The sampler of an iterable dataset, whose samples have no indices."""

    def __iter__(self) -> Iterator[Any]:
        return itertools.repeat(None)


class DataLoader:
    """Iterates over a dataset in batches, shuffled on request; a batch has one tensor for each part of a
    sample.

    Note: num_workers may be given, but all happens in this process.

    Example:
        >>> import autogradlab as torch
        >>> data = torch.utils.data.TensorDataset(torch.arange(5))
        >>> for (batch,) in torch.utils.data.DataLoader(data, batch_size=2):
        ...     print(batch)
        ...
        tensor([0, 1])
        tensor([2, 3])
        tensor([4])

    Mirrors `torch.utils.data.DataLoader`.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        batch_sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[..., Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
                "multiprocessing, otherwise set prefetch_factor to None."
            )
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        iterable = isinstance(dataset, IterableDataset)
        if iterable:
            self._refuse_orders(shuffle, sampler, batch_sampler)
        shuffle = bool(shuffle)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(_EXCLUSIVE)
            batch_size = None
            drop_last = False
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            sampler = (
                _Endless()
                if iterable
                else RandomSampler(dataset, generator=generator)
                if shuffle
                else SequentialSampler(dataset)
            )
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        if collate_fn is None:
            collate_fn = default_convert if batch_sampler is None else default_collate
        self.collate_fn = collate_fn
        self.persistent_workers = persistent_workers
        self.__initialized = True

    def _refuse_orders(self, shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
        for name, value in (
            ("shuffle", None if shuffle in (False, None) else shuffle),
            ("sampler", sampler),
            ("batch_sampler", batch_sampler),
        ):
            if value is not None:
                raise ValueError(
                    f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
                )

    __initialized = False

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__initialized and name in (
            "batch_size",
            "batch_sampler",
            "sampler",
            "drop_last",
            "dataset",
            "persistent_workers",
        ):
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        return _Batches(self)

    def __len__(self) -> int:
        if isinstance(self.dataset, IterableDataset):
            dataset: Any = self.dataset  # which may have a length
            n: int = len(dataset)
            if self.batch_size is None:
                return n
            return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)

    def check_worker_number_rationality(self) -> None:
        """Nothing to warn of: no workers are started."""


class _Batches:
    """One pass over the data. Each draws a seed from the generator, as PyTorch does for its workers."""

    def __init__(self, loader: DataLoader) -> None:
        self.loader = loader
        self._base_seed = drawn_seed(loader.generator)
        numbers: Iterable[Any] = loader.sampler if loader.batch_sampler is None else loader.batch_sampler
        self._numbers = iter(numbers)
        self._samples = iter(loader.dataset) if isinstance(loader.dataset, IterableDataset) else None
        self._ended = False

    def __iter__(self) -> _Batches:
        return self

    def __len__(self) -> int:
        return len(self.loader)

    def __next__(self) -> Any:
        where = next(self._numbers)
        loader = self.loader
        if self._samples is not None:
            return self._from_stream(where)
        if loader.batch_sampler is None:
            return loader.collate_fn(loader.dataset[where])
        many = getattr(loader.dataset, "__getitems__", None)
        return loader.collate_fn(many(where) if many else [loader.dataset[i] for i in where])

    next = __next__

    def _from_stream(self, where: Any) -> Any:
        loader = self.loader
        assert self._samples is not None
        if self._ended:
            raise StopIteration
        if loader.batch_sampler is None:
            return loader.collate_fn(next(self._samples))
        batch = list(itertools.islice(self._samples, len(where)))
        self._ended = len(batch) < len(where)
        if not batch or (self._ended and loader.drop_last):
            raise StopIteration
        return loader.collate_fn(batch)
