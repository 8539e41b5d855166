"""torch.masked: reductions and softmax of what a mask lets through; sums of segments, masked softmax, unique rows."""

import itertools
import warnings

import torch

from tests.scenarios.show import attempt

torch.manual_seed(0)
inputs = [torch.randn(3, 4), torch.randint(-5, 5, (3, 4)), torch.randint(0, 5, (3, 4), dtype=torch.uint8)]
inputs += [torch.randn(3, 4) > 0, torch.randn(3, 4, dtype=torch.complex64), torch.tensor(2.0)]
masks = [None, torch.rand(3, 4) > 0.5, torch.tensor([True, False, True, False]), torch.tensor([[1], [0], [1]])]
reductions = ["sum", "prod", "amax", "amin", "argmax", "argmin", "mean", "median", "logsumexp", "norm", "var", "std"]
scans = ["cumsum", "cumprod", "softmax", "log_softmax", "softmin", "normalize"]

data = torch.arange(6.0).reshape(2, 3)
hidden = torch.tensor([[True, False, True], [False, True, True]])

# % masked: each function of each dtype, with masks of several shapes
print(sorted(name for name in torch.masked.__all__ if "asked" not in name))
for name in reductions + scans:
    fn, ord = getattr(torch.masked, name), [2.0] if name in ("norm", "normalize") else []
    for x, mask in itertools.product(inputs, masks):
        if x.is_complex() and name in ("var", "std"):
            continue  # whose last digits differ
        for dims in ([], [-1], [(0, 1)], [5]):
            print(name, dims, end=" ")
            attempt(lambda: print(fn(x, *ord, *dims, mask=mask)))
    attempt(lambda: print(fn(inputs[0], *ord, 1, mask=masks[1], dtype=torch.float64)))
    attempt(lambda: print(fn(inputs[0], mask=3)))
    attempt(lambda: print(fn(inputs[0], *ord, 1, mask=torch.ones(2, 3, 4))))

# % masked-reductions: options, and what hidden elements are replaced by
for name in reductions:
    fn, ord = getattr(torch.masked, name), [2.0] if name == "norm" else []
    for x in inputs:
        attempt(lambda: print(name, torch.masked._reduction_identity("masked." + name, x)))
    print(fn(inputs[0], *ord, 1, keepdim=True, mask=masks[1]))
    print(torch.masked._output_mask(fn, inputs[0], *ord, 1, keepdim=True, mask=masks[1]))
for fn in (torch.masked.var, torch.masked.std):
    print(fn(inputs[0], 1, False, mask=masks[1]), fn(inputs[1], 1, correction=2, mask=masks[2]))
    attempt(lambda: fn(inputs[0], 1, True, correction=2))
print([torch.masked.norm(inputs[0], p, 1, mask=masks[1]) for p in (float("inf"), -float("inf"), 0, 1, 3.5)])
attempt(lambda: torch.masked.sum(inputs[0], (0, 0)))
print(torch.masked.logaddexp(inputs[0], inputs[0] * 2, input_mask=masks[1], other_mask=masks[2]))
attempt(lambda: torch.masked._output_mask(torch.sum, inputs[0]))
attempt(lambda: torch.masked._combine_input_and_mask(3, inputs[0], masks[1]))
attempt(lambda: torch.masked._input_mask(inputs[0]))

# % masked-gradients: what is hidden has none
for name in reductions + scans:
    fn, ord = getattr(torch.masked, name), [2.0] if name in ("norm", "normalize") else []
    x = torch.randn(3, 4, requires_grad=True)
    y = fn(x, *ord, 1, mask=masks[2])
    print(name, y.grad_fn)
    if y.requires_grad:
        print(*torch.autograd.grad((y * torch.arange(1, y.numel() + 1).reshape(y.shape)).sum(), x))

# % masked-softmax: the masks of attention
x = torch.randn(2, 2, 3, 3, requires_grad=True)
full, square, rows = torch.rand(2, 2, 3, 3) > 0.6, torch.rand(3, 3) > 0.6, torch.tensor([[False, True, True]] * 2)
for args in ((full,), (full, 3), (full, 1, 2)):
    y = torch._masked_softmax(x, *args)
    (grad,) = torch.autograd.grad(y.square().sum(), x, create_graph=True)
    print(y, grad, y.grad_fn._saved_mask.shape, y.grad_fn._saved_dim)
    attempt(lambda: torch.autograd.grad(grad.sum(), x))
for args in ((square, -1, 0), (rows, -1, 1)):
    y = torch._masked_softmax(x, *args)
    print(y)
    attempt(lambda: y.square().sum().backward())
for args in ((full.float(),), (square,), (full, 3, 0), (square, 3, 1)):
    attempt(lambda: torch._masked_softmax(x, *args))
attempt(lambda: torch._masked_softmax(torch.ones(2, dtype=torch.int64), torch.tensor([True, False])))
print(torch._masked_softmax(torch.ones(2, 2), torch.tensor([[True, True], [True, False]]), 1, 2))

# % segments: the name that PyTorch's own modules use
print(torch._segment_reduce(torch.arange(5.0), "max", lengths=torch.tensor([2, 0, 3]), unsafe=True, initial=-1))

# % unique-rows: with NaN, which is neither less nor greater than any, and never the same
for rows, columns in itertools.product((5, 20, 60), (1, 3)):
    x = torch.randint(0, 3, (rows, columns)).float()
    x[torch.rand(rows, columns) < 0.2] = float("nan")
    print([t.tolist() for t in torch.unique(x, dim=0, return_inverse=True, return_counts=True)])
print(torch.unique(torch.tensor([1.0, float("nan"), 2.0, float("nan"), 0.0, 1.0]), dim=0, return_inverse=True))

# % masked-tensors: a tensor with a mask of its own
masked_tensor, is_masked_tensor = torch.masked.masked_tensor, torch.masked.is_masked_tensor
first = torch.masked.MaskedTensor(data, hidden)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    print(first, repr(first.sum()), first.shape, first.dtype, first.is_leaf, first.layout, first.is_sparse, type(first))
    for f in (torch.sum, torch.mean, torch.prod, torch.amax, torch.amin, torch.argmax, torch.argmin, torch.all):
        print(f.__name__, f(first), f(first, 1), f(first, dim=0, keepdim=True))
    print(first.var(1), first.std(0), first.sum((0, 1)))
    attempt(lambda: first.norm())
    print(f"{first} {first.sum()}")
    attempt(lambda: f"{first.sum():.2f}")
    for call in (
        lambda t: t + 1,
        lambda t: 1 - t,
        lambda t: t * t,
        lambda t: t / 2,
        lambda t: 2 / t,
        lambda t: t**2,
        lambda t: -t,
        lambda t: abs(t),
        lambda t: t < 3,
        lambda t: t == t,
        lambda t: t + data,
        lambda t: t.exp(),
        lambda t: torch.clamp(t, 1, 2),
        lambda t: t.softmax(1),
        lambda t: torch.maximum(t, t * 2),
        lambda t: t.to(torch.int64),
        lambda t: t.t(),
        lambda t: t.reshape(3, 2),
        lambda t: t[0],
        lambda t: t[:, 1:],
        lambda t: t.split(1),
        lambda t: torch.cat([t, t]),
        lambda t: torch.stack([t, t]),
        lambda t: t.unsqueeze(0),
        lambda t: torch.where(hidden, t, t),
        lambda t: torch.where(hidden, t, data),
        lambda t: torch.where(hidden, 1.0, t),
        lambda t: t.half(),
        lambda t: t.clone(),
        lambda t: t.detach(),
        lambda t: t.contiguous(),
        lambda t: t.to_tensor(7),
        lambda t: t.get_data(),
        lambda t: t.get_mask(),
        lambda t: torch.ones_like(t),
        lambda t: t[0, 2].item(),
        lambda t: t[0, 1].item(),
        lambda t: t + masked_tensor(data, ~hidden),
        lambda t: t @ t.t(),
        lambda t: t.masked_select(hidden),
        lambda t: t.cumsum(0),
        lambda t: torch.masked.mean(t, 1),
        lambda t: torch.masked.softmax(t, 1),
    ):
        attempt(lambda: print(call(first)))
    second = masked_tensor(data, hidden)
    second.add_(1).mul_(2)
    second += 1
    second.clamp_(0, 9)
    print(second, is_masked_tensor(second), is_masked_tensor(data))
    for values in (
        torch.tensor(3.0),
        torch.tensor([1000, 2]),
        torch.tensor([123456.789, 2]),
        torch.tensor([True, False]),
    ):
        print(
            masked_tensor(
                values, torch.zeros_like(values, dtype=torch.bool).logical_not().logical_and(values == values)
            )
        )
    print(
        masked_tensor(torch.tensor([1000, 2]), torch.tensor([True, False])),
        masked_tensor(torch.tensor(2), torch.tensor(False)),
    )
    for given in (
        (data, data),
        (data, hidden[0]),
        (3, hidden),
        (first, hidden),
        (data, first),
        (data.to(torch.uint8), hidden),
    ):
        attempt(lambda: masked_tensor(*given))
attempt(lambda: first.log_softmax(1))

# % masked-tensors-gradients: what is hidden has a hidden one
masked_tensor, as_masked_tensor = torch.masked.masked_tensor, torch.masked.as_masked_tensor
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for call in (
        lambda t: t.sum(),
        lambda t: (t * t).sum(),
        lambda t: t.exp().mean(),
        lambda t: (t.softmax(1) * t.get_data()).sum(),
        lambda t: t.get_data().sum(),
        lambda t: t.to_tensor(3.0).sum(),
        lambda t: t[0].sum(),
        lambda t: t.prod(),
        lambda t: t.amax(1).sum(),
        lambda t: t.std(1).sum(),
        lambda t: torch.where(hidden, t, t).sum(),
    ):
        leaf = masked_tensor(data, hidden, requires_grad=True)
        print(call(leaf).grad_fn.name())
        attempt(lambda: call(leaf).backward())
        print(leaf.grad)
    w = data.clone().requires_grad_()
    seen = as_masked_tensor(w, hidden)
    seen.sum().backward()
    print(seen.requires_grad, type(seen.grad_fn).__name__, w.grad)
