"""Keeping gradients of non-leaves, and keeping graphs."""

import torch
from torch.autograd import Variable

from tests.scenarios.show import caught


def product():
    """w, x, a = w * x, b = w + 1 and y = a * b."""
    w, x = torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)
    a, b = w * x, w + 1
    return w, x, a, b, a * b


# % retain-01-nonleaf-grad-is-none: only leaves keep theirs
w, x, a, b, y = product()
y.backward()
print(w.grad, x.grad)
print(a.grad is None, b.grad is None, y.grad is None)

# % retain-02-warning-on-nonleaf-grad: asking a non-leaf warns, asking others does not
w, x, a, b, y = product()
y.backward()
print("non-leaf")
print(a.grad)
print("others", w.grad, torch.ones(1).grad, a.detach().grad)

# % retain-03-retain-grad: asked for in time
w, x, a, b, y = product()
print(a.retains_grad)
a.retain_grad()
y.backward()
print(a.retains_grad, a.grad, x.grad, w.grad, a.is_leaf)

# % retain-04-retain-grad-too-late: nothing comes back; no effect on leaves
w, x, a, b, y = product()
y.backward()
a.retain_grad()
w.retain_grad()
print(a.grad, a.retains_grad, w.grad, w.retains_grad)
with caught():
    (w.detach() * 2).retain_grad()

# % retain-05-nonleaf-grads-cleared: three non-leaves without a gradient
a = torch.tensor([3.0, 1.0], requires_grad=True)
squares = a * a
mean = squares.mean()
further = mean**2
mean.backward()
print(a.grad, [t.grad for t in (squares, mean, further)])

# % retain-06-retain-graph-argument: kept until a pass does not ask for it
x = Variable(torch.tensor([1.0, 2.0]), requires_grad=True)
y = (x * x).sum()
for keep in (True, True, False, False):
    try:
        y.backward(retain_graph=keep)
    except RuntimeError as error:
        print(error)
    print(x.grad)

# % retain-07-retain-graph-true: gradients of w, x and b after one and two passes
x, w, b = (torch.tensor(v, requires_grad=True) for v in (3.0, 2.0, 1.0))
y = x + b
z = w * y
for _ in range(2):
    z.backward(retain_graph=True)
    print(w.grad, x.grad, b.grad, y.data)

# % retain-08-second-pass-raises: unless there was a new forward pass
x, w, b = torch.tensor(3.0), torch.tensor(2.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
z = w * (x + b)
z.backward()
with caught():
    z.backward()
print(w.grad, b.grad)
(w * (x + b)).backward()
print(w.grad, b.grad)


# % retain-09-graph-without-saved-values: which graphs can be walked twice
def twice(make):
    v = torch.tensor([1.0, 2.0], requires_grad=True)
    root = make(v)
    root.backward()
    try:
        root.backward()
    except RuntimeError as error:
        return str(error)[:57]
    return v.grad


graphs = {
    "sum": lambda v: v.sum(),
    "mean": lambda v: v.mean(),
    "v + 1": lambda v: (v + 1).sum(),
    "v - 1": lambda v: (v - 1).sum(),
    "-v": lambda v: (-v).sum(),
    "view, t": lambda v: v.view(2, 1).t().sum(),
    "v[0]": lambda v: v[0],
    "clone": lambda v: v.clone().sum(),
    "v * 3": lambda v: (v * 3).sum(),
    "v / 2": lambda v: (v / 2).sum(),
    "v * v": lambda v: (v * v).sum(),
    "v ** 2": lambda v: (v**2).sum(),
    "exp": lambda v: v.exp().sum(),
    "v @ v": lambda v: v @ v,
}
for name, make in graphs.items():
    print(f"{name:>8} {twice(make)}")
