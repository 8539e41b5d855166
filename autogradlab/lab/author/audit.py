"""Runs inside a lesson's kernel, after each cell: tries every answer, solution and stub of what the cell has shown.

`autogradlab lessons try` puts it there. Nothing of it reaches a learner.
"""

from __future__ import annotations

from typing import Any

from autogradlab.lab import bank, check
from autogradlab.lab.answers import plain, read, same
from autogradlab.lab.exercises import Check
from autogradlab.lab.predictions import LETTERS, Asked, Prediction
from autogradlab.lab.puzzles import Parsons
from autogradlab.lab.quizzes import Quiz
from autogradlab.lab.running import library

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
        found = [] if right.count(True) == 1 else [f"{right.count(True)} choices say the answer {plain(truth)!r}"]
        for letter, row, is_right in zip(LETTERS, asked.choices, right, strict=False):
            if not is_right and not row.get("feedback"):
                found.append(f"the wrong choice {letter} has no feedback")
    elif entry.kind == "order":
        keys = [row["key"] for row in entry.rows("items")]
        given = [str(k) for k in plain(truth)]
        found = [] if sorted(keys) == sorted(given) else [f"the answer {given} is not an order of {keys}"]
        found += ["the items are listed in the right order"] if keys == given else []
    else:
        found = [
            f"{r['value']!r} is foreseen as wrong but is right"
            for r in entry.rows("wrong")
            if same(read(r["value"]), read(plain(truth)))
        ]
        if entry.kind == "number" and isinstance(plain(truth), str):
            found.append(f"the answer {truth!r} is no number")
    return [f"{entry.key}: {fault}" for fault in found]


def _parsons(entry: bank.Entry, torch: Any) -> list[str]:
    found = []
    puzzle = Parsons(entry, torch)
    if puzzle.arrange(*puzzle.known).state != "done":
        found.append(f"its own order fails: {puzzle.text}")
    if not entry.rows("checks"):
        found.append("it has no checks")
    if Parsons(entry, torch).arrange().state == "done":
        found.append("an empty program passes")
    if Parsons(entry, torch).arrange(*((key, 0) for key in puzzle.lines)).state == "done":
        found.append("the order in which the lines are shown passes")
    for key in puzzle._extra:
        if (
            Parsons(entry, torch).arrange(*puzzle.known, (key, puzzle.known[-1][1])).state == "done"
            and len(puzzle._extra) > 3
        ):
            found.append(f"{puzzle.lines[key]!r} passes as a last line")
    return [f"{entry.key}: {fault}" for fault in found]


def _check(shown: Check, space: dict[str, Any]) -> list[str]:
    entry, found = shown.entry, []
    if shown.state != "untried":
        found.append(f"the stub counts as an attempt: {shown.text}")
    if not (source := entry.data.get("solution")):
        return [f"{entry.key}: there is no solution"]
    solved = dict(space)
    try:
        exec(compile(source, f"<solution of {entry.name}>", "exec"), solved)
    except Exception as error:
        return [f"{entry.key}: its solution raises {type(error).__name__}: {error}"]
    done = check(entry.key, solved)
    if done.state != "done":
        found.append(f"its solution does not pass: {done.text}")
    unused = set(entry.data.get("properties", {})) - set(done.passed)
    if done.state == "done" and unused:
        found.append(f"properties that the check never asks for: {', '.join(sorted(unused))}")
    return [f"{entry.key}: {fault}" for fault in found]
