"""Depth and memory: long chains go backward without recursion, and dropping a root frees its graph at once.

Each check takes the module (autogradlab or torch) and a length, and raises AssertionError where something is wrong.
"""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import perf_counter, process_time
from typing import Any

import numpy as np

LENGTH = 1_000_000


@contextmanager
def no_collector() -> Iterator[None]:
    """Run with the garbage collector off; at the end nothing may be left for it, that is: no cycles were made."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
        found = gc.collect()
        assert found == 0, f"{found} objects were left to the garbage collector"
    finally:
        if was_on:
            gc.enable()


class Sentinel:
    """A hook that does nothing; the graph owns it, so it lives exactly as long as the graph does."""

    def __call__(self, grad: Any) -> None:
        return None


def _watched(tensor: Any) -> weakref.ref[Sentinel]:
    sentinel = Sentinel()
    tensor.register_hook(sentinel)
    return weakref.ref(sentinel)


def _leaves(T: Any) -> tuple[Any, Any]:
    w = T.tensor([1.0], dtype=T.float64, requires_grad=True)
    return w, T.tensor([1.0], dtype=T.float64, requires_grad=True)


def _chain(T: Any, length: int) -> tuple[Any, Any, Any, weakref.ref[Sentinel]]:
    """h = h * w + x, starting from h = x, with a watched tensor next to the leaves."""
    w, x = _leaves(T)
    h = x * w
    alive = _watched(h)
    for _ in range(length // 2 - 1):
        h = h * w + x
    return w, x, h + x, alive


def _slope(length: int) -> int:
    """dy/dw of the chain at w = x = 1: y = x * w**n + x * (w**(n-2) + ... + w + 1) + x, n being half the length."""
    n = length // 2
    return n + (n - 1) * (n - 2) // 2


def chain_backward(T: Any, length: int) -> None:
    """A long chain goes backward, gives the exact gradients and is freed by dropping its root."""
    with no_collector():
        w, x, y, alive = _chain(T, length)
        assert alive() is not None, "the graph is gone while its root is held"
        y.backward()
        assert y.item() == length // 2 + 1, y.item()
        assert x.grad.item() == length // 2 + 1, x.grad.item()
        assert w.grad.item() == _slope(length), w.grad.item()
        del y
        assert alive() is None, "the graph outlives its root"


def chain_dropped(T: Any, length: int) -> None:
    """A long chain that never went backward is freed by dropping its root."""
    with no_collector():
        _, _, y, alive = _chain(T, length)
        assert alive() is not None, "the graph is gone while its root is held"
        del y
        assert alive() is None, "the graph outlives its root"


def chain_twice(T: Any, length: int) -> None:
    """With retain_graph a long chain goes backward twice, adds up, and is still freed."""
    with no_collector():
        _, x, y, alive = _chain(T, length)
        y.backward(retain_graph=True)
        y.backward()
        assert x.grad.item() == 2 * (length // 2 + 1), x.grad.item()
        del y
        assert alive() is None, "the graph outlives its root"


def chain_inplace(T: Any, length: int) -> None:
    """The same depth by in-place ops on one tensor, whose history is rebased each time."""
    with no_collector():
        _, x = _leaves(T)
        h = x * 1
        alive = _watched(h)
        for _ in range(length):
            h.add_(x)
        h.backward()
        assert x.grad.item() == length + 1, x.grad.item()
        del h
        assert alive() is None, "the graph outlives its root"


def chain_of_views(T: Any, length: int) -> None:
    """Views of views share one storage; the last one alone keeps what it needs."""
    with no_collector():
        _, x = _leaves(T)
        h = x * 1
        alive = _watched(h)
        for _ in range(length):
            h = h.view(1)
        h.backward()
        assert x.grad.item() == 1, x.grad.item()
        del h
        assert alive() is None, "the graph outlives its root"


def double_backward(T: Any, length: int) -> None:
    """A gradient that was itself recorded frees both graphs."""
    with no_collector():
        w, x, y, alive = _chain(T, length)
        (first,) = T.autograd.grad(y, w, create_graph=True)
        again = _watched(first)
        (second,) = T.autograd.grad(first, x)
        assert second.item() == _slope(length), second.item()
        assert again() is not None, "the second graph is gone while its root is held"
        del y, first
        assert alive() is None, "the graph outlives its root"
        assert again() is None, "the recorded gradient outlives its root"


def view_changed_in_place(T: Any, length: int) -> None:
    """In-place changes of a view rebase the base; base, view and graph go together."""
    with no_collector():
        x = T.tensor([1.0, 1.0, 1.0], dtype=T.float64, requires_grad=True)
        base = x * 1
        alive = _watched(base)
        row = base[1:]
        for _ in range(length):
            row.mul_(1)
        base.sum().backward()
        assert x.grad.tolist() == [1.0, 1.0, 1.0], x.grad.tolist()
        del base, row
        assert alive() is None, "the graph outlives its root"


def after_an_error(T: Any, length: int) -> None:
    """A second backward through a freed graph raises and leaves nothing behind."""
    with no_collector():
        _, _, y, alive = _chain(T, length)
        y.backward()
        words = ""
        try:
            y.backward()
        except RuntimeError as error:
            words = str(error)
        assert "second time" in words, f"the second backward said {words!r}"
        del y
        assert alive() is None, "the graph outlives its root"


CHECKS: tuple[Callable[[Any, int], None], ...] = (
    chain_backward,
    chain_dropped,
    chain_twice,
    chain_inplace,
    chain_of_views,
    double_backward,
    view_changed_in_place,
    after_an_error,
)
# A second derivative of a long chain runs through twice the graph and a view of a view costs more than an addition;
# a part of the length shows the same.
PART = {"chain_twice": 5, "chain_inplace": 5, "chain_of_views": 5, "double_backward": 5, "view_changed_in_place": 50}


def peak_megabytes() -> float | None:
    """The most memory that this process has used so far, where the system tells."""
    try:
        import resource
        import sys
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def nanoseconds_per_node(T: Any, length: int, seconds: float = 0.2) -> float:
    """What one Node of a chain costs forward, backward and freed, the garbage collector's share included."""
    w, x = _leaves(T)
    best, spent = float("inf"), 0.0
    while spent < seconds:
        start = process_time()
        h = x
        for _ in range(length // 2):
            h = h * w + x
        h.backward()
        del h
        took = process_time() - start
        best, spent = min(best, took), spent + took
    return best / length * 1e9


def bytes_per_operation(T: Any, length: int = 1000) -> tuple[float, float]:
    """Memory that a recorded operation on three elements holds, the values included; and containers that the garbage
    collector follows."""
    w, x = (T.ones(3, requires_grad=True) for _ in range(2))
    with no_collector():
        h = x * w
        del h
        containers = gc.get_count()[0]
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            h = x
            for _ in range(length // 2):
                h = h * w + x
            held = tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()
        made = gc.get_count()[0] - containers
        del h
    return held / length, made / length


def peak_of_a_step(T: Any, batch: int = 256, wide: int = 784, hidden: int = 512) -> tuple[int, int]:
    """The most memory that a training step of a two-layer net holds at once beside its parameters: ours, and that of
    the same step written by hand, which lets go of each array as soon as it can."""
    rng = np.random.default_rng(0)
    arrays = [rng.random(s, np.float32) for s in ((batch, wide), (wide, hidden), (hidden,), (hidden, 10), (10,))]

    def recorded() -> None:
        loss = ((T.relu(x @ w1 + b1) @ w2 + b2) ** 2).mean()
        loss.backward()
        for p in (w1, b1, w2, b2):
            p.grad = None

    def by_hand() -> None:
        inputs, first, bias, second, last = arrays
        z = inputs @ first
        z += bias
        h = np.maximum(z, 0)
        del z
        y = h @ second
        y += last
        y *= 2 / y.size
        grads = [y.sum(0), h.T @ y]
        g = y @ second.T
        g *= h > 0
        del h
        grads += [g.sum(0), inputs.T @ g]

    def peak(act: Callable[[], None]) -> int:
        act()
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            act()
            return tracemalloc.get_traced_memory()[1] - before
        finally:
            tracemalloc.stop()

    x = T.tensor(arrays[0])
    w1, b1, w2, b2 = (T.tensor(a, requires_grad=True) for a in arrays[1:])
    return peak(recorded), peak(by_hand)


def scale(T: Any, length: int, show: Callable[[str], None] = print) -> None:
    """Time per Node from short to long chains, bytes of an operation, and the peak of a training step."""
    sizes = [10**k for k in range(2, 7) if 10**k <= length]
    times = ", ".join(f"{nanoseconds_per_node(T, size):,.0f} ({size:,})" for size in sizes)
    show(f"nanoseconds a Node, forward and backward, by the length of the chain: {times}")
    held, containers = bytes_per_operation(T)
    show(f"a recorded operation holds {held:.0f} bytes in {containers:.1f} containers that the collector follows")
    ours, numpy = peak_of_a_step(T)
    show(f"peak of a training step: {ours / 1e6:.2f} MB, by hand {numpy / 1e6:.2f} MB: {ours / numpy:.2f} x")


def run(T: Any, length: int = LENGTH, show: Callable[[str], None] = print) -> bool:
    """All checks, one line each; True when every one of them holds."""
    good = True
    for check in CHECKS:
        size = max(2, length // PART.get(check.__name__, 1))
        with suppress(AssertionError):
            check(T, 2)  # loads what is loaded late: an entry that another replaces is left to the collector, once
        start = perf_counter()
        try:
            check(T, size)
            verdict = "ok"
        except Exception as error:  # the other checks still have something to say
            verdict, good = f"FAILED: {type(error).__name__}: {error}", False
        peak = peak_megabytes()
        memory = "" if peak is None else f"  peak so far {peak:,.0f} MB"
        show(f"{check.__name__:<24}{size:>10,} ops{perf_counter() - start:>8.2f} s{memory}  {verdict}")
    return good
