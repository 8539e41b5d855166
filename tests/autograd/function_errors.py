"""autograd.Function: what apply and backward refuse."""

import torch
from torch.autograd import Function

from tests.scenarios.show import t


# % function-apply-errors: apply errors
class A(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g, g


x = torch.ones(2, requires_grad=True)
t(lambda: A.apply(x=x))
t(lambda: A.apply())
t(lambda: A.apply(x, x))
t(lambda: A(x))
t(lambda: A())
t(lambda: A()(x))
t(lambda: A.apply(x).sum().backward())
t(lambda: A.forward)
t(lambda: A._backward_cls)
t(lambda: Function.apply(x))


class B(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


t(lambda: B.apply(x).sum().backward())


class C(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return 3


t(lambda: C.apply(x).sum().backward())


class D(Function):
    @staticmethod
    def forward(ctx, x, k):
        return x * k

    @staticmethod
    def backward(ctx, g):
        return g


t(lambda: D.apply(x, 2).sum().backward())


class E(Function):
    @staticmethod
    def forward(ctx, x, k):
        return x * k

    @staticmethod
    def backward(ctx, g):
        return g, g


t(lambda: E.apply(x, 2).sum().backward())


class F(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return torch.ones(3)


t(lambda: F.apply(x).sum().backward())


class G(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g, None, None


t(lambda: G.apply(x).sum().backward())


class H(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return [g]


t(lambda: H.apply(x).sum().backward())


class Item(Function):
    @staticmethod
    def forward(ctx, x):
        return [x * 2]

    @staticmethod
    def backward(ctx, g):
        return g


t(lambda: Item.apply(x))


class J(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, None, "hello", x * 3

    @staticmethod
    def backward(ctx, *g):
        print(g)
        return g[0]


r = J.apply(x)
print(r)
t(lambda: r[3].grad_fn.next_functions[0][1])
r[3].sum().backward()
print(x.grad, r[3].output_nr)


class K(Function):
    @staticmethod
    def forward(ctx, x):
        return None

    @staticmethod
    def backward(ctx, g):
        return g


t(lambda: K.apply(x))


class L(Function):
    def forward(self, x):
        return x * 2

    def backward(self, g):
        return g


t(lambda: L.apply(x))
t(lambda: L()(x))


class M(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        raise ValueError("mine")


t(lambda: M.apply(x).sum().backward())


class N(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(3)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g


t(lambda: N.apply(x))


class Odd(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(3)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g


t(lambda: Odd.apply(x))


class P(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_non_differentiable(3)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g


t(lambda: P.apply(x))


class Q(Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(None, x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        print(ctx.saved_tensors)
        return g


Q.apply(x).sum().backward()


class R(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g

    @staticmethod
    def vjp(ctx, g):
        return g


t(lambda: R.apply(x).sum().backward())


class S(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g.to(torch.float64)


z = S.apply(x)
z.sum().backward()
print(x.grad, x.grad.dtype)


# % function-keyword-arguments: keyword arguments
class S(Function):
    @staticmethod
    def forward(x, k=2):
        return x * k

    @staticmethod
    def setup_context(ctx, inputs, output):
        print(inputs)

    @staticmethod
    def backward(ctx, g):
        return g, None


a = torch.ones(2, requires_grad=True)
t(lambda: S.apply())
t(lambda: S.apply(a, 1, 2))
t(lambda: S.apply(a, z=1))
t(lambda: S.apply(x=a))
t(lambda: S.apply(k=3, x=a))


class P(Function):
    @staticmethod
    def forward(ctx, x, k=2):
        return x * k

    @staticmethod
    def backward(ctx, g):
        return g, None


t(lambda: P.apply(x=a))
t(lambda: P.apply(k=3))
t(lambda: P.apply(a, x=a))
t(lambda: P.apply(a, ctx=a))
t(lambda: P.apply(x=a).sum().backward())
t(lambda: P.apply(a).sum().backward())


# % function-marks: what a forward marked, saved and returned is looked at in PyTorch's order
def marked(mark, fixed, saved, returned):
    class Marking(Function):
        @staticmethod
        def forward(ctx, x):
            own, view, part = x * 2, x.view(-1), x.clone().view(-1)
            known = {"x": x, "own": own, "view": view, "part": part, "list": [x], "3": 3}
            ctx.mark_dirty(*[known[n] for n in mark])
            ctx.mark_non_differentiable(*[known[n] for n in fixed])
            ctx.save_for_backward(*[known[n] for n in saved])
            return tuple(known[n] for n in returned) if len(returned) > 1 else known[returned[0]]

        @staticmethod
        def backward(ctx, *grads):
            return grads[0]

    return Marking


def tried(x, *names):
    made = marked(*names).apply(x)
    made = made if isinstance(made, tuple) else (made,)
    return [(y._version, y._is_view(), y.is_leaf, y is x) for y in made if isinstance(y, torch.Tensor)], x._version


leaf = torch.ones(2, requires_grad=True)
for mark in ("x", "own", "view", "part", "x own", "3"):
    for fixed, saved in (("", ""), ("3", ""), ("", "3"), ("3", "list")):
        for returned in ("x", "own", "x own"):
            t(lambda: tried(leaf * 1, *[part.split() for part in (mark, fixed, saved, returned)]))
    for returned in ("view", "part"):
        t(lambda: tried(leaf * 1, mark.split(), [], [], [returned]))
    with torch.no_grad():
        unrecorded = (leaf * 1).view(-1)
    for x in (leaf, unrecorded, (leaf * torch.ones(2, 2)).unbind()[0], torch.ones(2)):
        t(lambda: tried(x, mark.split(), [], [], ["x"]))
