"""The course is whole: every scenario in a cell, every lesson in both languages and built as lessons are,
and in the guide."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from autogradlab.lab import copying
from autogradlab.lab.author import book, pairs
from tests.conftest import ROOT

ENGLISH = [p for p in book.lesson_files() if p.parent.name == "en"]
#: What every lesson has, beside the welcome, which only shows how to predict and to check.
PARTS = {"goals", "setup", "predict", "run", "exercise", "check", "recall", "assert"}
RECORD = "24-for-the-record"  # a reference: nothing is asked in it
BARE = re.compile(r"[\s,()\[\]]*(?:(?:True|False|None)[\s,()\[\]]*)+")


def test_every_scenario_is_shown():
    known = set((ROOT / "tests" / "scenarios" / "ids.txt").read_text(encoding="utf-8").split())
    listed = tomllib.loads((copying.lessons_folder() / "catalog.toml").read_text(encoding="utf-8"))
    assert len(known) == 213
    assert sorted(known - set(listed)) == []


def test_every_lesson_is_in_both_languages():
    assert pairs.missing_translations() == []


@pytest.mark.parametrize("path", ENGLISH, ids=lambda p: p.stem)
def test_lesson_has_its_parts(path: Path):
    roles = [cell.metadata.get("autogradlab", {}).get("role") for cell in book.read(path).cells]
    assert None not in roles
    assert roles[0] == "goals"
    if path.stem not in {"00-welcome", RECORD}:
        assert PARTS - set(roles) == set()
        assert roles.index("predict") < roles.index("exercise") < roles.index("recall")
        assert re.search(r"\*\*\d+ minutes", book.read(path).cells[0].source)


def code_cells(path: Path) -> list[Any]:
    return [cell for cell in book.read(path).cells if cell.cell_type == "code"]


LESSONS = [path for path in ENGLISH if path.stem != RECORD]


def test_what_is_printed_says_what_it_is():
    """`d is a = False` is worth reading; a line of nothing but False is not."""
    bare = [
        (path.stem, cell.id, line)
        for path in LESSONS
        for cell in code_cells(path)
        for output in cell.outputs
        if output.output_type == "stream"
        for line in output.text.splitlines()
        if BARE.fullmatch(line)
    ]
    assert len(bare) < 20, bare


def test_a_cell_fits_the_eye():
    long = [(p.stem, c.id) for p in LESSONS for c in code_cells(p) if len(c.source.splitlines()) > 15]
    assert len(long) < 5, long
    assert not [(p.stem, c.id) for p in ENGLISH for c in code_cells(p) if re.search(r"^\s*%", c.source, re.MULTILINE)]


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_a_lesson_has_a_figure(path: Path):
    """Beside the inspectors, one picture in which the idea is seen: a plot, or a film of one."""
    shown = [key for cell in code_cells(path) for o in cell.outputs for key in o.get("data", {})]
    films = [cell.id for cell in code_cells(path) if re.search(r"^film$", cell.source, re.MULTILINE)]
    assert "image/png" in shown or films


@pytest.mark.parametrize("path", ENGLISH, ids=lambda p: p.stem)
def test_a_prediction_is_committed_to_before_anything_is_told(path: Path):
    """What is to be predicted can be committed to in the next cell; no answer stands folded; no help comes unasked."""
    cells = book.read(path).cells
    for cell, following in zip(cells, [*cells[1:], None], strict=True):
        if cell.cell_type == "markdown":
            assert "<details" not in cell.source, cell.id
            if "**Predict" in cell.source and cell.metadata.autogradlab.role == "predict":
                assert following is not None and following.source.startswith("predict("), cell.id
        else:
            assert not re.search(r"^(?:hint|solution)\(", cell.source, re.MULTILINE), cell.id
    asked = [c for c in cells if c.cell_type == "code" and c.source.startswith("predict(")]
    for cell in asked:
        text = "".join(o.data["text/plain"] for o in cell.outputs)
        assert "Not answered yet" in text and "✓" not in text and "✗" not in text


@pytest.mark.parametrize("guide", ["instructors.md", "instructors.zh.md"])
def test_the_guide_has_every_lesson(guide: str):
    text = (ROOT / "docs" / guide).read_text(encoding="utf-8")
    sections = re.findall(r"^### (\d\d)\b", text, re.MULTILINE)
    assert sections == [p.stem[:2] for p in ENGLISH]
    links = re.findall(r"`(\d\d-[a-z0-9-]+)#([a-z0-9-]+)`", text)
    assert links
    for lesson, cell in links:
        notebook = book.read(copying.lessons_folder() / "en" / f"{lesson}.ipynb")
        assert cell in {c["id"] for c in notebook.cells}


def test_recall_asks_old_ideas_anew():
    """The third question of each quiz: an idea of an earlier lesson, in other words and numbers, and with its name."""
    from autogradlab.lab import bank

    for quiz in (entry for entry in bank.entries() if entry.kind == "quiz"):
        assert not [q for q in quiz.rows("questions") if "/" in q], quiz.key
        last = bank.find(f"{quiz.lesson}/{quiz.rows('questions')[2]}", *bank.ASKED)
        if not quiz.lesson.startswith("00"):
            old = bank.find(last.data["recalls"], *bank.ASKED)
            assert old.lesson < quiz.lesson
            assert old.say("question") != last.say("question")


def test_the_right_answer_is_not_always_the_same_letter():
    """Whoever clicks the first choice everywhere learns nothing, and is not to be right."""
    import autogradlab
    from autogradlab.lab import bank
    from autogradlab.lab.predictions import Asked

    places: list[int] = []
    for entry in bank.entries():
        if entry.kind == "choice" and ("answer" in entry.data or any("right" in row for row in entry.rows("choices"))):
            asked = Asked(entry, None, autogradlab)
            truth = asked.compute()
            places.append([asked.is_right(row, truth) for row in asked.choices].index(True))
    assert len(places) > 50
    assert max(places.count(at) for at in set(places)) < 0.6 * len(places)
