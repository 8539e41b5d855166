"""Families of operations that are loaded late: what an import loads, and that nobody can tell whether one is loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
import families

from autogradlab.ops import LAZY

#: what is loaded with the package of the rooms whose families are loaded late
ALWAYS = {"breadth.typed_storage"}


def fresh(code: str) -> str:
    """What a new interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_what_an_import_loads() -> None:
    """Whichever NumPy is there: some load inspect or dataclasses themselves, so both are forgotten first."""
    forget = "[sys.modules.pop(name, None) for name in ('inspect', 'dataclasses')]"
    before = f"import sys, numpy; {forget}; before = set(sys.modules)"
    code = f"{before}; import autogradlab; print(*(set(sys.modules) - before))"
    loaded = set(fresh(code).split())
    ops = {name.removeprefix("autogradlab.ops.") for name in loaded if name.startswith("autogradlab.ops.")}
    assert {name for name in ops if name.startswith(("common.", "linalg.", "nn.", "breadth."))} == ALWAYS
    assert not loaded & {"ml_dtypes", "dataclasses", "numpy.typing", "inspect", "autogradlab.nn", "autogradlab.linalg"}
    assert not ALWAYS & set(LAZY)


def test_classes_of_nodes_are_made_when_they_are_wanted() -> None:
    """By the first Node of an operation, or by name."""
    made = "{name for name, entry in OPS.items() if entry._node_class}"
    code = f"""
import autogradlab as torch
from autogradlab.ops.table.families import OPS
at_first = {made}
y = torch.ones(2, requires_grad=True).exp().sum()
print(len(at_first), *sorted({made} - at_first))
sine, ceiling = torch._C._functions.SinBackward0, torch._C._functions.CeilBackward0
x = torch.ones(2, requires_grad=True)
print(type(x.sin().grad_fn) is sine, type(x.ceil().grad_fn) is ceiling)
"""
    assert fresh(code) == "0 exp sum\nTrue True"


def test_the_names_are_up_to_date() -> None:
    """If not: python tools/families.py"""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools/families.py"), "--check"], capture_output=True, text=True, cwd=ROOT
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


@pytest.mark.parametrize("places", [{"torch", "Tensor", "TENSORS"}, {"torch", "OPS"}, {"Tensor"}, {"RAW"}])
def test_words_say_where_a_name_is(places: set[str]) -> None:
    assert families.word("x", places) == (
        "x" if len(places) == 3 else {"RAW": "F.x"}.get(min(places)) or f"{max(places)}.x"
    )


def test_long_lists_are_broken_into_lines() -> None:
    words = " ".join(f"name{i}" for i in range(40))
    table: dict[str, str] = {}
    exec("table = {\n" + families.entries({"a": words, "b": "x"}) + "}", scope := {"table": table})
    assert scope["table"] == {"a": words, "b": "x"}
    assert max(map(len, families.entries({"a": words}).splitlines())) <= 120


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("torch.svd", "torch.svd"),
        ("torch.Tensor.svd", "torch.Tensor.svd"),
        ("torch.clamp", "getattr(torch, 'clamp')"),
        ("torch.absolute", "torch.absolute"),
        ("torch.concat", "torch.concat"),
        ("torch.manual_seed", "torch.random.manual_seed"),
        ("torch.Generator", "type(torch.default_generator)"),
    ],
)
def test_a_function_is_one_object(first: str, then: str) -> None:
    assert (
        fresh(f"import autogradlab as torch; first = {first}; torch.Tensor([1.]).cumsum(0); print(first is {then})")
        == "True"
    )


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        (
            (
                "hasattr(torch.Tensor, 'svd'), hasattr(torch, 'svd'), hasattr(torch, 'svd_'), hasattr(torch.Tensor, "
                "'svd_')"
            ),
            "(True, True, False, False)",
        ),
        (
            "'svd' in dir(torch), 'conv2d' in dir(torch), 'manual_seed' in dir(torch), 'testing_' in dir(torch)",
            "(True, True, True, False)",
        ),
        (
            "'svd' in dir(torch.Tensor), 'svd' in dir(torch.ones(1)), 'stack' in dir(torch.Tensor)",
            "(True, True, False)",
        ),
        (
            "torch.Tensor.svd.__name__, torch.Tensor.svd.__module__, callable(torch.Tensor.__dict__['qr'])",
            "('svd', 'torch', True)",
        ),
        ("torch.tensor([1., 4.]).clamp(max=2)", "tensor([1., 2.])"),
        ("torch.tensor([1., 4.]).real, torch.tensor([1 + 2j]).imag", "(tensor([1., 4.]), tensor([2.]))"),
        (
            "torch.tensor([3, 4]) & 5, torch.tensor([7]) // 2, torch.tensor([7]) % 4, 1 << torch.tensor([2])",
            "(tensor([1, 4]), tensor([3]), tensor([3]), tensor([4]))",
        ),
        (
            "sorted(set('svd abs tensor Tensor float32 nn bfloat16'.split()) & set(torch.__all__))",
            "['Tensor', 'abs', 'bfloat16', 'float32', 'nn', 'svd', 'tensor']",
        ),
        (
            "torch.bfloat16, torch.bfloat16.itemsize, torch.zeros(2, dtype=torch.bfloat16)",
            "(torch.bfloat16, 2, tensor([0., 0.], dtype=torch.bfloat16))",
        ),
        (
            "torch.autograd.grad(torch.ones(2, requires_grad=True).std() + w.exp(), w, create_graph=True)[0].grad_fn",
            "<MulBackward0 object at",
        ),
    ],
)
def test_names_are_there_before_their_family(code: str, printed: str) -> None:
    head = "import autogradlab as torch; w = torch.ones(1)[0].requires_grad_(); "
    assert fresh(f"{head}print(({code}))").startswith(printed)


def test_a_star_import_brings_late_names_too() -> None:
    assert (
        fresh("from autogradlab import *; print(clamp(tensor([1., 4.]), max=2), save.__name__)")
        == "tensor([1., 2.]) save"
    )


def test_what_a_user_puts_in_a_late_place_stays() -> None:
    code = """
import autogradlab as torch
torch.Tensor.clamp = lambda self: "mine"
torch.lerp = "mine too"
torch.where(torch.tensor([True]), 1, 2)  # loads the family
t = torch.ones(1)
t.svd = "its own"
class Child(torch.nn.Parameter):
    def median(self):
        return super().median()
print(t.clamp(), torch.lerp, t.svd, torch.Tensor.svd.__name__, Child(torch.ones(1)).median())
"""
    assert fresh(code) == "mine mine too its own svd tensor(1., grad_fn=<MedianBackward0>)"


def test_setting_a_property_that_is_still_to_come() -> None:
    code = "import autogradlab as torch; t = torch.tensor([1 + 2j]); t.imag = torch.tensor([5.]); print(t, t.__dict__)"
    assert fresh(code) == "tensor([1.+5.j]) {}"


def test_formulas_find_late_names_in_both_worlds() -> None:
    code = """
import autogradlab as torch
x = torch.tensor([1., 2.], requires_grad=True)
(g,) = torch.autograd.grad(x.relu().sum(), x, create_graph=True)
print(torch.autograd.grad(x.softmax(0)[0], x)[0].sum().abs() < 1e-6, g)
"""
    assert fresh(code) == "tensor(True) tensor([1., 1.], grad_fn=<ThresholdBackwardBackward0>)"


def test_an_error_in_a_family_is_not_a_missing_name() -> None:
    code = """
import sys
sys.modules["autogradlab.ops.common.scans"] = None  # importing it fails
import autogradlab as torch
try:
    torch.cumsum
except ImportError as error:
    print(type(error).__name__)
"""
    assert fresh(code) == "ModuleNotFoundError"
