"""Checkpoints: what is computed again in backward, the gradients that arrive, errors when the second time differs."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import autogradlab


def model(torch: Any) -> Any:
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Dropout(0.5), nn.Linear(4, 2))


def told(torch: Any, run: Any) -> Any:
    """What a program gives, its warnings and its error."""
    import importlib

    importlib.import_module(f"{torch.__name__}.utils.checkpoint")
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            found = run(torch, torch.utils.checkpoint.checkpoint)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
    return found, [str(w.message) for w in given]


def gradients(torch: Any, checkpoint: Any, wanted: bool = False, **options: Any) -> Any:
    net = model(torch)
    x = torch.ones(2, 3, requires_grad=wanted)
    out = checkpoint(net, x, **options)
    out.sum().backward()
    after = torch.rand(1)
    return (
        [None if p.grad is None else [round(v, 4) for v in p.grad.flatten().tolist()] for p in [x, *net.parameters()]],
        round(after.item(), 4),
        out.requires_grad,
    )


def uneven(torch: Any, checkpoint: Any) -> None:
    calls: list[int] = []

    def shrinking(x: Any) -> Any:
        calls.append(1)
        return (x * x)[: 4 - len(calls)].exp().sin()

    checkpoint(shrinking, torch.ones(3, requires_grad=True), use_reentrant=False).sum().backward()


def fewer(torch: Any, checkpoint: Any) -> None:
    calls: list[int] = []

    def lazy(x: Any) -> Any:
        calls.append(1)
        return x.sin() if len(calls) > 1 else x.sin().exp().cos()

    checkpoint(lazy, torch.ones(3, requires_grad=True), use_reentrant=False).sum().backward()


def calls_counted(torch: Any, checkpoint: Any) -> Any:
    calls: list[str] = []
    net = model(torch)
    for name, part in net.named_children():
        part.register_forward_hook(lambda *_, name=name: calls.append(name))
    out = checkpoint(net, torch.ones(2, 3), use_reentrant=False).sum()
    out.backward(retain_graph=True)
    out.backward()
    return calls


def second(torch: Any, checkpoint: Any) -> Any:
    w = torch.tensor([2.0], requires_grad=True)
    y = checkpoint(lambda x: (w * x).exp(), torch.ones(1), use_reentrant=False)
    (g,) = torch.autograd.grad(y, w, create_graph=True)
    return round(torch.autograd.grad(g, w)[0].item(), 3)


PROGRAMS = {
    "without-reentry": lambda t, c: gradients(t, c, use_reentrant=False),
    "without-reentry-wanted": lambda t, c: gradients(t, c, True, use_reentrant=False),
    "with-reentry": lambda t, c: gradients(t, c, True, use_reentrant=True),
    "with-reentry-unwanted": lambda t, c: gradients(t, c, use_reentrant=True),
    "unsaid": lambda t, c: gradients(t, c, True),
    "other-random-numbers": lambda t, c: gradients(t, c, use_reentrant=False, preserve_rng_state=False)[1:],
    "uneven": uneven,
    "fewer": fewer,
    "calls": calls_counted,
    "second-derivative": second,
    "keywords": lambda t, c: c(lambda x, *, k: x * k, t.ones(1), use_reentrant=False, k=3).tolist(),
    "keywords-with-reentry": lambda t, c: c(lambda x, k: x * k, t.ones(1), use_reentrant=True, k=3),
    "check": lambda t, c: c(lambda x: x, t.ones(1), use_reentrant=False, determinism_check="all"),
    "context": lambda t, c: c(lambda x: x, t.ones(1), use_reentrant=True, context_fn=lambda: None),
}


@pytest.mark.parity
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_pytorch(torch: Any, program: str):
    assert told(autogradlab, PROGRAMS[program]) == told(torch, PROGRAMS[program])


def test_parameters_get_gradients_whatever_the_input_requires():
    found, _ = told(autogradlab, PROGRAMS["without-reentry"])
    assert found[0][0] is None
    assert all(grad is not None for grad in found[0][1:])


def test_saved_values_are_not_kept():
    """Between forward and backward nothing of the checkpointed part lives but its inputs."""
    import gc
    import weakref

    from autogradlab.utils.checkpoint import checkpoint

    seen: list[Any] = []

    def part(x: Any) -> Any:
        inner = x.exp()
        seen.append(weakref.ref(inner))
        return inner * inner

    out = checkpoint(part, autogradlab.ones(2, requires_grad=True), use_reentrant=False)
    gc.collect()
    assert seen[0]() is None
    out.sum().backward()
