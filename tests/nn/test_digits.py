"""Last digits of float32, forward and of the gradients, beside PyTorch: steps that both libraries take in one order and
with one rounding give the same bits. What goes through exponentials and logarithms agrees as far as these do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autogradlab
from tests.hardware import fused

pytestmark = pytest.mark.parity

Expression = Callable[[Any, Any], Any]
#: what is computed of x (N, C), and how many in a hundred numbers of the result and of the gradient are the same bits
OF_ROWS: dict[str, tuple[Expression, int, int]] = {
    "tanh": (lambda T, x: x.tanh(), 97, 97),
    "sigmoid": (lambda T, x: x.sigmoid(), 94, 94),
    "silu": (lambda T, x: T.nn.functional.silu(x), 94, 94),
    "gelu by tanh": (lambda T, x: T.nn.functional.gelu(x, approximate="tanh"), 97, 75),
    "elu": (lambda T, x: T.nn.functional.elu(x), 97, 92),
    "selu": (lambda T, x: T.selu(x), 97, 92),
    "mish": (lambda T, x: T.nn.functional.mish(x), 92, 90),
    "softplus": (lambda T, x: T.nn.functional.softplus(x), 90, 92),
    "logsigmoid": (lambda T, x: T.nn.functional.logsigmoid(x), 91, 93),
    "glu": (lambda T, x: T.nn.functional.glu(x, 0), 93, 93),
    "softmax": (lambda T, x: x.softmax(1), 80, 60),
    "log_softmax": (lambda T, x: x.log_softmax(1), 92, 80),
    "mse_loss": (lambda T, x: T.nn.functional.mse_loss(x, x.detach() * 0.5 + 1), 100, 100),
    "smooth_l1_loss": (lambda T, x: T.nn.functional.smooth_l1_loss(x, x.detach() * 0.5 + 1), 100, 100),
    "huber_loss": (lambda T, x: T.nn.functional.huber_loss(x, x.detach() * 0.5 + 1), 100, 100),
    "soft_margin_loss": (lambda T, x: T.nn.functional.soft_margin_loss(x, x.detach().sign()), 90, 97),
    "binary_cross_entropy": (
        lambda T, x: T.nn.functional.binary_cross_entropy(x.sigmoid(), x.detach() * 0 + 0.3),
        0,
        93,
    ),
    "cross_entropy": (lambda T, x: T.nn.functional.cross_entropy(x, T.arange(len(x)) % x.shape[1]), 0, 85),
    "norm": (lambda T, x: x.norm(dim=1), 97, 97),
    "hypot": (lambda T, x: T.hypot(x, x + 1), 98, 98),
    "atan2": (lambda T, x: T.atan2(x, x + 1), 95, 97),
    "xlogy": (lambda T, x: T.xlogy(x, x.abs()), 97, 97),
    "erfinv": (lambda T, x: (x / 8).erfinv(), 97, 97),
    "pairwise_distance": (lambda T, x: T.nn.functional.pairwise_distance(x, x.detach() * 0.5 + 1), 97, 97),
    "batch_norm of averages": (
        lambda T, x: T.nn.functional.batch_norm(x, T.full((x.shape[1],), 0.3), T.full((x.shape[1],), 0.7)),
        100,
        100,
    ),
}
#: the same of x (N, C, H, W)
OF_IMAGES: dict[str, tuple[Expression, int, int]] = {
    "batch_norm": (lambda T, x: T.nn.functional.batch_norm(x, None, None, training=True), 100, 97),
    "instance_norm": (lambda T, x: T.nn.functional.instance_norm(x), 100, 97),
    "BatchNorm2d": (lambda T, x: T.nn.BatchNorm2d(x.shape[1])(x), 100, 97),
}
CASES = [(name, *case, [(4, 5), (6, 16), (16, 10), (32, 20), (8, 33)]) for name, case in OF_ROWS.items()] + [
    (name, *case, [(2, 4, 5, 6), (4, 3, 7, 7), (2, 6, 8, 8)]) for name, case in OF_IMAGES.items()
]


def both(T: Any, expression: Expression, shape: tuple[int, ...]) -> tuple[Any, Any]:
    numbers = np.random.default_rng(len(shape) + sum(shape))
    x = T.tensor(numbers.standard_normal(shape).astype(np.float32), requires_grad=True)
    y = expression(T, x)
    y.backward(T.tensor(numbers.standard_normal(tuple(y.shape)).astype(np.float32)))
    return y.detach().numpy(), x.grad.numpy()


@pytest.mark.parametrize(("name", "expression", "result", "gradient", "shapes"), CASES, ids=[c[0] for c in CASES])
def test_last_digits(torch: Any, name: str, expression: Expression, result: int, gradient: int, shapes: Any):
    if not fused(torch):
        pytest.skip("PyTorch's kernels for this processor round products and sums by themselves")
    ours = [both(autogradlab, expression, shape) for shape in shapes]
    theirs = [both(torch, expression, shape) for shape in shapes]
    for i, (word, least) in enumerate((("result", result), ("gradient", gradient))):
        same = np.concatenate([(a[i] == b[i]).reshape(-1) for a, b in zip(ours, theirs, strict=True)])
        assert 100 * same.mean() >= least, f"{name}: {100 * same.mean():.1f} % of the {word}"


#: losses of halves, of which every step is a rounded one: the result and the gradient are the same bits
OF_HALVES: dict[str, Callable[[Any, Any, Any, str], Any]] = {
    "mse_loss": lambda F, x, y, r: F.mse_loss(x, y, reduction=r),
    "l1_loss": lambda F, x, y, r: F.l1_loss(x, y, reduction=r),
    "smooth_l1_loss": lambda F, x, y, r: F.smooth_l1_loss(x, y, reduction=r, beta=0.7),
    "huber_loss": lambda F, x, y, r: F.huber_loss(x, y, reduction=r, delta=0.7),
    "nll_loss": lambda F, x, y, r: F.nll_loss(x.view(-1, 2), (y.view(-1, 2).sum(1) > 0).long(), reduction=r),
    "nll_loss of planes": lambda F, x, y, r: F.nll_loss(
        x.view(1, 2, -1), (y.view(1, 2, -1).sum(1) > 0).long(), reduction=r
    ),
}


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", OF_HALVES)
def test_losses_of_halves(torch: Any, name: str, kind: str):
    for n in (6, 32, 300, 4100):
        values = np.random.default_rng(n).standard_normal((2, n)).astype(np.float32)
        found = []
        for T in (autogradlab, torch):
            x, y = T.tensor(values).to(getattr(T, kind)).unbind()
            x.requires_grad_()
            loss = OF_HALVES[name](T.nn.functional, x, y, "mean")
            grad = T.autograd.grad(loss, x)[0]
            each = OF_HALVES[name](T.nn.functional, x, y, "none")
            found.append([t.detach().float().numpy() for t in (loss, grad, each)])
        for ours, theirs in zip(*found, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("n", [5, 32, 35])
def test_huber_loss_multiplies_by_delta_as_pytorchs_vectors_do(torch: Any, n: int):
    """What is left of the vectors of 16 is multiplied in float64."""
    values = np.random.default_rng(n).standard_normal((2, n)).astype(np.float32) * 2
    found = []
    for T in (autogradlab, torch):
        x, y = T.tensor(values).unbind()
        x.requires_grad_()
        found.append(T.autograd.grad(T.nn.functional.huber_loss(x, y, delta=0.3), x)[0].numpy())
    np.testing.assert_array_equal(*found)
