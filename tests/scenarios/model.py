"""A linear model, an optimizer, no_grad, and saving."""

import io

import torch
from torch.autograd import Variable

from tests.scenarios.show import caught


def model(corner=2.0, x_flag=False):
    """w, b, x, y and the mean squared error of w @ x + b against y."""
    w, b = torch.tensor([[1.0, 2.0], [0.0, corner]], requires_grad=True), torch.ones(2, requires_grad=True)
    x, y = torch.ones(2, requires_grad=x_flag), torch.tensor([3.0, 3.0])
    return w, b, x, y, (y - (w @ x + b)).pow(2).mean()


# % matmul-01-forward-loss: the loss knows its mean
*_, loss = model()
print(loss)

# % matmul-02-backward: w and b get gradients, x and y none
w, b, x, y, loss = model()
loss.backward()
print(loss)
print((w.grad, b.grad, x.grad, y.grad))

# % matmul-03-input-requires-grad: the input gets one if it wants one
w, b, x, y, loss = model(x_flag=True)
loss.backward()
print((w.grad, b.grad, x.grad, y.grad))

# % matmul-04-two-residuals: both rows of w matter
w, b, x, y, loss = model(corner=2.5)
loss.backward()
print((w.grad, b.grad, x.grad, y.grad, loss))

# % optim-01-only-managed-tensors-change: the optimizer knows w and b, not x
w, b, x, y, _ = model(corner=2.5, x_flag=True)
sgd = torch.optim.SGD([w, b], lr=0.1)
for _ in range(2):
    sgd.zero_grad()
    loss = (y - (w @ x + b)).pow(2).mean()
    loss.backward()
    sgd.step()
    print(f"{loss.item():.4f}", w, b, x.grad, sep="\n")
held = x.grad.clone()
sgd.zero_grad()
print(x, w.grad, b.grad, torch.equal(x.grad, held))


# % nograd-01-block: no_grad does what volatile once did
def wants(*tensors):
    print([t.requires_grad for t in tensors])


x, w = Variable(torch.ones(1)), Variable(torch.rand(1), requires_grad=True)
wants(x, w, x * w)
with torch.no_grad():
    a, b = Variable(torch.ones(1)), Variable(torch.rand(1), requires_grad=True)
    wants(a, b, a * b)

# % nograd-02-what-it-does: off inside, leaves as asked, decorator, set_grad_enabled
w = torch.tensor([2.0], requires_grad=True)
print(torch.is_grad_enabled())
with torch.no_grad():
    c = w * 3
    print(
        torch.is_grad_enabled(),
        c,
        c.requires_grad,
        c.grad_fn,
        c.is_leaf,
        torch.ones(1, requires_grad=True).requires_grad,
    )
    with torch.enable_grad():
        print((w * 3).requires_grad)
print(torch.is_grad_enabled(), (w * 3).requires_grad)
with caught():
    c.backward()
(c * w).backward()
print(w.grad, c.grad)


@torch.no_grad()
def infer(t):
    return t * w


with torch.set_grad_enabled(False):
    print(infer(torch.ones(1)).requires_grad, (w * 3).requires_grad)
print(infer(torch.ones(1)).requires_grad, torch.is_grad_enabled())

# % save-01-save-and-load: torch.save is a function, not a method
a, buffer = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), io.BytesIO()
torch.save(a, buffer)
buffer.seek(0)
loaded = torch.load(buffer)
print(loaded, torch.equal(a, loaded), a.data_ptr() == loaded.data_ptr(), hasattr(a, "save"))
