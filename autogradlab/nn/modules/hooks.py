"""Hooks of Modules: those for all of them, and the Functions around forward that let full backward hooks see
gradients."""

from __future__ import annotations

import functools
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ...autograd.function import Function
from ...core.graph.node import RemovableHandle
from ...core.runtime import modes
from ...core.runtime.naming import by_call
from ...core.runtime.warn import warn
from ...core.tensor.tensor import Tensor

__all__ = ["BackwardHook", "GLOBAL", "GlobalHooks", "ModuleHook"]

_FORWARD = (
    "Using non-full backward hooks on a Module that does not {} single Tensor or a tuple of Tensors is deprecated and "
    "will be removed in future versions. This hook will be missing some of the {}. Please use "
    "register_full_backward_hook to get the documented behavior."
)
_NON_FULL = (
    "Using a non-full backward hook when {} is deprecated and will be removed in future versions. This hook will be "
    "missing some {}."
)
_USE_FULL = " Please use register_full_backward_hook to get the documented behavior."
_NO_INPUTS = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
    "#torch.nn.Module.register_full_backward_hook for more details."
)
_BOTH = (
    "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only one of "
    "them."
)


class GlobalHooks:
    """The hooks that run for every Module."""

    def __init__(self) -> None:
        self.forward: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.forward_with_kwargs: OrderedDict[int, bool] = OrderedDict()
        self.forward_always: OrderedDict[int, bool] = OrderedDict()
        self.forward_pre: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.backward: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.backward_pre: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.parameter: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.buffer: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.module: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.full: bool | None = None


GLOBAL = GlobalHooks()


def _add(hooks: OrderedDict[int, Any], hook: Any, extra: Any = None) -> RemovableHandle:
    handle = RemovableHandle(hooks, extra_dict=extra)
    hooks[handle.id] = hook
    return handle


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, args)` before every forward; what it returns, if not None, replaces the arguments."""
    return _add(GLOBAL.forward_pre, hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call `hook(module, args, output)` after every forward; what it returns, if not None, replaces the output."""
    handle = _add(GLOBAL.forward, hook, [GLOBAL.forward_with_kwargs, GLOBAL.forward_always])
    if with_kwargs:
        GLOBAL.forward_with_kwargs[handle.id] = True
    if always_call:
        GLOBAL.forward_always[handle.id] = True
    return handle


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Register a backward hook for all modules, of the old kind that sees the last Node only."""
    if GLOBAL.full is True:
        raise RuntimeError(_BOTH)
    GLOBAL.full = False
    return _add(GLOBAL.backward, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` whenever gradients of a Module's inputs were computed."""
    if GLOBAL.full is False:
        raise RuntimeError(_BOTH)
    GLOBAL.full = True
    return _add(GLOBAL.backward, hook)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, grad_output)` before the gradients of a Module are computed."""
    return _add(GLOBAL.backward_pre, hook)


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, parameter)` whenever a parameter is registered; what it returns replaces it."""
    return _add(GLOBAL.parameter, hook)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, buffer)` whenever a buffer is registered; what it returns replaces it."""
    return _add(GLOBAL.buffer, hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(module, name, submodule)` whenever a submodule is registered; what it returns replaces it."""
    return _add(GLOBAL.module, hook)


class BackwardHookFunction(Function):
    """Passes its inputs on: a Node at the border of a Module, on which hooks can be registered."""

    __module__ = "torch.nn.modules._functions"

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        """The inputs, unchanged."""
        ctx.mark_non_differentiable(*[a for a in args if not a.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """The gradients, unchanged."""
        return grads


class BackwardHook:
    """Full backward hooks of one call of a Module: a Node before its inputs and one after its outputs."""

    __module__ = "torch.utils.hooks"

    def __init__(self, module: Any, user_hooks: list[Any], user_pre_hooks: list[Any]) -> None:
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs: Any = None
        self.places: list[int] = []
        self.input_places: list[int] | None = None
        self.count = self.input_count = 0

    def _border(self, values: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int], Any]:
        """The values passed through a Node, the places of the tensors, the Node (None if no gradient is wanted)."""
        places = [i for i, v in enumerate(values) if isinstance(v, Tensor)]
        tensors = [values[i] for i in places]
        if not any(t.requires_grad for t in tensors) or not _grad_enabled():
            return values, places, None
        made = BackwardHookFunction.apply(*tensors)
        made = made if isinstance(made, tuple) else (made,)
        nodes = [t.grad_fn for t in made if t.grad_fn is not None]
        if not nodes:
            raise RuntimeError(
                "Error while setting up backward hooks. Please open an issue with code to reproduce this."
            )
        replaced = list(values)
        for i, t in zip(places, made, strict=True):
            replaced[i] = t
        return tuple(replaced) if type(values) is tuple else type(values)(*replaced), places, nodes[0]

    def _whole(self, grads: Any, places: list[int], count: int) -> tuple[Any, ...]:
        whole = [None] * count
        for i, g in zip(places, grads, strict=True):
            whole[i] = g
        return tuple(whole)

    def setup_input(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Before forward."""

        def hook(grad_input: Any, _: Any) -> Any:
            if self.grad_outputs is None:
                return None
            grads: Any = self._whole(grad_input, self.input_places or [], self.input_count)
            for user in self.user_hooks:
                found = user(self.module, grads, self.grad_outputs)
                if found is not None:
                    grads = _as_many(found, grads, "hook", "grad_input")
            self.grad_outputs = None
            return tuple(grads[i] for i in self.input_places or [])

        made, places, node = self._border(args)
        self.input_count = len(args)
        if node is not None:
            self.input_places = places
            node.register_hook(hook)
        return made

    def setup_output(self, result: Any) -> Any:
        """After forward."""
        values = result if isinstance(result, tuple) else (result,)

        def hook(_: Any, grad_output: Any) -> Any:
            self.grad_outputs = self._whole(grad_output, places, len(values))
            for user in self.user_pre_hooks:
                found = user(self.module, self.grad_outputs)
                if found is not None:
                    self.grad_outputs = _as_many(found, self.grad_outputs, "pre hook", "grad_output")
            given = self.grad_outputs
            if self.input_places is None:  # no input requires grad: the hooks run as soon as the gradient arrives
                warn(_NO_INPUTS)
                for user in self.user_hooks:
                    found = user(self.module, (None,) * self.input_count, self.grad_outputs)
                    if found is not None and not (isinstance(found, tuple) and all(g is None for g in found)):
                        raise RuntimeError(
                            "Backward hook for Modules where no input requires gradient should always return "
                            "None or None for all gradients."
                        )
                self.grad_outputs = None
            return tuple(given[i] for i in places)

        made, places, node = self._border(values)
        if node is not None:
            node.register_hook(hook)
        return made if isinstance(result, tuple) else made[0]


def _as_many(found: Any, given: tuple[Any, ...], kind: str, what: str) -> Any:
    """What a hook gave back, which has to have as many items as what it was given."""
    if len(found) != len(given):
        raise RuntimeError(
            f"Backward {kind} returned an invalid number of {what}, got {len(found)}, but expected {len(given)}"
        )
    return found


class ModuleHook:
    """A hook that is called with its Module in front, of which it keeps a weak reference; it has the hook's name."""

    def __init__(self, hook: Callable[..., Any], module: Any) -> None:
        functools.update_wrapper(self, hook)
        self.hook = hook
        self.module = weakref.ref(module)

    def __call__(self, *args: Any) -> Any:
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args)

    def __reduce__(self) -> Any:
        return by_call(self, self.hook, self.module())


def _grad_enabled() -> bool:
    return modes.current().record


def warn_non_full(inputs: Any, result: Any, grad_fn: Any) -> None:
    """Warn of what a non-full backward hook does not see, as PyTorch does."""

    def say(text: str) -> None:
        warnings.warn(text, FutureWarning, stacklevel=4)

    if isinstance(result, Tensor):
        result = (result,)
    if not (isinstance(result, tuple) and all(isinstance(r, Tensor) for r in result)):
        say(_FORWARD.format("return a", "grad_output"))
        return
    if not (isinstance(inputs, tuple) and all(isinstance(i, Tensor) for i in inputs)):
        say(_FORWARD.format("take as input a", "grad_input"))
        return
    made_by = {r.grad_fn for r in result if r.grad_fn is not None}
    if not made_by or (len(made_by) == 1 and grad_fn not in made_by):
        say(_NON_FULL.format("outputs are nested in python data structure", "grad_output"))
    elif len(made_by) > 1:
        say(_NON_FULL.format("outputs are generated by different autograd Nodes", "grad_output") + _USE_FULL)
    elif {i.grad_fn for i in inputs if i.grad_fn is not None} != {node for node, _ in grad_fn.next_functions}:
        say(_NON_FULL.format("the forward contains multiple autograd Nodes", "grad_input") + _USE_FULL)
