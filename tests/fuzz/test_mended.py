"""What random programs found: version counters and warnings, as PyTorch has them."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import warnings

import pytest

from tests.conftest import ROOT

VERSIONS = {
    "copy.copy(x)": 1,
    "copy.deepcopy(x)": 1,
    "copy.deepcopy(torch.ones(2, requires_grad=True))": 1,
    "copy.deepcopy(torch.nn.Parameter(x))": 0,
    "x.set_(y)": 1,
    "x.set_()": 1,
    "x.set_(y.untyped_storage(), 0, (1,), (1,))": 1,
    "x.add_(1).set_(y)": 2,
    "x.resize_(2)": 0,
    "x.resize_(3)": 1,
    "x.resize_as_(torch.zeros(2))": 0,
    "x.resize_as_(torch.zeros(1))": 1,
    "torch.nn.functional.one_hot(torch.tensor([0, 1]))": 2,
    "torch.nn.functional.one_hot(torch.tensor([], dtype=torch.int64), 3)": 0,
    "torch.linspace(0, float('inf'), 5)": 0,  # without NumPy's warnings
    "gradient(lambda t: t.sum().backward())": 1,
    "gradient(lambda t: t.mean().backward())": 0,
    "gradient(lambda t: (t * 2).sum().backward())": 0,
    "gradient(lambda t: t.backward(torch.ones(2)))": 1,
    "gradient(lambda t: t[0].backward())": 0,
    "gradient(lambda t: (t.sum().backward(), t.sum().backward()))": 2,
}
ONCE = {
    "torch.ones(()).T": "Tensor.T is deprecated on 0-D tensors.",
    "torch.ones(3).T": "The use of `x.T` on tensors of dimension other than 2",
    "torch.ones(2, 2, 2).T": "The use of `x.T` on tensors of dimension other than 2",
    "(x.requires_grad_() * x).sum().backward(create_graph=True)": "Using backward() with create_graph=True",
}
LIBRARIES = ["autogradlab", pytest.param("torch", marks=pytest.mark.parity)]


def names(library: str) -> dict[str, object]:
    torch = importlib.import_module(library)

    def gradient(f):
        t = torch.ones(2, requires_grad=True)
        f(t)
        return t.grad

    return {
        "torch": torch,
        "copy": importlib.import_module("copy"),
        "gradient": gradient,
        "x": torch.ones(2),
        "y": torch.ones(3),
    }


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("source", VERSIONS)
def test_version(source: str, library: str):
    assert eval(source, names(library))._version == VERSIONS[source]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("source", ONCE)
def test_a_warning_comes_at_every_use_where_asked(source: str, library: str):
    known = names(library)
    torch = importlib.import_module(library)
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            eval(source, known)
            eval(source, known)
    finally:
        torch.set_warn_always(False)
    assert [str(one.message).startswith(ONCE[source]) for one in seen] == [True, True]
    assert all("Triggered internally" in str(one.message) for one in seen)


@pytest.mark.parity
def test_statements_that_differed_once():
    """A process of its own, since programs change modes."""
    given = [sys.executable, "-m", "tests.fuzz.operations", "--mended"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    done = subprocess.run(given, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == ""


CAPTURED = {
    "torch.func.grad(lambda x: y.mul_(x).sum())(x * y)": "mul_.Tensor",
    "torch.func.grad(lambda x: helper(x).sum())(x * y)": "add_.Tensor",
    "torch.func.grad(lambda x: y[0].sub_(x[0]))(x * y)": "sub_.Tensor",
    "torch.func.vjp(lambda x: y.div_(x), x * y)": "div_.Tensor",
    "torch.func.jacrev(lambda x: y.copy_(x))(x * y)": "copy_",
    "torch.func.grad(lambda x: y.clamp_(x).sum())(x * y)": "clamp_.Tensor",
    "torch.func.grad(lambda x: y.pow_(x).sum())(x * y)": "pow_.Tensor",
    "torch.func.grad(lambda x: y.lerp_(x, 0.5).sum())(x * y)": "lerp_.Scalar",
    "torch.func.grad(lambda x: y.atan2_(x).sum())(x * y)": "atan2_",
    "torch.func.grad(lambda x: y.floor_divide_(x).sum() * x.sum())(x * y)": "floor_divide_.Tensor",
    "torch.func.grad(lambda x: y.scatter_(0, torch.arange(3), x).sum())(x * y)": "scatter_.src",
    "torch.func.grad(lambda x: y.masked_fill_(y > 0, x.sum()).sum())(x * y)": "masked_fill_.Tensor",
}
OWN = ("(x * 1).mul_(x).sum()", "torch.zeros(3).add_(x).sum()")


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("source", CAPTURED)
def test_transforms_refuse_to_write_into_what_was_there_before(source: str, library: str):
    known = {**names(library), "x": importlib.import_module(library).ones(())}
    known["helper"] = eval("lambda x: y.add_(x)", known)
    importlib.import_module(library + ".func")
    with pytest.raises(RuntimeError, match=re.escape(f"(aten::{CAPTURED[source]})")):
        eval(source, known)
    assert known["y"].tolist() == [1.0, 1.0, 1.0]
    assert known["y"]._version == 0
    assert known["y"].add_(known["y"].clone().requires_grad_()).grad_fn is not None  # and nothing is left behind


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("source", OWN)
def test_transforms_write_into_what_they_made(source: str, library: str):
    torch = importlib.import_module(library)
    x = torch.tensor([1.0, 2.0, 3.0])
    importlib.import_module(library + ".func")
    assert torch.func.grad(eval(f"lambda x: {source}", {"torch": torch}))(x).shape == (3,)
