"""Keeps the lessons: writes, runs, checks and translates them; lessons/README.md tells authors how they are built.

    python tools/lessonkit.py pack DRAFT.txt FILE.ipynb    a notebook from a draft in plain text
    python tools/lessonkit.py unpack FILE.ipynb            the draft of a notebook, printed
    python tools/lessonkit.py execute [FILE ...]           run and store; a second run changes no byte
    python tools/lessonkit.py execute --torch ...          the same on the real PyTorch, whose outputs are the measure
    python tools/lessonkit.py sync [--fresh ID] [FILE ...] bring code and outputs of the translations up to date
    python tools/lessonkit.py check [FILE ...]             say what is wrong with the stored lessons
    python tools/lessonkit.py try [--torch] [FILE ...]     run every answer and solution, and the stubs as they stand
    python tools/lessonkit.py html [--to DIR] [FILE ...]   pages to print, each lesson run in its own language
    python tools/lessonkit.py catalog [--check]            write lessons/catalog.toml from the cells' metadata

Without files: every lesson below lessons/. A lesson may be named by its number or name instead of its file. It needs the
`test` extra.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))

import lessonwords
from lessonbook import (
    ANSI,
    CELL_ID,
    LESSONS,
    execute,
    execute_on_torch,
    lesson_files,
    normalise,
    on_torch,
    read,
    sanitise,
    texts,
)
from lessonguard import problems
from lessonpairs import DraftError, packed, pair_problems, store, synced, unpack
from nbclient.exceptions import CellExecutionError

__all__ = [
    "ANSI",
    "CATALOG",
    "CELL_ID",
    "catalog",
    "execute",
    "execute_on_torch",
    "lesson_files",
    "main",
    "normalise",
    "on_torch",
    "problems",
    "read",
    "sanitise",
    "texts",
]

CATALOG = LESSONS / "catalog.toml"
CATALOG_HEAD = "# scenario id -> the lesson cells that show it. Generated: python tools/lessonkit.py catalog\n"


def catalog() -> str:
    """The text of catalog.toml: every scenario that a cell of an English lesson says it shows."""
    cells: dict[str, list[str]] = {}
    for path in lesson_files():
        if path.parent.name == "en":
            for cell in read(path).cells:
                for scenario in cell.metadata.get("autogradlab", {}).get("scenarios", []):
                    cells.setdefault(scenario, []).append(f"{path.stem}#{cell.id}")
    rows = [f"{name} = [{', '.join(f'{c!r}' for c in where)}]\n" for name, where in sorted(cells.items())]
    return CATALOG_HEAD + "".join(rows).replace("'", '"')


def named(names: Sequence[str], languages: Sequence[str] = ("en", "zh")) -> list[Path]:
    """The lessons of these files, names or numbers; all without any."""
    if not names:
        return [p for p in lesson_files() if p.parent.name in languages]
    found: list[Path] = []
    for name in names:
        if name.endswith(".ipynb"):
            found.append(Path(name))
            continue
        matching = [p for p in lesson_files() if p.parent.name in languages and p.stem.startswith(name)]
        if not matching:
            raise DraftError(f"there is no lesson {name!r}")
        found += matching
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("action", choices=["pack", "unpack", "execute", "sync", "check", "try", "html", "catalog"])
    parser.add_argument("--torch", action="store_true", help="execute: store what the real PyTorch says instead")
    parser.add_argument("--check", action="store_true", help="catalog: write nothing, fail if it is out of date")
    parser.add_argument(
        "--fresh", action="append", default=[], metavar="ID", help="sync: cells just translated, or all"
    )
    parser.add_argument(
        "--to", type=Path, default=Path("lessons-html"), metavar="DIR", help="html: the folder to write to"
    )
    parser.add_argument("files", nargs="*")
    args = parser.parse_intermixed_args(argv)
    try:
        return ACTIONS[args.action](args)
    except DraftError as error:
        print(error)
        return 1


def _pack(args: argparse.Namespace) -> int:
    draft, target = map(Path, args.files)
    store(target, packed(draft.read_text(encoding="utf-8"), target))
    return 0


def _unpack(args: argparse.Namespace) -> int:
    for path in named(args.files):
        print(unpack(read(path)))
    return 0


def _execute(args: argparse.Namespace) -> int:
    status = 0
    for path in named(args.files, ["en"]):
        run = execute_on_torch if args.torch else execute
        try:
            changed = store(path, normalise(run(read(path), path.parent)))
        except CellExecutionError as error:  # say it, and go on with the other lessons
            status |= _say(path, [_failed(error)])
            continue
        print(f"{path.name}: {'written' if changed else 'unchanged'}", flush=True)
        status |= _say(path, problems(read(path)))
    return status


def _sync(args: argparse.Namespace) -> int:
    status = 0
    for path in named(args.files, ["zh"]):
        print(f"{path.parent.name}/{path.name}: {'written' if store(path, synced(path, args.fresh)) else 'unchanged'}")
        status |= _say(path, pair_problems(path))
    return status


def _check(args: argparse.Namespace) -> int:
    status, every = 0, lessonwords.tables()
    for path in named(args.files):
        found = problems(read(path)) + lessonwords.problems(path, every)
        status |= _say(path, found + (pair_problems(path) if path.parent.name == "zh" else []))
    return status


def _try(args: argparse.Namespace) -> int:
    import lessontry

    status = 0
    for path in named(args.files, ["en"]):
        try:
            status |= _say(path, lessontry.faults(path, args.torch))
        except CellExecutionError as error:
            status |= _say(path, [_failed(error)])
    return status


def _html(args: argparse.Namespace) -> int:
    import lessonhtml

    titles: dict[str, list[tuple[str, str]]] = {}
    for path in named(args.files):
        target = args.to / path.parent.name / f"{path.stem}.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(lessonhtml.page(path), encoding="utf-8", newline="\n")
        titles.setdefault(path.parent.name, []).append((target.name, lessonhtml.title(read(path), path.stem)))
        print(target, flush=True)
    for language, rows in titles.items():
        (args.to / language / "index.html").write_text(lessonhtml.index(language, rows), encoding="utf-8", newline="\n")
    return 0


def _failed(error: CellExecutionError) -> str:
    return f"a cell fails, and is not tagged raises-exception:\n{ANSI.sub('', str(error))}"


def _say(path: Path, found: list[str]) -> int:
    for problem in found:
        print(f"{path.name}: {problem}")
    return int(bool(found))


def _catalog(args: argparse.Namespace) -> int:
    text = catalog()
    stale = not CATALOG.is_file() or CATALOG.read_text(encoding="utf-8") != text
    if stale and not args.check:
        CATALOG.write_text(text, encoding="utf-8", newline="\n")
    print(f"{CATALOG.name}: {'out of date' if stale and args.check else 'written' if stale else 'up to date'}")
    return int(stale and args.check)


ACTIONS = {
    "pack": _pack,
    "unpack": _unpack,
    "execute": _execute,
    "sync": _sync,
    "check": _check,
    "try": _try,
    "html": _html,
    "catalog": _catalog,
}

if __name__ == "__main__":
    sys.exit(main())
