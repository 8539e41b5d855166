"""The README's example prints what the README says, here and on the real PyTorch."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert len(found) == 1
    return str(found[0])


def printed(code: str, folder: Path) -> str:
    run = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, cwd=folder)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def test_example_prints_what_is_said(tmp_path: Path):
    code = block("python")
    assert code.count("\n") <= 11
    assert printed(code, tmp_path) == block("text")


@pytest.mark.parity
@pytest.mark.slow
def test_example_prints_the_same_on_torch(tmp_path: Path):
    code = block("python").replace("import autogradlab as torch", "import torch")
    assert code != block("python")
    assert printed(code.replace("import torch", "import torch", 1), tmp_path) == block("text")


def test_stepped_picture_shows_every_step_and_is_small(tmp_path: Path):
    """It is drawn in a browser (tools/stepped.py), so its pixels differ from machine to machine; its steps do not."""
    picture = (ROOT / "docs" / "step.gif").read_bytes()
    assert (picture[:6], int.from_bytes(picture[6:8], "little")) == (b"GIF89a", 960)
    assert len(picture) < 150_000
    code = block("python").partition("y.backward()")[0] + "from autogradlab import inspectors as lab\n"
    counted = printed(f"{code}print(len(lab.step(y).card.frames))", tmp_path)
    assert picture.count(b"\x21\xf9\x04") == int(counted)


def test_picture_is_what_its_script_draws(tmp_path: Path):
    script = tmp_path / "first_step.py"
    script.write_bytes((ROOT / "docs" / "first_step.py").read_bytes())
    subprocess.run([sys.executable, str(script)], check=True, cwd=tmp_path)
    assert (tmp_path / "first-step.svg").read_bytes() == (ROOT / "docs" / "first-step.svg").read_bytes()
