"""What people do every day, next to PyTorch: 48 small workloads, their ratios and the geometric mean.

Each is a function of the module, which prepares what exists before the work begins and returns the work; what the work
gives must agree between the two. ``python -m tests.benchmarks --everyday`` prints the table.
"""

from __future__ import annotations

import gc
import statistics
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .harness import Array, Thunk, measure, sampler, to_array

__all__ = ["WORKLOADS", "agree", "run"]

#: the goals: of the geometric mean, of any workload, and of those that have one of their own
MEAN, MOST = 0.75, 2.0
GOALS = {
    "train_sgd": 0.55,
    "train_momentum": 0.55,
    "train_adam": 0.5,
    "train_adamw": 0.5,
    "conv2d": 1.2,
    "lstm": 1.0,
    "gru": 1.0,
    "accumulated_in_place": 1.0,
    "max_pool": 3.0,
    "randn_1000": 6.0,
    "randperm_1000": 3.0,
    **dict.fromkeys(("cross_entropy", "softmax", "log_softmax", "max_dim", "linspace", "custom_function"), 1.5),
    **dict.fromkeys(("layer_norm", "batch_norm", "batch_norm_images", "embedding", "attention", "avg_pool"), 1.5),
}

Workload = Callable[[Any], Thunk]
WORKLOADS: dict[str, Workload] = {}


def workload(fn: Workload) -> Workload:
    WORKLOADS[fn.__name__] = fn
    return fn


def data(*shape: int) -> Array:
    return (np.random.default_rng(len(shape)).random(shape, np.float32) - np.float32(0.4)) * 2


def one(name: str, call: Callable[[Any, Any], Any], *shape: int) -> None:
    """A workload of one call on a tensor that requires no gradient: `call(T, x)`."""

    def build(T: Any) -> Thunk:
        x = T.tensor(data(*shape))
        return lambda: (call(T, x),)

    WORKLOADS[name] = build


def there_and_back(name: str, call: Callable[[Any, Any], Any], *shape: int) -> None:
    """Forward and backward of `call(T, x)`, with another gradient for each element."""

    def build(T: Any) -> Thunk:
        x = T.tensor(data(*shape), requires_grad=True)
        weights = T.tensor(data(*call(T, x).shape))

        def work() -> Any:
            x.grad = None
            y = call(T, x)
            y.backward(weights)
            return y, x.grad

        return work

    WORKLOADS[name] = build


def layer(name: str, make: Callable[[Any], Any], *shape: int, first: bool = False, integers: int = 0) -> None:
    """Forward and backward of a Module, with the gradients of its parameters."""

    def build(T: Any) -> Thunk:
        T.manual_seed(0)
        module = make(T)
        x = (
            T.tensor(data(*shape))
            if not integers
            else T.tensor(np.arange(shape[0] * shape[1]).reshape(shape) % integers)
        )
        parameters = list(module.parameters())
        y = module(x)
        weights = T.tensor(data(*(y[0] if first else y).shape))
        if not integers:
            x.requires_grad_()

        def work() -> Any:
            x.grad = None
            for p in parameters:
                p.grad = None
            y = module(x)
            y = y[0] if first else y
            y.backward(weights)
            return [y, *(p.grad for p in parameters), *([] if integers else [x.grad])]

        return work

    WORKLOADS[name] = build


def training(name: str, optimizer: Callable[[Any, Any], Any]) -> None:
    """A training step of a small Module; what comes of it is looked at before the first step counts."""

    def build(T: Any) -> Thunk:
        T.manual_seed(0)
        model = T.nn.Sequential(T.nn.Linear(4, 16), T.nn.Tanh(), T.nn.Linear(16, 1))
        steps = optimizer(T, model.parameters())
        x, y = T.tensor(data(8, 4)), T.tensor(data(8, 1))
        loss_of = T.nn.MSELoss()

        def work() -> Any:
            steps.zero_grad()
            loss = loss_of(model(x), y)
            loss.backward()
            steps.step()
            return (loss,)

        return work

    WORKLOADS[name] = build


training("train_sgd", lambda T, p: T.optim.SGD(p, lr=1e-4))
training("train_momentum", lambda T, p: T.optim.SGD(p, lr=1e-4, momentum=0.9))
training("train_adam", lambda T, p: T.optim.Adam(p, lr=1e-6))
training("train_adamw", lambda T, p: T.optim.AdamW(p, lr=1e-6))


@workload
def linear_regression(T: Any) -> Thunk:
    x, y = T.tensor(data(100, 1)), T.tensor(data(100, 1))
    w, b = T.zeros(1, requires_grad=True), T.zeros(1, requires_grad=True)

    def work() -> Any:
        loss = ((x * w + b - y) ** 2).mean()
        loss.backward()
        with T.no_grad():
            w.sub_(1e-4 * w.grad)
            b.sub_(1e-4 * b.grad)
        found = loss, w.grad, b.grad
        w.grad = b.grad = None
        return found

    return work


@workload
def logistic_regression(T: Any) -> Thunk:
    x, y = T.tensor(data(100, 4)), (T.tensor(data(100)) > 0).float()
    w = T.zeros(4, requires_grad=True)

    def work() -> Any:
        w.grad = None
        loss = T.nn.functional.binary_cross_entropy_with_logits(x @ w, y)
        loss.backward()
        return loss, w.grad

    return work


@workload
def cross_entropy(T: Any) -> Thunk:
    x, y = T.tensor(data(32, 10), requires_grad=True), T.arange(32) % 10

    def work() -> Any:
        x.grad = None
        loss = T.nn.functional.cross_entropy(x, y)
        loss.backward()
        return loss, x.grad

    return work


there_and_back("softmax", lambda T, x: T.softmax(x, 1), 32, 10)
there_and_back("log_softmax", lambda T, x: T.log_softmax(x, 1), 32, 10)
there_and_back("mse_loss", lambda T, x: T.nn.functional.mse_loss(x, T.ones_like(x)), 32, 10)
there_and_back("relu", lambda T, x: T.relu(x), 32, 64)
there_and_back("gelu", lambda T, x: T.nn.functional.gelu(x), 32, 64)
there_and_back("max_dim", lambda T, x: x.max(1).values, 32, 10)
there_and_back("mean_std", lambda T, x: (x - x.mean(0)) / x.std(0), 32, 10)
there_and_back("norm", lambda T, x: x.norm(), 32, 10)
there_and_back("view_flat", lambda T, x: x.view(-1), 6, 4)
there_and_back("reshape_transposed", lambda T, x: x.t().reshape(-1), 6, 4)
there_and_back("index_row", lambda T, x: x[1], 6, 4)
there_and_back("index_mask", lambda T, x: x[x > 0], 6, 4)
there_and_back("cat_split", lambda T, x: T.cat([p * 2 for p in x.split(2)]), 6, 4)
there_and_back("stack", lambda T, x: T.stack([x, x * 2]), 6, 4)
there_and_back("where", lambda T, x: T.where(x > 0, x, x * 0.1), 32, 10)
there_and_back("clamp", lambda T, x: x.clamp(-0.5, 0.5), 32, 10)
there_and_back("batched_matmul", lambda T, x: x @ x.transpose(1, 2), 8, 16, 16)
there_and_back("einsum", lambda T, x: T.einsum("bij,bkj->bik", x, x), 8, 16, 16)
there_and_back(
    "attention", lambda T, x: T.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True), 2, 4, 16, 8
)
there_and_back("max_pool", lambda T, x: T.nn.functional.max_pool2d(x, 2), 8, 16, 16, 16)
there_and_back("avg_pool", lambda T, x: T.nn.functional.avg_pool2d(x, 2), 8, 16, 16, 16)
layer("conv2d", lambda T: T.nn.Conv2d(3, 16, 3, padding=1), 8, 3, 32, 32)
layer("layer_norm", lambda T: T.nn.LayerNorm(64), 32, 64)
layer("batch_norm", lambda T: T.nn.BatchNorm1d(64), 32, 64)
layer("batch_norm_images", lambda T: T.nn.BatchNorm2d(16), 8, 16, 16, 16)
layer("lstm", lambda T: T.nn.LSTM(8, 16), 20, 4, 8, first=True)
layer("gru", lambda T: T.nn.GRU(8, 16), 20, 4, 8, first=True)
layer("embedding", lambda T: T.nn.Embedding(100, 16), 8, 12, integers=100)
one("sort", lambda T, x: x.sort().values, 1000)
one("topk", lambda T, x: x.topk(5).values, 1000)
one("cumsum", lambda T, x: x.cumsum(0), 1000)
one("eval_mode", lambda T, x: T.tanh(x @ x.t()).detach().sum(), 16, 16)
one("linspace", lambda T, x: T.linspace(-1, 1, 100), 1)
one("tensor_of_list", lambda T, x: T.tensor([[1.0, 2.0], [3.0, 4.0]]), 1)
one("rand_1000", lambda T, x: T.rand(1000), 1)
one("randn_1000", lambda T, x: T.randn(1000), 1)
one("randperm_1000", lambda T, x: T.randperm(1000), 1)


@workload
def custom_function(T: Any) -> Thunk:
    class Cube(T.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * 3 * x * x

    x = T.tensor(data(10), requires_grad=True)

    def work() -> Any:
        x.grad = None
        y = Cube.apply(x)
        y.sum().backward()
        return y, x.grad

    return work


@workload
def hooks(T: Any) -> Thunk:
    x = T.tensor(data(10), requires_grad=True)

    def work() -> Any:
        x.grad = None
        y = x * 2
        y.register_hook(lambda g: g * 3)
        (y * y).sum().backward()
        return y, x.grad

    return work


@workload
def accumulated_in_place(T: Any) -> Thunk:
    x = T.tensor(data(6, 4), requires_grad=True)

    def work() -> Any:
        x.grad = None
        y = x * 1
        for i in range(3):
            y[i].mul_(2)
        y.add_(1)
        y.sum().backward()
        return y, x.grad

    return work


@workload
def hessian(T: Any) -> Thunk:
    x = T.tensor(data(4))
    return lambda: (T.autograd.functional.hessian(lambda v: (v**3).sum() * v[0], x),)


def agree(name: str, ours: Any, torch: Any) -> None:
    """Raise AssertionError if the two modules do not give the same."""
    found = []
    for module in (ours, torch):
        work = WORKLOADS[name](module)
        module.manual_seed(0)
        found.append([to_array(v) for v in work()])
    mine, theirs = found
    assert len(mine) == len(theirs), name
    for a, b in zip(mine, theirs, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype), name
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4, err_msg=name)


def run(ours: Any, torch: Any, seconds: float, names: Sequence[str], show: Callable[[str], None]) -> None:
    """The table: microseconds of both, their ratio, and the geometric mean of all ratios."""
    ratios: dict[str, float] = {}
    gc.freeze()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            agree(name, ours, torch)
            samples = {role: sampler(WORKLOADS[name](module)) for role, module in (("ours", ours), ("torch", torch))}
            rounds = measure(samples, seconds / len(names), 7)
            mine, theirs = (statistics.median(rounds[role]) for role in ("ours", "torch"))
            ratios[name] = mine / theirs
            goal = GOALS.get(name, MOST)
            verdict = "met" if ratios[name] <= goal else "missed"
            show(f"{name:<24}{mine * 1e6:>12,.1f}{theirs * 1e6:>12,.1f}{ratios[name]:>8.2f}  {goal}: {verdict}")
    above = [name for name, ratio in ratios.items() if ratio > MOST]
    mean = statistics.geometric_mean(ratios.values())
    show(
        f"geometric mean {mean:.2f}, goal {MEAN}; above 2: {len(above)} of {len(ratios)}: {', '.join(above) or 'none'}"
    )
