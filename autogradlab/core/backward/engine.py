"""The engine: one walk over the graph that `backward()`, `autograd.grad()` and the stepper all use.

As in PyTorch, a Node runs when every gradient that can reach it has arrived; of those that can run, the one made last
goes first, and AccumulateGrad before all others. Gradients are arrays in a plain backward and Tensors when the
backward itself is recorded (`create_graph=True`).

There are two lanes, and which one a pass takes is decided before it begins, by what the graph is (`Reach.plain`).
Without hooks, code of the user and observers nothing can come between two Nodes: `walk` then runs on arrays inside one
quiet context, `walk_recorded` on Tensors under one grad mode. Everything else takes the full lane, `Task._walk`. Order,
sums and errors are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from sys import getrefcount
from typing import Any

import numpy as np

from ..graph.backend import RAW, TENSORS
from ..graph.node import NO_EDGE, AccumulateGrad, Node, Pair
from ..graph.slices import CopySlices
from ..memory.lazy import LazyArray
from ..memory.rows import Rows, levels_of
from ..memory.versions import INFERENCE, of_inference
from ..recording.detached import DETACHED
from ..recording.views import shown, with_history
from ..runtime import modes
from ..runtime.modes import FLAGS, QUIET
from ..tensor.dispatching import on_first_mode
from ..tensor.tensor import Tensor
from .anomaly import report
from .firing import ARRAYS, RECORDED, UNRECORDED, as_array, explain, run_with_hooks, step_on_array, tensor_hooks
from .leaves import (
    ALONE,
    accumulate,
    accumulate_nothing,
    accumulate_tensor,
    add_to_grad,
    is_plain,
    leaf_tensor_hooks,
)
from .rows import run_rows
from .validate import checked, validate

__all__ = ["Event", "Reach", "Task"]

_ndarray = np.ndarray
_asarray = np.asarray
_empty_like = np.empty_like
_sum = np.add
_refs = getrefcount
_TICK = count().__next__


_BUFFERED = ALONE + 1  # references: by a local variable and by the buffers of a pass


class Arrivals:
    """The gradients of a Node that does not run as soon as one arrives, since several reach it or it has several
    outputs. The short lanes also keep here what has arrived."""

    __slots__ = ("dtype", "grad", "left", "multi", "own", "shape", "writes")

    def __init__(self, node: Node, left: int) -> None:
        #: how many edges are still to bring a gradient
        self.left = left
        self.multi = node.multi
        self.shape, self.dtype = node.shape, node.dtype
        #: the sum of what has arrived; where `multi` a list of them
        self.grad: Any = None
        #: whether the pass itself made that array to hold the sum, so that it may be written to
        self.own = False
        #: how often it was written in place
        self.writes = 0


class Reach:
    """The Nodes below the roots of a pass, looked at once before it begins.

    roots: edges at which gradients enter; inputs: if given, only what leads to them runs, and their gradients are
    accumulated or, if not `accumulate`, captured.
    """

    __slots__ = ("capture_at", "captured", "needed", "partial", "plain", "roots", "rows", "shared")

    def __init__(self, roots: Sequence[Pair], inputs: Sequence[Pair] | None, accumulate: bool) -> None:
        self.roots = roots
        #: Nodes that wait; all others run as soon as one gradient arrives
        self.shared: dict[Node, Arrivals] = {}
        #: whether every Node can take the short lanes: no hooks, no code of the user, no saved tensor to look at twice
        self.plain = True
        #: whether there are Nodes that lead into a vmap, where gradients are of many rows: all that is below them then
        #: goes by operations on Tensors
        self.rows = False
        #: under `inputs`: the Nodes on a path to one, and whether they run or only have their gradient captured
        self.needed: dict[Node, bool] | None = None
        #: whether there are other Nodes below the roots as well
        self.partial = False
        #: which outputs of a Node are captured, and the places of their gradients in `captured`
        self.capture_at: dict[Node, list[tuple[int, int]]] = {}
        self.captured: dict[int, Any] = {}
        if inputs is None:
            self._count()
        elif accumulate or not self._trace_all(inputs):
            self._trace(inputs, accumulate)
        if DETACHED:
            self.plain = False

    def first(self) -> list[Node]:
        """The Nodes that run first: roots to which no other Node leads."""
        nodes = dict.fromkeys([node for node, _ in self.roots if node is not None and node not in self.shared])
        return [node for node in nodes if self.needed is None or node in self.needed]

    def _count(self) -> None:
        """Count the edges that lead to each Node below the roots."""
        shared = self.shared
        roots: Any
        stack: list[Any]
        if len(self.roots) == 1 and self.roots[0][0] is not None:
            roots = (self.roots[0][0],)
            stack = [*roots]
            seen = {*roots}
        else:
            roots = dict.fromkeys([node for node, _ in self.roots if node is not None])
            stack = list(roots)
            seen = set(stack)
        plain = True
        node: Any
        following: Any
        for node in roots:
            if node.special and not (is_plain(node) if node.accumulates else node.simple or self._leaves_rows(node)):
                plain = False
        pop, push, note, known = stack.pop, stack.append, seen.add, shared.get
        while stack:
            following = pop()
            while following is not None:  # a chain is followed, its branches are kept for later
                made, following = following, None
                if made.hooks is not None:
                    plain = False
                for node in made._edges:
                    if type(node) is tuple:
                        node = node[0]
                        if node is None:
                            continue
                    if node in seen:
                        waiting = known(node)
                        if waiting is None:
                            shared[node] = Arrivals(node, 1 if node in roots else 2)
                        else:
                            waiting.left += 1
                        continue
                    note(node)
                    if node.special:
                        if type(node) is AccumulateGrad:
                            plain = plain and is_plain(node)
                            continue
                        if not (node.simple or self._leaves_rows(node)):
                            plain = False
                        if node.multi:
                            shared[node] = Arrivals(node, 1)
                    if following is None:
                        following = node
                    else:
                        push(node)
        self.plain = plain

    def _leaves_rows(self, node: Node) -> bool:
        """Whether a Node leads into a vmap; if so, `rows` is set."""
        if node.leaves_rows:
            self.rows = True
        return node.leaves_rows

    def _trace_all(self, inputs: Sequence[Pair]) -> bool:
        """What `_trace` does where every path from a root ends at one of `inputs`, which are leaves; False if not."""
        captured: dict[Any, list[tuple[int, int]]] = {}
        for i, (node, nr) in enumerate(inputs):
            if node is None or not node.accumulates:
                return False
            captured.setdefault(node, []).append((nr, i))
        needed: dict[Any, bool] = dict.fromkeys([node for node, _ in self.roots if node is not None], True)
        roots = tuple(needed)
        stack = list(roots)
        shared: dict[Any, Arrivals] = {}
        plain = True
        pop, push, known = stack.pop, stack.append, shared.get
        while stack:
            made = pop()
            if made.hooks is not None or (made.special and not (made.simple or self._leaves_rows(made))):
                plain = False
            ends = True
            for node in made._edges:
                if type(node) is tuple:
                    node = node[0]
                    if node is None:
                        continue
                ends = False
                if node in needed:
                    waiting = known(node)
                    if waiting is None:
                        shared[node] = Arrivals(node, 1 if node in roots else 2)
                    else:
                        waiting.left += 1
                    continue
                needed[node] = True
                if type(node) is AccumulateGrad:
                    if node not in captured:
                        return False
                    plain = plain and is_plain(node)
                    continue
                if node.special and node.multi:
                    shared[node] = Arrivals(node, 1)
                push(node)
            if ends:
                return False
        for node in captured:
            needed[node] = False
        self.capture_at, self.needed, self.shared, self.plain = captured, needed, shared, plain
        return True

    def _trace(self, inputs: Sequence[Pair], accumulate: bool) -> None:
        """Find the Nodes on a path from a root to `inputs`, and count the edges between them."""
        self.partial = True
        # edges lead to older Nodes: what was made before every captured input leads to none of them
        oldest = 0 if accumulate else min((0 if n is None or n.accumulates else n._seq for n, _ in inputs), default=0)
        above: dict[Node, list[Node]] = {node: [] for node, _ in self.roots if node is not None}
        roots = tuple(above)
        stack = list(roots)
        node: Any
        pop, push, get = stack.pop, stack.append, above.get
        while stack:
            made = pop()
            for node in made._edges:
                if type(node) is tuple:
                    node = node[0]
                    if node is None:
                        continue
                known = get(node)
                if known is not None:
                    known.append(made)
                else:
                    above[node] = [made]
                    if not node.accumulates and node._seq >= oldest:
                        push(node)
        needed: dict[Node, bool] = {}
        for i, (node, nr) in enumerate(inputs):
            if node is None:
                continue
            push(node)
            if accumulate:
                needed[node] = True
            else:
                self.capture_at.setdefault(node, []).append((nr, i))
        while stack:
            for node in get(pop(), ()):
                if node not in needed:
                    needed[node] = True
                    push(node)
        for node in self.capture_at:
            needed.setdefault(node, False)
        if len(roots) == len(self.roots) == 1 and not _is_plain_root(roots[0]):
            needed.setdefault(roots[0], False)  # the hooks of an only root are called even if it leads nowhere
        self.needed = needed
        plain = True
        for node, runs in needed.items():
            count = len(get(node, ()))
            if node.accumulates:
                plain = plain and is_plain(node)
            else:
                simple = node.simple or not runs or self._leaves_rows(node)
                plain = plain and node.hooks is None and simple
            if count > 1 or (count and (node.multi or node in roots)):
                self.shared[node] = Arrivals(node, count)
        self.plain = plain


# -- the short lanes ------------------------------------------------------------------------------------------------

#: a Node that can run: its place in the order (the youngest first), a number that breaks ties, and its gradient
Ready = tuple[int, int, Node, Any]


def _is_plain_root(node: Node) -> bool:
    return is_plain(node) if isinstance(node, AccumulateGrad) else node.hooks is None


def _sole_root(reach: Reach) -> Node | None:
    """The only root, if it is a plain Node that can run at once; else None."""
    if len(reach.roots) == 1:
        ((root, _),) = reach.roots
        if root is not None and not root.special and root not in reach.shared and not reach.partial:
            return root
    return None


def _enter(reach: Reach, grads: Sequence[Any], tick: Any) -> list[Ready]:
    """The queue of Nodes that can run once the gradients of the roots are there."""
    sole = _sole_root(reach)
    if sole is not None:
        return [(0, 0, sole, grads[0])]
    buffers: dict[Node, Any] = {}
    for (root, nr), given in zip(reach.roots, grads, strict=True):
        if root is not None and given is not None:
            waiting = reach.shared.get(root)
            if waiting is None:
                _add(buffers, root, nr, given)
            else:
                _arrive(root, waiting, nr, given)
    queue: list[Ready] = []
    for root in reach.first():
        heappush(queue, (-root._seq, tick(), root, buffers.pop(root, None)))
    return queue


def _end_at_root(reach: Reach, leaf: Any, grad: np.ndarray, grads: Sequence[Tensor | None]) -> None:
    """A leaf that is itself a root receives its gradient."""
    if leaf not in reach.capture_at or _capture(reach, leaf, grad):
        given = [root for (root, _), g in zip(reach.roots, grads, strict=True) if root is leaf and g is not None]
        # a sum of several is the pass's own, and from the third on was added to in place
        add_to_grad(leaf.variable, grad, len(given) - 2 if given[1:] else None)


def _arrive(node: Node, waiting: Arrivals, nr: int, g: Any) -> None:
    """Add a gradient to those that a waiting Node has received."""
    if waiting.multi:
        slots = waiting.grad
        if slots is None:
            slots = waiting.grad = [None] * len(node.shape)
        slots[nr] = g if slots[nr] is None else _plus(slots[nr], g)
    elif waiting.grad is None:
        waiting.grad = g
    else:
        waiting.grad = _plus(waiting.grad, g)


def _arrive_at_output(node: Node, i: int, target: Node, waiting: Arrivals, g: Any) -> None:
    """Gradient number `i` of a Node arrives at one of the outputs of another."""
    edge = node._edges[i]
    nr = edge[1] if type(edge) is tuple else 0
    shape, dtype = target.shape[nr], target.dtype[nr]
    if g.shape != shape or g.dtype is not dtype:
        g = _asarray(checked(node, i, g, shape, dtype))
    _arrive(target, waiting, nr, g)


def _capture(reach: Reach, node: Node, grad: Any, writes: int | None = None) -> bool:
    """Capture what is wanted of a Node's gradient; returns whether the Node runs as well."""
    for nr, place in reach.capture_at[node]:
        reach.captured[place] = None if grad is None else grad[nr] if node.multi else grad
        if writes:
            reach.captured[place] = _written(grad, writes)
    return reach.needed is not None and reach.needed[node]


def _is_unshared(holders: int, before: np.ndarray, grad: Any, outs: Any, i: int) -> bool:
    """Whether PyTorch adds to a buffered array in place: it is no view, and nobody holds it but the pass itself, by its
    buffers, a Node's gradient and what that has given for its edges before number `i`. `holders` are counted by the
    caller, since what a call adds to them is another number in Python 3.14."""
    return before.base is None and holders == _BUFFERED + sum([g is before for g in (grad, *outs[:i])])


def _meet(
    holders: int, waiting: Arrivals, before: np.ndarray, g: np.ndarray, grad: Any, outs: Any, i: int
) -> tuple[np.ndarray, int]:
    """The sum of the gradient that has arrived and a second one, number `i` of what a Node gives, and how often it was
    written in place; `holders`, of what has arrived, are counted by the caller before anything else."""
    own = (before.base is None and holders - (outs[i - 1] is before) == _BUFFERED) or _is_unshared(
        holders, before, grad, outs, i
    )
    if own and before.base is None:
        total = _sum(before, g, before)
    elif g.strides == before.strides or g.ndim < 2 or 0 in before.strides:
        total = _sum(before, g)
    else:  # laid out like the first, as in PyTorch
        total = _sum(before, g, _empty_like(before))
    waiting.own = True
    return total if type(total) is _ndarray else _asarray(total), waiting.writes + 1 if own else 0


def _writes(node: Node, counts: Any, i: int, grad: Any, g: np.ndarray, writes: int | None) -> int:
    """How often gradient number `i` of a Node was written in place: `counts` is what the Node says of its gradients,
    `writes` how often its own was, of which it may be a part."""
    if node.user_code:  # it has counted them itself
        return counts[i] if counts else 0
    if (
        writes
        and type(grad) is _ndarray
        and (g is grad or g.base is grad or (g.base is not None and g.base is grad.base))
    ):
        return writes
    return 0 if counts is None else counts[i]


def _result_array(g: Any) -> Any:
    """What a Node has given as an array; one that is conjugated when it is read stays so, as hooks and `.grad` show."""
    return g if type(g) is LazyArray else _asarray(g)


def _behind_hooks(grad: Tensor, arrived: Any) -> tuple[int, np.ndarray, Any]:
    """Of a gradient that hooks have seen: how often it was written, by them too, its array, and what had arrived, if
    that is another one: an array that two hold would not be the pass's own."""
    array = grad._array
    return 0 if of_inference(grad) else grad._counter[0], array, None if as_array(arrived) is array else arrived


def _written(grad: np.ndarray, writes: int) -> Tensor:
    """A gradient to which others were added in place."""
    t = shown(grad)
    if t._counter is not INFERENCE:
        t._counter = [writes]
    return t


def walk(reach: Reach, grads: Sequence[Tensor | None], keep_graph: bool) -> None:
    """A plain backward pass; the caller has entered the quiet context."""
    needed, captures = reach.needed if reach.partial else None, reach.capture_at
    #: Nodes that can run whose gradient was written in place, and how often
    written: dict[Node, int] = {}
    #: leaves whose gradient is complete, that gradient, and how often it was written in place
    leaves: list[tuple[Node, Any, int]] = []
    waits, tick = reach.shared.get if reach.shared else None, _TICK
    queue: list[Ready] = []
    grad: Any = None
    node = _sole_root(reach)
    if node is None or grads[0] is None:
        queue = _enter(reach, [None if g is None else g._array for g in grads], tick)
        node = None
    else:
        grad = grads[0]._array
    outs: Any
    target: Any
    waiting: Any
    while True:
        if node is None:
            if not queue:
                return
            _, _, node, grad = heappop(queue)
            if node.special and node.accumulates:
                if grad is not None:
                    _end_at_root(reach, node, grad, grads)
                node = None
                continue
        if captures and node in captures and not _capture(reach, node, grad, written.get(node)):
            node = None
            continue
        writes = written.get(node) if written else None
        try:
            outs = node.run(grad, RAW)
        except (IndexError, ValueError):
            explain(node, grad)
            raise
        counts = node.writes
        if not keep_graph and node.frees:
            if node.keeps:
                node.release()
            else:
                node.saved = None
        following: Node | None = None
        counted = writes or counts is not None
        i = -1
        for target in node._edges:
            i += 1
            kind = type(target)
            if kind is tuple:
                target = target[0]
                if target is None:
                    continue
                kind = type(target)
            if needed is not None and target not in needed:
                continue
            g = outs[i]
            waiting = None if waits is None else waits(target)
            if waiting is None:
                if g is not None:
                    if type(g) is not _ndarray:
                        g = _result_array(g)
                    times = 0
                    if g.shape != target.shape or g.dtype is not target.dtype:
                        g = _asarray(checked(node, i, g, target.shape, target.dtype))  # a sum, or a cast: new memory
                    elif counted:
                        times = _writes(node, counts, i, grad, g, writes)
                    if kind is AccumulateGrad:
                        leaves.append((target, g, times))
                        continue
                    if times:
                        written[target] = times
                elif kind is AccumulateGrad:
                    continue
            else:
                if g is not None:
                    if type(g) is not _ndarray:
                        g = _result_array(g)
                    if waiting.multi:
                        _arrive_at_output(node, i, target, waiting, g)
                    else:
                        times = _writes(node, counts, i, grad, g, writes) if counted else 0
                        if g.shape != waiting.shape or g.dtype is not waiting.dtype:
                            g = _asarray(checked(node, i, g, waiting.shape, waiting.dtype))
                            times = 0
                        before = waiting.grad
                        if waiting.own:
                            g = _sum(before, g, before)
                            times = waiting.writes + 1
                        elif before is not None:
                            g, times = _meet(_refs(before), waiting, before, g, grad, outs, i)
                        waiting.grad = g
                        waiting.writes = times
                left = waiting.left = waiting.left - 1
                if left > 0:
                    continue
                g = waiting.grad
                waiting.grad = None
                if kind is AccumulateGrad:
                    if g is not None:
                        leaves.append((target, g, waiting.writes))
                    continue
                if waiting.writes:
                    written[target] = waiting.writes
            if following is None:
                following, following_grad = target, g
            else:
                heappush(queue, (-target._seq, tick(), target, g))
        outs = grad = before = g = None  # free what is no longer needed before the next Node runs
        while leaves:
            target, g, times = leaves.pop(0)
            own = _refs(g) == ALONE
            if target not in captures or _capture(reach, target, g, times):
                add_to_grad(target.variable, g, times if own else None)
            g = None
        node = following
        if node is not None:
            grad, following_grad = following_grad, None
            if queue and -node._seq >= queue[0][0]:
                heappush(queue, (-node._seq, tick(), node, grad))
                node = None


def walk_recorded(reach: Reach, grads: Sequence[Tensor | None], keep_graph: bool, local: modes.State) -> None:
    """A backward pass that is itself recorded (`create_graph=True`)."""
    before = local.grad, local.record, local.formula
    try:
        local.grad = local.formula = True
        local.refresh()
        _walk_recorded(reach, grads, keep_graph)
    finally:
        local.grad, local.record, local.formula = before
        local.refresh()


def _walk_recorded(reach: Reach, grads: Sequence[Any], keep_graph: bool, rows: int = 0, F: Any = TENSORS) -> None:
    """The pass of `walk_recorded`; with `rows`, one for so many gradients at once, and `F` the namespace for Rows."""
    needed, captures = reach.needed if reach.partial else None, reach.capture_at
    waits, tick = reach.shared.get, _TICK
    queue = _enter(reach, grads, tick)
    node: Any = None
    grad: Any = None
    target: Any
    while node is not None or queue:
        if node is None:
            _, _, node, grad = heappop(queue)
        if captures and node in captures and not _capture(reach, node, grad):
            node = None
            continue
        if type(node) is AccumulateGrad:
            if grad is not None:
                accumulate_tensor(node.variable, grad, recorded=modes.LOCAL.state.grad)
            node = None
            continue
        outs = validate(node, run_rows(node, grad, rows, F) if rows else node.run_recorded(grad, F))
        if not keep_graph:
            node.release()
        following: Node | None = None
        i = -1
        for target in node._edges:
            i += 1
            nr = 0
            if type(target) is tuple:
                target, nr = target
                if target is None:
                    continue
            if needed is not None and target not in needed:
                continue
            g = outs[i]
            waiting = waits(target)
            if waiting is not None:
                if g is None:
                    pass
                elif waiting.multi:
                    _arrive(target, waiting, nr, g)
                else:
                    known = waiting.grad
                    waiting.grad = g if known is None else known + g
                waiting.left -= 1
                if waiting.left > 0:
                    continue
                g = waiting.grad
                waiting.grad = None
            if following is None and type(target) is not AccumulateGrad:
                following, grad = target, g
            else:
                heappush(queue, (-target._seq, tick(), target, g))
        node = following
        if node is not None and queue and -node._seq >= queue[0][0]:
            heappush(queue, (-node._seq, tick(), node, grad))
            node = None


# -- the full lane ---------------------------------------------------------------------------------------------------


class Event:
    """One step of a walk: `node` got `inputs` and gave `outputs`, one for each of its edges (arrays or Tensors)."""

    __slots__ = ("inputs", "node", "outputs")

    def __init__(self, node: Node, inputs: Any, outputs: tuple[Any, ...]) -> None:
        self.node = node
        self.inputs = inputs
        self.outputs = outputs


#: the Nodes that can run, as a heap, and the gradients that have arrived at Nodes
Entered = tuple[list[Node], dict[Node, Any]]
_NUMBERS = count().__next__


class Task:
    """One backward pass.

    roots: edges at which gradients enter; grads: the gradients, Tensors; inputs: where the pass ends, if not at the
    leaves; accumulate: whether their gradients are added to `.grad`, or given back by `run`.
    """

    __slots__ = ("__weakref__", "callbacks", "create_graph", "form", "grads", "keep_graph", "number", "reach")

    def __init__(
        self,
        roots: Sequence[Pair],
        grads: Sequence[Any],
        keep_graph: bool,
        create_graph: bool,
        inputs: Sequence[Pair] | None = None,
        accumulate: bool = True,
    ) -> None:
        self.grads = grads
        #: counts the passes of the process
        self.number = _NUMBERS()
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.form = RECORDED if create_graph else ARRAYS
        #: functions that the engine calls when the pass is over
        self.callbacks: list[Callable[[], Any]] = []
        self.reach = Reach(roots, inputs, accumulate)

    def run(self) -> dict[int, Any]:
        """The whole pass. Returns what was captured, by position in `inputs`.

        Whatever happens in it, the thread's modes are put back, by assignments alone: an interruption can come at a
        call, also at one that would put something back, but not between assignments.
        """
        local = modes.LOCAL.state
        before = (local.grad, local.record, local.plain, local.formula, local.saved_hooks, local.evaluating)
        given = local.given
        try:
            for g in self.grads:
                if g is not None and g._edge is not NO_EDGE:
                    local.given = with_history(self.grads)
                    break
            if self.reach.rows or (local.levels and self._begins_with_rows()):
                self._run_on_rows(local)
            elif local.dispatch_modes or on_first_mode.classes:
                for _ in self._walk(local, False, self.form or UNRECORDED):
                    pass
            elif not self.reach.plain or local.anomaly:
                local.set_grad(self.create_graph)  # once for all that hooks and code of the user see
                for _ in self._walk(local, False, self.form):
                    pass
            elif self.create_graph:
                walk_recorded(self.reach, self.grads, self.keep_graph, local)
            else:
                try:
                    QUIET(walk, self.reach, self.grads, self.keep_graph)
                except RuntimeError as error:
                    if not modes.busy(error):
                        raise
                    modes.quiet(walk, self.reach, self.grads, self.keep_graph)
        finally:
            local.grad, local.record, local.plain, local.formula, local.saved_hooks, local.evaluating = before
            local.given = given
            if FLAGS.unusual or FLAGS.formula or local.formula or not (local.record and local.plain):
                local.refresh()
        return self.reach.captured

    def _begins_with_rows(self) -> bool:
        """Whether a root, or the gradient that enters there, is of many rows, inside of a vmap."""
        return any(
            (root is not None and levels_of(root.shape)) or (g is not None and type(g._array) is Rows)
            for (root, _), g in zip(self.reach.roots, self.grads, strict=True)
        )

    def _run_on_rows(self, local: modes.State) -> None:
        """The pass by operations on Tensors, which know what to do with Rows."""
        before, local.passing = local.passing, True
        try:
            if not self.reach.plain or local.anomaly:
                for _ in self._walk(local, False, self.form or UNRECORDED):
                    pass
            else:
                local.grad, local.formula = self.create_graph, True
                local.refresh()
                _walk_recorded(self.reach, self.grads, self.keep_graph)
        finally:
            local.passing = before

    def order(self) -> list[Node]:
        """The Nodes that the pass will run, in order; to be called before the first of them has run."""
        needed, found = self.reach.needed, []
        left = {node: waiting.left for node, waiting in self.reach.shared.items()}
        heap: list[Node] = []
        for root in self.reach.first():
            _push(heap, root)
        while heap:
            node = heap.pop() if len(heap) == 1 else _pop(heap)
            found.append(node)
            for target, _ in node.next_functions:
                if target is None or (needed is not None and target not in needed):
                    continue
                left[target] = left.get(target, 1) - 1
                if not left[target]:
                    _push(heap, target)
        return found

    def run_together(self, rows: int, F: Any) -> dict[int, Any] | None:
        """The pass for so many gradients at once, `grads` being Rows and `F` the namespace
        for them; None if the graph does not allow it."""
        if self.create_graph or not self.reach.plain or self.reach.rows or modes.LOCAL.state.anomaly:
            return None
        modes.quiet(_walk_recorded, self.reach, self.grads, self.keep_graph, rows, F)
        return self.reach.captured

    def steps(self, watch: bool = True) -> Iterator[Event]:
        """The pass as a generator: with `watch` it stops after every Node and tells what it did."""
        local = modes.LOCAL.state
        walk = self._walk(local, watch, self.form)
        while True:
            before = (local.grad, local.record, local.plain, local.formula, local.saved_hooks, local.evaluating)
            passing, local.passing = local.passing, bool(self.reach.rows)
            try:
                event = next(walk)
            except StopIteration:
                return
            finally:
                local.passing = passing
                local.grad, local.record, local.plain, local.formula, local.saved_hooks, local.evaluating = before
                if FLAGS.unusual or FLAGS.formula:
                    local.refresh()
            yield event

    def _enter(self, tensors: bool) -> Entered:
        """The Nodes that can run, and the gradients that have arrived, once those of the roots have: as the very Tensor
        that was given, where hooks or code of the user see it."""
        heap: list[Node] = []
        buffers: dict[Node, Any] = {}
        alone = len(self.grads) == 1
        for (root, nr), given in zip(self.reach.roots, self.grads, strict=True):
            if root is not None and given is not None:
                hooked = not is_plain(root) if root.accumulates else root.hooks is not None or root.user_code
                seen = alone and hooked and not root.multi
                _add(buffers, root, nr, given if tensors or seen else given._array)
        for root in self.reach.first():
            _push(heap, root)
        return heap, buffers

    def _walk(self, local: modes.State, watch: bool, form: int) -> Iterator[Event]:
        entered = self._enter(form != ARRAYS)
        try:
            yield from self._walk_nodes(entered, local, watch, form)
        except Exception:
            if local.anomaly and local.evaluating is not None:
                report(local.evaluating)
            raise

    def _walk_nodes(self, entered: Entered, local: modes.State, watch: bool, form: int) -> Iterator[Event]:
        heap, buffers = entered
        reach, keep_graph, tensors = self.reach, self.keep_graph, form != ARRAYS
        shared, needed = reach.shared, reach.needed
        written: dict[Node, int] = {}  # as in `walk`
        take, look, known = buffers.pop, buffers.get, shared.get
        short = not (tensors or watch or local.anomaly)  # whether simple Nodes run without the checks for hooks
        outs: Any
        g: Any
        while heap:
            node = heap.pop() if len(heap) == 1 else _pop(heap)
            local.evaluating = node
            grad = outs = before = g = arrived = None
            grad = take(node, None)
            writes = written.get(node)
            if writes and not node.accumulates and not isinstance(node, CopySlices):  # which passes on a copy
                if node.user_code or node.hooks is not None:
                    grad = _written(grad, writes)  # hooks and code of the user see its version
            if needed is not None and not self._arrives(node, grad, writes, form, local):
                continue
            if node.accumulates:
                if grad is not None:
                    own = _refs(grad) == ALONE
                    accumulate(node, grad, form, (writes or 0) if own else None, local)  # type: ignore[arg-type]
                elif node.hooks is not None or node.variable._meta is not None:  # type: ignore[attr-defined]
                    accumulate_nothing(node, form, local)  # type: ignore[arg-type]
                if watch:
                    yield Event(node, grad, ())
                continue
            if short and node.simple and node.hooks is None:
                outs = step_on_array(node, grad)
            else:
                arrived = grad if watch else None
                outs, grad = run_with_hooks(node, grad, form, local, needed)
                if not tensors and isinstance(grad, Tensor):
                    writes, grad, arrived = _behind_hooks(grad, arrived)
            counts = None if tensors else node.writes
            if not keep_graph:
                node.release()
            for i, edge in enumerate(node._edges):
                target, nr = edge if isinstance(edge, tuple) else (edge, 0)
                if target is None or (needed is not None and target not in needed):
                    continue
                waiting = known(target)
                left = 0 if waiting is None else waiting.left - 1
                if waiting is not None:
                    waiting.left = left
                g = outs[i]
                if g is not None:
                    if not tensors and type(g) is not _ndarray:
                        g = _result_array(g)
                    times = 0
                    if not tensors and (writes or counts is not None):
                        times = _writes(node, counts, i, grad, g, writes)
                    if target.multi:
                        if not tensors and (g.shape != target.shape[nr] or g.dtype is not target.dtype[nr]):
                            g = np.asarray(modes.quiet(checked, node, i, g, target.shape[nr], target.dtype[nr]))
                        _add(buffers, target, nr, g)
                    elif tensors:
                        before = look(target)
                        buffers[target] = g if before is None else _tensor_sum(before, g, local, form)
                    else:
                        if g.shape != target.shape or g.dtype is not target.dtype:
                            g = np.asarray(modes.quiet(checked, node, i, g, target.shape, target.dtype))
                            times = 0
                        before = look(target)
                        if before is not None:
                            own = _is_unshared(_refs(before), before, grad, outs, i)
                            g = _plus(before, g, own and before.base is None)
                            times = written.get(target, 0) + 1 if own else 0
                        if times or target in written:
                            written[target] = times
                        buffers[target] = g
                if not left:
                    if heap:
                        _push(heap, target)
                    else:
                        heap.append(target)
            if watch:
                yield Event(node, grad if arrived is None else arrived, outs)

    def _arrives(self, node: Node, grad: Any, writes: int | None, form: int, local: modes.State) -> bool:
        """Under `inputs=`: keep what is wanted of a Node's gradient; whether the Node is to run as well."""
        reach = self.reach
        assert reach.needed is not None
        run = reach.needed.get(node)
        if run is None:
            return False
        arrived = grad
        if not run:
            hooks = leaf_tensor_hooks if node.accumulates else tensor_hooks
            grad = hooks(node, grad, form, local)
            if isinstance(grad, Tensor) and grad._array is arrived and (of_inference(grad) or not grad._counter[0]):
                grad = arrived  # the hooks have not changed it
        if node in reach.capture_at:
            _capture(reach, node, grad, writes if grad is arrived and type(grad) is _ndarray else None)
        return run


def _plus(a: Any, b: Any, own: bool = False) -> Any:
    """The sum of two gradients of one tensor, quietly: in the memory of the first if it is our own, else a new array
    or Tensor."""
    if type(a) is not _ndarray:
        return a + b
    args: tuple[Any, ...] = (a, b)
    if own:
        args = (a, b, a)
    elif a.strides != b.strides and a.ndim > 1 and 0 not in a.strides:  # laid out like the first, as in PyTorch
        args = (a, b, _empty_like(a))
    try:
        total = QUIET(_sum, *args)
    except RuntimeError:
        total = modes.quiet(_sum, *args)
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


def _tensor_sum(a: Tensor, b: Tensor, local: modes.State, form: int) -> Any:
    before = local.set_grad(form == RECORDED)
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
