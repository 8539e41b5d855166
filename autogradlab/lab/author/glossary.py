"""The terms of a course, in both languages, and everything that they are held to: lessons, questions, the words of
inspectors and of the command line, guides, and what is stored in translated lessons."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from autogradlab.lab import copying

from .book import read
from .wording import LANGUAGES, markdown

__all__ = ["forbidden", "stored", "surfaces", "table", "terms", "unpaired"]

CODE = re.compile(r"```.*?```|`[^`\n]*`|\$[^$\n]*\$", re.DOTALL)
HAN = re.compile(r"[\u4e00-\u9fff]")


def terms(lessons: Path | None = None) -> dict[str, dict[str, Any]]:
    """The entries of a course's glossary."""
    text = ((lessons or copying.lessons_folder()) / "glossary.toml").read_text(encoding="utf-8")
    return {name: term for name, term in tomllib.loads(text).items() if isinstance(term, dict)}


def table(language: str, entries: Mapping[str, Mapping[str, Any]]) -> str:
    """The glossary as Markdown: the term, its translation, the lesson that introduces it."""
    other = "zh" if language == "en" else "en"
    heads = {"en": ("English", "Chinese", "lesson"), "zh": ("中文", "英文", "课")}[language]
    rows = sorted((str(t[language]), str(t[other]), str(t["lesson"])) for t in entries.values())
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ("---",) * 3, *rows)) + "\n"


def surfaces(language: str, guides: Sequence[Path] = (), lessons: Path | None = None) -> Iterator[tuple[str, str]]:
    """Every text that a learner or a teacher reads, and where it stands; code left out."""
    lessons = lessons or copying.lessons_folder()
    for path in sorted((lessons / language).glob("*.ipynb")):
        for id, text in markdown(read(path)):
            yield f"{language}/{path.stem}#{id}", CODE.sub("", text)
    for path in sorted((lessons / "questions").glob("*.toml")):
        yield from _said(path.stem, tomllib.loads(path.read_text(encoding="utf-8")), language)
    for entry in sorted(files("autogradlab.inspectors.words").iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".toml"):
            yield from _said(f"words/{entry.name}", tomllib.loads(entry.read_text(encoding="utf-8")), language)
    for path in guides:
        yield path.name, CODE.sub("", path.read_text(encoding="utf-8"))


def _said(where: str, entry: Any, language: str) -> Iterator[tuple[str, str]]:
    """What an entry of a catalogue says in one language."""
    if isinstance(entry, dict):
        for key, value in entry.items():
            if key in LANGUAGES and isinstance(value, str):
                if key == language:
                    yield where, CODE.sub("", value)
            else:
                yield from _said(f"{where}.{key}", value, language)
    elif isinstance(entry, list):
        for number, value in enumerate(entry):
            yield from _said(f"{where}.{number}", value, language)


def stored(lessons: Path | None = None) -> Iterator[tuple[str, str]]:
    """The Chinese words among the stored outputs of the Chinese lessons."""
    for path in sorted(((lessons or copying.lessons_folder()) / "zh").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                for text in output.get("data", {}).values():
                    words = text if isinstance(text, str) else "".join(text) if isinstance(text, list) else ""
                    words = re.sub(r"base64,[A-Za-z0-9+/=]+", "", words)
                    if HAN.search(words):
                        yield f"zh/{path.stem}#{cell['id']} (output)", CODE.sub("", words)


def forbidden(texts: Iterator[tuple[str, str]], language: str, entries: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Where a text says a term in a form that the glossary rules out."""
    field = "never" if language == "zh" else "never_en"
    start, end = ("", "") if language == "zh" else (r"\b", r"\b")
    rules = [
        (re.compile(f"{start}(?:{pattern}){end}", re.IGNORECASE), term[language])
        for term in entries.values()
        for pattern in term.get(field, [])
    ]
    return [
        f"{where}: {found[0]!r}: the glossary says {chosen!r}"
        for where, text in texts
        for pattern, chosen in rules
        for found in pattern.finditer(text)
    ]


def unpaired(pairs: Sequence[tuple[str, str, str]], entries: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Terms of an English lesson that its Chinese lesson does not have, and terms that their lesson does not have.
    Pairs are (lesson, English prose, Chinese prose)."""
    found = []
    for term in entries.values():
        english = re.compile(rf"(?<!\w)(?:{term.get('match', re.escape(term['en']))})", re.IGNORECASE)
        chinese = [term["zh"], *term.get("also", [])]
        where = [lesson for lesson, text, _ in pairs if english.search(text)]
        if term["lesson"] not in [lesson[:2] for lesson in where]:
            found.append(f"lesson {term['lesson']} does not say {term['en']!r}")
        found += [
            f"{lesson}: {term['en']!r} is {term['zh']!r} in the glossary, which the Chinese lesson never says"
            for lesson, _, text in pairs
            if lesson in where and not any(form in text for form in chinese)
        ]
    return found
