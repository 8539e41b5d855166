"""Tests by turns: each case has its turn, all run when asked for, and workers run the same ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import turns
from tests.conftest import ROOT
from tests.test_parallel import bare

TESTS = """
import pytest

@pytest.mark.turns(3)
@pytest.mark.parametrize("n", range(7))
def test_cases(n):
    print("ran", n)

@pytest.mark.parametrize("n", range(2))
def test_always(n):
    print("ran always", n)
"""


TOGETHER = """
import pytest

pytestmark = pytest.mark.turns(3, 1)

@pytest.mark.turns(2)
@pytest.mark.parametrize("n", range(4))
def test_both(n):
    print("ran both", n)

def test_one():
    print("ran one")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "made_up").mkdir()
    (tmp_path / "made_up" / "test_one.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "conftest.py").write_text(
        f"import sys; sys.path.append({str(ROOT)!r})\npytest_plugins = ['tests.turns']\n", encoding="utf-8"
    )
    return tmp_path


def ran(folder: Path, turn: str | None, *arguments: str) -> tuple[list[str], str]:
    """The cases of the made-up tests that ran, and all that pytest said."""
    environment = bare({"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    environment.pop(turns.TURN, None)
    if turn is not None:
        environment[turns.TURN] = turn
    plugins = ("-p", "no:cacheprovider", "-p", "xdist.plugin", "--strict-markers")
    command = [sys.executable, "-m", "pytest", "-q", "-rP", *plugins, "--rootdir", ".", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    said = done.stdout + done.stderr
    return sorted(line.removeprefix("ran ") for line in said.splitlines() if line.startswith("ran ")), said


def test_after_a_round_all_have_run(folder: Path):
    pytest.importorskip("xdist")
    rounds = [ran(folder, str(turn), "made_up")[0] for turn in (30, 31, 32)]
    assert rounds == [[*cases, "always 0", "always 1"] for cases in (["0", "3", "6"], ["1", "4"], ["2", "5"])]
    assert ran(folder, "31", "-n", "2", "made_up")[0] == rounds[1]


def test_who_asks_for_all_or_names_a_file_gets_all(folder: Path):
    pytest.importorskip("xdist")
    everything = [*map(str, range(7)), "always 0", "always 1"]
    assert ran(folder, "all", "made_up")[0] == everything
    assert ran(folder, None, "made_up/test_one.py")[0] == everything
    assert len(ran(folder, None, "made_up")[0]) in {4, 5}  # the day's


def test_files_take_turns_whole_and_their_cases_too(folder: Path):
    pytest.importorskip("xdist")
    (folder / "made_up" / "test_one.py").write_text(TOGETHER, encoding="utf-8")
    assert [ran(folder, str(turn), "made_up")[0] for turn in range(3)] == [[], ["both 1", "both 3", "one"], []]
    assert ran(folder, "4", "made_up")[0] == ["both 0", "both 2", "one"]


def test_a_turn_is_a_number(folder: Path):
    pytest.importorskip("xdist")
    assert "AUTOGRADLAB_TURN is a number or 'all', not 'second'" in ran(folder, "second", "made_up")[1]
