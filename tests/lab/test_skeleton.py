"""A lesson begun by the command is whole at once, in any folder; its questions are added to the shipped ones."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from autogradlab.lab import bank, cli, copying, records
from autogradlab.lab.author import book, commands, trial
from tests.lab.test_validation import validate


def kit(*arguments: str) -> int:
    return cli.main(["lessons", *arguments])


@pytest.mark.slow
@pytest.mark.turns(2)
@pytest.mark.parametrize("languages", ["zh", "en,zh"])
def test_a_new_lesson_is_green_at_once(languages: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # the second stands beside the first and does not get in its way
        assert kit("new", "What", "backward leaves", "--in", languages) == 0
    for path in book.lesson_files(tmp_path):
        text = path.read_text(encoding="utf-8").replace('\\"', '"')
        assert set(book.CARD_LANGUAGE.findall(text)) == {path.parent.name}, "cards speak the language of their lesson"
    assert kit("check") == 0
    assert kit("try") == 0
    assert kit("execute") == 0
    made = validate(tmp_path, "--autogradlab-guards")
    assert made.returncode == 0, made.stdout
    stems = {p.stem for p in book.lesson_files(tmp_path)}
    assert stems == {"01-what-backward-leaves", "02-what-backward-leaves"}
    assert len(book.lesson_files(tmp_path)) == 2 * len(languages.split(","))


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "my course"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert kit("new", "Slopes") == 0
    return folder


def test_what_is_wrong_is_said(course: Path, capsys: pytest.CaptureFixture[str]):
    questions = course / "questions" / "01-slopes.toml"
    text = questions.read_text(encoding="utf-8")
    questions.write_text(text.replace("w ** 3", "w ** 2"), encoding="utf-8")
    assert kit("try", "01") == 1
    assert "01-slopes/slope-of-cube: its solution does not pass" in capsys.readouterr().out
    questions.write_text(text.replace('question.en = "Which shape', 'question.zh = "Which shape'), encoding="utf-8")
    assert kit("check") == 1
    assert "question is not in the language of the lessons, .en" in capsys.readouterr().out
    assert kit("try", "07") == 1
    assert "There is no lesson 07." in capsys.readouterr().err


def test_what_cannot_be_run_is_said(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    path = course / "en" / "01-slopes.ipynb"
    path.write_text(path.read_text(encoding="utf-8").replace("01/slope\\", "01/slopes\\"), encoding="utf-8")
    assert kit("html", "--to", str(tmp_path / "pages")) == 1
    said = capsys.readouterr().out
    assert said.startswith("01-slopes.ipynb: a cell fails") and "There is no question" in said
    assert not (tmp_path / "pages").exists()
    monkeypatch.setattr(commands, "find_spec", lambda name: None)
    for action in ("execute", "try"):
        assert kit(action, "--torch") == 1
        assert capsys.readouterr().err == "PyTorch is not installed:  pip install 'torch==2.13.*'\n"


def test_try_never_passes_on_nothing(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = course / "en" / "01-slopes.ipynb"
    notebook = book.read(path)
    notebook.cells = [cell for cell in notebook.cells if not trial.calls(cell.source)]
    path.write_text(book.as_stored(notebook), encoding="utf-8")
    assert trial.attempt(path) == (["there is nothing to try: no cell calls predict, quiz, parsons or check"], 0)
    monkeypatch.chdir(tmp_path)
    assert kit("try") == 1  # no lessons at all


def test_calls_are_counted_wherever_they_stand():
    assert trial.calls("%time 1\nlab.predict('a'); x = quiz('b')\nif x:\n    check('c')") == 3
    assert trial.calls("print('predict(1)')") == 0


def test_own_questions_are_added(course: Path, monkeypatch: pytest.MonkeyPatch):
    shipped = len(bank.entries(course=copying.lessons_folder()))
    monkeypatch.chdir(course / "en")
    assert len(bank.entries()) == shipped + 6
    assert bank.find("01/slope", "number").course == course
    assert bank.find("slope", "number").key == "01-slopes/slope"
    other = next(e for e in bank.entries(course=copying.lessons_folder()) if e.kind == "number")
    assert bank.find(other.key, "number") == other


def test_learners_get_the_course_and_their_progress(course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target = tmp_path / "learner"
    assert kit("copy", "--from", str(course), "--dir", str(target)) == 0
    copied = json.loads((target / "en" / "01-slopes.ipynb").read_text(encoding="utf-8"))
    assert all(not cell.get("outputs") for cell in copied["cells"])
    shutil.rmtree(course)  # the copy stands alone
    monkeypatch.chdir(target / "en")
    monkeypatch.delenv("AUTOGRADLAB_NO_PROGRESS", raising=False)
    monkeypatch.setattr(records, "_looked", False)
    entry = bank.find("slope", "number")
    records.note(entry.key, "predict", "right")
    assert "01-slopes" in str(records.progress())


def test_a_lesson_has_a_title(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert cli.main(["lessons", "new", " ", "--dir", str(tmp_path)]) == 1
    assert "title" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_titles_in_any_script_and_languages_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert kit("new", "梯度", "--in", "zh") == 0
    assert (tmp_path / "zh" / "01-lesson.ipynb").is_file()
    assert kit("new", "Steigung", "--in", "de") == 1
