"""The tests of `traces_alone.py` in a process of their own: the first mode changes the code of operations for good."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_what_modes_and_classes_are_told() -> None:
    run = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    found = subprocess.run([*run, str(Path(__file__).with_name("traces_alone.py"))], text=True, capture_output=True)
    assert found.returncode == 0, found.stdout[-4000:] + found.stderr[-2000:]
