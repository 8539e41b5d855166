"""The graph from outside: Node, gradient edges, hooks on saved tensors, hooks on several gradients."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, Literal

from ..core.graph import node as _node
from ..core.graph.node import RemovableHandle, pair
from ..core.memory import versions
from ..core.runtime import modes
from ..core.tensor.tensor import INFERENCE, Tensor, counter, gradient_edge, requires_grad
from .context import BackwardCFunction, Context
from .edge import GradientEdge, get_gradient_edge
from .frontend import running, will_run

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
    "set_warn_on_accumulate_grad_stream_mismatch",
]


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Tells autograd that a tensor was changed behind its back.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.ones(1)
        >>> torch.autograd.graph.increment_version(x)
        >>> x._version
        1

    Mirrors `torch.autograd.graph.increment_version`.
    """
    tensors = (tensor,) if isinstance(tensor, Tensor) else tensor
    if not isinstance(tensors, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for t in tensors:
        if not isinstance(t, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        if t._counter is not INFERENCE:
            versions.increment_version(t)


#: classes of `torch._C._functions` that only make Nodes, which PyTorch counts among them
_MAKERS: list[type] = []


class _NodeMeta(type):
    """Makes every backward function an instance of Node."""

    def __instancecheck__(cls, other: object) -> bool:
        return isinstance(other, (_node.Node, Context, *_MAKERS))

    def __subclasscheck__(cls, other: type) -> bool:
        return other is cls or issubclass(other, (_node.Node, BackwardCFunction, *_MAKERS))


class Node(metaclass=_NodeMeta):
    """The base of the graph's Nodes: name(), next_functions, metadata, register_hook, register_prehook.

    Example:
        >>> import autogradlab as torch
        >>> y = torch.ones(1, requires_grad=True) * 2
        >>> isinstance(y.grad_fn, torch.autograd.graph.Node)
        True
        >>> y.grad_fn.next_functions[0][0].name()
        'torch::autograd::AccumulateGrad'

    Mirrors `torch.autograd.graph.Node`.
    """

    __module__ = "torch.autograd.graph"

    def __new__(cls) -> Any:
        raise TypeError(
            "Can't instantiate abstract class Node with abstract methods _input_metadata, "
            "_register_hook_dict, "
            "_sequence_nr, metadata, name, next_functions, register_hook, register_prehook"
        )


class saved_tensors_hooks:
    """Within it, every tensor that a Node saves is passed through pack_hook, and through unpack_hook when it is read.

    Example:
        >>> import autogradlab as torch
        >>> w = torch.tensor([3.], requires_grad=True)
        >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: print('saved', t.item()) or t, lambda t: t):
        ...     y = w * w
        ...
        saved 3.0
        saved 3.0

    Mirrors `torch.autograd.graph.saved_tensors_hooks`.
    """

    __module__ = "torch.autograd.graph"

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> Any:
        local = modes.current()
        if local.saved_hooks_disabled is not None:
            raise RuntimeError(local.saved_hooks_disabled)
        if not (callable(self.pack_hook) and callable(self.unpack_hook)):
            raise TypeError(
                "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument types "
                "are "
                "supported:\n    1. (arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> "
                "None\n\nInvoked "
                f"with: {self.pack_hook!r}, {self.unpack_hook!r}"
            )
        local.saved_hooks = [*local.saved_hooks, (self.pack_hook, self.unpack_hook)]
        local.refresh()
        return None

    def __exit__(self, *exc: object) -> None:
        local = modes.current()
        if local.saved_hooks:  # an unpack hook may have left the block before
            local.saved_hooks = local.saved_hooks[:-1]
            local.refresh()


class save_on_cpu(saved_tensors_hooks):
    """Within it, saved tensors wait in the memory of the CPU.

    Example:
        >>> import autogradlab as torch
        >>> w = torch.tensor([3.], requires_grad=True)
        >>> with torch.autograd.graph.save_on_cpu():
        ...     y = w * w
        ...
        >>> y.backward()
        >>> w.grad
        tensor([6.])

    Mirrors `torch.autograd.graph.save_on_cpu`.
    """

    __module__ = "torch.autograd.graph"

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda t: t, lambda t: t)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Within it, hooks on saved tensors are an error with this message.

    Example:
        >>> import autogradlab as torch
        >>> with torch.autograd.graph.disable_saved_tensors_hooks('not here'):
        ...     print(torch.ones(1, requires_grad=True) * 2)
        ...
        tensor([2.], grad_fn=<MulBackward0>)

    Mirrors `torch.autograd.graph.disable_saved_tensors_hooks`.
    """
    local = modes.current()
    if local.saved_hooks:
        raise RuntimeError(error_message)
    before, local.saved_hooks_disabled = local.saved_hooks_disabled, error_message
    try:
        yield
    finally:
        local.saved_hooks_disabled = before


class _Handle:
    """What a Node keeps of a tensor that may be changed: a copy, and how to tell whether it was changed since."""

    __slots__ = ("__weakref__", "_counter", "_memory", "_version", "kept", "valid")

    def __init__(self, tensor: Tensor) -> None:
        self._memory = tensor.detach()  # keeps the id from being given to another tensor
        self.kept = self._memory.clone()
        self.valid = True
        self._counter = counter(tensor)
        self._version = self._counter[0]

    @property
    def changed(self) -> bool:
        """Whether the tensor was changed after it was saved."""
        return self._counter[0] != self._version


class _AllowMutationOnSavedContext:
    """The handles of what was saved in the block, valid until it ends or is cleared."""

    __module__ = "torch.autograd.graph"

    def __init__(self) -> None:
        self._handles: weakref.WeakValueDictionary[Any, _Handle] = weakref.WeakValueDictionary()

    def handle(self, tensor: Tensor) -> _Handle:
        """The handle of a tensor as it is now; the same tensor has one handle until it is changed."""
        key = id(tensor), tensor.data_ptr(), tensor._version, tensor.shape, tensor.stride(), tensor.dtype
        found = self._handles.get(key)
        if found is None:
            found = self._handles[key] = _Handle(tensor)
        return found

    @property
    def cloned(self) -> dict[_Handle, Tensor]:
        """The copies of saved tensors that were changed since, as long as a graph needs them."""
        return {h: h.kept for h in self._handles.values() if h.changed}

    @property
    def original(self) -> dict[_Handle, Tensor]:
        """The saved tensors that were not changed."""
        return {h: h.kept for h in self._handles.values() if not h.changed}

    @property
    def tid_to_weakhandle(self) -> weakref.WeakValueDictionary[Any, _Handle]:
        """The handles by what identifies the tensors, as PyTorch calls them."""
        return self._handles

    def clear(self) -> None:
        """Drop what was saved until now: no backward can use it any more."""
        for handle in self._handles.values():
            handle.valid = False
        self._handles.clear()


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Whether gradients that come from another stream of a GPU are warned of; there are none here.

    Example:
        >>> import autogradlab as torch
        >>> print(torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(False))
        None

    Mirrors `torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch`.
    """


_MUTABLE = threading.local()


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_AllowMutationOnSavedContext]:
    """Within it, tensors that a Node saved may be changed in place: a copy is made before.

    Example:
        >>> import autogradlab as torch
        >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
        ...     a = torch.ones(2, requires_grad=True).clone()
        ...     loss = (a ** 2).sum()
        ...     _ = a.mul_(10)
        ...     loss.backward()
        ...     print('no error')
        ...
        no error

    Mirrors `torch.autograd.graph.allow_mutation_on_saved_tensors`.
    """
    context = _AllowMutationOnSavedContext()

    def unpack(handle: Any) -> Any:
        if not handle.valid:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which "
                "the graph "
                "was originally recorded."
            )
        return handle.kept

    if getattr(_MUTABLE, "active", False):
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    with saved_tensors_hooks(context.handle, unpack):
        _MUTABLE.active = True
        try:
            yield context
        finally:
            context.clear()
            _MUTABLE.active = False


class _MultiHandle(RemovableHandle):
    """The handles of several hooks as one."""

    __module__ = "torch.autograd.graph"

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _MultiHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., None], *, mode: Literal["all", "any"] = "all"
) -> _MultiHandle:
    """Calls a function with the gradients of several tensors when all (or any) of them have been computed.

    Example:
        >>> import autogradlab as torch
        >>> a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
        >>> handle = torch.autograd.graph.register_multi_grad_hook([a, b], lambda grads: print(grads))
        >>> (a * 2 + b * 3).backward()
        [tensor([2.]), tensor([3.])]

    Mirrors `torch.autograd.graph.register_multi_grad_hook`.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    lock = threading.Lock()
    edges = []
    for t in tensors if mode == "all" else ():
        node = pair(gradient_edge(t))[0]
        if t.requires_grad and (t.is_inference() or modes.current().inference):  # its view has no Node to begin at
            raise AttributeError("'NoneType' object has no attribute 'next_functions'")
        if node is None:
            raise AssertionError("Expected gradient function to be set")
        edges.append(node)  # kept, so that each tensor's place in the graph stays the same
    waiting: dict[int, tuple[int, list[Tensor | None]]] = {}
    seen: set[int] = set()

    def get_inner_hook(i: int) -> Callable[[Tensor], None]:
        def inner_hook(grad: Tensor) -> None:
            task = running()
            assert task is not None
            with lock:
                if task.number not in waiting:
                    waiting[task.number] = (sum(will_run(task, n) for n in edges), [None] * len(edges))
                left, grads = waiting[task.number]
                grads[i] = grad
                waiting[task.number] = (left - 1, grads)
                if left <= 1:
                    del waiting[task.number]
            if left == 1:  # 0 if the pass reaches none of them except its root
                fn(grads)

        return inner_hook

    @wraps(fn)
    def hook_any(grad: Tensor) -> None:
        task = running()
        assert task is not None
        with lock:
            if task.number in seen:
                return
            seen.add(task.number)
        fn(grad)

    if mode == "all":
        handles = [t.register_hook(get_inner_hook(i)) for i, t in enumerate(tensors)]
    else:
        handles = [t.register_hook(hook_any) for t in tensors if requires_grad(t)]
    return _MultiHandle(handles)
