"""The stored lessons are whole: nbval alone would pass a notebook stripped of its outputs."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import nbformat
import pytest

from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
import lessonkit
import lessonpairs

LESSONS = lessonkit.lesson_files()


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def test_there_are_lessons():
    assert LESSONS


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_lesson_is_whole(path: Path):
    notebook = lessonkit.read(path)
    nbformat.validate(notebook)
    assert lessonkit.problems(notebook) == []


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_lesson_file_is_canonical(path: Path):
    assert path.read_text(encoding="utf-8") == lessonkit.normalise(lessonkit.read(path))


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_lesson_is_numbered_kebab(path: Path):
    number, _, words = path.stem.partition("-")
    assert number.isdecimal()
    assert len(number) == 2
    assert lessonkit.CELL_ID.fullmatch(words)


@pytest.mark.parametrize("path", [p for p in LESSONS if p.parent.name != "en"], ids=name)
def test_translation_is_fresh(path: Path):
    assert lessonpairs.pair_problems(path) == []


def test_catalog_is_up_to_date():
    assert lessonkit.CATALOG.read_text(encoding="utf-8") == lessonkit.catalog(), (
        "python tools/lessonkit.py catalog writes it"
    )


def test_catalog_names_scenarios_that_exist():
    known = set((ROOT / "tests" / "scenarios" / "ids.txt").read_text(encoding="utf-8").split())
    listed = set(tomllib.loads(lessonkit.CATALOG.read_text(encoding="utf-8")))
    assert listed
    assert listed - known == set()
