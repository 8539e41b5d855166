"""Progress: one file in the learner's folder, never lost, and none where nobody learns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autogradlab.inspectors import set_language
from autogradlab.lab import cli, predict, progress, quiz, records


@pytest.fixture
def folder(sample_lessons: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A learner's folder, with the kernel running where its English notebooks are."""
    cli.main(["lessons", "copy", "--dir", str(tmp_path / "mine")])
    monkeypatch.chdir(tmp_path / "mine" / "en")
    monkeypatch.delenv("AUTOGRADLAB_NO_PROGRESS", raising=False)
    monkeypatch.setattr(records, "_looked", False)
    monkeypatch.setattr(records, "_folder", None)
    monkeypatch.setattr(records, "_said", "")
    set_language("en")
    yield tmp_path / "mine"
    set_language(None)


def entries(folder: Path) -> dict[str, dict[str, object]]:
    noted = json.loads((folder / records.NAME).read_text(encoding="utf-8"))["entries"]
    return {key: {k: v for k, v in entry.items() if k != "day"} for key, entry in noted.items()}


def test_what_is_answered_is_noted(folder: Path):
    assert "Nothing yet." in progress().text
    assert not (folder / records.NAME).exists()
    predict("doubled", guess="a")
    quiz("recall").answer(1, "a").answer(1, "b")
    assert entries(folder) == {
        "01-sample/doubled": {"kind": "predict", "state": "wrong", "tries": 1, "first": "a"},
        "01-sample/who-zeroes": {"kind": "recall", "state": "right", "tries": 2, "first": "a"},
    }
    assert progress().text.splitlines()[-1] == "01-sample: predictions 0/4, recall 1/3, exercises 0/2"


def test_what_was_reached_stays(folder: Path):
    records.note("01-sample/zero-it", "exercise", "done")
    records.note("01-sample/zero-it", "exercise", "notyet")
    assert entries(folder)["01-sample/zero-it"] == {"kind": "exercise", "state": "done", "tries": 2}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 1}', '{"format": 1, "entries": [1]}', '{"format": "x", "entries": {}}']
)
def test_a_file_that_is_none_is_kept_aside(folder: Path, text: str):
    file = folder / records.NAME
    file.write_text(text)
    (folder / "autogradlab-progress.unreadable-1.json").write_text("older")
    predict("doubled", guess="b")
    assert (folder / "autogradlab-progress.unreadable-2.json").read_text() == text
    assert (folder / "autogradlab-progress.unreadable-1.json").read_text() == "older"
    assert list(entries(folder)) == ["01-sample/doubled"]
    assert "was kept as autogradlab-progress.unreadable-2.json" in progress().text


def test_a_file_of_a_newer_version_is_left(folder: Path):
    newer = '{"format": 2, "entries": {}}'
    (folder / records.NAME).write_text(newer)
    predict("doubled", guess="b")
    assert (folder / records.NAME).read_text() == newer
    assert "written by a newer autogradlab" in progress().text


def test_nothing_is_noted_elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("AUTOGRADLAB_NO_PROGRESS", "1")
    predict("doubled", guess="b")
    assert not (folder / records.NAME).exists()
    assert "No progress is recorded here" in progress().text
    monkeypatch.delenv("AUTOGRADLAB_NO_PROGRESS")
    monkeypatch.setattr(records, "_looked", False)
    monkeypatch.setattr(records, "_folder", None)
    monkeypatch.chdir(tmp_path / "shipped" / "en")  # the lessons themselves are no copies
    predict("doubled", guess="b")
    assert list(tmp_path.rglob(records.NAME)) == []


def test_a_folder_that_cannot_be_written_stops_nobody(folder: Path, monkeypatch: pytest.MonkeyPatch):
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(records, "_write", refused)
    assert predict("doubled", guess="b").state == "right"
    assert "could not be written to autogradlab-progress.json: Permission denied" in progress().text


def test_copies_of_another_version_are_said(folder: Path, monkeypatch: pytest.MonkeyPatch):
    from autogradlab.lab import copying

    monkeypatch.setattr(copying, "version", lambda: "9.9")
    assert "installed is 9.9" in progress().text


def test_an_interrupted_write_leaves_the_old_file(folder: Path, monkeypatch: pytest.MonkeyPatch):
    predict("doubled", guess="b")
    before = (folder / records.NAME).read_text()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(records.os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        records.note("01-sample/x", "predict", "right")
    assert (folder / records.NAME).read_text() == before
    assert [p.name for p in folder.iterdir() if p.is_file()] == [records.NAME]


def test_two_kernels_lose_nothing(folder: Path):
    writer = (
        "import sys; from autogradlab.lab import records\n"
        "for i in range(25): records.note(f'{sys.argv[1]}/{i}', 'predict', 'right')"
    )
    command = [sys.executable, "-c", writer]
    both = [subprocess.Popen([*command, name], cwd=folder / "en") for name in ("one", "two")]
    assert [kernel.wait(60) for kernel in both] == [0, 0]
    assert set(entries(folder)) == {f"{name}/{i}" for name in ("one", "two") for i in range(25)}


@pytest.mark.skipif(sys.platform == "win32", reason="the folder itself is locked elsewhere")
def test_a_kernel_that_holds_the_lock_does_not_stop_another(folder: Path, monkeypatch: pytest.MonkeyPatch):
    import fcntl

    monkeypatch.setattr(records, "PATIENCE", 0.05)
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        records.note("01-sample/x", "predict", "right")
    finally:
        os.close(held)
    assert set(entries(folder)) == {"01-sample/x"}
