"""Modules, and what torch.nn.utils does to them, at the edges that PyTorch's own unit tests go along."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.scenarios.show import attempt


def t(call, *args, **kwargs):
    attempt(lambda: call(*args, **kwargs))


def graph(tensor):
    seen, left = [], [(tensor.grad_fn, 0)]
    while left:
        node, depth = left.pop()
        print(" " * depth + (node.name() if node else "None") + " again" * (node in seen))
        if node and node not in seen:
            seen.append(node)
            left += [(n, depth + 1) for n, _ in reversed(node.next_functions)]


# % modules-to: what Module.to and Tensor.to take
net, cpu, half = nn.Sequential(nn.Linear(2, 1)), torch.device("cpu"), torch.float16
for args, kwargs in [
    ((cpu, True), {}),
    ((None, True), {}),
    (([],), {}),
    ((), {"dtype": 3}),
    ((), {"unknown": 1}),
    ((cpu, torch.tensor(3)), {"non_blocking": True}),
    ((torch.tensor(3),), {}),
    ((cpu, half, False, True), {}),
    ((cpu,), {"copy": True}),
    ((torch.preserve_format,), {}),
]:
    t(net.to, *args, **kwargs)
    t(torch._C._nn._parse_to, *args, **kwargs)
x = torch.ones(1)
for args, kwargs in [((cpu, half), {"dtype": half}), ((half,), {"dtype": half}), ((half,), {"device": "cpu"})]:
    t(x.to, *args, **kwargs)
t(net.type, torch.int32)
print(net[0].weight.dtype, torch._C._nn._parse_to(x), net.to_empty(device="meta")[0].weight.device)
t(net.to, "cpu")

# % modules-share-memory: which memory was shared
net = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
print(net[0].weight.is_shared(), net.share_memory() is net, [b.is_shared() for b in net.buffers()])
print(net[0].weight.untyped_storage().is_shared(), net[0].weight.view(1).is_shared(), torch.ones(1).is_shared())
print(torch.ones(2).untyped_storage().share_memory_().is_shared())

# % modules-buffers: buffers that become persistent, replace what is there, or are refused
m = nn.Module()
m.b = nn.Buffer(torch.ones(1), persistent=False)
print(isinstance(m.b, nn.Buffer), isinstance(torch.ones(1), nn.Buffer), m.state_dict())
m.b = nn.Buffer(torch.ones(1))
print(m.state_dict())
m.b = torch.zeros(1)
print(m.state_dict(), m.b.persistent if isinstance(m.b, nn.Buffer) else None)
m.a = 5
t(setattr, m, "a", nn.Buffer(torch.ones(1)))


class Old(nn.Linear):
    def register_buffer(self, name, value):
        super().register_buffer(name, value, True)


old = Old(1, 1)
old.b = nn.Buffer(torch.ones(1))
print(list(old.state_dict()))
t(setattr, old, "c", nn.Buffer(torch.ones(1), persistent=False))


class Early(nn.Module):
    def __init__(self):
        self.b = nn.Buffer(torch.ones(1))


t(Early)
t(nn.ModuleList(), torch.ones(1), a=1)
t(nn.Module().set_submodule, 3, nn.ReLU())

# % modules-replicas: copies that refer to the parameters of another module
for module in nn.ParameterList([torch.ones(1)]), nn.ParameterDict({"p": torch.ones(1)}):
    replica = module._replicate_for_data_parallel()
    print(replica._parameters, replica._is_replica)
    for name, p in module.named_parameters():
        setattr(replica, name, p.view_as(p))
        print(replica, getattr(replica, name)._base is p)
    replica.zero_grad()
t(lambda: {"k": torch.ones(1)} | nn.ParameterDict({"p": torch.ones(1)}))

# % modules-swapped: a module changed between forward and backward
torch.__future__.set_swap_module_params_on_conversion(True)
m = nn.Linear(2, 3)
out, weight = m(torch.ones(1, 2)), m.weight
print(m.half().weight is weight, weight.dtype)
t(out.sum().backward)
m(torch.ones(1, 2).half()).sum().backward()
print(m.float().weight.grad)
torch.__future__.set_swap_module_params_on_conversion(False)

# % modules-weight-norm: norms over all dimensions but one
for norm in nn.utils.weight_norm, nn.utils.parametrizations.weight_norm:
    for dim in 0, 1, 2, None, -1:
        m = norm(nn.Conv1d(2, 3, 2), dim=dim)
        print(dim, [tuple(p.shape) for p in m.parameters()])
        graph(m.weight)
t(nn.utils.weight_norm, nn.LazyLinear(2))
lstm = nn.utils.weight_norm(nn.LSTM(2, 2), "weight_ih_l0")
print(lstm(torch.ones(3, 1, 2))[0].shape, [isinstance(w, nn.Parameter) for w in lstm._flat_weights])
t(nn.LSTMCell(2, 2), torch.ones(1, 2), torch.ones(1, 2))

# % modules-spectral-norm-files: state of older forms, and of modules whose norm was removed
m = nn.Linear(2, 3)
with torch.no_grad():
    m.weight.copy_(torch.arange(1.0, 7).view(3, 2))
m = nn.utils.spectral_norm(m)
with torch.no_grad():
    m.weight_u.copy_(torch.tensor([0.2298, 0.5247, 0.8196]))
    m.weight_v.copy_(torch.tensor([0.6196, 0.7849]))
m.eval()(torch.ones(1, 2))
state = {k: v.clone() for k, v in m.state_dict().items()}
print(m.load_state_dict(state))
print(m.load_state_dict({k: state[k] for k in ("bias", "weight_u")}, strict=False))
old = {"bias": state["bias"], "weight_orig": state["weight_orig"], "weight_u": state["weight_u"]}
print(m.load_state_dict({**old, "weight": m.weight.detach().clone()}), (m.weight_v * 100).round())
m = nn.utils.remove_spectral_norm(m)
print(len(m._state_dict_hooks))
t(m.load_state_dict, nn.Linear(2, 3).state_dict())

# % modules-padding: sizes and modes that do not go together, memory of what is cut off
for size, pad in [((2,), (1, 1)), ((2, 2), ()), ((2, 2), (1, 1, 1, 1)), ((1, 1, 2, 2), (1, 1)), ((1,) * 6, (0,) * 8)]:
    for mode in "reflect", "circular", "replicate":
        t(F.pad, torch.ones(size), pad, mode)
x = torch.arange(6.0).view(2, 3)
for a, pad in [(x, (-1, 0, 0, -2)), (x.t(), (-1, 0)), (x.t(), (0, 0)), (x, (-1, 1))]:
    print(F.pad(a, pad), F.pad(a, pad).stride())
t(F.normalize, torch.ones(2, requires_grad=True), dim=0, out=torch.empty(2))
t(nn.utils.parameters_to_vector, nn.ReLU)
