"""Comparisons: they give bools and have no derivative."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from ...core.values.promotion import is_number, result_dtype
from ..table.factories import binary
from ..table.opdef import alias, composite, op
from .kinds import align, refuse, refusing, strict

for _name, _kernel, _doc in (
    ("eq", np.equal, "input == other"),
    ("ne", np.not_equal, "input != other"),
    ("lt", np.less, "input < other"),
    ("le", np.less_equal, "input <= other"),
    ("gt", np.greater, "input > other"),
    ("ge", np.greater_equal, "input >= other"),
):
    binary(
        _name, _kernel, result="bool", doc=_doc, check=None if _name in ("eq", "ne") else refusing("c", f"{_name}_cpu")
    )
strict("eq ne lt le gt ge")
for _new, _old in (
    ("not_equal", "ne"),
    ("less", "lt"),
    ("less_equal", "le"),
    ("greater", "gt"),
    ("greater_equal", "ge"),
):
    alias(_new, _old)
    alias(_new + "_", _old + "_", function=False)


@composite()
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have one shape and equal elements: a Python bool."""
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        from ..table.arguments import reject

        reject("equal", (input, other), {})
    if input.dtype is not other.dtype:
        x, y = align(input._array, other._array) if input.shape == other.shape else (input._array, other._array)
        return x.shape == y.shape and bool(np.array_equal(x, y))
    return input._array.shape == other._array.shape and bool(np.array_equal(input._array, other._array))


@op("isclose", "input other")
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):  # type: ignore[no-untyped-def]
    """Whether elements differ by at most atol + rtol * abs(other)."""
    if input.dtype != other.dtype:
        from .kinds import name_of

        raise RuntimeError(f"{name_of(input)} did not match {name_of(other)}")
    if rtol < 0:
        raise RuntimeError(f"rtol must be greater than or equal to zero, but got {rtol:g}")
    if atol < 0:
        raise RuntimeError(f"atol must be greater than or equal to zero, but got {atol:g}")
    align(input, other)
    close = input == other
    if input.dtype.kind in "fcV":
        allowed = atol + np.abs(rtol * other)
        close = close | (np.isfinite(input - other) & (np.abs(input - other) <= allowed))
        if equal_nan:
            close = close | (np.isnan(input) & np.isnan(other))
    elif rtol or atol:
        close = close | (np.abs(input.astype(float) - other) <= atol + rtol * np.abs(other.astype(float)))
    return close


@composite()
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close: a Python bool."""
    return bool(TENSORS.isclose(input, other, rtol, atol, equal_nan)._array.all())


@composite(method=False)
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False, out: Any = None
) -> Tensor:
    """Whether each element is one of test_elements."""
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        from ..table.arguments import reject

        reject("isin", (elements, test_elements), {})
    wanted = result_dtype((elements, test_elements)).numpy
    x, y = (
        v._array.astype(wanted) if isinstance(v, Tensor) else np.asarray(v, wanted) for v in (elements, test_elements)
    )
    refuse(x, "unique" if y.size > 10 else "isin_default_cpu", "c")
    found = _ISIN.call(TENSORS.from_numpy(np.asarray(x)), y, invert)
    return found if out is None else TENSORS.logical_or(found, found, out=out)  # type: ignore[no-any-return]


def _isin(input, values, invert):  # type: ignore[no-untyped-def]
    return np.isin(input, values, invert=invert)


from ..table.opdef import Op  # noqa: E402

_ISIN = Op("isin", _isin)

__all__ = ["is_number"]
