"""What programs take from PyTorch's own helpers (mirrors part of `torch._utils`)."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .core.recording.record import TENSORS
from .core.tensor.printing import printoptions
from .core.tensor.tensor import Tensor
from .core.types.dtypes import dtype as Dtype
from .ops.breadth.typed_storage import TypedStorage
from .overrides import resolve_name

__all__: list[str] = []


def _element_size(dtype: Dtype) -> int:
    """Bytes of an element. Errors: RuntimeError for what is not a dtype."""
    if not isinstance(dtype, Dtype):
        raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
    return int(dtype.itemsize)


def _rebuild_tensor(storage: TypedStorage, storage_offset: int, size: Any, stride: Any) -> Tensor:
    """A tensor on a storage, of its dtype."""
    made: Tensor = TENSORS.empty((0,), dtype=storage.dtype).set_(
        storage._untyped_storage, storage_offset, tuple(size), tuple(stride)
    )
    return made


def _rebuild_tensor_v2(
    storage: TypedStorage,
    storage_offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    metadata: Any = None,
) -> Tensor:
    """The same with requires_grad and hooks, as files hold them."""
    made = _rebuild_tensor(storage, storage_offset, size, stride)
    made.requires_grad = requires_grad
    made._backward_hooks = backward_hooks
    return made


def _flatten_dense_tensors(tensors: Any) -> Tensor:
    """One dimension with the elements of all these tensors."""
    flat: Tensor = TENSORS.cat([TENSORS.reshape(t, (-1,)) for t in tensors])
    return flat


def _unflatten_dense_tensors(flat: Tensor, tensors: Any) -> tuple[Tensor, ...]:
    """The parts of one dimension, as views, in the shapes of these tensors."""
    parts, start = [], 0
    for t in tensors:
        if not t.numel():
            parts.append(TENSORS.empty(tuple(t.shape), dtype=flat.dtype))
            continue
        parts.append(TENSORS.view(TENSORS.narrow(flat, 0, start, t.numel()), tuple(t.shape)))
        start += t.numel()
    return tuple(parts)


def _import_dotted_name(name: str) -> Any:
    """What a name with dots means."""
    first, *parts = name.split(".")
    found: Any = import_module(first)
    for part in parts:
        found = getattr(found, part)
    return found


def render_call(fn: Any, args: Any, kwargs: Any) -> str:
    """A call as text, tensors in short."""
    with printoptions(threshold=0, edgeitems=0):
        given = [*map(repr, args), *(f"{name}={value!r}" for name, value in kwargs.items())]
    return f"{resolve_name(fn) or fn}({', '.join(given)})"


class _ClassPropertyDescriptor:
    """A property of a class."""

    def __init__(self, fget: Any, fset: Any = None) -> None:
        self.fget = fget

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self.fget.__get__(instance, type(instance) if owner is None else owner)()


def classproperty(func: Any) -> _ClassPropertyDescriptor:
    """Decorator that makes a method a property of its class."""
    return _ClassPropertyDescriptor(func if isinstance(func, (classmethod, staticmethod)) else classmethod(func))
