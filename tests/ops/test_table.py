"""The op table is complete: every public entry has samples, or stands in the short list of those that need none."""

from __future__ import annotations

import pytest

from autogradlab.core.tensor.tensor import Tensor
from autogradlab.ops.table.families import FUNCTIONS, OPS, load_all
from tests.conftest import ROOT
from tests.ops import test_ops  # noqa: F401  (reads all samples)
from tests.ops.harness import REGISTRY, covered

load_all()

#: entries that draw random numbers: there are no samples to compare, tests/random_ops compares their streams
RANDOM = {name for name, entry in OPS.items() if "generator" in entry.names}


def public(name: str) -> bool:
    """Whether users see the entry; those of neural networks (`ops/nn`) are compared with torch in tests/nn."""
    network = ".ops.nn." in OPS[name].kernel.__module__
    return not network and (name in FUNCTIONS or hasattr(Tensor, name))


def test_every_public_entry_has_samples():
    missing = {name for name in OPS if public(name) and not name.startswith("_")} - covered() - RANDOM
    assert sorted(missing) == []


@pytest.mark.parametrize("name", sorted(RANDOM))
def test_random_numbers_are_compared_as_streams(name: str):
    assert name in (ROOT / "tests/random_ops/draws.txt").read_text(encoding="utf-8")


def test_samples_are_of_operations_that_exist():
    """A misspelt name would be a sample of nothing."""
    for entry in REGISTRY.values():
        for name in entry.covers:
            assert name in OPS, f"{entry.name} covers {name}, which is no entry"


def test_an_entry_without_samples_is_noticed():
    assert public("exp")
    assert "exp" in covered()
    assert "no such operation" not in covered()
