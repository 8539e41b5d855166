"""What graphs look like inside: the Nodes of composed operations, and all that Nodes say they have saved."""

import warnings

import torch
from torch.nn import functional as F

from tests.scenarios.show import attempt

warnings.simplefilter("ignore")


def tensor(*size):
    return torch.rand(*size, dtype=torch.float64).requires_grad_()


def show(out):
    """Every Node above a result, with what it saved: of tensors the shape."""
    waiting = [(out.grad_fn, 0)]
    while waiting:
        node, depth = waiting.pop()
        names = [n for n in sorted(dir(node)) if n.startswith("_saved_")]
        saved = {n[7:]: getattr(node, n) for n in names}
        shapes = {n: tuple(v.shape) if isinstance(v, torch.Tensor) else v for n, v in saved.items()}
        print("  " * depth + node.name(), shapes)
        above = [n for n, _ in node.next_functions if n is not None and not n.name().endswith("AccumulateGrad")]
        waiting += [(n, depth + 1) for n in reversed(above)]


# % saved-differences: slopes, differences and areas
torch.manual_seed(0)
squares = torch.arange(5.0, dtype=torch.float64) ** 2
show(torch.diff(tensor(5)))
show(torch.diff(tensor(5, 4), n=2, dim=0))
show(torch.trapezoid(tensor(3, 4), tensor(4)))
show(torch.trapezoid(tensor(3, 4), dx=2))
show(torch.cumulative_trapezoid(tensor(3, 4), tensor(4)))
show(torch.gradient(tensor(5))[0])
show(torch.gradient(tensor(5, 4), spacing=2, dim=1)[0])
show(torch.gradient(tensor(5, 4), spacing=(squares,), dim=0)[0])
show(torch.gradient(tensor(5), edge_order=2)[0])
show(torch.gradient(tensor(5), spacing=(squares,), edge_order=2)[0])

# % saved-products: inner products, contractions, covariances
torch.manual_seed(0)
show(torch.inner(tensor(4), tensor(4)))
show(torch.inner(tensor(3, 4), tensor(2, 4)))
show(torch.tensordot(tensor(2, 3, 4), tensor(4, 5), 1))
show(torch.tensordot(tensor(2, 3), tensor(2, 3), dims=([0, 1], [0, 1])))
show(torch.tensordot(tensor(2, 2), tensor(2, 2), dims=([0, 1], [1, 0])))
show(torch.cov(tensor(2, 3)))
show(torch.cov(tensor(2, 3), aweights=tensor(3)))
show(torch.cov(tensor(2, 3), correction=0, fweights=torch.tensor([1, 2, 1]), aweights=tensor(3)))
show(tensor(5, 0) @ tensor(0, 5))
show(tensor(5, 4) @ tensor(4, 5).detach())

# % saved-transforms: Fourier transforms that fill up their input
torch.manual_seed(0)
show(torch.fft.fft(tensor(2, 3, 4), n=6, dim=1))
show(torch.fft.fft2(tensor(2, 3, 4), s=(5, 6)))
show(torch.fft.rfftn(tensor(2, 3), s=(5, 2)))
show(torch.fft.ihfft(tensor(2, 3), n=6))
show(torch.fft.ihfftn(tensor(2, 3), s=(3, 4)))
show(torch.fft.irfft(tensor(2, 3)))

# % saved-matrices: factorizations and systems
a, b = torch.eye(3, dtype=torch.float64, requires_grad=True), tensor(3, 1)
show(torch.linalg.det(a))
show(torch.linalg.slogdet(a)[1])
show(torch.linalg.solve(a, b))
show(torch.linalg.solve_triangular(a, b, upper=True))
for each in torch.triangular_solve(b, a):
    show(each)
print(torch.autograd.grad(torch.triangular_solve(b, a)[1].sum(), [b, a]))
show(torch.cholesky_solve(b.detach(), a))
show(torch.linalg.svdvals(a))
show(torch.linalg.lu_factor(a)[0])
show(torch.lu_unpack(tensor(3, 5), torch.ones(3, dtype=torch.int32))[1])
show(torch.matrix_exp(a))
show(torch.linalg.householder_product(a, tensor(3)))
show(torch.ormqr(a, tensor(3), a))
m = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
print(torch.linalg.det(m).grad_fn._saved_LU.detach().tolist(), torch.linalg.det(m.t()).grad_fn._saved_LU.tolist())
print(torch.linalg.solve(m, m.detach()).grad_fn._saved_LU.detach().tolist())

# % saved-layers: layers and losses
torch.manual_seed(0)
show(F.smooth_l1_loss(tensor(3), tensor(3), beta=5))
show(F.huber_loss(tensor(3), tensor(3), delta=2))
show(F.triplet_margin_loss(tensor(2, 3), tensor(2, 3), tensor(2, 3), p=1))
show(F.rms_norm(tensor(2, 3), (3,)))
show(F.pad(tensor(1, 1, 3, 3), (1, 1, 2, 1), mode="circular"))
show(F.pad(tensor(1, 1, 3, 3), (-1, 1, 2, 1)))
show(F.multilabel_margin_loss(tensor(2, 3), torch.tensor([[0, -1, 1], [1, 0, -1]])))
show(F.embedding_bag(torch.tensor([0, 1]), tensor(3, 2), torch.tensor([0])))
show(F.fractional_max_pool2d(tensor(1, 1, 6, 6), 2, output_size=3))
show(F.bilinear(tensor(2, 3), tensor(2, 4), tensor(5, 3, 4)))
show(F.channel_shuffle(tensor(1, 4, 2, 2), 2))

# % saved-numbers: numbers as they were given, all other integers unsigned
torch.manual_seed(0)
x = tensor(3, 4)
show(torch.diagonal(x, -1))
show(torch.flip(x, (-1,)))
show(torch.roll(x, -1, -2))
show(torch.rot90(x, -1))
show(x.tril(-1))
show(x.permute(-1, 0))
show(x.clamp(min=-1))
show(x * -2)
show(torch.linalg.vector_norm(x, -1, 0))
show(torch.put(x, torch.tensor([0]), tensor(1)))
show(torch.normal(x, 1.0))
show(torch.normal(0.0, x))
show(torch.complex(x, x.detach()))
show(torch.polar(x, x))
show(torch.as_strided_scatter(x, tensor(2), (2,), (1,)))
attempt(lambda: show(torch.split_copy(x, 2)[0]))

# % saved-bias-alone: a bias without weights has the shape of what is normalized
torch.manual_seed(0)
x, bias = tensor(2, 2, 3), tensor(2, 3)
F.layer_norm(x, (2, 3), None, bias).sum().backward()
print(bias.grad)

# % saved-versions: a saved result that hooks packed has the version of the result
a = torch.ones(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    b = a.exp()
held = b.grad_fn._saved_result
print(held._version, held.grad_fn is b.grad_fn)
b.detach().add_(1)
print(held._version, b._version, b.grad_fn._saved_result._version)

# % saved-order: in which order the values of an operation are packed
torch.manual_seed(0)
x, w, b = (torch.randn(s, requires_grad=True) for s in ((4, 2), (3, 2), (3,)))
for call in (
    lambda: torch.nn.functional.linear(x, w, b),
    lambda: torch.nn.functional.linear(x, w),
    lambda: torch.addmm(b, x, w.t()),
    lambda: x * w[0],
    lambda: torch.baddbmm(torch.zeros(1, 4, 3), x[None], w.t()[None]),
    lambda: w.mv(x[0]),
    lambda: torch.addmv(b, w, x[0]),
    lambda: torch.nn.functional.layer_norm(x, (2,), x[0], x[1]),
    lambda: torch.nn.functional.batch_norm(x, None, None, x[0], x[1], True),
    lambda: torch.cdist(x, w),
    lambda: torch.lerp(x, w[0], x),
):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (print(tuple(t.shape), t.stride()), t)[1], lambda t: t):
        print(call().grad_fn.name())
