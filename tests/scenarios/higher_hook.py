"""Gradients of gradients, and hooks."""

import torch
from torch.autograd import Variable

from tests.scenarios.show import caught


def line():
    """x, w, b and y = w * x."""
    x, w, b = torch.tensor(3.0), torch.tensor(2.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
    return x, w, b, w * x


# % higher-01-create-graph-backward: a gradient with a history of its own
x = Variable(torch.tensor([2.0]), requires_grad=True)
(x**3).backward(create_graph=True)
first = x.grad
print(first.data, first.requires_grad, first.grad_fn is not None)
x.grad = None
first.backward()
print("6x", x.grad)
x.grad = None
(x**3).backward(create_graph=True)
x.grad.backward()  # onto the first gradient
print("3x^2 + 6x", x.grad.data)
x.grad = None

# % higher-02-autograd-grad: four derivatives of x^4, and a Hessian
x = torch.tensor(2.0, requires_grad=True)
derivative = x**4
for order in range(1, 5):
    (derivative,) = torch.autograd.grad(derivative, x, create_graph=True)
    print(order, derivative.item(), derivative.requires_grad, x.grad)
(plain,) = torch.autograd.grad(x**4, x)
print(plain, plain.requires_grad)
with caught():
    torch.autograd.grad(plain, x)
v = torch.tensor([1.0, 2.0], requires_grad=True)
(slope,) = torch.autograd.grad(v[0] ** 2 * v[1] + v[1] ** 3, v, create_graph=True)
print(slope.data, [torch.autograd.grad(part, v, retain_graph=True)[0] for part in slope])

# % hook-01-hook-on-the-root: the root's gradient is 1; a non-leaf .grad warns
a = torch.tensor([2.0, 1.0], requires_grad=True)
mean = (a**2).mean()
squared = mean**2
squared.register_hook(lambda grad: print("root:", grad))
squared.backward()
print((a.grad, mean.grad))

# % hook-02-nonleaf-gradient-with-hook: seen by a hook, until it is removed
x, w, b, y = line()
z = y + b
seen = []
handle = y.register_hook(seen.append)
b.register_hook(lambda grad: print("b", grad))
z.register_hook(lambda grad: print("z", grad))
z.backward()
print("y", seen, w.grad, b.grad)
handle.remove()
y = w * 5
y.register_hook(print).remove()
y.backward()
print(len(seen))

# % hook-03-nonleaf-gradient-with-autograd-grad: returned, not stored
x, w, b, y = line()
z = y * y + b
print(torch.autograd.grad(z, y, retain_graph=True))
print(torch.autograd.grad(z, [y, w, b]), w.grad, b.grad)
with caught("freed"):
    torch.autograd.grad(z, y)
x, w, b, y = line()
stranger = torch.tensor(1.0, requires_grad=True)
with caught("unused"):
    torch.autograd.grad(y + b, stranger)
print(torch.autograd.grad(w * x + b, [w, stranger], allow_unused=True))

# % hook-04-hook-changes-the-gradient: what a hook returns goes on
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * 3
y.register_hook(lambda grad: grad * 10)
y.register_hook(lambda grad: print("then", grad))
y.retain_grad()
y.sum().backward()
print(y.grad, w.grad)
with caught():
    torch.ones(2).register_hook(print)
