"""Depth and memory: long chains go backward without recursion, and dropping a root frees its graph at once.

Each check takes the module (autogradlab or torch) and a length, and raises AssertionError where something is wrong.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

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


def run(T: Any, length: int = LENGTH, show: Callable[[str], None] = print) -> bool:
    """All checks, one line each; True when every one of them holds."""
    good = True
    for check in CHECKS:
        size = max(2, length // PART.get(check.__name__, 1))
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
