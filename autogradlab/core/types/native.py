"""Types that PyTorch writes in C: Python's own errors name their module, as in 'torch.dtype' object is not callable."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["Native"]


class Native(type):
    """The class of such types; `final` ones cannot be subclassed.

    Python's errors show the name with which a type was made: here that is the long one, while `__name__` is the short
    one, as for types written in C. Subclasses that users write have the names that they give.
    """

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], *, final: bool = False, **options: Any
    ) -> Any:
        for base in bases:
            if getattr(base, "_final", False):
                raise TypeError(f"type '{base.__module__}.{base.__name__}' is not an acceptable base type")
        module = namespace.get("__module__")
        if module is None:  # made by type(name, bases, {}): Python would take it from here
            module = namespace["__module__"] = sys._getframe(1).f_globals["__name__"]
        if module.partition(".")[0] != "torch":
            return super().__new__(cls, name, bases, namespace, **options)
        if final:
            namespace = {**namespace, "_final": True}
        return super().__new__(cls, f"{module}.{name}", bases, {**namespace, "__qualname__": name}, **options)

    def __init__(cls, *args: Any, **options: Any) -> None:
        super().__init__(*args)

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        return type.__dict__["__name__"].__get__(cls).rpartition(".")[2]


# `type(torch.dtype)` prints as that of a type written in C
Native.__qualname__ = "type"
Native.__name__ = "type"  # type: ignore[method-assign, assignment]
Native.__module__ = "builtins"
