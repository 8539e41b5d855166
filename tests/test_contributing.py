"""The example of CONTRIBUTING's "Adding an op" runs and prints what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT


def test_adding_an_op(tmp_path: Path):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("\n## Adding an op\n")[1].split("\n## ")[0]
    code, printed = (
        re.findall(rf"^```{kind}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL) for kind in ("python", "text")
    )
    assert len(code) == len(printed) == 1, "one example and what it prints"
    run = subprocess.run([sys.executable, "-W", "error", "-c", code[0]], capture_output=True, text=True, cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == printed[0]
