"""Usual mistakes are told by name: a wrong answer of that kind gets its words; all that have words are looked for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from autogradlab.inspectors import set_language
from autogradlab.lab import bank, check, copying

#: exercise, a wrong attempt, the mistake that it is.
WRONG = [
    ("double", "def double(t):\n    2 * t", "nothing"),
    ("board", "board = torch.zeros(8, 8)", "floats"),
    ("board", "board = (torch.arange(8).view(8, 1) + torch.arange(8) + 1) % 2", "inverted"),
    ("running-mean", "def update(mean, new):\n    mean = 0.9 * mean + 0.1 * new", "renamed"),
    ("clip", "def clip(a, limit):\n    a[a > limit] = limit\n    return a", "written"),
    ("megabytes", "def megabytes(tensors, dtype):\n    return 4.0 * sum(t.numel() for t in tensors)", "bytes"),
    ("distances", "def distances(p, q):\n    return ((p.unsqueeze(1) - q) ** 2).sum(2)", "squared"),
    ("guarded", "def guarded(t, f):\n    n = t.detach().numpy()\n    f(n)\n    return n", "shared"),
    ("by-hand", "def by_hand(w, x):\n    return (w * x + 1) * x, (w * x + 1) * w", "outer"),
    ("by-hand", "def by_hand(w, x):\n    return 2 * (w * x + 1), 2 * (w * x + 1)", "inner"),
    ("empty-gradients", "def empty(tensors, to_none):\n    for t in tensors:\n        t.grad = None", "thrown"),
    (
        "descend",
        ("def descend(w, steps):\n    for _ in range(steps):\n        ((w - 4) ** 2).backward()\n"
        "        with torch.no_grad():\n            w -= 0.25 * w.grad\n    return w"),
        "adding",
    ),
    ("like", "def like(t, values):\n    return torch.tensor(values, dtype=t.dtype)", "here"),
    (
        "in-order",
        ("def in_order(shape, stride):\n    taken = [s for n, s in zip(shape, stride) if n != 1]\n"
        "    return taken[-1] == 1 and taken == sorted(taken, reverse=True)"),
        "sorted",
    ),
    ("evaluate", "def evaluate(w, x):\n    with torch.no_grad():\n        return (w * x).sum()", "tensor"),
]  # fmt: skip


@pytest.mark.parametrize(("exercise", "source", "mistake"), WRONG, ids=lambda v: v if "\n" not in str(v) else "")
def test_a_usual_mistake_has_its_name(exercise: str, source: str, mistake: str):
    import autogradlab

    set_language("en")
    space: dict[str, Any] = {"torch": autogradlab}
    exec(source, space)
    judged = check(exercise, space)
    words = bank.find(exercise, "exercise").data["mistakes"]
    assert judged.state == "notyet"
    assert words[mistake]["en"] in judged.text
    assert sum(said["en"] in judged.text for said in words.values()) == 1


#: exercise, an attempt, and whether it is right: what a check could take for the other
JUDGED = [
    ("one-hot", "torch.zeros(classes, classes).scatter_(1, target.unsqueeze(1), 1.)", False),
    ("one-hot", "torch.zeros(len(target), len(target)).scatter_(1, target.unsqueeze(1), 1.)", False),
    ("one-hot", "(target.unsqueeze(1) == torch.arange(classes)).float()", True),
    ("one-hot", "torch.nn.functional.one_hot(target, classes).double()", True),
    ("clip", "torch.where(a > limit, limit, a)", True),
    ("clip", "a if not (a > limit).any() else a.clamp(max=limit)", False),
    ("like", "torch.tensor(values).to(t)", True),
    ("like", "torch.tensor(values, dtype=t.dtype).to(t.device)", True),
    ("like", "torch.tensor(values, dtype=t.dtype, device=t.device)", True),
    ("like", "torch.tensor(values).type_as(t)", True),
    ("running-mean", "mean.lerp_(new, 0.1)", True),
    ("running-mean", "mean.copy_(0.9 * mean + 0.1 * new).clone()", False),
    ("guarded", "[array := t.detach().clone().numpy(), f(array)][0]", True),
    ("guarded", "torch.from_numpy([array := t.detach().numpy().copy(), f(array)][0])", False),
    ("in-order", "torch.empty_strided(shape, stride).is_contiguous()", True),
    ("in-order", "stride[-1] == 1", False),
]
HEADS = {
    "one-hot": "one_hot(target, classes)",
    "clip": "clip(a, limit)",
    "like": "like(t, values)",
    "running-mean": "update(mean, new)",
    "guarded": "guarded(t, f)",
}


@pytest.mark.parametrize(("exercise", "result", "right"), JUDGED)
def test_a_check_takes_what_is_right_and_nothing_else(exercise: str, result: str, right: bool) -> None:
    import autogradlab

    space: dict[str, Any] = {"torch": autogradlab}
    exec(f"def {HEADS.get(exercise, 'in_order(shape, stride)')}:\n    return {result}", space)
    assert check(exercise, space).state == ("done" if right else "notyet")


@pytest.mark.parametrize(
    ("exercise", "source", "found", "wanted"),
    [
        ("like", "def like(t, values): return values", "[3, 4, 5]", "tensor([3, 4, 5], dtype=torch.int16)"),
        (
            "in-order",
            "def in_order(shape, stride): return len(shape) != 2 or sorted(stride) != [1, 3]",
            "in_order((3, 2, 4), (4, 12, 1)) -> True",
            "False",
        ),
    ],
)
def test_what_is_found_is_another_than_what_is_right(exercise: str, source: str, found: str, wanted: str) -> None:
    import autogradlab

    set_language("en")
    space: dict[str, Any] = {"torch": autogradlab}
    exec(source, space)
    assert f"Found: `{found}`. Expected: `{wanted}`." in check(exercise, space).text


@pytest.mark.parametrize("entry", [e for e in bank.entries() if "mistakes" in e.data], ids=lambda e: e.name)
def test_mistakes_are_looked_for(entry: bank.Entry):
    code = Path(copying.lessons_folder() / "checks" / f"{entry.lesson}.py").read_text(encoding="utf-8")
    assert [key for key in entry.data["mistakes"] if not re.search(rf'"{key}"', code)] == []
