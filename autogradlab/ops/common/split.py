"""Taking tensors apart into views: unbind, split, chunk, tensor_split and their relatives."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...core.graph.node import NO_EDGE
from ...core.recording.record import RAW, TENSORS
from ...core.tensor.tensor import Tensor, gradient_edge
from ...core.types.dims import wrap_dim
from ..first.viewing import guard, view_of
from ..table.opdef import OPS, Op, composite, op, publish


def pieces(x: np.ndarray, d: int, sizes: Any) -> list[np.ndarray]:
    """Views of consecutive parts of dimension `d`."""
    lead = (slice(None),) * d
    found = []
    start = 0
    for n in sizes:
        found.append(x[(*lead, slice(start, start + n))])
        start += n
    return found


def _even(size: int, split_size: int) -> list[int]:
    count = max((size + split_size - 1) // split_size, 1) if split_size else 1
    return [split_size] * (count - 1) + [size - split_size * (count - 1)]


def _split(input, split_size, dim=0):  # type: ignore[no-untyped-def]
    if input.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if split_size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
    d = wrap_dim(dim, input.ndim)
    n = input.shape[d]
    if not split_size and n:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
    return pieces(input, d, _even(n, split_size))


def _split_with_sizes(input, split_sizes, dim=0):  # type: ignore[no-untyped-def]
    if input.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    d = wrap_dim(dim, input.ndim)
    sizes = list(split_sizes)
    if any(n < 0 for n in sizes):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={sizes}"
        )
    if sum(sizes) != input.shape[d]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {input.shape[d]} (input tensor's size at dimension "
            f"{dim}), but got split_sizes={sizes}"
        )
    return pieces(input, d, sizes)


def _joined(F: Any, grads: Any, shape: tuple[int, ...], dim: int, sizes: list[int]) -> Any:
    d = wrap_dim(dim, len(shape))
    like = next(g for g in grads if g is not None)
    return F.cat(
        [
            F.zeros_of(like, (*shape[:d], n, *shape[d + 1 :])) if g is None else g
            for g, n in zip(grads, sizes, strict=True)
        ],
        d,
    )


def _split_back(F, grads, input_shape, split_size, dim):  # type: ignore[no-untyped-def]
    return _joined(F, grads, input_shape, dim, _even(input_shape[dim % len(input_shape)], split_size))


def _sizes_back(F, grads, input_shape, split_sizes, dim):  # type: ignore[no-untyped-def]
    return _joined(F, grads, input_shape, dim, list(split_sizes))


_SPLIT = OPS["split"] = Op("split", _split, view=True, multi=True, vjp={"input": _split_back})
_SIZES = OPS["split_with_sizes"] = Op(
    "split_with_sizes", _split_with_sizes, view=True, multi=True, vjp={"input": _sizes_back}
)


@composite()
def split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts of the given sizes."""
    return _SIZES.call(input, tuple(map(operator.index, split_sizes)), dim)


def split(
    input: Tensor, split_size_or_sections: Any = None, dim: int = 0, *, split_size: Any = None
) -> tuple[Tensor, ...]:
    """Views of consecutive parts, each of one size (the last may be smaller) or of the sizes given.

    >>> import autogradlab as torch
    >>> torch.arange(5).split(2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    size = split_size if split_size_or_sections is None else split_size_or_sections
    if isinstance(size, (tuple, list)):
        return split_with_sizes(input, size, dim)
    size = operator.index(size)
    if (input._edge or gradient_edge(input)) is NO_EDGE:
        return tuple([view_of(input, r, _SPLIT, (), "multi_output") for r in _split(input._array, size, dim)])
    return _SPLIT.call(input, size, dim)


publish("split", split, None, True, True, split.__doc__ or "")


@op("unsafe_split", multi=True, vjp={"input": _split_back})
def unsafe_split(input, split_size, dim=0):  # type: ignore[no-untyped-def]
    """split() whose parts do not count as views of one tensor."""
    return _split(input, split_size, dim)


@op("unsafe_split_with_sizes", multi=True, vjp={"input": _sizes_back})
def unsafe_split_with_sizes(input, split_sizes, dim=0):  # type: ignore[no-untyped-def]
    """split_with_sizes() whose parts do not count as views of one tensor."""
    return _split_with_sizes(input, split_sizes, dim)


def _chunked(input: Tensor, chunks: int, dim: int, split_: Any, with_sizes: Any) -> Any:
    x = input._array
    if not x.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = x.shape[wrap_dim(dim, x.ndim)]
    size = (n + chunks - 1) // chunks
    if not size and not n:
        return with_sizes(input, [0] * chunks, dim)
    return split_(input, size, dim)


@composite()
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal size along a dimension; the last may be smaller.

    >>> import autogradlab as torch
    >>> torch.arange(5).chunk(2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    return _chunked(input, operator.index(chunks), dim, split, split_with_sizes)


@composite()
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """chunk() whose parts do not count as views of one tensor."""
    return _chunked(input, chunks, dim, TENSORS.unsafe_split, TENSORS.unsafe_split_with_sizes)


@composite()
def tensor_split(input: Tensor, indices_or_sections: Any = None, dim: int = 0, **names: Any) -> tuple[Tensor, ...]:
    """Views of a number of parts whose sizes differ by at most one, or of the parts between the given indices.

    >>> import autogradlab as torch
    >>> torch.arange(5).tensor_split((1, 3))
    (tensor([0]), tensor([1, 2]), tensor([3, 4]))
    """
    for name in ("indices", "sections", "tensor_indices_or_sections"):
        if name in names and indices_or_sections is None:
            indices_or_sections = names.pop(name)
    x = input._array
    if not x.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    d = wrap_dim(dim, x.ndim)
    n = x.shape[d]
    given = indices_or_sections
    if isinstance(given, Tensor):
        if given._array.dtype != np.int64:
            from ...core.types.dtypes import _scalar_name

            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
                f"{_scalar_name(given.dtype)}"
            )
        if given._array.ndim > 1:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional "
                f"tensor, but got a tensor with {given._array.ndim} dims"
            )
        given = given._array.tolist()
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


def _along(name: str, dim: int, least: int, doc: str) -> None:
    def part(input: Tensor, indices_or_sections: Any = None, **names: Any) -> tuple[Tensor, ...]:
        for word in ("indices", "sections"):
            if word in names and indices_or_sections is None:
                indices_or_sections = names.pop(word)
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
    composite(name=name)(part)


_along("hsplit", 1, 1, "tensor_split() along columns (or the only dimension).")
_along("vsplit", 0, 2, "tensor_split() along rows.")
_along("dsplit", 2, 3, "tensor_split() along the third dimension.")


def _unbind(input, dim=0):  # type: ignore[no-untyped-def]
    d = wrap_dim(dim, input.ndim, scalar_ok=False)
    if not d:
        return [input[i, ...] for i in range(input.shape[0])]
    lead = (slice(None),) * d
    return [input[(*lead, i, ...)] for i in range(input.shape[d])]


def _unbind_back(F, grads, input_shape, dim):  # type: ignore[no-untyped-def]
    d = dim % len(input_shape)
    part = (*input_shape[:d], *input_shape[d + 1 :])
    like = next(g for g in grads if g is not None)
    return F.stack([F.zeros_of(like, part) if g is None else g for g in grads], d)


_UNBIND = OPS["unbind"] = Op(
    "unbind", _unbind, view=True, multi=True, vjp={"input": _unbind_back}, shown={"input_shape": ""}
)


@composite()
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The views at each index of a dimension, as a tuple."""
    if (input._edge or gradient_edge(input)) is NO_EDGE:
        return tuple([view_of(input, r, _UNBIND, (), "multi_output") for r in _unbind(input._array, dim)])
    return _UNBIND.call(input, dim)


RAW.split, RAW.unbind, RAW.split_with_sizes = _split, _unbind, _split_with_sizes
guard("split split_with_sizes chunk tensor_split hsplit vsplit dsplit unbind unsafe_split unsafe_chunk")
