"""Calls that are refused, and what they say; what a call leaves behind in out= tensors; numbers that are tensors."""

import warnings

import torch
from torch import tensor

F = torch.nn.functional
x = torch.arange(6.0).reshape(2, 3).requires_grad_()
eye = torch.eye(3)
none = torch.empty


def attempt(text, **names):
    """What an expression gives, or its error, and how many warnings come before."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            r = eval(text, globals(), names)
            name = r.grad_fn and r.grad_fn.name() if isinstance(r, torch.Tensor) else None
            shown = f"{tuple(r.shape)} v{r._version} {name}" if isinstance(r, torch.Tensor) else str(type(r).__name__)
        except Exception as e:
            shown = f"{type(e).__name__}: {str(e).splitlines()[0]}"
    print(text, "|", shown, *[str(w.message).split(",")[0][:40] for w in seen], sep=" | ")


# % copies-into: copies of what views show, into tensors of other sizes and dtypes
copies = (
    ("unsqueeze_copy", "x, 0"),
    ("alias_copy", "x"),
    ("diagonal_copy", "x"),
    ("slice_copy", "x, 0, 0, 1"),
    ("squeeze_copy", "x"),
    ("select_copy", "x, 0, 0"),
    ("slice_scatter", "x, x.detach()"),
    ("t_copy", "x"),
    ("permute_copy", "x, [1, 0]"),
    ("expand_copy", "x, [2, 3]"),
    ("view_copy", "x, [3, 2]"),
    ("detach_copy", "x"),
)
for name, args in copies:
    attempt(f"torch.{name}({args}, out=none(0))")
    attempt(f"torch.{name}({args}, out=none(7, 1))")
    attempt(f"torch.{name}({args}, out=none(7, 1, dtype=torch.int64))")
    attempt(f"torch.{name}({args}, out=none(0, requires_grad=True))")
attempt("torch.t_copy(torch.ones(1, 2, 3), out=none(0, dtype=torch.int64))")
base = torch.zeros(2, 2)
made = torch.alias_copy(x[0, :2], out=base[0])
print(made.grad_fn.name(), base.grad_fn.name(), base.detach())
attempt("made.sum().backward()")

# % versions-drawn: versions of tensors that random numbers are drawn into, and sizes that are none
for call in ("rand", "randn", "zeros", "ones", "empty"):
    for sizes in ([2], [3], [0]):
        attempt(f"torch.{call}({sizes}, out=none(2))")
    attempt(f"torch.{call}([2, -1], out=none(2))")
g = torch.Generator()
attempt("torch.rand([3], generator=g, out=none(2))")
attempt("torch.randn([3], generator=g, out=none(2))")
attempt("torch.randint(3, [3], out=none(2))")
attempt("torch.bernoulli(torch.ones(2), out=none(3))")
attempt("torch.binomial(torch.ones(2), torch.ones(3, 2))")
attempt("torch.bernoulli(torch.ones(2), torch.ones(2), generator=g)")

# % numbers-given: tensors without dimensions where a number is wanted
y = tensor([-0.7, 0.3, 2.0], requires_grad=True)
for number in (tensor(2), tensor(1.5), tensor(True)):
    for text in (
        "F.hardshrink(y, k)",
        "torch.hardshrink(y, k)",
        "F.softshrink(y, k)",
        "F.hardtanh(y, k, 10)",
        "F.elu(y, k)",
        "F.elu_(y * 1, k, k, k)",
        "F.celu(y, k)",
        "F.leaky_relu(y, k)",
        "F.threshold(y, k, k)",
        "torch.addcmul(y, y, y, value=k)",
        "torch.dist(y, y.detach() + 1, k)",
        "torch.linalg.vector_norm(y, k)",
    ):
        r = eval(text, globals(), {"k": number})
        saved = {n: getattr(r.grad_fn, n) for n in dir(r.grad_fn) if n.startswith("_saved")}
        print(text, {n: v for n, v in saved.items() if isinstance(v, (bool, int, float))})
        (slope,) = torch.autograd.grad(r.sum(), y)
        print("  ", [round(v, 3) for v in slope.tolist()])
attempt("F.elu_(y * 1, 1 + 2j, 1, 1)")
attempt("F.elu_(y, scale=2)")
attempt("torch.bitwise_and(True, tensor(1), out=none(0, dtype=torch.int64))")
attempt("torch.bitwise_left_shift(2, tensor(1), out=none(0, dtype=torch.int64))")
attempt("torch.add(2, tensor(1), out=none(0, dtype=torch.int64))")
for sizes in ("2", "[2, 3, 1]"):
    attempt(f"F.avg_pool2d(torch.ones(1, 1, 4, 4), {sizes}, out=none(0))")
    attempt(f"F.avg_pool2d(torch.ones(1, 1, 4, 4, requires_grad=True), {sizes}, out=none(0))")
attempt("F.avg_pool3d(torch.ones(1, 1, 4, 4, 4), 2, out=none(1))")

# % polynomials: degrees that no integer is, and dtypes without a kernel
for name in ("chebyshev_polynomial_t", "hermite_polynomial_he", "legendre_polynomial_p"):
    f = getattr(torch.special, name)
    print(name, f(tensor([0.5, 2.0]), float("inf")), f(tensor([2]), tensor([3.0]).half().double()))
    attempt("f(tensor([1.0]), tensor([2.0]).half())", f=f)
    for text in ("f(tensor([1.0]).half(), 2, out=o)", "f(tensor([1.0]), 2j, out=o)", "f(2j, tensor([1]), out=o)"):
        attempt(text, f=f, o=torch.empty(0))
    written = torch.empty(0)
    attempt("f(tensor([1.0]).half(), 2, out=o)", f=f, o=written)
    print(written.shape)

# % order-linear: what linear algebra asks first
ints, halves, wide = torch.int64, torch.float16, torch.float64
for shape in ((2, 3), (2,), (2, 2)):
    for kind in (torch.float32, ints, halves):
        a = torch.ones(shape, dtype=kind)
        b = torch.ones(shape, dtype=wide)
        for text in (
            "torch.linalg.solve(a, a)",
            "torch.linalg.solve_ex(a, b)",
            "torch.linalg.solve_triangular(a, a[0], upper=True)",
            "torch.linalg.lu_solve(a, a[0], b)",
            "torch.linalg.lu_solve(a, a[0].int(), b)",
            "torch.linalg.cond(a, 'sum')",
            "torch.linalg.matrix_norm(a, 0)",
            "torch.linalg.matrix_norm(a, 'nuc')",
            "torch.linalg.norm(a, 3, (0, 1))",
            "torch.linalg.lu(a)",
            "torch.linalg.svd(a, driver='x')",
            "torch.svd(a)",
        ):
            attempt(text, a=a, b=b)
attempt("torch.linalg.norm(tensor(1.0), 'fro')")
attempt("torch.linalg.norm(tensor(1.0), 2)")

# % order-scatter: what scatter asks first
i = torch.zeros(1, 1, dtype=torch.int64)
for text in (
    "torch.scatter(eye, 4, i, 2, reduce='sum')",
    "torch.scatter(eye, 0, i.float(), 2, reduce='sum')",
    "torch.scatter(eye, 0, i, eye.double(), reduce='sum')",
    "torch.scatter(eye, 0, i + 7, 2, reduce='sum')",
    "torch.scatter(eye, 0, i + 7, 2j, reduce='add')",
    "torch.scatter(eye, 0, i.float(), 2j)",
    "torch.scatter(eye, 0, i, 2j)",
    "torch.scatter(eye, 0, i[:0], 2j)",
    "torch.scatter(eye, 0, i, 3, reduce='add')",
    "torch.scatter(eye, 0, i, 3, reduce='multiply')",
    "eye.clone().scatter_(5, i, 2j, reduce='zz')",
    "eye.clone().scatter_(0, i, 2j, reduce='zz')",
):
    attempt(text)
print(torch.scatter(eye, 0, i, 3, reduce="add")[0], torch.scatter(eye, 0, i, 2.5)[0])

# % order-layers: layers ask for shapes and options before they look for a kernel of the dtype
for kind in (torch.float32, torch.int64, torch.bool):
    small, plane = torch.ones(2, 3).to(kind), torch.ones(1, 1, 4, 4).to(kind)
    target = torch.zeros(2, 3, dtype=torch.int64)
    for text in (
        "F.max_pool2d(t, -1)",
        "F.max_pool3d(t, 2, stride=0)",
        "F.avg_pool2d(t, 2, stride=0)",
        "F.avg_pool3d(t, 2)",
        "F.adaptive_max_pool2d(t, 2)",
        "F.max_unpool2d(t[0], target[0], 2)",
        "F.max_pool2d(p, 2, dilation=0)",
        "F.avg_pool2d(p, 2, padding=2)",
        "F.avg_pool2d(p, 2)",
        "F.pad(t, [1], 'sum')",
        "F.pad(t, [5, 5], 'reflect')",
        "F.gelu(t, approximate='x')",
        "F.gelu(t)",
        "F.multi_margin_loss(t, target)",
        "F.multilabel_margin_loss(t, target[0])",
    ):
        attempt(text, t=small, p=plane, target=target)

# % order-products: what products in place ask first
shapes = (
    ((2, 1), (2, 1), (2, 1)),
    ((2,), (2, 3), (2,)),
    ((3,), (2, 2), (2,)),
    ((1,), (2, 2), (2,)),
    ((2,), (2, 2), (1, 2)),
    ((3, 2), (2, 2), (2, 2)),
    ((), (1, 1), (1, 1)),
    ((1, 3), (2, 2), (2, 2)),
)
for sizes in shapes:
    a, b, c = (torch.ones(s) for s in sizes)
    for call in ("addmv_", "addmm_"):
        attempt(f"a.{call}(b, c)", a=a.clone(), b=b, c=c)
        attempt(f"a.long().{call}(b, c)", a=a, b=b, c=c)
        attempt(f"a.requires_grad_().{call}(b, c)", a=a.clone(), b=b, c=c)

# % order-more: what other operations ask first, and in which words
ones = torch.ones
for text in (
    "torch.tensordot(eye, eye, (0, 0))",
    "torch.tensordot(eye, eye, ([0], 0))",
    "torch.tensordot(eye, eye, 'a')",
    "torch.tensordot(eye, eye, ([0], [1]))",
    "torch.norm_except_dim(eye.long())",
    "torch.affine_grid_generator(ones(2), (2, 2), True)",
    "torch.affine_grid_generator(ones(2), (1, 1, 2, 2), True)",
    "torch.bilinear(ones(2), ones(2), ones(3))",
    "torch.bilinear(ones(2), ones(2), ones(3, 2, 2).long())",
    "F.bilinear(ones(2), ones(2), ones(3, 2, 2), ones(1))",
    "F.bilinear(ones(2), ones(2), ones(3, 2, 2), ones(3))",
    "F.nll_loss(eye.long(), ones(3, 3).long())",
    "F.nll_loss(eye.long(), ones(3))",
    "F.nll_loss(eye.long(), ones(3).long())",
    "eye.masked_scatter(ones(3, 3), ones(9).long())",
    "eye.masked_scatter(ones(4), ones(9))",
    "torch.linalg.multi_dot([eye.byte(), eye, eye])",
    "torch.randint_like(eye, tensor([3]))",
    "torch.diag(ones(1, 1, 1), out=ones(0))",
    "torch.group_norm(eye, 0)",
    "torch.group_norm(ones(2), 2)",
    "torch.index_fill(ones(2), 1, ones(2), 2)",
    "torch.index_add(eye, 0, tensor([7]), ones(1, 3))",
    "torch.index_add(ones(3), 0, tensor([7]), ones(1))",
    "torch.index_add(eye, -1, tensor([0]), eye)",
    "torch.Generator(seed=3)",
    "torch.convolution(ones(2), ones(2), None, [1], [0], [1], False, [0], 1)",
    "torch.convolution(ones(1, 1, 4), ones(1, 1, 2), None, [1, 1], [-1], [1], False, [0], 1)",
):
    attempt(text)

# % out-linear: in whose name linear algebra refuses to write what would be recorded, and when
grad = torch.ones(2, 3).requires_grad_()
for text in (
    "torch.linalg.cholesky(grad, out=none(0))",
    "torch.linalg.inv(grad, out=none(0))",
    "torch.linalg.solve(grad, grad, out=none(0))",
    "torch.linalg.solve_ex(grad, grad, out=(none(0), none(0, dtype=torch.int32)))",
    "torch.linalg.det(grad, out=none(0))",
    "torch.slogdet(grad, out=(none(0), none(0)))",
    "torch.slogdet(eye, out=(none(0), none(0)))",
    "torch.linalg.eigvalsh(grad, out=none(0))",
    "torch.linalg.eigh(grad, out=(none(0), none(0)))",
    "torch.linalg.svdvals(grad, out=none(0))",
    "torch.svd(grad, out=(none(0), none(0), none(0)))",
    "torch.qr(grad, out=(none(0), none(0)))",
    "torch.linalg.lu_factor(grad, out=(none(0), none(0, dtype=torch.int32)))",
    "torch.linalg.pinv(grad, out=none(0))",
    "torch.kron(grad, grad, out=none(0))",
    "torch.linalg.inv(eye, out=none(0, requires_grad=True))",
):
    attempt(text)
