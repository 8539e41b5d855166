"""How the command speaks: in the language of the learner's system, on any console, into pipes that close."""

from __future__ import annotations

import argparse
import locale
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, TextIO

from autogradlab.inspectors.words import LANGUAGES, language, say, set_language

__all__ = ["Parser", "learners_language", "plain_streams", "said_language", "speak", "told", "warned"]

VARIABLES = ("AUTOGRADLAB_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


def learners_language(asked: str | None = None) -> str:
    """The language to open lessons in: as asked, else by the environment, else, where that says nothing,
    by the system."""
    if asked:
        return asked
    if any(map(os.environ.get, VARIABLES)):
        return language()
    system = locale.getlocale()[0] or ""  # Windows says Chinese (Simplified)_China
    return "zh" if system.lower().startswith(("zh", "chinese")) else "en"


def speak(asked: str | None = None) -> None:
    """Say what follows in the learner's language; in English on a console that has no Chinese characters."""
    wanted = learners_language(asked)
    set_language(wanted if wanted == "en" or all(map(_has_chinese, (sys.stdout, sys.stderr))) else "en")


def _has_chinese(stream: Any) -> bool:
    try:
        "课程".encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _nowhere() -> TextIO:
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def plain_streams() -> None:
    """What a console cannot show, a lesson's title for example, becomes `?` instead of an error; where there is no
    console at all, as in `autogradlab lab >&-` or under pythonw, what is said goes nowhere."""
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def told(key: str, /, **fields: object) -> str:
    """The words of cli.toml."""
    return say(f"cli.{key}", **fields)


def warned(key: str, /, **fields: object) -> int:
    """Say on stderr what is wrong; the status to leave with."""
    print(told(key, **fields), file=sys.stderr)
    return 1


def said_language(argv: Sequence[str]) -> str | None:
    """What --lang says, before the arguments are read: the reading itself has to speak."""
    for at, word in enumerate(argv):
        value = word.partition("=")[2] if word.startswith("--lang=") else "".join(argv[at + 1 : at + 2])
        if word.startswith("--lang") and value in LANGUAGES:
            return value
    return None


#: What argparse says of wrong usage, and what is said instead.
FAULTS = [
    (r"the following arguments are required: (?P<what>.+)", "wrong_required"),
    (r"unrecognized arguments: (?P<what>.+), a folder is named by --dir", "wrong_folder"),
    (r"unrecognized arguments: (?P<what>.+)", "wrong_unknown"),
    (r"argument (?P<name>.+?): expected (?:one|at least one) argument", "wrong_one"),
    (r"argument (?P<name>.+?): invalid choice: (?P<given>.+?) \(choose from (?P<choices>.+)\)", "wrong_choice"),
    (r"argument (?P<name>.+?): (?P<what>.+)", "wrong_value"),  # the words are ours
]


class Parser(argparse.ArgumentParser):
    """argparse's parser, in the language of the moment."""

    def __init__(self, *, title: str = "arguments", **more: Any) -> None:
        super().__init__(**more, allow_abbrev=False, add_help=False)
        self._positionals.title = told(title)
        self._optionals.title = told("options")
        self.set_defaults(parser=self)  # the one that has read the last of the arguments
        self.add_argument("-h", "--help", action="help", help=told("help"))

    def format_usage(self) -> str:
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups, told("usage"))
        return formatter.format_help()

    def format_help(self) -> str:
        text = super().format_help().replace("usage: ", told("usage"), 1)
        for title in (self._positionals.title, self._optionals.title):
            text = text.replace(f"\n{title}:\n", f"\n{told('section', title=title)}\n")
        return text

    def error(self, message: str) -> NoReturn:
        for pattern, key in FAULTS:
            if found := re.fullmatch(pattern, message):
                message = told(key, **found.groupdict())
                break
        self.print_usage(sys.stderr)
        self.exit(2, told("wrong", prog=self.prog, message=message) + "\n")
