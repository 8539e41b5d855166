"""The ctx of an autograd.Function and the Node that runs its backward."""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Callable
from sys import getrefcount
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.arguments.mismatch import typename
from ..core.backward.leaves import ALONE
from ..core.graph.node import HookDict, Node, RemovableHandle, pair
from ..core.memory.versions import of_inference
from ..core.recording.record import SavedTensor, unpack
from ..core.recording.views import shown
from ..core.runtime import errors
from ..core.tensor.tensor import Tensor, wrap
from .grad_mode import set_grad

__all__ = [
    "UNSET",
    "BackwardCFunction",
    "Context",
    "FunctionCtx",
    "FunctionNode",
    "no_backward",
    "no_jvp",
    "put",
    "transforms",
]

put = object.__setattr__
_COMPLEX = (
    "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but got false. "
    " (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
)


_ONCE = (
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
    "autograd.Function. Either access saved_tensors only once, or set clear_saved_tensors_on_access=False."
)


def no_backward(ctx: Any, *grad_outputs: Any) -> Any:
    """Compute the gradients of the inputs from those of the outputs."""
    raise NotImplementedError(
        "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
        "backward mode AD."
    )


def no_jvp(ctx: Any, *grad_inputs: Any) -> Any:
    """The tangent of the output; a Function for forward mode defines it."""
    raise NotImplementedError(
        "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
    )


class _Transforms(threading.local):
    """What functional transforms and forward mode do in this thread."""

    #: how many transforms are active, and how many of them are vmap
    depth = 0
    mapping = 0
    #: they themselves, the outermost first
    stack: tuple[Any, ...] = ()
    #: how many `functionalize` are at work
    functionalizing = 0
    #: the levels of forward mode that are open, the outermost first (`autograd/forward_ad.py`)
    forward: tuple[Any, ...] = ()
    #: whether forward mode differentiates what is computed
    forward_enabled = True

    def differentiating(self) -> bool:
        """Whether a functional transform is at work that differentiates."""
        return self.depth > self.mapping


transforms = _Transforms()


class _HookMixin:
    """What PyTorch's contexts and tensors have in common: keeps hooks in a dict of the caller's."""

    __module__ = "torch.autograd.function"

    @staticmethod
    def _register_hook(backward_hooks: Any, hook: Callable[..., Any]) -> tuple[Any, RemovableHandle]:
        hooks = HookDict() if backward_hooks is None else backward_hooks
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        return hooks, handle


class FunctionCtx:
    """What `forward` and `backward` of a Function share: saved tensors, marks and any attribute one sets."""

    __module__ = "torch.autograd.function"

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Save tensors for backward, which checks that they are unchanged; called once, in forward or setup_context."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `jvp`."""
        for t in tensors:
            if not (t is None or isinstance(t, Tensor)):
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes "
                    "on ctx."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Say which inputs forward changed in place; each must be returned."""
        self.dirty_tensors = args

    def mark_shared_storage(self, *pairs: Any) -> None:
        """No longer needed: outputs that share memory with inputs are detected without it."""
        warnings.warn(
            "mark_shared_storage is deprecated. Tensors with shared storages are automatically tracked. Note that "
            "calls to `set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (the default) or None for outputs that were not used."""
        self.materialize_grads = value


class _FunctionBase:
    """What PyTorch writes in C++ of a Function and of its contexts."""

    __module__ = "torch._C"


class BackwardCFunction(_FunctionBase, FunctionCtx, _HookMixin):
    """The `ctx` of one call of a Function, and the Node of that call, which share all attributes."""

    __module__ = "torch.autograd.function"


#: what a context offers of the Node that it belongs to
_OF_NODE = frozenset(
    (
        "name",
        "next_functions",
        "metadata",
        "register_hook",
        "register_prehook",
        "requires_grad",
        "_raw_saved_tensors",
        "_input_metadata",
        "_sequence_nr",
        "_set_sequence_nr",
        "_register_hook_dict",
    )
)
UNSET = frozenset(("to_save", "dirty_tensors", "non_differentiable", "saved_for_forward"))


if TYPE_CHECKING:
    _read_only = property
else:

    class _read_only(property):
        """A property that refuses assignment in PyTorch's words."""

        def __set__(self, obj: Any, value: Any) -> None:
            name = self.fget.__name__
            raise AttributeError(f"attribute '{name}' of 'torch._C._FunctionBase' objects is not writable")


def _of_node(name: str) -> Any:
    def get(self: Context) -> Any:
        return self.__getattr__(name)

    get.__name__ = name
    return _read_only(get)


class Context:
    """The `ctx` of one call. It refers to its Node weakly: the Node owns it, until it alone is left."""

    __slots__ = (
        "_accessed",
        "_fill",
        "_kept_for_jvp",
        "_key",
        "_materialize_non_diff_grads",
        "_node",
        "_of_pure_view",
        "_outlives",
        "_without_gradient",
        "dirty_tensors",
        "needs_input_grad",
        "non_differentiable",
        "saved_for_forward",
        "to_save",
    )

    _node: weakref.ref[Node]
    _forward_cls: Any
    to_save: tuple[Any, ...] | None
    dirty_tensors: tuple[Any, ...] | None
    non_differentiable: tuple[Any, ...] | None
    saved_for_forward: tuple[Any, ...] | None
    #: what was saved for `jvp`, while it runs
    _kept_for_jvp: tuple[Any, ...] | None
    #: the Node, when the graph is gone and the program has kept the ctx
    _outlives: Node
    #: of a Function that clears its saved tensors on access, whether they were accessed; else None
    _accessed: bool | None

    def __init__(self, node: Node, wants: tuple[bool, ...], accessed: bool | None = None) -> None:
        self._node = weakref.ref(node)
        self._accessed = accessed
        self._key = hash(node)
        self._fill = self._materialize_non_diff_grads = True
        self._of_pure_view = False
        self._without_gradient: Any = ()
        self._kept_for_jvp = None
        self.needs_input_grad = wants
        self.to_save = self.dirty_tensors = self.non_differentiable = self.saved_for_forward = None

    def __eq__(self, other: object) -> bool:
        return other is self or (other is not None and other is self._node())

    def __hash__(self) -> int:
        return self._key

    def __getattr__(self, name: str) -> Any:
        if name in _OF_NODE:
            node = self._node()
            if node is not None:
                return getattr(node, name)
        if name in ("materialize_grads", "_is_pure_view"):
            raise AttributeError(f"attribute '{name}' of 'torch._C._FunctionBase' objects is not readable")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def materialize_grads(self) -> bool:
        """A property that can be set, but not read."""
        raise AttributeError

    @materialize_grads.setter
    def materialize_grads(self, value: bool) -> None:
        if type(value) is not bool:
            raise TypeError(
                f"set_materialize_grads received an invalid combination of arguments - got ({typename(value)}), "
                "but expected (bool)"
            )
        self._fill = value

    @property
    def _is_pure_view(self) -> bool:
        """Whether the output is but a view of the input, which may be changed in place; it can be set, but not read."""
        raise AttributeError

    @_is_pure_view.setter
    def _is_pure_view(self, value: bool) -> None:
        if type(value) is not bool:
            raise TypeError("set_pure_view received an invalid combination of arguments - got (), but expected (bool)")
        self._of_pure_view = value

    @_read_only
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The tensors given to `save_for_backward`, after a check that nobody changed them in place."""
        kept: Any = self.saved_for_forward if self._kept_for_jvp is None else self._kept_for_jvp
        if kept is not None:
            return kept
        node = self._node()
        if node is None:
            return ()
        if self._accessed:
            raise RuntimeError(_ONCE)
        if node.saved is None:
            raise RuntimeError(errors.BACKWARD_TWICE)
        found = tuple([unpack(node, i) for i in range(len(node.saved) >> 1)])
        if self._accessed is not None:
            put(node, "saved", ())
            self._accessed = True
        return found

    @_read_only
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        """The old name of `saved_tensors`."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors


for _name in ("next_functions", "metadata", "requires_grad", "_raw_saved_tensors", "_input_metadata"):
    setattr(Context, _name, _of_node(_name))


class FunctionNode(Node):
    """The Node of a call of a Function. Attributes of its `ctx` can be read and set on it as well."""

    __slots__ = ("_ctx", "_is_tensor", "multi", "writes")

    user_code = True
    _forward_cls: Any = None
    _context_class: Any = Context
    _ctx: Context
    _is_tensor: tuple[bool, ...]
    multi: bool
    writes: tuple[int, ...] | None

    def __getattr__(self, name: str) -> Any:
        if name == "_ctx":
            raise AttributeError(name)
        return getattr(self._ctx, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _SLOTS:
            put(self, name, value)
        else:
            setattr(self._ctx, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._ctx, name)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *object.__dir__(self._ctx), *UNSET})

    def __del__(self) -> None:
        ctx = getattr(self, "_ctx", None)
        if ctx is not None and getrefcount(ctx) > ALONE + 1:  # the program has kept it: it tells what was saved
            ctx._outlives = self

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        if self.saved is None:
            raise RuntimeError(errors.BACKWARD_TWICE)
        return tuple(SavedTensor.of(self, i) for i in range(len(self.saved) >> 1))

    def _user_fn(self) -> Callable[..., Any]:
        cls = self._forward_cls
        backward, vjp = cls.backward, cls.vjp
        if backward is not no_backward and vjp is not no_backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        found: Callable[..., Any] = backward if vjp is no_backward else vjp
        return found

    def __call__(self, *grads: Any) -> Any:
        raise TypeError(f"'{type(self).__name__}' object is not callable")

    def apply(self, *grads: Any) -> Any:
        """Run the user's backward on gradients, which it gets in one list if it asks for that."""
        boxed = self._forward_cls.boxed_grads_call
        return self._user_fn()(self._ctx, list(grads)) if boxed else self._user_fn()(self._ctx, *grads)

    def _grads(self, grad: Any) -> list[Any]:
        """One Tensor for each output: zeros for those without a gradient, unless that was switched off."""
        if grad is not None and not self.multi:
            return [shown(grad) if isinstance(grad, np.ndarray) else grad]
        given: list[Any] = [None] * self.outputs() if grad is None else list(grad)
        ctx = self._ctx
        fill, without = ctx._fill, ctx._without_gradient
        shapes, dtypes = (self.shape, self.dtype) if self.multi else ((self.shape,), (self.dtype,))
        for i, g in enumerate(given):
            if isinstance(g, np.ndarray):
                given[i] = shown(g)
            elif g is None and fill and shapes[i] is not None and i not in without:
                zeros = wrap(np.zeros(shapes[i], dtypes[i]))
                zeros._counter = [1]  # PyTorch writes them
                given[i] = zeros
        return given

    def _results(self, found: Any) -> list[Any]:
        """The gradients of the tensors among the inputs, after the checks of what backward returned."""
        count = len(self._is_tensor)
        if type(found) is Tensor and count == 1 and self._is_tensor[0] and found._array.dtype.kind != "c":
            return [found]
        results = found if isinstance(found, tuple) else (found,)
        if len(results) > count and all(g is None for g in results[count:]):
            results = results[:count]
        if len(results) != count:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {count}, got "
                f"{len(results)})"
            )
        wanted: list[Tensor | None] = []
        for i, (g, tensor) in enumerate(zip(results, self._is_tensor, strict=True)):
            if not tensor:
                if g is not None:
                    raise RuntimeError(
                        f"function {self.name()} returned a gradient different than None at position {i + 1}, but the "
                        "corresponding forward input was not a Variable"
                    )
                continue
            if g is not None and not isinstance(g, Tensor):
                raise RuntimeError(f"expected Variable or None (got {typename(g)})")
            target, nr = pair(self._edges[len(wanted)])
            if g is not None and target is not None and g._array.dtype.kind == "c":
                if (target.dtype[nr] if target.multi else target.dtype).kind != "c":
                    raise RuntimeError(_COMPLEX)
            wanted.append(g)
        return wanted

    def run(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """Plain backward: the user's code gets Tensors and is not recorded."""
        before = set_grad(False)
        try:
            wanted = self._results(self.apply(*self._grads(grad)))
        finally:
            set_grad(before)
        put(self, "writes", tuple([0 if g is None or of_inference(g) else g._counter[0] for g in wanted]))
        return tuple([None if g is None else np.asarray(g._array) for g in wanted])

    def run_recorded(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """One step of backward, on tensors, recorded."""
        self.writes = None
        grads = self._grads(grad)
        return tuple(self._results(self.apply(*grads)))

    def release(self) -> None:
        """Free the saved tensors; asking for them again is an error, even if there were none."""
        put(self, "saved", None)


_SLOTS = frozenset((*Node.__slots__, *FunctionNode.__slots__)) - {"__weakref__"} | {"made_at"}
