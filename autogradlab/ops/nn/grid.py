"""Sampling at the positions of a grid, and the grids of affine maps, with the derivatives by values and positions."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.memory.layout import contiguous
from ...core.memory.places import add_at
from ...core.recording.record import no_derivative, says
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import scalar_name
from ..first.kinds import typed
from ..table.opdef import op

Array = Any


def _place(at: Array, n: int, padding: int, align: bool, bound: bool = True) -> tuple[Array, Array]:
    """Positions from -1 to 1 as indices into n elements, and the slope of that map."""
    if align:
        index, slope = (at + 1) / 2 * (n - 1), np.full(at.shape, (n - 1) / 2, at.dtype)
    else:
        index, slope = ((at + 1) * n - 1) / 2, np.full(at.shape, n / 2, at.dtype)
    index = index.astype(at.dtype, copy=False)
    if bound:
        index, change = _bounded(index, n, padding, align)
        slope = slope * change
    return index, slope


def _bounded(index: Array, n: int, padding: int, align: bool) -> tuple[Array, Array]:
    """Indices brought inside as the padding mode says (0 zeros, 1 border, 2 reflection), and the slope of that."""
    slope = np.ones_like(index)
    if padding == 0:
        return index, slope
    if padding == 2:
        low, high = (0.0, 2.0 * (n - 1)) if align else (-1.0, 2.0 * n - 1)
        if low == high:
            return np.zeros_like(index), np.zeros_like(index)
        start, span = low / 2, (high - low) / 2
        moved = index - start
        slope = np.where(moved < 0, -1, 1).astype(index.dtype)
        moved = np.abs(moved)
        extra = np.fmod(moved, span)
        odd = np.floor(moved / span) % 2 != 0
        index = np.where(odd, span - extra + start, extra + start).astype(index.dtype)
        slope = np.where(odd, -slope, slope)
    inside = (index > 0) & (index < n - 1)
    return np.clip(np.nan_to_num(index, nan=-1.0), 0, n - 1).astype(index.dtype), np.where(inside, slope, 0).astype(
        index.dtype
    )


def _corners(places: list[Array]) -> Any:
    """For each corner of the cell around the places: its indices, its weight,
    and its weight's slope by each dimension."""
    floors = [np.floor(p) for p in places]
    shares = [p - f for p, f in zip(places, floors, strict=True)]
    for corner in itertools.product((0, 1), repeat=len(places)):
        factors = [s if c else 1 - s for c, s in zip(corner, shares, strict=True)]
        weight = math.prod(factors)
        slopes = [math.prod([*factors[:i], *factors[i + 1 :]]) * (1 if c else -1) for i, c in enumerate(corner)]
        yield [f + c for f, c in zip(floors, corner, strict=True)], weight, slopes


def _cubic(t: Array) -> tuple[list[Array], list[Array]]:
    """The four weights of cubic convolution for an offset t, and their slopes."""
    a = -0.75

    def near(x: Array) -> tuple[Array, Array]:
        return ((a + 2) * x - (a + 3)) * x * x + 1, (3 * (a + 2) * x - 2 * (a + 3)) * x

    def far(x: Array) -> tuple[Array, Array]:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a, (3 * a * x - 10 * a) * x + 8 * a

    (w0, s0), (w1, s1), (w2, s2), (w3, s3) = far(t + 1), near(t), near(1 - t), far(2 - t)
    return [w0, w1, w2, w3], [s0, s1, -s2, -s3]


def _taps(sizes: Any, grid: Array, mode: int, padding: int, align: bool) -> Any:
    """Every input element that a sample reads: its indices, which are inside,
    its weight and the weight's slope by the grid.

    Grid positions come last dimension first; so do the slopes.
    """
    nd = len(sizes)
    found = [_place(grid[..., nd - 1 - d], n, padding, align, mode != 2) for d, n in enumerate(sizes)]
    places, slopes = [f[0] for f in found], [f[1] for f in found]
    if mode == 1:
        nearest = [np.rint(p) for p in places]
        yield *_inside(nearest, sizes), np.ones_like(places[0]), None
    elif mode == 0:
        for at, weight, changes in _corners(places):
            yield *_inside(at, sizes), weight, [c * s for c, s in zip(changes, slopes, strict=True)][::-1]
    else:
        floors = [np.floor(p) for p in places]
        curves = [_cubic(p - f) for p, f in zip(places, floors, strict=True)]
        for i, j in itertools.product(range(4), repeat=2):
            at = [_bounded(f + (k - 1), n, padding, align)[0] for f, k, n in zip(floors, (i, j), sizes, strict=True)]
            (wy, sy), (wx, sx) = curves
            changes = [wy[i] * sx[j] * slopes[1], sy[i] * wx[j] * slopes[0]]
            yield *_inside(at, sizes), wy[i] * wx[j], changes


def _inside(at: list[Array], sizes: Any) -> tuple[list[Array], Array]:
    mask = np.ones(at[0].shape, bool)
    for p, n in zip(at, sizes, strict=True):
        mask &= (p >= 0) & (p <= n - 1)
    return [np.where(mask, p, 0).astype(np.int64) for p in at], mask


def _by_place(x: Array) -> Array:
    """(N, C, *sizes) as rows of channels: (N * places, C)."""
    n, c, *sizes = x.shape
    return np.ascontiguousarray(np.moveaxis(x, 1, -1)).reshape(n * math.prod(sizes), c)


def _numbered(at: list[Array], shape: Any) -> Array:
    """Indices into the places of (N, C, *sizes), by sample, as numbers of the rows of `_by_place`."""
    found = np.arange(shape[0]).reshape(-1, *(1,) * len(at))
    for p, n in zip(at, shape[2:], strict=True):
        found = found * n + p
    return found


def _check(input: Array, grid: Array, nd: int, mode: int) -> None:
    sizes = f"but got input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
    for x in (input, grid):
        if not x.ndim:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if input.shape[0] != grid.shape[0]:
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same batch size, {sizes}")
    if grid.shape[-1] != input.ndim - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {input.ndim - 2} in last dimension, but got grid with sizes "
            f"{list(grid.shape)}"
        )
    for i, n in enumerate(input.shape[2:], 2):
        if n == 0:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{list(input.shape)} with dimension {i} being empty"
            )
    if input.ndim != nd + 2 or input.ndim != grid.ndim:
        raise RuntimeError(f"grid_sampler(): expected {nd + 2}D input and grid with same number of dimensions, {sizes}")
    if nd == 3 and mode == 2:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input.dtype != grid.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(input)} but found {scalar_name(grid)}")


def _register(nd: int) -> None:
    name = f"grid_sampler_{nd}d"

    def kernel(
        input: np.ndarray, grid: np.ndarray, interpolation_mode: int, padding_mode: int, align_corners: bool
    ) -> np.ndarray:
        _check(input, grid, nd, interpolation_mode)
        found: np.ndarray = sampled(input, grid, interpolation_mode, padding_mode, align_corners)
        return found

    @typed("grid_sampler_2d_cpu_kernel_impl" if nd == 2 else "grid_sampler3d_cpu", "biuc")
    def sampled(
        input: np.ndarray, grid: np.ndarray, interpolation_mode: int, padding_mode: int, align_corners: bool
    ) -> np.ndarray:
        values = _by_place(input)
        out = np.zeros((*grid.shape[:-1], input.shape[1]), input.dtype)
        for at, mask, weight, _ in _taps(input.shape[2:], grid, interpolation_mode, padding_mode, align_corners):
            out += values.take(_numbered(at, input.shape), 0) * (weight * mask).astype(input.dtype)[..., None]
        return contiguous(np.ascontiguousarray(np.moveaxis(out, -1, 1)))

    @typed(f"{name}_backward", "biuc")
    def kernel_backward(
        grad_output: Any,
        input: np.ndarray,
        grid: np.ndarray,
        interpolation_mode: int,
        padding_mode: int,
        align_corners: bool,
    ) -> tuple[np.ndarray, np.ndarray]:
        values = _by_place(input)
        g = np.moveaxis(grad_output, 1, -1)
        by_values = np.zeros_like(values)
        by_grid = np.zeros_like(grid)
        for at, mask, weight, slopes in _taps(input.shape[2:], grid, interpolation_mode, padding_mode, align_corners):
            places = _numbered(at, input.shape)
            add_at(by_values, (places,), g * (weight * mask).astype(input.dtype)[..., None])
            if slopes is not None:
                read = (values.take(places, 0) * g).sum(-1) * mask
                by_grid += np.stack([read * s for s in slopes], -1)
        n, c, *sizes = input.shape
        return np.ascontiguousarray(np.moveaxis(by_values.reshape(n, *sizes, c), -1, 1)), by_grid

    title = f"GridSampler{nd}DBackward"
    op(
        name,
        "input grid",
        method=False,
        node=title + "0",
        vjp={
            "input grid": says(
                ("g shared among the elements around each point", "分给各点周围元素的 g"),
                ("g times the slope of {input} at each point", "g 乘以 {input} 在各点的斜率"),
            )(
                lambda F, grad, input, grid, interpolation_mode, padding_mode, align_corners: getattr(
                    F, name + "_backward"
                )(grad, input, grid, interpolation_mode, padding_mode, align_corners)
            ),
        },
        shown={"input": "input"},
        forwardless=name,
        doc=f"Values of a {nd}-dimensional input at the places of a grid.",
    )(kernel)
    op(
        name + "_backward",
        "grad_output input grid",
        method=False,
        function=False,
        node=title + "Backward0",
        outputs=("result0", "result1"),
        vjp={
            "grad_output": no_derivative(f"{name}_backward"),
            "input": no_derivative(f"{name}_backward"),
            "grid": no_derivative(f"{name}_backward"),
        },
    )(kernel_backward)


declare(
    """
    grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode,
        bool align_corners) -> Tensor|input
    """,
    """
    sig: (input, grid, interpolation_mode, padding_mode, align_corners)
    nn.functional.grid_sample of images, with numbers for modes: 0 bilinear, 1 nearest, 2 bicubic; 0 zeros, 1
    border, 2 reflection.

    Shapes: input (N, C, H, W) and grid (N, H', W', 2) give (N, C, H', W').

    >>> x = torch.tensor([[[[0., 10.]]]])
    >>> torch.grid_sampler_2d(x, torch.zeros(1, 1, 1, 2), 0, 0, True)
    tensor([[[[5.]]]])
    """,
)
_register(2)
declare(
    """
    grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode,
        bool align_corners) -> Tensor|input
    """,
    """
    sig: (input, grid, interpolation_mode, padding_mode, align_corners)
    nn.functional.grid_sample in three dimensions, with numbers for modes.

    Shapes: input (N, C, D, H, W) and grid (N, D', H', W', 3) give (N, C, D', H', W').

    >>> torch.grid_sampler_3d(torch.ones(1, 1, 2, 2, 2), torch.zeros(1, 1, 1, 1, 3), 0, 0, True)
    tensor([[[[[1.]]]]])
    """,
)
_register(3)


def _base(size: Any, align: bool, dtype: Any) -> Array:
    """The places of a grid's elements, from -1 to 1, last dimension first, and a 1."""
    lines = []
    for n in size[2:]:
        line = np.linspace(-1, 1, n, dtype=dtype) if n > 1 else np.zeros(n, dtype)
        lines.append(line if align else line * dtype.type((n - 1) / n))
    mesh = np.meshgrid(*lines, indexing="ij")[::-1]
    return np.stack([*mesh, np.ones(tuple(size[2:]), dtype)], -1).reshape(-1, len(lines) + 1)


@op(
    "affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor",
    method=False,
    vjp={
        "theta": lambda F, grad, size, align_corners: F.affine_grid_generator_backward(grad, size, align_corners),
    },
)
def affine_grid_generator(theta: np.ndarray, size: tuple[int, ...], align_corners: bool) -> np.ndarray:
    """nn.functional.affine_grid with all arguments.

    Shapes: theta (N, 2, 3) and size (N, C, H, W) give (N, H, W, 2).

    >>> torch.affine_grid_generator(torch.tensor([[[1., 0., 0.], [0., 1., 0.]]]), (1, 1, 1, 2), True)
    tensor([[[[-1.,  0.],
              [ 1.,  0.]]]])
    """
    nd = len(size) - 2
    if nd not in (2, 3):
        raise RuntimeError("AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.")
    wrap_dim(2 if theta.ndim == 2 else 1, theta.ndim)  # it is transposed
    if theta.shape[0] != size[0]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{size[0]}, {nd + 1}] but got: "
            f"[{theta.shape[0]}, {nd + 1}]."
        )
    flat = np.matmul(_base(size, align_corners, theta.dtype)[None], theta.swapaxes(1, 2))
    return flat.reshape(size[0], *size[2:], nd)


@op(
    "affine_grid_generator_backward",
    "grad",
    vjp={
        "grad": lambda F, grad, size, align_corners: F.affine_grid_generator(grad, size, align_corners),
    },
)
def affine_grid_generator_backward(grad: Any, size: tuple[int, ...], align_corners: bool) -> np.ndarray:
    flat = grad.reshape(size[0], -1, len(size) - 2)
    return np.matmul(flat.swapaxes(1, 2), _base(size, align_corners, grad.dtype)[None])
