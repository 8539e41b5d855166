"""`predict` and `quiz`: nothing is told before the learner commits, and what is right is computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from autogradlab.inspectors import set_language
from autogradlab.lab import bank, parsons, predict, quiz
from autogradlab.lab.answers import read, same

RIGHT: list[tuple[str, Any]] = [
    ("doubled", "b"),
    ("doubled", 6),
    ("doubled", "6"),
    ("which-error", "B)"),
    ("how-much", 12),
    ("how-much", "12."),
    ("how-much", "tensor(12.)"),
    ("whole-gradient", [2, 4]),
    ("whole-gradient", "2, 4"),
    ("whole-gradient", "tensor([2., 4.])"),
    ("node-name", "MulBackward0"),
    ("node-name", " <mulbackward0> "),
    ("firing", ["root", "leaf"]),
    ("firing", "root leaf"),
]


@pytest.mark.parametrize(("name", "given"), RIGHT, ids=lambda v: str(v))
def test_right_answers(torch: Any, name: str, given: Any):
    prediction = predict(name)
    before = prediction.text
    assert prediction.state == "open"
    assert prediction.answer(given) is prediction
    assert prediction.state == "right"
    assert "✓ Right." in prediction.text
    assert prediction.text != before


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("doubled", "a", "That would be so if `.grad` were overwritten."),
        ("which-error", "a", "In place on a leaf?"),
        ("how-much", 8, "8 is `y` itself."),
        ("whole-gradient", [4, 2], "`tensor([2., 4.])`"),
        ("node-name", "AddBackward0", "`MulBackward0`"),
        ("firing", "leaf, root", "1. the hook on `y`; 2. the hook on `w`"),
    ],
)
def test_wrong_answers(torch: Any, name: str, given: Any, said: str):
    prediction = predict(name, guess=given)
    assert "✗ That is not right." in prediction.text
    if prediction.state == "again":  # what is typed may be tried twice
        assert "The code gives" not in prediction.text
        prediction.answer(given)
    assert prediction.state == "wrong"
    assert said in prediction.text


def test_text_before_and_after(torch: Any):
    prediction = predict("how-much")
    assert repr(prediction) == (
        "Predict · What is `w.grad`?\n    y = w ** 3    # w = 2\nNot answered yet: answer here, or run _.answer(…)."
    )
    question = "Predict · What is `w.grad`?\n    y = w ** 3    # w = 2\n"
    prediction.answer(8)
    assert repr(prediction) == (
        f"{question}✗ That is not right. You may try once more, with the help of the output below. You said 8.\n"
        "8 is `y` itself."
    )
    prediction.answer(9)
    assert repr(prediction) == f"{question}✗ That is not right. You said 9.\nThe code gives `12`\n3w² at 2."


def test_nothing_is_told_or_run_before(sample: Path):
    ran = []
    prediction = predict("doubled", answer=lambda: ran.append(1) or 6)
    for shown in (prediction.text, prediction.html, str(prediction.view())):
        assert "adds" not in shown
        assert "overwritten" not in shown
        assert "Right" not in shown
    assert ran == []
    prediction.answer("a")
    assert ran == [1]
    prediction.answer("b")  # a commitment is one
    assert (prediction.state, ran) == ("wrong", [1])


def test_reveal(sample: Path):
    prediction = predict("which-error").reveal()
    assert prediction.state == "revealed"
    assert "b) an error about a leaf" in prediction.text.splitlines()[-1]


def test_the_answer_of_a_callable(torch: Any):
    w = torch.tensor([2.0], requires_grad=True)
    assert predict("how-much", answer=lambda: w * 6, guess=12).state == "right"
    assert predict("how-much", answer=lambda: w * 7, guess=12).answer(12).state == "wrong"


def test_words_that_say_a_value(sample: Path):
    """An answer that is computed as text, `str(t.shape)`, is the value that it says."""
    assert predict("whole-gradient", answer=lambda: "(2, 4)", guess="2, 4").state == "right"
    assert predict("doubled", answer=lambda: "tensor([6.])", guess="b").state == "right"


def test_a_callable_that_cannot_run_is_said(sample: Path):
    prediction = predict("how-much", answer=lambda: missing)  # noqa: F821
    with pytest.raises(bank.LessonFault, match=r"NameError: name 'missing' is not defined. Run the cells above first"):
        prediction.answer(1)
    assert prediction.state == "open"
    prediction.receive({"do": "submit", "value": "1"})
    assert "Run the cells above first" in prediction.text


def test_random_numbers_and_prints_stay_as_they_are(torch: Any, capsys: pytest.CaptureFixture[str]):
    torch.manual_seed(0)
    wanted = torch.rand(3).tolist()
    torch.manual_seed(0)

    def noisy() -> Any:
        print("12")
        torch.manual_seed(7)
        return torch.rand(1) * 0 + 12

    assert predict("how-much", answer=noisy, guess=12).state == "right"
    assert torch.rand(3).tolist() == wanted
    assert capsys.readouterr().out == ""


def test_choices_that_are_none(sample: Path):
    with pytest.raises(ValueError, match=r"z is not one of the choices a, b, c"):
        predict("doubled", guess="z")
    with pytest.raises(ValueError, match="Name each of these once: leaf, root"):
        predict("firing", guess="leaf")
    with pytest.raises(bank.LessonFault, match="0 choices say 7"):
        predict("doubled", answer=lambda: 7, guess="a")


def test_names(sample: Path):
    assert predict("01/doubled").text == predict("01-sample/doubled").text == predict("doubled").text
    with pytest.raises(bank.LessonFault, match=r"There is no question 'tripled'.*There are: [^,]*doubled"):
        predict("tripled")
    many = [f"name-{n}" for n in range(90)] + ["triple"]
    assert (bank._near("tripled", many), bank._near("x", ["b", "c"])) == ("triple, …", "b, c")
    assert bank._near("zzz", many) == ", ".join([*many[: bank.FEW], "…"])
    with pytest.raises(bank.LessonFault, match="is of the kind 'quiz'"):
        predict("recall")
    set_language("zh")
    with pytest.raises(bank.LessonFault, match=r"没有 'tripled' 这道题。有的是：.*doubled"):
        predict("tripled")
    with pytest.raises(bank.LessonFault, match="是 'quiz' 类型"):
        predict("recall")


def test_a_course_hides_no_question_of_another_kind(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A shipped lesson copied into a course that has a prediction called as the lesson's exercise."""
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "07-own.toml").write_text('[zero-it]\nkind = "number"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = [bank.find("zero-it", kind).key for kind in ("number", "exercise")]
    assert found == ["07-own/zero-it", "01-sample/zero-it"]
    with pytest.raises(bank.LessonFault, match="07-own/zero-it is of the kind 'number'; this call is for quiz"):
        bank.find("zero-it", "quiz")


def test_quiz(torch: Any):
    asked = quiz("recall")
    assert asked.text.count("Not answered yet") == 3
    assert "Nobody but you" not in asked.text
    asked.answer(1, "a")
    assert "✗ a is not right: try again.\nIt only ever adds." in asked.text
    asked.answer(1, "b").answer(2, "MulBackward0").answer(3, 6)
    assert asked.score == (3, 3)
    assert "Nobody but you." in asked.text
    asked.answer(1, "a")  # what is answered stays answered
    assert asked.score == (3, 3)
    with pytest.raises(ValueError, match="numbered 1 to 3"):
        asked.answer(4, "a")


def test_messages_of_the_page(sample: Path):
    asked = quiz("recall")
    for message in ({}, {"do": "submit"}, {"do": "submit", "task": "x"}, {"do": "submit", "task": "1", "value": "q"}):
        asked.receive(message)
    assert asked.score == (0, 3)
    assert "q is not one of the choices" in asked.text
    asked.receive({"do": "submit", "task": "1", "value": "b"})
    assert asked.score == (1, 3)
    prediction = predict("firing")
    prediction.receive({"do": "submit", "value": ["root", "leaf"]})
    assert prediction.state == "right"


def test_words_follow_the_language(sample: Path):
    prediction = predict("doubled")
    set_language("zh")
    assert prediction.text.startswith("预测 · 调用两次")
    assert "3，和第一次之后一样" in prediction.text
    assert 'lang="zh-CN"' in prediction.html


def test_the_lesson_of_an_earlier_question_is_named():
    assert "What does `optimizer.step()` do then? (lesson 00)" in quiz("recall-01").text
    set_language("zh")
    assert "会怎样？（第 00 课）" in quiz("recall-01").text


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("6.", 6, True),
        ("1/2", 0.5, True),
        ("2, 3", [2, 3], True),
        ("2 3 -1.5", [2, 3, -1.5], True),
        ("2, 3,", [2, 3], True),
        ("(2, 3)", [2, 3], True),
        ("2 x 3", [2, 3], True),
        ("torch.Size([2, 3])", [2, 3], True),
        ("tensor([[1., 2.]], requires_grad=True)", [[1, 2]], True),
        ("None", None, True),
        ("none", None, True),
        ("true", True, True),
        ("1", True, False),
        ("float32", "torch.float32", True),
        ("−1", -1, True),
        ("1，2", [1, 2], True),
        ("nan", float("nan"), True),
        ("[1, 2]", [1, 2, 3], False),
        ("0.33333", 1 / 3, True),
        ("0.3", 1 / 3, False),
        ("[[6]]", 6, True),
        ("", None, False),
        ("(" * 5000, 1, False),
    ],
)
def test_what_typed_answers_mean(one: str, other: Any, equal: bool):
    assert same(read(one), other) is equal


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("how-much", "six", "six cannot be read as a number"),
        ("how-much", "2 + 2", "6, 0.5 or 1/2"),
        ("whole-gradient", "two, four", "cannot be read as values"),
    ],
)
def test_nonsense_is_no_answer(sample: Path, name: str, given: str, said: str):
    prediction = predict(name)
    prediction.receive({"do": "submit", "value": given})
    assert prediction.state == "open"
    assert said in prediction.text
    with pytest.raises(ValueError, match=r"cannot be read"):
        prediction.answer(given)


def test_what_was_answered_stays_when_the_cell_runs_again(sample: Path):
    predict("doubled").receive({"do": "submit", "value": "a"})
    again = predict("doubled")
    assert again.state == "wrong"
    assert predict("doubled", guess="b").state == "right"
    again.receive({"do": "anew"})
    assert (again.state, predict("doubled").state) == ("open", "open")
    again.receive({"do": "reveal"})
    assert predict("doubled").state == "revealed"
    predict("how-much").receive({"do": "submit", "value": "12"})
    assert predict("how-much", answer=lambda: missing).state == "open", "no answer can be computed: ask anew"  # noqa: F821


def test_quizzes_and_puzzles_stay_as_well(sample: Path):
    asked = quiz("recall")
    asked.receive({"do": "submit", "task": "1", "value": "b"})
    asked.receive({"do": "submit", "task": "2", "value": "AddBackward0"})
    again = quiz("recall")
    assert [a.right for a in again.asked] == [True, False, None]
    again.receive({"do": "anew"})
    assert again.score == quiz("recall").score == (0, 3)
    assert "Not answered yet" in quiz("recall").text
    puzzle = parsons("descend")
    rows = [{"key": key, "depth": depth} for key, depth in puzzle.known]
    puzzle.receive({"do": "submit", "value": rows})
    assert parsons("descend").state == puzzle.state == "done"
