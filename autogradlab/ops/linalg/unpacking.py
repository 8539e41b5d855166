"""LU factors in one matrix, as LAPACK leaves them: made by the old `lu`, taken apart by `lu_unpack`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.arguments.mismatch import typename
from ...core.recording.record import TENSORS, sizes_of
from ...core.runtime.warn import warn_once
from ...core.tensor.tensor import Tensor
from ...core.types.return_types import named
from ..table.families import method
from ..table.opdef import composite, op
from ..table.outputs import EXPECTED, Out
from ..table.publishing import called_by, inner
from .factors import permutation_matrix

_lu_with_info = inner("_lu_with_info(Tensor input, bool pivot=True, bool check_errors=True) -> Tensor[]")
_LU_WITH_INFO = named("_lu_with_info", ("LU", "pivots", "info"))
_LU_UNPACK = named("lu_unpack", ("P", "L", "U"))


@composite("lu -> (Tensor LU, Tensor pivots)", method=False, reads="itself")
@called_by({"get_infos": 2}, {(False,): "_lu_no_infos", (True,): "_lu_with_infos"})
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    """L and U in one matrix, and the rows that were exchanged; get_infos=True adds what linalg.lu_factor_ex calls
    info.

    Shapes: (..., m, n) gives (..., m, n) and (..., k).
    Dtypes: float and complex; pivots are int32 and count from 1. Deprecated: linalg.lu_factor does the same.

    >>> LU, pivots = torch.lu(torch.tensor([[0., 2.], [4., 6.]]))
    >>> pivots
    tensor([2, 2], dtype=torch.int32)
    """
    _lu_with_info(A, pivot=pivot, check_errors=not get_infos)
    warn_once(
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be "
        "removed in a "
        "future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = "
        "torch.linalg.lu_factor(A, compute_pivots)\nand\n"
        "LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\n"
        "should be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
        at="aten/src/ATen/native/BatchLinearAlgebra.cpp:2073",
    )
    made = tuple(TENSORS.linalg_lu_factor_ex(A, pivot=pivot))  # PyTorch checks nothing here
    made = _LU_WITH_INFO(made) if get_infos else made[:2]
    if out is None:
        return made
    count = 3 if get_infos else 2
    if len(out) != count:
        raise TypeError(f"expected tuple of {count} elements but got {len(out)}")
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"argument 'out' must be tuple of Tensors, not {typename(out)}")
    for target, t in zip(out, made, strict=True):
        target.resize_(t.shape).copy_(t)
    return out


@method("lu")
def _lu(self: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    return tuple(lu(self, pivot, get_infos))


def _backward(F: Any, grads: list[Any], LU_data_shape: tuple[int, ...]) -> Any:
    m, n = LU_data_shape[-2:]
    k = min(m, n)
    low, high = grads[:2]
    if low is not None and high is not None:
        if m == n:
            return F.tril(low, -1) + F.triu(high, 0)
        square = [x if size == k else F.slice(x, d, 0, k, 1) for x, d, size in ((low, -2, m), (high, -1, n))]
        more, dim = (F.slice(low, -2, k, m, 1), -2) if m > n else (F.slice(high, -1, k, n, 1), -1)
        return F.cat([F.tril(square[0], -1) + F.triu(square[1], 0), more], dim)
    if low is not None:
        g = F.tril(low, -1)
        return g if m >= n else F.cat([g, F.zeros_of(g, (*low.shape[:-1], n - m))], -1)
    if high is None:
        return None
    g = F.triu(high, 0)
    return g if n >= m else F.cat([g, F.zeros_of(g, (*high.shape[:-2], m - n, n))], -2)


def _result(made: Any) -> Any:
    return _LU_UNPACK((made[2], made[0], made[1]))


# P has no gradient, so it comes last among the results and first among what is returned
@op(
    """
    lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True, *,
        Tensor[3] out=None) -> (Tensor P, Tensor L, Tensor U)|uint_triu
    """,
    method=False,
    outputs=("L", "U", "P"),
    differentiable=2,
    returns=_result,
    vjp={"LU_data": _backward},
    out=Out(exact=EXPECTED),
    shown={"LU_data_shape": ""},
    constants=sizes_of("LU_data_shape", -2, -1),
)
def lu_unpack(
    LU_data: np.ndarray, LU_pivots: np.ndarray, unpack_data: bool = True, unpack_pivots: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The three matrices packed in the results of lu_factor: P L U is the matrix that was factored.

    Shapes: (..., m, n) and (..., k) give (..., m, m), (..., m, k) and (..., k, n).
    Dtypes: float and complex, and int32 for LU_pivots.
    Errors: RuntimeError for pivots of another dtype.

    >>> A = torch.tensor([[0., 2.], [4., 6.]])
    >>> P, L, U = torch.lu_unpack(*torch.linalg.lu_factor(A))
    >>> P @ L @ U
    tensor([[0., 2.],
            [4., 6.]])
    """
    if LU_data.ndim < 2:
        raise RuntimeError(
            f"torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {list(LU_data.shape)} instead"
        )
    if unpack_pivots and LU_pivots.dtype != np.int32:
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
            "Note: this function is intended to be used with the output produced by torch.linalg.lu_factor"
        )
    m, n = LU_data.shape[-2:]
    k = min(m, n)
    low = high = matrix = np.empty(0, LU_data.dtype)
    if unpack_data:
        low = np.ascontiguousarray(np.tril(LU_data[..., :, :k], -1) + np.eye(m, k, dtype=LU_data.dtype))
        high = np.ascontiguousarray(np.triu(LU_data[..., :k, :]))
    if unpack_pivots:
        if ((LU_pivots < 1) | (LU_pivots > m)).any():
            raise RuntimeError(
                "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass the "
                "result of lu_factor?"
            )
        matrix = np.ascontiguousarray(permutation_matrix(LU_pivots, m, LU_data.dtype))
    return low, (high if unpack_data else high.copy()), (matrix if unpack_pivots else matrix.copy())
