"""Householder reflections as LAPACK stores them: geqrf and ormqr."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.recording.record import not_implemented
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import scalar_name
from ...core.types.return_types import named
from ...core.values.promotion import can_cast
from ..common.blas import adjoint
from ..first.kinds import BOOL, HALF, INTEGERS, refuse
from ..table.opdef import op
from ..table.outputs import same_dtype
from .exponential import householder_backward
from .factors import columns


def _castable(input: Tensor, outs: Sequence[Tensor]) -> None:
    for name, out in zip(("a", "tau"), outs, strict=True):
        if not can_cast(input._array.dtype, out._array.dtype):
            raise RuntimeError(
                f"torch.geqrf: Expected {name} to be safely castable from {scalar_name(input)} dtype, but got {name} "
                f"with dtype {scalar_name(out)}"
            )


@op(
    "geqrf(Tensor input, *, Tensor[2] out=None) -> (Tensor a, Tensor tau)|fp32|.default|.a",
    outputs=("a", "tau"),
    returns=named("geqrf", ("a", "tau")),
    vjp={"input": not_implemented("geqrf")},
    forwardless="geqrf",
    real=True,
    check_out=_castable,
)
def geqrf(input: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The reflections whose product is the Q of a QR decomposition: R above, their vectors below the diagonal of `a`.

    Shapes: (..., m, n) gives (..., m, n) and (..., k), k the smaller of m and n.
    ~floats

    >>> a, tau = torch.geqrf(torch.tensor([[3., 1.], [4., 2.]]))
    >>> a.triu().abs()
    tensor([[5.0000, 2.2000],
            [0.0000, 0.4000]])
    """
    if input.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    refuse(input, "geqrf_cpu", BOOL + INTEGERS + HALF)
    m, n = input.shape[-2:]
    if not input.size:
        return columns(input.copy()), np.zeros((*input.shape[:-2], min(m, n)), input.dtype)
    a, tau = np.linalg.qr(input, mode="raw")
    return columns(a.swapaxes(-1, -2)), tau


def _ormqr_backward(
    F: Any, grad: Any, result: Any, input: Any, input2: Any, input3: Any, left: bool, transpose: bool, needs: list[Any]
) -> list[Any]:
    """The gradient of the whole m × m product, of which `input` holds the vectors."""
    (m, n), tau, other = input.shape[-2:], input2, input3
    if left:
        product = F.matmul(other, adjoint(F, grad)) if transpose else F.matmul(grad, adjoint(F, other))
    else:
        product = F.matmul(adjoint(F, grad), other) if transpose else F.matmul(adjoint(F, other), grad)
    batch = tuple(input.shape[:-1])
    vectors = F.cat([input, F.zeros_of(input, (*batch, m - n))], -1) if n < m else F.slice(input, -1, 0, m, 1)
    found, sizes = householder_backward(F, product, vectors, tau)
    if found is not None and n < m:
        found = F.slice(found, -1, 0, n, 1)
    elif found is not None and n > m:
        found = F.cat([found, F.zeros_of(input, (*batch, n - m))], -1)
    return [found, sizes, F.ormqr(input, tau, grad, left, not transpose)]


def _alike(input: np.ndarray, **others: np.ndarray) -> None:
    for name, x in others.items():
        if x.dtype != input.dtype:
            raise RuntimeError(
                f"torch.ormqr: Expected input and {name} to have the same dtype, but input has "
                f"dtype{scalar_name(input)} and {name} has dtype {scalar_name(x)}"
            )


def _check(input: np.ndarray, tau: np.ndarray, other: np.ndarray, left: bool) -> None:
    who = "torch.ormqr: "
    for name, x in (("input", input), ("other", other)):
        if x.ndim < 2:
            raise RuntimeError(f"{who}{name} must have at least 2 dimensions.")
    side = -2 if left else -1
    if other.shape[side] != input.shape[-2]:
        raise RuntimeError(f"{who}other.shape[{side}] must be equal to input.shape[-2]")
    if tau.shape[-1] != min(other.shape[side], input.shape[-1]):
        raise RuntimeError(f"{who}tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])")
    if input.ndim - tau.ndim != 1:
        raise RuntimeError(
            f"{who}Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.ndim} and "
            f"input.ndim is equal to {input.ndim}"
        )
    if input.ndim != other.ndim:
        raise RuntimeError(
            f"{who}Expected other to have the same number of dimensions as input, but got other.ndim equal to "
            f"{other.ndim} and input.ndim is equal to {input.ndim}"
        )
    for name, sizes in (("tau", tau.shape[:-1]), ("other", other.shape[:-2])):
        if sizes != input.shape[:-2]:
            raise RuntimeError(
                f"{who}Expected batch dimensions of {name} to be equal to input.shape[:-2], but got {list(sizes)}"
            )
    _alike(input, tau=tau, other=other)
    refuse(input, "ormqr_cpu", BOOL + INTEGERS + HALF)


@op(
    "ormqr(Tensor input, Tensor input2, Tensor input3, bool left=True, bool transpose=False, *, Tensor out=None) "
    "-> Tensor|fp32|looped",
    "input input2 input3",
    vjp={"input input2 input3": _ormqr_backward},
    forwardless="ormqr",
    check_out=same_dtype(
        "torch.ormqr: Expected input and result to have the same dtype, but input has dtype{0} and result has dtype {1}"
    ),
)
def ormqr(
    input: np.ndarray, input2: np.ndarray, input3: np.ndarray, left: bool = True, transpose: bool = False
) -> np.ndarray:
    """A matrix times the product of Householder reflections that geqrf gives, without that product being made.

    Shapes: input (..., m, n), input2 (..., k), input3 (..., m, p), with left=False (..., p, m); the result is like
    input3.
    ~floats

    >>> A = torch.tensor([[3., 1.], [4., 2.]])
    >>> a, tau = torch.geqrf(A)
    >>> torch.allclose(torch.ormqr(a, tau, a.triu()), A)
    True
    """
    tau, other = input2, input3
    _check(input, tau, other, left)
    r = np.array(other if left else other.conj().swapaxes(-1, -2))
    forth = transpose == left
    places = range(tau.shape[-1])
    for i in places if forth else reversed(places):
        v = np.array(input[..., :, i])
        v[..., :i] = 0
        v[..., i] = 1
        size = (tau.conj() if forth else tau)[..., i, None, None]
        r -= size * v[..., :, None] * (v.conj()[..., None, :] @ r)
    return columns(r if left else r.conj().swapaxes(-1, -2))
