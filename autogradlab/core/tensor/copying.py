"""Copies of tensors: `copy.deepcopy` and pickle."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

from ..graph.node import NO_EDGE
from ..memory.absent import empty_like, is_absent, reserved
from ..memory.lazy import LazyArray, bits, memory_of, with_bits
from ..memory.storage import Storage, owner, storage_of, storage_on
from ..memory.storage_methods import PythonStorage
from ..memory.versions import INFERENCE, increment_version
from ..runtime import modes
from ..types import dtypes
from .dispatching import hollow, known, refuse_unheard
from .edges import requires_grad
from .overriding import have_hollow_tensors, overrides
from .tensor import Tensor, set_requires_grad, wrap

__all__ = ["deepcopy_storage", "deepcopy_tensor", "rebuild_tensor", "reduce_tensor", "whole"]

NOT_LEAF = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you "
    "were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
    "https://github.com/pytorch/pytorch/pull/103001"
)
NO_EMPTY = (
    "The default implementation of __deepcopy__() for non-wrapper subclasses only works for subclass types that "
    "implement new_empty() and for which that function returns another instance of the same subclass. You should "
    "either properly implement new_empty() for your subclass or override __deepcopy__() if it is intended behavior for "
    "new_empty() to return an instance of a different type."
)

NO_CLONE = (
    "The default implementation of __deepcopy__() for wrapper subclasses only works for subclass types that implement "
    "clone() and for which cloning returns another instance of the same subclass. You should either properly implement "
    "clone() for your subclass or override __deepcopy__() if it is intended behavior for clone() to return an instance "
    "of a different type."
)


def _same_memory(array: np.ndarray, memo: dict[Any, Any], copied: Any) -> np.ndarray:
    """An array of the same shape and strides on a copy of the whole memory, made once per `memo`."""
    root = owner(array)
    key = ("storage", id(root))
    found = memo.get(key)
    if found is None:
        found = memo[key] = (copied(root), root)
    made, _ = found
    offset = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    if not array.size:
        offset = min(max(offset, 0), made.nbytes)
    return np.ndarray(
        array.shape, array.dtype, buffer=made.reshape(-1).view(np.uint8).data, offset=offset, strides=array.strides
    )


def deepcopy_storage(storage: Storage, memo: dict[Any, Any]) -> Storage:
    """What `copy.deepcopy(t.untyped_storage())` gives: the memory of copies of its tensors with the same `memo`."""
    root = storage._owner
    key = ("storage", id(root))
    if key not in memo:
        memo[key] = (whole(root), root)
    return storage_on(owner(memo[key][0]))


PythonStorage.__deepcopy__ = deepcopy_storage  # type: ignore[attr-defined]


def whole(root: np.ndarray) -> np.ndarray:
    """The memory of an array, in the order in which it lies there."""
    flat = root.ravel(order="K")
    return np.array(flat, copy=True)


def deepcopy_tensor(t: Tensor, memo: dict[Any, Any]) -> Tensor:
    """What `copy.deepcopy(t)` gives: own memory, the same gradient and attributes.

    Errors: RuntimeError for a tensor that is the result of an operation.
    """
    if t.grad_fn is not None:
        raise RuntimeError(NOT_LEAF)
    if id(t) in memo:
        return memo[id(t)]
    if hollow(t):
        return _cloned(t, memo)
    if overrides(type(t)) and type(t.new_empty([])) is not type(t):
        raise RuntimeError(NO_EMPTY)
    if isinstance(t._array, LazyArray):
        array = t._array.resolve()
    else:
        array = _copied(t._array, memo)
    made = _leaf(type(t), array)
    memo[id(t)] = made
    if t._grad is not None:
        made._grad = copy.deepcopy(t._grad, memo)
    for name, value in t.__dict__.items():
        made.__dict__[name] = copy.deepcopy(value, memo)
    if t.requires_grad:
        set_requires_grad(made, True, "method")
    return made


def _leaf(cls: type[Tensor], array: np.ndarray) -> Tensor:
    made = object.__new__(cls)
    made._array = array
    made._edge = NO_EDGE
    made._counter = _versions()
    made._grad = made._view = made._meta = made._storage = None
    return made


def _cloned(t: Tensor, memo: dict[Any, Any]) -> Tensor:
    """A copy of a tensor whose contents are with its class: what the class gives for `clone`."""
    local = modes.current()
    before = local.grad, local.record
    try:
        local.set_grad(False)
        made: Tensor = t.clone()
    finally:
        local.grad, local.record = before
        local.refresh()
    if type(made) is not type(t):
        raise RuntimeError(NO_CLONE)
    memo[id(t)] = made
    if t.requires_grad:
        set_requires_grad(made, True, "method")
    if t.grad is not None:
        made.grad = copy.deepcopy(t.grad, memo)
    made.__dict__.clear()
    made.__dict__.update(copy.deepcopy(t.__dict__, memo))
    return made


def _copied(x: np.ndarray, memo: dict[Any, Any]) -> np.ndarray:
    """A copy of an array on a copy of its memory, which other tensors copied with the same `memo` share."""
    if is_absent(x):
        return empty_like(x)
    root = owner(x)
    if not key_free(root, memo):
        return _same_memory(x, memo, whole)
    if root is not x and not (x.size and root.size == x.size and root.flags.c_contiguous and x.flags.c_contiguous):
        return _same_memory(x, memo, whole)
    array = np.array(x, copy=True, order="K")
    memo[("storage", id(root))] = (array.reshape(-1) if array.flags.c_contiguous else array.ravel(order="K"), root)
    return array


def key_free(root: np.ndarray, memo: dict[Any, Any]) -> bool:
    """Whether this memory has not been copied yet."""
    return ("storage", id(root)) not in memo


def reduce_tensor(t: Tensor) -> Any:
    """What pickle keeps of a tensor: the memory in which it lies, strides, requires_grad, attributes. No two tensors
    share it afterwards."""
    warn_of_hooks(t)
    array = memory_of(t._array)
    strides = tuple(s // array.itemsize for s in array.strides)
    own = dict(t.__dict__) or None
    if hollow(t):
        return _rebuild_hollow, (type(t), t.dtype.name, array.shape, strides, requires_grad(t)), own
    if is_absent(array):
        return rebuild_absent, (t.dtype.name, array.shape, strides, requires_grad(t)), own
    root, offset = owner(array), 0
    if root is not array and root.flags.c_contiguous and (array.size or root.size):
        offset = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
        block = root.reshape(-1)
    elif not array.size:
        block = np.empty(0, array.dtype)
    elif array.flags.c_contiguous or min(strides, default=0) < 0:
        array = np.array(array, order="C")
        strides = tuple(s // array.itemsize for s in array.strides)
        block = array.reshape(-1)
    else:  # the part of the memory in which it lies
        last = sum((n - 1) * s for n, s in zip(array.shape, strides, strict=True))
        block = np.lib.stride_tricks.as_strided(array, (last + 1,), (array.itemsize,))
    args = (block.tobytes(), t.dtype.name, offset, array.shape, strides, requires_grad(t), *bits(t._array))
    if type(t) is not Tensor:
        return _rebuild_subclass, (rebuild_tensor, type(t), args), own
    return rebuild_tensor, args, own


def rebuild_absent(kind: str, size: tuple[int, ...], stride: tuple[int, ...], grad: bool) -> Tensor:
    """A tensor without contents again."""
    numpy = dtypes.ALL[kind].numpy
    made = wrap(reserved(size, numpy, tuple(s * numpy.itemsize for s in stride)))
    have_hollow_tensors()
    if grad:
        set_requires_grad(made, True, "method")
    return made


def _rebuild_hollow(cls: Any, kind: str, size: tuple[int, ...], stride: tuple[int, ...], grad: bool) -> Tensor:
    """A tensor whose contents are with its class again."""
    made: Tensor = cls._make_wrapper_subclass(cls, size, stride, dtype=dtypes.ALL[kind], requires_grad=grad)
    return made


def _rebuild_subclass(rebuild: Any, cls: type[Tensor], args: tuple[Any, ...]) -> Any:
    made = rebuild(*args)
    return made.as_subclass(cls)


def rebuild_tensor(
    memory: Any,
    name: str,
    offset: int,
    shape: Any,
    strides: Any,
    requires: bool,
    conj: bool = False,
    neg: bool = False,
) -> Tensor:
    """A tensor from what `reduce_tensor` kept."""
    numpy = dtypes.ALL[name].numpy
    t = wrap(with_bits(_placed(memory, numpy, offset, tuple(shape), tuple(strides)), conj, neg))
    increment_version(t)  # PyTorch gives it its memory by set_
    if requires:
        set_requires_grad(t, True, "method")
    return t


def _placed(
    memory: Any, numpy: np.dtype[Any], offset: int, shape: tuple[int, ...], strides: tuple[int, ...]
) -> np.ndarray:
    """An array on a block of bytes. Errors: RuntimeError if it would reach outside."""
    if len(shape) != len(strides) or any(not isinstance(n, int) or n < 0 for n in shape) or offset < 0:
        raise RuntimeError("the file is damaged: a tensor has a shape that cannot be")
    base = memory if isinstance(memory, np.ndarray) else np.frombuffer(memory, np.uint8).copy()
    if 0 in shape:
        steps = tuple(s * numpy.itemsize for s in strides)
        return np.ndarray(shape, numpy, base, min(offset, base.nbytes), steps)
    low = offset + sum((n - 1) * s for n, s in zip(shape, strides, strict=True) if s < 0) * numpy.itemsize
    high = offset + (1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True) if s > 0)) * numpy.itemsize
    if low < 0 or high > base.nbytes:
        raise RuntimeError("the file is damaged: a tensor reaches outside its memory")
    return np.ndarray(shape, numpy, base, offset, tuple(s * numpy.itemsize for s in strides))


def _deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    _refuse_unless_hollow("__deepcopy__", self)
    return deepcopy_tensor(self, memo)


def _refuse_unless_hollow(name: str, t: Tensor) -> None:
    """Of a copy of a tensor whose contents are with its class, a mode or the class is told by `clone`."""
    if not (hollow(t) or modes.LOCAL.state.told):
        refuse_unheard(name, [t])


def _reduce(self: Tensor, protocol: Any) -> Any:
    _refuse_unless_hollow("__reduce_ex__", self)
    return reduce_tensor(self)


def _versions() -> Any:
    """The version counter of a copy, which PyTorch gives its memory by set_."""
    return INFERENCE if modes.current().inference else [1]


def warn_of_hooks(t: Tensor) -> None:
    """Say of the hooks of a tensor that what pickles or copies it leaves them out."""
    for hook in (t._backward_hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the "
                "function with @torch.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=4,
            )


def _copy(self: Tensor) -> Tensor:
    """What `copy.copy` gives: another tensor on the same memory, without history; of a subclass, an alias of that."""
    _refuse_unless_hollow("__copy__", self)
    warn_of_hooks(self)
    made = _leaf(type(self), self._array) if hollow(self) else wrap(self._array[...])
    made._storage = storage_of(self)
    made._counter = _versions()
    if self.requires_grad:
        set_requires_grad(made, True, "method")
    if type(self) is not Tensor and not hollow(self):
        made = made.as_subclass(type(self))
    made.__dict__.update(self.__dict__)
    return made


Tensor.__copy__ = _copy  # type: ignore[attr-defined]
Tensor.__deepcopy__ = _deepcopy  # type: ignore[attr-defined]
known.own |= {"__copy__", "__deepcopy__", "__reduce_ex__"}
Tensor.__reduce_ex__ = _reduce  # type: ignore[assignment,method-assign]
