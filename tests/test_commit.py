"""What changes a tensor in place is interrupted half way: memory, version and history are all new then."""

from __future__ import annotations

from typing import Any

import pytest

import autogradlab as torch
from autogradlab.core.recording import inplace


class Interrupted:
    """Memory whose first write is interrupted when it is done or, where `early`, before."""

    def __init__(self, early: bool) -> None:
        self.written: list[Any] = []
        self.calls, self.early = 0, early
        self.dtype = torch.ones(1).numpy().dtype

    def write(self, value: Any) -> None:
        self.calls += 1
        if self.calls == 1:
            if not self.early:
                self.written.append(value)
            raise KeyboardInterrupt
        self.written.append(value)

    def fill(self, value: Any) -> None:
        self.write(value)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.write((index, value))


def changed(how: str, counted: bool, recorded: bool, early: bool) -> tuple[Any, Interrupted, Any]:
    w = torch.ones(2, requires_grad=True)
    t = torch.zeros(2)
    if counted:
        t.add_(1)
    history = inplace.History(t, (w * 2).grad_fn) if recorded else None
    memory = Interrupted(early)
    t._array, array = memory, t._array
    calls = {
        "commit": lambda: inplace.commit(t, 5, history, 0),
        "commit_number": lambda: inplace.commit_number(t, 5),
        "commit_by": lambda: inplace.commit_by(t, memory.write, 5, history=history),
        "commit_values": lambda: inplace.commit_values(memory, 0, 5, t._counter, t._counter[0] + 1),
    }
    with pytest.raises(KeyboardInterrupt):
        calls[how]()
    t._array = array
    return t, memory, history


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("how", ["commit", "commit_by"])
def test_an_interrupted_write_is_done_all_the_same(how: str, counted: bool, recorded: bool, early: bool) -> None:
    t, memory, history = changed(how, counted, recorded, early)
    value = 5 if how == "commit_by" else (0, 5)
    assert memory.written[-1] == value and memory.calls == 2
    assert t._version == 1 + counted
    assert (t.grad_fn is history.edge) if recorded else t.grad_fn is None


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("how", ["commit_number", "commit_values"])
def test_an_interrupted_short_way_is_gone_to_its_end(how: str, early: bool) -> None:
    t, memory, _ = changed(how, True, False, early)
    assert memory.calls == 2 and memory.written[-1] == (5 if how == "commit_number" else (0, 5))
    assert t._version == 2


@pytest.mark.parametrize("kind", ["result", "view", "counted", "new", "retained"])
def test_a_kernel_writes_memory_version_and_history_together(kind: str) -> None:
    import numpy as np

    w = torch.ones(4, requires_grad=True)
    base = w * 2 if kind in ("result", "view", "retained") else torch.full((4,), 2.0)
    if kind == "counted":
        base.mul_(1)
    if kind == "retained":
        base.retain_grad()
    t = base[1:] if kind == "view" else base
    before = t._version
    node = (w[: len(t)] * 3).grad_fn
    history = inplace.History(t, node) if kind in ("result", "view", "retained") else None
    inplace.commit_kernel(t, np.multiply, t._array, t._array, history)
    assert t.tolist() == [4.0] * len(t) and t._version == before + 1
    if history is None:
        assert t.grad_fn is None
    elif kind == "view":
        assert t.grad_fn.name() == "AsStridedBackward0" and base.grad_fn.name() == "torch::autograd::CopySlices"
        assert t.grad_fn.next_functions[0][0] is base.grad_fn
    else:
        assert t.grad_fn is node and t.retains_grad is (kind == "retained")
        t.sum().backward()
        assert w.grad.tolist() == [3.0] * 4
        assert kind == "result" or t.grad.tolist() == [1.0] * 4
