"""What the tests of the learner's side share: a small folder of lessons, English words, and both libraries."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autogradlab.inspectors import set_language
from autogradlab.lab import exercises, memory, records
from tests.conftest import need

SAMPLE = Path(__file__).parent / "sample"


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The lessons are those of tests/lab/sample, in English; nothing is remembered from the test before."""
    monkeypatch.setenv("AUTOGRADLAB_LESSONS", str(SAMPLE))
    monkeypatch.setenv("AUTOGRADLAB_NO_PROGRESS", "1")
    for remembered in (exercises._hints, exercises._tries, exercises._asked):
        remembered.clear()
    memory.clear()
    monkeypatch.setattr(records, "_looked", False)
    monkeypatch.setattr(records, "_said", "")
    set_language("en")
    yield SAMPLE
    set_language(None)


@pytest.fixture(params=["autogradlab", "torch"])
def torch(request: pytest.FixtureRequest, sample: Path) -> Any:
    """The library of the learner's notebook: ours, and PyTorch where there is one."""
    return importlib.import_module("autogradlab") if request.param == "autogradlab" else need("torch")


@pytest.fixture
def sample_lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation with one lesson in two languages, and the sample's questions."""
    folder = tmp_path / "shipped"
    shutil.copytree(SAMPLE, folder)
    for lang, title in (("en", "Welcome"), ("zh", "欢迎")):
        cells = [nbformat.v4.new_markdown_cell(f"# {title}"), nbformat.v4.new_code_cell("6 * 7")]
        for number, cell in enumerate(cells):
            cell["id"] = f"cell-{'ab'[number]}"
        (folder / lang).mkdir()
        nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / lang / "00-welcome.ipynb")
    monkeypatch.setenv("AUTOGRADLAB_LESSONS", str(folder))
    return folder
