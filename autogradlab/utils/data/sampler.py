"""Samplers: in which order samples are taken, with PyTorch's own random numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ...core.random import distributions, streams
from ...core.random.generator import Generator
from ...core.recording.record import TENSORS
from ...core.types.dtypes import float64, int64

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

T = TypeVar("T", covariant=True)


def drawn_seed(generator: Generator | None = None) -> int:
    """A seed from a generator, as PyTorch draws it."""
    if generator is not None and not isinstance(generator, Generator):  # which random_ refuses
        TENSORS.empty((), dtype=int64).random_(generator=generator)
    return streams.random_int(generator)


def _positive(num_samples: Any) -> None:
    if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
        raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")


class Sampler(Generic[T]):
    """The base of samplers: they say in which order samples are taken.

    Example:
        >>> import autogradlab as torch
        >>> list(torch.utils.data.SequentialSampler([10, 20]))
        [0, 1]
        >>> issubclass(torch.utils.data.SequentialSampler, torch.utils.data.Sampler)
        True

    Mirrors `torch.utils.data.Sampler`.
    """

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """The indices of all samples in order.

    Example:
        >>> import autogradlab as torch
        >>> list(torch.utils.data.SequentialSampler(['a', 'b', 'c']))
        [0, 1, 2]

    Mirrors `torch.utils.data.SequentialSampler`.
    """

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """The indices of all samples in random order, or drawn with replacement.

    Example:
        >>> import autogradlab as torch
        >>> list(torch.utils.data.RandomSampler(range(4), generator=torch.Generator().manual_seed(0)))
        [0, 1, 3, 2]

    Mirrors `torch.utils.data.RandomSampler`.
    """

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        _positive(int(self.num_samples) if isinstance(self.num_samples, bool) else self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many indices are drawn."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        n = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = Generator()
            generator.manual_seed(drawn_seed())
        if self.replacement:
            for _ in range(self.num_samples // 32):
                yield from streams.randint(0, n, (32,), generator=generator).tolist()
            yield from streams.randint(0, n, (self.num_samples % 32,), generator=generator).tolist()
        else:
            for _ in range(self.num_samples // n):
                yield from streams.randperm(n, generator=generator).tolist()
            yield from streams.randperm(n, generator=generator).tolist()[: self.num_samples % n]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Given indices in random order.

    Example:
        >>> import autogradlab as torch
        >>> list(torch.utils.data.SubsetRandomSampler([5, 6, 7], torch.Generator().manual_seed(0)))
        [7, 5, 6]

    Mirrors `torch.utils.data.SubsetRandomSampler`.
    """

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in streams.randperm(len(self.indices), generator=self.generator):
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices drawn with given weights.

    Example:
        >>> import autogradlab as torch
        >>> list(torch.utils.data.WeightedRandomSampler([0., 1.], 3))
        [1, 1, 1]

    Mirrors `torch.utils.data.WeightedRandomSampler`.
    """

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Generator | None = None
    ) -> None:
        _positive(num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = TENSORS.as_tensor(weights, dtype=float64)
        if self.weights.ndim != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        yield from distributions.multinomial(
            self.weights._array, self.num_samples, self.replacement, self.generator
        ).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """The indices of another sampler in batches of batch_size.

    Example:
        >>> import autogradlab as torch
        >>> list(torch.utils.data.BatchSampler(range(5), batch_size=2, drop_last=False))
        [[0, 1], [2, 3], [4]]

    Mirrors `torch.utils.data.BatchSampler`.
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler: Any = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        n: int = len(self.sampler)
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
