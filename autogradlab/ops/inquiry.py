"""Questions about objects, types and shapes: is_tensor, typename, result_type, promote_types, broadcast_shapes …"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.memory.storage import Storage
from ..core.memory.versions import of_inference
from ..core.recording.record import TENSORS
from ..core.tensor.tensor import Size, Tensor
from ..core.types import dtypes
from ..core.values.promotion import result_dtype
from .breadth.typed_storage import TypedStorage
from .table.creation import bind
from .table.opdef import composite

__all__ = ["broadcast_shapes", "can_cast", "is_storage", "is_tensor", "promote_types", "result_type", "typename"]


def is_tensor(obj: Any, /) -> bool:
    """Whether an object is a tensor.

    Example:
        >>> import autogradlab as torch
        >>> torch.is_tensor(torch.ones(1)), torch.is_tensor([1.])
        (True, False)

    Mirrors `torch.is_tensor`.
    """
    return isinstance(obj, Tensor)


def is_storage(obj: Any, /) -> bool:
    """Whether an object is a storage.

    Example:
        >>> import autogradlab as torch
        >>> torch.is_storage(torch.ones(1).untyped_storage())
        True

    Mirrors `torch.is_storage`.
    """
    return isinstance(obj, (Storage, TypedStorage))


def typename(obj: Any, /) -> str:
    """The name of an object's type; of a tensor with its dtype.

    Example:
        >>> import autogradlab as torch
        >>> torch.typename(torch.ones(1)), torch.typename('a')
        ('torch.FloatTensor', 'str')

    Mirrors `torch.typename`.
    """
    if isinstance(obj, Tensor):
        return obj.type()
    module = getattr(obj, "__module__", "") or ""
    if module in ("builtins", "__builtin__"):
        module = ""
    if hasattr(obj, "__qualname__"):
        name = obj.__qualname__
    elif hasattr(obj, "__name__"):
        name = obj.__name__
    else:
        module = type(obj).__module__ or ""
        module = "" if module == "builtins" else module
        name = type(obj).__qualname__
    return f"{module}.{name}" if module else name


@composite("promote_types(ScalarType type1, ScalarType type2) -> dtype", method=False)
def promote_types(*args: Any, **kwargs: Any) -> dtypes.dtype:
    """The smallest dtype to which both can be cast.

    >>> torch.promote_types(torch.int64, torch.float16)
    torch.float16
    """
    _, values = bind("promote_types", args, kwargs)
    return dtypes.promote(values["type1"], values["type2"])


@composite("can_cast(ScalarType from_, ScalarType to) -> bool", method=False)
def can_cast(*args: Any, **kwargs: Any) -> bool:
    """Whether the rules of promotion allow a cast: not from float to integers, nor from complex to real.

    >>> torch.can_cast(torch.int64, torch.float32), torch.can_cast(torch.float32, torch.int64)
    (True, False)
    """
    _, values = bind("can_cast", args, kwargs)
    return bool(values["from_"]._category <= values["to"]._category)


@composite(
    """
    result_type(Tensor tensor, Tensor other) -> dtype|.Tensor
    result_type(Scalar scalar, Tensor tensor) -> dtype|.Scalar_Tensor
    result_type(Tensor tensor, Scalar other) -> dtype|.Scalar
    result_type(Scalar scalar1, Scalar scalar2) -> dtype|.Scalar_Scalar
    """,
    method=False,
)
def result_type(*args: Any, **kwargs: Any) -> dtypes.dtype:
    """
    sig: (tensor1, tensor2)
    The dtype of an operation on two tensors or numbers: numbers and 0-dim tensors count less.

    >>> torch.result_type(torch.tensor([1], dtype=torch.uint8), 2.5)
    torch.float32
    >>> torch.result_type(torch.ones(1), torch.ones(1, dtype=torch.float64))
    torch.float64
    """
    _, values = bind("result_type", args, kwargs)
    return result_dtype(tuple(values.values()))


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape to which shapes broadcast.

    Errors: RuntimeError where sizes differ and neither is 1.

    Example:
        >>> import autogradlab as torch
        >>> torch.broadcast_shapes((3, 1), (2,))
        torch.Size([3, 2])

    Mirrors `torch.broadcast_shapes`.
    """
    given = [(s,) if isinstance(s, int) else s for s in shapes if s is not None]
    for shape in given:
        if not isinstance(shape, Sequence):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}")
    result: list[Any] = [1] * max(map(len, given), default=0)
    for index, shape in enumerate(given):
        for i in range(-1, -1 - len(shape), -1):
            n = shape[i]
            if n == result[i]:
                continue
            if result[i] == 1:
                if n < 0:
                    raise ValueError("Attempting to broadcast a dimension with negative length!")
                result[i] = n
            elif n != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {n} at {i}! Mismatching argument at index {index} "
                    f"had {shape}; but expected shape should be broadcastable to {result}"
                )
    return Size(result)


@composite("is_nonzero(Tensor input) -> bool")
def is_nonzero(input: Any) -> bool:
    """Whether the only element is not 0.

    Errors: RuntimeError if there is not exactly one.

    >>> torch.is_nonzero(torch.tensor([0.]))
    False
    """
    if not isinstance(input, Tensor):
        bind("is_nonzero", (input,), {})
    return bool(input)


@composite("is_same_size(Tensor input, Tensor other) -> bool")
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape.

    >>> torch.is_same_size(torch.ones(2, 1), torch.ones(1, 2))
    False
    """
    return input._array.shape == other._array.shape


@composite("is_inference(Tensor input) -> bool", method=False)
def is_inference(input: Tensor) -> bool:
    """Whether a tensor was made in inference mode.

    >>> torch.is_inference(torch.ones(1))
    False
    """
    return of_inference(input)


def _of_tensor(name: str) -> None:
    """A function of one tensor, with PyTorch's TypeError for anything else."""
    inner = TENSORS.__dict__[name]

    def ask(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and isinstance(args[0], Tensor):
            return inner(args[0])
        return inner(bind(name, args, kwargs)[1]["input"])

    ask.__doc__ = inner.__doc__
    composite(name, method=False)(ask)


_of_tensor("numel")
_of_tensor("is_floating_point")
_of_tensor("is_complex")
_of_tensor("is_signed")

PUBLIC: dict[str, Any] = {
    f.__name__: f for f in (is_tensor, is_storage, typename, promote_types, can_cast, result_type, broadcast_shapes)
}
