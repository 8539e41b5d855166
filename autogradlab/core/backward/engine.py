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
from .plain import walk, walk_recorded
from .reach import Reach
from .sums import add, plus
from .validate import checked

__all__ = ["Event", "Task"]

_ndarray = np.ndarray


class Event:
    """One step of a walk: `node` got `inputs` and gave `outputs`, one for each of its edges (arrays or Tensors)."""

    __slots__ = ("inputs", "node", "outputs")

    def __init__(self, node: Node, inputs: Any, outputs: tuple[Any, ...]) -> None:
        self.node = node
        self.inputs = inputs
        self.outputs = outputs


class Task:
    """One backward pass.

    roots: edges at which gradients enter; grads: the gradients, Tensors; inputs: where the pass ends, if not at the
    leaves; accumulate: whether their gradients are added to `.grad`, or given back by `run`.
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
        self.grads = grads
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.reach = Reach(roots, inputs, accumulate)

    def run(self) -> dict[int, Any]:
        """The whole pass. Returns what was captured, by position in `inputs`."""
        local = modes.LOCAL.state
        if not self.reach.plain or local.anomaly:
            for _ in self._walk(local, False, recorded=self.create_graph):
                pass
        elif self.create_graph:
            walk_recorded(self.reach, self.grads, self.keep_graph, local)
        else:
            modes.quiet(walk, self.reach, self.grads, self.keep_graph)
        return self.reach.captured

    def steps(self, watch: bool = True) -> Iterator[Event]:
        """The pass as a generator: with `watch` it stops after every Node and tells what it did."""
        return self._walk(modes.LOCAL.state, watch, recorded=self.create_graph)

    def _walk(self, local: modes.State, watch: bool, recorded: bool) -> Iterator[Event]:
        reach, keep_graph = self.reach, self.keep_graph
        shared, needed = reach.shared, reach.needed
        heap: list[Node] = []
        buffers: dict[Node, Any] = {}
        #: Nodes whose buffer is an array that nobody else holds: it may be added to, and kept as `.grad`
        owned: set[Node] = set()
        take, look = buffers.pop, buffers.get
        short = not (recorded or watch or local.anomaly)  # whether simple Nodes may go the short way

        for (root, nr), given in zip(reach.roots, self.grads, strict=True):
            if root is not None and given is not None:
                add(buffers, root, nr, given if recorded else given._array)
        for root in reach.first():
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
                if not keep_graph and node.frees:
                    if node.keeps:
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
                left = shared.get(target, 1) - 1
                if left:
                    shared[target] = left
                g = outs[i]
                if g is not None:
                    if not recorded and type(g) is not _ndarray:
                        g = np.asarray(g)
                    if target.multi:
                        if not recorded and (g.shape != target.shape[nr] or g.dtype is not target.dtype[nr]):
                            g = np.asarray(checked(node, i, g, target.shape[nr], target.dtype[nr]))
                        add(buffers, target, nr, g)
                    elif recorded:
                        before = look(target)
                        buffers[target] = g if before is None else _recorded_sum(before, g, local)
                    else:
                        if g.shape != target.shape or g.dtype is not target.dtype:
                            g = np.asarray(checked(node, i, g, target.shape, target.dtype))
                        before = look(target)
                        if before is not None or target.accumulates:
                            # whether nobody else holds this array
                            fresh = g is not grad and g.base is None and not (hooked or watch or (i and g is outs[0]))
                            if before is not None:
                                g = plus(before, g, target in owned, fresh)
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
        reach = self.reach
        assert reach.needed is not None
        run = reach.needed.get(node)
        if run is None:
            return False
        if not run:
            grad = (
                leaf_tensor_hooks(node, grad, recorded, local)
                if node.accumulates
                else tensor_hooks(node, grad, recorded, local)
            )
        for nr, place in reach.capture_at.get(node, ()):
            reach.captured[place] = None if grad is None else grad[nr] if node.multi else grad
        return run


def _recorded_sum(a: Tensor, b: Tensor, local: modes.State) -> Any:
    before = local.set_grad(True)
    try:
        return a + b
    finally:
        local.set_grad(before)


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
