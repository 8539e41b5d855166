"""What programs ask about scripts and traces, and what they mark for them (mirrors this part of `torch.jit`).

Nothing is scripted or traced here: marks are kept as PyTorch keeps them, and questions have the answers of a program
that Python runs. `script` and `trace` are absent.
"""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeVar, cast, get_args, get_origin

__all__ = [
    "Attribute",
    "Final",
    "annotate",
    "export",
    "ignore",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "optimized_execution",
    "script_if_tracing",
    "strict_fusion",
    "unused",
]

F = TypeVar("F", bound=Callable[..., Any])

_UNUSED = "unused (ignored and replaced with raising of an exception)"
_IGNORED = "ignore (leave as a call to Python, cannot be torch.jit.save'd)"
_EMPTY = (
    "The inner type of a container is lost when calling torch.jit.isinstance in eager mode. For example, List[int] "
    "would become list and therefore falsely return True for List[float] or List[str]."
)
_EXPORTED = "export (compile this function even if nothing calls it)"


class Attribute(NamedTuple):
    """A value with the type that a script would give it.

    Mirrors `torch.jit.Attribute`.
    """

    value: Any
    type: Any


Attribute.__module__ = "torch.jit._script"


def is_scripting() -> bool:
    """Whether the program runs as a script: never.

    Example:
        >>> import autogradlab as torch
        >>> torch.jit.is_scripting()
        False

    Mirrors `torch.jit.is_scripting`.
    """
    return False


def is_tracing() -> bool:
    """Whether the program is being traced: never.

    Mirrors `torch.jit.is_tracing`.
    """
    return False


def _marked(fn: F, mark: str) -> F:
    vars(fn)["_torchscript_modifier"] = mark
    return fn


def unused(fn: F) -> F:
    """Mark a method that no script calls; Python calls it as before.

    Example:
        >>> import autogradlab as torch
        >>> @torch.jit.unused
        ... def double(x):
        ...     return x * 2
        >>> double(3)
        6

    Mirrors `torch.jit.unused`.
    """
    if builtins.isinstance(fn, property):
        for part in (fn.fget, fn.fset):
            if part is not None:
                _marked(part, _UNUSED)
        return fn
    return _marked(fn, _UNUSED)


def export(fn: F) -> F:
    """Mark a method that a script has although nothing calls it.

    Mirrors `torch.jit.export`.
    """
    return _marked(fn, _EXPORTED)


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """Mark a function that a script leaves to Python.

    Errors: RuntimeError for an argument that is neither a function nor a bool.

    Mirrors `torch.jit.ignore`.
    """
    if callable(drop):
        return _marked(drop, _IGNORED)
    if not builtins.isinstance(drop, bool):
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")
    on_export = kwargs.pop("drop_on_export", None)
    if on_export or drop:
        said = "drop_on_export=True" if on_export else "True"
        warnings.warn(
            f"ignore({said}) has been deprecated. TorchScript will now drop the function call on compilation. "
            "Use torch.jit.unused now. {}",
            FutureWarning,
            stacklevel=2,
        )
        drop = on_export or drop
    return lambda fn: _marked(fn, _UNUSED if drop else _IGNORED)


def script_if_tracing(fn: F) -> F:
    """A function that is scripted while something is traced: never, so the same function.

    Mirrors `torch.jit.script_if_tracing`.
    """
    from functools import wraps

    @wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    vars(wrapper).update(__original_fn=fn, __script_if_tracing_wrapper=True)
    return cast(F, wrapper)


def annotate(the_type: Any, the_value: Any) -> Any:
    """A value, with the type that a script would take it for.

    Example:
        >>> import autogradlab as torch
        >>> torch.jit.annotate(list[int], [])
        []

    Mirrors `torch.jit.annotate`.
    """
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Whether an object is of a type, which may say what is in a list, dict or tuple.

    Example:
        >>> import autogradlab as torch
        >>> torch.jit.isinstance([1, 2], list[int]), torch.jit.isinstance([1, 'a'], list[int])
        (True, False)

    Mirrors `torch.jit.isinstance`.
    """
    if builtins.isinstance(target_type, tuple):
        return any(isinstance(obj, one) for one in target_type)
    kind, inner = get_origin(target_type), get_args(target_type)
    if kind is None:
        return builtins.isinstance(obj, target_type)
    if kind in (list, dict, tuple) and obj in ([], {}, ()):
        warnings.warn(_EMPTY, stacklevel=2)
    if kind is set:
        return False
    if kind is list:
        return builtins.isinstance(obj, kind) and all(isinstance(x, inner[0]) for x in obj)
    if kind is dict:
        pairs = obj.items() if builtins.isinstance(obj, dict) else ()
        return builtins.isinstance(obj, dict) and all(
            isinstance(k, inner[0]) and isinstance(v, inner[1]) for k, v in pairs
        )
    if kind is tuple:
        fits = builtins.isinstance(obj, tuple) and len(obj) == len(inner)
        return fits and all(isinstance(x, one) for x, one in zip(obj, inner, strict=True))
    return any(isinstance(obj, one) for one in inner)


@contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """A context in which scripts would be made faster or not.

    Mirrors `torch.jit.optimized_execution`.
    """
    yield


class strict_fusion:
    """A context in which a script would refuse what it cannot fuse; a warning where Python runs.

    Mirrors `torch.jit.strict_fusion`.
    """

    __module__ = "torch.jit"

    def __init__(self) -> None:
        warnings.warn("Only works in script mode", stacklevel=2)

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...
