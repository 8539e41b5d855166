"""`autograd.grad` looks at no more of the graph than it needs: counted in calls, which are the same on any machine."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import autogradlab as torch
from autogradlab.core.backward.engine import Reach
from autogradlab.core.graph.node import pair
from autogradlab.core.tensor.edges import gradient_edge


def calls(act: Any) -> int:
    """How many functions are called, C functions included."""
    count = 0

    def note(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count


def late_gradient(history: int, create_graph: bool) -> int:
    w = torch.ones(3, requires_grad=True)
    a = w
    for _ in range(history):
        a = a * 1.01
    z = (a * a).exp()
    return calls(lambda: torch.autograd.grad(z.sum(), a, create_graph=create_graph))


@pytest.mark.parametrize("create_graph", [False, True])
def test_the_history_of_an_input_costs_nothing(create_graph: bool):
    late_gradient(1, create_graph)  # loads what is loaded late
    short, long = late_gradient(10, create_graph), late_gradient(1000, create_graph)
    assert abs(long - short) < 50, "a call or two of the garbage collector's, but none for each of 990 Nodes"


def test_an_older_input_is_still_found():
    w = torch.tensor([2.0], requires_grad=True)
    old = w * 3
    between = old * 5
    late = between * 7
    z = (late * old).sum()
    found = torch.autograd.grad(z, [late, old, w], retain_graph=True)
    assert [g.item() for g in found] == [6.0, 2 * 6 * 35.0, 2 * 2 * 3 * 3 * 35.0]
    assert [g.item() for g in torch.autograd.grad(z, [late, old])] == [6.0, 2 * 6 * 35.0]


def test_a_changed_view_counts_as_old_as_its_base():
    """The Node of a view that is out of date is made when somebody asks for it, after its base's."""
    w = torch.ones(4, requires_grad=True)
    base = w * 2
    view = base[:2]
    base.mul_(3)
    z = (view * view).sum() + base.sum()
    by_view, by_base = torch.autograd.grad(z, [view, base])
    assert by_view.tolist() == [12.0, 12.0]
    assert by_base.tolist() == [13.0, 13.0, 1.0, 1.0]


def graphs() -> dict[str, tuple[list[Any], list[Any]]]:
    """Roots, and all the leaves below them."""
    w, x = torch.ones(3, requires_grad=True), torch.full((3,), 2.0, requires_grad=True)
    parts = (w * x).split(1)
    hooked = x * 1
    hooked.register_hook(lambda g: g)
    return {
        "a chain": ([(w * 2).exp().sum()], [w]),
        "shared": ([(w * x * w).sum()], [w, x]),
        "a leaf asked for twice": ([(w * x).sum()], [x, w, x]),
        "several outputs": ([parts[0] * parts[2]], [w, x]),
        "roots above each other": ([(w * x).exp(), w * x, x.exp()], [w, x]),
        "a root twice": ([y := w.exp(), y], [w]),
        "an unused leaf": ([w.exp()], [w, x]),
        "hooks": ([hooked * w], [w, x]),
    }


@pytest.mark.parametrize("name", graphs())
def test_a_pass_towards_all_leaves_is_counted_alike_in_one_walk_and_in_two(name: str, monkeypatch: pytest.MonkeyPatch):
    roots, leaves = graphs()[name]
    edges = [[pair(gradient_edge(t)) for t in ts] for ts in (roots, leaves)]

    def counted() -> tuple[Any, ...]:
        reach = Reach(*edges, accumulate=False)
        waiting = {node: (w.left, w.multi, w.shape) for node, w in reach.shared.items()}
        return {n for n in reach.needed if reach.needed[n]}, waiting, reach.capture_at, reach.plain, reach.first()

    reach = Reach(*edges, accumulate=False)
    assert not reach.partial
    assert Reach(edges[0], edges[1][:1], accumulate=False).partial is (len(set(edges[1])) > 1 and "unused" not in name)
    found = counted()
    with monkeypatch.context() as patch:
        patch.setattr(Reach, "_trace_all", lambda *args: False)
        assert counted() == found
