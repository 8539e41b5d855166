"""The gradient argument of backward(): weights for an output that is no scalar."""

import inspect

import torch
from torch.autograd import Variable

from tests.scenarios.show import caught


def graph():
    """x, y = x + 2, z = 3 y*y and the mean of z."""
    x = Variable(torch.Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), requires_grad=True)
    y = x + 2
    z = y * y * 3
    return x, y, z, z.mean()


# % gradarg-01-backward-signature: names and defaults
for name, parameter in inspect.signature(torch.Tensor.backward).parameters.items():
    print(name, "(required)" if parameter.default is inspect.Parameter.empty else parameter.default)
v = torch.ones(1, requires_grad=True)
with caught():
    (v * 2).backward(grad_variables=torch.ones(1))
(v * 2).backward(torch.ones(1), None, False)
print(v.grad)

# % gradarg-02-grad-variables-keyword: the old keyword of autograd.backward warns
weights = torch.tensor([1.0, 10.0, 100.0])
for keyword in ("grad_variables", "grad_tensors"):
    a = Variable(torch.tensor([1.0, 2.0, 3.0]), requires_grad=True)
    torch.autograd.backward(a * a, **{keyword: weights})
    print(keyword, a.grad)
with caught():
    torch.autograd.backward(a * a, grad_tensors=weights, grad_variables=weights)

# % gradarg-03-chain-rule-factor: the argument is dz/dy
dz_dy = torch.tensor([1.0, 10.0, 100.0])
x = Variable(torch.tensor([1.0, 2.0, 3.0]), requires_grad=True)
(x**2 * dz_dy).sum().backward()
print("through z:", x.grad)
x.grad = None
(x**2).backward(dz_dy)
print("from y:   ", x.grad)

# % gradarg-04-tensor-or-sequence: a tensor, or as many as there are roots
v = torch.tensor([1.0, 2.0], requires_grad=True)
weights = torch.tensor([1.0, 10.0])
(v * 3).backward(weights)
print(v.grad)
(v * 3).backward([weights])
print(v.grad)
torch.autograd.backward([v * 3, v * v], [torch.ones(2), weights])
print(v.grad)
torch.autograd.backward([(v * 3).sum(), v * v], [None, torch.ones(2)])
print(v.grad)
for wrong in ([1.0, 10.0], 2.0):
    with caught():
        (v * 3).backward(wrong)

# % gradarg-05-graph-values: x, y, z and their mean
print(*graph(), sep="\n")

# % gradarg-06-graph-grad-fns: who made them
for t in graph():
    print(t.grad_fn)

# % gradarg-07-scalar-without-gradient: a scalar needs no weights
x, _, _, out = graph()
out.backward()
print(x.grad)

# % gradarg-08-scalar-with-none: None says the same
x, _, _, out = graph()
out.backward(gradient=None)
print(x.grad)

# % gradarg-09-both-calls-in-a-row: on one graph only if it is kept
x, _, _, out = graph()
out.backward()
with caught():
    out.backward(gradient=None)
print(x.grad)
x, _, _, out = graph()
out.backward(retain_graph=True)
out.backward(gradient=None)
print(x.grad)
x, _, _, out = graph()
out.backward(gradient=torch.tensor(2.0))
print(x.grad)

# % gradarg-10-nonscalar-without-gradient: implicit weights exist for scalars alone
x, _, z, _ = graph()
with caught():
    z.backward()
print(x.grad)

# % gradarg-11-ones: weights of one give dz/dx
x, _, z, _ = graph()
z.backward(gradient=torch.Tensor([[1, 1, 1], [1, 1, 1]]))
print(x.grad)

# % gradarg-12-halves: weights of a half give half of it
x, _, z, _ = graph()
z.backward(gradient=torch.full((2, 3), 0.5))
print(x.grad)

# % gradarg-13-both-weights-in-a-row: the second call needs the graph kept, and an emptied gradient
ones, halves = torch.ones(2, 3), torch.full((2, 3), 0.5)
x, _, z, _ = graph()
z.backward(gradient=ones)
with caught():
    z.backward(gradient=halves)
print(x.grad)
x, _, z, _ = graph()
z.backward(gradient=ones, retain_graph=True)
x.grad.zero_()
z.backward(gradient=halves)
print(x.grad)

# % gradarg-14-weights-scale-elementwise: each element has its own weight
weights = torch.tensor([[1.0, 2.0, 3.0], [0.0, -1.0, 0.5]])
x, _, z, _ = graph()
z.backward(gradient=weights)
plain = 6 * (x.data + 2)
print(x.grad, plain, x.grad / plain, sep="\n")

# % gradarg-15-shape-must-match: weights have the shape of the root
x, _, z, out = graph()
for wrong in (torch.ones(3), torch.ones(3, 2), torch.tensor(1.0), torch.ones(1, 2, 3), 1.0):
    with caught():
        z.backward(gradient=wrong)
with caught():
    out.backward(gradient=torch.ones(1))
z.backward(gradient=torch.ones(2, 3))  # none of the failures freed anything
print(x.grad)

# % gradarg-16-weighted-product: z times the weights is a further node
_, _, z, _ = graph()
print(z * torch.Tensor([[1, 1, 1], [1, 1, 1]]))

# % gradarg-17-sum-of-weighted-product: its sum is a scalar with the same gradient
x, _, z, _ = graph()
total = torch.sum(z * torch.Tensor([[1, 1, 1], [1, 1, 1]]))
total.backward()
print(total, x.grad, sep="\n")

# % gradarg-18-equivalence: z.backward(g) is sum(z * g).backward(), and g is dL/dz
for weights in (torch.ones(2, 3), torch.full((2, 3), 0.5), torch.tensor([[1.0, 2.0, 3.0], [0.0, -1.0, 0.5]])):
    x, _, z, _ = graph()
    z.backward(gradient=weights)
    direct = x.grad
    x, _, z, _ = graph()
    total = torch.sum(z * weights)
    (to_z,) = torch.autograd.grad(total, z, retain_graph=True)
    total.backward()
    print(torch.equal(direct, x.grad), torch.equal(to_z, weights), x.grad)

# % gradarg-19-three-gradients: of the mean, of z and of y with respect to x
for position, name in ((3, "mean"), (2, "z"), (1, "y")):
    nodes = graph()
    nodes[position].backward(gradient=torch.ones_like(nodes[position]))
    print(name, nodes[0].grad)

# % gradarg-20-by-hand: the rule, autograd and a difference quotient agree
x, _, z, out = graph()
out.backward()
rule = 6 * (x.data + 2) / z.numel()
print(rule, x.grad, torch.equal(rule, x.grad), sep="\n")


def mean_of(t):
    return ((t + 2) * (t + 2) * 3).mean().item()


d, step = x.data.double(), torch.zeros(2, 3, dtype=torch.float64)
step[1, 2] = 1e-6
print(round((mean_of(d + step) - mean_of(d - step)) / 2e-6, 4))
