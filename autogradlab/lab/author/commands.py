"""`autogradlab lessons` for authors: what to do with the lessons of a folder, and its words on the command line.

    autogradlab lessons pack DRAFT.txt FILE.ipynb    a notebook from a draft in plain text
    autogradlab lessons unpack FILE.ipynb            the draft of a notebook, printed
    autogradlab lessons execute [LESSON ...]         run and store; a second run changes no byte
    autogradlab lessons execute --torch ...          the same on the real PyTorch, whose outputs are the measure
    autogradlab lessons sync [--fresh ID] [LESSON ...]   bring code and outputs of the translations up to date
    autogradlab lessons check [LESSON ...]           say what is wrong with the stored lessons
    autogradlab lessons try [--torch] [LESSON ...]   run every answer and solution, and the stubs as they stand
    autogradlab lessons html [--to DIR] [LESSON ...] pages to print, each lesson run in its own language
    autogradlab lessons catalog [--check]            write catalog.toml from the cells' metadata

A LESSON is a file, a folder, or the number or name of a lesson in the course of the present folder. Without any: all of
them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nbclient.exceptions import CellExecutionError

from autogradlab.inspectors.words import say
from autogradlab.lab.copying import LANGUAGES, LessonError, is_called

from . import pages, trial, wording
from .book import ANSI, execute, execute_on_torch, language_of, lesson_files, normalise, read, root_of
from .guard import problems
from .pairs import missing_translations, original, packed, pair_problems, store, synced, unpack

__all__ = ["ACTIONS", "catalog", "course", "named"]

CATALOG_HEAD = "# scenario id -> the lesson cells that show it. Generated: autogradlab lessons catalog\n"


def course() -> Path:
    """The course of the present folder: lessons in its languages' folders or in itself, or in a folder `lessons`."""
    here = Path.cwd()
    for folder in (here, here / "lessons", root_of(here / "a")):
        if lesson_files(folder):
            return folder
    raise LessonError(say("cli.author_no_lessons", folder=here))


def named(names: Sequence[str], wanted: Callable[[Path], bool] = lambda path: True) -> list[Path]:
    """The lessons of these files, folders, names or numbers that a command is for; all of the course without any."""
    found: list[Path] = []
    for name in names or [str(course())]:
        path = Path(name)
        if path.is_dir():
            there = lesson_files(path)
        elif path.suffix == ".ipynb":
            there = [path] if path.is_file() else []
        else:
            there = [p for p in lesson_files(course()) if is_called(p.stem, name)]
        here = [p for p in there if wanted(p)]
        if not here:
            raise LessonError(say("cli.author_other_command" if there else "cli.author_no_lesson", name=name))
        found += here
    return found


def is_original(path: Path) -> bool:
    """Whether a lesson is not a translation of another."""
    return original(path) == path


def is_translation(path: Path) -> bool:
    return not is_original(path)


def languages_of(folder: Path) -> list[str]:
    """The languages that the lessons of a course are in."""
    return [lang for lang in LANGUAGES if lang in {pages.language_of_page(read(p), p) for p in lesson_files(folder)}]


def catalog(folder: Path) -> str:
    """The text of catalog.toml: every scenario that a cell of an original lesson says it shows."""
    cells: dict[str, list[str]] = {}
    for path in filter(is_original, lesson_files(folder)):
        for cell in read(path).cells:
            for scenario in cell.metadata.get("autogradlab", {}).get("scenarios", []):
                cells.setdefault(scenario, []).append(f"{path.stem}#{cell.id}")
    rows = [f"{name} = [{', '.join(f'{c!r}' for c in where)}]\n" for name, where in sorted(cells.items())]
    return CATALOG_HEAD + "".join(rows).replace("'", '"')


def _new(args: argparse.Namespace) -> int:
    from .skeleton import begin

    made = begin(" ".join(args.title), args.dir, args.languages.split(","))
    for path in made:
        print(path)
    return 0


def _pack(args: argparse.Namespace) -> int:
    store(args.target, packed(args.draft.read_text(encoding="utf-8"), args.target))
    return 0


def _unpack(args: argparse.Namespace) -> int:
    for path in named(args.lessons):
        print(unpack(read(path)))
    return 0


def _has_torch(args: argparse.Namespace) -> None:
    """Says that PyTorch is missing, before its import does so below every first cell."""
    if args.torch and find_spec("torch") is None:
        raise LessonError(say("cli.no_torch"))


def _execute(args: argparse.Namespace) -> int:
    _has_torch(args)
    status = 0
    for path in named(args.lessons, is_original):
        stored = read(path)
        try:
            ran = execute_on_torch(stored, path.parent) if args.torch else run(stored, path)
        except CellExecutionError as error:  # say it, and go on with the other lessons
            status |= _say(path, [_failed(error)])
            continue
        changed = store(path, normalise(ran))
        print(f"{path.name}: {_became(changed)}", flush=True)
        status |= _say(path, problems(read(path)))
    return status


def run(stored: Any, path: Path) -> Any:
    """The lesson, run in its language."""
    return execute(stored, path.parent, language=language_of(stored, path))


def _sync(args: argparse.Namespace) -> int:
    status = 0
    for path in named(args.lessons, is_translation):
        print(f"{path.parent.name}/{path.name}: {_became(store(path, synced(path, args.fresh)))}", flush=True)
        status |= _say(path, pair_problems(path))
    return status


def _check(args: argparse.Namespace) -> int:
    status, lessons = 0, named(args.lessons)
    every = {root: wording.tables(root) for root in dict.fromkeys(map(root_of, lessons))}
    for path in lessons:
        root = root_of(path)
        found = problems(read(path)) + wording.problems(path, every[root], languages_of(root))
        status |= _say(path, found + (pair_problems(path) if is_translation(path) else []))
    for root in every:
        if all((root / lang).is_dir() for lang in LANGUAGES):
            status |= _say(root, missing_translations(root))
    if not status:
        print(say("author.checked", count=len(lessons)))
    return status


def _try(args: argparse.Namespace) -> int:
    _has_torch(args)
    status = 0
    for path in named(args.lessons, is_original):
        try:
            faults, tried = trial.attempt(path, args.torch)
        except CellExecutionError as error:
            status |= _say(path, [_failed(error)])
            continue
        status |= _say(path, faults)
        print(f"{path.name}: {say('author.tried', count=tried)}", flush=True)
    return status


def _html(args: argparse.Namespace) -> int:
    titles: dict[str, list[tuple[str, str]]] = {}
    status = 0
    for path in named(args.lessons):
        notebook = read(path)
        language = pages.language_of_page(notebook, path)
        target = args.to / language / f"{path.stem}.html"
        try:
            text = pages.page(path)
        except CellExecutionError as error:
            status |= _say(path, [_failed(error)])
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
        titles.setdefault(language, []).append((target.name, pages.title(notebook, path.stem)))
        print(target, flush=True)
    for language, rows in titles.items():
        (args.to / language / "index.html").write_text(pages.index(language, rows), encoding="utf-8", newline="\n")
    return status


def _failed(error: CellExecutionError) -> str:
    return say("author.cell_fails", error=ANSI.sub("", str(error)))


def _became(written: bool, otherwise: str = "author.unchanged") -> str:
    """What a command says of a file that it has made, or left as it was."""
    return say("author.written" if written else otherwise)


def _say(path: Path, found: list[str]) -> int:
    for problem in found:
        print(f"{path.name}: {problem}")
    return int(bool(found))


def _catalog(args: argparse.Namespace) -> int:
    folder = Path(args.lessons[0]) if args.lessons else course()
    text, file = catalog(folder), folder / "catalog.toml"
    stale = not file.is_file() or file.read_text(encoding="utf-8") != text
    if stale and not args.check:
        file.write_text(text, encoding="utf-8", newline="\n")
    print(f"{file.name}: {say('author.out_of_date') if stale and args.check else _became(stale, 'author.up_to_date')}")
    return int(stale and args.check)


ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {
    "new": _new,
    "pack": _pack,
    "unpack": _unpack,
    "execute": _execute,
    "sync": _sync,
    "check": _check,
    "try": _try,
    "html": _html,
    "catalog": _catalog,
}
