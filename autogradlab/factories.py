"""Fast forms of op-table entries for elementwise operations of one and two inputs, built of closures.

The hot path of an operation is: arrays out of the tensors, the kernel, a Tensor, a Node with what its formulas name.
Numbers, mixed dtypes, `out=` and watching modes take slower turns that share the code of `promotion` and `opdef`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import errors, modes
from .dtypes import get_default_dtype
from .node import NO_EDGE, freed_error, sequence
from .opdef import OPS, Op, publish, write_out
from .promotion import broadcast_error, broadcast_shapes, cast, check_cast, is_number, number, result_dtype, wrap_number
from .record import RAW, SavedOutput, changed, finish
from .tensor import INFERENCE, Tensor, gradient_edge, wrap
from .views import bump, check_inplace, rebase

__all__ = ["binary", "unary"]

_LOCAL = modes.LOCAL
_new = Tensor.__new__
_ndarray = np.ndarray
_asarray = np.asarray

Vjp = Callable[..., Any]


def _signature_unary(input, *, out=None):  # type: ignore[no-untyped-def]
    ...


def _signature_binary(input, other, *, out=None):  # type: ignore[no-untyped-def]
    ...


def unary(name: str, kernel: Callable[[Any], Any], vjp: Vjp | None = None, *, promotes: bool = True, doc: str = "",
          node: str | None = None, inplace: bool = True, samples: Any = None, result: str = "same") -> None:  # fmt: skip
    """An elementwise operation of one input.

    promotes: integers are computed in the default dtype (`exp`); result: "same", "bool", or "any" (`abs` of complex).
    """

    def entry_kernel(input):  # type: ignore[no-untyped-def]
        x = input
        if promotes and x.dtype.kind in "biu":
            x = x.astype(get_default_dtype().numpy)
        return kernel(x)

    fast: dict[str, Any] = {}
    saves = None
    if vjp is not None:
        saves = vjp.__code__.co_varnames[2 : vjp.__code__.co_argcount]
        if len(saves) <= 1:
            fast["run"] = _unary_run(vjp, bool(saves))
    entry = Op(name, entry_kernel, vjp=None if vjp is None else {"input": vjp}, node=node, inplace=inplace, doc=doc,
               samples=samples, fast=fast)  # fmt: skip
    OPS[name] = entry
    setattr(RAW, name, entry_kernel)
    node_new = entry.node_class.__new__ if vjp is not None else None
    node_class = entry.node_class if vjp is not None else None
    save_input, save_result = (saves == ("input",), saves == ("result",)) if saves is not None else (False, False)
    generic = vjp is not None and not (save_input or save_result or saves == ())

    def forward(input: Any = None, *extra: Any, out: Any = None, **unknown: Any) -> Any:
        if extra or unknown or not isinstance(input, Tensor):
            if "x" in unknown and input is None:
                return forward(unknown.pop("x"), *extra, out=out, **unknown)
            return entry.reject((*((input,) if input is not None else ()), *extra), unknown)
        x = input._array
        local = _LOCAL.state
        r = local.quiet(kernel, x)
        if type(r) is not _ndarray:
            r = _asarray(r)
        d = r.dtype
        if promotes and d is not x.dtype and x.dtype.kind in "biu":
            r = _asarray(local.quiet(entry_kernel, x))
            d = r.dtype
        if out is not None:
            return write_out(entry, out, r, (input,))
        t = _new(Tensor)
        t._array = r
        t._version = [0]
        t._grad = t._view = t._storage = t._meta = None
        edge = input._edge
        if edge is None:
            edge = gradient_edge(input)
        if edge is NO_EDGE or not local.record or node_new is None:
            t._edge = NO_EDGE
            if local.inference:
                t._version = INFERENCE
            return t
        made = node_new(node_class)
        made._seq = sequence()
        made.next_functions = (edge,)
        made.hooks = None
        made._extra = None
        made.shape = r.shape
        made.dtype = d
        if save_input:
            made.saved = (input, input._version[0])
        elif save_result:
            made.saved = (SavedOutput(t), 0)
        elif generic:
            made.saved = entry.saves([input], [edge], (t,))
        else:
            made.saved = ()
        if not local.plain:
            finish(made, local)
        t._edge = (made, 0)
        return t

    publish(name, forward, _signature_unary, True, True, doc)
    if inplace:
        call_ = entry.call_

        def forward_(input: Any, *extra: Any, **unknown: Any) -> Any:
            if extra or unknown or not isinstance(input, Tensor):
                return entry.reject((input, *extra), unknown)
            return call_(input)

        publish(name + "_", forward_, _signature_unary, True, True, f"In-place version of :meth:`{name}`.")


def _unary_run(vjp: Vjp, saves: bool) -> Callable[..., Any]:
    """`Node.run` of an operation whose formula needs at most one saved value."""

    def run(self: Any, grad: Any, quiet: Any) -> tuple[Any, ...]:
        saved = self.saved
        if saved is None:
            raise freed_error()
        if grad is None:
            return (None,)
        item, version = saved
        if item._version[0] != version:
            raise changed(self, item, version)
        return (quiet(vjp, RAW, grad, item._array),)

    def run_free(self: Any, grad: Any, quiet: Any) -> tuple[Any, ...]:
        return (None if grad is None else quiet(vjp, RAW, grad),)

    return run if saves else run_free


def binary(name: str, kernel: Callable[[Any, Any], Any], vjp: dict[str, Vjp] | None = None, *, result: str = "same",
           doc: str = "", node: str | None = None, inplace: bool = True, samples: Any = None,
           check: Callable[[Any, Any], None] | None = None, function: bool = True) -> Callable[..., Any]:  # fmt: skip
    """An elementwise operation of two inputs, broadcast against each other.

    result: "same" as the operands' common dtype, "float" (integers are computed in the default dtype), or "bool".
    check: is called with the two arrays in their common dtype and may raise.
    """

    def entry_kernel(input, other):  # type: ignore[no-untyped-def]
        x, y = input, other
        if result == "float" and x.dtype.kind in "biu" and y.dtype.kind in "biu":
            d = get_default_dtype().numpy
            return kernel(x.astype(d), y.astype(d))
        return kernel(x, y)

    fast = {} if vjp is None else _binary_run(vjp)
    entry = Op(name, entry_kernel, "input other", vjp=vjp, node=node, doc=doc, samples=samples, fast=fast)
    OPS[name] = entry
    setattr(RAW, name, entry_kernel)
    differentiable = vjp is not None
    node_class = entry.node_class if differentiable else None
    node_new = node_class.__new__ if node_class is not None else None
    floats = result == "float"
    simple = not (floats or check)
    wants = _wants(vjp, ("input", "other")) if vjp is not None else ()
    saves_nothing = differentiable and not entry.fields
    crossed = differentiable and entry.fields == ("other", "input") and wants == ((1,), (0,))

    def operands(input: Any, other: Any) -> tuple[Any, Any, Any, Any]:
        """Tensors for both operands and their arrays in the dtype of the computation."""
        a, b = isinstance(input, Tensor), isinstance(other, Tensor)
        if not (a and (b or is_number(other)) or (b and is_number(input))):
            return entry.reject((input, other), {})  # type: ignore[no-any-return]
        numpy = result_dtype((input, other)).numpy
        if floats and numpy.kind in "biu":
            numpy = get_default_dtype().numpy
        x = cast(input._array, numpy) if a else number(input, numpy)
        y = cast(other._array, numpy) if b else number(other, numpy)
        return (input if a else wrap_number(input)), (other if b else wrap_number(other)), x, y

    def forward(input: Any = None, other: Any = None, *extra: Any, out: Any = None, **unknown: Any) -> Any:
        if extra or unknown:
            return entry.reject((*(() if input is None else (input,)), *(() if other is None else (other,)), *extra), unknown)
        kind = type(other)
        if kind is Tensor and isinstance(input, Tensor):
            x = input._array
            y = other._array
            if x.dtype is not y.dtype or (floats and x.dtype.kind in "biu"):
                input, other, x, y = operands(input, other)
        elif (kind is float or kind is int) and isinstance(input, Tensor) and input._array.dtype.kind == "f":
            x = input._array
            y = np.array(other, x.dtype)
            other = wrap(y)
        else:
            input, other, x, y = operands(input, other)
        if check is not None:
            check(x, y)
        local = _LOCAL.state
        try:
            r = local.quiet(kernel, x, y)
        except ValueError:
            broadcast_error(x.shape, y.shape)
        if type(r) is not _ndarray:
            r = _asarray(r)
        if out is not None:
            return write_out(entry, out, r, (input, other))
        t = _new(Tensor)
        t._array = r
        t._version = [0]
        t._grad = t._view = t._storage = t._meta = None
        a = input._edge
        if a is None:
            a = gradient_edge(input)
        b = other._edge
        if b is None:
            b = gradient_edge(other)
        if (a is NO_EDGE and b is NO_EDGE) or not local.record or node_new is None:
            t._edge = NO_EDGE
            if local.inference:
                t._version = INFERENCE
            return t
        made = node_new(node_class)
        made._seq = sequence()
        made.next_functions = (a, b)
        made.hooks = None
        made._extra = None
        made.shape = r.shape
        made.dtype = r.dtype
        if saves_nothing:
            made.saved = ()
        elif crossed:
            if b is NO_EDGE:
                made.saved = (other, None, other._version[0], None)
            elif a is NO_EDGE:
                made.saved = (None, input, None, input._version[0])
            else:
                made.saved = (other, input, other._version[0], input._version[0])
        else:
            made.saved = entry.saves([input, other], [a, b], (t,))
        if not local.plain:
            finish(made, local)
        t._edge = (made, 0)
        return t

    def forward_(input: Any, other: Any = None, *extra: Any, **unknown: Any) -> Any:
        if extra or unknown or not isinstance(input, Tensor):
            return entry.reject((input, other, *extra), unknown)
        target = x = input._array
        if type(other) is Tensor and x.dtype is other._array.dtype and not (floats and x.dtype.kind in "biu"):
            y = other._array
        else:
            _, other, x, y = operands(input, other)
            if x.dtype is not target.dtype:
                check_cast(x.dtype, target.dtype)
        if check is not None:
            check(x, y)
        local = _LOCAL.state
        recording = local.record and differentiable
        a = b = NO_EDGE
        if recording:
            a = input._edge or gradient_edge(input)
            b = other._edge or gradient_edge(other)
            recording = a is not NO_EDGE or b is not NO_EDGE
            if recording:
                check_inplace(input)
        if input._version is INFERENCE:
            bump(input)
        original = input
        if recording and b is not NO_EDGE and "input" in entry.fields:
            original = wrap(np.array(x))
            original._edge = a
        if target.shape != y.shape:
            shape = broadcast_shapes(target.shape, y.shape)
            if shape != target.shape:
                raise RuntimeError(errors.OUT_BROADCAST.format(list(target.shape), list(shape)))
        if x is target and isinstance(kernel, np.ufunc) and result != "bool":
            local.quiet(kernel, x, y, target)
        else:
            target[...] = local.quiet(kernel, x, y)
        if input._version is not INFERENCE:
            input._version[0] += 1
        if recording:
            made = node_class.__new__(node_class)  # type: ignore[union-attr,arg-type]
            made._seq = sequence()
            made.next_functions = (a, b)
            made.hooks = None
            made._extra = None
            made.shape = target.shape
            made.dtype = target.dtype
            made.saved = ()
            rebase(input, made)
            made.saved = entry.saves([original, other], [a, b], (input,))
            if not local.plain:
                finish(made, local)
        return input

    publish(name, forward, _signature_binary, True, function, doc)
    if inplace:
        publish(name + "_", forward_, _signature_binary, True, False, f"In-place version of :meth:`{name}`.")
    return forward


def _wants(vjp: dict[str, Vjp], tensors: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """For each formula the operands that it needs, () if anything else."""
    found = []
    for fn in vjp.values():
        names = fn.__code__.co_varnames[2 : fn.__code__.co_argcount]
        if not all(n in tensors for n in names):
            return ()
        found.append(tuple(tensors.index(n) for n in names))
    return tuple(found)


def _binary_run(vjp: dict[str, Vjp]) -> dict[str, Any]:
    """`Node.run` for the two commonest kinds: formulas that save nothing, and formulas that need the other operand."""
    wants = _wants(vjp, ("input", "other"))
    if tuple(vjp) != ("input", "other"):
        return {}
    first, second = vjp["input"], vjp["other"]

    def run_free(self: Any, grad: Any, quiet: Any) -> tuple[Any, ...]:
        if grad is None:
            return (None, None)
        (a, _), (b, _) = self.next_functions
        return (
            None if a is None else quiet(first, RAW, grad),
            None if b is None else quiet(second, RAW, grad),
        )

    def run_crossed(self: Any, grad: Any, quiet: Any) -> tuple[Any, ...]:
        saved = self.saved
        if saved is None:
            raise freed_error()
        if grad is None:
            return (None, None)
        other, input, v_other, v_input = saved
        g_first = g_second = None
        if other is not None:
            if other._version[0] != v_other:
                raise changed(self, other, v_other)
            g_first = quiet(first, RAW, grad, other._array)
        if input is not None:
            if input._version[0] != v_input:
                raise changed(self, input, v_input)
            g_second = quiet(second, RAW, grad, input._array)
        return (g_first, g_second)

    if wants == ((), ()):
        return {"run": run_free}
    if wants == ((1,), (0,)):
        return {"run": run_crossed}
    return {}
