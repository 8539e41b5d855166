"""The old ways to make tensors: `torch.Tensor(2, 3)`, `torch.FloatTensor([1, 2])`, `t.new(3)`, and the default type."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ..core.arguments.declared import DECLARED, signatures
from ..core.arguments.mismatch import typename
from ..core.arguments.signature import Signatures
from ..core.graph.node import NO_EDGE
from ..core.memory.lazy import as_lazy_as, memory_of
from ..core.memory.reserved import Hollow, reserve
from ..core.memory.storage import Storage, dense, extent, storage_of
from ..core.memory.uninitialized import uninitialized
from ..core.memory.versions import UNSHARED
from ..core.recording.inplace import History, check_inplace, commit_array
from ..core.recording.record import NOT_IMPLEMENTED, TENSORS, OpNode, start_node
from ..core.runtime import errors, modes
from ..core.runtime.warn import warn, warn_once
from ..core.tensor.dispatching import answers
from ..core.tensor.edges import NO_REFERENCE, operand_edge
from ..core.tensor.tensor import Size, Tensor, counter, requires_grad, set_requires_grad, wrap
from ..core.types import dtypes
from ..core.types.device import CPU, default_device, require_cpu, set_device
from ..core.types.device import device as Device
from ..core.types.dtypes import cxx_name, dtype, get_default_dtype, set_default, tensor_type
from ..core.types.layouts import strided
from ..core.values.building import array_from
from .first.create import from_numpy
from .table.creation import check_sizes, finished
from .table.publishing import checking

__all__ = [
    "TYPES",
    "cuda_types",
    "get_default_device",
    "legacy_new",
    "make_subclass",
    "make_wrapper_subclass",
    "set_default_device",
    "set_default_dtype",
    "set_default_tensor_type",
]

_NEW = Signatures(
    "new",
    "new(*, Device? device=None)",
    "new(Storage storage)",
    "new(Tensor other)",
    "new(SymInt[] size, *, Device? device=None)",
    "new(object data, *, Device? device=None)",
)
_OPTIONS = (
    "TensorOptions(dtype={}, device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false (default), "
    "memory_format=(nullopt))"
)
_PLACED_BY_CLASS = (
    "Legacy tensor constructor of the form torch.Tensor(tensor, device=device) is not supported.  Use "
    "torch.tensor(...) or torch.as_tensor(...) instead."
)
_PLACED_BY_NEW = (
    "Legacy tensor new of the form tensor.new(tensor, device=device) is not supported.  Use torch.as_tensor(...) "
    "instead."
)
_NO_CUDA = "type {} not available. Torch not compiled with CUDA enabled."
_ONLY_FLOATS = "only floating-point types are supported as the default type"
_SET_TYPE = (
    "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
    "torch.set_default_device() as alternatives."
)


def _construct(
    kind: dtype, args: tuple[Any, ...], kwargs: dict[str, Any], any_type: bool, placed: str = _PLACED_BY_CLASS
) -> Tensor:
    """What the old constructor makes; `any_type`: a tensor of another dtype is taken as it is; `placed`: what is said
    of a tensor with a device."""
    first = args[0] if args else None
    sequence = len(args) == 1 and isinstance(first, (tuple, list)) and type(first) is not Size
    if sequence and kwargs.keys() <= {"device"}:  # data, also where it could be sizes; its elements are read below
        index, values = 4, {"data": first, **kwargs}
    else:
        index, values = _NEW.bind(args, kwargs)
    where = values.get("device")
    if where is not None and isinstance(first, Tensor):
        raise RuntimeError(placed)
    if where is not None:
        found = where if isinstance(where, Device) else Device(where)
        if found.type != "cpu":
            raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {found.type} was passed")
    if index == 0:
        return finished(np.zeros(0, kind.numpy))
    if index == 1:
        storage = _memory_of(values["storage"], kind, dtypes.scalar_name(kind))
        count = storage.nbytes() // kind.itemsize
        t = wrap(np.ndarray((count,), kind.numpy, storage.buffer))
        t._storage = storage
        return t
    if index == 2:
        other = values["other"]
        if not any_type and other.dtype is not kind:
            wanted, got = (_OPTIONS.format(cxx_name(d)) for d in (kind, other.dtype))
            raise TypeError(f"expected {wanted} (got {got})")
        return TENSORS.alias(other)
    if index == 3:
        size = args if len(args) == 1 and type(first) is int else values["size"]
        return finished(uninitialized(check_sizes(size), kind.numpy))
    data = values["data"]
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{typename(data)}'")
    if not hasattr(type(data), "__getitem__") or isinstance(data, (dict, np.generic)):
        raise TypeError(f"new(): data must be a sequence (got {typename(data)})")
    if isinstance(data, np.ndarray):  # of this dtype, it is taken as it is: tensor and array share their memory
        return TENSORS.to(from_numpy(data), kind)
    return finished(array_from(data, kind))


def legacy_new(cls: type, *args: Any, **kwargs: Any) -> Any:
    """`Tensor(…)` and `class Mine(Tensor)`, `Mine(…)`: sizes, a sequence, a tensor or a storage, in the default dtype.

    >>> import autogradlab as torch
    >>> torch.Tensor([1, 2]), torch.Tensor(2, 3).shape
    (tensor([1., 2.]), torch.Size([2, 3]))
    """
    t = _construct(get_default_dtype(), args, kwargs, any_type=True)
    if cls is Tensor:
        return t
    made: Any = object.__new__(cls)
    for slot in ("_array", "_edge", "_counter", "_grad", "_meta", "_storage", "_view"):
        setattr(made, slot, getattr(t, slot))
    return made


@signatures("new -> Tensor", method=True)
def new(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """
    sig: (self, *args, device=None)
    A tensor of the same type, in the old manner: of sizes, or with the numbers of a list.

    Shapes: the given sizes, or those of the list.
    Dtypes: the tensor's.

    >>> torch.zeros(1, dtype=torch.float64).new([1, 2])
    tensor([1., 2.], dtype=torch.float64)
    """
    return _construct(self.dtype, args, kwargs, any_type=False, placed=_PLACED_BY_NEW)


# -- torch.FloatTensor and the like ------------------------------------------------------------------------------------


class tensortype(type):
    """The class of `torch.FloatTensor` and its like: they make and recognise tensors, but are not Tensor classes."""

    __module__ = "torch"

    dtype: Any
    layout: Any
    is_cuda: bool
    is_sparse: bool

    def __new__(mcls: Any, name: str, bases: tuple[Any, ...], fields: dict[str, Any]) -> Any:
        for base in bases:
            raise TypeError(f"type '{base.__module__}.{base.__name__}' is not an acceptable base type")
        return type.__new__(mcls, name, bases, fields)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls.is_cuda:
            raise TypeError(_NO_CUDA.format(f"{cls.__module__}.{cls.__name__}"))
        if cls.is_sparse:
            raise NotImplementedError("autogradlab has strided tensors only")
        return _construct(cls.dtype, args, kwargs, any_type=False)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype and not cls.is_cuda and not cls.is_sparse


def _types(module: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for d in dtypes.ALL.values():
        if d._tensor_type.startswith(("UInt", "Complex")):
            continue
        fields: dict[str, Any] = {
            "__module__": module,
            "__doc__": None,
            "dtype": d,
            "layout": strided,
            "is_cuda": "cuda" in module,
            "is_xpu": False,
            "is_sparse": "sparse" in module,
        }
        made[d._tensor_type] = tensortype(d._tensor_type, (), fields)
    return made


TYPES: dict[str, Any] = _types("torch")


def cuda_types() -> dict[str, Any]:
    """`torch.cuda.FloatTensor` and the like, which only say that there is no CUDA."""
    return _types("torch.cuda")


# -- defaults ----------------------------------------------------------------------------------------------------------


def set_default_dtype(d: Any, /) -> None:
    """Set the dtype of float numbers where none is given.
    Errors: TypeError if it is not a floating point dtype.

    Example:
        >>> import autogradlab as torch
        >>> torch.set_default_dtype(torch.float64)
        >>> torch.tensor([1.5]).dtype
        torch.float64
        >>> torch.set_default_dtype(torch.float32)

    Mirrors `torch.set_default_dtype`.
    """
    if not isinstance(d, dtype):
        raise TypeError(f"invalid dtype object: {_ONLY_FLOATS}")
    if not d.is_floating_point:
        raise TypeError(_ONLY_FLOATS)
    set_default(d)


def set_default_tensor_type(t: Any, /) -> None:
    """Set the default dtype in the old manner, by a tensor type. Deprecated: set_default_dtype.

    Example:
        >>> import autogradlab as torch
        >>> torch.set_default_tensor_type(torch.DoubleTensor)
        >>> torch.ones(1).dtype
        torch.float64
        >>> torch.set_default_tensor_type(torch.FloatTensor)

    Mirrors `torch.set_default_tensor_type`.
    """
    if isinstance(t, str):
        module, _, name = t.rpartition(".")
        if module not in ("torch", "torch.cuda"):
            t = getattr(importlib.import_module(module or t), name)
        elif name not in TYPES:
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        else:
            t = TYPES[name] if module == "torch" else cuda_types()[name]
    warn_once(_SET_TYPE, at="torch/csrc/tensor/python_tensor.cpp:434")
    if not isinstance(t, tensortype):
        raise TypeError(f"invalid type object: {_ONLY_FLOATS}")
    if t.is_cuda:
        raise TypeError(_NO_CUDA.format(f"{t.__module__}.{t.__name__}"))
    if not t.dtype.is_floating_point:
        raise TypeError(_ONLY_FLOATS)
    set_default(t.dtype)


def set_default_device(device: Any) -> None:
    """Set the device on which tensors are made.

    Example:
        >>> import autogradlab as torch
        >>> torch.set_default_device('cpu')
        >>> torch.ones(1).device
        device(type='cpu')
        >>> torch.set_default_device(None)

    Mirrors `torch.set_default_device`.
    """
    set_device(None if device is None else device if isinstance(device, Device) else Device(device))


def get_default_device() -> Device:
    """The device on which tensors are made.

    Example:
        >>> import autogradlab as torch
        >>> torch.get_default_device()
        device(type='cpu')

    Mirrors `torch.get_default_device`.
    """
    found = default_device()
    require_cpu(found)
    return found if found is not None else CPU


#: the devices that `with` statements have replaced, the innermost last
_REPLACED: list[Device | None] = []


def _enter(self: Device) -> Device:
    _REPLACED.append(default_device())
    set_device(self)
    return self


def _exit(self: Device, *error: object) -> None:
    set_device(_REPLACED.pop())


Device.__enter__ = _enter
Device.__exit__ = _exit

# -- old methods -------------------------------------------------------------------------------------------------------


def _resized(self: Tensor, shape: tuple[int, ...]) -> Tensor:
    n = 1
    for size in shape:
        n *= size
    if n != self._array.size:
        sizes = ["x".join(map(str, s)) for s in (shape, self._array.shape)]
        raise RuntimeError(
            f"requested resize to {sizes[0]} ({n} elements in total), but the given tensor has a size of {sizes[1]} "
            f"({self._array.size} elements). autograd's resize can only change the shape of a given tensor, while "
            "preserving the number of elements. "
        )
    return TENSORS.reshape(TENSORS.contiguous(self), shape)


@signatures("resize -> Tensor", method=True)
def resize(self: Tensor, *sizes: Any) -> Tensor:
    """
    sig: (self, *sizes)
    The tensor in another shape, with a deprecation warning: reshape.

    >>> torch.arange(4).resize(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    warn("non-inplace resize is deprecated")
    return _resized(self, tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes)


def resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """The tensor in the shape of another one, with a deprecation warning: reshape_as.

    Example:
        >>> import autogradlab as torch
        >>> torch.arange(4).resize_as(torch.zeros(2, 2))
        tensor([[0, 1],
                [2, 3]])

    Mirrors `torch.Tensor.resize_as`.
    """
    warn("non-inplace resize_as is deprecated")
    return _resized(self, tensor._array.shape)


_SET = Signatures(
    "set_",
    "set_()",
    "set_(Storage source)",
    "set_(Storage source, SymInt storage_offset, SymInt[] size, SymInt[] stride=None)",
    "set_(Tensor source)",
    "set_(Tensor source, SymInt storage_offset, SymInt[] size, SymInt[] stride=None)",
)


class _SetNode(OpNode):
    """The Node of set_, which PyTorch has no derivative for; it has an edge to each tensor, whether it has a gradient
    or not."""

    __slots__ = ()
    __module__ = "builtins"

    def name(self) -> str:
        """PyTorch's name for it."""
        return NOT_IMPLEMENTED

    def run(self, grad: Any, F: Any) -> tuple[Any, ...]:
        if grad is not None:
            raise RuntimeError("derivative for set_ is not implemented")
        return (None,) * len(self._edges)

    run_recorded = run


_SetNode.__name__ = _SetNode.__qualname__ = "NotImplemented"


def _set_to(self: Tensor, source: Any, array: np.ndarray, storage: Storage | None) -> Tensor:
    """Give a tensor another array and its storage; `source` is recorded if it is a tensor."""
    history = None
    if modes.current().record and array.dtype.kind in "fcV":
        if self._view is not None and any(isinstance(t, Tensor) and requires_grad(t) for t in (self, source)):
            check_inplace(self)
        edges = [operand_edge(t, (self, source)) for t in (self, source) if isinstance(t, Tensor)]
        if any(edge is not NO_EDGE for edge in edges):
            if self._view is None:
                check_inplace(self)
            history = History(self, start_node(_SetNode, tuple(edges), array.shape, array.dtype, ()))
    if self._meta is not None:
        # a leaf with other memory is another leaf to the graphs that were made with the old
        self._meta.accumulate = NO_REFERENCE
    self._storage = storage
    commit_array(self, as_lazy_as(self._array, array), history)
    return self


def _memory_of(source: Any, kind: dtypes.dtype, called: str) -> Storage:
    """The bytes of a storage, which has to be of a dtype if it has one."""
    own = getattr(source, "dtype", kind)
    if own is not kind:
        raise RuntimeError(
            f"Expected a Storage of type {called} or an UntypedStorage, but got type {dtypes.scalar_name(own)} for "
            "argument 1 'storage'"
        )
    memory: Storage = getattr(source, "_untyped_storage", source)
    return memory


@signatures("set_ -> Tensor", method=True)
def set_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """
    sig: (self, source=None, storage_offset=0, size=None, stride=None)
    Gives the tensor the memory, and the shape and strides, of another tensor or storage.

    >>> x = torch.zeros(2)
    >>> x.set_(torch.tensor([1., 2., 3.]))
    tensor([1., 2., 3.])
    """
    index, values = _SET.bind(args, kwargs)
    numpy = self._array.dtype
    if index == 0:
        return _set_to(self, None, np.zeros(0, numpy), None)
    source = values["source"]
    if source.device != self.device:
        raise RuntimeError(
            f'Attempted to set the storage of a tensor on device "{self.device}" to a storage on different device '
            f'"{source.device}".  This is no longer allowed; the devices must match.'
        )
    if isinstance(source, Tensor):
        if source.dtype is not self.dtype:
            names = (cxx_name(d) for d in (source.dtype, self.dtype))
            raise RuntimeError("Could not set tensor of type {} to a tensor of type {}".format(*names))
        if index == 3:
            return _set_to(self, source, memory_of(source._array), source._storage)
        storage: Storage = TENSORS.untyped_storage(source)
    else:
        storage = _memory_of(source, self.dtype, cxx_name(self))
    offset = values.get("storage_offset", 0)
    size = values.get("size")
    if size is None:
        size = (storage.nbytes() // numpy.itemsize,)
    stride = values.get("stride")
    if stride is None:
        stride, step = [], 1
        for n in reversed(size):
            stride.insert(0, step)
            step *= max(n, 1)
    if len(size) != len(stride):
        raise RuntimeError(f"unequal size length ({len(size)}) and stride length ({len(stride)})")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if min(size, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    if min(stride, default=0) < 0:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    needed = 0 if 0 in size else offset + 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if needed * numpy.itemsize > storage.nbytes():
        storage.resize_(needed * numpy.itemsize)
    steps = tuple(s * numpy.itemsize for s in stride)
    start = offset * numpy.itemsize if needed else min(offset * numpy.itemsize, storage.nbytes())
    array = np.ndarray(size, numpy, storage.buffer, start, steps)
    return _set_to(self, source, array, storage)


def apply_(self: Tensor, callable: Any) -> Tensor:
    """Each element replaced by what a Python function gives for it. Slow.

    Example:
        >>> import autogradlab as torch
        >>> torch.tensor([1., 2.]).apply_(lambda v: v * 10)
        tensor([10., 20.])

    Mirrors `torch.Tensor.apply_`.
    """
    if self.requires_grad:
        raise RuntimeError("Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead.")
    flat = [_fits(callable(v), self) for v in self._array.reshape(-1).tolist()]
    self._array[...] = np.array(flat, self._array.dtype).reshape(self._array.shape)
    return self


@signatures("map_(Tensor input, Tensor other, object callable) -> Tensor|python", method=True)
def map_(self: Tensor, other: Tensor, callable: Any) -> Tensor:
    """Each element replaced by what a Python function gives for it and its partner in another tensor. Slow.

    Example:
        >>> import autogradlab as torch
        >>> torch.tensor([1., 2.]).map_(torch.tensor([3., 4.]), lambda a, b: a + b)
        tensor([4., 6.])

    Mirrors `torch.Tensor.map_`.
    """
    return _mapped("map_", self, (other,), callable)


@signatures("map2_(Tensor input, Tensor x, Tensor y, object callable) -> Tensor|python", method=True)
def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Any) -> Tensor:
    """Each element replaced by what a Python function gives for it and its partners in two other tensors. Slow.

    Example:
        >>> import autogradlab as torch
        >>> torch.tensor([1., 2.]).map2_(torch.tensor([3., 4.]), torch.tensor(2.), lambda a, b, c: a + b * c)
        tensor([ 7., 10.])

    Mirrors `torch.Tensor.map2_`.
    """
    return _mapped("map2_", self, (x, y), callable)


def _mapped(name: str, self: Tensor, others: tuple[Tensor, ...], function: Any) -> Tensor:
    if any(t.requires_grad for t in (self, *others)):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    for place, t in zip(("'other'",) if len(others) == 1 else ("argument 'x'", "argument 'y'"), others, strict=True):
        if t.dtype is not self.dtype:
            raise TypeError(f"{name}: expected {tensor_type(self)} for {place} (got {tensor_type(t)})")
    arrays = (self._array, *(TENSORS.expand(t, self._array.shape)._array for t in others))
    flat = [_fits(function(*v), self) for v in zip(*(a.reshape(-1).tolist() for a in arrays), strict=True)]
    self._array[...] = np.array(flat, self._array.dtype).reshape(self._array.shape)
    return self


def _fits(value: Any, t: Tensor) -> Any:
    """What a function gave, if it can be an element of the tensor."""
    kind = t._array.dtype.kind
    if isinstance(value, (Tensor, int, float)) or (isinstance(value, complex) and kind in "bc"):
        return value.item() if isinstance(value, Tensor) else value
    if kind in "iub":
        raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
    raise TypeError(f"must be real number, not {type(value).__name__}")


@signatures("as_subclass(Tensor input, object cls) -> Tensor|python", method=True)
def as_subclass(self: Tensor, cls: Any) -> Any:
    """The tensor as one of a subclass, on the same memory and with the same history.
    Errors: TypeError for a class that does not inherit from Tensor.

    Example:
        >>> import autogradlab as torch
        >>> class Named(torch.Tensor):
        ...     pass
        >>> isinstance(torch.ones(2).as_subclass(Named), Named)
        True

    Mirrors `torch.Tensor.as_subclass`.
    """
    _check_subclass(cls)
    made = TENSORS.alias(self)
    made.__class__ = cls
    return made


def _check_subclass(cls: Any) -> None:
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {typename(cls)})")
    if not issubclass(cls, Tensor):
        raise TypeError(
            "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your "
            "class inherits from Tensor."
        )


def make_subclass(cls: Any, data: Tensor, require_grad: bool = False) -> Any:
    """A leaf of a subclass over the memory of a tensor, with its version counter."""
    _check_subclass(cls)
    if type(require_grad) is not bool:
        raise TypeError(
            f"_make_subclass(): argument 'require_grad' (position 3) must be bool, not {typename(require_grad)}"
        )
    made: Any = object.__new__(cls)
    made._array = data._array
    made._edge = NO_EDGE
    made._counter = counter(data)
    made._storage = data._storage
    made._grad = made._view = made._meta = None
    if require_grad:
        if data._array.dtype.kind not in "fcV":
            raise RuntimeError(errors.REQUIRES_GRAD_FLOAT_NEW)
        set_requires_grad(made, True, "new")
    return made


def make_wrapper_subclass(
    cls: Any,
    size: Any,
    strides: Any = None,
    storage_offset: Any = None,
    memory_format: Any = None,
    dtype: Any = None,
    layout: Any = strided,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    **policies: Any,
) -> Any:
    """A leaf of a class with `__torch_dispatch__` that has sizes, strides and a dtype, and no contents: what operations
    on it give, the class says."""
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {typename(cls)})")
    if not answers(cls):
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")
    if any(policies.values()):
        raise NotImplementedError(f"autogradlab has no {next(n for n, v in policies.items() if v)}=")
    kind = get_default_dtype() if dtype is None else dtype
    if layout is not strided:
        raise NotImplementedError(f"autogradlab has strided tensors only: no layout {layout}")
    require_cpu(None if device is None else Device(device))
    shape, unit = tuple(size), kind.itemsize
    steps = dense(shape, unit) if strides is None else tuple(s * unit for s in strides)
    length = (0 if 0 in shape else extent(shape, steps, unit)) + (storage_offset or 0) * unit
    made: Any = object.__new__(cls)
    made._array = np.ndarray(shape, kind.numpy, reserve(length, Hollow), (storage_offset or 0) * unit, steps)
    made._edge, made._counter = NO_EDGE, UNSHARED
    made._storage = made._grad = made._view = made._meta = None
    if requires_grad:
        set_requires_grad(made, True, "new")
    return made


@signatures("is_set_to(Tensor input, Tensor tensor) -> bool", method=True)
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether two tensors are the same memory with the same shape and strides.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.ones(2)
        >>> x.is_set_to(x.view(2)), x.is_set_to(x.clone())
        (True, False)

    Mirrors `torch.Tensor.is_set_to`.
    """
    if self._array.shape != tensor._array.shape or self.stride() != tensor.stride():
        return False
    return storage_of(self) is storage_of(tensor) and self.storage_offset() == tensor.storage_offset()


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """A copy in memory that is pinned for a GPU.

    Errors: RuntimeError: there is no GPU.

    Example:
        >>> import autogradlab as torch
        >>> torch.ones(1).is_pinned()
        False

    Mirrors `torch.Tensor.pin_memory`.
    """
    raise RuntimeError("Cannot access accelerator device when none is available.")


def share_memory_(self: Tensor) -> Tensor:
    """Moves the memory to where other processes can reach it; here the tensor is returned as it is.

    Example:
        >>> import autogradlab as torch
        >>> torch.ones(1).share_memory_()
        tensor([1.])

    Mirrors `torch.Tensor.share_memory_`.
    """
    storage_of(self).shared = True
    return self


@signatures("is_distributed(Tensor input) -> bool", method=True)
def is_distributed(self: Tensor) -> bool:
    """Whether it is distributed: never.

    Example:
        >>> import autogradlab as torch
        >>> torch.ones(1).is_distributed()
        False

    Mirrors `torch.Tensor.is_distributed`.
    """
    return False


def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """What `load_state_dict` swaps with a parameter or buffer, where tensors are swapped: this tensor with the values
    of `other`, or `other` itself, detached. Classes of tensors may say otherwise.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.zeros(2)
        >>> x.module_load(torch.ones(2)), x
        (tensor([1., 1.]), tensor([1., 1.]))

    Mirrors `torch.Tensor.module_load`.
    """
    return other.detach() if assign else self.copy_(other).detach()


#: methods that PyTorch writes in Python
_IN_PYTHON = ("module_load", "resize", "resize_as", "share_memory_")


def install() -> None:
    """Attach the old methods and the constructor to Tensor."""
    for fn in (
        new,
        resize,
        resize_as,
        set_,
        apply_,
        map_,
        map2_,
        as_subclass,
        is_set_to,
        module_load,
        pin_memory,
        share_memory_,
        is_distributed,
    ):
        name = fn.__name__
        if name in DECLARED:
            fn = checking(fn, name, "Tensor", "first")
        elif name in _IN_PYTHON:
            fn.__qualname__ = f"Tensor.{name}"
        setattr(Tensor, name, fn)
    Tensor.__new__ = staticmethod(legacy_new)
    Tensor._make_subclass = staticmethod(make_subclass)
    Tensor._make_wrapper_subclass = staticmethod(make_wrapper_subclass)


install()
