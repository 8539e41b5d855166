"""Modules that hold others: Sequential, ModuleList, ModuleDict; and lists and dicts of parameters."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from ...core.tensor.tensor import Tensor
from ..names import typename
from ..parameter import Parameter
from .module import Module, _addindent

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def _place(index: Any, n: int) -> int:
    i = operator.index(index)
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of range")
    return i % n if n else i


class Sequential(Module):
    """Modules one after the other: the output of each is the input of the next.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> model = nn.Sequential(nn.Flatten(), nn.Linear(4, 2), nn.ReLU())
        >>> model
        Sequential(
          (0): Flatten(start_dim=1, end_dim=-1)
          (1): Linear(in_features=4, out_features=2, bias=True)
          (2): ReLU()
        )
        >>> model(torch.ones(1, 2, 2)).shape
        torch.Size([1, 2])

    Mirrors `torch.nn.Sequential`.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for key, module in args[0].items():
                self.add_module(key, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def _key(self, index: Any) -> str:
        return list(self._modules)[_place(index, len(self))]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._key(index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: Any) -> None:
        for key in list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]:
            delattr(self, key)
        self._modules = OrderedDict(zip(map(str, range(len(self._modules))), self._modules.values(), strict=True))

    def __len__(self) -> int:
        return len(self._modules)

    def __dir__(self) -> list[str]:
        return [key for key in super().__dir__() if not key.isdigit()]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __add__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        made = Sequential()
        for module in chain(self, other):
            made.append(module)
        return made

    def __iadd__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        for i, module in enumerate(list(other), len(self)):
            self.add_module(str(i), module)
        return self

    def __mul__(self, other: int) -> Sequential:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return Sequential(*list(self) * other)

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Sequential:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        modules = list(self)
        for _ in range(other - 1):
            for module in modules:
                self.append(module)
        return self

    def append(self, module: Module) -> Sequential:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Sequential:
        """Put a module before the one at `index`."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        n = len(self._modules)
        if not -n <= index <= n:
            raise IndexError(f"Index out of range: {index}")
        at = index + n if index < 0 else index
        for i in range(n, at, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(at)] = module
        return self

    def extend(self, sequential: Iterable[Module]) -> Sequential:
        """Add modules at the end."""
        for module in sequential:
            self.append(module)
        return self

    def pop(self, key: Any) -> Module:
        """Take a module out."""
        found: Module = self[key]
        del self[key]
        return found

    def forward(self, input: Any) -> Any:
        """The output of the last module."""
        for module in self.__dict__["_modules"].values():
            input = module(input)
        return input


class ModuleList(Module):
    """A list of modules, which are registered as submodules.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])
        >>> len(layers), len(list(layers.parameters()))
        (2, 4)

    Mirrors `torch.nn.ModuleList`.
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def _key(self, index: Any) -> str:
        return str(_place(index, len(self)))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[self._key(index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: Any) -> None:
        for key in list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]:
            delattr(self, key)
        self._modules = OrderedDict(zip(map(str, range(len(self._modules))), self._modules.values(), strict=True))

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        made = ModuleList()
        for i, module in enumerate(chain(self, other)):
            made.add_module(str(i), module)
        return made

    def __repr__(self) -> str:
        texts = [repr(item) for item in self]
        if not texts:
            return self._get_name() + "()"
        blocks: list[tuple[int, int, str]] = []
        for i, text in enumerate(texts):
            if blocks and blocks[-1][2] == text:
                blocks[-1] = (blocks[-1][0], i, text)
            else:
                blocks.append((i, i, text))
        lines = [
            _addindent(f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}", 2)
            for first, last, text in blocks
        ]
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"

    def __dir__(self) -> list[str]:
        return [key for key in super().__dir__() if not key.isdigit()]

    def insert(self, index: int, module: Module) -> None:
        """Put a module before the one at `index`."""
        for i in range(len(self), index, -1):
            self._modules[str(i)] = self._modules[str(i - 1)]
        self._modules[str(index)] = module

    def pop(self, key: Any) -> Module:
        """Take a module out."""
        found: Module = self[key]
        del self[key]
        return found

    def append(self, module: Module | None) -> ModuleList:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        offset = len(self)
        for i, module in enumerate(modules):
            self.add_module(str(offset + i), module)
        return self


class ModuleDict(Module):
    """A dict of modules, which are registered as submodules.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ModuleDict({'relu': nn.ReLU(), 'tanh': nn.Tanh()})
        ModuleDict(
          (relu): ReLU()
          (tanh): Tanh()
        )

    Mirrors `torch.nn.ModuleDict`.
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Take all modules out."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Take a module out."""
        found: Module = self[key]
        del self[key]
        return found

    def keys(self) -> Container[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> Container[tuple[str, Any]]:
        """The pairs of name and value."""
        return self._modules.items()

    def values(self) -> Container[Any]:
        """The values."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules from a mapping or pairs of name and module."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + type(modules).__name__
            )
        given: Any = modules
        if isinstance(given, (Mapping, ModuleDict)):
            for key in given:
                self[key] = given[key]
            return
        for key, value in _pairs(given, "ModuleDict"):
            self[key] = value


def _pairs(given: Iterable[Any], kind: str) -> Iterator[Any]:
    """The pairs of name and value in a sequence, each after a check that it is one."""
    for j, pair in enumerate(given):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{kind} update sequence element #{j} should be Iterable; is{type(pair).__name__}")
        found: Any = pair
        if len(found) != 2:
            raise ValueError(f"{kind} update sequence element #{j} has length {len(found)}; 2 is required")
        yield found


def _described(value: Any, by_dtype: bool = False) -> str:
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    size = "x".join(str(n) for n in value.shape)
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    name = str(value.dtype) if by_dtype else typename(value)
    return f"{kind} containing: [{name} of size {size}]"


class ParameterList(Module):
    """A list of parameters, which are registered as parameters.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ParameterList([torch.ones(2), torch.zeros(3)])
        ParameterList(
            (0): Parameter containing: [torch.float32 of size 2]
            (1): Parameter containing: [torch.float32 of size 3]
        )

    Mirrors `torch.nn.ParameterList`.
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            made = type(self)()
            for i in range(*idx.indices(len(self))):
                made.append(self[i])
            return made
        return getattr(self, str(_place(idx, len(self))))

    def __setitem__(self, idx: Any, param: Any) -> None:
        if isinstance(param, Tensor) and not isinstance(param, Parameter):
            param = Parameter(param)
        setattr(self, str(_place(idx, len(self))), param)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[i] for i in range(len(self)))

    def __iadd__(self, parameters: Iterable[Any]) -> ParameterList:
        return self.extend(parameters)

    def __dir__(self) -> list[str]:
        return [key for key in super().__dir__() if not key.isdigit()]

    def append(self, value: Any) -> ParameterList:
        """Add a value at the end."""
        i = len(self)
        self._size += 1
        self[i] = value
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add values at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return "\n".join(f"  ({i}): {_described(p, True)}" for i, p in enumerate(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dict of parameters, which are registered as parameters.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.ParameterDict({'w': torch.ones(2)})['w']
        Parameter containing:
        tensor([1., 1.], requires_grad=True)

    Mirrors `torch.nn.ParameterDict`.
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key: str) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        attr = self._key_to_attr(key)
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, attr, value)

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """A copy with the same parameters."""
        return ParameterDict(OrderedDict((k, self[k]) for k in self._keys))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter of a key, which gets `default` if it has none."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Take all values out."""
        for k in list(self._keys):
            del self[k]

    def pop(self, key: str) -> Any:
        """Remove a key and return its value."""
        found = self[key]
        del self[key]
        return found

    def popitem(self) -> tuple[str, Any]:
        """Remove the last pair and return it."""
        key, _ = self._keys.popitem()
        self._keys[key] = None
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, or `default`."""
        return self[key] if key in self else default  # noqa: SIM401 (this is what get means)

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A ParameterDict with these keys, all with one default."""
        return ParameterDict((k, default) for k in keys)

    def keys(self) -> Container[str]:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The pairs of name and value."""
        return ((k, self[k]) for k in self._keys)

    def values(self) -> Iterable[Any]:
        """The values."""
        return (self[k] for k in self._keys)

    def update(self, parameters: Any) -> None:
        """Add parameters from a mapping or pairs of name and value."""
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but got "
                + type(parameters).__name__
            )
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            pairs: Any = parameters.items()
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items())
        else:
            pairs = _pairs(parameters, "ParameterDict")
        for key, value in pairs:
            self[key] = value

    def extra_repr(self) -> str:
        """The arguments that the repr shows."""
        return "\n".join(f"  ({k}): {_described(p)}" for k, p in self.items())

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other: Any) -> ParameterDict:
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        made = other.copy()
        made.update(self)
        return made

    def __ior__(self, other: Any) -> ParameterDict:
        self.update(other)
        return self
