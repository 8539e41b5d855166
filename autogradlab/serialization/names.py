"""Names of a file that is read with weights_only=False: which classes and functions they mean, and what may be called.

Such a file may hold objects of any class that is there. They are made as pickle makes them, without a call of the
class; what is called are the functions of TRUSTED, this package's own classes and enumerations. A name such as
os.system does nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum, EnumType
from functools import partial
from importlib import import_module
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from ..core.runtime.naming import lookup

__all__ = ["TRUSTED", "give_state", "loaded", "may_call", "own", "public"]

_PACKAGE = __name__.partition(".")[0]
#: modules of this package that PyTorch has elsewhere
_ELSEWHERE = {
    "nn.functions": "torch.nn.functional",
}
#: and PyTorch's compiled modules, with the module that has their functions here
_COMPILED = {"_C._nn": "nn.functional", "_C._fft": "fft", "_C._linalg": "linalg", "_C._special": "special"}
#: and what it keeps functions and methods in
_OWNERS = {"_VariableFunctions", "_VariableFunctionsClass"}


def _at_home(x: Any) -> bool:
    """Whether this is a class, an object or the namespace of this package."""
    kind = x if isinstance(x, type) else type(x)
    home = ("torch", _PACKAGE)
    return any(c.__module__.partition(".")[0] in home for c in kind.__mro__) or x is sys.modules[_PACKAGE]


def _attribute(x: Any, name: str) -> Any:
    """getattr, of what this package has: a method, a function of the namespace. So Python 3.11.0 to 3.11.3 write the
    member of an enumeration, too."""
    if isinstance(x, EnumType):
        return x[name]
    if not _at_home(x):
        raise TypeError("only attributes of tensors, Modules and the like are looked up")
    return getattr(x, name)


def _made_by(module: str, *names: str) -> dict[str, Callable[..., Any]]:
    """Classes of Python's library, whose module is imported when one is called."""

    def make(name: str, *args: Any) -> Any:
        return getattr(import_module(module), name)(*args)

    return {f"{module}.{name}": partial(make, name) for name in names}


_ARRAY: Any = np.empty(0).__reduce__()[0]
_NUMBER: Any = np.float64(0).__reduce__()[0]
#: what may be called beside this package's classes: it makes an object of its arguments and does nothing else
TRUSTED: dict[str, Callable[..., Any]] = {
    "builtins.getattr": _attribute,
    "numpy.dtype": np.dtype,
    **{f"numpy.{core}.multiarray._reconstruct": _ARRAY for core in ("core", "_core")},
    **{f"numpy.{core}.multiarray.scalar": _NUMBER for core in ("core", "_core")},
    "builtins.type": lambda x: type(x),
    **_made_by("array", "array"),
    **_made_by("builtins", "frozenset", "slice", "range"),
    **_made_by("collections", "defaultdict", "deque"),
    **_made_by("datetime", "date", "datetime", "time", "timedelta", "timezone"),
    **_made_by("decimal", "Decimal"),
    **_made_by("fractions", "Fraction"),
    **_made_by("functools", "partial"),
    **_made_by("numpy.random._pickle", "__bit_generator_ctor", "__randomstate_ctor"),
    **_made_by("operator", "attrgetter", "itemgetter"),
    **_made_by("pathlib", "Path", "PosixPath", "PurePath", "PurePosixPath", "PureWindowsPath", "WindowsPath"),
    **_made_by("random", "Random"),
    **_made_by("re", "_compile"),
    **_made_by("types", "SimpleNamespace"),
}


def may_call(x: Any) -> bool:
    """Whether a file may call it: a class of this package, an enumeration, whose call finds a member, or one of
    Python's own exceptions."""
    if not isinstance(x, type):
        return False
    error = issubclass(x, BaseException) and x.__module__ == "builtins"
    return error or issubclass(x, Enum) or x.__module__.partition(".")[0] in ("torch", _PACKAGE)


def own(module: str, name: str) -> Any:
    """What this package has under a name of PyTorch, in the module of that name or in one around it; None for what
    it has not."""
    if name in _OWNERS:
        return sys.modules[_PACKAGE]
    if (module, name) == ("torch._C", "TensorBase"):
        name = "Tensor"
    inside = module.partition(".")[2]
    if inside in _COMPILED:
        inside = _COMPILED[inside]
        name = name.removeprefix(inside.rpartition(".")[2] + "_")
    return lookup(inside, name)


def loaded(module: str, name: str) -> Any:
    """A class, or a function that is not one of Python's library, in a module that this program has imported; None
    for others. Errors: AttributeError if the module has nothing of this name."""
    place: Any = sys.modules.get(module)
    if place is None:
        return None
    found: Any = place
    for part in name.split("."):
        if not hasattr(found, part):
            raise AttributeError(f"Can't get attribute {name!r} on {place!r}")
        found = getattr(found, part)
    if isinstance(found, type) or found is Ellipsis or found is NotImplemented:
        return found
    python_s = module != "__main__" and module.partition(".")[0] in sys.stdlib_module_names
    return found if isinstance(found, (FunctionType, BuiltinFunctionType)) and not python_s else None


def public(x: Any) -> tuple[str, str]:
    """The module and name by which a file refers to a class or function; what this package has, by PyTorch's."""
    module, name = x.__module__, x.__qualname__
    package, _, inside = module.partition(".")
    family = f"_C._{name.partition('_')[0]}"
    if module == "torch" and family in _COMPILED:
        return f"torch.{family}", name
    if package != _PACKAGE:
        return module, name
    for here, there in _ELSEWHERE.items():
        if inside == here or inside.startswith(here + "."):
            return there, name
    return f"torch.{inside}" if inside else "torch", name


def give_state(x: Any, state: Any) -> None:
    """Give an object the attributes that pickle kept: by its `__setstate__`, or in its `__dict__` and slots."""
    if hasattr(x, "__setstate__"):
        x.__setstate__(state)
        return
    slots = None
    if isinstance(state, tuple) and len(state) == 2:
        state, slots = state
    if state:
        x.__dict__.update(state)
    for name, value in (slots or {}).items():
        setattr(x, name, value)
