"""autograd.Function: contexts, outputs of every kind, what is refused."""

import torch
from torch.autograd import Function
from torch.autograd.function import FunctionCtx, InplaceFunction, once_differentiable

from tests.scenarios.show import t


# % function-basic: basic
class MyFn(Function):
    @staticmethod
    def forward(ctx, x, k, y):
        ctx.save_for_backward(x, y)
        ctx.k = k
        print(ctx.needs_input_grad, torch.is_grad_enabled(), type(ctx).__name__, x.requires_grad)
        return x * k + y

    @staticmethod
    def backward(ctx, g):
        _x, _y = ctx.saved_tensors
        print(torch.is_grad_enabled(), g, ctx.needs_input_grad)
        return g * ctx.k, None, g


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor([3.0, 4.0])
z = MyFn.apply(x, 3, y)
print(z)
t(lambda: z.grad_fn)
print(
    z.grad_fn.name(), z.grad_fn.k, z.grad_fn.saved_tensors, len(z.grad_fn.next_functions), z.grad_fn.next_functions[1]
)
print(type(z.grad_fn), isinstance(z.grad_fn, torch.autograd.graph.Node))
print(z.grad_fn.needs_input_grad, z.grad_fn.dirty_tensors if hasattr(z.grad_fn, "dirty_tensors") else "nd")
z.sum().backward()
print(x.grad)
t(lambda: z.grad_fn.saved_tensors)
t(lambda: z.sum().backward())
t(lambda: z.grad_fn.k)
z.grad_fn.foo = 4
print(z.grad_fn.foo)
t(lambda: z.grad_fn.nope)
with torch.no_grad():
    w = MyFn.apply(x, 3, y)
    print(w, w.grad_fn)
w = MyFn.apply(y, 3, y)
print(w)


# % function-setup-context: setup_context
class MyFn(Function):
    @staticmethod
    def forward(x, k=2):
        print(torch.is_grad_enabled())
        return x * k, x + 1

    @staticmethod
    def setup_context(ctx, inputs, output):
        print(inputs, output, torch.is_grad_enabled())
        ctx.k = inputs[1]
        ctx.save_for_backward(inputs[0], output[0])

    @staticmethod
    def backward(ctx, g, h):
        print(ctx.saved_tensors)
        return g * ctx.k + h, None


x = torch.ones(2, requires_grad=True)
a, b = MyFn.apply(x, 3)
print(a, b)
(a * b).sum().backward()
print(x.grad)
t(lambda: MyFn.apply(x))
t(lambda: MyFn.apply(x, k=3))


class M2(Function):
    @staticmethod
    def forward(x):
        return x

    @staticmethod
    def setup_context(ctx, inputs, output):
        print(output is inputs[0])
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        print(ctx.saved_tensors)
        return g * 2


t(lambda: M2.apply(x))

# % function-once-differentiable: once differentiable


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


x = torch.ones(2, requires_grad=True)
(g,) = torch.autograd.grad(OD.apply(x).sum(), x, create_graph=True)
print(g)
t(lambda: g.grad_fn)
t(lambda: g.sum().backward())
(g,) = torch.autograd.grad(OD.apply(x).sum(), x)
print(g)
print(OD.backward.__name__)


class DD(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        print(torch.is_grad_enabled())
        return 3 * x**2 * g


(g,) = torch.autograd.grad(DD.apply(x).sum(), x, create_graph=True)
print(g)
print(torch.autograd.grad(g.sum(), x, create_graph=True))

# % function-ctx-misc: ctx misc

c = FunctionCtx()
c.save_for_backward(torch.ones(1))
print(c.to_save)
c.mark_dirty(1)
print(c.dirty_tensors)
c.mark_non_differentiable(2)
print(c.non_differentiable)
c.set_materialize_grads(False)
print(c.materialize_grads)
c.save_for_forward(torch.ones(1))
print(c.saved_for_forward)


class X(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        ctx.dtype = x.dtype
        ctx.saved = 3
        ctx.hooks = 4
        print(ctx.shape, ctx.saved, ctx.hooks)
        ctx.save_for_backward(x)
        print(ctx.saved_tensors, ctx.to_save, ctx.name(), ctx.next_functions, ctx.metadata)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print(ctx.shape, ctx.dtype, ctx.saved, ctx.hooks, ctx.name(), len(ctx.next_functions))
        return g


x = torch.ones(2, requires_grad=True)
X.apply(x).sum().backward()

f = None
t(lambda: InplaceFunction().inplace)


class Attr(Function):
    gen = True

    @staticmethod
    def forward(ctx, x):
        t(lambda: ctx.saved_variables)
        t(lambda: ctx._raw_saved_tensors)
        t(lambda: ctx.saved_tensors)
        t(lambda: ctx.non_differentiable)
        t(lambda: ctx.dirty_tensors)
        t(lambda: ctx.to_save)
        t(lambda: ctx.nothing)
        t(lambda: ctx.gen)
        ctx.needs_input_grad = (1,)
        print(ctx.needs_input_grad)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print(g is None)
        return g


y = Attr.apply(x)
y.sum().backward()
h = y.grad_fn.register_hook(lambda a, b: print("hook", a, b))
y2 = Attr.apply(x)
y2.grad_fn.register_hook(lambda a, b: print("hook", a, b))
y2.grad_fn.register_prehook(lambda a: print("pre", a))
y2.sum().backward()


# % function-gradients-given: gradients in a list, and None for outputs without one
class Boxed(Function):
    boxed_grads_call = True

    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, grads):
        print(grads)
        return grads[0] * 2 + grads[1] * 3


x = torch.ones(2, requires_grad=True)
a, b = Boxed.apply(x)
b.sum().backward()
print(x.grad)
print(Boxed.apply(x)[0].grad_fn.apply(torch.ones(2), torch.zeros(2)))
for fill in (True, False):

    class Unfilled(Function):
        @staticmethod
        def forward(ctx, x):
            fixed = x.clone()
            ctx.mark_non_differentiable(fixed)
            ctx._materialize_non_diff_grads = fill
            return x * 2, fixed, x * 3

        @staticmethod
        def backward(ctx, *grads):
            print(grads)
            return grads[0]

    Unfilled.apply(x)[0].sum().backward()
