"""Reading and assigning .data: the value changes, the graph does not."""

import torch

from tests.scenarios.show import caught


def linear(x_needs_grad=False, corner=2.5):
    """w, b, x and the mean squared error of w @ x + b against [3, 3]."""
    w = torch.tensor([[1.0, 2.0], [0.0, corner]], requires_grad=True)
    b = torch.ones(2, requires_grad=True)
    x = torch.ones(2, requires_grad=x_needs_grad)
    y = torch.tensor([3.0, 3.0])
    return w, b, x, y, (y - (w @ x + b)).pow(2).mean()


# % data-01-data-copy-keeps-leaf: writing through .data changes a value and no flag
w, x = torch.tensor([1.0]), torch.tensor([2.0], requires_grad=True)
x.data.copy_(x.data + 1)
print(x, x.is_leaf, x.requires_grad)
((w + x) * (w + 1)).backward()
print(x.grad)

# % data-02-data-copy-changes-only-the-value: everything else is as before
x = torch.tensor([2.0, 3.0], requires_grad=True)
(x * x).sum().backward()


def description():
    return id(x), x.data_ptr(), x.is_leaf, x.requires_grad, x.grad_fn, x.shape, x.dtype, x.grad.tolist()


before = description()
print(x)
x.data.copy_(torch.tensor([5.0, 7.0]))
print(x, before == description())
print(x.data, x.data.requires_grad, x.data.is_leaf, x.data.data_ptr() == x.data_ptr())

# % data-03-in-place-on-leaf-raises: on the leaf itself no, through .data or under no_grad yes
x = torch.tensor([2.0], requires_grad=True)
with caught("copy_"):
    x.copy_(x + 1)
with caught("+="):
    x += 1
with caught("add_"):
    x.add_(1)
with caught("x[0] ="):
    x[0] = 3.0
x.data.copy_(x.data + 1)
print(x, x.is_leaf)
with torch.no_grad():
    x.copy_(x + 1)
    print(x, x.is_leaf)
    x += 1
print(x, x.is_leaf, x.requires_grad)

# % data-04-replace-value-of-root: the hook on the root still gets the first shape's gradient
a = torch.tensor([2.0, 1.0], requires_grad=True)
squared = (a**2).mean() ** 2
squared.data = torch.tensor([3.4])
squared.register_hook(lambda grad: print("gradient of the root:", grad))
squared.backward()
print(a.grad)

# % data-05-assigned-data-takes-the-new-shape: value and shape are new, the history is the old one
a = torch.tensor([2.0, 1.0], requires_grad=True)
squared = (a**2).mean() ** 2
for replace in (False, True):
    if replace:
        squared.data = torch.tensor([3.4])
    print(
        squared,
        squared.shape,
        squared.is_leaf,
        squared.requires_grad,
        squared.grad_fn.name(),
        squared.data.requires_grad,
    )
with caught():
    squared.data = [3.4]
with caught():
    a.data = torch.tensor([3, 4])

# % data-06-replace-loss-value: the gradients of w and b are those of the true loss
w, b, x, y, loss = linear()
loss.data = torch.tensor([3.4])
loss.backward()
print((w.grad, b.grad, x.grad, y.grad, loss))

# % data-07-replace-loss-value-input-grad: the same when the input wants a gradient
w, b, x, y, loss = linear(x_needs_grad=True, corner=2.0)
loss.data = torch.tensor([3.4])
loss.backward()
print((w.grad, b.grad, x.grad, y.grad))

# % data-08-gradients-do-not-depend-on-loss-value: whatever is written into the loss
w, b, _, _, loss = linear()
loss.backward()
for value in (torch.tensor(3.4), torch.tensor([3.4]), torch.tensor(-100.0), torch.tensor([[0.0]])):
    w2, b2, _, _, loss = linear()
    loss.data = value
    loss.backward()
    print(loss, loss.shape, torch.equal(w.grad, w2.grad), torch.equal(b.grad, b2.grad))
