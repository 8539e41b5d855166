"""Finds the lessons and copies them, cleared of outputs, into a learner's folder; never overwrites a file there."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from autogradlab.inspectors.words import say
from autogradlab.lab.system import reason

PACKAGE = Path(__file__).resolve().parents[1]
#: The languages in the order in which they are listed; a folder of that name under the lessons' folder each.
LANGUAGES = ("en", "zh")


class LessonError(Exception):
    """Something the user can mend; its text says how."""


@dataclass(frozen=True)
class Lesson:
    """One shipped lesson: ``key`` is its path below the lessons' folder, as in ``en/01-the-graph.ipynb``."""

    key: str
    path: Path

    @property
    def title(self) -> str:
        """The first heading of the notebook, or its file name."""
        for cell in read_notebook(self.path)["cells"]:
            for line in "".join(cell["source"]).splitlines():
                if cell["cell_type"] == "markdown" and line.startswith("#"):
                    return line.lstrip("#").strip()
        return self.path.stem


@dataclass(frozen=True)
class Outcome:
    """What became of one shipped file: ``new``, ``kept``, or ``beside`` (a newer one, under another name)."""

    key: str
    path: Path
    state: str


def lessons_folder() -> Path:
    """The folder with the shipped lessons: inside the installed package, or beside it in a source checkout.

    AUTOGRADLAB_LESSONS names another one, for authors and tests.
    """
    own = os.environ.get("AUTOGRADLAB_LESSONS")
    for folder in (Path(own),) if own else (PACKAGE / "_lessons", PACKAGE.parent / "lessons"):
        if (folder / "sanitize.cfg").is_file():
            return folder
    raise LessonError(say("cli.lessons_missing"))


def lessons(course: Path | None = None) -> list[Lesson]:
    """Every lesson of a course, language by language, in the order of their numbers; without one, of those shipped."""
    folder = course or lessons_folder()
    found = [Lesson(f"{lang}/{p.name}", p) for lang in LANGUAGES for p in sorted((folder / lang).glob("*.ipynb"))]
    found = found or [Lesson(p.name, p) for p in sorted(folder.glob("*.ipynb"))]
    if not found:
        raise LessonError(say("cli.no_lessons", folder=folder))
    return found


def is_called(stem: str, name: str) -> bool:
    """Whether a lesson, `14-backward`, may be called so: by its number or by how its name begins, `back` or `14-b`."""
    if name.isdecimal():
        number = re.match(r"\d+", stem)
        return number is not None and int(number[0]) == int(name)
    return bool(name) and (stem.startswith(name) or re.sub(r"^\d+-", "", stem).startswith(name))


def read_notebook(path: Path) -> dict[str, Any]:
    """The notebook's JSON, or a ``LessonError`` that names the file."""
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(notebook, dict) and isinstance(notebook.get("cells"), list):
            return notebook
    except OSError as error:
        raise LessonError(say("cli.no_notebook", path=path, reason=reason(error))) from error
    except ValueError as error:
        raise LessonError(say("cli.no_notebook", path=path, reason=error)) from error
    raise LessonError(say("cli.no_notebook", path=path, reason=say("cli.no_cells")))


def cleared(notebook: dict[str, Any], key: str) -> bytes:
    """The notebook without outputs and execution counts, marked with where it comes from.

    The mark (``metadata.autogradlab.copied``) outlives the learner's edits: it tells a copy of this version from a
    copy of an older one, without any file of ours in the learner's folder.
    """
    metadata = {k: v for k, v in notebook.get("metadata", {}).items() if k != "widgets"}
    cells = []
    for cell in notebook["cells"]:
        cell = dict(cell)
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
            cell["metadata"] = {k: v for k, v in cell.get("metadata", {}).items() if k != "execution"}
        cells.append(cell)
    result = {**notebook, "cells": cells, "metadata": metadata}
    digest = hashlib.sha256(_dump(result)).hexdigest()[:16]
    mark = {"lesson": key, "digest": digest, "version": version()}
    own = dict(metadata.get("autogradlab", {}), copied=mark)
    result["metadata"] = {**metadata, "autogradlab": own}
    return _dump(result)


def copy_lessons(target: Path, course: Path | None = None) -> Iterator[Outcome]:
    """Copy all lessons of a course, or the shipped ones, below ``target``, yielding the outcome of each.

    A file that exists is never written to. If it is the learner's copy of the lesson as shipped now, it is kept and
    nothing is added; otherwise the shipped lesson is put beside it under the next free name (``01-the-graph.2.ipynb``).
    """
    folder = course.expanduser().resolve() if course else lessons_folder()
    target = target.expanduser().resolve()
    if target == folder or folder in target.parents or target in folder.parents and target.name == "_lessons":
        raise LessonError(say("cli.inside_course" if course else "cli.own_lessons", folder=target))
    for lesson in lessons(course):
        data = cleared(read_notebook(lesson.path), lesson.key)
        yield _place(lesson.key, data, target)
    for part in LANGUAGES if course is None else (*LANGUAGES, "questions", "checks"):
        for extra in sorted((folder / part).rglob("*")):
            key = PurePosixPath(extra.relative_to(folder).as_posix())
            if extra.is_file() and extra.suffix != ".ipynb" and not any(p.startswith((".", "__")) for p in key.parts):
                yield _place(str(key), extra.read_bytes(), target)


def compare(target: Path, course: Path | None = None) -> Iterator[tuple[str, Path, str, str]]:
    """For each shipped lesson its newest copy below ``target``: (key, path, state, version that made it).

    States: current (a copy of the lesson as shipped), changed (of an older one), foreign (no copy), missing.
    """
    for lesson in lessons(course):
        wanted = target / lesson.key
        mark = _mark(cleared(read_notebook(lesson.path), lesson.key))
        there = [wanted, *sorted(wanted.parent.glob(f"{wanted.stem}.*{wanted.suffix}"))]
        there = [path for path in there if path.is_file()]
        if not there:
            yield lesson.key, wanted, "missing", ""
            continue
        current = [path for path in there if _mark(path.read_bytes()) == mark]
        path = current[0] if current else there[-1]
        made = stamp(path)
        state = "current" if current else "changed" if made else "foreign"
        yield lesson.key, path, state, str(made.get("version", say("cli.older_version")))


def _place(key: str, data: bytes, target: Path) -> Outcome:
    wanted = target / key
    try:
        wanted.parent.mkdir(parents=True, exist_ok=True)
        path, number = wanted, 1
        while not _write_new(path, data):
            if _same(path, data):
                return Outcome(key, path, "kept")
            number += 1
            path = wanted.with_name(f"{wanted.stem}.{number}{wanted.suffix}")
    except OSError as error:
        raise LessonError(say("cli.cannot_write", path=wanted, reason=reason(error))) from error
    return Outcome(key, path, "new" if path == wanted else "beside")


def _same(path: Path, data: bytes) -> bool:
    """Whether the learner's file at ``path`` began as ``data``, whatever was done to it since."""
    try:
        present = path.read_bytes()
    except OSError:
        return False
    return present == data or (path.suffix == ".ipynb" and (mark := _mark(data)) is not None and _mark(present) == mark)


def _mark(data: bytes) -> Any:
    """What a copy was made from; not the version, which may change while a lesson does not."""
    try:
        copied = json.loads(data)["metadata"]["autogradlab"]["copied"]
        return copied["lesson"], copied["digest"]
    except (ValueError, KeyError, TypeError):
        return None


def stamp(path: Path) -> dict[str, Any]:
    """Which lesson, in which version, a learner's notebook is a copy of; empty if it is none."""
    try:
        copied = json.loads(path.read_bytes())["metadata"]["autogradlab"]["copied"]
    except (ValueError, KeyError, TypeError, OSError):
        return {}
    return copied if isinstance(copied, dict) else {}


def version() -> str:
    """The installed version, or that of the checkout's pyproject.toml where nothing is installed."""
    from importlib import metadata

    try:
        return metadata.version("autogradlab")
    except metadata.PackageNotFoundError:
        import tomllib

        with open(Path(__file__).resolve().parents[2] / "pyproject.toml", "rb") as file:
            return str(tomllib.load(file)["project"]["version"])


def _write_new(path: Path, data: bytes) -> bool:
    """Write ``data`` to ``path`` all at once; False, and nothing done, if something is there already."""
    if os.path.lexists(path):
        return False
    handle, temporary = tempfile.mkstemp(prefix=".autogradlab-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o666 & ~_umask())
        try:
            os.link(temporary, path)  # unlike a rename, a link never replaces what is there
        except FileExistsError:
            return False
        except OSError:  # no hard links on this file system
            if os.path.lexists(path):
                return False
            os.replace(temporary, path)
        return True
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _dump(notebook: dict[str, Any]) -> bytes:
    return (json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode()
