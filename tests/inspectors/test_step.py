"""`lab.step`: a backward pass event by event, the same for autogradlab and for PyTorch, and everything put back."""

from __future__ import annotations

import re
from typing import Any

import pytest

from autogradlab import inspectors as lab


def sentences(view: Any) -> list[str]:
    return [frame.sentence for frame in view.card.frames]


def leaves(torch: Any) -> tuple[Any, Any]:
    return torch.tensor([1.0], requires_grad=True), torch.tensor([2.0], requires_grad=True)


def test_the_graph_of_the_documents(torch: Any):
    w, x = leaves(torch)
    a = w * x
    b = w + 1
    y = a * b
    view = lab.step(y)
    assert sentences(view) == [
        "Nothing has run yet. Gradients will go from the root at the right to the leaves at the left.",
        "The root gradient [1.] enters at y: backward() of one element starts with 1.",
        "MulBackward0 runs: a gets g·b = [2.], b gets g·a = [2.]. It frees what it saved: self, other.",
        "AddBackward0 runs: w gets g = [2.]. At w it waits: 1 of 2 gradients are here.",
        "MulBackward0 runs: w gets g·x = [4.], x gets g·w = [2.]. It frees what it saved: self, other.",
        "Both gradients of w are here and are summed: [2.] + [4.] = [6.].",
        "AccumulateGrad: w.grad was None and becomes [6.].",
        "AccumulateGrad: x.grad was None and becomes [2.].",
        "Done: w.grad = [6.], x.grad = [2.].",
    ]
    assert (w.grad, x.grad) == (None, None)
    assert sentences(lab.step(y, commit=True))[1:] == sentences(view)[1:]
    assert (w.grad.tolist(), x.grad.tolist()) == ([6.0], [2.0])
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_frames_change_states_and_labels(torch: Any):
    w, x = leaves(torch)
    a = w * x
    b = w + 1
    y = a * b
    view = lab.step(y)
    runs = view.card.frames[4]
    labels = ["[2.]", "g·x = [4.]", "2 of 2 here", "g·w = [2.]", "saved: freed"]
    assert [text for _, text in runs.texts] == labels
    assert "active" in {state for _, state in runs.states}
    slots = {t.slot for item in view.card.blocks[0].items for t in item.shapes if getattr(t, "slot", "")}
    assert {slot for frame in view.card.frames for slot, _ in frame.texts} <= slots
    assert re.search(r"\.grad: None → \[6\.\]", str(view.card.frames[6].texts))
