"""Calls that check more than the table does: argument types in PyTorch's words, out= tensors of exactly one dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.tensor.tensor import Tensor
from ...core.types.dims import wrap_dim
from ...core.types.dtypes import _scalar_name, dtype, int64
from ...core.types.return_types import named
from .opdef import Op, publish
from .outputs import C_NAMES
from .signatures import explain

__all__ = ["EXPECTED", "axis", "cxx_name", "exact_out", "number_of", "offer", "tensor_type"]

#: how the operations of this family say that an out= tensor has the wrong dtype: {wanted}, {found} as C++ prints them
EXPECTED = "Expected out tensor to have dtype {}, but got {} instead"


def axis(dim: Any, ndim: int) -> int:
    """A dimension counted from the front; a bool is none."""
    if type(dim) is bool:
        raise TypeError("dim must be int, not bool")
    return wrap_dim(dim, ndim)


def number_of(k: Any) -> int:
    """An integer argument; TypeError for what is none."""
    if type(k) is bool or not isinstance(k, (int, np.integer)):
        raise TypeError(f"must be int, not {type(k).__name__}")
    return int(k)


def cxx_name(kind: dtype) -> str:
    """A dtype as C++ spells its type."""
    return C_NAMES.get(kind.name, kind.name)


def tensor_type(kind: dtype) -> str:
    """A dtype as the tensor type of old."""
    if kind.name in ("bool", "bfloat16"):
        return "CPUBoolType" if kind.name == "bool" else "CPUBFloat16Type"
    return f"torch.{kind._tensor_type}"


def exact_out(values: str, indices: str = "", style: Callable[[dtype], str] = _scalar_name, last: bool = False) -> Any:
    """A check that out= tensors have the input's dtype and, the second one, int64; with PyTorch's message for each.

    style: how a dtype's name is printed. last: the second tensor is checked first.
    """

    def check(input: Tensor, outs: tuple[Tensor, ...]) -> None:
        wanted = [(input.dtype, values), (int64, indices or values)][: len(outs)]
        pairs = list(zip(outs, wanted, strict=True))
        for o, (kind, text) in reversed(pairs) if last else pairs:
            if o.dtype is not kind:
                raise RuntimeError(text.format(style(kind), style(o.dtype)))

    return check


def offer(
    declaration: str,
    entry: Op,
    doc: str,
    *,
    check: Callable[..., None] | None = None,
    choose: Any = None,
    method: bool = True,
    out: Any = None,
) -> Callable[..., Any]:
    """Publish an operation whose TypeErrors and out= checks are PyTorch's.

    choose: picks another entry by the arguments (an overload with a Node of its own).
    """
    name = declare(declaration, doc, out)
    call = entry.call
    fields = entry.outputs

    def written(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        picked = entry if choose is None else choose(args, kwargs) or entry
        out = kwargs["out"]
        outs = (out,) if isinstance(out, Tensor) else tuple(out)
        input = args[0] if args else kwargs.get("input")
        if check is not None and isinstance(input, Tensor):
            check(input, outs)
        r = picked.call_any(*args, **kwargs)
        return named(name + "_out", fields)(r) if isinstance(r, tuple) else r

    def run(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kwargs:
            if kwargs.get("out") is not None:
                return written(args, kwargs)
            kwargs.pop("out", None)
        if choose is not None:
            picked = choose(args, kwargs)
            if picked is not None:
                return picked.call(*args, **kwargs)
        return call(*args, **kwargs)

    def forward(*args: Any, **kwargs: Any) -> Any:
        try:
            return run(args, kwargs)
        except TypeError:
            explain(name, args, kwargs)
            raise

    def of_tensor(*args: Any, **kwargs: Any) -> Any:
        try:
            return run(args, kwargs)
        except TypeError:
            explain(name, args[1:], kwargs, "Tensor")
            raise

    if method:
        publish(name, of_tensor, True, False, doc)
    publish(name, forward, False, True, doc)
    return forward
