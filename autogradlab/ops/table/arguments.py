"""When arguments do not fit: PyTorch's TypeErrors, and numbers that stand for tensors."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, NoReturn

from ...core.arguments.mismatch import refuse_unbound, typename
from ...core.tensor.tensor import Tensor
from ...core.types import dtypes
from ...core.values.promotion import is_number, wrap_number
from .inplace import recorded_edges
from .signatures import explain, lookup

__all__ = [
    "coerce",
    "explain_failed",
    "fitting",
    "old_form",
    "refuse_complex_numbers",
    "refused",
    "reject",
    "taking_old_forms",
]


def reject(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], method: bool = False) -> NoReturn:
    """Raise PyTorch's TypeError for a call whose arguments do not fit; of a method's, the first is its tensor."""
    if method and lookup(name, "Tensor") is not None:
        refuse_unbound(name, args)
        args = args[1:]
        explain(name, args, kwargs, "Tensor")
    else:
        explain(name, args, kwargs)
    shown = ", ".join([typename(a) for a in args] + [f"{k}={typename(v)}" for k, v in kwargs.items()])
    raise TypeError(f"{name}() received an invalid combination of arguments - got ({shown})")


def refused(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise PyTorch's TypeError if the arguments with which an operation failed do not fit its signatures.

    The kernel's own error, which is being handled, is no part of it: PyTorch reads arguments before.
    """
    n = len(args)
    while n > op.required and (n > len(op.defaults) or args[n - 1] is op.defaults[n - 1]):
        n -= 1  # what a form of the operation filled in
    method = op.as_method and lookup(op.name, "Tensor") is not None
    signatures = lookup(op.name, "Tensor") if method else lookup(op.name)
    overloads = () if signatures is None else [form for form in signatures.overloads if not form.deprecated]
    if overloads and n > max(len(form.params) for form in overloads):
        return  # a function that is written in terms of the operation gave it more, and has read its own arguments
    params = [param for form in overloads for param in form.params]
    keywords = {param.name for param in params if param.keyword_only} - {p.name for p in params if not p.keyword_only}
    named = next((i for i in range(n) if i >= op.positional or op.names[i] in keywords), n)
    args, kwargs = args[:named], {**dict(zip(op.names[named:n], args[named:n], strict=True)), **kwargs}
    explain_failed(op.name, args[1:] if method else args, kwargs, "Tensor" if method else None)


def explain_failed(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], space: str | None = None) -> None:
    """`explain` while an error is handled, which is no part of PyTorch's TypeError then."""
    failed = sys.exception()
    try:
        explain(name, args, kwargs, space)
    except TypeError as error:
        error.__context__ = None if failed is None else failed.__context__
        raise


def refuse_complex_numbers(values: Iterable[Any]) -> None:
    """Raise PyTorch's error if a kernel of real numbers failed since a number that it was given is complex."""
    kinds = [t.dtype for v in values for t in (v if isinstance(v, (list, tuple)) else (v,)) if isinstance(t, Tensor)]
    if not kinds or any(kind.is_complex for kind in kinds) or not any(isinstance(v, complex) for v in values):
        return
    first = kinds[0]
    name = "double" if first is dtypes.float64 else "float" if first.is_floating_point else "int64_t"
    raise RuntimeError(f"value cannot be converted to type {name} without overflow") from None


def old_form(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any], method: bool
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The arguments, as they are written today, of a call in one of PyTorch's deprecated forms: `torch.add(x, 2, y)`,
    `torch.addmm(beta, x, alpha, a, b)`, of a method `x.addmm(beta, alpha, a, b)`. Warns
    as PyTorch does; None if the call is none of these."""
    signatures = lookup(name, "Tensor" if method else "torch")
    if signatures is None or not any(overload.deprecated for overload in signatures.overloads):
        return None
    index, values = signatures.bind(args[1:] if method else args, kwargs)
    if not next(overload for overload in signatures.overloads if overload.index == index).deprecated:
        return None
    if method:
        values = {"input": args[0], **values}
    values = {key: value for key, value in values.items() if not (key == "out" and value is None)}
    if is_number(values["input"]):
        values["input"] = wrap_number(values["input"])
    factors: dict[str, Any] = {key: values.pop(key) for key in ("beta", "alpha", "value", "out") if key in values}
    return tuple(wrap_number(v) if is_number(v) else v for v in values.values()), factors


def taking_old_forms(name: str, fn: Any, method: bool) -> Any:
    """The function or method, which also takes its arguments in PyTorch's deprecated order."""

    def forward(*args: Any, **options: Any) -> Any:
        if (
            len(args) > 3
            or (args and not isinstance(args[0], Tensor))
            or (len(args) > 1 and not isinstance(args[1], Tensor))
        ):
            found = old_form(name, args, options, method)
            if found is not None:
                return fn(*found[0], **found[1])
        return fn(*args, **options)

    return forward


def fitting(op: Any, fn: Any) -> Any:
    """The in-place form of an operation, which refuses, in PyTorch's words, tensors of another shape than the result.

    `op.fits` tells that shape.
    """

    def forward_(input: Any, *args: Any, **options: Any) -> Any:
        if len(args) == 2 and isinstance(input, Tensor) and all(isinstance(a, Tensor) for a in args):
            try:
                made = op.fits(*(a._array for a in args))
            except IndexError:
                made = input._array.shape
            if input._array.shape != made:
                recorded_edges(op, [input, *args])  # raises if the tensor must not be changed at all
                try:
                    op.call(input, *args, **options)
                except RuntimeError as error:  # a kernel that is missing is missed after the shapes
                    if not isinstance(error, NotImplementedError) and not str(error).startswith(
                        ("expand(", "The expanded size")
                    ):
                        raise
                raise RuntimeError(
                    f"Bad in-place call: input tensor size {list(input.shape)} and output tensor size "
                    f"{list(made)} should match"
                )
        return fn(input, *args, **options)

    return forward_


def coerce(operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any], values: list[Any], name: str) -> list[Any]:
    """Arguments in which numbers were made tensors; PyTorch's TypeError if something else stands for a tensor."""
    values = list(values)
    for place in operation.tensor_places:
        value = values[place]
        if place == operation.list_place:
            if not isinstance(value, (list, tuple)) or not all(isinstance(v, Tensor) for v in value):
                reject(name, args, kwargs, operation.as_method)
        elif value is not None and not isinstance(value, Tensor):
            if place == operation.tensor_places[0] or not is_number(value) or not operation.numbers:
                reject(name, args, kwargs, operation.as_method)
            values[place] = wrap_number(value)
    return values
