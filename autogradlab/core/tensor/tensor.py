"""The Tensor: an array, its place in the graph and its metadata. Operations are attached to it by the op tables."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments.mismatch import refuse_all, typename
from ..arguments.signature import Signatures
from ..graph.node import NO_EDGE, Edge, HookDict, Node, RemovableHandle, pair, shown
from ..memory import rows
from ..memory.absent import is_absent
from ..memory.versions import INFERENCE, UNSHARED, counter, of_inference
from ..runtime import errors, modes
from ..runtime.beside import refuse_function
from ..runtime.warn import warn
from ..types import dtypes
from ..types.device import CPU, META
from ..types.layouts import strided
from ..types.size import Size, size_of
from . import dispatching, overriding
from .edges import (
    WRAPPED,
    NumberMeta,
    TensorMeta,
    ViewMeta,
    gradient_edge,
    made_by,
    operand_edge,
    requires_grad,
    stored_edge,
    was_leaf,
)
from .owners import use_count
from .printing import tensor_format, tensor_repr

if TYPE_CHECKING:
    from builtins import property as read_only

    from ..memory.storage import Storage
    from .tensor_methods import TensorMethods  # generated: what the op tables attach
else:
    from ..memory.storage import TensorBase as TensorMethods

__all__ = [
    "INFERENCE",
    "Size",
    "Tensor",
    "TensorMeta",
    "ViewMeta",
    "counter",
    "gradient_edge",
    "heard",
    "wrap_result",
    "operand_edge",
    "requires_grad",
    "set_requires_grad",
    "wrap",
    "wrap_scalar",
]

#: while a level of forward mode is open: whether a tensor has a history apart from the one that serves its tangent
differentiated: Callable[[Tensor], bool] | None = None

_REQUIRES_GRAD = Signatures("requires_grad_", "requires_grad_(bool requires_grad=True)")


if not TYPE_CHECKING:

    class read_only(property):
        """A property that refuses assignment in PyTorch's words."""

        def __set__(self, obj: Any, value: Any) -> None:
            name = getattr(self.fget, "__name__", "")
            raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")

        def __delete__(self, obj: Any) -> None:
            self.__set__(obj, None)


def heard(cls: type[Tensor]) -> None:
    """Let operations ask the tensors of a class, if it says itself what they do."""
    if dispatching.answers(cls):
        dispatching.on_first_mode.arm()
        dispatching.on_first_mode.classes = True
        own = cls.__torch_function__
        if getattr(own, "__func__", own) is Tensor.__torch_function__.__func__:  # type: ignore[attr-defined]
            cls.__torch_function__ = staticmethod(overriding.disabled)  # type: ignore[method-assign]
    if overriding.overrides(cls):
        overriding.on_first_override.arm()


class Tensor(TensorMethods):
    """An n-dimensional array of one dtype that remembers how it was made. torch.tensor(data) makes one; the
    class itself, called in the old manner, takes sizes or a list.

    Example:
        >>> import autogradlab as torch
        >>> torch.Tensor(2, 3).shape
        torch.Size([2, 3])
        >>> torch.Tensor([1, 2])
        tensor([1., 2.])

    Mirrors `torch.Tensor`.
    """

    # Slots: `_array` the values; `_edge` where its gradient goes: NO_EDGE if nowhere, an `Edge` for a
    # result, None for a leaf that requires grad and for views, where `gradient_edge` knows more; `_counter` the version
    # counter: UNSHARED until somebody changes or shares the tensor (`counter`), then a list of one number that its
    # views share.

    __slots__ = ("__dict__", "__weakref__", "_edge", "_grad", "_meta", "_view")
    __module__ = "torch"
    __array_priority__ = 1000

    _array: np.ndarray
    _edge: Edge | None
    _counter: Any
    _grad: Tensor | None
    _view: ViewMeta | None
    _storage: Storage | None
    _meta: TensorMeta | None
    #: inside of functional transforms: the tensor outside that an argument stands for
    _stands_for: Tensor

    # -- subclasses --------------------------------------------------------------------------------------------------

    def __init_subclass__(cls, deferred: bool = False, **options: Any) -> None:
        """deferred: whether the class is `heard` with its first tensor, not from here on."""
        super().__init_subclass__(**options)
        if not deferred:
            heard(cls)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        """What operations on objects of a subclass give: what they give for tensors, but tensors of that class."""
        fits = all(issubclass(cls, kind) for kind in types)
        if not fits or modes.LOCAL.state.overriding:  # what is of this package asks once, PyTorch itself for ever
            refuse_function(func, types)
        if not fits:
            return NotImplemented
        with overriding.DisableTorchFunctionSubclass():
            result = func(*args, **(kwargs or {}))
            return result if cls is Tensor or func in _KEPT else _converted(result, cls)

    #: what the class answers for operations below autograd (`core/tensor/dispatching.py`): nothing of its own
    __torch_dispatch__ = staticmethod(dispatching.disabled)

    # -- the graph ---------------------------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether backward() computes a gradient for it. It may be set on leaves of a float or complex dtype.

        Example:
            >>> import autogradlab as torch
            >>> w = torch.ones(2)
            >>> w.requires_grad = True
            >>> (w * 2).requires_grad
            True

        Mirrors `torch.Tensor.requires_grad`.
        """
        return requires_grad(self) and (differentiated is None or differentiated(self))

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        if not isinstance(flag, bool):
            raise RuntimeError(errors.REQUIRES_GRAD_BOOL)
        set_requires_grad(self, flag, "attribute")

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError(errors.REQUIRES_GRAD_BOOL)

    @read_only
    def grad_fn(self) -> Node | None:
        """The Node that made this tensor, where backward() begins; None for leaves.

        Example:
            >>> import autogradlab as torch
            >>> w = torch.tensor([3.], requires_grad=True)
            >>> (w * 2).grad_fn.name()
            'MulBackward0'
            >>> print(w.grad_fn)
            None

        Mirrors `torch.Tensor.grad_fn`.
        """
        node = made_by(self)
        if node is not None and node.hidden:
            node = shown(node)
        return node if node is None or differentiated is None or differentiated(self) else None

    @read_only
    def is_leaf(self) -> bool:
        """Whether no Node made it: tensors of the user's own, and all that do not require grad.

        Example:
            >>> import autogradlab as torch
            >>> w = torch.ones(2, requires_grad=True)
            >>> w.is_leaf, (w * 2).is_leaf, torch.ones(2).is_leaf
            (True, False, True)

        Mirrors `torch.Tensor.is_leaf`.
        """
        return self.grad_fn is None

    @read_only
    def output_nr(self) -> int:
        """Which of its Node's outputs the tensor is.

        Example:
            >>> import autogradlab as torch
            >>> a, b = torch.ones(2, requires_grad=True).unbind()
            >>> a.output_nr, b.output_nr
            (0, 1)

        Mirrors `torch.Tensor.output_nr`.
        """
        edge = self._edge if self._edge is not None or self._view is None else self._view.edge
        return 0 if edge is None else pair(edge)[1]

    @property
    def grad(self) -> Tensor | None:
        """What backward() has added up for this leaf (or for a tensor with retain_grad()); None before the first
        time.

        Note: it may be set: to None, or to a tensor of the same shape and dtype.

        Example:
            >>> import autogradlab as torch
            >>> w = torch.tensor([3.], requires_grad=True)
            >>> print(w.grad)
            None
            >>> (w * 2).backward()
            >>> w.grad
            tensor([2.])

        Mirrors `torch.Tensor.grad`.
        """
        edge = self._edge
        if edge is NO_EDGE or self._grad is not None or (edge is None and self._view is None):  # there may be one
            return self._grad
        if not _counts_as_leaf(self) and not self.retains_grad:
            warn(errors.GRAD_OF_NON_LEAF, at="build/aten/src/ATen/core/TensorBody.h:493")
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(errors.GRAD_TYPE.format(typename(value)))
            if value is self:
                raise RuntimeError(errors.GRAD_OWN)
            meta = self._meta
            wanted = self.dtype if meta is None or meta.grad_dtype is Ellipsis else meta.grad_dtype
            if wanted is not None and value.dtype is not wanted:
                raise RuntimeError(errors.GRAD_DTYPE.format(dtypes.cxx_name(value), dtypes.scalar_name(wanted)))
            if is_absent(value._array) is not is_absent(self._array):
                raise RuntimeError(errors.GRAD_DEVICE.format(value.device.type, self.device.type))
            if value._array.shape != self._array.shape:
                raise RuntimeError(errors.GRAD_SIZE.format(list(value.shape), list(self.shape)))
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def grad_dtype(self) -> Any:
        """The dtype that .grad must have; None allows any.

        Example:
            >>> import autogradlab as torch
            >>> torch.ones(2, requires_grad=True).grad_dtype
            torch.float32

        Mirrors `torch.Tensor.grad_dtype`.
        """
        if self.grad_fn is not None:
            raise RuntimeError(errors.GRAD_DTYPE_LEAF.format("accessed"))
        return self.dtype if self._meta is None or self._meta.grad_dtype is Ellipsis else self._meta.grad_dtype

    @grad_dtype.setter
    def grad_dtype(self, value: Any) -> None:
        if value is not None and not isinstance(value, dtypes.dtype):
            raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}")
        held = self.grad  # PyTorch looks at it first, which warns where there can be none
        if self.grad_fn is not None:
            raise RuntimeError(errors.GRAD_DTYPE_LEAF.format("set"))
        if value is not None and held is not None and held.dtype is not value:
            names = dtypes.scalar_name(value), dtypes.cxx_name(held)
            raise RuntimeError(errors.GRAD_DTYPE_LATE.format(*names))
        meta = self._extra()
        meta.grad_dtype = value
        node = meta.accumulate()
        if node is not None:
            node.dtype = meta.wanted(self._array.dtype)

    @read_only
    def retains_grad(self) -> bool:
        """Whether retain_grad() was called on a tensor that is not a leaf.

        Example:
            >>> import autogradlab as torch
            >>> y = torch.ones(1, requires_grad=True) * 2
            >>> y.retain_grad()
            >>> y.retains_grad
            True

        Mirrors `torch.Tensor.retains_grad`.
        """
        return self._meta is not None and self._meta.retains

    @read_only
    def _base(self) -> Tensor | None:
        return None if self._view is None else self._view.base

    @read_only
    def _cdata(self) -> int:
        return id(self)

    def _is_view(self) -> bool:
        return self._view is not None

    def _use_count(self) -> int:
        return use_count(self)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set requires_grad, and return the tensor.

        Errors: RuntimeError for integers, and for False on a tensor that is not a leaf.

        Example:
            >>> import autogradlab as torch
            >>> torch.ones(2).requires_grad_()
            tensor([1., 1.], requires_grad=True)

        Mirrors `torch.Tensor.requires_grad_`.
        """
        if not isinstance(requires_grad, bool):
            _REQUIRES_GRAD.fail((requires_grad,), {})
        if modes.current().transformed:
            raise RuntimeError(errors.WITHIN_REQUIRES_GRAD)
        set_requires_grad(self, requires_grad, "method")
        return self

    @read_only
    def _version(self) -> int:
        if of_inference(self):
            if self._counter is INFERENCE:
                raise RuntimeError(errors.INFERENCE_VERSION)
            of: int = self._counter.number
            return of
        count: int = self._counter[0]
        return count

    def is_inference(self, *args: Any, **kwargs: Any) -> bool:
        """Whether it was made in inference mode.

        Example:
            >>> import autogradlab as torch
            >>> with torch.inference_mode():
            ...     x = torch.ones(1)
            ...
            >>> x.is_inference()
            True

        Mirrors `torch.Tensor.is_inference`.
        """
        if args or kwargs:
            refuse_all("TensorBase.is_inference", args, kwargs)
        return of_inference(self)

    def __dir__(self) -> list[str]:
        return sorted(
            {*object.__dir__(self)} - {"__cuda_array_interface__", "volatile"}
        )  # which is not there, or warns

    def _extra(self) -> TensorMeta:
        if self._meta is None or type(self._meta) is NumberMeta:
            self._meta = TensorMeta()
        return self._meta

    def _hooked(self) -> Node | None:
        """The Node that keeps the hooks of a tensor that is no leaf; programs may see another in its place."""
        return None if self.grad_fn is None else made_by(self)

    def _made_by(self) -> tuple[Node | None, int]:
        node = self._hooked()
        return node, (0 if node is None else pair(gradient_edge(self))[1])

    # -- hooks -------------------------------------------------------------------------------------------------------

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Calls hook(grad) whenever backward() has computed the gradient of this tensor; what it returns, if not
        None, takes its place.

        Errors: RuntimeError if the tensor does not require grad.

        Example:
            >>> import autogradlab as torch
            >>> w = torch.tensor([1.], requires_grad=True)
            >>> handle = w.register_hook(lambda grad: grad * 10)
            >>> (w * 3).backward()
            >>> w.grad
            tensor([30.])
            >>> handle.remove()

        Mirrors `torch.Tensor.register_hook`.
        """
        if not requires_grad(self):
            raise RuntimeError(errors.HOOK_NO_GRAD)
        node = self._hooked()
        if node is None:
            meta = self._extra()
            if meta.hooks is None:
                meta.hooks = HookDict()
            return meta.hooks.add(hook)
        hooks = node._hooks().tensor.setdefault(pair(gradient_edge(self))[1], HookDict())
        return hooks.add(hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Calls hook(tensor) when a gradient has been added to the .grad of this leaf.

        Errors: RuntimeError on a tensor that is not a leaf, or does not require grad.

        Example:
            >>> import autogradlab as torch
            >>> w = torch.tensor([1.], requires_grad=True)
            >>> handle = w.register_post_accumulate_grad_hook(lambda t: print('grad is', t.grad))
            >>> (w * 3).backward()
            grad is tensor([3.])

        Mirrors `torch.Tensor.register_post_accumulate_grad_hook`.
        """
        if not requires_grad(self):
            raise RuntimeError(errors.POST_HOOK_NO_GRAD)
        if self.grad_fn is not None:
            raise RuntimeError(errors.POST_HOOK_NON_LEAF)
        meta = self._extra()
        if meta.post_accumulate is None:
            meta.post_accumulate = HookDict()
        return meta.post_accumulate.add(hook)

    def retain_grad(self, *args: Any, **kwargs: Any) -> None:
        """Keep the gradient of this tensor, which is not a leaf, in its .grad too.

        Errors: RuntimeError if it does not require grad.

        Example:
            >>> import autogradlab as torch
            >>> w = torch.tensor([1.], requires_grad=True)
            >>> y = w * 2
            >>> y.retain_grad()
            >>> (y * 3).backward()
            >>> y.grad
            tensor([3.])

        Mirrors `torch.Tensor.retain_grad`.
        """
        if args or kwargs:
            refuse_all("TensorBase.retain_grad", args, kwargs)
        if not requires_grad(self):
            raise RuntimeError(errors.RETAIN_NO_GRAD)
        if modes.current().transformed:
            raise RuntimeError(errors.WITHIN_RETAIN_GRAD if modes.current().reverse else errors.RETAIN_NO_GRAD)
        node = None if _counts_as_leaf(self) else self._hooked()
        if node is None or self.retains_grad:
            return
        self._extra().retains = True
        node._hooks().retain[pair(gradient_edge(self))[1]] = weakref.ref(self)

    @property
    def _backward_hooks(self) -> HookDict | None:
        node, nr = pair(NO_EDGE if _counts_as_leaf(self) else stored_edge(self))
        if node is not None and node.hooks is not None:
            return node.hooks.tensor.get(nr)
        return None if self._meta is None else self._meta.hooks

    @_backward_hooks.setter
    def _backward_hooks(self, hooks: HookDict | None) -> None:
        self._extra().hooks = hooks

    @_backward_hooks.deleter
    def _backward_hooks(self) -> None:
        raise RuntimeError("Deletion of _backwards_hooks not allowed!")

    @property
    def _grad_fn(self) -> Node | None:
        return self.grad_fn

    @_grad_fn.setter
    def _grad_fn(self, value: Any) -> None:
        if value is not None:
            raise RuntimeError("_grad_fn can be only set to None")
        self.detach_()

    @_grad_fn.deleter
    def _grad_fn(self) -> None:
        raise RuntimeError("Deletion of _grad_fn not allowed. Detach tensor instead!")

    @property
    def _post_accumulate_grad_hooks(self) -> HookDict | None:
        return None if self._meta is None else self._meta.post_accumulate

    # -- metadata ----------------------------------------------------------------------------------------------------

    @read_only
    def dtype(self) -> dtypes.dtype:
        """The type of its elements.

        Example:
            >>> import autogradlab as torch
            >>> torch.ones(1).dtype, torch.tensor([1]).dtype
            (torch.float32, torch.int64)

        Mirrors `torch.Tensor.dtype`.
        """
        return dtypes._FROM_NUMPY[self._array.dtype]

    @read_only
    def shape(self) -> Size:
        """The sizes of all dimensions.

        Shapes: any.

        Example:
            >>> import autogradlab as torch
            >>> torch.zeros(2, 3).shape
            torch.Size([2, 3])

        Mirrors `torch.Tensor.shape`.
        """
        return size_of(self._array.shape)

    @read_only
    def ndim(self) -> int:
        """The number of dimensions.

        Shapes: any.

        Example:
            >>> import autogradlab as torch
            >>> torch.zeros(2, 3).ndim
            2

        Mirrors `torch.Tensor.ndim`.
        """
        return self._array.ndim

    @read_only
    def device(self) -> Any:
        """Where it is.

        Example:
            >>> import autogradlab as torch
            >>> torch.ones(1).device
            device(type='cpu')

        Mirrors `torch.Tensor.device`.
        """
        return META if self._array.base is not None and is_absent(self._array) else CPU

    @read_only
    def layout(self) -> Any:
        """How it is laid out in memory: always strided.

        Example:
            >>> import autogradlab as torch
            >>> torch.ones(1).layout
            torch.strided

        Mirrors `torch.Tensor.layout`.
        """
        return strided

    @read_only
    def itemsize(self) -> int:
        """The bytes of one element.

        Example:
            >>> import autogradlab as torch
            >>> torch.ones(1, dtype=torch.float64).itemsize
            8

        Mirrors `torch.Tensor.itemsize`.
        """
        return self._array.itemsize

    @read_only
    def nbytes(self) -> int:
        """The bytes of all elements.

        Example:
            >>> import autogradlab as torch
            >>> torch.ones(3).nbytes
            12

        Mirrors `torch.Tensor.nbytes`.
        """
        return self._array.nbytes

    @read_only
    def is_cuda(self) -> bool:
        """Whether it is on a GPU.

        Example:
            >>> import autogradlab as torch
            >>> torch.ones(1).is_cuda
            False

        Mirrors `torch.Tensor.is_cuda`.
        """
        return False

    @read_only
    def is_sparse(self) -> bool:
        """Whether it is of that kind: here tensors never are.

        Example:
            >>> import autogradlab as torch
            >>> torch.ones(1).is_sparse, torch.ones(1).is_quantized
            (False, False)

        Mirrors `torch.Tensor.is_sparse`.
        """
        return False

    is_quantized = is_mps = is_xpu = is_mkldnn = is_sparse_csr = is_nested = is_sparse
    is_vulkan = is_ipu = is_maia = is_mtia = is_xla = is_sparse

    @read_only
    def is_cpu(self) -> bool:
        """Whether it is on the CPU.

        Example:
            >>> import autogradlab as torch
            >>> torch.ones(1).is_cpu
            True

        Mirrors `torch.Tensor.is_cpu`.
        """
        return self.device is CPU

    @read_only
    def is_meta(self) -> bool:
        """Whether it is on the device "meta", where tensors have shapes and no contents.

        Example:
            >>> import autogradlab as torch
            >>> torch.ones(1, device='meta').is_meta
            True

        Mirrors `torch.Tensor.is_meta`.
        """
        return self.device is META

    @read_only
    def name(self) -> str | None:
        """Always None.

        Example:
            >>> import autogradlab as torch
            >>> print(torch.ones(1).name)
            None

        Mirrors `torch.Tensor.name`.
        """
        return None if self._meta is None else self._meta.name

    @property
    def volatile(self) -> bool:
        """Once a flag that switched the graph off; always False, with a warning. torch.no_grad() took its place.

        Example:
            >>> import autogradlab as torch
            >>> torch.ones(1).volatile
            False

        Mirrors `torch.Tensor.volatile`.
        """
        warnings.warn("volatile was removed (Variable.volatile is always False)", UserWarning, stacklevel=2)
        return False

    @volatile.setter
    def volatile(self, value: Any) -> None:
        warnings.warn(errors.VOLATILE, UserWarning, stacklevel=2)

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        if tensor_contents is None and dispatching.hollow(self):
            raise dispatching.Unseen(
                f"autogradlab cannot show the contents of a {type(self).__name__} without __repr__"
            )
        return tensor_repr(self, tensor_contents=tensor_contents)

    def __format__(self, spec: str) -> str:
        return tensor_format(self, spec)


overriding.PLAIN.add(Tensor)
#: what reads a tensor that is kept somewhere, and gives that very one
_KEPT = [Tensor._base.__get__, Tensor.grad.__get__]


def _converted(result: Any, cls: type[Tensor]) -> Any:
    if isinstance(result, Tensor) and not isinstance(result, cls):
        result = result.as_subclass(cls)
    if isinstance(result, (tuple, list)):
        return type(result)(_converted(item, cls) for item in result)
    return result


_new = object.__new__


def wrap(array: np.ndarray) -> Tensor:
    """A new leaf over `array` that requires no gradient."""
    t = _new(Tensor)
    t._array = array
    t._edge = NO_EDGE
    t._counter = UNSHARED
    t._grad = t._view = t._storage = t._meta = None
    return t


rows.wrapped = wrap


def wrap_result(array: np.ndarray) -> Tensor:
    """The tensor of what was just computed and has no history: in inference mode it is one of that mode."""
    t = wrap(array)
    if modes.FLAGS.inference and modes.LOCAL.state.inference:
        t._counter = INFERENCE
    return t


def wrap_scalar(array: np.ndarray, meta: NumberMeta = WRAPPED) -> Tensor:
    """The same over a 0-dim array that was a Python number; `meta` may have what users see of it."""
    t = _new(Tensor)
    t._array = array
    t._edge = NO_EDGE
    t._counter = UNSHARED
    t._grad = t._view = t._storage = None
    t._meta = meta
    return t


def _counts_as_leaf(t: Tensor) -> bool:
    """Whether a tensor is a leaf by the edge that it has, or by being differentiated in forward mode alone."""
    return was_leaf(t) or not (differentiated is None or differentiated(t))


def set_requires_grad(t: Tensor, flag: bool, how: str) -> None:
    """What `t.requires_grad = flag` ("attribute") and `t.requires_grad_(flag)` ("method") do."""
    if not _counts_as_leaf(t):
        if how == "method" and flag:
            return
        raise RuntimeError(errors.REQUIRES_GRAD_LEAF if flag else errors.REQUIRES_GRAD_DETACH)
    if flag and t._array.dtype.kind not in "fc" and not t.dtype.is_floating_point:
        raise RuntimeError(errors.REQUIRES_GRAD_FLOAT if how == "attribute" else errors.REQUIRES_GRAD_FLOAT_METHOD)
    if flag and of_inference(t) and not modes.current().inference:
        raise RuntimeError(errors.INFERENCE_REQUIRES_GRAD)
    if t._view is not None:
        t._view.leaf = flag
    else:
        t._edge = None if flag else NO_EDGE
