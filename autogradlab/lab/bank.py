"""The questions, puzzles and exercises of the lessons: `questions/<lesson>.toml`, its languages in each entry.

Those of a course of one's own, beside or above the notebook, are added to the shipped ones and come first.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autogradlab.inspectors.words import language, say
from autogradlab.lab import copying

__all__ = ["Entry", "LessonFault", "below", "courses", "entries", "find", "in_language"]

#: So many names of questions a message can hold.
FEW = 8
ASKED = ("choice", "number", "tensor", "text", "order")


class LessonFault(copying.LessonError):
    """A mistake of the lesson, not of the learner: a question that is not there, an answer that no choice has."""


@dataclass(frozen=True)
class Entry:
    """One table of a file of questions."""

    lesson: str
    name: str
    data: dict[str, Any]
    course: Path | None = None

    @property
    def key(self) -> str:
        """What names it among all lessons: `10-accumulation/accumulate-twice`."""
        return f"{self.lesson}/{self.name}"

    @property
    def kind(self) -> str:
        return str(self.data.get("kind", "choice"))

    def say(self, field: str) -> str:
        """The words of a field in the language of the moment; "" where it has none."""
        return in_language(self.data.get(field, ""))

    def rows(self, field: str) -> list[Any]:
        return list(self.data.get(field, []))


def in_language(words: Any) -> str:
    """`words` as they are, or their entry for the language of the moment."""
    if isinstance(words, dict):
        words = words.get(language()) or words.get("en") or ""
    return str(words).strip("\n")


def courses() -> list[Path]:
    """The folders of lessons: the course that the notebook is in, if it is one of its own, then the shipped lessons."""
    shipped = copying.lessons_folder()
    here = Path.cwd()
    found = [
        f for f in (here, here.parent) if any((f / "questions").glob("*.toml")) and f.resolve() != shipped.resolve()
    ]
    return [*found[:1], shipped]


_read: dict[Path, tuple[int, dict[str, Any]]] = {}


def _tables(path: Path) -> dict[str, Any]:
    """A file's tables; read again when the file has changed, so that authors see what they write."""
    changed = os.stat(path).st_mtime_ns
    if path not in _read or _read[path][0] != changed:
        try:
            _read[path] = changed, tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise LessonFault(say("author.unreadable", name=path.name, error=error)) from error
    return _read[path][1]


def entries(lesson: str = "", course: Path | None = None) -> list[Entry]:
    """All entries, or those of the lessons whose names begin with `lesson`; of one course, or of all there are."""
    found = []
    for folder in [course] if course else courses():
        for path in sorted((folder / "questions").glob("*.toml")):
            if path.stem == lesson or path.stem.startswith(f"{lesson}-") or not lesson:
                found += [Entry(path.stem, name, data, folder) for name, data in _tables(path).items()]
    return found


def find(name: str, *kinds: str) -> Entry:
    """The entry of that name: `question`, or `lesson/question` where two lessons have a question of that name.

    The lesson may be given by its number alone, as in `10/accumulate-twice`. A course of one's own is asked first; what
    it has of another kind under that name hides no question of the lessons that come with autogradlab.
    """
    if not isinstance(name, str):  # check(clip), for check("clip")
        raise LessonFault(say("author.not_quoted", type=type(name).__name__, name=getattr(name, "__name__", "slope")))
    lesson, _, question = name.rpartition("/")
    named = [[e for e in entries(lesson, course) if e.name == question] for course in courses()]
    fitting = [[e for e in of_course if e.kind in kinds] for of_course in named]
    found = next(filter(None, [*fitting, *named]), [])
    if not found:
        near = _near(question, sorted({e.name for e in entries(lesson) if e.kind in kinds}))
        raise LessonFault(say("author.not_of_these" if near else "author.none_of_its_kind", name=name, near=near))
    if len(found) > 1:
        raise LessonFault(say("author.which_lesson", name=name, where=", ".join(e.key for e in found)))
    if found[0].kind not in kinds:
        raise LessonFault(say("author.other_kind", name=found[0].key, kind=found[0].kind, wanted=", ".join(kinds)))
    return found[0]


def _near(name: str, there: list[str]) -> str:
    """The names that there are; of more than fit into a message, those that are like the one looked for."""
    from difflib import get_close_matches

    few = there if len(there) <= FEW else get_close_matches(name, there, FEW, 0.4) or there[:FEW]
    return ", ".join([*few, *["…"][: len(there) - len(few)]])


_below: dict[Path, tuple[int, dict[str, str]]] = {}
PREDICTS = re.compile(r"""^predict\(\s*["']([^"']+)["']""", re.MULTILINE)


def below(entry: Entry) -> str | None:
    """The id of the code cell that stands below a lesson's `predict(...)`: the code that the question is about."""
    course = entry.course or copying.lessons_folder()
    path = next(
        (p for p in (course / lang / f"{entry.lesson}.ipynb" for lang in ("en", "zh", "")) if p.is_file()), course
    )
    try:
        changed = os.stat(path).st_mtime_ns
        if path not in _below or _below[path][0] != changed:
            _below[path] = changed, _followers(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None
    return _below[path][1].get(entry.name)


def _followers(notebook: dict[str, Any]) -> dict[str, str]:
    """For each prediction of a notebook the next code cell that asks nothing."""
    found: dict[str, str] = {}
    asked: list[str] = []
    for cell in notebook.get("cells", []):
        if cell.get("cell_type") != "code":
            continue
        names = [name.rpartition("/")[2] for name in PREDICTS.findall("".join(cell["source"]))]
        if not names:
            found |= {name: str(cell.get("id", "")) for name in asked}
        asked = asked + names if names else []
    return found
