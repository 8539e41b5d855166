"""Between tensors and Python or NumPy values: `item`, `numpy`, `tolist`, type names, DLPack."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from ...core.arguments.declared import signatures
from ...core.arguments.mismatch import refuse_all, typename
from ...core.graph.node import NO_EDGE
from ...core.memory.absent import is_absent, require_contents, require_number
from ...core.memory.capsules import alone, array_of, capsule_of, lent
from ...core.memory.lazy import LazyArray, bits, memory_of
from ...core.memory.rows import Rows
from ...core.memory.storage import fix
from ...core.random.generator import NO_CUDA
from ...core.recording.record import TENSORS
from ...core.runtime import errors, modes
from ...core.runtime.warn import warn_once
from ...core.tensor.dispatching import hollow, instead
from ...core.tensor.tensor import Tensor, requires_grad
from ...core.types import dtypes
from ...core.types.device import CPU, device
from ...core.types.dtypes import dtype, get_default_dtype
from ...core.values.building import array_from, check_numpy, fill_value
from ...core.values.promotion import is_number
from ..table.asking import Operator, at
from ..table.opdef import OPS, Op
from ..table.signatures import explain

__all__ = ["array_from", "check_numpy", "fill_value", "parse_type", "type_name"]

_SCALAR_GRAD = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using "
    "tensor.detach() first."
)
_OVERFLOW = "value cannot be converted to type {} without overflow"


def type_name(d: dtype, where: device = CPU) -> str:
    """`torch.FloatTensor` for float32."""
    return f"torch.{d._tensor_type}" if where is CPU else f"torch.{where}.{d._tensor_type}"


# -- out of tensors ----------------------------------------------------------------------------------------------------


OPS["_local_scalar_dense"] = Op(
    "_local_scalar_dense", lambda input: input, operator=Operator("(Tensor self) -> Scalar")
)
TENSORS._local_scalar_dense = lambda input: item(input)


def _asked_item(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A number out of a tensor while a mode is to be asked."""
    (t,) = args
    return call(t) if t._array.size != 1 else at("_local_scalar_dense", input=t)


@signatures("item(Tensor input) -> number", method=True)
@instead(_asked_item)
def item(self: Tensor) -> Any:
    """The only element as a Python number: float, int, bool or complex.

    Errors: RuntimeError if there is not exactly one.

    >>> torch.tensor([2.5]).item()
    2.5
    """
    x = self._array
    if x.size != 1:
        if isinstance(x, Rows):
            x.item()
        raise RuntimeError(f"a Tensor with {x.size} elements cannot be converted to Scalar")
    if x.base is not None:
        require_number(x)
    return x.item() if x.dtype.kind != "V" else float(x.reshape(-1)[0])


def _item(self: Tensor, *args: Any, **kwargs: Any) -> Any:
    if args or kwargs:
        refuse_all("TensorBase.item", args, kwargs)
    return item(self)


@signatures("tolist(Tensor input) -> list | number|python", method=True)
def tolist(self: Tensor, *args: Any, **kwargs: Any) -> Any:
    """The elements as nested Python lists; a number for 0-dim.

    >>> torch.tensor([[1, 2], [3, 4]]).tolist()
    [[1, 2], [3, 4]]
    """
    if args or kwargs:
        refuse_all("TensorBase.tolist", args, kwargs)
    require_contents("", self._array)
    if hollow(self):
        raise RuntimeError(f".tolist() is not supported for tensor subclasses, got {type(self).__name__}")
    return self._array.tolist() if self._array.dtype.kind != "V" else self._array.astype(np.float32).tolist()


def _asked_numpy(call: Any, self: Tensor, *args: Any, **kwargs: Any) -> np.ndarray:
    if hollow(self):
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")
    if not (kwargs.get("force") or requires_grad(self)):
        self = TENSORS.detach(self)
    array: np.ndarray = call(self, *args, **kwargs)
    return array


@signatures("numpy(Tensor input, *, bool force=False) -> ndarray|python", method=True)
@instead(lambda call, args, kwargs: _asked_numpy(call, *args, **kwargs))
def numpy(self: Tensor, *args: Any, force: bool = False) -> np.ndarray:
    """The tensor as a NumPy array on the same memory; force=True detaches and copies where necessary.

    Errors: RuntimeError if it requires grad: use detach() first.

    >>> x = torch.tensor([1., 2.])
    >>> a = x.numpy()
    >>> a[0] = 7
    >>> x
    tensor([7., 2.])
    """
    if args:
        raise TypeError(
            f"numpy() takes 0 positional arguments but {len(args)} {'was' if len(args) == 1 else 'were'} given"
        )
    if not isinstance(force, bool):
        raise TypeError(f"numpy(): argument 'force' must be bool, not {typename(force)}")
    if self.requires_grad and not force and modes.current().record:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    x = self._array
    if isinstance(x, Rows) or modes.current().captured:  # the view that it takes belongs to the transform
        raise RuntimeError(errors.ROWS_POINTER)
    if is_absent(x):
        require_contents("", *([x] if force else []))
        raise TypeError(
            "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
        )
    if isinstance(x, LazyArray):
        if not force:
            bit, resolve = ("conjugate", "resolve_conj") if x.conj_bit else ("negative", "resolve_neg")
            raise RuntimeError(
                f"Can't call numpy() on Tensor that has {bit} bit set. Use tensor.{resolve}().numpy() instead."
            )
        return x.resolve()
    if x.dtype.kind == "V":
        raise TypeError("Got unsupported ScalarType BFloat16")
    fix(self)
    return x[...] if x.size else np.empty(x.shape, x.dtype)


def to_array(self: Tensor, dtype: Any = None) -> np.ndarray:
    """What `np.asarray(tensor)` asks for. PyTorch's takes no copy=, which NumPy says is deprecated; nor does this."""
    array = numpy(self)
    return array if dtype is None else array.astype(dtype, copy=False)


def wrap_array(self: Tensor, array: np.ndarray) -> Tensor:
    """What NumPy's functions make of their results where an operand is a tensor: a tensor, uint8 for bool.

    PyTorch's takes no context=, which NumPy says is deprecated; nor does this.
    """
    if array.dtype.kind == "b":
        array = array.astype(np.uint8)
    found: Tensor = TENSORS.from_numpy(np.asarray(array))
    return found


def contains(self: Tensor, element: Any) -> bool:
    """Whether some element equals `element`."""
    if isinstance(element, Tensor) or (is_number(element) and not isinstance(element, np.bool_)):
        return bool(item(TENSORS.any(element == self)))
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")


def backwards(self: Tensor) -> Tensor:
    """The tensor with its first dimension reversed."""
    if not self._array.ndim:
        return self
    flipped: Tensor = TENSORS.flip(self, (0,))
    return flipped


@signatures(
    """
    type(Tensor input, object dtype=None, bool non_blocking=False, *, MemoryFormat? memory_format=None) -> str | Tensor|python
    type(Tensor input, object dtype=None, bool async=False, *, MemoryFormat? memory_format=None) -> str | Tensor|deprecated
    """,  # noqa: E501 a declaration is one line
    method=True,
)
def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False, **options: Any) -> Any:
    """The name of the tensor's type; with a type, the tensor cast to it.

    >>> torch.ones(1).type()
    'torch.FloatTensor'
    >>> torch.ones(1).type(torch.int64)
    tensor([1])
    """
    if options.keys() - {"async", "memory_format"}:
        explain("type", (self, dtype), options)
    if dtype is None:
        return type_name(self.dtype, self.device)
    return TENSORS.to(self, parse_type(dtype))


def parse_type(given: Any) -> dtype:
    """A dtype from a dtype, a class like torch.FloatTensor or its name."""
    if isinstance(given, dtype):
        return given
    if given is Tensor:
        return get_default_dtype()
    if isinstance(given, type):
        found = getattr(given, "dtype", None)
        if isinstance(found, dtype):
            if getattr(given, "is_cuda", False):
                raise RuntimeError(NO_CUDA.replace("Cannot get CUDA generator", "Cannot initialize CUDA"))
            return found
        raise ValueError(f"invalid type: '{given.__name__}'")
    if isinstance(given, str):
        for d in dtypes.ALL.values():
            if given == type_name(d):
                return d
        if given == "torch.Tensor":
            return get_default_dtype()
        if given.startswith("torch.cuda."):
            raise RuntimeError(NO_CUDA.replace("Cannot get CUDA generator", "Cannot initialize CUDA"))
        raise ValueError(f"invalid type: '{given}'")
    raise TypeError("dtype must be a type, str, or dtype object")


# -- Python's own conversions ------------------------------------------------------------------------------------------


@instead(lambda call, args, kwargs: bool(_asked_item(call, args, kwargs)))
def to_bool(self: Tensor) -> bool:
    """Whether the only element is not 0; an error for none or several, as `if x:` meets it."""
    x = self._array
    if type(x) is not np.ndarray and isinstance(x, Rows):
        return bool(x)
    if x.size == 1:
        if x.base is not None:
            require_number(x)
        return bool(x.item())
    if self._array.size == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")


def _one(self: Tensor) -> Any:
    if self._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return item(self)


def _warn_recorded(self: Tensor) -> None:
    if requires_grad(self) and modes.current().grad:
        warn_once(_SCALAR_GRAD, at="torch/csrc/autograd/generated/python_variable_methods.cpp:822")


def _real_one(self: Tensor, name: str) -> Any:
    value = _one(self)
    if isinstance(value, complex):
        if value.imag:
            raise RuntimeError(_OVERFLOW.format(name))
        return value.real
    return value


def to_int(self: Tensor) -> int:
    x = self._array
    return int(item(self) if x.size == 1 and x.dtype.kind != "c" else _real_one(self, "int64_t"))


def to_float(self: Tensor) -> float:
    if self._edge is not NO_EDGE:
        _warn_recorded(self)  # before the error; int() does not
    x = self._array
    return float(item(self) if x.size == 1 and x.dtype.kind != "c" else _real_one(self, "double"))


def to_complex(self: Tensor) -> complex:
    _warn_recorded(self)
    return complex(_one(self))


@instead(lambda call, args, kwargs: call(*args) and int(item(*args)))
def to_index(self: Tensor) -> int:
    if self._array.size != 1 or self._array.dtype.kind not in "biu":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self._array.item())


def length(self: Tensor) -> int:
    if not self._array.ndim:
        raise TypeError("len() of a 0-d tensor")
    return self._array.shape[0]


def iterate(self: Tensor) -> Any:
    plain = type(self) is Tensor and not modes.LOCAL.state.function_modes
    if not (self._array.ndim if plain else self.dim()):
        raise TypeError("iteration over a 0-d tensor")
    return iter(TENSORS.unbind(self, 0) if plain else self.unbind(0))


# -- DLPack ------------------------------------------------------------------------------------------------------------


def dlpack(self: Tensor, *, stream: Any = -1, max_version: Any = None, dl_device: Any = None, copy: Any = None) -> Any:
    """A DLPack capsule, by which other array libraries share the memory."""
    _check_exported(self)
    if stream is not None and type(stream) is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    if stream is not None and stream != -1:
        raise AssertionError("stream should be None on cpu.")
    asked = {} if max_version is None or max_version[0] < 1 else {"max_version": max_version}
    _check_asked(dl_device, copy)
    if is_absent(self._array):
        raise BufferError("Cannot pack tensors on meta")
    memory = _exported(self._array)
    return capsule_of(memory.copy() if copy else memory, **asked)


def _check_asked(dl_device: Any, copy: Any) -> None:
    """Check where a capsule's memory shall lie: here. Errors: TypeError for other types, RuntimeError for other than
    two numbers, BufferError for another device."""
    if copy is not None and not isinstance(copy, bool):
        raise TypeError(f"_to_dlpack(): argument 'copy' must be bool, not {typename(copy)}")
    if dl_device is None:
        return
    if not isinstance(dl_device, (tuple, list)) or not all(isinstance(number, int) for number in dl_device):
        raise TypeError(f"_to_dlpack(): argument 'dl_device' must be tuple of ints, not {typename(dl_device)}")
    if len(dl_device) != 2:
        raise RuntimeError("dl_device must be either None or a tuple of ints")
    if dl_device[0] != DLDeviceType.kDLCPU:
        raise BufferError(f"Unsupported device_type: {int(dl_device[0])}")


def _check_exported(t: Tensor) -> None:
    if t.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")


def _cuda_interface(self: Tensor) -> Any:
    """The memory of a tensor on a GPU; here there is none."""
    raise AttributeError(
        f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {type_name(self.dtype, self.device)} If CUDA "
        "data is required use tensor.cuda() to copy tensor to device memory."
    )


def _exported(array: Any) -> np.ndarray:
    """The memory that a tensor shares with others, to whom its negative bit is lost, as in PyTorch."""
    if bits(array)[0]:
        raise BufferError("Can't export tensors with the conjugate bit set")
    memory: np.ndarray = memory_of(array)
    return memory


class DLDeviceType(enum.IntEnum):
    """The kinds of devices that DLPack knows; only the CPU occurs here."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


def dlpack_device(self: Tensor) -> tuple[DLDeviceType, int]:
    """(kind, number) of the device: the CPU. Errors: ValueError on "meta"."""
    if is_absent(self._array):
        raise ValueError("Unknown device type meta for Dlpack")
    return DLDeviceType.kDLCPU, 0


def array_of_dlpack(ext_tensor: Any, where: str | device | None = None, copy: Any = None) -> np.ndarray:
    """A NumPy array on the memory of another library's array, or of a DLPack capsule."""
    if not hasattr(ext_tensor, "__dlpack__"):
        if where is not None or copy is not None:
            raise AssertionError("device and copy kwargs not supported when ext_tensor is already a DLPack capsule.")
        return array_of(ext_tensor)
    ext_tensor.__dlpack_device__()
    asked = {} if copy is None else {"copy": copy}
    if where is not None:
        if not isinstance(where, (str, device)):
            raise AssertionError(f"from_dlpack: unsupported device type: {type(where)}")
        if device(where).type == "meta":
            raise BufferError("Cannot pack tensors on meta")
        asked["dl_device"] = (1, 0)
    if type(ext_tensor) is Tensor:
        _check_exported(ext_tensor)
        found = _exported(ext_tensor._array)
        return found.copy() if copy is True else alone(found)
    return lent(ext_tensor, **asked)


def install() -> None:
    """Attach the conversions to Tensor."""
    _item.__name__ = _item.__qualname__ = "item"
    _item.__doc__ = item.__doc__
    dlpack.__name__, dlpack.__qualname__ = "__dlpack__", "Tensor.__dlpack__"
    to_array.__name__, to_array.__qualname__ = "__array__", "Tensor.__array__"  # NumPy reads it in the error text
    for name, fn in (
        ("__len__", length),
        ("__iter__", iterate),
        ("__contains__", contains),
        ("__reversed__", backwards),
        ("__array_wrap__", wrap_array),
    ):  # functions of Python in PyTorch too, whose errors name them so
        fn.__name__, fn.__qualname__ = name, f"Tensor.{name}"
        setattr(Tensor, name, fn)
    for name, fn in (
        ("item", _item),
        ("tolist", tolist),
        ("numpy", numpy),
        ("__array__", to_array),
        ("type", type_),
        ("__bool__", to_bool),
        ("__nonzero__", to_bool),
        ("__int__", to_int),
        ("__long__", to_int),
        ("__float__", to_float),
        ("__complex__", to_complex),
        ("__index__", to_index),
        ("__dlpack__", dlpack),
        ("__dlpack_device__", dlpack_device),
        ("__cuda_array_interface__", property(_cuda_interface)),
    ):
        setattr(Tensor, name, fn)


install()
