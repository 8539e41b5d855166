"""Spelling: codespell knows no misspelling in the English prose, which is British;
the Chinese has Chinese punctuation."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import codespell_lib
import pytest

from autogradlab.lab.author import book, wording
from tests.conftest import ROOT

PAGES = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "autogradlab/README.md",
    "lessons/README.md",
    "docs/*.md",
]
#: Spelled as in PyTorch's messages and names, or another word in the language of code.
KNOWN = {
    "unrecognized",
    "license",
    "program",
    "programs",
    "dialog",
    "catalog",
    "analog",
    "gray",
    "optimizer",
    "optimizers",
    "normalization",
    "story",
}
#: Names of code that stand in prose.
IGNORED = ["arange", "amin", "fro", "nd"]
QUESTIONS = {file.name for file in ROOT.glob("lessons/questions/*.toml")}
#: One after the other: blocks of code, code, formulas, addresses of links, HTML; what is left is prose.
NO_PROSE = [
    r"^```.*?^```",
    r"`[^`\n]*`",
    r"\$[^$\n]*\$",
    r"\]\([^)]*\)",
    r"<[^>\n]*>",
    r"https?://\S+",
    r"^(?:>>>|\.\.\.).*$",
]


def prose(text: str) -> str:
    for pattern in NO_PROSE:
        text = re.sub(pattern, "`", text, flags=re.MULTILINE | re.DOTALL)
    return text


def words(table: Any, language: str) -> Iterator[str]:
    """The texts of one language in the tables of questions and of the inspectors."""
    for key, value in table.items() if isinstance(table, dict) else enumerate(table if isinstance(table, list) else []):
        if key == language and isinstance(value, str):
            yield value
        else:
            yield from words(value, language)


def texts(language: str) -> Iterator[tuple[str, str]]:
    """Every page of prose with its place."""
    for path in book.lesson_files():
        if path.parent.name == language:
            yield f"{language}/{path.name}", "\n\n".join(text for _, text in wording.markdown(book.read(path)))
    tables = [*ROOT.glob("lessons/questions/*.toml"), *ROOT.glob("autogradlab/inspectors/words/*.toml")]
    for file in sorted(tables):
        yield file.name, "\n\n".join(words(tomllib.loads(file.read_text(encoding="utf-8")), language))
    for pattern in PAGES:
        for file in sorted(ROOT.glob(pattern)):
            yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")


def misspelled(text: str) -> list[str]:
    command = [sys.executable, "-m", "codespell_lib", "--builtin", "clear", "-L", ",".join(IGNORED), "-"]
    ran = subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf-8", check=False)
    assert ran.returncode in (0, 65), ran.stderr
    return [line for line in ran.stdout.splitlines() if " ==> " in line]


def american(text: str) -> list[str]:
    """Words that the rest of the project spells the British way."""
    dictionary = Path(codespell_lib.__file__).parent / "data" / "dictionary_en-GB_to_en-US.txt"
    british = dict(reversed(line.split("->")) for line in dictionary.read_text(encoding="utf-8").split())
    found = {w for w in re.findall(r"[a-z]+", text) if w in british and w not in KNOWN}
    return [f"{w}: {british[w]}" for w in sorted(found)]


def test_english():
    pages = {place: prose(text) for place, text in texts("en")}
    assert len(pages) > 60
    assert misspelled("\n".join(pages.values())) == []
    assert {place: found for place, text in pages.items() if (found := american(text))} == {}


def test_chinese_punctuation():
    """That of the lessons and their questions is seen with their words (test_words.py); this is the rest."""
    pages = {place: text for place, text in texts("zh") if not place.startswith("zh/") and place not in QUESTIONS}
    assert {place: found for place, text in pages.items() if (found := wording.HALF_WIDTH.findall(prose(text)))} == {}


@pytest.mark.parametrize(
    ("check", "text", "seen"),
    [
        (misspelled, "It can seperate them", ["seperate ==> separate"]),
        (misspelled, "It can separate them", []),
        (american, "the color of the neighbor", ["color: colour", "neighbor: neighbour"]),
    ],
)
def test_the_guards_see(check: Any, text: str, seen: list[str]):
    assert [found.strip() for found in check(text)] == seen
