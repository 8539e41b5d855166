"""Complex tensors made of two real ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..opdef import op
from ..promotion import broadcast_error
from ..record import RAW


def _check(first: np.ndarray, second: np.ndarray) -> None:
    a, b = (dtypes.from_numpy(x.dtype) for x in (first, second))
    if a.name not in _PARTS or b.name not in _PARTS:
        raise RuntimeError("Expected both inputs to be Half, Float or Double tensors but got "
                           f"{dtypes._scalar_name(a)} and {dtypes._scalar_name(b)}")  # fmt: skip
    if a is not b:
        raise RuntimeError(f"Expected object of scalar type {dtypes._scalar_name(a)} but got scalar type "
                           f"{dtypes._scalar_name(b)} for second argument")  # fmt: skip
    if a.itemsize == 2:
        raise NotImplementedError("autogradlab has no complex numbers of 16-bit parts")
    try:
        np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        broadcast_error(first.shape, second.shape)


_PARTS = ("float16", "float32", "float64")


def _numpy(part: np.ndarray) -> Any:
    return np.complex128 if part.dtype.itemsize == 8 else np.complex64


@op("complex", "real imag", method=False, vjp={
    "real": lambda F, grad: grad.real,
    "imag": lambda F, grad: grad.imag,
})  # fmt: skip
def complex_(real, imag):
    """complex(real, imag): the complex tensor of two parts.

    >>> import autogradlab as torch
    >>> torch.complex(torch.tensor([1.]), torch.tensor([2.]))
    tensor([1.+2.j])
    """
    _check(real, imag)
    result = np.empty(np.broadcast_shapes(real.shape, imag.shape), _numpy(real))
    result.real, result.imag = real, imag
    return result


@op("polar", "abs angle", method=False, vjp={
    "abs angle": lambda F, grad, angle, result: (
        (grad.conj() * F.polar(F.ones_like(angle), angle)).real, (grad.conj() * (result * 1j)).real),
})  # fmt: skip
def polar(abs, angle):
    """polar(abs, angle): the complex tensor of lengths and angles.

    >>> import autogradlab as torch
    >>> torch.polar(torch.tensor([2.]), torch.tensor([0.]))
    tensor([2.+0.j])
    """
    _check(abs, angle)
    result = np.empty(np.broadcast_shapes(abs.shape, angle.shape), _numpy(abs))
    result.real, result.imag = abs * np.cos(angle), abs * np.sin(angle)
    return result


RAW.ones_like = np.ones_like
