"""vmap gives for every operation what a loop over the slices gives: values, and gradients inside of vmap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import autogradlab as torch
from autogradlab.core.memory import rows

from .harness import REGISTRY, Case, Draws, Entry, build, tensors
from .test_ops import every_operation

#: operations that vmap refuses, or whose results have another shape for each slice
REFUSED = {
    "argwhere": "equal size",
    "masked_select": "differently shaped",
    "nonzero": "dynamic shape",
    "unique": "dynamic shape",
    "unique_consecutive": "dynamic shape",
    "F_gaussian_nll_loss": "data-dependent",
    "F_rrelu": "do not yet support",
    "histogramdd": "calling .item()",
    "istft": "calling .item()",
}


def swapped(value: Any, given: Any) -> Any:
    """A structure with other tensors, taken from an iterator."""
    if isinstance(value, torch.Tensor):
        return next(given)
    return type(value)([swapped(v, given) for v in value]) if type(value) in (list, tuple) else value


def slices(case: Case) -> list[tuple[list[Any], dict[str, Any]]]:
    """The arguments of two calls."""
    found = []
    for seed in (1, 2):
        draws = Draws(seed)
        args = [build(torch, a, draws) for a in case.args]
        found.append((args, {k: build(torch, v, draws) for k, v in case.kwargs.items()}))
    return found


def called(entry: Entry, case: Case) -> tuple[Callable[..., list[Any]], list[list[Any]]]:
    """The operation as a function of its tensors, which it may change, and the tensors of two calls."""
    calls = slices(case)
    args, kwargs = calls[0]

    def run(*given: Any) -> list[Any]:
        rest = iter([t.clone() for t in given])
        found = entry.function(torch)(
            *[swapped(a, rest) for a in args], **{k: swapped(v, rest) for k, v in kwargs.items()}
        )
        return list(tensors(found))

    return run, [[*tensors([a, list(k.values())])] for a, k in calls]


def alike(found: Any, wanted: Any) -> bool:
    """Whether two tensors are the same but for rounding."""
    if found.shape != wanted.shape or found.dtype is not wanted.dtype:
        return False
    loose = 1e-7 if found.dtype.itemsize > 4 else 2e-3
    wide = torch.complex128
    return torch.allclose(found.to(wide), wanted.to(wide), loose, 1e-5, equal_nan=True)


@pytest.mark.filterwarnings("ignore:There is a performance drop")  # of argwhere, for one row after the other
@every_operation
def test_vmap_is_a_loop(key: str) -> None:
    entry = REGISTRY[key]
    case = entry.cases[0]
    try:
        run, given = called(entry, case)
        wanted = [run(*ts) for ts in given]
    except Exception:
        pytest.skip("an operation that refuses these arguments")
    if not given[0] or not wanted[0]:
        pytest.skip("an operation without tensors")
    stacked = [torch.stack(column) for column in zip(*given, strict=True)]
    if entry.name in REFUSED:
        with pytest.raises((RuntimeError, NotImplementedError), match=REFUSED[entry.name]):
            torch.vmap(run)(*stacked)
        return
    found = torch.vmap(run)(*stacked)
    assert all(alike(a, torch.stack(b)) for a, b in zip(found, zip(*wanted, strict=True), strict=True))
    if not all(t.is_floating_point() for t in (*given[0], *wanted[0])):
        return
    places = tuple(range(len(stacked)))
    slope = torch.func.grad(lambda *ts: sum((t * t.cos()).sum() for t in run(*ts)), places)
    try:
        each = [slope(*ts) for ts in given]
    except Exception:
        return
    assert all(
        alike(a, torch.stack(b)) for a, b in zip(torch.vmap(slope)(*stacked), zip(*each, strict=True), strict=True)
    )


@pytest.mark.parametrize("name", ["index_reduce", "scatter_reduce"])
@pytest.mark.filterwarnings("ignore:index_reduce")
def test_gradients_of_products_are_recorded_for_many_at_once(name: str) -> None:
    """That asks how many zeros come together, of rows too: a plain batched pass does not, a recorded one does."""
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [0.0, 6.0]], dtype=torch.float64, requires_grad=True)
    source = torch.tensor([[2.0, 3.0], [4.0, 5.0]], dtype=torch.float64, requires_grad=True)
    index = torch.tensor([0, 2]) if name == "index_reduce" else torch.tensor([[0, 0], [2, 2]])
    made = getattr(x, name)(0, index, source, "prod")
    seeds = torch.arange(12.0, dtype=torch.float64).reshape(2, 3, 2)
    together = torch.autograd.grad(made, (x, source), seeds, is_grads_batched=True, create_graph=True)
    for i, seed in enumerate(seeds):
        alone = torch.autograd.grad(made, (x, source), seed, create_graph=True)
        for many, one in zip(together, alone, strict=True):
            assert torch.equal(many[i], one)


def _networks() -> dict[str, tuple[Any, tuple[int, ...]]]:
    nn = torch.nn
    return {
        "relu": (nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3)), (6,)),
        "norm": (nn.Sequential(nn.Linear(6, 5), nn.GELU(), nn.LayerNorm(5), nn.Linear(5, 3), nn.Sigmoid()), (6,)),
        "planes": (nn.Sequential(nn.LayerNorm((3, 2)), nn.Flatten(), nn.SiLU(), nn.Linear(6, 3)), (3, 2)),
        "conv": (
            nn.Sequential(
                nn.Conv2d(2, 4, 3, groups=2), nn.ReLU(), nn.MaxPool2d(2), nn.AvgPool2d(2), nn.Flatten(), nn.Softplus()
            ),
            (2, 11, 10),
        ),
        "transposed": (
            nn.Sequential(nn.ConvTranspose1d(4, 2, 3, 2, groups=2), nn.AdaptiveAvgPool1d(2), nn.Flatten()),
            (4, 5),
        ),
    }


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("samples", [1, 2, 3])
@pytest.mark.parametrize("name", ["relu", "norm", "planes", "conv", "transposed"])
def test_gradients_of_each_sample_are_found_together(
    name: str, samples: int, reduction: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(0)
    net, sizes = _networks()[name]
    x, target = torch.randn(4, samples, *sizes), torch.randint(0, 3, (4, samples))
    weights = {key: w.detach() for key, w in net.named_parameters()}

    def loss(weights: dict[str, torch.Tensor], x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        y = torch.func.functional_call(net, weights, (x,))
        return torch.nn.functional.cross_entropy(y, target, reduction=reduction).sum()

    slope = torch.func.grad(loss, (0, 1))
    alone = [slope(weights, *pair) for pair in zip(x, target, strict=True)]
    joined: list[Any] = []
    monkeypatch.setattr(rows, "_joined", lambda *args: joined.append(args))
    of_weights, of_x = torch.vmap(slope, (None, 0, 0))(weights, x, target)
    assert not joined
    assert alike(of_x, torch.stack([g for _, g in alone]))
    for key, found in of_weights.items():
        assert alike(found, torch.stack([g[key] for g, _ in alone])), key


def test_ignored_targets_of_rows() -> None:
    x, target = torch.randn(3, 4, 5), torch.tensor([[0, 1, -100, 2], [4, 4, 4, 4], [-100, 0, 0, -100]])
    found = torch.vmap(torch.nn.functional.nll_loss)(x, target)
    alone = [torch.nn.functional.nll_loss(*pair) for pair in zip(x, target, strict=True)]
    assert alike(found, torch.stack(alone))
