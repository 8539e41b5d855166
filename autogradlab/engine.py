"""The engine: one walk over the graph that `backward()`, `autograd.grad()` and the stepper all use.

As in PyTorch, a Node runs when every gradient that can reach it has arrived; of those that can run, the one made last
goes first, and AccumulateGrad before all others. Gradients are arrays in a plain backward and Tensors when the
backward itself is recorded (`create_graph=True`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from . import modes
from .modes import QUIET
from .node import AccumulateGrad, Edge, Node
from .tensor import Tensor, requires_grad, wrap
from .validate import cast_to, checked
from .views import bump

__all__ = ["Event", "Task", "accumulate_tensor"]

_ndarray = np.ndarray
_add_arrays = np.add


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

    def __init__(self, roots: Sequence[Edge], grads: Sequence[Tensor | None], keep_graph: bool, create_graph: bool,
                 inputs: Sequence[Edge] | None = None, accumulate: bool = True) -> None:  # fmt: skip
        self.roots = roots
        self.grads = grads
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.captured: dict[int, Any] = {}
        self.waiting: dict[Node, int] = {}
        self.needed: dict[Node, bool] | None = None
        self.capture_at: dict[Node, list[tuple[int, int]]] = {}
        self._count()
        if inputs is not None:
            self._select(inputs, accumulate)

    def _count(self) -> None:
        """Count, for every Node that can be reached, the edges that lead to it."""
        waiting = self.waiting
        stack = [node for node, _ in self.roots if node is not None]
        seen = set(stack)
        pop, push = stack.pop, stack.append
        while stack:
            for node, _ in pop().next_functions:
                if node is not None:
                    if node in waiting:
                        waiting[node] += 1
                    else:
                        waiting[node] = 1
                        if not node.accumulates and node not in seen:
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
        for root, _ in self.roots:
            stack = [] if root is None else [root]
            while stack:
                node = stack[-1]
                if node in done:
                    stack.pop()
                    continue
                todo = [n for n, _ in node.next_functions if n is not None and n not in done]
                if todo:
                    stack.extend(todo)
                    continue
                done.add(stack.pop())
                if any(n is not None and (needed.get(n, False) or n in self.capture_at) for n, _ in node.next_functions):
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
        local = modes.current()
        if self.create_graph:
            return self._walk(local, watch, recorded=True)
        return self._walk(local, watch, recorded=False)

    def _walk(self, local: modes.State, watch: bool, recorded: bool) -> Iterator[Event]:
        waiting, needed, keep_graph = self.waiting, self.needed, self.keep_graph
        heap: list[Node] = []
        buffers: dict[Node, Any] = {}
        take, look = buffers.pop, buffers.get
        short = not (recorded or watch or local.anomaly)  # whether simple Nodes may go the short way

        for (root, nr), given in zip(self.roots, self.grads, strict=True):
            if root is not None and given is not None:
                value = given if recorded else given._array
                _add(buffers, root, nr, value)
        for root in dict.fromkeys(node for node, _ in self.roots if node is not None and node not in waiting):
            if root.accumulates and not recorded and root in buffers:  # the root gradient is the caller's
                buffers[root] = np.array(buffers[root])
            _push(heap, root)

        while heap:
            node = heap.pop() if len(heap) == 1 else _pop(heap)
            grad = take(node, None)
            if needed is not None and not self._arrives(node, grad, recorded, local):
                continue
            if node.accumulates:
                if grad is not None:
                    _accumulate(node, grad, recorded, local)  # type: ignore[arg-type]
                if watch:
                    yield Event(node, grad, ())
                continue
            hooked = node.hooks is not None
            if short and node.simple and not hooked:
                try:
                    outs = node.run(grad, QUIET)
                except RuntimeError as error:
                    if not modes.busy(error):
                        raise
                    outs = node.run(grad, modes.quiet)
                if not keep_graph and node.saved:
                    node.saved = None
            else:
                outs = _run_recorded(node, grad, local) if recorded else _run_slow(node, grad, local)
                if not keep_graph:
                    node.release()
            i = -1
            for target, nr in node.next_functions:
                i += 1
                if target is None:
                    continue
                left = waiting[target] = waiting[target] - 1
                if needed is not None and target not in needed:
                    continue
                g = outs[i]
                if g is not None:
                    if target.multi:
                        if not recorded and (g.shape != target.shape[nr] or g.dtype is not target.dtype[nr]):
                            g = checked(node, i, g, target.shape[nr], target.dtype[nr])
                        _add(buffers, target, nr, g)
                    elif recorded:
                        before = look(target)
                        buffers[target] = g if before is None else before + g
                    else:
                        if g.shape != target.shape or g.dtype is not target.dtype:
                            g = checked(node, i, g, target.shape, target.dtype)
                        if type(g) is not _ndarray:
                            g = np.asarray(g)
                        before = look(target)
                        if before is not None:
                            g = _plus(before, g)
                        elif target.accumulates and (
                            g is grad or g.base is not None or hooked or (i and g is outs[0])
                            or (g.ndim > 1 and g.strides != target.variable._array.strides)  # type: ignore[attr-defined]
                        ):  # fmt: skip
                            g = _own(g, target.variable._array)  # type: ignore[attr-defined]
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
            grad = _leaf_tensor_hooks(node, grad, recorded, local) if node.accumulates else _tensor_hooks(
                node, grad, recorded, local)  # fmt: skip
        for nr, place in self.capture_at.get(node, ()):
            self.captured[place] = None if grad is None else grad[nr] if node.multi else grad
        return run


def _plus(a: Any, b: Any) -> Any:
    """The sum of two gradients of one tensor, quietly; a new array or Tensor."""
    if type(a) is not _ndarray:
        return a + b
    try:
        total = QUIET(_add_arrays, a, b)
    except RuntimeError:
        total = modes.quiet(_add_arrays, a, b)
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


def _accumulate(node: AccumulateGrad, grad: Any, recorded: bool, local: modes.State) -> None:
    """Let a leaf have its gradient. In a plain backward `grad` is an array that nobody else holds, if `.grad` is None."""
    if recorded:
        _recorded_leaf(node, grad, local)
        return
    variable = node.variable
    meta = variable._meta
    if node.hooks is not None or meta.hooks or meta.post_accumulate:  # type: ignore[union-attr]
        _hooked_leaf(node, grad, local)
        return
    old = variable._grad
    if old is None:
        variable._grad = wrap(grad)
    else:
        accumulate_tensor(variable, wrap(grad))


def _own(g: np.ndarray, like: np.ndarray) -> np.ndarray:
    """A copy that nobody else holds, laid out as the leaf it is for if that is dense."""
    fresh = np.empty_like(like, dtype=g.dtype) if like.shape == g.shape and like.size else np.empty(g.shape, g.dtype)
    fresh[...] = g
    return fresh


# The ready queue is a binary heap whose ties fall as in libstdc++'s, which PyTorch uses: the order in which leaves'
# hooks fire depends on it.


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


# -- the slower ways to run a Node ---------------------------------------------------------------------------------------


def _as_tensor(g: Any) -> Any:
    return wrap(g) if type(g) is _ndarray else wrap(np.asarray(g)) if g is not None and not isinstance(g, Tensor) else g


def _as_array(g: Any) -> Any:
    return g._array if isinstance(g, Tensor) else g


def _set_grad(local: modes.State, enabled: bool) -> bool:
    before = local.grad
    local.grad = enabled
    local.refresh()
    return before


def _tensor_hooks(node: Node, grad: Any, recorded: bool, local: modes.State) -> Any:
    """Hooks of the tensors that the Node made: each tensor's own in order, then those that retain a gradient."""
    hooks = node.hooks
    if hooks is None or not (hooks.tensor or hooks.retain):
        return grad
    before = _set_grad(local, recorded)
    try:
        grads = list(grad) if node.multi and grad is not None else [None] * node.outputs() if grad is None else [grad]
        for nr in sorted({*hooks.tensor, *hooks.retain}):
            g = _as_tensor(grads[nr])
            for hook in list(hooks.tensor.get(nr, {}).values()):
                g = _hook_result(hook, g, hook(g))
            ref = hooks.retain.get(nr)
            owner = None if ref is None else ref()
            if owner is not None and g is not None:
                _retain(owner, g, recorded)
            grads[nr] = g if recorded else _as_array(g)
        return grads if node.multi else grads[0]
    finally:
        _set_grad(local, before)


def _retain(owner: Tensor, g: Tensor, recorded: bool) -> None:
    if owner._grad is None:
        owner._grad = g.clone() if recorded else wrap(np.array(g._array))
    else:
        owner._grad = owner._grad + g


def _hook_result(hook: Any, given: Any, result: Any) -> Any:
    """Check what a tensor hook returned against what it got."""
    from .validate import check_hook_result

    if result is None:
        return given
    check_hook_result(hook, given, result)
    return result


def _before(node: Node, grad: Any, recorded: bool, local: modes.State) -> Any:
    """Tensor hooks, then the Node's own prehooks."""
    grad = _tensor_hooks(node, grad, recorded, local)
    hooks = node.hooks
    if hooks is None or not hooks.pre:
        return grad
    before = _set_grad(local, recorded)
    try:
        grads = tuple(_as_tensor(g) for g in grad) if node.multi else (_as_tensor(grad),)
        for hook in list(hooks.pre.values()):
            result = hook(grads)
            if result is not None:
                grads = _as_tuple(hook, grads, result)
    finally:
        _set_grad(local, before)
    values = list(grads) if recorded else [_as_array(g) for g in grads]
    return values if node.multi else values[0]


def _as_tuple(hook: Any, grads: tuple[Any, ...], result: Any) -> tuple[Any, ...]:
    from .validate import check_hook_result

    if not isinstance(result, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(result).__name__}'")
    if len(result) != len(grads):
        name = getattr(hook, "__name__", type(hook).__name__)
        raise RuntimeError(f"hook '{name}' has returned an incorrect number of values "
                           f"(got {len(result)}, but expected {len(grads)})")  # fmt: skip
    for old, new in zip(grads, result, strict=True):
        if new is not None and old is not None:
            check_hook_result(hook, old, new)
    return result


def _after(node: Node, grad: Any, outs: tuple[Any, ...], recorded: bool, local: modes.State) -> tuple[Any, ...]:
    """The Node's posthooks: they see the gradients of its inputs and of its outputs."""
    hooks = node.hooks
    if hooks is None or not hooks.post:
        return outs
    before = _set_grad(local, recorded)
    try:
        inputs = tuple(_as_tensor(g) for g in grad) if node.multi else (_as_tensor(grad),)
        results = tuple(_as_tensor(g) for g in outs)
        for hook in list(hooks.post.values()):
            result = hook(results, inputs)
            if result is not None:
                results = _as_tuple(hook, results, result)
    finally:
        _set_grad(local, before)
    return results if recorded else tuple(_as_array(g) for g in results)


def _validated(node: Node, outs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Each gradient reduced and cast to what its edge expects; PyTorch's errors if that cannot be."""
    from .validate import validate

    return validate(node, outs)


def _run_slow(node: Node, grad: Any, local: modes.State) -> tuple[Any, ...]:
    """A plain step with hooks, with the user's code or under anomaly mode."""
    grad = _before(node, grad, False, local)
    evaluating, local.evaluating = local.evaluating, node
    before = _set_grad(local, False)
    try:
        outs = node.run_wrapped(grad) if node.user_code else node.run(grad, modes.quiet)  # type: ignore[attr-defined]
    except Exception as error:
        if local.anomaly:
            from .autograd.anomaly import report

            report(node, error)
        raise
    finally:
        local.evaluating = evaluating
        _set_grad(local, before)
    outs = _validated(node, tuple(outs))
    outs = _after(node, grad, outs, False, local)
    if local.anomaly and local.check_nan:
        from .autograd.anomaly import check_nan

        check_nan(node, outs)
    return outs


def _run_recorded(node: Node, grad: Any, local: modes.State) -> tuple[Any, ...]:
    """A step of a backward that is itself recorded."""
    grad = _before(node, grad, True, local)
    evaluating, local.evaluating = local.evaluating, node
    before = _set_grad(local, True)
    try:
        if (grad is None or (node.multi and all(g is None for g in grad))) and not node.user_code:
            outs: tuple[Any, ...] = (None,) * len(node.next_functions)
        else:
            outs = node.run_recorded(grad)
        outs = _validated(node, tuple(outs))
    except Exception as error:
        if local.anomaly:
            from .autograd.anomaly import report

            report(node, error)
        raise
    finally:
        local.evaluating = evaluating
        _set_grad(local, before)
    outs = _after(node, grad, outs, True, local)
    if local.anomaly and local.check_nan:
        from .autograd.anomaly import check_nan

        check_nan(node, outs)
    return outs


# -- leaves --------------------------------------------------------------------------------------------------------------


def _hooked_leaf(node: AccumulateGrad, grad: np.ndarray, local: modes.State) -> None:
    variable = node.variable
    given = wrap(grad)
    g = _leaf_hooks(node, given, local, False)
    if g is None:
        return
    grad = g._array
    if variable._grad is None:
        variable._grad = wrap(_own(grad, variable._array))
    else:
        before = _set_grad(local, False)
        try:
            accumulate_tensor(variable, g)
        finally:
            _set_grad(local, before)
    _leaf_posthooks(node, (g,), local, False)


def _recorded_leaf(node: AccumulateGrad, grad: Tensor, local: modes.State) -> None:
    before = _set_grad(local, True)
    try:
        g = _leaf_hooks(node, grad, local, True)
        if g is None:
            return
        accumulate_tensor(node.variable, g, recorded=True)
        _leaf_posthooks(node, (g,), local, True)
    finally:
        _set_grad(local, before)


def _leaf_tensor_hooks(node: Node, grad: Any, recorded: bool, local: modes.State) -> Any:
    """The hooks of a leaf tensor itself, for a gradient that is captured rather than accumulated."""
    meta = node.variable._meta  # type: ignore[attr-defined]
    if grad is None or meta is None or not meta.hooks:
        return grad
    before = _set_grad(local, recorded)
    try:
        g = _as_tensor(grad)
        for hook in list(meta.hooks.values()):
            g = _hook_result(hook, g, hook(g))
        return g if recorded else _as_array(g)
    finally:
        _set_grad(local, before)


def _leaf_hooks(node: AccumulateGrad, g: Any, local: modes.State, recorded: bool) -> Any:
    """Hooks of the leaf tensor, then prehooks of its AccumulateGrad."""
    g = _as_tensor(_leaf_tensor_hooks(node, g, recorded, local))
    if node.hooks is None:
        return g
    before = _set_grad(local, recorded)
    try:
        for hook in list(node.hooks.tensor.get(0, {}).values()):
            g = _hook_result(hook, g, hook(g))
        for hook in list(node.hooks.pre.values()):
            result = hook((g,))
            if result is not None:
                g = _as_tuple(hook, (g,), result)[0]
        return g
    finally:
        _set_grad(local, before)


def _leaf_posthooks(node: AccumulateGrad, grads: tuple[Any, ...], local: modes.State, recorded: bool) -> None:
    """Post-accumulate-grad hooks get the leaf, posthooks of AccumulateGrad no gradients of inputs."""
    meta = node.variable._meta
    before = _set_grad(local, recorded)
    try:
        if meta is not None and meta.post_accumulate:
            for hook in list(meta.post_accumulate.values()):
                result = hook(node.variable)
                if result is not None:
                    raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
        if node.hooks is not None:
            for hook in list(node.hooks.post.values()):
                hook((), grads)
    finally:
        _set_grad(local, before)


def accumulate_tensor(variable: Tensor, grad: Tensor, recorded: bool = False) -> None:
    """Add a gradient to `variable.grad`: in place, or as a new tensor if the addition itself is recorded."""
    old = variable._grad
    grad = cast_to(grad, variable._array.dtype) if grad._array.dtype is not variable._array.dtype else grad
    if old is None:
        if recorded:
            from .ops.create import empty_like_strided

            variable._grad = empty_like_strided(variable, grad).copy_(grad)
        else:
            variable._grad = wrap(_own(grad._array, variable._array))
    elif recorded:
        variable._grad = old + grad
    elif requires_grad(old):
        local = modes.current()
        before = _set_grad(local, False)
        try:
            old += grad  # type: ignore[misc]
        finally:
            _set_grad(local, before)
    else:
        modes.quiet(np.add, old._array, grad._array, old._array)
        bump(old)
