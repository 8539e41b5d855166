"""Operators of the user's own: how a call finds the kernel, the derivative, or the rule for rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..autograd.function import Function, by_rule, innermost
from ..autograd.grad_mode import no_grad
from ..autograd.trees import flat, like
from ..core.memory.storage import storage_of
from ..core.memory.versions import increment_version
from ..core.recording.record import TENSORS as F
from ..core.runtime import modes
from ..core.tensor.dispatching import ask, concerned
from ..core.tensor.tensor import Tensor
from ..ops.operators import namespaces
from ..ops.operators.overloads import OpOverload, OpOverloadPacket
from ..ops.operators.schema import Schema
from ..utils._pytree import tree_flatten, tree_structure, tree_unflatten

__all__ = ["CustomOpDef", "CustomOverload", "find", "parsed"]


class CustomOpDef:
    """An operator that `custom_op` has made of a function. It is called as the function is.

    Mirrors `torch.library.CustomOpDef`.
    """

    __module__ = "torch._library.custom_ops"

    def __init__(
        self, namespace: str, name: str, schema: str, fn: Callable[..., Any] | None, overload: str = ""
    ) -> None:
        self._namespace, self._name = namespace, name
        self._qualname = f"{namespace}::{name}"
        self._init_fn = fn
        self._backend_fns: dict[str | None, Callable[..., Any]] = {}
        self._abstract_fn: Callable[..., Any] | None = None
        self._setup_context_fn: Callable[..., Any] | None = None
        self._backward_fn: Callable[..., Any] | None = None
        self._vmap_fn: Callable[..., Any] | None = None
        read = Schema(self._qualname, schema, overload)
        if fn is not None and any(a.keyword and a.kind.startswith("Tensor") for a in read.arguments):
            raise NotImplementedError(
                f"custom_op with kwarg-only Tensor args. Please make your tensors not kwarg-only. Got: {name}{schema}"
            )
        self._opoverload = self._overload_of(read)
        packets = namespaces.namespace(namespace)
        known = vars(packets).get(name) if fn is None else None
        setattr(packets, name, OpOverloadPacket([*(known._overloads.values() if known else ()), self._opoverload]))

    def _overload_of(self, schema: Schema) -> OpOverload:
        return CustomOverload(self, schema)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._opoverload(*args, **kwargs)

    def register_kernel(self, device_types: Any, fn: Callable[..., Any] | None = None, /) -> Any:
        """Another kernel, for a device type or several of them; a decorator where no function is given.

        Mirrors `torch.library.CustomOpDef.register_kernel`.
        """

        def register(kernel: Callable[..., Any]) -> Callable[..., Any]:
            kinds = [device_types] if device_types is None or isinstance(device_types, str) else device_types
            self._backend_fns.update(dict.fromkeys(kinds, kernel))
            return kernel

        return register if fn is None else register(fn)

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """What it gives for tensors without contents, of the device "meta".

        Mirrors `torch.library.CustomOpDef.register_fake`.
        """
        self._abstract_fn = fn
        return fn

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Its derivative: `backward(ctx, *grads)` gives a gradient for each input, `setup_context(ctx, inputs, output)`
        saves what it needs.

        Errors: RuntimeError for an operator that changes its arguments, or returns nothing.

        Mirrors `torch.library.CustomOpDef.register_autograd`.
        """
        schema = self._opoverload._schema
        if not schema.functional:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self} with schema {schema}. Please "
                "create a functional operator and register an autograd formula for that."
            )
        self._backward_fn, self._setup_context_fn = backward, setup_context

    def register_vmap(self, func: Callable[..., Any] | None = None) -> Any:
        """What it gives for rows: `func(info, in_dims, *args)` returns the output and the dimensions that count them.

        Mirrors `torch.library.CustomOpDef.register_vmap`.
        """

        def register(rule: Callable[..., Any]) -> None:
            self._vmap_fn = rule

        return register if func is None else register(func)

    def _kernel(self, device: str) -> Callable[..., Any]:
        if device == "meta":
            if self._abstract_fn is None:
                name = getattr(self._init_fn, "__name__", "")
                raise RuntimeError(
                    f"There was no fake impl registered for {self}. This is necessary for torch.compile/export/fx "
                    f"tracing to work. Please use `{name}.register_fake` to add an fake impl."
                )
            return self._abstract_fn
        found = self._backend_fns.get(device, self._backend_fns.get(None))
        if found is None:
            kinds = ", ".join(str(kind) for kind in self._backend_fns)
            raise NotImplementedError(f"{self._qualname} has no kernel for the device {device}, but for: {kinds}")
        return found


class CustomOverload(OpOverload):
    """The operator, as `torch.ops.NAMESPACE.NAME.default` gives it."""

    __module__ = "torch._ops"

    def __init__(self, definition: CustomOpDef, schema: Schema) -> None:
        super().__init__(definition._namespace, definition._name, schema)
        self._definition = definition
        self._function: Any = None

    def _run(self, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """What it gives for arguments that are converted."""
        local = modes.current()
        wanted = local.grad and any(isinstance(t, Tensor) and t.requires_grad for t in flat(args))
        mapped = innermost(args, local) if local.mapped else None
        if mapped is not None and not (wanted and mapped[3] < local.entered()):
            rule = self._definition._vmap_fn or self._row_by_row
            return by_rule(SimpleNamespace(vmap=lambda *given: rule(*given, **named)), args, mapped, local)
        if not (wanted and self._schema.returns):
            return self._below(args, named)
        if self._function is None:
            self._function = _function_of(self)
        leaves, spec = tree_flatten(args)
        found = self._function.apply(*leaves, (spec, named))
        return list(found) if self._schema.returned.endswith("[]") else found

    def _row_by_row(self, info: Any, in_dims: Any, *args: Any, **named: Any) -> tuple[Any, Any]:
        """The rule for rows where none is registered."""
        places = list(zip(flat(args), flat(in_dims), strict=True))
        found = []
        for i in range(info.batch_size):
            rows = [t if d is None else F.select(t, d, i) for t, d in places]
            found.append(self._run(like(args, iter(rows)), named))
        columns = zip(*map(flat, found), strict=True)
        made = like(found[0], iter([F.stack(list(c), 0) for c in columns]))
        return made, like(found[0], iter([0] * len(flat(found[0]))))

    def _below(self, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """What the kernel gives, or a mode or a class that is asked. Nothing that it does is recorded."""
        tensors = [t for t in flat(args) if isinstance(t, Tensor)]
        if concerned(*tensors):
            return ask(self, args, named)
        kernel = self._definition._kernel("meta" if any(t.is_meta for t in tensors) else "cpu")
        with no_grad():
            found = kernel(*args, **named)
        self._check(kernel, tensors, found)
        for a, value in zip(self._schema.arguments, args, strict=False):
            if a.mutated:
                for t in flat(value):
                    if isinstance(t, Tensor):
                        increment_version(t)
        return found

    def _check(self, kernel: Callable[..., Any], tensors: list[Tensor], found: Any) -> None:
        """Refuse a result that is no tensor where one is said, or shares memory with an argument or another result."""
        if self._schema.returned == "Tensor" and found is not None and not isinstance(found, Tensor):
            raise RuntimeError(f"Unable to cast {found} to Tensor")
        seen = {id(storage_of(t)) for t in tensors}
        for t in flat(found):
            if not isinstance(t, Tensor):
                continue
            if id(storage_of(t)) in seen:
                raise RuntimeError(
                    f"{self._opname} (with implementation in {inspect.getmodule(kernel)}): The output of this custom "
                    "operator (1) must not also be an input to this custom operator and (2) may not alias any inputs "
                    "to this custom operator or other returns. The most common way to trigger this error is if we have "
                    "y = custom_op(x) and y and x are the same Tensor. Please instead return a clone of the offending "
                    "output tensor(s) (e.g. return x.clone()) or refactor the custom operator to not return y."
                )
            seen.add(id(storage_of(t)))


def _function_of(op: CustomOverload) -> Any:
    """The autograd Function that records an operator. Its last argument says how the others lie in those of a call."""
    definition, schema = op._definition, op._schema
    of_lists = any(a.kind.startswith("Tensor") and "[]" in a.kind for a in schema.arguments)

    def forward(ctx: Any, *given: Any) -> Any:
        *leaves, (spec, named) = given
        args = tree_unflatten(leaves, spec)
        found = op._below(args, named)
        setup = definition._setup_context_fn
        if setup is not None:
            inputs, keywords = schema.whole(args, named)
            if keywords:
                setup(ctx=ctx, inputs=inputs, keyword_only_inputs=keywords, output=found)
            else:
                setup(ctx=ctx, inputs=inputs, output=found)
        ctx._spec = spec
        return tuple(found) if isinstance(found, list) else found

    def backward(ctx: Any, *grads: Any) -> Any:
        if definition._backward_fn is None:
            raise RuntimeError(
                f"Trying to backward through {op} but no autograd formula was registered. Please use "
                "register_autograd to add one."
            )
        given = [list(grads)] if schema.returned.endswith("[]") else grads
        ctx.needs_input_grad = tuple(ctx.needs_input_grad[:-1])
        if not of_lists:
            found = definition._backward_fn(ctx, *given)
            return (*found, None) if isinstance(found, tuple) else (found, None)
        ctx.needs_input_grad = tree_unflatten(list(ctx.needs_input_grad), ctx._spec)
        found = definition._backward_fn(ctx, *given)
        found = found if isinstance(found, tuple) else (found,)
        _check_structure(found, ctx._spec)
        return (*flat(list(found)), None)

    name = f"GeneratedBackwardFor_{op.namespace}_{op._opname}_default"
    return type(name, (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def _check_structure(found: tuple[Any, ...], spec: Any) -> None:
    """Refuse gradients that do not lie in lists as the arguments do."""
    expected = tree_structure((*tree_unflatten([0] * spec.num_leaves, spec), 0))
    got = tree_structure((*[[0 for _ in g] if isinstance(g, list) else 0 for g in found], 0))
    if got != expected:
        raise RuntimeError(
            "Expected the return from backward to be of the same structure as the inputs. Got: "
            f"{got} (return from backward), {expected} (inputs)"
        )


def find(what: str, op: Any) -> CustomOpDef:
    """The operator that a name, an overload or a definition means. what: the function that asks."""
    if isinstance(op, CustomOpDef):
        return op
    if isinstance(op, (OpOverload, OpOverloadPacket)):
        meant: Any = op if isinstance(op, OpOverload) else op.default
        return meant._definition
    if not isinstance(op, str):
        raise ValueError(f"{what}({op}): got unexpected type for op: {type(op)}")
    namespace, name = parsed(op)
    name, _, overload = name.partition(".")
    return find(what, getattr(getattr(namespaces.namespace(namespace), name), overload or "default"))


def parsed(qualname: str) -> tuple[str, str]:
    """The namespace and the name of a full name."""
    parts = qualname.split("::")
    if len(parts) != 2:
        raise ValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}. The qualname passed to the '
            "torch.library APIs must consist of a namespace and a name, e.g. aten::sin"
        )
    return parts[0], parts[1]
