"""Tests by turns: cases that ask the same of many lessons or surroundings, and take seconds each, run a share a day.

``@pytest.mark.turns(5)`` on a parametrized test lets every fifth of its cases run, another fifth each day, so that all
have run after five days. ``turns(3, 0)`` lets all that bears the mark run together, on one day of three: a file whose
tests share what is slow to set up. ``AUTOGRADLAB_TURN=all`` runs all of them, ``AUTOGRADLAB_TURN=3`` those of turn 3;
who names a file gets the whole of it.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path

import pytest

TURN = "AUTOGRADLAB_TURN"
ALL = "all"
DAY_SECONDS = 86_400


def pytest_configure(config: pytest.Config) -> None:
    """The turn is settled before workers start, so that all have the same."""
    config.addinivalue_line("markers", "turns(n): of a parametrized test every n-th case runs, by the day")
    config.addinivalue_line("markers", "turns(n, k): all that bears it runs on the same of n days")
    if not os.environ.get(TURN):
        named = [Path(argument.partition("::")[0]) for argument in config.args]
        os.environ[TURN] = ALL if all(path.is_file() for path in named) else str(int(time.time()) // DAY_SECONDS)
    if os.environ[TURN] != ALL and not os.environ[TURN].isdecimal():
        raise pytest.UsageError(f"{TURN} is a number or {ALL!r}, not {os.environ[TURN]!r}")


def everything() -> bool:
    """Whether all that takes turns runs: once a week, or where a file was named."""
    return os.environ.get(TURN, ALL) == ALL


def pytest_report_header() -> str | None:
    turn = os.environ[TURN]
    return None if turn == ALL else f"turn: {turn} (some tests run a share of their cases a day; {TURN}=all runs all)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    turn = os.environ[TURN]
    if turn == ALL:
        return
    seen: Counter[str] = Counter()
    kept, left = [], []
    for item in items:
        test = item.nodeid.partition("[")[0]
        due = True
        for mark in item.iter_markers("turns"):
            days, together = mark.args[0], mark.args[1:]
            position = together[0] if together else seen[test]
            due = due and position % days == int(turn) % days
        seen[test] += 1
        (kept if due else left).append(item)
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = kept
