"""Classes under the module names that PyTorch has them in, and how pickle finds them in this package."""

from __future__ import annotations

import copyreg
from importlib import import_module
from typing import Any

__all__ = ["again", "by_call", "by_name", "called", "lookup", "new_object", "place"]

_PACKAGE = __name__.partition(".")[0]

#: what pickle makes an object of a class with
new_object: Any = vars(copyreg)["__newobj__"]


def place(cls: type, module: str) -> None:
    """Name the module that PyTorch has a class in.

    `typing.get_type_hints`, of the class and of every subclass, reads annotations that are text with the names of that
    module, which need not be there: so they are evaluated here, with those of the module that the class is written in.
    """
    import inspect  # which `import autogradlab` does without

    found = inspect.get_annotations(cls, eval_str=True)
    if found:
        cls.__annotations__ = found
    cls.__module__ = module


def lookup(inside: str, name: str) -> Any:
    """What this package has under a name in a module (`inside` torch), or in one around it; None for what it has
    not."""
    parts = inside.split(".")
    for n in range(len(parts), -1, -1):
        try:
            found = getattr(import_module(".".join([_PACKAGE, *filter(None, parts[:n])])), name, None)
        except ModuleNotFoundError:
            continue
        if found is not None:
            return found
    return None


def again(inside: str, name: str, *args: Any) -> Any:
    """An object of a class of this package as pickle makes it: before its state is put back."""
    cls = lookup(inside, name)
    return cls.__new__(cls, *args)


def called(inside: str, name: str, *args: Any) -> Any:
    """The result of a call of a class of this package."""
    return lookup(inside, name)(*args)


def by_name(x: Any, protocol: Any) -> Any:
    """`__reduce_ex__` of classes that carry PyTorch's names for their modules: there pickle would look for them."""
    home, _, inside = type(x).__module__.partition(".")
    if home != "torch":
        return object.__reduce_ex__(x, protocol)
    found: Any = object.__reduce_ex__(x, 2)
    make, args, *rest = found
    if make is not new_object:
        return make, args, *rest
    return again, (inside, type(x).__qualname__, *args[1:]), *rest


def by_call(x: Any, *args: Any) -> Any:
    """What such a class's `__reduce_ex__` gives for an object that a call of the class makes."""
    home, _, inside = type(x).__module__.partition(".")
    return (called, (inside, type(x).__qualname__, *args)) if home == "torch" else (type(x), args)
