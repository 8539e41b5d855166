"""Layer, group and root-mean-square normalization."""

from __future__ import annotations

import numbers
from typing import Any

from ...core.tensor.tensor import Tensor
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .module import Module
from .utils import empty

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class LocalResponseNorm(Module):
    """Each element divided by a power of the mean square over neighbouring channels.

    Shapes: (N, C, …).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.LocalResponseNorm(2)(torch.ones(1, 2, 1))
        tensor([[[1.0000],
                 [0.9999]]])

    Mirrors `torch.nn.LocalResponseNorm`.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """The input, normalized."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(Module):
    """LocalResponseNorm under its old name.

    Shapes: (N, C, H, W).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.CrossMapLRN2d(2)
        CrossMapLRN2d(2, alpha=0.0001, beta=0.75, k=1)

    Mirrors `torch.nn.CrossMapLRN2d`.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """The input, normalized across channels."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class LayerNorm(Module):
    """The last dimensions normalized to mean 0 and variance 1, then scaled and shifted by learnt weights.

    Shapes: (..., *normalized_shape).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.LayerNorm(2)
        >>> layer(torch.tensor([[1., 3.], [10., 50.]]))
        tensor([[-1.0000,  1.0000],
                [-1.0000,  1.0000]], grad_fn=<NativeLayerNormBackward0>)

    Mirrors `torch.nn.LayerNorm`.
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, numbers.Integral) else tuple(normalized_shape)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.register_parameter(
            "weight", Parameter(empty(shape, device=device, dtype=dtype)) if elementwise_affine else None
        )
        self.register_parameter(
            "bias",
            Parameter(empty(shape, device=device, dtype=dtype)) if elementwise_affine and bias else None,
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        if self.elementwise_affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """The input, normalized."""
        own = self.__dict__["_parameters"]
        try:
            weight, bias = own["weight"], own["bias"]
        except KeyError:  # a weight that is not registered as a parameter: set by a hook, or assigned
            weight, bias = self.weight, self.bias
        return F.layer_norm(input, self.normalized_shape, weight, bias, self.eps)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class GroupNorm(Module):
    """Groups of channels of each sample normalized to mean 0 and variance 1, then scaled and shifted by learnt weights.

    Shapes: (N, num_channels, …).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.GroupNorm(2, 4)(torch.tensor([[1., 3., 10., 50.]]))
        tensor([[-1.0000,  1.0000, -1.0000,  1.0000]],
               grad_fn=<NativeGroupNormBackward0>)

    Mirrors `torch.nn.GroupNorm`.
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(
                name, Parameter(empty(num_channels, device=device, dtype=dtype)) if wanted else None
            )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """The input, normalized."""
        own = self.__dict__["_parameters"]
        try:
            return F.group_norm(input, self.num_groups, own["weight"], own["bias"], self.eps)
        except KeyError:  # as for LayerNorm
            return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """The last dimensions divided by their root mean square, then scaled by learnt weights.

    Shapes: (..., *normalized_shape).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.RMSNorm(2)(torch.tensor([[3., 4.]]))
        tensor([[0.8485, 1.1314]], grad_fn=<MulBackward0>)

    Mirrors `torch.nn.RMSNorm`.
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, numbers.Integral) else tuple(normalized_shape)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.register_parameter(
            "weight", Parameter(empty(shape, device=device, dtype=dtype)) if elementwise_affine else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1."""
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        """The input, normalized."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
