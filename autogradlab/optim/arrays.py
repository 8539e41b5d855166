"""Arithmetic of optimizers on arrays, with the roundings of PyTorch's fused operations where arrays are small, and
the changes of a step, which are computed first and written together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np

from ..core.memory.versions import increment_version
from ..core.recording.record import RAW
from ..core.tensor.dispatching import refuse_unheard
from ..core.tensor.tensor import Tensor, counter, wrap
from ..core.types.dtypes import get_default_dtype
from ..ops.first.kinds import fused
from .recorded import Recorded, twin

__all__ = [
    "RECORDS",
    "Changes",
    "addcdiv",
    "addcmul",
    "as_reals",
    "check_rate",
    "chosen",
    "copied",
    "direction",
    "filled",
    "fma",
    "in_dtype_of",
    "lerp",
    "number",
    "put_reals",
    "refuse_negative",
    "root",
    "scalar",
    "scalar_state",
    "with_decay",
    "zeros",
]

Array = np.ndarray[Any, Any]
_FUSED_REALS = (
    "`fused=True` requires all the params to be floating point Tensors of supported devices: "
    "['mps', 'cuda', 'xpu', 'hpu', 'cpu', 'mtia', 'privateuseone'] but {} and cpu"
)


#: whether the step that runs now is recorded
RECORDS: ContextVar[bool] = ContextVar("RECORDS", default=False)


def number(x: Any) -> Any:
    """A number, which may be given as a tensor of one element; in a recorded step a tensor that requires grad stays."""
    if not isinstance(x, Tensor):
        return x
    return Recorded(x) if x.requires_grad and RECORDS.get() else x.item()


def scalar(x: Any) -> Any:
    """A state of one element as a number, or as it is in a recorded step."""
    return x if x.__class__ is Recorded else float(x)


def root(x: Any) -> Any:
    """The square root of a number."""
    return Recorded(x.tensor.sqrt()) if x.__class__ is Recorded else math.sqrt(x)


def rate(lr: Any) -> float:
    """A learning rate as a number. Errors: ValueError for a tensor of several elements."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    return number(lr)


def refuse_negative(value: Any, name: str) -> None:
    """Check an option of an optimizer. Errors: ValueError for numbers below 0 and NaN."""
    if not 0.0 <= value:
        raise ValueError(f"Invalid {name}: {value}")


def check_rate(lr: Any) -> None:
    """Check a learning rate. Errors: ValueError for a tensor of several elements, numbers below 0 and NaN."""
    rate(lr)
    refuse_negative(lr, "learning rate")


def with_decay(x: Any, g: Any, decay: Any) -> Any:
    """The gradient of the loss with decay / 2 times the sum of squares of the parameter added to it."""
    return g if decay == 0 else fma(g, x, decay)


def fma(x: Any, y: Any, alpha: Any) -> Any:
    """x + alpha * y, rounded once as a fused multiply-add."""
    if x.__class__ is Recorded:
        return x.add(y, alpha)
    return fused(y, x.dtype.type(alpha), x)


def lerp(x: Any, end: Any, weight: Any) -> Any:
    """x + weight * (end - x), rounded as PyTorch's lerp_."""
    if x.__class__ is Recorded:
        return x.lerp(end, weight)
    w = x.dtype.type(weight)
    gap = end - x
    return fused(gap, w, x) if abs(weight) < 0.5 else fused(-gap, 1 - w, end)


def addcmul(x: Any, a: Any, b: Any, value: Any) -> Any:
    """x + value * a * b, the last product and the sum rounded once."""
    if x.__class__ is Recorded:
        return x.addcmul(a, b, value)
    return fused(a * x.dtype.type(value), b, x)


def addcdiv(x: Any, a: Any, b: Any, value: Any) -> Any:
    """x + value * a / b"""
    if x.__class__ is Recorded:
        return x.addcdiv(a, b, value)
    return np.asarray(x + a * x.dtype.type(value) / b)


def chosen(mask: Any, number: float, x: Any) -> Any:
    """A number where a mask holds, `x` elsewhere."""
    return x.chosen(mask, number) if x.__class__ is Recorded else np.where(mask, x.dtype.type(number), x)


def direction(x: Any) -> Any:
    """The sign of each number, which is 0 for NaN as for 0."""
    return np.sign(x) if x.__class__ is Recorded else RAW.sgn(x)


def copied(x: Any) -> Any:
    """What `copy_` writes into a state; a recorded step notes it as an operation of its own."""
    return x.copied() if x.__class__ is Recorded else x


def zeros(p: Tensor) -> Tensor:
    """A tensor of zeros in the parameter's shape."""
    return wrap(np.zeros_like(p._array))


def filled(p: Tensor, value: float) -> Tensor:
    """A tensor in the parameter's shape, whose real and imaginary parts are `value`."""
    return wrap(np.full_like(p._array, complex(value, value) if p._array.dtype.kind == "c" else value))


def scalar_state(value: float) -> Tensor:
    """A count or factor as optimizers keep it: a 0-dim tensor of the default dtype's precision."""
    return wrap(np.asarray(value, np.float64 if get_default_dtype().numpy == np.float64 else np.float32))


def in_dtype_of(p: Tensor, array: Array) -> Array:
    """Pairs of reals as complex numbers where the parameter has these; other arrays as they are."""
    return array.view(p._array.dtype)[..., 0] if p._array.dtype.kind == "c" else array


def as_reals(x: Array) -> Array:
    """Complex numbers as pairs of reals, as `torch.view_as_real` gives them; a copy."""
    return np.stack((x.real, x.imag), -1) if x.dtype.kind == "c" else x


def put_reals(target: Array, values: Array) -> None:
    """Write values, or pairs of reals into complex numbers."""
    if target.dtype.kind == "c":
        target.real, target.imag = values[..., 0], values[..., 1]
    else:
        target[...] = values


class Changes:
    """What one step changes. Complex tensors are read and written as pairs of reals, which is how PyTorch's optimizers
    see them. Nothing is visible before `commit`; an interrupted `commit` is finished first, since
    writing the same values a second time does no harm. So a step is whole or has not happened."""

    __slots__ = ("_begun", "_complex", "_fused", "_optimizer", "_records", "_state", "_writes")

    def __init__(self, optimizer: Any) -> None:
        self._optimizer = optimizer
        self._state = optimizer.state
        self._writes: dict[int, list[Any]] = {}
        self._begun: list[tuple[Tensor, dict[str, Any]]] = []
        self._fused = False
        self._records = RECORDS.get()
        self._complex = False  # whether a parameter is, and so its state

    def gradients(self, group: dict[str, Any]) -> Iterator[tuple[Tensor, Any, Any]]:
        """Parameter, its array and its gradient (negated to maximize), for parameters that have a gradient."""
        refuse_unheard("steps of optimizers", group["params"])
        maximize = group.get("maximize", False)
        self._fused = bool(group.get("fused"))
        optimizer = self._optimizer
        refuses = optimizer.defaults.get("differentiable") or any(map(group.get, optimizer._refused))
        for p in group["params"]:
            grad = p._grad
            if grad is not None:
                if refuses and not self._fused:
                    optimizer._refuse(group, p)
                kind = p._array.dtype.kind
                self._complex = kind == "c"
                if kind in "iub":
                    optimizer._refuse_integers(group, p)
                if self._complex and self._fused:
                    raise RuntimeError(_FUSED_REALS.format(p.dtype))
                g: Any = as_reals(grad._array) if self._complex else grad._array
                if self._records and not self._complex:
                    g = Recorded(grad)
                yield p, self.array(p), -g if maximize else g

    def state(self, p: Tensor) -> dict[str, Any]:
        """The state of a parameter; {} before its first step."""
        return self._state.get(p) or next((made for q, made in self._begun if q is p), {})

    def begin(self, p: Tensor, state: dict[str, Any]) -> dict[str, Any]:
        """Give a parameter its first state."""
        self._begun.append((p, state))
        return state

    def state_or_zeros(self, p: Tensor, *names: str, **scalars: float) -> dict[str, Any]:
        """The state of a parameter. Before its first step: a count of 0, these scalars, and zeros in its shape under
        these names."""
        made = self.state(p)
        if made:
            return made
        counts = {"step": scalar_state(0.0), **{name: scalar_state(value) for name, value in scalars.items()}}
        return self.begin(p, {**counts, **{name: zeros(p) for name in names}})

    def array(self, t: Tensor) -> Any:
        """The values of a tensor after what the step has changed so far."""
        found = self._writes.get(id(t))
        if found is not None:
            return found[1]
        if self._records and not self._complex:
            return Recorded(twin(t))
        return as_reals(t._array) if self._complex else t._array

    def count(self, state: dict[str, Any]) -> float:
        """Count this step in `state["step"]`."""
        step = float(self.array(state["step"])) + 1
        self.write(state["step"], np.asarray(step), always=True)
        return step

    def write(self, t: Tensor, array: Any, times: int = 1, always: bool = False) -> Any:
        """Give a tensor new values, which count as `times` in-place operations (none in a fused step,
        unless `always`)."""
        version = counter(t)
        if type(version) is not list:  # written at once: such tensors have no version to set
            increment_version(t)
            put_reals(t._array, array)
            return array
        key = id(t)
        before = self._writes.get(key)
        start = version[0] if before is None else before[3]
        by = times if always or not self._fused else 0
        self._writes[key] = [t._array, array, version, start + by, t]
        return array

    def _write_all(self) -> None:
        for p, made in self._begun:
            self._state[p].update(made)
        for target, array, version, after, t in self._writes.values():
            if array.__class__ is Recorded:
                target[...] = array.tensor._array
                t._edge = array.tensor._edge
            elif target.dtype.kind != "c":
                target[...] = array
            else:
                put_reals(target, array)
            version[0] = after

    def commit(self) -> None:
        """Write everything."""
        try:
            self._write_all()
        except BaseException:
            self._write_all()
            raise
