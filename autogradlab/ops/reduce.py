"""Reductions: kernels take `dim` as PyTorch does (a number, a tuple, None) and give their derivatives beside them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dims import all_dims, wrap_dim
from ..dtypes import dtype as Dtype
from ..dtypes import from_numpy
from ..opdef import OPS, Op, op, publish
from ..record import RAW, TENSORS

_SCALAR_NAMES = {"bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long"}


def spread(F, grad, shape, dim, keepdim):  # type: ignore[no-untyped-def]
    """The gradient of a reduction laid over the reduced dimensions again, as a view."""
    if not keepdim and len(shape):
        dims = all_dims(dim, len(shape))
        grad = F.reshape(grad, tuple(1 if i in dims else n for i, n in enumerate(shape)))
    return F.expand(grad, shape)


def two_forms(name: str, whole: Any, part: Any, vjp_whole: Any, vjp_part: Any, doc: str, method: bool = True) -> None:
    """An operation that reduces everything (`…Backward0`) or along dimensions (`…Backward1`)."""
    camel = name.capitalize()
    first = Op(name, whole, vjp={"input": vjp_whole}, node=camel + "Backward0", doc=doc)
    second = Op(name, part, vjp={"input": vjp_part}, node=camel + "Backward1", doc=doc)
    OPS[name] = first
    OPS[name + ".dim"] = second
    call_whole, call_part = first.call, second.call

    def forward(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and "dim" not in kwargs and "axis" not in kwargs:
            return call_whole(*args, **kwargs)
        return call_part(*args, **kwargs)

    setattr(RAW, name, part)
    publish(name, forward, part, method, True, doc)


def summed(x, dims, keepdim, dtype):  # type: ignore[no-untyped-def]
    numpy = dtype.numpy if dtype is not None else np.dtype(np.int64) if x.dtype.kind in "biu" else x.dtype
    if x.dtype.itemsize == 2 and x.dtype.kind in "fV" and numpy is x.dtype:  # half types are summed in float32
        return np.add.reduce(x, axis=dims, dtype=np.float32, keepdims=keepdim).astype(numpy)
    return np.add.reduce(x, axis=dims, dtype=numpy, keepdims=keepdim)


def _sum_all(input, *, dtype=None):  # type: ignore[no-untyped-def]
    return summed(input, None, False, dtype)


def _sum(input, dim=None, keepdim=False, *, dtype=None):  # type: ignore[no-untyped-def]
    if isinstance(dim, int) and -input.ndim <= dim < input.ndim:
        return summed(input, dim, keepdim, dtype)
    return summed(input, all_dims(dim, input.ndim), keepdim, dtype)


two_forms("sum", _sum_all, _sum,
          lambda F, grad, input_shape: F.expand(grad, input_shape),
          lambda F, grad, input_shape, dim, keepdim: F.spread(grad, input_shape, dim, keepdim),
          "The sum of all elements, or along `dim`.")  # fmt: skip


def _mean_type(x, dtype):  # type: ignore[no-untyped-def]
    found = dtype or from_numpy(x.dtype)
    if not (found.is_floating_point or found.is_complex):
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Optional' if dtype else 'Input'} dtype must be either a floating "
            f"point or complex dtype. Got: {_SCALAR_NAMES.get(found.name, found.name)}"
        )
    return found


def _mean_all(input, *, dtype=None):  # type: ignore[no-untyped-def]
    kind = _mean_type(input, dtype)
    return np.asarray(summed(input, None, False, kind) / max(input.size, 0) if input.size else np.nan, kind.numpy)


def _mean(input, dim=None, keepdim=False, *, dtype=None):  # type: ignore[no-untyped-def]
    kind = _mean_type(input, dtype)
    dims = all_dims(dim, input.ndim)
    count = 1
    for d in dims:
        count *= input.shape[d]
    return np.asarray(np.true_divide(summed(input, dims, keepdim, kind), count), kind.numpy)


def _count(shape: tuple[int, ...], dim: Any) -> int:
    count = 1
    for d in all_dims(dim, len(shape)):
        count *= shape[d]
    return count


two_forms("mean", _mean_all, _mean,
          lambda F, grad, input_shape: F.expand(grad, input_shape) / max(_count(input_shape, None), 1),
          lambda F, grad, input_shape, dim, keepdim:
              F.spread(grad, input_shape, dim, keepdim) / max(_count(input_shape, dim), 1),
          "The mean of all elements, or along `dim`.")  # fmt: skip

RAW.spread = lambda *args: spread(RAW, *args)
TENSORS.spread = lambda *args: spread(TENSORS, *args)


# -- extremes --------------------------------------------------------------------------------------------------------------


def _some(name: str, x: np.ndarray) -> None:
    if not x.size:
        raise RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                           "reduction dim with the 'dim' argument.")  # fmt: skip


def _share(F, grad, input, result):  # type: ignore[no-untyped-def]
    """The gradient of an extreme over everything: shared evenly by the elements that attain it."""
    hit = input == result
    return hit * (grad / F.sum(hit))


RAW.share_evenly = lambda *args: _share(RAW, *args)
TENSORS.share_evenly = lambda *args: _share(TENSORS, *args)


@op("max_all", node="MaxBackward1", method=False, function=False,
    vjp={"input": lambda F, grad, input, result: F.share_evenly(grad, input, result)})  # fmt: skip
def max_all(input):  # type: ignore[no-untyped-def]
    _some("max", input)
    return np.max(input)


@op("min_all", node="MinBackward1", method=False, function=False,
    vjp={"input": lambda F, grad, input, result: F.share_evenly(grad, input, result)})  # fmt: skip
def min_all(input):  # type: ignore[no-untyped-def]
    _some("min", input)
    return np.min(input)


def first_index(input, dim, keepdim, find):  # type: ignore[no-untyped-def]
    """Indices of extremes along a dimension; NumPy, too, takes the first and lets NaN win."""
    if input.ndim == 0:
        wrap_dim(dim, 0)
        return np.zeros((), np.int64)
    return find(input, axis=wrap_dim(dim, input.ndim), keepdims=keepdim)


def _index_reduce(name: str, find: Any) -> Any:
    def kernel(input, dim=None, keepdim=False):  # type: ignore[no-untyped-def]
        if dim is None:
            if not input.size:
                raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify "
                                 "the reduction dim with the 'dim' argument.")  # fmt: skip
            found = find(input)
            return np.full((1,) * input.ndim, found) if keepdim else found
        return first_index(input, dim, keepdim, find)

    kernel.__name__ = name
    return kernel


op("argmax")(_index_reduce("argmax", np.argmax))
op("argmin")(_index_reduce("argmin", np.argmin))


@op("any")
def any(input, dim=None, keepdim=False):  # type: ignore[no-untyped-def]
    """Whether any element is non-zero."""
    r = np.any(input, axis=all_dims(dim, input.ndim), keepdims=keepdim)
    return r.astype(np.uint8) if input.dtype == np.uint8 else r


@op("all")
def all(input, dim=None, keepdim=False):  # type: ignore[no-untyped-def]
    """Whether all elements are non-zero."""
    r = np.all(input, axis=all_dims(dim, input.ndim), keepdims=keepdim)
    return r.astype(np.uint8) if input.dtype == np.uint8 else r


_unused: Any = Dtype
