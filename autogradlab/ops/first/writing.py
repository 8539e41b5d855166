"""Operations that write at places: their in-place form works on the tensor's memory, the other one on a copy of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arguments.declared import declare
from ...core.memory.overlap import check_written
from ...core.recording.record import RAW
from ...core.tensor.tensor import Tensor
from ..table.calls import make_call
from ..table.inplace import recorded_edges, write_in_place
from ..table.opdef import OPS, Op, form_of, offer
from ..table.outputs import same_dtype

__all__ = ["flat", "in_place", "warn_expanded", "writer"]


def warn_expanded(name: str, input: Tensor) -> None:
    """Warn of filling an expanded tensor, as PyTorch does."""
    x = input._array
    if 0 in x.strides and any(s == 0 and n > 1 for s, n in zip(x.strides, x.shape, strict=True)):
        warnings.warn(
            f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this "
            "operation. This also applies to advanced indexing e.g. tensor[mask] = scalar",
            UserWarning,
            stacklevel=3,
        )


def flat(values: list[Any]) -> list[Any]:
    """The values, those in lists and tuples too."""
    return [v for value in values for v in (value if isinstance(value, (list, tuple)) else (value,))]


def in_place(
    op: Op, values: list[Any], write: Callable[..., None], repeatable: bool = False, looks: Any = None
) -> Tensor:
    """Run `write` on the memory of the first argument and record it as `op` in place. `values` are all arguments.

    As in PyTorch the tensor is checked first, then the arguments by `looks`, then whether their memory overlaps.
    """
    if op.differentiates:
        recorded_edges(op, values)
    if looks is not None:
        looks(*op.arrays(values))
    if op.overlap == "whole":
        nested = any(type(v) is list or type(v) is tuple for v in values)
        check_written(values[0], flat(values[1:]) if nested else values[1:], whole=True)
    return write_in_place(op, values, write, repeatable)


def writer(
    declaration: str,
    tensors: str,
    write: Callable[..., None],
    vjp: dict[str, Any],
    *,
    order: Any = "C",
    node: str | None = None,
    shown: dict[str, str] | None = None,
    function: bool = True,
    doc: str = "",
    out: Any = None,
    overlap: str = "whole",
    constants: dict[str, Any] | None = None,
    checked: bool = False,
    looks: Any = None,
) -> Op:
    """The table entry of an operation whose kernel `write(input, …)` changes its first argument.

    It is published under `name` on a copy (in the memory order `order`) and under `name_` in place, where `looks`
    sees the arrays before their memory is looked at.
    """
    name = declare(declaration, doc, out)
    rules: dict[str, Any] = {"overlap": overlap, "constants": constants, "check_out": same_dtype()}
    entry = OPS[name] = Op(name, write, tensors, vjp=vjp, node=node, shown=shown, doc=doc, **rules)
    invoke = entry.invoke

    def on_copy(input: np.ndarray, *args: Any) -> np.ndarray:
        r = np.array(input, order=order)
        invoke(r, *args)
        return r

    def kernel(input: np.ndarray, *args: Any, **kwargs: Any) -> np.ndarray:
        r = np.array(input, order=order)
        write(r, *args, **kwargs)
        return r

    entry.invoke = on_copy
    entry.call = make_call(entry)
    setattr(RAW, name, kernel)

    def form_in_place(entry: Op) -> Callable[..., Any]:
        def forward_(*args: Any, **kwargs: Any) -> Any:
            values = entry.bind(args, kwargs)
            try:
                entry.arrays(values)
            except (AttributeError, TypeError):
                values = entry.coerced(args, kwargs, values)
            return in_place(entry, values, invoke, looks=looks)

        return forward_

    offer(name, entry, form_of, function, function, doc, checked)
    text = f"In-place version of :meth:`{name}`."
    offer(name + "_", entry, form_in_place, function, False, text, checked)
    return entry
