"""Rounding and what goes with it: piecewise constant, so the derivative is 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from ..first.kinds import refuse, single
from ..table.factories import unary
from ..table.opdef import OPS, Op, alias, op, publish

F = TENSORS


def _rounded(name: str, ufunc: Any, doc: str) -> None:
    def kernel(x):  # type: ignore[no-untyped-def]
        refuse(x, f"{name}_vml_cpu", "b")
        if x.dtype.kind == "c":
            raise NotImplementedError(f"{name} is not supported for complex inputs")
        return x.copy() if x.dtype.kind in "iu" else ufunc(x)

    unary(name, kernel, lambda F, grad: F.nought(grad), promotes=False, doc=doc)


_rounded("floor", np.floor, "The largest integer not above input.")
_rounded("ceil", np.ceil, "The smallest integer not below input.")
_rounded("trunc", np.trunc, "The integer part.")
alias("fix", "trunc")
alias("fix_", "trunc_")


def _frac(x):  # type: ignore[no-untyped-def]
    refuse(x, "frac_cpu", "biuc")
    return x - np.trunc(x)


def _round(x):  # type: ignore[no-untyped-def]
    refuse(x, "round_vml_cpu", "bc")
    return x.copy() if x.dtype.kind in "iu" else np.rint(x)


def _decimals(x, places):  # type: ignore[no-untyped-def]
    power = np.asarray(10.0 ** abs(places), x.dtype)
    return np.rint(x * power) / power if places > 0 else np.rint(x / power) * power


def _round_decimals(input, decimals):  # type: ignore[no-untyped-def]
    refuse(input, "round_cpu" if decimals else "round_vml_cpu", "biuc")
    return np.rint(input) if decimals == 0 else single(_decimals)(input, decimals)


unary("frac", _frac, lambda F, grad: grad, promotes=False, doc="input - trunc(input)")
unary(
    "round", _round, lambda F, grad: F.nought(grad), promotes=False, doc="The nearest integer, the even one at a half."
)
OPS["round.decimals"] = _PLACES = Op(
    "round", _round_decimals, node="RoundBackward1", vjp={"input": lambda F, grad: F.nought(grad)}
)
_plain, _plain_ = F.round, F.round_


def _signature(input, *, decimals=0, out=None): ...  # type: ignore[no-untyped-def]


def _forward(*args: Any, **options: Any) -> Any:
    if "decimals" not in options:
        return _plain(*args, **options)
    decimals, out = options.pop("decimals"), options.pop("out", None)
    return _PLACES.call(*args, decimals, **options, **({} if out is None else {"out": out}))


def _forward_(input: Tensor, *args: Any, **options: Any) -> Any:
    if "decimals" not in options:
        return _plain_(input, *args, **options)
    return _PLACES.call_(input, *args, options["decimals"])


publish("round", _forward, _signature, True, True, "The nearest number of `decimals` places, the even one at a half.")
publish("round_", _forward_, _signature, True, True, "In-place version of :meth:`round`.")


@op("nan_to_num", vjp={"input": lambda F, grad, input: grad * F.isfinite(input)}, inplace=True)
def nan_to_num(input, nan=None, posinf=None, neginf=None):  # type: ignore[no-untyped-def]
    """NaN and infinities replaced: by 0, the largest and the smallest number unless told otherwise."""
    if input.dtype.kind in "biu":
        return input.copy()
    if input.dtype.kind == "c":
        r = np.empty_like(input)
        r.real, r.imag = (nan_to_num(part, nan, posinf, neginf) for part in (input.real, input.imag))
        return r
    limits = _limits(input.dtype)
    r = np.where(np.isnan(input), np.asarray(nan or 0, input.dtype), input)
    r = np.where(input == np.inf, np.asarray(limits if posinf is None else posinf, input.dtype), r)
    return np.where(input == -np.inf, np.asarray(-limits if neginf is None else neginf, input.dtype), r)


def _limits(d: np.dtype[Any]) -> float:
    return 3.3895313892515355e38 if d.kind == "V" else float(np.finfo(d).max)
