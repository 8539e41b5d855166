"""The stored lessons are whole: nbval alone would pass a notebook stripped of its outputs."""

from __future__ import annotations

import tomllib
from pathlib import Path

import nbformat
import pytest

from autogradlab.lab import copying
from autogradlab.lab.author import book, commands, guard, pairs
from tests.conftest import ROOT

LESSONS = book.lesson_files()


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def test_there_are_lessons():
    assert LESSONS


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_lesson_is_whole(path: Path):
    notebook = book.read(path)
    nbformat.validate(notebook)
    assert guard.problems(notebook) == []


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_lesson_file_is_canonical(path: Path):
    assert path.read_text(encoding="utf-8") == book.normalise(book.read(path))


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_lesson_is_numbered_kebab(path: Path):
    number, _, words = path.stem.partition("-")
    assert number.isdecimal()
    assert len(number) == 2
    assert book.CELL_ID.fullmatch(words)


@pytest.mark.parametrize("path", [p for p in LESSONS if p.parent.name != "en"], ids=name)
def test_translation_is_fresh(path: Path):
    assert pairs.pair_problems(path) == []


def test_catalog_is_up_to_date():
    assert (copying.lessons_folder() / "catalog.toml").read_text(encoding="utf-8") == commands.catalog(
        copying.lessons_folder()
    ), "autogradlab lessons catalog writes it"


def test_catalog_names_scenarios_that_exist():
    known = set((ROOT / "tests" / "scenarios" / "ids.txt").read_text(encoding="utf-8").split())
    listed = set(tomllib.loads((copying.lessons_folder() / "catalog.toml").read_text(encoding="utf-8")))
    assert listed
    assert listed - known == set()
