"""Programs about autograd's tools print, under autogradlab, what they print under torch 2.13."""

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


def test_every_block_has_a_golden_that_says_something() -> None:
    assert len(BLOCKS) > 20
    for path in FILES:
        assert list(blocks.golden(path)) == [block.id for block in blocks.read(path)], path.name
        assert all(text.strip() for text in blocks.golden(path).values()), path.name
