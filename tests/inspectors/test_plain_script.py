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
