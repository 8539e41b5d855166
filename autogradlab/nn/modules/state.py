"""state_dict and load_state_dict of Modules, with PyTorch's words for keys that do not fit."""

from __future__ import annotations

import itertools
import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Callable
from typing import Any

from ...autograd.grad_mode import no_grad
from ...core.graph.node import RemovableHandle
from ...core.tensor.swapping import swap_tensors
from ...core.tensor.tensor import Tensor
from ..parameter import Parameter, is_lazy
from .convert import CONVERSION
from .hooks import ModuleHook

__all__ = ["State"]

_EXTRA = "_extra_state"
_NO_OP = (
    "for {}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is a "
    "no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their corresponding key in "
    "the module instead of copying them in place?)"
)
_NOT_APART = (
    "module_load returned one of self or other, please .detach() the result if returning one of the inputs in "
    "module_load"
)


@no_grad()
def _take(module: Any, name: str, key: str, param: Any, given: Any, assign: bool) -> None:
    """Put a loaded tensor in the place of a parameter or buffer, or its values into it."""
    if not assign and param.is_meta and not given.is_meta:
        warnings.warn(_NO_OP.format(key), stacklevel=5)
    if CONVERSION.swap:
        made = param.module_load(given, assign=assign)
        if made is given or made is param:
            raise RuntimeError(_NOT_APART)
        if isinstance(made, Parameter):
            made.requires_grad_(param.requires_grad)
        elif isinstance(param, Parameter):
            made = Parameter(made, requires_grad=param.requires_grad)
        swap_tensors(param, made)
        return
    if not assign:
        param.copy_(given)
        return
    if isinstance(param, Parameter):
        if isinstance(given, Parameter):
            given.requires_grad_(param.requires_grad)
        else:
            given = Parameter(given, requires_grad=param.requires_grad)
    setattr(module, name, given)


class _IncompatibleKeys(namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What load_state_dict gives back."""

    __slots__ = ()
    __module__ = "torch.nn.modules.module"

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


def _load(
    module: Any,
    local: Any,
    prefix: str,
    metadata: Any,
    assign: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
) -> None:
    """Load a module and those in it, and note the keys that do not fit."""
    own = {} if metadata is None else metadata.get(prefix[:-1], {})
    if assign:
        own["assign_to_params_buffers"] = assign
    module._load_from_state_dict(local, prefix, own, True, missing, unexpected, errors)
    for name, child in module._modules.items():
        if child is not None:
            below = prefix + name + "."
            part = {k: v for k, v in local.items() if k.startswith(below)}
            _load(child, part, below, metadata, assign, missing, unexpected, errors)
    keys = _IncompatibleKeys(missing, unexpected)
    for hook in module.__dict__["_load_state_dict_post_hooks"].values():
        if hook(module, keys) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to "
                "return new values, if incompatible_keys need to be modified, it should be done "
                "inplace."
            )


class State:
    """The part of Module that gives its tensors out by name and takes them back."""

    _version: int = 1
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_pre_hooks: dict[int, Callable[..., Any]]

    def get_extra_state(self) -> Any:
        """What else belongs in the state_dict; define it together with `set_extra_state`."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. Please file an issue "
            "at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
        )

    def set_extra_state(self, state: Any) -> None:
        """Take over what `get_extra_state` gave; a Module that has such state defines both."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. Please file an issue "
            "at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
        )

    def _hook(self, where: str, hook: Callable[..., Any]) -> RemovableHandle:
        hooks = self.__dict__[where]
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        return handle

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata)` after state_dict; it returns None."""
        marked: Any = hook
        marked._from_public_api = True
        return self._hook("_state_dict_hooks", hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, prefix, keep_vars)` before state_dict."""
        return self._hook("_state_dict_pre_hooks", hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return self._hook("_state_dict_hooks", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata, strict, missing, unexpected,
        errors)` before loading."""
        return self._hook("_load_state_dict_pre_hooks", ModuleHook(hook, self))

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        return self._hook("_load_state_dict_pre_hooks", ModuleHook(hook, self) if with_module else hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, incompatible_keys)` after loading."""
        return self._hook("_load_state_dict_post_hooks", hook)

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        for name, param in self._parameters.items():
            if param is not None:
                destination[prefix + name] = param if keep_vars or is_lazy(param) else param.detach()
        for name, buf in self._buffers.items():
            if buf is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buf if keep_vars or is_lazy(buf) else buf.detach()
        if type(self).get_extra_state is not State.get_extra_state:
            destination[prefix + _EXTRA] = self.get_extra_state()

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Parameters and persistent buffers by their dotted names, detached, over the same memory.

        >>> import autogradlab as torch
        >>> list(torch.nn.Linear(2, 1).state_dict())
        ['weight', 'bias']
        """
        if args:
            import warnings

            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
        for hook in self.__dict__["_state_dict_hooks"].values():
            found = hook(self, destination, prefix, metadata)
            if getattr(hook, "_from_public_api", False):
                if found is not None:
                    raise RuntimeError("state_dict post-hook must return None")
            elif found is not None:
                destination = found
        return destination

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        for hook in self.__dict__["_load_state_dict_pre_hooks"].values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        persistent = ((k, v) for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set)
        own = {k: v for k, v in itertools.chain(self._parameters.items(), persistent) if v is not None}
        for name, param in own.items():
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            self._load_one(name, key, param, state_dict[key], assign, error_msgs)
        extra = prefix + _EXTRA
        if type(self).set_extra_state is not State.set_extra_state:
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra:
                    first, dot, _ = key[len(prefix) :].partition(".")
                    if first not in (self._modules if dot else own):
                        unexpected_keys.append(key)

    def _load_one(self, name: str, key: str, param: Tensor, given: Any, assign: bool, errors: list[str]) -> None:
        if not isinstance(given, Tensor):
            errors.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(given)}"
            )
            return
        if not is_lazy(param):
            if param.shape == () and tuple(given.shape) == (1,):  # files of PyTorch before 0.4 have such scalars
                given = given[0]
            if given.shape != param.shape:
                errors.append(
                    f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                    f"current model is {param.shape}."
                )
                return
        try:
            _take(self, name, key, param, given, assign)
        except Exception as error:
            done = "swapping" if CONVERSION.swap else "copying"
            errors.append(
                f'While {done} the parameter named "{key}", whose dimensions in the model are {param.size()} and '
                f"whose dimensions in the checkpoint are {given.size()}, an exception occurred : {error.args}."
            )

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Copy values into the parameters and buffers of the same names.

        strict: every name must be there and none more. assign: take over the given tensors instead of copying.
        Errors: RuntimeError that lists what is missing, unexpected or of another size.

        >>> import autogradlab as torch
        >>> a, b = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
        >>> a.load_state_dict(b.state_dict())
        <All keys matched successfully>
        """
        if not hasattr(state_dict, "keys"):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata

        _load(self, state_dict, "", metadata, assign, missing, unexpected, errors)
        if strict:
            if unexpected:
                errors.insert(
                    0, "Unexpected key(s) in state_dict: {}. ".format(", ".join(f'"{k}"' for k in unexpected))
                )
            if missing:
                errors.insert(0, "Missing key(s) in state_dict: {}. ".format(", ".join(f'"{k}"' for k in missing)))
        if errors:
            raise RuntimeError(
                "Error(s) in loading state_dict for {}:\n\t{}".format(type(self).__name__, "\n\t".join(errors))
            )
        return _IncompatibleKeys(missing, unexpected)
