"""Samples: elementwise mathematics of one tensor."""

from __future__ import annotations

from tests.ops.harness import ALL, COMPLEX, INTEGERS, REAL, A, Case, case, samples

INF, NAN = float("inf"), float("nan")
PROPERTIES = ("real", "imag")
#: torch has other Nodes, without derivatives, for these in place
ODD_IN_PLACE = ["acosh", "asinh", "atanh", "arccosh", "arcsinh", "arctanh", "logical_not"]
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, INF, -INF, NAN)


def common(low: float, high: float, dtypes: tuple[str, ...] = ALL) -> list[Case]:
    """Every dtype, every kind of shape, and the numbers at which things happen."""
    return [
        *(case(A(2, 3, low=low, high=high, dtype=d)).but(second=d not in ("float16", "bfloat16")) for d in dtypes),
        case(A(low=low, high=high)),
        case(A(0)),
        case(A(2, 0, 3)),
        case(A(2, 3, low=low, high=high, layout="transposed")),
        case(A(3, low=low, high=high, layout="strided")),
        case(A(2, 3, low=low, high=high, layout="expanded")).but(inplace=False),
        case(A(values=SPECIAL)).but(smooth=False, second=False),
    ]


def unary(names: str, low: float = -2.0, high: float = 2.0, dtypes: tuple[str, ...] = ALL, path: str = "") -> None:
    for name in names.split():
        samples(
            name,
            *common(low, high, dtypes),
            path=path + name if path else None,
            method=name not in PROPERTIES,
            inplace=name not in ODD_IN_PLACE,
        )


unary("exp exp2 expm1 sigmoid sin cos sinh cosh tanh asinh atan tan erf erfc square neg positive sgn")
NO_HALVES = tuple(
    d for d in ALL if d[-2:] != "16" or d == "int16"
)  # their gradients differ in the last bits, or torch has none
unary("sinc", dtypes=NO_HALVES)
unary("log log2 log10 log1p sqrt", 0.1, 3.0)
unary("rsqrt", 0.1, 3.0, NO_HALVES)
unary("asin acos atanh", -0.9, 0.9)
unary("acosh", 1.1, 3.0)
unary("arcsin arccos arctanh arctan arcsinh negative absolute", -0.9, 0.9)
unary("arccosh", 1.1, 3.0)
unary("reciprocal abs", 0.3, 2.0)
unary("sign floor ceil trunc fix frac round relu deg2rad rad2deg angle conj_physical")
unary("nan_to_num", dtypes=("bool", *INTEGERS, *REAL))
unary("erfinv", -0.9, 0.9)
unary("lgamma digamma", 0.3, 4.0)
unary("lgamma digamma", -3.9, -3.1, ("float64", "float32"))
unary("i0")
unary("logit", 0.1, 0.9)
unary("isnan isinf isfinite isposinf isneginf isreal signbit logical_not bitwise_not conj real is_conj resolve_conj")
unary("_neg_view", dtypes=(*INTEGERS, *REAL, *COMPLEX))

samples(
    "round",
    *(
        case(A(4, dtype=d, low=-30, high=30), decimals=n).but(smooth=False)
        for d in (*REAL, "int64", "bool")
        for n in (2, 0, -1)
    ),
)
samples(
    "nan_to_num",
    *(case(A(2, dtype=d, grad=False)) for d in COMPLEX),
    case(A(values=SPECIAL), 2.0, 3.0, -4.0).but(smooth=False),
    case(A(values=SPECIAL), posinf=1.0).but(smooth=False),
    case(A(values=[complex(NAN, INF), 1 + 2j], dtype="complex64", grad=False)),
)
samples(
    "logit",
    case(A(values=[0.05, 0.3, 0.97]), 0.1),
    case(A(values=[-1.0, 0.0, 0.5, 1.0, 2.0])).but(smooth=False),
    case(A(3, low=0.1, high=0.9), eps=0.05),
)
samples("lgamma", case(A(values=[-3.0, -1.0, 0.0, 200.0, 1e300, INF])).but(smooth=False, second=False))
samples("digamma", case(A(values=[-3.0, -0.0, 0.0, 1e-3, 50.0, INF])).but(smooth=False, second=False))
samples(
    "polygamma",
    *(case(n, A(3, low=0.4, high=4)) for n in range(5)),
    case(1, A(3, low=-2.9, high=-2.2)),
    *(
        case(1, A(values=[-3.0, -2.0, 0.0, 1.0], dtype=d)).but(smooth=False, first=False)
        for d in ("float32", "int8", "float16", "float64")
    ),
    *(case(2, A(3, low=0.4, high=4, dtype=d)).but(second=d[:2] != "fl") for d in ALL),
    case(-1, A(2)),
    method=False,
    inplace=False,
)
samples(
    "mvlgamma",
    case(A(3, low=3, high=5), 2),
    case(A(3, low=3, high=5), 1),
    case(A(2, dtype="float32", low=4, high=5), 3),
    case(A(2, low=0.1, high=0.4), 2),
    case(A(2), 0),
)
samples(
    "frexp",
    *(case(A(4, dtype=d)).but(second=False) for d in ALL),
    case(A(values=[0.0, 1.0, -3.0, 1e-3])).but(smooth=False),
    inplace=False,
)
samples("sgn", case(A(values=[0j, 1 + 1j, 3j], dtype="complex128")).but(smooth=False))
samples("abs", case(A(values=[0j, 1 + 1j, 3j], dtype="complex128")).but(smooth=False), case(A(3, dtype="complex128")))
samples("angle", case(A(values=[0j, 1 + 1j, -3j], dtype="complex128")).but(smooth=False))
for _path in ("exp", "exp2", "sin", "log", "erf", "sigmoid"):
    samples(_path, *(c.but(inplace=False) for c in (case(A(2), A(2)), case(1.5), case(A(2), 3), case([1.0]))))

# -- complex numbers ---------------------------------------------------------------------------------------------------
for _d in COMPLEX:
    samples("view_as_real", case(A(2, 3, dtype=_d)), case(A(dtype=_d)), case(A(2, 3, dtype=_d, layout="transposed")))
    samples("imag", case(A(2, 3, dtype=_d)), case(A(dtype=_d)), case(A(3, dtype=_d, layout="strided")), method=False)
    samples("view_as_real_copy", case(A(2, 3, dtype=_d)), case(A(dtype=_d)))
samples("view_as_real", case(A(2)))
samples("view_as_real_copy", case(A(2)))
samples("view_as_complex_copy", case(A(3, 2)), case(A(2, dtype="float32")), case(A(3)))
samples("imag", case(A(2)), method=False)
for _name in ("complex", "polar"):
    samples(
        _name,
        *(case(A(3, dtype=d, low=0.2), A(3, dtype=d)) for d in ("float32", "float64", "int64")),
        case(A(2, 1, low=0.2), A(3)),
        case(A(3), A(3, dtype="float32")),
        method=False,
    )
samples(
    "view_as_complex",
    case(A(3, 2)),
    case(A(2, dtype="float32")),
    case(A(3)),
    case(A(2, 2, layout="transposed")),
    case(A(2, dtype="int64")),
    case(A()),
)

# -- torch.special -----------------------------------------------------------------------------------------------------
S = "special."
unary("entr ndtr", 0.1, 2.0, path=S)
unary("sinc", dtypes=NO_HALVES, path=S)
for _name in ("i1", "i1e"):
    samples(_name, *common(-2, 2, NO_HALVES)[:-1], case(A(values=(0.0, 1.0))), path=S + _name)
unary("i0e log_ndtr erf erfc exp2 expm1 expit round erfcx", path=S)
unary("ndtri logit erfinv", 0.1, 0.9, path=S)
unary("log1p gammaln psi digamma", 0.4, 3.0, path=S)
for _name in ("modified_bessel_i0", "modified_bessel_i1", "spherical_bessel_j0"):
    samples(_name, *common(0.4, 5.0)[:-1], path=S + _name)
for _name in ("bessel_j0", "bessel_j1"):  # torch's own are good to some 8 digits
    samples(_name, *(c.but(tolerance=1e-7) for c in common(0.4, 5.0, ("float64", "int64"))), path=S + _name)
    samples(_name, *(c.but(tolerance=1e-5) for c in common(0.4, 5.0, ("float32",))[:1]), path=S + _name)
samples(
    "special_zeta",
    case(A(3, low=1.5, high=4), A(3, low=0.5, high=2)).but(first=False),
    case(A(3, low=2, high=4), 1.5).but(first=False),
    case(3.0, A(3, low=0.5, high=2)).but(second=False),
    case(A(values=[1.0, 0.5, 2.0]), A(3, low=-0.7, high=2)).but(first=False),
    path="special.zeta",
)
for _name in (
    *(f"{shifted}chebyshev_polynomial_{kind}" for shifted in ("", "shifted_") for kind in "tuvw"),
    *("hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"),
):
    samples(
        f"special_{_name}",
        case(A(values=[-2.0, -1.0, 0.3, 1.0]), A(3, 1, dtype="int64", low=-1, high=6)).but(smooth=False),
        case(A(3), 2).but(smooth=False),
        case(0.5, A(values=[0.0, 1.0, 9.0])).but(smooth=False),
        path=f"special.{_name}",
    )
for _name in ("airy_ai", "modified_bessel_k0", "modified_bessel_k1"):
    samples(_name, *common(0.4, 5.0, NO_HALVES)[:-1], path=S + _name)
for _name in ("scaled_modified_bessel_k0", "scaled_modified_bessel_k1"):
    samples(_name, *common(0.4, 5.0, NO_HALVES)[:-1], path=S + _name)
for _name in ("bessel_y0", "bessel_y1"):
    samples(_name, *(c.but(tolerance=1e-6) for c in common(0.4, 4.5, NO_HALVES)[:-1]), path=S + _name)
samples("special_polygamma", case(1, A(3, low=0.4, high=4)), path="special.polygamma")
samples("special_multigammaln", case(A(3, low=3, high=5), 2), path="special.multigammaln")
samples("special_round", case(A(3, high=9), decimals=1).but(smooth=False), path="special.round")
samples("special_logsumexp", case(A(2, 3), 1), path="special.logsumexp")

__all__ = ["INTEGERS"]
