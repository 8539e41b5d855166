"""What a release stands on: one address, links that work anywhere, versions that agree, files opened by their
encoding."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
import address
import lowest

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_every_link_to_the_project_follows_from_one_address():
    assert address.strangers() == []
    files = {path.relative_to(ROOT).as_posix() for path, _ in address.uses(address.address()[1])}
    assert {"README.md", "pyproject.toml", "CITATION.cff", "conda/meta.yaml", "docs/colab.ipynb"} <= files


def test_the_address_moves_everywhere_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for path, _ in address.uses("autogradlab"):
        (tmp_path / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path.relative_to(ROOT)).write_bytes(path.read_bytes())
    monkeypatch.setattr(address, "ROOT", tmp_path)
    assert address.main(["https://github.com/somebody/elsewhere"]) == 0
    assert address.address() == ("somebody", "elsewhere")
    assert "mybinder.org/v2/gh/somebody/elsewhere/HEAD" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert address.PLACEHOLDER not in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert address.main(["--release"]) == 0
    (tmp_path / "more.md").write_text("https://github.com/other/elsewhere/issues", encoding="utf-8")
    assert address.strangers() == ["more.md: https://github.com/other/elsewhere"]


def test_nothing_is_released_from_the_placeholder(capsys: pytest.CaptureFixture[str]):
    assert address.main(["--release"]) == int(address.address()[0] == address.PLACEHOLDER)
    assert "address.py --release" in read(".github/workflows/publish.yml")


def test_the_readme_reads_rightly_on_a_package_index():
    text = re.sub(r"```.*?```", "", read("README.md"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    assert len(targets) > 8
    assert [t for t in targets if not t.startswith("https://")] == []
    owner, name = address.address()
    base = re.compile(
        rf"https://(?:github\.com/{owner}/{name}/(?:blob|tree)|raw\.githubusercontent\.com/{owner}/{name})/(?:main/)?(.*)"
    )
    inside = [found[1].removeprefix("main/") for t in targets if (found := base.fullmatch(t))]
    assert "docs/first-step.svg" in inside
    assert [path for path in inside if not (ROOT / path).exists()] == []


def test_one_version_everywhere():
    for name, pattern in (("CITATION.cff", r"^version: (\S+)"), ("conda/meta.yaml", r'set version = "([^"]+)"')):
        found = re.search(pattern, read(name), re.MULTILINE)
        assert found
        assert found[1] == PROJECT["version"]


def test_the_recipe_asks_for_what_the_package_asks_for():
    recipe = read("conda/meta.yaml")
    for line in (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["lab"]):
        wanted = Requirement(line)
        if "language-pack" not in wanted.name:
            assert re.search(rf"- {wanted.name}(?:-base)? {re.escape(re.sub(r'^[^<>=]+', '', line))}", recipe), line


def test_the_lowest_versions_are_those_allowed():
    lines = [Requirement(line) for line in lowest.lowest()]
    wanted = {w.name: w for w in map(Requirement, [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["lab"]])}
    assert set(wanted) <= {line.name for line in lines}
    for line in lines:
        if line.name in wanted:
            (spec,) = line.specifier
            assert spec.version in wanted[line.name].specifier


def test_binder_is_locked_in_full():
    pins = [Requirement(x) for x in read("binder/requirements.txt").splitlines() if x and not x.startswith("#")]
    assert len(pins) > 80
    assert all(len(pin.specifier) == 1 and str(pin.specifier).startswith("==") for pin in pins)


#: what has an `open` that opens no file as text
NO_FILES = {"os", "zipfile", "tarfile", "Image", "io", "self", "anywidget.AnyWidget", "forward", "level"}


def textual_opens(source: str) -> list[int]:
    """The lines that open a file as text without saying in which encoding."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or any(k.arg in {"encoding", None} for k in node.keywords):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        of_path = isinstance(node.func, ast.Attribute)
        modes = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        modes += [k.value.value for k in node.keywords if k.arg == "mode" and isinstance(k.value, ast.Constant)]
        if name in {"open", "fdopen"} and not any("b" in m and set(m) <= set("rwaxb+") for m in modes):
            owner = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
            if owner not in NO_FILES or name == "fdopen":
                found.append(node.lineno)
        elif (name == "read_text" and of_path and not node.args) or (name == "write_text" and len(node.args) < 2):
            found.append(node.lineno)
    return found


def test_files_are_opened_by_their_encoding():
    """On Windows the encoding is else that of the system, in which half of a lesson is not there."""
    assert textual_opens("open('a')\nopen('a', 'rb')\np.read_text()\np.write_text('x', encoding='utf-8')") == [1, 3]
    found = {}
    for path in sorted([*ROOT.glob("autogradlab/**/*.py"), *ROOT.glob("tools/*.py"), *ROOT.glob("*.py")]):
        if lines := textual_opens(path.read_text(encoding="utf-8")):
            found[path.relative_to(ROOT).as_posix()] = lines
    assert found == {}
