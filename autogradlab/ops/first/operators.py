"""Python's operators on tensors, and the operations that exist only as operators."""

# mypy: disable-error-code="method-assign,assignment,attr-defined"
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.memory.layout import iterated, iterating
from ...core.memory.rows import plain_rows
from ...core.memory.versions import UNSHARED, of_inference
from ...core.recording.record import TENSORS
from ...core.runtime import errors
from ...core.runtime.modes import FLAGS, LOCAL
from ...core.tensor.overriding import cast_within, stands_in
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import from_numpy
from ...core.values.building import scalar_array
from ...core.values.promotion import broadcast_shapes, is_number, number, result_dtype, wrap_number
from ..table.opdef import OPS, Op, publish
from .elementwise import check_alpha
from .kinds import align

F = TENSORS

_PLAIN = frozenset((Tensor, float, int))
#: the dtypes that these numbers leave as they are: the floats, and the one of integers
_SINGLE, _DOUBLE, _WHOLE = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64)


def _defers(fn: Callable[[Any, Any], Any], arrays: bool = False) -> Callable[[Any, Any], Any]:
    """An operator that lets the other operand try where it knows neither tensor nor number (nor array, if asked to)."""

    def operator(self: Tensor, other: Any) -> Any:
        if isinstance(other, (Tensor, int, float)) or is_number(other) or (arrays and isinstance(other, np.ndarray)):
            return fn(self, other)
        return operator(self, other) if stands_in((other,), {}) else NotImplemented

    return operator


def _defers_modulo(fn: Callable[[Any, Any], Any], short: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The power: Python's pow with a third argument is left to others. short: for a tensor of floats and a number,
    where nothing is to be refused or converted."""

    def operator(self: Tensor, other: Any, *modulo: Any) -> Any:
        kind = type(other)
        if not modulo and kind in _PLAIN:
            numpy = self._array.dtype
            plain = kind is not Tensor and (numpy is _SINGLE or numpy is _DOUBLE)
            return short(self, other) if plain else fn(self, other)
        if not modulo and (isinstance(other, (Tensor, int, float)) or is_number(other)):
            return fn(self, other)
        return operator(self, other) if not modulo and stands_in((other,), {}) else NotImplemented

    return operator


def _defers_numbers(fn: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operator that takes tensors only."""

    def operator(self: Tensor, other: Any) -> Any:
        if isinstance(other, Tensor):
            return fn(self, other)
        return operator(self, other) if stands_in((other,), {}) else NotImplemented

    return operator


def _subtracted_from(input: np.ndarray, other: Any, alpha: Any = 1) -> np.ndarray:
    times = input if alpha == 1 else input * scalar_array(alpha, from_numpy(input.dtype))
    first = number(other, input.dtype)
    r = np.asarray(np.subtract(first, times))
    return r if r.ndim < 2 else iterated(r, first, input)


_RSUB = OPS["rsub"] = Op(
    "rsub",
    _subtracted_from,
    "input",
    node="RsubBackward1",
    vjp={"input": lambda F, grad, alpha: -grad if alpha == 1 else -grad * alpha},
)


def _subtracted(input: np.ndarray, other: np.ndarray, alpha: Any = 1) -> np.ndarray:
    return _less_times(other, input, alpha)


@iterating
def _less_times(input: np.ndarray, other: np.ndarray, alpha: Any) -> np.ndarray:
    x, y = align(input, other)
    return plain_rows(x - y * scalar_array(alpha, from_numpy(y.dtype)))


_RSUB_TENSORS = OPS["rsub.tensors"] = Op(
    "rsub",
    _subtracted,
    "input other",
    node="RsubBackward0",
    vjp={
        "input": lambda F, grad, alpha: -grad if alpha == 1 else -grad * alpha,
        "other": lambda F, grad: grad,
    },
)


def _rsub(input: Tensor, other: Any, alpha: Any = 1) -> Tensor:
    kinds = [isinstance(t, bool) or (isinstance(t, Tensor) and t._array.dtype.kind == "b") for t in (input, other)]
    if all(kinds):
        raise RuntimeError(errors.BOOL_SUB_BOTH)
    if any(kinds):
        raise RuntimeError(errors.BOOL_SUB_ONE)
    wanted = result_dtype((input, other))
    if isinstance(other, Tensor):
        broadcast_shapes(other._array.shape, input._array.shape)
    check_alpha(alpha, wanted)
    if isinstance(other, Tensor):
        return _RSUB_TENSORS.call(input, other, alpha)
    if wanted is not input.dtype:
        input = F.to(input, wanted)
    if of_inference(input) and not LOCAL.state.inference:  # autograd sees a number that is none of that mode
        return F.sub(wrap_number(other), input, alpha=alpha)
    return _RSUB.call(input, other, alpha)


publish(
    """
    rsub(Tensor input, Tensor other, *, Scalar alpha=1) -> Tensor|.Tensor|uint_add_stub
    rsub(Tensor input, Scalar other, Scalar alpha=1) -> Tensor|.Scalar|uint_add_stub
    """,
    _rsub,
    False,
    True,
    """
    other - alpha * input: sub with its operands exchanged.

    ~pair

    >>> torch.rsub(torch.tensor([1., 2.]), 10)
    tensor([9., 8.])
    """,
    reads="first",
)


def _from_number(self: Tensor, other: Any) -> Tensor:
    if _in_formula():
        found: Tensor = F.sub(other, self)
        return found
    kind, numpy = type(other), self._array.dtype
    if kind is int or kind is float:
        plain = numpy is _SINGLE or numpy is _DOUBLE or (numpy is _WHOLE and kind is int)
        if plain and (self._counter is UNSHARED or type(self._counter) is list):  # nothing to refuse or convert
            return _RSUB.call(self, other, 1)
    return _rsub(self, other)


def _rdiv(self: Tensor, other: Any) -> Tensor:
    if isinstance(other, np.ndarray):
        found: Tensor = F.reciprocal(self) * other
        return found
    return F.div(other, self) if _in_formula() else F.mul(F.reciprocal(self), other)


def _number_to_power(self: Tensor, other: Any) -> Tensor:
    found: Tensor = OPS["pow.base"].call(other, self)
    return found


def _in_formula() -> bool:
    """Whether a derivative formula is being recorded: there a number in front becomes a tensor, as in C++."""
    return bool(FLAGS.formula) and LOCAL.state.formula


# Operators that are one binary operation go straight to it (`core` in ops/table/factories.py), and it answers
# NotImplemented itself; `core_` is its in-place form.
Tensor.__add__ = Tensor.__radd__ = OPS["add"].core
Tensor.__sub__ = OPS["sub"].core
Tensor.__mul__ = Tensor.__rmul__ = OPS["mul"].core
Tensor.__truediv__ = OPS["div"].core
Tensor.__iadd__ = OPS["add"].core_
Tensor.__isub__ = OPS["sub"].core_
Tensor.__imul__ = OPS["mul"].core_
Tensor.__itruediv__ = OPS["div"].core_
Tensor.__eq__ = OPS["eq"].core
Tensor.__ne__ = OPS["ne"].core
Tensor.__lt__ = OPS["lt"].core
Tensor.__le__ = OPS["le"].core
Tensor.__gt__ = OPS["gt"].core
Tensor.__ge__ = OPS["ge"].core

Tensor.__rsub__ = _defers(_from_number)
Tensor.__rtruediv__ = Tensor.__rdiv__ = _defers(_rdiv, arrays=True)
Tensor.__div__, Tensor.__idiv__ = Tensor.__truediv__, Tensor.__itruediv__
Tensor.__pow__ = _defers_modulo(F.pow, OPS["pow.number"].call)
Tensor.__rpow__ = _defers_modulo(lambda self, other: F.pow(other, self), _number_to_power)
Tensor.__matmul__ = _defers_numbers(F.matmul)
Tensor.__rmatmul__ = _defers_numbers(lambda self, other: cast_within(F).matmul(other, self))
Tensor.__neg__ = Tensor.neg
Tensor.__abs__ = Tensor.abs
Tensor.__pos__ = Tensor.positive


def _invert(self: Tensor) -> Any:
    if self._array.dtype.kind in "fcV":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return F.bitwise_not(self)


Tensor.__invert__ = _invert


def _named(name: str, reflected: bool = False) -> Callable[[Any, Any], Any]:
    """An operation by its name, since its family may be loaded late."""
    if reflected:
        return lambda self, other: getattr(F, name)(other, self)
    return lambda self, other: getattr(F, name)(self, other)


Tensor.__ipow__ = _defers(_named("pow_"))
Tensor.__and__ = _defers(_named("bitwise_and"))
Tensor.__rand__ = _defers(_named("bitwise_and"))
Tensor.__iand__ = _defers(_named("bitwise_and_"))
Tensor.__or__ = _defers(_named("bitwise_or"))
Tensor.__ror__ = _defers(_named("bitwise_or"))
Tensor.__ior__ = _defers(_named("bitwise_or_"))
Tensor.__xor__ = _defers(_named("bitwise_xor"))
Tensor.__rxor__ = _defers(_named("bitwise_xor"))
Tensor.__ixor__ = _defers(_named("bitwise_xor_"))
Tensor.__lshift__ = _defers(_named("bitwise_left_shift"))
Tensor.__rlshift__ = _defers(_named("bitwise_left_shift", reflected=True))
Tensor.__ilshift__ = _defers(_named("bitwise_left_shift_"))
Tensor.__rshift__ = _defers(_named("bitwise_right_shift"))
Tensor.__rrshift__ = _defers(_named("bitwise_right_shift", reflected=True))
Tensor.__irshift__ = _defers(_named("bitwise_right_shift_"))
Tensor.__floordiv__ = _defers(_named("floor_divide"))
Tensor.__rfloordiv__ = _defers(_named("floor_divide", reflected=True))
Tensor.__ifloordiv__ = _defers(_named("floor_divide_"))
Tensor.__mod__ = _defers(_named("remainder"))
Tensor.__rmod__ = _defers(_named("remainder", reflected=True))
Tensor.__imod__ = _defers(_named("remainder_"))
