"""What PyTorch's worker processes are for a dataset, one after the other in this process: each has a copy of the
dataset, random numbers of its own and its share of the batches."""

from __future__ import annotations

import copy
import itertools
import random
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.random.generator import Generator, default_generator
from .dataset import IterableDataset

__all__ = ["Fetcher", "Worker", "get_worker_info"]


@dataclass(frozen=True)
class WorkerInfo:
    """What a worker knows of itself."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str = "multiprocessing"


#: the worker whose turn it is
_turns: list[WorkerInfo] = []


def get_worker_info() -> WorkerInfo | None:
    """What a worker knows of itself (id, num_workers, seed, dataset); None outside of workers.

    Example:
        >>> import autogradlab as torch
        >>> print(torch.utils.data.get_worker_info())
        None

    Mirrors `torch.utils.data.get_worker_info`.
    """
    return _turns[-1] if _turns else None


class Fetcher:
    """Makes the batches of a dataset: of samples by their numbers, or of the next ones of a stream."""

    def __init__(self, loader: Any, dataset: Any) -> None:
        self.loader = loader
        self.dataset = dataset
        self._samples = iter(dataset) if isinstance(dataset, IterableDataset) else None
        self._ended = False

    def fetch(self, where: Any) -> Any:
        """The batch of these numbers. Errors: StopIteration at the end of a stream."""
        collate = self.loader.collate_fn
        if self._samples is not None:
            return collate(self._streamed(where))
        if not self.loader._auto_collation:
            return collate(self.dataset[where])
        many = getattr(self.dataset, "__getitems__", None)
        return collate(many(where) if many else [self.dataset[i] for i in where])

    def _streamed(self, where: Any) -> Any:
        assert self._samples is not None
        if self._ended:
            raise StopIteration
        if not self.loader._auto_collation:
            return next(self._samples)
        batch = list(itertools.islice(self._samples, len(where)))
        self._ended = len(batch) < len(where)
        if not batch or (self._ended and self.loader.drop_last):
            raise StopIteration
        return batch


class Worker:
    """One worker. Its random numbers follow from the seed of the pass and its number."""

    def __init__(self, loader: Any, number: int, base_seed: int) -> None:
        self.loader = loader
        self.info = WorkerInfo(number, loader.num_workers, base_seed + number, copy.copy(loader.dataset))
        self.active = True
        self._states: Any = None
        with self._turn():
            random.seed(self.info.seed)
            default_generator.manual_seed(self.info.seed)
            words = [number, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
            np.random.seed(np.random.SeedSequence(words).generate_state(4))
            if loader.worker_init_fn is not None:
                self._calling(loader.worker_init_fn, number)
            self.fetcher = Fetcher(loader, self.info.dataset)

    def renew(self) -> None:
        """Begin another pass over the data."""
        self.active = True
        with self._turn():
            self.fetcher = Fetcher(self.loader, self.info.dataset)

    def fetch(self, where: Any) -> Any:
        """The batch of these numbers. Errors: StopIteration at the end of a stream; others as the worker's own, with
        its traceback as their text."""
        with self._turn():
            return self._calling(self.fetcher.fetch, where)

    def _calling(self, call: Any, *args: Any) -> Any:
        try:
            return call(*args)
        except StopIteration:
            raise
        except Exception as error:
            raise _told(error, self.info.id) from None

    @contextmanager
    def _turn(self) -> Iterator[None]:
        before = _random_states()
        if self._states is not None:
            _set_random_states(self._states)
        _turns.append(self.info)
        try:
            yield
        finally:
            _turns.pop()
            self._states = _random_states()
            _set_random_states(before)


def _random_states() -> tuple[Any, Any, Any]:
    return Generator.get_state(default_generator), random.getstate(), np.random.get_state()


def _set_random_states(states: tuple[Any, Any, Any]) -> None:
    Generator.set_state(default_generator, states[0])
    random.setstate(states[1])
    np.random.set_state(states[2])


class _Message(str):
    """A text that KeyError shows as it is."""

    __slots__ = ()
    __repr__ = str.__str__


def _told(error: Exception, number: int) -> Exception:
    """The error of a worker as the main process raises it."""
    kind = type(error)
    whole = "".join(traceback.format_exception(error))
    text = f"Caught {kind.__name__} in DataLoader worker process {number}.\nOriginal {whole}"
    try:
        return kind(_Message(text) if issubclass(kind, KeyError) else text)
    except Exception:
        return RuntimeError(text)
