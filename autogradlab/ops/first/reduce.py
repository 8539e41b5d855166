"""Sums, means, products, any and all: kernels take `dim` as PyTorch does (a number, a tuple, None)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.memory.adding import added, total
from ...core.memory.casting import real_with_warning
from ...core.memory.layout import contiguous
from ...core.memory.rows import all_rows
from ...core.memory.together import along
from ...core.recording.record import RAW, TENSORS, says
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor
from ...core.types.dims import all_dims, wrap_dim
from ...core.types.dtypes import from_numpy, get_default_dtype, scalar_name, unsupported
from ...core.values.promotion import check_cast
from ..table.calls import ByOut
from ..table.opdef import OPS, Op, composite, op
from ..table.outputs import Out, same_dtype
from ..table.overloads import Arguments, Called, Overload
from .kinds import UNSIGNED, is_half, on_both_backends, refuse

F = TENSORS


@on_both_backends
def spread(F: Any, grad: Any, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Any:
    """The gradient of a reduction laid over the reduced dimensions again, as a view."""
    if not keepdim and len(shape) and dim not in (None, ()):
        for d in _places(dim, len(shape)):
            grad = F.unsqueeze(grad, d)
    return F.expand(grad, shape)


@on_both_backends
def restored(F: Any, grad: Any, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Any:
    """The gradient of a reduction with the reduced dimensions as sizes 1; of everything, it broadcasts as it is."""
    if not keepdim and dim is not None and len(shape):
        for d in _places(dim, len(shape)):
            grad = F.unsqueeze(grad, d)
    return grad


def _places(dim: Any, ndim: int) -> Any:
    """The dimensions that a reduction has taken away, in their order; one alone as it was named."""
    if ndim and type(dim) is tuple and len(dim) == 1:
        return dim
    return (dim,) if ndim and type(dim) is int else sorted(all_dims(dim, ndim))


def _along(entry: Op) -> Overload:
    """The overload of sum, mean and prod that reduces along dimensions."""
    return Overload(entry, counts=(2, 3), keywords=frozenset(("dim", "axis", "keepdim")))


def _dims(dim: Any, ndim: int) -> Any:
    if type(dim) is int and -ndim <= dim < ndim:
        return dim
    if type(dim) is bool:
        raise TypeError("dim must be an int or a tuple of ints")  # told in PyTorch's words by Op.refused
    return all_dims(dim, ndim)


def wide(x: np.ndarray, dtype: Any) -> Any:
    """The dtype in which a sum is made, and that of its result: half types are summed in float32, integers in int64."""
    numpy = dtype.numpy if dtype is not None else np.dtype(np.int64) if x.dtype.kind in "biu" else x.dtype
    return (np.dtype(np.float32) if numpy.itemsize == 2 and numpy.kind in "fV" else numpy), numpy


def _sums(x: Any, dims: Any, keepdim: Any, made: Any) -> Any:
    """The sums along dimensions (None: all), made in a dtype; NumPy refuses a keepdim that is no bool."""
    if dims is None and keepdim is False:
        return total(x, made)
    if dims is None or x.dtype is not made or type(keepdim) is not bool:
        return np.add.reduce(x, axis=dims, dtype=made, keepdims=keepdim)
    return added(x, dims, keepdim)


#: the dtypes in which sums of their numbers are made
_SUMMED = frozenset(map(np.dtype, (np.float32, np.float64)))
_BOOL = np.dtype(np.bool_)


def refuse_asked(x: Any, dtype: Any, name: str) -> None:
    """PyTorch's error where `dtype=` asks for unsigned integers for which it has no kernel `name`."""
    if dtype is not None and x.size:
        refuse(np.empty(0, dtype.numpy), name, UNSIGNED)


def summed(x: Any, dims: Any, keepdim: bool, dtype: Any) -> Any:
    """The sums along dimensions, added up in a dtype that is wide enough, given in the dtype that is asked for."""
    if dtype is None and x.dtype in _SUMMED:  # the usual case
        r = _sums(x, dims, keepdim, x.dtype)
        return contiguous(r) if r.ndim > 1 else r
    refuse_asked(x, dtype, "sum_cpu")
    made, numpy = wide(x, dtype)
    x = real_with_warning(x, numpy)
    if x.dtype.kind == "b" and made.kind in "iu" or x.dtype.kind in "fV" and made.kind in "biu":
        x = x.astype(numpy)
    r = _sums(x, dims, keepdim, made)
    if r.ndim > 1:
        r = contiguous(r)
    return r if made is numpy else np.asarray(r).astype(numpy)


def _sum(input: Any, dim: Any, keepdim: bool = False, dtype: Any = None) -> Any:
    return summed(input, _dims(dim, input.ndim), keepdim, dtype)


OPS["sum.dim"] = Op(
    "sum",
    _sum,
    node="SumBackward1",
    vjp={"input": lambda F, grad, input_shape, dim, keepdim: F.spread(grad, input_shape, dim, keepdim)},
    dim_list=True,
    inner_writes=1,
    reads="itself",
)


def _of_rows(entry: Op) -> Callable[[Any, Any], Any]:
    """The reduction along all dimensions, for which vmap has a rule; of what has none, along one of size 1."""

    def reduced(input: Any, dtype: Any = None) -> Any:
        x = TENSORS.unsqueeze(input, 0) if input.ndim == 0 else input
        return entry.call(x, tuple(range(x.ndim)), False, dtype=dtype)

    return reduced


@op(
    """
    sum(Tensor input, *, ScalarType? dtype=None) -> Tensor
    sum(Tensor input, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None,
        Tensor out=None) -> Tensor|.dim_IntList|.IntList_out
    """,
    vjp={"input": lambda F, grad, input_shape: F.expand(grad, input_shape)},
    counts=(1,),
    overloads=[_along(OPS["sum.dim"])],
    out=Out(computes=True, starts=0),
    reads="itself",
    inner_writes=1,
    mapped=_of_rows(OPS["sum.dim"]),
)
def sum_all(input: np.ndarray, *, dtype: Any = None) -> Any:
    """
    The sum of all elements, or along dim.
    main: 2

    ~dims
    ~sum

    >>> x = torch.tensor([[1., 2.], [3., 4.]])
    >>> x.sum()
    tensor(10.)
    >>> x.sum(dim=0)
    tensor([4., 6.])
    >>> x.sum(1, keepdim=True)
    tensor([[3.],
            [7.]])
    """
    if dtype is None and (made := input.dtype) in _SUMMED:  # the usual case
        return total(input, made)
    if dtype is None and made is _BOOL and type(input) is np.ndarray:
        return np.array(np.count_nonzero(input), np.int64)
    return summed(input, None, False, dtype)


RAW.sum = lambda input, dim=None, keepdim=False, dtype=None: _sum(input, dim, keepdim, dtype)


def count_of(shape: tuple[int, ...], dim: Any) -> int:
    """How many elements are reduced to one."""
    if dim is None:
        return math.prod(shape)
    count = 1
    for d in all_dims(dim, len(shape)):
        count *= shape[d]
    return count


def _mean_type(x: Any, dtype: Any) -> Any:
    if x.dtype.kind in "fcV" and dtype is None:
        return None
    found = dtype or from_numpy(x.dtype)
    if not (found.is_floating_point or found.is_complex):
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Optional' if dtype else 'Input'} dtype must be either a floating "
            f"point or complex dtype. Got: {scalar_name(found)}"
        )
    return found


def _mean_into(input: Tensor, out: Tensor, given: Any) -> None:
    """The checks of out=."""
    _mean_type(input._array, given)
    if given is not None:
        same_dtype(wanted=given)(out, (out,))
    check_cast(get_default_dtype().numpy, out._array.dtype)  # the sum is divided in place


def _averaged(x: Any, dims: Any, keepdim: bool, dtype: Any, count: int) -> np.ndarray:
    if count and dtype is None and x.dtype in _SUMMED:  # the usual case
        sums = _sums(x, dims, keepdim, x.dtype)
        return np.asarray((contiguous(sums) if sums.ndim > 1 else sums) / count)
    dtype = _mean_type(x, dtype)
    made, numpy = wide(x, dtype)
    x = real_with_warning(x, numpy)
    sums = _sums(x, dims, keepdim, made)
    if sums.ndim > 1:
        sums = contiguous(sums)
    r = np.asarray(sums / count if count else sums / sums.dtype.type(0))
    return r if r.dtype is numpy else r.astype(numpy)


def _mean(input: Any, dim: Any, keepdim: bool = False, dtype: Any = None) -> np.ndarray:
    try:
        dims = _dims(dim, input.ndim)
    except (IndexError, RuntimeError):
        _mean_type(input, dtype)  # which PyTorch asks first
        raise
    return _averaged(
        input,
        dims,
        keepdim,
        dtype,
        input.shape[dims] if type(dims) is int else count_of(input.shape, dims or ()) if dims else 1,
    )


_COUNT = {"self_sym_numel": lambda node: math.prod(node._saved_self_sym_sizes)}
OPS["mean.dim"] = Op(
    "mean",
    _mean,
    node="MeanBackward1",
    vjp={
        "input": lambda F, grad, input_shape, dim, keepdim: F.div_number(
            F.spread(grad, input_shape, dim, keepdim), max(count_of(input_shape, dim), 1)
        )
    },
    constants=_COUNT,
    dim_list=True,
    inner_writes=ByOut("sum", 2),
    reads="itself",
    together=along(),
)


@op(
    """
    mean(Tensor input, *, ScalarType? dtype=None, Tensor out=None) -> Tensor|.default|.dtype_out
    mean(Tensor input, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor out=None) -> Tensor|.dim|.out
    """,
    vjp={
        "input": lambda F, grad, input_shape: F.div_number(
            F.expand(grad, input_shape), max(count_of(input_shape, None), 1)
        )
    },
    constants=_COUNT,
    counts=(1,),
    overloads=[_along(OPS["mean.dim"])],
    reads="itself",
    inner_writes=ByOut("sum", 2),
    out=Out(computes=True, asks=_mean_into),
    mapped=_of_rows(OPS["mean.dim"]),
)
def mean_all(input: np.ndarray, *, dtype: Any = None) -> np.ndarray:
    """
    The mean of all elements, or along dim.
    main: 2

    ~dims
    ~floats
    Errors: RuntimeError for integers: give dtype=.

    >>> x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
    >>> x.mean(0)
    tensor([2., 3.], grad_fn=<MeanBackward1>)
    >>> x.mean().backward()
    >>> x.grad
    tensor([[0.2500, 0.2500],
            [0.2500, 0.2500]])
    """
    count = input.size
    if count and dtype is None and (made := input.dtype) in _SUMMED:  # the usual case
        return np.asarray(total(input, made) / count)
    return _averaged(input, None, False, dtype, count)


RAW.mean = lambda input, dim=None, keepdim=False, dtype=None: _mean(input, dim, keepdim, dtype)


# -- without NaN -------------------------------------------------------------------------------------------------------


def _nansum_into(input: Tensor, out: Tensor, given: Any) -> None:
    """The checks of out=: sum's own where there can be no NaN, as PyTorch calls sum there."""
    if input.is_complex():
        raise RuntimeError(_NANSUM_COMPLEX)
    if not input.is_floating_point() or given is not None and given.numpy.kind in "biu":
        if given is not None:
            same_dtype(wanted=given)(out, (out,))
        return
    if given is not None and given is not out.dtype:
        raise RuntimeError(_NANSUM_DTYPE.format(scalar_name(out), scalar_name(given)))
    if not out.is_floating_point():
        raise unsupported("nansum_cpu", out)


_NANSUM_COMPLEX = "nansum on CPU does not support complex inputs"
_NANSUM_DTYPE = "nansum: provided dtype must match dtype of result. Got {} and {}."


@op(
    """
    nansum(Tensor input, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, Tensor out=None) -> Tensor
    """,
    vjp={
        "input": says(("g at each element that is not NaN", "每个非 NaN 元素处的 g"))(
            lambda F, grad, input, dim, keepdim: (
                (
                    F.expand(grad, tuple(input.shape))
                    if dim is None
                    else F.spread(grad, tuple(input.shape), dim, keepdim)
                )
                * ~F.isnan(input)
            )
        ),
    },
    dim_list=True,
    inner_writes=1,
    out=Out(computes=True, asks=_nansum_into),
)
def nansum(input: np.ndarray, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum of the elements that are not nan.

    ~dims
    ~sum

    >>> torch.nansum(torch.tensor([1., float('nan'), 2.]))
    tensor(3.)
    """
    dims = all_dims(dim, input.ndim)
    if input.dtype.kind == "c":
        raise RuntimeError(_NANSUM_COMPLEX)
    if input.dtype.kind in "fV":
        if dtype is not None and dtype.is_complex:
            raise unsupported("nansum_cpu", dtype)
        bad = np.isnan(input)
        if type(bad) is not np.ndarray or bad.any():
            input = np.where(bad, np.zeros((), input.dtype), input)
    return summed(input, dims, keepdim, dtype)


@composite(
    """
    nanmean(Tensor input, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, Tensor out=None) -> Tensor
    """,
)
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Any = None) -> Tensor:
    """The mean of the elements that are not nan.

    ~dims
    ~floats

    >>> torch.nanmean(torch.tensor([1., float('nan'), 2.]))
    tensor(1.5000)
    """
    if input._array.dtype.kind not in "fcV":
        if out is not None:
            raise RuntimeError(
                "nanmean(): integral types and 'Bool' are not supported for nanmean, even for empty tensors."
            )
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got {scalar_name(input._array)}"
        )
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex "
            f"dtype. Got: {scalar_name(dtype)}"
        )
    factor = F.sum(
        ~F.isnan(input.detach()), *((dim,) if dim is not None else (tuple(range(input.dim())),)), keepdim=keepdim
    )
    if out is not None:
        return F.nansum(input, dim, keepdim, dtype=dtype, out=out).div_(factor)
    return F.div(F.nansum(input, dim, keepdim, dtype=dtype), factor)


# -- products ----------------------------------------------------------------------------------------------------------


def _by_others(F: Any, grad: Any, input: Any, dim: int) -> Any:
    """The gradient times, for each element, the product of all others along a dimension, found without dividing."""
    n = input.shape[dim]
    if n == 1:
        return grad
    if n == 0:
        return grad * input
    one = F.ones_slice(input, dim)
    left = F.cumprod(F.cat([one, F.slice(input, dim, 0, n - 1)], dim), dim)
    right = F.reversed(F.cumprod(F.cat([one, F.reversed(F.slice(input, dim, 1, n), dim)], dim), dim), dim)
    return grad * F.conj(left * right)


@on_both_backends
def product_back(F: Any, grad: Any, input: Any, result: Any, dim: int | None, keepdim: bool) -> Any:
    shape = tuple(input.shape)
    if not shape:
        return grad
    if dim is not None:
        grad, result = F.restored(grad, shape, dim, keepdim), F.restored(result, shape, dim, keepdim)
    if not F.any_zero(input):
        return grad * F.conj(result / input)
    if dim is None and F is RAW and type(input) is np.ndarray and np.count_nonzero(input) < input.size - 1:
        return F.zeros_of(input, shape)  # whatever else there is; a recorded backward multiplies
    if dim is None:
        return F.reshape(_by_others(F, grad, F.reshape(input, (-1,)), 0), shape)
    return _by_others(F, grad, input, wrap_dim(dim, len(shape)))


RAW.any_zero = lambda x: not np.all(all_rows(x))
TENSORS.any_zero = lambda x: RAW.any_zero(x._array)
RAW.ones_of = np.ones_like
TENSORS.ones_of = lambda x: F.ones_like(x)
RAW.ones_slice = lambda x, dim: np.ones((*x.shape[:dim], 1, *x.shape[dim + 1 :]), x.dtype)
TENSORS.ones_slice = lambda x, dim: F.from_numpy(np.asarray(RAW.ones_slice(x._array, dim)))
RAW.reversed = lambda x, dim: np.flip(x, dim)


@op(
    "_reversed",
    node="FlipBackward0",
    vjp={"input": lambda F, grad, dim: F.reversed(grad, dim)},
    reads="itself",
    together=along(),
)
def _reversed(input: np.ndarray, dim: int) -> np.ndarray:
    return np.ascontiguousarray(np.flip(input, dim)) if input.ndim else input.copy()


@instead(lambda call, args, kwargs: F.flip(args[0], (args[1],)))
def _flipped(x: Any, dim: int) -> Any:
    return F._reversed(x, dim)


TENSORS.reversed = _flipped


def _multiplied(x: np.ndarray, dims: Any, keepdim: bool, dtype: Any) -> np.ndarray:
    refuse_asked(x, dtype, "prod_out_cpu")
    numpy = wide(x, dtype)[1]  # half types are rounded after each step
    x = real_with_warning(x, numpy)
    return np.asarray(contiguous(np.multiply.reduce(x, axis=dims, dtype=numpy, keepdims=keepdim)))


def _prod(input: np.ndarray, dim: int, keepdim: bool = False, dtype: Any = None) -> np.ndarray:
    if type(dim) is bool or not isinstance(dim, (int, np.integer)):
        raise TypeError("dim must be an int")  # told in PyTorch's words by Op.refused
    return _multiplied(input, wrap_dim(dim, input.ndim) if input.ndim else (wrap_dim(dim, 0), ())[1], keepdim, dtype)


OPS["prod.dim"] = Op(
    "prod",
    _prod,
    node="ProdBackward1",
    vjp={
        "input": says(("g times the product of all other elements", "g 乘以其余元素之积"))(
            lambda F, grad, input, result, dim, keepdim: F.product_back(grad, input, result, dim, keepdim)
        ),
    },
    inner_writes=1,
    reads="itself",
    together=along(),
)


@op(
    """
    prod(Tensor input, *, ScalarType? dtype=None) -> Tensor|fp32
    prod(Tensor input, int dim, bool keepdim=False, *, ScalarType? dtype=None,
        Tensor out=None) -> Tensor|.dim_int|.int_out
    """,
    vjp={
        "input": says(("g times the product of all other elements", "g 乘以其余元素之积"))(
            lambda F, grad, input, result: F.product_back(grad, input, result, None, False)
        )
    },
    counts=(1,),
    overloads=[_along(OPS["prod.dim"])],
    out=Out(computes=True, starts=1),
    reads="itself",
    inner_writes=1,
    mapped=lambda input, dtype=None: OPS["prod.dim"].call(
        input if input.ndim == 1 else TENSORS.reshape(input, (-1,)), 0, False, dtype=dtype
    ),
)
def prod_all(input: np.ndarray, *, dtype: Any = None) -> np.ndarray:
    """
    The product of all elements, or along dim.
    main: 2

    ~dim
    ~sum

    >>> torch.tensor([[1., 2.], [3., 4.]]).prod(1)
    tensor([ 2., 12.])
    """
    return _multiplied(input, None, False, dtype)


RAW.prod = _prod

# -- truths ------------------------------------------------------------------------------------------------------------


def _truth(declaration: str, ufunc: Any, doc: str, out: Any = None) -> None:
    name, every = declare(declaration, doc, out), ufunc is np.logical_and

    def kernel(input: np.ndarray, dim: Any = None, keepdim: bool = False) -> Any:
        if dim is None and keepdim is False and input.dtype is _BOOL and type(input) is np.ndarray:
            count = np.count_nonzero(input)  # in a fifth of the time of a reduction, and no slower on many
            return np.array(count == input.size if every else count > 0)
        dims = (
            tuple(range(input.ndim))
            if dim is None
            else ()
            if isinstance(dim, (tuple, list)) and not dim and input.ndim
            else (all_dims(dim, input.ndim))
        )
        r = ufunc.reduce(input != 0 if input.dtype.kind in "cV" else input, axis=dims, dtype=bool, keepdims=keepdim)
        return np.asarray(contiguous(r)).astype(np.uint8) if input.dtype == np.uint8 else contiguous(r)

    kernel.__name__ = name
    op(name, doc=doc, inner_writes=1, together=along())(kernel)


_truth(
    """
    any(Tensor input, *, Tensor out=None) -> Tensor|.default|.all_out
    any(Tensor input, int[]? dim=None, bool keepdim=False, *, Tensor out=None) -> Tensor|.dims
    any(Tensor input, int dim, bool keepdim=False, *, Tensor out=None) -> Tensor|.dim|.out
    """,
    np.logical_or,
    """
    Whether one element is not 0.
    main: 2

    ~dims
    Dtypes: any; the result is bool (uint8 for uint8).

    >>> torch.any(torch.tensor([[0, 0], [0, 3]]), dim=1)
    tensor([False,  True])
    """,
    out=Out(
        exact="any only supports bool tensor for result, got: {1}",
        unless=lambda inputs, out: out._array.dtype in (np.uint8, np.bool_),
        bools=True,
    ),
)
_truth(
    """
    all(Tensor input, *, Tensor out=None) -> Tensor|.default|.all_out
    all(Tensor input, int[]? dim=None, bool keepdim=False, *, Tensor out=None) -> Tensor|.dims
    all(Tensor input, int dim, bool keepdim=False, *, Tensor out=None) -> Tensor|.dim|.out
    """,
    np.logical_and,
    """
    Whether all elements are not 0.
    main: 2

    ~dims
    Dtypes: any; the result is bool (uint8 for uint8).

    >>> torch.all(torch.tensor([[True, False], [True, True]]), dim=1)
    tensor([False,  True])
    """,
    out=Out(
        exact="all only supports bool tensor for result, got: {1}",
        unless=lambda inputs, out: out._array.dtype in (np.uint8, np.bool_),
        bools=True,
    ),
)


def _one_by_one(called: Called, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
    """Dimensions that a method is given one by one as one list."""
    if called.as_method and len(args) > 2:
        return (args[0], called.bind(args, kwargs)[1]["dim"]), {}
    return args, kwargs


@op(
    """
    count_nonzero(Tensor input, int? dim=None) -> Tensor|uint_nonzero_count_cpu
    count_nonzero(Tensor input, int[] dim) -> Tensor|.dim_IntList
    """,
    binds=_one_by_one,
)
def count_nonzero(input: np.ndarray, dim: Any = None) -> np.ndarray:
    """How many elements are not 0.

    Shapes: input's shape without the dimensions of dim; 0-dim without dim.
    Dtypes: any; the result is int64.

    >>> torch.count_nonzero(torch.tensor([[0, 5], [0, 0]]), dim=0)
    tensor([0, 1])
    """
    found = input != 0
    if dim is None and type(found) is np.ndarray:
        return np.array(np.count_nonzero(found), np.int64)
    return np.asarray(contiguous(np.add.reduce(found, axis=all_dims(dim, input.ndim), dtype=np.int64)))


__all__ = ["is_half"]
