"""autograd.Function: operations whose forward and backward the user writes."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.arguments.mismatch import typename
from ..core.graph.node import NO_EDGE, Edge, Node, edge_to, node_class, pair, sequence
from ..core.memory.rows import levels_of
from ..core.memory.strided import view_strides, window
from ..core.memory.versions import increment_version
from ..core.recording.inplace import check_inplace, rebase
from ..core.recording.record import TENSORS as F
from ..core.recording.record import finish, pack, save_output
from ..core.recording.views import share
from ..core.runtime import errors, modes
from ..core.runtime.warn import warn
from ..core.tensor import overriding
from ..core.tensor.edges import was_leaf
from ..core.tensor.tensor import INFERENCE, Tensor, gradient_edge, requires_grad, wrap
from .context import (
    BackwardCFunction,
    Context,
    FunctionCtx,
    FunctionNode,
    _FunctionBase,
    _HookMixin,
    no_backward,
    no_jvp,
    put,
    transforms,
)
from .grad_mode import no_grad, set_grad
from .trees import flat, like, spread_over, structure

__all__ = [
    "BackwardCFunction",
    "Function",
    "FunctionCtx",
    "FunctionMeta",
    "InplaceFunction",
    "NestedIOFunction",
    "delayed_error",
    "once_differentiable",
]


class FunctionMeta(type):
    """Makes the Node class of each Function: MyFn gets MyFnBackward."""

    __module__ = "torch.autograd.function"

    _backward_cls: Any
    #: the same inside of functional transforms, which have another name for it
    _generated: Any

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        super().__init__(name, bases, attrs)
        cls._backward_cls, cls._generated = (_node_class(cls, name + end) for end in ("Backward", "GeneratedBackward"))


def _node_class(cls: Any, name: str) -> Any:
    """The class of the Nodes of a Function, with that of their contexts."""
    shown = {"__module__": "torch.autograd.function", "_forward_cls": cls}
    context = type(name, (BackwardCFunction, Context), dict(shown))
    attributes = property(lambda node: node._ctx.__dict__)
    return type(
        name,
        (BackwardCFunction, FunctionNode),
        {**shown, "__slots__": (), "_context_class": context, "__dict__": attributes},
    )


class _SingleLevelFunction(_FunctionBase, FunctionCtx, _HookMixin, metaclass=FunctionMeta):
    """The base of Functions that no transform takes apart."""

    __module__ = "torch.autograd.function"


class Function(_SingleLevelFunction):
    """The base of operations whose derivative one writes oneself: forward(ctx, …) and backward(ctx, *grads),
    called by apply.

    Note: ctx.save_for_backward keeps tensors for backward; ctx.mark_dirty, mark_non_differentiable and
        set_materialize_grads say more.

    Example:
        >>> import autogradlab as torch
        >>> class Double(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x * 2
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return grad * 2
        ...
        >>> x = torch.tensor([1.], requires_grad=True)
        >>> Double.apply(x)
        tensor([2.], grad_fn=<DoubleBackward>)

    Mirrors `torch.autograd.Function`.
    """

    __module__ = "torch.autograd.function"

    generate_vmap_rule = False
    clear_saved_tensors_on_access = False
    boxed_grads_call = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
            "version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs; not recorded."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what backward needs, if `forward` takes no ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    backward = staticmethod(no_backward)
    #: another name under which the backward may be given
    vjp = backward

    jvp = staticmethod(no_jvp)

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """What the Function does to batches; a Function that functional transforms map defines it."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and record its Node."""
        separate = cls.setup_context is not Function.setup_context
        if transforms.depth or transforms.functionalizing:
            _check_transforms(cls, separate)
        if separate or kwargs:
            args = _bound(cls.forward, separate, args, kwargs)
        local = modes.current()
        rule = None
        if local.mapped and cls.vmap is not Function.vmap and (rule := innermost(args, local)):
            if not _differentiated_within(rule[0]):
                return by_rule(cls, args, rule, local)
        if transforms.differentiating():
            kind = cls._generated
        else:
            kind = _mapped(cls, args, local) if local.mapped and cls.generate_vmap_rule else cls._backward_cls
        node: FunctionNode = kind.__new__(kind)
        recording = _start(node, args, local)
        ctx = node._ctx
        tangents = _tangents(args) if transforms.forward else []
        before, captured = (local.grad, local.record), local.captured
        forward, transforms.forward_enabled = transforms.forward_enabled, False
        try:
            set_grad(False)
            if separate and transforms.depth:
                output = _taken_apart(cls, ctx, args, rule, local)
            elif separate:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args)
        finally:
            local.captured = captured
            transforms.forward_enabled = forward
            local.grad, local.record = before
            local.refresh()
        single = not isinstance(output, tuple)
        kept = ctx.saved_for_forward
        made = (output,) if single else output
        whole = _marked(ctx, args, made) if tangents else []
        outputs = _finish(node, ctx, args, made, recording, separate, local)
        if tangents:
            _go_forward(cls, ctx, kept, args, tangents, outputs, whole)
        del ctx  # or a Node that nothing needs would find it kept
        return outputs[0] if single else outputs


class _Within:
    """A transform that differentiates, as code of a Function meets it: what lies beneath it is `hidden` from it, or all
    tensors are wrapped by it."""

    def __init__(self, level: Any, hidden: bool) -> None:
        self.own, self.recorded, self.hidden, self._around = level.own, level.recorded, hidden, level.around

    def around(self, t: Tensor, every: bool = True) -> tuple[str, Tensor]:
        """How tensors print, and what they are outside."""
        text, outside = self._around(t, True)
        return "" if self.hidden else text, outside


def _place_of(level: int) -> int:
    """Where among the transforms the vmap of a level stands."""
    return next(i for i, one in enumerate(transforms.stack) if getattr(one, "level", None) == level)


def _differentiates(one: Any) -> bool:
    return not hasattr(one, "level")


def _differentiated_within(level: int) -> bool:
    """Whether a transform that differentiates stands within the vmap of a level."""
    return any(map(_differentiates, transforms.stack[_place_of(level) + 1 :]))


def _taken_apart(cls: Any, ctx: Any, args: tuple[Any, ...], rule: Any, local: modes.State) -> Any:
    """What `forward` gives, which runs beneath all transforms, or the Function's own `vmap` in its place (`rule`); then
    `setup_context` runs at each level that differentiates, the last time for `ctx`."""
    stack, captured = transforms.stack, local.captured
    first = 0 if rule is None else _place_of(rule[0]) + 1
    levels = [i for i, one in enumerate(stack) if i >= first and _differentiates(one)]
    kind = type(ctx)

    def seen(from_: int) -> tuple[Any, ...]:
        return tuple([_Within(one, i >= from_) if _differentiates(one) else one for i, one in enumerate(stack)])

    try:
        local.captured = ()
        if rule is None:
            transforms.stack = seen(0)
            output = cls.forward(*args)
        else:
            output = by_rule(cls, args, rule, local)
        local.captured = captured
        for i in levels[rule is not None :]:
            transforms.stack = seen(i)
            cls.setup_context(kind(ctx._node(), (False,) * len(args), None), args, output)
        transforms.stack = seen(len(stack))
        cls.setup_context(ctx, args, output)
    finally:
        transforms.stack, local.captured = stack, captured
    return output


def _base(t: Tensor) -> Tensor:
    """The base of a view; a tensor that is not a view, itself."""
    return t if t._view is None else t._view.base


def _marked(ctx: Any, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> list[tuple[Any, bool, bool, bool]]:
    """Of each output of forward: it itself, whether it is differentiable, whether it was changed in place, and whether
    it is an input or a view of one."""
    fixed, dirty = ctx.non_differentiable or (), ctx.dirty_tensors or ()
    found = []
    for o in outputs:
        tensor = isinstance(o, Tensor)
        diff = tensor and o._array.dtype.kind in "fcV" and all(o is not t for t in fixed)
        changed = any(o is t for t in dirty)
        view = tensor and any(
            o is a
            or (
                isinstance(a, Tensor)
                and o._view is not None
                and o._view.base is (a if a._view is None else a._view.base)
            )
            for a in args
        )
        found.append((o, diff, changed, view))
    return found


_ASSERT = (
    "(new_grad_base.is_floating_point() || new_grad_base.is_complex()) && (self_base.is_floating_point() || "
    'self_base.is_complex()) INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/torch/csrc/autograd/autograd_meta.cpp":'
    "159, please report a bug to PyTorch. Expected both tensor and its forward grad to be floating point or complex"
)


def _tangents(args: tuple[Any, ...]) -> list[tuple[Any, list[Any]]]:
    """The tangents of arguments, for each level of forward mode, the innermost first, in which one of them has one."""
    found = [
        (level, [level.tangent(a) if isinstance(a, Tensor) else None for a in args])
        for level in reversed(transforms.forward if transforms.forward_enabled else ())
    ]
    return [(level, given) for level, given in found if any(t is not None for t in given)]


def _go_forward(
    cls: Any,
    ctx: Any,
    kept: Any,
    args: tuple[Any, ...],
    tangents: list[tuple[Any, list[Any]]],
    outputs: tuple[Any, ...],
    whole: list[tuple[Any, bool, bool, bool]],
) -> None:
    """Give the outputs of a Function the tangents that its `jvp` makes of those of its arguments."""
    for level, given in tangents:
        if ctx._fill:
            for i, (a, t) in enumerate(zip(args, given, strict=True)):
                if t is None and isinstance(a, Tensor) and a._array.dtype.kind in "fcV":
                    given[i] = wrap(np.zeros_like(a._array))
        before = transforms.forward_enabled
        ctx._kept_for_jvp = kept or ()
        transforms.forward_enabled = False
        versions = [None if t is None else t._version for t in given]
        try:
            found = cls.jvp(ctx, *given)
        finally:
            ctx._kept_for_jvp = None
            transforms.forward_enabled = before
        made = found if isinstance(found, tuple) else (found,)
        written = [t for t, version in zip(given, versions, strict=True) if t is not None and t._version != version]
        _check_tangents(made, given, args, whole, written)
        for o, t, (_, diff, _, _) in zip(outputs, made, whole, strict=True):
            if diff:
                if not requires_grad(o):
                    begun = level.begin(wrap(o._array))
                    o._edge = gradient_edge(begun)
                level.add(o, t)


def _check_tangents(
    found: tuple[Any, ...], given: list[Any], args: tuple[Any, ...], whole: Any, written: list[Tensor]
) -> None:
    """Refuse what a `jvp` returned that does not fit the outputs. whole: of each output, what forward returned, whether
    it is differentiable, whether it was changed in place, and whether it is an input or a view of one. written: the
    tangents that it was given and has changed in place."""
    if len(found) != len(whole):
        raise RuntimeError(
            f"Function's jvp returned an invalid number of forward gradients (expected {len(whole)} but got "
            f"{len(found)})"
        )
    for i, (t, (o, diff, changed, view)) in enumerate(zip(found, whole, strict=True)):
        if t is not None and not isinstance(t, Tensor):
            raise RuntimeError(f"expected Variable or None (got {typename(t)}) for grad output {i}.")
        if not diff:
            if t is not None:
                raise RuntimeError(
                    f"Function's jvp returned a gradient at position {i}, but  the corresponding forward output is not "
                    "a differentiable Tensor.You should return None at that position instead."
                )
            continue
        if changed:
            _check_changed(t, next((d for d, a in zip(given, args, strict=True) if a is o), None), written)
        elif view:
            _check_view(o, t, given, args)
        if t is None or t._array.dtype.kind not in "fcV":
            raise RuntimeError(_ASSERT)
        check = t._array.shape
        if check != o._array.shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
                f"not supported. Tensor is of size {list(o.shape)} while the given forward gradient is of size "
                f"{list(t.shape)}."
            )


def _check_changed(t: Tensor | None, given: Tensor | None, written: list[Tensor]) -> None:
    """Refuse the tangent of an argument that was changed in place, unless it is the given one, changed in place."""
    if t is None or all(given is not w for w in written):
        raise RuntimeError(
            "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is "
            "modifying an input inplace, then the jvp function must modify the corresponding gradient inplace."
        )
    if t is not given:
        raise RuntimeError(
            "An inplace custom Function is not returning the forward mode gradients as-is. If the forward is modifying "
            "an input inplace, then the jvp function must modify the gradient inplace and return it as-is."
        )


def _check_view(o: Tensor, t: Any, given: list[Any], args: tuple[Any, ...]) -> None:
    """Refuse the tangent of a view of an argument that is no view of the tangent of that argument."""
    if t is None or t._view is None:
        raise RuntimeError(
            "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
        )
    tensors = [(a, d) for a, d in zip(args, given, strict=True) if isinstance(a, Tensor) and d is not None]
    source, direction = next((pair for pair in tensors if _base(pair[0]) is _base(o)), (None, None))
    if source is None or direction is None:
        return
    start = "A custom Function is returning a view but the jvp is not returning a view of the "
    if source._view is None or any(level.has(source) for level in transforms.forward):
        if t._view.base is not _base(direction):
            raise RuntimeError(start + "given grad input.")
    elif direction._view is None or t._view.base is not direction._view.base:
        raise RuntimeError(start + "same base as the given grad input.")


def _check_transforms(cls: Any, separate: bool) -> None:
    """Refuse a Function that functional transforms cannot take apart."""
    if not separate:
        raise RuntimeError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
            "override the setup_context staticmethod. For more details, please see "
            "https://pytorch.org/docs/main/notes/extending.func.html"
        )
    if transforms.functionalizing:
        raise RuntimeError("NYI: Functionalize rule for custom_function_call")
    if transforms.mapping:
        _check_rule(cls)


def _mapped(cls: Any, args: tuple[Any, ...], local: modes.State) -> Any:
    """The class of the Nodes of a Function whose rule for vmap is made for it: its name tells of how many vmaps the
    arguments are rows."""
    levels = {level for a in flat(args) if isinstance(a, Tensor) for level in levels_of(a._array.shape)}
    count = sum(mapped[0] in levels for mapped in local.mapped)
    kinds = cls.__dict__.get("_mapped_cls")
    if kinds is None:
        kinds = cls._mapped_cls = {0: cls._backward_cls}
    if count not in kinds:
        kinds[count] = _node_class(cls, f"{'Vmapped' * count}{cls.__name__}Backward")
    return kinds[count]


def _check_rule(cls: Any) -> None:
    """Refuse a Function that has neither or both of `vmap` and generate_vmap_rule."""
    own = cls.vmap is not Function.vmap
    if own and cls.generate_vmap_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden vmap "
            "staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid "
            "ambiguity. For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
        )
    if not (own or cls.generate_vmap_rule):
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement "
            "the vmap staticmethod or set generate_vmap_rule=True. For more details, please see "
            "https://pytorch.org/docs/main/notes/extending.func.html"
        )


class VmapInfo(NamedTuple):
    """What a Function's `vmap` is told of the vmap that calls it."""

    batch_size: int
    randomness: str


def innermost(args: tuple[Any, ...], local: modes.State) -> tuple[int, int, str, int] | None:
    """The innermost vmap, with what is known of it, of whose rows an argument is made."""
    levels = {level for a in flat(args) if isinstance(a, Tensor) for level in levels_of(a._array.shape)}
    return next((mapped for mapped in reversed(local.mapped) if mapped[0] in levels), None)


_TWO_RETURNS = (
    "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible with "
    "the output. Got a {} instead"
)


def by_rule(cls: Any, args: tuple[Any, ...], mapped: tuple[int, int, str, int], local: modes.State) -> Any:
    """What a Function's own `vmap` gives, outside of the vmap of whose rows the arguments are made."""
    level, size, randomness, _ = mapped
    whole, places = zip(*[_outside(a, level, size) for a in flat(args)], strict=True)
    before = local.levels, local.mapped
    stack, depth, mapping = transforms.stack, transforms.depth, transforms.mapping
    try:
        transforms.stack = stack[: _place_of(level)]
        transforms.depth -= len(stack) - len(transforms.stack)
        transforms.mapping -= sum(not _differentiates(one) for one in stack[len(transforms.stack) :])
        local.levels = tuple([other for other in local.levels if other != level])
        local.mapped = tuple([other for other in local.mapped if other[0] != level])
        dims = like(args, iter(places))
        info = VmapInfo(size, "error" if randomness == "never" else randomness)
        found = cls.vmap(info, dims, *like(args, iter(whole)))
    finally:
        local.levels, local.mapped = before
        transforms.stack, transforms.depth, transforms.mapping = stack, depth, mapping
    if not isinstance(found, tuple):
        raise RuntimeError(_TWO_RETURNS.format(type(found)))
    if len(found) != 2:
        raise RuntimeError(_TWO_RETURNS.format(f"{len(found)} returns").replace("Got a ", "Got "))
    made, out_dims = found
    each = spread_over(out_dims, made)
    if each is None:
        raise RuntimeError(
            f"The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
            f"out_dims={out_dims} to be compatible with the structure of `output`. out_dims has structure "
            f"{structure(out_dims)} but output has structure {structure(made)}. For more details, please see "
            "https://pytorch.org/docs/main/notes/extending.func.html"
        )
    return like(made, iter([_entered(t, d, level) for t, d in zip(flat(made), each, strict=True)]))


def _outside(a: Any, level: int, size: int) -> tuple[Any, int | None]:
    """What an argument is outside of a vmap, and the dimension of it that counts rows; None if none does."""
    if not (isinstance(a, Tensor) and level in levels_of(a._array.shape)):
        return a, None
    known, inner = transforms.stack[_place_of(level)].known, a
    while id(inner) not in known and (outer := getattr(inner, "_stands_for", None)) is not None:
        inner = outer
    if id(inner) in known:
        return known[id(inner)][1:]
    return F._remove_batch_dim(a, level, size, 0), 0


def _entered(t: Any, dim: Any, level: int) -> Any:
    """A result whose rows lie along a dimension, as Rows."""
    return F._add_batch_dim(t, dim % t._array.ndim, level) if isinstance(t, Tensor) and isinstance(dim, int) else t


def _bound(forward: Any, separate: bool, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """All arguments of forward by position, defaults included."""
    import inspect

    signature = inspect.signature(forward)
    if separate:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if transforms.depth and any(isinstance(value, Tensor) for value in bound.kwargs.values()):
            raise NotImplementedError(
                "Run vmap on autograd.Function with kwarg-only Tensor args. Please do not pass kwarg-only Tensors to "
                f"autograd.Function. Got: {bound.kwargs}"
            )
        if bound.kwargs:
            raise TypeError(f"forward() got an unexpected keyword argument '{next(iter(bound.kwargs))}'")
        return bound.args
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [name for name, p in signature.parameters.items() if p.kind in kinds][1:]
    values = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
        if name in values:
            raise TypeError(f"forward() got multiple values for argument '{name}'")
        values[name] = value
    for i, name in enumerate(names):
        default = signature.parameters[name].default
        if name not in values and default is inspect.Parameter.empty:
            raise TypeError(f"forward() missing required argument: '{name}' (position {i})")
        values.setdefault(name, default)
    return (*(values[name] for name in names), *args[len(names) :])


def _check_bools(**flags: Any) -> None:
    """Refuse attributes of a Function that are no bools."""
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise RuntimeError(f"{name} must be a bool, got {typename(value)}")


def _start(node: FunctionNode, args: tuple[Any, ...], local: modes.State) -> bool:
    """Give a new Node its edges and its ctx, before forward runs."""
    edges: list[Edge] = []
    wants = []
    is_tensor = []
    for a in args:
        tensor = isinstance(a, Tensor)
        is_tensor.append(tensor)
        wanted = tensor and requires_grad(a)
        wants.append(wanted)
        if tensor:
            edges.append(gradient_edge(a) if wanted and local.record else NO_EDGE)
    recording = local.record and any(wants)
    put(node, "_seq", sequence())
    put(node, "hooks", None)
    put(node, "saved", ())
    put(node, "shape", None)
    put(node, "dtype", None)
    put(node, "multi", False)
    put(node, "_edges", tuple(edges) if recording else ())
    put(node, "_is_tensor", tuple(is_tensor))
    cls = node._forward_cls
    once, boxed = cls.clear_saved_tensors_on_access, cls.boxed_grads_call
    if once is not False or boxed is not False:
        _check_bools(clear_saved_tensors_on_access=once, boxed_grads_call=boxed)
    if transforms.forward:  # what requires grad for tangents alone does not count
        wants = [wanted and a.requires_grad for a, wanted in zip(args, wants, strict=True)]
    put(node, "_ctx", node._context_class(node, tuple(wants), False if once else None))
    if recording and not local.plain:
        finish(node, local)  # anomaly mode notes where forward was called; saved tensors are packed later
    return recording


def _members(marked: Any, message: str) -> tuple[Tensor, ...]:
    if not marked:
        return ()
    for t in marked:
        if not isinstance(t, Tensor):
            raise RuntimeError(message)
    return tuple(marked)


def _among(t: Any, others: Sequence[Any]) -> bool:
    """Whether it is that very object."""
    for other in others:  # noqa: SIM110 a generator takes longer than the loop
        if other is t:
            return True
    return False


def _finish(
    node: FunctionNode,
    ctx: Any,
    args: tuple[Any, ...],
    outputs: tuple[Any, ...],
    recording: bool,
    separate: bool,
    local: modes.State,
) -> tuple[Any, ...]:
    """Connect the outputs to the Node and save what is to be saved."""
    to_save = ctx.to_save or ()
    for i, t in enumerate(to_save if recording else ()):
        if t is not None and not isinstance(t, Tensor):
            raise TypeError(f"save_for_backward can only save variables, but argument {i} is of type {typename(t)}")
    fixed = _members(ctx.non_differentiable, "mark_non_differentiable only accepts variable arguments, but got ")
    dirty = _members(ctx.dirty_tensors, "mark_dirty can only accept variables, but argument ")
    for t in dirty:
        if t._counter is not INFERENCE:
            increment_version(t)
    if len(outputs) == 1:
        only = outputs[0]
        if isinstance(only, Tensor):
            put(node, "shape", only._array.shape)
            put(node, "dtype", only._array.dtype)
    else:
        put(node, "multi", True)
        put(node, "shape", tuple(o._array.shape if isinstance(o, Tensor) else None for o in outputs))
        put(node, "dtype", tuple(o._array.dtype if isinstance(o, Tensor) else None for o in outputs))
    kept = (*to_save, *(ctx.saved_for_forward or ())) if separate else ()
    results = []
    differentiable = 0
    if not ctx._materialize_non_diff_grads:
        ctx._without_gradient = [nr for nr, o in enumerate(outputs) if _among(o, fixed)]
    for nr, o in enumerate(outputs):
        if not isinstance(o, Tensor):
            results.append(o)
            continue
        is_input = _among(o, args)
        changed = bool(dirty) and _among(o, dirty)
        diff = recording and o._array.dtype.kind in "fcV" and not (fixed and _among(o, fixed))
        detached = not diff and requires_grad(o)
        if separate and is_input and not changed and not detached and _among(o, kept):
            raise RuntimeError(
                "An input that has been returned as-is as output is being saved for backward. This is not supported "
                "if you override setup_context. You should return and save a view of the input instead, e.g. with "
                "x.view_as(x) or setup ctx inside the forward function itself."
            )
        differentiable += diff
        results.append(_connected(node, nr, o, is_input, changed, diff, len(outputs)))
    if differentiable > 1:
        for o in results:
            if isinstance(o, Tensor) and o._view is not None and o._view.creation == "custom":
                o._view.creation = "multi_output"
    if ctx._of_pure_view:
        if len(outputs) != 1 or sum(node._is_tensor) != 1:
            raise RuntimeError(
                "Pure view custom Function can only have one input Tensor and one output Tensor. Open an issue if you "
                "need to support more."
            )
        for o in results:
            if isinstance(o, Tensor) and o._view is not None and o._view.creation == "custom":
                o._view.creation = None
    if dirty and not all(_among(t, outputs) for t in dirty):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that "
            "are modified inplace must all be outputs of the Function."
        )
    # these tensors' history may lead to the Node
    ctx.to_save = ctx.dirty_tensors = ctx.non_differentiable = ctx.saved_for_forward = None
    if recording:
        _save(node, to_save, dirty, local)
    return tuple(results)


def _alias(t: Tensor) -> Tensor:
    """A view of the same memory that autograd does not track yet; of an object of a subclass what its `view_as` is."""
    if not overriding.overrides(type(t)):
        x = t._array
        steps = view_strides(x, x.shape) if type(x) is np.ndarray and x.size and 1 in x.shape else None
        return share(t, x.view() if steps is None else window(x, x.shape, steps), None, "custom")
    with no_grad():
        made = t.view_as(t)
    return _custom(made, changed=False)


def _connected(node: FunctionNode, nr: int, o: Tensor, is_input: bool, changed: bool, diff: bool, count: int) -> Tensor:
    """An output of forward, with its place in the graph."""
    if not diff:
        if not requires_grad(o):
            return _alias(o) if is_input and not changed else _custom(o, changed)
        if is_input:
            return o.detach()
        if o._view is None:
            o._edge = NO_EDGE
        return _custom(o, changed)
    if changed:
        if requires_grad(o) and was_leaf(o):
            raise RuntimeError(errors.LEAF_INPLACE.replace("is being", "has been"))
        if not is_input:
            if o._view is not None:
                raise RuntimeError(errors.DIRTY_NO_INPUT)
            warn(errors.DIRTY_NO_INPUT, at="torch/csrc/autograd/custom_function.cpp:320")
        if o._view is not None and count == 1:
            check_inplace(o)
        if o._view is not None and count > 1:
            raise RuntimeError(
                "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
                "return more than one Tensor. This is not supported by the current autograd engine. You should "
                "either make sure the input is not a view (using .clone() for example) or make your Function only "
                "return one Tensor (potentially splitting it into two Functions: one doing the inplace that returns "
                "a single Tensor and a second one that does the other operations). You can ask on the forum "
                "https://discuss.pytorch.org/ if you need help to do this change."
            )
        check_inplace(o)
        o._grad = None
        if o._meta is not None:
            o._meta.hooks = None
        rebase(o, node)
        if o._view is None:
            o._edge = edge_to(node, nr)
        return o
    if is_input:
        o = _alias(o)
    view = o._view
    if view is not None:
        view.edge = edge_to(node, nr)
        view.version = o._counter[0]
        view.creation = "custom"
    else:
        o._edge = edge_to(node, nr)
    return o


def _custom(o: Tensor, changed: bool) -> Tensor:
    if o._view is not None and not changed:
        o._view.creation = "custom"
    return o


def _save(node: FunctionNode, to_save: tuple[Any, ...], dirty: tuple[Tensor, ...], local: modes.State) -> None:
    """Fill the Node's `saved`: outputs without their history, which leads back to the Node. A view that was changed in
    place, the only output then, has its history by way of its base."""
    items: list[Any] = []
    versions: list[Any] = []
    for t in to_save:
        if t is None:
            items.append(None)
            versions.append(None)
            continue
        versions.append(t._counter[0])
        made, nr = (node, 0) if t._view is not None and _among(t, dirty) else pair(gradient_edge(t))
        items.append(save_output(t, nr) if made is node else t)
    put(node, "saved", (*items, *versions))
    if local.saved_hooks:
        try:
            pack(node, local.saved_hooks[-1])
        except BaseException:
            put(node, "saved", ())  # an output that no hook has packed would keep the Node alive, which keeps it
            raise


class _Error(Node):
    """Raises when it runs: the derivative of something that cannot be differentiated again."""

    __slots__ = ("message", "multi")
    multi: bool
    message: str

    def name(self) -> str:
        """The Node's name in PyTorch."""
        return "torch::autograd::Error"

    def run(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """One step of backward, on arrays."""
        raise RuntimeError(self.message)

    def run_recorded(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """One step of backward, on tensors, recorded."""
        raise RuntimeError(self.message)


_ErrorNode = node_class("Error", _Error)


def delayed_error(message: str, tensors: tuple[Any, ...], own: bool = True) -> tuple[Any, ...]:
    """Aliases of tensors, through which backward fails with `message`.

    own: they do not lead to what the tensors were made of, but require grad whatever those do.
    """
    node: Any = _ErrorNode()
    node.message = message
    aliases = [None if t is None else t.detach() if own else t for t in tensors]
    if not own and not (modes.current().record and any(map(requires_grad, tensors))):
        return tuple(t.detach() for t in tensors)
    for a in aliases:
        if own and a is not None:
            a.requires_grad = True
    node._edges = tuple(NO_EDGE if a is None else gradient_edge(a) for a in aliases)
    shapes = tuple(None if a is None else a._array.shape for a in aliases)
    types = tuple(None if a is None else a._array.dtype for a in aliases)
    several = len(aliases) > 1
    node.multi = several
    node.shape, node.dtype = (shapes, types) if several else (shapes[0], types[0])
    results: list[Any] = []
    for nr, a in enumerate(aliases):
        if a is not None:
            a = wrap(a._array)
            a._edge = edge_to(node, nr)
        results.append(a)
    return tuple(results)


#: a gradient that cannot be differentiated again, as formulas name it
F.not_again = lambda grad, message: delayed_error(message, (grad,), own=False)[0]


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator for `backward`: it is not recorded, and to differentiate its result is an error."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with no_grad():
            outputs = fn(ctx, *args, **kwargs)
        if not modes.current().grad or not any(isinstance(a, Tensor) and requires_grad(a) for a in args):
            return outputs
        several = outputs if isinstance(outputs, tuple) else (outputs,)
        failing = delayed_error(
            "trying to differentiate twice a function that was marked with @once_differentiable", several
        )
        return failing if isinstance(outputs, tuple) else failing[0]

    return wrapper


class InplaceFunction(Function):
    """Kept for old code: a Function with a flag `inplace`."""

    __module__ = "torch.autograd.function"

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """A Function of nested tuples and lists of tensors, in the old form.

    Example:
        >>> import autogradlab as torch
        >>> issubclass(torch.autograd.NestedIOFunction, torch.autograd.Function)
        True

    Mirrors `torch.autograd.NestedIOFunction`.
    """

    __module__ = "torch.autograd.function"

    def forward_extended(self, *args: Any) -> Any:
        """The forward computation; a subclass defines it."""
        raise NotImplementedError

    def backward_extended(self, *args: Any) -> Any:
        """The gradients of the inputs; a subclass defines it."""
        raise NotImplementedError
