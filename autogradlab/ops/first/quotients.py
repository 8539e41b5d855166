"""Rounded quotients: their kernels, and div with rounding_mode=, an overload with a Node of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arguments.params import OTHER_NAMES
from ...core.memory.layout import iterating
from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import float32, of_scalar
from ...core.values.promotion import broadcast_shapes, is_number, wrap_number
from ..table.opdef import OPS, Op
from ..table.overloads import Arguments, Called, Overload
from .kinds import UNSIGNED, align, floated, in_single, into, is_half, refuse, single

F = TENSORS


def divides(name: str) -> Callable[[Any, Any], None]:
    """A check for `binary`: a kernel `name` takes real numbers, and integers are not divided by 0."""

    def check(x: Any, y: Any) -> None:
        if x.dtype.kind in "bcu":
            broadcast_shapes(x.shape, y.shape)
            refuse(x, name, "bc" + UNSIGNED)
        if (
            x.dtype.kind in "iu"
            and x.size
            and not (np.count_nonzero(y) == y.size if type(y) is np.ndarray else np.all(y))
        ):
            broadcast_shapes(x.shape, y.shape)
            raise RuntimeError("ZeroDivisionError")

    return check


#: from how many elements on float32 goes by float64
_MANY = 1 << 11
#: below that whole numbers times a float32 are exact in float64
_EXACT = 1 << 28


def _many_singles(x: Any, y: Any) -> bool:
    return type(x) is type(y) is np.ndarray and x.dtype == y.dtype == np.float32 and max(x.size, y.size) >= _MANY


def fmod(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What a division rounded towards 0 leaves. NumPy calls C's function for each element; of many float32 the whole
    quotient and what it leaves are exact in float64, where they are not too far apart."""
    if _many_singles(x, y):
        wide = y.astype(np.float64)
        q = x / wide
        np.trunc(q, q)
        if np.abs(q).max(initial=0) < _EXACT and np.isfinite(wide).all():
            q *= wide
            np.subtract(x, q, q)
            r = q.astype(np.float32)
            return np.copysign(r, x, r)
    return np.fmod(x, y)


def floor_quotient(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Division rounded down; by zero as C does, where NumPy would give NaN."""
    if is_half(x) and y.size == 1 and y == 1:  # a number has divided them in float32 already
        return np.floor(x)
    if is_half(x) or _many_singles(x, y):
        return _floor_by_steps(x, y)
    q = np.floor_divide(x, y)
    return np.where(y == 0, x / y, q) if x.dtype.kind == "f" else q


def _floor_by_steps(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The same step by step, as C does it; of half types PyTorch rounds each one."""
    rest = fmod(x, y)
    q = (x - rest) / y
    q = q - ((rest != 0) & ((y < 0) != (rest < 0))).astype(q.dtype)
    low = np.floor(q)
    low = low + (q - low > q.dtype.type(0.5)).astype(q.dtype)
    true = x / y
    return np.where(y == 0, true, np.where(q == 0, np.copysign(q, true), low))


def trunc_quotient(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Division rounded towards 0; of half types the quotient is rounded before."""
    if x.dtype.kind in "fV":
        return np.trunc(x / y)
    q = np.floor_divide(x, y)
    return q + ((q < 0) & (q * y != x)) if x.dtype.kind == "i" else q


def _true_quotient(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return floated(x) / floated(y)


_ROUNDED = {"floor": floor_quotient, "trunc": trunc_quotient, None: single(_true_quotient)}


@iterating
def rounded_quotient(input: np.ndarray, other: np.ndarray, rounding_mode: str | None) -> np.ndarray:
    """input / other, rounded as rounding_mode says."""
    x, y = align(input, other)
    if rounding_mode is not None:
        divides(f"div_{rounding_mode}_cpu")(x, y)
        if is_half(x) and other.size == 1:
            return in_single(_ROUNDED[rounding_mode], x, other.astype(np.float32))
    r = np.asarray(_ROUNDED[rounding_mode](x, y))
    return r if r.dtype == x.dtype or rounding_mode is None else r.astype(x.dtype)


OPS["div.mode"] = Op(
    "div",
    rounded_quotient,
    "input other",
    in_rows="arithmetic",
    node="DivBackward2",
    overload="Tensor_mode",
    vjp={
        "input": lambda F, grad, other, rounding_mode: (
            grad / F.conj(other) if rounding_mode is None else F.nought(grad)
        ),
        "other": lambda F, grad, input, other, rounding_mode: (
            (q := F.conj((input / other) / other), -grad * q)[1] if rounding_mode is None else F.nought(grad)
        ),
    },
)


def _with_mode(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
    if "rounding_mode" not in kwargs:
        return None
    named = dict(kwargs)
    if kwargs.keys() & OTHER_NAMES.keys():
        _, found = called.bind(args, kwargs)
        args, named = (), {name: value for name, value in found.items() if name != "out" or value is not None}
    mode = named.pop("rounding_mode")
    out = {"out": named.pop("out")} if "out" in named else {}
    values = [*args, *(named.pop(n) for n in ("input", "other") if n in named)]
    if len(values) != 2 or named:
        entry = OPS["div"].of_methods if called.as_method or called.in_place else OPS["div"]
        return entry.reject(args, kwargs, called.name)
    return (*_operands(values[0], values[1], mode), mode), out


def _operands(input: Any, other: Any, mode: Any) -> tuple[Tensor, Tensor]:
    if mode not in (None, "floor", "trunc"):
        raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{mode}'")
    if is_number(input) and is_number(other):
        input, other = (wrap_number(n, of_scalar(n).numpy) for n in (input, other))
    elif is_number(input) and isinstance(other, Tensor):
        input = wrap_number(input)
        input = F.to(input, into(other, input.item()).dtype)
    elif is_number(other) and isinstance(input, Tensor):
        d = into(input, other).dtype
        # half types take a number as it is
        other = F.to(wrap_number(other), float32 if d.itemsize == 2 and d.is_floating_point and input.dim() else d)
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        OPS["div"].reject((input, other), {"rounding_mode": mode})
    return input, other


#: div with rounding_mode=
ROUNDED = Overload(OPS["div.mode"], takes=_with_mode)
