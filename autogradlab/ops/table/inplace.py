"""In-place forms: how entries of the op table go through the protocol of `core/recording/inplace.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...core.graph.node import NO_EDGE, Edge, Node, name_in_messages
from ...core.memory.layout import ITERATING
from ...core.memory.overlap import check_apart, check_written, crossing, detached_copy, in_order
from ...core.memory.rows import Rows, copied, each, levels_of
from ...core.recording.inplace import History, check_inplace, commit, commit_by, refuse_captured
from ...core.recording.record import Overwritten, SavedOutput, finish, pack, start_node
from ...core.runtime import errors, modes
from ...core.runtime.warn import warn, warn_of_slow_rows
from ...core.tensor.tensor import Tensor, requires_grad, wrap
from ...core.values.promotion import broadcast_shapes, check_cast, common_dtype
from .families import OPS

if TYPE_CHECKING:
    from .opdef import Op

__all__ = [
    "change",
    "check_stored",
    "flat",
    "in_place",
    "prepare",
    "recorded_edges",
    "refuse_rows_as",
    "refuse_rows_in_place",
    "rows_beyond",
    "settle",
    "warn_expanded",
    "warn_filled",
    "write_in_place",
]


def recorded_edges(op: Op, values: list[Any]) -> Sequence[Edge] | None:
    """The edges of the Node of an in-place operation on the first value, which is checked; None if none is recorded.

    As in PyTorch the dtype does not matter: integers that are compared in place with what requires grad get a history.
    """
    if not (modes.LOCAL.state.record and (op.differentiates or op.cuts)):
        return None
    if op.list_place is None:
        for place in op.edge_places:
            t = values[place]
            if t is not None and t._edge is not NO_EDGE:
                break
        else:  # none of them is a view or requires grad, as of most
            return None
    # before the edges are asked for, which a view whose base has changed gets anew
    early = values[0]._view is not None and any(isinstance(v, Tensor) and requires_grad(v) for v in values)
    if early:
        _check(op, values[0])
    edges, found = op.edges(values)
    if not found:
        return None
    if not early:
        _check(op, values[0])
    return edges


def _check(op: Op, input: Tensor) -> None:
    if modes.FLAGS.unusual:  # transforms look first
        refuse_captured(input, op.node_in_place().in_place)
    check_inplace(input)


def prepare(op: Op, values: list[Any], edges: Sequence[Edge], cls: Any = None) -> Node:
    """The Node of an operation that is about to change its first value in place.

    It saves a copy of what is overwritten. Of other tensors in the same memory it saves the version that they have now:
    when backward needs them, they are found to be modified.
    """
    input: Tensor = values[0]
    cls = cls or op.node_in_place()
    saved = list(values)
    if op.saves_input(edges):
        x = input._array
        saved[0] = wrap(copied(x))
        saved[0]._edge = cloned(edges[0], x) if op.edge_places[0] == 0 else NO_EDGE
    shared = input._counter
    for place in op.tensor_places[1:]:
        value = values[place]
        if type(value) is list or type(value) is tuple:
            saved[place] = [_saved_now(v, input, cls) if v is input or v._counter is shared else v for v in value]
        elif value is not None and (value is input or (value._counter is shared and type(shared) is list)):
            saved[place] = _saved_now(value, input, cls)
    array = input._array
    node = start_node(cls, tuple(edges), array.shape, array.dtype, op.saves(saved, edges, (input,), 1))
    local = modes.LOCAL.state
    if not local.plain:
        finish(node, local, outputs=False)
    return node


def cloned(edge: Edge, x: np.ndarray) -> Edge:
    """The edge of the copy of an array that is about to be overwritten: the copy is recorded, as PyTorch's is."""
    if edge is NO_EDGE:
        return edge
    node = start_node(OPS["clone"].new_node, (edge,), x.shape, x.dtype, ())
    local = modes.LOCAL.state
    if not local.plain:
        finish(node, local)
    return node


def _saved_now(t: Tensor, input: Tensor, cls: type[Node]) -> Overwritten:
    """What is saved of a tensor that shares its memory with `input`, and the name of the Node that it will have."""
    if not requires_grad(t) and t is not input:
        origin = ""
    elif t._view is not None:
        origin = "AsStrided"
    else:
        origin = name_in_messages(cls.__name__) if input._view is None else "torch::autograd::CopySlices"
    return Overwritten(t, origin)


def settle(node: Node | None) -> None:
    """What remains to be done with a new Node after the change: outputs that it saves go through saved-tensor hooks."""
    local = modes.LOCAL.state
    if node is not None and local.saved_hooks and any(type(item) is SavedOutput for item in node.saved):
        pack(node, local.saved_hooks[-1], inputs=False)


def check_stored(target: np.ndarray, r: Any) -> None:
    """PyTorch's errors if the type or the shape of a result does not fit the memory that it goes to."""
    if r.shape != target.shape:
        raise RuntimeError(errors.OUT_BROADCAST.format(list(target.shape), list(r.shape)))
    found = r.dtype
    if found is not target.dtype:
        check_cast(found, target.dtype)


def change(op: Op, values: list[Any], given: list[Any], checked: bool = True) -> Tensor:
    """An operation in place on its first value: its result takes the place of the values that are there."""
    input: Tensor = values[0]
    edges = recorded_edges(op, values)
    target = input._array
    node = None if edges is None else prepare(op, values, edges)
    if node is None and modes.FLAGS.unusual:
        refuse_captured(input, op.node_in_place().in_place)
    if (0 in target.strides and op.overlap != "own") or (len(op.tensor_places) > 1 and type(input._counter) is list):
        check_written(input, values if checked else ())
    try:
        r = None
        if input._view is not None and (op.elementwise or op.kernel in ITERATING) and crossing(target):
            r = modes.quiet(in_order, op.invoke, target, *given)
        if r is None:
            r = modes.quiet(op.invoke, *given)
    except NotImplementedError as error:
        if op.kernel in ITERATING and str(error).startswith('"'):  # a kernel is looked for when shapes are known
            shape = broadcast_shapes(*(a.shape for a in given if isinstance(a, np.ndarray)))
            if shape != target.shape:
                raise RuntimeError(errors.OUT_BROADCAST.format(list(target.shape), list(shape))) from None
            check_cast(common_dtype(values), target.dtype)
        raise
    check_stored(target, r)
    if node is None:
        commit(input, r)
        return input
    commit(input, r, History(input, node))
    settle(node)
    return input


def _of_rows(given: list[Any]) -> bool:
    """Whether an argument of a kernel is of rows."""
    return any(type(getattr(x, "_array", x)) is Rows for x in flat(given))


def refuse_rows_in_place(op: Op, values: Sequence[Any]) -> None:
    """Refuse tensors of rows beside a first one that is of none, whose memory has no place for what each gives."""
    target, beyond = rows_beyond(values)
    if not beyond:
        return
    called = op.node_in_place().in_place
    if op.in_rows == "broadcast":  # those are left to what is around the vmap
        refuse_captured(values[0], called)
        own = levels_of(target.shape)
        lanes = [n for level, n in zip(beyond[0].levels, beyond[0].lanes, strict=True) if level not in own]
        shape = broadcast_shapes(target.shape, *[x.shape for x in beyond])
        raise RuntimeError(errors.OUT_BROADCAST.format(list(target.shape), [*lanes, *shape]))
    if op.in_rows:
        refuse_rows_as("inplace arithmetic" if op.in_rows == "arithmetic" else op.name + "_")
    warn_of_slow_rows(called)
    missing = {level for x in beyond for level in x.levels}.difference(levels_of(target.shape))
    place = next((place for level, _, _, place in reversed(modes.LOCAL.state.mapped) if level in missing), 0)
    raise RuntimeError(errors.ROWS_INPLACE.format(f"aten::{op.name}_", f"at level {place}"))


def refuse_rows_as(name: str) -> NoReturn:
    """The error for tensors of rows, by the name that PyTorch's own rule for an operation has."""
    raise RuntimeError(errors.ROWS_INPLACE.format(name, "in a vmap"))


def rows_beyond(values: Sequence[Any]) -> tuple[Any, list[Rows]]:
    """The array of the first tensor, and those of the others that are of rows which it has not."""
    target = values[0]._array
    own = levels_of(target.shape)
    arrays = [x for v in flat(values[1:]) if type(x := getattr(v, "_array", None)) is Rows]
    return target, [x for x in arrays if not set(x.levels).issubset(own)]


def _apart(input: Tensor, values: list[Any]) -> bool:
    """Whether no other argument shares the memory of the first one."""
    count = input._counter
    return type(count) is not list or not any(getattr(v, "_counter", None) is count for v in values[1:])


def write_in_place(
    op: Op, values: list[Any], write: Callable[..., None], repeatable: bool = False, given: list[Any] | None = None
) -> Tensor:
    """The same where `write` changes the memory of its first argument here and there, as scatter does.

    It works on a copy that then takes the place of the values, unless it is `repeatable`: to run it twice is to run it
    once. given: the arguments with arrays in the place of tensors, if they are known.
    """
    input: Tensor = values[0]
    edges = recorded_edges(op, values) if op.differentiates else None
    node = None if edges is None else prepare(op, values, edges, op.node_class)
    history = None if node is None else History(input, node)
    if node is None and modes.FLAGS.unusual:
        refuse_captured(input, op.node_in_place().in_place)
    if given is None:
        given = op.arrays(values)
    target = given[0]
    if modes.FLAGS.rows and _of_rows(given):
        refuse_rows_in_place(op, values)
        given[0] = target.copy("K")
        each(write, given)
        commit(input, given[0], history)
        settle(node)
        return input
    lazy = type(target) is not np.ndarray
    if not lazy and ((repeatable and _apart(input, values)) or 0 in target.strides):
        commit_by(input, modes.quiet, write, *given, history=history)
    else:
        if lazy:
            check_apart(target)
        given[0] = detached_copy(target)[0] if crossing(target) else target.copy("K")
        modes.quiet(write, *given)
        commit(input, given[0], history)
    settle(node)
    return input


def warn_filled(name: str, line: int) -> None:
    """PyTorch's warning, from that line of its sources, of filling an expanded tensor."""
    warn(
        f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this "
        "operation. This also applies to advanced indexing e.g. tensor[mask] = scalar",
        at=f"aten/src/ATen/native/TensorAdvancedIndexing.cpp:{line}",
    )


def warn_expanded(op: Op, values: list[Any], line: int) -> None:
    """Warn of filling an expanded tensor, the first of the values, as PyTorch does once it may be changed."""
    x = values[0]._array
    if x.size and 0 in x.strides and any(s == 0 and n > 1 for s, n in zip(x.strides, x.shape, strict=True)):
        recorded_edges(op, values)
        warn_filled(op.name + "_", line)


def flat(values: Sequence[Any]) -> list[Any]:
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
    given = op.arrays(values)
    if looks is not None:
        looks(*given)
    if op.overlap == "whole":
        check_written(values[0], flat(values[1:]), whole=True)
    return write_in_place(op, values, write, repeatable, given)
