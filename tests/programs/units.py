"""What PyTorch's own unit tests look at, where it was not what is said here."""

import warnings

import torch
import torch.nn.functional as F

from tests.scenarios.show import attempt

# % units-asarray: a copy or another dtype keeps the graph, if it is not told to leave it
for leaf in (True, False):
    for kind in (None, torch.float64):
        for copy in (None, True):
            for wanted in (True, False):
                x = torch.tensor([1.0, 2.0], requires_grad=True)
                x = x if leaf else x * 2
                y = torch.asarray(x, dtype=kind, copy=copy, requires_grad=wanted)
                print(kind, copy, wanted, y.requires_grad, y.grad_fn and y.grad_fn.name(), y.data_ptr() == x.data_ptr())
print(torch.asarray(torch.ones(1, requires_grad=True), copy=True))

# % units-normal: normal numbers are drawn in the dtype of out=
for kind in (torch.float64, torch.float16, torch.int32):
    for mean, std in ((torch.zeros(3), torch.ones(3)), (torch.zeros(3), 1.0), (0.0, torch.ones(3))):
        torch.manual_seed(0)
        attempt(lambda: (torch.normal(mean, std, out=torch.empty(3, dtype=kind)), torch.rand(1)))
print(torch.empty(2).log_normal_(float("inf")), torch.empty(2).log_normal_(-float("inf")))

# % units-rows: rows of whole numbers begin and end where the dtype says; so do rows that it cannot hold
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for bounds in ((1.5, 4), (-1.5, 4), (1.9, 4.2, 1.5), (5, 1, -2)):
        print(torch.range(*bounds, dtype=torch.int64), torch.range(*bounds, dtype=torch.int8))
    for kind in (torch.bool, torch.complex64):
        attempt(lambda: torch.range(1, 4, dtype=kind))
for form in (torch.linspace, torch.logspace):
    for bounds, kind in (
        ((0, 128, 4), torch.int8),
        ((-1, 5, 3), torch.uint8),
        ((0, 2**31, 3), torch.int32),
        ((0, float("inf"), 3), torch.int64),
        ((0, 128, 1), torch.int8),
        ((0, 128, 0), torch.int8),
        ((0, 70000, 3), torch.float16),
        ((0, 1e39, 3), torch.complex64),
        ((1e39, 0, 1), torch.float32),
    ):
        attempt(lambda: form(*bounds, dtype=kind))

# % units-strides: results lie as TensorIterator lays them, where strides are the same or 0
for size, stride in (((2, 3, 4), (3, 3, 10)), ((2, 3, 4), (3, 0, 10)), ((4, 2, 3), (10, 3, 3))):
    x = torch.empty_strided(size, stride).fill_(0.5)
    for f in (F.gelu, F.elu, F.hardtanh, F.softplus, F.leaky_relu, torch.isposinf, lambda t: torch.polygamma(1, t)):
        print(f(x).stride(), end=" ")
    print(torch.nan_to_num(x).stride(), *[r.stride() for r in torch.frexp(x)])
x = torch.empty_strided((1, 1, 4, 2), (0, 0, 10, 2)).fill_(1)
print([x.roll(1, d).stride() for d in range(4)], torch.cat([x, x[:, :0]], 1).stride())
print(F.max_pool1d(torch.ones(2, 3, 6).transpose(1, 2), 1).stride())

# % units-triangles: the in-place form clears what it does not keep, also in memory that overlaps
for size, stride in (((2, 3, 3), (0, 3, 1)), ((3, 3), (0, 1)), ((3, 3), (1, 1)), ((2, 3, 3), (9, 1, 1))):
    x = torch.arange(1.0, 25.0).as_strided(size, stride)
    print(x.clone().triu(), x.triu_(1).sum(), x, x.tril_(), x._version)

# % units-linear-algebra: what is refused, and in whose name
A = torch.eye(3) * 2
for f in (
    lambda: torch.linalg.solve(A, torch.ones(3), left=False),
    lambda: torch.linalg.solve(torch.ones(1, 1), torch.ones(1), left=False),
    lambda: torch.linalg.cond(torch.empty(0, 0), 3),
    lambda: torch.linalg.pinv(A, rcond=torch.tensor(0.1j)),
    lambda: torch.lu_unpack(torch.ones(3), torch.ones(3, dtype=torch.int32)),
    lambda: torch.linalg.householder_product(torch.ones(3, 2), torch.ones(2, dtype=torch.float64)),
    lambda: torch.linalg.lu_factor_ex(torch.zeros(2, 2), check_errors=True),
    lambda: torch.linalg.lu_factor(torch.zeros(2, 2)),
    lambda: torch.linalg.lu_factor(torch.stack([torch.eye(2), torch.zeros(2, 2)])),
    lambda: torch.frexp(A[0, 1:], out=(A[0, :2], torch.empty(2, dtype=torch.int32))),
    lambda: F.max_pool1d(torch.ones(1, 2, 6, 6), 2, return_indices=True),
    lambda: F.max_pool1d(torch.ones(2, 0, 6), 2, return_indices=True),
    lambda: F.max_pool1d(torch.ones(1, 2, 6, 6), 2),
):
    attempt(f)

# % units-out: the mean is computed in the dtype of out=; frequencies are written into it
x = torch.tensor([[0.1, 0.7, 1.3], [0.2, 0.3, 1e-8]])
for kind in (torch.float64, torch.float16, torch.complex64, torch.int64):
    attempt(lambda: torch.mean(x, 0, out=torch.empty(3, dtype=kind)).tolist())
    attempt(lambda: torch.mean(x, 0, dtype=torch.float64, out=torch.empty(3, dtype=kind)).tolist())
    attempt(lambda: torch.mean(torch.tensor([[1, 2, 3]]), 0, out=torch.empty(3, dtype=kind)))
print(torch.mean(x, out=torch.empty(0, dtype=torch.float64)).item())
print(torch.fft.fftfreq(4, out=torch.empty(0)), torch.fft.rfftfreq(4, 0.5, out=torch.empty(0, dtype=torch.float64)))
attempt(lambda: torch.fft.fftfreq(4, out=torch.empty(0), dtype=torch.float64))
attempt(lambda: torch.fft.rfftfreq(-1))

# % units-transforms: what stft and the inverse of Hermitian transforms say first
warnings.simplefilter("ignore")
for size in (3, 4, 5):
    for length in (2, 3, 4):
        attempt(
            lambda: torch.stft(torch.ones(size), 4, 1, length, center=False, align_to_window=True, return_complex=True)
        )
attempt(lambda: torch.stft(torch.ones(8, dtype=torch.complex64), 0, return_complex=True))
attempt(lambda: torch.stft(torch.ones(2, 2, 8), 4, window=torch.ones(4) * 1j, return_complex=True))
for dims in ((0, 0), (5,), None):
    attempt(lambda: torch.fft.ihfftn(torch.ones(2, 2) * 1j, dim=dims))

# % units-nothing: attention over nothing is 0, whatever else is asked
for q, k, v in (
    ((0, 3, 4), (0, 5, 4), (0, 5, 4)),
    ((2, 3, 4), (2, 0, 4), (2, 0, 6)),
    ((2, 3, 4), (2, 5, 4), (2, 5, 0)),
):
    for grad in (False, True):
        query, key, value = torch.ones(q, requires_grad=grad), torch.ones(k), torch.ones(v)
        for more in ({}, {"dropout_p": 1.5}, {"attn_mask": torch.ones(7, 7), "is_causal": True}):
            y = F.scaled_dot_product_attention(query, key, value, **more)
            print(y.shape, y.sum(), y.grad_fn and y.grad_fn.next_functions[1][0].next_functions[0][0].name())
    if grad:
        y.sum().backward()
        print(query.grad.shape, query.grad.sum())
print(F.scaled_dot_product_attention(torch.ones(1, 2, 0), torch.ones(1, 3, 0), torch.arange(3.0).view(1, 3, 1)))
attempt(lambda: F.scaled_dot_product_attention(torch.ones(1, 2), torch.ones(1, 2), torch.ones(1, 2), dropout_p=1.5))
print(F.scaled_dot_product_attention(torch.ones(1, 2), torch.ones(1, 2), torch.ones(1, 2), dropout_p=-0.5))

# % units-convolutions: dilations of 0 and below, output paddings below 0
x, w = torch.ones(2, 4, 6), torch.ones(4, 4, 3)
for kind in (torch.float32, torch.float64, torch.int64):
    for dilation in (0, -1):
        attempt(lambda: F.conv1d(x.to(kind), w.to(kind), dilation=dilation))
attempt(lambda: F.conv1d(x[:1], w, dilation=0))
attempt(lambda: F.conv1d(x[:0], w, dilation=0).shape)
attempt(lambda: F.conv1d(x, w[:, :2], dilation=0))
attempt(lambda: F.conv_transpose3d(torch.ones(1, 2, 3, 3, 3), torch.ones(2, 2, 2, 2, 2), dilation=0))
attempt(lambda: F.conv_transpose1d(x, w, output_padding=-1))

# % units-special: what is asked first of numbers that are infinite or none
nan, inf = float("nan"), float("inf")
x = torch.tensor([inf, -inf, nan, 0.0, 1, -1, 2.5, -2.5])
for f in (torch.igamma, torch.igammac, torch.special.zeta):
    print(f(x[:, None], x))
for kind in (torch.int8, torch.int64):
    low = torch.iinfo(kind).min
    print(torch.pow(torch.tensor([[low], [-1], [2]], dtype=kind), torch.tensor([low, low + 1, 0, 3], dtype=kind)))

# % units-said: arguments of the wrong kind, outputs that depend on nothing, comparisons of what has no values
from torch.testing import assert_close  # noqa: E402
from torch.utils.checkpoint import checkpoint_sequential  # noqa: E402

attempt(lambda: torch.utils.dlpack.to_dlpack(1))
attempt(lambda: checkpoint_sequential(torch.nn.ReLU(), 1, torch.ones(2), use_reentrant=False))
attempt(lambda: assert_close(torch.ones(1), torch.ones(1, device="meta"), check_device=False))
attempt(lambda: assert_close(torch.ones(1), torch.ones(2, device="meta"), check_device=False))
pair = torch.ones(2), torch.ones(2)
attempt(lambda: torch.autograd.functional.jacobian(lambda x, y: (x + y, x * 2), pair, strict=True))
for kind in (torch.int64, torch.float32, torch.complex64):
    torch.manual_seed(0)
    attempt(lambda: F.dropout(torch.ones(3).to(kind)))
    print(torch.rand(1))

# % units-scatters: copies with another part lie in memory as their input does
plain = torch.arange(24.0).view(4, 3, 2)
for x in (plain.permute(2, 1, 0), plain.permute(2, 1, 0).clone(), plain.transpose(0, 1)[1:], plain[:, ::2]):
    rows, ends = torch.zeros(x.shape[1:]), torch.zeros(torch.diagonal(x).shape)
    print(x.select_scatter(rows, 0, 1).stride(), x.slice_scatter(rows[None], 0, 0, 1).stride(), end=" ")
    print(x.diagonal_scatter(ends).stride(), x.as_strided_scatter(-torch.ones(2), (2,), (1,)))

# % units-small: numbers along a dimension that they have not; Cholesky's factors of nothing
number = torch.tensor(2.0)
for repeats in (torch.tensor(2), torch.tensor([1, 2]), torch.tensor([[1]])):
    attempt(lambda: torch.repeat_interleave(number, repeats, 0))
for size in ((0, 3), (2, 0, 3), (0,)):
    attempt(lambda: torch.cholesky(torch.empty(size)))
attempt(lambda: torch.signal.windows.hann(3, std=1))
attempt(lambda: torch.signal.windows.nuttall(3, a=[1.0]))

# % units-found: what is refused before PyTorch looks for a kernel, and what is written into
w = torch.ones(1, 2, 6, 6, requires_grad=True)
for call in (
    lambda: F.max_pool1d(w, 2),
    lambda: F.max_pool1d(w[0, 0, 0], 2),
    lambda: F.max_pool1d(w[:, :, :0, 0], 2),
    lambda: torch.cdist(torch.ones(2, 0).half(), torch.ones(2, 0).half()),
    lambda: torch.cdist(torch.ones(2, 1).half(), torch.ones(2, 1).half()),
    lambda: torch.complex(torch.ones(2), torch.tensor([1.0, float("nan")])).isfinite(),
    lambda: torch.ones(2, dtype=torch.complex64, requires_grad=True).t().isfinite()._version,
    lambda: torch.ones(2).isfinite()._version,
):
    attempt(call)
whole = torch.ones(2, dtype=torch.int64)
torch.set_default_dtype(torch.float64)
attempt(lambda: F.gaussian_nll_loss(whole, whole, whole))
torch.set_default_dtype(torch.float32)

# % units-attention-halves: of 16 bits, attention that is several operations is computed in float32
for kind in (torch.float16, torch.bfloat16):
    q, k, v = ((torch.arange(n) * 0.37 % 1.7 - 0.8).view(2, -1, 4).to(kind) for n in (24, 40, 40))
    q.requires_grad_()
    for options in ({}, {"is_causal": True}, {"attn_mask": torch.eye(3, 5) < 1}, {"scale": 0.3}):
        y = F.scaled_dot_product_attention(q, k, v, **options)
        print(y, torch.autograd.grad(y.sum(), q))
    print(y.grad_fn.next_functions[0][0].name())
for kind in (torch.int64, torch.uint8):
    whole = torch.ones(1, 2, 4, dtype=kind)
    attempt(lambda whole=whole: F.scaled_dot_product_attention(whole, whole, whole, is_causal=True))
    attempt(lambda whole=whole: F.scaled_dot_product_attention(whole, whole, whole, torch.eye(2) > 0))

# % units-spectra: what is real of the spectrum of real numbers is so to the last bit
for n in (6, 7, 10, 12, 36):
    whole = (torch.arange(2.0 * n).view(2, n) * 0.7) % 3
    for kind in (torch.float32, torch.float64):
        for transform in (torch.fft.fft, torch.fft.ifft):
            spectrum = transform(whole.to(kind)).resolve_conj()
            print(spectrum[:, [0, n // 2]].imag.abs() if n % 2 == 0 else spectrum[:, 0].imag.abs())
            print(torch.equal(spectrum[:, 1:], spectrum[:, 1:].flip(1).conj()))
print(torch.fft.fft(torch.arange(6.0)), torch.fft.ifft(torch.arange(6.0)))

# % units-zeros: the sign of gradients that are zero, or without bounds at -0
for kind in (torch.float32, torch.float16):
    for function in (F.softmax, F.log_softmax, F.softmin):
        x = torch.tensor(0.3, dtype=kind, requires_grad=True)
        y = function(x, 0)
        print([torch.autograd.grad(y, x, torch.tensor(g, dtype=kind), retain_graph=True) for g in (1.0, -1.5)])
x = (torch.eye(3, 4) * 9).requires_grad_()
for p in (1, 2):
    for reduction in ("none", "mean"):
        loss = F.multi_margin_loss(x, torch.tensor([0, 1, 3]), p=p, reduction=reduction)
        print(torch.autograd.grad(loss.sum(), x, retain_graph=True), torch.autograd.grad(-loss.sum(), x))
x = torch.tensor([0.0, 1.0, 0.5, -1.0, 2.0, torch.nan], requires_grad=True)
for eps in (None, 0.1):
    print(torch.autograd.grad(torch.logit(x, eps).sum(), x), torch.autograd.grad(-torch.logit(x, eps).sum(), x))

# % units-limits: limits of bytes without their fractions; tolerances that are complex; sums of nothing in 16 bits
small = torch.tensor([0, 1, 2, 3], dtype=torch.uint8)
for limits in ((-0.5, 0.5), (-0.9, 3), (-1, 1), (0.5, 2.5), (-torch.inf, 1), (torch.nan, 1)):
    attempt(lambda limits=limits: print(F.hardtanh(small, *limits)))
for options in ({"rtol": torch.tensor(1j)}, {"atol": torch.tensor(1j)}, {"rcond": torch.tensor(1j)}):
    attempt(lambda options=options: torch.linalg.pinv(torch.eye(2), **options))
for kind in (torch.float16, torch.bfloat16, torch.float64):
    print(torch.logsumexp(torch.empty(0, dtype=kind), 0))
for kind in (torch.int64, torch.bool):
    attempt(lambda kind=kind: torch.histogram(torch.ones(2, dtype=kind), torch.ones(2, dtype=kind)))
    attempt(lambda kind=kind: torch.histogram(torch.ones(2, dtype=kind), 2))

# % units-out-exact: out= tensors that must have the dtype of the result
x = torch.arange(64.0).view(1, 1, 4, 4, 4)
for kind in (torch.float32, torch.float64, torch.int64):
    pooled, voxels, part, *outs = (torch.empty(0, dtype=kind) for _ in range(6))
    attempt(lambda out=pooled: torch._C._nn.avg_pool2d(x[0], 2, out=out).shape)
    attempt(lambda out=voxels: torch._C._nn.avg_pool3d(x, 2, out=out).shape)
    attempt(lambda out=part: torch.narrow_copy(x, 2, 1, 2, out=out).shape)
    attempt(lambda out=tuple(outs): torch.lu_unpack(*torch.linalg.lu_factor(torch.eye(2)), out=out).P.dtype)

# % units-close: containers and types are compared before values, numbers of NumPy as Python's, tolerances by dtype
import numpy as np  # noqa: E402
from torch.testing import assert_allclose, assert_close  # noqa: E402

nan = float("nan")
t = torch.tensor
for a, b, options in (
    ([1, 2], [1], {"msg": "mine"}),
    ([1, 2], [3, "a"], {}),
    ([1, [2, None]], (1, [2, 3]), {"msg": lambda words: f"<{words}>"}),
    ({"a": {"b": 1}}, {"a": {"c": 1}}, {}),
    ({"a": [t([1.0]), True]}, {"a": [t([2.0]), 1]}, {}),
    (1, True, {"rtol": 0.1}),
    ([1, 2], [1, 2], {"rtol": 0.1}),
    ("a", "a", {"rtol": 0.1}),
    ([None, True], [None, True], {"rtol": 0.1}),
    (np.float32(1), 1.5, {}),
    (np.int64(3), 4.0, {}),
    (np.bool_(True), False, {}),
    (nan, nan, {}),
    (nan, nan, {"equal_nan": True}),
    (complex(1, nan), complex(1, nan), {"equal_nan": True}),
    (t(1.0), np.array(1.0), {}),
    (t([1.0]), torch.nn.Parameter(t([1.0])), {"allow_subclasses": False}),
    (np.array(1.0), np.array(2.0), {}),
    (t([1, 5], dtype=torch.uint8), t([3, 5], dtype=torch.uint8), {}),
    (t([[1.0, 2.0], [3.0, 4.0]]), t([[1.0, 2.0], [3.0, 5.0]]), {}),
    (t([1.0, nan]), t([1.0, nan]), {}),
    (t([1.0, nan]), t([1.0, nan]), {"rtol": 0, "atol": 0, "equal_nan": True}),
    (t([1.0]), t([1.00001]), {}),
    (t([1.0]), t([1.00002], dtype=torch.double), {"check_dtype": False}),
    (torch.ones(2, 3), torch.ones(3, 2).t(), {"check_stride": True}),
):
    attempt(lambda: assert_close(a, b, **options))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for a, b in (
        (t([1.0]), [1.00005]),
        (t([1.0]), [1.0002]),
        (t([1.0], dtype=torch.double), [1.00002]),
        ([1], [1.5]),
        (1, {}),
    ):
        attempt(lambda: assert_allclose(a, b))
