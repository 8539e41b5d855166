"""`why`: what there is to say about a gradient although nothing failed."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from autogradlab.inspectors import set_language, why

W = "w = torch.ones(2, requires_grad=True)"
STEP = "loss = (w * w).sum()\n    loss.backward()"

CASES = {
    "cut in a function": (
        [
            W + "\nu = torch.ones(2, requires_grad=True)",
            "def half(x):\n    x = x * w\n    return x.detach()",
            "loss = (half(u) * u).sum()\nloss.backward()",
            "lab.why(w)",
        ],
        (
            "Why `w.grad`?\n"
            "`.grad` is None: `u.grad` is there, but no result that has a name has a graph that leads back to `w`: "
            "that backward did not come here, or `.grad` was set back to None since.\n"
            "What to do: Use `w` in the computation of what `backward()` is called on; `lab.graph(...)` of that shows "
            "what it is made of.\n"
            "made by  torch.ones(2, requires_grad=True)\n"
            "at       cell [2], line 1\n"
            "One line takes a tensor out of the graph: no gradient goes back through its `.detach()`. If `w` is used "
            "before that, this is the reason.\n"
            "leaves here  return x.detach()\n"
            "at           cell [3], line 3"
        ),
    ),
    "non-leaf": (
        [W + "\ny = w * w\nloss = y.sum()\nloss.backward()", "lab.why(y)"],
        (
            "Why `y.grad`?\n"
            "`.grad` is None and stays None: `y` is a non-leaf (the result of MulBackward0), and a non-leaf's "
            "gradient is dropped once it has been used.\n"
            "What to do: Call `y.retain_grad()` before backward, register a hook, or ask `torch.autograd.grad`.\n"
            "made by  w * w\n"
            "at       cell [2], line 2"
        ),
    ),
    "lost leaf": (
        [W, "w = w * 2", "lab.why(w)"],
        (
            "Why `w.grad`?\n"
            "`.grad` is None and stays None: `w` is now the result of `w * 2`, a non-leaf; the leaf that had "
            "this name before has lost it.\n"
            "Write instead: `with torch.no_grad(): w *= 2`\n"
            "made by  w * 2\n"
            "at       cell [3], line 1"
        ),
    ),
    "never zeroed in a loop": (
        [W, f"for i in range(3):\n    {STEP}", "lab.why(w)"],
        (
            "Why `w.grad`?\n"
            "`w.grad` may be a sum: backward is called in a loop, each time adds to `.grad`, and nothing in the "
            "code zeroes it in between.\n"
            "Write instead: `w.grad = None  # or optimizer.zero_grad(), before each backward`\n"
            "last backward  loss.backward()\n"
            "at             cell [3], line 3"
        ),
    ),
    "never zeroed in cells": (
        [W, "(w * w).sum().backward()", "(w * w).sum().backward()", "lab.why(w)"],
        (
            "Why `w.grad`?\n"
            "`w.grad` may be a sum: the code calls backward in 2 places, each one that reaches it "
            "adds to `.grad`, and nothing in the code zeroes it in between.\n"
            "Write instead: `w.grad = None  # or optimizer.zero_grad(), before each backward`\n"
            "last backward  (w * w).sum().backward()\n"
            "at             cell [4], line 1"
        ),
    ),
    "zeroed": (
        [W, f"for i in range(3):\n    w.grad = None\n    {STEP}", "lab.why(w)"],
        (
            "Why `w.grad`?\n"
            "`w.grad` holds a gradient. Whether it is of one backward or a sum of several cannot be told afterwards.\n"
            "What to do: `ledger = lab.accumulation(w)` before the backwards shows every one of them."
        ),
    ),
    "once": (
        [W, "(w * w).sum().backward()", "lab.why(w)"],
        (
            "Why `w.grad`?\n"
            "`w.grad` is there, and the code calls backward once: it is the gradient of that.\n"
            "last backward  (w * w).sum().backward()\n"
            "at             cell [3], line 1"
        ),
    ),
    "nan": (
        ["w = torch.zeros(1, requires_grad=True)", "(w / w).sum().backward()", "lab.why(w)"],
        (
            "Why `w.grad`?\n"
            "`w.grad` has elements that are nan: some step computed 0/0, inf - inf or 0 * inf, in the backward, or in "
            "the forward before it.\n"
            "What to do: `lab.step(loss)` of the loss computed anew shows the Node that makes the first nan; "
            "`torch.autograd.set_detect_anomaly(True)` gives the line of its forward in a traceback."
        ),
    ),
    "an optimizer with an old tensor": (
        [W + "\nopt = torch.optim.SGD([w], lr=0.1)", W + "\n(w * w).sum().backward()", "lab.why(opt)"],
        (
            "What does `opt` hold?\n"
            "`opt` holds an older tensor: `w` was bound anew after `opt` was made, so its steps no longer reach `w`.\n"
            "Write instead: `opt = torch.optim.SGD([w], lr=0.1)`\n"
            "made by  torch.ones(2, requires_grad=True)\n"
            "at       cell [3], line 1"
        ),
    ),
    "a number": (
        [W, "loss = (w * w).sum().item()", "lab.why(loss)"],
        (
            "Why `loss.grad`?\n"
            "`loss` comes from `(w * w).sum().item()`: `.item()` takes plain numbers out of the tensor, and no "
            "graph leads through numbers.\n"
            "Write instead: `loss = (w * w).sum()`\n"
            "made by  (w * w).sum().item()\n"
            "at       cell [3], line 1"
        ),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_silent_mistakes(torch: Any, shell: Any, case: str):
    cells, text = CASES[case]
    shell.run("from autogradlab import inspectors as lab")
    for cell in cells:
        result = shell.run(cell)
    assert result.text == text
    set_language("zh")
    chinese = shell.run(cells[-1]).text
    assert len(chinese.splitlines()) == len(text.splitlines())
    assert any("\u4e00" <= c <= "\u9fff" for c in chinese)


@pytest.mark.parametrize("made", ["w > 1", "w.argmax()", "w.topk(1)[1]", "w.int()", "torch.tensor([1, 2])"])
def test_what_counts_has_no_derivative(torch: Any, shell: Any, made: str):
    shell.run("from autogradlab import inspectors as lab\n" + W + f"\nt = {made}")
    text = shell.run("lab.why(t)").text
    written = made.startswith("torch.tensor")
    assert ("integers and booleans have no derivative" in text) is not written
    assert ("write `1.` instead of `1`" in text) is written


def test_a_line_is_quoted_as_it_was_written(torch: Any, shell: Any):
    shell.run("from autogradlab import inspectors as lab\n" + W)
    shell.run("(w * w).backward(torch.tensor([1., 0.]))")
    assert "(w * w).backward(torch.tensor([1., 0.]))\n" in shell.run("lab.why(w)").text


def test_a_tensor_that_an_optimizer_has_lost(torch: Any, shell: Any):
    shell.run("from autogradlab import inspectors as lab\n" + W + "\nopt = torch.optim.SGD([w], lr=0.1)")
    shell.run(W + "\n(w * w).sum().backward()")
    assert "`opt` holds an older tensor: `w` was bound anew" in shell.run("lab.why(w)").text
    shell.run("opt = torch.optim.SGD([w], lr=0.1)")
    assert "`opt`" not in shell.run("lab.why(w)").text
    assert "What `opt` holds (tensors: 1) has names and gradients." in shell.run("lab.why(opt)").text


@pytest.mark.parametrize("thing", ["x", None, [1], object(), 3.5, {"a": 1}])
def test_no_tensor(torch: Any, thing: Any):
    assert "takes a tensor, an optimizer or an error" in why(thing).text


def test_an_error(torch: Any):
    assert "this is the second one" in why(RuntimeError("Trying to backward through the graph a second time")).text


def test_large_and_empty(torch: Any):
    w = torch.ones(100_000, requires_grad=True)
    (w * 2).sum().backward()
    assert "`w.grad`" in why(w).text
    e = torch.zeros(0, requires_grad=True)
    (e * 2).sum().backward()
    assert "`e.grad`" in why(e).text


def test_it_keeps_nothing_alive(torch: Any):
    w = torch.ones(2, requires_grad=True)
    y = w * 2
    card = why(y)
    gone = [weakref.ref(w), weakref.ref(y)]
    del w, y
    gc.collect()
    assert [ref() for ref in gone] == [None, None]
    assert "non-leaf" in card.text


def test_an_expression_was_assigned_nowhere(torch: Any) -> None:
    w = torch.ones(2, requires_grad=True)
    told = why(w.data + 1)
    assert told.text.splitlines()[0] == "Why `(w.data + 1).grad`?"
    assert "torch.ones" not in told.text  # which made w
