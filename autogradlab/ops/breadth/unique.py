"""The distinct elements of a tensor, or its distinct slices along a dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.memory.absent import require_contents
from ...core.memory.places import moved
from ...core.memory.rows import Rows
from ...core.recording.record import RAW, not_implemented
from ...core.runtime.errors import ROWS_DYNAMIC
from ...core.tensor.tensor import Tensor
from ...core.types.dims import wrap_dim
from ..common.sorting import keys_of
from ..first.kinds import refuse
from ..first.selecting import SMALL, row_order
from ..table.families import method
from ..table.opdef import OPS, Op, composite
from ..table.publishing import called_by, inner
from ..table.signatures import explain

_OUTPUTS = ("output", "inverse", "counts")


def _not_differentiable(name: str) -> Any:
    return {"input": not_implemented(name)}


def _runs(rows: np.ndarray) -> np.ndarray:
    """Where a row differs from the one before it."""
    starts = np.ones(len(rows), bool)
    if len(rows) > 1:
        differ = rows[1:] != rows[:-1]
        starts[1:] = differ if rows.ndim == 1 else differ.any(axis=1)
    return starts


def _numbers(starts: np.ndarray, places: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """To which run each element belongs, and how long the runs are. `places`:
    where the elements were before sorting."""
    number = np.cumsum(starts, dtype=np.int64) - 1
    inverse = number
    if places is not None:
        inverse = np.empty_like(number)
        inverse[places] = number
    return inverse, np.diff(np.append(np.flatnonzero(starts), len(starts))).astype(np.int64)


def _unique2(
    input: np.ndarray, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    require_contents("aten::_unique2", input)
    if isinstance(input, Rows):
        raise RuntimeError(ROWS_DYNAMIC.format("_unique2"))
    refuse(input, "unique", "c")
    x = input.reshape(-1)
    if not return_inverse:
        kept = np.sort(keys_of(x), kind="stable")
        starts = _runs(kept)
        empty = np.zeros(0, np.int64)
        return kept[starts].astype(x.dtype), empty, _numbers(starts, None)[1] if return_counts else empty
    keys = keys_of(x)
    places = np.argsort(keys, kind="stable")
    starts = _runs(keys[places])
    inverse, counts = _numbers(starts, places)
    return x[places][starts], inverse.reshape(input.shape), counts


def _rows(input: np.ndarray, dim: int) -> tuple[np.ndarray, np.ndarray, int]:
    """The slices along a dimension, one behind the other, and each as a row."""
    d = wrap_dim(dim, input.ndim, scalar_ok=False)
    if not input.size:
        zeros = sum(n == 0 for n in input.shape)
        if input.shape[d]:
            raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
        if zeros > 1:
            raise RuntimeError("Number of zero sized dimensions is more than one, so unique cannot be applied ")
    slices = moved(input, d, 0)
    return slices, keys_of(slices.reshape(len(slices), -1) if slices.size else np.zeros((0, 1), input.dtype)), d


def _gathered(slices: np.ndarray, places: np.ndarray, d: int) -> np.ndarray:
    return moved(np.array(slices[places], order="C"), 0, d)


def unique_dim(
    input: np.ndarray, dim: int, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    require_contents("aten::unique_dim", input)
    wrap_dim(dim, input.ndim, scalar_ok=False)
    refuse(input, "unique_dim", "c")
    slices, rows, d = _rows(input, dim)
    if not len(rows):
        places = np.zeros(0, np.int64)
    elif rows.size <= SMALL and np.isnan(rows).any():
        places = np.array(row_order(rows))
    else:
        places = np.lexsort(rows.T[::-1])
    starts = _runs(rows[places])
    inverse, counts = _numbers(starts, places)
    return _gathered(slices, places[starts], d), inverse, counts


def _consecutive(
    input: np.ndarray, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    require_contents("aten::unique_consecutive", input)
    if dim is None or (input.ndim == 1 and dim in (0, -1)):
        refuse(input, "unique", "c")
        x = input.reshape(-1)
        starts = _runs(x)
        inverse, counts = _numbers(starts, None)
        return x[starts], inverse.reshape(input.shape), counts
    wrap_dim(dim, input.ndim, scalar_ok=False)
    refuse(input, "unique_dim", "c")
    slices, rows, d = _rows(input, dim)
    starts = _runs(rows)
    inverse, counts = _numbers(starts, None)
    return _gathered(slices, np.flatnonzero(starts), d), inverse, counts


def _entry(name: str, kernel: Any, node: str, inner_writes: Any = lambda x, *_: x.size > 0) -> Op:
    made = OPS[name] = Op(
        name,
        kernel,
        node=node,
        outputs=_OUTPUTS,
        differentiable=1,
        vjp=_not_differentiable(name),
        reads="itself",
        dynamic=ROWS_DYNAMIC.format(name),
        forwardless=name,
        inner_writes=inner_writes,
    )
    setattr(RAW, name, kernel)
    return made


_FLAT = _entry("_unique2", _unique2, "Unique2Backward0")
_DIM = _entry("unique_dim", unique_dim, "UniqueDimBackward0", 0)
_CONSECUTIVE = _entry("unique_consecutive", _consecutive, "UniqueConsecutiveBackward0", 0)


def _asked(found: tuple[Tensor, ...], inverse: bool, counts: bool) -> Any:
    kept = (found[0], *([found[1]] if inverse else []), *([found[2]] if counts else []))
    return kept if len(kept) > 1 else kept[0]


_FLAGS = "bool sorted=True, bool return_inverse=False, bool return_counts=False) -> Tensor[]"
_check_flat, _check_dim = (
    inner(f"_unique2(Tensor input, {_FLAGS}"),
    inner(f"unique_dim(Tensor input, int dim, {_FLAGS}"),
)


#: the flags of `unique`, with their places, and how PyTorch names what they lead to
_ASKED = {"return_inverse": 2, "return_counts": 3}
_CONSECUTIVELY_ASKED = {"return_inverse": 2, "return_counts": 1}  # as PyTorch has them, one too far and one too near
_NAMES = {
    (False, False): "return_output",
    (False, True): "return_counts",
    (True, False): "return_inverse",
    (True, True): "return_inverse_and_counts",
}


@composite("unique -> Tensor | Tensor[]", method=False, reads="itself")
@called_by(_ASKED, {key: "_" + name for key, name in _NAMES.items()})
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct values, sorted; on request also the index of each element's value among them, and how often each
    value occurs. With dim, the distinct slices.

    Shapes: input any; (k,) for k different values, or input's shape with k at dim. inverse has input's shape,
    counts (k,).
    Dtypes: real numbers and bool; the other results are int64.

    >>> torch.unique(torch.tensor([3, 1, 3, 2]))
    tensor([1, 2, 3])
    >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    flags = {"sorted": sorted, "return_inverse": return_inverse, "return_counts": return_counts}
    if dim is None:
        _check_flat(input, **flags)
        found = _FLAT.call(input, sorted, return_inverse, return_counts)
    else:
        _check_dim(input, dim, **flags)
        found = _DIM.call(input, dim, sorted, return_inverse, return_counts)
    return _asked(found, return_inverse, return_counts)


@method("unique")
def _unique(
    self: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    return unique(self, sorted, return_inverse, return_counts, dim)


@composite(
    """
    unique_consecutive(Tensor input, bool return_inverse=False, bool return_counts=False,
        int? dim=None) -> Tensor | Tensor[]|function
    """,
    method=False,
    reads="itself",
)
@called_by(_CONSECUTIVELY_ASKED, {key: "_consecutive_" + name for key, name in _NAMES.items()})
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The values without immediate repetitions; unique without sorting.

    Shapes: (k,) for k runs of equal elements, or input's shape with k at dim.
    Dtypes: real numbers and bool; the other results are int64.

    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]), return_counts=True)
    (tensor([1, 2, 1]), tensor([2, 1, 1]))
    """
    flags = {"return_inverse": return_inverse, "return_counts": return_counts}
    explain("unique_consecutive", (input,), {**flags, "dim": dim}, "torch")
    return _asked(_CONSECUTIVE.call(input, return_inverse, return_counts, dim), return_inverse, return_counts)


@method("unique_consecutive")
def _consecutives(
    self: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    return unique_consecutive(self, return_inverse, return_counts, dim)
