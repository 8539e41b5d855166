"""Tensors and Modules on the device "meta": shapes, dtypes and strides without contents."""

import copy
import io
import pickle
import warnings

import torch
from torch import nn

from tests.scenarios.show import attempt, caught

# % meta-made: what is made there, and how it prints
a = torch.empty(2, 3, device="meta")
print(a, a.device, a.is_meta, a.is_cpu, a.type(), a.stride(), a.nbytes, a.data_ptr())
print(torch.ones(2, device="meta"), torch.tensor([1, 2], device="meta"), torch.full((2,), 3.0, device="meta"))
print(torch.arange(5, device="meta"), torch.eye(2, device="meta"), torch.linspace(0, 1, 3, device="meta"))
print(torch.empty_strided((2, 3), (1, 2), device="meta").stride(), torch.asarray([1.0], device="meta"))
print(torch.as_tensor([1, 2], device="meta"), torch.ones_like(torch.ones(2), device="meta"), a.new_zeros(3))
print(torch.empty(2, device="meta", requires_grad=True), torch.ones(2).to("meta"), a.to("meta") is a)
print(a.untyped_storage(), a.untyped_storage().nbytes(), torch.empty_like(a, device="cpu").device)

# % meta-operations: they give such tensors again
a = torch.ones(2, 3, 4, device="meta")
print(a + 1, a > 0, a.sum(), a.argmax(1), a.to(torch.int32), a.permute(2, 0, 1).stride(), a[:, 1].storage_offset())
print(a.max(0), a.softmax(-1).shape, a.unbind(0), torch.einsum("abc,abd->cd", a, a), a.expand(5, 2, 3, 4).stride())
print(torch.where(a > 0, a, 0.0).shape, torch.stack([a, a]).shape, a.view(6, 4).T, a.clone().is_meta, a.detach())
big = torch.empty(2**20, 2**20, device="meta") + torch.empty(2**20, device="meta")
print(big.shape, big.dtype, torch.empty(2**12, 2**12, device="meta").t().stride())
print(a.mul_(2).fill_(1).resize_(2, 2), a.copy_(torch.ones(2)), a._version)
a[0] = 3.0
print(list(a[0]), len(a))

# % meta-random: nothing is drawn
torch.manual_seed(0)
torch.rand(3, device="meta"), torch.empty(5, device="meta").uniform_(), torch.randn_like(torch.ones(2, device="meta"))
torch.randperm(4, device="meta"), nn.Linear(3, 4, device="meta")
print(torch.rand(2))

# % meta-refused: what asks for contents
a = torch.ones(2, 3, device="meta")
one = a.sum()
for ask in (one.item, one.__bool__, one.__float__, one.__int__, a.item, a.tolist, a.numpy, a.cpu, lambda: a.to("cpu")):
    attempt(ask)
for ask in (a.nonzero, a.unique, lambda: a[a > 0], lambda: torch.masked_select(a, a > 0), lambda: torch.where(a)):
    attempt(ask)
attempt(lambda: torch.equal(a, a))
attempt(lambda: torch.bincount(a.long()))
attempt(lambda: torch.ones(2, 3).copy_(a))
attempt(lambda: torch.as_tensor(a, device="cpu"))
attempt(lambda: a.set_(torch.ones(2)))
attempt(lambda: a.repeat_interleave(torch.ones(2, device="meta").long(), 0))
attempt(lambda: a.__dlpack__())

# % meta-mixed: with tensors that have contents
a, b = torch.ones(2, device="meta"), torch.ones(2)
attempt(lambda: a + b)
attempt(lambda: b * a)
attempt(lambda: a + torch.tensor(1.0))
attempt(lambda: torch.tensor(1.0) + a)
attempt(lambda: b + a.sum())
attempt(lambda: a[torch.tensor([0])])
attempt(lambda: nn.Linear(2, 3, device="meta")(torch.ones(1, 2)))

# % meta-backward: gradients are on meta too
x = torch.ones(2, device="meta", requires_grad=True)
y = (x * x).sum()
print(y)
y.backward()
print(x.grad, torch.autograd.grad((x * 3).sum(), x))
p = nn.Parameter(torch.ones(2, device="meta"))
(p * 2).sum().backward()
torch.optim.Adam([p]).step()
print(p, p.grad.device)

# % meta-modules: made there, moved, filled
layer = nn.Linear(2, 3, device="meta")
weight = layer.weight
print(layer, weight, layer(torch.ones(1, 2, device="meta")))
with caught():
    layer.to("cpu")
with caught():
    layer.cpu()
print(layer.to_empty(device="cpu").weight is weight, layer.weight.device, layer.weight.requires_grad, weight.device)
for kind, args in (
    (nn.MultiheadAttention, (4, 2)),
    (nn.Conv2d, (1, 1, 1)),
    (nn.BatchNorm1d, (2,)),
    (nn.InstanceNorm1d, (2, 0.1, 0.1, True, True)),
    (nn.LayerNorm, (2,)),
    (nn.GroupNorm, (1, 2)),
    (nn.RMSNorm, (2,)),
    (nn.Embedding, (2, 2)),
    (nn.EmbeddingBag, (2, 2)),
    (nn.LSTM, (1, 2)),
    (nn.GRUCell, (1, 2)),
    (nn.PReLU, ()),
    (nn.LazyLinear, (2,)),
    (nn.LazyBatchNorm1d, ()),
    (nn.TransformerDecoderLayer, (4, 2)),
):
    made = kind(*args, device="meta")
    print(kind.__name__, {t.device.type for t in (*made.parameters(), *made.buffers())})
with torch.device("meta"):
    deep = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
print({p.device.type for p in deep.parameters()}, {p.device.type for p in copy.deepcopy(deep).parameters()})
print(torch.ones(1), nn.LSTM(2, 3, device="meta")(torch.ones(4, 1, 2, device="meta"))[0].shape)

# % meta-state: state_dicts into it and out of it
layer, full = nn.Linear(1, 1, device="meta"), nn.Linear(1, 1)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    print(layer.load_state_dict(full.state_dict()), layer.weight)
print([str(w.message) for w in seen])
with caught():
    full.load_state_dict(layer.state_dict())
print(layer.load_state_dict(full.state_dict(), assign=True), layer.weight.device)

# % meta-files: pickled, saved and loaded
a = torch.empty(2, 3, device="meta").t()
print(pickle.loads(pickle.dumps(a)).stride(), copy.deepcopy(a).stride())
file = io.BytesIO()
torch.save(a, file)
print(torch.load(io.BytesIO(file.getvalue())), torch.load(io.BytesIO(file.getvalue()), map_location="cpu").stride())
file = io.BytesIO()
torch.save(torch.ones(2), file)
print(torch.load(io.BytesIO(file.getvalue()), map_location="meta"))

# % meta-default: as the default device
torch.set_default_device("meta")
print(torch.ones(2), torch.tensor(1), nn.Linear(1, 1).weight.device, torch.zeros_like(torch.ones(1, device="cpu")))
torch.set_default_device(None)
print(torch.ones(2))

# % meta-out: out= tensors lie beside the operands
here, there = torch.ones(2, 3), torch.ones(2, 3, device="meta")
for action in (
    lambda: torch.add(here, here, out=there),
    lambda: torch.exp(there, out=here),
    lambda: torch.mm(here, here.t(), out=torch.ones(2, 2, device="meta")),
    lambda: torch.add(torch.ones(()), torch.ones(()), out=torch.ones((), device="meta")),
    lambda: torch.cat([there, there], out=torch.empty(0)),
    lambda: torch.sort(here, out=(there, torch.empty(0, dtype=torch.long))),
    lambda: torch.add(there, there, out=there).shape,
):
    attempt(action)

# % meta-assigned: gradients and data of another device
here, there = torch.ones(2, requires_grad=True), torch.ones(2, device="meta")
for name, of, value in (
    ("grad", here, there),
    ("grad", there, torch.ones(2)),
    ("data", here, there),
    ("data", there, here),
):
    attempt(lambda: setattr(of, name, value))
there.grad = torch.ones(2, device="meta")
print(there.grad)

# % meta-matrices: linear algebra, which zeros would not let through
a, right = torch.empty(2, 3, 3, device="meta"), torch.empty(2, 3, 1, device="meta", dtype=torch.float32)
for call in (
    torch.linalg.inv,
    torch.linalg.cholesky,
    torch.linalg.lu_factor,
    torch.inverse,
    lambda a: torch.linalg.solve(a, right),
    lambda a: torch.linalg.tensorinv(a[0], ind=1),
    lambda a: torch.linalg.matrix_power(a, -2),
    torch.cholesky_inverse,
    lambda a: torch.linalg.lu_solve(*torch.linalg.lu_factor(a), right),
):
    attempt(lambda call=call: [(x.shape, x.stride(), x.device) for x in torch.utils._pytree.tree_leaves(call(a))])
# % meta-type-as: type_as takes the device, too
here, there = torch.ones(2, requires_grad=True), torch.ones(2, dtype=torch.double, device="meta")
for action in (
    lambda: torch.tensor([1, 2]).type_as(there),
    lambda: there.type_as(here),
    lambda: here.type_as(there).grad_fn.name(),
    lambda: there.type_as(there) is there,
    lambda: here.type_as(3),
):
    attempt(action)
