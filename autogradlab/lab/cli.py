"""The ``autogradlab`` command: ``autogradlab lab`` opens the lessons, ``autogradlab lessons`` lists or copies them."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

from autogradlab.lab import copying

FOLDER = "autogradlab-lessons"
NO_JUPYTERLAB = """\
JupyterLab is not installed in this Python ({python}).

    pip install "autogradlab[lab]"        or, in a clone:  pip install -e ".[lab]"

brings it; then run this command again. To only have the lessons, for another editor:

    autogradlab lessons copy"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0, 1 with a message on stderr, 2 for wrong usage, or 130 after Ctrl-C."""
    args, extra = _parser().parse_known_args(argv)
    if extra and args.command != "lab":
        _parser().error(f"unrecognized arguments: {' '.join(extra)}")
    try:
        if args.command == "lab":
            return _lab(args, extra)
        if args.command == "lessons" and args.action == "copy":
            return _copy(args.dir)
        if args.command == "lessons":
            return _list()
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
    _add_dir(lab)

    lessons = commands.add_parser("lessons", help="list or copy the lessons", allow_abbrev=False)
    actions = lessons.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser("list", help="print the lessons and their titles", allow_abbrev=False)
    _add_dir(actions.add_parser("copy", help="copy the lessons, without outputs, into a folder", allow_abbrev=False))
    return parser


def _add_dir(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dir", type=Path, default=Path(FOLDER), metavar="D", help=f"the working folder (default: ./{FOLDER})"
    )


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, not {text!r}")
    return int(text)


def _list() -> int:
    for lesson in copying.lessons():
        print(f"{lesson.key:<44} {lesson.title}")
    return 0


def _copy(folder: Path) -> int:
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
    return 0


def _lab(args: argparse.Namespace, extra: Sequence[str]) -> int:
    if importlib.util.find_spec("jupyterlab") is None:
        print(NO_JUPYTERLAB.format(python=sys.executable), file=sys.stderr)
        return 1
    _copy(args.dir)
    command = [f"--ServerApp.root_dir={args.dir.expanduser().resolve()}"]
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
