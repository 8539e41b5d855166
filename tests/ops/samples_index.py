"""Samples: picking and writing by index tensors and masks."""

from __future__ import annotations

from tests.ops.harness import A, case, samples

M = A(3, 4)
ROWS, PAIR = A(values=[0, 2, 0], dtype="int64"), A(values=[2, 0], dtype="int64")
GRID = A(values=[[0, 1, 2], [2, 0, 0]], dtype="int64")
WIDE = A(values=[[0, 3], [1, 1], [2, 0]], dtype="int64")
MASK = A(values=[[True, False, True, False], [False, False, True, True], [True, True, False, False]], dtype="bool")
ROW = A(values=[True, False, True, False], dtype="bool")

samples(
    "index_select",
    case(M, 0, ROWS),
    case(M, 1, PAIR),
    case(A(3, 4, layout="transposed"), 0, ROWS),
    case(M, 0, GRID),
    case(M, 0, A(values=[5], dtype="int64")),
    case(A(3, 4, dtype="int64"), 0, ROWS),
)
samples("index_add", case(M, 0, ROWS, A(3, 4)), case(M, 1, PAIR, A(3, 2), alpha=2), case(M, 0, ROWS, A(2, 4)))
samples("index_copy", case(M, 0, PAIR, A(2, 4)), case(M, 1, PAIR, A(3, 2)), case(M, 0, PAIR, A(2, 3)))
samples("index_fill", case(M, 0, PAIR, 2.0), case(M, 1, PAIR, A()), case(M, 0, PAIR, A(2)))
for _reduce in ("prod", "mean", "amax", "amin"):
    for _self in (True, False):
        samples("index_reduce", case(M, 0, ROWS, A(3, 4), _reduce, include_self=_self))
samples(
    "index_put",
    case(M, (ROWS,), A(3, 4)).but(smooth=False),
    case(M, (PAIR, PAIR), A(2)),
    case(M, (ROWS,), A(4), True),
    case(M, (MASK,), A()),
    case(M, (ROWS,), A(5)),
)
FAR = A(values=[2, 9], dtype="int64")  # the second one is looked at where the mask says
KEPT = A(values=[True, False], dtype="bool")
samples(
    "_unsafe_masked_index",
    case(M, A(values=[[True], [False]], dtype="bool"), [FAR], 1.5),
    case(M, KEPT, [PAIR, FAR], -1.0),
    case(M, KEPT, [A(values=[1.5, 0.0])], 0.0),
    method=False,
)
samples("_unsafe_masked_index_put_accumulate", case(M, KEPT, [PAIR, FAR], A(2)), method=False)
samples("take", case(M, GRID), case(M, A(values=[[-1, 5]], dtype="int64")), case(M, A(values=[12], dtype="int64")))
samples(
    "put",
    case(A(dtype="bool"), A(values=[0], dtype="int64"), A(dtype="bool"), True),
    case(M, PAIR, A(2)),
    case(M, ROWS, A(3), True),
    case(M, PAIR, A(3)),
)
samples(
    "take_along_dim",
    case(M, GRID),
    case(M, WIDE, 1),
    case(M, A(values=[[0, 1, 2, 0]], dtype="int64"), 0),
    case(M, A(values=[[-1, -7, 0]], dtype="int64"), 0),
    case(M, A(values=[[-1]], dtype="int64"), 1),
    case(M, A(values=[-1], dtype="int64")),
)
samples(
    "gather",
    case(M, 0, GRID),
    case(M, 1, WIDE),
    case(A(), 0, A(values=0, dtype="int64")),
    case(M, 0, ROWS),
    case(M, 0, A(values=[[7]], dtype="int64")),
)
samples(
    "scatter",
    case(M, 1, WIDE, A(3, 2)).but(smooth=False),
    case(M, 0, GRID, 5.0),
    case(M, 1, WIDE, A(2, 2)),
    inplace=True,
)
samples(
    "scatter",
    case(M, 0, GRID, A(2, 3), reduce="add").but(first=False),
    case(M, 0, GRID, A(2, 3), reduce="multiply").but(first=False),
)
samples("scatter_add", case(M, 0, GRID, A(2, 3)), case(M, 1, WIDE, A(3, 2)), case(M, 0, GRID, A(1, 3)))
for _reduce in ("sum", "prod", "mean", "amax", "amin"):
    for _self in (True, False):
        samples("scatter_reduce", case(M, 0, GRID, A(2, 3), _reduce, include_self=_self))
samples(
    "masked_fill",
    case(A(2, dtype="int64"), A(dtype="bool"), A(values=1j, dtype="complex128")),
    case(M, MASK, 2.0),
    case(M, ROW, A()),
    case(A(4), MASK, 1.0).but(inplace=False),
    case(M, M, 1.0),
)
samples("masked_select", case(M, MASK), case(M, ROW), case(A(4), MASK), case(M, M))
samples("masked_scatter", case(M, MASK, A(8)), case(M, ROW, A(3, 4)), case(M, MASK, A(2)))
samples("nonzero", case(A(3, 4, dtype="bool")), case(A(2, dtype="int64")), case(A(values=1.0)), case(A(0, 2)))
samples("argwhere", case(A(3, 4, dtype="bool")), case(A(values=0.0)))
samples("_unsafe_index", case(M, (ROWS,)))
