"""Factors L D Lᵀ of symmetric matrices that need not be positive: D has blocks of one or two rows, chosen as Bunch and
Kaufman do. Rows that were exchanged are told as LAPACK tells them: a block of two rows by two negative numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.memory.rows import all_rows
from ...core.recording.record import NOT_IMPLEMENTED, no_derivative
from ...core.types.dtypes import scalar_name
from ...core.types.return_types import named
from ...core.values.promotion import broadcast_shapes
from ..table.opdef import op
from ..table.outputs import EXPECTED, Out
from .factors import check_sizes, check_types, columns, square

_SMALLEST_PIVOT = (1 + math.sqrt(17)) / 8
_INFO = (
    'false INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/aten/src/ATen/native/BatchLinearAlgebra.cpp":1642, please '
    "report a bug to PyTorch. {}: Unknown error code: {}."
)


def _size(x: Any) -> Any:
    """How LAPACK measures elements when it looks for a pivot."""
    return np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)


def _conjugate(hermitian: bool) -> Callable[[Any], Any]:
    return np.conj if hermitian else lambda x: x


def _largest(x: np.ndarray) -> tuple[int, float]:
    """Where the largest element is, and its size."""
    sizes = _size(x)
    place = int(sizes.argmax())
    return place, float(sizes[place])


def _pivot(a: np.ndarray, k: int, hermitian: bool) -> tuple[int, int]:
    """Which row comes to number `k`, or to the one behind it, and how many rows the block has; 0 if all is zero."""
    n = len(a)
    first = float(_size(a[k, k].real if hermitian else a[k, k]))
    place, column = (0, 0.0) if k == n - 1 else _largest(a[k + 1 :, k])
    place += k + 1
    if max(first, column) == 0 or math.isnan(first):
        return k, 0
    if first >= _SMALLEST_PIVOT * column:
        return k, 1
    row = _largest(a[place, k:place])[1]
    if place < n - 1:
        row = max(row, _largest(a[place + 1 :, place])[1])
    if first >= _SMALLEST_PIVOT * column * (column / row):
        return k, 1
    if _size(a[place, place].real if hermitian else a[place, place]) >= _SMALLEST_PIVOT * row:
        return place, 1
    return place, 2


def _exchange(a: np.ndarray, low: int, high: int, first: int, hermitian: bool) -> None:
    """Exchange two rows and columns of the lower triangle, from column `first` on."""
    conj = _conjugate(hermitian)
    a[high + 1 :, [low, high]] = a[high + 1 :, [high, low]]
    kept = a[low + 1 : high, low].copy()
    a[low + 1 : high, low] = conj(a[high, low + 1 : high])
    a[high, low + 1 : high] = conj(kept)
    if hermitian:
        a[high, low] = np.conj(a[high, low])
    a[low, low], a[high, high] = a[high, high].copy(), a[low, low].copy()
    if first < low:
        a[low, first], a[high, first] = a[high, first].copy(), a[low, first].copy()


def _eliminate(a: np.ndarray, k: int, size: int, hermitian: bool) -> None:
    """Take the block at number `k` out of the rows below it, which become those of L."""
    conj, rest = _conjugate(hermitian), slice(k + size, None)
    if k + size >= len(a):
        return
    below = a[rest, k : k + size].copy()
    block = a[k : k + size, k : k + size].copy()
    if size == 2:
        block[0, 1] = conj(block[1, 0])
    if hermitian:
        np.fill_diagonal(block, block.diagonal().real)
    low = below / block if size == 1 else below @ np.linalg.inv(block)
    a[rest, rest] -= np.tril(low @ conj(below).T)
    a[rest, k : k + size] = low


def _factor(a: np.ndarray, hermitian: bool) -> tuple[np.ndarray, np.ndarray, int]:
    """The factors of one matrix in its lower triangle, the rows exchanged, and the number of the first zero pivot."""
    a, n, info, k = np.tril(a), len(a), 0, 0
    pivots = np.zeros(n, np.int32)
    while k < n:
        place, size = _pivot(a, k, hermitian)
        if not size:
            info, size = info or k + 1, 1
        else:
            last = k + size - 1
            if place != last:
                _exchange(a, last, place, k, hermitian)
            _eliminate(a, k, size, hermitian)
        if hermitian:
            for i in range(k, k + size):
                a[i, i] = a[i, i].real
        pivots[k : k + size] = place + 1 if size == 1 else -(place + 1)
        k += size
    return a, pivots, info


def _solved(a: np.ndarray, pivots: np.ndarray, b: np.ndarray, hermitian: bool) -> np.ndarray:
    """The x with L D Lᵀ x = b of one matrix."""
    conj, x, n = _conjugate(hermitian), b.copy(), len(a)
    blocks, k = [], 0
    while k < n:
        size = 1 if pivots[k] > 0 else 2
        last, place = k + size - 1, abs(int(pivots[k])) - 1
        blocks.append((k, size, last, place))
        x[[last, place]] = x[[place, last]]
        x[k + size :] -= a[k + size :, k : k + size] @ x[k : k + size]
        block = a[k : k + size, k : k + size].copy()
        if size == 2:
            block[0, 1] = conj(block[1, 0])
        x[k : k + size] = x[k : k + size] / block if size == 1 else np.linalg.solve(block, x[k : k + size])
        k += size
    for k, size, last, place in reversed(blocks):
        x[k : k + size] -= conj(a[k + size :, k : k + size]).T @ x[k + size :]
        x[[last, place]] = x[[place, last]]
    return x


@op(
    """
    linalg_ldl_factor_ex(Tensor input, *, bool hermitian=False, bool check_errors=False, Tensor[3] out=None) -> (
        Tensor LD, Tensor pivots, Tensor info)
    """,
    method=False,
    function=False,
    outputs=("LD", "pivots", "info"),
    differentiable=1,
    node=NOT_IMPLEMENTED,
    returns=named("linalg_ldl_factor_ex", ("LD", "pivots", "info")),
    vjp={"input": no_derivative("linalg_ldl_factor_ex")},
    out=Out(exact=EXPECTED),
)
def linalg_ldl_factor_ex(
    input: np.ndarray, *, hermitian: bool = False, check_errors: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """ldl_factor, which says in info whether it failed instead of raising.

    Shapes: (..., n, n) gives (..., n, n), (..., n) and (...).
    ~floats

    >>> torch.linalg.ldl_factor_ex(torch.tensor([[0., 2.], [2., 1.]])).pivots
    tensor([-2, -2], dtype=torch.int32)
    """
    square("torch.linalg.ldl_factor_ex", input, low=False)
    square("torch.linalg.ldl_factor_ex", input, kernel="ldl_factor_kernel_cpu", late=True)
    factors, batch = np.empty(input.shape, input.dtype), input.shape[:-2]
    pivots, info = np.empty(input.shape[:-1], np.int32), np.zeros(batch, np.int32)
    for at in np.ndindex(batch):
        factors[at], pivots[at], info[at] = _factor(input[at], hermitian and input.dtype.kind == "c")
    if check_errors:
        check_pivots("torch.linalg.ldl_factor_ex", info)
    return columns(factors), pivots, info


def check_pivots(name: str, info: np.ndarray) -> None:
    """PyTorch's error where a block of D is zero."""
    info = all_rows(info)
    if info.any():
        raise RuntimeError(_INFO.format(name, info[info != 0][0]))


@op(
    """
    linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False, Tensor out=None) -> Tensor|looped
    """,
    "LD pivots B",
    method=False,
    function=False,
    node=NOT_IMPLEMENTED,
    vjp={name: no_derivative("linalg_ldl_solve") for name in ("LD", "B")},
    shown={"LD": "LD"},
    out=Out(exact=EXPECTED),
)
def linalg_ldl_solve(LD: np.ndarray, pivots: np.ndarray, B: np.ndarray, *, hermitian: bool = False) -> np.ndarray:
    """The X with A X = B, given ldl_factor's results for A.

    Shapes: (..., n, n), (..., n) and (..., n, k) give (..., n, k).
    ~floats

    >>> LD, pivots = torch.linalg.ldl_factor(torch.tensor([[0., 2.], [2., 1.]]))
    >>> torch.linalg.ldl_solve(LD, pivots, torch.tensor([[2.], [3.]]))
    tensor([[1.],
            [1.]])
    """
    name = "torch.linalg.ldl_solve"
    square(name, LD)
    if B.ndim < 2:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got -2)")
    check_sizes(name, B, LD)
    if pivots.shape != LD.shape[:-1]:
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.shape)} instead"
        )
    if pivots.dtype.kind not in "iu":
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {scalar_name(pivots)}")
    check_types(B, LD)
    batch = broadcast_shapes(LD.shape[:-2], B.shape[:-2])
    factors, rows = np.broadcast_to(LD, (*batch, *LD.shape[-2:])), np.broadcast_to(pivots, (*batch, LD.shape[-1]))
    given = np.broadcast_to(B, (*batch, *B.shape[-2:]))
    found = np.empty(given.shape, B.dtype)
    for at in np.ndindex(batch):
        found[at] = _solved(factors[at], rows[at], given[at], hermitian and LD.dtype.kind == "c")
    return columns(found)
