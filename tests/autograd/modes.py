"""Grad mode, inference mode, version counters, anomaly mode."""

import warnings

import torch

from tests.scenarios.show import t

# % modes-grad-modes: grad modes
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    print(torch.is_grad_enabled(), (x * 2).requires_grad)


@torch.no_grad()
def f(a):
    "doc"
    return (a * 2).requires_grad, torch.is_grad_enabled()


print(f(x), f.__name__, f.__doc__)


@torch.no_grad
def f(a):
    return (a * 2).requires_grad


print(f(x))
t(lambda: torch.enable_grad(f))


@torch.no_grad()
def gen():
    print(torch.is_grad_enabled())
    r = yield 1
    print(r, torch.is_grad_enabled())
    try:
        yield 2
    except ValueError as e:
        print("caught", e, torch.is_grad_enabled())
        yield 3
    finally:
        print("fin", torch.is_grad_enabled())
    return 7


g = gen()
print(next(g), torch.is_grad_enabled())
print(g.send(5), torch.is_grad_enabled())
print(g.throw(ValueError("u")), torch.is_grad_enabled())
try:
    next(g)
except StopIteration as s:
    print(s.value)
g = gen()
next(g)
g.close()


def outer():
    r = yield from gen()
    print("r", r)


print(list(outer()))


class C:
    def __init__(self):
        self.a = (x * 2).requires_grad


D = None
D = torch.no_grad()(C)
print(D is C, D().a)
with torch.no_grad():
    with torch.enable_grad():
        print((x * 2).requires_grad)
    print(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled())
with torch.set_grad_enabled(False):
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled())
torch.set_grad_enabled(False)
print(torch.is_grad_enabled())
torch.set_grad_enabled(True)


@torch.set_grad_enabled(False)
def f():
    return torch.is_grad_enabled()


print(torch.is_grad_enabled(), f(), torch.is_grad_enabled())
t(lambda: torch.set_grad_enabled("a"))
t(lambda: torch.set_grad_enabled(1))
t(lambda: torch.set_grad_enabled())
torch.set_grad_enabled(True)
t(lambda: torch.no_grad(3))
t(lambda: torch.no_grad())
t(lambda: repr(torch.set_grad_enabled(True)))
t(lambda: repr(torch.inference_mode()))
n = torch.no_grad()
with n:
    with n:
        print(torch.is_grad_enabled())
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled())
torch.set_grad_enabled(True)
try:
    with torch.no_grad():
        raise ValueError
except ValueError:
    print(torch.is_grad_enabled())
t(lambda: torch.enable_grad())
print(torch.no_grad.__module__, torch.no_grad.__mro__[1:])
print(torch.no_grad().clone(), torch.set_grad_enabled(True).mode, torch.no_grad().prev)
print(torch.is_inference_mode_enabled())

# % modes-inference: inference
x = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    print(torch.is_grad_enabled(), torch.is_inference_mode_enabled())
    a = x * 2
    print(a, a.is_inference(), a.requires_grad, a.is_leaf)
    t(lambda: a._version)
    t(lambda: a.grad_fn)
    v = x.view(-1)
    print(v.is_inference(), v.requires_grad, v._is_view())
    t(lambda: v._version)
    x.add_(1)
    print(x, x._version)
    a.add_(1)
    b = a.view(-1)
    print(b.is_inference(), b._is_view())
    c = torch.ones(2, requires_grad=True)
    print(c.is_inference(), c.requires_grad, (c * 2).requires_grad)
    d = a.detach()
    print(d.is_inference())
    a.requires_grad_(True)
    print(a.requires_grad)
    with torch.enable_grad():
        print(torch.is_grad_enabled(), (x * 2).requires_grad)
    with torch.inference_mode(False):
        print(torch.is_grad_enabled(), torch.is_inference_mode_enabled(), (x * 2).requires_grad, (x * 2).is_inference())
        t(lambda: a * x)
        t(lambda: a + x)
    print(torch.is_inference_mode_enabled())
    t(lambda: (x * 2).backward(torch.ones(2)))
with torch.inference_mode():
    a = torch.ones(2)
t(lambda: a * x)
t(lambda: a + x)
t(lambda: a.requires_grad_())
t(lambda: a.view(-1))
t(lambda: a.view(-1).is_inference())
t(lambda: a.view(-1)._is_view())
t(lambda: a._version)
t(lambda: a.clone().is_inference())
t(lambda: (a * 2).is_inference())
t(lambda: x.add(a))
t(lambda: x.clone().add_(a))
t(lambda: x.clone().mul_(a))
t(lambda: a.detach().is_inference())
t(lambda: a.data.is_inference())
t(lambda: a.grad_fn)
t(lambda: a.backward(torch.ones(2)))
t(lambda: a.detach_())
t(lambda: setattr(a, "grad", torch.ones(2)))
t(lambda: x.copy_(a))
with torch.inference_mode():
    v = x.view(-1)
t(lambda: v.add_(1))
t(lambda: v * 2)
t(lambda: v.requires_grad)
y = x * 1
with torch.inference_mode():
    v = y.view(-1)
t(lambda: v.add_(1))
t(lambda: v * 2)
t(lambda: v.is_inference())


@torch.inference_mode
def f():
    return torch.is_inference_mode_enabled()


@torch.inference_mode(False)
def g():
    return torch.is_inference_mode_enabled()


@torch.inference_mode()
def h():
    return torch.ones(2).is_inference()


print(f(), h())
with torch.inference_mode():
    print(g())
with torch.no_grad():
    with torch.inference_mode(False):
        print(torch.is_grad_enabled())
with torch.inference_mode():
    with torch.no_grad():
        print(torch.is_inference_mode_enabled())
t(lambda: torch.inference_mode(3))
t(lambda: torch.inference_mode(True).mode)
t(lambda: torch.inference_mode("x"))
print(torch.inference_mode.__mro__)
with torch.no_grad():
    w = torch.ones(2, requires_grad=True)
    w.mul_(2)
    print(w, w._version)
    k = x.view(-1)
t(lambda: k.add_(1))
t(lambda: k.requires_grad)
t(lambda: k.is_leaf)
m = x * 1
with torch.no_grad():
    k = m[0]
t(lambda: k.add_(1))
m.add_(1)
t(lambda: k.grad_fn)
t(lambda: k.requires_grad)
t(lambda: k * 2)
a, b = m.unbind()
t(lambda: a.add_(1))
m.add_(1)
t(lambda: a.grad_fn)
t(lambda: a * 2)
m = x * 1
with torch.inference_mode():
    k = m[0]
m.add_(1)
t(lambda: k.grad_fn)
t(lambda: k * 2)

# % modes-preserve: preserve
x = torch.ones(2)
with torch.autograd._unsafe_preserve_version_counter(x):
    x.add_(1)
print(x._version, x)
with torch.autograd._unsafe_preserve_version_counter((x,)):
    x.add_(1)
print(x._version)
torch.autograd.graph.increment_version(x)
print(x._version)
torch.autograd.graph.increment_version([x, x])
print(x._version)
t(lambda: torch.autograd.graph.increment_version(3))

# % modes-dual-tangent: a tangent must not be a dual tensor itself
D = torch.autograd.forward_ad
with warnings.catch_warnings():  # PyTorch's own, when it compiles its decompositions
    warnings.simplefilter("ignore")
    with D.dual_level():
        D.make_dual(torch.ones(2), torch.ones(2))
with D.dual_level():
    print(D._current_level)
    dual = D.make_dual(torch.ones(2), torch.ones(2))
    t(lambda: D.make_dual(torch.ones(2), dual))
print(D._current_level)
