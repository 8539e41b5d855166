"""Classes under the module names that PyTorch has them in."""

from __future__ import annotations

import inspect

__all__ = ["place"]


def place(cls: type, module: str) -> None:
    """Name the module that PyTorch has a class in.

    `typing.get_type_hints`, of the class and of every subclass, reads annotations that are text with the names of that
    module, which need not be there: so they are evaluated here, with those of the module that the class is written in.
    """
    found = inspect.get_annotations(cls, eval_str=True)
    if found:
        cls.__annotations__ = found
    cls.__module__ = module
