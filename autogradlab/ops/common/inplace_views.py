"""Changing the shape of a tensor in place: t_, transpose_, squeeze_, unsqueeze_,
as_strided_ and what is named after them."""

from __future__ import annotations

from typing import Any

from ...core.recording.inplace import History, check_inplace, commit_array, refuse_captured
from ...core.recording.record import finish, start_node
from ...core.runtime import modes
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor, requires_grad
from ..first.shape import SQUEEZES
from ..table.asking import ask, tell
from ..table.opdef import OPS, Op, composite


def _renumbered(entry: Op, number: int) -> Op:
    """The same operation for its in-place form, whose Node has a number of its own."""
    name = entry.node_name
    node = f"{name.rstrip('0123456789')}{number}"
    vjp = {entry.tensor_names[i]: f.fn for f in entry.formulas for i in f.edges}
    return Op(entry.name, entry.kernel, view=True, node=node, vjp=vjp)


_T, _TRANSPOSE, _UNSQUEEZE = (_renumbered(OPS[n], 1) for n in ("t", "transpose", "unsqueeze"))
_SQUEEZE = [_renumbered(entry, 3 + i) for i, entry in enumerate(SQUEEZES)]


@instead(lambda call, args, kwargs: _asked_in_place(*args))
def reshaped_in_place(input: Tensor, entry: Op, values: list[Any], array: Any = None) -> Tensor:
    """Let `input` be another view of the same memory, `array` or what the entry gives, and record it as the entry."""
    return reshaped(input, entry, values, array)


def reshaped(input: Tensor, entry: Op, values: list[Any], array: Any) -> Tensor:
    """What `reshaped_in_place` does where nobody is asked."""
    local = modes.LOCAL.state
    history = None
    if modes.FLAGS.unusual:
        refuse_captured(input, f"{entry.name}_")
    if local.record and requires_grad(input):
        check_inplace(input, input)
    edges, found = entry.edges(values) if local.record else ([], False)
    if array is None:
        array = entry.kernel(input._array, *values[1:])
    if found:
        saved = entry.saves(values, edges, (input,))
        node = start_node(entry.new_node, tuple(edges), array.shape, array.dtype, saved)
        if not local.plain:
            finish(node, local)
        history = History(input, node, own=True)
    commit_array(input, array, history)
    return input


def _asked_in_place(input: Tensor, entry: Op, values: list[Any], array: Any = None) -> Tensor:
    """The same while a mode is to be asked."""
    before = input._array
    told = tell(entry.name + "_", dict(zip(entry.names, values, strict=False)))
    ask(*told)
    after, input._array = input._array, before
    return reshaped(input, entry, values, after)


@composite("t_", function=False)
def t_(input: Tensor) -> Tensor:
    """In-place version of :meth:`t`."""
    if input._array.ndim > 2:
        if modes.current().record and requires_grad(input):
            check_inplace(input, input)
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {input._array.ndim}D")
    return reshaped_in_place(input, _T, [input])


@composite("transpose_", function=False)
def transpose_(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """In-place version of :meth:`transpose`."""
    return reshaped_in_place(input, _TRANSPOSE, [input, dim0, dim1])


@composite("swapaxes_", function=False)
def swapaxes_(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """In-place version of :meth:`swapaxes`."""
    return transpose_(input, axis0, axis1)


@composite("swapdims_", function=False)
def swapdims_(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """In-place version of :meth:`swapdims`."""
    return transpose_(input, dim0, dim1)


@composite("unsqueeze_", function=False)
def unsqueeze_(input: Tensor, dim: int) -> Tensor:
    """In-place version of :meth:`unsqueeze`."""
    return reshaped_in_place(input, _UNSQUEEZE, [input, dim])


@composite("squeeze_", function=False)
def squeeze_(input: Tensor, dim: Any = None, *more: int) -> Tensor:
    """In-place version of :meth:`squeeze`."""
    if more:
        dim = (dim, *more)
    if dim is None:
        return reshaped_in_place(input, _SQUEEZE[0], [input])
    entry = _SQUEEZE[2 if isinstance(dim, (tuple, list)) else 1]
    return reshaped_in_place(input, entry, [input, dim])
