"""Sentences: their marks (`code`, **strong**), how wide they are, and where their lines break. No browser is asked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

__all__ = [
    "Run",
    "added",
    "clean",
    "cleaned",
    "code",
    "columns",
    "fit",
    "fit_end",
    "fit_within",
    "led",
    "plain",
    "runs",
    "width",
    "wrap",
]

Style = Literal["", "code", "strong"]


class Run(NamedTuple):
    """Text in one style."""

    text: str
    style: Style = ""


#: asterisks beside names and brackets are Python's powers, not marks
_MARKS = re.compile(r"`([^`]+)`|(?<![A-Za-z0-9_)\]*])\*\*(?=[^\s*])((?:(?!\*\*)[^`])+?)(?<=\S)\*\*(?![A-Za-z0-9_(\[*])")
#: What XML cannot hold: control characters and lone surrogates.
_UNSPEAKABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


#: What makes a text read otherwise than it runs: it turns the direction of writing, breaks lines or shows nothing.
#: (Joiners, U+200C and U+200D, belong to the spelling of languages.)
_HIDDEN = re.compile("\r(?!\n)|[\x80-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def clean(text: str) -> str:
    """The text with the characters that no XML document may hold shown as �, and those that turn its direction, or
    that nobody sees, by their numbers, as ‹U+202E›."""
    return _HIDDEN.sub(lambda found: f"‹U+{ord(found[0]):04X}›", _UNSPEAKABLE.sub("\ufffd", text))


def cleaned(data: Any) -> Any:
    """The same for all texts in plain data."""
    if isinstance(data, str):
        return clean(data)
    if isinstance(data, dict):
        return {cleaned(key): cleaned(value) for key, value in data.items()}
    return [cleaned(one) for one in data] if isinstance(data, (list, tuple)) else data


def code(text: str) -> str:
    """Text as code; backquotes of its own would end it, so they become primes."""
    return f"`{text.replace('`', '′')}`"


def runs(text: str) -> list[Run]:
    """The text by its marks: "say `x`" is [Run("say "), Run("x", "code")]."""
    found: list[Run] = []
    last = 0
    for mark in _MARKS.finditer(text):
        found.append(Run(text[last : mark.start()]))
        found.append(Run(mark[1], "code") if mark[1] is not None else Run(mark[2], "strong"))
        last = mark.end()
    found.append(Run(text[last:]))
    return [run for run in found if run.text]


def led(lead: str) -> str:
    """First words that stand out, with what is between them and the rest: after a Chinese colon, nothing."""
    return f"{lead} " if lead and not lead.endswith("：") else lead


def plain(text: str) -> str:
    """The text as it is read aloud: without its marks."""
    return "".join(run.text for run in runs(text))


def columns(text: str) -> int:
    """How many columns a terminal gives the text: Chinese characters take two, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


#: Widths of characters in a wide sans-serif, in ems: where the real font is narrower, a little room is left.
_WIDTHS = {
    c: em
    for em, chars in {
        0.33: " ijl.,:;'|!`",
        0.42: 'ft()[]{}/\\-r"',
        0.56: "cksvxyzJ_*",
        0.68: "ABCEFKLPRSTVXYZ",
        0.76: "DGHNOQU",
        0.86: "mwM",
        0.96: "W@%—…→←↔",
    }.items()
    for c in chars
}
_MONO, _SANS = 0.605, 0.615


def added(values: Iterable[float]) -> float:
    """The sum from left to right in every Python: `sum` rounds floats in another way since 3.12."""
    total = 0.0
    for value in values:
        total += value
    return total


def width(text: str, size: float, mono: bool = False, bold: bool = False) -> float:
    """About how many pixels the text takes, rather more than less."""
    total = 0.0
    for c in text:
        if c < "\u1100":
            total += _MONO if mono else _WIDTHS.get(c, _SANS)
        elif unicodedata.east_asian_width(c) in "WF":
            total += 1.0
        elif not unicodedata.combining(c):
            total += max(_MONO, _WIDTHS.get(c, _SANS))
    return total * size * (1.13 if bold and not mono else 1.0)


def fit(text: str, room: float, size: float, mono: bool = False, bold: bool = False) -> str:
    """The text, cut with an ellipsis where it takes more than `room` pixels."""
    if width(text, size, mono, bold) <= room:
        return text
    while text and width(text + "…", size, mono, bold) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def fit_within(text: str, room: float, size: float, mono: bool = False, bold: bool = False) -> str:
    """The same, cut in the middle: expressions that begin alike are told apart by their ends."""
    kept = len(text)
    cut = text
    while kept > 2 and width(cut, size, mono, bold) > room:
        kept -= 1
        head, tail = text[: kept // 2], text[len(text) - (kept + 1) // 2 :]
        cut = f"{head.rstrip(' .([{')}…{tail.lstrip(' )]}')}"  # no bracket without its other half
    return cut


def fit_end(text: str, room: float, size: float, mono: bool = False) -> str:
    """The same, cut at its beginning: of a parameter of a model the end says which it is."""
    cut = text
    while len(cut) > 2 and width(cut, size, mono) > room:
        cut = f"…{cut[2:]}"
    return cut


_ATOMS = re.compile(
    r"\s+|[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f\uac00-\ud7af]|[^\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f\uac00-\ud7af]+"
)
_NOT_FIRST = set("，。、；：？！）」』】》”’…—%％,.;:?!)]}")
_NOT_LAST = set("（「『【《“‘([{")


def wrap(pieces: Iterable[Run], room: float, size: float, bold: bool = False, mono: bool = False) -> list[list[Run]]:
    """The lines into which runs break so that each is at most `room` pixels wide; punctuation stays with its word."""
    lines: list[list[Run]] = [[]]
    used = 0.0
    gap: Run | None = None
    for word in _words(pieces):
        if word[0].text.isspace():
            if "\n" in word[0].text:
                lines.append([])
                used, gap = 0.0, None
            else:
                gap = Run(" ", word[0].style)
            continue
        wide = added(_run_width(run, size, bold, mono) for run in word)
        space = _run_width(gap, size, bold, mono) if gap else 0.0
        if lines[-1] and used + space + wide > room:
            lines.append([])
            used, gap, space = 0.0, None, 0.0
        if gap and lines[-1]:
            _put(lines[-1], gap)
            used += space
        gap = None
        for run in word:
            for part in _cut(run, room, room - used, size, bold, mono):
                part_width = _run_width(part, size, bold, mono)
                if lines[-1] and used + part_width > room:
                    lines.append([])
                    used = 0.0
                _put(lines[-1], part)
                used += part_width
    return [line for line in lines if line] or [[]]


def _run_width(run: Run, size: float, bold: bool, mono: bool) -> float:
    code = mono or run.style == "code"
    return width(
        run.text, size * 0.93 if run.style == "code" and not mono else size, code, bold or run.style == "strong"
    )


def _put(line: list[Run], run: Run) -> None:
    if line and line[-1].style == run.style:
        line[-1] = Run(line[-1].text + run.text, run.style)
    else:
        line.append(run)


def _words(pieces: Iterable[Run]) -> list[list[Run]]:
    """Runs by the places where a line may break: each list stays together; a space is a list of its own."""
    words: list[list[Run]] = []
    glued = False
    before = ""
    for piece in pieces:
        for atom in _ATOMS.findall(piece.text):
            if atom.isspace():
                words.append([Run(atom, piece.style)])
                glued, before = False, ""
                continue
            wide = len(atom) == 1 and atom > "\u2e7f"
            joins = glued and (atom[0] in _NOT_FIRST or before in _NOT_LAST or not (wide or before > "\u2e7f"))
            if joins:
                words[-1].append(Run(atom, piece.style))
            else:
                words.append([Run(atom, piece.style)])
            glued, before = True, atom[-1]
    return words


def _cut(run: Run, room: float, rest: float, size: float, bold: bool, mono: bool) -> list[Run]:
    """A run that is wider than a whole line, in parts that are not."""
    if _run_width(run, size, bold, mono) <= max(room, 1.0):
        return [run]
    parts, part = [], ""
    limit = rest if rest > room / 2 else room
    for c in run.text:
        if part and _run_width(Run(part + c, run.style), size, bold, mono) > limit:
            parts.append(Run(part, run.style))
            part, limit = "", room
        part += c
    return [*parts, Run(part, run.style)]
