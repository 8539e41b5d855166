"""torch.func: what its functions refuse, and what they give."""

import functools
import math
import warnings

import torch
from torch.autograd import forward_ad
from torch.func import functional_call, grad, grad_and_value, jacfwd, jacrev, jvp, linearize, vjp, vmap

from tests.scenarios.show import attempt

# % func-grad-errors: functions whose gradient cannot be taken
x = torch.arange(3.0)
for action in (
    lambda: grad(lambda x: x)(x),
    lambda: grad(lambda x: 3.0)(x),
    lambda: grad(lambda x: (x.sum(), x, x), has_aux=True)(x),
    lambda: grad(lambda x: x.sum(), argnums=1)(x),
    lambda: grad(lambda x, y: (x * y).sum(), argnums=(0, 2))(x, x),
    lambda: grad(lambda x, y: (x * y).sum(), argnums=-1)(x, 2 * x),
    lambda: grad_and_value(lambda x: (x.sum(), {"twice": x * 2}), has_aux=True)(x),
    lambda: jvp(torch.sin, x, x),
):
    attempt(lambda: print(action()))

# % func-vmap-errors: arguments that cannot be mapped over
x = torch.ones(2, 2)
for action in (
    lambda: vmap(torch.sum)(torch.tensor(1.0)),
    lambda: vmap(torch.sum)(3),
    lambda: vmap(torch.sum)(),
    lambda: vmap(torch.sum, in_dims=2)(torch.ones(2, 2)),
    lambda: vmap(torch.sum, in_dims="0")(x),
    lambda: vmap(torch.sum, in_dims=None)(x),
    lambda: vmap(torch.sum, in_dims=(None,))(x),
    lambda: vmap(torch.sum, in_dims=("0",))(x),
    lambda: vmap(torch.dot)(torch.ones(2, 3), torch.ones(3, 3)),
    lambda: vmap(lambda x: 3.0)(x),
    lambda: vmap(lambda x: (x, 1))(x),
    lambda: vmap(functools.partial(torch.add, alpha=2))(torch.tensor(1.0), torch.tensor(1.0)),
    lambda: vmap(torch.sum, randomness="some")(x),
):
    attempt(lambda: print(action()))

# % func-vmap-random: random numbers inside vmap
x = torch.zeros(3, 2)
attempt(lambda: print(vmap(lambda row: row + torch.rand(2))(x)))
same = vmap(lambda row: row + torch.rand(2), randomness="same")(x)
print((same[0] == same[1]).all(), (same[0] == same[2]).all())
different = vmap(lambda row: row + torch.rand(2), randomness="different")(x)
print((different[0] == different[1]).any())
print(vmap(lambda row: row + 1)(x))

# % nn-hooks-of-all-modules: the hooks for all modules are found where PyTorch has them
x = torch.ones(1, 2, requires_grad=True)
module = torch.nn.modules.module
handles = [
    module.register_module_forward_pre_hook(lambda m, i: print("pre", i)),
    module.register_module_forward_hook(lambda m, i, o: print("forward", i, o)),
    module.register_module_full_backward_hook(lambda m, i, o: print("backward", i, o)),
]
relu = torch.nn.ReLU()
relu.register_forward_hook(lambda m, i, o: print("own", i, o))
relu(x).sum().backward()
for handle in handles:
    handle.remove()
relu(x)

# % func-structures: arguments and results of the wrong form
x = torch.tensor([1.0, 2.0])
with warnings.catch_warnings():  # PyTorch's own, when it compiles its decompositions
    warnings.simplefilter("ignore")
    jvp(torch.sin, (x,), (x,))
    slope = linearize(torch.sin, x)[1]
value, pull = vjp(lambda v: (v * 2, [v.sum(), {"a": v}]), x)
print(pull((x, [torch.tensor(1.0), {"a": x}])))
for action in (
    lambda: pull((x, x)),
    lambda: pull(x, foo=1),
    lambda: vjp(lambda v: 3, x),
    lambda: vjp(lambda v: (), x),
    lambda: vjp(lambda v: v > 0, x),
    lambda: vjp(torch.sin, 3),
    lambda: vjp(lambda v: v, x, has_aux=True),
    lambda: jvp(torch.sin, (x,), x),
    lambda: jvp(torch.sin, (x,), (x, x)),
    lambda: jvp(lambda d: d["a"], ({"a": x},), ({"b": x},)),
    lambda: jvp(torch.sin, (), ()),
    lambda: jvp(torch.sin, (3,), (x,)),
    lambda: jvp(torch.sin, (x,), (x[:1],)),
    lambda: jvp(lambda v: torch.ones(2), (x,), (x,), strict=True),
    lambda: slope(x[:1]),
    lambda: jacrev(lambda v: 3)(x),
    lambda: jacrev(lambda v: v > 0)(x),
    lambda: jacrev(torch.sin)(3),
    lambda: jacfwd(lambda v: [v, 3])(x),
    lambda: jacrev(torch.sin, argnums=(0, 0))(x),
    lambda: jacrev(torch.sin, argnums=[0])(x),
    lambda: jacrev(torch.sin, argnums=())(x),
    lambda: jacrev(torch.sin, argnums=(0.0,))(x),
    lambda: jacrev(torch.sin, chunk_size=0),
    lambda: jacfwd(torch.sin, randomness="some")(x),
):
    attempt(action)
pull = vjp(torch.sin, x)[1]
print(pull(x, retain_graph=False))
attempt(lambda: pull(x))

# % func-vmap-structures: dimensions for nested arguments and results
v = torch.arange(6.0).view(2, 3)
print(vmap(lambda x: (x, [x, {"a": x}]), out_dims=(1, [0, {"a": 1}]))(v))
print(vmap(lambda d, k: d["a"][0] * k, in_dims=({"a": (1,)}, None))({"a": (v,)}, 2))
print(vmap(lambda x: x * 2)(v[:0]), vmap(lambda x: x.sum(), out_dims=0)(v[:0]))
print(vmap(lambda x: (x, 3), out_dims=(0, None))(v))
for action in (
    lambda: vmap(lambda x, y: x, in_dims=(0,))(v, v),
    lambda: vmap(lambda d: d, in_dims=({"a": 0},))({"b": v}),
    lambda: vmap(lambda x: x, out_dims=(0, 0))(v),
    lambda: vmap(lambda x: (x, x), out_dims=(0, 0, 0))(v),
    lambda: vmap(lambda x: x, out_dims="a")(v),
    lambda: vmap(lambda x: x, out_dims=None)(v),
    lambda: vmap(lambda x: 3)(v),
    lambda: vmap(torch.sin, chunk_size=0),
):
    attempt(action)


class Both(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.clone()

    @staticmethod
    def setup_context(ctx, inputs, output): ...

    @staticmethod
    def vmap(info, in_dims, x):
        return x, 0


attempt(lambda: vmap(Both.apply)(v))

# % func-call-names: names of parameters that a call is given
layer = torch.nn.Linear(2, 1)
x = torch.ones(2)
w = {"weight": torch.ones(1, 2)}
print(functional_call(layer, [w, {"bias": torch.ones(1)}], x))
for action in (
    lambda: functional_call(layer, (w, w), x),
    lambda: functional_call(layer, 3, x),
    lambda: functional_call(layer, [w, 3], x),
    lambda: functional_call(layer, {"weight": 3}, x),
    lambda: functional_call(layer, {**w, "foo": x}, x, strict=True),
):
    attempt(action)


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(2, 2, bias=False)
        self.b = torch.nn.Linear(2, 2, bias=False)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.a(x) + self.b(x)


tied, ones = Tied(), torch.ones(2, 2)
print(functional_call(tied, {"b.weight": ones}, x), functional_call(tied, {"a.weight": ones}, x, strict=True))
attempt(lambda: functional_call(tied, {"a.weight": ones, "b.weight": ones * 2}, x))
attempt(lambda: functional_call(tied, {"a.weight": ones}, x, strict=True, tie_weights=False))

# % func-jacobian-refusals: complex numbers, and draws that forward mode would repeat
whole, real = torch.ones(2, dtype=torch.cfloat), torch.ones(2)
warnings.simplefilter("ignore")  # the first tangent makes PyTorch load deprecated parts of its own
for jacobian in (jacrev, jacfwd):
    attempt(lambda: jacobian(torch.sin)(whole))
    attempt(lambda: jacobian(lambda t: (t, t * 1j))(real))
    attempt(lambda: jacobian(lambda t, u: (t * u.real).sum())(real, whole))
attempt(lambda: jacfwd(lambda t: t * torch.rand(2))(real))
attempt(lambda: torch.func.hessian(lambda t: (t * torch.rand(2)).sum())(real))
torch.manual_seed(0)
print(jacrev(lambda t: t * torch.rand(2))(real))

# % func-vmap-refusals: what vmap cannot do to all slices at once
v, ones = torch.arange(6.0).view(2, 3), torch.ones(3)
for action in (
    lambda t: t.sum().item(),
    lambda t: float(t.sum()),
    lambda t: range(t[0].long()),
    lambda t: t.tolist(),
    lambda t: t.numpy(),
    lambda t: t.data_ptr(),
    lambda t: t.nonzero(),
    lambda t: torch.unique(t),
    lambda t: torch.masked_select(t, t > 1),
    lambda t: t[t > 1],
    lambda t: torch.zeros(3).copy_(t),
    lambda t: torch.zeros(3).__setitem__(0, t[0]),
    lambda t: torch.zeros(3).fill_(t[0]),
    lambda t: torch.zeros(3).index_put_((torch.tensor([0]),), t[:1]),
    lambda t: torch.add(t, t, out=torch.empty(3)),
    lambda t: torch.sin(t, out=torch.empty_like(t)),
    lambda t: torch.zeros(2)[t[2].long()],
    lambda t: torch.tensor([t[0], t[1]]),
    lambda t: torch.zeros(3).normal_(),
    lambda t: torch.nn.functional.dropout(t),
    lambda t: torch.randperm(3),
):
    attempt(lambda: vmap(action)(v))
attempt(lambda: vmap(lambda t: torch.zeros(3).normal_(), randomness="different")(v))
attempt(lambda: vmap(torch.bernoulli, randomness="same")(v / 6))
attempt(lambda: vmap(lambda t: torch.zeros(3).bernoulli_(t), randomness="different")(v / 6))
print(vmap(lambda t: t.new_zeros(3).copy_(t))(v), vmap(lambda t: torch.zeros_like(t).add_(t))(v))

# % func-vmap-draws: the numbers that are drawn for slices
v, ones = torch.arange(6.0).view(2, 3), torch.ones(3)
for action in (
    lambda t: t + torch.rand(3),
    lambda t: t + torch.randn(3, 8).sum(1),
    lambda t: t + torch.randint(5, (3,)),
    lambda t: torch.randperm(4),
    torch.rand_like,
    lambda t: torch.randn_like(ones),
    torch.nn.functional.dropout,
    lambda t: torch.nn.functional.dropout(ones),
    lambda t: t.clone().uniform_(),
    lambda t: torch.bernoulli(ones / 2),
    vmap(lambda t: t + torch.rand(()), randomness="different"),
    vmap(lambda t: t + torch.rand(()), randomness="same"),
):
    for randomness in ("different", "same"):
        torch.manual_seed(0)
        attempt(lambda: print(vmap(action, randomness=randomness)(v)))

# % func-nested: transforms of transforms
warnings.simplefilter("ignore")  # the first tangent makes PyTorch load deprecated parts of its own
v, m = torch.arange(6.0).view(2, 3), torch.arange(9.0).view(3, 3) / 4 - 1
w = torch.tensor([1.0, -2.0, 0.5])
for action in (
    lambda: vmap(grad(lambda p, t: (p * t).sin().sum()), in_dims=(None, 0))(w, v),
    lambda: vmap(jacrev(lambda t: t.sin() * t.sum()))(v),
    lambda: vmap(torch.func.hessian(lambda t: (t**3).sum() * t.prod()))(v + 1),
    lambda: torch.func.hessian(lambda p: vmap(lambda t: (p * t).sin().sum())(v).sum())(w),
    lambda: jacfwd(lambda p: vmap(lambda t: p * t)(v))(w),
    lambda: grad(lambda p: grad(lambda q: vmap(lambda t: (t * q**3).sum())(v).sum())(p).sum())(w),
    lambda: vmap(lambda a: vmap(lambda b: (a * b).sum())(m))(v),
    lambda: vmap(vjp(lambda p: p.sin() * p.sum(), w)[1])(v),
    lambda: vmap(lambda d: jvp(lambda p: p.sin() * p.sum(), (w,), (d,)))(v),
    lambda: jacrev(torch.func.hessian(lambda p: (p**4).sum() * p[0]))(w),
    lambda: vmap(grad(lambda t: torch.linalg.det((torch.outer(t, t) + m @ m.T + torch.eye(3)).double())))(v),
    lambda: vmap(grad(lambda t: torch.cat([t, t.sort()[0][:2]]).prod()))(v + 1),
    lambda: vmap(lambda t: (t * 2, t.sum()), in_dims=1, out_dims=(-1, 0), chunk_size=2)(v),
):
    attempt(lambda: print(action()))


def changed(t):
    c = t.clone()
    c[0] = t[1] * 2
    c[1:].mul_(t[0])
    return (c * c).sum()


for action in (
    lambda: vmap(grad(changed))(v),
    lambda: torch.func.hessian(changed)(w),
    lambda: grad(lambda x: vmap(changed)(x).sum())(v),
):
    attempt(lambda: print(action()))
leaf = w.clone().requires_grad_()
vmap(lambda t: (leaf * t).sin().sum())(v).sum().backward()
print(leaf.grad)


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output): ...

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

    @staticmethod
    def vmap(info, in_dims, x):
        print(info.batch_size, info.randomness, in_dims, x.shape)
        return Twice.apply(x.movedim(in_dims[0], 0)), 0


print(vmap(Twice.apply)(v), vmap(grad(lambda t: Twice.apply(t).sum()))(v))

# % func-printed: tensors as they print inside of transforms, and what is refused there
v = torch.arange(6.0).view(2, 3)


def shows(*derived):
    def f(t):
        for derive in (lambda t: t, *derived):
            print(derive(t))
        return t.sum()

    return f


for action in (
    lambda: vmap(shows(torch.sum, lambda t: t > 1, lambda t: t.shape))(v),
    lambda: vmap(vmap(shows()))(v),
    lambda: grad(shows(lambda t: t * 2, lambda t: v))(v),
    lambda: vmap(grad(shows(torch.exp)))(v),
    lambda: grad(lambda t: vmap(shows())(t).sum())(v),
    lambda: grad(lambda t: grad(lambda u: (u * u).sum() + shows()(t))(t).sum())(v),
    lambda: vmap(lambda t: t.requires_grad_())(v),
    lambda: grad(lambda t: torch.ones(2).requires_grad_().sum())(v),
    lambda: vmap(lambda t: t.sum().backward())(v.clone().requires_grad_()),
    lambda: vmap(lambda t: t if t.sum() > 0 else -t)(v),
    lambda: vmap(lambda t: t if t else -t)(v),
):
    attempt(action)

# % func-watched: hooks and anomaly mode around what a vmap has made
w, x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True), torch.arange(6.0).view(2, 3)
heard = []
w.register_hook(lambda g: heard.append(("w", g.tolist(), torch.is_grad_enabled())))
w.register_post_accumulate_grad_hook(lambda p: heard.append(("post", p.grad.tolist(), torch.is_grad_enabled())))
y = vmap(lambda t: (t * w).sum())(x)
y.register_hook(lambda g: heard.append(("y", g.tolist(), torch.is_grad_enabled())))
y.sum().backward(retain_graph=True)
y.sum().backward()
print(heard, w.grad)
heard.clear()
y = vmap(lambda t: (t * w * w).sum())(x)
y.grad_fn.register_hook(lambda grads, given: heard.append((len(grads), len(given))))
print(torch.autograd.grad(y.sum(), w, create_graph=True), heard)
with warnings.catch_warnings(), torch.autograd.detect_anomaly():
    y = vmap(lambda t: (t * w).sum())(x)
    print(torch.autograd.grad(y.sum(), w, retain_graph=True))
    attempt(lambda: torch.autograd.grad((y * torch.tensor([1.0, float("nan")])).sum(), w))

# % func-forward-nested: forward mode of forward mode, of gradients, under no_grad, and switched off
x, t = torch.tensor([0.5, 1.5]), torch.ones(2)
off = torch.autograd.forward_ad._set_fwd_grad_enabled
warnings.simplefilter("ignore")  # the first tangent makes PyTorch load deprecated parts of its own


def half_off(x):
    with off(False):
        s = x**2
    return x**2 - s


def half_grad(x):
    with torch.no_grad():
        s = x**2
    return x**2 - s


for f in (half_off, half_grad, torch.no_grad()(lambda x: x**2)):
    print(jvp(f, (x,), (t,)))
print(jvp(lambda x: jvp(half_off, (x,), (t,))[1], (x,), (t,)))
print(jvp(lambda x: vjp(torch.sin, x)[1](t)[0], (x,), (t,)), grad(lambda x: jvp(torch.sin, (x,), (t,))[1].sum())(x))
with off(False):
    print(jvp(torch.sin, (x,), (t,)))
with torch.no_grad():
    print(jvp(torch.sin, (x,), (t,)))
kept = []
jvp(lambda x: [kept.append(x * 2), print(x.requires_grad, x.is_leaf, x.grad_fn)] and x, (x,), (t,))
print(kept[0].requires_grad, kept[0].grad_fn)
print([j(lambda x: x.double())(x).dtype for j in (jacfwd, jacrev)])
for action in (
    lambda: jvp(torch.sin, (x,), (t.long(),)),
    lambda: linearize(torch.sin, x)[1](t, t),
    lambda: linearize(torch.sin, x)[1](t.double()),
):
    attempt(action)

# % func-outside: what transforms make of tensors of the outside
x = torch.tensor(0.5, requires_grad=True)
y = grad(torch.sin)(x)
print(y, y.grad_fn.next_functions[1][0].next_functions, torch.autograd.grad(y, x))
value, pull = vjp(lambda x: x**2, x)
print(value.grad_fn.next_functions)
kept = []
vmap(vmap(lambda x: kept.append(torch.func.debug_unwrap(x)) or x))(v := torch.ones(2, 3))
grad(lambda x: kept.append(torch.func.debug_unwrap(x)) or x.sum())(v)
print([k is v for k in kept], torch.func.debug_unwrap(v) is v)
held = torch.ones(3)
for change in (lambda x: held.add_(1), lambda x: held.mul_(x), lambda x: held.exp_(), lambda x: torch.ones(3).add_(1)):
    attempt(lambda: grad(lambda x: (x * change(x)).sum())(torch.ones(3)))
attempt(lambda: vmap(lambda x: x.data)(v))
for aux in (1, "text", None):
    attempt(lambda: grad(lambda x: (x.sum(), [x, aux]), has_aux=True)(v))


def changes_data(x):
    x = x.clone()
    x.data = torch.ones(3)
    return x.sum()


attempt(lambda: grad(changes_data)(v[0]))
attempt(lambda: vmap(changes_data)(v))


# % func-function-rules: what a Function's own vmap is given, and what it may return
def mapped(rule):
    parts = {"forward": staticmethod(lambda x: x), "setup_context": staticmethod(lambda ctx, inputs, output: None)}
    return vmap(type("Made", (torch.autograd.Function,), {**parts, "vmap": staticmethod(rule)}).apply)


def tells(info, in_dims, x):
    print(info, in_dims)
    return x, in_dims[0]


print(mapped(tells)([torch.ones(2), torch.ones(2)]))
x = torch.ones(2, 3)
for found in (x, (x, x, 0, 0), (x, (None,)), ([x], (None,)), ([x], [0]), ((x, x), (0,)), None, ({"a": x}, {"a": 0})):
    attempt(lambda: print(mapped(lambda info, in_dims, x: found)(x)))
names = []


class Copies(torch.autograd.Function):
    forward = staticmethod(lambda x: x.clone())
    setup_context = staticmethod(lambda ctx, inputs, output: None)
    backward = staticmethod(lambda ctx, g: names.append(type(ctx).__name__) or g)


grad(lambda x: names.append(Copies.apply(x).grad_fn.name()) or Copies.apply(x))(torch.tensor(1.0))
print(names, Copies.apply(torch.ones(1, requires_grad=True)).grad_fn.name())


class Returns(torch.autograd.Function):
    forward = staticmethod(lambda x: x)
    setup_context = staticmethod(lambda ctx, inputs, output: ctx.save_for_forward(output))
    backward = staticmethod(lambda ctx, g: g)


attempt(lambda: Returns.apply(torch.ones(2)))
attempt(lambda: grad(lambda x: Returns.apply(x).sum())(torch.ones(2)))


# % tangents-at-ends: of sums of large and of no numbers, of complex determinants, of nothing
def tangent(f, x):
    with forward_ad.dual_level(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        r = f(forward_ad.make_dual(x, torch.ones_like(x)))
        return [forward_ad.unpack_dual(t).tangent.real.round(decimals=4) for t in (r if isinstance(r, tuple) else (r,))]


for row in ([1.0, 2.0, 3.0], [1.0, 2.0, 800.0], [-float("inf"), 3.0, 4.0]):
    print(tangent(lambda x: torch.logcumsumexp(x, 0), torch.tensor(row, dtype=torch.float64)))
print(tangent(torch.linalg.slogdet, torch.tensor([[1, 2], [3, -4]], dtype=torch.complex128))[1])
print(tangent(lambda x: torch.nn.functional.pad(x, [1, 2], "circular"), torch.ones(0, 3, 3)))

# % transforms-written-arguments: what a transform differentiates by is a leaf, however deep it lies
start, call = torch.ones(2), lambda x: x.add_(1).sum()
for transformed in (
    torch.func.grad(call),
    torch.func.grad(torch.func.grad(call)),
    torch.func.jacrev(torch.func.grad(call)),
    torch.func.hessian(call),
    torch.func.jacfwd(torch.func.grad(call)),
    torch.vmap(torch.func.grad(call)),
    torch.vmap(call),
    torch.func.jacfwd(call),
    lambda x: torch.func.jvp(torch.func.grad(call), (x,), (x,)),
    lambda x: torch.func.vjp(torch.func.grad(call), x)[0],
    torch.func.grad(lambda x: torch.func.grad(call)(x * 1).sum()),
    torch.func.grad(lambda x: call(x * 1)),
):
    attempt(lambda transformed=transformed: transformed(start))
    print(start)

# % tangents-of-last-writes: of operations whose gradient is that of another function
x, s = torch.arange(6.0), torch.tensor([10.0, 20.0])
for place in ((2,), (2,)), ((2,), (1,), 3), ((2,), (3,), 1), ((0,), (1,)):
    print(
        jvp(lambda a, b, place=place: torch.as_strided_scatter(a, b.view(-1)[: place[0][-1]], *place), (x, s), (x, s))
    )
    print(jvp(lambda a, place=place: torch.as_strided_scatter(a[1:], s[: place[0][-1]], *place), (x,), (x,)))
m = torch.arange(12.0).view(3, 4).t()
print(
    jvp(lambda a, b: torch.as_strided_scatter(a, b, (2, 2), (1, 4), 1), (m, torch.ones(2, 2)), (m, torch.zeros(2, 2)))
)
print(grad(lambda a: torch.as_strided_scatter(a, s, (2,), (2,), 1).square().sum())(x))
for shape, places, unpool in (
    ((1, 1, 3), [[[0, 3, 3]]], torch.nn.functional.max_unpool1d),
    ((1, 2, 2), [[[0, 5], [5, 0]]], torch.nn.functional.max_unpool2d),
    ((1, 1, 2, 2), [[[[7, 7], [7, 1]]]], torch.nn.functional.max_unpool3d),
):
    v = torch.arange(1.0, 1 + math.prod(shape)).view(shape)
    call = functools.partial(unpool, indices=torch.tensor(places), kernel_size=2)
    print(jvp(call, (v,), (v,)))
    print(grad(lambda v, call=call: call(v).square().sum())(v))

# % tangents-of-factors: the tangent of a matrix is read whole, as it is, where its gradient would be made Hermitian
a, t = (
    torch.tensor([[4.0, 1.0], [1.0, 3.0]], dtype=torch.float64),
    torch.tensor([[1.0, 2], [5, 7]], dtype=torch.float64),
)
for upper in (False, True):
    print(jvp(lambda a, upper=upper: torch.linalg.cholesky(a, upper=upper), (a,), (t,)))
    print(jvp(lambda a, upper=upper: torch.linalg.cholesky(a, upper=upper).real, (a + 0j,), (t + 1j * a,)))
    print(grad(lambda a, upper=upper: torch.linalg.cholesky(a, upper=upper).square()[0].sum())(a))
    for transpose in (False, True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            print(jvp(lambda a, how=(upper, transpose): torch.triangular_solve(a, a, *how)[0], (a,), (t,)))

# % tangents-missing: what has no formula says so, what is constant has zeros
places, x = torch.tensor([[0, 1, 0]]), torch.arange(6.0).view(2, 3)
for call in (
    lambda a: a.scatter(0, places, 2.0, reduce="multiply"),
    lambda a: a.clone().scatter_(0, places, 2.0, reduce="multiply"),
    lambda a: torch.linalg.vector_norm(a, 0),
    lambda a: torch.norm(a, 0, dim=1),
    lambda a: torch.histogram(a, 2)[0],
    lambda a: torch.heaviside(a, a),
    lambda a: torch.floor_divide(a, 2.0),
):
    attempt(lambda call=call: print(jvp(call, (x,), (x,))))
with forward_ad.dual_level():
    print(forward_ad.unpack_dual(torch.linalg.vector_norm(forward_ad.make_dual(x, x), 0)))
attempt(lambda: grad(lambda a: (a, 3), has_aux=True)(x))


class Marked(torch.Tensor):
    """A subclass that changes nothing."""


def kinds(t):
    print(type(t).__name__, type(t * t).__name__)
    return (t * t).sum()


print(type(grad(kinds)(x.as_subclass(Marked))).__name__)
print([type(made).__name__ for made in jvp(lambda t: t * t, (x.as_subclass(Marked),), (x,))])

# tensors that require grad, beside dual tensors and under no_grad
weight = torch.ones(3, requires_grad=True)
product = weight * 3
with forward_ad.dual_level():
    made = forward_ad.make_dual(torch.ones(3), torch.ones(3)) * weight
    with torch.no_grad():
        print(weight, product)
        for t in (weight, product, made):
            primal, tangent = forward_ad.unpack_dual(t)
            print(primal, primal.grad_fn, primal.is_leaf, primal._is_view(), primal is t, tangent is None)
    with torch.inference_mode():
        for t in (weight, torch.ones(3)):
            dual = forward_ad.make_dual(t, torch.ones(3))
            print(dual, forward_ad.unpack_dual(dual))


class Needing(torch.autograd.Function):
    """Says which of its arguments need a gradient."""

    @staticmethod
    def forward(ctx, a, b):
        print(ctx.needs_input_grad)
        return a * b

    @staticmethod
    def jvp(ctx, a, b):
        return a + b


with forward_ad.dual_level():
    dual = forward_ad.make_dual(torch.ones(3), torch.ones(3))
    print(Needing.apply(dual, dual), Needing.apply(dual, weight))


# % transforms-seen-by-functions: a pass of a transform is recorded, as hooks and Functions see; views of its arguments
class Seen(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        print(torch.is_grad_enabled(), ctx.needs_input_grad)
        return grad * 2


def hooked(t):
    made = t * 2
    made.register_hook(lambda grad: print("hook", torch.is_grad_enabled()))
    return made.sum()


def unrecorded(t):
    with torch.no_grad():
        return t[0]


x = torch.tensor([1.0, 2.0])
for mode in (torch.enable_grad, torch.no_grad):
    with mode():
        print(torch.func.grad(lambda t: Seen.apply(t).sum())(x))
        print(torch.func.grad(lambda t: torch.func.grad(lambda u: Seen.apply(u).sum())(t).sum())(x))
        print(torch.func.grad(hooked)(x))
        value, _ = torch.func.vjp(unrecorded, x)
        print(value, value.requires_grad)

# % tangents-of-sums-over-rows: what the rows of a vmap add up to has a tangent that is added up too
checkpoint = torch.utils.checkpoint.checkpoint
x = torch.tensor([0.5, -1.0])
for f in (
    lambda t: t.cumprod(0).sum(),
    lambda t: (t * t * t).sum(),
    lambda t: t.clone().mul_(t).mul_(t.sum()).sum(),
    lambda t: checkpoint(lambda s: (s**4).sum(), t, use_reentrant=True),
):
    attempt(lambda: print(torch.func.jacfwd(torch.func.jacrev(torch.func.jacfwd(f)))(x)))
for transform in (torch.func.grad, torch.func.jacfwd, torch.func.vmap):
    attempt(lambda: print(transform(lambda t: checkpoint(lambda s: (s**4).sum(), t, use_reentrant=False))(x)))

# % own-vmap-within: a Function's vmap gives the place of forward alone where a transform differentiates within a vmap


class Product(torch.autograd.Function):
    @staticmethod
    def forward(a, b):
        print("forward", a, b)
        return a * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        print("setup", inputs, output)
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        print("backward", g.shape)
        a, b = ctx.saved_tensors
        return g * b, g * a

    @staticmethod
    def jvp(ctx, da, db):
        print("jvp", da.shape)
        a, b = ctx.saved_tensors
        return da * b + db * a

    @staticmethod
    def vmap(info, in_dims, a, b):
        print("vmap", in_dims, a, b)
        a, b = (t if d is None else t.movedim(d, 0) for t, d in zip((a, b), in_dims, strict=True))
        return Product.apply(a, b), 0


rows, other = torch.arange(6.0).view(2, 3), torch.arange(3.0)
print(vmap(grad(lambda a, b: Product.apply(a, b).sum()), (1, None))(rows, torch.ones(2)))
print(grad(lambda a: vmap(Product.apply, (0, None))(a, other).sum())(rows))
print(jvp(lambda a: Product.apply(a, other), (other,), (other,)))
print(jacrev(lambda a: Product.apply(a, other))(other))
print(grad(lambda a: grad(lambda c: Product.apply(c, c).sum())(a).sum())(other))


class Made(torch.autograd.Function):
    generate_vmap_rule = True
    forward, setup_context, backward = Product.forward, Product.setup_context, Product.backward


print(vmap(grad(lambda a, b: Made.apply(a, b).sum()), (0, None))(rows, other))
print(grad(lambda a: vmap(Made.apply, (0, None))(a, other).sum())(rows))

# % escaped: what a function of func.grad leaves outside prints as a tensor of a transform that is over
kept = []


def keeping(t):
    kept.extend([t, t * 2, t[0]])
    return (t * t).sum()


x = torch.tensor([1.0, 2.0])
grad(keeping)(x)
jacrev(keeping)(x)
grad(lambda t: grad(keeping)(t).sum())(x)
for one in kept:
    print(one, one.requires_grad)
print(kept[1] + 1, kept[1].sum(), kept[1].detach(), kept[1].tolist())
