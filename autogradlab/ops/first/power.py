"""pow in its three forms (tensor and number, two tensors, number and tensor), square, float_power;
their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.memory.layout import iterated
from ...core.recording.record import RAW, TENSORS
from ...core.runtime import errors
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor
from ...core.types import dtypes
from ...core.types.dtypes import complex128, float64, from_numpy, scalar_name
from ...core.types.layouts import contiguous_format
from ...core.values.building import scalar_array
from ...core.values.promotion import is_number, result_dtype
from ..kernels.rounded import power
from ..table.arguments import reject
from ..table.asking import at, options_of
from ..table.calls import ByOut
from ..table.factories import binary
from ..table.opdef import OPS, Op, composite
from ..table.overloads import Overload
from .kinds import numbered, on_both_backends, refuse, refusing

F = TENSORS
#: elements of float32 that PyTorch's kernel takes at once: two vectors of eight
_TOGETHER = 16
_SINGLE = np.dtype(np.float32)
_NEGATIVE = "Integers to negative integer powers are not allowed."


@instead(lambda call, args, kwargs: at("zeros_like", input=args[0], memory_format=contiguous_format))
def _of_constant(input: Any) -> Any:
    return TENSORS.nought(input)


@on_both_backends
def pow_backward(F: Any, grad: Any, input: Any, exponent: Any) -> Any:
    if exponent == 0:
        return _of_constant(input) if F is TENSORS else F.nought(grad)
    if F is TENSORS and not isinstance(exponent, complex):  # PyTorch computes them as doubles
        exponent = float(exponent)
    return grad * F.conj(F.mul_number(F.pow(input, exponent - 1), exponent))


@on_both_backends
def pow_backward_self(F: Any, grad: Any, input: Any, other: Any) -> Any:
    if getattr(other, "dtype", None) in (np.dtype(np.bool_), dtypes.bool):
        raise RuntimeError(errors.BOOL_SUB_ONE)
    slope = F.conj(other * F.pow(input, F.sub_number(other, 1)))
    return F.where(other == 0, F.zero_dim(grad), grad * slope)


@on_both_backends
def pow_backward_exponent(F: Any, grad: Any, input: Any, exponent: Any, result: Any) -> Any:
    """Where the base is 0, the power stays 0 however a positive exponent changes."""
    if is_number(input):
        if input == 0:
            slope = F.conj(result * F.log(F.zero_dim(grad) + input))
            return grad * F.where(F.real_part(exponent) >= 0, F.zero_dim(grad), slope)
        return grad * F.conj(
            result
            * np.log(
                complex(input) if isinstance(input, complex) or input < 0 and F.is_complex(result) else input
            ).item()
        )
    still = (input == 0) & (F.real_part(exponent) >= 0)
    base = F.zero_dim(result) + input if F.is_complex(result) and not F.is_complex(input) else input
    return grad * F.where(still, F.zero_dim(grad), F.conj(result * F.log(base)))


_check = refusing("b", "pow")


def _powers(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Integers to negative powers are 0, but for 1 and -1, which are their own inverses."""
    if x.dtype.kind == "i" and y.size and y.min() < 0:
        r = np.power(x, np.where(y < 0, y & 1, y))  # of -1 only whether the exponent is odd counts
        return np.where((y >= 0) | (np.abs(x) == 1), r, np.zeros((), x.dtype))
    return power(x, y) if x.dtype.kind != "c" else _complex_power(x, y)


def _complex_power(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """exp(y log(x)), multiplied as C++ does without care for infinities: what PyTorch computes of two tensors."""
    a = np.log(x)
    product = np.empty(np.broadcast_shapes(x.shape, y.shape), x.dtype)
    product.real = a.real * y.real - a.imag * y.imag
    product.imag = a.real * y.imag + a.imag * y.real
    return iterated(np.exp(product), x, y)


def _power(x: np.ndarray, exponent: Any) -> Any:
    """The common exponents have shorter ways, with the roundings of those ways."""
    if isinstance(exponent, complex) and not exponent.imag and x.dtype.kind == "c":
        exponent = exponent.real
    if not isinstance(exponent, complex):
        if exponent == 2:
            return x * x
        if exponent == 3:
            return x * x * x
        if x.dtype.kind in "fcV":
            if exponent == 0.5:
                return np.sqrt(x)
            if exponent == 1:
                return x.copy("K")
            if exponent == -0.5:
                return 1 / np.sqrt(x)
            if exponent == -1:
                return 1 / x
            if exponent == -2:
                return 1 / (x * x)
    r = power(x, numbered(x, exponent))
    if x.dtype.char == "f" and type(x) is np.ndarray and r.dtype is x.dtype:
        _ends(x, exponent, r)
    return r


def _ends(x: np.ndarray, exponent: float, r: np.ndarray) -> None:
    """What vectors of float32 leave over PyTorch computes one by one in double, with the exponent as it is given."""
    flat = x.ravel("K")
    if np.shares_memory(flat, x):  # dense: one row
        rows, into = flat, r.ravel("K")
        if not np.shares_memory(into, r):
            return
    else:
        rows, into = x, r
    left = rows.shape[-1] % _TOGETHER if rows.strides[-1] == 4 else rows.shape[-1]
    if left and exponent != float(np.float32(exponent)):
        into[..., -left:] = np.power(rows[..., -left:].astype(np.float64), exponent)


def _no_negative(x: np.ndarray, exponent: Any) -> None:
    """Refuse, in PyTorch's words, an integer to a negative integer power."""
    if x.dtype.kind in "biu" and not isinstance(exponent, (float, complex)) and exponent < 0:
        raise RuntimeError(_NEGATIVE)


def _number_power(input: np.ndarray, exponent: Any) -> np.ndarray:
    dtype = input.dtype
    if dtype is _SINGLE and (exponent == 2 or exponent == 3):  # the usual cases
        r = np.asarray(input * input if exponent == 2 else input * input * input)
        return r if r.ndim < 2 else iterated(r, input)
    if exponent == 1 or (exponent == 0 and dtype.kind != "c"):
        r = input.copy("K") if exponent == 1 else np.ones_like(input)
        return r if r.ndim < 2 else iterated(r, input)
    if dtype.kind != "f" or dtype.itemsize == 2:
        _fits(input, exponent)
    r = np.asarray(_power(input, exponent))
    if r.ndim > 1:
        r = iterated(r, input)
    return r if r.dtype is dtype else r.astype(dtype, copy=False)


def _fits(input: np.ndarray, exponent: Any) -> None:
    """Refuse bools, and an exponent that the dtype has no number for."""
    refuse(input, "pow", "b")
    kind = from_numpy(input.dtype)
    if input.dtype.kind in "iu" and isinstance(exponent, int):
        scalar_array(exponent, dtypes.int64)
        scalar_array(exponent, kind)
    elif kind.is_floating_point and kind.itemsize == 2 and not isinstance(exponent, complex):
        scalar_array(exponent, kind)


def _power_of_number(self: Any, exponent: np.ndarray) -> np.ndarray:
    refuse(exponent, "pow", "b")
    base = numbered(exponent, self)
    if not exponent.flags.c_contiguous:
        exponent = np.asarray(exponent, order="C")
    if base.flat[0] == 1:
        return np.ones_like(exponent)
    _check(base, exponent)
    return _powers(base, exponent)


OPS["pow.number"] = Op(
    "pow",
    _number_power,
    node="PowBackward0",
    overload="Scalar",
    elementwise=True,
    holomorphic=True,
    vjp={"input": lambda F, grad, input, exponent: F.pow_backward(grad, input, exponent)},
)
OPS["pow.base"] = Op(
    "pow",
    _power_of_number,
    "exponent",
    node="PowBackward2",
    elementwise=True,
    holomorphic=True,
    vjp={"exponent": lambda F, grad, self, exponent, result: F.pow_backward_exponent(grad, self, exponent, result)},
    inner_writes=lambda self, exponent: 1 if self == 1 else ByOut("pow"),
)
binary(
    """
    pow(Tensor input, Tensor exponent, *, Tensor out=None) -> Tensor|.Tensor_Tensor|_Tensor|uint_pow
    pow(Scalar self, Tensor exponent, *, Tensor out=None) -> Tensor|.Scalar|uint_pow
    pow(Tensor input, Scalar exponent, *, Tensor out=None) -> Tensor|.Tensor_Scalar|_Scalar|uint_pow
    """,
    _powers,
    {
        "input": lambda F, grad, input, other: F.pow_backward_self(grad, input, other),
        "other": lambda F, grad, input, other, result: F.pow_backward_exponent(grad, input, other, result),
    },
    node="PowBackward1",
    holomorphic=True,
    check=_check,
    shown={"other": "exponent"},
    overloads=[
        Overload(OPS["pow.number"], number="exponent", promotes="input", refuses=_no_negative),
        Overload(OPS["pow.base"], number="self", promotes="exponent"),
    ],
    doc="""
    input to the power of exponent; one of the two may be a number.

    ~pair
    Errors: RuntimeError for an integer to a negative integer power.

    >>> torch.pow(torch.tensor([1., 2., 3.]), 2)
    tensor([1., 4., 9.])
    >>> torch.pow(2, torch.tensor([1, 2, 3]))
    tensor([2, 4, 8])

    In place:
    >>> x = torch.tensor([1., 2., 3.])
    >>> x.pow_(2)
    tensor([1., 4., 9.])
    >>> x
    tensor([1., 4., 9.])
    """,
)
# all is saved whichever gradient is wanted, as in PyTorch
OPS["pow"].users = (None,) * len(OPS["pow"].fields)
OPS["pow"]._make_saver()


@composite("square(Tensor input, *, Tensor out=None) -> Tensor|uint_pow", reads="late")
def square(input: Tensor, *, out: Any = None) -> Tensor:
    """input times itself.

    ~elementwise

    >>> torch.square(torch.tensor([3., -2.]))
    tensor([9., 4.])

    In place:
    >>> x = torch.tensor([3., -2.])
    >>> x.square_()
    tensor([9., 4.])
    >>> x
    tensor([9., 4.])
    """
    if not isinstance(input, Tensor):
        reject("square", (input,), {})
    return F.pow(input, 2) if out is None else F.pow(input, 2, out=out)


@composite(reads="late")
def square_(input: Tensor) -> Tensor:
    """In-place version of :meth:`square`."""
    return F.pow_(input, 2)


def _wide(*values: Any) -> list[Any]:
    """The operands in double precision."""
    kind = result_dtype(values)
    wanted = complex128 if kind.is_complex else float64
    number = complex if kind.is_complex else float
    return [F.to(v, wanted) if isinstance(v, Tensor) else number(v) for v in values]


@composite(
    """
    float_power(Tensor input, Tensor exponent, *, Tensor out=None) -> Tensor|.Tensor_Tensor|_Tensor
    float_power(Scalar self, Tensor exponent, *, Tensor out=None) -> Tensor|.Scalar
    float_power(Tensor input, Scalar exponent, *, Tensor out=None) -> Tensor|.Tensor_Scalar|_Scalar
    """,
)
def float_power(input: Any, exponent: Any, *, out: Any = None) -> Any:
    """input to the power of exponent, computed in float64 (complex128 for complex numbers).

    Shapes: both broadcast together.
    Dtypes: any; the result is float64 or complex128.

    >>> torch.float_power(torch.tensor([2, 3]), -1)
    tensor([0.5000, 0.3333], dtype=torch.float64)

    In place:
    >>> x = torch.tensor([2., 4.], dtype=torch.float64)
    >>> x.float_power_(-1)
    tensor([0.5000, 0.2500], dtype=torch.float64)
    >>> x
    tensor([0.5000, 0.2500], dtype=torch.float64)
    """
    if not (
        (isinstance(input, Tensor) and (isinstance(exponent, Tensor) or is_number(exponent)))
        or (is_number(input) and isinstance(exponent, Tensor))
    ):
        reject("float_power", (input, exponent), {})
    a, b = _wide(input, exponent)
    if out is not None and out._array.dtype != (a if isinstance(a, Tensor) else b)._array.dtype:
        raise RuntimeError(
            f"the output given to float_power has dtype {scalar_name(out)} but the operation's result requires dtype "
            f"{scalar_name(a if isinstance(a, Tensor) else b)}"
        )
    return F.pow(a, b, out=out)


@composite(function=False)
def float_power_(input: Tensor, exponent: Any) -> Tensor:
    """In-place version of :meth:`float_power`."""
    if not isinstance(exponent, Tensor) and not is_number(exponent):
        reject("float_power_", (input, exponent), {})
    a, b = _wide(input, exponent)
    if a.dtype is not input.dtype:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {scalar_name(input)} but the operation's result requires dtype "
            f"{scalar_name(a)}"
        )
    return F.pow_(input, b)


def _raw_pow(input: Any, exponent: Any) -> Any:
    """pow in formulas, where powers that derivatives of squares and cubes ask for need no new array."""
    if type(exponent) is int and type(input) is np.ndarray:
        if exponent == 1:
            return input
        if exponent == 2:
            return input * input
    if isinstance(exponent, np.ndarray) or (isinstance(input, np.ndarray) and isinstance(exponent, np.generic)):
        return power(input, exponent) if hasattr(input, "dtype") else np.power(input, exponent)
    if isinstance(input, np.generic):
        input = np.asarray(input)
    return _number_power(input, exponent)


RAW.pow = _raw_pow
RAW.zero_dim = lambda grad: np.zeros((), grad.dtype)


@instead(lambda call, args, kwargs: at("scalar_tensor", s=0, **options_of(args[0])))
def _zero_dim(grad: Tensor) -> Tensor:
    return grad.new_zeros(())


TENSORS.zero_dim = _zero_dim
