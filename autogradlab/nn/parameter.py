"""Parameters and buffers: the tensors that a Module registers (mirrors `torch.nn.parameter`)."""

from __future__ import annotations

import sys
from collections import OrderedDict
from types import FrameType, FunctionType
from typing import Any, NoReturn

from ..core.arguments.mismatch import typename
from ..core.recording.record import TENSORS
from ..core.runtime.naming import by_call
from ..core.tensor.overriding import disabled
from ..core.tensor.printing import parameter_repr
from ..core.tensor.tensor import Size, Tensor
from ..core.types.dtypes import get_default_dtype
from ..ops.legacy import make_subclass

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter"]

_UNINITIALIZED = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` "
    "when trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the "
    "parameters before accessing their attributes."
)

_REFUSED = (
    "Attempted to use an uninitialized parameter in {}. This error happens when you are using a `LazyModule` or "
    "explicitly manipulating `torch.nn.parameter.{}` objects. When using LazyModules Call `forward` with a dummy batch "
    "to initialize the parameters before calling torch functions"
)


class _ParameterMeta(type):
    """Counts objects of subclasses of Tensor among the parameters that were made one."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if super().__instancecheck__(instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that a Module counts among its parameters when it is set as an attribute; it requires grad, if
    not said otherwise.

    Shapes: those of data.
    Errors: RuntimeError for a dtype that has no gradients.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.Parameter(torch.tensor([1., 2.]))
        Parameter containing:
        tensor([1., 2.], requires_grad=True)

    Mirrors `torch.nn.Parameter`.
    """

    __module__ = "torch.nn.parameter"
    __torch_function__ = staticmethod(disabled)

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        if data is None:
            data = TENSORS.empty(0)
        if not isinstance(data, Tensor):
            raise AttributeError(f"'{typename(data)}' object has no attribute 'detach'")
        if type(data) is Tensor or type(data) is Parameter:
            return make_subclass(cls, data, requires_grad)
        made: Any = data.detach().requires_grad_(requires_grad)
        if type(made) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns "
                f"an instance of the same type, but return type {type(made).__name__} was found instead. To use the "
                "type as a Parameter, please correct the detach() semantics defined by its __torch_dispatch__() "
                "implementation."
            )
        made.__dict__["_is_param"] = True
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        made = type(self)(self.data.clone(), self.requires_grad)
        memo[id(self)] = made
        return made

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return parameter_repr(self)

    def __copy__(self) -> Any:
        made = type(self)(self.data, self.requires_grad)
        made.__dict__.update(self.__dict__)
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        state = dict(self.__dict__) or None
        return _rebuild_parameter, (self.data, self.requires_grad, OrderedDict()), state


def _rebuild_parameter(data: Tensor, requires_grad: bool, hooks: Any) -> Parameter:
    made: Parameter = Parameter(data, requires_grad)
    return made


class _BufferMeta(type):
    """Counts tensors that were made by `Buffer` among its objects."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return is_buffer(instance) if cls is Buffer else super().__instancecheck__(instance)


class Buffer(metaclass=_BufferMeta):
    """A tensor that a Module keeps in its state_dict without learning it (persistent=False: not even there).

    Shapes: those of data.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> m = nn.Module()
        >>> m.mean = nn.Buffer(torch.zeros(2))
        >>> list(m.state_dict())
        ['mean']

    Mirrors `torch.nn.Buffer`.
    """

    __module__ = "torch.nn.parameter"

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = TENSORS.empty(0)
        made = data.detach().requires_grad_(data.requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made


def is_buffer(value: Any) -> bool:
    """Whether a tensor was made by `Buffer`."""
    return isinstance(value, Tensor) and bool(value.__dict__.get("_is_buffer", False))


#: methods that uninitialized parameters have
_ALLOWED = {
    *("__hash__", "char", "copy_", "cpu", "cuda", "double", "float", "get_device", "half", "int", "is_complex"),
    *("is_floating_point", "long", "short", "size", "to"),
}
#: those of Tensor's own that PyTorch has compiled
_COMPILED = {"is_inference", "requires_grad_", "retain_grad"}
_SLOTS = ("_array", "_counter", "_edge", "_grad", "_meta", "_storage", "_view")
_PACKAGE = __name__.partition(".")[0] + "."


def _plain(value: Tensor) -> Tensor:
    """An uninitialized parameter as a tensor of size 0, for the few things that it may be asked."""
    made = object.__new__(Tensor)
    for slot in _SLOTS:
        setattr(made, slot, object.__getattribute__(value, slot))
    return made


def _called() -> str:
    """What the program has called, as PyTorch writes it, when an operation comes upon an uninitialized parameter."""
    frame: FrameType | None = sys._getframe(2)
    name = ""
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_PACKAGE):
        within = frame.f_locals  # the outermost function of a known name is the one that was called
        found = getattr(within.get("op", within.get("entry")), "name", within.get("name", frame.f_code.co_name))
        if not str(found).startswith("<"):  # no comprehension
            name = found if not name or hasattr(TENSORS, str(found).strip("_")) else name
        frame = frame.f_back
    space, _, last = str(name).rpartition(".")
    if space == "torch.Tensor":
        return f"<{'slot wrapper' if last == '__getitem__' else 'method'} '{last}' of 'torch._C.TensorBase' objects>"
    if space == "torch.nn.functional":
        return f"<built-in function {last}>"
    return f"<built-in method {last.strip('_')} of type object at {id(Tensor):#x}>"


class _Uninitialized(Tensor):
    """What parameters and buffers without a shape share: they refuse almost everything until they get one."""

    cls_to_become: Any = Tensor
    __torch_function__ = staticmethod(disabled)

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Give the parameter its shape (with arbitrary values) and its proper class."""
        kind = self.dtype if dtype is None else dtype
        where = self.device if device is None else device
        self._array = TENSORS.empty(shape, device=where, dtype=kind)._array
        self._storage = None
        self.__class__ = self.cls_to_become

    def __getattribute__(self, name: str) -> Any:
        kind = object.__getattribute__(self, "__class__")
        if name == "_array":
            raise ValueError(_REFUSED.format(_called(), kind.__name__))
        found = getattr(kind, name, None)
        if found is not getattr(Tensor, name, self) or not isinstance(found, (property, FunctionType)):
            return object.__getattribute__(self, name)
        if isinstance(found, property):
            plain = _plain(self)
            return self._like(plain, found.__get__(plain))
        if name not in _ALLOWED:
            in_python = found.__qualname__.startswith("Tensor.") and name not in _COMPILED
            called = repr(found) if in_python else f"<method '{name}' of 'torch._C.TensorBase' objects>"
            raise ValueError(_REFUSED.format(called, kind.__name__))

        def ask(*args: Any, **kwargs: Any) -> Any:
            plain = _plain(self)
            value = found(plain, *(_plain(a) if is_lazy(a) else a for a in args), **kwargs)
            return self._like(plain, value)

        return ask

    def _like(self, plain: Tensor, value: Any) -> Any:
        """What has been computed of `plain`, which stood for this tensor: another tensor is a buffer where this is."""
        if value is plain:
            return self
        if type(value) is Tensor and self.cls_to_become is Tensor:
            value.__class__ = type(self)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(getattr(Tensor, name, None), property):
            plain = _plain(self)
            setattr(plain, name, value)
            for slot in _SLOTS:
                object.__setattr__(self, slot, getattr(plain, slot))
        else:
            object.__setattr__(self, name, value)

    @property
    def shape(self) -> Any:
        raise RuntimeError(_UNINITIALIZED)

    def share_memory_(self) -> NoReturn:
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the "
            "parameters before calling `module.share_memory()`."
        )

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return by_call(self, self.requires_grad)


class UninitializedParameter(_Uninitialized, Parameter):  # type: ignore[misc]
    """A Parameter whose shape is not known yet: lazy layers give it one at their first input.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.LazyLinear(3).weight
        <UninitializedParameter>

    Mirrors `torch.nn.UninitializedParameter`.
    """

    __module__ = "torch.nn.parameter"
    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        kind = get_default_dtype() if dtype is None else dtype
        made = make_subclass(cls.cls_to_become, TENSORS.empty(0, device=device, dtype=kind), requires_grad)
        made.__class__ = cls
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return memo[id(self)]


class UninitializedBuffer(_Uninitialized):
    """A Buffer whose shape is not known yet.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.UninitializedBuffer()
        <UninitializedBuffer>

    Mirrors `torch.nn.UninitializedBuffer`.
    """

    __module__ = "torch.nn.parameter"

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Any:
        kind = get_default_dtype() if dtype is None else dtype
        made = make_subclass(cls.cls_to_become, TENSORS.empty(0, device=device, dtype=kind), requires_grad)
        made.__class__ = cls
        made.persistent = persistent
        made._is_buffer = True
        return made


def is_lazy(value: Any) -> bool:
    """Whether a parameter or buffer is still uninitialized."""
    return isinstance(value, _Uninitialized)


def shape_of(value: Tensor) -> Size:
    """The shape, of uninitialized ones too (empty)."""
    return Size(object.__getattribute__(value, "_array").shape)
