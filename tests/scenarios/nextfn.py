"""grad_fn, next_functions and the names of nodes."""

import torch
from torch.autograd import Variable


def line():
    """x, w, b, y = w * x and z = y + b."""
    x, w, b = torch.tensor(3.0), torch.tensor(2.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
    y = w * x
    return x, w, b, y, y + b


# % nextfn-01-block: flags, leaves, nodes and edges of z = wx + b
x = Variable(torch.ones(1))
w, b = (Variable(torch.rand(1), requires_grad=True) for _ in range(2))
y = w.mul(x)
z = y.add(b)
for t in (x, w, b, y, z):
    print(t.requires_grad, t.is_leaf, t.grad_fn)
print(z.grad_fn.next_functions, y.grad_fn.next_functions, sep="\n")
print(z.grad_fn.next_functions[0][0] == y.grad_fn)
z.backward(retain_graph=True)
print(w.grad, x.grad)

# % nextfn-02-backward-names: the name of the node tells the operation
x, v = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), torch.tensor([1.0, 2.0], requires_grad=True)
for t in (
    x + 1,
    torch.add(x, x),
    x.add(1),
    x - 1,
    x * 2,
    torch.mul(x, x),
    x.mul(2),
    x / 2,
    -x,
    x**2,
    x.pow(2),
    x @ x,
    x @ v,
    x.exp(),
    x.sum(),
    x.sum(0),
    torch.sum(x),
    x.mean(),
    x.view(4),
    x.t(),
    x.squeeze(),
    x.unsqueeze(0),
    v.expand(2, 2),
    x[0],
    x.clone(),
):
    print(t.grad_fn.name(), type(t.grad_fn).__name__ == t.grad_fn.name(), tuple(t.shape))
print((x + 1).grad_fn.next_functions[0][0].name())

# % nextfn-03-accumulate-grad-node: a leaf's node points to the leaf and lives as long as a graph
x, w, b = torch.ones(1), torch.tensor([2.0], requires_grad=True), torch.tensor([5.0], requires_grad=True)
z = (w * x).add(b)
(product, first), (accumulate, second) = z.grad_fn.next_functions
print(product.name(), first, accumulate.name(), second)
print(accumulate.variable is b, accumulate.next_functions, product.next_functions[1])
print(product.next_functions[0][0].variable is w, b.grad_fn, x.grad_fn)
print((b * 3).grad_fn.next_functions[0][0] is accumulate, z.grad_fn is z.grad_fn, z.grad_fn == z.grad_fn)

# % nextfn-04-grad-fn-of-z: the sum's node
*_, y, z = line()
print(z.grad_fn, z.grad_fn.name(), y.grad_fn.name())

# % nextfn-05-zero-is-not-a-counter: it tells the overload
a = torch.tensor(1.0, requires_grad=True)
one = a + 1
two = one + a
nodes = [t.grad_fn for t in (one, two, torch.add(two, 5))]
print([node.name() for node in nodes], nodes[0] is nodes[1], type(nodes[0]) is type(nodes[1]) is type(nodes[2]))
v = torch.tensor([1.0, 2.0], requires_grad=True)
print([t.grad_fn.name() for t in (v**2, 2**v, v**v, v.sum(), v.sum(0))])

# % nextfn-06-next-functions-of-z: pairs of a node and an input number
*_, y, z = line()
print(z.grad_fn.next_functions, z.grad_fn.next_functions[0][0] is y.grad_fn)

# % nextfn-07-grad-fn-of-leaf: none, yet the graph has a node for it
x, w, b, y, z = line()
node = z.grad_fn.next_functions[1][0]
print(b.grad_fn, node.name(), node.variable is b)
for keep in (True, False):
    z.backward(retain_graph=keep)
    print(b.grad, node.variable.grad)

# % nextfn-08-more-backward-names: and the rest that the texts use
x, v = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), torch.tensor([1.0, 2.0], requires_grad=True)
row, first = torch.tensor([[0, 1]]), torch.tensor([0])
made = {
    "1 - x": 1 - x,
    "1 / x": 1 / x,
    "v @ v": v @ v,
    "x.mm(x)": x.mm(x),
    "log": x.log(),
    "sqrt": x.sqrt(),
    "relu": x.relu(),
    "sigmoid": x.sigmoid(),
    "tanh": x.tanh(),
    "abs": x.abs(),
    "mean(0)": x.mean(0),
    "max": x.max(),
    "reshape": x.reshape(4),
    "transpose": x.transpose(0, 1),
    "T": x.T,
    "squeeze(0)": x.squeeze(0),
    "expand_as": v.expand_as(x),
    "slice": x[0:1],
    "mask": x[x > 1],
    "rows": x[first],
    "gather": x.gather(0, row),
    "index_select": x.index_select(0, first),
    "masked_select": x.masked_select(x > 1),
    "scatter": x.scatter(0, row, torch.ones(1, 2)),
    "double": x.double(),
    "contiguous": x.t().contiguous(),
    "bmm": torch.bmm(x.unsqueeze(0), x.unsqueeze(0)),
    "addmm": torch.addmm(x, x, x),
    "trace": x.trace(),
    "diag": x.diag(),
    "triu": x.triu(),
    "dot": v.dot(v),
    "inverse": x.inverse(),
}
for name, t in made.items():
    print(f"{name:>13} {t.grad_fn.name()}")

# % nextfn-09-grad-fn-is-a-node: what texts call Function is a Node; attributes are read only
a = torch.ones(2, 3, requires_grad=True)
total = (a * 2).sum()
node = total.grad_fn
print(a.grad_fn, isinstance(node, torch.autograd.graph.Node), isinstance(node, torch.autograd.Function))
while True:
    print(node.name(), type(node).__name__, isinstance(node, torch.autograd.graph.Node))
    if not node.next_functions:
        break
    node = node.next_functions[0][0]
print(node.variable is a)
for name, value in (("grad_fn", None), ("is_leaf", True), ("shape", (3, 2))):
    try:
        setattr(total, name, value)
    except AttributeError:
        print(name, "is not writable")
