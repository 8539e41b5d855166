"""CONTRIBUTING's "Adding an op", followed to the letter: its file, its samples, its command; then its program prints
what it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

SECTION = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## Adding an op\n")[1].split("\n## ")[0]
#: without PyTorch, which has no such operation: examples and samples stay as they are written
RENEW = """
import runpy, sys
sys.modules["torch"] = None
sys.argv = ["renew.py", *sys.argv[1:]]
runpy.run_path("tools/renew.py", run_name="__main__")
"""


def parts(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the section speaks of, with the new operation in it and everything generated renewed."""
    folder = tmp_path_factory.mktemp("checkout")
    without = shutil.ignore_patterns("__pycache__", "_lessons", "*.ipynb")
    for name in ("autogradlab", "tools"):
        shutil.copytree(ROOT / name, folder / name, ignore=without)
    for name in ("tests/ops", "tests/names"):
        shutil.copytree(ROOT / name, folder / name, ignore=without)
    for source in (ROOT / "tests").glob("[!t]*.*"):  # what tests share, without the tests
        shutil.copy(source, folder / "tests" / source.name)
    entry, _ = parts("python")
    (folder / "autogradlab/ops/breadth/cube.py").write_text(entry, encoding="utf-8")
    samples = folder / "tests/ops/samples_pointwise.py"
    samples.write_text(samples.read_text(encoding="utf-8") + 'unary("cube")\n', encoding="utf-8")
    done = run(folder, "-c", RENEW)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=folder, env=environment, check=False
    )


def test_the_section_has_a_file_a_command_and_a_program():
    assert (len(parts("python")), len(parts("text")), parts("sh")) == (2, 1, ["python tools/renew.py\n"])


def test_the_program_prints_what_it_says(checkout: Path):
    done = run(checkout, "-W", "error", "-c", parts("python")[1])
    assert done.stdout + done.stderr.splitlines()[-1] + "\n" == parts("text")[0]


def test_everything_generated_is_up_to_date(checkout: Path):
    done = run(checkout, "-c", RENEW, "--check")
    assert done.returncode == 0, done.stdout
    assert "def cube(input: _Tensor, *, out: _Tensor | None = ...) -> _Tensor:" in (
        checkout / "autogradlab/__init__.pyi"
    ).read_text(encoding="utf-8")
    assert '"breadth.cube": "cube cube_"' in (checkout / "autogradlab/ops/__init__.py").read_text(encoding="utf-8")


def test_its_example_prints_what_it_says_and_it_has_samples(checkout: Path):
    code = """
import sys
sys.path[:0] = ["tools", "."]
import autogradlab, helptexts
missing = helptexts.missing(autogradlab)
assert missing == [], missing
for name in ("cube", "cube_"):
    example = helptexts.example(str(getattr(autogradlab, name).__doc__))
    assert helptexts.run(example, autogradlab) == example, example
from tests.ops import test_ops
from tests.ops.harness import covered
assert "cube" in covered()
test_ops.test_method_and_function_agree("pointwise-cube")
test_ops.test_gradients_are_those_of_finite_differences("pointwise-cube")
test_ops.test_gradients_of_a_batch_are_those_of_each("pointwise-cube")
"""
    done = run(checkout, "-c", code)
    assert done.returncode == 0, done.stdout + done.stderr
