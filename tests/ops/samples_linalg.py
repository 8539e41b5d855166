"""Samples of products, contractions, factors, systems and norms.

Of out= the refusals of wrong dtypes are not compared here: PyTorch words them differently for almost every operation.
"""

from __future__ import annotations

from typing import Any

from .harness import A, Case, case, samples

#: symmetric and positive definite, and a well-conditioned matrix without symmetry
POSITIVE: Any = [[4.0, 1.0, 0.5], [1.0, 3.0, -0.25], [0.5, -0.25, 2.0]]
GENERAL: Any = [[2.0, -1.0, 0.5], [0.25, 1.5, 1.0], [-0.75, 0.5, 3.0]]
SINGULAR: Any = [[1.0, 2.0], [2.0, 4.0]]
INF = float("inf")


def fixed(values: Any, dtype: str = "float64") -> A:
    return A(values=values, dtype=dtype)


def wrong(*args: Any, **kwargs: Any) -> Case:
    """A call that is refused."""
    return case(*args, **kwargs).but(first=False, second=False, smooth=False, inplace=False, out=False)


# -- products ----------------------------------------------------------------------------------------------------------

samples(
    "mm",
    case(A(2, 3), A(3, 4)),
    case(A(2, 3, layout="transposed"), A(3, 4, layout="transposed")),
    case(A(2, 3, dtype="float32"), A(3, 2, dtype="float32")),
    case(A(2, 3, dtype="float16"), A(3, 2, dtype="float16")),
    case(A(2, 3, dtype="int64"), A(3, 2, dtype="int64")),
    case(A(2, 3, dtype="complex128"), A(3, 2, dtype="complex128")),
    case(A(2, 0), A(0, 3)),
    wrong(A(2, 3), A(2, 3)),
    wrong(A(2), A(2, 3)),
    wrong(A(2, 2), A(2, 2, dtype="float32")),
    wrong(A(2, 2, dtype="bool"), A(2, 2, dtype="bool")),
    out=False,
)
samples(
    "mv", case(A(2, 3), A(3)), case(A(2, 3, layout="strided"), A(3, layout="strided")), wrong(A(2, 3), A(2)), out=False
)
samples(
    "dot",
    case(A(3), A(3)),
    case(A(3, dtype="complex128"), A(3, dtype="complex128")),
    wrong(A(3), A(2)),
    wrong(A(2, 2), A(2)),
    wrong(A(2), A(2, dtype="int64")),
    out=False,
)
samples(
    "vdot", case(A(3), A(3)), case(A(3, dtype="complex128"), A(3, dtype="complex128")), wrong(A(3), A(2)), out=False
)
samples("outer", case(A(2), A(3)), case(A(2, dtype="int64"), A(3)), wrong(A(2, 2), A(3)), out=False)
samples("ger", case(A(2), A(3)), out=False)
samples("inner", case(A(3), A(3)), case(A(2, 3), A(4, 3)), case(A(), A(3)), wrong(A(2), A(3)), out=False)
samples(
    "bmm",
    case(A(2, 2, 3), A(2, 3, 4)),
    case(A(2, 2, 3, layout="transposed"), A(2, 3, 4)),
    wrong(A(2, 2, 3), A(2, 2, 3)),
    wrong(A(2, 3), A(2, 3, 4)),
    out=False,
)
samples(
    "matmul",
    case(A(3), A(3)),
    case(A(2, 3), A(3)),
    case(A(3), A(3, 2)),
    case(A(2, 3), A(3, 4)),
    case(A(5, 2, 3), A(3)),
    case(A(5, 2, 3), A(3, 4)),
    case(A(2, 3), A(5, 3, 2)),
    case(A(5, 2, 3), A(1, 3, 2)),
    case(A(5, 1, 2, 3), A(4, 3, 2)),
    case(A(3), A(2, 3, 2)),
    case(A(2, 3, grad=False), A(5, 3, 2)),
    case(A(5, 3, 2, layout="transposed"), A(2, 4)),
    wrong(A(), A(3)),
    wrong(A(2, 3), A(2, 3)),
    wrong(A(2, 2, 3), A(3, 3, 2)),
    out=False,
)
samples(
    "addmm",
    case(A(3), A(2, 4), A(4, 3)).but(inplace=False),
    case(A(2, 3), A(2, 4), A(4, 3), beta=0.5, alpha=2),
    case(A(2, 3, dtype="int64"), A(2, 4, dtype="int64"), A(4, 3, dtype="int64"), beta=3),
    wrong(A(2), A(2, 4), A(4, 3)),
    wrong(A(3), A(4), A(4, 3)),
    out=False,
)
samples("addmv", case(A(2), A(2, 4), A(4), beta=2, alpha=0.5), wrong(A(3), A(2, 4), A(4)), out=False)
samples("addr", case(A(2, 3), A(2), A(3), beta=0.5, alpha=2), wrong(A(2), A(2, 2), A(2)), out=False)
samples(
    "baddbmm",
    case(A(3), A(5, 2, 4), A(5, 4, 3), beta=0.5).but(inplace=False),
    case(A(5, 2, 3), A(5, 2, 4), A(5, 4, 3)),
    wrong(A(4), A(2, 2, 2), A(2, 2, 2)),
    out=False,
)
samples("addbmm", case(A(2, 3), A(5, 2, 4), A(5, 4, 3), alpha=2), wrong(A(3), A(2, 2, 2), A(2, 2, 2)), out=False)
samples("trace", case(A(3, 3)), case(A(2, 3)), case(A(3, 3, dtype="int32")), wrong(A(3)))
samples("kron", case(A(2, 3), A(2, 2)), case(A(2), A(2, 2)), out=False)
samples(
    "tensordot",
    case(A(2, 3, 4), A(3, 4, 5), 2),
    case(A(2, 3), A(4, 3), ([1], [1])),
    case(A(2), A(3), 0),
    wrong(A(2, 3), A(2, 3), 1),
    method=False,
    out=False,
)
samples(
    "cross", case(A(2, 3), A(2, 3), dim=1), case(A(3, 2), A(3, 2), dim=0), wrong(A(2, 2), A(2, 2), dim=1), out=False
)
samples(
    "linalg_cross",
    case(A(2, 3), A(1, 3)),
    case(A(3, 2), A(3, 2), dim=0),
    wrong(A(2, 3), A(3)),
    path="linalg.cross",
    method=False,
    out=False,
)
samples(
    "cdist",
    case(A(2, 3), A(4, 3)).but(second=False),
    case(A(5, 2, 3), A(4, 3), 1.0).but(second=False),
    case(A(2, 3), A(4, 3), 3.0).but(second=False),
    case(A(2, 3), A(4, 3), INF).but(second=False),
    case(A(30, 2), A(3, 2)).but(tolerance=1e-6),
    wrong(A(2), A(2, 2)),
    method=False,
    covers="_cdist_forward _euclidean_dist",
)
samples(
    "bilinear",
    case(A(2, 3), A(2, 4), A(5, 3, 4), A(5)),
    wrong(A(2, 3), A(2, 4), A(5, 4, 4)),
    method=False,
    covers="_trilinear",
)

# -- einsum ------------------------------------------------------------------------------------------------------------

samples(
    "einsum",
    case("ij->", A(2, 3)),
    case("ij->ji", A(2, 3)),
    case("ii->i", A(3, 3)),
    case("ii", A(3, 3)),
    case("i,j->ij", A(2), A(3)),
    case("ij,jk->ik", A(2, 3), A(3, 4)),
    case("ij,jk->ki", A(2, 3), A(3, 4)),
    case("bij,bjk->bik", A(2, 2, 3), A(2, 3, 2)),
    case("...ij,...jk->...ik", A(2, 2, 3), A(3, 2)),
    case("bn,anm,bm->ba", A(2, 3), A(2, 3, 4), A(2, 4)),
    case("ij,k->ik", A(2, 3), A(2)),
    case("ij,ij->i", A(2, 1), A(2, 3)),
    case(A(2, 3), [0, 1], A(3, 2), [1, 2], [0, 2]),
    wrong("ij,jk->ik", A(2, 3), A(2, 3)),
    wrong("ij->ik", A(2, 3)),
    wrong("i", A(2, 3)),
    wrong("i1", A(2, 3)),
    wrong("i,j", A(2)),
    wrong("ij->ii", A(2, 3)),
    method=False,
)

# -- factors and systems -----------------------------------------------------------------------------------------------

samples(
    "linalg_inv_ex",
    case(fixed(GENERAL)),
    case(A(2, 3, 3)),
    wrong(A(2, 3)),
    path="linalg.inv_ex",
    method=False,
    out=False,
)
samples("inverse", case(fixed(GENERAL)), wrong(fixed(SINGULAR)), wrong(A(2, 3)), out=False)
samples(
    "linalg_det",
    case(fixed(GENERAL)),
    case(A(2, 3, 3)),
    case(fixed(GENERAL, "complex128")),
    wrong(A(2, 3)),
    path="linalg.det",
    method=False,
    out=False,
)
samples("det", case(fixed(GENERAL)), case(fixed(SINGULAR)).but(second=False, smooth=False))
#: kernels are looked for only where there are elements: dtypes that they lack pass without
for _name in ("cholesky_ex", "det", "eigh", "eigvalsh", "ldl_factor_ex", "lu", "lu_factor_ex", "svd", "svdvals"):
    samples(
        f"linalg_{_name}",
        *(case(A(*shape, dtype="float16", grad=False)) for shape in ((0, 0), (0, 3, 3), (2, 2))),
        path=f"linalg.{_name}",
    )
for _name in ("cholesky_ex", "eigh", "lu", "lu_factor_ex"):
    samples(f"linalg_{_name}", case(A(0, 3, 3, dtype="int32")), case(A(2, 2, dtype="int32")), path=f"linalg.{_name}")
for _name in ("int32", "float16"):
    samples("linalg_lstsq", case(A(3, 3, dtype=_name), A(3, 3, dtype=_name)), path="linalg.lstsq")
samples(
    "linalg_lstsq",  # its solution lies in the memory of all rows
    case(A(4, 3), A(4, 3)).but(second=False),
    case(A(2, 4, 3), A(2, 4)).but(second=False),
    path="linalg.lstsq",
)
samples("linalg_slogdet", case(fixed(GENERAL)), case(A(2, 3, 3)), path="linalg.slogdet", method=False, out=False)
samples("logdet", case(fixed(POSITIVE)).but(second=False))
samples(
    "linalg_cholesky_ex",
    case(fixed(POSITIVE)).but(smooth=False),
    case(fixed(POSITIVE), upper=True).but(smooth=False),
    path="linalg.cholesky_ex",
    method=False,
    out=False,
)
samples("cholesky", case(fixed(POSITIVE)).but(smooth=False), wrong(fixed([[-1.0]])), out=False)
samples(
    "linalg_qr",
    case(A(3, 3)),
    case(A(4, 3)),
    case(A(2, 3)),
    case(A(2, 3), "r").but(first=False, second=False, smooth=False),
    wrong(A(2)),
    path="linalg.qr",
    method=False,
    out=False,
)
samples(
    "linalg_svdvals",
    case(A(2, 3)),
    case(A(2, 4, 3)),
    wrong(A(2)),
    path="linalg.svdvals",
    method=False,
    out=False,
    covers="linalg_svd",
)
samples(
    "linalg_eigvalsh",
    case(fixed(POSITIVE)).but(smooth=False),
    path="linalg.eigvalsh",
    method=False,
    out=False,
    covers="linalg_eigh",
)
samples(
    "linalg_eigvals",
    case(fixed(GENERAL)).but(tolerance=1e-7),
    path="linalg.eigvals",
    method=False,
    out=False,
    covers="linalg_eig",
)
samples(
    "linalg_lu_factor_ex",
    *(
        case(a)
        for a in (fixed(GENERAL), A(2, 3, 3), A(2, 4), A(4, 2), A(2, 3, 2, dtype="complex128"), A(0, 0), A(0, 3, 2))
    ),
    path="linalg.lu_factor_ex",
    method=False,
    out=False,
)
samples(
    "linalg_lu",
    *(case(a) for a in (fixed(GENERAL), A(2, 4), A(4, 2), A(2, 3, 2, dtype="complex128"), A(2, 3, 4), A(0, 3, 2))),
    *(case(fixed(GENERAL), pivot=False), case(A(3, 2), pivot=False)),
    path="linalg.lu",
    method=False,
    out=False,
)
samples(
    "linalg_ldl_factor_ex",
    *(case(a) for a in (fixed(GENERAL), A(2, 3, 3), A(2, 4, 4, dtype="complex128"), A(0, 0), A(0, 3, 3))),
    case(A(2, 4, 4, dtype="complex128"), hermitian=True),
    path="linalg.ldl_factor_ex",
    method=False,
    out=False,
)
BLOCKS = A(values=[-2, -2, 3], dtype="int32")
samples(
    "linalg_ldl_solve",
    *(case(fixed(GENERAL, d), BLOCKS, A(3, 2, dtype=d)) for d in ("float64", "complex128")),
    case(fixed(GENERAL, "complex128"), BLOCKS, A(3, 2, dtype="complex128"), hermitian=True),
    case(A(2, 3, 3), A(values=[[1, 2, 3], [3, 3, 3]], dtype="int32"), A(2, 3, 1)),
    path="linalg.ldl_solve",
    method=False,
    out=False,
)
SWAPS = A(values=[3, 2, 3], dtype="int32")
samples(
    "lu",
    *(case(a) for a in (fixed(GENERAL), A(2, 4), A(4, 2), A(2, 3, 4))),
    case(fixed(GENERAL), get_infos=True),
    inplace=False,
    out=False,
)
samples(
    "lu_unpack",
    case(fixed(GENERAL), SWAPS),
    case(fixed(GENERAL), SWAPS, unpack_pivots=False),
    case(fixed(GENERAL, "complex128"), SWAPS),
    case(A(3, 5), SWAPS),
    case(A(5, 3), SWAPS),
    case(A(2, 3, 4), A(values=[[3, 2, 3], [1, 2, 3]], dtype="int32")),
    case(fixed(GENERAL), A(values=[3, 2, 3], dtype="int64")),
    method=False,
    inplace=False,
)
for _name, _cases in {
    "linalg_lu_solve": [
        case(fixed(GENERAL, d), SWAPS, A(3, 3, dtype=d), left=left, adjoint=adjoint)
        for d in ("float64", "complex128")
        for left in (True, False)
        for adjoint in (True, False)
    ],
    "lu_solve": [
        case(A(3, 2), fixed(GENERAL), SWAPS),
        case(A(2, 2), fixed(GENERAL), SWAPS),
        case(A(0, 2), A(0, 0), A(0, dtype="int32")),
    ],
}.items():
    samples(_name, *_cases, path=_name.replace("linalg_", "linalg."), method=_name == "lu_solve", out=False)
samples(
    "linalg_householder_product",
    *(
        case(A(*shape, dtype=d), A(*shape[:-2], k, dtype=d))
        for shape, k in (((3, 3), 3), ((4, 2), 2), ((4, 3), 2), ((2, 3, 2), 1))
        for d in ("float64", "complex128")
    ),
    *(case(A(2, 3), A(2)), case(A(3, 2), A(3))),
    path="linalg.householder_product",
    method=False,
    out=False,
)
samples(
    "geqrf",
    *(case(A(*shape, dtype=d)) for shape in ((3, 3), (4, 2), (2, 3), (2, 3, 2)) for d in ("float64", "complex128")),
    case(A(0, 2)),
    case(A(2, 3, 0)),
    case(A(2)),
)
samples(
    "ormqr",
    *(
        case(A(*shape, dtype=d), A(*shape[:-2], k, dtype=d), A(*shape[:-2], *sizes, dtype=d), left, transpose)
        for shape, k in (((3, 3), 3), ((4, 2), 2), ((2, 3), 2), ((2, 3, 2), 2))
        for left, sizes in ((True, (shape[-2], 2)), (False, (2, shape[-2])))
        for transpose in (False, True)
        for d in ("float64", "complex128")
    ),
    *(
        case(A(3, 2), A(2), A(2, 2)),
        case(A(3, 2), A(1), A(3, 2)),
        case(A(3, 2), A(2, 2), A(3, 2)),
        case(A(2), A(2), A(2, 2)),
    ),
)
samples(
    "linalg_solve",
    case(fixed(GENERAL), A(3)),
    case(fixed(GENERAL), A(3, 2)),
    case(fixed(GENERAL), A(2, 3), left=False),
    wrong(fixed(SINGULAR), A(2)),
    wrong(A(2, 2), A(3)),
    path="linalg.solve",
    method=False,
    out=False,
)
samples("linalg_solve_ex", case(fixed(GENERAL), A(3, 2)), path="linalg.solve_ex", method=False, out=False)
samples(
    "linalg_solve_triangular",
    case(fixed(GENERAL), A(3, 2), upper=True),
    case(fixed(GENERAL), A(3, 2), upper=False),
    case(fixed(GENERAL), A(3, 2), upper=False, unitriangular=True),
    wrong(A(2, 2), A(2), upper=True),
    path="linalg.solve_triangular",
    method=False,
    out=False,
)
samples(
    "cholesky_solve",
    case(A(3, 2), fixed(GENERAL)).but(smooth=False),
    case(A(3, 2), fixed(GENERAL), True).but(smooth=False),
    wrong(A(2), A(2, 2)),
    out=False,
)
samples("cholesky_inverse", case(fixed(GENERAL)).but(smooth=False), out=False)
samples("linalg_pinv", case(A(3, 2)), case(A(2, 3)), wrong(A(2)), path="linalg.pinv", method=False, out=False)
samples(
    "linalg_matrix_exp",
    case(fixed(GENERAL)),
    case(A(2, 3, 3)),
    wrong(A(2, 3)),
    path="linalg.matrix_exp",
    method=False,
    out=False,
)
samples(
    "linalg_matrix_power",
    case(fixed(GENERAL), 3),
    case(fixed(GENERAL), -2),
    case(fixed(GENERAL), 7),
    wrong(A(2, 3), 2),
    path="linalg.matrix_power",
    method=False,
    out=False,
)
samples("matrix_power", case(fixed(GENERAL), 3), case(fixed(GENERAL), -1), wrong(A(2, 3), 2), out=False)
samples(
    "linalg_multi_dot",
    case([A(2, 3), A(3, 4), A(4, 2)]),
    case([A(3), A(3, 4), A(4, 2), A(2)]),
    wrong([A(2)]),
    path="linalg.multi_dot",
    method=False,
    out=False,
)

# -- norms -------------------------------------------------------------------------------------------------------------

samples("norm", case(A(2, 3)), case(A(2, 3), 3, 1), case(A(2, 3), dim=0, keepdim=True), case(A(2, 3), "nuc"), out=False)
samples(
    "linalg_vector_norm",
    case(A(2, 3)),
    case(A(2, 3), 3.5),
    case(A(2, 3), 1, dim=1).but(second=False),
    case(A(2, 3), INF).but(second=False),
    case(A(2, 3), -INF, dim=0).but(second=False),
    case(A(2, 3, dtype="complex128")),
    wrong(A(2, dtype="int64")),
    wrong(A(0), INF),
    path="linalg.vector_norm",
    method=False,
    out=False,
)
samples(
    "linalg_matrix_norm",
    case(A(2, 3)),
    case(A(2, 3), "nuc"),
    case(A(2, 3), 2),
    case(A(2, 3, 4), 1, dim=(0, 2)).but(second=False),
    wrong(A(2)),
    wrong(A(2, 2), 3),
    path="linalg.matrix_norm",
    method=False,
    out=False,
)
samples(
    "linalg_norm",
    case(A(3)),
    case(A(2, 3), "fro"),
    case(A(3), 1).but(second=False),
    wrong(A(2, 2, 2), 2),
    path="linalg.norm",
    method=False,
    out=False,
)
