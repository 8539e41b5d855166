"""autograd.Function: operations whose forward and backward the user writes."""

from __future__ import annotations

import functools
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.graph.node import NO_EDGE, Edge, Node, edge_to, node_class, pair, reachable, sequence
from ..core.memory.rows import levels_of
from ..core.memory.versions import increment_version
from ..core.recording.inplace import check_inplace, rebase
from ..core.recording.record import TENSORS as F
from ..core.recording.record import finish, pack, save_output
from ..core.recording.views import share
from ..core.runtime import errors, modes
from ..core.runtime.warn import warn
from ..core.tensor.edges import made_by
from ..core.tensor.tensor import INFERENCE, Tensor, gradient_edge, requires_grad, wrap
from .context import UNSET, BackwardCFunction, Context, FunctionCtx, no_backward, no_jvp, put, transforms
from .grad_mode import no_grad, set_grad

__all__ = [
    "BackwardCFunction",
    "Function",
    "FunctionCtx",
    "FunctionMeta",
    "InplaceFunction",
    "NestedIOFunction",
    "check_rules",
    "delayed_error",
    "once_differentiable",
]


class FunctionMeta(type):
    """Makes the Node class of each Function: MyFn gets MyFnBackward."""

    _backward_cls: Any

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        super().__init__(name, bases, attrs)
        shown = {"__module__": "torch.autograd.function", "_forward_cls": cls}
        context = type(name + "Backward", (Context,), dict(shown))
        cls._backward_cls = type(
            name + "Backward", (BackwardCFunction,), {**shown, "__slots__": (), "_context_class": context}
        )


class Function(FunctionCtx, metaclass=FunctionMeta):
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
        if transforms.depth:
            _check_transforms(cls, separate)
        if separate or kwargs:
            args = _bound(cls.forward, separate, args, kwargs)
        if transforms.duals and cls.jvp is no_jvp and not transforms.transposing and _has_tangent(args):
            no_jvp(None)
        local = modes.current()
        if local.mapped and cls.vmap is not Function.vmap and (level := _innermost(args, local)):
            return _by_rule(cls, args, level, local)
        node: BackwardCFunction = cls._backward_cls.__new__(cls._backward_cls)
        recording = _start(node, args, local)
        ctx = node._ctx
        before = local.grad, local.record
        try:
            set_grad(False)
            output = cls.forward(*args) if separate else cls.forward(ctx, *args)
            if separate:
                cls.setup_context(ctx, args, output)
        finally:
            local.grad, local.record = before
            local.refresh()
        single = not isinstance(output, tuple)
        if transforms.duals:
            ctx._inputs = tuple((a._array.shape, a._array.dtype) if isinstance(a, Tensor) else None for a in args)
            ctx._for_jvp = ctx.saved_for_forward
        outputs = _finish(node, ctx, args, (output,) if single else output, recording, separate, local)
        return outputs[0] if single else outputs

    @classmethod
    def _transposed(cls, node: BackwardCFunction, grads: list[Any]) -> tuple[Any, ...]:
        """What a Node gives in a pass that forward mode makes: zeros, which lead back to `grads` by way of `jvp`."""
        if cls.jvp is no_jvp:
            no_jvp(None)
        return _Transposed.apply(node, *grads)


class _Transposed(Function):
    """The backward of a Function with the roles of forward and backward exchanged: its own backward is that Function's
    `jvp`."""

    generate_vmap_rule = True

    @staticmethod
    def forward(node: BackwardCFunction, *grads: Any) -> Any:
        like = [i for i in node._ctx._inputs if i is not None]
        edges = node._edges
        return tuple(
            wrap(np.zeros(shape, kind)) if edge is not NO_EDGE else None
            for (shape, kind), edge in zip(like, edges, strict=True)
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.of = inputs[0]
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *tangents: Any) -> Any:
        node = ctx.of
        user = node._ctx
        fill = user.__dict__.get("materialize_grads", True)
        each = iter(tangents)
        given = []
        for like in user._inputs:
            t = None if like is None else next(each)
            given.append(wrap(np.zeros(*like)) if t is None and like is not None and fill else t)
        user._kept_for_jvp = user._for_jvp
        try:
            found = node._forward_cls.jvp(user, *given)
        finally:
            del user._kept_for_jvp
        return None, *_tangents(node, found if isinstance(found, tuple) else (found,))


def _tangents(node: BackwardCFunction, found: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tangents of the outputs, after the checks of what jvp returned."""
    shapes = node.shape if node.multi else (node.shape,)
    if len(found) != len(shapes):
        raise RuntimeError(
            f"Function's jvp returned an invalid number of forward gradients (expected {len(shapes)} but got "
            f"{len(found)})"
        )
    for i, (t, shape) in enumerate(zip(found, shapes, strict=True)):
        if t is None:
            continue
        if not isinstance(t, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(t).__name__}) for grad output {i}.")
        if t._array.shape != shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is "
                f"not supported. Tensor is of size {list(shape)} while the given forward gradient is of size "
                f"{list(t.shape)}."
            )
    return found


def _has_tangent(args: tuple[Any, ...]) -> bool:
    """Whether one of the arguments comes from a tensor with a tangent."""
    starts = (pair(gradient_edge(a))[0] for a in args if isinstance(a, Tensor) and requires_grad(a))
    return any(node in transforms.duals for node in reachable(starts))


def _check_transforms(cls: Any, separate: bool) -> None:
    """Refuse a Function that functional transforms cannot take apart."""
    if not separate:
        raise RuntimeError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
            "override the setup_context staticmethod. For more details, please see "
            "https://pytorch.org/docs/main/notes/extending.func.html"
        )
    if transforms.mapping:
        _check_rule(cls)


def _check_rule(cls: Any) -> None:
    """Refuse a Function that says nothing of batches, or two things."""
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


def _innermost(args: tuple[Any, ...], local: modes.State) -> tuple[int, int, str] | None:
    """The innermost vmap, with what is known of it, of whose rows an argument is made."""
    levels = {level for a in args if isinstance(a, Tensor) for level in levels_of(a._array.shape)}
    return next((mapped for mapped in reversed(local.mapped) if mapped[0] in levels), None)


def _by_rule(cls: Any, args: tuple[Any, ...], mapped: tuple[int, int, str], local: modes.State) -> Any:
    """What a Function's own `vmap` gives, outside of the vmap of whose rows the arguments are made."""
    level, size, randomness = mapped
    inside = [isinstance(a, Tensor) and level in levels_of(a._array.shape) for a in args]
    whole = [F._remove_batch_dim(a, level, size, 0) if rows else a for a, rows in zip(args, inside, strict=True)]
    before = local.levels, local.mapped
    try:
        local.levels = tuple([other for other in local.levels if other != level])
        local.mapped = tuple([other for other in local.mapped if other[0] != level])
        found = cls.vmap(VmapInfo(size, randomness), tuple([0 if rows else None for rows in inside]), *whole)
    finally:
        local.levels, local.mapped = before
    if not (isinstance(found, tuple) and len(found) == 2):
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
            "compatible with the output."
        )
    made, dims = found
    if not isinstance(made, tuple):
        return _entered(made, dims, level)
    spread = dims if isinstance(dims, tuple) else (dims,) * len(made)
    return tuple([_entered(t, d, level) for t, d in zip(made, spread, strict=True)])


def _entered(t: Any, dim: int | None, level: int) -> Any:
    """A result whose rows lie along a dimension, as Rows."""
    return t if dim is None else F._add_batch_dim(t, dim % t._array.ndim, level)


def check_rules(outputs: Sequence[Tensor]) -> None:
    """Refuse tensors that were made by Functions which say nothing of batches."""
    for node in reachable(map(made_by, outputs)):
        if isinstance(node, BackwardCFunction):
            _check_rule(node._forward_cls)


def _bound(forward: Any, separate: bool, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """All arguments of forward by position, defaults included."""
    import inspect

    signature = inspect.signature(forward)
    if separate:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.args
    names = list(signature.parameters)[1:]
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


def _start(node: BackwardCFunction, args: tuple[Any, ...], local: modes.State) -> bool:
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
    ctx = node._context_class()
    ctx._node = weakref.ref(node)
    ctx.needs_input_grad = tuple(wants)
    put(node, "_ctx", ctx)
    if recording and not local.plain:
        finish(node, local)  # notes where forward was called; saved tensors are packed later
    return recording


def _members(ctx: Any, attribute: str, message: str) -> tuple[Tensor, ...]:
    marked: Any = ctx.__dict__.get(attribute) or ()
    for t in marked:
        if not isinstance(t, Tensor):
            raise RuntimeError(message)
    found: tuple[Tensor, ...] = tuple(marked)
    return found


def _finish(
    node: BackwardCFunction,
    ctx: Any,
    args: tuple[Any, ...],
    outputs: tuple[Any, ...],
    recording: bool,
    separate: bool,
    local: modes.State,
) -> tuple[Any, ...]:
    """Connect the outputs to the Node and save what is to be saved."""
    dirty = _members(ctx, "dirty_tensors", "mark_dirty can only accept variables, but argument ")
    for t in dirty:
        if t._counter is not INFERENCE:
            increment_version(t)
        if all(t is not a for a in args):
            if t._view is not None:
                raise RuntimeError(errors.DIRTY_NO_INPUT)
            warn(errors.DIRTY_NO_INPUT, at="torch/csrc/autograd/custom_function.cpp:320")
    fixed = _members(ctx, "non_differentiable", "mark_non_differentiable only accepts variable arguments, but got ")
    if any(all(t is not o for o in outputs) for t in dirty):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that "
            "are modified inplace must all be outputs of the Function."
        )
    to_save = ctx.__dict__.get("to_save") or ()
    for i, t in enumerate(to_save if recording else ()):
        if t is not None and not isinstance(t, Tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {i} is of type {type(t).__name__}"
            )
    if len(outputs) == 1:
        only = outputs[0]
        if isinstance(only, Tensor):
            put(node, "shape", only._array.shape)
            put(node, "dtype", only._array.dtype)
    else:
        put(node, "multi", True)
        put(node, "shape", tuple(o._array.shape if isinstance(o, Tensor) else None for o in outputs))
        put(node, "dtype", tuple(o._array.dtype if isinstance(o, Tensor) else None for o in outputs))
    saved_ids = {id(t) for t in to_save}
    results = []
    differentiable = 0
    if not ctx.__dict__.get("_materialize_non_diff_grads", True):
        ctx._without_gradient = [nr for nr, o in enumerate(outputs) if any(o is t for t in fixed)]
    for nr, o in enumerate(outputs):
        if not isinstance(o, Tensor):
            results.append(o)
            continue
        is_input = any(o is a for a in args)
        changed = any(o is t for t in dirty)
        diff = recording and o._array.dtype.kind in "fcV" and all(o is not t for t in fixed)
        if separate and recording and is_input and not changed and id(o) in saved_ids:
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
    for name in UNSET:  # these tensors' history may lead to the Node
        ctx.__dict__.pop(name, None)
    if recording:
        _save(node, to_save, local)
    return tuple(results)


def _alias(t: Tensor) -> Tensor:
    """A view of the same memory that autograd does not track yet."""
    return share(t, t._array.view(), None, "custom")


def _connected(
    node: BackwardCFunction, nr: int, o: Tensor, is_input: bool, changed: bool, diff: bool, count: int
) -> Tensor:
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
        if o._view is not None and count == 1:
            check_inplace(o)
        if requires_grad(o) and made_by(o) is None and o._view is None:
            raise RuntimeError(errors.LEAF_INPLACE.replace("is being", "has been"))
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


def _save(node: BackwardCFunction, to_save: tuple[Any, ...], local: modes.State) -> None:
    """Fill the Node's `saved`: outputs without their history, which leads back to the Node."""
    items: list[Any] = []
    versions: list[Any] = []
    for t in to_save:
        if t is None:
            items.append(None)
            versions.append(None)
            continue
        versions.append(t._counter[0])
        made, nr = pair(gradient_edge(t))
        items.append(save_output(t, nr) if made is node else t)
    put(node, "saved", (*items, *versions))
    if local.saved_hooks:
        try:
            pack(node, local.saved_hooks[-1])
        except BaseException:
            put(node, "saved", ())  # what hooks have not packed would keep the outputs alive, and they the Node
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
