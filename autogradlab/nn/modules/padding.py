"""Padding layers: with zeros or another constant, by reflection, by replication, and circular."""

from __future__ import annotations

from typing import Any

from ...core.tensor.tensor import Tensor
from .. import functional as F
from .module import Module, named
from .utils import _ntuple

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _PadNd(Module):
    """Pads the last `_dims` dimensions with `_mode` of `nn.functional.pad`."""

    _dims: int
    _mode: str

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        named(cls, "forward" if cls.__name__.startswith("_") else "__init__")

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _ntuple(2 * self._dims)(padding)

    def forward(self, input: Tensor) -> Tensor:
        """The padded input."""
        if self._mode == "circular" and input.dim() not in (self._dims + 1, self._dims + 2):
            raise ValueError(f"expected {self._dims + 1}D or {self._dims + 2}D input (got {input.dim()}D input)")
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        """The widths, as the repr shows them."""
        return f"{self.padding}"


class _ConstantPadNd(_PadNd):
    """Pads with `value`."""

    _mode = "constant"

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """The input padded with `value`."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """The widths and the value, as the repr shows them."""
        return f"padding={self.padding}, value={self.value}"


class _CircularPadNd(_PadNd):
    _mode = "circular"


class _ReflectionPadNd(_PadNd):
    _mode = "reflect"


class _ReplicationPadNd(_PadNd):
    _mode = "replicate"


class CircularPad1d(_CircularPadNd):
    """Padded with the elements of the opposite end.

    Shapes: (N, C, L) or (C, L).
    Note: padding is a number for all sides, or a tuple: left, right, top, bottom, ….

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.CircularPad1d(2)(torch.tensor([[1., 2., 3.]]))
        tensor([[2., 3., 1., 2., 3., 1., 2.]])

    Mirrors `torch.nn.CircularPad1d`.
    """

    _dims = 1


class CircularPad2d(_CircularPadNd):
    """Padded with the elements of the opposite edges.

    Shapes: (N, C, H, W) or (C, H, W).
    Note: padding is a number for all sides, or a tuple: left, right, top, bottom, ….

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.CircularPad2d((1, 0, 1, 0))(torch.arange(4.).reshape(1, 2, 2))
        tensor([[[3., 2., 3.],
                 [1., 0., 1.],
                 [3., 2., 3.]]])

    Mirrors `torch.nn.CircularPad2d`.
    """

    _dims = 2


class CircularPad3d(_CircularPadNd):
    """Padded with the elements of the opposite faces.

    Shapes: (N, C, D, H, W) or (C, D, H, W).
    Note: padding is a number for all sides, or a tuple: left, right, top, bottom, ….

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.CircularPad3d(1)(torch.ones(1, 2, 2, 2)).shape
        torch.Size([1, 4, 4, 4])

    Mirrors `torch.nn.CircularPad3d`.
    """

    _dims = 3


class ConstantPad1d(_ConstantPadNd):
    """Padded with a value at both ends.

    Shapes: (..., L) gives a longer one.
    Note: padding is a number for all sides, or a tuple: left, right, top, bottom, ….

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ConstantPad1d((1, 2), 9.)(torch.tensor([[1., 2.]]))
        tensor([[9., 1., 2., 9., 9.]])

    Mirrors `torch.nn.ConstantPad1d`.
    """

    _dims = 1


class ConstantPad2d(_ConstantPadNd):
    """Padded with a value on all sides.

    Shapes: (..., H, W) gives a larger one.
    Note: padding is a number for all sides, or a tuple: left, right, top, bottom, ….

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ConstantPad2d(1, 9.)(torch.tensor([[[1.]]]))
        tensor([[[9., 9., 9.],
                 [9., 1., 9.],
                 [9., 9., 9.]]])

    Mirrors `torch.nn.ConstantPad2d`.
    """

    _dims = 2


class ConstantPad3d(_ConstantPadNd):
    """Padded with a value in three dimensions.

    Shapes: (..., D, H, W) gives a larger one.
    Note: padding is a number for all sides, or a tuple: left, right, top, bottom, ….

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ConstantPad3d(1, 9.)(torch.ones(1, 1, 1, 1)).shape
        torch.Size([1, 3, 3, 3])

    Mirrors `torch.nn.ConstantPad3d`.
    """

    _dims = 3


class ReflectionPad1d(_ReflectionPadNd):
    """Padded with the elements reflected at the ends.

    Shapes: (N, C, L) or (C, L).
    Note: padding is a number for all sides, or a tuple: left, right, top, bottom, ….

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ReflectionPad1d(2)(torch.tensor([[1., 2., 3.]]))
        tensor([[3., 2., 1., 2., 3., 2., 1.]])

    Mirrors `torch.nn.ReflectionPad1d`.
    """

    _dims = 1


class ReflectionPad2d(_ReflectionPadNd):
    """Padded with the elements reflected at the edges.

    Shapes: (N, C, H, W) or (C, H, W).
    Note: padding is a number for all sides, or a tuple: left, right, top, bottom, ….

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ReflectionPad2d((1, 0, 1, 0))(torch.arange(4.).reshape(1, 2, 2))
        tensor([[[3., 2., 3.],
                 [1., 0., 1.],
                 [3., 2., 3.]]])

    Mirrors `torch.nn.ReflectionPad2d`.
    """

    _dims = 2


class ReflectionPad3d(_ReflectionPadNd):
    """Padded with the elements reflected at the faces.

    Shapes: (N, C, D, H, W) or (C, D, H, W).
    Note: padding is a number for all sides, or a tuple: left, right, top, bottom, ….

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ReflectionPad3d(1)(torch.ones(1, 2, 2, 2)).shape
        torch.Size([1, 4, 4, 4])

    Mirrors `torch.nn.ReflectionPad3d`.
    """

    _dims = 3


class ReplicationPad1d(_ReplicationPadNd):
    """Padded with the elements at the ends.

    Shapes: (N, C, L) or (C, L).
    Note: padding is a number for all sides, or a tuple: left, right, top, bottom, ….

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ReplicationPad1d(2)(torch.tensor([[1., 2., 3.]]))
        tensor([[1., 1., 1., 2., 3., 3., 3.]])

    Mirrors `torch.nn.ReplicationPad1d`.
    """

    _dims = 1


class ReplicationPad2d(_ReplicationPadNd):
    """Padded with the elements at the edges.

    Shapes: (N, C, H, W) or (C, H, W).
    Note: padding is a number for all sides, or a tuple: left, right, top, bottom, ….

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ReplicationPad2d((1, 0, 1, 0))(torch.arange(4.).reshape(1, 2, 2))
        tensor([[[0., 0., 1.],
                 [0., 0., 1.],
                 [2., 2., 3.]]])

    Mirrors `torch.nn.ReplicationPad2d`.
    """

    _dims = 2


class ReplicationPad3d(_ReplicationPadNd):
    """Padded with the elements at the faces.

    Shapes: (N, C, D, H, W) or (C, D, H, W).
    Note: padding is a number for all sides, or a tuple: left, right, top, bottom, ….

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ReplicationPad3d(1)(torch.ones(1, 2, 2, 2)).shape
        torch.Size([1, 4, 4, 4])

    Mirrors `torch.nn.ReplicationPad3d`.
    """

    _dims = 3


class ZeroPad1d(ConstantPad1d):
    """Padded with 0 at both ends.

    Shapes: (..., L) gives a longer one.
    Note: padding is a number for all sides, or a tuple: left, right, top, bottom, ….

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ZeroPad1d(1)(torch.tensor([[1., 2.]]))
        tensor([[0., 1., 2., 0.]])

    Mirrors `torch.nn.ZeroPad1d`.
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """The widths, as the repr shows them."""
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Padded with 0 on all sides.

    Shapes: (..., H, W) gives a larger one.
    Note: padding is a number for all sides, or a tuple: left, right, top, bottom, ….

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ZeroPad2d((1, 0, 0, 1))(torch.tensor([[[1., 2.]]]))
        tensor([[[0., 1., 2.],
                 [0., 0., 0.]]])

    Mirrors `torch.nn.ZeroPad2d`.
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """The widths, as the repr shows them."""
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Padded with 0 in three dimensions.

    Shapes: (..., D, H, W) gives a larger one.
    Note: padding is a number for all sides, or a tuple: left, right, top, bottom, ….

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ZeroPad3d(1)(torch.ones(1, 1, 1, 1)).shape
        torch.Size([1, 3, 3, 3])

    Mirrors `torch.nn.ZeroPad3d`.
    """

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """The widths, as the repr shows them."""
        return f"{self.padding}"
