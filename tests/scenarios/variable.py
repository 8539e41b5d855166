"""Variable, as texts from before 0.4 write it."""

import torch
from torch.autograd import Variable

from tests.scenarios.show import caught


def two_sums():
    """x and y without, z with requires_grad; a = x + y, b = a + z."""
    x, y, z = (Variable(torch.randn(2, 2), requires_grad=flag) for flag in (False, False, True))
    a = x + y
    return {"x": x, "y": y, "z": z, "a": a, "b": a + z}


# % variable-01-block: make, add, sum, backward
a, b = Variable(torch.ones(2, 3), requires_grad=True), Variable(torch.zeros(2, 3))
c = a.add(b)
d = c.sum()
print(a, b, c, d, sep="\n")
d.backward()
print(a.grad, [t.requires_grad for t in (a, b, c)], [t.is_leaf for t in (a, b, c)])
print(c.grad is None)

# % variable-02-three-attributes: data, grad, grad_fn
a = Variable(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), requires_grad=True)
c = (a * a).sum()
print(a.data, a.data.requires_grad, a.grad, a.grad_fn)
c.backward()
print(a.grad, a.grad.shape == a.data.shape, c.data, c.grad_fn.name())

# % variable-03-grad-is-a-variable: every tensor is one today
a = Variable(torch.ones(2, 3), requires_grad=True)
(a * 2).sum().backward()
for t in (a, a.grad, torch.ones(1)):
    print(isinstance(t, Variable), isinstance(t, torch.Tensor), type(t) is torch.Tensor, t.requires_grad, t.grad_fn)
print(a.grad.shape == a.data.shape)

# % variable-04-data-sum: a tensor without history, and one with
c = Variable(torch.ones(2, 3), requires_grad=True).add(Variable(torch.zeros(2, 3)))
for t in (c.data.sum(), c.sum(), c.data):
    print(t, type(t) is torch.Tensor, isinstance(t, float), t.requires_grad, t.is_leaf)
print(c.data.sum().item(), type(c.data.sum().item()).__name__)

# % variable-05-volatile: an old keyword that warns and does nothing
a, b = Variable(torch.ones(1), volatile=True), Variable(torch.ones(1), requires_grad=True)
print(a.requires_grad, b.requires_grad, (a * b).requires_grad)
print(a.volatile)
with caught():
    Variable(torch.ones(1), requires_grad=True, volatile=True)

# % variable-06-constructor: a new tensor over the same memory, without flag and history
t = torch.tensor([1.0, 2.0])
plain, wanting = Variable(t), Variable(t, requires_grad=True)
print(plain, wanting, plain.is_leaf, wanting.is_leaf, plain is t, t.requires_grad)
print(plain.data_ptr() == t.data_ptr() == wanting.data_ptr())
wanting.data.add_(1)
print(t, Variable(wanting), Variable(wanting * 2, requires_grad=True).grad_fn)
for wrong in ([1.0, 2.0], 3.0):
    with caught():
        Variable(wrong)
with caught():
    Variable(torch.tensor([1, 2]), requires_grad=True)
print(torch.autograd.Variable is Variable)

# % variable-07-in-place-on-leaf: refused on a leaf that wants gradients, done on others
a = Variable(torch.ones(2, 3), requires_grad=True)
for name, arguments in {
    "add_": (1,),
    "mul_": (2,),
    "zero_": (),
    "t_": (),
    "resize_": (3, 2),
    "copy_": (torch.zeros(2, 3),),
}.items():
    with caught(name):
        getattr(a, name)(*arguments)
with caught("setitem"):
    a[0, 0] = 5.0
print(a, Variable(torch.ones(2, 3)).add_(1).mul_(2))
c = a * 3
c.add_(1)
c.sum().backward()
print(c, a.grad)

# % variable-08-in-place-on-saved-value: noticed by the version counter, but not through .data
a = Variable(torch.tensor([1.0, 2.0]), requires_grad=True)
b = a * 2
total = (b * b).sum()
b.add_(1)
with caught("input saved"):
    total.backward()
b = a.exp()
b.add_(1)
with caught("result saved"):
    b.sum().backward()
b = a * 2
total = (b + b).sum()
b.add_(1)
total.backward()
print("nothing saved", a.grad)
b = a * 2
total = (b * b).sum()
b.data.add_(1)
a.grad = None
total.backward()
print("unnoticed and wrong", a.grad)

# % variable-09-supports-tensor-functions: the same values as the plain tensor
v = Variable(torch.tensor([[1.0, 4.0], [9.0, 16.0]]), requires_grad=True)
for name in ("sqrt", "exp", "log", "neg", "abs", "t", "sum", "mean", "max", "min", "sigmoid", "tanh"):
    result = getattr(v, name)()
    print(name, torch.allclose(result.data, getattr(v.data, name)()), result.requires_grad)
print(v.view(4).shape, v[0], v @ v)

# % variable-10-wrap-a-tensor: data is the tensor, grad comes later
t = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
v = Variable(t, requires_grad=True)
print(v, v.data, isinstance(v.data, torch.Tensor), torch.equal(v.data, t), v.grad)
(v * v).sum().backward()
print(v.grad)

# % variable-11-requires-grad-argument: by name, by place, or not at all
t = torch.ones(2)
print(
    [
        v.requires_grad
        for v in (Variable(t), Variable(t, requires_grad=False), Variable(t, requires_grad=True), Variable(t, True))
    ]
)

# % variable-12-grad-fn-tells-results: a result that wants gradients has one
for name, t in two_sums().items():
    print(name, t.grad_fn if t.grad_fn is None else t.grad_fn.name())

# % variable-13-created-and-result-variables: shape, leaf, flag
for name, t in two_sums().items():
    print(name, t.shape, t.is_leaf, t.requires_grad)

# % variable-14-flags-of-the-small-graph: only z asks, so only b has a history
nodes = two_sums()
print({name: t.requires_grad for name, t in nodes.items()}, nodes["x"].grad_fn, nodes["a"].grad_fn)
print(nodes["b"].grad_fn)
