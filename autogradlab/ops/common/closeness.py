"""Elements that are equal up to rounding, or to one of several."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.memory.layout import iterated
from ...core.memory.rows import Rows, plain_rows
from ...core.memory.versions import increment_version
from ...core.recording.record import TENSORS
from ...core.runtime import errors
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import scalar_name
from ...core.values.promotion import number, plain_number, result_dtype
from ..first.kinds import BOOL, COMPLEX, align, magnitude
from ..first.products import written
from ..table.arguments import reject
from ..table.asking import unseen, whole
from ..table.opdef import OPS, Op, composite
from ..table.outputs import EXPECTED, Out


def _isclose(input: np.ndarray, other: np.ndarray, rtol: float, atol: float, equal_nan: bool) -> np.ndarray:
    if input.dtype != other.dtype:
        raise RuntimeError(f"{scalar_name(input)} did not match {scalar_name(other)}")
    if not rtol >= 0:
        raise RuntimeError(f"rtol must be greater than or equal to zero, but got {rtol:g}")
    if not atol >= 0:
        raise RuntimeError(f"atol must be greater than or equal to zero, but got {atol:g}")
    align(input, other)
    close = input == other
    if input.dtype.kind in "fcV":
        allowed = atol + magnitude(rtol * other)
        apart = input - other
        close = close | (np.isfinite(apart) & (magnitude(apart) <= allowed))
        if equal_nan:
            close = close | (np.isnan(input) & np.isnan(other))
    elif rtol or atol:
        close = close | (np.abs(input.astype(float) - other) <= atol + rtol * np.abs(other.astype(float)))
    return iterated(close, input, other)


OPS["isclose"] = Op("isclose", _isclose, "input other")


@composite(
    "isclose(Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) "
    "-> Tensor|looped_alone"
)
@instead(unseen)
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether elements are equal up to rounding: |input - other| <= atol + rtol * |other|.

    Shapes: both broadcast together.
    Dtypes: any, both the same; the result is bool.

    >>> torch.isclose(torch.tensor([1., 2.]), torch.tensor([1. + 1e-7, 2.1]))
    tensor([ True, False])
    """
    rtol, atol = plain_number(rtol), plain_number(atol)
    close: Tensor = OPS["isclose"].call(input, other, rtol, atol, equal_nan)
    if equal_nan and input._array.dtype.kind in "fcV":  # PyTorch puts each further condition into the result in place
        increment_version(close)
    if rtol or atol:
        increment_version(close)
    return close


@composite(
    "allclose(Tensor input, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool",
)
@instead(whole(plain=True))
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are equal up to rounding: isclose, as one Python bool.

    Shapes: both broadcast together.
    Dtypes: any, both the same.

    >>> torch.allclose(torch.tensor([1., 2.]), torch.tensor([1., 2. + 1e-6]))
    True
    """
    if isinstance(input._array, Rows) or isinstance(other._array, Rows):
        raise RuntimeError(errors.ROWS_ALLCLOSE)
    return bool(TENSORS.isclose(input, other, rtol, atol, equal_nan)._array.all())


_ISIN = Op("isin", lambda input, values, invert: np.isin(input, values, invert=invert))


@composite(
    """
    isin(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False,
        Tensor out=None) -> Tensor|.Tensor_Tensor|uint_isin_default_cpu|looped
    isin(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False,
        Tensor out=None) -> Tensor|.Scalar_Tensor|looped
    isin(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False,
        Tensor out=None) -> Tensor|.Tensor_Scalar|looped
    """,
    method=False,
    out=Out(exact=EXPECTED),
)
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False, out: Any = None
) -> Tensor:
    """Whether each element occurs among test_elements.

    Shapes: the result has the shape of elements.
    Dtypes: real numbers; the result is bool.

    >>> torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 5]))
    tensor([False,  True, False])
    """
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        reject("isin", (elements, test_elements), {})
    for given in (elements, test_elements):
        found = given._array if isinstance(given, Tensor) else np.asarray(given)
        if found.dtype.kind in BOOL + COMPLEX:
            raise RuntimeError(f"Unsupported input type encountered for isin(): {scalar_name(found)}")
    wanted = result_dtype((elements, test_elements)).numpy
    x, y = (v._array.astype(wanted) if isinstance(v, Tensor) else number(v, wanted) for v in (elements, test_elements))
    hits = _ISIN.call(TENSORS.from_numpy(plain_rows(x)), y, invert)
    return hits if out is None else written(hits, out, "isin", exact=EXPECTED)
