"""gradcheck, gradgradcheck and autograd.functional."""

import warnings

import torch
from torch.autograd import Function, gradcheck, gradgradcheck

from tests.scenarios.show import attempt, t

# % checks-gradcheck: gradcheck
gc = torch.autograd.gradcheck
ggc = torch.autograd.gradgradcheck
x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
y = torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64, requires_grad=True)
t(lambda: gc(lambda a: a * a, x))
t(lambda: gc(lambda a, b: (a * b, a.exp() + b), (x, y)))
t(lambda: ggc(lambda a, b: (a * b, a.exp() * b), (x, y)))
t(lambda: ggc(lambda a: a.sin() * a, [x]))


class Bad(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        return 3 * a * g


t(lambda: gc(Bad.apply, x))
t(lambda: gc(Bad.apply, x, raise_exception=False))
t(lambda: gc(lambda a, b: (a + b, Bad.apply(b)), (x, y)))
t(lambda: gc(lambda a: a * 2, torch.ones(2, dtype=torch.float64)))
t(lambda: gc(lambda a: a * a, torch.ones(2, requires_grad=True)))
t(lambda: gc(lambda a: a * a, torch.ones(1, dtype=torch.float64, requires_grad=True).expand(3)))
t(lambda: gc(lambda a: a * a, torch.randn(4, 0, dtype=torch.float64, device="cpu", requires_grad=True)))
t(lambda: gc(lambda a: a.detach() * 2, x))
t(lambda: gc(lambda a: (a * 0).detach(), x))


class NoMul(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 1

    @staticmethod
    def backward(ctx, g):
        return torch.ones_like(g)


t(lambda: gc(NoMul.apply, torch.ones(1, dtype=torch.float64, requires_grad=True)))


class Undef(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.set_materialize_grads(False)
        return a * 1

    @staticmethod
    def backward(ctx, g):
        if g is None:
            raise RuntimeError("no")
        return g


t(lambda: gc(Undef.apply, x))
t(lambda: gc(Undef.apply, x, check_undefined_grad=False))
n = [0]


class Nondet(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 1

    @staticmethod
    def backward(ctx, g):
        n[0] += 1
        return g * (1 + 1e-7 * n[0])


t(lambda: gc(Nondet.apply, x))
t(lambda: gc(Nondet.apply, x, nondet_tol=1e-3))
t(lambda: gc(lambda a: a, x))
t(lambda: gc(lambda a: a.sum(), x))
t(lambda: gc(lambda a, k: a * k, (x, 3)))
c = torch.tensor([1 + 2j, 3 - 1j], dtype=torch.complex128, requires_grad=True)
t(lambda: gc(lambda a: a * a, c))
t(lambda: gc(lambda a: a.abs(), c))
t(lambda: ggc(lambda a: a * a, c))


class BadC(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2j

    @staticmethod
    def backward(ctx, g):
        return g * 2j


t(lambda: gc(BadC.apply, c))
t(lambda: gc(lambda a: a * a, x, check_backward_ad=False))
t(lambda: gc(lambda a: a.pow(2), x, eps=1e-4, atol=1e-3))
t(lambda: gc(lambda a: a * a, ()))
t(lambda: ggc(lambda a: a**3, x, torch.ones(3, dtype=torch.float64, requires_grad=True)))
print(x)


class Bad2(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        return 2 * a.detach() * g


t(lambda: gc(Bad2.apply, x))
t(lambda: ggc(Bad2.apply, x, torch.ones(3, dtype=torch.float64, requires_grad=True)))
t(lambda: gc(lambda a: (a * 2).to(torch.float32), x))
t(lambda: gc(lambda a: 3, x))
t(lambda: gc(lambda a: [a * 2, a * 3], x))

# % checks-functional: functional
F = torch.autograd.functional
x = torch.tensor([1.0, 2.0])
y = torch.tensor([3.0, 4.0])
w = torch.tensor([1.0, 10.0])
f = lambda a: a * a
g2 = lambda a, b: (a * b).sum()
m2 = lambda a, b: (a * b, a.sum())
t(lambda: F.jacobian(f, x))
t(lambda: F.jacobian(m2, (x, y)))
t(lambda: F.jacobian(g2, (x, y)))
t(lambda: F.hessian(g2, (x, y)))
t(lambda: F.hessian(lambda a: (a**3).sum(), x))
t(lambda: F.vjp(f, x, w))
t(lambda: F.vjp(f, x))
t(lambda: F.vjp(m2, (x, y), (w, torch.tensor(2.0))))
t(lambda: F.vjp(m2, (x, y), w))
t(lambda: F.vjp(f, x, torch.ones(3)))
t(lambda: F.vjp(g2, (x, y)))
t(lambda: F.vjp(3, x))
t(lambda: F.vjp(f, 3))
t(lambda: F.vjp(f, (x, 3)))
t(lambda: F.vjp(lambda a: 3, x))
t(lambda: F.vjp(m2, (x, y), (torch.ones(3), torch.tensor(1.0))))
t(lambda: F.jvp(f, x, w))
t(lambda: F.jvp(f, x))
t(lambda: F.jvp(m2, (x, y), (w, w)))
t(lambda: F.jvp(lambda a: a.exp(), torch.tensor(1.0)))
t(lambda: F.jvp(m2, (x, y), w))
t(lambda: F.hvp(g2, (x, y), (w, w)))
t(lambda: F.vhp(g2, (x, y), (w, w)))
t(lambda: F.hvp(f, x, w))
t(lambda: F.vhp(m2, (x, y), (w, w)))
t(lambda: F.hvp(lambda a: (a**3).sum(), x))
t(lambda: F.hessian(f, x))
t(lambda: F.hessian(m2, (x, y)))
const = lambda a: torch.ones(2)
ind = lambda a, b: a * 2
lin = lambda a: (a * 2).sum()
for fn in (F.jacobian, F.vjp, F.jvp):
    for s in (False, True):
        args = () if fn is F.jacobian else (w,)
        t(lambda: fn(const, x, *args, strict=s))
        t(lambda: fn(ind, (x, y), *(((w,) if fn is F.vjp else ((w, w),)) if args else ()), strict=s))
        t(lambda: fn(lambda a: a * 2, x, *args, strict=s))
        t(lambda: fn(lambda a: a * 2, x, *args, strict=s, create_graph=True))
for fn in (F.hessian, F.hvp, F.vhp):
    for s in (False, True):
        args = () if fn is F.hessian else (w,)
        args2 = () if fn is F.hessian else ((w, w),)
        t(lambda: fn(lambda a: torch.tensor(1.0), x, *args, strict=s))
        t(lambda: fn(lambda a, b: (a * a).sum(), (x, y), *args2, strict=s))
        t(lambda: fn(lin, x, *args, strict=s))
        t(lambda: fn(lambda a: (a**2).sum(), x, *args, strict=s))
        t(lambda: fn(lambda a: (a**2).sum(), x, *args, strict=s, create_graph=True))
        t(lambda: fn(lambda a: (a**3).sum(), x, *args, strict=s, create_graph=True))
xr = torch.tensor([1.0, 2.0], requires_grad=True)
t(lambda: F.jacobian(f, xr, create_graph=True))
t(lambda: F.jacobian(f, xr))
t(lambda: F.jacobian(f, xr, vectorize=True))
t(lambda: F.jacobian(f, x, strategy="forward-mode"))
t(lambda: F.jacobian(f, x, strategy="x"))
t(lambda: F.jacobian(f, x, strict=True, vectorize=True))
t(lambda: F.vjp(f, xr, w, create_graph=True))
t(lambda: F.jvp(f, xr, w, create_graph=True))
t(lambda: F.hvp(lambda a: (a**3).sum(), xr, w, create_graph=True))
t(lambda: F.vhp(lambda a: (a**3).sum(), xr, w, create_graph=True))
t(lambda: F.hessian(lambda a: (a**3).sum(), xr, create_graph=True))
t(lambda: F.vjp(f, x, w, create_graph=True))
t(lambda: F.jacobian(lambda a: a.sum(), torch.ones(2, 3)).shape)
t(lambda: F.jacobian(lambda a: a.view(-1), torch.ones(2, 3)).shape)
print(xr.grad)
with torch.no_grad():
    t(lambda: F.jacobian(f, xr))
    t(lambda: F.vjp(f, xr, w))
    t(lambda: F.jvp(f, xr, w, create_graph=True))
    t(lambda: F.hessian(lambda a: (a**3).sum(), xr))

# % checks-jacobian-order: what Jacobians refuse first
F = torch.autograd.functional
x = torch.tensor([1.0, 2.0])
t(lambda: F.hessian(lambda v: (v * 2).sum(), x, strict=True, vectorize=True))
t(lambda: F.jacobian(lambda v: v.detach(), x, strict=True, vectorize=True))
t(lambda: F.jacobian(lambda v: v * 2, x, strict=True, vectorize=True))
t(lambda: F.hessian(lambda v: (v * 2).sum(), x, outer_jacobian_strategy="forward-mode"))

# % checks-fast: gradcheck in its fast mode and with many gradients at once; how often it calls the function


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor, draw=False):
        ctx.factor, ctx.draw = factor, draw
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        if ctx.draw:
            torch.rand(2)
        return grad * 2 * ctx.factor, None, None

    @staticmethod
    def jvp(ctx, tangent, *others):
        if ctx.draw:
            torch.randn_like(tangent)
        return tangent * 2 * ctx.factor


def said(function, inputs, check=gradcheck, count=True, **options):
    calls = []

    def counted(*args):
        calls.append(1)
        return function(*args)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        attempt(lambda: print(check(counted, inputs, **options)))
    if count:
        print(len(calls))


one = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
x = torch.tensor([0.5, 1.5, -0.25], dtype=torch.float64, requires_grad=True)
z = torch.tensor([0.5 + 1j, 1.5 - 2j], dtype=torch.complex128, requires_grad=True)
torch.manual_seed(0)
for fast in (True, False):
    for function, inputs in (
        (torch.sin, (x,)),
        (torch.mul, (x, x.detach().clone().requires_grad_())),
        (lambda t: t * t.exp(), (z,)),
        (torch.abs, (z,)),
        (lambda a, b: (a.sum() * b, a * 2), (x, z)),
        (lambda a: (a * 2, torch.tensor(3), a.detach() * 0), (x,)),
    ):
        said(function, inputs, fast_mode=fast)
        said(function, inputs, fast_mode=fast, check_undefined_grad=False, check_batched_grad=True)
        said(function, inputs, gradgradcheck, fast_mode=fast)
        said(function, inputs, count=False, fast_mode=fast, check_forward_ad=True)
    for factor in (1.0, 1.0000001, 1.0625):
        said(lambda t: Scaled.apply(t, factor), (one,), fast_mode=fast, atol=1e-12)
        said(lambda t: Scaled.apply(t, factor), (x,), fast_mode=fast, raise_exception=False)
        options = {"check_forward_ad": True, "check_backward_ad": False}
        said(lambda t: Scaled.apply(t, factor), (one,), count=False, fast_mode=fast, **options)
    said(lambda t: Scaled.apply(t, 1.0, True), (x,), fast_mode=fast, check_batched_grad=True)
    options = {"check_forward_ad": True, "check_batched_forward_grad": True}
    said(lambda t: Scaled.apply(t, 1.0, True), (x,), count=False, fast_mode=fast, **options)
    said(lambda t: t.detach() * 1, (x,), count=False, fast_mode=fast)
    said(lambda t: (t.detach() * 0).sum(), (x,), count=False, fast_mode=fast)
    sizes = iter([3, 3, 2] + [3] * 20)
    said(lambda t: t[: next(sizes)] * 1, (x,), fast_mode=fast)
torch.manual_seed(0)
gradcheck(torch.sin, (x,), fast_mode=True)
