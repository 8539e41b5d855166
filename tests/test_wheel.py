"""The wheel: built, installed beside NumPy alone, and used from there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy
import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout; hatchling runs here and fetches nothing."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("autogradlab-*.whl")
    return made


@pytest.fixture(scope="module")
def clean(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``bin`` of a new environment in which there are the wheel, this NumPy, and nothing else."""
    folder = tmp_path_factory.mktemp("clean") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    python = programs / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    where = [python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]
    site = Path(subprocess.run(where, check=True, capture_output=True, text=True).stdout.strip())
    here = Path(numpy.__file__).parents[1]
    for part in here.glob("numpy*"):
        (site / part.name).symlink_to(part, target_is_directory=True)
    return programs


def run(command: list[object], folder: Path) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=folder, env=env)


def test_wheel_holds_the_package_and_the_lessons(wheel: Path):
    names = set(zipfile.ZipFile(wheel).namelist())
    package = {
        f"autogradlab/{p.relative_to(ROOT / 'autogradlab').as_posix()}"
        for p in (ROOT / "autogradlab").rglob("*")
        if p.is_file() and "__pycache__" not in p.parts
    }
    lessons = {f"autogradlab/_lessons/{p.parent.name}/{p.name}" for p in ROOT.glob("lessons/*/*.ipynb")}
    assert lessons
    assert package - names == set()
    assert lessons - names == set()
    assert {"autogradlab/py.typed", "autogradlab/_lessons/sanitize.cfg"} <= names
    tops = {n.split("/")[0] for n in names} - {"autogradlab", "pytest_autogradlab.py"}
    assert {top.rpartition(".")[2] for top in tops} == {"dist-info", "data"}
    points = next(n for n in names if n.endswith("dist-info/entry_points.txt"))
    assert "pytest_autogradlab = pytest_autogradlab" in zipfile.ZipFile(wheel).read(points).decode()
    assert [n for n in names if ".ipynb_checkpoints" in n] == []


def test_wheel_holds_the_extension_for_stored_cards(wheel: Path):
    """JupyterLab finds its entry by package.json; its files lie in a folder that is named after their contents."""
    archive = zipfile.ZipFile(wheel)
    place = next(n for n in archive.namelist() if n.endswith("labextensions/autogradlab/package.json")).rpartition("/")[
        0
    ]
    about = json.loads(archive.read(f"{place}/package.json"))
    assert about["version"] in wheel.name
    folder, _, entry = about["jupyterlab"]["_build"]["load"].rpartition("/")
    laid = {n.removeprefix(f"{place}/{folder}/") for n in archive.namelist() if n.startswith(f"{place}/{folder}/")}
    shown = {p.name for name in ("inspectors", "lab") for p in (ROOT / "autogradlab" / name / "static").iterdir()}
    assert laid == {entry, "beginning.js", "cards.js", "theme.css", "words.js", *shown}
    page = (ROOT / "autogradlab" / "inspectors" / "labextension" / "page.j2").read_bytes()
    for template in ("lab", "classic"):
        (part,) = (n for n in archive.namelist() if n.endswith(f"nbconvert/templates/{template}/display_priority.j2"))
        assert archive.read(part) == page


def test_lessons_copy_without_a_clone(clean: Path, tmp_path: Path):
    made = run([clean / "autogradlab", "lessons", "copy", "--dir", tmp_path / "mine"], tmp_path)
    assert (made.returncode, made.stderr) == (0, "")
    copies = sorted(p.relative_to(tmp_path / "mine") for p in (tmp_path / "mine").rglob("*.ipynb"))
    assert copies == sorted(p.relative_to(ROOT / "lessons") for p in ROOT.glob("lessons/*/*.ipynb"))
    first = json.loads((tmp_path / "mine" / copies[0]).read_text(encoding="utf-8"))
    assert all(cell["outputs"] == [] for cell in first["cells"] if cell["cell_type"] == "code")


def test_lab_says_what_is_missing(clean: Path, tmp_path: Path):
    asked = run([clean / "autogradlab", "lab", "--dir", tmp_path / "mine"], tmp_path)
    assert asked.returncode == 1
    assert 'pip install "autogradlab[lab]"' in asked.stderr
    assert "Traceback" not in asked.stderr
    assert not (tmp_path / "mine").exists()


def test_core_needs_numpy_alone(clean: Path, tmp_path: Path):
    code = "import autogradlab as torch; w = torch.tensor([2.], requires_grad=True); (w * w).backward(); print(w.grad)"
    made = run([clean / "python", "-W", "error", "-c", code], tmp_path)
    assert (made.returncode, made.stdout, made.stderr) == (0, "tensor([4.])\n", "")
