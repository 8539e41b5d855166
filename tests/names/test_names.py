"""The names that tutorials and learners' programs use are all here."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import autogradlab
from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
import inventory

NAMES = inventory.names_of(Path(__file__).with_name("learners.txt"))


def test_no_name_of_learners_is_missing():
    assert len(NAMES) > 300
    assert inventory.missing(autogradlab, NAMES) == []


@pytest.mark.parity
def test_the_names_are_torchs(torch: Any):
    assert inventory.missing(torch, NAMES) == []


def test_a_missing_name_is_noticed():
    names = [
        "torch.ones",
        "torch.no_such_name",
        "torch.nn.Lineal",
        "torch.no_module.x",
        ".no_such_method",
        ".backward",
        ".step",
    ]
    assert inventory.missing(autogradlab, names) == [
        "torch.no_such_name",
        "torch.nn.Lineal",
        "torch.no_module.x",
        ".no_such_method",
    ]


def test_the_table_counts():
    shown = inventory.table(with_tests=False)
    assert "| names in `torch` " in shown
    counts = [int(line.split("|")[2]) for line in shown.splitlines()[2:]]
    assert min(counts) > 0
    first, second, samples = inventory.checked_nodes()
    exp, backward = (inventory.OPS[name].node_class for name in ("exp", "sigmoid_backward"))
    assert exp in second <= first
    assert backward in first
    assert samples > 5000


def switches(lib: Any) -> None:
    switch = lib.utils.backcompat.broadcast_warning
    assert switch.enabled is False
    switch.enabled = True
    assert switch.enabled is True
    with pytest.raises(RuntimeError, match="set_backcompat_broadcast_warn expects a bool, but got int"):
        switch.enabled = 1
    switch.enabled = False


def test_old_switches():
    switches(autogradlab)


@pytest.mark.parity
def test_old_switches_are_torchs(torch: Any):
    switches(torch)


@pytest.mark.parity
def test_tensor_and_torch_have_no_operations_that_pytorch_has_not(torch: Any):
    """What `hasattr` says must be true of PyTorch: the rest are this package's modules and inspectors."""
    names = [n for n in dir(autogradlab) if not n.startswith("_") and not hasattr(torch, n)]
    own = [
        n for n in names if callable(getattr(autogradlab, n)) and not isinstance(getattr(autogradlab, n), ModuleType)
    ]
    assert own == []
    assert [n for n in dir(autogradlab.Tensor) if not n.startswith("_") and not hasattr(torch.Tensor, n)] == []


#: modules of PyTorch whose public classes are looked at
MODULES = [
    "autograd",
    "autograd.forward_ad",
    "autograd.function",
    "autograd.functional",
    "autograd.grad_mode",
    "autograd.graph",
    "amp",
    "cuda",
    "distributions",
    "distributions.constraint_registry",
    "distributions.constraints",
    "distributions.kl",
    "distributions.transforms",
    "func",
    "hub",
    "jit",
    "library",
    "linalg",
    "nn",
    "nn.attention",
    "nn.init",
    "nn.modules",
    "nn.modules.module",
    "nn.parameter",
    "nn.utils",
    "nn.utils.parametrizations",
    "nn.utils.parametrize",
    "nn.utils.prune",
    "nn.utils.rnn",
    "optim",
    "optim.lr_scheduler",
    "optim.optimizer",
    "optim.swa_utils",
    "overrides",
    "random",
    "serialization",
    "special",
    "storage",
    "testing",
    "types",
    "utils",
    "utils._pytree",
    "utils.checkpoint",
    "utils.data",
    "utils.data.dataset",
    "utils.data.sampler",
    "utils.hooks",
]
#: classes that have other names here: made by pybind11, or of another kind
OTHERS = {"nn.attention.SDPBackend", "types.Storage"}


def classes(lib: Any) -> dict[str, str]:
    """What the public classes of a library print as, by their names."""
    found = {}
    for path in ("", *MODULES):
        try:
            module = importlib.import_module(f"{lib.__name__}.{path}" if path else lib.__name__)
        except ModuleNotFoundError:
            continue
        public = {name: getattr(module, name, None) for name in dir(module) if not name.startswith("_")}
        found.update({f"{path}.{name}": repr(c) for name, c in public.items() if isinstance(c, type)})
    return found


@pytest.mark.parity
def test_public_classes_have_torchs_names(torch: Any):
    own, theirs = classes(autogradlab), classes(torch)
    both = (own.keys() & theirs.keys()) - OTHERS
    assert len(both) > 500
    assert {name: own[name] for name in both} == {name: theirs[name] for name in both}
