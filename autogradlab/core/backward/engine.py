"""The engine: one walk over the graph that `backward()`, `autograd.grad()` and the stepper all use.

As in PyTorch, a Node runs when every gradient that can reach it has arrived; of those that can run, the one made last
goes first, and AccumulateGrad before all others. Gradients are arrays in a plain backward and Tensors when the
backward itself is recorded (`create_graph=True`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..graph.backend import RAW
from ..graph.node import Edge, Node
from ..runtime import modes
from ..runtime.modes import QUIET
from ..tensor.tensor import Tensor
from .firing import run_recorded, run_slow, tensor_hooks
from .leaves import accumulate, accumulate_nothing, leaf_tensor_hooks
from .validate import checked

__all__ = ["Event", "Task"]

_ndarray = np.ndarray
_add_arrays = np.add
_SMALL = 1024  # below it a new array costs less than the care for an old one


class Event:
    """One step of a walk: `node` got `inputs` and gave `outputs`, one for each of its edges (arrays or Tensors)."""

    __slots__ = ("inputs", "node", "outputs")

    def __init__(self, node: Node, inputs: Any, outputs: tuple[Any, ...]) -> None:
        self.node = node
        self.inputs = inputs
        self.outputs = outputs


class Task:
    """One backward pass.

    roots: edges at which gradients enter; grads: the gradients, Tensors; captures: for each edge in it, its gradient is
    kept instead of (only) passed on; wanted: the Nodes that may run, None for all.
    """

    def __init__(
        self,
        roots: Sequence[Edge],
        grads: Sequence[Tensor | None],
        keep_graph: bool,
        create_graph: bool,
        inputs: Sequence[Edge] | None = None,
        accumulate: bool = True,
    ) -> None:
        self.roots = roots
        self.grads = grads
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.captured: dict[int, Any] = {}
        self.waiting: dict[Node, int] = {}
        self.needed: dict[Node, bool] | None = None
        self.capture_at: dict[Node, list[tuple[int, int]]] = {}
        oldest = 0
        if inputs is not None and not accumulate:
            # edges lead to older Nodes: what was made before every input leads to none of them
            oldest = min([0 if node is None or node.accumulates else node._seq for node, _ in inputs], default=0)
        self._count(oldest)
        if inputs is not None:
            self._select(inputs, accumulate)

    def _count(self, oldest: int) -> None:
        """Count, for every Node that can be reached, the edges that lead to it;
        not beyond Nodes made before `oldest`."""
        waiting = self.waiting
        seen = {node for node, _ in self.roots if node is not None}
        stack = list(seen)
        pop, push = stack.pop, stack.append
        while stack:
            for node, _ in pop().next_functions:
                if node is not None:
                    if node in waiting:
                        waiting[node] += 1
                    else:
                        waiting[node] = 1
                        if not node.accumulates and node._seq >= oldest and node not in seen:
                            push(node)

    def _select(self, inputs: Sequence[Edge], accumulate: bool) -> None:
        """Restrict the walk to the Nodes on a path to `inputs`."""
        needed: dict[Node, bool] = {}
        for i, (node, nr) in enumerate(inputs):
            if node is None:
                continue
            if accumulate:
                needed[node] = True
            else:
                self.capture_at.setdefault(node, []).append((nr, i))
        # depth first, without recursion: a Node is needed if one of its edges leads to an input
        done: set[Node] = set()
        reached = self.waiting
        for root, _ in self.roots:
            stack = [] if root is None else [root]
            while stack:
                node = stack[-1]
                if node in done:
                    stack.pop()
                    continue
                todo = [n for n, _ in node.next_functions if n in reached and n not in done]
                if todo:
                    stack.extend(todo)
                    continue
                done.add(stack.pop())
                if any(
                    n is not None and (needed.get(n, False) or n in self.capture_at) for n, _ in node.next_functions
                ):
                    needed[node] = True
        for node in self.capture_at:
            needed.setdefault(node, False)
        self.needed = needed

    def run(self) -> dict[int, Any]:
        """The whole pass. Returns what was captured, by position in `inputs`."""
        for _ in self.steps(watch=False):
            pass
        return self.captured

    def steps(self, watch: bool = True) -> Iterator[Event]:
        """The pass as a generator: with `watch` it stops after every Node and tells what it did."""
        return self._walk(modes.LOCAL.state, watch, recorded=self.create_graph)

    def _walk(self, local: modes.State, watch: bool, recorded: bool) -> Iterator[Event]:
        waiting, needed, keep_graph = self.waiting, self.needed, self.keep_graph
        heap: list[Node] = []
        buffers: dict[Node, Any] = {}
        #: Nodes whose buffer is an array that nobody else holds: it may be added to, and kept as `.grad`
        owned: set[Node] = set()
        take, look = buffers.pop, buffers.get
        short = not (recorded or watch or local.anomaly)  # whether simple Nodes may go the short way

        for (root, nr), given in zip(self.roots, self.grads, strict=True):
            if root is None:
                continue
            if given is not None:
                _add(buffers, root, nr, given if recorded else given._array)
            if root not in waiting and root not in heap:
                _push(heap, root)

        while heap:
            node = heap.pop() if len(heap) == 1 else _pop(heap)
            grad = take(node, None)
            if needed is not None and not self._arrives(node, grad, recorded, local):
                continue
            if node.accumulates:
                if grad is not None:
                    accumulate(node, grad, recorded, node in owned, local)  # type: ignore[arg-type]
                elif node.hooks is not None or node.variable._meta is not None:  # type: ignore[attr-defined]
                    accumulate_nothing(node, recorded, local)  # type: ignore[arg-type]
                if watch:
                    yield Event(node, grad, ())
                continue
            hooked = node.hooks is not None
            if short and node.simple and not hooked:
                try:
                    outs = QUIET(node.run, grad, RAW)
                except RuntimeError as error:
                    if not modes.busy(error):
                        raise
                    outs = modes.quiet(node.run, grad, RAW)
                if not keep_graph and node.frees:  # type: ignore[attr-defined]
                    if node.keeps:  # type: ignore[attr-defined]
                        node.release()
                    else:
                        node.saved = None
            else:
                outs = run_recorded(node, grad, local) if recorded else run_slow(node, grad, local)
                if not keep_graph:
                    node.release()
            i = -1
            for target, nr in node.next_functions:
                i += 1
                if target is None:
                    continue
                if needed is not None and target not in needed:
                    continue
                left = waiting[target] = waiting[target] - 1
                g = outs[i]
                if g is not None:
                    if not recorded and type(g) is not _ndarray:
                        g = np.asarray(g)
                    if target.multi:
                        if not recorded and (g.shape != target.shape[nr] or g.dtype is not target.dtype[nr]):
                            g = np.asarray(checked(node, i, g, target.shape[nr], target.dtype[nr]))
                        _add(buffers, target, nr, g)
                    elif recorded:
                        before = look(target)
                        buffers[target] = g if before is None else before + g
                    else:
                        if g.shape != target.shape or g.dtype is not target.dtype:
                            g = np.asarray(checked(node, i, g, target.shape, target.dtype))
                        before = look(target)
                        if before is not None or target.accumulates:
                            # whether nobody else holds this array
                            fresh = g is not grad and g.base is None and not (hooked or watch or (i and g is outs[0]))
                            if before is not None:
                                g = _plus(before, g, target in owned, fresh)
                                fresh = True
                            if fresh:
                                owned.add(target)
                        buffers[target] = g
                if not left:
                    if heap:
                        _push(heap, target)
                    else:
                        heap.append(target)
            if watch:
                yield Event(node, grad, outs)

    def _arrives(self, node: Node, grad: Any, recorded: bool, local: modes.State) -> bool:
        """Under `inputs=`: keep what is wanted of a Node's gradient; whether the Node is to run as well."""
        assert self.needed is not None
        run = self.needed.get(node)
        if run is None:
            return False
        if not run:
            grad = (
                leaf_tensor_hooks(node, grad, recorded, local)
                if node.accumulates
                else tensor_hooks(node, grad, recorded, local)
            )
        for nr, place in self.capture_at.get(node, ()):
            self.captured[place] = None if grad is None else grad[nr] if node.multi else grad
        return run


def _plus(a: Any, b: Any, own_a: bool = False, own_b: bool = False) -> Any:
    """The sum of two gradients of one tensor, quietly: in the memory of one that is our own,
    else a new array or Tensor."""
    if type(a) is not _ndarray:
        return a + b
    out = a if own_a else b if own_b else None
    if out is None or out.size < _SMALL:
        args: tuple[Any, ...] = (a, b)
    else:
        args = (a, b, out)
    try:
        total = QUIET(_add_arrays, *args)
    except RuntimeError:
        total = modes.quiet(_add_arrays, *args)
    return total if type(total) is _ndarray else np.asarray(total)


def _add(buffers: dict[Node, Any], node: Node, nr: int, g: Any) -> None:
    """Add a gradient to what a Node that is not ready has received."""
    if node.multi:
        slots = buffers.get(node)
        if slots is None:
            slots = buffers[node] = [None] * len(node.shape)
        slots[nr] = g if slots[nr] is None else _plus(slots[nr], g)
    else:
        before = buffers.get(node)
        buffers[node] = g if before is None else _plus(before, g)


# The ready queue is a binary heap whose ties fall as in libstdc++'s, which PyTorch uses: the order in which the hooks
# of leaves fire depends on it.


def _push(heap: list[Node], node: Node) -> None:
    heap.append(node)
    _sift_up(heap, len(heap) - 1, node)


def _sift_up(heap: list[Node], hole: int, node: Node) -> None:
    while hole:
        parent = (hole - 1) >> 1
        if not heap[parent]._seq < node._seq:
            break
        heap[hole] = heap[parent]
        hole = parent
    heap[hole] = node


def _pop(heap: list[Node]) -> Node:
    top = heap[0]
    last = heap.pop()
    size = len(heap)
    hole = child = 0
    while child < (size - 1) // 2:
        child = 2 * (child + 1)
        if heap[child]._seq < heap[child - 1]._seq:
            child -= 1
        heap[hole] = heap[child]
        hole = child
    if size % 2 == 0 and child == (size - 2) // 2:
        child = 2 * (child + 1)
        heap[hole] = heap[child - 1]
        hole = child - 1
    _sift_up(heap, hole, last)
    return top
