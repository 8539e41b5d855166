"""Signatures are those that PyTorch itself shows, where it shows any."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest

import autogradlab
from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
import helptexts

#: PyTorch shows only *args and **kwargs (or a module's object); here is what they mean
SAYS_LESS = {
    "lu",
    "UntypedStorage",
    "TypedStorage",
    "einsum",
    "unique",
    "unique_consecutive",
    "nn.GRU",
    "nn.LSTM",
    "nn.RNN",
    "dtype",
    "layout",
    "memory_format",
    "nn.Transformer",
    "nn.TransformerDecoderLayer",
    "nn.TransformerEncoderLayer",
    "utils.data.random_split",
    "nn.functional.adaptive_max_pool1d",
    "nn.functional.adaptive_max_pool2d",
    "nn.functional.adaptive_max_pool3d",
    "nn.functional.fractional_max_pool2d",
    "nn.functional.fractional_max_pool3d",
    "nn.functional.max_pool1d",
    "nn.functional.max_pool2d",
    "nn.functional.max_pool3d",
}
#: other names of positional arguments, or options that this package has not
OTHERWISE = {
    "Size",
    "save",
    "nn.SyncBatchNorm",
    "autograd.enforce_grad_layout_policy",
    "func.jacrev",
}


def parameters(value: Any, method: bool) -> list[tuple[str, str, str]]:
    """Name, kind and default of each parameter; positional-only ones count as positional,
    a method's tensor not at all."""
    found = []
    for p in inspect.signature(value).parameters.values():
        kind = "POSITIONAL_OR_KEYWORD" if p.kind is p.POSITIONAL_ONLY else p.kind.name
        found.append((p.name, kind, "" if p.default is p.empty else repr(p.default).replace("autogradlab", "torch")))
    return found[1:] if method else found


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore")
def test_signatures_are_torchs(torch: Any):
    compared, wrong = 0, []
    for path, value in helptexts.public(autogradlab).items():
        space, _, name = path.rpartition(".")
        theirs = getattr(helptexts.owner(torch, space), name, None)
        if theirs is None or isinstance(value, property) or path in SAYS_LESS | OTHERWISE:
            continue
        try:
            expected = parameters(theirs, space == "Tensor")
        except (TypeError, ValueError):  # written in C++: it shows none
            continue
        compared += 1
        if parameters(value, space == "Tensor") != expected:
            wrong.append(f"{path}\n  torch {inspect.signature(theirs)}\n  here  {inspect.signature(value)}")
    assert compared > 300
    assert wrong == []


def test_the_exceptions_exist():
    assert sorted((SAYS_LESS | OTHERWISE) - helptexts.public(autogradlab).keys()) == []


def test_signatures_stay_where_objects_are_asked() -> None:
    program = """
import inspect, types
import autogradlab as torch
from autogradlab import overrides
asking = [(name, f) for f, _, name, _ in overrides._asking() if type(f) is types.FunctionType]
before = [str(inspect.signature(f)) for _, f in asking]
class Asked(torch.Tensor): pass
assert overrides._gates and len(asking) > 1400
for (name, f), signature in zip(asking, before):
    if str(inspect.signature(f)) != signature:
        print(name, signature, inspect.signature(f))
"""
    told = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert told.stdout == ""
