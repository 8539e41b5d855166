"""Function and graph over time: freeing, reentrance, interrupts, aliases of gradients."""

import gc
import weakref

import torch
from torch.autograd import Function

from tests.scenarios.show import t


# % life-leak: leak
class Sq(Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x, y)
        ctx.big = torch.ones(2)
        return y

    @staticmethod
    def backward(ctx, g):
        x, _y = ctx.saved_tensors
        return 2 * x * g


gc.collect()
gc.disable()
x = torch.ones(2, requires_grad=True)


class Big:
    pass


y = Sq.apply(x)
b = Big()
y.grad_fn.big2 = b
r = weakref.ref(b)
del b
z = (y * 2).sum()
del y
print(r() is None)
del z
print(r() is None)
y = Sq.apply(x)
b = Big()
y.grad_fn.big2 = b
r = weakref.ref(b)
del b
y.sum().backward()
del y
print(r() is None)
gc.enable()


# % life-reentrant: reentrant
class Deep(Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.x = x.detach().requires_grad_()
            ctx.x2 = ctx.x - 1
        return ctx.x2.detach()

    @staticmethod
    def backward(ctx, g):
        if ctx.x.item() < 0:
            return g
        with torch.enable_grad():
            Deep.apply(ctx.x2).sum().backward()
        return ctx.x.grad


v = torch.tensor(500.0, requires_grad=True)
Deep.apply(v).sum().backward()
print(v.grad)
x = torch.ones(2, requires_grad=True)


class Re(Function):
    @staticmethod
    def forward(ctx, a):
        with torch.enable_grad():
            ctx.a = a.detach().requires_grad_()
            ctx.b = ctx.a * ctx.a
        return ctx.b.detach()

    @staticmethod
    def backward(ctx, g):
        print(torch.is_grad_enabled())
        with torch.enable_grad():
            ctx.b.backward(g)
        print(torch.is_grad_enabled())
        return ctx.a.grad


Re.apply(x * 2).sum().backward()
print(x.grad)


class Err(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, g):
        w = torch.ones(1, requires_grad=True) * 2
        w.register_hook(lambda g: 1 / 0)
        with torch.enable_grad():
            (w * 3).sum().backward()
        return g


t(lambda: Err.apply(x).sum().backward())
print(torch.is_grad_enabled())
(x * 1).sum().backward()
print(x.grad)

# % life-interrupt: interrupt
x = torch.ones(2, requires_grad=True)


class Int(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, g):
        raise KeyboardInterrupt


y = Int.apply(x)
t(lambda: y.sum().backward())
print(torch.is_grad_enabled(), torch.is_inference_mode_enabled(), x.grad)
(x * 2).sum().backward()
print(x.grad)


class IntF(Function):
    @staticmethod
    def forward(ctx, a):
        raise KeyboardInterrupt


t(lambda: IntF.apply(x))
print(torch.is_grad_enabled())
with torch.no_grad():
    t(lambda: IntF.apply(x))
    print(torch.is_grad_enabled())


# % life-accumulate-aliasing: accumulate aliasing
class Ret(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        ctx.g = g
        return b, a


a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
Ret.apply(a, b).sum().backward()
print(a.grad, b.grad)
a.grad.add_(1)
print(b, a.grad)


class Same(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a + b

    @staticmethod
    def backward(ctx, g):
        return g, g


a.grad = b.grad = None
Same.apply(a, b).sum().backward()
a.grad.add_(1)
print(a.grad, b.grad)


class Mut(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, g):
        return g.mul_(2)


a.grad = None
v = torch.ones(2)
Mut.apply(a).backward(v)
print(a.grad, v)


class Bcast(Function):
    @staticmethod
    def forward(ctx, a):
        return a.expand(3, 2).clone()

    @staticmethod
    def backward(ctx, g):
        return g


a.grad = None
Bcast.apply(a).sum().backward()
print(a.grad)


class View(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, g):
        return g.expand(2)


s = torch.tensor([1.0, 1.0], requires_grad=True)
View.apply(s).sum().backward()
print(s.grad, s.grad.stride())
t(lambda: torch.autograd.grad(Ret.apply(a, b).sum(), (a, b), create_graph=True))
# modified saved
y = a * 1
z = Ret.apply(y, b)
y.add_(1)
t(lambda: z.sum().backward())
# hooks with index
with torch.autograd.graph.saved_tensors_hooks(lambda v: v, lambda v: v):
    q = a * 1
    r = q[torch.tensor([0, 1])]
    c = torch.stack([q, q])
    p = torch.cat([q, q])
    s = (q * 2).sum(0)
    m = 0
t(lambda: (r.sum() + c.sum() + p.sum() + m).backward())


# pickling ctx attr None grads etc
class Opt(Function):
    @staticmethod
    def forward(ctx, a, b=None):
        ctx.b = b
        return a * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2, None


t(lambda: Opt.apply(a))
t(lambda: Opt.apply(a, None))
t(lambda: Opt.apply(a, None).sum().backward())
t(lambda: Opt.apply(a).sum().backward())
t(lambda: Opt.apply(a, b=None))
t(lambda: Opt.apply(a, c=1))


class Lst(Function):
    @staticmethod
    def forward(ctx, xs):
        return xs[0] * 2

    @staticmethod
    def backward(ctx, g):
        return g


t(lambda: Lst.apply([a]))


class Cplx(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2j

    @staticmethod
    def backward(ctx, g):
        return g * 1j


a.grad = None
z = Cplx.apply(a)
print(z)
t(lambda: z.backward(torch.ones(2, dtype=torch.complex64)))
print(a.grad)
t(lambda: [n.name() for n, _ in Cplx.apply(a).grad_fn.next_functions])
i = torch.ones(2, dtype=torch.int64)


class IntIn(Function):
    @staticmethod
    def forward(ctx, a, i):
        print(ctx.needs_input_grad)
        return a * i

    @staticmethod
    def backward(
        ctx,
        g,
    ):
        return g, torch.ones(2)


t(lambda: IntIn.apply(a, i).sum().backward())

# % life-no-grad: a recorded pass with hooks in no_grad, which ends with the modes it began with
w = torch.ones(2, requires_grad=True)
a = w.exp()
for watch in (
    lambda hook: w.register_hook(hook),
    lambda hook: a.register_hook(hook),
    lambda hook: a.grad_fn.register_prehook(lambda grads: hook(grads[0])),
    lambda hook: a.grad_fn.register_hook(lambda grads, given: hook(grads[0])),
):
    for act in (lambda g: None, lambda g: 1 / 0):
        handle = watch(act)
        with torch.no_grad():
            t(lambda: torch.autograd.grad(a, w, torch.ones(2), create_graph=True)[0].requires_grad)
            print((w * 2).requires_grad, torch.is_grad_enabled())
        print((w * 2).requires_grad, torch.is_grad_enabled())
        handle.remove()
