"""How operations of the table are called: a closure for each, as short as its kind allows.

`one` is for a single tensor among the arguments (most operations), `viewed` for views of it, `several` for more tensors
or a list of them, `many` for several results. They bind the arguments, run the kernel, make the Tensors and, if a
gradient is wanted, the Node with what its formulas name; out= goes to `Op.call_any`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.graph.node import NO_EDGE, Edge, sequence
from ...core.memory.rows import Apart, Rows, apart
from ...core.memory.versions import UNSHARED, of_inference
from ...core.recording.record import TENSORS, array_property, finish, save_output
from ...core.recording.views import beneath, share
from ...core.runtime import errors, modes
from ...core.runtime.code import own_code
from ...core.runtime.modes import FLAGS, LOCAL, QUIET
from ...core.tensor.dispatching import note
from ...core.tensor.tensor import INFERENCE, Tensor, ViewMeta, gradient_edge, operand_edge, requires_grad
from ...core.types.dtypes import scalar_name
from ...core.types.return_types import making
from ...core.values.promotion import plain_number

if TYPE_CHECKING:
    from .opdef import Op

__all__ = [
    "ByOut",
    "counted",
    "make_call",
    "record",
    "record_many",
    "recordable",
    "save_first",
    "unrecordable",
    "unrecorded",
    "view_of",
]

_new = object.__new__
_ndarray = np.ndarray
_asarray = np.asarray
#: the usual dtype: to be that very object is known sooner than a kind
_FLOAT = np.dtype(np.float32)


def make_call(op: Op) -> Callable[..., Any]:
    """The function that carries out an operation."""
    if op.multi or op.outputs:
        call = many(op)
    elif op.tensor_places != (0,) or op.list_place is not None:
        pairs = op.tensor_places == op.edge_places == (0, 1) and op.list_place is None and not op.constant_places
        call = pair(op) if pairs else several(op)
    else:
        call = viewed(op) if op.view else one(op)
    note(own_code(call), (op, ""))
    return call


class ByOut(int):
    """The inner writes of a kernel that calls the out= form of an operation, which autograd sees: it refuses what
    requires grad, although autograd has not seen the operation itself."""

    name: str

    def __new__(cls, name: str, times: int = 1) -> ByOut:
        made = super().__new__(cls, times)
        made.name = name
        return made


class ByCopy(int):
    """The inner writes of a kernel that fills new memory by copy_, which autograd sees although it has not seen the
    operation itself."""


def counted(t: Tensor, times: int | Callable[..., int], *operands: Any) -> Tensor:
    """A result with the inner writes of its kernel, if all tensors among the operands are of inference mode."""
    if t._counter is INFERENCE:  # and counts nothing
        return t
    for x in operands:
        if isinstance(x, Tensor) and (x._counter is UNSHARED or not of_inference(x)):
            return t
    if not isinstance(times, int):
        times = times(*[x._array if isinstance(x, Tensor) else x for x in operands])
        if not times:
            return t
    if type(times) is ByOut and modes.current().grad:
        if any(isinstance(x, Tensor) and requires_grad(x) for x in operands):
            raise RuntimeError(errors.OUT_GRAD.format(times.name))
    if type(times) is ByCopy and requires_grad(operands[0]):
        copied: Tensor = TENSORS.copy_(t, operands[0])
        return copied
    t._counter = [int(times)]
    return t


def unrecordable(t: Tensor) -> RuntimeError:
    """The error where a result of integers or bools would get a Node: it comes from what is recorded, and no float."""
    return RuntimeError(f"Autograd not support dtype: {scalar_name(t)}")


def recordable(t: Tensor, operands: Sequence[Any]) -> None:
    """Refuse a result of integers or bools that comes from what is recorded, and from no floats."""
    for v in operands:
        if isinstance(v, (list, tuple)):
            recordable(t, v)
        elif isinstance(v, Tensor) and v._array.dtype.kind not in "fcV" and requires_grad(v):
            raise unrecordable(t)


def save_first(op: Op, values: Sequence[Any]) -> None:
    """A kernel failed: PyTorch has saved the operands by then, and has refused those of inference mode."""
    if not (op.differentiates and modes.current().record):
        return
    edges, found = op.edges(list(values))
    for (kind, place), users in zip(op.savers, op.users, strict=False):
        if found and kind == "tensor" and (users is None or any(edges[i] is not NO_EDGE for i in users)):
            value = values[place]
            if isinstance(value, Tensor) and value._counter is INFERENCE:
                value._counter[0]  # raises


def _kernel(error: RuntimeError | MemoryError | IndexError, run: Callable[..., Any], *args: Any) -> Any:
    """A kernel raised: only because the quiet context was in use, or in earnest."""
    if not modes.busy(error):
        return modes.separately(error, run, *args)
    return modes.quiet(run, *args)


def _short(op: Op, shorter: bool = True) -> tuple[Callable[..., Any], int, list[tuple[Any, ...]]]:
    """For calls without keywords: the kernel, how many arguments are all that it takes, and what follows fewer of them.
    A call that names flags is bound the long way, which looks at their types: the number is then -1.

    Where nothing is saved of arguments that are always named, the kernel's own defaults stand for them.
    """
    n = op.positional
    named = op.names[n:]
    flagged = any(place < n for place in op.flags)
    if not named:
        return op.invoke, -1 if flagged else n, [op.defaults[i:] for i in range(n + 1)]
    if shorter and not any(kind == "value" and place >= n for kind, place in op.savers) and not op.named_required:
        return op.kernel, -1 if flagged else n, [op.defaults[i:n] for i in range(n + 1)]
    return op.invoke, -1, [op.defaults[i:] for i in range(n + 1)]


def one(op: Op) -> Callable[..., Any]:
    """An operation whose first argument is its only tensor."""
    invoke, (kernel, count, missing) = op.invoke, _short(op)
    fewest, most = op.required, min((op.positional, *op.flags))
    differentiates = op.differentiates
    save = _saver(op) if op.differentiates else None
    inner, casts, mapped = op.inner_writes, "dtype" in op.names, op.mapped
    alone, positional = op.named_alone(), op.positional

    def call(*args: Any, **kwargs: Any) -> Any:
        given = args
        run = kernel
        if kwargs:
            if "out" in kwargs:
                return op.call_any(*args, **kwargs)
            value = kwargs.get(alone, op) if len(kwargs) == 1 and len(args) == positional else op
            if value is op or type(value) is Tensor or isinstance(value, type):
                args = (*op.bind(args, kwargs),)
            else:
                args = (*args, value)
            run = invoke
        elif len(args) != count:
            n = len(args)
            if fewest <= n <= most:
                args = args + missing[n]
            else:
                args = op.filled(args, kwargs)
                run = invoke
        input = args[0]
        if not isinstance(input, Tensor):
            return op.reject(given, kwargs)
        x = input._array
        try:
            r = QUIET(run, x, *args[1:])
        except (RuntimeError, MemoryError) as error:
            if mapped is not None and isinstance(error, Apart) and (instead := mapped(*args)) is not None:
                return instead
            r = _kernel(error, run, x, *args[1:])
        except (AttributeError, TypeError, ValueError):
            r = apart(run, (x, *args[1:]))
            if r is None:
                return op.failed(given, kwargs)
        if type(r) is not _ndarray:
            if type(r) is not Rows:
                r = np.asarray(r)
            elif mapped is not None and (instead := mapped(*args)) is not None:
                return instead
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
                counted(t, inner, *args)
            return t
        # unrolled: edge = known_edge(input)
        edge = input._edge
        if edge is None and input._view is None and (input._meta is not None) and (input._counter is not INFERENCE):
            accumulate = input._meta.accumulate
            edge = accumulate()
        # end
        if edge is None:
            if r.dtype.kind not in "fcV" and not casts and x.dtype.kind in "fcV":
                edge = NO_EDGE  # nothing is recorded, whatever became of a view's Node
            else:
                edge = gradient_edge(input) if input._counter is not INFERENCE else operand_edge(input, args)
        if edge is NO_EDGE or r.dtype.kind not in "fcV":
            if edge is not NO_EDGE and (casts or x.dtype.kind not in "fcV"):
                raise unrecordable(t)
            return (
                counted(t, inner, *args)
                if inner and input._counter is not UNSHARED and type(input._counter) is not list
                else t
            )
        saved = save(args, x, t)  # type: ignore[misc]
        made = op.new_node
        # unrolled: node = start_node(made, (edge,), r.shape, r.dtype, saved)
        node = made()
        node._seq = sequence()
        node._edges = (edge,)
        node.hooks = None
        node.shape = r.shape
        node.dtype = r.dtype
        node.saved = saved
        # end
        if FLAGS.unusual and not LOCAL.state.plain:
            finish(node, LOCAL.state)
        t._edge = node
        return t

    return call


def viewed(op: Op) -> Callable[..., Any]:
    """The same where the result is a view of that tensor."""
    invoke, creation, (_, count, missing) = op.invoke, op.creation, _short(op, False)
    fewest, most = op.required, min((op.positional, *op.flags))
    save, saves = _saver(op), bool(op.savers) or op.real

    def call(*args: Any, **kwargs: Any) -> Any:
        given = args
        if kwargs:
            if "out" in kwargs:
                return op.call_any(*args, **kwargs)
            args = (*op.bind(args, kwargs),)
        elif len(args) != count:
            n = len(args)
            args = args + missing[n] if fewest <= n <= most else op.filled(args, kwargs)
        input = args[0]
        if not isinstance(input, Tensor):
            return op.reject(given, kwargs)
        x = input._array
        r = invoke(x, *args[1:])
        return view_of(input, r, op, save(args, x, None) if saves and input._edge is not NO_EDGE else (), creation)

    return call


def view_of(
    input: Tensor,
    r: np.ndarray,
    op: Op,
    saved: tuple[Any, ...],
    creation: str | None = None,
    edge: Edge | None = None,
) -> Tensor:
    """The Tensor for a view `r` of `input`, and its Node with what `op.fields` names, if a gradient is wanted.

    edge: where that Node leads, if not to what `input` is: to a view of it for which nobody needs a Tensor.
    """
    if edge is None:
        # unrolled: edge = known_edge(input)
        edge = input._edge
        if edge is None and input._view is None and (input._meta is not None) and (input._counter is not INFERENCE):
            accumulate = input._meta.accumulate
            edge = accumulate()
        # end
        if edge is None:  # where nothing is recorded, a view whose base has changed is not asked for its Node
            edge = gradient_edge(input) if not FLAGS.unusual or LOCAL.state.record else NO_EDGE
    recorded = edge is not NO_EDGE
    if FLAGS.unusual:
        local = LOCAL.state
        if local.below:
            return beneath(input, r)
        recorded &= local.record
        creation = creation if local.record else "inference" if local.inference else "no_grad"
    # unrolled: t = share(input, r, None, creation)
    t = _new(Tensor)
    t._array = r
    t._grad = t._meta = None
    t._storage = input._storage
    version = input._counter
    if version is UNSHARED:
        version = input._counter = [0]
    t._counter = version
    if type(version) is not list:
        t._counter = INFERENCE
        t._edge = NO_EDGE
        t._view = None
    else:
        t._edge = None
        t._view = meta = ViewMeta()
        meta.edge = None
        meta.leaf = False
        meta.version = version[0]
        parent = input._view
        if parent is None:
            meta.base = input
            meta.creation = creation
        else:
            meta.base = parent.base
            meta.creation = creation or parent.creation
    # end
    if not recorded or t._counter is INFERENCE:
        return t
    numpy = r.dtype
    if numpy is not _FLOAT and numpy.kind not in "fcV":
        if input._array.dtype.kind in "fcV":
            return t
        raise unrecordable(t)
    made = op.new_node
    # unrolled: node = start_node(made, (edge,), r.shape, numpy, saved)
    node = made()
    node._seq = sequence()
    node._edges = (edge,)
    node.hooks = None
    node.shape = r.shape
    node.dtype = numpy
    node.saved = saved
    # end
    if FLAGS.unusual and not LOCAL.state.plain:
        finish(node, LOCAL.state)
    t._view.edge = node  # type: ignore[union-attr]
    return t


def unrecorded(tensors: Sequence[Tensor]) -> bool:
    """Whether nothing is recorded of an operation on tensors, which have arrays of the usual kind and of one dtype."""
    kind = tensors[0]._array.dtype
    for t in tensors:
        if t._array.dtype is not kind or type(t._array) is not _ndarray:
            return False
    return (bool(FLAGS.unusual) and not LOCAL.state.record) or not any(map(requires_grad, tensors))


def _saver(op: Op) -> Callable[..., tuple[Any, ...]]:
    """What the Node of a one-tensor operation saves, given its arguments, its array and its result."""
    save = _saving(op)
    if not op.real:
        return save

    def refusing(args: Any, x: np.ndarray, t: Any) -> tuple[Any, ...]:
        op.refuse_complex(t)
        return save(args, x, t)

    return refusing


def _saving(op: Op) -> Callable[..., tuple[Any, ...]]:
    savers = op.savers
    nones = (None,) * len(savers)
    kinds = [kind for kind, _ in savers]
    if not savers:
        return lambda args, x, t: ()
    if kinds == ["shape"]:
        return lambda args, x, t: (x.shape, None)
    if kinds == ["value"]:
        place = savers[0][1]
        return lambda args, x, t: (args[place] if type(args[place]) is not Tensor else plain_number(args[place]), None)
    if kinds == ["tensor"]:
        return lambda args, x, t: (args[0], args[0]._counter[0])
    if len(kinds) > 1 and kinds[0] in ("tensor", "output") and {*kinds[1:]} == {"value"}:
        return _saving_first(kinds[0] == "output", [place for _, place in savers[1:]])
    if not {"tensor", "output", "indices"} & set(kinds):
        return lambda args, x, t: (
            *[
                (args[p] if type(args[p]) is not Tensor else plain_number(args[p]))
                if kind == "value"
                else x.shape
                if kind == "shape"
                else array_property(x, kind)
                for kind, p in savers
            ],
            *nones,
        )

    def save(args: Any, x: np.ndarray, t: Any) -> tuple[Any, ...]:
        items: list[Any] = []
        versions: list[Any] = []
        for kind, place in savers:
            version = None
            item: Any
            if kind == "value":
                item = args[place]
                if type(item) is Tensor:
                    item = plain_number(item)
            elif kind == "tensor":
                item = args[0]
                version = item._counter[0]
            elif kind == "indices":
                item = list(args[place])
                version = [None if i is None else i._counter[0] for i in item]
            elif kind == "output":
                item = save_output(t)
                version = item._counter[0]
            else:
                item = x.shape if kind == "shape" else array_property(x, kind)
            items.append(item)
            versions.append(version)
        return (*items, *versions)

    return save


def _saving_first(result: bool, places: list[int]) -> Callable[..., tuple[Any, ...]]:
    """The same of what saves its input, or its result, and values that stand at these places."""
    n = len(places)
    at = places[0]
    if n == 1:

        def save_both(args: Any, x: np.ndarray, t: Any) -> tuple[Any, ...]:
            item = save_output(t) if result else args[0]
            value = args[at]
            return (item, value if type(value) is not Tensor else plain_number(value), item._counter[0], None)

        return save_both
    get, nones = itemgetter(*places), (None,) * n

    def save(args: Any, x: np.ndarray, t: Any) -> tuple[Any, ...]:
        item = save_output(t) if result else args[0]
        values = get(args)
        if Tensor in map(type, values):
            values = tuple([value if type(value) is not Tensor else plain_number(value) for value in values])
        return (item, *values, item._counter[0], *nones)

    return save


def _arrays(tensors: Any) -> list[Any]:
    if not isinstance(tensors, (list, tuple)):
        raise TypeError
    return [t._array for t in tensors]


def several(op: Op) -> Callable[..., Any]:
    """An operation of a few tensors, or a list of them: one result, no view."""
    listed = op.list_place
    kernel, invoke, places = op.kernel, op.invoke, op.tensor_places
    defaults, positional, named = op.defaults, op.positional, len(op.names) > op.positional
    fewest, most = op.required, -1 if op.named_required else min((op.positional, *op.flags))
    differentiates = op.differentiates
    edge_places, constant = op.edge_places, op.constant_places
    inner, mapped = op.inner_writes, op.mapped
    wants = all(d is not None for d in (op.defaults[p] for p in places))

    def call(*args: Any, **kwargs: Any) -> Any:
        if "out" in kwargs:
            return op.call_any(*args, **kwargs)
        n = len(args)
        if kwargs or not fewest <= n <= most:
            run = invoke
            values = op.bind(args, kwargs)
        else:
            run = kernel
            values = [*args, *defaults[n:]]
        given = values[:]
        try:
            for p in places:
                value = values[p]
                if p == listed:
                    given[p] = _arrays(value)
                elif wants or value is not None:
                    given[p] = value._array
        except (AttributeError, TypeError):
            values = op.coerced(args, kwargs, values)
            given = op.arrays(values)
        for p in constant:
            if values[p] is not None and values[p]._edge is not NO_EDGE:
                op.refuse_grad(values)
        if named and run is kernel:  # the kernel's own defaults stand for what is always named
            del given[positional:]
        try:
            r = QUIET(run, *given)
        except (RuntimeError, MemoryError, IndexError) as error:
            if mapped is not None and isinstance(error, Apart) and (instead := mapped(*values)) is not None:
                return instead
            save_first(op, values)
            r = _kernel(error, run, *given)
        except (AttributeError, TypeError, ValueError):
            r = apart(run, given)
            if r is None:
                return op.failed(args, kwargs)
        if type(r) is not _ndarray:
            if type(r) is not Rows:
                r = np.asarray(r)
            elif mapped is not None and (instead := mapped(*values)) is not None:
                return instead
        # unrolled: t = wrap(r)
        t = _new(Tensor)
        t._array = r
        t._edge = NO_EDGE
        t._counter = UNSHARED
        t._grad = t._view = t._storage = t._meta = None
        # end
        if FLAGS.unusual and not LOCAL.state.record:
            if LOCAL.state.inference:
                t._counter = INFERENCE
            return counted(t, inner, *values) if inner else t
        if not differentiates:
            return counted(t, inner, *values) if inner else t
        edges: list[Edge] = []
        found = False
        if listed is not None:
            edges, found = op.edges(values)
        for p in edge_places if listed is None else ():
            v = values[p]
            edge = NO_EDGE
            if v is not None:
                # unrolled: edge = known_edge(v)
                edge = v._edge
                if edge is None and v._view is None and (v._meta is not None) and (v._counter is not INFERENCE):
                    accumulate = v._meta.accumulate
                    edge = accumulate()
                # end
                if edge is None:
                    edge = gradient_edge(v) if v._counter is not INFERENCE else operand_edge(v, values)
                if edge is not NO_EDGE:
                    found = True
            edges.append(edge)
        if not found or r.dtype.kind not in "fcV":
            if found:
                recordable(t, values)
            return counted(t, inner, *values) if inner else t
        return record(t, op.new_node, tuple(edges), op.saves(values, edges, (t,)))

    return call


def pair(op: Op) -> Callable[..., Any]:
    """An operation whose first two arguments are its tensors: calls of two tensors of the usual kind, by place, are
    carried out here, any other as `several` does, which also says what is wrong."""
    kernel, defaults, any_other = op.kernel, op.defaults, several(op)
    most = -1 if op.named_required or op.positional < 2 else min((op.positional, *op.flags))
    differentiates, inner = op.differentiates, op.inner_writes

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or not 2 <= len(args) <= most:
            return any_other(*args, **kwargs)
        input, other = args[:2]
        if not (type(input) is Tensor is type(other)):
            return any_other(*args)
        x, y = input._array, other._array
        if not (type(x) is _ndarray is type(y)):
            return any_other(*args)
        try:
            r = QUIET(kernel, x, y, *args[2:])
        except Exception:
            return any_other(*args)
        if type(r) is not _ndarray:
            r = _asarray(r)
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
            return counted(t, inner, *args, *defaults[len(args) :]) if inner else t
        # unrolled: a = known_edge(input)
        a = input._edge
        if a is None and input._view is None and (input._meta is not None) and (input._counter is not INFERENCE):
            accumulate = input._meta.accumulate
            a = accumulate()
        # end
        if a is None:
            a = gradient_edge(input) if input._counter is not INFERENCE else operand_edge(input, args)
        # unrolled: b = known_edge(other)
        b = other._edge
        if b is None and other._view is None and (other._meta is not None) and (other._counter is not INFERENCE):
            accumulate = other._meta.accumulate
            b = accumulate()
        # end
        if b is None:
            b = gradient_edge(other) if other._counter is not INFERENCE else operand_edge(other, args)
        if (a is NO_EDGE and b is NO_EDGE) or r.dtype.kind not in "fcV":
            if not (a is NO_EDGE and b is NO_EDGE):
                recordable(t, args)
            return counted(t, inner, *args, *defaults[len(args) :]) if inner else t
        return record(t, op.new_node, (a, b), op.saves([*args, *defaults[len(args) :]], (a, b), (t,)))

    return call


def record(t: Tensor, new_node: Callable[[], Any], edges: tuple[Edge, ...], saved: tuple[Any, ...]) -> Tensor:
    """Give a result its Node, which saves what its formulas name."""
    r = t._array
    # unrolled: node = start_node(new_node, edges, r.shape, r.dtype, saved)
    node = new_node()
    node._seq = sequence()
    node._edges = edges
    node.hooks = None
    node.shape = r.shape
    node.dtype = r.dtype
    node.saved = saved
    # end
    if FLAGS.unusual and not LOCAL.state.plain:
        finish(node, LOCAL.state)
    t._edge = node
    return t


def many(op: Op) -> Callable[..., Any]:
    """An operation with several results, which may be views."""
    invoke, view, source_place = op.invoke, op.view, op.tensor_places[0]
    inner, differentiates = op.inner_writes, op.differentiates
    returns = tuple if op.returns is None else making(op.returns)
    defaults, places, listed = op.defaults, op.tensor_places, op.list_place
    edge_places = op.edge_places if listed is None else ()
    constant = op.constant_places
    fewest, most = op.required, -1 if op.named_required else min((op.positional, *op.flags))

    def call(*args: Any, **kwargs: Any) -> Any:
        given: Any = None
        if kwargs:
            if "out" in kwargs:
                return op.call_any(*args, **kwargs)
        elif fewest <= len(args) <= most:
            values = [*args, *defaults[len(args) :]]
            given = values[:]
            try:
                for p in places:
                    value = values[p]
                    if p == listed:
                        given[p] = _arrays(value)
                    elif value is not None:
                        given[p] = value._array
            except (AttributeError, TypeError):  # numbers that stand for tensors, or an error
                given = None
        if given is None:
            values, given = op.operands(args, kwargs)
        for p in constant:
            if values[p] is not None and values[p]._edge is not NO_EDGE:
                op.refuse_grad(values)
        try:
            r = QUIET(invoke, *given)
        except (RuntimeError, MemoryError) as error:
            r = _kernel(error, invoke, *given)
        except (AttributeError, TypeError, ValueError):
            r = apart(invoke, given)
            if r is None:
                return op.failed(args, kwargs)
        local = LOCAL.state if FLAGS.unusual else None
        ts: list[Any] = [*r]
        if view:
            source = values[source_place]
            creation = op.creation
            if local is not None and not local.record:
                creation = "inference" if local.inference else "no_grad"
            for i, a in enumerate(r):
                ts[i] = share(source, a, None, creation) if local is None or not local.below else beneath(source, a)
        else:
            for i, a in enumerate(ts):
                if type(a) is not _ndarray and type(a) is not Rows:
                    a = _asarray(a)
                # unrolled: t = wrap(a)
                t = _new(Tensor)
                t._array = a
                t._edge = NO_EDGE
                t._counter = UNSHARED
                t._grad = t._view = t._storage = t._meta = None
                # end
                ts[i] = t
            if local is not None and local.inference:
                for t in ts:
                    t._counter = INFERENCE
            elif inner and getattr(values[source_place], "_counter", None) is not UNSHARED:
                for t in ts:
                    counted(t, inner, *values)
        if differentiates and (local is None or local.record):
            edges: list[Edge] = []
            found = False
            if listed is not None:
                edges, found = op.edges(values)
            for p in edge_places:
                v = values[p]
                edge = NO_EDGE
                if v is not None:
                    # unrolled: edge = known_edge(v)
                    edge = v._edge
                    if edge is None and v._view is None and (v._meta is not None) and (v._counter is not INFERENCE):
                        accumulate = v._meta.accumulate
                        edge = accumulate()
                    # end
                    if edge is None:
                        edge = gradient_edge(v) if v._counter is not INFERENCE else operand_edge(v, values)
                    if edge is not NO_EDGE:
                        found = True
                edges.append(edge)
            if found:
                record_many(op, values, edges, ts, local)
        return returns(ts)

    return call


def record_many(op: Op, values: list[Any], edges: list[Edge], ts: list[Tensor], local: modes.State | None) -> None:
    """The Node that results share, those of them that are differentiable. local: None if no mode is unusual."""
    if op.differentiable == 1 and ts[0]._array.dtype.kind in "fcV" and ts[0]._view is None:
        record(ts[0], op.new_node, tuple(edges), op.saves(values, edges, ts))
        return
    made = ts[: op.differentiable]
    shapes: list[Any] = []
    kinds: list[Any] = []
    for t in made:
        array = t._array
        kind = array.dtype
        if kind is not _FLOAT and kind.kind not in "fcV":
            recordable(t, values)
        shapes.append(array.shape)
        kinds.append(kind)
    shape, numpy = (tuple(shapes), tuple(kinds)) if op.multi_node else (shapes[0], kinds[0])
    saved = op.saves(values, edges, tuple(ts))
    new_node = op.new_node
    # unrolled: node = start_node(new_node, tuple(edges), shape, numpy, saved)
    node = new_node()
    node._seq = sequence()
    node._edges = tuple(edges)
    node.hooks = None
    node.shape = shape
    node.dtype = numpy
    node.saved = saved
    # end
    if local is not None and not local.plain:
        finish(node, local)
    edge: Edge = node
    for nr, t in enumerate(made):
        kind = kinds[nr]
        if kind is _FLOAT or kind.kind in "fcV":
            if nr:
                edge = (node, nr)
            if t._view is not None:
                t._view.edge = edge
            else:
                t._edge = edge
