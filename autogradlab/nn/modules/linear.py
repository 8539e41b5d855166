"""Linear layers."""

from __future__ import annotations

import math
from typing import Any

from ...core.tensor.tensor import Tensor
from .. import functional as F
from .. import init
from ..parameter import Parameter, UninitializedParameter
from .lazy import LazyModuleMixin, empty_parameter
from .module import Module
from .utils import empty

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """Returns its input; takes any arguments.

    Shapes: any; the output has the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Identity()(torch.tensor([1.]))
        tensor([1.])

    Mirrors `torch.nn.Identity`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """The input, unchanged."""
        return input


class Linear(Module):
    """input @ weight.T + bias, with a learnt weight (out, in) and bias (out,).

    Shapes: (..., in_features) gives (..., out_features).
    Note: the initial values are PyTorch's own after the same manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> _ = torch.manual_seed(0)
        >>> layer = nn.Linear(2, 1)
        >>> layer
        Linear(in_features=2, out_features=1, bias=True)
        >>> layer.weight
        Parameter containing:
        tensor([[-0.0053,  0.3793]], requires_grad=True)
        >>> layer(torch.ones(3, 2)).shape
        torch.Size([3, 1])

    Mirrors `torch.nn.Linear`.
    """

    __constants__ = ["in_features", "out_features"]

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Give the parameters new initial values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """The linear map of the input."""
        own = self.__dict__["_parameters"]
        try:
            return F.linear(input, own["weight"], own["bias"])
        except KeyError:  # a weight that is not registered as a parameter: set by a hook, or assigned
            return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """The projection at the end of attention: a Linear."""


class Bilinear(Module):
    """x1^T A x2 + b, with a learnt matrix A for each output feature.

    Shapes: (..., in1_features) and (..., in2_features) give (..., out_features).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Bilinear(2, 3, 4)(torch.ones(5, 2), torch.ones(5, 3)).shape
        torch.Size([5, 4])

    Mirrors `torch.nn.Bilinear`.
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={in1_features})")
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Give the parameters new initial values."""
        bound = 1 / math.sqrt(self.weight.shape[1])
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """The bilinear map of the inputs."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class LazyLinear(LazyModuleMixin, Linear):
    """Linear, whose in_features are those of its first input.

    Shapes: (..., anything) gives (..., out_features).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.LazyLinear(2)
        >>> _ = layer(torch.ones(1, 5))
        >>> layer
        Linear(in_features=5, out_features=2, bias=True)

    Mirrors `torch.nn.LazyLinear`.
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = empty_parameter(device, dtype)

    def reset_parameters(self) -> None:
        """Give the parameters new initial values."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Learn the sizes from the first input."""
        if self.has_uninitialized_params():
            self.in_features = input.shape[-1]
            weight: Any = self.weight
            weight.materialize((self.out_features, self.in_features))
            bias: Any = self.bias
            if bias is not None:
                bias.materialize((self.out_features,))
            self.reset_parameters()
        if self.in_features == 0:  # where the weight was loaded
            self.in_features = input.shape[-1]
