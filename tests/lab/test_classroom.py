"""The class view: from returned notebooks and progress files to who did what and which wrong answers were given."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from autogradlab.lab import classroom, copying, memory, predict, quiz


def returned(folder: Path, name: str, *answers: tuple[str, object], file: str = "01-sample.ipynb") -> None:
    """A notebook as a learner hands it in: cards with answers in its outputs."""
    memory.clear()
    cells = []
    for question, given in answers:
        asked = predict(question)
        asked.receive({"do": "reveal"} if given is None else {"do": "submit", "value": given})
        data = {memory.CARD: {"module": "lab", "state": {"view": asked.view()}}}
        cells.append({"cell_type": "code", "outputs": [{"output_type": "display_data", "data": data}]})
    asked = quiz("recall").answer(1, "b")
    cells.append({"cell_type": "code", "outputs": [{"data": {memory.CARD: {"state": {"view": asked.view()}}}}]})
    place = folder / name / file
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps({"cells": cells}), encoding="utf-8")


@pytest.fixture
def school(sample_lessons: Path, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "returned"
    returned(folder, "ada", ("doubled", "b"), ("how-much", "12"))
    returned(folder, "bob", ("doubled", "a"), ("how-much", "8"))
    returned(folder, "yves", ("doubled", "a"), ("how-much", None))
    (folder / "bob" / "02-notes.ipynb").write_text("no notebook")
    entry = {"kind": "predict", "state": "wrong", "tries": 1, "first": "c", "day": "2026-01-01"}
    noted = {"format": 1, "entries": {"01-sample/doubled": entry}}
    (folder / "zoe").mkdir()
    (folder / "zoe" / "autogradlab-progress.json").write_text(json.dumps(noted))
    memory.clear()
    return folder


def test_who_did_what(school: Path):
    rows = {
        name: (counts["predict"], counts["recall"], at_once)
        for name, counts, at_once in classroom.gather(school).rows()
    }
    assert rows == {"ada": (2, 1, 2), "bob": (1, 1, 0), "yves": (1, 1, 0), "zoe": (1, 0, 0)}


def test_which_wrong_answers(school: Path):
    first, second = classroom.gather(school).radar()
    assert (first.key, first.answered, first.right, sum(first.wrong.values())) == ("01-sample/doubled", 4, 1, 3)
    assert [(words[:2], count) for words, count in first.wrong.most_common()] == [("a)", 2), ("c)", 1)]
    assert (second.answered, second.skipped, dict(second.wrong)) == (2, 1, {"`8`": 1})


def test_as_text_html_and_csv(school: Path):
    found = classroom.gather(school)
    assert found.text.splitlines()[0] == "Learners: 4"
    assert "  2 × a) 3, as after the first\n        That would be so if `.grad` were overwritten.\n" in found.text
    assert "<td>That would be so if <code>.grad</code> were overwritten.</td>" in found.html
    assert "<td>ada</td>" in found.html
    assert "<script" not in found.html
    rows = list(csv.DictReader(io.StringIO(found.csv)))
    assert {
        "learner": "bob",
        "question": "01-sample/how-much",
        "kind": "predict",
        "state": "again",
        "tries": "1",
        "first": "8",
    } in rows


def test_without_names(school: Path):
    found = classroom.gather(school).anonymous()
    assert sorted(found.learners) == [f"learner {n}" for n in (1, 2, 3, 4)]
    assert not [name for name in ("ada", "bob", "yves", "zoe") if name in found.text + found.csv + found.html]
    assert [r.wrong for r in found.radar()] == [r.wrong for r in classroom.gather(school).radar()]


def test_nothing_answered_has_no_empty_heading(sample_lessons: Path, sample: Path, tmp_path: Path):
    returned(tmp_path, "zoe")
    found = classroom.gather(tmp_path)
    assert found.text.endswith("\nNo prediction has been answered yet.\n")
    assert found.html.count("<h2>") == 0
    assert "No prediction has been answered yet." in found.html


def test_an_order_is_said_in_words(school: Path):
    returned(school, "eve", ("firing", ["leaf", "root"]))
    (radar,) = [r for r in classroom.gather(school).radar() if r.key == "01-sample/firing"]
    assert list(radar.wrong) == ["1. the hook on `w`; 2. the hook on `y`"]


def test_a_folder_of_nothing(tmp_path: Path):
    with pytest.raises(copying.LessonError, match="no notebooks and no progress files"):
        classroom.gather(tmp_path)
    with pytest.raises(copying.LessonError, match="There is no folder"):
        classroom.gather(tmp_path / "none")
