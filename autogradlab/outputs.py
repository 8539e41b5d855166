"""The out= form of operations: written once for all of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import errors, modes
from .promotion import check_cast
from .tensor import Tensor, requires_grad
from .views import bump

__all__ = ["write"]


def write(operation: Any, out: Any, r: Any, inputs: Any) -> Any:
    """Write the result(s) `r` into `out` (a tensor, or a tuple of them) and return it."""
    if isinstance(out, Tensor):
        _check(operation.name, (*_tensors(inputs), out))
        _write(out, np.asarray(r))
        return out
    outs = tuple(out)
    _check(operation.name, (*_tensors(inputs), *outs))
    for o, a in zip(outs, r, strict=True):
        _write(o, np.asarray(a))
    return operation.returns(outs) if operation.returns is not None else outs


def _tensors(inputs: Any) -> list[Tensor]:
    found: list[Tensor] = []
    for value in inputs:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found.extend(v for v in value if isinstance(v, Tensor))
    return found


def _check(name: str, tensors: tuple[Tensor, ...]) -> None:
    if modes.current().grad and any(requires_grad(t) for t in tensors):
        raise RuntimeError(errors.OUT_GRAD.format(name))


def _write(out: Tensor, r: np.ndarray) -> None:
    check_cast(r.dtype, out._array.dtype)
    if out._array.shape != r.shape:
        if out._array.size:
            warnings.warn(errors.OUT_RESIZED.format(list(out.shape), list(r.shape)), UserWarning, stacklevel=5)
        from .ops.memory import resize

        resize(out, r.shape)
    out._array[...] = r
    bump(out)
