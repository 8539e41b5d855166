"""Programs print, under autogradlab, what they print under torch 2.13: the scenarios of the texts, those about
autograd's tools, and those of learners."""

from __future__ import annotations

import pytest

from tests import recorded, turns
from tests.conftest import ROOT, need
from tests.scenarios import blocks

FOLDERS = {name: blocks.files(ROOT / "tests" / name) for name in recorded.PROGRAMS}
BLOCKS = [
    pytest.param(block, id=f"{name}/{block.id}")
    for name, files in FOLDERS.items()
    for path in files
    for block in blocks.read(path)
]


def outcome(module: str, block: blocks.Block) -> str:
    """What the block prints with that module; a block has to run to its end. What autogradlab loads late is loaded late
    where all runs, and beforehand on other days."""
    if "IPython" in block.source:
        pytest.importorskip("IPython")
    result = blocks.run(module, block, whole=not turns.everything())
    assert not result.failure, result.stdout + result.failure
    return result.stdout


@pytest.mark.parametrize("block", BLOCKS)
def test_prints_what_torch_prints(block: blocks.Block) -> None:
    stored = blocks.golden(block.path)[block.id]
    assert recorded.settled(outcome("autogradlab", block), stored, "programs", block.id) == stored


@pytest.mark.parity
@pytest.mark.turns(4)
@pytest.mark.parametrize("block", BLOCKS)
def test_golden_is_what_torch_prints(block: blocks.Block) -> None:
    need("torch")
    stored = blocks.golden(block.path)[block.id]
    assert recorded.settled(outcome("torch", block), stored, "programs", block.id) == stored


@pytest.mark.parametrize("folder", FOLDERS)
def test_ids_differ_and_every_golden_says_something(folder: str) -> None:
    files = FOLDERS[folder]
    ids = [block.id for path in files for block in blocks.read(path)]
    assert len(ids) > 20
    assert len(set(ids)) == len(ids)
    for path in files:
        assert list(blocks.golden(path)) == [block.id for block in blocks.read(path)], path.name
        assert all(text.strip() for text in blocks.golden(path).values()), path.name
