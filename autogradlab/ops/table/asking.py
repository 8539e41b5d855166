"""Operations while a mode or a class with `__torch_dispatch__` is to be asked (`core/tensor/dispatching.py`).

Each form of an operation is noted where it is made. When the first mode is entered, their code is changed as
`core/tensor/overriding.py` does it for `__torch_function__`: they look first whether somebody is to be asked. If so,
the call is told as a call of an operator of `torch.ops.aten`, what the mode gives is the result, and the Node is made
by the entry as in any other call. Functions of which a mode would hear something else than from PyTorch are refused:
`known` are those for which `tools/traces.py` has found that it hears the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from os.path import dirname, join
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...core.arguments.declared import DECLARED
from ...core.arguments.mismatch import types
from ...core.graph.node import NO_EDGE
from ...core.memory.storage import owner
from ...core.recording.inplace import History, commit_by
from ...core.recording.record import TENSORS, HeldOutput, SavedOutput
from ...core.recording.views import share
from ...core.runtime.modes import LOCAL
from ...core.tensor.dispatching import Unseen, answers, ask, asked, concerned, forms, known, on_first_mode
from ...core.tensor.edges import NumberMeta
from ...core.tensor.overriding import another, hand_on, watch_dispatch
from ...core.tensor.tensor import Tensor, counter, wrap
from ...core.types.device import CPU
from ...core.types.layouts import contiguous_format
from ...core.values.promotion import is_number, wrap_number
from . import creation, inplace, outputs
from .calls import record, record_many, view_of
from .creation import bind
from .families import OPS, load_all
from .inplace import prepare, recorded_edges, settle
from .signatures import space_of

if TYPE_CHECKING:
    from .opdef import Op

__all__ = [
    "Operator",
    "Unseen",
    "arm",
    "asked_detach",
    "at",
    "bound",
    "changed",
    "made",
    "options_of",
    "tell",
    "unseen",
    "without_out",
    "whole",
    "written",
]


class Operator(NamedTuple):
    """How an entry without signatures is known to torch.ops: PyTorch's schema, and what in it are not the parameters of
    the kernel by their names (input for self)."""

    schema: str
    #: parameters of the kernel by the names of the schema's arguments
    names: dict[str, str] = {}
    #: arguments that the kernel does not take: their value, or a function of the kernel's that gives it
    more: dict[str, Any] = {}
    #: parameters of the kernel that the schema does not have, in the same way
    lost: dict[str, Any] = {}
    #: the name of the overload
    overload: str = ""
    #: what is called, if not the operation by its name
    function: Callable[..., Any] | None = None
    #: the name of the operator, if not that of the entry; it has signatures then
    name: str = ""

    def given(self, values: dict[str, Any]) -> dict[str, Any]:
        """The arguments of the operator for those of the kernel."""
        found = {n: v for n, v in values.items() if n not in self.lost}
        return found | {n: v(values) if callable(v) else v for n, v in self.more.items()}


def tell(name: str, values: dict[str, Any], scalar: bool = False) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """A call of an operation, its arguments by our names, as a call of an overload of `torch.ops.aten`."""
    packet = types.operator(name) if types.operator is not None else None
    if packet is not None:
        overloads = packet._overloads.values()
        undefined = LOCAL.state.formula  # in formulas, tensors that are not there are no defaults
        for overload in sorted(overloads, key=lambda one: (one._first, one._by_name is not scalar)):
            own = {schema: values[ours] for schema, ours in overload._takes.items() if ours in values}
            if len(own) < len(values):
                continue
            try:
                return overload, *overload._schema.read((), own, undefined)
            except RuntimeError:
                continue
    raise Unseen(f"autogradlab cannot tell a mode with __torch_dispatch__ of {name}({', '.join(values)})")


def unseen(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """For `instead`: a function that does in one what PyTorch does by operators of which a mode cannot be told."""
    raise Unseen(f"autogradlab cannot tell a mode with __torch_dispatch__ of what {call.__name__} consists of")


def without_out(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """For `instead`: what writes into out= tensors, if there are any."""
    if kwargs.get("out") is not None:
        raise Unseen("autogradlab cannot tell a mode with __torch_dispatch__ of out=")
    return call(*args, **kwargs)


def at(name: str, **values: Any) -> Any:
    """What a mode gives for a call that PyTorch makes in C++: its arguments by our names."""
    return ask(*tell(name, values))


def options_of(t: Tensor) -> dict[str, Any]:
    """What PyTorch's C++ says where it makes a tensor as another one is."""
    return {"dtype": t.dtype, "layout": t.layout, "device": t.device}


def whole(entry: Any = None, method: bool = True, plain: bool = False) -> Callable[..., Any]:
    """For `instead`: a function that is one operator, whose name it has; what it gives is recorded as by an entry,
    which may be chosen by a function of the arguments. plain: it gives no tensor."""

    def slow(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        name = call.__name__
        first = args[:1] if method else ()
        _, values = bind(name, args[len(first) :], kwargs, "Tensor" if method else "torch")
        if method:
            values = {"input": args[0], **values}
        values.pop("implicit", None)
        op = entry if entry is None or isinstance(getattr(entry, "name", None), str) else entry(values)
        if plain:
            return ask(*tell(name, values))
        if op is None:
            return made(name, values)
        return _finished(
            op, [values.get(n, d) for n, d in zip(op.names, op.defaults, strict=True)], ask(*tell(name, values))
        )

    return slow


def made(name: str, values: dict[str, Any]) -> Any:
    """A new tensor, as a mode gives it."""
    if values.pop("out", None) is not None:
        raise Unseen(f"autogradlab cannot tell a mode with __torch_dispatch__ of {name}(out=)")
    grad = values.pop("requires_grad", False)
    if LOCAL.state.formula:  # as C++ makes it
        values.pop("pin_memory", None)
        return ask(*tell(name, values))
    if "pin_memory" in values:
        values["pin_memory"] = bool(values["pin_memory"])
        if "input" not in values and values["device"] is None:
            values["device"] = CPU
    result = ask(*tell(name, values))
    return result.requires_grad_() if grad else result


def _plain(value: Any) -> Any:
    """An argument as modes get it: a number for a tensor that stands for one."""
    if value == "contiguous" and type(value) is str:  # what formulas say
        return contiguous_format
    if isinstance(value, Tensor) and type(value._meta) is NumberMeta:
        return value._array.item()
    return value.item() if isinstance(value, np.ndarray) and not value.ndim else value


def _telling(op: Op, values: Sequence[Any], suffix: str = "") -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """A call of an entry as modes are told of it."""
    name = op.name.partition(".")[0].removesuffix("_number") + suffix
    given = {n: _plain(v) for n, v in zip(op.names, values, strict=True)}
    if op.operator is not None and not suffix:
        given = op.operator.given(given)
        name = op.operator.name or name
    return tell(name, given, op.name.endswith("_number"))


def _as_tensors(op: Op, values: list[Any]) -> list[Any]:
    """The same with tensors for the numbers."""
    made = list(values)
    for place in op.tensor_places:
        if is_number(made[place]):
            made[place] = wrap_number(made[place])
    return made


def _out_of_place(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    values = op.bind(args, kwargs)
    told = _declared(op, args, kwargs) or _telling(op, values)
    return _finished(op, values, ask(*told))


def _declared(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call as the signatures read it, where there are several: they say which overload is meant. None where it is no
    call that fits them."""
    name = op.name.partition(".")[0]
    if (
        name not in DECLARED
        or OPS[name].kernel is not op.kernel
        or op.operator is not None
        or DECLARED[name].text.count("\n") < 2
    ):
        return None
    try:
        _, values = bind(name, args, kwargs, space_of(name))
    except (TypeError, AssertionError):
        return None
    values.pop("out", None)
    if "unbiased" in values:
        values["correction"] = int(values.pop("unbiased"))
    try:
        return tell(name, {n: _plain(v) for n, v in values.items()})
    except Unseen:
        return None


def _finished(op: Op, values: list[Any], result: Any) -> Any:
    """What a mode gave for a call of an entry, with its history."""
    many = op.multi or bool(op.outputs)
    results = list(result) if many else [result]
    for r in results:
        if not isinstance(r, Tensor) and not (many and r is None):
            raise RuntimeError(f"Unable to cast {r!r} to Tensor")
    if op.view:
        for r in results:
            _as_view(op, values, r)
        if not many:
            return result
    recorded = op.differentiates and LOCAL.state.record
    operands = _as_tensors(op, values)
    edges, found = op.edges(operands) if recorded else ([], False)
    if found:
        if many:
            record_many(op, operands, edges, results, LOCAL.state)
        elif result._array.dtype.kind in "fcV":
            record(result, op.new_node, tuple(edges), op.saves(operands, edges, (result,)))
        _detached(results)
    return (op.returns or tuple)(results) if many else result


def _detached(results: Sequence[Tensor]) -> None:
    """Let Nodes save detached tensors of their results, as PyTorch does: modes are told of them."""
    for t in results:
        edge: Any = t._edge if t._view is None else t._view.edge
        node = edge[0] if type(edge) is tuple else edge
        if node is not None and node.saved:
            node.saved = tuple([_held(item, t) for item in node.saved])


def _held(item: Any, t: Tensor) -> Any:
    """What a Node keeps of something that it saves: of the output `t` the detached tensor that a mode gives for it."""
    if type(item) is list:
        return [_held(one, t) for one in item]
    if type(item) is not SavedOutput or item._array is not t._array:
        return item
    held = HeldOutput()
    held._array, held._counter, held.nr = item._array, item._counter, item.nr
    held.again = partial(_detached_again, _detached_again(t))
    return held


def _detached_again(t: Tensor) -> Tensor:
    """What a Node keeps in place of its own result, and gives: of it PyTorch tells the type, whatever that is."""
    found: Tensor = asked_detach(t, [t]) if concerned(t) else TENSORS.detach(t)
    return found


def asked_detach(input: Tensor, told: list[Any] | None = None) -> Tensor:
    """The detached tensor that a mode gives."""
    t: Tensor = ask(*tell("detach", {"input": input}), told)
    t._edge, t._view, t._counter = NO_EDGE, None, counter(input)
    if owner(t._array) is owner(input._array):  # a class may give memory of another tensor's
        t._storage = input._storage
    return t


def _as_view(op: Op, values: list[Any], r: Tensor) -> None:
    """Make what a mode gave a view of the first tensor."""
    source = values[op.tensor_places[0]]
    saved = op.saves(values, [NO_EDGE] * len(op.edge_places), (r,)) if op.differentiates else ()
    if op.multi:
        local = LOCAL.state
        t = share(source, r._array, None, op.creation if local.record else "no_grad")
    else:
        t = view_of(source, r._array, op, saved, op.creation)
    r._edge, r._view, r._counter = t._edge, t._view, t._counter


def changed(op: Op, values: list[Any], told: tuple[Any, ...], node_class: Any = None) -> Tensor:
    """What an entry does in place on its first value, as a mode does it that is `told` of it."""
    input: Tensor = values[0]
    operands = _as_tensors(op, values)
    edges = recorded_edges(op, operands)
    node = None if edges is None else prepare(op, operands, edges, node_class)
    history = None if node is None else History(input, node)
    result = written(input, told, history)
    settle(node)
    if node is not None:
        _detached([input])
    return result


def written(input: Tensor, told: tuple[Any, ...], history: History | None = None) -> Tensor:
    """A tensor that a mode changes in place: what it calls is below autograd, and counts as one version."""
    count = counter(input)
    before = count[0] if type(count) is list else None
    result = ask(*told)
    if not isinstance(result, Tensor):
        raise RuntimeError(f"Unable to cast {result!r} to Tensor")
    if before is not None:
        count[0] = before
    commit_by(input, lambda: None, history=history)
    return input


def _in_place(op: Op, values: list[Any], node_class: Any = None) -> Tensor:
    return changed(op, values, _telling(op, values, "_"), node_class)


def bound(op: Op, called: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of an entry that brings the arguments into the order of its kernel itself."""
    if op.numbers and any(is_number(v) for v in (*args, *kwargs.values())):
        return None
    given, named = op.binds(called, args, kwargs)  # type: ignore[misc]
    if named.get("out") is not None or called.in_place:
        return None
    told = _declared(op, args, kwargs)
    if told is None:
        return None
    return (_finished(op, op.bind(given, {}), ask(*told)),)


def _gate(function: Any, how: Any) -> None:
    slow = _KINDS[how[1]](how[0]) if type(how) is tuple else how
    if function.__kwdefaults__ and "_gate" in function.__kwdefaults__:  # which asks `__torch_function__` before
        function = vars(function)["_within_gate"]
    call = another(function)

    def pass_or_ask(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if LOCAL.state.dispatch_modes or asked(args, kwargs):
            return slow(call, args, kwargs)
        return call(*args, **kwargs)

    hand_on(function, pass_or_ask)


def _slow(op: Op) -> Callable[..., Any]:
    def slow(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        out = kwargs.pop("out", None)
        if out is not None:
            raise Unseen("autogradlab cannot tell a mode with __torch_dispatch__ of out=")
        return _out_of_place(op, args, kwargs)

    return slow


def _core(op: Any) -> Callable[..., Any]:
    def slow(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        input, other = args
        if not (isinstance(other, Tensor) or is_number(other)) or not (isinstance(input, Tensor) or is_number(input)):
            return call(*args)
        if op.scalar and LOCAL.state.formula and is_number(other):
            return getattr(TENSORS, op.scalar)(input, other)
        return _out_of_place(op, args, kwargs)

    return slow


def _core_(op: Any) -> Callable[..., Any]:
    def slow(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not (isinstance(args[1], Tensor) or is_number(args[1])):
            return call(*args)
        return _in_place(op, list(args))

    return slow


def _changed(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return _in_place(args[0], args[1])


def _written(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return _in_place(args[0], args[1], args[0].node_class if args[0].differentiates else None)


_KINDS = {"": _slow, "core": _core, "core_": _core_}
forms[inplace.change] = _changed
forms[inplace.write_in_place] = _written
forms[outputs.write] = forms[creation.into] = unseen


#: by the functions of os, since pathlib takes as long to load as many of our own modules
_TRACED = join(dirname(dirname(__file__)), "operators", "traced.txt")


def _through(name: str, call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a function, a method or a property; refused if somebody is to be asked who could not be told of it."""
    state = LOCAL.state
    if state.told or not (state.dispatch_modes or asked(args, kwargs)):
        return call(*args, **kwargs)
    if _short(name) in known.own:
        return call(*args, **kwargs)
    known.require(_short(name))
    state.told = True
    try:
        return call(*args, **kwargs)
    finally:
        state.told = False


def _short(name: str) -> str:
    """The name by which a function is known: that of the function for a method."""
    return name.removeprefix("torch.").removeprefix("Tensor.")


def _plainly(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    held: dict[int, tuple[Tensor, Tensor]] = {}

    def plain(value: Any) -> Any:
        if type(value) in (list, tuple):
            return type(value)(map(plain, value))
        if not (isinstance(value, Tensor) and answers(type(value))):
            return value
        t = wrap(value._array)
        t._counter = counter(value)
        held[id(t)] = t, value
        return t

    result = func(*plain(tuple(args)), **{name: plain(value) for name, value in kwargs.items()})
    return held[id(result)][1] if id(result) in held else result


def arm() -> None:
    """Let every form ask, from now on. Loads all families of operations."""
    load_all()
    on_first_mode.gate, on_first_mode.plainly = _gate, _plainly
    while forms:
        _gate(*forms.popitem())
    if known.names is None:
        with open(_TRACED, encoding="utf-8") as file:
            known.names = frozenset(file.read().split())
        watch_dispatch(_through)
