"""Checkpoints: what is computed again in backward, the gradients that arrive, errors when the second time differs."""

from __future__ import annotations

import warnings
from contextlib import nullcontext, suppress
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


def unpacked_twice(torch: Any, checkpoint: Any) -> None:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * ctx.saved_tensors[0] * ctx.saved_tensors[0]

    checkpoint(lambda x: Twice.apply(x.exp()), torch.ones(2, requires_grad=True), use_reentrant=False).sum().backward()


def in_one_group(torch: Any, checkpoint: Any, group: bool = True, overlap: bool = False) -> Any:
    calls: list[int] = []

    def parts(x: Any) -> Any:
        calls.append(1)
        y = x.exp()
        return y, y.sin().exp()

    x = torch.ones(2, requires_grad=True)
    y, z = checkpoint(parts, x, use_reentrant=False)
    with torch.utils.checkpoint.GraphExecGroup() if group else nullcontext():
        (g,) = torch.autograd.grad(z.sum(), y, retain_graph=True)
        y.backward(g, retain_graph=True)
        if overlap:
            z.sum().backward()
    return len(calls), [round(v, 4) for v in x.grad.tolist()]


def groups_nested(torch: Any, checkpoint: Any) -> None:
    group = torch.utils.checkpoint.GraphExecGroup
    try:
        with group(), group():
            pass
    except RuntimeError as error:
        raise RuntimeError(str(error).partition(". ")[0]) from None


def to_the_end(torch: Any, checkpoint: Any, more: bool = False) -> Any:
    calls: list[str] = []

    def noted(x: Any) -> Any:
        out = x.sin().exp()
        if more and calls:
            out = out.sin()
        calls.append("end")
        return out

    with torch.utils.checkpoint.set_checkpoint_early_stop(False):
        out = checkpoint(noted, torch.ones(2, requires_grad=True), use_reentrant=False, early_stop=True)
    out.sum().backward()
    checkpoint(noted, torch.ones(2, requires_grad=True), use_reentrant=False).sum().backward()
    return calls


def suppressed(torch: Any, checkpoint: Any) -> None:
    def fails(x: Any) -> Any:
        raise ValueError("forward")

    checkpoint(
        fails,
        torch.ones(1, requires_grad=True),
        use_reentrant=False,
        context_fn=lambda: (suppress(ValueError), nullcontext()),
    )


def read_outside(torch: Any, checkpoint: Any) -> Any:
    calls: list[int] = []

    def noted(x: Any) -> Any:
        calls.append(1)
        return x.sin().exp()

    out = checkpoint(noted, torch.ones(2, requires_grad=True), use_reentrant=False)
    counts = []
    for _ in range(2):
        assert out.grad_fn._saved_result is not None
        counts.append(len(calls))
    out.sum().backward()
    return [*counts, len(calls)]


def gradient_inside(torch: Any, checkpoint: Any) -> Any:
    def inner(x: Any) -> Any:
        y = x.sin()
        (g,) = torch.autograd.grad(y.cos().sum(), x)
        return x.cos() * g

    x = torch.ones(2, requires_grad=True)
    checkpoint(inner, x, use_reentrant=False).sum().backward()
    return [round(v, 4) for v in x.grad.tolist()]


def of_rows(torch: Any, checkpoint: Any) -> Any:
    found = []
    for again in (False, True):
        x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)

        def part(x: Any) -> Any:
            return torch.func.vmap(lambda t: torch.func.vmap(torch.sin)(t.exp()) * t)(x)

        (checkpoint(part, x, use_reentrant=False) if again else part(x)).sum().backward()
        found.append([round(v, 4) for v in x.grad.flatten().tolist()])
    return found


def under_autocast(torch: Any, checkpoint: Any, reentrant: bool = False) -> Any:
    torch.manual_seed(0)
    layer = torch.nn.Linear(2, 2)
    x = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = checkpoint(lambda x: layer(x).exp(), x, use_reentrant=reentrant)
    out.sum().backward()
    return str(out.dtype), [round(v, 3) for v in x.grad.flatten().tolist()]


PROGRAMS = {
    "of-rows": of_rows,
    "autocast": under_autocast,
    "autocast-with-reentry": lambda t, c: under_autocast(t, c, True),
    "unpacked-twice": unpacked_twice,
    "one-group": in_one_group,
    "no-group": lambda t, c: in_one_group(t, c, False),
    "overlap": lambda t, c: in_one_group(t, c, True, True),
    "groups-nested": groups_nested,
    "to-the-end": to_the_end,
    "more-to-the-end": lambda t, c: to_the_end(t, c, True),
    "suppressed": suppressed,
    "read-outside": read_outside,
    "gradient-inside": gradient_inside,
    "grad-with-reentry": lambda t, c: t.autograd.grad(
        c(t.exp, x := t.ones(1, requires_grad=True), use_reentrant=True), x
    ),
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
