"""Lines of PyTorch's Nodes are found while a cell runs, and the program notices nothing."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import pytest

from autogradlab.inspectors.snapshot import tracing
from autogradlab.inspectors.snapshot.lines import Spot, note_of
from tests.conftest import need

pytestmark = pytest.mark.parity


@pytest.fixture
def torch() -> Any:
    return need("torch")


def lines_of(node: Any) -> list[int]:
    """The lines of the user's frames around a Node, from the cell inward."""
    return [step.span[0] for step in note_of(node) if isinstance(step, Spot)]


def test_each_node_has_the_line_that_made_it(shell: Any):
    shell.run(
        "w = torch.ones(2, 2, requires_grad=True)\n"
        "class Cube(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x):\n"
        "        ctx.save_for_backward(x)\n"
        "        return x * x * x\n"
        "    @staticmethod\n"
        "    def backward(ctx, g):\n"
        "        return g\n"
        "c = Cube.apply(w)\n"
        "d = torch.einsum('ij,jk->ik', c, w); e = d.exp()\n"
        "f = torch.nn.functional.cross_entropy(e, torch.tensor([0, 1]))\n"
        "g, = torch.autograd.grad(f, w, create_graph=True)\n"
        "h = [w * i for i in range(3)]\n"
        "h[1] += 1"
    )
    held = shell.user_ns
    assert lines_of(held["c"].grad_fn) == [10]
    assert lines_of(held["d"].grad_fn) == [11]
    assert lines_of(held["f"].grad_fn) == [12]
    assert lines_of(held["f"].grad_fn.next_functions[0][0]) == [12]
    assert lines_of(held["g"].grad_fn)[0] == 13
    assert lines_of(held["h"][0].grad_fn)[-1] == 14
    assert lines_of(held["h"][1].grad_fn) == [15]
    (spot,) = note_of(held["e"].grad_fn)
    assert spot.span[2:] == (41, 48), "d.exp()"


def test_the_program_notices_nothing(shell: Any, capsys: pytest.CaptureFixture[str]):
    shell.run("import warnings")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        shell.run(
            "w = torch.ones(1, requires_grad=True)\ny = w * 2\ny.grad\n"
            "def f(a, b=2):\n    c = a * b\n    def inner():\n        nonlocal c\n        c = c + a\n        return c\n"
            "    del b\n    return inner() + c, sorted(locals())\n"
            "out, names = f(w)"
        )
    assert [warning.filename for warning in seen if "not a leaf" in str(warning.message)] != []
    assert all("autogradlab" not in warning.filename for warning in seen)
    assert shell.user_ns["out"].item() == 6.0
    assert shell.user_ns["names"] == ["a", "c", "inner"]
    assert sys.gettrace() is None, "the cell has run"
    failed = shell.run_cell("def g(a):\n    return a + 'x'\ng(1)")
    assert isinstance(failed.error_in_exec, TypeError)
    trace, names = failed.error_in_exec.__traceback__, []
    while trace is not None:
        names.append(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    assert not any("tracing" in name for name in names)
    assert sys.gettrace() is None
    capsys.readouterr()


def test_somebody_elses_trace_function_stays(shell: Any):
    def theirs(*args: Any) -> None:
        return None

    before = sys.gettrace()
    sys.settrace(theirs)
    try:
        tracing.start(lambda frame, instruction: ())
        assert sys.gettrace() is theirs
        tracing.stop()
        assert sys.gettrace() is theirs
    finally:
        sys.settrace(before)


def test_a_long_loop_is_let_go(shell: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tracing, "EVENTS", 2000)
    shell.run("w = torch.ones(1, requires_grad=True)\nfirst = w * 2\nfor i in range(3000):\n    k = i\nlast = w * 3")
    assert lines_of(shell.user_ns["first"].grad_fn) == [2]
    assert note_of(shell.user_ns["last"].grad_fn) == ()
    shell.run("again = w * 4")
    assert lines_of(shell.user_ns["again"].grad_fn) == [1]


def test_notes_are_bounded(shell: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tracing, "MOST", 50)
    shell.run("w = torch.ones(1, requires_grad=True)\nmade = [w * i for i in range(400)]")
    assert len(tracing._notes) <= 100
    assert note_of(shell.user_ns["made"][0].grad_fn) == ()
    assert lines_of(shell.user_ns["made"][-1].grad_fn)[-1] == 2
