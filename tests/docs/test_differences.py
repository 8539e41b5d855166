"""What is said to differ from PyTorch does: each program is run here and, where it is installed, on PyTorch."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import tomllib
import traceback
import warnings
from pathlib import Path
from typing import Any

import pytest

import autogradlab
from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
import inventory

FILE = Path(__file__).with_name("differences.toml")
DIFFERENCES = tomllib.loads(FILE.read_text(encoding="utf-8"))["difference"]
ABSENT = ROOT / "tests" / "names" / "absent.txt"


def said(code: str, lib: Any) -> str:
    """What a program prints, or the line of its traceback that tells the error."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(code, {"torch": lib, "__name__": "learner"})
        except Exception as error:
            line = traceback.format_exception_only(error)[0].splitlines()[0].replace("'autogradlab", "'torch")
            return line.partition(". Did you mean: ")[0]  # which Python 3.12 and later add
    return out.getvalue().strip()


ALONE = """
import importlib, sys
from tests.docs.test_differences import said
print(said(sys.argv[1], importlib.import_module(sys.argv[2])))
"""


def told(one: dict[str, Any], lib: Any) -> str:
    """What the program of a difference prints: `alone` in a process of its own, which others are not to be."""
    if not one.get("alone"):
        return said(one["code"], lib)
    run = [sys.executable, "-c", ALONE, one["code"], lib.__name__]
    return subprocess.run(run, cwd=ROOT, text=True, capture_output=True, check=True).stdout.strip()


@pytest.mark.parametrize("one", DIFFERENCES, ids=lambda one: one["title"])
def test_it_is_so_here(one: dict[str, Any]):
    assert told(one, autogradlab) == one["here"]
    assert one["here"] != one["torch"]
    assert one["why"].endswith(".")


@pytest.mark.parity
@pytest.mark.parametrize("one", DIFFERENCES, ids=lambda one: one["title"])
def test_it_is_so_there(one: dict[str, Any], torch: Any):
    assert told(one, torch) == one["torch"]


@pytest.mark.parity
def test_the_absent_names_are_these(torch: Any):
    """`python tools/inventory.py --against-torch` tells them; a name that is there now leaves the list."""
    assert inventory.names_of(ABSENT) == inventory.ours(torch)[0]


def test_no_absent_name_is_there():
    names = inventory.names_of(ABSENT)
    assert len(names) > 100
    assert inventory.missing(autogradlab, [f"torch.{name}" for name in names]) == [f"torch.{name}" for name in names]
