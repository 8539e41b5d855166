"""Sampling by grids as functions."""

from __future__ import annotations

import warnings
from typing import Any

from ...core.arguments.declared import casting
from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from ...ops.nn import grid as _kernels  # noqa: F401 (fills the table)
from ...ops.table.publishing import reading

__all__ = ["GRID_SAMPLE_INTERPOLATION_MODES", "GRID_SAMPLE_PADDING_MODES", "affine_grid", "grid_sample", "grid_sampler"]

GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}


def _aligned(align_corners: bool | None) -> bool:
    """align_corners, by default False, with PyTorch's warning that it once was True."""
    if align_corners is not None:
        return align_corners
    warnings.warn(
        "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
        "specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for "
        "details.",
        stacklevel=3,
    )
    return False


@casting("fp32")
def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """The values of an image at given points (x, y) of [-1, 1], interpolated between pixels.

    Shapes: input (N, C, H, W) and grid (N, H', W', 2) give (N, C, H', W').
    Dtypes: float.
    Note: mode is 'bilinear', 'nearest' or 'bicubic'; padding_mode says what lies outside: 'zeros', 'border'
        or 'reflection'.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> x = torch.tensor([[[[0., 10.]]]])
        >>> F.grid_sample(x, torch.tensor([[[[-1., 0.], [0., 0.], [1., 0.]]]]), align_corners=True)
        tensor([[[[ 0.,  5., 10.]]]])

    Mirrors `torch.nn.functional.grid_sample`.
    """
    if mode not in GRID_SAMPLE_INTERPOLATION_MODES:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in GRID_SAMPLE_PADDING_MODES:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    align_corners = _aligned(align_corners)
    return grid_sampler(
        input, grid, GRID_SAMPLE_INTERPOLATION_MODES[mode], GRID_SAMPLE_PADDING_MODES[padding_mode], align_corners
    )


@reading(
    "grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> "
    "Tensor|fp32"
)
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """grid_sample with its modes as numbers: 0 bilinear, 1 nearest, 2 bicubic; outside 0 zeros, 1 the border, 2 a
    reflection.

    Shapes: (N, C, H, W) and (N, h, w, 2) give (N, C, h, w); or with three dimensions each.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[[[0., 10.]]]])
        >>> torch.grid_sampler(x, torch.tensor([[[[-1., 0.], [0., 0.]]]]), 0, 0, True)
        tensor([[[[0., 5.]]]])

    Mirrors `torch.grid_sampler`.
    """
    sample = TENSORS.grid_sampler_2d if input.dim() == 4 else TENSORS.grid_sampler_3d
    found: Tensor = sample(input, grid, interpolation_mode, padding_mode, align_corners)
    return found


def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """The grid for grid_sample that affine maps make: for each pixel of the output a point of the input.

    Shapes: theta (N, 2, 3) and size (N, C, H, W) give (N, H, W, 2); (N, 3, 4) the same for three
        dimensions.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.nn import functional as F
        >>> theta = torch.tensor([[[1., 0., 0.], [0., 1., 0.]]])
        >>> F.affine_grid(theta, (1, 1, 1, 2), align_corners=True)
        tensor([[[[-1.,  0.],
                  [ 1.,  0.]]]])

    Mirrors `torch.nn.functional.affine_grid`.
    """
    align_corners = _aligned(align_corners)
    if not theta.dtype.is_floating_point:
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) == 4:
        if theta.ndim != 3 or theta._array.shape[-2:] != (2, 3):
            raise ValueError(
                f"Expected a batch of 2D affine matrices of shape Nx2x3 for size {size}. Got {theta.shape}."
            )
    elif len(size) == 5:
        if theta.ndim != 3 or theta._array.shape[-2:] != (3, 4):
            raise ValueError(
                f"Expected a batch of 3D affine matrices of shape Nx3x4 for size {size}. Got {theta.shape}."
            )
    else:
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{size}."
        )
    if align_corners and min(size[2:]) == 1:
        warnings.warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
            "is not an intended use case of affine_grid. See the documentation of affine_grid for details.",
            stacklevel=2,
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return TENSORS.affine_grid_generator(theta, tuple(size), align_corners)
