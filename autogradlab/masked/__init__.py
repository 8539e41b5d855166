"""Sums, means, norms, softmax ... of the elements that a mask lets through (mirrors `torch.masked`).

What the mask hides is replaced by a value that leaves the result as it is, 0 for a sum; then all elements are summed. A
mask has a shape that broadcasts to the input's, and is True where an element counts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import autogradlab as torch

from ..core.tensor.tensor import Tensor

if TYPE_CHECKING:
    from .maskedtensor import MaskedTensor as MaskedTensor
    from .maskedtensor import as_masked_tensor as as_masked_tensor
    from .maskedtensor import is_masked_tensor as is_masked_tensor
    from .maskedtensor import masked_tensor as masked_tensor

__all__ = [
    "MaskedTensor",
    "as_masked_tensor",
    "is_masked_tensor",
    "masked_tensor",
    "amax",
    "amin",
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]

#: the module of tensors with a mask of their own, imported when somebody asks for it
_TENSORS = f"{__name__}.maskedtensor"


def __getattr__(name: str) -> Any:
    if name in ("MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor", "maskedtensor"):
        found: ModuleType = import_module(_TENSORS)
        return found if name == "maskedtensor" else getattr(found, name)
    raise AttributeError(f"module 'torch.masked' has no attribute '{name}'")


Dims = int | Sequence[int] | None
#: of a function that is given a dtype and an `ord`: the number that hidden elements are replaced by; None if there is
#: none that fits any input, NotImplemented if there is none for the dtype
Identity = Callable[[torch.dtype, Any], float | complex | None]
_Function = Callable[..., Tensor]

#: dtypes whose sums and products are int64
_SHORT = (torch.uint8, torch.bool, torch.int8, torch.int16, torch.int32)
#: the functions of this module, and those that give one value for many, by name
_IDENTITIES: dict[str, Identity] = {}
_REDUCING: set[str] = set()


def _declared(identity: Identity | None, reduces: bool = True) -> Callable[[_Function], _Function]:
    """Decorator for a function of this module: what it replaces hidden elements by, and whether it reduces
    dimensions."""

    def declare(function: _Function) -> _Function:
        name = function.__name__
        if identity is not None:
            _IDENTITIES[name] = identity
        if reduces:
            _REDUCING.add(name)
        return function

    return declare


def _limit(infinite: float, end: str) -> Identity:
    """The end of what a dtype holds."""

    def found(kind: torch.dtype, _ord: Any) -> Any:
        if kind.is_floating_point:
            return infinite
        if not (kind.is_signed or kind is torch.uint8):
            return NotImplemented
        return getattr(torch.iinfo(kind), end)

    return found


_LOWEST, _HIGHEST = _limit(-float("inf"), "min"), _limit(float("inf"), "max")


def _reduction_identity(op_name: str, input: Tensor, *args: Any) -> Tensor | None:
    """The value that leaves the result of an operation as it is, as a tensor of no dimensions; None where that depends
    on the input.

    >>> torch.masked._reduction_identity("amax", torch.tensor([1, 2], dtype=torch.int8))
    tensor(-128, dtype=torch.int8)
    """
    name, kind = op_name.rsplit(".", 1)[-1], input.dtype
    identity = _IDENTITIES.get(name)
    value = NotImplemented if identity is None else identity(kind, args[0] if args else 2)
    if value is NotImplemented:
        raise NotImplementedError(f"identity of {name} on {kind} input")
    if value is None:
        return None
    return torch.tensor(value, dtype=torch.float32 if name == "median" and not kind.is_floating_point else kind)


def _canonical_dim(dim: Dims, ndim: int) -> tuple[int, ...]:
    """Dimensions as a sorted tuple of numbers from 0, all of them for None and ()."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    dims: list[int] = []
    ndim = max(ndim, 1)
    for d in (dim,) if isinstance(dim, int) else dim:
        if d in dims:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        if not -ndim <= d < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {d})")
        dims.append(d % ndim)
    return tuple(sorted(dims))


def _where(mask: Tensor, input: Tensor, fill_value: Any) -> Tensor:
    """The input where the mask is True."""
    return torch.where(mask, input, fill_value)


def _input_mask(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The mask= of a call as a bool tensor of the input's shape."""
    mask = kwargs.get("mask")
    if mask is None:
        raise ValueError("_input_mask requires explicit mask")
    if mask.shape != input.shape:
        if mask.dim() > input.dim():
            raise IndexError(
                "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"
            )
        mask = torch.broadcast_to(mask.clone(), input.shape)
    return mask.to(dtype=torch.bool)


def _output_mask(op: _Function, input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Which elements of the result of `op` come from at least one element that the mask lets through."""
    if not callable(op):
        raise ValueError(f"_output_mask expected masked operation (got {type(op).__name__} object)")
    name = op.__name__
    if name not in __all__ or name == "logaddexp":
        raise ValueError(f"_output_mask expected masked operation (got callable {op.__module__}.{name})")
    mask = _input_mask(input, *args, **kwargs)
    if name not in _REDUCING:
        return mask
    given = args[1:] if name == "norm" else args
    for d in reversed(_canonical_dim(given[0] if given else kwargs.get("dim"), input.dim())):
        mask = torch.any(mask, d, bool(kwargs.get("keepdim", False)))
    return mask


def _combine_input_and_mask(op: _Function, input: Tensor, mask: Tensor | None, *args: Any) -> Tensor:
    """The input with the identity of `op` where the mask hides it."""
    own = sys.modules.get(_TENSORS)
    if own is not None and own.is_masked_tensor(input):
        masked: Any = input
        found: Tensor = own.Combine.apply(
            masked.get_data(),
            masked.get_mask(),
            lambda data, mask: _combine_input_and_mask(op, data, mask, *args),
        )
        return found
    if mask is None:
        return input
    inside = _input_mask(input, mask=mask)
    if not callable(op):
        raise ValueError(f"_combine_input_and_mask expected masked operation (got {type(op).__name__} object)")
    fill = _reduction_identity(op.__name__, input, *args)
    return _where(inside, input, fill)


def _of(input: Tensor, dtype: torch.dtype | None) -> torch.dtype:
    return input.dtype if dtype is None else dtype


def _total_dtype(input: Tensor, dtype: torch.dtype | None) -> torch.dtype:
    return torch.int64 if dtype is None and input.dtype in _SHORT else _of(input, dtype)


# -- one value for many ------------------------------------------------------------------------------------------------


@_declared(lambda kind, _: 0)
def sum(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The sum of the elements that the mask lets through, 0 where there are none.

    Shapes: as torch.sum; without dim= (), without the dims of a tuple.
    Dtypes: input's, int64 for bool and shorter integers; or dtype=.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3, -2, -1], [0, 1, 2]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.sum(x, 1, mask=mask)
        tensor([-4,  0])

    Mirrors `torch.masked.sum`.
    """
    dims = _canonical_dim(dim, input.dim())
    shown = _combine_input_and_mask(sum, input, mask)
    return torch.sum(shown, dims, bool(keepdim), dtype=_total_dtype(input, dtype))


@_declared(lambda kind, _: 1)
def prod(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The product of the elements that the mask lets through, 1 where there are none.

    Shapes: those of torch.masked.sum, with a tuple of dims too.
    Dtypes: input's, int64 for bool and shorter integers; or dtype=.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3, -2, -1], [0, 1, 2]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.prod(x, 1, mask=mask)
        tensor([3, 1])

    Mirrors `torch.masked.prod`.
    """
    dims = _canonical_dim(dim, input.dim())
    found = _combine_input_and_mask(prod, input, mask).to(dtype=_total_dtype(input, dtype))
    for d in reversed(dims):
        found = torch.prod(found, d, bool(keepdim))
    return found


@_declared(_LOWEST)
def amax(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The largest of the elements that the mask lets through, the lowest value of the dtype where there are none.

    Shapes: as torch.amax.
    Dtypes: input's, or dtype=; neither bool nor complex with a mask.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3., -2., -1.], [0., 1., 2.]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.amax(x, 1, mask=mask)
        tensor([-1., -inf])

    Mirrors `torch.masked.amax`.
    """
    shown = _combine_input_and_mask(amax, input, mask)
    return torch.amax(shown, _canonical_dim(dim, input.dim()), bool(keepdim)).to(dtype=_of(input, dtype))


@_declared(_HIGHEST)
def amin(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The smallest of the elements that the mask lets through, the highest value of the dtype where there are none.

    Shapes: as torch.amin.
    Dtypes: input's, or dtype=; neither bool nor complex with a mask.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3., -2., -1.], [0., 1., 2.]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.amin(x, 1, mask=mask)
        tensor([-3., inf])

    Mirrors `torch.masked.amin`.
    """
    shown = _combine_input_and_mask(amin, input, mask)
    return torch.amin(shown, _canonical_dim(dim, input.dim()), bool(keepdim)).to(dtype=_of(input, dtype))


@_declared(_LOWEST)
def argmax(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool | None = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The index of the largest of the elements that the mask lets through, 0 where there are none.

    Shapes: as torch.argmax.
    Dtypes: input's, or dtype=.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3, -2, -1], [0, 1, 2]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.argmax(x, 1, mask=mask)
        tensor([2, 0])

    Mirrors `torch.masked.argmax`.
    """
    shown = _combine_input_and_mask(argmax, input, mask)
    return torch.argmax(shown, dim, bool(keepdim)).to(dtype=_of(input, dtype))


@_declared(_HIGHEST)
def argmin(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool | None = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The index of the smallest of the elements that the mask lets through, 0 where there are none.

    Shapes: as torch.argmin.
    Dtypes: input's, or dtype=.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3, -2, -1], [0, 1, 2]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.argmin(x, 1, mask=mask)
        tensor([0, 0])

    Mirrors `torch.masked.argmin`.
    """
    shown = _combine_input_and_mask(argmin, input, mask)
    return torch.argmin(shown, dim, bool(keepdim)).to(dtype=_of(input, dtype))


def _counted(
    input: Tensor, dim: Dims, keepdim: bool | None, kind: torch.dtype, mask: Tensor | None
) -> tuple[Tensor, Tensor, Tensor | None]:
    """How many elements the mask lets through, their sum, and the mask in the input's shape."""
    if mask is None:
        count = sum(torch.ones(input.shape, dtype=torch.int64), dim, keepdim=keepdim)
        return count, sum(input, dim, keepdim=keepdim, dtype=kind), None
    inside = _input_mask(input, mask=mask)
    return torch.sum(inside, dim, bool(keepdim)), sum(input, dim, keepdim=keepdim, dtype=kind, mask=inside), inside


@_declared(lambda kind, _: None)
def mean(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The mean of the elements that the mask lets through, nan where there are none.

    Shapes: as torch.mean.
    Dtypes: float, complex; integers with dtype=. ValueError for another.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3., -2., -1.], [0., 1., 2.]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.mean(x, 1, mask=mask)
        tensor([-2., nan])

    Mirrors `torch.masked.mean`.
    """
    kind = _of(input, dtype)
    if not (kind.is_floating_point or kind.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype must be either "
            f"a floating point or complex dtype. Got: {kind}"
        )
    count, total, _ = _counted(input, dim, keepdim, kind, mask)
    return total / count


@_declared(lambda kind, _: float("nan"))
def median(
    input: Tensor,
    dim: int = -1,
    *,
    keepdim: bool = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The median of the elements that the mask lets through, nan where there are none, which is a ValueError for
    integers.

    Shapes: without dim, which is of size 1 with keepdim=True.
    Dtypes: input's; of integers dtype=.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3., -2., -1.], [0., 1., 2.]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.median(x, 1, mask=mask)
        tensor([-3., nan])

    Mirrors `torch.masked.median`.
    """
    kind, floating = _of(input, dtype), input.dtype.is_floating_point
    d = _canonical_dim(dim, input.dim())[0]
    shown = _combine_input_and_mask(median, input if floating else input.to(dtype=torch.float32), mask)
    found = torch.nanmedian(shown, d, keepdim).values
    if floating:
        return found
    if found.isnan().any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return found.to(dtype=kind)


def _logsumexp_identity(kind: torch.dtype, ord: Any) -> Any:
    return complex(-float("inf"), 0) if kind.is_complex else _LOWEST(kind, ord)


@_declared(_logsumexp_identity)
def logsumexp(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The logarithm of the sum of the exponentials of the elements that the mask lets through.

    Shapes: as torch.logsumexp.
    Dtypes: input's, or dtype=.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3., -2., -1.], [0., 1., 2.]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.logsumexp(x, 1, mask=mask)
        tensor([-0.8731,    -inf])

    Mirrors `torch.masked.logsumexp`.
    """
    dims = _canonical_dim(dim, input.dim())
    shown = _combine_input_and_mask(logsumexp, input, mask)
    return torch.logsumexp(shown, dims, keepdim=keepdim).to(dtype=_of(input, dtype))


@_declared(_LOWEST, reduces=False)
def logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: torch.dtype | None = None,
    input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    """The logarithm of the sum of the exponentials of two tensors, of those elements that their masks let through.

    Shapes: as torch.logaddexp.
    Dtypes: input's, or dtype=.

    Example:
        >>> import autogradlab as torch
        >>> x, y = torch.tensor([-100., -200.]), torch.tensor([-1., -2.])
        >>> torch.masked.logaddexp(x, y, input_mask=torch.tensor([True, False]), other_mask=torch.tensor([False, True]))
        tensor([-100.,   -2.])

    Mirrors `torch.masked.logaddexp`.
    """
    first = _combine_input_and_mask(logaddexp, input, input_mask)
    second = _combine_input_and_mask(logaddexp, other, other_mask)
    return torch.logaddexp(first, second).to(dtype=_of(input, dtype))


@_declared(lambda kind, ord: float("inf") if ord == -float("inf") else 0)
def norm(
    input: Tensor,
    ord: float = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool | None = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The vector norm of the elements that the mask lets through.

    Shapes: as torch.linalg.vector_norm.
    Dtypes: float, complex.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3., -2., -1.], [0., 1., 2.]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.norm(x, 2.0, 1, mask=mask)
        tensor([3.1623, 0.0000])

    Mirrors `torch.masked.norm`.
    """
    shown = _combine_input_and_mask(norm, input, mask, ord)
    dims = _canonical_dim(dim, input.dim())
    return torch.linalg.vector_norm(shown, ord, dims, bool(keepdim), dtype=_of(input, dtype))


def _variance(
    input: Tensor,
    dim: Dims,
    unbiased: bool | None,
    correction: float | None,
    keepdim: bool | None,
    dtype: torch.dtype | None,
    mask: Tensor | None,
) -> Tensor:
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    less = float(correction) if correction is not None else 0.0 if unbiased is False else 1.0
    kind = dtype or (input.dtype if input.dtype.is_floating_point or input.dtype.is_complex else torch.float32)
    inner = kind if kind.is_floating_point or kind.is_complex else torch.float32
    count, total, inside = _counted(input, dim, True, kind, mask)
    from_mean = input - total / count
    total = sum(from_mean * from_mean.conj(), dim, keepdim=keepdim, dtype=inner, mask=inside)
    if not keepdim:
        count = count.reshape(total.shape)
    if less:
        count = count.to(inner.to_real()) - less
        count = torch.maximum(count, torch.zeros((), dtype=count.dtype))
    return (total / count).to(dtype=kind)


@_declared(lambda kind, _: None)
def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool | None = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The variance of the elements that the mask lets through, nan where there are none.

    Shapes: as torch.var.
    Dtypes: input's, float32 for integers; or dtype=.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3., -2., -1.], [0., 1., 2.]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.var(x, 1, False, mask=mask)
        tensor([1., nan])

    Mirrors `torch.masked.var`.
    """
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask)


@_declared(lambda kind, _: None)
def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool | None = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The standard deviation of the elements that the mask lets through, nan where there are none.

    Shapes: as torch.std.
    Dtypes: input's, float32 for integers; or dtype=.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3., -2., -1.], [0., 1., 2.]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.std(x, 1, mask=mask)
        tensor([1.4142,    nan])

    Mirrors `torch.masked.std`.
    """
    return torch.sqrt(_variance(input, dim, unbiased, correction, keepdim, dtype, mask))


# -- as many values ----------------------------------------------------------------------------------------------------


def _scan(op: _Function, whole: _Function, input: Tensor, dim: int, dtype: Any, mask: Tensor | None) -> Tensor:
    """`whole`, a function along one dimension, of what the mask leaves for `op`."""
    d = _canonical_dim(dim, input.dim())[0]
    return whole(_combine_input_and_mask(op, input, mask), d, dtype=_of(input, dtype))


@_declared(lambda kind, _: 0, reduces=False)
def cumsum(input: Tensor, dim: int, *, dtype: torch.dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The sums of all elements up to each one, without those that the mask hides.

    Shapes: input's.
    Dtypes: input's, or dtype=.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3., -2., -1.], [0., 1., 2.]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.cumsum(x, 1, mask=mask)
        tensor([[-3., -3., -4.],
                [ 0.,  0.,  0.]])

    Mirrors `torch.masked.cumsum`.
    """
    return _scan(sum, torch.cumsum, input, dim, dtype, mask)


@_declared(lambda kind, _: 1, reduces=False)
def cumprod(input: Tensor, dim: int, *, dtype: torch.dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The products of all elements up to each one, without those that the mask hides.

    Shapes: input's.
    Dtypes: input's, or dtype=.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3., -2., -1.], [0., 1., 2.]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.cumprod(x, 1, mask=mask)
        tensor([[-3., -3.,  3.],
                [ 1.,  1.,  1.]])

    Mirrors `torch.masked.cumprod`.
    """
    return _scan(prod, torch.cumprod, input, dim, dtype, mask)


@_declared(None, reduces=False)
def softmax(input: Tensor, dim: int, *, dtype: torch.dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """softmax along dim of the elements that the mask lets through; the others are 0, or nan where none is left.

    Shapes: input's.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3., -2., -1.], [0., 1., 2.]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.softmax(x, 1, mask=mask)
        tensor([[0.1192, 0.0000, 0.8808],
                [   nan,    nan,    nan]])

    Mirrors `torch.masked.softmax`.
    """
    return _scan(amax, torch.softmax, input, dim, dtype, mask)


@_declared(None, reduces=False)
def log_softmax(input: Tensor, dim: int, *, dtype: torch.dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The logarithm of torch.masked.softmax.

    Shapes: input's.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3., -2., -1.], [0., 1., 2.]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.log_softmax(x, 1, mask=mask)
        tensor([[-2.1269,    -inf, -0.1269],
                [    nan,     nan,     nan]])

    Mirrors `torch.masked.log_softmax`.
    """
    return _scan(amax, torch.log_softmax, input, dim, dtype, mask)


@_declared(None, reduces=False)
def softmin(input: Tensor, dim: int, *, dtype: torch.dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """softmax of the negative of the elements that the mask lets through; the others are 0, or nan where none is left.

    Shapes: input's.
    Dtypes: float.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3., -2., -1.], [0., 1., 2.]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.softmin(x, 1, mask=mask)
        tensor([[0.8808, 0.0000, 0.1192],
                [   nan,    nan,    nan]])

    Mirrors `torch.masked.softmin`.
    """
    return _scan(amin, lambda x, d, dtype: torch.softmax(-x, d, dtype=dtype), input, dim, dtype, mask)


@_declared(None, reduces=False)
def normalize(
    input: Tensor,
    ord: float,
    dim: int,
    *,
    eps: float = 1e-12,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The elements that the mask lets through, divided by their norm along dim, or by eps if that is larger; the others
    are 0.

    Shapes: input's.
    Dtypes: float, complex.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor([[-3., -2., -1.], [0., 1., 2.]])
        >>> mask = torch.tensor([[True, False, True], [False, False, False]])
        >>> torch.masked.normalize(x, 2.0, 1, mask=mask)
        tensor([[-0.9487,  0.0000, -0.3162],
                [ 0.0000,  0.0000,  0.0000]])

    Mirrors `torch.masked.normalize`.
    """
    shown = _combine_input_and_mask(sum, input, mask)
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return shown / torch.maximum(length, torch.full((), eps, dtype=length.dtype))
