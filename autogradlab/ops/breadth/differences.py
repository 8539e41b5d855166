"""Slopes estimated from values (gradient), powers of a vector (vander), indices taken apart (unravel_index), norms of
slices bounded (renorm) and distances within one set of points (pdist)."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from ...core.recording.record import RAW, TENSORS, not_implemented
from ...core.tensor.tensor import Tensor, wrap
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import from_numpy, scalar_name
from ...core.values.promotion import plain_number
from ..common.distances import norm_along
from ..first.kinds import HALF, refuse
from ..linalg.distances import distances, distances_backward
from ..table.asking import Operator
from ..table.opdef import FUNCTIONS, composite, op
from ..table.outputs import EXPECTED, Out

F = TENSORS


# -- gradient ----------------------------------------------------------------------------------------------------------


def _weighed(x: Any, dim: int, *terms: tuple[Any, int, int | None]) -> Any:
    """The sum of parts of x, each times a weight, which are taken from the last to the first, as PyTorch takes them:
    in that order gradients arrive."""
    made = []
    for weight, low, high in reversed(terms):
        part = F.slice(x, dim, low, high)
        made.append(weight * part if isinstance(weight, Tensor) else F.mul_number(part, weight))
    return functools.reduce(operator.add, reversed(made))


def _gap(x: Any, dim: int, right: tuple[int, int | None], left: tuple[int, int | None]) -> Any:
    subtracted = F.slice(x, dim, *left)
    return F.slice(x, dim, *right) - subtracted


def _uniform(x: Any, dim: int, h: Any, edge_order: int) -> Any:
    """Differences over a grid of one spacing."""
    over = F.div if isinstance(h, (Tensor, complex)) else F.div_number
    middle = over(_gap(x, dim, (2, None), (0, -2)), h)
    if edge_order == 1:
        first = over(_gap(x, dim, (1, 2), (0, 1)), h)
        last = over(_gap(x, dim, (-1, None), (-2, -1)), h)
    else:
        subtracted = F.mul_number(F.slice(x, dim, 2, 3), 0.5)
        first = over(_weighed(x, dim, (-1.5, 0, 1), (2, 1, 2)) - subtracted, h)
        end = F.mul_number(F.slice(x, dim, -1), 1.5)
        subtracted = F.mul_number(F.slice(x, dim, -2, -1), 2)
        last = over(F.mul_number(F.slice(x, dim, -3, -2), 0.5) - subtracted + end, h)
    return F.cat([first, F.div_number(middle, 2), last], dim)


def _uneven(x: Any, dim: int, places: Any, edge_order: int) -> Any:
    """Differences over coordinates."""
    steps = F.diff(places, 1, 0)
    shape = [1] * x.ndim
    shape[dim] = -1
    p, q = F.slice(steps, 0, 0, -1), F.slice(steps, 0, 1)
    a, b, c = (w.reshape(shape) for w in (-q / (p * (p + q)), (q - p) / (p * q), p / (q * (p + q))))
    middle = _weighed(x, dim, (a, 0, -2), (b, 1, -1), (c, 2, None))
    if edge_order == 1:
        first = _gap(x, dim, (1, 2), (0, 1)) / steps[0]
        last = _gap(x, dim, (-1, None), (-2, -1)) / steps[-1]
    else:
        p, q = steps[0], steps[1]
        a, b, c = -(2.0 * p + q) / (p * (p + q)), (p + q) / (p * q), -p / (q * (p + q))
        first = _weighed(x, dim, (a, 0, 1), (b, 1, 2), (c, 2, 3))
        p, q = steps[-2], steps[-1]
        a, b, c = q / (p * (p + q)), -(q + p) / (p * q), (2.0 * q + p) / (q * (p + q))
        last = _weighed(x, dim, (a, -3, -2), (b, -2, -1), (c, -1, None))
    return F.cat([first, middle, last], dim)


@composite(
    """
    gradient(Tensor input, *, int[] dim, int edge_order=1) -> Tensor|.array
    gradient(Tensor input, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor|.scalararray
    gradient(Tensor input, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor|.scalarint|uint_add_stub
    gradient(Tensor input, *, Scalar[] spacing, int? dim=None, int edge_order=1) -> Tensor|.scalarrayint|uint_add_stub
    gradient(Tensor input, *, Scalar[] spacing, int[] dim, int edge_order=1) -> Tensor|.scalarrayarray|uint_add_stub
    gradient(Tensor input, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor|.tensorarrayint
    gradient(Tensor input, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor|.tensorarray|uint_add_stub
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
    if input._array.dtype == np.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    given = range(ndim) if dim is None else dim if isinstance(dim, (tuple, list)) else (dim,)
    listed = isinstance(spacing, (tuple, list))
    if listed and dim is None and len(spacing) != ndim:
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = "
            f"{ndim}', since dim argument was not given, but got a list of length {len(spacing)}"
        )
    if listed and dim is not None and len(spacing) != len(given):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the "
            f"same length, but got a spacing argument of length {len(spacing)} and a dim argument of length "
            f"{len(given)}."
        )
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    dims = [wrap_dim(d, ndim) for d in given]
    if len(set(dims)) != len(dims):
        again = next(d for i, d in enumerate(dims) if d in dims[:i])
        raise RuntimeError(f"dim {again} appears multiple times in the list of dims")
    for d in dims:
        if input._array.shape[wrap_dim(d, ndim, scalar_ok=False)] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    x: Any = input
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
    if not isinstance(shape, (int, tuple, list)):
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


def _others(input: Any, dim: int) -> tuple[int, ...]:
    """All dimensions but one."""
    return tuple(i for i in range(input.ndim) if i != dim % input.ndim)


def _renorm_jvp(F: Any, tangent: Any, input: Any, p: float, dim: int, maxnorm: float) -> Any:
    others = _others(input, dim)
    norms = F.linalg_vector_norm(input, p, others, True)
    inverse = F.reciprocal(F.add_number(norms, 1e-7))
    along = norm_along(F, tangent, input, norms, float(p), others, True)
    bounded = F.mul_number(inverse, maxnorm) * (tangent - input * (inverse * along))
    return F.where(norms > maxnorm, bounded, tangent)


def _renorm_backward(F: Any, grad: Any, input: Any, p: float, dim: int, maxnorm: float) -> Any:
    others = _others(input, dim)
    norms = F.linalg_vector_norm(input, p, others, True)
    along = F.sum(F.real_part(F.conj(input) * grad), others, True)
    inverse = F.reciprocal(F.add_number(norms, 1e-7))
    bounded = F.mul_number(inverse, maxnorm) * (grad - inverse * F.norm_back(along, input, norms, float(p), others))
    return F.where(norms > maxnorm, bounded, grad)


@op(
    "renorm(Tensor input, Scalar p, int dim, Scalar maxnorm, *, Tensor out=None) -> Tensor|looped",
    inplace=True,
    vjp={
        "input": lambda F, grad, input, p, dim, maxnorm: _renorm_backward(F, grad, input, p, dim, maxnorm),
    },
    jvp={"input": _renorm_jvp},
    inner_writes=1,
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
    d = wrap_dim(dim, input.ndim)
    norms = RAW.linalg_vector_norm(input, p, tuple(i for i in range(input.ndim) if i != d), True)
    factors = np.where(norms > maxnorm, maxnorm / (norms + 1e-7), 1)  # a norm that is not a number is not larger
    return np.asarray(input * factors.astype(input.dtype), order="C")


del FUNCTIONS["renorm_"]  # a method only


# -- distances ---------------------------------------------------------------------------------------------------------


_ONCE = not_implemented("_pdist_backward")


@op(
    "_pdist_backward",
    "grad input pdist",
    node="PdistBackwardBackward0",
    vjp={"grad": _ONCE, "input": _ONCE, "pdist": _ONCE},
)
def _pdist_backward(grad: Any, input: np.ndarray, p: float, pdist: np.ndarray) -> np.ndarray:
    """The pairs' gradients, added up at both rows."""
    n = input.shape[0]
    pairs = np.triu_indices(n, 1)
    square = np.zeros((2, n, n), input.dtype)
    for whole, part in zip(square, (grad, pdist), strict=True):
        whole[pairs] = part
        whole.T[pairs] = part
    return distances_backward(square[0], input, input, p, square[1])


@op(
    "_pdist_forward",
    node="PdistBackward0",
    forwardless="_pdist_forward",
    vjp={
        "input": lambda F, grad, input, p, result: F._pdist_backward(grad, input, p, result),
    },
    operator=Operator("(Tensor self, float p=2.) -> Tensor"),
)
def _pdist_forward(input: np.ndarray, p: float = 2.0) -> np.ndarray:
    i, j = np.triu_indices(input.shape[0], 1)
    if i.size:
        refuse(input, "pdist", HALF)
    return distances(input, input, p, True)[i, j]


@composite("pdist(Tensor input, float p=2) -> Tensor|looped_alone", method=False)
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
    if not p >= 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return F._pdist_forward(input, float(p))


@composite(
    "nonzero_static(Tensor input, *, SymInt size, int fill_value=-1, Tensor out=None) -> Tensor|uint_nonzero_count_cpu",
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
