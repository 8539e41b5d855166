"""What a notebook shows for the last line of a cell. Needs IPython."""

import torch
from IPython.lib.pretty import pretty

# % echo-01-tuple-of-gradients: a tuple is broken into lines when it is long
w = torch.tensor([[1.0, 2.0], [0.0, 2.0]], requires_grad=True)
b = torch.ones(2, requires_grad=True)
x, y = torch.ones(2), torch.tensor([3.0, 3.0])
loss = (y - (w @ x + b)).pow(2).mean()
loss.backward()
print(pretty(loss))
print(pretty((w.grad, b.grad, x.grad, y.grad)))
print(pretty((torch.tensor([10.0, 5.0]), None)))

# % echo-02-graph-nodes: nodes and the tuples that point to them
x, w, b = torch.tensor(3.0), torch.tensor(2.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
z = w * x + b
print(pretty(z.grad_fn))
print(pretty(z.grad_fn.next_functions))
