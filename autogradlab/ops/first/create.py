"""Functions that make tensors: of given sizes, or from data."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.arguments.mismatch import refuse_all, typename
from ...core.memory.absent import require_contents, reserved
from ...core.memory.capsules import capsule_of, is_capsule
from ...core.memory.casting import warn_cast
from ...core.memory.layout import formatted, like
from ...core.memory.lazy import memory_of
from ...core.memory.rows import Rows, repeated
from ...core.memory.storage import Storage, dense, extent, fix
from ...core.memory.uninitialized import fill_if_deterministic, uninitialized
from ...core.memory.versions import UNSHARED, increment_version
from ...core.recording.record import RAW, TENSORS
from ...core.runtime.modes import out_of_memory, quiet
from ...core.runtime.settings import _state
from ...core.runtime.warn import warn, warn_once
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor, requires_grad
from ...core.types import dtypes
from ...core.types.device import default_device
from ...core.types.dtypes import dtype as Dtype
from ...core.types.dtypes import get_default_dtype
from ...core.values.building import array_from, check_numpy, fill_value
from ..table.asking import whole
from ..table.calls import counted
from ..table.creation import (
    OVERFLOWING,
    bind,
    check_device,
    check_out,
    check_sizes,
    default,
    finished,
    has_contents,
    into,
    make_for,
    options,
    placed,
    quick,
    quick_shape,
    resize_out,
)
from ..table.opdef import composite
from .conversion import array_of_dlpack
from .index import lifted

_COPY = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor)."
)
_READ_ONLY = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to "
    "this tensor will result in undefined behavior. You may want to copy the array to protect its data or make it "
    "writable before converting it to a tensor. This type of warning will be suppressed for the rest of this program."
)
_READ_ONLY_BUFFER = (
    "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can write to "
    "the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to protect its "
    "data or make it writable before converting it to a tensor. This type of warning will be suppressed for the rest "
    "of this program."
)
_ASARRAY_GRAD = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
    "requires_grad=False explicitly to get the old behavior and silence this warning."
)

#: what is no plain data: a tensor is warned of, and one made of a storage lies in its memory
_IN_MEMORY = (Tensor, Storage)


def _of_data(data: Any, kind: Dtype | None, values: dict[str, Any], beside: bool = False) -> Tensor:
    """A tensor of data; one made of a storage lies in it."""
    if isinstance(data, Tensor) and kind is not None:
        warn_cast(data._array.dtype, kind.numpy)
    t = placed(array_from(data, kind), values, beside=beside)
    if isinstance(data, Storage):
        t._storage = data
    return t


def _lifted(t: Tensor) -> Tensor:
    """A new tensor of data, of which a mode is told."""
    grad = requires_grad(t)
    found = lifted(t.requires_grad_(False))
    return found.requires_grad_() if grad else found


def _lifted_data(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any], name: str) -> Tensor:
    data = args[0] if args else kwargs.get(name)
    t: Tensor = call(*args, **kwargs)
    return t if isinstance(data, (Tensor, np.ndarray)) else _lifted(t)


# -- out of data -------------------------------------------------------------------------------------------------------


@composite(
    """
    tensor(object data, *, ScalarType? dtype=None, Device? device=None, bool pin_memory=False,
        bool requires_grad=False) -> Tensor|python
    """,
    method=False,
    reads="itself",
)
@instead(lambda call, args, kwargs: _lifted(call(*args, **kwargs)))
def tensor(*args: Any, **kwargs: Any) -> Tensor:
    """
    sig: (data, *, dtype=None, device=None, requires_grad=False, pin_memory=False)
    A new tensor with the numbers of (nested) lists, of an array or of one number. It is a leaf, and always a copy.

    Shapes: as the lists are nested; a number gives 0-dim.
    Dtypes: float gives the default dtype, int int64, bool bool, complex complex64; arrays keep theirs.
    Errors: ValueError for rows of different lengths; RuntimeError for requires_grad=True with integers.

    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    >>> torch.tensor([1., 2.], requires_grad=True)
    tensor([1., 2.], requires_grad=True)
    >>> torch.tensor(3.5).shape
    torch.Size([])
    """
    if len(args) == 1 and not isinstance(args[0], _IN_MEMORY):
        if not kwargs:
            if default_device() is None:
                return finished(array_from(args[0]))
        elif quick(kwargs):
            return finished(array_from(args[0], kwargs.get("dtype")), kwargs.get("requires_grad", False))
    if kwargs.get("requires_grad", False) is None:
        raise TypeError("tensor(): argument 'requires_grad' must be bool, not NoneType")
    _, values = bind("tensor", args, kwargs)
    kind = options(values)
    data = values["data"]
    if isinstance(data, Tensor):
        warn(_COPY.format("torch.tensor"))
    return _of_data(data, kind, values)


@composite(
    "as_tensor(object data, *, ScalarType? dtype=None, Device? device=None) -> Tensor|python",
    method=False,
    reads="itself",
)
@instead(lambda call, args, kwargs: _lifted_data(call, args, kwargs, "data"))
def as_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """data as a tensor; a tensor of that dtype, or the memory of a NumPy array, is used as it is.

    Shapes: those of data.
    Dtypes: as for tensor; arrays keep theirs.

    >>> a = np.array([1, 2])
    >>> t = torch.as_tensor(a)
    >>> a[0] = 9
    >>> t
    tensor([9, 2])
    """
    if len(args) == 1 and not kwargs and isinstance(args[0], Tensor) and default_device() is None:
        return args[0]
    _, values = bind("as_tensor", args, kwargs)
    check_device(values["device"])
    kind = values["dtype"]
    data = values["data"]
    if isinstance(data, Tensor):
        return TENSORS.to(data, device=values["device"], dtype=kind)
    if isinstance(data, np.ndarray):
        shared = _from_numpy(data)
        if not has_contents(values):
            return placed(shared._array, values)
        return shared if kind is None else TENSORS.to(shared, kind)
    if hasattr(data, "__dlpack__"):
        lent = finished(array_of_dlpack(data))
        return TENSORS.to(lent, device=values["device"], dtype=kind)
    return _of_data(data, kind, values)


@composite("from_numpy -> Tensor", method=False, reads="itself")
@instead(lambda call, args, kwargs: _lifted(call(*args)))
def from_numpy(*args: Any, **kwargs: Any) -> Tensor:
    """A tensor on the memory of a NumPy array: changes of one are seen in the other.
    sig: (ndarray)

    Shapes: the array's.
    Dtypes: the array's.
    Errors: TypeError for what is not an array, or has a dtype that tensors have not.

    >>> a = np.array([1., 2.])
    >>> t = torch.from_numpy(a)
    >>> t[0] = 5
    >>> a
    array([5., 2.])
    """
    if kwargs:
        refuse_all("torch._VariableFunctionsClass.from_numpy", args, kwargs)
    if len(args) != 1:
        raise TypeError(f"torch._VariableFunctionsClass.from_numpy() takes exactly one argument ({len(args)} given)")
    return _from_numpy(args[0])


def _bounded(t: Tensor, array: np.ndarray) -> None:
    """The memory of a tensor on an array of somebody else's begins and ends where that array does."""
    if array.size:
        last = sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)) // array.itemsize
        whole = array.flags.c_contiguous
        t._storage = Storage.over(
            array if whole else np.lib.stride_tricks.as_strided(array, (last + 1,), (array.itemsize,))
        )


class _Writable:
    """Hands out the memory of a read-only array as PyTorch takes it: to be written to."""

    def __init__(self, array: np.ndarray) -> None:
        told = array.__array_interface__
        self.__array_interface__ = {**told, "data": (told["data"][0], False)}
        self.array = array


def _writable(array: np.ndarray) -> np.ndarray:
    return np.asarray(_Writable(array)).view(array.dtype)


def _from_numpy(array: Any) -> Tensor:
    given = array
    if type(given) is Rows:
        return finished(array)
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {typename(array)})")
    if type(array) is not np.ndarray:  # matrix, masked array ...: the memory alone counts
        array = array.view(np.ndarray)
    check_numpy(array)
    if not array.flags.writeable:
        warn_once(_READ_ONLY, at="torch/csrc/utils/tensor_numpy.cpp:213")
        array = _writable(array)
    numpy = dtypes.from_numpy(array.dtype).numpy
    t = finished(array[...] if numpy is array.dtype or numpy == array.dtype else array.view(numpy))
    if array.base is not None:
        _bounded(t, array)
    fix(t)
    return t


@composite(
    """
    asarray(object obj, *, ScalarType? dtype=None, Device? device=None, bool? copy=None,
        bool requires_grad=False) -> Tensor|python
    """,
    method=False,
    reads="itself",
)
@instead(lambda call, args, kwargs: _lifted_data(call, args, kwargs, "obj"))
def asarray(*args: Any, **kwargs: Any) -> Tensor:
    """obj as a tensor; memory is shared where possible, never with copy=True, always (or ValueError) with copy=False.

    Shapes: those of obj.
    Dtypes: as for tensor; arrays keep theirs.

    >>> torch.asarray([1, 2], dtype=torch.float32)
    tensor([1., 2.])
    """
    given = kwargs.get("requires_grad")
    _, values = bind("asarray", args, kwargs)
    obj, copy = values["obj"], values["copy"]
    check_device(values["device"])
    kind = values["dtype"]
    source = None
    if not has_contents(values, beside=isinstance(obj, Tensor)):
        return placed(TENSORS.as_tensor(obj, dtype=kind)._array, {**values, "requires_grad": bool(given)})
    if isinstance(obj, Tensor):
        source = obj
    elif isinstance(obj, np.generic):
        if copy is False:
            raise RuntimeError("can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. ")
        source = _from_numpy(np.array(obj))
    elif isinstance(obj, np.ndarray):
        source = _from_numpy(obj)
    elif hasattr(obj, "__dlpack__") or is_capsule(obj):
        source = finished(array_of_dlpack(obj))
    elif _lends(obj):
        source = _from_buffer(obj, kind or get_default_dtype(), -1, 0)
    if source is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return finished(array_from(obj, kind), given)
    if given is None and requires_grad(source):
        warn_once(_ASARRAY_GRAD, at="torch/csrc/utils/tensor_new.cpp:1737")
        given = True
    found = source
    if kind is not None and kind is not source.dtype:
        if copy is False:
            names = dtypes.scalar_name(source), dtypes.scalar_name(kind)
            raise ValueError("can't alias tensor with dtype '{}' into dtype '{}'.".format(*names))
        found = TENSORS.to(source, kind)
    elif copy:
        found = source.clone()
    if not given and not found.is_leaf:
        return found.detach()
    if bool(given) != requires_grad(found):
        if given and found._array.dtype.kind not in "fcV":
            return finished(found._array, True)
        found.requires_grad_(bool(given))
    return found


@composite(
    "frombuffer(object buffer, *, ScalarType dtype, int count=-1, int offset=0, "
    "bool requires_grad=False) -> Tensor|python",
    method=False,
    reads="itself",
)
def frombuffer(*args: Any, **kwargs: Any) -> Tensor:
    """A tensor on the memory of bytes, a bytearray, an array, …
    sig: (buffer, *, dtype, count=-1, offset=0, requires_grad=False)

    Shapes: one dimension.
    Dtypes: the given one.

    >>> torch.frombuffer(bytearray([1, 0, 2, 0]), dtype=torch.int16)
    tensor([1, 2], dtype=torch.int16)
    """
    _, values = bind("frombuffer", args, kwargs)
    kind = values["dtype"]
    assert kind is not None
    found = _from_buffer(values["buffer"], kind, values["count"], values["offset"])
    return placed(found._array, values)


def _lends(data: Any) -> bool:
    """Whether an object lends its memory by Python's buffer protocol."""
    try:
        memoryview(data).release()
    except TypeError:
        return False
    return True


def _from_buffer(buffer: Any, kind: Dtype, count: int, offset: int) -> Tensor:
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    total, size = view.nbytes, kind.itemsize
    if not total or not count:
        raise ValueError(f"both buffer length ({total}) and count ({count}) must not be 0")
    if not 0 <= offset < total:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({total} bytes) minus 1"
        )
    if count > 0 and offset + count * size > total:
        raise ValueError(
            f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be "
            f"greater than actual buffer length ({total} bytes)"
        )
    if count <= 0:
        if (total - offset) % size:
            raise ValueError(
                f"buffer length ({total - offset} bytes) after offset ({offset} bytes) must be a multiple "
                f"of element size ({size})"
            )
        count = (total - offset) // size
    if view.readonly:
        warn_once(_READ_ONLY_BUFFER, at="torch/csrc/utils/tensor_new.cpp:1556")
    made = np.frombuffer(view, kind.numpy, count, offset)
    t = finished(_writable(made) if view.readonly else made)
    t._storage = Storage.over(t._array)
    fix(t)
    return t


@composite(
    "from_file(str filename, bool? shared=None, SymInt? size=0, *, $options) -> Tensor", method=False, reads="itself"
)
def from_file(*args: Any, **kwargs: Any) -> Tensor:
    """A tensor on the first `size` numbers of a file; with shared=True what is changed is written to it, and the file
    is made and grows if need be.
    sig: (filename, shared=None, size=0, *, dtype=None, layout=None, device=None, pin_memory=False)

    Shapes: one dimension.
    Dtypes: the default dtype if none is given.
    Errors: RuntimeError for a file that is not there or too short.

    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), 'numbers')
    >>> torch.from_file(file, shared=True, size=2).fill_(7)
    tensor([7., 7.])
    >>> torch.from_file(file, size=2)
    tensor([7., 7.])
    """
    _, values = bind("from_file", args, kwargs)
    numpy = default(options(values))
    if not has_contents(values):
        require_contents("aten::from_file", reserved((), numpy))
    size = values["size"] or 0
    memory = Storage.from_file(values["filename"], bool(values["shared"]), size * numpy.itemsize)
    t = placed(memory.buffer.view(numpy), values)
    t._storage = memory
    return t


@composite("from_dlpack -> Tensor", method=False, reads="itself")
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: Any = None) -> Tensor:
    """A tensor on the memory of an object that supports DLPack, such as a NumPy array.
    sig: (ext_tensor, *, device=None, copy=None)

    Shapes: the object's.
    Dtypes: the object's.

    >>> torch.from_dlpack(np.array([1., 2.]))
    tensor([1., 2.], dtype=torch.float64)
    """
    if isinstance(device, str):
        check_device(device)
    array = array_of_dlpack(ext_tensor, device, copy)
    check_numpy(array)
    t = finished(array)
    _bounded(t, array)
    fix(t)
    return t


@composite("to_dlpack -> PyCapsule", method=False, reads="itself")
def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule of the tensor, for one consumer.
    sig: (input)

    Shapes: any.

    >>> capsule = torch.to_dlpack(torch.tensor([1., 2.]))
    >>> torch.from_dlpack(capsule)
    tensor([1., 2.])
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_to_dlpack(): argument 'data' (position 1) must be Tensor, not {typename(tensor)}")
    return capsule_of(memory_of(tensor._array))


# -- of one value ------------------------------------------------------------------------------------------------------


def _of_one(shape: tuple[int, ...], value: Any, numpy: np.dtype[Any]) -> np.ndarray:
    """`np.full`, which takes longer to begin."""
    try:
        array = np.empty(shape, numpy)
    except MemoryError as error:
        raise out_of_memory(error) from None
    array[...] = value
    return array


def _ones(shape: tuple[int, ...], numpy: np.dtype[Any]) -> np.ndarray:
    return _of_one(shape, 1, numpy)


def _filled(declaration: str, make: Any, doc: str) -> None:
    name = declare(declaration, doc)
    negative = f"{name}: Dimension size must be non-negative." if name == "zeros" else ""
    at_once = np.zeros if make is uninitialized else make  # where no deterministic algorithms are asked for

    @instead(whole(method=False))
    def create(*size: Any, **kwargs: Any) -> Tensor:
        if not kwargs or quick(kwargs):
            shape = quick_shape(size)
            if shape is not None and (kwargs or default_device() is None):
                kind = kwargs.get("dtype")
                new_array = make if _state["deterministic"] else at_once
                try:
                    array = new_array(shape, (kind or get_default_dtype()).numpy)
                except ValueError:
                    check_sizes(shape)
                    raise
                return finished(array, kwargs.get("requires_grad", False))
        _, values = bind(name, size, kwargs)
        kind = options(values)
        out = values["out"]
        shape = check_sizes(values["size"], negative if out is None or name == "empty" else OVERFLOWING)
        order = values.get("memory_format")
        if order is not None and order.name == "preserve_format":
            raise RuntimeError("unsupported memory format Preserve")
        if out is not None:
            check_out(name, out, kind)
            if name == "empty":  # which writes nothing
                if out._array.shape != shape:
                    resize_out(out, shape)
                    increment_version(out)
                if fill_if_deterministic(out._array):
                    increment_version(out)
                return out.requires_grad_(True) if values["requires_grad"] else out
            return into(name, out, make(shape, out._array.dtype), None, values["requires_grad"])
        if order is None:
            return placed(make_for(make, values)(shape, default(kind)), values)
        array = formatted(shape, default(kind), order)
        if name == "empty":
            fill_if_deterministic(array)
        return placed(array, values)

    create.__doc__ = doc
    composite(name, method=False)(create)

    @instead(whole())
    def new(self: Tensor, *size: Any, **kwargs: Any) -> Tensor:
        if (not kwargs or quick(kwargs)) and type(self._array) is np.ndarray:
            shape = quick_shape(size)
            if shape is not None and (kwargs or default_device() is None):
                kind = kwargs.get("dtype") or self.dtype
                made = finished(make(shape, kind.numpy), kwargs.get("requires_grad", False))
                return made if self._counter is UNSHARED else counted(made, int(name != "empty"), self)
        _, values = bind(f"new_{name}", size, kwargs, "Tensor")
        numpy = (options(values) or self.dtype).numpy
        shape = check_sizes(values["size"])
        array = repeated(make_for(make, values, beside=True)(shape, numpy), self._array)
        return counted(placed(array, values, beside=True), int(name != "empty"), self)

    new.__doc__ = f"{name}() with the dtype of this tensor."
    composite(f"new_{name}", function=False)(new)

    @instead(whole(method=False))
    def create_like(*args: Any, **kwargs: Any) -> Tensor:
        if len(args) == 1 and not kwargs and isinstance(args[0], Tensor):
            x = args[0]._array
            if x.flags.c_contiguous and not (1 in x.shape or 0 in x.shape) and type(x) is np.ndarray:
                return finished(make(x.shape, x.dtype))
        _, values = bind(f"{name}_like", args, kwargs)
        x = values["input"]._array
        kind = options(values)
        array = like(x, x.dtype if kind is None else kind.numpy, values["memory_format"])
        if name == "ones":
            array[...] = 1
        elif name == "empty":
            fill_if_deterministic(array)
        return placed(array, values, beside=True)

    create_like.__doc__ = f"{name}() of the size, dtype and memory order of the argument."
    composite(f"{name}_like", method=False)(create_like)


declare(
    "new_zeros(Tensor input, SymInt[] size, *, $options) -> Tensor",
    """
    Filled with 0, of the same dtype.

    Shapes: the given sizes.

    >>> torch.zeros(1, dtype=torch.int64).new_zeros(2, 2)
    tensor([[0, 0],
            [0, 0]])
    """,
)
declare(
    "zeros_like(Tensor input, *, MemoryFormat? memory_format=None, $options) -> Tensor",
    """
    Filled with 0, in the shape and dtype of another tensor.

    ~like

    >>> torch.zeros_like(torch.tensor([[1, 2]]))
    tensor([[0, 0]])
    """,
)
_filled(
    "zeros(SymInt[] size, *, Tensor out=None, $options) -> Tensor",
    np.zeros,
    """
    Filled with 0.

    ~size

    >>> torch.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    >>> torch.zeros(2, dtype=torch.int64)
    tensor([0, 0])
    """,
)
declare(
    "new_ones(Tensor input, SymInt[] size, *, $options) -> Tensor",
    """
    Filled with 1, of the same dtype.

    Shapes: the given sizes.

    >>> torch.zeros(1, dtype=torch.float64).new_ones(2)
    tensor([1., 1.], dtype=torch.float64)
    """,
)
declare(
    "ones_like(Tensor input, *, MemoryFormat? memory_format=None, $options) -> Tensor",
    """
    Filled with 1, in the shape and dtype of another tensor.

    ~like

    >>> torch.ones_like(torch.tensor([1.5, 2.]))
    tensor([1., 1.])
    """,
)
_filled(
    "ones(SymInt[] size, *, Tensor out=None, $options) -> Tensor",
    _ones,
    """
    Filled with 1.

    ~size

    >>> torch.ones(2, 3)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    """,
)
declare(
    "new_empty(Tensor input, SymInt[] size, *, $options) -> Tensor",
    """
    With whatever is in memory, of the same dtype.

    Shapes: the given sizes.

    >>> torch.zeros(1).new_empty(2, 3).shape
    torch.Size([2, 3])
    """,
)
declare(
    "empty_like(Tensor input, *, MemoryFormat? memory_format=None, $options) -> Tensor",
    """
    With whatever is in memory, in the shape and dtype of another tensor.

    ~like

    >>> torch.empty_like(torch.zeros(2, 3)).shape
    torch.Size([2, 3])
    """,
)
_filled(
    "empty(SymInt[] size, *, MemoryFormat? memory_format=None, Tensor out=None, "
    "$options) -> Tensor|.memory_format|.out",
    uninitialized,
    """
    With whatever is in memory: to be filled.

    ~size

    >>> torch.empty(2, 3).shape
    torch.Size([2, 3])
    """,
)
RAW.zeros_like = np.zeros_like


_PYTHONS = (float, int, bool)
_LOWEST = -(2.0**62)


def _fill_kind(value: Any) -> Dtype:
    return dtypes.of_scalar(value)


@composite(
    "full(SymInt[] size, Scalar fill_value, *, Tensor out=None, $options) -> Tensor", method=False, reads="itself"
)
@instead(whole(method=False))
def full(*args: Any, **kwargs: Any) -> Tensor:
    """Filled with a number.

    Shapes: the given sizes.
    Dtypes: as fill_value has it: float the default dtype, int int64, bool bool.

    >>> torch.full((2, 2), 7)
    tensor([[7, 7],
            [7, 7]])
    """
    if len(args) == 2 and (not kwargs or quick(kwargs)) and type(args[1]) in _PYTHONS:
        size, value = args
        given = quick_shape((size,)) if type(size) in (tuple, list) and _LOWEST <= value <= -_LOWEST else None
        if given is not None and (kwargs or default_device() is None):
            kind = kwargs.get("dtype") or _fill_kind(value)
            return finished(_of_one(given, fill_value(value, kind), kind.numpy), kwargs.get("requires_grad", False))
    _, values = bind("full", args, kwargs)
    kind, out, value = options(values), values["out"], values["fill_value"]
    shape = check_sizes(values["size"], "" if out is None else OVERFLOWING)
    if out is not None:
        check_out("full", out, kind)
        array = _of_one(shape, fill_value(value, out.dtype), out._array.dtype)
        return into("full", out, array, grad=values["requires_grad"])
    kind = kind or _fill_kind(value)
    if not has_contents(values):
        return placed(reserved(shape, kind.numpy), values)
    return placed(_of_one(shape, fill_value(value, kind), kind.numpy), values)


@composite(
    "full_like(Tensor input, Scalar fill_value, *, MemoryFormat? memory_format=None, $options) -> Tensor",
    method=False,
    reads="itself",
)
@instead(whole(method=False))
def full_like(*args: Any, **kwargs: Any) -> Tensor:
    """Filled with a number, in the shape and dtype of another tensor.

    ~like

    >>> torch.full_like(torch.zeros(2), 3.)
    tensor([3., 3.])
    """
    _, values = bind("full_like", args, kwargs)
    x = values["input"]
    kind = options(values) or x.dtype
    array = quiet(like, x._array, kind.numpy, values["memory_format"])
    array[...] = fill_value(values["fill_value"], kind)
    return placed(array, values, beside=True)


@composite(
    "new_full(Tensor input, SymInt[] size, Scalar fill_value, *, $options) -> Tensor", function=False, reads="itself"
)
@instead(whole())
def new_full(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Filled with a number, of the same dtype.

    Shapes: size.

    >>> torch.zeros(1, dtype=torch.int64).new_full((2,), 5)
    tensor([5, 5])
    """
    _, values = bind("new_full", args, kwargs, "Tensor")
    kind = options(values) or self.dtype
    value = fill_value(values["fill_value"], kind)
    array = _of_one(check_sizes(values["size"]), value, kind.numpy)
    return counted(placed(repeated(array, self._array), values, beside=True), 1, self)


@composite(
    """
    new_tensor(Tensor input, object data, *, ScalarType dtype=None, Device? device=None,
        bool requires_grad=False) -> Tensor|python
    """,
    function=False,
    reads="itself",
)
@instead(lambda call, args, kwargs: _lifted(call(*args, **kwargs)))
def new_tensor(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """A copy of data of the same dtype; a leaf.

    Shapes: those of data.

    >>> torch.zeros(1, dtype=torch.float64).new_tensor([1, 2])
    tensor([1., 2.], dtype=torch.float64)
    """
    _, values = bind("new_tensor", args, kwargs, "Tensor")
    check_device(values["device"])
    if isinstance(values["data"], Tensor):
        warn(_COPY.format("tensor.new_tensor"))
    return _of_data(values["data"], values["dtype"] or self.dtype, values, beside=True)


@composite("scalar_tensor(Scalar s, *, $options) -> Tensor", method=False, reads="itself")
@instead(whole(method=False))
def scalar_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """A 0-dim tensor of a number, in the default dtype.

    Shapes: 0-dim.
    Dtypes: the default dtype, if dtype= does not say otherwise.

    >>> torch.scalar_tensor(3)
    tensor(3.)
    """
    _, values = bind("scalar_tensor", args, kwargs)
    kind = options(values) or get_default_dtype()
    return placed(np.array(fill_value(values["s"], kind), kind.numpy), values)


# -- with chosen strides -----------------------------------------------------------------------------------------------


def _strided(size: tuple[int, ...], stride: tuple[int, ...], numpy: np.dtype[Any]) -> np.ndarray:
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    check_sizes(size)
    if sum((n - 1) * s for n, s in zip(size, stride, strict=True)) * numpy.itemsize >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    count = 0 if 0 in size else 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    return np.ndarray(size, numpy, uninitialized(count, numpy), 0, tuple(s * numpy.itemsize for s in stride))


@composite("empty_strided(SymInt[] size, SymInt[] stride, *, $options) -> Tensor", method=False, reads="itself")
@instead(whole(method=False))
def empty_strided(*args: Any, **kwargs: Any) -> Tensor:
    """An uninitialized tensor with given strides.
    sig: (size, stride, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False)

    Shapes: size.
    Dtypes: the default dtype, if dtype= does not say otherwise.

    >>> torch.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    _, values = bind("empty_strided", args, kwargs)
    return placed(_strided(values["size"], values["stride"], default(options(values))), values)


@composite(
    "new_empty_strided(Tensor input, SymInt[] size, SymInt[] stride, *, $options) -> Tensor",
    function=False,
    reads="itself",
)
@instead(whole())
def new_empty_strided(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """An uninitialized tensor with given strides, of the same dtype.

    Shapes: size.

    >>> torch.zeros(1).new_empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    _, values = bind("new_empty_strided", args, kwargs, "Tensor")
    numpy = (options(values) or self.dtype).numpy
    array = _strided(values["size"], values["stride"], numpy)
    beside: Any = self._array
    if type(beside) is Rows:  # each row as it would lie alone
        lanes, item = beside.lanes, numpy.itemsize
        rows = dense(lanes, extent(array.shape, array.strides, item))
        array = beside.over(_strided((*lanes, *array.shape), tuple(s // item for s in (*rows, *array.strides)), numpy))
    return placed(array, values, beside=True)


@composite("empty_permuted(SymInt[] size, int[] physical_layout, *, $options) -> Tensor", method=False, reads="itself")
@instead(whole(method=False))
def empty_permuted(*args: Any, **kwargs: Any) -> Tensor:
    """An uninitialized tensor with its dimensions laid out in memory in a given order.
    sig: (size, physical_layout, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False)

    Shapes: size.
    Dtypes: the default dtype, if dtype= does not say otherwise.

    >>> torch.empty_permuted((2, 3), (1, 0)).stride()
    (1, 2)
    """
    _, values = bind("empty_permuted", args, kwargs)
    size, order = values["size"], values["physical_layout"]
    if len(size) != len(order):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. "
            f"len(size) = {len(size)} is not equal to len(physical_layout) = {len(order)}"
        )
    seen = set()
    for i, dim in enumerate(order):
        if not 0 <= dim < len(size):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {dim} "
                f"at index {i}).  NB: negative dims not currently supported; file an issue if you "
                "want it."
            )
        if dim in seen:
            raise RuntimeError("Duplicate dim not allowed")
        seen.add(dim)
    check_sizes(size)
    strides, step = [1] * len(size), 1
    for d in reversed(order):
        strides[d] = step
        step *= max(size[d], 1)
    return placed(_strided(size, tuple(strides), default(options(values))), values)
