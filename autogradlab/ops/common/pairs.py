"""Elementwise mathematics of two tensors (or a tensor and a number): extremes, angles, lengths,
remainders, logarithms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.memory.layout import iterating
from ...core.recording.record import NOT_IMPLEMENTED, RAW, TENSORS, no_derivative, writes
from ...core.runtime import errors
from ...core.runtime.warn import warn
from ...core.tensor.tensor import Tensor
from ...core.types import dtypes
from ...core.values.promotion import broadcast_shapes
from ..first.kinds import BITS, COMPLEX, floated, no_complex, numbered, on_both_backends, refusing, single
from ..first.quotients import divides, floor_quotient, fmod
from ..kernels.rounded import arctan2, log, log1p
from ..table.factories import binary
from ..table.opdef import OPS, Op, alias
from ..table.outputs import Out
from ..table.overloads import Arguments, Called, Overload

F = TENSORS

# -- forms with a number: overloads, which PyTorch gives Nodes of their own --------------------------------------------


def with_number(
    name: str,
    kernel: Callable[[Any, Any], Any],
    node: tuple[str, str],
    second: Any,
    first: Any = None,
    *,
    check: Callable[[Any, Any], None] | None = None,
    floats: bool = False,
    wraps: bool = False,
) -> list[Overload]:
    """The overloads `(tensor, number)` and, if it has a formula, `(number, tensor)` of a binary operation.

    node: the Nodes of both; second, first: the formula for the tensor where the number is the second operand, and
    where it is the first. check: as of the operation. floats: integers are computed in the default dtype. wraps: the
    kernel for a second number calls that of two tensors.
    """

    @iterating
    def run(x: np.ndarray, y: np.ndarray) -> Any:
        if check is not None:
            check(x, y)
        return kernel(x, y)

    def with_second(input: np.ndarray, other: Any) -> Any:
        return run(input, numbered(input, other))

    def with_first(input: float, other: np.ndarray) -> np.ndarray:
        return run(numbered(other, input), other)

    vjp = {"input": second}
    a = OPS[name + ".number"] = Op(
        name, with_second, vjp=vjp, node=node[0], overload="Scalar", shown={"other": "other"}, elementwise=True
    )
    by_second = Overload(a, number="other", promotes="input", floats=floats, wraps=wraps)
    if first is None:
        return [by_second]
    vjp = {"other": first}
    b = OPS[name + ".base"] = Op(
        name, with_first, "other", vjp=vjp, node=node[1], shown={"input": "self"}, elementwise=True
    )
    return [by_second, Overload(b, number="input", promotes="other", floats=floats)]


# -- the larger, the smaller -------------------------------------------------------------------------------------------


def _halved(loses: Any) -> Callable[..., Any]:
    """The gradient of an operand of maximum/minimum: all where it wins, half at a tie."""

    def formula(F: Any, grad: Any, input: Any, other: Any) -> Any:
        return F.only(~loses(input, other), F.where(input == other, grad / 2, grad))

    return writes(1)(formula)


binary(
    "maximum(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|uint_maximum_cpu",
    np.maximum,
    {
        "input": _halved(lambda a, b: a < b),
        "other": _halved(lambda a, b: a > b),
    },
    inplace=False,
    check=no_complex("maximum not implemented for complex tensors."),
    doc="""
    The larger of two elements; nan if one of them is.

    ~pair-real

    >>> torch.maximum(torch.tensor([1., 5.]), torch.tensor([3., 2.]))
    tensor([3., 5.])
    """,
)
binary(
    "minimum(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|uint_minimum_cpu",
    np.minimum,
    {
        "input": _halved(lambda a, b: a > b),
        "other": _halved(lambda a, b: a < b),
    },
    inplace=False,
    check=no_complex("minimum not implemented for complex tensors."),
    doc="""
    The smaller of two elements; nan if one of them is.

    ~pair-real

    >>> torch.minimum(torch.tensor([1., 5.]), torch.tensor([3., 2.]))
    tensor([1., 2.])
    """,
)


def _but_nan(wins: Any, mine: bool) -> Callable[..., Any]:
    """The gradient of an operand of fmax/fmin: all or nothing."""

    def formula(F: Any, grad: Any, input: Any, other: Any) -> Any:
        first = wins(input, other) | F.isnan(other)
        return F.only(first if mine else ~first, grad)

    return formula


binary(
    "fmax(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|uint_maximum_cpu",
    np.fmax,
    {
        "input": _but_nan(lambda a, b: a >= b, True),
        "other": _but_nan(lambda a, b: a >= b, False),
    },
    inplace=False,
    check=no_complex("fmax not implemented for complex tensors."),
    doc="""
    The larger of two elements; the other one where one is nan.

    ~pair-real

    >>> torch.fmax(torch.tensor([1., float('nan')]), torch.tensor([3., 2.]))
    tensor([3., 2.])
    """,
)
binary(
    "fmin(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|uint_minimum_cpu",
    np.fmin,
    {
        "input": _but_nan(lambda a, b: a <= b, True),
        "other": _but_nan(lambda a, b: a <= b, False),
    },
    inplace=False,
    check=no_complex("fmin not implemented for complex tensors."),
    doc="""
    The smaller of two elements; the other one where one is nan.

    ~pair-real

    >>> torch.fmin(torch.tensor([1., float('nan')]), torch.tensor([3., 2.]))
    tensor([1., 2.])
    """,
)

# -- angles, lengths, signs --------------------------------------------------------------------------------------------


def _angle_back(F: Any, grad: Any, x: Any, y: Any, needs: list[bool]) -> tuple[Any, Any]:
    """By 1 / (x² + y²), which is taken as 0 at the origin."""
    factor = F.only((x != 0) | (y != 0), F.reciprocal(x * x + y * y))
    return grad * y * factor if needs[0] else None, grad * -x * factor if needs[1] else None


binary(
    "atan2(Tensor input, Tensor other, *, Tensor out=None) -> Tensor",
    single(arctan2),
    {
        "input other": lambda F, grad, input, other, needs: _angle_back(F, grad, input, other, needs),
    },
    result="float",
    check=refusing(COMPLEX, "atan2_cpu"),
    in_rows="broadcast",
    doc="""
    The angle of the point (other, input) in (-pi, pi].

    ~pair-float

    >>> torch.atan2(torch.tensor([1., -1.]), torch.tensor([-1., -1.]))
    tensor([ 2.3562, -2.3562])
    """,
)
binary(
    "hypot(Tensor input, Tensor other, *, Tensor out=None) -> Tensor",
    single(np.hypot),
    {
        "input": lambda F, grad, input, result: grad * input / result,
        "other": lambda F, grad, other, result: grad * other / result,
    },
    check=refusing("biuc", "hypot_cpu"),
    doc="""
    sqrt(input² + other²): the length of the hypotenuse.

    ~pair-float

    >>> torch.hypot(torch.tensor([3.]), torch.tensor([4.]))
    tensor([5.])

    In place:
    >>> x = torch.tensor([3.])
    >>> x.hypot_(torch.tensor([4.]))
    tensor([5.])
    >>> x
    tensor([5.])
    """,
)


def _copysign(x: np.ndarray, y: np.ndarray) -> Any:
    return np.copysign(x, y)


@on_both_backends
def same_sign(F: Any, grad: Any, input: Any, result: Any) -> Any:
    return grad * F.only(input != 0, result / input)


binary(
    """
    copysign(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor|.out
    copysign(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.Scalar
    """,
    _copysign,
    {
        "input": lambda F, grad, input, result: F.same_sign(grad, input, result),
        "other": writes(1)(lambda F, grad: F.nought(grad)),
    },
    result="float",
    check=refusing(COMPLEX, "copysign_cpu"),
    overloads=with_number(
        "copysign",
        _copysign,
        ("CopysignBackward1", ""),
        lambda F, grad, input, result: F.same_sign(grad, input, result),
        check=refusing(COMPLEX, "copysign_cpu"),
        floats=True,
    ),
    in_rows="broadcast",
    doc="""
    The absolute values of input with the signs of other.

    ~pair-real

    >>> torch.copysign(torch.tensor([1., -2.]), torch.tensor([-0., 3.]))
    tensor([-1.,  2.])

    In place:
    >>> x = torch.tensor([1., -2.])
    >>> x.copysign_(torch.tensor([-0., 3.]))
    tensor([-1.,  2.])
    >>> x
    tensor([-1.,  2.])
    """,
)
#: from how many elements on neighbours are found by bits
_MANY = 512


def _nextafter(x: Any, y: Any) -> Any:
    """np.nextafter; of many floats by adding 1 to their bits, or -1, where that leads there: in a tenth of its time."""
    many = type(x) is type(y) is np.ndarray and x.size >= _MANY and x.itemsize > 2
    kind = BITS.get(x.itemsize) if many else None
    if kind is None or x.shape != y.shape or not (x.flags.c_contiguous and y.flags.c_contiguous):
        return np.nextafter(x, y)
    bits, above = x.view(kind), y > x
    step = (above == (bits >= 0)).view(np.int8).astype(kind)
    step += step
    step -= 1
    step += bits
    r = step.view(x.dtype)
    usual = above | (y < x)  # not for a NaN, nor between equal numbers
    usual &= x != 0
    if not usual.all():
        others = ~usual
        r[others] = np.nextafter(x[others], y[others])
    return r


binary(
    "nextafter(Tensor input, Tensor other, *, Tensor out=None) -> Tensor",
    _nextafter,
    {
        "input": lambda F, grad, input, other: F.where(input != other, grad, F.zero_dim(grad)),
        "other": writes(1)(lambda F, grad, other_shape: F.zeros_of(grad, other_shape)),
    },
    shown={"other_shape": ""},
    check=refusing("biuc", "nextafter_cpu"),
    doc="""
    The next number that the dtype can hold, in the direction of other.

    ~pair-float

    >>> torch.nextafter(torch.tensor([1.]), torch.tensor([2.])) - 1
    tensor([1.1921e-07])

    In place:
    >>> x = torch.tensor([1.])
    >>> x.nextafter_(torch.tensor([2.])) - 1
    tensor([1.1921e-07])
    """,
)


def _heaviside(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(x == 0, y, (x > 0).astype(x.dtype))


def _different_dtypes(input: Tensor, values: Tensor) -> None:
    if input.dtype is values.dtype:
        return
    if input.dtype.is_complex or values.dtype.is_complex:
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")


binary(
    "heaviside(Tensor input, Tensor values, *, Tensor out=None) -> Tensor|uint_heaviside_cpu",
    _heaviside,
    {"input other": no_derivative("heaviside")},
    node=NOT_IMPLEMENTED,
    check=no_complex("heaviside is not yet implemented for complex tensors."),
    refuses=_different_dtypes,
    doc="""
    0 where input is negative, 1 where it is positive, values where it is 0.

    Shapes: both broadcast together.
    Dtypes: real numbers, both the same.

    >>> torch.heaviside(torch.tensor([-1., 0., 2.]), torch.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])

    In place:
    >>> x = torch.tensor([-1., 0., 2.])
    >>> x.heaviside_(torch.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])
    >>> x
    tensor([0.0000, 0.5000, 1.0000])
    """,
    out=Out(exact="heaviside is not yet implemented for tensors with different dtypes.", unknown=True),
)

# -- remainders and rounded quotients ----------------------------------------------------------------------------------


def _remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.dtype.kind in "iu":
        return np.remainder(x, y)
    r = fmod(x, y)
    if type(x) is np.ndarray is type(y) and not y.ndim and y > 0:  # one number: what is less than 0 lacks one of it
        less = r < 0
        return np.where(less, r + y, r) if np.count_nonzero(less) else r
    return np.where((r != 0) & ((r < 0) != (y < 0)), r + y, r)


binary(
    """
    floor_divide(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|numbers|_Tensor|uint_div_floor_cpu
    floor_divide(Tensor input, Scalar other) -> Tensor|numbers|.Scalar
    """,
    floor_quotient,
    {"input other": no_derivative("floor_divide")},
    node=NOT_IMPLEMENTED,
    out=Out(unknown=True, once=True),
    check=divides("div_floor_cpu"),
    widens=True,
    doc="""
    The quotient rounded downwards, as Python's // has it.

    ~pair-real

    >>> torch.floor_divide(torch.tensor([7., -7.]), 2.)
    tensor([ 3., -4.])

    In place:
    >>> x = torch.tensor([7., -7.])
    >>> x.floor_divide_(2.)
    tensor([ 3., -4.])
    >>> x
    tensor([ 3., -4.])
    """,
    numbers=True,
)
binary(
    """
    remainder(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor|uint_remainder_cpu
    remainder(Scalar self, Tensor other) -> Tensor|.Scalar_Tensor|uint_remainder_cpu
    remainder(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.Scalar|uint_remainder_cpu
    """,
    single(_remainder),
    {
        "input": lambda F, grad: grad,
        "other": lambda F, grad, input, other: -grad * F.div(input, other, rounding_mode="floor"),
    },
    node="RemainderBackward1",
    check=divides("remainder_cpu"),
    overloads=with_number(
        "remainder",
        single(_remainder),
        ("RemainderBackward0", NOT_IMPLEMENTED),
        lambda F, grad: grad,
        no_derivative("remainder"),
        check=divides("remainder_cpu"),
        wraps=True,
    ),
    doc="""
    What floor_divide leaves, with the sign of other, as Python's % has it.

    ~pair-real

    >>> torch.remainder(torch.tensor([5., -5.]), 3)
    tensor([2., 1.])

    In place:
    >>> x = torch.tensor([5., -5.])
    >>> x.remainder_(3)
    tensor([2., 1.])
    >>> x
    tensor([2., 1.])
    """,
)
binary(
    """
    fmod(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor|uint_fmod_cpu
    fmod(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.Scalar|uint_fmod_cpu
    """,
    single(fmod),
    {
        "input": lambda F, grad: grad,
        "other": lambda F, grad, input, other: -grad * F.div(input, other, rounding_mode="trunc"),
    },
    node="FmodBackward1",
    check=divides("fmod_cpu"),
    overloads=with_number(
        "fmod", single(fmod), ("FmodBackward0", ""), lambda F, grad: grad, check=divides("fmod_cpu"), wraps=True
    ),
    doc="""
    What a division rounded towards 0 leaves, with the sign of input, as C's fmod has it.

    ~pair-real

    >>> torch.fmod(torch.tensor([5., -5.]), 3)
    tensor([ 2., -2.])

    In place:
    >>> x = torch.tensor([5., -5.])
    >>> x.fmod_(3)
    tensor([ 2., -2.])
    >>> x
    tensor([ 2., -2.])
    """,
)

# -- logarithms and exponentials ---------------------------------------------------------------------------------------


def _logaddexp(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.dtype.kind != "c":
        return np.logaddexp(x, y)
    big = np.where(x.real >= y.real, x, y)
    small = np.where(x.real >= y.real, y, x)
    same = (x == y) & ~np.isfinite(x.real)
    return np.where(same, x, big + np.log1p(np.exp(small - big)))


def _less(a: Any, b: Any) -> Any:
    """The difference of two operands as they were given: bools are not subtracted, by arrays neither."""
    if isinstance(a, np.ndarray) and "b" in (a.dtype.kind, b.dtype.kind):
        raise RuntimeError(errors.BOOL_SUB_ONE)
    return a - b


#: kinds of integers that PyTorch has no kernel for as exponents of floats
_NO_EXPONENTS = (dtypes.bool, dtypes.uint16, dtypes.uint32, dtypes.uint64)


def _check_exponents(input: Any, other: Any) -> None:
    if isinstance(other, Tensor) and other.dtype in _NO_EXPONENTS and input.is_floating_point():
        raise dtypes.unsupported("ldexp_cpu_exp", other)


def _beyond_input(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
    """Operands of ldexp for which PyTorch has a kernel that writes to memory of the first one's shape, which is not the
    result's."""
    if called.in_place or len(args) != 2 or kwargs or not (isinstance(args[0], Tensor) and isinstance(args[1], Tensor)):
        return None
    x, y = args[0]._array, args[1]._array
    if x.dtype.kind not in "fV" or y.dtype.kind not in "iub" or not x.size:
        return None
    return None if broadcast_shapes(x.shape, y.shape) == x.shape else (args, kwargs)


def _resizing(input: Tensor, other: Tensor) -> Tensor:
    shape = broadcast_shapes(input._array.shape, other._array.shape)
    told = errors.OUT_RESIZED.format(list(input._array.shape), list(shape))
    warn(told, at="aten/src/ATen/native/Resize.cpp:30")
    entry: Any = OPS["ldexp"]
    result: Tensor = entry.core(input, other)
    return result


def _power_of_two(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if y.dtype.kind in "iu":  # as C's ldexp, whose exponent is an int: neither overflows on the way
        return np.ldexp(x, y.astype(np.int32))
    x, y = floated(x), floated(y)
    return x * np.exp2(y)


binary(
    "logaddexp(Tensor input, Tensor other, *, Tensor out=None) -> Tensor",
    single(_logaddexp),
    {
        "input": lambda F, grad, input, other: grad / F.conj(1 + F.exp(_less(other, input))),
        "other": lambda F, grad, input, other: grad / F.conj(1 + F.exp(_less(input, other))),
    },
    inplace=False,
    check=refusing("biu", "logaddexp_cpu"),
    doc="""
    log(exp(input) + exp(other)), without overflow.

    ~pair-float

    >>> torch.logaddexp(torch.tensor([0., 1000.]), torch.tensor([0., 1000.]))
    tensor([6.9315e-01, 1.0007e+03])
    """,
)
binary(
    "logaddexp2(Tensor input, Tensor other, *, Tensor out=None) -> Tensor",
    single(np.logaddexp2),
    {
        "input": lambda F, grad, input, other: grad / (1 + F.pow(2, _less(other, input))),
        "other": lambda F, grad, input, other: grad / (1 + F.pow(2, _less(input, other))),
    },
    inplace=False,
    check=refusing("biuc", "logaddexp2_cpu"),
    doc="""
    log2(2**input + 2**other), without overflow.

    ~pair-float

    >>> torch.logaddexp2(torch.tensor([0., 3.]), torch.tensor([0., 3.]))
    tensor([1., 4.])
    """,
)
binary(
    "ldexp(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor|.out|_default",
    single(_power_of_two),
    {
        "input": lambda F, grad, other: grad * F.conj(F.pow(2.0, other)),
        "other": lambda F, grad, result: grad * F.conj(result) * math.log(2),
    },
    result="float",
    refuses=_check_exponents,
    exponents=True,
    overloads=[Overload(_resizing, takes=_beyond_input)],
    doc="""
    input * 2**other.

    ~pair

    >>> torch.ldexp(torch.tensor([1., 3.]), torch.tensor([2, -1]))
    tensor([4.0000, 1.5000])

    In place:
    >>> x = torch.tensor([1., 3.])
    >>> x.ldexp_(torch.tensor([2, -1]))
    tensor([4.0000, 1.5000])
    >>> x
    tensor([4.0000, 1.5000])
    """,
    inplace_function=True,
)


def _xlogy(x: Any, y: np.ndarray) -> np.ndarray:
    x, y = floated(x), floated(y)
    return np.where(np.isnan(y), y, np.where(x == 0, np.zeros((), x.dtype), x * log(y)))


def _xlog1py(x: Any, y: np.ndarray) -> np.ndarray:
    x, y = floated(x), floated(y)
    return np.where(np.isnan(y), y, np.where(x == 0, np.zeros((), x.dtype), x * log1p(y)))


binary(
    """
    xlogy(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|.Tensor|.OutTensor
    xlogy(Scalar self, Tensor other, *, Tensor out=None) -> Tensor|.Scalar_Self|.OutScalar_Self
    xlogy(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.Scalar_Other|.OutScalar_Other
    """,
    _xlogy,
    {
        "input": lambda F, grad, input, other: F.only((input != 0) | (other > 0), F.xlogy(grad, other)),
        "other": lambda F, grad, input, other: grad * input / other,
    },
    result="float",
    check=refusing(COMPLEX, "xlogy_cpu"),
    overloads=with_number(
        "xlogy",
        _xlogy,
        ("XlogyBackward2", "XlogyBackward1"),
        lambda F, grad, input, other: F.only((input != 0) | (other > 0), F.xlogy(grad, other)),
        lambda F, grad, input, other: grad * input / other,
        check=refusing(COMPLEX, "xlogy_cpu"),
        floats=True,
    ),
    doc="""
    input * log(other), 0 where input is 0 (nan where other is).

    ~pair-float

    >>> torch.xlogy(torch.tensor([0., 2.]), torch.tensor([0., 3.]))
    tensor([0.0000, 2.1972])

    In place:
    >>> x = torch.tensor([0., 2.])
    >>> x.xlogy_(torch.tensor([0., 3.]))
    tensor([0.0000, 2.1972])
    >>> x
    tensor([0.0000, 2.1972])
    """,
    inplace_function=True,
)
binary(
    """
    special_xlog1py(Tensor input, Tensor other, *, Tensor out=None) -> Tensor
    special_xlog1py(Scalar self, Tensor other, *, Tensor out=None) -> Tensor|.self_scalar
    special_xlog1py(Tensor input, Scalar other, *, Tensor out=None) -> Tensor|.other_scalar
    """,
    single(_xlog1py),
    {
        "input": lambda F, grad, input, other: F.only((input != 0) | (other > -1), F.special_xlog1py(grad, other)),
        "other": lambda F, grad, input, other: grad * input / (other + 1),
    },
    node="SpecialXlog1PyBackward0",
    inplace=False,
    result="float",
    check=refusing(COMPLEX, "xlog1py_cpu"),
    overloads=with_number(
        "special_xlog1py",
        single(_xlog1py),
        ("SpecialXlog1PyBackward2", "SpecialXlog1PyBackward1"),
        lambda F, grad, input, other: F.only((input != 0) | (other > -1), F.special_xlog1py(grad, other)),
        lambda F, grad, input, other: grad * input / (other + 1),
        check=refusing(COMPLEX, "xlog1py_cpu"),
        floats=True,
    ),
    doc="""
    x log(1 + y), 0 where x is 0 (nan where y is).

    ~pair-computed

    >>> torch.special.xlog1py(torch.tensor([0., 1.]), torch.tensor([-1., 1.]))
    tensor([0.0000, 0.6931])
    """,
)

RAW.xlogy = lambda x, y: OPS["xlogy"].kernel(x, numbered(x, y))
RAW.special_xlog1py = lambda x, y: OPS["special_xlog1py"].kernel(x, numbered(x, y))
alias("special_xlogy", "xlogy", method=False)
alias("arctan2", "atan2")
alias("arctan2_", "atan2_", function=False)
