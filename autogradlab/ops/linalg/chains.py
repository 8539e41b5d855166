"""Products of several matrices, in the order that costs least."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.recording.record import TENSORS as F
from ...core.tensor.overriding import cast_within
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import cxx_name, from_numpy
from ..first.products import written
from ..table.publishing import reading


@reading("linalg_multi_dot(Tensor[] tensors, *, Tensor out=None) -> Tensor|uint_addmm_impl_cpu_")
def multi_dot(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The product of several matrices, in the cheapest order; the first and the last may be vectors.

    Shapes: (m, k), (k, …), … give (m, n).
    Dtypes: all the same.

    Example:
        >>> import autogradlab as torch
        >>> torch.linalg.multi_dot([torch.ones(1, 2), torch.ones(2, 3), torch.ones(3, 1)])
        tensor([[6.]])

    Mirrors `torch.linalg.multi_dot`.
    """
    ts = list(tensors)
    n = len(ts)
    if n < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {n}")
    shape: list[int] = []
    first, last = ts[0]._array, ts[-1]._array
    for name, x in (("first", first), ("last", last)):
        if x.ndim not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {name} tensor must be 1D or 2D but got {x.ndim}D")
    if first.ndim == 1:
        ts[0] = F.unsqueeze(ts[0], 0)
    else:
        shape.append(first.shape[0])
    if last.ndim == 1:
        ts[-1] = F.unsqueeze(ts[-1], -1)
    else:
        shape.append(last.shape[1])
    for i, t in enumerate(ts):
        x = t._array
        if x.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {x.ndim}D")
        if x.dtype != first.dtype:
            names = [cxx_name(from_numpy(d)) for d in (first.dtype, x.dtype)]
            raise RuntimeError(
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{names[0]} and tensor {i} {names[1]}"
            )
    for i in range(n - 1):
        if ts[i]._array.shape[1] != ts[i + 1]._array.shape[0]:
            mine, other = tensors[i]._array.shape, tensors[i + 1]._array.shape
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {list(mine)} and {list(other)} cannot be multiplied"
            )
    inner = cast_within(F)
    if n == 2:
        r = inner.mm(ts[0], ts[1])
    elif n == 3:
        a, b, c, d = ts[0]._array.shape[0], ts[1]._array.shape[0], ts[2]._array.shape[0], ts[2]._array.shape[1]
        left_first = a * c * (b + d) <= b * d * (a + c)
        r = inner.mm(inner.mm(ts[0], ts[1]), ts[2]) if left_first else inner.mm(ts[0], inner.mm(ts[1], ts[2]))
    else:
        r = _chain(ts, _order([ts[0]._array.shape[0], *(t._array.shape[1] for t in ts)]), 0, n - 1)
    r = F.view(r, tuple(shape))
    return (
        r
        if out is None
        else written(r, out, "linalg_multi_dot", exact="multi_dot(): expected out tensor to have dtype {2} but got {3}")
    )


def _order(sizes: list[int]) -> list[list[int]]:
    """Where to split each part of a chain of products of matrices with these sizes."""
    n = len(sizes) - 1
    cost = [[0] * n for _ in range(n)]
    cut = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            options = [cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)]
            cost[i][j] = min(options)
            cut[i][j] = i + options.index(cost[i][j])
    return cut


def _chain(ts: list[Tensor], cut: list[list[int]], i: int, j: int) -> Tensor:
    if i == j:
        return ts[i]
    k = cut[i][j]
    return cast_within(F).mm(_chain(ts, cut, i, k), _chain(ts, cut, k + 1, j))


F.linalg_multi_dot = multi_dot
