"""Module: parameters, buffers and submodules as attributes,
and what is done with all of them (mirrors `torch.nn.Module`)."""

from __future__ import annotations

import sys
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from inspect import signature
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from ...core.graph.node import RemovableHandle
from ...core.runtime.naming import by_name
from ...core.tensor.overriding import another
from ...core.tensor.tensor import Tensor
from ...ops.reference.written import is_compiled
from ..names import typename
from ..parameter import Parameter, is_buffer
from . import hooks as _hooks
from .convert import Convert
from .hooks import GLOBAL, BackwardHook, ModuleHook
from .state import State, _IncompatibleKeys  # noqa: F401 a name that programs import from here

__all__ = ["Module"]

# PyTorch's place for the functions that register hooks for all modules
globals().update({name: hook for name, hook in vars(_hooks).items() if name.startswith("register_module_")})


class _Hooked(ModuleType):
    """This module, with PyTorch's names for the hooks of all Modules, which programs may also set."""


def _published(name: str) -> Any:
    return property(lambda self: getattr(GLOBAL, name), lambda self, value: setattr(GLOBAL, name, value))


for _theirs, _name in {
    "forward_pre_hooks": "forward_pre",
    "forward_hooks": "forward",
    "forward_hooks_with_kwargs": "forward_with_kwargs",
    "forward_hooks_always_called": "forward_always",
    "backward_pre_hooks": "backward_pre",
    "backward_hooks": "backward",
    "is_full_backward_hook": "full",
    "parameter_registration_hooks": "parameter",
    "buffer_registration_hooks": "buffer",
    "module_registration_hooks": "module",
}.items():
    setattr(_Hooked, f"_global_{_theirs}", _published(_name))
sys.modules[__name__].__class__ = _Hooked

_set = object.__setattr__
_BOTH = (
    "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
)
_TABLES = (
    "_backward_pre_hooks",
    "_backward_hooks",
    "_is_full_backward_hook",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


def _forward_unimplemented(self: Module, *input: Any) -> Any:
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


class Module(Convert, State):
    """The base of all layers and models: parameters, buffers and modules that are set as attributes are found
    by parameters(), state_dict(), to(), train(), ….

    Note: write __init__ (which calls super().__init__()) and forward; call the module, not forward, so that
        hooks run.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> class Line(nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.slope = nn.Parameter(torch.tensor([2.]))
        ...     def forward(self, x):
        ...         return self.slope * x
        ...
        >>> model = Line()
        >>> model(torch.tensor([3.]))
        tensor([6.], grad_fn=<MulBackward0>)
        >>> [name for name, _ in model.named_parameters()]
        ['slope']

    Mirrors `torch.nn.Module`.
    """

    dump_patches: bool = False
    T_destination = TypeVar("T_destination", bound=dict[str, Any])
    training: bool
    _is_full_backward_hook: bool | None
    call_super_init: bool = False
    forward: Callable[..., Any] = _forward_unimplemented

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, value in list(vars(cls).items()):
            if is_compiled(value):  # `act = torch.tanh`
                setattr(cls, name, staticmethod(value))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and kwargs:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if not self.call_super_init and args:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        own = self.__dict__
        own["training"] = True
        own["_parameters"] = {}
        own["_buffers"] = {}
        own["_non_persistent_buffers_set"] = set()
        for name in _TABLES:
            own[name] = None if name == "_is_full_backward_hook" else OrderedDict()
        own["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # -- registration ------------------------------------------------------------------------------------------------

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Make `param` a parameter of that name; None reserves the name."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. "
                f"To express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = param if param is None else self._as_hooks_say(GLOBAL.parameter, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Make `tensor` a buffer of that name: state that is not a parameter. persistent: part of the state_dict."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = self._as_hooks_say(GLOBAL.buffer, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def _check_name(self, kind: str, name: Any, registered: dict[str, Any]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in registered:
            raise KeyError(f"attribute '{name}' already exists")

    def add_module(self, name: str, module: Module | None) -> None:
        """Make `module` a submodule of that name."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = self._as_hooks_say(GLOBAL.module, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """The same as `add_module`."""
        self.add_module(name, module)

    # -- attributes --------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        found = own.get("_parameters")
        if found is not None and name in found:
            return found[name]
        found = own.get("_modules")
        if found is not None and name in found:
            return found[name]
        found = own.get("_buffers")
        if found is not None and name in found:
            return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _forget(self, name: str, *tables: str) -> None:
        for table in tables:
            found = self.__dict__.get(table, ())
            if name in found:
                if isinstance(found, set):
                    found.discard(name)
                else:
                    del found[name]
        self.__dict__.pop(name, None)

    def _as_hooks_say(self, hooks: Any, name: str, value: Any) -> Any:
        """What is registered under a name: what the hooks of all Modules make of it."""
        for hook in hooks.values():
            found = hook(self, name, value)
            value = value if found is None else found
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(value, Tensor) and isinstance(value, Parameter):
            if "_parameters" not in own:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_buffers", "_modules", "_non_persistent_buffers_set")
            self.register_parameter(name, value)
            return
        if name in own.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if "_modules" not in own:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_parameters", "_buffers", "_non_persistent_buffers_set")
            own["_modules"][name] = self._as_hooks_say(GLOBAL.module, name, value)
        elif name in own.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            own["_modules"][name] = self._as_hooks_say(GLOBAL.module, name, value)
        elif is_buffer(value) or name in own.get("_buffers", ()):
            self._set_buffer(name, value)
        else:
            _set(self, name, value)

    def _set_buffer(self, name: str, value: Any) -> None:
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"cannot assign '{typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)"
            )
        persistent = vars(value)["persistent"] if is_buffer(value) else name not in self._non_persistent_buffers_set
        register = self.register_buffer
        if (
            getattr(register, "__func__", None) is Module.register_buffer
            or "persistent" in signature(register).parameters
        ):
            register(name, value, persistent)
        elif persistent:
            register(name, value)
        else:
            raise RuntimeError(
                "Registering a non-persistent buffer on a Module subclass that implements register_buffer() without "
                "the persistent argument is not allowed."
            )

    def __delattr__(self, name: str) -> None:
        for table in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(table, ()):
                del self.__dict__[table][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        names = [*super().__dir__(), *self._parameters, *self._modules, *self._buffers]
        return sorted(n for n in set(names) if not n[:1].isdigit())

    # -- calling -----------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        own = self.__dict__
        if "_backward_hooks" not in own:
            self._backward_hooks
        if not (
            own["_backward_hooks"]
            or own["_backward_pre_hooks"]
            or own["_forward_hooks"]
            or own["_forward_pre_hooks"]
            or GLOBAL.forward
            or GLOBAL.forward_pre
            or GLOBAL.backward
            or GLOBAL.backward_pre
        ):
            return self.forward(*args, **kwargs)
        return self._call_with_hooks(args, kwargs)

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        called: set[int] = set()
        try:
            return self._hooked(args, kwargs, called)
        except Exception:
            self._call_always(args, kwargs, called)
            raise

    def _call_always(self, args: tuple[Any, ...], kwargs: dict[str, Any], called: set[int]) -> None:
        """After an error: hooks with always_call still run, and their own errors only warn."""
        result = None
        everywhere = [(n, h, "global ") for n, h in GLOBAL.forward.items() if n in GLOBAL.forward_always]
        own = [(n, h, "") for n, h in self._forward_hooks.items() if n in self._forward_hooks_always_called]
        for n, hook, whose in everywhere + own:
            if n in called:
                continue
            try:
                if n in self._forward_hooks_with_kwargs:
                    found = hook(self, args, kwargs, result)
                else:
                    found = hook(self, args, result)
                result = result if found is None else found
            except Exception as error:
                warnings.warn(
                    f"{whose}module forward hook with ``always_call=True`` raised an exception that was silenced as "
                    f"another error was raised in forward: {error}",
                    stacklevel=4,
                )

    def _hooked(self, args: tuple[Any, ...], kwargs: dict[str, Any], called: set[int]) -> Any:
        for hook in GLOBAL.forward_pre.values():
            found = hook(self, args)
            if found is not None:
                args = found if isinstance(found, tuple) else (found,)
        for n, hook in list(self._forward_pre_hooks.items()):
            if n in self._forward_pre_hooks_with_kwargs:
                found = hook(self, args, kwargs)
                if found is not None:
                    if not (isinstance(found, tuple) and len(found) == 2):
                        raise RuntimeError(
                            f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {found}."
                        )
                    args, kwargs = found
            else:
                found = hook(self, args)
                if found is not None:
                    args = found if isinstance(found, tuple) else (found,)
        local = self.__dict__["_backward_hooks"]
        full = [
            *(GLOBAL.backward.values() if GLOBAL.full is True else ()),
            *(local.values() if self._is_full_backward_hook is True else ()),
        ]
        old = [
            *(GLOBAL.backward.values() if GLOBAL.full is False else ()),
            *(local.values() if self._is_full_backward_hook is False else ()),
        ]
        pre = [*GLOBAL.backward_pre.values(), *self._backward_pre_hooks.values()]
        border = BackwardHook(self, full, pre) if full or pre else None
        if border is not None:
            args = border.setup_input(args)
        result = self.forward(*args, **kwargs)
        for n, hook in [*GLOBAL.forward.items(), *self._forward_hooks.items()]:
            called.add(n)
            if n in self._forward_hooks_with_kwargs or n in GLOBAL.forward_with_kwargs:
                found = hook(self, args, kwargs, result)
            else:
                found = hook(self, args, result)
            if found is not None:
                result = found
        if border is not None:
            if not isinstance(result, (Tensor, tuple)):
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but "
                    f"received {type(result)}",
                    stacklevel=4,
                )
            result = border.setup_output(result)
        if old:
            self._hook_old(old, args, result)
        return result

    def _hook_old(self, hooks: list[Callable[..., Any]], args: tuple[Any, ...], result: Any) -> None:
        """Non-full backward hooks sit on the Node that made the result."""
        first = result
        while not isinstance(first, Tensor):
            first = next(v for v in first.values() if isinstance(v, Tensor)) if isinstance(first, dict) else first[0]
        node = first.grad_fn
        if node is not None:
            for hook in hooks:
                node.register_hook(ModuleHook(hook, self))
            _hooks.warn_non_full(args, result, node)

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before forward; what it returns, if not None, replaces the arguments."""
        handle = self._add("_forward_pre_hooks", hook, prepend, [self._forward_pre_hooks_with_kwargs])
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        return handle

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after forward; what it returns, if not None, replaces the output.

        >>> import autogradlab as torch
        >>> layer = torch.nn.ReLU()
        >>> handle = layer.register_forward_hook(lambda module, args, output: print(output))
        >>> y = layer(torch.tensor([-1., 2.]))
        tensor([0., 2.])
        """
        extra = [self._forward_hooks_with_kwargs, self._forward_hooks_always_called]
        handle = self._add("_forward_hooks", hook, prepend, extra)
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        return handle

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The old form, on the last Node only; use `register_full_backward_hook`."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(_BOTH)
        self._is_full_backward_hook = False
        return self._add("_backward_hooks", hook, False, None)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients of the inputs were computed."""
        if self._is_full_backward_hook is False:
            raise RuntimeError(_BOTH)
        self._is_full_backward_hook = True
        return self._add("_backward_hooks", hook, prepend, None)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` before the gradients of the inputs are computed."""
        return self._add("_backward_pre_hooks", hook, prepend, None)

    def _add(self, table: str, hook: Callable[..., Any], first: bool, extra: Any) -> RemovableHandle:
        hooks = self.__dict__[table]
        handle = RemovableHandle(hooks, extra_dict=extra)
        hooks[handle.id] = hook
        if first:
            hooks.move_to_end(handle.id, last=False)
        return handle

    # -- walking -----------------------------------------------------------------------------------------------------

    def _named_members(
        self, get: Callable[[Module], Any], prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        seen: set[Any] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for where, module in modules:
            for name, value in get(module):
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield where + ("." if where else "") + name, value

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, each once."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters with their dotted names."""
        yield from self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers, each once."""
        for _, buf in self.named_buffers(recurse=recurse):
            yield buf

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their dotted names."""
        yield from self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def children(self) -> Iterator[Module]:
        """The direct submodules."""
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The direct submodules with their names, each once."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """The module itself and all below it."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """The module itself (named "") and all below it with their dotted names."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, prefix + ("." if prefix else "") + name, remove_duplicate)

    def get_submodule(self, target: str) -> Module:
        """The submodule of that dotted name."""
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put `module` in the place of that dotted name."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        *where, name = target.split(".")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        parent = self.get_submodule(".".join(where))
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def _get(self, target: str, what: str) -> Any:
        where, _, name = target.rpartition(".")
        module = self.get_submodule(where)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        value = getattr(module, name)
        if what == "buffer" and name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        if what == "parameter" and not isinstance(value, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return value

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of that dotted name."""
        return self._get(target, "parameter")

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of that dotted name."""
        return self._get(target, "buffer")

    # -- text and copies ---------------------------------------------------------------------------------------------

    def _replicate_for_data_parallel(self) -> Any:
        """A copy whose buffers and modules are its own and which has no parameters: they are set as attributes."""
        replica = self.__new__(type(self))
        replica.__dict__ = {**self.__dict__, "_parameters": {}}
        replica._buffers = replica._buffers.copy()
        replica._modules = replica._modules.copy()
        replica._is_replica = True
        return replica

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        head = extra.split("\n") if extra else []
        lines = [f"({name}): " + _addindent(repr(module), 2) for name, module in self._modules.items()]
        if not lines and len(head) == 1:
            return f"{self._get_name()}({extra})"
        body = [*head, *lines]
        return self._get_name() + "(" + ("\n  " + "\n  ".join(body) + "\n" if body else "") + ")"

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in (*_TABLES, "_non_persistent_buffers_set"):
            if name not in self.__dict__:
                self.__dict__[name] = (
                    None if name == "_is_full_backward_hook" else set() if name.endswith("_set") else OrderedDict()
                )

    __reduce_ex__ = by_name


def named(cls: type, *methods: str) -> None:
    """Give a class of this package copies of methods that it inherits, under its own name, since Python's errors show
    it: `Conv2d.forward() missing 1 required positional argument`."""
    if cls.__module__.partition(".")[0] == __name__.partition(".")[0]:
        for method in methods:
            if method not in vars(cls):
                made = another(getattr(cls, method))
                made.__qualname__ = f"{cls.__name__}.{method}"
                setattr(cls, method, made)


def _addindent(s_: str, numSpaces: int) -> str:
    """Every line but the first, moved to the right."""
    return s_.replace("\n", "\n" + numSpaces * " ")


for _part in (Convert, State):  # methods print the name of the public class: <bound method Module.state_dict of ...>
    for _name, _value in vars(_part).items():
        if isinstance(_value, FunctionType):
            _value.__qualname__ = f"Module.{_name}"
