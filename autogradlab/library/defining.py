"""Operators that are defined by a schema, and whose kernels are given one by one, for a device or in the place of
autograd (mirrors this part of `torch.library`)."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..autograd.grad_mode import set_grad
from ..autograd.trees import flat
from ..core.graph.node import Node, node_class
from ..core.runtime import modes
from ..core.runtime.warn import warn
from ..core.tensor.tensor import Tensor, gradient_edge, requires_grad
from ..core.types.device import device as Device
from ..ops.operators import namespaces
from ..ops.operators.overloads import OpOverload
from ..ops.operators.schema import Schema
from .custom import CustomOpDef, CustomOverload, find, parsed

__all__ = ["AutoDispatchBelowAutograd", "Library", "define", "fallthrough_kernel", "impl"]

_KINDS = ("IMPL", "DEF", "FRAGMENT")
#: where a kernel is kept, by PyTorch's dispatch key; others by the name of their device
_PLACES: dict[str, str | None] = {
    "": "implicit",
    "CompositeImplicitAutograd": "implicit",
    "CompositeExplicitAutograd": None,
    "Autograd": "autograd",
    "AutogradCPU": "autograd",
}
_ONLY_NAME = "Tried to parse a function schema but only the operator name was given"
_OTHER_SPACE = (
    "Explicitly provided namespace ({}) in schema string does not match namespace of enclosing TORCH_LIBRARY block "
    "({}).  Move this definition to the (unique) TORCH_LIBRARY block corresponding to this namespace (and consider "
    "deleting the namespace from your schema string.)  (Error occurred while processing TORCH_LIBRARY block at {})"
)
#: what a dispatch key is made of: a functionality, a device
_KEY = re.compile(
    "(Autograd|Autocast|Sparse|SparseCsr|Quantized|NestedTensor)?"
    "(CPU|CUDA|HIP|HPU|IPU|Lazy|MAIA|MPS|MTIA|Meta|VE|XLA|XPU|PrivateUse[123])?|AutogradOther|AutogradFunctionality|"
    "Composite(ImplicitAutograd|ExplicitAutograd|ExplicitAutogradNonFunctional|ImplicitAutogradNestedTensor)|"
    "ADInplaceOrView|BackendSelect|Conjugate|Dense|Functionalize|Negative|PreDispatch|Python|PythonDispatcher|"
    "PythonTLSSnapshot|Undefined|ZeroTensor|FuncTorch[A-Za-z]+"
)
_NO_META = (
    "{}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered. "
    "You may have run into this message while using an operator with PT2 compilation APIs "
    "(torch.compile/torch.export); in order to use this operator with those APIs you'll need to add a fake impl. "
    "Please see the following for next steps:  "
    "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
)
_NO_KERNEL = (
    "Could not run '{}' with arguments from the 'CPU' backend. This could be because the operator doesn't exist "
    "for this backend, or was omitted during the selective/custom build process (if using custom build)."
)
_TWICE = (
    "Tried to register an operator ({}) with the same name and overload name multiple times. Each overload's "
    "schema should only be registered with a single call to def(). Duplicate registration: registered at {}. "
    "Original registration: registered at {}"
)
_ONE_LIBRARY = (
    "Only a single TORCH_LIBRARY can be used to register the namespace {}; please put all of your definitions in "
    "a single TORCH_LIBRARY block.  If you were trying to specify implementations, consider using "
    "TORCH_LIBRARY_IMPL (which can be duplicated).  If you really intended to define operators for a single "
    "namespace in a distributed way, you can use TORCH_LIBRARY_FRAGMENT to explicitly indicate this.  Previous "
    "registration of TORCH_LIBRARY was registered at {}; latest registration was registered at {}"
)
#: kernels of operators that are not defined yet, by full name and place
_EARLY: dict[str, dict[str | None, Callable[..., Any]]] = {}
#: the namespaces that a library of the kind DEF has, and where it was made
_NAMESPACES: dict[str, str] = {}


_UNREGISTERED = (
    "{}: an autograd kernel was not registered to the Autograd key(s) but we are trying to backprop through it. This "
    "may lead to silently incorrect behavior. This behavior is deprecated and will be removed in a future version of "
    "PyTorch. If your operator is differentiable, please ensure you have registered an autograd kernel to the correct "
    "Autograd key (e.g. DispatchKey::Autograd, DispatchKey::CompositeImplicitAutograd). If your operator is not "
    "differentiable, or to squash this warning and use the previous behavior, please register "
    "torch::CppFunction::makeFallthrough() to DispatchKey::Autograd."
)


class _Below(threading.local):
    """How many contexts below autograd a thread is in."""

    depth = 0


_below = _Below()


class Fallback:
    """What becomes of gradients through an operator without a kernel for autograd: "warn", or "nothing" is said."""

    mode = "warn"


def _warn_unregistered(name: str) -> None:
    warn(_UNREGISTERED.format(name), at="torch/csrc/autograd/autograd_not_implemented_fallback.cpp:76")


class _Unregistered(Node):
    """Of an operator without a kernel for autograd: warns, and gives no gradient."""

    __slots__ = ("operator",)

    operator: str

    def name(self) -> str:
        """The Node's name in PyTorch."""
        return "torch::autograd::WarnNotImplemented"

    def run(self, grad: Any, F: Any) -> tuple[Any, ...]:
        """One step of backward, on arrays."""
        _warn_unregistered(self.operator)
        return (None,) * len(self._edges)

    run_recorded = run


_WarnNotImplemented = node_class("CppFunction", _Unregistered)


def _watched(found: Any, args: tuple[Any, ...], name: str) -> None:
    """Let backward through the results of a kernel warn, where an argument requires grad: by a hook, or by a Node that
    gives no gradient where the kernel's own operations do not say how a result depends on the arguments."""
    given = [t for t in flat(args) if isinstance(t, Tensor)]
    if not modes.current().grad or not any(map(requires_grad, given)):
        return
    for t in flat(found):
        if not isinstance(t, Tensor) or t._array.dtype.kind not in "fcV":
            continue
        if requires_grad(t):
            t.register_hook(lambda grad: _warn_unregistered(name))
        elif not any(t is other for other in given):
            node: Any = _WarnNotImplemented()
            node.operator = name
            node._edges = tuple(map(gradient_edge, given))
            node.shape, node.dtype = t._array.shape, t._array.dtype
            t._edge = node


class AutoDispatchBelowAutograd:
    """A context in which operators skip what they do for autograd, and nothing is recorded."""

    def __enter__(self) -> None:
        self._before = modes.current().grad
        set_grad(False)
        _below.depth += 1

    def __exit__(self, *error: object) -> None:
        _below.depth -= 1
        set_grad(self._before)


def fallthrough_kernel() -> None:
    """Stands for a kernel that does nothing but go on to the next one.

    Mirrors `torch.library.fallthrough_kernel`.
    """
    raise NotImplementedError("fallthrough_kernel() should never be called.")


class _Defined(CustomOpDef):
    """An operator of which only the schema is given at first."""

    def __init__(self, namespace: str, name: str, schema: str, overload: str, where: str) -> None:
        super().__init__(namespace, name, schema, None, overload)
        self.where = where
        #: whether autograd is told to say nothing about it
        self.passes = False

    def _overload_of(self, schema: Schema) -> OpOverload:
        return _Overload(self, schema)

    def _kernel(self, device: str) -> Callable[..., Any]:
        meta = self._abstract_fn if device == "meta" else None
        found = self._backend_fns.get(device, meta or self._backend_fns.get(None))
        if found is None:
            raise NotImplementedError((_NO_META if device == "meta" else _NO_KERNEL).format(self._qualname))
        return found

    def instead(self) -> Callable[..., Any] | None:
        """What is called in the place of a kernel for a device: the kernel for autograd, or one made of operators."""
        if not _below.depth and "autograd" in self._backend_fns:
            return self._backend_fns["autograd"]
        return self._backend_fns.get("implicit")


class _Overload(CustomOverload):
    """The same, as `torch.ops` gives it. Without a derivative of its own, what its kernel does is recorded."""

    _definition: _Defined

    def _run(self, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        definition = self._definition
        instead = definition.instead()
        if instead is not None:
            return instead(*args, **named)
        if definition._backward_fn is not None or modes.current().mapped:
            return super()._run(args, named)
        meta = any(isinstance(t, Tensor) and t.is_meta for t in flat(args))
        found = definition._kernel("meta" if meta else "cpu")(*args, **named)
        if Fallback.mode == "warn" and not definition.passes:
            _watched(found, args, definition._qualname)
        return found


def _caller() -> str:
    """Where the program calls this module."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


class _Registered:
    """The definitions and kernels of a library."""

    def __init__(self, whole: str) -> None:
        #: the namespace that is the library's alone, "" for none
        self.whole = whole
        self.defined: list[_Defined] = []
        self.given: list[tuple[_Defined, str | None]] = []

    def withdraw(self) -> None:
        """Take them away."""
        for found, place in self.given:
            found._backend_fns.pop(place, None)
        for one in self.defined:
            vars(namespaces.namespace(one._namespace)).pop(one._name, None)
        _NAMESPACES.pop(self.whole, None)
        self.whole, self.given, self.defined = "", [], []

    def __del__(self) -> None:
        self.withdraw()


#: libraries of operators that are registered by their names
_KEPT: list[Library] = []


class Library:
    """Definitions and kernels of operators of a namespace, as long as the library is there.

    Errors: ValueError for an unknown kind or a reserved namespace; RuntimeError for a second library of the kind "DEF".

    Example:
        >>> import autogradlab as torch
        >>> lib = torch.library.Library("lesson_lib", "DEF")
        >>> lib.define("scaled(Tensor x, float by=2.) -> Tensor")
        'scaled'
        >>> lib.impl("scaled", lambda x, by=2.0: x * by, "CPU")
        >>> torch.ops.lesson_lib.scaled(torch.ones(2), 3.)
        tensor([3., 3.])

    Mirrors `torch.library.Library`.
    """

    __module__ = "torch.library"

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in _KINDS:
            raise ValueError(f"Unsupported kind: {kind}")
        if ns == "prim" and kind != "IMPL":
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with another name.")
        where = _caller()
        if kind == "DEF":
            if ns in _NAMESPACES:
                raise RuntimeError(_ONE_LIBRARY.format(ns, _NAMESPACES[ns], where))
            _NAMESPACES[ns] = where
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        #: what it has registered, which goes with this object
        self.m = _Registered(ns if kind == "DEF" else "")

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Define an operator, `NAME(...) -> ...` or `NAME.OVERLOAD(...) -> ...`; returns its name.

        Errors: RuntimeError for one that is defined already, or in a library of the kind "IMPL".

        Mirrors `torch.library.Library.define`.
        """
        full = schema.partition("(")[0].strip()
        name, _, overload = full.partition(".")
        if self.kind == "IMPL":
            raise RuntimeError(
                f'def("{full}"): Cannot define an operator inside of a TORCH_LIBRARY_IMPL block.  All def()s should be '
                "placed in the (unique) TORCH_LIBRARY block for their namespace.  (Error occurred while processing "
                f"TORCH_LIBRARY_IMPL block at {_caller()})"
            )
        if "(" not in schema:
            raise RuntimeError(_ONLY_NAME)
        space, _, full = full.rpartition("::")
        if space and space != self.ns:
            raise RuntimeError(_OTHER_SPACE.format(space, self.ns, _caller()))
        name = name.removeprefix(f"{space}::")
        packet = vars(namespaces.namespace(self.ns)).get(name)
        known = packet and packet._overloads.get(overload or "default")
        if known:
            original = getattr(known._definition, "where", "")
            raise RuntimeError(_TWICE.format(f"{self.ns}::{schema.strip()}", _caller(), original))
        made = _Defined(self.ns, name, schema[schema.index("(") :], overload, _caller())
        made._backend_fns.update(_EARLY.pop(f"{self.ns}::{full}", {}))
        self.m.defined.append(made)
        return name

    def impl(
        self,
        op_name: Any,
        fn: Callable[..., Any],
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = False,
    ) -> None:
        """Give an operator a kernel: for the key "CPU" or another device, for "Autograd" in the place of what autograd
        does, for "CompositeImplicitAutograd" one that is made of operators. The operator may be defined later.

        Errors: TypeError for what is no function.

        Mirrors `torch.library.Library.impl`.
        """
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        name = op_name.name() if isinstance(op_name, OpOverload) else op_name
        full = name if "::" in name else f"{self.ns}::{name}"
        key = dispatch_key or self.dispatch_key
        if not _KEY.fullmatch(key):
            raise RuntimeError(f"could not parse dispatch key: {key}")
        place = _PLACES.get(key, key.lower())
        try:
            found = find("impl", full)
        except AttributeError:
            _EARLY.setdefault(full, {})[place] = fn
            return
        if not isinstance(found, _Defined):
            raise NotImplementedError(f"autogradlab: kernels of {full} cannot be replaced")
        if fn is fallthrough_kernel:
            found.passes |= place == "autograd"
            return
        found._backend_fns[place] = fn
        self.m.given.append((found, place))

    def _destroy(self) -> None:
        """Take away all that it has defined."""
        self.m.withdraw()


@contextmanager
def scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    """A context with a library that is destroyed at its end."""
    library = Library(*args, **kwargs)
    try:
        yield library
    finally:
        library._destroy()


def define(qualname: Any, schema: str = "", *args: Any, lib: Library | None = None, tags: Any = ()) -> Any:
    """Define an operator by its full name and its schema; given a library and a schema, a decorator of its kernel.

    Errors: ValueError for a name without a namespace; RuntimeError for an operator that is defined already.

    Example:
        >>> import autogradlab as torch
        >>> torch.library.define("lesson_def::sine", "(Tensor x) -> Tensor")
        >>> torch.library.impl("lesson_def::sine", "cpu", torch.sin)
        >>> torch.ops.lesson_def.sine(torch.zeros(1))
        tensor([0.])

    Mirrors `torch.library.define`.
    """
    if isinstance(qualname, Library):
        name = qualname.define(schema, *args)

        def keep(function: Callable[..., Any]) -> Callable[..., Any]:
            qualname.impl(name, function)
            return function

        return keep
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    namespace, name = parsed(qualname)
    (lib or _kept(namespace)).define(name + schema, tags=tags)
    return None


def _kept(namespace: str) -> Library:
    """A library that stays."""
    made = Library(namespace, "FRAGMENT")
    _KEPT.append(made)
    return made


def _key(device: str) -> str:
    """The dispatch key of a device type."""
    return {"lazy": "Lazy", "meta": "Meta", "privateuseone": "PrivateUse1"}.get(device, device.upper())


def impl(qualname: Any, types: Any, func: Any = None, *, lib: Library | None = None) -> Any:
    """Give an operator a kernel for a device type, several of them, or "default"; a decorator where none is given, and
    where a library, a name and a dispatch key are.

    Errors: RuntimeError for an unknown device.

    Mirrors `torch.library.impl`.
    """
    if isinstance(qualname, Library):
        key = func or ""

        def keep(function: Callable[..., Any]) -> Callable[..., Any]:
            qualname.impl(types, function, key)
            return function

        return keep
    kinds = {types} if isinstance(types, str) else set(types)
    keys = ["CompositeExplicitAutograd" if kind == "default" else _key(Device(kind).type) for kind in sorted(kinds)]

    def register(function: Callable[..., Any]) -> None:
        namespace, _ = parsed(qualname)
        used = lib or _kept(namespace)
        for key in keys:
            used.impl(qualname, function, key)

    if func is None:
        return register
    return register(func)
