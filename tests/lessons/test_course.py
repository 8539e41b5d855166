"""The course is whole: every scenario in a cell, every lesson in both languages and built as lessons are,
and in the guide."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from autogradlab.lab import copying
from autogradlab.lab.author import book, pairs
from tests.conftest import ROOT

ENGLISH = [p for p in book.lesson_files() if p.parent.name == "en"]
#: What every lesson has, beside the welcome, which only shows how to predict and to check.
PARTS = {"goals", "setup", "predict", "run", "exercise", "check", "hint", "solution", "recall", "assert"}


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
    if not path.stem.startswith("00"):
        assert PARTS - set(roles) == set()
        assert roles.index("predict") < roles.index("exercise") < roles.index("recall")
        assert re.search(r"\*\*\d+ minutes", book.read(path).cells[0].source)


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
