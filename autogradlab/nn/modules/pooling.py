"""Pooling layers."""

from __future__ import annotations

from typing import Any

from ...core.tensor.tensor import Tensor
from .. import functional as F
from .module import Module, named
from .utils import _ntuple, _single

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class _MaxPoolNd(Module):
    _pool: Any = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        named(cls, "forward")

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        """The input, pooled."""
        return type(self)._pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """The largest element of each window.

    Shapes: (N, C, L) gives (N, C, L').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.MaxPool1d(2)(torch.tensor([[[1., 3., 2., 5.]]]))
        tensor([[[3., 5.]]])

    Mirrors `torch.nn.MaxPool1d`.
    """

    _pool = staticmethod(F.max_pool1d)


class MaxPool2d(_MaxPoolNd):
    """The largest element of each window of an image.

    Shapes: (N, C, H, W) gives (N, C, H', W').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.MaxPool2d(2)(torch.arange(16.).reshape(1, 1, 4, 4))
        tensor([[[[ 5.,  7.],
                  [13., 15.]]]])

    Mirrors `torch.nn.MaxPool2d`.
    """

    _pool = staticmethod(F.max_pool2d)


class MaxPool3d(_MaxPoolNd):
    """The largest element of each window of a volume.

    Shapes: (N, C, D, H, W) gives (N, C, D', H', W').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.MaxPool3d(2)(torch.arange(8.).reshape(1, 1, 2, 2, 2))
        tensor([[[[[7.]]]]])

    Mirrors `torch.nn.MaxPool3d`.
    """

    _pool = staticmethod(F.max_pool3d)


class AvgPool1d(Module):
    """The mean of each window.

    Shapes: (N, C, L) gives (N, C, L').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.AvgPool1d(2)(torch.tensor([[[1., 3., 2., 6.]]]))
        tensor([[[2., 4.]]])

    Mirrors `torch.nn.AvgPool1d`.
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _single(kernel_size)
        stride = stride if stride is not None else kernel_size
        self.stride = _single(stride)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """The input, pooled."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AvgPoolNd(Module):
    _pool: Any = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        named(cls, "__init__", "forward")

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """The input, pooled."""
        return type(self)._pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(_AvgPoolNd):
    """The mean of each window of an image.

    Shapes: (N, C, H, W) gives (N, C, H', W').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.AvgPool2d(2)(torch.arange(16.).reshape(1, 1, 4, 4))
        tensor([[[[ 2.5000,  4.5000],
                  [10.5000, 12.5000]]]])

    Mirrors `torch.nn.AvgPool2d`.
    """

    _pool: Any = staticmethod(F.avg_pool2d)


class AvgPool3d(_AvgPoolNd):
    """The mean of each window of a volume.

    Shapes: (N, C, D, H, W) gives (N, C, D', H', W').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.AvgPool3d(2)(torch.arange(8.).reshape(1, 1, 2, 2, 2))
        tensor([[[[[3.5000]]]]])

    Mirrors `torch.nn.AvgPool3d`.
    """

    _pool: Any = staticmethod(F.avg_pool3d)


class _LPPoolNd(Module):
    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPoolNd):
    """The p-norm of each window.

    Shapes: (N, C, L) gives (N, C, L').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.LPPool1d(2, 2)(torch.tensor([[[3., 4., 0., 1.]]]))
        tensor([[[5., 1.]]])

    Mirrors `torch.nn.LPPool1d`.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input, pooled."""
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPoolNd):
    """The p-norm of each window of an image.

    Shapes: (N, C, H, W) gives (N, C, H', W').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.LPPool2d(2, 2)(torch.ones(1, 1, 2, 2))
        tensor([[[[2.]]]])

    Mirrors `torch.nn.LPPool2d`.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input, pooled."""
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPoolNd):
    """The p-norm of each window of a volume.

    Shapes: (N, C, D, H, W) gives (N, C, D', H', W').

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.LPPool3d(1, 2)(torch.ones(1, 1, 2, 2, 2))
        tensor([[[[[8.]]]]])

    Mirrors `torch.nn.LPPool3d`.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input, pooled."""
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class _MaxUnpoolNd(Module):
    _n = 2

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        named(cls, "__init__", "forward")

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        n = self._n
        self.kernel_size, self.stride, self.padding = (
            _ntuple(n)(v) for v in (kernel_size, stride if stride is not None else kernel_size, padding)
        )

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """The input at the indices, 0 elsewhere."""
        unpool = getattr(F, f"max_unpool{self._n}d")
        return unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """The maxima of a MaxPool1d at their indices, 0 elsewhere.

    Shapes: (N, C, L') and the indices give (N, C, L).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> y, indices = nn.MaxPool1d(2, return_indices=True)(torch.tensor([[[1., 3., 2., 5.]]]))
        >>> nn.MaxUnpool1d(2)(y, indices)
        tensor([[[0., 3., 0., 5.]]])

    Mirrors `torch.nn.MaxUnpool1d`.
    """

    _n = 1


class MaxUnpool2d(_MaxUnpoolNd):
    """The maxima of a MaxPool2d at their indices, 0 elsewhere.

    Shapes: (N, C, H', W') and the indices give (N, C, H, W).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> y, indices = nn.MaxPool2d(2, return_indices=True)(torch.arange(4.).reshape(1, 1, 2, 2))
        >>> nn.MaxUnpool2d(2)(y, indices)
        tensor([[[[0., 0.],
                  [0., 3.]]]])

    Mirrors `torch.nn.MaxUnpool2d`.
    """


class MaxUnpool3d(_MaxUnpoolNd):
    """The maxima of a MaxPool3d at their indices, 0 elsewhere.

    Shapes: (N, C, D', H', W') and the indices give (N, C, D, H, W).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> y, indices = nn.MaxPool3d(2, return_indices=True)(torch.arange(8.).reshape(1, 1, 2, 2, 2))
        >>> nn.MaxUnpool3d(2)(y, indices)
        tensor([[[[[0., 0.],
                   [0., 0.]],

                  [[0., 0.],
                   [0., 7.]]]]])

    Mirrors `torch.nn.MaxUnpool3d`.
    """

    _n = 3


class _AdaptiveAvgPoolNd(Module):
    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The mean of each window, with windows chosen so that the output has a given size.

    Shapes: (N, C, L) gives (N, C, output_size).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.AdaptiveAvgPool1d(2)(torch.tensor([[[1., 3., 2., 6.]]]))
        tensor([[[2., 4.]]])

    Mirrors `torch.nn.AdaptiveAvgPool1d`.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input, pooled."""
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The mean of each window, with windows chosen so that the output has a given size.

    Shapes: (N, C, H, W) gives (N, C, *output_size).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.AdaptiveAvgPool2d(1)(torch.arange(16.).reshape(1, 1, 4, 4))
        tensor([[[[7.5000]]]])

    Mirrors `torch.nn.AdaptiveAvgPool2d`.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input, pooled."""
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The mean of each window of a volume, with windows chosen so that the output has a given size.

    Shapes: (N, C, D, H, W) gives (N, C, *output_size); None keeps a size.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.AdaptiveAvgPool3d((1, None, 2))(torch.ones(1, 2, 4, 5, 6)).shape
        torch.Size([1, 2, 1, 5, 2])

    Mirrors `torch.nn.AdaptiveAvgPool3d`.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input, pooled."""
        return F.adaptive_avg_pool3d(input, self.output_size)


class _AdaptiveMaxPoolNd(Module):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The largest element of each window, with windows chosen so that the output has a given size.

    Shapes: (N, C, L) gives (N, C, output_size).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.AdaptiveMaxPool1d(2)(torch.tensor([[[1., 3., 2., 6.]]]))
        tensor([[[3., 6.]]])

    Mirrors `torch.nn.AdaptiveMaxPool1d`.
    """

    def forward(self, input: Tensor) -> Any:
        """The input, pooled."""
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The largest element of each window, with windows chosen so that the output has a given size.

    Shapes: (N, C, H, W) gives (N, C, *output_size).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.AdaptiveMaxPool2d(2)(torch.arange(16.).reshape(1, 1, 4, 4))
        tensor([[[[ 5.,  7.],
                  [13., 15.]]]])

    Mirrors `torch.nn.AdaptiveMaxPool2d`.
    """

    def forward(self, input: Tensor) -> Any:
        """The input, pooled."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The largest element of each window of a volume, with windows chosen so that the output has a given size.

    Shapes: (N, C, D, H, W) gives (N, C, *output_size); None keeps a size.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.AdaptiveMaxPool3d(1)(torch.arange(8.).reshape(1, 1, 2, 2, 2))
        tensor([[[[[7.]]]]])

    Mirrors `torch.nn.AdaptiveMaxPool3d`.
    """

    def forward(self, input: Tensor) -> Any:
        """The input, pooled."""
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class _FractionalMaxPoolNd(Module):
    _n = 2

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        named(cls, "__init__", "forward")

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> None:
        super().__init__()
        n, name = self._n, type(self).__name__
        if n == 3 and (
            isinstance(kernel_size, int)
            and kernel_size <= 0
            or isinstance(kernel_size, (tuple, list))
            and min(kernel_size) <= 0
        ):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.kernel_size = _ntuple(n)(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else _ntuple(n)(output_size)
        self.output_ratio = None if output_ratio is None else _ntuple(n)(output_ratio)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        """The input, pooled."""
        pool = getattr(F, f"fractional_max_pool{self._n}d")
        return pool(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples
        )


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The largest element of windows at pseudo-random positions, one for each element of the output.

    Shapes: (N, C, H, W) gives (N, C, H', W'), by output_size or by output_ratio.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.FractionalMaxPool2d(2, output_size=(3, 2))(torch.ones(1, 1, 7, 7)).shape
        torch.Size([1, 1, 3, 2])

    Mirrors `torch.nn.FractionalMaxPool2d`.
    """


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """The largest element of windows at pseudo-random positions in a volume.

    Shapes: (N, C, D, H, W) gives (N, C, D', H', W'), by output_size or by output_ratio.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.FractionalMaxPool3d(2, output_ratio=0.5)(torch.ones(1, 1, 6, 6, 6)).shape
        torch.Size([1, 1, 3, 3, 3])

    Mirrors `torch.nn.FractionalMaxPool3d`.
    """

    _n = 3
