"""Minutes are honest: what a lesson states fits what is read and done in it, tables repeat it, and plans add up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from autogradlab.lab import bank
from autogradlab.lab.author import book
from tests.conftest import ROOT

LESSONS = [
    p for p in book.lesson_files() if p.parent.name == "en" and p.stem not in {"00-welcome", "24-for-the-record"}
]
#: what somebody takes who works alone, in minutes: reading at 200 words a minute, then by what a cell asks for
WORDS, PREDICT, RUN, LOOK, STEP, EXERCISE, PUZZLE, QUIZ = 200, 0.5, 0.4, 0.4, 0.8, 5.0, 2.0, 1.5
GUIDES = ["instructors.md", "instructors.zh.md"]


def stated(path: Path) -> int:
    found = re.search(r"\*\*(\d+) (?:minutes|分钟)", book.read(path).cells[0].source)
    assert found, path
    return int(found[1])


def estimated(path: Path) -> float:
    minutes = 0.0
    for cell in book.read(path).cells:
        if cell.cell_type == "markdown":
            minutes += len(re.findall(r"\w+", cell.source)) / WORDS
            continue
        if found := re.match(r'predict\("([^"]+)"', cell.source):
            entry = bank.find(f"{path.stem}/{found[1]}", *bank.ASKED)
            minutes += PREDICT + len(re.findall(r"\w+", entry.say("question") + entry.say("why"))) / WORDS
        role = cell.metadata.autogradlab.role
        minutes += (
            RUN * (role in {"run", "error", "change"}) + LOOK * (role == "look") + STEP * ("lab.step(" in cell.source)
        )
        for call, each in (("check(", EXERCISE), ("parsons(", PUZZLE), ("quiz(", QUIZ)):
            minutes += each * cell.source.startswith(call)
    return minutes


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_a_lesson_takes_the_minutes_that_it_states(path: Path):
    assert 0.75 * stated(path) < estimated(path) < 1.35 * stated(path), estimated(path)
    assert stated(path) == stated(path.parent.parent / "zh" / path.name)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_welcome_lists_them_and_its_paths_add_up(language: str):
    minutes = {int(p.stem[:2]): stated(p) for p in LESSONS}
    text = "\n".join(c.source for c in book.read(LESSONS[0].parent.parent / language / "00-welcome.ipynb").cells)
    rows = re.findall(r"^\| (\d+) \| .* \| (\d+) \|$", text, re.MULTILINE)
    assert {int(number): int(each) for number, each in rows} == minutes
    drawn = text.partition("```text")[2].partition("```")[0]
    totals = [int(n) for n in re.findall(r"(\d+) (?:min|分钟)", drawn)]
    some = [12, 13, 14, 16, 18, 19, 23]
    assert totals == [45, sum(minutes[n] for n in some), sum(minutes[n] for n in range(12, 24)), sum(minutes.values())]
    assert " · ".join(map(str, some)) in drawn
    demonstration = next(line for line in text.splitlines() if line.startswith("| 45 "))
    assert sum(map(int, re.findall(r"[(（](\d+)[)）]", demonstration))) == 45


def plans(guide: str) -> Iterator[tuple[int, list[int], int]]:
    """The length of each plan, its minutes, and the sum that it states; a plan of two halves is two."""
    text = (ROOT / "docs" / guide).read_text(encoding="utf-8")
    for heading, table in re.findall(
        r"^\*\*([^*\n]*\d+ ?(?:minutes|分钟)[^*\n]*)\*\*\n\n((?:\|.*\n)+)", text, re.MULTILINE
    ):
        length = int(re.findall(r"(\d+) ?(?:minutes|分钟)", heading)[0])
        cells = [[cell.strip() for cell in row.strip("|\n").split("|")] for row in table.splitlines()[2:]]
        for column in (0, 2) if "×" in heading else (0,):
            found = [row[column] for row in cells]
            yield length, [int(n) for n in found[:-1]], int(found[-1].strip("*"))


@pytest.mark.parametrize("guide", GUIDES)
def test_plans_add_up(guide: str):
    found = list(plans(guide))
    assert [length for length, _, _ in found] == [45, 90, 180, 180]
    for length, minutes, total in found:
        assert sum(minutes) == total == length


@pytest.mark.parametrize("guide", GUIDES)
def test_a_class_needs_half_as_much_again(guide: str):
    """The guide's minutes of a lesson are one and a half times the lesson's, to the next five."""
    text = (ROOT / "docs" / guide).read_text(encoding="utf-8")
    found = dict(re.findall(r"^### (\d\d) .*\n\*\*(\d+) (?:min|分钟)", text, re.MULTILINE))
    for path in LESSONS:
        assert abs(int(found[path.stem[:2]]) - 1.5 * stated(path)) <= 15, path.stem
    assert found == dict(
        re.findall(
            r"^### (\d\d) .*\n\*\*(\d+) (?:min|分钟)",
            (ROOT / "docs" / GUIDES[0]).read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    )


@pytest.mark.parametrize("guide", GUIDES)
def test_a_misconception_leads_to_a_cell(guide: str):
    """Each thing that they think has a cell that picks it up, of the lesson under whose heading it stands."""
    text = (ROOT / "docs" / guide).read_text(encoding="utf-8")
    sections = re.split(r"^### (\d\d)\b", text, flags=re.MULTILINE)[1:]
    for lesson, words in zip(sections[::2], sections[1::2], strict=True):
        for thought in re.split(r"\*(?:They think|学生以为)\*", words)[1:]:
            cells = re.findall(r"`(\d\d)-[a-z0-9-]+#[a-z0-9-]+`", thought)
            assert "→" in thought and cells and set(cells) == {lesson}, thought
