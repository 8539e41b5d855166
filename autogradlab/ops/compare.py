"""Comparisons and logic: they give bools and have no derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..factories import binary
from ..opdef import alias, composite, op
from ..promotion import common
from ..tensor import Tensor

for _name, _kernel, _doc in (
    ("eq", np.equal, "input == other"), ("ne", np.not_equal, "input != other"),
    ("lt", np.less, "input < other"), ("le", np.less_equal, "input <= other"),
    ("gt", np.greater, "input > other"), ("ge", np.greater_equal, "input >= other"),
):  # fmt: skip
    binary(_name, _kernel, result="bool", doc=_doc)
for _new, _old in (("not_equal", "ne"), ("less", "lt"), ("less_equal", "le"), ("greater", "gt"), ("greater_equal", "ge")):
    alias(_new, _old)
    alias(_new + "_", _old + "_", function=False)

binary("logical_and", np.logical_and, result="bool", doc="Whether both are non-zero.")
binary("logical_or", np.logical_or, result="bool", doc="Whether one is non-zero.")
binary("logical_xor", np.logical_xor, result="bool", doc="Whether exactly one is non-zero.")


@op("logical_not", inplace=True)
def logical_not(input):  # type: ignore[no-untyped-def]
    """Whether input is zero."""
    return np.logical_not(input)


@op("isnan")
def isnan(input):  # type: ignore[no-untyped-def]
    """Whether an element is NaN."""
    return np.isnan(input) if input.dtype.kind in "fc" else np.zeros(input.shape, bool)


@op("isinf")
def isinf(input):  # type: ignore[no-untyped-def]
    """Whether an element is infinite."""
    return np.isinf(input) if input.dtype.kind in "fc" else np.zeros(input.shape, bool)


@op("isfinite")
def isfinite(input):  # type: ignore[no-untyped-def]
    """Whether an element is finite."""
    return np.isfinite(input) if input.dtype.kind in "fc" else np.ones(input.shape, bool)


@composite()
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have one shape and equal elements: a Python bool."""
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        from ..arguments import reject

        reject("equal", (input, other), {})
    return input._array.shape == other._array.shape and bool(np.array_equal(input._array, other._array))


@op("isclose", "input other")
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):  # type: ignore[no-untyped-def]
    """Whether elements differ by at most atol + rtol * abs(other)."""
    close = input == other
    if input.dtype.kind in "fc":
        allowed = atol + np.abs(rtol * other)
        close = close | (np.isfinite(input - other) & (np.abs(input - other) <= allowed))
        if equal_nan:
            close = close | (np.isnan(input) & np.isnan(other))
    else:
        close = close | (np.abs(input.astype(float) - other) <= atol + rtol * np.abs(other.astype(float)))
    return close


@composite()
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close: a Python bool."""
    from ..record import TENSORS

    if input.dtype is not other.dtype:
        raise RuntimeError(f"{_lower(input)} did not match {_lower(other)}")
    return bool(TENSORS.isclose(input, other, rtol, atol, equal_nan)._array.all())


def _lower(t: Any) -> str:
    from ..dtypes import _scalar_name

    return _scalar_name(t.dtype)


__all__ = ["common"]
