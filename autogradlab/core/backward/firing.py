"""Running one Node with everything around it: tensor hooks, prehooks, the Node itself, checks, posthooks, anomaly mode.

The order is PyTorch's. The engine comes here when a Node has hooks, runs code of the user, or is itself recorded.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np

from ..arguments.mismatch import typename
from ..graph.backend import RAW, TENSORS
from ..graph.node import Node, pair
from ..graph.slices import CopySlices
from ..memory.rows import plain_rows
from ..recording.detached import DETACHED, refuse_detached
from ..recording.record import OpNode, raw
from ..recording.views import shown
from ..runtime import modes
from ..runtime.modes import QUIET
from ..tensor.dispatching import concerned, known, on_first_mode
from ..tensor.tensor import Tensor, wrap_result
from ..types.layouts import contiguous_format
from .anomaly import check_nan
from .validate import check_hook_result, validate

__all__ = [
    "ARRAYS",
    "RECORDED",
    "UNRECORDED",
    "after_node",
    "as_array",
    "as_tensor",
    "as_tuple",
    "before_node",
    "hook_result",
    "step_on_array",
    "run_with_hooks",
    "tensor_hooks",
]


def as_tensor(g: Any) -> Any:
    return g if g is None or isinstance(g, Tensor) else shown(plain_rows(g))


def as_array(g: Any) -> Any:
    return g._array if isinstance(g, Tensor) else g


#: what the gradients of a pass are, its `form`: arrays; Tensors, but nothing is recorded, as of many rows; or Tensors
#: whose operations are recorded
ARRAYS, UNRECORDED, RECORDED = range(3)


def tensor_hooks(node: Node, grad: Any, form: int, local: modes.State) -> Any:
    """Hooks of the tensors that the Node made: each tensor's own in order, then those that retain a gradient. What they
    have seen is a Tensor afterwards."""
    hooks = node.hooks
    if hooks is None or not (hooks.tensor or hooks.retain):
        return grad
    before = local.set_grad(form == RECORDED)
    try:
        if not (node.multi or hooks.retain or grad is None):
            g = as_tensor(grad)
            for hook in list(hooks.tensor[0].values()):
                g = hook_result(hook, g, hook(g))
            return g
        grads = list(grad) if node.multi and grad is not None else [None] * node.outputs() if grad is None else [grad]
        for nr in sorted({*hooks.tensor, *hooks.retain}):
            g = as_tensor(grads[nr])
            for hook in list(hooks.tensor.get(nr, {}).values()):
                g = hook_result(hook, g, hook(g))
            ref = hooks.retain.get(nr)
            owner = None if ref is None else ref()
            if owner is not None and g is not None:
                _retain(owner, g, form)
            grads[nr] = g
        return grads if node.multi else grads[0]
    finally:
        local.set_grad(before)


def _retain(owner: Tensor, g: Tensor, form: int) -> None:
    if owner._grad is None:
        owner._grad = g.clone(memory_format=contiguous_format) if form else wrap_result(np.array(g._array, order="C"))
    else:
        owner._grad = owner._grad + g


def hook_result(hook: Any, given: Any, result: Any) -> Any:
    """The gradient after a tensor hook: what it returned, which is checked, or if that is None what it was `given`."""
    if result is None:
        return given
    check_hook_result(hook, given, result)
    return result


def before_node(node: Node, grad: Any, form: int, local: modes.State) -> Any:
    """Tensor hooks, then the Node's own prehooks."""
    grad = tensor_hooks(node, grad, form, local)
    hooks = node.hooks
    if hooks is None or not hooks.pre:
        return grad
    before = local.set_grad(form == RECORDED)
    try:
        grads = _each(node, grad)
        for hook in list(hooks.pre.values()):
            result = hook(grads)
            if result is not None:
                grads = as_tuple(hook, grads, result)
    finally:
        local.set_grad(before)
    return list(grads) if node.multi else grads[0]


def _each(node: Node, grad: Any) -> tuple[Any, ...]:
    """The gradient of each output of the Node's forward as a Tensor, None for those that are undefined."""
    if not node.multi:
        return (as_tensor(grad),)
    return (None,) * node.outputs() if grad is None else tuple(as_tensor(g) for g in grad)


def as_tuple(hook: Any, grads: tuple[Any, ...], result: Any) -> tuple[Any, ...]:
    """The gradients that a hook returned, a tuple of as many as it got, each of which fits; else PyTorch's error."""
    if not isinstance(result, tuple):
        raise TypeError(f"expected tuple, but hook returned '{typename(result)}'")
    if len(result) != len(grads):
        name = getattr(hook, "__name__", "<unknown>")
        raise RuntimeError(
            f"hook '{name}' has returned an incorrect number of values (got {len(result)}, but expected {len(grads)})"
        )
    for old, new in zip(grads, result, strict=True):
        if new is not None:
            check_hook_result(hook, old, new)
    return result


def after_node(
    node: Node, grad: Any, outs: tuple[Any, ...], form: int, local: modes.State, seen: bool = True
) -> tuple[Any, ...]:
    """The Node's posthooks: they see the gradients of its inputs and, if the first of them was `seen` before the Node
    ran, those of its outputs."""
    hooks = node.hooks
    if hooks is None or not hooks.post:
        return outs
    before = local.set_grad(form == RECORDED)
    try:
        inputs = _each(node, grad) if seen else ()
        results = tuple(as_tensor(g) for g in outs)
        for hook in list(hooks.post.values()):
            result = hook(results, inputs)
            if result is not None:
                results = as_tuple(hook, results, result)
    finally:
        local.set_grad(before)
    return results if form else tuple(as_array(g) for g in results)


def run_with_hooks(
    node: Node, grad: Any, form: int, local: modes.State, needed: Container[Node] | None = None
) -> tuple[tuple[Any, ...], Any]:
    """A step of a backward that is itself recorded, or of a Node with hooks or with the user's code, or under anomaly
    mode: the gradients of its inputs, and its own as its hooks have left it."""
    seen = False
    if node.hooks is not None:
        given, grad = grad, before_node(node, grad, form, local)
        if isinstance(node, OpNode) and _is_none(node, grad) and not _is_none(node, given):
            raw(node)  # hooks took the gradient: PyTorch asks for what was saved all the same, with the errors of that
        seen = node.hooks is not None and bool(node.hooks.post)
    before = local.set_grad(form == RECORDED)
    try:
        if needed is not None and isinstance(node, OpNode) and not any(pair(e)[0] in needed for e in node._edges):
            raw(node)  # what was saved is looked at, but no gradient is computed, not even one that has no formula
            found: tuple[Any, ...] = (None,) * len(node._edges)
        else:
            found = tuple(_run_recorded(node, grad) if form else _run(node, grad))
        outs = validate(node, found)
    finally:
        local.set_grad(before)
    if not form and node.user_code and node.writes and outs is not found:  # summed or cast: new memory
        owner: Any = node  # of a class of the user, which has no slots
        owner.writes = tuple(n if a is b else 0 for n, a, b in zip(node.writes, found, outs, strict=False))
    outs = _wanted(node, outs, needed)
    if node.hooks is not None:
        outs = after_node(node, grad, outs, form, local, seen)
    if local.anomaly and local.check_nan:
        check_nan(node, outs)
    return outs, grad


def step_on_array(node: Node, grad: Any) -> Any:
    """A step of a plain backward: an operation without hooks, on an array."""
    if DETACHED and grad is not None:
        refuse_detached(node)
    try:
        return QUIET(node.run, grad, RAW)
    except RuntimeError as error:
        if not modes.busy(error):
            raise
        return modes.quiet(node.run, grad, RAW)
    except (IndexError, ValueError):
        explain(node, grad)
        raise


def _is_none(node: Node, grad: Any) -> bool:
    """Whether no gradient came, for any output."""
    return grad is None or (node.multi and all(g is None for g in grad))


def explain(node: Any, grad: Any, saved: Any = None) -> None:
    """A formula failed on arrays that do not fit, since a tensor that was saved has other data by now: on Tensors it
    says so in PyTorch's words. saved: what hooks have unpacked, which are not to be called again."""
    local = modes.LOCAL.state
    before = local.set_grad(False)
    try:
        grad = [as_tensor(g) for g in grad] if node.multi and grad is not None else as_tensor(grad)
        if saved is None:
            _run_recorded(node, grad)
        else:
            values = [as_tensor(v) if isinstance(v, np.ndarray) else v for v in saved]
            node.apply(node.formulas, TENSORS, grad, values)
    finally:
        local.set_grad(before)


def _run(node: Node, grad: Any) -> tuple[Any, ...]:
    """The Node itself: code of the user outside of the quiet context, everything else in it."""
    if node.user_code and not isinstance(node, CopySlices):
        return node.run(grad, RAW)
    grad = [as_array(g) for g in grad] if node.multi and grad is not None else as_array(grad)
    if node.user_code:
        return node.run(grad, RAW)
    if DETACHED and grad is not None:
        refuse_detached(node)
    saved: list[Any] | None = None
    call: tuple[Any, ...] = node.run, grad, RAW
    if isinstance(node, OpNode) and node.hooks is not None and node.hooks.saved and grad is not None:
        saved = raw(node)
        call = node.apply, node.formulas, RAW, grad, saved
    try:
        return tuple(modes.quiet(*call))
    except (IndexError, ValueError):
        explain(node, grad, saved)
        raise


def _run_recorded(node: Node, grad: Any) -> tuple[Any, ...]:
    """The Node itself on Tensors; without a gradient only code of the user runs."""
    if _is_none(node, grad) and not node.user_code:
        return (None,) * len(node._edges)
    state = modes.LOCAL.state
    if on_first_mode.gate is None:
        return node.run_recorded(grad, TENSORS)
    if not node.user_code and concerned(*(grad if node.multi else (grad,)), *(node.saved or ())):
        known.require(type(node).__name__)
    elif state.told:  # what code of the user calls is asked for by itself
        state.told = False
        try:
            return node.run_recorded(grad, TENSORS)
        finally:
            state.told = True
    return node.run_recorded(grad, TENSORS)


def _wanted(node: Node, outs: tuple[Any, ...], needed: Container[Node] | None) -> tuple[Any, ...]:
    """Of a pass towards `inputs=`, only the gradients that are needed; operations do not compute the others."""
    if needed is None or node.user_code:
        return outs
    targets = [pair(edge)[0] for edge in node._edges]
    return tuple(g if target in needed else None for g, target in zip(outs, targets, strict=True))
