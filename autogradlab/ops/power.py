"""pow in its three forms (tensor and number, two tensors, number and tensor) and their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..opdef import composite
from ..promotion import is_number, result_dtype
from ..record import RAW, TENSORS
from ..tensor import Tensor


def _in_both_worlds(fn: Any) -> Any:
    """A derivative helper for plain and recorded backward: the same formula with kernels or with operations."""
    setattr(RAW, fn.__name__, lambda *args: fn(RAW, *args))
    setattr(TENSORS, fn.__name__, lambda *args: fn(TENSORS, *args))
    return fn


@_in_both_worlds
def pow_backward(F, grad, input, exponent):  # type: ignore[no-untyped-def]
    if exponent == 0:
        return grad * 0
    return grad * F.conj(exponent * F.pow(input, exponent - 1))


@_in_both_worlds
def pow_backward_self(F, grad, input, other):  # type: ignore[no-untyped-def]
    return F.where(other == 0, F.zero_dim(grad), grad * F.conj(other * F.pow(input, other - 1)))


@_in_both_worlds
def pow_backward_exponent(F, grad, input, exponent, result):  # type: ignore[no-untyped-def]
    if is_number(input):
        if input == 0:
            return F.where(exponent >= 0, F.zero_dim(grad), grad * F.conj(result * F.log(F.zero_dim(grad) + input)))
        return grad * F.conj(result * np.log(input).item())
    return F.where((input == 0) & (exponent >= 0), F.zero_dim(grad), grad * F.conj(result * F.log(input)))


@composite()
def pow(input: Any, exponent: Any, *, out: Any = None) -> Any:
    """input to the power of exponent; either may be a number.

    >>> import autogradlab as torch
    >>> torch.tensor([1., 2., 3.]) ** 2
    tensor([1., 4., 9.])
    """
    options = {} if out is None else {"out": out}
    if isinstance(input, Tensor):
        if isinstance(exponent, Tensor):
            return TENSORS.pow_tensor(input, exponent, **options)
        if is_number(exponent):
            wanted = result_dtype((input, exponent))
            if wanted is not input.dtype:
                input = TENSORS.to(input, wanted)
            return TENSORS.pow_scalar(input, exponent, **options)
    elif isinstance(exponent, Tensor) and is_number(input):
        wanted = result_dtype((exponent, input))
        if wanted is not exponent.dtype:
            exponent = TENSORS.to(exponent, wanted)
        return TENSORS.pow_base(input, exponent, **options)
    from ..arguments import reject

    return reject("pow", (input, exponent), options)


def _raw_pow(input: Any, exponent: Any) -> Any:
    if isinstance(exponent, np.ndarray) or isinstance(input, np.ndarray) and isinstance(exponent, np.generic):
        return np.power(input, exponent)
    return RAW.pow_scalar(input, exponent)


RAW.pow = _raw_pow
RAW.zero_dim = lambda grad: np.zeros((), grad.dtype)
TENSORS.zero_dim = lambda grad: grad.new_zeros(())
