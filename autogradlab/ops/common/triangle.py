"""Triangles of matrices."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.memory.together import stacked
from ...core.tensor.tensor import Tensor
from ..first.kinds import BITS
from ..table.opdef import op
from ..table.outputs import same_dtype


def _kept(m: int, n: int, diagonal: int, lower: bool) -> np.ndarray:
    ends, columns = np.arange(m)[:, None] + min(max(diagonal, -m), n), np.arange(n)
    result: np.ndarray = columns <= ends if lower else columns >= ends
    return result


#: masks that recur, in lessons and in attention
_known = functools.lru_cache(64)(_kept)


def _check_matrix(name: str, input: Any) -> None:
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


def _mask(name: str, input: Any, diagonal: int, lower: bool) -> np.ndarray:
    """What is kept of each matrix."""
    _check_matrix(name, input)
    m, n = input.shape[-2:]
    return (_known if m * n <= 1024 else _kept)(m, n, diagonal, lower)


def _check_part(name: str) -> Callable[[Tensor, Sequence[Tensor]], None]:
    def check(input: Tensor, outs: Sequence[Tensor]) -> None:
        _check_matrix(name, input._array)
        same_dtype()(input, outs)

    return check


def _part(name: str, input: np.ndarray, diagonal: int, lower: bool) -> np.ndarray:
    mask = _mask(name, input, diagonal, lower)
    many = type(input) is np.ndarray and input.size >= _MANY and input.dtype.kind == "f"
    kind = BITS.get(input.itemsize) if many else None
    if kind is None:
        r = np.zeros(input.shape, input.dtype)
        np.copyto(r, input, where=mask)
        return r
    r = np.empty(input.shape, input.dtype)
    bits = r.view(kind)
    bits[...] = mask
    bits *= input.view(kind)
    return r


def _cut(name: str, lower: bool) -> Callable[..., None]:
    """The in-place form, which asks not whether the memory overlaps."""

    def write(input: np.ndarray, diagonal: int = 0) -> None:
        np.copyto(input, np.zeros((), input.dtype), where=~_mask(name, input, diagonal, lower))

    return write


#: from how many floats on what is kept is multiplied, its bits, by 1 and the rest by 0
_MANY = 1 << 10


@op(
    "tril(Tensor input, SymInt diagonal=0, *, Tensor out=None) -> Tensor|uint_tril",
    check_out=_check_part("tril"),
    vjp={"input": lambda F, grad, diagonal: F.tril(grad, diagonal)},
    inplace=True,
    inplace_function=False,
    writes=_cut("tril", True),
    together=stacked(0),
)
def tril(input: Any, diagonal: int = 0) -> np.ndarray:
    """The lower triangle; the rest is 0. diagonal > 0 keeps more, < 0 less.

    Shapes: (..., m, n), and so is the result.
    ~same-dtype

    >>> torch.tril(torch.ones(3, 3))
    tensor([[1., 0., 0.],
            [1., 1., 0.],
            [1., 1., 1.]])
    >>> torch.ones(2, 2).tril(-1)
    tensor([[0., 0.],
            [1., 0.]])

    In place:
    >>> torch.ones(2, 2).tril_()
    tensor([[1., 0.],
            [1., 1.]])
    """
    return _part("tril", input, diagonal, True)


@op(
    "triu(Tensor input, SymInt diagonal=0, *, Tensor out=None) -> Tensor|uint_triu",
    check_out=_check_part("triu"),
    vjp={"input": lambda F, grad, diagonal: F.triu(grad, diagonal)},
    inplace=True,
    inplace_function=False,
    writes=_cut("triu", False),
    together=stacked(0),
)
def triu(input: Any, diagonal: int = 0) -> np.ndarray:
    """The upper triangle; the rest is 0. diagonal > 0 keeps less, < 0 more.

    Shapes: (..., m, n), and so is the result.
    ~same-dtype

    >>> torch.triu(torch.ones(3, 3), 1)
    tensor([[0., 1., 1.],
            [0., 0., 1.],
            [0., 0., 0.]])

    In place:
    >>> torch.ones(2, 2).triu_()
    tensor([[1., 1.],
            [0., 1.]])
    """
    return _part("triu", input, diagonal, False)
