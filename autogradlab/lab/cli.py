"""The ``autogradlab`` command: ``lab`` opens the lessons, ``lessons`` lists, copies, checks them, ``doctor`` says what lacks."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autogradlab.lab import copying, doctor, records

FOLDER = "autogradlab-lessons"
NO_JUPYTERLAB = """\
JupyterLab is not installed in this Python ({python}).

    pip install "autogradlab[lab]"        or, in a clone:  pip install -e ".[lab]"

brings it; then run this command again. To only have the lessons, for another editor:

    autogradlab lessons copy"""


NO_AUTHOR = """\
{name} is not installed, which authors of lessons need:

    pip install "autogradlab[author]"
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0, 1 with a message on stderr, 2 for wrong usage, or 130 after Ctrl-C."""
    args, extra = _parser().parse_known_args(argv)
    if extra and args.command != "lab":
        _parser().error(f"unrecognized arguments: {' '.join(extra)}")
    try:
        if args.command == "lab":
            return _lab(args, extra)
        if args.command == "lessons":
            return {"list": _list, "copy": _copy, "compare": _compare, "progress": _progress}.get(args.action, _author)(
                args
            )
        if args.command == "doctor":
            return _doctor(args)
    except copying.LessonError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. The files copied so far are whole; run the command again for the rest.", file=sys.stderr)
        return 130
    _parser().print_help()
    return 0


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"autogradlab {copying.version()}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="autogradlab", description="Lessons that show what autograd does.", allow_abbrev=False
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    lab = commands.add_parser(
        "lab",
        help="copy the lessons into a working folder and open them in JupyterLab",
        description="Copy the lessons, without outputs, into a working folder and open it in JupyterLab. "
        "Files that are already there are never overwritten. Other options go to JupyterLab as they are.",
        allow_abbrev=False,
    )
    lab.add_argument("--no-browser", action="store_true", help="start the server, open no browser")
    lab.add_argument("--port", type=_port, metavar="N", help="the port that JupyterLab listens on")
    _add_lang(lab, "open the lessons of this language, and let pictures and questions speak it")
    _add_dir(lab)

    lessons = commands.add_parser("lessons", help="list, copy or check the lessons; show progress", allow_abbrev=False)
    actions = lessons.add_subparsers(dest="action", metavar="ACTION", required=True)
    listed = actions.add_parser("list", help="print the lessons and their titles", allow_abbrev=False)
    _add_lang(listed, "only the lessons of this language")
    _add_dir(actions.add_parser("copy", help="copy the lessons, without outputs, into a folder", allow_abbrev=False))
    _add_dir(actions.add_parser("compare", help="compare your copies with the lessons installed", allow_abbrev=False))
    shown = actions.add_parser("progress", help="show what you have answered and solved", allow_abbrev=False)
    _add_lang(shown, "the language to say it in")
    _add_dir(shown)
    _add_author(actions)
    _add_dir(commands.add_parser("doctor", help="say what is missing, and how to get it", allow_abbrev=False))
    return parser


#: What authors do with lessons: a word on each. All but `new` and `pack` take lessons, and without any the whole course.
AUTHOR = {
    "new": "begin a lesson that is whole at once: skeleton, questions, checks",
    "execute": "run lessons and store what they show; a second run changes no byte",
    "sync": "bring code and outputs of translations up to date",
    "try": "run every answer and solution of a lesson, and its stubs as they stand",
    "check": "say what is wrong with stored lessons",
    "html": "make pages to print, each lesson run in its own language",
    "unpack": "print the draft of a lesson in plain text",
    "pack": "make a lesson from a draft in plain text",
    "catalog": "write catalog.toml from what cells say they show",
}


def _add_author(actions: Any) -> None:
    made = {name: actions.add_parser(name, help=words, allow_abbrev=False) for name, words in AUTHOR.items()}
    for name in AUTHOR.keys() - {"new", "pack"}:
        made[name].add_argument("lessons", nargs="*", metavar="LESSON", help="a file, folder, number or name")
    made["new"].add_argument("title", nargs="+", metavar="TITLE")
    made["new"].add_argument(
        "--dir", type=Path, default=Path(), metavar="D", help="the course's folder (default: here)"
    )
    made["new"].add_argument("--lang", default="en", metavar="en,zh", help="the languages to begin it in")
    for name in ("execute", "try"):
        made[name].add_argument(
            "--torch", action="store_true", help="on the real PyTorch, whose outputs are the measure"
        )
    made["sync"].add_argument(
        "--fresh", action="append", default=[], metavar="ID", help="cells just translated, or all"
    )
    made["html"].add_argument(
        "--to", type=Path, default=Path("lessons-html"), metavar="D", help="the folder to write to"
    )
    made["catalog"].add_argument("--check", action="store_true", help="write nothing, fail if it is out of date")
    made["pack"].add_argument("draft", type=Path, metavar="DRAFT")
    made["pack"].add_argument("target", type=Path, metavar="NOTEBOOK")


def _author(args: argparse.Namespace) -> int:
    try:
        from autogradlab.lab.author import commands
    except ModuleNotFoundError as error:
        print(NO_AUTHOR.format(name=error.name), file=sys.stderr)
        return 1
    return commands.ACTIONS[args.action](args)


def _add_lang(parser: argparse.ArgumentParser, words: str) -> None:
    parser.add_argument("--lang", choices=copying.LANGUAGES, help=words)


def _add_dir(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dir", type=Path, default=Path(FOLDER), metavar="D", help=f"the working folder (default: ./{FOLDER})"
    )


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, not {text!r}")
    return int(text)


def _list(args: argparse.Namespace) -> int:
    for lesson in copying.lessons():
        if args.lang is None or lesson.key.startswith(f"{args.lang}/"):
            print(f"{lesson.key:<44} {lesson.title}")
    return 0


def _copy(args: argparse.Namespace) -> int:
    folder: Path = args.dir
    outcomes = []
    for outcome in copying.copy_lessons(folder):
        outcomes.append(outcome)
        if outcome.state == "new":
            print(f"  new    {outcome.path}")
        elif outcome.state == "kept":
            print(f"  kept   {outcome.path} (yours, left as it is)")
        else:
            print(f"  newer  {outcome.path} (this lesson has changed; your {Path(outcome.key).name} is left as it is)")
    print(f"The lessons are in {folder.expanduser().resolve()}")
    if older := _other_versions(folder):
        print(f"Some copies there were made by autogradlab {', '.join(older)}; installed is {copying.version()}.")
    return 0


def _other_versions(folder: Path) -> list[str]:
    stamps = [copying.stamp(path) for path in records.copies(folder.expanduser())]
    return sorted({str(s.get("version", "an older version")) for s in stamps if s} - {copying.version()})


def _compare(args: argparse.Namespace) -> int:
    """Say of each lesson whether the learner's copy is of the lesson as installed; 1 if one is not, or is missing."""
    folder: Path = args.dir.expanduser()
    status = 0
    for key, path, state, version in copying.compare(folder):
        told = {
            "current": "as installed",
            "missing": "not there; autogradlab lessons copy brings it",
            "changed": f"made by autogradlab {version}; the lesson has changed since, and yours stays as it is",
            "foreign": "yours, and no copy of a lesson",
        }[state]
        status |= state in {"missing", "changed"}
        print(f"  {key:<44} {told}" if state == "missing" else f"  {path.relative_to(folder).as_posix():<44} {told}")
    if older := _other_versions(folder):
        print(f"Some copies were made by autogradlab {', '.join(older)}; installed is {copying.version()}.")
    return int(status)


def _progress(args: argparse.Namespace) -> int:
    if args.lang:
        os.environ["AUTOGRADLAB_LANG"] = args.lang
    folder: Path = args.dir.expanduser()
    print(records.Progress(folder if any(map(copying.stamp, records.copies(folder))) else None))
    return 0


def _doctor(args: argparse.Namespace) -> int:
    text, well = doctor.report(args.dir)
    print(text)
    return 0 if well else 1


def _lab(args: argparse.Namespace, extra: Sequence[str]) -> int:
    if importlib.util.find_spec("jupyterlab") is None:
        print(NO_JUPYTERLAB.format(python=sys.executable), file=sys.stderr)
        return 1
    _copy(args)
    command = [f"--ServerApp.root_dir={args.dir.expanduser().resolve()}"]
    if args.lang:
        os.environ["AUTOGRADLAB_LANG"] = args.lang  # for the kernels that JupyterLab starts
        first = next((x.key for x in copying.lessons() if x.key.startswith(f"{args.lang}/")), args.lang)
        command.append(f"--LabApp.default_url=/lab/tree/{first}")
    if args.no_browser:
        command.append("--no-browser")
    if args.port is not None:
        command.append(f"--ServerApp.port={args.port}")
    return start_jupyterlab([*command, *extra])


def start_jupyterlab(command: list[str]) -> int:
    """JupyterLab in this process, so that Ctrl-C and signals reach its own handlers and nobody else's."""
    from jupyterlab.labapp import main as jupyterlab

    sys.stdout.flush()
    sys.argv[0] = "jupyter-lab"
    result = jupyterlab(command)
    return result if isinstance(result, int) else 0
