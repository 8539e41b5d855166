"""The shape of a tensor: a tuple that prints and concatenates as PyTorch's does."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from ..arguments.mismatch import refuse_all, typename
from .native import Native

__all__ = ["Size", "size_of"]


class Size(tuple[int, ...], metaclass=Native, final=True):
    """The shape of a tensor: a tuple of ints.

    Example:
        >>> import autogradlab as torch
        >>> torch.Size([2, 3]).numel()
        6
        >>> torch.ones(2, 3).shape == (2, 3)
        True

    Mirrors `torch.Size`.
    """

    __slots__ = ()
    __module__ = "torch"

    def __new__(cls, sizes: Any = (), /, *more: Any, **kwargs: Any) -> Size:
        if more or kwargs:
            if not kwargs:
                raise TypeError(f"tuple expected at most 1 argument, got {1 + len(more)}")
            refuse_all("tuple", (), kwargs)
        made = tuple.__new__(cls, sizes)
        for n in made:
            if type(n) is not int:
                return tuple.__new__(cls, [_whole(i, n) for i, n in enumerate(made)])
        return made

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def numel(self) -> int:
        """The number of elements: the product of the sizes."""
        n = 1
        for size in self:
            n *= size
        return n

    def __add__(self, other: tuple[int, ...]) -> Size:  # type: ignore[override]
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size(tuple(self) + tuple(other))

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __radd__(self, other: tuple[int, ...]) -> Size:
        if isinstance(other, list):
            raise TypeError('can only concatenate list (not "torch.Size") to list')
        return Size(tuple(other) + tuple(self))

    def __mul__(self, times: Any) -> Size:
        return times.__rmul__(self) if isinstance(times, Size) else Size(tuple(self) * times)

    def __rmul__(self, times: Any) -> Size:
        if isinstance(times, (tuple, list)):
            raise TypeError("can't multiply sequence by non-int of type 'torch.Size'")
        return Size(tuple(self) * times)

    def __reduce__(self) -> tuple[Any, ...]:
        return _size, (tuple(self),)


def _whole(i: int, n: Any) -> int:
    try:
        return operator.index(n)
    except TypeError:
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{typename(n)}')") from None


def _size(sizes: tuple[int, ...]) -> Size:
    return Size(sizes)


#: the Size of an array's shape, whose numbers are known to be integers
size_of: Callable[[tuple[int, ...]], Size] = partial(tuple.__new__, Size)
