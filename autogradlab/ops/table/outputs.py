"""The out= form of operations: written once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core.arguments.declared import OUT
from ...core.arguments.mismatch import types
from ...core.graph.node import NO_EDGE
from ...core.memory.casting import warn_cast
from ...core.memory.layout import ITERATING, fills_memory, iterated
from ...core.memory.overlap import check_apart, check_written
from ...core.memory.rows import Rows
from ...core.memory.storage import resize
from ...core.memory.strided import window
from ...core.recording.inplace import commit, rebase
from ...core.recording.record import start_node
from ...core.runtime import errors, modes
from ...core.runtime.modes import FLAGS, LOCAL
from ...core.runtime.warn import warn
from ...core.tensor.edges import NumberMeta
from ...core.tensor.tensor import Tensor, gradient_edge, requires_grad
from ...core.types.dtypes import cxx_name, dtype, from_numpy, int64, scalar_name
from ...core.types.return_types import named
from ...core.values.promotion import can_cast, check_cast, result_dtype

__all__ = [
    "COPIED",
    "EXPECTED",
    "Composed",
    "FOUND",
    "UNCASTABLE",
    "Out",
    "apart",
    "before_kernel",
    "not_recorded",
    "refuse_dtype",
    "refuse_recorded",
    "refuse_to_record",
    "resize_out",
    "same_dtype",
    "write",
]

#: how most operations say that an out= tensor has another dtype than the result: {0}, {1} as PyTorch names dtypes,
#: {2}, {3} as C++ does, the result's first
FOUND = "Found dtype {1} but expected {0}"
EXPECTED = "Expected out tensor to have dtype {2}, but got {3} instead"
#: what is made of cat refuses in its words a dtype to which the result cannot be cast
UNCASTABLE = "torch.cat(): input types can't be cast to the desired output type {}"


class Out:
    """What an operation asks of its out= tensors beyond a shape that can be resized and a dtype that the result can be
    cast to.

    exact: the message if they have not exactly the result's dtype. unless: whether this call takes another one, by its
    inputs and the out= tensor. uncastable: the message if the result cannot be cast. overlap: "part" if an input must
    not lie partly in their memory, "whole" if it must not be that very memory either, "others" if the first may be,
    "dim" if nothing is asked without a dimension, "late" if that is asked when they have their size. computes: the
    operation computes in the dtype of the out= tensor, which a dtype= must name. asks: what checks that instead, by the
    input, the out= tensor and the dtype= that was given. starts: the number with which it fills their memory before it
    reads its input. unknown: autograd does not know the form: a result that would be recorded has a Node without a
    derivative; only an out= tensor that requires grad is refused. converts: the result is written in their dtype,
    whichever it is, and a new size is not warned of. copied: the operation makes a result without them that is then
    copied: they get its size before their dtype is looked at, and autograd does not know the form. inner: the operation
    in whose name autograd refuses tensors that require grad, if PyTorch asks another one for the result. bools: a
    result of numbers is written to bools too. keeps: of a reduction to several: they get their size while they have the
    dimension still: "all" of them, or those that lack it. once: they get their size once, whatever the dtype in which
    an elementwise operation computes, so that it is warned of once.
    """

    __slots__ = (
        "asks",
        "bools",
        "computes",
        "converts",
        "copied",
        "exact",
        "inner",
        "keeps",
        "once",
        "overlap",
        "starts",
        "uncastable",
        "unknown",
        "unless",
    )

    def __init__(
        self,
        exact: str = "",
        *,
        unless: Callable[[Any, Tensor], bool] | None = None,
        uncastable: str = "",
        overlap: str = "",
        computes: bool = False,
        asks: Callable[[Tensor, Tensor, dtype | None], None] | None = None,
        starts: int | None = None,
        unknown: bool = False,
        converts: bool = False,
        copied: bool = False,
        inner: str = "",
        bools: bool = False,
        keeps: str = "",
        once: bool = False,
    ) -> None:
        self.inner, self.bools, self.keeps = inner, bools, keeps
        self.converts, self.copied, self.once = converts, copied, once
        self.exact = exact
        self.unless = unless
        self.uncastable = uncastable
        self.overlap = overlap
        self.computes, self.asks = computes, asks
        self.starts = starts
        self.unknown = unknown or copied


_USUAL = Out()
#: the rule of most forms that PyTorch makes by itself of operations without one
COPIED = Out(exact=EXPECTED, copied=True)


def safe(name: str) -> Out:
    """What linear algebra asks: a dtype to which the result can be cast."""
    return Out(
        exact=name + ": Expected result to be safely castable from {0} dtype, but got result with dtype {1}",
        unless=lambda inputs, out: can_cast(inputs[0]._array.dtype, out._array.dtype),
    )


def same_dtype(
    values: str = EXPECTED,
    indices: str = "",
    *,
    wanted: dtype | None = None,
    name_of: Callable[[Any], str] = scalar_name,
    last: bool = False,
) -> Callable[[Tensor, Sequence[Tensor]], None]:
    """A check, before anything is computed, that out= tensors have the dtype of the first input (or `wanted`) and,
    where there is a message for `indices`, that the second one is int64.

    The messages are filled as `EXPECTED`; `name_of` gives PyTorch's names of dtypes in them. last: the second tensor is
    checked first.
    """

    def check(input: Tensor, outs: Sequence[Tensor]) -> None:
        asked = [(wanted or input.dtype, values)] * len(outs)
        if indices and len(outs) > 1:
            asked[1] = (int64, indices)
        pairs = list(zip(outs, asked, strict=True))
        for o, (kind, text) in reversed(pairs) if last else pairs:
            if o.dtype is not kind:
                raise RuntimeError(text.format(name_of(kind), name_of(o), cxx_name(kind), cxx_name(o)))

    return check


def apart(input: Tensor, outs: Sequence[Tensor]) -> None:
    """A check, before anything is computed, that no out= tensor lies partly in the memory of the first input."""
    for o in outs:
        check_written(o, (input,))


class Composed(NamedTuple):
    """What `write` asks of an operation that is made of others; its errors are checked by who calls."""

    name: str
    returns: Any = None
    differentiates: bool = False
    elementwise: bool = False


def write(operation: Any, out: Any, r: Any, inputs: Any, asked: bool = False, operands: Any = ()) -> Any:
    """Write the result(s) `r` into `out` (a tensor, or a tuple of them) and return it. asked: `refuse_recorded` was.
    operands: the tensors by which an elementwise result is laid out, where numbers among the inputs count as such."""
    rule = OUT.get(operation.name, _USUAL)
    single = isinstance(out, Tensor)
    together = (
        type(r) is Rows or type(out._array) is Rows
        if single
        else any(type(x) is Rows for x in (*r, *(o._array for o in out)))
    )
    if together:
        raise RuntimeError(errors.ROWS_VIEW.format(f"{operation.name}.{_overload(operation.name, out, inputs)}"))
    if single:
        if not asked:
            refuse_recorded(operation, inputs, out)
        if type(r) is not np.ndarray:
            r = np.asarray(r)
        target = out._array
        if rule is _USUAL and r.dtype is target.dtype and r.shape == target.shape and 0 not in target.strides:
            commit(out, r)
            return out
        if rule.converts or (rule.bools and out._array.dtype.kind == "b"):
            r = r.astype(out._array.dtype)
        kind, times = r.dtype, 1
        if rule.copied and out._array.shape != r.shape:
            resize_out(out, r.shape)
        if operation.elementwise and out._array.shape != r.shape:
            for t in inputs:
                if t is out:
                    raise RuntimeError(errors.OUT_BROADCAST.format(list(out.shape), list(r.shape)))
        if kind is not out._array.dtype:
            refuse_dtype(operation, out, r, inputs)
            if rule.uncastable and not can_cast(r.dtype, out._array.dtype):
                raise TypeError(rule.uncastable.format(scalar_name(out._array)))
            if operation.elementwise or getattr(operation, "kernel", None) in ITERATING:
                kind = _computed(operation, inputs, out, r)
                times = 1 if rule.once or kind == out._array.dtype or _absolute(kind, inputs) else 2
        if operation.elementwise and r.ndim > 1 and out._array.shape != r.shape:
            r = iterated(r, *(t._array for t in operands or inputs if isinstance(t, Tensor)))
        _write(out, r, 0 if rule.converts else times, inputs if rule.overlap == "late" else ())
        if kind is not out._array.dtype and operation.elementwise and r.size:
            warn_cast(kind, out._array.dtype)
        if rule.unknown and operation.differentiates:
            _without_derivative(operation, out, inputs)
        return out
    outs = tuple(out)
    if not asked:
        refuse_recorded(operation, inputs, outs)
    if operation.returns is not None:
        r = operation.returns(tuple(r))  # in the order in which users see them
    if rule.exact:
        for o, a in zip(outs, r, strict=True):
            _same_dtype(rule.exact, o, np.asarray(a))
    for o, a in zip(outs, r, strict=True):
        if rule.keeps:
            _resize_kept(operation, o, np.asarray(a).shape, inputs)
        _write(o, np.asarray(a))
    if operation.returns is None:
        return outs
    return named(f"{type(r).__name__.removesuffix('_out')}_out", type(r).__match_args__)(outs)


def _overload(name: str, out: Any, inputs: Any) -> str:
    """The name of the overload with out= that takes these arguments."""
    outs = (out,) if isinstance(out, Tensor) else tuple(out)
    values = [v._array.item() if isinstance(v, Tensor) and type(v._meta) is NumberMeta else v for v in inputs]
    packet = types.operator(name) if types.operator is not None else None
    for one in packet._overloads.values() if packet is not None else ():
        written = [schema for schema, ours in one._takes.items() if ours == "out"]
        read = [schema for schema, ours in one._takes.items() if ours != "out"]
        if len(written) == len(outs) and len(read) >= len(values):
            try:
                one._schema.read((), dict(zip(read, values, strict=False)) | dict(zip(written, outs, strict=True)))
            except RuntimeError:
                continue
            return str(one._overloadname)
    return "out"


def before_kernel(operation: Any, out: Tensor, shape: tuple[int, ...], kind: np.dtype[Any]) -> None:
    """What happens to an out= tensor before PyTorch looks for a kernel and finds that there is none for `kind`: it gets
    its size."""
    found = np.dtype(np.bool_) if getattr(operation, "compares", False) else kind
    if found is not out._array.dtype:
        check_cast(found, out._array.dtype)
    if out._array.shape != shape:
        resize_out(out, shape, 1 if out._array.dtype in (found, kind) else 2)


def refuse_dtype(operation: Any, out: Any, r: np.ndarray, inputs: Any) -> None:
    """PyTorch's error where an out= tensor must have the dtype of the result and has another."""
    rule = OUT.get(operation.name, _USUAL)
    if rule.exact and not (rule.unless is not None and rule.unless(inputs, out)):
        _same_dtype(rule.exact, out, r)


def _same_dtype(message: str, out: Tensor, r: np.ndarray) -> None:
    if r.dtype != out._array.dtype:
        kinds = [from_numpy(a.dtype) for a in (r, out._array)]
        raise RuntimeError(message.format(*map(scalar_name, kinds), *(cxx_name(k) for k in kinds)))


def refuse_recorded(operation: Any, inputs: Any, out: Any) -> None:
    """PyTorch's error if an operation that has a derivative is to write into `out` what would be recorded."""
    rule = OUT.get(operation.name)
    unknown = rule if rule is not None and rule.unknown else None
    if not (operation.differentiates or unknown) or (FLAGS.unusual and not modes.current().grad):
        return
    if unknown is not None:
        if any(isinstance(t, Tensor) and requires_grad(t) for t in (out if isinstance(out, tuple) else (out,))):
            raise RuntimeError(errors.OUT_GRAD.format(f"aten::{unknown.inner or operation.name}"))
        return
    for value in (*inputs, out):
        if type(value) is Tensor and value._edge is NO_EDGE:  # as nearly all are
            continue
        found = value if isinstance(value, (list, tuple)) else (value,)
        for t in found:
            if isinstance(t, Tensor) and t._edge is not NO_EDGE and requires_grad(t):
                raise not_recorded(t, (rule.inner if rule is not None else "") or operation.name)


def _without_derivative(operation: Any, out: Tensor, inputs: Any) -> None:
    """Record that an out= tensor was written by a form that autograd does not know."""
    if (FLAGS.unusual and not LOCAL.state.record) or out._array.dtype.kind not in "fcV":
        return
    edges = tuple(gradient_edge(t) if isinstance(t, Tensor) else NO_EDGE for t in inputs)
    if any(edge is not NO_EDGE for edge in edges):
        rebase(out, start_node(operation.unknown_out(), edges, out._array.shape, out._array.dtype, ()))


def refuse_to_record(name: str, tensors: Iterable[Tensor]) -> None:
    """The same for what is made of other operations, of which PyTorch names one: `tensors` are operands and outputs."""
    if FLAGS.unusual and not modes.current().grad:
        return
    for t in tensors:
        if requires_grad(t):
            raise not_recorded(t, name)


def not_recorded(t: Tensor, name: str) -> Exception:
    """The error for a tensor that is differentiated, forward or backward, where an operation writes into `out`."""
    if t.requires_grad:
        return RuntimeError(errors.OUT_GRAD.format(name))
    return NotImplementedError(errors.OUT_TANGENT.format(name))


def _computed(operation: Any, inputs: Any, out: Tensor, r: np.ndarray) -> np.dtype[Any]:
    """The dtype in which an elementwise operation computes: a comparison in that of its operands."""
    if not getattr(operation, "compares", False):
        return r.dtype
    return r.dtype if out._array.dtype.kind == "b" else result_dtype(inputs).numpy


def _absolute(kind: np.dtype[Any], inputs: Any) -> bool:
    """Whether real numbers are computed of complex ones, as abs does: in memory of the right size at once."""
    return kind.kind == "f" and isinstance(inputs[0], Tensor) and inputs[0]._array.dtype.kind == "c"


def resize_out(out: Tensor, shape: tuple[int, ...], times: int = 1) -> None:
    """Give an out= tensor the size of the result. times: how often a change is warned of."""
    for _ in range(times if out._array.size else 0):
        told = errors.OUT_RESIZED.format(list(out.shape), list(shape))
        warn(told, at="aten/src/ATen/native/Resize.cpp:30")
    resize(out, shape)


def _resize_kept(operation: Any, out: Tensor, shape: tuple[int, ...], inputs: Any) -> None:
    """Give an out= tensor of a reduction its size as `Out.keeps` says."""
    dim, keepdim = (inputs[operation.index[name]] for name in ("dim", "keepdim"))
    had = tuple(out._array.shape)
    if keepdim or had == shape or not inputs[0]._array.ndim:
        return
    d = dim % inputs[0]._array.ndim
    if OUT[operation.name].keeps == "all" or len(had) == len(shape):
        had = (*had[:d], 1, *had[d:])
    kept = (*shape[:d], 1, *shape[d:])
    if had != kept and out._array.size:
        warn(errors.OUT_RESIZED.format(list(had), list(kept)), at="aten/src/ATen/native/Resize.cpp:30")
    resize(out, shape)


def _write(out: Tensor, r: np.ndarray, times: int = 1, sources: Sequence[Any] = ()) -> None:
    """times: how often a change of size is warned of, twice where PyTorch computes in memory of its own. sources: must
    not lie in the memory of `out` when it has its size. Memory of another size is laid out as `r` is."""
    target = out._array
    if r.dtype is not target.dtype:
        check_cast(r.dtype, target.dtype)
    if target.shape != r.shape:
        resize_out(out, r.shape, times)
        x = out._array
        steps = r.strides
        if x.itemsize != r.itemsize:
            steps = tuple([s // r.itemsize * x.itemsize for s in steps])
        if r.size and x.strides != steps and fills_memory(r):
            out._array = window(x, r.shape, steps)
    elif 0 in target.strides:
        check_apart(target)
    if sources:
        check_written(out, [t for s in sources for t in (s if isinstance(s, (list, tuple)) else (s,))], whole=True)
    commit(out, r)
