"""Units of work for the cores, and the line about what was skipped."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import conftest, parallel
from tests.conftest import ROOT


def test_units():
    assert parallel.unit("lessons/en/01-tensors.ipynb::Cell 3") == "lessons/en/01-tensors.ipynb"
    assert parallel.unit("tests/browser/test_a.py::test_b[c]") == parallel.unit("tests/browser/test_d.py::test_e")
    assert parallel.unit("tests/browser/test_site.py::test_b") == "tests/browser/test_site.py"
    assert parallel.unit("tests/nn/test_modules.py::test_a[x::y]") == "tests/nn/test_modules.py"
    cases = [f"tests/test_programs.py::test_a[{n}]" for n in range(200)]
    assert len({parallel.unit(case) for case in cases}) == parallel.PARTS


def test_what_is_named_exists():
    assert [
        name
        for name in (*parallel.FIRST, *parallel.TOGETHER, *parallel.ALONE, *parallel.APART)
        if not (ROOT / name).exists()
    ] == []


def test_skips_are_one_line():
    reports = [SimpleNamespace(longrepr=("f.py", n, f"Skipped: {'ab'[n > 1]} is missing")) for n in range(3)]
    left_out = Counter({"b is missing": 2})
    assert parallel.skips(reports, left_out) == "skipped: 3 since b is missing; 2 since a is missing"
    assert parallel.skips([], Counter()) == ""


class Item(SimpleNamespace):
    """A test with a marker, a parameter `torch`, or the fixture of that name that a folder defines."""

    def get_closest_marker(self, name: str) -> bool:
        return name == getattr(self, "marker", None)


def item(**has: str) -> Item:
    made = Item(**has)
    if library := has.get("library"):
        made.callspec = SimpleNamespace(params={"torch": library})
    if folder := has.get("fixture"):
        made._fixtureinfo = SimpleNamespace(name2fixturedefs={"torch": [SimpleNamespace(baseid=folder)]})
    return made


def test_what_needs_what_is_missing_is_counted_and_left_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(conftest, "chromium", lambda: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.delenv("AUTOGRADLAB_REQUIRE", raising=False)
    usual = [
        item(),
        item(library="autogradlab"),
        item(library="autogradlab", fixture="tests/lab"),
        item(fixture="a.py"),
    ]
    need_torch = [item(marker="parity"), item(library="torch", fixture="tests/lab"), item(fixture="tests")]
    everything = [*usual, *need_torch, item(marker="browser")]

    def left(items: list[Item]) -> Counter[str] | None:
        """Why some are left out; those are gone from the list then."""
        config = SimpleNamespace(stash=pytest.Stash())
        conftest.pytest_collection_modifyitems(config, items)
        return config.stash.get(parallel.LEFT_OUT, None)

    kept = everything.copy()
    assert left(kept) == {conftest.absence("torch"): 3, conftest.absence("browser"): 1}
    assert kept == usual
    only = need_torch.copy()
    assert left(only) is None and only == need_torch  # skipped, one by one: somebody asked for nothing else
    monkeypatch.setenv("AUTOGRADLAB_REQUIRE", "torch,browser")  # they are to fail
    kept = everything.copy()
    assert left(kept) is None and kept == everything


@pytest.mark.parametrize(
    ("arguments", "workers"), [(["made_up"], 2), (["made_up/test_one.py"], 0), (["-n", "0", "made_up"], 0)]
)
def test_folders_use_the_cores_and_keep_the_order(tmp_path: Path, arguments: list[str], workers: int):
    pytest.importorskip("xdist")
    folder = tmp_path / "made_up"
    folder.mkdir()
    for name in ("one", "two"):
        source = "\n".join(f"def test_{n}(): print('ran {name}', {n})" for n in range(4))
        (folder / f"test_{name}.py").write_text(source, encoding="utf-8")
    (tmp_path / "conftest.py").write_text(
        f"import sys; sys.path.append({str(ROOT)!r})\npytest_plugins = ['tests.parallel']\n"
    )
    plugins = ("-p", "no:cacheprovider", "-p", "xdist.plugin")  # and none of the others, which take seconds to load
    command = [sys.executable, "-m", "pytest", "-q", "-rP", *plugins, "--rootdir", ".", *arguments]
    environment = {"PYTEST_XDIST_AUTO_NUM_WORKERS": "2", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ran = subprocess.run(command, cwd=tmp_path, env=bare(environment), capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    said = [line for line in ran.stdout.splitlines() if line.startswith("ran ")]
    for name in ("one", "two") if "made_up" in arguments else ("one",):
        assert [line for line in said if name in line] == [f"ran {name} {n}" for n in range(4)]
    assert ("bringing up nodes" in ran.stdout or "[gw" in ran.stdout) == bool(workers)


def bare(changes: dict[str, str]) -> dict[str, str]:
    """The environment without what a worker of this run has in it."""
    import os

    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")} | changes
