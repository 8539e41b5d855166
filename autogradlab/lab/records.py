"""`progress`: what a learner has answered and solved, in one file in their folder. None where nobody learns,
as in tests."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from autogradlab.inspectors.words import say
from autogradlab.lab import bank, copying, face
from autogradlab.lab.system import reason

__all__ = ["NAME", "Progress", "learners_folder", "note", "progress", "read"]

NAME = "autogradlab-progress.json"
LOCK = ".autogradlab-progress.lock"
FORMAT = 1
#: What counts as reached for each kind; a later, lesser result never takes it back.
REACHED = {"right", "done", "revealed"}
_folder: Path | None = None
_looked = False


def learners_folder() -> Path | None:
    """The folder of a learner's copies in which this process runs, or None: then nothing is noted."""
    global _folder, _looked
    if os.environ.get("AUTOGRADLAB_NO_PROGRESS"):
        return None
    if not _looked:
        _looked = True
        here = Path.cwd()
        _folder = next((f for f in (here, here.parent) if any(copying.stamp(p) for p in copies(f))), None)
    return _folder


def copies(folder: Path) -> list[Path]:
    """The notebooks of a learner's folder, in every language."""
    return [p for lang in copying.LANGUAGES for p in sorted((folder / lang).glob("*.ipynb")) if p.name[:1] != "."]


def read(folder: Path) -> tuple[dict[str, Any], str]:
    """The entries of the folder's file, and what there is to say about it: a file that is none is kept aside."""
    path = folder / NAME
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["format"] > FORMAT:
            return {}, say("lab.progress_newer", file=NAME)
        entries = {str(k): dict(v) for k, v in data["entries"].items()}
        return {k: v for k, v in entries.items() if "kind" in v and "state" in v}, ""
    except FileNotFoundError:
        return {}, ""
    except OSError as error:
        return {}, say("lab.progress_unwritable", file=NAME, reason=reason(error))
    except (ValueError, KeyError, TypeError, AttributeError):
        kept = _aside(path)
        return {}, say("lab.progress_corrupt", file=NAME, kept=kept.name)


def _aside(path: Path) -> Path:
    number = 1
    while os.path.lexists(kept := path.with_name(f"{path.stem}.unreadable-{number}.json")):
        number += 1
    os.replace(path, kept)
    return kept


_said = ""


def note(key: str, kind: str, state: str, given: Sequence[Any] = ()) -> None:
    """Remember a result, and what was answered first, if this is a learner's folder."""
    global _said
    folder = learners_folder()
    if folder is None:
        return
    with _alone(folder):
        entries, said = read(folder)
        _said = said or _said
        if said and said == say("lab.progress_newer", file=NAME):
            return
        old = entries.get(key, {})
        tries = int(old.get("tries", 0)) + 1
        kept = old.get("state") if old.get("state") in REACHED else state
        entries[key] = {"kind": kind, "state": kept, "tries": tries, "day": datetime.date.today().isoformat()}
        if given:
            entries[key]["first"] = old.get("first", given[0])
        try:
            _write(folder / NAME, {"format": FORMAT, "entries": entries})
        except OSError as error:
            _said = say("lab.progress_unwritable", file=NAME, reason=reason(error))


#: how long a kernel waits for another one that writes; then it goes on as if it were alone
PATIENCE = 2.0


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """While one kernel reads and writes the file, others of the same folder wait, where the system has such locks."""
    try:
        if sys.platform == "win32":
            file = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        else:
            file = os.open(folder, os.O_RDONLY)  # the folder itself can be locked
    except OSError:  # nothing can be written here: `_write` will say so
        yield
        return
    try:
        end = time.monotonic() + PATIENCE
        while not _locked(file) and time.monotonic() < end:
            time.sleep(0.01)
        yield
    finally:
        os.close(file)


def _locked(file: int) -> bool:
    """Try to lock an open file until it is closed; True also where there are no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except (ImportError, OSError):
        pass
    return True


def _write(path: Path, data: dict[str, Any]) -> None:
    """All at once: a kernel that dies half-way leaves the old file."""
    handle, temporary = tempfile.mkstemp(prefix=".autogradlab-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(data, file, indent=1, ensure_ascii=False, sort_keys=True)
            file.write("\n")
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def progress() -> Progress:
    """How far the learner has come, lesson by lesson, as noted in the folder of their copies of the lessons.

    Example:
        >>> from autogradlab.lab import progress
        >>> progress()
        Progress · No progress is recorded here: this is not a learner's copy of a lesson.
    """
    return Progress(learners_folder())


class Progress(face.Face):
    """What is noted in a folder of a learner, as `progress` gives it; `folder` is None where there is none.

    Example:
        >>> from autogradlab.lab import progress
        >>> lesson, reached = progress().rows()[0]
        >>> lesson, reached["predict"]
        ('00-welcome', (0, 1))
    """

    kind = "progress"

    def __init__(self, folder: Path | None) -> None:
        super().__init__()
        self.folder = folder

    def rows(self) -> list[tuple[str, dict[str, tuple[int, int]]]]:
        """For each lesson: of each kind, how many are reached and how many there are."""
        noted = read(self.folder)[0] if self.folder else {}
        found: dict[str, dict[str, list[int]]] = {}
        recall = {
            q if "/" in q else f"{e.lesson}/{q}"
            for e in bank.entries()
            if e.kind == "quiz"
            for q in e.rows("questions")
        }
        for entry in bank.entries():
            if entry.kind == "quiz":
                continue
            kind = (
                "exercise" if entry.kind in {"exercise", "parsons"} else "recall" if entry.key in recall else "predict"
            )
            counts = found.setdefault(entry.lesson, {k: [0, 0] for k in ("predict", "recall", "exercise")})[kind]
            counts[1] += 1
            state = noted.get(entry.key, {}).get("state")
            counts[0] += state in (REACHED if kind != "predict" else REACHED | {"wrong"})
        return [(lesson, {k: (a, b) for k, (a, b) in counts.items()}) for lesson, counts in found.items()]

    def tasks(self) -> list[dict[str, Any]]:
        if self.folder is None:
            return [face.task("progress", say("lab.progress_none"))]
        said = read(self.folder)[1] or _said
        blocks = [face.block(said, "warning")] if said else []
        versions = {str(s.get("version", "")) for p in copies(self.folder) if (s := copying.stamp(p))} - {""}
        if older := sorted(versions - {copying.version()}):
            blocks.append(face.block(say("lab.progress_version", copied=", ".join(older), installed=copying.version())))
        begun = [(lesson, counts) for lesson, counts in self.rows() if any(a for a, _ in counts.values())]
        for lesson, counts in begun:
            blocks.append(
                face.block(say("lab.progress_lesson", lesson=lesson, **{k: f"{a}/{b}" for k, (a, b) in counts.items()}))
            )
        if not begun:
            blocks.append(face.block(say("lab.progress_empty", file=NAME)))
        return [face.task("progress", NAME, blocks=blocks)]
