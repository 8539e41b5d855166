"""Lessons as drafts in plain text, and the two languages of a lesson: same code, same outputs,
a translation that is fresh.

A draft has a line `%% id kind key=value ...` before each cell; kind is markdown or code; keys are role, scenarios and
tags (both with commas). The draft of a translation has Markdown cells only: its code comes from the English lesson.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import nbformat

from autogradlab.inspectors.words import say
from autogradlab.lab import copying

from .book import CARD_LANGUAGE, as_stored, execute, normalise, read, root_of

HEAD = re.compile(r"^%% ([a-z0-9-]+) (markdown|code)((?: [a-z]+=[^\s=]+)*)[ \t]*$", re.MULTILINE)
ORIGINAL, TRANSLATIONS = "en", ("zh",)


class DraftError(copying.LessonError):
    """A draft or a pair that does not fit."""


def digest(source: str) -> str:
    """What a translated cell remembers of the cell that it translates."""
    return hashlib.sha256(source.encode()).hexdigest()[:12]


def pack(draft: str) -> Any:
    """The notebook that a draft describes, not yet run."""
    heads = list(HEAD.finditer(draft))
    if not heads or draft[: heads[0].start()].strip():
        raise DraftError(say("author.draft_start"))
    if stray := re.search(r"^%%(?! [a-z0-9-]+ (?:markdown|code)(?: [a-z]+=[^\s=]+)*[ \t]*$) .*$", draft, re.MULTILINE):
        raise DraftError(say("author.draft_stray", line=stray[0]))
    notebook = nbformat.v4.new_notebook()
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        source = draft[head.end() : following.start() if following else None].strip("\n")
        made = nbformat.v4.new_markdown_cell(source) if head[2] == "markdown" else nbformat.v4.new_code_cell(source)
        made["id"] = head[1]
        own: dict[str, Any] = {}
        for field in head[3].split():
            key, _, value = field.partition("=")
            if key == "tags":
                made.metadata["tags"] = value.split(",")
            elif key == "scenarios":
                own[key] = value.split(",")
            else:
                own[key] = value
        if own:
            made.metadata["autogradlab"] = own
        notebook.cells.append(made)
    return notebook


def unpack(notebook: Any) -> str:
    """The draft of a notebook."""
    parts = []
    for cell in notebook.cells:
        own = dict(cell.metadata.get("autogradlab", {}))
        own.pop("source", None)
        fields = [f"{k}={','.join(v) if isinstance(v, list) else v}" for k, v in own.items()]
        if cell.metadata.get("tags"):
            fields.append(f"tags={','.join(cell.metadata['tags'])}")
        parts.append(" ".join(["%%", cell["id"], cell.cell_type, *fields]) + "\n" + cell.source + "\n")
    return "\n".join(parts)


def original(path: Path) -> Path:
    """The English lesson that a lesson translates, or the lesson itself."""
    english = root_of(path) / ORIGINAL / path.name
    translates = path.resolve().parent.name in TRANSLATIONS and english.is_file()
    return english if translates else path


def packed(draft: str, path: Path) -> str:
    """The text of the notebook for `path`; a translation gets its code from the English lesson and its marks anew."""
    notebook = pack(draft)
    if original(path) == path:
        return normalise(notebook)
    words = {cell["id"]: cell for cell in notebook.cells if cell.cell_type == "markdown"}
    return normalise(joined(read(original(path)), words, fresh=words))


def joined(english: Any, words: dict[str, Any], fresh: Collection[str]) -> Any:
    """The translated notebook: code cells and outputs of the original, Markdown by `words`; `fresh` names cells whose
    translation fits the original as it is now."""
    notebook = nbformat.from_dict(english)
    wanted = {cell["id"] for cell in notebook.cells if cell.cell_type == "markdown"}
    if faults := [f"{i}: {say('author.not_translated')}" for i in wanted - set(words)] + [
        f"{i}: {say('author.translates_nothing')}" for i in set(words) - wanted
    ]:
        raise DraftError("\n".join(sorted(faults)))
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            english_source = cell.source
            before = words[cell["id"]].metadata.get("autogradlab", {}).get("source")
            cell.source = words[cell["id"]].source
            mark = digest(english_source) if cell["id"] in fresh else before
            own = dict(cell.metadata.get("autogradlab", {}))
            cell.metadata["autogradlab"] = own | ({"source": mark} if mark else {})
    return notebook


def synced(path: Path, fresh: Collection[str] = ()) -> str:
    """The text of a translated lesson with the code that its original has now, run in its own language."""
    words = {cell["id"]: cell for cell in read(path).cells if cell.cell_type == "markdown"}
    notebook = joined(read(original(path)), words, words if "all" in fresh else fresh)
    return normalise(execute(notebook, path.parent, language=path.resolve().parent.name))


def in_step(ours: Any, theirs: Any) -> bool:
    """Whether a translated code cell is the original one: its code and printed text; only cards are translated."""
    if {**ours, "outputs": []} != {**theirs, "outputs": []} or len(ours.outputs) != len(theirs.outputs):
        return False
    return all(one == other or _cards(one, other) for one, other in zip(ours.outputs, theirs.outputs, strict=True))


def _cards(one: Any, other: Any) -> bool:
    """Whether two outputs are one card in two languages."""
    if one.output_type != other.output_type or set(one.get("data", {})) != set(other.get("data", {})):
        return False
    found = [CARD_LANGUAGE.search("".join(output.get("data", {}).get("text/html", ""))) for output in (one, other)]
    return all(found) and found[0] is not None and found[1] is not None and found[0][1] != found[1][1]


def pair_problems(path: Path) -> list[str]:
    """What is wrong between a translated lesson and its original."""
    if original(path) == path:
        return [say("author.no_english")]
    english, translated = read(original(path)), read(path)
    ids = [(cell["id"], cell.cell_type) for cell in english.cells]
    if ids != [(cell["id"], cell.cell_type) for cell in translated.cells]:
        return [say("author.other_cells")]
    found = []
    for ours, theirs in zip(translated.cells, english.cells, strict=True):
        if ours.cell_type == "code" and not in_step(ours, theirs):
            found.append(f"{ours['id']}: {say('author.out_of_step')}")
        elif ours.cell_type == "markdown":
            mark = ours.metadata.get("autogradlab", {}).get("source")
            if mark != digest(theirs.source):
                found.append(f"{ours['id']}: {say('author.stale')}")
            if ours.source == theirs.source and re.search(r"[a-z]{4}.* [a-z]{3}", ours.source):
                found.append(f"{ours['id']}: {say('author.not_translated')}")
    return found


def missing_translations(lessons: Path | None = None) -> list[str]:
    """English lessons without a translation, and translations of nothing."""
    lessons = lessons or copying.lessons_folder()
    names = {lang: {p.name for p in (lessons / lang).glob("*.ipynb")} for lang in (ORIGINAL, *TRANSLATIONS)}
    missing = [f"{lang}/{name}" for lang in TRANSLATIONS for name in sorted(names[ORIGINAL] - names[lang])]
    missing += [f"{ORIGINAL}/{name}" for lang in TRANSLATIONS for name in sorted(names[lang] - names[ORIGINAL])]
    return [say("author.lesson_missing", name=name) for name in missing]


def store(path: Path, text: str) -> bool:
    """Write a notebook if it differs; whether it did."""
    before = path.read_text(encoding="utf-8") if path.is_file() else None
    if before != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return before != text


__all__ = [
    "DraftError",
    "as_stored",
    "digest",
    "missing_translations",
    "original",
    "pack",
    "packed",
    "pair_problems",
    "store",
    "synced",
    "unpack",
]
