"""The op table: from one entry come the function, the method, the in-place and out= forms,
the Node class and the tests.

    op("cumsum(Tensor input, int dim)", vjp={"input": lambda F, grad, dim: ...})(kernel)

An entry names the operation and its arguments, its kernel (on arrays) and a formula for each differentiable input.
`unary` and `binary` (factories.py) make faster forms of the same for elementwise operations; `composite` is for
operations that are written in terms of others and have no Node of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, wraps
from operator import itemgetter
from typing import Any

import numpy as np

from ...core.arguments.declared import DECLARED, OUT, declare, name_of
from ...core.arguments.params import OTHER_NAMES
from ...core.graph.node import NO_EDGE, Edge
from ...core.memory.casting import warn_cast
from ...core.memory.layout import ITERATING, iterated, like
from ...core.memory.overlap import check_written, filled_first
from ...core.memory.rows import Rule, lay_rows, refuse_rows, rule_rows
from ...core.memory.together import pointwise
from ...core.recording.record import (
    NOT_IMPLEMENTED,
    PROPERTIES,
    RAW,
    Formula,
    array_property,
    make_node_class,
    no_derivative,
    save_output,
    zeros,
)
from ...core.runtime import errors, modes
from ...core.tensor.dispatching import instead
from ...core.tensor.overriding import stands_in
from ...core.tensor.tensor import INFERENCE, Tensor, gradient_edge, operand_edge
from ...core.types.dtypes import OF_PYTHON
from ...core.values.promotion import broadcast_shapes, common_dtype, plain_number
from .arguments import coerce, explain_failed, fitting, refuse_complex_numbers, refused, reject, taking_old_forms
from .asking import Operator, without_out
from .calls import make_call
from .families import FUNCTIONS, NODES, OPS
from .inplace import change, in_place, refuse_rows_in_place
from .outputs import FOUND, before_kernel, refuse_dtype, refuse_recorded, same_dtype, write
from .overloads import Binder, Overload, choosing
from .publishing import Reads, alias, composite, publish
from .signatures import explain, lookup, space_of

__all__ = ["FUNCTIONS", "OPS", "Op", "alias", "composite", "copying", "offer", "op", "publish"]

_ndarray = np.ndarray


#: stands for the default of a parameter that has none
_REQUIRED: Any = object()
#: types of arguments that are taken as they are
_USUAL = frozenset((int, float, bool, type(None), tuple, list))
#: ways to have a saved value that is a list of tensors, and all those that are tensors
_LISTS = frozenset(("list", "results", "indices"))
#: tensors that are added alone, of which formulas ask the shape, or whether they are there
_ADDED = frozenset(("bias", "source"))
_OF_TENSORS = _LISTS | {"tensor", "output"}


def _taker(places: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """A function that gives what stands at some places."""
    if not places:
        return lambda values: ()
    place = places[0]
    return itemgetter(*places) if len(places) > 1 else lambda values: (values[place],)


class Op:
    """One entry of the table.

    tensors: names of the tensor arguments, in order; a name with `*` is a list of tensors.
    vjp: a formula for each differentiable argument; the key "*" is a joint formula that gives them all in order.
    jvp: for arguments whose tangent is not what follows from `vjp`, a formula that gives the tangent of the result from
        theirs: `lambda F, tangent, input: ...`; the key "input other" is one that is given both tangents in a list.
    node: the Node's name in PyTorch.
    inplace_overload: whether the in-place form has a Node of its own, NameBackward1, or the formulas that it has then.
    dynamic: of an operation whose result has a shape that depends on values: what vmap says of it.
    elementwise, holomorphic: see `OpNode.pushing`.
    forwardless: PyTorch's name of an operation that has no formula for forward mode, which is then refused.
    real: the derivative is that of real numbers: a complex result that would be recorded is refused.
    also: what PyTorch's Node saves though no formula needs it.
    without_grad: the tensors, apart from those with a formula, that may not require grad.
    in_rows: how PyTorch's vmap refuses other tensors of rows where the first, which is changed in place, is none: in
        the name of "arithmetic", under its "own" name, by the shape that they "broadcast" to, or in other words ("").
    mapped: what PyTorch's vmap calls in its place, and so is recorded: takes the same arguments, and gives None for a
        call that stays as it is.
    together: the rule by which its kernel is given all rows of a vmap at once where it cannot take them as they are;
        of elementwise operations it is known.
    """

    #: whether each element of the result comes from the elements at its place alone
    elementwise: bool = False
    _out: bool | None = None
    #: of an operation of two arrays: what is called with them in their common dtype and may raise
    check: Callable[[Any, Any], None] | None = None
    #: whether it is the entry as methods know it: their errors do not count the tensor itself
    as_method = False
    #: overloads with entries of their own
    overloads: Sequence[Overload]
    #: how many arguments without keywords mean none of them
    counts: tuple[int, ...]
    #: where the signatures say more than the kernel's parameters: is given what is called and the arguments, and
    #: returns them as the kernel takes them
    binds: Binder | None
    #: a shorter way for the commonest calls, where a benchmark pays for it: is given the entry and the function that
    #: carries out any call, and returns the function that takes its place
    short: Callable[[Op, Callable[..., Any]], Callable[..., Any]] | None
    #: the kernel of an in-place form that writes here and there in the memory of its first argument
    writes: Callable[..., None] | None
    #: is called with the arrays of that form before their memory is looked at, and may raise
    looks: Callable[..., None] | None
    #: PyTorch's name of the overload, which errors about the in-place form tell: `add_.Tensor`
    overload: str
    #: the operation and its in-place form on checked operands, for operators (set by the factories)
    core: Any = None
    core_: Any = None
    #: the entry that the in-place form records, where PyTorch's has a derivative of its own
    changes: Op | None = None
    #: how torch.ops knows an entry that has no signatures
    operator: Operator | None = None
    #: the operation, out of place
    call: Callable[..., Any]
    #: makes a Node of the operation: the class, as soon as there is one
    new_node: Any = None
    _node_class: Any = None
    _inplace_class: Any = None
    #: of a form in place whose Node is NameBackward1: what that class has of its own
    _own_in_place: dict[str, Any] | None = None
    _number_class: Any = None
    _unknown_class: Any = None

    def __init__(
        self,
        name: str,
        kernel: Callable[..., Any],
        tensors: str = "input",
        *,
        vjp: Any = None,
        jvp: dict[str, Any] | None = None,
        node: str | None = None,
        view: bool = False,
        multi: bool = False,
        outputs: tuple[str, ...] = (),
        returns: Any = None,
        differentiable: int | None = None,
        inplace: bool = False,
        overlap: str = "part",
        numbers: bool = False,
        cuts: bool = True,
        creation: str | None = None,
        shown: dict[str, str] | None = None,
        doc: str = "",
        fast: dict[str, Any] | None = None,
        constants: dict[str, Any] | None = None,
        also: tuple[str, ...] = (),
        check_out: Callable[[Tensor, Sequence[Tensor]], None] | None = None,
        inplace_overload: bool | dict[str, Any] = False,
        overload: str = "",
        fits: Callable[..., tuple[int, ...]] | None = None,
        overloads: Sequence[Overload] = (),
        counts: tuple[int, ...] = (),
        binds: Binder | None = None,
        short: Callable[[Op, Callable[..., Any]], Callable[..., Any]] | None = None,
        dim_list: bool = False,
        writes: Callable[..., None] | None = None,
        looks: Callable[..., None] | None = None,
        inner_writes: int | Callable[..., int] = 0,
        reads: Reads = "first",
        real: bool = False,
        dynamic: str = "",
        forwardless: str = "",
        in_rows: str = "",
        without_grad: tuple[str, ...] = (),
        operator: Operator | None = None,
        elementwise: bool = False,
        holomorphic: bool = False,
        mapped: Callable[..., Tensor] | None = None,
        together: Rule | None = None,
    ) -> None:
        self.name, self.kernel, self.doc, self.inplace, self.operator = name, kernel, doc, inplace, operator
        self.real, self.in_rows, self.node_name = real, in_rows, node or _camel(name) + "Backward0"
        self.view, self.multi, self.outputs, self.returns = view, multi, outputs, returns
        #: how many of several outputs have a gradient, None for all, and whether the Node has several
        self.differentiable = differentiable
        self.multi_node = multi or (len(outputs) > 1 and differentiable != 1)
        self.creation = creation or ("multi_output" if view and multi else None)
        #: inputs that the in-place form refuses for sharing its memory: "part" if they lie partly in it, "whole" if
        #: they are that very memory too, "" for none, "own" for none and for elements of its own that share memory
        self.overlap = overlap
        #: whether a Python number may stand for a tensor that is not the first
        self.numbers = numbers
        #: of an operation without a derivative: whether its in-place form cuts the gradient off, as eq_ does, or leaves
        #: the history of the tensor as it is, as logical_and_ does
        self.cuts = cuts
        #: is called with the first input and the out= tensors before anything is computed, and may raise
        self.check_out = check_out
        #: of a result whose shape may not be that of the first tensor: its shape, by the others; refused in place
        self.fits = fits
        #: how often PyTorch's kernel writes its result in place, or a function that tells it by the arguments: outside
        #: of inference mode, where all tensors that it is given are of that mode, the writes count as versions
        self.inner_writes = inner_writes
        self.overload, self.overloads, self.counts, self.binds, self.short = overload, overloads, counts, binds, short
        self._bind_parameters(kernel, reads)
        self.writes, self.looks = writes and self._positionally(writes), looks
        self._find_tensors(tensors.split(), without_grad)
        self._find_rows(elementwise, dynamic, mapped, together)
        marks = {"forwardless": forwardless, "dim_list": dim_list, "holomorphic": holomorphic}
        self._find_saved(dict(vjp or {}), dict(jvp or {}), shown, fast or {}, constants, also, marks)
        if inplace_overload:
            self.overload_in_place(inplace_overload)
        self.call = make_call(self)

    def _find_rows(self, elementwise: bool, dynamic: str, mapped: Any, together: Rule | None) -> None:
        """Note what becomes of rows, which the kernel may not take."""
        self.elementwise, self.mapped = elementwise or self.elementwise, mapped
        forms = self.kernel, self.invoke
        refuse_rows(forms, dynamic)
        rule_rows(forms, together or (pointwise if self.elementwise else None))
        if self.elementwise or self.kernel in ITERATING:
            lay_rows(forms, iterated)

    @property
    def of_methods(self) -> Op:
        """The entry as methods know it. It has no state of its own: what is changed in the entry shows here."""
        view: Op = object.__new__(_for_methods(type(self)))  # type: ignore[arg-type]
        view.__dict__ = self.__dict__
        return view

    def _bind_parameters(self, kernel: Callable[..., Any], reads: Reads) -> None:
        written: Any = kernel
        while hasattr(written, "__wrapped__"):  # a decorator hides the kernel's own parameters
            written = written.__wrapped__
        code = written.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        self.names = code.co_varnames[:count]
        self.positional = code.co_argcount
        defaults = [_REQUIRED] * count
        given = written.__defaults__ or ()
        defaults[code.co_argcount - len(given) : code.co_argcount] = given
        for n, value in (written.__kwdefaults__ or {}).items():
            defaults[self.names.index(n)] = value
        self.defaults = tuple(defaults)
        #: the arguments that have to be bools, as their defaults are, where no signature is read before
        self.flags = () if reads == "first" else tuple(i for i, d in enumerate(defaults) if type(d) is bool)
        self.index = {n: i for i, n in enumerate(self.names)}
        #: the arguments that must be given, and how many these are
        self.needed = tuple(i for i, d in enumerate(defaults) if d is _REQUIRED)
        self.required = len(self.needed)
        #: whether an argument must be given by its name
        self.named_required = _REQUIRED in defaults[code.co_argcount :]
        #: the kernel with every argument positional, in the order of `names`
        self.invoke = self._positionally(kernel)

    def _find_tensors(self, tensors: list[str], without_grad: tuple[str, ...]) -> None:
        """Note which of the parameters are tensors, which is a list of them, and which may not require grad."""
        self.tensor_names = tuple([name.removeprefix("*") for name in tensors])
        self.tensor_places = tuple([self.names.index(name) for name in self.tensor_names])
        self.list_place = next((self.names.index(name[1:]) for name in tensors if name.startswith("*")), None)
        self.constant_places = tuple(map(self.names.index, without_grad))

    def _positionally(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        if len(self.names) == self.positional:
            return kernel
        return _positional(kernel, self.names, self.positional, self.defaults)

    def _find_saved(
        self,
        vjp: dict[str, Any],
        jvp: dict[str, Any],
        shown: dict[str, str] | None,
        methods: dict[str, Any],
        constants: dict[str, Any] | None,
        also: tuple[str, ...],
        marks: dict[str, Any],
    ) -> None:
        """Note what the Node saves, and what its class is made of. marks: what is true of this operation and not of
        most."""
        self.differentiates = bool(vjp)
        self.fields: tuple[str, ...] = ()
        self.savers: tuple[tuple[str, Any], ...] = ()
        self.users: tuple[tuple[int, ...] | None, ...] = ()
        self.input_saved = False
        self.input_users: tuple[int, ...] | None = None
        #: the tensor arguments to which the Node has edges: those with a formula
        self.edge_places = self.tensor_places
        if not vjp:  # in place it cuts the gradient off: a Node that gives zeros
            self._make_saver()
            return
        formulas = []
        for key, fn in vjp.items():
            if key == "*":
                edges = () if self.list_place is not None else tuple(range(len(self.tensor_names)))
                formulas.append(Formula(fn, edges, joint=True))
            elif " " in key:
                formulas.append(Formula(fn, tuple(self.tensor_names.index(n) for n in key.split()), joint=True, of=key))
            else:
                formulas.append(Formula(fn, (self.tensor_names.index(key),), joint=False, of=key))
        if self.list_place is None:
            kept = sorted({i for f in formulas for i in f.edges})
            for f in formulas:
                f.edges = tuple(kept.index(i) for i in f.edges)
            self.edge_places = tuple(self.tensor_places[i] for i in kept)
        pushing = [Formula(fn, self._edges_of(key), joint=" " in key, of=key) for key, fn in jvp.items()]
        fields = tuple(dict.fromkeys([*(n for f in formulas for n in f.names), *also]))
        unseen = dict.fromkeys([n for f in pushing for n in f.names if n not in fields], "")
        fields = self.fields = (*fields, *unseen)
        shown = {**(shown or {}), **unseen}  # PyTorch's Nodes do not keep what only tangents need
        methods |= {"jvps": tuple(pushing), "constants": constants or {}, **{k: v for k, v in marks.items() if v}}
        self.formulas, self._class_parts = tuple(formulas), (shown, methods)
        self.new_node = lambda: self.node_class()
        self.savers = tuple(self._saver(f) for f in fields)
        #: for each field the edges whose gradients need it, None for a field that is needed whenever there is a Node
        self.users = tuple(self._users(f) for f in fields)
        self._make_saver()
        at = next((i for i, (kind, place) in enumerate(self.savers) if kind == "tensor" and place == 0), None)
        #: whether the first tensor is saved, and by which edges it is used
        self.input_saved, self.input_users = at is not None, None if at is None else self.users[at]
        NODES.setdefault(self.node_name, []).append(self)

    @property
    def node_class(self) -> Any:
        """The class of its Nodes, made with the first of them: most programs record few of the operations there are."""
        if self._node_class is None:
            made = self.__dict__.setdefault("_node_class", self._make_class())  # two threads get the same
            self.new_node = made
        return self._node_class

    def _make_class(self) -> Any:
        shown, methods = self._class_parts
        called = self._in_place(self.overload)
        name, fields, formulas = self.node_name, self.fields, self.formulas
        tensors = any(kind in _OF_TENSORS for kind, _ in self.savers)
        made: Any = make_node_class(name, fields, formulas, self.multi_node, shown, tensors, in_place=called, **methods)
        kinds = [(name, kind) for name, (kind, _) in zip(made.saved_names, self.savers, strict=True)]
        made.tensor_names = tuple([name for name, kind in kinds if kind in _OF_TENSORS])
        made.list_names = tuple([name for name, kind in kinds if kind in _LISTS])
        self._make_release(made)
        made.multiplied = self._multiplied
        made.elementwise = self.elementwise
        made.views = bool(self.view) and not self.multi_node
        return made

    def _edges_of(self, key: str) -> tuple[int, ...]:
        """The numbers of the edges to the tensors that a key of formulas names."""
        return tuple(self.edge_places.index(self.index[name]) for name in key.split())

    def _make_saver(self) -> None:
        """What `saves` goes by: the arguments that are saved, taken at once, and what is saved otherwise."""
        places = [place if kind in ("value", "tensor") else 0 for kind, place in self.savers]
        self.taken = _taker(places)
        fields = list(enumerate(zip(self.savers, self.users, strict=True)))
        self.kept = tuple((i, users) for i, ((kind, _), users) in fields if kind == "tensor")
        #: the values that may be numbers, which 0-dim tensors can stand for
        self.plain_values = tuple(
            i
            for i, ((kind, place), _) in fields
            if kind == "value" and (self.defaults[place] is _REQUIRED or type(self.defaults[place]) in (int, float))
        )
        self.made = tuple((i, kind, p, users) for i, ((kind, p), users) in fields if kind not in ("value", "tensor"))

    def _in_place(self, overload: str) -> str:
        return f"{self.name}_.{overload}" if overload else self.name + "_"

    def _without_fields(self, *formulas: Formula) -> Any:
        """A Node class of the form in place that saves nothing."""
        return make_node_class(self.node_name, (), formulas, False, in_place=self._in_place(self.overload))

    def _make_release(self, made: Any) -> None:
        """Tell the Node class what backward frees, and what can be read afterwards."""
        made.users = self.users
        made.tensor_places = tuple(i for i, (kind, _) in enumerate(self.savers) if kind in _OF_TENSORS)
        made.frees = bool(made.tensor_places)
        made.keeps = any(
            kind not in _OF_TENSORS or (kind == "tensor" and self.defaults[place] is not _REQUIRED)
            for kind, place in self.savers
        )
        n = len(self.savers)
        made.leaves = staticmethod(_taker([n + i if i in made.tensor_places else i for i in range(n)]))

    def node_in_place(self) -> Any:
        """The Node class of the in-place form: of an operation without a derivative, one whose gradients are zero."""
        if self._inplace_class is None:
            self._inplace_class = self._make_in_place()
        return self._inplace_class

    def _make_in_place(self) -> Any:
        if not self.differentiates:
            cut = [Formula(zeros, (i,), joint=False) for i in range(len(self.tensor_names))]
            return self._without_fields(*cut)
        if self.node_name == NOT_IMPLEMENTED:  # its error names the form in place
            return self._without_fields(Formula(no_derivative(self.name + "_"), (0,), joint=False))
        if self._own_in_place is None:
            return self.node_class
        own = {"__slots__": (), "__module__": "builtins", **self._own_in_place}
        return type(self.node_name[:-1] + "1", (self.node_class,), own)

    def refuse_in_place(self) -> None:
        """Give the in-place form, an overload in PyTorch, a Node that has no derivative: NameBackward1."""
        name = self.name

        def run(self: Any, *args: Any) -> Any:
            raise NotImplementedError(f"the derivative for 'inplace version of {name}' is not implemented.")

        self._own_in_place = {"run": run, "run_recorded": run}

    def unknown_out(self) -> Any:
        """The Node class of the form with out= where autograd does not know it."""
        if self.node_name == NOT_IMPLEMENTED:
            return self.node_class
        if self._unknown_class is None:
            refused = no_derivative(self.name)
            formulas = tuple(Formula(refused, (i,), joint=False) for i in range(len(self.tensor_names)))
            self._unknown_class = make_node_class(NOT_IMPLEMENTED, (), formulas, False)
        return self._unknown_class

    def number_in_place(self) -> Any:
        """The Node class of a comparison in place with a number: it gives zeros, and has one edge."""
        if self._number_class is None:
            cut = (Formula(zeros, (0,), joint=False),)
            called = self._in_place("Scalar")
            self._number_class = make_node_class(self.node_name[:-1] + "0", (), cut, False, in_place=called)
        return self._number_class

    def overload_in_place(self, formulas: bool | dict[str, Any] = True) -> None:
        """Give the in-place form the Node of another overload, as PyTorch does: NameBackward1."""
        if isinstance(formulas, dict):
            tensors = " ".join(self.tensor_names)
            node = self.node_name[:-1] + "1"
            self.changes = Op(self.name, self.kernel, tensors, vjp=formulas, node=node, elementwise=self.elementwise)
            return
        self._own_in_place = {}
        NODES.setdefault(self.node_name[:-1] + "1", []).append(self)

    def _users(self, field: str) -> tuple[int, ...] | None:
        """The edges whose gradients need a field. PyTorch saves outputs, what several formulas ask for, and all that
        operations of its backward passes are given, always."""
        if "backward" in self.name:
            return None
        asking = [f for f in self.formulas if field in f.names]
        if not asking:  # one of `also`: it goes with its own gradient, where a formula gives that alone
            asking = [f for f in self.formulas if f.of == field and not f.joint]
        several = len(asking) != 1 or not asking[0].edges
        if len(self.edge_places) == 1 or several or self._saver(field)[0] in ("output", "results"):
            return None
        return asking[0].edges

    def _multiplied(self) -> tuple[int, ...]:
        """The edges of the tensors by which forward mode multiplies the tangents of others, be these zero: those that
        formulas of some of the edges name, or one formula of several."""
        if len(self.edge_places) < 2:  # what its formula records is all
            return ()
        found = []
        for field, (kind, place) in zip(self.fields, self.savers, strict=True):
            asking = [f for f in self.formulas if field in f.names]
            if kind == "tensor" and place in self.edge_places and asking and field not in _ADDED:
                edges = {edge for f in asking for edge in f.edges}
                some = any(f.joint for f in asking) or len(edges) < len(self.edge_places)
                if some and all(f.edges for f in asking):
                    found.append(self.edge_places.index(place))
        return tuple(found)

    def _saver(self, field: str) -> tuple[str, Any]:
        """How a field of the Node is had from the arguments and the results."""
        if field in self.index:
            place = self.index[field]
            if place == self.list_place:
                return "list", place
            if place in self.tensor_places:
                return "tensor", place
            return ("indices" if field == "indices" else "value"), place
        if field == "result":
            return ("results" if self.multi else "output"), 0
        if field in self.outputs:
            return "output", self.outputs.index(field)
        if field.endswith("_shape") and field[:-6] in self.index:
            place = self.index[field[:-6]]
            return ("shapes" if place == self.list_place else "shape"), place
        for kind in PROPERTIES:
            if field.endswith("_" + kind) and field[: -len(kind) - 1] in self.index:
                return kind, self.index[field[: -len(kind) - 1]]
        raise ValueError(f"{self.name}: a formula asks for {field!r}, which is no argument, output or shape of one")

    # -- calling -----------------------------------------------------------------------------------------------------

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any], name: str | None = None) -> list[Any]:
        """The arguments in the order of `names`; PyTorch's TypeError if they do not fit."""
        n = len(args)
        if n > self.positional:
            self.reject(args, kwargs, name)
        values = [*args, *self.defaults[n:]]
        index = self.index
        for key, value in kwargs.items():
            place = index.get(key)
            if place is None:
                first = OTHER_NAMES.get(key, "")
                place = None if first in kwargs else index.get(first)
            if place is None or place < n:
                self.reject(args, kwargs, name)
            if type(value) not in _USUAL:
                if type(value) is Tensor and place not in self.tensor_places:  # a number in its place
                    value = plain_number(value)
                elif isinstance(value, type):
                    value = OF_PYTHON.get(value, value)
            values[place] = value  # type: ignore[index]
        for place in self.flags:
            if type(values[place]) is not bool:
                refused(self, args, kwargs)
        if n < self.required:
            for place in self.needed:
                if values[place] is _REQUIRED:
                    self.reject(args, kwargs, name)
        return values

    def named_alone(self) -> str:
        """The only argument that is always named, if it is no tensor and there are no flags; "" if there is none."""
        last = len(self.names) - 1
        usual = self.positional == last and not self.flags and last not in self.tensor_places
        return self.names[last] if usual else ""

    def filled(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The same for a call without out=, as a tuple."""
        if kwargs or not self.required <= len(args) <= self.positional:
            kwargs.pop("out", None)
            return tuple(self.bind(args, kwargs))
        for place in self.flags:
            if place < len(args) and type(args[place]) is not bool:
                refused(self, args, kwargs)
        return args + self.defaults[len(args) :]

    def reject(self, args: tuple[Any, ...], kwargs: dict[str, Any], name: str | None = None) -> Any:
        """Raise PyTorch's TypeError for arguments that do not fit, unless one of them can say what to do."""
        called = name or self.name
        if stands_in(args, kwargs):
            return self.again(called, args, kwargs)
        if kwargs.keys() & OTHER_NAMES.keys():
            method = self.as_method or called not in FUNCTIONS  # as most in-place forms
            explain(called, args[method:], kwargs, "Tensor" if method else space_of(called))
            return self.again(called, args, {OTHER_NAMES.get(key, key): value for key, value in kwargs.items()})
        reject(called, args, kwargs, self.as_method)

    def failed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A kernel failed: again with Python's numbers where tensors or NumPy's stand for them; PyTorch's TypeError if
        arguments of the wrong type are the reason, else raise the kernel's error."""
        if stands_in(args, kwargs):
            return self.again(self.name, args, kwargs)
        refused(self, args, kwargs)
        tensors = {self.names[place] for place in self.tensor_places}
        plain = tuple(v if name in tensors else plain_number(v) for name, v in zip(self.names, args, strict=False))
        named = {name: v if name in tensors else plain_number(v) for name, v in kwargs.items()}
        if any(a is not b for a, b in zip((*args, *kwargs.values()), (*plain, *named.values()), strict=False)):
            return self.again(self.name, plain, named)
        refuse_complex_numbers((*args, *kwargs.values()))
        raise

    def again(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the function or method of that name, which now asks its arguments."""
        function = None if self.as_method else FUNCTIONS.get(name)  # most in-place forms are methods alone
        return (function or getattr(Tensor, name))(*args, **kwargs)

    def refuse_grad(self, values: list[Any]) -> None:
        """Before the kernel runs: refuse a tensor that requires grad by which the operation has no derivative."""
        if modes.FLAGS.unusual and not modes.LOCAL.state.record:
            return
        for place in self.constant_places:
            if values[place] is not None and values[place].requires_grad:  # not for tangents alone
                raise RuntimeError(errors.NOT_DIFFERENTIABLE.format(self.name, self.names[place]))

    def edges(self, values: list[Any]) -> tuple[list[Edge], bool]:
        """The edges to the tensor arguments, and whether one of them requires grad."""
        edges: list[Edge] = []
        found = False
        if self.list_place is not None:
            tensors: list[Any] = []
            for place in self.edge_places:
                tensors += values[place] if place == self.list_place else [values[place]]
        else:
            tensors = [values[place] for place in self.edge_places]
        for t in tensors:
            if t is None:
                edges.append(NO_EDGE)
                continue
            # unrolled: edge = known_edge(t)
            edge = t._edge
            if edge is None and t._view is None and (t._meta is not None) and (t._counter is not INFERENCE):
                accumulate = t._meta.accumulate
                edge = accumulate()
            # end
            if edge is None:
                edge = gradient_edge(t) if t._counter is not INFERENCE else operand_edge(t, values)
            if edge is not NO_EDGE:
                found = True
            edges.append(edge)
        return edges, found

    def arrays(self, values: list[Any]) -> list[Any]:
        """The arguments of the kernel: arrays for tensors."""
        given = list(values)
        for place in self.tensor_places:
            value = given[place]
            if place == self.list_place:
                given[place] = [t._array for t in value]
            elif value is not None:
                given[place] = value._array
        return given

    @instead(without_out)
    def call_any(self, *args: Any, **kwargs: Any) -> Any:
        """The operation, out of place, with or without out=."""
        if self.as_method:  # which has no out=, not even None
            return self.reject(args, kwargs)
        if (
            (self.overloads and self.binds is None)
            or not isinstance(kwargs.get("out"), Tensor | None)
            or not self.takes_out()
        ):
            explain(self.name, args, kwargs)  # not every overload takes out=
        out = kwargs.get("out")
        if out is None:
            kwargs.pop("out", None)
            return self.call(*args, **kwargs)
        if self.outputs and len(out) != len(self.outputs):
            raise TypeError(f"expected tuple of {len(self.outputs)} elements but got {len(out)}")
        try:
            values, given = self.operands(args, {key: value for key, value in kwargs.items() if key != "out"})
            refuse_recorded(self, values, out)
        except (TypeError, RuntimeError):
            explain_failed(self.name, args, kwargs)  # out= is among what does not fit
            raise
        try:
            return self._into(out, values, given)
        except (TypeError, RuntimeError, ValueError):
            refused(self, args, kwargs)  # arguments are read before anything else
            raise

    def _into(self, out: Any, values: list[Any], given: list[Any]) -> Any:
        """The operation with these operands, and its results in out=."""
        rule, real = OUT.get(self.name), None
        if rule is not None and rule.computes and isinstance(out, Tensor):
            place = self.index["dtype"]
            if rule.asks is not None:
                rule.asks(values[0], out, values[place])
            elif values[place] is not None:
                same_dtype(wanted=values[place])(out, (out,))
            given[place] = out.dtype
            x = given[0]
            if x.dtype.kind == "c" and out._array.dtype.kind not in "cb":
                given[0], real = x.real, x.dtype if x.size else None
        if self.check_out is not None:
            input = values[self.tensor_places[0]]
            first = input[0] if type(input) in (list, tuple) else input
            self.check_out(first, (out,) if isinstance(out, Tensor) else out)
        overlap = rule.overlap if rule is not None else "part" if self.elementwise else ""
        if overlap == "dim":
            overlap = "late" if values[self.index["dim"]] is None else "whole"
        if overlap and overlap != "late":
            sources = values if self.list_place is None else values[self.list_place]
            for o in (out,) if isinstance(out, Tensor) else out:
                check_written(o, sources[:1] if overlap == "others" else sources, overlap == "whole")
                if overlap == "others":
                    check_written(o, sources[1:], True)
        try:
            r = modes.quiet(self.invoke, *given)
        except NotImplementedError as error:
            each = self.elementwise or (rule is not None and rule.exact == FOUND)
            if each and str(error).startswith('"') and isinstance(out, Tensor):
                shape = broadcast_shapes(*(x.shape for x in given if isinstance(x, np.ndarray)))
                refuse_dtype(self, out, given[0], values)
                kind = common_dtype(values) if self.kernel in ITERATING else given[0].dtype
                before_kernel(self, out, shape, kind)
            raise
        if rule is not None and rule.starts is not None and given[0].dtype == out._array.dtype:
            if values[0] is out:
                r = np.full(r.shape, rule.starts, r.dtype)
            elif (x := filled_first(given[0], out._array, r.shape, rule.starts)) is not None:
                r = modes.quiet(self.invoke, x, *given[1:])
        result = write(self, out, r, values, True)
        if real is not None:
            warn_cast(real, out._array.dtype)
        return result

    def takes_out(self) -> bool:
        """Whether a signature of this operation has out=, or none is known; those of methods have none."""
        if self.as_method:
            return False
        if self._out is None:
            signatures = lookup(self.name, space_of(self.name))
            self._out = signatures is None or any(
                p.name == "out" for overload in signatures.overloads for p in overload.params
            )
        return self._out

    def operands(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], name: str | None = None
    ) -> tuple[list[Any], list[Any]]:
        """The arguments in the order of `names`, and as the kernel takes them."""
        if kwargs or len(args) != len(self.names) or self.positional != len(args) or self.flags:
            values = self.bind(args, kwargs, name)
        else:
            values = [*args]
        try:
            return values, self.arrays(values)
        except (AttributeError, TypeError):
            values = self.coerced(args, kwargs, values, name)
            return values, self.arrays(values)

    def coerced(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], values: list[Any], name: str | None = None
    ) -> list[Any]:
        """Numbers that stand for tensors become 0-dim tensors where PyTorch allows it; else its TypeError."""
        return coerce(self, args, kwargs, values, name or self.name)

    def refuse_complex(self, result: Tensor) -> None:
        """PyTorch's error where a result is complex that would be recorded by a formula for real numbers."""
        if result._array.dtype.kind == "c":
            raise RuntimeError(
                f"{self.name} does not support automatic differentiation for outputs with complex dtype."
            )

    def saves_input(self, edges: Sequence[Edge]) -> bool:
        """Whether the Node saves the first tensor, given the edges that it has."""
        if not self.input_saved:
            return False
        users = self.input_users
        return users is None or any(edges[i] is not NO_EDGE for i in users)

    def saves(
        self, values: list[Any], edges: Sequence[Edge], results: Sequence[Tensor], ahead: int = 0
    ) -> tuple[Any, ...]:
        """What the Node saves: only the fields of formulas whose gradient is wanted.

        ahead: how many versions the outputs still have to go, of an operation in place that has not run yet.
        """
        if self.real and not ahead:
            self.refuse_complex(results[0])
        items = [*self.taken(values)]
        versions: list[Any] = [None] * len(items)
        every = NO_EDGE not in edges
        for i, users in self.kept:
            t = items[i]
            if t is not None:
                if every or users is None:
                    versions[i] = t._counter[0]
                    continue
                for user in users:
                    if edges[user] is not NO_EDGE:
                        versions[i] = t._counter[0]
                        break
                else:
                    items[i] = None
        for i in self.plain_values:
            if type(items[i]) is Tensor:
                items[i] = plain_number(items[i])
        for i, kind, place, users in self.made:
            item: Any = None
            if kind == "output":
                if every or users is None or any(edges[user] is not NO_EDGE for user in users):
                    item = save_output(results[place], place)
                    versions[i] = item._counter[0] + ahead
            elif kind == "shape":
                item = None if values[place] is None else values[place]._array.shape
            elif kind in PROPERTIES:
                item = None if values[place] is None else array_property(values[place]._array, kind)
            elif kind == "shapes":
                item = [t._array.shape for t in values[place]]
            elif kind == "results":
                item = [save_output(t, i) for i, t in enumerate(results)]
                versions[i] = [t._counter[0] for t in results]
            else:
                item = list(values[place])
                versions[i] = [None if t is None else t._counter[0] for t in item]
            items[i] = item
        return (*items, *versions)

    def call_(self, input: Tensor, /, *args: Any, **kwargs: Any) -> Tensor:
        """The operation, in place on its first argument."""
        values, given = self.operands((input, *args), kwargs, self.name + "_")
        if modes.FLAGS.rows:
            refuse_rows_in_place(self, values)
        if self.writes is not None:
            return in_place(self, values, self.writes, looks=self.looks)
        try:
            return change(self.changes or self, values, given, bool(self.overlap))
        except TypeError:
            explain(self.name + "_", args, kwargs, "Tensor")
            refuse_complex_numbers(values)
            raise


@cache
def _for_methods(kind: type[Op]) -> type[Op]:
    return type(kind.__name__, (kind,), {"as_method": True})


def _positional(
    kernel: Callable[..., Any], names: tuple[str, ...], count: int, defaults: tuple[Any, ...]
) -> Callable[..., Any]:
    last = names[count:]
    if len(last) == 1:
        name = last[0]
        default = defaults[-1]  # for which the kernel's own stands, since a dict takes its time
        return lambda *args: kernel(*args[:-1]) if args[-1] is default else kernel(*args[:-1], **{name: args[-1]})

    def invoke(*args: Any) -> Any:
        return kernel(*args[:count], **dict(zip(last, args[count:], strict=True)))

    return invoke


def copying(
    write: Callable[..., None], keeps_order: bool = False, looks: Callable[..., None] | None = None
) -> Callable[..., Any]:
    """The kernel that lets `write` change a copy of its first argument, which is contiguous, or `keeps_order` of its
    memory. looks: is asked before, as that of the form in place is, where `write` does not ask it itself."""

    @wraps(write)
    def kernel(input: np.ndarray, *args: Any, **kwargs: Any) -> np.ndarray:
        if looks is not None:
            looks(input, *args, **kwargs)
        r = like(input, input.dtype, zero=False) if keeps_order else np.empty(input.shape, input.dtype)
        r[...] = input
        write(r, *args, **kwargs)
        return r

    return kernel


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def op(
    declaration: str,
    tensors: str = "",
    *,
    method: bool | None = None,
    function: bool | None = None,
    inplace_function: bool | None = None,
    reads: Reads = "first",
    out: Any = None,
    **options: Any,
) -> Callable[[Any], Any]:
    """Decorator for a kernel: put the operation into the table.

    declaration: the signatures, as `core/arguments/declared.py` tells. A bare name that has none is an operation that
    formulas and other operations use, `nn.name(...)` one that functions of neural networks use: they are no function
    and no method. tensors: the names of the kernel's tensors, where they are not those that the signatures call so.
    inplace_function: whether the in-place form is a function of torch too, by default if the operation is.
    reads: when arguments are held against the signatures (see `publishing.Reads`); an operation that does so "itself",
    as all with `binds` do, refuses them when its kernel fails.
    """
    name = declare(declaration, "", out)
    public = name in DECLARED and not DECLARED[name].text.lstrip().startswith("nn.")
    method = public if method is None else method
    function = public if function is None else function
    in_place = function if inplace_function is None else inplace_function

    def register(kernel: Callable[..., Any]) -> Callable[..., Any]:
        how = "itself" if options.get("binds") else reads
        entry = Op(name, kernel, tensors or _tensors(declaration, kernel), reads=how, **options)
        entry.doc = entry.doc or (kernel.__doc__ or "")
        OPS[name] = entry
        setattr(RAW, name, kernel)
        offer(declaration, entry, form_of, method, function, entry.doc, how)
        if entry.inplace:
            text = f"In-place version of :meth:`{name}`."
            offer(name + "_", entry, form_in_place, method, in_place, text, how)
        return kernel

    return register


def offer(
    declaration: str,
    entry: Op,
    form: Callable[[Any], Callable[..., Any]],
    method: bool,
    function: bool,
    doc: str,
    reads: Reads = "itself",
) -> None:
    """Publish a form of an entry: `form(entry)` is the function; of the entry as methods know it, the method."""
    own = method and not name_of(declaration).startswith("special_")
    in_place = name_of(declaration) == entry.name + "_"

    def made(entry: Op) -> Callable[..., Any]:
        return choosing(entry, form(entry), in_place)

    as_method = made(entry.of_methods) if own else None
    publish(declaration, made(entry), method, function, doc, reads=reads, as_method=as_method)


def form_of(entry: Op) -> Callable[..., Any]:
    """The function that an entry is called by, or, of an entry as methods know it, the method."""
    call = make_call(entry) if entry.as_method else entry.call
    if _deprecated(entry.name):
        call = taking_old_forms(entry.name, call, entry.as_method)
    if entry.short is None:
        return call
    return instead(lambda short, args, kwargs: call(*args, **kwargs))(entry.short(entry, call))


def form_in_place(entry: Op) -> Callable[..., Any]:
    """The same for the form in place."""
    call_ = entry.call_

    def forward_(*args: Any, **kwargs: Any) -> Any:
        try:
            return call_(*args, **kwargs)
        except (RuntimeError, IndexError):
            explain(entry.name + "_", args[1:], kwargs, "Tensor")  # arguments are read before anything else
            raise

    form = forward_ if entry.fits is None else fitting(entry, forward_)
    return taking_old_forms(entry.name + "_", form, True) if _deprecated(entry.name) else form


def _deprecated(name: str) -> bool:
    """Whether an operation can be called in a form that PyTorch has deprecated."""
    return name in DECLARED and "|deprecated" in DECLARED[name].text


#: types of the parameters that a kernel takes as arrays, and the stars of their names
_TENSORS = {"Tensor": "", "Tensor?": "", "Tensor[]": "*"}


def _tensors(declaration: str, kernel: Any) -> str:
    """The parameters of a kernel that its signatures call tensors, with a star for a list of them."""
    found = {}
    for parameter in declaration.replace("(", ",").split(","):
        kind, _, name = parameter.strip().partition(" ")
        if kind in _TENSORS:
            name = name.partition("=")[0].partition(")")[0]
            found[name] = _TENSORS[kind] + name
    code = getattr(kernel, "__wrapped__", kernel).__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return " ".join(found[name] for name in names if name in found) or "input"
