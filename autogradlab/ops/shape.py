"""Views: other shapes and strides over the same memory."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..dims import shape_arg, wrap_dim, wrap_dims
from ..opdef import OPS, Op, composite, op, publish
from ..record import RAW, TENSORS
from ..tensor import Size, Tensor


def infer_size(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    """The sizes with a -1 worked out; PyTorch's errors if they do not hold `count` elements."""
    known = 1
    unknown = None
    for i, n in enumerate(shape):
        if n == -1:
            if unknown is not None:
                raise RuntimeError("only one dimension can be inferred")
            unknown = i
        elif n < 0:
            raise RuntimeError(f"invalid shape dimension {n} at index {i} of shape {list(shape)}")
        else:
            known *= n
    if unknown is None:
        if known == count:
            return shape
    elif known and count % known == 0:
        return (*shape[:unknown], count // known, *shape[unknown + 1 :])
    elif not known and not count:
        raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
                           "dimension size -1 can be any value and is ambiguous")  # fmt: skip
    raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")


def _view(input, size):  # type: ignore[no-untyped-def]
    if -1 in size or not input.size:
        size = infer_size(size, input.size)
    try:
        r = input.reshape(size) if input.flags.c_contiguous else input.reshape(size, copy=False)
    except ValueError:
        infer_size(size, input.size)
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        ) from None
    return r


_VIEW = OPS["view"] = Op("view", _view, view=True, vjp={"input": lambda F, grad, input_shape: F.reshape(grad, input_shape)})
_UNSAFE_VIEW = OPS["_unsafe_view"] = Op("_unsafe_view", _view, node="UnsafeViewBackward0",
                                        vjp={"input": lambda F, grad, input_shape: F.reshape(grad, input_shape)})  # fmt: skip
RAW._unsafe_view = _view


def _shaped(name: str, entry: Op) -> Any:
    call = entry.call

    def forward(input: Tensor, *size: Any, **options: Any) -> Tensor:
        if options or not size:
            return _odd_view(name, input, size, options)
        first = size[0]
        if type(first) is not int:
            if isinstance(first, (tuple, list)) and len(size) == 1:
                size = tuple(first)
            elif not isinstance(first, (int, Tensor, np.integer)):
                return _odd_view(name, input, size, options)
            size = shape_arg(size)
        return call(input, size)  # type: ignore[no-any-return]

    return forward


def _odd_view(name: str, input: Tensor, size: Any, options: dict[str, Any]) -> Tensor:
    """view(dtype), view(size=...), reshape(shape=...)."""
    from ..dtypes import dtype

    given = size[0] if size else options.get("dtype", options.get("size", options.get("shape")))
    if name == "view" and isinstance(given, dtype):
        return TENSORS.view_as_dtype(input, given)  # type: ignore[no-any-return]
    if given is None or not isinstance(given, (tuple, list, int, Tensor, np.integer)):
        from ..arguments import reject

        reject(name, (input, *size), options)
    return TENSORS.__dict__[name](input, shape_arg(given if isinstance(given, (tuple, list)) else (given,)))  # type: ignore[no-any-return]


publish("view", _shaped("view", _VIEW), None, True, False, "Another shape over the same memory; -1 is worked out.")
publish("_unsafe_view", _shaped("_unsafe_view", _UNSAFE_VIEW), None, False, False, "")
RAW.view = RAW.reshape = lambda x, *size: x.reshape(shape_arg(size))


@composite()
def reshape(input: Tensor, *shape: Any) -> Tensor:
    """Another shape: a view where strides allow it, else a copy.

    >>> import autogradlab as torch
    >>> torch.arange(6).reshape(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    size = infer_size(shape_arg(shape), input._array.size)
    x = input._array
    if x.flags.c_contiguous or np.shares_memory(x, x.reshape(size), max_work=1) if x.size else True:
        return _VIEW.call(input, size)  # type: ignore[no-any-return]
    return _UNSAFE_VIEW.call(TENSORS.clone(input, memory_format="contiguous"), size)  # type: ignore[no-any-return]


@op("t", view=True, vjp={"input": lambda F, grad: F.t(grad)})
def t(input):  # type: ignore[no-untyped-def]
    """The transpose of a matrix, as a view."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return input.T


@op("transpose", view=True, vjp={"input": lambda F, grad, dim0, dim1: F.transpose(grad, dim0, dim1)})
def transpose(input, dim0, dim1):  # type: ignore[no-untyped-def]
    """A view with two dimensions exchanged."""
    d0, d1 = wrap_dim(dim0, input.ndim), wrap_dim(dim1, input.ndim)
    return input.swapaxes(d0, d1) if input.ndim else input[...]


def _permute(input, dims):  # type: ignore[no-untyped-def]
    if len(dims) != input.ndim:
        raise RuntimeError(
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(dims)}"
        )
    wrapped = [wrap_dim(d, input.ndim) for d in dims]
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return input.transpose(wrapped)


def _inverse(dims: tuple[int, ...]) -> tuple[int, ...]:
    n = len(dims)
    found = [0] * n
    for i, d in enumerate(dims):
        found[d % n] = i
    return tuple(found)


_PERMUTE = OPS["permute"] = Op("permute", _permute, view=True, vjp={"input": lambda F, grad, dims: F.permute(grad, _inverse(dims))})


def _permute_forward(input: Tensor, *dims: Any, **options: Any) -> Tensor:
    given = shape_arg(dims or (options["dims"],))
    return _PERMUTE.call(input, given)  # type: ignore[no-any-return]


RAW.permute = _permute
publish("permute", _permute_forward, None, True, True, "A view with the dimensions in another order.")


def _dims_at(names: Any) -> Any:
    def getter(self: Tensor) -> Tensor:
        return names(self)  # type: ignore[no-any-return]

    return property(getter)


def _squeeze_all(input):  # type: ignore[no-untyped-def]
    return input.reshape([n for n in input.shape if n != 1], copy=False)


def _squeeze_dim(input, dim):  # type: ignore[no-untyped-def]
    d = wrap_dim(dim, input.ndim)
    return input.squeeze(d) if input.ndim and input.shape[d] == 1 else input[...]


def _squeeze_dims(input, dim):  # type: ignore[no-untyped-def]
    dims = wrap_dims(dim, input.ndim) if input.ndim else ()
    return input.squeeze(tuple(d for d in dims if input.shape[d] == 1))


_SQUEEZES = [
    Op("squeeze", kernel, view=True, node=f"SqueezeBackward{i}",
       vjp={"input": lambda F, grad, input_shape: F.reshape(grad, input_shape)})
    for i, kernel in enumerate((_squeeze_all, _squeeze_dim, _squeeze_dims))
]  # fmt: skip


def _squeeze(input: Tensor, dim: Any = None) -> Tensor:
    if dim is None:
        return _SQUEEZES[0].call(input)  # type: ignore[no-any-return]
    return _SQUEEZES[2 if isinstance(dim, (tuple, list)) else 1].call(input, dim)  # type: ignore[no-any-return]


OPS["squeeze"] = _SQUEEZES[0]
RAW.squeeze = lambda x, dim=None: _squeeze_all(x) if dim is None else _squeeze_dims(x, dim if isinstance(dim, tuple) else (dim,))
publish("squeeze", _squeeze, None, True, True, "A view without the dimensions of size 1, or without `dim` if its size is 1.")


@op("unsqueeze", view=True, vjp={"input": lambda F, grad, dim: F.squeeze(grad, dim)})
def unsqueeze(input, dim):  # type: ignore[no-untyped-def]
    """A view with a dimension of size 1 put in at `dim`."""
    d = wrap_dim(operator.index(dim), input.ndim + 1)
    shape, strides = input.shape, input.strides
    step = shape[d] * strides[d] if d < input.ndim else input.itemsize
    return np.lib.stride_tricks.as_strided(input, (*shape[:d], 1, *shape[d:]), (*strides[:d], step, *strides[d:])) if not (
        input.flags.c_contiguous) else input.reshape((*shape[:d], 1, *shape[d:]))  # fmt: skip


def expanded(shape: tuple[int, ...], size: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes that expand() gives, -1 meaning the old size; PyTorch's errors."""
    lead = len(size) - len(shape)
    result = []
    for i, n in enumerate(size):
        old = shape[i - lead] if i >= lead else None
        if n == -1:
            if old is None:
                raise RuntimeError(f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing "
                                   f"dimension {i}")  # fmt: skip
            n = old
        elif old not in (None, 1, n):
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({old}) at non-singleton dimension "
                f"{i}.  Target sizes: {list(size)}.  Tensor sizes: {list(shape)}"
            )
        result.append(n)
    return tuple(result)


def _expand(input, size):  # type: ignore[no-untyped-def]
    if len(size) < input.ndim:
        from ..conversion import type_name

        raise RuntimeError(
            f"expand({type_name(input.dtype)}{{{list(input.shape)}}}, size={list(size)}): the number of sizes provided "
            f"({len(size)}) must be greater or equal to the number of dimensions in the tensor ({input.ndim})"
        )
    shape = expanded(input.shape, size)
    if shape == input.shape:
        return input[...]
    lead = len(shape) - input.ndim
    strides = [0] * lead + [0 if n != m else s for n, m, s in zip(shape[lead:], input.shape, input.strides, strict=True)]
    return strided(input, shape, tuple(strides))


def strided(x: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray:
    """A writeable view of `x` with other strides, from its first element."""
    return np.lib.stride_tricks.as_strided(x, shape, strides)


_EXPAND = OPS["expand"] = Op("expand", _expand, view=True,
                             vjp={"input": lambda F, grad, input_shape: F.sum_to_size(grad, input_shape)})  # fmt: skip


def _expand_forward(input: Tensor, *size: Any, implicit: bool = False) -> Tensor:
    return _EXPAND.call(input, shape_arg(size))  # type: ignore[no-any-return]


def _raw_expand(x: Any, *size: Any) -> Any:
    return np.broadcast_to(x, shape_arg(size))


RAW.expand = _raw_expand
publish("expand", _expand_forward, None, True, False, "A view that repeats dimensions of size 1 without memory.")


@composite(function=False)
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """expand to the shape of another tensor."""
    return TENSORS.expand(input, other.shape)  # type: ignore[no-any-return]


@composite(function=False)
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """view with the shape of another tensor."""
    return TENSORS.view(input, other.shape)  # type: ignore[no-any-return]


@composite(function=False)
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """reshape to the shape of another tensor."""
    return reshape(input, other.shape)


@composite(function=False)
def sum_to_size(input: Tensor, *size: Any) -> Tensor:
    """Sum over the dimensions along which `size` would be broadcast to this shape."""
    from ..validate import expandable, reduce_to

    shape = shape_arg(size)
    if not expandable(shape, tuple(input._array.shape)):
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(input.shape)}}}.")
    if shape == input._array.shape:
        return input
    result: Tensor = reduce_to(input, shape)
    return result


def _raw_sum_to_size(x: Any, *size: Any) -> Any:
    from ..validate import reduce_to

    return reduce_to(x, shape_arg(size))


RAW.sum_to_size = _raw_sum_to_size


@composite()
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from start_dim to end_dim made one: a view where strides allow it.

    >>> import autogradlab as torch
    >>> torch.zeros(2, 3, 4).flatten(1).shape
    torch.Size([2, 12])
    """
    ndim = input._array.ndim
    first, last = wrap_dim(start_dim, ndim), wrap_dim(end_dim, ndim)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if ndim == 0:
        return reshape(input, (1,))
    if first == last:
        return input
    shape = input._array.shape
    count = 1
    for n in shape[first : last + 1]:
        count *= n
    return reshape(input, (*shape[:first], count, *shape[last + 1 :]))


def _size(self: Tensor, dim: Any = None) -> Any:
    if dim is None:
        return Size(self._array.shape)
    return self._array.shape[wrap_dim(dim, self._array.ndim, scalar_ok=False)]


publish("size", _size, None, True, False, "The shape, or the size of one dimension.")
