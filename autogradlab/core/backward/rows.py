"""Many gradients in one backward pass: the rows of a Jacobian, or a batch of grad_outputs.

They go through the graph together, as `Rows`: one array, whose first dimension counts them. A formula sees what it
would see of a row, its shape and its arithmetic, and does to all rows at once what it does to one. What it cannot do so
is done row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ..graph.backend import RAW
from ..graph.node import Node
from ..types.dims import shape_arg, wrap_dim

__all__ = ["ONE_BY_ONE", "Apart", "Rows", "each", "run_rows"]


class Apart(Exception):
    """What is asked for can be done to one row at a time only."""


#: what tells that a formula is to be run row by row, where an error that it makes in earnest will come again
ONE_BY_ONE = (Apart, AttributeError, TypeError, ValueError)


class Rows(NDArrayOperatorsMixin):
    """Arrays of the same shape and dtype, in one: `whole`."""

    __slots__ = ("whole",)

    def __init__(self, whole: Any) -> None:
        self.whole: np.ndarray = whole

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a row."""
        return self.whole.shape[1:]

    @property
    def ndim(self) -> int:
        """The number of dimensions of a row."""
        return self.whole.ndim - 1

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of a row."""
        return self.whole.dtype

    @property
    def real(self) -> Rows:
        """The real part of each row."""
        return Rows(self.whole.real)

    def reshape(self, *size: Any) -> Rows:
        """Each row in another shape."""
        sizes = shape_arg(size)
        if not self.whole.size:
            raise Apart
        return Rows(self.whole.reshape(len(self.whole), *sizes))

    def astype(self, dtype: Any, copy: bool = True) -> Rows:
        """Each row in another dtype."""
        return Rows(self.whole.astype(dtype, copy=copy))

    def beside(self, ndim: int) -> np.ndarray:
        """All rows, with sizes of 1 in front of theirs: a row broadcasts as before against arrays of `ndim`."""
        x = self.whole
        return x if x.ndim > ndim else x.reshape(len(x), *(1,) * (ndim + 1 - x.ndim), *x.shape[1:])

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Rows:
        if options.get("out") is not None:
            raise Apart
        if method == "reduce" and options.keys() <= {"axis", "dtype", "keepdims"}:
            axis = options.get("axis", 0)
            axes = range(self.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
            options["axis"] = tuple([wrap_dim(d, self.ndim) + 1 for d in axes])
            return Rows(np.asarray(ufunc.reduce(self.whole, **options)))
        ndims = [getattr(x, "ndim", 0) for x in inputs]
        if method != "__call__" or ufunc.nout > 1 or (ufunc.signature and min(ndims) < 2):
            raise Apart
        most = max(ndims)
        return Rows(ufunc(*[x.beside(most) if isinstance(x, Rows) else x for x in inputs], **options))

    def _apart(self, *args: Any, **options: Any) -> Any:
        raise Apart

    #: whatever else would take it for an array or for a number
    __array__ = __bool__ = __float__ = __getitem__ = __int__ = __iter__ = __len__ = _apart
    __array_function__ = __setitem__ = _apart


def _row(x: Any, i: int) -> Any:
    """One row, of what may be Rows or a list of them."""
    return x.whole[i, ...] if type(x) is Rows else [_row(y, i) for y in x] if type(x) is list else x


def _joined(found: Sequence[Any]) -> Any:
    """The results of all rows in one."""
    if isinstance(found[0], (tuple, list)):
        return type(found[0])([_joined(part) for part in zip(*found, strict=True)])
    return None if found[0] is None else Rows(np.stack(found))


def each(run: Callable[..., Any], args: Sequence[Any]) -> Any:
    """What a function gives with one row after the other, as Rows."""
    count = next(len(x.whole) for x in args if type(x) is Rows)
    return _joined([run(*[_row(x, i) for x in args]) for i in range(count)])


def run_rows(node: Node, grad: Any, count: int, F: Any) -> tuple[Any, ...]:
    """What `node.run` gives, for `count` rows; `F` is the namespace on which formulas run with Rows."""
    try:
        outs = node.run(grad, F)
    except ONE_BY_ONE:
        outs = _joined([tuple(node.run(_row(grad, i), RAW)) for i in range(count)])
    return tuple([g if g is None or type(g) is Rows else _repeated(g, count) for g in outs])


def _repeated(g: Any, count: int) -> Rows:
    """A gradient that is the same in every row."""
    array = np.asarray(g)
    return Rows(np.broadcast_to(array, (count, *array.shape)))
