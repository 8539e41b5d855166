"""Variable, the class that tensors were wrapped in before they learned to require grad."""

from __future__ import annotations

import warnings
from typing import Any

from .. import errors, modes
from ..tensor import INFERENCE, UNSHARED, Tensor, wrap

__all__ = ["Variable", "VariableMeta"]

_REMOVED = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."


class VariableMeta(type):
    """Makes every tensor an instance of Variable."""

    def __instancecheck__(cls, other: object) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=VariableMeta):
    """`Variable(data, requires_grad=False)`: a new tensor over the memory of `data` (mirrors `torch.autograd.Variable`).

    Errors: TypeError if `data` is no tensor; RuntimeError if a gradient is asked of integers.

    >>> import autogradlab as torch
    >>> torch.autograd.Variable(torch.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """

    __module__ = "torch.autograd.variable"

    def __new__(cls, data: Any = None, requires_grad: Any = None, volatile: Any = None, *, _grad_fn: Any = None,
                name: str | None = None) -> Any:  # fmt: skip
        raise NotImplementedError
