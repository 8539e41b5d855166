"""Imports keep to the order of the rooms in autogradlab/README.md; the walk that it tells is the one that calls
take."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

import autogradlab
from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
import layermap

README = layermap.MAP.read_text(encoding="utf-8")


def test_imports_keep_to_the_order_of_rooms():
    sources = layermap.modules()
    assert len(sources) > 100
    assert layermap.faults(sources, README) == []


def test_there_are_few_reasons_to_import_late():
    assert 0 < len(layermap.late(README)) <= 16


MAP = (
    layermap.ROOM_HEAD
    + "| `low.py` | x |\n| `ops/table/` | x |\n| `ops/` | x |\n| `__init__.py` | x |\n\n"
    + layermap.LATE_HEAD
    + "\n\n"
)
TREE = {
    "low.py": "import numpy",
    "ops/table/t.py": "",
    "ops/a.py": "",
    "ops/b.py": "",
    "__init__.py": "from .ops import a",
}


def tree(change: dict[str, str]) -> dict[str, str]:
    return {name: f"'x'\n{source}" for name, source in {**TREE, **change}.items()}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, None),
        ({"ops/a.py": "from ..low import x\nfrom . import b\nimport autogradlab.low"}, None),
        ({"low.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .ops.a import x"}, None),
        ({"low.py": "from .ops import a"}, "low.py imports ops/a.py, of a later room"),
        ({"low.py": "try:\n    import autogradlab.ops.a\nexcept ImportError:\n    pass"}, "low.py imports ops/a.py,"),
        ({"ops/table/t.py": "from ..a import x"}, "ops/table/t.py imports ops/a.py, of a later room"),
        ({"ops/a.py": "def f():\n    from .b import x"}, "ops/a.py imports ops/b.py late, for which"),
        ({"ops/a.py": "from . import b", "ops/b.py": "from . import a"}, "a circle of imports: ops/a.py, ops/b.py"),
        ({"low.py": "from x import TENSORS as F\ndef f(a): return F.sin(a)"}, "low.py looks up F.sin,"),
        ({"low.py": "from x import RAW\nW = RAW\nW.cos"}, "low.py looks up W.cos,"),
        ({"low.py": "from x import RAW\ndef f(node): return node.run(RAW)"}, None),
        ({"ops/a.py": "from x import TENSORS as F\ndef f(a): return F.sin(a)"}, None),
        ({"new.py": ""}, "new.py: in no room of the table"),
    ],
)
def test_the_test_sees(change: dict[str, str], words: str | None):
    found = layermap.faults(tree(change), MAP)
    assert found == [] if words is None else len(found) == 1 and found[0].startswith(words)


def test_the_test_sees_a_circle_inside_of_functions():
    sources = tree({"ops/a.py": "from . import b", "ops/b.py": "def f():\n    from . import a"})
    allowed = MAP.replace(layermap.LATE_HEAD, layermap.LATE_HEAD + "| `ops/b.py` | `ops/` | because |\n")
    assert layermap.faults(sources, allowed) == ["a circle of imports: ops/a.py, ops/b.py"]


def test_the_test_sees_stale_rows():
    gone = MAP.replace("| `ops/` |", "| `gone/` | x |\n| `ops/` |")
    assert layermap.faults(tree({}), gone) == ["gone/: a room without a module"]
    listed = MAP.replace(layermap.LATE_HEAD, layermap.LATE_HEAD + "| `ops/a.py` | `ops/b.py` | because |\n")
    assert layermap.faults(tree({}), listed) == ["ops/a.py no longer loads ops/b.py late"]
    assert layermap.faults(tree({"ops/a.py": "def f():\n    from .b import x"}), listed) == []
    assert layermap.faults({**tree({}), "low.py": ""}, MAP) == ["low.py: its docstring does not say what it holds"]


# -- the walk ----------------------------------------------------------------------------------------------------------


def walk(heading: str) -> list[tuple[str, str]]:
    """The steps that the README tells below a heading: what to search for, and the file where it is."""
    part = README.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\d\. `([^`]+)` in \[([^\]]+)\]", part, re.MULTILINE)


FORWARD, BACKWARD = walk("From `a * b` to the Node"), walk("From `.backward()` to `.grad`")


@pytest.fixture(scope="module")
def walked() -> dict[str, list[tuple[str, str]]]:
    """What `tests.walked` tells."""
    program = f"import sys; sys.path.append({str(ROOT)!r}); from tests.walked import main; main()"
    told = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True).stdout
    return {way: [(file, name) for file, name in seen] for way, seen in json.loads(told).items()}


def in_order(steps: list[tuple[str, str]], seen: list[tuple[str, str]]) -> None:
    """The functions that the steps name run in this order; a step that names an entry is its formula."""
    at = 0
    for name, file in steps:
        wanted = "<lambda>" if name.startswith('"') else name
        places = [
            i for i, (f, q) in enumerate(seen) if f == file and i >= at and (q == wanted or q.endswith("." + wanted))
        ]
        assert places, f"{name} in {file} does not run after {seen[at - 1] if at else 'the start'}"
        at = places[0]


def test_the_walk_forward_is_the_one_that_runs(walked: dict[str, list[tuple[str, str]]]):
    files = [file for _, file in FORWARD]
    assert len(set(files)) == len(files) <= 6
    assert {file for file, _ in walked["later"]} <= set(files)
    in_order([step for step in FORWARD if step[0] in ("core", "gradient_edge")], walked["first"])
    assert autogradlab.Tensor.__mul__.__code__.co_filename.endswith(FORWARD[2][1])


def test_the_walk_backward_is_the_one_that_runs(walked: dict[str, list[tuple[str, str]]]):
    files = [file for _, file in BACKWARD]
    assert len(set(files)) <= 6
    assert {file for file, _ in walked["backward"]} - {file for _, file in FORWARD} <= set(files)
    in_order(BACKWARD, walked["backward"])


def test_every_step_is_found_by_its_name():
    for name, file in FORWARD + BACKWARD:
        source = (layermap.PACKAGE / file).read_text(encoding="utf-8")
        words = name if name.startswith(("Tensor.", '"')) else f"def {name.rpartition('.')[2]}("
        assert words in source or f"    {name[1:]}" in source, f"{words} in {file}"
