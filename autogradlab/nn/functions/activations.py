"""Activations as functions: in place where asked for, with PyTorch's checks and warnings."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ...core.random.generator import Generator, default_generator
from ...core.recording.inplace import check_inplace
from ...core.recording.record import TENSORS
from ...core.runtime import errors, modes
from ...core.tensor.tensor import Tensor
from ...core.types.layouts import FORMATS
from ...core.values.promotion import plain_number
from ...ops.nn import activation as _kernels  # noqa: F401 (fills the table)
from ...ops.table.opdef import OPS
from ...ops.table.publishing import inner, reading
from ...ops.table.signatures import explain

__all__ = [
    "celu",
    "celu_",
    "elu",
    "elu_",
    "gelu",
    "glu",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "log_softmax",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rrelu",
    "rrelu_",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
]


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """input where it is positive, 0 elsewhere; inplace=True writes into input.

    Shapes: any; the result has input's shape.
    Dtypes: real numbers.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.relu(torch.tensor([-1., 0., 2.]))
        tensor([0., 0., 2.])

    Mirrors `torch.nn.functional.relu`.
    """
    return TENSORS.relu_(input) if inplace else TENSORS.relu(input)


@reading("relu_")
def relu_(input: Tensor) -> Tensor:
    """In place: the tensor itself gets the values of `relu`, keeps its shape and dtype, and is returned.
    Errors: RuntimeError for a leaf that requires grad.

    input where it is positive, 0 elsewhere; inplace=True writes into input.

    Shapes: any; the result has input's shape.
    Dtypes: real numbers.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> x = torch.tensor([-1., 0., 2.])
        >>> F.relu_(x)
        tensor([0., 0., 2.])
        >>> x
        tensor([0., 0., 2.])

    Mirrors `torch.nn.functional.relu_`.
    """
    return TENSORS.relu_(input)


def _call(name: str, inplace: bool, input: Tensor, *args: Any, out: Tensor | None = None) -> Tensor:
    fits = isinstance(input, Tensor)
    for x in args:
        fits = fits and (type(x) is float or type(x) is int)
    if not fits:
        explain(name + "_" * inplace, (input, *args), {})
        args = tuple(map(plain_number, args))
    entry = OPS[name]
    if out is not None:
        return entry.call(input, *args, out=out)
    return entry.call_(input, *args) if inplace else entry.call(input, *args)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where it is positive, negative_slope * x elsewhere.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.leaky_relu(torch.tensor([-1., 2.]), 0.1)
        tensor([-0.1000,  2.0000])

    Mirrors `torch.nn.functional.leaky_relu`.
    """
    return _call("leaky_relu", inplace, input, negative_slope)


@reading("leaky_relu_")
def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """In place: the tensor itself gets the values of `leaky_relu`, keeps its shape and dtype, and is returned.
    Errors: RuntimeError for a leaf that requires grad.

    x where it is positive, negative_slope * x elsewhere.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> x = torch.tensor([-1., 2.])
        >>> F.leaky_relu_(x, 0.1)
        tensor([-0.1000,  2.0000])
        >>> x
        tensor([-0.1000,  2.0000])

    Mirrors `torch.nn.functional.leaky_relu_`.
    """
    return _call("leaky_relu", True, input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, alpha * (exp(x) - 1) elsewhere.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.elu(torch.tensor([-1., 0., 2.]))
        tensor([-0.6321,  0.0000,  2.0000])

    Mirrors `torch.nn.functional.elu`.
    """
    return _call("elu", inplace, input, alpha)


@reading("elu_")
def elu_(input: Tensor, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Tensor:
    """In place: the tensor itself gets the values of `elu`, keeps its shape and dtype, and is returned.
    Errors: RuntimeError for a leaf that requires grad.

    x where it is positive, alpha * (exp(x) - 1) elsewhere.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> x = torch.tensor([-1., 0., 2.])
        >>> F.elu_(x)
        tensor([-0.6321,  0.0000,  2.0000])
        >>> x
        tensor([-0.6321,  0.0000,  2.0000])

    Mirrors `torch.nn.functional.elu_`.
    """
    return _call("elu", True, input, alpha, scale, input_scale)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)): smooth at 0.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.celu(torch.tensor([-1., 0., 2.]), alpha=0.5)
        tensor([-0.4323,  0.0000,  2.0000])

    Mirrors `torch.nn.functional.celu`.
    """
    return _call("celu", inplace, input, alpha)


@reading("celu_")
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """In place: the tensor itself gets the values of `celu`, keeps its shape and dtype, and is returned.
    Errors: RuntimeError for a leaf that requires grad.

    max(0, x) + min(0, alpha * (exp(x / alpha) - 1)): smooth at 0.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> x = torch.tensor([-1., 0., 2.])
        >>> F.celu_(x, alpha=0.5)
        tensor([-0.4323,  0.0000,  2.0000])
        >>> x
        tensor([-0.4323,  0.0000,  2.0000])

    Mirrors `torch.nn.functional.celu_`.
    """
    return _call("celu", True, input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """scale * (max(0, x) + min(0, alpha * (exp(x) - 1))) with the constants of self-normalising networks.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.selu(torch.tensor([-1., 0., 2.]))
        tensor([-1.1113,  0.0000,  2.1014])

    Mirrors `torch.nn.functional.selu`.
    """
    if not isinstance(input, Tensor):
        explain("selu_" if inplace else "selu", (input,), {})
    return TENSORS.selu_(input) if inplace else TENSORS.selu(input)


@reading("selu_")
def selu_(input: Tensor) -> Tensor:
    """In place: the tensor itself gets the values of `selu`, keeps its shape and dtype, and is returned.
    Errors: RuntimeError for a leaf that requires grad.

    scale * (max(0, x) + min(0, alpha * (exp(x) - 1))) with the constants of self-normalising networks.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> x = torch.tensor([-1., 0., 2.])
        >>> F.selu_(x)
        tensor([-1.1113,  0.0000,  2.1014])
        >>> x
        tensor([-1.1113,  0.0000,  2.1014])

    Mirrors `torch.nn.functional.selu_`.
    """
    return TENSORS.selu_(input)


@reading("gelu")
def gelu(input: Tensor, *, approximate: str = "none", out: Tensor | None = None) -> Tensor:
    """x times the standard normal cumulative distribution function of x; approximate='tanh' is faster.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.gelu(torch.tensor([-1., 0., 2.]))
        tensor([-0.1587,  0.0000,  1.9545])

    Mirrors `torch.nn.functional.gelu`.
    """
    return OPS["gelu"].call(input, approximate=approximate, **({} if out is None else {"out": out}))


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x * sigmoid(x).

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.silu(torch.tensor([-1., 0., 2.]))
        tensor([-0.2689,  0.0000,  1.7616])

    Mirrors `torch.nn.functional.silu`.
    """
    return _call("silu", inplace, input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * tanh(softplus(x)).

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.mish(torch.tensor([-1., 0., 2.]))
        tensor([-0.3034,  0.0000,  1.9440])

    Mirrors `torch.nn.functional.mish`.
    """
    return _call("mish", inplace, input)


@reading("softplus")
def softplus(input: Tensor, beta: float = 1, threshold: float = 20, *, out: Tensor | None = None) -> Tensor:
    """log(1 + exp(beta * x)) / beta: a smooth relu; x itself where beta * x is larger than threshold.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.softplus(torch.tensor([-1., 0., 30.]))
        tensor([ 0.3133,  0.6931, 30.0000])

    Mirrors `torch.nn.functional.softplus`.
    """
    return _call("softplus", False, input, beta, threshold, out=out)


def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|).

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.softsign(torch.tensor([-1., 0., 3.]))
        tensor([-0.5000,  0.0000,  0.7500])

    Mirrors `torch.nn.functional.softsign`.
    """
    return input / (input.abs() + 1)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """input, but not below min_val nor above max_val.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.hardtanh(torch.tensor([-3., 0.5, 2.]))
        tensor([-1.0000,  0.5000,  1.0000])

    Mirrors `torch.nn.functional.hardtanh`.
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _call("hardtanh", inplace, input, min_val, max_val)


@reading("hardtanh_")
def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """In place: the tensor itself gets the values of `hardtanh`, keeps its shape and dtype, and is returned.
    Errors: RuntimeError for a leaf that requires grad.

    input, but not below min_val nor above max_val.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> x = torch.tensor([-3., 0.5, 2.])
        >>> F.hardtanh_(x)
        tensor([-1.0000,  0.5000,  1.0000])
        >>> x
        tensor([-1.0000,  0.5000,  1.0000])

    Mirrors `torch.nn.functional.hardtanh_`.
    """
    return _call("hardtanh", True, input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """input, but not below 0 nor above 6.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.relu6(torch.tensor([-1., 3., 9.]))
        tensor([0., 3., 6.])

    Mirrors `torch.nn.functional.relu6`.
    """
    _relu6(input)
    return _call("hardtanh", inplace, input, 0, 6)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """A piecewise linear sigmoid: 0 below -3, 1 above 3, x / 6 + 1/2 between.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.hardsigmoid(torch.tensor([-4., 0., 1.]))
        tensor([0.0000, 0.5000, 0.6667])

    Mirrors `torch.nn.functional.hardsigmoid`.
    """
    return _call("hardsigmoid", inplace, input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * hardsigmoid(x).

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.hardswish(torch.tensor([-4., 1., 4.]))
        tensor([-0.0000, 0.6667, 4.0000])

    Mirrors `torch.nn.functional.hardswish`.
    """
    return _call("hardswish", inplace, input)


@reading("hardshrink")
def hardshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """x where its absolute value is larger than lambd, 0 elsewhere.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.hardshrink(torch.tensor([-1., 0.2, 3.]))
        tensor([-1.,  0.,  3.])

    Mirrors `torch.nn.functional.hardshrink`.
    """
    return TENSORS.hardshrink(input, lambd) if out is None else TENSORS.hardshrink(input, lambd, out=out)


@reading("softshrink")
def softshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """x shifted towards 0 by lambd, 0 within [-lambd, lambd].

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.softshrink(torch.tensor([-1., 0.2, 3.]))
        tensor([-0.5000,  0.0000,  2.5000])

    Mirrors `torch.nn.functional.softshrink`.
    """
    return _call("softshrink", False, input, lambd, out=out)


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x).

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.tanhshrink(torch.tensor([-1., 0., 2.]))
        tensor([-0.2384,  0.0000,  1.0360])

    Mirrors `torch.nn.functional.tanhshrink`.
    """
    return input - input.tanh()


def _threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where it is larger than threshold, value elsewhere.

    Shapes: any; the result has input's shape.
    Dtypes: real numbers.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.threshold(torch.tensor([-1., 0.2, 3.]), 0.5, 0.)
        tensor([0., 0., 3.])

    Mirrors `torch.nn.functional.threshold`.
    """
    return _call("threshold", inplace, input, threshold, value)


threshold = _threshold  # errors name it so in PyTorch too


@reading("threshold_")
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """In place: the tensor itself gets the values of `threshold`, keeps its shape and dtype, and is returned.
    Errors: RuntimeError for a leaf that requires grad.

    x where it is larger than threshold, value elsewhere.

    Shapes: any; the result has input's shape.
    Dtypes: real numbers.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> x = torch.tensor([-1., 0.2, 3.])
        >>> F.threshold_(x, 0.5, 0.)
        tensor([0., 0., 3.])
        >>> x
        tensor([0., 0., 3.])

    Mirrors `torch.nn.functional.threshold_`.
    """
    return _call("threshold", True, input, threshold, value)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along dim times the sigmoid of the second.

    Shapes: (…, 2n, …) gives (…, n, …).
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.glu(torch.tensor([1., 2., 0., 0.]))
        tensor([0.5000, 1.0000])

    Mirrors `torch.nn.functional.glu`.
    """
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _call("glu", False, input, dim)


@reading("log_sigmoid")
def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(sigmoid(x)), accurate for large negative x too.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.logsigmoid(torch.tensor([0., -100.]))
        tensor([  -0.6931, -100.0000])

    Mirrors `torch.nn.functional.logsigmoid`.
    """
    return _call("log_sigmoid", False, input, out=out)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x)).

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.sigmoid(torch.tensor([0., 2.]))
        tensor([0.5000, 0.8808])

    Mirrors `torch.nn.functional.sigmoid`.
    """
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.tanh(torch.tensor([0., 1.]))
        tensor([0.0000, 0.7616])

    Mirrors `torch.nn.functional.tanh`.
    """
    return input.tanh()


@reading("prelu")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where it is positive, weight * x elsewhere; the weight is learnt.

    Shapes: input any; weight has one element, or one for each channel (dimension 1).
    Dtypes: float, both the same.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.prelu(torch.tensor([-2., 3.]), torch.tensor([0.25]))
        tensor([-0.5000,  3.0000])

    Mirrors `torch.nn.functional.prelu`.
    """
    return TENSORS.prelu(input, weight)


_relu6 = inner("nn.relu6(Tensor input) -> Tensor|uint_clamp_scalar_cpu")
_RRELU = "(Tensor input, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? "
_rrelu, _rrelu_ = (inner(f"{name}{_RRELU}generator=None) -> Tensor") for name in ("rrelu", "rrelu_"))


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """leaky_relu, whose slope is drawn for each element from [lower, upper] in training, and is their mean otherwise.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.rrelu(torch.tensor([-1., 2.]))
        tensor([-0.2292,  2.0000])

    Mirrors `torch.nn.functional.rrelu`.
    """
    (_rrelu_ if inplace else _rrelu)(input, lower, upper, training)
    return _rrelu_with(default_generator, input, lower, upper, training, inplace)


def _rrelu_with(
    generator: Generator, input: Tensor, lower: float, upper: float, training: bool, inplace: bool
) -> Tensor:
    if modes.LOCAL.state.mapped:
        raise RuntimeError(errors.ROWS_RRELU)
    for name, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    x = input._array
    if not training:
        slopes = np.where(x > 0, x.dtype.type(1), x.dtype.type((lower + upper) / 2))
        return _rrelu_by(TENSORS.from_numpy(slopes), input, lower, upper, training, inplace)
    noise = np.ones(x.shape, x.dtype)
    if inplace:
        check_inplace(input)  # before anything is drawn
    low = x <= 0
    noise[low] = generator.uniform53(int(np.count_nonzero(low))) * (upper - lower) + lower
    return _rrelu_by(TENSORS.from_numpy(noise), input, lower, upper, training, inplace)


def _rrelu_by(noise: Tensor, input: Tensor, lower: float, upper: float, training: bool, inplace: bool) -> Tensor:
    entry = OPS["rrelu_with_noise"]
    return (entry.call_ if inplace else entry.call)(input, noise, lower, upper, training)


@reading("rrelu_")
def rrelu_(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    generator: Generator | None = None,
) -> Tensor:
    """In place: the tensor itself gets the values of `rrelu`, keeps its shape and dtype, and is returned.
    Errors: RuntimeError for a leaf that requires grad.

    leaky_relu, whose slope is drawn for each element from [lower, upper] in training, and is their mean otherwise.

    Shapes: any; the result has input's shape.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> x = torch.tensor([-1., 2.])
        >>> F.rrelu_(x)
        tensor([-0.2292,  2.0000])
        >>> x
        tensor([-0.2292,  2.0000])

    Mirrors `torch.nn.functional.rrelu_`.
    """
    return _rrelu_with(generator or default_generator, input, lower, upper, training, True)


def _softmax_dim(name: str, ndim: int) -> int:
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=3,
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """exp(input) divided by its sum along dim: numbers of [0, 1] that add up to 1. Without dim it warns and
    chooses one.

    Shapes: input's.
    Dtypes: float; integers with dtype=.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.softmax(torch.tensor([[1., 2.], [0., 0.]]), dim=1)
        tensor([[0.2689, 0.7311],
                [0.5000, 0.5000]])

    Mirrors `torch.nn.functional.softmax`.
    """
    if dim is None:
        dim = _softmax_dim("softmax", input.dim())
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """softmax(-input).

    Shapes: input's.
    Dtypes: float; integers with dtype=.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.softmin(torch.tensor([1., 2.]), dim=0)
        tensor([0.7311, 0.2689])

    Mirrors `torch.nn.functional.softmin`.
    """
    if dim is None:
        dim = _softmax_dim("softmin", input.dim())
    return (-input).softmax(dim) if dtype is None else (-input).softmax(dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of softmax, accurate where softmax is close to 0.

    Shapes: input's.
    Dtypes: float; integers with dtype=.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> F.log_softmax(torch.tensor([[1., 2.]]), dim=1)
        tensor([[-1.3133, -0.3133]])

    Mirrors `torch.nn.functional.log_softmax`.
    """
    if dim is None:
        dim = _softmax_dim("log_softmax", input.dim())
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """softmax of logits with Gumbel noise: a differentiable sample of one of the classes; hard=True makes it one-hot,
    with the gradient of the soft sample.

    Shapes: logits'.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> _ = torch.manual_seed(0)
        >>> F.gumbel_softmax(torch.tensor([1., 2., 3.]), hard=True).sum()
        tensor(1.)

    Mirrors `torch.nn.functional.gumbel_softmax`.
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    gumbels = -TENSORS.empty_like(logits, memory_format=FORMATS["contiguous_format"]).exponential_().log()
    soft = TENSORS.softmax((logits + gumbels) / tau, dim)
    if not hard:
        return soft
    place = TENSORS.argmax(soft, dim, keepdim=True)
    hot = TENSORS.zeros_like(soft, memory_format=FORMATS["contiguous_format"]).scatter_(dim, place, 1.0)
    return hot - soft.detach() + soft
