"""Samples: arithmetic, comparison and mathematics of two tensors or a tensor and a number; where,
clamp and mixtures."""

from __future__ import annotations

from typing import Any

from tests.ops.harness import ALL, INTEGERS, REAL, A, Case, case, samples

INF, NAN = float("inf"), float("nan")
#: in place these keep the Node that was there, though the values are new
BOOLS = [
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "greater",
    "less",
    "not_equal",
    "greater_equal",
    "less_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "gcd",
    "lcm",
    "ldexp",
    "heaviside",
]
OTHER_NAMES = [
    "multiply",
    "subtract",
    "divide",
    "true_divide",
    "greater",
    "less",
    "not_equal",
    "greater_equal",
    "less_equal",
]
X = (0.0, 0.0, 1.0, -1.0, 2.5, -2.5, INF, NAN, 3.0, -INF)
Y = (0.0, 1.0, 1.0, -2.0, -2.5, 2.0, 1.0, 1.0, NAN, INF)


def pairs(low: float, high: float, dtypes: tuple[str, ...], number: Any, other_name: bool = False) -> list[Case]:
    """Cases of a pair; under its `other_name` an operation names itself in errors, where torch names the other."""

    def a(*shape: int, **options: Any) -> A:
        return A(*shape, **{"low": low, "high": high, **options})

    found = [
        *(case(a(2, 3, dtype=d), a(2, 3, dtype=d)).but(second=d not in ("float16", "bfloat16")) for d in dtypes),
        case(a(3), a(2, 1)),
        case(a(2, 3), a()),
        case(a(), a(3)),
        case(a(0), a(1)),
        case(a(2, 3), a(2)),
        case(a(2, 3, layout="transposed"), a(2, 3, layout="transposed")),
        case(a(3, layout="strided"), a(3)),
        case(a(3, dtype="float32"), a(3)).but(tolerance=4e-6),
        case(a(3, dtype="int64"), a(3, dtype="float32")).but(second=False),
        case(a(3, dtype="float32"), a(dtype="float64")).but(tolerance=4e-6),
        case(a(3, dtype="uint8"), a(3, dtype="int8")),
        case(A(values=X), A(values=Y)).but(smooth=False, second=False),
    ]
    if number is not None:
        found += [
            case(a(2, 3, dtype=d), n)
            for d in ("float32", "int64", "bool", "complex64")
            for n in (number, int(number) or 1, True)
        ]
        found += [case(a(2, 3), number), case(a(), number)]
        if not other_name:
            found += [case(number, a(3, dtype="float32")), case(a(2), "a").but(inplace=False)]
    return found


def binary(names: str, low: float = 0.3, high: float = 3.0, dtypes: tuple[str, ...] = ALL, number: Any = 2.5) -> None:
    for name in names.split():
        samples(name, *pairs(low, high, dtypes, number, name in OTHER_NAMES), inplace=name not in BOOLS)


binary("add sub mul div remainder fmod floor_divide multiply subtract divide true_divide")
binary(
    "maximum minimum fmax fmin atan2 hypot nextafter logaddexp logaddexp2 heaviside arctan2 igamma igammac", number=None
)
binary("copysign xlogy float_power pow ldexp")
binary("eq ne lt le gt ge greater less not_equal greater_equal less_equal logical_and logical_or logical_xor", -2, 2)
binary("bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift", -3, 9)
binary("gcd lcm", -6, 9, number=None)

for _n in (2, -1.5, 2.0, 1, True, 1j):
    for _name in ("add", "sub"):
        samples(
            _name,
            *(
                case(A(3, dtype=d), A(2, 3, dtype=d), alpha=_n).but(inplace=False)
                for d in ("float64", "int64", "complex64", "bool")
            ),
            case(A(3), 2.0, alpha=_n),
            case(A(3, dtype="int64"), A(3), alpha=_n).but(inplace=False),
        )
for _mode in ("floor", "trunc", None, "up"):
    samples(
        "div",
        *(
            case(A(values=(7, -7, 7, -7), dtype=d), A(values=(2, 2, -2, -2), dtype=d), rounding_mode=_mode).but(
                smooth=False
            )
            for d in ALL
        ),
        case(A(4, low=1), 2, rounding_mode=_mode).but(smooth=False),
        case(A(4, dtype="int64"), 2.5, rounding_mode=_mode),
        case(A(values=(1.0, -1.0, 0.0)), A(values=(0.0, 0.0, 0.0)), rounding_mode=_mode).but(
            smooth=False, second=False
        ),
    )
for _name in ("floor_divide", "remainder", "fmod"):
    samples(
        _name,
        *(
            case(A(values=(7, -7, 7, -7), dtype=d), A(values=(2, 2, -2, -2), dtype=d)).but(smooth=False)
            for d in (*INTEGERS, *REAL)
        ),
        case(A(3, dtype="int64"), 0),
        case(7, A(values=(2, -2))).but(smooth=False),
        case(A(values=(7.5, -7.5)), -2).but(smooth=False),
        case(A(values=(5, -5), dtype="int32"), 3),
    )
samples(
    "pow",
    *(case(A(3, low=0.5, dtype=d), n).but(second=d[-2:] != "16") for d in ALL for n in (2, 3, 0.5, -1, 0, -2.5, 1)),
    case(2, A(3)),
    case(0, A(values=(0.0, 1.0, 2.0))).but(smooth=False, second=False),
    case(-2.0, A(values=(2.0, 3.0))).but(smooth=False),
    case(A(values=(0.0, 0.0, 2.0)), A(values=(0.0, 2.0, 1.5))).but(smooth=False, second=False),
    case(2, A(3, dtype="int64", low=0)),
    case(A(3, dtype="int64"), A(3, dtype="int64", low=-3, high=-1)).but(inplace=False),
    case(A(3), 1 + 1j),
    case(A(2, dtype="complex128"), 2),
)
samples(
    "rsub", case(A(3), A(3)), case(A(3), 2), case(A(3, dtype="int64"), 2.5), case(A(3, dtype="bool"), 1), method=False
)
samples("special_xlog1py", *pairs(0.3, 3.0, ("float64", "int64", "float16"), 2.5)[:-4], path="special.xlog1py")
samples(
    "equal",
    case(A(2), A(2)),
    case(A(values=(1.0,)), A(values=(1.0,))),
    case(A(values=(1.0,)), A(values=(1,), dtype="int64")),
    case(A(2), A(3)),
    case(A(values=(NAN,)), A(values=(NAN,))),
)
for _name in ("isclose", "allclose"):
    samples(
        _name,
        *(case(A(values=(1, 2, 3), dtype=d), A(values=(1, 2, 4), dtype=d)) for d in ALL),
        case(A(values=(1.0, NAN, INF)), A(values=(1.0 + 1e-9, NAN, INF))),
        case(A(values=(1.0, NAN, INF)), A(values=(1.0 + 1e-9, NAN, INF)), equal_nan=True),
        case(A(3), A(3), 1.0, 0.5),
        case(A(3), A(3), rtol=-1.0),
        case(A(3), A(3, dtype="float32")),
    )
samples(
    "isin",
    case(A(values=(1, 2, 3), dtype="int64"), A(values=(2, 3), dtype="int64")),
    case(A(values=(1.0, 2.0)), 2.0),
    case(2, A(values=(1, 2), dtype="int64")),
    case(A(2, 2), A(values=(1.0,)), invert=True),
)

# -- where, clamp, mixtures --------------------------------------------------------------------------------------------
for _d in ALL:
    samples(
        "where",
        case(A(2, 3, dtype="bool"), A(2, 3, dtype=_d), A(3, dtype=_d)),
        case(A(3, dtype="bool"), A(3, dtype=_d), 2),
        case(A(3, dtype="bool"), 1.5, A(3, dtype=_d)),
        inplace=False,
        method=False,
    )
    samples(
        "clamp",
        case(A(4, dtype=_d), -1, 1).but(smooth=False, inplace=_d != "bool"),
        case(A(4, dtype=_d), 0.5).but(smooth=False, inplace=_d != "bool"),
        case(A(4, dtype=_d), A(4, dtype=_d), A(dtype=_d)).but(smooth=False),
    )
    samples(
        "clamp_min",
        case(A(4, dtype=_d), 0.25).but(inplace=_d != "bool"),
        case(A(4, dtype=_d), A(4, dtype=_d)).but(inplace=_d[:2] != "co"),
    )
    samples(
        "clamp_max",
        case(A(4, dtype=_d), 0.25).but(inplace=_d != "bool"),
        case(A(4, dtype=_d), A(4, dtype=_d)).but(inplace=_d[:2] != "co"),
    )
    _half = _d[-2:] == "16"
    samples(
        "lerp",
        case(A(3, dtype=_d), A(3, dtype=_d), 0.25).but(second=not _half),
        case(A(3, dtype=_d), A(3, dtype=_d), A(3, dtype=_d, low=0, high=1)).but(second=not _half),
    )
    samples("addcmul", case(A(3, dtype=_d), A(3, dtype=_d), A(3, dtype=_d), value=2).but(second=not _half))
    samples("addcdiv", case(A(3, dtype=_d), A(3, dtype=_d), A(3, dtype=_d, low=0.5), value=2).but(second=not _half))
samples(
    "where",
    case(A(3, dtype="bool"), 1, 2),
    case(A(3, dtype="bool"), 1.5, 2),
    case(A(3), A(3), A(3)),
    case(A(2, dtype="bool"), A(3), A(3)),
    case(A(3, dtype="bool"), A(3, dtype="float32"), A(3)),
    case(A(3, dtype="bool")),
    case(A(0, dtype="bool"), A(0), A()),
)
samples(
    "clamp",
    case(A(3)),
    case(A(3), max=0.5),
    case(A(3), min=A(3)),
    case(A(3), max=A(3)),
    case(A(2, 3), A(3), A(2, 1)),
    case(A(values=(0.0, 1.0, NAN)), 0.0, 1.0).but(smooth=False),
    case(A(3), 1, -1),
    case(A(3), A(3), 1).but(inplace=False),
    case(A(3), "a").but(inplace=False),
    case(A(3, dtype="int64"), 0.5),
    case(A(3), float("nan"), 1.0).but(smooth=False),
    case(A(2), A(3)),
)
samples("clip", case(A(3), -1, 1), case(A(3), min=0))
samples(
    "lerp",
    case(A(2, 3), A(3), A(2, 1)),
    case(A(3), A(3, dtype="float32"), 0.5),
    case(A(3), A(3), 0.75),
    case(A(3), 2.0, 0.5).but(inplace=False),
)
samples("addcmul", case(A(2, 3), A(3), A(2, 1)), case(A(3), A(3, dtype="float32"), A(3)), case(A(3), A(3), 2.0))
samples("addcdiv", case(A(2, 3), A(3, low=1), A(2, 1, low=1)), case(A(3), A(3), A(3, low=0.5)))
