"""Less memory for more time: parts of a model that are computed again in backward (mirrors
`torch.utils.checkpoint`)."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np

from ..amp.autocast_mode import autocast, get_autocast_dtype, is_autocast_cache_enabled, is_autocast_enabled
from ..autograd.frontend import backward, running
from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad, is_grad_enabled, no_grad
from ..autograd.graph import saved_tensors_hooks
from ..core.memory.rows import levels_of, with_levels
from ..core.random.generator import default_generator
from ..core.runtime import modes
from ..core.tensor.tensor import Tensor, set_requires_grad, wrap
from .selective import (
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    SelectiveCheckpointContext,
    Told,
    _CachedTorchDispatchMode,
    _CachingTorchDispatchMode,
    create_selective_checkpoint_contexts,
    logs,
)

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "GraphExecGroup",
    "SAC_IGNORED_OPS",
    "SelectiveCheckpointContext",
    "_CachedTorchDispatchMode",
    "_CachingTorchDispatchMode",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]

_PASS_EXPLICITLY = (
    "the use_reentrant parameter should be passed explicitly. {} use_reentrant=False is recommended, but if you need "
    "to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
    "the differences between the two variants."
)
_IN_CHECKPOINT = "Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception."
_IN_SEQUENTIAL = "In version 2.9 we will raise an exception if use_reentrant is not passed."
_DEBUG_TIP = (
    "\n"
    "Tip: To see a more detailed error message, either pass `debug=True` to\n"
    "`torch.utils.checkpoint.checkpoint(...)` or wrap the code block\n"
    "with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to\n"
    "enable checkpoint‑debug mode globally.\n"
    "\n"
    "If this error occurs under torch.compile with automatic_dynamic_shapes enabled,\n"
    "it may be because the recomputation selected a different compiled graph than the\n"
    "forward pass (e.g., a dynamic graph instead of the original static graph).\n"
    "To fix this, either:\n"
    "  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as\n"
    "    dynamic upfront, avoiding the static-to-dynamic transition.\n"
    "  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache\n"
    "    reordering, which can change which graph is checked first between forward\n"
    "    and recompute.\n"
    "See https://github.com/pytorch/pytorch/issues/166926 for more details and\n"
    "workaround examples.\n"
)
_UNPACKED = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. {}If you are "
    "calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an issue with details "
    "on your use case."
)
_OVERLAP = (
    "Performing two backward calls that overlap (i.e. require the same saved activation in order to compute gradients) "
    "is not allowed while under the torch.utils.checkpoint.GraphExecGroup context. "
)
_REENTRANT_GRAD = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
    ".backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without passing "
    "the `inputs` argument."
)
_SUPPRESSED = (
    "torch.utils.checkpoint: the forward context provided by context_fn suppressed an exception raised during the "
    "checkpointed forward. This is not supported because checkpoint cannot return a value for a failed forward."
)


class CheckpointError(RuntimeError):
    """What was computed again in backward is not what forward computed.

    Mirrors `torch.utils.checkpoint.CheckpointError`.
    """


CheckpointError.__module__ = "torch.utils.checkpoint"


class _Enough(Exception):
    """All that forward saved was computed again: the rest of the function need not run."""


class GraphExecGroup:
    """Within it several backward passes compute a checkpointed call again only once; no two of them may need the same
    saved tensor.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.utils.checkpoint import GraphExecGroup, checkpoint
        >>> x = torch.ones(1, requires_grad=True)
        >>> def parts(x):
        ...     print('computed')
        ...     y = x.exp()
        ...     return y, y.exp()
        ...
        >>> y, z = checkpoint(parts, x, use_reentrant=False)
        computed
        >>> with GraphExecGroup():
        ...     (g,) = torch.autograd.grad(z, y)
        ...     y.backward(g)
        ...
        computed

    Mirrors `torch.utils.checkpoint.GraphExecGroup`.
    """

    __module__ = "torch.utils.checkpoint"

    def __enter__(self) -> GraphExecGroup:
        local = modes.current()
        if local.graph_group is not None:
            raise RuntimeError(f"GraphExecGroup contexts cannot be nested. Already inside group {local.graph_group}")
        local.graph_group = self
        return self

    def __exit__(self, *exc: object) -> None:
        modes.current().graph_group = None


#: what `set_checkpoint_early_stop` says for all checkpoints
_EARLY_STOP: list[bool | None] = [None]


@contextmanager
def _set(cell: list[bool | None], value: bool | None) -> Iterator[None]:
    before, cell[0] = cell[0], value
    try:
        yield
    finally:
        cell[0] = before


def set_checkpoint_early_stop(enable: bool) -> AbstractContextManager[None]:
    """Sets for the checkpoints in a block whether a recomputation stops as soon as it has all that forward saved.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.utils.checkpoint import checkpoint, set_checkpoint_early_stop
        >>> x = torch.ones(1, requires_grad=True)
        >>> with set_checkpoint_early_stop(False):
        ...     y = checkpoint(lambda x: (x.exp(), print('whole'))[0], x, use_reentrant=False)
        ...
        whole
        >>> y.backward()
        whole

    Mirrors `torch.utils.checkpoint.set_checkpoint_early_stop`.
    """
    return _set(_EARLY_STOP, enable)


#: what `set_checkpoint_debug_enabled` says for all checkpoints
_DEBUG: list[bool | None] = [None]


def set_checkpoint_debug_enabled(enabled: bool | None) -> AbstractContextManager[None]:
    """Sets for the checkpoints in a block, whatever their `debug` says, whether an error in backward tells what the
    call did in forward and when it was computed again.

    Mirrors `torch.utils.checkpoint.set_checkpoint_debug_enabled`.
    """
    return _set(_DEBUG, enabled)


def noop_context_fn() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """The contexts of forward and recomputation where nothing else is asked for."""
    return nullcontext(), nullcontext()


def _with_random_state(state: Any, function: Callable[[], Any]) -> Any:
    """function() with the generator in this state, which is put back afterwards; None leaves the generator alone."""
    if state is None:
        return function()
    now = default_generator.get_state()
    default_generator.set_state(state)
    try:
        return function()
    finally:
        default_generator.set_state(now)


def _casting() -> autocast:
    """The autocast that is at work now, to be entered again."""
    dtype, cache = get_autocast_dtype("cpu"), is_autocast_cache_enabled()
    return autocast("cpu", dtype, is_autocast_enabled("cpu"), cache)


class CheckpointFunction(Function):
    """Runs a function without recording it, and again with recording when its gradient is wanted."""

    __module__ = "torch.utils.checkpoint"

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], preserve: bool, *args: Any) -> Any:
        """The function's results, unrecorded; warns where no argument wants a gradient."""
        if not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=1)
        ctx.function = function
        ctx.state = default_generator.get_state() if preserve else None
        ctx.casting = _casting()
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.args = [None if isinstance(a, Tensor) else a for a in args]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Run the function again, recorded, and go backward through it."""
        task = running()
        if task is not None and task.reach.needed is not None:
            raise RuntimeError(_REENTRANT_GRAD)
        inputs = list(ctx.args)
        for place, saved in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[place] = saved.detach().requires_grad_(saved.requires_grad)

        def again() -> Any:
            with enable_grad(), ctx.casting:
                return ctx.function(*inputs)

        outs = _with_random_state(ctx.state, again)
        outs = (outs,) if isinstance(outs, Tensor) else outs
        pairs = [(o, g) for o, g in zip(outs, grads, strict=True) if isinstance(o, Tensor) and o.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *(i.grad if isinstance(i, Tensor) else None for i in inputs))


class _Inputs(Function):
    """Saves the arguments of a checkpointed call, for the hooks that are at work around it: of a call within another
    one, they are computed again with that one."""

    generate_vmap_rule = True

    @staticmethod
    def forward(*args: Any) -> Tensor:
        """An empty tensor."""
        return wrap(np.empty(0, np.float32))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Save the tensors among the arguments; the others are kept as they are."""
        ctx.places = [i for i, a in enumerate(inputs) if i and isinstance(a, Tensor)]
        ctx.others = [None if isinstance(a, Tensor) else a for a in inputs]
        ctx.save_for_backward(*(inputs[i] for i in ctx.places))

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Never called: nothing depends on the result."""
        raise AssertionError("Did not expect to backward on this graph")

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """The tangent of nothing."""
        return wrap(np.empty(0, np.float32))


def _kept(args: tuple[Any, ...]) -> Callable[[], list[Any]]:
    """Gives the arguments of a call again."""
    first = wrap(np.empty(0, np.float32))
    set_requires_grad(first, True, "method")  # also inside of a functional transform, which refuses requires_grad_()
    saver = _Inputs.apply(first, *args)

    def found() -> list[Any]:
        ctx = saver.grad_fn
        inputs = list(ctx.others)
        for i, t in zip(ctx.places, ctx.saved_tensors, strict=True):
            inputs[i] = t
        return inputs[1:]

    return found


class _Saved:
    """Stands in the graph for a tensor that forward would have saved."""

    __slots__ = ("__weakref__",)


class _Outside:
    """Stands for the backward pass where a saved tensor is asked for outside of one."""


class _Frame:
    """One checkpointed call: recorded as any other, but what its Nodes save is dropped and computed again on demand."""

    def __init__(
        self,
        inputs: Callable[[], list[Any]],
        again: Callable[[list[Any]], Any],
        same: bool,
        early_stop: bool,
        told: tuple[Told, Told] | None,
    ) -> None:
        #: what was done in forward and again, if errors are to tell it
        self.told = told
        self.inputs = inputs
        self.again = again
        self.same = same
        self.early_stop = early_stop
        #: whether forward is over; a recomputation before that, for a gradient in the function, finds what it finds
        self.complete = False
        self.places: list[weakref.ref[_Saved]] = []
        self.about: list[Any] = []
        #: of each, the levels of the vmaps whose rows it was: computed again, they have other numbers
        self.levels: list[tuple[int, ...]] = []
        #: for each backward pass that has computed the call again, what it has not unpacked yet
        self.values: weakref.WeakKeyDictionary[Any, weakref.WeakKeyDictionary[_Saved, Tensor]] = (
            weakref.WeakKeyDictionary()
        )

    def pack(self, t: Tensor) -> _Saved:
        """Keep what is to be computed again: its number, shape and dtype."""
        place = _Saved()
        self.places.append(weakref.ref(place))
        self.about.append(_about(t))
        self.levels.append(levels_of(t._array.shape))
        return place

    def unpack(self, place: _Saved) -> Tensor:
        """The tensor; an error tells, on request, what was computed."""
        if self.told is None:
            return self._unpack(place)
        try:
            return self._unpack(place)
        except CheckpointError as error:
            raise CheckpointError(logs(*self.told)) from error

    def _unpack(self, place: _Saved) -> Tensor:
        """The tensor, computed again with all others of the call if that has not happened in this backward."""
        group = modes.current().graph_group
        backward: Any = group or running() or _Outside()
        values = self.values.get(backward)
        if values is None:
            values = self.values[backward] = self._recompute()
        if place not in values:
            raise CheckpointError(_UNPACKED.format(_OVERLAP if group is not None else ""))
        return values.pop(place)

    def _recompute(self) -> weakref.WeakKeyDictionary[_Saved, Tensor]:
        found: list[Tensor] = []
        count = len(self.places)
        inputs = self.inputs()

        def keep(t: Tensor) -> Tensor:
            t = t.detach() if t.requires_grad else t
            if len(found) == count:
                if not self.complete:
                    return t
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original "
                    f"forward pass.\n{_DEBUG_TIP}"
                )
            found.append(t)
            if self.early_stop and len(found) == count:
                raise _Enough
            return t

        try:
            with saved_tensors_hooks(keep, lambda t: t), enable_grad():
                self.again(inputs)
        except _Enough:
            pass
        self._check(found)
        values: weakref.WeakKeyDictionary[_Saved, Tensor] = weakref.WeakKeyDictionary()
        for ref, t, levels in zip(self.places, found, self.levels, strict=False):
            place = ref()
            if place is not None:
                values[place] = wrap(with_levels(t._array, levels)) if levels else t
        return values

    def _check(self, found: list[Tensor]) -> None:
        if len(found) != len(self.places):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.places)}\n"
                f"Number of tensors saved during recomputation: {len(found)}.\n{_DEBUG_TIP}"
            )
        pairs = enumerate(zip(self.about, map(_about, found), strict=True))
        differ = [(i, a, b) for i, (a, b) in pairs if a != b and self.places[i]() is not None] if self.same else []
        if differ:
            listed = "".join(
                f"tensor at position {i}:\nsaved metadata: {a}\nrecomputed metadata: {b}\n" for i, a, b in differ
            )
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata "
                "than during "
                f"the forward pass.\n{listed}.\n{_DEBUG_TIP}"
            )


def _about(t: Tensor) -> dict[str, Any]:
    return {"shape": t.shape, "dtype": t.dtype, "device": t.device}


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[AbstractContextManager[Any], AbstractContextManager[Any]]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """function(*args), whose saved values are not kept but computed again in backward.

    With use_reentrant=False the call is recorded as any other, so that parameters inside get their gradients whatever
    the arguments require; the old way, use_reentrant=True, is one Node, which needs an argument that requires grad.
    preserve_rng_state=True: dropout draws the same mask again.

    Errors: CheckpointError in backward when the function computes something else the second time; ValueError for
    keyword arguments with use_reentrant=True.

    Example:
        >>> import autogradlab as torch
        >>> w = torch.tensor([2.], requires_grad=True)
        >>> y = torch.utils.checkpoint.checkpoint(lambda x: (w * x).exp(), torch.ones(1), use_reentrant=False)
        >>> y.backward()
        >>> w.grad
        tensor([7.3891])

    Mirrors `torch.utils.checkpoint.checkpoint`.
    """
    if use_reentrant is None:
        words = _PASS_EXPLICITLY.format(_IN_CHECKPOINT)
        warnings.warn(f"torch.utils.checkpoint: {words}", stacklevel=1)  # PyTorch's names a line of its own
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    told = None
    if debug if _DEBUG[0] is None else _DEBUG[0]:
        if context_fn is not noop_context_fn:
            raise ValueError("debug=True is incompatible with non-default context_fn")
        told = Told(), Told()
    if determinism_check not in ("default", "none"):
        raise ValueError("determinism_check should be one of ['default', 'none'], but got " + determinism_check)
    forward_context, again_context = context_fn() if told is None else told
    casting = _casting()
    state = default_generator.get_state() if preserve else None

    if not is_grad_enabled():
        return function(*args, **kwargs)
    kept = _kept(args)

    def again(inputs: list[Any]) -> Any:
        def run() -> Any:
            with casting, again_context:
                return function(*inputs, **kwargs)

        return _with_random_state(state, run)

    stop = early_stop if _EARLY_STOP[0] is None else _EARLY_STOP[0]
    frame = _Frame(kept, again, determinism_check == "default", stop, told)
    with saved_tensors_hooks(frame.pack, frame.unpack), forward_context:
        out = function(*args, **kwargs)
        frame.complete = True
    if not frame.complete:
        raise RuntimeError(_SUPPRESSED)
    return out


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """A Sequential, or a list of functions, in `segments` parts, all but the last checkpointed.

    Example:
        >>> import autogradlab as torch
        >>> parts = [torch.sin, torch.exp, torch.sin]
        >>> x = torch.ones(1, requires_grad=True)
        >>> torch.utils.checkpoint.checkpoint_sequential(parts, 2, x, use_reentrant=False)
        tensor([0.7324], grad_fn=<SinBackward0>)

    Mirrors `torch.utils.checkpoint.checkpoint_sequential`.
    """
    if use_reentrant is None:
        words = _PASS_EXPLICITLY.format(_IN_SEQUENTIAL)
        warnings.warn(f"torch.utils.checkpoint.checkpoint_sequential: {words}", stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    size = len(functions) // segments
    layers = list(functions.children()) if hasattr(functions, "children") else list(functions)

    def part(start: int, end: int) -> Callable[[Any], Any]:
        def run(x: Any) -> Any:
            for layer in layers[start : end + 1]:
                x = layer(x)
            return x

        return run

    end = -1
    for start in range(0, size * (segments - 1), size):
        end = start + size - 1
        input = checkpoint(part(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return part(end + 1, len(layers) - 1)(input)


def get_device_states(*args: Any) -> tuple[list[int], list[Tensor]]:
    """The devices of the tensors that are not on the CPU, and the states of their generators: none here.

    >>> import autogradlab as torch
    >>> torch.utils.checkpoint.get_device_states(torch.ones(2))
    ([], [])
    """
    return [], []


def set_device_states(devices: list[int], states: list[Tensor], *, device_type: str | None = None) -> None:
    """Put back the states of the generators of devices, as get_device_states gave them: of none here."""
