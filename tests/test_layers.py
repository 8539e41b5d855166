"""Imports run upward in the table of autogradlab/README.md; tools/layermap.py says how it is read."""

from __future__ import annotations

import sys

import pytest

from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
import layermap
from layermap import faults


def test_imports_run_upward():
    sources = {name: path.read_text(encoding="utf-8") for name, path in layermap.modules().items()}
    assert len(sources) > 3
    assert faults(sources, layermap.MAP.read_text(encoding="utf-8")) == []


MAP = (
    layermap.LAYER_HEAD
    + "| 1 | `low.py` | x |\n| 2 | `ops/a.py` | x |\n| 2 | `ops/b.py` | x |\n| 3 | `__init__.py` | x |\n\n"
    + layermap.LATE_HEAD
)
TREE = {"low.py": "import numpy", "ops/a.py": "", "ops/b.py": "", "__init__.py": "from .ops import a"}


def tree(change: dict[str, str]) -> dict[str, str]:
    return {name: f"'x'\n{source}" for name, source in {**TREE, **change}.items()}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, None),
        ({"ops/a.py": "from ..low import x\nfrom . import b\nimport autogradlab.low"}, None),
        ({"low.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .ops.a import x"}, None),
        ({"low.py": "from .ops import a"}, "low.py imports ops/a.py, which is in a later layer"),
        ({"low.py": "try:\n    import autogradlab.ops.a\nexcept ImportError:\n    pass"}, "low.py imports ops/a.py,"),
        ({"ops/a.py": "from autogradlab import tensor"}, "ops/a.py imports __init__.py, which is in a later layer"),
        ({"low.py": "def f():\n    from .ops.b import x"}, "low.py imports ops/b.py late, which the table"),
        ({"new.py": ""}, "new.py: not in the table"),
    ],
)
def test_the_test_sees(change: dict[str, str], words: str | None):
    found = faults(tree(change), MAP)
    assert found == [] if words is None else len(found) == 1 and found[0].startswith(words)


def test_the_test_sees_stale_lines():
    gone = MAP.replace("| 3 |", "| 2 | `gone.py` | x |\n| 3 |")
    assert faults(tree({}), gone) == ["gone.py: in the table of layers, but there is no such module"]
    listed = MAP + "| `low.py` | `ops/a.py` | because |\n"
    assert faults(tree({}), listed) == ["low.py no longer imports ops/a.py late"]
    assert faults(tree({"low.py": "def f():\n    from .ops.a import x"}), listed) == []
    assert faults({**tree({}), "low.py": "'y'"}, MAP) == ["low.py: the table says something else than its docstring"]
    assert faults({**tree({}), "low.py": ""}, MAP) == ["low.py: its docstring does not say what it holds"]


def test_the_tool_brings_the_map_up_to_date():
    sources = tree({"ops/c.py": "", "new.py": "def f():\n    from .ops.b import x"})
    text = layermap.updated(sources, MAP + "\nThe end.\n")
    ops = {"ops/a.py": 2, "ops/b.py": 2, "ops/c.py": 2}
    assert layermap.layers(text) == {"low.py": 1, "new.py": 1, **ops, "__init__.py": 3}
    assert text.endswith("\n\nThe end.\n")
    assert faults(sources, text) == ["new.py imports ops/b.py late: the table does not say why"]
    assert faults(sources, text.replace(layermap.WHY, "because")) == []
    assert layermap.updated(sources, text) == text
