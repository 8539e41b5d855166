"""What the benchmarks time is right: every contender's numbers, the depth and memory checks, and the printed page."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.benchmarks import everyday, harness, imports, run, stress
from tests.benchmarks.cases import CASES
from tests.conftest import need

NAMES = [case.name for case in CASES]
FIRST = CASES[0]


def ours() -> Any:
    return importlib.import_module("autogradlab")


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_ours_agrees_with_numpy_by_hand(case: harness.Case) -> None:
    assert "ours" in harness.check(case, {"ours": ours()})


@pytest.mark.parity
@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_torch_agrees_with_numpy_by_hand(case: harness.Case) -> None:
    assert "torch" in harness.check(case, {"torch": need("torch")})


@pytest.mark.parametrize("case", [case for case in CASES if case.autograd], ids=lambda case: case.name)
def test_hips_autograd_agrees_with_numpy_by_hand(case: harness.Case) -> None:
    need("autograd.numpy")
    assert "autograd" in harness.check(case, {"autograd": need("autograd")})


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore")  # both give PyTorch's own, which other tests compare
@pytest.mark.parametrize("name", everyday.WORKLOADS)
def test_everyday_workloads_agree_with_torch(name: str) -> None:
    everyday.agree(name, ours(), need("torch"))


@pytest.mark.parity
def test_the_everyday_table_tells_the_mean_and_what_is_slow() -> None:
    lines: list[str] = []
    everyday.run(ours(), need("torch"), 0.02, ["stack", "index_row"], lines.append)
    assert [text.split()[0] for text in lines] == ["stack", "index_row", "geometric"]
    assert "of 2" in lines[-1]


def test_names_are_unique() -> None:
    names = [*NAMES, imports.NAME]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda y, gw, gx: (y, gw, gx + 1), "three_ops, numpy, result 2"),
        (lambda y, gw, gx: (y, gw), "2 results, not 3"),
        (lambda y, gw, gx: (y, gw, gx.astype(np.float64)), "float64"),
        (lambda y, gw, gx: (y, gw, gx[0]), "not float32"),
    ],
)
def test_a_contender_with_other_numbers_is_refused(wrong: Any, words: str) -> None:
    case = replace(FIRST, tensor=lambda module: lambda: wrong(*FIRST.numpy(module)()))
    with pytest.raises(AssertionError, match=words):
        harness.check(case, {"ours": np})


def test_a_row_shows_ratios_and_a_dash_for_what_is_missing() -> None:
    row = harness.Row("some", "", 3, ("torch", 0.5), {"ours": [2e-6, 1e-6, 3e-6], "torch": [4e-6], "numpy": [1e-6]})
    assert harness.line(row).split() == [
        "some",
        "3",
        "2.00",
        "4.00",
        "-",
        "1.00",
        "|",
        "0.50",
        "-",
        "2.00",
        "0.5",
        "x",
        "torch:",
        "met",
    ]
    assert harness.line(row, "best").split()[8] == "-"
    assert row.ratio("numpy", "best") == 1.0
    alone = replace(row, rounds={"ours": [2e-6]})
    assert harness.line(alone).split()[2:] == ["2.00", "-", "-", "-", "|", "-", "-", "-", "0.5", "x", "torch:", "-"]


def test_contenders_take_turns() -> None:
    order: list[str] = []

    def sample(role: str) -> harness.Sample:
        return lambda n: order.append(role) or 1.0  # type: ignore[func-returns-value]

    taken = harness.measure({"a": sample("a"), "b": sample("b")}, 1.0, rounds=3)
    assert order == ["a", "b"] + ["a", "b"] + ["b", "a"] + ["a", "b"]
    assert {role: len(rounds) for role, rounds in taken.items()} == {"a": 3, "b": 3}


def test_what_is_not_installed_is_none() -> None:
    assert harness.load("a_module_that_nobody_has") is None
    assert harness.load("numpy") is np


def test_the_command_prints_and_writes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness, "keep_memory", lambda: False)  # would stay set for the tests that follow
    monkeypatch.setattr("gc.freeze", lambda: None)
    monkeypatch.setattr(harness, "contenders", lambda name: {"ours": ours(), "numpy": np})
    file = tmp_path / "out.json"
    assert run.main(["--only", "three_ops", "--only", "view*_t", "--seconds", "0.05", "--json", str(file)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [text.split()[0] for text in printed[2:]] == ["three_ops", "view_t"]
    assert "python" in printed[0] and "numpy" in printed[0]
    written = json.loads(file.read_text(encoding="utf-8"))
    assert [case["name"] for case in written["cases"]] == ["three_ops", "view_t"]
    assert written["cases"][0]["times"]["ours"]["best_us"] > 0
    assert written["cases"][0]["ratios"]["numpy"] > 0
    assert written["cases"][0]["times"]["torch"] is None


def test_the_command_says_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run.main(["--only", "no_such_case"])
    assert "no case is called 'no_such_case'" in capsys.readouterr().err
    assert run.main(["--list"]) == 0
    assert [text.split()[0] for text in capsys.readouterr().out.splitlines()] == [*NAMES, imports.NAME]


@pytest.mark.parametrize("check", stress.CHECKS, ids=lambda check: check.__name__)
def test_deep_graphs_need_no_recursion_and_leave_nothing(check: Any) -> None:
    check(ours(), 20_000)


def test_memory_of_an_operation_and_of_a_training_step() -> None:
    held, containers = stress.bytes_per_operation(ours())
    assert held <= 540 and containers <= 6.1
    recorded, by_hand = stress.peak_of_a_step(ours())
    assert recorded <= 1.25 * by_hand


def test_the_scale_is_told() -> None:
    lines: list[str] = []
    stress.scale(ours(), 1000, lines.append)
    assert "(100), " in lines[0] and "(1,000)" in lines[0]
    assert "bytes" in lines[1] and "by hand" in lines[2]


@pytest.mark.parity
@pytest.mark.parametrize("check", stress.CHECKS, ids=lambda check: check.__name__)
def test_torch_passes_the_same_checks(check: Any) -> None:
    check(need("torch"), 2_000)


def test_a_cycle_is_seen() -> None:
    with pytest.raises(AssertionError, match="left to the garbage collector"):
        with stress.no_collector():
            ring: list[Any] = []
            ring.append(ring)
            del ring


def test_import_loads_nothing_heavy() -> None:
    assert imports.loads("autogradlab") == []
    assert imports.loads("json", ["json", "numpy"]) == ["json"]
