"""Worksheets and slides: every question is on them, no answer before its time, nothing fetched."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from autogradlab.inspectors import set_language
from autogradlab.lab import cli, copying, handouts

COURSE = copying.lessons_folder()


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """A test may choose another language."""
    set_language("en")
    yield
    set_language(None)


@pytest.mark.parametrize("name", ["en/14-backward", "zh/12-the-graph-and-its-leaves"])
def test_a_worksheet(name: str):
    set_language(name[:2])
    page = handouts.worksheet(COURSE / f"{name}.ipynb")
    sheet, _, answers = page.partition("<section class='answers'>")
    questions = re.findall(r"<h2>(\d+)\. ", sheet)
    assert questions == [str(n + 1) for n in range(len(questions))]
    assert len(questions) == answers.count("<li>") > 5
    assert 'class="box"' in sheet
    if name.startswith("en"):
        assert "Write" not in sheet.partition("</h1>")[0]
        assert "∂y/∂w" in answers
        assert "<strong>6</strong>" not in sheet
        assert "<strong>6</strong>" in answers
    assert not re.search(r'<script|(?:src|href)="(?!data:)', page)


def test_slides():
    page = handouts.slides(COURSE / "en" / "14-backward.ipynb")
    made = page.split("<section>")[1:]
    assert len(made) > 12
    assert max(one.count('class="later out"') for one in made) == 1, "one piece of code a slide"
    next_lesson = handouts.slides(COURSE / "zh" / "14-backward.ipynb").rpartition("<section>")[2]
    assert "<strong>下一课：</strong>" in next_lesson
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)
    first = page.partition("<strong>Predict</strong>, with pencil and paper")[2]
    assert first.index("<pre>w = torch.tensor") < first.index('<div class="later out">') < first.index("one path")
    assert "quiz(" not in page
    assert "check(" not in page


@pytest.mark.parametrize("action", ["worksheet", "slides", "assignment"])
def test_questions_that_cannot_be_read_are_named(action: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A file with a slip in it ends in a sentence, not in a traceback."""
    for folder, source in (("en", "en/14-backward.ipynb"), ("checks", "checks/14-backward.py")):
        (tmp_path / folder).mkdir()
        shutil.copy(COURSE / source, tmp_path / source)
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "14-backward.toml").write_text("[slope\n", encoding="utf-8")
    assert cli.main(["lessons", action, "14", "--from", str(tmp_path), "--to", str(tmp_path), "--lang", "en"]) == 1
    assert capsys.readouterr().err.startswith("14-backward.toml cannot be read: ")


@pytest.mark.parametrize("path", sorted((COURSE / "en").glob("[0-2]*.ipynb")), ids=lambda p: p.stem)
def test_every_lesson_can_be_handed_out(path: Path):
    assert handouts.worksheet(path).endswith("</html>\n")
    assert "<section>" in handouts.slides(path)


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    from autogradlab.lab import cli

    assert cli.main(["lessons", "worksheet", "14", "--to", str(tmp_path)]) == 0
    assert cli.main(["lessons", "slides", "14", "--to", str(tmp_path), "--lang", "zh"]) == 0
    assert cli.main(["lessons", "assignment", "14", "--to", str(tmp_path / "hw")]) == 0
    made = sorted(p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.*"))
    assert made == ["14-backward-slides.html", "14-backward-worksheet.html", "hw/14-backward.ipynb"]
    assert 'lang="zh-CN"' in (tmp_path / "14-backward-slides.html").read_text(encoding="utf-8")
    assert cli.main(["lessons", "slides", "99"]) == 1
    assert "99" in capsys.readouterr().err
    assert cli.main(["lessons", "slides", "the-gradient"]) == 1
    assert "15-the-gradient-argument, 20-the-gradient-of-the-data" in capsys.readouterr().err


def test_the_commands_on_a_course_of_ones_own(tmp_path: Path):
    """Its questions are found from wherever the command is given, and its language is taken where it has no other."""
    from autogradlab.lab import cli

    course = tmp_path / "my course"
    for part, end in (("en", "ipynb"), ("questions", "toml"), ("checks", "py")):
        (course / part).mkdir(parents=True)
        text = (COURSE / part / f"14-backward.{end}").read_text(encoding="utf-8")
        (course / part / f"07-mine.{end}").write_text(text, encoding="utf-8")
    questions = course / "questions" / "07-mine.toml"
    words = questions.read_text(encoding="utf-8")
    for name in ("worksheet", "slides", "assignment"):
        asked = ["lessons", name, "7", "--from", str(course), "--to", str(tmp_path / "made"), "--lang", "zh"]
        assert cli.main(asked) == 0
    made = sorted(p.name for p in (tmp_path / "made").iterdir())
    assert made == ["07-mine-slides.html", "07-mine-worksheet.html", "07-mine.ipynb"]
    questions.write_text(words.replace(".zh = ", '.zh = "这是我的"\n#', 1), encoding="utf-8")
    assert cli.main(["lessons", "worksheet", "mine", "--from", str(course), "--to", str(tmp_path), "--lang", "zh"]) == 0
    assert "这是我的" in (tmp_path / "07-mine-worksheet.html").read_text(encoding="utf-8")
