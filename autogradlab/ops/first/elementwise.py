"""Elementwise arithmetic and mathematics: one entry each, kernel and derivative side by side."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.memory.layout import iterating
from ...core.memory.together import pointwise
from ...core.recording.record import RAW, TENSORS, on_reals, unchanged
from ...core.runtime import errors
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import dtype, of_scalar
from ...core.values.building import scalar_array
from ...core.values.promotion import broadcast_shapes, check_cast, is_number, plain_number, result_dtype
from ..kernels.rounded import exp, log, rounded, tanh
from ..table.arguments import old_form, reject
from ..table.asking import Operator
from ..table.calls import ByOut
from ..table.factories import binary, by_kind, unary
from ..table.inplace import change, recorded_edges
from ..table.opdef import OPS, Op, alias, composite, op
from ..table.outputs import FOUND, Out
from ..table.overloads import Arguments, Called, Overload
from .kinds import (
    FLOATS,
    align,
    few_singles,
    floated,
    fused,
    in_single,
    kept,
    less_square,
    limited,
    magnitude,
    numbered,
    on_both_backends,
    refuse,
    single,
)
from .quotients import ROUNDED, rounded_quotient

F = TENSORS
_FLOAT32 = np.dtype(np.float32)
#: an array is faster beside another than a number of Python
_ONES: dict[Any, Any] = {d: np.array(1, d) for d in (_FLOAT32, np.dtype(np.float64))}
_NOUGHTS: dict[Any, Any] = {d: np.array(0, d) for d in _ONES}


def conj(x: Any) -> Any:
    """The complex conjugate; real values are returned as they are."""
    kind = x.dtype
    return x if kind is _FLOAT32 or kind.kind != "c" else x.conjugate()


RAW.conj = conj

# -- arithmetic --------------------------------------------------------------------------------------------------------


@by_kind("b")
def _no_bool_sub(x: Any, y: np.ndarray | None) -> None:
    if (x if isinstance(x, np.dtype) else x.dtype).kind == "b":
        raise RuntimeError(errors.BOOL_SUB_BOTH)


def no_mixed_bool_sub(input: Any, other: Any) -> None:
    """Refuse to subtract a bool tensor and anything of another dtype, in PyTorch's words."""
    for one in (input, other):
        if isinstance(one, bool) or (isinstance(one, Tensor) and one._array.dtype.kind == "b"):
            both = all(
                isinstance(o, bool) or (isinstance(o, Tensor) and o._array.dtype.kind == "b") for o in (input, other)
            )
            if both:
                return  # the kernel's own check says so
            raise RuntimeError(errors.BOOL_SUB_ONE)


# -- add and sub with a factor: overloads that compute input + alpha * other -------------------------------------------


def check_alpha(alpha: Any, wanted: dtype) -> None:
    """Refuse a factor that does not go with the dtype of the result, in PyTorch's words."""
    if isinstance(alpha, bool):
        if not wanted._category == 0:
            raise RuntimeError("Boolean alpha only supported for Boolean results.")
    elif wanted._category < 2 and isinstance(alpha, (float, complex)):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    elif wanted._category < 3 and isinstance(alpha, complex):
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    elif wanted._category == 1:
        scalar_array(alpha, wanted)


@iterating
def _add_times(input: np.ndarray, other: np.ndarray, alpha: Any) -> np.ndarray:
    x, y = align(input, other)
    return np.add(x, y & bool(alpha)) if y.dtype.kind == "b" else fused(y, numbered(y, alpha), x)


@iterating
def _subtract_times(input: np.ndarray, other: np.ndarray, alpha: Any) -> np.ndarray:
    x, y = align(input, other)
    return np.subtract(x, y & bool(alpha)) if y.dtype.kind == "b" else fused(y, -numbered(y, alpha), x)


def _fit(input: Any, other: Any, alpha: Any) -> bool:
    """Whether two tensors of one float dtype and shape are given, and a factor: then there is nothing to look at."""
    if type(alpha) is not float and (type(alpha) is not int or alpha == 1):
        return False
    if type(input) is not Tensor or type(other) is not Tensor:
        return False
    x, y = input._array, other._array
    numpy = x.dtype
    return numpy is y.dtype and numpy.kind == "f" and type(x) is np.ndarray is type(y) and x.shape == y.shape


def _with_alpha(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments | None:
    """The arguments of a call with a factor, in one dtype; None if the factor is 1."""
    if len(args) == 2 and len(kwargs) == 1 and _fit(*args, kwargs.get("alpha")):
        return (*args, kwargs["alpha"]), {}
    deprecated = len(args) == 3
    if not deprecated and "alpha" not in kwargs:
        return None
    if deprecated:
        found = old_form(called.name, args, kwargs, called.as_method or called.in_place)
        if found is None:
            return _refused(called.name, args, kwargs)
        pair = zip(args[::2], found[0], strict=True)  # numbers promote as numbers, not as the tensors made of them
        args, kwargs = tuple(given if is_number(given) else made for given, made in pair), found[1]
    alpha = plain_number(kwargs.get("alpha", 1))
    if not is_number(alpha):
        return _refused(called.name, args, kwargs)
    if type(alpha) is int and alpha == 1 and not deprecated:
        kwargs.pop("alpha", None)
        return None
    out = {}
    if len(args) == 2 and len(kwargs) == 1:
        input, other = args
    else:
        names = {key: value for key, value in kwargs.items() if key != "alpha"}
        if "out" in names:
            out["out"] = names.pop("out")
        if len(args) + len(names) != 2:
            return _refused(called.name, args, kwargs)
        if not names.keys() >= {*("input", "other")[len(args) :]}:  # by other names, or wrong ones
            names = called.bind(args, kwargs)[1]
        input = args[0] if args else names["input"]
        other = args[1] if len(args) == 2 else names["other"]
    subtracts, in_place = called.name.startswith("sub"), called.in_place
    if subtracts and in_place and isinstance(input, Tensor):
        recorded_edges(OPS["sub"], [input, other if isinstance(other, Tensor) else None])
    if is_number(input) and is_number(other):
        input, other = (F.scalar_tensor(n, dtype=of_scalar(n)) for n in (input, other))
    if is_number(input) and isinstance(other, Tensor):
        input = F.scalar_tensor(input, dtype=result_dtype((input, other)))
    if not (isinstance(input, Tensor) and (isinstance(other, Tensor) or is_number(other))):
        _refused(called.name.removesuffix("_"), (input, other), {"alpha": alpha})
    wanted = result_dtype((input, other))
    if subtracts:
        no_mixed_bool_sub(input, other)
        _no_bool_sub(wanted.numpy, None)
    if isinstance(other, Tensor) and input._array.shape != other._array.shape:
        broadcast_shapes(input._array.shape, other._array.shape)
    if in_place:
        check_cast(wanted.numpy, input._array.dtype)
    check_alpha(alpha, wanted)
    if not isinstance(other, Tensor):
        other = _of_number(other, wanted)
    return (input, other, alpha), out


@instead(lambda call, args, kwargs: args[0])
def _of_number(value: Any, wanted: Any) -> Any:
    """A number as a tensor; modes are told of the number."""
    return F.scalar_tensor(value, dtype=wanted)


def _refused(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return OPS[name.removesuffix("_")].reject(args, kwargs, name)


OPS["add.alpha"] = Op(
    "add",
    _add_times,
    "input other",
    in_rows="broadcast",
    overload="Tensor",
    elementwise=True,
    vjp={
        "input": lambda F, grad: grad,
        "other": lambda F, grad, alpha: grad * np.conj(alpha).item(),
    },
)
OPS["sub.alpha"] = Op(
    "sub",
    _subtract_times,
    "input other",
    in_rows="arithmetic",
    overload="Tensor",
    elementwise=True,
    vjp={
        "input": lambda F, grad: grad,
        "other": lambda F, grad, alpha: -grad * np.conj(alpha).item(),
    },
)
binary(
    """
    add(Tensor input, Scalar alpha, Tensor other, *, Tensor out=None) -> Tensor|numbers|deprecated
    add(Tensor input, Tensor other, *, Scalar alpha=1, Tensor out=None) -> Tensor|numbers|.Tensor|.out|uint_add_stub
    add(Tensor input, Scalar other, Scalar alpha=1) -> Tensor|aten|.Scalar
    """,
    np.add,
    {
        "input": unchanged,
        "other": unchanged,
    },
    constants={"alpha": 1},
    scalar="add_number",
    counts=(2,),
    overloads=[Overload(OPS["add.alpha"], takes=_with_alpha)],
    in_rows="broadcast",
    doc="""
    input + alpha * other, element by element.

    ~pair
    Errors: RuntimeError for shapes that do not broadcast, or a float alpha with integers.

    >>> x = torch.tensor([1., 2.])
    >>> torch.add(x, torch.tensor([[10.], [20.]]))
    tensor([[11., 12.],
            [21., 22.]])
    >>> x.add(3, alpha=2)
    tensor([7., 8.])

    In place:
    >>> x = torch.tensor([1., 2.])
    >>> x.add_(3, alpha=2)
    tensor([7., 8.])
    >>> x
    tensor([7., 8.])
    """,
    numbers=True,
)
binary(
    """
    sub(Tensor input, Scalar alpha, Tensor other, *, Tensor out=None) -> Tensor|numbers|deprecated
    sub(Tensor input, Tensor other, *, Scalar alpha=1, Tensor out=None) -> Tensor|numbers|.Tensor|.out|uint_add_stub
    sub(Tensor input, Scalar other, Scalar alpha=1) -> Tensor|aten|.Scalar
    """,
    np.subtract,
    {
        "input": unchanged,
        "other": lambda F, grad: -grad,
    },
    constants={"alpha": 1},
    check=_no_bool_sub,
    checks_first=True,
    refuses=no_mixed_bool_sub,
    scalar="sub_number",
    counts=(2,),
    overloads=[Overload(OPS["sub.alpha"], takes=_with_alpha)],
    in_rows="arithmetic",
    doc="""
    input - alpha * other, element by element.

    Shapes: both broadcast together.
    Dtypes: any two but bool; the result has the promoted dtype. other may be a number.

    >>> torch.sub(torch.tensor([5., 6.]), torch.tensor([1., 2.]))
    tensor([4., 4.])
    >>> torch.tensor([5, 6]).sub(1, alpha=2)
    tensor([3, 4])

    In place:
    >>> x = torch.tensor([5., 6.])
    >>> x.sub_(torch.tensor([1., 2.]))
    tensor([4., 4.])
    >>> x
    tensor([4., 4.])
    """,
    numbers=True,
)
binary(
    """
    mul(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|numbers|.Tensor|.out
    mul(Tensor input, Scalar other) -> Tensor|aten|.Scalar
    """,
    np.multiply,
    {
        "input": on_reals(np.multiply)(lambda F, grad, other: grad * F.conj(other)),
        "other": on_reals(np.multiply)(lambda F, grad, input: grad * F.conj(input)),
    },
    scalar="mul_number",
    widens=True,
    in_rows="arithmetic",
    doc="""
    The product, element by element; matrices are multiplied by matmul.

    ~pair

    >>> torch.mul(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor([3., 8.])
    >>> torch.tensor([1, 2]).mul(0.5)
    tensor([0.5000, 1.0000])

    In place:
    >>> x = torch.tensor([1., 2.])
    >>> x.mul_(torch.tensor([3., 4.]))
    tensor([3., 8.])
    >>> x
    tensor([3., 8.])
    """,
    numbers=True,
)
binary(
    """
    div(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|numbers|.Tensor|.out
    div(Tensor input, Tensor other, *, str? rounding_mode, Tensor out=None) -> Tensor|numbers|.Tensor_mode|.out_mode
    div(Tensor input, Scalar other, *, str? rounding_mode) -> Tensor|numbers|.Scalar_mode
    div(Tensor input, Scalar other) -> Tensor|aten|.Scalar
    """,
    np.true_divide,
    {
        "input": lambda F, grad, other: grad / F.conj(other),
        "other": lambda F, grad, input, other: (q := F.conj((input / other) / other), -grad * q)[1],
    },
    result="float",
    scalar="div_number",
    widens=True,
    counts=(2,),
    overloads=[ROUNDED],
    in_rows="arithmetic",
    doc="""
    main: 2
    The quotient, element by element; rounding_mode 'trunc' rounds it towards 0, 'floor' downwards.

    Shapes: both broadcast together.
    Dtypes: any two; without rounding integers give the default dtype.
    Errors: RuntimeError for integers divided by 0 with rounding; floats give inf and nan.

    >>> torch.div(torch.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode='floor')
    tensor([ 3, -4])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode='trunc')
    tensor([ 3, -3])

    In place:
    >>> x = torch.tensor([7., -7.])
    >>> x.div_(2, rounding_mode='floor')
    tensor([ 3., -4.])
    >>> x
    tensor([ 3., -4.])
    """,
    out=Out(overlap="part"),
    numbers=True,
)


def _no_abs_in_place(x: np.ndarray) -> None:
    """Refuse abs in place of a complex tensor: its result is real."""
    if x.dtype.kind == "c":
        raise RuntimeError("In-place abs is not supported for complex tensors.")


def _neg(x: np.ndarray) -> Any:
    if x.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
            "mask, use the `~` or `logical_not()` operator instead."
        )
    return np.negative(x)


def _positive(x: np.ndarray) -> np.ndarray:
    if x.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return x


def _abs(x: np.ndarray) -> Any:
    refuse(x, "abs_cpu", "b")
    return magnitude(x)


def _sign(x: np.ndarray) -> np.ndarray:
    if x.dtype.kind == "c":
        raise NotImplementedError(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."
        )
    return _sgn(x)


def _sgn(x: np.ndarray) -> np.ndarray:
    if x.dtype.kind == "b":
        return x.copy()
    if x.dtype.kind == "c":
        return np.where(np.isinf(x), x.dtype.type(complex(np.nan, np.nan)), np.sign(x))
    if x.dtype.kind == "V":
        return np.subtract(x > 0, x < 0, dtype=np.int8).astype(x.dtype)  # 0 of a NaN
    r = np.asarray(np.sign(x))
    if x.dtype.kind == "f":
        np.putmask(r, r != r, 0)
    return r


@on_both_backends
def sgn_backward(F: Any, grad: Any, input: Any, result: Any) -> Any:
    """The gradient of sgn: for a complex number, the part across its direction; 0 for a real one."""
    if not F.is_complex(input):
        return F.nought(grad)
    along = F.real_part(grad * F.conj(result)) * result
    return F.only(F.abs(input) != 0, (grad - along) / F.abs(input))


unary(
    "neg(Tensor input, *, Tensor out=None) -> Tensor|foreach|uint_neg_cpu",
    _neg,
    lambda F, grad: -grad,
    promotes=False,
    doc="""
    The number with the other sign.

    Shapes: any; the result has input's shape.
    Dtypes: any but bool.

    >>> torch.neg(torch.tensor([1., -2.]))
    tensor([-1.,  2.])
    >>> -torch.tensor([3])
    tensor([-3])

    In place:
    >>> x = torch.tensor([1., -2.])
    >>> x.neg_()
    tensor([-1.,  2.])
    >>> x
    tensor([-1.,  2.])
    """,
    out=Out(exact=FOUND),
)
unary(
    "reciprocal(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    lambda x: np.true_divide(1 if x.dtype.kind in "biu" else x.dtype.type(1), x),
    lambda F, grad, result: (square := F.conj(result * result), -grad * square)[1],
    doc="""
    1 / input.

    ~elementwise-float

    >>> torch.reciprocal(torch.tensor([2., -4., 0.]))
    tensor([ 0.5000, -0.2500,     inf])

    In place:
    >>> x = torch.tensor([2., -4., 0.])
    >>> x.reciprocal_()
    tensor([ 0.5000, -0.2500,     inf])
    >>> x
    tensor([ 0.5000, -0.2500,     inf])
    """,
)
unary(
    "abs(Tensor input, *, Tensor out=None) -> Tensor|foreach|uint_abs_cpu",
    _abs,
    lambda F, grad, input: grad * F.sgn(input),
    promotes=False,
    doc="""
    The absolute value; of a complex number its distance from 0.

    Shapes: any; the result has input's shape.
    Dtypes: any but bool; of complex numbers the result is real. The derivative at 0 is 0.

    >>> torch.abs(torch.tensor([-1.5, 2., 0.]))
    tensor([1.5000, 2.0000, 0.0000])
    >>> torch.tensor([3 + 4j]).abs()
    tensor([5.])

    In place:
    >>> x = torch.tensor([-1.5, 2., 0.])
    >>> x.abs_()
    tensor([1.5000, 2.0000, 0.0000])
    >>> x
    tensor([1.5000, 2.0000, 0.0000])
    """,
    out=Out(exact=FOUND, unless=lambda inputs, out: inputs[0]._array.dtype.kind == "c"),
    refuses_in_place=_no_abs_in_place,
    inner_writes=ByOut("abs"),
)
unary(
    "sgn(Tensor input, *, Tensor out=None) -> Tensor|uint_sign_cpu",
    _sgn,
    lambda F, grad, input, result: F.sgn_backward(grad, input, result),
    promotes=False,
    doc="""
    The direction of a complex number: x / |x|, 0 for 0; of a real number its sign.

    ~elementwise

    >>> torch.sgn(torch.tensor([3 + 4j, 0j]))
    tensor([0.6000+0.8000j, 0.0000+0.0000j])

    In place:
    >>> x = torch.tensor([3 + 4j, 0j])
    >>> x.sgn_()
    tensor([0.6000+0.8000j, 0.0000+0.0000j])
    >>> x
    tensor([0.6000+0.8000j, 0.0000+0.0000j])
    """,
    out=Out(exact=FOUND),
    inplace_function=False,
)
unary(
    "sign(Tensor input, *, Tensor out=None) -> Tensor|foreach|uint_sign_cpu",
    _sign,
    lambda F, grad: F.nought(grad),
    promotes=False,
    doc="""
    -1, 0 or 1.

    Shapes: any; the result has input's shape.
    Dtypes: real numbers and bool; the result has the same. The derivative is 0.

    >>> torch.sign(torch.tensor([-3., 0., 0.5]))
    tensor([-1.,  0.,  1.])

    In place:
    >>> x = torch.tensor([-3., 0., 0.5])
    >>> x.sign_()
    tensor([-1.,  0.,  1.])
    >>> x
    tensor([-1.,  0.,  1.])
    """,
    out=Out(exact=FOUND),
    inplace_function=False,
)


@composite("positive(Tensor input) -> Tensor|view")
def positive(input: Tensor) -> Tensor:
    """input itself, as +x gives it.

    Shapes: any; the result has input's shape.
    Dtypes: any but bool.

    >>> x = torch.tensor([1., 2.])
    >>> torch.positive(x) is x
    True
    """
    if not isinstance(input, Tensor):
        reject("positive", (input,), {})
    _positive(input._array)
    return input


# -- exponentials and logarithms ---------------------------------------------------------------------------------------


unary(
    "exp(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    exp,
    lambda F, grad, result: grad * F.conj(result),
    doc="""
    e to the power of input. Its derivative is its result.

    ~elementwise-float

    >>> torch.exp(torch.tensor([0., 1., -1.]))
    tensor([1.0000, 2.7183, 0.3679])
    >>> x = torch.tensor([0., 1.], requires_grad=True)
    >>> x.exp().sum().backward()
    >>> x.grad
    tensor([1.0000, 2.7183])

    In place:
    >>> x = torch.tensor([0., 1., -1.])
    >>> x.exp_()
    tensor([1.0000, 2.7183, 0.3679])
    >>> x
    tensor([1.0000, 2.7183, 0.3679])
    """,
)
unary(
    "log(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    log,
    lambda F, grad, input: grad / F.conj(input),
    doc="""
    The natural logarithm; -inf at 0, nan below.

    ~elementwise-float

    >>> torch.log(torch.tensor([1., torch.e, 0., -1.]))
    tensor([0., 1., -inf, nan])

    In place:
    >>> x = torch.tensor([1., torch.e, 0., -1.])
    >>> x.log_()
    tensor([0., 1., -inf, nan])
    >>> x
    tensor([0., 1., -inf, nan])
    """,
)


unary(
    "sqrt(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    np.sqrt,
    lambda F, grad, result: grad / F.mul_number(F.conj(result), 2),
    doc="""
    The square root; nan below 0. Its derivative at 0 is infinite.

    ~elementwise-float

    >>> torch.sqrt(torch.tensor([4., 2., 0., -1.]))
    tensor([2.0000, 1.4142, 0.0000,    nan])

    In place:
    >>> x = torch.tensor([4., 2., 0., -1.])
    >>> x.sqrt_()
    tensor([2.0000, 1.4142, 0.0000,    nan])
    >>> x
    tensor([2.0000, 1.4142, 0.0000,    nan])
    """,
)
unary(
    "rsqrt(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    lambda x: 1 / np.sqrt(x),  # the root of half types is rounded too
    lambda F, grad, result: F.mul_number(grad, -0.5) * F.conj(F.pow(result, 3)),
    doc="""
    1 / sqrt(input); inf at 0, nan below.

    ~elementwise-float

    >>> torch.rsqrt(torch.tensor([4., 0.25, 0.]))
    tensor([0.5000, 2.0000,    inf])

    In place:
    >>> x = torch.tensor([4., 0.25, 0.])
    >>> x.rsqrt_()
    tensor([0.5000, 2.0000,    inf])
    >>> x
    tensor([0.5000, 2.0000,    inf])
    """,
)

# -- trigonometry ------------------------------------------------------------------------------------------------------

unary(
    "sin(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    rounded(np.sin),
    lambda F, grad, input: grad * F.conj(F.cos(input)),
    doc="""
    The sine of an angle in radians.

    ~elementwise-float

    >>> torch.sin(torch.tensor([0., torch.pi / 6, torch.pi / 2]))
    tensor([0.0000, 0.5000, 1.0000])

    In place:
    >>> x = torch.tensor([0., torch.pi / 6, torch.pi / 2])
    >>> x.sin_()
    tensor([0.0000, 0.5000, 1.0000])
    >>> x
    tensor([0.0000, 0.5000, 1.0000])
    """,
)
unary(
    "cos(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    rounded(np.cos),
    lambda F, grad, input: grad * -F.conj(F.sin(input)),
    doc="""
    The cosine of an angle in radians.

    ~elementwise-float

    >>> torch.cos(torch.tensor([0., torch.pi / 2, torch.pi]))
    tensor([ 1.0000e+00, -4.3711e-08, -1.0000e+00])

    In place:
    >>> x = torch.tensor([0., torch.pi / 2, torch.pi])
    >>> x.cos_()
    tensor([ 1.0000e+00, -4.3711e-08, -1.0000e+00])
    >>> x
    tensor([ 1.0000e+00, -4.3711e-08, -1.0000e+00])
    """,
)
unary(
    "tanh(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    tanh,
    lambda F, grad, result: F.tanh_backward(grad, result),
    doc="""
    The hyperbolic tangent: from -1 on the far left to 1 on the far right.

    ~elementwise-float

    >>> torch.tanh(torch.tensor([0., 1., -10.]))
    tensor([ 0.0000,  0.7616, -1.0000])

    In place:
    >>> x = torch.tensor([0., 1., -10.])
    >>> x.tanh_()
    tensor([ 0.0000,  0.7616, -1.0000])
    >>> x
    tensor([ 0.0000,  0.7616, -1.0000])
    """,
)


declare(
    """
    multiply(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|numbers|.Tensor|.out
    multiply(Tensor input, Scalar other) -> Tensor|numbers|.Scalar
    """,
)
declare(
    """
    subtract(Tensor input, Tensor other, *, Scalar alpha=1, Tensor out=None) -> Tensor|numbers|.Tensor|.out
    subtract(Tensor input, Scalar other, Scalar alpha=1) -> Tensor|numbers|.Scalar
    """,
)
alias("multiply", "mul")
alias("multiply_", "mul_", function=False)
alias("subtract", "sub", reads="first", third="alpha")
alias("subtract_", "sub_", function=False, reads="first", third="alpha")
alias("negative", "neg")
alias("negative_", "neg_")
alias("absolute", "abs")
alias("absolute_", "abs_", function=False)


# -- activations -------------------------------------------------------------------------------------------------------


def _sigmoid(x: np.ndarray) -> Any:
    kind = x.dtype
    if kind.itemsize == 2 and kind.kind in FLOATS:
        return in_single(_sigmoid, x)
    r = np.asarray(exp(-(floated(x) if kind.kind in "biu" else x)))
    one = _ONES.get(r.dtype, 1)
    r += one
    return np.divide(one, r, r)  # where exp overflows it is 0, as in PyTorch


unary(
    "sigmoid(Tensor input, *, Tensor out=None) -> Tensor|foreach",
    _sigmoid,
    lambda F, grad, result: F.sigmoid_backward(grad, result),
    doc="""
    1 / (1 + exp(-x)): from 0 on the far left to 1 on the far right.

    ~elementwise-float

    >>> torch.sigmoid(torch.tensor([0., 2., -2.]))
    tensor([0.5000, 0.8808, 0.1192])

    In place:
    >>> x = torch.tensor([0., 2., -2.])
    >>> x.sigmoid_()
    tensor([0.5000, 0.8808, 0.1192])
    >>> x
    tensor([0.5000, 0.8808, 0.1192])
    """,
)
alias("special_expit", "sigmoid", method=False)


def _relu(x: np.ndarray) -> Any:
    nought = _NOUGHTS.get(x.dtype)
    if nought is not None:
        return limited(x, nought, None)
    if x.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    if x.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    return limited(x, np.array(0, x.dtype), None)


unary(
    "relu(Tensor input) -> Tensor|uint_clamp_min_scalar_cpu",
    _relu,
    lambda F, grad, result: F.threshold_backward(grad, result, 0),
    promotes=False,
    doc="""
    input where it is positive, 0 elsewhere; the derivative at 0 is 0.

    Shapes: any; the result has input's shape.
    Dtypes: real numbers, not bool.

    >>> x = torch.tensor([-1., 0., 2.], requires_grad=True)
    >>> torch.relu(x)
    tensor([0., 0., 2.], grad_fn=<ReluBackward0>)
    >>> torch.relu(x).sum().backward()
    >>> x.grad
    tensor([0., 0., 1.])

    In place:
    >>> x = torch.tensor([-1., 0., 2.])
    >>> x.relu_()
    tensor([0., 0., 2.])
    >>> x
    tensor([0., 0., 2.])
    """,
)


# -- other names of div ------------------------------------------------------------------------------------------------

RAW.div = lambda input, other, rounding_mode=None: (
    OPS["div"].kernel(input, other) if rounding_mode is None else rounded_quotient(input, other, rounding_mode)
)
declare(
    """
    divide(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|numbers|.Tensor|.out
    divide(Tensor input, Tensor other, *, str? rounding_mode, Tensor out=None) -> Tensor|numbers|.Tensor_mode|.out_mode
    divide(Tensor input, Scalar other) -> Tensor|numbers|.Scalar
    divide(Tensor input, Scalar other, *, str? rounding_mode) -> Tensor|numbers|.Scalar_mode
    """,
)
declare(
    """
    true_divide(Tensor input, Tensor other, *, Tensor out=None) -> Tensor|numbers|.Tensor|.out
    true_divide(Tensor input, Scalar other) -> Tensor|numbers|.Scalar
    """,
)
alias("divide", "div")
alias("divide_", "div_", function=False)
alias("true_divide", "div", reads="first")
alias("true_divide_", "div_", function=False, reads="first")


# -- the derivatives that PyTorch itself has as operations -------------------------------------------------------------


def _in_place(slope: Any, grad: Any) -> bool:
    """Whether a product of an array of real numbers, with a gradient lies as the array itself does."""
    return (
        type(slope) is np.ndarray
        and type(grad) is np.ndarray
        and slope.dtype is grad.dtype
        and slope.dtype.kind == "f"
        and slope.strides == grad.strides
        and slope.shape == grad.shape
    )


@op(
    "sigmoid_backward",
    "grad_output output",
    vjp={
        "grad_output": lambda F, grad, output: F.sigmoid_backward(grad, F.conj(output)),
        "output": lambda F, grad, grad_output, output: F.conj(grad) * grad_output * F.conj(1 - 2 * output),
    },
    reads="itself",
    operator=Operator("(Tensor grad_output, Tensor output) -> Tensor"),
    together=pointwise,
)
def sigmoid_backward(grad_output: Any, output: np.ndarray) -> Any:
    if output.dtype.itemsize == 2:  # of the half types, PyTorch rounds float16 at each step
        if output.dtype.kind == "f":
            return grad_output * (1 - output) * output
        return in_single(sigmoid_backward, grad_output, output)
    slope = _ONES.get(output.dtype, 1) - output
    if _in_place(slope, grad_output):
        np.multiply(grad_output, slope, slope)
        return np.multiply(slope, output, slope)
    return grad_output * conj(output * slope)


@op(
    "tanh_backward",
    "grad_output output",
    vjp={
        "grad_output": lambda F, grad, output: F.tanh_backward(grad, F.conj(output)),
        "output": lambda F, grad, grad_output, output: F.conj(grad) * grad_output * F.conj(-2 * output),
    },
    reads="itself",
    operator=Operator("(Tensor grad_output, Tensor output) -> Tensor"),
    together=pointwise,
)
def tanh_backward(grad_output: Any, output: np.ndarray) -> Any:
    if output.dtype.itemsize == 2:
        return in_single(tanh_backward, grad_output, output)
    if few_singles(output):
        return grad_output * less_square(RAW, output)
    slope = output * output
    if _in_place(slope, grad_output):
        np.subtract(_ONES.get(slope.dtype, 1), slope, slope)
        return np.multiply(grad_output, slope, slope)
    return grad_output * conj(1 - slope)


@op(
    "threshold_backward",
    "grad_output input",
    vjp={
        "grad_output": lambda F, grad, input, threshold: F.threshold_backward(grad, input, threshold),
        "input": lambda F, grad: F.nought(grad),
    },
    jvp={"input": lambda F, tangent: F.nought(tangent)},
    reads="itself",
    operator=Operator("(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor"),
    together=pointwise,
)
def threshold_backward(grad_output: Any, input: np.ndarray, threshold: float) -> np.ndarray:
    below = np.asarray(input <= threshold)
    return kept(np.logical_not(below, below), grad_output)


# -- forms that PyTorch's own compositions and formulas use with a number: their Nodes end in 1 ------------------------


def _with_number(ufunc: Any) -> Any:
    def kernel(input: np.ndarray, other: Any) -> Any:
        x = floated(input)
        return ufunc(x, numbered(x, other))

    return kernel


#: half types are not what a factor or divisor is rounded to
_times, _over = (single(_with_number(ufunc)) for ufunc in (np.multiply, np.true_divide))


def _number_form(name: str, kernel: Any, on_arrays: Any, vjp: Any) -> None:
    entry = OPS[name] = Op(name, kernel, node=f"{name.split('_')[0].capitalize()}Backward1", vjp={"input": vjp})
    setattr(TENSORS, name, entry.call)
    setattr(TENSORS, f"{name}_", lambda x, n: change(entry, [x, n], entry.arrays([x, n])))
    setattr(RAW, name, on_arrays)


_number_form("add_number", _with_number(np.add), operator.add, lambda F, grad: grad)
_number_form("sub_number", _with_number(np.subtract), operator.sub, lambda F, grad: grad)
_number_form("mul_number", _times, operator.mul, lambda F, grad, other: grad * np.conj(other).item())
_number_form("div_number", _over, operator.truediv, lambda F, grad, other: grad / np.conj(other).item())
