"""The short lanes of the engine and the full one: the same Nodes in the same order, numbers and errors."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autogradlab as torch
from autogradlab.core.backward import engine
from autogradlab.core.backward.engine import Task
from autogradlab.core.graph.node import Node
from autogradlab.core.runtime import modes

#: what a program gives back to be compared
Found = list[Any]


def full(task: Task) -> dict[int, Any]:
    """`Task.run` by the full lane, whatever the graph is."""
    for _ in task._walk(modes.current(), False, task.form):
        pass
    return task.reach.captured


class Order:
    """Notes which Nodes run: their numbers since the program began."""

    def __init__(self) -> None:
        self.first = (torch.ones(1, requires_grad=True) * 1).grad_fn._sequence_nr()
        self.ran: list[tuple[str, int]] = []

    def __call__(self, frame: Any, event: str, arg: Any) -> None:
        if event == "call" and frame.f_code.co_name.startswith("run"):
            node = frame.f_locals.get("self", frame.f_locals.get("node"))
            caller = frame.f_back.f_code.co_name if frame.f_back else ""
            if isinstance(node, Node) and not node.accumulates and not caller.lstrip("_").startswith("run"):
                self.ran.append((node.name(), node._sequence_nr() - self.first))


def shown(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        array = value.detach().numpy()
        return (
            array.tobytes(),
            array.shape,
            str(value.dtype),
            value._version,
            value.requires_grad,
            str(value.grad_fn)[:8],
        )
    return value


def outcome(program: Callable[[], Found], watched: bool) -> tuple[Any, ...]:
    """All that can be seen of a program: its results, or its error; and the Nodes that ran."""
    order = Order()
    found: Any
    sys.setprofile(order if watched else None)
    try:
        found = program()
    except RuntimeError as error:
        found = [str(error)]
    finally:
        sys.setprofile(None)
    return [shown(value) for value in found], order.ran


def both(program: Callable[[], Found], monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    found = outcome(program, True)
    with monkeypatch.context() as patch:
        patch.setattr(Task, "run", full)
        expected = outcome(program, True)
    return found, expected


def leaves(*shapes: tuple[int, ...]) -> list[Any]:
    rng = np.random.default_rng(0)
    return [torch.tensor(rng.random(s, np.float32) + np.float32(0.5), requires_grad=True) for s in shapes]


def shared_subgraph() -> Found:
    w, x = leaves((3,), (3,))
    a = w * x
    b = a.exp() + a
    (b * a + w).sum().backward()
    return [w.grad, x.grad]


def several_roots() -> Found:
    w, x = leaves((2, 3), (3,))
    a = w * x
    b = a.tanh()
    torch.autograd.backward([b.sum(), a, b], [None, torch.ones(2, 3), torch.full((2, 3), 0.5)])
    return [w.grad, x.grad]


def a_root_below_another() -> Found:
    (w,) = leaves((3,))
    a = w * 2
    b = a * a
    torch.autograd.backward([b, a, a], [torch.ones(3), torch.ones(3), torch.arange(3.0)])
    return [w.grad]


def a_leaf_as_root() -> Found:
    (w,) = leaves((3,))
    g = torch.ones(3)
    w.backward(g)
    w.backward(g)
    return [w.grad, g]


def accumulation() -> Found:
    w, x = leaves((50, 40), (50, 40))
    found = []
    for _ in range(3):
        ((w * x + w) * w).sum().backward()
        found += [w.grad.clone(), x.grad.clone(), w.grad, x.grad]
    return found


def broadcast() -> Found:
    w, b, s = leaves((4, 3), (3,), ())
    (w * b * s + b).mean().backward()
    return [w.grad, b.grad, s.grad]


def views() -> Found:
    (w,) = leaves((4, 3))
    a = w * 1
    v = a[1:]
    v[0].mul_(3)
    u = v.t().reshape(-1)
    a.add_(1)
    (u.sum() + (a * a).sum() + v.unbind()[0].sum()).backward()
    return [w.grad, a, v]


def in_place() -> Found:
    w, x = leaves((3,), (3,))
    h = w * 1
    for _ in range(3):
        h.mul_(x).add_(w)
    h.sigmoid_()
    h.sum().backward()
    return [w.grad, x.grad, h]


def several_outputs() -> Found:
    (w,) = leaves((3, 4))
    a, b, c = (w * 2).unbind()
    top = (w * w).max(1)
    (a * b + a).sum().backward(retain_graph=True)
    first = w.grad.clone()
    (top.values.sum() + c.sum()).backward()
    return [first, w.grad]


def unused_output() -> Found:
    (w,) = leaves((2, 4))
    a, _ = torch.split(w * 2, 1)
    a.sum().backward()
    return [w.grad]


def saved_for_later() -> Found:
    w, x = leaves((3,), (3,))
    y = (w * x).exp()
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    return [w.grad, y, y.grad_fn.name()]


def captured() -> Found:
    w, x = leaves((3,), (3,))
    a = w * x
    b = a.exp()
    c = (b * a).sum()
    kept = torch.autograd.grad(c, [b, a, w, a], retain_graph=True)
    none = torch.autograd.grad(c, [x, leaves((1,))[0]], allow_unused=True)
    return [*kept, *none, w.grad]


def chosen_inputs() -> Found:
    w, x = leaves((3,), (3,))
    a = w * x
    (a.exp() * w).sum().backward(inputs=[w, a])
    return [w.grad, x.grad, a.grad]


def second_derivatives() -> Found:
    w, x = leaves((3,), (3,))
    y = (torch.tanh(w * x) * w + w.exp() / x).sum()
    first = torch.autograd.grad(y, [w, x], create_graph=True)
    second = torch.autograd.grad(sum((g * g).sum() for g in first), [w, x])
    return [*first, *second]


def recorded_leaves() -> Found:
    w, x = leaves((3,), (3,))
    for _ in range(2):
        (w * w * x + w).sum().backward(create_graph=True)
    w.grad.sum().backward()
    return [w.grad, x.grad]


def recorded_without_grad_mode() -> Found:
    (w,) = leaves((3,))
    y = (w * w + w.exp() * w).sum()
    with torch.no_grad():
        (g,) = torch.autograd.grad(y, w, create_graph=True)
        mode = torch.is_grad_enabled()
    return [g, mode, *torch.autograd.grad(g.sum(), w)]


def recorded_in_place() -> Found:
    (w,) = leaves((4, 3))
    a = w * w
    a[1:].mul_(a[:1].detach())
    a.add_(w)
    (g,) = torch.autograd.grad((a * a).sum(), w, create_graph=True)
    return [g, *torch.autograd.grad(g.sum(), w)]


def freed_twice() -> Found:
    w, x = leaves((3,), (3,))
    a = w * x
    b = a + 1
    b.sum().backward()
    try:
        (b + w).sum().backward()
    except RuntimeError as error:
        return [str(error), w.grad, x.grad]
    raise AssertionError("a graph that is freed runs")


def modified_midway() -> Found:
    w, x = leaves((3,), (3,))
    a = w * 1
    b = a * x
    c = b + w
    a.add_(1)
    try:
        c.sum().backward()
    except RuntimeError as error:
        return [str(error), w.grad, x.grad]
    raise AssertionError("a changed tensor is not noticed")


def of_another_size() -> Found:
    """A result given other data: what its Node expects does not fit, and nothing is accumulated."""
    w, x, other = leaves((3,), (3,), (4,))
    y = w * x
    y.data = torch.ones(4)
    z = other * y
    try:
        z.sum().backward()
    except RuntimeError as error:
        return [str(error), w.grad, x.grad, other.grad]
    raise AssertionError("a gradient of the wrong size passes")


def overflowing() -> Found:
    """Nothing is said about overflow and division by zero."""
    (w,) = leaves((3,))
    y = (w / 0 * 1e38 * 1e38).exp().log() + w.sqrt() * 0 / 0
    y.sum().backward()
    return [w.grad]


def modes_of_hooks() -> Found:
    """Hooks and code of the user see grad mode off, or on where the pass is recorded."""
    seen: list[str] = []

    def hook(grad: Any) -> None:
        seen.append(f"hook {torch.is_grad_enabled()}")

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            seen.append(f"backward {torch.is_grad_enabled()}")
            return grad * 2

    for recorded in (False, True):
        (w,) = leaves((3,))
        y = Twice.apply(w * 3)
        y.register_hook(hook)
        y.register_hook(hook)
        z = Twice.apply(y)
        z.grad_fn.register_prehook(lambda grads: hook(grads[0]))
        z.grad_fn.register_hook(lambda grads, given: hook(grads[0]))
        w.register_hook(hook)
        w.register_post_accumulate_grad_hook(hook)
        z.sum().backward(create_graph=recorded)
        seen.append(f"after {torch.is_grad_enabled()} {w.grad.requires_grad}")
    return [str(seen), w.grad]


PROGRAMS = [
    shared_subgraph, several_roots, a_root_below_another, a_leaf_as_root, accumulation, broadcast, views, in_place,
    several_outputs, unused_output, saved_for_later, captured, chosen_inputs, second_derivatives, recorded_leaves,
    recorded_without_grad_mode, recorded_in_place, freed_twice, modified_midway, of_another_size, overflowing,
    modes_of_hooks,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_both_lanes_agree(program: Callable[[], Found], monkeypatch: pytest.MonkeyPatch):
    found, expected = both(program, monkeypatch)
    assert found == expected
    assert bool(found[1]) == (program is not a_leaf_as_root), "Nodes run, and are seen"


def random_program(seed: int) -> Callable[[], Found]:
    """A graph of random operations on tensors of two shapes; shared, reduced, viewed and changed in place."""

    def program() -> Found:
        rng = random.Random(seed)
        made = leaves((2, 3), (3,), (2, 3))
        given = list(made)
        for _ in range(rng.randrange(5, 25)):
            a, b = rng.choice(made), rng.choice(made)
            kind = rng.randrange(9)
            if kind < 3:
                made.append((a + b, a * b, a - b)[kind])
            elif kind == 3:
                made.append(a.tanh())
            elif kind == 4:
                made.append(a.exp().sum(0, keepdim=True).expand(2, 3) * 0.1)
            elif kind == 5 and a.dim() == 2:
                made.append(a[rng.randrange(2)])
            elif kind == 6 and a.grad_fn is not None and a.shape == b.shape and a is not b:
                a.add_(b.detach())
            elif kind == 7:
                made.append(torch.where(a > 1, a, b))
            else:
                made.append(a * rng.random())
        roots = [t for t in made if t.grad_fn is not None][-2:]
        total = sum(t.sum() for t in roots)
        which = rng.randrange(4)
        if which == 0:
            total.backward()
            return [t.grad for t in given]
        if which == 1:
            torch.autograd.backward(roots, [torch.ones_like(t) for t in roots])
            return [t.grad for t in given]
        inputs = rng.sample(made, 3) if which == 2 else given
        inputs = [t for t in inputs if t.requires_grad]
        found = torch.autograd.grad(total, inputs, create_graph=which == 3, allow_unused=True)
        if which == 3 and any(g is not None and g.requires_grad for g in found):
            again = sum(g.sum() for g in found if g is not None and g.requires_grad)
            found = (*found, *torch.autograd.grad(again, given, allow_unused=True))
        return list(found)

    return program


@pytest.mark.parametrize("seed", range(60))
def test_both_lanes_agree_on_random_programs(seed: int, monkeypatch: pytest.MonkeyPatch):
    found, expected = both(random_program(seed), monkeypatch)
    assert found == expected


def test_a_graph_with_hooks_takes_the_full_lane():
    seen: list[str] = []
    for hooked in ("leaf", "post", "node", "tensor", "retain", "saved"):
        (w,) = leaves((3,))
        pair = (lambda t: t, lambda t: seen.append("saved") or t)
        if hooked == "saved":
            with torch.autograd.graph.saved_tensors_hooks(*pair):
                y = w.exp()
        else:
            y = w.exp()
        if hooked == "leaf":
            w.register_hook(lambda g: seen.append("leaf"))
        elif hooked == "post":
            w.register_post_accumulate_grad_hook(lambda t: seen.append("post"))
        elif hooked == "node":
            y.grad_fn.register_hook(lambda ins, outs: seen.append("node"))
        elif hooked == "tensor":
            y.register_hook(lambda g: seen.append("tensor"))
        elif hooked == "retain":
            y.retain_grad()
        y.sum().backward()
        assert hooked == "retain" and y.grad is not None or seen.count(hooked) == 1
        assert w.grad is not None


def test_the_short_lane_is_taken():
    """The full lane is a generator; a plain graph never makes one."""
    names = set()

    def note(frame: Any, event: str, arg: Any) -> None:
        if event == "call":
            names.add((frame.f_code.co_filename.rsplit("/")[-1], frame.f_code.co_name))

    for create_graph in (False, True):
        w, x = leaves((3,), (3,))
        y = (w * x).exp().sum()
        names.clear()
        sys.setprofile(note)
        try:
            torch.autograd.grad(y, [w, x], create_graph=create_graph)
        finally:
            sys.setprofile(None)
        assert ("engine.py", "walk_recorded" if create_graph else "walk") in names
        assert ("engine.py", "_walk") not in names


class Numbered:
    def __init__(self, number: int) -> None:
        self._seq = number


def test_the_youngest_node_leaves_the_queue_first():
    rng = random.Random(0)
    for size in range(1, 40):
        heap: list[Any] = []
        inside: list[int] = []
        for number in [rng.randrange(30) for _ in range(size)]:
            engine._push(heap, Numbered(number))  # type: ignore[arg-type]
            inside.append(number)
            while rng.random() < 0.3 and len(heap) > 1:
                inside.remove(found := engine._pop(heap)._seq)
                assert found >= max(inside)
        assert [engine._pop(heap)._seq for _ in heap[1:]] == sorted(inside, reverse=True)[:-1]
