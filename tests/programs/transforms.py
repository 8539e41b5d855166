"""torch.func: what its functions refuse, and what they give."""

import functools

import torch
from torch.func import grad, grad_and_value, jvp, vmap

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
