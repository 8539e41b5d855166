"""Every sample against what PyTorch gave for it when the goldens were recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import autogradlab
from tests.ops import goldens
from tests.ops.harness import A, case, compare
from tests.ops.test_ops import REGISTRY, every_operation, found_in, report

AGAIN = "run python tools/record.py samples where PyTorch is installed"


def judged(ours: Any, sample: str, tolerance: float | None) -> list[str]:
    if sample not in goldens.recorded()[0]:
        return [f"no golden: {AGAIN}"]
    theirs = goldens.golden(sample)
    if isinstance(theirs, goldens.Value):
        if type(theirs).__name__ == "float" and isinstance(ours, float):
            return compare(ours, float(theirs), tolerance=tolerance)
        same = type(ours).__name__ == type(theirs).__name__ and str(ours) == theirs.text
        return [] if same else [f"{ours!r} instead of {theirs!r}"]
    return compare(ours, theirs, tolerance=tolerance)


def test_every_sample_has_a_golden():
    index, _ = goldens.recorded()
    wanted = {goldens.name(key, c) for key, entry in REGISTRY.items() for c in entry.cases}
    assert len(wanted) > 5000
    assert len(wanted - index.keys()) == 0, AGAIN
    assert len(index.keys() - wanted) == 0, f"goldens of samples that are gone: {AGAIN}"


@every_operation
def test_values_are_the_goldens(key: str):
    entry = REGISTRY[key]
    report(
        entry,
        found_in(entry, lambda c: judged(goldens.result(autogradlab, entry, c), goldens.name(key, c), c.tolerance)),
    )


@pytest.mark.parity
@pytest.mark.parametrize("key", sorted(REGISTRY)[::40])
def test_the_goldens_are_torchs(key: str, torch: Any):
    entry = REGISTRY[key]
    report(entry, found_in(entry, lambda c: judged(goldens.result(torch, entry, c), goldens.name(key, c), c.tolerance)))


def test_a_wrong_value_is_noticed():
    (key,) = (k for k, e in REGISTRY.items() if e.path == "exp" and e.origin == "pointwise")
    entry, sample = REGISTRY[key], REGISTRY[key].cases[0]
    right = goldens.result(autogradlab, entry, sample)
    name = goldens.name(key, sample)
    assert judged(right, name, None) == []
    assert judged(~right if right.dtype is autogradlab.bool else right + 1, name, None) != []
    assert judged(right.reshape(-1), name, None) != []
    assert goldens.name(key, case(A(7))) not in goldens.recorded()[0]


def test_what_is_recorded_comes_back(tmp_path: Path):
    recorder = goldens.Recorder()
    x = autogradlab.tensor([[1.0, 2.0]], requires_grad=True)
    recorder.add("one", (x * 2, 5, [x.T]))
    recorder.write(tmp_path / "some.npz")
    first, number, rest = goldens.golden("one", tmp_path / "some.npz")
    assert compare(x * 2, first) == []
    assert (type(number).__name__, str(number)) == ("int", "5")
    assert compare(x.T, rest[0]) == []
    with pytest.raises(KeyError):
        goldens.golden("two", tmp_path / "some.npz")
