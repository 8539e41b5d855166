"""Every scenario of the texts is among the programs (tests/test_programs.py runs them),
and their runner sees what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios import blocks

HERE = Path(__file__).resolve().parent
BLOCKS = blocks.read_folder(HERE)


def test_every_scenario_is_there_once() -> None:
    ids = [block.id for block in BLOCKS]
    assert sorted(ids) == (HERE / "ids.txt").read_text(encoding="utf-8").split()


def test_a_wrong_answer_is_seen(tmp_path: Path) -> None:
    """The runner reports prints, warnings, errors and a fresh state: it does not pass by silence."""
    path = tmp_path / "made_up.py"
    path.write_text(
        "import os, sys, warnings\n"
        "#% one: sets a flag and fails\n"
        "sys.flag = 1\nwarnings.warn('mind the gap')\nprint(object())\nraise ValueError('no')\n"
        "#% two: does not see the flag\n"
        "print(hasattr(sys, 'flag'))\n"
        "#% three: dies\n"
        "os._exit(3)\n"
        "#% four: comes after a death\n"
        "os.write(1, b'past sys.stdout'); print('here')\n",
        encoding="utf-8",
    )
    runner = blocks.Runner("json")
    results = {block.id: runner.run(block) for block in blocks.read(path)}
    runner.close()
    assert results["one"].stdout == "UserWarning: mind the gap\n<object object at 0xADDRESS>\n"
    assert "ValueError: no" in results["one"].failure
    assert results["two"] == blocks.Result("False\n", "")
    assert results["three"].failure
    assert results["four"] == blocks.Result("here\n", "")


def test_a_runner_that_fails_says_why() -> None:
    runner = blocks.Runner("no_such_module")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="No module named 'no_such_module'"):
            runner.run(BLOCKS[0])
    runner.close()
