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
from ...core.types.dtypes import _scalar_name
from ..table.calls import make_call
from ..table.inplace import write_in_place
from ..table.opdef import OPS, Op, publish
from ..table.outputs import C_NAMES

__all__ = ["exact_out", "flat", "in_place", "warn_expanded", "writer"]


_SAME = "Expected out tensor to have dtype {0}, but got {1} instead"


def exact_out(entry: Op, message: str = _SAME, wanted: Any = None) -> None:
    """Refuse an out= whose dtype is not exactly that of the result, in C's names or (`{2}`, `{3}`) PyTorch's."""
    general = entry.call_any

    def call_any(*args: Any, **kwargs: Any) -> Any:
        out = kwargs.get("out")
        if isinstance(out, Tensor) and args:
            first = args[0][0] if isinstance(args[0], (tuple, list)) else args[0]
            expected = wanted or first.dtype
            if out.dtype is not expected:
                names = [C_NAMES.get(d.name, d.name) for d in (expected, out.dtype)]
                raise RuntimeError(message.format(*names, *(_scalar_name(d) for d in (expected, out.dtype))))
        return general(*args, **kwargs)

    entry.call_any = call_any


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


def in_place(op: Op, values: list[Any], write: Callable[..., None], repeatable: bool = False) -> Tensor:
    """Run `write` on the memory of the first argument and record it as `op` in place. `values` are all arguments."""
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
) -> Op:
    """The table entry of an operation whose kernel `write(input, …)` changes its first argument.

    It is published under `name` on a copy (in the memory order `order`) and under `name_` in place.
    """
    name = declare(declaration, doc, out)
    entry = OPS[name] = Op(name, write, tensors, vjp=vjp, node=node, shown=shown, doc=doc, overlap=overlap)
    invoke = entry.invoke

    def on_copy(input: np.ndarray, *args: Any) -> np.ndarray:
        r = np.array(input, order=order)
        invoke(r, *args)
        return r

    def kernel(input: np.ndarray, *args: Any, **kwargs: Any) -> np.ndarray:
        r = np.array(input, order=order)
        write(r, *args, **kwargs)
        return r

    exact_out(entry)
    entry.invoke = on_copy
    entry.call = make_call(entry)
    setattr(RAW, name, kernel)
    call = entry.call

    def forward(*args: Any, **kwargs: Any) -> Any:
        return call(*args, **kwargs)

    def forward_(*args: Any, **kwargs: Any) -> Any:
        values = entry.bind(args, kwargs)
        try:
            entry.arrays(values)
        except (AttributeError, TypeError):
            values = entry.coerced(args, kwargs, values)
        return in_place(entry, values, invoke)

    publish(name, forward, function, function, doc)
    publish(name + "_", forward_, function, False, f"In-place version of :meth:`{name}`.")
    return entry
