"""Into a level of vmap and out of it: a dimension of a tensor becomes the one that counts rows, and one again."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.memory.places import moved
from ...core.memory.rows import Rows, levels_of
from ..table.opdef import OPS, op

__all__: list[str] = []


def _leaves(F: Any, grad: Any, input_shape: Any, batch_dim: int, level: int) -> Any:
    return F._remove_batch_dim(grad, level, input_shape[batch_dim], batch_dim)


@op("_add_batch_dim", view=True, vjp={"input": _leaves})
def _add_batch_dim(input: Any, batch_dim: int, level: int) -> Any:
    """A tensor whose dimension batch_dim counts rows from here on: each row is a tensor without it."""
    own = input.levels if type(input) is Rows else ()
    levels = tuple(sorted((*own, level)))
    whole = input.whole if own else input
    return Rows(moved(whole, batch_dim + len(own), levels.index(level)), levels)


@op(
    "_remove_batch_dim",
    view=True,
    vjp={"input": lambda F, grad, level, out_dim: F._add_batch_dim(grad, out_dim, level)},
)
def _remove_batch_dim(input: Any, level: int, batch_size: int, out_dim: int) -> Any:
    """A tensor whose rows of a level lie along its dimension out_dim; each is the whole tensor, if it has no such
    rows."""
    own = input.levels if type(input) is Rows else ()
    if level not in own:
        shape = [*input.shape]
        shape.insert(out_dim, batch_size)
        return np.broadcast_to(np.expand_dims(input, out_dim), tuple(shape))
    rest = tuple([other for other in own if other != level])
    whole = moved(input.whole, own.index(level), len(rest) + out_dim)
    return Rows(whole, rest) if rest else whole


def _summed(F: Any, tangent: Any, input_shape: Any, level: int) -> Any:
    """A tangent that is the same in every row counts once for each."""
    if level in levels_of(tangent._array.shape):
        return F._sum_batch_dim(tangent, level)
    return F.mul_number(tangent, input_shape.lanes[input_shape.levels.index(level)])


@op("_sum_batch_dim", vjp={"input": lambda F, grad: grad}, jvp={"input": _summed})
def _sum_batch_dim(input: Any, level: int) -> Any:
    """The sum of the rows of a level."""
    own = input.levels
    rest = tuple([other for other in own if other != level])
    whole = np.asarray(np.add.reduce(input.whole, own.index(level)))
    return Rows(whole, rest) if rest else whole


def _hide(name: str, leaves: bool) -> None:
    """Let programs look past the Nodes of an entry, since PyTorch's graph is that of the whole tensors. leaves: they
    lead into a vmap, where the engine stops to ask what lies below."""
    node: Any = OPS[name].node_class
    node.hidden = True
    if leaves:
        node.special, node.simple, node.leaves_rows = True, False, True


_hide("_add_batch_dim", False)
_hide("_remove_batch_dim", True)
_hide("_sum_batch_dim", True)
