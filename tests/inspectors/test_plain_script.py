"""What inspectors do where there is no notebook: a plain script prints them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, need

SCRIPT = """\
{start}
from autogradlab import inspectors as lab

w = torch.tensor([1.], requires_grad=True)
y = w * torch.add(w, 1)
print(lab.step(y))
print(lab.watch(w))
"""


@pytest.mark.parametrize("library", ["autogradlab", "torch"])
def test_a_plain_script_prints_what_would_be_shown(tmp_path: Path, library: str):
    need("torch") if library == "torch" else None
    start = "import torch" if library == "torch" else "import autogradlab as torch"
    (tmp_path / "plain.py").write_text(SCRIPT.format(start=start))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "AUTOGRADLAB_LANG": "en"}
    command = [sys.executable, "-W", "error", "plain.py"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0 and ran.stderr == "", ran.stderr
    lines = ran.stdout.splitlines()
    assert lines[0] == "y.backward() · preview: nothing is changed"
    assert "1. The root gradient [1.] enters at y: backward() of one element starts with 1." in lines
    assert any(line.endswith("Done: w.grad = [3.].") for line in lines)
    assert lines[-2].split() == ["`w`", "[1.]", "None", "0", "leaf", "float32", "(1,)"]


def test_cards_of_tensors_load_no_modules():
    """torch.nn is loaded by who uses it: a twentieth of a second before the first card."""
    cards = "graph(y), lab.step(y), lab.show(w), lab.watch(w), lab.receipt(w), lab.why(w), lab.hooks(y), lab.storage(w)"
    code = f"""
import sys
import autogradlab as torch
from autogradlab import inspectors as lab
w = torch.tensor([1.], requires_grad=True)
y = w * torch.add(w, 1)
for card in (lab.{cards}):
    str(card)
print("autogradlab.nn" in sys.modules)
print(lab.why(torch.nn.Linear(1, 1)))
"""
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert ran.stdout.splitlines()[0] == "False" and "bias" in ran.stdout, ran.stderr
