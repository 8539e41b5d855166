"""Numbers that are complex where real ones are wanted, bools for sizes, tensors for integers, None for a tensor."""

import numpy as np
import torch
import torch.distributions
import torch.nn.attention
import torch.nn.functional as F

from tests.scenarios.show import attempt

x, i = torch.ones(2, 2), torch.tensor([1, 2])
b = torch.tensor([True, False])

# % arguments-complex: real numbers are wanted
for action in (
    lambda: F.leaky_relu(x, 1j),
    lambda: F.leaky_relu(x.double(), 1j),
    lambda: F.leaky_relu_(x.clone(), 1j),
    lambda: F.elu(x, 1j),
    lambda: F.hardshrink(x, 1j),
    lambda: F.threshold(x, 1j, 0),
    lambda: F.threshold(x, 0, 1j),
    lambda: F.softplus(x, 1j),
    lambda: torch.addmm(x, x, x, alpha=1j),
    lambda: torch.addmv(x[0], x, x[0], beta=1j),
    lambda: torch.baddbmm(x[None], x[None], x[None], beta=1j),
    lambda: torch.dist(x, x, 1j),
    lambda: torch.renorm(x, 1j, 0, 1),
    lambda: torch.renorm(x, 2, 0, 1j),
):
    attempt(action)

# % arguments-bools: for sizes and dimensions
for action in (
    lambda: torch.broadcast_to(x, (True, 2)),
    lambda: x.permute(True, False),
    lambda: x.permute((True, False)),
    lambda: x.reshape(True),
    lambda: x.reshape(True, 4),
    lambda: x.reshape((True, 4)),
    lambda: x.view(True, 4),
    lambda: x.view((True, 4)),
    lambda: x.view(-1, True),
    lambda: x.expand(True, 2, 2),
    lambda: torch.movedim(x, True, False),
    lambda: torch.unflatten(x, 0, (True, 2)),
    lambda: x.unfold(0, True, 1),
    lambda: torch.narrow(x, 0, False, True),
    lambda: torch.diag(x[0], True),
    lambda: torch.swapaxes(x, True, False),
):
    attempt(action)

# % arguments-others: None for a dimension or a tensor, tensors for sizes of windows, bools for numbers
for action in (
    lambda: torch.squeeze(x, None),
    lambda: x.squeeze(None),
    lambda: x.squeeze(dim=None),
    lambda: torch.bmm(x, None),
    lambda: F.max_pool1d(x, torch.tensor(1)),
    lambda: F.max_pool2d(x[None], (torch.tensor(1), torch.tensor([2]))),
    lambda: F.avg_pool1d(x, torch.tensor(2)),
    lambda: torch.isin(x, True),
    lambda: torch.isin(True, i),
    lambda: torch.isin(x, 1j),
    lambda: torch.ldexp(x, b),
    lambda: x.clone().ldexp_(b),
    lambda: torch.ldexp(i, b),
):
    attempt(action)

# % arguments-losses: the functions of torch read a missing reduction as none, and broadcast as they compute
a = torch.arange(6.0).view(2, 3) / 4
for action in (
    lambda: torch.binary_cross_entropy_with_logits(a, a.flip(0)),
    lambda: torch.binary_cross_entropy_with_logits(a, a[0]),
    lambda: torch.binary_cross_entropy_with_logits(a[0], a, reduction=1),
    lambda: torch.margin_ranking_loss(a, a.flip(1), torch.ones(3)),
    lambda: torch.margin_ranking_loss(a, a[0], torch.ones(3), 0.5, 1),
    lambda: torch.margin_ranking_loss(a, a[0], torch.ones(3), 0.5, 2),
    lambda: torch.margin_ranking_loss(a, a[0], torch.ones(3), 0.5, 3),
    lambda: F.margin_ranking_loss(a, a[0], torch.ones(3)),
    lambda: torch.kl_div(a, a, 3),
):
    attempt(action)

# % arguments-scale: attention with a scale that is not positive
_ = torch.manual_seed(0)
q, k, v = (torch.randn(1, 2, 3, 4, requires_grad=True) for _ in range(3))
for scale in (-0.5, 0.0):
    for causal in (False, True):
        for kernels in ([torch.nn.attention.SDPBackend.MATH], [torch.nn.attention.SDPBackend.FLASH_ATTENTION]):
            with torch.nn.attention.sdpa_kernel(kernels):
                out = F.scaled_dot_product_attention(q, k, v, scale=scale, is_causal=causal)
            print(scale, causal, out[0, 0], out.grad_fn.name())

# % arguments-storages: NumPy's integers are sizes
for storage in (torch.FloatStorage, torch.UntypedStorage, torch.Storage):
    attempt(lambda: storage(torch.arange(3).numpy()[2]).size())
attempt(lambda: torch.UntypedStorage(True))

# % arguments-extremes: shares are neither 0 nor 1, and numbers are drawn from all that a dtype holds
for dtype in (torch.float32, torch.float64):
    for first, second in ((100.0, 1e-2), (1e-2, 100.0), (1e-4, 1e-4), (1e3, 1e-3)):
        _ = torch.manual_seed(0)
        concentrations = torch.tensor([first, second, 1.0], dtype=dtype)
        x = torch.distributions.Beta(concentrations[0], concentrations[1]).sample((50,))
        y = torch.distributions.Dirichlet(concentrations).sample((50,))
        print(x.min() > 0, x.max() < 1, x.isnan().any(), y.min() > 0, y.max() < 1)
most = torch.finfo(torch.float32).max
_ = torch.manual_seed(0)
for low in (-most, 0, -1e38):
    print(torch.testing.make_tensor(3, dtype=torch.float32, device="cpu", low=low, high=most))

# % arguments-order-of-checks: sizes before dtypes of masks, sizes and casts before factors, sizes before dimensions
i, j, k = (torch.ones(s, dtype=torch.int64) for s in ((2,), (2, 3), (3,)))
for a in (1.5, True, 1j):
    for call in (
        torch.add,
        torch.sub,
        torch.rsub,
        lambda x, y, alpha: x.add_(y, alpha=alpha),
        lambda x, y, alpha: x.sub_(y, alpha=alpha),
    ):
        for y in (k, j, k.bool(), i.float(), 2, 2.5):
            attempt(lambda call=call, y=y, a=a: call(i.clone(), y, alpha=a))
for mask in (torch.ones(3), torch.ones(3).byte(), torch.ones(2), torch.ones(2, 2).byte()):
    attempt(lambda mask=mask: torch.ones(2).masked_fill(mask, 1))
    attempt(lambda mask=mask: torch.ones(2).masked_fill_(mask, 1))
for dim in (0, 1, (0, 1), (1, 0)):
    attempt(lambda dim=dim: torch.empty(0).amax(dim))
attempt(lambda: torch.nn.functional.cross_entropy(torch.zeros(2), torch.ones(2, dtype=torch.complex64)))

# % arguments-python-types: Python's number types are dtypes, and numbers tensors that to() takes the dtype of
for kind in (float, int, bool, complex):
    print(x.to(kind).dtype, x.to("cpu", kind).dtype, x.to(dtype=kind).dtype, x.new_zeros(2, 3, dtype=kind).dtype)
    print(x.sum(dtype=kind), x.prod(0, dtype=kind), torch.softmax(i, 0, float))
    print(torch.promote_types(kind, torch.float32), torch.can_cast(kind, torch.int64))
for number in (2.5, True, 1j):
    print(x.to(number), x.to(number, copy=True).dtype, x.to(tensor=number).dtype)
print(x.double().view(int), x.view(dtype=float), torch.linalg.vector_norm(x, dtype=float), torch.norm(x, dtype=float))
print(torch.nn.Linear(2, 2).to(float).weight.dtype, torch.nn.Linear(2, 2, dtype=float).weight.dtype)
print(torch.finfo(float).dtype, torch.iinfo(int).dtype, torch.cumsum(i, 0, dtype=float, out=torch.zeros(2).double()))
for action in (
    lambda: torch.nn.Linear(2, 2).to(int),
    lambda: torch.nn.Linear(2, 2).to(x.int(), non_blocking="a"),
    lambda: x.to("cpu", torch.int, non_blocking=1),
    lambda: x.to(str),
    lambda: x.type(float),
    lambda: x.sum(dtype=str),
    lambda: x.view(size=4),
):
    attempt(action)

# % arguments-other-names: NumPy's names of arguments, for every function whose first tensor is its input
print(torch.sin(a=i), torch.relu(x1=x), torch.exp(x=x), torch.abs(a=i), torch.sin_(a=x.clone()))
print(torch.div(x1=i, x2=i + 1, rounding_mode="floor"), torch.special.expit(a=i), torch.sinc(x=x))
for action in (
    lambda: torch.sin(i, a=i),
    lambda: torch.sin(b=i),
    lambda: torch.sin(a=3),
    lambda: x.div_(torch.device("cpu"), 0.5, rounding_mode="floor"),
    lambda: torch.div(i, a=i, rounding_mode="floor"),
):
    attempt(action)

# % arguments-first: arguments are read before shapes, casts, leaves and dimensions are looked at
for action in (
    lambda: x.int().fmod_(0.5, (1, "a")),
    lambda: torch.topk(x, 0, largest={}, sorted=True),
    lambda: x.mean(2, keepdim=1j),
    lambda: torch.prod(x, 2, [1]),
    lambda: torch.gather(x, -1, x, sparse_grad=[None]),
    lambda: torch.ger(x[0, 0], [None]),
    lambda: x.addmm_(x, x.double(), beta=[None]),
    lambda: x.cumsum_(1, dtype=torch.float64, other=1),
    lambda: x.cumsum_(0, input=x),
    lambda: torch.moveaxis(x, [x, 3], destination=[0]),
    lambda: torch.meshgrid([x, x], indexing=3),
    lambda: torch.permute(None, (1,)),
    lambda: torch.reshape({}, [1]),
    lambda: torch.atleast_2d([1]),
    lambda: torch.atleast_3d([[1]]),
    lambda: x.cpu(x),
    lambda: torch.Tensor.sin(3),
    lambda: torch.Tensor.sum(),
    lambda: torch.Tensor.gather(None, 1, i),
):
    attempt(action)

# % arguments-plain: NumPy's numbers and tensors of one element for sizes, dimensions and factors
y, t = torch.arange(12.0).view(3, 4), torch.tensor
print(y.roll(np.int32(1), np.int32(0)), y.roll([np.int64(1)], [t(0)]), torch.fft.fftshift(y, np.int32(1)))
print(torch.fft.fft(y, 6, t(1)).shape, torch.topk(y, t([2]), 1), y.vsplit(t(3, dtype=torch.int32))[0])
print((y + 5).mvlgamma_(t(2))[0], y.norm(2, t(0)))
print(F.normalize(y, dim=t(1))[0], torch.norm(y, 2, np.int64(1)), F.max_pool1d(y[None], t(2)).shape)
print(F.affine_grid(torch.ones(1, 2, 3).bfloat16(), (1, 1, 2, 3), align_corners=False))
attempt(lambda: F.threshold(y, 1))
for _ in range(2):
    print(torch.threshold(y, t(1), t(2.0))[0], torch.roll(y, t(1), t(0))[0], F.leaky_relu(y, t(0.1))[0])
attempt(lambda: torch.threshold(y, t([1.0]), 2))

# % arguments-counted: names of classes in errors, keywords that stand for what was given, numbers of other types
lr, dist = torch.optim.lr_scheduler, torch.distributions
y, t, scale = torch.arange(12.0).view(3, 4), torch.tensor, torch.tensor(1.0)
print(dist.HalfNormal(scale).icdf(prob=t(0.5)), dist.HalfCauchy(scale).icdf(prob=t(0.5)))
print(F.layer_norm(y, (4,), eps=t(0.5))[0], torch.trapezoid(y, torch.ones(1, 4)))
for action in (
    lr.LambdaLR,
    lr.MultiplicativeLR,
    dist.HalfNormal,
    dist.HalfCauchy,
    lambda: F.layer_norm(y, (4,), eps=t([0.5])),
    lambda: torch.trapezoid(torch.ones(3), torch.ones(2, 3)),
    lambda: torch.trapezoid(torch.ones(4, 3), torch.ones(2, 4, 3)),
    lambda: torch.round(y, decimals=1.0),
    lambda: torch.round(y, decimals=True),
    lambda: torch.clamp(y, 1, input=y),
    lambda: y.clamp_(1, input=y),
):
    attempt(action)

# % arguments-repeated: sizes of layers are any iterable, or a number for each dimension
nn = torch.nn
for layer in (
    nn.ReflectionPad2d(range(1, 5)),
    nn.ZeroPad1d({1: 2, 3: 4}),
    nn.ConstantPad1d(torch.tensor([1, 2]), 0.5),
    nn.AvgPool1d([2]),
    nn.AvgPool1d(2, [1]),
    nn.MaxUnpool2d([2, 3], stride=range(2, 4)),
    nn.FractionalMaxPool2d(2, output_size=torch.Size([3, 2])),
):
    print(layer)
for action in (
    lambda: F.layer_norm(x, x),
    lambda: F.layer_norm(x, torch.Size([2])).shape,
    lambda: F.layer_norm(x, range(2, 3)),
    lambda: nn.ZeroPad2d("ab"),
):
    attempt(action)

# % arguments-dims: a dimension is no tensor of one element and no bool, unless a list of dimensions is wanted
y, t = torch.arange(12.0).view(3, 4), torch.tensor
for dim in (t([1]), t(1), t(True), np.int64(1)):
    for action in (
        lambda: y.transpose(0, dim).shape,
        lambda: torch.transpose(y, dim, 0).shape,
        lambda: y.unsqueeze(dim).shape,
        lambda: y.size(dim),
        lambda: y.stride(dim),
        lambda: y.flatten(0, dim).shape,
        lambda: y.cumsum(dim)[0],
        lambda: torch.cat([y, y], dim).shape,
        lambda: torch.stack([y, y], dim).shape,
        lambda: y.gather(dim, t([[0]])),
        lambda: y.select(dim, 0),
        lambda: y.sum(dim),
        lambda: y.squeeze(dim).shape,
    ):
        attempt(action)
for action in (
    lambda: y.transpose(0, True),
    lambda: y.select(0, True),
    lambda: y.size(2**70),
    lambda: y.cumsum(-(2**70)),
    lambda: torch.cat(y, out=torch.empty(0)),
    lambda: torch.stack(y, out=torch.empty(0)),
):
    attempt(action)

# % arguments-masks: the mask is read before the number that is written
y, t = torch.arange(12.0).view(3, 4), torch.tensor
mask = torch.tensor([[1, 0]], dtype=torch.uint8)
for action in (
    lambda: y[:2, :2].masked_fill(mask, 1j),
    lambda: y[:2, :2].int().masked_fill(mask, t(2**40)),
    lambda: y[:2, :2].int().masked_fill(mask.bool(), t(2**40)),
    lambda: y[:2, :2].int().masked_fill(mask.bool(), t(-2.5)),
    lambda: y[:2, :2].bool().masked_fill(mask.bool(), t(2j)),
    lambda: y[:2, :2].int().masked_fill_(mask, 2**40),
    lambda: y[:2, :2].masked_fill(mask[:, :1].expand(2, 3), 1j),
    lambda: y.index_fill(0, t([0]), t(1j)),
    lambda: y.index_fill(0, t([0]), 1j),
):
    attempt(action)
for _ in range(2):
    attempt(lambda: y[:2, :2].masked_scatter(mask, y))
attempt(lambda: y[:2, :2].masked_scatter(mask, y.double()))

# % arguments-unforeseen: other names, places and types than anybody thought of
x = torch.arange(6.0).view(2, 3)
for action in (
    lambda: torch.add(self=x, other=x, alpha=2),
    lambda: torch.add(x1=x, x2=x, alpha=2),
    lambda: torch.reshape(x, (1.5,)),
    lambda: torch.permute(x, ["a"]),
    lambda: torch.sum(x, dim=(0, True)),
    lambda: torch.sin(1, input=x),
    lambda: torch.special.i1(input=""),
    lambda: torch.unique(x, axis=0),
    lambda: torch.add(x, x, out=5),
    lambda: F.softmax(x, 1, dtype=x),
    lambda: F.huber_loss(x, x, delta="a"),
    lambda: F.interpolate(x[None], 2, mode=None),
    lambda: F.max_pool2d(x[None], -2),
    lambda: F.one_hot(input=i),
    lambda: torch.nn.init.normal_(x, "a"),
    lambda: torch.optim.LBFGS([torch.nn.Parameter(x)]).step(None),
    lambda: torch.optim.LBFGS([torch.nn.Parameter(x)]).step(lambda: x),
):
    attempt(action)
print(F.adaptive_avg_pool1d(torch.tensor([[1.0, float("nan"), 2.0, 3.0, 4.0]]), 3))
w = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
w.grad = torch.tensor([float("nan"), 1.0])
torch.optim.Rprop([w]).step()
print(w)

# % sizes-given-wrong: torch.Size takes one sequence, as tuple does
for call in (
    lambda: torch.Size((1,), 2),
    lambda: torch.Size(1, 2, 3),
    lambda: torch.Size((1,), a=2),
    lambda: torch.Size(sizes=(1,)),
    lambda: torch.Size(),
):
    attempt(lambda: print(call()))
