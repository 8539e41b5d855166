"""Functions, methods, out= and in-place methods."""

import torch

from tests.scenarios.show import caught

# % arith-01-function-and-method: torch.f(x) and x.f() are one operation
table = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(torch.sum(table, 1), table.sum(1))
for name, extra in (
    ("sum", ()),
    ("sum", (0,)),
    ("add", (table,)),
    ("mul", (table,)),
    ("mean", ()),
    ("t", ()),
    ("squeeze", ()),
    ("unsqueeze", (0,)),
):
    print(name, torch.equal(getattr(torch, name)(table, *extra), getattr(table, name)(*extra)))
with caught(first_line=True):
    torch.sum(table, table)  # the second argument is a dimension

# % arith-02-add-and-add_: the underscore says that the tensor itself changes
left, right = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
total = left.add(right)
print(total, left, total is left)
total = left.add_(right)
print(total, left, total is left)
three_four = torch.tensor([3.0, 4.0])
for name, arguments in {
    "mul_": [three_four],
    "sub_": [three_four],
    "copy_": [three_four],
    "zero_": [],
    "fill_": [7.0],
    "exp_": [],
}.items():
    t = torch.tensor([1.0, 2.0])
    print(name, getattr(t, name)(*arguments) is t, t)

# % arith-03-additions-document-values: operator, function, out= and add_ give one sum
x = torch.ones(2, 3)
y = torch.tensor([[0.8108, 0.0669, 0.0516], [0.9076, 0.1393, 0.8508]])
into = torch.Tensor(5, 3)
torch.add(x, y, out=into)
for label, value in (
    ("x", x),
    ("y", y),
    ("x+y", x + y),
    ("torch.add", torch.add(x, y)),
    ("out", into),
    ("add_", y.add_(x)),
):
    print(label, value, sep="\n")

# % arith-04-additions-random: the same on random numbers
torch.manual_seed(4)
x, y = torch.ones(2, 3), torch.rand(2, 3)
print(y, y.dtype, bool(((y >= 0) & (y < 1)).all()))
into = torch.Tensor(5, 3)
torch.add(x, y, out=into)
total = x + y
print(total.min() >= 1, into.shape, torch.equal(into, total), torch.equal(torch.add(x, y), total))
print(torch.equal(y.add_(x), total), torch.equal(y, total))

# % arith-05-out-of-wrong-shape: out= of another shape is resized, with a warning
x, y = torch.ones(2, 3), torch.arange(6.0).view(2, 3)
for into in (torch.Tensor(5, 3), torch.zeros(2, 3), torch.Tensor()):
    print(tuple(into.shape))
    same = torch.add(x, y, out=into)
    print(same is into, into.tolist())
with caught():
    torch.add(x, y, out=torch.zeros(2, 3, dtype=torch.long))
with caught():
    torch.add(x.requires_grad_(), y, out=torch.zeros(2, 3))

# % arith-06-t-and-t_: t() is another tensor, t_() turns the tensor itself
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
print(x.add(torch.ones(2, 3)), x.t(), x, sep="\n")
x.add_(torch.ones(2, 3))
turned = x.t_()
print(x, turned is x, x.shape, x.stride(), x.is_contiguous())
