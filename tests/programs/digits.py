"""The last digits: sums in PyTorch's order, functions right in the last place, products summed one after the other."""

import torch
import torch.nn.functional as F


def bits(t):
    """The bits of a float32 tensor, added up: other last digits give another number."""
    return t.detach().contiguous().view(torch.int32).long().sum().item()


# % digits-sums: lines of all lengths, contiguous and strided, in both float types
torch.manual_seed(0)
for n in (
    5,
    6,
    7,
    8,
    9,
    15,
    24,
    31,
    32,
    40,
    63,
    64,
    65,
    100,
    128,
    160,
    500,
    512,
    543,
    544,
    600,
    1000,
    4095,
    8200,
    20000,
):
    x = torch.rand(n) - 0.5
    y = torch.rand(n, dtype=torch.float64) - 0.5
    print(n, x.sum().item(), y.sum().item(), x.mean().item(), x[::2].sum().item())

# % digits-columns-rows: sums along dimensions, also of several, and what a broadcast bias gets
torch.manual_seed(1)
for shape in ((5, 3), (9, 7), (17, 8), (33, 40), (64, 10), (100, 33), (7, 100), (20, 500), (2, 16)):
    x = torch.rand(shape) - 0.5
    b = torch.zeros(shape[1], requires_grad=True)
    ((x + b) ** 2).sum().backward()
    print(shape, bits(x.sum(0)), bits(x.sum(1)), bits(x.mean(0, keepdim=True)), bits(x.T.sum(0)), bits(b.grad))
for shape in ((3, 9, 20), (2, 17, 5), (6, 4, 33)):
    x = torch.rand(shape) - 0.5
    print(shape, [bits(x.sum(d)) for d in (0, 1, 2, (0, 1), (1, 2), (0, 2))], bits(x.sum((0, 1, 2), keepdim=True)))

# % digits-losses: means of losses, and the one of targets, whose first is added last
torch.manual_seed(2)
for n in (3, 10, 17, 40, 300):
    x, y = torch.rand(n, 4), torch.rand(n, 4)
    t = torch.randint(0, 4, (n,))
    print(n, F.mse_loss(x, y).item(), F.l1_loss(x, y).item(), F.smooth_l1_loss(x, y, reduction="sum").item())
    print(F.nll_loss(x, t).item(), F.nll_loss(x, t, weight=torch.tensor([0.1, 0.7, 0.3, 1.1]), reduction="sum").item())

# % digits-spread: variance and deviation are computed in double, norms in lanes
torch.manual_seed(3)
for n in (3, 10, 100, 1000):
    x = torch.rand(n, 3) - 0.2
    print(n, x.var().item(), x.std(0).tolist(), x.var(1).sum().item(), [m.item() for m in torch.var_mean(x)])
    print(x.norm(dim=0).tolist(), (x.reshape(-1)[: 8 * (n // 8 or 1)]).norm().item())

# % digits-functions: what float32 holds of functions
x = torch.tensor([-2.75, -1.1, -0.3, 0.2, 0.7, 1.3, 2.9, 4.1])
for f in (torch.exp, torch.tanh, torch.sin, torch.cos, torch.tan, torch.expm1, torch.atan, torch.sinh, torch.cosh):
    print(f.__name__, [v.item() for v in f(x)])
for f in (torch.log, torch.log2, torch.log10, torch.log1p):
    print(f.__name__, [v.item() for v in f(x.abs())])
print([v.item() for v in x.abs() ** 1.5], [v.item() for v in x**5], [v.item() for v in 2**x])
print([v.item() for v in torch.tensor([1.1, 1.7, 0.3]).pow(torch.tensor([1, 2, 3]))])

# % digits-magnitudes: absolute values of complex numbers, rounded once
_ = torch.manual_seed(0)
z = torch.randn(12, dtype=torch.complex64)
print(z.abs().tolist(), z.norm().item(), z.norm(1).item(), torch.dist(z[:3], z[3:6], 1).item())
print(torch.isclose(torch.tensor(2 + 4j), torch.tensor(1 + 8.8523607j), atol=0.5, rtol=0.5).item())
try:
    torch.isclose(z, z, rtol=float("nan"))
except RuntimeError as error:
    print(error)
