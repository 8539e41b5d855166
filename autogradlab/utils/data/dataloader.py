"""The DataLoader: batches of a dataset, in this process whatever num_workers says."""

from __future__ import annotations

import itertools
import multiprocessing
import multiprocessing.context
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Generic, Self, TypeVar

from ...core.random.generator import Generator
from ...core.runtime.warn import warn
from ._utils.collate import default_collate, default_convert
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, drawn_seed
from .workers import Fetcher, Worker, get_worker_info

__all__ = ["DataLoader", "get_worker_info"]

T = TypeVar("T")
#: names that annotations of programs import
_collate_fn_t = Callable[[list[T]], Any]
_worker_init_fn_t = Callable[[int], None]
_NOT_PINNED = (
    "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used."
)
_PINNED_WHERE = (
    "pin_memory_device is deprecated, the current accelerator will be used as the device,ignore pin_memory_device='{}'."
)
_EXCLUSIVE = "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
_TOO_LONG = (
    "Length of IterableDataset {} was reported to be {}(when accessing len(dataloader)), but {} samples have been "
    "fetched. "
)
_OF_WORKERS = (
    "For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset replica "
    "at each worker. Please see https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for "
    "examples."
)


def _check_context(context: Any, num_workers: int) -> None:
    """Refuse what is no way to start processes."""
    if context is None:
        return
    if not num_workers:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
            f"num_workers={num_workers}"
        )
    methods = multiprocessing.get_all_start_methods()
    if isinstance(context, str) and context not in methods:
        raise ValueError(
            f"multiprocessing_context option should specify a valid start method in {methods!r}, but got "
            f"multiprocessing_context={context!r}"
        )
    if not isinstance(context, (str, multiprocessing.context.BaseContext)):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying the start method, "
            f"but got multiprocessing_context={context}"
        )


class _InfiniteConstantSampler(Sampler[Any]):
    """The sampler of an iterable dataset, whose samples have no indices."""

    def __iter__(self) -> Iterator[Any]:
        return itertools.repeat(None)


class DataLoader(Generic[T]):
    """Iterates over a dataset in batches, shuffled on request; a batch has one tensor for each part of a
    sample.

    Note: workers run in this process, one after the other; each has a copy of the dataset and random numbers of its
        own, as PyTorch's processes have.

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
        if num_workers > 0 and prefetch_factor is not None and prefetch_factor < 0:
            raise ValueError("prefetch_factor option should be non-negative")
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
                _InfiniteConstantSampler()
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
        self._iterator: _MultiProcessingDataLoaderIter | None = None
        self._IterableDataset_len_called: int | None = None
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
        if name == "multiprocessing_context":
            _check_context(value, self.num_workers)
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        if self.persistent_workers and self._iterator is not None:
            self._iterator.reset()
            return self._iterator
        if self.pin_memory:
            if self.pin_memory_device:
                warn(_PINNED_WHERE.format(self.pin_memory_device))
            warn(_NOT_PINNED)
        if not self.num_workers:
            return _SingleProcessDataLoaderIter(self)
        if not self.persistent_workers:
            return _MultiProcessingDataLoaderIter(self)
        self._iterator = _MultiProcessingDataLoaderIter(self)
        return self._iterator

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __len__(self) -> int:
        if isinstance(self.dataset, IterableDataset):
            dataset: Any = self.dataset  # which may have a length
            n: int = len(dataset)
            self._IterableDataset_len_called = n
            if self.batch_size is None:
                return n
            return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
        return len(self._index_sampler)

    def check_worker_number_rationality(self) -> None:
        """Nothing to warn of: no workers are started."""


class _BaseDataLoaderIter:
    """One pass over the data. Each draws a seed from the generator, for the workers if there are any."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        self.loader = loader
        self._base_seed = drawn_seed(loader.generator)
        self._begin()

    def _begin(self) -> None:
        self._numbers: Iterator[Any] = iter(self.loader._index_sampler)
        self._num_yielded = 0
        self._claimed = self.loader._IterableDataset_len_called

    def __iter__(self) -> Self:
        return self

    def __len__(self) -> int:
        return len(self.loader._index_sampler)

    def __next__(self) -> Any:
        data = self._next_data()
        self._num_yielded += 1
        if self._claimed is not None and self._num_yielded > self._claimed:
            advice = _OF_WORKERS if self.loader.num_workers else ""
            warnings.warn(
                _TOO_LONG.format(self.loader.dataset, self._claimed, self._num_yielded) + advice, stacklevel=2
            )
        return data

    def _next_data(self) -> Any:
        raise NotImplementedError


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """A pass without workers."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        if loader.timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self._fetcher = Fetcher(loader, loader.dataset)

    def _next_data(self) -> Any:
        return self._fetcher.fetch(next(self._numbers))


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """A pass that workers share: each makes a batch in turn."""

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        self._workers = [Worker(loader, number, self._base_seed) for number in range(loader.num_workers)]
        self._turns = itertools.cycle(self._workers)

    def reset(self) -> None:
        """Begin the next pass with the same workers."""
        self._begin()
        self._turns = itertools.cycle(self._workers)
        for worker in self._workers:
            worker.renew()

    def _next_data(self) -> Any:
        where = next(self._numbers)
        while any(worker.active for worker in self._workers):
            worker = next(self._turns)
            if worker.active:
                try:
                    return worker.fetch(where)
                except StopIteration:
                    worker.active = False
        raise StopIteration
