"""What programs take from PyTorch's own helpers (mirrors part of `torch._utils`)."""

from __future__ import annotations

from typing import Any

from .core.recording.record import TENSORS
from .core.tensor.tensor import Tensor
from .core.types.dtypes import dtype as Dtype
from .ops.breadth.typed_storage import TypedStorage

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
