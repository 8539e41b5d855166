"""`parsons`, `check`, `hint`, `solution`: judged by what the code does; stubs are no attempts."""

from __future__ import annotations

import gc
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autogradlab.inspectors import set_language
from autogradlab.lab import bank, check, exercises, hint, parsons, running, solution


def test_parsons_by_running(torch: Any):
    puzzle = parsons("descend")
    assert puzzle.state == "open"
    assert [k for k, _ in puzzle.known] != sorted(k for k, _ in puzzle.known)
    assert puzzle.arrange(*puzzle.known).state == "done"
    assert "Any order that works counts." in puzzle.text
    loop, loss, back, quiet, step, none = puzzle.known
    assert puzzle.arrange(loop, loss, back, none, quiet, step).state == "notyet"
    assert "It stopped in line 6 with `TypeError" in puzzle.text
    first = parsons("descend").arrange(loop, none, loss, back, quiet, step)
    assert "These lines run, but this is not true: no gradient is left over." in first.text
    # another order, in which `.grad` is cleared first and once more after the loop, is not possible with one line;
    # but the loss may be made before the gradient is cleared
    assert parsons("descend").arrange(loop, loss, back, quiet, step, none).state == "done"


def test_what_one_arrangement_did_is_undone_for_the_next(torch: Any):
    """Variables, random numbers and defaults: every run starts from the setup, and the notebook's names are its own."""
    entry = bank.Entry(
        "01-sample",
        "doubled-in-place",
        {
            "kind": "parsons",
            "question": {"en": "Double it once.", "zh": "翻倍一次。"},
            "setup": "w = torch.tensor([1.])",
            "lines": ["w.mul_(2)", "torch.set_default_dtype(torch.float64)", "drawn = torch.rand(1)"],
            "checks": [{"expr": "w.item() == 2", "en": "`w` is 2.", "zh": "`w` 是 2。"}],
        },
    )
    puzzle = exercises_parsons(entry)
    torch.manual_seed(5)
    expected = torch.rand(2)[0].item()
    torch.manual_seed(5)
    for _ in range(3):
        assert puzzle.arrange(*puzzle.known).state == "done"
    assert torch.get_default_dtype() == torch.float32
    assert torch.rand(2)[0].item() == expected


def test_parsons_words_on_what_went_wrong(torch: Any):
    puzzle = parsons("descend")
    extra = next(k for k, line in puzzle.lines.items() if line.startswith("w = w"))
    loop, loss, back, *_ = puzzle.known
    assert "It stopped in line 1 with `IndentationError" in parsons("descend").arrange(loss, loop).text
    text = puzzle.arrange(loop, loss, back, (extra, 1)).text
    assert "this makes a new `w`, no leaf." in text
    with pytest.raises(ValueError, match="Name each line at most once"):
        puzzle.arrange("a", "a")
    with pytest.raises(ValueError, match="Name each line at most once"):
        puzzle.arrange("z")


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SECONDS", 0.3)


@pytest.mark.parametrize("lines", [["while True:", "    pass"], ["while True: pass"]])
def test_parsons_that_never_ends_is_stopped(sample: Path, short: None, lines: list[str]):
    puzzle = exercises_parsons(bank.Entry("01-sample", "endless", {"lines": lines, "indent": True}))
    assert "stopped after" in puzzle.arrange(*puzzle.known).text


def test_what_ends_in_a_callback_of_the_collector_is_stopped_all_the_same(torch: Any, short: None):
    def looked(phase: str, info: dict[str, Any]) -> None:
        pass

    class Closing:
        def __del__(self) -> None:
            self.closed = True

    def endless(w: Any) -> None:
        while True:
            Closing()
            gc.collect(0)

    gc.callbacks.append(looked)
    try:
        assert "stopped after 0.3 seconds" in check("zero-it", endless).text
    finally:
        gc.callbacks.remove(looked)


class Unspeakable:
    def __repr__(self) -> str:
        raise ZeroDivisionError


class Classless:
    @property
    def __class__(self) -> Any:
        raise ZeroDivisionError


class Leaving(Exception):
    def __str__(self) -> str:
        raise SystemExit


def test_checks_survive_what_learners_write(torch: Any, short: None):
    def endless(w: Any) -> None:
        while True:
            pass

    def greedy(w: Any) -> None:
        while True:
            try:
                w.sum()
            except BaseException:
                w.sum()

    def untraced(w: Any) -> None:
        sys.settrace(None)
        while True:
            pass

    def leaving(w: Any) -> None:
        sys.exit(3)

    def wordless(w: Any) -> None:
        raise Leaving

    def unspeakable(w: Any) -> None:
        w.grad = Unspeakable()

    for never in (endless, greedy, untraced):
        assert "stopped after 0.3 seconds" in check("zero-it", never).text
    assert sys.gettrace() is None
    assert "`Leaving`" in check("zero-it", wordless).text
    assert "'Classless' object is not callable" in check("zero-it", Classless()).text
    assert "SystemExit: 3" in check("zero-it", leaving).text
    assert "It stopped with" in check("zero-it", unspeakable).text
    assert exercises._short(Unspeakable()) == "Unspeakable (its repr raises ZeroDivisionError)"
    entry = bank.Entry("01-sample", "leaving", {"lines": ["raise SystemExit(3)"]})
    puzzle = exercises_parsons(entry)
    assert "SystemExit: 3" in puzzle.arrange(*puzzle.known).text


def test_checks_use_the_usual_defaults_and_put_back_the_learners(torch: Any):
    def zero(w: Any) -> None:
        assert w.dtype == torch.float32
        assert str(torch.tensor(1 / 3)) == "tensor(0.3333)"
        torch.manual_seed(3)
        random.seed(3)
        np.random.seed(3)
        torch.set_default_dtype(torch.float16)
        torch.set_printoptions(precision=7)
        w.grad.zero_()

    torch.manual_seed(0)
    expected = torch.rand(1).item(), random.Random(5).random(), np.random.RandomState(5).random()
    torch.manual_seed(0)
    random.seed(5)
    np.random.seed(5)
    torch.set_default_dtype(torch.float64)
    torch.set_printoptions(precision=2)
    try:
        assert check("zero-it").state == "done"
        assert torch.get_default_dtype() == torch.float64
        assert str(torch.tensor(1 / 3)) == "tensor(0.33)"
        torch.set_default_dtype(torch.float32)
        assert (torch.rand(1).item(), random.random(), np.random.random()) == expected
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_printoptions(profile="default")


def test_a_check_says_what_it_expected_and_which_mistake_it_is(sample: Path):
    entry = bank.Entry(
        "01-sample",
        "three",
        {"properties": {"value": {"en": "`x` is 3."}}, "mistakes": {"sum": {"en": "Four is the sum of both."}}},
    )

    def judge(x: Any) -> Any:
        yield "value", x == 3, x, 3, "sum" if x == 4 else None

    def said(x: int) -> str:
        made = exercises.Check(entry, judge, {"x": x})
        made.run()
        return made.text

    assert "✗ Not true yet: `x` is 3. Found: `5`. Expected: `3`." in said(5)
    assert said(4).splitlines()[-1] == "Four is the sum of both."
    assert "Four" not in said(5)


def test_assert_done(sample: Path):
    with pytest.raises(AssertionError, match="Not attempted yet"):
        check("zero-it").assert_done()

    def zero(w: Any) -> None:
        w.grad.zero_()

    assert check("zero-it").assert_done().state == "done"


def exercises_parsons(entry: bank.Entry) -> Any:
    import autogradlab
    from autogradlab.lab.puzzles import Parsons

    return Parsons(entry, autogradlab)


def test_check_has_three_states(torch: Any):
    def zero(w: Any) -> None: ...

    assert check("zero-it").text.splitlines()[1:] == ["Not attempted yet."]

    def zero(w: Any) -> None:
        w.grad = w.grad + 1

    assert check("zero-it").text.splitlines()[1:] == [
        "Not yet.",
        "✗ Not true yet: `w.grad` is all zeros. Found: `tensor([3., 5.])`.",
    ]

    def zero(w: Any) -> None:
        w.grad = torch.zeros(2)

    assert check("zero-it").text.splitlines()[1:] == [
        "Not yet.",
        "✓ `w.grad` is all zeros.",
        "✗ Not true yet: It is still the same tensor.",
    ]

    def zero(w: Any) -> None:
        w.grad.zero_()

    done = check("zero-it")
    assert done.state == "done"
    assert done.text.splitlines()[-1] == "Just as `optimizer.zero_grad(set_to_none=False)` does."
    assert check("zero-it", zero).state == check("zero-it", {"zero": zero}).state == check("zero-it", zero=zero).state


def test_check_says_what_the_learners_code_raised(torch: Any):
    def zero(w: Any) -> None:
        w.grad.nothing()

    assert "It stopped with `AttributeError: 'Tensor' object has no attribute 'nothing'`" in check("zero-it").text


def test_nothing_written_is_no_attempt(sample: Path):
    assert check("zero-it").state == "untried"
    zero = ...
    assert check("zero-it").state == "untried"

    def zero(w: Any) -> None:
        raise NotImplementedError

    assert check("zero-it").state == "untried"
    assert "Try it first" in solution("zero-it").text  # stubs that were checked are no tries
    assert "w.grad.zero_()" in solution("zero-it").text


class Empty:
    @staticmethod
    def forward(ctx: Any) -> None: ...


class Half(Empty):
    def backward(self) -> int:
        return 1


def documented(w: Any) -> None:
    """What it is to do."""


@pytest.mark.parametrize(
    ("value", "stub"),
    [
        (..., True),
        (documented, True),
        (lambda: ..., True),
        (lambda: None, True),
        (lambda: 1, False),
        (lambda w: w, False),
        (Empty, True),
        (Half, False),
        (None, False),
        (0, False),
    ],
)
def test_stubs(value: Any, stub: bool):
    assert exercises.is_stub(value) is stub


def test_hints_come_one_by_one(sample: Path):
    said = [hint("zero-it").text.splitlines() for _ in range(4)]
    assert [lines[0] for lines in said] == ["Hint · 1 of 3", "Hint · 2 of 3", "Hint · 3 of 3", "Hint · 3 of 3"]
    assert said[0][1] == "Where is the gradient kept?"


def test_solution_after_an_attempt(torch: Any):
    def zero(w: Any) -> None:
        w.grad += 1

    check("zero-it")
    assert solution("zero-it").text.splitlines() == [
        "Solution · One way to do it:",
        "    def zero(w):",
        "        w.grad.zero_()",
        "The underscore says: in place.",
    ]


def test_the_buttons_of_a_check(sample: Path):
    def zero(w: Any) -> None:
        w.grad += 1

    made = check("zero-it")
    made.receive({"do": "hint"})
    assert "1 of 3\nWhere is the gradient kept?" in made.text
    made.receive({"do": "solution"})
    assert "    def zero(w):" in made.text


def test_authors_mistakes_are_said(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for folder in ("questions", "checks"):
        (tmp_path / folder).mkdir()
    (tmp_path / "sanitize.cfg").touch()
    questions = tmp_path / "questions" / "01-a.toml"
    questions.write_text("[x]\nkind = 'exercise'\n[x.properties]\n", encoding="utf-8")
    monkeypatch.setenv("AUTOGRADLAB_LESSONS", str(tmp_path))
    with pytest.raises(bank.LessonFault, match=r"there is no checks/01-a.py"):
        check("x")
    judge = tmp_path / "checks" / "01-a.py"
    judge.write_text("")
    with pytest.raises(bank.LessonFault, match="has no function x"):
        check("x")
    judge.write_text("def x(w):\n    yield 'key', w, w\n")
    with pytest.raises(bank.LessonFault, match="no words for the property 'key'"):
        check("x", 1)
    judge.write_text("def x(w):\n    return []\n")
    with pytest.raises(bank.LessonFault, match="yields no property"):
        check("x", 1)
    questions.write_text("[x\n", encoding="utf-8")
    with pytest.raises(bank.LessonFault, match=r"01-a\.toml cannot be read"):
        check("x", 1)
    set_language("zh")
    with pytest.raises(bank.LessonFault, match=r"01-a\.toml 读不出来"):
        check("x", 1)


def test_an_exercise_is_asked_for_by_its_name(sample: Path):
    def descend() -> None: ...

    with pytest.raises(
        bank.LessonFault, match=r'by its name, in quotes, such as "descend", not by an object of type f'
    ):
        check(descend)  # type: ignore[arg-type]


def test_an_exercise_that_is_not_there_is_asked_for(sample: Path):
    made = check("zero-it")
    assert made.state == "untried"
    assert made.text.splitlines()[-1].startswith("There is no `zero` here yet.")

    def zero(w: Any) -> None: ...

    assert check("zero-it").text.splitlines()[-1] == "Not attempted yet."


def test_hints_of_a_check_stay_until_there_are_no_more(sample: Path):
    made = check("zero-it")
    for number in (1, 2, 3):
        assert [b["do"] for b in made.tasks()[0]["buttons"]] == ["hint", "solution"]
        made.receive({"do": "hint"})
        assert [line for line in made.text.splitlines() if line.startswith("Hint")] == [
            f"Hint · {n} of 3" for n in range(1, number + 1)
        ]
    assert [b["do"] for b in made.tasks()[0]["buttons"]] == ["solution"]
    made.receive({"do": "solution"})
    made.receive({"do": "solution"})
    assert made.text.count("One way to do it") == 1
