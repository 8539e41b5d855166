"""What programs about autograd's internals use of PyTorch's C++ module (mirrors `torch._C`): the pass that runs, the
classes of Nodes, saved tensors. Loaded when somebody asks for it."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

from .autograd.context import transforms
from .autograd.forward_ad import _is_fwd_grad_enabled
from .autograd.frontend import running, will_run
from .autograd.function import delayed_error
from .autograd.grad_mode import is_grad_enabled
from .autograd.grad_mode import is_multithreading_enabled as _is_multithreading_enabled
from .autograd.grad_mode import is_view_replay_enabled as _is_view_replay_enabled
from .autograd.gradcheck import undefined
from .autograd.graph import _MAKERS, saved_tensors_hooks
from .core.graph.node import AccumulateGrad, InputMetadata, Node
from .core.graph.slices import CopySlices
from .core.memory.storage import StorageBase, TensorBase, storage_of
from .core.recording.record import SavedTensor, save_output
from .core.runtime import modes
from .core.runtime.deterministic import get_fill_uninitialized as _get_deterministic_fill_uninitialized_memory
from .core.runtime.deterministic import set_fill_uninitialized as _set_deterministic_fill_uninitialized_memory
from .core.tensor.dispatching import disabled as _disabled_torch_dispatch_impl
from .core.tensor.edges import made_by
from .core.tensor.overriding import ALL_DISABLED, DisableTorchFunction, DisableTorchFunctionSubclass
from .core.tensor.overriding import EnableTorchFunction as _EnableTorchFunction
from .core.tensor.overriding import disabled as _disabled_torch_function_impl
from .core.tensor.tensor import INFERENCE, Size, Tensor, counter
from .core.types.device import device as Device
from .core.values.promotion import broadcast_shapes
from .library.defining import AutoDispatchBelowAutograd as _AutoDispatchBelowAutograd
from .library.defining import Fallback
from .ops.common.random import Generator
from .ops.first.memory import parse_to
from .ops.table.families import NODES, load_all

__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "Generator",
    "StorageBase",
    "TensorBase",
    "_are_functorch_transforms_active",
    "_AutoDispatchBelowAutograd",
    "_EnableTorchFunction",
    "_autograd",
    "_disabled_torch_dispatch_impl",
    "_disabled_torch_function_impl",
    "_functions",
    "_functorch",
    "_infer_size",
    "_get_deterministic_fill_uninitialized_memory",
    "_get_tracing_state",
    "_is_fwd_grad_enabled",
    "_is_multithreading_enabled",
    "_is_view_replay_enabled",
    "_log_api_usage_once",
    "_nn",
    "_set_deterministic_fill_uninitialized_memory",
    "is_grad_enabled",
]

_OUTSIDE = "{} should only be called during the backward pass"


def _will_engine_execute_node(node: Any, /) -> bool:
    """Whether the backward pass that runs now comes to a Node."""
    if not isinstance(node, Node):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    task = running()
    if task is None:
        raise RuntimeError(_OUTSIDE.format("_get_should_execute_nodes"))
    return will_run(task, node)


def _current_autograd_node() -> Node | None:
    """The Node that runs now in this thread, as hooks and Functions find it."""
    node: Node | None = modes.current().evaluating
    return node


def _current_graph_task_id() -> int:
    """The number of the backward pass that runs now; -1 outside of one."""
    task = running()
    return -1 if task is None else task.number


def _current_graph_task_execution_order() -> list[Node]:
    """The Nodes of the backward pass that runs now, in the order in which it comes to them."""
    task = running()
    if task is None:
        raise RuntimeError(_OUTSIDE.format("_current_graph_task_execution_order"))
    if modes.current().threads:
        raise RuntimeError(
            "get_current_graph_task_execution_order expects the current backward to be executed with multithreading "
            "disabled, e.g. by running:\n\n>>> with torch.autograd.set_multithreading_enabled(False):\n"
            "...     torch.autograd.grad(...)\n"
        )
    return task.order()


def _set_multithreading_enabled(enabled: bool, /) -> None:
    modes.current().threads = enabled


def _is_torch_function_all_disabled() -> bool:
    """Whether no object and no mode is asked in this thread (`DisableTorchFunction`)."""
    return modes.current().overriding == ALL_DISABLED


def _is_torch_function_enabled() -> bool:
    """Whether objects are asked in this thread."""
    return not modes.current().overriding


def _get_autograd_fallback_mode() -> str:
    """Whether backward through an operator without a kernel for autograd says so: "warn" or "nothing"."""
    return Fallback.mode


def _set_autograd_fallback_mode(mode: str, /) -> None:
    if mode not in ("nothing", "warn", "error"):
        raise RuntimeError("mode must be one of 'nothing', 'warn', 'error'")
    Fallback.mode = mode


def _len_torch_function_stack() -> int:
    """How many modes with `__torch_function__` are entered."""
    return len(modes.current().function_modes)


def _get_function_stack_at(level: int, /) -> Any:
    """One of these modes, the outermost 0."""
    return modes.current().function_modes[level]


def _log_api_usage_once(event: str, /) -> None:
    """Nothing: PyTorch's own builds note here which parts of them are used."""
    if not isinstance(event, str):
        raise TypeError("bad argument type for built-in operation")


def _are_functorch_transforms_active() -> bool:
    """Whether the program is inside of a functional transform."""
    return transforms.depth > 0


def _get_tracing_state() -> None:
    """The trace that is being recorded: none."""


def _infer_size(one: Size, other: Size, /) -> Size:
    """The size that two sizes broadcast to."""
    for place, size in enumerate((one, other), 1):
        if not isinstance(size, Size):
            raise RuntimeError(f"expected a torch.Size as argument {place}")
    return Size(broadcast_shapes(one, other))


def _is_alias_of(one: Tensor, other: Tensor, /) -> bool:
    """Whether two tensors lie in one memory, and there is some."""
    memory = storage_of(one)
    return memory is storage_of(other) and memory.nbytes() > 0


class _WeakTensorRef:
    """Tells whether a tensor is still alive."""

    __module__ = "torch._C"

    def __init__(self, tensor: Tensor) -> None:
        self._ref = weakref.ref(tensor)

    def expired(self) -> bool:
        """Whether the tensor is gone."""
        return self._ref() is None


def _checked(given: tuple[Any, ...], count: int) -> tuple[Tensor, ...]:
    if len(given) != count:
        raise TypeError(f"expected {count} arguments, got {len(given)} instead")
    for i, t in enumerate(given):
        if not isinstance(t, Tensor):
            raise TypeError(f"argument {i} is not a Variable")
    return given


class DelayedError:
    """A function that gives its tensors back, and raises in backward."""

    __module__ = "builtins"

    def __init__(self, message: str, num_inputs: int) -> None:
        self._message, self._count = message, num_inputs

    def __call__(self, *tensors: Tensor) -> Any:
        found = delayed_error(self._message, _checked(tensors, self._count), own=False)
        return found if len(found) > 1 else found[0]


class UndefinedGrad:
    """A function that gives its tensor back, and whose backward gives no gradient."""

    __module__ = "builtins"

    def __call__(self, *tensors: Tensor) -> Any:
        return undefined(*_checked(tensors, 1))


def _subclasses(cls: type[Node]) -> Iterator[type[Node]]:
    sub: type[Node]
    for sub in cls.__subclasses__():
        yield sub
        yield from _subclasses(sub)


class _Functions(ModuleType):
    """The classes of Nodes by their names."""

    def __getattr__(self, name: str) -> type:
        for late in (False, True):
            if late:
                load_all()
            entries = NODES.get(name, [])  # of operations that were not recorded yet
            for cls in (*[e.node_class for e in entries], *[e.node_in_place() for e in entries], *_subclasses(Node)):
                if cls.__name__ == name and cls.__module__ == "builtins":
                    setattr(self, name, cls)
                    return cls
        raise AttributeError(f"module 'torch._C._functions' has no attribute '{name}'")


_functions = _Functions("torch._C._functions")
_MAKERS += [DelayedError, UndefinedGrad]
vars(_functions).update(
    AccumulateGrad=AccumulateGrad, CopySlices=CopySlices, DelayedError=DelayedError, UndefinedGrad=UndefinedGrad
)


class _One(Node):
    """Holds one saved tensor that belongs to no operation."""

    __slots__ = ()


def _make_saved_tensor(tensor: Tensor, is_output: bool) -> SavedTensor:
    """A tensor kept as a Node keeps it, through the hooks of this moment; an output without its history."""
    node = _One()
    node.saved = (save_output(tensor) if is_output and made_by(tensor) else tensor, counter(tensor)[0])
    hooks = modes.current().saved_hooks
    place = SavedTensor.of(node, 0)
    if hooks:
        place.register_hooks(*hooks[-1])
    return place


def _unsafe_set_version_counter(tensors: tuple[Tensor, ...], versions: tuple[int, ...]) -> None:
    """Give tensors other version numbers."""
    for t, version in zip(tensors, versions, strict=True):
        if version < 0:
            raise RuntimeError(f"Cannot set a version_counter to a value below 0: {version}")
        count = counter(t)
        if count is not INFERENCE:
            count[0] = version


def _set_fwd_grad_enabled(mode: bool) -> None:
    """Switch forward mode on or off."""
    transforms.forward_enabled = mode


def _saved_tensors_hooks_is_enabled() -> bool:
    """Whether hooks on saved tensors may be entered."""
    return modes.current().saved_hooks_disabled is None


def _push_saved_tensors_default_hooks(pack_hook: Any, unpack_hook: Any) -> None:
    saved_tensors_hooks(pack_hook, unpack_hook).__enter__()


def _pop_saved_tensors_default_hooks() -> None:
    saved_tensors_hooks(None, None).__exit__()  # type: ignore[arg-type]


def _get_current_graph_task_keep_graph() -> bool:
    """Whether the backward pass that runs now keeps what Nodes saved; True outside of one."""
    task = running()
    return True if task is None else task.keep_graph


def _parse_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """Device, dtype, non_blocking and memory format that the arguments of Module.to ask for."""
    device, kind, non_blocking, copy, memory_format = parse_to(args, kwargs)
    if copy:
        raise RuntimeError(".to() does not accept copy argument")
    return None if device is None else Device(device), kind, non_blocking, memory_format


#: what a build of PyTorch can do: linear algebra, here NumPy's
has_lapack = True


class _Layers(ModuleType):
    """What torch.nn.functional has from C++ under its own name, or another one; loaded when somebody asks for it."""

    _names = {
        **dict.fromkeys(("avg_pool2d", "avg_pool3d", "elu_", "gelu", "hardtanh_", "leaky_relu_", "linear", "one_hot")),
        **dict.fromkeys(("scaled_dot_product_attention", "softplus", "softshrink")),
        "log_sigmoid": "logsigmoid",
    }

    def __getattr__(self, name: str) -> Any:
        if name not in self._names:
            raise AttributeError(f"module 'torch._C._nn' has no attribute '{name}'")
        return getattr(import_module(f"{__package__}.nn.functional"), self._names[name] or name)


class _Transforms(ModuleType):
    """What functional transforms are asked; loaded with them."""

    def __getattr__(self, name: str) -> Any:
        if name != "is_functorch_wrapped_tensor":
            raise AttributeError(f"module 'torch._C._functorch' has no attribute '{name}'")
        return import_module(f"{__package__}.func.mapping").is_wrapped


_functorch = _Transforms("torch._C._functorch")
_nn = _Layers("torch._C._nn")
vars(_nn).update(_parse_to=_parse_to)
_autograd = ModuleType("torch._C._autograd")
vars(_autograd).update(
    SavedTensor=SavedTensor,
    _InputMetadata=InputMetadata,
    _get_current_graph_task_keep_graph=_get_current_graph_task_keep_graph,
    _make_saved_tensor=_make_saved_tensor,
    _pop_saved_tensors_default_hooks=_pop_saved_tensors_default_hooks,
    _push_saved_tensors_default_hooks=_push_saved_tensors_default_hooks,
    _saved_tensors_hooks_is_enabled=_saved_tensors_hooks_is_enabled,
    _unsafe_set_version_counter=_unsafe_set_version_counter,
)
