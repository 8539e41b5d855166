"""The README's example prints what the README says, here and on the real PyTorch."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

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


def test_links_lead_somewhere():
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert "docs/first-graph.svg" in links
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.slow
def test_picture_is_what_its_script_draws(tmp_path: Path):
    """The same words at the same number of shapes; the bytes may differ with matplotlib's version."""
    script = tmp_path / "first_graph.py"
    script.write_bytes((ROOT / "docs" / "first_graph.py").read_bytes())
    subprocess.run([sys.executable, str(script)], check=True, cwd=tmp_path)
    assert census(tmp_path / "first-graph.svg") == census(ROOT / "docs" / "first-graph.svg")


def census(path: Path) -> tuple[list[str], int]:
    tree = ElementTree.parse(path)
    comments = re.findall(r"<!--(.*?)-->", path.read_text(encoding="utf-8"))
    return comments, sum(1 for e in tree.iter() if e.tag.endswith("}g") and e.get("id", "").startswith("patch_"))
