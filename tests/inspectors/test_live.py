"""`lab.step(y, commit="live")`: the engine pauses after each Node, and what is there in between is what is said."""

from __future__ import annotations

from typing import Any

import pytest

import autogradlab
from autogradlab import inspectors as lab


def sentences(view: Any) -> list[str]:
    return [frame.sentence for frame in view.card.frames]


def test_grad_and_hooks_change_at_their_step():
    torch = autogradlab
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([5.0, 5.0], requires_grad=True)
    seen: list[Any] = []
    w.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.tolist()))
    y = (w * (b * 0 + 3) + b).sum()
    view: Any = lab.step(y, commit="live")
    assert "next()" in sentences(view)[0]
    assert (w.grad, b.grad, seen, view.over) == (None, None, [], False)
    states = []
    while not view.over:
        view.next()
        states.append((b.grad is not None, w.grad is not None, len(seen)))
        assert ("Done" in view.text) is view.over
    assert states[0] == (False, False, 0)
    assert (False, True, 1) in states
    assert states[-1] == (True, True, 1)
    assert sentences(view)[-1] == "Done: w.grad = [3., 3.], b.grad = [1., 1.]."
    with pytest.raises(RuntimeError, match="second time"):  # as after any backward, what Nodes saved is freed
        (y * 1).backward()


def test_it_says_what_a_backward_at_once_says():
    torch = autogradlab
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (w * w + w).sum()
    told = sentences(lab.step(y))
    view: Any = lab.step(y, commit="live")
    view.run()
    assert sentences(view)[1:] == told[1:]
    assert w.grad is not None
    assert w.grad.tolist() == [3.0, 5.0]


def test_what_is_queued_runs_at_the_end():
    torch = autogradlab
    w = torch.tensor(2.0, requires_grad=True)
    y = w * w
    said: list[Any] = []
    queue = torch.autograd.Variable._execution_engine.queue_callback
    y.register_hook(lambda grad: queue(lambda: said.append(w.grad)))
    view: Any = lab.step(y, commit="live")
    view.next()
    assert (said, view.over) == ([], False)
    view.run()
    assert [found.tolist() for found in said] == [4.0]


def test_other_code_runs_in_the_middle():
    torch = autogradlab
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    other = torch.tensor([4.0], requires_grad=True)
    view: Any = lab.step((w * w).sum(), commit="live")
    view.next()
    (other * other).backward()
    assert other.grad is not None
    assert other.grad.tolist() == [8.0]
    assert torch.is_grad_enabled()
    view.run()
    assert "[8.]" not in view.text
    assert w.grad is not None
    assert w.grad.tolist() == [2.0, 4.0]


def test_the_card_asks_for_the_next_node():
    torch = autogradlab
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    view: Any = lab.step((w * w).sum(), commit="live")
    assert view.card.live
    before = len(view.card.frames)
    view.asked("next")
    assert len(view.card.frames) > before
    assert (view.over, w.grad) == (False, None)
    view.asked("anything else")
    assert not view.over
    view.asked("run")
    assert view.over
    assert not view.card.live
    assert w.grad is not None
    assert w.grad.tolist() == [2.0, 4.0]


def test_leaving_it_is_safe():
    torch = autogradlab
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    calls: list[int] = []
    w.register_hook(lambda g: calls.append(1))
    y = (w * w).sum()
    view: Any = lab.step(y, commit="live")
    view.next()
    view.close()
    assert view.over
    assert "left in the middle" in view.text
    assert w.grad is None
    (w * w).sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [2.0, 4.0]
    assert calls == [1]
    assert len(w._backward_hooks) == 1


def test_an_error_stops_it():
    torch = autogradlab
    w = torch.tensor([1.0], requires_grad=True)

    def wrong(g: Any) -> Any:
        raise ValueError("no")

    w.register_hook(wrong)
    view: Any = lab.step(w * 2, commit="live")
    view.run()
    assert view.over
    assert "ValueError: no" in sentences(view)[-1]
    assert w.grad is None


def test_pytorch_cannot_pause(torch: Any):
    if torch is autogradlab:
        return
    w = torch.tensor([1.0], requires_grad=True)
    view = lab.step(w * 2, commit="live")  # type: ignore[arg-type]
    assert "PyTorch's engine does not pause" in view.text
    assert w.grad is None
