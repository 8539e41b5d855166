"""The graphs that backward records where it is itself to be differentiated, Node by Node as they are reached."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")
A = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]], dtype=torch.float64)
B = torch.tensor([[1.0, -2.0], [0.5, 3.0], [-1.5, 0.75]], dtype=torch.float64)
V = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
MASK = torch.tensor([True, False, True])
INDEX = torch.tensor([2, 0])


def nodes(outputs: Any, inputs: list[torch.Tensor]) -> str:
    """The Nodes behind the gradients of outputs: for each its number, its name and the Nodes that it leads to."""
    outputs = [t for t in (outputs if isinstance(outputs, (tuple, list)) else [outputs]) if t.requires_grad]
    weights = [torch.ones_like(t).requires_grad_() for t in outputs]
    grads = torch.autograd.grad(outputs, inputs, weights, create_graph=True, allow_unused=True)
    found: list[Any] = []

    def number(node: Any) -> str:
        if node is None:
            return "-"
        if node not in found:
            found.append(node)
        return str(found.index(node))

    lines = [" ".join(number(g.grad_fn if g is not None else None) for g in grads)]
    for node in found:
        edges = [number(target) + (f".{nr}" if nr else "") for target, nr in node.next_functions]
        lines.append(f"{number(node)} {node.name().removeprefix('torch::autograd::')}({', '.join(edges)})")
    return " | ".join(lines)


def show(name: str, function: Callable[..., Any], *inputs: torch.Tensor) -> None:
    """Print the graph of a function's gradients for each of its inputs."""
    leaves = [x.clone().requires_grad_() for x in inputs]
    try:
        print(name, nodes(function(*leaves), leaves))
    except RuntimeError as error:
        print(name, type(error).__name__, error)


# % second-factors: factors of matrices and systems
show("cholesky", torch.linalg.cholesky, A)
show("cholesky upper", lambda x: torch.linalg.cholesky(x, upper=True), A)
show("cholesky_inverse", torch.cholesky_inverse, A)
show("qr", torch.linalg.qr, A)
show("qr tall", torch.linalg.qr, B)
show("qr wide", torch.linalg.qr, B.mT.clone())
show("R alone", lambda x: torch.linalg.qr(x)[1], A)
show("svd", lambda x: torch.linalg.svd(x, full_matrices=False), B)
show("svd full", torch.linalg.svd, B)
show("svd wide", lambda x: torch.linalg.svd(x, full_matrices=False), B.mT.clone())
show("eigh", torch.linalg.eigh, A)
show("eigvals", torch.linalg.eigvals, A)
show("lu", torch.linalg.lu, A)
show("lu tall", torch.linalg.lu, B)
show("lu wide", torch.linalg.lu, B.mT.clone())
show("lu_factor", torch.linalg.lu_factor, B)
show("lu_unpack", lambda x: torch.lu_unpack(x, torch.tensor([1, 2], dtype=torch.int32)), B)
for left in (True, False):
    for adjoint in (True, False):
        lu, pivots = torch.linalg.lu_factor(A)
        solve = lambda x, y, p=pivots, kw={"left": left, "adjoint": adjoint}: torch.linalg.lu_solve(x, p, y, **kw)
        show(f"lu_solve {left} {adjoint}", solve, lu, B if left else B.mT.clone())
show("solve", torch.linalg.solve, A, B)
show("solve vector", torch.linalg.solve, A, V)
show("inv", torch.linalg.inv, A)
show("pinv", torch.linalg.pinv, B)
show("lstsq", lambda x, y: torch.linalg.lstsq(x, y)[:2], B, A[:, :1].clone())
show("solve_triangular", lambda x, y: torch.linalg.solve_triangular(x, y, upper=False), A, B)
show("triangular_solve", lambda x, y: torch.triangular_solve(y, x)[0], A, B)
show("matrix_exp", torch.matrix_exp, A)

# % second-norms: norms, variances, extremes
for p in (0.5, 1, 1.5, 2, 3, float("inf")):
    show(f"norm {p}", lambda x, p=p: torch.linalg.vector_norm(x, p), B)
    show(f"norm {p} rows", lambda x, p=p: torch.linalg.vector_norm(x, p, dim=1), B)
    show(f"dist {p}", lambda x, y, p=p: torch.dist(x, y, p), B, A[:, :2].clone())
show("renorm", lambda x: torch.renorm(x, 2, 0, 1.0), B)
show("var", torch.var, B)
show("var vector", lambda x: torch.var(x, 0), V)
show("std rows", lambda x: torch.std(x, 1), B)
show("var_mean", torch.var_mean, B)
show("std_mean rows", lambda x: torch.std_mean(x, (0, 1)), B)
show("amax", lambda x: torch.amax(x, 0), B)
show("amin of all", torch.amin, B)
show("aminmax", lambda x: tuple(torch.aminmax(x)), B)

# % second-selections: selections and layouts
show("masked_select", lambda x: torch.masked_select(x, MASK), V)
show("masked_scatter", lambda x, y: x.masked_scatter(MASK, y), V, V)
show("index_add", lambda x, y: x.index_add(0, INDEX, y), V, V[:2].clone())
show("index_copy", lambda x, y: x.index_copy(0, INDEX, y), V, V[:2].clone())
show("scatter_reduce", lambda x, y: x.scatter_reduce(0, INDEX, y, "mean"), V, V[:2].clone())
show("block_diag", torch.block_diag, B, V, V.sum())
show("cat", lambda x, y: torch.cat([x, y]), V, torch.empty(0, dtype=torch.float64))
show("as_strided", lambda x: x.as_strided((2, 1), (2, 1)), V)
show("as_strided twice", lambda x: x.as_strided((2, 2), (1, 1)), V)
show("as_strided_scatter", lambda x, y: x.as_strided_scatter(y, (2,), (2,)), V, V[:2].clone())
show("combinations", torch.combinations, V)
show("trapezoid", torch.trapezoid, V, V)
show("gradient", lambda x: torch.gradient(x, edge_order=2), V)
show("gradient uneven", lambda x: torch.gradient(x, spacing=(torch.tensor([0.0, 1.0, 3.0]),)), V)
show("cumprod", lambda x: x.cumprod(0), V)
show("logcumsumexp", lambda x: x.logcumsumexp(0), V)

# % second-transforms: transforms and complex numbers
show("rfft", torch.fft.rfft, V)
show("irfft", lambda x: torch.fft.irfft(x, 4), torch.complex(V, V))
show("hfft", torch.fft.hfft, torch.complex(V, V))
show("ihfft2", torch.fft.ihfft2, B)
show("cdouble", lambda x: x.cdouble() * 1j, V)
show("polar", torch.polar, V.abs(), V)

# % second-functions: functions of numbers and of layers
show("atan2", torch.atan2, V, V.flip(0))
show("nextafter", torch.nextafter, V, V.flip(0))
show("ldexp", torch.ldexp, V, V)
show("logit", torch.logit, V.sigmoid())
show("entr", torch.special.entr, V.abs())
show("i1", torch.special.i1, V)
show("i1e", torch.special.i1e, V)
show("kl_div", lambda x, y: F.kl_div(x, y, reduction="sum"), V, V)
show("kl_div log", lambda x, y: F.kl_div(x, y, reduction="sum", log_target=True), V, V)
show("bilinear", F.bilinear, B, B, torch.stack([A[:2, :2], A[1:, 1:]]))
show("pdist", F.pdist, B)
show("normalize", lambda x: F.normalize(x, dim=1), B)
show("pairwise_distance", F.pairwise_distance, B, A[:, :2].clone())
show("grid_sample", lambda x, y: F.grid_sample(x, y, align_corners=False), A[None, None], B[None, None])
show("multilabel", lambda x: F.multilabel_margin_loss(x, torch.tensor([0, -1, 1])), V)
show("max_unpool", lambda x: F.max_unpool1d(x, torch.tensor([[[0, 3, 5]]]), 2), V[None, None])

# % second-values: values of second derivatives
x = A[None, None].clone().requires_grad_()
for mode in ("bilinear", "nearest", "bicubic"):
    places = (B[None, None] / 4).requires_grad_()
    made = F.grid_sample(x, places, mode=mode, align_corners=True)
    first = torch.autograd.grad((made * made).sum(), (x, places), create_graph=True)
    second = torch.autograd.grad(sum((g * g).sum() for g in first), (x, places))
    print(mode, *(torch.round(g, decimals=6).tolist() for g in second))
for p in (0.5, 1.0, 1.5, 2.0, 3.0, float("inf")):
    x = torch.tensor([0.0, 0.0, 2.0, -2.0], dtype=torch.float64, requires_grad=True)
    for part in (x, x[:2]):
        (first,) = torch.autograd.grad(torch.linalg.vector_norm(part, p), x, create_graph=True)
        print(p, first.tolist(), (torch.autograd.grad(first.sum(), x)[0] + 0).tolist())
x = torch.tensor([3.0], dtype=torch.float64, requires_grad=True)
print(torch.autograd.grad(torch.var(x), x), torch.autograd.grad(torch.var(torch.stack([x, x + 1]), 0, correction=4), x))
for p in (0.5, 1.0, 2.0, float("inf")):
    x = torch.tensor([[0.0, 0.0], [3.0, 3.0], [0.0, 0.0]], dtype=torch.float64, requires_grad=True)
    print(p, torch.autograd.grad(F.pdist(x, p).sum(), x)[0].tolist())
x = torch.zeros(2, 2, dtype=torch.float64, requires_grad=True)
y = x.as_strided_scatter(torch.ones(2, dtype=torch.float64), (2,), (3,))
print(torch.autograd.grad((y * torch.arange(4.0).view(2, 2)).sum(), x))
x = torch.complex(B, B.flip(0)).requires_grad_()
for function in (torch.linalg.svd, lambda t: torch.linalg.eig(t[:2]), lambda t: torch.linalg.eigh(t[:2])):
    try:
        torch.autograd.grad(sum(abs(t.sum() ** 2) for t in function(x)), x)
    except RuntimeError as error:
        print(error)

# % second-odd: derivatives of higher order and forward ones at zeros, NaN and infinities
POINTS = torch.tensor([0.0, 1.0, -1.0, float("nan"), float("inf"), -float("inf")], dtype=torch.float64)
FUNCTIONS = {
    "elu": F.elu,
    "selu": F.selu,
    "celu": F.celu,
    "hardsigmoid": lambda t: F.hardsigmoid(t) + 0 * t,
    "sinc": torch.sinc,
    "digamma": torch.digamma,
    "0**x": lambda t: 0.0**t,
    "smooth_l1": lambda t: F.smooth_l1_loss(t, torch.zeros_like(t), reduction="none"),
    "huber": lambda t: F.huber_loss(t, torch.zeros_like(t), reduction="none"),
}
for name, function in FUNCTIONS.items():
    x = POINTS.clone().requires_grad_()
    value = function(x)
    for order in (1, 2):
        try:
            (value,) = torch.autograd.grad(value.sum(), x, create_graph=True)
        except RuntimeError as error:
            print(name, order, error)
            break
        print(name, order, [round(v, 6) for v in (value + 0).tolist()])
ZERO = torch.zeros(2, dtype=torch.float64)
TANGENTS = {
    "sinc": torch.sinc,
    "std": torch.std,
    "power": lambda t: t**t,
    "norm 3": lambda t: torch.linalg.vector_norm(t, 3),
    "norm 1.5": lambda t: torch.linalg.vector_norm(t, 1.5),
    "hardsigmoid": F.hardsigmoid,
}
for name, function in TANGENTS.items():
    print(name, torch.func.jvp(function, (ZERO,), (torch.ones_like(ZERO),))[1])


# % second-beneath: forward of a Function with setup_context gets what lies beneath the transform
class Cube(torch.autograd.Function):
    """x³ by NumPy."""

    @staticmethod
    def forward(x: torch.Tensor) -> torch.Tensor:
        return torch.tensor(x.numpy() ** 3)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor], output: torch.Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x


print(torch.func.grad(Cube.apply)(torch.tensor(2.0)), torch.func.grad(torch.func.grad(Cube.apply))(torch.tensor(2.0)))

# % second-alias: views of a whole tensor, and the operator that makes them
x = torch.ones(2, requires_grad=True)
w = x * 1
print(torch.ops.aten.alias, torch.ops.aten.alias.default._schema, torch.ops.aten.alias(x).data_ptr() == x.data_ptr())
for view in (torch.Tensor, torch.FloatTensor, w.new, torch.ops.aten.alias, lambda t: t[...], lambda t: t[()]):
    y = view(w)
    (first,) = torch.autograd.grad((y**2).sum(), w, create_graph=True)
    print(y, y._base is w, first, [n and n.name() for n, _ in first.grad_fn.next_functions])
    print(torch.autograd.grad(first.sum(), x, retain_graph=True)[0])
