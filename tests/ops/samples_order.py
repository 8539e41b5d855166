"""Samples: running sums and extremes, sorting, order statistics, distinct elements, counting."""

from __future__ import annotations

from tests.ops.harness import ALL, INTEGERS, A, Case, D, case, samples

INF, NAN = float("inf"), float("nan")
MIXED = (2.0, NAN, -1.0, INF, 0.0, -INF, NAN, 3.5)
TIES = (2, 1, 2, 0, 1, 2, 1, 0, 2, 1, 1, 0, 2, 0, 1, 1, 2, 2, 0, 1, 2, 1, 0)
FLOATS = ("float64", "float32")


def wrong(made: Case) -> Case:
    """A case that is compared with torch only: it raises, or lies at a kink."""
    return made.but(smooth=False, second=False)


def shapes(*args: object, dim: int = -1, inplace: bool = True) -> list[Case]:
    """Every kind of shape and layout, with further arguments behind dim."""
    return [
        case(A(3, 4), *args, dim=dim),
        case(A(2, 3, 4), *args, dim=0),
        case(A(), *args, dim=0),
        case(A(1), *args, dim=0),
        case(A(3, 4, layout="transposed"), *args, dim=dim),
        case(A(2, 4, layout="strided"), *args, dim=0),
        case(A(2, 3, layout="transposed"), *args, dim=-2),
        wrong(case(A(3, 4, layout="expanded"), *args, dim=dim).but(inplace=False)),
        case(A(2, 3), *args, dim=5),
        case(A(), *args, dim=1),
    ]


def every(*args: object, **kwargs: object) -> list[Case]:
    return [wrong(case(A(2, 5, dtype=d, high=9), *args, **kwargs)) for d in ALL]


# -- scans -------------------------------------------------------------------------------------------------------------
for _name in ("cumsum", "cumprod"):
    samples(
        _name,
        *shapes(),
        *every(dim=1),
        *(case(A(0), 0), case(A(2, 0), 1), case(A(2, 0), 0)),
        *(
            wrong(case(A(2, 3, dtype=a), 1, dtype=D(b)))
            for a in ("float32", "int32", "bool")
            for b in ("float64", "int64", "bool")
        ),
        case(A(3), 1.5),
        case(A(3), None),
        case(A(3), True),
        case(A(3)),
        case(A(2, 2, dtype="complex128"), 0),
        wrong(case(A(values=MIXED), 0).but(first=False, inplace=False)),
        case(A(3, 2), axis=0),
    )
samples(
    "cumprod",
    case(A(values=[2.0, 0.0, 3.0, -1.0]), 0),
    case(A(values=[[0.0, 2.0], [0.0, 1.0], [4.0, 0.0]]), 0),
    case(A(values=[[0.0, 2.0, 3.0], [1.0, 0.0, 0.0]]), 1),
    case(A(values=[1 + 1j, 0, 2j], dtype="complex128"), 0),
    case(A(values=0.0), 0),
)
for _name in ("cummax", "cummin"):
    samples(
        _name,
        *shapes(),
        *every(dim=1),
        case(A(0), 0).but(first=False),
        case(A(2, 0), 1).but(first=False),
        wrong(case(A(values=MIXED), 0)),
        wrong(case(A(values=TIES, dtype="float64"), 0)),
        case(A(3), 1.5),
        case(A(3)),
    )
samples(
    "logcumsumexp",
    *shapes(),
    *every(dim=1),
    case(A(0), 0),
    case(A(2, 0), 1),
    wrong(case(A(values=MIXED), 0)),
    wrong(case(A(values=[-INF, -INF, 1.0, INF]), 0).but(first=False)),
    case(A(2, 3, dtype="complex128"), 1).but(second=False),
    case(A(values=[100.0, -800.0, 900.0]), 0).but(second=False),
    case(A(3), 0.5),
)
samples(
    "diff",
    *shapes(),
    *every(),
    case(A(3, 5), 2),
    case(A(3, 5), n=2, dim=0),
    case(A(3, 5), 9),
    case(A(3), 0),
    case(A(3), -1),
    case(A(3), prepend=A(2), append=A(1)),
    case(A(2, 3), dim=0, append=A(1, 3)),
    case(A(2, 3), 2, 1, A(2, 1)),
    case(A(2, 3), prepend=A(3)),
    case(A(2, 3), prepend=A(3, 3)),
    case(A(3, dtype="int64"), prepend=A(1)),
    case(A(0)),
    case(A(2, 0)),
    case(A(1)),
    case(A(4, dtype="bool"), n=2),
    case(A(3), 1.5),
    case(3),
)
for _name in ("trapezoid", "trapz", "cumulative_trapezoid"):
    samples(
        _name,
        case(A(3, 4)),
        case(A(3, 4), dim=0),
        case(A(3, 4), dx=0.5),
        case(A(3, 4), A(4)),
        case(A(3, 4), A(3, 4), dim=0),
        case(A(3, 4), A(3), dim=0),
        case(A(3, 4), A(3)),
        case(A(3, 4), A(3, 1), dim=0),
        case(A()),
        case(A(0)),
        case(A(2, 1)),
        case(A(2, 0)),
        case(A(4, dtype="bool")),
        case(A(4), A(4, dtype="bool")),
        case(A(4, dtype="int64")),
        case(A(2, 4), A()),
        case(A(4, dtype="int64"), dx=2),
        case(A(4, dtype="int64"), A(4, dtype="int64")),
        case(A(4, dtype="complex128")),
        case(A(3), dim=2),
        case(A(3), dx=True),
        *(wrong(case(A(4, dtype=d))) for d in ALL),
        out=False,
    )

# -- sorting -----------------------------------------------------------------------------------------------------------
samples(
    "sort",
    *shapes(),
    *shapes(dim=0),
    *every(),
    *every(descending=True),
    *every(stable=True),
    case(A(0)),
    case(A(2, 0)),
    case(A(2, 0), 0),
    case(A(2, 3, 4, layout="transposed"), 1, True),
    case(A(3, 4), stable=True, dim=0, descending=True),
    case(A(3, 4), stable=None),
    *(wrong(case(A(values=MIXED), descending=b)) for b in (False, True)),
    *(wrong(case(A(values=TIES, dtype=d), descending=b)) for b in (False, True) for d in ("int64", "float32")),
    wrong(case(A(values=[0.0, -0.0, 0.0, -0.0]))),
    case(A(3), True),
    case(A(3), 0, stable=True),
    case(A(3), 0, False, True),
    wrong(case(A(60, 50, dtype="float32"), 0, True).but(first=False)),
    *(
        wrong(case(A(30, 100, dtype=t, low=-9, high=9), dim=d, descending=b, stable=True).but(first=False))
        for t in ALL
        for d in (0, 1)
        for b in (False, True)
    ),
    *(
        wrong(case(A(values=[TIES + MIXED] * 100, dtype=t), dim=d, descending=b, stable=True).but(first=False))
        for t in ("float64", "float32", "bfloat16")
        for d in (0, 1)
        for b in (False, True)
    ),
    wrong(case(A(60, 50, dtype="float16")).but(first=False)),
    wrong(case(A(3000, dtype="int32", low=0, high=9), descending=True)),
    wrong(case(A(30, 40, dtype="int32"), 0)),
    case(3),
)
samples(
    "argsort",
    *shapes(),
    *every(),
    *every(stable=True, descending=True),
    case(A(0)),
    case(A(2, 3), 0, True),
    wrong(case(A(values=MIXED))),
    wrong(case(A(values=TIES), descending=True)),
    case(A(3), 0, True, False),
    case(A(3), 0.5),
)
samples("msort", case(A(3, 4)), case(A()), case(A(0)), *every(), case(A(3, 2, layout="transposed")), case(2))
samples(
    "topk",
    *shapes(1),
    *every(2),
    *every(2, largest=False),
    case(A(3, 6), 3),
    case(A(3, 6), 6, 1, False),
    case(A(3, 6), 0),
    case(A(3, 6), 7),
    case(A(3, 6), -1),
    case(A(6, 2), 2, 0),
    case(A(), 0),
    case(A(), 2),
    case(A(0), 0),
    case(A(2, 0), 1, 0),
    *(wrong(case(A(values=MIXED), k, largest=b)) for k in (1, 3, 8) for b in (False, True)),
    *(wrong(case(A(values=TIES, dtype="int64"), k, largest=b)) for k in (1, 3, 5, 11, 23) for b in (False, True)),
    *(wrong(case(A(400, dtype="int64", low=0, high=20), k, largest=b)) for k in (2, 6, 150) for b in (False, True)),
    wrong(case(A(9), 4, sorted=False)),
    case(A(3), 1.5),
    case(A(3), True),
    case(A(3)),
    wrong(case(A(3, 90, dtype="float32"), 40).but(first=False)),
)
samples(
    "kthvalue",
    *shapes(1),
    *every(2),
    case(A(3, 6), 3),
    case(A(3, 6), 2, 0, True),
    case(A(3, 6), 0),
    case(A(3, 6), 7),
    case(A(), 1),
    case(A(), 2),
    case(A(0), 1),
    case(A(2, 0), 1),
    case(A(2, 0), 1, 0),
    case(A(3), 1.5),
    *(wrong(case(A(values=MIXED), k)) for k in (1, 3, 7, 8)),
    *(wrong(case(A(values=TIES, dtype="int64"), k)) for k in (1, 3, 5, 11, 23)),
)
_EDGES = A(values=[-1.0, 0.0, 0.0, 1.5])
samples(
    "searchsorted",
    *(
        case(_EDGES, A(2, 3), **o)
        for o in (
            {},
            {"right": True},
            {"side": "right"},
            {"side": "left"},
            {"out_int32": True},
            {"side": "up"},
            {"side": "left", "right": True},
        )
    ),
    *(case(A(values=[0, 1, 1, 3], dtype=d), A(5, dtype=d, low=0, high=4), right=r) for d in ALL for r in (False, True)),
    case(_EDGES, 0.0),
    case(_EDGES, 0, right=True),
    case(_EDGES, A()),
    case(A(), A(2)),
    case(A(2, 3), A(2)),
    case(A(2, 3), 1.0),
    case(A(values=[[1.0, 2.0, 4.0], [0.0, 0.0, 3.0]]), A(values=[[0.0, 2.0], [0.0, 9.0]])),
    case(A(values=[[1.0, 2.0, 4.0], [0.0, 0.0, 3.0]]), A(values=[[0.0, 2.0], [0.0, 9.0]]), right=True),
    case(A(values=[3.0, 1.0, 2.0]), A(values=[2.0]), sorter=A(values=[1, 2, 0], dtype="int64")),
    case(A(values=[3.0, 1.0, 2.0]), A(values=[2.0]), sorter=A(values=[1, 2, 7], dtype="int64")),
    case(A(values=[3.0, 1.0, 2.0]), A(values=[2.0]), sorter=A(values=[1, 2], dtype="int64")),
    case(A(values=[3.0, 1.0, 2.0]), A(values=[2.0]), sorter=A(values=[1, 2, 0], dtype="int32")),
    *(case(A(values=[1.0, 2.0, NAN, NAN]), A(values=[NAN, 3.0, INF, 1.0]), right=r) for r in (False, True)),
    case(A(values=[1, 2, 3], dtype="int64"), A(values=[1.5, 2.5])),
    case(A(0), A(2)),
    case(A(2), A(0)),
    out=False,
)
samples(
    "bucketize",
    case(A(2, 3), _EDGES),
    case(A(2, 3), _EDGES, right=True, out_int32=True),
    case(2, _EDGES),
    case(0.0, _EDGES),
    case(A(2), A(2, 2)),
    case(A(2), A()),
    case(A(2, dtype="int64"), _EDGES),
    case(A(2), A(values=[1, 2], dtype="int64")),
    case(A(2, dtype="complex64"), A(2, dtype="complex64")),
    out=False,
)

# -- order statistics --------------------------------------------------------------------------------------------------
for _name in ("median", "nanmedian", "mode"):
    samples(
        _name,
        *shapes(),
        *every(dim=1),
        case(A(3, 4), 1, True),
        case(A(2, 0), 1),
        case(A(2, 0), 0),
        case(A(0), 0),
        wrong(case(A(values=MIXED), 0)),
        wrong(case(A(values=[NAN, NAN]), 0)),
        case(A(3, 4), axis=0, keepdims=True),
        wrong(case(A(values=[[1.0, NAN, 2.0, 5.0], [1.0, 2.0, 3.0, 0.0], [NAN, NAN, NAN, 1.0]]), 1)),
        *(wrong(case(A(values=TIES[:n], dtype="int64"), 0)) for n in (3, 4, 9, 16, 17, 23)),
        case(A(3), 1.5),
        wrong(case(A(60, dtype="int64", low=0, high=4), 0)),
    )
for _name in ("median", "nanmedian"):
    samples(
        _name,
        case(A(3, 4)),
        case(A(5)),
        case(A()),
        *every(),
        wrong(case(A(0))),
        wrong(case(A(0, dtype="int64"))),
        wrong(case(A(values=MIXED))),
        wrong(case(A(values=[1.0, 1.0, 2.0]))),
        wrong(case(A(values=[NAN, NAN]))),
    )
_Q = A(values=[0.1, 0.5, 0.8], grad=False)
for _name in ("quantile", "nanquantile"):
    samples(
        _name,
        *(
            case(A(3, 4), q, dim, keep, interpolation=how)
            for q in (0.3, _Q)
            for dim in (None, 0, 1)
            for keep in (False, True)
            for how in ("linear", "lower", "higher", "midpoint", "nearest")
        ),
        case(A(5), 0.5),
        case(A(), 0.5),
        case(A(), _Q),
        case(A(), _Q, keepdim=True),
        case(A(2, 3, 4), _Q, 1),
        case(A(2, 3, layout="transposed"), 0.25, dim=0),
        case(A(5, dtype="float32"), 0.25),
        case(A(4), 0),
        case(A(4), 1),
        case(A(5), A(values=[0.35])),
        case(A(5), A(values=0.35)),
        case(A(4), A(0), 0),
        case(A(4), 1.5),
        case(A(4), -0.1),
        case(A(4), A(values=[0.2, 1.2])),
        case(A(4), A(2, 2)),
        case(A(4), A(values=[0.5], dtype="float32")),
        case(A(4, dtype="int64"), 0.5),
        case(A(4, dtype="float16"), 0.5),
        case(A(4), 0.5, interpolation="cubic"),
        case(A(4), 0.5, 3),
        case(A(0), 0.5),
        case(A(2, 0), 0.5, 0),
        case(A(4), "x"),
        wrong(case(A(values=MIXED), 0.4)),
        wrong(case(A(values=[[1.0, NAN, 2.0], [1.0, 2.0, 4.0], [NAN, NAN, NAN]]), _Q, 1).but(first=False)),
        out=False,
    )

# -- distinct elements -------------------------------------------------------------------------------------------------
_ROWS = A(values=[[2, 1, 2], [1, 2, 1], [1, 2, 1], [2, 1, 2]], dtype="int64")
for _name, _more in (("unique", {"sorted": False}), ("unique_consecutive", {})):
    samples(
        _name,
        *(wrong(case(A(2, 5, dtype=d), return_inverse=True, return_counts=True).but(first=False)) for d in ALL),
        *(
            wrong(
                case(A(4, 1, dtype=d, high=1, low=0), dim=0, return_inverse=True, return_counts=True).but(first=False)
            )
            for d in ALL
        ),
        case(_ROWS),
        case(_ROWS, return_inverse=True),
        case(_ROWS, return_counts=True),
        case(_ROWS, **_more),
        *(case(_ROWS, dim=d, return_inverse=True, return_counts=True) for d in (0, 1, -1, 2)),
        case(_ROWS, dim=1),
        case(A(), return_inverse=True).but(first=False),
        case(A(), dim=0),
        case(A(0)).but(first=False),
        case(A(2, 0), dim=0),
        case(A(2, 0), dim=1, return_inverse=True, return_counts=True).but(first=False),
        case(A(0, 0), dim=0),
        wrong(case(A(values=MIXED), return_inverse=True, return_counts=True).but(first=False)),
        case(A(values=TIES, dtype="int64"), return_inverse=True, return_counts=True),
        case(A(2, 3, 4, layout="transposed"), dim=1).but(first=False),
        case(A(3)).but(smooth=False),
        case(A(3, 2), dim=0).but(smooth=False),
        covers="_unique2 unique_dim",
        out=False,
    )

# -- counting ----------------------------------------------------------------------------------------------------------
_COUNTED = A(values=[3, 1, 1, 0], dtype="int64")
samples(
    "bincount",
    case(_COUNTED),
    case(_COUNTED, minlength=6),
    case(_COUNTED, None, 2),
    case(_COUNTED, minlength=-1),
    *(case(A(values=[3, 1, 1, 0], dtype=d)) for d in ALL),
    case(A(0, dtype="int64")),
    case(A(0, dtype="int64"), minlength=3),
    *(case(_COUNTED, A(4, dtype=d, grad=False)) for d in ALL),
    case(_COUNTED, A(4)).but(smooth=False),
    case(_COUNTED, A(3)),
    case(A(values=[-1], dtype="int64")),
    case(A(values=[[1]], dtype="int64")),
    case(A(values=1, dtype="int64")),
)
samples(
    "histc",
    *(case(A(20, dtype=d), 5) for d in ALL),
    *(case(A(20, dtype=d), 5, -1, 1) for d in ALL if d != "uint8"),
    case(A(30), min=-1, max=1),
    case(A(30), 7, -1.5, 1.5),
    case(A(30), 0),
    case(A(30), -1),
    case(A(3), 4, 2, 1),
    case(A(0), 3),
    case(A(), 3),
    case(A(values=[2.0, 2.0]), 4),
    case(A(values=[1.0, 2.0, 3.0]), 2, 1, 3),
    case(A(values=[0.1, 0.2, 0.3, 0.7]), 10, 0, 1),
    case(A(values=MIXED), 2),
    case(A(values=MIXED), 2, -1, 4),
    case(A(2, 3, layout="transposed"), 3),
)
_BINS = A(values=[-1.0, 0.0, 0.25, 1.0], grad=False)
_X = A(20, grad=False)
samples(
    "histogram",
    case(_X, 4),
    case(_X, _BINS),
    case(_X, 4, range=(-1.0, 1.0)),
    case(_X, 4, density=True),
    case(_X, 4.5),
    case(_X, _BINS, weight=A(20, grad=False), density=True),
    case(_X, 3, weight=A(20, grad=False)),
    case(_X, 0),
    case(_X),
    case(_X, 3, range=(1.0, -1.0)),
    case(_X, 3, range=(1.0,)),
    case(_X, 3, weight=A(2)),
    case(_X, 3, weight=A(20, dtype="float32")),
    case(_X, A(2, 2)),
    case(_X, A(0)),
    case(_X, A(1)),
    case(_X, A(values=[1.0], dtype="float32")),
    case(A(values=MIXED), 2),
    *(case(A(20, dtype=d, grad=False), 5) for d in ALL),
    case(A(0), 3).but(first=False),
    case(A(values=[2.0, 2.0]), 4).but(smooth=False),
    case(A(5), 3).but(smooth=False),
    out=False,
)
_POINTS = A(12, 2, grad=False)
samples(
    "histogramdd",
    case(_POINTS, 3),
    case(_POINTS, [2, 3]),
    case(_POINTS, [A(values=[-1.0, 0.0, 1.0], grad=False), _BINS]),
    case(_POINTS, 3, range=[-1.0, 1.0, -2.0, 2.0], density=True),
    case(_POINTS, 2, weight=A(12, grad=False)),
    case(A(), 3),
    case(_POINTS, [2]),
    case(_POINTS, 2, range=[0.0, 1.0]),
    out=False,
    method=False,
)

__all__ = ["FLOATS", "INTEGERS"]
