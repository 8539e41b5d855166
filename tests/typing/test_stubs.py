"""The generated stubs are up to date, and a learner's program type-checks by them."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

import autogradlab
from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
import helptexts
import stubs

PROGRAM = Path(__file__).with_name("program.py")


def check(*programs: Path) -> str:
    """What mypy says of programs."""
    api = pytest.importorskip("mypy.api")
    out, errors, _ = api.run(
        [
            "--strict",
            "--follow-imports=silent",
            "--no-error-summary",
            "--cache-dir",
            str(ROOT / ".mypy_cache"),
            "--config-file",
            "",
            *map(str, programs),
        ]
    )
    assert errors == ""
    return out.strip()


def test_stubs_are_up_to_date():
    stale = [
        str(path.relative_to(ROOT)) for path, text in stubs.stubs().items() if path.read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run python tools/stubs.py"


def test_every_function_and_method_is_in_the_stubs():
    namespace, methods = (
        (ROOT / "autogradlab" / name).read_text(encoding="utf-8")
        + (ROOT / "autogradlab" / "core/tensor/tensor.py").read_text(encoding="utf-8")
        for name in ("__init__.pyi", "core/tensor/tensor_methods.pyi")
    )
    missing = []
    for path in helptexts.public(autogradlab):
        space, _, name = path.rpartition(".")
        if space in ("", "Tensor"):
            text = methods if space else namespace
            if not re.search(rf"\b(def|import|class) {name}\b|as {name}$|^ *{name}: | {name} = ", text, re.MULTILINE):
                missing.append(path)
    assert missing == []


@pytest.mark.slow
def test_a_program_type_checks(tmp_path: Path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import autogradlab as torch\n\nx = torch.ones(2)\nx.gathr(1)\ntorch.gather(x, 'a', x)\n")
    found = check(PROGRAM, wrong)
    assert '"Tensor" has no attribute "gathr"' in found
    assert 'Argument 2 to "gather" has incompatible type "str"; expected "int"' in found
    assert "program.py" not in found


def test_the_program_runs():
    runpy.run_path(str(PROGRAM))
