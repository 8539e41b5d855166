"""What inspectors say: of tensors of every kind, of graphs, backwards, trainings and errors, on both libraries."""

import math
import os

import torch

os.environ["AUTOGRADLAB_LANG"] = "en"

from autogradlab import inspectors as lab
from autogradlab.inspectors.parts import to_json

#: what says nothing, or again what stands elsewhere on the card
SILENT = ("is", "tone", "anchor", "lang", "help", "code", "file", "slot", "id", "tensor", "kind", "how", "zoom", "find")
DRAWN = ("text", "path", "rect", "ellipse", "formula")


def lines(part):
    """The words of a part of a card, one line for each part that has some."""
    if isinstance(part, list):
        for one in part:
            yield from lines(one)
    elif isinstance(part, dict) and part.get("is") not in DRAWN:
        texts = [v for k, v in part.items() if isinstance(v, str) and k not in SILENT]
        yield "; ".join(texts + [" | ".join(map(str, row)) for row in part.get("rows", ()) if isinstance(row, list)])
        for key, value in part.items():
            yield from () if key == "backwards" else lines(value)  # cards of steps


def told(view):
    """Print each line of a card once."""
    str(view)  # what follows something is made anew when it is looked at
    print(f"[{view.card.kind}]", *filter(None, dict.fromkeys(lines(to_json(view.card)))), sep="\n")


def complain(action):
    try:
        action()
    except Exception as error:
        told(lab.explain(error))


# % cards-show: tensors of many kinds
w = torch.tensor([[1.0, -2.0], [0.0, 4.0]], requires_grad=True)
x = torch.arange(6.0).reshape(2, 3)
b = w * 2
b.retain_grad()
c = b.exp()
c.sum().backward()
array = x.numpy()
turned, row, empty, scalar = x.t(), x[1], torch.zeros(0, 3), torch.tensor(3.0)
odd = torch.tensor([math.nan, math.inf, -1.0])
big = torch.arange(400.0).reshape(20, 20)
wide = x[:, :1].expand(2, 4)
frozen = torch.nn.Linear(2, 1)
for p in frozen.parameters():
    torch.nn.init.constant_(p, 0.5)
frozen.weight.requires_grad_(False)
told(lab.show(w))
told(lab.show(b))
told(lab.show(c))
told(lab.show(x))
told(lab.show(turned))
told(lab.show(row))
told(lab.show(empty))
told(lab.show(scalar, "three"))
told(lab.show(odd))
told(lab.show(big))
told(lab.show(wide))
told(lab.show(w.detach()))
told(lab.show(w.grad))
told(lab.show(array))
told(lab.show(frozen))
told(lab.show(b.grad_fn))
told(lab.show([w, b]))
for thing in (torch.tensor([True, False]), torch.tensor([1 + 2j]), torch.arange(5), x.double(), w.detach()):
    told(lab.show(thing))


# % cards-graph: who made what, what was saved and what became of it
def double(g):
    return g * 2


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.power = 2
        return x * x

    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]


w = torch.tensor([1.0, 2.0], requires_grad=True)
v = torch.tensor([3.0, 4.0], requires_grad=True)
x = torch.tensor([5.0, 6.0])
a = w * x
a.register_hook(double)
a.retain_grad()
w.register_hook(double)
w.register_post_accumulate_grad_hook(print)
a.grad_fn.register_prehook(double)
a.grad_fn.register_hook(double)
pair = torch.stack([a, v, w])
y = (Square.apply(pair)[0] * v / w).sum() + pair.prod()
told(lab.graph(y))
low, high = torch.stack([w, v]).unbind(0)
told(lab.graph([low, high.exp()]))
told(lab.graph(w))
told(lab.graph(x))
told(lab.graph(y, max_nodes=3))
e = w.exp()
f = e * v
e.add_(1)
told(lab.graph(f))
g = (v * v).sum()
g.backward()
told(lab.graph(g))
h = x
for _ in range(4):
    h = (h * w).tanh()
told(lab.graph(h))

# % cards-step: backwards event by event
w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
b = torch.tensor([0.5, -0.5], requires_grad=True)
x = torch.tensor([[1.0, -1.0], [2.0, 0.0]])
t = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
out = torch.relu(x @ w + b)
loss = ((out - t) ** 2).mean()
told(lab.step(loss, predict=True))
told(lab.step(loss, inputs=[b], retain_graph=True))
told(lab.step(out))
told(lab.step(out.sum(), gradient=torch.tensor(2.0), commit=True))
print(w.grad, b.grad)
s = (w[0] * w[1]).sum() + w.max() + torch.cat([b, b * 2]).prod()
s2 = s * s.detach()
told(lab.step(s2, create_graph=True))
told(lab.step([b.sum(), b.prod()]))
z = b.clone()
z.mul_(2)
z[0] = 7.0
told(lab.step(z.sum()))

# % cards-hooks: hooks in the order in which they fire
w = torch.tensor([1.0, 2.0], requires_grad=True)
a = w * 3


def seen(g):
    return None


def scaled(g):
    return g * 10


a.register_hook(seen)
a.register_hook(scaled)
a.grad_fn.register_prehook(lambda grads: None)
a.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] * 0 + 1, None))
w.register_hook(scaled)
w.register_post_accumulate_grad_hook(lambda p: p.grad.zero_() is None or None)
for hooks in (lab.hooks(a), lab.hooks(w, a), lab.hooks(a.grad_fn)):
    told(hooks)
root = a.sum()
fired = lab.hooks(root, w)
root.backward()
told(fired)
saving = torch.autograd.graph.saved_tensors_hooks(lambda t: t * 1, lambda t: t)
with lab.hooks(saving) as packed, saving:
    w.exp().sum().backward()
told(packed)
layer = torch.nn.Linear(2, 1)
layer.register_forward_hook(lambda m, i, o: None)
layer.register_full_backward_hook(lambda m, i, o: None)
told(lab.hooks(layer))

# % cards-receipt: the bill of a number, and another backward beside this one
w = torch.tensor([1.0, 2.0], requires_grad=True)
v = torch.tensor([3.0, -1.0], requires_grad=True)
a = w * v
b = a + w
y = (a * b).sum()
told(lab.receipt(w))
told(lab.receipt(v, y, y, at=1))
for cut in ({"cut": a}, {"cut": [a, b]}, {"frozen": w}, {"zero": b}, {"cut": a, "frozen": v}):
    told(lab.what_if(y, **cut))
deep = w
for _ in range(6):
    deep = deep * w + deep
told(lab.receipt(w, deep.sum()))

# % cards-training: a training with steps at which something is to be noticed
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
for p in model.parameters():
    torch.nn.init.constant_(p, 0.25)
spare = torch.nn.Linear(1, 1)
model.add_module("spare", torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model[:3].parameters(), lr=0.1)
rec = lab.training(model)
x, t = torch.tensor([[1.0, 2.0], [3.0, -1.0]]), torch.tensor([[1.0], [0.0]])
for turn in range(6):
    if turn not in (2, 3):
        optimizer.zero_grad()
    loss = ((model[:3](x) - t) ** 2).mean() * (1e3 if turn == 4 else 1)
    rec.step(loss)
    loss.backward()
    optimizer.step()
told(rec)
print([(e.kind, e.step, *e.names) for e in rec.events])
rec.close()
w = torch.tensor([[1.0, 2.0]], requires_grad=True)
rec = lab.training(w)
for turn in range(3):
    loss = (w * w).sum().sqrt() * (float("nan") if turn == 2 else 1.0)
    rec.step(loss)
    loss.backward()
told(rec)

# % cards-ledger: what came into a gradient, and what else changed it
w = torch.tensor([1.0, 2.0], requires_grad=True)
a = w * 2
b = a + w
with lab.accumulation(w, b.sum()) as ledger:
    (a * w).sum().backward(retain_graph=True)
    b.sum().backward()
    w.grad.zero_()
    w.grad.mul_(3)
    w.grad = None
    (w * 3).sum().backward()
    w.grad = torch.ones(2)
    w.sum().backward()
told(ledger)
u = torch.tensor(1.0, requires_grad=True)
with lab.accumulation(u) as ledger:
    for turn in range(3):
        (u * turn).backward()
told(ledger)

# % cards-memory: windows on memory, and shapes that meet
x = torch.arange(12.0).reshape(3, 4)
told(lab.storage(x, x[1], x[:, ::2], x.t(), x.view(-1)[3:5], x.clone()))
told(lab.storage(x, x.numpy(), x[0].expand(2, 4)))
told(lab.storage(torch.zeros(0), torch.tensor(1.0)))
for one, other in (((3, 1), (4,)), ((2, 3), (3,)), ((2, 1, 3), (4, 1)), ((2,), (3,)), ((), (2, 2)), ((0, 1), (1, 3))):
    told(lab.broadcast(torch.ones(one, requires_grad=True), torch.ones(other)))

# % cards-why: why a gradient is None
w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([1.0, 2.0])
n = torch.tensor([1, 2])
a = w * 2
cut = w.detach() * 2
data = w.data + 1
numbers = torch.tensor(w.tolist())
with torch.no_grad():
    still = w * 3
mean = cut.mean()
fine = (w * x).sum()
unused = torch.tensor(1.0, requires_grad=True)
for thing in (w, x, n, a, cut, data, numbers, still, mean, unused):
    told(lab.why(thing))
fine.backward()
for thing in (w, x, fine, unused):
    told(lab.why(thing))
told(lab.watch(w, x, a, cut))
w = w - 0.1 * w.grad
told(lab.why(w))
frozen = torch.nn.Linear(2, 1)
frozen.weight.requires_grad_(False)
told(lab.why(frozen.weight))
told(lab.why(frozen.bias))

# % cards-explain: what errors mean
w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([1.0, 2.0])
n = torch.tensor([1, 2])
loss = (w * x).sum()
loss.backward()
cut = (w.detach() * 2).sum()
data = (w.data + 1).sum()
item = torch.tensor(w.sum().item())
grown = (w.grad.data * x).sum()
with torch.no_grad():
    still = (w * 3).sum()
    made = torch.ones(2) * 3
total = made.sum()
e = w.exp()
f = (e * e).sum()
e.add_(1)


def step():
    global w
    w -= 1


complain(lambda: loss.backward())
complain(lambda: cut.backward())
complain(lambda: data.backward())
complain(lambda: item.backward())
complain(lambda: grown.backward())
complain(lambda: still.backward())
complain(lambda: total.backward())
complain(lambda: x.sum().backward())
complain(lambda: n.sum().backward())
complain(lambda: f.backward())
complain(lambda: (w * 2).backward())
complain(step)
complain(lambda: w.numpy())
complain(lambda: w[0].__setitem__((), 1.0))
complain(lambda: torch.autograd.grad((w * 2).sum(), x))
complain(lambda: torch.autograd.grad((w * 2).sum(), e))
complain(lambda: torch.tensor([1, 2], requires_grad=True))
complain(lambda: n.requires_grad_())
complain(lambda: torch.ones(2, 3) @ torch.ones(2, 3))
complain(lambda: torch.ones(2, 3) + torch.ones(2))
complain(lambda: torch.optim.SGD([w * 2], lr=0.1))
complain(lambda: 1 / 0)
