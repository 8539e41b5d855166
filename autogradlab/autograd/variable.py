"""Variable, the class that tensors were wrapped in before they had requires_grad themselves."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np

from ..core.arguments.mismatch import typename
from ..core.runtime import errors
from ..core.tensor.tensor import INFERENCE, Tensor, counter, wrap
from ..core.types.dtypes import get_default_dtype
from .frontend import _EngineBase

__all__ = ["Variable", "VariableMeta"]

_BOTH = "Variable can't be volatile and require_grad at the same time!"


class VariableMeta(type):
    """Makes every tensor an instance of Variable."""

    __module__ = "torch.autograd.variable"

    def __instancecheck__(cls, other: object) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=VariableMeta):
    """Once the class that made a tensor differentiable; now it gives a Tensor.

    Example:
        >>> import autogradlab as torch
        >>> torch.autograd.Variable(torch.ones(2), requires_grad=True)
        tensor([1., 1.], requires_grad=True)

    Mirrors `torch.autograd.Variable`.
    """

    __module__ = "torch.autograd.variable"
    _execution_engine = _EngineBase()

    def __new__(
        cls,
        data: Any = None,
        requires_grad: Any = False,
        volatile: Any = False,
        *,
        _grad_fn: Any = None,
        name: Any = None,
        **unknown: Any,
    ) -> Any:
        for key in unknown:
            raise TypeError(f"'{key}' is an invalid keyword argument for this function")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"argument 5 must be str or None, not {type(name).__name__}")
        wanted = operator.index(requires_grad) != 0
        if operator.index(volatile):
            warnings.warn(errors.VOLATILE, UserWarning, stacklevel=2)
            if wanted:
                raise ValueError(_BOTH)
        if data is None:
            made = wrap(np.empty(0, get_default_dtype().numpy))
        elif isinstance(data, Tensor):
            if wanted and not (data.dtype.is_floating_point or data.dtype.is_complex):
                raise RuntimeError(errors.REQUIRES_GRAD_FLOAT_NEW)
            made = wrap(data._array)
            made._storage = data._storage
            made._counter = data._counter if data._counter is INFERENCE else counter(data)
        else:
            raise TypeError(errors.DATA_TYPE.format(typename(data)))
        if wanted:
            made._edge = None
        if name is not None:
            made._extra().name = name
        return made
