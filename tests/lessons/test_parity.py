"""Every cell of a lesson gives the same text when the real PyTorch takes autogradlab's place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autogradlab.lab.author import book
from tests.kernels import PRELOADED
from tests.scenarios.blocks import TORCH

#: the English ones: a translation has their code and outputs, byte for byte (test_pairs)
ORIGINALS = [p for p in book.lesson_files() if p.parent.name == "en"]


@pytest.mark.parametrize(
    ("ours", "torchs"),
    [
        ("import autogradlab as torch", "import torch"),
        ("import autogradlab as torch  # the one new line", "import torch  # the one new line"),
        ("import autogradlab.nn as nn", "import torch.nn as nn"),
        ("from autogradlab import nn", "from torch import nn"),
        ("from autogradlab.autograd import Variable\nx = 1\n", "from torch.autograd import Variable\nx = 1\n"),
        ("from autogradlab import inspectors as lab", "from autogradlab import inspectors as lab"),
        ("from autogradlab.lab import check", "from autogradlab.lab import check"),
        ("print('autogradlab')", "print('autogradlab')"),
    ],
)
def test_only_the_imports_change(ours: str, torchs: str):
    assert book.on_torch(ours) == torchs


@pytest.mark.parity
@pytest.mark.slow
@pytest.mark.turns(2)
@pytest.mark.parametrize("path", ORIGINALS, ids=lambda p: p.stem)
def test_lesson_on_torch(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(PRELOADED, ",".join(TORCH))
    stored = book.read(path)
    code = [cell for cell in stored.cells if cell.cell_type == "code"]
    assert any(book.on_torch(cell.source) != cell.source for cell in code), "no cell imports autogradlab"
    with_torch = book.execute(stored, path.parent, rewrite=book.on_torch)
    ran = [cell for cell in with_torch.cells if cell.cell_type == "code"]
    pairs = [(cell.id, readable(cell), readable(other)) for cell, other in zip(code, ran, strict=True)]
    assert [pair for pair in pairs if pair[1] != pair[2]] == []


#: The place in PyTorch's C++ sources where a warning was made differs from build to build.
CPP_PLACE = re.compile(r" \(Triggered internally at [^)]*\)")


def readable(cell: object) -> list[tuple[str, str]]:
    return [(kind, CPP_PLACE.sub("", text)) for kind, text in book.texts(cell)]
