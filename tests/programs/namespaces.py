"""Namespaces beside torch's own that programs import from: trees, classes of results, modes of Modules."""

import copy
import dataclasses
import pickle
import time
from collections import OrderedDict, defaultdict, deque, namedtuple
from uuid import SafeUUID

import torch
import torch.utils._pytree as pytree
from torch import nn
from torch.nn.utils import stateless
from torch.utils.weak import TensorWeakRef, WeakIdKeyDictionary, WeakIdRef, WeakTensorKeyDictionary

from tests.scenarios.show import attempt, caught

Pair = namedtuple("Pair", "x y")

# % trees: leaves and structure
trees = [1, None, [], {"b": 1, "a": [2, (3,)]}, OrderedDict(b=1, a=2), Pair(1, [2])]
trees += [defaultdict(int, {"a": 1}), deque([1, 2], maxlen=4), torch.Size([1, 2]), torch.ones(2, 2).max(0)]
for tree in trees:
    leaves, spec = pytree.tree_flatten(tree)
    print(leaves, spec, spec.num_leaves, spec.num_nodes, spec.num_children)
    made = pytree.tree_unflatten(leaves, spec)
    text = list(made.items()) if isinstance(made, OrderedDict) else made  # Python 3.12 prints it otherwise
    print(type(made).__name__, text, spec == pytree.tree_structure(tree), spec != spec)

# % trees-mapped: functions of leaves, refusals where trees differ
print(pytree.tree_map(lambda a, b: a + b, [1, (2,)], [3, (4,)]), pytree.tree_map_only(int, abs, [-1, "a", -2.5]))
for other in ([1], (1, 2), [1, [2]]):
    attempt(lambda o=other: pytree.tree_map(lambda a, b: (a, b), [1, 2], o))
spec = pytree.tree_structure({"a": [1, 2]})
for leaves in ([1], [1, 2, 3], [1, 2]):
    attempt(lambda given=leaves: pytree.tree_unflatten(given, spec))
attempt(lambda: pytree.tree_unflatten([1], 3))
print(pytree.tree_all(bool, [1, 0]), pytree.tree_any(bool, [1, 0]), pytree.arg_tree_leaves(1, [2], a=3))
print(pytree._broadcast_to_and_flatten(1, spec), pytree._broadcast_to_and_flatten([1], spec))
for other in ({"a": [[3], 4]}, {"b": 1}, {"a": 1, "b": 2}, [1]):
    attempt(lambda o=other: spec.flatten_up_to(o))
print(pytree.treespec_dumps(spec), pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec)


# % trees-own: classes of the user
class Both:
    def __init__(self, a, b):
        self.a, self.b = a, b


def register():
    pytree.register_pytree_node(Both, lambda x: ([x.a, x.b], None), lambda v, c: Both(*v))


register()
print(pytree.tree_map(lambda x: x + 1, Both(1, [2])).b, pytree.tree_leaves([Both(1, {"k": 2})]))
with caught():
    register()
print(pytree.tree_leaves_with_path([1, {"a": Pair(2, 3)}]))
print(pytree.tree_map_with_path(lambda path, x: pytree.keystr(path), [1, {"a": Pair(2, 3)}]))

# % return-types: the classes of results with fields
r = torch.ones(2, 2).max(0)
print(
    type(r) is torch.return_types.max, isinstance(torch.eye(2).svd(), torch.return_types.svd), torch.return_types.sort
)
print(r.n_fields, r.n_sequence_fields, r.n_unnamed_fields, r.__match_args__, r.__reduce__())
print(pickle.loads(pickle.dumps(r)), copy.deepcopy(r), type(copy.copy(r)) is type(r))
print(torch.return_types.max([torch.ones(1), torch.zeros(1)]))
with caught():
    torch.return_types.max([torch.ones(1)])
for wrong in ((), (3,), ([1, 2], 3), ([1, 2, 3],)):
    with caught():
        torch.return_types.max(*wrong)
with caught():
    r.values = torch.zeros(2)
with caught():
    del r.indices
with caught():
    type("Derived", (torch.return_types.max,), {})
written = torch.return_types.max_out, torch.return_types.linalg_lu_factor_out, torch.return_types.linalg_ldl_factor
print(written, hasattr(torch.return_types, "histogramdd_out"), len(torch.return_types.all_return_types))
names: dict[str, object] = {}
exec("from torch.return_types import *", names)
print(names["topk"], names["linalg_svd_out"].__match_args__, sorted(n for n in names if "eig" in n))

# % stateless: the old name of functional_call
layer = nn.Linear(1, 1)
with caught():
    print(stateless.functional_call(layer, {"weight": torch.zeros(1, 1), "bias": torch.ones(1)}, torch.ones(1, 1)))
with caught():
    stateless.functional_call(layer, {"weight": torch.zeros(1, 1)}, (torch.ones(1, 1),), strict=True)
with caught():
    stateless.functional_call(layer, [{"weight": torch.zeros(1, 1)}], (torch.ones(1, 1),))

# % conversion: what becomes of the parameters of a Module that is converted
for overwrite, swap in ((False, False), (True, False), (False, True)):
    torch.__future__.set_overwrite_module_params_on_conversion(overwrite)
    torch.__future__.set_swap_module_params_on_conversion(swap)
    m = nn.Linear(1, 1)
    w = m.weight
    w.grad = torch.ones(1, 1)
    m.double()
    print(m.weight is w, w.dtype, m.weight.grad, m.weight.requires_grad)
    m.load_state_dict(nn.Linear(1, 1).state_dict())
    print(m.weight is w, m.weight.dtype, torch.__future__.get_swap_module_params_on_conversion())
torch.__future__.set_swap_module_params_on_conversion(False)

# % division-old: the name that division had in Python 2
print(torch.tensor([1, 2]).__rdiv__(2))

# % recurrent-functions: layers and steps of recurrent networks by functions of all their weights
x, h = torch.ones(2, 1, 3), torch.ones(1, 1, 4)
for name, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)):
    layers, cell = getattr(torch, name), getattr(torch, name + "_cell")
    w, u = torch.full((4 * gates, 3), 0.1), torch.full((4 * gates, 4), 0.2)
    state = (h, h) if name == "lstm" else h
    out = layers(x, state, [w, u], False, 1, 0.0, False, False, False)
    print([t.tolist() for t in out], getattr(torch._VF, name) is layers)
    both = (h.expand(2, 1, 4),) * 2 if name == "lstm" else h.expand(2, 1, 4)
    print(layers(x, both, [w, u] * 2, False, 1, 0.0, False, True, False)[0].shape)
    for sizes in (
        (x, state, [w], True, 1, 0.0, False, False, False),
        (x[:0], state, [w, u], False, 1, 0.0, False, False, False),
        (),
    ):
        attempt(lambda given=sizes, f=layers: f(*given))
    state = (h[0], h[0]) if name == "lstm" else h[0]
    print(cell(x[0], state, w, u, torch.ones(4 * gates)))
    for given in ((x[0], state, u, u), (x, state, w, u), (x[0], state, w[:2], u), (x[0], 3, w, u), (x[0], h, w, u), ()):
        attempt(lambda given=given, f=cell: f(*given))
    for states in ((h[0],), (h[0], h[:, :2]), (h[0], torch.ones(3, 4))):
        attempt(lambda given=states, f=cell: f(x[0], given if f is torch.lstm_cell else given[-1], w, u))
projected = torch.nn.LSTM(3, 4, proj_size=2, dtype=torch.float64)
given = (torch.zeros(1, 1, 2, dtype=torch.float64), torch.zeros(1, 1, 4, dtype=torch.float64))
out = torch.lstm(x.double(), given, projected._flat_weights, True, 1, 0.0, False, False, False)
print(all(bool((a == b).all()) for a, b in zip(out, (lambda o, s: (o, *s))(*projected(x.double())), strict=True)))

# % sparse-questions: what tensors of sparse layouts are asked
x = torch.ones(2, 3, requires_grad=True)
print(x.to_dense() is x, x.to_dense(torch.float64).dtype, x.sparse_dim(), x.dense_dim())
names = ("coalesce", "indices", "values", "is_coalesced", "crow_indices", "col_indices", "ccol_indices", "row_indices")
for name in names:
    attempt(lambda name=name: getattr(x, name)())
for call in (lambda: x.coalesce(3), lambda: x.values(3), lambda: x.to_dense(3)):
    attempt(call)

# % compiler: what programs ask about compilation
print(torch.compiler.is_compiling(), torch.compiler.is_dynamo_compiling(), torch.compiler.is_exporting())
print(torch.compiler.list_backends(), len(torch.compiler.list_backends(None)))
print(torch.compiler.disable(abs)(-1), torch.compiler.disable(recursive=False)(len)([1]), torch.compiler.reset())
print(torch.compiler.allow_in_graph(abs) is abs, torch.compiler.assume_constant_result(flat := lambda: 1) is flat)
for call in (lambda: torch.compiler.allow_in_graph(3), lambda: torch.compiler.disable(3)):
    attempt(call)
with torch.compiler.set_stance("force_eager"):
    print(torch.compiler.set_stance("default")(abs)(-2))

# % windows-meta: windows on the device "meta"
with torch.device("meta"):
    windows = torch.signal.windows
    print(windows.kaiser(3), windows.hann(2), windows.nuttall(1), windows.cosine(0), windows.bartlett(4))
print(torch.signal.windows.gaussian(3, device="meta"))


# % trees-kinds: dataclasses, constants, classes of named tuples, members of enumerations
@dataclasses.dataclass
class Data:
    a: object
    b: object = "moo"
    c: object = None
    d: str = dataclasses.field(init=False, default="")


class Plain:
    def __init__(self, x, y):
        self.x, self.y = x, y


class Equal(Plain):
    def __eq__(self, other):
        return vars(self) == vars(other)


@dataclasses.dataclass(frozen=True)
class Norm:
    p: int


pytree.register_dataclass(Data)
data = Data(1, "b")
data.d = "d"
print(vars(pytree.tree_map(lambda x: x * 2, data)), pytree.tree_flatten_with_path(data))
pytree._deregister_pytree_node(Data)
for names in (["a", "b"], ["a", "b", "c", "d"]):
    attempt(lambda names=names: pytree.register_dataclass(Data, field_names=names))
pytree.register_dataclass(Data, field_names=["a"], drop_field_names=["b", "c"])
print(vars(pytree.tree_map(lambda x: x * 2, data)), pytree.tree_leaves(data))
attempt(lambda: pytree.register_dataclass(type("Own", (), {}), field_names=None) or "never")
pytree.register_dataclass(Plain, field_names=["x", "y"])
print(vars(pytree.tree_map(lambda x: x + 1, Plain(1, 2))))
attempt(lambda: pytree.register_constant(type("Same", (), {"__repr__": None})))
attempt(lambda: pytree.register_constant(Equal))
pytree.register_constant(Norm)
leaves, spec = pytree.tree_flatten([Norm(2), 1])
print(
    leaves,
    spec.children()[0].context.value.p,
    spec == pytree.tree_structure([Norm(2), 5]),
    pytree.is_constant_class(Norm),
)
Point = namedtuple("Point", "x y")
spec = pytree.tree_structure(Point(1, [2]))
attempt(lambda: pytree.treespec_dumps(spec))
pytree._register_namedtuple(Point, serialized_type_name="tests.Point")
print(spec.type.__name__, pytree.treespec_dumps(spec), pytree.treespec_loads(pytree.treespec_dumps(spec)) == spec)
print(pytree.is_structseq(time.gmtime()), pytree.is_structseq(time.struct_time), pytree.tree_leaves(time.gmtime(0)))
for tree in (
    {SafeUUID.safe: 5},
    defaultdict(list, a=[1]),
    defaultdict(int, {SafeUUID.safe: 1}),
    OrderedDict(b=1, a=(2,)),
    deque([1, 2], maxlen=3),
):
    told = pytree.treespec_dumps(pytree.tree_structure(tree))
    print(told, pytree.treespec_loads(told) == pytree.tree_structure(tree))
attempt(lambda: pytree.treespec_dumps(pytree.tree_structure(torch.max(torch.ones(1, 1), 0))))
attempt(lambda: pytree.treespec_dumps(pytree.tree_structure({object: 1})))
attempt(lambda: pytree.treespec_loads('[1, {"type": "a.b", "context": null, "children_spec": []}]'))
attempt(lambda: pytree.treespec_dumps("text"))


# % scripts: marks and questions of programs that could be compiled
@torch.jit.unused
def one(x):
    return x


@torch.jit.ignore
def two(x):
    return x


three = torch.jit.script_if_tracing(torch.jit.export(lambda x: x + 1))
print(one._torchscript_modifier, two._torchscript_modifier, three(1), three._torchscript_modifier)
with caught():
    torch.jit.ignore(3)
torch.jit.ignore(drop=True)(one)
torch.jit.ignore(drop_on_export=True)(one)
print(torch.jit.is_scripting(), torch.jit.is_tracing(), torch.jit.annotate(int, 3), torch.jit.Attribute(3, int))
kinds = [list[int], dict[str, int], tuple[int, str], set[int], int, (int, str), int | None]
for value in ([1], [1, "a"], {"a": 1}, {"a": "b"}, (1, "a"), {1}, 3, "a", None, []):
    print([torch.jit.isinstance(value, kind) for kind in kinds[:6]])
with torch.jit.optimized_execution(True), torch.jit.strict_fusion():
    pass

# % symbolic-numbers: what programs reckon with where sizes may not be known
print(torch.sym_int(3.5), torch.sym_float(2), torch.sym_max(2, 2.0), torch.sym_min(2.0, 3), torch.sym_max(1, True))
print(torch.sym_not(3), torch.sym_ite(True, 1, 2), torch.sym_sqrt(4), torch.sym_sum([1, 2]), torch.sym_fresh_size(3))
for call in (
    lambda: torch.sym_max(2, "a"),
    lambda: torch.sym_ite(1, 2, 3),
    lambda: torch.sym_ite(True, 2, 3.0),
    lambda: torch.sym_int("a"),
):
    attempt(call)
x = torch.ones(2)
torch._assert_tensor_metadata(x, [2], [1], torch.float32, device="cpu", layout=torch.strided)
for options in ({"size": [3]}, {"stride": (2,)}, {"dtype": torch.int32}, {"device": "meta"}):
    attempt(lambda: torch._assert_tensor_metadata(x, **options))
attempt(lambda: torch._assert_tensor_metadata(x.bfloat16(), dtype=torch.bool))

# % weak-keys: dictionaries by the identity of objects that do not live by them
key, other = torch.ones(2), torch.ones(2)
d = WeakTensorKeyDictionary({key: 1})
d[other] = 2
print(len(d), d[key], d[other], torch.ones(2) in d, 3 in d, list(d), list(d.values()), d.get(torch.ones(2), 4), d == d)
print(
    d.pop(other),
    d.setdefault(other, 5),
    d == {key: 1},
    len(d | {other: 4}),
    len({other: 3} | d),
    copy.copy(d) == d,
    d.popitem(),
)
r, w = TensorWeakRef(key), WeakIdRef(key)
print(r() is key, w() is key, w == WeakIdRef(key), hash(w) == id(key), len(d))
del key
print(r(), w(), len(d), WeakTensorKeyDictionary is WeakIdKeyDictionary)
attempt(lambda: d[torch.ones(2)] if False else TensorWeakRef(3))
attempt(lambda: d.__setitem__(3, 4))

# % factory-keywords: what Modules pass on to functions that make tensors
print(nn.factory_kwargs(None), nn.factory_kwargs({"device": 1, "factory_kwargs": {"dtype": 2}}))
attempt(lambda: nn.factory_kwargs({"device": 1, "factory_kwargs": {"device": 2}}))
attempt(lambda: nn.factory_kwargs({"foo": 1}))
print(torch.utils.set_module(Pair, "here"), Pair.__module__)
attempt(lambda: torch.utils.set_module(Pair, 3))
print(torch._utils.render_call(torch.add, (1, torch.ones(3)), {"alpha": 2}))
print(torch._utils._import_dotted_name("torch.nn.Linear"))
