"""Assignments: each exercise of the course is one, its solution passes, its stub does not, and what is given stays."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from autogradlab.lab import assignments, copying

LESSONS = [x for x in copying.lessons() if x.key.startswith("en/") and not x.path.stem.startswith("24")]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda x: x.path.stem)
def test_every_lesson_is_an_assignment(lesson: copying.Lesson, tmp_path: Path):
    path, tests = assignments.write(lesson, tmp_path / "source" / lesson.path.stem)
    assert tests >= 1
    notebook = copying.read_notebook(path)
    graded = [c for c in notebook["cells"] if "nbgrader" in c["metadata"]]
    assert len({c["metadata"]["nbgrader"]["grade_id"] for c in graded}) == len(graded)
    for cell in graded:
        source = "".join(cell["source"])
        ast.parse(source)
        mark = cell["metadata"]["nbgrader"]
        assert mark["solution"] == (assignments.BEGIN in source)
        assert mark["grade"] == mark["locked"] == ("assert_done" in source)


def test_what_a_stub_gives_stays():
    assert assignments.solved("p = 2\nanswer = ...", "p = 2\nanswer = p * 3") == (
        "p = 2\n### BEGIN SOLUTION\nanswer = p * 3\n### END SOLUTION"
    )
    assert assignments.solved("def f(x):\n    ...", "def f(x):\n    return x\n") == (
        "def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION"
    )
    assert assignments.solved("def f(x): ...  # your code", "def f(x):\n    return x") == (
        "def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION"
    )
