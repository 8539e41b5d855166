"""Gradients add up in .grad until somebody empties it."""

import torch
from torch.autograd import Variable

# % accumulate-01-retain-graph-twice: two passes over one kept graph double the gradients
x = Variable(torch.ones(1))
weight, bias = (Variable(torch.rand(1), requires_grad=True) for _ in range(2))
out = weight.mul(x).add(bias)
for keep in (True, False):
    out.backward(retain_graph=keep)
    print(weight.grad, bias.grad, x.grad)

# % accumulate-02-three-becomes-six: the derivative of 3a is 3, after two passes .grad says 6
a = torch.tensor(2.3, requires_grad=True)
triple = 3 * a
triple.backward(retain_graph=True)
print("once", a.grad)
triple.backward()
print("twice", a.grad)
a.grad = None
for turn in range(1, 4):  # a graph of its own for each turn: the sum is kept by the leaf, not by the graph
    (3 * a).backward()
    print("turn", turn, a.grad)

# % accumulate-03-set-to-zero: three ways to start again from nothing
a = torch.tensor(2.3, requires_grad=True)
for _ in range(3):
    if a.grad is not None:
        a.grad.zero_()
    (3 * a).backward()
    print(a.grad)
print("zero_", a.grad.zero_() is a.grad, a.grad)
a.grad = None
print("None", a.grad)
sgd = torch.optim.SGD([a], lr=0.1)
for set_to_none in (True, False):
    (3 * a).backward()
    sgd.zero_grad(set_to_none=set_to_none)
    print("set_to_none", set_to_none, a.grad)
(3 * a).backward()
sgd.zero_grad()
print("default", a.grad)


# % accumulate-04-batches-without-zeroing: descent with and without emptying .grad
def descend(empty_first):
    position = torch.tensor(0.0, requires_grad=True)
    sgd = torch.optim.SGD([position], lr=0.25)
    for _ in range(4):
        if empty_first:
            sgd.zero_grad()
        ((position - 4) ** 2).backward()
        sgd.step()
        yield position.item(), position.grad.item()


print("emptied", list(descend(True)))
print("piled up", list(descend(False)))
