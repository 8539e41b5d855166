"""In-place operations, version counters, views, detach and .data."""

import torch

from tests.scenarios.show import attempt, caught

# % inplace-version-counters: what counts as a change, and who counts together
x = torch.ones(3)
print(x._version)
for change in (
    lambda: x.add_(1),
    lambda: x.mul_(2).sub_(1),
    lambda: x.zero_(),
    lambda: x.__setitem__(0, 5.0),
    lambda: x.fill_(2),
    lambda: x.copy_(torch.arange(3.0)),
    lambda: x.clamp_(max=1),
    lambda: x.requires_grad_(False),
    lambda: x.t_(),
):
    change()
    print(x._version, end=" ")
print()
head, flat, cut, raw = x[:2], x.view(3), x.detach(), x.data
print([t._version for t in (head, flat, cut, raw)])
head.add_(1)
print([t._version for t in (x, head, flat, cut, raw)])
cut.add_(1)
print([t._version for t in (x, head, flat, cut, raw)])
raw.add_(1)
print([t._version for t in (x, head, flat, cut, raw)], x)
x += 1
print(x._version, x.clone()._version, (x + 1)._version, x.contiguous()._version)
x.data = torch.zeros(3)
print(x._version, x)
n = torch.ones(2)
n.numpy()[0] = 4
print(n._version, n)
torch.add(n, 1, out=n)
print(n._version)
n.resize_(1)
print(n._version)


# % inplace-saved-tensor-errors: the message for each operation that lost a value
def spoil(name, make, victim):
    leaf = torch.tensor([0.5, 0.25], requires_grad=True)
    base = leaf * 1
    result = make(base)
    (base if victim == "input" else result).add_(1)
    with caught(f"{name} {victim}"):
        result.sum().backward()
        print(leaf.grad, end=" ")


for name, make in {
    "mul": lambda t: t * t,
    "mul scalar": lambda t: t * 3,
    "div": lambda t: 1 / t,
    "pow": lambda t: t**3,
    "exp": torch.exp,
    "log": torch.log,
    "sin": torch.sin,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "sqrt": torch.sqrt,
    "relu": torch.relu,
    "abs": torch.abs,
    "sum": lambda t: t.sum(),
    "dot": lambda t: t.dot(t),
    "softmax": lambda t: t.softmax(0),
    "norm": lambda t: t.norm(),
    "prod": lambda t: t.prod(),
    "max": lambda t: t.max(),
    "clamp": lambda t: t.clamp(0, 1),
    "where": lambda t: torch.where(t > 0, t, 2 * t),
}.items():
    spoil(name, make, "input")
    spoil(name, make, "output")

# % inplace-rebase-history: the graph follows an in-place operation on a result
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
print(y.grad_fn.name(), y._version)
y.mul_(x)
print(y, y._version, y.grad_fn.next_functions[0][0].name())
y += 1
print(y.grad_fn.name(), y.is_leaf)
y.sum().backward()
print(x.grad)
x.grad = None
y = x.clone()
y.sqrt_().neg_()
print(y)
with caught("sqrt_ keeps its result, neg_ changes it"):
    y.sum().backward()
y = x.clone()
y.neg_().sqrt_().abs_()
print(y, y.grad_fn.name())
constant = torch.zeros(3)
print(constant.requires_grad, constant.is_leaf)
constant.add_(x)
print(constant, constant.requires_grad, constant.is_leaf)
constant.zero_()
print(constant, constant.requires_grad)
with caught():
    constant.sum().backward()
    print(end="ran: ")

# % inplace-on-views: a write through a view changes the base's history
x = torch.zeros(2, 3, requires_grad=True)
base = x * 1
row = base[0]
print(base.grad_fn.name(), row.grad_fn.name(), row._base is base, row._is_view(), base._is_view())
row.mul_(10)
print(base.grad_fn.name(), row.grad_fn.name())
column = base[:, 1]
column.add_(torch.tensor([1.0, 2.0], requires_grad=True))
print(base)
print(column)
print(row)
print(base.grad_fn.name(), column.grad_fn.name(), row.grad_fn.name())
base.sum().backward()
print(x.grad)

# % inplace-base-changes-view: a write to the base changes the view's history
x = torch.ones(4, requires_grad=True)
base = x * 2
view = base.view(2, 2)
diagonal = view.diagonal()
base.mul_(3)
print(view.grad_fn.name(), diagonal.grad_fn.name(), view)
diagonal.sum().backward()
print(x.grad)
base = x * 2
part = base[1:3]
base[2] = 7.0
print(part, part.grad_fn.name(), base.grad_fn.name())
x.grad = None
(part * torch.tensor([10.0, 100.0])).sum().backward()
print(x.grad)

# % inplace-setitem: assignment in every form
x = torch.arange(6.0, requires_grad=True)
y = (x * 1).view(2, 3)
y[0, 1] = 100.0
y[1] = torch.tensor([7.0, 8.0, 9.0])
print(y)
y.sum().backward()
print(x.grad)
value = torch.tensor(5.0, requires_grad=True)
z = torch.zeros(3)
z[1] = value * 2
print(z, z.requires_grad)
z.pow(2).sum().backward()
print(value.grad)
m = torch.zeros(2, 3)
m[m == 0] = 1
m[:, [0, 2]] = torch.tensor([[3.0], [4.0]])
m[..., -1] += 10
m[None, 0] *= 2
print(m)
for key, item in (
    (5, 1.0),
    ((0, 3), 1.0),
    (0, torch.ones(2)),
    ((0, 0), torch.ones(2)),
    ("a", 1.0),
    (0, "a"),
    (0, None),
    (1.5, 1.0),
):
    with caught(repr(key), first_line=True):
        m[key] = item

# % inplace-leaf-and-view-errors: what autograd refuses
leaf = torch.ones(2, 2, requires_grad=True)
for action in (
    lambda: leaf.add_(1),
    lambda: leaf[0].zero_(),
    lambda: leaf.view(4).mul_(2),
    lambda: leaf.t().fill_(1),
    lambda: leaf.detach().add_(1),
    lambda: leaf.unbind(0)[0].add_(1),
    lambda: leaf.fill_diagonal_(0),
    lambda: leaf.resize_(4),
    lambda: leaf.squeeze_(),
    lambda: leaf.requires_grad_(False).add_(1),
):
    attempt(action)
y = torch.ones(2, 2, requires_grad=True) * 2
first, second = y.unbind(0)
with caught("unbind"):
    first.mul_(2)
a, b = y.split(1)
with caught("split"):
    a.add_(1)
a, b = y.chunk(2)
with caught("chunk"):
    a.add_(1)
with torch.no_grad():
    made = y[0]
with caught("view made under no_grad"):
    made.mul_(2)
overlapping = torch.zeros(1).expand(3)
with caught("expanded"):
    overlapping.add_(1)
with caught("shape"):
    torch.ones(2).add_(torch.ones(3, 2))
with caught("dtype"):
    torch.tensor([1, 2]).add_(0.5)
with caught("dtype of div"):
    torch.tensor([1, 2]).div_(2)

# % inplace-detach-and-data: two ways out of the graph, one of them noticed
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
for out in (y.detach(), y.data):
    print(out, out.requires_grad, out.grad_fn, out.is_leaf, out.data_ptr() == y.data_ptr(), out._version)
total = y.sum()
y.data.zero_()
total.backward()
print("through .data: wrong and silent", x.grad)
y = x.exp()
total = y.sum()
y.detach().zero_()
with caught("through detach"):
    total.backward()
y = x * 2
print(y.detach_() is y, y.grad_fn, y.requires_grad, y.is_leaf)
with caught("detach_ on a view"):
    (x * 2)[0].detach_()
w = torch.ones(2, requires_grad=True)
w.data -= 0.5
print(w, w._version, w.detach().requires_grad_() is w)
with caught():
    w.detach_().add_(1)
print(w, w.requires_grad)

# % inplace-swap-of-data: .data takes another tensor, .grad must fit
w = torch.zeros(2, 2, requires_grad=True)
w.data = torch.arange(3.0)
print(w, w.shape)
for wrong in (torch.ones(3, dtype=torch.int64), "text", None):
    with caught():
        w.data = wrong
for grad in (torch.ones(2), torch.ones(3, dtype=torch.float64), 1.0, w):
    with caught():
        w.grad = grad
w.grad = torch.ones(3)
(w * 2).sum().backward()
print(w.grad)
del w.grad
print(w.grad)

# % inplace-parts-reshaped: one of several views whose base was changed may be reshaped while nothing is recorded
for change in (
    lambda t: t.t_(),
    lambda t: t.transpose_(0, 0),
    lambda t: t.squeeze_(),
    lambda t: t.unsqueeze_(0),
    lambda t: t.as_strided_((1,), (1,)),
):
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    part, _ = x.unbind(0)
    with torch.no_grad():
        part.mul_(2)
        print(change(part).shape)
    attempt(lambda part=part, change=change: change(part))

# % inplace-before-kernels: sizes and dtypes are looked at before a kernel is found missing
for kind in (torch.float32, torch.int64, torch.bool, torch.float64):
    for name in ("clamp_", "clamp_min_", "clamp_max_"):
        for limit in (torch.tensor(1j), torch.tensor([1j, 2j, 3j]), torch.tensor([1j, 2j]), 1j):
            attempt(lambda: getattr(torch.ones(2).to(kind), name)(limit))
attempt(lambda: torch.clamp(torch.ones(2), torch.tensor(1j), out=torch.empty(0)))
attempt(lambda: torch.clamp_min(torch.ones(2), torch.tensor(1j), out=torch.empty(0)))
x = torch.tensor([[[3, -2, -1]], [[1, -2, 1]]])
attempt(lambda: torch.nn.functional.soft_margin_loss(x, torch.ones(3, 3), reduction="none"))
attempt(lambda: torch.nn.functional.soft_margin_loss(x, torch.ones(1, 3), reduction="none"))
