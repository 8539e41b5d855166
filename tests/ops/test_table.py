"""The op table is complete: every public entry has samples, or stands in the short list of those that need none."""

from __future__ import annotations

from autogradlab.opdef import FUNCTIONS, OPS
from autogradlab.tensor import Tensor
from tests.ops import test_ops  # noqa: F401  (reads all samples)
from tests.ops.harness import REGISTRY, covered


def public(name: str) -> bool:
    return name in FUNCTIONS or hasattr(Tensor, name)


def test_every_public_entry_has_samples():
    missing = {name for name in OPS if public(name) and not name.startswith("_")} - covered()
    assert sorted(missing) == []


def test_samples_are_of_operations_that_exist():
    """A misspelt name would be a sample of nothing."""
    for entry in REGISTRY.values():
        for name in entry.covers:
            assert name in OPS, f"{entry.name} covers {name}, which is no entry"


def test_an_entry_without_samples_is_noticed():
    assert public("exp")
    assert "exp" in covered()
    assert "no such operation" not in covered()
