"""The short lanes of the engine: a pass over a graph without hooks and without code of the user, with nobody watching.

Nothing can come between two Nodes there, so that no step needs care of its own: `walk` runs on arrays inside one quiet
context, `walk_recorded` on Tensors under one grad mode. Which lane a pass takes is decided before it begins, by what
the graph is (`Reach.plain`); order, sums and errors are those of the full lane (`Task._walk`).
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any

import numpy as np

from ..graph.backend import RAW, TENSORS
from ..graph.node import Node
from ..runtime import modes
from ..tensor.tensor import Tensor
from .leaves import accumulate_tensor, add_to_grad
from .reach import Reach
from .sums import SMALL, add
from .validate import checked, validate

__all__ = ["walk", "walk_recorded"]

_ndarray = np.ndarray
_asarray = np.asarray
_sum = np.add

#: a Node that can run: its place in the order (the youngest first), a number that tells ties apart, and its gradient
Ready = tuple[int, int, Node, Any]


def _enter(reach: Reach, grads: Sequence[Any], buffers: dict[Node, Any], tick: Any) -> list[Ready]:
    """Let the gradients in at the roots: the queue of Nodes that can run."""
    for (root, nr), given in zip(reach.roots, grads, strict=True):
        if root is not None and given is not None:
            add(buffers, root, nr, given)
    queue: list[Ready] = []
    for root in reach.first():
        heappush(queue, (-root._seq, tick(), root, buffers.pop(root, None)))
    return queue


def _capture(reach: Reach, node: Node, grad: Any) -> bool:
    """Under `inputs`: keep what is wanted of a Node's gradient; whether the Node is to run as well."""
    for nr, place in reach.capture_at.get(node, ()):
        reach.captured[place] = None if grad is None else grad[nr] if node.multi else grad
    return bool(reach.needed and reach.needed.get(node))


def walk(reach: Reach, grads: Sequence[Tensor | None], keep_graph: bool) -> None:
    """A plain backward pass; the caller has entered the quiet context."""
    shared, needed = reach.shared, reach.needed
    buffers: dict[Node, Any] = {}
    owned: set[Node] = set()  # Nodes whose buffer is an array that nobody else holds
    leaves: list[tuple[Node, np.ndarray, bool]] = []
    take, look, expected, tick = buffers.pop, buffers.get, shared.get, count().__next__
    queue = _enter(reach, [None if g is None else g._array for g in grads], buffers, tick)
    node: Node | None = None
    grad: Any
    outs: Any
    while True:
        if node is None:
            if not queue:
                return
            _, _, node, grad = heappop(queue)
        if needed is not None and not _capture(reach, node, grad):
            node = None
            continue
        if node.accumulates:  # a root, or a leaf on the way to be captured
            if grad is not None:
                add_to_grad(node.variable, grad, node in owned)  # type: ignore[attr-defined]
            node = None
            continue
        outs = node.run(grad, RAW)
        if not keep_graph and node.frees:
            if node.keeps:
                node.release()
            else:
                node.saved = None
        following: Node | None = None
        i = -1
        for target, nr in node.next_functions:
            i += 1
            if target is None or (needed is not None and target not in needed):
                continue
            g = outs[i]
            left = expected(target, 0)
            if g is not None:
                if type(g) is not _ndarray:
                    g = _asarray(g)
                if target.multi:
                    if g.shape != target.shape[nr] or g.dtype is not target.dtype[nr]:
                        g = _asarray(checked(node, i, g, target.shape[nr], target.dtype[nr]))
                    add(buffers, target, nr, g)
                    if left < 2:
                        g = take(target)
                else:
                    if g.shape != target.shape or g.dtype is not target.dtype:
                        g = _asarray(checked(node, i, g, target.shape, target.dtype))
                    if left or target.accumulates:
                        # whether nobody else holds this array
                        mine = g is not grad and g.base is None and (g is not outs[i - 1] or len(outs) == 1)
                        before = look(target) if left > 1 else take(target, None)
                        if before is not None:
                            if g.size < SMALL:
                                g = _sum(before, g)
                                if type(g) is not _ndarray:
                                    g = _asarray(g)
                            else:
                                g = _sum(before, g, before if target in owned else g if mine else None)
                            mine = True
                        if left > 1:
                            buffers[target] = g
                            if mine:
                                owned.add(target)
                        elif target.accumulates and needed is None:
                            leaves.append((target, g, mine))
                            continue
                        elif mine and target.accumulates:
                            owned.add(target)
            elif left < 2:
                g = take(target, None)
            if left > 1:
                shared[target] = left - 1
            elif following is None:
                following, following_grad = target, g
            else:
                heappush(queue, (-target._seq, tick(), target, g))
        for target, g, mine in leaves:
            add_to_grad(target.variable, g, mine)  # type: ignore[attr-defined]
        leaves.clear()
        outs = g = before = None  # what is not needed any more need not stay until the next Node has run
        node = following
        if node is not None:
            grad = following_grad
            if queue and -node._seq >= queue[0][0]:
                heappush(queue, (-node._seq, tick(), node, grad))
                node = None


def walk_recorded(reach: Reach, grads: Sequence[Tensor | None], keep_graph: bool, local: modes.State) -> None:
    """A backward pass that is itself recorded (`create_graph=True`)."""
    before = local.set_grad(True)
    try:
        _walk_recorded(reach, grads, keep_graph)
    finally:
        local.set_grad(before)


def _walk_recorded(reach: Reach, grads: Sequence[Tensor | None], keep_graph: bool) -> None:
    shared, needed = reach.shared, reach.needed
    buffers: dict[Node, Any] = {}
    tick = count().__next__
    queue = _enter(reach, grads, buffers, tick)
    while queue:
        _, _, node, grad = heappop(queue)
        if needed is not None and not _capture(reach, node, grad):
            continue
        if node.accumulates:
            if grad is not None:
                accumulate_tensor(node.variable, grad, recorded=True)  # type: ignore[attr-defined]
            continue
        outs = validate(node, node.run_recorded(grad, TENSORS))
        if not keep_graph:
            node.release()
        i = -1
        for target, nr in node.next_functions:
            i += 1
            if target is None or (needed is not None and target not in needed):
                continue
            g = outs[i]
            left = shared.get(target, 1) - 1
            if g is not None:
                if target.multi:
                    add(buffers, target, nr, g)
                else:
                    known = buffers.get(target)
                    buffers[target] = g if known is None else known + g
            if left:
                shared[target] = left
            else:
                heappush(queue, (-target._seq, tick(), target, buffers.pop(target, None)))
