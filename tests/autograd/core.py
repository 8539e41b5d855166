"""Retained gradients, hook order, accumulation, detach, in-place operations, roots."""

import copy
import threading

import torch

from tests.scenarios.show import t

# % core-retain-grad: retain grad
x = torch.ones(2, requires_grad=True)
h = x * 3
h.retain_grad()
h.retain_grad()
o = (h * 2).sum()
o.backward(retain_graph=True)
print(h.grad)
o.backward()
print(h.grad)
h = x * 3
h.retain_grad()
h.register_hook(lambda g: g * 10)
(h * 2).sum().backward()
print(h.grad)
h = x * 3
h.register_hook(lambda g: g * 10)
h.retain_grad()
(h * 2).sum().backward()
print(h.grad)
h = x * 3
h.retain_grad()
h.mul_(2)
(h * 2).sum().backward()
print(h.grad)
h = x * 3
h.retain_grad()
v = h[0]
v.mul_(2)
(h * 2).sum().backward()
print(h.grad)
h = x * 3
v = h[0]
v.retain_grad()
v.mul_(2)
(h * 2).sum().backward()
print(v.grad, v.retains_grad)
h = x * 3
h.retain_grad()
(g,) = torch.autograd.grad((h * 2).sum(), x)
print(h.grad)
h = x * 3
h.retain_grad()
(h * h).sum().backward(create_graph=True)
print(h.grad)
print(x.retains_grad, x.is_leaf)
x.retain_grad()
print(x.retains_grad)
h = x * 1
h.retain_grad()
del x
h.sum().backward()
print(h.grad)

# % core-hook-order: hook order
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y * 3
log = lambda n: lambda *a: print(n, *[tuple(i) if isinstance(i, tuple) else i for i in a])
y.register_hook(log("y1"))
y.register_hook(log("y2"))
y.grad_fn.register_prehook(log("pre"))
y.grad_fn.register_hook(log("post"))
y.retain_grad()
y.register_hook(log("y3"))
x.register_hook(log("x"))
a = y.grad_fn.next_functions[0][0]
a.register_prehook(log("apre"))
a.register_hook(log("apost"))
x.register_post_accumulate_grad_hook(lambda p: print("pa", p.grad))
z.sum().backward()
print("grad")
y = x * 2
torch.autograd.grad(y.sum(), x)
y = x * 2
torch.autograd.backward(y.sum(), inputs=[x])
h = x.register_hook(lambda g: g * 2)
h2 = x.register_hook(lambda g: print("second", g))
(x * 1).sum().backward()
h.remove()
h2.remove()
h.remove()
y = x * 2
hh = y.register_hook(log("never"))
hh.remove()
y.sum().backward()
with (x * 2).register_hook(log("ctx")) as h3:
    print(type(h3))
y = x * 2
y.register_hook(log("old"))
y.add_(1)
y.register_hook(log("new"))
y.sum().backward()
y = x * 2
v = y.view(-1)
v.register_hook(log("v"))
y.register_hook(log("ybefore"))
v.add_(1)
y.sum().backward()
v.sum

# % core-accumulate: accumulate
x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
g = x.grad
(x * 2).sum().backward()
print(g is x.grad, g)
x.grad = None
(x * 2).sum().backward(create_graph=True)
g = x.grad
(x * 2).sum().backward(create_graph=True)
print(g is x.grad, x.grad)
x.grad = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
print(x.grad)
m = torch.ones(2, 3).t().requires_grad_()
(m * 2).sum().backward()
print(m.grad.stride(), m.stride())
m = torch.ones(2, 3, requires_grad=True)
(m.t() * torch.ones(3, 2)).sum().backward()
print(m.grad.stride())
v = torch.ones(2)
x.grad = None
x.backward(v)
print(x.grad is v)
v.add_(1)
print(x.grad)
x.grad = None
y = x.expand(3, 2)
y.sum().backward()
print(x.grad, x.grad.stride())
x.grad = None
x.sum().backward()
print(x.grad.stride(), x.grad.is_contiguous())
x.grad.add_(1)
print(x.grad)
h = torch.ones(2, dtype=torch.float64, requires_grad=True)
(h.to(torch.float32) * 2).sum().backward()
print(h.grad)
t(lambda: setattr(x, "grad", torch.ones(3)))
t(lambda: setattr(x, "grad", torch.ones(2, dtype=torch.float64)))
t(lambda: setattr(x, "grad", 3))
t(lambda: setattr(x, "grad", x))
x.grad = None
y = x + x
y.sum().backward()
print(x.grad)
x.grad = None
(x * x.detach()).sum().backward()
print(x.grad)

# % core-detach-data: detach data
x = torch.ones(2, requires_grad=True)
y = x * 2
d = y.detach()
print(d.requires_grad, d.is_leaf, d._is_view(), d._base is None)
d.add_(1)
print(y._version, y)
z = y * y
d.add_(1)
t(lambda: z.sum().backward())
z = y * y
y.data.add_(1)
t(lambda: z.sum().backward())
print(x.grad)
y = x * 2
r = y.detach_()
print(r is y, y.requires_grad, y.grad_fn, y.is_leaf)
v = (x * 2).view(-1)
t(lambda: v.detach_())
t(lambda: x.detach_().requires_grad)
x = torch.ones(2, requires_grad=True)
v = x.view(-1)
w = v.detach()
w.add_(1)
print(x, x._version, v._version)
x.data = torch.zeros(3)
print(x, x.shape)
t(lambda: setattr(x, "data", 3))
t(lambda: setattr(x, "data", torch.ones(2, dtype=torch.int64)))
t(lambda: setattr(x, "requires_grad", 1))
t(lambda: setattr(y, "grad_fn", 1))
t(lambda: setattr(x, "is_leaf", 1))
y = x * 2
t(lambda: setattr(y, "requires_grad", False))
t(lambda: y.requires_grad_(False))
t(lambda: y.requires_grad_())
t(lambda: torch.tensor([1], requires_grad=True))


def de():
    del x.grad


t(de)


def dd():
    del x.data


t(dd)

# % core-inplace: inplace
x = torch.ones(2, 2, requires_grad=True)
t(lambda: x.add_(1))
t(lambda: x[0].add_(1))
t(lambda: x.view(-1).add_(1))
t(lambda: x.__setitem__(0, 1))
t(lambda: x.detach().add_(0))
t(lambda: x.data.add_(0))
with torch.no_grad():
    x.add_(1)
    x[0] = 5
print(x, x._version, x.is_leaf)
a = torch.zeros(2, 2)
a[0] = x[0] * 2
print(a, a.requires_grad, a.is_leaf)
a.sum().backward()
print(x.grad)
a = torch.zeros(2, 2)
a.add_(x)
t(lambda: a.grad_fn.next_functions)
a.mul_(2)
a.sum().backward()
print(x.grad)
y = x * 2
z = y.sigmoid()
z.add_(1)
t(lambda: z.sum().backward())
y = x * 2
a, b = y[0], y[1].clone()
a.mul_(b)
x.grad = None
y.sum().backward()
print(x.grad)
print(y.grad_fn.name(), a.grad_fn.name(), b.grad_fn.name())
y = x * 2
v = y.view(-1)
w = v[1:3]
w.mul_(3)
t(lambda: v)
t(lambda: y)
x.grad = None
v.sum().backward()
print(x.grad)
y = x * 2
y.t().mul_(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
x.grad = None
y.sum().backward()
print(x.grad)
y = x * 1
y[y > 3] = 0
x.grad = None
y.sum().backward()
print(x.grad)
y = x * 1
y[:, 0] = x[:, 1]
x.grad = None
y.sum().backward()
print(x.grad)
y = x * 1
y.zero_()
x.grad = None
t(lambda: y.sum().backward())
print(x.grad)
y = x * 1
y.fill_(x[0, 0])
x.grad = None
y.sum().backward()
print(x.grad)
y = x * 1
y.copy_(x * 3)
x.grad = None
y.sum().backward()
print(x.grad)
e = torch.ones(1, requires_grad=True).expand(3)
t(lambda: e.add_(1))
f = (torch.ones(1, requires_grad=True) * 1).expand(3)
t(lambda: f.add_(1))
y = x * 1
y.unsqueeze_(0)
print(y.shape, y.grad_fn.name())
y.squeeze_(0)
y.t_()
y.sum().backward()
y = x * 2
y += 1
y -= 1
y *= 2
y /= 2
y **= 2
x.grad = None
y.sum().backward()
print(x.grad)
p = torch.ones(2, 2)
v = p.view(-1)
v.requires_grad_()
t(lambda: v.is_leaf)
t(lambda: p.add_(1))
t(lambda: v.grad_fn)
t(lambda: (v * 2).sum().backward())
print(v.grad)
p = torch.ones(2, 2)
v = p[0]
p.requires_grad_()
t(lambda: v.requires_grad)
t(lambda: v.grad_fn)
(v * 2).sum().backward() if v.requires_grad and v.grad_fn else print("no")

# % core-misc: misc
x = torch.tensor(2.0, requires_grad=True)
y = x**3
(g,) = torch.autograd.grad(y, x, create_graph=True)
(g2,) = torch.autograd.grad(g, x, create_graph=True)
(g3,) = torch.autograd.grad(g2, x, create_graph=True)
print(g, g2, g3)
t(lambda: torch.autograd.grad(g3, x, create_graph=True))
t(lambda: y.grad_fn(torch.tensor(1.0)))
t(lambda: y.grad_fn._saved_exponent)
t(lambda: y.grad_fn._saved_self)
t(lambda: (x * 2).grad_fn.foo)
t(lambda: (x * 2).grad_fn.metadata)
n = (x * 2).grad_fn
t(lambda: n.next_functions[0][0].variable is x)
t(lambda: n.next_functions[0][0].next_functions)
t(lambda: n.next_functions[1])
n.metadata["k"] = 1
print(n.metadata)
t(lambda: n.name())
t(lambda: type(n))
t(lambda: type(n.next_functions[0][0]))
t(lambda: n.requires_grad)
a = (x * 2).grad_fn.next_functions[0][0]
b = (x * 3).grad_fn.next_functions[0][0]
print(a is b)
t(lambda: n(torch.tensor(5.0)))
t(lambda: bool(torch.ones(2)))
t(lambda: float(x))
t(lambda: int(x))
t(lambda: x.item())
t(lambda: x.numpy())
t(lambda: (x * 2).numpy())
t(lambda: x.detach().numpy())
t(lambda: x.tolist())
c = copy.deepcopy(x)
print(c, c.requires_grad, c is x)
t(lambda: copy.deepcopy(x * 2))
o = x * 2
for _i in range(3):
    o = o * o.detach()
o.backward()
print(x.grad)


def f(v):
    return (v * 2).sum() if v.sum() > 0 else (v * 3).sum()


x = torch.ones(2, requires_grad=True)
f(x).backward()
f(-x).backward()
print(x.grad)
# multi root, shared
y = x * 2
torch.autograd.backward([y.sum(), (y * y).sum()])
print(x.grad)
y = x * 2
torch.autograd.backward([y, y], [torch.ones(2), torch.ones(2)])
print(x.grad)
z = x.clone()
torch.autograd.backward([z, x], [torch.ones(2), torch.ones(2)])
print(x.grad)
q = torch.ones(3, requires_grad=True)
a, b, c = q.unbind()
(a * 2).backward()
print(q.grad)
q.grad = None
s1, s2 = q.split([1, 2])
s2.sum().backward()
print(q.grad)
res = []


def work():
    res.append(torch.is_grad_enabled())
    (q * 2).sum().backward()


with torch.no_grad():
    th = threading.Thread(target=work)
    th.start()
    th.join()
print(res, q.grad)

# % core-writes: how often a gradient was written counts as versions, what is added to it once each
i = torch.tensor([0, 2, 1])
for program in (
    lambda t: t[i].sum(),
    lambda t: (t * 2.0 + t[i]).sum(),
    lambda t: (t[i] + t * 2.0).sum(),
    lambda t: (t[i] + t[i]).sum(),
    lambda t: (t[i] + t * 2.0 + t * 3.0).sum(),
    lambda t: (t * 2.0 + t * 3.0 + t[i]).sum(),
    lambda t: sum([t * float(k) for k in range(5)]).sum(),
):
    w = torch.ones(3, requires_grad=True)
    program(w).backward()
    x = torch.ones(3, requires_grad=True)
    h = x * 1.0
    seen = []
    h.register_hook(lambda g: seen.append(g._version))
    program(h).backward()
    print(w.grad, w.grad._version, x.grad, seen)

# % core-numbers: numbers in two operations, one of which is changed by hand
a, b = torch.ones(2, requires_grad=True) * 3.0, torch.ones(2, requires_grad=True) * 3.0
held = a.grad_fn._saved_other
print(held is a.grad_fn._saved_other, float(held))
held.mul_(2)
print(float(b.grad_fn._saved_other), torch.ones(1) * 3.0, torch.ones(1).mul_(3.0))
try:
    a.sum().backward()
except RuntimeError as error:
    print(str(error)[:94])
b.sum().backward()
print(torch.ones(2) * 0.0, torch.ones(2) * -0.0, torch.ones(2).mul(-0.0), torch.ones(2, dtype=torch.float64) * 3)
