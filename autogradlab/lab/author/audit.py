"""Runs inside a lesson's kernel, after each cell: tries every answer, solution and stub of what the cell has shown.

`autogradlab lessons try` puts it there. Nothing of it reaches a learner.
"""

from __future__ import annotations

from typing import Any

from autogradlab.inspectors.words import say
from autogradlab.lab import bank, check
from autogradlab.lab.answers import plain, read, same
from autogradlab.lab.exercises import Check
from autogradlab.lab.predictions import LETTERS, Asked, Prediction
from autogradlab.lab.puzzles import Parsons
from autogradlab.lab.quizzes import Quiz
from autogradlab.lab.running import library, told

__all__ = ["faults", "latest"]


_seen = 0


def latest(shown: dict[int, Any], space: dict[str, Any]) -> dict[str, Any]:
    """How many things the last cell has shown that can be tried, none or one, and what is wrong with it."""
    global _seen
    number = max(shown, default=0)
    if number <= _seen:
        return {"tried": 0, "faults": []}
    _seen = number
    one = shown[number]
    return {"tried": int(isinstance(one, (Prediction, Quiz, Parsons, Check))), "faults": faults(one, space)}


def faults(shown: Any, space: dict[str, Any]) -> list[str]:
    """What is wrong with a thing that a cell has shown; `space` is the notebook's namespace."""
    torch = library(space)
    try:
        match shown:
            case Prediction():
                return _asked(Asked(shown.asked.entry, shown.asked._answer, torch))
            case Quiz():
                return [fault for asked in shown.asked for fault in _asked(Asked(asked.entry, None, torch))]
            case Parsons():
                return _parsons(shown.entry, torch)
            case Check():
                return _check(shown, space)
    except bank.LessonFault as fault:
        return [str(fault)]
    return []


def _asked(asked: Asked) -> list[str]:
    entry = asked.entry
    truth = asked.compute()
    if entry.kind == "choice":
        right = [asked.is_right(row, truth) for row in asked.choices]
        found = (
            []
            if right.count(True) == 1
            else [say("author.right_choices", count=right.count(True), answer=plain(truth))]
        )
        for letter, row, is_right in zip(LETTERS, asked.choices, right, strict=False):
            if not is_right and not row.get("feedback"):
                found.append(say("author.letter_no_feedback", letter=letter))
    elif entry.kind == "order":
        keys = [row["key"] for row in entry.rows("items")]
        given = [str(k) for k in plain(truth)]
        found = [] if sorted(keys) == sorted(given) else [say("author.no_order", given=given, keys=keys)]
        found += [say("author.listed_in_order")] if keys == given else []
    else:
        found = [
            say("author.foreseen_right", value=r["value"])
            for r in entry.rows("wrong")
            if same(read(r["value"]), read(plain(truth)))
        ]
        if entry.kind == "number" and isinstance(plain(truth), str):
            found.append(say("author.no_number", answer=truth))
    return [f"{entry.key}: {fault}" for fault in found]


def _parsons(entry: bank.Entry, torch: Any) -> list[str]:
    found = []
    puzzle = Parsons(entry, torch)
    if puzzle.arrange(*puzzle.known).state != "done":
        found.append(say("author.own_order_fails", text=puzzle.text))
    if not entry.rows("checks"):
        found.append(say("author.no_checks"))
    if Parsons(entry, torch).arrange().state == "done":
        found.append(say("author.empty_passes"))
    if Parsons(entry, torch).arrange(*((key, 0) for key in puzzle.lines)).state == "done":
        found.append(say("author.shown_passes"))
    for key in puzzle._extra:
        if (
            Parsons(entry, torch).arrange(*puzzle.known, (key, puzzle.known[-1][1])).state == "done"
            and len(puzzle._extra) > 3
        ):
            found.append(say("author.extra_passes", line=puzzle.lines[key]))
    return [f"{entry.key}: {fault}" for fault in found]


def _check(shown: Check, space: dict[str, Any]) -> list[str]:
    entry, found = shown.entry, []
    if shown.state != "untried":
        found.append(say("author.stub_attempt", text=shown.text))
    if not (source := entry.data.get("solution")):
        return [f"{entry.key}: {say('author.no_solution')}"]
    solved = dict(space)
    try:
        exec(compile(source, f"<solution of {entry.name}>", "exec"), solved)
    except Exception as error:
        return [f"{entry.key}: {say('author.solution_raises', error=told(error))}"]
    done = check(entry.key, solved)
    if done.state != "done":
        found.append(say("author.solution_fails", text=done.text))
    unused = set(entry.data.get("properties", {})) - set(done.passed)
    if done.state == "done" and unused:
        found.append(say("author.unused_properties", names=", ".join(sorted(unused))))
    return [f"{entry.key}: {fault}" for fault in found]
