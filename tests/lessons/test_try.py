"""Each lesson's answers, solutions and stubs are tried; and the trying sees what is wrong.
Pages to print have no script."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import nbformat
import pytest

from autogradlab.lab import cli
from autogradlab.lab.author import book, pages, trial
from autogradlab.lab.copying import LessonError
from tests.conftest import ROOT
from tests.kernels import PRELOADED
from tests.scenarios.blocks import TORCH

SAMPLE = ROOT / "tests" / "lab" / "sample"
CELLS = [
    "import autogradlab as torch\nfrom autogradlab.lab import *",
    "predict('doubled')",
    "predict('how-much', answer=lambda: torch.tensor(12.))",
    "predict('firing')",
    "quiz('recall')",
    "parsons('descend')",
    "def zero(w):\n    ...",
    "check('zero-it')",
]


#: the lessons that ask something; the scenarios kept for the record do not
ASKING = [
    path
    for path in book.lesson_files()
    if path.parent.name == "en" and re.search(r"\b(predict|quiz|parsons|check)\(", path.read_text(encoding="utf-8"))
]


def test_every_lesson_but_the_record_asks():
    assert len(ASKING) == sum(path.parent.name == "en" for path in book.lesson_files()) - 1


@pytest.mark.slow
@pytest.mark.turns(3)
@pytest.mark.parametrize("path", ASKING, ids=lambda p: p.stem)
def test_answers_solutions_and_stubs(path: Path):
    assert trial.attempt(path)[0] == []


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lesson that uses the sample's entries."""
    lessons = tmp_path / "lessons"
    shutil.copytree(SAMPLE, lessons)
    monkeypatch.setenv("AUTOGRADLAB_LESSONS", str(lessons))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{'abcdefgh'[number]}"
    path = lessons / "en" / "01-sample.ipynb"
    path.parent.mkdir()
    nbformat.write(notebook, path)
    return path


def change(sample: Path, file: str, before: str, after: str) -> None:
    path = sample.parent.parent / file
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


def test_a_right_lesson(sample: Path):
    assert trial.attempt(sample)[0] == []


@pytest.mark.parity
def test_a_right_lesson_on_torch(sample: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(PRELOADED, ",".join(TORCH))
    assert trial.attempt(sample, torch=True)[0] == []


def test_wrong_lessons(sample: Path):
    questions = "questions/01-sample.toml"
    change(sample, questions, "value = 6\n", "value = 7\n")
    change(sample, questions, 'seen.append("leaf")', 'seen.append("a leaf")')
    change(sample, questions, "value = 8\n", "value = 12\n")
    change(sample, questions, "        w -= 0.25", "        w -= 0.5")
    change(sample, questions, "    w.grad.zero_()\n", "    w.grad = w.grad * 0\n")
    change(sample, "en/01-sample.ipynb", "    ...", "    w.grad")
    found = "\n".join(trial.attempt(sample)[0])
    for words in (
        "01-sample/doubled: 0 choices say the answer [6.0]",
        "01-sample/doubled: the wrong choice b has no feedback",
        "01-sample/how-much: 12 is foreseen as wrong but is right",
        "01-sample/firing: the answer ['root', 'a leaf'] is not an order of ['leaf', 'root']",
        "01-sample/descend: its own order fails",
        "01-sample/zero-it: the stub counts as an attempt",
        "01-sample/zero-it: its solution does not pass",
    ):
        assert words in found


def test_a_cell_that_fails_is_said_and_stops_no_other_lesson(sample: Path, capsys: pytest.CaptureFixture[str]):
    broken = sample.with_name("02-broken.ipynb")
    broken.write_text(
        sample.read_text(encoding="utf-8").replace("    ...", "    ...\\nzero(missing)"), encoding="utf-8"
    )
    for action in ("try", "execute"):
        assert cli.main(["lessons", action, str(broken), str(sample)]) == 1
        said = capsys.readouterr().out
        assert "02-broken.ipynb: a cell fails, and is not tagged raises-exception" in said
        assert "NameError: name 'missing' is not defined" in said
    assert "01-sample.ipynb: written" in said


def test_an_order_that_gives_itself_away_and_a_check_that_is_not_asked(sample: Path):
    change(sample, "questions/01-sample.toml", 'key = "leaf"', 'key = "other"')
    change(sample, "questions/01-sample.toml", 'key = "root"', 'key = "leaf"')
    change(sample, "questions/01-sample.toml", 'key = "other"', 'key = "root"')
    change(sample, "checks/01-sample.py", '    yield "same", w.grad is before\n', "")
    found = "\n".join(trial.attempt(sample)[0])
    assert "firing: the items are listed in the right order" in found
    assert "zero-it: properties that the check never asks for: same" in found


def test_pages_to_print(sample: Path):
    target = sample.parent.parent.parent / "html"
    assert cli.main(["lessons", "html", "--to", str(target), str(sample)]) == 0
    page = (target / "en" / "01-sample.html").read_text(encoding="utf-8")
    assert '<html lang="en">' in page
    assert "Not answered yet" in page
    for foreign in ("<script", "http://", "https://", "widget-view", 'src="data:text'):
        assert foreign not in page, foreign
    assert "01-sample.html" in (target / "en" / "index.html").read_text(encoding="utf-8")


def test_a_page_in_chinese(sample: Path):
    chinese = sample.parent.parent / "zh" / sample.name
    chinese.parent.mkdir()
    shutil.copy(sample, chinese)
    page = pages.page(chinese)
    assert '<html lang="zh-CN">' in page
    assert "预测" in page
    assert "还没有作答" in page


def marked(*texts: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text) for text in texts])


def test_answers_fold_on_screen_and_stand_at_the_end_on_paper():
    answers = [f"<details><summary>Answer</summary>\n\nThe answer is *{word}*.\n</details>" for word in ("six", "none")]
    page = pages.rendered(marked("# A\n\nHow many?", answers[0], "And now?", answers[1]), "en", "a")
    body, _, end = page.partition('<section class="answers">')
    assert re.findall(r"<summary>(.*?)</summary>\s*<p>(.*?)</p>\s*</details>", body) == [
        ("Answer 1", "The answer is <em>six</em>."),
        ("Answer 2", "The answer is <em>none</em>."),
    ]
    assert re.findall(r"<li>\s*<p>(.*?)</p>\s*</li>", end) == [
        "The answer is <em>six</em>.",
        "The answer is <em>none</em>.",
    ]
    assert '<section class="answers">' not in pages.rendered(marked("# A"), "zh", "a")


def test_a_figure_is_told_by_the_words_above_it():
    figure = nbformat.v4.new_output("display_data", {"image/png": "iVBORw0KGgo="})
    for mark in ("In words:", "用文字说："):
        notebook = marked(f"Here it is.\n\n**{mark}** a *line* of `w`\nthat falls.\n\nNext.")
        notebook.cells += [nbformat.v4.new_code_cell("plot()", outputs=[figure], execution_count=1) for _ in range(2)]
        alts = re.findall(r'<img alt="([^"]*)"', pages.rendered(notebook, "en", "a"))
        assert alts == ["a line of w that falls.", "No description has been provided for this image"]


def test_a_page_to_print_takes_no_picture_from_elsewhere():
    with pytest.raises(LessonError, match=r"a: a page to print holds its pictures; these are files: picture\.png"):
        pages.rendered(marked("![a picture](picture.png)"), "en", "a")
