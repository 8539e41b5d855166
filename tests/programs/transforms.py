"""torch.func: what its functions refuse, and what they give."""

import functools
import warnings

import torch
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
