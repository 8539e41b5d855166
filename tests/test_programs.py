"""Programs print, under autogradlab, what they print under torch 2.13: the scenarios of the texts, those about autograd's
tools, and those of learners."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ROOT, need
from tests.scenarios import blocks

FOLDERS = {name: tuple(blocks.files(ROOT / "tests" / name)) for name in ("scenarios", "autograd", "programs")}
BLOCKS = [
    pytest.param(block, files, id=f"{name}/{block.id}")
    for name, files in FOLDERS.items()
    for path in files
    for block in blocks.read(path)
]


def outcome(module: str, block: blocks.Block, files: tuple[Path, ...]) -> str:
    """What the block prints with that module; a block has to run to its end."""
    if "IPython" in block.source:
        pytest.importorskip("IPython")
    result = blocks.run(module, files)[block.id]
    assert not result.failure, result.stdout + result.failure
    return result.stdout


@pytest.mark.parametrize(("block", "files"), BLOCKS)
def test_prints_what_torch_prints(block: blocks.Block, files: tuple[Path, ...]) -> None:
    assert outcome("autogradlab", block, files) == blocks.golden(block.path)[block.id]


@pytest.mark.parity
@pytest.mark.parametrize(("block", "files"), BLOCKS)
def test_golden_is_what_torch_prints(block: blocks.Block, files: tuple[Path, ...]) -> None:
    need("torch")
    assert outcome("torch", block, files) == blocks.golden(block.path)[block.id]


@pytest.mark.parametrize("folder", FOLDERS)
def test_ids_differ_and_every_golden_says_something(folder: str) -> None:
    files = FOLDERS[folder]
    ids = [block.id for path in files for block in blocks.read(path)]
    assert len(ids) > 20
    assert len(set(ids)) == len(ids)
    for path in files:
        assert list(blocks.golden(path)) == [block.id for block in blocks.read(path)], path.name
        assert all(text.strip() for text in blocks.golden(path).values()), path.name
