"""Elementwise operations of one and two inputs: their entries, and how they are called.

What an operation does is: arrays out of the tensors, the kernel, a Tensor, a Node with what its formulas name. Numbers,
mixed dtypes and `out=` take slower turns that share the code of `promotion` and `opdef`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar

import numpy as np

from ...core.arguments.declared import DECLARED, OUT, declare
from ...core.arguments.params import python_number
from ...core.graph.node import NO_EDGE, freed_error, sequence
from ...core.memory.casting import warn_cast
from ...core.memory.layout import iterated
from ...core.memory.overlap import check_written, crossing, in_order
from ...core.memory.rows import Rows, copied, lay_rows, plain_rows, rule_rows
from ...core.memory.storage import owner, resize
from ...core.memory.together import pointwise
from ...core.memory.versions import UNSHARED
from ...core.recording.detached import DETACHED
from ...core.recording.inplace import History, check_inplace, commit, commit_kernel, refuse_captured
from ...core.recording.record import RAW, TENSORS, OpNode, SavedOutput, changed, finish, start_node, unchanged, unpack
from ...core.runtime import errors, modes
from ...core.runtime.code import own_code
from ...core.runtime.modes import FLAGS, LOCAL, QUIET
from ...core.tensor.dispatching import instead, note
from ...core.tensor.edges import WRAPPED, NumberMeta
from ...core.tensor.overriding import stands_in
from ...core.tensor.tensor import INFERENCE, Tensor, gradient_edge, operand_edge, requires_grad, wrap, wrap_scalar
from ...core.types.dtypes import get_default_dtype, of_scalar
from ...core.values.building import check_numpy
from ...core.values.promotion import (
    broadcast_error,
    broadcast_shapes,
    cast,
    check_cast,
    is_number,
    number,
    result_dtype,
    too_big,
    wrap_number,
)
from . import asking
from .calls import counted, save_first, unrecordable
from .inplace import cloned, prepare, recorded_edges, refuse_rows_in_place, settle
from .opdef import OPS, Op, offer
from .outputs import before_kernel, refuse_dtype, refuse_recorded, write
from .overloads import Overload
from .signatures import explain, lookup, space_of

__all__ = ["binary", "unary"]

_new = object.__new__
_ndarray = np.ndarray
_asarray = np.asarray

Vjp = Callable[..., Any]
_Check = TypeVar("_Check", bound=Callable[..., None])
#: stands for an argument that was not given
_MISSING: Any = object()


#: the tensors that stand for Python's numbers, by number and dtype, since a program uses the same ones again and again.
#: Nodes share what they save of them, until a user looks (`record._owned`)
_NUMBERS: dict[tuple[float, np.dtype[Any], type], Tensor] = {}
_known = _NUMBERS.get
_NOUGHTS = {kind: NumberMeta(wrap_number(kind())) for kind in (int, float)}
_MANY = 256
_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
#: beside floats, the dtype whose operations with Python's numbers are short: that of integers themselves
_WHOLE = np.dtype(np.int64)


def _number(value: float, numpy: np.dtype[Any]) -> Tensor:
    """The tensor that stands for a Python number; one that is too large for the dtype is infinite, without a word."""
    if not -65504 <= value <= 65504:
        if type(value) is int and not -(1 << 63) <= value < 1 << 64:
            raise too_big(value)
        has_dtype = type(value) is float or -(1 << 63) <= value < 1 << 63
        meta = NumberMeta(wrap_number(value)) if has_dtype else WRAPPED
        with np.errstate(over="ignore"):
            return wrap_scalar(number(value, numpy), meta)
    t = wrap_scalar(np.array(value, numpy), NumberMeta(wrap_number(value)) if value else _NOUGHTS[type(value)])
    if value or type(value) is int:  # 0.0 and -0.0 are one key
        if len(_NUMBERS) >= _MANY:
            _NUMBERS.clear()
        _NUMBERS[value, numpy, type(value)] = t
    return t


def _again(error: Exception, kernel: Callable[..., Any], *arrays: Any) -> Any:
    """A kernel failed: because its shapes do not broadcast, or only because the quiet context was in use."""
    if isinstance(error, ValueError):
        broadcast_error(*(a.shape for a in arrays))
    if not modes.busy(error):
        return modes.separately(error, kernel, *arrays)
    try:
        return modes.quiet(kernel, *arrays)
    except ValueError:
        broadcast_error(*(a.shape for a in arrays))


class Elementwise(Op):
    """An entry of which each element of the result comes from the elements at its place alone.

    ufunc: the kernel for arrays of the dtype in which it computes. floats: integers are computed in the default dtype.
    """

    elementwise = True
    ufunc: Callable[..., Any]
    floats: bool
    #: is called with the arrays in their common dtype, and may raise
    check: Callable[[Any, Any], None] | None = None
    #: whether nothing but the usual is asked of an out= tensor; None: nobody has looked yet
    usual_out: bool | None = None
    #: of one input: is called with the array that the form in place is to change, and may raise
    refuses_in_place: Callable[[np.ndarray], None] | None

    def saved_names(self) -> tuple[str, ...]:
        """The names of what the Node saves."""
        return self.fields if self.differentiates else ()


def unary(
    declaration: str,
    kernel: Callable[[Any], Any],
    vjp: Vjp | None = None,
    *,
    promotes: bool = True,
    doc: str = "",
    node: str | None = None,
    inplace: bool = True,
    inplace_function: bool = True,
    inplace_derivative: bool = True,
    refuses_in_place: Callable[[np.ndarray], None] | None = None,
    out: Any = None,
    overloads: Sequence[Overload] = (),
    inner_writes: int | Callable[..., int] = 0,
    holomorphic: bool = False,
) -> None:
    """An elementwise operation of one input.

    promotes: integers are computed in the default dtype (`exp`). inplace_derivative: whether the in-place form has the
    derivative too; if not, it is an overload with a Node of its own that refuses to run. refuses_in_place: is called
    with the array that is to be changed, and may raise.
    """

    def entry_kernel(input: Any) -> Any:
        x = input
        if promotes and x.dtype.kind in "biu":
            x = x.astype(get_default_dtype().numpy)
        return kernel(x)

    formulas = None if vjp is None else {"input": vjp}
    fast = {} if vjp is None else _unary_run(vjp)
    name = declare(declaration, doc, out)
    entry = Elementwise(
        name,
        entry_kernel,
        vjp=formulas,
        node=node,
        inplace=inplace,
        doc=doc,
        fast=fast,
        overloads=overloads,
        counts=(1,),
        inner_writes=inner_writes,
        holomorphic=holomorphic,
    )
    entry.ufunc, entry.floats, entry.refuses_in_place = kernel, promotes, refuses_in_place
    if not inplace_derivative:
        entry.refuse_in_place()
    _register(entry)
    offer(name, entry, _form_of_one, True, True, doc)
    if inplace:
        text = f"In-place version of :meth:`{name}`."
        offer(name + "_", entry, _form_of_one_in_place, True, inplace_function, text)


def _register(entry: Elementwise) -> None:
    """Put an entry into the table."""
    OPS[entry.name] = entry
    rule_rows((entry.ufunc,), pointwise)
    lay_rows((entry.ufunc,), iterated)
    setattr(RAW, entry.name, entry.kernel)


def _other_call(
    entry: Elementwise, call: Any, input: Any, extra: tuple[Any, ...], out: Any, unknown: dict[str, Any]
) -> Any:
    """A call of an operation on one tensor with more than that, or with something else."""
    if extra or unknown or not isinstance(input, Tensor):
        named = _named(entry, input, unknown)
        return entry.reject(_given(input, *extra), unknown) if named is None else call(named, *extra, out=out)
    if not (isinstance(out, Tensor) and entry.takes_out()):
        return entry.reject((input,), {"out": out})
    refuse_recorded(entry, (input,), out)
    check_written(out, (input,))
    x = input._array
    try:
        r = modes.quiet(entry.kernel, x)
    except NotImplementedError as error:
        if str(error).startswith('"'):  # a kernel is looked for when dtypes are known
            if not entry.floats:
                refuse_dtype(entry, out, x, (input,))
            before_kernel(entry, out, x.shape, x.dtype)
        raise
    return write(entry, out, r, (input,), True)


def _form_of_one(entry: Elementwise) -> Callable[..., Any]:
    kernel, floats = entry.ufunc, entry.floats
    differentiates = entry.differentiates
    names = entry.saved_names()
    inner = entry.inner_writes
    save_input, save_result = names == ("input",), names == ("result",)
    nowhere = _MISSING if entry.as_method else None  # methods have no out=, not even None

    def call(input: Any = _MISSING, /, *extra: Any, out: Any = nowhere, **unknown: Any) -> Any:
        if extra or unknown or out is not nowhere or not isinstance(input, Tensor):
            if (
                type(out) is Tensor
                and nowhere is None
                and not (extra or unknown)
                and _written_at_once(entry, out, input)
            ):
                return out
            return _other_call(entry, call, input, extra, out, unknown)
        x = input._array
        try:
            r = QUIET(kernel, x)
        except (RuntimeError, ValueError, MemoryError) as error:
            r = _again(error, kernel, x)
        if type(r) is not _ndarray:
            r = iterated(r, x) if type(r) is Rows else _asarray(r)
        if floats and r.dtype is not x.dtype and x.dtype.kind in "biu":
            r = plain_rows(modes.quiet(entry.kernel, x))
        shape = r.shape
        if r.ndim > 1 and (r.strides != x.strides or 1 in shape or 0 in shape):
            r = iterated(r, x)
        # unrolled: t = wrap(r)
        t = _new(Tensor)
        t._array = r
        t._edge = NO_EDGE
        t._counter = UNSHARED
        t._grad = t._view = t._storage = t._meta = None
        # end
        if not differentiates or (FLAGS.unusual and not LOCAL.state.record):
            if FLAGS.inference and LOCAL.state.inference:
                t._counter = INFERENCE
            elif inner and input._counter is not UNSHARED and type(input._counter) is not list:
                counted(t, inner, input)
            return t
        # unrolled: edge = known_edge(input)
        edge = input._edge
        if edge is None and input._view is None and (input._meta is not None) and (input._counter is not INFERENCE):
            accumulate = input._meta.accumulate
            edge = accumulate()
        # end
        if edge is None:
            edge = gradient_edge(input) if input._counter is not INFERENCE else operand_edge(input)
        if edge is NO_EDGE:
            return (
                counted(t, inner, input)
                if inner and input._counter is not UNSHARED and type(input._counter) is not list
                else t
            )
        numpy = r.dtype
        if numpy is not _SINGLE and numpy.kind not in "fcV":
            raise unrecordable(t)
        if save_input:
            saved: tuple[Any, ...] = (input, input._counter[0])
        elif save_result:
            # unrolled: item = save_output(t, 0)
            item = SavedOutput()
            item._array = t._array
            item.nr = 0
            version = t._counter
            if version is UNSHARED:
                version = t._counter = [0]
            item._counter = version
            # end
            saved = (item, 0)
        else:
            saved = entry.saves([input], [edge], (t,)) if names else ()
        made = entry.new_node
        # unrolled: node = start_node(made, (edge,), shape, numpy, saved)
        node = made()
        node._seq = sequence()
        node._edges = (edge,)
        node.hooks = None
        node.shape = shape
        node.dtype = numpy
        node.saved = saved
        # end
        if FLAGS.unusual and not LOCAL.state.plain:
            finish(node, LOCAL.state)
        t._edge = node
        return t

    note(own_code(call), (entry, ""))
    return call


def _form_of_one_in_place(entry: Elementwise) -> Callable[..., Any]:
    call_, name, refuses = entry.call_, entry.name, entry.refuses_in_place
    kernel = None if refuses or entry.writes or entry.changes else entry.ufunc

    def forward_(input: Any = _MISSING, /, *extra: Any, **unknown: Any) -> Any:
        if extra or unknown or not isinstance(input, Tensor):
            named = _named(entry, input, unknown)
            return (
                entry.reject(_given(input, *extra), unknown, name + "_") if named is None else forward_(named, *extra)
            )
        if refuses is not None:
            try:
                refuses(input._array)
            except RuntimeError:
                recorded_edges(entry, [input])  # raises if the tensor must not be changed at all
                raise
        if kernel is not None and input._edge is NO_EDGE and input._view is None and _changed_at_once(kernel, input):
            return input
        return call_(input)

    return forward_


@instead(lambda call, args, kwargs: False)
def _changed_at_once(kernel: Callable[[Any], Any], input: Tensor) -> bool:
    """Do to a tensor of floats in memory of its own what an operation in place does; whether that was done, since
    nothing has to be asked. It requires no grad."""
    x = input._array
    kind = x.dtype
    usual = (kind is _SINGLE or kind is _DOUBLE) and type(x) is _ndarray and 0 not in x.strides
    if not usual or (FLAGS.unusual and LOCAL.state.captured):
        return False
    try:
        r = QUIET(kernel, x)
    except (RuntimeError, MemoryError):
        return False
    if r.dtype is not kind:
        return False
    commit(input, r)
    return True


def _unary_run(vjp: Vjp) -> dict[str, Any]:
    """`Node.run` of an operation whose formula needs at most one saved value."""

    def run(self: Any, grad: Any, F: Any) -> tuple[Any, ...]:
        saved = self.saved
        if saved is None:
            raise freed_error()
        if grad is None:
            return (None,)
        item, version = saved
        if item._counter[0] != version:
            raise changed(self, item, version)
        return (vjp(F, grad, item._array),)

    def run_free(self: Any, grad: Any, F: Any) -> tuple[Any, ...]:
        return (None if grad is None else vjp(F, grad),)

    names = vjp.__code__.co_varnames[2 : vjp.__code__.co_argcount]
    return {} if len(names) > 1 else {"run": run if names else run_free}


def _widened(ufunc: Callable[..., Any], x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An array of a half type and one number, which is not rounded to that type: the result, and 1 in its place."""
    r = ufunc(x.astype(np.float32), y.astype(np.float32)).astype(x.dtype)
    return iterated(r, x, y), np.ones(y.shape, x.dtype)


def by_kind(kinds: str) -> Callable[[_Check], _Check]:
    """Decorator for a `check` of `binary` that looks at nothing but the kind of the dtype, and refuses some: arrays of
    float32 are not shown to it, unless it refuses them."""

    def marked(check: _Check) -> _Check:
        check.__dict__["kinds"] = kinds
        return check

    return marked


def _passes_singles(check: Any) -> bool:
    return check is None or "f" not in getattr(check, "kinds", "f")


class Binary(Elementwise):
    """An elementwise entry of two inputs, broadcast against each other."""

    #: whether two Python numbers are taken too, and made tensors
    numbers: bool
    #: whether the result is of bools
    compares: bool
    #: whether the second operand may be NumPy's array too; others leave arrays to NumPy
    arrays: bool
    #: is called with the operands as they are given, where their dtypes differ, and may raise
    refuses: Callable[[Any, Any], None] | None
    #: whether the signatures refuse a number as the first operand, and as the second
    strict: tuple[bool, bool]
    #: the overload that takes a Scalar: in recorded formulas a number is one
    scalar: str
    #: whether a half type and one number of another type are computed in float32
    widens: bool
    #: whether integers stay such as the second operand of floats
    exponents: bool
    #: whether `check` comes before memory is looked at
    checks_first: bool
    #: whether each formula needs the other operand, and nothing else
    crossed: bool

    def pair(self, input: Any, other: Any) -> tuple[Any, Any, Any, Any] | None:
        """Tensors for both operands and their arrays in the dtype of the computation; None if they are no operands."""
        if type(input) is type(other) is Tensor and self.refuses is None:
            x, y = input._array, other._array
            if x.dtype is y.dtype and x.dtype.kind == "f" and x.itemsize > 2:  # which no rule converts
                return input, other, x, y
        if self.arrays and isinstance(other, _ndarray) and isinstance(input, Tensor):
            try:
                check_numpy(other)
            except TypeError:  # left to NumPy
                return None
            other = wrap(other)
        a, b = isinstance(input, Tensor), isinstance(other, Tensor)
        if not (a and (b or is_number(other)) or (b and is_number(input))):
            return None
        if isinstance(other, np.generic):
            other = python_number(other)
        elif isinstance(input, np.generic):
            input = python_number(input)
        if self.refuses is not None:
            self.refuses(input, other)
        alike = a and b and input._array.dtype is other._array.dtype
        numpy = input._array.dtype if alike else result_dtype((input, other)).numpy
        if self.floats and numpy.kind in "biu":
            numpy = get_default_dtype().numpy
        x = cast(input._array, numpy) if a else number(input, numpy)
        if self.widens and numpy.itemsize == 2 and numpy.kind in "fV" and (not b or other._array.size == 1):
            x, y = modes.quiet(_widened, self.ufunc, x, np.asarray(other._array if b else other))
        elif self.exponents and a and b and input._array.dtype.kind in "fV" and other._array.dtype.kind in "iu":
            y = other._array
        else:
            y = cast(other._array, numpy) if b else number(other, numpy)
        return (input if a else wrap_number(input)), (other if b else wrap_number(other)), x, y

    def prepared(self, input: Tensor, other: Tensor) -> Any:
        """What `prepare` makes for the form in place, by a shorter way for operands that share no memory."""
        a, b = gradient_edge(input), gradient_edge(other)
        if self.compares and type(other._meta) is NumberMeta:  # the overload with a number
            x = input._array
            return start_node(self.number_in_place(), (a,), x.shape, x.dtype, ())
        count = input._counter
        short = not FLAGS.unusual and (self.crossed or not self.saved_names())
        if not short or other is input or other._counter is count is not UNSHARED:
            return prepare(self, [input, other], (a, b))
        x = input._array
        saved: tuple[Any, ...] = ()
        if self.crossed:
            right = left = v_right = v_left = None
            if a is not NO_EDGE:
                right, v_right = other, other._counter[0]
            if b is not NO_EDGE:
                left = wrap(np.array(x) if type(x) is _ndarray else copied(x))
                left._edge = cloned(a, x)
                v_left = 0
            saved = (right, left, v_right, v_left)
        return start_node(self.node_in_place(), (a, b), x.shape, x.dtype, saved)


def binary(
    declaration: str,
    kernel: Callable[[Any, Any], Any],
    vjp: dict[str, Vjp] | None = None,
    *,
    result: str = "same",
    doc: str = "",
    node: str | None = None,
    inplace: bool = True,
    inplace_function: bool = False,
    numbers: bool = False,
    check: Callable[[Any, Any], None] | None = None,
    refuses: Callable[[Any, Any], None] | None = None,
    method: bool = True,
    function: bool = True,
    constants: dict[str, Any] | None = None,
    shown: dict[str, str] | None = None,
    checks_first: bool = False,
    scalar: str = "",
    widens: bool = False,
    exponents: bool = False,
    out: Any = None,
    cuts: bool = True,
    overloads: Sequence[Overload] = (),
    counts: tuple[int, ...] = (),
    arrays: bool = False,
    forwardless: str = "",
    in_rows: str = "",
    inner_writes: int = 0,
    holomorphic: bool = False,
) -> None:
    """An elementwise operation of two inputs, broadcast against each other.

    shown: PyTorch's names of what is saved, where they differ from ours.
    result: "same" as the operands' common dtype, "float" (integers are computed in the default dtype), or "bool".
    check: is called with the two arrays in their common dtype and may raise. numbers, refuses, scalar, widens,
    exponents, checks_first, arrays: see `Binary`.
    """
    floats = result == "float"

    def entry_kernel(input: Any, other: np.ndarray) -> np.ndarray:
        x, y = input, other
        if floats and x.dtype.kind in "biu" and y.dtype.kind in "biu":
            d = get_default_dtype().numpy
            return kernel(x.astype(d), y.astype(d))
        return kernel(x, y)

    fast = {} if vjp is None else _binary_run(vjp)
    name = declare(declaration, doc, out)
    entry = Binary(
        name,
        entry_kernel,
        "input other",
        vjp=vjp,
        node=node,
        doc=doc,
        fast=fast,
        constants=constants,
        forwardless=forwardless,
        in_rows=in_rows,
        inner_writes=inner_writes,
        shown=shown,
        cuts=cuts,
        overload="" if _refuse_numbers(name)[1] else "Tensor",
        overloads=overloads,
        counts=counts,
        holomorphic=holomorphic,
    )
    entry.ufunc, entry.floats, entry.numbers, entry.check, entry.refuses = kernel, floats, numbers, check, refuses
    entry.compares, entry.strict, entry.scalar = result == "bool", _refuse_numbers(name), scalar
    entry.checks_first, entry.widens, entry.exponents, entry.arrays = checks_first, widens, exponents, arrays
    entry.crossed = vjp is not None and _crossed(vjp)
    if result == "bool":
        entry.node_name = entry.node_name[:-1] + "1"  # EqBackward1 in place: the overload with a tensor
    _register(entry)
    entry.core, entry.core_ = _core(entry), _core_in_place(entry)
    offer(name, entry, _form_of_two, method, function, doc)
    if inplace:
        text = f"In-place version of :meth:`{name}`."
        offer(name + "_", entry, _form_of_two_in_place, method, inplace_function, text)


@cache
def _promotes(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any] | None:
    """The dtype that NumPy gives a formula of arrays of two dtypes, None where it knows none."""
    return None if "V" in (a.kind, b.kind) else np.result_type(a, b)


@cache
def _promoting(cls: Any) -> Any:
    """The Node class for operands that NumPy does not promote as PyTorch does, numbers in arrays among them: its
    formulas run on Tensors."""

    def run(self: Any, grad: Any, F: Any) -> tuple[Any, ...]:
        if grad is None:
            return (None,) * len(self._edges)
        local = LOCAL.state
        before = local.set_grad(False)
        try:
            outs = self.run_recorded(wrap(grad), TENSORS)
        finally:
            local.set_grad(before)
        return tuple([None if g is None else g._array for g in outs])

    return type(cls.__name__, (cls,), {"__slots__": (), "__module__": cls.__module__, "run": run})


def _promote(node: Any) -> None:
    node.__class__ = _promoting(node.__class__)


def _core(entry: Binary) -> Callable[[Any, Any], Any]:
    """What the operator of an entry is."""
    kernel, check, floats, pair, inner = entry.ufunc, entry.check, entry.floats, entry.pair, entry.inner_writes
    scalar, crossed, names = entry.scalar, entry.crossed, entry.saved_names()
    narrow, whole, passed = _narrow(entry), None if floats else _WHOLE, _passes_singles(check)

    def core(input: Any, other: Any) -> Any:
        """The operation on a tensor and a tensor or number; NotImplemented for anything else."""
        kind = type(other)
        made = entry.new_node
        y: Any = None  # where it stays so, the operands are converted first
        if kind is Tensor or isinstance(other, Tensor):
            try:
                x = input._array
                y = other._array
                if (numpy := x.dtype) is not y.dtype or (floats and numpy.kind in "biu"):
                    y = None
            except AttributeError:
                pass
        elif scalar and FLAGS.formula and LOCAL.state.formula and is_number(other) and input._array.dtype.kind in "fc":
            return getattr(TENSORS, scalar)(input, other)
        elif (kind is float or kind is int) and (
            ((numpy := (x := input._array).dtype).kind == "f" and numpy is not narrow)
            or (numpy is whole and kind is int)
        ):
            known = _known((other, numpy, kind))
            other = _number(other, numpy) if known is None else known
            y = other._array
        if y is None:
            found = pair(input, other)
            if found is None:
                again = isinstance(input, Tensor) and stands_in((other,), {})
                return core(input, other) if again else NotImplemented
            input, other, x, y, numpy = *found, None  # the dtype of the result is looked up
            if made is not None and _promotes(input._array.dtype, other._array.dtype) is not x.dtype:
                made = _promoting(entry.node_class)
        if check is not None and not (passed and numpy is _SINGLE):
            check(x, y)
        try:
            r = QUIET(kernel, x, y)
        except (RuntimeError, ValueError, MemoryError) as error:
            save_first(entry, (input, other))
            r = _again(error, kernel, x, y)
        if type(r) is not _ndarray:
            r = iterated(r, x, y) if type(r) is Rows else _asarray(r)
        ndim = r.ndim
        if ndim > 1:
            shape = r.shape
            if x.ndim < ndim or not x.flags.c_contiguous or 1 in shape or 0 in shape:
                r = iterated(r, x, y)
        # unrolled: t = wrap(r)
        t = _new(Tensor)
        t._array = r
        t._edge = NO_EDGE
        t._counter = UNSHARED
        t._grad = t._view = t._storage = t._meta = None
        # end
        if made is None or (FLAGS.unusual and not LOCAL.state.record):
            if FLAGS.inference and LOCAL.state.inference:
                t._counter = INFERENCE
            return counted(t, inner, input, other) if inner else t
        # unrolled: a = known_edge(input)
        a = input._edge
        if a is None and input._view is None and (input._meta is not None) and (input._counter is not INFERENCE):
            accumulate = input._meta.accumulate
            a = accumulate()
        # end
        if a is None:
            a = gradient_edge(input) if input._counter is not INFERENCE else operand_edge(input, (other,))
        # unrolled: b = known_edge(other)
        b = other._edge
        if b is None and other._view is None and (other._meta is not None) and (other._counter is not INFERENCE):
            accumulate = other._meta.accumulate
            b = accumulate()
        # end
        if b is None:
            b = gradient_edge(other) if other._counter is not INFERENCE else operand_edge(other, (input,))
        if a is NO_EDGE and b is NO_EDGE:
            return t
        if numpy is not _SINGLE and (numpy := r.dtype).kind not in "fcV":
            raise unrecordable(t)
        if not crossed:
            saved: tuple[Any, ...] = entry.saves([input, other], [a, b], (t,)) if names else ()
        elif a is NO_EDGE or b is NO_EDGE:
            saved = (other, None, other._counter[0], None) if b is NO_EDGE else (None, input, None, input._counter[0])
        else:
            saved = (other, input, other._counter[0], input._counter[0])
        if ndim < 2:
            shape = r.shape
        # unrolled: node = start_node(made, (a, b), shape, numpy, saved)
        node = made()
        node._seq = sequence()
        node._edges = (a, b)
        node.hooks = None
        node.shape = shape
        node.dtype = numpy
        node.saved = saved
        # end
        if FLAGS.unusual and not LOCAL.state.plain:
            finish(node, LOCAL.state)
        t._edge = node
        return t

    note(own_code(core), (entry, "core"))
    return core


def _form_of_two(entry: Binary) -> Callable[..., Any]:
    core, numbers = entry.core, entry.numbers
    name, (strict, strict_other) = entry.name, entry.strict
    nowhere = _MISSING if entry.as_method else None  # methods have no out=, not even None

    @instead(asking.without_out)
    def forward(
        input: Any = _MISSING, other: Any = _MISSING, /, *extra: Any, out: Any = nowhere, **unknown: Any
    ) -> Any:
        if strict and not (isinstance(input, Tensor) and (isinstance(other, Tensor) or not strict_other)):
            pass
        elif not extra and not unknown and input is not _MISSING and other is not _MISSING:
            if out is nowhere:
                try:
                    refused = entry.arrays and isinstance(other, _ndarray)  # which only the operator takes
                    t = NotImplemented if refused else core(input, other)
                except AttributeError:
                    if isinstance(input, Tensor):
                        raise
                    t = NotImplemented
                if t is NotImplemented and numbers:
                    t = _of_numbers(core, input, other)
                if t is not NotImplemented:
                    return t
            else:
                if type(out) is Tensor and nowhere is None and _written_at_once(entry, out, input, other):
                    return out
                if numbers and not entry.as_method and is_number(out):
                    out = wrap_number(out)  # as good as any other operand
                if entry.as_method or not isinstance(out, Tensor):
                    return entry.reject((input, other), {"out": out})
                if not (isinstance(input, Tensor) and isinstance(other, Tensor)):
                    explain(name, (input, other), {"out": out})  # not every overload has out=
                    if numbers and is_number(input) and is_number(other):
                        input, other = (wrap_number(n, of_scalar(n).numpy) for n in (input, other))
                found = entry.pair(input, other)
                if found is not None:
                    refuse_recorded(entry, (input, other), out)
                    r = _into(entry, found, out)
                    return write(entry, out, r, (input, other), True, found[:2])
        if unknown:
            named = unknown if out is nowhere else {**unknown, "out": out}
            return forward(*_by_name(entry, name, _given(input, other, *extra), named), out=out)
        return entry.reject(_given(input, other, *extra), {} if out is nowhere else {"out": out})

    return own_code(forward)


@instead(lambda call, args, kwargs: False)
def _written_at_once(entry: Any, out: Tensor, input: Any, other: Any = _MISSING) -> bool:
    """Write into `out` the result of an operation on tensors of its float dtype, which are in other memory or `out`
    itself and do not require grad; whether that was done, since it has the size of the result or none yet."""
    target, usual = out._array, entry.usual_out
    if usual is None:
        usual = entry.usual_out = entry.name not in OUT and entry.check is None and entry.takes_out()
    kind = target.dtype
    if not usual or out._edge is not NO_EDGE or (kind is not _SINGLE and kind is not _DOUBLE):
        return False
    if type(input) is not Tensor or input._edge is not NO_EDGE:
        return False
    x = y = input._array
    shape = x.shape
    if x.dtype is not kind or type(x) is not _ndarray or type(target) is not _ndarray:
        return False
    if other is not _MISSING:
        if type(other) is not Tensor or other._edge is not NO_EDGE:
            return False
        y = other._array
        if y.dtype is not kind or type(y) is not _ndarray or y.shape != shape:
            return False
        if other._counter is not UNSHARED and not (type(other._counter) is list and _apart(y, target)):
            return False
    if input._counter is not UNSHARED and not (type(input._counter) is list and _apart(x, target)):
        return False
    fits = target.shape == shape
    if 0 in target.strides if fits else not _fills(target, x, y):
        return False
    try:
        r = QUIET(entry.ufunc, x) if other is _MISSING else QUIET(entry.ufunc, x, y)
    except (RuntimeError, ValueError, MemoryError):
        return False
    if type(r) is not _ndarray or r.dtype is not kind:
        return False
    if not fits:
        resize(out, shape)
    commit(out, r)
    return True


def _apart(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether two arrays surely lie in different memory, or are one."""
    first = x if x.base is None else owner(x)
    second = y if y.base is None else owner(y)
    return first.base is None is second.base and (first is not second or x is y)


def _fills(target: np.ndarray, x: np.ndarray, y: np.ndarray) -> bool:
    """Whether an empty out= tensor gets the size of arrays, and lies in its new memory row by row as they do."""
    return target.shape == (0,) and 1 not in x.shape and x.flags.c_contiguous and y.flags.c_contiguous


def _into(entry: Binary, found: tuple[Any, Any, Any, Any], out: Tensor) -> Any:
    """The result of an operation on what `pair` has found that is to go to `out`."""
    x, y = found[2:]
    try:
        if entry.check is not None:
            entry.check(x, y)
        check_written(out, found[:2])
        return modes.quiet(entry.ufunc, x, y)
    except NotImplementedError as error:
        if str(error).startswith('"'):
            before_kernel(entry, out, broadcast_shapes(x.shape, y.shape), x.dtype)
        raise
    except ValueError as error:
        return _again(error, entry.ufunc, x, y)


def _form_of_two_in_place(entry: Binary) -> Callable[..., Any]:
    core_, name, strict_other = entry.core_, entry.name, entry.strict[1]

    def forward_(input: Any = _MISSING, other: Any = _MISSING, /, *extra: Any, **unknown: Any) -> Any:
        if extra or unknown or not isinstance(input, Tensor) or (strict_other and not isinstance(other, Tensor)):
            if unknown:
                input, named = _by_name(entry, name + "_", _given(input, other, *extra), unknown)
                t = core_(input, named)
                return entry.reject(_given(input, other), unknown, name + "_") if t is NotImplemented else t
            return entry.reject(_given(input, other, *extra), unknown, name + "_")
        t = core_(input, other)
        return entry.reject(_given(input, other), {}, name + "_") if t is NotImplemented else t

    return forward_


def _core_in_place(entry: Binary) -> Callable[[Tensor, Any], Any]:
    """The operation in place on a tensor, with a tensor or number; NotImplemented for anything else."""
    kernel, check, floats, compares = entry.ufunc, entry.check, entry.floats, entry.compares
    direct = isinstance(kernel, np.ufunc) and not compares
    narrow, whole, passed = _narrow(entry), None if floats else _WHOLE, _passes_singles(check)
    recorded, refuses = entry.differentiates or entry.cuts, entry.refuses is not None
    early, late = (check, None) if entry.checks_first else (None, check)

    def core_(input: Tensor, other: Any) -> Any:
        target = x = input._array
        kind = type(other)
        y = other._array if kind is Tensor or isinstance(other, Tensor) else None
        if FLAGS.rows and type(y) is Rows:
            refuse_rows_in_place(entry, (input, other))
        if y is not None and x.dtype is y.dtype and not (floats and x.dtype.kind in "biu"):
            spread = target.shape != y.shape
        elif (kind is float or kind is int) and (
            ((d := x.dtype).kind == "f" and d is not narrow) or (d is whole and kind is int)
        ):
            known = _known((other, x.dtype, kind))
            other = _number(other, x.dtype) if known is None else known
            y = other._array
            spread = False
        else:
            if refuses and (y is not None or is_number(other)):  # the tensor is checked before its operands
                recorded_edges(entry, [input, other if isinstance(other, Tensor) else None])
            found = None if isinstance(other, _ndarray) else entry.pair(input, other)  # the operator alone takes arrays
            if found is None:
                return core_(input, other) if stands_in((other,), {}) else NotImplemented
            _, other, x, y = found
            spread = target.shape != y.shape
        node = history = None
        if FLAGS.unusual and LOCAL.state.captured:
            refuse_captured(input, entry.node_in_place().in_place)
        if (
            not (input._edge is NO_EDGE and other._edge is NO_EDGE)
            and recorded
            and not (FLAGS.unusual and not LOCAL.state.record)
            and (requires_grad(input) or requires_grad(other))
        ):
            check_inplace(input, other)
            history = History(input, node := entry.prepared(input, other))
            if x.dtype is not other._array.dtype and _promotes(target.dtype, other._array.dtype) is not x.dtype:
                _promote(node)
        if early is not None and not (passed and x.dtype is _SINGLE):
            early(x, y)
        version = input._counter
        parts = target.base is not None or other._array.base is not None
        if 0 in target.strides or (parts and version is not UNSHARED is not other._counter and other is not input):
            check_written(input, (other,))
        if spread and y.ndim:
            shape = broadcast_shapes(target.shape, y.shape)
            if shape != target.shape:
                raise RuntimeError(errors.OUT_BROADCAST.format(list(target.shape), list(shape)))
        if x is not target and x.dtype is not target.dtype and not compares:
            check_cast(x.dtype, target.dtype)
        if late is not None and not (passed and x.dtype is _SINGLE):
            late(x, y)
        if compares and x.dtype.kind == "c" and x is not target and target.size:
            modes.quiet(kernel, x, y)  # a kernel that is missing is told first
            warn_cast(x.dtype, target.dtype)
        if input._view is not None and crossing(target):
            commit(input, modes.quiet(in_order, kernel, target, x, y), history)
        elif direct and x is target and x.size > _LARGE:
            commit_kernel(input, kernel, x, y, history)
        else:
            try:
                r = QUIET(kernel, x, y)
            except (RuntimeError, MemoryError) as error:
                r = _again(error, kernel, x, y)
            if history is None and type(version) is list:  # what `commit` does then
                following = version[0] + 1
                # unrolled: commit_values(target, ..., r, version, following)
                try:
                    target[...] = r
                    version[0] = following
                except BaseException:
                    target[...] = r
                    version[0] = following
                    raise
                # end
                return input
            commit(input, r, history)
        if node is not None and FLAGS.unusual:
            settle(node)
        return input

    note(own_code(core_), (entry, "core_"))
    return core_


def _refuse_numbers(name: str) -> tuple[bool, bool]:
    """Whether the signatures of an operation admit no number as its first operand, and as its second."""
    text = DECLARED[name].text if name in DECLARED else "|numbers"
    if "|numbers" in text:
        return False, False
    return "(Scalar " not in text, "(Tensor input, Scalar " not in text


def _narrow(entry: Binary) -> Any:
    """The float dtype that a number is not rounded to, if there is one."""
    return np.dtype(np.float16) if entry.widens else None


#: elements from which on a result in memory of its own costs more than the care for writing in place
_LARGE = 4096


def _of_numbers(core: Callable[..., Any], input: Any, other: Any) -> Any:
    """An operation called on two Python numbers: it makes tensors of them."""
    if is_number(input) and is_number(other):
        return core(*(wrap_number(n, of_scalar(n).numpy) for n in (input, other)))
    return NotImplemented


def _named(entry: Op, input: Any, unknown: dict[str, Any]) -> Tensor | None:
    """The tensor of a call of a function that gives it, and nothing else, by its name."""
    if input is not _MISSING or entry.as_method or unknown.keys() != {"input"}:
        return None
    found = unknown["input"]
    return found if isinstance(found, Tensor) else None


def _given(*values: Any) -> tuple[Any, ...]:
    """The arguments that were given."""
    return tuple(value for value in values if value is not _MISSING)


def _by_name(entry: Op, called: str, args: tuple[Any, ...], unknown: dict[str, Any]) -> tuple[Any, ...]:
    """The operands of a call that gives one under a name that the signatures know; PyTorch's TypeError for others."""
    signatures = lookup(called, "Tensor" if entry.as_method else space_of(called))
    if signatures is None:
        return entry.reject(args, unknown, called)
    first = args[: entry.as_method]
    _, values = signatures.bind(args[len(first) :], unknown)
    return (*first, *values.values())[:2]


def _crossed(vjp: dict[str, Vjp]) -> bool:
    """Whether each of two formulas needs the other operand, and nothing else."""
    return tuple(vjp) == ("input", "other") and _wants(vjp) == (("other",), ("input",))


def _wants(vjp: dict[str, Vjp]) -> tuple[tuple[str, ...], ...]:
    """What each formula needs beside the gradient."""
    return tuple(f.__code__.co_varnames[2 : f.__code__.co_argcount] for f in vjp.values())


def _binary_run(vjp: dict[str, Vjp]) -> dict[str, Any]:
    """`Node.run` for the commonest kinds: formulas that save nothing, and formulas that need the other operand."""
    if _crossed(vjp):
        return {"run": _run_crossed(**vjp), "run_recorded": _record_crossed(**vjp)}
    if tuple(vjp) != ("input", "other") or any(_wants(vjp)):
        return {}
    first, second = vjp["input"], vjp["other"]

    def run_free(self: Any, grad: Any, F: Any) -> tuple[Any, ...]:
        if grad is None:
            return (None, None)
        a, b = self._edges
        return (
            None if a is NO_EDGE else first(F, grad),
            None if b is NO_EDGE else second(F, grad),
        )

    def run_unchanged(self: Any, grad: Any, F: Any) -> tuple[Any, ...]:
        a, b = self._edges
        return (None if a is NO_EDGE else grad, None if b is NO_EDGE else grad)

    return {"run": run_unchanged if first is second is unchanged else run_free}


def _run_crossed(input: Vjp, other: Vjp) -> Callable[..., tuple[Any, ...]]:
    first, second = input, other
    f: Any = getattr(first, "on_reals", None)
    g: Any = getattr(second, "on_reals", None)
    ufuncs = f is not None and g is not None

    def run_crossed(self: Any, grad: Any, F: Any) -> tuple[Any, ...]:
        saved = self.saved
        if saved is None:
            raise freed_error()
        if grad is None:
            return (None, None)
        real = ufuncs and self.dtype.kind != "c"
        other, input, v_other, v_input = saved
        g_first = g_second = None
        if other is not None:
            if other._counter[0] != v_other:
                raise changed(self, other, v_other)
            g_first = f(grad, other._array) if real else first(F, grad, other._array)
        if input is not None:
            if input._counter[0] != v_input:
                raise changed(self, input, v_input)
            g_second = g(grad, input._array) if real else second(F, grad, input._array)
        return (g_first, g_second)

    return run_crossed


def _record_crossed(input: Vjp, other: Vjp) -> Callable[..., tuple[Any, ...]]:
    """`Node.run_recorded` of the same, while the engine records a whole pass."""
    first, second = input, other
    usual = not (hasattr(first, "writes") or hasattr(second, "writes"))

    def run_recorded(self: Any, grad: Any, F: Any) -> tuple[Any, ...]:
        saved = self.saved
        if not usual or saved is None or grad is None or DETACHED or not FLAGS.formula or not LOCAL.state.formula:
            return OpNode.run_recorded(self, grad, F)
        other, input, v_other, v_input = saved
        if other is not None:
            if type(other) is not Tensor:
                other = unpack(self, 0)
            elif other._counter[0] != v_other:
                raise changed(self, other, v_other)
        if input is not None:
            if type(input) is not Tensor:
                input = unpack(self, 1)
            elif input._counter[0] != v_input:
                raise changed(self, input, v_input)
        g_second = None if input is None else second(F, grad, input)  # in the order in which PyTorch's Nodes do
        return (None if other is None else first(F, grad, other), g_second)

    return run_recorded
