"""In-place operations: one protocol for every form of them.

1. `check_inplace` says whether the tensor may be changed at all.
2. The Node is made, if there is to be one: its saved values hold the versions that the inputs have *now*, so that an
   input which lies in the memory that is written is found to be out of date when backward comes to it.
3. The result is computed, in memory of its own.
4. `commit` lets memory, version and history change together.

Until step 4 nothing can be seen, so an error or an interruption leaves everything as it was. Step 4 consists of
assignments that may be repeated; an interruption among them repeats them all before it goes on, so it leaves everything
done. (Python handles signals between bytecodes, never inside of one call of C code.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from operator import call, setitem
from typing import Any

import numpy as np

from ..graph.node import Edge, LeafStart, Node
from ..graph.slices import CopySlices
from ..memory.versions import INFERENCE, UNSHARED, InferenceVersions, of_inference
from ..runtime import errors, modes
from ..runtime.modes import QUIET
from ..tensor.edges import gradient_edge, refuse_view, requires_grad, view_edge, was_leaf
from ..tensor.tensor import Tensor

__all__ = [
    "History",
    "check_inplace",
    "commit",
    "commit_array",
    "commit_by",
    "commit_kernel",
    "commit_number",
    "commit_values",
    "rebase",
    "refuse_captured",
]

#: calls all functions of an iterable inside of one call of C code
_run_all = deque[Any](maxlen=0).extend


def check_inplace(t: Tensor, *others: Tensor) -> None:
    """Raise if `t`, which is about to be changed in place while some operand requires grad, must not be.

    others: the other operands, where autograd does not see the operation if all of them are of inference mode; `t`
    itself where there are none and it is so nevertheless.
    """
    view = t._view
    if view is None:
        if t._edge is None:  # a leaf that requires grad
            unseen = others and all(map(of_inference, (t, *others)))
            raise RuntimeError(errors.INFERENCE_INPLACE if unseen else errors.LEAF_INPLACE)
        if type(t._edge) is LeafStart:
            raise RuntimeError(errors.LEAF_INPLACE)
        return
    if view.creation is not None:
        refuse_view(view)
    if requires_grad(t):
        if was_leaf(view.base):
            raise RuntimeError(errors.LEAF_VIEW_INPLACE)
        if was_leaf(t):
            raise RuntimeError(errors.LEAF_INPLACE)


def refuse_captured(t: Tensor, name: str) -> None:
    """Raise if a functional transform is at work whose function has `t` from outside. name: the operation's."""
    for captures in modes.LOCAL.state.captured:
        if captures(t):
            raise RuntimeError(errors.CAPTURED_INPLACE.format(name))


class History:
    """The history that a tensor gets from an in-place operation: prepared first, made visible by `publish`.

    Of a view, the base gets a CopySlices, and the view an edge to its place in the base as it is then.
    """

    __slots__ = ("assignments", "edge", "moved", "t", "view")

    def __init__(self, t: Tensor, node: Node, own: bool = False) -> None:
        """own: the memory stays as it is, so that the base of a view does not change and the view goes on from
        `node`; a retained gradient stays with the old Node."""
        unusual = modes.FLAGS.unusual
        if unusual:
            refuse_captured(t, node.in_place)
        self.t = t
        self.edge: Edge = node
        #: retained gradients that leave the old Nodes
        self.moved: tuple[tuple[dict[int, Any], int], ...] = ()
        #: attributes to be set, of a view and its base
        self.assignments: tuple[tuple[Any, str, Any], ...] = ()
        self.view = view = t._view
        if view is None:
            old = t._edge
            if not own and (isinstance(old, tuple) or (old is not None and old.hooks is not None)):
                self._move_retained(old, node)
            return
        if own:
            self.assignments = ((view, "edge", node),)
            return
        base = view.base
        edge = gradient_edge(base)
        copy = CopySlices(base._array, edge, t._array, node)
        if unusual and not modes.current().plain:
            copy.made_at = node.made_at
        rebased = base._view is None
        if rebased:
            self._move_retained(base._edge, copy)
            edge = copy
        made = view_edge(base._array, edge, t._array, view.edge, (copy.base, copy.view, copy.alone))
        self._move_retained(view.edge, made)
        last = (view, "edge", made)
        self.assignments = ((base, "_edge", edge), last) if rebased else (last,)

    def _move_retained(self, old: Edge | None, new: Node) -> None:
        """A retained gradient belongs to the tensor and moves with it; other hooks stay with the old Node."""
        if old is None:
            return
        node, nr = old if isinstance(old, tuple) else (old, 0)
        if node is None or node.hooks is None:
            return
        kept = node.hooks.retain.get(nr)
        if kept is not None:
            new._hooks().retain[0] = kept
            self.moved += ((node.hooks.retain, nr),)

    def publish(self, version: int) -> None:
        """Make it visible on a tensor whose version is now `version`. Repeating this changes nothing."""
        for retained, nr in self.moved:
            retained.pop(nr, None)
        if self.view is None:
            self.t._edge = self.edge
            return
        for owner, name, value in self.assignments:
            setattr(owner, name, value)
        self.view.version = version


def rebase(t: Tensor, node: Node) -> None:
    """Make `node` the `grad_fn` of `t`, whose memory the user's own code has changed."""
    History(t, node).publish(t._counter[0])


def _next_version(t: Tensor) -> tuple[Any, int]:
    """The version counter that `t` will have, and the number it will hold."""
    count = t._counter
    if type(count) is list:
        return count, count[0] + 1
    if count is UNSHARED:
        return [0], 1
    if type(count) is InferenceVersions:
        return count, count.number + 1
    if not modes.current().inference:
        raise RuntimeError(errors.INFERENCE_INPLACE)
    return [0], 0  # of a tensor of inference mode: it is never read


def _publish(t: Tensor, count: Any, version: int, history: History | None) -> None:
    count[0] = version
    if t._counter is not INFERENCE:
        t._counter = count
    if history is not None:
        history.publish(version)


def commit(t: Tensor, values: Any, history: History | None = None, index: Any = ...) -> None:
    """Let `t` have new values, broadcast and cast to it (at an index of its array), and with them its next version and
    history."""
    target = t._array
    count = t._counter
    if type(count) is list:  # the commonest cases, without calls
        version = count[0] + 1
        if history is None:
            # unrolled: commit_values(target, index, values, count, version)
            try:
                target[index] = values
                count[0] = version
            except BaseException:
                target[index] = values
                count[0] = version
                raise
            # end
            return
        if history.view is None and not history.moved:
            edge = history.edge
            try:
                target[index] = values
                count[0] = version
                t._edge = edge
            except BaseException:
                target[index] = values
                count[0] = version
                t._edge = edge
                raise
            return
    elif count is UNSHARED and history is None:
        count = [1]
        try:
            target[index] = values
            t._counter = count
        except BaseException:
            target[index] = values
            t._counter = count
            raise
        return
    count, version = _next_version(t)
    try:
        target[index] = values
        _publish(t, count, version, history)
    except BaseException:
        target[index] = values
        _publish(t, count, version, history)
        raise


def commit_values(target: np.ndarray, index: Any, values: Any, count: list[int], version: int) -> None:
    """The same for the commonest case: an array gets values, and the version counter that it has its next number."""
    try:
        target[index] = values
        count[0] = version
    except BaseException:
        target[index] = values
        count[0] = version
        raise


def commit_number(t: Tensor, value: float) -> None:
    """The same for one number written to every element, without history."""
    count = t._counter
    if type(count) is not list:
        commit(t, value)
        return
    target = t._array
    version = count[0] + 1
    try:
        target.fill(value)
        count[0] = version
    except BaseException:
        target.fill(value)
        count[0] = version
        raise


def commit_by(t: Tensor, write: Callable[..., Any], *args: Any, history: History | None = None) -> None:
    """The same where `write(*args)` changes the memory; to repeat it must change nothing."""
    count, version = _next_version(t)
    try:
        write(*args)
        _publish(t, count, version, history)
    except BaseException:
        write(*args)
        _publish(t, count, version, history)
        raise


def commit_array(t: Tensor, array: np.ndarray, history: History | None = None) -> None:
    """The same where the tensor gets another array over the same memory, of other sizes and strides."""
    count, version = _next_version(t)
    try:
        t._array = array
        _publish(t, count, version, history)
    except BaseException:
        t._array = array
        _publish(t, count, version, history)
        raise


def commit_kernel(t: Tensor, kernel: Callable[..., Any], x: Any, y: Any, history: History | None = None) -> None:
    """The same where a kernel written in C computes the values from `x` and `y`, of which one may be the memory of `t`,
    and writes them there itself: all of it inside of one call of C code.

    It saves a large tensor the memory for a result; a small one is changed sooner by `commit`.
    """
    count = t._counter
    if history is None and type(count) is list:  # two calls with three arguments each
        functions: tuple[Any, Any] = (kernel, setitem)
        both: Any = map(call, functions, (x, count), (y, 0), (t._array, count[0] + 1))
        try:
            QUIET(_run_all, both)
        except RuntimeError as error:
            if not modes.busy(error):
                raise
            modes.quiet(_run_all, both)
        return
    count, version = _next_version(t)
    steps = [partial(kernel, x, y, t._array), partial(count.__setitem__, 0, version)]
    if t._counter is not INFERENCE:
        steps.append(partial(setattr, t, "_counter", count))
    if history is not None:
        steps += [partial(retained.pop, nr, None) for retained, nr in history.moved]
        steps += [partial(setattr, *assignment) for assignment in history.assignments]
        if history.view is None:
            steps.append(partial(setattr, t, "_edge", history.edge))
        else:
            steps.append(partial(setattr, history.view, "version", version))
    modes.quiet(_run_all, map(call, steps))
