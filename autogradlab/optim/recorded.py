"""Tensors as the formulas of optimizers take arrays, so that a step with `differentiable=True` is recorded by the same
formulas that compute it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.tensor.tensor import Tensor, wrap

__all__ = ["Recorded", "twin"]


class _AnyKind:
    """The dtype of recorded values as formulas use it: what it is called with stays as it is."""

    kind = "f"

    @staticmethod
    def type(value: Any) -> Any:
        return value


def _tensor(value: Any) -> Any:
    return value.tensor if isinstance(value, Recorded) else value


def twin(t: Tensor) -> Tensor:
    """A tensor with these values in memory of its own and the same history: what is saved of it outlives the writes of
    the step."""
    if t.requires_grad and t.is_leaf:
        return t
    made = wrap(t._array.copy())
    made._edge = t._edge
    return made


_UNARY = {"sqrt": "sqrt", "absolute": "abs", "sign": "sign", "negative": "neg"}


class Recorded:
    """A tensor behind the operators and functions of NumPy that the formulas of optimizers use."""

    dtype = _AnyKind()

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    @property
    def real(self) -> Recorded:
        """Itself: steps of complex parameters are not recorded."""
        return self

    def copy(self) -> Any:
        """The values alone."""
        return self.tensor._array.copy()

    def __float__(self) -> float:
        return float(self.tensor.item())

    def __eq__(self, other: object) -> bool:
        return bool(self.tensor.detach().eq(_tensor(other)).all())

    __hash__ = None  # type: ignore[assignment]

    def __neg__(self) -> Recorded:
        return Recorded(-self.tensor)

    def __add__(self, other: Any) -> Recorded:
        return Recorded(self.tensor + _tensor(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Recorded:
        return Recorded(self.tensor - _tensor(other))

    def __rsub__(self, other: Any) -> Recorded:
        return Recorded(_tensor(other) - self.tensor)

    def __mul__(self, other: Any) -> Recorded:
        return Recorded(self.tensor * _tensor(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Recorded:
        return Recorded(self.tensor / _tensor(other))

    def __rtruediv__(self, other: Any) -> Recorded:
        return Recorded(_tensor(other) / self.tensor)

    def __pow__(self, other: Any) -> Recorded:
        return Recorded(self.tensor ** _tensor(other))

    def __gt__(self, other: Any) -> Any:
        return self.tensor.detach() > _tensor(other)

    def __lt__(self, other: Any) -> Any:
        return self.tensor.detach() < _tensor(other)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        name = ufunc.__name__
        if name in _UNARY:
            return Recorded(getattr(self.tensor, _UNARY[name])())
        if name == "maximum":
            return Recorded(_tensor(inputs[0]).maximum(_tensor(inputs[1])))
        return NotImplemented

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is np.clip:
            return Recorded(self.tensor.clamp(*map(_tensor, args[1:])))
        return NotImplemented

    def add(self, y: Any, alpha: Any) -> Recorded:
        """self + alpha * y"""
        if isinstance(alpha, (Tensor, Recorded)):
            return Recorded(self.tensor.addcmul(_tensor(y), _tensor(alpha)))
        return Recorded(self.tensor.add(_tensor(y), alpha=alpha))

    def lerp(self, end: Any, weight: Any) -> Recorded:
        """self + weight * (end - self)"""
        return Recorded(self.tensor.lerp(_tensor(end), _tensor(weight)))

    def addcmul(self, a: Any, b: Any, value: Any) -> Recorded:
        """self + value * a * b"""
        if isinstance(value, (Tensor, Recorded)):
            return Recorded(self.tensor + _tensor(a) * _tensor(b) * _tensor(value))
        return Recorded(self.tensor.addcmul(_tensor(a), _tensor(b), value=value))

    def addcdiv(self, a: Any, b: Any, value: Any) -> Recorded:
        """self + value * a / b"""
        if isinstance(value, (Tensor, Recorded)):
            return Recorded(self.tensor.addcdiv(_tensor(a) * _tensor(value), _tensor(b)))
        return Recorded(self.tensor.addcdiv(_tensor(a), _tensor(b), value=value))

    def copied(self) -> Recorded:
        """Itself as what `copy_` wrote into another tensor."""
        return Recorded(self.tensor.new_empty(self.tensor.shape).copy_(self.tensor))

    def chosen(self, mask: Any, other: Any) -> Recorded:
        """`other`, a number, where a mask holds, self elsewhere."""
        return Recorded(self.tensor.masked_fill(mask, other))
