"""autograd.Function: outputs that are inputs, views, changed in place or without gradient."""

import torch
from torch.autograd import Function

from tests.scenarios.show import t


# % function-none-grads-materialize: none grads, materialize
class MyFn(Function):
    @staticmethod
    def forward(ctx, x, m):
        ctx.set_materialize_grads(m)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, a, b):
        print(a, b)
        return a, None


x = torch.ones(2, requires_grad=True)
a, b = MyFn.apply(x, False)
a.sum().backward()
a, b = MyFn.apply(x, True)
a.sum().backward()
a, b = MyFn.apply(x, True)
t(lambda: b.sum().backward())
print(x.grad)
t(lambda: torch.autograd.grad(b.sum(), x))
a, b = MyFn.apply(x, False)
t(lambda: torch.autograd.grad(b.sum(), x))
t(lambda: torch.autograd.grad(MyFn.apply(x, False)[1].sum(), x, allow_unused=True))


# % function-outputs-that-are-inputs-views: outputs that are inputs/views
class V(Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1)

    @staticmethod
    def backward(ctx, g):
        return g.view(2, 2) * 10


x = torch.ones(2, 2, requires_grad=True)
v = V.apply(x)
print(v, v._is_view(), v._base is x)
t(lambda: v.add_(1))
v.sum().backward()
print(x.grad)
y = x * 1
v = V.apply(y)
t(lambda: v.add_(1))
t(lambda: v.detach_())
y.add_(1)
t(lambda: v.grad_fn)
t(lambda: v.sum().backward())
print(x.grad)


class W(Function):
    @staticmethod
    def forward(ctx, x):
        return (x * 2).view(-1)

    @staticmethod
    def backward(ctx, g):
        return g.view(2, 2) * 10


v = W.apply(x)
print(v._is_view())
t(lambda: v.add_(1))


class Item(Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 10


v = Item.apply(x)
print(v, v is x, v._is_view())
t(lambda: v.mul_(2))
v.sum().backward()
print(x.grad)
v = Item.apply(y)
t(lambda: v.mul_(2))
with torch.no_grad():
    v = Item.apply(x)
    print(v, v is x, v._is_view(), v.requires_grad)
y2 = torch.ones(2)
v = Item.apply(y2)
print(v is y2, v._is_view(), v.requires_grad)


class I2(Function):
    @staticmethod
    def forward(ctx, x):
        return x, x.view(-1)

    @staticmethod
    def backward(ctx, g, h):
        return g * 10


a, b = I2.apply(x)
t(lambda: a.mul_(2))
t(lambda: b.mul_(2))


class I3(Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        return y, y

    @staticmethod
    def backward(ctx, g, h):
        print(g, h)
        return g * 10


a, b = I3.apply(x)
print(a is b, a.output_nr, b.output_nr)
(a + b).sum().backward()


# % function-non-differentiable: non differentiable
class ND(Function):
    @staticmethod
    def forward(ctx, x):
        a = x * 2
        b = x > 0
        c = x * 3
        ctx.mark_non_differentiable(c)
        return a, b, c, x.to(torch.int64)

    @staticmethod
    def backward(ctx, *g):
        print(g)
        return g[0]


x = torch.ones(2, requires_grad=True)
r = ND.apply(x)
print(r)
r[0].sum().backward()


class ND2(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_non_differentiable(x)
        return x

    @staticmethod
    def backward(ctx, *g):
        print(g)
        return g[0]


v = ND2.apply(x)
print(v, v is x, x.requires_grad, v._is_view())


class ND3(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.view(-1)
        ctx.mark_non_differentiable(y)
        return y

    @staticmethod
    def backward(ctx, *g):
        print(g)
        return g[0]


v = ND3.apply(x)
print(v, v.requires_grad)
t(lambda: v.grad_fn)
t(lambda: v.add_(1))


# % function-dirty: dirty
class Add(Function):
    @staticmethod
    def forward(ctx, x, k):
        x.add_(k)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2, None


x = torch.ones(2, 2, requires_grad=True)
y = x * 2
v = y._version
z = Add.apply(y, 1)
print(z is y, y._version - v, y)
y.sum().backward()
print(x.grad)
t(lambda: Add.apply(x, 1))
y = x * 2
w = y[0]
z = Add.apply(w, 1)
print(z is w, y, w)
y.sum().backward()
print(x.grad)
u = x.view(-1)
t(lambda: Add.apply(u, 1))
p = torch.zeros(2)
q = Add.apply(p, 1)
print(q is p, p, p._version)


class AddD(Function):
    @staticmethod
    def forward(ctx, x, k):
        x.data.add_(k)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2, None


y = x * 2
v = y._version
z = AddD.apply(y, 1)
print(y._version - v)


class Two(Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x, x * 2

    @staticmethod
    def backward(ctx, g, h):
        print(g, h)
        return g + 2 * h


y = x * 2
a, b = Two.apply(y)
print(a is y, a.output_nr, b)
(a * b).sum().backward()
print(x.grad)
y = x * 2
t(lambda: Two.apply(y[0]))


class Swap(Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x * 2, x

    @staticmethod
    def backward(ctx, g, h):
        print(g, h)
        return g + 2 * h


y = x * 2
a, b = Swap.apply(y)
print(b is y, b.output_nr, b.grad_fn.name())
b.sum().backward()


class No(Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g


t(lambda: No.apply(x * 2))


class NI(Function):
    @staticmethod
    def forward(ctx, x):
        y = x + 1
        ctx.mark_dirty(y)
        return y

    @staticmethod
    def backward(ctx, g):
        return g


t(lambda: NI.apply(x * 2))


# % function-dirty-view-wide: of a view that is changed, a gradient that is summed and cast afterwards
class Wide(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2, (g * 3).double().expand(4, *g.shape)


x, w = torch.ones(3, 2, requires_grad=True), torch.ones(2, requires_grad=True)
y = x * 1
Wide.apply(y[1], w)
y.sum().backward()
print(x.grad, w.grad, x.grad._version, w.grad._version)
