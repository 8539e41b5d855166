"""The ``autogradlab`` command: ``lab`` opens the lessons, ``lessons`` is for learners and authors,
``doctor`` says what lacks."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autogradlab.inspectors.words import language, set_language
from autogradlab.lab import copying, doctor, records
from autogradlab.lab.speaking import Parser, learners_language, plain_streams, said_language, speak, told, warned
from autogradlab.lab.system import reason

FOLDER = "autogradlab-lessons"
#: What teachers make of lessons: paper, slides, homework, and a look at what came back.
TEACHER = ("worksheet", "slides", "assignment", "class")
#: What authors do with lessons. All but `new` and `pack` take lessons, and without any the whole course.
AUTHOR = ("new", "execute", "sync", "try", "check", "html", "unpack", "pack", "catalog")

#: Why what is said cannot be written, where it goes into a file.
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0, 1 with a message on stderr, 2 for wrong usage, or 130 after Ctrl-C."""
    given = list(sys.argv[1:] if argv is None else argv)
    plain_streams()
    speak(said_language(given))
    try:
        try:
            return _run(given)
        finally:  # what --help has printed too, which leaves by SystemExit
            sys.stdout.flush()
    except copying.LessonError as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:  # whoever read has read enough, as in `autogradlab lessons list | head`
        return _unheard()
    except OSError as error:
        if error.filename is not None:
            return warned("not_usable", path=error.filename, reason=reason(error))
        if error.errno not in FULL:
            raise
        warned("not_written", reason=reason(error))
        return _unheard()
    except KeyboardInterrupt:
        print("\n" + told("interrupted"), file=sys.stderr)
        return 130
    finally:
        set_language(None)


def _unheard() -> int:
    """What is left to be said goes nowhere, so that Python does not try again as it ends; the status to leave with."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 1


def _run(given: Sequence[str]) -> int:
    parser = _parser()
    args, extra = parser.parse_known_args(given)
    if extra and args.command != "lab":
        folder = len(extra) == 1 and not extra[0].startswith("-") and hasattr(args, "dir")
        args.parser.error(f"unrecognized arguments: {' '.join(extra)}{', a folder is named by --dir' * folder}")
    if args.command == "lab":
        return _lab(args, extra)
    if args.command == "lessons":
        learners = {"list": _list, "copy": _copy, "compare": _compare, "progress": _progress}
        teachers = {"worksheet": _handout, "slides": _handout, "assignment": _handout, "class": _class}
        return {**learners, **teachers}.get(args.action, _author)(args)
    if args.command == "doctor":
        return _doctor(args)
    parser.print_help()
    return 0


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help=told("version"))

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"autogradlab {copying.version()}")
        parser.exit()


def _parser() -> Parser:
    parser = Parser(prog="autogradlab", description=told("about"), title="commands")
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    lab = commands.add_parser("lab", help=told("lab"), description=told("lab_more"))
    lab.add_argument("--no-browser", action="store_true", help=told("option_no_browser"))
    lab.add_argument("--port", type=_port, metavar="N", help=told("option_port"))
    _add_lang(lab)
    _add_dir(lab)
    lessons = commands.add_parser("lessons", help=told("lessons"), description=told("lessons"), title="commands")
    actions = lessons.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=Parser)
    for name in ("list", "copy", "compare", "progress"):
        made = actions.add_parser(name, help=told(name), description=told(name))
        _add_lang(made)
        if name != "list":
            _add_dir(made)
        if name != "progress":
            _add_from(made)
    _add_teacher(actions)
    _add_author(actions)
    examined = commands.add_parser("doctor", help=told("doctor"), description=told("doctor"))
    _add_lang(examined)
    _add_dir(examined)
    return parser


def _add_author(actions: Any) -> None:
    made = {name: actions.add_parser(name, help=told(name), description=told(name)) for name in AUTHOR}
    for name in AUTHOR:
        if name not in {"new", "pack"}:
            made[name].add_argument("lessons", nargs="*", metavar="LESSON", help=told("option_lesson"))
    made["new"].add_argument("title", nargs="+", metavar="TITLE", help=told("option_title"))
    made["new"].add_argument("--dir", type=Path, default=Path(), metavar="D", help=told("option_course"))
    made["new"].add_argument("--in", dest="languages", default="en", metavar="en,zh", help=told("option_languages"))
    for name in ("execute", "try"):
        made[name].add_argument("--torch", action="store_true", help=told("option_torch"))
    made["sync"].add_argument("--fresh", action="append", default=[], metavar="ID", help=told("option_fresh"))
    _add_to(made["html"], "lessons-html")
    made["catalog"].add_argument("--check", action="store_true", help=told("option_check"))
    made["pack"].add_argument("draft", type=Path, metavar="DRAFT", help=told("option_draft"))
    made["pack"].add_argument("target", type=Path, metavar="NOTEBOOK", help=told("option_target"))


def _add_teacher(actions: Any) -> None:
    made = {name: actions.add_parser(name, help=told(name), description=told(name)) for name in TEACHER}
    for name in ("worksheet", "slides", "assignment"):
        made[name].add_argument("lesson", metavar="LESSON", help=told("option_one_lesson"))
        _add_to(made[name], ".")
        _add_lang(made[name])
        _add_from(made[name])
    made["class"].add_argument("folder", type=Path, metavar="FOLDER", help=told("option_returned"))
    made["class"].add_argument("--html", type=Path, metavar="FILE", help=told("option_class_html"))
    made["class"].add_argument("--csv", type=Path, metavar="FILE", help=told("option_class_csv"))
    made["class"].add_argument("--anonymous", action="store_true", help=told("option_anonymous"))
    _add_lang(made["class"])


def _handout(args: argparse.Namespace) -> int:
    """Write a worksheet, slides or an assignment of a lesson, in the language of the command if the course has it."""
    from autogradlab.lab import assignments, handouts

    every = [x for x in copying.lessons(args.course) if copying.is_called(x.path.stem, args.lesson)]
    wanted = [x for x in every if x.key.startswith(f"{language()}/")] or every
    if not wanted:
        raise copying.LessonError(told("no_lesson", name=args.lesson))
    if len(wanted) > 1:
        raise copying.LessonError(told("many_lessons", name=args.lesson, found=", ".join(x.path.stem for x in wanted)))
    folder = args.to.expanduser().resolve()
    with contextlib.chdir(args.course or Path()):  # whose questions are those of the course, as in its notebooks
        lesson = copying.Lesson(wanted[0].key, wanted[0].path.resolve())
        if args.action == "assignment":
            assignments.write(lesson, folder)
            print(args.to / lesson.path.name)
            return 0
        page = {"worksheet": handouts.worksheet, "slides": handouts.slides}[args.action](lesson.path)
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{lesson.path.stem}-{args.action}.html"
    (folder / name).write_text(page, encoding="utf-8", newline="\n")
    print(args.to / name)
    return 0


def _class(args: argparse.Namespace) -> int:
    from autogradlab.lab import classroom

    found = classroom.gather(args.folder)
    found = found.anonymous() if args.anonymous else found
    for path, text in ((args.html, found.html), (args.csv, found.csv)):
        if path is not None:
            path.write_text(text, encoding="utf-8", newline="\n")
            print(path)
    if args.html is None and args.csv is None:
        print(found.text, end="")
    return 0


def _author(args: argparse.Namespace) -> int:
    from autogradlab.lab.light import lighten

    lighten()
    try:
        from autogradlab.lab.author import commands
    except ModuleNotFoundError as error:
        return warned("no_author", name=error.name)
    return commands.ACTIONS[args.action](args)


def _add_lang(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lang", choices=copying.LANGUAGES, help=told("option_lang"))


def _add_dir(parser: argparse.ArgumentParser) -> None:
    words = told("option_dir", folder=FOLDER)
    parser.add_argument("--dir", type=Path, default=Path(FOLDER), metavar="D", help=words)


def _add_from(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--from", dest="course", type=Path, metavar="D", help=told("option_from"))


def _add_to(parser: argparse.ArgumentParser, folder: str) -> None:
    words = told("option_to", folder=folder)
    parser.add_argument("--to", type=Path, default=Path(folder), metavar="D", help=words)


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(told("wrong_port", text=repr(text)))
    return int(text)


def _list(args: argparse.Namespace) -> int:
    for lesson in copying.lessons(args.course):
        if args.lang is None or lesson.key.startswith(f"{args.lang}/"):
            print(f"{lesson.key:<44} {lesson.title}")
    return 0


def _copy(args: argparse.Namespace) -> int:
    folder: Path = args.dir
    for outcome in copying.copy_lessons(folder, args.course):
        key = {"new": "copied_new", "kept": "copied_kept"}.get(outcome.state, "copied_newer")
        print(told(key, path=outcome.path, name=Path(outcome.key).name))
    print(told("copied", folder=folder.expanduser().resolve()))
    if older := _other_versions(folder):
        print(told("copied_older", older=", ".join(older), installed=copying.version()))
    return 0


def _other_versions(folder: Path) -> list[str]:
    stamps = [copying.stamp(path) for path in records.copies(folder.expanduser())]
    return sorted({str(s.get("version", told("older_version"))) for s in stamps if s} - {copying.version()})


def _copies(folder: Path) -> bool:
    """Whether there are notebooks in a learner's folder; says so if not."""
    there = any(records.copies(folder))
    if not there:
        warned("no_copies", folder=folder)
    return there


def _compare(args: argparse.Namespace) -> int:
    """Say of each lesson whether the learner's copy is of the lesson as it is now; 1 if one is not, or is missing."""
    folder: Path = args.dir.expanduser()
    status = 0
    if not _copies(folder):
        return 1
    for key, path, state, version in copying.compare(folder, args.course):
        said = told(f"compared_{state}", version=version)
        status |= state in {"missing", "changed"}
        print(f"  {key:<44} {said}" if state == "missing" else f"  {path.relative_to(folder).as_posix():<44} {said}")
    if older := _other_versions(folder):
        print(told("compared_older", older=", ".join(older), installed=copying.version()))
    return int(status)


def _progress(args: argparse.Namespace) -> int:
    folder: Path = args.dir.expanduser()
    if not folder.is_dir() and not _copies(folder):
        return 1
    print(records.Progress(folder if any(map(copying.stamp, records.copies(folder))) else None))
    return 0


def _doctor(args: argparse.Namespace) -> int:
    text, well = doctor.report(args.dir)
    print(text)
    return 0 if well else 1


def _lab(args: argparse.Namespace, extra: Sequence[str]) -> int:
    found, wanted = doctor.installed("jupyterlab"), doctor.oldest("jupyterlab")
    if found is None:
        return warned("no_jupyterlab", python=sys.executable)
    if doctor.numbers(found) < doctor.numbers(wanted):
        return warned("old_jupyterlab", found=found, wanted=wanted)
    from autogradlab.lab import opening

    if args.port and opening.taken(args.port):
        return warned("port_taken", port=args.port)
    folder = args.dir.expanduser().resolve()
    beside = [outcome for outcome in copying.copy_lessons(folder) if outcome.state == "beside"]
    if beside:
        print(told("opened_beside", count=len(beside), name=beside[0].path.name))
    lang = learners_language(args.lang)
    if args.lang:
        os.environ["AUTOGRADLAB_LANG"] = lang  # for the kernels that JupyterLab starts
    first = next((x.key for x in copying.lessons() if x.key.startswith(f"{lang}/")), lang)
    opening.prepare(lang)
    command = [f"--ServerApp.root_dir={folder}", f"--LabApp.default_url=/lab/tree/{first}", *opening.QUIET]
    if args.no_browser:
        command.append("--no-browser")
    if args.port is not None:
        command.append(f"--ServerApp.port={args.port}")
    return opening.start([*command, *extra], folder)
