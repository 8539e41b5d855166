"""In a learner's copies of lessons errors are explained from the start; elsewhere, once somebody asks for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

SESSION = """
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
config = Config()
config.HistoryManager.enabled = False
shell = InteractiveShell.instance(config=config)
shell.run_cell("import autogradlab as torch\\nfrom autogradlab.lab import predict", store_history=True).raise_error()
shell.run_cell("w = torch.ones(2)", store_history=True).raise_error()
shell.run_cell("w.sum().backward()", store_history=True)
shell.run_cell("from autogradlab import inspectors as lab\\noff = lab.explain(False)", store_history=True).raise_error()
print("from here on it is off")
shell.run_cell("w.sum().backward()", store_history=True)
"""


@pytest.mark.parametrize("copied", [True, False])
def test_errors_are_explained_in_copies_of_lessons(tmp_path: Path, copied: bool):
    pytest.importorskip("IPython")
    own = {"IPYTHONDIR": str(tmp_path / "ipython"), "AUTOGRADLAB_LANG": "en", "PYTHONPATH": str(ROOT)}
    environment = {key: value for key, value in os.environ.items() if key != "AUTOGRADLAB_NO_PROGRESS"} | own
    folder = tmp_path / "lessons"
    folder.mkdir()
    if copied:
        command = [sys.executable, "-m", "autogradlab", "lessons", "copy", "--dir", str(folder)]
        subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120)
        folder = folder / "en"
    ran = subprocess.run(
        [sys.executable, "-c", SESSION], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    first, _, second = ran.stdout.partition("from here on it is off")
    assert "does not require grad" in first and "does not require grad" in second, ran.stdout + ran.stderr
    assert ("requires_grad=True was forgotten" in first) is copied
    assert "requires_grad=True was forgotten" not in second
