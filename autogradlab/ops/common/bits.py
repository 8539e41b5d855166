"""Integers as such: bitwise logic, shifts, common divisors; and the number tests that give bools."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..first.kinds import refuse, refusing, strict
from ..table.factories import binary
from ..table.opdef import alias, op

for _name, _ufunc, _doc in (
    ("bitwise_and", np.bitwise_and, "Bitwise and of integers or bools."),
    ("bitwise_or", np.bitwise_or, "Bitwise or of integers or bools."),
    ("bitwise_xor", np.bitwise_xor, "Bitwise exclusive or of integers or bools."),
):
    binary(_name, _ufunc, check=refusing("fVc", _name + "_cpu"), doc=_doc)


def _left(x, y):  # type: ignore[no-untyped-def]
    """Shifts by a negative number or by all bits give 0."""
    bits = 8 * x.dtype.itemsize
    fits = (y >= 0) & (y < bits)
    return np.where(fits, np.left_shift(x, np.where(fits, y, 0).astype(x.dtype)), np.zeros((), x.dtype))


def _right(x, y):  # type: ignore[no-untyped-def]
    bits = 8 * x.dtype.itemsize - (x.dtype.kind == "i")
    return (
        np.right_shift(x, np.where((y >= 0) & (y < bits), y, bits - (x.dtype.kind == "u")).astype(x.dtype))
        if (x.dtype.kind == "i")
        else np.where((y >= 0) & (y < bits), np.right_shift(x, np.minimum(y, bits - 1)), 0).astype(x.dtype)
    )


binary("bitwise_left_shift", _left, check=refusing("bfVc", "lshift_cpu"), doc="input * 2**other, in bits.")
binary("bitwise_right_shift", _right, check=refusing("bfVc", "rshift_cpu"), doc="input / 2**other, in bits.")
binary("gcd", np.gcd, check=refusing("bfVc", "gcd_cpu"), doc="The greatest common divisor.")
binary("lcm", np.lcm, check=refusing("bfVc", "lcm_cpu"), doc="The least common multiple.")


@op("bitwise_not", inplace=True)
def bitwise_not(input):  # type: ignore[no-untyped-def]
    """Bitwise not of integers; logical not of bools."""
    refuse(input, "bitwise_not_cpu", "fVc")
    return np.invert(input)


def _test(name: str, kernel: Any, doc: str, message: str | None = None, error: type[Exception] = RuntimeError) -> None:
    def test(input):  # type: ignore[no-untyped-def]
        if message is not None and input.dtype.kind == "c":
            raise error(message)
        return kernel(input)

    test.__name__ = name
    op(name, doc=doc)(test)


_floats = "fVc"
_test(
    "isnan", lambda x: np.isnan(x) if x.dtype.kind in _floats else np.zeros(x.shape, bool), "Whether an element is NaN."
)
_test(
    "isinf",
    lambda x: np.isinf(x) if x.dtype.kind in _floats else np.zeros(x.shape, bool),
    "Whether an element is infinite.",
)
_test(
    "isfinite",
    lambda x: np.isfinite(x) if x.dtype.kind in _floats else np.ones(x.shape, bool),
    "Whether an element is finite.",
)
_test("isposinf", lambda x: x == np.inf, "Whether an element is +inf.", "isposinf does not support complex inputs.")
_test("isneginf", lambda x: x == -np.inf, "Whether an element is -inf.", "isneginf does not support complex inputs.")
_test(
    "isreal",
    lambda x: x.imag == 0 if x.dtype.kind == "c" else np.logical_or(x == x, True),
    "Whether an element has no imaginary part.",
)
_test(
    "signbit",
    lambda x: np.signbit(x) if x.dtype.kind in "fV" else x < 0,
    "Whether an element has a minus sign.",
    "signbit is not implemented for complex tensors.",
    NotImplementedError,
)


@op("logical_not", inplace=True)
def logical_not(input):  # type: ignore[no-untyped-def]
    """Whether input is zero."""
    return np.logical_not(input)


def _truth(ufunc: Any) -> Any:
    return lambda x, y: ufunc(x != 0, y != 0)


binary("logical_and", _truth(np.logical_and), result="bool", doc="Whether both are non-zero.")
binary("logical_or", _truth(np.logical_or), result="bool", doc="Whether one is non-zero.")
binary("logical_xor", _truth(np.logical_xor), result="bool", doc="Whether exactly one is non-zero.")
strict("logical_and logical_or logical_xor gcd lcm", both=True)
for _name in ("gcd", "lcm"):
    alias(_name + "_", _name + "_", method=False)
