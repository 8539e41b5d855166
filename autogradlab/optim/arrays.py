"""Arithmetic of optimizers on arrays, with the roundings of PyTorch's fused operations where arrays are small, and
the changes of a step, which are computed first and written together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from ..core.memory.layout import like
from ..core.memory.versions import UNSHARED, increment_version
from ..core.recording.record import RAW
from ..core.tensor.dispatching import refuse_unheard
from ..core.tensor.tensor import Tensor, wrap
from ..core.types.dtypes import get_default_dtype
from ..ops.first.kinds import FEW, fused
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
    """A tensor of zeros in the parameter's shape, laid out as it is."""
    return wrap(like(p._array, p._array.dtype))


def filled(p: Tensor, value: float) -> Tensor:
    """A tensor in the parameter's shape, whose real and imaginary parts are `value`."""
    array = like(p._array, p._array.dtype, zero=False)
    array.fill(complex(value, value) if array.dtype.kind == "c" else value)
    return wrap(array)


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


_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
#: from how many parameters on it pays to look which of them can be taken together
_SEVERAL = 3


def _apart(params: Sequence[Tensor]) -> bool:
    """Whether several parameters have gradients, and no two of them lie in the same memory, where it counts which of
    them is written last."""
    owners, count = {}, 0
    for p in params:
        x: Any = p._array
        if p._grad is not None and x.size:
            while x.__class__ is np.ndarray and x.base is not None:
                x = x.base
            if x.__class__ is not np.ndarray:
                return False
            owners[id(x)] = x
            count += 1
    return count >= _SEVERAL and len(owners) == count


def _counts(t: Tensor) -> bool:
    """Whether a tensor counts its versions, as those of inference mode do not."""
    return t._counter is UNSHARED or type(t._counter) is list


def _alike(p: Tensor, x: Any, g: Any, state: dict[str, Any] | None) -> Any:
    """What parameters have in common that a Bundle may hold together; None of one with anything special."""
    kind, shape = p._array.dtype, x.shape  # which of complex numbers is another than that of their pairs of reals
    if (kind is not _SINGLE and kind is not _DOUBLE) or g.dtype is not kind or g.shape != shape or x.size > FEW:
        return None
    if x.__class__ is not np.ndarray or g.__class__ is not np.ndarray or not _counts(p):
        return None
    if not state:
        return kind
    step = None
    for name, t in state.items():
        if not isinstance(t, Tensor) or not _counts(t):
            return None
        if name == "step":
            step = float(t._array)
        elif t._array.dtype is not kind or t._array.shape != shape or t._array.__class__ is not np.ndarray:
            return None
    return kind, step, (*state,)


def _bundled(held: list[Any]) -> tuple[Any, Any, Any]:
    """Parameters as one, their arrays and their gradients."""
    _, tensors, arrays, grads, states = held
    if len(tensors) == 1:
        return tensors[0], arrays[0], grads[0]
    return Bundle(tensors, states), np.concatenate(arrays, None), np.concatenate(grads, None)


class Bundle:
    """Several small tensors of one dtype as one, whose elements stand in a line: what a step does with each element
    it then does with all of them by one operation of NumPy.

    states: of parameters, what each of them has, under the same names and with the same count of steps.
    """

    __slots__ = ("states", "tensors")

    def __init__(self, tensors: list[Any], states: list[Any]) -> None:
        self.tensors = tensors
        self.states = states

    def state(self) -> dict[str, Any]:
        """The states as one."""
        states = self.states
        if not states[0]:
            return {}
        return {name: Bundle([state[name] for state in states], []) for name in states[0]}


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
                if maximize:
                    g = -g if g.__class__ is Recorded else np.asarray(-g)
                yield p, self.array(p) if self._writes or self._records or self._complex else p._array, g

    def bundles(self, group: dict[str, Any], keeps: bool) -> Iterator[tuple[Any, Any, Any]]:
        """The same for a step that treats each element by itself: small parameters a Bundle at a time. Those of which
        anything is special come alone, as do, if the step keeps a state (`keeps`), those that have none yet."""
        if self._records or not _apart(group["params"]):
            yield from self.gradients(group)
            return
        waiting: dict[Any, list[Any]] = {}  # for each kind how many elements, and what makes a Bundle
        for p, x, g in self.gradients(group):
            state = self._state.get(p) if keeps else None
            key = _alike(p, x, g, state) if state or not keeps else None
            if key is None:
                yield p, x, g
                continue
            size, held = x.size, waiting.get(key)
            if held is None or held[0] + size > FEW:
                if held is not None:
                    yield _bundled(held)
                waiting[key] = [size, [p], [x], [g], [state]]
            else:
                held[0] += size
                _, tensors, arrays, grads, states = held
                tensors.append(p)
                arrays.append(x)
                grads.append(g)
                states.append(state)
        self._complex = False  # of the last that came alone
        for held in waiting.values():
            yield _bundled(held)

    def state(self, p: Any) -> dict[str, Any]:
        """The state of a parameter; {} before its first step."""
        if p.__class__ is Bundle:
            made: dict[str, Any] = p.state()
            return made
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

    def array(self, t: Any) -> Any:
        """The values of a tensor after what the step has changed so far."""
        if t.__class__ is Bundle:
            writes = self._writes
            arrays = [writes[id(each)][1] if id(each) in writes else each._array for each in t.tensors]
            return np.concatenate(arrays, None)
        found = self._writes.get(id(t))
        if found is not None:
            return found[1]
        if self._records and not self._complex:
            return Recorded(twin(t))
        return as_reals(t._array) if self._complex else t._array

    def count(self, state: dict[str, Any]) -> float:
        """Count this step in `state["step"]`."""
        kept = state["step"]
        counts = kept.tensors if kept.__class__ is Bundle else (kept,)
        step = float(self.array(counts[0])) + 1
        array = np.asarray(step)
        if kept.__class__ is Bundle:
            self._note(counts, [array] * len(counts), 1)
        else:
            self.write(kept, array, always=True)
        return step

    def write(self, t: Any, array: Any, times: int = 1, always: bool = False) -> Any:
        """Give a tensor new values, which count as `times` in-place operations (none in a fused step,
        unless `always`)."""
        by = times if always or not self._fused else 0
        if t.__class__ is Bundle:
            parts, start = [], 0
            for each in t.tensors:
                target = each._array
                end = start + target.size
                part = array[start:end]
                parts.append(part if target.ndim == 1 else part.reshape(target.shape))
                start = end
            self._note(t.tensors, parts, by)
        elif _counts(t):
            self._note((t,), (array,), by)
        else:  # written at once: such tensors have no version to set
            increment_version(t)
            put_reals(t._array, array)
        return array

    def _note(self, tensors: Sequence[Tensor], arrays: Sequence[Any], by: int) -> None:
        """Note what is to be written into tensors, and by how much that counts up their versions."""
        writes = self._writes
        for t, array in zip(tensors, arrays, strict=True):
            key, version = id(t), t._counter
            if version is UNSHARED:
                version = t._counter = [0]
            after = (writes[key][3] if key in writes else version[0]) + by
            writes[key] = [t._array, array, version, after, t]

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
