"""Datasets: samples by index, or one after the other."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ...core.random import streams
from ...core.random.generator import Generator, default_generator
from ...core.recording.record import TENSORS

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

T = TypeVar("T", covariant=True)


class Dataset(Generic[T]):
    """The base of datasets: write __getitem__ (the sample at an index) and __len__.

    Example:
        >>> import autogradlab as torch
        >>> class Squares(torch.utils.data.Dataset):
        ...     def __len__(self):
        ...         return 3
        ...     def __getitem__(self, i):
        ...         return i * i
        ...
        >>> list(torch.utils.data.DataLoader(Squares(), batch_size=2))
        [tensor([0, 1]), tensor([4])]

    Mirrors `torch.utils.data.Dataset`.
    """

    def __getitem__(self, index: Any) -> T:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Any) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T], Iterable[T]):
    """The base of datasets that give their samples one after the other: write __iter__.

    Example:
        >>> import autogradlab as torch
        >>> class Count(torch.utils.data.IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(3))
        ...
        >>> list(torch.utils.data.DataLoader(Count(), batch_size=2))
        [tensor([0, 1]), tensor([2])]

    Mirrors `torch.utils.data.IterableDataset`.
    """

    def __add__(self, other: Any) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[Any]):
    """Samples are the slices of tensors along their first dimension.

    Example:
        >>> import autogradlab as torch
        >>> data = torch.utils.data.TensorDataset(torch.tensor([[1.], [2.]]), torch.tensor([0, 1]))
        >>> len(data), data[1]
        (2, (tensor([2.]), tensor(1)))

    Mirrors `torch.utils.data.TensorDataset`.
    """

    def __init__(self, *tensors: Any) -> None:
        if not all(tensors[0].size(0) == t.size(0) for t in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(t[index] for t in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].size(0))


class StackDataset(Dataset[Any]):
    """Several datasets side by side: samples are tuples, or dicts.

    Example:
        >>> import autogradlab as torch
        >>> torch.utils.data.StackDataset(x=[1, 2], y=['a', 'b'])[1]
        {'x': 2, 'y': 'b'}

    Mirrors `torch.utils.data.StackDataset`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args:
            if kwargs:
                raise ValueError(
                    "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but "
                    "both types are given."
                )
            self._length = len(args[0])
            if any(self._length != len(d) for d in args):
                raise ValueError("Size mismatch between datasets")
            self.datasets: Any = args
        elif kwargs:
            self._length = len(next(iter(kwargs.values())))
            if any(self._length != len(d) for d in kwargs.values()):
                raise ValueError("Size mismatch between datasets")
            self.datasets = kwargs
        else:
            raise ValueError("At least one dataset should be passed")

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {k: d[index] for k, d in self.datasets.items()}
        return tuple(d[index] for d in self.datasets)

    def __getitems__(self, indices: list[int]) -> list[Any]:
        """The samples of many numbers; datasets that have them at once are asked once."""
        count = len(indices)
        if isinstance(self.datasets, dict):
            columns = {k: _many(d, indices) for k, d in self.datasets.items()}
            return [{k: column[i] for k, column in columns.items()} for i in range(count)]
        rows = [_many(d, indices) for d in self.datasets]
        return [tuple(row[i] for row in rows) for i in range(count)]

    def __len__(self) -> int:
        return self._length


def _many(dataset: Any, indices: list[int]) -> Any:
    many = getattr(dataset, "__getitems__", None)
    if not callable(many):
        return [dataset[i] for i in indices]
    found = many(indices)
    if len(found) != len(indices):
        raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(found)}")
    return found


class ConcatDataset(Dataset[Any]):
    """Several datasets one after the other.

    Example:
        >>> import autogradlab as torch
        >>> data = torch.utils.data.ConcatDataset([[1, 2], [3]])
        >>> len(data), data[2]
        (3, 3)

    Mirrors `torch.utils.data.ConcatDataset`.
    """

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """The running total of the lengths of the parts."""
        return list(itertools.accumulate(len(d) for d in sequence))

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> Any:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        at = bisect.bisect_right(self.cumulative_sizes, idx)
        return self.datasets[at][idx - self.cumulative_sizes[at - 1] if at else idx]

    @property
    def cummulative_sizes(self) -> list[int]:
        """The old name of `cumulative_sizes`."""
        warnings.warn(
            "`cummulative_sizes` attribute is renamed to `cumulative_sizes`", category=FutureWarning, stacklevel=2
        )
        return self.cumulative_sizes


class ChainDataset(IterableDataset[Any]):
    """Several iterable datasets one after the other.

    Example:
        >>> import autogradlab as torch
        >>> class Count(torch.utils.data.IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(2))
        ...
        >>> list(torch.utils.data.ChainDataset([Count(), Count()]))
        [0, 1, 0, 1]

    Mirrors `torch.utils.data.ChainDataset`.
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        super().__init__()
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for d in self.datasets:
            if not isinstance(d, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield from d

    def __len__(self) -> int:
        total = 0
        for d in self.datasets:
            if not isinstance(d, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            total += len(d)  # type: ignore[arg-type]
        return total


_ALONE = (
    "{} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding __getitem__, you must also "
    "override __getitems__ to ensure DataLoader works correctly with your custom logic. A simple implementation:\n\n"
    "def __getitems__(self, indices):\n    return [self.__getitem__(idx) for idx in indices]"
)


class Subset(Dataset[Any]):
    """The samples of a dataset at given indices.

    Example:
        >>> import autogradlab as torch
        >>> list(torch.utils.data.Subset([10, 20, 30], [2, 0]))
        [30, 10]

    Mirrors `torch.utils.data.Subset`.
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        kind = type(self)
        if kind.__getitem__ is not Subset.__getitem__ and kind.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(_ALONE.format(kind.__name__))

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[Any]:
        many = getattr(self.dataset, "__getitems__", None)
        wanted = [self.indices[i] for i in indices]
        return many(wanted) if callable(many) else [self.dataset[i] for i in wanted]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[float], generator: Generator | None = None) -> list[Subset]:
    """A dataset divided at random into parts of given sizes, or fractions.
    Errors: ValueError if the lengths do not add up.

    Example:
        >>> import autogradlab as torch
        >>> parts = torch.utils.data.random_split(range(10), [0.7, 0.3], torch.Generator().manual_seed(0))
        >>> [len(part) for part in parts]
        [7, 3]
        >>> list(parts[1])
        [8, 6, 2]

    Mirrors `torch.utils.data.random_split`.
    """
    n = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        counts = []
        for i, part in enumerate(lengths):
            if part < 0 or part > 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
            counts.append(math.floor(n * part))
        for i in range(n - sum(counts)):
            counts[i % len(counts)] += 1
        lengths = counts
        for i, length in enumerate(lengths):
            if length == 0:
                warnings.warn(
                    f"Length of split at index {i} is 0. This might result in an empty dataset.", stacklevel=2
                )
    if sum(lengths) != n:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    total: Any = sum(lengths)
    if isinstance(total, float):  # which randperm refuses
        TENSORS.randperm(total, generator=default_generator if generator is None else generator)
    order = streams.randperm(int(total), generator=generator).tolist()
    ends = list(itertools.accumulate(int(k) for k in lengths))
    return [Subset(dataset, order[end - int(k) : end]) for end, k in zip(ends, lengths, strict=True)]
