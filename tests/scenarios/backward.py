"""What backward() fills, frees and refuses."""

import torch
from torch.autograd import Variable

from tests.scenarios.show import caught


def squares():
    """a, the mean of its squares, and the square of that mean."""
    a = torch.tensor([3.0, 1.0], requires_grad=True)
    mean = (a * a).mean()
    return a, mean, mean**2


# % backward-01-grad-none-before-backward: a forward pass alone leaves .grad empty
a, mean, squared = squares()
print(a.grad, mean.requires_grad, squared.requires_grad)

# % backward-02-first-backward: d mean(a*a) / da is a
a, mean, squared = squares()
print(a.grad)
print(mean.backward())
print(a.grad, torch.equal(a.grad, a))

# % backward-03-second-backward-raises: the first pass frees what the second would need
a, mean, squared = squares()
mean.backward()
print(a.grad)
with caught():
    mean.backward()
print(a.grad)

# % backward-04-shared-part-is-freed-too: two roots over one graph
for first, second in ((1, 2), (2, 1)):
    nodes = squares()
    nodes[first].backward()
    print(nodes[0].grad)
    with caught():
        nodes[second].backward()

# % backward-05-forward-again: each forward pass builds a graph of its own
a = torch.tensor([3.0, 1.0], requires_grad=True)
for turn in range(3):
    (a * a).mean().backward()
    print(turn, a.grad)

# % backward-06-root-reaches-all-leaves: one call on the root serves every leaf
p, q, r, s = leaves = [Variable(torch.tensor([float(k)]), requires_grad=True) for k in range(1, 5)]
((p * q + r) * s).backward()
print([leaf.grad.item() for leaf in leaves])

# % backward-07-derivatives-of-z: z = wx + b and its three derivatives
x, w, b = (torch.tensor(v, requires_grad=True) for v in (3.0, 2.0, 1.0))
z = w * x + b
print(z, z.backward())
print("dz/dw", w.grad, "dz/dx", x.grad, "dz/db", b.grad)

# % backward-08-summary: flag, pass, gradient
a = torch.tensor(2.3, requires_grad=True)
(a**2 + 3 * a).backward()
print(a.grad, 2 * 2.3 + 3)
