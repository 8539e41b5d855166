"""Namespaces beside torch's own that programs import from: trees, classes of results, modes of Modules."""

import copy
import pickle
from collections import OrderedDict, defaultdict, deque, namedtuple

import torch
import torch.utils._pytree as pytree
from torch import nn
from torch.nn.utils import stateless

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
