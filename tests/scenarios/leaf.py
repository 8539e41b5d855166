"""Leaves and the flag requires_grad."""

import torch
from torch.autograd import Variable

from tests.scenarios.show import caught


def product(w_flag=True, x_flag=True):
    """w, x, a = w * x, b = w + 1 and y = a * b."""
    w, x = torch.tensor([1.0], requires_grad=w_flag), torch.tensor([2.0], requires_grad=x_flag)
    a, b = torch.mul(w, x), torch.add(w, 1)
    return w, x, a, b, torch.mul(a, b)


def two_sums():
    """x and y without, z with requires_grad; a = x + y, b = a + z."""
    x, y, z = (Variable(torch.ones(2, 2), requires_grad=flag) for flag in (False, False, True))
    a = x + y
    return x, y, z, a, a + z


# % leaf-01-node-properties: requires_grad, is_leaf, grad_fn
for name, t in zip("wxaby", product(), strict=True):
    print(name, isinstance(t, torch.Tensor), t.requires_grad, t.is_leaf, t.grad_fn and t.grad_fn.name())

# % leaf-02-requires-grad-propagates: one input is enough
for flags in ((False, False), (False, True), (True, False), (True, True)):
    w, x = (torch.tensor([1.0], requires_grad=flag) for flag in flags)
    print(flags, torch.mul(w, x).requires_grad, torch.add(w, x).requires_grad, torch.add(w, 1).requires_grad)

# % leaf-03-leaf-without-requires-grad: a leaf that wants no gradient gets none
w, x, a, b, y = product(x_flag=False)
y.backward()
for t in (w, x):
    print(t.is_leaf, t.requires_grad, t.grad)
print(a.is_leaf, b.is_leaf, y.is_leaf)

# % leaf-04-network-parameters-and-input: both are leaves, parameters want gradients
torch.manual_seed(0)
model, inputs = torch.nn.Linear(3, 2), torch.ones(4, 3)
output = model(inputs)
for name, p in model.named_parameters():
    print(name, type(p).__name__, tuple(p.shape), p.is_leaf, p.requires_grad, p.grad_fn)
print(inputs.is_leaf, inputs.requires_grad, output.shape, output.is_leaf, output.grad_fn.name())
output.sum().backward()
print(model.bias.grad, model.weight.grad, inputs.grad)
p = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
print(p, p.is_leaf, isinstance(p, torch.Tensor))

# % leaf-05-tensor-derived-from-leaf: what is computed is no leaf
w, x, *_ = product()
print(w.is_leaf, x.is_leaf, (x + 1).is_leaf, (w + x).is_leaf)

# % leaf-06-reassigned-leaf: x = x + 1 gives the name to another tensor
w, x = torch.tensor([1.0]), torch.tensor([2.0], requires_grad=True)
print(x.is_leaf)
x = x + 1
print(x.is_leaf, x.requires_grad)
((w + x) * (w + 1)).backward()
print(x.grad)

# % leaf-07-any-change-gives-nonleaf: sums, views, copies
x = torch.tensor([2.0, 3.0], requires_grad=True)
for t in (x + 1, x * 2, -x, x**2, x[0], x.view(1, 2), x.clone(), x.sum()):
    print(t.grad_fn.name(), t.is_leaf, t.requires_grad)
print(x.grad_fn, x.is_leaf, x.requires_grad)

# % leaf-08-sum-without-grad-stays-leaf: without a wish for gradients all are leaves
w, x = torch.tensor([1.0]), torch.tensor([2.0], requires_grad=True)
w = w + w
print(w, w.is_leaf, w.requires_grad, w.grad_fn)
((w + x) * (w + 1)).backward()
print(x.grad, w.grad)

# % leaf-09-requires-grad-default: False unless asked for
y = torch.tensor([3.0, 3.0])
print(y.requires_grad, y.is_leaf, y.grad)
for t in (torch.tensor(1.0), torch.Tensor(2, 3), torch.ones(2), torch.zeros(2), torch.arange(3.0), torch.rand(2)):
    print(t.requires_grad, end=" ")
print(torch.ones(2, requires_grad=True).requires_grad)

# % leaf-10-requires-grad-of-results: the four cases of a sum
for flags in ((False, False), (False, True), (True, False), (True, True)):
    a, z = (Variable(torch.ones(2, 2), requires_grad=flag) for flag in flags)
    print(*flags, (a + z).requires_grad, (a + z).is_leaf)

# % leaf-11-change-flag-of-created-variable: a flag set later does not reach results that exist
x, y, z, a, b = two_sums()
x.requires_grad = True
print(x.requires_grad, a.requires_grad, (x + y).requires_grad)

# % leaf-12-change-flag-of-created-variable-both-ways: on and off, by attribute and by method
x = torch.ones(2)
for flag in (True, False):
    x.requires_grad = flag
    print(x.requires_grad, (x * 2).requires_grad)
print(x.requires_grad_() is x, x)
x.requires_grad_(False)
print(x.requires_grad, x)
for t in (torch.tensor([1, 2]), torch.tensor([True])):
    with caught():
        t.requires_grad = True

# % leaf-13-force-flag-of-a: a sum of plain tensors becomes a leaf of its own
x, y, z, a, b = two_sums()
x.requires_grad = True
a.requires_grad = True
print(a.requires_grad, a.is_leaf, a.grad_fn)
(a * 3).sum().backward()
print(a.grad, x.grad)

# % leaf-14-flag-of-result-cannot-change: only leaves may change theirs
x, y, z, a, b = two_sums()
print(b.requires_grad, b.is_leaf)
for flag in (False, True):
    with caught(f"= {flag}"):
        b.requires_grad = flag
with caught("requires_grad_(False)"):
    b.requires_grad_(False)
print(b.requires_grad_(True) is b, b.detach().requires_grad, b.detach().is_leaf)
z.requires_grad = False
print(b.requires_grad)

# % leaf-15-scalar-with-requires-grad: printed with its flag
a = torch.tensor(2.3, requires_grad=True)
(a * a).backward()
print(a, a.requires_grad, a.shape, a.dtype, a.grad)

# % leaf-16-backward-without-requires-grad: nothing to differentiate
a = torch.tensor(2.3)
with caught():
    (a * a).backward()
with caught():
    torch.autograd.grad(a * a, a)
for data in (2, [1, 2], True):
    with caught():
        torch.tensor(data, requires_grad=True)

# % leaf-17-requires-grad-later: counts from then on
a = torch.tensor(2.3)
before = a * a
a.requires_grad_()
after = a * a
after.backward()
print(before.requires_grad, after.requires_grad, a.grad)
c = torch.tensor(2.3)
c.requires_grad = True
(c * c).backward()
print(c.grad)

# % leaf-18-is-leaf-of-w-x-b: a property, to read only
x, w, b = torch.tensor(3.0), torch.tensor(2.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
y = w * x
print([t.is_leaf for t in (w, x, b, y, y + b)])
with caught():
    w.is_leaf()
try:
    w.is_leaf = False
except AttributeError:
    print("cannot be set")
