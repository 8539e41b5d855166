"""The op table is complete: every public entry has samples, or stands in the short list of those that need none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autogradlab as torch
from autogradlab import overrides
from autogradlab.core.recording.record import RAW, OpNode
from autogradlab.core.tensor.tensor import Tensor
from autogradlab.ops.table.families import FUNCTIONS, OPS, load_all
from tests.conftest import ROOT
from tests.ops import test_ops  # noqa: F401  (reads all samples)
from tests.ops.harness import REGISTRY, covered

load_all()

#: entries that draw random numbers: there are no samples to compare, tests/random_ops compares their streams
RANDOM = {entry.name for entry in OPS.values() if "generator" in entry.names} | {"pca_lowrank", "svd_lowrank"}


def public(name: str) -> bool:
    """Whether users see the entry; those of neural networks (`ops/nn`) are compared with torch in tests/nn."""
    network = ".ops.nn." in OPS[name].kernel.__module__
    told = name.endswith("_") and OPS[name].operator is not None  # how torch.ops knows copy_, which programs test
    return not network and not told and (name in FUNCTIONS or hasattr(Tensor, name))


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


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, entry in OPS.items()
        if name in FUNCTIONS and (entry.binds or any(o.signature is not None for o in entry.overloads))
    ],
)
def test_the_first_object_that_overrides_is_asked(name: str):
    """Entries that bind their arguments themselves ask it too, although nothing asked before."""

    class Half:
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func.__name__

    objects = [Half()] * OPS[name].required
    overrides.disarm()
    assert FUNCTIONS[name](*objects) == name
    if hasattr(Tensor, name):
        overrides.disarm()
        assert getattr(torch.ones(1), name)(*(objects[1:] or objects)) == name


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("wanted", [(0,), (1,), (2,), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("factors", [{}, {"beta": 2, "alpha": 3}, {"beta": 1, "alpha": 0.5}])
def test_matrix_products_run_as_their_formulas(transposed: bool, wanted: tuple[int, ...], factors: dict[str, Any]):
    """The Nodes of mm and addmm have a `run` of their own: it gives what the formulas give, laid out alike."""

    def matrix(place: int, rows: int, columns: int) -> Any:
        values = torch.arange(1.0, 1 + rows * columns)
        made = values.view(columns, rows).t() if transposed else values.view(rows, columns)
        return made.requires_grad_() if place in wanted else made

    operands = [matrix(0, 2, 4), matrix(1, 2, 3), matrix(2, 3, 4)]
    results = [torch.addmm(*operands, **factors)]
    if not factors and wanted != (0,):
        results.append(torch.mm(*operands[1:]))
    grad = np.arange(8, dtype=np.float32).reshape(2, 4)
    for result in results:
        node = result.grad_fn
        assert type(node).run is not OpNode.run
        for given in (grad, None):
            own, formulas = node.run(given, RAW), OpNode.run(node, given, RAW)
            for a, b in zip(own, formulas, strict=True):
                assert (a is None) is (b is None)
                assert a is None or (np.array_equal(a, b) and a.dtype == b.dtype and a.strides == b.strides)
