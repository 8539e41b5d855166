"""Parameters that are computed from others: a Module's tensor becomes a property, its original a parameter of a list.

Mirrors `torch.nn.utils.parametrize`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from typing import Any

from ...autograd.grad_mode import no_grad
from ...core.tensor.tensor import Tensor
from ..modules.container import ModuleDict, ModuleList
from ..modules.module import Module
from ..parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]


class _Cache:
    """Values that were computed within `cached()`, by module and name."""

    def __init__(self) -> None:
        self.depth = 0
        self.values: dict[tuple[int, str], Tensor] = {}


_cache = _Cache()


@contextmanager
def cached() -> Iterator[None]:
    """Within it, a parametrized tensor is computed once, and the same tensor is given each time.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> class Loud(nn.Module):
        ...     def forward(self, x):
        ...         print('computed')
        ...         return 2 * x
        ...
        >>> layer = nn.utils.parametrize.register_parametrization(nn.Linear(2, 2), 'weight', Loud())
        computed
        >>> with nn.utils.parametrize.cached():
        ...     print(layer.weight is layer.weight)
        computed
        True

    Mirrors `torch.nn.utils.parametrize.cached`.
    """
    _cache.depth += 1
    try:
        yield
    finally:
        _cache.depth -= 1
        if not _cache.depth:
            _cache.values.clear()


def _register(module: Module, name: str, tensor: Tensor) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _give(target: Any, values: Any) -> None:
    """Give a tensor the memory of other values, so that it stays the object that an optimizer knows."""
    target.set_(values)


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, and the tensor `original`, or the tensors `original0`, `original1`, …, from
    which they compute it.

    Errors: ValueError where they do not give a tensor of the same shape and dtype.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> class Symmetric(nn.Module):
        ...     def forward(self, x):
        ...         return x.triu() + x.triu(1).T
        ...
        >>> layer = nn.utils.parametrize.register_parametrization(nn.Linear(2, 2), 'weight', Symmetric())
        >>> layer.parametrizations.weight
        ParametrizationList(
          (0): Symmetric()
        )
        >>> layer.parametrizations.weight.original.shape
        torch.Size([2, 2])

    Mirrors `torch.nn.utils.parametrize.ParametrizationList`.
    """

    __module__ = "torch.nn.utils.parametrize"

    is_tensor: bool
    unsafe: bool

    def __init__(self, modules: Sequence[Module], original: Any, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with no_grad():
            new = self._inverted(original)
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                f"{type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if isinstance(new, Tensor) else len(new)
        if isinstance(new, Tensor):
            for name in ("dtype", "device"):
                before, after = getattr(original, name), getattr(new, name)
                if before != after:
                    raise ValueError(
                        f"When `right_inverse` outputs one tensor, it may not change the {name}.\n"
                        f"original.{name}: {before}\nright_inverse(original).{name}: {after}"
                    )
            with no_grad():
                _give(original, new)
            _register(self, "original", original)
        else:
            self._register_each(new, original)
        if not unsafe:
            end = " of the tensor, unless `unsafe` flag"
            _check(self(), shape, dtype, _MAY_NOT, end, "unparametrized ", "parametrized ")

    def _inverted(self, value: Any) -> Any:
        """The original from which the parametrizations make `value`; those without an inverse are passed over."""
        for module in reversed(list(self)):
            inverse = getattr(module, "right_inverse", None)
            if inverse is not None:
                with suppress(NotImplementedError):
                    value = inverse(value)
        return value

    def _original(self, value: Any) -> Any:
        """The same for a `value` that is assigned: it is an error if one of them has no inverse."""
        for module in reversed(list(self)):
            inverse = getattr(module, "right_inverse", None)
            if inverse is None:
                raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
            value = inverse(value)
        return value

    def _register_each(self, tensors: Sequence[Any], original: Any) -> None:
        for i, tensor in enumerate(tensors):
            if not isinstance(tensor, Tensor):
                raise ValueError(
                    f"'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got element {i} "
                    f"of the sequence with type {type(tensor).__name__}."
                )
            if isinstance(original, Parameter):
                tensor = Parameter(tensor, original.requires_grad)
            tensor.requires_grad_(original.requires_grad)
            _register(self, f"original{i}", tensor)

    def right_inverse(self, value: Tensor) -> None:
        """Choose the original such that the parametrized tensor becomes `value`."""
        with no_grad():
            new = self._original(value)
            if self.is_tensor:
                if not isinstance(new, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(new).__name__}")
                if value.dtype != new.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {new.dtype} while `value` has dtype "
                        f"{value.dtype}"
                    )
                _give(self.original, new)
                return
            if not isinstance(new, Sequence):
                raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(new)}.")
            if len(new) != self.ntensors:
                raise ValueError(
                    f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of "
                    f"length {len(new)}."
                )
            for i, tensor in enumerate(new):
                _give(getattr(self, f"original{i}"), tensor)

    def forward(self) -> Tensor:
        """The parametrized tensor."""
        if self.is_tensor:
            x = self[0](self.original)
        else:
            x = self[0](*(getattr(self, f"original{i}") for i in range(self.ntensors)))
        i = 1
        while str(i) in self._modules:  # what parametrizes the original in its turn is a Module of this list, too
            x = self[i](x)
            i += 1
        return x


_MAY_NOT = "Registering a parametrization may not change the "


def _check(made: Any, shape: Any, dtype: Any, start: str, end: str, before: str, after: str) -> None:
    """Refuse a parametrization that changes the shape or the dtype, or whose inverse does."""
    if not isinstance(made, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
    for name, old, new in (("dtype", dtype, made.dtype), ("shape", shape, made.shape)):
        if old != new:
            raise ValueError(f"{start}{name}{end} is enabled.\n{before}{name}: {old}\n{after}{name}: {new}")


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrized tensors, or a given tensor of it is parametrized.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> class Symmetric(nn.Module):
        ...     def forward(self, x):
        ...         return x.triu() + x.triu(1).T
        ...
        >>> layer = nn.utils.parametrize.register_parametrization(nn.Linear(2, 2), 'weight', Symmetric())
        >>> nn.utils.parametrize.is_parametrized(layer)
        True
        >>> nn.utils.parametrize.is_parametrized(layer, 'bias')
        False

    Mirrors `torch.nn.utils.parametrize.is_parametrized`.
    """
    lists = getattr(module, "parametrizations", None)
    if not isinstance(lists, ModuleDict):
        return False
    return len(lists) > 0 if tensor_name is None else tensor_name in lists


def type_before_parametrizations(module: Module) -> type:
    """The class of a module without its parametrizations.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> class Symmetric(nn.Module):
        ...     def forward(self, x):
        ...         return x.triu() + x.triu(1).T
        ...
        >>> layer = nn.utils.parametrize.register_parametrization(nn.Linear(2, 2), 'weight', Symmetric())
        >>> type(layer).__name__
        'ParametrizedLinear'
        >>> nn.utils.parametrize.type_before_parametrizations(layer).__name__
        'Linear'

    Mirrors `torch.nn.utils.parametrize.type_before_parametrizations`.
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def _refuse_pickle(self: Any) -> Any:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
    )


def _deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    """A copy of the same class, whose properties serve both."""
    if id(self) not in memo:
        made = memo[id(self)] = self.__new__(type(self))
        made.__dict__ = deepcopy(self.__dict__, memo)
    return memo[id(self)]


def _add_property(module: Module, name: str) -> None:
    def get(self: Any) -> Tensor:
        parametrization = self.parametrizations[name]
        if not _cache.depth:
            return parametrization()
        key = (id(self), name)
        if key not in _cache.values:
            _cache.values[key] = parametrization()
        return _cache.values[key]

    def give(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, give))


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Parametrize a tensor of a module: `module.weight` becomes parametrization(original).

    Errors: ValueError for a name that is not a parameter or buffer, and where shape or dtype would change.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> class Symmetric(nn.Module):
        ...     def forward(self, x):
        ...         return x.triu() + x.triu(1).T
        ...
        >>> layer = nn.utils.parametrize.register_parametrization(nn.Linear(3, 3), 'weight', Symmetric())
        >>> torch.equal(layer.weight, layer.weight.T)
        True
        >>> [name for name, _ in layer.named_parameters()]
        ['bias', 'parametrizations.weight.original']

    Mirrors `torch.nn.utils.parametrize.register_parametrization`.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        found: Any = module.parametrizations[tensor_name]
        if not unsafe:
            value = getattr(module, tensor_name)
            name = f"module.{tensor_name}"
            made = parametrization(value)
            end = " of the tensor, unless the `unsafe` flag"
            _check(made, value.shape, value.dtype, _MAY_NOT, end, f"{name}.", f"parametrization({name}).")
            _check_inverse(parametrization, made, value, name)
        found.append(parametrization)
        found.unsafe |= unsafe
        return module
    if tensor_name not in module._buffers and tensor_name not in module._parameters:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    made = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        cls = type(module)
        names: dict[str, Any] = {"__module__": "torch.nn.utils.parametrize", "__getstate__": _refuse_pickle}
        if not hasattr(cls, "__deepcopy__"):
            names["__deepcopy__"] = _deepcopy
        module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), names)
        module.parametrizations = ModuleDict()
    _add_property(module, tensor_name)
    module.parametrizations[tensor_name] = made
    return module


def _check_inverse(parametrization: Any, made: Tensor, value: Tensor, name: str) -> None:
    """Refuse a parametrization of a parametrized tensor whose inverse does not lead back to such tensors."""
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(made)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    start = "The tensor returned by parametrization.right_inverse must have the same "
    _check(back, value.shape, value.dtype, start, f" as {name}, unless the `unsafe` flag", f"{name}.", "returned ")


#: what PyTorch says, spaces left out as there, where a parameter cannot take the parametrized values
_NOT_SET = (
    "Calling remove_parametrizations() with leave_parametrized=True for a parameter that is an instance of a tensor "
    "subclass requires set_() to be implemented correctly for the tensor subclass.Alternatively, one can opt into the "
    "swap_tensors pathEither set leave_parametrized=False or provide a working implementationfor set_() in the tensor "
    "subclass or set torch.__future__.set_swap_module_params_on_conversion(True)."
)


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make a tensor an ordinary one again, with its parametrized value or, with leave_parametrized=False, the original.
    Returns the module.

    Errors: ValueError for a tensor that is not parametrized, and with leave_parametrized=False for one that is computed
    from several.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> class Symmetric(nn.Module):
        ...     def forward(self, x):
        ...         return x.triu() + x.triu(1).T
        ...
        >>> layer = nn.utils.parametrize.register_parametrization(nn.Linear(2, 2), 'weight', Symmetric())
        >>> before = layer.weight
        >>> layer = nn.utils.parametrize.remove_parametrizations(layer, 'weight')
        >>> [name for name, _ in layer.named_parameters()]
        ['bias', 'weight']
        >>> torch.equal(layer.weight, before)
        True

    Mirrors `torch.nn.utils.parametrize.remove_parametrizations`.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    found: Any = module.parametrizations[tensor_name]
    if found.is_tensor:
        original = found.original
        if leave_parametrized:
            with no_grad():
                value = getattr(module, tensor_name)
                try:
                    _give(original, value)
                except RuntimeError as error:
                    if isinstance(original, Parameter):
                        raise RuntimeError(_NOT_SET) from error
                    raise
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value.detach()) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Give a module the parametrizations of another, of all its tensors or of one, with the original tensors. Returns
    the module.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> class Symmetric(nn.Module):
        ...     def forward(self, x):
        ...         return x.triu() + x.triu(1).T
        ...
        >>> layer = nn.utils.parametrize.register_parametrization(nn.Linear(2, 2), 'weight', Symmetric())
        >>> other = nn.utils.parametrize.transfer_parametrizations_and_params(layer, nn.Linear(2, 2))
        >>> other.parametrizations.weight.original is layer.parametrizations.weight.original
        True
        >>> torch.equal(other.weight, layer.weight)
        True

    Mirrors `torch.nn.utils.parametrize.transfer_parametrizations_and_params`.
    """
    if not is_parametrized(from_module):
        return to_module
    lists: Any = from_module.parametrizations
    for name in lists if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for parametrization in lists[name]:
            register_parametrization(to_module, name, parametrization)
        target: Any = to_module.parametrizations
        numbered = (f"original{i}" for i in range(lists[name].ntensors)) if not lists[name].is_tensor else ["original"]
        for original in numbered:
            setattr(target[name], original, getattr(lists[name], original))
    return to_module
