"""Nothing grows with the number of steps, even where Python's collector of cycles does not run."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

import autogradlab as torch
from autogradlab import inspectors as lab

#: how many steps of a workload are counted, and how many objects they may leave (caches, counters)
STEPS, ALLOWED = 400, 40


def plain(w: Any) -> None:
    w.grad = None
    (w * 2).exp().sum().backward()


def accumulated(w: Any) -> None:
    (w * w).sum().backward()


def hooked(w: Any) -> None:
    a = w * 2
    a.register_hook(lambda g: g * 1)
    a.retain_grad()
    handle = w.register_hook(lambda g: g)
    a.sum().backward()
    handle.remove()


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * g * x


def function(w: Any) -> None:
    Square.apply(w).sum().backward()


def twice(w: Any) -> None:
    (g,) = torch.autograd.grad((w**3).sum(), w, create_graph=True)
    torch.autograd.grad((g * g).sum(), w)


def views(w: Any) -> None:
    a = w * 1
    a[1:].mul_(2)
    a.view(-1, 1)[0].add_(w[0])
    a.sum().backward()


def dropped(w: Any) -> None:
    y = (w * 2).exp().sum() + w.detach().sum()
    y.view(1)[0].sum()


def transformed(w: Any) -> None:
    torch.func.vmap(torch.func.grad(lambda x: (x * x).sum()))(w.detach().expand(2, 3))


def failing(w: Any) -> None:
    y = (w * 2).sum()
    y.backward()
    with pytest.raises(RuntimeError):
        (y * y).backward(torch.ones(2))


def trained(w: Any) -> None:
    optimizer = torch.optim.Adam([w], lr=0.0)
    (w * w).sum().backward()
    optimizer.step()
    optimizer.zero_grad()


def looked_at(w: Any) -> None:
    shown = lab.show(w * 2)
    shown._repr_mimebundle_()
    shown.close()  # until then ipywidgets keeps what was shown for the page, some 70 objects


def not_shown(w: Any) -> None:
    for made in (lab.show(w * 2), lab.graph((w * 2).sum()), lab.broadcast(w, w)):
        str(made)


WORK = [plain, accumulated, hooked, function, twice, views, dropped, transformed, failing, trained]


def grown(work: Callable[[Any], None], steps: int) -> int:
    """By how many objects the process grows in so many steps without the collector."""
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    for _ in range(20):
        work(w)
    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        for _ in range(steps):
            work(w)
        return len(gc.get_objects()) - before
    finally:
        gc.enable()


@pytest.mark.parametrize("work", WORK, ids=lambda f: f.__name__)
def test_steps_leave_nothing(work: Callable[[Any], None]):
    assert grown(work, STEPS) <= ALLOWED


@pytest.mark.parametrize("work", [looked_at, not_shown], ids=lambda f: f.__name__)
def test_an_inspector_that_is_closed_or_was_never_shown_leaves_nothing(work: Callable[[Any], None]):
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    for _ in range(3):
        work(w)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(30):
        work(w)
    gc.collect()
    assert len(gc.get_objects()) - before <= ALLOWED


def test_little_is_kept_for_large_inputs():
    """What is found out once for a size, for the next call with it, is kept only where it is small."""
    calls: list[Callable[[int], Any]] = [
        lambda n: torch.nn.functional.adaptive_avg_pool1d(torch.ones(1, 1, n), 100),
        lambda n: torch.unsafe_split(torch.ones(n), 1, 0),
    ]
    for call in calls:
        call(10)
        tracemalloc.start()
        try:
            for n in (1500, 1501):
                call(n)
            gc.collect()
            assert tracemalloc.get_traced_memory()[0] < 1 << 19
        finally:
            tracemalloc.stop()
