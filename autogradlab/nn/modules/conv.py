"""Convolution layers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ...core.tensor.tensor import Tensor
from .. import functional as F
from .. import init
from ..parameter import Parameter, UninitializedParameter
from .lazy import LazyModuleMixin, empty_parameter
from .module import Module, named
from .utils import _pair, _single, _triple, empty  # noqa: F401 names that programs import from here

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]


def _many(value: Any, n: int) -> Any:
    return tuple(value) if isinstance(value, Iterable) else (value,) * n


class _ConvNd(Module):
    _n = 2
    _transposes = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        named(cls, "forward")

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any,
        dtype: Any,
        output_padding: Any = 0,
    ) -> None:
        super().__init__()
        n = self._n
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if self._transposes:
            padding = _many(padding, n)
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string '{padding}', should be one of {{'same', 'valid'}}")
            if padding == "same" and any(s != 1 for s in _many(stride, n)):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError(
                "padding_mode must be one of ['zeros', 'reflect', 'replicate', 'circular'], but got "
                f"padding_mode='{padding_mode}'"
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = _many(kernel_size, n)
        self.stride = _many(stride, n)
        self.padding = padding if isinstance(padding, str) else _many(padding, n)
        self.dilation = _many(dilation, n)
        self.transposed = self._transposes
        self.output_padding = _many(output_padding, n)
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._border()
        shape = (in_channels, out_channels // groups) if self.transposed else (out_channels, in_channels // groups)
        self.weight = Parameter(empty((*shape, *self.kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, device=device, dtype=dtype))
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

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * len(self.padding):
            text += f", padding={self.padding!r}" if not isinstance(self.padding, str) else f", padding={self.padding}"
        if self.dilation != (1,) * len(self.dilation):
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * len(self.output_padding):
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text

    def _border(self) -> Any:
        """The widths that padding modes other than zeros add, for `pad`."""
        if not isinstance(self.padding, str):
            return tuple(width for width in reversed(self.padding) for _ in (0, 1))
        sides: list[int] = []
        for spread, size in zip(reversed(self.dilation), reversed(self.kernel_size), strict=False):
            total = spread * (size - 1) if self.padding == "same" else 0
            sides += [total // 2, total - total // 2]
        return sides

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """The input, convolved with these weights."""
        conv = (F.conv1d, F.conv2d, F.conv3d)[self._n - 1]
        padding = self.padding
        if self.padding_mode != "zeros":
            border = self._reversed_padding_repeated_twice
            input, padding = F.pad(input, border, mode=self.padding_mode), (0,) * self._n
        return conv(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """The input, convolved."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_ConvNd):
    """Sliding dot products with learnt kernels: nn.functional.conv1d.

    Shapes: (N, in_channels, L) gives (N, out_channels, L').
    Note: the initial values are PyTorch's own after the same manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.Conv1d(2, 3, 3, padding=1)
        >>> layer
        Conv1d(2, 3, kernel_size=(3,), stride=(1,), padding=(1,))
        >>> layer(torch.ones(1, 2, 5)).shape
        torch.Size([1, 3, 5])

    Mirrors `torch.nn.Conv1d`.
    """

    _n = 1

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )


class Conv2d(_ConvNd):
    """Sliding dot products of images with learnt kernels: nn.functional.conv2d.

    Shapes: (N, in_channels, H, W) gives (N, out_channels, H', W') with H' = (H + 2 padding - dilation (k -
        1) - 1) // stride + 1.
    Note: the initial values are PyTorch's own after the same manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.Conv2d(1, 4, kernel_size=3, stride=2)
        >>> layer
        Conv2d(1, 4, kernel_size=(3, 3), stride=(2, 2))
        >>> layer(torch.ones(1, 1, 7, 7)).shape
        torch.Size([1, 4, 3, 3])
        >>> layer.weight.shape
        torch.Size([4, 1, 3, 3])

    Mirrors `torch.nn.Conv2d`.
    """

    _n = 2

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )


class Conv3d(_ConvNd):
    """Sliding dot products in three dimensions with learnt kernels: nn.functional.conv3d.

    Shapes: (N, in_channels, D, H, W) gives (N, out_channels, D', H', W').
    Note: the initial values are PyTorch's own after the same manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Conv3d(1, 2, 2)(torch.ones(1, 1, 3, 3, 3)).shape
        torch.Size([1, 2, 2, 2, 2])

    Mirrors `torch.nn.Conv3d`.
    """

    _n = 3

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )


class _ConvTransposeNd(_ConvNd):
    _transposes = True

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        named(cls, "__init__")

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
            output_padding,
        )

    def _extra(self, input: Tensor, output_size: Any) -> Any:
        """The output padding that gives a wanted output size."""
        if output_size is None:
            return self.output_padding
        n = self._n
        lead = 2 if input.ndim == n + 2 else 1
        wanted = output_size[lead:] if len(output_size) == lead + n else output_size
        if len(wanted) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.ndim}D input, output_size must have {n} or {lead + n} elements (got "
                f"{len(wanted)})"
            )
        least = [
            (s - 1) * t - 2 * p + d * (k - 1) + 1
            for s, t, p, d, k in zip(
                input.shape[-n:], self.stride, self.padding, self.dilation, self.kernel_size, strict=True
            )
        ]
        most = [a + s - 1 for a, s in zip(least, self.stride, strict=True)]
        if any(not a <= w <= b for a, w, b in zip(least, wanted, most, strict=True)):
            raise ValueError(
                f"requested an output size of {wanted}, but valid sizes range from {least} to {most} (for an input of "
                f"{input.shape[2:]})"
            )
        return tuple(w - a for w, a in zip(wanted, least, strict=True))

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """The input, convolved."""
        conv = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[self._n - 1]
        return conv(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self._extra(input, output_size),
            self.groups,
            self.dilation,
        )


class ConvTranspose1d(_ConvTransposeNd):
    """The transpose of Conv1d, which makes signals longer.

    Shapes: (N, in_channels, L) gives (N, out_channels, L').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ConvTranspose1d(1, 2, 2, stride=2)(torch.ones(1, 1, 3)).shape
        torch.Size([1, 2, 6])

    Mirrors `torch.nn.ConvTranspose1d`.
    """

    _n = 1


class ConvTranspose2d(_ConvTransposeNd):
    """The transpose of Conv2d, which makes images larger.

    Shapes: (N, in_channels, H, W) gives (N, out_channels, H', W').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ConvTranspose2d(1, 2, 2, stride=2)(torch.ones(1, 1, 3, 3)).shape
        torch.Size([1, 2, 6, 6])

    Mirrors `torch.nn.ConvTranspose2d`.
    """

    _n = 2


class ConvTranspose3d(_ConvTransposeNd):
    """The transpose of Conv3d.

    Shapes: (N, in_channels, D, H, W) gives (N, out_channels, D', H', W').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ConvTranspose3d(1, 2, 2)(torch.ones(1, 1, 2, 2, 2)).shape
        torch.Size([1, 2, 3, 3, 3])

    Mirrors `torch.nn.ConvTranspose3d`.
    """

    _n = 3


class _LazyConv(LazyModuleMixin):
    weight: Any
    bias: Any
    _n: int
    groups: int
    transposed: bool
    kernel_size: tuple[int, ...]

    def __init_subclass__(cls) -> None:
        named(cls, "__init__")

    def __init__(
        self,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._wait(out_channels, bias, device, dtype)

    def _wait(self, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        """Make the weights uninitialized until there is an input."""
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = empty_parameter(device, dtype)

    def reset_parameters(self) -> None:
        """Give the parameters new initial values."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Learn the sizes from the first input."""
        if self.has_uninitialized_params():
            n = self._n
            if input.ndim not in (n + 1, n + 2):
                raise RuntimeError(
                    f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {type(self).__name__}, but got "
                    f"input of size: {input.shape}"
                )
            self.in_channels = input.shape[-n - 1]
            groups = self.groups
            if self.in_channels % groups:
                raise ValueError("in_channels must be divisible by groups")
            outputs, inputs = self.out_channels, self.in_channels
            shape = (inputs, outputs // groups) if self.transposed else (outputs, inputs // groups)
            self.weight.materialize((*shape, *self.kernel_size))
            if self.bias is not None:
                self.bias.materialize((self.out_channels,))
            self.reset_parameters()


class LazyConv1d(_LazyConv, Conv1d):
    """Conv1d, whose in_channels are those of its first input.

    Shapes: (N, anything, L) gives (N, out_channels, L').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.LazyConv1d(2, 3)(torch.ones(1, 4, 5)).shape
        torch.Size([1, 2, 3])

    Mirrors `torch.nn.LazyConv1d`.
    """

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """Conv2d, whose in_channels are those of its first input.

    Shapes: (N, anything, H, W) gives (N, out_channels, H', W').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.LazyConv2d(2, 3)(torch.ones(1, 4, 5, 5)).shape
        torch.Size([1, 2, 3, 3])

    Mirrors `torch.nn.LazyConv2d`.
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """Conv3d, whose in_channels are those of its first input.

    Shapes: (N, anything, D, H, W) gives (N, out_channels, D', H', W').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.LazyConv3d(2, 3)(torch.ones(1, 4, 5, 5, 5)).shape
        torch.Size([1, 2, 3, 3, 3])

    Mirrors `torch.nn.LazyConv3d`.
    """

    cls_to_become = Conv3d


class _LazyConvTranspose(_LazyConv):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super(_LazyConv, self).__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype
        )
        self._wait(out_channels, bias, device, dtype)


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """ConvTranspose1d, whose in_channels are those of its first input.

    Shapes: (N, anything, L) gives (N, out_channels, L').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.LazyConvTranspose1d(2, 3)(torch.ones(1, 4, 5)).shape
        torch.Size([1, 2, 7])

    Mirrors `torch.nn.LazyConvTranspose1d`.
    """

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """ConvTranspose2d, whose in_channels are those of its first input.

    Shapes: (N, anything, H, W) gives (N, out_channels, H', W').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.LazyConvTranspose2d(2, 3)(torch.ones(1, 4, 5, 5)).shape
        torch.Size([1, 2, 7, 7])

    Mirrors `torch.nn.LazyConvTranspose2d`.
    """

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """ConvTranspose3d, whose in_channels are those of its first input.

    Shapes: (N, anything, D, H, W) gives (N, out_channels, D', H', W').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.LazyConvTranspose3d(2, 3)(torch.ones(1, 4, 5, 5, 5)).shape
        torch.Size([1, 2, 7, 7, 7])

    Mirrors `torch.nn.LazyConvTranspose3d`.
    """

    cls_to_become = ConvTranspose3d
