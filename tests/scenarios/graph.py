"""The graph that operations build."""

import torch


def names(node):
    """Names along the first inputs, from a node to its leaf."""
    while node is not None:
        yield node.name()
        node = node.next_functions[0][0] if node.next_functions else None


# % graph-01-mul-add-chain: y = (w*x) * (w+1)
w, x = torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)
a, b = torch.mul(w, x), torch.add(w, 1)
y = torch.mul(a, b)
y.backward()
print(a.grad_fn, x.grad, w.grad, sep="\n")
print([t.is_leaf for t in (a, b, y, w, x)])

# % graph-02-order-of-evaluation: brackets first; steps and one expression agree
w, x = torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)
readings = {
    "mul, add, mul": lambda: torch.mul(torch.mul(w, x), torch.add(w, 1)),
    "(w*x)*(w+1)": lambda: (w * x) * (w + 1),
    "add, add, mul": lambda: torch.mul(torch.add(w, x), torch.add(w, 1)),
    "(w+x)*(w+1)": lambda: (w + x) * (w + 1),
}
for name, make in readings.items():
    w.grad = x.grad = None
    y = make()
    y.backward()
    print(name, y, "dy/dw", w.grad, "dy/dx", x.grad)

# % graph-03-grad-fn-names-the-operation: made by hand, by mul, by add
w, x = torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)
a, b = torch.mul(w, x), torch.add(w, 1)
for t in (w, x, a, b, a * b):
    print(t.grad_fn, type(t.grad_fn).__name__)

# % graph-04-mul-and-add: z = wx + b in two nodes
w, x, b = torch.tensor([2.0], requires_grad=True), torch.tensor([3.0]), torch.tensor([1.0], requires_grad=True)
y = w * x
z = y + b
print(z.data, torch.equal(z, w * x + b), y.grad_fn.name(), z.grad_fn.name())
print([t.is_leaf for t in (w, x, b, y, z)])

# % graph-05-chain-rule: products of local derivatives are the gradients
w, x, b = (torch.tensor([v], requires_grad=True) for v in (2.0, 3.0, 1.0))
y = w * x
z = y + b
to_y, to_b = torch.autograd.grad(z, (y, b), retain_graph=True)
y_to_w, y_to_x = torch.autograd.grad(y, (w, x), retain_graph=True)
print(to_y, to_b, y_to_w, y_to_x)
z.backward()
print(to_y * y_to_w == w.grad, to_y * y_to_x == x.grad, to_b == b.grad, w.grad, x.grad, b.grad)

# % graph-06-graph-grows-with-each-operation: one node more each time
y = torch.tensor([1.0, 2.0], requires_grad=True)
for operation in (lambda t: t + 1, lambda t: t * 2, lambda t: t**2, torch.exp, torch.sum):
    y = operation(y)
    print(*names(y.grad_fn), sep=" <- ")

# % graph-07-dynamic-graph: the data decide how long it gets
for start in (3.0, 1.0, 20.0):
    x = y = torch.tensor([start], requires_grad=True)
    doublings = 0
    while y.sum() < 10:
        y = y * 2
        doublings += 1
    if doublings % 2:
        y = y + 1
    y.sum().backward()
    print(start, doublings, list(names(y.grad_fn)), x.grad)


# % graph-08-data-and-operations-as-a-tree: z = wx + b, indented
def show(node, depth=0):
    print("  " * depth + ("no gradient wanted" if node is None else node.name()))
    for child, _ in node.next_functions if node is not None else ():
        show(child, depth + 1)


x, w, b = torch.tensor(3.0), torch.tensor(2.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
show((w * x + b).grad_fn)
