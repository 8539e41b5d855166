"""What all optimizers share: groups of parameters, their state, hooks and texts (mirrors `torch.optim.Optimizer`)."""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any, TypeAlias

from ..autograd.grad_mode import enable_grad
from ..core.backward.leaves import clear
from ..core.graph.node import RemovableHandle
from ..core.runtime import errors, modes
from ..core.runtime.naming import by_name
from ..core.tensor.tensor import Tensor
from ..core.types.dtypes import ALL, scalar_name, unsupported
from .arrays import RECORDS, Changes, scalar_state

__all__ = ["Optimizer", "required"]


class _RequiredParameter:
    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()
#: what an optimizer may be given: tensors, groups of them, or tensors with their names
ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
float32 = ALL["float32"]
_before: OrderedDict[int, Callable[..., Any]] = OrderedDict()
_after: OrderedDict[int, Callable[..., Any]] = OrderedDict()


def _add(hooks: OrderedDict[int, Callable[..., Any]], hook: Callable[..., Any]) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before every step of every optimizer."""
    return _add(_before, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after every step of every optimizer."""
    return _add(_after, hook)


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(step)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        self: Optimizer = args[0]
        for hook in chain(_before.values(), self._optimizer_step_pre_hooks.values()):
            found = hook(self, args, kwargs)
            if found is not None:
                if not (isinstance(found, tuple) and len(found) == 2):
                    raise RuntimeError(
                        f"{step} must return None or a tuple of (new_args, new_kwargs), but got {found}."
                    )
                args, kwargs = found
        result = step(*args, **kwargs)
        for hook in chain(self._optimizer_step_post_hooks.values(), _after.values()):
            hook(self, args, kwargs)
        return result

    vars(wrapper)["hooked"] = True
    return wrapper


def _typename(x: Any) -> str:
    from ..nn.names import typename  # only for messages: optimizers do not need the layers

    return typename(x)


#: options that groups in files of older versions lack, with the values they stand for
LATER: dict[str, Any] = {"foreach": None, "maximize": False, "differentiable": False}


class Optimizer:
    """The base of all optimizers: groups of parameters, zero_grad(), step(), state_dict(), hooks.
    Errors: ValueError for an empty list or a tensor that is not a leaf, TypeError for anything but tensors.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> w = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.SGD([w], lr=0.1)
        >>> isinstance(optimizer, torch.optim.Optimizer)
        True
        >>> optimizer
        SGD (
        Parameter Group 0
            dampening: 0
            differentiable: False
            foreach: None
            fused: None
            lr: 0.1
            maximize: False
            momentum: 0
            nesterov: False
            weight_decay: 0
        )

    Mirrors `torch.optim.Optimizer`.
    """

    OptimizerPreHook = OptimizerPostHook = Callable[..., Any]

    # options that files of older versions lack, with the values they stand for
    _later_options: dict[str, Any] = {}
    # options that may make a step fail, in the order in which PyTorch checks them
    _refused: tuple[str, ...] = ("differentiable", "capturable")
    # for `capturable`: what must be on other devices than the CPU, without and with `foreach`; and whether XLA is one
    _captured: tuple[str, str] = ("params and state_steps", "params and state_steps")
    _captured_xla: tuple[bool, bool] = (True, False)
    # whether a step begins with `lerp_`
    _lerps = False

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._init_hooks()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + _typename(params)
            )
        self.state: Any = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _init_hooks(self) -> None:
        for name in (
            "_optimizer_step_pre_hooks",
            "_optimizer_step_post_hooks",
            "_optimizer_state_dict_pre_hooks",
            "_optimizer_state_dict_post_hooks",
            "_optimizer_load_state_dict_pre_hooks",
            "_optimizer_load_state_dict_post_hooks",
        ):
            self.__dict__.setdefault(name, OrderedDict())
        self._patch_step_function()

    def _patch_step_function(self) -> None:
        """Let hooks run around the class's step; that of a class that wraps an optimizer and never asks stays as it
        is."""
        cls = type(self)
        self._zero_grad_profile_name = f"Optimizer.zero_grad#{cls.__name__}.zero_grad"
        if not getattr(cls.step, "hooked", False):
            cls.step = _with_hooks(cls.step)  # type: ignore[method-assign]

    _optimizer_step_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_step_post_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Callable[..., Any]]

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    __reduce_ex__ = by_name

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._init_hooks()
        self.defaults.setdefault("differentiable", False)
        if self._later_options:
            self._complete()

    def _complete(self) -> None:
        """Add the options that groups written by an older PyTorch lack, and make its counts of steps tensors."""
        for group in self.param_groups:
            for name, value in self._later_options.items():
                group.setdefault(name, value)
        for state in self.state.values():
            for name in ("step", "eta", "mu"):
                if name in state and not isinstance(state[name], Tensor):
                    state[name] = scalar_state(float(state[name]))

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for key in sorted(group):
                if key != "params":
                    text += f"    {key}: {group[key]}\n"
        return text + ")"

    # -- hooks -------------------------------------------------------------------------------------------------------

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before every step."""
        return _add(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after every step."""
        return _add(self._optimizer_step_post_hooks, hook)

    def _register(self, where: str, hook: Callable[..., Any], prepend: bool) -> RemovableHandle:
        hooks = getattr(self, where)
        handle = _add(hooks, hook)
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` before every `state_dict()`."""
        return self._register("_optimizer_state_dict_pre_hooks", hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` after every `state_dict()`; what it returns, if anything,
        takes its place."""
        return self._register("_optimizer_state_dict_post_hooks", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` before every `load_state_dict()`; what it returns, if anything,
        is loaded."""
        return self._register("_optimizer_load_state_dict_pre_hooks", hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(optimizer)` after every `load_state_dict()`."""
        return self._register("_optimizer_load_state_dict_post_hooks", hook, prepend)

    def _check_fused(self, fused: Any, foreach: Any, differentiable: Any) -> None:
        """Refuse the options that PyTorch's fused step excludes; here it computes like any other step."""
        if fused and differentiable:
            raise RuntimeError("`fused` does not support `differentiable`")
        if fused and foreach:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    def _refuse(self, group: dict[str, Any], p: Tensor) -> None:
        """Raise for a tensor with a gradient what PyTorch's step raises on the CPU: with `capturable`, which wants
        other devices; with `differentiable` together with `foreach`, or for a leaf, which a recorded step would
        change in place."""
        foreach = bool(group.get("foreach"))
        for option in self._refused:
            if option == "differentiable" and foreach and group.get(option):
                raise AssertionError("_foreach ops don't support autograd")
            if option == "capturable" and group.get(option):
                devices = ["cuda", "xpu", "hpu", "privateuseone", *["xla"] * self._captured_xla[foreach]]
                raise AssertionError(
                    f"If capturable=True, {self._captured[foreach]} must be on supported devices: {devices}."
                )
        if self.defaults.get("differentiable") and p.requires_grad and p.is_leaf:
            views = p._is_view() or (p._array.dtype.kind == "c" and self._writes_reals(group))
            raise RuntimeError(errors.LEAF_VIEW_INPLACE if views else errors.LEAF_INPLACE)

    def _refuse_integers(self, group: dict[str, Any], p: Tensor) -> None:
        """Raise for a parameter of whole numbers what the first operation of PyTorch's step raises."""
        if self._lerps and not (group.get("decoupled_weight_decay") and group["weight_decay"]):
            raise unsupported("lerp_kernel_scalar", p.dtype)
        raise RuntimeError(errors.CAST.format("Float", scalar_name(p.dtype)))

    def _writes_reals(self, group: dict[str, Any]) -> bool:
        """Whether the first thing that PyTorch's step writes is a complex parameter seen as pairs of reals."""
        return True

    # -- state -------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Options of the groups and state of the parameters, which are numbered in their order."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        start, groups = 0, []
        for group in self.param_groups:
            packed = {k: v for k, v in group.items() if k != "params"}
            # of one that comes twice in a group the last place counts
            numbers.update({id(p): i for i, p in enumerate(group["params"], start) if id(p) not in numbers})
            start += len(group["params"])
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {(numbers[id(k)] if isinstance(k, Tensor) else k): v for k, v in self.state.items()}
        found: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            replaced = hook(self, found)
            found = found if replaced is None else replaced
        return found

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over options and state from `state_dict()` of an optimizer with the same groups.
        Errors: ValueError for another number of groups, or of parameters in one of them."""
        given = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            replaced = hook(self, given)
            given = given if replaced is None else replaced
        groups = self.param_groups
        saved = deepcopy(given["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(groups, saved, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        numbers = chain.from_iterable(g["params"] for g in saved)
        by_number = dict(zip(numbers, ((p, g) for g in groups for p in g["params"]), strict=True))
        state: Any = defaultdict(dict)
        for key, value in given["state"].items():
            if key in by_number:
                param, group = by_number[key]
                state[param] = _fitted(param, value, group)
            else:
                state[key] = value
        new_groups = []
        for old, new in zip(groups, saved, strict=True):
            new["params"] = old["params"]
            if "param_names" in old and "param_names" not in new:
                new["param_names"] = old["param_names"]
            new_groups.append(new)
        self.__setstate__({"state": state, "param_groups": new_groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all managed tensors; with set_to_none=False fill them with zeros."""
        if "_zero_grad_profile_name" not in self.__dict__ and self.defaults is not None:
            self._patch_step_function()  # the __init__ of this class was not called
        for group in self.param_groups:
            for p in group["params"]:
                clear(p, set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step of all managed tensors that have a gradient; `closure`, if given, computes the loss anew."""
        raise NotImplementedError

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Manage more tensors, with options of their own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, Tensor):
            param_group["params"] = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        else:
            param_group["params"] = list(params)
        _split_names(param_group)
        for p in param_group["params"]:
            if not isinstance(p, Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is " + _typename(p))
            if not self.defaults.get("differentiable", None) and not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        params = param_group["params"]
        if len(params) != len({id(p) for p in params}):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an "
                "error; see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        if self.param_groups and ("param_names" in param_group) != ("param_names" in self.param_groups[0]):
            has = "with names" if "param_names" in param_group else "without names"
            raise ValueError(
                f"all optimizer param groups should be with/without names. cannot add param group {has} to the "
                "optimizer"
            )
        known = {id(p) for group in self.param_groups for p in group["params"]}
        if known & {id(p) for p in params}:
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)


def _split_names(group: dict[str, Any]) -> None:
    """Pairs of name and parameter, as `named_parameters()` gives them, become two lists."""
    named = [isinstance(p, tuple) for p in group["params"]]
    if any(named) and not all(named):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    if named and all(named):
        group["param_names"] = [name for name, _ in group["params"]]
        group["params"] = [p for _, p in group["params"]]


def _fitted(param: Tensor, value: Any, group: dict[str, Any], key: Any = None) -> Any:
    """State for a parameter: tensors cast to the parameter's dtype, except the count of steps; one that has that dtype
    already is not copied."""
    if isinstance(value, Tensor):
        if key == "step":
            return value.to(float32) if group.get("capturable") or group.get("fused") else value
        return value.to(param.dtype) if param.dtype.is_floating_point else value
    if isinstance(value, dict):
        return {k: _fitted(param, v, group, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        make: Callable[..., Any] = type(value)
        return make(_fitted(param, v, group) for v in value)
    return value


def evaluate(closure: Callable[[], Any] | None) -> Any:
    """The loss that a closure computes, with gradients."""
    if closure is None:
        return None
    with enable_grad():
        return closure()


def recorded(take: Callable[[Any], None], optimizer: Any) -> None:
    """Take a step whose formulas are recorded."""
    token = RECORDS.set(True)
    try:
        with enable_grad():
            take(optimizer)
    finally:
        RECORDS.reset(token)


def stepping(step: Callable[..., None]) -> Callable[..., Any]:
    """Decorator for a `step` that computes changes of arrays: evaluates the closure before it, writes them after it."""

    def take(self: Any) -> None:
        changes = Changes(self)
        step(self, changes)
        changes.commit()

    @functools.wraps(step)
    def wrapper(self: Any, closure: Callable[[], Any] | None = None) -> Any:
        loss = evaluate(closure)
        if self.defaults.get("differentiable"):
            recorded(take, self)
        else:
            modes.quiet(take, self)
        return loss

    return wrapper
