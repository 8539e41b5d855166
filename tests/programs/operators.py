"""Operators below autograd's functions: torch.ops.aten, its packets, overloads and schemas."""

import copy

import torch

from tests.scenarios.show import attempt

aten = torch.ops.aten
x, m = torch.tensor([1.0, 2.0]), torch.tensor([[1.0, 2.0], [3.0, 4.0]])

# % operators-names: packets and overloads by their names
print(
    aten, aten.mul, repr(aten.mul), aten.mul.Tensor, repr(aten.mul.Tensor), aten.mul.__name__, aten.mul.Tensor.__name__
)
for one in (aten.mul.Tensor, aten.relu.default, aten.sum.dim_IntList, aten.add_.Tensor, aten.exp.out):
    print(one.name(), one._schema, one.namespace, one._opname, one._overloadname, one.__module__, one.is_view)
    print(one.overloadpacket._qualified_op_name, one.overloadpacket.__module__, copy.deepcopy(one) is one)
print(aten.sigmoid.overloads(), list(aten.sigmoid), aten.sigmoid is torch.ops.aten.sigmoid)
print(isinstance(aten.mul.Tensor, torch._ops.OpOverload), isinstance(aten.mul, torch._ops.OpOverloadPacket))
attempt(lambda: aten.nothing)
attempt(lambda: aten.mul.nothing)

# % operators-schemas: what schemas tell
for one in (
    *(aten.mm.default, aten.addmm.default, aten.max.dim, aten.view.default, aten.split.Tensor, aten.transpose.int),
    *(aten.conv2d.default, aten.zeros.default, aten.ones_like.default, aten.clamp.default, aten.topk.values),
    *(aten.arange.start, aten.cat.default, aten.index_select.default, aten.uniform_.default, aten.pow.Scalar),
    *(aten.native_layer_norm.default, aten.softmax.int, aten.masked_fill_.Scalar, aten.where.self, aten.sub.Scalar),
):
    schema = one._schema
    print(schema, schema.name, schema.overload_name, schema.is_mutable, [(r.name, r.type) for r in schema.returns])
    print([(a.name, a.type, a.kwarg_only, a.has_default_value()) for a in schema.arguments])

# % operators-calls: calls of packets and of overloads
for call in (
    lambda: (aten.add.Tensor(x, x), aten.add.Tensor(x, 2), aten.add.Scalar(x, 2, 3), aten.add(x, x, alpha=2)),
    lambda: (aten.mm(m, m), aten.mm.default(self=m, mat2=m), aten.addmm(x, m, m, beta=2), aten.linear(m, m)),
    lambda: (aten.sum(x), aten.sum(m, [0]), aten.sum.dim_IntList(m, 0, True), aten.mean.dim(m, [1])),
    lambda: (aten.max(x), aten.max.dim(m, 1), aten.topk(x, 1), aten.sort(x), aten.unbind(x), aten.split.Tensor(x, 1)),
    lambda: (aten.add_.Tensor(x.clone(), x), aten.mul_(x.clone(), 3), aten.fill_.Scalar(x.clone(), 2)),
    lambda: (aten.add.out(x, x, out=torch.empty(2)), aten.exp.out(x * 0, out=torch.empty(2))),
    lambda: aten.sort.values(x, values=torch.empty(2), indices=torch.empty(2, dtype=torch.int64)),
    lambda: (aten.view(x, [2, 1]), aten.t(m), aten.expand(x, [2, 2]), aten.transpose.int(m, 0, 1), aten.clone(x)),
    lambda: (aten.zeros([2]), aten.arange.start(1, 3), aten.ones_like(x), aten.full([1], 2.5)),
    lambda: (aten.gelu(x), aten.gelu(x, approximate="tanh"), aten.hardtanh(x, 0, 1), aten.dropout(x, 0.5, False)),
    lambda: (aten.native_layer_norm(x, [2], None, None, 1e-5), aten.where.self(x > 1, x, -x), aten.nonzero(x)),
    lambda: (aten.cat([x, x]), aten.stack.default([x, x], 1), aten.embedding(m, torch.tensor([0]))),
):
    print(call())
leaf = torch.ones(2, requires_grad=True)
print(aten.mul.Tensor(leaf, leaf), aten.sigmoid(leaf), aten.view.default(leaf, [2, 1])._base is leaf)

# % operators-refused: calls that no schema takes
for call in (
    lambda: aten.mm.default(m),
    lambda: aten.mm.default(m, m, m),
    lambda: aten.mm.default(m, m, foo=1),
    lambda: aten.relu.default("a"),
    lambda: aten.exp.out(x, x),
    lambda: aten.sum.dim_IntList(m, "a"),
    lambda: aten.clone.default(x, memory=1),
    lambda: aten.t.default(),
):
    attempt(call)


# % operators-parts: names of packets and overloads, and what an overload is by other operators
packet, overload = torch.ops.aten.add, torch.ops.aten.add.Tensor
print(packet.op.__module__, packet.op(torch.tensor(2), torch.tensor(3)), overload.__qualname__, overload._name)
linear = torch.ops.aten.linear.default
print(linear.decompose(torch.ones(1, 2), torch.ones(3, 2)), overload.decompose(torch.ones(1), torch.ones(1)))
