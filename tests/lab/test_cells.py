"""Commit, run, compare: in a notebook the verdict waits for the cell below; the answers are in the notebook itself."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autogradlab.lab import bank, cells, check, memory, parsons, predict, quiz


class Notebook:
    """What IPython tells of its cells, without IPython."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}

    def run(self, source: str, id: str | None = None, error: BaseException | None = None, body: Any = None) -> Any:
        cells._before(None)
        value = body() if body else None
        before = error if isinstance(error, SyntaxError) else None
        info = SimpleNamespace(raw_cell=source, cell_id=id)
        cells._after(SimpleNamespace(info=info, error_before_exec=before, error_in_exec=error))
        return value


@pytest.fixture
def notebook(sample: Path, monkeypatch: pytest.MonkeyPatch) -> Notebook:
    shell = Notebook()
    monkeypatch.setattr(cells, "_shell", shell)
    monkeypatch.setattr(cells, "cells", [])
    monkeypatch.setattr(cells, "_shown", {})
    monkeypatch.setattr(memory, "notebook", lambda: shell)
    return shell


def test_the_verdict_waits_for_the_next_cell(notebook: Notebook):
    asked = notebook.run("predict('doubled')", body=lambda: predict("doubled"))
    notebook.run("quiz('recall')")
    asked.receive({"do": "submit", "value": "a"})
    assert asked.state == "committed"
    assert "Now run the cell below" in asked.text
    for told in ("not right", "overwritten", "adds", "The code gives"):
        assert told not in asked.text + asked.html + json.dumps(asked.view()["tasks"])
    notebook.run("check('zero-it')")
    assert asked.state == "committed", "a cell that asks is not the code below"
    notebook.run("y.backward()")
    assert asked.state == "wrong"
    assert "That would be so if `.grad` were overwritten." in asked.text


def test_the_cell_below_is_known_by_its_id(notebook: Notebook, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bank, "below", lambda entry: "twice")
    asked = predict("doubled")
    asked.receive({"do": "submit", "value": "b"})
    notebook.run("1 + 1", id="elsewhere")
    assert asked.state == "committed"
    notebook.run("twice()", id="twice", error=RuntimeError())
    assert asked.state == "right", "a cell that is meant to fail has run, too"
    later = predict("which-error")
    later.receive({"do": "submit", "value": "b"})
    assert later.state == "right", "its cell has run already"


def test_the_answer_may_be_changed_while_nothing_is_told(notebook: Notebook):
    asked = predict("doubled")
    asked.receive({"do": "submit", "value": "a"})
    asked.receive({"do": "anew"})
    assert (asked.state, asked.answers()) == ("open", {})
    asked.receive({"do": "submit", "value": "b"})
    asked.receive({"do": "reveal"})
    assert asked.state == "right"


def test_running_all_tells_nothing(notebook: Notebook):
    for _ in range(2):
        asked = notebook.run("predict('doubled')", body=lambda: predict("doubled"))
        notebook.run("y.backward()")
        puzzle = notebook.run("parsons('descend')", body=lambda: parsons("descend"))
        judged = notebook.run("check('zero-it')", body=lambda: check("zero-it", {}))
        assert [one.state for one in (asked, puzzle, judged)] == ["open", "open", "untried"]
        assert "Solution" not in judged.text


def test_the_notebook_keeps_the_answers(notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    asked, typed, recalled, puzzle = predict("doubled"), predict("how-much"), quiz("recall"), parsons("descend")
    asked.receive({"do": "submit", "value": "b"})
    typed.receive({"do": "submit", "value": "8"})
    notebook.run("y.backward()")
    recalled.receive({"do": "submit", "task": "1", "value": "a"})
    puzzle.arrange(*puzzle.known)
    assert (asked.state, typed.state) == ("right", "again")
    outputs = [
        {"data": {memory.CARD: {"module": "lab", "state": {"view": one.view()}}}}
        for one in (asked, typed, recalled, puzzle)
    ]
    file = tmp_path / "lesson.ipynb"
    file.write_text(json.dumps({"cells": [{"cell_type": "code", "outputs": [{"output_type": "stream"}, *outputs]}]}))
    memory.clear()
    monkeypatch.delenv("AUTOGRADLAB_NO_PROGRESS")
    assert predict("doubled").state == "open"
    memory.clear()
    monkeypatch.setenv("JPY_SESSION_NAME", str(file))
    assert (predict("doubled").state, predict("how-much").state) == ("right", "again")
    assert quiz("recall").asked[0].right is False
    assert parsons("descend").state == "done"
    again = predict("how-much")
    again.receive({"do": "submit", "value": "12"})
    assert (again.state, again.asked.tries) == ("right", ["8", "12"])


@pytest.mark.parametrize(
    "text", ["", "[]", '{"cells": 3}', '{"cells": [{"cell_type": "code", "outputs": [{"data": 3}]}]}']
)
def test_a_file_that_is_no_notebook_is_nobodys_fault(
    notebook: Notebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
):
    file = tmp_path / "lesson.ipynb"
    file.write_text(text)
    monkeypatch.delenv("AUTOGRADLAB_NO_PROGRESS")
    monkeypatch.setenv("JPY_SESSION_NAME", str(file))
    assert predict("doubled").state == "open"


def test_the_page_hands_over_what_is_not_saved(notebook: Notebook):
    asked = predict("doubled")
    key = asked.view()["asks"][0]
    asked.receive({"do": "recall", "value": {key: {"kind": "predict", "state": "wrong", "given": ["a"]}, "x": 3}})
    assert asked.state == "wrong"
    asked.receive({"do": "recall", "value": {key: {"kind": "predict", "state": "right", "given": ["b"]}}})
    assert asked.asked.given == "a", "what Python knows comes first"
    other = predict("firing")
    other.receive({"do": "recall", "value": {other.view()["asks"][0]: {"state": "right", "given": ["nonsense"]}}})
    assert other.state == "open"


def test_a_stub_that_cannot_be_read_is_said(notebook: Notebook):
    import autogradlab as torch  # noqa: F401

    def zero(w: Any) -> None:
        w.grad.zero_()

    notebook.run("def zero(w):\n    w.grad.zero_()")
    assert check("zero-it").state == "done"
    error = SyntaxError("invalid syntax", ("<cell>", 2, 5, "    w.grad.", 2, 6))
    notebook.run("def zero(w):\n    w.grad.", error=error)
    judged = check("zero-it")
    assert judged.state == "notyet"
    assert "The cell that defines `zero` could not be read: `SyntaxError: invalid syntax` in its line 2" in judged.text
    notebook.run("def zero(w):\n    w.grad.zero_()")
    assert check("zero-it").state == "done"


def test_a_stub_that_could_never_be_read_is_not_said_to_be_missing(notebook: Notebook):
    notebook.run("def zero(w)\n    pass", error=SyntaxError("expected ':'", ("<cell>", 1, 12, "def zero(w)", 1, 12)))
    said = check("zero-it").text
    assert "`SyntaxError: expected ':'` in its line 1" in said
    assert "There is no" not in said


def test_the_cell_below_each_prediction_of_the_lessons(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("AUTOGRADLAB_LESSONS", raising=False)
    assert bank.below(bank.find("gradient-of-w", *bank.ASKED)) == "first"
    assert bank.below(bank.find("order-of-nodes", *bank.ASKED)) == "step"
