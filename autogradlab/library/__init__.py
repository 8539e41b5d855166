"""Operators of the user's own (mirrors this part of `torch.library`).

A function with a schema becomes one that autograd, functional transforms and tensors without contents take as they take
PyTorch's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ops.operators.schema import Schema
from .custom import CustomOpDef, find
from .defining import Library, define, fallthrough_kernel, impl
from .defining import scoped_library as _scoped_library
from .schema import infer_schema

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "impl",
    "infer_schema",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_vmap",
]


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: Any,
    device_types: Any = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """An operator made of a function; a decorator where no function is given. What the function does is opaque to
    autograd: `register_autograd` tells its derivative.

    Note: the name is `NAMESPACE::NAME`, by which `torch.ops.NAMESPACE.NAME` finds the operator; `mutates_args` names
        the arguments that the function changes; the schema follows from the annotations unless one is given.
    Errors: ValueError for annotations that no schema knows, or a schema that says otherwise than `mutates_args`.

    Example:
        >>> import autogradlab as torch
        >>> @torch.library.custom_op("lesson::double", mutates_args=())
        ... def double(x: torch.Tensor) -> torch.Tensor:
        ...     return x * 2
        >>> double.register_autograd(lambda ctx, grad: grad * 2)
        >>> x = torch.tensor([1.], requires_grad=True)
        >>> torch.ops.lesson.double(x)
        tensor([2.], grad_fn=<GeneratedBackwardFor_lesson_double_defaultBackward>)

    Mirrors `torch.library.custom_op`.
    """

    def define(function: Callable[..., Any]) -> CustomOpDef:
        text = infer_schema(function, mutates_args=mutates_args) if schema is None else schema
        namespace, opname = name.split("::")
        if schema is not None:
            _check_mutated(schema, mutates_args)
        made = CustomOpDef(namespace, opname, text, function)
        made.register_kernel(device_types, function)
        return made

    return define if fn is None else define(fn)


def _check_mutated(schema: str, mutates_args: Any) -> None:
    """Refuse a schema that says of other arguments that they are changed."""
    marked = {a.name for a in Schema("", schema).arguments if a.mutated}
    if marked != set(mutates_args):
        raise ValueError(
            f"Attempted to create a custom op with `mutates_args={mutates_args}` and `schema={schema}. The schema "
            f"suggests that the op mutates {marked}which is different from what was provided to us in `mutates_args`. "
            "Please make these consistent."
        )


def register_autograd(
    op: Any, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None, lib: Any = None
) -> None:
    """The derivative of an operator, which is told by its name or itself; see `CustomOpDef.register_autograd`.

    Example:
        >>> import autogradlab as torch
        >>> @torch.library.custom_op("lesson::triple", mutates_args=())
        ... def triple(x: torch.Tensor) -> torch.Tensor:
        ...     return x * 3
        >>> torch.library.register_autograd("lesson::triple", lambda ctx, grad: grad * 3)
        >>> x = torch.tensor([1.], requires_grad=True)
        >>> triple(x).backward()
        >>> x.grad
        tensor([3.])

    Mirrors `torch.library.register_autograd`.
    """
    find("register_autograd", op).register_autograd(backward, setup_context=setup_context)


def _registering(register: Callable[[Callable[..., Any]], Any], func: Callable[..., Any] | None) -> Any:
    """What a function that may be a decorator returns."""
    return register if func is None else register(func)


def register_fake(op: Any, func: Callable[..., Any] | None = None, /, *, lib: Any = None) -> Any:
    """What an operator gives for tensors of the device "meta"; a decorator where no function is given.

    Mirrors `torch.library.register_fake`.
    """
    return _registering(find("register_fake", op).register_fake, func)


def register_kernel(op: Any, device_types: Any, func: Callable[..., Any] | None = None, /, *, lib: Any = None) -> Any:
    """A kernel of an operator for a device type; a decorator where no function is given.

    Mirrors `torch.library.register_kernel`.
    """
    return find("register_kernel", op).register_kernel(device_types, func)


def register_vmap(op: Any, func: Callable[..., Any] | None = None, /, *, lib: Any = None) -> Any:
    """What an operator gives for rows; a decorator where no function is given.

    Mirrors `torch.library.register_vmap`.
    """
    return _registering(find("register_vmap", op).register_vmap, func)
