"""Activations as layers."""

from __future__ import annotations

import warnings
from typing import Any

from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from .. import functional as F
from ..init import constant_
from ..parameter import Parameter
from .attention import MultiheadAttention as MultiheadAttention
from .module import Module
from .utils import empty

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


def _inplace(self: Any) -> str:
    return "inplace=True" if self.inplace else ""


def _and_inplace(self: Any) -> str:
    return ", inplace=True" if self.inplace else ""


class ReLU(Module):
    """nn.functional.relu as a layer: x where it is positive, else 0.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ReLU()(torch.tensor([-1., 0., 2.]))
        tensor([0., 0., 2.])

    Mirrors `torch.nn.ReLU`.
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.relu(input, self.inplace)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return _inplace(self)


class RReLU(Module):
    """leaky_relu, whose slope is drawn for each element from [lower, upper] in training, and is their mean otherwise.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.RReLU().eval()(torch.tensor([-1., 2.]))
        tensor([-0.2292,  2.0000])

    Mirrors `torch.nn.RReLU`.
    """

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"lower={self.lower}, upper={self.upper}" + _and_inplace(self)


class Hardtanh(Module):
    """nn.functional.hardtanh as a layer: x, but not below min_val nor above max_val.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Hardtanh()(torch.tensor([-3., 0.5]))
        tensor([-1.0000,  0.5000])

    Mirrors `torch.nn.Hardtanh`.
    """

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        if min_value is not None:
            warnings.warn(
                "keyword argument `min_value` is deprecated and renamed to `min_val`", FutureWarning, stacklevel=2
            )
            min_val = min_value
        if max_value is not None:
            warnings.warn(
                "keyword argument `max_value` is deprecated and renamed to `max_val`", FutureWarning, stacklevel=2
            )
            max_val = max_value
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace
        if not self.max_val > self.min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"min_val={self.min_val}, max_val={self.max_val}" + _and_inplace(self)


class ReLU6(Hardtanh):
    """nn.functional.relu6 as a layer: x, but not below 0 nor above 6.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ReLU6()(torch.tensor([-1., 9.]))
        tensor([0., 6.])

    Mirrors `torch.nn.ReLU6`.
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return _inplace(self)


class Sigmoid(Module):
    """1 / (1 + exp(-x)) as a layer.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Sigmoid()(torch.tensor([0., 2.]))
        tensor([0.5000, 0.8808])

    Mirrors `torch.nn.Sigmoid`.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return TENSORS.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent as a layer.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Tanh()(torch.tensor([0., 1.]))
        tensor([0.0000, 0.7616])

    Mirrors `torch.nn.Tanh`.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return TENSORS.tanh(input)


class Hardsigmoid(Module):
    """nn.functional.hardsigmoid as a layer: x / 6 + 1/2, within [0, 1].

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Hardsigmoid()(torch.tensor([-4., 0., 1.]))
        tensor([0.0000, 0.5000, 0.6667])

    Mirrors `torch.nn.Hardsigmoid`.
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.hardsigmoid(input, self.inplace)


class Hardswish(Module):
    """nn.functional.hardswish as a layer: x * hardsigmoid(x).

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Hardswish()(torch.tensor([-4., 1.]))
        tensor([-0.0000, 0.6667])

    Mirrors `torch.nn.Hardswish`.
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.hardswish(input, self.inplace)


class SiLU(Module):
    """nn.functional.silu as a layer: x * sigmoid(x).

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.SiLU()(torch.tensor([-1., 2.]))
        tensor([-0.2689,  1.7616])

    Mirrors `torch.nn.SiLU`.
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.silu(input, self.inplace)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return _inplace(self)


class Mish(Module):
    """nn.functional.mish as a layer: x * tanh(softplus(x)).

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Mish()(torch.tensor([-1., 2.]))
        tensor([-0.3034,  1.9440])

    Mirrors `torch.nn.Mish`.
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.mish(input, self.inplace)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return _inplace(self)


class ELU(Module):
    """nn.functional.elu as a layer: x where it is positive, alpha * (exp(x) - 1) elsewhere.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ELU()(torch.tensor([-1., 2.]))
        tensor([-0.6321,  2.0000])

    Mirrors `torch.nn.ELU`.
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"alpha={self.alpha}" + _and_inplace(self)


class CELU(Module):
    """nn.functional.celu as a layer: max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.CELU()(torch.tensor([-1., 2.]))
        tensor([-0.6321,  2.0000])

    Mirrors `torch.nn.CELU`.
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"alpha={self.alpha}" + _and_inplace(self)


class SELU(Module):
    """nn.functional.selu as a layer: the activation of self-normalising networks.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.SELU()(torch.tensor([-1., 2.]))
        tensor([-1.1113,  2.1014])

    Mirrors `torch.nn.SELU`.
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.selu(input, self.inplace)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return _inplace(self)


class GLU(Module):
    """nn.functional.glu as a layer: the first half along dim times the sigmoid of the second.

    Shapes: (…, 2n, …) gives (…, n, …).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.GLU()(torch.tensor([1., 2., 0., 0.]))
        tensor([0.5000, 1.0000])

    Mirrors `torch.nn.GLU`.
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input along `dim`."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"dim={self.dim}"


class GELU(Module):
    """nn.functional.gelu as a layer: x times the standard normal cumulative distribution function of x.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.GELU()(torch.tensor([-1., 2.]))
        tensor([-0.1587,  1.9545])

    Mirrors `torch.nn.GELU`.
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """nn.functional.hardshrink as a layer: x where its absolute value is larger than lambd, else 0.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Hardshrink()(torch.tensor([-1., 0.2]))
        tensor([-1.,  0.])

    Mirrors `torch.nn.Hardshrink`.
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"{self.lambd}"


class LeakyReLU(Module):
    """nn.functional.leaky_relu as a layer: x where it is positive, negative_slope * x elsewhere.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.LeakyReLU(0.1)(torch.tensor([-1., 2.]))
        tensor([-0.1000,  2.0000])

    Mirrors `torch.nn.LeakyReLU`.
    """

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"negative_slope={self.negative_slope}" + _and_inplace(self)


class LogSigmoid(Module):
    """nn.functional.logsigmoid as a layer: log(sigmoid(x)).

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.LogSigmoid()(torch.tensor([0., -100.]))
        tensor([  -0.6931, -100.0000])

    Mirrors `torch.nn.LogSigmoid`.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.logsigmoid(input)


class Softplus(Module):
    """nn.functional.softplus as a layer: log(1 + exp(beta * x)) / beta.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Softplus()(torch.tensor([-1., 0., 30.]))
        tensor([ 0.3133,  0.6931, 30.0000])

    Mirrors `torch.nn.Softplus`.
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"beta={self.beta}, threshold={self.threshold}"


class Softshrink(Module):
    """nn.functional.softshrink as a layer: x shifted towards 0 by lambd.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Softshrink()(torch.tensor([-1., 0.2]))
        tensor([-0.5000,  0.0000])

    Mirrors `torch.nn.Softshrink`.
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return str(self.lambd)


class Softsign(Module):
    """nn.functional.softsign as a layer: x / (1 + |x|).

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Softsign()(torch.tensor([-1., 3.]))
        tensor([-0.5000,  0.7500])

    Mirrors `torch.nn.Softsign`.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.softsign(input)


class Tanhshrink(Module):
    """nn.functional.tanhshrink as a layer: x - tanh(x).

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Tanhshrink()(torch.tensor([-1., 2.]))
        tensor([-0.2384,  1.0360])

    Mirrors `torch.nn.Tanhshrink`.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.tanhshrink(input)


class Threshold(Module):
    """nn.functional.threshold as a layer: x where it is larger than threshold, value elsewhere.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Threshold(0.5, 0.)(torch.tensor([-1., 3.]))
        tensor([0., 3.])

    Mirrors `torch.nn.Threshold`.
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"threshold={self.threshold}, value={self.value}" + _and_inplace(self)


class Softmin(Module):
    """nn.functional.softmin as a layer: softmax of -x along dim.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Softmin(dim=0)(torch.tensor([1., 2.]))
        tensor([0.7311, 0.2689])

    Mirrors `torch.nn.Softmin`.
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input along `dim`."""
        return F.softmin(input, self.dim, 5)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"dim={self.dim}"


class Softmax(Module):
    """nn.functional.softmax as a layer: numbers of [0, 1] that add up to 1 along dim.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Softmax(dim=1)(torch.tensor([[1., 2.], [0., 0.]]))
        tensor([[0.2689, 0.7311],
                [0.5000, 0.5000]])

    Mirrors `torch.nn.Softmax`.
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input along `dim`."""
        return F.softmax(input, self.dim, 5)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """nn.functional.log_softmax as a layer: the logarithm of softmax along dim.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.LogSoftmax(dim=1)(torch.tensor([[1., 2.]]))
        tensor([[-1.3133, -0.3133]])

    Mirrors `torch.nn.LogSoftmax`.
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input along `dim`."""
        return F.log_softmax(input, self.dim, 5)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"dim={self.dim}"


class Softmax2d(Module):
    """softmax over the channels, at each place of an image.

    Shapes: (N, C, H, W) or (C, H, W).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Softmax2d()(torch.zeros(1, 2, 1, 1))
        tensor([[[[0.5000]],

                 [[0.5000]]]])

    Mirrors `torch.nn.Softmax2d`.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The softmax of the input over the channels."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, 5)


class PReLU(Module):
    """x where it is positive, weight * x elsewhere; the weight (0.25 at the start) is learnt, one for all channels or
    one for each.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.PReLU()(torch.tensor([-2., 3.]))
        tensor([-0.5000,  3.0000], grad_fn=<PreluKernelBackward0>)

    Mirrors `torch.nn.PReLU`.
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to its initial value."""
        constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """The activation of each element of the input."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"num_parameters={self.num_parameters}"
