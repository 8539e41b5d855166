"""Slopes estimated from values (gradient), powers of a vector (vander), indices taken apart (unravel_index), norms of
slices bounded (renorm) and distances within one set of points (pdist)."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ...core.recording.record import RAW, TENSORS
from ...core.tensor.tensor import Tensor, wrap
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import from_numpy, scalar_name
from ...core.values.promotion import plain_number
from ..first.kinds import HALF, refuse
from ..table.opdef import FUNCTIONS, composite, op
from ..table.outputs import EXPECTED, Out

F = TENSORS


# -- gradient ----------------------------------------------------------------------------------------------------------


def _uniform(x: Any, dim: int, h: Any, edge_order: int) -> Any:
    """Differences over a grid of one spacing."""
    over = F.div if isinstance(h, (Tensor, complex)) else F.div_number
    part, scaled = functools.partial(F.slice, x, dim), F.mul_number
    middle = over(part(2) - part(0, -2), h)
    if edge_order == 1:
        first, last = over(part(1, 2) - part(0, 1), h), over(part(-1) - part(-2, -1), h)
    else:
        first = over(scaled(part(0, 1), -1.5) + scaled(part(1, 2), 2) - scaled(part(2, 3), 0.5), h)
        last = over(scaled(part(-3, -2), 0.5) - scaled(part(-2, -1), 2) + scaled(part(-1), 1.5), h)
    return F.cat([first, F.div_number(middle, 2), last], dim)


def _uneven(x: Any, dim: int, places: Any, edge_order: int) -> Any:
    """Differences over coordinates."""
    part, steps = functools.partial(F.slice, x, dim), F.diff(places, 1, 0)
    shape = [1] * x.ndim
    shape[dim] = -1
    p, q = F.slice(steps, 0, 0, -1).view(shape), F.slice(steps, 0, 1).view(shape)
    a, b, c = -q / (p * (p + q)), (q - p) / (p * q), p / (q * (p + q))
    middle = a * part(0, -2) + b * part(1, -1) + c * part(2)
    if edge_order == 1:
        first, last = (part(1, 2) - part(0, 1)) / steps[0], (part(-1) - part(-2, -1)) / steps[-1]
    else:
        p, q = steps[0], steps[1]
        a, b, c = -(2.0 * p + q) / (p * (p + q)), (p + q) / (p * q), -p / (q * (p + q))
        first = a * part(0, 1) + b * part(1, 2) + c * part(2, 3)
        p, q = steps[-2], steps[-1]
        a, b, c = q / (p * (p + q)), -(q + p) / (p * q), (2.0 * q + p) / (q * (p + q))
        last = a * part(-3, -2) + b * part(-2, -1) + c * part(-1)
    return F.cat([first, middle, last], dim)


@composite(
    """
    gradient(Tensor input, *, int[] dim, int edge_order=1) -> Tensor|.array
    gradient(Tensor input, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor|.scalararray
    gradient(Tensor input, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor|.scalarint
    gradient(Tensor input, *, Scalar[] spacing, int? dim=None, int edge_order=1) -> Tensor|.scalarrayint
    gradient(Tensor input, *, Scalar[] spacing, int[] dim, int edge_order=1) -> Tensor|.scalarrayarray
    gradient(Tensor input, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor|.tensorarrayint
    gradient(Tensor input, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor|.tensorarray
    """,
    method=False,
)
def gradient(input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """The slope along each dimension, estimated from neighbouring values: a tuple of tensors.

    Shapes: each dimension at least edge_order + 1 long; the results have input's shape.
    Dtypes: any number; integers give floats.
    Errors: RuntimeError where a dimension is too short or spacing does not fit the dimensions.

    >>> torch.gradient(torch.tensor([1., 2., 4., 7.]))
    (tensor([1.0000, 1.5000, 2.5000, 3.0000]),)
    """
    ndim = input.ndim
    if dim is None:
        dims = list(range(ndim))
    else:
        dims = [wrap_dim(d, ndim) for d in (dim if isinstance(dim, (tuple, list)) else (dim,))]
    listed = isinstance(spacing, (tuple, list))
    if listed and dim is None and len(spacing) != ndim:
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = "
            f"{ndim}', since dim argument was not given, but got a list of length {len(spacing)}"
        )
    if listed and dim is not None and len(spacing) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the "
            f"same length, but got a spacing argument of length {len(spacing)} and a dim argument of length "
            f"{len(dims)}."
        )
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if len(set(dims)) != len(dims):
        again = next(d for i, d in enumerate(dims) if d in dims[:i])
        raise RuntimeError(f"dim {again} appears multiple times in the list of dims")
    for d in dims:
        if input._array.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    x: Any = input
    if x._array.dtype == np.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    if x._array.dtype.kind in "iu":
        x = F.to(x, dtype=F.scalar_tensor(1.0).dtype)
    found = []
    for i, d in enumerate(dims):
        h = spacing[i] if listed else 1.0 if spacing is None else spacing
        if isinstance(h, Tensor) and h.ndim == 1:
            found.append(_uneven(x, d, h, edge_order))
        else:
            found.append(_uniform(x, d, h, edge_order))
    return tuple(found)


# -- powers and indices ------------------------------------------------------------------------------------------------


@composite("vander(Tensor x, int? N=None, bool increasing=False) -> Tensor", method=False)
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of each element as rows, the highest first; N rows' lengths, the number of elements by default.

    Shapes: (n) gives (n, N).
    Dtypes: any number; integers give int64.
    Errors: RuntimeError for a tensor of other than one dimension, or a negative N.

    >>> torch.vander(torch.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [4, 2, 1],
            [9, 3, 1]])
    """
    a = x._array
    if a.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    n = a.size if N is None else N
    if n < 0:
        raise RuntimeError("N must be non-negative.")
    numpy = np.dtype(np.int64) if a.dtype.kind in "biu" else a.dtype
    wide: Any = F.to(x, dtype=from_numpy(numpy))
    if not n:
        return wrap(np.zeros((a.size, 0), numpy))
    ones = wrap(np.ones((a.size, 1), numpy))
    result = ones
    if n > 1:
        result = F.cat([ones, F.cumprod(F.expand(F.unsqueeze(wide, 1), (-1, n - 1)), 1)], 1)
    return result if increasing else F.flip(result, [1])


@composite("unravel_index -> Tensor", method=False, reads="itself")
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Positions in a flattened tensor as indices, one tensor for each dimension of `shape`.

    Shapes: indices of any shape; the results have it.
    Dtypes: integers; the results are int64.
    Errors: TypeError for indices that are not integers, ValueError for a negative size.

    >>> torch.unravel_index(torch.tensor([1, 5]), (2, 3))
    (tensor([0, 1]), tensor([1, 2]))
    """
    if indices.is_complex() or indices.is_floating_point() or indices._array.dtype.kind == "b":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, tuple, list)) or isinstance(shape, bool):
        if isinstance(shape, str):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(shape)}")
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for n in sizes:
        if not isinstance(n, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(n)}")
    if any(n < 0 for n in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    steps = np.cumprod([1, *sizes[:0:-1]], dtype=np.int64)[::-1].copy() if sizes else np.zeros(0, np.int64)
    found = F.remainder(F.floor_divide(F.unsqueeze(indices, -1), wrap(steps)), wrap(np.array(sizes, np.int64)))
    return tuple(F.unbind(found, -1))


# -- rows of bounded length --------------------------------------------------------------------------------------------


def _factors(F: Any, x: Any, p: float, dim: int, maxnorm: float) -> Any:
    others = tuple(i for i in range(x.ndim) if i != dim)
    norms = F.linalg_vector_norm(x, p, others, True)
    return norms, F.pick(norms > maxnorm, maxnorm / (norms + 1e-7), norms * 0 + 1)


def _renorm_backward(F: Any, grad: Any, input: Any, p: float, dim: int, maxnorm: float) -> Any:
    d = dim % input.ndim
    others = tuple(i for i in range(input.ndim) if i != d)
    norms, factor = _factors(F, input, p, d, maxnorm)
    along = F.sum(grad * F.conj(input), others, True)
    along = F.real_part(along)
    if p == 2:
        slope = input / F.pick(norms == 0, norms * 0 + 1, norms)
    elif p == math.inf:
        largest = F.pick(F.abs(input) == norms, norms * 0 + 1, norms * 0)
        slope = F.sgn(input) * largest / F.sum(largest, others, True)
    else:
        size = F.abs(input)
        slope = F.sgn(input) * F.pow(size / F.pick(norms == 0, norms * 0 + 1, norms), p - 1)
    change = F.pick(norms > maxnorm, -maxnorm / F.pow(norms + 1e-7, 2), norms * 0)
    return grad * factor + slope * (along * change)


@op(
    "renorm(Tensor input, Scalar p, int dim, Scalar maxnorm, *, Tensor out=None) -> Tensor",
    inplace=True,
    vjp={
        "input": lambda F, grad, input, p, dim, maxnorm: _renorm_backward(F, grad, input, p, dim, maxnorm),
    },
    out=Out(exact=EXPECTED, overlap="part"),
)
def renorm(input: np.ndarray, p: float, dim: int, maxnorm: float) -> np.ndarray:
    """The slices along `dim`, scaled down where their p-norm is above maxnorm.

    Shapes: at least two dimensions; the result has input's shape.
    Dtypes: float and complex; the result has input's.
    Errors: RuntimeError for fewer dimensions, a norm that is not positive or a negative maxnorm.

    >>> torch.renorm(torch.tensor([[3., 4.], [0.3, 0.4]]), 2, 0, 1.)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])

    In place:
    >>> x = torch.tensor([[3., 4.], [0., 0.5]])
    >>> x.renorm_(2, 0, 1.)
    tensor([[0.6000, 0.8000],
            [0.0000, 0.5000]])
    >>> x
    tensor([[0.6000, 0.8000],
            [0.0000, 0.5000]])
    """
    p, maxnorm = plain_number(p), plain_number(maxnorm)
    for name, value in (("p", p), ("maxnorm", maxnorm)):
        if isinstance(value, complex):
            raise RuntimeError(f"renorm: {name} must be real-valued")
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if input.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")
    if input.dtype.kind not in "fcV":
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {scalar_name(input)}"
        )
    norms, factors = _factors(RAW, input, p, wrap_dim(dim, input.ndim), maxnorm)
    factors = np.where(norms > maxnorm, factors, 1)  # a norm that is not a number is not larger
    return np.asarray(input * factors.astype(input.dtype), order="C")


del FUNCTIONS["renorm_"]  # a method only


# -- distances ---------------------------------------------------------------------------------------------------------


def _pdist_backward(F: Any, grad: Any, input: Any, p: float, result: Any) -> Any:
    """The pairs' gradients, added up at both rows."""
    i, j = np.triu_indices(int(input.shape[0]), 1)
    i, j = (F.places(k) for k in (i, j))
    gap = F.index_select(input, 0, i) - F.index_select(input, 0, j)
    g, n = F.unsqueeze(grad, 1), F.unsqueeze(result, 1)
    safe = F.pick(n == 0, n * 0 + 1, n)
    if p == 0:
        return grad.sum() * 0 * input
    if p == 1:
        slope = F.sgn(gap) * g
    elif p == float("inf"):
        slope = F.sgn(gap) * F.pick(F.abs(gap) == n, g + gap * 0, gap * 0)
    elif p < 2:
        size = F.pick(gap == 0, gap * 0 + 1, F.abs(gap))
        slope = F.sgn(gap) * F.pow(size / safe, p - 1) * g
    else:
        slope = F.sgn(gap) * F.pow(F.abs(gap) / safe, p - 1) * g
    slope = F.pick(n == 0, slope * 0, slope)
    nothing = input * 0
    return F.index_add(F.index_add(nothing, 0, i, slope), 0, j, -slope)


@op(
    "_pdist_forward",
    node="PdistBackward0",
    forwardless="_pdist_forward",
    vjp={
        "input": lambda F, grad, input, p, result: _pdist_backward(F, grad, input, p, result),
    },
)
def _pdist_forward(input: np.ndarray, p: float = 2.0) -> np.ndarray:
    i, j = np.triu_indices(input.shape[0], 1)
    if i.size:
        refuse(input, "pdist", HALF)
    return RAW.linalg_vector_norm(input[i] - input[j], p, -1)


@composite("pdist(Tensor input, float p=2) -> Tensor", method=False)
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distances of all pairs of rows, each pair once.

    Shapes: (n, d) gives (n * (n - 1) / 2,).
    Dtypes: float.

    >>> F.pdist(torch.tensor([[0., 0.], [3., 4.], [0., 1.]]))
    tensor([5.0000, 1.0000, 4.2426])
    """
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if not input.dtype.is_floating_point:
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return F._pdist_forward(input, float(p))


@composite(
    "nonzero_static(Tensor input, *, SymInt size, int fill_value=-1, Tensor out=None) -> Tensor",
    method=True,
    function=True,
)
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1, out: Any = None) -> Tensor:
    """The indices of the elements that are not 0, as rows; cut, or filled with fill_value, to `size` rows.

    Shapes: any with n dimensions gives (size, n).
    Dtypes: any; int64.
    Errors: RuntimeError if size is negative.

    >>> torch.nonzero_static(torch.tensor([0, 1, 1]), size=3)
    tensor([[ 1],
            [ 2],
            [-1]])
    """
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    rows = np.argwhere(input._array)[:size]
    made = np.full((size, input.ndim), fill_value, np.int64)
    made[: len(rows)] = rows
    if out is not None:
        if out.dtype is not from_numpy(np.dtype(np.int64)):
            raise RuntimeError(
                f"nonzero_static: Expected out tensor to have scalar type Long but got scalar type{scalar_name(out)}"
            )
        return out.resize_(made.shape).copy_(wrap(made))
    return wrap(made)
