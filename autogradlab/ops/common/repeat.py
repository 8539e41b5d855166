"""Repeating, rolling, flipping and rotating."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...core.memory.absent import is_absent
from ...core.memory.layout import like
from ...core.memory.rows import Rows, each, refuse_numbers
from ...core.memory.strided import placed
from ...core.recording.record import RAW, TENSORS
from ...core.runtime.warn import warn_of_slow_rows
from ...core.tensor.tensor import Tensor, wrap
from ...core.types.dims import shape_arg, wrap_dim, wrap_dims
from ...core.types.dtypes import unsupported
from ..first.kinds import UNSIGNED, refuse
from ..table.opdef import OPS, Op, composite, op
from ..table.signatures import explain

# -- repeat and tile ---------------------------------------------------------------------------------------------------


def _repeat(input: np.ndarray, repeats: tuple[int, ...]) -> np.ndarray:
    if len(repeats) < input.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    shape = (1,) * (len(repeats) - input.ndim) + input.shape
    target = [n * r for n, r in zip(shape, repeats, strict=True)]
    for n in target:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {target}")
    r = np.empty(target, input.dtype)
    if r.size:
        pairs = [k for n, m in zip(repeats, shape, strict=True) for k in (n, m)]
        ones = [k for n in shape for k in (1, n)]
        r.reshape(pairs)[...] = input.reshape(ones)
    return r


def _repeat_back(F: Any, grad: Any, input_shape: tuple[int, ...], repeats: tuple[int, ...]) -> Any:
    if 0 in repeats:
        return F.zeros_of(grad, input_shape)
    lead = len(repeats) - len(input_shape)
    for _ in range(lead):
        grad = F.sum(grad, 0)
    sizes: list[int] = []
    dims: list[int] = []
    for times, size in zip(repeats[lead:], input_shape, strict=True):
        if times != 1:
            dims.append(len(sizes))
            sizes.append(times)
        sizes.append(size)
    return F.sum(F.reshape(grad, tuple(sizes)), tuple(dims)) if dims else grad


_REPEAT = OPS["repeat"] = Op("repeat", _repeat, vjp={"input": _repeat_back}, inner_writes=1)
RAW.repeat = _repeat


@composite("repeat(Tensor input, SymInt[] repeats) -> Tensor", function=False)
def repeat(input: Tensor, *repeats: Any, **options: Any) -> Tensor:
    """The tensor repeated a number of times along each dimension. A copy.

    Shapes: input's sizes times the numbers; new dimensions go in front.
    ~same-dtype

    >>> torch.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    if not repeats and "repeats" not in options:
        explain("repeat", (), options, "Tensor")
    return _REPEAT.call(input, shape_arg(repeats or (options.pop("repeats", ()),)))


@composite("tile(Tensor input, SymInt[] dims) -> Tensor", one_list=True)
def tile(input: Tensor, *dims: Any, **options: Any) -> Tensor:
    """repeat, but fewer numbers than dimensions are allowed: the first dimensions are then repeated once.

    Shapes: input's sizes times the numbers.
    ~same-dtype

    >>> torch.tile(torch.tensor([[1, 2]]), (2,))
    tensor([[1, 2, 1, 2]])
    """
    sizes = shape_arg(dims or (options.pop("dims"),))
    return _REPEAT.call(input, (1,) * (input._array.ndim - len(sizes)) + sizes)


def _times(repeats: Tensor, output_size: Any) -> Tensor:
    """The index that repeats each position as many times as `repeats` says."""
    x: Any = repeats._array
    if type(x) is Rows:
        warn_of_slow_rows("repeat_interleave.Tensor")
        return wrap(each(lambda row: _times(wrap(row), output_size)._array, (x,)))
    if x.dtype.kind != "i" or x.dtype.itemsize < 4:
        raise unsupported("repeat_interleave_cpu", x)
    if x.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if x.size and x.min() < 0:
        raise RuntimeError("repeats can not be negative")
    if output_size is not None and int(x.sum()) != output_size:
        raise RuntimeError("allocated size does not match required size")
    return wrap(np.repeat(np.arange(x.size, dtype=x.dtype), x.astype(np.intp, copy=False)))


@composite(
    """
    repeat_interleave(Tensor input, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor|.self_Tensor
    repeat_interleave(Tensor repeats, *, SymInt? output_size=None) -> Tensor|.Tensor
    repeat_interleave(Tensor input, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor|.self_int
    """,
)
def repeat_interleave(input: Tensor, repeats: Any = None, dim: Any = None, *, output_size: Any = None) -> Tensor:
    """Each element repeated, a number of times or as many times as a tensor says for it.
    main: 2

    Shapes: (…, n, …) gives (…, sum of repeats, …); without dim the flattened input.
    ~same-dtype

    >>> torch.repeat_interleave(torch.tensor([1, 2]), 2)
    tensor([1, 1, 2, 2])
    >>> torch.repeat_interleave(torch.tensor([[1, 2], [3, 4]]), torch.tensor([1, 2]), dim=0)
    tensor([[1, 2],
            [3, 4],
            [3, 4]])
    """
    if repeats is None:
        return _times(input, output_size)
    if isinstance(repeats, Tensor) and output_size is None and is_absent(repeats._array):
        raise RuntimeError("cannot repeat_interleave a meta tensor without output_size")
    if not isinstance(repeats, Tensor):
        repeats = operator.index(repeats)
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        if dim is None:
            input, dim = TENSORS.flatten(input), 0
        x = input._array
        d = wrap_dim(dim, x.ndim)
        wanted = x.shape[d] * repeats if x.ndim else repeats
        if output_size is not None and output_size != wanted:
            raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {wanted} but got {output_size}")
        wide = TENSORS.unsqueeze(input, d + 1)
        shape = list(wide._array.shape)
        shape[d + 1] = repeats
        copied = TENSORS.clone(TENSORS.expand(wide, tuple(shape)), memory_format="contiguous")
        return TENSORS.flatten(copied, d, d + 1)
    if repeats._array.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if dim is None:
        input, dim = TENSORS.flatten(input), 0
    n = input._array.shape[wrap_dim(dim, input._array.ndim)] if input._array.ndim else 1
    times = repeats._array
    if not input._array.ndim and times.ndim < 2:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if times.ndim == 0 or (times.ndim == 1 and times.size == 1):
        repeats = wrap(np.broadcast_to(times.reshape(-1), (n,)))
    elif times.size != n:
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {times.size} and "
            f"input.size({dim}) = {n}"
        )
    return TENSORS.index_select(input, dim, _times(repeats, output_size))


# -- roll, flip, rot90 -------------------------------------------------------------------------------------------------


def _roll(input: Any, shifts: tuple[int, ...], dims: tuple[int, ...] = ()) -> np.ndarray:
    if not shifts:
        raise RuntimeError("`shifts` required")
    if len(dims) != len(shifts) and (dims or len(shifts) != 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if not input.size and len(dims) == 1:
        return like(input, input.dtype)
    if not dims:
        if type(input) is not np.ndarray or not input.size:
            return np.array(np.roll(input, shifts[0]), order="C")
        line = input.reshape(-1)
        start = -shifts[0] % line.size
        return np.concatenate((line[start:], line[:start])).reshape(input.shape)
    refuse_numbers(input)
    wrapped = [wrap_dim(d, input.ndim, scalar_ok=False) for d in dims]
    r = input
    for shift, dim in zip(shifts, wrapped, strict=True):  # one after the other, as PyTorch does: the layout is cat's
        start = -shift % r.shape[dim] if r.size else 0
        before = (slice(None),) * dim
        r = RAW.cat([r[(*before, slice(start, None))], r[(*before, slice(start))]], dim)
    return r


_ROLL = OPS["roll"] = Op(
    "roll",
    _roll,
    vjp={
        "input": lambda F, grad, shifts, dims: F.roll(grad, tuple(-s for s in shifts), dims),
    },
    inner_writes=lambda x, *_: not x.size,  # a clone
)
RAW.roll = _roll


def _numbers(value: Any) -> tuple[int, ...]:
    return tuple(map(operator.index, value)) if isinstance(value, (tuple, list)) else (operator.index(value),)


@composite("roll(Tensor input, SymInt[1] shifts, int[1] dims=None) -> Tensor")
def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """The elements shifted cyclically along dims. Without dims, of the flattened input.

    Shapes: input's.
    ~same-dtype

    >>> torch.roll(torch.tensor([1, 2, 3, 4]), 1)
    tensor([4, 1, 2, 3])
    >>> torch.tensor([[1, 2], [3, 4]]).roll(1, dims=0)
    tensor([[3, 4],
            [1, 2]])
    """
    return _ROLL.call(input, _numbers(shifts), () if dims is None else _numbers(dims))


def _refuse_flip(x: Any, dims: Any) -> None:
    """PyTorch's error for unsigned integers of more than 8 bits, of which only whole runs are copied."""
    inner = min((d for d in range(x.ndim) if x.shape[d] > 1), key=lambda d: abs(x.strides[d]))
    turned = [d for d in dims if x.shape[d] > 1]
    if turned and (inner in turned or x.strides[inner] != x.itemsize):
        refuse(x, "flip_cpu", UNSIGNED)


_ALL, _BACK = slice(None), slice(None, None, -1)


def _flip(input: Any, dims: tuple[int, ...]) -> np.ndarray:
    wrapped = wrap_dims(dims, input.ndim)
    if not input.ndim:
        if dims:
            refuse_numbers(input)
        return np.array(input)
    if input.dtype.kind == "u" and input.size > 1 and wrapped:
        _refuse_flip(input, wrapped)
    r = like(input, input.dtype, zero=False)
    way = [_ALL] * input.ndim
    for d in wrapped:
        way[d] = _BACK
    r[...] = input[tuple(way)]
    return r


_FLIP = OPS["flip"] = Op(
    "flip",
    _flip,
    vjp={"input": lambda F, grad, dims: F.flip(grad, dims)},
    inner_writes=lambda x, dims: not x.size or all(x.ndim == 0 or x.shape[d] == 1 for d in dims),  # a clone
)
RAW.flip = _flip


@composite("flip(Tensor input, int[] dims) -> Tensor", one_list=True)
def flip(input: Tensor, *dims: Any, **options: Any) -> Tensor:
    """The order of the elements along dims reversed. A copy.

    Shapes: input's.
    ~same-dtype

    >>> torch.flip(torch.tensor([[1, 2], [3, 4]]), (0,))
    tensor([[3, 4],
            [1, 2]])
    """
    if options or not dims:
        explain("flip", dims, options, "Tensor")
        dims = (options.pop("dims"),)
    return _FLIP.call(input, shape_arg(dims))


@composite("fliplr(Tensor input) -> Tensor")
def fliplr(input: Tensor) -> Tensor:
    """The order of the columns reversed. A copy.

    Shapes: input's; two dimensions at least.
    ~same-dtype

    >>> torch.fliplr(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]])
    """
    if input._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return _FLIP.call(input, (1,))


@composite("flipud(Tensor input) -> Tensor")
def flipud(input: Tensor) -> Tensor:
    """The order of the rows reversed. A copy.

    Shapes: input's; one dimension at least.
    ~same-dtype

    >>> torch.flipud(torch.tensor([[1, 2], [3, 4]]))
    tensor([[3, 4],
            [1, 2]])
    """
    if input._array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return _FLIP.call(input, (0,))


def _reversed(self: Tensor) -> Tensor:
    return _FLIP.call(self, (0,)) if self._array.ndim else self


Tensor.__reversed__ = _reversed


@op(
    "rot90(Tensor input, int k=1, int[] dims={0,1}) -> Tensor",
    vjp={"input": lambda F, grad, k, dims: F.rot90(grad, -k, dims)},
    inner_writes=1,
)
def rot90(input: Any, k: int = 1, dims: tuple[int, ...] = (0, 1)) -> np.ndarray:
    """Rotated by 90 degrees k times, in the plane of two dims.

    Shapes: input's, with the two sizes exchanged for odd k.
    ~same-dtype

    >>> torch.rot90(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    n = input.ndim
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if n < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {n}")
    a, b = (wrap_dim(d, n) for d in dims)
    if dims[0] == dims[1] or abs(dims[0] - dims[1]) == n:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    k %= 4
    if k == 0:
        return np.array(input, order="C")
    if k == 2:
        return _flip(input, (a, b))
    turned = placed(_flip(input, (b if k == 1 else a,))).swapaxes(a, b)
    if not input.size:
        return turned
    r = np.ndarray(turned.shape, turned.dtype, strides=turned.strides)  # no view
    r[...] = turned
    return r
