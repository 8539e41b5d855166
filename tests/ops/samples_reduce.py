"""Samples: reductions, running sums, order and counting."""

from __future__ import annotations

from typing import Any

from tests.ops.harness import ALL, INTEGERS, REAL, A, Case, D, case, samples

INF, NAN = float("inf"), float("nan")


def lines(
    dtypes: tuple[str, ...] = ALL,
    dim: Any = 1,
    whole: bool = True,
    keep: bool = True,
    smooth: bool = True,
    **options: Any,
) -> list[Case]:
    """Everything, a dimension, several, a wrong one; every dtype and layout; empty, 0-dim; NaN."""
    found = []
    for d in dtypes:
        half = d in ("float16", "bfloat16")
        found += [case(A(2, 3, dtype=d), dim, **options).but(second=not half)]
        if whole:
            found += [case(A(2, 3, dtype=d), **options).but(second=not half)]
    found += [
        case(A(2, 3, 2, layout="transposed"), dim, **options),
        case(A(2, 3, layout="expanded"), 0, **options).but(smooth=False),
        case(A(), 0, **options),
        case(A(2, 3), -2, **options),
        case(A(2, 3), 2, **options),
        case(A(0, 2), 1, **options).but(first=False),
        case(A(0, 2), 0, **options).but(first=False),
        case(A(values=((1.0, NAN), (NAN, INF))), 1, **options).but(smooth=False, second=False),
        case(A(), 1, **options),
    ]
    if whole:
        found += [case(A(), **options), case(A(0), **options).but(first=False), case(A(4, layout="strided"), **options)]
    if keep:
        found += [case(A(2, 3), dim, True, **options), case(A(2, 3), dim=dim, keepdim=True, **options)]
    return found


FEW = ("float64", "float32", "int64")
SEVERAL = (
    case(A(2, 3, 2), (0, 2)),
    case(A(2, 3, 2), (0, -1), True),
    case(A(2, 3), ()),
    case(A(2, 3), (0, 0)),
    case(A(2, 3), None),
)
for _name in ("sum", "mean", "nansum", "nanmean"):
    samples(
        _name,
        *lines(),
        *SEVERAL,
        *(case(A(2, 3, dtype=d, grad=False), dtype=D(t)) for d in FEW for t in ("float64", "int64", "float16")),
        case(A(2, 3), 1, dtype=D("float32")).but(smooth=False, tolerance=1e-6),
    )
for _name in ("any", "all"):
    samples(_name, *lines(), *SEVERAL)
samples("count_nonzero", *lines(keep=False), *SEVERAL[:1])
samples(
    "prod",
    *lines(),
    case(A(2, 3, dtype="int32"), 1, dtype=D("float64")),
    case(A(2, 3), dtype=D("float32")).but(smooth=False, tolerance=1e-6),
    case(A(values=((0.0, 2.0, 3.0), (1.0, 2.0, 3.0)))),
    case(A(values=((0.0, 2.0, 0.0), (0.0, 2.0, 3.0))), 1),
    case(A(values=(0.0, 2.0, 0.0))),
)
for _name in ("max", "min"):
    samples(
        _name,
        *lines(),
        case(A(3), A(3)),
        case(A(values=(1.0, 2.0, 2.0))).but(smooth=False),
        case(A(values=(1.0, 2.0, 2.0)), 0).but(smooth=False),
        case(A(3), 1.5),
    )
for _name in ("amax", "amin"):
    samples(
        _name,
        *lines(),
        *SEVERAL,
        case(A(values=((1.0, 2.0), (2.0, 2.0))), 1).but(smooth=False),
        case(A(values=((1.0, 2.0), (2.0, 2.0)))).but(smooth=False),
    )
samples(
    "aminmax",
    *(case(A(2, 3, dtype=d), dim=1) for d in ALL),
    *(case(A(2, 3, dtype=d)) for d in ALL),
    case(A(0)),
    case(A()),
    case(A(2, 3), dim=0, keepdim=True),
    case(A(values=(1.0, 1.0, 2.0))).but(smooth=False),
)
for _name in ("argmax", "argmin"):
    samples(_name, *lines(), case(A(values=(1.0, NAN, 3.0, NAN))), case(A(2, 3), None, True))
for _name in ("std", "var"):
    samples(
        _name,
        *(c.but(first=False) if "shape=()" in str(c) else c for c in lines(keep=False)),
        *SEVERAL[:2],
        case(A(2, 3), 1, False),
        case(A(2, 3), False),
        case(A(2, 3), 1, True, True),
        case(A(2, 3), 1, correction=0),
        case(A(2, 3), correction=2, keepdim=True),
        case(A(2, 3), dim=(0, 1), unbiased=False),
        case(A(1)).but(smooth=False, second=False),
        case(A(values=(2.0, 2.0, 2.0))).but(smooth=False, second=False),
    )
    samples(
        _name + "_mean",
        *(case(A(2, 3, dtype=d)).but(second=d[-2:] != "16") for d in ALL),
        case(A(2, 3), 1),
        case(A(2, 3), 1, False),
        case(A(2, 3, 2), (0, 2), correction=0, keepdim=True),
    )
for _name in ("median", "nanmedian"):
    # torch itself goes wrong along an expanded dimension
    samples(
        _name,
        *(c for c in lines() if "expanded" not in str(c)),
        case(A(4), 0),
        case(A(values=(1.0, NAN, 3.0, 2.0))).but(smooth=False),
        case(A(values=((1.0, NAN, 3.0), (NAN, NAN, NAN))), 1).but(smooth=False),
    )
samples(
    "mode",
    *(c for c in lines() if "nan" not in str(c)),
    case(A(values=(1.0, 2.0, 2.0, 1.0, 3.0))).but(smooth=False),
    case(A(values=((1, 1, 2), (3, 2, 3)), dtype="int64")),
)
for _q in (0.5, 0.3, 0.0, 1.0):
    for _way in ("linear", "lower", "higher", "midpoint", "nearest"):
        samples("quantile", case(A(5), _q, interpolation=_way), case(A(2, 4), _q, 1, True, interpolation=_way))
        samples(
            "nanquantile",
            case(A(5), _q, interpolation=_way),
            case(A(values=((1.0, NAN, 3.0), (NAN, NAN, NAN))), _q, 1).but(smooth=False),
        )
samples(
    "quantile",
    case(A(2, 4), A(values=(0.2, 0.5, 0.9), grad=False), 1),
    case(A(2, 4), A(values=(0.2, 0.5), grad=False)),
    case(A(3), 2.0),
    case(A(2, 4), A(values=(0.2, 0.5), grad=False), 0),
    case(A(3, dtype="int64"), 0.5),
    case(A(0), 0.5),
    case(A(3, dtype="float16"), 0.5),
    case(A(values=(1.0, NAN, 3.0)), 0.5).but(smooth=False),
    case(A(3), A(values=(0.5,), dtype="float32", grad=False)),
)
samples(
    "kthvalue",
    *(case(A(2, 3, dtype=d, low=-99, high=99), 2) for d in ALL),
    case(A(2, 3), 1, 0),
    case(A(2, 3), 2, 0, True),
    case(A(2, 3), 4),
    case(A(), 1),
)
for _p in (2, 1, 3, 0.5, 1.5, INF, -INF, "fro"):
    samples(
        "norm",
        case(A(2, 3), _p),
        case(A(2, 3), _p, 1),
        case(A(2, 3), _p, (0, 1), True),
        case(A(values=(0.0, 0.0)), _p).but(smooth=False, second=False),
        case(A(3, dtype="complex128"), _p),
    )
    if not isinstance(_p, str):
        samples("dist", case(A(2, 3), A(2, 3), _p), case(A(3), A(2, 1), _p))
samples(
    "norm",
    *(case(A(2, 3, dtype=d)).but(second=False) for d in ALL),
    case(A()),
    case(A(0)).but(smooth=False),
    case(A(3, dtype="float32"), dtype=D("float64")).but(tolerance=1e-6, smooth=False),
)
samples(
    "logsumexp",
    *lines(whole=False),
    *SEVERAL[:2],
    case(A(values=(-INF, -INF)), 0).but(smooth=False, second=False),
    case(A(values=(INF, 1.0)), 0).but(smooth=False, second=False),
)

# -- running -----------------------------------------------------------------------------------------------------------
for _name in ("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"):
    samples(_name, *lines(whole=False, keep=False), case(A(4), 0))
for _name in ("cumsum", "cumprod"):
    samples(
        _name,
        case(A(2, 3, dtype="int32"), 1, dtype=D("float64")),
        case(A(2, 3, dtype="float32", grad=False), 0, dtype=D("int64")).but(inplace=False),
    )
samples("cumprod", case(A(values=(2.0, 0.0, 3.0, 4.0)), 0), case(A(values=((2.0, 0.0, 0.0), (1.0, 2.0, 3.0))), 1))
for _name in ("cummax", "cummin"):
    samples(_name, case(A(values=(1.0, 3.0, 3.0, 2.0, NAN, 4.0)), 0).but(smooth=False))
samples(
    "diff",
    *(case(A(4, dtype=d)) for d in ALL),
    case(A(3, 4), 2),
    case(A(3, 4), 1, 0),
    case(A(4), prepend=A(2), append=A(1)),
    case(A()),
    case(A(2), 5),
)
for _name in ("trapezoid", "cumulative_trapezoid", "trapz"):
    samples(_name, case(A(4), A(4)), case(A(2, 4), A(4)), case(A(2, 4), A(4)), method=False)
samples("trapezoid", case(A(4, dtype="float64")).but(tolerance=1e-9), method=False)

# -- order -------------------------------------------------------------------------------------------------------------
samples(
    "sort",
    *lines(keep=False),
    case(A(2, 3), 0, True),
    case(A(5), descending=True),
    case(A(values=(2, 1, 2, 1)), stable=True, dim=0).but(smooth=False),
    case(A(values=(2, 1, 2, 1)), stable=True, dim=0, descending=True).but(smooth=False),
    case(A(values=(NAN, 1.0, INF, NAN, -INF))).but(smooth=False),
    case(A(values=(NAN, 1.0, INF, NAN, -INF)), descending=True).but(smooth=False),
)
samples("argsort", *lines(keep=False), case(A(2, 3), 0, True), case(A(values=(2, 1, 2, 1)), stable=True))
samples("msort", *(case(A(3, 2, dtype=d)) for d in ALL))
samples(
    "topk",
    *(case(A(2, 4, dtype=d, low=0, high=100), 2) for d in ALL),
    case(A(2, 4), 2, 0),
    case(A(4), 2, largest=False),
    case(A(4), 5),
    case(A(4), 0),
    case(A(), 1),
)
for _d in ("int64", "float64", "uint8", "bool"):
    _v = A(values=((3, 1, 3), (1, 1, 3)), dtype=_d, grad=False)
    for _options in (
        {},
        {"return_inverse": True},
        {"return_counts": True},
        {"return_inverse": True, "return_counts": True},
        {"dim": 0},
        {"dim": 1, "return_inverse": True, "return_counts": True},
    ):
        samples("unique", case(_v, **_options).but(out=False))
        samples("unique_consecutive", case(_v, **_options).but(out=False))
samples(
    "unique",
    case(A(values=(NAN, 1.0, NAN), grad=False), return_counts=True).but(out=False),
    case(A(0)).but(first=False),
    case(A(3)).but(first=False),
)
samples(
    "searchsorted",
    case(A(values=(1.0, 3.0, 5.0), grad=False), A(values=(0.0, 3.0, 6.0), grad=False)),
    case(A(values=(1.0, 3.0, 5.0), grad=False), A(values=(0.0, 3.0, 6.0), grad=False), right=True),
    case(A(values=(1, 3, 5), dtype="int64"), 3),
    case(A(values=((1.0, 3.0), (2.0, 4.0)), grad=False), A(values=((3.0,), (3.0,)), grad=False), out_int32=True),
    case(A(values=(1.0, 3.0), grad=False), A(values=(3.0,), grad=False), side="right"),
    case(A(2, 2, grad=False), A(3, 2, grad=False)),
    case(A(values=(1.0, 3.0), grad=False), A(values=(3.0,), grad=False), side="left", right=True),
)
samples(
    "bucketize",
    case(A(values=(0.0, 3.0), grad=False), A(values=(1.0, 3.0, 5.0), grad=False)),
    case(3.0, A(values=(1.0, 3.0), grad=False), right=True),
    case(A(2, grad=False), A(2, 2, grad=False)),
    method=False,
)

# -- counting ----------------------------------------------------------------------------------------------------------
samples(
    "bincount",
    case(A(values=(0, 2, 2), dtype="int64")),
    case(A(values=(0, 2, 2), dtype="int32"), A(3, grad=False), 5),
    case(A(3)),
    case(A(values=(-1,), dtype="int64")),
    case(A(0, dtype="int64"), minlength=3),
    case(A(values=(1, 1), dtype="uint8"), A(2, dtype="int64")),
)
_PARTS = A(values=(1, 2, 3), dtype="int64")
samples(
    "segment_reduce",
    *(case(A(6), _word, lengths=_PARTS).but(second=False) for _word in ("sum", "mean", "prod", "max", "min")),
    *(case(A(6, 2, dtype=d), "amax", lengths=_PARTS).but(second=False) for d in ("float32", "float16", "int64")),
    case(A(2, 6), "sum", lengths=A(values=((1, 5), (3, 3)), dtype="int64"), axis=1).but(second=False),
    case(A(6), "prod", offsets=A(values=(0, 2, 6), dtype="int64"), initial=2).but(second=False),
    case(A(values=(0.0, 2.0, NAN, 3.0), grad=False), "min", lengths=A(values=(2, 2), dtype="int64"), initial=1.0),
    case(A(values=(0.0, 2.0, 0.0, 3.0)), "prod", lengths=A(values=(2, 2), dtype="int64")).but(second=False),
    case(A(6, grad=False), "mean", lengths=A(values=(2, 0, 4), dtype="int64")),
    case(A(6), "mean", lengths=A(values=(2, 2), dtype="int64")),
    case(A(6), "sum", lengths=A(values=(2, 2), dtype="int64"), unsafe=True).but(second=False),
    case(A(6), "sum", lengths=A(values=(-1, 7), dtype="int64")),
    case(A(6), "sum", lengths=A(values=((2, 4),), dtype="int64")),
    case(A(6), "sum", indices=_PARTS),
    case(A(6), "sum"),
    case(A(6), "foo", lengths=_PARTS),
)
samples(
    "histc",
    *(case(A(9, dtype=d, grad=False), 4, -2, 2) for d in ALL if d not in ("bool", "uint8")),
    case(A(9, grad=False)),
    case(A(9, grad=False), bins=3, min=1.0, max=0.0),
    case(A(values=(1.0, 1.0), grad=False), 2),
    case(A(3, grad=False), 0),
)
samples(
    "histogram",
    case(A(9, grad=False), 4),
    case(A(9, grad=False), 3, range=(0.0, 1.0)),
    case(A(9, grad=False), A(values=(-1.0, 0.0, 2.0), grad=False), density=True),
    case(A(4, grad=False), 2, weight=A(4, grad=False)).but(out=False),
    case(A(4, grad=False, dtype="float32"), 2),
)
samples(
    "cov",
    case(A(3, 5)),
    case(A(5)),
    case(A(3, 5), correction=0),
    case(A(3, 4, dtype="complex128")),
    case(A(2, 3), fweights=A(values=(1, 2, 1), dtype="int64"), aweights=A(values=(0.5, 1.0, 2.0), grad=False)),
)
samples("corrcoef", case(A(3, 5)), case(A(5)).but(smooth=False))

__all__ = ["INTEGERS", "REAL"]
samples(
    "renorm",
    *(case(A(3, 4), p, 0, 1.0) for p in (1, 2, 3, 1.5, INF)),
    case(A(values=((1.0, 1.0), (1.0, -1.0))), INF, 0, 0.5).but(smooth=False),
    case(A(3, 4), 2, 1, 0.5),
    case(A(2, 3, 2), 2, -1, 1.0),
    case(A(3, 4, dtype="float32"), 2, 0, 1.0),
    case(A(3, 4, dtype="int64"), 2, 0, 1.0),
    case(A(3), 2, 0, 1.0),
    case(A(3, 4), -1, 0, 1.0),
    case(A(3, 4), 2, 0, -1.0),
    case(A(3, 4), 2, 5, 1.0),
    case(A(0, 4), 2, 0, 1.0).but(first=False),
)
samples(
    "hash_tensor",
    *(case(A(3, 4, dtype=kind)) for kind in ("float64", "float32", "bfloat16", "int16", "uint8", "bool")),
    case(A(3, 4, dtype="int64"), 1, keepdim=True),
    case(A(3, 4, dtype="int64"), (0, 1)),
    case(A(3, 4), mode=1),
    case(A(0, 2)),
    case(A(0, 2), 0),
    case(A(0, 2), 1),
    case(A(2, dtype="complex64")),
)
samples("frobenius_norm", case(A(3, 4), 1), case(A(3, 4), (0, 1), True), case(A(2, 3, 4), (0, 1, 2)), method=False)
samples("frobenius_norm", case(A(3, dtype="int64"), 0), method=False)
samples("nuclear_norm", case(A(3, 4)), case(A(3, 4), True), case(A(2, 3, 4), (0, 2)), case(A(3)), method=False)
