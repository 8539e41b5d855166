"""Samples: views, joining, repeating, triangles and padding."""

from __future__ import annotations

from tests.ops.harness import A, Case, D, case, samples

M, T3 = A(3, 4), A(2, 3, 4)


def plain(*cases: Case) -> list[Case]:
    """Cases in every layout and a few dtypes: the first tensor argument is varied."""
    found = list(cases)
    for c in cases[:1]:
        first = c.args[0]
        for layout in ("transposed", "strided"):
            found.append(Case((A(*first.shape, layout=layout), *c.args[1:]), c.kwargs))
        found += [
            Case((A(*first.shape, dtype=d), *c.args[1:]), c.kwargs) for d in ("int64", "bool", "float32", "complex64")
        ]
    return found


samples("reshape", *plain(case(M, (4, 3)), case(M, (-1,)), case(A(), (1,)), case(M, (5, 5)), case(A(0, 3), (3, 0))))
samples(
    "view",
    case(M, 4, 3),
    case(M, -1),
    case(M, (2, 6)),
    case(A(3, 4, layout="transposed"), 12),
    case(A(), 1, 1),
    path="Tensor.view",
)
samples("flatten", *plain(case(T3), case(T3, 1), case(T3, 0, 1), case(A()), case(T3, 2, 1)))
samples("ravel", *plain(case(M)))
samples("unflatten", *plain(case(M, 1, (2, -1)), case(M, 0, (2, 2))))
samples("t", *plain(case(M), case(A(3)), case(T3)), inplace=False)
samples("transpose", *plain(case(T3, 0, 2), case(T3, -1, 1), case(T3, 0, 5)), inplace=False)
samples("permute", *plain(case(T3, (2, 0, 1)), case(T3, (0, 1)), case(T3, (0, 0, 1))))
samples("movedim", *plain(case(T3, 0, -1), case(T3, (0, 1), (1, 2))))
samples("swapaxes", *plain(case(T3, 0, 1)), inplace=False)
samples("swapdims", *plain(case(T3, 0, 1)), inplace=False)
samples("adjoint", *plain(case(M)))
samples(
    "squeeze", *plain(case(A(1, 3, 1)), case(A(1, 3, 1), 0), case(A(1, 3, 1), (0, 2)), case(A(1, 3), 5)), inplace=False
)
samples("unsqueeze", *plain(case(M, 1), case(M, -1), case(M, 4)), inplace=False)
samples("expand", *plain(case(A(3, 1), 3, 4), case(A(3), 2, 3), case(A(3), 2, 4)), path="Tensor.expand")
samples("expand_as", case(A(3, 1), A(3, 4)), path="Tensor.expand_as")
samples("broadcast_to", *plain(case(A(3, 1), (2, 3, 4))))
samples("diagonal", *plain(case(M), case(M, 1), case(M, -2), case(T3, 0, 2, 1), case(M, 9)))
samples("diagonal_copy", case(M, 1))
samples("diag", *plain(case(M), case(A(3), 1), case(M, -1)))
samples("diag_embed", *plain(case(A(2, 3)), case(A(3), 1), case(A(2, 3), -1, 0, 1)))
samples("diagflat", *plain(case(A(2, 2)), case(A(3), 1)))
samples(
    "unfold",
    case(A(8), 0, 3, 2),
    case(M, 1, 2, 1),
    case(A(3, 4, layout="transposed"), 0, 2, 1),
    case(A(4), 0, 5, 1),
    path="Tensor.unfold",
)
samples(
    "as_strided",
    case(M, (2, 2), (4, 1), 1),
    case(M, (2, 3), (1, 1)),
    case(A(3), (2, 3), (0, 1)),
    case(M, (9, 9), (9, 9)),
)
samples("select", *plain(case(M, 0, 1), case(M, -1, -1), case(M, 0, 7)))
samples("narrow", *plain(case(M, 1, 1, 2), case(M, 0, -1, 1), case(M, 0, 2, 5)))
samples("split", *plain(case(M, 2), case(M, [1, 2]), case(M, 3, 1), case(M, 0)))
samples("split_with_sizes", *plain(case(M, [1, 2])))
samples("chunk", *plain(case(M, 2), case(M, 3, 1), case(M, 0)))
samples("tensor_split", *plain(case(M, 2), case(M, (1, 2), 1)))
samples("hsplit", case(M, 2), case(M, [1]))
samples("vsplit", case(M, 3))
samples("dsplit", case(T3, 2))
samples("unbind", *plain(case(M), case(M, 1), case(A())))
samples("unsafe_split", case(M, 2))
samples("unsafe_split_with_sizes", case(M, [1, 2]))
samples("unsafe_chunk", case(M, 2))
for _n in (1, 2, 3):
    samples(f"atleast_{_n}d", case(A()), case(A(3)), case(M))
samples("broadcast_tensors", case(A(3), A(2, 1)), case(A(3), A(4)))
samples("select_scatter", case(M, A(4), 0, 1), case(M, A(3), 0, 1))
samples("slice_scatter", case(M, A(3, 2), 1, 1, 3), case(M, A(2, 4), 0, 0, 3, 2))
samples("diagonal_scatter", case(M, A(3)), case(M, A(3), 1))
samples("as_strided_scatter", case(M, A(2, 2), (2, 2), (4, 1), 1).but(first=False))
samples("select_copy", case(M, 0, 1))
samples("slice_copy", case(M, 1, 1, 3))
samples("alias_copy", case(M))
samples("unsqueeze_copy", case(M, 1))
samples("squeeze_copy", case(A(3, 1)), case(A(3, 1), 1), case(A(3, 1), (1,)), out=False)
samples("t_copy", case(M))
samples("transpose_copy", case(M, 0, 1))
samples("permute_copy", case(M, (1, 0)))
samples("view_copy", case(M, (4, 3)))
samples("expand_copy", case(A(3, 1), (3, 2)))
samples("unfold_copy", case(A(5), 0, 2, 1))
samples("unbind_copy", case(M), out=False)
samples("split_copy", case(M, 2), out=False)
samples("split_with_sizes_copy", case(M, (1, 2)), out=False)
samples("narrow_copy", case(M, 1, 1, 2), out=False)
samples("detach_copy", case(M).but(first=False))

samples(
    "cat",
    case([A(2, 3), A(1, 3)]),
    case([A(2, 3), A(2, 1)], 1),
    case([A(2), A(2, dtype="int64")]),
    case([A(0), A(2, 2)]),
    case([A(2), A(3, 3)]),
    case([A(2, 2, layout="transposed"), A(2, 2)]),
    method=False,
)
samples("stack", case([A(2, 3), A(2, 3)]), case([A(2), A(2)], 1), case([A(2), A(3)]), method=False)
for _name in ("hstack", "vstack", "dstack", "column_stack", "row_stack"):
    samples(_name, case([A(3), A(3)]), case([A(2, 2), A(2, 2)]), case([A(), A()]), method=False)
samples("block_diag", case(A(2, 2), A(1, 3), A(2)), case(A(2, 2, 2)), method=False)
samples("cartesian_prod", case(A(2), A(3)), case(A(2)), method=False)
samples("combinations", case(A(4)), case(A(3), 2, True), case(A(4), 3), method=False)
samples("meshgrid", case(A(2), A(3), indexing="ij"), case(A(2), A(3), indexing="xy"), method=False)
samples("tile", *plain(case(A(2, 3), (2,)), case(A(3), (2, 2))))
samples("repeat", case(A(2, 3), 2, 2), case(A(3), 2, 1, 2), case(A(2, 3), 2), path="Tensor.repeat")
samples(
    "repeat_interleave",
    *plain(case(A(2, 3), 2), case(A(2, 3), 2, 1), case(A(2, 3), A(values=[1, 2]), 0).but(smooth=False)),
)
samples("roll", *plain(case(A(2, 3), 1), case(A(2, 3), (1, -1), (0, 1)), case(A(2, 3), 1, 5)))
samples("flip", *plain(case(A(2, 3), (0,)), case(A(2, 3), (0, -1)), case(A(2, 3), (0, 0))))
samples("fliplr", *plain(case(A(2, 3))))
samples("flipud", *plain(case(A(2, 3))))
samples("rot90", *plain(case(A(2, 3)), case(A(2, 3), 2), case(A(2, 3), -1, (1, 0))))
samples("tril", *plain(case(M), case(M, 1), case(T3, -1), case(A(3))))
samples("triu", *plain(case(M), case(M, 1), case(T3, -1), case(A(3))))
samples(
    "trace", *(case(A(3, 4, dtype=d)) for d in ("float64", "float32", "int64", "complex64")), case(A(3)), case(A(4, 2))
)
samples("constant_pad_nd", case(A(2, 3), (1, 2)), case(A(2, 3), (1, -1, 0, 2), 3.0), case(A(2, 3), (1,)), method=False)
samples(
    "clone",
    *plain(case(M)),
    case(A(3, 4, layout="transposed"), memory_format=D("contiguous_format")),
    case(A(3, 4, layout="expanded")),
    case(A(4, 6, layout="strided")),
)
samples("contiguous", case(A(3, 4, layout="transposed")), case(M), path="Tensor.contiguous")
samples("fill", case(M, 2.0), case(M, A()), case(A(3, dtype="int64"), 2.5), inplace=False)
samples("zero_", case(A(3, grad=False)), path="zero_", inplace=False)
samples(
    "as_strided_copy",
    case(M, (2, 2), (4, 1), 1),
    case(M, (2, 3), (1, 1)),
    case(A(4, 4, layout="strided"), (2, 2), (1, 2)),
    case(M, (2, 2), (40, 1)),
    method=False,
)
samples(
    "_chunk_cat",
    case([A(3, 2), A(5, 2)], 0, 2),
    case([A(2, 3), A(2, 4, 2)], 1, 3),
    case([A(3, 2), A(3, 3)], 1, 0),
    case([A(3, 2), A(4, 3)], 1, 2),
    case([A(3, 2), A(3)], 1, 2),
    case([A(3, 2), A(3, dtype="int64")], 0, 2),
    case([A(0, 2)], 0, 2),
    case([], 0, 2),
    method=False,
)
samples("slice", case(M, 0, 1), case(M, 1, 0, 3, 2), case(M, 0, 0, 2, 0), path="ops.aten.slice.Tensor", method=False)
