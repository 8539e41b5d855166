"""Arrays that are conjugated or negated when they are read: the memory of `x.conj()` and of `x.conj().imag`.

PyTorch marks such tensors with a conjugate bit and a negative bit. Here the bits belong to what stands in the place of
the tensor's array. NumPy asks it for its values (`__array__`, `__array_ufunc__`, `__array_function__`) and gets those
that count; what is written to it goes to memory as it has to stand there; a part of it is as lazy as the whole. So
kernels need not know of it, and tensors with neither bit, which hold an ndarray, do not pay for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

__all__ = ["LazyArray", "as_lazy_as", "bits", "conjugated", "memory_of", "negated", "read_as", "with_bits"]

_ndarray = np.ndarray
#: functions that show the memory of their first argument in another way, where they can
_VIEWS = {
    np.broadcast_to,
    np.diagonal,
    np.expand_dims,
    np.flip,
    np.moveaxis,
    np.ravel,
    np.reshape,
    np.rollaxis,
    np.squeeze,
    np.swapaxes,
    np.transpose,
}
_SPLITS = {np.array_split, np.dsplit, np.hsplit, np.split, np.vsplit}
#: functions that write to their first argument
_WRITES = {np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask}
#: functions that ask where memory lies, not what is in it
_ASKS = {np.may_share_memory, np.shares_memory}


def read_as(values: Any, conj: bool, neg: bool) -> Any:
    """Values in memory as they are read, and just so values as they have to be written: both are their own inverse."""
    if conj:
        values = np.conjugate(values)
    return np.negative(values) if neg else values


class LazyArray(NDArrayOperatorsMixin):
    """An array over `memory`, read as the conjugates (conj_bit) or the negatives (neg_bit) of what lies there."""

    __slots__ = ("conj_bit", "memory", "neg_bit")

    def __init__(self, memory: np.ndarray, conj: bool, neg: bool) -> None:
        self.memory = memory
        self.conj_bit = conj
        self.neg_bit = neg

    def over(self, memory: np.ndarray) -> LazyArray:
        """The same bits over another array."""
        return LazyArray(memory, self.conj_bit, self.neg_bit)

    def resolve(self) -> np.ndarray:
        """The values, in memory of their own that is laid out alike."""
        return np.asarray(read_as(self.memory, self.conj_bit, self.neg_bit))

    def _part(self, found: Any) -> Any:
        """What was found in memory: as lazy as this, if it is a part of it, else with the values that count."""
        if type(found) is _ndarray and np.may_share_memory(found, self.memory):
            return self.over(found)
        return read_as(found, self.conj_bit, self.neg_bit)

    # -- what NumPy asks for -----------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        values = self.resolve()
        return values if dtype is None else values.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "__call__" and "out" not in kwargs:  # the commonest case, without calls
            return ufunc(*[x.resolve() if type(x) is LazyArray else x for x in inputs], **kwargs)
        run = getattr(ufunc, method)
        if method == "at":
            target, *rest = inputs
            return _write(run, target, [_resolved(x) for x in rest], kwargs)
        outs = kwargs.pop("out", ())
        values = [_resolved(x) for x in inputs]
        if not outs:
            return run(*values, **kwargs)
        found = run(*values, out=tuple(_resolved(out) for out in outs), **kwargs)
        for out, made in zip(outs, found if len(outs) > 1 else (found,), strict=True):
            if isinstance(out, LazyArray):
                out[...] = made
        return outs if len(outs) > 1 else outs[0]

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in _ASKS:
            return func(*[memory_of(x) for x in args], **kwargs)
        if args and isinstance(args[0], LazyArray):
            if func in _VIEWS:
                return args[0]._part(func(args[0].memory, *args[1:], **kwargs))
            if func in _SPLITS:
                return [args[0]._part(part) for part in func(args[0].memory, *args[1:], **kwargs)]
            if func in _WRITES:
                return _write(func, args[0], _resolved(args[1:]), _resolved(kwargs))
        out = kwargs.get("out")
        found = func(*_resolved(args), **_resolved(kwargs))
        if isinstance(out, LazyArray):
            out[...] = found
            return out
        return found

    # -- an array's attributes ---------------------------------------------------------------------------------------

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # kernels ask with isinstance whether an argument is an array or a number
        return _ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return self.memory.shape

    @property
    def strides(self) -> tuple[int, ...]:
        return self.memory.strides

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.memory.dtype

    @property
    def flags(self) -> Any:
        return self.memory.flags

    @property
    def ndim(self) -> int:
        return self.memory.ndim

    @property
    def size(self) -> int:
        return self.memory.size

    @property
    def itemsize(self) -> int:
        return self.memory.itemsize

    @property
    def nbytes(self) -> int:
        return self.memory.nbytes

    @property
    def base(self) -> np.ndarray:
        return self.memory

    @property
    def T(self) -> LazyArray:
        return self.over(self.memory.T)

    @property
    def real(self) -> Any:
        return with_bits(self.memory.real, False, self.neg_bit)

    @real.setter
    def real(self, values: Any) -> None:
        self.real[...] = values

    @property
    def imag(self) -> Any:
        return with_bits(self.memory.imag, False, self.neg_bit is not self.conj_bit)

    @imag.setter
    def imag(self, values: Any) -> None:
        self.imag[...] = values

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # neither an array interface nor a buffer: memory is not to be read as it is
            raise AttributeError(f"'LazyArray' object has no attribute {name!r}")
        return getattr(self.resolve(), name)

    # -- its parts ---------------------------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        return self._part(self.memory[_resolved(index)])

    def __setitem__(self, index: Any, values: Any) -> None:
        if type(values) is not _ndarray or values.dtype is not self.memory.dtype:
            values = np.asarray(values).astype(self.memory.dtype)
        self.memory[_resolved(index)] = read_as(values, self.conj_bit, self.neg_bit)

    def __len__(self) -> int:
        return len(self.memory)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self.memory)))

    def __bool__(self) -> bool:
        return bool(self.resolve())

    def __complex__(self) -> complex:
        return complex(self.resolve())

    def __float__(self) -> float:
        return float(self.resolve())

    def __int__(self) -> int:
        return int(self.resolve())

    def view(self, dtype: Any = None) -> Any:
        """The same memory; read as another dtype, its values would be others."""
        return self.over(self.memory.view()) if dtype is None else self.resolve().view(dtype)

    def reshape(self, *shape: Any, **options: Any) -> Any:
        return self._part(self.memory.reshape(*shape, **options))

    def ravel(self, *order: Any, **options: Any) -> Any:
        return self._part(self.memory.ravel(*order, **options))

    def transpose(self, *axes: Any) -> Any:
        return self.over(self.memory.transpose(*axes))

    def swapaxes(self, first: int, second: int) -> Any:
        return self.over(self.memory.swapaxes(first, second))

    def squeeze(self, *axis: Any, **options: Any) -> Any:
        return self.over(self.memory.squeeze(*axis, **options))

    def diagonal(self, *args: Any, **options: Any) -> Any:
        return self._part(self.memory.diagonal(*args, **options))

    # -- what is written to it ---------------------------------------------------------------------------------------

    def fill(self, value: Any) -> None:
        self[...] = value

    def sort(self, *args: Any, **options: Any) -> None:
        _write(_ndarray.sort, self, args, options)

    def partition(self, *args: Any, **options: Any) -> None:
        _write(_ndarray.partition, self, args, options)

    def put(self, *args: Any, **options: Any) -> None:
        _write(_ndarray.put, self, args, options)


def _write(run: Callable[..., Any], target: Any, args: Any, options: dict[str, Any]) -> Any:
    """Call a function that writes to its first argument, which may be lazy."""
    if not isinstance(target, LazyArray):
        return run(target, *args, **options)
    values = target.resolve()
    found = run(values, *args, **options)
    target[...] = values
    return found


def _resolved(value: Any) -> Any:
    """The same with the values of the lazy arrays in it."""
    if isinstance(value, LazyArray):
        return value.resolve()
    if type(value) is list or type(value) is tuple:
        return type(value)(map(_resolved, value))
    return {name: _resolved(v) for name, v in value.items()} if type(value) is dict else value


def with_bits(memory: np.ndarray, conj: bool, neg: bool) -> Any:
    """Memory with these bits: an ndarray if there is none."""
    return LazyArray(memory, conj, neg) if conj or neg else memory


def as_lazy_as(array: Any, memory: np.ndarray) -> Any:
    """Other memory with the bits that `array` has."""
    return array.over(memory) if type(array) is LazyArray else memory


def memory_of(array: Any) -> Any:
    """The memory under an array, whatever its bits are."""
    return array.memory if type(array) is LazyArray else array


def bits(array: Any) -> tuple[bool, bool]:
    """The conjugate bit and the negative bit."""
    return (array.conj_bit, array.neg_bit) if type(array) is LazyArray else (False, False)


def conjugated(array: Any) -> Any:
    """The conjugate as a view: with the conjugate bit, or without it if it had one."""
    if type(array) is LazyArray:
        return with_bits(array.memory, not array.conj_bit, array.neg_bit)
    return LazyArray(array, True, False) if type(array) is _ndarray else np.conjugate(array)


def negated(array: Any) -> Any:
    """The same for the sign."""
    if type(array) is LazyArray:
        return with_bits(array.memory, array.conj_bit, not array.neg_bit)
    return LazyArray(array, False, True) if type(array) is _ndarray else np.negative(array)
