"""Joining tensors: cat and stack, what is made of them, block_diag, products and combinations of elements."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.arguments.mismatch import typename
from ...core.graph.node import NO_EDGE
from ...core.memory.layout import channels_last, contiguous, with_channels_last
from ...core.memory.places import moved
from ...core.memory.rows import Apart, Rows, lanes_of, refuse_numbers, repeated
from ...core.memory.together import beside, tried
from ...core.recording.record import RAW, TENSORS
from ...core.runtime.modes import FLAGS, LOCAL
from ...core.runtime.warn import warn_once
from ...core.tensor.cxx_text import cxx_text
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor, requires_grad, wrap
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import from_numpy, promote
from ..table.asking import at, options_of
from ..table.calls import counted, record, recordable
from ..table.opdef import OPS, Op, alias, composite, op, publish
from ..table.outputs import UNCASTABLE, Out
from ..table.signatures import explain

RAW.zeros_of = lambda like, shape: np.zeros(shape, like.dtype)


@instead(lambda call, args, kwargs: at("zeros", size=list(args[1]), **options_of(args[0])))
def _zeros_of(like: Tensor, shape: Any, *others: Tensor) -> Tensor:
    """Zeros of the dtype of a tensor, in as many rows as it and the others have (`core/memory/rows.py`)."""
    x = like._array
    return wrap(repeated(np.zeros(shape, x.dtype), x, *[t._array for t in others]))


TENSORS.zeros_of = _zeros_of
RAW.new_zeros_of = RAW.zeros_of


@instead(lambda call, args, kwargs: at("new_zeros", input=args[0], size=list(args[1])))
def _new_zeros_of(like: Tensor, shape: Any) -> Tensor:
    """The same, for formulas in which PyTorch calls it by another name."""
    return _zeros_of(like, shape)


TENSORS.new_zeros_of = _new_zeros_of


def common_dtype(arrays: Any) -> np.dtype[Any]:
    """The dtype of tensors joined: dimensions do not matter, every one counts."""
    d = from_numpy(arrays[0].dtype)
    for a in arrays[1:]:
        if a.dtype is not d.numpy:
            d = promote(d, from_numpy(a.dtype))
    return d.numpy


def _cat_backward(F: Any, grad: Any, tensors_shape: list[Any], dim: int, needs: list[Any]) -> list[Any]:
    lead = max((len(s) for s in tensors_shape), default=0)
    d = dim % lead if lead else 0
    outs = []
    start = 0
    for shape, need in zip(tensors_shape, needs, strict=True):
        if shape == (0,):
            outs.append(F.zeros_of(grad, shape) if need else None)
            continue
        end = start + shape[d]
        outs.append(F.slice(grad, d, start, end, 1) if need or (F is TENSORS and LOCAL.state.dispatch_modes) else None)
        start = end
    return outs


def _cat(tensors: list[Any], dim: int = 0) -> np.ndarray:
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    first = tensors[0]
    try:
        if first.ndim and first.shape != (0,) and type(dim) is int:
            numpy = first.dtype
            for t in tensors:
                if t.dtype is not numpy or t.ndim != first.ndim:
                    break
            else:
                r = np.concatenate(tensors, dim)
                if first.ndim > 3 and all(map(channels_last, tensors)):
                    return with_channels_last(r)
                return contiguous(r)
    except ValueError:
        pass
    return _cat_checked(tensors, dim)


def _cat_together(run: Any, args: Any, levels: Any, lanes: Any) -> Any:
    """The rows of many tensors joined at once; what has none is in each."""
    tensors, dim = args[0], args[1] if len(args) > 1 else 0
    ndim = tensors[0].ndim
    if type(dim) is not int or not -ndim <= dim < ndim or any(t.ndim != ndim or t.shape == (0,) for t in tensors):
        return None
    arrays = beside(tensors, ndim, levels)
    whole = [np.broadcast_to(a, (*lanes, *t.shape)) for a, t in zip(arrays, tensors, strict=True)]
    found = tried(run, (whole, dim if dim < 0 else dim - ndim))
    return None if found is None else Rows(found, levels)


def _lanes(tensors: Any) -> tuple[int, ...]:
    """How many rows each vmap counts of what is joined: sizes that errors name in front of those of a row."""
    return max((lanes_of(t.shape) for t in tensors), key=len)


def _cat_checked(tensors: Any, dim: Any) -> np.ndarray:
    refuse_numbers(*tensors)
    for i, t in enumerate(tensors):
        if t.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    real = [t for t in tensors if t.shape != (0,)]
    if not real:  # vectors without elements go with everything, whatever the dimension
        real, dim = tensors[:1], 0
    first = real[0]
    d = wrap_dim(dim, first.ndim)
    front = len(_lanes(tensors))
    for i, t in enumerate(tensors):
        if t.shape == (0,):
            continue
        if t.ndim != first.ndim:
            ndims = f"{front + first.ndim} and {front + t.ndim}"
            raise RuntimeError(f"Tensors must have same number of dimensions: got {ndims}")
        for k, (n, m) in enumerate(zip(first.shape, t.shape, strict=True)):
            if n != m and k != d:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {front + d}. Expected size {n} but got size {m} "
                    f"for tensor number {i} in the list."
                )
    numpy = common_dtype(tensors)
    r = np.concatenate([t if t.dtype is numpy else t.astype(numpy) for t in real], axis=d)
    return with_channels_last(r) if all(map(channels_last, real)) else contiguous(r)


def tensor_list(name: str, tensors: Any) -> Any:
    """A list of tensors as an argument; PyTorch's TypeError if it is none."""
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {typename(tensors)}")
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {typename(t)}")
    return tensors


def _short_join(entry: Op, call: Callable[..., Any]) -> Callable[..., Any]:
    """cat and stack of a list of tensors in the usual modes, in a third of the time that the general way takes where no
    Node is wanted."""
    kernel = entry.kernel

    def short_join(tensors: Any, dim: Any = 0, *, out: Any = None) -> Any:
        if out is None and type(dim) is int and not FLAGS.unusual and (type(tensors) is list or type(tensors) is tuple):
            arrays, recorded = [], False
            for t in tensors:
                if type(t) is not Tensor:
                    break
                recorded = recorded or (t._edge is not NO_EDGE and requires_grad(t))
                arrays.append(t._array)
            else:
                try:
                    t = wrap(kernel(arrays, dim))
                except Apart:
                    recorded = t = None
                if recorded:
                    recordable(t, tensors)
                    edges, _ = entry.edges(values := [tensors, dim])
                    return record(t, entry.new_node, tuple(edges), entry.saves(values, edges, (t,)))
                if t is not None:
                    return t
        return call(tensors, dim) if out is None else call(tensor_list(entry.name, tensors), dim, out=out)

    return short_join


op(
    "cat(Tensor[] tensors, int dim=0, *, Tensor out=None) -> Tensor|promote",
    method=False,
    vjp={"*": _cat_backward},
    short=_short_join,
    reads="late",
    doc="""
    Tensors one behind the other along an existing dimension.

    Shapes: all alike but for dim, where the sizes are added; an empty (0,) is passed over.
    Dtypes: any; the result has the promoted one.
    Errors: RuntimeError where other sizes differ.

    >>> x = torch.tensor([[1, 2]])
    >>> torch.cat([x, x], dim=0)
    tensor([[1, 2],
            [1, 2]])
    >>> torch.cat([x, x], dim=1)
    tensor([[1, 2, 1, 2]])
    """,
    out=Out(overlap="late", uncastable=UNCASTABLE),
    together=_cat_together,
)(_cat)
alias("concat", "cat", method=False)
alias("concatenate", "cat", method=False)


def _stack_backward(F: Any, grad: Any, tensors_shape: list[Any], dim: int) -> list[Any]:
    d = dim % (len(tensors_shape[0]) + 1)
    return [F.select(grad, d, i) for i in range(len(tensors_shape))]


def _stack(tensors: list[Any], dim: int = 0) -> np.ndarray:
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    shape, numpy, plain = tensors[0].shape, tensors[0].dtype, True
    d = wrap_dim(dim, len(shape) + 1)
    for i, t in enumerate(tensors):
        if t.shape != shape:
            front = _lanes(tensors)
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {[*front, *shape]} at entry 0 and "
                f"{[*front, *t.shape]} at entry {i}"
            )
        plain = plain and t.dtype is numpy and type(t) is np.ndarray
    if not plain:
        numpy = common_dtype(tensors)
    if not plain and Rows in map(type, tensors):
        return np.stack([t if t.dtype is numpy else t.astype(numpy) for t in tensors], d)
    if d < len(shape) > 3 and all(map(channels_last, tensors)):
        joined = np.concatenate([t if t.dtype is numpy else t.astype(numpy) for t in tensors], d)
        return with_channels_last(joined).reshape((*shape[:d], len(tensors), *shape[d:]))
    r = np.empty((*shape[:d], len(tensors), *shape[d:]), numpy)
    spots = r if not d else moved(r, d, 0)
    for i, t in enumerate(tensors):
        spots[i] = t
    return r


op(
    "stack(Tensor[] tensors, int dim=0, *, Tensor out=None) -> Tensor|promote",
    method=False,
    vjp={"*": _stack_backward},
    short=_short_join,
    reads="late",
    doc="""
    Tensors one behind the other along a new dimension.

    Shapes: all alike; k tensors give size k at dim.
    Dtypes: any; the result has the promoted one.

    >>> torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])], dim=1)
    tensor([[1, 3],
            [2, 4]])
    """,
    out=Out(overlap="late", uncastable=UNCASTABLE),
)(_stack)

# -- stacks by direction -----------------------------------------------------------------------------------------------


def _stacker(declaration: str, prepare: Any, dim: Any, doc: str, out: Any = None) -> None:
    name = declare(declaration, doc, out)

    def join(tensors: Any, *, out: Any = None) -> Tensor:
        tensor_list(name, tensors)
        if not tensors:
            raise RuntimeError(f"{name if name != 'row_stack' else 'vstack'} expects a non-empty TensorList")
        ready = prepare(tensors)
        d = dim if dim is not None else min(1, ready[0]._array.ndim - 1)
        return OPS["cat"].call(ready, d) if out is None else OPS["cat"].call(ready, d, out=out)

    publish(name, join, False, True, doc)


def _each(name: str) -> Any:
    return lambda tensors: [TENSORS.__dict__[name](t) for t in tensors]


def _columns(tensors: Any) -> list[Tensor]:
    return [t if t._array.ndim > 1 else TENSORS.reshape(t, (t._array.size, 1)) for t in tensors]


_stacker(
    "hstack(Tensor[] tensors, *, Tensor out=None) -> Tensor",
    _each("atleast_1d"),
    None,
    """
    Tensors side by side: cat along dimension 1, of vectors along 0.

    Shapes: all alike but for that dimension.
    Dtypes: any; the result has the promoted one.

    >>> torch.hstack([torch.tensor([1, 2]), torch.tensor([3])])
    tensor([1, 2, 3])
    """,
    out=Out(uncastable=UNCASTABLE),
)
_stacker(
    "vstack(Tensor[] tensors, *, Tensor out=None) -> Tensor",
    _each("atleast_2d"),
    0,
    """
    Tensors one below the other: cat along dimension 0; vectors count as rows.

    Shapes: all alike but for dimension 0.
    Dtypes: any; the result has the promoted one.

    >>> torch.vstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """,
    out=Out(uncastable=UNCASTABLE),
)
_stacker(
    "row_stack(Tensor[] tensors, *, Tensor out=None) -> Tensor", _each("atleast_2d"), 0, """Another name of vstack."""
)
_stacker(
    "dstack(Tensor[] tensors, *, Tensor out=None) -> Tensor",
    _each("atleast_3d"),
    2,
    """
    Tensors one behind the other: cat along dimension 2.

    Shapes: all alike but for dimension 2.
    Dtypes: any; the result has the promoted one.

    >>> torch.dstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[[1, 3],
             [2, 4]]])
    """,
    out=Out(uncastable=UNCASTABLE),
)
_stacker(
    "column_stack(Tensor[] tensors, *, Tensor out=None) -> Tensor",
    _columns,
    1,
    """
    Vectors as the columns of a matrix; matrices side by side.

    Shapes: all with the same number of rows.
    Dtypes: any; the result has the promoted one.

    >>> torch.column_stack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]])
    """,
    out=Out(uncastable=UNCASTABLE),
)

# -- block_diag --------------------------------------------------------------------------------------------------------


def _block_backward(F: Any, grad: Any, tensors_shape: list[Any]) -> list[Any]:
    outs = []
    row = column = 0
    for shape in tensors_shape:
        rows, columns = (1, 1, *shape)[-2:]
        if tuple(shape) == (0,):
            outs.append(F.zeros_of(grad, (0,)))
            row += 1
            continue
        part = F.slice(F.slice(grad, 0, row, row + rows, 1), 1, column, column + columns, 1)
        for _ in range(2 - len(shape)):
            part = F.squeeze(part, -1)
        outs.append(part)
        row, column = row + rows, column + columns
    return outs


def _block_diag(tensors: list[Any]) -> np.ndarray:
    for i, t in enumerate(tensors):
        if t.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {t.ndim} dimensions"
            )
    parts = [np.atleast_2d(t) for t in tensors]
    r = np.zeros((sum(p.shape[0] for p in parts), sum(p.shape[1] for p in parts)), common_dtype(tensors))
    row = column = 0
    for p in parts:
        rows, columns = p.shape
        r[row : row + rows, column : column + columns] = p
        row, column = row + rows, column + columns
    return r


_BLOCK = OPS["block_diag"] = Op("block_diag", _block_diag, "*tensors", vjp={"*": _block_backward})


@composite("block_diag(Tensor[] tensors) -> Tensor", method=False, reads="itself")
def block_diag(*tensors: Tensor) -> Tensor:
    """
    sig: (*tensors)
    Matrices along the diagonal of a larger one, 0 elsewhere.

    Shapes: at most two dimensions each; rows and columns are added up.
    Dtypes: any; the result has the promoted one.

    >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor([[3], [4]]))
    tensor([[1, 2, 0],
            [0, 0, 3],
            [0, 0, 4]])
    """
    if not tensors:
        return wrap(np.zeros((1, 0), np.float32))
    blocks = tensor_list("block_diag", list(tensors))
    return counted(_BLOCK.call(blocks), 1 + len(blocks), *blocks)  # zeros, then a block at a time


# -- grids -------------------------------------------------------------------------------------------------------------

_INDEXING = "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."


@composite(
    """
    meshgrid(Tensor[] tensors) -> Tensor[]
    meshgrid(Tensor[] tensors, *, str indexing) -> Tensor[]|.indexing
    """,
    method=False,
    reads="itself",
)
def meshgrid(*tensors: Any, indexing: Any = None) -> tuple[Tensor, ...]:
    """
    sig: (*tensors, indexing=None)
    The coordinates of a grid: one tensor for each vector, with its elements along one dimension. indexing='ij' or
    'xy'.

    Shapes: vectors with n and m elements give two tensors (n, m), or (m, n) for 'xy'.
    Dtypes: all the same.

    >>> rows, columns = torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4, 5]), indexing='ij')
    >>> rows
    tensor([[1, 1, 1],
            [2, 2, 2]])
    >>> columns
    tensor([[3, 4, 5],
            [3, 4, 5]])
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    tensor_list("meshgrid", list(tensors))
    if not isinstance(indexing, str | None):
        explain("meshgrid", (tensors,), {"indexing": indexing}, "torch")
    if indexing is None:
        warn_once(_INDEXING, at="aten/src/ATen/native/TensorShape.cpp:4215")
        indexing = "ij"
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if any(t._array.dtype is not tensors[0]._array.dtype for t in tensors):
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if any(t.device != tensors[0].device for t in tensors):
        raise RuntimeError("meshgrid expects all tensors to have the same device")
    for t in tensors:
        if t._array.ndim > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {cxx_text(t._array)}"
            )
    swap = indexing == "xy" and len(tensors) >= 2
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    given = (tensors[1], tensors[0], *tensors[2:]) if swap else tensors
    sizes = tuple(t._array.size for t in given)
    n = len(given)
    grids = [
        TENSORS.expand(TENSORS.view(t, (1,) * i + (t._array.size,) + (1,) * (n - i - 1)), sizes)
        for i, t in enumerate(given)
    ]
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


def _vectors(tensors: Any) -> None:
    for t in tensors:
        if t._array.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(t.shape)}")


@composite("cartesian_prod(Tensor[] tensors) -> Tensor", method=False, reads="itself")
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """
    sig: (*tensors)
    All ways to choose one element of each vector, one row each.

    Shapes: vectors with n, m, … elements give (n*m*…, number of vectors).
    Dtypes: all the same.

    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    explain("cartesian_prod", (tensors,), {}, "torch")
    _vectors(tensors)
    if len(tensors) == 1:
        return tensors[0]
    return OPS["stack"].call([TENSORS.flatten(g) for g in meshgrid(*tensors, indexing="ij")], 1)


@composite(
    "combinations(Tensor input, int r=2, bool with_replacement=False) -> Tensor|uint_masked_select", method=False
)
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All ways to choose r elements of a vector, one row each.

    Shapes: (n,) gives (number of ways, r).
    ~same-dtype

    >>> torch.combinations(torch.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    _vectors([input])
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return wrap(np.empty((0,), input._array.dtype))
    n = input._array.size
    grids = meshgrid(*[input] * r, indexing="ij")
    places = np.indices((n,) * r)
    mask = np.ones((n,) * r, np.bool_)
    for a, b in itertools.pairwise(places):
        mask &= a <= b if with_replacement else a < b
    chosen = wrap(mask)
    return OPS["stack"].call([TENSORS.masked_select(g, chosen) for g in grids], 1)
