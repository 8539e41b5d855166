"""Activations, softmax and its logarithm, and the derivatives that PyTorch has as operations."""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.memory.adding import added, as_columns, columns_in_halves, in_halves
from ...core.memory.layout import channels_as, contiguous, iterated, like
from ...core.memory.rows import laid_by
from ...core.memory.together import along, pointwise
from ...core.recording.record import NOT_IMPLEMENTED, RAW, TENSORS, no_derivative, says, zeros
from ...core.runtime import modes
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor
from ...core.types import dtypes
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import from_numpy, scalar_name, unsupported
from ...core.types.info import finfo
from ...core.values.building import scalar_array
from ...core.values.promotion import plain_number
from ..first.kinds import (
    BOOL,
    COMPLEX,
    HALF,
    INTEGERS,
    chosen,
    few_singles,
    in_single,
    is_half,
    laid_out,
    less_square,
    like_input,
    limited,
    multiply_add,
    refuse,
    signed_as,
    single,
    typed,
)
from ..kernels.rounded import exp, expm1, log, log1p, tanh
from ..kernels.special import erf_many
from ..table.arguments import reject
from ..table.asking import Operator, at
from ..table.opdef import OPS, Op, alias, composite, op
from ..table.outputs import EXPECTED, FOUND, Out

SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946
_ROOT = math.sqrt(2 / math.pi)
_NEGATIVE_SLOPE = (
    "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. This is caused "
    "by calling in-place forward function with a negative slope, please call out-of-place version instead. File an "
    "issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward calculation "
    "with negative slope"
)
_NEGATIVE_ALPHA = (
    "In-place elu backward calculation is triggered with a negative slope which is not supported. This is caused by "
    "calling in-place forward function with a negative slope, please call out-of-place version instead."
)
_largest: Any = np.maximum.reduce
_sum: Any = np.add.reduce

RAW.pick = chosen
TENSORS.pick = lambda cond, a, b: TENSORS.where(cond, a, b)


def no_integers(name: str, x: np.ndarray) -> None:
    """PyTorch's error for a kernel that integers lack."""
    if x.dtype.kind in "biuc":
        raise unsupported(name, x)


# -- clipped -----------------------------------------------------------------------------------------------------------


@op(
    """
    nn.hardtanh(Tensor input, Scalar min_val=-1, Scalar max_val=1, *,
        Tensor out=None) -> Tensor|uint_clamp_scalar_cpu
    """,
    vjp={
        "input": lambda F, grad, input, min_val, max_val: F.hardtanh_backward(grad, input, min_val, max_val),
    },
    inner_writes=1,
    together=pointwise,
)
@typed("hardtanh_cpu", "", layout=like_input)
def hardtanh(input: np.ndarray, min_val: float = -1.0, max_val: float = 1.0) -> np.ndarray:
    """input, but not below min_val nor above max_val."""
    if input.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if input.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    if input.dtype.kind == "f" and (min_val != min_val or max_val != max_val):
        return np.full_like(input, np.nan)
    kind = from_numpy(input.dtype)
    if input.dtype.kind in "iu":
        for limit in (min_val, max_val):
            scalar_array(limit, dtypes.int64)  # refuses what does not fit
    if input.dtype.kind == "u" and min(min_val, max_val) <= -1:  # of limits without their fractions
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return limited(input, scalar_array(min_val, kind), scalar_array(max_val, kind))


@op(
    "hardtanh_backward",
    "grad_output input",
    vjp={
        "grad_output": lambda F, grad, input, min_val, max_val: F.hardtanh_backward(grad, input, min_val, max_val),
        "input": lambda F, grad: F.nought(grad),
    },
    operator=Operator("(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor"),
    together=pointwise,
)
@typed("hardtanh_backward", "")
def hardtanh_backward(grad_output: Any, input: np.ndarray, min_val: float, max_val: float) -> np.ndarray:
    return chosen((input <= min_val) | (input >= max_val), np.array(0, grad_output.dtype), grad_output)


@op(
    "nn.hardsigmoid(Tensor input, *, Tensor out=None) -> Tensor",
    vjp={"input": lambda F, grad, input: F.hardsigmoid_backward(grad, input)},
    # the same: what runs backward has no derivative from which it would follow
    jvp={"input": lambda F, tangent, input: F.hardsigmoid_backward(tangent, input)},
    together=pointwise,
)
@typed("hardsigmoid_cpu", BOOL + INTEGERS + COMPLEX, layout=iterated)
def hardsigmoid(input: np.ndarray) -> np.ndarray:
    """A line from 0 at -3 to 1 at 3, constant outside."""
    no_integers("hardsigmoid_cpu", input)
    return np.clip(input + 3, 0, 6) / 6


@op(
    "hardsigmoid_backward",
    "grad_output input",
    node=NOT_IMPLEMENTED,
    vjp={name: no_derivative("hardsigmoid_backward") for name in ("grad_output", "input")},
    operator=Operator("(Tensor grad_output, Tensor self) -> Tensor"),
    together=pointwise,
)
@typed("hardsigmoid_backward", "")
def hardsigmoid_backward(grad_output: Any, input: np.ndarray) -> np.ndarray:
    d = input.dtype
    return chosen((input > -3) & (input < 3), grad_output * np.array(np.float32(1 / 6), d), np.array(0, d))


@op(
    "nn.hardswish(Tensor input, *, Tensor out=None) -> Tensor",
    vjp={"input": lambda F, grad, input: F.hardswish_backward(grad, input)},
    together=pointwise,
)
@typed("hardswish_cpu", BOOL + INTEGERS + COMPLEX, layout=iterated)
def hardswish(input: np.ndarray) -> np.ndarray:
    """input * hardsigmoid(input)"""
    no_integers("hardswish_cpu", input)
    return input * np.clip(input + 3, 0, 6) / 6


@op(
    "hardswish_backward",
    "grad_output input",
    vjp={
        "grad_output": lambda F, grad, input: F.hardswish_backward(grad, input),
        "input": lambda F, grad, grad_output, input: F.kept((input > -3) & (input < 3), grad * grad_output / 3),
    },
    operator=Operator("(Tensor grad_output, Tensor self) -> Tensor"),
    together=pointwise,
)
@typed("hardswish_backward", "")
def hardswish_backward(grad_output: Any, input: np.ndarray) -> np.ndarray:
    return chosen(
        input <= -3,
        np.array(0, input.dtype),
        chosen(input < 3, grad_output * (input / 3 + np.array(0.5, input.dtype)), grad_output),
    )


@op(
    "threshold(Tensor input, Scalar threshold, Scalar value, *, Tensor out=None) -> Tensor",
    inplace_overload=True,
    overlap="own",
    inplace=True,
    method=False,
    vjp={
        "input": lambda F, grad, input, threshold: F.threshold_backward(grad, input, threshold),
    },
    together=pointwise,
)
@typed("threshold_cpu", BOOL + COMPLEX, layout=iterated)
def threshold(input: np.ndarray, threshold: Any, value: Any) -> np.ndarray:
    """input where it is larger than threshold, value elsewhere.

    Shapes: any; the result has input's shape.
    Dtypes: real numbers.

    >>> torch.threshold(torch.tensor([-1., 0.2, 3.]), 0.5, -9.)
    tensor([-9., -9.,  3.])

    In place:
    >>> x = torch.tensor([-1., 0.2, 3.])
    >>> torch.threshold_(x, 0.5, -9.)
    tensor([-9., -9.,  3.])
    >>> x
    tensor([-9., -9.,  3.])
    """
    kind = from_numpy(input.dtype)
    return chosen(input <= scalar_array(threshold, kind), scalar_array(value, kind), input)


@op(
    "hardshrink(Tensor input, Scalar lambd=0.5, *, Tensor out=None) -> Tensor",
    vjp={"input": lambda F, grad, input, lambd: F.hardshrink_backward(grad, input, lambd)},
    out=Out(exact=FOUND, overlap="part"),
    together=pointwise,
)
@typed("hardshrink_cpu", BOOL + INTEGERS + COMPLEX, layout=iterated)
def hardshrink(input: np.ndarray, lambd: float = 0.5) -> np.ndarray:
    """input where its absolute value is larger than lambd, 0 elsewhere.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    >>> torch.hardshrink(torch.tensor([-1., 0.2, 3.]), 0.5)
    tensor([-1.,  0.,  3.])
    """
    no_integers("hardshrink_cpu", input)
    d = input.dtype.type(lambd)
    return chosen((input >= -d) & (input <= d), np.array(0, input.dtype), input)


@op(
    "hardshrink_backward",
    "grad_output input",
    vjp={
        "grad_output": lambda F, grad, input, lambd: F.hardshrink_backward(grad, input, lambd),
        "input": lambda F, grad: F.nought(grad),
    },
    operator=Operator("(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor", names={"grad_out": "grad_output"}),
    together=pointwise,
)
def hardshrink_backward(grad_output: Any, input: np.ndarray, lambd: float) -> np.ndarray:
    return chosen((input >= -lambd) & (input <= lambd), np.array(0, grad_output.dtype), grad_output)


#: the largest number of float16
_SMALLEST_MAX = 65504


@op(
    "nn.softshrink(Tensor input, Scalar lambd=0.5, *, Tensor out=None) -> Tensor",
    vjp={
        "input": lambda F, grad, input, lambd: F.softshrink_backward(grad, input, lambd),
    },
    out=Out(exact=FOUND),
    together=pointwise,
)
@laid_out(iterated)
def softshrink(input: np.ndarray, lambd: float = 0.5) -> np.ndarray:
    """input shifted towards 0 by lambd, 0 where that would cross it."""
    no_integers("softshrink_check", input)
    if not 0 <= lambd <= _SMALLEST_MAX and not 0 <= lambd <= finfo(from_numpy(input.dtype)).max:
        most = finfo(from_numpy(input.dtype)).max
        raise RuntimeError(
            f"lambda must be in range [0, {most:g}] for input dtype {scalar_name(input)}, but found {lambd:g}"
        )
    return _soft(input, lambd)


@single
def _soft(x: np.ndarray, lambd: float) -> Any:
    d = np.array(lambd, x.dtype)
    return signed_as(x, x - np.clip(x, -d, d))


@op(
    "softshrink_backward",
    "grad_output input",
    vjp={
        "grad_output": lambda F, grad, input, lambd: F.softshrink_backward(grad, input, lambd),
        "input": lambda F, grad: F.nought(grad),
    },
    operator=Operator("(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor"),
    together=pointwise,
)
def softshrink_backward(grad_output: Any, input: np.ndarray, lambd: float) -> np.ndarray:
    return hardshrink_backward(grad_output, input, lambd)


# -- leaky and exponential ---------------------------------------------------------------------------------------------


@op(
    "nn.leaky_relu(Tensor input, Scalar negative_slope=0.01, *, Tensor out=None) -> Tensor",
    inplace_overload={
        "input": lambda F, grad, negative_slope, result: F.leaky_relu_backward(grad, result, negative_slope, True),
    },
    vjp={
        "input": lambda F, grad, input, negative_slope: F.leaky_relu_backward(grad, input, negative_slope),
    },
    together=pointwise,
)
@typed("leaky_relu_cpu", BOOL + INTEGERS + COMPLEX, layout=iterated)
def leaky_relu(input: np.ndarray, negative_slope: float = 0.01) -> np.ndarray:
    """input where it is positive, else input * negative_slope."""
    no_integers("leaky_relu_cpu", input)
    low = input * np.array(negative_slope, input.dtype)
    return np.maximum(input, low) if 0 < negative_slope <= 1 else chosen(input > 0, input, low)


@op(
    "leaky_relu_backward",
    "grad_output input",
    vjp={
        "grad_output": lambda F, grad, input, negative_slope: F.leaky_relu_backward(grad, input, negative_slope),
        "input": lambda F, grad: F.nought(grad),
    },
    operator=Operator(
        "(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result) -> Tensor",
        names={"self_is_result": "is_result"},
    ),
    together=pointwise,
)
@typed("leaky_relu_backward", "")
def leaky_relu_backward(
    grad_output: Any, input: np.ndarray, negative_slope: float, is_result: bool = False
) -> np.ndarray:
    """is_result: what is given as input is the result of the form in place."""
    if is_result and negative_slope < 0:
        raise RuntimeError(_NEGATIVE_SLOPE)
    return chosen(input > 0, grad_output, grad_output * np.array(negative_slope, grad_output.dtype))


@op(
    "nn.elu(Tensor input, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1, *, Tensor out=None) -> Tensor",
    inplace_overload={
        "input": lambda F, grad, alpha, scale, input_scale, result: F.elu_backward(
            grad, result, alpha, scale, input_scale, True
        ),
    },
    vjp={
        "input": lambda F, grad, input, alpha, scale, input_scale: F.elu_backward(
            grad, input, alpha, scale, input_scale
        ),
    },
    together=pointwise,
)
@typed("elu_cpu", BOOL + INTEGERS + COMPLEX, layout=iterated)
def elu(input: np.ndarray, alpha: Any = 1.0, scale: float = 1, input_scale: float = 1) -> np.ndarray:
    """input where it is positive, else alpha * (exp(input) - 1)."""
    no_integers("elu_cpu", input)
    d = input.dtype
    nought = np.array(0, d)
    low = expm1(_times(limited(input, None, nought), input_scale))
    if alpha * scale != 1:
        low *= np.array(alpha * scale, d)
    if alpha * scale >= 0 and scale > 0 and input_scale > 0:  # one of two summands is 0
        low += _times(limited(input, nought, None), scale)
        return low
    return chosen(input >= nought, input * np.array(scale, d), low)


def _times(x: np.ndarray, factor: Any) -> np.ndarray:
    """The product with a number, which most often is 1."""
    return x if factor == 1 else x * np.array(factor, x.dtype)


def _elu_twice(F: Any, grad: Any, input: Any, alpha: Any, scale: float, input_scale: float, is_result: bool) -> Any:
    if not is_result:
        grad = F.elu_backward(grad, input, alpha, scale, input_scale, False)
    return grad * (input < 0)


@op(
    "elu_backward",
    "grad_output input",
    vjp={
        "grad_output": lambda F, grad, input, alpha, scale, input_scale, is_result: F.elu_backward(
            grad, input, alpha, scale, input_scale, is_result
        ),
        "input": lambda F, grad, grad_output, input, alpha, scale, input_scale, is_result: _elu_twice(
            F, grad * grad_output * input_scale, input, alpha, scale, input_scale, is_result
        ),
    },
    shown={"input": "self_or_result"},
    operator=Operator(
        "(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, Tensor "
        "self_or_result) -> Tensor",
        names={"self_or_result": "input"},
    ),
    together=pointwise,
)
@typed("elu_backward", "")
def elu_backward(
    grad_output: Any, input: np.ndarray, alpha: Any, scale: float, input_scale: float, is_result: bool = False
) -> np.ndarray:
    """is_result: what is given as input is the result of the form in place."""
    kind = input.dtype.type
    if is_result:
        if alpha < 0:
            raise RuntimeError(_NEGATIVE_ALPHA)
        below = grad_output * kind(input_scale) * (input + kind(alpha) * kind(scale))
    else:
        slope = exp(np.minimum(input, 0) * kind(input_scale))
        below = grad_output * kind(input_scale) * (kind(alpha) * kind(scale)) * slope
    return chosen(input <= 0, below, grad_output * kind(scale))


RAW.clamped = lambda x: np.minimum(x, 0)
TENSORS.clamped = lambda x: -TENSORS.relu(-x)


@op(
    "celu(Tensor input, Scalar alpha=1.0) -> Tensor",
    inplace_overload={
        "input": lambda F, grad, alpha, result: F.elu_backward(grad, result, alpha, 1.0, 1.0 / alpha, True),
    },
    method=False,
    inplace=True,
    vjp={
        "input": lambda F, grad, input, alpha: F.elu_backward(grad, input, alpha, 1.0, 1.0 / alpha),
    },
    together=pointwise,
)
def celu(input: np.ndarray, alpha: Any = 1.0) -> np.ndarray:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)): smooth at 0.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    >>> torch.celu(torch.tensor([-1., 0., 2.]))
    tensor([-0.6321,  0.0000,  2.0000])

    In place:
    >>> x = torch.tensor([-1., 0., 2.])
    >>> torch.celu_(x)
    tensor([-0.6321,  0.0000,  2.0000])
    >>> x
    tensor([-0.6321,  0.0000,  2.0000])
    """
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return elu(input, alpha, 1.0, 1.0 / alpha)


@composite("selu(Tensor input) -> Tensor", method=False)
def selu(input: Tensor) -> Tensor:
    """scale * (max(0, x) + min(0, alpha * (exp(x) - 1))) with the constants of self-normalising networks.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    >>> torch.selu(torch.tensor([-1., 0., 2.]))
    tensor([-1.1113,  0.0000,  2.1014])

    In place:
    >>> x = torch.tensor([-1., 0., 2.])
    >>> torch.selu_(x)
    tensor([-1.1113,  0.0000,  2.1014])
    >>> x
    tensor([-1.1113,  0.0000,  2.1014])
    """
    return TENSORS.elu(input, SELU_ALPHA, SELU_SCALE)


@composite(method=False)
def selu_(input: Tensor) -> Tensor:
    """In-place version of :meth:`selu`."""
    return OPS["elu"].call_(input, SELU_ALPHA, SELU_SCALE)


def _silu_vjp(F: Any, grad: Any, x: Any) -> Any:
    if F is RAW and is_half(x):
        return in_single(partial(_silu_vjp, F), grad, x)
    if F is TENSORS and (whole := _whole_slope("silu", grad, x)) is not None:
        return whole
    s = F.sigmoid(x)
    return grad * s * multiply_add(F, x, 1 - s, 1)


@instead(
    lambda call, args, kwargs: (
        None if modes.current().grad else at(args[0] + "_backward", grad_output=args[1], input=args[2])
    )
)
def _whole_slope(name: str, grad: Any, x: Any) -> Any:
    """None: recorded, PyTorch takes the slope apart; a mode is told of one operator where it is not."""
    return None


@op(
    "nn.silu(Tensor input, *, Tensor out=None) -> Tensor",
    vjp={"input": lambda F, grad, input: _silu_vjp(F, grad, input)},
    real=True,
    together=pointwise,
)
@typed("silu_cpu", BOOL + INTEGERS, layout=iterated)
def silu(input: np.ndarray) -> np.ndarray:
    """input * sigmoid(input)"""
    r = exp(-input)
    r += np.array(1, r.dtype)
    return input / r  # where exp overflows it is 0, as in PyTorch


def _mish_vjp(F: Any, grad: Any, x: Any) -> Any:
    if F is RAW and is_half(x):
        return in_single(partial(_mish_vjp, F), grad, x)
    if F is TENSORS and (whole := _whole_slope("mish", grad, x)) is not None:
        return whole
    t = F.tanh(F.log1p(F.exp(x)) if F is TENSORS else F.softplus(x))
    return grad * multiply_add(F, x * F.sigmoid(x), less_square(F, t), t)


def _slope_of(name: str, slope: Any) -> None:
    """The operator that a mode is told of for the slope of an activation."""

    def kernel(grad_output: Any, input: Any) -> Any:
        return slope(RAW, grad_output, input)

    operator = Operator("(Tensor grad_output, Tensor self) -> Tensor")
    entry = OPS[name] = Op(name, kernel, "grad_output input", operator=operator)
    setattr(TENSORS, name, entry.call)


_slope_of("silu_backward", _silu_vjp)
_slope_of("mish_backward", _mish_vjp)


@op(
    "nn.mish(Tensor input, *, Tensor out=None) -> Tensor",
    vjp={
        "input": says(
            (
                "g·(t+{self}·(1-t²)·sigmoid({self})), t = tanh(softplus({self}))",
                "g·(t+{self}·(1-t²)·sigmoid({self}))，t = tanh(softplus({self}))",
            )
        )(lambda F, grad, input: _mish_vjp(F, grad, input))
    },
    together=pointwise,
)
@typed("mish_cpu", BOOL + INTEGERS + COMPLEX, layout=iterated)
def mish(input: np.ndarray) -> np.ndarray:
    """input * tanh(softplus(input))"""
    no_integers("mish_cpu", input)
    return input * tanh(softplus(input))


#: from how many elements on gelu takes the erf that is quicker there: PyTorch's own gelu is no more exact
_MANY = 1 << 10


def _erf(x: Any) -> Any:
    """erf, as gelu takes it."""
    if type(x) is np.ndarray and x.dtype == np.float32 and x.size >= _MANY:
        return erf_many(x)
    return RAW.erf(x)


@cache
def _gelu_numbers(numpy: np.dtype[Any]) -> tuple[np.ndarray, ...]:
    """The numbers of gelu in a dtype, each as an array, with which NumPy is quicker than with a number."""
    numbers = (1, 0.5, -0.5, math.sqrt(0.5), 1 / math.sqrt(2 * math.pi), _ROOT)
    return tuple([np.array(n, numpy) for n in numbers])


def _gelu_slope(x: Any, approximate: str) -> Any:
    one, half, less, root, density, scale = _gelu_numbers(x.dtype)
    if approximate == "none":
        share = _erf(x * root)
        share += one
        share *= half
        near = x * x
        near *= less
        near = exp(near)
        near *= x
        near *= density
        share += near
        return share
    square = x * x
    inner = multiply_add(RAW, square * x, 0.044715, x)
    inner *= scale
    t = tanh(inner)
    slope = multiply_add(RAW, square, float(x.dtype.type(3) * x.dtype.type(0.044715)), 1)
    slope *= scale
    part = x * half
    part *= less_square(RAW, t)
    t += one
    t *= half
    return multiply_add(RAW, part, slope, t)


_GELU = {
    "none": (
        "g·(Φ({self})+{self}·φ({self})), Φ and φ of the normal distribution",
        "g·(Φ({self})+{self}·φ({self}))，Φ 和 φ 属于正态分布",
    ),
    "tanh": ("g times the slope of gelu, by tanh", "g 乘以（用 tanh 近似的）gelu 的斜率"),
}


@op(
    'nn.gelu(Tensor input, *, str approximate="none", Tensor out=None) -> Tensor',
    vjp={
        "input": says(lambda approximate: _GELU[approximate])(
            lambda F, grad, input, approximate: F.gelu_backward(grad, input, approximate)
        ),
    },
    out=Out(exact=FOUND),
    together=pointwise,
)
@typed("GeluKernelImpl", BOOL + INTEGERS + COMPLEX, layout=iterated)
def gelu(input: np.ndarray, *, approximate: str = "none") -> np.ndarray:
    """input times the normal distribution function of input; approximate="tanh" for the usual approximation."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    no_integers("GeluKernelImpl", input)
    one, half, _, root, _, scale = _gelu_numbers(input.dtype)
    if approximate == "none":
        share = _erf(input * root)
        share += one
        r = input * half
        r *= share
        if input.dtype == np.float32 and input.size > 1 and input.flags.c_contiguous:
            r -= input - input  # PyTorch's kernel for many floats in a row gives NaN for infinity
        return r
    inner = multiply_add(RAW, input * input * input, 0.044715, input)
    inner *= scale
    inner = tanh(inner)
    inner += one
    r = input * half
    r *= inner
    return r


def _gelu_curve(F: Any, x: Any, approximate: str) -> Any:
    """The second derivative of gelu."""
    if approximate == "none":
        return F.exp(x * x * -0.5) * (2 - x * x) * (1 / math.sqrt(2 * math.pi))
    t = F.tanh((x + x * x * x * 0.044715) * _ROOT)
    d = (1 + x * x * (3 * 0.044715)) * _ROOT
    s = 1 - t * t
    return s * d - x * t * s * d * d + 0.5 * x * s * (x * (6 * 0.044715 * _ROOT))


@op(
    "gelu_backward",
    "grad_output input",
    vjp={
        "grad_output": lambda F, grad, input, approximate: F.gelu_backward(grad, input, approximate),
        "input": lambda F, grad, grad_output, input, approximate: (
            grad * grad_output * _gelu_curve(F, input, approximate)
        ),
    },
    operator=Operator('(Tensor grad_output, Tensor self, *, str approximate="none") -> Tensor'),
    together=pointwise,
)
@typed("gelu_backward", "")
def gelu_backward(grad_output: Any, input: np.ndarray, approximate: str) -> Any:
    return grad_output * _gelu_slope(input, approximate)


def _softplus_slope(beta: Any) -> tuple[str, str]:
    """The slope of softplus, for words of either language."""
    text = "g·sigmoid({self})" if beta == 1 else f"g·sigmoid({beta:g}·{{self}})"
    return text, text


@op(
    "nn.softplus(Tensor input, Scalar beta=1, Scalar threshold=20, *, Tensor out=None) -> Tensor",
    vjp={
        "input": says(_softplus_slope)(
            lambda F, grad, input, beta, threshold: F.softplus_backward(grad, input, beta, threshold)
        ),
    },
    out=Out(exact=FOUND, overlap="part"),
    together=pointwise,
)
@typed("softplus_cpu", BOOL + INTEGERS + COMPLEX, layout=iterated)
def softplus(input: np.ndarray, beta: Any = 1, threshold: int = 20) -> np.ndarray:
    """log(1 + exp(beta * input)) / beta; input itself where beta * input is above the threshold."""
    no_integers("softplus_cpu", input)
    x = _times(input, beta)
    curve = log1p(exp(x))  # where exp overflows, the input is chosen
    if beta != 1:
        curve /= np.array(beta, input.dtype)
    return chosen(x > np.array(threshold, input.dtype), input, curve)


def _softplus_twice(F: Any, grad: Any, x: Any, beta: Any, threshold: float) -> Any:
    return F.sigmoid_backward(grad, F.sigmoid(x)) * (x < threshold) * beta


@op(
    "softplus_backward",
    "grad_output input",
    vjp={
        "grad_output": lambda F, grad, input, beta, threshold: F.softplus_backward(grad, input, beta, threshold),
        "input": lambda F, grad, grad_output, input, beta, threshold: _softplus_twice(
            F, grad * grad_output, input * beta, beta, threshold
        ),
    },
    operator=Operator("(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor"),
    together=pointwise,
)
@typed("softplus_backward", "")
def softplus_backward(grad_output: Any, input: np.ndarray, beta: Any, threshold: int) -> np.ndarray:
    x = input * np.array(beta, input.dtype)
    above = x > threshold
    e = exp(chosen(above, 0, x))
    return chosen(above, grad_output, grad_output * e / (e + 1))


def _buffer(node: Any) -> Tensor:
    """What PyTorch's kernel leaves beside the result: exp(-|input|)."""
    x: Tensor = node.field("input").detach()
    return TENSORS.exp(-abs(x))


@op(
    "nn.log_sigmoid(Tensor input, *, Tensor out=None) -> Tensor",
    vjp={"input": lambda F, grad, input: F.log_sigmoid_backward(grad, input)},
    constants={"buffer": _buffer},
    out=Out(exact="expected scalar type {0} but found {1}"),
    together=pointwise,
)
@typed("log_sigmoid_cpu", BOOL + INTEGERS + COMPLEX)
def log_sigmoid(input: np.ndarray) -> np.ndarray:
    """log(sigmoid(input))"""
    no_integers("log_sigmoid_cpu", input)
    input = contiguous(input)
    return np.minimum(input, np.array(0, input.dtype)) - log1p(exp(-np.abs(input)))


def _log_sigmoid_twice(grad: Any, share: Any) -> Any:
    return grad * (share - 1) * share


@op(
    "log_sigmoid_backward",
    "grad_output input",
    vjp={
        "grad_output": lambda F, grad, input: F.log_sigmoid_backward(grad, input),
        "input": lambda F, grad, grad_output, input: _log_sigmoid_twice(grad * grad_output, F.sigmoid(input)),
    },
    constants={"buffer": _buffer},
    together=pointwise,
)
@typed("log_sigmoid_backward", "")
def log_sigmoid_backward(grad_output: Any, input: np.ndarray) -> Any:
    e = exp(-np.abs(input))
    e /= 1 + e
    return chosen(input < 0, 1 - e, e) * grad_output


def _halves(F: Any, x: Any, dim: int) -> Any:
    n = x.shape[dim] // 2
    return F.slice(x, dim, 0, n, 1), F.slice(x, dim, n, 2 * n, 1)


def _glu_vjp(F: Any, grad: Any, input: Any, dim: int) -> Any:
    first, gate = _halves(F, input, dim)
    second = F.sigmoid(gate)
    return F.cat([grad * second, (1 - second) * second * first * grad], dim)


def _glu_twice_grad(F: Any, grad: Any, input: Any, dim: int) -> Any:
    first, gate = _halves(F, input, dim)
    by_first, by_gate = _halves(F, grad, dim)
    second = F.sigmoid(gate)
    return by_first * second + by_gate * first * (second * (1 - second))


def _glu_twice(F: Any, grad: Any, grad_output: Any, input: Any, dim: int) -> Any:
    first, gate = _halves(F, input, dim)
    by_first, by_gate = _halves(F, grad, dim)
    second = F.sigmoid(gate)
    slope = grad_output * (second * (1 - second))
    return F.cat([by_gate * slope, slope * (by_first + by_gate * first * (1 - 2 * second))], dim)


@op(
    "glu_backward",
    "grad_output input",
    vjp={
        "grad_output": lambda F, grad, input, dim: _glu_twice_grad(F, grad, input, dim),
        "input": lambda F, grad, grad_output, input, dim: _glu_twice(F, grad, grad_output, input, dim),
    },
    operator=Operator("(Tensor grad_output, Tensor self, int dim) -> Tensor"),
)
def glu_backward(grad_output: np.ndarray, input: np.ndarray, dim: int) -> np.ndarray:
    return _glu_vjp(RAW, grad_output, input, dim)


@op(
    "nn.glu(Tensor input, int dim=-1, *, Tensor out=None) -> Tensor",
    vjp={
        "input": says(
            (
                "g·sigmoid(b) for the half a, g·a·sigmoid'(b) for the half b",
                "前半 a：g·sigmoid(b)，后半 b：g·a·sigmoid'(b)",
            )
        )(
            lambda F, grad, input, dim: (
                F.glu_backward(grad, input, dim) if F is TENSORS else _glu_vjp(F, grad, input, dim)
            )
        )
    },
)
@laid_by(lambda r, input: iterated(r, input))
@typed("glu_cpu", BOOL + INTEGERS + COMPLEX)
def glu(input: np.ndarray, dim: int = -1) -> np.ndarray:
    """The first half along `dim` times the sigmoid of the second."""
    if input.ndim == 0:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    d = wrap_dim(dim, input.ndim)
    if input.shape[d] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {d} is size {input.shape[d]}")
    a, b = _halves(RAW, input, d)
    return iterated(a * RAW.sigmoid(b), a, b)


@op(
    "_prelu_kernel",
    "input weight",
    node="PreluKernelBackward0",
    vjp={
        "input weight": lambda F, grad, input, weight, needs: _prelu_vjp(F, grad, input, weight),
    },
    operator=Operator("(Tensor self, Tensor weight) -> Tensor"),
)
def _prelu_kernel(input: np.ndarray, weight: np.ndarray) -> np.ndarray:
    r = like(input, input.dtype, zero=False)
    r[...] = chosen(input > 0, input, input * weight)
    return r


def _prelu_vjp(F: Any, grad: Any, input: Any, weight: Any) -> Any:
    if F is TENSORS:
        return F._prelu_kernel_backward(grad, input, weight)
    found = F.pick(input > 0, grad, weight * grad), F.pick(input > 0, 0.0 * grad, input * grad)
    return tuple(channels_as(input, g) for g in found) if F is RAW else found


def _prelu_twice(F: Any, grads: list[Any], grad_output: Any, input: Any, weight: Any) -> Any:
    by_input, by_weight = grads
    above, nothing = input >= 0, F.zeros_like(input)
    if by_input is None:
        by_grad = F.pick(above, nothing, by_weight * input)
    elif by_weight is None:
        by_grad = F.pick(above, by_input, by_input * weight)
    else:
        by_grad = F.pick(above, by_input, by_input * weight + by_weight * input)
    return (
        by_grad,
        nothing if by_weight is None else F.pick(above, nothing, grad_output * by_weight),
        nothing if by_input is None else F.pick(above, nothing, grad_output * by_input),
    )


@op(
    "_prelu_kernel_backward",
    "grad_output input weight",
    node="PreluKernelBackwardBackward0",
    outputs=("grad_input", "grad_weight"),
    vjp={
        "grad_output input weight": lambda F, grads, grad_output, input, weight: _prelu_twice(
            F, grads, grad_output, input, weight
        ),
    },
    operator=Operator("(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)"),
)
def _prelu_kernel_backward(
    grad_output: np.ndarray, input: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    return _prelu_vjp(RAW, grad_output, input, weight)


@composite("prelu(Tensor input, Tensor weight) -> Tensor|lower_precision")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """input where it is positive, weight * input elsewhere; the weight is learnt.

    Shapes: input any; weight has one element, or one for each channel (dimension 1).
    Dtypes: float, both the same.

    >>> torch.prelu(torch.tensor([-2., 3.]), torch.tensor([0.1]))
    tensor([-0.2000,  3.0000])
    """
    x, w = input._array, weight._array
    if w.dtype != x.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {scalar_name(x)} and {scalar_name(w)}")
    if w.size != 1:
        if x.ndim == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = x.shape[1] if x.ndim >= 2 else 1
        if channels != w.size:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {w.size} and "
                f"channel size = {channels}."
            )
    refuse(x, "prelu_cpu", BOOL + INTEGERS + COMPLEX)
    if w.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {w.ndim}")
    if x.ndim != w.ndim:
        weight = weight.view([-1 if i == (1 if x.ndim > 1 else 0) else 1 for i in range(x.ndim)])
    return TENSORS._prelu_kernel(input, weight)


@op(
    """
    nn.rrelu_with_noise(Tensor input, Tensor noise, Scalar lower=0.125, Scalar upper=0.3333333333333333,
        bool training=False, Generator? generator=None, *, Tensor out=None) -> Tensor
    """,
    inplace_overload={
        "input": lambda F, grad, noise, lower, upper, training, result: F.rrelu_with_noise_backward(
            grad, result, noise, lower, upper, training, True
        ),
    },
    vjp={
        "input": lambda F, grad, input, noise, lower, upper, training: F.rrelu_with_noise_backward(
            grad, input, noise, lower, upper, training
        ),
    },
)
def rrelu_with_noise(input: np.ndarray, noise: np.ndarray, lower: float, upper: float, training: bool) -> np.ndarray:
    if not training:
        refuse(input, "leaky_relu_cpu", BOOL + INTEGERS + COMPLEX)
    elif input.dtype.kind != "V":  # of the half types, PyTorch has the kernel for bfloat16 alone
        refuse(input, "rrelu_with_noise_out_cpu", BOOL + INTEGERS + COMPLEX + HALF)
    return np.asarray(input * noise, order="C")


@op(
    "rrelu_with_noise_backward",
    "grad_output input noise",
    vjp={
        "grad_output": lambda F, grad, input, noise, lower, upper, training: F.rrelu_with_noise_backward(
            grad, input, noise, lower, upper, training
        ),
        "input": zeros,
    },
)
def rrelu_with_noise_backward(
    grad_output: Any,
    input: np.ndarray,
    noise: np.ndarray,
    lower: float,
    upper: float,
    training: bool,
    is_result: bool = False,
) -> Any:
    if is_result and not training and lower + upper < 0.0:
        raise RuntimeError(_NEGATIVE_SLOPE)
    return grad_output * noise


# -- softmax -----------------------------------------------------------------------------------------------------------


#: how many numbers of a half type PyTorch computes at once
_VECTOR = 32


def largest_of_lines(x: np.ndarray) -> Any:
    """The largest element of each line along the last dimension, which stays with size 1."""
    columns = as_columns(x)
    return _largest(x, -1, None, None, True) if columns is None else _largest(columns, 0).reshape(*x.shape[:-1], 1)


def _line_sums(x: np.ndarray, dim: int) -> Any:
    """The sums along a dimension, which stays with size 1."""
    return in_halves(x) if type(x) is np.ndarray and dim in (-1, x.ndim - 1) else added(x, dim, True)


def _lowered(x: np.ndarray, d: int) -> np.ndarray:
    """What is left of each element when the largest of its line along `d` is taken off; contiguous."""
    if not x.flags.c_contiguous or 1 in x.shape:
        x = contiguous(x)
    found: np.ndarray = x - _largest(x, d, None, None, True)
    return found


@op(
    "_softmax",
    operator=Operator(
        "(Tensor self, int dim, bool half_to_float) -> Tensor", more={"half_to_float": False}, lost={"half": None}
    ),
    node="SoftmaxBackward0",
    vjp={
        "input": lambda F, grad, result, dim: F._softmax_backward_data(grad, result, dim),
    },
    out=Out(exact=EXPECTED, unknown=True, inner="softmax"),
    together=along(1),
)
def _softmax(input: np.ndarray, dim: int, half: Any = None) -> np.ndarray:
    if input.dtype.itemsize == 2 and input.dtype.kind in "fV":
        r: np.ndarray = in_single(partial(_softmax, half=input.dtype), input, dim)
        return r
    d = wrap_dim(dim, input.ndim)
    if input.dtype.kind in "biuc" and input.size:
        no_integers("softmax_lastdim_kernel_impl" if d == max(input.ndim - 1, 0) else "softmax_kernel_impl", input)
    if not input.ndim:
        return np.ones((), input.dtype) if np.isfinite(input) else np.full((), np.nan, input.dtype)
    if not input.size:
        return input.copy()
    shape = input.shape
    if d == len(shape) - 1:  # PyTorch multiplies there
        e = as_columns(input)
        if e is not None:
            e -= _largest(e, 0)
            exp(e, e)
            e *= np.reciprocal(columns_in_halves(e))
            return e.T.copy() if d == 1 else e.T.copy().reshape(shape)
        e = _lowered(input, d)
        exp(e, e)
        e *= np.reciprocal(in_halves(e))
        return e
    e = _lowered(input, d)
    exp(e, e)
    total = _sum(e, d, keepdims=True)
    if half is not None:  # what fills no vector PyTorch keeps in the half type before it divides
        inner = math.prod(shape[d + 1 :])
        tail = e.reshape(-1, inner)[:, inner // _VECTOR * _VECTOR :]
        tail[...] = tail.astype(half)
    e /= total
    return e


def _same_size(grad: np.ndarray, output: np.ndarray) -> None:
    """Refuse a gradient of another shape than the result it is of."""
    if grad.shape != output.shape:
        raise RuntimeError(
            "Expected tensor for argument #1 'grad' to have same size as tensor for argument #2 'output'; but "
            f"{list(grad.shape)} does not equal {list(output.shape)} (while checking arguments for softmax_backward)"
        )


@op(
    "_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor|input",
    method=False,
    vjp={
        "grad_output": lambda F, grad, output, dim: F._softmax_backward_data(grad, output, dim),
        "output": lambda F, grad, grad_output, output, dim: (
            grad * (grad_output - F.sum(grad_output * output, dim, True))
            - grad_output * F.sum(grad * output, dim, True)
        ),
    },
    operator=Operator(
        "(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
        more={"input_dtype": lambda v: v["output"].dtype},
    ),
    together=along(2),
)
def _softmax_backward_data(grad_output: Any, output: np.ndarray, dim: int, input_dtype: Any = None) -> np.ndarray:
    """The gradient of softmax's input, of its result and the gradient of that.

    ~scan
    Dtypes: float; the dtype of the input has no effect here.

    >>> y = torch.softmax(torch.tensor([1., 2.]), 0)
    >>> torch._softmax_backward_data(torch.tensor([1., 0.]), y, 0, torch.float32)
    tensor([ 0.1966, -0.1966])
    """
    if is_half(grad_output):
        r: np.ndarray = in_single(_softmax_backward_data, grad_output, output, dim)
        return r
    _same_size(grad_output, output)
    if not output.ndim:
        return (grad_output - grad_output * output) * output
    both = grad_output * output
    rest = np.subtract(grad_output, _line_sums(both, dim), out=both)
    rest *= output
    return rest


@op(
    "_log_softmax",
    operator=Operator(
        "(Tensor self, int dim, bool half_to_float) -> Tensor", more={"half_to_float": False}, lost={"half": None}
    ),
    node="LogSoftmaxBackward0",
    vjp={
        "input": lambda F, grad, result, dim: F._log_softmax_backward_data(grad, result, dim),
    },
    out=Out(exact=EXPECTED, unknown=True, inner="log_softmax"),
    together=along(1),
)
def _log_softmax(input: np.ndarray, dim: int, half: Any = None) -> np.ndarray:
    if input.dtype.itemsize == 2 and input.dtype.kind in "fV":
        r: np.ndarray = in_single(partial(_log_softmax, half=input.dtype), input, dim)
        return r
    d = wrap_dim(dim, input.ndim)
    if input.dtype.kind in "biuc" and input.size:
        name = "log_softmax_lastdim_kernel_impl" if d == max(input.ndim - 1, 0) else "log_softmax_kernel_impl"
        no_integers(name, input)
    if not input.ndim:
        return input - input
    if not input.size:
        return input.copy()
    shape = input.shape
    x = as_columns(input) if d == len(shape) - 1 and half is None else None
    if x is not None:
        x -= _largest(x, 0)
        x -= log(columns_in_halves(exp(x)))
        return x.T.copy() if d == 1 else x.T.copy().reshape(shape)
    x = _lowered(input, d)
    total = in_halves(exp(x)) if d == len(shape) - 1 else _sum(exp(x), d, keepdims=True)
    if half is not None and d == len(shape) - 1:  # PyTorch keeps the sum and its logarithm in the half type
        x -= log(total.astype(half).astype(x.dtype)).astype(half)
    else:
        x -= log(total, total)
    return x


@op(
    """
    _log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype, *,
        Tensor out=None) -> Tensor|input
    """,
    method=False,
    vjp={
        "grad_output": lambda F, grad, output, dim: grad - F.sum(grad * F.exp(output), dim, True),
        "output": lambda F, grad, grad_output, output, dim: -(grad * F.exp(output)) * F.sum(grad_output, dim, True),
    },
    operator=Operator(
        "(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
        more={"input_dtype": lambda v: v["output"].dtype},
    ),
    together=along(2),
)
def _log_softmax_backward_data(grad_output: Any, output: Any, dim: int, input_dtype: Any = None) -> Any:
    """The gradient of log_softmax's input, of its result and the gradient of that.

    ~scan
    Dtypes: float; the dtype of the input has no effect here.

    >>> y = torch.log_softmax(torch.tensor([1., 2.]), 0)
    >>> torch._log_softmax_backward_data(torch.tensor([1., 0.]), y, 0, torch.float32)
    tensor([ 0.7311, -0.7311])
    """
    if is_half(grad_output):
        return in_single(_log_softmax_backward_data, grad_output, output, dim)
    if not output.ndim:
        return grad_output - exp(output) * grad_output
    total = _line_sums(grad_output, dim)
    slope = exp(output)
    if few_singles(slope) and grad_output.shape == output.shape:  # rounded once, as by `fused`
        slope = slope.astype(np.float64)
        slope *= total.astype(np.float64)
        return np.subtract(grad_output.astype(np.float64), slope, slope).astype(grad_output.dtype)
    slope *= total
    return np.subtract(grad_output, slope, out=slope)


def _along(declaration: str, doc: str) -> None:
    name = declare(declaration, doc)
    along = "_" + name

    def call(input: Any, dim: Any = None, dtype: Any = None, *, out: Any = None) -> Any:
        if type(dim) is not int:
            dim = plain_number(dim)
            if not isinstance(dim, int) or isinstance(dim, bool):
                reject(name, (input,) if dim is None else (input, dim), {})
        if not isinstance(input, Tensor):
            reject(name, (input, dim), {})
        if dtype is not None:
            input = input.to(dtype)
        compute = getattr(TENSORS, along)
        return compute(input, dim) if out is None else compute(input, dim, out=out)

    call.__doc__ = doc
    composite(name)(call)


_along(
    "softmax(Tensor input, int dim, ScalarType? dtype=None, *, Tensor out=None) -> Tensor|.int",
    """
    exp(input) divided by its sum along dim: numbers of [0, 1] that add up to 1.

    ~scan
    Dtypes: float; integers with dtype=.

    >>> torch.softmax(torch.tensor([1., 2., 3.]), dim=0)
    tensor([0.0900, 0.2447, 0.6652])
    """,
)
alias(
    "special_softmax(Tensor input, int dim, ScalarType? dtype=None) -> Tensor", "softmax", method=False, reads="first"
)
_along(
    "log_softmax(Tensor input, int dim, ScalarType? dtype=None, *, Tensor out=None) -> Tensor|.int",
    """
    The logarithm of softmax, accurate where softmax is close to 0.

    ~scan
    Dtypes: float; integers with dtype=.

    >>> torch.log_softmax(torch.tensor([1., 2., 3.]), dim=0)
    tensor([-2.4076, -1.4076, -0.4076])
    """,
)
alias(
    "special_log_softmax(Tensor input, int dim, *, ScalarType? dtype=None) -> Tensor",
    "log_softmax",
    method=False,
    reads="first",
)


@op(
    "safe_softmax",
    node="SafeSoftmaxBackward0",
    vjp={
        "input": lambda F, grad, result, dim: F._softmax_backward_data(grad, result, dim),
    },
    operator=Operator("", name="_safe_softmax"),
    together=along(1),
)
@typed("softmax", "")
def safe_softmax(input: np.ndarray, dim: int) -> np.ndarray:
    found = _softmax(input, dim)
    empty = np.isneginf(input).all(axis=dim, keepdims=True)
    return np.where(empty, np.array(0, found.dtype), found) if empty.any() else found


@composite("_safe_softmax(Tensor input, int dim, ScalarType? dtype=None) -> Tensor", method=False)
def _safe_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """softmax that gives zeros where everything is -inf.

    ~scan
    Dtypes: float; integers with dtype=.

    >>> torch._safe_softmax(torch.tensor([[0., 0.], [-torch.inf, -torch.inf]]), 1)
    tensor([[0.5000, 0.5000],
            [0.0000, 0.0000]])
    """
    found: Tensor = TENSORS.safe_softmax(input if dtype is None else input.to(dtype), dim)
    return found
