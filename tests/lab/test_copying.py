"""The learner's copies: cleared, whole, and never written over."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from autogradlab.lab import copying


def notebook(answer: str = "4") -> dict[str, Any]:
    output = {"output_type": "execute_result", "data": {"text/plain": answer}, "execution_count": 1, "metadata": {}}
    return {
        "cells": [
            {"cell_type": "markdown", "id": "goals", "metadata": {}, "source": "## The graph\nwhat it is"},
            {
                "cell_type": "code",
                "id": "sum",
                "metadata": {"tags": ["keep"], "execution": {"t": 1}},
                "source": ["2 + 2"],
                "outputs": [output],
                "execution_count": 1,
            },
        ],
        "metadata": {"widgets": {"state": {}}, "kernelspec": {"name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation with one lesson and one picture."""
    folder = tmp_path / "package" / "_lessons"
    (folder / "en" / "figures").mkdir(parents=True)
    (folder / "sanitize.cfg").touch()
    (folder / "en" / "01-graph.ipynb").write_text(json.dumps(notebook()))
    (folder / "en" / "figures" / "graph.svg").write_text("<svg/>")
    monkeypatch.setattr(copying, "PACKAGE", folder.parent)
    return folder / "en" / "01-graph.ipynb"


def states(target: Path) -> dict[str, str]:
    return {o.path.relative_to(target).as_posix(): o.state for o in copying.copy_lessons(target)}


def test_copy_is_cleared_and_the_lesson_is_not(shipped: Path, tmp_path: Path):
    before = shipped.read_bytes()
    target = tmp_path / "mine"
    assert states(target) == {"en/01-graph.ipynb": "new", "en/figures/graph.svg": "new"}
    copy = json.loads((target / "en" / "01-graph.ipynb").read_text())
    markdown, code = copy["cells"]
    assert markdown == notebook()["cells"][0]
    assert (code["outputs"], code["execution_count"]) == ([], None)
    assert code["source"] == ["2 + 2"]
    assert code["metadata"] == {"tags": ["keep"]}
    assert copy["metadata"]["kernelspec"] == {"name": "python3"}
    assert "widgets" not in copy["metadata"]
    assert shipped.read_bytes() == before
    assert sorted(p.name for p in target.rglob("*") if p.is_file()) == ["01-graph.ipynb", "graph.svg"]


def test_learners_work_is_kept(shipped: Path, tmp_path: Path):
    states(tmp_path / "mine")
    mine = tmp_path / "mine" / "en" / "01-graph.ipynb"
    worked = json.loads(mine.read_text())
    worked["cells"][1].update(source=["2 + 3"], execution_count=7)
    mine.write_text(json.dumps(worked))
    before = mine.read_bytes()
    assert states(tmp_path / "mine") == {"en/01-graph.ipynb": "kept", "en/figures/graph.svg": "kept"}
    assert mine.read_bytes() == before


def test_changed_lesson_goes_beside_once(shipped: Path, tmp_path: Path):
    target = tmp_path / "mine"
    states(target)
    mine = target / "en" / "01-graph.ipynb"
    before = mine.read_bytes()
    changed = notebook()
    changed["cells"][1]["source"] = ["3 + 3"]
    shipped.write_text(json.dumps(changed))
    assert states(target)["en/01-graph.2.ipynb"] == "beside"
    assert states(target)["en/01-graph.2.ipynb"] == "kept"
    assert mine.read_bytes() == before
    assert sorted(p.name for p in (target / "en").glob("*.ipynb")) == ["01-graph.2.ipynb", "01-graph.ipynb"]


def test_new_outputs_alone_are_no_new_lesson(shipped: Path, tmp_path: Path):
    states(tmp_path / "mine")
    shipped.write_text(json.dumps(notebook(answer="four")))
    assert states(tmp_path / "mine")["en/01-graph.ipynb"] == "kept"


@pytest.mark.parametrize("theirs", ["my own notes", "", '{"cells": 3}', "[]"])
def test_foreign_file_is_left(shipped: Path, tmp_path: Path, theirs: str):
    mine = tmp_path / "mine" / "en" / "01-graph.ipynb"
    mine.parent.mkdir(parents=True)
    mine.write_text(theirs)
    assert states(tmp_path / "mine")["en/01-graph.2.ipynb"] == "beside"
    assert mine.read_text() == theirs


def test_dangling_link_and_folder_are_left(shipped: Path, tmp_path: Path):
    folder = tmp_path / "mine" / "en"
    (folder / "01-graph.2.ipynb").mkdir(parents=True)
    (folder / "01-graph.ipynb").symlink_to(tmp_path / "gone.ipynb")
    assert states(tmp_path / "mine")["en/01-graph.3.ipynb"] == "beside"
    assert not (tmp_path / "gone.ipynb").exists()


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
def test_interrupted_copy_leaves_no_part(shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool):
    def no_link(*_: object) -> None:
        raise OSError("no hard links here") if not links else KeyboardInterrupt

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "link", no_link)
    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        states(tmp_path / "mine")
    assert [p for p in (tmp_path / "mine").rglob("*") if p.is_file()] == []
    monkeypatch.undo()
    monkeypatch.setattr(copying, "PACKAGE", shipped.parents[2])
    if not links:
        monkeypatch.setattr(os, "link", no_link)
    assert states(tmp_path / "mine")["en/01-graph.ipynb"] == "new"
    assert (tmp_path / "mine" / "en" / "01-graph.ipynb").stat().st_mode & 0o600 == 0o600


def test_target_that_is_a_file(shipped: Path, tmp_path: Path):
    (tmp_path / "mine").write_text("a file")
    with pytest.raises(copying.LessonError, match=r"Cannot write .*01-graph.ipynb: .*\n.*--dir"):
        states(tmp_path / "mine")
    assert (tmp_path / "mine").read_text() == "a file"


def test_own_lessons_are_no_target(shipped: Path):
    for folder in (shipped.parents[1], shipped.parent):
        with pytest.raises(copying.LessonError, match="choose another folder"):
            states(folder)
    assert [p.name for p in shipped.parent.glob("*.ipynb")] == ["01-graph.ipynb"]
    with pytest.raises(copying.LessonError, match="lies inside the course itself"):
        list(copying.copy_lessons(shipped.parents[1] / "for-learners", course=shipped.parents[1]))


def test_broken_installations(shipped: Path, tmp_path: Path):
    shipped.write_text("{")
    with pytest.raises(copying.LessonError, match=r"01-graph.ipynb cannot be read as a notebook"):
        states(tmp_path / "mine")
    shipped.unlink()
    with pytest.raises(copying.LessonError, match="There are no lessons in"):
        copying.lessons()
    (shipped.parents[1] / "sanitize.cfg").unlink()
    with pytest.raises(copying.LessonError, match="missing from this installation"):
        copying.lessons()


def test_titles(shipped: Path):
    assert [(x.key, x.title) for x in copying.lessons()] == [("en/01-graph.ipynb", "The graph")]
    untitled = notebook()
    untitled["cells"].pop(0)
    shipped.write_text(json.dumps(untitled))
    assert copying.lessons()[0].title == "01-graph"


def test_the_real_lessons_are_found():
    assert any(lesson.key.startswith("en/01-") for lesson in copying.lessons())
