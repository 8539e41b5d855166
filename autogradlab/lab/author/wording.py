"""The words of lessons: entries of questions are complete in both languages, code names
and links exist, headings do not jump, pictures have words."""

from __future__ import annotations

import ast
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from autogradlab.inspectors.words import say
from autogradlab.lab import copying

from .book import read, root_of
from .pairs import original

__all__ = [
    "emphasis_problems",
    "heading_problems",
    "link_problems",
    "name_problems",
    "punctuation_problems",
    "question_problems",
    "used_problems",
]

LANGUAGES = ("en", "zh")
WORDS = {"question", "why", "success"}
COMMON = {"kind", "question", "why", "code", "recalls"}
FIELDS = {
    "choice": COMMON | {"answer", "choices", "error"},
    "number": COMMON | {"answer", "wrong"},
    "tensor": COMMON | {"answer", "wrong"},
    "text": COMMON | {"answer", "wrong", "error"},
    "order": COMMON | {"answer", "items"},
    "quiz": {"kind", "questions"},
    "parsons": COMMON | {"setup", "indent", "lines", "distractors", "checks", "success", "hints"},
    "exercise": COMMON | {"solution", "success", "properties", "hints", "stub", "mistakes"},
}
NEEDED = {
    "choice": {"question", "choices"},
    "number": {"question"},
    "tensor": {"question"},
    "text": {"question"},
    "order": {"question", "items"},
    "quiz": {"questions"},
    "parsons": {"question", "lines", "checks"},
    "exercise": {"question", "solution", "properties", "hints"},
}
CALLS = {
    "predict": {"choice", "number", "tensor", "text", "order"},
    "quiz": {"quiz"},
    "parsons": {"parsons"},
    "check": {"exercise"},
    "hint": {"exercise", "parsons"},
    "solution": {"exercise", "parsons"},
}


def tables(lessons: Path | None = None) -> dict[str, dict[str, Any]]:
    """The entries of each lesson's file of questions."""
    lessons = lessons or copying.lessons_folder()
    files = sorted((lessons / "questions").glob("*.toml"))
    return {path.stem: _table(path) for path in files}


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise copying.LessonError(say("cli.not_usable", path=path, reason=error)) from error


def problems(path: Path, every: dict[str, dict[str, Any]], languages: Sequence[str] = LANGUAGES) -> list[str]:
    """All that is wrong with the words of one lesson; `every` has the entries of all lessons of the course."""
    notebook = read(path)
    found = (
        heading_problems(notebook) + link_problems(path) + emphasis_problems(notebook) + punctuation_problems(notebook)
    )
    if original(path) == path:
        found += question_problems(path.stem, every.get(path.stem, {}), every, languages) + used_problems(path, every)
    return found


# -- questions ---------------------------------------------------------------------------------------------------------


def question_problems(
    stem: str, entries: dict[str, Any], every: dict[str, dict[str, Any]], languages: Sequence[str] = LANGUAGES
) -> list[str]:
    """What is wrong with the entries of one lesson; `every` has those of all lessons."""
    return [
        f"{stem}/{name}: {fault}"
        for name, entry in entries.items()
        for fault in (*_entry(stem, name, entry, every), *_words(entry, languages))
    ]


def _entry(stem: str, name: str, entry: dict[str, Any], every: dict[str, dict[str, Any]]) -> Iterator[str]:
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        yield say("author.name_words")
    kind = entry.get("kind")
    if kind not in FIELDS:
        yield say("author.wrong_kind", kind=kind, known=", ".join(FIELDS))
        return
    for field in sorted(set(entry) - FIELDS[kind]):
        yield say("author.no_field", kind=kind, field=field)
    for field in sorted(NEEDED[kind] - set(entry)):
        yield say("author.missing", field=field)
    yield from _python(entry)
    if kind == "choice":
        yield from _choices(entry)
    if kind in {"exercise"} and len(entry.get("hints", [])) != 3:
        yield say("author.hints", count=len(entry.get("hints", [])))
    if kind == "quiz":
        yield from _quiz(stem, entry, every)


def _words(entry: dict[str, Any], languages: Sequence[str]) -> Iterator[str]:
    """What is wrong with the words of an entry, in each of the course's languages."""
    for field in sorted(WORDS & set(entry)):
        yield from _each(entry[field], field, languages)
    for field in ("choices", "items", "wrong", "hints", "distractors", "checks"):
        for number, row in enumerate(entry.get(field, []), 1):
            if field != "choices" or set(LANGUAGES) & set(row):
                yield from _each({k: row[k] for k in LANGUAGES if k in row}, f"{field} {number}", languages)
            if "feedback" in row:
                yield from _each(row["feedback"], f"feedback of {field} {number}", languages)
    for field in ("properties", "mistakes"):
        for key, words in entry.get(field, {}).items():
            yield from _each(words, f"{field}.{key}", languages)


def _each(words: Any, field: str, languages: Sequence[str]) -> Iterator[str]:
    if not isinstance(words, dict) or not set(languages) <= set(words) <= set(LANGUAGES):
        key = "author.not_in_both" if len(languages) > 1 else "author.not_in_language"
        yield say(key, field=field, lang=languages[0])
        return
    for language in words:
        if not str(words[language]).strip():
            yield say("author.field_empty", field=f"{field}.{language}")
        if re.search(r"(?<![*\w)\]])\*[^\s*]", CODE.sub("", str(words[language])).replace("**", "")):
            yield say("author.single_star", field=f"{field}.{language}")
    if re.search(r"[㐀-鿿]", str(words.get("en", ""))):
        yield say("author.is_chinese", field=f"{field}.en")
    prose = CODE.sub("", str(words.get("zh", "")))
    yield from (say("author.field_half_width", field=f"{field}.zh", found=m) for m in HALF_WIDTH.findall(prose))
    if re.search(r"[A-Za-z]{3,} [A-Za-z]{2,} [A-Za-z]{2,}", prose) and not re.search(r"[㐀-鿿]", prose):
        yield say("author.is_not_chinese", field=f"{field}.zh")


def _python(entry: dict[str, Any]) -> Iterator[str]:
    for field in ("answer", "solution", "setup"):
        if field in entry:
            try:
                ast.parse(entry[field])
            except SyntaxError as error:
                yield say("author.no_python", field=field, error=error)


def _choices(entry: dict[str, Any]) -> Iterator[str]:
    rows = entry.get("choices", [])
    if len(rows) < 2:
        yield say("author.few_choices")
    typed = sum("right" in row for row in rows)
    if typed and "answer" in entry:
        yield say("author.answered_twice")
    if typed > 1 or (typed and any("value" in row or "error" in row for row in rows)):
        yield say("author.many_right")
    if sum("feedback" in row for row in rows) < len(rows) - 1:
        yield say("author.no_feedback")


def _quiz(stem: str, entry: dict[str, Any], every: dict[str, dict[str, Any]]) -> Iterator[str]:
    questions = [q if "/" in q else f"{stem}/{q}" for q in entry.get("questions", [])]
    if len(questions) != 3:
        yield say("author.quiz_length", count=len(questions))
    earlier = 0
    for question in questions:
        lesson, _, name = question.rpartition("/")
        found = [s for s in every if (s == lesson or s.startswith(f"{lesson}-")) and name in every[s]]
        if not found:
            yield say("author.no_question", name=question)
            continue
        if (row := every[found[0]][name]).get("kind") not in CALLS["predict"] - {"order"}:
            yield say("author.no_quiz_kind", name=question, kind=row.get("kind"))
        elif "answer" not in row and not any("right" in r for r in row.get("choices", [])):
            yield say("author.no_own_answer", name=question)
        earlier += found[0] < stem
        if old := row.get("recalls"):
            number, _, before = old.partition("/")
            there = [s for s in every if s.startswith(f"{number}-") and s < stem and before in every[s]]
            earlier += bool(there)
            if not there:
                yield say("author.recalls_nothing", name=question, old=old)
    if not earlier and any(s < stem and _asks(every[s]) for s in every):
        yield say("author.no_recall")


def _asks(entries: dict[str, Any]) -> bool:
    return any(e.get("kind") in CALLS["predict"] for e in entries.values())


# -- what the cells use ------------------------------------------------------------------------------------------------


def _homes(lesson: str, question: str, every: dict[str, dict[str, Any]]) -> list[str]:
    return [s for s in every if question in every[s] and (not lesson or s == lesson or s.startswith(f"{lesson}-"))]


def _calls(notebook: Any) -> dict[str, list[str]]:
    """The names that cells give to predict, quiz, parsons, check, hint and solution."""
    found: dict[str, list[str]] = {name: [] for name in CALLS}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        try:
            tree = ast.parse(re.sub(r"^\s*[%!].*$", "", cell.source, flags=re.MULTILINE))
        except SyntaxError:  # a cell that shows a mistake
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in found:
                found[node.func.id] += [str(a.value) for a in node.args[:1] if isinstance(a, ast.Constant)]
    return found


def used_problems(path: Path, every: dict[str, dict[str, Any]]) -> list[str]:
    """Calls of questions that are not there, entries that no cell uses, and exercises without help or judge."""
    calls = _calls(read(path))
    stem, found = path.stem, []
    mine = every.get(stem, {})
    for call, names in calls.items():
        for name in names:
            lesson, _, question = name.rpartition("/")
            known = every
            homes = _homes(lesson, question, known)
            if not homes:  # a course of one's own may ask what the shipped lessons ask
                known = tables()
                homes = _homes(lesson, question, known)
            if len(homes) != 1:
                fault = say("author.several_homes", where=", ".join(homes)) if homes else say("author.no_entry")
                found.append(f"{call}({name!r}): {fault}")
            elif known[homes[0]][question].get("kind") not in CALLS[call]:
                kind = known[homes[0]][question].get("kind")
                found.append(f"{call}({name!r}): {say('author.entry_kind', kind=kind)}")
    asked = {
        q.rpartition("/")[2]
        for e in mine.values()
        if e.get("kind") == "quiz"
        for q in e.get("questions", [])
        if "/" not in q
    }
    called = {n.rpartition("/")[2] for names in calls.values() for n in names}
    found += [f"{name}: {say('author.not_asked')}" for name in mine if name not in asked | called]
    for name, entry in mine.items():
        if entry.get("kind") == "exercise":
            named = {name, f"{stem}/{name}", f"{stem.partition('-')[0]}/{name}"} & set(calls["check"])
            found += [f"{name}: {say('author.not_checked', name=name)}"] * (not named)
    found += [say("author.help_unasked", call=c) for c in ("hint", "solution") if calls[c]]
    judges = root_of(path) / "checks" / f"{stem}.py"
    wanted = {n.replace("-", "_") for n, e in mine.items() if e.get("kind") == "exercise"}
    there = set()
    if judges.is_file():
        try:
            body = ast.parse(judges.read_text(encoding="utf-8")).body
        except SyntaxError as error:
            return [*found, say("author.no_python", field=f"checks/{judges.name}", error=error)]
        there = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    file, idle = f"checks/{judges.name}", [name for name in there - wanted if not name.startswith("_")]
    found += [say("author.no_function", file=file, name=name) for name in sorted(wanted - there)]
    found += [say("author.checks_nothing", file=file, name=name) for name in sorted(idle)]
    return found


# -- Markdown ----------------------------------------------------------------------------------------------------------

CODE = re.compile(r"`[^`]*`|\$[^$\n]+\$")
#: a comma, colon or bracket of English beside a Chinese character, what ends a line or a table's cell that has some,
#: and a comma that joins formulas, `x = 1,y = 2`, where a tuple would have a space, a figure or its end
HALF_WIDTH = re.compile(
    r"[㐀-鿿]\**[,;:?!()]|[,;:?!()]\**[㐀-鿿]|[㐀-鿿][^\n]*[?!](?=\s*(?:\||$))|,(?=[^\s\d)\]\"'”’])", re.MULTILINE
)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#{1,6}) +(.+?)\s*$", re.MULTILINE)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)[^)]*\)")


def markdown(notebook: Any) -> Iterator[tuple[str, str]]:
    """The Markdown cells, without blocks of code."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield cell["id"], FENCED.sub("", cell.source)


def heading_problems(notebook: Any) -> list[str]:
    """One first heading of the first level, and no level left out on the way down."""
    found, last = [], 0
    for id, text in markdown(notebook):
        for marks, words in HEADING.findall(text):
            level = len(marks)
            if level == 1 and last:
                found.append(f"{id}: {say('author.second_heading', words=words)}")
            if level > last + 1:
                found.append(f"{id}: {say('author.heading_jump', level=level, last=last, words=words)}")
            last = level
    return found or ([] if last else [say("author.no_heading")])


def emphasis_problems(notebook: Any) -> list[str]:
    """Stars that are shown as stars: `**猜：**它` is no emphasis, since the stars that close it stand after a
    punctuation mark and before a word (CommonMark's rule of flanking)."""
    found = []
    for id, text in markdown(notebook):
        for part in re.split(r"\n\s*\n|^\s*[*-] ", CODE.sub("`x`", text), flags=re.MULTILINE):
            waiting: list[str] = []
            stray = False
            for stars in re.finditer(r"\*+", part):
                before, after = part[: stars.start()][-1:] or " ", part[stars.end() :][:1] or " "
                marks = [unicodedata.category(c)[0] in "PS" for c in (before, after)]
                opens = not after.isspace() and (not marks[1] or before.isspace() or marks[0])
                closes = not before.isspace() and (not marks[0] or after.isspace() or marks[1])
                if closes and waiting and waiting[-1] == stars[0]:
                    waiting.pop()
                elif opens:
                    waiting.append(stars[0])
                elif closes:
                    stray = True
            if waiting or stray:
                found.append(f"{id}: {say('author.stars', words=part.strip()[:60])}")
    return found


def punctuation_problems(notebook: Any) -> list[str]:
    """Half-width punctuation beside Chinese characters."""
    return [
        f"{id}: {say('author.half_width', found=found)}"
        for id, text in markdown(notebook)
        for found in HALF_WIDTH.findall(re.sub(r"\]\([^)]*\)", "]", CODE.sub("", text)))
    ]


def link_problems(path: Path) -> list[str]:
    """Links and pictures that are not there, and pictures without words."""
    notebook, found = read(path), []
    anchors = {words.replace(" ", "-") for _, text in markdown(notebook) for _, words in HEADING.findall(text)}
    for id, text in markdown(notebook):
        if re.search(r"<img(?![^>]*\balt=\"[^\"]+\")", text):
            found.append(f"{id}: {say('author.picture_no_words')}")
        for picture, words, target in LINK.findall(re.sub(r"`[^`]*`", "", text)):
            file, _, anchor = target.partition("#")
            if not words.strip():
                key = "author.picture_no_words_for" if picture else "author.link_no_words"
                found.append(f"{id}: {say(key, target=target)}")
            if re.match(r"https?://", target):
                if not re.match(r"https://[\w-]+(\.[\w-]+)+(/|$)", target):
                    found.append(f"{id}: {say('author.not_https', target=target)}")
            elif target.startswith("attachment:"):
                found.append(f"{id}: {say('author.attachment')}")
            elif file and not (path.parent / file).is_file():
                found.append(f"{id}: {say('author.no_file', file=file)}")
            elif not file and anchor not in anchors:
                found.append(f"{id}: {say('author.no_anchor', anchor=anchor)}")
    return found


def name_problems(notebook: Any, torch: Any, absent: set[str]) -> list[str]:
    """Code names in prose, `torch.…`, that are not in the library;
    `absent` are those that lessons show to be missing."""
    found = []
    for id, text in markdown(notebook):
        for name in re.findall(r"`(?:\w+ = )?(torch(?:\.\w+)+)", text):
            at = torch
            for part in name.split(".")[1:]:
                at = getattr(at, part, None) if at is not None else None
            if at is None and name not in absent:
                found.append(f"{id}: {say('author.no_name', name=name)}")
    return found
