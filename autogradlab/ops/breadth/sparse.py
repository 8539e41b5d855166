"""What tensors of sparse layouts are asked, of strided ones: most of it is refused."""

from __future__ import annotations

from typing import Any

from ...core.recording.record import TENSORS as F
from ...core.tensor.tensor import Tensor
from ..table.opdef import composite

_COO, _ROWS, _COLUMNS = "sparse coordinate", "sparse row compressed", "sparse column compressed"


def _refuses(name: str, layout: str, says: str) -> None:
    def refuse(input: Tensor) -> Tensor:
        raise RuntimeError(f"{name} expected {layout} tensor layout but got Strided")

    refuse.__name__ = name
    refuse.__doc__ = f"""
    {says}, of a tensor of a {layout} layout.

    Errors: RuntimeError for any other tensor, and so for all of this library.

    >>> torch.ones(2).{name}()
    Traceback (most recent call last):
    RuntimeError: {name} expected {layout} tensor layout but got Strided
    """
    composite(f"{name}(Tensor input) -> Tensor|noargs", function=False)(refuse)


_refuses("coalesce", _COO, "The same tensor with each place named once")
_refuses("indices", _COO, "The places of the elements that are stored")
_refuses("is_coalesced", _COO, "Whether each place is named once")
_refuses("values", "sparse", "The elements that are stored")
_refuses("crow_indices", _ROWS, "Where each row begins")
_refuses("col_indices", _ROWS, "The columns of the elements that are stored")
_refuses("ccol_indices", _COLUMNS, "Where each column begins")
_refuses("row_indices", _COLUMNS, "The rows of the elements that are stored")


@composite("sparse_dim(Tensor input) -> int|noargs", function=False)
def sparse_dim(input: Tensor) -> int:
    """
    The number of sparse dimensions: 0.

    >>> torch.ones(2, 3).sparse_dim()
    0
    """
    return 0


@composite("dense_dim(Tensor input) -> int|noargs", function=False)
def dense_dim(input: Tensor) -> int:
    """
    The number of dense dimensions: all.

    >>> torch.ones(2, 3).dense_dim()
    2
    """
    return input.dim()


@composite("to_dense(Tensor input, ScalarType? dtype=None, *, bool? masked_grad=None) -> Tensor", function=False)
def to_dense(input: Tensor, dtype: Any = None, *, masked_grad: Any = None) -> Tensor:
    """
    The tensor itself, which is dense; a copy where another dtype is asked for.

    Shapes: any; the result has input's shape.

    >>> x = torch.ones(2)
    >>> x.to_dense() is x
    True
    """
    found: Tensor = input if dtype is None else F.to(input, dtype)
    return found
