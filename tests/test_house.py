"""The rules of the house that a program can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import ROOT, required

#: What no file may name: folders of somebody's machine, and where packages are fetched from. (Put together here so that
#: this file does not name them either.)
FOREIGN = re.compile(
    "|".join(
        [
            r"(?<![\w.])/" + r"(?:work|tmp|root|opt|Users)/\w",
            r"(?<![\w.])/" + r"home/(?!jovyan)\w",
            r"pypi" + r"\.org|files\.pythonhosted|--(?:extra-)?index" + r"-url|--find" + r"-links",
        ]
    )
)


def files() -> list[Path]:
    """The files of the project: those that git tracks or would, or all of them in an unpacked source archive."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True
    )
    if listed.returncode == 0:
        found = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    else:
        found = [p for p in ROOT.rglob("*") if not any(part.startswith(".") for part in p.relative_to(ROOT).parts)]
    found = [p for p in found if p.is_file() and "__pycache__" not in p.parts]
    assert len(found) > 20
    return found


def readable(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def test_no_file_names_a_machine_or_a_registry():
    named = {}
    for path in files():
        text = readable(path)
        if text is not None and (found := FOREIGN.search(re.sub(r'"image/png": "[^"]*"', "", text))):
            named[str(path.relative_to(ROOT))] = found[0]
    assert named == {}


@pytest.mark.parametrize("text", ["/" + "tmp/x", "in /" + "home/ann/a", "see pypi" + ".org", "pip --index" + "-url x"])
def test_the_search_finds(text: str):
    assert FOREIGN.search(text)


def bound_twice(source: str) -> list[str]:
    """Constants of a module that it binds more than once: what stands above the second reads that one all the same."""
    tree = ast.parse(source)
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    targets += [node.target for node in tree.body if isinstance(node, ast.AnnAssign)]
    bound = Counter(target.id for target in targets if isinstance(target, ast.Name))
    return sorted(name for name, times in bound.items() if times > 1 and name.isupper() and len(name) > 2)


def test_a_constant_is_bound_once():
    python = [path for path in files() if path.suffix == ".py"]
    twice = {str(path.relative_to(ROOT)): bound_twice(path.read_text(encoding="utf-8")) for path in python}
    assert {path: names for path, names in twice.items() if names} == {}
    assert bound_twice("WIDE = 1\nTALL: int = 2\nx = 1\nx = 2\nWIDE = 3") == ["WIDE"]


def test_importing_the_package_loads_no_notebook_package():
    code = "import sys; before = set(sys.modules); import autogradlab; print(*(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = set(run.stdout.split())
    heavy = "ipywidgets anywidget matplotlib IPython ipykernel jupyter_client jupyterlab traitlets torch pytest tomllib"
    assert "autogradlab" in loaded
    assert "numpy" in loaded
    assert {name for name in loaded if name.split(".")[0] in heavy.split()} == set()
    assert {name for name in loaded if name.startswith(("autogradlab.lab", "autogradlab.inspectors"))} == set()
    assert run.stderr == ""


def test_the_core_depends_on_numpy_alone():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"] == ["numpy>=2.0"]


def test_one_version():
    import autogradlab

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert autogradlab.__version__ == project["version"]
    assert f"## {project['version']} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_binder_installs_the_lab_extra():
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "binder" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    named = (Requirement(line) for line in lines if line and not line.startswith("#"))
    pins = {canonicalize_name(pin.name): pin for pin in named}
    wanted = {
        canonicalize_name(w.name): w
        for w in map(Requirement, project["dependencies"] + project["optional-dependencies"]["lab"])
    }
    assert set(wanted) <= set(pins)
    for name, pin in pins.items():
        (exact,) = pin.specifier
        assert exact.operator == "=="
        assert name not in wanted or exact.version in wanted[name].specifier
    assert (ROOT / "binder" / "runtime.txt").read_text(encoding="utf-8").startswith("python-3.1")
    assert (ROOT / "binder" / "postBuild").stat().st_mode & 0o111


def test_binder_badges_open_the_lessons_that_are_laid_out():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"mybinder\.org/v2/[^)]*urlpath=lab/tree/([^)\s]+)", readme)
    folder = re.search(r"lessons copy --dir (\S+)", (ROOT / "binder" / "postBuild").read_text(encoding="utf-8"))
    assert folder
    for language, target in zip(("en", "zh"), targets, strict=True):
        there = [p.name for p in sorted((ROOT / "lessons" / language).glob("00-*.ipynb"))] or ["00-welcome.ipynb"]
        assert target == f"{folder[1]}/{language}/{there[0]}"


def test_the_check_of_binder_sees():
    sys.path.append(str(ROOT / "tools"))
    import bindercheck

    said = (
        'RUN pip install --no-cache-dir -r "binder/requirements.txt"\nRUN ./binder/postBuild\n'
        "environment for python=3.12"
    )
    assert bindercheck.dockerfile_faults(said, bindercheck.wanted_python()) == []
    assert bindercheck.dockerfile_faults(said, "3.13") == ["it does not take Python 3.13"]
    assert bindercheck.dockerfile_faults(said.replace("./binder", "."), "3.12") == ["no step: ./binder/postBuild"]


def test_the_check_of_binder_sees_what_is_not_locked():
    import bindercheck

    lines = (ROOT / "binder" / "requirements.txt").read_text(encoding="utf-8")
    assert bindercheck.more_than_locked(lines) == []
    assert bindercheck.more_than_locked(lines + "leftover==1.0\n") == ["leftover==1.0"]


def test_readme_maps_every_folder():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    folders = {p.relative_to(ROOT).parts[0] for p in files() if len(p.relative_to(ROOT).parts) > 1} - {".github"}
    assert [f for f in sorted(folders) if f"`{f}/`" not in readme] == []


def test_what_is_tested_is_what_was_asked_for():
    """In .ci/run the installed wheel is under test; the checkout must not stand in for it."""
    import autogradlab

    assert autogradlab.__file__
    package = Path(autogradlab.__file__).resolve().parent
    if "wheel" in required():
        assert package != ROOT / "autogradlab"
        assert (package / "_lessons").is_dir()
    assert (package / "py.typed").is_file()
