"""Elementwise arithmetic and mathematics: one entry each, kernel and derivative side by side."""

from __future__ import annotations

import math

import numpy as np

from ..factories import binary, unary
from ..opdef import alias, composite, op
from ..record import RAW, TENSORS
from ..tensor import Tensor


def conj(x):  # type: ignore[no-untyped-def]
    """The complex conjugate; real values are returned as they are."""
    return x.conjugate()


RAW.conj = conj


@op("_conj", method=False, function=False, node="ConjBackward0", vjp={"input": lambda F, grad: F.conj(grad)})
def _conj(input):  # type: ignore[no-untyped-def]
    return np.conjugate(input)


@composite(name="conj")
def _conj_of(input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is."""
    return TENSORS._conj(input) if input._array.dtype.kind == "c" else input  # type: ignore[no-any-return]


# -- arithmetic ----------------------------------------------------------------------------------------------------------


def _no_bool_sub(x, y):  # type: ignore[no-untyped-def]
    if x.dtype.kind == "b":
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )


binary("add", np.add, {
    "input": lambda F, grad: grad,
    "other": lambda F, grad: grad,
}, doc="input + other, element by element.")  # fmt: skip
binary("sub", np.subtract, {
    "input": lambda F, grad: grad,
    "other": lambda F, grad: -grad,
}, check=_no_bool_sub, doc="input - other, element by element.")  # fmt: skip
binary("mul", np.multiply, {
    "input": lambda F, grad, other: grad * F.conj(other),
    "other": lambda F, grad, input: grad * F.conj(input),
}, doc="input * other, element by element.")  # fmt: skip
binary("div", np.true_divide, {
    "input": lambda F, grad, other: grad / F.conj(other),
    "other": lambda F, grad, input, other: -grad * F.conj((input / other) / other),
}, result="float", doc="input / other, element by element; integers give floats.")  # fmt: skip

unary("neg", np.negative, lambda F, grad: -grad, promotes=False, doc="-input")
unary("reciprocal", np.reciprocal, lambda F, grad, result: -grad * F.conj(result * result), doc="1 / input")
unary("abs", np.abs, lambda F, grad, input: grad * F.sgn(input), promotes=False, doc="The absolute value.")
unary("sgn", np.sign, lambda F, grad: grad * 0, promotes=False, doc="The sign; of a complex number its direction.")
unary("sign", np.sign, lambda F, grad: grad * 0, promotes=False, doc="-1, 0 or 1.")
unary("positive", np.positive, lambda F, grad: grad, promotes=False, inplace=False, doc="+input")


# -- powers --------------------------------------------------------------------------------------------------------------


def _int_power(x, y):  # type: ignore[no-untyped-def]
    if x.dtype.kind in "iu" and np.any(y < 0):
        raise RuntimeError("Integers to negative integer powers are not allowed.")


binary("pow_tensor", np.power, {
    "input": lambda F, grad, input, other: F.pow_backward_self(grad, input, other),
    "other": lambda F, grad, input, other, result: F.pow_backward_exponent(grad, input, other, result),
}, node="PowBackward1", check=_int_power, function=False)  # fmt: skip


def _pow_number(x, exponent):  # type: ignore[no-untyped-def]
    if x.dtype.kind in "fc" and not isinstance(exponent, complex):
        if exponent == 2:
            return x * x
        if exponent == 3:
            return x * x * x
        if exponent == 0.5:
            return np.sqrt(x)
        if exponent == 1:
            return x.copy()
    return np.power(x, np.asarray(exponent, x.dtype))


# -- exponentials and logarithms -------------------------------------------------------------------------------------------

unary("exp", np.exp, lambda F, grad, result: grad * F.conj(result), doc="e to the power of input.")
unary("exp2", np.exp2, lambda F, grad, result: grad * F.conj(result) * math.log(2), doc="2 to the power of input.")
unary("expm1", np.expm1, lambda F, grad, result: grad * (F.conj(result) + 1), doc="exp(input) - 1, exact near 0.")
unary("log", np.log, lambda F, grad, input: grad / F.conj(input), doc="The natural logarithm.")
unary("log2", np.log2, lambda F, grad, input: grad / (F.conj(input) * math.log(2)), doc="The logarithm to base 2.")
unary("log10", np.log10, lambda F, grad, input: grad / (F.conj(input) * math.log(10)), doc="The logarithm to base 10.")
unary("log1p", np.log1p, lambda F, grad, input: grad / (F.conj(input) + 1), doc="log(1 + input), exact near 0.")
unary("sqrt", np.sqrt, lambda F, grad, result: grad / (2 * F.conj(result)), doc="The square root.")
unary("rsqrt", lambda x: np.reciprocal(np.sqrt(x)), lambda F, grad, result: grad * -0.5 * F.conj(result ** 3),
      doc="1 / sqrt(input)")  # fmt: skip
unary("square", np.square, lambda F, grad, input: grad * F.conj(input) * 2, promotes=False, node="PowBackward0",
      doc="input * input")  # fmt: skip

# -- trigonometry ----------------------------------------------------------------------------------------------------------

unary("sin", np.sin, lambda F, grad, input: grad * F.conj(F.cos(input)), doc="The sine.")
unary("cos", np.cos, lambda F, grad, input: grad * -F.conj(F.sin(input)), doc="The cosine.")
unary("tan", np.tan, lambda F, grad, result: grad * F.conj(1 + result * result), doc="The tangent.")
unary("asin", np.arcsin, lambda F, grad, input: grad * F.conj(F.rsqrt(1 - input * input)), doc="The inverse sine.")
unary("acos", np.arccos, lambda F, grad, input: grad * -F.conj(F.rsqrt(1 - input * input)), doc="The inverse cosine.")
unary("atan", np.arctan, lambda F, grad, input: grad / F.conj(input * input + 1), doc="The inverse tangent.")
unary("sinh", np.sinh, lambda F, grad, input: grad * F.conj(F.cosh(input)), doc="The hyperbolic sine.")
unary("cosh", np.cosh, lambda F, grad, input: grad * F.conj(F.sinh(input)), doc="The hyperbolic cosine.")
unary("tanh", np.tanh, lambda F, grad, result: F.tanh_backward(grad, result), doc="The hyperbolic tangent.")
unary("asinh", np.arcsinh, lambda F, grad, input: grad * F.conj(F.rsqrt(input * input + 1)),
      doc="The inverse hyperbolic sine.")  # fmt: skip
unary("acosh", np.arccosh, lambda F, grad, input: grad * F.conj(F.rsqrt(input - 1) * F.rsqrt(input + 1)),
      doc="The inverse hyperbolic cosine.")  # fmt: skip
unary("atanh", np.arctanh, lambda F, grad, input: grad / F.conj(1 - input * input),
      doc="The inverse hyperbolic tangent.")  # fmt: skip
for _name in ("asin", "acos", "atan", "asinh", "acosh", "atanh"):
    alias(_name.replace("a", "arc", 1), _name)
    alias(_name.replace("a", "arc", 1) + "_", _name + "_")

# -- rounding: piecewise constant, so their derivative is 0 ----------------------------------------------------------------

unary("floor", np.floor, lambda F, grad: grad * 0, promotes=False, doc="The largest integer not above input.")
unary("ceil", np.ceil, lambda F, grad: grad * 0, promotes=False, doc="The smallest integer not below input.")
unary("trunc", np.trunc, lambda F, grad: grad * 0, promotes=False, doc="The integer part.")
unary("frac", lambda x: x - np.trunc(x), lambda F, grad: grad, promotes=False, doc="input - trunc(input)")

# -- activations -----------------------------------------------------------------------------------------------------------


def _sigmoid(x):  # type: ignore[no-untyped-def]
    if x.dtype.kind == "c":
        return 1 / (1 + np.exp(-x))
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e) / (1 + e)


unary("sigmoid", _sigmoid, lambda F, grad, result: F.sigmoid_backward(grad, result), doc="1 / (1 + exp(-input))")
unary("relu", lambda x: np.maximum(x, x.dtype.type(0)), lambda F, grad, result: F.threshold_backward(grad, result, 0),
      promotes=False, doc="input where it is positive, else 0.")  # fmt: skip


# -- the derivatives that PyTorch itself has as operations -----------------------------------------------------------------


@op("sigmoid_backward", "grad_output output", method=False, function=False, vjp={
    "grad_output": lambda F, grad, output: F.sigmoid_backward(grad, output),
    "output": lambda F, grad, grad_output, output: grad * grad_output * F.conj(1 - 2 * output),
})  # fmt: skip
def sigmoid_backward(grad_output, output):  # type: ignore[no-untyped-def]
    return grad_output * conj(output * (1 - output))


@op("tanh_backward", "grad_output output", method=False, function=False, vjp={
    "grad_output": lambda F, grad, output: F.tanh_backward(grad, output),
    "output": lambda F, grad, grad_output, output: grad * grad_output * F.conj(-2 * output),
})  # fmt: skip
def tanh_backward(grad_output, output):  # type: ignore[no-untyped-def]
    return grad_output * conj(1 - output * output)


@op("threshold_backward", "grad_output input", method=False, function=False, vjp={
    "grad_output": lambda F, grad, input, threshold: F.threshold_backward(grad, input, threshold),
    "input": lambda F, grad: grad * 0,
})  # fmt: skip
def threshold_backward(grad_output, input, threshold):  # type: ignore[no-untyped-def]
    return grad_output * (input > threshold)


@op("pow_scalar", vjp={"input": lambda F, grad, input, exponent: F.pow_backward(grad, input, exponent)},
    node="PowBackward0", method=False, function=False)  # fmt: skip
def pow_scalar(input, exponent):  # type: ignore[no-untyped-def]
    if input.dtype.kind in "iu" and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return _pow_number(input, exponent)


@op("pow_base", "exponent", node="PowBackward2", method=False, function=False, shown={"input": "self"}, vjp={
    "exponent": lambda F, grad, input, exponent, result: F.pow_backward_exponent(grad, input, exponent, result),
})  # fmt: skip
def pow_base(input, exponent):  # type: ignore[no-untyped-def]
    return np.power(np.asarray(input, exponent.dtype), exponent)
