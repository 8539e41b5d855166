"""Dimensions that are named in a pattern, and put in another order (mirrors `torch.func.rearrange`)."""

from __future__ import annotations

import functools
import keyword
import re
import warnings
from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from ..core.recording.record import TENSORS as F
from ..core.tensor.tensor import Tensor

__all__ = ["rearrange"]

#: what stands for "..." in a pattern that has been read
_REST = "\N{HORIZONTAL ELLIPSIS}"


class DimensionBindError(Exception):
    """The sizes that are known of dimensions do not fit the one that they are parts of."""


class _Side(NamedTuple):
    """One side of a pattern: for each dimension its axes, () for one of size 1; `_REST` for those without names."""

    dims: list[tuple[str, ...] | str]
    names: set[str]

    @property
    def units(self) -> int:
        return self.dims.count(())


def _side(text: str) -> _Side:
    if "." in text:
        if "..." not in text:
            raise ValueError("Expression may contain dots only inside ellipsis (...)")
        if text.count("...") != 1 or text.count(".") != 3:
            raise ValueError("Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor ")
        text = text.replace("...", _REST)
    side = _Side([], set())
    group: list[str] | None = None
    for word in re.findall(rf"[\w{_REST}]+|[^ ]", text):
        if word == "(":
            if group is not None:
                raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
            group = []
        elif word == ")":
            if group is None:
                raise ValueError("Brackets are not balanced")
            side.dims.append(tuple(group))
            group = None
        elif not re.fullmatch(rf"[\w{_REST}]+", word):
            raise ValueError(f"Unknown character '{word}'")
        else:
            axes = _axis(word, side.names)
            if group is not None:
                group += axes
            else:
                side.dims.append(_REST if word == _REST else axes)
    if group is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{text}'")
    return side


def _axis(word: str, names: set[str]) -> tuple[str, ...]:
    """What one word of a pattern names, which is new among the names; nothing if it is 1."""
    if word in names:
        raise ValueError(f"Indexing expression contains duplicate dimension '{word}'")
    if word.isdecimal():
        if int(word) == 1:
            return ()
        if not int(word):
            raise ValueError("Anonymous axis should have positive length, not 0")
    elif word != _REST:
        wrong = None
        if not word.isidentifier():
            wrong = "not a valid python identifier"
        elif "_" in (word[0], word[-1]):
            wrong = "axis name should should not start or end with underscore"
        if wrong:
            raise ValueError(f"Invalid axis identifier: {word}\n{wrong}")
        if keyword.iskeyword(word):
            warnings.warn(f"It is discouraged to use axes names that are keywords: {word}", RuntimeWarning, 2)
        if word == "axis":
            warnings.warn(
                "It is discouraged to use 'axis' as an axis name and will raise an error in future", FutureWarning, 2
            )
    names.add(word)
    return (word,)


def _read(pattern: str, sizes: dict[str, int]) -> tuple[_Side, _Side]:
    """Both sides of a pattern, which name the same axes; PyTorch's ValueErrors for patterns that are none."""
    try:
        left_text, right_text = pattern.split("->")
    except ValueError:
        raise ValueError("Pattern must contain a single '->' separator") from None
    if _REST in sizes:
        raise ValueError(f"'{_REST}' is not an allowed axis identifier")
    left, right = _side(left_text), _side(right_text)
    if _REST in right.names and _REST not in left.names:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if _REST in left.names and _REST not in left.dims:
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    for size in sizes.values():
        if type(size) is not int:
            raise TypeError(f"rearrange axis lengths must be integers, got: {type(size)}")
    if any(name.isdecimal() for name in left.names | right.names):
        raise ValueError("rearrange only supports unnamed axes of size 1")
    if alone := left.names ^ right.names:
        raise ValueError(f"Identifiers only on one side of rearrange expression (should be on both): {alone}")
    if unknown := sizes.keys() - left.names:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")
    return left, right


class _Plan(NamedTuple):
    """What to do with tensors of so many dimensions. An axis is a number, in the order of the left side."""

    #: the axes that each dimension is made of; None where it is one axis, whatever its size
    split: list[tuple[int, ...] | None]
    #: the axes of size 1 that go, and how those that stay are put together, () being a new one of size 1
    summed: list[int]
    joined: list[tuple[int, ...]]
    #: whether a dimension on the right is named
    shaped: bool
    given: dict[int, int]


@functools.lru_cache(256)
def _plan(ndim: int, pattern: str, **sizes: int) -> _Plan | None:
    left, right = _read(pattern, sizes)
    rest = 0
    if _REST in left.names:
        rest, named = ndim - (len(left.dims) - 1), left.units + len(left.names) - 1
        if named > ndim:
            raise ValueError(
                f"Number of dimensions in pattern ({named}) must be less than or equal to the number of dimensions in "
                f"the tensor ({ndim})"
            )
    elif len(left.dims) != ndim:
        raise ValueError(
            f"Number of dimensions in pattern ({len(left.dims)}) must be equal to the number of dimensions in the "
            f"tensor ({ndim})"
        )
    axes: dict[str, tuple[int, ...]] = {}
    split: list[tuple[int, ...] | None] = []
    summed: list[int] = []
    count = 0
    for dim in left.dims:
        if dim == _REST:
            axes[_REST] = tuple(range(count, count + rest))
            split += [None] * rest
            count += rest
        else:
            mine = tuple(range(count, count + max(len(dim), 1)))
            axes.update((name, (n,)) for name, n in zip(dim, mine, strict=False))
            summed += () if dim else mine
            split.append(mine)
            count += len(mine)
    if not count:
        return None
    if len(split) == 1 and split[0] is not None:  # as an index, (a, b) is two
        if len(split[0]) > 1:
            raise ValueError(f"at least {count} indices were supplied but the tensor only has {ndim} dimensions")
        split = [None]
    joined: list[tuple[int, ...]] = []
    for dim in right.dims:
        if dim == _REST:
            joined += [(n,) for n in axes[_REST]]
        else:
            joined.append(tuple(n for name in dim for n in axes[name]))
    given = {axes[name][0]: size for name, size in sizes.items()}
    return _Plan(split, summed, joined, any(dim != _REST for dim in right.dims), given)


def _parts(size: int, axes: tuple[int, ...], given: dict[int, int]) -> list[int]:
    """The sizes of the axes that a dimension is made of, one of which may be unknown."""
    unknown = [n for n in axes if n not in given]
    if len(unknown) > 1:
        raise DimensionBindError(f"cannot infer the sizes of two dimensions at once d{unknown[0]} and d{unknown[1]}")
    known = prod([given[n] for n in axes if n in given])
    if unknown:
        if size % known:
            shown = tuple(given.get(n, "?") for n in axes)
            raise DimensionBindError(f"inferred dimension does not evenly fit into larger dimension: {size} vs {shown}")
        return [given[n] if n in given else size // known for n in axes]
    if known != size:
        pack = ", ".join([f"d{n}" for n in axes]) + ("," if len(axes) == 1 else "")
        raise DimensionBindError(
            f"Dimension sizes to do not match ({size} != {known}) when matching dimension pack ({pack})"
        )
    return [given[n] for n in axes]


def _split(tensor: Tensor, plan: _Plan) -> Tensor:
    """A view with a dimension for each axis."""
    if not any(plan.split):
        return tensor
    sizes: list[int] = []
    steps: list[int] = []
    for size, step, axes in zip(tensor.shape, tensor.stride(), plan.split, strict=True):
        parts = [size] if axes is None else _parts(size, axes, plan.given)
        sizes += parts
        steps += [step * prod(parts[i:]) for i in range(1, len(parts) + 1)]
    return F.as_strided(tensor, sizes, steps, tensor.storage_offset())


def rearrange(tensor: Tensor | Sequence[Tensor], pattern: str, **axes_lengths: int) -> Tensor:
    """A tensor whose dimensions are named in a pattern, "old -> new": put in another order, split, or joined.

    tensor: a tensor, or several, which are stacked along a new first dimension. pattern: names of dimensions; in
    brackets those that one dimension is made of, "..." for any others, 1 for one of size 1. axes_lengths: sizes of
    names, where a dimension is split.

    Errors: ValueError for a pattern that is none or does not fit; TypeError for sizes that are no ints;
    DimensionBindError where sizes do not fit the tensor.

    Example:
        >>> import autogradlab as torch
        >>> torch.func.rearrange(torch.arange(6).reshape(2, 3), "row column -> (column row)")
        tensor([0, 3, 1, 4, 2, 5])
        >>> torch.func.rearrange(torch.zeros(8, 3), "(h w) c -> c h w", h=2).shape
        torch.Size([3, 2, 4])

    Mirrors `torch.func.rearrange`.
    """
    given = tensor if isinstance(tensor, Tensor) else F.stack(tensor)
    plan = _plan(given.ndim, pattern, **axes_lengths)
    if plan is None:
        return given
    t = _split(given, plan)
    order = [*plan.summed, *(n for axes in plan.joined for n in axes)]
    if order != list(range(t.ndim)):
        steps = t.stride()
        t = F.as_strided(t, [t.shape[n] for n in order], [steps[n] for n in order], t.storage_offset())
    if plan.shaped:
        first = len(plan.summed)
        sizes, left = list(t.shape[:first]), iter(t.shape[first:])
        sizes += [prod([next(left) for _ in axes]) for axes in plan.joined]
        t = F.reshape(t, sizes)
        if plan.summed and len(plan.joined) > len(order) - first:
            raise AssertionError(f"Tensor has {len(sizes)} dimensions but {len(order)} levels provided")
    return F.sum(t, list(range(len(plan.summed)))) if plan.summed else t
