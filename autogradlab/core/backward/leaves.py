"""What happens when a gradient reaches a leaf: its hooks run, then `.grad` is updated."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

from ..graph.node import NO_EDGE, AccumulateGrad, Node
from ..memory.layout import empty_like, fills_memory
from ..memory.lazy import LazyArray
from ..memory.overlap import check_written
from ..memory.rows import Rows
from ..memory.strided import placed, window
from ..memory.versions import INFERENCE, UNSHARED, counter, increment_version, of_inference
from ..recording.views import passed_on
from ..runtime import errors, modes
from ..runtime.modes import FLAGS
from ..tensor.dispatching import instead
from ..tensor.tensor import Tensor, requires_grad, wrap, wrap_result
from ..types.layouts import contiguous_format
from .firing import ARRAYS, RECORDED, as_array, as_tensor, as_tuple, hook_result
from .validate import cast_to

_new = object.__new__

__all__ = [
    "ALONE",
    "accumulate",
    "accumulate_nothing",
    "accumulate_tensor",
    "add_to_grad",
    "clear",
    "is_plain",
    "leaf_tensor_hooks",
    "own_copy",
]


def accumulate(node: AccumulateGrad, grad: Any, form: int, writes: int | None, local: modes.State) -> None:
    """Accumulate a gradient into a leaf. `writes`: see `add_to_grad`."""
    variable = node.variable
    meta = variable._meta
    hooked = node.hooks is not None or (meta is not None and (meta.hooks or meta.post_accumulate))
    if not (form or hooked or variable._edge is not None or variable._view is not None):
        modes.quiet(add_to_grad, variable, as_array(grad), writes)
        return
    if form:
        _tensor_leaf(node, grad, local, form, writes is not None)
    elif not takes_gradient(variable):
        _call_hooks_only(node, as_tensor(grad), local, ARRAYS)
    elif hooked:
        _hooked_leaf(node, grad, writes, local)
    else:
        modes.quiet(add_to_grad, variable, as_array(grad), writes)


def clear(p: Any, set_to_none: bool) -> None:
    """Remove the gradient of a parameter, or make it zero."""
    grad = p._grad
    if grad is None:
        return
    if set_to_none:
        p._grad = None
        return
    if grad.grad_fn is not None:
        grad.detach_()
    else:
        grad.requires_grad_(False)
    grad.zero_()


def is_plain(node: Node) -> bool:
    """Whether all that a leaf does with a gradient is to accumulate it: it has no hooks, and still is a leaf."""
    variable = node.variable  # type: ignore[attr-defined]
    meta = variable._meta
    if node.hooks is not None or (meta is not None and (meta.hooks or meta.post_accumulate)):
        return False
    return (variable._edge is None and variable._view is None) or (variable.grad_fn is None and requires_grad(variable))


def add_to_grad(variable: Tensor, grad: np.ndarray, writes: int | None) -> None:
    """Make an array the `.grad` of a leaf, or add it to the one that is there; inside the quiet context.

    writes: of an array that nobody else holds, which may become `.grad` itself, how often it was written in
    place, which counts as versions; None of any other array. It may be a view of memory that others see: `.grad` then
    lies there too, as in PyTorch, which looks at the tensor's holders and not at those of its memory.
    """
    old = variable._grad
    if old is None:
        steps = grad.strides
        if (
            writes is not None
            and steps == variable._array.strides
            and not FLAGS.inference
            and (grad.base is None or 0 not in steps)
        ):
            # unrolled: t = wrap(grad)
            t = _new(Tensor)
            t._array = grad
            t._edge = NO_EDGE
            t._counter = UNSHARED
            t._grad = t._view = t._storage = t._meta = None
            # end
            if writes:
                t._counter = [writes]
            variable._grad = t
        else:
            variable._grad = _first_grad(variable, grad, writes)
    elif old._edge is NO_EDGE and grad.dtype is old._array.dtype:
        _add_in_place(old, grad)
    else:
        accumulate_tensor(variable, wrap(grad))


def _first_grad(variable: Tensor, grad: Any, writes: int | None) -> Tensor:
    """The `.grad` of a leaf that had none: the array itself if it may be, else a copy."""
    x = variable._array
    taken = writes is not None
    if grad.shape != x.shape and grad.strides != x.strides and fills_memory(x):  # the leaf has other data by now
        return wrap(np.empty(x.shape, grad.dtype)).copy_(wrap(grad))
    if taken and (grad.strides != x.strides or (grad.base is not None and 0 in grad.strides)):
        taken = _laid_out_like(grad, x)
    bits = grad if type(grad) is LazyArray else None
    if bits is not None:  # the view that the pass has made of a gradient
        taken = taken and _laid_out_like(grad, x)
        own: Any = bits.over(own_copy(bits.memory, x)) if taken else own_copy(grad, x)
        t = wrap(own)
    elif taken:
        t = wrap(_permuted_like(grad, x))
    else:
        t = wrap(own_copy(grad, x))
    if FLAGS.inference and modes.LOCAL.state.inference:
        t._counter = INFERENCE
        return t
    if taken:  # PyTorch takes a view of memory over as well
        if writes:
            t._counter = [writes]
    elif fills_memory(x):  # it makes memory with the strides of the leaf, and copies into it in place
        t._counter = [1]
    return t


def _laid_out_like(grad: np.ndarray, x: np.ndarray) -> bool:
    """Whether a gradient may become the `.grad` of `x` as it lies: with its strides, or contiguous where `x` has gaps.

    Strides of dimensions of size 1 count only where they are 0; NumPy's negative ones would be a copy in PyTorch.
    """
    if not fills_memory(x):
        return grad.flags.c_contiguous
    if not x.size:
        grad, x = placed(grad), placed(x)
    steps, own = grad.strides, x.strides
    if grad.dtype is not x.dtype:
        steps = tuple([s // grad.itemsize * x.itemsize for s in steps])
    if steps == own and 0 not in steps:
        return True
    if len(steps) == 1:  # of one dimension without a generator
        a, b, n = steps[0], own[0], x.shape[0]
        return abs(a) == b if n != 1 else a != 0
    return all(abs(a) == b if n != 1 else a != 0 for a, b, n in zip(steps, own, x.shape, strict=True))


def _permuted_like(grad: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The gradient of a permuted leaf, with the leaf's strides in dimensions of size 1, where NumPy leaves any of them;
    PyTorch's kernels carry them from the leaf through to its gradient."""
    if x.flags.c_contiguous or grad.strides == x.strides or grad.dtype is not x.dtype or not x.size:
        return grad
    if not fills_memory(x):
        return grad
    steps = tuple([own if n == 1 else s for n, s, own in zip(x.shape, grad.strides, x.strides, strict=True)])
    return grad if steps == grad.strides or min(steps) < 0 else window(grad, x.shape, steps)


def _add_in_place(old: Tensor, grad: np.ndarray) -> None:
    target = old._array
    if 0 in target.strides:
        check_written(old, ())
    count = old._counter
    if count is not UNSHARED and type(count) is not list:
        np.add(target, grad, target)
        increment_version(old)
        return
    following, written = [count[0] + 1], True
    try:
        np.add(target, grad, target)
    except ValueError:
        written = False
        old.add_(wrap(grad))  # says what does not fit
        raise
    except (MemoryError, RecursionError, TypeError):
        written = False
        raise
    finally:  # an interruption comes after the call, when the sum is there
        if not written:
            pass
        elif count is UNSHARED:
            old._counter = following
        else:
            count[0] = following[0]  # type: ignore[index]


def takes_gradient(variable: Tensor) -> bool:
    """Whether a leaf of the forward pass still takes a gradient: not if `requires_grad` was switched off since."""
    if variable.grad_fn is not None:
        raise RuntimeError(errors.LEAF_MOVED)
    return requires_grad(variable)


def _call_hooks_only(node: AccumulateGrad, grad: Tensor, local: modes.State, form: int) -> None:
    """A leaf that no longer takes a gradient: its hooks are called, `.grad` stays as it is."""
    g = _leaf_hooks(node, grad, local, form)
    if g is not None:
        _leaf_posthooks(node, (g,), local, form)


def own_copy(g: np.ndarray, like: np.ndarray) -> np.ndarray:
    """A fresh copy of the gradient, with the strides of its leaf if the leaf is dense."""
    alike = like.shape == g.shape and fills_memory(like)
    if alike and not like.size:
        steps = [s // like.itemsize * g.itemsize for s in placed(like).strides]
        return window(np.empty(g.shape, g.dtype), g.shape, tuple(steps))
    fresh = np.empty_like(like, dtype=g.dtype) if alike else np.empty(g.shape, g.dtype)
    if alike and g.dtype is like.dtype and fresh.strides != like.strides:  # of dimensions of size 1
        fresh = window(fresh, like.shape, like.strides)
    fresh[...] = g
    return fresh


def _alone() -> int:
    """The references that `getrefcount` counts to what one local variable holds, and nobody else: since Python 3.14
    the call itself holds none."""
    value = object()
    return getrefcount(value)


ALONE = _alone()


def _hooked_leaf(node: AccumulateGrad, grad: Any, writes: int | None, local: modes.State) -> None:
    variable = node.variable
    given = grad if isinstance(grad, Tensor) else passed_on(grad, local.given)  # the very Tensor given for a root
    if given is None:
        given = wrap_result(grad)
    if writes and given._counter is not INFERENCE:
        given._counter = [writes]
    g = _leaf_hooks(node, given, local, ARRAYS)
    if g is None:
        return
    changed = g is not given
    del given, grad
    if variable._grad is None:
        # a Tensor that no hook has kept becomes `.grad` itself, also for posthooks, to which it is shown
        kept = getrefcount(g) > ALONE
        variable._grad = _first_behind_hooks(variable, g, (changed or writes is not None) and not kept, changed)
    else:
        before = local.set_grad(False)
        try:
            accumulate_tensor(variable, g)
        finally:
            local.set_grad(before)
    _leaf_posthooks(node, (g,), local, ARRAYS)


def _first_behind_hooks(variable: Tensor, g: Tensor, taken: bool, changed: bool) -> Tensor:
    """`_first_grad` of the Tensor that hooks have left, whose memory others may share: they share that of `.grad` then,
    and its versions, as in PyTorch. changed: whether a hook made it, so that it may be a view of anything."""
    array: Any = g._array
    if not taken or of_inference(g):
        return _first_grad(variable, array, None)
    whole = changed and type(array) is np.ndarray and _laid_out_like(array, variable._array)
    t = wrap(array) if whole else _first_grad(variable, array, counter(g)[0])
    if t._array is array:
        t._counter, t._storage = counter(g), g._storage
    return t


def accumulate_nothing(node: AccumulateGrad, form: int, local: modes.State) -> None:
    """A leaf whose gradient is None: all its hooks are called, `.grad` stays as it is."""
    _leaf_hooks(node, None, local, form)
    _leaf_posthooks(node, (None,), local, form)


def _tensor_leaf(node: AccumulateGrad, grad: Tensor, local: modes.State, form: int, own: bool) -> None:
    if not takes_gradient(node.variable):
        _call_hooks_only(node, grad, local, form)
        return
    before = local.set_grad(form == RECORDED)
    holders = getrefcount(grad)
    try:
        g = _leaf_hooks(node, grad, local, form)
        if g is None:
            return
        own = own and getrefcount(grad) == holders + 1 if g is grad else getrefcount(g) == ALONE
        accumulate_tensor(node.variable, g, form == RECORDED or type(g._array) is Rows, own)
        _leaf_posthooks(node, (g,), local, form)
    finally:
        local.set_grad(before)


def leaf_tensor_hooks(node: Node, grad: Any, form: int, local: modes.State) -> Any:
    """The gradient of a leaf as the hooks of the tensor itself leave it, be it accumulated or captured."""
    meta = node.variable._meta  # type: ignore[attr-defined]
    if meta is None or not meta.hooks:
        return grad
    before = local.set_grad(form == RECORDED)
    try:
        g = as_tensor(grad)
        for hook in list(meta.hooks.values()):
            g = hook_result(hook, g, hook(g))
        return g
    finally:
        local.set_grad(before)


def _leaf_hooks(node: AccumulateGrad, g: Any, local: modes.State, form: int) -> Any:
    """Hooks of the leaf tensor, then prehooks of its AccumulateGrad."""
    g = as_tensor(leaf_tensor_hooks(node, g, form, local))
    if node.hooks is None:
        return g
    before = local.set_grad(form == RECORDED)
    try:
        for hook in list(node.hooks.tensor.get(0, {}).values()):
            g = hook_result(hook, g, hook(g))
        for hook in list(node.hooks.pre.values()):
            result = hook((g,))
            if result is not None:
                g = as_tuple(hook, (g,), result)[0]
        return g
    finally:
        local.set_grad(before)


def _leaf_posthooks(node: AccumulateGrad, grads: tuple[Any, ...], local: modes.State, form: int) -> None:
    """Post-accumulate-grad hooks receive the leaf, which they may return; posthooks of AccumulateGrad receive no
    gradients of inputs."""
    meta = node.variable._meta
    before = local.set_grad(form == RECORDED)
    try:
        if meta is not None and meta.post_accumulate:
            leaf: Any = node.variable
            for hook in list(meta.post_accumulate.values()):
                leaf = hook_result(hook, leaf, hook(leaf))
            if leaf is not node.variable:
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        if node.hooks is not None:
            for hook in list(node.hooks.post.values()):
                hook((), grads)
    finally:
        local.set_grad(before)


def accumulate_tensor(variable: Tensor, grad: Tensor, recorded: bool = False, own: bool = False) -> None:
    """Add a gradient to `variable.grad`: in place, or as a new tensor if the addition itself is recorded. own: whether
    nobody else holds it."""
    if not takes_gradient(variable):
        return
    kind = variable._array.dtype
    wanted = kind if variable._meta is None else variable._meta.wanted(kind)
    if wanted is not None and grad._array.dtype is not wanted:
        grad = cast_to(grad, wanted)
    _add_tensor(variable, grad, recorded, own)


@instead(lambda call, args, kwargs: _add_asked(*args))
def _add_tensor(variable: Tensor, grad: Tensor, recorded: bool, own: bool) -> None:
    old = variable._grad
    if old is None:
        if recorded:
            variable._grad = wrap_result(empty_like(variable._array, grad._array.dtype)).copy_(grad)
        else:
            array = grad._array
            taken = own and getrefcount(array) == ALONE + 1 and not of_inference(grad)
            variable._grad = _first_grad(variable, array, grad._counter[0] if taken else None)
    elif recorded:
        variable._grad = old + grad
    elif requires_grad(old) or old._array.dtype is not grad._array.dtype:
        local = modes.current()
        before = local.set_grad(False)
        try:
            old += grad
        finally:
            local.set_grad(before)
    else:
        modes.quiet(_add_in_place, old, grad._array)


def _add_asked(variable: Tensor, grad: Tensor, recorded: bool, own: bool) -> None:
    """The same while a mode is to be asked, by the operations that PyTorch uses."""
    old, local = variable._grad, modes.current()
    x: np.ndarray = variable._array
    if old is None:
        if own and not local.grad and _laid_out_like(grad._array, x):
            variable._grad = grad.detach()
        elif fills_memory(x):
            shape, kind = tuple(x.shape), variable.dtype
            options = {"dtype": kind, "layout": variable.layout, "device": variable.device}
            before, local.formula = local.formula, True
            try:
                variable._grad = grad.new_empty_strided(shape, variable.stride(), **options).copy_(grad)
            finally:
                local.formula = before
        else:
            variable._grad = grad.clone(memory_format=contiguous_format)
    elif local.grad:
        variable._grad = old + grad
    else:
        old += grad


AccumulateGrad.accumulate = accumulate_tensor
