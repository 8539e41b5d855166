"""Sampling at the positions of a grid, and the grids of affine maps, with the derivatives by values and positions."""

from __future__ import annotations

import itertools
import math
from functools import reduce
from operator import mul
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.memory.casting import cast_array
from ...core.memory.layout import contiguous
from ...core.memory.places import add_at, moved
from ...core.recording.record import no_derivative, says
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import from_numpy, scalar_name
from ..common.ranges import spaced
from ..first.kinds import typed
from ..table.opdef import op

Array = Any


def _place(at: Array, n: int, padding: int, align: bool, bound: bool = True) -> tuple[Array, Array]:
    """Positions from -1 to 1 as indices into n elements, and the slope of that map."""
    index = at + 1
    if align:
        index /= 2
        index *= n - 1
    else:
        index *= n
        index -= 1
        index /= 2
    slope = at.dtype.type((n - 1 if align else n) / 2)
    if bound:
        index, change = _bounded(index, n, padding, align)
        slope = slope * change
    return index, slope


def _bounded(index: Array, n: int, padding: int, align: bool) -> tuple[Array, Array]:
    """Indices brought inside as the padding mode says (0 zeros, 1 border, 2 reflection), and the slope of that."""
    slope = index.dtype.type(1)
    if padding == 0:
        return index, slope
    if padding == 2:
        low, high = (0.0, 2.0 * (n - 1)) if align else (-1.0, 2.0 * n - 1)
        if low == high:
            return np.zeros_like(index), np.zeros_like(index)
        start, span = low / 2, (high - low) / 2
        away = index - start
        slope = np.where(away < 0, -1, 1).astype(index.dtype)
        away = np.abs(away)
        extra = np.fmod(away, span)
        odd = np.floor(away / span) % 2 != 0
        index = np.where(odd, span - extra + start, extra + start).astype(index.dtype)
        slope = np.where(odd, -slope, slope)
    inside = (index > 0) & (index < n - 1)
    return np.clip(np.nan_to_num(index, nan=-1.0), 0, n - 1).astype(index.dtype), np.where(inside, slope, 0).astype(
        index.dtype
    )


#: a share of a tap's weight by one dimension, its slope and its bend, by the position in the grid
Factor = tuple[Array, Array, Array]


def _cubic(t: Array, slope: Array) -> list[Factor]:
    """The four weights of cubic convolution for an offset t, which grows with the position by `slope`."""
    a = -0.75

    def near(x: Array) -> Factor:
        first = (3 * (a + 2) * x - 2 * (a + 3)) * x
        return ((a + 2) * x - (a + 3)) * x * x + 1, first, 6 * (a + 2) * x - 2 * (a + 3)

    def far(x: Array) -> Factor:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a, (3 * a * x - 10 * a) * x + 8 * a, 6 * a * x - 10 * a

    found = [(far(t + 1), slope), (near(t), slope), (near(1 - t), -slope), (far(2 - t), -slope)]
    return [(w, first * way, second * way * way) for (w, first, second), way in found]


#: an element that samples read along one dimension: its index, which is inside, whether it was, and a factor
Tap = tuple[Array, Array, Factor]


def _along(sizes: Any, grid: Array, mode: int, padding: int, align: bool) -> list[list[Tap]]:
    """For each dimension the elements that samples read along it."""
    return [
        [(*_inside(at, n), factor) for at, factor in _line(grid[..., len(sizes) - 1 - d], n, mode, padding, align)]
        for d, n in enumerate(sizes)
    ]


def _line(positions: Array, n: int, mode: int, padding: int, align: bool) -> list[tuple[Array, Factor]]:
    """The same of one dimension, with indices that may be outside."""
    place, slope = _place(positions, n, padding, align, mode != 2)
    if mode == 1:
        return [(np.rint(place), (np.ones_like(place), 0, 0))]
    floor = np.floor(place)
    share = place - floor
    if mode == 0:
        return [(floor, (1 - share, -slope, 0)), (floor + 1, (share, slope, 0))]
    places = [_bounded(floor + (k - 1), n, padding, align)[0] for k in range(4)]
    return list(zip(places, _cubic(share, slope), strict=True))


def _taps(sizes: Any, grid: Array, mode: int, padding: int, align: bool) -> Any:
    """Every input element that a sample reads: its indices, which are inside, and the factors of its weight."""
    for taps in itertools.product(*_along(sizes, grid, mode, padding, align)):
        mask = taps[0][1]
        for _, inside, _ in taps[1:]:
            mask = mask & inside
        yield [at for at, _, _ in taps], mask, [factor for _, _, factor in taps]


def _weight(factors: list[Factor], *by: int) -> Array:
    """A tap's weight, or its derivative by components of the grid, which come last dimension first."""
    nd = len(factors)
    return reduce(mul, [f[by.count(nd - 1 - d)] for d, f in enumerate(factors)])


def _inside(at: Array, n: int) -> tuple[Array, Array]:
    mask = (at >= 0) & (at <= n - 1)
    return (at if mask.all() else np.where(mask, at, 0)).astype(np.intp), mask


def _by_place(x: Array) -> Array:
    """(N, C, *sizes) as rows of channels: (N * places, C)."""
    n, c, *sizes = x.shape
    return np.ascontiguousarray(moved(x, 1, -1)).reshape(n * math.prod(sizes), c)


def _by_channel(rows: Array, shape: Any) -> Array:
    """The inverse of `_by_place`: rows as (N, C, *sizes)."""
    n, c, *sizes = shape
    return np.ascontiguousarray(moved(rows.reshape(n, *sizes, c), -1, 1))


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


#: so many positions are looked up at a time, to stay in the cache
_PIECE = 1 << 12


def _sampled(input: Array, grid: Array, mode: int, padding: int, align: bool) -> Array:
    """The values at the positions: channel by channel, what is outside being read from a place that holds 0."""
    n, c, *sizes = input.shape
    outside = n * math.prod(sizes)
    values = np.zeros((c, outside + 1), input.dtype)
    values[:, :-1].reshape(c, n, *sizes)[...] = input.swapaxes(0, 1)
    shape = grid.shape[:-1]
    each = math.prod(shape[1:])
    positions = grid.reshape(n * each, len(sizes))
    out = np.zeros((c, n * each), input.dtype)
    for i in range(0, n * each, _PIECE):
        total = out[:, i : i + _PIECE]
        found = np.empty_like(total)
        sample = np.arange(i, i + total.shape[1]) // each
        piece = positions[i : i + _PIECE]
        for taps in itertools.product(*_flat_lines(sizes, outside, sample, piece, mode, padding, align)):
            (places, weight), *others = taps
            for more, share in others:
                places, weight = places + more, weight * share
            values.take(places, 1, found, "clip")
            if mode != 1:
                found *= weight
            total += found
    return contiguous(np.ascontiguousarray(out.reshape(c, *shape).swapaxes(0, 1)))


def _flat_lines(
    sizes: list[int], outside: int, sample: Array, positions: Array, mode: int, padding: int, align: bool
) -> list[list[tuple[Array, Array]]]:
    """For each dimension the elements that samples read along it, as parts of their places, or the place `outside` of
    what is not in the input; and their weights."""
    found = []
    for d, size in enumerate(sizes):
        line = []
        for at, (weight, _, _) in _line(positions[:, len(sizes) - 1 - d], size, mode, padding, align):
            inside = (at >= 0) & (at <= size - 1)
            places = at.astype(np.intp)
            if d == 0:
                places += sample * size
            places *= math.prod(sizes[d + 1 :])
            if not inside.all():
                places[~inside] = outside
            line.append((places, weight))
        found.append(line)
    return found


def _sampled_twice(
    by_input: Any, by_places: Any, grad_output: Any, input: Any, grid: Any, mode: int, padding: int, align: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients for grad_output, input and grid, given those of both results of the backward kernel."""
    nd = input.ndim - 2
    values, others, g = _by_place(input), _by_place(by_input), moved(grad_output, 1, -1)
    by_g, by_values, by_grid = np.zeros_like(g), np.zeros_like(values), np.zeros_like(grid)
    for at, mask, factors in _taps(input.shape[2:], grid, mode, padding, align):
        inside, places = mask[..., None], _numbered(at, input.shape)
        value, other = values.take(places, 0) * inside, others.take(places, 0) * inside
        turn = sum(_weight(factors, k) * by_places[..., k] for k in range(nd))[..., None]
        by_g += _weight(factors)[..., None] * other + turn * value
        add_at(by_values, (places,), g * turn * inside)
        read, also = (g * value).sum(-1), (g * other).sum(-1)
        for k in range(nd):
            bend = sum(_weight(factors, k, m) * by_places[..., m] for m in range(nd))
            by_grid[..., k] += _weight(factors, k) * also + bend * read
    return np.ascontiguousarray(moved(by_g, -1, 1)), _by_channel(by_values, input.shape), by_grid


def _twice(name: str) -> Any:
    """The formula of the backward operation of that name."""

    def formula(
        F: Any,
        grads: list[Any],
        grad_output: Any,
        input: Any,
        grid: Any,
        interpolation_mode: int,
        padding_mode: int,
        align_corners: bool,
    ) -> Any:
        pairs = zip(grads, (input, grid), strict=True)
        by_input, by_places = (F.zeros_of(x, tuple(x.shape)) if g is None else g for g, x in pairs)
        found = getattr(F, name)(
            by_input, by_places, grad_output, input, grid, interpolation_mode, padding_mode, align_corners
        )
        return (found[0], None, found[2]) if interpolation_mode == 1 else found

    return formula


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
        return _sampled(input, grid, interpolation_mode, padding_mode, align_corners)

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
        g = moved(grad_output, 1, -1)
        by_values = np.zeros_like(values)
        by_grid = np.zeros_like(grid)
        taps = [*_taps(input.shape[2:], grid, interpolation_mode, padding_mode, align_corners)]
        many = max(_PIECE // max(g.size, 1), 1)
        for i in range(0, len(taps), many):  # small ones together
            some = taps[i : i + many]
            places = np.stack([_numbered(at, input.shape) for at, _, _ in some])
            weights = np.stack([(_weight(factors) * mask).astype(input.dtype) for _, mask, factors in some])
            add_at(by_values, (places,), g * weights[..., None])
            if interpolation_mode != 1:
                read = (values.take(places, 0) * g).sum(-1)
                for part, (_, mask, factors) in zip(read, some, strict=True):
                    part = part * mask
                    for k in range(nd):
                        by_grid[..., k] += part * _weight(factors, k)
        return _by_channel(by_values, input.shape), by_grid

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
            "grad_output input grid": _twice(f"{name}_twice"),
        },
    )(kernel_backward)
    _register_twice(name, title + "BackwardBackward0")


def _register_twice(name: str, node: str) -> None:
    given = "by_input by_places grad_output input grid"
    op(
        name + "_twice",
        given,
        method=False,
        function=False,
        node=node,
        outputs=("result0", "result1", "result2"),
        vjp={x: no_derivative(f"{name}_double_backward") for x in given.split()},
    )(_sampled_twice)


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
        line = spaced(-1, 1, n, from_numpy(dtype)).astype(dtype) if n > 1 else np.zeros(n, dtype)
        lines.append(line if align else line * (n - 1) / n)
    mesh = np.meshgrid(*lines, indexing="ij")[::-1]
    return np.stack([*mesh, np.ones(tuple(size[2:]), dtype)], -1).reshape(-1, len(lines) + 1)


@op(
    "affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor|looped",
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
    return cast_array(flat, theta.dtype).reshape(size[0], *size[2:], nd)


@op(
    "affine_grid_generator_backward",
    "grad",
    vjp={
        "grad": lambda F, grad, size, align_corners: F.affine_grid_generator(grad, size, align_corners),
    },
)
def affine_grid_generator_backward(grad: Any, size: tuple[int, ...], align_corners: bool) -> np.ndarray:
    flat = grad.reshape(size[0], -1, len(size) - 2)
    return cast_array(np.matmul(flat.swapaxes(1, 2), _base(size, align_corners, grad.dtype)[None]), grad.dtype)
