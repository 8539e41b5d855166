"""autograd.Function within graphs: several outputs, views, modes, higher derivatives."""

import torch
from torch.autograd import Function

from tests.scenarios.show import t

# % function-graphs-multi-outputs: multi outputs
x = torch.ones(2, requires_grad=True)


class Split(Function):
    @staticmethod
    def forward(ctx, a):
        return a[:1].clone(), a[1:].clone()

    @staticmethod
    def backward(ctx, g, h):
        print(g, h)
        return torch.cat([g, h])


a, b = Split.apply(x)
a.register_hook(lambda g: g * 2)
b.register_hook(lambda g: print("b", g))
a.sum().backward()
print(x.grad)
a, b = Split.apply(x)
a.retain_grad()
b.retain_grad()
(a * 2 + b * 3).sum().backward()
print(a.grad, b.grad, x.grad)
a, b = Split.apply(x)
a.grad_fn.register_prehook(lambda gs: print("pre", gs))
a.grad_fn.register_hook(lambda i, o: print("post", i, o))
a.sum().backward()
a, b = Split.apply(x)
t(lambda: torch.autograd.grad(a.sum(), b, allow_unused=True))
t(lambda: torch.autograd.grad((a * b).sum(), (a, b)))
t(lambda: torch.autograd.grad((a * b).sum(), (x, a), create_graph=True))
a, b = Split.apply(x)
torch.autograd.backward([a, b], [torch.ones(1), torch.ones(1)])
print(x.grad)
print(a.grad_fn is b.grad_fn, a.output_nr, b.output_nr, (a * b).grad_fn.next_functions)
a, b = Split.apply(x)
a.add_(1)
t(lambda: (a * b).sum().backward())
a, b = Split.apply(x)
t(lambda: a.grad_fn(torch.ones(1), torch.ones(1)))
m = torch.ones(2, 2, requires_grad=True)
u, s = m.unbind()
t(lambda: u.grad_fn.next_functions)
t(lambda: torch.autograd.grad(u.sum(), s, allow_unused=True))
t(lambda: torch.autograd.grad(u.sum() + s.sum() * 2, (u, s, m)))


# % function-graphs-function-inplace-view-more: function inplace view more
class Mul2(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(w)
        x.mul_(w)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        (w,) = ctx.saved_tensors
        return g * w, g.sum() * 3


base = torch.ones(4, requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
y = base * 1
v = y[:2]
r = Mul2.apply(v, w)
print(r is v, y, v.grad_fn.name(), y.grad_fn.next_functions)
(y * torch.arange(4.0)).sum().backward()
print(base.grad, w.grad)
p = torch.ones(4)
v = p[1:]
Mul2.apply(v, w)
print(p)
p.sum().backward()
print(w.grad)
y = base * 1
v = y[:2]
Mul2.apply(v, w)
(g,) = torch.autograd.grad(y.sum(), base, create_graph=True)
print(g)
q = torch.ones(4)
q2 = Mul2.apply(q, w)
print(q.requires_grad, q.is_leaf, q.grad_fn.name())
with torch.no_grad():
    z = Mul2.apply(torch.ones(2), w)
    print(z.requires_grad)
h = []
y = base * 1
y.register_hook(lambda g: h.append("old"))
y.retain_grad()
Mul2.apply(y, w)
y.register_hook(lambda g: h.append("new"))
y.sum().backward()
print(h)


# % function-graphs-function-with-modules-of-the-mode: function with modules of the mode
class G(Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            y = x * 2
            print(y.requires_grad, torch.is_grad_enabled())
        return y

    @staticmethod
    def backward(ctx, g):
        return g * 100


x = torch.ones(2, requires_grad=True)
r = G.apply(x)
print(r.grad_fn.name())
r.sum().backward()
print(x.grad)
with torch.inference_mode():
    r = G.apply(x)
    print(r.is_inference(), r.requires_grad)
with torch.inference_mode():
    i = torch.ones(2)


class Sv(Function):
    @staticmethod
    def forward(ctx, x, i):
        ctx.save_for_backward(i)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g, None


t(lambda: Sv.apply(x, i))
t(lambda: Sv.apply(torch.ones(2), i))


class NG(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.ones(2)

    @staticmethod
    def backward(ctx, g):
        return None


x.grad = None
r = NG.apply(x)
print(r)
r.sum().backward()
print(x.grad)
t(lambda: torch.autograd.grad(NG.apply(x).sum(), x))
t(lambda: torch.autograd.grad(NG.apply(x).sum(), x, allow_unused=True))
y = x * 2
y.register_hook(lambda g: print("hook", g))
t(lambda: NG.apply(y).sum().backward())
x.register_hook(lambda g: print("leaf", g))
NG.apply(x).sum().backward()


# % function-graphs-double: double
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return Sq.apply(x) * 3 * g


class Sq(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


x = torch.tensor([2.0], requires_grad=True)
(g,) = torch.autograd.grad(Cube.apply(x), x, create_graph=True)
print(g)
(g2,) = torch.autograd.grad(g, x, create_graph=True)
print(g2)
t(lambda: torch.autograd.grad(g2, x))
y = Cube.apply(x)
y.backward(retain_graph=True)
y.backward()
print(x.grad)
t(lambda: y.backward())


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        r = x.exp()
        ctx.save_for_backward(r)
        return r

    @staticmethod
    def backward(ctx, g):
        (r,) = ctx.saved_tensors
        return g * r


y = Exp.apply(x)
(g,) = torch.autograd.grad(y, x, create_graph=True)
(g2,) = torch.autograd.grad(g, x, create_graph=True)
print(y, g, g2)
y = Exp.apply(x)
s = y.grad_fn.saved_tensors[0]
print(s is y, s.grad_fn is y.grad_fn, s._version)
y.backward()
t(lambda: s.grad_fn.saved_tensors)
t(lambda: torch.autograd.gradcheck(Exp.apply, torch.ones(2, dtype=torch.float64, requires_grad=True)))
t(lambda: torch.autograd.gradgradcheck(Exp.apply, torch.ones(2, dtype=torch.float64, requires_grad=True)))
