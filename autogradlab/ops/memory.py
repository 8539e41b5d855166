"""Copies, casts and everything that looks at or changes memory as such."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np

from .. import errors, modes
from .. import dtypes
from ..device import device as Device
from ..device import require_cpu
from ..dims import shape_arg, wrap_dim
from ..dtypes import dtype as Dtype
from ..node import NO_EDGE
from ..opdef import composite, op
from ..promotion import broadcast_shapes
from ..record import RAW, TENSORS, finish, make_node_class, start_node
from ..storage import address, storage_of
from ..tensor import INFERENCE, Tensor, counter, gradient_edge, requires_grad, wrap
from ..views import bump, check_inplace, rebase

_FORMATS = ("preserve", "contiguous")


@op("clone", vjp={"input": lambda F, grad: grad})
def clone(input, *, memory_format="preserve"):  # type: ignore[no-untyped-def]
    """A copy with history.

    >>> import autogradlab as torch
    >>> a = torch.tensor([1., 2.], requires_grad=True)
    >>> a.clone()
    tensor([1., 2.], grad_fn=<CloneBackward0>)
    """
    return np.array(input, order="C" if str(memory_format).endswith("contiguous") or _gappy(input) else "K", copy=True)


def _gappy(x: np.ndarray) -> bool:
    """Whether elements overlap or have gaps: such layouts are not preserved."""
    return not x.flags.c_contiguous and x.size > 0 and any(s == 0 and n > 1 for s, n in zip(x.strides, x.shape, strict=True))


@composite(function=False)
def contiguous(input: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor itself if its elements lie in row order, else a copy."""
    return input if input._array.flags.c_contiguous else TENSORS.clone(input, memory_format="contiguous")


@op("_to_copy", method=False, function=False, node="ToCopyBackward0",
    vjp={"input": lambda F, grad, input_dtype: F._to_copy(grad, input_dtype)})  # fmt: skip
def _to_copy(input, numpy):  # type: ignore[no-untyped-def]
    return cast_array(input, numpy)


def cast_array(x: np.ndarray, numpy: Any) -> np.ndarray:
    """astype as C casts: complex to real drops the imaginary part without a word."""
    if x.dtype.kind == "c" and numpy.kind != "c" and numpy.kind != "b":
        x = x.real
    if x.dtype.kind in "fV" and numpy.kind in "iu":
        return _float_to_int(x, numpy)
    return x.astype(numpy)


def _float_to_int(x: np.ndarray, numpy: Any) -> np.ndarray:
    wide = x.astype(np.float64) if x.dtype.kind == "V" else x
    return wide.astype(np.int64).astype(numpy) if numpy.itemsize < 8 else wide.astype(numpy)


@composite(function=False)
def to(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The tensor in another dtype or on another device; itself if nothing changes."""
    wanted: Dtype | None = kwargs.pop("dtype", None)
    where = kwargs.pop("device", None)
    copy = kwargs.pop("copy", False)
    other = kwargs.pop("other", None)
    for a in args:
        if isinstance(a, Dtype):
            wanted = a
        elif isinstance(a, Tensor):
            other = a
        elif isinstance(a, (str, Device)) or (isinstance(a, int) and not isinstance(a, bool)):
            where = a
        elif isinstance(a, bool) or a is None:
            continue
        else:
            from ..arguments import reject

            reject("to", args, kwargs)
    if other is not None:
        wanted = other.dtype
    require_cpu(where)
    if wanted is None or wanted.numpy is input._array.dtype:
        if not copy:
            return input
        return TENSORS.clone(input)  # type: ignore[no-any-return]
    if input.dtype.is_complex and not wanted.is_complex and wanted is not dtypes.bool:
        warnings.warn("Casting complex values to real discards the imaginary part", UserWarning, stacklevel=2)
    return TENSORS._to_copy(input, wanted.numpy)  # type: ignore[no-any-return]


def _converter(name: str, wanted: Dtype) -> None:
    def convert(input: Tensor) -> Tensor:
        return input if wanted.numpy is input._array.dtype else TENSORS._to_copy(input, wanted.numpy)

    convert.__doc__ = f"The tensor as {wanted!r}; itself if it is so already."
    composite(function=False, name=name)(convert)


for _name, _dtype in {"bool": dtypes.bool, "byte": dtypes.uint8, "char": dtypes.int8, **dtypes.ALIASES}.items():
    _converter(_name, _dtype)
if "bfloat16" in dtypes.ALL:
    _converter("bfloat16", dtypes.ALL["bfloat16"])


@composite(function=False)
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """The tensor in the dtype of another."""
    return to(input, other.dtype)


@composite(function=False)
def cpu(input: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor on the CPU: itself."""
    return input


@composite(function=False)
def cuda(input: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """A copy on a GPU; a CPU build of PyTorch, and this library, refuse."""
    raise AssertionError("Torch not compiled with CUDA enabled")


# -- without history -------------------------------------------------------------------------------------------------------


@composite()
def detach(input: Tensor) -> Tensor:
    """A tensor over the same memory, with the same version counter and without history.

    >>> import autogradlab as torch
    >>> a = torch.tensor([1.], requires_grad=True)
    >>> a.detach()
    tensor([1.])
    """
    t = wrap(input._array)
    t._counter = counter(input)
    t._storage = input._storage
    return t


@composite()
def detach_(input: Tensor) -> Tensor:
    """Cut this very tensor off from its history."""
    if input._view is not None:
        raise RuntimeError(errors.DETACH_VIEW)
    input._edge = NO_EDGE
    if input._meta is not None:
        input._meta.retains = False
    return input


def _get_data(self: Tensor) -> Tensor:
    t = wrap(self._array)
    t._storage = self._storage
    if self._counter is INFERENCE:
        t._counter = INFERENCE
    return t


def _set_data(self: Tensor, value: Any) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(errors.DATA_TYPE.format(type(value).__name__))
    if requires_grad(self) and not (value.dtype.is_floating_point or value.dtype.is_complex):
        raise RuntimeError(errors.DATA_FLOAT)
    self._array = value._array
    self._storage = value._storage


def _delete_data(self: Tensor) -> None:
    raise RuntimeError(errors.DATA_DELETE)


Tensor.data = property(_get_data, _set_data, _delete_data, "The values as a tensor without history.")  # type: ignore[attr-defined]

# -- copies into -----------------------------------------------------------------------------------------------------------

CopyBackwards = make_node_class("CopyBackwards", (), (), False)
CopyBackwards.run = lambda self, grad, quiet: _copied(self, grad)  # type: ignore[method-assign,assignment]
CopyBackwards.run_recorded = lambda self, grad: _copied(self, grad)  # type: ignore[method-assign,assignment]


def _copied(node: Any, grad: Any) -> tuple[Any, ...]:
    """Nothing for the values that were overwritten, everything for those that took their place."""
    if grad is None:
        return (None, None)
    (old, _), (new, _) = node.next_functions
    return (None if old is None else grad * 0, None if new is None else grad)


@composite(function=False)
def copy_(input: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """Copy values in place, broadcast and cast."""
    if not isinstance(src, Tensor):
        from ..promotion import is_number

        if not is_number(src) and not isinstance(src, np.ndarray):
            from ..arguments import reject

            reject("copy_", (input, src), {})
        src = wrap(np.asarray(src))
    local = modes.LOCAL.state
    a = b = NO_EDGE
    recording = local.record
    if recording:
        a, b = gradient_edge(input), gradient_edge(src)
        if input._array.dtype.kind not in "fcV":
            b = NO_EDGE
        recording = a is not NO_EDGE or b is not NO_EDGE
    if recording:
        check_inplace(input)
    target, x = input._array, src._array
    if x.shape != target.shape:
        from .shape import expanded

        expanded_to = expanded(x.shape, target.shape) if x.ndim <= target.ndim else _no_room(x.shape, target.shape)
        assert expanded_to == target.shape
    modes.quiet(_assign, target, x)
    bump(input)
    if recording:
        node = start_node(CopyBackwards, (a, b), target.shape, target.dtype, ())
        rebase(input, node)
        if not local.plain:
            finish(node, local)
    return input


def _no_room(found: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[int, ...]:
    shape = broadcast_shapes(wanted, found)
    raise RuntimeError(f"output with shape {list(wanted)} doesn't match the broadcast shape {list(shape)}")


def _assign(target: np.ndarray, x: np.ndarray) -> None:
    target[...] = x if x.dtype is target.dtype else cast_array(x, target.dtype)


@op("fill", "input", method=False, function=False, inplace=True, vjp={"input": lambda F, grad: grad * 0})
def fill(input, value):  # type: ignore[no-untyped-def]
    return np.full(input.shape, value, input.dtype)


_fill_ = TENSORS.fill_


@composite()
def fill_(input: Tensor, value: Any) -> Tensor:
    """Fill in place with one value."""
    if isinstance(value, Tensor):
        if value._array.ndim:
            raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                               f"{value._array.ndim} dimensions.")  # fmt: skip
        return copy_(input, value)
    if isinstance(value, complex) and not input.dtype.is_complex:
        raise RuntimeError("value cannot be converted to type float without overflow")
    if not isinstance(value, (int, float, complex, np.number, np.bool_)):
        from ..arguments import reject

        reject("fill_", (input, value), {})
    return _fill_(input, value)  # type: ignore[no-any-return]


@op("zero", method=False, function=False, inplace=True, vjp={"input": lambda F, grad: grad * 0})
def zero(input):  # type: ignore[no-untyped-def]
    return np.zeros(input.shape, input.dtype)


# -- what memory looks like ------------------------------------------------------------------------------------------------


@composite(function=False)
def stride(input: Tensor, dim: Any = None) -> Any:
    """Steps in elements between neighbours along each dimension (or one)."""
    size = input._array.itemsize
    steps = tuple(s // size for s in input._array.strides)
    return steps if dim is None else steps[wrap_dim(dim, input._array.ndim, scalar_ok=False)]


@composite(function=False)
def storage_offset(input: Tensor) -> int:
    """Elements from the start of the storage to the first of the tensor."""
    if not input._array.size:
        return 0
    return (address(input._array) - storage_of(input).data_ptr()) // input._array.itemsize


@composite(function=False)
def data_ptr(input: Tensor) -> int:
    """The address of the first element; 0 for a tensor without memory."""
    return address(input._array) if input._array.size else 0


@composite(function=False)
def untyped_storage(input: Tensor) -> Any:
    """The memory a tensor lies in, shared by its views."""
    return storage_of(input)


@composite(function=False)
def is_contiguous(input: Tensor, memory_format: Any = None) -> bool:
    """Whether the elements lie in row order."""
    return bool(input._array.flags.c_contiguous)


@composite()
def numel(input: Tensor) -> int:
    """The number of elements."""
    return input._array.size


composite(function=False, name="nelement")(lambda input: input._array.size)
composite(function=False, name="dim")(lambda input: input._array.ndim)
composite(function=False, name="ndimension")(lambda input: input._array.ndim)
composite(function=False, name="element_size")(lambda input: input._array.itemsize)
composite(function=False, name="get_device")(lambda input: -1)
composite(function=False, name="is_pinned")(lambda input: False)
composite(function=False, name="is_shared")(lambda input: False)


def resize(input: Tensor, shape: tuple[int, ...]) -> None:
    """Change the size over the same storage, which grows if it has to."""
    shape = tuple(map(operator.index, shape))
    x = input._array
    count = 1
    for n in shape:
        count *= n
    storage = storage_of(input)
    offset = storage_offset(input) * x.itemsize
    if offset + count * x.itemsize > storage.nbytes():
        storage.resize_(offset + count * x.itemsize)
    input._storage = storage
    input._array = np.ndarray(shape, x.dtype, storage.buffer, offset)


@composite(function=False)
def resize_(input: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    """Change the size in place: fewer elements keep the storage, more enlarge it."""
    if requires_grad(input):
        raise RuntimeError("cannot resize variables that require grad")
    shape = shape_arg(size)
    if any(n < 0 for n in shape):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}")
    resize(input, shape)
    return input


def is_signed(input: Tensor) -> bool:
    """Whether the dtype has negative values."""
    return input.dtype.is_signed


composite()(is_signed)
composite(name="is_floating_point")(lambda input: input.dtype.is_floating_point)
composite(name="is_complex")(lambda input: input.dtype.is_complex)
RAW.to = lambda x, wanted: x if wanted.numpy is x.dtype else cast_array(x, wanted.numpy)
