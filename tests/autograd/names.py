"""Names in messages; what may be differentiated once only."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from tests.scenarios.show import t

# % names-names: names
x = torch.ones(2, requires_grad=True)
y = x.exp()
y.add_(1)
t(lambda: y.sum().backward())


class MyFn(Function):
    @staticmethod
    def forward(ctx, a):
        r = a * 2
        ctx.save_for_backward(r)
        return r

    @staticmethod
    def backward(ctx, g):
        (_r,) = ctx.saved_tensors
        return g


y = MyFn.apply(x)
y.add_(1)
t(lambda: y.sum().backward())
u = x * 2
w = u * u
u[0] = 3
t(lambda: w.sum().backward())
u = x * 2
v = u[0]
w = v * v
u[0] = 3
t(lambda: w.sum().backward())
z = torch.ones(2)
w = x * z
z.add_(1)
t(lambda: w.sum().backward())


class My_Backward_2(MyFn):
    pass


y = My_Backward_2.apply(x)
y.add_(1)
t(lambda: y.sum().backward())
print(y.grad_fn.name())
t(lambda: MyFn.apply(x).grad_fn.saved_tensors)
t(lambda: MyFn.apply(x).grad_fn.saved_tensors[0].grad_fn)
y = MyFn.apply(x)
print(y.grad_fn.saved_tensors[0].grad_fn is y.grad_fn)


class OD(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


y = OD.apply(x)
v = torch.ones(2, requires_grad=True)
(g,) = torch.autograd.grad(y, x, v, create_graph=True)
print(g)
t(lambda: g.grad_fn)
t(lambda: g.grad_fn.next_functions)
t(lambda: g.sum().backward())


class OD2(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y, x + y

    @staticmethod
    @once_differentiable
    def backward(ctx, g, h):
        return g, None


y = OD2.apply(x, x)
(g,) = torch.autograd.grad(y[0], x, v, create_graph=True)
print(g)
t(lambda: g.grad_fn.next_functions)
t(lambda: g.sum().backward())


# % names-saved-of-layers: what Nodes of layers say they saved
def saved(out):
    node = out.grad_fn
    names = [n for n in sorted(dir(node)) if n.startswith("_saved_")]
    print(node.name(), {n: v for n in names if not isinstance(v := getattr(node, n), torch.Tensor)})


a = torch.ones(1, 1, 3, 3, requires_grad=True)
saved(F.conv2d(a, torch.ones(1, 1, 3, 3), torch.ones(1, requires_grad=True)))
saved(F.conv2d(a, a))
saved(F.unfold(a, 3))
saved(torch.addbmm(a[0, 0], a[0], a[0]))
saved(F.embedding(torch.tensor([0]), a[0, 0]))
saved(F.layer_norm(a, (3,)))
saved(torch.linalg.vector_norm(a))
saved(F.pdist(a[0, 0], 1))
saved(F.interpolate(a[0], 4, mode="linear"))
saved(F.interpolate(a[0], scale_factor=2, mode="linear"))
saved(F.interpolate(a, scale_factor=(2.0, 3.0), mode="bilinear"))
saved(F.interpolate(a[None], 2, mode="nearest"))
