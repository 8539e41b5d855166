"""Every scenario of the texts prints, under autogradlab, what it prints under torch 2.13."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import need
from tests.scenarios import blocks

HERE = Path(__file__).resolve().parent
FILES = tuple(blocks.files(HERE))
BLOCKS = blocks.read_folder(HERE)


def outcome(module: str, block: blocks.Block) -> str:
    """What the block prints with that module; a block has to run to its end."""
    if "IPython" in block.source:
        pytest.importorskip("IPython")
    result = blocks.run(module, FILES)[block.id]
    assert not result.failure, result.stdout + result.failure
    return result.stdout


@pytest.mark.parametrize("block", BLOCKS, ids=lambda b: b.id)
def test_prints_what_torch_prints(block: blocks.Block) -> None:
    assert outcome("autogradlab", block) == blocks.golden(block.path)[block.id]


@pytest.mark.parity
@pytest.mark.parametrize("block", BLOCKS, ids=lambda b: b.id)
def test_golden_is_what_torch_prints(block: blocks.Block) -> None:
    need("torch")
    assert outcome("torch", block) == blocks.golden(block.path)[block.id]


def test_every_scenario_is_there_once() -> None:
    ids = [block.id for block in BLOCKS]
    assert sorted(ids) == (HERE / "ids.txt").read_text(encoding="utf-8").split()


def test_every_block_has_a_golden_that_says_something() -> None:
    for path in FILES:
        assert list(blocks.golden(path)) == [block.id for block in blocks.read(path)], path.name
        assert all(text.strip() for text in blocks.golden(path).values()), path.name


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
        "os._exit(3)\n",
        encoding="utf-8",
    )
    results = blocks.run("json", (path,))
    assert results["one"].stdout == "UserWarning: mind the gap\n<object object at 0xADDRESS>\n"
    assert "ValueError: no" in results["one"].failure
    assert results["two"] == blocks.Result("False\n", "")
    assert results["three"].failure
