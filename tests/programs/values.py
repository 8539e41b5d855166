"""Printing, promotion, shapes: what plain tensors do."""

import torch

from tests.scenarios.show import attempt, caught

# % values-print-floats: widths, exponents, signs, nan and inf
for data in (
    [1.0, 2.0],
    [1.5, 10.25],
    [1e-5, 1.0],
    [1e5, 1.0],
    [1e8, 1.0],
    [1e-9],
    [123456.0, 0.5],
    [0.1, 1000.0],
    [1e4, 1e-4],
    [-1.0, 2.0],
    [float("nan"), 1.0],
    [float("inf"), 1.25],
    [float("-inf"), float("nan")],
    [0.0, -0.0],
    [1 / 3],
    [99999.0],
    [100000.0],
    [1e38, 1e-38],
    [],
):
    print(torch.tensor(data), torch.tensor(data, dtype=torch.float64), torch.tensor(data, dtype=torch.float16))
for value in (3.0, 0.1, 1e-7, 1e10, float("nan"), -2.5):
    print(torch.tensor(value), torch.tensor(value).item(), f"{torch.tensor(value):.2f}", [torch.tensor(value)])

# % values-print-layout: many dimensions, long rows, summaries, empties
print(torch.arange(24).view(2, 3, 4))
print(torch.arange(30.0) / 7)
print(torch.arange(2000))
print(torch.arange(1200.0).view(30, 40))
print(torch.zeros(2, 0), torch.zeros(0), torch.zeros(0, 3, dtype=torch.int64), torch.empty(2, 0, 1))
print(torch.zeros(1, 1, 1, 1), torch.ones(2, 1, 3))
print(torch.arange(10**4, 10**4 + 5), torch.tensor([-1, 10, 100]), torch.tensor([[True], [False]]))

# % values-print-suffixes: dtype, grad_fn, requires_grad, device
x = torch.ones(2, requires_grad=True)
for t in (
    x,
    x * 2,
    x.double(),
    x.detach(),
    x.half(),
    x.int(),
    x > 0,
    x.sum(),
    x.view(2, 1),
    x[0],
    torch.nn.Parameter(x),
    x.long().double(),
    torch.tensor(1, dtype=torch.int8),
    torch.tensor([1 + 2j, -0.5j]),
    torch.zeros(0, requires_grad=True),
    torch.zeros(2, dtype=torch.float64, requires_grad=True),
):
    print(t)
    print(repr(t) == str(t), end=" ")
print([x, x * 2], {"k": x.sum()}, (x.detach(), None))
print(x.shape, repr(x.size()), x.dtype, x.device, x.layout, type(x), x.type())

# % values-printoptions: precision, threshold, sci_mode, profiles
t = torch.tensor([[1 / 3, 1000.123456], [1e-6, 2.0]])
for options in (
    {"precision": 2},
    {"sci_mode": True},
    {"sci_mode": False},
    {"precision": 8},
    {"profile": "short"},
    {"profile": "full"},
    {"profile": "default"},
):
    torch.set_printoptions(**options)
    print(options, t)
torch.set_printoptions(threshold=5, edgeitems=1)
print(torch.arange(20), torch.arange(36).view(6, 6))
torch.set_printoptions(profile="default", linewidth=30)
print(torch.arange(20))

# % values-promotion-table: every pair of dtypes
dtypes = (
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int32,
    torch.int64,
    torch.float16,
    torch.float32,
    torch.float64,
    torch.complex64,
)
for a in dtypes:
    print(a, *(str(torch.promote_types(a, b))[6:] for b in dtypes))
for a in dtypes:
    print(a, *(str((torch.ones(2, dtype=a) + torch.ones(2, dtype=b)).dtype)[6:] for b in dtypes))
for a in dtypes:
    print(a, *(str((torch.ones(2, dtype=a) * torch.ones((), dtype=b)).dtype)[6:] for b in dtypes[:-1]))
for a in dtypes:
    print(a, *(str(torch.result_type(torch.ones(2, dtype=a), scalar))[6:] for scalar in (True, 2, 2.5)))

# % values-operators-on-integers: division, floor, remainder, power, shifts, bits
a, b = torch.tensor([7, -7, 5]), torch.tensor([2, 2, -3])
for name, make in {
    "/": lambda: a / b,
    "//": lambda: a // b,
    "%": lambda: a % b,
    "**": lambda: a ** torch.tensor([2, 3, 0]),
    "-": lambda: a - b,
    "&": lambda: a & b,
    "|": lambda: a | b,
    "^": lambda: a ^ b,
    "~": lambda: ~a,
    "<<": lambda: a << 1,
    ">>": lambda: a >> 1,
    "trunc": lambda: torch.div(a, b, rounding_mode="trunc"),
    "floor": lambda: torch.div(a, b, rounding_mode="floor"),
    "fmod": lambda: torch.fmod(a, b),
    "7 / a": lambda: 7 / a,
    "7 // a": lambda: 7 // a,
    "2 ** a": lambda: 2 ** torch.tensor([1, 2]),
    "a ** -1": lambda: a**-1,
    "abs": lambda: abs(a),
    "a // 0": lambda: a // 0,
    "a % 0": lambda: a % 0,
    "f // 0": lambda: a.float() // 0,
    "f % 0": lambda: a.float() % 0,
    "a / 0": lambda: a / 0,
    "bool -": lambda: (a > 0) - (b > 0),
    "-bool": lambda: -(a > 0),
    "bool + bool": lambda: (a > 0) + (b > 0),
    "bool * 2": lambda: (a > 0) * 2,
    "a @ b": lambda: a @ b,
    "a == b": lambda: a == b,
    "a != 7": lambda: a != 7,
    "a < 'x'": lambda: a < "x",
    "a == 'x'": lambda: a == "x",
    "a + None": lambda: a + None,
    "a + [1]": lambda: a + [1],
    "divmod": lambda: divmod(a, b),
    "round": lambda: round(a.float() / 2),
    "mean": lambda: a.mean(),
    "sqrt": lambda: a.sqrt(),
    "sum bool": lambda: (a > 0).sum(),
    "max": lambda: a.max(),
    "f & f": lambda: a.float() & b.float(),
}.items():
    print(name, end=": ")
    attempt(make, first_line=True)

# % values-shape-errors: what does not fit, in words
a = torch.zeros(2, 3)
for action in (
    lambda: a + torch.zeros(4),
    lambda: a @ torch.zeros(2, 3),
    lambda: a @ torch.zeros(4),
    lambda: torch.zeros(3) @ torch.zeros(4),
    lambda: a.mm(torch.zeros(3)),
    lambda: torch.zeros(2, 2, 3) @ torch.zeros(3, 3, 2),
    lambda: a.view(4),
    lambda: a.view(-1, 4),
    lambda: a.reshape(5),
    lambda: a.t().view(6),
    lambda: a.expand(4, 3),
    lambda: a.sum(2),
    lambda: a.sum(-3),
    lambda: a.transpose(0, 2),
    lambda: a.permute(0),
    lambda: a.permute(0, 0),
    lambda: torch.cat([a, torch.zeros(2, 4)]),
    lambda: torch.cat([]),
    lambda: torch.cat([a, torch.zeros(3)]),
    lambda: torch.stack([a, a.t()]),
    lambda: torch.stack([]),
    lambda: a[2],
    lambda: a[0, 3],
    lambda: a[0, 0, 0],
    lambda: a[torch.tensor([5])],
    lambda: a[torch.tensor([True, False, True])],
    lambda: a["x"],
    lambda: a[1.0],
    lambda: a.squeeze(2),
    lambda: a.unsqueeze(4),
    lambda: a.item(),
    lambda: bool(a),
    lambda: int(a),
    lambda: float(torch.zeros(0)),
    lambda: len(torch.tensor(1)),
    lambda: list(torch.tensor(1)),
    lambda: a.split(0),
    lambda: a.split([1, 2]),
    lambda: a.chunk(0),
    lambda: a.flatten(1, 0),
    lambda: a.repeat(2),
    lambda: torch.zeros(-1),
    lambda: torch.zeros("a"),
    lambda: torch.tensor([[1], [1, 2]]),
    lambda: torch.tensor("a"),
    lambda: torch.tensor([1, "a"]),
    lambda: torch.tensor(None),
    lambda: torch.arange(0, 1, -1),
    lambda: torch.arange(1, 1, 0),
    lambda: torch.linspace(0, 1, -1),
    lambda: torch.eye(-1),
    lambda: a.max(3),
    lambda: torch.zeros(0).max(),
    lambda: torch.zeros(0, 2).argmax(),
    lambda: a.gather(0, torch.zeros(1, dtype=torch.int64)),
    lambda: a.tolist()[5],
    lambda: a.no_such_thing,
    lambda: torch.no_such_thing,
    lambda: a.narrow(0, 1, 5),
    lambda: a.select(0, 9),
    lambda: torch.dot(a, a),
    lambda: a.index_select(0, torch.tensor([9])),
):
    attempt(action, first_line=True)

# % values-scalars: 0-dim tensors and Python numbers
s = torch.tensor(2.5)
print(
    float(s),
    int(s),
    bool(s),
    s.item(),
    complex(s),
    f"{s}",
    f"{s:.1f}",
    f"{torch.tensor(3)}",
    f"{torch.tensor(3):d}",
    s == 2.5,
    s > 2,
    not s,
)
print(
    [1, 2, 3][torch.tensor(1)],
    range(torch.tensor(2)),
    torch.tensor(7) % 4,
    2 * s,
    s * 2,
    2 - s,
    2 / s,
    2**s,
    s**2,
    s // 1,
    -s,
    abs(-s),
)
with caught():
    f"{torch.ones(2):.2f}"
print(
    hash(s) == hash(s),
    s in [s],
    s in torch.tensor([2.5, 1.0]),
    torch.tensor([1, 2]).__contains__(2),
    max(torch.tensor([1.0, 3.0, 2.0])),
    sum(torch.ones(3)),
    sorted(torch.tensor([3, 1, 2])),
)
print(
    torch.is_tensor(s),
    s.numel(),
    s.dim(),
    s.size(),
    s.tolist(),
    torch.tensor([[1.5]]).item(),
    s.is_floating_point(),
    s.element_size(),
    s.nelement(),
)
for t in (torch.tensor([1.0, 2.0]), torch.tensor([]), torch.tensor(True), torch.tensor([0])):
    attempt(lambda: bool(t))

# % values-reductions: dims, keepdim, dtype, empty
t = torch.tensor([[1.0, 5.0, 3.0], [4.0, 2.0, 6.0]])
for name in (
    "sum",
    "mean",
    "prod",
    "max",
    "min",
    "argmax",
    "argmin",
    "std",
    "var",
    "norm",
    "any",
    "all",
    "median",
    "logsumexp",
    "cumsum",
    "sort",
    "amax",
):
    f = getattr(t, name)
    print(name, end=": ")
    attempt(f, first_line=True)
    attempt(lambda: f(1), first_line=True)
    attempt(lambda: f(dim=-1, keepdim=True), first_line=True)
print(
    t.sum((0, 1)),
    t.sum(dtype=torch.int64),
    t.mean(dim=(0, 1)),
    torch.zeros(0).sum(),
    torch.zeros(0).mean(),
    torch.zeros(0).prod(),
    t.max(dim=0).indices,
    t.topk(2),
)
print(
    torch.tensor([1.0, float("nan")]).max(),
    torch.tensor([1.0, float("nan")]).nansum(),
    t.std(unbiased=False),
    torch.tensor([1.0]).std(),
)

# % values-views-and-strides: who shares memory
t = torch.arange(12).view(3, 4)
for name, view in {
    "t": t.t(),
    "row": t[1],
    "column": t[:, 1],
    "step": t[::2, 1::2],
    "diagonal": t.diagonal(),
    "unfold": t.unfold(1, 2, 1),
    "expand": t[:, :1].expand(3, 5),
    "flatten": t.flatten(),
    "t.flatten": t.t().flatten(),
    "reshape": t.t().reshape(4, 3),
    "contiguous": t.t().contiguous(),
    "clone": t.clone(),
    "permute": t.view(3, 2, 2).permute(2, 0, 1),
    "narrow": t.narrow(1, 1, 2),
    "unsqueeze": t.unsqueeze(1),
    "none": t[None],
    "list": t[[0, 1]],
    "mask": t[t > 3],
    "movedim": t.movedim(0, 1),
    "mT": t.mT,
    "select": t.select(0, 2),
    "as_strided": t.as_strided((2, 2), (1, 2), 3),
}.items():
    print(
        f"{name:>10}",
        tuple(view.shape),
        view.stride(),
        view.storage_offset(),
        view.is_contiguous(),
        view.untyped_storage().data_ptr() == t.untyped_storage().data_ptr(),
        view._is_view(),
        view.sum().item(),
    )

# % values-bytes: a storage is asked for its bytes, and given new ones, one by one
block = torch.UntypedStorage([1, 2, 3])
for action in (
    lambda: block[5],
    lambda: block[-4],
    lambda: block["a"],
    lambda: block[0:3:2],
    lambda: block.__setitem__(5, 1),
    lambda: block.__setitem__(-1, 1),
    lambda: block.__setitem__("a", 1),
    lambda: block.__setitem__(0, 1.5),
    lambda: block.__setitem__(slice(0, 3, 2), 9),
    lambda: block.fill_("a"),
    lambda: block.__setitem__(0, 300),
    lambda: block.__setitem__(slice(1, 9), -1),
    lambda: block.tolist(),
    lambda: block.fill_(258).tolist(),
    lambda: torch.ones(3, 3).scatter(0, torch.zeros(1, 4, dtype=torch.int64), 1),
    lambda: torch.repeat_interleave(torch.ones(3, 2), 2, 0, output_size=3),
    lambda: torch.repeat_interleave(torch.ones(3), 2, output_size=6),
):
    attempt(action)

# % values-old-constructors: a list is data, also where it begins with an integer
for data in ([1, 2.5], [True, 2.0], (1, 2.5), [1, None], [1, [2]], [1, "a"], [1, 2], [], range(3)):
    for make in (torch.Tensor, torch.LongTensor, torch.ones(1).new):
        attempt(lambda make=make, data=data: make(data).tolist())
print(torch.torch is torch)

# % values-lerp-weights: a weight without dimensions counts as a number does in the dtype of the result
KINDS = (torch.uint8, torch.int64, torch.float32, torch.float64, torch.complex64, torch.bool)
for kind in KINDS:
    for weight in KINDS:
        for shape in ((), (2,), (1, 2)):
            x, w = torch.ones(shape, dtype=kind), torch.ones((), dtype=weight)
            attempt(lambda: torch.lerp(x, x * 3, w))
            attempt(lambda: torch.lerp(x, torch.ones((), dtype=kind), w))
            attempt(lambda: torch.lerp(x, x, torch.ones(2, dtype=weight)))
            attempt(lambda: torch.lerp(x, x, w, out=torch.ones(shape, dtype=torch.float64)))
            if weight.is_floating_point or weight.is_complex:
                attempt(lambda: x.clone().lerp_(x, w))
x, w = torch.ones(2, requires_grad=True), torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
y = torch.lerp(x, x * 3, w)
y.sum().backward()
print(y, x.grad, w.grad)

# % values-far: far arguments of polygamma, logit, powers and sizes
x = torch.tensor([-2.0, -0.5, 0.0, 0.25, 1.0, 1.5], requires_grad=True)
for eps in (None, -1.0, 0.0, 0.125):
    print(torch.autograd.grad(torch.logit(x, eps).sum(), x))
for n in (300, 2**32 + 1, 2**40):
    print(torch.polygamma(n, torch.ones(2)))
print(torch.polygamma(200, torch.full((2,), 50.0, dtype=torch.float64)))
z = torch.tensor([0.0, 3.0 - 4.0j])
for exponent in (-1, -2, 0.5, 2):
    print(torch.float_power(z[1:], exponent), torch.pow(z[1:], complex(exponent)))
print(torch.float_power(z, -1), torch.pow(z, complex(-1)))
none = torch.zeros(0, dtype=torch.complex128)
print(torch.nn.functional.soft_margin_loss(none, none))
for action in (
    lambda: torch.diag_embed(torch.ones(3), 2**40),
    lambda: torch.diagflat(torch.ones(3), 2**40),
    lambda: torch.repeat_interleave(torch.ones(3), torch.ones(3, 3, dtype=torch.int64), 2),
):
    attempt(action)
