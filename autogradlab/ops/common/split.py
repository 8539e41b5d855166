"""Taking tensors apart into views: unbind, split, chunk, tensor_split and their relatives."""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.graph.node import NO_EDGE, sequence
from ...core.memory.rows import lanes_of, refuse_among, refuse_numbers
from ...core.memory.strided import placed, window
from ...core.memory.versions import UNSHARED
from ...core.recording.record import RAW, TENSORS
from ...core.runtime.modes import FLAGS
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import INFERENCE, Tensor, gradient_edge
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import scalar_name
from ..table.asking import whole
from ..table.calls import view_of
from ..table.families import method
from ..table.opdef import OPS, Op, composite, op
from ..table.publishing import inner

_new = object.__new__


def pieces(x: np.ndarray, d: int, sizes: Any) -> list[np.ndarray]:
    """Views of consecutive parts of dimension `d`."""
    lead = (slice(None),) * d
    found = []
    start = 0
    if x.size and 0 not in sizes:
        for n in sizes:
            found.append(x[(*lead, slice(start, start + n))])
            start += n
        return found
    x = placed(x)
    for n in sizes:
        if n and x.size:
            found.append(x[(*lead, slice(start, start + n))])
        else:
            found.append(window(x, (*x.shape[:d], n, *x.shape[d + 1 :]), x.strides, start * x.strides[d]))
        start += n
    return found


def _even(size: int, split_size: int) -> list[int]:
    more = (size - 1) // split_size if split_size and size else 0
    return [split_size] * more + [size - split_size * more]


def _split(input: np.ndarray, split_size: int, dim: int = 0) -> list[Any]:
    if input.ndim == 0:
        refuse_numbers(input)
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    d = wrap_dim(dim, input.ndim)
    n = input.shape[d]
    if not split_size and n:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
    return pieces(input, d, _even(n, split_size))


def _split_with_sizes(input: np.ndarray, split_sizes: Any, dim: int = 0) -> list[Any]:
    if input.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    d = wrap_dim(dim, input.ndim)
    sizes = list(split_sizes)
    if any(n < 0 for n in sizes):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={sizes}"
        )
    if sum(sizes) != input.shape[d]:
        lanes = lanes_of(input.shape)
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {input.shape[d]} (input tensor's size at "
            f"dimension {len(lanes) + d if lanes else dim}), but got split_sizes={sizes}"
        )
    return pieces(input, d, sizes)


def _joined(F: Any, grads: Any, shape: tuple[int, ...], dim: int, sizes: Callable[[int], Any]) -> Any:
    """The gradient of what was taken apart; sizes: gives those of the parts along the dimension, by its own."""
    d = dim if dim >= 0 else dim + len(shape)
    for g in grads:
        if g is None:
            break
    else:
        return F.cat([*grads], d)
    like = next(g for g in grads if g is not None)
    return F.cat(
        [
            F.zeros_of(like, (*shape[:d], n, *shape[d + 1 :])) if g is None else g
            for g, n in zip(grads, sizes(shape[d]), strict=True)
        ],
        d,
    )


def _split_back(F: Any, grads: list[Any], input_shape: tuple[int, ...], split_size: int, dim: int) -> Any:
    return _joined(F, grads, input_shape, dim, lambda n: _even(n, split_size))


def _sizes_back(F: Any, grads: list[Any], input_shape: tuple[int, ...], split_sizes: Any, dim: int) -> Any:
    return _joined(F, grads, input_shape, dim, lambda n: split_sizes)


_SPLIT = OPS["split"] = Op("split", _split, view=True, multi=True, vjp={"input": _split_back})
_SIZES = OPS["split_with_sizes"] = Op(
    "split_with_sizes", _split_with_sizes, view=True, multi=True, vjp={"input": _sizes_back}
)


@composite("split_with_sizes(Tensor input, SymInt[] split_sizes, int dim=0) -> Tensor[]")
def split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """The tensor in parts of given sizes along dim.

    Shapes: input's with the parts' sizes at dim; they add up to its size.
    ~view

    >>> torch.split_with_sizes(torch.arange(5), [2, 3])
    (tensor([0, 1]), tensor([2, 3, 4]))
    """
    return _SIZES.call(input, tuple(map(operator.index, split_sizes)), dim)


@composite(
    """
    split(Tensor input, SymInt split_size, int dim=0) -> Tensor[]|.Tensor
    split(Tensor input, SymInt[] split_size, int dim=0) -> Tensor[]|.sizes
    """,
    method=False,
    reads="itself",
)
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """
    sig: (tensor, split_size_or_sections, dim=0)
    The tensor in parts of one size (the last may be smaller), or of given sizes, along dim.

    Shapes: input's with the parts' sizes at dim.
    ~view

    >>> torch.split(torch.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    >>> torch.arange(5).split([1, 4])[1]
    tensor([1, 2, 3, 4])
    """
    return tensor.split(split_size_or_sections, dim)


def _asked_parts(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """split while a mode is to be asked."""
    entry, size = (_SPLIT, split_size) if isinstance(split_size, int) else (_SIZES, tuple(split_size))
    found: tuple[Tensor, ...] = entry.call(self, size, dim)
    return found


@method("split")
@instead(lambda call, args, kwargs: _asked_parts(*args, **kwargs))
def _parts(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    if isinstance(split_size, Tensor):
        with suppress(ValueError):
            split_size = int(split_size)
    if not isinstance(split_size, int):
        _sizes_fit(self, split_size, dim)
        return split_with_sizes(self, split_size, dim)
    _size_fits(self, split_size, dim)
    if (self._edge or gradient_edge(self)) is NO_EDGE:
        return tuple([view_of(self, r, _SPLIT, (), "multi_output") for r in _split(self._array, split_size, dim)])
    return _SPLIT.call(self, split_size, dim)


_size_fits, _sizes_fit = inner("split"), inner("split_with_sizes")


def _cuts(shape: tuple[int, ...], size: int, d: int) -> tuple[tuple[Any, ...], tuple[tuple[int, ...], ...]]:
    """The places of the parts of an array along a dimension, and their shapes."""
    n, lead, behind = shape[d], shape[:d], shape[d + 1 :]
    starts = range(0, n, size)
    places = tuple([(*(slice(None),) * d, slice(i, i + size)) for i in starts])
    return places, tuple([(*lead, min(size, n - i), *behind) for i in starts])


_known_cuts = lru_cache(256)(_cuts)
#: into so many parts an array is cut, at most, if where it is cut is kept
_FEW = 64


def _short_split(entry: Op, call: Callable[..., Any]) -> Callable[..., Any]:
    """unsafe_split of an array of floats along a dimension that it has, in half of the time."""

    def short_split(*args: Any, **options: Any) -> Any:
        if options or len(args) != 3 or FLAGS.unusual:
            return call(*args, **options)
        input, size, d = args
        if type(input) is not Tensor or type(size) is not int or type(d) is not int:
            return call(*args)
        x = input._array
        shape, kind = x.shape, x.dtype
        usual = type(x) is np.ndarray and kind.kind == "f" and x.size > 0 < size and 0 <= d < len(shape)
        if not usual or input._counter is INFERENCE:
            return call(*args)
        edge = input._edge or gradient_edge(input)
        places, shapes = (_known_cuts if shape[d] <= _FEW * size else _cuts)(shape, size, d)
        parts: list[Tensor] = []
        for place in places:
            r = x[place]
            # unrolled: t = wrap(r)
            t = _new(Tensor)
            t._array = r
            t._edge = NO_EDGE
            t._counter = UNSHARED
            t._grad = t._view = t._storage = t._meta = None
            # end
            parts.append(t)
        if edge is not NO_EDGE:
            made, saved = entry.new_node, (shape, size, d, None, None, None)
            # unrolled: node = start_node(made, (edge,), shapes, (kind,) * len(parts), saved)
            node = made()
            node._seq = sequence()
            node._edges = (edge,)
            node.hooks = None
            node.shape = shapes
            node.dtype = (kind,) * len(parts)
            node.saved = saved
            # end
            parts[0]._edge = node
            for nr in range(1, len(parts)):
                parts[nr]._edge = (node, nr)
        return tuple(parts)

    return short_split


@op(
    "unsafe_split(Tensor input, SymInt split_size, int dim=0) -> Tensor[]|.Tensor",
    multi=True,
    vjp={"input": _split_back},
    short=_short_split,
)
def unsafe_split(input: np.ndarray, split_size: int, dim: int = 0) -> list[Any]:
    """split, whose parts may be changed in place as long as the input is not used.

    Shapes: input's with the parts' sizes at dim.
    ~same-dtype

    >>> torch.unsafe_split(torch.arange(4), 2)
    (tensor([0, 1]), tensor([2, 3]))
    """
    return _split(input, split_size, dim)


@op(
    "unsafe_split_with_sizes(Tensor input, SymInt[] split_sizes, int dim=0) -> Tensor[]",
    multi=True,
    vjp={"input": _sizes_back},
)
def unsafe_split_with_sizes(input: np.ndarray, split_sizes: list[Any], dim: int = 0) -> list[Any]:
    """
    sig: (input, split_sizes, dim=0)
    split_with_sizes, whose parts may be changed in place as long as the input is not used.

    Shapes: input's with the parts' sizes at dim.
    ~same-dtype

    >>> torch.unsafe_split_with_sizes(torch.arange(4), [1, 3])
    (tensor([0]), tensor([1, 2, 3]))
    """
    return _split_with_sizes(input, split_sizes, dim)


def _chunked(input: Tensor, chunks: int, dim: int, split_: Any, with_sizes: Any) -> Any:
    x = input._array
    if not x.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = x.shape[dim if type(dim) is int and 0 <= dim < x.ndim else wrap_dim(dim, x.ndim)]
    size = (n + chunks - 1) // chunks
    if not size and not n:
        return with_sizes(input, [0] * chunks, dim)
    return split_(input, size, dim)


@composite("chunk(Tensor input, int chunks, int dim=0) -> Tensor[]|view")
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """The tensor in that many parts along dim, or fewer: their size is rounded up.

    Shapes: input's with the parts' sizes at dim.
    ~view

    >>> torch.chunk(torch.arange(5), 3)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    return _chunked(input, operator.index(chunks), dim, split, split_with_sizes)


@composite("unsafe_chunk(Tensor input, int chunks, int dim=0) -> Tensor[]")
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """chunk, whose parts may be changed in place as long as the input is not used.

    Shapes: input's with the parts' sizes at dim.
    ~same-dtype

    >>> torch.unsafe_chunk(torch.arange(4), 2)
    (tensor([0, 1]), tensor([2, 3]))
    """
    return _chunked(input, chunks, dim, TENSORS.unsafe_split, TENSORS.unsafe_split_with_sizes)


@composite(
    """
    tensor_split(Tensor input, SymInt[] indices, int dim=0) -> Tensor[]|.indices|view
    tensor_split(Tensor input, Tensor tensor_indices_or_sections,
        int dim=0) -> Tensor[]|.tensor_indices_or_sections|view
    tensor_split(Tensor input, SymInt sections, int dim=0) -> Tensor[]|.sections|view
    """,
)
def tensor_split(input: Tensor, indices_or_sections: Any = None, dim: int = 0, **names: Any) -> tuple[Tensor, ...]:
    """The tensor in exactly that many parts along dim, or split at given indices.

    Shapes: input's with the parts' sizes at dim.
    ~view

    >>> torch.tensor_split(torch.arange(5), 3)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    >>> torch.tensor_split(torch.arange(5), (1, 3))
    (tensor([0]), tensor([1, 2]), tensor([3, 4]))
    """
    for name in ("indices", "sections", "tensor_indices_or_sections"):
        if name in names and indices_or_sections is None:
            indices_or_sections = names.pop(name)
    x = input._array
    if not x.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    given = indices_or_sections
    if isinstance(given, Tensor):
        refuse_among("tensor_split.tensor_indices_or_sections", (input, given))
        if given._array.dtype != np.int64:
            raise RuntimeError(
                f"tensor_split expected tensor_indices_or_sections to have dtype of long, but got {scalar_name(given)}"
            )
        if given._array.ndim > 1:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional "
                f"tensor, but got a tensor with {given._array.ndim} dims"
            )
        given = given._array.tolist()
    d = wrap_dim(dim, x.ndim)
    n = x.shape[d]
    if isinstance(given, (tuple, list)):
        ends = [*map(operator.index, given), n]
        starts = [0, *ends[:-1]]
        return tuple(TENSORS.slice(input, d, a, b, 1) for a, b in zip(starts, ends, strict=True))
    sections = operator.index(given)
    if sections <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
    least, more = divmod(n, sections)
    parts = []
    start = 0
    for i in range(sections):
        end = start + least + (i < more)
        parts.append(TENSORS.slice(input, d, start, end, 1))
        start = end
    return tuple(parts)


def _along(declaration: str, dim: int, least: int, doc: str) -> None:
    name = declare(declaration, doc)

    def part(input: Tensor, *given: Any, **names: Any) -> tuple[Tensor, ...]:
        (indices_or_sections,) = names.values() if names else given if len(given) == 1 else (given,)
        x = input._array
        if x.ndim < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with "
                f"{x.ndim} dimensions!"
            )
        d = 0 if x.ndim == 1 else dim
        if not isinstance(indices_or_sections, (tuple, list)):
            sections = operator.index(indices_or_sections)
            if not sections or x.shape[d] % sections:
                raise RuntimeError(
                    f"torch.{name} attempted to split along dimension {d}, but the size of the dimension "
                    f"{x.shape[d]} is not divisible by the split_size {sections}!"
                )
        return tensor_split(input, indices_or_sections, d)

    part.__doc__ = doc
    composite(name)(part)


_along(
    """
    hsplit(Tensor input, int sections) -> Tensor[]|.int|view
    hsplit(Tensor input, int[] indices) -> Tensor[]|.array|view
    """,
    1,
    1,
    """
    tensor_split along dimension 1, of vectors along 0.
    main: 1

    Shapes: input's with the parts' sizes at that dimension.
    ~view

    >>> torch.hsplit(torch.arange(4), 2)
    (tensor([0, 1]), tensor([2, 3]))
    """,
)
_along(
    """
    vsplit(Tensor input, int sections) -> Tensor[]|.int|view
    vsplit(Tensor input, int[] indices) -> Tensor[]|.array|view
    """,
    0,
    2,
    """
    tensor_split along dimension 0.

    Shapes: input's with the parts' sizes at dimension 0; two dimensions at least.
    ~view

    >>> torch.vsplit(torch.arange(4).reshape(2, 2), 2)
    (tensor([[0, 1]]), tensor([[2, 3]]))
    """,
)
_along(
    """
    dsplit(Tensor input, int sections) -> Tensor[]|.int|view
    dsplit(Tensor input, int[] indices) -> Tensor[]|.array|view
    """,
    2,
    3,
    """
    tensor_split along dimension 2.

    Shapes: input's with the parts' sizes at dimension 2; three dimensions at least.
    ~view

    >>> [part.shape for part in torch.dsplit(torch.zeros(2, 2, 4), 2)]
    [torch.Size([2, 2, 2]), torch.Size([2, 2, 2])]
    """,
)


def _unbind(input: np.ndarray, dim: int = 0) -> list[Any]:
    d = wrap_dim(dim, input.ndim)
    if not input.ndim:
        refuse_numbers(input)
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    input = placed(input)
    if not d:
        return [input[i, ...] for i in range(input.shape[0])]
    lead: tuple[Any, ...] = (slice(None),) * d
    return [input[(*lead, i, ...)] for i in range(input.shape[d])]


def _unbind_back(F: Any, grads: list[Any], input_shape: tuple[int, ...], dim: int) -> Any:
    d = dim % len(input_shape)
    part = (*input_shape[:d], *input_shape[d + 1 :])
    like = next(g for g in grads if g is not None)
    return F.stack([F.zeros_of(like, part) if g is None else g for g in grads], d)


_UNBIND = OPS["unbind"] = Op(
    "unbind", _unbind, view=True, multi=True, vjp={"input": _unbind_back}, shown={"input_shape": ""}
)


@composite("unbind(Tensor input, int dim=0) -> Tensor[]|.int")
@instead(whole(_UNBIND))
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along dim, without that dimension.

    Shapes: input's without dim, one for each slice.
    ~view

    >>> torch.unbind(torch.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4]))
    """
    if (input._edge or gradient_edge(input)) is NO_EDGE:
        return tuple([view_of(input, r, _UNBIND, (), "multi_output") for r in _unbind(input._array, dim)])
    return _UNBIND.call(input, dim)


RAW.split, RAW.unbind, RAW.split_with_sizes = _split, _unbind, _split_with_sizes
